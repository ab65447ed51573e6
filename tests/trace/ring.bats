#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# aclcheck trace --ring: the last calls, written when something happens.

# shellcheck disable=SC2154 # what places() sets
load trace.bash

setup_file() {
	load trace.bash
	alone
}

# ring DIR [OPTION...] -- PROGRAM...
ring() {
	local dir=$1
	shift
	"$aclcheck" trace --ring 1M -o "$dir" "$@" 2>said
}

written() {
	find "$1" -mindepth 1 -maxdepth 1 -name 'snapshot-*' | wc -l
}

@test "nothing happens: nothing is written, and nothing is left" {
	ring t -- "$app" exit 0
	grep -qx 'aclcheck: nothing happened for which the last calls are written' said
	[ ! -e t ]
	[ -z "$(daemons_of "$place")" ]
}

@test "a crash: the last calls are there, and who made them; the first ones are not" {
	# A ring for each processor: on another one that the program left, its first calls would still be.
	run ring t -- taskset -c "$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')" "$app" killed 100000
	[ "$status" -eq 137 ]
	grep -qx 'aclcheck: last calls written to t: 1 x' said
	[ "$(written t)" -eq 1 ]
	[ "$(count t ' acl:aclrtGetDevice_exit:')" -gt 100 ]
	[ "$(count t ' acl:aclrtGetDevice_exit:')" -lt 100000 ]
	[ "$(count t ' acl:aclInit_entry:')" -eq 0 ]
	# the number of the last call is that of the program's last one: aclInit, aclrtSetDevice, the queries
	events t | grep ' acl:aclrtGetDevice_exit:' | tail -1 | grep -q 'call_number = 100002'
	[ "$(count t ' aclcheck:process:')" -eq 1 ]
	"$aclcheck" summary "$(sed -n 's/^aclcheck: next: aclcheck summary //p' said)" >sums
	grep -q "$app killed 100000" sums
	grep -q '^  earlier calls are not in the recording: [1-9][0-9]*$' sums
}

@test "what a program says all the time does not drive out who it is" {
	run ring t -- "$app" named 100000
	[ "$status" -eq 137 ]
	[ "$(count t ' aclcheck:process:')" -eq 1 ]
	[ "$(count t ' aclcheck:said:')" -gt 100 ]
	[ "$(count t ' aclcheck:said:')" -lt 100000 ]
}

@test "a program that fails" {
	run ring t -- "$app" exit 5
	[ "$status" -eq 5 ]
	[ "$(written t)" -eq 1 ]
	[ "$(count t ' acl:aclInit_entry:')" -eq 1 ]
}

@test "a finding, at the end or in the middle" {
	ring t -- "$app" leak
	[ "$(written t)" -eq 1 ]
	[ "$(count t ' aclcheck:finding: .*leak-device-memory')" -ge 1 ]
	mkfifo in
	"$aclcheck" trace --ring 1M -o m -- sh -c '"$1" leak; cat' - "$app" <in >out 2>said 3>&- &
	exec 7>in
	there() { [ -d m ] && [ "$(written m)" -eq 1 ]; }
	await there
	exec 7>&-
	wait $!
}

@test "a signal, as often as it comes" {
	mkfifo in out
	"$aclcheck" trace --ring 1M --on-signal -o t -- "$app" steps <in >out 2>said 3>&- &
	tracer=$!
	exec 7>in 8<out
	for n in 1 2; do
		echo >&7
		read -r -t 20 _ <&8
		kill -USR1 "$tracer"
		so_often() { [ -d t ] && [ "$(written t)" -ge "$n" ]; }
		await so_often
	done
	exec 7>&- 8<&-
	wait "$tracer"
	grep -qx 'aclcheck: last calls written to t: 2 x' said
	[ "$(count "$(sed -n 's/^aclcheck: next: aclcheck summary //p' said)" ' acl:aclrtGetDevice_entry:')" -eq 2 ]
}

@test "a call that does not return for a second: the ring is written while it hangs, once" {
	ACLCHECK_INJECT=aclrtGetDevice:when=4:delay=3500ms ring t --hang 1 -- "$app" chosen 6
	[ "$(grep -cE '^aclcheck: aclrtGetDevice has not returned for 1 s in thread [0-9]+ of process [0-9]+: the last calls are written$' said)" -eq 1 ]
	[ "$(written t)" -eq 1 ]
	# the calls before it are there, and of that one its beginning
	[ "$(count t ' acl:aclrtGetDevice_entry:')" -eq 4 ]
	[ "$(count t ' acl:aclrtGetDevice_exit:')" -eq 3 ]
	[ -z "$(daemons_of "$place")" ]
}

@test "a process is killed, and the program goes on: the last calls are written, once" {
	mkfifo in
	"$aclcheck" trace --ring 1M -o t -- sh -c '"$1" killed 1000; cat' - "$app" <in >out 2>said 3>&- &
	tracer=$!
	exec 7>in
	there() { [ -d t ] && [ "$(written t)" -eq 1 ]; }
	await there
	exec 7>&-
	wait $tracer
	[ "$(grep -cE '^aclcheck: process [0-9]+ was killed, or crashed: the last calls are written$' said)" -eq 1 ]
	[ "$(written t)" -eq 1 ]
	[ "$(count t ' acl:aclrtGetDevice_exit:')" -eq 1000 ]
	[ "$(count t ' aclcheck:ended:')" -eq 1 ]
	# nor is it missed at the very end
	ring e -- sh -c '"$1" killed 1000; true' - "$app"
	grep -qx 'aclcheck: last calls written to e: 1 x' said
	# one that ends is none, whatever its code
	ring n -- sh -c '"$1" exit 5; "$1" fork 3; true' - "$app" >out
	[ ! -e n ]
}

@test "a process is killed: its report, and what it called last, are where the user wants them" {
	mkdir reports
	echo '{"report": "'"$place"'/reports/%p.json"}' >own.json
	ACLCHECK_CONFIG=$place/own.json ring c -- sh -c '"$1" exit 0; "$1" killed 10; true' - "$app"
	[ "$(written c)" -eq 1 ]
	[ "$(find reports -name '*.json' | wc -l)" -eq 1 ]
	[ "$(find reports -name '*.json.part' | wc -l)" -eq 1 ]
	"$aclcheck" report reports/*.part | grep -q 'aclrtGetDevice'
	ACLCHECK_REPORT=reports/again-%p.json ring r -- sh -c '"$1" killed 10; true' - "$app"
	[ "$(written r)" -eq 1 ]
	# of the recording before nothing is said again
	ACLCHECK_REPORT=reports/again-%p.json ring s -- "$app" exit 0
	[ ! -e s ]
}

@test "calls that take less: nothing is written" {
	mkdir tmp
	TMPDIR=$place/tmp ring t --hang 2 -- "$app" exit 0
	[ ! -e t ]
	[ -z "$(ls -A tmp)" ]
}

@test "what does not go with it, and what is no size" {
	for with in --live --lossless --shared --url=net://localhost; do
		run ring t "$with" -- "$app" mix
		[ "$status" -eq 99 ]
		grep -qx 'aclcheck: --ring excludes --live, --url, --lossless and --shared' said
	done
	run "$aclcheck" trace --hang 5 -- "$app" mix
	[ "$status" -eq 99 ]
	[ "$output" = "aclcheck: --hang needs --ring" ]
	run "$aclcheck" trace --ring x -- "$app" mix
	[ "$status" -eq 99 ]
	[ "$output" = "aclcheck: --ring x: not a size such as 64M" ]
}
