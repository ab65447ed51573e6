/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of functions and situations that were drawn by lot, foretold from the published source. */
#include <math.h>
#include <stdint.h>
#include <unistd.h>

#include "acl/acl_rt_memory_soma.h"
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

/* --- states: another context, an invalid capture, a callback's thread ----------------------------- */

#define INNER ACL_MEMCPY_INNER_DEVICE_TO_DEVICE

static aclrtStream gone_stream(void)
{
	aclrtStream s = stream();

	need(aclrtDestroyStream(s));
	return s;
}

static aclrtContext another_context(void)
{
	aclrtContext context;

	need(aclrtCreateContext(&context, 0));
	return context;
}

static void leave_context(aclrtContext left)
{
	aclrtContext context = another_context();

	need(aclrtDestroyContext(left));
	need(aclrtSetCurrentContext(context));
}

static void row_of_end(aclrtStream s)
{
	aclmdlRI m;

	row(aclmdlRICaptureEnd(s, &m));
}

/* What the stream is, the kind, where the descriptor is and how it is aligned, whose the stream is. */
static void copies_by_descriptor_elsewhere(void)
{
	static char host[256] __attribute__((aligned(64)));
	aclrtStream s = stream(), gone;
	aclrtEvent e = event(ACL_EVENT_SYNC);
	char *desc = device();

	need(aclrtSetMemcpyDesc(desc, INNER, device(), device(), 64, NULL));
	another_context();
	gone = gone_stream();
	row(aclrtMemcpyAsyncWithDesc(desc, INNER, e));
	row(aclrtMemcpyAsyncWithDesc(desc, ACL_MEMCPY_DEVICE_TO_DEVICE, gone));
	row(aclrtMemcpyAsyncWithDesc(desc + 8, INNER, gone));
	row(aclrtMemcpyAsyncWithDesc(desc, ACL_MEMCPY_DEVICE_TO_DEVICE, s));
	row(aclrtMemcpyAsyncWithDesc(host, INNER, s));
	row(aclrtMemcpyAsyncWithDesc(desc + 8, INNER, s));
	row(aclrtMemcpyAsyncWithDesc(desc, INNER, s));
}

/* A copy that became a synchronous one answers a code of its own, the default stream's, too. */
static void copies_to_default_stream_amid_a_capture(void)
{
	char from[64] = "", to[64];
	void *d = device(), *h;
	aclrtStream s = stream();

	need(aclrtMallocHost(&h, 64));
	need(aclmdlRICaptureBegin(s, GLOBAL));
	row(aclrtMemcpyAsync(d, 64, from, 64, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
	row(aclrtMemcpyAsync(d, 64, h, 64, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
	row(aclrtMemcpyAsync(to, 64, from, 64, ACL_MEMCPY_HOST_TO_HOST, NULL));
	row_of_end(s);
}

static void make_invalid(aclrtStream a, aclrtStream b, aclmdlRICaptureMode mode)
{
	aclrtEvent e = event_ex(ACL_EVENT_SYNC);

	need(aclmdlRICaptureBegin(a, mode));
	need(aclmdlRICaptureBegin(b, mode));
	need(aclrtRecordEvent(e, a));
	row(aclrtStreamWaitEvent(b, e));
}

/* Whose the stream is is asked before what became of its capture. */
static void devices_amid_an_invalid_capture(void)
{
	aclrtStream s = stream();

	make_invalid(s, stream(), RELAXED);
	row(aclrtSetDevice(0));
	row(aclrtSetDevice(1));
	row_of_end(s);
	row(aclrtSetDevice(0));
	row_of_end(s);
}

/* Until its end an invalid capture forbids what any capture does. */
static void descriptors_amid_invalid_captures(void)
{
	aclrtStream a = stream(), b = stream();
	void *desc = device(), *d = device();

	make_invalid(a, b, GLOBAL);
	row(aclrtCmoSetDesc(desc, d, 64));
	row_of_end(a);
	row(aclrtCmoSetDesc(desc, d, 64));
	row_of_end(b);
	row(aclrtCmoSetDesc(desc, d, 64));
}

static pthread_barrier_t report_subscribed;

static void *process_one_report(void *unused)
{
	(void)pthread_barrier_wait(&report_subscribed);
	need(aclrtProcessReport(10000));
	return unused;
}

/* The thread that the function is called in has no device. */
static void in_callback(aclrtCallback fn, void *argument)
{
	aclrtStream s = stream();
	pthread_t t;

	need(pthread_barrier_init(&report_subscribed, NULL, 2));
	need(pthread_create(&t, NULL, process_one_report, NULL));
	need(aclrtSubscribeReport((uint64_t)t, s));
	(void)pthread_barrier_wait(&report_subscribed);
	need(aclrtLaunchCallback(fn, argument, ACL_CALLBACK_BLOCK, s));
	need(aclrtSynchronizeStream(s));
	need(pthread_join(t, NULL));
}

static void lists_of(void *label)
{
	aclrtLabelList list;

	row(aclrtCreateLabelList(&label, 1, &list));
	row(aclrtCreateLabelList(&label, 0, &list));
	row(aclrtCreateLabelList(&label, 1, NULL));
}

/* The number is looked at before there is a context. */
static void lists_of_labels_in_a_callback(void)
{
	aclrtLabel label;

	need(aclrtCreateLabel(&label));
	in_callback(lists_of, label);
}

static void pids_of(void *notify)
{
	int32_t pid = 1;

	row(aclrtNotifySetImportPid(notify, &pid, 0));
	row(aclrtNotifySetImportPid(notify, NULL, 1));
}

static void notifies_in_a_callback(void)
{
	aclrtNotify live, gone;

	need(aclrtCreateNotify(&live, ACL_NOTIFY_DEFAULT));
	need(aclrtCreateNotify(&gone, ACL_NOTIFY_DEFAULT));
	need(aclrtDestroyNotify(gone));
	in_callback(pids_of, live);
	in_callback(pids_of, gone);
}

/* A pool belongs to the device. */
static void pool_of_a_context_gone(void)
{
	aclrtMemPoolProps props = {.location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}, .maxSize = 2 * MIB2};
	aclrtContext context = another_context();
	uint64_t value = 77;
	aclrtMemPool pool;

	need(aclrtMemPoolCreate(&pool, &props));
	leave_context(context);
	row(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &value));
	row((long)value);
	value = 64;
	row(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value));
	value = 77;
	row(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value));
	row((long)value);
}

