/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about the use of events. */
#include <unistd.h>

#include "paired.h"

static void record_across(void)
{
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	aclrtStream s;

	CALL(aclrtSetDevice, .deviceId = 1);
	if (!bug)
		e = make_event_ex(ACL_EVENT_SYNC);
	s = make_stream();
	CALL(aclrtRecordEvent, .event = e, .stream = s);
}

/* Of the older kinds it is where it was made. */
static void record_flagged_across(void)
{
	aclrtEvent e = make_event_flag(ACL_EVENT_SYNC);
	aclrtStream s;

	CALL(aclrtSetDevice, .deviceId = 1);
	if (!bug)
		e = make_event_flag(ACL_EVENT_SYNC);
	s = make_stream();
	CALL(aclrtRecordEvent, .event = e, .stream = s);
}

static void wait_across(void)
{
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	aclrtStream s = make_stream(), near = make_stream(), far;

	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtSetDevice, .deviceId = 1);
	far = make_stream();
	if (!bug)
		CALL(aclrtSetDevice, .deviceId = 0);
	CALL(aclrtStreamWaitEvent, .stream = bug ? far : near, .event = e);
}

static void wait_here(void)
{
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	aclrtStream s = make_stream(), other = make_stream();

	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL_EACH(0, ROLE(STREAM, bug ? s : other), ROLE(EVENT, e));
}

static void query_elsewhere(void)
{
	aclrtEvent e = make_event();
	aclrtStream s = make_stream();

	CALL(aclrtRecordEvent, .event = e, .stream = s);
	pair_thread(bug);
	CALL(aclrtQueryEvent, .event = e, .status = OUT);
}

static void time_between_streams(void)
{
	aclrtEvent start = make_event(), end = make_event();
	aclrtStream s = make_stream(), other = make_stream();

	CALL(aclrtRecordEvent, .event = start, .stream = s);
	CALL(aclrtRecordEvent, .event = end, .stream = bug ? other : s);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = other);
	CALL(aclrtEventElapsedTime, .ms = OUT, .startEvent = start, .endEvent = end);
}

static void time_for_nothing(void)
{
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
	aclrtStream s = make_stream();

	for (unsigned i = 0; i < 20; i++)
		CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
	if (!bug)
		CALL(aclrtEventGetTimestamp, .event = e, .timestamp = OUT);
	CALL(aclrtDestroyEvent, .event = e);
	CALL(aclrtDestroyStream, .stream = s);
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize);
	pair_exit();
}

static void destroy_while_waiting(void)
{
	struct acl_args_aclrtSynchronizeEvent a;
	struct acl_call_record ev;

	a.event = make_event_ex(ACL_EVENT_SYNC);
	CALL(aclrtRecordEvent, .event = a.event);
	pair_thread(1);
	pair_assume(pair_enter(&ev, ACL_API_aclrtSynchronizeEvent, &a, __LINE__), "the call takes its time");
	if (!bug)
		pair_leave(&ev, 0);
	pair_thread(0);
	CALL(aclrtDestroyEvent, .event = a.event);
	if (bug)
		pair_leave(&ev, 0);
}

/* Advice: the runtime keeps what the stream's wait needs. */
static void destroy_awaited(void)
{
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	aclrtStream s = make_stream(), waiting = make_stream();

	CALL(aclrtRecordEvent, .event = e, .stream = s);
	pair_thread(1);
	CALL(aclrtSetDevice, .deviceId = 0);
	CALL(aclrtStreamWaitEvent, .stream = waiting, .event = e);
	pair_thread(0);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = waiting);
	CALL(aclrtDestroyEvent, .event = e);
}

/* On the software runtime the streams take their time. */
static void wait_status_complete(aclrtEvent e)
{
	aclrtEventWaitStatus status = ACL_EVENT_WAIT_STATUS_NOT_READY;

	CALL(aclrtQueryEventWaitStatus, .event = e, .status = &status);
	for (int i = 0; i < 1000 && status != ACL_EVENT_WAIT_STATUS_COMPLETE; i++) {
		CALL_DOES(aclrtQueryEventWaitStatus, 0, status = ACL_EVENT_WAIT_STATUS_COMPLETE, .event = e,
			.status = &status);
		if (status != ACL_EVENT_WAIT_STATUS_COMPLETE)
			usleep(1000);
	}
}

/* That no stream waits any more is another way to know it. */
static void destroy_asked_about(void)
{
	aclrtEvent e = make_event_flag(ACL_EVENT_SYNC);
	aclrtStream s = make_stream(), waiting = make_stream();

	CALL(aclrtRecordEvent, .event = e, .stream = s);
	pair_thread(1);
	CALL(aclrtSetDevice, .deviceId = 0);
	CALL(aclrtStreamWaitEvent, .stream = waiting, .event = e);
	pair_thread(0);
	if (!bug)
		wait_status_complete(e);
	CALL(aclrtDestroyEvent, .event = e);
}

