#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# aclcheck replay: the calls of a recording checked again, without the program. That it finds what the run found: replay.t.

# shellcheck disable=SC2154 # what places() sets
load trace.bash

setup_file() {
	load trace.bash
	alone
}

setup() {
	places "$BATS_TEST_TMPDIR"
	documents=$ACLCHECK_BUILD/tests/documents
}

# replayed CODE [ARGUMENT...]: replay ends so; what it says is in $output
replayed() {
	local expected=$1
	shift
	run "$aclcheck" replay "$@"
	[ "$status" -eq "$expected" ] || {
		echo "exit code $status: $output"
		return 1
	}
}

# rules: the findings of r.json with their severity
rules() {
	python3 -S -c 'import json; print(*sorted({f["rule"] + ":" + f["severity"] for f in json.load(open("r.json"))["findings"]}))'
}

@test "other settings give another verdict, without the program" {
	cp "$documents/h2h_sync" program
	LD_LIBRARY_PATH=$bin/softnpu record t -- ./program async || true
	rm program
	replayed 97 t
	[[ $output == *"error: async-copy-h2h"* ]]
	replayed 0 --rules=-async-copy-h2h t
	echo '{"rules": "-async-copy-h2h"}' >config.json
	replayed 0 --config config.json t
	replayed 99 --rules=no-such-rule t
	[ "${#lines[@]}" -eq 1 ]
	record u -- "$documents/p2p"
	replayed 0 --report r.json u
	[[ $(rules) == *device-unbalanced-set-reset:warning* ]]
	python3 -S -c 'import json; assert [f["advice"] for f in json.load(open("r.json"))["findings"] if f["rule"] == "device-unbalanced-set-reset"] == [True]'
	# A finding that fails only where the setting asks for it, wherever that stands.
	ACLCHECK_FAIL_ON=warning replayed 97 u
	ACLCHECK_FAIL_ON=warning replayed 0 --fail-on error u
	echo '{"fail_on": "warning"}' >config.json
	replayed 97 --config config.json u
	replayed 0 --target-cann=9.1 --report r.json u
	python3 -S -c 'import json; assert not any(f["advice"] for f in json.load(open("r.json"))["findings"] if f["rule"] == "device-unbalanced-set-reset")'
}

@test "a report says when the process ran, not when it was replayed" {
	record t -- "$app" mix
	recorded=$(date -u +%Y-%m-%dT%H:%M:%SZ)
	sleep 1.1
	replayed 97 --report r.json t
	recorded=$recorded python3 -S -c '
import json, os
ran = json.load(open("r.json"))["processes"][0]
assert ran["started"] <= ran["ended"] <= os.environ["recorded"], (ran["started"], ran["ended"], os.environ["recorded"])'
}

@test "its files are where temporary ones belong, and are removed" {
	record t -- "$app" mix
	mkdir tmp
	TMPDIR=$place/tmp replayed 97 t
	[ -z "$(ls tmp)" ]
	TMPDIR=$place/none replayed 99 t
	[[ $output == "aclcheck: $place/none/aclcheck-replay-"*": No such file or directory" ]]
}

