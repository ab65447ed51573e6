#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tools/aclcheck/: directories include what is below them, through its one header; headers in no circle.

# Lowest first; the files beside them (main.c, the small subcommands) may include them all.
ORDER="common report formats run fuzz trace"

setup() {
	cd "$ACLCHECK_SOURCE" || return 1
}

# "file header" for each header of the command that the files named include, without "tools/aclcheck/".
includes() {
	grep -noE '^[[:space:]]*#include "tools/aclcheck/[^"]+\.h"' "$@" /dev/null |
		sed -E 's|^tools/aclcheck/([^:]*):[0-9]+:.*"tools/aclcheck/([^"]+)"$|\1 \2|'
}

# Reads such pairs; prints those that point up, and those that reach past the header of another directory.
wrong_way() {
	awk -v order="$ORDER" 'BEGIN { n = split(order, names, " "); for (i = 1; i <= n; i++) rank[names[i]] = i
			open["common/command.h"] = 1; for (i = 2; i <= n; i++) open[names[i] "/" names[i] ".h"] = 1 }
		{ from = $1 ~ /\// ? $1 : "."; sub("/.*", "", from); to = $2 ~ /\// ? $2 : "."; sub("/.*", "", to)
		  if (from == to) next
		  if (from == ".") up = 0; else up = to == "." || !rank[from] || !rank[to] || rank[to] > rank[from]
		  if (up || !open[$2]) print }'
}

@test "directories of the command include only what is below them, and only its header" {
	wrong=$(includes tools/aclcheck/*.[ch] tools/aclcheck/*/*.[ch] | wrong_way)
	[ -z "$wrong" ] || { echo "$wrong"; return 1; }
	[ "$(includes tools/aclcheck/*/*.[ch] | wc -l)" -gt 60 ]
}

@test "an include that points up, past the header or to an unknown directory would be found" {
	[ -n "$(echo "report/merge.c formats/formats.h" | wrong_way)" ]
	[ -n "$(echo "report/merge.c rules_table.h" | wrong_way)" ]
	[ -n "$(echo "formats/format_text.c report/merge_parts.h" | wrong_way)" ]
	[ -n "$(echo "cmd_diff.c report/merge_parts.h" | wrong_way)" ]
	[ -n "$(echo "cmd_diff.c elsewhere/elsewhere.h" | wrong_way)" ]
	[ -z "$(echo "formats/format_text.c report/report.h" | wrong_way)" ]
	[ -z "$(echo "main.c common/command.h" | wrong_way)" ]
}

@test "headers of the command include each other in no circle" {
	circle=$(includes tools/aclcheck/*.h tools/aclcheck/*/*.h | awk '$1 != $2' | { tsort 2>&1 >/dev/null || true; })
	[ -z "$circle" ] || { echo "$circle"; return 1; }
}

@test "every directory of the command is in the order and has its header" {
	for d in tools/aclcheck/*/; do
		case " $ORDER " in *" $(basename "$d") "*) ;; *) echo "$d"; return 1 ;; esac
	done
	[ -e tools/aclcheck/common/command.h ]
	for d in $ORDER; do
		[ "$d" = common ] || [ -e "tools/aclcheck/$d/$d.h" ] || { echo "$d"; return 1; }
	done
}
