#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# One report out of many processes'.

load helper

@test "the same finding on many ranks is one, with the list of ranks" {
	mkdir d
	for RANK in 0 1 2 5; do
		export RANK
		ACLCHECK_REPORT=d/%r.json "$FINDINGS" error repeat 2>/dev/null
	done
	RANK=6 ACLCHECK_REPORT=d/%r.json "$FINDINGS" advice 2>/dev/null
	run "$ACLCHECK" merge d -o m.json
	[ "$status" = 97 ]
	[ "$(json m.json '[(f["rule"], f["count"], f["processes"], f["ranks"]) for f in r["findings"]]')" = \
		"[('async-copy-alignment', 40, 4, [0, 1, 2, 5]), ('event-churn', 1, 1, [6])]" ]
	[ "$(json m.json 'len(r["processes"])')" = 5 ]
	"$ACLCHECK" report m.json | grep -q '4 processes, ranks 0-2, 5'
}

@test "merging merged reports gives the same" {
	for RANK in 0 1 2; do
		export RANK
		ACLCHECK_REPORT=%r.json "$FINDINGS" error 2>/dev/null
	done
	"$ACLCHECK" merge 0.json 1.json 2.json -o all.json || [ $? = 97 ]
	"$ACLCHECK" merge 0.json 1.json -o part.json || [ $? = 97 ]
	"$ACLCHECK" merge part.json 2.json -o again.json || [ $? = 97 ]
	cmp all.json again.json
}

@test "a killed rank counts through its journal and makes the job inconclusive" {
	mkdir d
	RANK=0 ACLCHECK_REPORT=d/%r.json "$FINDINGS" advice 2>/dev/null
	RANK=1 ACLCHECK_REPORT=d/%r.json "$FINDINGS" warning repeat kill 2>/dev/null || true
	run "$ACLCHECK" merge d -o m.json
	[ "$status" = 98 ]
	[ "$(json m.json '[(d["reason"], d["ranks"]) for d in r["inconclusive"]]')" = "[('process-killed', [1])]" ]
	[ "$(json m.json '[f["count"] for f in r["findings"]]')" = "[1, 10]" ]
	RANK=2 ACLCHECK_REPORT=d/%r.json "$FINDINGS" error kill 2>/dev/null || true
	run "$ACLCHECK" merge d -o m.json
	[ "$status" = 97 ]
}

@test "a journal cut in its last line, and an empty one" {
	ACLCHECK_REPORT=k.json "$FINDINGS" warning error kill 2>/dev/null || true
	head -c -20 k.json.part >cut.json.part
	run "$ACLCHECK" merge cut.json.part -o m.json
	[ "$status" = 98 ]
	[ "$(json m.json '[f["rule"] for f in r["findings"]]')" = "['stream-leak']" ]
	: >empty.json.part
	run "$ACLCHECK" merge empty.json.part
	[ "$status" = 98 ]
}

@test "a report named that is only a journal yet" {
	ACLCHECK_REPORT=k.json "$FINDINGS" error kill 2>/dev/null || true
	run "$ACLCHECK" report k.json
	[ "$status" = 97 ]
}

@test "files that are no reports: file and line are named" {
	echo '{"a": 1}' >a.json
	printf '{"aclcheck": "x", "verdict": "pass",\n "findings": [\n {"rule": "x"}]}' >b.json
	printf '{"record":"start"}\nnonsense\n' >c.part
	: >d.txt
	head -c 300 /dev/urandom >e.json
	for case in "a.json:1: this is not a report" "b.json:3: a finding has no fingerprint" "c.part:2: this line is not a journal record" \
		"none.json: No such file" "e.json:1: "; do
		run "$ACLCHECK" merge "${case%%:*}"
		[ "$status" = 99 ]
		[[ $output == *"aclcheck: $case"* ]]
	done
}

@test "two reports in one file: refused, what the second one says is not passed over" {
	"$ACLCHECK" run --softnpu --report bad.json -- "$PROGRAM" 2>/dev/null || [ $? = 97 ]
	"$ACLCHECK" run --softnpu --report good.json -- "$PROGRAM" clean 2>/dev/null
	cat good.json bad.json >two.json
	(cat good.json && echo nonsense) >more.json
	(cat good.json && printf ' \n\t\n') >blank.json
	for file in two.json more.json; do
		run "$ACLCHECK" report "$file"
		[ "$status" = 99 ]
		[[ $output == *"aclcheck: $file:"[0-9]*": more stands behind the report"* ]]
		run "$ACLCHECK" merge -o m.json "$file"
		[ "$status" = 99 ]
		[ "$(json m.json 'r["verdict"]')" = inconclusive ]
	done
	"$ACLCHECK" merge -o m.json blank.json
	# The same of journals: the end of the first is not that of the second.
	ACLCHECK_REPORT=killed.json "$FINDINGS" kill 2>/dev/null || true
	cat killed.json.part killed.json.part >two.part
	run "$ACLCHECK" report two.part
	[ "$status" = 99 ]
	[[ $output == *"aclcheck: two.part:"[0-9]*": more stands behind the report"* ]]
}

