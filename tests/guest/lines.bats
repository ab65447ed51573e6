#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Lines of code: what our own reader finds is what libdw finds, and no file makes it stumble.

load guest.bash

@test "DWARF 2 to 5 of gcc and clang, optimised and not: the same lines as libdw" {
	cd "$ACLCHECK_SOURCE"
	for compiler in gcc clang; do
		for version in 2 3 4 5; do
			for how in -O0 "-O2 -ffunction-sections" "-O2 -no-pie"; do
				# shellcheck disable=SC2086 # options
				$compiler -w -gdwarf-$version $how -I. -I"$ACLCHECK_BUILD/include" \
					-o "$place/$compiler$version${how// /}" tests/guest/callbacks.c \
					-L"$softnpu" -lascendcl -pthread
			done
		done
	done
	g++ -g -O2 -I"$ACLCHECK_BUILD/include" -o "$place/cxx" tests/guest/heap.cpp -L"$softnpu" -lascendcl -lacl_rt -ldl -pthread
	clang++ -g -O2 -flto -I"$ACLCHECK_BUILD/include" -o "$place/lto" tests/guest/heap.cpp -fuse-ld=lld -L"$softnpu" -lascendcl \
		-lacl_rt -ldl -pthread || rm -f "$place/lto"
	"$guest/lines_compare" "$place"/gcc* "$place"/clang* "$place"/cxx "$library" "$ACLCHECK_BUILD/aclcheck"
	[ ! -e "$place/lto" ] || "$guest/lines_compare" "$place/lto"
}

@test "files with changed bytes" {
	for version in 4 5; do
		$CC -w -gdwarf-$version -I"$ACLCHECK_SOURCE" -I"$ACLCHECK_BUILD/include" -o "p$version" \
			"$ACLCHECK_SOURCE/tests/guest/callbacks.c" -L"$softnpu" -lascendcl -pthread
		clang -w -gdwarf-$version -I"$ACLCHECK_SOURCE" -I"$ACLCHECK_BUILD/include" -o "c$version" \
			"$ACLCHECK_SOURCE/tests/guest/callbacks.c" -L"$softnpu" -lascendcl -pthread
	done
	timeout 100 "$guest/lines_compare-asan" mutate 1000 p4 p5 c4 c5
}

@test "compressed debug information: names alone, and the program is none the worse" {
	$CC -g -gz -I"$ACLCHECK_SOURCE" -I"$ACLCHECK_BUILD/include" -o z "$ACLCHECK_SOURCE/tests/report/misaligned.c" \
		-L"$softnpu" -lascendcl -lacl_rt -w -Wl,-rpath,"$softnpu"
	readelf -tW z | grep -q COMPRESSED
	same_as_without ./z bug
	python3 -c 'import json; print(json.load(open("report.json"))["findings"][0]["stack"])' >stack
	grep "'function': 'main'" stack
	! grep "'line'" stack || return 1
	# The command looks later, with libdw, as long as the file is the one that ran.
	"$ACLCHECK_BUILD/aclcheck" report report.json >text || [ $? -eq 97 ]
	grep -q 'main (.*misaligned.c:[0-9]*)' text
	# Without it there are the names, and nothing else is missing.
	if unshare -m true 2>/dev/null; then
		libdw=$(ldconfig -p | awk '$1 == "libdw.so.1" { print $NF; exit }')
		[ -e "$libdw" ]
		unshare -m sh -c 'mount --bind /dev/null "$1" && exec "$2" report report.json' - "$libdw" "$ACLCHECK_BUILD/aclcheck" >text ||
			[ $? -eq 97 ]
		grep -q 'async-copy-alignment' text
		! grep -q 'misaligned.c:[0-9]*)' text || return 1
	fi
	strip -o z2 z
	$CC -g -DOTHER -I"$ACLCHECK_SOURCE" -I"$ACLCHECK_BUILD/include" -o z "$ACLCHECK_SOURCE/tests/guest/threads.c" \
		-L"$softnpu" -lascendcl -lacl_rt -w -pthread
	"$ACLCHECK_BUILD/aclcheck" report report.json >text || [ $? -eq 97 ]
	! grep -q 'main (.*:[0-9]*)' text
}

