#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
A framework under Python that shuts down in an atexit handler: its cached memory
is freed and the device reset, its pools of streams and events are left.
"""
import atexit
import ctypes

ascendcl = ctypes.CDLL("libascendcl.so")
SIZE = 4096


def acl(name, *args):
    ret = getattr(ascendcl, name)(*[ctypes.c_size_t(a) if isinstance(a, int) else a for a in args])
    if ret != 0:
        print(f"{name}: error {ret}")


def create(name, *args):
    handle = ctypes.c_void_p()
    acl(name, ctypes.byref(handle), *args)
    return handle


def shut_down():
    acl("aclrtSynchronizeDevice")
    acl("aclrtFree", cached)
    acl("aclrtDestroyStreamForce", streams[0])
    acl("aclrtResetDevice", 0)
    acl("aclFinalize")


acl("aclInit", None)
acl("aclrtSetDevice", 0)
atexit.register(shut_down)
streams = [create("aclrtCreateStream") for _ in range(4)]
events = [create("aclrtCreateEventExWithFlag", 1) for _ in range(4)]
cached = create("aclrtMalloc", SIZE, 0)
for value, (stream, event) in enumerate(zip(streams, events)):
    acl("aclrtMemsetAsync", cached, SIZE, value, SIZE, stream)
    acl("aclrtRecordEvent", event, stream)
    acl("aclrtSynchronizeEvent", event)
print("ok")
