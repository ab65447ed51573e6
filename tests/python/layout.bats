#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What is written down of CPython is so in the headers and in the interpreters that are installed.

load helper

@test "offsets are those of the installed headers" {
	local compared=0 python include

	interpreters
	for python in "${pythons[@]}"; do
		include=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
		[ -e "$include/frameobject.h" ] || continue
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

	interpreters
	for python in "${pythons[@]}"; do
		LD_PRELOAD='' "$python" "$tests/lines.py" "$ACLCHECK_BUILD/tests/python/liblines.so"
		compared=$((compared + 1))
	done
	[ "$compared" -ge 1 ]
}

@test "offsets that an interpreter says of itself and that are not to be read: those of the table" {
	gcc -Wall -Werror -O1 -g -rdynamic -I"$ACLCHECK_BUILD/include" -o says_offsets "$tests/says_offsets.c" -L"$library_path" -lascendcl -lacl_rt -pthread
	for lines in 136 160 1000; do
		checked r.json ./says_offsets "$lines"
		[ "$(json r.json '[frames(f)[:15] for f in r["findings"]][0]')" = "$(python3 -c 'print([("f", 7)] * 14 + [("main", None)])')" ]
	done
}
