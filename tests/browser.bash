# SPDX-License-Identifier: Apache-2.0
# A headless browser, for the tests of pages; sourced.

# Prints the command of one. False: none is installed (tools/install-deps browser).
browser() {
	command -v chromium || command -v chromium-browser || command -v google-chrome
}

# browse OPTION... ADDRESS: opens one page. /dev/shm is small in containers.
browse() {
	timeout 120 "$(browser)" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
		--user-data-dir="$PWD/profile" --window-size=1200,800 "$@" 2>/dev/null
}

# A browser that stays open for the tests of a file, of which only the title of pages is wanted; in setup_file, and teardown_file.
browser_opens() {
	mkfifo "$BATS_FILE_TMPDIR/ask" "$BATS_FILE_TMPDIR/title"
	python3 "$ACLCHECK_SOURCE/tests/browser.py" "$(browser)" "$BATS_FILE_TMPDIR" >"$BATS_FILE_TMPDIR/browser.log" 2>&1 3>&- &
	echo $! >"$BATS_FILE_TMPDIR/browser.pid"
}

browser_closes() {
	[ -e "$BATS_FILE_TMPDIR/browser.pid" ] || return 0
	# shellcheck disable=SC2016 # the shell that is started expands it
	timeout 20 sh -c 'echo end >"$1"' sh "$BATS_FILE_TMPDIR/ask"
	cat "$BATS_FILE_TMPDIR/browser.log"
	await ended "$(cat "$BATS_FILE_TMPDIR/browser.pid")"
}

ended() {
	! kill -0 "$1" 2>/dev/null
}

# title_of FILE [WIDTH]: of the page, in that browser; FILE may end with a #place, where no page before was the same file
title_of() {
	# shellcheck disable=SC2016 # the shell that is started expands it
	timeout 120 sh -c 'echo "$1 file://$2" >"$3/ask"; cat "$3/title"' sh "${2:-1200}" "$1" "$BATS_FILE_TMPDIR"
}
