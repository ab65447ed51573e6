# SPDX-License-Identifier: Apache-2.0
# What the tests of this directory share.
# shellcheck disable=SC2034

# shellcheck source=tests/json.bash
source "$ACLCHECK_SOURCE/tests/json.bash"

setup() {
	library=$ACLCHECK_BUILD/libaclcheck.so
	aclcheck=$ACLCHECK_BUILD/aclcheck
	native=$ACLCHECK_BUILD/tests/python/libnative.so
	tests=$ACLCHECK_SOURCE/tests/python
	cd "$BATS_TEST_TMPDIR" || return
	unset ACLCHECK_{CONFIG,REPORT,EXITCODE,RULES,LOG,RUNTIME,SUPPRESS}
	export ACLCHECK_JOB=$BATS_TEST_NAME ACLCHECK_TRACE=off SOFTNPU_CANN=9.1 PYTHONDONTWRITEBYTECODE=1
	export LD_LIBRARY_PATH=$library_path
}
library_path=$ACLCHECK_BUILD/softnpu

# Sets pythons: interpreters of the versions whose frames are read, Debian's (release and debug), those of
# PYTHONS_TO_TEST, and pyenv's.  Fails without any.  Each is asked once a file.
interpreters() {
	[ -e "$BATS_FILE_TMPDIR/pythons" ] || list_interpreters >"$BATS_FILE_TMPDIR/pythons"
	mapfile -t pythons <"$BATS_FILE_TMPDIR/pythons"
	[ "${#pythons[@]}" -gt 0 ]
}

list_interpreters() {
	local python

	# The list is split into words on purpose.
	# shellcheck disable=SC2086
	for python in /usr/bin/python3 /usr/bin/python3-dbg ${PYTHONS_TO_TEST-} \
		"${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.{7,8,9,10,11,12,13}.*/bin/python3; do
		[ -x "$python" ] || continue
		"$python" -c 'import sys; sys.exit(not (3, 7) <= sys.version_info[:2] <= (3, 13))' || continue
		echo "$python"
	done
}

# checked REPORT COMMAND: under the preload
checked() {
	local report=$1

	shift
	rm -f "$report" "$report".*
	LD_PRELOAD=$library ACLCHECK_LOG=${log_to:-off} ACLCHECK_REPORT=$report "$@"
}
