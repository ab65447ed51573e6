/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of devices, and of what is done to memory and binaries in a context: read in the published source. */
#include <semaphore.h>
#include <stdint.h>
#include <unistd.h>

#include "acl/acl_rt_memory_soma.h"
#include "rows.h"

static int order, failing;

/* The argument is a digit; one after the abortion is 2 more than the same before it. */
static int32_t aborted(int32_t device, aclrtDeviceTaskAbortStage stage, uint32_t timeout, void *digit)
{
	int which = *(char *)digit - '0' + (stage == ACL_RT_DEVICE_TASK_ABORT_POST ? 2 : 0);

	(void)device;
	(void)timeout;
	order = order * 10 + which;
	return which == failing ? 55 : 0;
}

static void abortion(int32_t device, int fails)
{
	order = 0;
	failing = fails;
	row(aclrtDeviceTaskAbort(device, 0));
	row(order);
}

static void abort_callbacks(void)
{
	need(aclrtSetDeviceTaskAbortCallback("b", aborted, "2"));
	need(aclrtSetDeviceTaskAbortCallback("a", aborted, "1"));
	abortion(0, 0);
}

static void abort_callbacks_not_called(void)
{
	need(aclrtSetDeviceTaskAbortCallback("a", aborted, "1"));
	need(aclrtSetDeviceTaskAbortCallback("b", aborted, "2"));
	abortion(1, 0);
	abortion(0, 3);
	abortion(0, 1);
}

static void device_state(int32_t device, aclrtDeviceState state, void *args)
{
	(void)device, (void)state, (void)args;
}

static void stream_state(aclrtStream s, aclrtStreamState state, void *args)
{
	(void)s, (void)state, (void)args;
}

/* The empty name is a name: registered once, and not known any more afterwards. */
static void callbacks_of_the_empty_name(void)
{
	for (int i = 0; i < 2; i++) {
		row(aclrtRegDeviceStateCallback("", device_state, NULL));
		row(aclrtRegStreamStateCallback("", stream_state, NULL));
		row(aclrtSetDeviceTaskAbortCallback("", aborted, "1"));
	}
	row(aclrtRegDeviceStateCallback("", NULL, NULL));
	row(aclrtRegStreamStateCallback("", NULL, NULL));
	row(aclrtSetDeviceTaskAbortCallback("", NULL, NULL));
	row(aclrtRegDeviceStateCallback("", device_state, NULL));
}

static void created(aclrtStream s, aclrtStreamState state, void *digit)
{
	(void)s;
	if (state == ACL_RT_STREAM_STATE_CREATE_POST)
		order = order * 10 + *(char *)digit - '0';
}

static void stream_callbacks(void)
{
	need(aclrtRegStreamStateCallback("b", created, "2"));
	need(aclrtRegStreamStateCallback("c", created, "3"));
	need(aclrtRegStreamStateCallback("a", created, "1"));
	(void)stream();
	row(order);
}

static void wait_for(aclrtCmoType type, uint32_t barrier)
{
	aclrtBarrierTaskInfo info = {.barrierNum = 1, .cmoInfo = {{type, barrier}}};

	row(aclrtCmoWaitBarrier(&info, NULL, 0));
}

static void barriers_on_other_chip(void)
{
	wait_for(ACL_RT_CMO_TYPE_PREFETCH, 1);
	wait_for(ACL_RT_CMO_TYPE_INVALID, 0);
	wait_for(ACL_RT_CMO_TYPE_INVALID, 1);
}

static void *global_of(void *bin)
{
	void *at;

	row(aclrtBinaryGetGlobal(bin, "of no variable", &at, NULL));
	return NULL;
}

static void globals_without_device(void)
{
	aclrtBinHandle bin;

	need(aclrtBinaryLoadFromData("binary", 6, NULL, &bin));
	in_thread(global_of, bin);
	(void)global_of(bin);
	need(aclrtBinaryUnLoad(bin));
	in_thread(global_of, bin);
}

struct pooled {
	aclrtMemPool pool;
	aclrtStream s;
	void *memory;
};

static void *memory_of_pool(void *argument)
{
	const struct pooled *p = argument;
	void *memory;

	row(aclrtMemPoolMallocAsync(&memory, 64, p->pool, p->s));
	row(aclrtMemPoolFreeAsync(p->memory, p->s));
	return NULL;
}

