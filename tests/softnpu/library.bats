#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The libraries as files: what they export, how they are found, that they are silent.

setup() {
	build=${ACLCHECK_BUILD:-build}
	source=${ACLCHECK_SOURCE:-.}
	cd "$BATS_TEST_TMPDIR"
}

compile() { # FILE, then flags; program text on stdin
	${CC:-cc} -x c - -x none -I"$build/include" -o "$1" "${@:2}"
}

@test "SETTINGS.md is what the table says" {
	"$build/tools/softnpu-print" settings | diff "$source/tools/softnpu/SETTINGS.md" -
}

@test "softnpu(7) has every setting" {
	run grep -e '@' -e '`' "$build/man/softnpu.7"
	[ "$status" = 1 ]
	while read -r name rest; do
		grep -qx "\.BR $name.*" "$build/man/softnpu.7"
	done < <(settings)
}

# variable, a value, a question to probe.c, its answer without and with the variable ("-" = the probe is killed)
settings() {
	cat <<-'END'
		SOFTNPU_DEVICES 1 count 2 1
		SOFTNPU_CANN 8.5 empty_copy 0 107000
		SOFTNPU_STRICT 1 touch 0 -
		SOFTNPU_MEMORY 1M large 0 207001
		SOFTNPU_HOST_MEMORY 1M large_host 0 207001
		SOFTNPU_RUN_MODE device run_mode 1 0
		SOFTNPU_PEER 0 peer 1 0
		SOFTNPU_SOC Ascend310P3 product 0 1
		SOFTNPU_KERNEL_US 60000000 kernel_done 0 507046
		SOFTNPU_TASK_US 60000000 task_done 0 507046
		SOFTNPU_STREAM_US 1:60000000 task_done 0 507046
		SOFTNPU_FAULT_TASK 1 task_result 0 507015
		SOFTNPU_FAULT_CODE 507011 task_result 507015 507011
		SOFTNPU_LOST_DEVICE 0:1 task_result 0 507010
		SOFTNPU_INJECT aclrtMemsetAsync:error=507899 task_result 0 -1
		SOFTNPU_ALIGN 1 unaligned 0 507013
		SOFTNPU_STREAMS 1 two_streams 0 207008
		SOFTNPU_EVENTS 1 two_events 0 207007
		SOFTNPU_NOTIFIES 1 two_notifies 0 207009
		SOFTNPU_HANDLE_REUSE 0 handle_again 1 0
		SOFTNPU_WORKERS 1 at_once 1 0
		SOFTNPU_LOG log logged 0 1
	END
}

answer() { # QUESTION VARIABLE=VALUE…
	local more=()
	# The code belongs to the task that another variable lets fail.
	[ "$name" != SOFTNPU_FAULT_CODE ] || more=(SOFTNPU_FAULT_TASK=1)
	env "${@:2}" "${more[@]}" LD_LIBRARY_PATH="$build/softnpu" ./probe "$1" 2>/dev/null || echo -
}

@test "every variable of the table changes what it says" {
	compile probe -I"$source/tools/softnpu" -L"$build/softnpu" -lascendcl -pthread <"$source/tests/softnpu/probe.c"
	diff <(settings | cut -d' ' -f1) <(grep -o '^| `SOFTNPU_[A-Z_]*` |' "$source/tools/softnpu/SETTINGS.md" | tr -d '`| ')
	while read -r name value question without with; do
		echo "$name=$value: $question"
		[ "$(answer "$question")" = "$without" ]
		[ "$(answer "$question" "$name=$value")" = "$with" ]
	done < <(settings)
}

