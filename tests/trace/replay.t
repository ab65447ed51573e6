#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
The programs of tests/documents and tests/patterns, run and replayed; prints TAP.

All of them are recorded in one session, each leaves a report, and a replay of the
recording must report the same of each process (replayed.py).  SURER says what else
differs and why.

	replay.t [PROGRAM...]
"""
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

SOURCE = os.environ.get("ACLCHECK_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
BUILD = os.environ.get("ACLCHECK_BUILD") or os.path.join(SOURCE, "build")
LOADER = importlib.machinery.SourceFileLoader("programs", os.path.join(SOURCE, "tests", "programs", "run"))
PROGRAMS = importlib.util.module_from_spec(importlib.util.spec_from_loader("programs", LOADER))
LOADER.exec_module(PROGRAMS)
sys.path.insert(0, os.path.join(SOURCE, "tests", "trace"))
import replayed as compared  # noqa: E402

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


def without_refuted(live, rule):
    """The same report less its advice of a rule."""
    kept = [f for f in live["findings"] if not (f["rule"] == rule and f.get("advice"))]
    return {**live, "findings": kept}


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
                replays[key] = compared.replay("recorded", of_checker)
            name = f"{number + 1} {folder} {program} {mistake}"
            try:
                with open(f"live-{number}.json", encoding="utf-8") as file:
                    live = json.load(file)
            except OSError:
                print(f"ok {name} # no report of its own")
                continue
            replayed = compared.of_process(replays[key], live)
            live = without_refuted(live, SURER.get((program, mistake)))
            wrong = list(compared.differences(live, replayed)) if replayed else ["it is not in the replay"]
            print(f"{'not ok' if wrong else 'ok'} {name}")
            for line in wrong:
                print(f"#   {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
