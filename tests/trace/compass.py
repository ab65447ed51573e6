#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs an XML analysis of Trace Compass over the text of a recording.

usage: babeltrace2 --clock-seconds TRACE | compass.py ANALYSIS.xml [stack|segments|states]

Interprets the subset of the language that tracepoints/tracecompass/ uses, as Trace Compass does: state machines
of simple states whose transitions name events with '*' and a test; tests that two values are the same; state changes
with push, pop and popAll; locations; values that are constants, event fields or the top of a stack; segments.  Anything else in the file ends it: what is not
understood is not right.

stack     PID TID DEPTH BEGIN END NAME, one interval a line, of the attribute that the call stack's group names
segments  NAME BEGIN END FIELD=VALUE...
states    PATH TIME VALUE, every change of an attribute that is no stack
"""
import re
import sys
import xml.etree.ElementTree as xml

HEAD = re.compile(r'\[(\d+)\.(\d+)\] \([^)]*\) (?:\S+ )?([\w]+:[\w]+): (.*)$')
FIELD = re.compile(r'(\w+) = (?:"((?:[^"\\]|\\.)*)"|\( (?:"[^"]*",? ?)*: container = -?\d+ \)|\[[^]]*\]|(0x[0-9A-F]+|-?\d+))')


class Event:
    """Fields as Trace Compass names them: those of the stream's context are context._NAME."""

    def __init__(self, line):
        m = HEAD.match(line)
        self.time = int(m[1]) * 10**9 + int(m[2])
        self.name = m[3]
        self.fields = {}
        groups = re.split(r' \}, \{ ', m[4].strip()[2:-2])
        for i, group in enumerate(groups):
            for f in FIELD.finditer(group):
                value = f[2] if f[2] is not None else f[3] and int(f[3], 0)
                self.fields[('context._' if i < len(groups) - 1 else '') + f[1]] = value

    def field(self, name):
        if name in self.fields:
            return self.fields[name]
        if name.lower() == 'timestamp':
            return self.time
        sys.exit('compass: event %s has no field %s' % (self.name, name))


class Analysis:
    def __init__(self, root):
        self.group = None
        pattern = root.find('pattern')
        if pattern is None:
            stack = root.find('callstack')
            self.group = stack.find('callstackGroup')
            pattern = stack.find('pattern')
        self.locations = {e.get('id'): e for e in pattern.findall('location')}
        handler = pattern.find('patternHandler')
        self.tests = {e.get('id'): e.find('if/condition') for e in handler.findall('test')}
        self.actions = {e.get('id'): e for e in handler.findall('action')}
        self.machines = []
        for fsm in handler.findall('fsm'):
            states = {s.get('id'): s.findall('transition') for s in fsm.findall('state')}
            self.machines.append([fsm.get('initial'), states])
        self.stacks, self.done, self.segments, self.changes = {}, [], [], []

    def path(self, attributes, event):
        path = []
        for a in attributes:
            kind = a.get('type')
            if kind == 'constant':
                path.append(a.get('value'))
            elif kind == 'eventField':
                path.append(str(event.field(a.get('value'))))
            elif kind == 'location':
                path += self.path(self.locations[a.get('value')].findall('stateAttribute'), event)
            else:
                sys.exit('compass: attribute of type ' + kind)
        return tuple(path)

    def value(self, e, event):
        if e.get('stack') == 'peek':
            stack = self.stacks.get(self.path(e.findall('stateAttribute'), event))
            return stack[-1][0] if stack else None
        kind = e.get('type')
        if kind == 'long':
            return int(e.get('value'))
        if kind == 'eventField':
            value = event.field(e.get('value'))
            return int(value) if e.get('forcedType') == 'long' else value
        if kind == 'null':
            return None
        return sys.exit('compass: value of type ' + kind)

    def change(self, e, event):
        path = self.path(e.findall('stateAttribute'), event)
        value = e.find('stateValue')
        if value.get('stack') == 'push':
            self.stacks.setdefault(path, []).append((self.value(value, event), event.time))
        elif value.get('stack') in ('pop', 'popAll'):
            stack = self.stacks.get(path, [])
            for _ in range(len(stack) if value.get('stack') == 'popAll' else min(1, len(stack))):
                name, begin = stack.pop()
                self.done.append((path, len(stack), begin, event.time, name))
        else:
            self.changes.append((path, event.time, self.value(value, event)))

    def segment(self, e, event):
        name = self.value(e.find('segType/segName/stateValue'), event)
        begin = self.value(e.find('segTime/begin'), event)
        end = self.value(e.find('segTime/end'), event)
        fields = [(f.get('name'), self.value(f.find('stateValue'), event)) for f in e.findall('segContent/segField')]
        self.segments.append((name, begin, end, fields))

    def holds(self, test, event):
        values = [event.field(f.get('name')) for f in self.tests[test].findall('field')]
        values += [self.value(e, event) for e in self.tests[test].findall('stateValue')]
        if len(values) != 2 or self.tests[test].get('operator', 'eq') != 'eq':
            sys.exit('compass: test ' + test)
        return values[0] == values[1]

    def handle(self, event):
        for machine in self.machines:
            for t in machine[1][machine[0]]:
                if not re.fullmatch(t.get('event').replace('*', '.*'), event.name):
                    continue
                if t.get('cond') and not self.holds(t.get('cond'), event):
                    continue
                for action in t.get('action').split(':'):
                    for e in self.actions[action]:
                        {'stateChange': self.change, 'segment': self.segment}[e.tag](e, event)
                machine[0] = t.get('target')
                break

    def call_stack(self):
        """Attributes that the levels of the group lead to: PID, TID; below each its CallStack."""
        pattern = [p for level in self.group.findall('level') for p in level.get('path').split('/')] + ['CallStack']
        still = [(path, depth, begin, None, name) for path, stack in self.stacks.items()
                 for depth, (name, begin) in enumerate(stack)]
        for path, depth, begin, end, name in self.done + still:
            if len(path) == len(pattern) and all(p in ('*', a) for p, a in zip(pattern, path)):
                stars = [a for p, a in zip(pattern, path) if p == '*']
                yield int(stars[0]), int(stars[1]), depth, begin, end, name


analysis = Analysis(xml.parse(sys.argv[1]).getroot())
for text in sys.stdin:
    if HEAD.match(text):
        analysis.handle(Event(text))
wanted = sys.argv[2]
if wanted == 'stack':
    for row in sorted(analysis.call_stack(), key=lambda c: (c[0], c[1], c[3], c[2])):
        print(*row)
elif wanted == 'segments':
    for segment in analysis.segments:
        print(*segment[:3], *('%s=%s' % f for f in segment[3]))
else:
    for path, time, state in analysis.changes:
        print('/'.join(path), time, state)