@test "a bad value is one line, and the default holds" {
	compile probe -I"$source/tools/softnpu" -L"$build/softnpu" -lascendcl -pthread <"$source/tests/softnpu/probe.c"
	export LD_LIBRARY_PATH="$build/softnpu"
	while read -r setting; do
		echo "$setting"
		run env "$setting" ./probe count
		[ "${#lines[@]}" = 2 ]
		[[ ${lines[0]} == "softnpu: $setting: invalid value (expected "*"); the default"*" is used" ]]
		[ "${lines[1]}" = 2 ]
	done <<-'END'
		SOFTNPU_DEVICES=many
		SOFTNPU_DEVICES=65
		SOFTNPU_DEVICES=-1
		SOFTNPU_DEVICES=2x
		SOFTNPU_CANN=9.3
		SOFTNPU_STRICT=2
		SOFTNPU_RUN_MODE=Host
		SOFTNPU_MEMORY=1M,
		SOFTNPU_MEMORY=,1M
		SOFTNPU_MEMORY=1M,1K
		SOFTNPU_MEMORY=99999999T
		SOFTNPU_HOST_MEMORY=1M,2M
		SOFTNPU_PEER=2
		SOFTNPU_PEER=0-0
		SOFTNPU_PEER=0-64
		SOFTNPU_PEER=0-1,
		SOFTNPU_STREAM_US=3
		SOFTNPU_STREAM_US=3:60000001
		SOFTNPU_STREAM_US=3:1,,
		SOFTNPU_LOST_DEVICE=64
		SOFTNPU_LOST_DEVICE=1:
		SOFTNPU_LOST_DEVICE=1:2:3
		SOFTNPU_INJECT=aclrtMalloc
		SOFTNPU_INJECT=aclrtMalloc:when=1
		SOFTNPU_INJECT=aclrtMallok:error=1
		SOFTNPU_INJECT=aclrtGetSocName:error=1
		SOFTNPU_INJECT=aclrtMalloc:error=0
		SOFTNPU_INJECT=aclrtMalloc:error=1x
		SOFTNPU_INJECT=aclrtMalloc:error=1:
		SOFTNPU_INJECT=aclrtMalloc:when=0:error=1
		SOFTNPU_INJECT=aclrtMalloc:delay=5
		SOFTNPU_INJECT=aclrtMalloc:delay=3601s
		SOFTNPU_INJECT=:error=1
	END
	run env SOFTNPU_DEVICE=1 ./probe count
	[ "${lines[*]}" = "softnpu: unknown setting 'SOFTNPU_DEVICE' 2" ]
}

@test "a release's library lacks what the release lacks" {
	compile probe -ldl <<-'END'
		#include <dlfcn.h>
		#include <stdio.h>
		int main(int argc, char **argv)
		{
			void *lib = dlopen(argv[1], RTLD_NOW);
			if (!lib)
				return puts(dlerror());
			for (int i = 2; i < argc; i++)
				printf("%d", dlsym(lib, argv[i]) != NULL);
			return 0;
		}
	END
	names="aclrtMalloc aclrtValueWait aclrtMemPoolCreate aclmdlRIUpdate aclrtRecordEventWithFlag aclrtDeviceGetPCIBusId"
	[ "$(./probe "$build/softnpu/8.1/libascendcl.so" $names)" = 100000 ]
	[ "$(./probe "$build/softnpu/8.5/libacl_rt.so" $names)" = 110000 ]
	[ "$(./probe "$build/softnpu/9.0/libascendcl.so" $names)" = 111000 ]
	[ "$(./probe "$build/softnpu/9.1/libascendcl.so" $names)" = 111100 ]
	[ "$(./probe "$build/softnpu/9.2/libascendcl.so" $names)" = 111110 ]
	[ "$(./probe "$build/softnpu/libascendcl.so" $names)" = 111111 ]
}

@test "a release's library begins with its profile" {
	compile zero -L"$build/softnpu" -lascendcl <<-'END'
		#include <acl/acl.h>
		#include <stdio.h>
		int main(void)
		{
			char a[8];
			printf("%d\n", aclrtMemcpy(a, 8, a, 0, ACL_MEMCPY_HOST_TO_HOST));
			return 0;
		}
	END
	[ "$(LD_LIBRARY_PATH=$build/softnpu ./zero)" = 0 ]
	[ "$(LD_LIBRARY_PATH=$build/softnpu/8.5 ./zero)" = 107000 ]
	[ "$(LD_LIBRARY_PATH=$build/softnpu/8.5 SOFTNPU_CANN=9.1 ./zero)" = 0 ]
}

@test "both names are one runtime" {
	compile both -L"$build/softnpu" -lascendcl -ldl <<-'END'
		#include <acl/acl.h>
		#include <dlfcn.h>
		int main(void)
		{
			void *lib = dlopen("libacl_rt.so", RTLD_NOW);
			int (*get)(int *) = lib ? (int (*)(int *))dlsym(lib, "aclrtGetDevice") : 0;
			int id = -1;
			return aclrtSetDevice(1) || !get || get(&id) || id != 1;
		}
	END
	LD_LIBRARY_PATH=$build/softnpu ./both
}

@test "nothing but the interface is exported" {
	for lib in "$build"/softnpu/libascendcl.so "$build"/softnpu/8.5/libascendcl.so; do
		run sh -c "nm -D --defined-only '$lib' | awk '{print \$3}' | grep -v -e '^acl' -e '^softnpu_'"
		[ -z "$output" ]
	done
}

