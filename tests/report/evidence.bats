#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# How often evidence ended is in each report, and in the text when it did.

load helper

setup_file() {
	cat >"$BATS_FILE_TMPDIR/waits.c" <<-'END'
		#include "acl/acl.h"
		#include <stdlib.h>
		int main(int argc, char **argv)
		{
			aclrtStream one, two;
			static char zeros[32];
			void *word;
			aclInit(NULL);
			aclrtSetDevice(0);
			aclrtCreateStream(&one);
			aclrtCreateStream(&two);
			aclrtMallocAlign32(&word, 32, ACL_MEM_MALLOC_HUGE_FIRST);
			/* What is copied there is not known, and so what ends a wait. */
			aclrtMemcpy(word, 32, zeros, 32, ACL_MEMCPY_HOST_TO_DEVICE);
			for (int i = 0; argc > 1 && i < atoi(argv[1]); i++) {
				aclrtValueWrite(word, 1, 0, one);
				aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_EQ, two);
			}
			aclrtSynchronizeStream(one);
			aclrtSynchronizeStream(two);
			aclrtDestroyStream(one);
			aclrtDestroyStream(two);
			aclrtFree(word);
			aclrtResetDevice(0);
			return aclFinalize();
		}
	END
	cc -I"$ACLCHECK_BUILD/include" -o "$BATS_FILE_TMPDIR/waits" "$BATS_FILE_TMPDIR/waits.c" -L"$ACLCHECK_BUILD/softnpu" -lascendcl -lacl_rt
}

none="{'kernels': 0, 'other-submitters': 0, 'value-waits': 0, 'notify-waits': 0, 'event-waits': 0, 'models': 0}"

@test "waits for words of memory are counted, in the report and in the text" {
	run "$ACLCHECK" run --softnpu --report r.json -- "$BATS_FILE_TMPDIR/waits" 3
	[ "$status" -eq 0 ]
	[[ $output == *"order of tasks unknown behind: 3 value-waits"* ]]
	[ "$(json r.json 'r["evidence_ends"]')" = "${none/"value-waits': 0"/"value-waits': 3"}" ]
	run "$ACLCHECK" report r.json
	[[ $output == *"order of tasks unknown behind: 3 value-waits"* ]]
}

@test "where evidence never ended the key is there, and no line" {
	run "$ACLCHECK" run --softnpu --report r.json -- "$BATS_FILE_TMPDIR/waits"
	[ "$status" -eq 0 ]
	[[ $output != *"order of tasks unknown"* ]]
	[ "$(json r.json 'r["evidence_ends"]')" = "$none" ]
	"$ACLCHECK" report --format json r.json >same.json
	[ "$(json same.json 'r["evidence_ends"]')" = "$none" ]
	run "$ACLCHECK" run --softnpu --report n.json -- true
	[ "$(json n.json 'r["evidence_ends"]')" = "{}" ]
}

@test "a merge adds them up, and reports of a version without them count nothing" {
	for n in 2 5; do
		"$ACLCHECK" run --softnpu --report "$n.json" -- "$BATS_FILE_TMPDIR/waits" "$n"
	done
	"$ACLCHECK" merge 2.json 5.json -o m.json
	[ "$(json m.json 'r["evidence_ends"]["value-waits"]')" = 7 ]
	sed '/"evidence_ends"/,/}/d' 2.json >old.json
	"$ACLCHECK" merge old.json 5.json -o m.json
	[ "$(json m.json 'r["evidence_ends"]["value-waits"]')" = 5 ]
}
