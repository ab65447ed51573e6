#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# aclcheck trace: a disk that is full, or gets full.

# shellcheck disable=SC2154 # what places() sets
load trace.bash

setup_file() {
	load trace.bash
	alone
	needs_mount
}

# Each processor has a file of its own, and the disk ends them at different times: on one processor there is one file.
pinned=(taskset -c "$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')")

# on_disk SIZE OPTION... -- PROGRAM...: into "disk/t", on a disk of that size of its own, and what is there into "there"
on_disk() {
	local size=$1 status=0
	shift
	mkdir disk there
	unshare -m bash -c 'mount -t tmpfs -o size="$1" none disk && shift || exit 1
		timeout -s KILL 300 "$@"
		status=$?
		cp -r disk/. there
		exit "$status"' - "$size" "$aclcheck" trace "$buffers" -o disk/t "$@" 2>said || status=$?
	echo "ended with $status"
	cat said
	return "$status"
}

# Of what was recorded, its beginning without a gap is there.
readable() {
	"$aclcheck" summary --json there/t >t.json
	python3 -S -c 'import json
j = json.load(open("t.json"))
assert j["calls"] > 1000, j["calls"]
assert j["lost_begins"] == 0 or j["discarded_events"] > 0, (j["lost_begins"], "on a busy machine events are discarded")
assert not j["complete"] and j["reasons"] == ["disk-full"], j["reasons"]'
	[ "$(count there/t ' acl:aclInit_exit:')" -eq 1 ]
	babeltrace2 there/t >/dev/null
}

@test "it gets full: what was recorded until then can be read, and it is said" {
	run on_disk 12m -- "${pinned[@]}" "$app" loop 300000
	[ "$status" -eq 98 ]
	grep -qx 'aclcheck: disk/t: the disk is full: recording ends' said
	grep -qx 'aclcheck: disk/t: the disk was full: inconclusive, events are missing' said
	readable
}

@test "every reader says that the end is missing" {
	run on_disk 12m -- "$app" loop 300000
	[ "$status" -eq 98 ]
	missing='the disk was full: the end of the recording is missing'
	# of the recording, and of the trace in it
	for t in there/t there/t/ust/uid/*/64-bit; do
		"$aclcheck" summary "$t" | grep -qx "$missing"
		run "$aclcheck" replay --report r.json "$t"
		[ "$status" -eq 98 ]
		python3 -S -c 'import json, sys
r = json.load(open("r.json"))
assert r["verdict"] == "inconclusive" and any(sys.argv[1] in x.get("text", "") for x in r["inconclusive"]), r["inconclusive"]' "$missing"
	done
	"$aclcheck" timeline --chrome c.json -o p.html there/t 2>said
	grep -qx "aclcheck: $missing" said
	grep -q "<b class=\"warning\">$missing.</b>" p.html
	python3 -S -c 'import json; o = json.load(open("c.json"))["otherData"]; assert o["complete"] is False and o["disk-full"], o'
	# one that is whole says nothing of it
	record whole -- "$app" loop 10
	"$aclcheck" summary --json whole >whole.json
	python3 -S -c 'import json; j = json.load(open("whole.json")); assert j["complete"] and j["reasons"] == [], j["reasons"]'
	[ ! -e whole/aclcheck-incomplete ]
}

@test "lossless: the program does not wait for a disk that is full" {
	run on_disk 90m --lossless -- "${pinned[@]}" "$app" loop 300000
	[ "$status" -eq 98 ]
	grep -qx 'aclcheck: disk/t: the disk is full: recording ends' said
	grep -qx 'aclcheck: 0 events discarded, 0 packets lost' said
	readable
}

@test "too small from the start: the program is not run, and nothing is left" {
	run on_disk 1m -- touch ran
	[ "$status" -eq 99 ]
	grep -qE '^aclcheck: .*disk/t: the disk is full: 1 MiB free, a recording needs 8\.1 MiB$' said
	[ ! -e ran ]
	[ -z "$(ls there)" ]
	[ -z "$(daemons_of "$place")" ]
}
