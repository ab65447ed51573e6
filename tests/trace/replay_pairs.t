#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
The pairs of tests/paired, as programs on the software runtime (real/ and live/), run and replayed: each rule
finds in a recording what it found in the run, with the bug and fixed, word for word; prints TAP.

Pairs of the same settings are in one recording, of some thousand processes.  Those of real/ that never ran
live (real/proven) are left out: most wait for ever there.

	replay_pairs.t [PROGRAM...]
"""
import collections
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
LOADER = importlib.machinery.SourceFileLoader("real", os.path.join(SOURCE, "tests", "paired", "real", "real.t"))
REAL = importlib.util.module_from_spec(importlib.util.spec_from_loader("real", LOADER))
LOADER.exec_module(REAL)
sys.path.insert(0, os.path.join(SOURCE, "tests", "trace"))
import replayed  # noqa: E402

LIVE = os.path.join(BUILD, "tests", "paired", "live")

# What a variable holds that only an earlier call was given is in no recording: whether that of a stream that was not made
# still holds NULL when that is used.
UNRECORDED = {f"failed-create-output-used: {name} bug" for name in (
    "null_of_a_failed_create", "default_stream_as_before", "stream_made_otherwise", "variable_taken_for_another")}


def real_runs(only):
    """(settings, program, name of each pair by its number)"""
    pairs = []
    for name in sorted(os.listdir(REAL.PROGRAMS)):
        pairs += REAL.listed(os.path.join(REAL.PROGRAMS, name))
    REAL.number_scenarios(pairs)
    proven = REAL.old_proven()
    runs = collections.defaultdict(dict)
    for pair in pairs:
        if pair["line"] in proven and (not only or os.path.basename(pair["program"]) in only):
            runs[pair["setting"], pair["program"]][pair["number"]] = pair["line"]
    for (setting, program), names in runs.items():
        settings = REAL.environment("", *setting)
        yield {k: v for k, v in settings.items() if k.startswith(("ACLCHECK_", "SOFTNPU_")) and k != "ACLCHECK_REPORT"}, program, names


def live_runs(only):
    if only and "live" not in only:
        return
    for line in subprocess.run([LIVE], capture_output=True, text=True, check=True).stdout.splitlines():
        rule, scenario, _, settings = line.split("\t")
        yield {"SOFTNPU_DEVICES": "2", "ACLCHECK_LOG": "off", **dict(word.split("=", 1) for word in settings.split())}, LIVE, {scenario: rule}


def of_checker(settings):
    return {k: v for k, v in settings.items() if k.startswith("ACLCHECK_")}


def recordings(only):
    """Runs by the settings that a replay needs, too."""
    sorts = collections.defaultdict(list)
    for run in (*real_runs(only), *live_runs(only)):
        sorts[json.dumps(of_checker(run[0]), sort_keys=True)].append(run)
    return [sorts[key] for key in sorted(sorts)]


def commands(program, names):
    if program == LIVE:
        return [[program, scenario, way] for scenario in names for way in ("bug", "fixed")]
    return [[program, *names]]


def play(numbered):
    """One run, in a directory of its own."""
    number, (settings, program, names) = numbered
    place = os.path.join("played", str(number))
    os.makedirs(place)
    with open(os.path.join(place, "add.o"), "w", encoding="utf-8") as file:
        file.write("{}")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("ACLCHECK_", "SOFTNPU_"))}
    env.update(settings, ACLCHECK_REPORT=os.path.abspath(os.path.join(place, "%p.json")), ACLCHECK_TRACE="on")
    for words in commands(program, names):
        done = subprocess.run(words, env=env, cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, timeout=300, check=False)
        with open(os.path.join(place, "out"), "a", encoding="utf-8") as file:
            file.write(done.stdout)


def play_all():
    """The runs that record() has listed."""
    with open("runs", encoding="utf-8") as file, ThreadPoolExecutor(2) as pool:
        list(pool.map(play, enumerate(json.load(file))))


def record(index, runs):
    """The runs of a recording in it, into a directory of its own."""
    os.mkdir(f"recording-{index}")
    with open(os.path.join(f"recording-{index}", "runs"), "w", encoding="utf-8") as file:
        json.dump(runs, file)
    subprocess.run([os.path.join(BUILD, "aclcheck"), "trace", "--buffers=4M", "-o", "recorded", "--", sys.executable,
                    os.path.realpath(__file__), "--play"], check=False, cwd=f"recording-{index}",
                   env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, stdout=subprocess.DEVNULL,
                   stderr=sys.stderr if os.environ.get("REPLAY_SHOW") else subprocess.DEVNULL)


def ways(place, program, names):
    """(name of the pair and its way, report of the run)"""
    if program == LIVE:
        # One after the other: the order of their ids may not be theirs, but what they were started with is there.
        for name in os.listdir(place):
            if name.endswith(".json"):
                with open(os.path.join(place, name), encoding="utf-8") as file:
                    report = json.load(file)
                scenario, way = report["argv"][1:3] if "argv" in report else report["processes"][0]["argv"][1:3]
                yield f"{names[scenario]}: {scenario} {way}", report
        return
    with open(os.path.join(place, "out"), encoding="utf-8") as file:
        lines = [line.split("\t") for line in file]
    for number, way, pid, *_ in lines:
        try:
            with open(os.path.join(place, f"{pid}.json"), encoding="utf-8") as file:
                yield f"{names[number]} {way}", json.load(file)
        except FileNotFoundError:
            pass  # what killed it is real.t's affair


def compare(index, runs):
    """(name, what differs)"""
    os.chdir(f"recording-{index}")
    reports = replayed.replay("recorded", of_checker(runs[0][0]))
    for number, (_, program, names) in enumerate(runs):
        for name, live in ways(os.path.join("played", str(number)), program, names):
            again = replayed.of_process(reports, live)
            wrong = list(replayed.differences(live, again)) if again else ["it is not in the replay"]
            assert wrong or name not in UNRECORDED, f"{name} is in the recording"
            if name in UNRECORDED:
                wrong = [line for line in wrong if not line.startswith(f'only in the run: ["{name.partition(":")[0]}"')]
            yield name, wrong
    os.chdir("..")


def main():
    words = sys.argv[1:]
    if words[:1] == ["--play"]:
        play_all()
        return 0
    count = 0
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        for index, runs in enumerate(recordings(words)):
            record(index, runs)
            for name, wrong in compare(index, runs):
                count += 1
                print(f"{'not ok' if wrong else 'ok'} {count} - {name}")
                for line in wrong:
                    print(f"#   {line}")
        if os.environ.get("REPLAY_KEEP"):
            subprocess.run(["cp", "-r", ".", os.environ["REPLAY_KEEP"]], check=False)
        os.chdir("/")
    print(f"1..{count}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
