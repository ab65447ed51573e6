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

static aclrtCntNotify new_counter(void)
{
	aclrtCntNotify n = NULL;

	pair_assume(make_address() != NULL, "a call that waits for ever returns");
	CALL_DOES(aclrtCntNotifyCreate, 0, n = make_address(), .cntNotify = &n, .flag = 0);
	return n;
}

static void count_two(aclrtCntNotify n, aclrtStream s)
{
	static aclrtCntNotifyRecordInfo two = {ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 2};

	CALL(aclrtCntNotifyRecord, .cntNotify = n, .stream = s, .info = &two);
}

static void wait_for_two(aclrtCntNotify n, aclrtStream s)
{
	static aclrtCntNotifyWaitInfo two = {
		.mode = ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, .value = 2, .isClear = 1};

	CALL(aclrtCntNotifyWaitWithTimeout, .cntNotify = n, .stream = s, .info = &two);
}

/* A count begins with 0, and nothing adds to it. */
static void count_without_record(void)
{
	aclrtStream s = make_stream(), second = make_stream();
	aclrtCntNotify n = new_counter();

	wait_for_two(n, s);
	if (!bug)
		count_two(n, second);
	CALL_EACH(bug ? 507046 : 0, ROLE(STREAM, s), ROLE(TIMEOUT, -1));
	CALL(aclrtDestroyStreamForce, .stream = s);
	CALL(aclrtCntNotifyDestroy, .cntNotify = n);
}

static void count_by_itself(void)
{
	aclrtStream s = make_stream();
	aclrtCntNotify n = new_counter();

	if (!bug)
		count_two(n, s);
	wait_for_two(n, s);
	if (bug)
		count_two(n, s);
	CALL_FAILS(bug ? 507046 : 0, aclrtSynchronizeStream, .stream = s);
	CALL(aclrtDestroyStreamForce, .stream = s);
	CALL(aclrtCntNotifyDestroy, .cntNotify = n);
}

static aclrtNotify new_notify(void)
{
	aclrtNotify n = NULL;

	CALL_DOES(aclrtCreateNotify, 0, n = make_address(), .notify = &n);
	return n;
}

