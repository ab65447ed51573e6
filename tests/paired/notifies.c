/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about notifies: waits, records, sharing between processes. */
#include "tasks.h"

static char key[65] = "a key of a notify";

static aclrtNotify make_notify(void)
{
	aclrtNotify n = NULL;

	CALL_DOES(aclrtCreateNotify, 0, n = make_address(), .notify = &n, .flag = ACL_NOTIFY_DEFAULT);
	return n;
}

static aclrtNotify import_notify(const char *from, uint64_t flags)
{
	aclrtNotify n = NULL;

	CALL_DOES(aclrtNotifyImportByKey, 0, n = make_address(), .notify = &n, .key = from, .flags = flags);
	return n;
}

static void end(void)
{
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize);
	pair_exit();
}

/* --- waits and records ------------------------------------------------------------------ */

static void destroyed_while_waited_for(void)
{
	aclrtStream s1 = make_stream(), s2 = make_stream();
	aclrtNotify n = make_notify();

	CALL(aclrtRecordNotify, .notify = n, .stream = s1);
	CALL(aclrtWaitAndResetNotify, .notify = n, .stream = s2, .timeout = 0);
	CALL(aclrtSynchronizeStream, .stream = s1);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s2);
	CALL(aclrtDestroyNotify, .notify = n);
	CALL(aclrtSynchronizeStream, .stream = s2);
}

/* A wait whose time is over is no wait any more. */
static void destroyed_after_time_out(void)
{
	aclrtStream s1 = make_stream(), s2 = make_stream();
	aclrtNotify n = make_notify();

	CALL(aclrtRecordNotify, .notify = n, .stream = s1);
	CALL(aclrtWaitAndResetNotify, .notify = n, .stream = s2, .timeout = 100);
	CALL_FAILS(bug ? ACL_ERROR_RT_STREAM_SYNC_TIMEOUT : ACL_ERROR_RT_WAIT_TIMEOUT,
		aclrtSynchronizeStreamWithTimeout, .stream = s2, .timeout = 1000);
	CALL(aclrtDestroyNotify, .notify = n);
}

/* The host function behind the wait has run, and may have woken the thread that destroys it. */
static void destroyed_after_host_function(void)
{
	aclrtStream s1 = make_stream(), s2 = make_stream();
	aclrtNotify n = make_notify();

	CALL(aclrtRecordNotify, .notify = n, .stream = s1);
	if (bug)
		CALL(aclrtLaunchHostFunc, .stream = s2, .fn = HANDLE);
	CALL(aclrtWaitAndResetNotify, .notify = n, .stream = s2, .timeout = 0);
	if (!bug) {
		CALL(aclrtLaunchHostFunc, .stream = s2, .fn = HANDLE);
		pair_launched_begins();
	}
	callback_ran();
	CALL(aclrtDestroyNotify, .notify = n);
	CALL(aclrtSynchronizeStream, .stream = s2);
}

/* The end of the stream that waited is seen through an event of another one. */
static void destroyed_after_event(void)
{
	aclrtStream s1 = make_stream(), s2 = make_stream();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	aclrtNotify n = make_notify();

	CALL(aclrtRecordNotify, .notify = n, .stream = s1);
	CALL(aclrtWaitAndResetNotify, .notify = n, .stream = s2, .timeout = 0);
	CALL(aclrtRecordEvent, .event = e, .stream = s2);
	CALL(aclrtStreamWaitEvent, .stream = s1, .event = e);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s1);
	CALL(aclrtDestroyNotify, .notify = n);
	CALL(aclrtSynchronizeStream, .stream = s1);
	CALL(aclrtDestroyEvent, .event = e);
}

struct recorded {
	aclrtStream s1, s2;
	void *h, *d;
	aclrtNotify n;
};

/* s2 waits for what s1 recorded, before (right) or behind (bug) the copy there. */
static struct recorded copied_and_recorded(void)
{
	struct recorded r = {.s1 = make_stream()};

