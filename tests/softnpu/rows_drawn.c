/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of kernels, models, their tasks and snapshots that were drawn by lot: read in the published source. */
#include <unistd.h>

#include "acl/acl_rt_memory_soma.h"
#include "rows.h"

static aclrtFuncHandle function(aclrtBinHandle *bin)
{
	aclrtFuncHandle f = NULL;

	need(aclrtBinaryLoadFromData("binary", 6, NULL, bin));
	need(aclrtBinaryGetFunction(*bin, "kernel", &f));
	return f;
}

/* --- functions that are given as a handle or as a symbol ---------------------------------------- */

static void *call_by_either(void *f)
{
	size_t n;

	row(aclrtFunctionGetParamCount(f, &n));
	row(aclrtFunctionGetParamInfo(f, 0, &n, NULL));
	row(aclrtFunctionGetAvailDynUbufPerBlock(f, 0, &n));
	row(aclrtLaunchKernelWithArgsArray(f, 1, NULL, NULL, NULL));
	return NULL;
}

/* It is among the symbols of the context's device that it is looked for first. */
static void functions_gone_without_device(void)
{
	aclrtBinHandle bin;
	aclrtFuncHandle f = function(&bin);

	need(aclrtBinaryUnLoad(bin));
	(void)call_by_either(f);
	in_thread(call_by_either, f);
}

/* No parameters are not the same as none that are known. */
static void parameters_of_unknown_kernels(void)
{
	aclrtBinHandle bin;
	aclrtFuncHandle f = function(&bin);
	size_t n = 7;

	row(aclrtFunctionGetParamCount(f, &n));
	row((long)n);
	row(aclrtFunctionGetParamInfo(f, 0, &n, NULL));
}

/* A list that is complete takes nothing more, but may be completed again. */
static void lists_completed(void)
{
	aclrtArgsHandle list = NULL;
	aclrtParamHandle first, second;
	aclrtBinHandle bin;
	long value = 1;

	need(aclrtKernelArgsInit(function(&bin), &list));
	row(aclrtKernelArgsAppend(list, &value, sizeof(value), &first));
	row(aclrtKernelArgsAppend(list, &value, sizeof(value), &second));
	row(first != second);
	row(aclrtKernelArgsFinalize(list));
	row(aclrtKernelArgsAppend(list, &value, sizeof(value), &second));
	row(aclrtKernelArgsFinalize(list));
}

/* --- models and their tasks ---------------------------------------------------------------------- */

static void tasks_set_twice(void)
{
	aclrtStream s = capturing(), inner = NULL, x = stream();
	aclmdlRITaskParams params;
	aclmdlRITask t = NULL;
	aclmdlRI m = NULL;
	uint32_t n = 1;

	need(aclrtValueWrite(device(), 1, 0, s));
	need(aclmdlRICaptureEnd(s, &m));
	need(aclmdlRIGetStreams(m, &inner, &n));
	need(aclmdlRIGetTasksByStream(inner, &t, &n));
	need(aclmdlRITaskGetParams(t, &params));
	row(aclmdlRITaskSetParams(t, &params));
	row(aclmdlRITaskSetParams(t, &params));
	row(aclmdlRIExecuteAsync(m, x));
	row(aclmdlRIUpdate(m));
	row(aclmdlRIExecuteAsync(m, x));
}

/* The last reset of a device unbinds the thread, whichever device it had set. */
static void reset_of_another_device(void)
{
	int32_t id = -1;

	need(aclrtSetDevice(1));
	need(aclrtSetDevice(0));
	row(aclrtResetDevice(1));
	row(aclrtGetDevice(&id));
	row(aclrtResetDevice(1));
}

static aclrtStream gone(void)
{
	aclrtStream s = stream();

	need(aclrtDestroyStream(s));
	return s;
}

