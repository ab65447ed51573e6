#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The verdict is right each time: what was not seen is never a pass. Each case runs many times.

load helper

TIMES=${ACLCHECK_GATE_TIMES:-10}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export TMPDIR=$PWD/tmp PROGRAM ACLCHECK BUILD
	mkdir tmp
}

# Nothing of ours stays behind.
teardown() {
	[ -z "$(ls "$BATS_TEST_TMPDIR/tmp")" ]
}

# verdict CODE TEXT OPTION... -- COMMAND...: each time this exit code, and the text in what is said.
verdict() {
	local code=$1 text=$2
	shift 2
	for ((i = 1; i <= TIMES; i++)); do
		run "$ACLCHECK" run --softnpu "$@"
		[[ $status = "$code" && $output == *"$text"* ]] || {
			echo "time $i: exit code $status, expected $code with '$text': $output"
			return 1
		}
	done
}

off='checks-off: no rule of severity error is switched on'

@test "no rule that could fail the run is on: inconclusive" {
	verdict 98 "$off" --rules=-all -- "$PROGRAM"
	verdict 98 "$off" --rules=all=advice -- "$PROGRAM"
	verdict 98 "$off" --rules=-error -- "$PROGRAM" clean
	# One that 9.1 took back, one that is a warning, and that one where warnings fail.
	verdict 98 "$off" --rules=-all,async-copy-alignment --target-cann 9.2 -- "$PROGRAM"
	verdict 98 "$off" --rules=-all,leak-host-memory -- "$PROGRAM" clean
	verdict 0 "verdict pass" --rules=-all,leak-host-memory --fail-on warning -- "$PROGRAM" clean
	verdict 97 "verdict fail" --rules=-all,async-copy-alignment -- "$PROGRAM"
}

@test "rules switched off by a process of the run: inconclusive, whatever the others do" {
	verdict 98 "$off" -- sh -c '"$PROGRAM" clean; ACLCHECK_RULES=-all "$PROGRAM"'
	verdict 98 "checks-off: checks are switched off" -- sh -c '"$PROGRAM" clean; ACLCHECK_CHECKS=off "$PROGRAM"'
	echo '{"rules": "-all"}' >c.json
	verdict 98 "$off" -- sh -c '"$PROGRAM" clean; ACLCHECK_CONFIG=c.json "$PROGRAM"'
}
