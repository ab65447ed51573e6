#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Faults that the user asks for: chosen calls fail or take longer, and the report says how the program took it.

load helper

FAULTY=$BUILD/tests/report/faulty

# inject CODE FAULTS MODE...: the run ends with that code; its report is r.json.
inject() {
	local code=$1 faults=$2
	shift 2
	run "$ACLCHECK" run --softnpu --report r.json --inject "$faults" -- "$FAULTY" "$@"
	echo "$output"
	[ "$status" = "$code" ]
}

injected() {
	json r.json "[($1) for i in r.get('injected', [])]"
}

@test "an injected failure: the documented code, the thread's last error, nothing forwarded, and no finding of its own" {
	inject 0 'aclrtMalloc:when=2:error=207001' fallback
	[[ $output == *"failed: 207001 207001 207001 0"* && $output == *done* ]]
	[ "$(injected "i['call'], i['first'], i['times'], i['error'], i['error_name'], i['place']['function']")" = \
		"[('aclrtMalloc', 2, 1, 207001, 'ACL_ERROR_RT_MEMORY_ALLOCATION', 'grow')]" ]
	# The runtime gave three blocks, and they were freed: a failed call leaves nothing behind.
	[ "$(json r.json 'r["verdict"], r["findings"]')" = "('pass', [])" ]
}

@test "the thread's last error is the newest one, injected or not" {
	cat >newest.c <<-'END'
		#include <acl/acl.h>
		#include <stdio.h>
		static void say(void)
		{
			int peeked = aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), got = aclrtGetLastError(ACL_RT_THREAD_LEVEL);
			printf("%d %d %d\n", peeked, got, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
		}
		int main(void)
		{
			void *block;
			if (aclInit(NULL) || aclrtSetDevice(0))
				return 1;
			printf("%d\n", aclrtSetDevice(1000));
			aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST);
			say();
			aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST);
			aclrtSetDevice(1000);
			say();
			return aclrtResetDevice(0) || aclFinalize();
		}
	END
	cc -w -I"$BUILD/include" -o newest newest.c -L"$BUILD/softnpu" -lascendcl -lacl_rt -Wl,-rpath,"$BUILD/softnpu"
	"$ACLCHECK" run --softnpu --inject 'aclrtMalloc:when=1+:error=207001' -- ./newest >said 2>/dev/null || [ $? = 97 ]
	read -r real <said
	[ "$real" != 207001 ]
	[ "$(cat said)" = "$(printf '%s\n' "$real" "207001 207001 0" "$real $real 0")" ]
}

@test "how the program took it: stopped, retried, used what the call left behind, or no sign" {
	inject 3 'aclrtMalloc:when=2:error=207001' stop
	[ "$(injected "i['noticed']")" = "['stopped']" ]
	[[ $output == *"injected: aclrtMalloc failed with 207001 (ACL_ERROR_RT_MEMORY_ALLOCATION) x 1, in grow ("*": the process ended with an error"* ]]
	inject 0 'aclrtMalloc:when=2:error=207001' retry
	[ "$(injected "i['noticed']")" = "['retried']" ]
	inject 97 'aclrtMalloc:when=2:error=207001' ignore
	[ "$(injected "i['noticed']")" = "['output-used']" ]
	[[ $(json r.json '[f["rule"] for f in r["findings"]]') == *alloc-result-unchecked* ]]
	inject 0 'aclrtMalloc:when=4:error=207001' fallback
	[ "$(injected "i['noticed']")" = "['no-sign']" ]
}

