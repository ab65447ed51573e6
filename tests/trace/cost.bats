#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What a recording costs on the disk, exactly, and what is left of it with --minimal.

# shellcheck disable=SC2154,SC2086 # what places() sets; words are split on purpose
load trace.bash

setup_file() {
	load trace.bash
	alone
}

bytes() {
	python3 -S "$ACLCHECK_SOURCE/tests/trace/stream_bytes.py" "$1"
}

# each KIND [OPTION...]: bytes of the events of one call of that kind
each() {
	local kind=$1 n
	shift
	for n in 2000 4000; do
		record "$kind$n$1" "$@" -- $drive "$kind" $n >/dev/null
	done
	echo $((($(bytes "${kind}4000$1") - $(bytes "${kind}2000$1") + 1000) / 2000))
}

@test "bytes of a call" {
	# Each event has 14 of LTTng's: 6 in front, vpid and vtid.
	[ "$(each records)" -eq 90 ]
	[ "$(each records --minimal)" -eq 58 ]
	[ "$(each records --one-event)" -eq 74 ]
	# after one call of another thread
	[ "$(each copies)" -eq 128 ]
}

@test "a recording of 25 functions takes little room" {
	record few -- $drive each 25
	du -sk few
	[ "$(du -sk few | cut -f1)" -le 400 ]
	# metadata describe what was called; in the file a packet may begin within a line
	[ "$(babeltrace2 -o ctf-metadata few/ust/uid/*/64-bit | grep -c 'name = "acl:')" -eq 50 ]
}

@test "start-up: LTTng does not read the file of every library" {
	record few -- strace -f -qq -o "$place/calls" -e trace=read,lseek "$app" exit 0
	[ "$(count few ' acl:aclInit_exit:')" -eq 1 ]
	wc -l calls
	[ "$(wc -l <calls)" -le 800 ]
}

# took COMMAND...: milliseconds; what it says goes away
took() {
	local begin
	begin=$(date +%s%N)
	"$@" >/dev/null 2>&1 || :
	echo $((($(date +%s%N) - begin) / 1000000))
}
# best FILE: of its numbers
best() {
	sort -n "$1" | head -1
}
# within HAND ALONE OURS LOAD: the best of each; loading the provider with every event enabled (microseconds), and all of it
within() {
	[ "$4" -gt 0 ] && [ "$1" -gt 0 ] && [ "$4" -le $((1000 * $1)) ] && [ $(($3 - $2)) -le $((3 * $1)) ]
}
export -f took best within

@test "start-up: against a program with five events by hand, in the same session, all functions recorded" {
	needs_mount
	unshare -m bash -c '
		mkdir -p /var/run/lttng && mount -t tmpfs none /var/run/lttng && cd "$1" && export LTTNG_HOME=$1 LTTNG_UST_REGISTER_TIMEOUT=15000 LTTNG_APP_SOCKET_TIMEOUT=15
		lttng-sessiond --daemonize && trap "kill \$(cat /var/run/lttng/lttng-sessiond.pid)" EXIT
		lttng -n create s -o "$1/s" && lttng -n enable-channel -u -s s --subbuf-size 64K --num-subbuf 4 c
		lttng -n enable-event -u -s s -c c "acl:*,bench_hand:*" && lttng -n start s
		# In turn, and the best of each: what else the machine does makes none of them shorter, so that more rounds can
		# only come nearer to what each takes.
		for round in {1..40}; do
			took "$2/bench/trace" >>hand
			took "$3" exit 0 >>alone
			took env LD_PRELOAD="$2/libaclcheck.so" ACLCHECK_TRACE=on ACLCHECK_CHECKS=off "$3" exit 0 >>ours
			"$2/bench/trace" load "$2/libaclcheck-lttng.so" | cut -d" " -f1 >>load
			[ "$round" -ge 5 ] && within "$(best hand)" "$(best alone)" "$(best ours)" "$(best load)" && break
		done
		lttng -n stop s; lttng -n destroy s' - "$place" "$bin" "$app" >log 2>&1
	echo "by hand $(best hand) ms; alone $(best alone) ms, recorded $(best ours) ms; the provider $(best load) us"
	within "$(best hand)" "$(best alone)" "$(best ours)" "$(best load)"
}

@test "a recording of a program that does nothing: sooner done than by LTTng's own commands" {
	needs_mount
	for _ in {1..15}; do
		rm -rf by-hand ours
		took unshare -m bash -c '
			mkdir -p /var/run/lttng && mount -t tmpfs none /var/run/lttng && export LTTNG_HOME=$1
			lttng-sessiond --daemonize
			lttng -n create s -o "$1/by-hand"; lttng -n enable-channel -u -s s --subbuf-size 64K --num-subbuf 4 c
			lttng -n add-context -u -s s -c c -t vpid -t vtid; lttng -n enable-event -u -s s -c c "acl:*,aclcheck:*"
			lttng -n start s; true; lttng -n stop s; lttng -n destroy s
			kill $(cat /var/run/lttng/lttng-sessiond.pid)
			while kill -0 $(cat /var/run/lttng/lttng-sessiond.pid); do sleep 0.01; done' - "$place" >>hand
		took "$aclcheck" trace -o ours -- true >>mine
		[ "$(best mine)" -gt "$(best hand)" ] || break
	done
	echo "by hand $(best hand) ms, aclcheck trace $(best mine) ms"
	[ "$(best mine)" -le "$(best hand)" ]
}

@test "--minimal: times, nesting and results" {
	record m --minimal -- $drive sample
	events m >text
	grep -q 'acl:aclInit_entry: .* api = "aclInit", call_number = 2, call_depth = 0, call_path = ( "linked" : container = 0 ), call_flags = 0x1 }' text
	grep -q 'acl:aclInit_exit: .* call_number = 2, call_result = 100002 }' text
	# findings as ever
	grep -q 'aclcheck:finding: .*rule = "sample-rule"' text
	not grep -q 'aclrtMalloc_entry.*size' text
	record all -- $drive sample
	for t in m all; do
		"$aclcheck" summary --json $t >$t.json
		python3 -S -c 'import json, sys
for f in json.load(open(sys.argv[1]))["functions"]: print(f["function"], f["calls"], f["errors"])' $t.json | sort >$t.calls
	done
	grep -q '^aclrtGetMemInfo 2 1$' m.calls
	diff m.calls all.calls
	# every function
	record each --minimal -- $drive each
	[ "$(events each | grep -c ' acl:[A-Za-z0-9]*_\(entry\|exit\):')" -eq $((2 * $("$bin/tests/trace/drive" --names | wc -l))) ]
	run "$aclcheck" trace --minimal --one-event -- true
	[ "$status" -eq 99 ]
	[[ $output == *"--minimal and --one-event exclude each other"* ]]
}

@test "filters and triggers see the fields" {
	needs_mount
	unshare -m bash -c '
		mkdir -p /var/run/lttng && mount -t tmpfs none /var/run/lttng && cd "$1" && export LTTNG_HOME=$1 LTTNG_UST_REGISTER_TIMEOUT=15000 LTTNG_APP_SOCKET_TIMEOUT=15
		lttng-sessiond --daemonize && trap "kill \$(cat /var/run/lttng/lttng-sessiond.pid)" EXIT
		for s in f later; do
			lttng -n create $s -o "$1/$s" && lttng -n enable-channel -u -s $s --subbuf-size 64K --num-subbuf 4 c
		done
		enable() { lttng -n enable-event -u -s f -c c "acl:$1" --filter "$2"; }
		enable aclrtMemcpyAsync_entry "count == 4096 && kind == 1 && call_path == 0 && call_flags == 1 && stream == 0x5555 && api == \"aclrtMemcpyAsync\""
		enable aclrtMemcpyAsync_exit "call_result != 0"
		enable aclInit_entry "configPath == \"config.json\""
		enable aclInit_exit "call_result == 100002 && ret == 100002"
		enable aclrtGetMemInfo_exit "total_out == 222"
		lttng -n start f
		$2 sample
		lttng -n stop f; lttng -n destroy f
		lttng -n enable-event -u -s later -c c "acl:*"
		lttng -n add-trigger --condition=event-rule-matches --type=user --name=acl:aclrtMemcpyAsync_exit \
			--filter="call_result == 0" --action=start-session later
		mkfifo go; $2 twice <go >first & exec 9>go
		for _ in $(seq 600); do grep -q copied first && break; sleep 0.1; done
		for _ in $(seq 600); do lttng -n list later | grep -q "\[active" && break; sleep 0.1; done
		echo >&9; wait $!
		lttng -n stop later; lttng -n destroy later' - "$place" "$drive" >log 2>&1
	cat log
	[ "$(count f ' acl:')" -eq 5 ]
	[ "$(count f aclrtMemcpyAsync_entry)" -eq 2 ]
	[ "$(count f 'aclInit_entry: .*configPath = "config.json"')" -eq 1 ]
	[ "$(count f 'aclInit_exit: .*call_result = 100002')" -eq 1 ]
	[ "$(count f 'aclrtGetMemInfo_exit: .*total_out = 222')" -eq 1 ]
	# the first copy has started it, the second is in it
	[ "$(count later aclrtMemcpyAsync_entry)" -eq 1 ]
}

@test "tracing alone costs little more than the briefest pair by hand" {
	needs_mount
	unshare -m bash -c '
		mkdir -p /var/run/lttng && mount -t tmpfs none /var/run/lttng && cd "$1" && export LTTNG_HOME=$1
		lttng-sessiond --daemonize && trap "kill \$(cat /var/run/lttng/lttng-sessiond.pid)" EXIT
		lttng -n create s -o "$1/s" && lttng -n enable-channel -u -s s --subbuf-size 1M --num-subbuf 8 c
		lttng -n add-context -u -s s -c c -t vpid -t vtid
		lttng -n enable-event -u -s s -c c "acl:*,aclcheck:*,bench_hand:*" && lttng -n start s
		# Both in one run, in turn; the best of a few, since the machine has other work.
		export LTTNG_UST_REGISTER_TIMEOUT=15000
		for _ in 1 2 3 4; do
			"$2/trace" alone "$2" 10000 >>ratios
			ACLCHECK_TRACE_FIELDS=minimal "$2/trace" alone "$2" 10000 >>minimal
		done
		lttng -n stop s; lttng -n destroy s' - "$place" "$bin/bench" >log 2>&1
	for of in ratios minimal; do
		cat $of
		[ "$(wc -l <$of)" -eq 4 ]
		awk '$2 <= 1.2 * $1 { record = 1 } $4 <= 1.4 * $3 { copy = 1 } END { exit !(record && copy) }' $of
	done
}
