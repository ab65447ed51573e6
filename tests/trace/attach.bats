#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# aclcheck trace --attach: a process that runs already.

# shellcheck disable=SC2154,SC2016 # what places() sets; another shell's words
load trace.bash

setup_file() {
	load trace.bash
	alone
	[ "$(id -u)" -ne 0 ] || needs_mount
}

# beside COMMANDS: in a shell that has LTTng's place to itself; there start runs "app steps" under the library, step lets it
# make a call, ended closes its input
beside() {
	local own=""

	export bin aclcheck app buffers
	[ "$(id -u)" -ne 0 ] || own='mkdir -p /var/run/lttng && mount -t tmpfs none /var/run/lttng || exit 9'
	[ "$(id -u)" -eq 0 ] || export LTTNG_HOME=$place
	${own:+unshare -m} bash -c "$own"'
		. "$ACLCHECK_SOURCE/tests/await.bash"
		start() { # NAME
			mkfifo "$1.in" "$1.out"
			ACLCHECK_TRACE=on LD_PRELOAD=$bin/libaclcheck.so "$app" steps <"$1.in" >"$1.out" 2>/dev/null 3>&- &
			pid=$!
			exec 7>"$1.in" 8<"$1.out"
			step
		}
		step() { echo >&7; read -r -t 20 _ <&8; }
		ended() { exec 7>&- 8<&-; wait "$pid"; }
		set -e
		'"$1"
}

calls() {
	count "$1" ' acl:aclrtGetDevice_entry:'
}

@test "from now on to its end, and only it" {
	beside '
		start one
		step
		mkfifo other.in
		ACLCHECK_TRACE=on LD_PRELOAD=$bin/libaclcheck.so "$app" steps <other.in >/dev/null 2>&1 3>&- 7>&- 8<&- &
		exec 9>other.in
		echo >&9
		"$aclcheck" trace "$buffers" -o t --attach "$pid" 2>said 3>&- 7>&- 8<&- 9>&- &
		tracer=$!
		await grep -q "recording of calls begins" said
		step; step; step
		echo >&9
		ended
		wait $tracer
		exec 9>&-
		[ -z "$(ls /var/run/lttng/*.pid 2>/dev/null)" ]'
	[ "$(calls t)" -eq 3 ]
	[ "$(count t ' aclcheck:process: .*steps')" -eq 1 ]
	[ "$(count t ' aclcheck:verdict:')" -eq 1 ]
	grep -q '^aclcheck: 0 events discarded, 0 packets lost$' said
}

@test "for a second; the process runs on" {
	beside '
		start one
		"$aclcheck" trace "$buffers" -o t --attach "$pid" --for 1 2>said 3>&- 7>&- 8<&- &
		while kill -0 $! 2>/dev/null; do step; sleep 0.05; done
		wait $!
		step
		ended'
	[ "$(calls t)" -ge 3 ]
	grep -qx 'aclcheck: recording of calls ends' said
}

@test "Ctrl-C ends the recording, not the process" {
	beside '
		start one
		"$aclcheck" trace "$buffers" -o t --attach "$pid" 2>said 3>&- 7>&- 8<&- &
		tracer=$!
		await grep -q "recording of calls begins" said
		step
		kill -TERM $tracer
		wait $tracer
		step
		ended'
	[ "$(calls t)" -eq 1 ]
}

@test "what cannot be recorded: one line" {
	run "$aclcheck" trace --attach 99999999 -o t
	[ "$status" -eq 99 ]
	[ "$output" = "aclcheck: --attach 99999999: there is no such process" ]
	run "$aclcheck" trace --attach $$ -o t
	[ "$status" -eq 99 ]
	[[ "$output" = "aclcheck: --attach $$: the process cannot be recorded; "* ]]
	run "$aclcheck" trace --attach x -o t
	[ "$status" -eq 99 ]
	run "$aclcheck" trace --attach $$ -o t -- "$app" mix
	[ "$status" -eq 99 ]
	[ ! -e t ]
}
