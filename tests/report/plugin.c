/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in that is linked with the runtime. */
#include <acl/acl.h>

int plugin(void);
int plugin(void)
{
	void *p = NULL;

	return aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST) || aclrtFree(p);
}