@test "which calls: the nth, from the nth on, by chance with a seed, by place, by thread" {
	inject 0 'aclrtMalloc:when=2+:error=207001' fallback
	[ "$(injected "i['first'], i['times']")" = "[(2, 3)]" ]
	inject 0 'aclrtMemcpyAsync:p=0.5:seed=5:delay=1us' stop
	first=$(injected "i['first'], i['times']")
	inject 0 'aclrtMemcpyAsync:p=0.5:seed=5:delay=1us' stop
	[ "$(injected "i['first'], i['times']")" = "$first" ]
	for seed in 1 2 3 4 5 6 7 8; do
		inject 0 "aclrtMemcpyAsync:p=0.5:seed=$seed:delay=1us" stop
		injected "i['first'], i['times']"
	done | grep '^\[' | sort -u | wc -l >different
	[ "$(cat different)" -gt 2 ]
	inject 0 'aclrtMemcpyAsync:p=1:delay=1us' stop
	[ "$(injected "i['times']")" = "[4]" ]
	line=$(grep -n 'return aclrtMalloc' "$SOURCE/tests/report/faulty.c" | cut -d: -f1)
	for place in grow 'gr*' faulty.c report/faulty.c "faulty.c#$line"; do
		inject 0 "aclrtMalloc:at=$place:delay=1us" stop
		[ "$(injected "i['times']")" = "[4]" ]
	done
	for place in work aulty.c "faulty.c#$((line + 1))" 'row*'; do
		inject 0 "aclrtMalloc:at=$place:delay=1us" stop
		[ "$(injected "i['times']")" = "[]" ]
	done
	inject 0 'aclrtMalloc:thread=main:delay=1us' stop
	[ "$(injected "i['times']")" = "[4]" ]
	inject 0 'aclrtMalloc:thread=main:delay=1us' stop threaded
	[ "$(injected "i['times']")" = "[]" ]
	inject 0 'aclrtMalloc:thread=other:delay=1us' stop threaded
	[ "$(injected "i['times']")" = "[4]" ]
	inject 0 'aclrtMalloc:thread=fau*:delay=1us' stop threaded
	[ "$(injected "i['times']")" = "[4]" ]
}

@test "a delay: the call is forwarded after that time, and goes on when a signal comes" {
	inject 0 'aclrtSynchronizeStream:delay=300ms' stop
	[ "$(injected "i['times'], i['delay_ns'], 'error' in i")" = "[(1, 300000000, False)]" ]
	[ "$(json r.json 'r["verdict"]')" = pass ]
	# By what the thread was in: the call shows in the report of the killed program.
	run "$ACLCHECK" run --softnpu --report r.json --timeout 1 --inject 'aclrtSynchronizeStream:delay=100s' -- "$FAULTY" stop
	[ "$status" = 98 ]
	[[ $output == *"was in aclrtSynchronizeStream"* ]]
	[ "$(injected "i['call'], i['times']")" = "[('aclrtSynchronizeStream', 1)]" ]
}

@test "several faults, names with *, processes that share a list" {
	inject 0 'aclrtMalloc:when=1:error=207001; aclrtMalloc:when=1:error=107002 ;aclrtFree*:delay=1us' fallback
	# The second fault speaks of the calls that the first one left alone.
	[ "$(injected "i['call'], i['error'] if 'error' in i else i['delay_ns'], i['times']")" = \
		"[('aclrtMalloc', 207001, 1), ('aclrtMalloc', 107002, 1), ('aclrtFree', 1000, 2), ('aclrtFreeHost', 1000, 1)]" ]
	run "$ACLCHECK" run --softnpu --report r.json --inject aclrtMalloc:when=2:error=207001 -- \
		sh -c "$FAULTY fallback; $FAULTY fallback; true"
	[ "$status" = 0 ]
	[ "$(injected "i['times']")" = "[2]" ]
}

@test "a process that is killed after a failure: its journal has it" {
	run "$ACLCHECK" run --softnpu --report r.json --inject aclrtMalloc:when=2:error=207001 -- "$FAULTY" die
	[ "$status" = 98 ]
	[ "$(injected "i['call'], i['times'], i['noticed']")" = "[('aclrtMalloc', 1, 'no-sign')]" ]
}

