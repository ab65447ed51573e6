#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# At the terminal: a program under the library itself, a debugger, settings that are wrong.

load helper

@test "gdb stops at each finding, on the call that made it" {
	cat >commands <<-END
		set environment LD_LIBRARY_PATH $BUILD/softnpu
		set exec-wrapper env LD_PRELOAD=$BUILD/libaclcheck.so ACLCHECK_LOG=off
		set breakpoint pending on
		break aclcheck_break
		run
		backtrace
	END
	run gdb -q -batch -x commands "$PROGRAM"
	[[ $output == *"aclcheck_break ()"* ]]
	[[ $output == *"in main "*"misaligned.c:"* ]]
}

@test "with a wrong setting the program runs unchecked and the verdict is inconclusive" {
	echo '{"ruels": "-perf"}' >c.json
	LD_LIBRARY_PATH=$BUILD/softnpu "$PROGRAM" >plain
	ACLCHECK_CONFIG=c.json ACLCHECK_REPORT=r.json LD_LIBRARY_PATH=$BUILD/softnpu LD_PRELOAD=$BUILD/libaclcheck.so \
		"$PROGRAM" >checked 2>err
	cmp plain checked
	[ "$(grep -c '^aclcheck: ' err)" = 1 ]
	[ "$(json r.json 'r["verdict"], len(r["findings"]), [d["reason"] for d in r["inconclusive"]]')" = \
		"('inconclusive', 0, ['bad-configuration'])" ]
}
