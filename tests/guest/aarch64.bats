#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The same library on AArch64, by qemu: what a call needs of the program's stack, and that a program does not notice.

load guest.bash

ALLOWED=1024

setup_file() {
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no aarch64-linux-gnu-gcc"
	command -v qemu-aarch64-static >/dev/null || skip "no qemu-aarch64-static"
}

# emulated RUNTIME LIBRARY PROGRAM ARGUMENT…: LIBRARY may be empty
emulated() {
	local guest=$ACLCHECK_BUILD/aarch64/tests/guest root=/usr/aarch64-linux-gnu

	# The C library of the loader's own root: another one, should packages of arm64 be installed, does not fit it.
	timeout 120 qemu-aarch64-static -L $root -E LD_LIBRARY_PATH="$guest/$1:$root/lib" -E LD_PRELOAD="$2" \
		-E ACLCHECK_LOG="$place/log" -E ACLCHECK_REPORT="$place/report.json" "$guest/$3" "${@:4}"
}

# needs RUNTIME PROGRAM ARGUMENT ROWS: so many at least, and none needs more than is allowed
needs() {
	emulated "$1" "" "$2" "$3" >plain
	emulated "$1" "$ACLCHECK_BUILD/aarch64/libaclcheck.so" "$2" "$3" >ours
	[ "$(wc -l <plain)" -ge "$4" ]
	[ "$(wc -l <plain)" -eq "$(wc -l <ours)" ]
	join <(sort plain) <(sort ours) | awk -v allowed="$ALLOWED" '$3 - $2 > allowed { print; bad = 1 } END { exit bad }'
	grep -q '"rule"' report.json
}

@test "the first call and findings, on a painted coroutine" {
	needs empty stack_need first 2
	grep -q '"file":"[^"]*stack_need.c","line":' report.json
}

@test "every function, with arguments of two kinds" {
	needs empty stack_need every 600
}

@test "callbacks of the program, on a painted coroutine" {
	needs holding held stack 4
}

@test "small coroutines, small threads, the end on a small stack" {
	for arguments in "small 8192" "small 16384" "threads 131072" "end 8192"; do
		# shellcheck disable=SC2086 # two words
		run emulated empty "" stack_need $arguments
		plain="$status $output"
		# shellcheck disable=SC2086
		run emulated empty "$ACLCHECK_BUILD/aarch64/libaclcheck.so" stack_need $arguments
		[ "$status $output" = "$plain" ]
		[ "$(field verdict)" = fail ]
		rm report.json
	done
}