@test "as many recordings as there are, of processes that have the same number" {
	record one --buffers=64K -- "$app" mix
	python3 -S - <<-'END'
		import os, re, uuid
		files = {os.path.join(d, f): open(os.path.join(d, f), "rb").read() for d, _, names in os.walk("one") for f in names}
		found = [re.search(rb'uuid = "([0-9a-f-]{36})"', text) for name, text in files.items() if name.endswith("/metadata")]
		old = uuid.UUID(found[0].group(1).decode())
		for i in range(260):
		    new = uuid.UUID(int=i + 1)
		    for name, text in files.items():
		        to = name.replace("one", f"many/{i}", 1)
		        os.makedirs(os.path.dirname(to), exist_ok=True)
		        open(to, "wb").write(text.replace(old.bytes, new.bytes).replace(str(old).encode(), str(new).encode()))
	END
	replayed 97 --report r.json many/*
	[ "$(python3 -S -c 'import json; print(len(json.load(open("r.json"))["processes"]))')" = 260 ]
}

@test "what the program says of its mistakes is heard in a replay, too" {
	for n in 0 2; do
		ACLCHECK_REPORT=$n.json record m$n -- "$app" meant $n || :
		"$ACLCHECK_SOURCE/tests/trace/replayed.py" $n.json m$n
	done
	# nothing but what was meant, and two scopes in which none came
	replayed 0 m0
	replayed 97 --report r.json m2
	python3 -S -c 'import json
r = json.load(open("0.json"))
assert sorted((f["rule"], bool(f.get("expected")), bool(f.get("suppressed"))) for f in r["findings"]) == [
    ("api-error", False, True), ("finalize-missing-at-exit", False, True), ("leak-device-memory", False, False), ("stream-double-destroy", True, False)], r["findings"]
assert [f["objects"][0]["name"] for f in r["findings"] if f["rule"] == "leak-device-memory"] == ["kept"], r["findings"]
assert [e["opened"] - e["met"] for e in json.load(open("2.json"))["expectations"]] == [0, 2]'
}

# A child goes on from what its parent had done, which is in no recording of its own.
@test "a process that forked when it had called: nothing is claimed of its child" {
	record f -- "$app" fork 3
	replayed 98 --report r.json f
	python3 -S -c 'import json
r = json.load(open("r.json"))
assert not r["findings"] and sorted(p["verdict"] for p in r["processes"]) == ["inconclusive", "pass"], r
assert "the process was forked by one that had called AscendCL" in r["inconclusive"][0]["text"], r'
	# its parent's scopes are its own
	record i -- "$app" inherited
	replayed 98 i
}

@test "several processes: one report" {
	record t -- sh -c "'$documents/h2h_sync' async & '$documents/h2h_sync' no-device; wait" || true
	replayed 97 --report r.json t
	[[ $(rules) == *async-copy-h2h:error*current-context-missing:error* ]]
	python3 -S -c 'import json; assert len(json.load(open("r.json"))["processes"]) == 2'
}

@test "a launcher that calls nothing: the replay is that of its ranks" {
	record t -- "$app" launch 2
	replayed 0 --report r.json t
	python3 -S -c 'import json; assert sorted(p["rank"] for p in json.load(open("r.json"))["processes"]) == [0, 1]'
	# one that made calls, none of which was recorded, is another matter
	record u --on-request -- "$app" exit 0 || [ $? -eq 98 ]
	replayed 98 u
	record v -- "$app" launch 0 || [ $? -eq 98 ]
	replayed 98 v
	[[ $output == *nothing-observed* ]]
}

# overtaken DIR: a call of the recording comes after one that has a later time
overtaken() {
	babeltrace2 "$1" | python3 -c '
import re, sys
seen = set()
for line in sys.stdin:
    call = re.search(r" acl:\w+_(entry|exit): .* vtid = (\d+) .* call_number = (\d+),", line)
    if call:
        seen.add(int(call[2]) << 33 | int(call[3]) << 1 | (call[1] == "exit"))
    after = re.search(r" call_after = \[ (\[0\] = .*?) \]", line)
    if after and not seen.issuperset(int(mark, 16) for mark in re.findall(r"= (0x[0-9A-F]+)", after[1])):
        sys.exit(0)
sys.exit(1)'
}

@test "the report names each process: rank, host and command" {
	ranks job fixed
	run "$aclcheck" replay job
	for rank in 0 1; do
		[[ $output =~ process\ [0-9]+,\ rank\ $rank,\ $(hostname):\ $bin/tests/trace/ranks\ fixed ]]
	done
	"$aclcheck" replay --report r.json job || [ $? -eq 97 ]
	python3 -S -c 'import json, socket, sys
found = sorted((p["rank"], p["host"], p["argv"]) for p in json.load(open("r.json"))["processes"])
assert found == [(rank, socket.gethostname(), [sys.argv[1], "fixed"]) for rank in (0, 1)], found' "$bin/tests/trace/ranks"
}

@test "threads at once: in the order in which they were checked" {
	for n in 1 2 3 4 5 6 7 8 9 10; do
		record "t$n" -- env ACLCHECK_REPORT=live.json "$app" overtaken || [ $? -eq 97 ]
		overtaken "t$n" && break
	done
	overtaken "t$n"
	run "$aclcheck" replay --report r.json "t$n"
	python3 - <<-'E'
		import json
		live, replayed = ((r["verdict"], sorted((f["rule"], f.get("call", ""), f["count"]) for f in r["findings"]))
		                  for r in (json.load(open(name)) for name in ("live.json", "r.json")))
		assert live == replayed, (live, replayed)
		assert live[1], "nothing depends on the order"
	E
}

@test "a call of another thread that begins before, and is recorded later: it counts as it did" {
	cat >held.c <<-'END'
		#define _GNU_SOURCE
		#include <fcntl.h>
		#include <sched.h>
		#include <string.h>
		#include <sys/prctl.h>
		#include <unistd.h>
		#include <lttng/ust-getcpu.h>
		/* Of each event that is recorded. */
		static int processor(void)
		{
			char name[16] = "";

			prctl(PR_GET_NAME, name);
			if (!strcmp(name, "held")) {
				close(open("held", O_CREAT | O_WRONLY, 0600));
				for (int i = 0; access("go", F_OK) && i < 20000; i++)
					usleep(1000);
			}
			return sched_getcpu();
		}
		void lttng_ust_getcpu_plugin_init(void);
		void lttng_ust_getcpu_plugin_init(void)
		{
			lttng_ust_getcpu_override(processor);
		}
	END
	"$CC" -shared -fPIC -o held.so held.c -llttng-ust-common
	record t -- env ACLCHECK_REPORT=live.json LTTNG_UST_GETCPU_PLUGIN="$PWD/held.so" "$app" inside || [ $? -eq 97 ]
	run "$aclcheck" replay --report r.json t
	python3 -S - <<-'E'
		import json
		live, replayed = ([(f["severity"], f["detail"]) for f in json.load(open(name))["findings"]
		                   if f["rule"] == "stream-destroyed-while-subscribed"] for name in ("live.json", "r.json"))
		assert live == replayed, (live, replayed)
		assert "processes reports right now" in live[0][1], live
	E
}

