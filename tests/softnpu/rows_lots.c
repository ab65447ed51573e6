/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of functions and situations that were drawn by lot, foretold from the published source. */
#include <stdint.h>

#include "rows.h"

#define GLOBAL ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
#define TOO_HIGH 5242881
#define TOO_WIDE 5000001

static long last(void)
{
	return aclrtGetLastError(ACL_RT_THREAD_LEVEL);
}

/* --- parameters -------------------------------------------------------------------------------- */

static aclrtFuncHandle function(void)
{
	aclrtFuncHandle f = NULL;
	aclrtBinHandle bin;

	need(aclrtBinaryLoadFromData("binary", 6, NULL, &bin));
	need(aclrtBinaryGetFunction(bin, "kernel", &f));
	return f;
}

static void *append(void *list)
{
	aclrtParamHandle p;

	row(aclrtKernelArgsAppendPlaceHolder(list, &p));
	return NULL;
}

static void *complete(void *list)
{
	row(aclrtKernelArgsFinalize(list));
	return NULL;
}

/* Appending needs no context, completing does. */
static void parameters_in_another_thread(void)
{
	aclrtArgsHandle list;

	need(aclrtKernelArgsInit(function(), &list));
	in_thread(append, list);
	in_thread(complete, list);
	append(list);
	complete(list);
	in_thread(append, list);
}

/* A thread has one list, which each beginning empties. */
static void list_begun_again(void)
{
	aclrtFuncHandle f = function();
	aclrtArgsHandle list, again;

	need(aclrtKernelArgsInit(f, &list));
	append(list);
	need(aclrtKernelArgsInit(f, &again));
	row(list == again);
	complete(again);
	append(list);
	need(aclrtKernelArgsInit(f, &again));
	append(list);
}

/* --- memory ------------------------------------------------------------------------------------ */

