#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Places that fail: full, unwritable, gone. The program runs on, one line is said, the verdict is inconclusive.

load helper

setup() {
	own_tmpdir || return
	export PROGRAM ACLCHECK
}

# checked REPORT WORD...: the program under the library alone; its output goes to out, ours to err.
checked() {
	code=0
	LD_PRELOAD=$BUILD/libaclcheck.so LD_LIBRARY_PATH=$BUILD/softnpu ACLCHECK_REPORT=$1 "$PROGRAM" "${@:2}" >out 2>err || code=$?
	[ "$(cat out)" = done ]
	[ "$code" = 0 ]
}

# One line names the file and why; the summary says inconclusive, or fail when something was found.
said() {
	[ "$(grep -c '^aclcheck: .*cannot be written: ' err)" = 1 ]
	grep -q "^aclcheck: .*cannot be written: $1\$" err
	grep -q 'verdict: \(inconclusive\|fail\); .*report-lost' err
}

@test "a full disk" {
	[ "$(id -u)" = 0 ] || skip "needs root for a small file system"
	unshare -m sh -c "mkdir m && mount -t tmpfs none m" 2>/dev/null || skip "no file system can be mounted"
	export -f checked
	export BUILD PROGRAM
	# Room for nothing, for the start of the journal, for the journal and half a report.
	for size in 4k 8k 12k; do
		rm -f out err
		unshare -m bash -c "mount -t tmpfs -o size=$size,nr_inodes=20 none m && { [ $size != 4k ] || head -c 4096 /dev/zero >m/filler; }
			checked m/r.json bug twelve; ls m >left"
		[ "$(cat out)" = done ]
		if grep -q 'cannot be written' err; then said "No space left on device"; else grep -q r.json left; fi
		[ $size != 4k ] || said "No space left on device"
	done
	run unshare -m sh -c 'mount -t tmpfs -o size=16k none m && cd m && "$ACLCHECK" run --softnpu --report r.json -- "$PROGRAM" bug twelve'
	[[ $status = 97 || $status = 98 ]]
	[[ $output == *"No space left on device"* ]]
	[[ $output == *"report-lost"* || $output == *"are kept in"* ]]
	# Not even its start was written: which process that was is not known.
	run unshare -m sh -c 'mount -t tmpfs -o size=4k none m && head -c 4096 /dev/zero >m/filler; TMPDIR=$PWD/m "$ACLCHECK" run --softnpu -- "$PROGRAM" clean'
	[ "$status" = 98 ]
	[[ $output == *"the journal has no beginning"* && $output != *"process 0"* ]]
}

# kept COMMAND...: it fails with one line, and the file that was there before is there, alone.
kept() {
	echo older >m/r
	code=0
	"$@" >out 2>err || code=$?
	echo "$*: $code $(cat err)"
	[ "$(grep -c "^aclcheck: m/r: No space left on device" err)" = 1 ]
	[ "$(cat m/r)" = older ]
	[ "$(find m -type f -not -path '*.d.*')" = m/r ]
}

@test "an older report on a full disk stays, whatever should replace it" {
	[ "$(id -u)" = 0 ] || skip "needs root for a small file system"
	unshare -m sh -c "mkdir m && mount -t tmpfs none m" 2>/dev/null || skip "no file system can be mounted"
	"$ACLCHECK" run --softnpu --report in.json -- "$BUILD/tests/report/many" 1 >/dev/null 2>&1 || [ $? = 97 ]
	export -f kept
	export BUILD
	run unshare -m bash -ec 'mount -t tmpfs -o size=64k none m
		for format in text json sarif junit tap tap14 gitlab html; do
			kept "$ACLCHECK" report --format $format -o m/r in.json
			[ "$code" = 99 ]
		done
		kept "$ACLCHECK" merge -o m/r in.json in.json
		[ "$code" = 99 ]
		kept "$ACLCHECK" run --softnpu --report m/r -- "$BUILD/tests/report/many" 1
		[ "$code" = 97 ]
		grep -q "report-lost" err'
	echo "$output"
	[ "$status" = 0 ]
}

@test "a file system that is read-only" {
	unshare -m sh -c "mkdir m && mount -t tmpfs -o ro none m" 2>/dev/null || skip "no file system can be mounted"
	export -f checked
	export BUILD PROGRAM
	unshare -m bash -c "mount -t tmpfs -o ro none m && checked m/r.json clean"
	said "Read-only file system"
	run unshare -m sh -c 'mount -t tmpfs -o ro none m && "$ACLCHECK" run --softnpu --report m/r.json -- "$PROGRAM" clean'
	[ "$status" = 99 ]
	[[ $output == *"Read-only file system"* ]]
}

@test "a directory that is not ours to write to, one that is not there, a path too long" {
	checked none/r.json clean
	said "No such file or directory"
	: >file
	checked file/r.json clean
	said "Not a directory"
	checked "$(printf '%0300d' 1)/r.json" clean
	said "File name too long"
}

@test "the limit of file sizes: no signal" {
	export FINDINGS
	ACLCHECK_REPORT=r.json run sh -c 'ulimit -f 1; exec "$FINDINGS" error advice warning'
	[ "$status" = 0 ]
	cat >err <<<"$output"
	# What fits is written; the rest would fail.
	said "\(File too large\|No space left on device\)"
	[ "$(stat -c %s r.json.part)" -le 1024 ]
}

