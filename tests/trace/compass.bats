#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The analyses for Trace Compass: valid, and right in what they show.

# shellcheck disable=SC2154,SC2086 # what places() sets; words are split on purpose
load trace.bash

setup_file() {
	load trace.bash
	alone
	places "$BATS_FILE_TMPDIR"
	for t in mix nested "threads 3 20" "fork 5"; do
		record "${t%% *}" -- "$app" $t
		babeltrace2 --clock-seconds "${t%% *}" >"${t%% *}.text"
	done
	record cut -- $drive sample
	record holes -- $drive holes
	for t in cut holes; do
		babeltrace2 --clock-seconds $t >$t.text
	done
}

analyses=$ACLCHECK_BUILD/gen/tracecompass
compass=$ACLCHECK_SOURCE/tests/trace/compass.py
reckon=$ACLCHECK_SOURCE/tests/trace/reckon.py

@test "valid by Trace Compass's own schema" {
	[ -n "$TRACECOMPASS_XSD" ] && [ -r "$TRACECOMPASS_XSD/xmlDefinition.xsd" ] ||
		skip "TRACECOMPASS_XSD does not name a folder with Trace Compass's xmlDefinition.xsd"
	for f in "$analyses"/*.xml; do
		xmllint --noout --schema "$TRACECOMPASS_XSD/xmlDefinition.xsd" "$f"
	done
	# the schema does tell right from wrong
	sed 's/stack="push"/stack="shove"/' "$analyses/aclcheck-calls.xml" >wrong.xml
	not xmllint --noout --schema "$TRACECOMPASS_XSD/xmlDefinition.xsd" wrong.xml
}

# Trace Compass keeps what an analysis made of a trace until the version differs.
@test "the version of an analysis is that of its content" {
	mkdir templates
	cp "$ACLCHECK_SOURCE"/tracepoints/tracecompass/*.xml templates
	made() {
		"$ACLCHECK_BUILD/tools/acl-gen" "$ACLCHECK_SOURCE/include/acl/api.json" "$place" "$ACLCHECK_SOURCE/checks/rules" \
			"$ACLCHECK_SOURCE/interpose/runtime/libc_hooks.list" templates
	}
	version() {
		sed -n 's/.*<pattern version="\([0-9]*\)".*/\1/p' "gen/tracecompass/aclcheck-$1.xml"
	}
	made
	for f in "$analyses"/*.xml; do
		cmp "$f" "gen/tracecompass/${f##*/}"
	done
	calls=$(version calls)
	((calls > 0 && calls <= 2147483647))
	memory=$(version memory)
	sed -i 's/AscendCL memory in use/memory in use/' templates/aclcheck-memory.xml
	made
	[ "$(version memory)" -ne "$memory" ]
	[ "$(version calls)" = "$calls" ]
}

# What a template does not say is not made up.
@test "templates that make no sense are refused, with the place" {
	mkdir templates
	refuse() {
		printf '%s\n' "$1" >templates/wrong.xml
		run "$ACLCHECK_BUILD/tools/acl-gen" "$ACLCHECK_SOURCE/include/acl/api.json" "$place" "$ACLCHECK_SOURCE/checks/rules" \
			"$ACLCHECK_SOURCE/interpose/runtime/libc_hooks.list" templates
		[ "$status" -eq 1 ]
		[[ $output == *"$2"* ]]
	}
	refuse '<a event="@entry copy.sideways@"/>' "copy.sideways"
	refuse '<a event="@entry@"/>' "outside of @each"
	refuse '@each stream of async' "no @end"
	refuse '%set A/B' "expected ="
	refuse '%test a: 1 ~ 2' "a comparison"
	refuse '%set A = 1 2' "the end"
	refuse '@sometimes@' "unknown word"
}

@test "the call stack is that of the program's calls" {
	for t in mix nested threads fork cut; do
		"$compass" "$analyses/aclcheck-calls.xml" stack <"$BATS_FILE_TMPDIR/$t.text" >shown
		"$reckon" intervals <"$BATS_FILE_TMPDIR/$t.text" | cut -d' ' -f1-6 >reckoned
		[ -s reckoned ]
		diff reckoned shown
	done
}

@test "names and order are those of the source" {
	"$compass" "$analyses/aclcheck-calls.xml" stack <"$BATS_FILE_TMPDIR/mix.text" | awk '$3 == 0 { print $6 }' | uniq -c |
		awk '{ print $1 "x" $2 }' | tr '\n' ' ' >shown
	[ "$(cat shown)" = "1xaclInit 1xaclrtSetDevice 2xaclrtCreateStream 2xaclrtMalloc 1xaclrtMallocHost 3xaclrtMemcpyAsync \
1xaclrtSynchronizeStream 2xaclrtMemcpyAsync 1xaclrtSynchronizeStream 1xaclrtMemcpy 1xaclrtSetDevice 2xaclrtFree 1xaclrtMalloc \
1xaclrtFree 1xaclrtFreeHost 2xaclrtDestroyStream 1xaclrtResetDevice 1xaclFinalize " ]
}

