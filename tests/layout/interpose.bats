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

# What the program calls and runtime_events, which process/ fills in for runtime/, are declared elsewhere.
@test "what a source of interpose/ defines is declared in one header" {
	# Those of other machines are empty, and objects of sources that are gone stay in a build.
	for object in "$ACLCHECK_BUILD"/obj/interpose/*/*.o; do
		source=${object#"$ACLCHECK_BUILD/obj/"}
		[ ! -e "${source%.o}.c" ] || echo "$object"
	done | xargs nm -A --defined-only 2>/dev/null >"$BATS_TEST_TMPDIR/symbols"
	python3 - "$BATS_TEST_TMPDIR/symbols" <<-'END'
		import collections, glob, re, sys

		# Names that stand where a header declares something; a struct of that name is another thing.
		declared = collections.defaultdict(set)
		for header in glob.glob("interpose/*/*.h"):
		    with open(header, encoding="utf-8") as file:
		        for line in file:
		            if re.match("[A-Za-z_]", line):
		                for name in re.findall(r"(?<=[ *(])(?<!struct )(\w+)\b(?=[^;{]*(?:[;(,]|\[|$))", line.rstrip("\n")):
		                    declared[name].add(header)

		headers, symbols = collections.defaultdict(set), 0
		with open(sys.argv[1], encoding="utf-8") as file:
		    for line in file:
		        found = re.match(r"(.*\.o):\S* *([TDBR]) (\S+)$", line)
		        if found and not re.match(r"__wrap_|acl[A-Z]|acl(rt|mdl)|runtime_events$", found.group(3)):
		            symbols += 1
		            headers[found.group(1)] |= declared[found.group(3)]
		wrong = {name: found for name, found in headers.items() if len(found) > 1}
		assert not wrong, wrong
		assert symbols > 300, symbols
		# Two of two headers would be found.
		assert len(declared["text_init"] | declared["tool_stack_run"]) == 2
	END
}

@test "no wait yields: a real-time thread would wait for ever" {
	run grep -rnE 'sched_yield|pthread_yield' interpose checks
	[ "$status" -eq 1 ]
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
