#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The stress of the checker's tables, and the pointer map, under ThreadSanitizer and AddressSanitizer.
echo 1..4
n=0
for kind in asan tsan; do
	for test in stress map; do
		n=$((n + 1))
		if STRESS_ROUNDS=300 "$ACLCHECK_BUILD/$kind/tests/checks/$test" >"${TMPDIR:-/tmp}/stress.$$" 2>&1; then
			echo "ok $n - nothing found by $kind in $test"
		else
			echo "not ok $n - nothing found by $kind in $test"
			sed 's/^/# /' "${TMPDIR:-/tmp}/stress.$$"
		fi
		rm -f "${TMPDIR:-/tmp}/stress.$$"
	done
done
