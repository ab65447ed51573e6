/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about models as handles: in the making, of conditions, queried, left behind. */
#include "paired.h"

#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED

static aclmdlRI capture_on(aclrtStream s)
{
	CALL(aclmdlRICaptureBegin, .stream = s, .mode = RELAXED);
	return capture_end(s);
}

/* The model of an open capture; after the end it has the same handle. */
static aclmdlRI in_the_making(aclrtStream s)
{
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
	aclmdlRI m = NULL;

	CALL(aclmdlRICaptureBegin, .stream = s, .mode = RELAXED);
	CALL_DOES(
		aclmdlRICaptureGetInfo, 0, m = make_address(), .stream = s, .status = &status, .modelRI = &m);
	return m;
}

static void end_as(aclrtStream s, aclmdlRI m)
{
	aclmdlRI out = NULL;

	CALL_DOES(aclmdlRICaptureEnd, 0, out = m, .stream = s, .modelRI = &out);
}

/* --- in the making ----------------------------------------------------------------------------- */

static void destroyed_in_the_making(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = in_the_making(s);

	if (bug)
		CALL_FAILS(107026, aclmdlRIDestroy, .modelRI = m);
	end_as(s, m);
	CALL(aclmdlRIDestroy, .modelRI = m);
}

static void executed_in_the_making(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	aclmdlRI m = in_the_making(s);

	if (!bug)
		end_as(s, m);
	CALL_FAILS(bug ? 107026 : 0, aclmdlRIExecuteAsync, .modelRI = m, .stream = other);
	if (bug)
		end_as(s, m);
	CALL(aclrtSynchronizeStream, .stream = other);
}

static void printed_in_the_making(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = in_the_making(s);

	if (!bug)
		end_as(s, m);
	CALL(aclmdlRIDebugJsonPrint, .modelRI = m, .path = "model.json", .flags = 0);
	if (bug)
		end_as(s, m);
}

static void printed_to_nowhere(void)
{
	aclmdlRI m = capture_on(make_stream());

	CALL_FAILS(bug ? 107000 : 0, aclmdlRIDebugJsonPrint, .modelRI = m,
		.path = bug ? "/no/such/dir/model.json" : "model.json", .flags = 0);
}

/* --- conditions ------------------------------------------------------------------------------------ */

static aclmdlRICondHandle make_condition(aclmdlRI m)
{
	aclmdlRICondHandle h = NULL;

	CALL_DOES(aclmdlRICondHandleCreate, 0, h = make_address(), .modelRI = m, .flag = 1, .handle = &h);
	return h;
}

static aclmdlRI add_condition(aclmdlRICondHandle h, aclrtStream s, int32_t code)
{
	aclmdlRI sub[1] = {NULL};

	CALL_DOES(aclmdlRIAddCondTask, code, sub[0] = code ? NULL : make_address(),
		.params = {.handle = h, .type = ACL_MODEL_RI_COND_TYPE_IF, .size = 1, .modelRIArray = sub},
		.stream = s);
	return sub[0];
}

/* What runs when the condition holds, captured on a stream of its own. */
static void fill(aclmdlRI sub)
{
	aclrtStream s = make_stream();

	CALL(aclmdlRICaptureToModelRIBegin, .stream = s, .modelRI = sub, .mode = RELAXED);
	CALL(aclmdlRICaptureEnd, .stream = s, .modelRI = NULL);
}

static void condition_too_late(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = in_the_making(s);
	aclmdlRICondHandle h = NULL;

	if (bug)
		end_as(s, m);
	CALL_DOES(aclmdlRICondHandleCreate, bug ? 107000 : 0, h = bug ? NULL : make_address(), .modelRI = m,
		.flag = 1, .handle = &h);
	if (!bug)
		end_as(s, m);
}

static void condition_used_twice(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = in_the_making(s);
	aclmdlRICondHandle h = make_condition(m);

	fill(add_condition(h, s, 0));
	if (bug)
		add_condition(h, s, 107000);
	else
		fill(add_condition(make_condition(m), s, 0));
	end_as(s, m);
}

static void condition_on_idle_stream(void)
{
	aclrtStream s = make_stream(), idle = make_stream();
	aclmdlRI m = in_the_making(s);
	aclmdlRICondHandle h = make_condition(m);

	if (bug)
		add_condition(h, idle, 107029);
	fill(add_condition(h, s, 0));
	end_as(s, m);
}

static void condition_of_other_model(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	aclmdlRI m = in_the_making(s), n = in_the_making(other);

	if (bug)
		add_condition(make_condition(n), s, 107000);
	fill(add_condition(make_condition(m), s, 0));
	end_as(s, m);
	end_as(other, n);
}

static void condition_without_models(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = in_the_making(s);
	aclmdlRICondHandle h = make_condition(m);

	if (bug)
		CALL_FAILS(107000, aclmdlRIAddCondTask,
			.params = {.handle = h, .type = ACL_MODEL_RI_COND_TYPE_IF, .size = 1}, .stream = s);
	fill(add_condition(h, s, 0));
	end_as(s, m);
}

