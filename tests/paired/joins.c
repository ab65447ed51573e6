/* SPDX-License-Identifier: Apache-2.0 */
/* Paired tests of the rules about the streams of a capture: joining it and coming back. */
#include "paired.h"

#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED

/* With the bug the streams are not joined. */
static void end(aclrtStream s)
{
	aclmdlRI m = NULL;

	CALL_DOES(aclmdlRICaptureEnd, bug ? 107025 : 0, m = bug ? NULL : make_address(), .stream = s,
		.modelRI = &m);
}

static void set(aclrtStream s)
{
	CALL(aclrtMemsetAsync, .devPtr = make_device_memory(64), .maxCount = 64, .count = 64, .stream = s);
}

/* --- never comes back -------------------------------------------------------------------- */

static void never_recorded(void)
{
	aclrtStream s = make_stream(), other = make_stream();

	capture_begin(s);
	capture_join(s, other);
	set(other);
	if (!bug)
		capture_join(other, s);
	end(s);
}

static void joined_by_each(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);

	capture_begin(s);
	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL_EACH(0, ROLE(STREAM, other), ROLE(EVENT, e), ROLE(TIMEOUT, 10));
	if (!bug)
		capture_join(other, s);
	end(s);
}

static void record_not_waited_for(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);

	capture_begin(s);
	capture_join(s, other);
	CALL_EACH(0, ROLE(STREAM, other), ROLE(EVENT, e));
	if (!bug)
		CALL(aclrtStreamWaitEvent, .stream = s, .event = e);
	end(s);
}

/* Captured on other streams by the same thread: the second stream of the first capture is meant. */
static void never_recorded_elsewhere(void)
{
	aclrtStream s = make_stream(), other = make_stream(), third = make_stream(), fourth = make_stream();

	capture_begin(s);
	capture_begin(third);
	capture_join(third, fourth);
	capture_join(s, other);
	capture_join(fourth, third);
	pair_thread(1);
	set(other);
	if (!bug)
		capture_join(other, s);
	pair_thread(0);
	end(s);
	bug = false;
	end(third);
}

/* --- goes on after it came back --------------------------------------------------------------- */

/* The task of the call, in place or too late. */
static aclrtStream late_stream(aclrtStream s)
{
	aclrtStream other = make_stream();

	capture_begin(s);
	capture_join(s, other);
	if (bug)
		capture_join(other, s);
	return other;
}

static void late_end(aclrtStream s, aclrtStream other)
{
	if (!bug)
		capture_join(other, s);
	end(s);
}

static void late_kernel(void)
{
	aclrtFuncHandle f = make_function();
	aclrtStream s = make_stream(), other = late_stream(s);

	CALL_EACH(0, ROLE(FUNCTION, f), ROLE(BLOCKS, 1), ROLE(DEVICE_ARGUMENTS, DEVICE),
		ROLE(ARGUMENT_BYTES, 64), ROLE(HOST_ARGUMENTS, heap_memory), ROLE(ARGUMENTS, HANDLE),
		ROLE(ARGUMENT_ARRAY, heap_memory), ROLE(STREAM, other));
	late_end(s, other);
}

static void late_kernel_of_threads(void)
{
	aclrtFuncHandle f = make_function();
	aclrtStream s = make_stream(), other = late_stream(s);

	CALL(aclrtLaunchSIMTKernelWithHostArgs, .func = f, .gridDim = {1, 1, 1}, .blockDim = {32, 1, 1},
		.stream = other, .hostArgs = heap_memory, .argsSize = 64);
	CALL(aclrtLaunchSIMTKernelWithArgsArray, .func = f, .gridDim = {1, 1, 1}, .blockDim = {32, 1, 1},
		.stream = other, .args = (void **)heap_memory);
	late_end(s, other);
}

static void late_copy(void)
{
	void *to = make_device_memory(4096), *from = make_device_memory(4096);
	aclrtStream s = make_stream(), other = late_stream(s);

	CALL_EACH(0, ROLE(DST, to), ROLE(LIMIT, 64), ROLE(SRC, from), ROLE(BYTES, 64), ROLE(DPITCH, 64),
		ROLE(SPITCH, 64), ROLE(WIDTH, 64), ROLE(HEIGHT, 1), ROLE(KIND, ACL_MEMCPY_DEVICE_TO_DEVICE),
		ROLE(STREAM, other));
	late_end(s, other);
}

