#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# aclcheck summary: right numbers, and one clear line where there are none.

# shellcheck disable=SC2154,SC2086 # what places() sets; words are split on purpose
load trace.bash

setup_file() {
	load trace.bash
	alone
	places "$BATS_FILE_TMPDIR"
	record mix -- "$app" mix
	record job -- sh -c "RANK=0 $app loop 200 & RANK=1 $app threads 3 100 & wait"
	record cut -- $drive sample
	record holes -- $drive holes
	for t in mix job cut holes; do
		"$aclcheck" summary --json "$t" >$t.json
	done
}

# ask FILE EXPRESSION: of the JSON "j", and its first process "p"
ask() {
	python3 -S -c 'import json, sys; j = json.load(open(sys.argv[1])); p = j["processes"][0]; print(eval(sys.argv[2]))' \
		"$BATS_FILE_TMPDIR/$1" "$2"
}

@test "calls, errors and times agree with an independent count" {
	for t in mix job cut holes; do
		babeltrace2 --clock-seconds "$BATS_FILE_TMPDIR/$t" | "$ACLCHECK_SOURCE/tests/trace/reckon.py" calls >reckoned.json
		"$ACLCHECK_SOURCE/tests/trace/compare.py" "$BATS_FILE_TMPDIR/$t.json" reckoned.json
		[ "$(ask $t.json 'j["events"]')" -eq "$(events "$BATS_FILE_TMPDIR/$t" | wc -l)" ]
	done
}

@test "errors by code and name" {
	[ "$(ask mix.json '[(c["code"], c["name"], c["count"]) for f in j["functions"] for c in f["codes"]]')" = \
		"[(107001, 'ACL_ERROR_RT_INVALID_DEVICEID', 1)]" ]
	"$aclcheck" summary "$BATS_FILE_TMPDIR/mix" | grep -q 'aclrtSetDevice .* 1 x 107001 ACL_ERROR_RT_INVALID_DEVICEID'
}

@test "of what is not recorded there are no numbers" {
	record bare --minimal -- sh -c "RANK=0 $app mix; RANK=1 $app mix"
	"$aclcheck" summary bare >said
	grep -qE '^  0, [0-9]+ +25 .* - +- +[^ ]+, app$' said
	not grep -q 'memory: at most' said
	"$aclcheck" summary --json bare >"$BATS_FILE_TMPDIR/bare.json"
	[ "$(ask bare.json '(p["memory"], p["bytes_copied"], p["copies"])')" = "(None, None, [])" ]
	# a block from before the recording began
	record early --on-request -- "$app" early
	"$aclcheck" summary early | grep -qx '  more memory was in use: 1 block was freed whose allocation is not recorded'
	"$aclcheck" summary --json early >"$BATS_FILE_TMPDIR/early.json"
	[ "$(ask early.json '(p["memory"]["device"]["high_water"], p["unknown_frees"])')" = "(4096, 1)" ]
	[ "$(ask mix.json 'p["unknown_frees"]')" -eq 0 ]
}

@test "copies by stream and kind, with the rate at which they are done or issued" {
	[ "$(ask mix.json '[(c["blocking"], c["kind"], c["copies"], c["bytes"]) for c in p["copies"]]')" = \
		"[(False, 'ACL_MEMCPY_DEVICE_TO_HOST', 2, 16384), (False, 'ACL_MEMCPY_HOST_TO_DEVICE', 3, 12288), (True, 'ACL_MEMCPY_HOST_TO_DEVICE', 1, 1000)]" ]
	[ "$(ask mix.json '[(c["bytes_per_second"] is None, (c["issued_per_second"] or 0) > 0) for c in p["copies"]]')" = \
		"[(True, True), (True, True), (False, False)]" ]
	[ "$("$aclcheck" summary "$BATS_FILE_TMPDIR/mix" | grep -c '/s issued$')" -eq 2 ]
	# the rate of a copy that blocks: its bytes over its own time
	[ "$(ask mix.json '[c for c in p["copies"] if c["blocking"]][0]["bytes_per_second"] == 1000 * 10**9 // [f for f in j["functions"] if f["function"] == "aclrtMemcpy"][0]["total"]')" = True ]
}

