#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# aclcheck trace: sessions, options, and what is said at the end.

# shellcheck disable=SC2154,SC2086 # what places() sets; words are split on purpose
load trace.bash

setup_file() {
	load trace.bash
	alone
}

@test "the calls of a program, and its output untouched" {
	"$app" mix >plain
	record t -- "$app" mix >traced
	diff plain traced
	[ "$(count t ' acl:aclrtMemcpyAsync_entry:')" -eq 5 ]
	[ "$(count t ' acl:aclrtSetDevice_exit: .*ACL_ERROR_RT_INVALID_DEVICEID')" -eq 1 ]
	grep -q "^aclcheck: trace in t: $(events t | wc -l) events, " said
	grep -q '^aclcheck: 0 events discarded, 0 packets lost$' said
	# Our own daemons are not waited for, as the program's processes are.
	not grep -q 'still running' said
	grep -q '^aclcheck: next: aclcheck summary t$' said
}

@test "empty texts are empty to babeltrace2, which shows an earlier one for a text of no bytes" {
	record t -- "$app" mix >/dev/null
	[ "$(count t 'key = "visible-devices", _value_length = 1, value = ""')" -eq 1 ]
	[ "$(count t ' _configPath_length = 2, configPath = ""')" -eq 1 ]
	[ "$(count t '_[a-z_]*_length = 0, [a-z_]* = "')" -eq 0 ]
}

@test "the exit code is the program's" {
	run record a -- "$app" exit 42
	[ "$status" -eq 42 ]
	run record b -- "$app" killed 100
	[ "$status" -eq 137 ]
	run record c -- nosuchprogram
	[ "$status" -eq 99 ]
}

@test "what was recorded survives SIGKILL" {
	record t -- "$app" killed 1000 || :
	[ "$(count t ' acl:aclrtGetDevice_exit:')" -eq 1000 ]
}

@test "threads and children have their own ids" {
	record t -- "$app" threads 3 50
	[ "$(events t | grep ' acl:aclrtGetDevice_entry:' | grep -o 'vtid = [0-9]*' | sort | uniq -c | grep -c ' 50 ')" -eq 3 ]
	record f -- "$app" fork 20 >out
	read -r _ parent _ child <out
	[ "$(count f "aclrtGetDevice_exit: .*vpid = $parent, vtid = $parent }")" -eq 20 ]
	[ "$(count f "aclrtGetDevice_exit: .*vpid = $child, vtid = $child }")" -eq 20 ]
	# what is the same for all events of a process stands in one
	[ "$(count f "aclcheck:process: .*vpid = $child, .*command = \"$app fork 20\"")" -eq 1 ]
}

@test "calls in callbacks nest" {
	record t -- "$app" nested
	[ "$(count t 'aclrtGetDeviceCount_entry: .*call_depth = 1')" -eq 1 ]
	[ "$(count t 'aclcheck:callback: .*begins = 1')" -eq 1 ]
}

@test "how calls were reached, and errno, also of those that take the short way" {
	for checks in on off; do
		ACLCHECK_CHECKS=$checks record "$checks" --softnpu -- python3 -c "
import ctypes
acl = ctypes.CDLL('libascendcl.so', use_errno=True)
n = ctypes.c_int32()
acl.aclInit(None)
acl.aclrtSetDevice(0)
for i in range(4):
    ctypes.set_errno(77 + i)
    acl.aclrtGetDevice(ctypes.byref(n))
    assert ctypes.get_errno() == 77 + i
acl.aclrtResetDevice(0)
acl.aclFinalize()"
		[ "$(count "$checks" 'aclrtGetDevice_entry: .*call_path = . "dlsym"')" -eq 4 ]
		[ "$(events "$checks" | sed -n 's/.*aclrtGetDevice_e[a-z]*: .*call_number = \([0-9]*\).*/\1/p' | tr '\n' ' ')" = "3 3 4 4 5 5 6 6 " ]
		ACLCHECK_CHECKS=$checks record "loop$checks" -- "$app" loop 3
		[ "$(count "loop$checks" 'aclrtRecordEvent_entry: .*call_path = . "linked"')" -eq 3 ]
	done
}

