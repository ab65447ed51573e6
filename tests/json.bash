# SPDX-License-Identifier: Apache-2.0
# Parsed files in tests. One interpreter for a file of tests: each start of one takes as long as most of what is tested.

# json FILE EXPRESSION: a Python expression over the parsed file r; see tests/json_server.py
json() {
	local place=$BATS_FILE_TMPDIR/json pid text=1

	if ! { read -r pid <"$place/pid" && kill -0 "$pid"; } 2>/dev/null; then
		rm -rf "$place"
		mkdir "$place"
		mkfifo "$place/ask" "$place/answer"
		# What is in the environment for programs is not for this one.
		(
			env -i PATH="$PATH" LANG=C.UTF-8 python3 -S -B "$ACLCHECK_SOURCE/tests/json_server.py" "$place" \
				"$PPID" >/dev/null 2>&1 3>&- &
			echo $! >"$place/pid"
		)
	fi
	printf '%s\0' "$PWD" "$1" "$2" >"$place/ask"
	IFS= read -rd '' text <"$place/answer" || :
	if [ "${text::1}" = 0 ]; then
		printf %s "${text:1}"
	else
		printf %s "${text:1}" >&2
		return 1
	fi
}
