#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The command's frame, and what it says of rules.

load helper

@test "help and version" {
	run "$ACLCHECK" --version
	[[ $output =~ ^aclcheck\ [0-9]+\.[0-9]+ ]]
	run "$ACLCHECK" --help
	[ "$status" = 0 ]
	commands=$(echo "$output" | awk '/^  [a-z-]+ +[a-z]/ { print $1 }')
	[[ $commands == *run*report*summary* ]]
	for command in $commands; do
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
	[[ $output == *"How to fix it"* ]]
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

@test "rules ID: every line of code stands in its section, functions with their release" {
	"$ACLCHECK" rules async-copy-pageable-host >text
	grep -q '^Why, and what the runtime does$' text
	# Below its title a section is indented, down to the empty line.
	awk 'NR == 1 { next } /^[A-Z]/ { titles++; next } NF && !/^  / { bad = 1 } END { exit bad || titles < 6 }' text
	[ "$(sed -n '/^Wrong$/,/^$/p' text | grep -c '^  .*;')" = 2 ]
	grep -q '^  since CANN 8.1 or before: .*aclrtMemcpyAsync' text
	grep -q '^  since CANN 8.5: .*aclrtMemcpyBatchAsync$' text
	"$ACLCHECK" rules --lang zh async-copy-pageable-host | grep -q '^原因与运行时行为$'
	# A name with a star is no single function.
	[ "$("$ACLCHECK" rules api-error | tail -n 1)" = "  aclrt* aclmdlRI*" ]
	# Every function that a rule names is written.
	"$ACLCHECK" rules null-required-pointer >text
	python3 - "$SOURCE"/checks/rules/*/*.json <<'END'
import json, sys
rules = [rule for path in sys.argv[1:] for rule in json.load(open(path))]
rule = next(r for r in rules if r["id"] == "null-required-pointer")
said = open("text").read().split("Functions")[1].split()
assert set(rule["apis"]) <= set(said), set(rule["apis"]) - set(said)
assert all(len(line) <= 100 for line in open("text").read().split("Functions")[1].splitlines())
END
}

@test "rules --all lists planned and uncheckable ones as well" {
	"$ACLCHECK" rules --all >list
	[ "$(wc -l <list)" = "$("$ACLCHECK" rules --coverage | awk '$1 == "all" { print $2 }')" ]
	# As many of each state as the table has: there may be none left that is planned.
	for state in implemented planned uncheckable; do
		[ "$(grep -cE "^[a-z]+ +[a-z]+ +$state " list)" = "$(cat "$SOURCE"/checks/rules/*/*.json | grep -c "\"state\": \"$state\"")" ]
	done
	[ "$(grep -cE '^[a-z]+ +[a-z]+ +implemented ' list)" = "$("$ACLCHECK" rules | wc -l)" ]
}

@test "rules --coverage says what planned rules wait for" {
	"$ACLCHECK" rules --coverage >coverage
	planned=$(awk '$1 == "all" { print $6 }' coverage)
	# The groups name each planned rule once.
	[ "$(awk '/^[0-9]+ planned, waiting for / { n += $1 } END { print n + 0 }' coverage)" = "$planned" ]
	awk '/planned, waiting/ { on = 1; next } !NF { on = 0 } on { print $1 }' coverage | sort >named
	"$ACLCHECK" rules --all | awk '$3 == "planned" { print $5 }' | sort | cmp - named
}

@test "a rule list is checked before anything runs" {
	run "$ACLCHECK" run --rules +perf,-nonsense -- sh -c 'touch ran'
	[ "$status" = 99 ]
	[ ! -e ran ]
}

@test "did you mean: commands, options, formats, rules and families" {
	for mistake in "rnu|run" "reprot|report" "report --fromat text r.json|--format" "run --sofnpu -- true|--softnpu" \
		"run --traget-cann 9.0 -- true|--target-cann" "merge --outptu x|--output" "diff --failon error a b|--fail-on" \
		"suppress --reasn x r.json|--reason" "trace --evnts x -- true|--events" "summary --jsn x|--json" "report --format sarfi r.json|sarif" \
		"run --format htlm -- true|html" "rules async-copy-aligment|async-copy-alignment" "rules strem|stream" \
		"run --rules +async-copy-h2 -- true|async-copy-h2h" "rules --covrage|--coverage"; do
		# shellcheck disable=SC2086
		run "$ACLCHECK" ${mistake%|*}
		[ "$status" = 99 ]
		[[ $output == *"did you mean '${mistake#*|}'?"* ]] || { echo "$mistake: $output"; return 1; }
	done
	for other in "nothinglikeit" "report --entirelydifferent r.json" "rules zzzzzzzzzz" "report --format zzzzzz r.json"; do
		# shellcheck disable=SC2086
		run "$ACLCHECK" $other
		[ "$status" = 99 ]
		[[ $output != *"did you mean"* ]] || { echo "$other: $output"; return 1; }
	done
}

@test "rules of a family" {
	family=$("$ACLCHECK" rules | awk 'NR == 1 { print $3 }')
	"$ACLCHECK" rules "$family" >some
	[ "$(wc -l <some)" -gt 2 ]
	[ "$(awk '{ print $3 }' some | sort -u)" = "$family" ]
	"$ACLCHECK" rules | awk -v f="$family" '$3 == f' | cmp - some
	[ "$("$ACLCHECK" rules --all "$family" | wc -l)" -ge "$(wc -l <some)" ]
}

@test "--help fits 100 columns and says each option once" {
	for command in $("$ACLCHECK" --help | awk '/^  [a-z-]+ +[a-z]/ { print $1 }'); do
		"$ACLCHECK" "$command" --help >help
		[ -z "$(awk 'length > 100' help)" ] || { awk -v c="$command" 'length > 100 { print c ": " $0 }' help; return 1; }
		[ -z "$(grep -oE '^ *(-[a-z], )?--[a-z-]+' help | sort | uniq -d)" ] || { echo "$command"; return 1; }
	done
}

@test "where a rule comes from is said to the end" {
	python3 - "$SOURCE"/checks/rules/*/*.json <<-'END'
		import json, re, sys
		for name in sys.argv[1:]:
		    for rule in json.load(open(name)):
		        source = rule.get("source", "")
		        assert source.count("(") == source.count(")"), (rule["id"], source)
		        assert not re.search(r"[,;/_]$", source.strip()), (rule["id"], source)
		        for path in re.findall(r"\b(?:api_ref|dev_guide)/[0-9][\w-]*(?:\.\w+)?", source):
		            assert path.endswith(".md") or path.endswith("x"), (rule["id"], path)
	END
}
