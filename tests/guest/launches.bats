#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Host functions run with their own data, once or with the model that recorded them, whatever else comes and goes.

load guest.bash

same() {
	same_as_without timeout 100 "$guest/launches" "$@"
	[ "$(cat ours.out)" = ok ]
}

@test "queued while other streams are captured and their models destroyed" {
	same queued
}

@test "a built model that is destroyed takes no captured launch with it" {
	same built
}

@test "tasks of a bound stream run with each execution" {
	same bound
}

@test "a condition's model: captured by another beginning, ended by the same end" {
	same sub
}

@test "a stream that joined a capture through an event" {
	same joined
}

@test "two thousand replays between other launches" {
	same replayed
}

@test "captures whose end is refused keep nothing" {
	same refused 2
}

@test "a task of a group that was updated runs with its model" {
	LD_LIBRARY_PATH=$guest/holding same_as_without "$guest/held" updated
	[ "$(cat ours.out)" = ok ]
}

@test "traced without checks: it is not known which launch is recorded, and all run right" {
	for each in queued built bound sub joined; do
		ACLCHECK_CHECKS=off traced "$guest/launches" "$each" >out
		[ "$(cat out)" = ok ]
		grep -q '^begin aclrtLaunchHostFunc' events
	done
}
