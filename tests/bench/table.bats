#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the table of costs says of a bound that is missed; the bounds of memory, which every machine can keep.

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	bench=$ACLCHECK_BUILD/bench
}

# starts LIBRARY: each program twice without and with it
starts() {
	BENCH_MISSED=$PWD/missed "$ACLCHECK_SOURCE/tools/bench/starts" "$bench" "$1" 2
}

@test "starting: a library that takes 50 ms misses the bound, and is named to be profiled" {
	printf '#include <time.h>\n__attribute__((constructor)) static void spin(void) { clock_t end = clock() + CLOCKS_PER_SEC / 20; while (clock() < end); }\n' >slow.c
	"$CC" -shared -fPIC -O1 -o slow.so slow.c
	run starts slow.so
	[ "$status" -eq 1 ]
	[[ $output == *"| /bin/true |"*"+1 ms: **missed** |"* ]]
	[ "$(grep -c 'missed' <<<"$output")" -eq 3 ]
	[ "$(wc -l <missed)" -eq 3 ]
	grep -qx 'start /bin/true' missed
}

@test "starting: programs that call the runtime are started as well, and say so when they fail" {
	printf 'int none;\n' >none.c
	"$CC" -shared -fPIC -o none.so none.c
	starts none.so >table || true
	grep -q '| python3, the runtime by ctypes, two calls | [0-9.]* | [0-9.]* | [+-][0-9.]* |' table
	grep -q '| python3, a C++ extension .* | [0-9.]* | [0-9.]* | [+-][0-9.]* |' table
	printf '#include <stdlib.h>\n__attribute__((constructor)) static void leave(void) { _Exit(3); }\n' >leaves.c
	"$CC" -shared -fPIC -o leaves.so leaves.c
	run starts leaves.so
	[ "$status" -ne 0 ]
	[[ $output == *"ended with status"* ]]
}

@test "a profile names functions of the library, and their share" {
	command -v valgrind >/dev/null || skip "no valgrind"
	"$ACLCHECK_SOURCE/tools/bench/profile" copy -b "$bench/bench" --profile "$bench" copy 2000 >profile
	grep -q '^copy: ' profile
	grep -qE '\(100\.0%\) .*PROGRAM TOTALS' profile
	grep -qE '\( ?[0-9.]+%\) .*checks/(engine|state|rules)/[a-z_/]*\.c:' profile
}

@test "what was missed is profiled, each once; that nothing was is said" {
	command -v valgrind >/dev/null || skip "no valgrind"
	mkdir bench
	: >bench/missed
	[ "$("$ACLCHECK_SOURCE/tools/bench/missed" "$PWD")" = $'\nNo bound was missed.' ]
	cp "$bench"/bench "$bench"/lib*.so bench
	printf 'query\nquery\n' >bench/missed
	"$ACLCHECK_SOURCE/tools/bench/missed" "$PWD" >profiles
	[ "$(grep -c '^query: ' profiles)" -eq 1 ]
	grep -q 'PROGRAM TOTALS' profiles
}

@test "resident bytes of blocks, events and streams are within their bounds" {
	run "$bench/bench" --bytes "$bench"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c ': kept |$' <<<"$output")" -eq 10 ]
	[[ $output != *missed* ]]
}