	r.s2 = make_stream();
	r.h = make_host_memory(4096);
	r.d = make_device_memory(4096);
	r.n = make_notify();
	if (!bug)
		copy_on(r.s1, r.d, r.h, UP);
	CALL(aclrtRecordNotify, .notify = r.n, .stream = r.s1);
	if (bug)
		copy_on(r.s1, r.d, r.h, UP);
	CALL(aclrtWaitAndResetNotify, .notify = r.n, .stream = r.s2, .timeout = 0);
	return r;
}

/* The notify orders what comes before the record, and nothing else. */
static void copied_behind_a_record(void)
{
	struct recorded r = copied_and_recorded();

	copy_on(r.s2, r.d, r.h, UP);
	CALL(aclrtSynchronizeStream, .stream = r.s1);
	CALL(aclrtSynchronizeStream, .stream = r.s2);
	CALL(aclrtDestroyNotify, .notify = r.n);
}

/* What the host has seen behind the wait is seen of the stream that recorded, too. */
static void freed_behind_a_notify(void)
{
	struct recorded r = copied_and_recorded();

	CALL(aclrtSynchronizeStream, .stream = r.s2);
	CALL(aclrtFree, .devPtr = r.d);
	CALL(aclrtSynchronizeStream, .stream = r.s1);
	CALL(aclrtDestroyNotify, .notify = r.n);
}

/* A counter that records set. */
static void copied_behind_a_set_counter(void)
{
	aclrtCntNotifyRecordInfo one = {.mode = ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, .value = 1};
	aclrtCntNotifyWaitInfo for_one = {
		.mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, .value = 1, .isClear = 1};
	aclrtStream s1 = make_stream(), s2 = make_stream();
	void *h = make_host_memory(4096), *d = make_device_memory(4096);
	aclrtCntNotify n = NULL;

	CALL_DOES(aclrtCntNotifyCreate, 0, n = make_address(), .cntNotify = &n, .flag = 0);
	if (!bug)
		copy_on(s1, d, h, UP);
	CALL(aclrtCntNotifyRecord, .cntNotify = n, .stream = s1, .info = &one);
	if (bug)
		copy_on(s1, d, h, UP);
	CALL(aclrtCntNotifyWaitWithTimeout, .cntNotify = n, .stream = s2, .info = &for_one);
	copy_on(s2, d, h, UP);
	CALL(aclrtSynchronizeStream, .stream = s1);
	CALL(aclrtSynchronizeStream, .stream = s2);
	CALL(aclrtCntNotifyDestroy, .cntNotify = n);
}

/* The first round's count is still there for the second wait, unless the wait clears it. */
static void count_of_an_earlier_round(void)
{
	aclrtCntNotifyRecordInfo one = {.mode = ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, .value = 1};
	aclrtCntNotifyWaitInfo for_one = {
		.mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, .value = 1, .isClear = !bug};
	aclrtStream s1 = make_stream(), s2 = make_stream();
	void *h = make_host_memory(4096), *d = make_device_memory(4096);
	aclrtCntNotify n = NULL;

	CALL_DOES(aclrtCntNotifyCreate, 0, n = make_address(), .cntNotify = &n, .flag = 0);
	CALL(aclrtCntNotifyRecord, .cntNotify = n, .stream = s1, .info = &one);
	CALL(aclrtCntNotifyWaitWithTimeout, .cntNotify = n, .stream = s2, .info = &for_one);
	copy_on(s1, d, h, UP);
	CALL(aclrtSynchronizeStream, .stream = s2);
	CALL(aclrtCntNotifyRecord, .cntNotify = n, .stream = s1, .info = &one);
	CALL(aclrtCntNotifyWaitWithTimeout, .cntNotify = n, .stream = s2, .info = &for_one);
	copy_on(s2, d, h, UP);
	CALL(aclrtSynchronizeStream, .stream = s1);
	CALL(aclrtSynchronizeStream, .stream = s2);
	CALL(aclrtCntNotifyDestroy, .cntNotify = n);
}

