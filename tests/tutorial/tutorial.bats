#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tools/docs/tutorial: its commands, one after the other, print what it shows.

setup() {
	TUTORIAL=$ACLCHECK_SOURCE/tools/docs/tutorial
	export HOME=$BATS_TEST_TMPDIR/home
	mkdir "$HOME"
	unset "${!ACLCHECK_R@}" ACLCHECK_{LOG,CONFIG,SUPPRESS,LANG} LD_PRELOAD LD_LIBRARY_PATH SOFTNPU_CANN PKG_CONFIG_PATH GITHUB_STEP_SUMMARY
}

# What installing made for this prefix.
teardown() {
	rm -rf "$ACLCHECK_BUILD/install$BATS_RUN_TMPDIR"
}

@test "every command of the tutorial prints what it shows" {
	# Its "make install" in the tree that is built already, which others use.
	mkdir "$BATS_TEST_TMPDIR/bin"
	cat >"$BATS_TEST_TMPDIR/bin/make" <<-END
		#!/bin/sh
		exec env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS "$(command -v make)" -s -C "$ACLCHECK_SOURCE" BUILD="$ACLCHECK_BUILD" CC="${CC:-gcc}" \\
			install-files "\$2" >"$BATS_TEST_TMPDIR/make.log" 2>&1
	END
	chmod +x "$BATS_TEST_TMPDIR/bin/make"
	cd "$ACLCHECK_SOURCE"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH "$TUTORIAL/walk" "$TUTORIAL/README.md"
	[ "$(ls "$HOME")" = aclcheck ]
}

# walked CODE LINE...: a tutorial of these lines
walked() {
	local code=$1
	shift
	printf '%s\n' '```console' "$@" '```' >document
	run "$TUTORIAL/walk" document
	echo "$output"
	[ "$status" = "$code" ]
}

@test "what is not printed, printed beside, or not run is found" {
	cd "$BATS_TEST_TMPDIR"
	walked 0 '$ echo one; echo two; echo three' one … three
	walked 0 '$ cd /' '$ pwd' /
	walked 0 '$ false' '$ echo $?' 1
	walked 0 '$ echo at 0x7f00' 'at 0x1'
	walked 1 '$ echo one' two
	walked 1 '$ echo one; echo two' one
	walked 1 '$ echo one' one two
	walked 1 '$ echo one' … two
	walked 1 '$ exit 3' '$ echo one' one
	echo nothing >document
	run "$TUTORIAL/walk" document
	[ "$status" = 1 ]
	printf '%s\n' '```console' '$ echo old >f' '```' '```diff' '--- f' '-older' '+new' '```' '```console' '$ cat f' old '```' >document
	run "$TUTORIAL/walk" document
	[ "$status" = 1 ]
}
