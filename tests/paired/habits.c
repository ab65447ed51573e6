/* SPDX-License-Identifier: Apache-2.0 */
/* Paired tests of what is permitted around a capture and seldom meant. */
#include "paired.h"

#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED

/* --- memory that is set now ------------------------------------------------------------------ */

/* Two pieces of one allocation: the copy uses the first. */
static char *captured_copy(aclrtStream s)
{
	char *d = make_device_memory(8192), *from = make_device_memory(4096);

	capture_begin(s);
	CALL(aclrtMemcpyAsync, .dst = d, .destMax = 4096, .src = from, .count = 4096,
		.kind = ACL_MEMCPY_DEVICE_TO_DEVICE, .stream = s);
	return d;
}

static void set_now(void)
{
	aclrtStream s = make_stream();
	char *d = captured_copy(s);

	CALL_EACH(
		0, ROLE(DST, bug ? d + 4064 : d + 4096), ROLE(LIMIT, 64), ROLE(BYTES, 64), ROLE(NUMBER, 16));
	capture_end(s);
}

/* The thread captures two models at once: the memory is used by the other one. */
static void set_now_of_second(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	char *d = (captured_copy(first), captured_copy(second));

	CALL(aclrtMemset, .devPtr = bug ? d + 4064 : d + 4096, .maxCount = 64, .count = 64);
	capture_end(second);
	capture_end(first);
}

static void copied_now(void)
{
	void *host = make_host_memory(4096);
	aclrtStream s = make_stream();
	char *d = captured_copy(s);

	CALL(aclrtMemset, .devPtr = host, .maxCount = 4096, .count = 4096);
	CALL_EACH(0, ROLE(DST, bug ? d : d + 4096), ROLE(LIMIT, 64), ROLE(SRC, host), ROLE(BYTES, 64),
		ROLE(DPITCH, 64), ROLE(SPITCH, 64), ROLE(WIDTH, 64), ROLE(HEIGHT, 1),
		ROLE(KIND, ACL_MEMCPY_HOST_TO_DEVICE));
	capture_end(s);
}

/* Rows with room between them: only the bytes of the rows count. */
static void rows_copied_now(void)
{
	void *host = make_host_memory(4096);
	aclrtStream s = make_stream();
	char *d = captured_copy(s);

	CALL(aclrtMemset, .devPtr = host, .maxCount = 4096, .count = 4096);
	CALL_EACH(0, ROLE(DST, bug ? d + 1088 : d + 4096), ROLE(DPITCH, 3008), ROLE(SRC, host),
		ROLE(SPITCH, 64), ROLE(WIDTH, 64), ROLE(HEIGHT, 2), ROLE(KIND, ACL_MEMCPY_HOST_TO_DEVICE));
	capture_end(s);
}

static void batch_copied_now(void)
{
	aclrtMemcpyBatchAttr attribute = {
		.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE, .srcLoc.type = ACL_MEM_LOCATION_TYPE_HOST};
	void *host = make_host_memory(4096), *to;
	size_t size = 64, index = 0, failed;
	aclrtStream s = make_stream();
	char *d = captured_copy(s);

	to = bug ? d : d + 4096;
	CALL(aclrtMemset, .devPtr = host, .maxCount = 4096, .count = 4096);
	CALL_EACH(0, ROLE(DSTS, &to), ROLE(LIMITS, &size), ROLE(SRCS, &host), ROLE(SIZES, &size),
		ROLE(NUMBER, 1), ROLE(ATTRIBUTES, &attribute), ROLE(ATTRIBUTE_INDEXES, &index),
		ROLE(ATTRIBUTE_COUNT, 1), ROLE(FAIL_INDEX, &failed));
	capture_end(s);
}

/* --- two threads on one stream -------------------------------------------------------------------- */

static bool together; /* the call of the other thread came while this one was in its own */

static void set_by_other(aclrtStream s, void *d)
{
	pair_thread(1);
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	pair_thread(0);
	together = true;
}

static void two_threads(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	void *d = make_device_memory(4096), *e = make_device_memory(4096);

	capture_begin(s);
	capture_begin(other);
	together = false;
	CALL_DOES(aclrtMemsetAsync, 0, set_by_other(bug ? s : other, e), .devPtr = d, .maxCount = 64,
		.count = 64, .stream = s);
	pair_assume(together, "two calls at once are a matter of luck");
	/* One after the other is fine. */
	set_by_other(s, e);
	capture_end(other);
	capture_end(s);
}

