#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls through C code of its own: native.py LIBRARY [shutdown|alarm|interpreters|fork]."""
import ctypes
import os
import sys
import threading
import time

native, acl = ctypes.CDLL(sys.argv[1]), ctypes.CDLL("libascendcl.so")
mode = sys.argv[2] if len(sys.argv) > 2 else ""
memory, stream, context = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
acl.aclInit(None)
acl.aclrtSetDevice(0)
acl.aclrtGetCurrentContext(ctypes.byref(context))
acl.aclrtMalloc(ctypes.byref(memory), ctypes.c_size_t(1 << 20), 0)
acl.aclrtMemset(memory, ctypes.c_size_t(1 << 20), 0, ctypes.c_size_t(1 << 20))
acl.aclrtCreateStream(ctypes.byref(stream))


class Copy(ctypes.Structure):
    _fields_ = [("memory", ctypes.c_void_p), ("stream", ctypes.c_void_p), ("context", ctypes.c_void_p),
                ("offset", ctypes.c_size_t)]


def copy(offset):
    return ctypes.byref(Copy(memory, stream, context, offset))


def direct():
    native.native_copy(copy(1))


def between():
    @ctypes.CFUNCTYPE(None)
    def called_back():
        native.native_copy(copy(2))
    native.native_calls_python(called_back)


def on_thread():
    native.native_thread(copy(3))


def work(until):
    """Python code of many kinds, for handlers to come in the middle of."""
    def numbers(n):
        for i in range(n):
            try:
                yield [str(i)] * 3
            except GeneratorExit:
                return
    while not until():
        sum(len(x) for x in numbers(50))
        exec(compile("def f(a=[1]):\n return {k: v for k, v in enumerate(a)}\nf()", "made.py", "exec"), {})
        sorted(range(50), key=lambda x: -x)


def create():
    other = ctypes.c_void_p()
    acl.aclrtSetCurrentContext(context)
    while True:
        acl.aclrtCreateEvent(ctypes.byref(other))
        acl.aclrtDestroyEvent(other)


if mode == "shutdown":
    for _ in range(4):
        threading.Thread(target=create, daemon=True).start()
    time.sleep(0.05)
elif mode == "alarm":
    native.native_alarm()
    end = time.monotonic() + 1.5
    work(lambda: time.monotonic() > end)
    assert native.native_alarms() > 20
elif mode == "interpreters":
    try:
        import _interpreters as interpreters
        one = interpreters.create("legacy")
    except ImportError:
        if sys.version_info < (3, 8):
            sys.exit(print("done"))  # it has no module for that
        import _xxsubinterpreters as interpreters
        one = interpreters.create(**({"isolated": False} if sys.version_info >= (3, 9) else {}))
    code = f"""
import ctypes
def inside():
    acl = ctypes.CDLL("libascendcl.so")
    size = ctypes.c_size_t(64)
    memory = {memory.value}
    acl.aclrtMemcpyAsync(ctypes.c_void_p(memory + 4096), size, ctypes.c_void_p(memory + 4), size, 3, ctypes.c_void_p({stream.value}))
inside()
"""
    interpreters.run_string(one, code)
    interpreters.destroy(one)
elif mode == "fork":
    if os.fork() == 0:
        acl.aclInit(None)
        direct()
        sys.exit(0)
    os.wait()
else:
    direct()
    between()
    on_thread()
    acl.aclrtSynchronizeStream(stream)
print("done")