@test "classes and globs" {
	record t --class event -- "$app" loop 3
	[ "$(count t ' acl:aclrtQueryEventStatus_exit')" -eq 3 ]
	[ "$(count t ' acl:aclrtSetDevice')" -eq 0 ]
	record g --events 'aclrt*Event' -- "$app" loop 3
	[ "$(count g ' acl:aclrtRecordEvent_entry')" -eq 3 ]
	[ "$(count g ' acl:aclrtQueryEventStatus')" -eq 0 ]
	record l --events 'acl:*_exit' -- "$app" loop 3
	[ "$(count l '_entry:')" -eq 0 ]
	[ "$(count l ' acl:aclrtRecordEvent_exit')" -eq 3 ]
	run "$aclcheck" trace --class memori -- "$app" mix
	[ "$status" -eq 99 ]
	[[ $output == *'no class of functions is called "memori"; there are: memory '* ]]
	run "$aclcheck" trace --events 'nothing*' -- "$app" mix
	[ "$status" -eq 99 ]
}

@test "lossless: nothing is lost where the same buffers lose" {
	run record lossy --buffers=64K -- "$app" loop 100000
	[ "$status" -eq 98 ]
	grep -q -E '^aclcheck: [1-9][0-9]* events discarded, .*: inconclusive' said
	record whole --buffers=1M --lossless -- "$app" loop 5000
	grep -q '^aclcheck: 0 events discarded, 0 packets lost$' said
	[ "$(count whole ' acl:aclrtRecordEvent_exit')" -eq 5000 ]
}

@test "buffer sizes: a quarter of what is free, over all CPUs" {
	plan() { ACLCHECK_SIMULATE_CPUS=$1 ACLCHECK_SIMULATE_SHM=$2 "$aclcheck" trace --plan "${@:3}"; }
	[ "$(plan 2 64M)" = "8 sub-buffers of 1 MiB for each of 2 CPUs: 16 MiB of 64 MiB free in /dev/shm" ]
	[ "$(plan 192 64M)" = "8 sub-buffers of 8 KiB for each of 192 CPUs: 12 MiB of 64 MiB free in /dev/shm" ]
	[ "$(plan 192 64G)" = "8 sub-buffers of 2 MiB for each of 192 CPUs: 3 GiB of 64 GiB free in /dev/shm" ]
	[ "$(plan 192 8M)" = "2 sub-buffers of 4 KiB for each of 192 CPUs: 1.5 MiB of 8 MiB free in /dev/shm" ]
	[ "$(plan 4 1G --buffers 1M)" = "8 sub-buffers of 32 KiB for each of 4 CPUs: 1 MiB of 1 GiB free in /dev/shm" ]
	run plan 192 4M
	[ "$status" -eq 99 ]
	[[ $output == *"/dev/shm has 4 MiB free; "* ]]
	# what was asked for is too little, not what there is
	run plan 192 64G --buffers 1M
	[ "$status" -eq 99 ]
	[ "$output" = "aclcheck: 1 MiB is too little for buffers of 192 CPUs: 1.5 MiB needed in all" ]
	run "$aclcheck" trace --buffers lots -- true
	[ "$status" -eq 99 ]
}

@test "live: read while it is recorded" {
	mkfifo go
	"$aclcheck" trace "$buffers" --live -o t -- "$app" input <go 2>said &
	exec 9>go
	await grep -q '^aclcheck: live: ' said
	live=$(sed -n 's/^aclcheck: live: //p' said)
	[ -n "$live" ]
	for _ in $(seq 10); do
		timeout -s INT 3 $live >read 2>>errors 9>&- || :
		grep -q 'acl:aclrtSetDevice_exit' read && break
	done
	grep -q 'acl:aclrtSetDevice_exit' read
	not grep -q 'acl:aclFinalize_exit' read
	exec 9>&-
	wait $!
	[ "$(count t ' acl:aclFinalize_exit')" -eq 1 ]
}

