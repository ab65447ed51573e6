#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The program's heap: the same calls of the allocator, with the same answers, as without the checker.

load guest.bash

# logged LOG PRELOAD WORD...: the program's output and exit code, and each allocator call in LOG.txt
logged() {
	local log=$1 preload=$2 code=0

	shift 2
	HEAP_LOG=$place/$log.log LD_PRELOAD=$preload setarch -R "${PROGRAM[@]}" "$@" >"$log.out" 2>"$log.err" || code=$?
	tr -d '\0' <"$log.log" >"$log.txt"
	rm "$log.log"
	echo "$code" >>"$log.out"
	[ -s "$log.txt" ]
}

# same_heap WORD...: whatever the environment sets
same_heap() {
	logged plain "$shim" "$@"
	rm -f log report.json
	ACLCHECK_LOG=${LOG-$place/log} ACLCHECK_REPORT=${REPORT-$place/report.json} logged tool "$shim:$library" "$@"
	diff plain.txt tool.txt >differences || {
		head -20 differences
		return 1
	}
	diff plain.out tool.out
}

heap_setup() {
	shim=$guest/heap_shim.so
	PROGRAM=("$guest/heap")
}

@test "without findings" {
	heap_setup
	same_heap clean
	[ "$(field verdict)" = pass ]
}

@test "with findings: names, lines, C++ names, leaks at the end" {
	heap_setup
	same_heap clean bug leak bug
	[ "$(field verdict)" = fail ]
	grep -q '(anonymous namespace)::copier<.*>::unaligned(unsigned long) (heap.cpp:[0-9]*)' log
	grep -q 'leak' report.json
}

@test "in several threads, one after the other" {
	heap_setup
	same_heap threads
	[ "$(field verdict)" = fail ]
}

@test "every setting" {
	heap_setup
	cat >config.json <<-'E'
		{"stacks": "all", "rules": ["all"], "fail_on": "warning"}
	E
	echo '{"suppressions": []}' >none.json
	cat >some.json <<-'E'
		{"suppressions": [{"rule": "async-*", "function": "*unaligned*", "file": "heap.cpp", "reason": "known"}],
		 "expect": [{"rule": "event-*", "reason": "expected"}]}
	E
	echo '{"suppressions": [{"rule": 1}], ' >bad.json
	for setting in SUPPRESS=none.json SUPPRESS=some.json SUPPRESS=bad.json SUPPRESS=missing.json CONFIG=config.json CONFIG=bad.json \
		RULES=all RULES=-all STACKS=all SYMBOLS=fast LANG=zh TARGET_CANN=auto TARGET_CANN=8.1 CHECKS=off SOC=Ascend910B \
		NONSENSE=1; do
		echo "$setting"
		(export "ACLCHECK_$setting" && same_heap bug threads) 3>&-
	done
}

@test "without a report, a log, or both" {
	heap_setup
	REPORT='' same_heap bug
	LOG=off same_heap bug
	LOG=off REPORT='' same_heap bug
	REPORT=$place/none/r.json same_heap bug
}

@test "another time zone and language of the program's" {
	heap_setup
	export TZ=:Europe/Berlin LC_ALL=de_DE.UTF-8 LANGUAGE=de
	same_heap time bug time
}

@test "host addresses of every kind, looked up in main and in another thread" {
	heap_setup
	ACLCHECK_RULES=all same_heap host
	[ "$(field verdict)" = fail ]
}

@test "exit functions of the program's" {
	heap_setup
	same_heap exits bug
}

@test "exit functions of a program that exports nothing" {
	heap_setup
	cat >exits.c <<-'E'
		#include <acl/acl.h>
		#include <stdlib.h>
		static void nothing(void) {}
		int main(void)
		{
			if (aclInit(0))
				return 1;
			for (int i = 0; i < 100; i++)
				if (atexit(nothing) || !malloc(i))
					return 1;
			return aclFinalize();
		}
	E
	$CC -w -no-pie -fno-pie -I"$ACLCHECK_BUILD/include" -o exits exits.c -L"$softnpu" -lascendcl -Wl,-rpath,"$softnpu"
	PROGRAM=(./exits)
	same_heap
}

@test "names from dlsym, also of functions that there are none of" {
	heap_setup
	same_heap names bug
}

