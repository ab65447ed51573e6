# SPDX-License-Identifier: Apache-2.0
"""Part of aclcheck doctor: something is created, as frames of Python code are looked at then."""
import ctypes

acl = ctypes.CDLL("libascendcl.so")
acl.aclInit(None)
acl.aclrtSetDevice(0)
acl.aclrtCreateStream(ctypes.byref(ctypes.c_void_p()))
