/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, events and what else is submitted. */
#include "order.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* --- streams ------------------------------------------------------------------------------- */

static void waiting_apart(void)
{
	aclrtStreamStatus status;

	IS(aclrtSynchronizeStream(NULL), 107002);
	IS(aclrtSynchronizeStream(s), 107002);
	IS(aclrtSynchronizeStream(captured), 107027);
	IS(aclrtSynchronizeStreamWithTimeout(s, -2), 107000);
	IS(aclrtSynchronizeStreamWithTimeout(s, 0), 107000);
	IS(aclrtSynchronizeStreamWithTimeout(captured, 5), 107027);
	IS(aclrtSynchronizeStream(persistent), V(0, 107002));
	IS(aclrtSynchronizeStream(device_only), V(0, 507000));
	IS(aclrtSynchronizeStream(cpu_schedule), V(0, 507000));
	IS(aclrtSynchronizeDevice(), 107002);
	IS(aclrtSynchronizeDeviceWithTimeout(0), 107000);
	IS(aclrtSynchronizeDeviceWithTimeout(-2), 107000);
	IS(aclrtStreamQuery(NULL, &status), 107002);
	IS(aclrtStreamQuery(s, &status), 107002);
	IS(aclrtStreamQuery(captured, &status), 107027);
	IS(aclrtStreamQuery(persistent, &status), V(0, 107002));
	IS(aclrtStreamQuery(cpu_schedule, &status), V(0, 107002));
}

static void waiting(void)
{
	aclrtStreamStatus status;

	setup();
	begin_capture();
	without_context(waiting_apart);
	IS(aclrtSynchronizeStreamWithTimeout(captured, 0), 107000);
	IS(aclrtSynchronizeStreamWithTimeout(captured, -2), 107000);
	IS(aclrtSynchronizeStreamWithTimeout(persistent, 0), 107000);
	OK(aclrtSynchronizeStream(foreign));
	OK(aclrtStreamQuery(foreign, &status));
	OK(aclrtStreamQuery(cpu_schedule, &status));
	IS(status, ACL_STREAM_STATUS_COMPLETE);
	OK(aclrtStreamQuery(device_only, &status));
}

static void destroying_apart(void)
{
	IS(aclrtDestroyStream(s), 107002);
	IS(aclrtDestroyStreamForce(s), 107002);
	IS(aclrtDestroyStream(captured), 107027);
	IS(aclrtDestroyStreamForce(captured), 107027);
	IS(aclrtDestroyStream(bound), 107002);
}

static void destroying(void)
{
	aclrtContext other;

	setup();
	begin_capture();
	without_context(destroying_apart);
	IS(aclrtDestroyStream(foreign), 107003);
	IS(aclrtDestroyStreamForce(foreign), 107003);
	IS(aclrtDestroyStream(bound), 107005);
	IS(aclrtDestroyStreamForce(bound), 107005);
	OK(aclrtCreateContext(&other, 0));
	IS(aclrtDestroyStream(captured), 107027);
	IS(aclrtDestroyStream(bound), 107003);
}

static void describing_apart(void)
{
	uint32_t value;
	int32_t id;

	OK(aclrtStreamGetId(s, &id));
	IS(aclrtStreamGetId(NULL, &id), 107002);
	IS(aclrtStreamGetPriority(s, &value), 107002);
	IS(aclrtStreamGetFlags(s, &value), 107002);
	IS(aclrtGetStreamAvailableNum(&value), 107002);
}

static void describing(void)
{
	uint32_t value;
	int32_t id;

	setup();
	without_context(describing_apart);
	OK(aclrtStreamGetId(foreign, &id));
	OK(aclrtStreamGetPriority(foreign, &value));
	OK(aclrtStreamGetFlags(foreign, &value));
}

static void failure_mode_apart(void)
{
	aclrtStreamAttrValue value = {.failureMode = ACL_STOP_ON_FAILURE};

	IS(aclrtSetStreamFailureMode(NULL, ACL_STOP_ON_FAILURE), 107000);
	IS(aclrtSetStreamFailureMode(device_only, ACL_STOP_ON_FAILURE), 207000);
	IS(aclrtSetStreamFailureMode(s, ACL_STOP_ON_FAILURE), 107002);
	IS(aclrtSetStreamFailureMode(bound, ACL_STOP_ON_FAILURE), 107002);
	IS(aclrtSetStreamAttribute(NULL, ACL_STREAM_ATTR_FAILURE_MODE, &value), 107000);
	IS(aclrtSetStreamAttribute(s, ACL_STREAM_ATTR_FAILURE_MODE, &value), 107002);
	OK(aclrtGetStreamAttribute(s, ACL_STREAM_ATTR_FAILURE_MODE, &value));
	IS(aclrtGetStreamAttribute(NULL, ACL_STREAM_ATTR_FAILURE_MODE, &value), 107000);
}

