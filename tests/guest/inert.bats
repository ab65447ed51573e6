#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Processes that make no acl call: nothing of us but a mapping.

load guest.bash

# What a process looks like from inside: threads, descriptors, libraries mapped.
look='set -- /proc/$$/task/*; echo $#; set -- /proc/$$/fd/*; echo $#; grep -c -E "lttng|urcu|unwind|libdw|libelf|jansson" /proc/$$/maps; :'

# no_trace_of DIRECTORY: it holds only what the test put there
no_trace_of() {
	[ -z "$(find "$1" -type f ! -name 'plain.*' ! -name 'ours.*')" ]
}

@test "bash" {
	mkdir home tmp
	HOME=$place/home TMPDIR=$place/tmp same_as_without bash -c "$look"
	[ "$(sed -n 1p ours.out)" = 1 ]
	[ "$(sed -n 3p ours.out)" = 0 ]
	no_trace_of "$place"
}

@test "bash, tracing demanded" {
	ACLCHECK_TRACE=on same_as_without bash -c "$look"
	no_trace_of "$place"
}

@test "python3" {
	cat >look.py <<-'E'
		import os
		print(len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd")))
		print([w for w in ("lttng", "unwind", "libdw", "jansson") if w in open("/proc/self/maps").read()])
	E
	same_as_without python3 look.py
	grep -q '^1 ' ours.out
	grep -q '^\[\]$' ours.out
	rm look.py
	no_trace_of "$place"
}

@test "make and what it starts" {
	printf 'all: one two\none:\n\t@echo one\ntwo: one\n\t@ls /proc/self/task | wc -l\n' >Makefile
	same_as_without make
	rm Makefile
	no_trace_of "$place"
}

@test "a program linked to the runtime that never calls it" {
	same_as_without "$guest/ending" unused
	no_trace_of "$place"
}

@test "a program that asks for names and calls none" {
	same_as_without env LD_LIBRARY_PATH="$softnpu" "$guest/by_name" nothing
	no_trace_of "$place"
}

@test "the constructor opens nothing" {
	command -v strace >/dev/null || skip "no strace"
	LD_PRELOAD=$library strace -f -o calls /bin/true
	# After the loader mapped us, /bin/true must do what it does without.
	strace -f -o plain /bin/true
	[ "$(grep -c -E 'openat|clone|socket|write' calls)" -le "$(($(grep -c -E 'openat|clone|socket|write' plain) + 1))" ]
}
