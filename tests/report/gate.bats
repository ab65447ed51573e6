#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The verdict is right each time: what was not seen is never a pass. Each case in which processes race runs many times.

load helper

TIMES=${ACLCHECK_TEST_TIMES:-10}
# Cases without a race, where settings alone decide.
once() {
	TIMES=1
}

setup() {
	own_tmpdir || return
	export PROGRAM ACLCHECK BUILD
}

# Nothing of ours stays behind.
teardown() {
	nothing_stays
}

# verdict CODE TEXT OPTION... -- COMMAND...: each time this exit code, and the text in what is said.
verdict() {
	local code=$1 text=$2
	shift 2
	for ((i = 1; i <= TIMES; i++)); do
		run "$ACLCHECK" run --softnpu "$@"
		[[ $status = "$code" && $output == *"$text"* ]] || {
			echo "time $i: exit code $status, expected $code with '$text': $output"
			return 1
		}
	done
}

off='checks-off: no rule of severity error is switched on'

@test "no rule that could fail the run is on: inconclusive" {
	once
	verdict 98 "$off" --rules=-all -- "$PROGRAM"
	verdict 98 "$off" --rules=all=advice -- "$PROGRAM"
	verdict 98 "$off" --rules=-error -- "$PROGRAM" clean
	# One that 9.1 took back, one that is a warning, and that one where warnings fail.
	verdict 98 "$off" --rules=-all,async-copy-alignment --target-cann 9.2 -- "$PROGRAM"
	verdict 98 "$off" --rules=-all,leak-host-memory -- "$PROGRAM" clean
	verdict 0 "verdict pass" --rules=-all,leak-host-memory --fail-on warning -- "$PROGRAM" clean
	verdict 97 "verdict fail" --rules=-all,async-copy-alignment -- "$PROGRAM"
}

@test "rules switched off by a process of the run: inconclusive, whatever the others do" {
	verdict 98 "$off" -- sh -c '"$PROGRAM" clean; ACLCHECK_RULES=-all "$PROGRAM"'
	verdict 98 "checks-off: checks are switched off" -- sh -c '"$PROGRAM" clean; ACLCHECK_CHECKS=off "$PROGRAM"'
	echo '{"rules": "-all"}' >c.json
	verdict 98 "$off" -- sh -c '"$PROGRAM" clean; ACLCHECK_CONFIG=c.json "$PROGRAM"'
}

@test "a process that finds the run by its ancestors, whatever its environment lost: its findings count" {
	verdict 97 "verdict fail (2 processes)" -- sh -c '"$PROGRAM" clean; env -i LD_PRELOAD=$LD_PRELOAD "$PROGRAM"; true'
	verdict 97 "verdict fail (2 processes)" -- sh -c '"$PROGRAM" clean; unset ACLCHECK_RUN; "$PROGRAM"; true'
	verdict 97 "verdict fail (2 processes)" -- sh -c '"$PROGRAM" clean; unset ACLCHECK_JOB ACLCHECK_RUN; exec setsid -w "$PROGRAM"'
	# What an earlier run left in the environment of a server or a file of settings.
	verdict 97 "verdict fail (2 processes)" -- sh -c '"$PROGRAM" clean; ACLCHECK_JOB=run-1-gone ACLCHECK_RUN=/tmp/aclcheck-gone "$PROGRAM"; true'
	# An orphan whose parents are gone.
	verdict 97 "verdict fail (2 processes)" -- sh -c '"$PROGRAM" clean; env -i LD_PRELOAD=$LD_PRELOAD sh -c "(\"$PROGRAM\" &) &"'
	# What nothing but the shell between starts, without the kernel's records too.
	verdict 97 "verdict fail (2 processes)" --watch notes -- sh -c '"$PROGRAM" clean; env -i LD_PRELOAD=$LD_PRELOAD "$PROGRAM"; true'
}

@test "what the run was started with holds for it as well" {
	verdict 0 "verdict pass (2 processes)" --rules=-async-copy-alignment -- sh -c '"$PROGRAM"; env -i LD_PRELOAD=$LD_PRELOAD "$PROGRAM"'
	verdict 97 "verdict fail (2 processes)" --rules=-async-copy-alignment -- sh -c '"$PROGRAM"; env -i LD_PRELOAD=$LD_PRELOAD ACLCHECK_RULES=all "$PROGRAM"'
}

