/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about callbacks and the life of the process. */
#include "paired.h"

#define REPORTER pair_thread_id(1) /* a thread that processes reports */

/* --- callbacks -------------------------------------------------------------------------- */

/* NULL is the default stream of the context, and so is its handle. */
static void subscribe_default_twice(void)
{
	aclrtStream named = NULL, other = make_stream();

	CALL_DOES(aclrtCtxGetCurrentDefaultStream, 0, named = make_address(), .stream = &named);
	CALL(aclrtSubscribeReport, .threadId = pair_thread_id(1), .stream = NULL);
	CALL_FAILS(bug ? 107011 : 0, aclrtSubscribeReport, .threadId = pair_thread_id(1),
		.stream = bug ? named : other);
}

/* A stream that another library made. */
static void subscribe_foreign_twice(void)
{
	aclrtStream s = make_stream(), foreign = HANDLE;

	CALL(aclrtSubscribeReport, .threadId = pair_thread_id(1), .stream = foreign);
	CALL_FAILS(bug ? 107011 : 0, aclrtSubscribeReport, .threadId = pair_thread_id(1),
		.stream = bug ? foreign : s);
}

static void subscribe_twice(void)
{
	aclrtStream s = make_stream();

	CALL(aclrtSubscribeReport, .threadId = REPORTER, .stream = s);
	if (!bug)
		CALL(aclrtUnSubscribeReport, .threadId = REPORTER, .stream = s);
	CALL_FAILS(bug ? 107011 : 0, aclrtSubscribeReport, .threadId = REPORTER, .stream = s);
}

static void one_thread_two_devices(void)
{
	aclrtStream s = make_stream(), t;

	CALL(aclrtSubscribeReport, .threadId = REPORTER, .stream = s);
	CALL(aclrtSetDevice, .deviceId = bug ? 1 : 0);
	t = make_stream();
	CALL_FAILS(bug ? 107012 : 0, aclrtSubscribeReport, .threadId = REPORTER, .stream = t);
}

static void too_many_threads(void)
{
	for (uint64_t i = 0; i < 1024; i++)
		CALL(aclrtSubscribeReport, .threadId = REPORTER + i * 4096, .stream = make_stream());
	CALL(aclrtSubscribeReport, .threadId = bug ? REPORTER - 4096 : REPORTER, .stream = make_stream());
}

static void unsubscribe_other(void)
{
	aclrtStream s = make_stream();

	CALL(aclrtSubscribeReport, .threadId = REPORTER, .stream = s);
	CALL_FAILS(bug ? 107012 : 0, aclrtUnSubscribeReport, .threadId = REPORTER + (bug ? 4096 : 0),
		.stream = s);
}

static void launch_unserved(void)
{
	aclrtStream s = make_stream();

	if (!bug)
		CALL(aclrtSubscribeReport, .threadId = REPORTER, .stream = s);
	CALL_FAILS(bug ? 107015 : 0, aclrtLaunchCallback, .fn = HANDLE, .blockType = ACL_CALLBACK_BLOCK,
		.stream = s);
}

static void report_at_once(void)
{
	aclrtStream s = make_stream();

	CALL(aclrtSubscribeReport, .threadId = pair_thread_id(0), .stream = s);
	CALL(aclrtLaunchCallback, .fn = HANDLE, .blockType = ACL_CALLBACK_NO_BLOCK, .stream = s);
	CALL_FAILS(bug ? 100000 : 0, aclrtProcessReport, .timeout = bug ? 0 : 1000);
	CALL(aclrtUnSubscribeReport, .threadId = pair_thread_id(0), .stream = s);
}

static void both_mechanisms(void)
{
	aclrtStream s = make_stream();

	CALL(aclrtSubscribeReport, .threadId = REPORTER, .stream = s);
	if (!bug)
		CALL(aclrtUnSubscribeReport, .threadId = REPORTER, .stream = s);
	CALL_FAILS(bug ? 107011 : 0, aclrtLaunchHostFunc, .stream = s, .fn = HANDLE);
}