@test "a call in a callback lies within nothing of its own thread; threads have their own rows" {
	"$compass" "$analyses/aclcheck-calls.xml" stack <"$BATS_FILE_TMPDIR/threads.text" |
		awk '$6 == "aclrtGetDevice" { n[$1 " " $2]++ } END { for (t in n) print n[t] }' >rows
	[ "$(tr '\n' ' ' <rows)" = "20 20 20 " ]
	"$compass" "$analyses/aclcheck-calls.xml" stack <"$BATS_FILE_TMPDIR/nested.text" | grep -q ' aclrtGetDeviceCount$'
}

@test "the return code of each call" {
	"$compass" "$analyses/aclcheck-calls.xml" states <"$BATS_FILE_TMPDIR/mix.text" | sed -n 's|^Processes/.*/Result .* ||p' | sort | uniq -c |
		awk '{ print $2 ":" $1 }' | sort >results
	grep -q '^107001:1$' results
	[ "$(wc -l <results)" -eq 2 ]
	"$compass" "$analyses/aclcheck-calls.xml" states <"$BATS_FILE_TMPDIR/mix.text" | grep -q '^Processes/[0-9]*, .* mix on .*/[0-9]*/Result '
}

@test "call times: a segment a call, with its result" {
	for t in mix nested threads fork cut; do
		"$compass" "$analyses/aclcheck-latency.xml" segments <"$BATS_FILE_TMPDIR/$t.text" |
			sed 's/\(.*\) \(.*\) \(.*\) result=\(.*\) pid=\(.*\) tid=\(.*\) process=.*/\5 \6 \2 \3 \1 \4/' | sort >shown
		"$reckon" intervals <"$BATS_FILE_TMPDIR/$t.text" | grep -v ' None ' | cut -d' ' -f1,2,4- | sort >reckoned
		diff reckoned shown
	done
}

@test "rank, host and command of a process are in every view" {
	RANK=3 record ranked -- "$app" mix
	babeltrace2 --clock-seconds ranked >ranked.text
	who="rank 3 on $(hostname): $app mix"
	"$compass" "$analyses/aclcheck-calls.xml" states <ranked.text | grep -q "^Names/[0-9]* [0-9]* [0-9]*, $who\$"
	[ "$("$compass" "$analyses/aclcheck-calls.xml" states <ranked.text | grep -c "^Processes/[0-9]*, $who/[0-9]*/Result ")" -gt 1 ]
	# tables: every line of them
	for table in latency blocked findings; do
		"$compass" "$analyses/aclcheck-$table.xml" segments <ranked.text >lines
		[ -s lines ]
		[ "$(grep -c " process=$who\$" lines)" -eq "$(wc -l <lines)" ]
	done
	"$compass" "$analyses/aclcheck-memory.xml" rows <ranked.text | grep -q "^process [0-9]* ($who), device 0: device: "
	for view in blocked:aclcheck.blocked.view findings:aclcheck.findings.view streams:aclcheck.streams.view; do
		"$compass" "$analyses/aclcheck-${view%:*}.xml" rows "${view#*:}" <ranked.text >rows
		[ -s rows ]
		[ "$(grep -c "^$who > " rows)" -eq "$(wc -l <rows)" ]
	done
	record ordered -- env RANK=3 "$app" ordered
	babeltrace2 --clock-seconds ordered >ordered.text
	"$compass" "$analyses/aclcheck-streams.xml" segments <ordered.text >lines
	[ "$(cut -d' ' -f1 lines | sort -u | tr '\n' ' ')" = "capture execution wait " ]
	[ "$(grep -c " process=rank 3 on $(hostname): $app ordered\$" lines)" -eq "$(wc -l <lines)" ]
	"$compass" "$analyses/aclcheck-streams.xml" rows aclcheck.captures.view <ordered.text | grep -q "^rank 3 on $(hostname): $app ordered > "
}

@test "where an end is lost, the next call of the program ends it" {
	"$compass" "$analyses/aclcheck-calls.xml" stack <"$BATS_FILE_TMPDIR/holes.text" >shown
	# depth, and whether it lasts: 1 to the next; 2 and 3 of the next lost, 4 with 5 in it to 6, which does not end
	awk '{ print $3, ($5 == "None" ? "open" : ($5 - $4 >= 50e6 ? "long" : "short")) }' shown | tr '\n' ',' >lasting
	[ "$(cat lasting)" = "0 long,0 short,0 long,1 long,0 open," ]
	[ "$("$compass" "$analyses/aclcheck-latency.xml" segments <"$BATS_FILE_TMPDIR/holes.text" | wc -l)" -eq 1 ]
}