@test "a report path, a job or a configuration of its own: both reports are written" {
	verdict 97 "verdict fail (2 processes)" -- sh -c '"$PROGRAM" clean; ACLCHECK_REPORT=$PWD/own.json "$PROGRAM"; true'
	[ "$(json own.json 'r["verdict"], r["findings"][0]["rule"]')" = "('fail', 'async-copy-alignment')" ]
	[ "$(ls)" = "$(printf 'own.json\ntmp')" ]
	# Nothing that happens to its own report matters.
	verdict 97 "verdict fail (2 processes)" -- sh -c '"$PROGRAM" clean; ACLCHECK_REPORT=$PWD/own.json "$PROGRAM"; rm own.json'
	verdict 97 "verdict fail (2 processes)" -- sh -c '"$PROGRAM" clean; ACLCHECK_JOB=other "$PROGRAM"; true'
	echo '{"lang": "zh"}' >c.json
	verdict 97 "verdict fail (2 processes)" -- sh -c '"$PROGRAM" clean; env -i LD_PRELOAD=$LD_PRELOAD ACLCHECK_CONFIG=$PWD/c.json "$PROGRAM"; true'
}

@test "one that cannot find the run is not covered" {
	unshare -n true 2>/dev/null || skip "no name space can be made"
	verdict 98 "did not join the run" -- sh -c '"$PROGRAM" clean; unshare -n env -i LD_PRELOAD=$LD_PRELOAD "$PROGRAM" >/dev/null 2>&1; true'
}

@test "one that opens the checker by itself: calls go past it" {
	cat >opens.c <<-'E'
		#include <dlfcn.h>
		int main(int argc, char **argv)
		{
			void *runtime, *checker = dlopen(argv[1], RTLD_NOW | (argc > 2 ? RTLD_LOCAL : RTLD_GLOBAL));
			int (*init)(const char *), (*again)(const char *);

			if (!checker || !(runtime = dlopen("libascendcl.so", RTLD_NOW)))
				return 9;
			init = (int (*)(const char *))dlsym(RTLD_DEFAULT, "aclInit");
			again = (int (*)(const char *))dlsym(runtime, "aclInit");
			return (init && init(0)) + !again(0);
		}
	E
	gcc -o opens opens.c
	for watch in auto notes; do
		for local in "" local; do
			# shellcheck disable=SC2016 # the shell below expands it
			verdict 98 inconclusive --watch $watch -- sh -c '"$PROGRAM" clean; LD_PRELOAD= ./opens "$BUILD/libaclcheck.so" '$local'; true'
			[[ $output == *"libaclcheck.so was opened by the program, not preloaded: calls go past it"* ]] || [ $watch = notes ]
		done
	done
}

@test "an own name space of process ids: it joins by its environment" {
	unshare -pf true 2>/dev/null || skip "no name space can be made"
	verdict 97 "verdict fail (2 processes)" -- sh -c '"$PROGRAM" clean; unshare -pf "$PROGRAM"; true'
	verdict 0 "verdict pass (2 processes)" -- sh -c '"$PROGRAM" clean; unshare -pf "$PROGRAM" clean; true'
}

@test "programs of a few milliseconds below one that is not covered" {
	not_seen="has mapped libascendcl.so without the checker"
	verdict 98 "$not_seen" -- sh -c '"$PROGRAM" clean; env -i PROGRAM="$PROGRAM" sh -c "\"\$PROGRAM\" clean; true"'
	printf 'all:\n\t@env -i "$(PROGRAM)" clean\n' >Makefile
	verdict 98 "$not_seen" -- sh -c '"$PROGRAM" clean; env -i PROGRAM="$PROGRAM" make -s'
	verdict 98 "$not_seen" -- sh -c '"$PROGRAM" clean; env -i perl -e "system(\$ARGV[0], \"clean\")" "$PROGRAM"'
	verdict 98 "$not_seen" -- sh -c '"$PROGRAM" clean; env -i sh -c "setsid setsid \"$PROGRAM\" clean >/dev/null 2>&1 & sleep 0.05"'
	verdict 0 "verdict pass (1 process)" -- sh -c '"$PROGRAM" clean; env -i sh -c "ls; sh -c \"ls | cat\"" >/dev/null'
}

