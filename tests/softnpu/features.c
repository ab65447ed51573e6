/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels, models taken apart, callbacks, attributes. */
#include <stdio.h>
#include <stdlib.h>

#include "softnpu.h"
#include "two_streams.h"

/* --- kernels -------------------------------------------------------------------------- */

struct fill_args {
	unsigned char *to;
	uint64_t n;
	uint64_t value;
};

static atomic_uint blocks_seen;

static void fill_kernel(const softnpu_launch *launch)
{
	const struct fill_args *args = launch->args;
	unsigned char *to = softnpu_memory(args->to, args->n);

	atomic_store(&blocks_seen, launch->num_blocks);
	if (to)
		memset(to, (int)args->value, args->n);
}

static aclrtFuncHandle fill_function(aclrtBinHandle *bin)
{
	aclrtFuncHandle func = NULL;

	OK(softnpu_register_kernel("fill", fill_kernel));
	OK(aclrtBinaryLoadFromData("binary", 6, NULL, bin));
	OK(aclrtBinaryGetFunction(*bin, "fill", &func));
	return func;
}

static int first_byte(const void *dev)
{
	unsigned char byte = 0;

	OK(aclrtSynchronizeStream(s));
	OK(aclrtMemcpy(&byte, 1, dev, 1, TO_HOST));
	return byte;
}

static void function_info(aclrtFuncHandle func)
{
	void *aic, *aiv;
	size_t bytes, none;
	int64_t kind;

	OK(aclrtGetFunctionAddr(func, &aic, &aiv));
	TRUE(aic && !aiv);
	OK(aclrtGetFunctionSize(func, &bytes, &none));
	TRUE(bytes && !none);
	OK(aclrtFunctionGetAvailDynUbufPerBlock(func, 0, &none));
	IS((int)none, 0);
	OK(aclrtGetFunctionAttribute(func, ACL_FUNC_ATTR_KERNEL_TYPE, &kind));
	IS((int)kind, ACL_KERNEL_TYPE_AICORE);
	IS(aclrtGetFunctionAttribute(func, 4, &kind), 107000);
}

static void kernels(void)
{
	struct fill_args args, *in_device;
	aclrtArgsHandle list;
	aclrtParamHandle value;
	aclrtBinHandle bin;
	aclrtFuncHandle func;
	char name[16];
	void *code;
	size_t n;

	setup();
	func = fill_function(&bin);
	args = (struct fill_args){d, 64, 1};
	OK(aclrtLaunchKernelWithHostArgs(func, 8, s, NULL, &args, sizeof(args), NULL, 0));
	args.value = 99; /* a copy was taken */
	IS(first_byte(d), 1);
	IS(atomic_load(&blocks_seen), 8);
	in_device = device_new(sizeof(args));
	args.value = 2;
	OK(aclrtMemcpy(in_device, sizeof(args), &args, sizeof(args), TO_DEVICE));
	OK(aclrtLaunchKernel(func, 1, in_device, sizeof(args), s));
	IS(first_byte(d), 2);
	OK(aclrtKernelArgsInit(func, &list));
	OK(aclrtKernelArgsAppend(list, &args.to, 8, &value));
	OK(aclrtKernelArgsAppend(list, &args.n, 8, &value));
	OK(aclrtKernelArgsAppend(list, &args.value, 8, &value));
	args.value = 3;
	OK(aclrtKernelArgsParaUpdate(list, value, &args.value, 8));
	IS(aclrtLaunchKernelWithConfig(func, 1, s, NULL, list, NULL), 107000);
	OK(aclrtKernelArgsFinalize(list));
	OK(aclrtLaunchKernelWithConfig(func, 1, s, NULL, list, NULL));
	IS(first_byte(d), 3);
	IS(aclrtLaunchKernelWithHostArgs(func, 0, s, NULL, &args, sizeof(args), NULL, 0), 107000);
	OK(aclrtGetFunctionName(func, sizeof(name), name));
	function_info(func);
	IS(strcmp(name, "fill"), 0);
	OK(aclrtBinaryGetDevAddress(bin, &code, &n));
	IS(n, 6);
	IS(first_byte(code), 'b');
	OK(aclrtBinaryUnLoad(bin));
	IS(aclrtFree(code), 107000);
	IS(aclrtLaunchKernel(func, 1, in_device, sizeof(args), s), 107017);
}

