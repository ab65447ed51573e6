#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The English sentences that people read: the string literals of the checker's C files that go into the detail of a finding, what
the library and the command say (help, messages, reasons of inconclusive), and the words of the HTML page.

sentences.py SOURCE: lists those that the table of translations lacks."""
import glob
import json
import os
import re
import sys

STRING = r'"(?:[^"\\\n]|\\.)*"'
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|%s|\'(?:[^\'\\\n]|\\.)*\'' % STRING, re.S)
# What stands in C before a string that is no part of a sentence: names of values, roles and kinds, rules, enums, attributes.
OTHER = re.compile(r'(\b(part_\w+|RULE|__attribute__|format|section|alias|strcmp|strncmp|strstr|enum_name|PAIR)'
                   r'\s*\([^()]*|\.name = |#include )$')
# What the compiler asserts is no text for users.
ASSERTION = re.compile(r'_Static_assert\s*\(.*?\);', re.S)
# Strings of checks/ that no finding has: which table was full.
ELSEWHERE = re.compile(r"than the (checker|pointer map|table) |^no memory for|^too many objects")


def literals(text):
    """(string, what stands before it), neighbours joined, comments and macros' line ends taken out."""
    text = ASSERTION.sub(';', text.replace('\\\n', ' '))
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


# What the library and the command say. Not: formats that machines read.
SAYING = ['interpose/**/*.c', 'tools/aclcheck/**/*.c', 'tools/aclcheck/commands.def', 'interpose/common/settings_table.def']
SILENT = re.compile(r'/(format_(github|gitlab|junit|sarif|tap|rules)|github_summary|summary_(json|collect|stat|memory)|timeline_chrome|rules_table|unwind|stack_memory|'
                    r'tool_stack|cfi\w*|dwarf\w*|trace_sink|last_calls_mapping|python_\w+|demangle|ctf_metadata|log_stream)\.c$')
# Assembler, formats of JSON, documents that are printed for the project itself, words of a report.
NO_SENTENCE = re.compile(r'^\.|incbin|popsection|\\f[IBR]|^\| |^aclcheck( run)?$|^(aclcheck: )?status |^s:|^Configuration key$|^Default:$|'
                         r'^usage: |processes, %u findings|^(run|report|merge|diff|suppress|trace|summary|timeline|trace-compass|rules|settings) [\[A-Z<-]|'
                         r'^trace-compass --install|^--|^-[a-z], ')
# Parts that are put together before they are looked up, and what is in two languages beside the code.
ELSEWHERE_TOO = {
    'since CANN %s or before:', 'since CANN %s:', 'in no release yet:', 'Why, and what the runtime does', 'How to fix it',
    'Cannot be checked', 'not ok', 'standard output', 'standard error', 'must be one of', 'must begin with one of',
    'must be a number in', "; did you mean '%s'?", 'names no rule, family, severity or tier', 'option ', 'FILE',
    'calls were forwarded unseen: made while the tool itself was at work on the thread', 'thread %u of process %u was in',
    'no trace,', 'cannot open the runtime that ACLCHECK_RUNTIME names:', 'libaclcheck.so is neither beside this command nor in',
    'the software runtime (%s/) is neither beside this command nor in', 'no such file', 'time', 'aclcheck COMMAND',
    'AscendCL calls', 'AscendCL call times', 'AscendCL streams', 'AscendCL host blocked', 'AscendCL memory in use',
    'AscendCL findings',  # as Trace Compass calls them
}


def messages(source):
    """What is said, by file: pieces of help texts, and whole messages."""
    seen = {}
    for pattern in SAYING:
        for path in sorted(glob.glob(os.path.join(source, pattern), recursive=True)):
            if SILENT.search(path):
                continue
            # Octal and hexadecimal escapes are of terminals.
            text = re.sub(r'\\(?:[0-7]{1,3}|x[0-9a-f]{2})', ' ', open(path, encoding='utf-8').read())
            for value, before in literals(text):
                for piece in re.split('[\n\t]', value):
                    words = re.sub(r'%[-+ 0-9.*]*(ll|l|z)?[a-zA-Z]', '', piece)
                    if len(re.findall(r'[A-Za-z]{2,}', words)) >= 2 and ' ' in words.strip() and \
                            not OTHER.search(before) and not NO_SENTENCE.search(piece.strip()) and piece.strip() not in ELSEWHERE_TOO:
                        seen.setdefault(piece.strip(), os.path.relpath(path, source))
    return seen


PAGES = ('tools/aclcheck/formats/page/page.html', 'tools/aclcheck/trace/timeline/page/timeline.html')


def page(source, path):
    """The words between the tags of an HTML page, and between its values."""
    text = re.sub(r'\{\{.*?\}\}', '\0', open(os.path.join(source, path), encoding='utf-8').read())
    return {words.strip(): path for node in re.sub('<[^>]*>', '\1', text).split('\1') for words in node.split('\0')
            if re.search('[A-Za-z]{2,}', re.sub('&[a-z]+;|aclcheck', '', words))}


def conversions(english):
    return re.findall(r'%[-+ 0-9.*]*(?:ll|l|z)?[a-zA-Z]', english)


def table(source):
    text = ''.join(open(os.path.join(source, 'interpose/common', name), encoding='utf-8').read()
                   for name in ('sentences.def', 'message_sentences.def'))
    rows = [(kind, json.loads(a), json.loads(b))
            for kind, a, b in re.findall(r'^(SENTENCE|LABEL)\((%s),\s*(%s)\)$' % (STRING, STRING), text, re.M)]
    assert len(rows) == text.count('\nSENTENCE(') + text.count('\nLABEL('), 'a row is not in the form of the others'
    return rows


if __name__ == '__main__':
    rows = table(sys.argv[1])
    known = {(kind, english): chinese for kind, english, chinese in rows}
    assert len(known) == len(rows), 'twice'
    spoken = {english for kind, english in known if kind == 'SENTENCE'}
    said = {english.strip() for kind, english in known}
    for english, path in sentences(sys.argv[1]).items():
        if english not in spoken:
            print('%s: no Chinese for %s' % (path, json.dumps(english)))
    for english, path in list(messages(sys.argv[1]).items()) + [found for path in PAGES for found in page(sys.argv[1], path).items()]:
        if english not in said:
            print('%s: no Chinese for %s' % (path, json.dumps(english)))
    for kind, english, chinese in rows:
        kinds = conversions(english) if kind == 'SENTENCE' else []
        used = sorted(map(int, re.findall('%=?([1-9])', chinese))) if kind == 'SENTENCE' else []
        # What only makes an English plural is left out.
        plural = {i + 1 for i, k in enumerate(kinds) if k == '%s' and
                  re.search(r'[a-z]%s|model%s of it %s not|context %s still', english)}
        lacking = set(range(1, len(kinds) + 1)) - set(used)
        if len(set(used)) != len(used) or not set(used) <= set(range(1, len(kinds) + 1)) or not lacking <= plural:
            print('values of %s and %s differ' % (json.dumps(english), json.dumps(chinese, ensure_ascii=False)))
