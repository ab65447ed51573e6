#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Settings: where they come from, and what happens to wrong ones.

load helper

report() {
	ACLCHECK_REPORT=r.json "$FINDINGS" "$@" 2>err
}

inconclusive_with() {
	grep -qF "aclcheck: $1" err
	[ "$(grep -cF "aclcheck: " err)" = "$(grep -c "^aclcheck: " err)" ]
	[ "$(json r.json 'r["verdict"]')" = inconclusive ]
	[ "$(json r.json '[d["reason"] for d in r["inconclusive"]]')" = "['bad-configuration']" ]
}

@test "a configuration file, and the environment before it" {
	echo '{"lang": "zh", "exitcode": 5, "rules": ["-event"], "fail_on": "warning"}' >c.json
	ACLCHECK_CONFIG=c.json run "$FINDINGS" warning
	[ "$status" = 5 ]
	[[ $output == *"结论: fail"* ]]
	ACLCHECK_CONFIG=c.json ACLCHECK_LANG=en run "$FINDINGS" warning
	[[ $output == *"verdict: fail"* ]]
}

@test "an unknown key is named with its file and a near word" {
	echo '{"ruels": "-perf"}' >c.json
	ACLCHECK_CONFIG=c.json report
	inconclusive_with "$PWD/c.json: unknown setting 'ruels'; did you mean 'rules'?"
}

@test "an unknown variable is named" {
	ACLCHECK_EXITCOD=3 report
	inconclusive_with "environment: unknown setting 'EXITCOD'; did you mean 'exitcode'?"
}

@test "a bad value is named with what it may be" {
	ACLCHECK_EXITCODE=999 report
	inconclusive_with "environment: exitcode: '999' must be a number in 1-255"
	ACLCHECK_LANG=fr report
	inconclusive_with "environment: lang: 'fr' must be one of en|zh"
}

@test "a rule list that names nothing" {
	ACLCHECK_RULES=+perf,-nonsense report
	inconclusive_with "environment: rules: 'nonsense' names no rule, family, severity or tier"
}

@test "JSON that is none: file and line" {
	printf '{\n "lang": "en",\n oops\n}' >c.json
	ACLCHECK_CONFIG=c.json report
	inconclusive_with "$PWD/c.json:3: "
}

@test "a value of the wrong type, for each setting" {
	cat >try.py <<-'END'
		import json, os, re, subprocess, sys
		table = open(sys.argv[1] + "/interpose/common/settings_table.def", encoding="utf-8").read()
		rows = re.findall(r'^SETTING\(\w+, (\w+), (\w+), "([^"]*)"', table, re.M)
		assert len(rows) == table.count("\nSETTING("), "a row is not in the form of the others"
		values = [5, 1.5, True, False, {"file": "x"}, ["x"], [5]]
		good = {"NUMBER": [5], "RULES": [["x"]]}
		wanted = {**dict.fromkeys(("TEXT", "FILE", "LIBRARY", "LOG"), "must be a string"), "PRODUCT": "must be a string", "CHOICE": "must be one of ",
		          "FAULTS": "must be a string", "NUMBER": "must be a number in ", "RULES": "must be a string or an array of strings"}
		before = sorted(os.listdir("."))
		for word, kind, argument in rows:
		    for value in values:
		        if any(value is v or value == v and type(value) == type(v) for v in good.get(kind, [])) or \
		                type(value) is bool and argument in ("on|off", "auto|on|off"):
		            continue
		        with open("c.json", "w") as f:
		            json.dump({word: value}, f)
		        run = subprocess.run([sys.argv[2]], env=dict(os.environ, ACLCHECK_CONFIG="c.json", ACLCHECK_REPORT="r.json"),
		                             stderr=subprocess.PIPE, text=True)
		        line = "aclcheck: %s/c.json: %s: %s" % (os.getcwd(), word, wanted[kind])
		        own = [l for l in run.stderr.splitlines() if l.startswith("aclcheck: ")]
		        report = json.load(open("r.json"))
		        os.remove("r.json")
		        if run.returncode or len(own) != 1 or not own[0].startswith(line) or report["verdict"] != "inconclusive" or \
		                [d["reason"] for d in report["inconclusive"]] != ["bad-configuration"]:
		            print(word, value, run.returncode, run.stderr, report["verdict"])
		    left = set(os.listdir(".")) - set(before) - {"c.json"}
		    if left:
		        sys.exit("%s: wrote %s" % (word, left))
	END
	run python3 try.py "$SOURCE" "$FINDINGS"
	echo "$output"
	[ "$status" = 0 ]
	[ -z "$output" ]
}

@test "settings that are not strings" {
	echo '{"exitcode": 5, "max_findings": "3", "rules": ["-event", "+perf"], "checks": true, "trace": false, "lang": null}' >c.json
	ACLCHECK_CONFIG=c.json report
	[ "$(json r.json 'r["verdict"]')" = pass ]
}

