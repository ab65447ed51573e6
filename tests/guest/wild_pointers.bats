#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The program's pointers may lead anywhere: a call with a wild one ends as it does without the tool.

load guest.bash

# last call that began, when the program did not come back
survives() {
	"$@" 2>err >out || {
		echo "status $?: $(grep '^acl' err | tail -1)"
		return 1
	}
}

@test "every function with wild pointers, refused" {
	survives "$guest/wild_pointers" calls
	ACLCHECK_LOG=off survives checked "$guest/wild_pointers" calls
	[ "$(field calls)" -gt 1000 ]
	# Findings say what the arguments were, and texts that are not there are addresses.
	ACLCHECK_LOG=$place/log ACLCHECK_MAX_FINDINGS=1000000 survives checked "$guest/wild_pointers" calls
	grep -q 'name=0x' log
}

@test "every function with wild pointers, recorded as well" {
	survives traced "$guest/wild_pointers" calls
	grep -q 'enter aclrtMemcpyBatch ' events
}

@test "where process_vm_readv is forbidden" {
	ACLCHECK_LOG=off survives checked "$guest/wild_pointers" forbidden
	[ "$(cat out)" != skip ] || skip "no seccomp"
	[ "$(field calls)" -gt 1000 ]
}

@test "arguments on the stack are read without a system call" {
	export LD_LIBRARY_PATH=$guest/empty
	ACLCHECK_LOG=off checked "$guest/wild_pointers" stack 2>err >out || :
	[ "$(cat out)" != skip ] || skip "no seccomp"
	[ "$(cat out)" = done ]

}