static atomic_long points_to; /* in the arguments of the last launch */

static void pointer_kernel(const softnpu_launch *launch)
{
	atomic_store(&points_to, *(char *const *)launch->args - (const char *)launch->args);
}

static void launch_list(aclrtFuncHandle func, aclrtArgsHandle list, long offset)
{
	OK(aclrtKernelArgsFinalize(list));
	atomic_store(&points_to, -1);
	OK(aclrtLaunchKernelWithConfig(func, 1, s, NULL, list, NULL));
	OK(aclrtSynchronizeStream(s));
	IS(atomic_load(&points_to), offset);
}

/* The last buffer of a place holder counts; without one it points at the arguments. */
static void place_holders(void)
{
	aclrtArgsHandle list;
	aclrtParamHandle holder;
	aclrtBinHandle bin;
	aclrtFuncHandle func;
	void *buffer;

	setup();
	OK(softnpu_register_kernel("pointer", pointer_kernel));
	OK(aclrtBinaryLoadFromData("binary", 6, NULL, &bin));
	OK(aclrtBinaryGetFunction(bin, "pointer", &func));
	OK(aclrtKernelArgsInit(func, &list));
	OK(aclrtKernelArgsAppendPlaceHolder(list, &holder));
	launch_list(func, list, 0);
	OK(aclrtKernelArgsInit(func, &list));
	OK(aclrtKernelArgsAppendPlaceHolder(list, &holder));
	for (int i = 0; i < 200; i++)
		OK(aclrtKernelArgsGetPlaceHolderBuffer(list, holder, 8, &buffer));
	launch_list(func, list, 200 * 8);
}

static char symbol_kernel, symbol_variable;

static void symbols(void)
{
	const size_t sizes[] = {8, 8, 8};
	uint64_t n = 64, value = 5;
	void *args[] = {&d, &n, &value}, *where;
	aclrtFuncHandle func;
	size_t size;

	setup();
	OK(softnpu_register_kernel("fill", fill_kernel));
	OK(softnpu_describe_kernel("fill", sizes, 3));
	OK(softnpu_register_function(&symbol_kernel, "fill"));
	OK(aclrtGetFuncBySymbol(&symbol_kernel, &func));
	OK(aclrtLaunchKernelWithArgsArray(&symbol_kernel, 1, s, NULL, args));
	IS(first_byte(d), 5);
	OK(aclrtFunctionGetParamCount(&symbol_kernel, &size));
	IS(size, 3);
	OK(aclrtFunctionGetParamInfo(&symbol_kernel, 2, &size, NULL));
	IS(size, 16);
	IS(aclrtGetFuncBySymbol(&symbol_variable, &func), 107044);
	OK(softnpu_register_variable(&symbol_variable, "v", 64));
	OK(aclrtGetSymbolAddress(&symbol_variable, &where));
	OK(aclrtGetSymbolSize(&symbol_variable, &size));
	IS(size, 64);
	OK(aclrtMemcpyToSymbol(&symbol_variable, a, 32, 16, TO_DEVICE));
	OK(aclrtMemcpyFromSymbolAsync(b, 64, &symbol_variable, 48, 0, TO_HOST, s));
	OK(aclrtSynchronizeStream(s));
	IS(b[0], 0);
	IS(memcmp(b + 16, a, 32), 0);
	IS(aclrtMemcpyToSymbol(&symbol_variable, a, 64, 1, TO_DEVICE), 100000);
}

