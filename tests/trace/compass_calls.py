#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: Apache-2.0
"""A recording as babeltrace2 prints it, of calls that are written down one a line.

usage: compass_calls.py [--one-event] <CALLS

PID/TID BEGIN END FUNCTION [INPUT=VALUE...] [= RESULT[/NAME]] [; OUTPUT=VALUE...]
PID/TID gap N           so many calls of the thread are not there
lost TIME               the tracer says that it had to drop events
PID/TID name TIME OBJECT TEXT   the program names an object
killed TIME PID         aclcheck trace says that the process was killed

BEGIN or END is '-' where that event is not there.  PID/TID+ is a call that the runtime makes itself.  Times are
nanoseconds; a value in capitals is a name of an enumeration.  '#' begins a remark.
"""
import sys

CLOCK = 1000  # that of call_start, when the trace's is 0


def field(text):
    name, value = text.split('=')
    return '%s = %s' % (name, '( "%s" : container = 0 )' % value if value.isupper() else value)


def event(time, name, pid, tid, fields):
    return time, '[0.%09d] (+0.000000001) host %s: { cpu_id = 0 }, { vpid = %s, vtid = %s }, { %s }' % (
        time, name, pid, tid, ', '.join(fields))


def place(function, number, inside):
    return ['api = "%s"' % function, 'call_caller = 0x1001', 'call_number = %d' % number, 'call_depth = %d' % inside,
            'call_path = ( "%s" : container = 0 )' % ('inside' if inside else 'linked'), 'call_flags = 0x1']


def call(line, numbers, one_event):
    line, _, outputs = line.partition(';')
    line, _, result = line.partition(' = ')
    who, begin, end, function, *inputs = line.split()
    inside = who.endswith('+')
    pid, tid = who.rstrip('+').split('/')
    number = numbers[who.rstrip('+')] = numbers.get(who.rstrip('+'), 0) + 1
    code, _, label = result.partition('/')
    code = int(code or 0)
    if number == 1:
        yield event(0, 'aclcheck:thread', pid, tid, ['self = 0x7000', 'clock = %d' % CLOCK])
    known = [field(f) for f in inputs]
    given = ['ret = ( "%s" : container = %d )' % (label.strip() or ('ACL_ERROR' if code else 'ACL_SUCCESS'), code)]
    given += [field(f) for f in outputs.split()]
    if one_event:
        if '-' not in (begin, end):
            yield event(int(end), 'acl_call:' + function, pid, tid,
                        ['call_start = %d' % (int(begin) + CLOCK)] + place(function, number, inside) + known + given)
        return
    if begin != '-':
        yield event(int(begin), 'acl:%s_entry' % function, pid, tid, place(function, number, inside) + known)
    if end != '-':
        yield event(int(end), 'acl:%s_exit' % function, pid, tid,
                    ['call_number = %d' % number, 'call_result = %d' % code] + given)


def main():
    events, numbers = [], {}
    for line in sys.stdin:
        words = line.split('#')[0].split()
        if not words:
            continue
        if words[0] == 'lost':
            events.append((int(words[1]), '[0.%09d] (+0.000000001) Lost event: { }' % int(words[1])))
        elif words[0] == 'killed':
            events.append(event(int(words[1]), 'aclcheck:ended', 99, 99, ['pid = ' + words[2], 'clock = ' + words[1]]))
        elif words[1] == 'name':
            pid, tid = words[0].split('/')
            events.append(event(int(words[2]), 'aclcheck:said', pid, tid,
                                ['what = ( "name" : container = 1 )', 'object = ' + words[3], 'text = "%s"' % words[4]]))
        elif words[1] == 'gap':
            numbers[words[0]] = numbers.get(words[0], 0) + int(words[2])
        else:
            events += call(line.split('#')[0], numbers, '--one-event' in sys.argv)
    for _, text in sorted(events, key=lambda e: e[0]):
        print(text)


main()
