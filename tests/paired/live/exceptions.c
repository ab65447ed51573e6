/* SPDX-License-Identifier: Apache-2.0 */
/* Live pairs of the rules about exception callbacks: the software runtime lets the first task fail. */
#include "live.h"

#define FAULT "SOFTNPU_FAULT_TASK=1 ACLCHECK_RULES=-api-error"

static aclrtExceptionInfo *kept;
static uint32_t task;

static void keep(aclrtExceptionInfo *info)
{
	kept = info;
	task = aclrtGetTaskIdFromExceptionInfo(info);
}

static void allocate(aclrtExceptionInfo *info)
{
	void *p = NULL;

	task = aclrtGetTaskIdFromExceptionInfo(info);
	if (bug)
		aclrtMallocHost(&p, N);
}

static void fail(void)
{
	aclrtMemsetAsync(d, N, 0, N, s);
	aclrtSynchronizeStream(s);
}

PAIR_WITH("exc-info-escaped", ask_later, .settings = FAULT)
{
	aclrtExceptionInfoCallbackRegister(keep);
	fail();
	if (bug)
		aclrtGetDeviceIdFromExceptionInfo(kept);
}

PAIR_WITH("exc-callback-calls-runtime", allocate_inside, .settings = FAULT)
{
	aclrtExceptionInfoCallbackRegister(allocate);
	fail();
}

/* A host function runs while a callback for exceptions is there as well. */
static void *more;

static void allocate_more(void *data)
{
	(void)data;
	if (bug)
		aclrtMallocHost(&more, N);
}

PAIR("callback-runtime-api-inside", allocate_in_host_function)
{
	aclrtExceptionInfoCallbackRegister(keep);
	aclrtLaunchHostFunc(s, allocate_more, NULL);
	aclrtSynchronizeStream(s);
	if (more)
		aclrtFreeHost(more);
}
