#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Every function through the wrapper: a program calls each wrapped function once on a
# runtime that compares every argument, structure by value, callback and result.

# shellcheck source=tests/aarch64/emulated.bash
source "$ACLCHECK_SOURCE/tests/aarch64/emulated.bash"

setup() {
	skip_where_emulated
	test=$ACLCHECK_BUILD/tests/model
	library=$ACLCHECK_BUILD/libaclcheck.so
	functions=$(grep -c '^	ACL_API_acl' "$ACLCHECK_BUILD/gen/acl_api.h")
}

# 390 lines "ok", no other verdict.
intact() {
	printf '%s\n' "$output" | grep -v '^ok' || :
	[ "$status" -eq 0 ]
	[ "$(printf '%s\n' "$output" | grep -c '^ok ')" -eq "$functions" ]
}

@test "the recorder and the program agree without any wrapper" {
	run "$test/every_call"
	intact
}

@test "the generated wrappers alone, checked calls" {
	run env PASSIVE_EXPECT="$functions" LD_PRELOAD="$test/libpassive.so" "$test/every_call"
	intact
}

@test "the generated wrappers alone, plain forward" {
	run env PASSIVE_OFF=1 PASSIVE_EXPECT=0 LD_PRELOAD="$test/libpassive.so" "$test/every_call"
	intact
}

@test "functions that the runtime lacks answer 207000, NULL or 0" {
	run "$test/missing"
	[ "$status" -eq 0 ]
	[[ $output != *"not ok"* ]]
}

@test "libaclcheck.so with its rules" {
	[ -e "$library" ] || skip "libaclcheck.so is not built"
	run bash -c 'LD_PRELOAD=$1 exec "$2" 2>/dev/null' - "$library" "$test/every_call"
	intact
}

@test "the wrappers, not the runtime, answer under the preload" {
	[ -e "$library" ] || library=$test/libpassive.so
	run env LD_DEBUG=bindings LD_PRELOAD="$library" "$test/every_call"
	bypassed=$(printf '%s\n' "$output" | grep "binding file $test/every_call .* to .*libascendcl.so .*symbol .acl" || :)
	[ -z "$bypassed" ]
	printf '%s\n' "$output" | grep -q "binding file .*every_call .* to $library .*symbol .aclrtMemcpyAsync"
}