static void destroyed_of_condition(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = in_the_making(s), sub = add_condition(make_condition(m), s, 0);

	fill(sub);
	end_as(s, m);
	if (bug)
		CALL_FAILS(207000, aclmdlRIDestroy, .modelRI = sub);
	CALL(aclmdlRIDestroy, .modelRI = m);
}

/* A condition within a condition: the inner handle belongs to the model in the making. */
static void condition_in_condition(void)
{
	aclrtStream s = make_stream(), inner = make_stream();
	aclmdlRI m = in_the_making(s), sub = add_condition(make_condition(m), s, 0);

	if (bug)
		make_condition(sub);
	CALL(aclmdlRICaptureToModelRIBegin, .stream = inner, .modelRI = sub, .mode = RELAXED);
	if (!bug)
		fill(add_condition(make_condition(sub), inner, 0));
	CALL(aclmdlRICaptureEnd, .stream = inner, .modelRI = NULL);
	end_as(s, m);
	CALL(aclmdlRIDestroy, .modelRI = m);
}

/* --- questions ---------------------------------------------------------------------------------------- */

static void array_too_small(void)
{
	aclrtStream s = make_stream(), other = make_stream(), streams[8] = {0};
	aclmdlRI m;
	uint32_t n = 0;

	CALL(aclmdlRICaptureBegin, .stream = s, .mode = RELAXED);
	capture_join(s, other);
	capture_join(other, s);
	m = capture_end(s);
	CALL_DOES(aclmdlRIGetStreams, 0, n = 2, .modelRI = m, .streams = NULL, .numStreams = &n);
	n = bug ? 1 : 8;
	CALL_FAILS(bug ? 107039 : 0, aclmdlRIGetStreams, .modelRI = m, .streams = streams, .numStreams = &n);
}

static void tasks_without_counter(void)
{
	aclrtStream s = make_stream(), of_model = NULL;
	aclmdlRI m = capture_on(s);
	uint32_t n = 1;

	CALL_DOES(aclmdlRIGetStreams, 0, of_model = make_address(), .modelRI = m, .streams = &of_model,
		.numStreams = &n);
	CALL_FAILS(bug ? 107000 : 0, aclmdlRIGetTasksByStream, .stream = of_model, .tasks = NULL,
		.numTasks = bug ? NULL : &n);
}

static void room_for_fewer_tasks(void)
{
	aclrtStream s = make_stream_flags(ACL_STREAM_PERSISTENT);
	void *d = make_device_memory(4096);
	aclmdlRITask tasks[8] = {0};
	aclmdlRI m = NULL;
	uint32_t n = 0;

	CALL_DOES(aclmdlRIBuildBegin, 0, m = make_address(), .modelRI = &m);
	CALL(aclmdlRIBindStream, .modelRI = m, .stream = s);
	for (unsigned i = 0; i < 2; i++)
		CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 4096, .count = 4096, .stream = s);
	CALL_DOES(aclmdlRIGetTasksByStream, 0, n = 2, .stream = s, .tasks = NULL, .numTasks = &n);
	n = bug ? 1 : 8;
	CALL_FAILS(bug ? 107039 : 0, aclmdlRIGetTasksByStream, .stream = s, .tasks = tasks, .numTasks = &n);
}

/* The streams of a captured model are not the program's: only the model says what they are. */
static void room_for_fewer_captured_tasks(void)
{
	aclrtStream s = make_stream(), inner = NULL;
	aclmdlRITask tasks[8] = {0};
	void *d = make_device_memory(4096);
	uint32_t streams = 1, n = 0;
	aclmdlRI m;

	CALL(aclmdlRICaptureBegin, .stream = s, .mode = RELAXED);
	for (unsigned i = 0; i < 2; i++)
		CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 4096, .count = 4096, .stream = s);
	m = capture_end(s);
	CALL_DOES(aclmdlRIGetStreams, 0, inner = make_address(), .modelRI = m, .streams = &inner,
		.numStreams = &streams);
	CALL_DOES(aclmdlRIGetTasksByStream, 0, n = 2, .stream = inner, .tasks = NULL, .numTasks = &n);
	n = bug ? 1 : 2;
	CALL_FAILS(
		bug ? 107039 : 0, aclmdlRIGetTasksByStream, .stream = inner, .tasks = tasks, .numTasks = &n);
}

static void unregistered_unknown(void)
{
	aclmdlRI m = capture_on(make_stream());

	if (!bug)
		CALL(aclmdlRIDestroyRegisterCallback, .modelRI = m, .func = HANDLE);
	CALL_FAILS(bug ? 107000 : 0, aclmdlRIDestroyUnregisterCallback, .modelRI = m, .func = HANDLE);
	CALL(aclmdlRIDestroy, .modelRI = m);
}