/* A group of one kernel: captured, replayed, replaced in the order of another stream. */
static void group_update(void)
{
	struct fill_args args;
	aclrtBinHandle bin;
	aclrtFuncHandle func;
	aclrtTaskGrp group;
	aclmdlRI m;

	setup();
	func = fill_function(&bin);
	args = (struct fill_args){d, 64, 1};
	OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	OK(aclmdlRICaptureTaskGrpBegin(s));
	IS(aclmdlRICaptureTaskGrpBegin(s), 107033);
	OK(aclrtLaunchKernelWithHostArgs(func, 1, s, NULL, &args, sizeof(args), NULL, 0));
	OK(aclmdlRICaptureTaskGrpEnd(s, &group));
	OK(aclmdlRICaptureEnd(s, &m));
	OK(aclmdlRIExecuteAsync(m, s));
	IS(first_byte(d), 1);
	args.value = 2;
	OK(aclmdlRICaptureTaskUpdateBegin(s2, group));
	IS(aclmdlRICaptureTaskUpdateEnd(s2), 507000); /* nothing was given */
	OK(aclmdlRICaptureTaskUpdateBegin(s2, group));
	IS(aclmdlRICaptureTaskUpdateBegin(s, group), 107033);
	IS(aclrtMemsetAsync(d, 1, 0, 1, s2), 507009);
	OK(aclrtLaunchKernelWithHostArgs(func, 1, s2, NULL, &args, sizeof(args), NULL, 0));
	OK(aclmdlRICaptureTaskUpdateEnd(s2));
	OK(aclrtSynchronizeStream(s2));
	IS(first_byte(d), 1); /* replaced, not run */
	OK(aclmdlRIExecuteAsync(m, s));
	IS(first_byte(d), 2);
	OK(aclmdlRIDestroy(m));
}

static void model_tasks(void)
{
	aclmdlRITaskParams params;
	aclmdlRITaskType type;
	aclmdlRITask tasks[2];
	aclrtStream streams[2];
	uint32_t n = 2;
	aclmdlRI m;

	setup();
	OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	OK(aclrtValueWrite(d, 1, 0, s));
	OK(aclrtValueWrite((char *)d + 8, 2, 0, s));
	OK(aclmdlRICaptureEnd(s, &m));
	OK(aclmdlRIGetStreams(m, streams, &n));
	IS(n, 1);
	IS(aclmdlRIExecuteAsync(m, streams[0]), 107000);
	n = 2;
	OK(aclmdlRIGetTasksByStream(streams[0], tasks, &n));
	IS(n, 2);
	OK(aclmdlRITaskGetType(tasks[0], &type));
	IS(type, ACL_MODEL_RI_TASK_VALUE_WRITE);
	OK(aclmdlRITaskGetParams(tasks[0], &params));
	IS(params.valueWriteTaskParams.value, 1);
	params.valueWriteTaskParams.value = 9;
	OK(aclmdlRITaskSetParams(tasks[0], &params));
	IS(aclmdlRIExecuteAsync(m, s), 507011); /* aclmdlRIUpdate is due */
	OK(aclmdlRITaskDisable(tasks[1]));
	OK(aclmdlRIUpdate(m));
	OK(aclrtMemset(d, 64, 0, 64));
	OK(aclmdlRIExecuteAsync(m, s));
	IS(first_byte(d), 9);
	IS(first_byte((char *)d + 8), 0);
	OK(aclmdlRIDestroy(m));
	IS(aclmdlRITaskGetType(tasks[0], &type), 107017);
}

/* So that the next ones have the same handles. */
static void tasks_and_groups_go_with_their_model(void)
{
	aclmdlRITask task[9], first_task = NULL; /* eight keep the group apart */
	aclrtTaskGrp group, first_group = NULL;
	aclrtStream stream;
	struct fill_args args;
	aclrtFuncHandle func;
	aclrtBinHandle bin;
	uint32_t n;
	aclmdlRI m;

	setup();
	func = fill_function(&bin);
	args = (struct fill_args){d, 64, 1};
	for (int i = 0; i < 3; i++) {
		OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
		OK(aclmdlRICaptureTaskGrpBegin(s));
		OK(aclrtLaunchKernelWithHostArgs(func, 1, s, NULL, &args, sizeof(args), NULL, 0));
		OK(aclmdlRICaptureTaskGrpEnd(s, &group));
		OK(aclmdlRICaptureEnd(s, &m));
		n = 1;
		OK(aclmdlRIGetStreams(m, &stream, &n));
		n = 9;
		OK(aclmdlRIGetTasksByStream(stream, task, &n));
		first_task = i ? first_task : task[0];
		first_group = i ? first_group : group;
		TRUE(task[0] == first_task && group == first_group);
		OK(aclmdlRIDestroy(m));
		IS(aclmdlRICaptureTaskUpdateBegin(s2, group), 107017);
	}
}