@test "other name spaces: what cannot join, or cannot leave its report, is not passed" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	unshare -npf true 2>/dev/null || skip "no name space can be made"
	export LD_LIBRARY_PATH=
	for watch in auto notes; do
		options="--watch $watch"
		# shellcheck disable=SC2086
		for space in -n "-p -f" "-r -n -p -f"; do
			export space
			# The run's variables are there: nothing is missing.
			verdict 97 "verdict fail (2 processes)" $options -- sh -c '"$PROGRAM" clean; unshare $space "$PROGRAM"; true'
			verdict 0 "verdict pass (2 processes)" $options -- sh -c '"$PROGRAM" clean; unshare $space "$PROGRAM" clean; true'
			# They are not, and the ancestors may not answer.
			verdict 98 "did not join" $options -- sh -c '"$PROGRAM" clean
				unshare $space env -i LD_PRELOAD=$LD_PRELOAD LD_LIBRARY_PATH=$LD_LIBRARY_PATH "$PROGRAM"; true'
			verdict 0 "verdict pass (1 process)" $options -- sh -c '"$PROGRAM" clean
				unshare $space env -i LD_PRELOAD=$LD_PRELOAD LD_LIBRARY_PATH=$LD_LIBRARY_PATH /bin/true; true'
		done
		command -v setpriv >/dev/null || continue
		# No rights to the run's directory, and no way to the socket that has no place in the file system.
		# shellcheck disable=SC2086
		verdict 98 "report-lost: " $options -- sh -c '"$PROGRAM" clean; unshare -n setpriv --reuid=65534 --clear-groups "$PROGRAM"; true'
		# A run inside the run that cannot leave its report.
		# shellcheck disable=SC2086
		verdict 98 "could not be noted" $options -- sh -c '"$PROGRAM" clean
			TMPDIR=/tmp setpriv --reuid=65534 --clear-groups "$ACLCHECK" run --softnpu -- "$PROGRAM"; true'
	done
}

@test "the variables of a run that is none: not covered, nor is what is started with them" {
	mkdir other
	for watch in auto notes; do
		verdict 98 "did not join the run" --watch $watch -- sh -c '"$PROGRAM" clean; ACLCHECK_JOB=run-1-x ACLCHECK_RUN=$PWD/other "$PROGRAM"; true'
		verdict 98 "did not join the run" --watch $watch -- sh -c '"$PROGRAM" clean
			env -i LD_PRELOAD=$LD_PRELOAD LD_LIBRARY_PATH=$LD_LIBRARY_PATH ACLCHECK_JOB=run-1-x ACLCHECK_RUN=$PWD/other "$PROGRAM"; true'
	done
	verdict 98 "names another one" -- sh -c '"$PROGRAM" clean
		ACLCHECK_JOB=run-1-x ACLCHECK_RUN=$PWD/other sh -c "sh -c \"\\\"$PROGRAM\\\"; true\"; true"'
	# What a run inside the run started is its affair, used or not.
	verdict 0 "verdict pass (2 processes)" -- sh -c '"$PROGRAM" clean; "$ACLCHECK" run -- sh -c "sh -c \"\\\"$PROGRAM\\\" clean; true\"; true"'
	rm -r other
}

@test "name spaces in which neither the run's directory nor its command is to be seen" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	unshare -nm true 2>/dev/null || skip "no name space can be made"
	export hide='mount -t tmpfs none "$TMPDIR" && mkdir -p /tmp && mount --bind "$BUILD" /mnt && mount -t tmpfs none /tmp && mkdir -p "$BUILD" && mount --bind /mnt "$BUILD"'
	verdict 98 "sees neither" -- sh -c '"$PROGRAM" clean; unshare -nm sh -c "$hide && cd / && \"$PROGRAM\"; true"'
	verdict 98 "sees neither" -- sh -c '"$PROGRAM" clean; unshare -nm sh -c "$hide && cd / &&
		env -i LD_PRELOAD=$LD_PRELOAD LD_LIBRARY_PATH=$LD_LIBRARY_PATH \"$PROGRAM\"; true"'
	verdict 0 "verdict pass (1 process)" -- sh -c '"$PROGRAM" clean; unshare -nm sh -c "$hide && ls / >/dev/null; true"'
}

