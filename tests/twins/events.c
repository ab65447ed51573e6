/* SPDX-License-Identifier: Apache-2.0 */
/* Twins of the rules about kinds of events and the failure mode of streams. */
#include "twins.h"

static void wait_timeline(void)
{
	aclrtEvent e = make_event_ex(bug ? ACL_EVENT_TIME_LINE : ACL_EVENT_SYNC);
	aclrtStream s = make_stream(), t = make_stream();

	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL_FAILS(bug ? 207000 : 0, aclrtStreamWaitEvent, .stream = t, .event = e);
	CALL(aclrtSynchronizeStream, .stream = t);
}

static void record_device_only(void)
{
	aclrtEvent e = make_event_flag(bug ? ACL_EVENT_DEVICE_USE_ONLY : ACL_EVENT_SYNC);

	CALL(aclrtRecordEvent, .event = e);
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

static void query_ex(void)
{
	aclrtEvent e = bug ? make_event_ex(ACL_EVENT_SYNC) : make_event();

	CALL(aclrtRecordEvent, .event = e);
	CALL_FAILS(bug ? 207000 : 0, aclrtQueryEvent, .event = e, .status = OUT);
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

static void synchronise_unrecorded(void)
{
	aclrtEvent e = make_event();

	if (!bug)
		CALL(aclrtRecordEvent, .event = e);
	CALL(aclrtSynchronizeEvent, .event = e);
}

static void no_event_left(void)
{
	CALL_FAILS(bug ? 207007 : 0, aclrtCreateEvent, .event = OUT);
}

static void no_stream_left(void)
{
	CALL_FAILS(bug ? 207008 : 0, aclrtCreateStream, .stream = OUT);
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

static const struct twin twins[] = {
	TWIN("event-wait-without-sync-flag", wait_timeline),
	TWIN("event-device-only-on-host", record_device_only),
	TWIN("event-reset-unsupported", reset_ex),
	TWIN("event-reset-unsupported", reset_plain),
	TWIN("event-query-api-mismatch", query_ex),
	TWIN("event-ipc-handle-without-ipc-flag", share_plain),
	TWIN("event-elapsed-no-timeline", elapsed_sync_only),
	TWIN("event-elapsed-not-recorded", elapsed_unrecorded),
	TWIN("event-elapsed-not-synced", elapsed_early),
	TWIN("event-sync-before-record", synchronise_unrecorded),
	TWIN("event-resource-exhausted", no_event_left),
	TWIN("stream-resource-exhausted", no_stream_left),
	TWIN("stream-failure-mode-repeat", mode_changed),
	TWIN_AVOIDS("stop-on-failure-then-submit", submit_after_failure),
};

TWINS_MAIN("rules about events", twins)
