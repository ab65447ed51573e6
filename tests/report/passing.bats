#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# aclcheck run stands between a program and its user: signals, terminal, input, time, releases, exit codes.

bats_require_minimum_version 1.5.0
load helper

setup() {
	own_tmpdir || return
}

# What a failed test leaves running would keep the pipes of the harness open.
teardown() {
	for job in $(jobs -p); do
		pkill -KILL -P "$job" || :
		kill -KILL "$job" || :
	done
	nothing_stays
}

# A group of its own, as a CI runner, timeout(1) or a shell makes it: with us beside it, it can be stopped and
# continued, whatever we were started by.
group() {
	exec python3 -c "import os, sys; os.setpgid(0, 0); os.execvp(sys.argv[1], sys.argv[1:])" "$@"
}

# A program that says which signals it gets, and ends after SIGTERM.
cat_signals() {
	# A whole line at once: the next signal may come within print, between the name and the line's end.
	cat >signals.py <<-'END'
		import os, signal, sys
		def say(number, frame):
		    os.write(1, (signal.Signals(number).name + "\n").encode())
		    if number == signal.SIGTERM:
		        sys.exit(4)
		for s in ("HUP", "INT", "QUIT", "USR1", "USR2", "WINCH", "TERM"):
		    signal.signal(getattr(signal, "SIG" + s), say)
		print(os.getpid(), "ready", flush=True)
		while True:
		    signal.pause()
	END
}

has_lines() {
	local lines

	lines=$(grep -c "$1" "$2") || : # not there yet: nothing is said, and that is no line
	[ "${lines:-0}" -ge "$3" ]
}

# wait_for TEXT FILE [LINES]
wait_for() {
	await has_lines "$1" "$2" "${3:-1}"
}

state_of() {
	sed 's/.*) //; s/ .*//' "/proc/$1/stat"
}

is_in_state() {
	[ "$(state_of "$1")" = "$2" ]
}

becomes() {
	await is_in_state "$1" "$2"
}

@test "signals sent to the command reach the program, each once" {
	cat_signals
	"$ACLCHECK" run --keep-exit-code -- python3 signals.py >out 2>err &
	wait_for ready out
	for s in HUP INT QUIT USR1 USR2 WINCH; do
		kill -$s $!
		wait_for "SIG$s" out
	done
	kill -TERM $!
	code=0
	wait $! || code=$?
	[ "$code" = 4 ]
	[ "$(tail -n +2 out | paste -sd' ')" = "SIGHUP SIGINT SIGQUIT SIGUSR1 SIGUSR2 SIGWINCH SIGTERM" ]
}

@test "signals sent to the whole group reach the program once, and those after them as well" {
	cat_signals
	group "$ACLCHECK" run --keep-exit-code -- python3 signals.py >out 2>err &
	wait_for ready out
	for s in INT USR1 HUP; do
		kill -$s -- -$!
	done
	# Those to the command alone come after the others: when they are here, a second copy would be as well.
	for s in INT USR1 HUP; do wait_for "SIG$s" out; done
	kill -USR2 $!
	wait_for SIGUSR2 out
	[ "$(tail -n +2 out | sort | paste -sd' ')" = "SIGHUP SIGINT SIGUSR1 SIGUSR2" ]
	kill -INT $!
	wait_for SIGINT out 2
	kill -TERM -- -$!
	code=0
	wait $! || code=$?
	[ "$code" = 4 ]
	[ "$(tail -n +6 out | paste -sd' ')" = "SIGINT SIGTERM" ]
	# Nothing of ours is left in the group.
	run pgrep -g $!
	[ "$status" = 1 ]
}