/* Two producers count, and the consumer needs both. */
static void copied_behind_two_counts(void)
{
	aclrtCntNotifyRecordInfo add = {.mode = ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, .value = 1};
	aclrtCntNotifyWaitInfo for_two = {.mode = ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, .value = 2};
	aclrtStream s1 = make_stream(), s2 = make_stream(), s3 = make_stream();
	void *h = make_host_memory(4096), *a = make_device_memory(4096), *b = make_device_memory(4096);
	aclrtCntNotify n = NULL;

	CALL_DOES(aclrtCntNotifyCreate, 0, n = make_address(), .cntNotify = &n, .flag = 0);
	copy_on(s1, a, h, UP);
	CALL(aclrtCntNotifyRecord, .cntNotify = n, .stream = s1, .info = &add);
	if (!bug)
		copy_on(s2, b, h, UP);
	CALL(aclrtCntNotifyRecord, .cntNotify = n, .stream = s2, .info = &add);
	if (bug)
		copy_on(s2, b, h, UP);
	CALL(aclrtCntNotifyWaitWithTimeout, .cntNotify = n, .stream = s3, .info = &for_two);
	copy_on(s3, a, h, UP);
	copy_on(s3, b, h, UP);
	CALL(aclrtSynchronizeStream, .stream = s2);
	CALL(aclrtSynchronizeStream, .stream = s3);
	CALL(aclrtCntNotifyDestroy, .cntNotify = n);
}

static void waited_in_vain(void)
{
	aclrtStream s1 = make_stream(), s2 = make_stream();
	aclrtNotify n = make_notify(), numbered = make_notify(), shared = make_notify();
	uint32_t id = 0;

	CALL(aclrtWaitAndResetNotify, .notify = n, .stream = s2, .timeout = 1);
	if (!bug)
		CALL(aclrtRecordNotify, .notify = n, .stream = s1);
	/* Who knows its number may record it, and so may another process. */
	CALL(aclrtGetNotifyId, .notify = numbered, .notifyId = &id);
	CALL(aclrtWaitAndResetNotify, .notify = numbered, .stream = s2, .timeout = 1);
	CALL(aclrtNotifyGetExportKey, .notify = shared, .key = key, .len = sizeof(key),
		.flags = ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION);
	CALL(aclrtWaitAndResetNotify, .notify = shared, .stream = s2, .timeout = 1);
	CALL(aclrtDestroyStream, .stream = s1);
	CALL(aclrtDestroyStream, .stream = s2);
	CALL(aclrtDestroyNotify, .notify = n);
	CALL(aclrtDestroyNotify, .notify = numbered);
	CALL(aclrtDestroyNotify, .notify = shared);
	end();
}

/* The records of other rounds were for their waits. */
static void last_round_in_vain(void)
{
	aclrtStream s1 = make_stream(), s2 = make_stream();
	aclrtNotify n = make_notify(), tried = make_notify();

	for (int round = 0; round < 3; round++) {
		CALL(aclrtWaitAndResetNotify, .notify = n, .stream = s2, .timeout = 0);
		if (!bug || round < 2)
			CALL(aclrtRecordNotify, .notify = n, .stream = s1);
	}
	/* Who gives up after a time may try again. */
	CALL(aclrtWaitAndResetNotify, .notify = tried, .stream = s1, .timeout = 1);
	CALL(aclrtWaitAndResetNotify, .notify = tried, .stream = s1, .timeout = 1);
	CALL(aclrtRecordNotify, .notify = tried, .stream = s2);
	CALL(aclrtDestroyStreamForce, .stream = s1);
	CALL(aclrtDestroyStreamForce, .stream = s2);
	CALL(aclrtDestroyNotify, .notify = n);
	CALL(aclrtDestroyNotify, .notify = tried);
	end();
}

