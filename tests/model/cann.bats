#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# check-cann: the model against the headers of an installation.

setup() {
	check="$ACLCHECK_SOURCE/tools/gen/check-cann"
	gen=$ACLCHECK_BUILD/gen
	cann=$BATS_TEST_TMPDIR/cann
	mkdir "$cann"
	cp -r "$ACLCHECK_BUILD/include" "$cann"
}

# plant FILE FROM TO: a release in which something changed
plant() {
	grep -q "$2" "$cann/include/acl/$1"
	sed -i "s/$2/$3/" "$cann/include/acl/$1"
}

@test "an installation that is like the model has no differences" {
	run "$check" "$cann" "$gen"
	[ "$status" -eq 0 ]
	[[ $output == *"0 not there or older, 0 differ"* ]]
}

@test "a changed value, layout, constant and prototype are named" {
	plant acl_rt.h 'ACL_MEMCPY_DEFAULT = 4' 'ACL_MEMCPY_DEFAULT = 9'
	plant acl_rt.h 'uint32_t pageSize' 'uint64_t pageSize'
	plant acl_base_rt.h 'ACL_ERROR_REPEAT_INITIALIZE = 100002' 'ACL_ERROR_REPEAT_INITIALIZE = 100003'
	plant acl_rt.h 'aclrtSetDevice(int32_t deviceId)' 'aclrtSetDevice(int64_t deviceId)'
	run "$check" "$cann" "$gen"
	[ "$status" -eq 1 ]
	[[ $output == *"differs: value ACL_MEMCPY_DEFAULT"* ]]
	[[ $output == *"differs: type aclrtPtrAttributes"* ]]
	[[ $output == *"differs: constant ACL_ERROR_REPEAT_INITIALIZE"* ]]
	[[ $output == *"differs: function aclrtSetDevice"* ]]
	[[ $output == *"0 not there or older, 4 differ"* ]]
}

@test "a member that grew into padding is named, though nothing else has moved" {
	plant acl_rt.h "uint32_t priority;" "uint64_t priority;"
	run "$check" "$cann" "$gen"
	[ "$status" -eq 1 ]
	[[ $output == *"differs: type "* && $output == *"0 not there or older, 1 differ"* ]]
}

@test "a path with a space" {
	mv "$cann" "$BATS_TEST_TMPDIR/CANN 9.1"
	cann="$BATS_TEST_TMPDIR/CANN 9.1"
	run env -u MAKEFLAGS -u MFLAGS make -C "$ACLCHECK_SOURCE" BUILD="$ACLCHECK_BUILD" CANN="$cann" check-cann
	[ "$status" -eq 0 ]
	[[ $output == *"model against $cann: 0 not there or older, 0 differ"* ]]
}

@test "a new function is named" {
	plant acl_rt.h '\(.*aclrtFreeHost(.*\)' '\1\nACL_FUNC_VISIBILITY aclError aclrtBrandNew(int a);'
	run "$check" "$cann" "$gen"
	[ "$status" -eq 1 ]
	[[ $output == *"new, not in the model: function aclrtBrandNew"* ]]
}

@test "what an older installation lacks is reported and no difference" {
	sed -i '/ aclrtStreamStop(/d' "$cann/include/acl/acl_rt.h"
	rm "$cann/include/acl/acl_rt_memory_soma.h"
	plant acl_rt.h 'aclrtSnapShotProcessLock(.*);' 'aclrtSnapShotProcessLock(void);'
	run "$check" "$cann" "$gen"
	[ "$status" -eq 0 ]
	[[ $output == *"not there: function aclrtStreamStop (since 8.5)"* ]]
	[[ $output == *"not there: function aclrtMemPoolCreate (since 9.0)"* ]]
	[[ $output == *"older: function aclrtSnapShotProcessLock (since 8.5, other parameters until 9.0)"* ]]
}

@test "a release from before a member is older; one that lost or changed a member differs" {
	plant acl_rt.h '.*uint32_t streamPriority;' ''
	plant acl_prof.h '^typedef struct aclprofEventAttributes {' \
		'typedef struct aclprofEventAttributes aclprofEventAttributes; struct later {'
	sed -i 's/^} aclprofEventAttributes;/};/' "$cann/include/acl/acl_prof.h"
	run "$check" "$cann" "$gen"
	[ "$status" -eq 0 ]
	[[ $output == *"older: type aclrtStreamAttrValue (since 8.5, streamPriority since 9.1)"* ]]
	[[ $output == *"older: type aclprofEventAttributes (since 9.0, members since 9.1)"* ]]
	[[ $output == *"2 not there or older, 0 differ"* ]]
	plant acl_rt.h '.*uint32_t cacheOpInfoSwitch;' ''
	plant acl_rt.h 'uint8_t enableProfiling;' 'uint16_t enableProfiling;'
	run "$check" "$cann" "$gen"
	[ "$status" -eq 1 ]
	[[ $output == *"differs: type aclrtStreamAttrValue (since 8.5): "*cacheOpInfoSwitch* ]]
	[[ $output == *"differs: type aclrtLaunchKernelAttrValue (since 8.1, enableProfiling since main): "* ]]
	[[ $output == *"2 not there or older, 2 differ"* ]]
}

@test "a record spelled with its tag that is not there yet is no difference" {
	plant acl_rt.h '^struct MemAttrMapping {' 'struct later {'
	run "$check" "$cann" "$gen"
	[ "$status" -eq 0 ]
	[[ $output == *"not there: type MemAttrMapping (since 9.0)"* ]]
}

@test "no installation there: one clear line" {
	run "$check" "$cann/nowhere" "$gen"
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -eq 1 ]
}
