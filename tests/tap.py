# SPDX-License-Identifier: Apache-2.0
"""Tests that are a list: (what holds, the lines that say where it does not)."""


def tap(tests):
    """Prints them, and answers the exit code."""
    print(f"1..{len(tests)}")
    for number, (what, wrong) in enumerate(tests, 1):
        print(f"{'not ok' if wrong else 'ok'} {number} - {what}")
        for line in "\n".join(map(str, wrong)).splitlines():
            print(f"# {line}")
    return 1 if any(wrong for _, wrong in tests) else 0
