/* SPDX-License-Identifier: Apache-2.0 */
/* A runtime of a few functions, which calls itself through its dynamic symbols as real ones may. */
#include <stdlib.h>

#include "acl/acl.h"

#define API __attribute__((visibility("default")))

static aclrtExceptionInfoCallback on_exception;
static aclFinalizeCallbackFunc on_finalize[4];
static void *finalize_data[4];
static unsigned n_finalize;

API aclError aclInit(const char *configPath)
{
	(void)configPath;
	return ACL_SUCCESS;
}

API aclError aclFinalize(void)
{
	for (unsigned i = 0; i < n_finalize; i++)
		on_finalize[i](finalize_data[i]);
	return ACL_SUCCESS;
}

API aclError aclrtSetDevice(int32_t deviceId)
{
	if (on_exception && deviceId == 7)
		on_exception(NULL);
	return ACL_SUCCESS;
}

API aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
	(void)policy;
	*devPtr = malloc(size);
	return *devPtr ? ACL_SUCCESS : ACL_ERROR_BAD_ALLOC;
}

/* Through the global symbol, that is through the wrapper. */
API aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
	return aclrtMallocAlign32(devPtr, size, policy);
}

API aclError aclrtFree(void *devPtr)
{
	free(devPtr);
	return ACL_SUCCESS;
}

API aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)
{
	on_exception = callback;
	return ACL_SUCCESS;
}

API aclError aclFinalizeCallbackRegister(
	aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc, void *userData)
{
	(void)type;
	on_finalize[n_finalize] = cbFunc;
	finalize_data[n_finalize++] = userData;
	return ACL_SUCCESS;
}

/* The one registered last among those of that function. */
API aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc)
{
	(void)type;
	for (unsigned i = n_finalize; i-- > 0;) {
		if (on_finalize[i] != cbFunc)
			continue;
		for (n_finalize--; i < n_finalize; i++) {
			on_finalize[i] = on_finalize[i + 1];
			finalize_data[i] = finalize_data[i + 1];
		}
		return ACL_SUCCESS;
	}
	return ACL_ERROR_INVALID_PARAM;
}