@test "system calls of one's own, static launchers" {
	cat >raw.c <<-'END'
		#define _GNU_SOURCE
		#include <signal.h>
		#include <sched.h>
		#include <sys/syscall.h>
		#include <sys/wait.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			char *none[] = {NULL};
			if (argc > 1 && !syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))
				syscall(SYS_execve, argv[1], argv + 1, none);
			return wait(NULL) < 0;
		}
	END
	cc -o raw raw.c
	cc -static -o raw-static raw.c
	verdict 98 "has mapped libascendcl.so without the checker" -- sh -c '"$PROGRAM" clean; ./raw "$PROGRAM" clean'
	verdict 98 "has mapped libascendcl.so without the checker" -- sh -c '"$PROGRAM" clean; ./raw-static "$PROGRAM" clean'
	verdict 0 "verdict pass (1 process)" -- sh -c '"$PROGRAM" clean; ./raw-static /bin/true'
	verdict 98 "without the checker" --watch notes -- sh -c '"$PROGRAM" clean; ./raw-static "$PROGRAM" clean'
	# They have a dynamic section, and no loader: position-independent ones, and the loader as a program.
	cc -static-pie -o raw-static-pie raw.c
	verdict 98 "without the checker" --watch notes -- sh -c '"$PROGRAM" clean; ./raw-static-pie "$PROGRAM" clean'
	loader=$(readelf -lW "$PROGRAM" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
	export loader
	for watch in auto notes; do
		verdict 98 "without the checker" --watch $watch -- sh -c '"$PROGRAM" clean
			env -u LD_PRELOAD "$loader" --library-path "$BUILD/softnpu" "$PROGRAM"; true'
	done
}

@test "another root directory, where our library is not" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	mkdir root
	for file in "$PROGRAM" $(ldd "$PROGRAM" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p'); do
		mkdir -p "root/$(dirname "$file")"
		cp -L "$file" "root/$file"
	done
	mkdir -p root/lib
	cp -L "$BUILD/softnpu/libascendcl.so" root/lib
	chroot root "$PROGRAM" clean || skip "no other root directory can be had"
	verdict 98 "has mapped libascendcl.so without the checker" -- sh -c '"$PROGRAM" clean; chroot root "$PROGRAM" clean 2>/dev/null'
	verdict 98 "has mapped libascendcl.so without the checker" -- sh -c '"$PROGRAM" clean; env -i "$(command -v chroot)" root "$PROGRAM" clean'
}

@test "a run inside a run: the outer one has verdict and findings of the inner one" {
	verdict 97 "verdict fail" --report outer.json -- sh -c '"$PROGRAM" clean; "$ACLCHECK" run --softnpu -- "$PROGRAM" >/dev/null 2>&1; true'
	[ "$(json outer.json 'len(r["processes"]), [(f["rule"], f["count"]) for f in r["findings"]]')" = "(2, [('async-copy-alignment', 1)])" ]
	verdict 97 "verdict fail" -- sh -c '"$PROGRAM" clean; "$ACLCHECK" run --softnpu --report inner.json -- "$PROGRAM" >/dev/null 2>&1; true'
	[ "$(json inner.json 'r["verdict"]')" = fail ]
	verdict 0 "verdict pass (2 processes)" -- sh -c '"$PROGRAM" clean; "$ACLCHECK" run --softnpu -- env -i LD_PRELOAD="$BUILD/libaclcheck.so" "$PROGRAM" clean >/dev/null 2>&1'
	verdict 98 "child-not-covered" -- sh -c '"$PROGRAM" clean; "$ACLCHECK" run --softnpu -- sh -c "\"$PROGRAM\" clean; env -i \"$PROGRAM\" clean" >/dev/null 2>&1; true'
	verdict 98 "nothing-observed" -- sh -c '"$PROGRAM" clean; "$ACLCHECK" run --softnpu -- true >/dev/null 2>&1; true'
}

@test "a run inside a run that does not say which: found by its ancestors; one that was killed" {
	verdict 97 "verdict fail" -- sh -c '"$PROGRAM" clean; env -u ACLCHECK_RUN -u ACLCHECK_JOB "$ACLCHECK" run --softnpu -- "$PROGRAM" >/dev/null 2>&1; true'
	# The inner one cannot remove its directory.
	mkdir other
	verdict 98 "left no report of what it ran" -- sh -c '"$PROGRAM" clean; export TMPDIR=$PWD/other; "$ACLCHECK" run --softnpu -- sh -c "\"$PROGRAM\"; kill -KILL \$PPID" >/dev/null 2>&1; true'
}