# ranks DIR MODE [SIZE]: both ranks in one recording
ranks() {
	rm -f key used closed freed lives
	record "$1" -- sh -c 'export WORLD_SIZE=$3; RANK=0 "$1" "$2" & RANK=1 "$1" "$2"; wait' - "$bin/tests/trace/ranks" "$2" "${3:-2}" ||
		[ $? -eq 97 ]
}

# two_recordings MODE [OPTION...]: of rank 0 (with the options), and of rank 1
two_recordings() {
	local mode=$1
	shift
	rm -f key used closed freed lives
	RANK=0 WORLD_SIZE=2 "$aclcheck" trace "$buffers" -o "$mode.0" "$@" -- "$bin/tests/trace/ranks" "$mode" 2>said.0 &
	RANK=1 WORLD_SIZE=2 record "$mode.1" -- "$bin/tests/trace/ranks" "$mode" || [ $? -eq 97 ]
	wait $! || [ $? -ge 97 ]
}

# shared TRACE...: what a replay finds of what ranks share, and whom it names
shared() {
	rm -f r.json
	"$aclcheck" replay --report r.json "$@" || [ $? -eq 97 ] || [ $? -eq 98 ] || return
	cat said >&2
	python3 -S -c 'import json, re, sys
r = json.load(open("r.json"))
print(*(reason["text"] for reason in r["inconclusive"]), sep="\n", file=sys.stderr)
for f in r["findings"]:
    if re.match("ipc-|event-|notify-", f["rule"]) and f["rule"] != "ipc-export-page-alignment":
        print(f["rule"], f["severity"], *re.findall("rank [0-9]", f.get("detail", "")))' | sort
}

@test "ranks that share memory: what one does to the other" {
	ranks early early
	[ "$(shared early)" = $'ipc-exporter-closed-first warning rank 1\nipc-free-while-exported error rank 1\nipc-use-after-close error rank 0' ]
	ranks fixed fixed
	[ -z "$(shared fixed)" ]
	ranks unknown unknown
	[ "$(shared unknown)" = "ipc-import-unknown-key error" ]
	# a third one may have exported it
	ranks three unknown 3
	[ -z "$(shared three)" ]
}

@test "ranks that share memory: the exporter ends, and the other one still uses it" {
	ranks ended ended
	[ "$(shared ended)" = "ipc-use-after-close error rank 0" ]
}

@test "ranks that share an event: gone, unknown, never recorded" {
	for mode in fixed before; do
		ranks "$mode" "event-$mode"
		[ -z "$(shared "$mode")" ]
	done
	for mode in early ended late; do
		ranks "$mode" "event-$mode"
		[ "$(shared "$mode")" = "event-ipc-closed-early warning rank 0" ]
	done
	ranks unknown event-unknown
	[ "$(shared unknown)" = "ipc-import-unknown-key error" ]
	ranks vain event-vain
	[ "$(shared vain)" = "event-wait-before-record error" ]
	# a third one may have made the one, and record the other
	ranks unknown3 event-unknown 3
	[ -z "$(shared unknown3)" ]
	ranks vain3 event-vain 3
	[ -z "$(shared vain3)" ]
}

@test "ranks that share a notify: gone, unknown, never recorded" {
	ranks fixed notify-fixed
	[ -z "$(shared fixed)" ]
	for mode in early ended; do
		ranks "$mode" "notify-$mode"
		[ "$(shared "$mode")" = "notify-destroyed-use warning rank 0" ]
	done
	ranks late notify-late
	[ "$(shared late)" = "ipc-import-unknown-key error rank 0" ]
	ranks unknown notify-unknown
	[ "$(shared unknown)" = "ipc-import-unknown-key error" ]
	ranks vain notify-vain
	[ "$(shared vain)" = "notify-wait-never-recorded warning" ]
	ranks vain3 notify-vain 3
	[ -z "$(shared vain3)" ]
}

