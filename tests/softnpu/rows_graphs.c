/* SPDX-License-Identifier: Apache-2.0 */
/* Models, their tasks and labels, and what orders work, by the published source alone (rows.h). */
#include "rows.h"

#define JUNK ((void *)0x55)

static aclrtStream persistent(void)
{
	aclrtStream s = NULL;

	need(aclrtCreateStreamWithConfig(&s, 0, ACL_STREAM_PERSISTENT));
	return s;
}

/* A model under construction with a stream. */
static aclmdlRI building(aclrtStream bound)
{
	aclmdlRI m = NULL;

	need(aclmdlRIBuildBegin(&m, 0));
	need(aclmdlRIBindStream(m, bound, ACL_MODEL_STREAM_FLAG_HEAD));
	return m;
}

/* A captured model of so many value writes. */
static aclmdlRI writes(int n)
{
	aclrtStream s = capturing();
	char *d = device();
	aclmdlRI m = NULL;

	for (int i = 0; i < n; i++)
		need(aclrtValueWrite(d + 8 * i, 1, 0, s));
	need(aclmdlRICaptureEnd(s, &m));
	return m;
}

static aclrtStream stream_in(aclmdlRI m)
{
	aclrtStream s = NULL;
	uint32_t n = 1;

	need(aclmdlRIGetStreams(m, &s, &n));
	return s;
}

static void streams_left_by_models(void)
{
	aclrtStream s = persistent(), inner;
	aclmdlRI m = building(s);
	uint32_t n;

	row(aclmdlRIDestroy(m));
	row(aclmdlRIGetTasksByStream(s, NULL, &n));
	building(s);
	row(aclrtDestroyStream(s));
	inner = stream_in(writes(1));
	row(aclrtDestroyStream(inner));
	row(aclrtRecordEvent(event_ex(ACL_EVENT_SYNC), inner));
}

/* --- arrays ---------------------------------------------------------------------------------- */

static void streams_of_models(void)
{
	aclrtStream s[3] = {JUNK, JUNK, JUNK};
	aclmdlRI m = building(persistent());
	uint32_t n = 1;

	need(aclmdlRIBindStream(m, persistent(), 0));
	row(aclmdlRIGetStreams(m, s, &n));
	row(n);
	row(s[0] != JUNK && s[1] == JUNK);
	n = 3;
	row(aclmdlRIGetStreams(m, s, &n));
	row(n);
	row(s[1] != JUNK && !s[2]);
}

static void tasks_of_streams(void)
{
	aclmdlRITask t[5] = {JUNK, JUNK, JUNK, JUNK, JUNK};
	aclrtStream s = stream_in(writes(2));
	uint32_t n = 1;

	row(aclmdlRIGetTasksByStream(s, t, &n));
	row(n);
	n = 5;
	row(aclmdlRIGetTasksByStream(s, t, &n));
	row(n);
	row(t[1] != JUNK && !t[4]);
}

static aclmdlRITask a_task;

static void *look(void *s)
{
	aclmdlRITaskType type;
	uint32_t n;

	row(aclmdlRIGetTasksByStream(s, NULL, &n));
	row(aclmdlRITaskGetType(a_task, &type));
	return NULL;
}

static void tasks_without_device(void)
{
	aclrtStream s = stream_in(writes(1));
	uint32_t n = 1;

	need(aclmdlRIGetTasksByStream(s, &a_task, &n));
	in_thread(look, s);
}

/* --- changes --------------------------------------------------------------------------------- */

static aclmdlRITask task_in(aclmdlRI m)
{
	aclmdlRITask t[4] = {NULL};
	uint32_t n = 4;

	need(aclmdlRIGetTasksByStream(stream_in(m), t, &n));
	return t[0];
}

static void tasks_without_parameters(void)
{
	aclmdlRITaskType type = ACL_MODEL_RI_TASK_KERNEL;
	aclmdlRITask t = task_in(model());
	aclmdlRITaskParams params;

	row(aclmdlRITaskGetType(t, &type));
	row(type);
	row(aclmdlRITaskGetParams(t, &params));
}

