#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: Apache-2.0
"""trace_events.py FILE [EXPRESSION]: holds a file against the rules of Chrome's trace event format, and prints EXPRESSION.

The rules: which members an event of each phase has, and of which type; slices of one thread lie in or behind each other;
arrows and spans have both ends, in order, and an arrow's ends lie in slices; what is drawn has a name. In EXPRESSION, e
is the list of events, of(phase) those of a phase, lane(event) the name of its thread.
"""
import json
import sys

whole = json.load(open(sys.argv[1], encoding='utf-8'))
e = whole['traceEvents']
PHASES = {'X': {'ts', 'dur', 'name', 'cat'}, 'i': {'ts', 'name', 's'}, 's': {'ts', 'id', 'name', 'cat'},
          'f': {'ts', 'id', 'name', 'cat', 'bp'}, 'b': {'ts', 'id', 'name', 'cat'}, 'e': {'ts', 'id', 'name', 'cat'},
          'C': {'ts', 'name', 'args'}, 'M': {'name', 'args'}}
METADATA = {'process_name': ('name', str), 'thread_name': ('name', str), 'process_sort_index': ('sort_index', int),
            'thread_sort_index': ('sort_index', int)}


def of(phase):
    return [x for x in e if x['ph'] == phase]


def need(condition, *what):
    if not condition:
        sys.exit('trace_events: %s' % ' '.join(str(w) for w in what))


def ns(us):
    return round(us * 1000)


names = {(x['pid'], x['tid']): x['args']['name'] for x in of('M') if x['name'] == 'thread_name'}
processes = {x['pid'] for x in of('M') if x['name'] == 'process_name'}


def lane(x):
    return names[x['pid'], x['tid']]


need(whole['displayTimeUnit'] in ('ms', 'ns'), 'displayTimeUnit')
for x in e:
    need(x['ph'] in PHASES and PHASES[x['ph']] <= x.keys(), 'members', x)
    need(isinstance(x['pid'], int) and isinstance(x['tid'], int), 'numbers', x)
    need(all(isinstance(x.get(k, 0), (int, float)) and x.get(k, 0) >= 0 for k in ('ts', 'dur')), 'times', x)
    need(all(isinstance(x.get(k, ''), str) for k in ('name', 'cat')), 'texts', x)
    need(isinstance(x.get('args', {}), dict), 'args', x)
    need(x['pid'] in processes, 'process without a name', x)
    need(x['ph'] in 'CM' or (x['pid'], x['tid']) in names, 'thread without a name', x)
for x in of('i'):
    need(x['s'] in 'gpt', 'scope', x)
for x in of('C'):
    need(x['args'] and all(isinstance(v, (int, float)) for v in x['args'].values()), 'counter', x)
for x in of('M'):
    need(x['name'] in METADATA and isinstance(x['args'][METADATA[x['name']][0]], METADATA[x['name']][1]), 'metadata', x)

slices = {}
for x in of('X'):
    slices.setdefault((x['pid'], x['tid']), []).append((ns(x['ts']), ns(x['ts']) + ns(x['dur']), x['name']))
for where, here in slices.items():
    open_ends = []
    for begin, end, name in sorted(here, key=lambda s: (s[0], -s[1])):
        while open_ends and open_ends[-1] <= begin:
            open_ends.pop()
        need(not open_ends or end <= open_ends[-1], 'slices overlap', where, name, begin)
        open_ends.append(end)
for first, last in ('sf', 'be'):
    ends = {}
    for x in of(first) + of(last):
        ends.setdefault((x['cat'], x['id'], x['name']), []).append(x)
    for key, both in ends.items():
        need([x['ph'] for x in both] == [first, last] and both[0]['ts'] <= both[1]['ts'], 'no pair', key)
for x in of('s') + of('f'):
    need(any(a <= ns(x['ts']) <= b for a, b, _ in slices.get((x['pid'], x['tid']), [])), 'arrow to nothing', x)
if len(sys.argv) > 2:
    print(eval(sys.argv[2]))
