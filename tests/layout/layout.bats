#!/usr/bin/env bats
# The tree's own order: documents that match their tables, files where they belong.

setup() {
	cd "$ACLCHECK_SOURCE" || return 1
}

@test "README's settings are those of the table" {
	"$ACLCHECK_BUILD/aclcheck" settings --markdown | tools/docs/fill --check README.md settings
}

@test "README's list of settings would be found out of date" {
	cp README.md "$BATS_TEST_TMPDIR/README.md"
	run sh -c "echo something else | tools/docs/fill --check '$BATS_TEST_TMPDIR/README.md' settings"
	[ "$status" -eq 1 ]
	cmp README.md "$BATS_TEST_TMPDIR/README.md"
}

@test "what should print a part of a document failed: the document stays as it is" {
	cp README.md "$BATS_TEST_TMPDIR/README.md"
	run sh -c "false | tools/docs/fill '$BATS_TEST_TMPDIR/README.md' settings"
	[ "$status" -eq 2 ]
	cmp README.md "$BATS_TEST_TMPDIR/README.md"
}

@test "every rule id written in checks/ and interpose/ is in the rule table" {
	ids=$(grep -rhoE '(RULE\(|FINDING\(c, [A-Za-z]+, )"[a-z0-9-]+"' checks interpose --include='*.c' | sed 's/.*("//; s/.*, "//; s/"$//' | sort -u)
	[ -n "$ids" ]
	unknown=$(comm -23 <(echo "$ids") <(sed -n 's/.*"id": "\([a-z0-9-]*\)".*/\1/p' checks/rules/*/*.json | sort -u))
	[ -z "$unknown" ] || { echo "not in the table: $unknown"; return 1; }
	[ "$(wc -l <<<"$ids")" -gt 300 ]
}

@test "the top level holds what it should" {
	command -v git >/dev/null && git rev-parse --git-dir >/dev/null 2>&1 || skip "not a git checkout"
	odd=$(git ls-files | cut -d/ -f1 | sort -u |
		grep -vxE 'Makefile|README\.md|interpose|checks|tracepoints|include|tests|tools|LICENSE|CONTRIBUTING\.md|CHANGELOG\.md|\..*') || true
	[ -z "$odd" ] || { echo "$odd"; return 1; }
}

@test "no generated code and no build path is committed" {
	command -v git >/dev/null && git rev-parse --git-dir >/dev/null 2>&1 || skip "not a git checkout"
	run git grep -nIF "$ACLCHECK_SOURCE" -- .
	[ "$status" -ne 0 ]
	run git grep -nIE 'Generated from .* do not edit' -- '*.c' '*.h' ':!tools/gen'
	[ "$status" -ne 0 ]
}

# made FLAG...: the objects that are made for one target
made() {
	make -C "$ACLCHECK_SOURCE" BUILD="$BATS_TEST_TMPDIR/b" "$@" "$BATS_TEST_TMPDIR/b/obj/interpose/common/utc.o" | grep 'CC .*\.c$'
}

@test "objects are made anew by another compiler and by other flags, and not otherwise" {
	[ "$(made)" ]
	[ ! "$(made)" ]
	[ "$(made CPPFLAGS=-DOTHER)" ]
	[ ! "$(made CPPFLAGS=-DOTHER)" ]
	[ "$(made CC=gcc)" ]
}

@test "every check module is in the generated list, once" {
	grep -rhoE '^const struct check_module module_[a-z0-9_]+' checks | sed 's/.* //' | sort >"$BATS_TEST_TMPDIR/defined"
	grep -oE '&module_[a-z0-9_]+' "$ACLCHECK_BUILD/gen/check_modules.c" | tr -d '&' | sort >"$BATS_TEST_TMPDIR/listed"
	[ -s "$BATS_TEST_TMPDIR/defined" ]
	diff "$BATS_TEST_TMPDIR/defined" "$BATS_TEST_TMPDIR/listed"
}

@test "two check modules of one name, or of one order, end the build" {
	printf 'const struct check_module module_a = {.order = 3};\n' >"$BATS_TEST_TMPDIR/a.c"
	printf 'const struct check_module module_b = {.order = 3};\n' >"$BATS_TEST_TMPDIR/b.c"
	list="awk -v want=c -f tools/gen/check_modules.awk"
	run $list "$BATS_TEST_TMPDIR/a.c"
	[ "$status" -eq 0 ]
	run $list "$BATS_TEST_TMPDIR/a.c" "$BATS_TEST_TMPDIR/a.c"
	[ "$status" -ne 0 ]
	run $list "$BATS_TEST_TMPDIR/a.c" "$BATS_TEST_TMPDIR/b.c"
	[ "$status" -ne 0 ]
	[[ "$output" == *"have the same .order"* ]]
}

# The files of checks/ under a directory that include what the pattern names.
includers() {
	grep -rlE "#include \"checks/($2)" "checks/$1" --include='*.[ch]' | sort
}

@test "checks/: rules read state, state builds on the engine, never the other way round" {
	[ -z "$(includers engine '(state|rules)/')" ] || { includers engine '(state|rules)/'; return 1; }
	[ -z "$(includers state 'rules/')" ] || { includers state 'rules/'; return 1; }
}

@test "checks/: only state modules change state" {
	odd=$(includers rules 'state/([a-z]+_change|lifecycle)\.h')
	[ -z "$odd" ] || { echo "$odd"; return 1; }
	# Functions of *_change.h are declared nowhere else.
	for function in $(sed -n 's/^[a-z].*[ *]\([a-z_]*\)(.*/\1/p' checks/state/*_change.h); do
		declared=$(grep -lE "[ *]$function\(" checks/*/*.h checks/rules/*/*.h)
		[ "$(echo "$declared" | wc -l)" -eq 1 ] || { echo "$function: $declared"; return 1; }
	done
}

@test "checks/: rules do not write what state modules keep" {
	[ -z "$(awk -f tests/layout/state_writes.awk checks/state/*.h checks/rules/*/*.c)" ] || {
		awk -f tests/layout/state_writes.awk checks/state/*.h checks/rules/*/*.c
		return 1
	}
	# It would be found.
	cat >"$BATS_TEST_TMPDIR/rule.c" <<'END'
static void rule_enter(struct checks *c, struct acl_call_record *call)
{
	struct event_state *e = event_state(event_of(call)), *other = NULL;
	struct acl_object *a = NULL, *o = NULL;

	store_relaxed(&e->timed, true);
	counter_inc(&stream_state(o)->work);
	atomic_fetch_or(&o->flags, 1);
	store_relaxed(&other->timed, true);
	store_release(&c->inited, true);
	object_destroyed(c, o, call, 0);
}

static void own_enter(struct churn *e)
{
	store_relaxed(&e->pairs, 0);
}
END
	[ "$(awk -f tests/layout/state_writes.awk checks/state/*.h "$BATS_TEST_TMPDIR/rule.c" | wc -l)" -eq 6 ]
}

@test "checks/: headers include each other without a cycle" {
	grep -rnoE '#include "checks/[^"]+\.h"' checks --include='*.h' |
		sed -E 's/^([^:]+):[0-9]+:#include "(.*)"/\1 \2/' | tsort >/dev/null
}

@test "checks/: modules that own state say their order, rule modules have none" {
	[ -z "$(grep -lE '^\s*\.order = |\{\.order = ' checks/rules/*/*.c)" ]
	for file in $(grep -lE '^const struct check_module ' checks/state/*.c); do
		grep -qE '\.order = ' "$file" || { echo "$file"; return 1; }
	done
}

@test "every suite is executable, as prove runs it" {
	for f in tests/*/*.bats tests/*/*.t; do
		[ ! -e "$f" ] || [ -x "$f" ] || { echo "$f"; return 1; }
	done
}

# found_nowhere PATTERN FILE...: a file that is not there is no proof (grep answers 2)
found_nowhere() {
	run grep -nE "$@"
	[ "$status" -eq 1 ]
}

@test "checks/: state modules make no findings" {
	found_nowhere 'RULE\(|FINDING|finding_(start|draft)' checks/state/*.[ch]
}

@test "checks/: rules make their findings by the statement only" {
	found_nowhere 'finding_(start|finish|draft|send)' checks/rules/*/*.[ch]
	# What is evaluated is counted by the statement, or before a look that evaluates several rules.
	found_nowhere '#include "checks/engine/(finding_draft|finding_collect|call_sites)\.h"' checks/rules/*/*.[ch]
}

@test "one file of tests can be run alone" {
	run env -u MAKEFLAGS -u MFLAGS make --no-print-directory -n BUILD="$ACLCHECK_BUILD" test T=tests/softnpu/rows.t
	echo "$output" | tail -3
	[ "$status" -eq 0 ]
	[[ ${lines[-1]} == *"prove --exec "*" tests/softnpu/rows.t" ]]
}

# A backtrace, a profile and a search distinguish functions by their names: no file-local one stands in more than two
# files of a program (whatever stands in its own directories).
@test "names of file-local functions are those of their subject" {
	python3 - "$ACLCHECK_SOURCE" <<-'EOF'
		import collections, pathlib, re, sys
		source = pathlib.Path(sys.argv[1])
		found = False
		for program in (("checks", "interpose", "tracepoints"), ("tools/aclcheck",), ("tools/softnpu",), ("tools/gen",)):
		    files = collections.defaultdict(set)
		    for file in (f for d in program for f in (source / d).rglob("*.c")):
		        text = re.sub(r"__attribute__\(\([^\n]*?\)\) ", "", file.read_text())
		        for name in re.findall(r"^static (?:\w+ \**)+(\w+)\(", text, re.M):
		            files[name].add(str(file.relative_to(source)))
		    assert files
		    for name in (n for n in files if len(files[n]) > 2):
		        print(f"{name}:", *sorted(files[name]))
		        found = True
		sys.exit(found)
	EOF
}
