#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Journal and report: one a process, never lost, never another's.

load helper

@test "a normal end leaves the report and no journal" {
	ACLCHECK_REPORT=r.json "$FINDINGS" error advice warning repeat 2>/dev/null
	[ "$(ls)" = r.json ]
	[ "$(json r.json 'r["verdict"], len(r["findings"])')" = "('fail', 3)" ]
	[ "$(json r.json '[f["count"] for f in r["findings"]]')" = "[10, 1, 1]" ]
	[ "$(json r.json 'r["findings"][0]["args"]["kind"]')" = ACL_MEMCPY_HOST_TO_DEVICE ]
}

@test "verdicts" {
	verdict() { rm -f r.json; ACLCHECK_REPORT=r.json "$FINDINGS" "$@" 2>/dev/null; json r.json 'r["verdict"]'; }
	[ "$(verdict)" = pass ]
	[ "$(verdict error)" = fail ]
	[ "$(verdict warning advice secondary)" = pass ]
	[ "$(ACLCHECK_FAIL_ON=warning verdict warning)" = fail ]
	[ "$(ACLCHECK_FAIL_ON=warning verdict advice)" = pass ]
	[ "$(verdict doubt)" = inconclusive ]
	[ "$(verdict doubt error)" = fail ]
}

@test "the exit code replaces only 0, and not on pass" {
	ACLCHECK_EXITCODE=7 run "$FINDINGS" error
	[ "$status" = 7 ]
	ACLCHECK_EXITCODE=7 run "$FINDINGS" warning
	[ "$status" = 0 ]
	ACLCHECK_EXITCODE=7 run "$FINDINGS" doubt
	[ "$status" = 7 ]
}

