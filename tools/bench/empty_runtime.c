/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A runtime whose bodies return at once: what a call costs on it is the call
 * itself, so that the benchmark measures the tool and nothing else.  Handles
 * and addresses are handed out by counting up; nothing is ever reused.
 */
#include <stdatomic.h>
#include <stdint.h>

#include "acl/acl.h"

#define EXPORT __attribute__((visibility("default")))

static _Atomic uint64_t next_device = 0x120000000000;
static _Atomic uint64_t next_host = 0x560000000000;
static _Atomic uint64_t next_reserved = 0x200000000000;
static _Atomic uint64_t next_handle = 0x700000001000;

static void *counter_inc(_Atomic uint64_t *next, uint64_t size)
{
	return (void *)(uintptr_t)atomic_fetch_add_explicit(
		next, (size + 64 + 511) & ~511ull, memory_order_relaxed);
}

EXPORT aclError aclInit(const char *config)
{
	(void)config;
	return ACL_SUCCESS;
}

static __thread int32_t current_device;

EXPORT aclError aclrtSetDevice(int32_t device)
{
	current_device = device;
	return ACL_SUCCESS;
}

EXPORT aclError aclrtGetDevice(int32_t *device)
{
	*device = current_device;
	return ACL_SUCCESS;
}

/* Of each device the one that comes with it. */
#define CONTEXTS 0x6f0000000000
#define CONTEXT 4096

EXPORT aclError aclrtGetCurrentContext(aclrtContext *context)
{
	*context = (aclrtContext)(uintptr_t)(CONTEXTS + (uint64_t)current_device * CONTEXT);
	return ACL_SUCCESS;
}

EXPORT aclError aclrtSetCurrentContext(aclrtContext context)
{
	current_device = (int32_t)(((uintptr_t)context - CONTEXTS) / CONTEXT);
	return ACL_SUCCESS;
}

EXPORT aclError aclrtMalloc(void **ptr, size_t size, aclrtMemMallocPolicy policy)
{
	(void)policy;
	*ptr = counter_inc(&next_device, size);
	return ACL_SUCCESS;
}

EXPORT aclError aclrtFree(void *ptr)
{
	(void)ptr;
	return ACL_SUCCESS;
}

EXPORT aclError aclrtReserveMemAddress(
	void **ptr, size_t size, size_t alignment, void *expected, uint64_t flags)
{
	(void)alignment;
	(void)expected;
	(void)flags;
	*ptr = counter_inc(&next_reserved, size);
	return ACL_SUCCESS;
}

EXPORT aclError aclrtReleaseMemAddress(void *ptr)
{
	(void)ptr;
	return ACL_SUCCESS;
}

EXPORT aclError aclrtMallocHost(void **ptr, size_t size)
{
	*ptr = counter_inc(&next_host, size);
	return ACL_SUCCESS;
}

EXPORT aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **device)
{
	(void)size;
	(void)type;
	*device = ptr;
	return ACL_SUCCESS;
}

EXPORT aclError aclrtHostUnregister(void *ptr)
{
	(void)ptr;
	return ACL_SUCCESS;
}

EXPORT aclError aclrtCreateStream(aclrtStream *stream)
{
	*stream = counter_inc(&next_handle, 64);
	return ACL_SUCCESS;
}

EXPORT aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
	(void)flag;
	*event = counter_inc(&next_handle, 64);
	return ACL_SUCCESS;
}

EXPORT aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
	(void)event;
	(void)stream;
	return ACL_SUCCESS;
}

EXPORT aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
	(void)event;
	(void)stream;
	return ACL_SUCCESS;
}

EXPORT aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)
{
	(void)event;
	*status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
	return ACL_SUCCESS;
}

EXPORT aclError aclrtMemcpyAsync(
	void *dst, size_t max, const void *src, size_t count, aclrtMemcpyKind kind, aclrtStream stream)
{
	(void)dst;
	(void)max;
	(void)src;
	(void)count;
	(void)kind;
	(void)stream;
	return ACL_SUCCESS;
}

EXPORT aclError aclrtMemcpyBatchAsync(void **dsts, size_t *maxs, void **srcs, size_t *sizes, size_t n,
	aclrtMemcpyBatchAttr *attrs, size_t *indexes, size_t n_attrs, size_t *failed, aclrtStream stream)
{
	(void)dsts;
	(void)maxs;
	(void)srcs;
	(void)sizes;
	(void)n;
	(void)attrs;
	(void)indexes;
	(void)n_attrs;
	(void)failed;
	(void)stream;
	return ACL_SUCCESS;
}

EXPORT aclError aclrtSynchronizeStream(aclrtStream stream)
{
	(void)stream;
	return ACL_SUCCESS;
}

EXPORT aclError aclrtDestroyStream(aclrtStream stream)
{
	(void)stream;
	return ACL_SUCCESS;
}

EXPORT aclError aclrtDestroyEvent(aclrtEvent event)
{
	(void)event;
	return ACL_SUCCESS;
}

EXPORT aclError aclrtSynchronizeEvent(aclrtEvent event)
{
	(void)event;
	return ACL_SUCCESS;
}

EXPORT aclError aclrtFreeHost(void *ptr)
{
	(void)ptr;
	return ACL_SUCCESS;
}

EXPORT aclError aclrtGetMemInfo(aclrtMemAttr attribute, size_t *free, size_t *total)
{
	(void)attribute;
	*free = *total = (size_t)32 << 30;
	return ACL_SUCCESS;
}

EXPORT aclError aclrtValueWrite(void *address, uint64_t value, uint32_t flag, aclrtStream stream)
{
	(void)address;
	(void)value;
	(void)flag;
	(void)stream;
	return ACL_SUCCESS;
}

EXPORT aclError aclrtValueWait(void *address, uint64_t value, uint32_t flag, aclrtStream stream)
{
	(void)address;
	(void)value;
	(void)flag;
	(void)stream;
	return ACL_SUCCESS;
}

EXPORT aclError aclrtLaunchKernel(
	aclrtFuncHandle function, uint32_t blocks, const void *arguments, size_t bytes, aclrtStream stream)
{
	(void)function;
	(void)blocks;
	(void)arguments;
	(void)bytes;
	(void)stream;
	return ACL_SUCCESS;
}

EXPORT aclError aclrtStreamGetId(aclrtStream stream, int32_t *id)
{
	(void)stream;
	*id = 1;
	return ACL_SUCCESS;
}

EXPORT aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)
{
	(void)stream;
	(void)mode;
	return ACL_SUCCESS;
}

EXPORT aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *model)
{
	(void)stream;
	*model = counter_inc(&next_handle, 64);
	return ACL_SUCCESS;
}

EXPORT aclError aclmdlRIExecuteAsync(aclmdlRI model, aclrtStream stream)
{
	(void)model;
	(void)stream;
	return ACL_SUCCESS;
}

EXPORT aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream)
{
	(void)stream;
	return ACL_SUCCESS;
}

EXPORT aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *group)
{
	(void)stream;
	*group = counter_inc(&next_handle, 64);
	return ACL_SUCCESS;
}

EXPORT aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp group)
{
	(void)stream;
	(void)group;
	return ACL_SUCCESS;
}

EXPORT aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream)
{
	(void)stream;
	return ACL_SUCCESS;
}
