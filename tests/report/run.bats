#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# aclcheck run: exit codes, signals, children, refusals.

bats_require_minimum_version 1.5.0
load helper

setup() {
	own_tmpdir || return
}

# Nothing of ours stays behind.
teardown() {
	nothing_stays
}

@test "pass: the program's own exit code, its output untouched" {
	run --separate-stderr "$ACLCHECK" run --softnpu -- "$PROGRAM" clean exit 5
	[ "$status" = 5 ]
	[ "$output" = done ]
	[[ $stderr == *"aclcheck: verdict pass (1 process)"* ]]
}

@test "fail, also when the program itself fails" {
	run "$ACLCHECK" run --softnpu -- "$PROGRAM"
	[ "$status" = 97 ]
	run "$ACLCHECK" run --softnpu -- "$PROGRAM" bug exit 5
	[ "$status" = 97 ]
}

@test "inconclusive: nothing was observed" {
	run "$ACLCHECK" run -- true
	[ "$status" = 98 ]
	[[ $output == *nothing-observed* ]]
}

@test "misuse" {
	for arguments in "" "--no-such" "--timeout x true" "--timeout -3 true" "--timeout 0 true" "--timeout 99999999999999999999 true" "--format x true" "--lang fr true" "--rules bogus true" \
		"--fail-on never true" "no-such-program" "/etc/passwd"; do
		run "$ACLCHECK" run $arguments
		[ "$status" = 99 ]
		[ -n "$output" ]
	done
}

@test "--keep-exit-code" {
	run "$ACLCHECK" run --keep-exit-code --softnpu -- "$PROGRAM" bug exit 5
	[ "$status" = 5 ]
	run "$ACLCHECK" run --keep-exit-code -- true
	[ "$status" = 0 ]
}

@test "rules and severities decide" {
	run "$ACLCHECK" run --softnpu --rules -async-copy-alignment -- "$PROGRAM"
	[ "$status" = 0 ]
	run "$ACLCHECK" run --softnpu --rules async-copy-alignment=advice -- "$PROGRAM"
	[ "$status" = 0 ]
	run "$ACLCHECK" run --softnpu --target-cann 9.2 -- "$PROGRAM"
	[ "$status" = 0 ]
}

@test "the report: exact counts, places, objects" {
	run "$ACLCHECK" run --softnpu --report r.json -- "$PROGRAM" twelve
	[ "$status" = 97 ]
	[ "$(json r.json '[(f["rule"], f["count"]) for f in r["findings"]]')" = "[('async-copy-alignment', 12)]" ]
	[ "$(json r.json 'r["findings"][0]["stack"][0]["file"].split("/")[-1]')" = misaligned.c ]
	[ "$(json r.json 'r["findings"][0]["objects"][0]["created"]["call"]')" = aclrtMallocHost ]
	[ "$(ls)" = "$(printf 'r.json\ntmp')" ]
}

@test "a forked child's findings count" {
	run "$ACLCHECK" run --softnpu --report r.json -- "$PROGRAM" clean fork
	[ "$status" = 97 ]
	[ "$(json r.json 'len(r["processes"]), r["findings"][0]["processes"]')" = "(2, 1)" ]
}

@test "an exec'ed child reports too, shells in between do not" {
	run "$ACLCHECK" run --softnpu --report r.json -- "$PROGRAM" clean exec
	[ "$status" = 0 ]
	[ "$(json r.json 'len(r["processes"])')" = 2 ]
}

@test "scripts as the command" {
	printf '#!/bin/sh\n"%s" clean\nexec "%s" bug\n' "$PROGRAM" "$PROGRAM" >script
	chmod +x script
	run "$ACLCHECK" run --softnpu --report r.json -- ./script
	[ "$status" = 97 ]
	[ "$(json r.json 'len(r["processes"])')" = 2 ]
	run "$ACLCHECK" run --softnpu -- python3 -c "import subprocess, sys; sys.exit(subprocess.call(['$PROGRAM', 'clean', 'exit', '4']))"
	[ "$status" = 4 ]
}

@test "a child that uses the runtime without the checker makes the run inconclusive" {
	run "$ACLCHECK" run --softnpu -- sh -c "'$PROGRAM' clean; unset LD_PRELOAD; '$PROGRAM' clean ready hang & until [ -e ready ]; do sleep 0.02; done; sleep 0.5; kill \$!"
	[ "$status" = 98 ]
	[[ $output == *"child-not-covered: process "*" without the checker"* ]]
	run "$ACLCHECK" run --softnpu -- sh -c "'$PROGRAM' clean; unset LD_PRELOAD; sleep 0.2"
	[ "$status" = 0 ]
}

