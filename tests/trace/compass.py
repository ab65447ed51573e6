#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: Apache-2.0
"""Runs an XML analysis of Trace Compass over the text of a recording.

usage: babeltrace2 --clock-seconds TRACE | compass.py ANALYSIS.xml [stack|segments|states|rows [VIEW]]

Interprets the subset of the language that tracepoints/tracecompass/ uses, as Trace Compass does
(org.eclipse.tracecompass.tmf.analysis.xml.core): state machines of simple states with any number of scenarios,
transitions that name events with '*' and '|', tests, state changes and segments.  Anything else in the file ends it:
what is not understood is not right.  As there, the state machines see an event in no defined order: the analysis runs
twice, the other way round as well, and ends when the results differ.

stack     PID TID DEPTH BEGIN END NAME, one interval a line, of the attribute that the call stack's group names; PID is what
          the name of the process begins with
segments  NAME BEGIN END FIELD=VALUE...
states    PATH TIME VALUE, every change of an attribute that is no stack
rows      NAME > NAME ...: STATE BEGIN END, what a view shows: the lines of its entries; without VIEW of the only one
"""
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

HEAD = re.compile(r'\[(\d+)\.(\d+)\] \([^)]*\) (?:\S+ )?(Lost event|[\w]+:[\w]+): (.*)$')
FIELD = re.compile(r'(\w+) = (?:"((?:[^"\\]|\\.)*)"|\( (<unknown>|(?:"[^"]*",? ?)*): container = -?\d+ \)|'
                   r'(\[(?: \[\d+\] = [^,\]]+,?)* ?\])|(0x[0-9A-F]+|-?\d+))')


def end(why, *what):
    sys.exit('compass: ' + why % what)


class Integer(int):
    """Java's Integer; a plain int is a Long."""


class Label(str):
    """Of an enumeration: Trace Compass compares it and makes names of it, and cannot keep it as a value."""


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
                self.fields[('context._' if i < len(groups) - 1 else '') + f[1]] = self.value(f)

    @staticmethod
    def value(f):
        if f[2] is not None:
            return f[2]
        if f[3] is not None:
            return Label(f[3].split('"')[1] if '"' in f[3] else '')
        return f[4] or int(f[5], 0)

    def field(self, name):
        if name not in self.fields and name.lower() == 'timestamp':
            return self.time
        return self.fields.get(name)


def force(value, kind):
    """forcedType: what is neither text nor a number becomes nothing."""
    if value is None or isinstance(value, Label):
        return None
    return {'long': int, 'int': Integer, 'string': str, 'double': float}[kind](value)


SCRIPTS = {}


def script(text, values):
    """JavaScript, as Rhino runs it: the sum of two texts is none of Java's strings there, and so no value."""
    literal = '; '.join('var %s = %s' % (k, 'null' if v is None else '"%s"' % v if isinstance(v, str) else v)
                        for k, v in sorted(values.items()))
    if (text, literal) not in SCRIPTS:
        out = subprocess.run(['duk', '-e', literal + '; var r = ' + text + '; print(typeof r, r)'], check=True,
                             capture_output=True, text=True).stdout.rstrip('\n')
        kind, result = out.split(' ', 1)
        if kind == 'string' and '+' in re.sub(r"'[^']*'", '', text):
            end('script that adds texts: %s', text)
        SCRIPTS[text, literal] = result if kind == 'string' else float(result)
    return SCRIPTS[text, literal]


def by_id(parent, tag):
    seen = set()
    for e in parent.findall(tag):
        if e.get('id') in seen:
            end('two of %s %s', tag, e.get('id'))
        seen.add(e.get('id'))
        yield e.get('id'), e


class Scenario:
    def __init__(self, path, state):
        self.path, self.state, self.pending, self.over = path, state, True, False


