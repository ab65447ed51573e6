# SPDX-License-Identifier: Apache-2.0

# await COMMAND: until it succeeds, a minute at most; $! stays what it is
await() {
	local never=$BATS_FILE_TMPDIR/never i

	for ((i = 0; i < 3000; i++)); do
		if "$@"; then return 0; fi
		# To read what never comes is a sleep that starts no process.
		[ -p "$never" ] || mkfifo "$never"
		read -rt 0.02 <>"$never" || :
	done
	return 1
}
