#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Each function that a rule names ("apis" in the rule table) is bound to the rule: it was
evaluated in a call of the function by some paired test, stands beside it in the API model, or
a module listens to the function that speaks of the rule, or keeps for it what has to be known
elsewhere. Rules that may be evaluated at the end of the process: or any module does.
What a rule names and is not bound to stands under "elsewhere" in its entry, with the reason;
so do functions that the documents name for the mistake and that are not the rule's ("*" at
the end: all that begin so). What of a rule's condition is not checked is a sentence of
"leaves_out", with the reason.
"""
import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict

SOURCE = os.environ.get("ACLCHECK_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
STATE_OF_ALL = 100  # functions: a module that listens to more says nothing about one rule
BUILD = os.environ.get("ACLCHECK_BUILD") or os.path.join(SOURCE, "build")
sys.path.insert(0, os.path.join(SOURCE, "tests"))
from tap import tap  # noqa: E402


def files(folder, endings):
    for place, _, names in os.walk(os.path.join(SOURCE, folder)):
        for name in sorted(names):
            if name.endswith(endings):
                path = os.path.join(place, name)
                with open(path, encoding="utf-8") as file:
                    yield os.path.relpath(path, SOURCE), file.read()


def table():
    return {rule["id"]: rule for _, text in files("checks/rules", ".json") for rule in json.loads(text)}


def modules():
    """Files of the modules in the order of their numbers."""
    with open(os.path.join(BUILD, "gen", "check_modules.c"), encoding="utf-8") as file:
        return re.findall(r"^extern const struct check_module module_\w+; /\* (\S+) \*/", file.read(), re.M)


def evaluated():
    """Rule -> functions, file of a module -> functions."""
    of_rule, of_module, numbers = defaultdict(set), defaultdict(set), modules()
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as said:
        for test in sys.argv[1:] or programs():
            subprocess.run([test], env=dict(os.environ, FIXTURE_EVALUATED=said.name), stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=False)
        for line in said:
            name, function = line.split()
            if name.startswith("@"):
                of_module[numbers[int(name[1:])]].add(function)
            else:
                of_rule[name].add(function)
    return of_rule, of_module


def programs():
    """The paired tests."""
    for path, text in files("tests/paired", ".c"):
        program = os.path.join(BUILD, os.path.splitext(path)[0])
        if "\nPAIRS_MAIN(" in text and os.access(program, os.X_OK):
            yield program


def speakers():
    """Rule -> files of checks/ that name it, and the rules that may be evaluated at the end of the process."""
    named, at_end = defaultdict(set), set()
    for path, text in files("checks", (".c", ".h")):
        for rule in re.findall(r'"([a-z0-9]+(?:-[a-z0-9]+)+)"', text):
            named[rule].add(path)
            if re.search(r"^\s*\.finish(_rest)? = ", text, re.M):
                at_end.add(rule)
    return named, at_end


def listening(path, sources, of_module):
    """What the module of a file listens to, and the modules of the state that it reads, or of the rules that it helps."""
    functions = set(of_module.get(path, ()))
    for header in re.findall(r'^#include "(checks/state/\S+)\.h"', sources[path], re.M):
        kept = of_module.get(header + ".c", set())
        functions |= kept if len(kept) < STATE_OF_ALL else set()
    if path not in of_module:
        header = f'#include "{os.path.splitext(path)[0]}.h"'
        functions |= set().union(*(of_module[other] for other in of_module if header in sources[other]))
    return functions


def main():
    of_rule, of_module = evaluated()
    named, at_end = speakers()
    any_module, sources = set().union(*of_module.values()), dict(files("checks", (".c", ".h")))
    heard = {path: listening(path, sources, of_module) for path in sources}
    unbound, stale, unknown, vague, listed = [], [], [], [], 0
    with open(os.path.join(SOURCE, "include", "acl", "api.json"), encoding="utf-8") as file:
        functions = {f["name"] for f in json.load(file)["functions"]}
    for rule, entry in sorted(table().items()):
        if entry["state"] != "implemented":
            continue
        bound = set(of_rule[rule]).union(*(heard[path] for path in named[rule]))
        if rule in at_end:
            bound |= any_module
        apis = {f for f in entry["apis"] if not f.endswith("*")}
        elsewhere = entry.get("elsewhere", {})
        listed += len(apis)
        vague += [rule] if ":" not in entry.get("leaves_out", ":") else []
        said = {pattern: set(fnmatch.filter(functions, pattern)) for pattern in elsewhere}
        unbound += [f"{rule}: {f}" for f in sorted((apis - bound).difference(*said.values()))]
        stale += [f"{rule}: {pattern}" for pattern, of in said.items() if of and of <= of_rule[rule]]
        unknown += [f"{rule}: {pattern}" for pattern, of in said.items() if not elsewhere[pattern].strip() or not of]
    tests = [
        ("the test programs were found, and say what they evaluate", [] if listed > 1000 and len(of_rule) > 300 else [len(of_rule)]),
        ("each function that a rule names is bound to it, or the rule says why not", unbound),
        ("no function stands under \"elsewhere\" of a rule that is evaluated in it", stale),
        ("each entry of \"elsewhere\" is a function, with a reason", unknown),
        ("what \"leaves_out\" names is followed by a colon and the reason", vague),
    ]
    return tap(tests)


if __name__ == "__main__":
    sys.exit(main())
