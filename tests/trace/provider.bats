#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the provider writes, driven through its seam without runtime and checks.

# shellcheck disable=SC2154,SC2086 # what places() sets; words are split on purpose
load trace.bash

# One recording that several tests look at.
setup_file() {
	load trace.bash
	alone
	places "$BATS_FILE_TMPDIR"
	record sample -- $drive sample
	events sample >sample.text
}

@test "inputs, outputs, strings and results of the sample" {
	text=$BATS_FILE_TMPDIR/sample.text
	# text: in full, absent, unreadable
	grep -q 'acl:aclInit_entry: .* api = "aclInit", .* configPath = "config.json" }' "$text"
	[ "$(grep -c 'acl:aclInit_entry: .* configPath = "" }' "$text")" -eq 2 ]
	# errors by name, 0 only once
	grep -q 'acl:aclInit_exit: .*call_result = 100002, .*ret = ( "ACL_ERROR_REPEAT_INITIALIZE" : container = 100002 )' "$text"
	grep -q 'acl:aclrtSetDevice_exit: .*ret = ( "ACL_SUCCESS" : container = 0 )' "$text"
	# enumerations by their documented names
	grep -q 'acl:aclrtMalloc_entry: .*size = 4096, policy = ( "ACL_MEM_MALLOC_HUGE_FIRST" : container = 0 )' "$text"
	grep -q 'acl:aclrtMemcpyAsync_entry: .*kind = ( "ACL_MEMCPY_HOST_TO_DEVICE" : container = 1 ), stream = 0x5555 }' "$text"
	# outputs, and none of a failed call
	grep -q 'acl:aclrtMalloc_exit: .*devPtr_out = 0x12C0C0013000 }' "$text"
	grep -q 'acl:aclrtGetDevice_exit: .*deviceId_out = 5 }' "$text"
	grep -q 'acl:aclrtGetMemInfo_exit: .*free_out = 111, total_out = 222 }' "$text"
	grep -q 'acl:aclrtGetMemInfo_exit: .*107002 ), free_out = 0, total_out = 0 }' "$text"
}

@test "the event struct" {
	text=$BATS_FILE_TMPDIR/sample.text
	grep -q 'acl:aclrtMemcpyAsync_entry: .*api = "aclrtMemcpyAsync", call_caller = 0x401234, .*call_stack = \[ \], call_number = 10, call_depth = 0, call_path = ( "linked" : container = 0 ), call_flags = 0x1' "$text"
	grep -q 'acl:aclrtMalloc_entry: .*call_stack = \[ \[0\] = 7 \]' "$text"
	grep -q 'acl:aclrtMemcpyAsync_entry: .*dst_host = ( "unasked" : container = 0 )' "$text"
	grep -q 'acl:aclrtMemcpyAsync_exit: .*call_after = \[ \[0\] = 0x24CE00000007 \]' "$text"
}

@test "process, settings, modules and stacks come before what names them" {
	text=$BATS_FILE_TMPDIR/sample.text
	<"$text" sed 's/^[^)]*) [^ ]* \([a-z_]*:[A-Za-z_]*\): .*/\1/' >order
	[ "$(grep -n -m1 aclcheck:process order | cut -d: -f1)" -lt "$(grep -n -m1 '^acl:' order | cut -d: -f1)" ]
	[ "$(grep -n -m1 aclcheck:stack order | cut -d: -f1)" -lt "$(grep -n -m1 '^acl:' order | cut -d: -f1)" ]
	[ "$(grep -n -m1 aclcheck:thread order | cut -d: -f1)" -lt "$(grep -n -m1 '^acl:' order | cut -d: -f1)" ]
	[ "$(grep -c aclcheck:thread order)" -eq 1 ]
	[ "$(grep -c aclcheck:module order)" -eq 1 ]
	[ "$(grep -c aclcheck:stack order)" -eq 1 ]
	[ "$(grep -c 'aclcheck:describe: .*key = "target_cann", .*value = "documents"' "$text")" -eq 1 ]
	[ "$(grep -c 'aclcheck:module: .*path = "/opt/sample/app", .*build_id = .*0xAB.*0xCD.*0xEF' "$text")" -eq 1 ]
	[ "$(grep -c 'aclcheck:stack: .*id = 7, .*0x401010.*0x401020.*0x401030' "$text")" -eq 1 ]
}

