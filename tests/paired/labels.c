/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about labels, snapshots and handles that were never made. */
#include "paired.h"

static aclrtLabel make_label(void)
{
	aclrtLabel l = NULL;

	CALL_DOES(aclrtCreateLabel, 0, l = make_address(), .label = &l);
	return l;
}

static aclrtLabelList make_list(aclrtLabel l)
{
	aclrtLabelList list = NULL;

	CALL_DOES(aclrtCreateLabelList, 0, list = make_address(), .labels = &l, .num = 1, .labelList = &list);
	return list;
}

static aclrtStream stream_of_model(void)
{
	aclrtStream s = make_stream_flags(ACL_STREAM_PERSISTENT);
	aclmdlRI m = NULL;

	CALL_DOES(aclmdlRIBuildBegin, 0, m = make_address(), .modelRI = &m);
	CALL(aclmdlRIBindStream, .modelRI = m, .stream = s);
	return s;
}

/* --- labels ----------------------------------------------------------------------------- */

static void list_twice(void)
{
	aclrtLabelList list = make_list(make_label());

	CALL(aclrtDestroyLabelList, .labelList = list);
	if (bug)
		CALL_FAILS(107000, aclrtDestroyLabelList, .labelList = list);
}

/* However far apart they stand. */
static void label_twice_in_a_long_list(void)
{
	aclrtLabel labels[200];
	aclrtLabelList list = NULL;

	for (unsigned i = 0; i < 200; i++)
		labels[i] = make_label();
	if (bug)
		labels[150] = labels[3];
	CALL_DOES(aclrtCreateLabelList, bug ? 107000 : 0, list = make_address(), .labels = labels, .num = 200,
		.labelList = &list);
}

static void list_of_a_destroyed_label(void)
{
	aclrtLabel labels[2] = {make_label(), make_label()};
	aclrtLabelList list = NULL;

	if (bug)
		CALL(aclrtDestroyLabel, .label = labels[1]);
	CALL_DOES(aclrtCreateLabelList, bug ? 107000 : 0, list = make_address(), .labels = labels, .num = 2,
		.labelList = &list);
}

static void list_with_a_gap(void)
{
	aclrtLabel labels[2] = {make_label(), bug ? NULL : make_label()};
	aclrtLabelList list = NULL;

	CALL_DOES(aclrtCreateLabelList, bug ? 100000 : 0, list = make_address(), .labels = labels, .num = 2,
		.labelList = &list);
}

static void destroyed_label_set(void)
{
	aclrtStream s = stream_of_model();
	aclrtLabel l = make_label();
	aclrtLabelList list = make_list(l);

	if (bug) {
		CALL(aclrtDestroyLabelList, .labelList = list);
		CALL(aclrtDestroyLabel, .label = l);
	}
	CALL_FAILS(bug ? 107000 : 0, aclrtSetLabel, .label = l, .stream = s);
}

static void label_destroyed_twice(void)
{
	aclrtLabel l = make_label();

	CALL(aclrtDestroyLabel, .label = l);
	if (bug)
		CALL_FAILS(107000, aclrtDestroyLabel, .label = l);
}

static void switched_by_destroyed_list(void)
{
	aclrtStream s = stream_of_model();
	aclrtLabelList list = make_list(make_label());

	if (bug)
		CALL(aclrtDestroyLabelList, .labelList = list);
	CALL_FAILS(bug ? 107000 : 0, aclrtSwitchLabelByIndex, .ptr = make_device_memory(64), .maxValue = 1,
		.labelList = list, .stream = s);
}

static void switched_beyond_the_list(void)
{
	aclrtStream s = stream_of_model();
	aclrtLabelList list = make_list(make_label());

	CALL_FAILS(bug ? 107000 : 0, aclrtSwitchLabelByIndex, .ptr = make_device_memory(64),
		.maxValue = bug ? 2 : 1, .labelList = list, .stream = s);
}

