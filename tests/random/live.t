#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Random programs on the software runtime under the preload library: those that
break no rule have no finding, those with a change just the rule that the model
of order_model.h says. LIVE_RIGHT and LIVE_CHANGED say how many, LIVE_SEED where
they begin.
"""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
SOURCE = os.environ.get("ACLCHECK_SOURCE") or os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("ACLCHECK_BUILD") or os.path.join(SOURCE, "build")
RIGHT = int(os.environ.get("LIVE_RIGHT", "100"))
CHANGED = int(os.environ.get("LIVE_CHANGED", "150"))
SEED = int(os.environ.get("LIVE_SEED", "1"))
# Of the model's rules those that are advice.
ADVICE = ("mdlri-concurrent-execute", "mdlri-destroy-running")
# Which kind of right program advice is about is not this test's question.
COUNTED = ("warning", "error")


def run(build, arguments, place, preload=()):
    """Output, exit code and what was found: (rule, detail) of the primary findings."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("ACLCHECK_", "SOFTNPU_", "LD_"))}
    report = os.path.join(place, "report.json")
    env.update(LD_PRELOAD=":".join([*preload, os.path.join(build, "libaclcheck.so")]), ACLCHECK_REPORT=report,
               ACLCHECK_SYMBOLS="fast", ACLCHECK_LOG="off", ASAN_OPTIONS="detect_leaks=0")
    done = subprocess.run([os.path.join(build, "tests", "random", "live"), *arguments], env=env, cwd=place, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if not os.path.exists(report):
        return done, {"verdict": "none: " + done.stderr[:2000]}, []
    with open(report, encoding="utf-8") as file:
        whole = json.load(file)
    found = [(f["rule"], f.get("detail", "")) for f in whole["findings"]
             if not f["secondary"] and f["severity"] in COUNTED and (not f.get("advice") or f["rule"] in ADVICE)]
    return done, whole, found


def right(build, preload=()):
    with tempfile.TemporaryDirectory() as place:
        done, whole, found = run(build, ["right", str(RIGHT), str(SEED)], place, preload)
    wrong = [f"{rule}: {detail}" for rule, detail in found]
    if done.returncode or "Sanitizer" in done.stderr or "runtime error" in done.stderr:
        wrong.append(f"ended with {done.returncode}: {done.stdout}{done.stderr[:2000]}")
    if not found and whole["verdict"] != "pass":
        wrong.append("verdict " + whole["verdict"])
    return wrong


def changed(seed):
    with tempfile.TemporaryDirectory() as place:
        done, _, found = run(BUILD, ["changed", str(seed)], place)
    rules, is_there = set(done.stdout.split()), {rule for rule, _ in found}
    if done.returncode:
        return f"seed {seed}: ended with {done.returncode}: {done.stderr[:500]}"
    if is_there - rules or (rules and not is_there):
        return f"seed {seed}: the model says {sorted(rules)}, the checker {found}"
    return ""


def say(number, wrong, what):
    for line in wrong[:5]:
        print("# " + line.replace("\n", "\n# "))
    print(f"{'not ok' if wrong else 'ok'} {number} - {what}")
    return not wrong


def sanitized(kind):
    build = os.path.join(BUILD, kind)
    compiler = os.environ.get("CC", "gcc").split()
    library = subprocess.run([*compiler, f"-print-file-name=lib{kind}.so"], stdout=subprocess.PIPE, text=True, check=True)
    return right(build, [library.stdout.strip()])


def main():
    print("1..4")
    good = say(1, right(BUILD), f"{RIGHT} programs that break no rule: no finding, no call failed")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [line for line in pool.map(changed, range(SEED, SEED + CHANGED)) if line]
    good &= say(2, wrong, f"{CHANGED} programs with a change: the rule that it breaks, no other")
    good &= say(3, sanitized("asan"), "the same with AddressSanitizer")
    good &= say(4, sanitized("tsan"), "the same with ThreadSanitizer")
    return not good


if __name__ == "__main__":
    sys.exit(main())