static void two_threads_each(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	void *d = make_device_memory(4096), *from = make_device_memory(4096), *e = make_device_memory(4096);

	capture_begin(s);
	capture_begin(other);
	together = false;
	CALL_DOES(
		aclrtMemsetAsync, 0,
		{
			together = true;
			pair_thread(1);
			CALL_EACH(0, ROLE(DST, e), ROLE(LIMIT, 64), ROLE(SRC, from), ROLE(BYTES, 64),
				ROLE(DPITCH, 64), ROLE(SPITCH, 64), ROLE(WIDTH, 64), ROLE(HEIGHT, 1),
				ROLE(KIND, ACL_MEMCPY_DEVICE_TO_DEVICE), ROLE(STREAM, bug ? s : other));
			pair_thread(0);
		},
		.devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	pair_assume(together, "two calls at once are a matter of luck");
	capture_end(other);
	capture_end(s);
}

/* --- what the answer of a question is not ------------------------------------------------------------ */

static void executed_without_model(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	aclmdlRICaptureStatus status;
	aclmdlRI m = NULL, none = NULL;

	capture_begin(s);
	CALL_DOES(
		aclmdlRICaptureGetInfo, 0,
		{
			status = bug ? ACL_MODEL_RI_CAPTURE_STATUS_NONE : ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
			m = bug ? NULL : make_address();
		},
		.stream = bug ? other : s, .status = &status, .modelRI = &m);
	if (!bug) {
		capture_end(s);
		/* That another stream is not captured says nothing of the model. */
		CALL_DOES(aclmdlRICaptureGetInfo, 0, status = ACL_MODEL_RI_CAPTURE_STATUS_NONE,
			.stream = other, .status = &status, .modelRI = &none);
		m = (capture_begin(s), capture_end(s));
	}
	CALL_FAILS(bug ? 100000 : 0, aclmdlRIExecuteAsync, .modelRI = m, .stream = other);
	CALL(aclrtSynchronizeStream, .stream = other);
	if (bug)
		capture_end(s);
}

static void named_without_model(void)
{
	aclrtStream s = make_stream();
	aclmdlRICaptureStatus status;
	aclmdlRI m = NULL, own = (capture_begin(s), capture_end(s));

	CALL_DOES(
		aclmdlRICaptureGetInfo, 0,
		{
			status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
			m = make_address();
		},
		.stream = s, .status = &status, .modelRI = &m);
	CALL_FAILS(bug ? 107017 : 0, aclmdlRISetName, .modelRI = bug ? m : own, .name = "model");
}

static void destroyed_without_model(void)
{
	aclrtStream s = make_stream();
	aclmdlRICaptureStatus status;
	aclmdlRI m = NULL, own = (capture_begin(s), capture_end(s));

	CALL_DOES(aclmdlRICaptureGetInfo, 0, status = ACL_MODEL_RI_CAPTURE_STATUS_NONE, .stream = s,
		.status = &status, .modelRI = &m);
	CALL_FAILS(bug ? 100000 : 0, aclmdlRIDestroy, .modelRI = bug ? m : own);
}

/* --- callbacks of a model ------------------------------------------------------------------------------ */

static void callback(void *data)
{
	(void)data;
}

static void unsubscribed_early(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m;

	CALL(aclrtSubscribeReport, .threadId = pair_thread_id(0), .stream = s);
	capture_begin(s);
	CALL(aclrtLaunchCallback, .fn = callback, .blockType = ACL_CALLBACK_NO_BLOCK, .stream = s);
	m = capture_end(s);
	if (!bug)
		CALL(aclmdlRIDestroy, .modelRI = m);
	CALL(aclrtUnSubscribeReport, .threadId = pair_thread_id(0), .stream = s);
}

/* --- what is not part of the model ------------------------------------------------------------------- */

static void allocated_in_capture(void)
{
	aclrtStream s = make_stream();
	void *p = NULL;

	if (bug)
		capture_begin(s);
	CALL_EACH(0, ROLE(ADDRESS, &p), ROLE(BYTES, 4096), ROLE(POLICY, ACL_MEM_MALLOC_HUGE_FIRST),
		ROLE(FLAGS, ACL_RT_MEM_ATTACH_GLOBAL));
	if (!bug)
		capture_begin(s);
	capture_end(s);
}

static void freed_in_capture(void)
{
	aclrtStream s = make_stream();
	void *p = make_device_memory(4096);

	capture_begin(s);
	if (bug)
		CALL(aclrtFree, .devPtr = p);
	capture_end(s);
	if (!bug)
		CALL(aclrtFree, .devPtr = p);
}

/* Who changes the mode for the call means it. */
static void allocated_on_purpose(void)
{
	aclrtStream s = make_stream();
	aclmdlRICaptureMode mode = RELAXED;

	CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	if (!bug)
		CALL_DOES(aclmdlRICaptureThreadExchangeMode, 0, mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL,
			.mode = &mode);
	make_host_memory(4096);
	make_device_memory(4096);
	if (!bug)
		CALL_DOES(aclmdlRICaptureThreadExchangeMode, 0, mode = RELAXED, .mode = &mode);
	capture_end(s);
}

/* --- errors ----------------------------------------------------------------------------------------------
 */

/* The arguments are not those of the kernel, which only the runtime can say. */
static void failed_and_went_on(void)
{
	aclrtFuncHandle f = make_function();
	void *d = make_device_memory(4096);
	aclrtStream s = make_stream();

	capture_begin(s);
	CALL_FAILS(107000, aclrtLaunchKernelWithArgsArray, .func = f, .numBlocks = 1, .stream = s,
		.args = (void **)heap_memory);
	/* Fixed, it is launched in another way. */
	if (!bug)
		CALL(aclrtLaunchKernelWithHostArgs, .funcHandle = f, .numBlocks = 1, .stream = s,
			.hostArgs = heap_memory, .argsSize = 64);
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	capture_end(s);
}

/* Fixed, the capture is given up. */
static void failed_and_gave_up(void)
{
	aclrtFuncHandle f = make_function();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	aclrtStream s = make_stream();

	capture_begin(s);
	CALL_FAILS(107000, aclrtLaunchKernelWithArgsArray, .func = f, .numBlocks = 1, .stream = s,
		.args = (void **)heap_memory);
	if (bug)
		CALL(aclrtRecordEvent, .event = e, .stream = s);
	capture_end(s);
}

static const struct pair pairs[] = {
	PAIR_EACH("capture-sync-memop-not-recorded", set_now, SET_BYTES, .mode = PAIR_IF_NOT_ASYNC),
	PAIR_EACH("capture-sync-memop-not-recorded", set_now, SET_WORDS, .mode = PAIR_IF_NOT_ASYNC),
	PAIR("capture-sync-memop-not-recorded", set_now_of_second),
	PAIR_EACH("capture-sync-memop-not-recorded", copied_now, COPY_LINEAR, .mode = PAIR_IF_NOT_ASYNC),
	PAIR_EACH("capture-sync-memop-not-recorded", copied_now, COPY_ROWS, .mode = PAIR_IF_NOT_ASYNC),
	PAIR_EACH("capture-sync-memop-not-recorded", rows_copied_now, COPY_ROWS, .mode = PAIR_IF_NOT_ASYNC),
	PAIR_EACH("capture-sync-memop-not-recorded", batch_copied_now, COPY_BATCH, .mode = PAIR_IF_NOT_ASYNC),
	PAIR("capture-concurrent-host-use", two_threads),
	PAIR_EACH("capture-concurrent-host-use", two_threads_each, COPY_LINEAR, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("capture-concurrent-host-use", two_threads_each, COPY_ROWS, .mode = PAIR_IF_ASYNC),
	PAIR("capture-getinfo-model-used-invalid", executed_without_model),
	PAIR("capture-getinfo-model-used-invalid", named_without_model),
	PAIR("capture-getinfo-model-used-invalid", destroyed_without_model),
	PAIR("capture-callback-thread-gone", unsubscribed_early),
	PAIR_EACH("capture-alloc-not-replayed", allocated_in_capture, ALLOCATE_DEVICE, .avoids = true),
	PAIR_EACH("capture-alloc-not-replayed", allocated_in_capture, ALLOCATE_HOST, .avoids = true),
	PAIR_EACH("capture-alloc-not-replayed", allocated_in_capture, ALLOCATE_MANAGED, .avoids = true),
	PAIR_AVOIDS("capture-alloc-not-replayed", freed_in_capture),
	PAIR_AVOIDS("capture-alloc-not-replayed", allocated_on_purpose),
	PAIR("capture-error-ignored", failed_and_went_on),
	PAIR("capture-error-ignored", failed_and_gave_up),
};

PAIRS_MAIN("capture habits", pairs)
