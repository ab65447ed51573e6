#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
The mutation tester on a program of thirty lines, whose survivors are known: it
must find them, and only them, and say so by its exit code.
"""
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.environ.get("ACLCHECK_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
HERE = os.path.join(SOURCE, "tests", "mutate")
TINY = os.path.join(HERE, "tiny")
CC = (os.environ.get("CC") or "cc").split()[0]
COMPILE = f"{CC} -std=gnu11 -O1 -w -fPIC -I{TINY}"
sys.path[:0] = [HERE, os.path.join(SOURCE, "tests")]
from mutants import mutants_of  # noqa: E402
from tap import tap  # noqa: E402

REFUSED = """[tiny_put]
- refused++;
+ ;
why: the test never looks at what was refused
"""
QUEUE = """[tiny_put]
- queue[used] = value;
+ *
why: nothing reads the numbers
"""


def built(place):
    """Object, library and test as the make rules build them."""
    path, made = "tiny.c", os.path.join(place, "obj", "tiny.o")
    os.makedirs(os.path.dirname(made))
    library, test = os.path.join(place, "libchecks.so"), os.path.join(place, "use")
    for command in (f"{COMPILE} -c -o {made} {path}", f"{CC} -shared -Wl,-soname,libchecks.so -o {library} {made}",
                    f"{COMPILE} -o {test} {TINY}/use.c {library}"):
        subprocess.run(command.split(), check=True, cwd=TINY)
    return path, made, test


def mutate(place, equivalent, *more):
    path, made, test = place["built"]
    with open(os.path.join(place["dir"], "equivalent"), "w", encoding="utf-8") as file:
        file.write(equivalent)
    return subprocess.run(
        [sys.executable, os.path.join(HERE, "mutate.py"), "--build", place["dir"], "--compile", COMPILE, "--objects", made, "--tests", test,
         "--equivalent", os.path.join(place["dir"], "equivalent"), *more, path], capture_output=True, text=True, check=False, cwd=TINY)


def kinds():
    """Every kind of change but arithmetic occurs in the program, at the lines meant."""
    with open(os.path.join(TINY, "tiny.c"), encoding="utf-8") as file:
        found = {(m.kind, m.before.strip(), m.after.strip()) for m in mutants_of("tiny.c", file.read())}
    want = {("drop", "used++;", ";"), ("comparison", "if (used >= 4) {", "if (used > 4) {"), ("constant", "if (used >= 4) {", "if (used >= 5) {"),
            ("negate", "if (used >= 4) {", "if (!(used >= 4)) {"), ("truth", "return true;", "return false;"), ("entry", '{"put", 1},', ""),
            ("leave early", "used++;", "return false; used++;"), ("answer", "return found;", "return NULL;")}
    return [f"not found: {w}" for w in sorted(want - found)]


def hints():
    """What a hint to the compiler says, and the length of an array, cannot matter."""
    text = "static int f(void)\n{\n\tint a[3] = {0};\n\n\tif (__builtin_expect(a[1], 0))\n\t\treturn 7;\n\treturn sizeof(a[2]);\n}\n"
    lines = [m.after.strip() for m in mutants_of("f.c", text) if m.kind == "constant"]
    return [] if lines == ["int a[3] = {1};", "if (__builtin_expect(a[2], 0))", "return 8;"] else [str(lines)]


def exchanges():
    """Values of a finding and words filled into its sentence are exchanged where both fit, and the answers of "?:"."""
    text = """static void f(int a)
{
	FINDING(c, call, "id", a, PARTS(part_uint("x", a), part_bytes("y", b(1, 2)), part_object("o", o), part_object("p", p), part_none()),
		"%d%% of %s, %s: %u" " %lu", a, s, a ? t(a, 1) : "", u, v);
	g(a, a ? b ? 1 : 2 : 3);
}
"""
    found = {(m.kind, text[m.start : m.end], m.new) for m in mutants_of("f.c", text) if m.kind in ("choice", "swap")}
    want = {("swap", 'a), part_bytes("y", b(1, 2)', 'b(1, 2)), part_bytes("y", a'), ("swap", 'o), part_object("p", p', 'p), part_object("p", o'),
            ("swap", 's, a ? t(a, 1) : ""', 'a ? t(a, 1) : "", s'), ("choice", 't(a, 1) : ""', '"" : t(a, 1)'),
            ("swap", "u, v", "v, u"), ("choice", "b ? 1 : 2 : 3", "3 : b ? 1 : 2"), ("choice", "1 : 2", "2 : 1")}
    return [f"not found: {w}" for w in sorted(want - found)] + [f"too much: {w}" for w in sorted(found - want)]


def survivors(place):
    done = mutate(place, "")
    names = re.findall(r"^\S*tiny\.c:(\d+): ([a-z/ ]+) in (\w+)$", done.stdout, re.M)
    want = [("12", "drop", "tiny_put"), ("15", "drop", "tiny_put"), ("27", "answer", "tiny_refused")]
    wrong = [] if sorted(names) == want else [f"survived: {names}"]
    if not re.search(r"^  - refused\+\+;\n  \+ ;$", done.stdout, re.M):
        wrong.append("the change is not shown")
    return wrong + ([] if re.search(r" [1-9]\d* killed", done.stdout) else [done.stdout + done.stderr])


def bound(place):
    """Of the thirteen changes of a function two survive, too many; said to be equivalent they do not count."""
    worse, better = mutate(place, "", "--only", "tiny_put"), mutate(place, REFUSED + QUEUE, "--only", "tiny_put")
    return [f"{what}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
            for what, done, code, text in (("two survive", worse, 1, "2 survived, 0 equivalent"), ("equivalent", better, 0, "0 survived, 2 equivalent"))
            if done.returncode != code or text not in done.stdout]


def resumed(place):
    """What was found out is not found out again, unless a source or a test changes."""
    before = len(open(os.path.join(place["dir"], "outcomes"), encoding="utf-8").readlines())
    first = mutate(place, "")
    between = len(open(os.path.join(place["dir"], "outcomes"), encoding="utf-8").readlines())
    with open(place["built"][2], "ab") as file:
        file.write(b"\0")
    mutate(place, "", "--number", "3")
    after = len(open(os.path.join(place["dir"], "outcomes"), encoding="utf-8").readlines())
    return [] if (before, between, after) == (before, before, before + 3) else [f"{before}, {between}, {after}: {first.stderr}"]


def same_sample(place):
    """A seed stands for a sample; another one for another."""
    one, again, other = (mutate(place, "", "--number", "6", "--seed", s).stdout for s in ("5", "5", "6"))
    return [] if one == again and one != other else ["the sample does not follow the seed"]


def failing_before(place):
    """A test that fails anyway proves nothing."""
    path, made, _ = place["built"]
    done = mutate({"dir": place["dir"], "built": (path, made, "/bin/false")}, "", "--number", "2")
    return [] if done.returncode == 1 and "fails without any change" in done.stderr else [f"{done.returncode}: {done.stderr}"]


# The first run measures; the next one, the first with a change, takes forever, and so does each when "always" is there.
SLOW = """#!/bin/sh
echo >>{dir}/runs
runs=$(wc -l <{dir}/runs)
[ "$runs" -lt 2 ] || {{ [ "$runs" -gt 2 ] && [ ! -e {dir}/always ]; }} || exec sleep 600
exec {use}
"""


def slow_once(place):
    """A change whose tests took too long once is tried again; only one that takes too long again counts as noticed."""
    path, made, use = place["built"]
    test = os.path.join(place["dir"], "slow")
    with open(test, "w", encoding="utf-8") as file:
        file.write(SLOW.format(dir=place["dir"], use=use))
    os.chmod(test, 0o755)
    wrong = []
    for always, want in ((False, "1 killed (0 of them by the time limit), 0 survived"), (True, "1 killed (1 of them by the time limit), 0 survived")):
        for name in ("runs", "outcomes", "reach"):
            if os.path.exists(os.path.join(place["dir"], name)):
                os.remove(os.path.join(place["dir"], name))
        if always:
            open(os.path.join(place["dir"], "always"), "w", encoding="utf-8").close()
        done = mutate({"dir": place["dir"], "built": (path, made, test)}, "", "--only", "tiny_used", "--limit", "0.5")
        wrong += [] if want in done.stdout else [done.stdout + done.stderr]
    return wrong


def measured_once(place):
    """A test that was measured is run for the changes alone, until it is another one."""
    path, made, use = place["built"]
    test, runs = os.path.join(place["dir"], "counted"), os.path.join(place["dir"], "counts")
    counts = []
    for n, text in ((1, "first"), (2, "first"), (3, "other")):
        with open(test, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n# {text}\necho >>{runs}\nexec {use}\n")
        os.chmod(test, 0o755)
        mutate({"dir": place["dir"], "built": (path, made, test)}, "", "--only", "tiny_put", "--kind", "truth,negate", "--number", str(n))
        with open(runs, encoding="utf-8") as file:
            counts.append(len(file.readlines()))
    # One run measures; then one for a change, for one more, and anew for both and another one.
    return [] if counts == [2, 3, 7] else [str(counts)]


def measured_in_part(place):
    """What was measured is kept as a whole; of a file that ends in the middle nothing is known."""
    path = os.path.join(place["dir"], "reach")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text[: len(text) // 2])
    done = mutate(place, "", "--number", "1", "--seed", "part")
    with open(path, encoding="utf-8") as file:
        return [] if done.returncode in (0, 1) and "killed" in done.stdout and file.read().endswith("}") else [done.stderr]


def recorded_once(place):
    """What notes the functions that run is compiled again for the sources that changed only."""
    _, made, _ = place["built"]
    def kept():
        return [f"{name} {os.stat(os.path.join(os.path.dirname(made), name)).st_mtime_ns}" for name in os.listdir(os.path.dirname(made)) if name.endswith(".reach")]
    before = kept()
    os.remove(os.path.join(place["dir"], "reach"))
    mutate(place, "", "--number", "1", "--seed", "again")
    again = kept()
    with open(made, "ab") as file:
        file.write(b"\0")
    mutate(place, "", "--number", "1")
    return [] if len(before) == 1 and again == before and len(kept()) == 1 and kept() != before else [str((before, again, kept()))]


def stale(place):
    done = mutate(place, REFUSED.replace("refused", "rejected"))
    return [] if "matches nothing" in done.stdout and "rejected++;" in done.stdout else [done.stdout]


def main():
    with tempfile.TemporaryDirectory() as directory:
        place = {"dir": directory, "built": built(directory)}
        tests = [("each kind of change is found", kinds()), ("hints and lengths are left alone", hints()),
                 ("values, words and answers change places", exchanges()),
                 ("the survivors are those known", survivors(place)), ("the exit code follows the bound", bound(place)),
                 ("a run goes on where it stopped", resumed(place)), ("the seed decides the sample", same_sample(place)),
                 ("what took too long is tried once more", slow_once(place)),
                 ("a test is measured once", measured_once(place)),
                 ("measurements that were cut off are made anew", measured_in_part(place)),
                 ("a source is compiled for it once", recorded_once(place)),
                 ("tests that fail without a change stop the run", failing_before(place)), ("an entry that matches nothing is named", stale(place))]
    return tap(tests)


if __name__ == "__main__":
    sys.exit(main())
