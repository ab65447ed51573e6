#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# aclcheck doctor: what works on this host is tried, what lacks is named with its remedy.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export TMPDIR=$PWD/tmp
	mkdir tmp
}

# Nothing stays behind.
teardown() {
	[ -z "$(ls "$BATS_TEST_TMPDIR/tmp")" ]
}

# doctor CODE TEXT ARGUMENT...
doctor() {
	local code=$1 text=$2
	shift 2
	run "$ACLCHECK" doctor "$@"
	echo "$output"
	[[ $status = "$code" && $output == *"$text"* ]]
}

@test "the software runtime, and a program that can be checked" {
	doctor 0 "runtime             $BUILD/softnpu/libascendcl.so, CANN 9.1.0" --softnpu -- "$PROGRAM"
	[[ $output == *"ok     its functions       it has all that are known"* ]]
	[[ $output == *"ok     checker             a probe was checked, calls: 1"* ]]
	[[ $output == *"ok     program             $PROGRAM is linked with libascendcl.so"* ]]
}

@test "no runtime, one that lacks functions, one named by a setting" {
	export LD_LIBRARY_PATH=
	doctor 97 "BAD    runtime"
	[[ $output == *"source CANN's set_env.sh"* && $output != *checker* ]]
	LD_LIBRARY_PATH=$BUILD/softnpu/8.1 SOFTNPU_CANN=8.1 doctor 0 "are not in it: "
	ACLCHECK_RUNTIME=$BUILD/softnpu/libascendcl.so doctor 0 "ok     checker"
}

@test "what keeps the checker from a verdict" {
	ACLCHECK_RULES=nonsense doctor 97 "BAD    checker             bad-configuration: " --softnpu
	ACLCHECK_CHECKS=off doctor 97 "BAD    checker             checks-off: " --softnpu
	ACLCHECK_REPORT=$PWD/no/r.json doctor 97 "BAD    report              ACLCHECK_REPORT=" --softnpu
	ACLCHECK_REPORT=$PWD/r.json doctor 0 "ok     report" --softnpu
}

@test "the CANN release whose rules apply, and why the default is not the runtime's" {
	doctor 0 "ok     target release      target_cann=documents" --softnpu
	[[ $output == *"ACLCHECK_TARGET_CANN=auto"* ]]
	ACLCHECK_TARGET_CANN=8.5 doctor 0 "ok     target release      target_cann=8.5" --softnpu
	[[ $output != *"ACLCHECK_TARGET_CANN=auto"* ]]
	echo '{"target_cann": "auto"}' >c.json
	ACLCHECK_CONFIG=$PWD/c.json doctor 0 "ok     target release      target_cann=auto" --softnpu
	ACLCHECK_TARGET_CANN=auto ACLCHECK_CHECKS=off doctor 97 "checks-off: " --softnpu
	[[ $output != *"target release"* ]]
	ACLCHECK_LANG=zh doctor 0 "目标版本" --softnpu
}

@test "programs that cannot be preloaded, and none at all" {
	echo 'int main(void) { return 0; }' >p.c
	"${CC:-gcc}" -static -o fixed p.c
	doctor 97 "BAD    program             ./fixed is linked statically" --softnpu -- ./fixed
	doctor 97 "no such program in PATH" --softnpu -- nonsense-program
	"${CC:-gcc}" -o plain p.c
	doctor 0 "plain can be preloaded" --softnpu -- ./plain
}

@test "what only recording or processes need is no failure" {
	mkdir bin
	PATH=$PWD/bin doctor 0 "lacks  recording           there is no lttng-sessiond in PATH" --softnpu
	[[ $output == *"lacks  python3"* ]]
	LD_PRELOAD='' doctor 0 "none in LD_PRELOAD" --softnpu
}

@test "Chinese, and wrong options" {
	ACLCHECK_LANG=zh doctor 0 "运行时" --softnpu
	doctor 99 "unknown option" --wrong
}
