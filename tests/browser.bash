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