@test "a separate debug file, found by the build-id" {
	[ "$(id -u)" = 0 ] || skip "writes to /usr/lib/debug of a mount namespace"
	$CC -g -Wl,--build-id -I"$ACLCHECK_BUILD/include" -o whole "$ACLCHECK_SOURCE/tests/report/misaligned.c" \
		-L"$softnpu" -lascendcl -lacl_rt -w -Wl,-rpath,"$softnpu"
	id=$(readelf -n whole | sed -n 's/.*Build ID: //p')
	mkdir -p "debug/.build-id/${id:0:2}"
	objcopy --only-keep-debug whole "debug/.build-id/${id:0:2}/${id:2}.debug"
	objcopy --strip-debug whole stripped
	export library place
	unshare -m sh -c 'mount --bind debug /usr/lib/debug && LD_PRELOAD=$library ACLCHECK_LOG=log ./stripped bug' || skip "nothing can be mounted"
	grep -q 'main (misaligned.c:[0-9]*)' log
}

@test "code of a library that was closed: its names, lines and build-id as they were" {
	cat >plugin.c <<-'E'
		#include "acl/acl.h"
		int make(void *context);
		int make(void *context)
		{
			void *p;

			(void)context;
			return aclrtMalloc(&p, 4096, ACL_MEM_MALLOC_HUGE_FIRST) ? 1 : 0;
		}
	E
	# Mapped where the first one was; other code at the address that called.
	sed 's/make/take/; s/4096/8192/; s/^{/{ if (context) return (long)context % 7 + (long)context % 5;/' plugin.c >other.c
	for name in plugin other; do
		$CC -w -g $([ $name = plugin ] || echo -gz) -Wl,--build-id -fPIC -shared -I"$ACLCHECK_BUILD/include" -o $name.so $name.c
	done
	cat >main.c <<-'E'
		#include "acl/acl.h"
		#include <dlfcn.h>
		static int run(const char *library, const char *name)
		{
			void *h = dlopen(library, RTLD_NOW);
			int (*f)(void *) = h ? (int (*)(void *))dlsym(h, name) : 0;
			return !f || f(0) || dlclose(h);
		}
		int main(void)
		{
			int bad = aclInit(0) || aclrtSetDevice(0) || run("./plugin.so", "make") || run("./other.so", "take");
			return bad || aclrtResetDevice(0) || aclFinalize();
		}
	E
	$CC -g -I"$ACLCHECK_BUILD/include" -o main main.c -L"$softnpu" -lascendcl -lacl_rt -ldl -Wl,-rpath,"$softnpu"
	same_as_without ./main
	python3 - report.json <<-'P'
		import json, sys
		objects = [o for f in json.load(open(sys.argv[1]))["findings"] for o in f["objects"] if o["kind"] == "device memory"]
		tops = {o["size"]: o["created"]["stack"][0] for o in objects}
		assert tops[4096]["function"] == "make" and tops[4096]["line"] == 8, tops
		assert tops[8192]["module"].endswith("other.so") and tops[8192]["build_id"] and tops[8192]["offset"], tops
	P
}

@test "a mistake of a library is no repeat of one that lay at the same address before" {
	for name in first second third; do
		cat >$name.c <<-E
			#include "acl/acl.h"
			int $name(void *device, char *host, void *stream);
			int $name(void *device, char *host, void *stream)
			{
				return aclrtMemcpyAsync(device, 64, host + 4, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream) ? 1 : 0;
			}
		E
		$CC -w -g -Wl,--build-id -fPIC -shared -I"$ACLCHECK_BUILD/include" -o $name.so $name.c
	done
	cat >main.c <<-'E'
		#include "acl/acl.h"
		#include <dlfcn.h>
		#include <stdint.h>
		#include <stdio.h>
		int main(int argc, char **argv)
		{
			static void *device, *host, *stream;
			static uintptr_t before;
			char path[64];
			if (aclInit(0) || aclrtSetDevice(0) || aclrtMalloc(&device, 4096, 0) || aclrtMallocHost(&host, 4096) ||
				aclrtCreateStream(&stream))
				return 1;
			for (int i = 1; i < argc; i++) {
				snprintf(path, sizeof(path), "./%s.so", argv[i]);
				void *h = dlopen(path, RTLD_NOW);
				int (*f)(void *, void *, void *) = h ? (int (*)(void *, void *, void *))dlsym(h, argv[i]) : 0;
				if (!f || (before && before != (uintptr_t)f))
					return 2;
				before = (uintptr_t)f;
				for (int n = 0; n < 3; n++)
					if (f(device, host, stream))
						return 3;
				dlclose(h);
			}
			return aclrtSynchronizeStream(stream) || aclrtDestroyStream(stream) || aclrtFree(device) ||
				aclrtFreeHost(host) || aclrtResetDevice(0) || aclFinalize();
		}
	E
	$CC -w -g -I"$ACLCHECK_BUILD/include" -o main main.c -L"$softnpu" -lascendcl -lacl_rt -ldl -Wl,-rpath,"$softnpu"
	same_as_without setarch -R ./main first second third first second
	python3 - report.json <<-'P'
		import json, sys
		found = {f["stack"][0]["function"]: f["count"] for f in json.load(open(sys.argv[1]))["findings"]}
		assert found == {"first": 6, "second": 6, "third": 3}, found
	P
	# The summary, too, which is written when they are gone.
	for line in "x 6  aclrtMemcpyAsync  first (first.c:5)" "x 6  aclrtMemcpyAsync  second (second.c:5)" \
		"x 3  aclrtMemcpyAsync  third (third.c:5)"; do
		grep -qF "$line" "$place/log" || { cat "$place/log"; return 1; }
	done
}

