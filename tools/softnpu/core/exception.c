/* SPDX-License-Identifier: Apache-2.0 */
/* Exception callbacks and what they may ask. */
#include "tools/softnpu/core/exception.h"
#include "tools/softnpu/core/answers.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/softnpu/kernel/kernel.h"
#include "tools/softnpu/sync/stream.h"

#define UNKNOWN UINT32_MAX
#define MAX_CALLBACKS 16

struct rtExceptionInfo {
	uint32_t task, stream, thread, device;
	aclError code;
	aclrtFuncHandle func; /* of a kernel */
	void *args;
	uint32_t args_size;
};

static aclrtExceptionInfoCallback single;
static aclrtExceptionInfoCallback registered[MAX_CALLBACKS];
static unsigned n_registered;

void exceptions_forget(void)
{
	single = NULL;
	n_registered = 0;
}

/* What the callback is told; valid while it runs. */
static struct rtExceptionInfo exception_describe(
	struct lane *lane, struct op *op, aclError code, struct binary **bin)
{
	struct stream *s = lane_stream(lane);
	struct rtExceptionInfo info = {.task = (uint32_t)lane->completed,
		.stream = s ? (uint32_t)s->id : UNKNOWN,
		.thread = op->thread,
		.device = (uint32_t)lane->device,
		.code = code};
	struct kernel_launch l;

	*bin = NULL;
	if (!kernel_op_launch(op, &l))
		return info;
	info.func = l.func ? object_handle(&l.func->obj) : NULL;
	info.args = (void *)kernel_op_device_args(op, device_get(lane->device));
	info.args_size = (uint32_t)l.args_size;
	*bin = l.func ? l.func->bin : NULL;
	return info;
}

void exception_raise(struct lane *lane, struct op *op, aclError code)
{
	aclrtExceptionInfoCallback all[MAX_CALLBACKS + 1];
	aclrtOpExceptionCallback of_binary;
	struct rtExceptionInfo info;
	struct binary *bin;
	void *data;
	unsigned n = 0;

	info = exception_describe(lane, op, code, &bin);
	of_binary = bin ? bin->exception : NULL;
	data = bin ? bin->exception_data : NULL;
	if (single)
		all[n++] = single;
	for (unsigned i = 0; i < n_registered; i++)
		all[n++] = registered[i];
	if (!n && !of_binary)
		return;
	npu_unlock();
	for (unsigned i = 0; i < n; i++)
		all[i](&info);
	if (of_binary)
		of_binary(&info, data);
	npu_lock();
}

static aclError set_single(aclrtExceptionInfoCallback callback)
{
	single = callback;
	return ACL_SUCCESS;
}

/* NULL takes the callback back. */
aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)
{
	return LOCKED(set_single(callback));
}

static int exception_find(aclrtExceptionInfoCallback callback)
{
	for (unsigned i = 0; i < n_registered; i++)
		if (registered[i] == callback)
			return (int)i;
	return -1;
}

static aclError exception_add(aclrtExceptionInfoCallback callback)
{
	if (exception_find(callback) >= 0)
		return npu_answer(EXCEPTION_CALLBACK_AGAIN, "the callback is registered already");
	if (n_registered == MAX_CALLBACKS)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "more than %d callbacks", MAX_CALLBACKS);
	registered[n_registered++] = callback;
	return ACL_SUCCESS;
}

aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback)
{
	return LOCKED(exception_add(callback));
}

static aclError exception_drop(aclrtExceptionInfoCallback callback)
{
	int at = exception_find(callback);

	if (at < 0)
		return npu_answer(EXCEPTION_CALLBACK_UNKNOWN, "the callback is not registered");
	registered[at] = registered[--n_registered];
	return ACL_SUCCESS;
}

aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback)
{
	return LOCKED(exception_drop(callback));
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	return info ? info->task : UNKNOWN;
}

uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	return info ? info->stream : UNKNOWN;
}

uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	return info ? info->thread : UNKNOWN;
}

uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	return info ? info->device : UNKNOWN;
}

uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info)
{
	return info ? (uint32_t)info->code : UNKNOWN;
}

aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo *info, aclrtFuncHandle *func)
{
	if (!info->func)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the failed task is no kernel of a binary");
	*func = info->func;
	return ACL_SUCCESS;
}

aclError aclrtGetArgsFromExceptionInfo(
	const aclrtExceptionInfo *info, void **devArgsPtr, uint32_t *devArgsLen)
{
	if (!info->args)
		return npu_err(-1, "the failed task is no kernel");
	*devArgsPtr = info->args;
	*devArgsLen = info->args_size;
	return ACL_SUCCESS;
}
