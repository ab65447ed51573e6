#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the threads of a killed process called last.

load helper

STUCK=$BUILD/tests/report/stuck

checked() {
	LD_PRELOAD=$BUILD/libaclcheck.so ACLCHECK_REPORT=$PWD/r.json "$STUCK" "$@" 2>err
}

@test "killed inside a call: each thread, its arguments and results" {
	run checked wait kill
	[ "$status" = 137 ]
	[ "$(ls)" = "$(printf 'err\nr.json.calls\nr.json.part')" ]
	run "$ACLCHECK" merge r.json -o m.json
	[ "$status" = 98 ]
	[ "$(json m.json '[[c["call"] for c in t["calls"]] for t in r["processes"][0]["last_calls"]]')" = \
		"[['aclInit', 'aclrtSetDevice', 'aclrtCreateStream', 'aclrtLaunchHostFunc'], ['aclrtSetDevice', 'aclrtSynchronizeStream']]" ]
	[ "$(json m.json '[c.get("result") for t in r["processes"][0]["last_calls"] for c in t["calls"]]')" = \
		"['ACL_SUCCESS (0)', 'ACL_SUCCESS (0)', 'ACL_SUCCESS (0)', 'ACL_SUCCESS (0)', 'ACL_SUCCESS (0)', None]" ]
	[ "$(json m.json 'r["processes"][0]["last_calls"][1]["calls"][1]["inside"]')" = True ]
	# The stream waited for is the one the other thread launched on.
	[ "$(json m.json 'len({t["calls"][-1]["args"]["stream"] for t in r["processes"][0]["last_calls"]})')" = 1 ]
	"$ACLCHECK" report m.json | grep -q '^ >   aclrtSynchronizeStream(stream=0x[0-9a-f]*) had not returned$'
	"$ACLCHECK" report --format html m.json | grep -q 'aclrtSynchronizeStream(stream=0x[0-9a-f]*)</td><td class="m">had not returned'
	python3 -c 'import jsonschema' || skip "python3-jsonschema is not installed"
	python3 "$SOURCE/tests/report/validate.py" "$SOURCE/tools/aclcheck/report/report.schema.json" r.json.part
}

@test "a process that ends by itself leaves no such file; without a report there is none" {
	run checked
	[ "$status" = 0 ]
	[ "$(ls)" = "$(printf 'err\nr.json')" ]
	LD_PRELOAD=$BUILD/libaclcheck.so strace -f -e trace=openat -o trace "$STUCK" 2>/dev/null || skip "no strace"
	run grep -c '\.calls"' trace
	[ "$output" = 0 ]
}

@test "forty threads: a bounded file, whole entries" {
	run checked threads kill
	[ "$status" = 137 ]
	[ "$(stat -c %s r.json.calls)" -lt 131072 ]
	run "$ACLCHECK" merge r.json -o m.json
	[ "$(json m.json '{c["call"] for t in r["processes"][0]["last_calls"][1:] for c in t["calls"]}')" = "{'aclrtGetDeviceCount'}" ]
	[ "$(json m.json 'len(r["processes"][0]["last_calls"]) > 20')" = True ]
	[ "$(json m.json 'max(len(t["calls"]) for t in r["processes"][0]["last_calls"])')" = 8 ]
}

@test "a forked child's calls are its own, and its parent's stay" {
	run checked fork wait kill
	[ "$(ls *.calls | wc -l)" = 2 ]
	run "$ACLCHECK" merge . -o m.json
	[ "$status" = 98 ]
	[ "$(json m.json 'sorted(c["call"] for p in r["processes"] if p["ppid"] in [q["pid"] for q in r["processes"]] for t in p["last_calls"] for c in t["calls"])')" = \
		"['aclrtGetDeviceCount']" ]
	[ "$(json m.json 'sum(c["call"] == "aclrtGetDeviceCount" for p in r["processes"] for t in p["last_calls"] for c in t["calls"])')" = 1 ]
}

