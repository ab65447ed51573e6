/* SPDX-License-Identifier: Apache-2.0 */
/* A library that programs load, use and close again. */
#include "acl/acl.h"

int plugin_use(void);

/* Two findings' worth of calls: the runtime is initialised twice. */
__attribute__((visibility("default"))) int plugin_use(void)
{
	int first = aclInit(NULL), second = aclInit(NULL);

	return first || second == ACL_SUCCESS;
}
