/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of rules about functions as such: product, release, better ones; and the end of streams. */
#include "paired.h"

#define INFERENCE "Ascend310P3"
#define SOC_A2 "Ascend910B1"

static void flush(void)
{
	if (bug)
		CALL(aclrtMemFlush, .devPtr = DEVICE, .size = 64);
}

static void noticed(aclrtExceptionInfo *info)
{
	(void)info;
}

/* The successor came with the newest release. */
static void callback_old(void)
{
	if (bug)
		CALL(aclrtSetExceptionInfoCallback, .callback = noticed);
	else
		CALL(aclrtExceptionInfoCallbackRegister, .callback = noticed);
}

static void query_old(void)
{
	aclrtEvent e = make_event();

	CALL(aclrtRecordEvent, .event = e);
	if (bug)
		CALL(aclrtQueryEvent, .event = e, .status = OUT);
	else
		CALL(aclrtQueryEventStatus, .event = e, .status = OUT);
}

static void model_id(void)
{
	if (bug)
		CALL(aclmdlRIGetId, .modelRI = HANDLE, .modelRIId = OUT);
}

static void buffer(void)
{
	if (bug)
		CALL(aclrtAllocBuf, .buf = OUT, .size = 64);
}

static void count_notify(void)
{
	if (bug)
		CALL(aclrtCntNotifyCreate, .cntNotify = OUT);
	else
		CALL(aclrtCreateNotify, .notify = OUT);
}

static void notify_of_other_server(void)
{
	static aclrtServerPid server = {.num = 1};
	aclrtNotify n = NULL;

	CALL_DOES(aclrtCreateNotify, 0, n = make_address(), .notify = &n);
	if (bug)
		CALL(aclrtNotifySetImportPidInterServer, .notify = n, .serverPids = &server, .num = 1);
	CALL(aclrtDestroyNotify, .notify = n);
}

static void failure_mode_of_default(void)
{
	aclrtStream s = make_stream();

	CALL_FAILS(bug ? 207000 : 0, aclrtSetStreamFailureMode, .stream = bug ? NULL : s, .mode = 1);
	CALL(aclrtDestroyStream, .stream = s);
}

/* The default stream has a handle of its own once it was asked for. */
static aclrtStream default_or_made(void)
{
	aclrtStream d = NULL;

	if (!bug)
		return make_stream();
	CALL_DOES(aclrtCtxGetCurrentDefaultStream, 0, d = make_address(), .stream = &d);
	return d;
}

static void failure_attribute_of_default(void)
{
	static aclrtStreamAttrValue stop = {.failureMode = ACL_STOP_ON_FAILURE};

	CALL(aclrtSetStreamAttribute, .stream = default_or_made(),
		.stmAttrType = ACL_STREAM_ATTR_FAILURE_MODE, .value = &stop);
}

static void failure_mode_of_default_handle(void)
{
	aclrtStream s = default_or_made();

	CALL_FAILS(bug ? 207000 : 0, aclrtSetStreamFailureMode, .stream = s, .mode = ACL_STOP_ON_FAILURE);
}

static void groups(void)
{
	if (bug)
		CALL(aclrtGetGroupCount, .count = OUT);
}

static void value_write(void)
{
	if (bug)
		CALL(aclrtValueWrite, .devAddr = DEVICE, .value = 1);
}

static void new_function(void)
{
	if (bug)
		CALL(aclrtMemsetD32, .ptr = DEVICE, .memSize = 64, .N = 16);
	else
		CALL(aclrtMemset, .devPtr = DEVICE, .maxCount = 64, .count = 64);
}

static void limit_unset(void)
{
	CALL_FAILS(bug ? 107002 : 0, aclrtSetDeviceResLimit, .deviceId = bug ? 1 : 0, .type = 0, .value = 1);
}

