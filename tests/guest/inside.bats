#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Calls inside calls: the runtime's own, callbacks, signal handlers, other languages' exceptions.

load guest.bash

@test "the runtime's own calls are seen and not checked" {
	cat >inner.c <<-'E'
		#include "acl/acl.h"
		int main(void)
		{
			void *p;
			aclInit(NULL);
			aclrtSetDevice(0);
			aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST);
			aclrtFree(p);
			return aclFinalize();
		}
	E
	$CC -I"$ACLCHECK_BUILD/include" -o inner inner.c -L"$softnpu" -lascendcl
	export LD_LIBRARY_PATH=$guest/small
	traced ./inner
	grep -q 'enter aclrtMallocAlign32 path=inside' events
	grep -q 'enter aclrtMalloc path=linked' events
	ACLCHECK_LOG=off checked ./inner
	[ "$(field calls)" = 5 ]
}

@test "launched callbacks: own data, once each, from two threads" {
	same_as_without "$guest/callbacks" launches
	[ "$(cat ours.out)" = ok ]
	traced "$guest/callbacks" launches
	[ "$(grep -c '^begin aclrtLaunchHostFunc .*depth=1' events)" -eq 4000 ]
	[ "$(grep -c 'enter aclrtGetCurrentContext .*depth=1' events)" -eq 2000 ]
	! grep 'enter aclrtGetCurrentContext' events | grep -q depth=0
}

@test "captured callbacks run at every execution" {
	same_as_without "$guest/callbacks" captured
	[ "$(cat ours.out)" = ok ]
}

@test "registered callbacks: taking one back takes that one" {
	export LD_LIBRARY_PATH=$guest/small
	$CC -I"$ACLCHECK_BUILD/include" -pthread -o callbacks "$ACLCHECK_SOURCE/tests/guest/callbacks.c" -L"$softnpu" -lascendcl
	same_as_without ./callbacks registered
	[ "$(cat ours.out)" = ok ]
	traced ./callbacks registered
	[ "$(grep -c '^begin ' events)" -eq 3 ]
	grep -q 'enter aclrtSetDevice .*path=linked depth=1' events
}

@test "a signal handler that calls while the tool is at work" {
	ACLCHECK_LOG=$place/log run timeout 60 env LD_PRELOAD="$library" "$guest/signals" storm
	[ "$status" -eq 0 ]
	[ "$output" = ok ]
}

@test "a callback left by longjmp: later calls are checked again" {
	export LD_LIBRARY_PATH=$guest/small
	$CC -I"$ACLCHECK_BUILD/include" -pthread -o signals "$ACLCHECK_SOURCE/tests/guest/signals.c" -L"$softnpu" -lascendcl
	traced ./signals jump
	grep -v '^describe' events | tail -3 | grep -q 'enter aclFinalize path=linked depth=0'
}

@test "fork: the trace provider is notified" {
	traced "$guest/ending" fork-after
	grep -q '^before_fork' events
	grep -q '^after_fork_parent' events
	grep -q '^after_fork_child' events
	! grep -q 'pid=0\|tid=0' events
}

@test "no provider, or one that refuses: one line, the run goes on" {
	mkdir lib
	cp "$library" lib
	ACLCHECK_TRACE=on LD_PRELOAD=$place/lib/libaclcheck.so "$guest/ending" return >out 2>err
	[ "$(grep -c 'no trace' err)" -eq 1 ]
	GUEST_REFUSE=1 ACLCHECK_TRACE=on LD_PRELOAD=$guest/traced/libaclcheck.so "$guest/ending" return >out 2>err
	[ "$(grep -c 'no trace.*the test wants it so' err)" -eq 1 ]
	grep -q out out
}

@test "checks off: calls go through untouched, and that is not called a pass" {
	ACLCHECK_CHECKS=off same_as_without "$guest/ending" return 1
	[ "$(field verdict)" = inconclusive ]
	[ "$(field calls)" = 0 ]
	grep -q checks-off report.json
}

@test "target_cann=auto follows the runtime that is there" {
	export ACLCHECK_LOG=off ACLCHECK_TARGET_CANN=auto
	SOFTNPU_CANN=9.1 checked "$guest/ending" return 1
	[ "$(field verdict)" = pass ]
	[[ $(field runtime_version) == 9.1.* ]]
	rm report.json
	SOFTNPU_CANN=8.1 checked "$guest/ending" return 1
	[ "$(field verdict)" = fail ]
}

@test "traced without checks: callbacks are seen, too" {
	ACLCHECK_CHECKS=off traced "$guest/callbacks" captured
	[ "$(grep -c '^begin aclrtLaunchHostFunc' events)" -eq 5 ]
	grep -q 'leave aclmdlRIDestroy' events
}

@test "a first call while another thread waits for it in dlopen" {
	cat >loads.c <<-'E'
		#include <dlfcn.h>
		#include <stdio.h>
		#include "acl/acl.h"
		int main(int argc, char **argv)
		{
			/* Linked to the runtime, which it does not call itself. */
			void *volatile needed = (void *)aclrtSetDevice;
			return argc == 2 && needed && dlopen(argv[1], RTLD_NOW) ? 0 : 1;
		}
	E
	$CC -I"$ACLCHECK_BUILD/include" -o loads loads.c -L"$softnpu" -lascendcl -ldl
	export LD_LIBRARY_PATH=$softnpu ACLCHECK_LOG=off
	run timeout 20 ./loads "$guest/libwaiter.so"
	[ "$status" -eq 0 ]
	checked timeout 20 ./loads "$guest/libwaiter.so"
	[ "$(field verdict)" = fail ]
	grep -q '"function":"use"' report.json
	rm report.json
	# By name, too: the pointer was fetched before.
	cat >byname.c <<-'E'
		#include <dlfcn.h>
		int main(int argc, char **argv)
		{
			void *runtime = dlopen("libascendcl.so", RTLD_NOW | RTLD_GLOBAL);
			return argc == 2 && dlsym(runtime, "aclInit") && dlopen(argv[1], RTLD_NOW) ? 0 : 1;
		}
	E
	$CC -o byname byname.c -ldl
	checked timeout 20 ./byname "$guest/libwaiter.so"
	[ "$(field verdict)" = fail ]
}

@test "the same with a signal stack above the thread's own" {
	ACLCHECK_LOG=$place/log run timeout 60 env LD_PRELOAD="$library" "$guest/signals" stack
	[ "$status" -eq 0 ]
	[ "$output" = ok ]
}

@test "a finding in a signal handler has its file and line" {
	ACLCHECK_LOG=off checked "$guest/signals" once
	python3 - report.json <<-'E'
		import json, sys
		found = json.load(open(sys.argv[1]))["findings"]
		top = {f["rule"]: f["stack"][0] for f in found}
		handler = [f["stack"] for f in found if f["call"] == "aclrtFree"][0]
		assert handler[0]["function"] == "tick" and handler[0]["file"].endswith("signals.c"), handler
		assert top["init-repeat"]["function"] == "main" and top["init-repeat"]["file"], top
	E
}
