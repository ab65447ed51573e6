#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The generated headers: programs written for CANN compile against them, in C and C++,
# and they have the layouts and values of the model.

setup() {
	include=$ACLCHECK_BUILD/include
	layout=$ACLCHECK_BUILD/gen/acl_layout_test
	here=$ACLCHECK_SOURCE/tests/model
	strict="-Wall -Wextra -Werror -I$include"
}

# compile COMPILER FILE...: with the strict options and the rest of the line.
compile() {
	command -v "$1" >/dev/null || skip "no $1"
	# shellcheck disable=SC2086
	"$@" $strict -c -o "$BATS_TEST_TMPDIR/out.o"
}

@test "each header stands alone in C and in C++" {
	headers=$(cd "$include" && find acl aclnn aclnnop -name '*.h')
	[[ $headers == *acl/acl_rt.h* && $headers == *aclnnop/* ]]
	for header in $headers; do
		echo "#include \"$header\"" >"$BATS_TEST_TMPDIR/one.c"
		compile gcc -std=c99 "$BATS_TEST_TMPDIR/one.c"
		compile g++ -std=c++11 -x c++ "$BATS_TEST_TMPDIR/one.c"
	done
}

@test "layouts: gcc, gnu99 and C11" {
	compile gcc -std=gnu99 "$layout.c"
	compile gcc -std=c11 "$layout.c"
}

@test "layouts: clang, gnu99 and C11" {
	compile clang -std=gnu99 "$layout.c"
	compile clang -std=c11 "$layout.c"
}

@test "layouts: aarch64" {
	compile aarch64-linux-gnu-gcc -std=gnu11 "$layout.c"
}

@test "layouts: g++, C++11 and C++17" {
	compile g++ -std=c++11 "$layout.cpp"
	compile g++ -std=c++17 "$layout.cpp"
}

@test "layouts: clang++, C++17" {
	compile clang++ -std=c++17 "$layout.cpp"
}

@test "values of static const, at run time" {
	gcc -std=gnu11 "-I$include" -o "$BATS_TEST_TMPDIR/layout" "$layout.c"
	"$BATS_TEST_TMPDIR/layout"
}

@test "a wrong offset would be noticed" {
	sed 's/offsetof(aclrtPtrAttributes, pageSize), 8/offsetof(aclrtPtrAttributes, pageSize), 12/' "$layout.c" \
		>"$BATS_TEST_TMPDIR/wrong.c"
	run compile gcc -std=gnu11 "$BATS_TEST_TMPDIR/wrong.c"
	[ "$status" -ne 0 ]
	[[ $output == *pageSize* ]]
}

@test "a program as the documents write them, in C" {
	for c in gcc clang aarch64-linux-gnu-gcc; do
		compile "$c" -std=gnu99 "$here/cann_style.c"
	done
	compile gcc -std=c11 "$here/cann_style.c"
}

@test "a program as the documents write them, in C++" {
	compile g++ -std=c++11 "$here/cann_style.cpp"
	compile g++ -std=c++17 "$here/cann_style.cpp"
	compile clang++ -std=c++17 "$here/cann_style.cpp"
}

@test "every function that a header declares is in a library of the software runtime" {
	sed -nE 's/^ACL_FUNC_VISIBILITY .*[ *]([A-Za-z0-9_]+)\(.*\);$/\1/p' "$include"/acl/*.h "$include"/acl/ops/*.h | sort -u >"$BATS_TEST_TMPDIR/declared"
	grep -qx acldvppVpcResizeAsync "$BATS_TEST_TMPDIR/declared"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/declared")" -gt 800 ]
	nm -D --defined-only "$ACLCHECK_BUILD"/softnpu/lib*.so | awk 'NF == 3 { print $3 }' | sort -u >"$BATS_TEST_TMPDIR/there"
	run comm -23 "$BATS_TEST_TMPDIR/declared" "$BATS_TEST_TMPDIR/there"
	[ -z "$output" ]
}

@test "a program that uses media is compiled, linked, and told that nothing of it is implemented" {
	printf '%s\n' '#define ENABLE_DVPP_INTERFACE' '#include "acl/ops/acl_dvpp.h"' 'int main()' '{' '	enum acldvppPixelFormat tagged = PIXEL_FORMAT_RGB_888;' \
		'	acldvppPixelFormat format = tagged;' '	void *memory = nullptr;' '	if (format != 12 || PIXEL_FORMAT_UNKNOWN != 10000 || ACL_VENC_MAX_IP_PROP_UINT32 != 12)' '		return 1;' \
		'	return acldvppMalloc(&memory, 32) != ACL_ERROR_RT_FEATURE_NOT_SUPPORT || acldvppCreateChannelDesc();' '}' >"$BATS_TEST_TMPDIR/media.cpp"
	# shellcheck disable=SC2086
	g++ $strict -std=c++11 -o "$BATS_TEST_TMPDIR/media" "$BATS_TEST_TMPDIR/media.cpp" -L"$ACLCHECK_BUILD/softnpu" -lascendcl -lacl_dvpp
	for release in . 8.1 9.2; do
		LD_LIBRARY_PATH="$ACLCHECK_BUILD/softnpu/$release" "$BATS_TEST_TMPDIR/media"
	done
}

@test "everything generated compiles for aarch64" {
	for source in acl_model wrappers softnpu_default softnpu_media; do
		compile aarch64-linux-gnu-gcc -std=gnu11 -D_GNU_SOURCE "-I$ACLCHECK_BUILD/gen" \
			"-I$ACLCHECK_SOURCE/include" "-I$ACLCHECK_SOURCE" "$ACLCHECK_BUILD/gen/$source.c"
	done
}
