#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Every format is well formed whatever the program's strings are, and says the same.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	ACLCHECK_JOB=$BATS_TEST_NAME ACLCHECK_REPORT=r.json "$FINDINGS" error advice warning secondary nasty doubt 2>/dev/null
	"$ACLCHECK" merge r.json -o merged.json || [ $? = 97 ]
}

has_jsonschema() {
	python3 -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"
}

show() {
	run "$ACLCHECK" report --format "$1" r.json -o "out.$1"
	[ "$status" = 97 ]
	[ -z "$output" ]
}

no_control() {
	run env LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$1"
	[ "$status" = 1 ]
	iconv -f utf-8 -t utf-8 "$1" >/dev/null
}

@test "json is the merged report of the schema" {
	has_jsonschema
	show json
	cmp out.json merged.json
	python3 "$SOURCE/tests/report/validate.py" "$SOURCE/tools/aclcheck/report/report.schema.json" out.json
}

@test "sarif is what SARIF 2.1.0 demands" {
	has_jsonschema
	show sarif
	python3 -c 'import json, jsonschema, sys
jsonschema.validate(*map(json.load, map(open, sys.argv[1:])))' out.sarif "$SOURCE/tests/report/sarif.schema.json"
	[ "$(json out.sarif '[(x["ruleId"], x["level"]) for x in r["runs"][0]["results"]]')" = \
		"[('async-copy-alignment', 'error'), ('event-churn', 'note'), ('stream-leak', 'warning')]" ]
	[ "$(json out.sarif '[x["ruleId"] == r["runs"][0]["tool"]["driver"]["rules"][x["ruleIndex"]]["id"] for x in r["runs"][0]["results"]]')" = "[True, True, True]" ]
	[ "$(json out.sarif 'r["runs"][0]["results"][0]["partialFingerprints"]["aclcheck/v1"]')" = \
		"$(json r.json 'r["findings"][0]["fingerprint"]')" ]
	[ "$(json out.sarif 'r["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"][0]["location"]["message"]["text"]')" = \
		"pinned host memory created by aclrtMallocHost" ]
	[ "$(json out.sarif 'sorted(r["runs"][0]["tool"]["driver"]["rules"][0]["help"])')" = "['markdown', 'text']" ]
}

@test "sarif: suppressions and baseline states of all results or none" {
	has_jsonschema
	echo '{"suppressions": [{"rule": "async-*", "reason": "known"}]}' >s.json
	ACLCHECK_JOB=old ACLCHECK_REPORT=old.json "$FINDINGS" advice 2>/dev/null
	"$ACLCHECK" report --format sarif --suppress s.json --baseline old.json --fail-on new r.json >out.sarif || [ $? = 98 ]
	[ "$(json out.sarif '[x["baselineState"] for x in r["runs"][0]["results"]]')" = "['new', 'unchanged', 'new']" ]
	[ "$(json out.sarif '[x["suppressions"] for x in r["runs"][0]["results"]]')" = \
		"[[{'kind': 'external', 'justification': 'known'}], [], []]" ]
	show sarif
	[ "$(json out.sarif '[(x["suppressions"], "baselineState" in x) for x in r["runs"][0]["results"]]')" = \
		"[([], False), ([], False), ([], False)]" ]
}

@test "sarif: a result always has a place, and its text no placeholders and no links" {
	python3 - r.json placeless.json <<-'END'
		import json, sys
		report = json.load(open(sys.argv[1]))
		report["findings"][0]["stack"] = []
		report["findings"][0]["detail"] = "{0} {x} [here](http://example.org) a[1] \\"
		report["findings"][2]["stack"] = [{"address": "0x10"}]
		json.dump(report, open(sys.argv[2], "w"))
	END
	run "$ACLCHECK" report --format sarif -o out.sarif placeless.json
	[ "$(json out.sarif '[x["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("findings") for x in r["runs"][0]["results"]]')" = \
		"[True, False, True]" ]
	[ "$(json out.sarif 'r["runs"][0]["results"][0]["message"]["text"]')" = '{{0}} {x} \[here\](http://example.org) a\[1\] \\' ]
}

@test "junit is valid and counts right" {
	show junit
	xmllint --noout --schema "$SOURCE/tests/report/junit.xsd" out.junit
	[ "$(xmllint --xpath 'string(/testsuites/@failures)' out.junit)" = 1 ]
	[ "$(xmllint --xpath 'count(//testcase)' out.junit)" = 4 ]
	[ "$(xmllint --xpath 'count(//failure)' out.junit)" = 1 ]
	[ "$(xmllint --xpath 'count(//skipped)' out.junit)" = 2 ]
	no_control out.junit
}

@test "tap 14" {
	show tap
	[ "$(python3 "$SOURCE/tests/report/look.py" tap out.tap)" = "ok fail skip skip" ]
	# The harness of Perl reads it the same way, but for the version's number.
	sed '1s/14/13/' out.tap >13.tap
	run prove --nocolor --exec cat 13.tap
	[ "$status" = 1 ]
	[[ $output == *"Failed 1/4 subtests"*"2 tests skipped"* || $output == *"Failed 1/4 subtests"*"less 2 skipped"* ]]
}

