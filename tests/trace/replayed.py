#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
What a report of a run and that of its replay say, compared: findings with rule, weight, count, call, values,
place and fingerprint, what was expected, and the verdict.  Addresses are those of another process and left out.
The version of Python is not in a recording, the frames of its code are.

	replayed.py LIVE.json RECORDING [NAME=VALUE...]
"""
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile

READER = os.path.join(os.environ.get("ACLCHECK_BUILD", "build"), "aclcheck-reader")
WEIGHTS = ("advice", "secondary", "suppressed", "expected")


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
    weight = [k for k in WEIGHTS if finding.get(k)]
    return json.dumps([finding["rule"], finding["severity"], weight, finding.get("call"), finding["count"],
                       finding["fingerprint"], site(finding["stack"]), without_addresses(finding.get("detail", "")),
                       without_addresses(finding["values"]),
                       [(o["role"], o["kind"], o.get("size"), o.get("device")) for o in finding["objects"]]],
                      ensure_ascii=False)


def scopes(report):
    """What the program said of findings that it expects."""
    return [json.dumps([e["rule"], e["reason"], e["place"].get("function"), e["place"].get("line"), e["opened"], e["met"]])
            for e in report.get("expectations", ()) if e["in"] == "program"]


def summaries(report):
    return sorted([*map(summary, report["findings"]), *scopes(report)])


def differences(live, replayed):
    """Line by line."""
    a, b = (summaries(r) for r in (live, replayed))
    for text in a:
        if text in b:
            b.remove(text)
        else:
            yield f"only in the run: {text}"
    for text in b:
        yield f"only in the replay: {text}"
    if live.get("python", {}).get("frames") and not replayed.get("python", {}).get("frames"):
        yield f"no frames of Python code: {replayed.get('python')} instead of {live.get('python')}"
    if live["verdict"] != replayed["verdict"]:
        yield f"verdict {replayed['verdict']} instead of {live['verdict']}: {replayed['inconclusive']}"


def replay(recording, settings):
    """Reports of all processes, under these settings."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("ACLCHECK_")}
    env.update(settings)
    with tempfile.TemporaryDirectory(dir=".") as place:
        done = subprocess.run([READER, "replay", place, recording],
                              env=env, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            sys.exit(f"Bail out! the recording cannot be replayed: {done.stderr}")
        return [json.load(open(os.path.join(place, name), encoding="utf-8")) for name in os.listdir(place)]


def started(report):
    return datetime.datetime.strptime(report["started"], "%Y-%m-%dT%H:%M:%SZ")


def of_process(reports, live):
    """That of the same process; None: there is none.  On a busy machine ids come again within a recording."""
    same = [r for r in reports if r["pid"] == live["pid"]]
    return min(same, key=lambda r: abs(started(r) - started(live)), default=None)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        live = json.load(file)
    again = of_process(replay(sys.argv[2], dict(word.split("=", 1) for word in sys.argv[3:])), live)
    wrong = list(differences(live, again)) if again else ["it is not in the replay"]
    print(*wrong, sep="\n")
    return len(wrong) != 0


if __name__ == "__main__":
    sys.exit(main())
