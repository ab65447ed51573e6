/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about handles: destroyed, of another kind, never made. */
#include "paired.h"

static void stream_used(void)
{
	aclrtStream s = make_stream();

	if (bug)
		CALL(aclrtDestroyStream, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
	if (!bug)
		CALL(aclrtDestroyStream, .stream = s);
}

/* The value may come back at once: then it is a new stream. */
static void stream_value_again(void)
{
	aclrtStream s = make_stream(), again = s;

	CALL(aclrtDestroyStream, .stream = s);
	if (!bug)
		CALL_DOES(aclrtCreateStream, 0, again = s, .stream = &again);
	CALL(aclrtSynchronizeStream, .stream = again);
}

static void stream_twice(void)
{
	aclrtStream s = make_stream();

	CALL(aclrtDestroyStream, .stream = s);
	if (bug)
		CALL_FAILS(107017, aclrtDestroyStreamForce, .stream = s);
}

/* A destroy that failed did not destroy. */
static void stream_destroy_failed(void)
{
	aclrtStream s = make_stream();

	CALL_FAILS(bug ? 0 : 107003, aclrtDestroyStream, .stream = s);
	CALL(aclrtDestroyStream, .stream = s);
}

static void stream_race(void)
{
	aclrtStream s = make_stream();
	struct acl_args_aclrtDestroyStream a = {.stream = s};
	struct acl_call_record ev;

	if (!bug)
		CALL(aclrtStreamQuery, .stream = s, .status = OUT);
	pair_enter(&ev, ACL_API_aclrtDestroyStream, &a, __LINE__);
	if (bug) {
		pair_thread(1);
		CALL(aclrtStreamQuery, .stream = s, .status = OUT);
		pair_thread(0);
	}
	pair_leave(&ev, 0);
}

static void event_used(void)
{
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);

	if (bug)
		CALL(aclrtDestroyEvent, .event = e);
	CALL(aclrtSynchronizeEvent, .event = e);
	if (!bug)
		CALL(aclrtDestroyEvent, .event = e);
}

static void event_twice(void)
{
	aclrtEvent e = make_event();

	CALL(aclrtDestroyEvent, .event = e);
	if (bug)
		CALL(aclrtDestroyEvent, .event = e);
}

static void elapsed_first(void)
{
	aclrtEvent start = make_event(), end = make_event();

	CALL(aclrtRecordEvent, .event = start);
	CALL(aclrtRecordEvent, .event = end);
	CALL(aclrtSynchronizeEvent, .event = end);
	if (bug)
		CALL(aclrtDestroyEvent, .event = start);
	CALL(aclrtEventElapsedTime, .ms = OUT, .startEvent = start, .endEvent = end);
}

static void notify_used(void)
{
	aclrtNotify n = NULL;

	CALL_DOES(aclrtCreateNotify, 0, n = make_address(), .notify = &n);
	if (bug)
		CALL(aclrtDestroyNotify, .notify = n);
	CALL(aclrtRecordNotify, .notify = n);
	if (!bug)
		CALL(aclrtDestroyNotify, .notify = n);
}

static void model_used(void)
{
	aclmdlRI m = NULL;

	CALL_DOES(aclmdlRIBuildBegin, 0, m = make_address(), .modelRI = &m);
	if (bug)
		CALL(aclmdlRIDestroy, .modelRI = m);
	CALL(aclmdlRIDebugPrint, .modelRI = m);
	if (!bug)
		CALL(aclmdlRIDestroy, .modelRI = m);
}

static void context_current(void)
{
	aclrtContext x = make_context();

	if (bug)
		CALL(aclrtDestroyContext, .context = x);
	CALL(aclrtSetCurrentContext, .context = x);
	if (!bug)
		CALL(aclrtDestroyContext, .context = x);
}

static void context_twice(void)
{
	aclrtContext x = make_context();

	CALL(aclrtDestroyContext, .context = x);
	if (bug)
		CALL_FAILS(107002, aclrtDestroyContext, .context = x);
}

static void binary_used(void)
{
	aclrtBinHandle b = NULL;

	CALL_DOES(aclrtBinaryLoadFromFile, 0, b = make_address(), .binPath = "add.o", .binHandle = &b);
	CALL(aclrtBinaryUnLoad, .binHandle = b);
	if (bug)
		CALL(aclrtBinaryUnLoad, .binHandle = b);
}

static void pool_used(void)
{
	static const aclrtMemPoolProps props = {.location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtMemPool pool = NULL;

	CALL_DOES(aclrtMemPoolCreate, 0, pool = make_address(), .memPool = &pool, .poolProps = &props);
	if (bug)
		CALL(aclrtMemPoolDestroy, .memPool = pool);
	CALL(aclrtMemPoolTrimTo, .memPool = pool);
	if (!bug)
		CALL(aclrtMemPoolDestroy, .memPool = pool);
}

/* ------------------------------------------------------------------------------------- */

static void arguments_swapped(void)
{
	aclrtStream s = make_stream();
	aclrtEvent e = make_event();

	if (bug)
		CALL_FAILS(107017, aclrtRecordEvent, .event = s, .stream = e);
	else
		CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtDestroyEvent, .event = e);
	CALL(aclrtDestroyStream, .stream = s);
}