@test "processes that outlive the program are waited for a moment, then named" {
	run "$ACLCHECK" run --softnpu --report r.json -- sh -c "
		'$PROGRAM' ready await bug &
		(while kill -0 \$\$; do sleep 0.02; done; : >go) 2>/dev/null &
		until [ -e ready ]; do sleep 0.02; done
		'$PROGRAM' clean"
	[ "$status" = 97 ]
	[ "$(json r.json 'len(r["processes"])')" = 2 ]
	run "$ACLCHECK" run --softnpu -- sh -c "sleep 60 >/dev/null 2>&1 3>&- & echo \$! >pid; '$PROGRAM' clean"
	kill "$(cat pid)"
	[ "$status" = 98 ]
	[[ $output == *"still-running: 1 process was"* ]]
}

@test "a signal while those are waited for is theirs, and the report is made all the same" {
	ended() { ! kill -0 "$(cat ready)" 2>/dev/null; }
	for s in TERM HUP; do
		rm -f ready got
		"$ACLCHECK" run --softnpu -- bash -c "
			(trap 'echo got >>got; exit 0' $s; until [ -e got ]; do sleep 0.02; done) &
			(trap '' $s; exec sleep 60) >/dev/null 2>&1 3>&- & echo \$! >pid
			'$PROGRAM' clean; echo \$\$ >ready" >out 2>said 3>&- &
		await [ -s ready ]
		await ended
		kill -$s $!
		code=0
		wait $! || code=$?
		: >>got # for the one that waits for it, if it had no signal
		kill -KILL "$(cat pid)"
		cat said
		[ "$code" = 98 ]
		[ "$(cat got)" = got ]
		grep -q 'still-running: 1 process was' said
	done
}

@test "signals pass through" {
	"$ACLCHECK" run -- sh -c 'trap "echo got; exit 3" TERM; : >ready; while :; do sleep 0.05; done' >out 2>err &
	await [ -e ready ]
	kill -TERM $!
	code=0
	wait $! || code=$?
	[ "$(cat out)" = got ]
	[ "$code" = 98 ]
}

@test "a program that is killed is inconclusive, and keeps its signal's code on request" {
	run "$ACLCHECK" run --softnpu -- "$PROGRAM" clean abort
	[ "$status" = 98 ]
	[[ $output == *killed-by-signal* ]]
	run "$ACLCHECK" run --keep-exit-code --softnpu -- "$PROGRAM" clean abort
	[ "$status" = 134 ]
}

@test "what a killed program had done wrong still fails" {
	run "$ACLCHECK" run --softnpu --report r.json -- "$PROGRAM" bug abort
	[ "$status" = 97 ]
	[ "$(json r.json 'r["processes"][0]["end"]')" = killed ]
}

@test "--timeout ends all of it" {
	run "$ACLCHECK" run --softnpu --timeout 1 -- sh -c "'$PROGRAM' clean hang; sleep 60"
	[ "$status" = 98 ]
	[[ $output == *"timeout: the program was ended after 1 second"* ]]
}

@test "an LD_PRELOAD that is there already stays" {
	run --separate-stderr env LD_PRELOAD=libm.so.6 "$ACLCHECK" run -- sh -c 'echo $LD_PRELOAD'
	[[ $output == */libaclcheck.so:libm.so.6 ]]
}

@test "programs that cannot be preloaded are refused with the reason" {
	printf 'int main(void) { return 0; }' >x.c
	cc -static x.c -o static 2>/dev/null || skip "no static C library"
	run "$ACLCHECK" run -- ./static
	[ "$status" = 99 ]
	[[ $output == *"linked statically"* ]]
	cc x.c -o musl -Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1
	run "$ACLCHECK" run -- ./musl
	[ "$status" = 99 ]
	[[ $output == *"linked with musl"* ]]
	printf '#!%s/musl\n' "$PWD" >script
	chmod +x script
	run "$ACLCHECK" run -- ./script
	[ "$status" = 99 ]
	[[ $output == *"linked with musl"* ]]
}