static void *align_here(void *unused)
{
	void *p;

	row(aclrtMallocAlign32(NULL, 0, ACL_MEM_MALLOC_HUGE_FIRST));
	row(aclrtMallocAlign32(&p, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST));
	row(aclrtMallocAlign32(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	return unused;
}

/* A size that leaves no room for the alignment is refused before there is a context. */
static void alignment_without_room(void)
{
	in_thread(align_here, NULL);
}

/* The refusal is the last error also behind a copy of nothing. */
static void areas_too_large(void)
{
	void *d = device(), *h = NULL;
	aclrtStream s = stream();

	need(aclrtMallocHost(&h, 4096));
	row(aclrtMemcpy2dAsync(d, 64, h, 64, 16, TOO_HIGH, ACL_MEMCPY_HOST_TO_DEVICE, s));
	row(aclrtMemcpy2dAsync(d, TOO_WIDE, h, TOO_WIDE, TOO_WIDE, 1, ACL_MEMCPY_HOST_TO_DEVICE, s));
	row(aclrtMemcpy2dAsync(d, 64, h, 64, 0, 1, ACL_MEMCPY_HOST_TO_DEVICE, s));
	row(last());
	row(aclrtMemcpy2d(d, 64, h, 64, 16, TOO_HIGH, ACL_MEMCPY_HOST_TO_DEVICE));
	row(aclrtMemcpy2d(d, 64, h, 64, 16, TOO_HIGH, ACL_MEMCPY_HOST_TO_DEVICE));
}

/* It is the device that is waited for first, and a capture forbids that. */
static void memory_freed_amid_a_capture(void)
{
	void *freed = device(), *live = device();
	aclrtStream s = stream();
	aclmdlRI m;

	row(aclrtFreeWithDevSync(freed));
	need(aclmdlRICaptureBegin(s, GLOBAL));
	row(aclrtFreeWithDevSync(freed));
	row(aclrtFreeWithDevSync(live));
	row(aclrtFree(live));
	row(aclmdlRICaptureEnd(s, &m));
}

static void attributes_of_no_memory(void)
{
	size_t left, all;

	row(aclrtGetMemInfo((aclrtMemAttr)-1, &left, &all));
	row(aclrtGetMemInfo(ACL_HBM_MEM, &left, &all));
	row(last());
	row(aclrtGetMemInfo((aclrtMemAttr)-1, NULL, &all));
	row(last());
}

/* The sum of size and offset is cut off, and what copies is given the size. */
static void user_data_beyond_all(void)
{
	char data[96] = "";
	aclrtMbuf b;

	need(aclrtAllocBuf(&b, 8));
	row(aclrtGetBufUserData(b, data, SIZE_MAX, 1));
	row(aclrtSetBufUserData(b, data, SIZE_MAX, 1));
	row(aclrtGetBufUserData(b, data, 96, 1));
}

/* --- tasks, models and others -------------------------------------------------------------------- */

static void *abort_here(void *unused)
{
	row(aclrtDeviceTaskAbort(99, 36 * 60 * 1000 + 1));
	row(aclrtDeviceTaskAbort(99, 36 * 60 * 1000));
	return unused;
}

/* The time is looked at before the device, and neither needs a context. */
static void aborts_wrong_twice(void)
{
	in_thread(abort_here, NULL);
}

static void wait_for(uint32_t n, aclrtCmoType second, uint32_t number, aclrtStream s)
{
	aclrtBarrierTaskInfo info = {
		.barrierNum = n, .cmoInfo = {{ACL_RT_CMO_TYPE_INVALID, 1}, {second, number}}};

	row(aclrtCmoWaitBarrier(&info, s, 0));
}

static void barriers_of_which_one_is_wrong(void)
{
	aclrtStream s = stream();

	need(aclrtDestroyStream(s));
	wait_for(0, ACL_RT_CMO_TYPE_PREFETCH, 0, s);
	wait_for(ACL_RT_CMO_MAX_BARRIER_NUM + 1, ACL_RT_CMO_TYPE_PREFETCH, 0, s);
	wait_for(2, ACL_RT_CMO_TYPE_PREFETCH, 1, s);
	wait_for(2, ACL_RT_CMO_TYPE_INVALID, 0, s);
	wait_for(1, ACL_RT_CMO_TYPE_PREFETCH, 0, NULL);
}

static void builds_ended_wrongly(void)
{
	aclmdlRI gone = model(), m = model();

	need(aclmdlRIDestroy(gone));
	row(aclmdlRIBuildEnd(gone, &m));
	row(aclmdlRIBuildEnd(NULL, &m));
	row(aclmdlRIBuildEnd(gone, NULL));
	row(aclmdlRIBuildEnd(m, &m));
	row(aclmdlRIBuildEnd(m, NULL));
}

static uint32_t on_unlock(int32_t id, void *args)
{
	(void)id, (void)args;
	return 0;
}

static void snapshot_callbacks_given_up(void)
{
	row(aclrtSnapShotCallbackUnregister(ACL_RT_SNAPSHOT_UNLOCK_POST, on_unlock));
	row(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_UNLOCK_POST, on_unlock, NULL));
	row(aclrtSnapShotCallbackUnregister(ACL_RT_SNAPSHOT_LOCK_PRE, on_unlock));
	row(aclrtSnapShotCallbackUnregister(ACL_RT_SNAPSHOT_UNLOCK_POST, on_unlock));
	row(aclrtSnapShotCallbackUnregister(ACL_RT_SNAPSHOT_UNLOCK_POST, on_unlock));
}

const struct row rows_lots[] = {ROW(parameters_in_another_thread), ROW(list_begun_again),
	ROW(alignment_without_room), ROW(areas_too_large), ROW(memory_freed_amid_a_capture),
	ROW(attributes_of_no_memory), ROW(user_data_beyond_all), ROW(aborts_wrong_twice),
	ROW(barriers_of_which_one_is_wrong), ROW(builds_ended_wrongly), ROW(snapshot_callbacks_given_up),
	{NULL, NULL}};
