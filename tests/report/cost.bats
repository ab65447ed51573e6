#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the report says the tool itself took.

load helper

setup() {
	skip_where_emulated
	cd "$BATS_TEST_TMPDIR" || return
	unset ACLCHECK_JOB
	cat >p.c <<-'END'
		#include <acl/acl.h>
		#include <stdlib.h>
		int main(int argc, char **argv)
		{
			uint32_t n;

			aclInit(NULL);
			for (long i = argc > 1 ? atol(argv[1]) : 0; i > 0; i--)
				aclrtGetDeviceCount(&n);
			aclFinalize();
		}
	END
	cc -O1 -I"$BUILD/include" -o p p.c -L"$BUILD/softnpu" -lascendcl -lacl_rt
}

@test "calls are timed now and then, the rest is measured" {
	run "$ACLCHECK" run --softnpu --report r.json -- ./p 20000
	[ "$status" = 0 ]
	# Every 128th to 383rd, and those in which the thread was interrupted.
	[ "$(json r.json '20000 / 384 - 2 < r["cost"]["samples"] + r["cost"]["interrupted"] < 20000 / 127')" = True ]
	# A call takes the tool something, and less than a finding would.
	[ "$(json r.json '5 < r["cost"]["samples_ns"] / r["cost"]["samples"] < 20000')" = True ]
	[ "$(json r.json '0 < r["cost"]["memory_used"] <= r["cost"]["memory_mapped"]')" = True ]
	[ "$(json r.json '0 < r["cost"]["open_us"]')" = True ]
	run "$ACLCHECK" report r.json
	[[ $output == *" ns a call ("*" timed), "*" ms to open, "*" MiB of memory"* ]]
}

@test "too few calls to say" {
	run "$ACLCHECK" run --softnpu --report r.json -- ./p 10
	[ "$status" = 0 ]
	[ "$(json r.json 'r["cost"]["samples"]')" = 0 ]
	"$ACLCHECK" report --format html r.json >r.html
	python3 -S "$SOURCE/tests/report/look.py" html r.html >text
	grep -q 'callsnot knowntoo few' text
	run "$ACLCHECK" report r.json
	[[ $output == *"cost of the tool: "*" ms to open"* ]]
}

@test "findings cost time of their own; processes add up" {
	run "$ACLCHECK" run --softnpu --report a.json -- "$PROGRAM"
	run "$ACLCHECK" run --softnpu --report b.json -- ./p 20000
	[ "$(json a.json '0 < r["cost"]["findings_us"]')" = True ]
	[ "$(json b.json 'r["cost"]["findings_us"]')" = 0 ]
	run "$ACLCHECK" merge a.json b.json -o m.json
	for key in samples samples_ns findings_us memory_used; do
		[ "$(json m.json "r['cost']['$key']")" = $(($(json a.json "r['cost']['$key']") + $(json b.json "r['cost']['$key']"))) ]
	done
	"$ACLCHECK" report --format html m.json >m.html || [ $? = 97 ]
	python3 -S "$SOURCE/tests/report/look.py" html m.html >text
	grep -q 'a call, on average' text
}
