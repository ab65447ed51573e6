#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Calls are no cancellation points, whatever the tool does in them, and a thread that is cancelled holds nothing of it.

load guest.bash

@test "a cancelled thread ends behind its calls, not in them" {
	same_as_without timeout 60 "$guest/cancel" deferred
	[ "$(head -1 ours.out)" = "4 calls, cancelled" ]
}

@test "asynchronous cancellation leaves no lock behind, and the program's own settings alone" {
	same_as_without timeout 60 "$guest/cancel" asynchronous
	[ "$(cat ours.out)" = ok ]
}

@test "no cancellation point of the C library is called" {
	# Under an emulator $library is one of this machine that does nothing (tests/aarch64/mirror).
	nm -D --undefined-only "${ACLCHECK_BUILD%/emulated}/libaclcheck.so" | awk '{ sub(/@.*/, "", $2); print $2 }' >imports
	grep -qx memcpy imports
	! grep -xE 'accept|close|connect|creat|fcntl|fdatasync|fsync|lockf|m?sync|(clock_)?nanosleep|open(at)?|pause|p?poll|pread(v2?|64)?|pwrite(v2?|64)?|p?select|read(v)?|recv(from|msg)?|send(to|msg)?|sigsuspend|sigtimedwait|sigwait(info)?|sleep|system|tcdrain|usleep|wait(id|pid|3|4)?|writev?|pthread_(join|cond_(timed)?wait|testcancel)|__(read|pread|open|poll)[0-9_].*' imports
}