@test "errors are silent, logged on request" {
	compile bad -L"$build/softnpu" -lascendcl <<-'END'
		#include <acl/acl.h>
		int main(void)
		{
			return aclrtMalloc(0, 0, 0) != 100000;
		}
	END
	run env LD_LIBRARY_PATH="$build/softnpu" ./bad
	[ "$status" = 0 ]
	[ -z "$output" ]
	LD_LIBRARY_PATH=$build/softnpu SOFTNPU_LOG=log ./bad
	grep -q '100000: aclrtMalloc is refused when !devPtr' log
	run env LD_LIBRARY_PATH="$build/softnpu" SOFTNPU_LOG=- ./bad
	[[ $output == *100000* ]]
}

@test "a log that cannot be written is said once" {
	compile bad -L"$build/softnpu" -lascendcl <<-'END'
		#include <acl/acl.h>
		int main(void)
		{
			return aclrtMalloc(0, 0, 0) != 100000 || aclrtMalloc(0, 0, 0) != 100000;
		}
	END
	run env LD_LIBRARY_PATH="$build/softnpu" SOFTNPU_LOG=missing/log ./bad
	[ "$status" = 0 ]
	[ "$output" = "softnpu: SOFTNPU_LOG=missing/log: No such file or directory" ]
}

@test "a device that there is not is said where it is named" {
	compile probe -I"$source/tools/softnpu" -L"$build/softnpu" -lascendcl -pthread <"$source/tests/softnpu/probe.c"
	export LD_LIBRARY_PATH="$build/softnpu"
	for setting in SOFTNPU_LOST_DEVICE=2 SOFTNPU_LOST_DEVICE=5:3 SOFTNPU_PEER=0-1,1-2; do
		run env "$setting" ./probe count
		[ "${#lines[@]}" = 2 ]
		[ "${lines[0]}" = "softnpu: $setting: a device that there is not (SOFTNPU_DEVICES=2)" ]
		run env "$setting" SOFTNPU_DEVICES=8 ./probe count
		[ "$output" = 8 ]
	done
	for setting in SOFTNPU_LOST_DEVICE=1 SOFTNPU_PEER=0 SOFTNPU_PEER=1 SOFTNPU_PEER=0-1; do
		run env "$setting" ./probe count
		[ "$output" = 2 ]
	done
}

@test "strict: the host cannot touch device memory" {
	compile touch -L"$build/softnpu" -lascendcl <<-'END'
		#include <acl/acl.h>
		int main(void)
		{
			char *p;
			if (aclrtSetDevice(0) || aclrtMalloc((void **)&p, 64, 0))
				return 1;
			*p = 1;
			return 0;
		}
	END
	LD_LIBRARY_PATH=$build/softnpu ./touch
	run env LD_LIBRARY_PATH="$build/softnpu" SOFTNPU_STRICT=1 ./touch
	[ "$status" = 139 ]
}

@test "aclInit reads its configuration" {
	compile init -L"$build/softnpu" -lascendcl <<-'END'
		#include <acl/acl.h>
		#include <stdio.h>
		int main(int argc, char **argv)
		{
			int id = -1;
			printf("%d", aclInit(argv[1]));
			printf(" %d", aclrtGetDevice(&id));
			printf(" %d\n", id);
			return 0;
		}
	END
	export LD_LIBRARY_PATH=$build/softnpu
	echo '{"defaultDevice": {"default_device": "1"}}' >good
	echo '{' >bad
	[ "$(./init good)" = "0 0 1" ]
	[ "$(./init bad)" = "100006 107002 -1" ]
	# No more than ten deep, objects and arrays by themselves.
	echo '{"a": [[[[[[[[[[1]]]]]]]]]], "defaultDevice": {"default_device": "1"}}' >deep
	[ "$(./init deep)" = "0 0 1" ]
	echo '{"a": [[[[[[[[[[[1]]]]]]]]]]]}' >deeper
	[ "$(./init deeper)" = "100006 107002 -1" ]
	[ "$(./init missing)" = "100003 107002 -1" ]
	[ "$(./init '')" = "0 107002 -1" ]
}

@test "a program that never stops its streams still ends" {
	compile leave -L"$build/softnpu" -lascendcl <<-'END'
		#include <acl/acl.h>
		#include <unistd.h>
		static void sleeping(void *arg)
		{
			(void)arg;
			sleep(30);
		}
		int main(void)
		{
			aclrtStream s;
			aclrtSetDevice(0);
			aclrtCreateStream(&s);
			return aclrtLaunchHostFunc(s, sleeping, 0);
		}
	END
	LD_LIBRARY_PATH=$build/softnpu timeout 5 ./leave
}
