#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reckons a recording from the text of babeltrace2, to hold other readers against it.

usage: babeltrace2 --clock-seconds TRACE | reckon.py calls            JSON: numbers by function
                                           reckon.py intervals        PID TID DEPTH BEGIN END NAME RESULT, one a line
It shares no code with the readers under test: lines in, stacks by thread, numbers out.
"""
import json
import re
import sys

LINE = re.compile(r'\[(\d+)\.(\d+)\] \([^)]*\) (?:\S+ )?(acl):(\w+)_(entry|exit): .*?vpid = (\d+), vtid = (\d+)')
RESULT = re.compile(r'call_result = (-?\d+)')


def calls(lines):
    """Yields (pid, tid, depth, begin, end, name, result) as they end; end None for those that do not."""
    stacks = {}
    for line in lines:
        m = LINE.match(line)
        if not m:
            continue
        now = int(m[1]) * 10**9 + int(m[2])
        stack = stacks.setdefault((int(m[6]), int(m[7])), [])
        if m[5] == 'entry':
            stack.append((m[4], now))
            continue
        name, begin = stack.pop()
        if name != m[4]:
            sys.exit('reckon: %s ends within %s' % (m[4], name))
        yield int(m[6]), int(m[7]), len(stack), begin, now, name, int(RESULT.search(line)[1])
    for (pid, tid), stack in stacks.items():
        for depth, (name, begin) in enumerate(stack):
            yield pid, tid, depth, begin, None, name, 0


def main():
    if sys.argv[1] == 'intervals':
        for c in sorted(calls(sys.stdin), key=lambda c: (c[0], c[1], c[3], c[2])):
            print(*c)
        return
    functions = {}
    for _, _, _, begin, end, name, result in calls(sys.stdin):
        f = functions.setdefault(name, {'calls': 0, 'errors': 0, 'durations': []})
        f['calls'] += 1
        if end is not None:
            # A repeated aclInit is answered so; it is no failure.
            f['errors'] += result != 0 and (name, result) != ('aclInit', 100002)
            f['durations'].append(end - begin)
    json.dump(functions, sys.stdout)


main()
