/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about kinds of events and the failure mode of streams. */
#include "paired.h"

static void wait_timeline(void)
{
	aclrtEvent e = make_event_ex(bug ? ACL_EVENT_TIME_LINE : ACL_EVENT_SYNC);
	aclrtStream s = make_stream(), t = make_stream();

	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL_EACH(bug ? 207000 : 0, ROLE(STREAM, t), ROLE(EVENT, e));
	CALL(aclrtSynchronizeStream, .stream = t);
}

static void record_device_only(void)
{
	aclrtEvent e = make_event_flag(bug ? ACL_EVENT_DEVICE_USE_ONLY : ACL_EVENT_SYNC);

	CALL_EACH(0, ROLE(EVENT, e));
}

static void reset_ex(void)
{
	aclrtEvent e = bug ? make_event_ex(ACL_EVENT_SYNC) : make_event_flag(ACL_EVENT_SYNC);

	CALL(aclrtRecordEvent, .event = e);
	CALL_FAILS(bug ? 207000 : 0, aclrtResetEvent, .event = e);
}

/* Taken by the runtime, not by the documents: a warning. */
static void reset_plain(void)
{
	aclrtEvent e = bug ? make_event() : make_event_flag(ACL_EVENT_SYNC);

	CALL(aclrtRecordEvent, .event = e);
	CALL(aclrtResetEvent, .event = e);
}

/* The documents before 9.0 refuse the first alone. */
static void reset_ex_of_old(void)
{
	aclrtEvent e = bug ? make_event_ex(ACL_EVENT_SYNC) : make_event();

	CALL(aclrtRecordEvent, .event = e);
	CALL(aclrtResetEvent, .event = e);
}

static void query_ex(void)
{
	aclrtEvent e = bug ? make_event_ex(ACL_EVENT_SYNC) : make_event();

	CALL(aclrtRecordEvent, .event = e);
	CALL_FAILS(bug ? 207000 : 0, aclrtQueryEvent, .event = e, .status = OUT);
}

static void query_wait_ex(void)
{
	aclrtEvent e = bug ? make_event_ex(ACL_EVENT_SYNC) : make_event_flag(ACL_EVENT_SYNC);

	CALL_FAILS(bug ? 207000 : 0, aclrtQueryEventWaitStatus, .event = e, .status = OUT);
}

static void number_ex(void)
{
	aclrtEvent e = bug ? make_event_ex(ACL_EVENT_SYNC) : make_event_flag(ACL_EVENT_SYNC);

	CALL_FAILS(bug ? 507000 : 0, aclrtGetEventId, .event = e, .eventId = OUT);
}

static void number_timeline(void)
{
	aclrtEvent e = make_event_flag(
		bug ? ACL_EVENT_TIME_LINE | ACL_EVENT_CAPTURE_STREAM_PROGRESS : ACL_EVENT_SYNC);

	CALL_FAILS(bug ? 507000 : 0, aclrtGetEventId, .event = e, .eventId = OUT);
}

static void share_plain(void)
{
	aclrtEvent e = bug ? make_event() : make_event_ex(ACL_EVENT_IPC);

	CALL_FAILS(bug ? 107000 : 0, aclrtIpcGetEventHandle, .event = e, .handle = OUT);
}

static void elapsed_sync_only(void)
{
	uint32_t flags = bug ? ACL_EVENT_SYNC : ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE;
	aclrtEvent start = make_event_ex(flags), end = make_event_ex(flags);

	CALL(aclrtRecordEvent, .event = start);
	CALL(aclrtRecordEvent, .event = end);
	CALL(aclrtSynchronizeEvent, .event = end);
	CALL(aclrtEventElapsedTime, .ms = OUT, .startEvent = start, .endEvent = end);
}

static void elapsed_unrecorded(void)
{
	aclrtEvent start = make_event(), end = make_event();

	CALL(aclrtRecordEvent, .event = start);
	if (!bug)
		CALL(aclrtRecordEvent, .event = end);
	CALL(aclrtSynchronizeStream, .stream = NULL);
	CALL_FAILS(bug ? 507000 : 0, aclrtEventElapsedTime, .ms = OUT, .startEvent = start, .endEvent = end);
}

