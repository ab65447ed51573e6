#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# aclcheck doctor: what works on this host is tried, what lacks is named with its remedy.

load helper

setup() {
	own_tmpdir || return
}

# Nothing stays behind.
teardown() {
	nothing_stays
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
	LD_LIBRARY_PATH=$BUILD/softnpu/8.1 SOFTNPU_CANN=8.1 doctor 0 "ok     its functions       it has all of its release; of later ones "
	# One that says it is of a later release than its functions are.
	LD_LIBRARY_PATH=$BUILD/softnpu/8.1 SOFTNPU_CANN=9.1 doctor 0 "lacks  its functions"
	[[ $output == *"are not in it: acl"* && $output == *"feature not supported"* ]]
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

@test "what only the command is there for: recordings are read elsewhere, lines are few" {
	mkdir alone
	cp "$BUILD/aclcheck" "$BUILD/libaclcheck.so" alone
	cp -r "$BUILD/softnpu" alone
	ACLCHECK=$PWD/alone/aclcheck doctor 0 "lacks  recording           libaclcheck-lttng.so is not beside the command" --softnpu
	[[ $output == *"lacks  reading"*"install the package aclcheck-tracing"* && $output != *"LTTng daemon"* ]]
	unshare -m true 2>/dev/null || return 0
	libdw=$(ldconfig -p | awk '$1 == "libdw.so.1" { print $NF; exit }')
	mount_over=(unshare -m sh -c 'mount --bind /dev/null "$0" && exec "$@"' "$libdw")
	run "${mount_over[@]}" "$ACLCHECK" doctor --softnpu
	[[ $status = 0 && $output == *"lacks  source lines        libdw.so.1 is not there"* ]]
}

@test "Python: its frames are read, it is none, it does not run" {
	doctor 0 "frames of Python 3." --softnpu
	mkdir bin
	printf '#!/bin/sh\nexit 3\n' >bin/python3
	chmod +x bin/python3
	PATH=$PWD/bin:$PATH doctor 0 "lacks  python3             $PWD/bin/python3" --softnpu
	[[ $output == *"was not checked"* ]]
}

# with_daemon COMMAND...: where root's daemon seems to run
with_daemon() {
	unshare -m sh -c 'mount -t tmpfs none /run && mkdir /run/lttng && echo $$ >/run/lttng/lttng-sessiond.pid && exec "$@"' - "$@"
}

@test "root's LTTng daemon, and who may talk to it" {
	doctor 0 "LTTng daemon" --softnpu
	[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip "a directory /run of its own cannot be had"
	run with_daemon "$ACLCHECK" doctor --softnpu
	[[ $status = 0 && $output =~ "ok     LTTng daemon        root's runs (process "[0-9]+"): --shared uses it" ]]
	run with_daemon env TMPDIR=/tmp setpriv --reuid=65534 --clear-groups "$ACLCHECK" doctor --softnpu
	[[ $output == *"lacks  LTTng daemon        root's runs (process "*"usermod -aG tracing"* ]]
}

@test "Chinese, and wrong options" {
	ACLCHECK_LANG=zh doctor 0 "运行时" --softnpu
	doctor 99 "unknown option" --wrong
}
