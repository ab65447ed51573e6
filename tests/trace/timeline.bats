#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# aclcheck timeline: what is drawn is what was recorded.

# shellcheck disable=SC2154,SC2086 # what places() sets; words are split on purpose
load trace.bash

setup_file() {
	load trace.bash
	alone
	places "$BATS_FILE_TMPDIR"
	record mix -- "$app" mix
	record ordered -- "$app" ordered
	record job -- sh -c "RANK=0 $app nested & RANK=1 $app threads 3 100 & wait"
	record holes -- $drive holes
	for t in mix ordered job holes; do
		"$aclcheck" timeline --chrome $t.json "$t"
	done
}

# ask TRACE EXPRESSION: after the file was held against the format
ask() {
	"$ACLCHECK_SOURCE/tests/trace/trace_events.py" "$BATS_FILE_TMPDIR/$1.json" "${@:2}"
}

@test "chrome: the file keeps the rules of the format" {
	for t in mix ordered job holes; do
		ask $t
	done
}

@test "what is not recorded is not drawn: streams and memory of a recording without arguments, memory from before it began" {
	cd "$BATS_FILE_TMPDIR"
	record bare --minimal -- "$app" mix
	record early --on-request -- "$app" early
	for t in bare early; do
		"$aclcheck" timeline --chrome $t.json $t
	done
	[ "$(ask bare 'len(of("X"))')" -eq 25 ]
	[ "$(ask bare 'len(of("C"))')" -eq 0 ]
	[ "$(ask bare '[x for x in of("M") if "stream" in str(x["args"].get("name"))]')" = "[]" ]
	[ "$(ask early '[(x["name"], x["args"]["device"]) for x in of("C")]')" = \
		"[('memory in use, of what was recorded', 4096), ('memory in use, of what was recorded', 4096), ('memory in use, of what was recorded', 0)]" ]
}

@test "a stream that the program has named has that name, and what comes at its handle later has not" {
	cat >named.c <<-'E'
		#include "acl/acl.h"
		#include "aclcheck.h"
		static void use(const char *name)
		{
			aclrtStream s = 0;
			aclrtEvent e;
			aclrtCreateStream(&s), aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC);
			if (name)
				ACLCHECK_NAME(s, "before"), ACLCHECK_NAME(e, "an event"), ACLCHECK_NAME(s, name);
			aclrtRecordEvent(e, s), aclrtSynchronizeStream(s), aclrtDestroyEvent(e), aclrtDestroyStream(s);
		}
		int main(void)
		{
			aclInit(0), aclrtSetDevice(0);
			use("up \"loads\""), use(0), use("compute");
			aclrtResetDevice(0);
			return aclFinalize();
		}
	E
	gcc -I"$ACLCHECK_BUILD/include" -I"$ACLCHECK_SOURCE/include" -o named named.c -L"$ACLCHECK_BUILD/softnpu" -lascendcl -Wl,-rpath,"$ACLCHECK_BUILD/softnpu"
	record names -- ./named
	"$aclcheck" timeline --chrome names.json names
	"$aclcheck" timeline -o names.html names
	cp names.json "$BATS_FILE_TMPDIR"
	[ "$(ask names 'sorted(x["args"]["name"].split(" (")[0] for x in of("M") if "stream" in str(x["args"].get("name")))')" = \
		"['stream 1 \"up \"loads\"\"', 'stream 2', 'stream 3 \"compute\"']" ]
	[ "$(grep -o '"name":"stream [^(]*' names.html | tr '\n' ';')" = \
		'"name":"stream 1 \"up \"loads\"\" ;"name":"stream 2 ;"name":"stream 3 \"compute\" ;' ]
}

@test "chrome: every call with its times, as an independent reader has them" {
	for t in mix ordered job; do
		babeltrace2 --clock-seconds "$BATS_FILE_TMPDIR/$t" | "$ACLCHECK_SOURCE/tests/trace/reckon.py" intervals |
			awk '{ print $1, $2, $4, $5, $6, $7 }' | sort >reckoned
		ask $t '"\n".join("%d %d %d %d %s %d" % (x["pid"], x["tid"], int(whole["otherData"]["origin_ns"]) + ns(x["ts"]),
			int(whole["otherData"]["origin_ns"]) + ns(x["ts"]) + ns(x["dur"]), x["name"], x["args"].get("result", 0))
			for x in of("X") if x["cat"] != "stream")' | sort >drawn
		[ -s drawn ]
		diff drawn reckoned
	done
}

