/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about what task groups and updates hold, and about the streams of models. */
#include "paired.h"

#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED

static void launch_returns(int64_t code, aclrtStream s)
{
	aclrtFuncHandle f = make_function();
	CALL_FAILS(code, aclrtLaunchKernelV2, .funcHandle = f, .numBlocks = 1, .argsData = DEVICE,
		.argsSize = 64, .stream = s);
}

static void launch(aclrtStream s)
{
	launch_returns(0, s);
}

static void group_begin(aclrtStream s)
{
	CALL(aclmdlRICaptureTaskGrpBegin, .stream = s);
}

static aclrtTaskGrp group_end(aclrtStream s)
{
	aclrtTaskGrp g = NULL;

	CALL_DOES(aclmdlRICaptureTaskGrpEnd, 0, g = make_address(), .stream = s, .handle = &g);
	return g;
}

static aclmdlRI model_of_group(aclrtStream s, aclrtTaskGrp *g)
{
	capture_begin(s);
	group_begin(s);
	launch(s);
	*g = group_end(s);
	return capture_end(s);
}

static void update_begin(aclrtStream s, aclrtTaskGrp g)
{
	CALL(aclmdlRICaptureTaskUpdateBegin, .stream = s, .handle = g);
}

static void update_end(aclrtStream s)
{
	launch(s);
	CALL(aclmdlRICaptureTaskUpdateEnd, .stream = s);
}

static void set(aclrtStream s, int64_t code)
{
	CALL_FAILS(code, aclrtMemsetAsync, .devPtr = DEVICE, .maxCount = 64, .count = 64, .stream = s);
}

/* --- groups ------------------------------------------------------------------------------------ */

static void open_at_end(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = NULL;

	capture_begin(s);
	group_begin(s);
	launch(s);
	if (!bug)
		group_end(s);
	CALL_DOES(aclmdlRICaptureEnd, bug ? 107033 : 0, m = bug ? NULL : make_address(), .stream = s,
		.modelRI = &m);
}

static void lost_with_its_group(aclrtStream s)
{
	aclmdlRI m = NULL;

	CALL_FAILS(107034, aclmdlRICaptureTaskGrpEnd, .stream = s, .handle = OUT);
	CALL_FAILS(507903, aclmdlRICaptureEnd, .stream = s, .modelRI = &m);
}

static void interrupted(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	aclmdlRI m = NULL;

	capture_begin(s);
	capture_join(s, other);
	group_begin(s);
	launch(s);
	if (bug) {
		launch_returns(107034, other);
		CALL_FAILS(107034, aclmdlRICaptureTaskGrpEnd, .stream = s, .handle = OUT);
		/* Captured, and lost with the capture: no model lacks the launch alone. */
		CALL(aclrtRecordEvent, .event = e, .stream = other);
		CALL_FAILS(507903, aclmdlRICaptureEnd, .stream = s, .modelRI = &m);
		return;
	}
	/* A group of its own does not interrupt. */
	group_end(s);
	group_begin(other);
	launch(other);
	group_end(other);
	launch(s);
	capture_join(other, s);
	capture_end(s);
}

/* Where a group begins with tasks of its own, they are outside of the first one. */
static void interrupted_by_a_group(void)
{
	aclrtStream s = make_stream(), other = make_stream();

	capture_begin(s);
	capture_join(s, other);
	group_begin(s);
	launch(s);
	if (bug) {
		CALL_FAILS(107034, aclmdlRICaptureTaskGrpBegin, .stream = other);
		lost_with_its_group(s);
		return;
	}
	group_end(s);
	group_begin(other);
	launch(other);
	group_end(other);
	capture_join(other, s);
	capture_end(s);
}

