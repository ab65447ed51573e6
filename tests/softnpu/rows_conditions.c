/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of conditions in models and of their bodies: read in the published source. */
#include "rows.h"

static void *condition_of(void *handle)
{
	uint64_t *at;

	row(aclmdlRICondHandleGetCondPtr(handle, &at));
	return NULL;
}

/* The word of a condition is of no context, but without one it is not asked for. */
static void conditions_elsewhere(void)
{
	uint64_t *here = NULL, *there = NULL;
	aclmdlRICondHandle handle = NULL;
	aclrtStream s = capturing();
	aclrtContext other;
	aclmdlRI m = NULL;

	need(aclmdlRICaptureGetInfo(s, NULL, &m));
	need(aclmdlRICondHandleCreate(m, 0, (aclmdlRICondHandleFlag)0, &handle));
	need(aclmdlRICondHandleGetCondPtr(handle, &here));
	need(aclrtCreateContext(&other, 0));
	row(aclmdlRICondHandleGetCondPtr(handle, &there));
	row(here == there);
	in_thread(condition_of, handle);
}

/* A body whose capture failed has ended all the same, if no body within it is missing. */
static void bodies_captured_wrongly(void)
{
	aclrtStream s = capturing(), x = stream(), y = stream();
	aclrtEvent fork = event_ex(ACL_EVENT_SYNC), never_awaited = event_ex(ACL_EVENT_SYNC);
	aclmdlRI m = NULL, body[2] = {NULL}, inner = NULL;
	aclmdlRICondTaskParams task = {.type = ACL_MODEL_RI_COND_TYPE_IF, .modelRIArray = body, .size = 2};

	need(aclmdlRICaptureGetInfo(s, NULL, &m));
	need(aclmdlRICondHandleCreate(m, 0, (aclmdlRICondHandleFlag)0, &task.handle));
	need(aclmdlRIAddCondTask(task, s, 0));
	need(aclmdlRICaptureToModelRIBegin(x, body[0], RELAXED));
	need(aclrtRecordEvent(fork, x));
	need(aclrtStreamWaitEvent(y, fork));
	need(aclrtRecordEvent(never_awaited, y));
	row(aclmdlRICaptureEnd(x, NULL));
	row(aclmdlRICaptureToModelRIBegin(x, body[0], RELAXED));
	need(aclmdlRICaptureToModelRIBegin(x, body[1], RELAXED));
	row(aclmdlRICaptureEnd(x, NULL));
	row(aclmdlRICaptureEnd(s, &m));

	s = capturing();
	need(aclmdlRICaptureGetInfo(s, NULL, &m));
	need(aclmdlRICondHandleCreate(m, 0, (aclmdlRICondHandleFlag)0, &task.handle));
	task.size = 1;
	need(aclmdlRIAddCondTask(task, s, 0));
	need(aclmdlRICaptureToModelRIBegin(x, body[0], RELAXED));
	task.modelRIArray = &inner;
	need(aclmdlRICondHandleCreate(body[0], 0, (aclmdlRICondHandleFlag)0, &task.handle));
	need(aclmdlRIAddCondTask(task, x, 0));
	row(aclmdlRICaptureEnd(x, NULL));
	row(aclmdlRICaptureEnd(s, &m));
}

static void condition_of_an_invalid_capture(void)
{
	aclrtEvent e = event_ex(ACL_EVENT_SYNC);
	aclrtStream s = capturing();
	aclmdlRICondHandle handle;
	aclmdlRI m = NULL;

	need(aclmdlRICaptureGetInfo(s, NULL, &m));
	need(aclrtRecordEvent(e, s));
	row(aclrtStreamWaitEvent(capturing(), e));
	row(aclmdlRICondHandleCreate(m, 0, (aclmdlRICondHandleFlag)0, &handle));
}

/* A task that is not captured takes its bodies with it, and the condition is as it was before. */
static void condition_within_a_group(void)
{
	aclrtStream s = capturing();
	aclrtTaskGrp g = NULL;
	aclmdlRI m = NULL, body[2] = {s, s};
	aclmdlRICondTaskParams task = {.type = ACL_MODEL_RI_COND_TYPE_IF, .modelRIArray = body, .size = 2};

	need(aclmdlRICaptureGetInfo(s, NULL, &m));
	need(aclmdlRICondHandleCreate(m, 0, (aclmdlRICondHandleFlag)0, &task.handle));
	need(aclmdlRICaptureTaskGrpBegin(s));
	row(aclmdlRIAddCondTask(task, s, 0));
	row(!body[0] && !body[1]);
	row(aclmdlRIAddCondTask(task, s, 0));
	row(aclmdlRICaptureTaskGrpEnd(s, &g));
	row(aclmdlRIAddCondTask(task, s, 0));
	row(body[0] && body[1]);
	row(aclmdlRIAddCondTask(task, s, 0));
	row(aclmdlRICaptureEnd(s, &m));
}

static void number_of_a_conditional_task(void)
{
	aclrtStream s = capturing();
	aclmdlRI m = NULL, body = NULL;
	aclmdlRICondTaskParams task = {
		.type = ACL_MODEL_RI_COND_TYPE_WHILE, .modelRIArray = &body, .size = 1};
	uint32_t id = 99;

	need(aclmdlRICaptureGetInfo(s, NULL, &m));
	need(aclmdlRICondHandleCreate(m, 0, (aclmdlRICondHandleFlag)0, &task.handle));
	need(aclrtMemsetAsync(device(), 64, 0, 64, s));
	need(aclmdlRIAddCondTask(task, s, 0));
	row(aclrtGetThreadLastTaskId(&id));
	row(id);
}

/* A body is not for these, which the runtime expects: it is no last error. */
static void bodies_that_are_not_last(void)
{
	aclrtStream s = capturing(), x = stream();
	aclmdlRI m = NULL, body = NULL;
	aclmdlRICondTaskParams task = {.type = ACL_MODEL_RI_COND_TYPE_IF, .modelRIArray = &body, .size = 1};

	need(aclmdlRICaptureGetInfo(s, NULL, &m));
	need(aclmdlRICondHandleCreate(m, 0, (aclmdlRICondHandleFlag)0, &task.handle));
	need(aclmdlRIAddCondTask(task, s, 0));
	need(aclmdlRICaptureToModelRIBegin(x, body, RELAXED));
	need(aclrtMemsetAsync(device(), 64, 0, 64, x));
	need(aclmdlRICaptureEnd(x, NULL));
	need(aclmdlRICaptureEnd(s, &m));
	code_and_last(aclmdlRIExecuteAsync(body, stream()));
	code_and_last(aclmdlRIExecute(body, -1));
	code_and_last(aclmdlRIAbort(body));
	code_and_last(aclmdlRIDestroy(body));
}

const struct row rows_conditions[] = {ROW(conditions_elsewhere), ROW(bodies_captured_wrongly),
	ROW(condition_of_an_invalid_capture), ROW(condition_within_a_group),
	ROW(number_of_a_conditional_task), ROW(bodies_that_are_not_last), {NULL, NULL}};
