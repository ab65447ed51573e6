#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What a program says of itself: macros of aclcheck.h in C and C++, the module of Python.

load helper

# annotated STATUS WORD: the verdict's exit code under aclcheck run; report in r.json, output in $output.
annotated() {
	local wanted=$1
	shift
	unset ACLCHECK_JOB
	run "$ACLCHECK" run --softnpu --report r.json -- "${PROGRAM[@]}" "$@"
	[ "$status" = "$wanted" ]
}

rules() {
	json r.json '[f["rule"] for f in r["findings"] if not f["advice"] and not f["suppressed"] and not f.get("expected")]'
}

in_each() {
	for PROGRAM in "$BUILD/tests/report/annotated" "$BUILD/tests/report/annotated-cxx"; do "$@"; done
	export PYTHONPATH=$ACLCHECK_SOURCE/include/python PYTHONDONTWRITEBYTECODE=1
	PROGRAM=(python3 "$ACLCHECK_SOURCE/tests/report/annotated.py")
	"$@"
}

@test "names stand beside handles and addresses, a block is memory of its own" {
	named() {
		annotated 97 race
		[ "$(rules)" = "['stream-race-copy']" ]
		[ "$(json r.json '[(o["role"], o.get("name"), o["kind"]) for o in r["findings"][0]["objects"] if o["role"] in ("its stream", "memory")]')" = \
			"[('its stream', 'uploads', 'stream'), ('memory', 'weights', 'block of a declared pool')]" ]
		[ "$(json r.json 'r["findings"][0]["objects"][-1]["created"]["call"]')" = ACLCHECK_BLOCK ]
		[[ $output == *' "uploads", device 0'* ]]
		"$ACLCHECK" report --format text r.json | grep -q '"weights"'
		"$ACLCHECK" report --format html r.json | grep -q '“weights”'
	}
	in_each named
}

@test "a kernel below AscendCL is a task of its stream" {
	launched() {
		annotated 97 kernel
		[ "$(rules)" = "['stream-race-copy']" ]
		[ "$(json r.json '(r["findings"][0]["call"], r["findings"][0]["args"]["name"])')" = "('ACLCHECK_KERNEL', 'add')" ]
	}
	in_each launched
}

@test "what a scope ignores is suppressed, with its reason" {
	ignored() {
		annotated 0 ignored
		[ "$(json r.json '[(f["rule"], f["suppressed"], f["suppressed_by"]) for f in r["findings"] if not f["advice"]]')" = \
			"[('async-copy-alignment', True, 'ticket 123')]" ]
		[ "$(json r.json '(r["totals"]["suppressed"], r.get("expectations"))')" = "(1, None)" ]
	}
	in_each ignored
	PROGRAM=("$BUILD/tests/report/annotated")
	annotated 0 unneeded
	annotated 97 unaligned
	PROGRAM=(python3 "$ACLCHECK_SOURCE/tests/report/annotated.py")
	annotated 0 expected
	[ "$(json r.json 'r["totals"]["expected"]')" = 1 ]
}

@test "use of a block after its end; a block that is ended twice makes the run inconclusive" {
	PROGRAM=("$BUILD/tests/report/annotated")
	annotated 97 ended
	[ "$(rules)" = "['use-after-free']" ]
	[ "$(json r.json '[o["destroyed"]["call"] for o in r["findings"][0]["objects"] if "destroyed" in o]')" = "['ACLCHECK_BLOCK_END']" ]
	twice() {
		annotated 98 twice
		[[ $output == *"annotation: ACLCHECK_BLOCK_END: no block of the pool that is in use begins there"* ]]
	}
	in_each twice
}

@test "before the first call nothing comes of it; without the tool the arguments are not even evaluated" {
	for PROGRAM in "$BUILD/tests/report/annotated" "$BUILD/tests/report/annotated-cxx"; do
		annotated 0 early
		[[ $output == *"done, 8 evaluated"* ]]
		for word in early race twice ignored kernel; do
			run env LD_LIBRARY_PATH="$BUILD/softnpu" "$PROGRAM" $word
			[ "$status" = 0 ]
			[ "$output" = "done, 0 evaluated" ]
		done
	done
	run env PYTHONPATH="$ACLCHECK_SOURCE/include/python" PYTHONDONTWRITEBYTECODE=1 LD_LIBRARY_PATH="$BUILD/softnpu" \
		python3 "$ACLCHECK_SOURCE/tests/report/annotated.py" ignored
	[ "$status" = 0 ]
	[ "$output" = "done, alone" ]
}
