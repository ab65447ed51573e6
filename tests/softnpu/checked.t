#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the runtime answers and what the checker says, call by call: a refused call has a finding, an accepted one no error."""
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.environ["ACLCHECK_SOURCE"]
BUILD = os.environ["ACLCHECK_BUILD"]
HERE = os.path.join(SOURCE, "tests", "softnpu")
RELEASE = "9.1"
sys.path.insert(0, os.path.join(SOURCE, "tests"))
from tap import tap  # noqa: E402

# Sources with the calls of a program, and what is wrong in it by the documents (or by what becomes of it) and accepted all the same.
PROGRAMS = {
    # By the documents ACL_STREAM_DEVICE_USE_ONLY is alone; the runtime drops a flag that there is not, and then it is.
    "arguments": (["arguments.c", "arguments.h"], "stream-flag-combination"),
    "arguments_memory": (["arguments_memory.c", "arguments.h"], ""),
    "arguments_models": (["arguments_models.c", "arguments.h"], ""),
    # 0x4 is no documented flag; a notify of another device stands for what has its number on the stream's device; notifies that are
    # reset together are of one device.
    "order_streams": (["order_streams.c", "order.h"], "event-wait-without-sync-flag event-reset-unsupported notify-wait-imported "
                      "notify-batch-reset-args"),
    "order_models": (["order_models.c", "order.h"], "mdlri-build-order"),
    "order_memory": (["order_memory.c", "order.h"], ""),
    # The documents refuse both under any name of the kind; the runtime believes the name that it is given.
    "order_copies": (["order_copies.c", "order.h"], "async-copy-h2h capture-unpinned-host"),
    "order_virtual": (["order_virtual.c", "order.h"], ""),
    "order_kernels": (["order_kernels.c", "order.h"], ""),
    "oracle_device": (["oracle_device.c"], "init-missing use-after-finalize device-reset-with-live-objects"),
    "oracle_memory": (["oracle_memory.c"], "init-missing async-copy-alignment free-in-flight free-host-in-flight"),
    "oracle_stream": (["oracle_stream.c"], "init-missing stream-destroy-default event-wait-before-record"),
    "oracle_capture": (["oracle_capture.c", "oracle_capture.h"], "init-missing device-reset-with-live-objects capture-default-stream-op"),
    "oracle_model": (["oracle_model.c", "oracle_capture.h"], "init-missing device-reset-with-live-objects capture-wait-unrecorded-event "
                     "capture-context-torn-down capture-resource-freed-before-destroy"),
}
# Refused without a word: programs ask for these codes, and go on.
NO_FINDING = {
    ("aclrtPeekAtLastError", 100000), ("aclrtGetLastError", 100000),  # the value is the error of an earlier call
    ("aclrtProcessReport", 107012),  # ends the loop of a thread
    ("aclrtGetDevice", 107002),  # none yet
    ("aclrtSynchronizeStreamWithTimeout", 507046), ("aclrtSynchronizeEventWithTimeout", 507047),  # not yet
}


def closing(text, start):
    depth = 1
    while depth:
        depth += {"(": 1, ")": -1}.get(text[start], 0)
        start += 1
    return start


def last_argument(body):
    depth = 0
    for at in range(len(body) - 1, 0, -1):
        depth += {")": 1, "(": -1}.get(body[at], 0)
        if body[at] == "," and not depth:
            return body[:at], body[at + 1:].strip()
    return body, ""


def wanted(value):
    """The code, in the release that runs; None of what is no code."""
    newer = re.fullmatch(r"V\((\w+), \w+\)", value)
    value = newer.group(1) if newer else value
    return int(value) if value.isdigit() else None


def calls(name):
    """Line of each checked call of a source: the function, the code, the text; every line of the statement has it."""
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        text = file.read()
    lines = {}
    for found in re.finditer(r"\b(IS|OK)\((?=acl)", text):
        end = closing(text, found.end())
        call, code = last_argument(text[found.end():end - 1]) if found.group(1) == "IS" else (text[found.end():end - 1], "0")
        first = text.count("\n", 0, found.start()) + 1
        entry = (first, re.match(r"\w+", call).group(), wanted(code), re.sub(r"\s+", " ", call))
        if entry[2] is not None:
            lines.update(dict.fromkeys(range(first, text.count("\n", 0, end) + 2), entry))
    return lines


def findings(program, place):
    """(file, line) -> rules, "error" or not; and the lines that ran."""
    reports = os.path.join(place, program)
    os.mkdir(reports)
    done = subprocess.run([os.path.join(BUILD, "tests", "softnpu", program)], stdout=subprocess.PIPE, text=True, timeout=300, check=False,
                          env=dict(os.environ, SOFTNPU_CANN=RELEASE, SOFTNPU_DEVICES="2", ACLCHECK_TARGET_CANN="auto", ACLCHECK_LOG="off",
                                   LD_PRELOAD=os.path.join(BUILD, "libaclcheck.so"), ACLCHECK_REPORT=os.path.join(reports, "%p.json"),
                                   ACLCHECK_TRACE="off"))
    found = collections.defaultdict(set)
    for path in glob.glob(os.path.join(reports, "*.json")):
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        for one in report["findings"]:
            error = one["severity"] == "error" and not one["advice"] and not one["secondary"]
            for frame in one.get("stack", []):
                found[os.path.basename(frame.get("file", "")), frame.get("line")].add((one["rule"], error))
    return done, found


def program_tests(program, sources, accepted, place):
    done, found = findings(program, place)
    silent, wrong, seen = [], [], 0
    for source in sources:
        by_call = collections.defaultdict(set)
        lines = calls(source)
        for line, entry in lines.items():
            by_call[entry] |= found.get((source, line), set())
        for (line, function, code, call), rules in sorted(by_call.items()):
            seen += 1
            errors = {rule for rule, error in rules if error} - accepted
            if code and not rules and (function, code) not in NO_FINDING:
                silent.append(f"{source}:{line}: {call} is refused with {code}, and nothing is said")
            elif not code and errors:
                wrong.append(f"{source}:{line}: {call} is accepted, and {' '.join(sorted(errors))} is said")
    yield f"{program}: the answers are the same under the checker", [line for line in done.stdout.splitlines() if line.startswith("not ok")]
    yield f"{program}: calls are compared", [] if seen > 40 and found else [f"{seen} calls, {len(found)} places"]
    yield f"{program}: a refused call has a finding", silent
    yield f"{program}: an accepted call has no error", wrong


def main():
    with tempfile.TemporaryDirectory() as place:
        return tap([one for program, (sources, accepted) in PROGRAMS.items()
                    for one in program_tests(program, sources, set(accepted.split()), place)])


if __name__ == "__main__":
    sys.exit(main())
