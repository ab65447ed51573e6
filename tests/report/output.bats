#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Where results go: a regular file is replaced as a whole, everything else is written to and stays what it is.

load helper

setup() {
	own_tmpdir || return
	"$ACLCHECK" run --softnpu --report in.json -- "$PROGRAM" >/dev/null 2>&1 || [ $? = 97 ]
}

# Nothing beside what the test made.
teardown() {
	nothing_stays || return
	[ -z "$(find "$BATS_TEST_TMPDIR" -name '*.tmp' -o -name '*.d.*')" ]
}

# As "report -o", "merge -o" and "run --report".
writes_to() {
	run "$ACLCHECK" report --format json -o "$1" in.json
	[ "$status" = 97 ]
	run "$ACLCHECK" merge -o "$1" in.json
	[ "$status" = 97 ]
	run "$ACLCHECK" run --softnpu --report "$1" -- "$PROGRAM"
	[ "$status" = 97 ]
}

@test "a device node is written to and stays one" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	# Nodes of our own, in file systems of our own: the machine's are never at stake.
	mkdir dev
	mknod dev/null c 1 3 2>/dev/null || skip "no device node can be made"
	(: >dev/null) 2>/dev/null || skip "device nodes do nothing here"
	for ((i = 0; i < 10; i++)); do
		writes_to "$PWD/dev/null"
		[ "$(stat -c '%F %t:%T' dev/null)" = "character special file 1:3" ]
	done
	mknod dev/full c 1 7
	run "$ACLCHECK" report --format json -o dev/full in.json
	[ "$status" = 99 ]
	[[ $output == *"dev/full: No space left on device"* ]]
	[ "$(stat -c '%F' dev/full)" = "character special file" ]
	mknod dev/disk b 7 99
	run "$ACLCHECK" report -o dev/disk in.json
	[ "$status" = 99 ]
	[ "$(ls dev)" = "$(printf 'disk\nfull\nnull')" ]
}

@test "a named pipe" {
	mkfifo pipe
	for ((i = 0; i < 10; i++)); do
		cat pipe >got &
		"$ACLCHECK" report --format json -o pipe in.json || [ $? = 97 ]
		wait $!
		[ "$(json got 'r["verdict"]')" = fail ]
		[ -p pipe ]
	done
	cat pipe >got &
	"$ACLCHECK" run --softnpu --report pipe -- "$PROGRAM" || [ $? = 97 ]
	wait $!
	[ "$(json got 'r["verdict"]')" = fail ]
	[ -p pipe ]
}

@test "/dev/stdout: a pipe, and a file that others write to as well" {
	"$ACLCHECK" report --format json -o /dev/stdout in.json 2>err | cat >got || :
	[ "$(json got 'r["verdict"]')" = fail ]
	{
		echo before
		"$ACLCHECK" report --format json -o /dev/stdout in.json || [ $? = 97 ]
		echo after
	} >all
	[ "$(head -1 all)" = before ]
	[ "$(tail -1 all)" = after ]
	sed '1d;$d' all >got
	[ "$(json got 'r["verdict"]')" = fail ]
	[ -L /dev/stdout ]
}

@test "a symbolic link stays, the file behind it is replaced; a regular file is replaced as a whole" {
	echo old >file
	ln file other-name
	ln -s file link
	writes_to link
	[ -L link ]
	[ "$(json file 'r["verdict"]')" = fail ]
	# Who has the old one open goes on reading it.
	[ "$(cat other-name)" = old ]
	writes_to new
	[ "$(json new 'r["verdict"]')" = fail ]
}

@test "a directory is refused, and is as it was" {
	mkdir dir
	run "$ACLCHECK" report -o dir in.json
	[ "$status" = 99 ]
	[[ $output == *"dir: Is a directory"* ]]
	run "$ACLCHECK" run --softnpu --report dir -- "$PROGRAM"
	[ "$status" = 99 ]
	[[ $output == *"dir: Is a directory"* ]]
	[ -z "$(ls -A dir)" ]
}
