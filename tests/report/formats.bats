#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Every format is well formed whatever the program's strings are, and says the same.

load helper

setup() {
	skip_where_emulated
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

@test "sarif: names, checkout, lines and every call site, by the official object model" {
	# The distribution's package is seen by the distribution's Python.
	for python in python3 /usr/bin/python3; do
		"$python" -c 'import sarif_om, attr' 2>/dev/null && break
		python=
	done
	[ -n "$python" ] || skip "python3-sarif-python-om is not installed"
	show sarif
	"$python" "$SOURCE/tests/report/sarif_model.py" out.sarif
	sed 's/"ruleId"/"rule_id"/' out.sarif >wrong.sarif
	! "$python" "$SOURCE/tests/report/sarif_model.py" wrong.sarif 2>/dev/null || return 1
	[ "$(json out.sarif 'r["runs"][0]["tool"]["driver"]["rules"][0]["name"]')" = AsyncCopyAlignment ]
	[ "$(json out.sarif 'r["runs"][0]["tool"]["driver"]["rules"][0]["helpUri"]')" = \
		https://gitcode.com/cann/runtime/blob/v9.0.0/docs/api_docs/aclrtMemcpyAsync.md ]
	# Read in the checkout, whose sources are named relative to it.
	mkdir -p tree/.git tree/src
	echo 0123456789abcdef0123456789abcdef01234567 >tree/.git/HEAD
	printf 'one\n\tcopy(a);\n\tcopy(b);\n' >tree/src/x.c
	python3 - r.json sites.json "$PWD/tree/src/x.c" <<-'END'
		import json, sys
		report = json.load(open(sys.argv[1]))
		for frame, line in zip(report["findings"][0]["stack"], (2, 3)):
		    frame["file"], frame["line"] = sys.argv[3], line
		twice = json.loads(json.dumps(report["findings"][0]))
		twice["serial"] = 99
		twice["stack"][0]["line"] = 3
		report["findings"].append(twice)
		open(sys.argv[2], "w").write(json.dumps(report))
	END
	(cd tree && env -u GITHUB_WORKSPACE -u GITHUB_SHA "$ACLCHECK" report --format sarif -o ../sites.sarif ../sites.json) || [ $? = 97 ]
	"$python" "$SOURCE/tests/report/sarif_model.py" sites.sarif
	[ "$(json sites.sarif 'r["runs"][0]["originalUriBaseIds"]["SRCROOT"]["uri"]')" = "file://$PWD/tree/" ]
	[ "$(json sites.sarif 'r["runs"][0]["automationDetails"]["properties"]["revision"][:8]')" = 01234567 ]
	[ "$(json sites.sarif 'r["runs"][0]["results"][0]["locations"][0]["physicalLocation"]')" = \
		"{'artifactLocation': {'uri': 'src/x.c', 'uriBaseId': 'SRCROOT'}, 'region': {'startLine': 2, 'snippet': {'text': '\\tcopy(a);'}}}" ]
	[ "$(json sites.sarif '[x["physicalLocation"]["region"]["startLine"] for x in r["runs"][0]["results"][0]["relatedLocations"]][-2:]')" = "[2, 3]" ]
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
		open(sys.argv[2], "w").write(json.dumps(report))
	END
	run "$ACLCHECK" report --format sarif -o out.sarif placeless.json
	[ "$(json out.sarif '[x["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("findings") for x in r["runs"][0]["results"]]')" = \
		"[True, False, True]" ]
	[ "$(json out.sarif 'r["runs"][0]["results"][0]["message"]["text"]')" = '{{0}} {x} \[here\](http://example.org) a\[1\] \\' ]
}

@test "junit is valid and counts right" {
	show junit
	xmllint --noout --schema "$SOURCE/tests/report/junit.xsd" out.junit
	[ "$(xmllint --xpath 'string(/testsuites/@failures)' out.junit)" = 2 ]
	[ "$(xmllint --xpath 'count(//testcase)' out.junit)" = 4 ]
	[ "$(xmllint --xpath 'count(//failure)' out.junit)" = 2 ]
	[ "$(xmllint --xpath 'count(//skipped)' out.junit)" = 2 ]
	[ "$(xmllint --xpath 'count(//testcase[@name="verdict"]/failure)' out.junit)" = 1 ]
	[ "$(xmllint --xpath 'string(//testsuite/@hostname)' out.junit)" = "$(uname -n)" ]
	[ "$(xmllint --xpath 'string(//testsuite/@timestamp)' out.junit)Z" = "$(json r.json 'r["started"]')" ]
	[ "$(xmllint --xpath 'string(//testcase[failure and @file]/@file)' out.junit)" = tests/report/findings.c ]
	no_control out.junit
}

@test "tap: 13 for every harness, 14 on request" {
	show tap14
	[ "$(python3 -S "$SOURCE/tests/report/look.py" tap out.tap14)" = "fail fail skip skip" ]
	show tap
	[ "$(head -1 out.tap)" = "TAP version 13" ]
	cmp <(sed 1d out.tap) <(sed 1d out.tap14)
	run prove --nocolor --exec cat out.tap
	[ "$status" = 1 ]
	[[ $output == *"Failed 2/4 subtests"*"2 tests skipped"* || $output == *"Failed 2/4 subtests"*"less 2 skipped"* ]]
}

@test "github annotations: one line each, no command of the program's" {
	GITHUB_WORKSPACE=$SOURCE show github
	[ "$(grep -c '^::' out.github)" = 4 ]
	[ "$(grep -c '^::error file=.*findings.c,line=[0-9]*,title=aclcheck async-copy-alignment::' out.github)" = 1 ]
	[ "$(grep -cv '^::\(error\|warning\|notice\) \|^aclcheck: verdict fail$' out.github)" = 0 ]
	no_control out.github
}

@test "github: ten annotations a level, everything in the summary of the step" {
	python3 - r.json many.json <<-'END'
		import json, sys
		report = json.load(open(sys.argv[1]))
		error, advice, warning = report["findings"][:3]
		def copies(finding, n):
		    return [dict(finding, fingerprint=f"{finding['rule']}-{i}", title=f"title {i} | <b>") for i in range(n)]
		report["findings"] = copies(warning, 13) + copies(error, 34) + copies(advice, 11)
		open(sys.argv[2], "w").write(json.dumps(report))
	END
	echo "before" >page.md
	GITHUB_STEP_SUMMARY=$PWD/page.md "$ACLCHECK" report --format github many.json >out.github || [ $? = 97 ]
	[ "$(grep -c '^::error ' out.github)" = 10 ]
	[ "$(grep -c '^::warning ' out.github)" = 10 ]
	[ "$(grep -c '^::notice ' out.github)" = 10 ]
	# The reason for inconclusive has its place among the warnings.
	grep -q '^::warning title=aclcheck inconclusive::events-lost' out.github
	[ "$(tail -1 out.github)" = "aclcheck: verdict fail; 29 more findings are in the summary of this step" ]
	[ "$(head -1 page.md)" = before ]
	grep -q '^## aclcheck: fail$' page.md
	[ "$(grep -c '^| error | async-copy-alignment<br>title [0-9]* &#124; &lt;b&gt; | aclrtMemcpyAsync | copy&#95;finding (.*findings.c:[0-9]*) | 1 |' page.md)" = 34 ]
	[ "$(grep -c '^| ' page.md)" = 59 ]
	# Without a page they are counted.
	env -u GITHUB_STEP_SUMMARY "$ACLCHECK" report --format github many.json >out.github || [ $? = 97 ]
	[ "$(tail -1 out.github)" = "aclcheck: verdict fail; 29 more findings are in the report" ]
}

@test "gitlab code quality: an issue a call site, with a path of the checkout and a fingerprint of its own" {
	CI_PROJECT_DIR=$SOURCE show gitlab
	[ "$(json out.gitlab '[(x["check_name"], x["severity"]) for x in r]')" = \
		"[('async-copy-alignment', 'critical'), ('event-churn', 'info'), ('stream-leak', 'major'), ('inconclusive', 'critical')]" ]
	[ "$(json out.gitlab 'r[0]["location"]["path"], r[0]["location"]["lines"]["begin"] > 1')" = "('tests/report/findings.c', True)" ]
	[ "$(json out.gitlab 'all(set(x) == {"description", "check_name", "fingerprint", "severity", "location"} for x in r)')" = True ]
	[ "$(json out.gitlab 'len({x["fingerprint"] for x in r}) == len(r)')" = True ]
	python3 - merged.json sites.json <<-'END'
		import json, sys
		report = json.load(open(sys.argv[1]))
		site = report["findings"][0]["sites"][0]
		report["findings"][0]["sites"] = [dict(site, line=7), dict(site, line=9)]
		report["findings"][1]["suppressed"] = True
		open(sys.argv[2], "w").write(json.dumps(report))
	END
	"$ACLCHECK" report --format gitlab sites.json >out.gitlab || [ $? = 97 ]
	[ "$(json out.gitlab '[x["location"]["lines"]["begin"] for x in r][:2], [x["check_name"] for x in r].count("event-churn")')" = "([7, 9], 0)" ]
	[ "$(json out.gitlab 'r[1]["fingerprint"] == r[0]["fingerprint"] + "-2"')" = True ]
}

@test "html is well formed, with no script and style but its own, and no reference" {
	show html
	python3 -S "$SOURCE/tests/report/look.py" html out.html >text
	grep -q 'async-copy-alignment' text
	grep -q 'findings.c:' text
	grep -q 'created by aclrtMallocHost' text
	grep -q 'events-lost' text
}

@test "html: the filter groups findings as the totals count them" {
	rm r.json
	ACLCHECK_JOB=$BATS_TEST_NAME ACLCHECK_REPORT=r.json "$FINDINGS" advice warning secondary 2>/dev/null
	"$ACLCHECK" report --format html r.json -o out.html
	[ "$(sed -n 's|.*class="group" value="\([a-z]*\)".*</span> \([0-9]*\)</label>.*|\1 \2|p' out.html | tr '\n' ';')" = \
		"warning 1;advice 1;consequence 1;" ]
	[ "$(grep -o '<details class="finding"[^>]* data-group="[a-z]*"' out.html | sed 's/.*data-group="//' | sort | tr -d '\n')" = \
		'advice"consequence"warning"' ]
	"$ACLCHECK" report --format json r.json -o out.json
	[ "$(json out.json '[(k, n) for k, n in r["totals"].items() if n]')" = "[('warning', 1), ('advice', 1)]" ]
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
		for i, finding in enumerate(report["findings"]):
		    finding["fingerprint"] = "::error::x<script>##[a]" + str(i)
		report["inconclusive"][0]["reason"] = nasty
		report["expectations"] = [
		    {"in": "program", "rule": nasty, "reason": nasty, "place": {"function": nasty, "file": nasty, "line": 1}, "opened": 2, "met": 1},
		    {"in": "file", "fingerprint": nasty, "reason": nasty, "until": nasty, "met": 0}]
		open(sys.argv[2], "w").write(json.dumps(report))
	END
	# No severity is taken that is none.
	sed 's/"severity": "error"/"severity": "\\u001b[31m\\n::error::x"/' nasty.json >severity.json
	run "$ACLCHECK" report --format github severity.json
	[ "$status" = 99 ]
	printf '%s\n' "$output" >bad.output
	no_control bad.output
	for format in text json sarif junit tap tap14 github gitlab html; do
		"$ACLCHECK" report --format $format nasty.json -o bad.$format || [ $? = 97 ]
		no_control bad.$format
	done
	run grep -l '<script' bad.junit
	[ "$status" = 1 ]
	run grep -lE '^[[:space:]]*::error::x|##(vso)?\[' bad.text bad.tap bad.junit bad.github bad.html
	[ "$status" = 1 ]
	run env LC_ALL=C grep -lP '\xe2\x80\xae' bad.text bad.tap bad.junit bad.github bad.html
	[ "$status" = 1 ]
	xmllint --noout --schema "$SOURCE/tests/report/junit.xsd" bad.junit
	python3 -S "$SOURCE/tests/report/look.py" html bad.html >/dev/null
	python3 -S "$SOURCE/tests/report/look.py" tap bad.tap14 >/dev/null
	run prove --nocolor --exec cat bad.tap
	[[ $output == *"Failed 5/8 subtests"* ]]
	[[ $output != *"Parse errors"* ]]
	[ "$(grep -c '^::' bad.github)" = 8 ]
	python3 -c 'import jsonschema' 2>/dev/null || return 0
	python3 -c 'import json, jsonschema, sys
jsonschema.validate(*map(json.load, map(open, sys.argv[1:])))' bad.sarif "$SOURCE/tests/report/sarif.schema.json"
}

@test "an inconclusive run is no success in any format" {
	ACLCHECK_JOB=other ACLCHECK_REPORT=i.json "$FINDINGS" doubt 2>/dev/null
	for format in junit tap14 github gitlab sarif html; do
		"$ACLCHECK" report --format $format i.json -o i.$format || [ $? = 98 ]
	done
	[ "$(xmllint --xpath 'string(/testsuites/@errors)' i.junit)" = 1 ]
	[ "$(python3 -S "$SOURCE/tests/report/look.py" tap i.tap14)" = fail ]
	# It fails the step, so it is an error there.
	grep -q '^::error title=aclcheck inconclusive::events-lost' i.github
	[ "$(json i.gitlab '[(x["check_name"], x["severity"]) for x in r]')" = "[('inconclusive', 'critical')]" ]
	[ "$(json i.sarif 'r["runs"][0]["invocations"][0]["executionSuccessful"]')" = False ]
}

@test "github: inconclusive is an error exactly when it fails the step" {
	run "$ACLCHECK" run --softnpu --format github --report out.github -- /bin/true
	[ "$status" = 98 ]
	grep -q '^::error title=aclcheck inconclusive::nothing-observed' out.github
	run "$ACLCHECK" run --softnpu --keep-exit-code --format github --report out.github -- /bin/true
	[ "$status" = 0 ]
	grep -q '^::warning title=aclcheck inconclusive::nothing-observed' out.github
}