static void late_symbol(void)
{
	void *memory = make_device_memory(4096);
	aclrtStream s = make_stream(), other = late_stream(s);

	CALL_EACH(0, ROLE(DST, memory), ROLE(LIMIT, 64), ROLE(SRC, memory), ROLE(BYTES, 64),
		ROLE(SYMBOL, heap_memory), ROLE(KIND, ACL_MEMCPY_DEFAULT), ROLE(STREAM, other));
	late_end(s, other);
}

static void late_set(void)
{
	void *memory = make_device_memory(4096);
	aclrtStream s = make_stream(), other = late_stream(s);

	CALL_EACH(0, ROLE(DST, memory), ROLE(LIMIT, 64), ROLE(BYTES, 64), ROLE(NUMBER, 16),
		ROLE(STREAM, other));
	late_end(s, other);
}

static void late_record(void)
{
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	aclrtStream s = make_stream(), other = late_stream(s);

	CALL_EACH(0, ROLE(EVENT, e), ROLE(STREAM, other));
	late_end(s, other);
}

static void late_batch(void)
{
	void *to = make_device_memory(4096), *from = make_host_memory(4096);
	aclrtMemcpyBatchAttr attribute = {
		.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE, .srcLoc.type = ACL_MEM_LOCATION_TYPE_HOST};
	size_t size = 64, index = 0, failed;
	aclrtStream s = make_stream(), other = late_stream(s);

	CALL_EACH(0, ROLE(DSTS, &to), ROLE(LIMITS, &size), ROLE(SRCS, &from), ROLE(SIZES, &size),
		ROLE(NUMBER, 1), ROLE(ATTRIBUTES, &attribute), ROLE(ATTRIBUTE_INDEXES, &index),
		ROLE(ATTRIBUTE_COUNT, 1), ROLE(FAIL_INDEX, &failed), ROLE(STREAM, other));
	late_end(s, other);
}

/* The task comes between the record and the wait for it; an earlier record was waited for as well. */
static void late_before_the_wait(void)
{
	aclrtEvent first = make_event_ex(ACL_EVENT_SYNC), last = make_event_ex(ACL_EVENT_SYNC);
	aclrtStream s = make_stream(), other = make_stream();

	capture_begin(s);
	capture_join(s, other);
	CALL(aclrtRecordEvent, .event = first, .stream = other);
	CALL(aclrtStreamWaitEvent, .stream = s, .event = first);
	CALL(aclrtRecordEvent, .event = first, .stream = other);
	if (!bug)
		set(other);
	CALL(aclrtRecordEvent, .event = last, .stream = other);
	if (bug)
		set(other);
	CALL(aclrtStreamWaitEvent, .stream = s, .event = last);
	end(s);
}

/* --- comes back in a way that is none ------------------------------------------------------------- */

static void joined_by_external(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	aclrtEvent x = make_event_flag(ACL_EVENT_EXTERNAL);

	capture_begin(s);
	capture_join(s, other);
	CALL_EACH(0, ROLE(EVENT, x), ROLE(STREAM, other));
	if (!bug)
		capture_join(other, s);
	end(s);
}

static const struct pair pairs[] = {
	PAIR("capture-unjoined-stream", never_recorded),
	PAIR_EACH("capture-unjoined-stream", joined_by_each, WAIT_EVENT),
	PAIR_EACH("capture-unjoined-stream", record_not_waited_for, RECORD_EVENT),
	PAIR("capture-unjoined-stream", never_recorded_elsewhere),
	PAIR_EACH("capture-task-after-join", late_kernel, LAUNCH_KERNEL, .role = ACL_ROLE_BLOCKS),
	PAIR("capture-task-after-join", late_kernel_of_threads),
	PAIR_EACH("capture-task-after-join", late_copy, COPY_LINEAR, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("capture-task-after-join", late_copy, COPY_ROWS, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("capture-task-after-join", late_symbol, COPY_FROM_SYMBOL, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("capture-task-after-join", late_symbol, COPY_TO_SYMBOL, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("capture-task-after-join", late_batch, COPY_BATCH, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("capture-task-after-join", late_set, SET_BYTES, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("capture-task-after-join", late_set, SET_WORDS, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("capture-task-after-join", late_record, RECORD_EVENT),
	PAIR("capture-task-after-join", late_before_the_wait),
	PAIR_EACH("capture-join-by-external-event", joined_by_external, RECORD_EVENT),
};

PAIRS_MAIN("join rules", pairs)
