#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The software runtime answers as the real one did, row by row of oracle_rows, in each release; and the checker says what is there."""
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.environ["ACLCHECK_SOURCE"]
PROGRAM = os.path.join(os.environ["ACLCHECK_BUILD"], "tests", "softnpu", "rows")
RELEASES = ("8.5", "9.1", "9.2")
sys.path.insert(0, os.path.join(SOURCE, "tests"))
from tap import tap  # noqa: E402


def table():
    """name, answers by release (None where nothing was observed), rules of the checker."""
    with open(os.path.join(SOURCE, "tests", "softnpu", "oracle_rows"), encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    for line in lines:
        name, *cells = (cell.strip() for cell in line.split(":", 5))
        answers = []
        for cell in cells[:3]:
            answers.append(None if cell == "?" else answers[-1] if cell == "=" else cell)
        yield name, dict(zip(RELEASES, answers)), cells[3].split()


def answered(name, release, **more):
    done = subprocess.run([PROGRAM, name], env=dict(os.environ, SOFTNPU_CANN=release, SOFTNPU_DEVICES="2", **more), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    return done.stdout.strip() + (f" and ends with {done.returncode}" if done.returncode else "")


def errors(name, release, place):
    """Rules of the errors that the checker reports, for the release that runs; the same calls, the same answers."""
    report = os.path.join(place, f"{name}-{release}.json")
    got = answered(name, release, LD_PRELOAD=os.path.join(os.environ["ACLCHECK_BUILD"], "libaclcheck.so"), ACLCHECK_REPORT=report,
                   ACLCHECK_TARGET_CANN="auto", ACLCHECK_LOG="off", ACLCHECK_TRACE="off")
    with open(report, encoding="utf-8") as file:
        found = json.load(file)["findings"]
    return got, sorted({f["rule"] for f in found if f["severity"] == "error" and not f.get("advice") and not f.get("secondary")})


def unknown_functions():
    """Lines of arguments*.def that belong to nothing that programs can call: the compiler would not say so."""
    line = r"((?:ARGUMENTS|ANSWER|WAITS_INSIDE)_\w+)"
    named, asked = set(), set()
    for name in ("arguments.def", "arguments_not_modelled.def"):
        with open(os.path.join(SOURCE, "tools", "softnpu", "core", name), encoding="utf-8") as file:
            named.update(re.findall(r"^#define " + line, file.read(), re.MULTILINE))
    for name in ("softnpu_entry.c", "softnpu_default.c"):
        with open(os.path.join(os.environ["ACLCHECK_BUILD"], "gen", name), encoding="utf-8") as file:
            asked.update(re.findall(r"^#ifn?def " + line, file.read(), re.MULTILINE))
    return sorted(named - asked)


def main():
    lines = list(table())
    rows = {name: answers for name, answers, _ in lines}
    names = subprocess.run([PROGRAM], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    tests = [("every row has calls, and every call a row", sorted(set(names) ^ set(rows))),
             ("every line of the .def files is of a function", unknown_functions())]
    for name, wanted in rows.items():
        tests.append((name, [f"{release}: {got}, the real one {want}" for release, want in wanted.items()
                             if want is not None for got in [answered(name, release)] if got != want]))
    with tempfile.TemporaryDirectory() as place:
        for name, wanted, rules in lines:
            got, found = errors(name, "9.1", place)
            tests.append((f"{name}: what the checker reports", [] if wanted["9.1"] in (None, got) and found == sorted(rules) else
                          [f"{got}, {' '.join(found) or 'nothing'}"]))
    return tap(tests)


if __name__ == "__main__":
    sys.exit(main())
