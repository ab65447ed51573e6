# SPDX-License-Identifier: Apache-2.0
"""For scripts that start programs of the build, which may be those of another machine."""
import os

# What stands before the program's name.
COMMAND = list(filter(None, [os.environ.get("TEST_EMULATOR")]))


def excluded(place):
    """What of a folder of tests/ does not run under the emulator -> why."""
    if not COMMAND:
        return {}
    prefix = f"tests/{place}"
    with open(os.path.join(os.path.dirname(os.path.realpath(__file__)), "excluded"), encoding="utf-8") as file:
        lines = [line.strip().split(": ", 1) for line in file if line.startswith((prefix + "/", prefix + " "))]
    return {name[len(prefix) + 1:]: reason for name, reason in lines}
