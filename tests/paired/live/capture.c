/* SPDX-License-Identifier: Apache-2.0 */
/* Live pairs of the capture rules. */
#include "live.h"

#include <stdlib.h>

#include "softnpu.h"

#define GLOBAL ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED

static void replay(aclmdlRI model)
{
	aclmdlRIExecuteAsync(model, s);
	aclrtSynchronizeStream(s);
	aclmdlRIDestroy(model);
}

PAIR("capture-begin-null-stream", begin_null)
{
	aclmdlRI model = NULL;

	if (bug)
		aclmdlRICaptureBegin(NULL, GLOBAL);
	aclmdlRICaptureBegin(s, GLOBAL);
	aclmdlRICaptureEnd(s, &model);
	aclmdlRIDestroy(model);
}

PAIR("capture-begin-default-stream", begin_default)
{
	aclrtStream dflt = NULL;

	aclrtCtxGetCurrentDefaultStream(&dflt);
	if (bug)
		aclmdlRICaptureBegin(dflt, GLOBAL);
	replay(capture_set());
}

PAIR("capture-sync-stream", wait_for_captured)
{
	capture_begin(RELAXED);
	if (bug)
		aclrtSynchronizeStream(s);
	replay(capture_end());
}

PAIR("capture-sync-stream", poll_captured)
{
	aclrtStreamStatus status;

	capture_begin(GLOBAL);
	if (bug)
		aclrtStreamQuery(s, &status);
	replay(capture_end());
}

PAIR("capture-sync-event", wait_for_captured_event)
{
	aclrtEvent e;

	aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC);
	capture_begin(GLOBAL);
	aclrtRecordEvent(e, s);
	if (bug)
		aclrtSynchronizeEvent(e);
	replay(capture_end());
	aclrtRecordEvent(e, s);
	aclrtSynchronizeEvent(e);
	aclrtDestroyEvent(e);
}

PAIR("capture-sync-device", wait_for_device)
{
	capture_begin(GLOBAL);
	if (bug)
		aclrtSynchronizeDevice();
	replay(capture_end());
	aclrtSynchronizeDevice();
}

PAIR("capture-query-device", ask_device)
{
	aclrtDeviceStatus status;

	capture_begin(GLOBAL);
	if (bug)
		aclrtQueryDeviceStatus(0, &status);
	replay(capture_end());
	aclrtQueryDeviceStatus(0, &status);
}

PAIR("capture-free-with-dev-sync", free_synchronising)
{
	void *other = NULL;

	aclrtMalloc(&other, N, ACL_MEM_MALLOC_HUGE_FIRST);
	capture_begin(RELAXED);
	if (bug)
		aclrtFreeWithDevSync(other);
	replay(capture_end());
	aclrtFreeWithDevSync(other);
}

PAIR("capture-default-stream-op", set_on_default_stream)
{
	void *other = NULL;

	aclrtMalloc(&other, N, ACL_MEM_MALLOC_HUGE_FIRST);
	capture_begin(GLOBAL);
	aclrtMemsetAsync(other, N, 1, N, bug ? NULL : s);
	replay(capture_end());
	aclrtSynchronizeStream(NULL);
	aclrtFree(other);
}

PAIR("capture-event-default-stream", default_stream_waits)
{
	aclrtEvent e;

	aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC);
	capture_begin(GLOBAL);
	aclrtRecordEvent(e, s);
	if (bug)
		aclrtStreamWaitEvent(NULL, e);
	replay(capture_end());
	aclrtDestroyEvent(e);
}

PAIR("capture-wait-unrecorded-event", wait_for_nothing)
{
	aclrtEvent e;
	aclrtStream other;

	aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC);
	aclrtCreateStream(&other);
	capture_begin(GLOBAL);
	if (bug) {
		aclrtStreamWaitEvent(s, e);
	} else {
		aclrtRecordEvent(e, s);
		aclrtStreamWaitEvent(other, e);
		aclrtRecordEvent(e, other);
		aclrtStreamWaitEvent(s, e);
	}
	replay(capture_end());
	aclrtDestroyEvent(e);
	aclrtDestroyStream(other);
}

PAIR("capture-unpinned-host", copy_from_heap)
{
	char *heap = NULL;

	if (posix_memalign((void **)&heap, 64, N))
		return;
	memset(heap, 0, N);
	capture_begin(GLOBAL);
	aclrtMemcpyAsync(d, N, bug ? heap : h, N, ACL_MEMCPY_HOST_TO_DEVICE, s);
	replay(capture_end());
	free(heap);
}

