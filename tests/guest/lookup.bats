#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What dlsym hands out: the wrapper where its real function is what the program would get without us, else the truth.

load guest.bash

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	source=$ACLCHECK_SOURCE/tests/guest
	library() { # library FILE FLAG...: a runtime, or with ONLY a hook
		local file=$1
		shift
		mkdir -p "$(dirname "$file")"
		$CC -shared -fPIC -fvisibility=hidden -D_GNU_SOURCE -I"$ACLCHECK_BUILD/include" -Wl,-soname,"${file##*/}" "$@" \
			-o "$file" "$source/lookup_runtime.c" -ldl
	}
	library first/libascendcl.so -DVALUE=10
	library second/libascendcl.so -DVALUE=20
	library libother.so -DVALUE=30
	library libmock.so -DVALUE=90 -DONLY
	library libhook.so -DVALUE=70 -DONLY -DFORWARD
	for own in "" -DOWN; do
		# shellcheck disable=SC2086 # none or one word
		$CC -D_GNU_SOURCE -rdynamic $own -I"$ACLCHECK_BUILD/include" -o "lookup$own" "$source/lookup.c" \
			-L first -lascendcl -Wl,-rpath,"$PWD/first" -ldl
	done
}

# as_without BEFORE BEHIND COMMAND...: libraries preloaded before and behind us change nothing
as_without() {
	local before=$1 behind=$2 plain=0 ours=0
	shift 2
	cd "$BATS_FILE_TMPDIR" || return 1
	LD_PRELOAD="$before $behind" "$@" >"$place/plain" 2>&1 || plain=$?
	LD_PRELOAD="$before $library $behind" ACLCHECK_LOG=$place/log ACLCHECK_REPORT=$place/report.json \
		"$@" >"$place/ours" 2>&1 || ours=$?
	[ "$plain" -eq "$ours" ]
	diff "$place/plain" "$place/ours"
}

# calls of the function that was asked for, as the checker saw them
seen() {
	python3 -c 'import json, sys
calls = json.load(open(sys.argv[1]))["reach"]["calls"]
print(sum(sum(v for v in c.values() if isinstance(v, int)) for c in calls if c["call"] == "aclrtGetDeviceCount"))' \
		"$place/report.json"
}

@test "the runtime the program is linked to" {
	for how in default next null "handle first/libascendcl.so"; do
		# shellcheck disable=SC2086 # words are split on purpose
		as_without "" "" ./lookup $how
		grep -q ' 0 10$' "$place/ours"
		[ "$(seen)" = 1 ]
		[ "$(field verdict)" = pass ]
		rm "$place/report.json"
	done
}

@test "by a dlsym that the program got from the C library's handle" {
	local version

	# The version that is the default one here, and none.
	version=$(readelf -W --dyn-syms "$(ldd "$BATS_FILE_TMPDIR/lookup" 2>/dev/null | awk '/libc.so/ { print $3 }')" |
		sed -n 's/.* dlsym@@\([^ ]*\).*/\1/p')
	for FETCH in "" "$version" no-such-version; do
		export FETCH
		for how in default next null "handle first/libascendcl.so"; do
			# shellcheck disable=SC2086 # words are split on purpose
			as_without "" "" ./lookup $how
			grep -q ' 0 10$' "$place/ours"
			[ "$(seen)" = 1 ]
			[ "$(field verdict)" = pass ]
			rm "$place/report.json"
		done
	done
	# What stands before us in it is not ours to replace.
	FETCH='' as_without "" ./libhook.so ./lookup handle first/libascendcl.so
	FETCH='' as_without ./libhook.so "" ./lookup default
}

@test "a definition of the program's own" {
	as_without "" "" ./lookup-DOWN default
	grep -qx 'default 0 50' "$place/ours"
	as_without "" "" ./lookup-DOWN null
	as_without "" "" ./lookup-DOWN next
	as_without "" "" ./lookup-DOWN handle first/libascendcl.so
}

@test "a hook preloaded before us keeps its calls, and we see them behind it" {
	for how in default next null; do
		as_without ./libhook.so "" ./lookup $how
		grep -qx 'hook 70' "$place/ours"
		[ "$(seen)" = 1 ]
		[ "$(field verdict)" = pass ]
		rm "$place/report.json"
	done
}

@test "a hook behind us keeps its calls" {
	for how in default next null; do
		as_without "" ./libhook.so ./lookup $how
		grep -qx 'hook 70' "$place/ours"
		[ "$(seen)" = 1 ]
		rm "$place/report.json"
	done
}

@test "a hook behind us does not get what was meant for the handle" {
	as_without "" ./libhook.so ./lookup handle first/libascendcl.so
	! grep -q hook "$place/ours" || return 1
	[ "$(field verdict)" = inconclusive ]
	grep -q 'aclrtGetDeviceCount' <<<"$(field inconclusive)"
}

@test "a mock's own function, asked for by its handle" {
	as_without "" "" ./lookup handle ./libmock.so
	grep -qx 'handle 0 90' "$place/ours"
	[ "$(field verdict)" = pass ]
	[[ $(field reach) == *libmock.so* ]]
}

@test "a second runtime is left alone, and the run is inconclusive" {
	for file in second/libascendcl.so ./libother.so; do
		as_without "" "" ./lookup twice "$file"
		grep -qE '^twice 0 (20|30)$' "$place/ours"
		[ "$(field verdict)" = inconclusive ]
		[[ $(field inconclusive) == *"${file##*/}"* ]]
		rm "$place/report.json"
	done
}

@test "a copy of the runtime in another namespace: inconclusive" {
	as_without "" "" ./lookup copy "$BATS_FILE_TMPDIR/first/libascendcl.so"
	grep -qx 'copy 0 10' "$place/ours"
	[ "$(field verdict)" = inconclusive ]
	[[ $(field inconclusive) == *libascendcl.so* ]]
}

@test "a plug-in with a copy of the runtime of its own: inconclusive" {
	cat >plug.c <<-'E'
		#include "acl/acl.h"
		int plug(void);
		__attribute__((visibility("default"))) int plug(void)
		{
			uint32_t n = 0;

			return aclrtGetDeviceCount(&n) ? -1 : (int)n;
		}
	E
	cat >host.c <<-'E'
		#include <dlfcn.h>
		#include <stdio.h>
		#include "acl/acl.h"
		int main(int argc, char **argv)
		{
			(void)argv;
			void *handle = dlmopen(LM_ID_NEWLM, "./libplug.so", RTLD_NOW);
			int (*plug)(void) = handle ? (int (*)(void))dlsym(handle, "plug") : 0;

			aclInit(0);
			printf("%d\n", plug ? plug() : -2);
			if (argc > 1)
				dlclose(handle);
			return aclFinalize();
		}
	E
	first=$BATS_FILE_TMPDIR/first
	$CC -shared -fPIC -I"$ACLCHECK_BUILD/include" -o libplug.so plug.c -L"$first" -lascendcl -Wl,-rpath,"$first"
	$CC -D_GNU_SOURCE -I"$ACLCHECK_BUILD/include" -o host host.c -L"$first" -lascendcl -Wl,-rpath,"$first" -ldl
	for closed in "" closed; do
		# shellcheck disable=SC2086 # no argument when it stays open
		same_as_without ./host $closed
		[ "$(cat plain.out)" = 10 ]
		[ "$(field verdict)" = inconclusive ]
		[[ $(field inconclusive) == *other-runtime*first/libascendcl.so* ]]
		rm "$place/report.json"
	done
}