# Cut, or edited by hand: what is missing must not be read as if nothing had been found.
@test "a report that lacks a member, or does not agree with itself: file and key are named, and it is no pass" {
	"$ACLCHECK" run --softnpu --report bad.json -- "$PROGRAM" 2>/dev/null || [ $? = 97 ]
	"$ACLCHECK" run --softnpu --report good.json -- "$PROGRAM" clean 2>/dev/null
	ACLCHECK_REPORT=own.json "$FINDINGS" error warning 2>/dev/null
	while IFS='|' read -r file change key; do
		python3 -S -c "import json, sys
r = json.load(open(sys.argv[1]))
f = (r['findings'] or [{}])[0]
$change
json.dump(r, open('x.json', 'w'), indent=1)" "$file"
		run "$ACLCHECK" report x.json
		[ "$status" = 99 ] && [[ $output == *"aclcheck: x.json:"[0-9]*": "*"'$key'"* ]] || { echo "$change: $status, $output"; return 1; }
		run "$ACLCHECK" merge -o m.json x.json
		[ "$status" = 99 ]
		# What it lists all the same counts.
		[ "$(json m.json 'r["verdict"] == ("fail" if r["totals"]["error"] else "inconclusive"), [d["reason"] for d in r["inconclusive"]]')" = "(True, ['report-unreadable'])" ]
	done <<-'END'
		own.json|del f['severity']|severity
		own.json|f['severity'] = 'ERROR'|severity
		own.json|f['count'] = 0|count
		own.json|f['count'] = '3'|count
		own.json|del r['findings']|findings
		own.json|r['findings'] = []|totals
		own.json|del r['totals']|totals
		bad.json|r['totals']['perf'] = 1|totals
		bad.json|r['findings'].pop()|totals
		bad.json|f['count'] += 1|totals
		bad.json|f['suppressed'] = True|totals
		bad.json|f['advice'] = True; r['totals']['error'] -= f['count']; r['totals']['advice'] = f['count']|verdict
		good.json|r['verdict'] = 'fail'|verdict
		good.json|r['verdict'] = 'inconclusive'|verdict
		good.json|r['verdict'] = 'passed'|verdict
		good.json|del r['inconclusive']|inconclusive
		good.json|r['inconclusive'] = None|inconclusive
		good.json|del r['calls']|calls
		good.json|del r['format']|format
		good.json|r['format'] = 0|format
		good.json|r['format'] = '1'|format
		good.json|del r['aclcheck']|aclcheck
	END
	# As they are they are taken.
	run "$ACLCHECK" merge bad.json good.json own.json
	[ "$status" = 97 ]
}

@test "what one file lacks does not hide what others say" {
	echo nonsense >a.json
	ACLCHECK_REPORT=r.json "$FINDINGS" error 2>/dev/null
	run "$ACLCHECK" merge a.json r.json -o m.json
	[ "$status" = 99 ]
	[ "$(json m.json 'r["verdict"], [d["reason"] for d in r["inconclusive"]]')" = "('fail', ['report-unreadable'])" ]
}

# 64 MB of reports: far more than the findings in them, read at the speed of a disk and in little memory.
# Every rank with some findings of its own.
@test "as much for distinct findings of many ranks" {
	RANK=0 ACLCHECK_REPORT=r.json "$FINDINGS" error 2>/dev/null
	python3 - <<-'END'
		import json
		report = json.load(open("r.json"))
		finding = report["findings"][0]
		for rank in range(20):
		    report["rank"], report["pid"] = rank, rank + 1
		    report["findings"] = [{**finding, "fingerprint": "%016x" % (i if i < 900 else i + rank * 100)} for i in range(1000)]
		    open("rank%02d.json" % rank, "w").write(json.dumps(report))
	END
	run "$ACLCHECK" merge -o m.json rank*.json
	[ "$status" = 97 ]
	[ "$(json m.json 'len(r["findings"]), sum(f["count"] for f in r["findings"]), max(f["processes"] for f in r["findings"])')" = "(2900, 20000, 20)" ]
	[ "$(json m.json 'r["findings"][0]["ranks"] == list(range(20))')" = True ]
}

