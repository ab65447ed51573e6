#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Functions by name: a name leads to the wrapper when the runtime has it and to NULL when it lacks it.

load guest.bash

# The answers with the preload must be those without, ours in place of the runtime's.
compare() {
	"$guest/by_name" "$@" >plain
	LD_PRELOAD=$library ACLCHECK_LOG=off "$guest/by_name" "$@" >ours
	sed '/^used/!s/libascendcl.so/libaclcheck.so/' plain | diff - ours
}

@test "no runtime in the process: nothing is there" {
	compare nothing
	grep -q 'default aclInit: NULL' ours
	grep -q 'next aclInit: NULL' ours
}

@test "a runtime opened for itself" {
	compare local "$softnpu/libascendcl.so" use
	grep -q 'handle aclInit: libaclcheck.so' ours
	grep -q 'default aclInit: NULL' ours
	grep -q 'used 0 refused 0' ours
}

@test "a runtime opened for all" {
	compare global "$softnpu/libascendcl.so" use
	grep -q 'default aclInit: libaclcheck.so' ours
}

@test "a runtime that lacks functions" {
	compare local "$guest/small/libascendcl.so" use
	grep -q 'handle aclrtLaunchHostFunc: NULL' ours
	grep -q 'handle aclrtMalloc: libaclcheck.so' ours
}

@test "calls by name are checked, and known to come by name" {
	ACLCHECK_LOG=off checked "$guest/by_name" local "$softnpu/libascendcl.so" use
	[ "$(field calls)" = 3 ]
	[ "$(field verdict)" = fail ]
	traced "$guest/by_name" local "$softnpu/libascendcl.so" use
	[ "$(grep -c 'enter .*path=dlsym' events)" -eq 3 ]
	[ "$(grep -c 'path=linked' events)" -eq 0 ]
}

@test "linked calls are known to be linked" {
	traced "$guest/ending" return
	[ "$(grep -c 'enter .*path=linked' events)" -eq 2 ]
	[ "$(grep -c 'path=dlsym' events)" -eq 0 ]
}

@test "ctypes: CDLL of the runtime" {
	cat >use.py <<-'E'
		import ctypes
		acl = ctypes.CDLL("libascendcl.so")
		print(acl.aclInit(None), acl.aclInit(None), acl.aclFinalize())
		print(hasattr(acl, "aclrtNoSuchFunction"), hasattr(acl, "aclrtMalloc"))
	E
	export LD_LIBRARY_PATH=$softnpu ACLCHECK_LOG=off
	same_as_without python3 use.py
	[ "$(field calls)" = 3 ]
	[ "$(field verdict)" = fail ]
	traced python3 use.py
	[ "$(grep -c 'enter .*path=dlsym' events)" -eq 3 ]
}

@test "a runtime that is closed and opened again" {
	compare reload "$softnpu/libascendcl.so"
	compare reload "$guest/small/libascendcl.so"
}

@test "the library that made calls is closed before the end" {
	export LD_LIBRARY_PATH=$softnpu
	same_as_without "$guest/by_name" plugin "$guest/libplugin.so"
	[ "$(field verdict)" = fail ]
	grep -q '"function":"plugin_use"' report.json
}

@test "linked calls of a missing function: documented code and a finding" {
	cat >missing.c <<-'E'
		#include <stdio.h>
		#include "acl/acl.h"
		int main(void)
		{
			aclInit(NULL);
			printf("%d\n", aclrtLaunchHostFunc(NULL, NULL, NULL));
			printf("%p\n", (void *)(uintptr_t)aclrtGetBinData);
			return 0;
		}
	E
	sed -i '/aclrtGetBinData/d' missing.c
	$CC -I"$ACLCHECK_BUILD/include" -o missing missing.c -L"$softnpu" -lascendcl
	LD_LIBRARY_PATH=$guest/small ACLCHECK_LOG=off checked ./missing >out
	[ "$(cat out)" = 207000 ]
	grep -q '"rule":"api-missing-in-runtime"' report.json
}

@test "no runtime anywhere: one line, calls fail, inconclusive" {
	cat >none.c <<-'E'
		#include <stdio.h>
		#include "acl/acl.h"
		#pragma weak aclInit
		#pragma weak aclrtSetDevice
		int main(void)
		{
			if (!aclInit)
				return 9;
			printf("%d %d\n", aclInit(NULL), aclrtSetDevice(0));
			return 0;
		}
	E
	$CC -I"$ACLCHECK_BUILD/include" -o none none.c
	run ./none
	[ "$status" -eq 9 ]
	checked ./none >out 2>err
	[ "$(cat out)" = "207000 207000" ]
	[ "$(grep -c 'no AscendCL runtime found' err)" -eq 1 ]
	[ "$(field verdict)" = inconclusive ]
}

@test "ACLCHECK_RUNTIME names the runtime" {
	cat >none.c <<-'E'
		#include <stdio.h>
		#include "acl/acl.h"
		#pragma weak aclInit
		int main(void)
		{
			printf("%d\n", aclInit(NULL));
			return 0;
		}
	E
	$CC -I"$ACLCHECK_BUILD/include" -o none none.c
	ACLCHECK_RUNTIME=$softnpu/libascendcl.so checked ./none >out 2>err
	[ "$(cat out)" = 0 ]
	rm report.json
	ACLCHECK_RUNTIME=/nonexistent.so checked ./none >out 2>err
	[ "$(grep -c /nonexistent.so err)" -ge 1 ]
	[ "$(field verdict)" = inconclusive ]
}

@test "RTLD_DEFAULT of a library whose own scope holds the runtime" {
	cat >local.c <<-'E'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		int found(void);
		__attribute__((visibility("default"))) int found(void)
		{
			int (*init)(const char *);

			dlerror();
			init = (int (*)(const char *))dlsym(RTLD_DEFAULT, "aclInit");
			return !init || dlerror() || init(0);
		}
	E
	$CC -shared -fPIC -o liblocal.so local.c -Wl,--no-as-needed -L"$softnpu" -lascendcl -ldl
	cat >use.py <<-E
		import ctypes, os
		print(ctypes.CDLL("$place/liblocal.so", mode=os.RTLD_LOCAL | os.RTLD_NOW).found())
	E
	export LD_LIBRARY_PATH=$softnpu
	same_as_without python3 use.py
	[ "$(cat ours.out)" = 0 ]
	[ "$(field calls)" = 1 ]
}
