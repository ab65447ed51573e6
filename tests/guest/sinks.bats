#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A finding is decided once: every sink gets it with the same status.

load guest.bash

# Three mistakes of one site, with a list of entries: suppressions or expect.
run_with() {
	printf '{"%s": [{"rule": "%s", "reason": "as agreed"}]}' "$1" "$2" >list
	ACLCHECK_REPORT=$place/report.json ACLCHECK_SUPPRESS=$place/list traced "$guest/ending" return 3
}

found() {
	python3 -c 'import json, sys
print(*(f["rule"] + ":" + ("suppressed" if f["suppressed"] else "expected" if "expected_by" in f else "counted")
	for f in json.load(open(sys.argv[1]))["findings"]))' "$place/report.json"
}

@test "a finding that counts" {
	run_with suppressions copy-*
	rule=$(found)
	[[ $rule == *:counted* ]]
	grep -qx "finding ${rule%:counted} counted" events
	! grep -qE '^finding .* (suppressed|expected)' events
}

@test "a suppressed finding reaches the trace marked" {
	run_with suppressions '*'
	[[ $(found) == *:suppressed* ]]
	grep -q '^finding .* suppressed$' events
	! grep -q '^finding .* counted' events || return 1
}

@test "an expected finding reaches the trace marked" {
	run_with expect '*'
	[[ $(found) == *:expected* ]]
	grep -q '^finding .* expected$' events
	! grep -q '^finding .* counted' events || return 1
}

@test "rank: the same in report and trace" {
	for set in "RANK=3 LOCAL_RANK=1 OMPI_COMM_WORLD_RANK=7" "PMIX_RANK=4 RANK=9" "SLURM_PROCID=5 RANK=2"; do
		rm -f events report.json
		# shellcheck disable=SC2086 # words are split on purpose
		ACLCHECK_REPORT=$place/report.json GUEST_RANK=1 traced env $set "$guest/ending" return
		[ "$(sed -n 's/^rank //p' events)" = "$(field rank)" ]
	done
}
