#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Runs the pairs of tests/paired as programs on the software runtime under the
preload library, both ways, and compares the reports by the criteria of the
frame: with the bug its rule and no other primary finding of warning or worse,
fixed none.

A pair is live when the runtime did what the scenario says: fixed, calls that
succeed there succeed here; with the bug, at least the rule was found, or every
call returned just what the scenario says. The others are skipped with what the
runtime did instead. The file `proven` beside this one holds those that were live
once; one of them that is not any more fails. `real.t --write` writes it anew.
"""
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
SOURCE = os.environ.get("ACLCHECK_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
BUILD = os.environ.get("ACLCHECK_BUILD") or os.path.join(SOURCE, "build")
sys.path.insert(0, os.path.join(SOURCE, "tests", "aarch64"))
import emulator  # noqa: E402
PROGRAMS = os.path.join(BUILD, "tests", "paired", "real")
PROVEN = os.path.join(HERE, "proven")
COUNTED = ("warning", "error")
PAIRS_A_PROCESS = 4
PROCESSES = 6


def environment(place, target, product, switched):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("ACLCHECK_", "SOFTNPU_", "LD_"))}
    env.update(LD_PRELOAD=os.path.join(BUILD, "libaclcheck.so"), ACLCHECK_REPORT=os.path.join(place, "%p.json"),
               ACLCHECK_SYMBOLS="fast", ACLCHECK_LOG="off", SOFTNPU_DEVICES="2")
    if target:
        env["ACLCHECK_TARGET_CANN"] = env["SOFTNPU_CANN"] = target
    if product:
        env["ACLCHECK_SOC"] = env["SOFTNPU_SOC"] = product
    if switched:
        env["ACLCHECK_RULES"] = "+" + switched
    return env


class Way:
    """One way of one pair: how it went and what was found."""

    def __init__(self, place, pid, end, exits, otherwise):
        self.end, self.otherwise = end, otherwise
        self.found, self.rules, self.asked = [], set(), {}
        try:
            with open(os.path.join(place, pid + ".json"), encoding="utf-8") as file:
                report = json.load(file)
        except FileNotFoundError:
            self.end = "no report" if end == "ok" else end
            return
        self.asked = report["rules"]["asked"]
        # What is found at the end of the process names no thread; it counts when that end belongs to the scenario.
        self.rules = {f["rule"] for f in report["findings"]}
        self.found = [f for f in report["findings"] if f["rule"] != "api-error" and not f["secondary"]
                      and (exits == "exit" or "thread" in f)]

    def excuse(self):
        if self.end != "ok":
            return self.end
        return "" if self.otherwise == "-" else self.otherwise


def run(some):
    """Pairs of one program, target and product, both ways, in one process."""
    with tempfile.TemporaryDirectory() as place:
        with open(os.path.join(place, "add.o"), "w", encoding="utf-8") as file:
            file.write("{}")  # a kernel binary, and a configuration
        done = subprocess.run([*emulator.COMMAND, some[0]["program"], *(pair["number"] for pair in some)],
                              env=environment(place, *some[0]["setting"]), cwd=place, stdout=subprocess.PIPE,
                              text=True, timeout=800, check=True)
        by_number = {pair["number"]: pair for pair in some}
        for line in done.stdout.splitlines():
            number, way, *rest = line.split("\t")
            by_number[number][way] = Way(place, *rest)


def run_all(pairs):
    """
    Some pairs that wait for ever stop a process for seconds each, and need no processor then: a few pairs a process, and more
    processes than processors.
    """
    settings = collections.defaultdict(list)
    for pair in pairs:
        settings[pair["program"], pair["setting"]].append(pair)
    parts = [some[at:at + PAIRS_A_PROCESS] for some in settings.values() for at in range(0, len(some), PAIRS_A_PROCESS)]
    with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        list(pool.map(run, parts))


def listed(program):
    lines = subprocess.run([*emulator.COMMAND, program], capture_output=True, text=True, check=True).stdout.splitlines()
    for line in lines:
        number, rule, name, also, target, product, switched, avoids = line.split("\t")
        yield {"program": program, "number": number, "rule": rule, "name": name, "also": also, "setting": (target, product, switched),
               "avoids": avoids}


def wrong_with(pair):
    """Findings that should not be, or the one that is missing, or silence that proves nothing."""
    bug, fixed = pair["bug"], pair["fixed"]
    if pair["rule"] not in bug.rules:
        yield f"with the bug {pair['rule']} is not reported", bug
    for f in bug.found:
        if f["rule"] not in (pair["rule"], *pair["also"].split()) and f["severity"] in COUNTED and not f["advice"]:
            yield f"with the bug there is {f['rule']} as well: {f.get('detail', '')}", bug
    for f in fixed.found:
        if not f["advice"] or f["rule"] == pair["rule"]:
            yield f"fixed there is {f['rule']}: {f.get('detail', '')}", fixed
    if not pair["avoids"] and pair["rule"] not in fixed.asked:
        yield f"fixed {pair['rule']} was never evaluated", fixed


def verdict(pair):
    """What is wrong, and why the pair does not count: both empty for a live one."""
    wrong = list(wrong_with(pair))
    serious = [text for text, way in wrong if not way.excuse()]
    if serious:
        return serious, ""
    if pair["fixed"].excuse():
        return [], "fixed: " + pair["fixed"].excuse()
    return [], "with the bug: " + pair["bug"].excuse() if wrong or pair["bug"].end != "ok" else ""


def old_proven():
    with open(PROVEN, encoding="utf-8") as file:
        return {line.rstrip("\n") for line in file if not line.startswith("#")}


def write_proven(scenarios):
    with open(PROVEN, "w", encoding="utf-8") as file:
        file.write("# Rule and scenario that run as a program on the software runtime; written by real.t --write.\n")
        file.writelines(line + "\n" for line in sorted(scenarios))


def number_scenarios(pairs):
    """One line each: a scenario may stand there twice, for two releases or with other arguments."""
    seen = collections.Counter()
    for pair in pairs:
        line = f"{pair['rule']}: {pair['name']}"
        seen[line] += 1
        pair["line"] = line if seen[line] == 1 else f"{line} ({seen[line]})"


def main():
    todo, proven, live, failed = [], set(), 0, 0
    programs = [os.path.join(PROGRAMS, name) for name in sorted(os.listdir(PROGRAMS))]
    for program in programs:
        todo += listed(program)
    run_all(todo)
    number_scenarios(todo)
    old = old_proven()
    excluded = emulator.excluded("paired/real")
    print(f"1..{len(todo) + 1}")
    for number, pair in enumerate(todo, 1):
        wrong, excuse = verdict(pair)
        if pair["line"].replace(":", "") in excluded:
            wrong, excuse = [], excluded[pair["line"].replace(":", "")]
        elif excuse and pair["line"] in old and not wrong:
            wrong = [f"it was live once, and now: {excuse}"]
        print(f"{'not ok' if wrong else 'ok'} {number} - {pair['line']}{' # SKIP ' + excuse if excuse and not wrong else ''}")
        for text in wrong:
            print(f"# {text}")
        failed += bool(wrong)
        if not wrong and not excuse:
            live += 1
            proven.add(pair["line"])
    lines = {pair["line"] for pair in todo}
    gone = old - lines
    print(f"{'not ok' if gone else 'ok'} {len(todo) + 1} - every scenario that was live once is there")
    for line in sorted(gone):
        print(f"# {line}")
    for line in sorted(proven - old):
        print(f"# live and not in the file yet (real.t --write): {line}")
    print(f"# {live} of {len(todo)} pairs ran live, {len({line.split(':')[0] for line in proven})} rules")
    if "--write" in sys.argv:
        write_proven(proven)
    return 1 if failed or gone else 0


if __name__ == "__main__":
    sys.exit(main())