/* A record may come when the host has stopped waiting already; here it never does. */
static void synchronised_in_vain(void)
{
	aclrtStream s1 = make_stream(), s2 = make_stream();
	aclrtNotify n = make_notify(), late = make_notify();

	CALL(aclrtWaitAndResetNotify, .notify = late, .stream = s1, .timeout = 0);
	CALL_FAILS(507046, aclrtSynchronizeStreamWithTimeout, .stream = s1, .timeout = 20);
	CALL(aclrtRecordNotify, .notify = late, .stream = s2);
	CALL(aclrtSynchronizeStream, .stream = s1);
	CALL(aclrtWaitAndResetNotify, .notify = n, .stream = s2, .timeout = 1);
	if (!bug)
		CALL(aclrtRecordNotify, .notify = n, .stream = s1);
	CALL_FAILS(bug ? 107019 : 0, aclrtSynchronizeStream, .stream = s2);
	CALL(aclrtDestroyStream, .stream = s1);
	CALL(aclrtDestroyStream, .stream = s2);
	CALL(aclrtDestroyNotify, .notify = n);
	CALL(aclrtDestroyNotify, .notify = late);
	end();
}

/* Nobody else is there who could record it. */
static void synchronised_behind_no_record(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	aclrtNotify n = make_notify();
	aclrtEvent e = make_event();

	if (!bug)
		CALL(aclrtRecordNotify, .notify = n, .stream = second);
	CALL(aclrtWaitAndResetNotify, .notify = n, .stream = first);
	CALL(aclrtRecordEvent, .event = e, .stream = first);
	CALL(aclrtStreamWaitEvent, .stream = second, .event = e);
	CALL_EACH(bug ? 507046 : 0, ROLE(STREAM, second), ROLE(TIMEOUT, -1));
}

/* The second record comes behind what answers to the first one's wait, which is submitted later. */
static void record_ahead(aclrtStream s1, aclrtStream s2)
{
	aclrtNotify n = make_notify(), answer = make_notify();

	CALL(aclrtRecordNotify, .notify = n, .stream = s1);
	CALL(aclrtWaitAndResetNotify, .notify = answer, .stream = s1, .timeout = 0);
	CALL(aclrtRecordNotify, .notify = n, .stream = s1);
	CALL(aclrtWaitAndResetNotify, .notify = n, .stream = s2, .timeout = 0);
	CALL(aclrtRecordNotify, .notify = answer, .stream = s2);
	CALL(aclrtWaitAndResetNotify, .notify = n, .stream = s2, .timeout = 0);
}

static void recorded_twice(void)
{
	aclrtStream s1 = make_stream(), s2 = make_stream();
	aclrtNotify n = make_notify(), early = make_notify(), numbered = make_notify();
	uint32_t id = 0;

	CALL(aclrtRecordNotify, .notify = n, .stream = s1);
	if (!bug) {
		CALL(aclrtWaitAndResetNotify, .notify = n, .stream = s2, .timeout = 0);
		CALL(aclrtSynchronizeStream, .stream = s2);
	}
	CALL(aclrtRecordNotify, .notify = n, .stream = s1);
	CALL(aclrtWaitAndResetNotify, .notify = n, .stream = s2, .timeout = 0);
	/* The first of these is for a wait that was there before. */
	CALL(aclrtWaitAndResetNotify, .notify = early, .stream = s2, .timeout = 0);
	CALL(aclrtRecordNotify, .notify = early, .stream = s1);
	CALL(aclrtSynchronizeStream, .stream = s2);
	CALL(aclrtRecordNotify, .notify = early, .stream = s1);
	CALL(aclrtWaitAndResetNotify, .notify = early, .stream = s2, .timeout = 0);
	CALL(aclrtGetNotifyId, .notify = numbered, .notifyId = &id);
	CALL(aclrtRecordNotify, .notify = numbered, .stream = s1);
	CALL(aclrtRecordNotify, .notify = numbered, .stream = s1);
	record_ahead(s1, s2);
	CALL(aclrtSynchronizeStream, .stream = s2);
}

