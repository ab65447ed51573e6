#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What of the calls was seen, and by which way.

load helper

call() {
	json r.json "[c for c in r['reach']['calls'] if c['call'] == '$1'][0].get('$2')"
}

@test "calls by way and first caller" {
	run "$ACLCHECK" run --softnpu --report r.json -- "$BUILD/tests/report/plugged" "$BUILD/tests/report/libplugin.so"
	[ "$status" = 0 ]
	[ "$(call aclrtGetDeviceCount dlsym)" = 2 ]
	[ "$(call aclrtGetDeviceCount linked)" = None ]
	[ "$(call aclInit linked)" = 1 ]
	[ "$(basename "$(call aclInit first_caller)")" = plugged ]
	[ "$(basename "$(call aclrtMalloc first_caller)")" = libplugin.so ]
	[ "$(json r.json 'r["reach"]["around"]')" = "[]" ]
	"$ACLCHECK" report r.json | grep -q '^call coverage: 7 functions, 6 calls by symbol, 2 by dlsym, 0 inside'
}

@test "a plug-in bound around the checker is named and makes the run inconclusive" {
	run "$ACLCHECK" run --softnpu --report r.json -- "$BUILD/tests/report/plugged" "$BUILD/tests/report/libplugin.so" deep
	[ "$status" = 98 ]
	[[ $output == *"bypass: "*"libplugin.so calls aclrtMalloc and others directly, around the checker"* ]]
	[ "$(json r.json '[(a["cann"], a["functions"]) for a in r["reach"]["around"]]')" = "[(False, 2)]" ]
}

@test "one that is unloaded before the end as well" {
	run "$ACLCHECK" run --softnpu --report r.json -- "$BUILD/tests/report/plugged" "$BUILD/tests/report/libplugin.so" deep close
	[ "$status" = 98 ]
	[[ $output == *"bypass: "*"libplugin.so calls aclrtMalloc and others directly, around the checker"* ]]
	[ "$(json r.json '[(a["cann"], a["functions"]) for a in r["reach"]["around"]]')" = "[(False, 2)]" ]
	[ "$(json r.json 'len(r["inconclusive"])')" = 1 ]
}

@test "those that several threads unload at once are all named, each once" {
	cat >unload.c <<-'END'
		#define _GNU_SOURCE
		#include <acl/acl.h>
		#include <dlfcn.h>
		#include <pthread.h>
		#include <stdio.h>
		static void *unload(void *first)
		{
			for (int i = 0; i < 400; i++) {
				char path[32];
				void *h;
				sprintf(path, "./plugin-%c.so", (char)('a' + ((long)first + i % 3) % 12));
				h = dlopen(path, RTLD_NOW | RTLD_DEEPBIND);
				if (h)
					dlclose(h);
			}
			return NULL;
		}
		int main(void)
		{
			pthread_t threads[4];
			if (aclInit(NULL))
				return 1;
			for (long i = 0; i < 4; i++)
				pthread_create(&threads[i], NULL, unload, (void *)(i * 3));
			for (int i = 0; i < 4; i++)
				pthread_join(threads[i], NULL);
			return aclFinalize();
		}
	END
	cc -w -I"$BUILD/include" -o unload unload.c -L"$BUILD/softnpu" -lascendcl -ldl -pthread -Wl,-rpath,"$BUILD/softnpu"
	for name in a b c d e f g h i j k l; do
		cp "$BUILD/tests/report/libplugin.so" plugin-$name.so
	done
	for ((n = 0; n < 5; n++)); do
		run "$ACLCHECK" run --softnpu --report r.json -- ./unload
		[ "$status" = 98 ]
		[ "$(json r.json 'sorted((a["module"].split("/")[-1], a["functions"], a["first"]) for a in r["reach"]["around"]) == [(f"plugin-{c}.so", 2, "aclrtMalloc") for c in "abcdefghijkl"]')" = True ]
	done
}

@test "the same from a library of CANN is normal and only listed" {
	cp "$BUILD/tests/report/libplugin.so" libhccl_plugin.so
	run "$ACLCHECK" run --softnpu --report r.json -- "$BUILD/tests/report/plugged" ./libhccl_plugin.so deep
	[ "$status" = 0 ]
	[ "$(json r.json '[a["cann"] for a in r["reach"]["around"]]')" = "[True]" ]
}

@test "counts of many threads and processes add up" {
	for i in 1 2 3; do
		"$ACLCHECK" run --softnpu --report $i.json -- "$PROGRAM" twelve >/dev/null 2>&1 || [ $? = 97 ]
	done
	"$ACLCHECK" merge 1.json 2.json 3.json -o r.json || [ $? = 97 ]
	[ "$(call aclrtMemcpyAsync linked)" = 36 ]
}

@test "a report tells what the thread called before a finding" {
	"$ACLCHECK" run --softnpu --report r.json -- "$PROGRAM" clean bug >/dev/null 2>&1 || [ $? = 97 ]
	[ "$(json r.json '" ".join(c["call"] for c in r["findings"][0]["before"])')" = \
		"aclInit aclrtSetDevice aclrtCreateStream aclrtMalloc aclrtMallocHost aclrtMemcpyAsync" ]
	"$ACLCHECK" run --softnpu --report r.json -- "$PROGRAM" clean fork fork >/dev/null 2>&1 || [ $? = 97 ]
	# The forked child's own calls only, and only what failed shows a result.
	[ "$(json r.json '[len(f.get("before", [])) for f in r["findings"]]')" = "[0, 0]" ]
}