@test "a relay daemon elsewhere" {
	mkdir relayed
	ports=($(python3 -c '
import socket
s = [socket.socket() for i in range(3)]
for x in s:
    x.bind(("127.0.0.1", 0))
print(*[x.getsockname()[1] for x in s])'))
	lttng-relayd --output="$place/relayed" --control-port=tcp://127.0.0.1:"${ports[0]}" \
		--data-port=tcp://127.0.0.1:"${ports[1]}" --live-port=tcp://127.0.0.1:"${ports[2]}" >relayd.log 2>&1 3>&- &
	relayd=$!
	for port in "${ports[@]}"; do
		await grep -q ":$(printf %04X "$port") 00000000:0000 0A" /proc/net/tcp
	done
	"$aclcheck" trace "$buffers" --url "net://127.0.0.1:${ports[0]}:${ports[1]}" -- "$app" loop 10 2>said || status=$?
	kill $relayd
	wait $relayd || :
	[ "${status:-0}" -eq 0 ]
	[ "$(count relayed ' acl:aclrtRecordEvent_exit')" -eq 10 ]
	grep -q "^aclcheck: trace sent to net://127.0.0.1:${ports[0]}" said
}

@test "processes of a job carry their rank" {
	record t -- sh -c "OMPI_COMM_WORLD_RANK=0 $app loop 2 & OMPI_COMM_WORLD_RANK=1 $app loop 3 & wait"
	[ "$(count t 'aclcheck:process: .*rank = "0"')" -eq 1 ]
	[ "$(count t 'aclcheck:process: .*rank = "1"')" -eq 1 ]
}

@test "through the running daemon: our session only, and it stays" {
	needs_mount
	unshare -m bash -c '
		mkdir -p /var/run/lttng && mount -t tmpfs none /var/run/lttng && export LTTNG_HOME=$1
		lttng-sessiond --daemonize && trap "kill \$(cat /var/run/lttng/lttng-sessiond.pid)" EXIT
		lttng -n create mine -o "$1/mine"
		"$2" trace --buffers=8M --shared -o "$1/t" -- "$3" loop 5 2>"$1/said" || exit
		lttng -n list >"$1/left"; kill -0 $(cat /var/run/lttng/lttng-sessiond.pid)' - "$place" "$aclcheck" "$app"
	[ "$(count t ' acl:aclrtRecordEvent_exit')" -eq 5 ]
	grep -q mine left
	not grep -q aclcheck left
	run "$aclcheck" trace --shared -o none -- "$app" mix
	if [ "$status" -eq 99 ]; then
		[[ $output == *"no session daemon is running"* ]]
		[ ! -e none ]
	fi
}

@test "a user who is not root" {
	[ "$(id -u)" -eq 0 ] || skip "this user is not root already: the other tests show it"
	mkdir theirs
	chmod 777 theirs
	setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null || skip "may not become another user"
	setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$app" || skip "the build is not readable to others"
	chmod a+x "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/* "$place/.." "$place" 2>/dev/null || :
	cd theirs
	HOME=$PWD setpriv --reuid=65534 --regid=65534 --clear-groups "$aclcheck" trace "$buffers" -o t -- "$app" loop 5 2>said
	[ "$(count t ' acl:aclrtRecordEvent_exit')" -eq 5 ]
	[ "$(ls -A | sort | tr '\n' ' ')" = "said t " ]
}

@test "plain lttng commands do as well" {
	needs_mount
	unshare -m bash -c '
		mkdir -p /var/run/lttng && mount -t tmpfs none /var/run/lttng && export LTTNG_HOME=$1 LTTNG_UST_REGISTER_TIMEOUT=15000 LTTNG_APP_SOCKET_TIMEOUT=15
		lttng-sessiond --daemonize && trap "kill \$(cat /var/run/lttng/lttng-sessiond.pid)" EXIT
		lttng -n create s -o "$1/t" && lttng -n enable-channel -u c && lttng -n add-context -u -t vpid -t vtid &&
		lttng -n enable-event -u -c c "acl:*" && lttng -n start || exit
		LD_PRELOAD=$2 "$3" loop 5
		lttng -n stop; lttng -n destroy' - "$place" "$bin/libaclcheck.so" "$app" >log 2>&1
	[ "$(count t ' acl:aclrtRecordEvent_exit')" -eq 5 ]
}

@test "where it cannot record it says so, and leaves nothing" {
	mkdir full
	touch full/file
	run "$aclcheck" trace -o full -- "$app" mix
	[ "$status" -eq 99 ]
	[[ $output == *"there is something in it already"* ]]
	run "$aclcheck" trace -o full/file -- "$app" mix
	[ "$status" -eq 99 ]
	[[ $output == *"full/file: a file of that name is there"* ]]
	run "$aclcheck" trace -o /proc/no/trace -- "$app" mix
	[ "$status" -eq 99 ]
	[ "$(wc -l <<<"$output")" -eq 1 ]
	mkdir empty
	PATH=$place/empty run "$aclcheck" trace -o t -- "$app" mix
	[ "$status" -eq 99 ]
	[ "$output" = "aclcheck: lttng-sessiond is not installed: install lttng-tools" ]
	[ ! -e t ]
	run "$aclcheck" trace -o t
	[ "$status" -eq 99 ]
}

@test "a program that calls nothing: inconclusive" {
	run record t -- true
	[ "$status" -eq 98 ]
	grep -q '^aclcheck: nothing was recorded in t: inconclusive' said
	[ ! -e t ]
}

@test "LTTng's daemons may have few descriptors: as they start they close every one that is permitted" {
	ulimit -n "$(ulimit -Hn)"
	record t -- sh -c 'ulimit -n; for d in $(pgrep -f "^[l]ttng-(sessiond|consumerd)|/[l]ttng-consumerd"); do
		tr "\0" "\n" <"/proc/$d/environ" 2>/dev/null | grep -qx "BATS_TEST_TMPDIR=$0" && grep "Max open files" "/proc/$d/limits"; done' "$place" >limits || :
	[ "$(head -n 1 limits)" = "$(ulimit -Hn)" ]
	[ "$(grep -c 'Max open files' limits)" -ge 1 ]
	awk '/Max open files/ && $4 > 4096 + 32 * '"$(getconf _NPROCESSORS_CONF)"' { exit 1 }' limits
}

# ends PROGRAM: rules of findings of the process' end, and the verdict, by the recording
ends() {
	record "$1.trace" -- "./$1" || [ $? -eq 97 ]
	events "$1.trace" | sed -n 's/.*aclcheck:finding: .* rule = "\(leak[a-z-]*\)", .*/\1/p; s/.*aclcheck:verdict: .* verdict = "\([a-z]*\)".*/\1/p'
}

@test "what is found at the end of the process is recorded; not before the last destructor" {
	cat >ends.cpp <<-END
		#include <dlfcn.h>
		#include <acl/acl.h>
		void *kept;
		static void give_back() { aclrtFree(kept); aclrtResetDevice(0); aclFinalize(); }
		#ifdef OBJECT
		struct Keeper { ~Keeper() { give_back(); } };
		static Keeper keeper;
		#endif
		#ifdef DESTRUCTOR
		__attribute__((destructor)) static void end() { give_back(); }
		#endif
		#ifdef PRINTS
		#include <cstdio>
		static int shown = fflush(stdout); /* a copy of it is in the program, and libraries use that */
		#endif
		extern "C" void keep();
		#ifdef OPENS
		extern "C" void keep() { ((void (*)())dlsym(dlopen("$place/libobject.so", RTLD_NOW), "keep"))(); }
		#elif !defined PROGRAM
		extern "C" void keep() { aclInit(nullptr); aclrtSetDevice(0); aclrtMalloc(&kept, 4096, ACL_MEM_MALLOC_HUGE_FIRST); }
		#endif
		#ifndef LIBRARY
		int main() { (void)give_back; keep(); return 0; }
		#endif
	END
	made() { g++ -I"$bin/include" -L"$bin/softnpu" -L. -Wl,-rpath,"$bin/softnpu:$place" -Wl,--no-as-needed "$@" -lascendcl -ldl; }
	made -o leaks ends.cpp
	made -o prints ends.cpp -DPRINTS
	made -o object ends.cpp -DOBJECT
	made -o destructor ends.cpp -DDESTRUCTOR
	made -o fixed ends.cpp -DDESTRUCTOR -no-pie -fno-pie # exports nothing
	made -o libobject.so -shared -fPIC ends.cpp -DOBJECT -DLIBRARY
	made -o linked ends.cpp -DPROGRAM -lobject
	made -o opens ends.cpp -DPROGRAM -DOPENS
	[ "$(ACLCHECK_FAIL_ON=warning ends leaks)" = $'leak-device-memory\nfail' ]
	[ "$(ACLCHECK_FAIL_ON=warning ends prints)" = $'leak-device-memory\nfail' ]
	# nothing is left behind; the verdict of what may still call is not known when the recording ends
	[ "$(ends object)" = pass ]
	[ "$(ends destructor)" = inconclusive ]
	[ "$(ends fixed)" = inconclusive ]
	[ "$(ends linked)" = inconclusive ]
	[ "$(ends opens)" = pass ]
}

@test "no daemon, no file is left" {
	mkdir tmp
	TMPDIR=$place/tmp record t -- "$app" mix
	[ -z "$(ls -A tmp)" ]
	[ -z "$(daemons_of "$place")" ]
}

@test "nor when aclcheck itself is killed; until the program has ended it is recorded" {
	mkdir tmp
	for n in 1 2 3; do
		TMPDIR=$place/tmp "$aclcheck" trace "$buffers" -o "t$n" -- sh -c '"$1" loop 1; touch "at$2"
			until [ -e "go$2" ]; do sleep 0.1; done; exec "$1" loop 7' - "$app" "$n" 2>said 3>&- &
		await test -e "at$n"
		kill -KILL $!
		wait $! || :
		touch "go$n"
		nothing_left() { [ -z "$(daemons_of "$place")" ] && [ -z "$(ls -A tmp)" ]; }
		await nothing_left
		[ "$(count "t$n" ' acl:aclrtRecordEvent_exit')" -eq 8 ]
	done
}

@test "nor when it is killed while its daemon starts" {
	mkdir tmp late
	# One that takes its time; and one that is there, and does not come to listen before the command is killed.
	cat >late/lttng-sessiond <<-END
		#!/bin/sh
		touch "$place/starting"
		until [ -e "$place/killed" ]; do sleep 0.01; done
		exec "$(command -v lttng-sessiond)" "\$@"
	END
	chmod +x late/lttng-sessiond
	for n in 1 2 3; do
		PATH=$place/late:$PATH TMPDIR=$place/tmp "$aclcheck" trace "$buffers" -o t -- "$app" mix 2>said 3>&- &
		await test -e starting
		kill -KILL $!
		wait $! || :
		touch killed
		nothing_left() { [ -z "$(daemons_of "$place")" ] && [ -z "$(ls -A tmp)" ] && [ ! -e t ]; }
		await nothing_left
		rm starting killed
	done
}

@test "a program that hangs: ended after --timeout, with its children, and what it did can be read" {
	mkdir tmp
	# In one second it gets to where it hangs, on a loaded machine in twenty.
	for seconds in 1 20; do
		rm -rf t
		TMPDIR=$place/tmp run record t --timeout $seconds -- sh -c 'trap "" TERM; "$1" loop 3; sleep 600 & sleep 601; sleep 600' - "$app"
		[ "$status" -eq 98 ]
		[ "$(count t ' acl:aclrtRecordEvent_exit')" -ne 3 ] || break
	done
	[ "$(count t ' acl:aclrtRecordEvent_exit')" -eq 3 ]
	grep -q "^aclcheck: the program was ended after $seconds seconds\?: inconclusive$" said
	[ -z "$(daemons_of "$place")" ]
	[ -z "$(ls -A tmp)" ]
	[ -z "$(processes_of "$place" -x sleep)" ]
	# A ring is written, however the program ends then.
	for seconds in 1 20; do
		rm -rf t ready
		run record t --ring 2M --timeout $seconds -- sh -c 'trap "exit 0" TERM; "$1" loop 3; touch ready; while :; do sleep 0.1; done' - "$app"
		[ ! -e ready ] || break
	done
	[ "$status" -eq 98 ]
	grep -q '^aclcheck: last calls written to t: 1 x$' said
	# In time; and what is no time.
	run record in_time --timeout 100 -- "$app" exit 42
	[ "$status" -eq 42 ]
	for value in 0 x 1.5 -1 99999999999; do
		run "$aclcheck" trace --timeout "$value" -- "$app" mix
		[ "$status" -eq 99 ]
		[[ $output == "aclcheck: --timeout: invalid number of seconds '$value'"* ]]
	done
	run "$aclcheck" trace --timeout 5 --attach $$
	[ "$status" -eq 99 ]
}

@test "run --trace --timeout: the recording is ended in order, whether the program ends by SIGTERM or not" {
	mkdir tmp
	for ignores in '' 'trap "" TERM;'; do
		for seconds in 1 20; do
			rm -rf t ready
			TMPDIR=$place/tmp run "$aclcheck" run --softnpu --timeout $seconds --trace t -- \
				sh -c "$ignores"' "$1" loop 3; touch ready; sleep 602' - "$app"
			[ ! -e ready ] || break
		done
		echo "$output"
		[ "$status" -eq 98 ]
		[[ $output == *"timeout: the program was ended after "* ]]
		[[ $output != *"still running"* ]]
		[ -z "$(daemons_of "$place")" ]
		[ -z "$(ls -A tmp)" ]
		"$aclcheck" summary --json t >t.json
		python3 -S -c 'import json; j = json.load(open("t.json")); assert j["calls"] >= 3 and j["complete"], j["reasons"]'
	done
	# In time.
	run "$aclcheck" run --softnpu --timeout 100 --trace in_time -- "$app" exit 42
	[ "$status" -eq 42 ]
	# The program ends in time; what it leaves is waited for until long after, and makes the recording inconclusive.
	run "$aclcheck" run --softnpu --timeout 1 --trace left -- sh -c 'sleep 4 >/dev/null 2>&1 3>&- &'
	[ "$status" -eq 98 ]
	[[ $output == *"still running"* && $output != *"was ended after"* ]]
}

@test "a daemon that dies meanwhile: never 0" {
	for daemon in sessiond consumerd; do
		for n in 1 2; do
			"$aclcheck" trace "$buffers" -o "$daemon$n" -- sh -c '"$1" loop 1; touch at
				until [ -e go ]; do sleep 0.1; done; exec "$1" loop 7' - "$app" 2>said 3>&- &
			await test -e at
			# shellcheck disable=SC2046 # several, and all of them
			kill -KILL $(for p in $(daemons_of "$place"); do grep -q "lttng-$daemon" "/proc/$p/cmdline" && echo "$p"; done)
			touch go
			status=0
			wait $! || status=$?
			echo "$daemon: $status, $(cat said)"
			[ "$status" -eq 98 ]
			grep -q inconclusive said
			[ -z "$(daemons_of "$place")" ]
			rm at go
		done
	done
}

@test "a process that outlives the program: named, inconclusive" {
	run record t -- sh -c '"$1" loop 3; sleep 4 >/dev/null 2>&1 3>&- &' - "$app"
	[ "$status" -eq 98 ]
	grep -q '^aclcheck: 1 process was still running .*: inconclusive' said
	"$aclcheck" summary --json t >t.json
	python3 -S -c 'import json; j = json.load(open("t.json")); assert not j["complete"] and j["reasons"] == ["processes-left"], j'
}

# In the background: a program that has made a thousand calls, and waits; kill_all PID... ends those, and LTTng's that NAME matches.
begin_steps() {
	mkfifo in
	# Who is killed removes nothing.
	mkdir tmp
	# Sub-buffers that are full are written; the last ones are not.
	TMPDIR=$place/tmp "$aclcheck" trace --lossless --buffers=64K -o t -- taskset -c 0 "$app" steps <in >out 2>said 3>&- &
	tracer=$!
	exec 7>in
	yes '' | head -1000 >&7
	made() { [ "$(wc -l <out)" -eq 1000 ]; }
	await made
	described() { grep -qa 'name = "acl:aclrtGetDevice_exit"' t/ust/uid/*/64-bit/metadata; }
	await described
	# A sub-buffer that is full is written a while later.
	written() { "$aclcheck" summary --json t >t.json && python3 -S -c 'import json; assert json.load(open("t.json"))["calls"] > 500' 2>/dev/null; }
	await written || { cat t.json; ls -laR t | head -40; false; }
}

its_end_is_missing() {
	"$aclcheck" summary --json t >t.json
	python3 -c 'import json; j = json.load(open("t.json")); assert j["calls"] > 500 and not j["complete"] and "not-ended" in j["reasons"], j["reasons"]'
}

@test "a session daemon that is killed: what was written until then can be read, and it is said that the end is missing" {
	begin_steps
	# shellcheck disable=SC2046 # several, and all of them
	kill -KILL $(for p in $(daemons_of "$place"); do grep -q "lttng-sessiond" "/proc/$p/cmdline" && echo "$p"; done)
	exec 7>&-
	status=0
	wait $tracer || status=$?
	[ "$status" -eq 98 ]
	grep -q '^aclcheck: the recording was not ended as it should: inconclusive, events are missing$' said
	its_end_is_missing
}

@test "all that records is killed: it says so to who reads what is there" {
	begin_steps
	its_end_is_missing
	# shellcheck disable=SC2046 # several, and all of them
	kill -KILL $tracer $(pgrep -x aclcheck-lttng -P "$tracer") $(daemons_of "$place")
	wait $tracer || :
	exec 7>&-
	its_end_is_missing
}

@test "LTTng's daemons that answer nothing any more: they are ended, and it is inconclusive" {
	for who in sessiond consumerd; do
		ACLCHECK_SIMULATE_ANSWER_SECONDS=2 "$aclcheck" trace "$buffers" -o "$who" -- sh -c '"$1" loop 3; touch at
			until [ -e go ]; do sleep 0.1; done' - "$app" 2>said 3>&- &
		await test -e at
		# shellcheck disable=SC2046 # several, and all of them
		kill -STOP $(for p in $(daemons_of "$place"); do grep -q "lttng-$who" "/proc/$p/cmdline" && echo "$p"; done)
		touch go
		status=0
		wait $! || status=$?
		echo "$who: $status, $(cat said)"
		[ "$status" -eq 98 ]
		grep -q '^aclcheck: the recording was not ended as it should: inconclusive' said
		[ -z "$(daemons_of "$place")" ]
		rm at go
	done
}

# pending SECONDS COMMAND...: with a library of LTTng's that says for so long that not all is written yet
pending() {
	local real
	real=$(ldconfig -p | sed -n 's/.*liblttng-ctl\.so\.0 .*=> //p' | head -1)
	mkdir -p ctl
	cat >ctl/pending.c <<-END
		#include <time.h>
		int lttng_data_pending(const char *session);
		int lttng_data_pending(const char *session)
		{
			static time_t first;
			first = first ? first : time(NULL);
			return session && time(NULL) - first < $1;
		}
	END
	# what the real one is called is in what is linked against
	"$CC" -shared -x c /dev/null -o ctl/real.so -Wl,-soname,"$real"
	"$CC" -shared -fPIC -o ctl/liblttng-ctl.so.0 ctl/pending.c -Wl,--no-as-needed ctl/real.so
	shift
	LD_LIBRARY_PATH=$place/ctl ACLCHECK_SIMULATE_ANSWER_SECONDS=2 "$@"
}

@test "LTTng says for ever that not all is written: after a time in which nothing came it is inconclusive" {
	status=0
	pending 1000 timeout 60 "$aclcheck" trace "$buffers" -o t -- "$app" loop 3 2>said || status=$?
	cat said
	[ "$status" -eq 98 ]
	[ "$(grep -c '^aclcheck: LTTng says that not all is written, and has written nothing for 2 s: it is not waited for any longer$' said)" -eq 1 ]
	grep -q '^aclcheck: the recording was not ended as it should: inconclusive, events are missing$' said
	[ -z "$(daemons_of "$place")" ]
	# what is there can be read, and says so
	"$aclcheck" summary --json t >t.json
	python3 -c 'import json; j = json.load(open("t.json")); assert j["calls"] and not j["complete"], j'
}

@test "as long as it writes, it is waited for" {
	(while sleep 0.5; do [ ! -d slow/ust ] || echo >>slow/ust/written; done) 3>&- &
	writer=$!
	pending 6 "$aclcheck" trace "$buffers" -o slow -- "$app" loop 3 2>said || status=$?
	kill $writer
	cat said
	grep -q '^aclcheck: 0 events discarded, 0 packets lost$' said
}

@test "nor do they hold the process that ends them when aclcheck itself was killed" {
	ACLCHECK_SIMULATE_ANSWER_SECONDS=2 "$aclcheck" trace "$buffers" -o t -- sh -c '"$1" loop 3; touch at
		until [ -e go ]; do sleep 0.1; done' - "$app" 2>said 3>&- &
	await test -e at
	kill -KILL $!
	wait $! || :
	# shellcheck disable=SC2046 # several, and all of them
	kill -STOP $(for p in $(daemons_of "$place"); do grep -q lttng-sessiond "/proc/$p/cmdline" && echo "$p"; done)
	touch go
	none_left() { [ -z "$(daemons_of "$place")$(processes_of "$place" -x aclcheck-lttng)" ]; }
	await none_left
}