static void tasks_of_another_kind(void)
{
	aclmdlRITaskType type = ACL_MODEL_RI_TASK_DEFAULT;
	aclmdlRITaskParams params;
	aclmdlRI m = writes(1);
	aclmdlRITask t = task_in(m);
	void *word;

	need(aclmdlRITaskGetParams(t, &params));
	word = params.valueWriteTaskParams.devAddr;
	memset(&params, 0, sizeof(params));
	params.type = ACL_MODEL_RI_TASK_VALUE_WAIT;
	params.valueWaitTaskParams.devAddr = word;
	params.valueWaitTaskParams.flag = ACL_STREAM_WAIT_VALUE_EQ;
	row(aclmdlRITaskSetParams(t, &params));
	row(aclmdlRIUpdate(m));
	row(aclmdlRITaskGetType(t, &type));
	row(type);
	params.type = ACL_MODEL_RI_TASK_EVENT_RECORD;
	row(aclmdlRITaskSetParams(t, &params));
	row(aclmdlRIUpdate(m));
}

static void tasks_with_operator_information(void)
{
	aclmdlRITaskParams params;
	aclmdlRI m = writes(1);
	aclmdlRITask t = task_in(m);

	need(aclmdlRITaskGetParams(t, &params));
	params.opInfoSize = 1;
	row(aclmdlRITaskSetParams(t, &params));
	row(aclmdlRIExecuteAsync(m, stream()));
}

static void tasks_of_built_models(void)
{
	aclmdlRITaskType type = ACL_MODEL_RI_TASK_DEFAULT;
	aclmdlRITaskParams params;
	aclrtStream s = persistent();
	aclmdlRI m = building(s);
	aclmdlRITask t;
	uint32_t n = 1;

	need(aclrtValueWrite(device(), 1, 0, s));
	need(aclmdlRIEndTask(m, s));
	need(aclmdlRIBuildEnd(m, NULL));
	row(aclmdlRIGetTasksByStream(s, NULL, &n));
	n = 1;
	aclmdlRIGetTasksByStream(s, &t, &n);
	row(aclmdlRITaskGetType(t, &type));
	row(type);
	row(aclmdlRITaskGetSeqId(t, &n));
	row(aclmdlRITaskGetParams(t, &params));
	row(aclmdlRITaskSetParams(t, &params));
	row(aclmdlRITaskDisable(t));
}

/* The task of a kernel launched so. */
static aclmdlRITask kernel_with(aclrtLaunchKernelCfg *cfg)
{
	aclrtStream s = capturing();
	aclrtFuncHandle func;
	aclrtBinHandle bin;
	uint64_t args = 0;
	aclmdlRI m;

	need(aclrtBinaryLoadFromData("binary", 6, NULL, &bin));
	need(aclrtBinaryGetFunction(bin, "kernel", &func));
	need(aclrtLaunchKernelWithHostArgs(func, 1, s, cfg, &args, sizeof(args), NULL, 0));
	need(aclmdlRICaptureEnd(s, &m));
	return task_in(m);
}

static void attributes_of_tasks(void)
{
	aclrtLaunchKernelAttrValue value;
	aclmdlRITask t = kernel_with(NULL);

	row(aclmdlRIKernelTaskGetAttribute(t, ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, &value));
	row(aclmdlRIKernelTaskGetAttribute(t, ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE, &value));
	row(aclmdlRIKernelTaskGetAttribute(t, ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET, &value));
	row(aclmdlRIKernelTaskGetAttribute(t, ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH, &value));
	row(aclmdlRIKernelTaskGetAttribute(task_in(writes(1)), ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, &value));
}

static void row_of_bytes(aclmdlRITask t, aclrtLaunchKernelAttrId id)
{
	aclrtLaunchKernelAttrValue value = {.rsv = {0}};

	row(aclmdlRIKernelTaskGetAttribute(t, id, &value));
	row(value.rsv[0]);
}

static void values_of_attributes(void)
{
	aclrtLaunchKernelAttr some[] = {
		{.id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, .value.schemMode = 1},
		{.id = ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP, .value.isDataDump = 1},
		{.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, .value.timeout = 5},
	};
	aclrtLaunchKernelCfg cfg = {some, 3};
	aclmdlRITask t = kernel_with(&cfg);

	row_of_bytes(t, ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE);
	row_of_bytes(t, ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP);
	row_of_bytes(t, ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT);
	row_of_bytes(t, ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US);
	t = kernel_with(NULL);
	row_of_bytes(t, ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE);
	row_of_bytes(t, ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP);
	row_of_bytes(t, ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT);
	row_of_bytes(t, ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US);
	row_of_bytes(t, ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING);
	need(aclrtSetOpExecuteTimeOut(10));
	row_of_bytes(t, ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT);
}

