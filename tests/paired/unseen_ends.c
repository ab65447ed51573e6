/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the end of a stream shows that waits for a record, and it is not seen for which: no more than what
 * came before the records there are. A copy on another stream is in flight meanwhile.
 */
#include "tasks.h"

/* A model that waits for an event from outside runs on one stream, and the event is recorded on another one.
 */
struct scene {
	aclrtStream runs, signals, copies;
	aclrtEvent e;
	aclmdlRI model;
	void *d, *h;
};

static aclmdlRI model_that_waits(aclrtEvent e)
{
	void *d = make_device_memory(SIZE);
	aclrtStream s = make_stream();

	capture_begin(s);
	CALL(aclrtStreamWaitEvent, .stream = s, .event = e);
	CALL(aclrtResetEvent, .event = e, .stream = s);
	set_on(s, d);
	return capture_end(s);
}

static struct scene streams_and_memory(void)
{
	struct scene x = {make_stream(), make_stream(), make_stream(), NULL, NULL, make_device_memory(SIZE),
		make_host_memory(SIZE)};

	CALL(aclrtMemset, .devPtr = x.d, .maxCount = SIZE, .count = SIZE);
	return x;
}

static struct scene scene(void)
{
	struct scene x = streams_and_memory();

	x.e = make_event_flag(ACL_EVENT_EXTERNAL);
	x.model = model_that_waits(x.e);
	return x;
}

static void run(const struct scene *x)
{
	CALL(aclmdlRIExecuteAsync, .modelRI = x->model, .stream = x->runs);
}

static void signal_on(const struct scene *x, aclrtStream s)
{
	CALL(aclrtRecordEvent, .event = x->e, .stream = s);
}

static void copy(const struct scene *x)
{
	copy_on(x->copies, x->h, x->d, DOWN);
}

/* A right variant waits for the copies only behind what the rule is about. */
static void free_and_end(const struct scene *x)
{
	CALL(aclrtFree, .devPtr = x->d);
	wait_for(x->copies);
	wait_for(x->signals);
}

static void freed_beside_the_wait(void)
{
	struct scene x = scene();

	run(&x);
	copy(&x);
	signal_on(&x, x.signals);
	wait_for(x.runs);
	if (!bug)
		wait_for(x.copies);
	free_and_end(&x);
}

/* The record is behind the copy on its stream. */
static void recorded_behind_the_copy(void)
{
	struct scene x = scene();

	run(&x);
	copy(&x);
	signal_on(&x, bug ? x.signals : x.copies);
	wait_for(x.runs);
	free_and_end(&x);
}

/* The record's stream waits for the copy. */
static void record_waits_for_the_copy(void)
{
	struct scene x = scene();

	run(&x);
	copy(&x);
	if (!bug)
		order(x.copies, x.signals);
	signal_on(&x, x.signals);
	wait_for(x.runs);
	free_and_end(&x);
}

/* The record's stream waits for a word that is written behind the copy. */
static void record_behind_a_word(void)
{
	struct scene x = scene();
	void *word = make_device_memory(64);

	CALL(aclrtMemset, .devPtr = word, .maxCount = 64, .count = 64);
	run(&x);
	copy(&x);
	if (!bug) {
		CALL(aclrtValueWrite, .devAddr = word, .value = 1, .stream = x.copies);
		CALL(aclrtValueWait, .devAddr = word, .value = 1, .flag = ACL_STREAM_WAIT_VALUE_EQ,
			.stream = x.signals);
	}
	signal_on(&x, x.signals);
	wait_for(x.runs);
	free_and_end(&x);
}

/* What was recorded before the model was captured ends its wait as well. */
static void recorded_before_the_capture(void)
{
	struct scene x = streams_and_memory();

	x.e = make_event_flag(ACL_EVENT_EXTERNAL);
	if (!bug)
		copy(&x);
	signal_on(&x, bug ? x.signals : x.copies);
	x.model = model_that_waits(x.e);
	if (bug)
		copy(&x);
	run(&x);
	wait_for(x.runs);
	free_and_end(&x);
}

/* A second model has the record, or may have. */
static void recorded_by_a_model(void)
{
	struct scene x = scene();
	aclrtStream s = make_stream();
	aclrtEvent other = make_event_ex(ACL_EVENT_SYNC);
	aclmdlRI records;

	capture_begin(s);
	CALL(aclrtRecordEvent, .event = other, .stream = s);
	CALL(aclrtRecordEvent, .event = x.e, .stream = s);
	records = capture_end(s);
	run(&x);
	copy(&x);
	CALL(aclmdlRIExecuteAsync, .modelRI = records, .stream = bug ? x.signals : x.copies);
	wait_for(x.runs);
	free_and_end(&x);
}

/* A model without a record that others may wait for ends nothing: that its stream runs one shows no more. */
static void model_without_records(void)
{
	struct scene x = scene();
	aclrtStream s = make_stream();
	void *d = make_device_memory(SIZE);
	aclmdlRI sets;

	capture_begin(s);
	set_on(s, d);
	sets = capture_end(s);
	run(&x);
	copy(&x);
	CALL(aclmdlRIExecuteAsync, .modelRI = sets, .stream = x.copies);
	signal_on(&x, x.signals);
	wait_for(x.runs);
	if (!bug)
		wait_for(x.copies);
	free_and_end(&x);
}

/* The record's stream is behind another such wait, whose record is behind the copy. */
static void one_wait_behind_another(void)
{
	struct scene x = scene();
	aclrtEvent first = make_event_flag(ACL_EVENT_EXTERNAL);
	aclmdlRI before = model_that_waits(first);

	CALL(aclmdlRIExecuteAsync, .modelRI = before, .stream = x.signals);
	run(&x);
	copy(&x);
	CALL(aclrtRecordEvent, .event = first, .stream = bug ? make_stream() : x.copies);
	signal_on(&x, x.signals);
	wait_for(x.runs);
	free_and_end(&x);
}