@test "merging is fast and its memory does not grow with the input" {
	ACLCHECK_REPORT=r.json "$FINDINGS" error warning advice 2>/dev/null
	python3 - <<-'END'
		import json
		report = json.load(open("r.json"))
		report["findings"] *= 4000
		text = json.dumps(report)
		for i in range(4):
		    open("big%d.json" % i, "w").write(text)
		print(4 * len(text))
	END
	bytes=$(cat big*.json | wc -c)
	read -r seconds kilobytes <<<"$(python3 - "$ACLCHECK" big*.json <<-'END'
		import resource, subprocess, sys
		def little_memory():
		    resource.setrlimit(resource.RLIMIT_DATA, (12 << 20, 12 << 20))
		best = None
		for attempt in range(3):
		    before = resource.getrusage(resource.RUSAGE_CHILDREN)
		    subprocess.call([sys.argv[1], "merge", "-o", "m.json"] + sys.argv[2:], preexec_fn=little_memory)
		    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
		    time = usage.ru_utime + usage.ru_stime - before.ru_utime - before.ru_stime
		    best = time if best is None else min(best, time)
		print(best, usage.ru_maxrss)
	END
	)"
	echo "# $bytes bytes in $seconds s of CPU time, $kilobytes KiB" >&3
	[ "$(json m.json '[f["count"] for f in r["findings"]]')" = "[16000, 16000, 16000]" ]
	# The bound holds with room to spare. All memory of its own is limited to 12 MiB above; the resident size counts
	# the pages of the file being read as well.
	python3 -c "assert $bytes / $seconds > 100e6, 'slower than 100 MB/s'; assert $kilobytes < 20000 + $bytes / 4 / 1024"
}

@test "many distinct findings: read, merged and written faster than Python reads them" {
	ACLCHECK_REPORT=r.json "$FINDINGS" error warning advice 2>/dev/null
	read -r seconds plain bytes <<<"$(python3 - "$ACLCHECK" <<-'END'
		import json, resource, subprocess, sys
		report = json.load(open("r.json"))
		kinds = report["findings"]
		for k in range(4):
		    report["findings"] = [dict(kinds[i % len(kinds)], fingerprint=f"{k}-{i:012x}") for i in range(6000)]
		    report["pid"] = 100 + k
		    open(f"big{k}.json", "w").write(json.dumps(report))
		names = [f"big{k}.json" for k in range(4)]
		def cpu(command):
		    before = resource.getrusage(resource.RUSAGE_CHILDREN)
		    subprocess.run(command)
		    after = resource.getrusage(resource.RUSAGE_CHILDREN)
		    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
		read = "import json, sys\nfor name in sys.argv[1:]: json.load(open(name))"
		nothing = min(cpu([sys.executable, "-c", "import json"]) for i in range(3))
		print(min(cpu([sys.argv[1], "merge", "-o", "m.json"] + names) for i in range(5)),
		      min(cpu([sys.executable, "-c", read] + names) for i in range(5)) - nothing,
		      sum(len(open(name).read()) for name in names))
	END
	)"
	echo "# $bytes bytes in $seconds s of CPU time, Python reads them in $plain s" >&3
	[ "$(json m.json 'len(r["findings"]), len(r["processes"]), r["totals"]["error"] > 0')" = "(24000, 4, True)" ]
	# It is 0.4 where the machine is calm. A second look at each finding would miss this, a tree of them by far.
	python3 -c "assert $seconds < 0.7 * $plain"
}

@test "what is not valid JSON inside a finding is found, wherever it stands" {
	ACLCHECK_REPORT=r.json "$FINDINGS" error 2>/dev/null
	for change in 's/"severity": *"error"/"severity":erro/' 's/"thread": *[0-9]*/"thread":01/' 's/"title": *"/&\\q/' \
		's/"title": *"/&\xff/' 's/"advice": *false/"advice":false false/' 's/"title": *"/&\t/' 's/"args": *{/&,/' 's/"thread": *[0-9]*/&./'; do
		LC_ALL=C sed "$change" r.json >bad.json
		cmp -s r.json bad.json && { echo "no change: $change"; return 1; }
		run "$ACLCHECK" merge -o m.json bad.json
		[ "$status" != 0 ] && [ "$status" != 97 ] || { echo "taken: $change"; return 1; }
		[[ $output == *"bad.json:"* ]]
		# What was written is whole all the same.
		[ ! -e m.json ] || json m.json 'r["verdict"]' >/dev/null
	done
	# Good, though unusual.
	sed 's/"title": *"/&\\ud83d\\ude00 \\u00e4\\n/; s/"thread": *[0-9]*/"thread":  12 /' r.json >good.json
	run "$ACLCHECK" merge -o m.json good.json
	[ "$status" = 97 ]
	[ "$(json m.json 'r["findings"][0]["title"][:4], r["findings"][0]["thread"]')" = "('😀 ä\n', 12)" ]
}

@test "a long merge shows on a terminal how far it is" {
	ACLCHECK_REPORT=r.json "$FINDINGS" error warning advice 2>/dev/null
	mkdir many
	python3 - <<-'END'
		import json
		report = json.load(open("r.json"))
		report["findings"] += [dict(report["findings"][0], fingerprint=f"{i:016x}") for i in range(20000)]
		text = json.dumps(report)
		for k in range(6):
		    open(f"many/{k}.json", "w").write(text)
	END
	python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$ACLCHECK" merge -o m.json many >terminal
	grep -q 'aclcheck: [0-9]* processes, [0-9]* findings, [0-9]* MB read' terminal
	"$ACLCHECK" merge -o m.json many 2>err || [ $? = 97 ]
	[ ! -s err ]
}