@test "a run that is killed itself leaves nothing, whenever that happens" {
	cleaners() {
		for p in $(pgrep -x aclcheck-clean); do
			grep -q -z -x "BATS_TEST_TMPDIR=$BATS_TEST_TMPDIR" "/proc/$p/environ" 2>/dev/null && echo "$p"
		done
	}
	nothing_left() { [ -z "$(ls -A tmp; ls -d r.json* "/tmp/aclcheck-run-$1-"* 2>/dev/null; cleaners)" ]; }
	for ((n = 0; n < 2 * TIMES; n++)); do
		rm -f at go
		# While the program runs, which goes on; and at any moment of the start.
		"$ACLCHECK" run --softnpu --report r.json -- sh -c '"$PROGRAM"; touch at; until [ -e go ]; do sleep 0.01; done; "$PROGRAM"' >/dev/null 2>&1 3>&- &
		command=$!
		if ((n % 2)); then sleep "0.0$((n % 10))"; else await test -e at; fi
		kill -KILL -- "$command"
		wait "$command" || :
		touch go
		await nothing_left "$command"
	done
	# A pipe that was its own ends with the program; what the run's end is made of is kept until then.
	rm -f at go
	"$ACLCHECK" run --softnpu -- sh -c 'echo $PPID >pid; touch at; until [ -e go ]; do sleep 0.01; done; ls "$ACLCHECK_RUN" >/dev/null && touch there' 2>&1 3>&- | cat >/dev/null &
	await test -e at
	kill -KILL "$(<pid)"
	touch go
	wait $!
	[ -e there ]
	await nothing_left "$(<pid)"
}

@test "the report of an earlier run is not taken for that of one that was killed" {
	"$ACLCHECK" run --softnpu --report r.json -- "$PROGRAM" clean
	ln -s r.json link.json
	# shellcheck disable=SC2016 # the shell below expands it
	run "$ACLCHECK" run --softnpu --report link.json -- sh -c '"$PROGRAM" clean; kill -9 $PPID; sleep 1'
	[ "$status" = 137 ]
	[ ! -e r.json ]
	"$ACLCHECK" run --softnpu --report r.json -- "$PROGRAM" clean
	# The link stays.
	"$ACLCHECK" run --softnpu --report link.json -- "$PROGRAM" clean
	[ "$(readlink link.json)" = r.json ]
	# shellcheck disable=SC2016 # the shell below expands it
	run "$ACLCHECK" run --softnpu --report r.json -- sh -c '"$PROGRAM" clean; kill -9 $PPID; sleep 1'
	[ ! -e r.json ]
	# The old report may be the baseline, too.
	"$ACLCHECK" run --softnpu --report r.json -- "$PROGRAM" clean
	run "$ACLCHECK" run --softnpu --report r.json --baseline r.json --fail-on new -- "$PROGRAM"
	[ "$status" = 97 ]
	run "$ACLCHECK" run --softnpu --report r.json --baseline r.json --fail-on new -- "$PROGRAM"
	[ "$status" = 0 ]
}

@test "what a run leaves that was killed with its cleaner is removed by the next one, when nothing uses it" {
	alone=$PWD/alone
	mkdir "$alone"
	cd "$alone"
	mkdir r.json.d.AAAAAA other.json.d.BBBBBB
	# Among what it leaves: the report of an earlier one, and that a recorder's time was over.
	"$ACLCHECK" run --softnpu --report r.json -- "$PROGRAM" clean
	"$ACLCHECK" run --softnpu --report r.json -- sh -c '"$PROGRAM" clean; : >"$ACLCHECK_RUN/$$.timed-out"; echo $$ >pid
		until [ -e go ]; do sleep 0.01; done' >/dev/null 2>&1 3>&- &
	command=$!
	await test -s pid
	left=$(ls -d r.json.d.* | grep -v AAAAAA)
	kill -KILL "$command" $(pgrep -x aclcheck-clean -P "$command")
	wait "$command" || :
	# its program runs on
	"$ACLCHECK" run --softnpu --report r.json -- "$PROGRAM" clean
	[ -d "$left" ]
	touch go
	gone() { ! kill -0 "$(<pid)" 2>/dev/null; }
	await gone
	# another report's run, and what no run has made
	"$ACLCHECK" run --softnpu --report s.json -- "$PROGRAM" clean
	[ -d "$left" ]
	"$ACLCHECK" run --softnpu --report r.json -- "$PROGRAM" clean
	[ "$(echo *.d.*)" = "other.json.d.BBBBBB r.json.d.AAAAAA" ]
	[ -z "$(ls -d "/tmp/aclcheck-run-$command-"* 2>/dev/null)" ]
}

