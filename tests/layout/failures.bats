#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What CI prints last when tests failed: which, and what they said.

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	failures=$ACLCHECK_SOURCE/tests/failures
	mkdir tap
	printf '1..1\nok 1 - good\n' >tap/tests+good.bats
}

@test "a failed test is named with what it said, and nothing else is" {
	printf '1..3\nok 1 - first\n# a word of it\nnot ok 2 - second\n# line 7\n3 != 4\nok 3 - third\n# ended with 1\n' >tap/tests+a.bats
	run "$failures" tap
	[ "${lines[0]}" = tests/a.bats: ]
	[ "${lines[1]}" = "  not ok 2 - second" ]
	[ "${lines[2]}" = "  # line 7" ]
	[ "${lines[3]}" = "  3 != 4" ]
	[ "${lines[4]}" = "  # ended with 1" ]
	[ "${lines[5]}" = "failures: 1 programs failed" ]
	[ "${#lines[@]}" = 6 ]
}

@test "failures that are allowed are none" {
	printf '1..1\nnot ok 1 - later # TODO\n' >tap/tests+a.bats
	run "$failures" tap
	[ "$output" = "failures: 0 programs failed" ]
}

@test "a program that was killed, or ran less than it planned, shows its last lines" {
	printf '1..2\nok 1 - first\nwhat it said\n# ended with 139\n' >tap/tests+a.bats
	printf '1..2\nok 1 - first\n' >tap/tests+b.bats
	: >tap/tests+c.bats
	run "$failures" tap
	[[ $output == *"what it said"*"# ended with 139"* ]]
	[[ $output == *"tests/b.bats:"*"# 1 results of 2"* ]]
	[[ $output == *"tests/c.bats:"*"# 0 plans"* ]]
}

@test "many failures stay within the bound, each program with its share" {
	for name in a b c d; do
		{ printf '1..50\n'; for i in {1..50}; do printf 'not ok %d - of %s\n# why\n' "$i" $name; done; } >tap/tests+$name.bats
	done
	run "$failures" tap 40
	[ "${#lines[@]}" -le 41 ]
	for name in a b c d; do
		[[ $output == *"tests/$name.bats:"*"not ok 1 - of $name"*"more lines in tap"* ]]
	done
}

@test "an end by a signal or with an exit code is kept beside the lines" {
	printf '#!/bin/sh\necho 1..1; echo ok 1; kill -9 $$\n' >test.t
	chmod +x test.t
	run env TAP_DIR="$PWD/tap" ACLCHECK_SOURCE="$PWD" ACLCHECK_BUILD="$PWD/build" "$ACLCHECK_SOURCE/tests/keep-tap" ./test.t
	[ "$status" = 137 ]
	[ "$(tail -n 1 tap/test.t)" = "# ended with 137" ]
}

@test "a test without end is ended, and the lines up to there are shown" {
	mkdir -p build
	printf '#!/bin/sh\necho 1..2; echo ok 1; sleep 600\n' >test.t
	chmod +x test.t
	run env TEST_SECONDS=1 TAP_DIR="$PWD/tap" ACLCHECK_SOURCE="$PWD" ACLCHECK_BUILD="$PWD/build" "$ACLCHECK_SOURCE/tests/keep-tap" ./test.t
	[ "$status" = 124 ]
	[[ $output == *"ok 1"*"# nothing said for 1 s"* ]]
	run "$failures" tap
	[[ $output == *"test.t:"*"# nothing said for 1 s"*"# ended with 124"* ]]
}

@test "nobody waits for what a test leaves running" {
	printf '#!/bin/sh\necho 1..1; echo ok 1; sleep 60 & echo $! >left\n' >test.t
	chmod +x test.t
	run timeout 30 env TAP_DIR="$PWD/tap" ACLCHECK_SOURCE="$PWD" ACLCHECK_BUILD="$PWD/build" prove --exec "$ACLCHECK_SOURCE/tests/keep-tap" ./test.t
	kill "$(cat left)"
	[ "$status" = 0 ]
}
