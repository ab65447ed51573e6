/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs about what goes with a model: its tasks, its streams, the handles of its conditions. */
#include "tasks.h"

static aclmdlRITaskParams params;

static void destroy(aclmdlRI m)
{
	CALL(aclmdlRIDestroy, .modelRI = m);
}

/* --- models whose making was not seen ---------------------------------------------------------------- */

static void model_comes_from_elsewhere(void)
{
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
	aclmdlRI m = model_on(make_stream());

	destroy(m);
	if (!bug)
		CALL_DOES(aclmdlRICaptureGetInfo, 0, (void)0, .stream = HANDLE, .status = &status,
			.modelRI = &m);
	CALL_FAILS(bug ? 107017 : 0, aclmdlRIGetId, .modelRI = m, .modelRIId = OUT);
}

static void capture_of_unseen_begin(void)
{
	aclmdlRI m = model_on(make_stream());

	destroy(m);
	if (!bug)
		CALL_DOES(aclmdlRICaptureEnd, 0, (void)0, .stream = HANDLE, .modelRI = &m);
	CALL_FAILS(bug ? 107017 : 0, aclmdlRIGetId, .modelRI = m, .modelRIId = OUT);
}

/* --- tasks ------------------------------------------------------------------------------------------- */

static void use_task(int64_t result, aclmdlRITask task)
{
	CALL_EACH(result, ROLE(TASK, task), ROLE(PARAMETERS, &params), ROLE(TYPE, OUT), ROLE(ID, OUT),
		ROLE(ATTRIBUTE, ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE), ROLE(VALUE, OUT));
}

static void task_of_destroyed_model(void)
{
	aclmdlRI m = model_on(make_stream());
	aclmdlRITask task = task_of(m);

	CALL(aclmdlRITaskGetParams, .task = task, .params = &params);
	params.type = ACL_MODEL_RI_TASK_KERNEL;
	if (bug)
		destroy(m);
	use_task(bug ? 107017 : 0, task);
	if (bug)
		return;
	CALL(aclmdlRIUpdate, .modelRI = m);
	destroy(m);
}

/* The model goes with its context. */
static void task_of_lost_model(void)
{
	aclrtContext own = make_context();
	aclmdlRITask task = task_of(model_on(make_stream()));

	if (bug)
		CALL(aclrtDestroyContext, .context = own);
	CALL_FAILS(bug ? 107017 : 0, aclmdlRITaskGetSeqId, .task = task, .id = OUT);
}

/* The runtime gives the handle out again, for a task of another model. */
static void task_comes_again(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = model_on(s);
	aclmdlRITask task = task_of(m);

	destroy(m);
	m = model_on(s);
	if (!bug)
		task = task_on(inner_stream(m), task);
	CALL_FAILS(bug ? 107017 : 0, aclmdlRITaskGetSeqId, .task = task, .id = OUT);
	destroy(m);
}

/* And for one of a model that was made where nothing is seen. */
static void task_comes_from_elsewhere(void)
{
	aclmdlRI m = model_on(make_stream());
	aclmdlRITask task = task_of(m);

	destroy(m);
	if (!bug)
		task = task_on(HANDLE, task);
	CALL_FAILS(bug ? 107017 : 0, aclmdlRITaskGetSeqId, .task = task, .id = OUT);
}

/* The streams of a built model are the program's, and stay when it goes. */
static aclmdlRI built_on(aclrtStream s)
{
	aclmdlRI m = NULL;

	CALL_DOES(aclmdlRIBuildBegin, 0, m = make_address(), .modelRI = &m);
	CALL(aclmdlRIBindStream, .modelRI = m, .stream = s);
	set_on(s, make_device_memory(SIZE));
	CALL(aclmdlRIEndTask, .modelRI = m, .stream = s);
	CALL(aclmdlRIBuildEnd, .modelRI = m);
	return m;
}

/* --- streams ----------------------------------------------------------------------------------------- */

