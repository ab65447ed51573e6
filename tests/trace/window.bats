#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# aclcheck trace: which calls are recorded, by time, by signal, by the program, by number.

# shellcheck disable=SC2154 # what places() sets
load trace.bash

setup_file() {
	load trace.bash
	alone
}

# stepwise DIR [OPTION...]: records "app steps" in the background; step makes a call
stepwise() {
	local dir=$1
	shift
	mkfifo in out
	"$aclcheck" trace "$buffers" -o "$dir" "$@" -- "$app" steps <in >out 2>said 3>&- &
	tracer=$!
	exec 7>in 8<out
}

step() {
	echo >&7
	read -r -t 20 _ <&8
}

ended() {
	local rc=0
	exec 7>&- 8<&-
	wait "$tracer" || rc=$?
	[ "$rc" -eq 0 ] || cat said
	return "$rc"
}

said_times() {
	[ "$(grep -c "^aclcheck: recording of calls $1\$" said)" -ge "$2" ]
}

# has_buffers PID: LTTng has given it some to record into
has_buffers() {
	find "/proc/$1/fd" -lname '/dev/shm/shm-ust-consumer*' | grep -q .
}

calls() {
	count "$1" ' acl:aclrtGetDevice_entry:'
}

@test "from a second on, for a second" {
	stepwise t --start-after 1 --for 1
	step
	step
	await said_times begins 1
	step
	step
	step
	await said_times ends 1
	step
	ended
	[ "$(calls t)" -eq 3 ]
	[ "$(count t ' acl:aclrtGetDevice_exit:')" -eq 3 ]
	# what stands around the calls is there
	[ "$(count t ' aclcheck:process:')" -ge 1 ]
	[ "$(count t ' aclcheck:verdict: .*"?pass')" -eq 1 ]
}

@test "a call that the end of the window cuts off has no end, and no time" {
	ACLCHECK_INJECT=aclrtGetDevice:when=4:delay=3s record t --for 1.5 -- "$app" chosen 6
	[ "$(calls t)" -eq 4 ]
	[ "$(count t ' acl:aclrtGetDevice_exit:')" -eq 3 ]
	"$aclcheck" summary --json t >t.json
	python3 -c 'import json; j = json.load(open("t.json")); f = [f for f in j["functions"] if f["function"] == "aclrtGetDevice"][0]
assert (f["calls"], f["timed"], j["unfinished"], j["lost_ends"], j["complete"]) == (4, 3, 0, 1, True) and f["total"] < 1e9, (f, j["unfinished"], j["lost_ends"])'
	"$aclcheck" summary t >said
	grep -qx 'the recording of calls ended before the program did: calls that it cut off have no end' said
	"$aclcheck" timeline --chrome t.trace t 2>said
	"$ACLCHECK_SOURCE/tests/trace/trace_events.py" t.trace '[x["args"]["end"] for x in of("i") if x["cat"] == "call"], max(x["dur"] for x in of("X")) < 1e6' >drawn
	[ "$(cat drawn)" = "(['lost'], True)" ]
}

@test "a signal begins and ends it, as often as it comes" {
	stepwise t --on-signal
	step
	for n in 1 2; do
		kill -USR1 "$tracer"
		await said_times begins "$n"
		step
		step
		kill -USR1 "$tracer"
		await said_times ends "$n"
		step
	done
	ended
	[ "$(calls t)" -eq 4 ]
	[ "$(grep -c 'recording of calls begins' said)" -eq 2 ]
}

@test "a process that answers LTTng's daemon late, on a loaded machine, stays one of the recording" {
	cat >late.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <sys/socket.h>
		#include <unistd.h>
		/* What LTTng's thread gets from the daemon: while the file is there, it pauses, once; a daemon
		   that is left to itself waits 5 seconds. */
		ssize_t recvmsg(int fd, struct msghdr *m, int flags)
		{
			ssize_t (*real)(int, struct msghdr *, int) = (ssize_t (*)(int, struct msghdr *, int))dlsym(RTLD_NEXT, "recvmsg");
			ssize_t got = real(fd, m, flags);
			if (got > 0 && !unlink("pause"))
				sleep(6);
			return got;
		}
	END
	"$CC" -shared -fPIC -o late.so late.c
	printf '#!/bin/sh\nLD_PRELOAD=$PWD/late.so:$LD_PRELOAD exec "%s" "$@"\n' "$app" >late
	chmod +x late
	app=$PWD/late stepwise t --on-signal
	step
	touch pause
	kill -USR1 "$tracer"
	await said_times begins 1
	[ ! -e pause ]
	step
	step
	kill -USR1 "$tracer"
	await said_times ends 1
	ended
	[ "$(calls t)" -eq 2 ]
}

@test "a process whose first calls came before LTTng was ready: inconclusive" {
	cat >late.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <sys/socket.h>
		#include <unistd.h>
		/* What LTTng's thread gets from the daemon, which the program does not wait for: nothing until the file is there. */
		ssize_t recvmsg(int fd, struct msghdr *m, int flags)
		{
			ssize_t (*real)(int, struct msghdr *, int) = (ssize_t (*)(int, struct msghdr *, int))dlsym(RTLD_NEXT, "recvmsg");
			while (access("go", F_OK))
				usleep(10000);
			return real(fd, m, flags);
		}
	END
	"$CC" -shared -fPIC -o late.so late.c
	printf '#!/bin/sh\necho $$ >pid\nLTTNG_UST_REGISTER_TIMEOUT=0 LD_PRELOAD=$PWD/late.so:$LD_PRELOAD exec "%s" "$@"\n' "$app" >late
	chmod +x late
	app=$PWD/late stepwise t
	step
	touch go
	await has_buffers "$(cat pid)"
	for _ in {1..20}; do
		step
		sleep 0.1
	done
	status=0
	ended || status=$?
	[ "$status" -eq 98 ]
	grep -qx 'aclcheck: not all calls were recorded: inconclusive; the summary names the processes' said
	"$aclcheck" summary t >printed
	grep -qx 'processes made more calls than are recorded' printed
	grep -q '^  not all its calls are recorded: [1-9][0-9]* of 2[0-9]$' printed
	"$aclcheck" summary --json t | python3 -S -c 'import json, sys; s = json.load(sys.stdin); assert (s["complete"], s["reasons"]) == (False, ["calls-missing"]), s'
}

@test "memory is drawn as that of what was recorded, where calls before or after it are not" {
	record whole -- "$app" early
	record part --calls 6 -- "$app" early
	for t in whole part; do
		"$aclcheck" timeline --chrome $t.trace $t
		"$ACLCHECK_SOURCE/tests/trace/trace_events.py" $t.trace 'sorted({x["name"] for x in of("C")})' >$t.names
	done
	[ "$(cat whole.names)" = "['memory in use']" ]
	[ "$(cat part.names)" = "['memory in use, of what was recorded']" ]
}

@test "without the option the signal is the program's" {
	run record t -- sh -c 'trap "exit 7" USR1; kill -USR1 $PPID; while :; do sleep 0.01; done'
	[ "$status" -eq 7 ]
}

@test "it never begins: inconclusive" {
	run record t --start-after 60 -- "$app" mix
	[ "$status" -eq 98 ]
	grep -q '^aclcheck: the program ended before the recording of calls began: inconclusive$' said
	run record s --on-signal -- "$app" exit 3
	[ "$status" -eq 3 ]
	grep -q 'before the recording of calls began: inconclusive' said
}

@test "no call in it: inconclusive, though there is a recording" {
	run "$aclcheck" trace "$buffers" -o t --for 0.05 -- sh -c 'sleep 0.4; "$1" exit 0' - "$app"
	[ "$status" -eq 98 ]
	[[ $output == *"aclcheck: no AscendCL call was recorded: inconclusive"* ]]
	[ "$("$aclcheck" summary --count t)" -gt 0 ]
	# nor is there one of that class
	run "$aclcheck" trace "$buffers" -o c --class capture -- "$app" exit 0
	[ "$status" -eq 98 ]
	run "$aclcheck" trace "$buffers" -o e --class capture -- "$app" exit 5
	[ "$status" -eq 5 ]
}

@test "from where to where the program says" {
	record all -- "$app" chosen 5
	[ "$(calls all)" -eq 6 ]
	record some --on-request -- "$app" chosen 5
	[ "$(calls some)" -eq 5 ]
	[ "$(count some ' acl:aclrtSetDevice_entry:')" -eq 0 ]
	[ "$(count some ' aclcheck:process:')" -eq 1 ]
}

@test "from where to where a Python program says" {
	record t --on-request --softnpu -- python3 -c "
import ctypes, sys
sys.path.insert(0, '$ACLCHECK_SOURCE/include/python')
import aclcheck
acl = ctypes.CDLL('libascendcl.so')
n = ctypes.c_int32()
acl.aclInit(None)
acl.aclrtSetDevice(0)
aclcheck.trace_start()
acl.aclrtGetDevice(ctypes.byref(n))
aclcheck.trace_stop()
acl.aclrtGetDevice(ctypes.byref(n))
acl.aclrtResetDevice(0)
acl.aclFinalize()"
	[ "$(calls t)" -eq 1 ]
	[ "$(count t ' acl:.*_entry:')" -eq 1 ]
}

@test "a number of calls, of each process" {
	record t --calls 4 -- "$app" loop 10
	"$aclcheck" summary t | grep -q '^  not all its calls are recorded: 4 of [1-9][0-9]*$'
	"$aclcheck" summary --json t | python3 -S -c 'import json, sys; p = json.load(sys.stdin)["processes"][0]; assert p["calls"] == 4 < p["calls_made"], p'
	[ "$(count t ' acl:.*_entry:')" -eq 4 ]
	[ "$(count t ' acl:.*_exit:')" -eq 4 ]
	record f --calls 5 -- "$app" fork 20 >out
	read -r _ parent _ child <out
	[ "$(count f "_entry: .*vpid = $parent,")" -eq 5 ]
	[ "$(count f "_entry: .*vpid = $child,")" -eq 5 ]
	record o --calls 4 --one-event -- "$app" loop 10
	[ "$(count o ' acl_call:')" -eq 4 ]
}

@test "findings are recorded outside of it, too" {
	record t --calls 1 -- "$app" leak
	[ "$(count t ' acl:.*_entry:')" -eq 1 ]
	[ "$(count t ' aclcheck:finding: .*leak-device-memory')" -ge 1 ]
}

@test "what is no number, no time" {
	for wrong in '--start-after=x' '--for=0' '--for=-1' '--calls=0' '--calls=1x' '--calls=99999999999'; do
		run record t "$wrong" -- "$app" mix
		[ "$status" -eq 99 ]
		grep -q "^aclcheck: ${wrong/=/ }: not a number" said
		[ ! -e t ]
	done
}