static void pools_without_device(void)
{
	aclrtMemPoolProps props = {.location.type = ACL_MEM_LOCATION_TYPE_DEVICE, .maxSize = MIB2};
	struct pooled p = {.s = stream()};
	aclrtContext other;

	need(aclrtMemPoolCreate(&p.pool, &props));
	need(aclrtMemPoolMallocAsync(&p.memory, 64, p.pool, p.s));
	in_thread(memory_of_pool, &p);
	need(aclrtCreateContext(&other, 0));
	(void)memory_of_pool(&p);
}

static void attribute_of(aclrtMemLocationType type, aclrtMemAttr asked)
{
	aclrtPhysicalMemProp prop = {.location.type = type, .memAttr = asked};
	aclrtDrvMemHandle h;

	need(aclrtMallocPhysical(&h, MIB2, &prop, 0));
	memset(&prop, -1, sizeof(prop));
	row(aclrtMemGetAllocationPropertiesFromHandle(h, &prop));
	row(prop.memAttr);
	need(aclrtFreePhysical(h));
}

static void attributes_of_memory(void)
{
	attribute_of(ACL_MEM_LOCATION_TYPE_DEVICE, ACL_MEM_HUGE);
	attribute_of(ACL_MEM_LOCATION_TYPE_DEVICE, ACL_MEM_NORMAL);
	attribute_of(ACL_MEM_LOCATION_TYPE_DEVICE, ACL_MEM_P2P_HUGE);
	attribute_of(ACL_MEM_LOCATION_TYPE_DEVICE, ACL_HBM_MEM_NORMAL);
	attribute_of(ACL_MEM_LOCATION_TYPE_HOST, ACL_MEM_HUGE);
	attribute_of(ACL_MEM_LOCATION_TYPE_HOST, ACL_DDR_MEM_NORMAL);
	attribute_of(ACL_MEM_LOCATION_TYPE_HOST, ACL_MEM_P2P_NORMAL);
}

static void information(aclrtDevAttr attr)
{
	int64_t value = -1;

	row(aclrtGetDeviceInfo(0, attr, &value));
	row((long)value);
}

static void information_about_threads(void)
{
	information(ACL_DEV_ATTR_WARP_SIZE);
	information(ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE);
	information(ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE);
	information(ACL_DEV_ATTR_MAX_GRID_DIM_X);
	information(ACL_DEV_ATTR_MAX_BLOCK_DIM_Z);
}

static void *capability_of_update(void *about)
{
	const int32_t *device = about;
	int32_t value = -1;

	row(aclrtGetDeviceCapability(*device, ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV, &value));
	row(value);
	return NULL;
}

static void capabilities(void)
{
	int32_t device = 0, none = 99;

	(void)capability_of_update(&device);
	in_thread(capability_of_update, &device);
	in_thread(capability_of_update, &none);
}

/* A stream in a model that is built. */
static aclmdlRI bound(aclrtStream *s)
{
	aclmdlRI m = NULL;

	need(aclrtCreateStreamWithConfig(s, 0, ACL_STREAM_PERSISTENT));
	need(aclmdlRIBuildBegin(&m, 0));
	need(aclmdlRIBindStream(m, *s, ACL_MODEL_STREAM_FLAG_DEFAULT));
	return m;
}

/* Unbinding, or the end of the model, makes a stream an ordinary one again. */
static void streams_unbound(void)
{
	aclrtEvent e = event(ACL_EVENT_SYNC);
	aclrtStream s, of_none;
	aclmdlRI m = bound(&s);

	row(aclrtSetStreamFailureMode(s, ACL_STOP_ON_FAILURE));
	row(aclrtStreamAbort(s));
	need(aclmdlRIUnbindStream(m, s));
	row(aclrtSetStreamFailureMode(s, ACL_STOP_ON_FAILURE));
	row(aclrtStreamAbort(s));
	row(aclrtRecordEvent(e, s));
	row(aclrtSynchronizeEventWithTimeout(e, 5000));
	need(aclmdlRIDestroy(bound(&of_none)));
	row(aclrtSetStreamFailureMode(of_none, ACL_STOP_ON_FAILURE));
	row(aclrtStreamAbort(of_none));
}

/* What counts is whether the stream is bound when the event is waited for. */
static void event_of_a_stream_bound_later(void)
{
	aclrtEvent e = event(ACL_EVENT_SYNC);
	aclrtStream s;
	aclmdlRI m = bound(&s);

	need(aclmdlRIUnbindStream(m, s));
	row(aclrtRecordEvent(e, s));
	row(aclrtSynchronizeEventWithTimeout(e, 5000));
	need(aclmdlRIBindStream(m, s, ACL_MODEL_STREAM_FLAG_DEFAULT));
	row(aclrtSynchronizeEventWithTimeout(e, 5000));
	need(aclmdlRIUnbindStream(m, s));
	row(aclrtSynchronizeEventWithTimeout(e, 5000));
}

