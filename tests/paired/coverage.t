#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
The rule table, the checks and the pairs say the same: every implemented rule is
checked somewhere and has a pair, and nothing else is or has.
"""
import json
import os
import re
import subprocess
import sys

SOURCE = os.environ.get("ACLCHECK_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
BUILD = os.environ.get("ACLCHECK_BUILD") or os.path.join(SOURCE, "build")
# Reported of every failing call; there is no mistake of the program to pair it with.
WITHOUT_PAIR = {"api-error", "api-missing-in-runtime"}
sys.path.insert(0, os.path.join(SOURCE, "tests"))
from tap import tap  # noqa: E402


def read(*parts):
    with open(os.path.join(SOURCE, *parts), encoding="utf-8") as file:
        return file.read()


def sources(folder, endings):
    for place, _, names in os.walk(os.path.join(SOURCE, folder)):
        for name in sorted(names):
            if name.endswith(endings):
                yield read(place, name)


def written():
    """Ids in RULE("…") and FINDING(c, call, "…"."""
    said = r'(?:RULE\(|FINDING\(\s*c,\s*\w+,)\s*"([a-z0-9-]+)"'
    return {i for text in sources("checks", (".c", ".h")) for i in re.findall(said, text)}


def needed():
    """Ids in the needs of the API model."""
    model = json.loads(read("include", "acl", "api.json"))
    known = set(table())

    def walk(value):
        if isinstance(value, dict):
            for v in value.values():
                yield from walk(v)
        elif isinstance(value, list):
            for v in value:
                yield from walk(v)
        elif isinstance(value, str):
            word = re.match(r"([a-z0-9-]+)\b", value)
            if word and word.group(1) in known:
                yield word.group(1)

    return set(walk(model))


def table():
    return {rule["id"]: rule for text in sources(os.path.join("checks", "rules"), ".json") for rule in json.loads(text)}


def paired(folder=os.path.join("tests", "paired")):
    return {i for text in sources(folder, (".c",))
            for i in re.findall(r'\bPAIR[A-Z_]*\(\s*"([a-z0-9-]+)"', text)}


def live():
    """Rules whose pairs run as programs on the software runtime."""
    return paired(os.path.join("tests", "paired", "live")) | {
        line.split(":")[0] for line in read("tests", "paired", "real", "proven").splitlines() if not line.startswith("#")}


def command(*words):
    return subprocess.run([os.path.join(BUILD, "aclcheck"), "rules", *words], capture_output=True, text=True, check=True).stdout


def wrong_counts(rules):
    """What `aclcheck rules --coverage` says of all, against the table and the pairs."""
    implemented = {i for i, rule in rules.items() if rule["state"] == "implemented"}
    states = [rule["state"] for rule in rules.values()]
    want = [len(rules), len(implemented), len(implemented & paired()), states.count("uncheckable"), states.count("planned"),
            len(implemented & live())]
    said = re.search(r"^all +(.*)$", command("--coverage"), re.M).group(1).split()
    return [] if [int(n) for n in said] == want else [f"said {said}, is {want}"]


def old_document():
    """Lines of checks/RULES.md that `make docs` would change."""
    have, want = read("checks", "RULES.md").splitlines(), command("--markdown").splitlines()
    return set(have) ^ set(want)


def main():
    rules = table()
    implemented = {i for i, rule in rules.items() if rule["state"] == "implemented"}
    tests = [
        ("every rule written in checks/ can be checked", written() & {i for i, r in rules.items() if r["state"] == "uncheckable"}),
        ("every implemented rule is checked somewhere", implemented - written() - needed()),
        ("every implemented rule has a pair", implemented - paired() - WITHOUT_PAIR),
        ("every pair is of an implemented rule", paired() - implemented),
        ("every rule proven live has a pair", live() - paired()),
        ("every uncheckable rule says why", {i for i, r in rules.items() if r["state"] == "uncheckable" and not r.get("reason")}),
        ("every rule has a Chinese title", {i for i, r in rules.items() if not re.search("[\u4e00-\u9fff]", r["title"]["zh"])}),
        ("aclcheck rules --coverage counts right", wrong_counts(rules)),
        ("checks/RULES.md is as make docs prints it", old_document()),
    ]
    return tap([(what, sorted(left)) for what, left in tests])


if __name__ == "__main__":
    sys.exit(main())