@test "memory in use at most, and at the end" {
	[ "$(ask mix.json 'p["memory"]["device"]')" = "{'high_water': 3145728, 'at_end': 0, 'blocks_at_end': 0}" ]
	[ "$(ask mix.json 'p["memory"]["host"]["high_water"]')" -eq 65536 ]
	[ "$(ask cut.json 'p["memory"]["device"]')" = "{'high_water': 4096, 'at_end': 4096, 'blocks_at_end': 1}" ]
}

@test "host blocked: the time in calls that block" {
	blocked=$(babeltrace2 --clock-seconds "$BATS_FILE_TMPDIR/mix" | "$ACLCHECK_SOURCE/tests/trace/reckon.py" intervals |
		python3 -S -c 'import sys
names = ["aclrtSynchronizeStream", "aclrtMemcpy", "aclrtDestroyStream", "aclrtResetDevice", "aclFinalize"]
calls = [l.split() for l in sys.stdin]
print(sum(int(c[4]) - int(c[3]) for c in calls if c[2] == "0" and c[5] in names))')
	[ "$(ask mix.json 'p["blocked"]')" -eq "$blocked" ]
}

@test "calls without an end" {
	[ "$(ask cut.json '[u["function"] for u in p["unfinished"]]')" = "['aclrtDestroyStream']" ]
	"$aclcheck" summary "$BATS_FILE_TMPDIR/cut" | grep -q '  unfinished: aclrtDestroyStream in thread '
	[ "$(ask mix.json 'j["unfinished"]')" -eq 0 ]
}

@test "a call that never returned counts with its time so far" {
	record hang -- $drive hang 700 || [ $? -eq 137 ]
	"$aclcheck" summary --json hang >$BATS_FILE_TMPDIR/hang.json
	[ "$(ask hang.json '[(f["calls"], f["timed"], 0.7e9 <= f["total"] == f["max"] < 10e9) for f in j["functions"]]')" = "[(1, 0, True)]" ]
	[ "$(ask hang.json 'p["blocked"] == p["unfinished"][0]["so_far"] == j["functions"][0]["total"]')" = True ]
	"$aclcheck" summary hang | grep -q '  unfinished: aclrtSynchronizeStream in thread [0-9]*, begun [0-9.]* m\?s before the process was killed'
	# of a process that said its verdict: that is its end
	[ "$(ask cut.json '0 < p["unfinished"][0]["so_far"] < 0.2e9')" = True ]
}

@test "a call in which the process was killed lasts until the program has ended, not until the recording has" {
	# one that has no file by which its own end is known
	record killed -- sh -c "env -u ACLCHECK_TRACE_PROCESSES $drive hang 300; date +%s%N >ended" || :
	"$aclcheck" summary --json killed >"$BATS_FILE_TMPDIR/killed.json"
	# LTTng takes a fifth of a second to end a recording.
	[ "$(ask killed.json "(u := p['unfinished'][0])['begun'] + u['so_far'] - $(cat ended) < 0.1e9")" = True ]
	[ "$(ask killed.json "p['unfinished'][0]['so_far'] >= 0.3e9")" = True ]
	# what is noted counts, in the clock of the events
	cp -r killed noted
	echo $(($(cat killed/aclcheck-ended) - 200000000)) >noted/aclcheck-ended
	"$aclcheck" summary --json noted >"$BATS_FILE_TMPDIR/noted.json"
	[ "$(ask noted.json "0 < p['unfinished'][0]['so_far'] < $(ask killed.json "p['unfinished'][0]['so_far']") - 0.1e9")" = True ]
	echo damaged >noted/aclcheck-ended
	"$aclcheck" summary --json noted >"$BATS_FILE_TMPDIR/noted.json"
	[ "$(ask noted.json "p['unfinished'][0]['so_far'] >= 0.3e9")" = True ]
	# that of another recording is none of its own
	record later -- sh -c 'sleep 0.5; "$1" exit 0' - "$app"
	"$aclcheck" summary --json killed later >"$BATS_FILE_TMPDIR/both.json"
	[ "$(ask both.json "[u['so_far'] for q in j['processes'] for u in q['unfinished']]")" = "[$(ask killed.json "p['unfinished'][0]['so_far']")]" ]
}

@test "one of a thing is not called many" {
	record one -- "$app" exit 0
	"$aclcheck" summary one >one.text
	grep -q '^4 calls of 1 process in .*, 0 errors, 0 unfinished$' one.text
	grep -q '^  4 calls by 1 thread in .*, 0 errors; ' one.text
	not grep -E '(^|[^0-9.])1 (calls|processes|threads|errors|events|packets|blocks|findings)' one.text
	# the program's own words stay
	record own -- "$app" exit 0 "1 threads"
	"$aclcheck" summary own | grep -q 'exit 0 1 threads$'
	ACLCHECK_LANG=zh "$aclcheck" summary one | grep -q '进程'
}

@test "a rank that was killed ends then, though its launcher goes on" {
	record half -- sh -c "$drive hang 300 & sleep 1; RANK=0 $app exit 0; wait"
	"$aclcheck" summary --json half >"$BATS_FILE_TMPDIR/half.json"
	[ "$(ask half.json '[(q["rank"] or "", q["killed"], [(u["function"], 0.3e9 <= u["so_far"] < 0.8e9) for u in q["unfinished"]]) for q in j["processes"]]')" = \
		"[('0', False, []), ('', True, [('aclrtSynchronizeStream', True)])]" ]
	"$aclcheck" summary half >said
	grep -q '  unfinished: aclrtSynchronizeStream in thread [0-9]*, begun [0-9.]* ms before the process was killed$' said
	[ "$(grep -c '; it was killed, or crashed$' said)" -eq 1 ]
	"$aclcheck" timeline --chrome half.json half
	[ "$(grep -c '"returned":false,"killed":true' half.json)" -eq 1 ]
	run "$aclcheck" replay half
	[[ $output == *"the process was killed, or crashed"* ]]
	# nothing is left
	[ -z "$(pgrep -f "aclcheck trace $buffers -o half")" ]
}

@test "an end counts for its own beginning only" {
	[ "$(ask holes.json '[(f["calls"], f["timed"], f["max"] < 40e6) for f in j["functions"]]')" = "[(6, 2, True)]" ]
	[ "$(ask holes.json 'j["lost_begins"], j["lost_ends"], j["unfinished"]')" = "(1, 2, 1)" ]
	"$aclcheck" summary "$BATS_FILE_TMPDIR/holes" >said
	grep -qx '1 call ended whose beginning is not in the trace' said
	grep -qx '2 calls began whose end is not in the trace' said
}

@test "many processes, with their ranks, and several traces at once" {
	[ "$(ask job.json 'sorted((q["rank"], q["threads"]) for q in j["processes"])')" = "[('0', 1), ('1', 4)]" ]
	"$aclcheck" summary --json -o both.json "$BATS_FILE_TMPDIR/mix" "$BATS_FILE_TMPDIR/job"
	sum=$(($(ask mix.json 'j["calls"]') + $(ask job.json 'j["calls"]')))
	[ "$(python3 -S -c 'import json; print(json.load(open("both.json"))["calls"])')" -eq $sum ]
	"$aclcheck" summary "$BATS_FILE_TMPDIR/job" | grep -q '^process [0-9]*, rank 1 on '
	# who it is: of each process, and where they stand beside each other
	[ "$(ask job.json 'sorted((q["rank"], q["host"], q["command"]) for q in j["processes"])')" = \
		"[('0', '$(hostname)', '$app loop 200'), ('1', '$(hostname)', '$app threads 3 100')]" ]
	"$aclcheck" summary "$BATS_FILE_TMPDIR/job" >said
	for rank in 0 1; do
		grep -q "^process [0-9]*, rank $rank on $(hostname): $app " said
		grep -qE "^  $rank, [0-9]+ .*  $(hostname), app\$" said
	done
}

@test "findings and verdict are reported" {
	[ "$(ask mix.json '(p["findings"], p["verdict"])')" = "(3, 'fail')" ]
}

@test "one event a call gives the same counts" {
	record one --one-event -- "$app" mix
	"$aclcheck" summary --json one >one.json
	for f in mix one; do
		[ $f = one ] && file=$place/one.json || file=$BATS_FILE_TMPDIR/mix.json
		python3 -S -c 'import json, sys
j = json.load(open(sys.argv[1]))
print([(f["function"], f["calls"], f["errors"]) for f in j["functions"]])
p = j["processes"][0]
print([(c["kind"], c["copies"], c["bytes"]) for c in p["copies"]], p["memory"], p["blocked"] > 0)' "$file" >$f.counts
	done
	diff mix.counts one.counts
	python3 -S -c 'import json; assert all(f["total"] > 0 for f in json.load(open("one.json"))["functions"])'
}

@test "loss is said, and makes it incomplete" {
	record t --buffers=64K -- "$app" loop 100000 || [ $? -eq 98 ]
	"$aclcheck" summary --json t >t.json
	python3 -S -c 'import json; j = json.load(open("t.json")); assert not j["complete"] and j["discarded_events"] > 0, j'
	[ "$(sed -n 's/^aclcheck: \([0-9]*\) events discarded.*/\1/p' said)" -eq \
		"$(python3 -S -c 'import json; print(json.load(open("t.json"))["discarded_events"])')" ]
	"$aclcheck" summary t >summary
	grep -q 'events discarded, .*: inconclusive' summary
	# what is there is right, and no more than that is said
	babeltrace2 --clock-seconds t 2>errors | "$ACLCHECK_SOURCE/tests/trace/reckon.py" calls >reckoned.json
	"$ACLCHECK_SOURCE/tests/trace/compare.py" t.json reckoned.json
	python3 -S -c 'import json; p = json.load(open("t.json"))["processes"][0]; assert p["memory"] is None, p'
	not grep -q 'memory:\|/s$' summary
	grep -q '^at least [0-9]* calls of' summary
	grep -q '^ *[0-9]*+ .* aclrtRecordEvent$' summary
}

@test "memory does not grow with the trace" {
	# On one processor: the file of each is seen through a window of its own.
	record long --lossless -- taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')" "$app" loop 100000
	python3 - "$aclcheck" "$BATS_FILE_TMPDIR/mix" long <<-'E'
		import os, sys
		def peak(trace):
		    pid = os.spawnlp(os.P_NOWAIT, "sh", "sh", "-c", 'exec "$0" summary "$1" >/dev/null', sys.argv[1], trace)
		    return os.wait4(pid, 0)[2].ru_maxrss
		short, long = peak(sys.argv[2]), peak(sys.argv[3])
		print(short, long)
		# 19 MB more are read, and seen through a window of the file
		assert long < short + 12288, (short, long)
	E
}

# refused TRACE: exit code 99, one line, nothing written
refused() {
	run "$aclcheck" summary --json -o out.json "$@"
	[ "$status" -eq 99 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == "aclcheck: "* ]]
	[ ! -e out.json ]
	[ ! -e out.json.part ]
}