@test "a killed process leaves a journal of whole lines without an end" {
	ACLCHECK_REPORT=r.json run "$FINDINGS" error warning kill
	[ "$status" = 137 ]
	[ "$(ls)" = "$(printf 'r.json.calls\nr.json.part')" ]
	[ "$(python3 -c 'import json
print([json.loads(l)["record"] for l in open("r.json.part")])')" = "['start', 'finding', 'finding']" ]
}

@test "journal and report are what the schema says" {
	python3 -c 'import jsonschema' || skip "python3-jsonschema is not installed"
	ACLCHECK_REPORT=r.json "$FINDINGS" error warning advice secondary nasty repeat doubt fork exec 2>/dev/null
	ACLCHECK_REPORT=k.json "$FINDINGS" error nasty repeat doubt exec kill 2>/dev/null || true
	python3 "$SOURCE/tests/report/validate.py" "$SOURCE/tools/aclcheck/report/report.schema.json" r.json k.json.part
}

@test "a schema test that can fail" {
	python3 -c 'import jsonschema' || skip "python3-jsonschema is not installed"
	ACLCHECK_REPORT=r.json "$FINDINGS" error 2>/dev/null
	sed -i 's/"severity":"error"/"severity":"awful"/' r.json
	run python3 "$SOURCE/tests/report/validate.py" "$SOURCE/tools/aclcheck/report/report.schema.json" r.json
	[ "$status" != 0 ]
}

@test "findings of many threads stay whole" {
	ACLCHECK_MAX_FINDINGS=1000 ACLCHECK_REPORT=r.json "$FINDINGS" threads kill 2>err || true
	[ "$(grep -c '^== aclcheck' err)" = 800 ]
	[ "$(python3 -c 'import json
records = [json.loads(line) for line in open("r.json.part")]
print(sum(r["record"] == "finding" for r in records), sum(r["record"] == "inconclusive" for r in records))')" = "800 1" ]
}

@test "under the thread and address sanitizers" {
	for sanitizer in thread address,undefined; do
		build="$BUILD/tests/report/findings-${sanitizer%,*}"
		ACLCHECK_JOB=$sanitizer ACLCHECK_REPORT=${sanitizer%,*}.json ACLCHECK_SUPPRESS=none.json "$build" \
			error nasty calls threads fork exec repeat doubt 2>err
		! grep -A20 Sanitizer err || return 1
		[ "$(json ${sanitizer%,*}.json 'r["verdict"]')" = fail ]
	done
}

@test "a forked child writes its own report beside" {
	ACLCHECK_REPORT=r.json "$FINDINGS" error fork 2>/dev/null
	[ "$(ls | wc -l)" = 2 ]
	pid=$(json r.json 'r["pid"]')
	other=$(ls | grep -v '^r.json$')
	[ "$other" = "r.$(json "$other" 'r["pid"]').json" ]
	[ "$(json "$other" 'r["ppid"]')" = "$pid" ]
	[ "$(json "$other" 'len(r["findings"])')" = 1 ]
}

@test "two processes of one run, one after the other: both reports stay" {
	ACLCHECK_REPORT=r.json "$FINDINGS" error 2>/dev/null
	ACLCHECK_REPORT=r.json "$FINDINGS" 2>err
	grep -q "another process of this run has $PWD/r.json" err
	[ "$(json r.json 'r["verdict"]')" = fail ]
	[ "$(ls r*.json | wc -l)" = 2 ]
}

@test "many at once: each has a file of its own" {
	for i in 1 2 3 4 5 6 7 8; do
		ACLCHECK_REPORT=r.json "$FINDINGS" error 2>/dev/null &
	done
	wait
	[ "$(ls r*.json | wc -l)" = 8 ]
	[ "$(ls | wc -l)" = 8 ]
	for f in r*.json; do json "$f" 'r["pid"]'; done | sort -u | wc -l | grep -qx 8
}

@test "the report of an earlier run is replaced, also when this one dies" {
	ACLCHECK_JOB=old ACLCHECK_REPORT=r.json "$FINDINGS" 2>/dev/null
	ACLCHECK_REPORT=r.json "$FINDINGS" error 2>/dev/null
	[ "$(json r.json 'r["verdict"]')" = fail ]
	[ "$(ls)" = r.json ]
	ACLCHECK_JOB=new ACLCHECK_REPORT=r.json "$FINDINGS" kill 2>/dev/null || true
	[ "$(ls)" = "$(printf 'r.json.calls\nr.json.part')" ]
	# The dead one's journal is not in the way either.
	ACLCHECK_JOB=newer ACLCHECK_REPORT=r.json "$FINDINGS" 2>/dev/null
	[ "$(ls)" = r.json ]
}

@test "the journal of a killed process of the same run is kept" {
	ACLCHECK_REPORT=r.json "$FINDINGS" error kill 2>/dev/null || true
	ACLCHECK_REPORT=r.json "$FINDINGS" 2>/dev/null
	[ -s r.json.part ]
	[ "$(ls | grep -vc calls)" = 2 ]
}

@test "host, process and rank in the path" {
	SLURM_PROCID=3 ACLCHECK_REPORT='%h-%r-100%%.json' "$FINDINGS" 2>/dev/null
	[ "$(json "$(uname -n)-3-100%.json" 'r["rank"]')" = 3 ]
	OMPI_COMM_WORLD_RANK=5 SLURM_PROCID=3 ACLCHECK_REPORT='rank%r' "$FINDINGS" 2>/dev/null
	[ -s rank5 ]
	ACLCHECK_REPORT='p%p' "$FINDINGS" 2>/dev/null
	[ "$(json p[0-9]* '"p%d" % r["pid"]')" = "$(echo p[0-9]*)" ]
}

@test "an exec that fails: the run goes on in the same journal" {
	ACLCHECK_REPORT=r.json "$FINDINGS" error exec warning 2>/dev/null
	[ "$(json r.json 'len(r["findings"]), r["end"]')" = "(2, 'exit')" ]
}

@test "a relative path means where the process started" {
	mkdir d
	ACLCHECK_REPORT=d/r.json "$FINDINGS" 2>/dev/null
	[ -s d/r.json ]
}

lost() {
	grep -c "^aclcheck: .*cannot be written: $1" err | grep -qx 1
	grep -q 'verdict: inconclusive; report-lost' err
}

@test "no such directory, no right, no regular file: one line, inconclusive, the program goes on" {
	ACLCHECK_REPORT=none/r.json "$FINDINGS" advice 2>err
	lost "No such file or directory"
	mkdir d
	ACLCHECK_REPORT=d "$FINDINGS" 2>err
	lost "it is not a regular file"
	ACLCHECK_REPORT=/dev/null "$FINDINGS" 2>err
	lost "it is not a regular file"
	[ -c /dev/null ]
	ACLCHECK_REPORT=/proc/r.json "$FINDINGS" 2>err
	lost "No such file or directory"
}

@test "a full disk" {
	[ "$(id -u)" = 0 ] || skip "needs root for a small file system"
	mkdir full
	unshare -m true 2>/dev/null || skip "no mount name space can be made"
	unshare -m sh -c "mount -t tmpfs -o size=4k none full && ACLCHECK_REPORT=full/r.json \
		'$FINDINGS' error advice warning" 2>err || skip "no file system can be mounted"
	grep -c '^aclcheck: .*cannot be written: No space left on device' err | grep -qx 1
	grep -q 'verdict: fail; report-lost' err
}

@test "the directory vanishes while the program runs" {
	mkdir d
	mkfifo go
	ACLCHECK_REPORT=d/r.json "$FINDINGS" advice pause warning <go 2>err &
	exec 9>go
	await grep -qs '"record":"finding"' d/r.json.part
	rm -r d
	exec 9>&-
	wait $!
	lost "No such file or directory"
}

@test "another file in the journal's place is not written to" {
	mkfifo go
	ACLCHECK_REPORT=r.json "$FINDINGS" advice pause warning <go 2>err &
	exec 9>go
	await grep -qs '"record":"finding"' r.json.part
	rm r.json.part
	echo mine >r.json.part
	exec 9>&-
	wait $!
	lost "another file stands there now"
	[ "$(cat r.json.part)" = mine ]
}

@test "the fingerprint ignores line numbers and addresses" {
	one() { ACLCHECK_JOB=$1 ACLCHECK_REPORT=$1 "$FINDINGS" error 2>/dev/null; json "$1" 'r["findings"][0]["fingerprint"]'; }
	[ "$(one a)" = "$(one b)" ]
	[ "$(json a 'r["findings"][0]["stack"][0]["address"]')" != "$(json b 'r["findings"][0]["stack"][0]["address"]')" ]
}