static void switched_by_the_host(void)
{
	aclrtStream s = stream_of_model();
	aclrtLabelList list = make_list(make_label());
	void *host = NULL;

	CALL_DOES(aclrtMallocHost, 0, host = make_address(), .hostPtr = &host, .size = 64);
	CALL_FAILS(bug ? 107000 : 0, aclrtSwitchLabelByIndex, .ptr = bug ? host : make_device_memory(64),
		.maxValue = 1, .labelList = list, .stream = s);
	CALL(aclrtFreeHost, .hostPtr = host);
}

static void set_unlisted(void)
{
	aclrtStream s = stream_of_model();
	aclrtLabel l = make_label();

	if (!bug)
		make_list(l);
	CALL_FAILS(bug ? 507000 : 0, aclrtSetLabel, .label = l, .stream = s);
}

/* Old firmware takes labels that are in no list; the next one does not. */
static void set_unlisted_on_old_firmware(void)
{
	aclrtStream s = stream_of_model();
	aclrtLabel l = make_label();

	if (!bug)
		make_list(l);
	CALL(aclrtSetLabel, .label = l, .stream = s);
}

static void too_many_labels(void)
{
	aclrtLabel l = NULL;

	for (unsigned i = 0; i < 65535; i++)
		l = make_label();
	if (!bug)
		CALL(aclrtDestroyLabel, .label = l);
	CALL_DOES(aclrtCreateLabel, bug ? 507000 : 0, l = bug ? NULL : make_address(), .label = &l);
}

static void destroyed_elsewhere(void)
{
	aclrtContext one = make_context(), two;
	aclrtLabel l = make_label();

	two = make_context();
	if (!bug)
		CALL(aclrtSetCurrentContext, .context = one);
	CALL_FAILS(bug ? 507031 : 0, aclrtDestroyLabel, .label = l);
	CALL(aclrtDestroyContext, .context = one);
	CALL(aclrtDestroyContext, .context = two);
}

/* That the list lives is not why the call fails. */
static void destroyed_elsewhere_before_list(void)
{
	aclrtContext one = make_context(), two;
	aclrtLabel l = make_label();
	aclrtLabelList list = make_list(l);

	two = make_context();
	if (bug)
		CALL_FAILS(507031, aclrtDestroyLabel, .label = l);
	CALL(aclrtSetCurrentContext, .context = one);
	CALL(aclrtDestroyLabelList, .labelList = list);
	CALL(aclrtDestroyLabel, .label = l);
	CALL(aclrtDestroyContext, .context = one);
	CALL(aclrtDestroyContext, .context = two);
}

static void destroyed_before_list(void)
{
	aclrtLabel l = make_label(), other = make_label();
	aclrtLabelList list = make_list(l);

	CALL(aclrtDestroyLabel, .label = other);
	if (bug)
		CALL(aclrtDestroyLabel, .label = l);
	CALL(aclrtDestroyLabelList, .labelList = list);
	if (!bug)
		CALL(aclrtDestroyLabel, .label = l);
}

/* With the model both may go in any order. */
static void list_gone_before_the_model_runs(void)
{
	aclrtStream s = make_stream_flags(ACL_STREAM_PERSISTENT), run = make_stream();
	aclrtLabel l = make_label();
	aclrtLabelList list = make_list(l);
	void *index = make_device_memory(64);
	aclmdlRI m = NULL;

	CALL(aclrtMemset, .devPtr = index, .maxCount = 64, .count = 64);
	CALL_DOES(aclmdlRIBuildBegin, 0, m = make_address(), .modelRI = &m);
	CALL(aclmdlRIBindStream, .modelRI = m, .stream = s);
	CALL(aclrtSwitchLabelByIndex, .ptr = index, .maxValue = 1, .labelList = list, .stream = s);
	CALL(aclrtSetLabel, .label = l, .stream = s);
	CALL(aclmdlRIEndTask, .modelRI = m, .stream = s);
	CALL(aclmdlRIBuildEnd, .modelRI = m);
	if (bug)
		CALL(aclrtDestroyLabelList, .labelList = list);
	CALL(aclmdlRIExecuteAsync, .modelRI = m, .stream = run);
	CALL_FAILS(bug ? 507011 : 0, aclrtSynchronizeStream, .stream = run);
	if (!bug)
		CALL(aclrtDestroyLabelList, .labelList = list);
	CALL(aclrtDestroyLabel, .label = l);
	CALL(aclmdlRIUnbindStream, .modelRI = m, .stream = s);
	CALL(aclmdlRIDestroy, .modelRI = m);
}

