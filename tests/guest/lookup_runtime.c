/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A runtime of a few functions that do nothing; VALUE distinguishes several of them.  With ONLY it defines
 * one name: a hook or a mock of a user's, which forwards to the next definition when FORWARD is set.
 */
#include <dlfcn.h>
#include <stdio.h>

#include "acl/acl.h"

#define API __attribute__((visibility("default")))

API aclError aclrtGetDeviceCount(uint32_t *count)
{
#ifdef FORWARD
	aclError (*next)(uint32_t *) = (aclError(*)(uint32_t *))dlsym(RTLD_NEXT, "aclrtGetDeviceCount");
	aclError result = next ? next(count) : 1;

	printf("hook %d\n", VALUE);
	return result;
#else
	*count = VALUE;
	return ACL_SUCCESS;
#endif
}

#ifndef ONLY
API aclError aclInit(const char *configPath)
{
	(void)configPath;
	return ACL_SUCCESS;
}

API aclError aclFinalize(void)
{
	return ACL_SUCCESS;
}

API aclError aclrtSetDevice(int32_t deviceId)
{
	(void)deviceId;
	return ACL_SUCCESS;
}

API aclError aclrtResetDevice(int32_t deviceId)
{
	(void)deviceId;
	return ACL_SUCCESS;
}

API aclError aclrtSynchronizeDevice(void)
{
	return ACL_SUCCESS;
}
#endif