/* Each waits for the other's notify for a time, and the runtime answers that this was over. */
static void notified_in_a_cycle_for_a_time(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	aclrtNotify of_first = new_notify(), of_second = new_notify();

	if (!bug)
		CALL(aclrtRecordNotify, .notify = of_second, .stream = first);
	CALL(aclrtWaitAndResetNotify, .notify = of_first, .stream = first, .timeout = 1);
	CALL(aclrtWaitAndResetNotify, .notify = of_second, .stream = second, .timeout = 1);
	if (bug)
		CALL(aclrtRecordNotify, .notify = of_second, .stream = first);
	CALL(aclrtRecordNotify, .notify = of_first, .stream = second);
	CALL_EACH(bug ? 107019 : 0, ROLE(STREAM, first), ROLE(TIMEOUT, -1));
	CALL(aclrtDestroyStreamForce, .stream = first);
	CALL(aclrtDestroyStreamForce, .stream = second);
	CALL(aclrtDestroyNotify, .notify = of_first);
	CALL(aclrtDestroyNotify, .notify = of_second);
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

/* --- words of memory -------------------------------------------------------------------------------- */

/* It is 0. */
static void *make_word(void)
{
	void *word = make_device_memory(64);

	pair_assume(make_address() != NULL, "a call that waits for ever returns");
	CALL(aclrtMemset, .devPtr = word, .maxCount = 64, .value = 0, .count = 64);
	return word;
}

static void write_word(void *word, uint64_t value, aclrtStream s)
{
	CALL(aclrtValueWrite, .devAddr = word, .value = value, .stream = s);
}

static void wait_word(void *word, uint64_t value, aclrtStream s)
{
	CALL(aclrtValueWait, .devAddr = word, .value = value, .flag = ACL_STREAM_WAIT_VALUE_GEQ, .stream = s);
}

/* The stream never ends with what is there. */
static void word_end(void *word)
{
	if (!bug)
		CALL(aclrtFree, .devPtr = word);
}

static void word_never_written(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *word = make_word();

	if (!bug)
		write_word(word, 1, second);
	wait_word(word, 1, first);
	CALL_EACH(bug ? 507046 : 0, ROLE(STREAM, first), ROLE(TIMEOUT, -1));
	CALL(aclrtSynchronizeStream, .stream = second);
	word_end(word);
}

static void word_counted_wrongly(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *word = make_word();

	write_word(word, 1, second);
	wait_word(word, bug ? 2 : 1, first);
	CALL_EACH(bug ? 507046 : 0, ROLE(TIMEOUT, -1));
	word_end(word);
}

/* What comes later is too small as well. */
static void word_written_too_late(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *word = make_word();

	wait_word(word, 4, first);
	write_word(word, 2, second);
	write_word(word, bug ? 3 : 4, second);
	CALL_FAILS(bug ? 507046 : 0, aclrtSynchronizeStream, .stream = first);
	CALL(aclrtSynchronizeStream, .stream = second);
	word_end(word);
}

static void words_in_a_cycle(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	aclrtEvent one = make_event();
	void *word = make_word();

	if (!bug)
		write_word(word, 1, second);
	wait_word(word, 1, first);
	record(one, first);
	wait_event(second, one);
	if (bug)
		write_word(word, 1, second);
	CALL_EACH(bug ? 507046 : 0, ROLE(STREAM, second), ROLE(TIMEOUT, -1));
	CALL(aclrtSynchronizeStream, .stream = first);
	word_end(word);
}

/* --- ends that wait for the work first ------------------------------------------------------------- */

/* The default stream waits for an event that nothing records. */
static void default_stream_waits(void)
{
	aclrtEvent e = make_blocking_event();

	if (!bug)
		record(e, NULL);
	wait_event(NULL, e);
}

static void stream_destroyed_behind_a_wait(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	aclrtEvent e = make_blocking_event(), one = make_event();

	if (!bug)
		record(e, first);
	wait_event(first, e);
	record(one, first);
	wait_event(second, one);
	CALL(aclrtDestroyStream, .stream = second);
}

static void context_destroyed_behind_a_wait(void)
{
	aclrtContext context = make_context();

	default_stream_waits();
	CALL(aclrtDestroyContext, .context = context);
	CALL(aclrtSetDevice, .deviceId = 0);
	CALL(aclrtResetDevice, .deviceId = 0);
}

static void memory_freed_behind_a_wait(void)
{
	void *memory = make_device_memory(64);

	default_stream_waits();
	CALL(aclrtFreeWithDevSync, .devPtr = memory);
}

static void host_memory_freed_behind_a_wait(void)
{
	void *memory = make_host_memory(64);

	default_stream_waits();
	CALL(aclrtFreeHostWithDevSync, .hostPtr = memory);
}

/* Each waits for the other's record. */
static void two_waits(aclrtStream first, aclrtStream second)
{
	aclrtEvent one = make_event(), two = make_blocking_event();

	if (!bug)
		record(two, second);
	wait_event(first, two);
	record(one, first);
	wait_event(second, one);
	if (bug)
		record(two, second);
}

/* Also one that does not wait: what is dropped could never have been done. */
static void streams_of_a_cycle_destroyed(void)
{
	aclrtStream first = make_stream(), second = make_stream();

	two_waits(first, second);
	CALL_EACH(0, ROLE(STREAM, first));
}

/* With work behind the wait that another stream waits for. */
static void turns_in_a_circle(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	aclrtNotify mine = NULL, yours = NULL;

	CALL_DOES(aclrtCreateNotify, 0, mine = make_address(), .notify = &mine);
	CALL_DOES(aclrtCreateNotify, 0, yours = make_address(), .notify = &yours);
	if (bug)
		CALL(aclrtWaitAndResetNotify, .notify = mine, .stream = first);
	CALL(aclrtMemsetAsync, .devPtr = make_device_memory(64), .maxCount = 64, .count = 64,
		.stream = first);
	CALL(aclrtRecordNotify, .notify = yours, .stream = first);
	if (!bug)
		CALL(aclrtWaitAndResetNotify, .notify = mine, .stream = first);
	CALL(aclrtWaitAndResetNotify, .notify = yours, .stream = second);
	CALL(aclrtRecordNotify, .notify = mine, .stream = second);
	CALL_FAILS(bug ? 507046 : 0, aclrtSynchronizeStreamWithTimeout, .stream = first, .timeout = 100);
	CALL(aclrtDestroyStreamForce, .stream = first);
	CALL(aclrtDestroyStreamForce, .stream = second);
	CALL(aclrtDestroyNotify, .notify = mine);
	CALL(aclrtDestroyNotify, .notify = yours);
}

static aclrtNotify make_own_notify(void)
{
	aclrtNotify n = NULL;

	CALL_DOES(aclrtCreateNotify, 0, n = make_address(), .notify = &n);
	return n;
}

/* Both waits come first: which record ends them is known only later. */
static void both_wait_first(aclrtStream first, aclrtStream second, aclrtStream third)
{
	aclrtNotify mine = make_own_notify(), yours = make_own_notify();

	CALL(aclrtWaitAndResetNotify, .notify = mine, .stream = first);
	CALL(aclrtWaitAndResetNotify, .notify = yours, .stream = second);
	CALL(aclrtRecordNotify, .notify = yours, .stream = bug ? first : third);
	CALL(aclrtRecordNotify, .notify = mine, .stream = second);
}

static void both_wait_first_for_a_time(void)
{
	aclrtStream first = make_stream(), second = make_stream();

	both_wait_first(first, second, make_stream());
	CALL_FAILS(bug ? 507046 : 0, aclrtSynchronizeStreamWithTimeout, .stream = first, .timeout = 100);
	CALL(aclrtDestroyStreamForce, .stream = first);
	CALL(aclrtDestroyStreamForce, .stream = second);
}

static void both_wait_first_and_are_aborted(void)
{
	aclrtStream first = make_stream(), second = make_stream();

	both_wait_first(first, second, make_stream());
	CALL(aclrtStreamAbort, .stream = second);
	CALL(aclrtStreamAbort, .stream = first);
}

/* Any of several records ends the wait for an event, and of those for a notify one of several waits. */
static void circle_of_three(void)
{
	aclrtStream s[3] = {make_stream(), make_stream(), make_stream()}, other = make_stream();
	aclrtEvent e[3] = {make_blocking_event(), make_blocking_event(), make_blocking_event()};

	for (int i = 0; i < 3; i++)
		wait_event(s[i], e[i]);
	for (int i = 0; i < 3; i++)
		record(e[(i + 1) % 3], s[i]);
	if (!bug)
		record(e[2], other);
	CALL_EACH(bug ? 507046 : 0, ROLE(STREAM, s[1]), ROLE(TIMEOUT, -1));
}

static void circle_that_another_record_may_end(void)
{
	aclrtStream first = make_stream(), second = make_stream(), third = make_stream();
	aclrtNotify mine = make_own_notify(), yours = make_own_notify();

	pair_assume(make_address() != NULL, "a call that waits for ever returns");
	CALL(aclrtWaitAndResetNotify, .notify = mine, .stream = first);
	CALL(aclrtWaitAndResetNotify, .notify = yours, .stream = second);
	/* One of two waits is ended by it. */
	if (!bug)
		CALL(aclrtWaitAndResetNotify, .notify = mine, .stream = third);
	CALL(aclrtRecordNotify, .notify = yours, .stream = first);
	CALL(aclrtRecordNotify, .notify = mine, .stream = second);
	if (!bug)
		CALL(aclrtRecordNotify, .notify = mine, .stream = make_stream());
	CALL_FAILS(bug ? 507046 : 0, aclrtSynchronizeStream, .stream = first);
}

/* What it waits for is recorded, behind a wait for what is not. */
static void recorded_behind_a_wait_without_record(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	aclrtEvent one = make_blocking_event(), two = make_blocking_event();

	wait_event(first, one);
	wait_event(second, two);
	record(one, second);
	if (!bug)
		record(two, make_stream());
	CALL_EACH(bug ? 507046 : 0, ROLE(STREAM, first), ROLE(TIMEOUT, -1));
}

static void context_of_a_cycle_destroyed(void)
{
	aclrtContext context = make_context();

	two_waits(NULL, NULL);
	CALL(aclrtDestroyContext, .context = context);
	CALL(aclrtSetDevice, .deviceId = 0);
	CALL(aclrtResetDevice, .deviceId = 0);
}

static const struct pair pairs[] = {
	PAIR_EACH("stream-wait-cycle", two_wait_for_each_other, SYNCHRONISE_STREAM),
	PAIR_EACH("stream-wait-cycle", waits_for_itself, SYNCHRONISE_EVENT),
	PAIR("stream-wait-cycle", notified_in_a_cycle),
	PAIR_EACH("stream-wait-cycle", notified_by_itself, SYNCHRONISE_STREAM),
	PAIR_EACH("stream-wait-cycle", notified_in_a_cycle_for_a_time, SYNCHRONISE_STREAM),
	PAIR("stream-wait-cycle", count_by_itself),
	PAIR_EACH("stream-wait-never-satisfied", count_without_record, SYNCHRONISE_STREAM),
	PAIR("stream-wait-never-satisfied", without_a_second_thread),
	PAIR("stream-wait-never-satisfied", without_a_callback),
	PAIR("stream-wait-never-satisfied", behind_a_callback),
	PAIR("stream-wait-never-satisfied", without_a_callback_of_a_model),
	PAIR_EACH("stream-wait-never-satisfied", behind_a_wait_without_record, SYNCHRONISE_STREAM),
	PAIR_EACH("stream-wait-never-satisfied", device_of_a_wait_without_record, SYNCHRONISE_DEVICE),
	PAIR_EACH("stream-wait-never-satisfied", event_behind_a_wait_without_record, SYNCHRONISE_EVENT),
	PAIR_EACH("stream-wait-never-satisfied", word_never_written, SYNCHRONISE_STREAM),
	PAIR_EACH("stream-wait-never-satisfied", word_counted_wrongly, SYNCHRONISE_DEVICE),
	PAIR("stream-wait-never-satisfied", word_written_too_late),
	PAIR_EACH("stream-wait-cycle", words_in_a_cycle, SYNCHRONISE_STREAM),
	PAIR_AVOIDS("stream-wait-never-satisfied", stream_destroyed_behind_a_wait),
	PAIR_AVOIDS("stream-wait-never-satisfied", context_destroyed_behind_a_wait),
	PAIR_AVOIDS("stream-wait-never-satisfied", memory_freed_behind_a_wait),
	PAIR_AVOIDS("stream-wait-never-satisfied", host_memory_freed_behind_a_wait),
	PAIR_EACH("stream-wait-cycle", streams_of_a_cycle_destroyed, DESTROY_STREAM, .avoids = true),
	PAIR_AVOIDS("stream-wait-cycle", context_of_a_cycle_destroyed),
	PAIR_AVOIDS("stream-wait-cycle", turns_in_a_circle),
	PAIR_AVOIDS("stream-wait-cycle", both_wait_first_for_a_time),
	PAIR_AVOIDS("stream-wait-cycle", both_wait_first_and_are_aborted),
	PAIR_EACH("stream-wait-cycle", circle_of_three, SYNCHRONISE_STREAM),
	PAIR("stream-wait-cycle", circle_that_another_record_may_end),
	PAIR_EACH("stream-wait-never-satisfied", recorded_behind_a_wait_without_record, SYNCHRONISE_STREAM),
};

PAIRS_MAIN("waits that never end", pairs)
