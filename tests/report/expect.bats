#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Expected failures: scopes that the program opens, entries "expect" of the suppression file.

load helper
EXPECTING=$BUILD/tests/report/expecting

# expecting STATUS WORD…: the verdict's exit code under aclcheck run; report in r.json, output in $output.
expecting() {
	local wanted=$1
	shift
	unset ACLCHECK_JOB
	run "$ACLCHECK" run --softnpu "${OPTIONS[@]}" --report r.json -- "$EXPECTING" "$@"
	[ "$status" = "$wanted" ]
}

# The same by hand: a process checks itself, its exit code is the verdict.
alone() {
	local wanted=$1
	shift
	run env -u ACLCHECK_JOB LD_PRELOAD="$BUILD/libaclcheck.so" LD_LIBRARY_PATH="$BUILD/softnpu" ACLCHECK_EXITCODE=9 \
		ACLCHECK_REPORT=a%p.json "$EXPECTING" "$@"
	[ "$status" = "$wanted" ]
}

entry() {
	echo "{\"expect\": [{$1, \"reason\": \"a negative test\"}]}" >e.json
	OPTIONS=(--suppress e.json)
}

@test "a finding inside a scope is expected: shown, not counted, not failing" {
	expecting 97 bad
	expecting 0 open 'async-*' bad close
	[ "$(json r.json '[(f["expected"], f["expected_by"], f["expected_in"], f["suppressed"]) for f in r["findings"]]')" = \
		"[(True, 'opened on purpose', 'program', False)]" ]
	[ "$(json r.json 'r["totals"]')" = \
		"{'error': 0, 'warning': 0, 'perf': 0, 'portability': 0, 'advice': 0, 'suppressed': 0, 'expected': 1}" ]
	[ "$(json r.json '[(e["rule"], e["opened"], e["met"], e["place"]["function"]) for e in r["expectations"]]')" = \
		"[('async-*', 1, 1, 'run')]" ]
	[[ $output != *"aclcheck error"* ]]
	[[ $output == *"1 expected"* ]]
	expecting 0 in 'async-copy-alignment' bad twelve
	alone 0 open '*' bad close
	alone 9 bad
}

@test "a scope that ends without its finding fails the run" {
	expecting 97 open 'async-*' close
	[[ $output == *"expected, but not seen: async-* (opened on purpose), a scope opened in run ("*"expecting.c:"*"), 0 of 1 times seen"* ]]
	expecting 97 in 'event-*' bad
	# What one would look for first.
	expecting 97 in 'aync-*' bad
	[[ $output == *"0 of 1 times seen, no rule has this name"* ]]
	expecting 97 in 'ipc-*' bad
	[[ $output == *"0 of 1 times seen, the rule was never evaluated"* ]]
	OPTIONS=(--rules -async-copy-alignment)
	expecting 97 in async-copy-alignment bad
	[[ $output == *"0 of 1 times seen, the rule is switched off or not checked yet"* ]]
	OPTIONS=()
	# Each opening wants its own.
	expecting 97 open 'async-*' bad close open 'async-*' close
	[[ $output == *"1 of 2 times seen"* ]]
	expecting 0 open 'async-*' bad close open 'async-*' bad close
	expecting 97 open 'async-*'
	alone 9 open 'async-*' close
	[[ $output == *"expected, but not seen: async-* (opened on purpose)  run (expecting.c:"* ]]
}

@test "what happens outside the scope, at the same place, fails as ever" {
	expecting 97 open 'async-*' bad close bad
	[ "$(json r.json '[(f.get("expected", False), f["count"]) for f in r["findings"]]')" = "[(True, 1), (False, 1)]" ]
	expecting 97 twelve open 'async-*' twelve close
	[ "$(json r.json '[(f.get("expected", False), f["count"]) for f in r["findings"]]')" = "[(False, 12), (True, 12)]" ]
	expecting 97 open 'event-*' bad close
}

@test "scopes nest: the innermost that matches takes it" {
	expecting 97 open 'async-*' open 'event-*' bad close bad close
	[[ $output == *"event-* (opened on purpose)"* ]]
	expecting 97 open '*' open 'async-*' bad close close
	expecting 0 open '*' open 'async-*' bad close bad close
	expecting 0 open 'async-*' in 'api-error' bad refused
	expecting 97 in 'async-*' open 'x*' open 'y*' bad
	[[ $output == *"y* (opened on purpose)"* ]]
}

