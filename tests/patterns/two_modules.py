#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Two libraries in one process that both initialise the runtime and ignore the
answer that it has been done: by design, of each of them.
"""
import ctypes

import acl

ascendcl = ctypes.CDLL("libascendcl.so")
print(acl.init(), ascendcl.aclInit(None))
print(acl.rt.set_device(0))
device, ret = acl.rt.malloc(4096, 0)
print(ret, acl.rt.memset(device, 4096, 1, 4096), acl.rt.free(device))
print(acl.rt.reset_device(0), acl.finalize())