static void limit_asked_unset(void)
{
	CALL_FAILS(
		bug ? 507033 : 0, aclrtGetDeviceResLimit, .deviceId = bug ? 1 : 0, .type = 0, .value = OUT);
}

/* --- the end of streams ------------------------------------------------------------------ */

static void destroy_busy(void)
{
	aclrtStream s = make_stream();
	void *d = make_device_memory(4096);

	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtDestroyStream, .stream = s);
}

/* An event behind the last task shows it as well. */
static void destroy_behind_event(void)
{
	aclrtStream s = make_stream();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	void *d = make_device_memory(4096);

	if (bug)
		CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	if (!bug)
		CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtSynchronizeEvent, .event = e);
	CALL(aclrtDestroyStream, .stream = s);
}

/* A record behind the task shows nothing to a host that does not look. */
static void destroy_behind_unseen_event(void)
{
	aclrtStream s = make_stream();
	aclrtEvent e = make_event(), again = make_event();
	void *d = make_device_memory(4096);

	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtRecordEvent, .event = again, .stream = s);
	if (!bug)
		CALL(aclrtSynchronizeEvent, .event = e);
	CALL(aclrtDestroyStream, .stream = s);
}

/* Its host function has run, and may have said so to the thread that destroys the stream. */
static void destroy_behind_host_function(void)
{
	aclrtStream s = make_stream();
	void *d = make_device_memory(4096);

	if (bug)
		CALL(aclrtLaunchHostFunc, .stream = s, .fn = HANDLE);
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	if (!bug) {
		CALL(aclrtLaunchHostFunc, .stream = s, .fn = HANDLE);
		pair_launched_begins();
	}
	callback_ran();
	CALL(aclrtDestroyStream, .stream = s);
}

/* One that has not begun says nothing. */
static void destroy_behind_waiting_host_function(void)
{
	aclrtStream s = make_stream();

	if (bug)
		make_busy(s);
	CALL(aclrtLaunchHostFunc, .stream = s, .fn = HANDLE);
	if (!bug) {
		pair_launched_begins();
		callback_ran();
	}
	CALL(aclrtDestroyStream, .stream = s);
}

/* The model that is executed last brings the host function. */
static void destroy_behind_model_with_host_function(void)
{
	aclrtStream s = make_stream(), captured = make_stream();
	void *d = make_device_memory(4096);
	aclmdlRI model;

	capture_begin(captured);
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = captured);
	if (!bug)
		CALL(aclrtLaunchHostFunc, .stream = captured, .fn = HANDLE);
	model = capture_end(captured);
	CALL(aclmdlRIExecuteAsync, .modelRI = model, .stream = s);
	if (!bug)
		pair_launched_begins();
	callback_ran();
	CALL(aclrtDestroyStream, .stream = s);
	CALL(aclmdlRIDestroy, .modelRI = model);
}

static void discard_behind_unseen_event(void)
{
	aclrtStream s = make_stream();
	aclrtEvent e = make_event();
	void *d = make_device_memory(4096);

	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	CALL(aclrtRecordEvent, .event = e, .stream = s);
	if (!bug)
		CALL(aclrtSynchronizeEvent, .event = e);
	CALL(aclrtDestroyStreamForce, .stream = s);
}

static void sync_aborted(void)
{
	aclrtStream s = make_stream();
	void *d = make_device_memory(4096);

	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	CALL(aclrtStreamAbort, .stream = s);
	if (!bug)
		CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* The record was aborted with what stood before it. */
static void sync_aborted_event(void)
{
	aclrtStream s = make_stream();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	void *d = make_device_memory(4096);

	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtStreamAbort, .stream = s);
	if (!bug)
		CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtSynchronizeEvent, .event = e);
	CALL(aclrtDestroyStream, .stream = s);
}

