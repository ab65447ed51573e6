#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Every path to the same findings says the same: all places, and one way to count.

load helper

@test "with all stacks an earlier task has its own" {
	for stacks in default all; do
		ACLCHECK_STACKS=$stacks ACLCHECK_REPORT=$PWD/$stacks.json run "$ACLCHECK" run --softnpu -- "$BUILD/tests/demo/pipeline"
		[ "$(json $stacks.json '[f["rule"] for f in r["findings"]]')" = "['stream-race-copy']" ]
	done
	task='[s["function"].split("(")[0] for s in r["findings"][0]["objects"][0]["last_used"]["stack"]]'
	[ "$(json default.json "$task")" = "['work']" ]
	[ "$(json all.json "$task")" = "['work', 'main']" ]
}

@test "three lines of one function are one finding with three places, also merged twice" {
	cat >three.c <<-'E'
		#include "acl/acl.h"
		int main(void)
		{
			aclrtStream s;
			void *d;
			aclInit(0), aclrtSetDevice(0), aclrtCreateStream(&s), aclrtMalloc(&d, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST);
			aclrtMemset(d, 1 << 20, 0, 1 << 20);
			aclrtMemcpyAsync((char *)d + 4096, 64, (char *)d + 12, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, s);
			aclrtMemcpyAsync((char *)d + 4096, 64, (char *)d + 13, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, s);
			for (int i = 0; i < 25; i++)
				aclrtMemcpyAsync((char *)d + 4096, 64, (char *)d + 14, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, s);
			aclrtSynchronizeStream(s), aclrtDestroyStream(s), aclrtFree(d), aclrtResetDevice(0);
			return aclFinalize();
		}
	E
	gcc -g -I"$BUILD/include" -o three three.c -L"$BUILD/softnpu" -lascendcl -lacl_rt
	run "$ACLCHECK" run --softnpu --report r.json -- ./three
	[ "$status" = 97 ]
	[ "$(json r.json '[(s["line"], s["count"]) for s in r["findings"][0]["sites"]]')" = "[(11, 25), (8, 1), (9, 1)]" ]
	[ "$(json r.json 'r["findings"][0]["count"], r["totals"]["error"]')" = "(27, 27)" ]
	"$ACLCHECK" merge -o twice.json r.json r.json || [ $? = 97 ]
	"$ACLCHECK" merge -o again.json twice.json || [ $? = 97 ]
	for merged in twice again; do
		[ "$(json $merged.json '[(s["line"], s["count"]) for s in r["findings"][0]["sites"]]')" = "[(11, 50), (8, 2), (9, 2)]" ]
	done
	"$ACLCHECK" report r.json >text || [ $? = 97 ]
	grep -A3 'at 3 call sites:' text | grep -q 'main (.*three.c:9) x 1'
	"$ACLCHECK" report --format html r.json >page.html || [ $? = 97 ]
	grep -q 'three.c:9) &times;1' page.html
	python3 "$SOURCE/tests/report/validate.py" "$SOURCE/tools/aclcheck/report/report.schema.json" r.json again.json
}

@test "two programs with one fingerprint: neither is lost" {
	for name in client server; do
		sed "s/NAME/$name/" >$name.c <<-'E'
			#include "acl/acl.h"
			int main(void)
			{
				aclInit(0);
				/* NAME */
				return aclInit(0) ? 0 : aclFinalize();
			}
		E
		gcc -g -I"$BUILD/include" -o $name $name.c -L"$BUILD/softnpu" -lascendcl -lacl_rt
		"$ACLCHECK" run --softnpu --report $name.json -- ./$name || [ $? = 97 ]
	done
	"$ACLCHECK" merge -o all.json client.json server.json || [ $? = 97 ]
	[ "$(json all.json 'sorted(s["file"].split("/")[-1] for s in r["findings"][0]["sites"])')" = "['client.c', 'server.c']" ]
}

@test "totals are primary findings by every path, each key always there" {
	ACLCHECK_REPORT=one.json "$FINDINGS" error secondary warning advice >/dev/null 2>&1
	"$ACLCHECK" merge -o all.json one.json || [ $? = 97 ]
	[ "$(json one.json 'r["totals"]')" = "$(json all.json 'r["totals"]')" ]
	[ "$(json one.json 'len(r["totals"])')" = 7 ]
	"$ACLCHECK" report one.json >text || [ $? = 97 ]
	"$ACLCHECK" report all.json >again || [ $? = 97 ]
	diff <(grep ^summary text) <(grep ^summary again)
}