static void switch_in_capture(void)
{
	aclrtStream s = bug ? make_stream() : stream_of_model();
	aclrtLabelList list = make_list(make_label());
	void *index = make_device_memory(4096);
	aclmdlRI m = NULL;

	if (bug)
		CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL_FAILS(bug ? 107005 : 0, aclrtSwitchLabelByIndex, .ptr = index, .maxValue = 1, .labelList = list,
		.stream = s);
	if (bug)
		CALL_DOES(aclmdlRICaptureEnd, 0, m = make_address(), .stream = s, .modelRI = &m);
}

/* --- snapshots ----------------------------------------------------------------------------- */

static void locked_in_capture(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = NULL;

	CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	if (!bug)
		CALL_DOES(aclmdlRICaptureEnd, 0, m = make_address(), .stream = s, .modelRI = &m);
	CALL(aclrtSnapShotProcessLock, .pid = pair_pid());
	CALL(aclrtSnapShotProcessUnlock, .pid = pair_pid());
	if (bug)
		CALL_DOES(aclmdlRICaptureEnd, 0, m = make_address(), .stream = s, .modelRI = &m);
}

static void locked_in_build(void)
{
	aclrtStream s = make_stream_flags(ACL_STREAM_PERSISTENT);
	aclmdlRI m = NULL;

	CALL_DOES(aclmdlRIBuildBegin, 0, m = make_address(), .modelRI = &m);
	CALL(aclmdlRIBindStream, .modelRI = m, .stream = s);
	CALL(aclmdlRIEndTask, .modelRI = m, .stream = s);
	if (!bug)
		CALL(aclmdlRIBuildEnd, .modelRI = m);
	CALL(aclrtSnapShotProcessLock, .pid = pair_pid());
	CALL(aclrtSnapShotProcessUnlock, .pid = pair_pid());
}

static void left_locked(void)
{
	CALL(aclrtSnapShotProcessLock, .pid = pair_pid());
	if (!bug)
		CALL(aclrtSnapShotProcessUnlock, .pid = pair_pid());
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize);
}

/* No device was ever set. */
static void left_locked_by_the_last(void)
{
	uint64_t left = 0;

	CALL(aclInit, .configPath = NULL);
	CALL(aclrtSnapShotProcessLock, .pid = pair_pid());
	if (!bug)
		CALL(aclrtSnapShotProcessUnlock, .pid = pair_pid());
	CALL(aclFinalizeReference, .refCount = &left);
}

static void exit_locked(void)
{
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclrtSnapShotProcessLock, .pid = pair_pid());
	if (!bug)
		CALL(aclrtSnapShotProcessUnlock, .pid = pair_pid());
	CALL(aclFinalizeReference, .refCount = OUT);
	pair_exit();
}

static void malloc_while_locked(void)
{
	size_t free_bytes = 1, total = 2;
	void *d;

	CALL(aclrtSnapShotProcessLock, .pid = pair_pid());
	/* Questions are answered, and other threads are meant to wait. */
	CALL(aclrtGetMemInfo, .attr = ACL_HBM_MEM, .free = &free_bytes, .total = &total);
	if (!bug)
		CALL(aclrtSnapShotProcessUnlock, .pid = pair_pid());
	d = make_device_memory(4096);
	if (bug)
		CALL(aclrtSnapShotProcessUnlock, .pid = pair_pid());
	CALL(aclrtFree, .devPtr = d);
}

