# SPDX-License-Identifier: Apache-2.0
"""A pytest plug-in: findings of libaclcheck.so fail the test that caused them.

    aclcheck run --softnpu -- pytest -p pytest_aclcheck

Findings are counted anew in each test and carry its node id in the report.  A test that breaks a rule on purpose
says so, and fails when the rule is not reported (in the thread that runs the test):

    @pytest.mark.aclcheck("stream-destroy-*", reason="the destroy must be refused")

Workers of xdist load it as well; each writes a report of its own (--report r-%p.json, or aclcheck run).  Without
the tool it does nothing.
"""
import ctypes
import fnmatch

import pytest

_SIZE = 16384


def _find(function, result, *arguments):
    """A function of the tool; None without it."""
    try:
        found = getattr(ctypes.CDLL(None), function)
    except (AttributeError, OSError):
        return None
    found.restype, found.argtypes = result, arguments
    return found


_begin = _find("aclcheck_test_begin", None, ctypes.c_char_p)
_take = _find("aclcheck_test_take", ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
_expect = _find("aclcheck_expect_open", ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
_close = _find("aclcheck_expect_close", None, ctypes.c_int)
_version = _find("aclcheck_version", ctypes.c_char_p)

_loaded = None not in (_begin, _take, _expect, _close)


def pytest_configure(config):
    config.addinivalue_line("markers", "aclcheck(rule, reason=...): findings of the rule (* and ? as in a shell) are expected, "
                                       "and have to be there")


def pytest_report_header():
    return f"aclcheck: {_version().decode()}" if _loaded else "aclcheck: not loaded, nothing is checked"


def _new_lines(item):
    """What was found since: failing findings now; expected ones are kept for the end of the call."""
    buffer = ctypes.create_string_buffer(_SIZE)
    _take(buffer, _SIZE)
    failing = []
    for line in buffer.value.decode(errors="replace").splitlines():
        kind, _, text = line.partition(" ")
        if kind == "fail":
            failing.append(text)
        else:
            item.aclcheck_met.add(text.split(":")[0])
    return failing


def _fail_by(failing):
    if failing:
        pytest.fail("aclcheck found:\n" + "\n".join("  " + line for line in failing), pytrace=False)


def _close_scopes(item):
    while item.aclcheck_scopes:
        _close(item.aclcheck_scopes.pop())


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    item.aclcheck_scopes, item.aclcheck_met = [], set()
    if _loaded:
        _begin(item.nodeid.encode())
    yield
    if _loaded:
        _close_scopes(item)
        _begin(None)


def _rule(mark):
    return mark.args[0] if mark.args else mark.kwargs.get("rule", "*")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item):
    for mark in item.iter_markers("aclcheck") if _loaded else ():
        reason = mark.kwargs.get("reason") or f"expected by {item.nodeid}"
        item.aclcheck_scopes.append(_expect(_rule(mark).encode(), reason.encode()))


class _After:
    """Behind what runs the test, and not when that raised."""

    @staticmethod
    @pytest.hookimpl(trylast=True)
    def pytest_runtest_call(item):
        if not _loaded:
            return
        _close_scopes(item)
        _fail_by(_new_lines(item))
        for mark in item.iter_markers("aclcheck"):
            if not any(fnmatch.fnmatchcase(rule, _rule(mark)) for rule in item.aclcheck_met):
                pytest.fail(f"aclcheck: {_rule(mark)} was not reported", pytrace=False)

    @staticmethod
    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(item):
        if _loaded:
            _fail_by(_new_lines(item))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A test that failed by itself: what was found before belongs to it."""
    outcome = yield
    report = outcome.get_result()
    if _loaded and call.excinfo is not None:
        _close_scopes(item)
        failing = _new_lines(item)
        if failing:
            report.sections.append(("aclcheck found", "\n".join(failing)))


def pytest_sessionstart(session):
    session.config.pluginmanager.register(_After, "aclcheck-after")
