#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The library under the sanitizers, and the plain library in programs built with them.

load guest.bash

# sanitized asan|tsan PRELOAD PROGRAM...: no report of the sanitizer, the program's own result
sanitized() {
	local kind=$1 preload=$2 build=$ACLCHECK_BUILD/$1 status=0

	shift 2
	# TSan runs handlers itself, later and from its own frames: nothing tells that a finding is made in one.
	ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=report_signal_unsafe=0 LD_PRELOAD=$preload ACLCHECK_LOG=$place/log \
		ACLCHECK_REPORT=$place/%p.json timeout 120 "$build/tests/guest/$@" >out 2>err || status=$?
	if [ "$status" -ne 0 ] || grep -E -q 'Sanitizer|runtime error' err; then
		echo "$kind $*: $status"
		head -40 err
		return 1
	fi
	# It was checked, not merely run.
	grep -q '"verdict"' ./*.json
	rm -f ./*.json
}

runtime_of() {
	$CC -print-file-name="lib$1.so"
}

all_programs() {
	sanitized "$@" ending return 1
	sanitized "$@" ending fork-after
	sanitized "$@" ending _exit 1
	sanitized "$@" ending exec-fails
	sanitized "$@" ending exec-fails-beside
	sanitized "$@" early_main
	sanitized "$@" threads
	grep -q ok out
	sanitized "$@" callbacks launches
	sanitized "$@" callbacks captured
	for each in queued built bound sub joined replayed; do
		sanitized "$@" launches $each
		grep -q ok out
	done
	for each in storm jump once stack; do
		sanitized "$@" signals $each
		grep -q ok out
	done
	for each in fork-before vfork late last-thread; do
		sanitized "$@" ending $each
	done
	sanitized "$@" child fork
	sanitized "$@" cancel deferred
	grep -q ok out
	sanitized "$@" held updated
	grep -q ok out
}

@test "AddressSanitizer and UndefinedBehaviorSanitizer: library and programs" {
	all_programs asan "$(runtime_of asan):$ACLCHECK_BUILD/asan/libaclcheck.so"
}

@test "ThreadSanitizer: library and programs" {
	all_programs tsan "$(runtime_of tsan):$ACLCHECK_BUILD/tsan/libaclcheck.so"
}

@test "a program built with AddressSanitizer under the plain library" {
	sanitized asan "$(runtime_of asan):$library" ending return 1
	sanitized asan "$(runtime_of asan):$library" threads
}

@test "a program built with ThreadSanitizer under the plain library" {
	sanitized tsan "$library" ending return 1
}

@test "the sanitizers do report through the preload" {
	cat >bad.c <<-'E'
		#include <stdlib.h>
		#include "acl/acl.h"
		int main(int argc, char **argv)
		{
			char *volatile p = malloc(4);
			(void)argv;
			aclInit(NULL);
			free(p);
			return p[argc];
		}
	E
	$CC -fsanitize=address -I"$ACLCHECK_BUILD/include" -o bad bad.c -L"$softnpu" -lascendcl
	LD_LIBRARY_PATH=$softnpu LD_PRELOAD=$(runtime_of asan):$library run ./bad
	[ "$status" -ne 0 ]
	[[ $output == *heap-use-after-free* ]]
}

@test "aclcheck run: a program built with AddressSanitizer starts, and its sanitizer works" {
	cat >app.c <<-'E'
		#include <stdlib.h>
		#include <acl/acl.h>
		int main(int argc, char **argv)
		{
			volatile char *p = malloc(4);
			int rc = aclInit(NULL) || aclrtSetDevice(0) || aclrtResetDevice(0) || aclFinalize();
			(void)argv;
			p[2 + argc] = 1;
			rc += p[2 + argc] - 1;
			free((void *)p);
			return rc;
		}
	E
	$CC -g -fsanitize=address -w -I"$ACLCHECK_BUILD/include" -o app app.c -L"$ACLCHECK_BUILD/softnpu" -lascendcl
	"$ACLCHECK_BUILD/aclcheck" run --softnpu -- ./app 2>err
	grep -q 'verdict=pass program=0' err
	# The user's own options are kept, and one about the order is theirs.
	ASAN_OPTIONS=exitcode=77 "$ACLCHECK_BUILD/aclcheck" run --softnpu --keep-exit-code -- ./app over 2>err || [ $? -eq 77 ]
	grep -q 'heap-buffer-overflow' err
	ASAN_OPTIONS=verify_asan_link_order=1 "$ACLCHECK_BUILD/aclcheck" run --softnpu -- ./app 2>err || [ $? -eq 98 ]
	grep -q 'does not come first' err
}

@test "aclcheck run: a program under valgrind, on a small device" {
	printf '%s\n' '#include <acl/acl.h>' 'int main(void)' '{' '	void *p = 0;' \
		'	return aclInit(NULL) || aclrtSetDevice(0) || aclrtMalloc(&p, 4096, ACL_MEM_MALLOC_HUGE_FIRST) || aclrtFree(p) ||' \
		'		aclrtResetDevice(0) || aclFinalize();' '}' >app.c
	$CC -g -I"$ACLCHECK_BUILD/include" -o app app.c -L"$ACLCHECK_BUILD/softnpu" -lascendcl
	SOFTNPU_MEMORY=64M SOFTNPU_HOST_MEMORY=64M "$ACLCHECK_BUILD/aclcheck" run --softnpu -- valgrind -q --error-exitcode=33 ./app 2>err ||
		{ cat err; false; }
	grep -q 'verdict=pass program=0' err
}