/* The stream goes while it updates a group, which stays as it is: nothing else updates it. */
static void update_of_a_stream_that_is_gone(void)
{
	aclrtTaskGrp group;
	aclmdlRI m;

	setup();
	OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	OK(aclmdlRICaptureTaskGrpBegin(s));
	OK(aclmdlRICaptureTaskGrpEnd(s, &group));
	OK(aclmdlRICaptureEnd(s, &m));
	OK(aclmdlRICaptureTaskUpdateBegin(s2, group));
	IS(aclmdlRICaptureTaskUpdateBegin(s, group), 107033);
	OK(aclrtDestroyStream(s2));
	IS(aclmdlRICaptureTaskUpdateBegin(s, group), 107033);
	IS(aclmdlRICaptureTaskUpdateEnd(s), 107033);
	OK(aclmdlRIDestroy(m));
}

/* The model goes while its group is updated. */
static void group_of_a_model_that_is_gone(void)
{
	struct fill_args args;
	aclrtFuncHandle func;
	aclrtBinHandle bin;
	aclrtTaskGrp group;
	aclmdlRI m;

	setup();
	func = fill_function(&bin);
	args = (struct fill_args){d, 64, 1};
	OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	OK(aclmdlRICaptureTaskGrpBegin(s));
	OK(aclrtLaunchKernelWithHostArgs(func, 1, s, NULL, &args, sizeof(args), NULL, 0));
	OK(aclmdlRICaptureTaskGrpEnd(s, &group));
	OK(aclmdlRICaptureEnd(s, &m));
	OK(aclmdlRICaptureTaskUpdateBegin(s2, group));
	OK(aclmdlRIDestroy(m));
	IS(aclrtLaunchKernelWithHostArgs(func, 1, s2, NULL, &args, sizeof(args), NULL, 0), 507000);
	IS(aclmdlRICaptureTaskUpdateEnd(s2), 507000);
}

static void describe(void)
{
	char path[] = "softnpu-model-XXXXXX", text[4096] = "";
	aclmdlRI m;
	FILE *f;

	setup();
	OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	OK(aclrtMemcpyAsync(d, 64, a, 64, TO_DEVICE, s));
	OK(aclmdlRICaptureEnd(s, &m));
	OK(aclmdlRISetName(m, "the \"model\""));
	OK(chdir("/tmp"));
	close(mkstemp(path));
	OK(aclmdlRIDebugJsonPrint(m, path, 0));
	f = fopen(path, "r");
	TRUE(f && fread(text, 1, sizeof(text) - 1, f) > 0);
	if (f)
		fclose(f);
	unlink(path);
	TRUE(strstr(text, "\"name\": \"the \\\"model\\\"\""));
	TRUE(strstr(text, "\"type\": \"MEMCPY_ASYNC\""));
	IS(aclmdlRIDebugJsonPrint(m, "/nowhere/x.json", 0), 107000);
}