@test "findings, their values and objects, the verdict" {
	text=$BATS_FILE_TMPDIR/sample.text
	grep -q 'aclcheck:finding: .*serial = 3, rule = "sample-rule", severity = ( "error" : container = 3 ), api = "aclrtDestroyStream", .*title = "a title", .*detail = "the detail", .*stack = 7, repeat = 10, .*status = ( "suppressed" : container = 1 )' "$text"
	grep -q 'aclcheck:finding_value: .*name = "count", form = ( "bytes" : container = 3 ), value = 4097' "$text"
	grep -q 'aclcheck:finding_value: .*name = "who", .*text = "text value"' "$text"
	grep -q 'aclcheck:finding_object: .*kind = "stream", value = 0x5555, .*created_api = "aclrtCreateStream", .*used_api = ""' "$text"
	grep -q 'aclcheck:callback: .*api = "aclrtDestroyStream", argument = 0x0, launch = 0x1, begins = 1' "$text"
	grep -q 'aclcheck:verdict: .*verdict = "fail"' "$text"
}

@test "every function of the model has an entry and an exit" {
	record t -- $drive each
	events t | grep -o ' acl:[A-Za-z0-9]*_\(entry\|exit\):' | sort >seen
	"$ACLCHECK_BUILD/tests/trace/drive" --names | sort >names
	[ "$(wc -l <names)" -gt 380 ]
	diff <(sed 's/.*/ acl:&_entry:\n acl:&_exit:/' names | sort) seen
}

@test "one event a call, with its start" {
	record t --one-event -- $drive sample
	[ "$(count t ' acl:')" -eq 0 ]
	# the last call of the sample does not come back
	[ "$(count t ' acl_call:')" -eq 12 ]
	[ "$(count t 'acl_call:aclrtGetMemInfo: .*call_start = [1-9][0-9]*, .*call_path = . "linked" : container = 0 ., call_flags = 0x1, .*attr = .*ret = .*free_out = 111')" -eq 1 ]
	record each --one-event -- $drive each
	events each | grep -o ' acl_call:[A-Za-z0-9]*:' | sort >seen
	"$ACLCHECK_BUILD/tests/trace/drive" --names | sed 's/.*/ acl_call:&:/' | sort | diff - seen
}

@test "a forked child records under its own pid" {
	record t -- $drive fork >out
	read -r _ parent _ child <out
	[ "$(count t "vpid = $parent, .* acl:.*_entry|aclrtMemcpyAsync_entry.*vpid = $parent,")" -eq 2 ]
	[ "$(count t "aclrtMemcpyAsync_entry.*vpid = $child, vtid = $child }")" -eq 3 ]
	# who the child is is recorded anew
	[ "$(count t "aclcheck:process: .*vpid = $child,")" -eq 1 ]
}

@test "a session that starts later receives everything, too" {
	needs_mount
	unshare -m bash -c '
		mkdir -p /var/run/lttng && mount -t tmpfs none /var/run/lttng && cd "$1" && export LTTNG_HOME=$1 LTTNG_UST_REGISTER_TIMEOUT=15000 LTTNG_APP_SOCKET_TIMEOUT=15
		lttng-sessiond --daemonize && trap "kill \$(cat /var/run/lttng/lttng-sessiond.pid)" EXIT
		for n in 1 2; do
			lttng -n create s$n -o "$1/late$n" && lttng -n enable-channel -u -s s$n --subbuf-size 64K --num-subbuf 4 c
			lttng -n add-context -u -s s$n -c c -t vpid -t vtid
			lttng -n enable-event -u -s s$n -c c "acl:*,aclcheck:*"
		done
		lttng -n start s1
		mkfifo go; $2 twice <go >first & exec 9>go
		for _ in $(seq 600); do grep -q copied first && break; sleep 0.1; done
		lttng -n start s2; sleep 1; echo >&9; wait $!
		lttng -n stop s1; lttng -n stop s2; lttng -n destroy s1; lttng -n destroy s2' - "$place" "$drive" >log 2>&1
	[ "$(count late1 aclrtMemcpyAsync_entry)" -eq 2 ]
	[ "$(count late2 aclrtMemcpyAsync_entry)" -eq 1 ]
	[ "$(count late2 aclcheck:process:)" -eq 1 ]
	[ "$(count late2 'aclcheck:describe: .*target_cann')" -eq 1 ]
	[ "$(count late2 aclcheck:module:)" -eq 1 ]
}

@test "an older core is refused" {
	run $drive refused
	[ "$status" -eq 0 ]
	[[ $output == *"is of another build than libaclcheck.so"* ]]
}
