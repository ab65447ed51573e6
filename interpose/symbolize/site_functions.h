/* SPDX-License-Identifier: Apache-2.0 */
/* Which functions' calls have sites that are stacks (stack_site.h). */
#ifndef INTERPOSE_SITE_FUNCTIONS_H
#define INTERPOSE_SITE_FUNCTIONS_H

#include <stdbool.h>

#include "aclcheck/model.h"

/*
 * Of the function's calls the checks want to know the stack: later findings name where tasks were put on
 * streams, what waited, and where memory was released; where objects were created and destroyed has a stack
 * anyway.
 */
static inline bool stack_site_matters(unsigned api)
{
	const struct acl_api_info *f = &acl_apis[api];

	switch (f->operation_group) {
	case ACL_OP_GROUP_FREE:
	case ACL_OP_GROUP_RELEASE:
	case ACL_OP_GROUP_UNMAP:
	case ACL_OP_GROUP_UNREGISTER:
	case ACL_OP_GROUP_CLOSE:
		return true;
	default:
		return f->mode == ACL_MODE_ASYNC || f->classes & (ACL_CLASS_CAPTURE | ACL_CLASS_SYNC);
	}
}

#endif