static void external_flags(void)
{
	aclrtEvent e, plain;
	aclmdlRI m;

	setup();
	e = event_ex(ACL_EVENT_SYNC);
	plain = event_ex(ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
	IS(aclrtRecordEventWithFlag(e, s, ACL_EVENT_RECORD_EXTERNAL), 107029);
	OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	IS(aclrtRecordEvent(e, s), 107000); /* the first attempt decided */
	IS(aclrtRecordEventWithFlag(plain, s, ACL_EVENT_RECORD_EXTERNAL), 207000);
	OK(aclrtMemsetAsync(d, 64, 6, 64, s));
	OK(aclrtRecordEventWithFlag(e, s, ACL_EVENT_RECORD_EXTERNAL));
	IS(aclrtRecordEventWithFlag(e, s, ACL_EVENT_RECORD_EXTERNAL), 107000);
	OK(aclmdlRICaptureEnd(s, &m));
	OK(aclmdlRIExecuteAsync(m, s));
	OK(aclrtSynchronizeStream(s));
	OK(aclrtStreamWaitEvent(s2, e)); /* outside it is an event like any other */
	OK(aclrtSynchronizeEvent(e));
}

static void switched_streams(void)
{
	aclrtStream head, branch;
	atomic_int calls = 0;
	int64_t *value = NULL;
	aclmdlRI m;

	setup();
	OK(aclrtMalloc((void **)&value, 64, 0));
	OK(aclrtCreateStreamWithConfig(&head, 0, ACL_STREAM_PERSISTENT));
	OK(aclrtCreateStreamWithConfig(&branch, 0, ACL_STREAM_PERSISTENT));
	OK(aclmdlRIBuildBegin(&m, 0));
	IS(aclmdlRIBindStream(m, s, 0), 107000);
	OK(aclmdlRIBindStream(m, head, 0));
	OK(aclmdlRIBindStream(m, branch, 0x7fffffff));
	OK(aclrtSwitchStream(value, ACL_RT_GREATER, value + 1, ACL_RT_SWITCH_INT64, branch, NULL, head));
	OK(aclrtLaunchHostFunc(branch, (aclrtHostFunc)gate_open, &calls));
	OK(aclmdlRIEndTask(m, branch));
	OK(aclmdlRIBuildEnd(m, NULL));
	value[0] = 1;
	value[1] = 1;
	OK(aclmdlRIExecute(m, 5000));
	IS(atomic_load(&calls), 0);
	value[0] = 2;
	OK(aclmdlRIExecute(m, 5000));
	IS(atomic_load(&calls), 1);
}

/* --- callbacks --------------------------------------------------------------------------- */

static atomic_int exceptions, destroyed;
static _Atomic uint32_t exception_code;

static void on_exception(aclrtExceptionInfo *info)
{
	atomic_store(&exception_code, aclrtGetErrorCodeFromExceptionInfo(info));
	atomic_fetch_add(&exceptions, 1);
}

static void exception_callbacks(void)
{
	putenv("SOFTNPU_FAULT_TASK=1");
	putenv("SOFTNPU_FAULT_CODE=507053");
	setup();
	OK(aclrtExceptionInfoCallbackRegister(on_exception));
	OK(aclrtSetStreamFailureMode(s, ACL_STOP_ON_FAILURE));
	IS(aclrtSetStreamFailureMode(s, ACL_CONTINUE_ON_FAILURE), 207000);
	OK(aclrtMemsetAsync(d, 64, 1, 64, s));
	IS(aclrtSynchronizeStream(s), 507053);
	IS(atomic_load(&exceptions), 1);
	IS(atomic_load(&exception_code), 507053);
	IS(aclrtMemsetAsync(d, 64, 1, 64, s), 507053); /* the stream has stopped */
	IS(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 507053);
	IS(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 507053);
	OK(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
}

static void first_task_fails(void)
{
	putenv("SOFTNPU_FAULT_TASK=1");
	putenv("SOFTNPU_FAULT_CODE=507053");
	setup();
}

/* One of the streams stops at failures, and the first task of s fails: nothing is put on that any more. */
static void stops_after_failure(aclrtStream stopping)
{
	OK(aclrtSetStreamFailureMode(stopping, ACL_STOP_ON_FAILURE));
	OK(aclrtMemsetAsync(d, 64, 1, 64, s));
	IS(aclrtSynchronizeStream(s), 507053);
	IS(aclrtMemsetAsync(d, 64, 1, 64, s), 507053);
}

/* Of A2 and A3 all streams of a context stop where one of them stops at a failure. */
static void failures_of_a_context(void)
{
	aclrtContext other;
	aclrtStream beside, apart;

	first_task_fails();
	OK(aclrtCreateStream(&beside));
	stops_after_failure(beside);
	IS(aclrtMemsetAsync(d, 64, 1, 64, beside), 507053);
	IS(aclrtSynchronizeStream(beside), 507053);
	OK(aclrtCreateContext(&other, 0));
	OK(aclrtCreateStream(&apart));
	OK(aclrtMemsetAsync(d, 64, 1, 64, apart));
	OK(aclrtSynchronizeStream(apart));
}

/* Of others each has its own. */
static void failures_of_a_stream(void)
{
	aclrtStream beside;

	putenv("SOFTNPU_SOC=Ascend950PR_9599");
	first_task_fails();
	OK(aclrtCreateStream(&beside));
	stops_after_failure(s);
	OK(aclrtMemsetAsync(d, 64, 1, 64, beside));
	OK(aclrtSynchronizeStream(beside));
}

static void on_destroy(void *arg)
{
	(void)arg;
	atomic_fetch_add(&destroyed, 1);
}

static void on_device(int32_t device, aclrtDeviceState state, void *args)
{
	int *states = args;

	(void)device;
	states[state]++;
}

static void state_callbacks(void)
{
	int states[4] = {0};
	aclmdlRI m;

	OK(aclrtRegDeviceStateCallback("test", on_device, states));
	IS(aclrtRegDeviceStateCallback("test", on_device, states), 107000);
	setup();
	OK(aclrtSetDevice(0));
	IS(states[ACL_RT_DEVICE_STATE_SET_PRE], 1);
	IS(states[ACL_RT_DEVICE_STATE_SET_POST], 2);
	OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	OK(aclmdlRICaptureEnd(s, &m));
	OK(aclmdlRIDestroyRegisterCallback(m, on_destroy, NULL));
	OK(aclmdlRIDestroy(m));
	IS(atomic_load(&destroyed), 1);
	OK(aclrtResetDevice(0));
	IS(states[ACL_RT_DEVICE_STATE_RESET_PRE], 0);
	OK(aclrtResetDevice(0));
	IS(states[ACL_RT_DEVICE_STATE_RESET_POST], 1);
}

static void snapshots(void)
{
	setup();
	IS(aclrtSnapShotProcessUnlock(getpid(), NULL), 507907);
	IS(aclrtSnapShotProcessLock(1, NULL), 100000);
	OK(aclrtSnapShotProcessLock(getpid(), NULL));
	IS(aclrtSnapShotProcessLock(getpid(), NULL), 507906);
	OK(aclrtSnapShotProcessBackup(getpid(), NULL));
	IS(aclrtSnapShotProcessBackup(getpid(), NULL), 507908);
	OK(aclrtSnapShotProcessRestore(getpid(), NULL));
	OK(aclrtSnapShotProcessUnlock(getpid(), NULL));
}

static void attributes(void)
{
	aclrtStreamAttrValue value = {.streamPriority = 99};
	uint32_t priority = 0, cores = 0;
	int64_t option = 0;
	size_t limit = 0;

	setup();
	OK(aclrtSetStreamAttribute(s, ACL_STREAM_ATTR_PRIORITY, &value));
	OK(aclrtStreamGetPriority(s, &priority));
	IS(priority, 7);
	IS(aclrtSetStreamAttribute(s, (aclrtStreamAttr)9, &value), 107000);
	IS(aclrtSetStreamOverflowSwitch(s, 2), 100000);
	OK(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, &cores));
	IS(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, cores + 1), 107000);
	OK(aclrtSetStreamResLimit(s, ACL_RT_DEV_RES_CUBE_CORE, 2));
	OK(aclrtUseStreamResInCurrentThread(s));
	OK(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_CUBE_CORE, &cores));
	IS(cores, 2);
	IS(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &option), 107021);
	OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
	OK(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &option));
	IS(option, 1);
	OK(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, 65536));
	OK(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, &limit));
	IS(limit, 65536);
	IS(aclrtSetDeviceResLimit(1, ACL_RT_DEV_RES_CUBE_CORE, 1), 507033); /* not set */
}

