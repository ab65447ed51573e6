#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Variables of threads, by each dialect of the machine: the library on the stack changes nothing about them.

load guest.bash

# uses FILE: how its variables are found
uses() {
	[ -z "${TEST_EMULATOR-}" ] || set -- "$ACLCHECK_BUILD/root$1" # what programs find there
	readelf -rW "$1" | grep -oE 'TLSDESC|DTPMOD|TPOFF' | sort -u | paste -sd' '
}

@test "one library has descriptors, the other calls __tls_get_addr" {
	[ "$(uses "$guest/libtls_descriptors.so")" = TLSDESC ]
	[ "$(uses "$guest/libtls_calls.so")" = DTPMOD ]
}

@test "in host functions, signal handlers and at the end of threads they are what they were" {
	for dialect in descriptors calls; do
		ACLCHECK_LOG=off checked timeout 60 "$guest/tls" "$guest/libtls_$dialect.so" >out
		cat out
		[ "$(cat out)" = "800 host functions, 4 ends of threads, signals, 0 wrong" ]
		# The findings were made: the library was there, with its stack.
		python3 - <<-'END'
			import json
			rules = {f["rule"] for f in json.load(open("report.json"))["findings"]}
			assert {"free-null", "init-repeat"} <= rules, rules
		END
		rm report.json
	done
}

@test "without the library the same program says the same" {
	for dialect in descriptors calls; do
		[ "$("$guest/tls" "$guest/libtls_$dialect.so")" = "800 host functions, 4 ends of threads, signals, 0 wrong" ]
	done
}
