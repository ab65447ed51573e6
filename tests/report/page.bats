#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The HTML page of 700 findings, in a browser.

load helper
load ../browser.bash

setup_file() {
	browser || return 0
	cd "$BATS_FILE_TMPDIR" || return
	page
	browser_opens
}

teardown_file() {
	browser_closes
}

# Makes page.html, of 700 findings.
page() {
	ACLCHECK_JOB=page ACLCHECK_REPORT=r.json "$FINDINGS" error advice warning 2>/dev/null
	python3 - r.json many.json <<-'END'
		import json, sys
		report = json.load(open(sys.argv[1]))
		kinds = report["findings"][:3]
		report["findings"] = []
		for i in range(700):
		    finding = json.loads(json.dumps(kinds[i % 3]))
		    finding.update(fingerprint=f"{i:016x}", serial=i + 1, rule=f"{finding['rule']}-{i % 20}")
		    for frame in finding["stack"]:
		        frame.update(function=f"ns::worker<float, std::vector<int>>::step_{i}(int, char const*)", line=i + 1,
		                     file=f"/home/user/projects/inference/source/components/module_{i % 23}.cpp")
		    report["findings"].append(finding)
		open(sys.argv[2], "w").write(json.dumps(report))
	END
	"$ACLCHECK" report --format html -o page.html many.json || [ $? = 97 ]
}

setup() {
	skip_where_emulated
	cd "$BATS_TEST_TMPDIR" || return
	browser || skip "no Chromium"
}

page=$BATS_FILE_TMPDIR/page.html

# in_page WIDTH HASH SCRIPT: the value of a script's "result" in the page, which runs after the page's own.
in_page() {
	local probe
	probe=$(mktemp "$PWD/probe-XXXXXX.html")
	sed -e '/Content-Security-Policy/d' -e "s|^</body>|<script>$3; document.title = 'result ' + result;</script></body>|" "$page" >"$probe"
	title_of "$probe$2" "$1" | sed -n 's|^result ||p'
}

background() {
	browse --window-size=800,600 --blink-settings=preferredColorScheme="$1" --screenshot="$PWD/$1.png" "file://$page" >/dev/null
	python3 -S "$SOURCE/tests/report/look.py" png "$1.png"
}

@test "light and dark, as the reader's system is" {
	[ "$(background 1)" = "255 255 255" ]
	[ "$(background 0)" = "21 24 28" ]
}

@test "folded: 700 findings are a page of some screens, at any width" {
	python3 -S "$SOURCE/tests/report/look.py" html "$page" >/dev/null
	for width in 500 1200; do
		height=$(in_page $width '' 'const result = document.documentElement.scrollHeight')
		[ "$height" -gt 1000 ] && [ "$height" -lt 9000 ] || { echo "$width: $height"; return 1; }
		# Nothing is wider than the window but tables in their own scroll boxes.
		[ "$(in_page $width '' 'const result = document.documentElement.scrollWidth <= window.innerWidth')" = true ]
	done
	[ "$(in_page 400 '' 'const result = document.documentElement.scrollWidth <= window.innerWidth')" = true ]
	[ "$(in_page 500 '' 'document.querySelectorAll("details").forEach(d => d.open = true); const result = document.documentElement.scrollWidth <= window.innerWidth')" = true ]
}

@test "a link opens what it points to" {
	[ "$(in_page 1200 '#f123' 'const result = [...document.querySelectorAll("#rules details[open]")].map(d => d.className + " " + d.id.replace(/-.*/, ""))')" = \
		"rule rule,finding f123" ]
	# Every link leads somewhere.
	[ "$(in_page 1200 '' 'const result = [...document.querySelectorAll("a[href^=\\"#\\"]")].every(a => document.getElementById(a.hash.slice(1)))')" = true ]
	[ "$(in_page 1200 '' 'document.querySelector("#sites a").click(); setTimeout(() => 0); const result = document.querySelectorAll("#sites a").length')" = 700 ]
}

@test "search and filter leave what is wanted" {
	visible='document.querySelectorAll(\"details.finding:not([hidden])\").length'
	type='const type = (words) => { document.getElementById("search").value = words; document.getElementById("search").dispatchEvent(new Event("input")); }'
	[ "$(in_page 1200 '' "$type; type(\"STEP_42(\"); const result = $visible + ' ' + document.querySelectorAll('#rules > details[open]').length")" = "1 1" ]
	[ "$(in_page 1200 '' "$type; type(\"module_3.cpp event-churn\"); const result = $visible")" = 10 ]
	[ "$(in_page 1200 '' "$type; type(\"no such word\"); const result = $visible + ' ' + document.getElementById('shown').textContent")" = "0 0 of 700 findings" ]
	[ "$(in_page 1200 '' "document.querySelector('input.group[value=error]').click(); const result = $visible")" = 466 ]
}

@test "by keyboard: / searches, Escape clears, every fold can be reached" {
	key='const key = (k) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true, cancelable: true }))'
	[ "$(in_page 1200 '' "$key; key('/'); const result = document.activeElement.id")" = search ]
	[ "$(in_page 1200 '' "$key; key('/'); document.activeElement.value = 'x'; key('Escape'); const result = document.activeElement.id + document.activeElement.value")" = search ]
	[ "$(in_page 1200 '' 'const result = [...document.querySelectorAll("details")].every(d => d.firstElementChild.tagName === "SUMMARY" \&\& d.firstElementChild.tabIndex === 0)')" = true ]
}

@test "title and head say which run this is" {
	mkdir -p tree/.git
	echo 0123456789abcdef0123456789abcdef01234567 >tree/.git/HEAD
	run env -C tree -u GITHUB_SHA -u CI_COMMIT_SHA -u GIT_COMMIT "$ACLCHECK" run --softnpu --target-cann 8.5 --report ../run.json -- "$PROGRAM"
	[ "$status" = 97 ]
	[ "$(json run.json '[(x["command"][0].split("/")[-1], x["exit_status"], x["revision"][:4], x["checker"]) for x in r["runs"]]')" = \
		"[('misaligned', 0, '0123', '$("$ACLCHECK" --version | cut -d' ' -f2)')]" ]
	"$ACLCHECK" report --format html -o run.html run.json || [ $? = 97 ]
	grep -q '^.*<title>fail: misaligned, 20..-..-..T..:..:..Z - aclcheck</title>$' run.html
	for word in "program\" content=\".*misaligned" "date\" content=\"20" "commit\" content=\"0123456789abcdef" "host\" content=\"$(uname -n)" \
		"runtime\" content=\".*libascendcl.so" "target CANN\" content=\"8.5" "exit status\" content=\"0"; do
		grep -q "<meta name=\"aclcheck:$word" run.html || { echo "$word"; return 1; }
	done
}

@test "what ended the program is in the report, and a merge keeps it" {
	run "$ACLCHECK" run --softnpu --report run.json -- "$PROGRAM" abort
	[ "$(json run.json '[(x.get("exit_status"), x["signal"]) for x in r["runs"]]')" = "[(None, 6)]" ]
	run "$ACLCHECK" run --softnpu --report more.json -- "$PROGRAM" clean exit 3
	run "$ACLCHECK" merge run.json more.json -o both.json
	[ "$(json both.json '[(x.get("exit_status"), x.get("signal")) for x in r["runs"]]')" = "[(None, 6), (3, None)]" ]
	python3 "$SOURCE/tests/report/validate.py" "$SOURCE/tools/aclcheck/report/report.schema.json" run.json both.json
}