static void priorities_without_device(void)
{
	int32_t least = 77, greatest = 77;

	need(aclrtResetDeviceForce(0));
	row(aclrtDeviceGetStreamPriorityRange(&least, &greatest));
	row(least);
	row(greatest);
}

/* A group is asked for where there is a capture, and that before whose the stream is. */
static void group_ends_wrong_twice(void)
{
	aclrtStream idle = stream(), s = capturing(), gone;
	aclrtTaskGrp g;

	another_context();
	gone = gone_stream();
	row(aclmdlRICaptureTaskGrpEnd(NULL, NULL));
	row(aclmdlRICaptureTaskGrpEnd(gone, NULL));
	row(aclmdlRICaptureTaskGrpEnd(idle, &g));
	row(aclmdlRICaptureTaskGrpEnd(s, &g));
}

/* The flag is looked at before the context. */
static void builds_after_a_reset(void)
{
	aclmdlRI m;

	need(aclrtResetDeviceForce(0));
	row(aclmdlRIBuildBegin(&m, 0));
	row(aclmdlRIBuildBegin(&m, 1));
	row(aclmdlRIBuildBegin(NULL, 1));
	need(aclrtSetDevice(0));
	row(aclmdlRIBuildBegin(&m, 0));
}

static void memory_registered_amid_a_capture(void)
{
	static char memory[4096] __attribute__((aligned(4096)));
	aclrtStream s = stream();
	void *d;

	need(aclmdlRICaptureBegin(s, GLOBAL));
	row(aclrtHostRegister(memory, sizeof(memory), ACL_HOST_REGISTER_MAPPED, &d));
	row(aclrtHostUnregister(memory));
	row(aclrtHostUnregister(memory));
	row_of_end(s);
}

/* The type is the outer layer's, the stream is looked at before everything else. */
static void sums_on_no_stream(void)
{
	void *d = device(), *from = device();
	aclrtEvent e = event(ACL_EVENT_SYNC);
	aclrtNotify n;

	need(aclrtCreateNotify(&n, ACL_NOTIFY_DEFAULT));
	another_context();
	row(aclrtReduceAsync(d, from, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_BOOL, e, NULL));
	row(aclrtReduceAsync(d, from, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, e, NULL));
	row(aclrtReduceAsync(d, from, 0, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, n, NULL));
}

/* It is as many bytes as there are reserved words that are compared. */
static void repairs_with_reserved_words(void)
{
	aclrtMemUceInfo memory = {0};
	aclError plain = aclrtMemUceRepair(0, &memory, 1);

	memory.reserved[1] = (size_t)1 << 40;
	row(aclrtMemUceRepair(0, &memory, 1));
	memory.reserved[1] = (size_t)1 << 48;
	row(aclrtMemUceRepair(0, &memory, 1) == plain);
	memory.reserved[13] = 1;
	row(aclrtMemUceRepair(0, &memory, 1) == plain);
}

