#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What a module imports is known however it is linked: the hash table of symbols leaves out all or some of those
# that it only refers to.

load guest.bash

# A program that exports nothing has an empty table of one style or the other; where it takes the address of an imported function
# and is not position-independent, that one stands among its own functions.
styles=(-pie "-no-pie -fno-pie" "-no-pie -fno-pie -Wl,--hash-style=sysv" "-no-pie -fno-pie -DBY_ADDRESS"
	"-no-pie -fno-pie -DBY_ADDRESS -Wl,--hash-style=sysv" "-no-pie -fno-pie -rdynamic")

# built FILE FLAG...: with the runtime
built() {
	$CC -w -O1 -I"$ACLCHECK_BUILD/include" "${@:2}" "$1.c" -o "$1" -L"$softnpu" -lascendcl -lacl_rt -ldl -Wl,-rpath,"$softnpu"
}

@test "calls of a name that the program imports and another module fetched by dlsym are linked ones" {
	cat >fetch.c <<-'E'
		#include <dlfcn.h>
		void *fetch(void) { return dlsym(RTLD_DEFAULT, "aclrtGetDevice"); }
	E
	cat >calls.c <<-'E'
		#include <acl/acl.h>
		#include <dlfcn.h>
		#ifdef BY_ADDRESS
		aclError (*volatile get_device)(int32_t *) = aclrtGetDevice;
		#define aclrtGetDevice get_device
		#endif
		int main(void)
		{
			int (*fetched)(int *) = ((int (*(*)(void))(int *))dlsym(dlopen("./fetch.so", RTLD_NOW), "fetch"))();
			int device;
			if (aclInit(0) || aclrtSetDevice(0))
				return 1;
			for (int i = 0; i < 3; i++)
				aclrtGetDevice(&device);
			return aclrtResetDevice(0) || aclFinalize();
		}
	E
	$CC -w -shared -fPIC -o fetch.so fetch.c -ldl
	for style in "${styles[@]}"; do
		echo "$style"
		# shellcheck disable=SC2086 # words
		built calls $style
		rm -f report.json
		same_as_without ./calls
		[ "$(json report.json '[c for c in r["reach"]["calls"] if c["call"] == "aclrtGetDevice"][0]["linked"]')" = 3 ]
	done
}

@test "a program that asks for aligned blocks has none that are aligned by luck" {
	cat >aligned.c <<-'E'
		#include <acl/acl.h>
		#include <stdlib.h>
		#include <string.h>
		#ifdef PLAIN
		/* Blocks are kept until one begins where it should. */
		static void *take(size_t alignment, size_t n)
		{
			void *p;
			while ((unsigned long)(p = malloc(n)) % alignment)
				(void)!malloc(24);
			return p;
		}
		#elif defined BY_ADDRESS
		static void *(*volatile take)(size_t, size_t) = aligned_alloc;
		#else
		#define take aligned_alloc
		#endif
		int main(void)
		{
			char *h = take(64, 4032);
			aclrtStream s;
			void *d;
			memset(h, 0, 4032);
			if (aclInit(0) || aclrtSetDevice(0) || aclrtCreateStream(&s) || aclrtMalloc(&d, 4096, ACL_MEM_MALLOC_HUGE_FIRST))
				return 1;
			aclrtMemcpyAsync(d, 4096, h, 4032, ACL_MEMCPY_HOST_TO_DEVICE, s);
			aclrtSynchronizeStream(s);
			return aclrtFree(d) || aclrtDestroyStream(s) || aclrtResetDevice(0) || aclFinalize();
		}
	E
	for style in "${styles[@]}"; do
		echo "$style"
		# shellcheck disable=SC2086 # words
		built aligned $style
		rm -f report.json
		same_as_without ./aligned
		[ "$(json report.json '[f["rule"] for f in r["findings"]]')" = "[]" ]
		# shellcheck disable=SC2086
		built aligned $style -DPLAIN
		rm -f report.json
		same_as_without ./aligned
		[ "$(json report.json '[f["rule"] for f in r["findings"]]')" = "['async-copy-alignment-by-luck']" ]
	done
}