@test "the number of events alone" {
	run "$aclcheck" summary --count "$BATS_FILE_TMPDIR/mix"
	[ "$status" -eq 0 ]
	[ "$output" = "$(ask mix.json 'j["events"]')" ]
	run "$aclcheck" summary --count "$BATS_FILE_TMPDIR/mix" "$BATS_FILE_TMPDIR/job"
	[ "$output" -gt "$(ask job.json 'j["events"]')" ]
}

# A command that has nothing beside it, as where only the runtime's package is installed.
lonely() {
	mkdir -p lonely
	cp "$aclcheck" "$bin/libaclcheck.so" lonely
	cp -r "$bin/softnpu" lonely
}

@test "the command itself needs the C library, which is three files on older systems, and jansson" {
	[ "$(readelf -d "$aclcheck" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^ld-linux' | sort | tr '\n' ' ')" = "libc.so.6 libdl.so.2 libjansson.so.4 libpthread.so.0 " ]
	lonely
	lonely/aclcheck run --softnpu -- true || [ $? -eq 98 ]
	run lonely/aclcheck summary "$BATS_FILE_TMPDIR/mix"
	[ "$status" -eq 99 ]
	[ "$output" = "aclcheck: recordings cannot be read: aclcheck-reader is not there: install the package aclcheck-tracing" ]
}

