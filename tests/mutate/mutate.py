#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Changes one place of checks/ at a time and runs the quick tests: those that no
test notices have survived. See README.md beside this file.

	mutate.py --build DIR --compile "cc …" [--number N] [--seed S] [--jobs J] [--only WORD] [--again] [SOURCE…]
"""
import argparse
import concurrent.futures
import glob
import hashlib
import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from mutants import mutants_of, squeeze  # noqa: E402

BOUND = 90  # percent of those that are not equivalent
ADDRESS_SPACE = 32 << 30  # a mutant that allocates without end stops here
SHARED = ["-shared", "-Wl,-Bsymbolic", "-Wl,-soname,libchecks.so"]
PATIENCE = 2  # times the usual limit, when what ran into it is tried again alone


# --- equivalent ones -------------------------------------------------------------


class Equivalent:
    """
    Entries of "-" line, "+" line and "why:", each with the function in [brackets].
    "+ *" stands for every change of that line.
    """

    def __init__(self, path):
        self.entries = {}
        function, before, after = "", "", ""
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                line = line.rstrip("\n")
                if line.startswith("["):
                    function, before, after = line[1 : line.index("]")], "", ""
                elif line.startswith("- "):
                    before, after = squeeze(f"{before} {line[2:]}"), ""
                elif line.startswith("+ "):
                    after = squeeze(f"{after} {line[2:]}")
                elif line.startswith("why: "):
                    if not before or not after or not line[5:].strip():
                        sys.exit(f"{path}:{number}: an entry is [function], - line, + line, why: reason")
                    self.entries[(function, before, after)] = line[5:]
                    before = after = ""

    def reason(self, mutant):
        function, before, after = mutant.key()
        for key in ((function, before, after), (function, before, "*")):
            if key in self.entries:
                return self.entries[key]
        return None

    def stale(self, mutants):
        """Entries of changes that no source has any more."""
        exact = {m.key() for m in mutants}
        lines = {key[:2] for key in exact}
        return [e for e in self.entries if e not in exact and not (e[2] == "*" and e[:2] in lines)]


# --- one mutant ------------------------------------------------------------------


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Known:
    """How long each test takes and which functions it runs: looked at again when it or the checker has changed."""

    def __init__(self, path, objects, tests):
        self.path, self.tests = path, tests
        self.digests = {test: digest_of([*objects, test]) for test in tests}
        self.seconds, self.reach = {}, {}
        for test, entry in self.kept().items():
            if entry["digest"] == self.digests.get(test):
                self.seconds[test], self.reach[test] = entry["seconds"], set(entry["functions"])

    def kept(self):
        try:
            with open(self.path, encoding="utf-8") as file:
                return json.load(file)
        except (FileNotFoundError, ValueError):
            return {}

    def missing(self):
        return [test for test in self.tests if test not in self.reach]

    def keep(self):
        # As a whole: a run that ends in between has lost no measurement.
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            json.dump({test: {"digest": self.digests[test], "seconds": self.seconds[test], "functions": sorted(self.reach[test])}
                       for test in self.reach}, file)
        os.replace(self.path + ".new", self.path)


class Bench:
    """The library of checks/ with one object exchanged, and the tests that load it."""

    def __init__(self, options):
        self.build, self.compile = options.build, shlex.split(options.compile)
        self.link = shlex.split(options.compile)[0]
        self.tests = sorted(options.tests)
        self.objects, self.limit, self.jobs = options.objects, options.limit, options.jobs
        self.known = Known(os.path.join(options.build, "reach"), self.objects, self.tests)
        self.seconds, self.reach = self.known.seconds, self.known.reach
        self.kills, self.kills_of = Counter(), {}
        self.lock = threading.Lock()

    def object_of(self, path):
        name = os.path.join(self.build, "obj", os.path.splitext(path)[0] + ".o")
        if name not in self.objects:
            sys.exit(f"mutate: {name} is none of the objects")
        return name

    def library(self, place, instead=None, new=None):
        objects = [new if o == instead else o for o in self.objects]
        done = subprocess.run([self.link, *SHARED, "-o", os.path.join(place, "libchecks.so"), *objects], capture_output=True, check=False)
        return not done.returncode

    def outcome(self, test, place, limit, **more):
        """How the test ends with the library in place: "passed", "failed", "timed out"."""
        environment = dict(os.environ, LD_LIBRARY_PATH=place, **more)
        try:
            done = subprocess.run([test], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, timeout=limit, check=False, preexec_fn=limits)
        except subprocess.TimeoutExpired:
            return "timed out"
        return "failed" if done.returncode else "passed"

    def compiled(self, source, out, *more):
        done = subprocess.run([*self.compile, *more, "-I" + (os.path.dirname(source) or "."), "-w", "-c", "-o", out, source], capture_output=True, check=False)
        return not done.returncode

    def recorded(self, path):
        """The object of a source that notes its calls. It is kept as long as the usual one is the same."""
        usual = self.object_of(path)
        made = f"{os.path.splitext(usual)[0]}.{digest_of([usual])[:16]}.reach"
        if os.path.exists(made):
            return made
        for former in glob.glob(glob.escape(os.path.splitext(usual)[0]) + ".*.reach"):
            os.remove(former)
        return made if self.compiled(path, made, "-finstrument-functions") else None

    def recording(self, place, sources):
        """A library that notes which of its functions are called; their names by address."""
        recorder, library = os.path.join(place, "reach.o"), os.path.join(place, "libchecks.so")
        if not self.compiled(os.path.join(os.path.dirname(os.path.realpath(__file__)), "reach.c"), recorder):
            sys.exit("mutate: reach.c cannot be compiled")
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            instead = dict(zip(map(self.object_of, sources), pool.map(self.recorded, sources)))
        if not all(instead.values()):
            sys.exit("mutate: a source cannot be compiled")
        subprocess.run([self.link, *SHARED, "-o", library, *(instead.get(o, o) for o in self.objects), recorder], check=True)
        symbols = subprocess.run(["nm", library], capture_output=True, text=True, check=True).stdout
        return {int(line.split()[0], 16): line.split()[2].split(".")[0] for line in symbols.splitlines() if len(line.split()) == 3}

    def measure_one(self, test, place, names):
        note, start = os.path.join(place, f"reach.{self.tests.index(test)}"), time.monotonic()
        if self.outcome(test, place, 600, MUTATE_REACH=note) != "passed":
            sys.exit(f"mutate: {test} fails without any change")
        seconds = time.monotonic() - start
        with open(note, encoding="utf-8") as file:
            functions = {names[int(line, 16)] for line in file if int(line, 16) in names}
        with self.lock:
            self.seconds[test], self.reach[test] = seconds, functions
            self.known.keep()

    def measure(self, place, sources):
        """All tests must pass before anything is changed; how long they take, and which functions they run: a change of others is none of
        their business."""
        missing = self.known.missing()
        names = self.recording(place, sources) if missing else {}
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for _ in pool.map(lambda test: self.measure_one(test, place, names), missing):
                pass

    def order(self, mutant):
        """Those that run the function; first those that noticed changes of this file before, then the quick ones."""
        with self.lock:
            mine, every = dict(self.kills_of.get(mutant.path, {})), dict(self.kills)
        tests = [t for t in self.tests if not mutant.function or mutant.function in self.reach[t]]
        return sorted(tests, key=lambda t: (-mine.get(t, 0) / (0.02 + self.seconds[t]), -every.get(t, 0) / (0.02 + self.seconds[t]),
                                                 self.seconds[t]))

    def judge(self, mutant, place, patience=1):
        """(outcome, test that noticed it)"""
        source, made = os.path.join(place, "mutant.c"), os.path.join(place, "mutant.o")
        with open(mutant.path, encoding="utf-8") as file:
            text = file.read()
        with open(source, "w", encoding="utf-8") as file:
            file.write(mutant.apply(text))
        if not self.compiled(source, made, "-I" + (os.path.dirname(mutant.path) or ".")) or not self.library(place, self.object_of(mutant.path), made):
            return "not compiled", ""
        for test in self.order(mutant):
            outcome = self.outcome(test, place, patience * (self.limit + 5 * self.seconds[test]))
            if outcome == "failed":
                with self.lock:
                    self.kills[test] += 1
                    self.kills_of.setdefault(mutant.path, Counter())[test] += 1
            if outcome != "passed":
                return "killed" if outcome == "failed" else outcome, os.path.basename(test)
        return "survived", ""


# --- a run -----------------------------------------------------------------------


def digest_of(paths):
    total = hashlib.sha256()
    for path in sorted(paths):
        with open(path, "rb") as file:
            total.update(path.encode() + b"\0" + hashlib.sha256(file.read()).digest())
    return total.hexdigest()


def sample(mutants, seed, number):
    """The same ones as long as their lines stay the same, wherever these move; a larger number adds to them."""
    seen, ranked = Counter(), []
    for m in mutants:
        key = "\0".join(m.key())
        seen[key] += 1
        ranked.append((hashlib.sha256(f"{seed}\0{key}\0{seen[key]}".encode()).hexdigest(), m))
    ranked.sort(key=lambda pair: pair[0])
    return ranked[:number]


class Record:
    """What was found out before an interruption; worth nothing once a source or a test has changed."""

    def __init__(self, path, digest):
        self.path, self.digest, self.done, self.before = path, digest, {}, {}
        self.lock = threading.Lock()
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    entry = json.loads(line)
                    self.before[entry["id"]] = entry["outcome"]
                    if entry["digest"] == digest:
                        self.done[entry["id"]] = (entry["outcome"], entry["test"])

    def add(self, identity, outcome, test):
        with self.lock, open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"digest": self.digest, "id": identity, "outcome": outcome, "test": test}) + "\n")


def show(mutant):
    print(f"{mutant.path}:{mutant.line}: {mutant.kind}" + (f" in {mutant.function}" if mutant.function else ""))
    for sign, lines in (("-", mutant.before), ("+", mutant.after)):
        for line in lines.split("\n"):
            print(f"  {sign} {line.strip()}")


def run(bench, chosen, record, options):
    outcomes = {identity: record.done[identity] for identity, _ in chosen if identity in record.done}
    todo = [(identity, m) for identity, m in chosen if identity not in outcomes]
    places = [tempfile.mkdtemp(dir=options.build, prefix="mutant.") for _ in range(options.jobs)]
    free = list(places)

    def one(item):
        identity, mutant = item
        with bench.lock:
            place = free.pop()
        try:
            outcome, test = bench.judge(mutant, place)
        finally:
            with bench.lock:
                free.append(place)
        if outcome != "timed out":
            record.add(identity, outcome, test)
        return identity, outcome, test

    try:
        if todo:
            bench.measure(places[0], options.sources)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for count, (identity, outcome, test) in enumerate(pool.map(one, todo), 1):
                outcomes[identity] = (outcome, test)
                if options.progress and (count % 10 == 0 or count == len(todo)):
                    print(f"{count} of {len(todo)}: {Counter(o for o, _ in outcomes.values())}", file=sys.stderr, flush=True)
        for identity, mutant in todo:
            # Too slow beside another test, on a busy machine: that alone is no proof.
            if outcomes[identity][0] == "timed out":
                outcomes[identity] = bench.judge(mutant, places[0], PATIENCE)
                record.add(identity, *outcomes[identity])
    finally:
        for place in places:
            subprocess.run(["rm", "-rf", place], check=False)
    return outcomes


def report(chosen, outcomes, equivalent, mutants, options):
    counts, survivors = Counter(), []
    for identity, mutant in chosen:
        outcome = outcomes[identity][0]
        if outcome == "survived":
            if equivalent.reason(mutant):
                outcome = "equivalent"
            else:
                survivors.append(mutant)
        counts[outcome] += 1
    for mutant in survivors:
        show(mutant)
    for function, before, after in equivalent.stale(mutants):
        print(f"an entry of {os.path.basename(options.equivalent)} matches nothing: [{function}]\n  - {before}\n  + {after}")
    killed = counts["killed"] + counts["timed out"]
    worth = killed + counts["survived"]
    rate = 100 * killed / worth if worth else 0
    print(f"seed {options.seed}, {len(chosen)} mutants: {killed} killed ({counts['timed out']} of them by the time limit), "
          f"{counts['survived']} survived, {counts['equivalent']} equivalent, {counts['not compiled']} did not compile")
    print(f"killed {rate:.1f} % of those that are not equivalent; the bound is {BOUND} %")
    return 0 if rate >= BOUND else 1


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, help="build directory of the objects")
    parser.add_argument("--compile", required=True, help="compiler and flags of an object")
    parser.add_argument("--objects", required=True, type=shlex.split, help="all objects of the library")
    parser.add_argument("--tests", required=True, type=shlex.split, help="programs linked with it")
    parser.add_argument("--equivalent", default=os.path.join(os.path.dirname(os.path.realpath(__file__)), "equivalent"))
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="mutants of paths or functions that hold this word")
    parser.add_argument("--kind", type=lambda kinds: kinds.split(","), help="changes of these kinds (README.md), a comma between")
    parser.add_argument("--limit", type=float, default=5, help="seconds that a test may take beside five times its usual time")
    parser.add_argument("--again", action="store_true", help="only those that survived last time")
    parser.add_argument("--progress", action="store_true")
    parser.add_argument("sources", nargs="+")
    return parser.parse_args()


def main():
    options = arguments()
    mutants = []
    for path in sorted(options.sources):
        with open(path, encoding="utf-8") as file:
            mutants += mutants_of(path, file.read())
    wanted = [m for m in mutants if (options.only in m.path or options.only == m.function) and (not options.kind or m.kind in options.kind)]
    chosen = sample(wanted, options.seed, options.number)
    record = Record(os.path.join(options.build, "outcomes"), digest_of([*options.objects, *options.tests]))
    if options.again:
        chosen = [(identity, m) for identity, m in chosen if record.before.get(identity) == "survived"]
    outcomes = run(Bench(options), chosen, record, options)
    return report(chosen, outcomes, Equivalent(options.equivalent), mutants, options)


if __name__ == "__main__":
    sys.exit(main())
