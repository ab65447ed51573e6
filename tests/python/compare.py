#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Compares the call stacks of a report with what the interpreter wrote down (frames.py): compare.py REPORT EXPECTED.
Prints how many circumstances there were.
"""
import json
import re
import sys

STACK_MOST = 32
NAME_MOST, FILE_MOST = 256, 1024


def is_library(file):
    frozen = re.match(r"<frozen (importlib|zipimport|abc|codecs|io|os|site|stat|runpy|posixpath|_collections_abc)\b", file)
    return bool(frozen or re.search(r"/python3\.\d+/(?!(site|dist)-packages/)", file))


def shown(stack):
    """Without how the interpreter came to the program's code, as far as there is room for."""
    stack = [(name[:NAME_MOST], file[:FILE_MOST] or "?", line) for name, file, line in stack][:STACK_MOST]
    while len(stack) > 1 and is_library(stack[-1][1]):
        stack.pop()
    return stack


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        findings = json.load(file)["findings"]
    with open(sys.argv[2], encoding="utf-8") as file:
        expected = {int(offset): shown(stack) for offset, stack in json.load(file).items()}
    found = {}
    for finding in findings:
        if finding["rule"] == "async-copy-alignment":
            frames = [(f["function"], f.get("file"), f.get("line")) for f in finding["stack"] if f.get("language") == "python"]
            others = [f.get("module", "?") for f in finding["stack"] if f.get("language") != "python"]
            interpreters = [m for m in others if re.search(r"python|libffi|_ctypes", m)]
            offset = int(finding["values"]["src mod 64"])
            found[offset] = frames, interpreters
    wrong = 0
    for offset, stack in sorted(expected.items()):
        frames, interpreters = found.get(offset, ([], ["no finding"]))
        if frames != stack or interpreters:
            wrong += 1
            print(f"{offset}: expected {stack[:6]}\n    got {frames[:6]} and {interpreters}")
    print(f"{len(expected)} compared, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
