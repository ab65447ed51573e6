#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: Apache-2.0
"""compare.py SUMMARY.json RECKONED.json: says every number in which the two differ."""
import json
import math
import sys

whole = json.load(open(sys.argv[1]))
summary = {f['function']: f for f in whole['functions']}
so_far = [(u['function'], u['so_far']) for p in whole['processes'] for u in p['unfinished'] if whole['complete']]
reckoned = json.load(open(sys.argv[2]))
wrong = 0


def same(what, a, b):
    global wrong
    if a != b:
        print('%s: %s, reckoned %s' % (what, a, b))
        wrong += 1


same('functions', sorted(summary), sorted(reckoned))
for name, r in reckoned.items():
    s = summary.get(name, {})
    d = sorted(r['durations'])
    same(name + ' calls', s.get('calls'), r['calls'])
    same(name + ' timed', s.get('timed'), len(d))
    same(name + ' errors', s.get('errors'), r['errors'])
    d = sorted(d + [ns for function, ns in so_far if function == name])
    if not d:
        continue
    same(name + ' total', s['total'], sum(d))
    same(name + ' mean', s['mean'], sum(d) // len(d))
    same(name + ' min', s['min'], d[0])
    same(name + ' max', s['max'], d[-1])
    for p in (50, 95, 99):
        exact = d[max(1, math.floor(len(d) * p / 100 + 0.5)) - 1]
        if not exact <= s['p%d' % p] <= exact * (1 + 1 / 32) + 1:
            same('%s p%d' % (name, p), s['p%d' % p], exact)
sys.exit(wrong != 0)
