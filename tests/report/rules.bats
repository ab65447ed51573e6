#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Rule coverage of the program's own runs: counts in reports, merged, compared, shown.

load helper

# asked FILE RULE: how often a report says the rule was evaluated.
asked() {
	json "$1" "r['rules']['asked'].get('$2', 0)"
}

checked() {
	LD_PRELOAD=$BUILD/libaclcheck.so ACLCHECK_LOG=off ACLCHECK_REPORT=$1 "$PROGRAM" >/dev/null
}

@test "a report counts how often each rule was evaluated" {
	checked r.json
	[ "$(asked r.json async-copy-alignment)" -ge 1 ]
	[ "$(asked r.json init-repeat)" = 1 ]
	[ "$(asked r.json vmm-map-overlap)" = 0 ]
	# What is on and was never evaluated is distinct from what is off.
	[ "$(json r.json '"handle-unknown" in r["rules"]["asked"]')" = False ]
	python3 "$SOURCE/tests/report/validate.py" "$SOURCE/tools/aclcheck/report/report.schema.json" r.json
}

@test "a rule that is switched off is not counted, nor on" {
	ACLCHECK_RULES=-async-copy-alignment checked r.json
	[ "$(asked r.json async-copy-alignment)" = 0 ]
	[ "$(json r.json '"async-copy-alignment" in r["rules"]["off"]')" = True ]
	run "$ACLCHECK" report --format rules r.json
	! grep -E 'async-copy-alignment( |$)' <<<"$output" || return 1
}

@test "merged reports add up, in any grouping" {
	for RANK in 0 1 2; do
		export RANK
		checked %r.json
	done
	"$ACLCHECK" merge 0.json 1.json 2.json -o all.json || [ $? = 97 ]
	"$ACLCHECK" merge 0.json 1.json -o part.json || [ $? = 97 ]
	"$ACLCHECK" merge part.json 2.json -o again.json || [ $? = 97 ]
	cmp all.json again.json
	[ "$(asked all.json init-repeat)" = 3 ]
	[ "$(json all.json 'r["rules"]["processes"]')" = 3 ]
}

@test "a rule that one process has on was on" {
	ACLCHECK_RULES=-init checked 0.json
	checked 1.json
	"$ACLCHECK" merge 0.json 1.json -o all.json || [ $? = 97 ]
	[ "$(json all.json '"init-repeat" in r["rules"]["off"]')" = False ]
	[ "$(asked all.json init-repeat)" = 1 ]
}

@test "text, the list of rules and the page show the same numbers" {
	checked r.json
	numbers=$("$ACLCHECK" report r.json | sed -n 's/^rules: \([0-9]* of [0-9]*\) that are on.*/\1/p')
	[ -n "$numbers" ]
	"$ACLCHECK" report --format rules r.json >rules.txt || [ $? = 97 ]
	grep -q "^all: $numbers rules evaluated" rules.txt
	grep -qE '^  broken +[0-9]+  async-copy-alignment$' rules.txt
	grep -qE '^  never +0  vmm-map-overlap$' rules.txt
	"$ACLCHECK" report --format html r.json >page.html || [ $? = 97 ]
	grep -q "<p>${numbers/ of/ of the} rules that are on" page.html
}

@test "diff names rules that are no longer evaluated" {
	checked r.json
	python3 - <<'EOF'
import json
r = json.load(open("r.json"))
del r["rules"]["asked"]["init-missing"]
open("new.json", "w").write(json.dumps(r))
EOF
	run "$ACLCHECK" diff r.json new.json
	[[ "$output" == *"unevaluated init-missing"* ]]
	run "$ACLCHECK" diff r.json r.json
	[[ "$output" != *unevaluated* ]]
}

@test "where no process came to its end nothing is reported" {
	checked r.json
	python3 -c 'import json; r = json.load(open("r.json")); del r["rules"]; open("r.json", "w").write(json.dumps(r))'
	"$ACLCHECK" report r.json >text || [ $? = 97 ]
	run grep '^rules:' text
	[ "$status" = 1 ]
	"$ACLCHECK" report --format rules r.json >rules.txt || [ $? = 97 ]
	grep -q 'No process that ended' rules.txt
}