@test "without libbabeltrace2 recordings are made and not counted" {
	needs_mount
	library=$(ldd "$bin/aclcheck-reader" | awk '/libbabeltrace2/ { print $3 }')
	unshare -m sh -c 'mount --bind /dev/null "$1" && shift && exec "$@"' - "$library" \
		"$aclcheck" trace "$buffers" -o uncounted -- "$app" mix 2>said
	grep -q 'trace in uncounted: .*, events not counted' said
	run unshare -m sh -c 'mount --bind /dev/null "$1" && exec "$2" summary uncounted' - "$library" "$aclcheck"
	[ "$status" -eq 99 ]
	[ "$output" = "aclcheck: recordings cannot be read: libbabeltrace2.so.0 is not there: install the package aclcheck-tracing, or babeltrace2" ]
	[ "$("$aclcheck" summary --count uncounted)" = "$(ask mix.json 'j["events"]')" ]
}

@test "what is no trace is refused in one line" {
	refused "$place/nothing"
	mkdir empty
	refused empty
	[[ $output == *"empty: no CTF trace in it"* ]]
	refused "$ACLCHECK_SOURCE/README.md"
	mkdir blank
	: >blank/metadata
	refused blank
	mkdir text
	echo 'This is not TSDL.' >text/metadata
	refused text
}

