#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The English sentences that findings are made of: the string literals of the checker's C files that go into a detail.

sentences.py SOURCE [TABLE]: lists them, or those that the table of translations lacks, one JSON string a line."""
import glob
import json
import os
import re
import sys

STRING = r'"(?:[^"\\\n]|\\.)*"'
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|%s|\'(?:[^\'\\\n]|\\.)*\'' % STRING, re.S)
# What stands in C before a string that is no part of a sentence: names of values, roles and kinds, rules, enums, attributes.
OTHER = re.compile(r'(\b(part_\w+|RULE|__attribute__|format|section|alias|strcmp|strncmp|strstr|enum_name|PAIR|_Static_assert)'
                   r'\s*\([^()]*|\.name = |#include )$')
# Strings of checks/ that no finding has: what the compiler asserts, and which table was full.
ELSEWHERE = re.compile(r" differ$|for a slot$|than the (checker|pointer map|table) |^no memory for|^too many objects|^map_version")


def literals(text):
    """(string, what stands before it), neighbours joined, comments and macros' line ends taken out."""
    text = text.replace('\\\n', ' ')
    found, end, before = [], None, ''
    for m in TOKEN.finditer(text):
        token = m.group()
        if token[0] in "/'":
            continue
        gap = re.sub(r'/\*.*?\*/', '', text[end:m.start()], flags=re.S) if end is not None else None
        value = json.loads('"%s"' % token[1:-1].replace("\\'", "'"))
        if gap is not None and gap.strip() == '':
            found[-1][0] += value
        else:
            found.append([value, text[max(0, m.start() - 90):m.start()]])
        end = m.end()
    return found


def sentences(source):
    seen = {}
    for pattern in ('checks/rules/**/*.[ch]', 'checks/engine/*.[ch]', 'checks/state/*.[ch]'):
        for path in sorted(glob.glob(os.path.join(source, pattern), recursive=True)):
            for value, before in literals(open(path, encoding='utf-8').read()):
                words = re.sub(r'%[-+ 0-9.]*(ll|l|z)?[a-zA-Z]', '', value)
                if len(re.findall(r'[A-Za-z]{2,}', words)) >= 2 and ' ' in words.strip() and \
                        not OTHER.search(before) and not ELSEWHERE.search(value):
                    seen.setdefault(value, os.path.relpath(path, source))
    return seen


def conversions(english):
    return re.findall(r'%[-+ 0-9.]*(?:ll|l|z)?[a-zA-Z]', english)


def table(source):
    text = open(os.path.join(source, 'interpose/common/sentences.def'), encoding='utf-8').read()
    rows = [(json.loads(a), json.loads(b)) for a, b in re.findall(r'^SENTENCE\((%s),\s*(%s)\)$' % (STRING, STRING), text, re.M)]
    assert len(rows) == text.count('\nSENTENCE('), 'a row is not in the form of the others'
    return rows


if __name__ == '__main__':
    rows = table(sys.argv[1])
    known = dict(rows)
    assert len(known) == len(rows), 'twice: %s' % [a for i, (a, _) in enumerate(rows) if a in dict(rows[:i])]
    for english, path in sentences(sys.argv[1]).items():
        if english not in known:
            print('%s: no Chinese for %s' % (path, json.dumps(english)))
    for english, chinese in rows:
        kinds = conversions(english)
        used = sorted(map(int, re.findall('%([1-9])', chinese)))
        # What only makes an English plural is left out.
        plural = {i + 1 for i, k in enumerate(kinds) if k == '%s' and
                  re.search(r'[a-z]%s|model%s of it %s not|context %s still', english)}
        lacking = set(range(1, len(kinds) + 1)) - set(used)
        if len(set(used)) != len(used) or not set(used) <= set(range(1, len(kinds) + 1)) or not lacking <= plural:
            print('values of %s and %s differ' % (json.dumps(english), json.dumps(chinese, ensure_ascii=False)))
