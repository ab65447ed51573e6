#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The GoogleTest listener: findings fail the test that ran.

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	SUITE=$ACLCHECK_BUILD/tests/gtest/suite
	export TMPDIR=$PWD
}

@test "findings fail the tests that caused them, in whatever thread, each time anew" {
	run "$ACLCHECK_BUILD/aclcheck" run --softnpu --report r.json -- "$SUITE"
	echo "$output"
	[ "$status" = 97 ]
	for test in Wrong WrongAgain InAnotherThread; do
		[[ $output == *"[  FAILED  ] Copy.$test ("* ]]
	done
	for test in Right RightAfterwards Expected; do
		[[ $output == *"[       OK ] Copy.$test ("* ]]
	done
	[[ $output == *"aclcheck found:"*"async-copy-alignment: "*"suite.cpp:"* ]]
	[ "$(python3 -c 'import json
print(sorted({f["test"] for f in json.load(open("r.json"))["findings"] if f["rule"] == "async-copy-alignment" and "test" in f}))')" = \
		"['Copy.Expected', 'Copy.InAnotherThread', 'Copy.Wrong', 'Copy.WrongAgain']" ]
}

@test "a test alone, that is right; and nothing without the tool" {
	run "$ACLCHECK_BUILD/aclcheck" run --softnpu -- "$SUITE" --gtest_filter=Copy.Right
	[ "$status" = 0 ]
	run "$SUITE"
	[[ $status = 0 && $output == *"[  PASSED  ] 6 tests."* ]]
}
