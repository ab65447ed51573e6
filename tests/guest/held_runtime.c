/* SPDX-License-Identifier: Apache-2.0 */
/* A runtime that runs no callback: it holds what was launched or registered last until the program runs it.
 */
#include "held_runtime.h"

#define API __attribute__((visibility("default")))

struct held held;

static char handles[8];

API aclError aclInit(const char *configPath)
{
	(void)configPath;
	return ACL_SUCCESS;
}

API aclError aclrtSetDevice(int32_t deviceId)
{
	(void)deviceId;
	return ACL_SUCCESS;
}

API aclError aclrtFree(void *devPtr)
{
	(void)devPtr;
	return ACL_SUCCESS;
}

API aclError aclrtCreateStream(aclrtStream *stream)
{
	static unsigned n;

	*stream = &handles[n++ % 4];
	return ACL_SUCCESS;
}

API aclError aclrtSynchronizeStream(aclrtStream stream)
{
	(void)stream;
	return ACL_SUCCESS;
}

API aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)
{
	(void)stream;
	held = (struct held){fn, args, held.registered};
	return ACL_SUCCESS;
}

API aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)
{
	held.registered = callback;
	return ACL_SUCCESS;
}

API aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)
{
	(void)stream;
	(void)mode;
	return ACL_SUCCESS;
}

API aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI)
{
	(void)stream;
	*modelRI = &handles[4];
	return ACL_SUCCESS;
}

API aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream)
{
	(void)stream;
	return ACL_SUCCESS;
}

API aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle)
{
	(void)stream;
	*handle = &handles[5];
	return ACL_SUCCESS;
}

API aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle)
{
	(void)stream;
	(void)handle;
	return ACL_SUCCESS;
}

API aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream)
{
	(void)stream;
	return ACL_SUCCESS;
}

API aclError aclmdlRIDestroy(aclmdlRI modelRI)
{
	(void)modelRI;
	return ACL_SUCCESS;
}