@test "text, page, merge, Chinese" {
	inject 97 'aclrtMalloc:when=2:error=207001' ignore
	"$ACLCHECK" merge -o m.json r.json r.json || true
	[ "$(json m.json "[(i['call'], i['times']) for i in r['injected']]")" = "[('aclrtMalloc', 2)]" ]
	"$ACLCHECK" report r.json >text || true
	grep -q 'injected: aclrtMalloc failed with 207001' text
	"$ACLCHECK" report --lang zh r.json >text || true
	grep -q '注入的故障: aclrtMalloc 以 207001 (ACL_ERROR_RT_MEMORY_ALLOCATION) 失败 1 次' text
	"$ACLCHECK" report --format html -o page.html r.json || true
	grep -q '<h2>Injected faults</h2>' page.html
	grep -q 'what it left behind was used' page.html
	python3 "$SOURCE/tests/report/validate.py" "$SOURCE/tools/aclcheck/report/report.schema.json" r.json m.json
}

@test "without the command: the environment, a configuration file, the summary of the process" {
	most=$(sed -n 's/^#define FAULT_RULES \([0-9]*\)$/\1/p' "$SOURCE/interpose/common/fault_rules.h")
	many=$(printf 'aclrtMalloc:when=%d:delay=1us;' $(seq 1 "$most"))
	inject 0 "$many" fallback
	run "$ACLCHECK" run --softnpu --inject "${many}aclrtFree:delay=1us" -- "$FAULTY"
	[[ $status = 99 && $output == *"is one fault too many: $most are possible"* ]]
	export LD_LIBRARY_PATH=$BUILD/softnpu
	run env LD_PRELOAD="$BUILD/libaclcheck.so" ACLCHECK_INJECT=aclrtMalloc:when=2:error=207001 "$FAULTY" fallback
	[[ $status = 0 && $output == *"injected: aclrtMalloc  grow (faulty.c:"*")  x 1  (aclrtMalloc:when=2:error=207001)"* ]]
	echo '{"inject": "aclrtMalloc:when=2:error=207001"}' >c.json
	run env LD_PRELOAD="$BUILD/libaclcheck.so" ACLCHECK_CONFIG=c.json "$FAULTY" fallback
	[[ $output == *"injected: aclrtMalloc"* ]]
	# With checks off, too.
	run env LD_PRELOAD="$BUILD/libaclcheck.so" ACLCHECK_CHECKS=off ACLCHECK_INJECT=aclrtMalloc:when=2:error=207001 "$FAULTY" fallback
	[[ $output == *"failed: 207001 207001 207001 0"* ]]
}

@test "wrong faults: refused by the command, one clear line and an unchecked run without it" {
	while read -r fault text; do
		run "$ACLCHECK" run --softnpu --inject "$fault" -- "$FAULTY"
		[[ $status = 99 && $output == *"inject: "*"$text"* ]] || {
			echo "$fault: $status $output"
			return 1
		}
	done <<-'END'
		aclrtMaloc:error=1 begins with no function of the runtime that is wrapped
		aclrtMalloc has none of error=, delay= and watch
		aclrtMalloc:error=0 'error=0' must be an error code
		aclrtMalloc:error=-1 must be an error code
		aclrtMalloc:when=0:error=1 'when=0' must be which call it is
		aclrtMalloc:when=2-:error=1 must be which call it is
		aclrtMalloc:p=0:error=1 must be a probability
		aclrtMalloc:p=1.1:error=1 must be a probability
		aclrtMalloc:seed=x:error=1 must be a number
		aclrtMalloc:delay=50 must be a time
		aclrtMalloc:delay=2000m must be a time
		aclrtMalloc:delay=3601s must be a time
		aclrtMalloc:at=:error=1 is empty, or too long
		aclrtMalloc:whn=2:error=1 'whn=2' is none of when=
		aclrtMalloc::error=1 is none of when=
		aclrtGetSocName:error=1 cannot fail
	END
	export LD_LIBRARY_PATH=$BUILD/softnpu
	run env LD_PRELOAD="$BUILD/libaclcheck.so" ACLCHECK_INJECT=aclrtMalloc:error=207001:whn=2 "$FAULTY"
	[[ $status = 0 && $output == *"aclcheck: environment: inject: 'whn=2' is none of when="* && $output == *"verdict: inconclusive; bad-configuration"* ]]
	[[ $output != *failed:* ]]
}
