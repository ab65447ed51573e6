#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Processes that the program makes: each has a report of its own, or none, and never writes into another's.

load guest.bash

@test "a child of the bare system call leaves its parent's journal alone" {
	for how in fork clone; do
		same_as_without "$guest/child" $how
		grep -q 'child 3' ours.out
		[ "$(field verdict)" = pass ]
		[ "$(field findings)" = "[]" ]
		[ ! -s log ] || ! grep -q init-repeat log || return 1
		rm -f report*.json log
	done
}

@test "what such a child does wrong is in no report, and the run does not pass" {
	for watch in auto notes; do
		for how in fork clone; do
			run "$ACLCHECK_BUILD/aclcheck" run --watch $watch --report r.json -- "$guest/child" $how
			echo "$how, $watch: $output"
			[ "$status" = 98 ]
			[[ $output == *"report-lost: process "*" was forked past the C library: what it does wrong (init-repeat) is in no report"* ]]
			[ "$(field findings r.json)" = "[]" ]
		done
	done
	# With its parent's memory: the parent's report names it as well.
	run "$ACLCHECK_BUILD/aclcheck" run --report r.json -- "$guest/child" vfork
	[ "$status" = 98 ]
	[[ $output == *"(1 process); report-lost: process "*" was forked past the C library: what it does wrong (init-repeat) is in no report"* ]]
	[ -z "$(compgen -G 'r.json.d.*')" ]
	checked "$guest/child" vfork
	[ "$(field verdict)" = inconclusive ]
	run "$ACLCHECK_BUILD/aclcheck" report report.json
	[ "$status" = 98 ]
	# Calls that are in order leave nothing to miss.
	run "$ACLCHECK_BUILD/aclcheck" run --report r.json -- "$guest/child" fork-right
	[ "$status" = 0 ]
}

@test "nor its last calls" {
	checked "$guest/child" fork
	[ "$(field calls)" = 4 ]
}

@test "the parent of daemon() has ended, it was not killed" {
	# What reads the pipe waits for the child, too.
	# shellcheck disable=SC2016 # the shell below expands it
	same_as_without sh -c '"$0" daemon | cat' "$guest/child"
	[ "$(cat ours.out)" = "daemon 1" ]
	[ "$(field verdict)" = pass ]
	[ "$(field end)" = quick-exit ]
	[ "$(field verdict report.*.json)" = pass ]
	! compgen -G '*.part' || return 1
}

@test "daemon() where the session has no number, as in a container that was entered from outside" {
	# Another number afterwards would be another run, whose first process takes the report's name over.
	# shellcheck disable=SC2016 # the shell below expands it
	LD_PRELOAD="$guest/session_shim.so $library" ACLCHECK_REPORT=$place/report.json sh -c '"$0" daemon | cat' "$guest/child"
	[ "$(field end)" = quick-exit ]
	[ "$(field end report.*.json)" = exit ]
	[[ $(field job) == *:0:0 ]]
}

@test "daemon() ends with the exit code that was asked for" {
	ended=0
	ACLCHECK_EXITCODE=9 checked "$guest/child" daemon-mistake >out 2>&1 || ended=$?
	[ "$ended" -eq 9 ]
	[ "$(field verdict)" = fail ]
}

@test "daemon() in a run: every process has its report" {
	"$ACLCHECK_BUILD/aclcheck" run --report whole.json -- "$guest/child" daemon
	[ "$(field verdict whole.json)" = pass ]
}

@test "a program of another C library is not affected" {
	cat >other.c <<-'E'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static void bye(void)
		{
			puts("bye");
		}
		int main(void)
		{
			char line[16] = "";
			FILE *sub;
			int status;
			atexit(bye);
			printf("%d %d\n", system("echo sub; exit 4"), !dlsym(RTLD_DEFAULT, "printf"));
			fflush(stdout);
			if (!fork())
				_exit(3);
			wait(&status);
			sub = popen("echo piped", "r");
			if (!fgets(line, sizeof(line), sub))
				return 1;
			printf("%d %s%d\n", WEXITSTATUS(status), line, pclose(sub));
			fflush(stdout);
			if (!fork()) {
				execlp("echo", "echo", "executed", (char *)NULL);
				_exit(5);
			}
			wait(&status);
			return 7;
		}
	E
	musl-gcc -o other other.c
	same_as_without ./other
	grep -q bye ours.out
	same_as_without sh -c './other; echo $?'
}
