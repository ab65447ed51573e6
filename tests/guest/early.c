/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that uses the runtime in its constructor and its destructor:
 * before the preload's constructor, after main.
 */
#include <stdlib.h>

#include "acl/acl.h"

void early_needed(void);

static void *block;

__attribute__((constructor)) static void begin(void)
{
	if (getenv("EARLY_EXIT")) {
		aclInit(NULL);
		aclInit(NULL);
		exit(9);
	}
	if (aclInit(NULL) == ACL_SUCCESS && aclrtSetDevice(0) == ACL_SUCCESS)
		aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST);
}

__attribute__((destructor)) static void end(void)
{
	aclrtFree(block);
	aclrtResetDevice(0);
	aclFinalize();
}

/* For the linker to keep us. */
__attribute__((visibility("default"))) void early_needed(void)
{
}
