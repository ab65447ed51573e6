# SPDX-License-Identifier: Apache-2.0

# await COMMAND: until it succeeds, a minute at most
await() {
	for ((i = 0; i < 3000; i++)); do
		if "$@"; then return 0; fi
		sleep 0.02
	done
	return 1
}
