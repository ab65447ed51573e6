#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Tracing that cannot work must not harm the program.

# shellcheck disable=SC2154,SC2086 # what places() sets; words are split on purpose
load trace.bash

setup_file() {
	load trace.bash
	alone
}

# with_lttng SCRIPT: runs it where LTTng's directory is ours; $1 = place
with_lttng() {
	needs_mount
	unshare -m bash -c "mkdir -p /var/run/lttng && mount -t tmpfs none /var/run/lttng && cd '$place' &&
		export LTTNG_HOME='$place' bin='$bin' app='$app'; $1"
}

# The program's own output and exit code, whatever we do.
unharmed() {
	[ "$(cat out)" = "$("$app" fork 3 | sed 's/[0-9][0-9]*/N/g')" ]
}

@test "no LTTng on the machine: one line, and on it goes" {
	lttng=$(ldconfig -p | sed -n 's/.*liblttng-ust\.so\.1 .*=> //p')
	with_lttng "touch empty; mount --bind empty $lttng || exit 77
		LD_PRELOAD=$bin/libaclcheck.so ACLCHECK_TRACE=on ACLCHECK_LOG=stderr $app fork 3 2>err >raw" || [ $? -ne 77 ] || skip "no bind mounts"
	sed 's/[0-9][0-9]*/N/g' raw >out
	unharmed
	[ "$(grep -c 'no trace, libaclcheck-lttng.so' err)" -eq 1 ]
}

@test "no provider beside the library" {
	mkdir alone
	cp "$bin/libaclcheck.so" alone/
	LD_PRELOAD=$place/alone/libaclcheck.so ACLCHECK_TRACE=on ACLCHECK_LOG=stderr "$app" fork 3 2>err >raw
	sed 's/[0-9][0-9]*/N/g' raw >out
	unharmed
	grep -q 'no trace, libaclcheck-lttng.so' err
}

@test "the library itself knows nothing of LTTng" {
	readelf -d "$bin/libaclcheck.so" >needs
	grep -q libc needs
	not grep -q lttng needs
	[ -z "$(nm -D "$bin/libaclcheck.so" | grep lttng)" ]
}

@test "no session daemon: no wait, no harm" {
	with_lttng "time -p (LD_PRELOAD=$bin/libaclcheck.so ACLCHECK_TRACE=on ACLCHECK_LOG=off $app fork 3 >raw) 2>took"
	sed 's/[0-9][0-9]*/N/g' raw >out
	unharmed
	[ "$(sed -n 's/real \([0-9]*\)\..*/\1/p' took)" -lt 2 ]
}

@test "a frozen session daemon costs one time-out, said once" {
	with_lttng "lttng-sessiond --daemonize; d=\$(cat /var/run/lttng/lttng-sessiond.pid); kill -STOP \$d
		exec 3>&2 2>took; time -p (LD_PRELOAD=$bin/libaclcheck.so ACLCHECK_LOG=stderr $app fork 3 >raw 2>err); exec 2>&3
		kill -CONT \$d; kill \$d"
	sed 's/[0-9][0-9]*/N/g' raw >out
	unharmed
	[ "$(grep -c 'session daemon does not answer' err)" -eq 1 ]
	seconds=$(sed -n 's/real \([0-9]*\)\..*/\1/p' took)
	[ "$seconds" -ge 2 ]
	[ "$seconds" -lt 6 ]
}

@test "no room in /dev/shm" {
	with_lttng "mount -t tmpfs -o size=1m none /dev/shm || exit 77; lttng-sessiond --daemonize
		trap 'kill \$(cat /var/run/lttng/lttng-sessiond.pid)' EXIT
		lttng -n create s -o $place/t; lttng -n enable-channel -u c --subbuf-size 4M --num-subbuf 8
		lttng -n enable-event -u -c c 'acl:*'; lttng -n start
		LTTNG_UST_REGISTER_TIMEOUT=1000 LD_PRELOAD=$bin/libaclcheck.so ACLCHECK_LOG=off $app fork 3 >raw
		echo \$? >status; lttng -n stop; lttng -n destroy" >log 2>&1 || [ $? -ne 77 ] || skip "no mounts"
	[ "$(cat status)" = 0 ]
	sed 's/[0-9][0-9]*/N/g' raw >out
	unharmed
}

@test "no room in /dev/shm: aclcheck trace says it before" {
	with_lttng "mount -t tmpfs -o size=40k none /dev/shm || exit 77
		$aclcheck trace -o t -- $app mix" 2>said && false || [ $? -ne 77 ] || skip "no mounts"
	grep -q '^aclcheck: /dev/shm has 40 KiB free; ' said
	[ ! -e t ]
}

@test "buffers larger than /dev/shm: one line, and the program is not run" {
	with_lttng "mount -t tmpfs -o size=16m none /dev/shm || exit 77
		$aclcheck trace --buffers=64M -o t -- touch ran" 2>said && false || [ $? -ne 77 ] || skip "no mounts"
	grep -qE '^aclcheck: /dev/shm has 16 MiB free, buffers of [0-9]+ CPUs as large as that need [0-9.]+ MiB: say less, or make it larger$' said
	[ "$(wc -l <said)" -eq 1 ]
	[ ! -e t ]
	[ ! -e ran ]
	with_lttng "mount -t tmpfs -o size=16m none /dev/shm; $aclcheck trace --ring=64M -o t -- touch ran" 2>said && false || :
	grep -q '^aclcheck: /dev/shm has 16 MiB free, ' said
	[ ! -e ran ]
}

@test "buffers that fill /dev/shm: all is recorded" {
	for buffers in 4M 8M 13M; do
		# As large as the plan says, and not a page more.
		with_lttng "mount -t tmpfs -o size=1m none /dev/shm || exit 77
			$aclcheck trace --buffers=$buffers -o t -- true" 2>said && false || [ $? -ne 77 ] || skip "no mounts"
		size=$(sed -n 's/.* as large as that need \([0-9.]*\) MiB: .*/\1/p' said)
		with_lttng "mount -t tmpfs -o size=$(python3 -c "print(int(($size + .05) * 1024))")k none /dev/shm
			$aclcheck trace --buffers=$buffers -o $buffers -- $app loop 1000" 2>said
		[ "$(count "$buffers" ' acl:aclrtRecordEvent_exit:')" -eq 1000 ]
	done
}

@test "LTTng's own fork helper is not doubled" {
	helper=$(ldconfig -p | sed -n 's/.*liblttng-ust-fork\.so\.1 .*=> //p')
	[ -n "$helper" ] || skip "liblttng-ust-fork.so is not installed"
	record t -- sh -c "LD_PRELOAD=$helper:\$LD_PRELOAD exec timeout 30 $app fork 5" >out
	read -r _ parent _ child <out
	[ "$(count t "aclrtGetDevice_exit: .*vpid = $parent,")" -eq 5 ]
	[ "$(count t "aclrtGetDevice_exit: .*vpid = $child,")" -eq 5 ]
}
