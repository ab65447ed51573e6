#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What is written down of CPython is so in the headers and in the interpreters that are installed.

load helper

@test "offsets are those of the installed headers" {
	local compared=0 python include

	for python in $(interpreters); do
		include=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
		[ -e "$include/internal/pycore_pystate.h" ] || continue
		gcc -w -I"$include" -I"$include/internal" -o layout "$tests/layout.c"
		./layout >row
		[ "$(wc -l <row)" = 1 ]
		grep -qxFf row "$ACLCHECK_SOURCE/interpose/symbolize/python_layout.def" || {
			echo "$python has"
			cat row
			return 1
		}
		echo "# $include" >&3
		compared=$((compared + 1))
	done
	[ "$compared" -ge 1 ]
}

@test "lines are those that the interpreter has, in all of its library" {
	local compared=0 python

	for python in $(interpreters); do
		LD_PRELOAD='' "$python" "$tests/lines.py" "$ACLCHECK_BUILD/tests/python/liblines.so"
		compared=$((compared + 1))
	done
	[ "$compared" -ge 1 ]
}
