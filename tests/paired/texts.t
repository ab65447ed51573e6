#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
What an implemented rule says about itself is complete, in both languages, and
its code names functions and constants that exist, with as many arguments.
"""
import glob
import json
import os
import re
import sys

SOURCE = os.environ.get("ACLCHECK_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
CHINESE = re.compile("[\u4e00-\u9fff]")
sys.path.insert(0, os.path.join(SOURCE, "tests"))
from tap import tap  # noqa: E402


def read(*parts):
    with open(os.path.join(SOURCE, *parts), encoding="utf-8") as file:
        return json.load(file)


def arguments(code, start):
    """Number of arguments of the call whose parenthesis opens at start; None where it does not close."""
    depth, commas, anything, quote, at = 0, 0, False, None, start
    while at < len(code):
        c = code[at]
        if quote:
            at += c == "\\"
            quote = None if c == quote else quote
        elif c in "\"'":
            quote, anything = c, True
        elif c in "([{":
            anything = anything or depth > 0
            depth += 1
        elif c in ")]}":
            depth -= 1
            if not depth:
                return commas + 1 if anything else 0
        elif c == "," and depth == 1:
            commas += 1
        else:
            anything = anything or not c.isspace()
        at += 1
    return None


class Model:
    def __init__(self):
        model = read("include", "acl", "api.json")
        self.functions = {f["name"]: f for f in model["functions"]}
        self.words = {c["name"] for c in model["constants"]}
        for enum in model["types"]:
            if enum["kind"] == "enum":
                self.words |= {member[0] for member in enum["members"]}
        self.types = {t["name"] for t in model["types"]}

    def faults(self, lines):
        """What is wrong with the calls and constants of a piece of code."""
        code = "\n".join(re.sub(r"//.*", "", line) for line in lines)
        for call in re.finditer(r"\b(acl[A-Za-z]\w*)\s*\(", code):
            name, function = call.group(1), self.functions.get(call.group(1))
            got = arguments(code, call.end() - 1)
            if not function:
                if name not in self.types:
                    yield f"{name} is no function"
            elif got != len(function["params"]) and not function.get("variadic"):
                yield f"{name} takes {len(function['params'])} arguments, not {got}"
        for word in re.findall(r"\bACL_\w+", code):
            if word not in self.words:
                yield f"{word} is no constant"
        if "..." in code or "…" in code:
            yield "an ellipsis is no code"


def rows(rules, check):
    return [f"{r['id']}: {fault}" for r in rules for fault in check(r)]


def in_both_languages(rule):
    for key in ("title", "hint", "why"):
        text = rule.get(key, {})
        if not text.get("en", "").strip():
            yield f"no English {key}"
        if not CHINESE.search(text.get("zh", "")):
            yield f"no Chinese {key}"


def why_in_words(rule):
    """An error number alone explains nothing."""
    en, zh = rule["why"]["en"], rule["why"]["zh"]
    if len(re.sub(r"[\d\W]+", "", en)) < 30:
        yield f"says too little: {en}"
    if len(CHINESE.findall(zh)) < 10:
        yield f"says too little: {zh}"


def code_of(rule):
    for key in ("bad", "good"):
        lines = rule.get(key)
        if not lines or not all(isinstance(line, str) for line in lines) or not "".join(lines).strip():
            yield f"no {key} code"
    if rule.get("bad") == rule.get("good"):
        yield "the fixed code is the wrong code"


def wanted_engines(rule):
    if rule["state"] != "planned" and "waits_for" in rule:
        yield "only planned rules wait for an engine"
    if rule["state"] == "planned" and rule.get("waits_for") not in ("order", "capture"):
        yield "does not say which engine it waits for"


def proven_able_to_fail(model):
    """The looks at code must see what they are for."""
    wrong = [["aclrtFree(d, s);"], ["aclrtFreee(d);"], ["aclrtFree();"], ["f(ACL_MEMCPY_H2D);"], ["aclrtFree(d); …"], ["aclrtFree(d"],
             ["aclrtMemcpy(d, n, f(h, 1), n);"]]
    right = [["aclInit(NULL);"], ["aclFinalize();"], ["aclrtMemcpy(d, f(1, 2), \"a,(\", n, ACL_MEMCPY_HOST_TO_DEVICE);"]]
    return [f"not seen: {w}" for w in wrong if not list(model.faults(w))] + \
        [f"wrongly refused: {r}" for r in right if list(model.faults(r))]


def main():
    model = Model()
    families = sorted(glob.glob(os.path.join(SOURCE, "checks", "rules", "*", "*.json")))
    rules = [rule for family in families for rule in read(family)]
    implemented = [r for r in rules if r["state"] == "implemented"]
    tests = [
        ("wrong calls in code are seen", proven_able_to_fail(model)),
        ("title, hint and why in English and Chinese", rows(implemented, in_both_languages)),
        ("why says more than an error number", rows(implemented, why_in_words)),
        ("a source", rows(implemented, lambda r: [] if r.get("source", "").strip() else ["none"])),
        ("wrong and fixed code, which differ", rows(implemented, code_of)),
        ("the wrong code names what exists", rows(implemented, lambda r: model.faults(r.get("bad", [])))),
        ("the fixed code names what exists", rows(implemented, lambda r: model.faults(r.get("good", [])))),
        ("planned rules say which engine they wait for, others do not", rows(rules, wanted_engines)),
    ]
    return tap(tests)


if __name__ == "__main__":
    sys.exit(main())
