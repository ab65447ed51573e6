/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about models and the streams bound to them. */
#include "paired.h"

static aclmdlRI begin_build(void)
{
	aclmdlRI m = NULL;

	CALL_DOES(aclmdlRIBuildBegin, 0, m = make_address(), .modelRI = &m);
	return m;
}

static aclrtStream bound_stream(aclmdlRI m)
{
	aclrtStream s = make_stream_flags(ACL_STREAM_PERSISTENT);

	CALL(aclmdlRIBindStream, .modelRI = m, .stream = s);
	return s;
}

static aclmdlRI build(void)
{
	aclmdlRI m = begin_build();
	aclrtStream s = bound_stream(m);

	CALL(aclmdlRIEndTask, .modelRI = m, .stream = s);
	CALL(aclmdlRIBuildEnd, .modelRI = m);
	return m;
}

static aclmdlRI capture(void)
{
	aclrtStream s = make_stream();

	capture_begin(s);
	return capture_end(s);
}

/* --- building --------------------------------------------------------------------------- */

static void end_build_of_captured(void)
{
	CALL(aclmdlRIBuildEnd, .modelRI = bug ? capture() : ({
		aclmdlRI m = begin_build();

		CALL(aclmdlRIEndTask, .modelRI = m, .stream = bound_stream(m));
		m;
	}));
}

static void end_build_without_stream(void)
{
	aclmdlRI m = begin_build();

	if (!bug)
		CALL(aclmdlRIEndTask, .modelRI = m, .stream = bound_stream(m));
	CALL(aclmdlRIBuildEnd, .modelRI = m);
}

static void end_build_without_end_task(void)
{
	aclmdlRI m = begin_build();
	aclrtStream s = bound_stream(m);

	if (!bug)
		CALL(aclmdlRIEndTask, .modelRI = m, .stream = s);
	CALL_FAILS(bug ? 507000 : 0, aclmdlRIBuildEnd, .modelRI = m);
}

static void end_task_of_unbound_stream(void)
{
	aclmdlRI m = begin_build();
	aclrtStream s = bound_stream(m), other = make_stream_flags(ACL_STREAM_PERSISTENT);

	if (!bug)
		CALL(aclmdlRIBindStream, .modelRI = m, .stream = other);
	CALL_FAILS(bug ? 507000 : 0, aclmdlRIEndTask, .modelRI = m, .stream = other);
	CALL(aclmdlRIEndTask, .modelRI = m, .stream = s);
	CALL(aclmdlRIBuildEnd, .modelRI = m);
}

static void execute_unbuilt(void)
{
	aclmdlRI m = bug ? begin_build() : build();

	CALL(aclmdlRIExecute, .modelRI = m, .timeout = 1000);
}

static void bind_plain_stream(void)
{
	aclmdlRI m = begin_build();
	aclrtStream s = bug ? make_stream() : make_stream_flags(ACL_STREAM_PERSISTENT);

	CALL_FAILS(bug ? 107000 : 0, aclmdlRIBindStream, .modelRI = m, .stream = s);
}

static void bind_twice(void)
{
	aclmdlRI m = begin_build(), n = begin_build();
	aclrtStream s = bound_stream(m);

	if (!bug)
		CALL(aclmdlRIUnbindStream, .modelRI = m, .stream = s);
	CALL_FAILS(bug ? 107000 : 0, aclmdlRIBindStream, .modelRI = n, .stream = s);
}

static void unbind_other(void)
{
	aclmdlRI m = begin_build(), n = begin_build();
	aclrtStream s = bound_stream(m);

	CALL_FAILS(bug ? 107005 : 0, aclmdlRIUnbindStream, .modelRI = bug ? n : m, .stream = s);
}

static void bind_stopping(void)
{
	aclmdlRI m = begin_build();
	aclrtStream s = make_stream_flags(ACL_STREAM_PERSISTENT);

	if (bug)
		CALL(aclrtSetStreamFailureMode, .stream = s, .mode = ACL_STOP_ON_FAILURE);
	CALL_FAILS(bug ? 207000 : 0, aclmdlRIBindStream, .modelRI = m, .stream = s);
}