static void elapsed_early(void)
{
	aclrtEvent start = make_event(), end = make_event();

	CALL(aclrtRecordEvent, .event = start);
	make_busy(NULL);
	CALL(aclrtRecordEvent, .event = end);
	if (!bug)
		CALL(aclrtSynchronizeEvent, .event = end);
	CALL_FAILS(bug ? 107006 : 0, aclrtEventElapsedTime, .ms = OUT, .startEvent = start, .endEvent = end);
}

/* The answer comes all the same where the device happens to be fast. */
static void elapsed_by_luck(void)
{
	aclrtEvent start = make_event(), end = make_event();
	aclrtStream s = make_stream();

	CALL(aclrtRecordEvent, .event = start, .stream = s);
	CALL(aclrtRecordEvent, .event = end, .stream = s);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtEventElapsedTime, .ms = OUT, .startEvent = start, .endEvent = end);
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* The end was waited for, the start was recorded again since. */
static void elapsed_from_a_new_start(void)
{
	aclrtEvent start = make_event(), end = make_event();
	aclrtStream s = make_stream();

	CALL(aclrtRecordEvent, .event = start, .stream = s);
	CALL(aclrtRecordEvent, .event = end, .stream = s);
	CALL(aclrtSynchronizeEvent, .event = end);
	if (bug)
		CALL(aclrtRecordEvent, .event = start, .stream = s);
	CALL(aclrtEventElapsedTime, .ms = OUT, .startEvent = start, .endEvent = end);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void synchronise_unrecorded(void)
{
	aclrtEvent e = make_event();

	if (!bug)
		CALL(aclrtRecordEvent, .event = e);
	CALL_EACH(0, ROLE(EVENT, e), ROLE(TIMEOUT, -1));
}

static void no_event_left(void)
{
	CALL_EACH(bug ? 207007 : 0, ROLE(EVENT, OUT), ROLE(FLAGS, ACL_EVENT_SYNC));
}

static void no_event_to_record(void)
{
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);

	CALL_EACH(bug ? 207007 : 0, ROLE(EVENT, e));
}

static void no_stream_left(void)
{
	CALL_EACH(bug ? 207008 : 0, ROLE(STREAM, OUT), ROLE(CONFIGURATION, HANDLE));
}

/* --- failure mode --------------------------------------------------------------------- */

static void mode_changed(void)
{
	aclrtStream s = make_stream();

	CALL(aclrtSetStreamFailureMode, .stream = s, .mode = ACL_STOP_ON_FAILURE);
	CALL_FAILS(bug ? 207000 : 0, aclrtSetStreamFailureMode, .stream = s,
		.mode = bug ? ACL_CONTINUE_ON_FAILURE : ACL_STOP_ON_FAILURE);
}

static void submit_after_failure(void)
{
	aclrtStream s = make_stream();
	char *d = make_device_memory(4096);

	if (bug)
		CALL(aclrtSetStreamFailureMode, .stream = s, .mode = ACL_STOP_ON_FAILURE);
	CALL_FAILS(507015, aclrtSynchronizeStream, .stream = s);
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void mode_of_bound(void)
{
	aclrtStream s = make_stream_flags(ACL_STREAM_PERSISTENT);
	aclmdlRI m = NULL;

	CALL_DOES(aclmdlRIBuildBegin, 0, m = make_address(), .modelRI = &m);
	if (bug)
		CALL(aclmdlRIBindStream, .modelRI = m, .stream = s);
	CALL_FAILS(bug ? 207000 : 0, aclrtSetStreamFailureMode, .stream = s, .mode = ACL_CONTINUE_ON_FAILURE);
}

/* Whatever the task is, the stream takes it no more. */
static void record_after_failure(void)
{
	aclrtStream s = make_stream();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);

	if (bug)
		CALL(aclrtSetStreamFailureMode, .stream = s, .mode = ACL_STOP_ON_FAILURE);
	CALL_FAILS(507015, aclrtSynchronizeStream, .stream = s);
	CALL_EACH(0, ROLE(STREAM, s), ROLE(EVENT, e));
}

