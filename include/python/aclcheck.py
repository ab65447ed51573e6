# SPDX-License-Identifier: Apache-2.0
"""What aclcheck.h offers to C, for Python: names, pools, kernels, scopes of findings, and what is recorded.

The functions look for the preloaded libaclcheck.so in the process; without it they do nothing.

    import aclcheck

    aclcheck.name(stream, "copies")
    with aclcheck.ignore("async-copy-alignment", "slow and meant so"):
        copy()

Objects and addresses are integers, as ctypes and pyACL give them (or c_void_p).
"""
import contextlib
import ctypes

__all__ = ["loaded", "version", "name", "pool", "pool_end", "block", "block_end", "kernel", "expect", "ignore",
           "trace_start", "trace_stop"]

_NAME, _POOL, _POOL_END, _BLOCK, _BLOCK_END, _READS, _WRITES, _KERNEL = range(1, 9)
_TRACE_START, _TRACE_STOP = 16, 17


def _find(function, result, *arguments):
    """A function of the tool; None without it."""
    try:
        found = getattr(ctypes.CDLL(None), function)
    except (AttributeError, OSError):
        return None
    found.restype, found.argtypes = result, arguments
    return found


_annotate = _find("aclcheck_annotate", None, ctypes.c_uint, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p,
                  ctypes.c_char_p)
_expect = _find("aclcheck_expect_open", ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
_ignore = _find("aclcheck_ignore_open", ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
_close = _find("aclcheck_expect_close", None, ctypes.c_int)
_version = _find("aclcheck_version", ctypes.c_char_p)


def _say(what, address=None, size=0, stream=None, text=None):
    if _annotate:
        _annotate(what, address, size, stream, text.encode() if text is not None else None)


def loaded():
    """Whether the program runs under libaclcheck.so."""
    return _annotate is not None


def version():
    """Version of the loaded libaclcheck.so, None without it."""
    return _version().decode() if _version else None


def name(thing, text):
    """Findings show the text beside this stream, event, model … or memory."""
    _say(_NAME, thing, text=text)


def pool(memory, size):
    """A part of an allocation is a pool of which blocks are handed out."""
    _say(_POOL, memory, size)


def pool_end(memory):
    """What begins there is no pool any more."""
    _say(_POOL_END, memory)


def block(address, size, stream=None):
    """A block of a pool is handed out for the stream: memory of its own until block_end."""
    _say(_BLOCK, address, size, stream)


def block_end(address):
    """The block may be handed out again from now on."""
    _say(_BLOCK_END, address)


def kernel(stream, reads=(), writes=(), launched_as=None):
    """What this thread's next kernel on the stream reads and writes: pairs of address and bytes.

    launched_as: a name; the kernel is launched right behind this, on a way that AscendCL does not see.
    """
    for address, size in reads:
        _say(_READS, address, size, stream)
    for address, size in writes:
        _say(_WRITES, address, size, stream)
    if launched_as is not None:
        _say(_KERNEL, stream=stream, text=launched_as)


def trace_start():
    """From here on the calls of the process are recorded, where something records."""
    _say(_TRACE_START)


def trace_stop():
    """From here on they are not."""
    _say(_TRACE_STOP)


@contextlib.contextmanager
def _scope(opened, rule, reason):
    scope = opened(rule.encode(), reason.encode()) if opened else 0
    try:
        yield
    finally:
        if scope and _close:
            _close(scope)


def expect(rule, reason):
    """with expect(…): a finding of the rule is expected in here; that there is none fails the run."""
    return _scope(_expect, rule, reason)


def ignore(rule, reason):
    """with ignore(…): findings of the rule in here are suppressed, with the reason in the report."""
    return _scope(_ignore, rule, reason)
