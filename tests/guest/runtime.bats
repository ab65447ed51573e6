#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What counts as the runtime: where forwarded calls really go. Calls of all others are the program's.

load guest.bash

# work.c: a library of the user's that makes all calls; with SHIM it defines one name of the interface as well
build() {
	cat >work.c <<-'E'
		#include "acl/acl.h"
		#define API __attribute__((visibility("default")))
		#ifdef SHIM
		#include <dlfcn.h>
		API aclError aclrtGetDeviceCount(uint32_t *count)
		{
			aclError (*next)(uint32_t *) = (aclError(*)(uint32_t *))dlsym(RTLD_NEXT, "aclrtGetDeviceCount");

			return next(count);
		}
		#endif
		API int work(void);
		API int work(void)
		{
			uint32_t n = 0;

			aclInit(0);
			aclInit(0);
			aclrtGetDeviceCount(&n);
			return aclFinalize() || n != 1;
		}
	E
	cat >main.c <<-'E'
		int work(void);
		int main(void)
		{
			return work();
		}
	E
	$CC -shared -fPIC -D_GNU_SOURCE -I"$ACLCHECK_BUILD/include" "${@:2}" -Wl,-soname,"$1" -o "$1" work.c \
		-L"$softnpu" -lascendcl -Wl,-rpath,"$softnpu" -ldl
	$CC -o main main.c "./$1" -Wl,-rpath,"$place" -Wl,-rpath-link,"$softnpu"
}

@test "a library of the program's own" {
	build libwork.so
	same_as_without ./main
	[ "$(field calls)" = 4 ]
	[ "$(field verdict)" = fail ]
}

@test "a library that defines one name of the interface is not the runtime" {
	build libwork.so -DSHIM
	same_as_without ./main
	[ "$(field calls)" -ge 3 ]
	[ "$(field verdict)" = fail ]
	grep -q '"rule":"init-repeat"' report.json
}

@test "no checked call is never pass" {
	build libacl_work.so -DSHIM # by its name it is one of CANN's, whose calls are not the program's
	same_as_without ./main
	[ "$(field calls)" = 0 ]
	[ "$(field verdict)" = inconclusive ]
	[[ $(field inconclusive) == *nothing-observed* ]]
}
