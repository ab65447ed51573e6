#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
The programs of tests/documents and tests/patterns, run and replayed; prints TAP.

All of them are recorded in one session, each leaves a report, and a replay of the
recording must report the same of each process: findings with rule, weight, count,
call, values, place and fingerprint, and the verdict.  Addresses are those of another
process and left out.  Frames of Python code are not recorded, so lines of Python are
one place in a replay: where the run read them, findings are compared whatever their
place.  KNOWN and SURER say what else differs and why.

	replay.t [PROGRAM...]
"""
import importlib.machinery
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

SOURCE = os.environ.get("ACLCHECK_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
BUILD = os.environ.get("ACLCHECK_BUILD") or os.path.join(SOURCE, "build")
LOADER = importlib.machinery.SourceFileLoader("programs", os.path.join(SOURCE, "tests", "programs", "run"))
PROGRAMS = importlib.util.module_from_spec(importlib.util.spec_from_loader("programs", LOADER))
LOADER.exec_module(PROGRAMS)

# What a recording does not hold, and what differs because of it.
ANNOTATED = "what the program says by aclcheck.h is not recorded: inconclusive"
KNOWN = {"tensor_pool": ANNOTATED, "unseen_kernels": ANNOTATED}
# A run sees one process, a recording all of them: advice of the run that the other process refutes.
SURER = {("shared_memory", "direct"): "ipc-imported-copy-direction"}


def cases(only):
    """Once each: how CANN 8.1 behaves is what costs the least time."""
    for folder in ("documents", "patterns"):
        table = os.path.join(SOURCE, "tests", folder, "table")
        for program, mistake, settings, wanted in PROGRAMS.read_table(table):
            if not only or program in only:
                yield folder, program, mistake, {"SOFTNPU_CANN": "8.1", **settings}


def play(numbered):
    number, (folder, program, mistake, settings) = numbered
    env = PROGRAMS.environment(settings)
    env.update({"ACLCHECK_REPORT": f"live-{number}.json", "ACLCHECK_LOG": "off", "ACLCHECK_TRACE": "on",
                "LD_PRELOAD": os.environ["LD_PRELOAD"]})
    env.update({k: v for k, v in os.environ.items() if k.startswith("LTTNG_")})
    PROGRAMS.execute(PROGRAMS.command(folder, program, mistake), env, os.getcwd())


def play_all(only):
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(play, enumerate(cases(only))))


def without_addresses(value):
    if isinstance(value, str):
        return re.sub(r"0x[0-9a-f]{5,}", "0x…", value)
    if isinstance(value, dict):
        return {k: without_addresses(v) for k, v in value.items()}
    return value


def site(frames):
    return [(f.get("function"), f.get("file"), f.get("line")) for f in frames if not f.get("library")][:1]


def summary(finding):
    """What both have to say alike."""
    weight = [k for k in ("advice", "secondary", "suppressed", "expected") if finding.get(k)]
    return json.dumps([finding["rule"], finding["severity"], weight, finding.get("call"), finding["count"],
                       site(finding["stack"]), without_addresses(finding.get("detail", "")),
                       without_addresses(finding["values"]),
                       [(o["role"], o["kind"], o.get("size"), o.get("device")) for o in finding["objects"]]],
                      ensure_ascii=False)


def summaries(report, places):
    if places:
        return sorted(map(summary, report["findings"]))
    sums = {}
    for f in report["findings"]:
        what = (f["rule"], f["severity"], *(k for k in ("advice", "secondary", "suppressed", "expected") if f.get(k)), f.get("call", ""))
        sums[what] = sums.get(what, 0) + f["count"]
    return sorted(f"{' '.join(what)}: {count}" for what, count in sums.items())


def without_refuted(live, rule):
    """The same report less its advice of a rule."""
    kept = [f for f in live["findings"] if not (f["rule"] == rule and f.get("advice"))]
    return {**live, "findings": kept}


def differences(live, replayed):
    places = not live.get("python", {}).get("frames")
    a, b = (summaries(r, places) for r in (live, replayed))
    for text in a:
        if text in b:
            b.remove(text)
        else:
            yield f"only in the run: {text}"
    for text in b:
        yield f"only in the replay: {text}"
    if not places and replayed.get("python", {}).get("frames") is not False:
        yield f"the replay does not say that it has no frames of Python code: {replayed.get('python')}"
    if live["verdict"] != replayed["verdict"]:
        yield f"verdict {replayed['verdict']} instead of {live['verdict']}: {replayed['inconclusive']}"


def replay(settings):
    """Reports by process, under the settings of some programs."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("ACLCHECK_")}
    env.update(settings)
    with tempfile.TemporaryDirectory(dir=".") as place:
        done = subprocess.run([os.path.join(BUILD, "aclcheck-reader"), "replay", place, "recorded"], env=env,
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            sys.exit(f"Bail out! the recording cannot be replayed: {done.stderr}")
        reports = [json.load(open(os.path.join(place, name), encoding="utf-8")) for name in os.listdir(place)]
    return {r["pid"]: r for r in reports}


def main():
    only = [w for w in sys.argv[1:] if w != "--play"]
    if "--play" in sys.argv:
        return play_all(only)
    table = list(cases(only))
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        subprocess.run([os.path.join(BUILD, "aclcheck"), "trace", "-o", "recorded", "--", sys.executable,
                        os.path.realpath(__file__), "--play", *only], check=False, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
                       stdout=subprocess.DEVNULL, stderr=sys.stderr if os.environ.get("REPLAY_SHOW") else subprocess.DEVNULL)
        if os.environ.get("REPLAY_KEEP"):
            subprocess.run(["cp", "-r", ".", os.environ["REPLAY_KEEP"]], check=False)
        replays = {}
        print(f"1..{len(table)}")
        for number, (folder, program, mistake, settings) in enumerate(table):
            of_checker = {k: v for k, v in settings.items() if k.startswith("ACLCHECK_")}
            key = json.dumps(of_checker, sort_keys=True)
            if key not in replays:
                replays[key] = replay(of_checker)
            name = f"{number + 1} {folder} {program} {mistake}"
            try:
                with open(f"live-{number}.json", encoding="utf-8") as file:
                    live = json.load(file)
            except OSError:
                print(f"ok {name} # no report of its own")
                continue
            replayed = replays[key].get(live["pid"])
            live = without_refuted(live, SURER.get((program, mistake)))
            wrong = list(differences(live, replayed)) if replayed else ["it is not in the replay"]
            why = KNOWN.get(program)
            if why and wrong:
                wrong = []
                name += f" # differs, as {why}"
            print(f"{'not ok' if wrong else 'ok'} {name}")
            for line in wrong:
                print(f"#   {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