static void failure_mode(void)
{
	aclrtStreamAttrValue value = {0};

	setup();
	without_context(failure_mode_apart);
	IS(aclrtSetStreamFailureMode(device_only, ACL_STOP_ON_FAILURE), 207000);
	IS(aclrtSetStreamFailureMode(bound, ACL_STOP_ON_FAILURE), 207000);
	IS(aclrtSetStreamFailureMode(foreign, ACL_STOP_ON_FAILURE), 107003);
	OK(aclrtSetStreamFailureMode(foreign, ACL_CONTINUE_ON_FAILURE));
	OK(aclrtSetStreamFailureMode(s, 2));
	OK(aclrtGetStreamAttribute(s, ACL_STREAM_ATTR_FAILURE_MODE, &value));
	IS(value.failureMode, ACL_CONTINUE_ON_FAILURE);
	OK(aclrtSetStreamFailureMode(s, 9));
	OK(aclrtGetStreamAttribute(s, ACL_STREAM_ATTR_FAILURE_MODE, &value));
	IS(value.failureMode, ACL_STOP_ON_FAILURE);
	OK(aclrtSetStreamFailureMode(s, ACL_STOP_ON_FAILURE));
	IS(aclrtSetStreamFailureMode(s, ACL_CONTINUE_ON_FAILURE), 207000);
	IS(aclrtSetStreamFailureMode(s, 2), 207000);
}

static void attributes_apart(void)
{
	aclrtStreamAttrValue value = {0};

	IS(aclrtSetStreamAttribute(s, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value), 107002);
	IS(aclrtSetStreamAttribute(captured, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value), 107027);
	IS(aclrtSetStreamAttribute(s, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value), 107002);
	IS(aclrtSetStreamAttribute(captured, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value), 107027);
	IS(aclrtSetStreamOverflowSwitch(s, 1), 107002);
	IS(aclrtSetStreamOverflowSwitch(captured, 1), 107027);
	IS(aclrtResetOverflowStatus(captured), 107027);
	IS(aclrtResetOverflowStatus(s), 107002);
	IS(aclrtResetOverflowStatus(NULL), 107002);
	IS(aclrtResetFloatOverflowStatus(NULL), 107002);
	IS(aclrtNpuClearFloatOverFlowStatus(0, NULL), 107000);
	IS(aclrtResetFloatOverflowStatus(captured), 107027);
	IS(aclrtNpuClearFloatOverFlowStatus(0, captured), 107027);
	IS(aclrtGetOverflowStatus(dev, 64, captured), 107027);
	value.overflowSwitch = 2;
	IS(aclrtSetStreamAttribute(captured, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value), 107000);
	if (V(0, 1))
		return;
	IS(aclrtSetStreamAttribute(NULL, ACL_STREAM_ATTR_CACHE_OP_INFO, &value), 107000);
	IS(aclrtGetStreamAttribute(NULL, ACL_STREAM_ATTR_CACHE_OP_INFO, &value), 107000);
}

static void attributes(void)
{
	aclrtStreamAttrValue value = {.streamPriority = 1};

	setup();
	begin_capture();
	without_context(attributes_apart);
	IS(aclrtSetStreamOverflowSwitch(foreign, 1), 107003);
	IS(aclrtResetOverflowStatus(foreign), 107003);
	if (V(0, 1))
		return;
	IS(aclrtSetStreamAttribute(NULL, ACL_STREAM_ATTR_PRIORITY, &value), 107000);
	IS(aclrtGetStreamAttribute(NULL, ACL_STREAM_ATTR_PRIORITY, &value), 107000);
	IS(aclrtSetStreamAttribute(cpu_schedule, ACL_STREAM_ATTR_PRIORITY, &value), 207000);
	IS(aclrtGetStreamAttribute(cpu_schedule, ACL_STREAM_ATTR_PRIORITY, &value), 207000);
}

static void aborting_apart(void)
{
	IS(aclrtStreamAbort(NULL), 107000);
	IS(aclrtStreamAbort(s), 107002);
}