/* Where none ever waited, it shows nothing. */
static void freed_when_waits_are_over(void)
{
	aclrtEvent e = make_event_flag(ACL_EVENT_SYNC);
	aclrtStream s = make_stream(), t = make_stream(), u = make_stream();
	void *d = make_device_memory(4096);

	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 4096, .count = 4096, .stream = s);
	CALL(aclrtRecordEvent, .event = e, .stream = s);
	if (!bug) {
		CALL(aclrtStreamWaitEvent, .stream = t, .event = e);
		CALL(aclrtStreamWaitEvent, .stream = u, .event = e);
	}
	wait_status_complete(e);
	CALL(aclrtFree, .devPtr = d);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = t);
	CALL(aclrtSynchronizeStream, .stream = u);
}

/* A callback informs of what is before it on its stream. */
static void destroy_awaited_after_a_callback(void)
{
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	aclrtStream s = make_stream(), waiting = make_stream();

	callback_ran();
	CALL(aclrtRecordEvent, .event = e, .stream = s);
	pair_thread(1);
	CALL(aclrtSetDevice, .deviceId = 0);
	CALL(aclrtStreamWaitEvent, .stream = waiting, .event = e);
	if (!bug) {
		CALL(aclrtLaunchHostFunc, .stream = waiting, .fn = HANDLE);
		pair_launched_begins();
	}
	pair_thread(0);
	CALL(aclrtDestroyEvent, .event = e);
}

/* Of several streams that wait, the last one is done. */
static void destroy_awaited_by_one(void)
{
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	aclrtStream s = make_stream(), first = make_stream(), last = make_stream();

	CALL(aclrtRecordEvent, .event = e, .stream = s);
	pair_thread(1);
	CALL(aclrtSetDevice, .deviceId = 0);
	CALL(aclrtStreamWaitEvent, .stream = first, .event = e);
	CALL(aclrtStreamWaitEvent, .stream = last, .event = e);
	pair_thread(0);
	CALL(aclrtSynchronizeStream, .stream = last);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = first);
	CALL(aclrtDestroyEvent, .event = e);
}

static void reset_too_early(void)
{
	aclrtEvent e = make_event_flag(ACL_EVENT_SYNC);
	aclrtStream s = make_stream(), first = make_stream(), second = make_stream();

	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtStreamWaitEvent, .stream = first, .event = e);
	CALL(aclrtResetEvent, .event = e, .stream = first);
	CALL(aclrtSynchronizeStream, .stream = first);
	if (!bug)
		CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtStreamWaitEvent, .stream = second, .event = e);
	CALL_FAILS(bug ? 507046 : 0, aclrtSynchronizeStreamWithTimeout, .stream = second,
		.timeout = bug ? 20 : 4000);
	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = second);
}

/* Both streams wait in time, and one of them resets. */
static void reset_by_one_of_two(void)
{
	aclrtEvent e = make_event_flag(ACL_EVENT_SYNC), between = make_event_ex(ACL_EVENT_SYNC);
	aclrtStream s = make_stream(), first = make_stream(), second = make_stream();

	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtStreamWaitEvent, .stream = first, .event = e);
	if (bug)
		CALL(aclrtRecordEvent, .event = between, .stream = second);
	CALL(aclrtStreamWaitEvent, .stream = second, .event = e);
	if (!bug)
		CALL(aclrtRecordEvent, .event = between, .stream = second);
	CALL(aclrtStreamWaitEvent, .stream = first, .event = between);
	CALL(aclrtResetEvent, .event = e, .stream = first);
	CALL(aclrtSynchronizeStream, .stream = first);
	CALL(aclrtSynchronizeStreamWithTimeout, .stream = second, .timeout = 4000);
}

/* By the stream that recorded. */
static void reset_by_the_recorder(void)
{
	aclrtEvent e = make_event_flag(ACL_EVENT_SYNC);
	aclrtStream s = make_stream(), other = make_stream();

	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtStreamWaitEvent, .stream = other, .event = e);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = other);
	CALL(aclrtResetEvent, .event = e, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = other);
}

static const struct pair pairs[] = {
	PAIR("event-reset-before-wait", reset_by_one_of_two),
	PAIR("event-reset-before-wait", reset_by_the_recorder),
	PAIR("event-cross-device", record_across),
	PAIR("event-cross-device", record_flagged_across),
	PAIR("event-cross-device", wait_across),
	PAIR_EACH("event-wait-same-stream", wait_here, WAIT_EVENT),
	PAIR("event-query-cross-thread", query_elsewhere),
	PAIR("event-elapsed-different-streams", time_between_streams),
	PAIR("event-timeline-unneeded", time_for_nothing),
	PAIR("event-destroyed-in-use", destroy_while_waiting),
	PAIR("event-destroyed-in-use", destroy_awaited),
	PAIR("event-destroyed-in-use", destroy_asked_about),
	PAIR("free-in-flight", freed_when_waits_are_over),
	PAIR("event-destroyed-in-use", destroy_awaited_after_a_callback),
	PAIR("event-destroyed-in-use", destroy_awaited_by_one),
	PAIR_ALSO("event-reset-before-wait", reset_too_early, "event-wait-before-record"),
};

PAIRS_MAIN("rules about the use of events", pairs)
