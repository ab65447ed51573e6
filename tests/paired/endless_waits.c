/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that wait for what can never come: streams that wait in a circle, events and notifies without a
 * record. */
#include "paired.h"

/* A wait for it is a real one, before any record, too. */
static aclrtEvent make_blocking_event(void)
{
	/* On a runtime the call would not return. */
	pair_assume(make_address() != NULL, "a call that waits for ever returns");
	return make_event_flag(ACL_EVENT_SYNC);
}

static void record(aclrtEvent e, aclrtStream s)
{
	CALL(aclrtRecordEvent, .event = e, .stream = s);
}

static void wait_event(aclrtStream s, aclrtEvent e)
{
	CALL(aclrtStreamWaitEvent, .stream = s, .event = e);
}

static void two_wait_for_each_other(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	aclrtEvent one = make_event(), two = make_blocking_event();

	if (!bug)
		record(two, second);
	wait_event(first, two);
	record(one, first);
	wait_event(second, one);
	if (bug)
		record(two, second);
	CALL_EACH(bug ? 507046 : 0, ROLE(STREAM, second), ROLE(TIMEOUT, -1));
}

static void waits_for_itself(void)
{
	aclrtStream s = make_stream();
	aclrtEvent e = make_blocking_event(), last = make_event();

	if (!bug)
		record(e, s);
	wait_event(s, e);
	if (bug)
		record(e, s);
	record(last, s);
	CALL_EACH(bug ? 507046 : 0, ROLE(EVENT, last), ROLE(TIMEOUT, -1));
}

static void notified_in_a_cycle(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	aclrtEvent one = make_event();
	aclrtNotify n = NULL;

	pair_assume(make_address() != NULL, "a call that waits for ever returns");
	CALL_DOES(aclrtCreateNotify, 0, n = make_address(), .notify = &n);
	if (!bug)
		CALL(aclrtRecordNotify, .notify = n, .stream = second);
	CALL(aclrtWaitAndResetNotify, .notify = n, .stream = first);
	record(one, first);
	wait_event(second, one);
	if (bug)
		CALL(aclrtRecordNotify, .notify = n, .stream = second);
	CALL_FAILS(bug ? 507046 : 0, aclrtSynchronizeStream, .stream = second);
	CALL(aclrtDestroyStreamForce, .stream = first);
	CALL(aclrtDestroyNotify, .notify = n);
}

/* Of one stream: the record cannot be reached before the wait is over. */
static void notified_by_itself(void)
{
	aclrtStream s = make_stream();
	aclrtNotify n = NULL;

	pair_assume(make_address() != NULL, "a call that waits for ever returns");
	CALL_DOES(aclrtCreateNotify, 0, n = make_address(), .notify = &n);
	if (!bug)
		CALL(aclrtRecordNotify, .notify = n, .stream = s);
	CALL(aclrtWaitAndResetNotify, .notify = n, .stream = s);
	if (bug)
		CALL(aclrtRecordNotify, .notify = n, .stream = s);
	CALL_EACH(bug ? 507046 : 0, ROLE(STREAM, s), ROLE(TIMEOUT, -1));
	CALL(aclrtDestroyStreamForce, .stream = s);
	CALL(aclrtDestroyNotify, .notify = n);
}

/* A wait behind one that nothing has recorded so far. */
static void wait_behind_a_wait(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	aclrtEvent e = make_blocking_event(), one = make_event();

	wait_event(first, e);
	record(one, first);
	wait_event(second, one);
	CALL_FAILS(bug ? 507046 : 0, aclrtSynchronizeStream, .stream = second);
}

/* Another thread is there, and may come to record it. */
static void without_a_second_thread(void)
{
	if (!bug)
		pair_unseen(CHECKS_OTHER_THREADS);
	wait_behind_a_wait();
}