@test "programs whose table of segments is at the end of the file, as patchelf leaves it" {
	cat >moved.py <<-'END'
		import struct, sys
		data = bytearray(open(sys.argv[1], "rb").read())
		offset, = struct.unpack_from("<Q", data, 32)
		size, n = struct.unpack_from("<HH", data, 54)
		table = [list(struct.unpack_from("<IIQQQQQQ", data, offset + i * size)) for i in range(n)]
		data += bytes(-len(data) % 65536)
		at, address = len(data), max(t[3] + t[6] for t in table if t[0] == 1) + 65535 & -65536
		for t in table:
		    if t[0] == 6:
		        t[2:5] = at, address, address
		spare = [t for t in table if t[0] == 4][-1]
		spare[:] = 1, 4, at, address, address, n * size, n * size, 65536
		for t in table:
		    data += struct.pack("<IIQQQQQQ", *t)
		struct.pack_into("<Q", data, 32, at)
		open(sys.argv[1], "wb").write(data)
	END
	printf 'int main(void) { return 7; }' >x.c
	cc -o moved x.c
	python3 moved.py moved
	run ./moved
	[ "$status" = 7 ]
	run "$ACLCHECK" run --softnpu -- ./moved
	echo "$output"
	[ "$status" = 98 ]
	[[ $output == *"nothing-observed"*"program=7"* ]]
	cc x.c -o musl -Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1
	python3 moved.py musl
	run "$ACLCHECK" run -- ./musl
	[ "$status" = 99 ]
	[[ $output == *"linked with musl"* ]]
}

@test "set-user-ID programs are refused" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	printf 'int main(void) { return 0; }' | cc -x c - -o setuid
	chown nobody setuid
	chmod u+s setuid
	run "$ACLCHECK" run -- ./setuid
	[ "$status" = 99 ]
	[[ $output == *"set-user-ID"* ]]
}

@test "a report that cannot be written: the processes' own are kept and named" {
	mkdir dir
	run "$ACLCHECK" run --softnpu --report dir/none/r.json -- "$PROGRAM" clean
	[ "$status" = 99 ]
	run "$ACLCHECK" run --softnpu --report r.json -- sh -c '"$1" clean; mkdir r.json' sh "$PROGRAM"
	[ "$status" = 98 ]
	[[ $output == *"are kept in $PWD/r.json.d."* ]]
	ls r.json.d.*/*.json
}

@test "where signals cannot be waited for nothing is run" {
	printf '#include <errno.h>\nint signalfd(int fd) { (void)fd; errno = ENOSYS; return -1; }\n' |
		cc -fPIC -shared -x c - -o none.so
	LD_PRELOAD=$PWD/none.so run "$ACLCHECK" run --softnpu --report r.json -- touch ran
	[ "$status" = 99 ]
	[[ $output == *"no process can be made: Function not implemented"* ]]
	sleep 0.2
	[ ! -e ran ]
	! ls -d r.json* 2>/dev/null
}

# waited_for COMMAND: not for ever, and what is left of it is ended with it
waited_for() {
	timeout -k 1 60 env --ignore-signal=CHLD "$@"
}

@test "started by a program that ignores the ends of its children: waited for all the same" {
	run waited_for "$ACLCHECK" run --softnpu -- "$PROGRAM" clean
	[ "$status" = 0 ]
	run waited_for "$ACLCHECK" run --softnpu -- "$PROGRAM"
	[ "$status" = 97 ]
	run waited_for "$ACLCHECK" run --softnpu --keep-exit-code -- sh -c 'exit 5'
	[ "$status" = 5 ]
	# The program ignores them as without us.
	waited_for grep SigIgn /proc/self/status >plain
	waited_for "$ACLCHECK" run --softnpu -- grep SigIgn /proc/self/status >ours 2>/dev/null || true
	diff plain ours
	grep -q '1....$' plain
	run waited_for "$ACLCHECK" fuzz-errors --softnpu -- "$PROGRAM" clean
	[ "$status" = 97 ] || [ "$status" = 0 ]
}

@test "the loader's own output goes to its file, and is no answer of a process of ours" {
	# It is the first file of the command, so it has the lowest number.
	traced() {
		bash -c 'for ((fd = 3; fd < 256; fd++)); do eval "exec $fd>&-"; done; exec "$@"' bash \
			env LD_DEBUG=all LD_DEBUG_OUTPUT="$PWD/loader" "$ACLCHECK" run --softnpu "$@"
	}
	run traced -- "$PROGRAM"
	[ "$status" = 97 ]
	run traced --report r.json -- "$PROGRAM" clean
	[ "$status" = 0 ]
	ls loader.*
	[ "$(echo r.json*)" = r.json ]
}