@test "a broken trace is refused in one line" {
	cp -r "$BATS_FILE_TMPDIR/mix" torn
	data=$(find torn -name 'calls_*' ! -name '*.idx' -printf '%s %p\n' | sort -n | tail -1 | cut -d' ' -f2-)
	size=$(stat -c %s "$data")
	truncate -s $((size / 2 / 4096 * 4096 + 60)) "$data" # packets are whole pages: this cuts into the head of one
	refused torn
	cp -r "$BATS_FILE_TMPDIR/mix" metadata
	truncate -s 100000 "$(find metadata -name metadata -type f)"
	refused metadata
	cp -r "$BATS_FILE_TMPDIR/mix" garbled
	data=$(find garbled -name 'calls_*' ! -name '*.idx' -printf '%s %p\n' | sort -n | tail -1 | cut -d' ' -f2-)
	head -c 4096 /dev/zero | tr '\0' 'x' | dd of="$data" conv=notrunc bs=1 seek=24 2>/dev/null
	refused garbled
}

@test "a packet without a size is refused: libbabeltrace2 would go on for ever" {
	cp -r "$BATS_FILE_TMPDIR/mix" endless
	for data in endless/ust/uid/*/64-bit/calls_*; do
		[ ! -s "$data" ] || head -c 8 /dev/zero | dd of="$data" conv=notrunc bs=1 seek=56 2>/dev/null
	done
	rm -r endless/ust/uid/*/64-bit/index
	for command in summary "timeline --chrome out.json" replay; do
		run timeout 20 "$aclcheck" $command endless
		[ "$status" -eq 99 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ $output == *"is damaged: a packet without a size" ]]
	done
}

@test "a foreign trace: no call in it" {
	mkdir foreign
	printf '/* CTF 1.8 */\ntrace { major = 1; minor = 8; byte_order = le; };\nstream { };\nevent { name = "other"; };\n' >foreign/metadata
	run "$aclcheck" summary foreign
	[ "$status" -eq 98 ]
	[[ ${lines[-1]} == "aclcheck: no AscendCL call in it"* ]]
}

@test "damaged in any other way: no crash, no hang, one line (with sanitizers)" {
	record small --events 'aclrtM*' -- "$app" mix
	ASAN_OPTIONS=detect_leaks=0 "$ACLCHECK_SOURCE/tests/trace/fuzz.py" "$bin/asan/aclcheck-reader" small . 60
}

@test "an output that cannot be written" {
	run "$aclcheck" summary -o /proc/no/file "$BATS_FILE_TMPDIR/mix"
	[ "$status" -eq 99 ]
	[ "${#lines[@]}" -eq 1 ]
	if [ -e /dev/full ]; then
		run bash -c '"$1" summary "$2" >/dev/full' - "$aclcheck" "$BATS_FILE_TMPDIR/mix"
		[ "$status" -eq 99 ]
	fi
}

