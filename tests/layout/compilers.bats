#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Other compilers: each that is installed builds everything, and those of another machine by CROSS_COMPILE.

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	# What make test was called with is not meant.
	unset MAKEFLAGS MAKEOVERRIDES CC CXX BUILD
}

tree() {
	make --no-print-directory -C "$ACLCHECK_SOURCE" "$@"
}

@test "make compilers: one that is not installed is named, and is no failure" {
	run tree BUILD="$PWD/b" COMPILERS=no-such-gcc compilers
	[ "$status" -eq 0 ]
	[ "$output" = "no-such-gcc: not installed" ]
	[ ! -e b ]
}

@test "make compilers: one that warns fails, and builds in a directory of its own" {
	mkdir bin
	printf '#!/bin/sh\necho "$0 warned: $*" >&2\nexit 1\n' >bin/warning-gcc
	chmod +x bin/warning-gcc
	PATH=$PWD/bin:$PATH run tree BUILD="$PWD/b" COMPILERS="warning-gcc no-such-gcc" compilers
	[ "$status" -ne 0 ]
	[[ $output == *"warning-gcc warned: -std=gnu11 -Wall -Wextra -Werror "*" -O2 "*"-o $PWD/b/compilers/warning-gcc/obj/"* ]]
	[ "$(ls b)" = compilers ]
}

# The object of another machine that is really made: tests/guest/symbols.bats, "everything compiles for AArch64".
@test "CROSS_COMPILE: every object and every link is the other compiler's, but for the generator" {
	tree -n CC=cc CROSS_COMPILE=other- all >plan
	grep -q 'other-gcc .*-o build/other/obj/interpose/common/utc.o ' plan
	grep -q 'other-gcc -shared .*-o build/other/libaclcheck.so .*other-g++' plan
	# What is called as a command, with an option first; and of these the one that this machine's compiler makes.
	grep -oE '(^|[;&!(] *)[a-z0-9+-]*(cc|\+\+|clang) +-.*' plan | grep -vE '^[;&!(]* *other-' >native
	[ "$(wc -l <native)" -eq 1 ]
	grep -qE '^[;&] cc .*-o build/other/tools/acl-gen ' native
	# Nothing else that is built for the other machine is started.
	grep -oE '(^|[;&!(<] *)build/other/[a-z/-]+' plan | sed 's/.*build/build/' | sort -u >started
	[ "$(cat started)" = build/other/tools/acl-gen ]
}
