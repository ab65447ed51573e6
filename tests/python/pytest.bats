#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The pytest plug-in: findings fail the test that caused them.

load helper

# Debian's, which has pytest.
python=/usr/bin/python3

setup_file() {
	# Where its workers have their files; else it keeps them in /tmp.
	export PYTEST_DEBUG_TEMPROOT=$BATS_FILE_TMPDIR
	cat >"$BATS_FILE_TMPDIR/test_app.py" <<-'E'
		import ctypes, pytest, threading
		acl = ctypes.CDLL("libascendcl.so")
		size = ctypes.c_size_t(64)

		@pytest.fixture(scope="module")
		def device():
		    memory, stream = ctypes.c_void_p(), ctypes.c_void_p()
		    acl.aclInit(None), acl.aclrtSetDevice(0), acl.aclrtCreateStream(ctypes.byref(stream))
		    acl.aclrtMalloc(ctypes.byref(memory), ctypes.c_size_t(1 << 20), 0)
		    acl.aclrtMemset(memory, ctypes.c_size_t(1 << 20), 0, ctypes.c_size_t(1 << 20))
		    def copy(offset):
		        source = ctypes.c_void_p(memory.value + offset)
		        acl.aclrtMemcpyAsync(ctypes.c_void_p(memory.value + 4096), size, source, size, 3, stream)
		    yield copy
		    acl.aclrtSynchronizeStream(stream), acl.aclrtDestroyStream(stream), acl.aclrtFree(memory)
		    acl.aclrtResetDevice(0), acl.aclFinalize()

		def test_right(device):
		    device(64)

		def test_wrong(device):
		    device(1)

		def test_wrong_in_the_same_way(device):
		    device(1)

		def test_right_afterwards(device):
		    device(128)

		@pytest.mark.aclcheck("async-copy-*", reason="it is what this test is about")
		def test_expected(device):
		    device(2)

		@pytest.mark.aclcheck("async-copy-*")
		def test_expected_and_not_there(device):
		    device(64)

		def test_both(device):
		    device(3)
		    assert False, "of its own"

		@pytest.mark.parametrize("offset", [64, 5])
		def test_each(device, offset):
		    device(offset)
	E
}

# pytest_with OPTION...: exit code in $status, outcomes in outcomes
pytest_with() {
	cp "$BATS_FILE_TMPDIR/test_app.py" .
	status=0
	checked "r-%p.json" env PYTHONPATH="$ACLCHECK_SOURCE/include/python" "$python" -m pytest -p pytest_aclcheck -p no:cacheprovider \
		-rA "$@" test_app.py >out 2>&1 || status=$?
	sed -nE 's/^(PASSED|FAILED|ERROR) ([^ ]+).*/\1 \2/p' out | sed 's/test_app.py:://' | sort -u >outcomes
}

outcomes_expected() {
	diff outcomes - <<-'E'
		FAILED test_both
		FAILED test_each[5]
		FAILED test_expected_and_not_there
		FAILED test_wrong
		FAILED test_wrong_in_the_same_way
		PASSED test_each[64]
		PASSED test_expected
		PASSED test_right
		PASSED test_right_afterwards
	E
}

@test "each test has a verdict of its own, and its name is in the report" {
	pytest_with
	[ "$status" = 1 ]
	outcomes_expected
	grep -q 'aclcheck found:' out
	grep -q 'async-copy-alignment: .* at device.<locals>.copy (test_app.py:13)' out
	grep -q 'async-copy-\* was not reported' out
	report=$(ls r-*.json)
	[ "$(json "$report" '[f["test"].split("::")[1] for f in r["findings"] if f["rule"] == "async-copy-alignment"]')" = \
		"['test_wrong', 'test_wrong_in_the_same_way', 'test_expected', 'test_both', 'test_each[5]']" ]
	"$aclcheck" report --format junit "$report" >out.xml || [ $? = 97 ]
	grep -q 'in test_app.py.*:test_wrong_in_the_same_way ' out.xml
	"$aclcheck" report --format sarif "$report" >out.sarif || [ $? = 97 ]
	grep -q '"test": *"test_app.py::test_each\[5\]"' out.sarif
	python3 "$ACLCHECK_SOURCE/tests/report/validate.py" "$ACLCHECK_SOURCE/tools/aclcheck/report/report.schema.json" "$report"
}

@test "workers of xdist do the same" {
	pytest_with -n 2
	[ -d "$BATS_FILE_TMPDIR/pytest-of-$(id -un)" ]
	[ "$status" = 1 ]
	outcomes_expected
}

@test "without the tool tests run as ever" {
	cp "$BATS_FILE_TMPDIR/test_app.py" .
	PYTHONPATH=$ACLCHECK_SOURCE/include/python "$python" -m pytest -p pytest_aclcheck -p no:cacheprovider -rA test_app.py >out 2>&1 || [ $? = 1 ]
	grep -q 'aclcheck: not loaded' out
	[ "$(grep -c ^FAILED out)" = 1 ]
}
