#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A skip counts as a failure in CI unless .ci/skips says why it may be.

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	skips=$ACLCHECK_SOURCE/tests/skips
	mkdir tap
	printf '# comment\ntests/a.bats | needs * | no such machine\n' >list
}

@test "a listed skip is none, whatever its case" {
	printf '1..2\nok 1 - runs\nok 2 - needs two devices # SKIP only one\n' >tap/tests+a.bats
	printf 'ok 3 needs a disk # skip (none)\n' >>tap/tests+a.bats
	"$skips" tap list
}

@test "a skip that is not listed fails, and so does one of another test" {
	printf 'ok 1 - reads # SKIP tired\n' >tap/tests+a.bats
	run "$skips" tap list
	[ "$status" = 1 ]
	[[ $output == *"not listed: tests/a.bats: reads: tired"* ]]
	printf 'ok 1 - needs two devices # SKIP only one\n' >tap/tests+a.bats
	"$skips" tap list
	mv tap/tests+a.bats tap/tests+b.bats
	run "$skips" tap list
	[ "$status" = 1 ]
}

@test "an entry holds for the builds with sanitizers, too" {
	echo 'tests/b | needs * | no library here' >list
	echo 'ok 1 - needs a library # skip' >tap/asan+tests+b
	run "$skips" tap list
	[ "$status" = 0 ]
	echo 'ok 1 - another # skip' >tap/tsan+tests+b
	run "$skips" tap list
	[ "$status" = 1 ]
}

@test "a program that ran no test at all is a skip" {
	echo '1..0 # SKIP no library' >tap/tests+b.bats
	run "$skips" tap list
	[ "$status" = 1 ]
	[[ $output == *"no library"* ]]
}

@test "an entry without a reason is refused" {
	echo 'tests/a.bats | needs *' >list
	run "$skips" tap list
	[ "$status" = 1 ]
}

@test "every entry of .ci/skips is about a test there is" {
	while IFS='|' read -r path _ reason; do
		path=${path% }
		[[ $path == '#'* ]] && continue
		[ -n "$reason" ]
		[ -e "$ACLCHECK_SOURCE/$path" ] || [ -e "$ACLCHECK_SOURCE/$path.c" ] || { echo "$path"; return 1; }
	done <"$ACLCHECK_SOURCE/.ci/skips"
}

@test "what a test says is kept, and its result is its own" {
	printf '#!/bin/sh\necho "1..1"\necho "not ok 1 - fails"\nexit 3\n' >test.t
	chmod +x test.t
	export TAP_DIR=$PWD/tap
	run env ACLCHECK_SOURCE="$PWD" ACLCHECK_BUILD="$PWD/build" "$ACLCHECK_SOURCE/tests/keep-tap" ./test.t
	[ "$status" = 3 ]
	grep -q 'not ok 1' tap/test.t
}
