/* SPDX-License-Identifier: Apache-2.0 */
/* One row of the table beside it (oracle_rows) as calls: rows NAME prints what they return. */
#include "rows.h"

/* --- captures and events ----------------------------------------------------------------- */

static void captured_event_recorded_outside(void)
{
	aclrtStream s = capturing();
	aclrtEvent e = event_ex(ACL_EVENT_SYNC);
	aclrtEventRecordedStatus status;
	aclmdlRI m;

	need(aclrtRecordEvent(e, s));
	need(aclrtRecordEvent(e, stream()));
	row(aclrtQueryEventStatus(e, &status));
	row(aclrtSynchronizeEvent(e));
	row(aclrtStreamWaitEvent(s, e));
	row(aclrtStreamWaitEvent(stream(), e));
	row(aclmdlRICaptureEnd(s, &m));
}

static void external_event(void)
{
	aclrtEvent e = event(ACL_EVENT_EXTERNAL);
	aclrtEventRecordedStatus status;
	float ms;

	row(aclrtQueryEventStatus(e, &status));
	row(aclrtSynchronizeEvent(e));
	row(aclrtSynchronizeEventWithTimeout(e, 10));
	row(aclrtEventElapsedTime(&ms, e, e));
}

static void capture_on_persistent_stream(void)
{
	aclrtStream s;

	need(aclrtCreateStreamWithConfig(&s, 0, ACL_STREAM_PERSISTENT));
	row(aclmdlRICaptureBegin(s, RELAXED));
}