static void row_of_operators(void)
{
	uint32_t ms = 1;

	need(aclrtGetOpExecuteTimeout(&ms));
	row(ms);
}

static void times_of_operators(void)
{
	row_of_operators();
	row(aclrtSetOpExecuteTimeOut(10));
	row_of_operators();
	row(aclrtSetOpExecuteTimeOut(0));
	row_of_operators();
	row(aclrtSetOpExecuteTimeOut(5000));
	row_of_operators();
	row(aclrtSetOpExecuteTimeOutWithMs(5));
	row_of_operators();
	row(aclrtSetOpExecuteTimeOutWithMs(UINT32_MAX));
	row_of_operators();
}

/* The handle is not the device's: it is the context that lacks. */
static void notify_of_reset_device(void)
{
	aclrtNotify n;
	uint32_t id;

	need(aclrtCreateNotify(&n, 0));
	need(aclrtResetDevice(0));
	row(aclrtWaitAndResetNotify(n, NULL, 0));
	row(aclrtRecordNotify(n, NULL));
	row(aclrtGetNotifyId(n, &id));
	row(aclrtNotifyBatchReset(&n, 1));
}

static void actual_time(uint64_t us)
{
	uint64_t actual = 1;

	row(aclrtSetOpExecuteTimeOutV2(us, &actual));
	row((long)actual);
}

static void actual_times_of_operators(void)
{
	uint64_t us = 1;

	row(aclrtGetOpTimeOutInterval(&us));
	row((long)us);
	actual_time(1000);
	row_of_operators();
	actual_time(4294968);
	row_of_operators();
	actual_time(254 * us);
	row_of_operators();
	actual_time(UINT64_MAX);
	actual_time(0);
	row_of_operators();
}

/* --- snapshots of the process ---------------------------------------------------------------- */

static int called, refuses;

static uint32_t on_snapshot(int32_t device, void *which)
{
	(void)device;
	called = called * 10 + *(char *)which - '0';
	return *(char *)which - '0' == refuses;
}

static void snapshot(aclError answer, int fails)
{
	row(answer);
	row(called);
	called = 0;
	refuses = fails;
}

static void snapshots_called_back(void)
{
	need(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_LOCK_PRE, on_snapshot, "1"));
	need(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_BACKUP_PRE, on_snapshot, "2"));
	need(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_BACKUP_POST, on_snapshot, "3"));
	need(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_RESTORE_PRE, on_snapshot, "4"));
	need(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_RESTORE_POST, on_snapshot, "5"));
	need(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_UNLOCK_POST, on_snapshot, "6"));
	snapshot(aclrtSnapShotProcessBackup(getpid(), NULL), 0);
	snapshot(aclrtSnapShotProcessLock(getpid(), NULL), 0);
	snapshot(aclrtSnapShotProcessRestore(getpid(), NULL), 0);
	snapshot(aclrtSnapShotProcessLock(getpid(), NULL), 3);
	snapshot(aclrtSnapShotProcessBackup(getpid(), NULL), 0);
	snapshot(aclrtSnapShotProcessBackup(getpid(), NULL), 5);
	snapshot(aclrtSnapShotProcessRestore(getpid(), NULL), 0);
	snapshot(aclrtSnapShotProcessRestore(getpid(), NULL), 0);
	snapshot(aclrtSnapShotProcessUnlock(getpid(), NULL), 0);
	snapshot(aclrtSnapShotProcessUnlock(getpid(), NULL), 0);
}

/* The contexts of any device can be backed up; where there is none, nothing is called. */
static void snapshots_without_context(void)
{
	need(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_BACKUP_PRE, on_snapshot, "2"));
	need(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_BACKUP_POST, on_snapshot, "3"));
	need(aclrtResetDevice(0));
	snapshot(aclrtSnapShotProcessLock(getpid(), NULL), 0);
	snapshot(aclrtSnapShotProcessBackup(getpid(), NULL), 0);
	snapshot(aclrtSnapShotProcessUnlock(getpid(), NULL), 0);
	need(aclrtSetDevice(1));
	need(aclrtSnapShotProcessLock(getpid(), NULL));
	snapshot(aclrtSnapShotProcessBackup(getpid(), NULL), 0);
	snapshot(aclrtSnapShotProcessUnlock(getpid(), NULL), 0);
}