@test "misuse of scopes makes the run inconclusive" {
	expecting 98 close
	[[ $output == *"expected-failure-scope: a scope of expected failure was closed that is not open"* ]]
	expecting 98 nowhere close
	[[ $output == *"without a rule or without a reason"* ]]
	expecting 98 deep
	[[ $output == *"nested too deep"* ]]
}

@test "a scope belongs to its thread" {
	expecting 97 open 'async-*' thread close
	expecting 0 thread-open
	expecting 97 thread-open bad
}

@test "a child goes on in its parent's scopes and may meet them" {
	expecting 0 open 'async-*' fork close
	[ "$(json r.json '(r["expectations"][0]["opened"], r["expectations"][0]["met"], len(r["processes"]))')" = "(1, 1, 2)" ]
	expecting 97 fork
	expecting 97 fork-open
	[[ $output == *"the child's own"* ]]
	expecting 97 open 'async-*' close fork
}

@test "what is found at the exit belongs to scopes that are open then" {
	expecting 0 open '*' leak quit
	OPTIONS=(--fail-on warning)
	expecting 97 leak quit
	expecting 97 open 'leak-*' leak quit
	expecting 0 open '*' leak quit
	expecting 0 open 'finalize-*' open 'leak-*' leak quit
}

@test "errors that the runtime returns" {
	OPTIONS=(--fail-on warning)
	expecting 97 refused
	expecting 0 open api-error refused close
	expecting 0 open '*' refused bad close
}

@test "C++, at fixed addresses, and without the tool" {
	EXPECTING=$BUILD/tests/report/expecting-cxx
	expecting 97 bad
	expecting 0 in 'async-*' bad
	expecting 97 open 'async-*' close
	for EXPECTING in "$BUILD/tests/report/expecting" "$BUILD/tests/report/expecting-cxx"; do
		run env LD_LIBRARY_PATH="$BUILD/softnpu" "$EXPECTING" in 'async-*' open x deep close close bad
		[ "$status" = 0 ]
		[ "$output" = done ]
	done
}

@test "entries of a file: the same patterns as suppressions" {
	for good in '"rule": "async-*"' '"rule": "*", "function": "copy_in"' '"rule": "*", "file": "expecting.c"' \
		'"rule": "*", "object": "stream"' '"rule": "*", "call": "aclrtMemcpyAsync", "module": "expecting"'; do
		entry "$good"
		expecting 0 bad
		[ "$(json r.json '[(f["expected_in"], f["suppressed"]) for f in r["findings"]]')" = "[('file', False)]" ]
		[ "$(json r.json '[(e["in"], e["met"]) for e in r["expectations"]]')" = "[('file', 1)]" ]
	done
	entry '"rule": "async-*"'
	expecting 97 twelve open 'async-*' close
	expecting 97
	[[ $output == *"expected, but not seen: async-* (a negative test), an entry of the suppression file"* ]]
	entry '"rule": "async-*", "function": "copy_out"'
	expecting 97 bad
	entry '"rule": "*", "rank": "1"'
	RANK=1 expecting 0 bad
	RANK=0 expecting 97 bad
	entry '"rule": "async-*"'
	ACLCHECK_SUPPRESS=e.json alone 0 bad
	ACLCHECK_SUPPRESS=e.json alone 9
	[[ $output == *"expected, but not seen: async-* (a negative test)"* ]]
}

@test "a function is looked for on each stack anew" {
	entry '"rule": "async-*", "function": "child"'
	expecting 97 bad fork
	[ "$(json r.json 'sorted((f.get("expected", False), f["processes"]) for f in r["findings"] if not f["secondary"])')" = \
		"[(False, 1), (True, 1)]" ]
	echo '{"suppressions": [{"rule": "async-*", "function": "thread_main", "reason": "x"}]}' >e.json
	expecting 97 thread bad
	[ "$(json r.json 'sorted((f["suppressed"], f["count"]) for f in r["findings"] if not f["advice"])')" = "[(False, 1), (True, 1)]" ]
}

