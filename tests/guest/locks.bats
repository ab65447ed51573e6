#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The tool takes no lock of the C library that the program may hold, and waits for none that does not come.

load guest.bash

# More than a pipe holds: each finding in full.
export ACLCHECK_MAX_FINDINGS=1000

in_handler() {
	for ((i = 0; i < 12; i++)); do
		rm -f report.json*
		run timeout 10 env LD_PRELOAD="$library" ACLCHECK_LOG="$place/log" ACLCHECK_REPORT="$place/report.json" \
			"$guest/locks" handler "$1"
		[ "$status" -eq 7 ]
		# No end where the tool itself was interrupted: our dlclose looks at what goes.
		[ -e report.json.part ] || [ "$(field end)" = quick-exit ]
	done
}

@test "_exit in a handler that interrupted the time zone's code" {
	in_handler 0
}

@test "_exit in a handler that interrupted the loader" {
	in_handler 1
}

@test "_exit in a handler that interrupted malloc" {
	in_handler 2
}

@test "forked children of a program whose threads hold those locks" {
	same_as_without timeout 100 "$guest/locks" forks called
	[ "$(cat ours.out)" = "30 of 30 children" ]
}

@test "the same where the child makes the first call of all" {
	same_as_without timeout 100 "$guest/locks" forks not
	[ "$(cat ours.out)" = "30 of 30 children" ]
}

@test "a fork while another thread makes the first call" {
	for delay in 0 10 20 30 50 80 120 200 300 500 800; do
		ACLCHECK_REPORT=$place/%p.json ACLCHECK_LOG=$place/log LD_PRELOAD=$library timeout 20 "$guest/locks" race $delay >out
		[ "$(cat out)" = ended ]
	done
}

@test "no walk through the modules by the loader" {
	# The C library is looked up by its list; where that is not to be had, and before anything else, by the loader.
	run grep -rn 'dl_iterate_phdr(' "$ACLCHECK_SOURCE/interpose" --include='*.c'
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == *match_libc* ]]
}

@test "standard error is a pipe without a reader" {
	mkfifo unread
	exec 7<>unread
	run timeout 30 env LD_PRELOAD="$library" ACLCHECK_REPORT="$place/report.json" sh -c '"$1" findings 2>unread' - "$guest/locks"
	[ "$status" -eq 0 ]
	[ "$output" = done ]
	[ "$(field log_dropped)" -gt 50 ]
	[ "$(field verdict)" = fail ]
	# The program's file is as it was: writing to it still waits.
	run python3 -c 'import fcntl, os; print(fcntl.fcntl(7, fcntl.F_GETFL) & os.O_NONBLOCK)'
	[ "$output" = 0 ]
	exec 7>&-
}

@test "read again, the log goes on, and says what is missing" {
	mkfifo read
	exec 7<>read
	mkfifo input
	exec 8<>input
	timeout 60 env LD_PRELOAD="$library" "$guest/locks" findings pause 2>read <input >out 7<&- 8<&- &
	program=$!
	await grep -q waiting out
	: >said
	timeout 60 cat read >>said 7<&- 8<&- &
	reader=$!
	exec 7>&-
	read_much() { [ "$(stat -c %s said)" -ge 60000 ]; }
	await read_much
	exec 8>&-
	wait "$program"
	wait "$reader"
	grep -qE '^aclcheck: [0-9]+ records are missing here: not read in time$' said
	grep -q 'verdict: fail' said
}

@test "a log that is a FIFO without a reader" {
	mkfifo unread
	run timeout 30 env LD_PRELOAD="$library" ACLCHECK_LOG="$place/unread" ACLCHECK_REPORT="$place/report.json" \
		"$guest/locks" findings
	[ "$status" -eq 0 ]
	[ "$output" = done ]
	[ "$(field log_dropped)" -gt 100 ]
}

@test "a terminal that was stopped, and a socket without a reader" {
	cat >unread.py <<-'E'
		import os, pty, socket, subprocess, sys, termios
		master, slave = pty.openpty()
		termios.tcflow(slave, termios.TCOOFF)
		near, far = socket.socketpair()
		for error in (slave, near.fileno()):
		    done = subprocess.run(sys.argv[1:], stderr=error, stdout=subprocess.PIPE, timeout=30)
		    print(done.returncode, done.stdout.decode().strip())
	E
	LD_PRELOAD= run python3 unread.py env LD_PRELOAD="$library" "$guest/locks" findings
	[ "${lines[0]}" = "0 done" ]
	[ "${lines[1]}" = "0 done" ]
}