static void aborting(void)
{
	setup();
	without_context(aborting_apart);
	OK(aclrtStreamAbort(s));
	OK(aclrtStreamAbort(s));
	IS(aclrtStreamAbort(foreign), 107003);
	IS(aclrtStreamAbort(device_only), 507000);
}

/* --- events -------------------------------------------------------------------------------- */

static aclrtEvent of_device, timeless, plain, usual, shared;

static void make_events(void)
{
	setup();
	OK(aclrtCreateEventWithFlag(&of_device, ACL_EVENT_DEVICE_USE_ONLY));
	OK(aclrtCreateEventWithFlag(&plain, ACL_EVENT_SYNC));
	OK(aclrtCreateEvent(&usual));
	timeless = event_ex(ACL_EVENT_TIME_LINE);
	shared = event_ex(ACL_EVENT_IPC);
}

static void events_apart(void)
{
	IS(aclrtRecordEvent(of_device, s), 107000);
	IS(aclrtStreamWaitEvent(s, of_device), 107000);
	IS(aclrtResetEvent(of_device, s), 107000);
	IS(aclrtStreamWaitEvent(s, timeless), 207000);
	IS(aclrtResetEvent(timeless, s), 207000);
	IS(aclrtRecordEvent(shared, captured), 207000);
	IS(aclrtStreamWaitEvent(captured, shared), 207000);
	IS(aclrtRecordEvent(usual, s), 107002);
	IS(aclrtRecordEvent(usual, NULL), 107002);
	IS(aclrtStreamWaitEvent(s, usual), 107002);
	IS(aclrtResetEvent(usual, s), 107002);
	IS(aclrtRecordEventWithFlag(plain, s, ACL_EVENT_RECORD_EXTERNAL), 207000);
	IS(aclrtStreamWaitEventWithFlag(s, plain, 0, ACL_EVENT_WAIT_EXTERNAL), 207000);
	OK(aclrtDestroyEvent(plain));
}

static void events(void)
{
	make_events();
	IS(aclrtRecordEvent(of_device, s), 107000);
	IS(aclrtStreamWaitEvent(s, of_device), 107000);
	IS(aclrtResetEvent(of_device, s), 107000);
	begin_capture();
	without_context(events_apart);
	IS(aclrtRecordEvent(of_device, captured), 107000);
	IS(aclrtRecordEvent(usual, foreign), 107003);
	IS(aclrtStreamWaitEvent(foreign, usual), 107003);
	IS(aclrtResetEvent(usual, foreign), 107003);
	IS(aclrtStreamWaitEvent(foreign, timeless), 207000);
	IS(aclrtStreamWaitEvent(captured, timeless), 207000);
	IS(aclrtResetEvent(timeless, captured), 207000);
	OK(aclrtRecordEvent(timeless, captured));
}

/* 0x4 has no name. */
static void unnamed_flag(void)
{
	aclrtEvent e;

	setup();
	OK(aclrtCreateEventWithFlag(&e, 0x4));
	OK(aclrtRecordEvent(e, s));
	OK(aclrtStreamWaitEvent(s, e));
	OK(aclrtResetEvent(e, s));
	e = event_ex(0x4);
	OK(aclrtRecordEvent(e, s));
	OK(aclrtStreamWaitEvent(s, e));
	IS(aclrtResetEvent(e, s), 207000);
	e = event_ex(0x4 | ACL_EVENT_TIME_LINE);
	OK(aclrtRecordEvent(e, s));
	OK(aclrtStreamWaitEvent(s, e));
}

static void only_time_line(void)
{
	aclrtEvent e;

	setup();
	OK(aclrtCreateEventWithFlag(&e, ACL_EVENT_TIME_LINE));
	OK(aclrtRecordEvent(e, s));
	IS(aclrtStreamWaitEvent(s, e), 207000);
	IS(aclrtResetEvent(e, s), 207000);
	OK(aclrtCreateEventWithFlag(&e, ACL_EVENT_CAPTURE_STREAM_PROGRESS));
	OK(aclrtRecordEvent(e, s));
	IS(aclrtStreamWaitEvent(s, e), 207000);
}