@test "a runtime that lacks most functions, fetched by name" {
	heap_setup
	cat >few.c <<-'E'
		#include <dlfcn.h>
		#include <stdio.h>
		#include <stdlib.h>
		int main(void)
		{
			void *runtime = dlopen("libascendcl.so", RTLD_NOW | RTLD_LOCAL);
			const char *names[] = {"aclInit", "aclrtSetDevice", "aclrtMallocHostWithCfg", "aclmdlRIDestroy", "aclFinalize"};
			for (int i = 0; i < 5; i++) {
				int (*f)(long) = (int (*)(long))dlsym(runtime, names[i]);
				printf("%s %d %d %p\n", names[i], f != NULL, i != 2 && f ? f(0) : -1, malloc(20));
			}
			printf("%p\n", dlsym(RTLD_DEFAULT, "aclrtNoSuchFunction"));
			return 0;
		}
	E
	$CC -o few few.c -ldl
	PROGRAM=("$place/few")
	for runtime in small empty; do
		LD_LIBRARY_PATH=$guest/$runtime same_heap
	done
}

@test "the same without an allocator that looks on" {
	heap_setup
	setarch -R "$guest/heap" clean bug threads leak >plain.out
	ACLCHECK_LOG=log checked setarch -R "$guest/heap" clean bug threads leak >tool.out
	diff plain.out tool.out
}

# leaks COMPILER SANITIZER RUNTIME: LeakSanitizer finds what it finds without us, nothing and one block
leaks() {
	local runtime=

	$1 -fsanitize="$2" -O1 -g -I"$ACLCHECK_BUILD/include" -o sanitized "$ACLCHECK_SOURCE/tests/guest/heap.cpp" \
		-L"$softnpu" -lascendcl -lacl_rt -ldl -pthread -Wl,-rpath,"$softnpu"
	[ -z "$3" ] || runtime=$($1 -print-file-name="$3"):
	for words in "clean bug leak threads names" "bug lose"; do
		code=0
		# shellcheck disable=SC2086 # words
		LD_PRELOAD=$runtime ./sanitized $words >plain.out 2>plain.err || code=$?
		# shellcheck disable=SC2086
		ACLCHECK_LOG=log checked env LD_PRELOAD="$runtime$library" ./sanitized $words >tool.out 2>tool.err || code="$code $?"
		echo "$1 $2 $words: $code"
		[ "$(field verdict)" = fail ]
		diff <(grep -o 'SUMMARY.*' plain.err) <(grep -o 'SUMMARY.*' tool.err)
		case "$words" in
		*lose)
			[ "$code" = "23 23" ]
			grep -q '77 byte(s) leaked in 1 allocation(s)' tool.err
			;;
		*)
			[ "$code" = 0 ]
			[ ! -s tool.err ]
			;;
		esac
	done
}

@test "mappings of the program lie as far apart as without us, with findings between them" {
	cat >apart.c <<-'E'
		#include "acl/acl.h"
		#include <stdio.h>
		#include <sys/mman.h>
		int main(void)
		{
			static char *at[6];
			void *device, *host, *stream;
			for (int i = 0; i < 6; i++) {
				at[i] = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
				if (!i && (aclInit(0) || aclrtSetDevice(0)))
					return 1;
				if (i == 1)
					aclInit(0);
				if (i == 2)
					aclrtSetDevice(1000);
				if (i)
					printf("%ld\n", (long)(at[i] - at[i - 1]));
			}
			return 0;
		}
	E
	$CC -w -g -I"$ACLCHECK_BUILD/include" -o apart apart.c -L"$guest/empty" -lascendcl -Wl,-rpath,"$guest/empty"
	same_as_without setarch -R ./apart
	grep -q init-repeat report.json
}

@test "LeakSanitizer finds nothing of ours" {
	export LSAN_OPTIONS=exitcode=23 ASAN_OPTIONS=exitcode=23
	leaks g++ leak liblsan.so
	leaks g++ address libasan.so
	leaks clang++ address ""
	leaks clang++ leak ""
}

@test "the library has no thread-local variables and needs the C library alone" {
	! readelf -lW "$library" | grep -q TLS || return 1
	[ "$(readelf -d "$library" | grep -c NEEDED)" -eq 1 ]
	readelf -d "$library" | grep 'NEEDED.*libc.so.6'
}

@test "no library is opened in the program" {
	heap_setup
	LD_PRELOAD=$library ACLCHECK_LOG=log LD_DEBUG=files "$guest/heap" bug 2>files
	grep -q 'libc\.so' files
	! grep -E 'lib(unwind|dw|elf|jansson|lttng)' files
}
