/* SPDX-License-Identifier: Apache-2.0 */
/* Paired tests of the rules about the capture mode of threads, and about events whose record or wait a model
 * has. */
#include "paired.h"

#define GLOBAL ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
#define THREAD_LOCAL ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL
#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED

static void begin(aclrtStream s, aclmdlRICaptureMode mode)
{
	CALL(aclmdlRICaptureBegin, .stream = s, .mode = mode);
}

static aclmdlRICaptureMode exchange(aclmdlRICaptureMode mode, aclmdlRICaptureMode now)
{
	CALL_DOES(aclmdlRICaptureThreadExchangeMode, 0, mode = now, .mode = &mode);
	return mode;
}

static void execute(aclmdlRI m, aclrtStream s)
{
	CALL(aclmdlRIExecuteAsync, .modelRI = m, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* --- the mode of a thread ------------------------------------------------------------------ */

static void tightened_relaxed(void)
{
	aclrtStream s = make_stream();
	aclmdlRICaptureMode was;

	begin(s, bug ? RELAXED : GLOBAL);
	if (!bug) {
		was = exchange(RELAXED, GLOBAL);
		exchange(was, RELAXED);
	} else {
		was = exchange(THREAD_LOCAL, GLOBAL);
		exchange(was, THREAD_LOCAL);
	}
	capture_end(s);
}

static void thread_local_by_the_capturing(void)
{
	aclrtStream s = make_stream();
	aclmdlRICaptureMode was;

	begin(s, GLOBAL);
	was = exchange(bug ? THREAD_LOCAL : RELAXED, GLOBAL);
	exchange(was, bug ? THREAD_LOCAL : RELAXED);
	capture_end(s);
}

/* For another thread it makes a difference. */
static void thread_local_by_another(void)
{
	aclrtStream s = make_stream();
	aclmdlRICaptureMode was;

	begin(s, GLOBAL);
	pair_thread(bug ? 0 : 1);
	CALL(aclrtSetDevice, .deviceId = 0);
	was = exchange(THREAD_LOCAL, GLOBAL);
	exchange(was, THREAD_LOCAL);
	pair_thread(0);
	capture_end(s);
}

static void not_set_back(void)
{
	aclrtStream s = make_stream(), next = make_stream();
	aclmdlRICaptureMode was;

	begin(s, GLOBAL);
	was = exchange(RELAXED, GLOBAL);
	CALL(aclrtMemset, .devPtr = make_device_memory(64), .maxCount = 64, .count = 64);
	if (!bug)
		exchange(was, RELAXED);
	capture_end(s);
	/* Who captures with another mode from the beginning keeps it. */
	if (!bug)
		exchange(RELAXED, GLOBAL);
	begin(next, GLOBAL);
	capture_end(next);
	exchange(GLOBAL, RELAXED);
}

static void without_capture(void)
{
	aclrtStream s = make_stream();

	if (!bug)
		begin(s, RELAXED);
	exchange(bug ? THREAD_LOCAL : RELAXED, GLOBAL);
	exchange(GLOBAL, bug ? THREAD_LOCAL : RELAXED);
	if (!bug)
		capture_end(s);
	/* For a call that must not fail, whatever is captured elsewhere. */
	exchange(RELAXED, GLOBAL);
	exchange(GLOBAL, RELAXED);
}

/* --- pageable memory beside a capture ------------------------------------------------------------- */

static void pageable_beside_capture(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	void *d = make_device_memory(4096), *pinned = make_host_memory(4096);

	begin(s, GLOBAL);
	CALL_EACH(bug ? 107041 : 0, ROLE(DST, d), ROLE(LIMIT, 64),
		ROLE(SRC, bug ? (void *)heap_memory : pinned), ROLE(BYTES, 64), ROLE(DPITCH, 64),
		ROLE(SPITCH, 64), ROLE(WIDTH, 64), ROLE(HEIGHT, 1), ROLE(KIND, ACL_MEMCPY_HOST_TO_DEVICE),
		ROLE(STREAM, other));
	if (!bug) {
		exchange(RELAXED, GLOBAL);
		CALL_EACH(0, ROLE(DST, d), ROLE(LIMIT, 64), ROLE(SRC, heap_memory), ROLE(BYTES, 64),
			ROLE(DPITCH, 64), ROLE(SPITCH, 64), ROLE(WIDTH, 64), ROLE(HEIGHT, 1),
			ROLE(KIND, ACL_MEMCPY_HOST_TO_DEVICE), ROLE(STREAM, other));
		exchange(GLOBAL, RELAXED);
	}
	capture_end(s);
	CALL(aclrtSynchronizeStream, .stream = other);
}

static void pageable_batch_beside_capture(void)
{
	void *d = make_device_memory(4096), *from = heap_memory;
	aclrtMemcpyBatchAttr attribute = {
		.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE, .srcLoc.type = ACL_MEM_LOCATION_TYPE_HOST};
	size_t size = 64, index = 0, failed;
	aclrtStream s = make_stream(), other = make_stream();

	begin(s, GLOBAL);
	pair_thread(1);
	CALL(aclrtSetDevice, .deviceId = 0);
	if (!bug)
		exchange(RELAXED, GLOBAL);
	CALL_EACH(bug ? 107041 : 0, ROLE(DSTS, &d), ROLE(LIMITS, &size), ROLE(SRCS, &from),
		ROLE(SIZES, &size), ROLE(NUMBER, 1), ROLE(ATTRIBUTES, &attribute),
		ROLE(ATTRIBUTE_INDEXES, &index), ROLE(ATTRIBUTE_COUNT, 1), ROLE(FAIL_INDEX, &failed),
		ROLE(STREAM, other));
	if (!bug)
		exchange(GLOBAL, RELAXED);
	pair_thread(0);
	capture_end(s);
	CALL(aclrtSynchronizeStream, .stream = other);
}

/* --- events of models outside of them ------------------------------------------------------------- */

/* Recorded in a capture that is over; fixed, outside after it as well. */
static aclrtEvent captured_event(aclrtStream s)
{
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);

	begin(s, RELAXED);
	CALL(aclrtRecordEvent, .event = e, .stream = s);
	execute(capture_end(s), s);
	if (!bug)
		CALL(aclrtRecordEvent, .event = e, .stream = s);
	return e;
}

static void synchronised_outside(void)
{
	aclrtEvent e = captured_event(make_stream());

	CALL_EACH(0, ROLE(EVENT, e), ROLE(TIMEOUT, 1000));
}

static void asked_outside(void)
{
	aclrtStream s = make_stream();
	aclrtEvent e = captured_event(s);

	CALL(aclrtSynchronizeStream, .stream = s);
	CALL_EACH(bug ? 507000 : 0, ROLE(EVENT, e), ROLE(STATUS, OUT), ROLE(TIMESTAMP, OUT));
}

static void queried_outside(void)
{
	aclrtEventRecordedStatus status;
	aclrtStream s = make_stream();
	aclrtEvent e = captured_event(s);

	CALL_DOES(aclrtQueryEventStatus, 0, status = ACL_EVENT_RECORDED_STATUS_COMPLETE, .event = e,
		.status = &status);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void timed_outside(void)
{
	aclrtStream s = make_stream();
	aclrtEvent e = captured_event(s), last = make_event_ex(ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
	float ms;

	CALL(aclrtRecordEvent, .event = last, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL_FAILS(bug ? 507000 : 0, aclrtEventElapsedTime, .ms = &ms, .startEvent = e, .endEvent = last);
}

static void waited_for_outside(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	aclrtEvent e = captured_event(s);

	CALL_EACH(0, ROLE(STREAM, other), ROLE(EVENT, e), ROLE(TIMEOUT, 1000));
	CALL(aclrtSynchronizeStream, .stream = other);
}

static void produce(aclrtEvent x, aclrtStream producer)
{
	CALL(aclrtRecordEvent, .event = x, .stream = producer);
	CALL(aclrtSynchronizeStream, .stream = producer);
}

static void external_not_reset(void)
{
	aclrtStream s = make_stream(), producer = make_stream();
	aclrtEvent x = make_event_flag(ACL_EVENT_EXTERNAL);
	aclmdlRI m;

	begin(s, RELAXED);
	CALL_EACH(0, ROLE(STREAM, s), ROLE(EVENT, x), ROLE(TIMEOUT, 1000));
	if (!bug)
		CALL(aclrtResetEvent, .event = x, .stream = s);
	m = capture_end(s);
	produce(x, producer);
	execute(m, s);
	produce(x, producer);
	execute(m, s);
}

/* Reset by the program between the executions. */
static void external_reset_outside(void)
{
	aclrtStream s = make_stream(), producer = make_stream();
	aclrtEvent x = make_event_flag(ACL_EVENT_EXTERNAL);
	aclmdlRI m;

	begin(s, RELAXED);
	CALL(aclrtStreamWaitEvent, .stream = s, .event = x);
	m = capture_end(s);
	produce(x, producer);
	execute(m, s);
	if (!bug) {
		CALL(aclrtResetEvent, .event = x, .stream = producer);
		produce(x, producer);
	}
	execute(m, s);
}

static const struct pair pairs[] = {
	PAIR("capture-exchange-no-effect", tightened_relaxed),
	PAIR("capture-exchange-no-effect", thread_local_by_the_capturing),
	PAIR("capture-exchange-no-effect", thread_local_by_another),
	PAIR("capture-exchange-not-restored", not_set_back),
	PAIR("capture-exchange-outside-capture", without_capture),
	PAIR_EACH("capture-pageable-async-blocked", pageable_beside_capture, COPY_LINEAR,
		.mode = PAIR_IF_ASYNC),
	PAIR_EACH(
		"capture-pageable-async-blocked", pageable_beside_capture, COPY_ROWS, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("capture-pageable-async-blocked", pageable_batch_beside_capture, COPY_BATCH,
		.mode = PAIR_IF_ASYNC),
	PAIR_EACH("capture-event-used-outside-graph", synchronised_outside, SYNCHRONISE_EVENT),
	PAIR_EACH("capture-event-used-outside-graph", asked_outside, INFO_EVENT_TIMESTAMP),
	PAIR("capture-event-used-outside-graph", timed_outside),
	PAIR("capture-event-used-outside-graph", queried_outside),
	PAIR_EACH("capture-event-used-outside-graph", waited_for_outside, WAIT_EVENT),
	PAIR_EACH("capture-external-event-not-reset", external_not_reset, WAIT_EVENT),
	PAIR("capture-external-event-not-reset", external_reset_outside),
};

PAIRS_MAIN("mode rules", pairs)