@test "so is what one without a report file leaves" {
	mkdir tmp/aclcheck-AAAAAA
	"$ACLCHECK" run --softnpu -- sh -c '"$PROGRAM" clean; echo $$ >pid; until [ -e go ]; do sleep 0.01; done' >/dev/null 2>&1 3>&- &
	command=$!
	await test -s pid
	kill -KILL "$command" $(pgrep -x aclcheck-clean -P "$command")
	wait "$command" || :
	"$ACLCHECK" run --softnpu -- "$PROGRAM" clean
	[ "$(ls tmp | wc -l)" = 2 ]
	[ -S "/tmp/aclcheck-run-$command-"* ]
	touch go
	gone() { ! kill -0 "$(<pid)" 2>/dev/null; }
	await gone
	"$ACLCHECK" run --softnpu -- "$PROGRAM" clean
	[ "$(ls tmp)" = aclcheck-AAAAAA ]
	rmdir tmp/aclcheck-AAAAAA
	[ -z "$(ls -d "/tmp/aclcheck-run-$command-"* 2>/dev/null)" ]
}

@test "a process that was killed, whatever signal, and whatever it had done" {
	verdict 98 "($PROGRAM) ended without its end record" -- sh -c '"$PROGRAM" clean; "$PROGRAM" clean abort >/dev/null 2>&1; true'
	verdict 98 "($PROGRAM) ended without its end record" -- sh -c '"$PROGRAM" clean; "$PROGRAM" clean ready hang & until [ -e ready ]; do sleep 0.02; done; rm ready; kill -KILL $!; wait; true'
	verdict 97 "verdict fail" -- sh -c '"$PROGRAM" clean; "$PROGRAM" bug abort >/dev/null 2>&1; true'
}

@test "a process that was killed when its journal had been removed" {
	local killed='"$PROGRAM" clean; "$PROGRAM" clean ready hang & until [ -e ready ]; do sleep 0.02; done; rm ready'
	for watch in auto notes; do
		verdict 98 ".json.part was removed, and no report has taken its place" --watch $watch -- \
			sh -c "$killed"'; rm "$ACLCHECK_RUN"/*-$!.json.part; kill -KILL $!; wait; true'
		# Everything that the run has of them; the one that comes afterwards is seen.
		verdict 98 ".json.part was removed, and no report has taken its place" --watch $watch -- \
			sh -c "$killed"'; rm "$ACLCHECK_RUN"/*; kill -KILL $!; wait; "$PROGRAM" clean'
	done
	# One that writes its report all the same is not lost, nor one that becomes another program.
	verdict 0 "verdict pass" -- sh -c '"$PROGRAM" clean exec; "$PROGRAM" clean'
}