@test "expired and wrong entries" {
	entry '"rule": "async-*", "until": "2020-12-31"'
	expecting 97 bad
	[[ $output == *"expectation of async-* (a negative test) expired on 2020-12-31"* ]]
	expecting 0
	for wrong in '{"expect": [{"rule": "*"}]}' '{"expect": [{"reason": "x"}]}' '{"expect": 5}' '{"expects": []}' \
		'{"expect": [], "suppression": []}' '{"note": "none"}' '[]'; do
		echo "$wrong" >e.json
		expecting 99
		[[ $output == *"e.json: "* ]]
	done
	echo '{"suppressions": [], "expect": [{"rule": "*", "reson": "x"}]}' >e.json
	expecting 99
	[[ $output == *"e.json: expectation 1: reson: unknown key"* ]]
}

@test "one process of many may meet an entry" {
	entry '"rule": "async-*"'
	unset ACLCHECK_JOB
	run "$ACLCHECK" run --softnpu --suppress e.json --report r.json -- sh -c "$EXPECTING; $EXPECTING bad; $EXPECTING"
	[ "$status" = 0 ]
	[ "$(json r.json '[e["met"] for e in r["expectations"]]')" = "[1]" ]
}

@test "report, merge and diff know it too" {
	expecting 97 bad
	entry '"rule": "async-*"'
	run "$ACLCHECK" report --suppress e.json r.json
	[ "$status" = 0 ]
	[[ $output == *"expected/error: async-copy-alignment"* ]]
	entry '"rule": "event-*"'
	run "$ACLCHECK" report --suppress e.json r.json
	[ "$status" = 97 ]
	[[ $output == *"expected, but not seen: event-*"* ]]
	OPTIONS=()
	mv r.json unexpected.json
	expecting 0 in 'async-*' bad
	mv r.json expected.json
	# Expected in one report, not in the other: still a finding.
	run "$ACLCHECK" merge expected.json unexpected.json -o m.json
	[ "$status" = 97 ]
	[ "$(json m.json 'sorted(f.get("expected", False) for f in r["findings"])')" = "[False, True]" ]
	run "$ACLCHECK" diff expected.json unexpected.json
	[ "$status" = 97 ]
	run "$ACLCHECK" diff unexpected.json expected.json
	[ "$status" = 0 ]
	[[ $output == gone* ]]
	OPTIONS=(--baseline expected.json --fail-on new)
	expecting 97 bad
	expecting 0 in 'async-*' bad
	run "$ACLCHECK" suppress expected.json
	[[ $output != *fingerprint* ]]
}

@test "every format tells what was expected and did not come" {
	expecting 97 open 'async-*' bad close open 'event-*' close
	for format in text json sarif junit tap14 github html; do
		run "$ACLCHECK" report --format $format -o out.$format r.json
		[ "$status" = 97 ]
	done
	grep -q '^expected/error: async-copy-alignment' out.text
	grep -q '^expected, but not seen: event-\* (opened on purpose), a scope opened in run' out.text
	xmllint --noout --schema "$SOURCE/tests/report/junit.xsd" out.junit
	[ "$(xmllint --xpath 'concat(/testsuites/@tests, " ", /testsuites/@failures, " ", //testsuite/@skipped)' out.junit)" = "4 2 0" ]
	[ "$(xmllint --xpath 'string(//testcase[failure and @name != "verdict"]/@name)' out.junit)" = "event-*: opened on purpose" ]
	[ "$(python3 -S "$SOURCE/tests/report/look.py" tap out.tap14)" = "fail ok ok fail" ]
	[ "$(grep -c '^::' out.github)" = 1 ]
	grep -q '^::error file=.*expecting.c,line=[0-9]*,title=aclcheck expectation::expected, but not seen: event-\*' out.github
	[ "$(json out.sarif '[(x["ruleId"], x["level"], [s["kind"] for s in x["suppressions"]]) for x in r["runs"][0]["results"]]')" = \
		"[('async-copy-alignment', 'error', ['inSource']), ('expectation-not-met', 'error', [])]" ]
	python3 -S "$SOURCE/tests/report/look.py" html out.html >text
	grep -q 'event-\*' text
	python3 -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"
	python3 "$SOURCE/tests/report/validate.py" "$SOURCE/tools/aclcheck/report/report.schema.json" out.json
	python3 -c 'import json, jsonschema, sys
jsonschema.validate(*map(json.load, map(open, sys.argv[1:])))' out.sarif "$SOURCE/tests/report/sarif.schema.json"
}