@test "chrome: the lane of a stream has what was put there, and says that it is not device time" {
	[ "$(ask ordered '[(lane(x)[:8], x["name"]) for x in of("X") if x["cat"] == "stream"]')" = \
		"[('stream 1', 'aclrtMemcpyAsync'), ('stream 1', 'aclrtRecordEvent'), ('stream 2', 'aclrtStreamWaitEvent'), ('stream 2', 'aclrtMemcpyAsync'), ('stream 2', 'aclrtStreamWaitEvent'), ('stream 1', 'aclrtMemcpyAsync'), ('stream 1', 'aclmdlRIExecuteAsync')]" ]
	[ "$(ask ordered '{lane(x)[-26:] for x in of("X") if x["cat"] == "stream"}')" = "{'as the host put work there'}" ]
	[ "$(ask mix '[(lane(x)[:8], x["args"]["kind"], x["args"]["bytes"]) for x in of("X") if x["cat"] == "stream"][2:4]')" = \
		"[('stream 1', 'ACL_MEMCPY_HOST_TO_DEVICE', 4096), ('stream 2', 'ACL_MEMCPY_DEVICE_TO_HOST', 8192)]" ]
}

@test "all that a stream may wait for: named, drawn as such, and an arrow from what it waits for" {
	cat >signals.c <<-'E'
		#include "acl/acl.h"
		int main(void)
		{
			aclrtCntNotifyRecordInfo record = {.mode = ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, .value = 1};
			aclrtCntNotifyWaitInfo wait = {.mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, .value = 1, .timeout = 5};
			aclrtStream a, b;
			aclrtCntNotify count;
			aclrtNotify notify;
			aclrtEvent event;
			void *word, *other;
			aclInit(0), aclrtSetDevice(0), aclrtCreateStream(&a), aclrtCreateStream(&b);
			aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC), aclrtCreateNotify(&notify, 0), aclrtCntNotifyCreate(&count, 0);
			aclrtMalloc(&word, 64, ACL_MEM_MALLOC_HUGE_FIRST), aclrtMalloc(&other, 64, ACL_MEM_MALLOC_HUGE_FIRST);
			aclrtRecordEvent(event, a), aclrtStreamWaitEvent(b, event);
			aclrtRecordNotify(notify, a), aclrtWaitAndResetNotify(notify, b, 5);
			aclrtCntNotifyRecord(count, a, &record), aclrtCntNotifyWaitWithTimeout(count, b, &wait);
			aclrtValueWrite(word, 7, 0, a), aclrtValueWait(word, 7, ACL_STREAM_WAIT_VALUE_EQ, b);
			aclrtSynchronizeStream(b);
			/* No arrow: what was recorded is gone. */
			aclrtResetEvent(event, b), aclrtStreamWaitEvent(b, event);
			aclrtFree(other), aclrtValueWait(word, 7, ACL_STREAM_WAIT_VALUE_EQ, b);
			aclrtSynchronizeStream(b);
			aclrtFree(word), aclrtCntNotifyDestroy(count), aclrtDestroyNotify(notify), aclrtDestroyEvent(event);
			aclrtDestroyStream(a), aclrtDestroyStream(b), aclrtResetDevice(0);
			return aclFinalize();
		}
	E
	gcc -w -I"$ACLCHECK_BUILD/include" -o waits signals.c -L"$ACLCHECK_BUILD/softnpu" -lascendcl -lacl_rt -Wl,-rpath,"$ACLCHECK_BUILD/softnpu"
	record signals -- ./waits
	"$aclcheck" timeline --chrome signals.json signals
	"$aclcheck" timeline -o signals.html signals
	cp signals.json "$BATS_FILE_TMPDIR"
	[ "$(ask signals '[(lane(a)[:8], lane(b)[:8]) for a, b in zip(of("s"), of("f"))] == [("stream 1", "stream 2")] * 4')" = True ]
	[ "$(ask signals 'sorted({x["name"] for x in of("X") if x["cat"] == "stream" and "object" not in x["args"]})')" = "[]" ]
	for name in aclrtRecordEvent aclrtRecordNotify aclrtCntNotifyRecord aclrtValueWrite; do
		grep -q "{\"name\":\"$name\",\"does\":\"record\"" signals.html
	done
	for name in aclrtStreamWaitEvent aclrtWaitAndResetNotify aclrtCntNotifyWaitWithTimeout aclrtValueWait; do
		grep -q "{\"name\":\"$name\",\"does\":\"wait\"" signals.html
	done
}

