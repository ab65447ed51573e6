# SPDX-License-Identifier: Apache-2.0
# Shared by the report tests.
# shellcheck disable=SC2034

# shellcheck source=tests/await.bash
source "$ACLCHECK_SOURCE/tests/await.bash"
# shellcheck source=tests/json.bash
source "$ACLCHECK_SOURCE/tests/json.bash"
# shellcheck source=tests/aarch64/emulated.bash
source "$ACLCHECK_SOURCE/tests/aarch64/emulated.bash"

BUILD=${ACLCHECK_BUILD:?run by make test}
SOURCE=${ACLCHECK_SOURCE:?run by make test}
FINDINGS=$BUILD/tests/report/findings
PROGRAM=$BUILD/tests/report/misaligned
ACLCHECK=$BUILD/aclcheck
export PYTHONDONTWRITEBYTECODE=1

# For a setup: the directory of temporary files is one of the test's own, in which nothing may stay (nothing_stays, for a teardown).
own_tmpdir() {
	skip_where_emulated
	cd "$BATS_TEST_TMPDIR" || return
	export TMPDIR=$PWD/tmp
	mkdir tmp
}

nothing_stays() {
	[ -z "$(ls "$BATS_TEST_TMPDIR/tmp")" ]
}

setup() {
	skip_where_emulated
	cd "$BATS_TEST_TMPDIR" || return
	# A job of its own: bats runs all tests in one process group.
	export ACLCHECK_JOB=$BATS_TEST_NAME
}
