/* SPDX-License-Identifier: Apache-2.0 */
/* Calls functions that no library behind the wrappers has: one per kind of result. */
#include <stdio.h>

#include "acl_api.h"

static int failed;

static void ok(int holds, const char *what)
{
	printf("%sok - %s\n", holds ? "" : "not ", what);
	failed |= !holds;
}

int main(void)
{
	void *memory = &memory;

	ok(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 207000, "an error code");
	ok(memory == &memory, "outputs stay");
	ok(!aclrtGetSocName(), "a string");
	ok(!aclrtCreateStreamConfigHandle(), "a pointer");
	ok(!aclrtAllocatorCreateDesc(), "a handle");
	ok(!aclrtGetDeviceIdFromExceptionInfo(NULL), "a number");
	return failed;
}
