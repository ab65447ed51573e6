#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the library asks of a system, and what it shows to a program.

load guest.bash

@test "needs the C library and nothing else" {
	[ "$(readelf -dW "$library" | grep -c NEEDED)" -eq 1 ]
	readelf -dW "$library" | grep -q 'NEEDED.*\[libc.so.6\]'
}

# newest FILE: the newest version of the C library that it asks for
newest() {
	readelf --dyn-syms -W "$1" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1
}

# no_newer VERSION FILE...: than this of the C library each of them asks for
no_newer() {
	local file newest

	for file in "${@:2}"; do
		newest=$(newest "$file")
		echo "# newest symbol version of ${file#"$ACLCHECK_BUILD"/}: $newest" >&3
		[ -n "$newest" ] || [[ $file == *dvpp* ]]
		[ "$(printf 'GLIBC_%s\n%s\n' "$1" "$newest" | sort -V | tail -1)" = "GLIBC_$1" ] || return 1
	done
}

# Each is an instruction or ten and, by pages that are then written, most of what the library costs a program that makes no
# call; DT_RELR, which would pack them, is not known to glibc 2.17. Tables hold numbers instead of pointers (include/aclcheck/model.h).
RELOCATIONS_MAX=2750

@test "few places of the library have to be relocated when it is loaded" {
	relative=$(readelf -rW "$library" | grep -cE 'R_(X86_64|AARCH64)_RELATIV')
	echo "# relative relocations: $relative" >&3
	[ "$relative" -gt 0 ]
	[ "$relative" -le "$RELOCATIONS_MAX" ]
	! readelf -dW "$library" | grep -q RELR || return 1
}

@test "the library asks for no symbol newer than glibc 2.17" {
	no_newer 2.17 "$library"
}

@test "the command, the trace provider and the software runtime of each release ask for none newer than glibc 2.28" {
	no_newer 2.28 "$ACLCHECK_BUILD"/{aclcheck,aclcheck-reader,libaclcheck-lttng.so} "$ACLCHECK_BUILD"/softnpu/{,*/}lib*.so
}

@test "what asks for old versions names the libraries that had them" {
	for file in "$ACLCHECK_BUILD"/{aclcheck,aclcheck-reader,libaclcheck-lttng.so} "$ACLCHECK_BUILD"/softnpu/{,*/}libascendcl.so; do
		[ "$(readelf -dW "$file" | grep -cE 'NEEDED.*\[lib(pthread.so.0|dl.so.2)\]')" -eq 2 ]
	done
}

@test "defines no symbol version, which would switch the interposition off" {
	[ -z "$(readelf -VW "$library" | grep 'version definition')" ]
}

@test "hooks are those of hooks.list, each defined" {
	sed 's/#.*//' "$ACLCHECK_SOURCE/interpose/runtime/libc_hooks.list" | tr -d ' \t' | grep . | sort >wanted
	nm -D --defined-only "$library" | awk '{print $3}' | grep -v '^acl' | sort >defined
	diff wanted defined
}

@test "thread-local storage is initial-exec and small" {
	! nm -D "$library" | grep -q __tls_get_addr || return 1
	size=$(readelf -lW "$library" | awk '$1 == "TLS" {print $6}')
	[ "$((size))" -le 256 ]
}

@test "no text relocations, no executable stack, no lazy binding" {
	! readelf -dW "$library" | grep -q TEXTREL || return 1
	readelf -lW "$library" | grep GNU_STACK | grep -q 'RW '
	readelf -dW "$library" | grep -q NOW
}

@test "a function that is not observed costs at most 12 instructions on its way" {
	# From the entry to the jump through the table; branches taken for checked calls do not count.
	for name in aclInit aclrtMemcpyAsync aclrtLaunchKernelWithHostArgs; do
		n=$(objdump -d --no-show-raw-insn "$library" --disassemble=$name |
			awk '/>:$/ {on = 1; next} on && /^ / {n++; if ($2 ~ /^(jmp|br)$/ && !done) {print n; done = 1}}')
		[ "$n" -le 12 ] || { echo "$name: $n"; return 1; }
	done
}

@test "everything compiles for AArch64" {
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no aarch64-linux-gnu-gcc"
	make -s -C "$ACLCHECK_SOURCE" BUILD="$ACLCHECK_BUILD" aarch64-compile >log 2>&1 || { cat log; return 1; }
	file=$(ls "$ACLCHECK_BUILD"/aarch64/obj/interpose/runtime/dlsym_aarch64.o)
	readelf -hW "$file" | grep -q AArch64
	readelf -sW "$file" | grep -q ' dlsym$'
	no_newer 2.17 "$ACLCHECK_BUILD/aarch64/libaclcheck.so"
	no_newer 2.28 "$ACLCHECK_BUILD/aarch64/softnpu/libascendcl.so"
}