@test "trace-compass --install" {
	mkdir -p home/.tracecompass/.metadata bare
	HOME=$place/home "$aclcheck" trace-compass --install
	to=home/.tracecompass/.metadata/.plugins/org.eclipse.tracecompass.tmf.analysis.xml.core/xml_files
	for f in "$analyses"/*.xml; do
		cmp "$f" "$to/${f##*/}"
	done
	[ "$(find "$to" -type f | wc -l)" -eq "$(ls "$analyses"/*.xml | wc -l)" ]
	"$aclcheck" trace-compass --install bare
	cmp "$analyses/aclcheck-calls.xml" bare/aclcheck-calls.xml
	HOME=$place/bare run "$aclcheck" trace-compass --install
	[ "$status" -eq 99 ]
	[ "${#lines[@]}" -eq 1 ]
	run "$aclcheck" trace-compass --install home/.tracecompas
	[ "$status" -eq 99 ]
	[[ $output == *"home/.tracecompas: no such directory"* ]]
	[ ! -e home/.tracecompas ]
	run "$aclcheck" trace-compass --install /proc/no
	[ "$status" -eq 99 ]
	[ "${#lines[@]}" -eq 1 ]
}

@test "trace-compass --install: Trace Compass loads what it is told to load" {
	names=$(cd "$analyses" && printf '%s;' *.xml)
	names=${names%;}
	mkdir -p w/.metadata
	prefs=w/.metadata/.plugins/org.eclipse.core.runtime/.settings/org.eclipse.tracecompass.tmf.analysis.xml.core.prefs
	# a fresh workspace
	"$aclcheck" trace-compass --install w >said
	[ "$(cat $prefs)" = "enabled_files=$names"$'\n'"eclipse.preferences.version=1" ]
	grep -qx "$prefs" said
	# again: nothing to add
	before=$(stat -c %i $prefs)
	"$aclcheck" trace-compass --install w
	[ "$(stat -c %i $prefs)" = "$before" ]
	# the files of others, and other keys, stay; the last of two lines counts
	expect() {
		printf "$1" >$prefs
		"$aclcheck" trace-compass --install w
		printf "$2" | diff - $prefs
	}
	expect 'a=1\nenabled_files=own.xml\nz=2\n' "a=1\nenabled_files=own.xml;$names\nz=2\n"
	expect 'enabled_files=aclcheck-calls.xml;own.xml' "enabled_files=aclcheck-calls.xml;own.xml;${names/aclcheck-calls.xml;/}"
	expect 'enabled_files=my-aclcheck-calls.xml\r\nz=2\r\n' "enabled_files=my-aclcheck-calls.xml;$names\r\nz=2\r\n"
	expect '  enabled_files : own.xml;\\\n   two.xml\nz=2\n' "  enabled_files : own.xml;\\\\\n   two.xml;$names\nz=2\n"
	expect 'enabled_files=a.xml\nenabled_files=b.xml\n' "enabled_files=a.xml\nenabled_files=b.xml;$names\n"
	expect 'enabled_files=\n' "enabled_files=$names\n"
	expect '#enabled_files=x\nenabled_files_too=y' "enabled_files=$names\n#enabled_files=x\nenabled_files_too=y"
	expect 'x=1\\\nenabled_files=y\n' "enabled_files=$names\nx=1\\\\\nenabled_files=y\n"
	expect '' "enabled_files=$names\n"
	# a directory that is no workspace gets no settings
	mkdir -p plain
	"$aclcheck" trace-compass --install plain
	[ "$(ls plain | wc -l)" -eq 6 ]
}

@test "trace-compass --install: not under a Trace Compass that runs" {
	mkdir -p busy/.metadata
	python3 - "$aclcheck" <<'END'
import fcntl, os, subprocess, sys
with open("busy/.metadata/.lock", "w") as f:
    fcntl.lockf(f, fcntl.LOCK_EX)
    r = subprocess.run([sys.argv[1], "trace-compass", "--install", "busy"], capture_output=True, text=True)
assert r.returncode == 99, r
assert r.stderr.count("\n") == 1 and f"process {os.getpid()}" in r.stderr, r
assert os.listdir("busy/.metadata") == [".lock"]
END
	# the file stays when the program has ended
	"$aclcheck" trace-compass --install busy
	[ -e busy/.metadata/.plugins ]
}