static void bind_captured(void)
{
	aclmdlRI m = begin_build();
	aclrtStream s = make_stream_flags(ACL_STREAM_PERSISTENT), t = make_stream();

	capture_begin(bug ? s : t);
	CALL_FAILS(bug ? 107027 : 0, aclmdlRIBindStream, .modelRI = m, .stream = s);
	capture_end(bug ? s : t);
}

static void unbind_running(void)
{
	aclrtStream s, on = make_stream();
	aclmdlRI m = begin_build();

	s = bound_stream(m);
	CALL(aclmdlRIEndTask, .modelRI = m, .stream = s);
	CALL(aclmdlRIBuildEnd, .modelRI = m);
	make_busy(on);
	CALL(aclmdlRIExecuteAsync, .modelRI = m, .stream = on);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = on);
	CALL_FAILS(bug ? 107005 : 0, aclmdlRIUnbindStream, .modelRI = m, .stream = s);
	if (bug)
		CALL(aclrtSynchronizeStream, .stream = on);
}

static void abort_persistent(void)
{
	aclrtStream s = bug ? make_stream_flags(ACL_STREAM_PERSISTENT) : make_stream();

	CALL_FAILS(bug ? 507000 : 0, aclrtStreamAbort, .stream = s);
}

/* --- running ------------------------------------------------------------------------------ */

static void execute_captured(void)
{
	aclmdlRI m = bug ? capture() : build();

	CALL_FAILS(bug ? 107000 : 0, aclmdlRIExecute, .modelRI = m, .timeout = 1000);
}