@test "chrome: an arrow from the record to its wait, none to a wait for an event that nobody recorded" {
	[ "$(ask ordered '[(lane(a)[:8], lane(b)[:8]) for a, b in zip(of("s"), of("f"))]')" = "[('stream 1', 'stream 2')]" ]
	[ "$(ask ordered '[ns(x["ts"]) for x in of("X") if x["cat"] == "stream" and x["name"] in ("aclrtRecordEvent", "aclrtStreamWaitEvent")][:2] == [ns(x["ts"]) for x in of("s") + of("f")]')" = True ]
}

@test "chrome: a capture is a span of its stream, with the captured calls in it" {
	[ "$(ask ordered '[[x["name"] for x in of("X") if x["cat"] == "stream" and b["ts"] <= x["ts"] <= f["ts"]] for b, f in zip(of("b"), of("e"))]')" = \
		"[['aclrtMemcpyAsync']]" ]
}

@test "chrome: memory in use, host-blocked calls, errors and findings" {
	[ "$(ask mix 'max(x["args"]["device"] for x in of("C")), of("C")[-1]["args"]["device"], max(x["args"]["host"] for x in of("C"))')" = \
		"(3145728, 0, 65536)" ]
	[ "$(ask mix 'sorted({x["name"] for x in of("X") if x["cat"] == "blocking"})')" = \
		"['aclFinalize', 'aclrtDestroyStream', 'aclrtMemcpy', 'aclrtResetDevice', 'aclrtSynchronizeStream']" ]
	[ "$(ask mix '[(x["name"], x["args"]["error"]) for x in of("X") if "result" in x["args"]]')" = \
		"[('aclrtSetDevice', 'ACL_ERROR_RT_INVALID_DEVICEID')]" ]
	[ "$(ask mix 'len(of("i")), all(x["cat"] == "finding" and x["args"]["title"] and x["args"]["severity"] in ("error", "warning", "perf", "portability") for x in of("i"))')" = \
		"($("$aclcheck" summary --json "$BATS_FILE_TMPDIR/mix" | python3 -S -c 'import json, sys; print(json.load(sys.stdin)["processes"][0]["findings"])'), True)" ]
}

@test "chrome: processes are named by rank, and each thread has a lane" {
	[ "$(ask job 'sorted(x["args"]["name"] for x in of("M") if x["name"] == "process_name")')" = \
		"['rank 0 on $(hostname): $app nested', 'rank 1 on $(hostname): $app threads 3 100']" ]
	# every event is of one of these
	[ "$(ask job '{x["pid"] for x in whole["traceEvents"]} == {x["pid"] for x in of("M") if x["name"] == "process_name"}')" = True ]
	[ "$(ask mix '[x["args"]["name"] for x in of("M") if x["name"] == "process_name"]')" = "['$app mix on $(hostname)']" ]
	[ "$(ask job 'len([n for n in names.values() if n.startswith("thread")])')" -ge 5 ]
}

@test "chrome: calls whose end is not there are points, and open ones last as long as is known" {
	[ "$(ask holes '[x["args"]["end"] for x in of("i")], [x["args"].get("returned", True) for x in of("X")].count(False)')" = "(['lost', 'lost'], 1)" ]
}

@test "chrome: one event a call draws the same lanes" {
	record one --one-event -- "$app" ordered
	"$aclcheck" timeline --chrome one.json one
	"$ACLCHECK_SOURCE/tests/trace/trace_events.py" one.json 'sorted((x["cat"], x["name"]) for x in of("X")), len(of("s")), len(of("b"))' >a
	ask ordered 'sorted((x["cat"], x["name"]) for x in of("X")), len(of("s")), len(of("b"))' >b
	diff a b
}

@test "chrome: a copy of a kind that there is not" {
	record odd --softnpu -- python3 -c "
import ctypes
acl = ctypes.CDLL('libascendcl.so')
acl.aclInit(None)
acl.aclrtMemcpy(None, ctypes.c_size_t(0), None, ctypes.c_size_t(0), 77)"
	"$aclcheck" timeline --chrome odd.json odd
	[ "$("$ACLCHECK_SOURCE/tests/trace/trace_events.py" odd.json '[x["args"]["kind"] for x in of("X") if x["name"] == "aclrtMemcpy"]')" = "['unknown']" ]
}

@test "loss is said, and no memory is drawn after it" {
	record lossy --buffers=64K -- "$app" loop 100000 || [ $? -eq 98 ]
	"$aclcheck" timeline --chrome lossy.json lossy 2>said
	grep -qx 'aclcheck: events were lost: the timeline has gaps' said
	"$ACLCHECK_SOURCE/tests/trace/trace_events.py" lossy.json 'whole["otherData"]["complete"]' >complete
	[ "$(cat complete)" = False ]
}