static void stream_of_destroyed_model(void)
{
	aclmdlRI m = model_on(make_stream());
	aclrtStream inner = inner_stream(m);
	aclmdlRITask tasks[1];
	uint32_t n = 1;

	if (bug)
		destroy(m);
	CALL_EACH(bug ? 107017 : 0, ROLE(STREAM, inner), ROLE(TASKS, tasks), ROLE(NUMBER, &n), ROLE(ID, OUT),
		ROLE(FLAGS, OUT));
	if (!bug)
		destroy(m);
}

static void stream_went_with_its_model(void)
{
	aclmdlRI m = model_on(make_stream());
	aclrtStream inner = inner_stream(m);

	destroy(m);
	if (bug)
		CALL_EACH(107017, ROLE(STREAM, inner));
}

/* Its handle may be that of a new stream at once. */
static void stream_comes_again(void)
{
	aclmdlRI m = model_on(make_stream());
	aclrtStream stream = inner_stream(m), own = NULL;

	destroy(m);
	CALL_DOES(aclrtCreateStream, 0, own = bug ? make_address() : stream, .stream = &own);
	CALL_FAILS(bug ? 107017 : 0, aclrtSynchronizeStream, .stream = bug ? stream : own);
}

/* Or one of a model that was made where nothing is seen. */
static void stream_comes_from_elsewhere(void)
{
	aclmdlRI m = model_on(make_stream());
	aclrtStream stream = inner_stream(m);
	uint32_t n = 1;

	destroy(m);
	if (!bug)
		CALL_DOES(aclmdlRIGetStreams, 0, (void)0, .modelRI = HANDLE, .streams = &stream,
			.numStreams = &n);
	CALL_FAILS(bug ? 107017 : 0, aclrtStreamGetId, .stream = stream, .streamId = OUT);
}

/* Or the default stream of a context that is not known. */
static void stream_is_the_default_now(void)
{
	aclmdlRI m = model_on(make_stream());
	aclrtStream stream = inner_stream(m);

	destroy(m);
	pair_thread(1);
	if (!bug)
		CALL_DOES(aclrtCtxGetCurrentDefaultStream, 0, (void)0, .stream = &stream);
	CALL_FAILS(bug ? 107017 : 0, aclrtStreamGetId, .stream = stream, .streamId = OUT);
}

static void destroyed_stream_is_the_default_now(void)
{
	aclrtStream stream = make_stream();

	CALL(aclrtDestroyStream, .stream = stream);
	pair_thread(1);
	if (!bug)
		CALL_DOES(aclrtCtxGetCurrentDefaultStream, 0, (void)0, .stream = &stream);
	CALL_FAILS(bug ? 107017 : 0, aclrtStreamGetId, .stream = stream, .streamId = OUT);
}

static void stream_of_destroyed_built_model(void)
{
	aclrtStream s = bug ? make_stream_flags(ACL_STREAM_PERSISTENT) : HANDLE, answered = s;
	aclmdlRI m = built_on(s);
	uint32_t n = 1;

	CALL_DOES(aclmdlRIGetStreams, 0, (void)0, .modelRI = m, .streams = &answered, .numStreams = &n);
	CALL(aclmdlRIUnbindStream, .modelRI = m, .stream = s);
	destroy(m);
	if (bug)
		CALL(aclrtDestroyStream, .stream = s);
	CALL_FAILS(bug ? 107017 : 0, aclrtStreamGetId, .stream = s, .streamId = OUT);
}

/* --- conditions -------------------------------------------------------------------------------------- */

static aclmdlRI model_with_condition(aclrtStream s, aclmdlRICondHandle *handle)
{
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
	aclmdlRI m = NULL, out = NULL;

	capture_begin(s);
	CALL_DOES(
		aclmdlRICaptureGetInfo, 0, m = make_address(), .stream = s, .status = &status, .modelRI = &m);
	CALL_DOES(aclmdlRICondHandleCreate, 0, *handle = make_address(), .modelRI = m,
		.defaultLaunchValue = 1, .flag = ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, .handle = handle);
	CALL_DOES(aclmdlRICaptureEnd, 0, out = m, .stream = s, .modelRI = &out);
	return m;
}

static void condition_of_destroyed_model(void)
{
	aclmdlRICondHandle handle = NULL;
	aclmdlRI m = model_with_condition(make_stream(), &handle);

	if (bug)
		destroy(m);
	CALL_EACH(bug ? 107017 : 0, ROLE(CONDITION, handle), ROLE(ADDRESS, OUT));
	if (!bug)
		destroy(m);
}

