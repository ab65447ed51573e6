#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
pyACL's document on data transfer, through an `acl` module (tests/documents/pyacl).

Both ways of the document: with separate functions for host and device memory
the run mode decides what has to be allocated; with malloc_host alone nothing
needs to be asked, but the program aligns addresses itself.
"""
import sys

import acl

ACL_DEVICE, ACL_HOST = 0, 1
HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE = 0, 1, 2, 3
HUGE_FIRST = 0
SIZE = 256 * 1024
mistake = sys.argv[1] if len(sys.argv) > 1 else ""
failed = False


def check(name, ret):
    global failed
    if ret != 0:
        print(f"{name}: error {ret}")
        failed = True
    return ret == 0


def expect(right, what):
    global failed
    if not right:
        print(f"wrong: {what}")
        failed = True


def separate_functions(data):
    """Host memory only where the host has memory of its own."""
    mode, ret = acl.rt.get_run_mode()
    check("get_run_mode", ret)
    device, ret = acl.rt.malloc(SIZE, HUGE_FIRST)
    check("malloc", ret)
    if mode == ACL_DEVICE and mistake != "host-memory-on-device":
        check("memset", acl.rt.memset(device, SIZE, 7, SIZE))
        check("free", acl.rt.free(device))
        return
    host, ret = acl.rt.malloc_host(SIZE)
    check("malloc_host", ret)
    # Fresh host memory holds random numbers.
    check("memset", acl.rt.memset(host, SIZE, 0, SIZE))
    expect(acl.util.ptr_to_bytes(host, SIZE) == bytes(SIZE), "the memory set to zero")
    check("memcpy", acl.rt.memcpy(host, SIZE, acl.util.bytes_to_ptr(data), SIZE, HOST_TO_HOST))
    check("memcpy", acl.rt.memcpy(device, SIZE, host, SIZE, HOST_TO_DEVICE))
    check("memset", acl.rt.memset(host, SIZE, 0, SIZE))
    check("memcpy", acl.rt.memcpy(host, SIZE, device, SIZE, DEVICE_TO_HOST))
    expect(acl.util.ptr_to_bytes(host, SIZE) == data, "the data that went to the device and back")
    if mistake == "host-free":
        # Refused; what was meant frees it in the end.
        check("free_host", acl.rt.free_host(device))
    check("free", acl.rt.free(device))
    if mistake != "leak":
        check("free_host", acl.rt.free_host(host))


def one_function(data):
    """malloc_host for everything: 64 bytes more, and aligned by hand."""
    block, ret = acl.rt.malloc_host(SIZE + 64)
    check("malloc_host", ret)
    device, ret = acl.rt.malloc(SIZE, HUGE_FIRST)
    check("malloc", ret)
    stream, ret = acl.rt.create_stream()
    check("create_stream", ret)
    host = block + 8 if mistake == "misaligned" else block + 64 - block % 64
    check("memcpy", acl.rt.memcpy(host, SIZE, acl.util.bytes_to_ptr(data), SIZE, HOST_TO_HOST))
    if mistake == "async-host-to-host":
        check("memcpy_async", acl.rt.memcpy_async(host, SIZE // 2, host + SIZE // 2, SIZE // 2, HOST_TO_HOST, stream))
    check("memcpy_async", acl.rt.memcpy_async(device, SIZE, host, SIZE, HOST_TO_DEVICE, stream))
    check("memcpy_async", acl.rt.memcpy_async(host, SIZE, device, SIZE, DEVICE_TO_HOST, stream))
    check("synchronize_stream", acl.rt.synchronize_stream(stream))
    expect(acl.util.ptr_to_bytes(host, SIZE) == data, "the data that went to the device and back, asynchronously")
    check("destroy_stream", acl.rt.destroy_stream(stream))
    check("free", acl.rt.free(device))
    check("free_host", acl.rt.free_host(block))


def main():
    data = bytes(i * 131 % 251 for i in range(SIZE))
    check("init", acl.init())
    if mistake == "init-twice":
        check("init", acl.init())
    check("set_device", acl.rt.set_device(0))
    separate_functions(data)
    mode, _ = acl.rt.get_run_mode()
    if mode == ACL_HOST:
        one_function(data)
    check("reset_device", acl.rt.reset_device(0))
    check("finalize", acl.finalize())
    print("failed" if failed else "ok")
    return 1 if failed else 0


sys.exit(main())
