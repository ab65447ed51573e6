#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The command's frame, and what it tells of rules.

load helper

@test "help and version" {
	run "$ACLCHECK" --version
	[[ $output =~ ^aclcheck\ [0-9]+\.[0-9]+ ]]
	run "$ACLCHECK" --help
	[ "$status" = 0 ]
	for command in $(echo "$output" | awk '/^  [a-z-]+ +[a-z]/ { print $1 }'); do
		run "$ACLCHECK" "$command" --help
		[ "$status" = 0 ]
		[[ $output == *usage* ]]
	done
	run "$ACLCHECK"
	[ "$status" = 99 ]
	run "$ACLCHECK" nonsense
	[ "$status" = 99 ]
}

@test "run --help names every option it takes" {
	"$ACLCHECK" run --help >help
	for word in report config rules fail-on target-cann soc suppress lang log softnpu format timeout baseline \
		keep-exit-code; do
		grep -q "^  --$word" help
	done
}

@test "rules: list, one explained in both languages, coverage" {
	"$ACLCHECK" rules >list
	[ "$(wc -l <list)" -gt 5 ]
	grep -q 'async-copy-alignment' list
	run "$ACLCHECK" rules async-copy-alignment
	[[ $output == "async-copy-alignment: "* ]]
	[[ $output == *"How to mend it"* ]]
	run "$ACLCHECK" rules --lang zh async-copy-alignment
	[[ $output == *"如何修改"* ]]
	run "$ACLCHECK" rules 'async-copy-*'
	[ "$status" = 0 ]
	run "$ACLCHECK" rules no-such-rule
	[ "$status" = 99 ]
	"$ACLCHECK" rules --coverage >coverage
	# The sum line is the sum of the lines.
	awk 'NF == 7 && $2 ~ /^[0-9]+$/ { if ($2 != $3 + $5 + $6) bad = 1
		if ($1 == "all") total = $2; else sum += $2 }
		END { exit !(total && total == sum && !bad) }' coverage
	[ "$(awk '$1 == "all" { print $3 }' coverage)" = "$(wc -l <list)" ]
}

@test "a rule list is checked before anything runs" {
	run "$ACLCHECK" run --rules +perf,-nonsense -- sh -c 'touch ran'
	[ "$status" = 99 ]
	[ ! -e ran ]
}
