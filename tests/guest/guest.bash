# SPDX-License-Identifier: Apache-2.0
# What the tests of this folder share.

# shellcheck source=tests/await.bash
source "$ACLCHECK_SOURCE/tests/await.bash"
# shellcheck source=tests/json.bash
source "$ACLCHECK_SOURCE/tests/json.bash"
# shellcheck source=tests/aarch64/emulated.bash
source "$ACLCHECK_SOURCE/tests/aarch64/emulated.bash"

setup() {
	skip_where_emulated
	guest=$ACLCHECK_BUILD/tests/guest
	library=$ACLCHECK_BUILD/libaclcheck.so
	# shellcheck disable=SC2034 # the tests use it
	softnpu=$ACLCHECK_BUILD/softnpu
	place=$BATS_TEST_TMPDIR
	cd "$place" || return
	unset "${!LTTNG_@}" ACLCHECK_{CONFIG,REPORT,EXITCODE,RULES,LOG,RUNTIME}
	export ACLCHECK_TRACE=off SOFTNPU_CANN=9.1
}

# checked COMMAND: under the preload, report in $place/report.json
checked() {
	LD_PRELOAD=$library ACLCHECK_REPORT=$place/report.json "$@"
}

# traced COMMAND: one line a call phase in $place/events
traced() {
	LD_PRELOAD=$guest/traced/libaclcheck.so ACLCHECK_TRACE=on ACLCHECK_LOG=off GUEST_EVENTS=$place/events "$@"
}

# same_as_without COMMAND: output and exit code are what they are without us.  In one condition, since callers
# ask for it in "||", where a failure in the middle is ignored.
same_as_without() {
	local plain=0 ours=0

	"$@" >"$place/plain.out" 2>"$place/plain.err" || plain=$?
	ACLCHECK_LOG=$place/log checked "$@" >"$place/ours.out" 2>"$place/ours.err" || ours=$?
	[ "$plain" -eq "$ours" ] &&
		diff "$place/plain.out" "$place/ours.out" &&
		diff "$place/plain.err" "$place/ours.err"
}

# field KEY [FILE]: a field of the report
field() {
	json "${2:-$place/report.json}" "r['$1']"
}