@test "the limit of file sizes: the command says so, and the program has the signal as it was" {
	run bash -c 'ulimit -f 0; "$ACLCHECK" run --softnpu --report r.json -- sh -c "\"\$PROGRAM\" clean; (echo x >file); echo \$?"'
	echo "$output"
	[ "$status" = 98 ]
	[ "$(grep -c "^aclcheck: r.json: File too large" <<<"$output")" = 1 ]
	[[ $output == *"report-lost: r.json could not be written"* ]]
	# The signal's number: a shell's redirection was ended by it.
	grep -q "^$((128 + $(kill -l XFSZ)))$" <<<"$output"
	[ -z "$(find . -maxdepth 1 -name 'r.json*' -type f)" ]
	"$ACLCHECK" run --softnpu --report in.json -- "$PROGRAM" clean >/dev/null 2>&1
	run bash -c 'ulimit -f 0; "$ACLCHECK" merge -o out.json in.json'
	[ "$status" = 99 ]
	[ "$output" = "aclcheck: out.json: File too large" ]
}

@test "aclcheck run: a process that gave up its rights" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	command -v setpriv >/dev/null || skip "no setpriv"
	run "$ACLCHECK" run --softnpu --report r.json -- sh -c '"$PROGRAM" clean; exec setpriv --reuid=65534 --clear-groups "$PROGRAM" clean'
	[ "$status" = 98 ]
	[ "$(grep -c '^aclcheck: /.*cannot be written: ' <<<"$output")" = 1 ]
	[ "$(json r.json '[d["reason"] for d in r["inconclusive"]], len(r["processes"])')" = "(['report-lost'], 1)" ]
}

@test "aclcheck run: programs without the checker that a process cannot note" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	command -v setpriv >/dev/null || skip "no setpriv"
	for _ in 1 2 3 4 5; do
		run "$ACLCHECK" run --watch notes --softnpu --report r.json -- sh -c '"$PROGRAM" clean
			exec setpriv --reuid=65534 --clear-groups sh -c "env -u LD_PRELOAD python3 -c 0; true"'
		[ "$status" = 98 ]
		[[ $output == *"report-lost: "*"/python3 could not be noted: Permission denied"* ]]
	done
}

@test "aclcheck run: its directory vanishes while the program runs" {
	run "$ACLCHECK" run --softnpu -- sh -c '"$PROGRAM" clean; rm -r "$TMPDIR"/*; "$PROGRAM" clean'
	[ "$status" = 98 ]
	[[ $output == *"report-lost"* ]]
	# A finding of a process whose report is lost cannot be known: not passed, whatever the others say.
	run "$ACLCHECK" run --softnpu -- sh -c '"$PROGRAM" bug; rm -r "$TMPDIR"/*/*; "$PROGRAM" clean'
	[ "$status" != 97 ] || skip "nothing to lose"
	[ "$status" = 0 ] || [ "$status" = 98 ]
}

@test "a daemon: all descriptors closed, a session of its own, the root as its directory" {
	cat >daemon.py <<-'END'
		import os, sys, time
		if os.fork():
		    sys.exit(0)
		os.setsid()
		if os.fork():
		    os._exit(0)
		os.chdir("/")
		os.closerange(0, 4096)
		for word in (["bug"], ["clean"]):
		    pid = os.fork()
		    if not pid:
		        os.execv(sys.argv[1], [sys.argv[1]] + word)
		    os.waitpid(pid, 0)
		os._exit(0)
	END
	run "$ACLCHECK" run --softnpu --report r.json -- python3 daemon.py "$PROGRAM"
	[ "$status" = 97 ]
	[ "$(json r.json 'len(r["processes"]), [f["count"] for f in r["findings"]]')" = "(2, [1])" ]
	# The program's own files on the numbers that were free get nothing of ours.
	cat >reuse.py <<-'END'
		import ctypes, os
		os.closerange(0, 4096)
		for n in range(8):
		    os.open("file%d" % n, os.O_WRONLY | os.O_CREAT)
		a = ctypes.CDLL("libascendcl.so")
		a.aclInit(None)
		a.aclInit(None)
	END
	run "$ACLCHECK" run --softnpu --report r.json -- python3 reuse.py
	[ "$status" = 97 ]
	[ "$(cat file*)" = "" ]
}

@test "what a subcommand prints onto a full disk is never taken for whole" {
	[ -c /dev/full ] || skip "no /dev/full"
	"$ACLCHECK" run --softnpu --report r.json -- "$PROGRAM" >/dev/null 2>&1 || [ $? = 97 ]
	for command in "suppress --reason x r.json" "diff r.json r.json" "rules" "rules --markdown" "rules --coverage" "settings" "settings --man" \
		"report r.json" "merge r.json" "--help" "--version" "run --help" "report --help"; do
		code=0
		# shellcheck disable=SC2086
		"$ACLCHECK" $command >/dev/full 2>err || code=$?
		echo "$command: $code $(cat err)"
		[ "$code" = 99 ]
		[ "$(cat err)" = "aclcheck: standard output: No space left on device" ]
	done
	# The program's own output is its own affair.
	"$ACLCHECK" run --softnpu -- "$PROGRAM" clean >/dev/full 2>err
	[ "$(tail -1 err)" = "aclcheck: status verdict=pass program=0 exit=0" ]
}

@test "words to the command are not believed, only counted against" {
	run "$ACLCHECK" run --softnpu --report r.json -- python3 -c "
import os, socket, subprocess
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
for i in range(5):
    s.sendto(bytes(range(256)) * 2, '\0aclcheck-' + os.environ['ACLCHECK_JOB'])
subprocess.run(['$PROGRAM', 'clean'])"
	[ "$status" = 98 ]
	[ "$(json r.json '[d["reason"] for d in r["inconclusive"]]')" = "['report-lost']" ]
	[[ $output != *$'\033'* ]]
}