/* So may a callback that has not run yet. */
static void without_a_callback(void)
{
	aclrtStream other = make_stream();

	if (!bug)
		CALL(aclrtLaunchHostFunc, .stream = other, .fn = HANDLE);
	wait_behind_a_wait();
	CALL(aclrtSynchronizeStream, .stream = other);
}

/* It has run, on a thread of the runtime: that one acts in callbacks alone, and none is left. */
static void behind_a_callback(void)
{
	aclrtStream other = make_stream();

	CALL(aclrtLaunchHostFunc, .stream = other, .fn = HANDLE);
	pair_thread(1);
	pair_callback_begin(ACL_API_aclrtLaunchHostFunc, NULL);
	pair_callback_end(ACL_API_aclrtLaunchHostFunc, NULL);
	/* A thread of the program may do anything. */
	if (!bug)
		CALL(aclrtSetDevice, .deviceId = 0);
	pair_thread(0);
	CALL(aclrtSynchronizeStream, .stream = other);
	wait_behind_a_wait();
	if (!bug)
		CALL(aclrtResetDevice, .deviceId = 0);
}

/* It comes with a model that is executed. */
static void without_a_callback_of_a_model(void)
{
	aclrtStream other = make_stream();
	aclmdlRI model = NULL;

	CALL(aclmdlRICaptureBegin, .stream = other, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(aclrtLaunchHostFunc, .stream = other, .fn = HANDLE);
	CALL_DOES(aclmdlRICaptureEnd, 0, model = make_address(), .stream = other, .modelRI = &model);
	CALL(aclrtSynchronizeStream, .stream = other);
	if (!bug)
		CALL(aclmdlRIExecuteAsync, .modelRI = model, .stream = other);
	wait_behind_a_wait();
	CALL(aclrtSynchronizeStream, .stream = other);
	CALL(aclmdlRIDestroy, .modelRI = model);
}

static void behind_a_wait_without_record(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	aclrtEvent e = make_blocking_event(), one = make_event();

	if (!bug)
		record(e, second);
	wait_event(first, e);
	record(one, first);
	wait_event(second, one);
	CALL_EACH(bug ? 507046 : 0, ROLE(STREAM, second), ROLE(TIMEOUT, -1));
}

static void device_of_a_wait_without_record(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	aclrtEvent e = make_blocking_event();

	if (!bug)
		record(e, second);
	wait_event(first, e);
	CALL_EACH(bug ? 507046 : 0, ROLE(TIMEOUT, -1));
}

static void event_behind_a_wait_without_record(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	aclrtEvent e = make_blocking_event(), one = make_event();

	if (!bug)
		record(e, second);
	wait_event(first, e);
	record(one, first);
	CALL_EACH(bug ? 507047 : 0, ROLE(EVENT, one), ROLE(TIMEOUT, -1));
}

static const struct pair pairs[] = {
	PAIR_EACH("stream-wait-cycle", two_wait_for_each_other, SYNCHRONISE_STREAM),
	PAIR_EACH("stream-wait-cycle", waits_for_itself, SYNCHRONISE_EVENT),
	PAIR("stream-wait-cycle", notified_in_a_cycle),
	PAIR_EACH("stream-wait-cycle", notified_by_itself, SYNCHRONISE_STREAM),
	PAIR("stream-wait-never-satisfied", without_a_second_thread),
	PAIR("stream-wait-never-satisfied", without_a_callback),
	PAIR("stream-wait-never-satisfied", behind_a_callback),
	PAIR("stream-wait-never-satisfied", without_a_callback_of_a_model),
	PAIR_EACH("stream-wait-never-satisfied", behind_a_wait_without_record, SYNCHRONISE_STREAM),
	PAIR_EACH("stream-wait-never-satisfied", device_of_a_wait_without_record, SYNCHRONISE_DEVICE),
	PAIR_EACH("stream-wait-never-satisfied", event_behind_a_wait_without_record, SYNCHRONISE_EVENT),
};

PAIRS_MAIN("waits that never end", pairs)