static void execute_on_bound(void)
{
	aclmdlRI m = build(), n = begin_build();
	aclrtStream s = bug ? bound_stream(n) : make_stream();

	CALL_FAILS(bug ? 107000 : 0, aclmdlRIExecuteAsync, .modelRI = m, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void abort_captured(void)
{
	CALL(aclmdlRIAbort, .modelRI = bug ? capture() : build());
}

static void update_built(void)
{
	CALL_FAILS(bug ? 107000 : 0, aclmdlRIUpdate, .modelRI = bug ? build() : capture());
}

/* --- streams of models ----------------------------------------------------------------------- */

static void destroy_bound(void)
{
	aclmdlRI m = begin_build();
	aclrtStream s = bound_stream(m);

	if (!bug)
		CALL(aclmdlRIDestroy, .modelRI = m);
	CALL_FAILS(bug ? 107005 : 0, aclrtDestroyStream, .stream = s);
}

static void destroy_default(void)
{
	aclrtStream s = NULL;

	if (bug)
		CALL_DOES(aclrtCtxGetCurrentDefaultStream, 0, s = make_address(), .stream = &s);
	else
		s = make_stream();
	CALL(aclrtDestroyStream, .stream = s);
}

static void abort_bound(void)
{
	aclmdlRI m = begin_build();
	aclrtStream s = bug ? bound_stream(m) : make_stream();

	CALL(aclrtStreamAbort, .stream = s);
}

static void capture_bound(void)
{
	aclmdlRI m = begin_build();
	aclrtStream s = bound_stream(m);

	if (!bug)
		CALL(aclmdlRIUnbindStream, .modelRI = m, .stream = s);
	CALL_FAILS(bug ? 107005 : 0, aclmdlRICaptureBegin, .stream = s,
		.mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	if (!bug)
		capture_end(s);
}

static void activate_unbound(void)
{
	aclmdlRI m = begin_build();
	aclrtStream s = bound_stream(m), t = bug ? make_stream() : bound_stream(m);

	CALL_FAILS(bug ? 107000 : 0, aclrtActiveStream, .activeStream = t, .stream = s);
}

static void switch_between(aclrtStream to, aclrtStream from)
{
	char *values = make_device_memory(4096);

	CALL(aclrtMemset, .devPtr = values, .maxCount = 4096, .count = 4096);
	CALL_FAILS(bug ? 107005 : 0, aclrtSwitchStream, .leftValue = values, .cond = ACL_RT_EQUAL,
		.rightValue = values + 64, .dataType = ACL_RT_SWITCH_INT32, .trueStream = to, .stream = from);
}

static void switch_to_unbound(void)
{
	aclmdlRI m = begin_build();
	aclrtStream s = bound_stream(m);

	switch_between(bug ? make_stream() : bound_stream(m), s);
}

static void switch_on_unbound(void)
{
	aclmdlRI m = begin_build();
	aclrtStream s = bound_stream(m);

	switch_between(s, bug ? make_stream() : bound_stream(m));
}

static void switch_by(const void *left, const void *right)
{
	aclmdlRI m = begin_build();
	aclrtStream s = bound_stream(m), t = bound_stream(m);

	CALL(aclrtSwitchStream, .leftValue = (void *)left, .cond = ACL_RT_EQUAL, .rightValue = (void *)right,
		.dataType = ACL_RT_SWITCH_INT32, .trueStream = t, .stream = s);
}

static void *compared_value(void)
{
	void *value = make_device_memory(4096);

	CALL(aclrtMemset, .devPtr = value, .maxCount = 4096, .count = 4096);
	return value;
}

static void switch_by_host_left(void)
{
	/* One after the other: in which order arguments are evaluated is the compiler's. */
	void *right = compared_value();

	switch_by(bug ? make_host_memory(4096) : compared_value(), right);
}

static void switch_by_host_right(void)
{
	switch_by(compared_value(), bug ? heap_memory : compared_value());
}

static void label_unbound(void)
{
	aclmdlRI m = begin_build();
	aclrtStream s = bug ? make_stream() : bound_stream(m);
	aclrtLabel l = NULL;

	CALL_DOES(aclrtCreateLabel, 0, l = make_address(), .label = &l);
	CALL(aclrtCreateLabelList, .labels = &l, .num = 1, .labelList = OUT);
	CALL_FAILS(bug ? 107005 : 0, aclrtSetLabel, .label = l, .stream = s);
}

static void barrier_unbound(void)
{
	aclmdlRI m = begin_build();
	aclrtStream s = bug ? make_stream() : bound_stream(m);
	void *d = make_device_memory(4096);

	CALL(aclrtCmoAsyncWithBarrier, .src = d, .size = 4096, .cmoType = ACL_RT_CMO_TYPE_INVALID,
		.barrierId = 1, .stream = s);
}

static void clean_plain(void)
{
	aclmdlRI m = begin_build();
	aclrtStream s = bug ? make_stream() : bound_stream(m);

	if (!bug) {
		CALL(aclmdlRIEndTask, .modelRI = m, .stream = s);
		CALL(aclmdlRIBuildEnd, .modelRI = m);
	}
	CALL_FAILS(bug ? 107000 : 0, aclrtPersistentTaskClean, .stream = s);
}

static void clean_unbuilt(void)
{
	aclmdlRI m = begin_build();
	aclrtStream s = bound_stream(m);

	CALL(aclmdlRIEndTask, .modelRI = m, .stream = s);
	if (!bug)
		CALL(aclmdlRIBuildEnd, .modelRI = m);
	CALL_FAILS(bug ? 507000 : 0, aclrtPersistentTaskClean, .stream = s);
}

static void clean_unbound(void)
{
	aclmdlRI m = begin_build();
	aclrtStream s = bug ? make_stream_flags(ACL_STREAM_PERSISTENT) : bound_stream(m);

	if (!bug) {
		CALL(aclmdlRIEndTask, .modelRI = m, .stream = s);
		CALL(aclmdlRIBuildEnd, .modelRI = m);
	}
	CALL_FAILS(bug ? 107000 : 0, aclrtPersistentTaskClean, .stream = s);
}

static void clean_scheduled(void)
{
	aclmdlRI m = begin_build();
	aclrtStream s = make_stream_flags(ACL_STREAM_PERSISTENT | (bug ? ACL_STREAM_CPU_SCHEDULE : 0));

	CALL(aclmdlRIBindStream, .modelRI = m, .stream = s);
	CALL(aclmdlRIEndTask, .modelRI = m, .stream = s);
	CALL(aclmdlRIBuildEnd, .modelRI = m);
	CALL_FAILS(bug ? 107000 : 0, aclrtPersistentTaskClean, .stream = s);
}

static void event_ex_on_bound(void)
{
	aclmdlRI m = begin_build();
	aclrtStream s = bound_stream(m);
	aclrtEvent e = bug ? make_event_ex(ACL_EVENT_SYNC) : make_event_flag(ACL_EVENT_SYNC);

	CALL_EACH(bug ? 207000 : 0, ROLE(EVENT, e), ROLE(STREAM, s));
}

static void wait_ex_on_bound(void)
{
	aclmdlRI m = begin_build();
	aclrtStream s = bound_stream(m), idle = make_stream();
	aclrtEvent e = bug ? make_event_ex(ACL_EVENT_SYNC) : make_event_flag(ACL_EVENT_SYNC);

	CALL(aclrtRecordEvent, .event = e, .stream = idle);
	CALL_EACH(bug ? 207000 : 0, ROLE(STREAM, s), ROLE(EVENT, e));
	CALL(aclrtSynchronizeStream, .stream = idle);
}

static const struct pair pairs[] = {
	PAIR("mdlri-capture-model-in-build-api", end_build_of_captured),
	PAIR("mdlri-build-order", end_build_without_stream),
	PAIR("mdlri-build-order", end_build_without_end_task),
	PAIR("mdlri-build-order", end_task_of_unbound_stream),
	PAIR("mdlri-build-order", execute_unbuilt),
	PAIR("mdlri-bind-bad-stream", bind_plain_stream),
	PAIR("mdlri-bind-bad-stream", bind_twice),
	PAIR("mdlri-bind-bad-stream", bind_stopping),
	PAIR("mdlri-bind-bad-stream", bind_captured),
	PAIR("mdlri-unbind-mismatch", unbind_other),
	PAIR("mdlri-unbind-mismatch", unbind_running),
	PAIR_WITH("stream-abort-bound", abort_persistent, .soc = "Ascend950"),
	PAIR("mdlri-sync-execute-captured", execute_captured),
	PAIR("mdlri-execute-on-model-stream", execute_on_bound),
	PAIR("mdlri-abort-captured", abort_captured),
	PAIR("mdlri-update-noncapture", update_built),
	PAIR("stream-bound-to-model-destroy", destroy_bound),
	PAIR("stream-destroy-default", destroy_default),
	PAIR("stream-abort-bound", abort_bound),
	PAIR("capture-begin-bound-stream", capture_bound),
	PAIR("stream-active-not-model-bound", activate_unbound),
	PAIR("stream-active-not-model-bound", switch_to_unbound),
	PAIR("stream-active-not-model-bound", switch_on_unbound),
	PAIR("stream-active-not-model-bound", switch_by_host_left),
	PAIR("stream-active-not-model-bound", switch_by_host_right),
	PAIR("label-stream-not-bound", label_unbound),
	PAIR_WITH("cmo-barrier-stream", barrier_unbound, .soc = "Ascend310B1"),
	PAIR("stream-persistent-clean-misuse", clean_plain),
	PAIR("stream-persistent-clean-misuse", clean_unbuilt),
	PAIR("stream-persistent-clean-misuse", clean_unbound),
	PAIR("stream-persistent-clean-misuse", clean_scheduled),
	PAIR_EACH("mdlri-event-ex-on-bound-stream", event_ex_on_bound, RECORD_EVENT),
	PAIR_EACH("mdlri-event-ex-on-bound-stream", wait_ex_on_bound, WAIT_EVENT),
};

PAIRS_MAIN("rules about models", pairs)