@test "a report of a newer format, and one that is damaged: inconclusive, named and kept" {
	# What a process of another release would leave.
	other='for f in "$ACLCHECK_RUN"/*.json; do sed -i "s/\"format\": *1,/\"format\":99,/" "$f"; done'
	damaged='for f in "$ACLCHECK_RUN"/*.json; do head -c 200 "$f" >x; cat x >"$f"; done; rm x'
	for ((i = 0; i < TIMES; i++)); do
		run "$ACLCHECK" run --softnpu -- sh -c '"$PROGRAM"; '"$other"'; "$PROGRAM" clean'
		[ "$status" = 98 ]
		[[ $output == *"report-unreadable: "*".json: format 99 is newer than this aclcheck reads (1)"* ]]
		[[ $output == *"are kept in $TMPDIR/aclcheck-"* ]]
		[ "$(ls tmp/*/*.json | wc -l)" = 2 ]
		rm -r tmp/*
		run "$ACLCHECK" run --softnpu -- sh -c '"$PROGRAM"; '"$damaged"'; "$PROGRAM" clean'
		[ "$status" = 98 ]
		[[ $output == *"report-unreadable: "* ]]
		rm -r tmp/*
	done
}

@test "reports of a newer format are refused by every reader, and named" {
	"$ACLCHECK" run --softnpu --report r.json -- "$PROGRAM" clean 2>/dev/null
	sed 's/"format": *1,/"format": 99,/' r.json >new.json
	head -1 <(printf '{"record":"start","aclcheck":"9.0","format":99,"job":"x","pid":1}\n') >new.json.part
	for command in "report new.json" "merge -o all.json r.json new.json" "merge -o all.json r.json new.json.part" "diff new.json r.json" \
		"suppress new.json --reason x" "run --softnpu --baseline new.json -- $PROGRAM clean"; do
		run "$ACLCHECK" $command
		echo "$command: $status, $output"
		[ "$status" = 99 ]
		[[ $output == *"format 99 is newer"* ]]
	done
	[ "$(json all.json 'r["verdict"], [d["reason"] for d in r["inconclusive"]]')" = "('inconclusive', ['report-unreadable'])" ]
}

# last CODE TEXT ARGUMENT...: exit code, and the last line that is said.
last() {
	for ((i = 1; i <= TIMES; i++)); do
		rm -rf r.json r.json.d.*
		run "$ACLCHECK" run "${@:3}"
		[ "$status" = "$1" ]
		[ "$(tail -n 1 <<<"$output")" = "aclcheck: status $2" ] || { echo "$output"; return 1; }
		# One line says the verdict.
		[ "$(grep -c '^aclcheck: verdict ' <<<"$output")" = 1 ]
		! grep -q '^ *verdict: ' <<<"$output" || { echo "$output"; return 1; }
	done
}

@test "the last line distinguishes the program's exit code and the verdict's" {
	last 97 "verdict=fail program=0 exit=97" --softnpu -- sh -c '"$PROGRAM"; "$PROGRAM" clean'
	last 98 "verdict=inconclusive program=signal-6 exit=98" --softnpu -- "$PROGRAM" clean abort
	once
	last 97 "verdict=pass program=97 exit=97" --softnpu -- "$PROGRAM" clean exit 97
	last 97 "verdict=fail program=0 exit=97" --softnpu -- "$PROGRAM"
	last 97 "verdict=fail program=98 exit=97" --softnpu -- "$PROGRAM" bug exit 98
	last 98 "verdict=inconclusive program=0 exit=98" -- true
	last 5 "verdict=fail program=5 exit=5" --keep-exit-code --softnpu -- "$PROGRAM" bug exit 5
}

@test "a report that cannot be written: the verdict says so, once" {
	once
	last 98 "verdict=inconclusive program=0 exit=98" --softnpu --report r.json -- sh -c '"$PROGRAM" clean; mkdir -p r.json'
	[[ $output == *"verdict inconclusive (1 process); report-lost: r.json could not be written"* ]]
	last 97 "verdict=fail program=0 exit=97" --softnpu --report r.json -- sh -c '"$PROGRAM"; mkdir -p r.json'
}

# refused TEXT ARGUMENT...: nothing runs, and what would be right is said.
refused() {
	for ((i = 1; i <= TIMES; i++)); do
		run "$ACLCHECK" "${@:2}"
		[[ $status = 99 && $output == *"$1"* && ! -e ran ]] || { echo "$status: $output"; return 1; }
	done
}

@test "wrong values are refused before anything runs, with the valid form" {
	once
	for devices in 8x 65 -1 x ""; do
		refused "expected 0 to 64: --softnpu=2" run "--softnpu=$devices" -- touch ran
	done
	for soc in Ascend Ascend920 910B ascend910b Ascend910B1x2y3z "Ascend910B 1" Ascend950PR_ Ascend950PR_95x; do
		refused "must begin with one of Ascend310|" run --soc "$soc" -- touch ran
	done
	refused "a value is missing before '--'" run --report -- touch ran
	refused "a value is missing before '--'" run --softnpu --rules -- touch ran
	refused "expected auto or notes" run --watch x -- touch ran
	for day in 2027-13-45 2027-02-29 2027-00-10 2027-04-31 27-1-1 tomorrow; do
		echo '{"suppressions": [{"rule": "x", "reason": "y", "until": "'$day'"}]}' >s.json
		refused "must be a date like 2027-01-31" run --suppress s.json -- touch ran
		refused "expected a day: --until 2027-01-31" suppress --until $day none.json
	done
	for reason in "" " " '\t\n'; do
		echo '{"suppressions": [{"rule": "x", "reason": "'"$reason"'"}]}' >s.json
		refused "reason: is required" run --suppress s.json -- touch ran
	done
	refused "it is blank" suppress --reason "  " none.json
	: >plain
	refused "it is not executable (chmod +x)" run -- ./plain
	refused "no such file" run -- ./none
	refused "no such program in PATH" run -- no-such-program
	for soc in Ascend910B1 Ascend910_9392 Ascend950PR_9599; do
		run "$ACLCHECK" run --softnpu=3 --soc $soc -- "$PROGRAM" clean
		[ "$status" = 0 ] || { echo "$soc: $output"; return 1; }
	done
}

@test "paths named in messages are there afterwards" {
	for ((i = 1; i <= TIMES; i++)); do
		run "$ACLCHECK" run --softnpu -- sh -c '"$PROGRAM"; ACLCHECK_REPORT=own.json "$PROGRAM"'
		for path in $(grep -oE '(^| )/[^ :,;()]+' <<<"$output" | grep -v '^ */proc'); do
			[ -e "$path" ] || { echo "$path is gone: $output"; return 1; }
		done
	done
}