/* Each mechanism may have a thread of its own on one stream. */
static void threads_of_both(void)
{
	aclrtStream s = make_stream();

	CALL(aclrtSubscribeReport, .threadId = REPORTER, .stream = s);
	CALL(aclrtSubscribeHostFunc, .hostFuncThreadId = pair_thread_id(2), .exeStream = s);
	if (bug)
		CALL(aclrtUnSubscribeHostFunc, .hostFuncThreadId = pair_thread_id(2), .exeStream = s);
	CALL_FAILS(bug ? 107011 : 0, aclrtLaunchHostFunc, .stream = s, .fn = HANDLE);
}

/* The other way round. */
static void reports_behind_host_functions(void)
{
	aclrtStream s = make_stream();

	if (!bug)
		CALL(aclrtSubscribeHostFunc, .hostFuncThreadId = pair_thread_id(2), .exeStream = s);
	CALL(aclrtLaunchHostFunc, .stream = s, .fn = HANDLE);
	CALL_FAILS(bug ? 107011 : 0, aclrtSubscribeReport, .threadId = REPORTER, .stream = s);
}

static void malloc_inside(void)
{
	pair_callback(bug ? 1 : 0);
	make_device_memory(4096);
	pair_callback(0);
}

static void capture_inside(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = NULL;

	pair_callback(bug ? 1 : 0);
	CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	pair_callback(0);
	CALL_DOES(aclmdlRICaptureEnd, 0, m = make_address(), .stream = s, .modelRI = &m);
}

static void abort_inside(void)
{
	aclrtStream s = make_stream();

	pair_callback(bug ? 1 : 0);
	CALL(aclrtStreamAbort, .stream = s);
	pair_callback(0);
}

/* Questions are allowed in a callback. */
static void query_inside(void)
{
	aclrtStream s = make_stream();

	pair_callback(1);
	CALL(aclrtStreamQuery, .stream = s, .status = OUT);
	if (bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	pair_callback(0);
}

/* The thread of a callback has no context: to set one there would be the next thing that it must not do. */
static void set_without_a_context(void)
{
	void *d = make_device_memory(4096);

	pair_thread(1);
	if (!bug)
		CALL(aclrtSetDevice, .deviceId = 0);
	pair_callback(bug ? 1 : 0);
	CALL_FAILS(bug ? 107002 : 0, aclrtMemset, .devPtr = d, .maxCount = 4096, .count = 4096);
	pair_callback(0);
	if (!bug)
		CALL(aclrtResetDevice, .deviceId = 0);
	pair_thread(0);
}

/* --- init and finalize -------------------------------------------------------------------- */

static void finalize_twice(void)
{
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize);
	if (!bug)
		CALL(aclInit, .configPath = NULL);
	CALL_FAILS(bug ? 100037 : 0, aclFinalize);
}

static void finalize_only(void)
{
	if (!bug)
		CALL(aclInit, .configPath = NULL);
	CALL(aclFinalize);
}

static void malloc_after_counted(void)
{
	uint64_t left = 1;

	CALL(aclrtResetDevice, .deviceId = 0);
	CALL_DOES(aclFinalizeReference, 0, left = 0, .refCount = &left);
	if (bug)
		CALL(aclrtMalloc, .devPtr = OUT, .size = 64);
}

static void malloc_after_finalize(void)
{
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize);
	if (!bug) {
		CALL(aclInit, .configPath = NULL);
		CALL(aclrtSetDevice, .deviceId = 0);
	}
	CALL_FAILS(bug ? 107002 : 0, aclrtGetDevice, .deviceId = OUT);
}

/* What is named a reset, and is no release. */
static void reset_after_finalize(void)
{
	CALL(aclrtResetDevice, .deviceId = 0);
	if (bug)
		CALL(aclFinalize);
	CALL(aclrtResetDeviceResLimit, .deviceId = 0);
}

static void same_init_callback(void)
{
	CALL(aclInitCallbackRegister, .type = ACL_REG_TYPE_ACL_DVPP, .cbFunc = HANDLE);
	if (!bug)
		CALL(aclInitCallbackUnRegister, .type = ACL_REG_TYPE_ACL_DVPP, .cbFunc = HANDLE);
	CALL_FAILS(
		bug ? 500000 : 0, aclInitCallbackRegister, .type = ACL_REG_TYPE_ACL_DVPP, .cbFunc = HANDLE);
}

