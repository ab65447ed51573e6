/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about ends: of the runtime, of streams that others depend on, and what is kept until
 * then. */
#include "paired.h"

static void finalize_beside(void)
{
	struct acl_args_aclrtGetDeviceCount a = {.count = OUT};
	struct acl_call_record ev;

	pair_thread(1);
	pair_assume(pair_enter(&ev, ACL_API_aclrtGetDeviceCount, &a, __LINE__), "the call takes its time");
	if (!bug)
		pair_leave(&ev, 0);
	pair_thread(0);
	CALL(aclrtResetDeviceForce, .deviceId = 0);
	CALL(aclFinalize);
	if (bug)
		pair_leave(&ev, 0);
}

static void callback_too_late(void)
{
	CALL(aclrtResetDevice, .deviceId = 0);
	if (!bug)
		CALL(aclFinalizeCallbackRegister, .type = ACL_REG_TYPE_OTHER, .cbFunc = HANDLE);
	CALL(aclFinalize);
	if (bug)
		CALL(aclFinalizeCallbackRegister, .type = ACL_REG_TYPE_OTHER, .cbFunc = HANDLE);
	pair_exit();
}

static void counted_still(void)
{
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalizeReference, .refCount = NULL);
	CALL(aclInit, .configPath = NULL);
	if (!bug)
		CALL(aclFinalizeReference, .refCount = NULL);
	pair_exit();
}

/* --- waits --------------------------------------------------------------------------- */

static void free_after_timeout(void)
{
	aclrtStream s = make_stream();
	char *d = make_device_memory(4096);

	make_busy(s);
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	CALL_FAILS(507046, aclrtSynchronizeStreamWithTimeout, .stream = s, .timeout = 1);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtFree, .devPtr = d);
}

static void event_after_timeout(void)
{
	aclrtStream s = make_stream();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);

	make_busy(s);
	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL_FAILS(507047, aclrtSynchronizeEventWithTimeout, .event = e, .timeout = 1);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtDestroyEvent, .event = e);
}

static void device_wait_of_one_context(void)
{
	aclrtStream s;
	char *d = make_device_memory(4096);

	make_context();
	s = make_stream();
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	make_context();
	CALL(aclrtSynchronizeDevice);
	CALL(aclrtFree, .devPtr = d);
}

/* The free waits as a device wait does. */
static void free_waits_in_one_context(void)
{
	aclrtStream s;
	char *d = make_device_memory(4096);

	make_context();
	s = make_stream();
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	if (bug)
		make_context();
	CALL(aclrtFreeWithDevSync, .devPtr = d);
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* A stream that is waited for waits for the one of the other context. */
static void free_waits_for_a_waiting_stream(void)
{
	aclrtStream s;
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	char *d = make_device_memory(4096);

	make_context();
	s = make_stream();
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	CALL(aclrtRecordEvent, .event = e, .stream = s);
	make_context();
	if (!bug)
		CALL(aclrtStreamWaitEvent, .event = e, .stream = make_stream());
	CALL(aclrtFreeWithDevSync, .devPtr = d);
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* --- streams --------------------------------------------------------------------------- */

static void force_awaited(void)
{
	aclrtStream s = make_stream(), waiting = make_stream();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	char *d = make_device_memory(4096);

	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtStreamWaitEvent, .stream = waiting, .event = e);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = waiting);
	CALL(aclrtDestroyStreamForce, .stream = s);
}

/* One that ran before informs of nothing, one behind the work may. */
static void force_awaited_after_a_callback(void)
{
	aclrtStream s = make_stream(), waiting = make_stream();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	char *d = make_device_memory(4096);

	callback_ran();
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtStreamWaitEvent, .stream = waiting, .event = e);
	if (!bug) {
		CALL(aclrtLaunchHostFunc, .stream = waiting, .fn = HANDLE);
		pair_launched_begins();
	}
	CALL(aclrtDestroyStreamForce, .stream = s);
}

/* The host reads the word that the stream writes behind its work. */
static void force_behind_a_polled_word(void)
{
	aclrtStream s = make_stream();
	char *d = make_device_memory(4096), *word = make_device_memory(4096), *h = make_host_memory(4096);

	CALL(aclrtMemset, .devPtr = d, .maxCount = 4096, .count = 4096);
	CALL(aclrtMemset, .devPtr = word, .maxCount = 4096, .count = 4096);
	CALL(aclrtMemcpyAsync, .dst = d, .destMax = 64, .src = h, .count = 64,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = s);
	CALL(aclrtValueWrite, .devAddr = word, .value = 1, .stream = s);
	CALL(aclrtMemcpy, .dst = h + 64, .destMax = 8, .src = bug ? d + 128 : word, .count = 8,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
	CALL(aclrtDestroyStreamForce, .stream = s);
}

/* No wait: what the stream was given is lost. */
static void force_unfinished(void)
{
	aclrtStream s = make_stream();
	char *d = make_device_memory(4096);

	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtDestroyStreamForce, .stream = s);
}

/* After a wait that timed out, and after an abort, the program gives its tasks up. */
static void force_given_up(void)
{
	aclrtStream s = make_stream(), t = make_stream();
	char *d = make_device_memory(4096);

	/* Only a callback could keep a real stream busy. */
	pair_assume(make_address() != NULL, "the stream is busy without a callback");
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	CALL_FAILS(507046, aclrtSynchronizeStreamWithTimeout, .stream = s, .timeout = 1);
	if (bug)
		CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	CALL(aclrtDestroyStreamForce, .stream = s);
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = t);
	CALL(aclrtStreamAbort, .stream = t);
	CALL(aclrtDestroyStreamForce, .stream = t);
}