/* A stream that something below us made. */
static void never_seen(void)
{
	aclrtStream s = make_stream();
	aclrtEvent e = make_event();

	CALL(aclrtRecordEvent, .event = e, .stream = bug ? e : HANDLE);
	CALL(aclrtDestroyEvent, .event = e);
	CALL(aclrtDestroyStream, .stream = s);
}

/* C takes any pointer for a handle, so also that of the variable. */
static void variable_in_place_of_its_stream(void)
{
	aclrtStream s = make_stream();

	CALL_FAILS(bug ? 107017 : 0, aclrtSynchronizeStream, .stream = bug ? (aclrtStream)&s : s);
	CALL(aclrtDestroyStream, .stream = s);
}

static void variable_in_place_of_its_event(void)
{
	aclrtStream s = make_stream();
	aclrtEvent e = make_event();

	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL_FAILS(bug ? 107017 : 0, aclrtDestroyEvent, .event = bug ? (aclrtEvent)&e : e);
	if (bug)
		CALL(aclrtDestroyEvent, .event = e);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtDestroyStream, .stream = s);
}

/* Elsewhere a small number stands for a stream of each thread. */
static void number_in_place_of_a_stream(void)
{
	aclrtStream s = make_stream();

	CALL_FAILS(bug ? 107017 : 0, aclrtSynchronizeStream, .stream = bug ? (aclrtStream)2 : s);
	CALL(aclrtDestroyStream, .stream = s);
}

/* What reaches a function that is called by number, without its prototype: an int of 32 bits. */
static void half_of_a_stream(void)
{
	aclrtStream s = make_stream();

	CALL_FAILS(bug ? 107017 : 0, aclrtSynchronizeStream,
		.stream = bug ? (aclrtStream)(uintptr_t)(uint32_t)(uintptr_t)s : s);
	CALL(aclrtDestroyStream, .stream = s);
}

/* A parameter before the stream, given once more. */
static void memory_in_place_of_a_stream(void)
{
	aclrtStream s = make_stream();
	void *d = make_device_memory(64);

	CALL_FAILS(bug ? 107017 : 0, aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64,
		.stream = bug ? d : s);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtFree, .devPtr = d);
	CALL(aclrtDestroyStream, .stream = s);
}

static void pinned_memory_in_place_of_a_context(void)
{
	aclrtContext current = NULL;
	char *h = make_host_memory(64);

	CALL_DOES(aclrtGetCurrentContext, 0, current = make_address(), .context = &current);
	CALL_FAILS(bug ? 107000 : 0, aclrtSetCurrentContext, .context = bug ? h + 32 : current);
	CALL(aclrtFreeHost, .hostPtr = h);
}

static aclrtBinHandle load(aclrtFuncHandle *function)
{
	aclrtBinHandle b = NULL;

	CALL_DOES(aclrtBinaryLoadFromFile, 0, b = make_address(), .binPath = "/opt/add.o", .binHandle = &b);
	CALL_DOES(aclrtBinaryGetFunction, 0, *function = make_address(), .binHandle = b, .kernelName = "add",
		.funcHandle = function);
	return b;
}

/* The step between is left out. */
static void binary_in_place_of_its_function(void)
{
	aclrtFuncHandle f = NULL;
	aclrtBinHandle b = load(&f);
	aclrtStream s = make_stream();

	CALL_FAILS(bug ? 107017 : 0, aclrtLaunchKernelV2, .funcHandle = bug ? b : f, .numBlocks = 1,
		.argsData = DEVICE, .argsSize = 64, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtBinaryUnLoad, .binHandle = b);
}

static void arguments_of_a_binary(void)
{
	aclrtFuncHandle f = NULL;
	aclrtBinHandle b = load(&f);
	size_t size = 0;

	CALL_FAILS(bug ? 107017 : 0, aclrtKernelArgsGetHandleMemSize, .funcHandle = bug ? b : f,
		.memSize = &size);
	CALL(aclrtBinaryUnLoad, .binHandle = b);
}

static void function_in_place_of_its_binary(void)
{
	aclrtFuncHandle f = NULL;
	aclrtBinHandle b = load(&f);

	if (bug)
		CALL_FAILS(107017, aclrtBinaryUnLoad, .binHandle = f);
	CALL(aclrtBinaryUnLoad, .binHandle = b);
}

