#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Landing pads and signed return addresses of AArch64 (BTI, PAC): what is compiled has them, and nothing of ours is entered beside
# a landing pad. The emulator's processor checks both.

load ../guest/guest.bash

# protected FILE: its note says both
protected() {
	readelf -nW "$1" | grep -q 'AArch64 feature: BTI, PAC'
}

@test "each object of the library says that it has both" {
	# What bats is given is the mirror; objects are in the build itself.
	cd "$ACLCHECK_BUILD/../obj"
	n=0
	for object in interpose/*/*.o checks/*/*.o checks/rules/*/*.o gen/wrappers.o; do
		n=$((n + 1))
		# The other machine's assembly is empty here.
		[[ $object == *_x86_64.o ]] || protected "$object" || echo "$object"
	done >"$place/without"
	cat "$place/without"
	[ ! -s "$place/without" ]
	[ "$n" -gt 200 ]
}

# The linker says it of a library when it holds for all its objects, and those that start it and the C++ demangler are the
# compiler's: where they have no landing pads (_init of Debian's crti.o begins with a nop), guarding the library would end the process.
@test "the library says so where the compiler's own objects do" {
	missing=
	for object in crti.o crtbeginS.o crtendS.o crtn.o; do
		protected "$($CC -print-file-name=$object)" || missing="$missing $object"
	done
	echo "# without a note:${missing:- none}" >&3
	[ -n "$missing" ] || protected "$ACLCHECK_BUILD/root$library"
}

@test "beside a landing pad the process ends" {
	run env GUARDED_PAGES=beside LD_PRELOAD="$ACLCHECK_BUILD/tests/aarch64/guarded_pages.so:$library" "$guest/callbacks" launches
	[ "$status" -eq 132 ]
}

# guarded PROGRAM ARGUMENT…: as it runs with the library, the pages of which are not guarded
guarded() {
	checked "$@" >plain 2>/dev/null
	LD_PRELOAD=$ACLCHECK_BUILD/tests/aarch64/guarded_pages.so:$library ACLCHECK_REPORT=$place/report.json "$@" >ours 2>errors
	cat errors
	diff plain ours
	grep -q '"verdict"' report.json
	rm report.json
}

# Not the demangler of C++ names: it is the compiler's, and its jumps through tables have no landing pads.
@test "callbacks, signal handlers, names from dlsym, findings: all land on one" {
	guarded "$guest/callbacks" captured
	guarded "$guest/signals" once
	guarded "$guest/by_name" global "$softnpu/libascendcl.so" use
}