static void counter_replaced(void)
{
	aclrtCntNotifyRecordInfo add = {.mode = ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, .value = 1};
	aclrtCntNotifyRecordInfo set = {.mode = ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, .value = 1};
	aclrtStream s = make_stream();
	aclrtCntNotify n = NULL;

	CALL_DOES(aclrtCntNotifyCreate, 0, n = make_address(), .cntNotify = &n, .flag = 0);
	CALL(aclrtCntNotifyRecord, .cntNotify = n, .stream = s, .info = bug ? &set : &add);
	CALL(aclrtCntNotifyRecord, .cntNotify = n, .stream = s, .info = bug ? &set : &add);
	CALL(aclrtCntNotifyReset, .cntNotify = n, .stream = s);
	CALL(aclrtCntNotifyRecord, .cntNotify = n, .stream = s, .info = &set);
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* The consumer waits before there is a record: once there is one, what it comes behind is known. */
static void read_behind_an_early_wait(void)
{
	aclrtStream producer = make_stream(), consumer = make_stream(), other = make_stream();
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE), *a = make_device_memory(SIZE),
	     *b = make_device_memory(SIZE);
	aclrtNotify n = make_notify();

	CALL(aclrtWaitAndResetNotify, .notify = n, .stream = consumer, .timeout = 0);
	copy_on(producer, a, h, UP);
	copy_on(other, b, h, UP);
	if (!bug)
		order(other, producer);
	CALL(aclrtRecordNotify, .notify = n, .stream = producer);
	copy_on(consumer, out, a, DOWN);
	copy_on(consumer, out, b, DOWN);
	wait_for(other);
	wait_for(consumer);
}

/* --- between processes ------------------------------------------------------------------------ */

static void exported_to_nobody(void)
{
	aclrtNotify n = make_notify();
	int32_t pid = 4711;

	CALL(aclrtNotifyGetExportKey, .notify = n, .key = key, .len = sizeof(key),
		.flags = ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT);
	if (!bug)
		CALL(aclrtNotifySetImportPid, .notify = n, .pid = &pid, .num = 1);
	CALL(aclrtDestroyNotify, .notify = n);
}

/* It is left to the end of the process, which is reported, too. */
static void exported_to_nobody_until_end(void)
{
	aclrtNotify n = make_notify();
	int32_t pid = 4711;

	CALL(aclrtNotifyGetExportKey, .notify = n, .key = key, .len = sizeof(key),
		.flags = ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT);
	if (!bug) {
		CALL(aclrtNotifySetImportPid, .notify = n, .pid = &pid, .num = 1);
		CALL(aclrtDestroyNotify, .notify = n);
	}
	end();
}

static void imported_without_access(void)
{
	static char other[65] = "a key of another notify";
	aclrtNotify n = make_notify(), m, there;

	CALL(aclrtNotifyGetExportKey, .notify = n, .key = key, .len = sizeof(key),
		.flags = ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION);
	/* On the same device nothing need be enabled. */
	m = import_notify(key, ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT);
	CALL(aclrtDestroyNotify, .notify = m);
	CALL(aclrtSetDevice, .deviceId = 1);
	there = make_notify();
	CALL(aclrtNotifyGetExportKey, .notify = there, .key = other, .len = sizeof(other),
		.flags = ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION);
	if (!bug)
		CALL(aclrtDeviceEnablePeerAccess, .peerDeviceId = 0);
	m = import_notify(key, ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT);
	CALL(aclrtDestroyNotify, .notify = m);
	CALL(aclrtDestroyNotify, .notify = there);
	CALL(aclrtDestroyNotify, .notify = n);
}

static void imported_and_left(void)
{
	aclrtNotify n = import_notify(pair_notify_key(), ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS);

	if (!bug)
		CALL(aclrtDestroyNotify, .notify = n);
	CALL_EACH(0, ROLE(DEVICE, 0));
	CALL(aclFinalize);
	pair_exit();
}

/* In a context of its own it does not go with a reset. */
static void imported_and_exit(void)
{
	aclrtContext x = NULL;
	aclrtNotify n;

	CALL_DOES(aclrtCreateContext, 0, x = make_address(), .context = &x, .deviceId = 1);
	n = import_notify(pair_notify_key(), ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS);
	if (!bug)
		CALL(aclrtDestroyNotify, .notify = n);
	CALL(aclrtDestroyContext, .context = x);
	end();
}

