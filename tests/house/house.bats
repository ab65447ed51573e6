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

@test "every rule id written in checks/ and interpose/ is in the rule table" {
	ids=$(grep -rhoE 'RULE\("[a-z0-9-]+"\)' checks interpose --include='*.[ch]' | sed 's/RULE("//; s/")//' | sort -u)
	[ -n "$ids" ]
	for id in $ids; do
		grep -q "\"id\": \"$id\"" checks/rules.json || { echo "not in the table: $id"; return 1; }
	done
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
