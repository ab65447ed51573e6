#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Suppressions and baselines.

load helper

check() {
	ACLCHECK_JOB=$RANDOM$RANDOM ACLCHECK_REPORT=r.json ACLCHECK_SUPPRESS=s.json "$FINDINGS" "$@" 2>err
	json r.json 'r["verdict"]'
}

suppress() {
	echo "{\"suppressions\": [{$1, \"reason\": \"known since spring\"}]}" >s.json
}

@test "what can be matched on, and that all of it must match" {
	for good in '"rule": "async-copy-alignment"' '"rule": "async-*"' '"rule": "*", "function": "copy_f?nding"' \
		'"rule": "*", "file": "findings.c"' '"rule": "*", "file": "*/report/findings.c"' \
		'"rule": "*", "module": "exe"' '"rule": "*", "object": "pinned*"' '"rule": "*", "object": "0x700000"' \
		'"rule": "*", "call": "aclrtMemcpy*"'; do
		suppress "$good"
		[ "$(check error)" = pass ]
		[ "$(json r.json 'r["findings"][0]["suppressed"], r["findings"][0]["suppressed_by"]')" = "(True, 'known since spring')" ]
		[ "$(json r.json 'r["totals"]["error"], r["totals"]["suppressed"]')" = "(0, 1)" ]
		! grep -q '== aclcheck error' err || return 1
	done
	for bad in '"rule": "event-*"' '"rule": "*", "function": "copy"' '"rule": "*", "file": "x.c"' \
		'"rule": "*", "object": "device*"' '"rule": "*", "rank": "0"' '"rule": "*", "call": "aclrtFree"' \
		'"rule": "async-*", "function": "main2"'; do
		suppress "$bad"
		[ "$(check error)" = fail ]
		grep -q 'suppressions that matched nothing here: 1' err
	done
}

@test "ranks" {
	suppress '"rule": "*", "rank": "0-2,7"'
	[ "$(RANK=1 check error)" = pass ]
	[ "$(RANK=7 check error)" = pass ]
	[ "$(RANK=3 check error)" = fail ]
}

@test "an expired suppression no longer holds and says so" {
	suppress '"rule": "*", "until": "2020-12-31"'
	[ "$(check error)" = fail ]
	grep -q 'suppression expired on 2020-12-31: known since spring' err
	suppress '"rule": "*", "until": "2999-12-31"'
	[ "$(check error)" = pass ]
}

wrong() {
	echo "$1" >s.json
	[ "$(check)" = inconclusive ]
	grep -qF "aclcheck: $PWD/s.json$2" err
	run "$ACLCHECK" run --suppress s.json -- true
	[ "$status" = 99 ]
	[[ $output == *"s.json$2"* ]]
}

@test "mistakes name file, entry and key" {
	wrong '{"suppressions": [{"rule": "*"}]}' ": suppression 1: reason: is required"
	wrong '{"suppressions": [{"rule": "*", "reason": ""}]}' ": suppression 1: reason: is required"
	wrong '{"suppressions": [{"rule": "*", "reason": "x"}, {"reason": "x"}]}' ": suppression 2: needs a rule"
	wrong '{"suppressions": [{"ruel": "*", "reason": "x"}]}' ": suppression 1: ruel: unknown key"
	wrong '{"suppressions": [{"rule": 5, "reason": "x"}]}' ": suppression 1: rule: must be a string"
	wrong '{"suppressions": [{"rule": "*", "reason": "x", "until": "soon"}]}' ": suppression 1: until: must be a date"
	# An entry of ranks that none has would match nothing, and look as if it did.
	for ranks in '*' '' 0-3, '0-3, 8' 3-1 -3 99999999999; do
		wrong '{"suppressions": [{"rule": "*", "reason": "x", "rank": "'"$ranks"'"}]}' ": suppression 1: rank: must be ranks like 3 or 0-3,8"
	done
	wrong '{"suppressions": {}}' ": suppressions: must be a list"
	wrong '{}' ": needs a list named suppressions or expect"
	wrong '{"suppressions": [], "supressions": []}' ": supressions: unknown key"
	wrong '[' ":2: "
}