# timeout(1) does so. Whether the second one was in time is measured: a loaded machine may keep us from sending it.
@test "a signal sent to the command and then to its group reaches the program once" {
	cat_signals
	group "$ACLCHECK" run --keep-exit-code -- python3 signals.py >out 2>err &
	wait_for ready out
	for ((in_time = 0, sent = 0; in_time < 3; sent++)); do
		[ "$sent" -lt 100 ]
		before=$(wc -l <out)
		took=$(python3 -c "
import os, signal, sys, time
command, began = int(sys.argv[1]), time.monotonic()
os.kill(command, signal.SIGINT)
os.killpg(command, signal.SIGINT)
print(int((time.monotonic() - began) * 1000))" $!)
		# Signals are passed on in their order, so this one is the last.
		kill -USR2 $!
		wait_for SIGUSR2 out $((sent + 1))
		[ "$took" -lt 15 ] || continue
		in_time=$((in_time + 1))
		[ "$(tail -n +$((before + 1)) out | paste -sd' ')" = "SIGINT SIGUSR2" ]
	done
	kill -TERM $!
	wait $! || :
}

@test "stopping and continuing the command stops and continues the program" {
	cat_signals
	group "$ACLCHECK" run --keep-exit-code -- python3 signals.py >out 2>err &
	wait_for ready out
	program=$(cut -d' ' -f1 out | head -1)
	kill -TSTP $!
	becomes "$program" T
	becomes $! T
	kill -CONT $!
	becomes "$program" S
	kill -TERM $!
	code=0
	wait $! || code=$?
	[ "$code" = 4 ]
}

@test "on a terminal: it is the program's, ^C comes once, ^Z stops all of it" {
	cat >job.py <<-'END'
		import signal, sys
		assert all(f.isatty() for f in (sys.stdin, sys.stdout, sys.stderr))
		got = []
		def say(number, frame):
		    got.append(signal.Signals(number).name)
		    if got.count("SIGINT") == 2:
		        print("got", *got, flush=True)
		        sys.exit(7)
		    print("one", got[-1], flush=True)
		signal.signal(signal.SIGINT, say)
		signal.signal(signal.SIGQUIT, say)
		print("ready", flush=True)
		while True:
		    signal.pause()
	END
	run python3 "$SOURCE/tests/report/terminal.py" 'wait ready' 'type ^C' 'wait one SIGINT' 'type ^\' 'wait one SIGQUIT' 'type ^Z' stopped \
		continue 'type ^C' -- "$ACLCHECK" run --keep-exit-code -- python3 job.py
	echo "$output"
	[[ $output == *"got SIGINT SIGQUIT SIGINT"*"status 7" ]]
	run python3 "$SOURCE/tests/report/terminal.py" 'wait name?' 'type Xiao' -- "$ACLCHECK" run --keep-exit-code -- \
		python3 -c "print('hello', input('name?'))"
	[[ $output == *"hello Xiao"*"status 0" ]]
}

@test "standard input and output are the program's" {
	run --separate-stderr bash -c "printf 'a\nb\n' | '$ACLCHECK' run --keep-exit-code -- cat"
	[ "$output" = "$(printf 'a\nb')" ]
	# Closed ones stay closed, and a reader that went away is the program's affair.
	run bash -c "'$ACLCHECK' run --keep-exit-code -- python3 -c 'import os
try: os.fstat(0)
except OSError: raise SystemExit(6)' <&-"
	[ "$status" = 6 ]
	run bash -c "set -o pipefail; '$ACLCHECK' run --keep-exit-code -- yes 2>/dev/null | head -1"
	[ "$status" = 141 ]
}

@test "standard descriptors that are closed, in any number, are closed for the program" {
	cat >closed.py <<-'END'
		import os, sys
		def is_open(fd):
		    try: os.fstat(fd)
		    except OSError: return False
		    return True
		seen = str([is_open(fd) for fd in range(3)])
		open(sys.argv[1], "w").write(seen)
	END
	# python3 -I opens none of them itself.
	for which in '<&-' '>&-' '2>&-' '<&- >&-' '<&- 2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
		bash -c "exec $which; exec python3 -I closed.py without"
		bash -c "exec $which; exec '$ACLCHECK' run --keep-exit-code --report r.json -- python3 -I closed.py with"
		echo "$which: $(cat without with)"
		cmp without with
		[ "$(json r.json 'r["verdict"]')" = inconclusive ]
		rm with r.json
		[ -z "$(ls -d r.json* 2>/dev/null)" ]
	done
	# What is printed is lost, and that is not hidden.
	for which in '>&-' '<&- >&-'; do
		run bash -c "'$ACLCHECK' rules $which"
		[ "$status" = 99 ]
	done
}

@test "the program's name, directory and other descriptors are as without us" {
	exec 7<"$SOURCE/LICENSE"
	run --separate-stderr "$ACLCHECK" run --keep-exit-code -- sh -c 'echo "$0"; pwd; head -1 <&7; ls /proc/$$/fd | sort -n | paste -sd" "'
	exec 7<&-
	[ "${lines[0]}" = sh ]
	[ "${lines[1]}" = "$PWD" ]
	with=${lines[3]}
	exec 7<"$SOURCE/LICENSE"
	run --separate-stderr sh -c 'echo "$0"; pwd; head -1 <&7; ls /proc/$$/fd | sort -n | paste -sd" "'
	exec 7<&-
	[ "$with" = "${lines[3]}" ]
}

@test "--timeout: a program that will not end by SIGTERM is killed, its children too" {
	# One second is enough for a program to get where it hangs, on a loaded machine twenty.
	for seconds in 1 20; do
		run "$ACLCHECK" run --softnpu --report r.json --timeout $seconds -- \
			sh -c "trap '' TERM; '$PROGRAM' clean hang & '$PROGRAM' clean hang; '$PROGRAM' clean hang; '$PROGRAM' clean hang"
		[ "$status" = 98 ]
		[ "$(json r.json 'len(r["processes"])')" = 0 ] || break
	done
	[ "$(json r.json '[d["reason"] for d in r["inconclusive"] if d["reason"] == "timeout"]')" = "['timeout']" ]
	[ "$(json r.json '{p["end"] for p in r["processes"]}')" = "{'killed'}" ]
	# A finding outranks the time.
	for seconds in 1 20; do
		run "$ACLCHECK" run --softnpu --timeout $seconds -- "$PROGRAM" bug hang
		[ "$status" = 98 ] || break
	done
	[ "$status" = 97 ]
	run "$ACLCHECK" run --softnpu --timeout 60 -- "$PROGRAM" clean exit 3
	[ "$status" = 3 ]
}

@test "--timeout: a process that ignores SIGTERM is killed, also when the program itself has ended by it" {
	run "$ACLCHECK" run --softnpu --timeout 1 -- sh -c '(trap "" TERM; touch started; exec sleep 91) & exec sleep 91'
	left=
	for p in $(pgrep -x -f 'sleep 91'); do
		[ "$(readlink "/proc/$p/cwd")" != "$PWD" ] || { left="$left $p"; kill -KILL "$p"; }
	done
	[ "$status" = 98 ]
	[ -e started ]
	[ -z "$left" ]
	[[ $output != *still-running* ]]
}

@test "exit codes: those of --help, README and this page's table, each reached" {
	for code in 97 98 99; do
		"$ACLCHECK" run --help | grep -q "$code"
		grep -q "^| $code | " "$SOURCE/tools/aclcheck/README.md"
	done
	expect() {
		run "$ACLCHECK" run "${@:2}"
		echo "${*:2}: $status"
		[ "$status" = "$1" ]
	}
	expect 0 --softnpu -- "$PROGRAM" clean
	expect 5 --softnpu -- "$PROGRAM" clean exit 5
	expect 97 --softnpu -- "$PROGRAM" bug exit 5
	expect 97 --softnpu -- "$PROGRAM" bug abort
	expect 98 --softnpu -- "$PROGRAM" clean abort
	expect 98 -- false
	expect 99 -- ./none
	: >plain
	expect 99 -- ./plain
	chmod +x plain
	printf '\177ELF' >plain
	expect 99 -- ./plain
	expect 99 --suppress none.json -- true
	expect 99 --baseline none.json -- true
	expect 5 --keep-exit-code --softnpu -- "$PROGRAM" clean exit 5
	expect 5 --keep-exit-code --softnpu -- "$PROGRAM" bug exit 5
	expect 134 --keep-exit-code --softnpu -- "$PROGRAM" bug abort
	expect 1 --keep-exit-code -- false
	expect 99 --keep-exit-code -- ./none
}

@test "a 32-bit program and one of another machine are refused" {
	printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0%0100d' 0 >thirty-two
	chmod +x thirty-two
	run "$ACLCHECK" run -- ./thirty-two
	[ "$status" = 99 ]
	[[ $output == *"is not a 64-bit program"* ]]
}

@test "--softnpu of a release: its library, its functions, its behaviour" {
	library() {
		run --separate-stderr "$ACLCHECK" run --keep-exit-code --softnpu "${@}" -- sh -c 'echo "${LD_LIBRARY_PATH%%:*}"'
		echo "${output#"$BUILD"/}"
	}
	unset SOFTNPU_CANN ACLCHECK_TARGET_CANN
	[ "$(library)" = softnpu ]
	[ "$(library --target-cann 8.5)" = softnpu/8.5 ]
	[ "$(library --target-cann documents)" = softnpu ]
	[ "$(library --target-cann main)" = softnpu ]
	[ "$(ACLCHECK_TARGET_CANN=9.2 library)" = softnpu/9.2 ]
	[ "$(SOFTNPU_CANN=8.1 library --target-cann 9.0)" = softnpu/8.1 ]
	[ "$(SOFTNPU_CANN=8.1 library)" = softnpu/8.1 ]
	for release in 8.1 8.5 9.0 9.1 9.2; do
		run "$ACLCHECK" run --softnpu --target-cann $release --report r.json -- "$PROGRAM"
		mistake=97
		# What 9.1 no longer demands.
		[[ $release < 9.1 ]] || mistake=0
		[ "$status" = $mistake ]
	done
	# A function that came with 8.5.
	has() {
		run --separate-stderr "$ACLCHECK" run --keep-exit-code --softnpu --target-cann "$1" -- \
			python3 -c "import ctypes; print(hasattr(ctypes.CDLL('libascendcl.so'), 'aclFinalizeReference'))"
		echo "$output"
	}
	[ "$(has 8.1)" = False ]
	[ "$(has 9.2)" = True ]
}

@test "--trace records the run as well" {
	source "$SOURCE/tests/trace/alone.bash"
	alone
	command -v lttng-sessiond >/dev/null || skip "no LTTng"
	run "$ACLCHECK" run --softnpu --trace t --report r.json -- "$PROGRAM" clean exit 3
	[ "$status" = 3 ]
	[ "$(json r.json 'r["verdict"], len(r["processes"])')" = "('pass', 1)" ]
	"$ACLCHECK" summary t | grep -q aclrtMemcpyAsync
}