/* Streams beside one that stops on failure stop with it. */
static void submit_beside_failure(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	char *d = make_device_memory(4096);

	if (bug)
		CALL(aclrtSetStreamFailureMode, .stream = s, .mode = ACL_STOP_ON_FAILURE);
	CALL_EACH(507015, ROLE(STREAM, other), ROLE(TIMEOUT, -1));
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = other);
	CALL(aclrtSynchronizeStream, .stream = other);
}

static void submit_after_device_failure(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	char *d = make_device_memory(4096);

	if (bug)
		CALL(aclrtSetStreamFailureMode, .stream = s, .mode = ACL_STOP_ON_FAILURE);
	CALL_EACH(507015, ROLE(TIMEOUT, -1));
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = other);
	CALL(aclrtSynchronizeStream, .stream = other);
}

static void submit_after_event_failure(void)
{
	aclrtStream s = make_stream();
	aclrtEvent e = make_event();
	char *d = make_device_memory(4096);

	if (bug)
		CALL(aclrtSetStreamFailureMode, .stream = s, .mode = ACL_STOP_ON_FAILURE);
	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL_EACH(507015, ROLE(EVENT, e), ROLE(TIMEOUT, -1));
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static const struct pair pairs[] = {
	PAIR_EACH("event-wait-without-sync-flag", wait_timeline, WAIT_EVENT),
	PAIR_EACH("event-device-only-on-host", record_device_only, RECORD_EVENT),
	PAIR("event-reset-unsupported", reset_ex),
	PAIR("event-reset-unsupported", reset_plain),
	PAIR_WITH("event-reset-unsupported", reset_plain, .target = ACL_CANN_9_0 + 1),
	PAIR_WITH("event-reset-unsupported", reset_ex_of_old, .target = ACL_CANN_8_5 + 1),
	PAIR("event-query-api-mismatch", query_ex),
	PAIR("event-query-api-mismatch", query_wait_ex),
	PAIR("event-query-api-mismatch", number_ex),
	PAIR("event-query-api-mismatch", number_timeline),
	PAIR("event-ipc-handle-without-ipc-flag", share_plain),
	PAIR("event-elapsed-no-timeline", elapsed_sync_only),
	PAIR("event-elapsed-not-recorded", elapsed_unrecorded),
	PAIR("event-elapsed-not-synced", elapsed_early),
	PAIR("event-elapsed-not-synced", elapsed_by_luck),
	PAIR("event-elapsed-not-synced", elapsed_from_a_new_start),
	PAIR_EACH("event-sync-before-record", synchronise_unrecorded, SYNCHRONISE_EVENT),
	PAIR_EACH("event-resource-exhausted", no_event_left, CREATE_EVENT),
	PAIR_EACH("event-resource-exhausted", no_event_to_record, RECORD_EVENT),
	PAIR_EACH("stream-resource-exhausted", no_stream_left, CREATE_STREAM),
	PAIR("stream-failure-mode-repeat", mode_changed),
	PAIR("stream-failure-mode-repeat", mode_of_bound),
	PAIR_AVOIDS("stop-on-failure-then-submit", submit_after_failure),
	PAIR_EACH("stop-on-failure-then-submit", record_after_failure, RECORD_EVENT, .avoids = true),
	PAIR_EACH("stop-on-failure-then-submit", submit_beside_failure, SYNCHRONISE_STREAM, .avoids = true),
	PAIR_EACH(
		"stop-on-failure-then-submit", submit_after_event_failure, SYNCHRONISE_EVENT, .avoids = true),
	PAIR_EACH("stop-on-failure-then-submit", submit_after_device_failure, SYNCHRONISE_DEVICE,
		.avoids = true),
};

PAIRS_MAIN("rules about events", pairs)
