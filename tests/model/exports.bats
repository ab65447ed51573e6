#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What libaclcheck.so exports: the wrapped functions, the hooks, aclcheck_* and nothing else.

setup() {
	library=$ACLCHECK_BUILD/libaclcheck.so
	[ -e "$library" ] || skip "libaclcheck.so is not built"
	nm -D --defined-only "$library" | awk '{ print $NF }' | sort -u >"$BATS_TEST_TMPDIR/exported"
	# Each from its own table.
	names='import json, sys; [print(f["name"]) for f in json.load(open(sys.argv[1]))["functions"] if f.get("wrap")]'
	python3 -c "$names" "$ACLCHECK_SOURCE/include/acl/api.json" | sort >"$BATS_TEST_TMPDIR/model"
	sed 's/#.*//; s/[[:space:]]*$//; /^$/d' "$ACLCHECK_SOURCE/interpose/runtime/libc_hooks.list" | sort >"$BATS_TEST_TMPDIR/hooks"
}

@test "every function of the model is exported" {
	run comm -13 "$BATS_TEST_TMPDIR/exported" "$BATS_TEST_TMPDIR/model"
	[ -z "$output" ]
}

@test "every hook is exported" {
	run comm -13 "$BATS_TEST_TMPDIR/exported" "$BATS_TEST_TMPDIR/hooks"
	[ -z "$output" ]
}

@test "nothing else but aclcheck_* is exported" {
	sort -u "$BATS_TEST_TMPDIR/model" "$BATS_TEST_TMPDIR/hooks" >"$BATS_TEST_TMPDIR/meant"
	run comm -23 <(grep -v '^aclcheck_' "$BATS_TEST_TMPDIR/exported") "$BATS_TEST_TMPDIR/meant"
	[ -z "$output" ]
}

@test "no export carries a version" {
	run bash -c "nm -D --defined-only --with-symbol-versions '$library' | grep @"
	[ -z "$output" ]
}