static void updates_of_unknown_tasks(void)
{
	aclrtTaskUpdateInfo info = {.id = (aclrtUpdateTaskAttrId)9};

	row(aclrtTaskUpdateAsync(gone(), 0, &info, NULL));
	row(aclrtTaskUpdateAsync(NULL, 0, &info, gone()));
	row(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
	info.id = ACL_RT_UPDATE_RANDOM_TASK;
	row(aclrtTaskUpdateAsync(NULL, 0, &info, gone()));
	row(aclrtTaskUpdateAsync(gone(), 0, &info, NULL));
}

static void array(void *f, aclrtStream s, aclrtLaunchKernelCfg *cfg)
{
	row(aclrtLaunchKernelWithArgsArray(f, 1, s, cfg, NULL));
}

static void *arrays_here(void *f)
{
	static aclrtLaunchKernelCfg none = {NULL, 1};
	static long nothing[8];

	array(f, NULL, &none);
	array(nothing, NULL, NULL);
	return NULL;
}

/* Symbols are looked up first, which takes a context; the configuration is looked at when there is a kernel.
 */
static void arrays_without_device(void)
{
	aclrtFuncHandle f = NULL;
	aclrtBinHandle bin;

	need(aclrtBinaryLoadFromData("binary", 6, NULL, &bin));
	need(aclrtBinaryGetFunction(bin, "kernel", &f));
	in_thread(arrays_here, f);
	(void)arrays_here(f);
	need(aclrtBinaryUnLoad(bin));
	(void)arrays_here(f);
}

static void *array_on_dead_stream(void *s)
{
	static long nothing[8];

	array(nothing, s, NULL);
	return NULL;
}

static void array_without_device_on_dead_stream(void)
{
	in_thread(array_on_dead_stream, gone());
}

static aclrtFuncHandle function_of_any(void)
{
	aclrtBinHandle bin;

	return function(&bin);
}

/* Which parameter it is comes before whether the list is finished. */
static void buffers_of_finished_list(void)
{
	aclrtParamHandle plain, holder;
	aclrtArgsHandle list = NULL;
	void *buffer;
	long value = 1;

	need(aclrtKernelArgsInit(function_of_any(), &list));
	need(aclrtKernelArgsAppend(list, &value, sizeof(value), &plain));
	need(aclrtKernelArgsAppendPlaceHolder(list, &holder));
	need(aclrtKernelArgsFinalize(list));
	row(aclrtKernelArgsGetPlaceHolderBuffer(list, holder, 8, &buffer));
	row(aclrtKernelArgsGetPlaceHolderBuffer(list, plain, 8, &buffer));
}

/* A list is of no context, but finishing one takes a context. */
static void *finish_here(void *list)
{
	row(aclrtKernelArgsFinalize(list));
	return NULL;
}

static void list_changed_elsewhere(void)
{
	aclrtFuncHandle f = function_of_any();
	aclrtContext first, other;
	aclrtArgsHandle list = NULL;
	aclrtParamHandle plain;
	long value = 1;

	need(aclrtKernelArgsInit(f, &list));
	need(aclrtKernelArgsAppend(list, &value, sizeof(value), &plain));
	need(aclrtKernelArgsFinalize(list));
	need(aclrtGetCurrentContext(&first));
	need(aclrtCreateContext(&other, 0));
	row(aclrtKernelArgsParaUpdate(list, plain, &value, sizeof(value)));
	in_thread(finish_here, list);
	need(aclrtSetCurrentContext(first));
	row(aclrtLaunchKernelWithConfig(f, 1, NULL, NULL, list, NULL));
	need(aclrtSetCurrentContext(other));
	row(aclrtKernelArgsFinalize(list));
	need(aclrtSetCurrentContext(first));
	row(aclrtLaunchKernelWithConfig(f, 1, NULL, NULL, list, NULL));
	row(aclrtSynchronizeDevice());
}

static int called;

static uint32_t on_lock(int32_t device, void *args)
{
	(void)device, (void)args;
	called++;
	return 0;
}

static void *with_callback_here(void *unused)
{
	row(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_LOCK_PRE, on_lock, NULL));
	row(aclrtSnapShotCallbackUnregister(ACL_RT_SNAPSHOT_LOCK_PRE, on_lock));
	return unused;
}

