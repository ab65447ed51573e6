# SPDX-License-Identifier: Apache-2.0
"""The module aclcheck of Python: a word as for annotated.c."""
import ctypes
import sys

import aclcheck

acl = ctypes.CDLL("libascendcl.so", use_errno=False)
pool, host = ctypes.c_void_p(), ctypes.c_void_p()
streams = [ctypes.c_void_p(), ctypes.c_void_p()]


def copy_in(offset, stream):
    acl.aclrtMemcpyAsync(ctypes.c_void_p(pool.value), ctypes.c_size_t(4096), ctypes.c_void_p(host.value + offset),
                         ctypes.c_size_t(1024), 1, stream)


def main(word):
    acl.aclInit(None)
    acl.aclrtSetDevice(0)
    for stream in streams:
        acl.aclrtCreateStream(ctypes.byref(stream))
    acl.aclrtMalloc(ctypes.byref(pool), ctypes.c_size_t(1 << 20), 0)
    acl.aclrtMallocHost(ctypes.byref(host), ctypes.c_size_t(1 << 16))
    aclcheck.pool(pool, 1 << 20)
    aclcheck.block(pool, 4096, streams[0])
    aclcheck.name(streams[0], "uploads")
    aclcheck.name(pool, "weights")
    if word == "race":
        copy_in(0, streams[0])
        copy_in(4096, streams[1])
    if word == "ignored":
        with aclcheck.ignore("async-copy-*", "ticket 123"):
            copy_in(12, streams[0])
    if word == "expected":
        with aclcheck.expect("async-copy-*", "on purpose"):
            copy_in(12, streams[0])
    if word == "kernel":
        copy_in(0, streams[0])
        aclcheck.kernel(streams[1], reads=[(pool, 64)], launched_as="add")
    for stream in streams:
        acl.aclrtSynchronizeStream(stream)
    aclcheck.block_end(pool)
    if word == "twice":
        aclcheck.block_end(pool)
    aclcheck.pool_end(pool)
    acl.aclrtFree(pool)
    acl.aclrtFreeHost(host)
    for stream in streams:
        acl.aclrtDestroyStream(stream)
    acl.aclrtResetDevice(0)
    acl.aclFinalize()
    print("done,", "under " + aclcheck.version() if aclcheck.loaded() else "alone")


main(sys.argv[1])
