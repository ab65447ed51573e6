#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Makes one wrong copy in each of many circumstances, and writes down what the interpreter itself has for the
call stack there: frames.py OUTPUT.  The offset of the copy's source names the circumstance.
"""
import asyncio
import ctypes
import functools
import json
import os
import signal
import sys
import threading

SIZE = ctypes.c_size_t(64)
released, held = ctypes.CDLL("libascendcl.so"), ctypes.PyDLL("libascendcl.so")
memory, stream, context = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
expected = {}


def stack():
    frame, found = sys._getframe(1), []
    while frame:
        code = frame.f_code
        found.append((getattr(code, "co_qualname", code.co_name), code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return found


def bad(offset, library=released):
    here = ctypes.c_void_p(memory.value + offset)
    library.aclrtSetCurrentContext(context)
    expected[offset] = stack(); library.aclrtMemcpyAsync(ctypes.c_void_p(memory.value + 4096), SIZE, here, SIZE, 3, stream)  # noqa


class Model:
    def forward(self, offset):
        def inner():
            return (lambda: bad(offset))()
        inner()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        bad(8)

    def __del__(self):
        bad(9)


def numbers():
    yield 1
    bad(3)
    yield 2


def delegate():
    yield from numbers()


async def step():
    await asyncio.sleep(0)
    bad(4)


async def steps():
    await asyncio.gather(step())


def exceptions():
    try:
        raise ValueError
    except ValueError:
        bad(5)
    try:
        try:
            raise KeyError
        finally:
            bad(6)
    except KeyError:
        pass
    try:
        with Model():
            raise OSError
    except OSError:
        pass


def recursion(depth):
    if depth:
        recursion(depth - 1)
    else:
        bad(10)


def handler(number, frame):
    bad(11)


def callbacks():
    key_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    libc = ctypes.CDLL(None)
    values = (ctypes.c_int * 2)(2, 1)

    def compare(a, b):
        if 12 not in expected:
            bad(12)
        return 0

    libc.qsort(values, ctypes.c_size_t(2), ctypes.c_size_t(4), key_type(compare))
    sorted([1], key=lambda x: bad(13))
    list(map(functools.partial(bad), [14]))
    [bad(15) for _ in range(1)]


def made_code():
    """Lines far apart, backwards, and more of them than are read at once."""
    lines = ["def långer_名前(bad):"]
    lines += [f"    x{i} = ({i} +\n\n        {i})" for i in range(700)]
    lines += ["\n" * 300 + "    return bad(", "        16", "    )", "långer_名前(bad)"]
    exec(compile("\n".join(lines), "gén€rated/😀.py", "exec"), {"bad": bad})
    exec(compile("bad(17)", "", "exec"), {"bad": bad})
    exec(compile("def run():\n  bad(18)\nrun()", "<frozen __main__>", "exec"), {"bad": bad})
    exec(compile("bad(19)", "d" * 2000 + "/end.py", "exec"), {"bad": bad})


def remade_code():
    """Code objects that take the place of those before, and differ from them in the file, a name or a line alone."""
    forms = (lambda i: (f"remade{i}.py", "def f():\n  bad(offset)\nf()"),
             lambda i: ("remade.py", f"def f{i}():\n  bad(offset)\nf{i}()"),
             lambda i: ("remade.py", "def f():\n" + "\n" * i + "  bad(offset)\nf()"))
    offset = 23
    for form in forms:
        places = set()
        for i in range(8):
            file, source = form(i)
            scope = {"bad": bad, "offset": offset}
            code = compile(source, file, "exec")
            places.add(id(code))
            exec(code, scope)
            scope.clear()
            del scope, code, file, source
            offset += 1
        assert len(places) < 8, "no code object took another's place"


def main():
    for library in (released, held):
        library.aclInit(None)
    released.aclrtSetDevice(0)
    released.aclrtGetCurrentContext(ctypes.byref(context))
    released.aclrtMalloc(ctypes.byref(memory), ctypes.c_size_t(1 << 20), 0)
    released.aclrtMemset(memory, ctypes.c_size_t(1 << 20), 0, ctypes.c_size_t(1 << 20))
    released.aclrtCreateStream(ctypes.byref(stream))
    bad(1)
    Model().forward(2)
    list(delegate())
    asyncio.run(steps())
    exceptions()
    recursion(100)
    signal.signal(signal.SIGUSR1, handler)
    os.kill(os.getpid(), signal.SIGUSR1)
    callbacks()
    made_code()
    remade_code()
    thread = threading.Thread(target=Model().forward, args=(20,))
    thread.start()
    thread.join()
    bad(21, held)
    sys.settrace(lambda *_: None)
    bad(
        22)
    sys.settrace(None)
    released.aclrtSynchronizeStream(stream)
    released.aclrtDestroyStream(stream)
    released.aclrtFree(memory)
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write(json.dumps(expected))


main()
