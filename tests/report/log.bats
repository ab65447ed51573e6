#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What stands on the terminal.

load helper

@test "a finding names rule, call, values, places, hint and document" {
	run "$FINDINGS" error
	[[ $output == *"== aclcheck error #1: async-copy-alignment: Asynchronous copy of unaligned memory"* ]]
	[[ $output == *"aclrtMemcpyAsync(dst=0x12c0400000, destMax=18446744073709551615, src=0x70000c, count=4096, kind=ACL_MEMCPY_HOST_TO_DEVICE, stream=NULL)"* ]]
	[[ $output == *"offset = 12 bytes"* ]]
	[[ $output == *" at copy_finding (findings.c:"* ]]
	[[ $output == *"created by aclrtMallocHost"* ]]
	[[ $output == *"hint: Align the address to 64 bytes."* ]]
	[[ $output == *"see:  docs/copy.md"* ]]
	[[ $output == *"verdict: fail"* ]]
}

@test "a consequence is short; what explains another finding says how and where that came about" {
	run "$FINDINGS" secondary
	[[ $output == *"a consequence of finding 1"* ]]
	[[ $output != *"offset = "* ]]
	run "$FINDINGS" reason
	[[ $output == *"explains finding 1"* ]]
	[[ $output != *"consequence"* ]]
	[[ $output == *"offset = 12 bytes"* ]]
	[[ $output == *"created by aclrtMallocHost"* ]]
	[[ $output == *"hint: Align the address to 64 bytes."* ]]
	ACLCHECK_LANG=zh run "$FINDINGS" reason
	[[ $output == *"说明以下问题的原因:#1"* ]]
}

@test "Chinese on request" {
	ACLCHECK_LANG=zh run "$FINDINGS" error
	[[ $output == *"异步复制的内存未对齐"* ]]
	[[ $output == *"结论: fail"* ]]
}

@test "a rule without translation is reported in English" {
	ACLCHECK_LANG=zh run "$FINDINGS" advice
	[[ $output == *"Events made anew again and again"* ]]
}

@test "the tenth time announces when repeats are shown again" {
	run "$FINDINGS" error repeat
	[[ $output == *"seen 10 times here; repeats here are counted and shown at 100"* ]]
}

@test "strings of the program cannot steer the terminal" {
	run "$FINDINGS" nasty
	[[ $output == *'\x1b[2J\x0a::error::x'* ]]
	[[ $output == *'\xff\xfe \xe2\x80\xae'* ]]
	[[ $output != *$'\x1b'* ]]
}

@test "no colour without a terminal, with one unless NO_COLOR is set" {
	run "$FINDINGS" error
	[[ $output != *$'\x1b'* ]]
	run env TERM=xterm NO_COLOR= python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$FINDINGS" error
	[[ $output == *$'\x1b[31m'* ]]
	run env TERM=xterm NO_COLOR=1 python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$FINDINGS" error
	[[ $output != *$'\x1b'* ]]
}

@test "nothing is written to standard output" {
	"$FINDINGS" error warning >out 2>err
	[ ! -s out ]
	[ -s err ]
}

@test "standard error closed at the start: silent" {
	"$FINDINGS" error 2>&-
}

@test "standard error reused by the program: nothing is written into its file" {
	"$FINDINGS" close data error warning 2>err
	[ ! -s data ]
	[ ! -s err ]
}

@test "a reader that went away does not kill the program" {
	mkfifo go log
	"$FINDINGS" pause error <go >log 2>&1 &
	exec 9>go 8<log
	exec 8<&-
	exec 9>&-
	wait $!
}

@test "the log can go to a file, or nowhere" {
	ACLCHECK_LOG=log.%p "$FINDINGS" error 2>err
	[ ! -s err ]
	grep -q 'verdict: fail' log.*
	ACLCHECK_LOG=off "$FINDINGS" error 2>err
	[ ! -s err ]
}

@test "the log follows no symbolic link" {
	touch target
	ln -s target link
	ACLCHECK_LOG=link "$FINDINGS" error 2>/dev/null
	[ ! -s target ]
}