static void other_finalize_callback(void)
{
	CALL(aclFinalizeCallbackRegister, .type = ACL_REG_TYPE_ACL_DVPP, .cbFunc = HANDLE);
	CALL_FAILS(bug ? 500000 : 0, aclFinalizeCallbackUnRegister, .type = ACL_REG_TYPE_ACL_DVPP,
		.cbFunc = bug ? (void *)heap_memory : HANDLE);
	if (bug)
		CALL(aclFinalizeCallbackUnRegister, .type = ACL_REG_TYPE_ACL_DVPP, .cbFunc = HANDLE);
}

/* --- devices -------------------------------------------------------------------------------- */

static void reset_after_force(void)
{
	CALL(aclrtResetDeviceForce, .deviceId = 0);
	if (!bug)
		CALL(aclrtSetDevice, .deviceId = 0);
	CALL_FAILS(bug ? 507007 : 0, aclrtResetDevice, .deviceId = 0);
}

static void reset_unset(void)
{
	if (!bug)
		CALL(aclrtSetDevice, .deviceId = 1);
	CALL_FAILS(bug ? 507007 : 0, aclrtResetDevice, .deviceId = 1);
}

/* There one reset may be enough, and as many as sets are no mistake: of one more than that the answer says
 * so. */
static void reset_as_often_as_set(void)
{
	CALL(aclrtSetDevice, .deviceId = 1);
	CALL(aclrtSetDevice, .deviceId = 1);
	CALL(aclrtResetDevice, .deviceId = 1);
	CALL_FAILS(507007, aclrtResetDevice, .deviceId = 1);
	if (bug)
		CALL_FAILS(507007, aclrtResetDevice, .deviceId = 1);
}

/* The first one was another thread's, which has the device no more. */
static void reset_by_each_thread(void)
{
	CALL(aclrtSetDevice, .deviceId = 1);
	pair_thread(1);
	CALL(aclrtSetDevice, .deviceId = 1);
	CALL(aclrtResetDevice, .deviceId = 1);
	pair_thread(0);
	CALL_FAILS(507007, aclrtResetDevice, .deviceId = 1);
	if (bug)
		CALL_FAILS(507007, aclrtResetDevice, .deviceId = 1);
}

static void own_peer(void)
{
	CALL_FAILS(bug ? 100000 : 0, aclrtDeviceEnablePeerAccess, .peerDeviceId = bug ? 0 : 1);
}

static void disable_unknown_peer(void)
{
	if (!bug)
		CALL(aclrtDeviceEnablePeerAccess, .peerDeviceId = 1);
	CALL_FAILS(bug ? 107000 : 0, aclrtDeviceDisablePeerAccess, .peerDeviceId = 1);
}

static void destroy_default_context(void)
{
	aclrtContext x = NULL;

	if (bug)
		CALL_DOES(aclrtGetCurrentContext, 0, x = make_address(), .context = &x);
	else
		x = make_context();
	CALL_FAILS(bug ? 107002 : 0, aclrtDestroyContext, .context = x);
}

/* --- names, stages, snapshots ------------------------------------------------------------------ */

static void same_name(void)
{
	CALL(aclrtRegStreamStateCallback, .regName = "mine", .callback = HANDLE);
	if (!bug)
		CALL(aclrtRegStreamStateCallback, .regName = "mine", .callback = NULL);
	CALL(aclrtRegStreamStateCallback, .regName = "mine", .callback = HANDLE);
}

static void same_abort_name(void)
{
	CALL(aclrtSetDeviceTaskAbortCallback, .regName = "mine", .callback = HANDLE);
	CALL(aclrtSetDeviceTaskAbortCallback, .regName = bug ? "mine" : "other", .callback = HANDLE);
}

static void same_stage(void)
{
	CALL(aclrtSnapShotCallbackRegister, .stage = ACL_RT_SNAPSHOT_LOCK_PRE, .callback = HANDLE);
	CALL(aclrtSnapShotCallbackRegister,
		.stage = bug ? ACL_RT_SNAPSHOT_LOCK_PRE : ACL_RT_SNAPSHOT_UNLOCK_POST, .callback = HANDLE);
}

static void backup_unlocked(void)
{
	if (!bug)
		CALL(aclrtSnapShotProcessLock, .pid = pair_pid());
	CALL_FAILS(bug ? 507908 : 0, aclrtSnapShotProcessBackup, .pid = pair_pid());
}

