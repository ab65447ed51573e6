#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What must stay as it is, found good before: the program ends as it does without the tool.

load guest.bash

@test "five thousand threads at once" {
	"$guest/endure" threads >/dev/null || skip "not so many threads here"
	same_as_without timeout 120 "$guest/endure" threads
	[ "$(cat ours.out)" = "5000 threads called" ]
	[ "$(field calls)" -ge 15000 ]
}

@test "exceptions through callbacks" {
	export LD_LIBRARY_PATH=$guest/small
	${CXX:-c++} -Wno-deprecated-declarations -I"$ACLCHECK_BUILD/include" -o throw "$ACLCHECK_SOURCE/tests/guest/endure_throw.cpp" \
		-L"$guest/small" -lascendcl
	same_as_without timeout 60 ./throw
	[ "$(cat ours.out)" = "1000 caught, 1000 unwound, number 1000" ]
	# Each later call is checked again: nothing of the calls that were left stays behind.
	python3 - report.json <<-'P'
		import json, sys
		count = {f["rule"]: f["count"] for f in json.load(open(sys.argv[1]))["findings"]}
		assert count["init-repeat"] == 1000, count
	P
}

@test "allocators in place of the C library's, before and behind the tool" {
	tried=0
	for name in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
		env LD_PRELOAD="$name" "$guest/endure" >plain 2>plain.err || continue
		[ ! -s plain.err ] || continue # not installed
		tried=$((tried + 1))
		for both in "$name:$library" "$library:$name"; do
			rm -f report.json
			LD_PRELOAD=$both ACLCHECK_REPORT=$place/report.json ACLCHECK_LOG=$place/log timeout 60 "$guest/endure" >ours 2>ours.err
			diff plain ours
			diff plain.err ours.err
			[ "$(field verdict)" = fail ]
		done
	done
	[ "$tried" -gt 0 ] || skip "no other allocator is installed"
}

@test "each mapping of memory fails once, or that and all later ones" {
	$CC -shared -fPIC -o libmmap.so "$ACLCHECK_SOURCE/tests/guest/endure_mmap.c"
	"$guest/endure" >plain 2>plain.err
	for on in "" 1; do
		for ((n = 1; n <= 40; n++)); do
			rm -f report.json*
			timeout 20 env LD_PRELOAD="$place/libmmap.so:$library" FAIL_AT=$n ${on:+FAIL_ON=1} ACLCHECK_LOG="$place/log" \
				ACLCHECK_REPORT="$place/report.json" "$guest/endure" >ours 2>ours.err ||
				{ echo "mapping $n, on '$on': $?"; return 1; }
			diff plain ours
			diff plain.err ours.err
		done
	done
}

@test "limits of file sizes and address space" {
	for blocks in 0 8; do
		rm -f report.json*
		same_as_without bash -c '(ulimit -f "$2"; exec "$1") | cat; exit "${PIPESTATUS[0]}"' - "$guest/endure" $blocks
	done
	for kilobytes in 200000 100000 60000 40000 30000; do
		rm -f report.json*
		same_as_without bash -c 'ulimit -v "$2"; exec "$1"' - "$guest/endure" $kilobytes
	done
}

@test "another root, another user, another mask of files" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	mkdir empty
	for how in chroot setuid umask; do
		rm -f report.json*
		same_as_without "$guest/endure" $how
		grep -q . ours.out
	done
}

@test "under gdb and strace" {
	command -v gdb >/dev/null || skip "no gdb"
	command -v strace >/dev/null || skip "no strace"
	"$guest/endure" >plain
	gdb -batch -nx -ex "set environment LD_PRELOAD $library" -ex "set environment ACLCHECK_LOG $place/log" \
		-ex "set startup-with-shell off" -ex run --args "$guest/endure" >gdb.out 2>&1
	grep -qxF "$(cat plain)" gdb.out
	grep -q 'exited normally' gdb.out
	ACLCHECK_LOG=$place/log strace -f -o trace -E LD_PRELOAD="$library" "$guest/endure" >ours
	diff plain ours
	grep -q 'verdict: fail' log
}