@test "no arrow from a record to the wait for a later one that was lost" {
	record lossy --buffers=64K -- "$app" waits 30000 || [ $? -eq 98 ]
	"$aclcheck" timeline --chrome lossy.json -o lossy.html lossy 2>said
	grep -q 'events were lost' said
	# The program waits for a record right after it. Not by ask: it looks at each pair of an arrow and a call.
	python3 - lossy.json <<-'END'
		import json, sys
		events = json.load(open(sys.argv[1]))["traceEvents"]
		at = {(x["pid"], x["tid"], x["ts"]): x["args"]["number"] for x in events if x["ph"] == "X" and x["cat"] == "stream"}
		ends = [[at[x["pid"], x["tid"], x["ts"]] for x in events if x["ph"] == phase] for phase in "sf"]
		apart = {wait - record for record, wait in zip(*ends)}
		assert apart == {1}, apart
	END
}

@test "the clock of a host: an offset as babeltrace2 takes it" {
	first() { babeltrace2 --clock-seconds "$@" "$BATS_FILE_TMPDIR/mix" | sed -n '1s/^\[\([0-9]*\)\.\([0-9]*\)\].*/\1\2/p'; }
	origin() { "$ACLCHECK_SOURCE/tests/trace/trace_events.py" "$1" 'whole["otherData"]["origin_ns"]'; }
	for offset in -1.5 0.000000001 3; do
		"$aclcheck" timeline --chrome moved.json "$BATS_FILE_TMPDIR/mix@$offset"
		ns=$(python3 -c "print(round($offset * 1e9))")
		[ $(($(origin moved.json) - $(origin "$BATS_FILE_TMPDIR/mix.json"))) -eq "$ns" ]
		[ $(($(first --clock-offset-ns="$ns") - $(first))) -eq "$ns" ]
	done
	# of two traces each has its own; durations stay
	"$aclcheck" timeline --chrome two.json "$BATS_FILE_TMPDIR/mix@2" "$BATS_FILE_TMPDIR/ordered"
	[ "$("$aclcheck" summary --json "$BATS_FILE_TMPDIR/mix@2")" = "$("$aclcheck" summary --json "$BATS_FILE_TMPDIR/mix")" ]
	ln -s "$BATS_FILE_TMPDIR/mix" mix@2
	"$aclcheck" timeline --chrome named.json mix@2
	[ "$(origin named.json)" -eq "$(origin "$BATS_FILE_TMPDIR/mix.json")" ]
	for wrong in mix@ mix@x nothing@3; do
		run "$aclcheck" summary "$BATS_FILE_TMPDIR/$wrong"
		[ "$status" -eq 99 ]
		[ "${#lines[@]}" -eq 1 ]
	done
}

@test "recordings of one machine have one clock, whatever each measured of the time of day" {
	first() { "$ACLCHECK_SOURCE/tests/trace/trace_events.py" "$1" 'sorted({x["ts"] for x in of("X") if x["name"] == "aclInit"})'; }
	cp -r "$BATS_FILE_TMPDIR/mix" other
	metadata=$(echo other/ust/uid/*/64-bit/metadata)
	offset=$(sed -n 's/^\s*offset = \([0-9]*\);.*/\1/p' "$metadata")
	[ "$offset" -gt 0 ]
	# three milliseconds later by the time of day: the same moments by the clock
	sed -i "s/offset = $offset;/offset = $((offset + 3000000));/" "$metadata"
	"$aclcheck" timeline --chrome one.json "$BATS_FILE_TMPDIR/mix" other
	[ "$(first one.json)" = "[$(python3 -S -c 'import json; print(min(x["ts"] for x in json.load(open("one.json"))["traceEvents"] if x["ph"] == "X"))')]" ]
	# of another machine they are other ones
	boot=$(sed -n '/^clock {/,/}/s/.*uuid = "\([0-9a-f-]*\)".*/\1/p' "$metadata")
	sed -i "s/$boot/${boot//[0-9]/a}/" "$metadata"
	"$aclcheck" timeline --chrome two.json "$BATS_FILE_TMPDIR/mix" other
	[ "$(first two.json | tr ',' '\n' | wc -l)" -eq 2 ]
}

@test "what is no trace, and where nothing can be written: one line and no file" {
	for arguments in "--chrome out.json nothing" "--chrome out.json" "$BATS_FILE_TMPDIR/mix" "--chrome /proc/no/file $BATS_FILE_TMPDIR/mix"; do
		run "$aclcheck" timeline $arguments
		[ "$status" -eq 99 ]
		[ "${#lines[@]}" -eq 1 ]
		[ ! -e out.json ]
	done
}