static void aborting(void)
{
	atomic_int gate;
	aclrtEvent e;

	setup();
	gate_hold(s, &gate);
	OK(aclrtCreateEventWithFlag(&e, ACL_EVENT_SYNC));
	OK(aclrtStreamWaitEvent(s2, e)); /* for ever */
	OK(aclrtStreamAbort(s2));
	OK(aclrtSynchronizeStream(s2));
	gate_open(&gate);
	OK(aclrtDeviceTaskAbort(0, 5000));
	OK(aclrtSynchronizeDevice());
	OK(aclrtStreamWaitEvent(s2, e));
	OK(aclrtDestroyStreamForce(s2)); /* drops the wait */
}

static void unsupported(void)
{
	void *addr = NULL;

	setup();
	IS(aclrtMemMapSelectedLink(d, MIB2, d, 0), 107000); /* no mapped memory */
	OK(aclrtGetHardwareSyncAddr(&addr));
	TRUE(addr);
}

static void data_buffers(void)
{
	char bytes[8], other[4];
	aclDataBuffer *buffer = aclCreateDataBuffer(bytes, sizeof(bytes)),
		      *none = aclCreateDataBuffer(NULL, 0);

	TRUE(buffer && none);
	TRUE(aclGetDataBufferAddr(buffer) == bytes && !aclGetDataBufferAddr(none));
	IS((int)aclGetDataBufferSizeV2(buffer), 8);
	OK(aclUpdateDataBuffer(buffer, other, sizeof(other)));
	TRUE(aclGetDataBufferAddr(buffer) == other);
	IS((int)aclGetDataBufferSizeV2(buffer), 4);
	OK(aclDestroyDataBuffer(buffer));
	OK(aclDestroyDataBuffer(none));
	IS(aclDestroyDataBuffer(NULL), 100000);
}

