#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# aclcheck fuzz-errors: one run for each place that calls the runtime, with that call failing.

load helper

FAULTY=$BUILD/tests/report/faulty

setup() {
	own_tmpdir || return
}

# Nothing stays behind.
teardown() {
	nothing_stays
}

# tried CODE OPTION... -- MODE
tried() {
	local code=$1
	shift
	run "$ACLCHECK" fuzz-errors --softnpu "${@:1:$#-2}" -- "$FAULTY" "${@: -1}"
	echo "$output"
	[ "$status" = "$code" ]
}

@test "a program that stops at each error passes" {
	tried 0 -- careful
	[[ $output == *"13 places, 13 stopped"*"verdict pass" ]]
	[[ $output == *"stopped      aclrtMalloc  grow ("*": exit code 3"* ]]
}

@test "how a failed allocation is taken: stopped, retried, another way, misuse, crash, hang" {
	tried 0 --calls aclrtMalloc -- stop
	[[ $output == *"stopped      aclrtMalloc  grow ("*"1 place, 1 stopped"* ]]
	tried 0 --calls aclrtMalloc -- retry
	[[ $output == *"retried      aclrtMalloc"* ]]
	tried 0 --calls aclrtMalloc -- fallback
	[[ $output == *"other-way    aclrtMalloc  grow ("*": aclrtFree 3 times"* ]]
	tried 97 --calls aclrtMalloc -- ignore
	[[ $output == *"misuse       aclrtMalloc  grow ("*": alloc-result-unchecked by aclrtMemcpyAsync"*"verdict fail" ]]
	tried 97 --calls aclrtMalloc -- die
	[[ $output == *"crash        aclrtMalloc  grow ("*": signal 9 (Killed)"* ]]
	tried 97 --calls aclrtMalloc --timeout 2 -- hang
	[[ $output == *"hang         aclrtMalloc"* ]]
	# Nothing of it shows.
	tried 97 --calls aclrtMemcpyAsync -- ignore
	[[ $output == *"ignored      aclrtMemcpyAsync"* ]]
}

@test "the state: what was tried is not tried again, another command line is refused, an interrupted command goes on" {
	tried 0 --state s.json --calls "aclrtMalloc*" -- careful
	[ "$(json s.json "sorted((p['call'], p['outcome']) for p in r['places'])")" = \
		"[('aclrtMalloc', 'stopped'), ('aclrtMallocHost', 'stopped')]" ]
	# A false entry is believed: nothing runs.
	sed -i '0,/"stopped"/s//"ignored"/' s.json
	tried 97 --state s.json --logs logs -- careful
	[[ $output == *"2 places, 1 ignored, 1 stopped"* && -z $(ls logs) ]]
	tried 99 --state s.json -- stop
	[[ $output == *"is the state of another command line"* ]]
	echo '[]' >bad.json
	tried 99 --state bad.json -- careful
	[[ $output == *"is no state of"* ]]
	rm s.json
	"$ACLCHECK" fuzz-errors --softnpu -j 1 --state s.json --timeout 300 -- "$FAULTY" hang >out 2>&1 &
	command=$!
	await sh -c "grep -q ignored s.json"
	kill -INT $command
	wait $command && false
	[ -z "$(ls tmp)" ]
	before=$(json s.json "sum('outcome' in p for p in r['places'])")
	((before > 0 && before < 13))
	tried 97 --state s.json --timeout 2 -- hang
	[[ $output == *"hang         aclrtMalloc"*"13 places, "* ]]
}

@test "several at once, the files of each run on request, a program that does not run" {
	tried 0 -j 3 --logs logs -- careful
	[ "$(ls logs | grep -c 'place-.*json')" = 13 ]
	grep -q "injected: aclrtMalloc failed with 207001" logs/place-*.log
	run "$ACLCHECK" fuzz-errors --softnpu -- ./nothing
	[[ $status = 99 && $output == *"left no report"* ]]
	run "$ACLCHECK" fuzz-errors --softnpu -- sh -c 'kill -9 $$'
	[[ $status = 99 && $output == *"is killed without any failure"* ]]
	# Nothing to try proves nothing.
	run "$ACLCHECK" fuzz-errors --softnpu -- true
	[[ $status = 98 && $output == *"0 places"*"verdict inconclusive"* ]]
}

@test "what the program does without any failure counts against none" {
	run "$ACLCHECK" fuzz-errors --softnpu --calls aclrtMallocHost -- "$PROGRAM"
	echo "$output"
	[[ $output != *"by aclrtMemcpyAsync"* ]]
}