@test "an exec removes it; one that fails brings it back with what it held" {
	run checked exec
	[ "$status" = 0 ]
	run ls -- *.calls
	[ "$status" -ne 0 ]
	rm -f r*
	run checked failexec kill
	[ "$status" = 137 ]
	run "$ACLCHECK" merge r.json -o m.json
	[ "$(json m.json '[c["call"] for t in r["processes"][0]["last_calls"] for c in t["calls"]]')" = "['aclInit', 'aclrtSetDevice', 'aclrtCreateStream']" ]
}

@test "the file of an earlier run that was killed is replaced" {
	ACLCHECK_JOB=old run checked wait kill
	inode=$(stat -c %i r.json.calls)
	ACLCHECK_JOB=new run checked kill
	[ "$(ls)" = "$(printf 'err\nr.json.calls\nr.json.part')" ]
	run "$ACLCHECK" merge r.json -o m.json
	[ "$(json m.json 'len(r["processes"][0]["last_calls"])')" = 1 ]
}

@test "another process' file, a shortened one, another version's and nonsense are not believed" {
	run checked wait kill
	cp r.json.calls good
	lost() {
		"$ACLCHECK" merge r.json -o m.json || [ $? = 98 ]
		[ "$(json m.json 'r["processes"][0].get("last_calls")')" = None ]
	}
	chmod u+w r.json.calls
	head -c 5000 good >r.json.calls
	lost
	cat good /etc/passwd >r.json.calls
	lost
	{ head -c 8 good; printf '12345678'; tail -c +17 good; } >r.json.calls
	lost
	{ head -c 16 good; printf '\1\0\0\0'; tail -c +21 good; } >r.json.calls
	lost
	rm r.json.calls
	mkfifo r.json.calls
	lost
}

@test "no room for it: the program runs on, the journal says why, nothing is left" {
	[ "$(id -u)" = 0 ] || skip "needs root for a small file system"
	mkdir full
	unshare -m true 2>/dev/null || skip "no mount name space can be made"
	run unshare -m sh -c "mount -t tmpfs -o size=64k none full || exit 77
		LD_PRELOAD=$BUILD/libaclcheck.so ACLCHECK_REPORT=full/r.json '$STUCK' threads kill
		cp full/* ."
	[ "$status" != 77 ] || skip "no file system can be mounted"
	[ "$(ls)" = "$(printf 'full\nr.json.part')" ]
	"$ACLCHECK" merge r.json -o m.json || [ $? = 98 ]
	[ "$(json m.json 'r["processes"][0]["last_calls_lost"]')" = "no space is left" ]
	# The same program to its end: a report as always.
	run unshare -m sh -c "mount -t tmpfs -o size=64k none full && LD_PRELOAD=$BUILD/libaclcheck.so ACLCHECK_REPORT=full/r.json \
		'$STUCK' threads && cp full/* ."
	[ "$status" = 0 ]
	[ "$(json r.json 'r["verdict"]')" = pass ]
}

@test "the disk fills up, and the file limit is reached, while calls are noted: no signal" {
	[ "$(id -u)" = 0 ] || skip "needs root for a small file system"
	mkdir full
	unshare -m true 2>/dev/null || skip "no mount name space can be made"
	run unshare -m sh -c "mount -t tmpfs -o size=160k none full || exit 77
		LD_PRELOAD=$BUILD/libaclcheck.so ACLCHECK_REPORT=full/r.json '$STUCK' fork threads & sleep 0.01
		cat /dev/zero >full/filler; wait \$!"
	[ "$status" != 77 ] || skip "no file system can be mounted"
	[ "$status" = 0 ]
	[[ $output == *done* ]]
	(
		ulimit -f 8
		run checked threads
		[ "$status" = 0 ]
		[[ $output == *done* ]]
	)
}

@test "findings still tell what their thread called before" {
	"$ACLCHECK" run --softnpu --report r.json -- "$PROGRAM" clean bug >/dev/null 2>&1 || [ $? = 97 ]
	[ "$(json r.json 'len(r["findings"][0]["before"])')" = 6 ]
}