@test "the time is over: inconclusive, and which thread was in which call" {
	cat >waits.c <<-'END'
		#include <acl/acl.h>
		#include <unistd.h>
		static void never(void *unused)
		{
			(void)unused;
			for (;;)
				pause();
		}
		int main(void)
		{
			aclrtStream s;
			aclInit(NULL);
			aclrtSetDevice(0);
			aclrtCreateStream(&s);
			aclrtLaunchHostFunc(s, never, NULL);
			return aclrtSynchronizeStream(s);
		}
	END
	cc -I"$BUILD/include" -o waits waits.c -L"$BUILD/softnpu" -lascendcl -lacl_rt
	TIMES=3
	verdict 98 "was in aclrtSynchronizeStream(stream=0x" --timeout 1 --report r.json -- ./waits
	[[ $output == *"timeout: the program was ended after 1 second; thread "* ]]
	[ "$(json r.json '[d["text"].count("was in") for d in r["inconclusive"] if d["reason"] == "timeout"]')" = "[1]" ]
	verdict 98 "timeout: the program was ended after 1 second" --timeout 1 -- sh -c 'sleep 9'
}

@test "the time is over: what the thread waits for, from stream to stream, and what would have to happen" {
	cat >hang.c <<-'END'
		#include <string.h>
		#include <unistd.h>
		#include "acl/acl.h"
		static void never(void *unused)
		{
			(void)unused;
			for (;;)
				pause();
		}
		int main(int argc, char **argv)
		{
			aclrtStream one, two;
			aclrtEvent behind, first;
			int callback = argc > 1 && !strcmp(argv[1], "callback");
			aclInit(NULL);
			aclrtSetDevice(0);
			aclrtCreateStream(&one);
			aclrtCreateStream(&two);
			aclrtCreateEventWithFlag(&first, ACL_EVENT_SYNC);
			aclrtCreateEventExWithFlag(&behind, ACL_EVENT_SYNC);
			if (callback)
				aclrtLaunchHostFunc(two, never, NULL);
			else
				aclrtStreamWaitEvent(two, first);
			aclrtRecordEvent(behind, two);
			aclrtStreamWaitEvent(one, behind);
			return aclrtSynchronizeStream(one);
		}
	END
	cc -I"$BUILD/include" -o hang hang.c -L"$BUILD/softnpu" -lascendcl -lacl_rt
	TIMES=1
	way='was in aclrtSynchronizeStream\(stream=(0x[0-9a-f]+)\); stream (0x[0-9a-f]+) waits for event 0x[0-9a-f]+, which is left to stream (0x[0-9a-f]+) \(aclrtRecordEvent\); stream (0x[0-9a-f]+) '
	# The wait itself is a finding: no other thread could record the event.
	verdict 97 "(aclrtStreamWaitEvent), and none of the last calls records it" --timeout 1 -- ./hang
	[[ $output =~ ${way}waits\ for\ event ]]
	[ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ]
	[ "${BASH_REMATCH[3]}" = "${BASH_REMATCH[4]}" ]
	[ "${BASH_REMATCH[1]}" != "${BASH_REMATCH[3]}" ]
	verdict 98 "of aclrtLaunchHostFunc, which may not have returned" --timeout 1 -- ./hang callback
	[[ $output =~ ${way}has\ the\ callback ]]
}

@test "a process that has no descriptor left: what it cannot report is not passed" {
	cat >full.c <<-'E'
		#include <stdlib.h>
		#include <sys/resource.h>
		#include <sys/wait.h>
		#include <unistd.h>
		#include "acl/acl.h"
		int main(void)
		{
			struct rlimit none = {3, 3};
			aclInit(NULL);
			if (!fork()) {
				setrlimit(RLIMIT_NOFILE, &none);
				aclInit(NULL);
				aclInit(NULL);
				exit(0);
			}
			wait(NULL);
			aclFinalize();
			return 0;
		}
	E
	cc -I"$BUILD/include" -o full full.c -L"$BUILD/softnpu" -lascendcl -Wl,-rpath,"$BUILD/softnpu"
	verdict 98 "cannot be written: Too many open files" -- ./full
	verdict 98 "cannot be written: Too many open files" --watch notes --report r.json -- ./full
	[ "$(echo r.json*)" = r.json ]
}