static void snapshot_without_callback(void)
{
	in_thread(with_callback_here, NULL);
	row(aclrtSnapShotProcessLock(getpid(), NULL));
	row(aclrtSnapShotProcessUnlock(getpid(), NULL));
	row(called);
}

/* The flag is looked at before the handles, and not noted. */
static void streams_bound_with_unknown_flag(void)
{
	aclrtStream s = NULL;
	aclmdlRI m = NULL;

	need(aclrtCreateStreamWithConfig(&s, 0, ACL_STREAM_PERSISTENT));
	need(aclmdlRIBuildBegin(&m, 0));
	need(aclmdlRIDestroy(m));
	row(aclmdlRIBindStream(m, s, 9));
	row(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
	row(aclmdlRIBindStream(m, s, 0));
	row(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
}

static aclrtArgsHandle list_of(aclrtFuncHandle f, size_t bytes)
{
	size_t of_handle, of_args;
	aclrtArgsHandle list;

	need(aclrtKernelArgsGetHandleMemSize(f, &of_handle));
	need(aclrtKernelArgsGetMemSize(f, bytes, &of_args));
	list = malloc(of_handle);
	need(aclrtKernelArgsInitByUserMem(f, list, malloc(of_args), of_args));
	return list;
}

/* A parameter is looked for among those of all lists; what is done with it is done in the list that is given.
 */
static void parameters_of_another_list(void)
{
	aclrtFuncHandle f = function_of_any();
	aclrtParamHandle plain, holder, unused;
	aclrtArgsHandle list = NULL, other = list_of(f, 256);
	void *buffer;
	long value = 1;

	need(aclrtKernelArgsInit(f, &list));
	need(aclrtKernelArgsAppend(list, &value, sizeof(value), &plain));
	need(aclrtKernelArgsAppendPlaceHolder(list, &holder));
	need(aclrtKernelArgsAppend(other, &value, sizeof(value), &unused));
	need(aclrtKernelArgsAppend(other, &value, sizeof(value), &unused));
	row(aclrtKernelArgsGetPlaceHolderBuffer(other, plain, 8, &buffer));
	row(aclrtKernelArgsGetPlaceHolderBuffer(other, holder, 8, &buffer));
	row(aclrtKernelArgsParaUpdate(other, plain, &value, sizeof(value)));
	row(aclrtKernelArgsAppend(other, &value, sizeof(value), &unused));
	row(aclrtKernelArgsFinalize(other));
	row(aclrtLaunchKernelWithConfig(f, 1, NULL, NULL, other, NULL));
	row(aclrtKernelArgsFinalize(list));
	/* The buffer is not in its arguments. */
	row(aclrtLaunchKernelWithConfig(f, 1, NULL, NULL, list, NULL));
	row(aclrtSynchronizeDevice());
}

/* There is room for what each parameter may take to begin at a multiple of 8. */
static void room_for_padding(void)
{
	aclrtFuncHandle f = function_of_any();
	aclrtArgsHandle list = list_of(f, 4 + 8 + 4);
	aclrtParamHandle unused;
	long value = 1;

	row(aclrtKernelArgsAppend(list, &value, 4, &unused));
	row(aclrtKernelArgsAppend(list, &value, 8, &unused));
	row(aclrtKernelArgsAppend(list, &value, 4, &unused));
	row(aclrtKernelArgsFinalize(list));
	row(aclrtLaunchKernelWithConfig(f, 1, NULL, NULL, list, NULL));
	row(aclrtSynchronizeDevice());
}

static void place_of(aclrtBinHandle bin)
{
	size_t bytes;
	void *code;

	row(aclrtBinaryGetDevAddress(bin, &code, &bytes));
	row(code != NULL);
}

/* It is not on the device before the first use of a function. */
static void binary_loaded_late(void)
{
	aclrtBinaryLoadOption late = {.type = ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, .value.isLazyLoad = 1};
	aclrtBinaryLoadOptions options = {&late, 1};
	aclrtBinHandle bin, launched;
	aclrtFuncHandle f = NULL;
	void *cores, *others;

	need(aclrtBinaryLoadFromData("binary", 6, &options, &bin));
	need(aclrtBinaryLoadFromData("binary", 6, &options, &launched));
	need(aclrtBinaryGetFunction(bin, "kernel", &f));
	place_of(bin);
	row(aclrtGetFunctionAddr(f, &cores, &others));
	place_of(bin);
	need(aclrtBinaryGetFunction(launched, "kernel", &f));
	place_of(launched);
	row(aclrtLaunchKernel(f, 1, device(), 8, NULL));
	place_of(launched);
}

/* A thread is of the device of its first stream. */
static void subscriptions_on_two_devices(void)
{
	uint64_t me = (uint64_t)pthread_self();
	aclrtStream s = stream();

	row(aclrtSubscribeReport(me, s));
	need(aclrtSetDevice(1));
	s = stream();
	row(aclrtSubscribeReport(me, s));
	row(aclrtSubscribeReport(me + 1, s));
	row(aclrtSubscribeReport(me, s));
	row(aclrtUnSubscribeReport(me, s));
	row(aclrtUnSubscribeReport(me + 1, s));
	row(aclrtUnSubscribeReport(me + 1, s));
}

static void cores_here(aclrtDevResLimitType type)
{
	uint32_t n = 0;

	row(aclrtGetResInCurrentThread(type, &n));
	row(n);
}

/* It is the stream that a thread uses, not the limits that it had. */
static void limits_of_used_stream(void)
{
	aclrtStream s = stream();

	need(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, 5));
	need(aclrtSetStreamResLimit(s, ACL_RT_DEV_RES_CUBE_CORE, 2));
	need(aclrtUseStreamResInCurrentThread(s));
	cores_here(ACL_RT_DEV_RES_CUBE_CORE);
	row(aclrtSetStreamResLimit(s, ACL_RT_DEV_RES_CUBE_CORE, 3));
	cores_here(ACL_RT_DEV_RES_CUBE_CORE);
	need(aclrtSetDevice(1));
	need(aclrtSetDeviceResLimit(1, ACL_RT_DEV_RES_VECTOR_CORE, 7));
	cores_here(ACL_RT_DEV_RES_CUBE_CORE);
	cores_here(ACL_RT_DEV_RES_VECTOR_CORE);
	need(aclrtSetDevice(0));
	row(aclrtResetStreamResLimit(s));
	cores_here(ACL_RT_DEV_RES_CUBE_CORE);
}

static void label_set_twice(void)
{
	aclrtStream two[2] = {NULL};
	aclrtLabelList list;
	aclrtLabel l;
	aclmdlRI m;

	need(aclmdlRIBuildBegin(&m, 0));
	for (int i = 0; i < 2; i++) {
		need(aclrtCreateStreamWithConfig(&two[i], 0, ACL_STREAM_PERSISTENT));
		need(aclmdlRIBindStream(m, two[i], 0));
	}
	need(aclrtCreateLabel(&l));
	need(aclrtCreateLabelList(&l, 1, &list));
	row(aclrtSetLabel(l, two[0]));
	row(aclrtSetLabel(l, two[0]));
	row(aclrtSetLabel(l, two[1]));
	row(aclrtSetLabel(l, stream()));
}

static void threads(void *f, aclrtStream s, void *args)
{
	dim3 one = {1, 1, 1};

	row(aclrtLaunchSIMTKernelWithHostArgs(f, one, one, 0, s, NULL, args, 8, NULL, 0));
}

static void *threads_here(void *f)
{
	static long value[8];

	threads(f, NULL, NULL);
	threads(f, NULL, value);
	threads(value, NULL, value);
	return NULL;
}

static void *threads_on_dead_stream(void *s)
{
	static long value[8];

	threads(NULL, s, value);
	threads(value, s, value);
	return NULL;
}

/* No kernel of this product has threads. Between its stream and its arguments a function is looked up, among
 * the symbols first. */
static void threads_of_no_function(void)
{
	aclrtStream s = gone();
	aclrtBinHandle bin;
	aclrtFuncHandle f = function(&bin);

	(void)threads_on_dead_stream(s);
	in_thread(threads_on_dead_stream, s);
	(void)threads_here(f);
	in_thread(threads_here, f);
}

/* A stream that is gone is found before what is wrong with the launch. */
static void threads_on_gone_stream(void)
{
	static long value[8];
	aclrtBinHandle bin;
	aclrtFuncHandle f = function(&bin);
	aclrtStream s = gone();
	dim3 none = {0, 1, 1};

	threads(f, s, NULL);
	threads(f, s, value);
	row(aclrtLaunchSIMTKernelWithHostArgs(f, none, none, 0, s, NULL, value, 0, NULL, 0));
	row(aclrtLaunchSIMTKernelWithHostArgs(f, none, none, 0, s, NULL, value, 8, NULL, 0));
}

static void *address_of(void *f)
{
	void *cores = &cores, *others = &others;

	row(aclrtGetFunctionAddr(f, &cores, &others));
	row(cores == NULL);
	row(others == NULL);
	return NULL;
}

static void addresses_elsewhere(void)
{
	aclrtBinHandle bin;
	aclrtFuncHandle f = function(&bin);

	need(aclrtSetDevice(1));
	(void)address_of(f);
	in_thread(address_of, f);
}

/* --- captures ------------------------------------------------------------------------------------ */

static void end(aclrtStream s)
{
	aclmdlRI m = NULL;

	row(aclmdlRICaptureEnd(s, &m));
}

/* Waiting for an event of another capture is the end of both, which their ends are the first to answer. */
static aclrtStream capturing_in_vain(void)
{
	aclrtStream one = capturing(), other = capturing();
	aclrtEvent e = event_ex(ACL_EVENT_SYNC);

	need(aclrtRecordEvent(e, one));
	row(aclrtStreamWaitEvent(other, e));
	return one;
}

static void work_of_capture_in_vain(void)
{
	aclrtStream s = capturing_in_vain();
	char *d = device();
	aclrtBinHandle bin;

	row(aclrtLaunchKernel(function(&bin), 1, d, 8, s));
	row(aclrtCmoAsync(d, 64, ACL_RT_CMO_TYPE_PREFETCH, s));
	row(aclrtCmoAsync(d, 64, (aclrtCmoType)99, s));
	row(aclrtCmoAsyncWithBarrier(d, 64, ACL_RT_CMO_TYPE_PREFETCH, 1, s));
	row(aclrtResetDeviceResLimit(0));
	end(s);
}

static void overflow_in_capture(void)
{
	aclrtStream s = capturing();

	row(aclrtResetFloatOverflowStatus(s));
	row(aclrtGetFloatOverflowStatus(NULL, 64, s));
	row(aclrtGetFloatOverflowStatus(device(), 64, s));
	row(aclrtResetStreamResLimit(s));
	end(s);
}

static void launch_on_joined_stream(void)
{
	aclrtEvent fork = event_ex(ACL_EVENT_SYNC), join = event_ex(ACL_EVENT_SYNC);
	aclrtStream s = stream(), joined = stream();
	aclrtBinHandle bin;

	need(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	need(aclrtRecordEvent(fork, s));
	need(aclrtStreamWaitEvent(joined, fork));
	row(aclrtLaunchKernelV2(function(&bin), 1, device(), 8, NULL, joined));
	row(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, 3));
	need(aclrtRecordEvent(join, joined));
	need(aclrtStreamWaitEvent(s, join));
	end(s);
}

/* --- others -------------------------------------------------------------------------------------- */

static void *cached;

static void *cache(void *s)
{
	for (int type = ACL_RT_CMO_TYPE_PREFETCH; type <= ACL_RT_CMO_TYPE_FLUSH + 1; type++)
		row(aclrtCmoAsync(cached, 64, (aclrtCmoType)type, s));
	row(aclrtCmoAsync(cached, 0, (aclrtCmoType)99, s));
	return NULL;
}

/* All types that there are go there; what is none of them is looked at before the stream. */
static void types_of_cache_work(void)
{
	cached = device();
	(void)cache(stream());
	(void)cache(gone());
	in_thread(cache, NULL);
}

static void subscriptions_of_other_threads(void)
{
	aclrtStream s = stream();

	row(aclrtUnSubscribeReport(7, s));
	need(aclrtSubscribeReport((uint64_t)pthread_self(), s));
	row(aclrtUnSubscribeReport(7, s));
	row(aclrtUnSubscribeReport(7, gone()));
}

static void last_error_on_other_device(void)
{
	aclrtStream s = stream();
	aclrtContext other;

	need(aclrtCreateContext(&other, 0));
	row(aclrtDestroyStream(s));
	need(aclrtSetDevice(1));
	row(aclrtGetLastError((aclrtLastErrLevel)1));
	row(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
	row(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
}

static void *options_here(void *unused)
{
	void *where;

	row(aclrtCtxSetSysParamOpt((aclSysParamOpt)9, -1));
	row(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, -1));
	row(aclrtCtxGetFloatOverflowAddr(NULL));
	row(aclrtCtxGetFloatOverflowAddr(&where));
	row(aclrtResetStreamResLimit(NULL));
	row(aclrtSetStreamOverflowSwitch(NULL, 0));
	return unused;
}

static void options_without_device(void)
{
	in_thread(options_here, NULL);
}

/* --- arguments that are wrong together -------------------------------------------------- */

static aclrtStream dead;

static void *switch_without_device(void *s)
{
	void *left = (void *)64, *right = (void *)128;

	row(aclrtSwitchStream(left, ACL_RT_EQUAL, right, ACL_RT_SWITCH_INT32, dead, NULL, s));
	row(aclrtSwitchStream(left, ACL_RT_EQUAL, right, ACL_RT_SWITCH_INT32, s, NULL, dead));
	row(aclrtSwitchStream(NULL, ACL_RT_EQUAL, right, ACL_RT_SWITCH_INT32, s, NULL, dead));
	row(aclrtSwitchStream(left, ACL_RT_EQUAL, right, ACL_RT_SWITCH_INT32, s, NULL, s));
	return NULL;
}

static void switches_elsewhere(void)
{
	aclrtStream s = stream();

	dead = gone();
	in_thread(switch_without_device, s);
}

static void records_wrong_twice(void)
{
	aclrtEvent lost = event(ACL_EVENT_SYNC), external = event(ACL_EVENT_EXTERNAL);
	aclrtStream s = stream();

	dead = gone();
	need(aclrtDestroyEvent(lost));
	row(aclrtRecordEventWithFlag(NULL, dead, 7));
	row(aclrtRecordEventWithFlag(lost, dead, 7));
	row(aclrtRecordEventWithFlag(lost, s, ACL_EVENT_RECORD_EXTERNAL));
	row(aclrtRecordEventWithFlag(external, dead, ACL_EVENT_RECORD_EXTERNAL));
}

static void from_symbol(void *to, size_t room, const void *symbol, aclrtMemcpyKind kind)
{
	row(aclrtMemcpyFromSymbolAsync(to, room, symbol, 16, 0, kind, dead));
}

static void symbols_wrong_twice(void)
{
	static int unknown;
	char to[16];

	dead = gone();
	row(aclrtMemcpyFromSymbolAsync(NULL, 0, NULL, 0, 9, (aclrtMemcpyKind)99, dead));
	from_symbol(NULL, 16, NULL, ACL_MEMCPY_DEVICE_TO_HOST);
	from_symbol(to, 8, &unknown, ACL_MEMCPY_DEVICE_TO_HOST);
	from_symbol(to, 16, &unknown, ACL_MEMCPY_HOST_TO_DEVICE);
	from_symbol(to, 16, &unknown, ACL_MEMCPY_DEVICE_TO_HOST);
}

static aclrtMemPool pool_with(aclrtMemPoolProps props)
{
	aclrtMemPool pool = NULL;

	row(aclrtMemPoolCreate(&pool, &props));
	return pool;
}

static void *nothing_of_pool(void *pool)
{
	void *p;

	row(aclrtMemPoolMallocAsync(&p, 0, pool, dead));
	row(aclrtMemPoolMallocAsync(&p, SIZE_MAX, pool, dead));
	return NULL;
}

static void pools_made_wrongly(void)
{
	aclrtMemPoolProps good = {.location.type = ACL_MEM_LOCATION_TYPE_DEVICE}, bad = good;

	bad.reserved[0] = 1;
	(void)pool_with(bad);
	bad.maxSize = (size_t)1 << 50;
	(void)pool_with(bad);
	bad.reserved[0] = 0;
	(void)pool_with(bad);
	dead = gone();
	in_thread(nothing_of_pool, pool_with(good));
}

static void arguments_of_no_exception(void)
{
	static long zeros[512];
	const aclrtExceptionInfo *info = (const void *)zeros;
	uint32_t n;
	void *p;

	row(aclrtGetArgsFromExceptionInfo(info, NULL, &n));
	row(aclrtGetArgsFromExceptionInfo(info, &p, NULL));
	row(aclrtGetArgsFromExceptionInfo(info, &p, &n));
}

static void *give_up(void *s)
{
	row(aclrtUnuseStreamResInCurrentThread(s));
	return NULL;
}

/* NULL is the default stream, which is not the one in use. */
static void limits_of_default_stream_given_up(void)
{
	aclrtStream s = stream();
	uint32_t cores = 0;

	need(aclrtSetStreamResLimit(s, ACL_RT_DEV_RES_CUBE_CORE, 2));
	row(aclrtUseStreamResInCurrentThread(s));
	give_up(NULL);
	row(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_CUBE_CORE, &cores));
	row(cores);
	give_up(s);
	in_thread(give_up, NULL);
}

const struct row rows_drawn[] = {ROW(functions_gone_without_device), ROW(parameters_of_unknown_kernels),
	ROW(lists_completed), ROW(tasks_set_twice), ROW(reset_of_another_device),
	ROW(updates_of_unknown_tasks), ROW(arrays_without_device), ROW(array_without_device_on_dead_stream),
	ROW(buffers_of_finished_list), ROW(list_changed_elsewhere), ROW(snapshot_without_callback),
	ROW(streams_bound_with_unknown_flag), ROW(parameters_of_another_list), ROW(binary_loaded_late),
	ROW(room_for_padding), ROW(subscriptions_on_two_devices), ROW(limits_of_used_stream),
	ROW(label_set_twice), ROW(threads_of_no_function), ROW(threads_on_gone_stream),
	ROW(addresses_elsewhere), ROW(work_of_capture_in_vain), ROW(overflow_in_capture),
	ROW(launch_on_joined_stream), ROW(types_of_cache_work), ROW(subscriptions_of_other_threads),
	ROW(last_error_on_other_device), ROW(options_without_device), ROW(switches_elsewhere),
	ROW(records_wrong_twice), ROW(symbols_wrong_twice), ROW(pools_made_wrongly),
	ROW(arguments_of_no_exception), ROW(limits_of_default_stream_given_up), {NULL, NULL}};