/* A reset that failed takes nothing away. */
static void recorded_after_reset(void)
{
	aclrtStream s1 = make_stream(), s2 = make_stream();
	aclrtNotify n = make_notify();

	CALL(aclrtRecordNotify, .notify = n, .stream = s1);
	CALL(aclrtSynchronizeStream, .stream = s1);
	CALL_FAILS(bug ? 207000 : 0, aclrtNotifyBatchReset, .notifies = &n, .num = 1);
	CALL(aclrtRecordNotify, .notify = n, .stream = s1);
	CALL(aclrtWaitAndResetNotify, .notify = n, .stream = s2, .timeout = 0);
	CALL(aclrtSynchronizeStream, .stream = s2);
	CALL(aclrtDestroyNotify, .notify = n);
	CALL(aclrtDestroyStream, .stream = s1);
	CALL(aclrtDestroyStream, .stream = s2);
}

static void wait_imported(void)
{
	aclrtNotify n = NULL;

	if (bug)
		CALL_DOES(aclrtNotifyImportByKey, 0, n = make_address(), .notify = &n,
			.key = pair_notify_key());
	else
		CALL_DOES(aclrtCreateNotify, 0, n = make_address(), .notify = &n);
	CALL_FAILS(bug ? 107000 : 0, aclrtWaitAndResetNotify, .notify = n, .timeout = 1);
}

static void wait_on_other_device(void)
{
	aclrtNotify n = NULL;
	aclrtStream s;

	CALL_DOES(aclrtCreateNotify, 0, n = make_address(), .notify = &n);
	if (bug)
		CALL(aclrtSetDevice, .deviceId = 1);
	s = make_stream();
	CALL(aclrtRecordNotify, .notify = n, .stream = s);
	CALL_FAILS(bug ? 107000 : 0, aclrtWaitAndResetNotify, .notify = n, .stream = s, .timeout = 1);
}

static void reset_nothing(void)
{
	aclrtNotify notifies[1] = {NULL};

	if (!bug)
		CALL_DOES(aclrtCreateNotify, 0, notifies[0] = make_address(), .notify = &notifies[0]);
	CALL_FAILS(bug ? 100000 : 0, aclrtNotifyBatchReset, .notifies = notifies, .num = 1);
}

static const struct pair pairs[] = {
	PAIR("stream-race-copy", copied_behind_a_record),
	PAIR_WITH("stream-race-copy", copied_behind_a_set_counter, .soc = "Ascend950"),
	PAIR_WITH("stream-race-copy", count_of_an_earlier_round, .soc = "Ascend950"),
	PAIR_WITH("stream-race-copy", copied_behind_two_counts, .soc = "Ascend950"),
	PAIR("free-in-flight", freed_behind_a_notify),
	PAIR("notify-destroy-pending", destroyed_while_waited_for),
	PAIR("notify-destroy-pending", destroyed_after_event),
	PAIR("notify-destroy-pending", destroyed_after_host_function),
	PAIR("notify-destroy-pending", destroyed_after_time_out),
	PAIR("notify-wait-never-recorded", waited_in_vain),
	PAIR("stream-race-copy", read_behind_an_early_wait),
	PAIR("notify-wait-never-recorded", last_round_in_vain),
	PAIR("notify-wait-never-recorded", synchronised_in_vain),
	PAIR_EACH("stream-wait-never-satisfied", synchronised_behind_no_record, SYNCHRONISE_STREAM),
	PAIR("notify-record-before-wait", recorded_twice),
	PAIR("notify-record-before-wait", recorded_after_reset),
	PAIR_WITH("notify-record-before-wait", counter_replaced, .soc = "Ascend950"),
	PAIR("notify-export-pid-whitelist", exported_to_nobody),
	PAIR_ALSO("notify-export-pid-whitelist", exported_to_nobody_until_end,
		"device-reset-with-live-objects"),
	PAIR("notify-import-peer-access", imported_without_access),
	PAIR_EACH("notify-ipc-destroy-once", imported_and_left, DEVICE_RESET),
	PAIR("notify-ipc-destroy-once", imported_and_exit),
	PAIR("notify-wait-imported", wait_imported),
	PAIR("notify-wait-imported", wait_on_other_device),
	PAIR("notify-batch-reset-args", reset_nothing),
};

PAIRS_MAIN("notify rules", pairs)
