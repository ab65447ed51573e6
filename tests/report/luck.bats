#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Alignment by luck: advice where the block of the program's heap is known to be promised less, silence elsewhere.

load helper

setup() {
	skip_where_emulated
	cd "$BATS_TEST_TMPDIR" || return
	cat >luck.cpp <<-'END'
		#include <acl/acl.h>
		#include <cstdint>
		#include <cstdlib>
		#include <cstring>
		#include <vector>
		static const size_t N = 4000;
		static bool lucky(const void *p)
		{
			return (uintptr_t)p % 64 == 0;
		}
		// Blocks are kept until one begins where it should: no two begin at the same place.
		template <typename F> static char *try_until(F make, bool luck)
		{
			for (;;) {
				char *p = (char *)make();
				if (lucky(p) == luck)
					return p;
				(void)!malloc(24);
			}
		}
		int main(int argc, char **argv)
		{
			const char *how = argc > 1 ? argv[1] : "";
			char *h, on_stack[N] __attribute__((aligned(64)));
			size_t n = N;
			std::vector<char> v;
			aclrtStream s;
			void *d;
			if (!strcmp(how, "malloc"))
				h = try_until([] { return malloc(N); }, true);
			else if (!strcmp(how, "new"))
				h = try_until([] { return (void *)new char[N]; }, true);
			else if (!strcmp(how, "vector"))
				h = try_until([] { return (void *)(new std::vector<char>(N))->data(); }, true);
			else if (!strcmp(how, "misaligned"))
				h = try_until([] { return malloc(N); }, false);
		#ifdef ALIGNED
			else if (!strcmp(how, "aligned"))
				h = (char *)aligned_alloc(64, 4032), n = 4032;
		#endif
			else if (!strcmp(how, "by-hand"))
				h = try_until([] { return malloc(N + 63); }, true);
			else if (!strcmp(how, "inside"))
				h = (char *)(((uintptr_t)malloc(N + 63) + 63) & ~(uintptr_t)63);
			else if (!strcmp(how, "half"))
				h = try_until([] { return malloc(N); }, true), n = N / 2;
			else if (!strcmp(how, "pinned"))
				aclrtMallocHost((void **)&h, N);
			else
				h = on_stack;
			aclInit(nullptr);
			aclrtSetDevice(0);
			aclrtCreateStream(&s);
			aclrtMalloc(&d, 1 << 16, ACL_MEM_MALLOC_HUGE_FIRST);
			memset(h, 0, n);
			aclrtMemcpyAsync(d, 1 << 16, h, n, ACL_MEMCPY_HOST_TO_DEVICE, s);
			aclrtSynchronizeStream(s);
			aclrtFree(d);
			aclrtDestroyStream(s);
			aclrtResetDevice(0);
			aclFinalize();
		}
	END
	c++ -std=c++11 -I"$BUILD/include" -o luck luck.cpp -L"$BUILD/softnpu" -lascendcl -lacl_rt
	c++ -std=c++11 -DALIGNED -I"$BUILD/include" -o luck-aligned luck.cpp -L"$BUILD/softnpu" -lascendcl -lacl_rt
}

# found PROGRAM HOW: rules about alignment, with severity and advice
found() {
	ACLCHECK_LOG=off "$ACLCHECK" run --softnpu --report r.json -- "./$1" "$2" >/dev/null 2>err || :
	json r.json '[(f["rule"], f["severity"], f["advice"]) for f in r["findings"] if "alignment" in f["rule"]]'
}

advice="[('async-copy-alignment-by-luck', 'portability', True)]"

@test "blocks of malloc, new and std::vector that happen to be aligned: advice, each time" {
	for ((i = 0; i < 10; i++)); do
		for how in malloc new vector; do
			[ "$(found luck $how)" = "$advice" ]
			[ "$(json r.json 'r["verdict"], r["totals"]["error"]')" = "('pass', 0)" ]
		done
		[ "$(found luck misaligned)" = "[('async-copy-alignment', 'error', False)]" ]
	done
}

@test "what is not known to be luck: silence" {
	for how in by-hand inside half pinned stack; do
		echo "$how"
		[ "$(found luck $how)" = "[]" ]
	done
	# A program that can ask for aligned blocks: they look like others.
	for how in aligned malloc; do
		[ "$(found luck-aligned $how)" = "[]" ]
	done
	# An allocator of its own.
	allocator=$(compgen -G '/usr/lib/*/libjemalloc.so.2' | head -1)
	export LD_PRELOAD=$allocator
	[ "$(found luck malloc)" = "[]" ]
}

@test "releases that copy such memory synchronously need no alignment" {
	export ACLCHECK_TARGET_CANN=9.0
	[ "$(found luck malloc)" = "[]" ]
	export ACLCHECK_TARGET_CANN=8.1
	[ "$(found luck malloc)" = "$advice" ]
}