static void times_of_captured_event(void)
{
	aclrtStream s = capturing();
	aclrtEvent e = event_ex(ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
	uint64_t us;
	float ms;

	need(aclrtRecordEvent(e, s));
	row(aclrtEventElapsedTime(&ms, e, e));
	row(aclrtEventGetTimestamp(e, &us));
}

static void *info(void *s)
{
	aclmdlRICaptureStatus status;
	aclmdlRI m;

	row(aclmdlRICaptureGetInfo(s, &status, &m));
	return NULL;
}

static void capture_info_without_device(void)
{
	in_thread(info, capturing());
}

static void capture_info_in_other_context(void)
{
	aclrtStream s = capturing();
	aclrtContext other;

	need(aclrtCreateContext(&other, 0));
	info(s);
}

static void copy_while_updating_and_capturing(void)
{
	aclrtStream s = capturing(), u = stream();
	void *d = device();
	aclrtTaskGrp g;
	aclmdlRI m;

	need(aclmdlRICaptureTaskGrpBegin(s));
	need(aclmdlRICaptureTaskGrpEnd(s, &g));
	need(aclmdlRICaptureEnd(s, &m));
	need(aclmdlRICaptureTaskUpdateBegin(u, g));
	need(aclmdlRICaptureBegin(u, RELAXED));
	row(aclrtMemcpyAsync(d, 64, (char *)d + 128, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, u));
}

static void reduce_in_capture(void)
{
	char *d = device();

	row(aclrtReduceAsync(d, d + 128, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, capturing(), NULL));
}

static void event_ids(void)
{
	uint32_t id;

	row(aclrtGetEventId(event(ACL_EVENT_SYNC), &id));
	row(aclrtGetEventId(event(ACL_EVENT_TIME_LINE), &id));
	row(aclrtGetEventId(event(ACL_EVENT_CAPTURE_STREAM_PROGRESS), &id));
	row(aclrtGetEventId(event_ex(ACL_EVENT_SYNC), &id));
}

static void event_flag_four(void)
{
	aclrtEvent e;

	row(aclrtCreateEventWithFlag(&e, 0x4));
	row(aclrtCreateEventExWithFlag(&e, 0x4));
}

static void timestamp_of_sync_event(void)
{
	aclrtEvent e = event_ex(ACL_EVENT_SYNC);
	aclrtStream s = stream();
	uint64_t us;

	need(aclrtRecordEvent(e, s));
	need(aclrtSynchronizeStream(s));
	row(aclrtEventGetTimestamp(e, &us));
}

static void wait_with_timeout_for_null(void)
{
	row(aclrtStreamWaitEventWithTimeout(stream(), NULL, 10));
}

/* --- models ------------------------------------------------------------------------------- */

static void destroyed(void *data)
{
	(void)data;
}

static void destroyed_too(void *data)
{
	(void)data;
}

static void destroy_callbacks(void)
{
	aclmdlRI m = model();

	row(aclmdlRIDestroyRegisterCallback(m, destroyed, NULL));
	row(aclmdlRIDestroyRegisterCallback(m, destroyed, NULL));
	row(aclmdlRIDestroyRegisterCallback(m, NULL, NULL));
	row(aclmdlRIDestroyRegisterCallback(NULL, destroyed, NULL));
	row(aclmdlRIDestroyUnregisterCallback(m, destroyed_too));
}

static void build_ended_twice(void)
{
	aclrtStream s;
	aclmdlRI m;

	need(aclrtCreateStreamWithConfig(&s, 0, ACL_STREAM_PERSISTENT));
	need(aclmdlRIBuildBegin(&m, 0));
	row(aclmdlRIBindStream(m, NULL, 0));
	need(aclmdlRIBindStream(m, s, ACL_MODEL_STREAM_FLAG_HEAD));
	need(aclmdlRIEndTask(m, s));
	row(aclmdlRIBuildEnd(m, NULL));
	row(aclmdlRIBuildEnd(m, NULL));
}

static void model_information(void)
{
	char name[4];
	aclmdlRI m = model();

	need(aclmdlRISetName(m, "long enough"));
	row(aclmdlRIGetName(m, sizeof(name), name));
	row(aclmdlRIGetStreams(m, NULL, NULL));
	row(aclmdlRIAbort(NULL));
}

static void model_destroyed_after_reset(void)
{
	aclmdlRI m = model();

	need(aclrtResetDeviceForce(0));
	row(aclmdlRIDestroy(m));
}

/* --- devices, contexts, the process -------------------------------------------------------- */

static void primary_context_state(void)
{
	uint32_t flags;
	int32_t active;

	row(aclrtGetPrimaryCtxState(0, NULL, &active));
	row(aclrtGetPrimaryCtxState(0, &flags, &active));
	row(aclrtGetPrimaryCtxState(0, NULL, NULL));
}

static void device_information(void)
{
	size_t bytes, total;
	int64_t value;

	row(aclrtGetDeviceInfo(99, ACL_DEV_ATTR_AICPU_CORE_NUM, &value));
	row(aclrtGetDeviceInfo(0, (aclrtDevAttr)9999, &value));
	row(aclrtGetMemInfo((aclrtMemAttr)99, &bytes, &total));
}

static void peers(void)
{
	int32_t can;

	row(aclrtDeviceCanAccessPeer(&can, 0, 99));
	row(aclrtDeviceEnablePeerAccess(99, 0));
	row(aclrtDeviceCanAccessPeer(NULL, 0, 1));
}

static void *destroy_context(void *context)
{
	need(aclrtSetDevice(0));
	need(aclrtDestroyContext(context));
	return NULL;
}

static void current_context_destroyed_elsewhere(void)
{
	aclrtContext own, current;

	need(aclrtCreateContext(&own, 0));
	in_thread(destroy_context, own);
	row(aclrtGetCurrentContext(&current));
}

static void callbacks_not_registered(void)
{
	row(aclrtRegDeviceStateCallback("unknown", NULL, NULL));
	row(aclrtRegStreamStateCallback("unknown", NULL, NULL));
	need(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, at_init, NULL));
	row(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, at_init, NULL));
	need(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, at_init));
	row(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, at_init));
}