/* Models that are built know only the events of aclrtCreateEventWithFlag. */
static void events_of_built_models(void)
{
	aclrtEvent e;

	make_events();
	e = event_ex(ACL_EVENT_SYNC);
	IS(aclrtRecordEvent(e, bound), 207000);
	IS(aclrtRecordEvent(usual, bound), 207000);
	IS(aclrtStreamWaitEvent(bound, e), 207000);
	IS(aclrtStreamWaitEvent(bound, usual), 207000);
	IS(aclrtResetEvent(usual, bound), 207000);
	OK(aclrtRecordEvent(plain, bound));
	OK(aclrtStreamWaitEvent(bound, plain));
	OK(aclrtResetEvent(plain, bound));
	begin_capture();
	OK(aclrtRecordEvent(e, captured));
	IS(aclrtStreamWaitEvent(bound, e), 207000);
	end_capture();
}

static void waiting_for_events_of_models(void)
{
	make_events();
	OK(aclrtRecordEvent(plain, bound));
	IS(aclrtSynchronizeEvent(plain), 107000);
	IS(aclrtSynchronizeEventWithTimeout(plain, 5), 107000);
}

/* A flag that does not fit the event leaves no trace, one that does is for ever. */
static void external_flag(void)
{
	aclrtEvent e;

	make_events();
	e = event_ex(ACL_EVENT_SYNC);
	IS(aclrtRecordEventWithFlag(usual, s, ACL_EVENT_RECORD_EXTERNAL), 207000);
	OK(aclrtRecordEvent(usual, s));
	IS(aclrtRecordEventWithFlag(plain, captured, ACL_EVENT_RECORD_EXTERNAL), 207000);
	OK(aclrtRecordEvent(plain, s));
	IS(aclrtStreamWaitEventWithFlag(s, usual, 0, ACL_EVENT_WAIT_EXTERNAL), 207000);
	OK(aclrtStreamWaitEvent(s, usual));
	IS(aclrtRecordEventWithFlag(e, s, ACL_EVENT_RECORD_EXTERNAL), 107029);
	IS(aclrtRecordEvent(e, s), 107000);
	e = event_ex(ACL_EVENT_SYNC);
	IS(aclrtRecordEventWithFlag(e, foreign, ACL_EVENT_RECORD_EXTERNAL), 107003);
	IS(aclrtRecordEvent(e, foreign), 107000);
	e = event_ex(ACL_EVENT_SYNC);
	IS(aclrtRecordEventWithFlag(e, bound, ACL_EVENT_RECORD_EXTERNAL), 207000);
	e = event_ex(ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
	IS(aclrtRecordEventWithFlag(e, s, ACL_EVENT_RECORD_EXTERNAL), 207000);
}

/* --- notifies, callbacks, values ------------------------------------------------------------ */

static aclrtNotify notify;

static void notifies_apart(void)
{
	int32_t pid = 1;
	uint32_t id;

	IS(aclrtGetNotifyId(notify, &id), 107002);
	IS(aclrtDestroyNotify(notify), 107002);
	IS(aclrtRecordNotify(notify, s), 107002);
	IS(aclrtWaitAndResetNotify(notify, s, 0), 107002);
	IS(aclrtNotifyBatchReset(&notify, 1), 107002);
	IS(aclrtNotifySetImportPid(notify, &pid, 1), 107002);
}

static void notifies(void)
{
	aclrtNotify both[2], none[2], imported;
	char key[128];
	aclrtStream s1;

	setup();
	OK(aclrtCreateNotify(&notify, 0));
	without_context(notifies_apart);
	IS(aclrtRecordNotify(notify, foreign), 107003);
	IS(aclrtWaitAndResetNotify(notify, foreign, 0), 107003);
	IS(aclrtNotifyImportByKey(&imported, "key", 4), V(107000, 100000));
	IS(aclrtNotifyImportByKey(&imported, "key", 2), V(507899, 100000));
	OK(aclrtSetDevice(1));
	s1 = stream_new();
	OK(aclrtCreateNotify(&both[1], 0));
	both[0] = notify;
	none[0] = notify;
	none[1] = NULL;
	OK(aclrtNotifyBatchReset(both, 2));
	IS(aclrtNotifyBatchReset(none, 2), 107000);
	OK(aclrtRecordNotify(notify, s1));
	OK(aclrtWaitAndResetNotify(notify, s1, 0));
	OK(aclrtSynchronizeStream(s1));
	OK(aclrtNotifyGetExportKey(
		notify, key, sizeof(key), ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION));
	IS(aclrtWaitAndResetNotify(notify, s1, 0), 107000);
}

static void called(void *data)
{
	(void)data;
}

static aclrtStream subscribed, hosting;

static void callbacks_apart(void)
{
	uint64_t me = (uint64_t)pthread_self();

	IS(aclrtSubscribeReport(me, s), 107002);
	IS(aclrtSubscribeReport(me, hosting), 107011);
	IS(aclrtLaunchCallback(called, NULL, ACL_CALLBACK_BLOCK, s), 107002);
	IS(aclrtLaunchCallback(called, NULL, ACL_CALLBACK_BLOCK, hosting), 107011);
	IS(aclrtLaunchHostFunc(s, called, NULL), 107002);
	IS(aclrtLaunchHostFunc(subscribed, called, NULL), 107011);
}

static void callbacks(void)
{
	uint64_t me = (uint64_t)pthread_self();
	aclrtContext other;

	setup();
	subscribed = stream_new();
	hosting = stream_new();
	OK(aclrtSubscribeReport(me, subscribed));
	OK(aclrtLaunchHostFunc(hosting, called, NULL));
	without_context(callbacks_apart);
	OK(aclrtCreateContext(&other, 0));
	IS(aclrtLaunchCallback(called, NULL, ACL_CALLBACK_BLOCK, hosting), 107011);
	IS(aclrtLaunchCallback(called, NULL, ACL_CALLBACK_BLOCK, s), 107003);
	IS(aclrtLaunchHostFunc(subscribed, called, NULL), 107011);
	IS(aclrtLaunchHostFunc(s, called, NULL), 107003);
	OK(aclrtUnSubscribeReport(me, subscribed));
	OK(aclrtSubscribeReport(me, s));
	OK(aclrtUnSubscribeReport(me, s));
	IS(aclrtUnSubscribeReport(me, s), 107011);
}

static void values_apart(void)
{
	IS(aclrtValueWrite(host, 1, 0, s), 107000);
	IS(aclrtValueWait(host, 1, 0, s), 107000);
	IS(aclrtValueWrite(dev, 1, 0, s), 107002);
	IS(aclrtValueWait(dev, 1, 0, s), 107002);
}

static void values(void)
{
	void *managed;

	setup();
	without_context(values_apart);
	IS(aclrtValueWrite(dev, 1, 0, foreign), 107003);
	IS(aclrtValueWrite(host, 1, 0, foreign), 107000);
	OK(aclrtMemAllocManaged(&managed, N_BYTES, ACL_RT_MEM_ATTACH_GLOBAL));
	IS(aclrtValueWrite(managed, 1, 0, s), 107000);
	IS(aclrtValueWait(managed, 1, 0, s), 107000);
}

static void copies_apart(void)
{
	aclrtMemcpyKind in = ACL_MEMCPY_HOST_TO_DEVICE;
	uint64_t us;

	IS(aclrtMemcpy2dAsync(dev, 64, host, 64, 16, 4, in, NULL), 107000);
	IS(aclrtMemcpy2dAsync(dev, 64, host, 64, 16, 4, in, s), 107002);
	IS(aclrtMemcpyAsync(dev, 64, host, 64, in, s), 107002);
	IS(aclrtMemsetAsync(dev, 64, 0, 64, s), 107002);
	IS(aclrtGetOpTimeOutInterval(&us), 107002);
	IS(aclrtSetOpExecuteTimeOutV2(1000, &us), 107002);
}

static void copies(void)
{
	aclrtMemcpyKind in = ACL_MEMCPY_HOST_TO_DEVICE;

	setup();
	without_context(copies_apart);
	IS(aclrtMemcpyAsync(dev, 64, host, 64, in, foreign), 107003);
	IS(aclrtMemcpyAsync(dev, 32, host, 64, in, foreign), 107000);
	IS(aclrtMemcpyAsync(dev, 64, host, 64, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, bound), 107000);
}

static void device_limits(void)
{
	uint32_t value = 0;

	setup();
	IS(aclrtGetDeviceResLimit(1, ACL_RT_DEV_RES_CUBE_CORE, &value), 507033);
	IS(aclrtSetDeviceResLimit(1, ACL_RT_DEV_RES_CUBE_CORE, 1), 507033);
	IS(aclrtResetDeviceResLimit(1), 507033);
	OK(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, &value));
	OK(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, value));
	IS(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, value + 1), 107000);
}

static const struct tap_case cases[] = {C(waiting), C(destroying), C(describing), C(failure_mode),
	C(attributes), C(aborting), C(events), C(unnamed_flag), C(only_time_line), C(events_of_built_models),
	C(waiting_for_events_of_models), C(external_flag), C(notifies), C(callbacks), C(values), C(copies),
	C(device_limits)};

ORACLE_MAIN(cases)
