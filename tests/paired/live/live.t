#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Runs every live pair both ways under the preload library and checks the report:
with the bug exactly its rule (and what the pair names as well), fixed nothing.
Secondary findings and api-error are consequences.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

SOURCE = os.environ.get("ACLCHECK_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
BUILD = os.environ.get("ACLCHECK_BUILD") or os.path.join(SOURCE, "build")
sys.path.insert(0, os.path.join(SOURCE, "tests", "aarch64"))
import emulator  # noqa: E402
LIVE = os.path.join(BUILD, "tests", "paired", "live")
COUNTED = ("warning", "error")


def advised():
    """Rules whose findings are advice wherever they are."""
    for path in glob.glob(os.path.join(SOURCE, "checks", "rules", "*", "*.json")):
        with open(path, encoding="utf-8") as file:
            yield from (rule["id"] for rule in json.load(file) if rule["default"] == "advice")


ADVICE = set(advised())


def findings(scenario, which, settings, place):
    report = os.path.join(place, f"{which}.json")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("ACLCHECK_", "SOFTNPU_", "LD_"))}
    env.update(LD_PRELOAD=os.path.join(BUILD, "libaclcheck.so"), ACLCHECK_REPORT=report, SOFTNPU_DEVICES="2")
    env.update(word.split("=", 1) for word in settings.split())
    run = subprocess.run([*emulator.COMMAND, LIVE, scenario, which], env=env, capture_output=True, text=True, timeout=60, check=False)
    if run.returncode:
        raise RuntimeError(f"ended with {run.returncode}\n{run.stderr}")
    with open(report, encoding="utf-8") as file:
        return json.load(file)["findings"], run.stderr


def wrong_with(rule, scenario, also, settings):
    """What is wrong with a pair, line by line."""
    with tempfile.TemporaryDirectory() as place:
        found, output = findings(scenario, "bug", settings, place)
        primary = [f for f in found if not f.get("secondary") and f["rule"] != "api-error"]
        if rule not in [f["rule"] for f in primary]:
            yield f"with the bug {rule} is not reported"
            yield from output.splitlines()
        elif rule not in ADVICE and all(f.get("advice") for f in primary if f["rule"] == rule):
            yield f"with the bug {rule} is advice only"
            yield from output.splitlines()
        for f in primary:
            if f["rule"] != rule and f["rule"] not in also and f["severity"] in COUNTED and not f.get("advice"):
                yield f"with the bug there is {f['rule']} as well"
                yield from output.splitlines()
        found, output = findings(scenario, "fixed", settings, place)
        # Advice about other things than the mistake is due in both runs.
        found = [f for f in found if not f.get("advice") or f["rule"] == rule]
        for f in found:
            yield f"fixed there is still {f['rule']}"
        if found:
            yield from output.splitlines()


def main():
    listed = subprocess.run([*emulator.COMMAND, LIVE], capture_output=True, text=True, check=True).stdout.splitlines()
    todo = sorted(line.split("\t") for line in listed)
    todo = [t for t in todo if len(sys.argv) < 2 or sys.argv[1] in t[:2]]
    failed = 0
    print(f"1..{len(todo)}")
    for number, (rule, scenario, also, settings) in enumerate(todo, 1):
        try:
            lines = list(wrong_with(rule, scenario, also.split(), settings))
        except (RuntimeError, OSError, ValueError, subprocess.TimeoutExpired) as error:
            lines = str(error).splitlines()
        print(f"{'not ok' if lines else 'ok'} {number} - {rule}: {scenario}", flush=True)
        for line in lines:
            print(f"# {line}")
        failed += bool(lines)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