static void time_of_kernel(uint16_t seconds)
{
	aclrtLaunchKernelAttr one = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, .value.timeout = seconds};
	aclrtLaunchKernelCfg cfg = {&one, 1};

	row_of_bytes(kernel_with(&cfg), ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US);
}

static void times_of_kernels(void)
{
	time_of_kernel(0);
	time_of_kernel(1);
	time_of_kernel(UINT16_MAX);
}

/* Only its tasks cannot be changed while it runs. */
static void update_of_a_running_model(void)
{
	aclrtStream s = capturing(), x = stream();
	aclmdlRITaskParams params;
	void *d = device();
	aclrtNotify n;
	aclmdlRITask t;
	aclmdlRI m;

	need(aclrtCreateNotify(&n, 0));
	need(aclrtValueWrite(d, 1, 0, s));
	need(aclrtWaitAndResetNotify(n, s, 0));
	need(aclmdlRICaptureEnd(s, &m));
	t = task_in(m);
	need(aclmdlRITaskGetParams(t, &params));
	need(aclmdlRIExecuteAsync(m, x));
	row(aclmdlRIUpdate(m));
	row(aclmdlRITaskSetParams(t, &params));
	row(aclmdlRITaskDisable(t));
	need(aclrtRecordNotify(n, stream()));
	need(aclrtSynchronizeStream(x));
	row(aclmdlRITaskDisable(t));
	row(aclmdlRIExecuteAsync(m, x));
	row(aclmdlRIUpdate(m));
	row(aclmdlRIExecuteAsync(m, x));
}

/* --- labels ---------------------------------------------------------------------------------- */

static aclrtLabel label(void)
{
	aclrtLabel l = NULL;

	need(aclrtCreateLabel(&l));
	return l;
}

static void label_twice_in_a_list(void)
{
	aclrtLabel l = label(), two[2] = {l, l};
	aclrtStream s = persistent();
	aclrtLabelList list;

	building(s);
	row(aclrtCreateLabelList(two, 2, &list));
	row(aclrtCreateLabelList(&l, 1, &list));
	row(aclrtSetLabel(l, s));
}

static void label_of_a_list_destroyed(void)
{
	aclrtStream s = persistent();
	aclrtLabel l = label();
	aclrtLabelList list;

	building(s);
	need(aclrtCreateLabelList(&l, 1, &list));
	row(aclrtDestroyLabelList(list));
	row(aclrtCreateLabelList(&l, 1, &list));
	row(aclrtSetLabel(l, s));
}

static void switches_beyond_the_list(void)
{
	aclrtLabel two[2] = {label(), label()};
	aclrtStream s = persistent();
	void *index = device();
	aclrtLabelList list;

	building(s);
	need(aclrtCreateLabelList(two, 2, &list));
	row(aclrtSwitchLabelByIndex(index, 9, list, s));
	row(aclrtSwitchLabelByIndex(index, 0, list, s));
}

static void labels_of_another_context(void)
{
	aclrtLabel l = label();
	aclrtLabelList list;
	aclrtContext other;
	aclrtStream s;

	need(aclrtCreateContext(&other, 0));
	s = persistent();
	building(s);
	row(aclrtCreateLabelList(&l, 1, &list));
	row(aclrtCreateLabelList(&l, 1, &list));
	row(aclrtSetLabel(l, s));
	row(aclrtDestroyLabelList(list));
	row(aclrtDestroyLabel(l));
}

/* --- events ---------------------------------------------------------------------------------- */

static void ids_of_recorded_events(void)
{
	aclrtEvent plain = NULL, ex = event_ex(ACL_EVENT_SYNC);
	aclrtStream s = stream();
	aclrtNotify n;
	uint32_t id;

	need(aclrtCreateEvent(&plain));
	need(aclrtCreateNotify(&n, 0));
	row(aclrtGetEventId(plain, &id));
	need(aclrtWaitAndResetNotify(n, s, 0));
	need(aclrtRecordEvent(plain, s));
	need(aclrtRecordEvent(ex, s));
	row(aclrtGetEventId(plain, &id));
	row(aclrtGetEventId(ex, &id));
	need(aclrtRecordNotify(n, stream()));
	need(aclrtSynchronizeStream(s));
	row(aclrtGetEventId(plain, &id));
	row(aclrtGetEventId(ex, &id));
}