/* Made for one model, used while another is captured. */
static void condition_of_destroyed_model_used(void)
{
	aclrtStream s = make_stream(), inner = make_stream();
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
	aclmdlRICondHandle handle = NULL;
	aclmdlRI body[1] = {NULL}, m = NULL, out = NULL;

	destroy(model_with_condition(s, &handle));
	capture_begin(s);
	CALL_DOES(
		aclmdlRICaptureGetInfo, 0, m = make_address(), .stream = s, .status = &status, .modelRI = &m);
	if (!bug)
		CALL_DOES(aclmdlRICondHandleCreate, 0, (void)0, .modelRI = m, .defaultLaunchValue = 1,
			.flag = ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, .handle = &handle);
	CALL_DOES(aclmdlRIAddCondTask, bug ? 107017 : 0, body[0] = bug ? NULL : make_address(),
		.params = {.handle = handle,
			.type = ACL_MODEL_RI_COND_TYPE_IF,
			.size = 1,
			.modelRIArray = body},
		.stream = s);
	if (!bug) {
		CALL(aclmdlRICaptureToModelRIBegin, .stream = inner, .modelRI = body[0],
			.mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
		CALL(aclmdlRICaptureEnd, .stream = inner, .modelRI = NULL);
	}
	CALL_DOES(aclmdlRICaptureEnd, 0, out = m, .stream = s, .modelRI = &out);
	destroy(m);
}

static const struct pair pairs[] = {
	PAIR_WITH("mdlri-use-after-destroy", model_comes_from_elsewhere, .avoids = true),
	PAIR_WITH("mdlri-use-after-destroy", capture_of_unseen_begin, .avoids = true),
	PAIR_EACH("mdlri-use-after-destroy", task_of_destroyed_model, INFO_TASK_TYPE),
	PAIR_EACH("mdlri-use-after-destroy", task_of_destroyed_model, INFO_TASK_ID),
	PAIR_EACH("mdlri-use-after-destroy", task_of_destroyed_model, INFO_TASK_PARAMETERS),
	PAIR_EACH("mdlri-use-after-destroy", task_of_destroyed_model, INFO_TASK_ATTRIBUTE),
	PAIR_EACH("mdlri-use-after-destroy", task_of_destroyed_model, TASK_SET_PARAMETERS),
	PAIR_EACH("mdlri-use-after-destroy", task_of_destroyed_model, TASK_DISABLE),
	PAIR_WITH("mdlri-use-after-destroy", task_of_lost_model,
		.also = "model-outlives-context context-destroy-with-streams"),
	PAIR("mdlri-use-after-destroy", task_comes_again),
	PAIR_WITH("mdlri-use-after-destroy", task_comes_from_elsewhere, .avoids = true),
	PAIR_EACH("stream-destroyed-handle", stream_of_destroyed_model, INFO_STREAM_TASKS),
	PAIR_EACH("stream-destroyed-handle", stream_of_destroyed_model, INFO_STREAM_ID),
	PAIR_EACH("stream-destroyed-handle", stream_of_destroyed_model, INFO_STREAM_FLAGS),
	PAIR_EACH("stream-double-destroy", stream_went_with_its_model, DESTROY_STREAM, .avoids = true),
	PAIR("stream-destroyed-handle", stream_comes_again),
	PAIR_WITH("stream-destroyed-handle", stream_comes_from_elsewhere, .avoids = true),
	PAIR_WITH("stream-destroyed-handle", stream_is_the_default_now, .avoids = true),
	PAIR_WITH("stream-destroyed-handle", destroyed_stream_is_the_default_now, .avoids = true),
	PAIR_WITH("stream-destroyed-handle", stream_of_destroyed_built_model, .avoids = true),
	PAIR_EACH("mdlri-use-after-destroy", condition_of_destroyed_model, INFO_CONDITION_ADDRESS),
	PAIR("cond-task-bad-stream", condition_of_destroyed_model_used),
};

PAIRS_MAIN("rules about what goes with a model", pairs)
