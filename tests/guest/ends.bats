#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# However a process ends, its result is its own and the end record is written.

load guest.bash

@test "return, exit, _exit, _Exit, quick_exit: output and code are the program's own" {
	for how in return exit _exit _Exit quick_exit atexit late thread handler quick-handler last-thread; do
		for code in 0 3; do
			same_as_without "$guest/ending" $how 1 $code || {
				echo "$how $code"
				return 1
			}
			[[ $(field end) == *exit ]] || {
				echo "$how: $(field end)"
				return 1
			}
			[ "$(field verdict)" = fail ]
			rm report.json
		done
	done
}

@test "abort and SIGKILL stay; the journal is there without an end" {
	for how in abort kill; do
		run "$guest/ending" $how 1
		plain=$status
		ACLCHECK_LOG=off run checked "$guest/ending" $how 1
		[ "$status" -eq "$plain" ]
		[ ! -e report.json ]
		[ -s report.json.part ]
		grep -q init-repeat report.json.part
		rm report.json.part
	done
}

@test "errno after checked calls is what the runtime leaves" {
	same_as_without "$guest/ending" errno
	grep -q '^1234$' ours.out
	grep -q init-repeat report.json
}

@test "errno after calls for which the system refuses the tool something" {
	cat >kept.c <<-'E'
		#include <acl/acl.h>
		#include <aclcheck.h>
		#include <errno.h>
		#include <stdio.h>
		#include <string.h>
		#include <sys/mman.h>
		#include <unistd.h>
		#define KEPT(call) do { errno = 1234; call; if (errno != 1234) dprintf(9, "%d after %s\n", errno, #call); } while (0)
		#define AT(begin, i) ((void *)((begin) + (i) * 64))
		/* Tables grow and shrink. The runtime's functions do nothing: each handle is what it was. */
		static void many(void)
		{
			for (long i = 1; i < 20000; i++) {
				void *event = AT(0x200000000000, i), *stream = AT(0x300000000000, i);
				KEPT(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
				if (i < 2000)
					KEPT(aclrtCreateStream(&stream));
			}
			for (long i = 1; i < 20000; i++)
				KEPT(aclrtDestroyEvent(AT(0x200000000000, i)));
		}
		static void waits(void)
		{
			void *notify = AT(0x400000000000, 1), *stream = AT(0x500000000000, 1);
			KEPT(aclrtCreateStream(&stream));
			KEPT(aclrtCreateNotify(&notify, 0));
			for (int i = 0; i < 3; i++) {
				KEPT(aclrtWaitAndResetNotify(notify, stream, 0));
				KEPT(aclrtSynchronizeStream(stream));
			}
			KEPT(aclInit("/none"));
		}
		static void scopes(void)
		{
			for (int i = 0; i < 3; i++) {
				KEPT(ACLCHECK_EXPECT_BEGIN("init-*", "not there"));
				KEPT(ACLCHECK_EXPECT_END());
			}
		}
		int main(int argc, char **argv)
		{
			dup2(1, 9);
			KEPT(aclInit(NULL));
			KEPT(aclrtSetDevice(0));
			if (!strcmp(argv[1], "locked") && mlockall(MCL_CURRENT | MCL_FUTURE))
				return 1;
			if (!strcmp(argv[1], "closed"))
				close(0), close(1), close(2);
			if (strcmp(argv[1], "scopes"))
				many(), waits();
			scopes();
			dprintf(9, "done\n");
			_exit(0);
		}
	E
	$CC -w -I"$ACLCHECK_BUILD/include" -I"$ACLCHECK_SOURCE/include" -o kept kept.c -L"$guest/empty" -lascendcl -Wl,-z,now -Wl,-rpath,"$guest/empty"
	mkdir events
	{
		ACLCHECK_LOG=off checked ./kept closed
		ACLCHECK_LOG=off LD_PRELOAD=$library ./kept closed
		ACLCHECK_LOG=off LD_PRELOAD=$library ./kept locked
		traced ./kept scopes 2>/dev/null
	} | tee said
	[ "$(sort -u said)" = done ]
}

@test "errno when main begins, and after hooks of the C library" {
	cat >main.c <<-'E'
		#include <dlfcn.h>
		#include <errno.h>
		#include <spawn.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		#define SAY(call) do { call; printf("%d %s\n", errno, #call); errno = 0; } while (0)
		extern char **environ;
		int main(int argc, char **argv)
		{
			char *arguments[] = {"true", NULL};
			void *runtime, *f;
			pid_t pid;
			SAY((void)0);
			SAY(runtime = dlopen("libascendcl.so", RTLD_NOW));
			SAY(f = dlsym(runtime, "aclInit"));
			SAY(f = dlsym(runtime, "aclrtSetDevice"));
			SAY(((int (*)(int))f)(0));
			SAY(f = dlvsym(RTLD_DEFAULT, "aclrtFree", "none"));
			SAY(posix_spawnp(&pid, "true", NULL, NULL, arguments, environ));
			SAY(waitpid(pid, NULL, 0));
			SAY(pid = fork());
			if (!pid)
				_exit(0);
			SAY(waitpid(pid, NULL, 0));
			SAY(pid = vfork());
			if (!pid)
				_exit(0);
			SAY(waitpid(pid, NULL, 0));
			SAY(system("true"));
			SAY(pclose(popen("true", "r")));
			SAY(dlclose(runtime));
			SAY(execl("/none", "none", NULL));
			fflush(stdout);
			quick_exit(0);
		}
	E
	$CC -w -o named main.c -ldl
	$CC -w -o linked main.c -L"$softnpu" -Wl,--no-as-needed -lascendcl -ldl -Wl,-rpath,"$softnpu"
	export LD_LIBRARY_PATH=$softnpu
	unset ACLCHECK_TRACE # whether LTTng is wanted is looked for
	same_as_without ./named
	same_as_without ./linked
	grep -q '^0 (void)0$' ours.out
}

@test "ACLCHECK_EXITCODE replaces 0 only, and not when the verdict is pass" {
	for how in return exit _exit _Exit quick_exit; do
		ACLCHECK_EXITCODE=42 run checked "$guest/ending" $how 1 0
		[ "$status" -eq 42 ] || { echo "$how: $status"; return 1; }
		ACLCHECK_EXITCODE=42 run checked "$guest/ending" $how 1 3
		[ "$status" -eq 3 ]
		ACLCHECK_EXITCODE=42 run checked "$guest/ending" $how 0 0
		[ "$status" -eq 0 ]
		# Inconclusive.
		ACLCHECK_CHECKS=off ACLCHECK_EXITCODE=42 run checked "$guest/ending" $how 1 0
		[ "$status" -eq 42 ]
	done
}

@test "ACLCHECK_EXITCODE comes after atexit handlers and the flush of stdio" {
	ACLCHECK_EXITCODE=42 ACLCHECK_LOG=off run checked "$guest/ending" atexit 1 0
	[ "$status" -eq 42 ]
	[ "$output" = "$(printf 'out\natexit')" ]
}

@test "exec of every kind: an end record before, the new program as asked for" {
	for how in execve execv execvp execvpe execl execlp execle fexecve; do
		same_as_without "$guest/ending" $how 1
		tail -1 report.json.part | grep -q '"verdict":"fail".*"end":"exec"' || { echo "$how"; return 1; }
		rm report.json.part
	done
	grep -q 'exec env' ours.out
}

@test "an exec that fails is no end: later calls count" {
	same_as_without "$guest/ending" exec-fails
	[ "$(field end)" = exit ]
	[ "$(field calls)" = 3 ]
	grep -q init-repeat report.json
}

@test "fork before use: the child has its own report" {
	ACLCHECK_LOG=off ACLCHECK_REPORT=$place/%p.json LD_PRELOAD=$library run "$guest/ending" fork-before 1
	[ "$output" = "child 3" ]
	set -- *.json
	[ $# -eq 1 ]
	[ "$(field verdict "$1")" = fail ]
}

@test "fork after use: parent and child check for themselves" {
	ACLCHECK_LOG=off ACLCHECK_REPORT=$place/%p.json LD_PRELOAD=$library run "$guest/ending" fork-after
	[ "$output" = "child 0" ]
	set -- *.json
	[ $# -eq 2 ]
	# The child's first aclInit is its own where the runtime takes it, its second one is a repeat; the parent made one.
	cat -- "$@" | grep -o '"verdict":"[a-z]*"' | sort >verdicts
	[ "$(tr '\n' ' ' <verdicts)" = '"verdict":"fail" "verdict":"pass" ' ]
}

@test "a forked child copies few pages of the tool's" {
	cat >child.c <<-'E'
		#include "acl/acl.h"
		#include <pthread.h>
		#include <stdio.h>
		#include <sys/resource.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static void *use(void *unused)
		{
			int32_t device;
			aclrtGetDevice(&device);
			pause();
			return unused;
		}
		int main(void)
		{
			struct rusage used;
			pthread_t thread;
			if (aclInit(0) || aclInit(0) == 1 || aclrtSetDevice(0))
				return 1;
			for (int i = 0; i < 3; i++)
				pthread_create(&thread, 0, use, 0);
			usleep(100000);
			for (int i = 0; i < 10; i++) {
				if (!fork())
					_exit(0);
				wait(0);
			}
			getrusage(RUSAGE_CHILDREN, &used);
			printf("%ld\n", used.ru_minflt / 10);
			fflush(stdout);
			_exit(0);
		}
	E
	$CC -w -I"$ACLCHECK_BUILD/include" -o child child.c -L"$softnpu" -lascendcl -lacl_rt -lpthread -Wl,-rpath,"$softnpu"
	plain=$(./child)
	ours=$(LD_PRELOAD=$library ACLCHECK_LOG=off ./child)
	echo "pages: $plain without, $ours with the tool"
	[ $((ours - plain)) -lt 150 ]
}

@test "fork after a mistake: a child that makes it again reports it" {
	ACLCHECK_LOG=off ACLCHECK_REPORT=$place/%p.json LD_PRELOAD=$library run "$guest/ending" fork-repeat
	[ "${lines[0]}" = "child 0" ]
	set -- *.json
	[ $# -eq 2 ]
	for report in "$@"; do
		[ "$(grep -o '"rule":"api-error"' "$report" | wc -l)" -eq 1 ] || { cat "$report"; return 1; }
	done
}

@test "a forked child that makes no call leaves no report and reports no leak" {
	ACLCHECK_LOG=off ACLCHECK_REPORT=$place/%p.json LD_PRELOAD=$library run "$guest/ending" fork-unused
	set -- *.json
	[ $# -eq 1 ]
	[ "$(field calls "$1")" = 2 ]
}

@test "a vfork child that fails to exec is not us" {
	ACLCHECK_EXITCODE=42 same_as_without "$guest/ending" vfork
	grep -q 'child 6' ours.out
	[ "$(field end)" = exit ]
	[ "$(field calls)" = 2 ]
}

@test "os._exit of a forked Python worker" {
	cat >worker.py <<-'E'
		import ctypes, os
		if os.fork() == 0:
		    acl = ctypes.CDLL("libascendcl.so")
		    acl.aclInit(None)
		    acl.aclInit(None)
		    os._exit(0)
		print(os.wait()[1] >> 8)
	E
	export LD_LIBRARY_PATH=$softnpu ACLCHECK_LOG=off
	LD_PRELOAD=$library ACLCHECK_REPORT=$place/%p.json run python3 worker.py
	[ "$output" = 0 ]
	set -- *.json
	[ $# -eq 1 ]
	[ "$(field end "$1")" = quick-exit ]
	[ "$(field verdict "$1")" = fail ]
	LD_PRELOAD=$library ACLCHECK_EXITCODE=42 run python3 worker.py
	[ "$output" = 42 ]
}

@test "exit in a library's constructor" {
	export EARLY_EXIT=1
	same_as_without "$guest/early_main"
	[ "$(field end)" = exit ]
	grep -q init-repeat report.json
}

@test "calls before our constructor and after main" {
	same_as_without "$guest/early_main"
	[ "$(field calls)" = 6 ]
	[ "$(field verdict)" = pass ]
	traced "$guest/early_main"
	grep -q 'leave aclInit .*exit=0' events
	grep -q 'leave aclFinalize .*exit=1 .*result=0' events
}

@test "calls in atexit handlers are seen, before the end record" {
	traced "$guest/ending" late
	[ "$(grep -c 'leave aclInit' events)" -eq 2 ]
	grep 'enter aclFinalize' events | tail -1 | grep -q exit=1
	tail -1 events | grep -q 'describe verdict='
}

@test "a descriptor the program closed and reused is not written to" {
	OWN_FILE=$place/own checked "$guest/ending" reuse 2>err
	[ "$(cat own)" = mine ]
	[ "$(field verdict)" = fail ]
}

@test "a program that closes all descriptors is still reported" {
	checked "$guest/ending" close-all 2>err
	[ "$(field verdict)" = fail ]
	[ "$(field end)" = exit ]
}

@test "the process ends while other threads call" {
	for how in calling calling_exit; do
		for i in 1 2 3; do
			ACLCHECK_LOG=off run checked timeout 20 "$guest/ending" $how
			[ "$status" -eq 0 ] || { echo "$how $i: $status"; return 1; }
			# Whether a thread is inside of a call at that moment is chance; that the report is whole is not.
			[[ $(field verdict) =~ ^(pass|fail)$ ]]
			rm report.json
		done
	done
}

@test "an exec that fails beside threads that call: nothing is missed, nothing is wrong" {
	same_as_without "$guest/ending" exec-fails-beside
	[ "$(json report.json '[f["rule"] for f in r["findings"] if f["severity"] == "error"], r["inconclusive"]')" = "([], [])" ]
	[ "$(field end)" = exit ]
}

@test "a thread that calls in the last of its destructors leaves nothing of itself to the next one" {
	cat >last.c <<-'E'
		#define _GNU_SOURCE
		#include <pthread.h>
		#include <stdio.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		#include "acl/acl.h"
		static pthread_key_t key;
		static void once_more(void *p)
		{
			int32_t device;
			aclrtGetDevice(&device);
			pthread_setspecific(key, p);
		}
		static void *first(void *own)
		{
			*(pthread_t *)own = pthread_self();
			aclrtSetDevice(0);
			pthread_setspecific(key, own);
			return NULL;
		}
		static void *second(void *other)
		{
			if (pthread_self() != *(pthread_t *)other)
				printf("elsewhere ");
			aclInit(NULL);
			printf("%ld\n", (long)syscall(SYS_gettid));
			return NULL;
		}
		int main(void)
		{
			pthread_t thread, own;
			aclInit(NULL);
			pthread_key_create(&key, once_more);
			for (int i = 0; i < 2; i++) {
				pthread_create(&thread, NULL, i ? second : first, &own);
				pthread_join(thread, NULL);
			}
			aclFinalize();
			return 0;
		}
	E
	$CC -I"$ACLCHECK_BUILD/include" -o last last.c -pthread -L"$softnpu" -lascendcl -Wl,-rpath,"$softnpu"
	ACLCHECK_LOG=off checked ./last >out
	[ "$(json report.json 'r["findings"][0]["thread"]')" = "$(cat out)" ]
}
