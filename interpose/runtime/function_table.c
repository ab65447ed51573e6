/* SPDX-License-Identifier: Apache-2.0 */
/* Before the first call nothing is resolved: each function is looked for when it is called. */
#include "interpose/runtime/function_table.h"

uint32_t acl_state[ACL_API_COUNT] = {
	[0 ... ACL_API_COUNT - 1] = ACL_STATE_UNRESOLVED,
};
void (*acl_real[ACL_API_COUNT])(void);