/* A notify is no counting notify, on a product without any as well. */
static void notify_that_does_not_count(void)
{
	aclrtCntNotifyRecordInfo info = {0};
	aclrtStream s = stream(), gone = gone_stream();
	aclrtNotify n;
	uint32_t id;

	need(aclrtCreateNotify(&n, ACL_NOTIFY_DEFAULT));
	row(aclrtCntNotifyDestroy(n));
	row(aclrtCntNotifyRecord(n, s, &info));
	row(aclrtCntNotifyReset(n, s));
	row(aclrtCntNotifyGetId(n, &id));
	row(aclrtCntNotifyRecord(NULL, s, &info));
	row(aclrtCntNotifyRecord(NULL, gone, &info));
	row(aclrtDestroyNotify(n));
	row(aclrtCntNotifyDestroy(n));
}

/* --- more of the same: two mistakes in one call, a callback's thread, another context ------------- */

/* Whether the device is there is asked for, whether it is set is not. */
static void faults_of_memory_wrong_twice(void)
{
	aclrtMemUceInfo info[1];
	size_t n = 7;

	row(aclrtGetMemUceInfo(99, NULL, 0, NULL));
	row(aclrtGetMemUceInfo(99, info, 0, &n));
	row(aclrtGetMemUceInfo(1, info, 0, NULL));
	row(aclrtGetMemUceInfo(1, info, 0, &n));
	row((long)n);
}

static void users_of_devices(void)
{
	int32_t id = 7;

	row(aclrtGetUserDevIdByPhyDevId(-1, NULL));
	row(aclrtGetUserDevIdByPhyDevId(-1, &id));
	row(aclrtGetUserDevIdByPhyDevId(99, &id));
	row(aclrtGetUserDevIdByPhyDevId(0, &id));
	row(id);
}

/* A negative number, the type, the number, whether it is set. */
static void limits_wrong_twice(void)
{
	const aclrtDevResLimitType unknown = (aclrtDevResLimitType)9;
	uint32_t value;

	row(aclrtGetDeviceResLimit(-1, unknown, NULL));
	row(aclrtGetDeviceResLimit(-1, unknown, &value));
	row(aclrtGetDeviceResLimit(99, unknown, &value));
	row(aclrtGetDeviceResLimit(1, unknown, &value));
	row(aclrtGetDeviceResLimit(1, ACL_RT_DEV_RES_CUBE_CORE, &value));
}

struct handles {
	void *live, *gone;
	aclrtStream stream, gone_stream;
};

static struct handles handles_of_notifies(void)
{
	struct handles h = {.stream = stream(), .gone_stream = stream()};
	aclrtStream other = stream();

	need(aclrtCreateNotify((aclrtNotify *)&h.live, ACL_NOTIFY_DEFAULT));
	need(aclrtCreateNotify((aclrtNotify *)&h.gone, ACL_NOTIFY_DEFAULT));
	need(aclrtDestroyNotify(h.gone));
	need(aclrtDestroyStream(h.gone_stream));
	need(aclrtDestroyStream(other)); /* the callback's stream may take the place of this one */
	return h;
}

static void record_here(void *data)
{
	struct handles *h = data;

	row(aclrtRecordNotify(NULL, h->gone_stream));
	row(aclrtRecordNotify(h->gone, h->stream));
	row(aclrtRecordNotify(h->live, h->gone_stream));
	row(aclrtRecordNotify(h->live, h->stream));
	row(aclrtRecordNotify(h->live, NULL));
}

/* Both handles come before the context. */
static void records_of_notifies_in_a_callback(void)
{
	struct handles h = handles_of_notifies();

	in_callback(record_here, &h);
}

static void export_here(void *data)
{
	struct handles *h = data;
	char key[128];

	row(aclrtNotifyGetExportKey(h->gone, key, 0, 9));
	row(aclrtNotifyGetExportKey(h->live, key, 0, 0));
	row(aclrtNotifyGetExportKey(h->live, key, sizeof(key), 9));
	row(aclrtNotifyGetExportKey(h->live, key, sizeof(key), 0));
}

/* No context is needed. */
static void keys_of_notifies_in_a_callback(void)
{
	struct handles h = handles_of_notifies();

	in_callback(export_here, &h);
}