@test "call sites: where in the program the time goes, and where the host waits" {
	# Each site's figures are those of its calls: all sites of a function are the function.
	[ "$(ask mix.json '[f["function"] for f in j["functions"] if (f["calls"], f["total"]) != tuple(sum(s[k] for s in j["sites"] if s["function"] == f["function"]) for k in ("calls", "total"))]')" = "[]" ]
	[ "$(ask mix.json 'sum(s["blocked"] for s in j["sites"]) == p["blocked"] <= p["in_calls"] <= sum(f["total"] for f in j["functions"])')" = True ]
	[ "$(ask mix.json 'all(s["place"].endswith(" (app)") and "app.c:" in s["place"] for s in j["sites"])')" = True ]
	for s in $(ask mix.json '" ".join("%s@%s" % (s["function"], s["place"].split(":")[1].split()[0]) for s in j["sites"])'); do
		sed -n "${s#*@}p" "$ACLCHECK_SOURCE/tests/trace/app.c" | grep -q "${s%@*}" || { echo "$s"; return 1; }
	done
	"$aclcheck" summary "$BATS_FILE_TMPDIR/mix" >said
	[ "$(sed -n '/^where the host waits$/,/^$/p' said | grep -c 'app.c:')" -eq "$(ask mix.json 'len([s for s in j["sites"] if s["blocked"]])')" ]
}

@test "processes beside each other, and what is uneven" {
	"$aclcheck" summary "$BATS_FILE_TMPDIR/job" >said
	grep -q '^  0, [0-9]* ' said
	grep -q '^  1, [0-9]* ' said
	imbalance=$(ask job.json '"%.2f" % (max(q["calls"] for q in j["processes"]) * 2 / sum(q["calls"] for q in j["processes"]))')
	grep -q "^  imbalance (the most over the mean): calls $imbalance, " said
	[ "$(ask job.json '"%.2f" % j["imbalance"]["calls"]')" = "$imbalance" ]
	[ "$(ask job.json 'sorted(j["imbalance"]) == ["blocked", "bytes_copied", "calls", "in_calls"]')" = True ]
	[ "$(ask mix.json 'j["imbalance"]')" = None ]
	"$aclcheck" summary "$BATS_FILE_TMPDIR/mix" >said
	not grep -q 'compared\|imbalance' said
}

@test "a launcher that calls nothing is no part of what is uneven" {
	record launched -- "$app" launch 2
	"$aclcheck" summary --json launched >"$BATS_FILE_TMPDIR/launched.json"
	[ "$(ask launched.json 'sorted((q["rank"], q["calls"]) for q in j["processes"])')" = "[('', 0), ('0', 11), ('1', 13)]" ]
	[ "$(ask launched.json '"%.2f %.2f" % (j["imbalance"]["calls"], 13 / 12)')" = "1.08 1.08" ]
	"$aclcheck" summary launched >said
	grep -qE '^  imbalance .*: calls 1.08, in calls [0-9.]+, blocked [0-9.]+, copied -$' said
	# one rank is compared with nothing
	record one -- "$app" launch 1
	"$aclcheck" summary --json one >"$BATS_FILE_TMPDIR/one.json"
	[ "$(ask one.json '(len(j["processes"]), j["imbalance"])')" = "(2, None)" ]
	"$aclcheck" summary one >said
	not grep -q imbalance said
	# without arguments nothing is known of bytes
	record least --minimal -- "$app" launch 2
	"$aclcheck" summary --json least >"$BATS_FILE_TMPDIR/least.json"
	[ "$(ask least.json '(j["imbalance"]["bytes_copied"], "%.2f" % j["imbalance"]["calls"])')" = "(None, '1.08')" ]
}

@test "ranks in their order, whatever the order in which they were started" {
	record ranks -- sh -c "for r in 10 2 0 1; do RANK=\$r $app loop 2; done; $app loop 2"
	"$aclcheck" summary ranks >said
	[ "$(sed -n '/^processes compared/,/imbalance/s/^  \([0-9]*\), [0-9]* .*/\1/p' said | tr '\n' ' ')" = "0 1 2 10 " ]
	"$aclcheck" timeline --chrome ranks.json ranks
	[ "$("$ACLCHECK_SOURCE/tests/trace/trace_events.py" ranks.json '[n for _, n in sorted((x["args"]["sort_index"], next(y["args"]["name"] for y in of("M") if y["name"] == "process_name" and y["pid"] == x["pid"])[:7]) for x in of("M") if x["name"] == "process_sort_index")][:4]')" = "['rank 0 ', 'rank 1 ', 'rank 2 ', 'rank 10']" ]
}