static void restore_unsaved(void)
{
	CALL(aclrtSnapShotProcessLock, .pid = pair_pid());
	if (!bug)
		CALL(aclrtSnapShotProcessBackup, .pid = pair_pid());
	CALL_FAILS(
		bug ? ACL_ERROR_SNAPSHOT_RESTORE_FAILED : 0, aclrtSnapShotProcessRestore, .pid = pair_pid());
	CALL(aclrtSnapShotProcessUnlock, .pid = pair_pid());
}

static void unlock_running(void)
{
	if (!bug)
		CALL(aclrtSnapShotProcessLock, .pid = pair_pid());
	CALL_FAILS(bug ? ACL_ERROR_SNAPSHOT_UNLOCK_FAILED : 0, aclrtSnapShotProcessUnlock, .pid = pair_pid());
}

static void other_stage(void)
{
	CALL(aclrtSnapShotCallbackRegister, .stage = ACL_RT_SNAPSHOT_LOCK_PRE, .callback = HANDLE);
	CALL_FAILS(bug ? 107000 : 0, aclrtSnapShotCallbackUnregister,
		.stage = bug ? ACL_RT_SNAPSHOT_BACKUP_PRE : ACL_RT_SNAPSHOT_LOCK_PRE, .callback = HANDLE);
	if (bug)
		CALL(aclrtSnapShotCallbackUnregister, .stage = ACL_RT_SNAPSHOT_LOCK_PRE, .callback = HANDLE);
}

static const struct pair pairs[] = {
	PAIR("subscribe-duplicate", subscribe_twice),
	PAIR("subscribe-duplicate", subscribe_default_twice),
	PAIR("subscribe-duplicate", subscribe_foreign_twice),
	PAIR("subscribe-thread-two-devices", one_thread_two_devices),
	PAIR("subscribe-thread-limit", too_many_threads),
	PAIR("unsubscribe-not-subscribed", unsubscribe_other),
	PAIR("callback-not-subscribed", launch_unserved),
	PAIR("processreport-timeout", report_at_once),
	PAIR("callback-mechanisms-mixed", both_mechanisms),
	PAIR("callback-mechanisms-mixed", threads_of_both),
	PAIR("callback-mechanisms-mixed", reports_behind_host_functions),
	PAIR_AVOIDS("callback-runtime-api-inside", malloc_inside),
	PAIR_AVOIDS("callback-runtime-api-inside", capture_inside),
	PAIR_AVOIDS("callback-runtime-api-inside", abort_inside),
	PAIR_AVOIDS("callback-runtime-api-inside", query_inside),
	PAIR_AVOIDS("callback-runtime-api-inside", set_without_a_context),
	PAIR("finalize-repeat", finalize_twice),
	PAIR_BARE("finalize-without-init", finalize_only),
	PAIR_AVOIDS("use-after-finalize", malloc_after_finalize),
	PAIR_AVOIDS("use-after-finalize", malloc_after_counted),
	PAIR_AVOIDS("use-after-finalize", reset_after_finalize),
	PAIR("init-callback-null-or-duplicate", same_init_callback),
	PAIR("init-callback-null-or-duplicate", other_finalize_callback),
	PAIR("device-reset-force-order", reset_after_force),
	PAIR("device-reset-unset", reset_unset),
	PAIR_WITH("device-reset-unset", reset_as_often_as_set, .target = ACL_CANN_8_1 + 1),
	PAIR_WITH("device-reset-unset", reset_by_each_thread, .target = ACL_CANN_8_1 + 1),
	PAIR("peer-same-device", own_peer),
	PAIR("peer-disable-not-enabled", disable_unknown_peer),
	PAIR("context-destroy-default", destroy_default_context),
	PAIR("stream-state-callback-duplicate", same_name),
	PAIR("exc-abort-callback-name", same_abort_name),
	PAIR("snapshot-callback-duplicate", same_stage),
	PAIR("snapshot-callback-duplicate", other_stage),
	PAIR("snapshot-bad-state", backup_unlocked),
	PAIR("snapshot-bad-state", restore_unsaved),
	PAIR("snapshot-bad-state", unlock_running),
};

PAIRS_MAIN("rules about the process", pairs)
