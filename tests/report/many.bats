#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Many findings, many processes: what the terminal shows of them.

load helper

MANY=$BUILD/tests/report/many

checked() {
	env LD_LIBRARY_PATH="$BUILD/softnpu" LD_PRELOAD="$BUILD/libaclcheck.so" "$@" 2>err
}

@test "20 findings in full, ten times as many in a line each, the rest counted" {
	checked ACLCHECK_REPORT=r.json "$MANY"
	[ "$(grep -c '^   hint: ' err)" = 20 ]
	[ "$(grep -c '^== aclcheck error #' err)" = 200 ]
	[ "$(grep -c '^== aclcheck error #.*aclrtMemcpyAsync  copy_[a-d][0-3]* (many.c:[0-9]*)$' err)" = 180 ]
	grep -q '^== aclcheck: 20 findings were shown; the next ones get a line each' err
	grep -q '^== aclcheck: 200 findings were shown; the next ones are only counted' err
	grep -q '^   counted and not shown: 56$' err
	grep -q '^   … 256 call sites$' err
	[ "$(wc -l <err)" -lt 900 ]
	# The report has them all.
	[ "$(json r.json 'len(r["findings"]), r["totals"]["error"]')" = "(256, 256)" ]
}

@test "the number of findings in full is a setting" {
	checked ACLCHECK_MAX_FINDINGS=300 "$MANY"
	[ "$(grep -c '^   hint: ' err)" = 256 ]
	! grep -q 'were shown' err || return 1
	checked ACLCHECK_MAX_FINDINGS=0 "$MANY"
	[ "$(grep -c '^== aclcheck error #' err)" = 0 ]
	grep -q '^   counted and not shown: 256$' err
	checked ACLCHECK_LANG=zh ACLCHECK_MAX_FINDINGS=1 "$MANY"
	grep -q '^   只计数、未显示:246$' err
}

@test "one summary for the job; lines of several processes name theirs" {
	run "$ACLCHECK" run --softnpu --max-findings 2 --report r.json -- "$MANY" 3
	[ "$status" = 97 ]
	[ "$(grep -c 'aclcheck summary' <<<"$output")" = 1 ]
	[ "$(grep -c '^== aclcheck summary: 768 errors, 0 warnings, 0 perf, 0 portability, 0 advice, 0 suppressed, 0 expected, [0-9]* calls checked, 3 processes$' <<<"$output")" = 1 ]
	[ "$(grep -c '^  error async-copy-alignment x 3  aclrtMemcpyAsync  copy_[a-d][0-3]* (.*many.c:[0-9]*)  \[3 processes\]$' <<<"$output")" = 40 ]
	grep -q '^  … and 216 more$' <<<"$output"
	# The program's own process is the one without a tag.
	[ "$(grep -c '^== aclcheck error #' <<<"$output")" = 20 ]
	[ "$(grep -c '^\[pid [0-9]*\] == aclcheck error #' <<<"$output")" = 40 ]
	[ "$(grep -c '^\[pid [0-9]*\]    hint: ' <<<"$output")" = 4 ]
	[ "$(grep -c '^aclcheck: verdict fail (3 processes)$' <<<"$output")" = 1 ]
	run "$ACLCHECK" run --softnpu -- env RANK=5 "$MANY"
	[ "$(grep -c '^\[rank 5\] == aclcheck error #' <<<"$output")" = 200 ]
	[ "$(grep -c '^== aclcheck error #' <<<"$output")" = 0 ]
}

@test "logs of their own have their own summaries" {
	run "$ACLCHECK" run --softnpu --log log.%p -- "$MANY" 2
	[ "$(cat log.* | grep -c '^== aclcheck summary')" = 2 ]
	[ "$(cat log.* | grep -c '^\[pid')" = 0 ]
}

@test "text on a terminal is capped as well, in a file and a pipe it is not" {
	checked ACLCHECK_REPORT=r.json "$MANY"
	"$ACLCHECK" report r.json >all || [ $? = 97 ]
	[ "$(grep -c '^   hint: ' all)" = 256 ]
	"$ACLCHECK" report --max-findings 3 r.json >some || [ $? = 97 ]
	[ "$(grep -c '^   hint: ' some)" = 3 ]
	grep -q '^253 more findings:$' some
	[ "$(grep -c '^  error async-copy-alignment x 1  aclrtMemcpyAsync  copy_' some)" = 27 ]
	grep -q '^  … and 226 more' some
	python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$ACLCHECK" report r.json >terminal
	[ "$(grep -c '^   hint: ' terminal)" = 20 ]
	run "$ACLCHECK" report --max-findings=many r.json
	[ "$status" = 99 ]
}

@test "what fails comes first" {
	"$FINDINGS" advice warning error 2>/dev/null
	ACLCHECK_REPORT=r.json "$FINDINGS" advice warning error 2>/dev/null
	"$ACLCHECK" report --max-findings 1 r.json >some || [ $? = 97 ]
	[ "$(head -1 some | cut -c1-28)" = "error: async-copy-alignment:" ]
	[ "$(sed -n '/^summary/p' some | cut -d, -f1-4)" = "summary: 1 error, 1 warning, 0 perf, 0 portability" ]
}

@test "a format without a file goes to standard error, never between what the program prints" {
	for format in json github junit; do
		"$ACLCHECK" run --softnpu --format $format -- "$PROGRAM" >out 2>err || [ $? = 97 ]
		LD_LIBRARY_PATH=$BUILD/softnpu "$PROGRAM" >plain
		cmp out plain
		grep -q 'async-copy-alignment' err
	done
	[ "$(sed -n '/^<?xml/,/<.testsuites>/p' err | xmllint --xpath 'string(//testsuite/@name)' -)" = aclcheck ]
}