/* That stream's own group has ended. */
static void interrupted_behind_a_group(void)
{
	aclrtStream s = make_stream(), other = make_stream();

	capture_begin(s);
	capture_join(s, other);
	group_begin(s);
	group_begin(other);
	launch(other);
	group_end(other);
	if (bug) {
		launch_returns(107034, other);
		lost_with_its_group(s);
		return;
	}
	launch(s);
	group_end(s);
	launch(other);
	capture_join(other, s);
	capture_end(s);
}

static void set_in_group(void)
{
	aclrtStream s = make_stream(), idle = make_stream();
	aclmdlRI m = NULL;

	capture_begin(s);
	set(s, 0);
	group_begin(s);
	set(idle, 0);
	if (bug) {
		set(s, 507009);
		CALL_FAILS(507009, aclmdlRICaptureTaskGrpEnd, .stream = s, .handle = OUT);
		CALL_FAILS(507903, aclmdlRICaptureEnd, .stream = s, .modelRI = &m);
	} else {
		launch(s);
		group_end(s);
		capture_end(s);
	}
	CALL(aclrtSynchronizeStream, .stream = idle);
}

/* --- updates --------------------------------------------------------------------------------------- */

static void set_in_update(void)
{
	aclrtStream s = make_stream();
	aclrtTaskGrp g;

	model_of_group(s, &g);
	update_begin(s, g);
	if (bug)
		set(s, 507009);
	update_end(s);
	set(s, 0);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void update_of_destroyed(void)
{
	aclrtStream s = make_stream();
	aclrtTaskGrp g;
	aclmdlRI m = model_of_group(s, &g);

	if (bug)
		CALL(aclmdlRIDestroy, .modelRI = m);
	CALL_FAILS(bug ? 107017 : 0, aclmdlRICaptureTaskUpdateBegin, .stream = s, .handle = g);
	if (!bug)
		update_end(s);
}

static void update_twice(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	aclrtTaskGrp g;

	model_of_group(s, &g);
	update_begin(s, g);
	if (!bug)
		update_end(s);
	CALL_FAILS(bug ? 107033 : 0, aclmdlRICaptureTaskUpdateBegin, .stream = other, .handle = g);
	update_end(bug ? s : other);
}

static void destroyed_in_update(void)
{
	aclrtStream s = make_stream(), u = make_stream();
	aclrtTaskGrp g;

	model_of_group(s, &g);
	update_begin(u, g);
	if (!bug)
		update_end(u);
	CALL(aclrtDestroyStream, .stream = u);
}

static void executed_in_update(void)
{
	aclrtStream s = make_stream(), u = make_stream();
	aclrtTaskGrp g, h;
	aclmdlRI m = model_of_group(s, &g);

	model_of_group(s, &h);
	update_begin(u, g);
	if (!bug) {
		update_end(u);
		CALL(aclrtSynchronizeStream, .stream = u);
	}
	CALL(aclmdlRIExecuteAsync, .modelRI = m, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
	if (bug)
		update_end(u);
}

static void model_destroyed_in_update(void)
{
	aclrtStream s = make_stream(), u = make_stream();
	aclrtTaskGrp g;
	aclmdlRI m = model_of_group(s, &g);

	update_begin(u, g);
	if (!bug) {
		update_end(u);
		CALL(aclrtSynchronizeStream, .stream = u);
	}
	CALL(aclmdlRIDestroy, .modelRI = m);
}

/* --- conditions --------------------------------------------------------------------------------- */

/* The parent's capture and the model of its condition. */
static aclmdlRI condition(aclrtStream s, aclmdlRI *parent)
{
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
	aclmdlRICondHandle h = NULL;
	aclmdlRI m = NULL, sub[1] = {NULL};

	capture_begin(s);
	CALL_DOES(
		aclmdlRICaptureGetInfo, 0, m = make_address(), .stream = s, .status = &status, .modelRI = &m);
	CALL_DOES(aclmdlRICondHandleCreate, 0, h = make_address(), .modelRI = m, .flag = 1, .handle = &h);
	CALL_DOES(aclmdlRIAddCondTask, 0, sub[0] = make_address(),
		.params = {.handle = h, .type = ACL_MODEL_RI_COND_TYPE_IF, .size = 1, .modelRIArray = sub},
		.stream = s);
	*parent = m;
	return sub[0];
}

static void condition_left_empty(void)
{
	aclrtStream s = make_stream(), inner = make_stream();
	aclmdlRI m, sub = condition(s, &m), out = NULL;

	if (!bug) {
		CALL(aclmdlRICaptureToModelRIBegin, .stream = inner, .modelRI = sub, .mode = RELAXED);
		CALL(aclmdlRICaptureEnd, .stream = inner, .modelRI = NULL);
	}
	CALL_DOES(aclmdlRICaptureEnd, bug ? 107045 : 0, out = bug ? NULL : m, .stream = s, .modelRI = &out);
}

static void captured_into_twice(void)
{
	aclrtStream s = make_stream(), inner = make_stream();
	aclmdlRI m, sub = condition(s, &m), out = NULL;

	CALL(aclmdlRICaptureToModelRIBegin, .stream = inner, .modelRI = sub, .mode = RELAXED);
	CALL(aclmdlRICaptureEnd, .stream = inner, .modelRI = NULL);
	if (bug)
		CALL_FAILS(107026, aclmdlRICaptureToModelRIBegin, .stream = inner, .modelRI = sub,
			.mode = RELAXED);
	CALL_DOES(aclmdlRICaptureEnd, 0, out = m, .stream = s, .modelRI = &out);
}

static void captured_into_root(void)
{
	aclrtStream s = make_stream(), inner = make_stream();
	aclmdlRI m, sub = condition(s, &m), out = NULL;

	if (bug)
		CALL_FAILS(107000, aclmdlRICaptureToModelRIBegin, .stream = inner, .modelRI = m,
			.mode = RELAXED);
	CALL(aclmdlRICaptureToModelRIBegin, .stream = inner, .modelRI = sub, .mode = RELAXED);
	CALL(aclmdlRICaptureEnd, .stream = inner, .modelRI = NULL);
	CALL_DOES(aclmdlRICaptureEnd, 0, out = m, .stream = s, .modelRI = &out);
}

/* --- streams and contexts of models ---------------------------------------------------------------- */

static aclrtStream bound_stream(aclmdlRI *m)
{
	aclrtStream s = make_stream_flags(ACL_STREAM_PERSISTENT);

	CALL_DOES(aclmdlRIBuildBegin, 0, *m = make_address(), .modelRI = m);
	CALL(aclmdlRIBindStream, .modelRI = *m, .stream = s);
	return s;
}

static void build(aclmdlRI m, aclrtStream s)
{
	CALL(aclmdlRIEndTask, .modelRI = m, .stream = s);
	CALL(aclmdlRIBuildEnd, .modelRI = m);
}

static void tasks_of_captured_stream(void)
{
	aclrtStream s = make_stream(), bound;
	aclmdlRI m = NULL;
	uint32_t n = 0;

	bound = bound_stream(&m);
	set(bound, 0);
	build(m, bound);
	capture_begin(s);
	set(s, 0);
	capture_end(s);
	CALL_DOES(
		aclmdlRIGetTasksByStream, bug ? 107000 : 0, n = 1, .stream = bug ? s : bound, .numTasks = &n);
}

static void record_after_build(void)
{
	aclrtEvent e = make_event_flag(ACL_EVENT_SYNC);
	aclmdlRI m = NULL;
	aclrtStream s = bound_stream(&m);

	set(s, 0);
	if (!bug)
		CALL_EACH(0, ROLE(EVENT, e), ROLE(STREAM, s));
	build(m, s);
	if (bug)
		CALL_EACH(0, ROLE(EVENT, e), ROLE(STREAM, s));
}

static void task_after_build(void)
{
	aclrtStream s, other = make_stream();
	aclmdlRI m = NULL;

	s = bound_stream(&m);
	set(s, 0);
	build(m, s);
	set(bug ? s : other, 0);
	if (!bug) {
		aclrtStream next = bound_stream(&m);

		set(next, 0);
	}
	CALL(aclrtSynchronizeStream, .stream = other);
}

static void destroyed_elsewhere(void)
{
	aclrtContext one = make_context();
	aclrtStream s = make_stream();
	aclmdlRI m;

	capture_begin(s);
	m = capture_end(s);
	make_context();
	if (!bug)
		CALL(aclrtSetCurrentContext, .context = one);
	CALL_FAILS(bug ? 107004 : 0, aclmdlRIDestroy, .modelRI = m);
}

static void executed_elsewhere(void)
{
	aclrtContext one = make_context(), two;
	aclrtStream s = make_stream(), t;
	aclmdlRI m;

	capture_begin(s);
	m = capture_end(s);
	two = make_context();
	t = make_stream();
	if (!bug)
		CALL(aclrtSetCurrentContext, .context = one);
	CALL_FAILS(bug ? 107004 : 0, aclmdlRIExecuteAsync, .modelRI = m, .stream = bug ? t : s);
	CALL(aclrtSetCurrentContext, .context = two);
	CALL(aclrtDestroyStream, .stream = t);
	CALL(aclrtSetCurrentContext, .context = one);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclmdlRIDestroy, .modelRI = m);
	CALL(aclrtDestroyStream, .stream = s);
	CALL(aclrtDestroyContext, .context = one);
	CALL(aclrtDestroyContext, .context = two);
}

static aclrtTaskUpdateInfo info;

static void updated_by_captured(void)
{
	aclrtStream s = make_stream(), bound;
	aclmdlRI m = NULL;

	bound = bound_stream(&m);
	set(bound, 0);
	build(m, bound);
	if (bug)
		capture_begin(s);
	CALL_FAILS(bug ? 107027 : 0, aclrtTaskUpdateAsync, .taskStream = bound, .taskId = 1, .info = &info,
		.execStream = s);
	if (bug)
		capture_end(s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static aclmdlRITaskParams record = {.type = ACL_MODEL_RI_TASK_EVENT_RECORD};
static aclmdlRITaskParams kernel = {.type = ACL_MODEL_RI_TASK_KERNEL};

static const struct pair pairs[] = {
	PAIR("taskgrp-open-at-end", open_at_end),
	PAIR("taskgrp-interrupted", interrupted),
	PAIR("taskgrp-interrupted", interrupted_behind_a_group),
	PAIR("taskgrp-interrupted", interrupted_by_a_group),
	PAIR("taskgrp-unsupported-task", set_in_group),
	PAIR("taskupd-wrong-task-type", set_in_update),
	PAIR("taskupd-handle-after-destroy", update_of_destroyed),
	PAIR("taskupd-concurrent", update_twice),
	PAIR("taskupd-left-open", destroyed_in_update),
	PAIR("taskupd-left-open", executed_in_update),
	PAIR("taskupd-left-open", model_destroyed_in_update),
	PAIR("cond-submodel-not-captured", condition_left_empty),
	PAIR("cond-capture-to-nonsub", captured_into_twice),
	PAIR("cond-capture-to-nonsub", captured_into_root),
	PAIR("mdlri-gettasks-unrelated-stream", tasks_of_captured_stream),
	PAIR("mdlri-task-after-buildend", task_after_build),
	PAIR_EACH("mdlri-task-after-buildend", record_after_build, RECORD_EVENT),
	PAIR("mdlri-wrong-context", executed_elsewhere),
	PAIR("mdlri-wrong-context", destroyed_elsewhere),
	PAIR("capture-taskupdateasync", updated_by_captured),
	PAIR_CALL("mdlri-task-setparams-type", aclmdlRITaskSetParams, (.task = HANDLE, .params = &record),
		(.task = HANDLE, .params = &kernel)),
};

PAIRS_MAIN("group rules", pairs)
