#!/usr/bin/env bats
# interpose/: directories depend one way, modules (a header and its source) in no circle.

# Lowest first: a directory includes itself and what stands before it.
ORDER="common stack runtime config symbolize report process call"

setup() {
	cd "$ACLCHECK_SOURCE" || return 1
}

# "module module" for each header of interpose/ that the files named include; tables (.def) are part of their module.
includes() {
	grep -noE '^[[:space:]]*#include "interpose/[^"]+\.h"' "$@" /dev/null |
		sed -E 's|^(.*)\.[chS]:[0-9]+:.*"([^"]+)\.[a-z]+"$|\1 \2|'
}

# Reads pairs of modules; prints those that point up, and circles by what tsort says.
up() {
	awk -v order="$ORDER" 'BEGIN { n = split(order, names, " "); for (i = 1; i <= n; i++) rank[names[i]] = i }
		{ split($1, a, "/"); split($2, b, "/"); if (!rank[a[2]] || !rank[b[2]] || rank[b[2]] > rank[a[2]]) print }'
}

circles() {
	awk '$1 != $2' | { tsort 2>&1 >/dev/null || true; }
}

@test "directories of interpose/ include only what is below them" {
	wrong=$(includes interpose/*/*.[ch] | up)
	[ -z "$wrong" ] || { echo "$wrong"; return 1; }
	[ "$(includes interpose/*/*.[ch] | wc -l)" -gt 100 ]
}

@test "an include that points up would be found" {
	[ -n "$(echo "interpose/common/text interpose/report/journal" | up)" ]
	[ -n "$(echo "interpose/common/text interpose/elsewhere/journal" | up)" ]
}

@test "modules of interpose/ depend on each other in no circle" {
	wrong=$(includes interpose/*/*.[ch] | circles)
	[ -z "$wrong" ] || { echo "$wrong"; return 1; }
}

@test "a circle would be found" {
	[ -n "$(printf 'a b\nb c\nc a\n' | circles)" ]
}

@test "checks/ and the model know nothing of interpose/" {
	run grep -rn '#include "interpose/' checks include
	[ "$status" -eq 1 ]
}

@test "every source of interpose/ lies in a directory of the order, with a base name of its own" {
	for f in interpose/*.[chS] interpose/*/; do
		[ -e "$f" ] || continue
		case " $ORDER " in *" $(basename "$f") "*) ;; *) echo "$f"; return 1 ;; esac
	done
	twice=$(for f in interpose/*/*.[chS] checks/*.[ch] checks/*/*.[ch] checks/*/*/*.[ch] tools/*/*.[ch] tools/*/*/*.[ch]; do
		[ ! -e "$f" ] || echo "${f##*/} $f"; done | sort |
		awk '{ n[$1]++; all[$1] = all[$1] " " $2; own[$1] = own[$1] || $2 ~ /^interpose/ } END { for (k in n) if (n[k] > 1 && own[k]) print all[k] }')
	[ -z "$twice" ] || { echo "$twice"; return 1; }
}
