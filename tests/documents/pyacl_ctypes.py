#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
The same document through ctypes: every function is fetched with dlsym() from a
handle that dlopen() returned, so nothing is bound to a preloaded library by the
dynamic linker.
"""
import ctypes
import sys

HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST = 0, 1, 2
SIZE = 256 * 1024
mistake = sys.argv[1] if len(sys.argv) > 1 else ""
failed = False
ascendcl = ctypes.CDLL("libascendcl.so")


def acl(name, *args):
    """Calls a function; integers that are addresses or sizes must not be cut to an int."""
    global failed
    ret = getattr(ascendcl, name)(*[ctypes.c_size_t(a) if isinstance(a, int) else a for a in args])
    if ret != 0:
        print(f"{name}: error {ret}")
        failed = True


def allocate(name, size, *policy):
    memory = ctypes.c_void_p()
    acl(name, ctypes.byref(memory), size, *policy)
    return memory.value


def expect(right, what):
    global failed
    if not right:
        print(f"wrong: {what}")
        failed = True


def main():
    data = bytes(i * 37 % 241 for i in range(SIZE))
    mode = ctypes.c_int(-1)
    stream = ctypes.c_void_p()

    acl("aclInit", None)
    acl("aclrtSetDevice", 0)
    acl("aclrtGetRunMode", ctypes.byref(mode))
    expect(mode.value == 1, "the run mode ACL_HOST")

    host = allocate("aclrtMallocHost", SIZE + 64)
    device = allocate("aclrtMalloc", SIZE, 0)
    acl("aclrtMemset", host, SIZE, 0, SIZE)
    aligned = host + 2 if mistake == "misaligned" else host
    ctypes.memmove(aligned, data, SIZE)
    acl("aclrtMemcpy", device, SIZE, aligned, SIZE, HOST_TO_DEVICE)
    ctypes.memset(aligned, 0, SIZE)

    acl("aclrtCreateStream", ctypes.byref(stream))
    acl("aclrtMemcpyAsync", aligned, SIZE, device, SIZE, DEVICE_TO_HOST, stream)
    acl("aclrtSynchronizeStream", stream)
    expect(ctypes.string_at(aligned, SIZE) == data, "the data that went to the device and back")

    if mistake != "reset-first":
        acl("aclrtDestroyStream", stream)
    acl("aclrtFree", device)
    acl("aclrtFreeHost", host)
    acl("aclrtResetDevice", 0)
    acl("aclFinalize")
    print("failed" if failed else "ok")
    return 1 if failed else 0


sys.exit(main())