static void wait_here(void *data)
{
	struct handles *h = data;

	row(aclrtSynchronizeEventWithTimeout(NULL, -2));
	row(aclrtSynchronizeEventWithTimeout(NULL, 5));
	row(aclrtSynchronizeEventWithTimeout(h->gone, 5));
	row(aclrtSynchronizeEventWithTimeout(h->live, 5));
}

/* Nor is one to wait for an event. */
static void events_waited_for_in_a_callback(void)
{
	struct handles h = {.live = event(ACL_EVENT_SYNC), .gone = event(ACL_EVENT_SYNC), .stream = stream()};

	need(aclrtDestroyEvent(h.gone));
	need(aclrtRecordEvent(h.live, h.stream));
	need(aclrtSynchronizeStream(h.stream));
	in_callback(wait_here, &h);
}

static void begin_here(void *f)
{
	aclrtArgsHandle list;

	row(aclrtKernelArgsInit(NULL, &list));
	row(aclrtKernelArgsInit(f, NULL));
	row(aclrtKernelArgsInit(f, &list));
}

static void lists_begun_in_a_callback(void)
{
	in_callback(begin_here, function());
}

static void default_stream_is_not_captured(void)
{
	aclmdlRICaptureStatus status = (aclmdlRICaptureStatus)7;
	aclrtStream s;
	aclmdlRI m = (aclmdlRI)&s;

	need(aclrtCtxGetCurrentDefaultStream(&s));
	row(aclmdlRICaptureGetInfo(s, &status, &m));
	row(status);
	row(m == NULL);
}