class Machine:
    def __init__(self, e):
        self.id = e.get('id')
        self.multiple = e.get('multiple', 'true') == 'true'
        if self.multiple and e.get('consuming', 'true') != 'false':
            end('%s: scenarios that consume events', self.id)
        self.initial = e.get('initial')
        self.states = {s.get('id'): [self.transition(t) for t in s.findall('transition')] for s in e.findall('state')}
        self.states.update((s.get('id'), []) for s in e.findall('final'))
        self.active, self.waiting, self.free, self.made = [], None, [], 0

    @staticmethod
    def transition(t):
        events = [re.compile(n.replace('*', '.*')) for n in t.get('event', '*').split('|')]
        names = t.get('cond').split(':') if t.get('cond') else []
        return events, names, t.get('target'), t.get('action').split(':') if t.get('action') else []

    def place(self):
        """Attributes of scenarios that are over are used again, the longest unused first."""
        if self.free:
            return self.free.pop(0)
        self.made += 1
        return 'scenarios', self.id, str(self.made - 1)


class Analysis:
    def __init__(self, root, reverse):
        self.group = None
        pattern = root.find('pattern')
        if pattern is None:
            stack = root.find('callstack')
            self.group = stack.find('callstackGroup')
            pattern = stack.find('pattern')
        self.root = root
        self.defined = {'$' + d.get('name'): d.get('value') for d in pattern.findall('definedValue')}
        self.locations = {i: e.findall('stateAttribute') for i, e in by_id(pattern, 'location')}
        self.groups = {i: [e.findall('stateValue') for e in g.findall('entry')]
                       for i, g in by_id(pattern, 'mappingGroup')}
        handler = pattern.find('patternHandler')
        self.tests = {i: e.find('if')[0] for i, e in by_id(handler, 'test')}
        self.actions = dict(by_id(handler, 'action'))
        self.machines = [Machine(m) for m in handler.findall('fsm')]
        if reverse:
            self.machines.reverse()
        self.stacks, self.done, self.segments, self.changes = {}, [], [], []
        self.now, self.types, self.order = {}, {}, {}
        self.last = 0

    # --- attributes and values

    def path(self, attributes, event, scenario):
        """None: a part of it has no value."""
        path = ()
        for a in attributes:
            kind, value = a.get('type'), a.get('value')
            if kind == 'location':
                inner = self.path(self.locations[value], event, scenario)
                if inner is None:
                    return None
                path += inner
                continue
            if kind == 'constant' and value == '#CurrentScenario':
                path = scenario.path
                continue
            if kind == 'constant':
                part = value
            elif kind == 'eventField':
                part = event.field(value)
            elif kind == 'query':
                part = self.query(a.findall('stateAttribute'), event, scenario)
            else:
                end('attribute of type %s', kind)
            if part is None:
                return None
            path += (str(part),)
        return path

    def query(self, attributes, event, scenario):
        path = self.path(attributes, event, scenario)
        return None if path is None else self.now.get(path)

    def constant(self, e):
        text = e.get('value')
        return self.defined[text] if text.startswith('$') else text

    def resolve(self, e, event, scenario):
        kind = e.get('type')
        if e.get('stack') == 'peek':
            stack = self.stacks.get(self.path(e.findall('stateAttribute'), event, scenario))
            return stack[-1][0] if stack else None
        if kind == 'long':
            return int(self.constant(e))
        if kind == 'int':
            return Integer(self.constant(e))
        if kind == 'string':
            return self.constant(e)
        if kind == 'null':
            return None
        if kind == 'eventField':
            return event.field(e.get('value'))
        if kind == 'eventName':
            return event.name
        if kind == 'query':
            return self.query(e.findall('stateAttribute'), event, scenario)
        if kind == 'script':
            return script(e.get('value'), {v.get('id'): self.resolve(v, event, scenario)
                                           for v in e.findall('stateValue')})
        return end('value of type %s', kind)

    def value(self, e, event, scenario):
        value = self.resolve(e, event, scenario)
        if e.get('mappingGroup'):
            value = next((self.value(to, event, scenario) for key, to in self.groups[e.get('mappingGroup')]
                          if self.value(key, event, scenario) == value and not isinstance(value, Label)), None)
        return force(value, e.get('forcedType')) if e.get('forcedType') else value

    # --- tests

    def compare(self, e, event, scenario):
        values = []
        if e.find('stateAttribute') is not None:
            values.append(self.query(e.findall('stateAttribute'), event, scenario))
        values += [event.field(f.get('name')) for f in e.findall('field')]
        values += [self.value(v, event, scenario) for v in e.findall('stateValue')]
        one, two = values
        if not (isinstance(one, int) and isinstance(two, (int, float))):
            one, two = ('null' if v is None else str(v) for v in (one, two))
        return {'eq': one == two, 'ne': one != two, 'lt': one < two, 'le': one <= two, 'gt': one > two,
                'ge': one >= two}[e.get('operator', 'eq')]

    def holds(self, e, event, scenario):
        if e.tag == 'condition':
            return self.compare(e, event, scenario)
        inner = (self.holds(i, event, scenario) for i in e)
        return {'and': all, 'or': any, 'not': lambda i: not all(i), 'if': all}[e.tag](inner)

    # --- actions

    def assign(self, path, value, event):
        if isinstance(value, (Label, list)):
            end('%s: a value that Trace Compass cannot keep', '/'.join(path))
        if value is not None and self.types.setdefault(path, type(value)) != type(value):
            end('%s: a %s where a %s was', '/'.join(path), type(value), self.types[path])
        if self.now.get(path) == value and path in self.now:
            return
        self.order.setdefault(path, len(self.order))
        self.now[path] = value
        self.changes.append((path, event.time, value))

    def change(self, e, event, scenario):
        test = e.find('if')
        if test is not None:
            branch = e.find('then' if self.holds(test, event, scenario) else 'else')
            if branch is not None:
                self.change(branch, event, scenario)
            return
        path = self.path(e.findall('stateAttribute'), event, scenario)
        to = e.find('stateValue')
        if path is None:
            return
        value = self.value(to, event, scenario)
        if to.get('stack') == 'push':
            self.stacks.setdefault(path, []).append((value, event.time))
        elif to.get('stack') in ('pop', 'popAll'):
            stack = self.stacks.get(path, [])
            for _ in range(len(stack) if to.get('stack') == 'popAll' else min(1, len(stack))):
                name, begin = stack.pop()
                self.done.append((path, len(stack), begin, event.time, name))
        elif to.get('increment') == 'true' and value is not None:
            before = self.now.get(path) or type(value)(0)
            if type(before) is not type(value):
                end('%s: a %s added to a %s', '/'.join(path), type(value), type(before))
            self.assign(path, type(value)(before + value), event)
        else:
            self.assign(path, value, event)

    def segment(self, e, event, scenario):
        name = self.value(e.find('segType/segName/stateValue'), event, scenario)
        begin = self.value(e.find('segTime/begin'), event, scenario)
        ends = self.value(e.find('segTime/end'), event, scenario)
        fields = [(f.get('name'), self.value(f.find('stateValue'), event, scenario))
                  for f in e.findall('segContent/segField')]
        self.segments.append((name, begin, ends, fields))

    def take(self, machine, scenario, event):
        """True: a transition was taken."""
        for events, tests, target, actions in machine.states[scenario.state]:
            if not any(n.fullmatch(event.name) for n in events):
                continue
            if not all(self.holds(self.tests[t], event, scenario) for t in tests):
                continue
            for action in actions:
                for e in self.actions[action]:
                    {'stateChange': self.change, 'segment': self.segment}[e.tag](e, event, scenario)
            scenario.state, scenario.pending = target, False
            if not machine.states[target]:
                self.retire(machine, scenario, event)
            return True
        return False

    def retire(self, machine, scenario, event):
        """A scenario that is over leaves nothing behind."""
        scenario.over = True
        machine.free.append(scenario.path)
        for path in [p for p in self.now if p[:3] == scenario.path]:
            self.assign(path, None, event)

    def handle(self, event):
        self.last = event.time
        for m in self.machines:
            if m.waiting is None and (m.multiple or not m.active):
                m.waiting = Scenario(m.place(), m.initial)
        for m in self.machines:
            over = [s for s in m.active if s.over]
            for s in m.active:
                if not s.over:
                    self.take(m, s, event)
            m.active = [s for s in m.active if s not in over]
            if m.waiting and self.take(m, m.waiting, event):
                m.active.append(m.waiting)
                m.waiting = None

    # --- results

    def call_stack(self):
        """Attributes that the levels of the group lead to: PID, TID; below each its CallStack."""
        pattern = [p for level in self.group.findall('level') for p in level.get('path').split('/')] + ['CallStack']
        still = [(path, depth, begin, None, name) for path, stack in self.stacks.items()
                 for depth, (name, begin) in enumerate(stack)]
        for path, depth, begin, ends, name in self.done + still:
            if len(path) == len(pattern) and all(p in ('*', a) for p, a in zip(pattern, path)):
                stars = [a for p, a in zip(pattern, path) if p == '*']
                yield int(stars[0].split(',')[0]), int(stars[1]), depth, begin, ends, name

    def intervals(self, path):
        """BEGIN END VALUE, of values only."""
        begin, value = None, None
        for time, new in [(t, v) for p, t, v in self.changes if p == path] + [(self.last, None)]:
            if value is not None and time > begin:
                yield begin, time, value
            begin, value = time, new

    def children(self, base):
        """Names of the attributes below one, in the order in which they were made."""
        names = {}
        for path in self.order:
            if len(path) > len(base) and path[:len(base)] == base:
                names.setdefault(path[len(base)])
        return list(names)

    def entries(self, e, base, names, labels):
        paths = [base]
        for part in e.get('path').split('/'):
            pattern = re.compile(part.replace('*', '.*'))
            paths = [p + (c,) for p in paths for c in self.children(p) if pattern.fullmatch(c)]
        display, name = e.find('display'), e.find('name')
        for path in paths:
            shown = None
            if display is not None:
                shown = path if display.get('type') == 'self' else path + (display.get('value'),)
                if shown not in self.order:
                    continue
            words = [v for _, _, v in self.intervals(path + (name.get('value'),))] if name is not None else []
            here = names + [str(words[0]) if words else path[-1]]
            for begin, ends, value in self.intervals(shown) if shown else []:
                label = labels.get(str(value), hex(value) if type(value) is int else value)
                yield ' > '.join(here) + ': %s %d %d' % (label, begin, ends)
            for child in e.findall('entry'):
                yield from self.entries(child, path, here, labels)

    def rows(self, wanted):
        views = [v for v in self.root if v.tag in ('timeGraphView', 'xyView') and wanted in (None, v.get('id'))]
        if len(views) != 1:
            end('which view?')
        # An XY view shows numbers as they are.
        labels = {d.get('value'): d.get('name') for d in views[0].findall('definedValue')}
        if views[0].tag == 'xyView':
            labels = type('Numbers', (), {'get': lambda self, value, other: value})()
        for e in views[0].findall('entry'):
            yield from self.entries(e, (), [], labels)

    def result(self, wanted):
        if wanted[0] == 'stack':
            return [' '.join(map(str, row)) for row in sorted(self.call_stack(), key=lambda c: (c[0], c[1], c[3], c[2]))]
        if wanted[0] == 'segments':
            return ['%s %s %s ' % s[:3] + ' '.join('%s=%s' % f for f in s[3]) for s in self.segments]
        if wanted[0] == 'rows':
            return list(self.rows(wanted[1] if len(wanted) > 1 else None))
        return ['/'.join(path) + ' %s %s' % (time, state) for path, time, state in self.changes if path[0] != 'scenarios']


def main():
    events = [Event(line) for line in sys.stdin if HEAD.match(line)]
    root = xml.parse(sys.argv[1]).getroot()
    results = []
    for reverse in (False, True):
        analysis = Analysis(root, reverse)
        for event in events:
            analysis.handle(event)
        results.append(analysis.result(sys.argv[2:]))
    if sorted(results[0]) != sorted(results[1]):
        end('another result when the state machines are asked in another order')
    print('\n'.join(results[0]))


main()