static void last_error_of_arguments(void)
{
	row(aclrtMalloc(NULL, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	row(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
	row(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
}

static void finalized_by_reference(void)
{
	uint64_t left = 7;

	row(aclFinalizeReference(&left));
	left = 7;
	aclFinalizeReference(&left);
	row((long)left);
}

/* --- streams and memory --------------------------------------------------------------------- */

static void stream_flags(void)
{
	uint32_t priority = 99;
	aclrtStream s;

	row(aclrtCreateStreamWithConfig(&s, 0, ACL_STREAM_HUGE));
	row(aclrtCreateStreamWithConfig(&s, 0, 0x40));
	need(aclrtCreateStreamWithConfig(&s, UINT32_MAX, 0));
	need(aclrtStreamGetPriority(s, &priority));
	row(priority);
}

static void stream_attributes(void)
{
	aclrtStreamAttrValue value = {.failureMode = 5};

	row(aclrtSetStreamAttribute(stream(), ACL_STREAM_ATTR_FAILURE_MODE, &value));
	row(aclrtSetStreamFailureMode(stream(), 9));
	row(aclrtSetStreamAttribute(stream(), ACL_STREAM_ATTR_FAILURE_MODE, NULL));
}

static void saturation_and_notifies(void)
{
	aclrtNotify n;
	int32_t pid = 1;

	row(aclrtSetDeviceSatMode((aclrtFloatOverflowMode)7));
	row(aclrtCntNotifyCreate(NULL, 0));
	row(aclrtCntNotifyDestroy(NULL));
	need(aclrtCreateNotify(&n, 0));
	row(aclrtNotifySetImportPid(n, &pid, 0));
}

static void rows_of_nothing(void)
{
	void *d = device(), *h = NULL;
	aclrtStream s = stream();

	need(aclrtMallocHost(&h, 4096));
	row(aclrtMemcpy2d(d, 64, h, 64, 0, 4, ACL_MEMCPY_HOST_TO_DEVICE));
	row(aclrtMemcpy2d(d, 64, h, 64, 16, 0, ACL_MEMCPY_HOST_TO_DEVICE));
	row(aclrtMemcpy2dAsync(d, 64, h, 64, 0, 4, ACL_MEMCPY_HOST_TO_DEVICE, s));
	row(aclrtMemcpy2dAsync(d, 64, h, 64, 16, 0, ACL_MEMCPY_HOST_TO_DEVICE, s));
}

static void batches(void)
{
	void *to[] = {NULL, NULL}, *from[] = {NULL, NULL};
	size_t room[] = {64, 16}, bytes[] = {64, 64}, first = 0, failed = 77;
	aclrtMemcpyBatchAttr attribute = {.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE};

	for (int i = 0; i < 2; i++) {
		to[i] = device();
		need(aclrtMallocHost(&from[i], 64));
	}
	row(aclrtMemcpyBatch(to, room, from, bytes, 1, &attribute, &first, 0, &failed));
	aclrtMemcpyBatch(to, room, from, bytes, 2, &attribute, &first, 1, &failed);
	row((long)failed);
}

static void device_pointers(void)
{
	static char mine[4096] __attribute__((aligned(4096)));
	void *p;

	row(aclrtHostGetDevicePointer(mine, &p, 0));
	need(aclrtHostRegister(mine, sizeof(mine), ACL_HOST_REGISTER_MAPPED, &p));
	row(aclrtHostGetDevicePointer(mine, &p, 1));
}

static void reduce_of_bool(void)
{
	char *d = device();

	row(aclrtReduceAsync(d, d + 128, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_BOOL, stream(), NULL));
}

static void physical_memory_nowhere(void)
{
	aclrtPhysicalMemProp prop = {.memAttr = ACL_HBM_MEM_HUGE, .location.type = (aclrtMemLocationType)77};
	aclrtDrvMemHandle h;

	row(aclrtMallocPhysical(&h, MIB2, &prop, 0));
}

static const struct row rows[] = {ROW(captured_event_recorded_outside), ROW(external_event),
	ROW(capture_on_persistent_stream), ROW(times_of_captured_event), ROW(capture_info_without_device),
	ROW(capture_info_in_other_context), ROW(copy_while_updating_and_capturing), ROW(reduce_in_capture),
	ROW(event_ids), ROW(event_flag_four), ROW(timestamp_of_sync_event), ROW(wait_with_timeout_for_null),
	ROW(destroy_callbacks), ROW(build_ended_twice), ROW(model_information),
	ROW(model_destroyed_after_reset), ROW(primary_context_state), ROW(device_information), ROW(peers),
	ROW(current_context_destroyed_elsewhere), ROW(callbacks_not_registered), ROW(last_error_of_arguments),
	ROW(finalized_by_reference), ROW(stream_flags), ROW(stream_attributes), ROW(saturation_and_notifies),
	ROW(rows_of_nothing), ROW(batches), ROW(device_pointers), ROW(reduce_of_bool),
	ROW(physical_memory_nowhere), {NULL, NULL}};

/* Without a name: the names. */
static bool rows_run(const struct row *row, const char *name)
{
	for (; row->name; row++) {
		if (!name)
			puts(row->name);
		else if (!strcmp(name, row->name)) {
			need(aclInit(NULL));
			need(aclrtSetDevice(0));
			row->run();
			return true;
		}
	}
	return !name;
}

int main(int argc, char **argv)
{
	const struct row *all[] = {rows, rows_published, rows_kernels, rows_memory, rows_graphs,
		rows_graph_tasks, rows_tasks, rows_conditions, rows_devices, rows_drawn, rows_lots,
		rows_states, rows_sharing};
	const char *name = argc < 2 ? NULL : argv[1];
	bool found = false;

	setvbuf(stdout, NULL, _IONBF, 0);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		found |= rows_run(all[i], name);
	return !found;
}
