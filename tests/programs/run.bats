#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The runner of tables says "not ok" where it should: wrong rule, wrong weight, finding too many, unknown mistake.

setup() {
	folder="$ACLCHECK_SOURCE/tests/documents"
	table="$BATS_TEST_TMPDIR/table"
}

# A table of one line, in the place of the documents' own.
run_line() {
	echo "$1" >"$table"
	run "$ACLCHECK_SOURCE/tests/programs/run" "$table" "" "$folder"
}

# fails WHY
fails() {
	[ "$status" -eq 1 ]
	[[ "${lines[1]}" == "not ok 1 "* ]]
	[[ "$output" == *"$1"* ]]
}

@test "a line that says what happens passes" {
	run_line 'h2d_sync init-twice SOFTNPU_CANN=9.1 : init-repeat:error'
	[ "$status" -eq 0 ]
	[[ "${lines[1]}" == "ok 1 "* ]]
}

@test "another rule fails" {
	run_line 'h2d_sync init-twice SOFTNPU_CANN=9.1 : async-copy-h2h:error'
	fails "wanted [('async-copy-h2h', 'error')], got [('init-repeat', 'error')]"
}

@test "another weight fails" {
	run_line 'h2d_sync init-twice SOFTNPU_CANN=9.1 : init-repeat:warning'
	fails "wanted [('init-repeat', 'warning')], got [('init-repeat', 'error')]"
}

@test "a finding that is not expected fails" {
	run_line 'h2d_sync init-twice SOFTNPU_CANN=9.1 :'
	fails "wanted [], got [('init-repeat', 'error')]"
}

@test "a finding that does not come fails" {
	run_line 'h2d_sync - SOFTNPU_CANN=9.1 : init-repeat:error'
	fails "wanted [('init-repeat', 'error')], got []"
}

@test "a mistake the program does not know fails" {
	run_line 'h2d_sync no-such-thing SOFTNPU_CANN=9.1 :'
	fails "does not know this mistake"
}

@test "a program that is not there fails" {
	run_line 'no_such_program - SOFTNPU_CANN=9.1 :'
	fails no_such_program
}