@test "code of a library that came while the list of modules was read for something else" {
	cat >plugin.c <<-'E'
		#include "acl/acl.h"
		int make(void);
		int make(void)
		{
			return aclrtFree(0) ? 0 : 1;
		}
	E
	$CC -w -g -fPIC -shared -I"$ACLCHECK_BUILD/include" -o plugin.so plugin.c
	cat >main.c <<-'E'
		#include "acl/acl.h"
		#include <dlfcn.h>
		int main(int argc, char **argv)
		{
			int early = argc > 1;
			void *h = early ? dlopen("./plugin.so", RTLD_NOW) : 0;
			int (*f)(void) = h ? (int (*)(void))dlsym(h, "make") : 0;
			int bad = aclInit(0) || aclrtSetDevice(0) || aclrtFree(0) == 0;
			h = h ? h : dlopen("./plugin.so", RTLD_NOW);
			f = f ? f : (int (*)(void))dlsym(h, "make");
			/* Of no library: all of them are looked at. */
			bad |= dlsym(RTLD_DEFAULT, "aclrtNoFunction") != 0;
			return bad || f() || aclrtResetDevice(0) || aclFinalize();
		}
	E
	$CC -g -I"$ACLCHECK_BUILD/include" -o main main.c -L"$softnpu" -lascendcl -lacl_rt -ldl -Wl,-rpath,"$softnpu"
	for early in "" early; do
		rm -f log
		# shellcheck disable=SC2086 # none or one word
		same_as_without ./main $early
		grep -q 'at make (plugin.c:5)' log || { cat log; return 1; }
	done
}

@test "code that no file holds; the fingerprint does not depend on where it lies" {
	[ "$(uname -m)" = x86_64 ] || skip "the code is for x86-64"
	cat >jit.c <<-'E'
		#include "acl/acl.h"
		#include <string.h>
		#include <sys/mman.h>
		/* sub rsp, 8; mov rax, address; call rax; add rsp, 8; ret */
		static const unsigned char code[] = {0x48, 0x83, 0xec, 8, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xd0, 0x48, 0x83, 0xc4, 8, 0xc3};
		int main(void)
		{
			unsigned char *p = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			aclError (*destroy)(aclrtStream) = aclrtDestroyStream;
			aclrtStream s;
			if (aclInit(0) || aclrtSetDevice(0) || aclrtCreateStream(&s))
				return 1;
			memcpy(p, code, sizeof(code));
			memcpy(p + 6, &destroy, 8);
			((aclError (*)(aclrtStream))p)(s);
			((aclError (*)(aclrtStream))p)(s);
			return 0;
		}
	E
	$CC -g -I"$ACLCHECK_BUILD/include" -o jit jit.c -L"$softnpu" -lascendcl -lacl_rt -Wl,-rpath,"$softnpu"
	for run in 1 2 3; do
		same_as_without ./jit
		python3 -c 'import json
f = json.load(open("report.json"))["findings"][0]
assert "module" not in f["stack"][0], f["stack"]
print(f["rule"], f["fingerprint"])' | tee "print$run"
	done
	cmp print1 print2 && cmp print2 print3
}