/* --- how many, how long ----------------------------------------------------------------------------------
 */

/* So many streams are taken into the capture and come back. */
static void join_many(aclrtStream s, unsigned n)
{
	aclrtEvent to = make_event_ex(ACL_EVENT_SYNC), back = make_event_ex(ACL_EVENT_SYNC);

	CALL(aclrtRecordEvent, .event = to, .stream = s);
	for (unsigned i = 0; i < n; i++) {
		aclrtStream part = make_stream();

		CALL(aclrtStreamWaitEvent, .stream = part, .event = to);
		CALL(aclrtRecordEvent, .event = back, .stream = part);
		CALL(aclrtStreamWaitEvent, .stream = s, .event = back);
	}
}

static void too_many_streams(void)
{
	aclrtStream s = make_stream();

	CALL(aclmdlRICaptureBegin, .stream = s, .mode = RELAXED);
	join_many(s, bug ? 1000 : 100);
	capture_end(s);
}

/* Those of a condition's model count with its parent's. */
static void too_many_streams_in_all(void)
{
	aclrtStream s = make_stream(), t = make_stream();
	aclmdlRI m = in_the_making(s), sub = add_condition(make_condition(m), s, 0);

	CALL(aclmdlRICaptureToModelRIBegin, .stream = t, .modelRI = sub, .mode = RELAXED);
	join_many(t, bug ? 600 : 100);
	CALL(aclmdlRICaptureEnd, .stream = t, .modelRI = NULL);
	join_many(s, bug ? 600 : 100);
	end_as(s, m);
}

/* The streams that aclmdlRIGetStreams answers belong to the model. */
static void executed_on_own_stream(void)
{
	aclrtStream s = make_stream(), of_model = NULL;
	aclmdlRI m = capture_on(s);
	uint32_t n = 1;

	CALL_DOES(aclmdlRIGetStreams, 0, of_model = make_address(), .modelRI = m, .streams = &of_model,
		.numStreams = &n);
	CALL_FAILS(bug ? 107000 : 0, aclmdlRIExecuteAsync, .modelRI = m, .stream = bug ? of_model : s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void no_more_models(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = capture_on(s);

	CALL_FAILS(bug ? 207005 : 0, aclmdlRIExecuteAsync, .modelRI = m, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void left_in_device(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = capture_on(s);

	CALL(aclrtDestroyStream, .stream = s);
	if (!bug)
		CALL(aclmdlRIDestroy, .modelRI = m);
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize);
}

/* A reset of two leaves the device in use. */
static void left_in_device_set_twice(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m;

	CALL(aclrtSetDevice, .deviceId = 0);
	m = capture_on(s);
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclrtDestroyStream, .stream = s);
	if (!bug)
		CALL(aclmdlRIDestroy, .modelRI = m);
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize);
}

static void left_in_context(void)
{
	aclrtContext x = make_context();
	aclrtStream s = make_stream();
	aclmdlRI m = capture_on(s);

	CALL(aclrtDestroyStream, .stream = s);
	if (!bug)
		CALL(aclmdlRIDestroy, .modelRI = m);
	CALL(aclrtDestroyContext, .context = x);
}

static const struct pair pairs[] = {
	PAIR("mdlri-destroy-capturing", destroyed_in_the_making),
	PAIR("mdlri-execute-capturing", executed_in_the_making),
	PAIR("mdlri-debugprint-before-end", printed_in_the_making),
	PAIR("mdlri-debugprint-before-end", printed_to_nowhere),
	PAIR("cond-handle-not-capturing", condition_too_late),
	PAIR("cond-handle-not-capturing", condition_in_condition),
	PAIR("cond-handle-reused", condition_used_twice),
	PAIR("cond-task-bad-stream", condition_on_idle_stream),
	PAIR("cond-task-bad-stream", condition_of_other_model),
	PAIR("cond-task-bad-stream", condition_without_models),
	PAIR("mdlri-destroy-submodel", destroyed_of_condition),
	PAIR("mdlri-getstreams-size", array_too_small),
	PAIR("mdlri-getstreams-size", tasks_without_counter),
	PAIR("mdlri-getstreams-size", room_for_fewer_tasks),
	PAIR("mdlri-getstreams-size", room_for_fewer_captured_tasks),
	PAIR("mdlri-destroy-callback-misuse", unregistered_unknown),
	PAIR("mdlri-model-count", too_many_streams),
	PAIR("mdlri-model-count", too_many_streams_in_all),
	PAIR("mdlri-execute-on-model-stream", executed_on_own_stream),
	PAIR("mdlri-model-count", no_more_models),
	PAIR("model-outlives-context", left_in_device),
	PAIR("model-outlives-context", left_in_device_set_twice),
	PAIR("model-outlives-context", left_in_context),
};

PAIRS_MAIN("graph rules", pairs)