/* Each callback is called for each device that is open, until one refuses. */
static void snapshots_of_two_devices(void)
{
	need(aclrtSetDevice(1));
	need(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_LOCK_PRE, on_snapshot, "1"));
	need(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_UNLOCK_POST, on_snapshot, "6"));
	snapshot(aclrtSnapShotProcessLock(getpid(), NULL), 0);
	snapshot(aclrtSnapShotProcessLock(getpid(), NULL), 6);
	snapshot(aclrtSnapShotProcessUnlock(getpid(), NULL), 1);
	snapshot(aclrtSnapShotProcessLock(getpid(), NULL), 0);
	snapshot(aclrtSnapShotProcessUnlock(getpid(), NULL), 0);
}

static void errs(int32_t device, aclrtDeviceState state, void *args)
{
	(void)device, (void)state, (void)args;
	(void)aclrtSetDevice(99);
}

/* A device that is only asked for leaves no note, and a forced reset never does. */
static void devices_that_are_not_last(void)
{
	char handle[sizeof(aclrtMemFabricHandle)] = "";
	aclrtDrvMemHandle memory;
	aclrtCntNotify counting;
	aclrtContext c;
	int64_t value;

	code_and_last(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
	code_and_last(aclrtResetDeviceForce(99));
	code_and_last(aclrtResetDevice(99));
	need(aclrtRegDeviceStateCallback("errs", errs, NULL));
	code_and_last(aclrtResetDeviceForce(0));
	need(aclrtRegDeviceStateCallback("errs", NULL, NULL));
	code_and_last(aclrtResetDeviceForce(0));
	code_and_last(aclrtGetCurrentContext(&c));
	code_and_last(aclrtCntNotifyCreate(&counting, 0));
	code_and_last(aclrtDeviceEnablePeerAccess(1, 0));
	code_and_last(aclrtDeviceDisablePeerAccess(1));
	code_and_last(
		aclrtMemImportFromShareableHandleV2(handle, ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, 0, &memory));
	code_and_last(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
}

static void begun(void *semaphore)
{
	sem_post(semaphore);
}

/* What is aborted has begun. */
static void execute_and_abort(aclmdlRI m, aclrtStream s, sem_t *begins)
{
	need(aclmdlRIExecuteAsync(m, s));
	need(sem_wait(begins));
	need(aclmdlRIAbort(m));
}

/* An abort is a state of the stream, which goes with what reads it; not every task can be changed. */
static void models_that_are_not_last(void)
{
	aclrtStream s, x = stream();
	aclmdlRITask task = NULL;
	uint64_t *word = device();
	uint32_t n = 1, number;
	sem_t begins;
	aclmdlRI m;

	need(sem_init(&begins, 0, 0));
	need(aclrtCreateStreamWithConfig(&s, 0, ACL_STREAM_PERSISTENT));
	need(aclmdlRIBuildBegin(&m, 0));
	need(aclmdlRIBindStream(m, s, ACL_MODEL_STREAM_FLAG_HEAD));
	need(aclrtMemset(word, 64, 0, 64));
	need(aclrtLaunchHostFunc(s, begun, &begins));
	need(aclrtValueWait(word, 1, 0, s));
	need(aclmdlRIEndTask(m, s));
	need(aclmdlRIBuildEnd(m, NULL));
	execute_and_abort(m, x, &begins);
	code_and_last(aclrtSynchronizeStream(x));
	execute_and_abort(m, x, &begins);
	code_and_last(aclrtSynchronizeStreamWithTimeout(x, 5000));
	code_and_last(aclrtSynchronizeStream(x));

	m = bound(&s);
	need(aclrtMemsetAsync(word, 64, 0, 64, s));
	need(aclmdlRIGetTasksByStream(s, &task, &n));
	code_and_last(aclmdlRITaskDisable(task));
	code_and_last(aclmdlRITaskGetSeqId(task, &number));
}

const struct row rows_devices[] = {ROW(abort_callbacks), ROW(abort_callbacks_not_called),
	ROW(callbacks_of_the_empty_name), ROW(notify_of_reset_device), ROW(stream_callbacks),
	ROW(barriers_on_other_chip), ROW(globals_without_device), ROW(pools_without_device),
	ROW(attributes_of_memory), ROW(information_about_threads), ROW(capabilities), ROW(streams_unbound),
	ROW(event_of_a_stream_bound_later), ROW(times_of_operators), ROW(actual_times_of_operators),
	ROW(snapshots_called_back), ROW(snapshots_without_context), ROW(snapshots_of_two_devices),
	ROW(devices_that_are_not_last), ROW(models_that_are_not_last), {NULL, NULL}};