@test "suppress writes a file that silences exactly what was found" {
	ACLCHECK_REPORT=o.json "$FINDINGS" error advice 2>/dev/null
	"$ACLCHECK" suppress --reason 'old code' --until 2999-01-01 o.json >s.json
	[ "$(check error)" = pass ]
	[ "$(check error warning)" = pass ]
	[ "$(ACLCHECK_FAIL_ON=warning check error warning)" = fail ]
}

@test "without a reason the file must be filled in first" {
	ACLCHECK_REPORT=o.json "$FINDINGS" error 2>/dev/null
	"$ACLCHECK" suppress o.json >s.json
	[ "$(check error)" = fail ]
	grep -q 'reason: is required' err
}

@test "suppressions on the way: run, report, unused ones named" {
	echo '{"suppressions": [{"rule": "async-copy-*", "function": "copy_in", "reason": "a"},
		{"rule": "api-error", "reason": "never"}]}' >s.json
	run "$ACLCHECK" run --softnpu --suppress s.json --report r.json -- "$PROGRAM"
	[ "$status" = 0 ]
	[[ $output == *"suppression of api-error (never) matched nothing"* ]]
	[ "$(json r.json '[u["state"] for u in r["unused_suppressions"]]')" = "['unused']" ]
	run "$ACLCHECK" run --softnpu --report q.json -- "$PROGRAM"
	[ "$status" = 97 ]
	run "$ACLCHECK" report --suppress s.json q.json
	[ "$status" = 0 ]
}

@test "suppressed on one rank only is not suppressed" {
	suppress '"rule": "*", "rank": "0"'
	for RANK in 0 1; do
		export RANK
		ACLCHECK_SUPPRESS=s.json ACLCHECK_REPORT=$RANK.json "$FINDINGS" error 2>/dev/null
	done
	run "$ACLCHECK" merge 0.json 1.json -o m.json
	[ "$status" = 97 ]
	run "$ACLCHECK" merge 1.json 0.json -o m.json
	[ "$status" = 97 ]
	run "$ACLCHECK" merge 0.json -o m.json
	[ "$status" = 0 ]
}

@test "a baseline: known findings pass, new ones fail" {
	run "$ACLCHECK" run --softnpu --report old.json -- "$PROGRAM"
	run "$ACLCHECK" run --softnpu --fail-on new --baseline old.json --report new.json -- "$PROGRAM"
	[ "$status" = 0 ]
	[ "$(json new.json '[f["known"] for f in r["findings"]]')" = "[True]" ]
	# What reads that report later says the same as the run did; of several nothing is known.
	for format in text json junit rules; do
		run "$ACLCHECK" report --format "$format" new.json
		[ "$status" = 0 ]
	done
	run "$ACLCHECK" report --fail-on error new.json
	[ "$status" = 97 ]
	run "$ACLCHECK" merge new.json old.json
	[ "$status" = 97 ]
	run "$ACLCHECK" run --softnpu --rules -async-copy-alignment --report empty.json -- "$PROGRAM"
	[ "$status" = 0 ]
	run "$ACLCHECK" run --softnpu --fail-on new --baseline empty.json -- "$PROGRAM"
	[ "$status" = 97 ]
	run "$ACLCHECK" run --fail-on new -- true
	[ "$status" = 99 ]
	run "$ACLCHECK" run --baseline none.json -- touch ran
	[ "$status" = 99 ]
	[ ! -e ran ]
	run "$ACLCHECK" report --baseline none.json new.json
	[ "$status" = 99 ]
}

@test "beside a suppression file, too, warnings fail where environment or configuration say so" {
	suppress '"rule": "event-*"'
	ACLCHECK_FAIL_ON=warning ACLCHECK_REPORT=w.json "$FINDINGS" warning 2>/dev/null
	run "$ACLCHECK" report --suppress s.json w.json
	[ "$status" = 97 ]
	run "$ACLCHECK" report --suppress s.json --fail-on error w.json
	[ "$status" = 0 ]
	ACLCHECK_FAIL_ON=warning run "$ACLCHECK" run --softnpu --suppress s.json -- "$FINDINGS" warning
	[ "$status" = 97 ]
	echo '{"fail_on": "warning"}' >c.json
	run "$ACLCHECK" run --softnpu --config c.json --suppress s.json --report r.json -- "$FINDINGS" warning
	[ "$status" = 97 ]
	[ "$(json r.json 'r["verdict"], r["fail_on"]')" = "('fail', 'warning')" ]
	run "$ACLCHECK" run --softnpu --config c.json --suppress s.json --fail-on error -- "$FINDINGS" warning
	[ "$status" = 0 ]
	suppress '"rule": "*"'
	ACLCHECK_FAIL_ON=warning run "$ACLCHECK" run --softnpu --suppress s.json -- "$FINDINGS" warning
	[ "$status" = 0 ]
}