@test "a configuration that is missing, a directory, a list" {
	ACLCHECK_CONFIG=none.json report
	inconclusive_with "$PWD/none.json: No such file or directory"
	ACLCHECK_CONFIG=/ report
	inconclusive_with "/: Is a directory"
	echo '[]' >c.json
	ACLCHECK_CONFIG=c.json report
	inconclusive_with "$PWD/c.json: must hold one JSON object"
}

@test "fail outranks bad configuration" {
	ACLCHECK_LANG=fr report error
	[ "$(json r.json 'r["verdict"]')" = fail ]
}

@test "no JSON library is opened, whatever is configured" {
	report
	echo '{}' >c.json
	echo '{"suppressions": []}' >s.json
	ACLCHECK_CONFIG=c.json ACLCHECK_SUPPRESS=s.json LD_DEBUG=files "$FINDINGS" 2>files
	grep -q libc files
	! grep -q jansson files
}

@test "the command prints every setting in every form" {
	for form in "" --markdown --man; do
		run "$ACLCHECK" settings $form
		[ "$status" = 0 ]
		for word in CONFIG REPORT EXITCODE RULES LANG RUNTIME TARGET_CANN; do
			[[ $output == *"ACLCHECK_$word"* ]]
		done
	done
	"$ACLCHECK" settings --markdown | awk -F'[^\\\\][|]' 'NF != 7 { bad = 1 } END { exit bad }'
}

@test "report_mode: files of the run are for the user alone on request" {
	umask 022
	for mode in umask owner; do
		mkdir $mode
		ACLCHECK_REPORT_MODE=$mode ACLCHECK_REPORT=$PWD/$mode/r.json ACLCHECK_LOG=$PWD/$mode/log LD_PRELOAD=$BUILD/libaclcheck.so \
			"$BUILD/tests/report/misaligned" exit 0 || return 1
		"$ACLCHECK" run --softnpu --report-mode $mode --report $mode/run.json -- "$BUILD/tests/report/misaligned" 2>err || [ $? = 97 ]
	done
	[ "$(stat -c %a umask/r.json umask/log umask/run.json | tr '\n' ' ')" = "644 644 644 " ]
	[ "$(stat -c %a owner/r.json owner/log owner/run.json | tr '\n' ' ')" = "600 600 600 " ]
	# While the program runs: journal and last calls.
	ACLCHECK_REPORT_MODE=owner ACLCHECK_REPORT=$PWD/k.json ACLCHECK_LOG=off LD_PRELOAD=$BUILD/libaclcheck.so \
		"$BUILD/tests/report/misaligned" abort || true
	[ -e k.json.part ]
	for f in k.json*; do
		[[ $(stat -c %a "$f") == [64]00 ]] || { stat "$f"; return 1; }
	done
}

@test "aclcheck run: names of files are meant from where the command is started, wherever processes are" {
	mkdir -p 'of %p %h %%/sub'
	cd 'of %p %h %%'
	echo '{"suppressions":[{"rule":"async-copy-alignment","reason":"known"}]}' >known.json
	echo '{"rules":"-async-copy-alignment"}' >config.json
	for how in '--suppress known.json' '--config config.json'; do
		# shellcheck disable=SC2086 # two words
		run "$ACLCHECK" run --softnpu $how -- sh -c 'cd sub && "$1"' sh "$PROGRAM"
		echo "$how: $output"
		[ "$status" = 0 ]
	done
	ACLCHECK_SUPPRESS=known.json run "$ACLCHECK" run --softnpu -- sh -c 'cd sub && "$1"' sh "$PROGRAM"
	[ "$status" = 0 ]
	# Nor are they lost where a process finds the run by its ancestors.
	for how in '--suppress known.json' '--config config.json'; do
		# shellcheck disable=SC2086 # two words
		run "$ACLCHECK" run --softnpu $how -- sh -c \
			'cd sub && env -i LD_PRELOAD="$LD_PRELOAD" LD_LIBRARY_PATH="$LD_LIBRARY_PATH" "$1"' sh "$PROGRAM"
		[ "$status" = 0 ]
	done
	run "$ACLCHECK" run --softnpu --log 'log.%p.txt' -- sh -c 'cd sub && "$1"' sh "$PROGRAM"
	[ "$status" = 97 ]
	grep -q async-copy-alignment log.[0-9]*.txt
	[ -z "$(ls sub)" ]
	printf 'int aclInit(const char *);\n#pragma weak aclInit\nint main(void) { return aclInit(0); }' | cc -x c - -o bare
	cp "$BUILD/softnpu/libascendcl.so" runtime.so
	run "$ACLCHECK" run --runtime ./runtime.so -- sh -c 'cd sub && ../bare'
	[ "$status" = 0 ]
}

@test "the name of the directory holds no placeholders" {
	mkdir 'of %p %h %r %%'
	cd 'of %p %h %r %%'
	ACLCHECK_LOG='l.%%.txt' ACLCHECK_REPORT='r.%%.json' LD_PRELOAD=$BUILD/libaclcheck.so "$PROGRAM"
	[ -s 'r.%.json' ]
	grep -q async-copy-alignment 'l.%.txt'
}
