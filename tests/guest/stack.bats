#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The program's stack: calls need at most 1 KiB more of it than without the library.

load guest.bash

ALLOWED=1024

setup_stack() {
	export LD_LIBRARY_PATH=$guest/empty ACLCHECK_LOG=$place/log
	need=$guest/stack_need
}

# more_than_allowed FILE FILE: measurements without and with the library; prints what needs too much
more_than_allowed() {
	join <(sort "$1") <(sort "$2") | awk -v allowed="$ALLOWED" '$3 - $2 > allowed { print; bad = 1 } END { exit !bad }'
}

measured() {
	local plain=$place/plain ours=$place/ours

	"$need" "$@" >"$plain"
	checked "$need" "$@" >"$ours"
	[ "$(wc -l <"$plain")" -eq "$(wc -l <"$ours")" ]
	if more_than_allowed "$plain" "$ours"; then
		return 1
	fi
	# It was measured with something to see.
	grep -q '"rule"' report.json
}

@test "the first call and findings, on a painted coroutine" {
	setup_stack
	measured first
}

@test "every function, with arguments of two kinds" {
	setup_stack
	measured every
	[ "$(wc -l <ours)" -gt 600 ]
}

@test "in a signal handler with a stack of its own" {
	setup_stack
	measured signal
}

@test "callbacks of the program, on a painted coroutine" {
	setup_stack
	need=$guest/held LD_LIBRARY_PATH=$guest/holding
	measured stack
	[ "$(wc -l <ours)" -eq 4 ]
	rm report.json
	same_as_without "$need" small
	[ "$(cat ours.out)" = ok ]
	[ "$(field verdict)" = fail ]
}

@test "8, 16 and 64 KiB coroutines" {
	setup_stack
	for size in 8192 16384 65536; do
		same_as_without "$need" small "$size"
		[ "$(cat ours.out)" = ok ]
		[ "$(field verdict)" = fail ]
		rm report.json
	done
}

@test "threads with the smallest stack and with 128 KiB" {
	setup_stack
	for size in 0 131072; do
		same_as_without "$need" threads "$size"
		[ "$(cat ours.out)" = ok ]
		[ "$(field verdict)" = fail ]
		rm report.json
	done
}

# Each page that is looked at takes time, in every thread that begins.
@test "a thread looks at no more of its stack than it comes to need" {
	local plain=$place/plain ours=$place/ours

	setup_stack
	"$need" deeper >"$plain"
	checked "$need" deeper >"$ours"
	[ "$(wc -l <"$ours")" -eq 3 ]
	join "$plain" "$ours"
	join "$plain" "$ours" | awk '$1 == "shallow" && $3 - $2 > 32 || $1 == "deeper" && $3 - $2 > 96 { exit 1 }'
}

@test "the end of the process, on 8 KiB" {
	setup_stack
	same_as_without "$need" end 8192
	[ "$(field verdict)" = fail ]
	[ "$(field end)" = quick-exit ]
}