# build NAME SHIFT OPTION…: the program with its lines moved down; its report is NAME.json.
build() {
	local name=$1 shift=$2
	shift 2
	{ for ((i = 0; i < shift; i++)); do echo; done; cat "$SOURCE/tests/report/misaligned.c"; } >p.c
	cc "$@" -g -I"$BUILD/include" -o "p$name" p.c -L"$BUILD/softnpu" -lascendcl -lacl_rt
	"$ACLCHECK" run --softnpu --report "$name.json" -- "./p$name" >/dev/null 2>&1 || [ $? = 97 ]
}

same() {
	run "$ACLCHECK" diff "$1.json" "$2.json"
	[ "$(echo "$output" | cut -c1-5 | sort -u)" = still ]
}

@test "fingerprints survive moved lines and another load address" {
	build a 0 -fPIE -pie
	build b 7 -fno-pie -no-pie
	[ "$(json a.json 'r["findings"][0]["stack"][0]["line"] + 7')" = "$(json b.json 'r["findings"][0]["stack"][0]["line"]')" ]
	same a b
	build c 0 -O2 -fPIE -pie
	build d 7 -O2 -fno-pie -no-pie
	[ "$(json c.json 'r["findings"][0]["stack"][0]["line"] + 7')" = "$(json d.json 'r["findings"][0]["stack"][0]["line"]')" ]
	same c d
	# Optimisation changes nothing but which functions have frames.
	build e 3 -O2 -fPIE -pie -fno-inline -fno-optimize-sibling-calls
	same a e
}

@test "what suppress writes is read back, whatever moved" {
	build a 0 -fPIE -pie
	"$ACLCHECK" suppress --reason known a.json >s.json
	build b 9 -O2 -fno-pie -no-pie -fno-inline -fno-optimize-sibling-calls
	run "$ACLCHECK" report --suppress s.json b.json
	[ "$status" = 0 ]
	[[ $output != *"matched nothing"* ]]
	run "$ACLCHECK" run --softnpu --suppress s.json -- ./pb
	[ "$status" = 0 ]
	run "$ACLCHECK" suppress --reason more --until 2020-01-01 b.json
	echo "$output" >old.json
	run "$ACLCHECK" report --suppress old.json b.json
	[ "$status" = 97 ]
	[[ $output == *"suppression of async-copy-alignment (more) expired on 2020-01-01"* ]]
	run "$ACLCHECK" report --format html --suppress old.json b.json
	[[ $output == *"<td>expired</td>"* ]]
}

@test "without debug information the same, stripped another but stable" {
	cp "$SOURCE/tests/report/misaligned.c" p.c
	cc -g -I"$BUILD/include" -o p p.c -L"$BUILD/softnpu" -lascendcl -lacl_rt
	print() { "$ACLCHECK" run --softnpu --report $1.json -- ./p >/dev/null 2>&1; json $1.json 'r["findings"][0]["fingerprint"]'; }
	full=$(print a)
	strip -g p
	[ "$(print b)" = "$full" ]
	[ "$(ACLCHECK_SYMBOLS=fast print c)" = "$full" ]
	strip p
	stripped=$(print d)
	[ "$stripped" != "$full" ]
	[ "$(print e)" = "$stripped" ]
}

@test "diff tells new, gone and still there" {
	ACLCHECK_REPORT=a.json "$FINDINGS" error advice 2>/dev/null
	ACLCHECK_REPORT=b.json "$FINDINGS" warning advice 2>/dev/null
	run "$ACLCHECK" diff a.json b.json
	[ "$status" = 0 ]
	[ "$(echo "$output" | grep -v ^unevaluated | awk '{ print $1, $4 }')" = "$(printf 'new stream-leak\ngone async-copy-alignment\nstill event-churn')" ]
	run "$ACLCHECK" diff --fail-on warning a.json b.json
	[ "$status" = 97 ]
	run "$ACLCHECK" diff b.json a.json
	[ "$status" = 97 ]
	run "$ACLCHECK" diff a.json none.json
	[ "$status" = 99 ]
}