/* A real wait for a record that comes later, of an event that is in no model. */
static void waits_for_a_later_record(void)
{
	struct scene x = streams_and_memory();

	x.e = make_event_flag(ACL_EVENT_SYNC);
	CALL(aclrtStreamWaitEvent, .stream = x.runs, .event = x.e);
	copy(&x);
	signal_on(&x, bug ? x.signals : x.copies);
	wait_for(x.runs);
	free_and_end(&x);
}

static aclrtNotify notify(void)
{
	aclrtNotify n = NULL;

	CALL_DOES(aclrtCreateNotify, 0, n = make_address(), .notify = &n, .flag = ACL_NOTIFY_DEFAULT);
	return n;
}

static void wait_for_notify(const struct scene *x, aclrtNotify n)
{
	CALL(aclrtWaitAndResetNotify, .notify = n, .stream = x->runs);
}

/* Behind two waits it is not seen which of two records ends which. */
static void waits_for_notifies(void)
{
	struct scene x = streams_and_memory();
	aclrtNotify n = notify();

	wait_for_notify(&x, n);
	wait_for_notify(&x, n);
	copy(&x);
	CALL(aclrtRecordNotify, .notify = n, .stream = x.signals);
	CALL(aclrtRecordNotify, .notify = n, .stream = bug ? x.signals : x.copies);
	wait_for(x.runs);
	free_and_end(&x);
	CALL(aclrtDestroyNotify, .notify = n);
}

/* Another process may record a notify that was exported. */
static void waits_for_an_exported_notify(void)
{
	struct scene x = streams_and_memory();
	aclrtNotify n = notify();
	char key[65] = "";

	wait_for_notify(&x, n);
	wait_for_notify(&x, n);
	if (!bug)
		CALL(aclrtNotifyGetExportKey, .notify = n, .key = key, .len = sizeof(key),
			.flags = ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION);
	copy(&x);
	CALL(aclrtRecordNotify, .notify = n, .stream = x.signals);
	CALL(aclrtRecordNotify, .notify = n, .stream = x.signals);
	wait_for(x.runs);
	free_and_end(&x);
	CALL(aclrtDestroyNotify, .notify = n);
}

/* A model records the notify that the stream waits for. */
static void notified_by_a_model(void)
{
	struct scene x = streams_and_memory();
	aclrtStream capturing = make_stream();
	aclrtNotify n = notify();

	capture_begin(capturing);
	CALL(aclrtRecordNotify, .notify = n, .stream = capturing);
	x.model = capture_end(capturing);
	wait_for_notify(&x, n);
	copy(&x);
	CALL(aclmdlRIExecuteAsync, .modelRI = x.model, .stream = bug ? x.signals : x.copies);
	wait_for(x.runs);
	free_and_end(&x);
	CALL(aclmdlRIDestroy, .modelRI = x.model);
	CALL(aclrtDestroyNotify, .notify = n);
}

/* A word may be written by anything; with one such wait nothing is certain. */
static void a_word_besides(void)
{
	struct scene x = scene();
	void *word = make_device_memory(64);
	aclrtStream s = make_stream();

	CALL(aclrtMemset, .devPtr = word, .maxCount = 64, .count = 64);
	if (!bug) {
		CALL(aclrtValueWait, .devAddr = word, .value = 1, .flag = ACL_STREAM_WAIT_VALUE_EQ,
			.stream = s);
		CALL(aclrtValueWrite, .devAddr = word, .value = 1, .stream = x.signals);
	}
	run(&x);
	copy(&x);
	signal_on(&x, x.signals);
	wait_for(x.runs);
	free_and_end(&x);
	wait_for(s);
}

/* A library that submits work may record the event where its records are not seen. */
static void recorded_by_others(void)
{
	struct scene x = scene();

	if (!bug)
		pair_unseen(CHECKS_OTHER_WORK);
	run(&x);
	copy(&x);
	signal_on(&x, x.signals);
	wait_for(x.runs);
	free_and_end(&x);
}

static void overwritten_beside_the_wait(void)
{
	struct scene x = scene();

	run(&x);
	copy(&x);
	signal_on(&x, x.signals);
	wait_for(x.runs);
	if (!bug)
		wait_for(x.copies);
	copy_on(x.signals, x.d, make_host_memory(SIZE), UP);
	wait_for(x.copies);
	wait_for(x.signals);
}

static const struct pair pairs[] = {
	PAIR("free-in-flight", freed_beside_the_wait),
	PAIR("free-in-flight", recorded_behind_the_copy),
	PAIR("free-in-flight", record_waits_for_the_copy),
	PAIR("free-in-flight", record_behind_a_word),
	PAIR("free-in-flight", recorded_before_the_capture),
	PAIR("free-in-flight", recorded_by_a_model),
	PAIR("free-in-flight", model_without_records),
	PAIR("free-in-flight", one_wait_behind_another),
	PAIR("free-in-flight", waits_for_a_later_record),
	PAIR("free-in-flight", waits_for_notifies),
	PAIR("free-in-flight", waits_for_an_exported_notify),
	PAIR("free-in-flight", notified_by_a_model),
	PAIR("free-in-flight", a_word_besides),
	PAIR("free-in-flight", recorded_by_others),
	PAIR("stream-race-copy", overwritten_beside_the_wait),
};

PAIRS_MAIN("ends that are not seen", pairs)