static void pool_used_late(void)
{
	aclrtStream s = make_stream();
	void *p = NULL;

	CALL_DOES(aclrtMemPoolMallocAsync, 0, p = (void *)0x130000000000, .ptr = &p, .size = 4096,
		.memPool = HANDLE, .stream = s);
	if (bug)
		CALL(aclrtMemPoolFreeAsync, .ptr = p, .stream = s);
	CALL(aclrtMemsetAsync, .devPtr = p, .maxCount = 64, .count = 64, .stream = s);
	if (!bug)
		CALL(aclrtMemPoolFreeAsync, .ptr = p, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void batch_in_one_call(void)
{
	char *d = make_device_memory(4096), *h = make_host_memory(4096);
	void *dst = d, *src = h;
	size_t size = 64, index = 0;
	aclrtMemcpyBatchAttr attribute = {
		.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE, .srcLoc.type = ACL_MEM_LOCATION_TYPE_HOST};

	if (bug)
		CALL(aclrtMemcpyBatchV2, .dsts = &dst, .destMaxs = &size, .srcs = &src, .sizes = &size,
			.numBatches = 1, .attrs = &attribute, .attrsIndexes = &index, .numAttrs = 1);
	else
		CALL(aclrtMemcpy, .dst = d, .destMax = 64, .src = h, .count = 64,
			.kind = ACL_MEMCPY_HOST_TO_DEVICE);
}

static void describe_cache(void)
{
	size_t size = 0;

	if (bug)
		CALL_DOES(aclrtCmoGetDescSize, 0, size = 64, .size = &size);
}

static const struct pair pairs[] = {
	PAIR_AVOIDS("cache-maintenance-unneeded", flush),
	PAIR_WITH("deprecated-api", query_old, .target = ACL_CANN_9_1 + 1, .avoids = true),
	PAIR_WITH("deprecated-api", callback_old, .target = ACL_CANN_MAIN + 1, .avoids = true),
	PAIR_AVOIDS("experimental-api", model_id),
	PAIR_AVOIDS("mbuf-reserved-api", buffer),
	PAIR_WITH("notify-api-product", count_notify, .soc = SOC_A2, .avoids = true),
	PAIR_WITH("notify-api-product", notify_of_other_server, .soc = SOC_A2, .avoids = true),
	PAIR_WITH("stream-failure-mode-default-stream", failure_mode_of_default, .soc = INFERENCE),
	PAIR_WITH("stream-failure-mode-default-stream", failure_mode_of_default_handle, .soc = INFERENCE),
	PAIR("stream-failure-mode-default-stream", failure_attribute_of_default),
	PAIR_WITH("group-platform", groups, .soc = SOC_A2, .avoids = true),
	PAIR_WITH("api-product-support", batch_in_one_call, .soc = INFERENCE, .avoids = true),
	PAIR_WITH("api-product-support", describe_cache, .soc = INFERENCE, .avoids = true),
	PAIR_WITH("api-product-support", value_write, .soc = INFERENCE, .avoids = true),
	PAIR_WITH("api-newer-than-target", new_function, .target = ACL_CANN_8_5 + 1, .avoids = true),
	PAIR("res-limit-before-setdevice", limit_unset),
	PAIR("res-limit-before-setdevice", limit_asked_unset),
	PAIR("stream-destroy-pending", destroy_busy),
	PAIR("stream-destroy-pending", destroy_behind_event),
	PAIR("stream-destroy-pending", destroy_behind_unseen_event),
	PAIR("stream-destroy-pending", destroy_behind_host_function),
	PAIR("stream-destroy-pending", destroy_behind_waiting_host_function),
	PAIR("stream-destroy-pending", destroy_behind_model_with_host_function),
	PAIR("stream-destroy-force-pending", discard_behind_unseen_event),
	PAIR("stream-abort-then-sync", sync_aborted),
	PAIR("stream-abort-then-sync", sync_aborted_event),
	PAIR("pool-use-after-async-free", pool_used_late),
};

PAIRS_MAIN("rules about functions and the end of streams", pairs)
