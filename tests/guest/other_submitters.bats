#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Rules that need to see all that works on the memory are silent when a library may submit work unseen.

load guest.bash

# program [FLAG]... : copies memory to the host that nothing wrote as far as we see
program() {
	cat >reader.c <<-'E'
		#include <dlfcn.h>
		#include "acl/acl.h"
		#ifdef IMPORTS
		int rtKernelLaunch(void);
		#endif
		int main(int argc, char **argv)
		{
			void *d, *h;

			if (argc > 1 && !dlopen(argv[1], RTLD_NOW))
				return 1;
		#ifdef IMPORTS
			if (rtKernelLaunch())
				return 1;
		#endif
			aclInit(NULL);
			aclrtSetDevice(0);
			aclrtMalloc(&d, 64, ACL_MEM_MALLOC_HUGE_FIRST);
			aclrtMallocHost(&h, 64);
			aclrtMemcpy(h, 64, d, 64, ACL_MEMCPY_DEVICE_TO_HOST);
			aclrtFreeHost(h);
			aclrtFree(d);
			aclrtResetDevice(0);
			return aclFinalize();
		}
	E
	$CC -I"$ACLCHECK_BUILD/include" -o reader reader.c "$@" -L"$softnpu" -lascendcl -Wl,-rpath,"$softnpu" -ldl
}

# rules found, one a line
rules() {
	python3 -c 'import json, sys; print(*(f["rule"] for f in json.load(open(sys.argv[1]))["findings"]))' "$place/report.json"
}

@test "everything is seen: the rule speaks" {
	program
	ACLCHECK_LOG=off checked ./reader
	[ "$(rules)" = uninit-device-read ]
}

@test "a library of operators is opened: the rule is silent" {
	program
	ACLCHECK_LOG=off checked ./reader "$softnpu/libopapi.so"
	[ -z "$(rules)" ]
}

@test "the program launches kernels by the interface below: the rule is silent" {
	echo 'int rtKernelLaunch(void) { return 0; }' >below.c
	$CC -shared -fPIC -o libbelow.so below.c
	program -DIMPORTS -L. -lbelow -Wl,-rpath,"$place"
	ACLCHECK_LOG=off checked ./reader
	[ -z "$(rules)" ]
}

@test "the program launches functions of its own on the software runtime: the rule is silent" {
	cat >launched.c <<-'E'
		#include "softnpu.h"
		static void nothing(const softnpu_launch *launch)
		{
			(void)launch;
		}
		int rtKernelLaunch(void)
		{
			softnpu_launch_host("nothing", nothing, NULL, 0, NULL);
			return 0;
		}
	E
	program -DIMPORTS -I"$ACLCHECK_SOURCE/tools/softnpu" launched.c
	ACLCHECK_LOG=off checked ./reader
	[ -z "$(rules)" ]
}
