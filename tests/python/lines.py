#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Compares our reader of line tables with the interpreter's own, over the code of its library: lines.py LIBRARY.
Damaged tables are read as well: only the end of the process would be wrong there.
"""
import ctypes
import glob
import os
import random
import sys
import types

LIBRARY = ctypes.CDLL(sys.argv[1])
MINOR = sys.version_info[1]


def all_code(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from all_code(constant)


def ours(code, table, positions):
    numbers = (ctypes.c_int64 * len(positions))(*positions)
    lines = (ctypes.c_int * len(positions))()
    LIBRARY.lines_of(MINOR, code.co_firstlineno, table, ctypes.c_uint64(len(table)), numbers, lines, len(positions))
    return list(lines)


def steps_39(code):
    """What PyCode_Addr2Line of 3.9 does with the table."""
    table, address, line, found = code.co_lnotab, 0, code.co_firstlineno, {}
    for position in range(0, len(code.co_code), 2):
        found[position] = None
    steps = list(zip(table[::2], table[1::2]))
    for position in found:
        address, line = 0, code.co_firstlineno
        for bytes_on, lines_on in steps:
            address += bytes_on
            if address > position:
                break
            line += lines_on - 256 if lines_on > 127 else lines_on
        found[position] = line
    return found


def theirs(code):
    if MINOR < 10:
        return steps_39(code)
    found = {}
    for start, end, line in code.co_lines():
        for position in range(start, end, 2):
            found[position] = line
    return found


def main():
    random.seed(1)
    compared = 0
    files = sorted(glob.glob(os.path.join(os.path.dirname(os.__file__), "*.py")))[:60]
    for path in files:
        with open(path, encoding="utf-8", errors="replace") as file:
            top = compile(file.read(), path, "exec", dont_inherit=True)
        for code in all_code(top):
            table = code.co_lnotab if MINOR < 10 else code.co_linetable
            expected = {p: line for p, line in theirs(code).items() if line is not None}
            positions = random.sample(sorted(expected), min(len(expected), 12))
            if expected:
                positions.append(max(expected))
            found = ours(code, table, positions)
            wanted = [expected[p] for p in positions]
            if found != wanted:
                sys.exit(f"{path}: {code.co_name}: at {positions} {found}, expected {wanted}")
            compared += len(positions)
            damaged = bytes(random.randrange(256) if random.random() < 0.1 else b for b in table)
            ours(code, damaged, positions)
    print(f"{compared} positions")
    sys.exit(compared < 10000)


main()