static void options_amid_an_invalid_capture(void)
{
	aclrtStream s = stream();
	int64_t value = 7;

	make_invalid(s, stream(), RELAXED);
	row(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
	row(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
	row((long)value);
	row(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 9));
	row(aclrtCtxSetSysParamOpt((aclSysParamOpt)99, 9));
	row_of_end(s);
}

/* The kind comes before everything, and a capture that is invalid takes the copy. */
static void offsets_amid_an_invalid_capture(void)
{
	void *to = device(), **to_there = device(), *from = device();
	const void **from_there = device();
	aclrtStream s = stream();

	need(aclrtMemcpy(to_there, sizeof(to), &to, sizeof(to), ACL_MEMCPY_HOST_TO_DEVICE));
	need(aclrtMemcpy(from_there, sizeof(from), &from, sizeof(from), ACL_MEMCPY_HOST_TO_DEVICE));
	make_invalid(s, stream(), RELAXED);
	row(aclrtMemcpyAsyncWithOffset(to_there, 4096, 0, from_there, 64, 0, INNER, s));
	row(aclrtMemcpyAsyncWithOffset(to_there, 4096, 0, from_there, 64, 0, ACL_MEMCPY_HOST_TO_DEVICE, s));
	row_of_end(s);
}

/* Ending the library ends nothing of the runtime. */
static void lock_given_back_after_the_end(void)
{
	row(aclFinalize());
	row(aclrtSnapShotProcessUnlock(getpid(), NULL));
	row(aclInit(NULL));
	row(aclrtSnapShotProcessLock(getpid(), NULL));
	row(aclrtSnapShotProcessUnlock(getpid(), NULL));
}

static void words_after_the_end(void)
{
	uint64_t five = 5, word = 0;
	aclrtStream s = stream();
	void *d = device();

	need(aclrtMemcpy(d, sizeof(five), &five, sizeof(five), ACL_MEMCPY_HOST_TO_DEVICE));
	row(aclFinalize());
	row(aclrtValueWait(d, five, 1, s));
	row(aclInit(NULL));
	row(aclrtValueWait(d, five, 1, s));
	row(aclrtSynchronizeStream(s));
	need(aclrtMemcpy(&word, sizeof(word), d, sizeof(word), ACL_MEMCPY_DEVICE_TO_HOST));
	row((long)word);
}

/* The conversions know no infinity and no NaN. */
static void halves_beyond_their_range(void)
{
	static const aclFloat16 halves[] = {0x7c00, 0xfc00, 0x7e00, 0x7fff, 0x7bff};
	static const float floats[] = {INFINITY, -INFINITY, NAN, 1e10f, -65520, 65519, -65536};

	for (size_t i = 0; i < sizeof(halves) / sizeof(halves[0]); i++)
		row((long)aclFloat16ToFloat(halves[i]));
	for (size_t i = 0; i < sizeof(floats) / sizeof(floats[0]); i++)
		row(aclFloatToFloat16(floats[i]));
}

/* --- numbers of captured tasks --------------------------------------------------------------------- */

static void sequence_of(aclrtStream s)
{
	aclmdlRITask tasks[8] = {NULL};
	uint32_t n = 8, id;

	row(aclmdlRIGetTasksByStream(s, tasks, &n));
	row(n);
	for (uint32_t i = 0; i < n; i++) {
		id = 99;
		need(aclmdlRITaskGetSeqId(tasks[i], &id));
		row(id);
	}
}

/* Tasks are counted through all streams; the end resets each event, the first execution adds a task. */
static void sequence_of_captured_tasks(void)
{
	aclrtEvent fork = event_ex(ACL_EVENT_SYNC), join = event_ex(ACL_EVENT_SYNC);
	aclrtStream s = capturing(), joined = stream(), of[2] = {NULL};
	void *d = device();
	uint32_t n = 2;
	aclmdlRI m = NULL;

	need(aclrtRecordEvent(fork, s));
	need(aclrtStreamWaitEvent(joined, fork));
	need(aclrtValueWrite(d, 1, 0, joined));
	need(aclrtRecordEvent(join, joined));
	need(aclrtStreamWaitEvent(s, join));
	row(aclmdlRICaptureEnd(s, &m));
	row(aclmdlRIGetStreams(m, of, &n));
	sequence_of(of[0]);
	sequence_of(of[1]);
	row(aclmdlRIExecuteAsync(m, s));
	row(aclmdlRIExecuteAsync(m, s));
	row(aclrtSynchronizeStream(s));
	sequence_of(of[0]);
	sequence_of(of[1]);
}

/* Tasks that do nothing keep a group apart from what is before it. */
static void tasks_before_a_group(void)
{
	aclrtStream s = capturing(), of = NULL;
	aclrtTaskGrp g = NULL;
	uint32_t n = 1;
	aclmdlRI m = NULL;

	need(aclrtValueWrite(device(), 1, 0, s));
	row(aclmdlRICaptureTaskGrpBegin(s));
	row(aclmdlRICaptureTaskGrpEnd(s, &g));
	row(aclmdlRICaptureEnd(s, &m));
	need(aclmdlRIGetStreams(m, &of, &n));
	row(aclmdlRIGetTasksByStream(of, NULL, &n));
	row(n);
}

/* So the second group interrupts the first. */
static void two_groups_at_once(void)
{
	aclrtEvent fork = event_ex(ACL_EVENT_SYNC);
	aclrtStream s = capturing(), joined = stream();
	aclrtTaskGrp g = NULL;

	need(aclrtRecordEvent(fork, s));
	need(aclrtStreamWaitEvent(joined, fork));
	row(aclmdlRICaptureTaskGrpBegin(s));
	row(aclmdlRICaptureTaskGrpBegin(joined));
	row(aclmdlRICaptureTaskGrpBegin(joined));
	row(aclmdlRICaptureTaskGrpEnd(joined, &g));
	row(aclmdlRICaptureTaskGrpEnd(s, &g));
	row_of_end(s);
}

const struct row rows_lots[] = {ROW(parameters_in_another_thread), ROW(list_begun_again),
	ROW(alignment_without_room), ROW(areas_too_large), ROW(memory_freed_amid_a_capture),
	ROW(attributes_of_no_memory), ROW(user_data_beyond_all), ROW(aborts_wrong_twice),
	ROW(barriers_of_which_one_is_wrong), ROW(builds_ended_wrongly), ROW(snapshot_callbacks_given_up),
	ROW(copies_by_descriptor_elsewhere), ROW(copies_to_default_stream_amid_a_capture),
	ROW(devices_amid_an_invalid_capture), ROW(descriptors_amid_invalid_captures),
	ROW(lists_of_labels_in_a_callback), ROW(notifies_in_a_callback), ROW(pool_of_a_context_gone),
	ROW(priorities_without_device), ROW(group_ends_wrong_twice), ROW(builds_after_a_reset),
	ROW(memory_registered_amid_a_capture), ROW(sums_on_no_stream), ROW(repairs_with_reserved_words),
	ROW(notify_that_does_not_count), ROW(faults_of_memory_wrong_twice), ROW(users_of_devices),
	ROW(limits_wrong_twice), ROW(records_of_notifies_in_a_callback), ROW(keys_of_notifies_in_a_callback),
	ROW(events_waited_for_in_a_callback), ROW(lists_begun_in_a_callback),
	ROW(default_stream_is_not_captured), ROW(options_amid_an_invalid_capture),
	ROW(offsets_amid_an_invalid_capture), ROW(lock_given_back_after_the_end), ROW(words_after_the_end),
	ROW(halves_beyond_their_range), ROW(sequence_of_captured_tasks), ROW(tasks_before_a_group),
	ROW(two_groups_at_once), {NULL, NULL}};