@test "github annotations: one line each, no command of the program's" {
	GITHUB_WORKSPACE=$SOURCE show github
	[ "$(grep -c '^::' out.github)" = 4 ]
	[ "$(grep -c '^::error file=.*findings.c,line=[0-9]*,title=aclcheck async-copy-alignment::' out.github)" = 1 ]
	[ "$(grep -cv '^::\(error\|warning\|notice\) \|^aclcheck: verdict fail$' out.github)" = 0 ]
	no_control out.github
}

@test "html is well formed, without script and reference" {
	show html
	python3 "$SOURCE/tests/report/look.py" html out.html >text
	grep -q 'async-copy-alignment' text
	grep -q 'findings.c:' text
	grep -q 'created by aclrtMallocHost' text
	grep -q 'events-lost' text
}

# The colour of the page's first pixel in a browser that prefers light (1) or dark (0).
background() {
	timeout 60 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$PWD/profile" \
		--window-size=800,600 --blink-settings=preferredColorScheme="$1" --screenshot="$PWD/$1.png" \
		"file://$PWD/out.html" >/dev/null 2>&1
	python3 "$SOURCE/tests/report/look.py" png "$1.png"
}

@test "html: light and dark, as the reader's system is" {
	browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no Chromium"
	show html
	[ "$(background 1)" = "255 255 255" ]
	[ "$(background 0)" = "21 24 28" ]
}

@test "text" {
	show text
	no_control out.text
	grep -q '^verdict: fail$' out.text
	grep -q '^inconclusive: events-lost: 3 events were lost' out.text
}

# The nasty strings in every place a report has for them.
@test "nothing a report says gets through as markup, command or control" {
	python3 - r.json nasty.json <<-'END'
		import json, sys
		nasty = "\x1b[31m\r\n::error::x\n<script>alert(1)</script>\"'&]]>--> # TODO ##vso[task.x]##[group] {0} [a](b) \u202e\u2028\ufffe \x00\x9b".replace("\x00", "")
		keep = {"severity", "verdict", "address", "offset", "value", "aclcheck", "record", "end"}
		def spoil(value, key=""):
		    if isinstance(value, dict):
		        return {k: spoil(v, k) for k, v in value.items()}
		    if isinstance(value, list):
		        return [spoil(v, key) for v in value]
		    return nasty if isinstance(value, str) and key not in keep else value
		report = spoil(json.load(open(sys.argv[1])))
		report["findings"][0]["values"][nasty] = nasty
		report["findings"][0]["args"][nasty] = nasty
		report["findings"][1]["severity"] = nasty
		report["findings"][2]["severity"] = nasty
		for i, finding in enumerate(report["findings"]):
		    finding["fingerprint"] = "::error::x<script>##[a]" + str(i)
		report["inconclusive"][0]["reason"] = nasty
		report["expectations"] = [
		    {"in": "program", "rule": nasty, "reason": nasty, "place": {"function": nasty, "file": nasty, "line": 1}, "opened": 2, "met": 1},
		    {"in": "file", "fingerprint": nasty, "reason": nasty, "until": nasty, "met": 0}]
		json.dump(report, open(sys.argv[2], "w"))
	END
	for format in text json sarif junit tap github html; do
		"$ACLCHECK" report --format $format nasty.json -o bad.$format || [ $? = 97 ]
		no_control bad.$format
	done
		run grep -l '<script' bad.html bad.junit
	[ "$status" = 1 ]
	run grep -lE '^[[:space:]]*::error::x|##(vso)?\[' bad.text bad.tap bad.junit bad.github bad.html
	[ "$status" = 1 ]
	run grep -lP '\xe2\x80\xae' bad.text bad.tap bad.junit bad.github bad.html
	[ "$status" = 1 ]
	xmllint --noout --schema "$SOURCE/tests/report/junit.xsd" bad.junit
	python3 "$SOURCE/tests/report/look.py" html bad.html >/dev/null
	python3 "$SOURCE/tests/report/look.py" tap bad.tap >/dev/null
	sed '1s/14/13/' bad.tap >13.tap
	run prove --nocolor --exec cat 13.tap
	[[ $output == *"Failed 4/8 subtests"* ]]
	[[ $output != *"Parse errors"* ]]
	[ "$(grep -c '^::' bad.github)" = 8 ]
	python3 -c 'import jsonschema' 2>/dev/null || return 0
	python3 -c 'import json, jsonschema, sys
jsonschema.validate(*map(json.load, map(open, sys.argv[1:])))' bad.sarif "$SOURCE/tests/report/sarif.schema.json"
}

@test "an inconclusive run is no success in any format" {
	ACLCHECK_JOB=other ACLCHECK_REPORT=i.json "$FINDINGS" doubt 2>/dev/null
	for format in junit tap github sarif html; do
		"$ACLCHECK" report --format $format i.json -o i.$format || [ $? = 98 ]
	done
	[ "$(xmllint --xpath 'string(/testsuites/@errors)' i.junit)" = 1 ]
	[ "$(python3 "$SOURCE/tests/report/look.py" tap i.tap)" = fail ]
	grep -q '^::warning title=aclcheck inconclusive::events-lost' i.github
	[ "$(json i.sarif 'r["runs"][0]["invocations"][0]["executionSuccessful"]')" = False ]
}