static void subscribed_still(void)
{
	aclrtStream s = make_stream();

	CALL(aclrtSubscribeReport, .threadId = pair_thread_id(1), .stream = s);
	if (!bug)
		CALL(aclrtUnSubscribeReport, .threadId = pair_thread_id(1), .stream = s);
	CALL(aclrtDestroyStream, .stream = s);
}

static void subscribed_and_at_work(void)
{
	struct acl_args_aclrtProcessReport a = {.timeout = 100};
	aclrtStream s = make_stream();
	struct acl_call_record ev;

	CALL(aclrtSubscribeReport, .threadId = pair_thread_id(1), .stream = s);
	if (!bug)
		CALL(aclrtUnSubscribeReport, .threadId = pair_thread_id(1), .stream = s);
	pair_thread(1);
	pair_assume(pair_enter(&ev, ACL_API_aclrtProcessReport, &a, __LINE__), "the call takes its time");
	pair_thread(0);
	CALL(aclrtDestroyStream, .stream = s);
	pair_leave(&ev, 507012);
}

static void poll_in_threads(void)
{
	struct acl_args_aclrtSynchronizeStream a[5];
	struct acl_call_record ev[5];
	unsigned n = bug ? 5 : 4;

	for (unsigned i = 0; i < n; i++)
		a[i].stream = make_stream_flags(ACL_STREAM_FAST_SYNC);
	for (unsigned i = 0; i < n; i++) {
		pair_thread(i + 1);
		pair_assume(pair_enter(&ev[i], ACL_API_aclrtSynchronizeStream, &a[i], __LINE__),
			"the call takes its time");
	}
	for (unsigned i = 0; i < n; i++) {
		pair_thread(i + 1);
		pair_leave(&ev[i], 0);
	}
}

/* Waits for streams that do not poll count neither when they begin nor when they end; nor does what has
 * ended. */
static void poll_beside_others(void)
{
	struct acl_args_aclrtSynchronizeStream a[5];
	struct acl_call_record ev[5];
	aclrtStream plain = make_stream(), fast = make_stream_flags(ACL_STREAM_FAST_SYNC);

	for (unsigned i = 0; i < 5; i++) {
		a[i].stream = fast;
		pair_thread(i + 1);
		CALL(aclrtSynchronizeStream, .stream = plain);
		if (i == 4 && !bug) {
			pair_thread(1);
			pair_leave(&ev[0], 0);
			pair_thread(i + 1);
		}
		pair_assume(pair_enter(&ev[i], ACL_API_aclrtSynchronizeStream, &a[i], __LINE__),
			"the call takes its time");
	}
	for (unsigned i = bug ? 0 : 1; i < 5; i++) {
		pair_thread(i + 1);
		pair_leave(&ev[i], 0);
	}
}

/* --- kept until the end ------------------------------------------------------------------------- */

static void end_of_process(void)
{
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize);
	pair_exit();
}

static void registration_kept(void)
{
	CALL(aclrtHostRegisterV2, .ptr = heap_memory, .size = 4096, .flag = ACL_HOST_REG_PINNED);
	if (!bug)
		CALL(aclrtHostUnregister, .ptr = heap_memory);
	end_of_process();
}

static void binary_kept(void)
{
	aclrtBinHandle b = NULL;

	CALL_DOES(aclrtBinaryLoadFromFile, 0, b = make_address(), .binPath = "add.o", .binHandle = &b);
	if (!bug)
		CALL(aclrtBinaryUnLoad, .binHandle = b);
	end_of_process();
}

static void pool_kept(void)
{
	static const aclrtMemPoolProps props = {.location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtMemPool pool = NULL;

	CALL_DOES(aclrtMemPoolCreate, 0, pool = make_address(), .memPool = &pool, .poolProps = &props);
	if (!bug)
		CALL(aclrtMemPoolDestroy, .memPool = pool);
	end_of_process();
}

static const struct pair pairs[] = {
	PAIR("finalize-race", finalize_beside),
	PAIR("finalize-callback-after-finalize", callback_too_late),
	PAIR_ALSO("finalize-reference-unbalanced", counted_still, "finalize-missing-at-exit"),
	PAIR_ALSO("sync-timeout-ignored", free_after_timeout, "free-in-flight"),
	PAIR("sync-timeout-ignored", event_after_timeout),
	PAIR_ALSO("sync-device-scope", device_wait_of_one_context, "free-in-flight"),
	PAIR("free-devsync-other-device", free_waits_in_one_context),
	PAIR("free-devsync-other-device", free_waits_for_a_waiting_stream),
	PAIR("stream-destroy-force-pending", force_awaited),
	PAIR("stream-destroy-force-pending", force_awaited_after_a_callback),
	PAIR("stream-destroy-force-pending", force_behind_a_polled_word),
	PAIR("stream-destroy-force-pending", force_unfinished),
	PAIR("stream-destroy-force-pending", force_given_up),
	PAIR("stream-destroyed-while-subscribed", subscribed_still),
	PAIR("stream-destroyed-while-subscribed", subscribed_and_at_work),
	PAIR("stream-fast-sync-many", poll_in_threads),
	PAIR("stream-fast-sync-many", poll_beside_others),
	PAIR("leak-host-register", registration_kept),
	PAIR("leak-kernel-binary", binary_kept),
	PAIR("leak-pool", pool_kept),
};

PAIRS_MAIN("rules about ends", pairs)