static void malloc_while_another_locks(void)
{
	void *d;

	pair_thread(bug ? 0 : 1);
	CALL(aclrtSnapShotProcessLock, .pid = pair_pid());
	pair_thread(0);
	d = make_device_memory(4096);
	pair_thread(bug ? 0 : 1);
	CALL(aclrtSnapShotProcessUnlock, .pid = pair_pid());
	pair_thread(0);
	CALL(aclrtFree, .devPtr = d);
}

static void submitted_while_locked(void)
{
	aclrtStream s = make_stream();

	CALL(aclrtSubscribeReport, .threadId = pair_thread_id(1), .stream = s);
	CALL(aclrtSnapShotProcessLock, .pid = pair_pid());
	if (!bug)
		CALL(aclrtSnapShotProcessUnlock, .pid = pair_pid());
	CALL(aclrtLaunchCallback, .fn = HANDLE, .blockType = ACL_CALLBACK_NO_BLOCK, .stream = s);
	if (bug)
		CALL(aclrtSnapShotProcessUnlock, .pid = pair_pid());
	pair_thread(1);
	CALL(aclrtProcessReport, .timeout = 1000);
	pair_thread(0);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtUnSubscribeReport, .threadId = pair_thread_id(1), .stream = s);
}

static void device_set_while_locked(void)
{
	CALL(aclrtSnapShotProcessLock, .pid = pair_pid());
	if (!bug)
		CALL(aclrtSnapShotProcessUnlock, .pid = pair_pid());
	CALL(aclrtSetDevice, .deviceId = 0);
	if (bug)
		CALL(aclrtSnapShotProcessUnlock, .pid = pair_pid());
	CALL(aclrtResetDevice, .deviceId = 0);
}

/* A host function is launched without the wait, a batch of notifies is not reset without it. */
static void reset_while_locked(void)
{
	aclrtStream s = make_stream();
	aclrtNotify n = NULL;

	CALL_DOES(aclrtCreateNotify, 0, n = make_address(), .notify = &n, .flag = ACL_NOTIFY_DEFAULT);
	CALL(aclrtSnapShotProcessLock, .pid = pair_pid());
	CALL(aclrtLaunchHostFunc, .stream = s, .fn = HANDLE);
	if (!bug)
		CALL(aclrtSnapShotProcessUnlock, .pid = pair_pid());
	CALL(aclrtNotifyBatchReset, .notifies = &n, .num = 1);
	if (bug)
		CALL(aclrtSnapShotProcessUnlock, .pid = pair_pid());
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtDestroyNotify, .notify = n);
	CALL(aclrtDestroyStream, .stream = s);
}

static void registered_while_locked(void)
{
	void *d = NULL;

	CALL(aclrtSnapShotProcessLock, .pid = pair_pid());
	if (!bug)
		CALL(aclrtSnapShotProcessUnlock, .pid = pair_pid());
	CALL_DOES(aclrtHostRegister, 0, d = make_range(4096, true), .ptr = heap_memory, .size = 4096,
		.type = ACL_HOST_REGISTER_MAPPED, .devPtr = &d);
	if (bug)
		CALL(aclrtSnapShotProcessUnlock, .pid = pair_pid());
	CALL(aclrtHostUnregister, .ptr = heap_memory);
}

/* Whoever locked: what is called back during the backup cannot wait for what comes after it. */
static void malloc_in_backup(void)
{
	struct acl_args_aclrtSnapShotProcessBackup args = {.pid = pair_pid()};
	struct acl_args_aclrtSnapShotProcessUnlock unlock_args = {.pid = pair_pid()};
	struct acl_call_record backup, unlock;
	void *d = NULL;

	CALL(aclrtSnapShotProcessLock, .pid = pair_pid());
	pair_thread(1);
	pair_enter(&backup, ACL_API_aclrtSnapShotProcessBackup, &args, 1);
	pair_callback_begin(ACL_API_aclrtSnapShotCallbackRegister, NULL);
	if (bug)
		d = make_device_memory(4096);
	pair_callback_end(ACL_API_aclrtSnapShotCallbackRegister, NULL);
	pair_leave(&backup, 0);
	pair_thread(0);
	/* Those behind the unlock may. */
	pair_enter(&unlock, ACL_API_aclrtSnapShotProcessUnlock, &unlock_args, 2);
	pair_callback_begin(ACL_API_aclrtSnapShotCallbackRegister, NULL);
	if (!bug)
		d = make_device_memory(4096);
	pair_callback_end(ACL_API_aclrtSnapShotCallbackRegister, NULL);
	pair_leave(&unlock, 0);
	CALL(aclrtFree, .devPtr = d);
}

