#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Libraries of ours beside those of the program: neither finds the other's symbols.

load guest.bash

# A finding first, so that the unwinder and the symboliser are open.
use_runtime='
import ctypes, sys
acl = ctypes.CDLL("libascendcl.so")
acl.aclInit(None)
acl.aclInit(None)
'

@test "C++ exceptions stay with libgcc_s" {
	cat >thrower.cpp <<-'E'
		extern "C" int thrown(int n)
		{
			int caught = 0;
			for (int i = 0; i < n; i++) {
				try {
					throw i;
				} catch (int) {
					caught++;
				}
			}
			return caught;
		}
	E
	c++ -O1 -shared -fPIC -o libthrower.so thrower.cpp
	cat >throw.py <<-E
		$use_runtime
		import time
		thrower = ctypes.CDLL("$place/libthrower.so")
		assert thrower.thrown(100) == 100
		begin = time.process_time()
		assert thrower.thrown(5000) == 5000
		print("unwind" in open("/proc/self/maps").read(), file=sys.stderr)
		print(int((time.process_time() - begin) * 1e9 / 5000), file=sys.stderr)
	E
	export LD_LIBRARY_PATH=$softnpu ACLCHECK_LOG=off
	python3 throw.py 2>plain
	LD_DEBUG=bindings LD_DEBUG_OUTPUT=$place/bindings LD_PRELOAD=$library python3 throw.py 2>/dev/null
	LD_PRELOAD=$library python3 throw.py 2>ours
	[ "$(head -1 ours)" = False ]
	cat bindings.* | grep '_Unwind_RaiseException' >raise
	grep -q 'libstdc++.*libgcc_s' raise
	! grep -q 'to .*libunwind.so' raise || return 1
	# An unwinder of ours in the global scope would make a throw some forty times slower.
	[ "$(tail -1 ours)" -le "$(($(tail -1 plain) * 4 + 3000))" ]
}

@test "whole stacks need no library: none is opened for them" {
	cat >whole.c <<-'E'
		#include <stdio.h>
		#include "acl/acl.h"
		static __attribute__((noinline)) int deep(int n)
		{
			int found = n ? deep(n - 1) : aclInit(NULL) + aclInit(NULL);
			return found + n;
		}
		int main(void)
		{
			char line[4096];
			FILE *maps;
			deep(5);
			maps = fopen("/proc/self/maps", "r");
			while (maps && fgets(line, sizeof(line), maps))
				fputs(line, stdout);
			return 0;
		}
	E
	$CC -g -O1 -fomit-frame-pointer -I"$ACLCHECK_BUILD/include" -o whole whole.c -L"$softnpu" -lascendcl
	LD_LIBRARY_PATH=$guest/empty ACLCHECK_LOG=off checked ./whole >maps
	[ "$(field verdict)" = fail ]
	[ "$(grep -o '"function":"deep"' report.json | wc -l)" -ge 6 ]
	grep -q '"function":"main"' report.json
	grep -q 'libaclcheck\.so' maps
	! grep -E 'unwind|libgcc_s' maps
}

@test "a program's own JSON library keeps its names" {
	cat >json.c <<-'E'
		/* Vendored and without symbol versions, as programs carry it. */
		int json_object_get(void *object);
		int json_object_get(void *object)
		{
			return object ? 1 : 42;
		}
	E
	cat >program.c <<-'E'
		#include <stdio.h>
		#include "acl/acl.h"
		int json_object_get(void *object);
		int main(void)
		{
			aclInit(NULL);
			aclInit(NULL);
			printf("%d\n", json_object_get(NULL));
			return 0;
		}
	E
	$CC -shared -fPIC -o libjson.so json.c
	$CC -I"$ACLCHECK_BUILD/include" -o program program.c -L. -ljson -L"$softnpu" -lascendcl
	printf '{"rules": "-init-repeat"}\n' >config.json
	export LD_LIBRARY_PATH=$place:$softnpu
	same_as_without ./program
	[ "$(cat ours.out)" = 42 ]
	rm report.json
	ACLCHECK_CONFIG=$place/config.json ACLCHECK_LOG=off checked ./program
	[ "$(field verdict)" = pass ]
}

@test "a plug-in's JSON library keeps its names" {
	cat >plugin.c <<-'E'
		int json_object_get(void *object);
		__attribute__((visibility("default"))) int json_object_get(void *object)
		{
			return object ? 1 : 42;
		}
		int plugin_use(void);
		__attribute__((visibility("default"))) int plugin_use(void)
		{
			return json_object_get(0);
		}
	E
	$CC -shared -fPIC -o plugin.so plugin.c
	cat >plugin.py <<-E
		$use_runtime
		print(ctypes.CDLL("$place/plugin.so").plugin_use())
	E
	export LD_LIBRARY_PATH=$softnpu
	same_as_without python3 plugin.py
	[ "$(cat ours.out)" = 42 ]
}

@test "a program with a dlsym of its own in between" {
	cat >other.c <<-'E'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <stdio.h>
		#include "acl/acl.h"
		/* The program defines the function itself and looks for the one behind it. */
		static int own;
		aclError aclrtSetDevice(int32_t device)
		{
			aclError (*next)(int32_t) = (aclError (*)(int32_t))dlsym(RTLD_NEXT, "aclrtSetDevice");
			own++;
			return next && next != aclrtSetDevice ? next(device) : -1;
		}
		int main(void)
		{
			aclInit(NULL);
			printf("%d", aclrtSetDevice(0));
			printf(" %d\n", own);
			aclrtResetDevice(0);
			return aclFinalize();
		}
	E
	$CC -I"$ACLCHECK_BUILD/include" -rdynamic -o other other.c -L"$softnpu" -lascendcl -ldl
	export LD_LIBRARY_PATH=$softnpu
	same_as_without ./other
	[ "$(cat ours.out)" = "0 1" ]
	[ "$(field calls)" = 4 ]
}