@test "ranks on devices of their own: peer access" {
	export SOFTNPU_DEVICES=2
	ranks far far
	[ "$(shared far)" = "notify-import-peer-access warning" ]
	ranks near near
	[ -z "$(shared near)" ]
	# what one calls device 0 is another one than what the other calls so
	rm -f key used closed freed lives
	record hidden -- sh -c 'export WORLD_SIZE=2; RANK=0 ASCEND_RT_VISIBLE_DEVICES=0 "$1" far & RANK=1 ASCEND_RT_VISIBLE_DEVICES=0,1 "$1" far; wait' - \
		"$bin/tests/trace/ranks" || [ $? -eq 97 ]
	[ -z "$(shared hidden)" ]
}

@test "ranks in recordings of their own: with one missing or incomplete nothing is said" {
	two_recordings early
	[ "$(shared early.0 early.1 | wc -l)" -eq 3 ]
	[ -z "$(shared early.0)" ]
	[ -z "$(shared early.1)" ]
	two_recordings unknown
	[ "$(shared unknown.1 unknown.0)" = "ipc-import-unknown-key error" ]
	[ -z "$(shared unknown.1)" ]
	two_recordings event-vain
	[ "$(shared event-vain.0 event-vain.1)" = "event-wait-before-record error" ]
	[ -z "$(shared event-vain.1)" ]
	# of rank 0 all but its end: it may have recorded it later
	rm -r early.0 early.1 unknown.0 unknown.1 event-vain.0 event-vain.1
	two_recordings event-vain --calls 6
	[ -z "$(shared event-vain.0 event-vain.1)" ]
	# of rank 0 the first calls only, its export among them
	two_recordings early --calls 5
	[ -z "$(shared early.0 early.1)" ]
	two_recordings unknown --calls 5
	[ -z "$(shared unknown.0 unknown.1)" ]
}

@test "events that are lost: inconclusive, and nothing is found behind the loss" {
	record t --buffers=64K -- "$app" loop 100000 || [ $? -eq 98 ]
	replayed 98 t
	[[ $output == *recording-incomplete* ]]
	[[ $output == *"0 errors, 0 warnings"* ]]
}

@test "recordings that lack what a call was given are refused" {
	record t --one-event -- "$app" mix
	replayed 99 t
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == *--one-event* ]]
	record m --minimal -- "$app" mix
	replayed 99 m
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == *--minimal* ]]
}

@test "no recording, a damaged one, no argument: one line" {
	replayed 99 nowhere
	[ "${#lines[@]}" -eq 1 ]
	mkdir damaged
	echo 'no metadata' >damaged/metadata
	replayed 99 damaged
	[ "${#lines[@]}" -eq 1 ]
	replayed 99
	[ "${#lines[@]}" -eq 1 ]
}

@test "addresses that no process has are no pointers of ours" {
	record t -- "$app" mix
	# callers and frames in the uppermost half, where the checker's own words of Python frames are
	events t >text
	python3 - text t <<-'E'
		import glob, re, sys
		text = open(sys.argv[1]).read()
		numbers = set(re.findall(r"call_caller = (0x[0-9A-Fa-f]+)", text)) | set(re.findall(r"\[\d+\] = (0x[0-9A-Fa-f]{8,})", text))
		changed = 0
		for path in glob.glob(sys.argv[2] + "/ust/uid/*/64-bit/calls_*"):
		    data = open(path, "rb").read()
		    for number in numbers:
		        old = int(number, 16).to_bytes(8, "little")
		        changed += data.count(old)
		        data = data.replace(old, old[:6] + b"\x7f\xff")
		    open(path, "wb").write(data)
		assert changed > 20, (numbers, changed)
	E
	replayed 97 t
	[[ $output != *"could not be checked"* ]]
}

@test "at most twice the time of reading alone" {
	record t --lossless -- "$app" loop 100000
	python3 - "$aclcheck" t <<-'E'
		import os, sys
		def cost(*command):
		    pid = os.spawnlp(os.P_NOWAIT, "sh", "sh", "-c", 'exec "$@" >/dev/null 2>&1', "sh", *command)
		    usage = os.wait4(pid, 0)[2]
		    return usage.ru_utime + usage.ru_stime
		# By turns: other work of the machine meets both.
		ways = ("babeltrace2", "-o", "dummy", sys.argv[2]), (sys.argv[1], "replay", sys.argv[2])
		reading, replay = map(min, zip(*([cost(*way) for way in ways] for _ in range(6))))
		print(reading, replay)
		assert replay <= 2 * reading, (reading, replay)
	E
}
