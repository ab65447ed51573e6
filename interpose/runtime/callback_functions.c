/* SPDX-License-Identifier: Apache-2.0 */
/* Read once from the model. */
#include "interpose/runtime/callback_functions.h"

#include <string.h>

#include "aclcheck/model.h"

/* Per function: 1 + index of the callback parameter, and what to do with it. */
uint8_t callback_parameter[ACL_API_COUNT];
bool callback_is_launch[ACL_API_COUNT];

bool begins_recording(unsigned api)
{
	return api == ACL_API_aclmdlRICaptureBegin || api == ACL_API_aclmdlRICaptureToModelRIBegin ||
	       api == ACL_API_aclmdlRIBindStream;
}

bool callback_matters(unsigned api)
{
	return callback_parameter[api] || begins_recording(api);
}

/*
 * Functions of a user's allocator are left alone: they are asked for memory in
 * the middle of other calls, run no stream's work, and are handed back to the
 * program by aclrtAllocatorGetByStream.
 */
void callback_functions_learn(void)
{
	callback_is_launch[ACL_API_aclrtLaunchCallback] = callback_is_launch[ACL_API_aclrtLaunchHostFunc] =
		true;
	for (unsigned api = 0; api < acl_api_count; api++) {
		for (unsigned i = 0; i < acl_apis[api].n_params; i++) {
			const struct acl_param *p = &acl_params(&acl_apis[api])[i];

			if (p->kind == ACL_KIND_CALLBACK && p->dir == ACL_DIR_IN &&
				strncmp(acl_text(p->type), "aclrtAllocator", 14))
				callback_parameter[api] = (uint8_t)(i + 1);
		}
	}
}