static void times_of_pending_events(void)
{
	aclrtEvent e = event(ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
	aclrtStream s = stream();
	aclrtNotify n;
	uint64_t us;
	float ms;

	need(aclrtCreateNotify(&n, 0));
	row(aclrtEventGetTimestamp(e, &us));
	need(aclrtWaitAndResetNotify(n, s, 0));
	need(aclrtRecordEvent(e, s));
	row(aclrtEventGetTimestamp(e, &us));
	row(aclrtEventElapsedTime(&ms, e, e));
	need(aclrtRecordNotify(n, stream()));
	need(aclrtSynchronizeStream(s));
	row(aclrtEventElapsedTime(&ms, e, e));
}

/* --- contexts -------------------------------------------------------------------------------- */

static void *options(void *without_device)
{
	int64_t value;

	row(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 9));
	row(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
	row(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
	return without_device;
}

static void options_of_contexts(void)
{
	aclrtContext other;
	int64_t value;

	options(NULL);
	need(aclrtCreateContext(&other, 0));
	row(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
	in_thread(options, NULL);
}

static void contexts_of_another_device(void)
{
	aclrtContext other;
	int32_t id = -1;

	need(aclrtCreateContext(&other, 1));
	row(aclrtGetDevice(&id));
	row(id);
	row(aclrtDestroyContext(other));
	row(aclrtGetDevice(&id));
	row(aclrtResetDevice(1));
}

/* --- notifies -------------------------------------------------------------------------------- */

static void *create_count_notifies(void *with_device)
{
	aclrtCntNotify n;

	row(aclrtCntNotifyCreate(&n, 1));
	row(aclrtCntNotifyCreate(&n, 0));
	row(aclrtCntNotifyCreate(NULL, 0));
	return with_device;
}

static void count_notifies_without_device(void)
{
	create_count_notifies(NULL);
	in_thread(create_count_notifies, NULL);
}

static void *stop(void *s)
{
	row(aclrtStreamStop(s));
	return NULL;
}

static void streams_to_stop(void)
{
	aclrtStream bound = persistent(), of_device = NULL;
	aclrtContext other;

	building(bound);
	need(aclrtCreateStreamWithConfig(&of_device, 0, ACL_STREAM_DEVICE_USE_ONLY));
	stop(stream());
	stop(bound);
	stop(of_device);
	row(aclrtStreamAbort(stream()));
	stop(of_device);
	need(aclrtCreateContext(&other, 0));
	stop(of_device);
	in_thread(stop, of_device);
}

static aclrtStreamAttrValue attribute(aclrtStream s, aclrtStreamAttr which)
{
	aclrtStreamAttrValue value = {.userCustomTag = 0};

	row(aclrtGetStreamAttribute(s, which, &value));
	return value;
}

static void set_tag(aclrtStream s, uint32_t tag)
{
	aclrtStreamAttrValue value = {.userCustomTag = tag};

	row(aclrtSetStreamAttribute(s, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value));
}

static void *tag_here(void *s)
{
	attribute(s, ACL_STREAM_ATTR_USER_CUSTOM_TAG);
	return NULL;
}

static void tags_of_streams(void)
{
	aclrtStreamAttrValue value = {.userCustomTag = 7};
	aclrtStream s = stream();
	aclrtContext other;

	need(aclrtSetStreamAttribute(s, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value));
	row(attribute(s, ACL_STREAM_ATTR_USER_CUSTOM_TAG).userCustomTag);
	need(aclrtCreateContext(&other, 0));
	tag_here(s);
	set_tag(s, 8);
	attribute(s, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK);
	attribute(s, ACL_STREAM_ATTR_FAILURE_MODE);
	in_thread(tag_here, s);
	set_tag(NULL, 9);
	value.userCustomTag = 0;
	need(aclrtGetStreamAttribute(NULL, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value));
	row(value.userCustomTag);
}

static void group_of_a_capture_that_ended(void)
{
	aclrtStream s = capturing(), other;
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
	aclrtTaskGrp left, g;
	aclmdlRI m = (aclmdlRI)&s;

	need(aclmdlRICaptureTaskGrpBegin(s));
	row(aclmdlRICaptureEnd(s, &m));
	row(!m);
	need(aclmdlRICaptureGetInfo(s, &status, NULL));
	row(status);
	row(aclmdlRICaptureBegin(s, RELAXED));
	row(aclmdlRICaptureTaskGrpBegin(s));
	row(aclmdlRICaptureTaskGrpEnd(s, &left));
	row(aclmdlRICaptureEnd(s, &m));
	other = capturing();
	need(aclmdlRICaptureTaskGrpBegin(other));
	need(aclmdlRICaptureTaskGrpEnd(other, &g));
	need(aclmdlRICaptureEnd(other, &m));
	row(aclmdlRICaptureTaskUpdateBegin(s, g));
	row(aclmdlRICaptureTaskUpdateBegin(other, g));
}

static long recorded(aclrtEvent e)
{
	aclrtEventRecordedStatus status = (aclrtEventRecordedStatus)9;

	need(aclrtQueryEventStatus(e, &status));
	return status;
}

static void events_that_are_reset(void)
{
	aclrtEvent e = event(ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
	aclrtStream s = stream(), other = stream();
	aclrtNotify hold = NULL;
	uint64_t at;
	float ms;

	need(aclrtRecordEvent(e, s));
	need(aclrtSynchronizeStream(s));
	row(aclrtResetEvent(e, s));
	row(aclrtSynchronizeStream(s));
	row(recorded(e));
	row(aclrtEventGetTimestamp(e, &at));
	row(aclrtEventElapsedTime(&ms, e, e));
	row(aclrtSynchronizeEvent(e));
	need(aclrtCreateNotify(&hold, 0));
	need(aclrtWaitAndResetNotify(hold, s, 0));
	row(aclrtRecordEvent(e, s));
	row(aclrtResetEvent(e, other));
	row(recorded(e));
	row(aclrtSynchronizeEventWithTimeout(e, 5));
	need(aclrtRecordNotify(hold, other));
	need(aclrtSynchronizeEvent(e));
	row(recorded(e));
	row(aclrtSynchronizeStream(other));
}

static void overflow_addresses(void)
{
	void *here = NULL, *again = NULL, *there = NULL;
	aclrtContext c;

	row(aclrtCtxGetFloatOverflowAddr(&here));
	row(here != NULL);
	need(aclrtCtxGetFloatOverflowAddr(&again));
	row(here == again);
	need(aclrtCreateContext(&c, 0));
	row(aclrtCtxGetFloatOverflowAddr(&there));
	row(here != there);
	need(aclrtDestroyContext(c));
}

static void streams_of_two_models(void)
{
	aclrtStream a = persistent(), b = persistent();
	int64_t *values = device();

	building(a);
	building(b);
	row(aclrtActiveStream(b, a));
	row(aclrtSwitchStream(values, ACL_RT_EQUAL, values + 1, ACL_RT_SWITCH_INT64, b, NULL, a));
}

static void print(aclmdlRI m, const char *path, uint32_t flags)
{
	row(aclmdlRIDebugJsonPrint(m, path, flags));
}

static void printing_models(void)
{
	aclmdlRI m = model(), gone = model();
	aclrtContext other;

	need(aclmdlRIDestroy(gone));
	print(m, "/dev/null", ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE);
	print(m, "/dev/null", 99);
	print(m, "/nowhere/model.json", 99);
	need(aclrtCreateContext(&other, 0));
	print(m, "/dev/null", 99);
	print(gone, "/nowhere/model.json", 99);
}

static void *switch_overflow(void *s)
{
	row(aclrtSetStreamOverflowSwitch(s, 1));
	return NULL;
}

static void switches_without_saturation(void)
{
	aclrtStreamAttrValue value = {.overflowSwitch = 0};
	aclrtStream s = stream();
	aclrtContext other;
	uint32_t now = 9;

	need(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION));
	switch_overflow(s);
	need(aclrtGetStreamOverflowSwitch(s, &now));
	row(now);
	need(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN));
	switch_overflow(s);
	row(aclrtSetStreamAttribute(s, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value));
	row(aclrtGetStreamOverflowSwitch(s, &now));
	row(now);
	need(aclrtCreateContext(&other, 0));
	switch_overflow(s);
	row(aclrtGetStreamOverflowSwitch(s, &now));
	in_thread(switch_overflow, s);
}

static void cache_operators(aclrtStream s, uint32_t on)
{
	aclrtStreamAttrValue value = {.cacheOpInfoSwitch = on};

	need(aclrtSetStreamAttribute(s, ACL_STREAM_ATTR_CACHE_OP_INFO, &value));
}

static void caches(aclrtStream s)
{
	aclrtStreamAttrValue value = {.cacheOpInfoSwitch = 9};

	need(aclrtGetStreamAttribute(s, ACL_STREAM_ATTR_CACHE_OP_INFO, &value));
	row(value.cacheOpInfoSwitch);
}

static void caching_of_operators(void)
{
	aclrtStream s = stream(), joined = stream();
	aclrtEvent fork = event_ex(ACL_EVENT_SYNC), join = event_ex(ACL_EVENT_SYNC);
	aclmdlRI m;

	caches(s);
	cache_operators(s, 1);
	caches(s);
	need(aclmdlRICaptureBegin(s, RELAXED));
	need(aclrtRecordEvent(fork, s));
	need(aclrtStreamWaitEvent(joined, fork));
	caches(s);
	caches(joined);
	cache_operators(s, 0);
	caches(joined);
	cache_operators(s, 1);
	cache_operators(joined, 0);
	caches(s);
	caches(joined);
	need(aclrtRecordEvent(join, joined));
	need(aclrtStreamWaitEvent(s, join));
	need(aclmdlRICaptureEnd(s, &m));
	caches(s);
	caches(joined);
	caches(NULL);
}

static void *end_capture(void *s)
{
	aclmdlRI m;

	need(aclrtSetDevice(0));
	row(aclmdlRICaptureEnd(s, &m));
	return NULL;
}

static void model_of_a_capture_ended_elsewhere(void)
{
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
	aclrtStream s = stream();
	aclmdlRI m = NULL;
	uint32_t id;

	need(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	need(aclmdlRICaptureGetInfo(s, NULL, &m));
	in_thread(end_capture, s);
	need(aclmdlRICaptureGetInfo(s, &status, NULL));
	row(status);
	row(aclmdlRIGetId(m, &id));
	row(aclmdlRIDestroy(m));
	row(aclmdlRIGetId(m, &id));
	need(aclmdlRICaptureBegin(s, RELAXED));
	need(aclmdlRICaptureGetInfo(s, NULL, &m));
	need(aclmdlRICaptureTaskGrpBegin(s));
	end_capture(s);
	row(aclmdlRIGetId(m, &id));
}

static void name_of(aclmdlRI m, uint32_t room)
{
	char name[16] = "none";

	row(aclmdlRIGetName(m, room, name));
	row(strcmp(name, "none") ? (long)strlen(name) : -1);
}

static void *name_here(void *m)
{
	name_of(m, 1);
	return NULL;
}

/* None has a name before it is given one, and a name is asked for in the model's context. */
static void names_of_models(void)
{
	aclmdlRI m = model(), capturing_one = NULL;
	aclrtContext other;

	need(aclmdlRICaptureGetInfo(capturing(), NULL, &capturing_one));
	name_of(m, 1);
	name_of(capturing_one, 1);
	in_thread(name_here, m);
	need(aclrtCreateContext(&other, 0));
	name_of(m, 0);
	name_of(m, 16);
}

static aclmdlRI a_model;

static void *end_here(void *s)
{
	aclmdlRI m = a_model;

	row(aclmdlRIEndTask(m, s));
	row(aclmdlRIEndTask(m, NULL));
	row(aclmdlRIUnbindStream(m, NULL));
	row(aclmdlRIBindStream(m, NULL, ACL_MODEL_STREAM_FLAG_HEAD));
	return NULL;
}

/* Without a context the default stream is a wrong argument. */
static void end_of_model_without_device(void)
{
	aclrtStream s = persistent();

	a_model = building(s);
	in_thread(end_here, s);
}

const struct row rows_graphs[] = {ROW(streams_of_models), ROW(tasks_of_streams), ROW(tasks_without_device),
	ROW(tasks_without_parameters), ROW(tasks_of_another_kind), ROW(tasks_with_operator_information),
	ROW(tasks_of_built_models), ROW(attributes_of_tasks), ROW(label_twice_in_a_list),
	ROW(label_of_a_list_destroyed), ROW(switches_beyond_the_list), ROW(ids_of_recorded_events),
	ROW(times_of_pending_events), ROW(options_of_contexts), ROW(contexts_of_another_device),
	ROW(streams_left_by_models), ROW(count_notifies_without_device), ROW(streams_to_stop),
	ROW(tags_of_streams), ROW(group_of_a_capture_that_ended), ROW(events_that_are_reset),
	ROW(overflow_addresses), ROW(streams_of_two_models), ROW(printing_models),
	ROW(switches_without_saturation), ROW(caching_of_operators), ROW(model_of_a_capture_ended_elsewhere),
	ROW(labels_of_another_context), ROW(update_of_a_running_model), ROW(values_of_attributes),
	ROW(times_of_kernels), ROW(names_of_models), ROW(end_of_model_without_device), {NULL, NULL}};