PAIR("capture-unsafe-sync-memop", copy_while_capturing)
{
	aclmdlRICaptureMode mode = RELAXED;
	void *other = NULL;

	aclrtMalloc(&other, N, ACL_MEM_MALLOC_HUGE_FIRST);
	capture_begin(GLOBAL);
	if (!bug)
		aclmdlRICaptureThreadExchangeMode(&mode);
	aclrtMemcpy(other, N, h, N, ACL_MEMCPY_HOST_TO_DEVICE);
	if (!bug)
		aclmdlRICaptureThreadExchangeMode(&mode);
	replay(capture_end());
	aclrtFree(other);
}

static void set_here(void)
{
	aclrtMemset(d, N, 0, N);
}

PAIR("capture-unsafe-other-thread-global", set_in_other_thread)
{
	capture_begin(bug ? GLOBAL : ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL);
	in_thread(set_here);
	replay(capture_end());
}

PAIR("capture-unsafe-unchecked-memop", set_words)
{
	void *other = NULL;

	aclrtMalloc(&other, N, ACL_MEM_MALLOC_HUGE_FIRST);
	capture_begin(bug ? GLOBAL : RELAXED);
	aclrtMemsetD32(other, N, 7, N / 4);
	replay(capture_end());
	aclrtFree(other);
}

PAIR("capture-overflow-config", overflow_switch)
{
	if (!bug)
		aclrtSetStreamOverflowSwitch(s, 1);
	capture_begin(GLOBAL);
	if (bug)
		aclrtSetStreamOverflowSwitch(s, 1);
	replay(capture_end());
}

PAIR("capture-config-ineffective", limit_too_late)
{
	if (!bug)
		aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, 8);
	capture_begin(GLOBAL);
	if (bug)
		aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, 8);
	replay(capture_end());
}

PAIR("capture-context-torn-down", context_under_capture)
{
	aclrtContext dflt, own;
	aclrtStream inside;
	aclmdlRI model = NULL;

	aclrtGetCurrentContext(&dflt);
	aclrtCreateContext(&own, 0);
	aclrtCreateStream(&inside);
	aclmdlRICaptureBegin(inside, RELAXED);
	if (!bug) {
		aclmdlRICaptureEnd(inside, &model);
		aclmdlRIDestroy(model);
		aclrtDestroyStream(inside);
	}
	aclrtDestroyContext(own);
	aclrtSetCurrentContext(dflt);
}

PAIR("capture-resource-freed-before-destroy", free_captured)
{
	aclmdlRI model = capture_set();

	if (bug) {
		aclrtFree(d);
		d = NULL;
	}
	aclmdlRIDestroy(model);
}

PAIR("capture-host-buffer-freed", free_captured_host)
{
	aclmdlRI model;

	capture_begin(GLOBAL);
	aclrtMemcpyAsync(d, N, h, N, ACL_MEMCPY_HOST_TO_DEVICE, s);
	model = capture_end();
	if (bug) {
		aclrtFreeHost(h);
		h = NULL;
	}
	aclmdlRIDestroy(model);
}

PAIR("capture-host-buffer-freed", unregister_captured)
{
	static _Alignas(4096) char mine[4096];
	void *device_view = NULL;
	aclmdlRI model;

	aclrtHostRegister(mine, N, ACL_HOST_REGISTER_MAPPED, &device_view);
	capture_begin(GLOBAL);
	aclrtMemcpyAsync(d, N, mine, N, ACL_MEMCPY_HOST_TO_DEVICE, s);
	model = capture_end();
	if (bug)
		aclrtHostUnregister(mine);
	aclmdlRIDestroy(model);
	if (!bug)
		aclrtHostUnregister(mine);
}

PAIR("capture-notify-destroyed-before-destroy", notify_first)
{
	aclrtNotify notify;
	aclmdlRI model;

	aclrtCreateNotify(&notify, 0);
	capture_begin(GLOBAL);
	aclrtRecordNotify(notify, s);
	model = capture_end();
	if (bug)
		aclrtDestroyNotify(notify);
	aclmdlRIDestroy(model);
	if (!bug)
		aclrtDestroyNotify(notify);
}

static void kernel(const softnpu_launch *launch)
{
	(void)launch;
}

PAIR("capture-binary-unloaded-before-destroy", unload_first)
{
	static const char image[64] = "kernels";
	aclrtBinHandle binary = NULL;
	aclrtFuncHandle function = NULL;
	aclmdlRI model;

	softnpu_register_kernel("pair_kernel", kernel);
	aclrtBinaryLoadFromData(image, sizeof(image), NULL, &binary);
	aclrtBinaryGetFunction(binary, "pair_kernel", &function);
	capture_begin(GLOBAL);
	aclrtLaunchKernelV2(function, 1, d, 64, NULL, s);
	model = capture_end();
	if (bug)
		aclrtBinaryUnLoad(binary);
	aclmdlRIDestroy(model);
	if (!bug)
		aclrtBinaryUnLoad(binary);
}