static void create_failed(void)
{
	aclrtStream s = (aclrtStream)0x1234567890;

	if (bug)
		CALL_FAILS(107000, aclrtCreateStreamWithConfig, .stream = &s,
			.flag = ACL_STREAM_DEVICE_USE_ONLY | ACL_STREAM_FAST_LAUNCH);
	else
		CALL_DOES(aclrtCreateStream, 0, s = make_address(), .stream = &s);
	CALL(aclrtSynchronizeStream, .stream = s);
	if (!bug)
		CALL(aclrtDestroyStream, .stream = s);
}

/* A later success fills the same variable. */
static void create_again(void)
{
	aclrtEvent e = (aclrtEvent)0x1234567890;

	CALL_FAILS(507899, aclrtCreateEvent, .event = &e);
	if (!bug)
		CALL_DOES(aclrtCreateEvent, 0, (void)0, .event = &e);
	CALL(aclrtRecordEvent, .event = e);
}

/* What is left of a stream that was not made is the default stream. */
static void null_of_a_failed_create(void)
{
	void *d = make_device_memory(64);
	aclrtStream s = NULL;

	CALL_FAILS(507899, aclrtCreateStream, .stream = &s);
	if (!bug)
		CALL_DOES(aclrtCreateStream, 0, s = make_address(), .stream = &s);
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
	if (!bug)
		CALL(aclrtDestroyStream, .stream = s);
	CALL(aclrtFree, .devPtr = d);
}

static void default_stream_as_before(void)
{
	void *d = make_device_memory(64);
	aclrtStream s = NULL;

	if (!bug)
		CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64);
	CALL_FAILS(507899, aclrtCreateStream, .stream = &s);
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtFree, .devPtr = d);
}

/* Another one was made, and the default stream is used besides. */
static void stream_made_otherwise(void)
{
	void *d = make_device_memory(64);
	aclrtStream s = NULL, t = NULL;

	CALL_FAILS(507899, aclrtCreateStream, .stream = &s);
	if (!bug)
		CALL_DOES(aclrtCreateStreamWithConfig, 0, t = make_address(), .stream = &t);
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64);
	CALL(aclrtSynchronizeStream, .stream = NULL);
	if (!bug)
		CALL(aclrtDestroyStream, .stream = t);
	CALL(aclrtFree, .devPtr = d);
}

/* The variable was given another stream. */
static void variable_taken_for_another(void)
{
	void *d = make_device_memory(64);
	aclrtStream s = NULL, t = make_stream();

	CALL_FAILS(507899, aclrtCreateStream, .stream = &s);
	if (!bug)
		s = t;
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64);
	CALL(aclrtSynchronizeStream, .stream = NULL);
	CALL(aclrtFree, .devPtr = d);
	CALL(aclrtDestroyStream, .stream = t);
}

static const struct pair pairs[] = {
	PAIR("stream-destroyed-handle", stream_used),
	PAIR("stream-destroyed-handle", stream_value_again),
	PAIR("stream-destroyed-handle", stream_race),
	PAIR("stream-double-destroy", stream_twice),
	PAIR("stream-double-destroy", stream_destroy_failed),
	PAIR("event-destroyed-handle", event_used),
	PAIR("event-destroyed-handle", event_twice),
	PAIR("event-destroyed-handle", elapsed_first),
	PAIR("notify-destroyed-use", notify_used),
	PAIR("mdlri-use-after-destroy", model_used),
	PAIR("context-set-destroyed", context_current),
	PAIR("context-double-destroy", context_twice),
	PAIR("kernel-binary-double-unload", binary_used),
	PAIR("pool-use-after-destroy", pool_used),
	PAIR("handle-type-mismatch", arguments_swapped),
	PAIR("handle-type-mismatch", never_seen),
	PAIR("handle-type-mismatch", variable_in_place_of_its_stream),
	PAIR("handle-type-mismatch", variable_in_place_of_its_event),
	PAIR("handle-type-mismatch", number_in_place_of_a_stream),
	PAIR("handle-type-mismatch", half_of_a_stream),
	PAIR("handle-type-mismatch", memory_in_place_of_a_stream),
	PAIR("handle-type-mismatch", pinned_memory_in_place_of_a_context),
	PAIR("handle-type-mismatch", binary_in_place_of_its_function),
	PAIR("handle-type-mismatch", arguments_of_a_binary),
	PAIR("handle-type-mismatch", function_in_place_of_its_binary),
	PAIR_WITH("failed-create-output-used", create_failed, .avoids = true,
		.also = "stream-flag-combination"),
	PAIR("failed-create-output-used", create_again),
	PAIR("failed-create-output-used", null_of_a_failed_create),
	PAIR("failed-create-output-used", default_stream_as_before),
	PAIR("failed-create-output-used", stream_made_otherwise),
	PAIR("failed-create-output-used", variable_taken_for_another),
};

PAIRS_MAIN("rules about handles", pairs)
