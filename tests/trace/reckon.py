#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: Apache-2.0
"""Reckons a recording from the text of babeltrace2, to hold other readers against it.

usage: babeltrace2 --clock-seconds TRACE | reckon.py calls            JSON: numbers by function
                                           reckon.py intervals        PID TID DEPTH BEGIN END NAME RESULT, one a line
It shares no code with the readers under test: lines in, calls by thread and number, numbers out.
"""
import json
import re
import sys

LINE = re.compile(r'\[(\d+)\.(\d+)\] \([^)]*\) (?:\S+ )?(acl):(\w+)_(entry|exit): .*?vpid = (\d+), vtid = (\d+)')
RESULT = re.compile(r'call_result = (-?\d+)')
NUMBER = re.compile(r'call_number = (\d+)')
OUTERMOST = re.compile(r'call_depth = 0,')


def calls(lines):
    """Yields (pid, tid, depth, begin, end, name, result); begin or end None where it is not there."""
    stacks = {}
    for line in lines:
        m = LINE.match(line)
        if not m:
            continue
        now = int(m[1]) * 10**9 + int(m[2])
        pid, tid, name, number = int(m[6]), int(m[7]), m[4], int(NUMBER.search(line)[1])
        stack = stacks.setdefault((pid, tid), {})
        if m[5] == 'entry':
            if OUTERMOST.search(line):
                for depth, (open_name, begin) in enumerate(stack.values()):
                    yield pid, tid, depth, begin, None, open_name, 0
                stack.clear()
            stack[number] = (name, now)
            continue
        result = int(RESULT.search(line)[1])
        if number not in stack:
            yield pid, tid, 0, None, now, name, result
            continue
        if stack[number][0] != name:
            sys.exit('reckon: %s ends as %s' % (stack[number][0], name))
        _, begin = stack.pop(number)
        inner = [n for n in stack if n > number]
        yield pid, tid, len(stack) - len(inner), begin, now, name, result
        for depth, n in enumerate(inner):
            open_name, begin = stack.pop(n)
            yield pid, tid, len(stack) + 1 + depth, begin, None, open_name, 0
    for (pid, tid), stack in stacks.items():
        for depth, (name, begin) in enumerate(stack.values()):
            yield pid, tid, depth, begin, None, name, 0


def main():
    if sys.argv[1] == 'intervals':
        begun = (c for c in calls(sys.stdin) if c[3] is not None)
        for c in sorted(begun, key=lambda c: (c[0], c[1], c[3], c[2])):
            print(*c)
        return
    functions = {}
    for _, _, _, begin, end, name, result in calls(sys.stdin):
        f = functions.setdefault(name, {'calls': 0, 'errors': 0, 'durations': []})
        f['calls'] += 1
        if end is not None:
            # A repeated aclInit is answered so; it is no failure.
            f['errors'] += result != 0 and (name, result) != ('aclInit', 100002)
            if begin is not None:
                f['durations'].append(end - begin)
    json.dump(functions, sys.stdout)


main()