static void data_types(void)
{
	const aclCannAttr *list = NULL;
	size_t num = 0;
	int32_t has = -1;
	int64_t cores = 0;

	IS((int)aclDataTypeSize(ACL_FLOAT16), 2);
	IS((int)aclDataTypeSize(ACL_COMPLEX128), 16);
	IS((int)aclDataTypeSize(ACL_STRING), 0);
	IS(aclFloatToFloat16(1.5f), 0x3e00);
	TRUE(aclFloat16ToFloat(0xc000) == -2.0f);
	OK(aclGetCannAttributeList(&list, &num));
	IS((int)num, 3);
	OK(aclGetCannAttribute(list[1], &has));
	IS(has, 1);
	IS(aclGetCannAttribute((aclCannAttr)77, &has), 100000);
	OK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &cores));
	IS((int)cores, 48);
	IS(aclGetDeviceCapability(99, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &cores), 100000);
	aclAppLog(ACL_INFO, __func__, __FILE__, __LINE__, "%d cores", (int)cores);
}

/* Whatever the headers declare links; what is not there says so. */
static void linked_only(void)
{
	uint32_t model = 0;

	IS(aclmdlLoadFromFile("model.om", &model), 207000);
	TRUE(!aclmdlCreateDataset());
}

static const struct tap_case cases[] = {
	C(kernels),
	C(place_holders),
	C(symbols),
	C(group_update),
	C(model_tasks),
	C(tasks_and_groups_go_with_their_model),
	C(update_of_a_stream_that_is_gone),
	C(group_of_a_model_that_is_gone),
	C(describe),
	C(external_flags),
	C(switched_streams),
	C(exception_callbacks),
	C(failures_of_a_context),
	C(failures_of_a_stream),
	C(state_callbacks),
	C(snapshots),
	C(attributes),
	C(aborting),
	C(unsupported),
	C(data_buffers),
	C(data_types),
	C(linked_only),
};

int main(void)
{
	tap_run(cases, COUNT(cases), "", NULL);
	return tap_done();
}
