# SPDX-License-Identifier: Apache-2.0
# What the tests of this folder share.
# shellcheck disable=SC2034 # for the tests

# shellcheck source=tests/trace/alone.bash
source "$ACLCHECK_SOURCE/tests/trace/alone.bash"
# shellcheck source=tests/await.bash
source "$ACLCHECK_SOURCE/tests/await.bash"

places() {
	bin=$ACLCHECK_BUILD
	aclcheck=$bin/aclcheck
	app=$bin/tests/trace/app
	drive="$bin/tests/trace/drive $bin/libaclcheck-lttng.so"
	place=$1
	cd "$place" || return
	# Nothing of the developer's own environment takes part.
	unset "${!LTTNG_@}" ACLCHECK_{CONFIG,REPORT,EXITCODE,RULES,RUNTIME,TRACE} ACLCHECK_SIMULATE_{CPUS,SHM}
	export ACLCHECK_LOG=off SOFTNPU_CANN=9.1
	# Small buffers are made faster.
	buffers=--buffers=8M
}

setup() {
	places "$BATS_TEST_TMPDIR"
}

# record DIR [OPTION...] -- PROGRAM...: what is said goes to $place/said
record() {
	local dir=$1
	shift
	"$aclcheck" trace "$buffers" -o "$dir" "$@" 2>"$place/said"
}

# text_of DIR: in $text, a file with the trace as text; read once, and again where anything of the trace was written since
text_of() {
	local at=$PWD/$1 file kept=

	text=$BATS_FILE_TMPDIR/events${at//\//+}
	[ ! -e "$text.begun" ] || [ ! -e "$1" ] || kept=1
	for file in "$1" "$1"/{*,*/*,*/*/*,*/*/*/*,*/*/*/*/*,*/*/*/*/*/*}; do
		[[ ! $file -nt $text.begun ]] || kept=''
	done
	[ -z "$kept" ] || return 0
	: >"$text.begun"
	babeltrace2 "$1" >"$text" || {
		rm "$text.begun"
		return 1
	}
}

# events DIR: the trace as text, one line an event
events() {
	local text code=0

	text_of "$1" || code=1
	cat "$text"
	return "$code"
}

# count DIR PATTERN
count() {
	local text

	text_of "$1" || :
	grep -c -E "$2" "$text" || :
}

# daemons_of DIR: LTTng's daemons that were started for the test with that directory
daemons_of() {
	processes_of "$1" -f '^lttng-(sessiond|relayd|consumerd)|/lttng-consumerd'
}

# processes_of PLACE PGREP-OPTION...: those of the test there
processes_of() {
	local p place=$1

	shift
	for p in $(pgrep "$@"); do
		tr '\0' '\n' <"/proc/$p/environ" 2>/dev/null | grep -q -x "BATS_TEST_TMPDIR=$place" && echo "$p"
	done
	return 0
}

# Can this test make a mount of its own?
needs_mount() {
	unshare -m true 2>/dev/null || skip "needs the right to make a mount namespace"
}

# not COMMAND: it fails, and the test with it if it does not ("!" alone is ignored in the middle of a test)
not() {
	! "$@"
}