/* --- handles ----------------------------------------------------------------------------------- */

static void stream_from_nowhere(void)
{
	aclrtStream given = NULL, s = make_stream();
	aclmdlRI m = NULL;
	uint32_t one = 1;

	CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL_DOES(aclmdlRICaptureEnd, 0, m = make_address(), .stream = s, .modelRI = &m);
	CALL_DOES(aclmdlRIGetStreams, 0, given = make_address(), .modelRI = m, .streams = &given,
		.numStreams = &one);
	CALL_FAILS(bug ? 107017 : 0, aclrtSynchronizeStream, .stream = bug ? (void *)heap_memory : given);
}

static void label_twice(void)
{
	aclrtStream s = make_stream_flags(ACL_STREAM_PERSISTENT);
	aclrtLabel l = NULL, other = NULL, labels[2];
	aclmdlRI m = NULL;

	CALL_DOES(aclmdlRIBuildBegin, 0, m = make_address(), .modelRI = &m);
	CALL(aclmdlRIBindStream, .modelRI = m, .stream = s);
	CALL_DOES(aclrtCreateLabel, 0, l = make_address(), .label = &l);
	CALL_DOES(aclrtCreateLabel, 0, other = make_address(), .label = &other);
	labels[0] = l;
	labels[1] = other;
	CALL(aclrtCreateLabelList, .labels = labels, .num = 2, .labelList = OUT);
	CALL(aclrtSetLabel, .label = l, .stream = s);
	CALL(aclrtSetLabel, .label = bug ? l : other, .stream = s);
}

static const struct pair pairs[] = {
	PAIR("label-list-args", switched_beyond_the_list),
	PAIR("label-list-args", list_twice),
	PAIR("label-list-args", label_twice_in_a_long_list),
	PAIR("label-list-args", list_of_a_destroyed_label),
	PAIR("label-list-args", list_with_a_gap),
	PAIR("label-destroy-order", destroyed_label_set),
	PAIR("label-destroy-order", label_destroyed_twice),
	PAIR("label-list-args", switched_by_destroyed_list),
	PAIR("label-list-args", switched_by_the_host),
	PAIR("label-before-list", set_unlisted),
	PAIR("label-before-list", set_unlisted_on_old_firmware),
	PAIR("label-count-limit", too_many_labels),
	PAIR("label-destroy-order", destroyed_elsewhere),
	PAIR("label-destroy-order", destroyed_elsewhere_before_list),
	PAIR("label-destroy-order", destroyed_before_list),
	PAIR("label-destroy-order", list_gone_before_the_model_runs),
	PAIR("label-in-capture", switch_in_capture),
	PAIR("snapshot-during-capture", locked_in_capture),
	PAIR("snapshot-during-capture", locked_in_build),
	PAIR("snapshot-not-unlocked", left_locked),
	PAIR_BARE("snapshot-not-unlocked", left_locked_by_the_last),
	PAIR("snapshot-not-unlocked", exit_locked),
	PAIR("snapshot-self-deadlock", malloc_while_locked),
	PAIR("snapshot-self-deadlock", malloc_while_another_locks),
	PAIR("snapshot-self-deadlock", submitted_while_locked),
	PAIR("snapshot-self-deadlock", device_set_while_locked),
	PAIR("snapshot-self-deadlock", reset_while_locked),
	PAIR("snapshot-self-deadlock", registered_while_locked),
	PAIR("snapshot-self-deadlock", malloc_in_backup),
	PAIR_WITH("handle-unknown", stream_from_nowhere, .on = true),
	PAIR("label-set-twice", label_twice),
};

PAIRS_MAIN("label rules", pairs)
