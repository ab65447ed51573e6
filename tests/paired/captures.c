/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about captures: begin and end, their events, task groups and updates. */
#include "paired.h"

#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED

/* --- begin and end -------------------------------------------------------------------------- */

static void begun_twice(void)
{
	aclrtStream s = make_stream(), other = make_stream();

	capture_begin(s);
	CALL_FAILS(bug ? 107027 : 0, aclmdlRICaptureBegin, .stream = bug ? s : other, .mode = RELAXED);
	capture_end(s);
	if (!bug)
		capture_end(other);
	/* After its end a stream is captured again. */
	capture_begin(s);
	capture_end(s);
}

static void begun_on_joined(void)
{
	aclrtStream s = make_stream(), other = make_stream();

	capture_begin(s);
	capture_join(s, other);
	if (!bug) {
		capture_join(other, s);
		capture_end(s);
	}
	CALL_FAILS(bug ? 107027 : 0, aclmdlRICaptureBegin, .stream = other, .mode = RELAXED);
	if (bug)
		capture_join(other, s);
	capture_end(bug ? s : other);
}

static void ended_twice(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = NULL;

	capture_begin(s);
	capture_end(s);
	/* The capture of a stream from elsewhere may have been begun elsewhere. */
	CALL_FAILS(107029, aclmdlRICaptureEnd, .stream = bug ? s : (void *)heap_memory, .modelRI = &m);
}

/* What a failed begin leaves behind is not known. */
static void ended_after_failed_begin(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	aclmdlRI m = NULL;

	CALL_FAILS(507899, aclmdlRICaptureBegin, .stream = s, .mode = RELAXED);
	CALL_FAILS(107029, aclmdlRICaptureEnd, .stream = s, .modelRI = &m);
	capture_begin(s);
	capture_end(s);
	capture_begin(other);
	CALL_DOES(aclmdlRICaptureEnd, bug ? 107029 : 0, m = make_address(), .stream = bug ? s : other,
		.modelRI = &m);
	if (bug)
		capture_end(other);
}

/* So does an end that fails for a reason of its own. */
static void begun_after_failed_end(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	aclmdlRI m = NULL;

	capture_begin(s);
	CALL_FAILS(507899, aclmdlRICaptureEnd, .stream = s, .modelRI = &m);
	CALL_FAILS(107029, aclmdlRICaptureEnd, .stream = s, .modelRI = &m);
	capture_begin(s);
	CALL_FAILS(bug ? 107027 : 0, aclmdlRICaptureBegin, .stream = bug ? s : other, .mode = RELAXED);
	capture_end(s);
	if (!bug)
		capture_end(other);
}

static void ended_without_place(void)
{
	aclrtStream s = make_stream();

	capture_begin(s);
	if (bug)
		CALL_FAILS(107000, aclmdlRICaptureEnd, .stream = s, .modelRI = NULL);
	capture_end(s);
}

static void ended_on_joined(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	aclmdlRI m = NULL;

	capture_begin(s);
	capture_join(s, other);
	capture_join(other, s);
	if (bug)
		CALL_FAILS(107036, aclmdlRICaptureEnd, .stream = other, .modelRI = &m);
	capture_end(s);
}

static void ended_by_other(void)
{
	aclrtStream s = make_stream(), free = make_stream();
	aclmdlRI m = NULL;

	CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL);
	capture_begin(free);
	pair_thread(bug ? 1 : 0);
	CALL_DOES(aclmdlRICaptureEnd, bug ? 107038 : 0, m = bug ? NULL : make_address(), .stream = s,
		.modelRI = &m);
	/* A RELAXED one ends anywhere. */
	pair_thread(1);
	capture_end(free);
	pair_thread(0);
}

static void begun_on_device_stream(void)
{
	aclrtStream s = make_stream_flags(bug ? ACL_STREAM_DEVICE_USE_ONLY : ACL_STREAM_FAST_LAUNCH);

	CALL_FAILS(bug ? 507000 : 0, aclmdlRICaptureBegin, .stream = s, .mode = RELAXED);
	if (!bug)
		capture_end(s);
}

/* The flags stand in a description of the stream. */
static void begun_on_described_stream(void)
{
	aclrtStreamConfigHandle description = {
		.flag = bug ? ACL_STREAM_DEVICE_USE_ONLY : ACL_STREAM_FAST_LAUNCH};
	aclrtStream s = NULL;

	CALL_DOES(aclrtCreateStreamV2, 0, s = make_address(), .stream = &s, .handle = &description);
	CALL_FAILS(bug ? 507000 : 0, aclmdlRICaptureBegin, .stream = s, .mode = RELAXED);
	if (!bug)
		capture_end(s);
}

static void joined_device_stream(void)
{
	aclrtStream s = make_stream(),
		    other = make_stream_flags(bug ? ACL_STREAM_CPU_SCHEDULE : ACL_STREAM_FAST_LAUNCH);
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);

	capture_begin(s);
	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL_EACH(bug ? 507000 : 0, ROLE(STREAM, other), ROLE(EVENT, e));
	if (!bug)
		capture_join(other, s);
	capture_end(s);
}

/* What the other products take, Ascend 950 does not. */
static void begun_on_persistent(void)
{
	aclrtStream s = make_stream_flags(bug ? ACL_STREAM_PERSISTENT : 0);

	CALL_FAILS(bug ? 507000 : 0, aclmdlRICaptureBegin, .stream = s, .mode = RELAXED);
	if (!bug)
		capture_end(s);
}

static void executed_in_capture(void)
{
	aclrtStream s = make_stream(), idle = make_stream();
	aclmdlRI m;

	capture_begin(s);
	m = capture_end(s);
	capture_begin(s);
	CALL_FAILS(bug ? 107027 : 0, aclmdlRIExecuteAsync, .modelRI = m, .stream = bug ? s : idle);
	capture_end(s);
	CALL(aclrtSynchronizeStream, .stream = idle);
}

static void destroyed_in_capture(void)
{
	aclrtStream s = make_stream(), other = make_stream();

	capture_begin(s);
	CALL_FAILS(bug ? 107027 : 0, aclrtDestroyStream, .stream = bug ? s : other);
	capture_end(s);
	CALL(aclrtDestroyStream, .stream = s);
}

/* --- events ------------------------------------------------------------------------------------ */

static void plain_event(void)
{
	aclrtEvent e = bug ? make_event() : make_event_ex(ACL_EVENT_SYNC);
	aclrtStream s = make_stream();

	capture_begin(s);
	CALL_EACH(bug ? 207000 : 0, ROLE(EVENT, e), ROLE(STREAM, s));
	capture_end(s);
	CALL(aclrtDestroyEvent, .event = e);
}

static void flagged_event(void)
{
	aclrtEvent e = make_event_flag(bug ? ACL_EVENT_SYNC : ACL_EVENT_EXTERNAL);
	aclrtStream s = make_stream(), idle = make_stream();

	CALL(aclrtRecordEvent, .event = e, .stream = idle);
	capture_begin(s);
	CALL_EACH(bug ? 207000 : 0, ROLE(STREAM, s), ROLE(EVENT, e));
	capture_end(s);
	CALL(aclrtSynchronizeStream, .stream = idle);
}

static void ipc_event(void)
{
	aclrtEvent e = make_event_ex(bug ? ACL_EVENT_IPC : ACL_EVENT_SYNC),
		   ipc = make_event_ex(ACL_EVENT_IPC);
	aclrtStream s = make_stream(), idle = make_stream();

	capture_begin(s);
	CALL_EACH(bug ? 207000 : 0, ROLE(EVENT, e), ROLE(STREAM, s));
	CALL(aclrtRecordEvent, .event = ipc, .stream = idle);
	capture_end(s);
	CALL(aclrtSynchronizeStream, .stream = idle);
}

static void reset_in_capture(void)
{
	aclrtEvent e = bug ? make_event_ex(ACL_EVENT_SYNC) : make_event_flag(ACL_EVENT_EXTERNAL);
	aclrtStream s = make_stream();

	capture_begin(s);
	if (!bug)
		CALL(aclrtStreamWaitEvent, .stream = s, .event = e);
	CALL_FAILS(bug ? 207000 : 0, aclrtResetEvent, .event = e, .stream = s);
	capture_end(s);
}

static void external_event_on_host(void)
{
	aclrtEvent external = make_event_flag(ACL_EVENT_EXTERNAL), e = make_event_flag(ACL_EVENT_SYNC);
	aclrtStream s = make_stream();
	aclrtEvent asked = bug ? external : e;

	CALL(aclrtRecordEvent, .event = asked, .stream = s);
	CALL_FAILS(bug ? 207000 : 0, aclrtSynchronizeEvent, .event = asked);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void external_event_timed(void)
{
	uint32_t flags = bug ? ACL_EVENT_EXTERNAL : ACL_EVENT_TIME_LINE;
	aclrtEvent start = make_event_flag(flags), stop = make_event_flag(flags);
	aclrtEvent other = make_event_flag(ACL_EVENT_EXTERNAL);
	aclrtStream s = make_stream();
	float ms;

	CALL(aclrtRecordEvent, .event = start, .stream = s);
	CALL(aclrtRecordEvent, .event = stop, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL_FAILS(bug ? 207000 : 0, aclrtEventElapsedTime, .ms = &ms, .startEvent = start, .endEvent = stop);
	CALL(aclrtDestroyEvent, .event = other);
}

static void external_outside(void)
{
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	aclrtStream s = make_stream();

	if (!bug)
		capture_begin(s);
	CALL_FAILS(bug ? 107029 : 0, aclrtRecordEventWithFlag, .event = e, .stream = s,
		.flag = ACL_EVENT_RECORD_EXTERNAL);
	if (!bug)
		capture_end(s);
	CALL(aclrtRecordEventWithFlag, .event = make_event_ex(ACL_EVENT_SYNC), .stream = s, .flag = 0);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void external_of_other_kind(void)
{
	aclrtEvent e = make_event_ex(bug ? ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE : ACL_EVENT_SYNC);
	aclrtStream s = make_stream();

	capture_begin(s);
	CALL_FAILS(bug ? 207000 : 0, aclrtStreamWaitEventWithFlag, .stream = s, .event = e,
		.flag = ACL_EVENT_WAIT_EXTERNAL);
	capture_end(s);
}

/* --- task groups ----------------------------------------------------------------------------------- */

static aclrtTaskGrp group_end(aclrtStream s)
{
	aclrtTaskGrp g = NULL;

	CALL_DOES(aclmdlRICaptureTaskGrpEnd, 0, g = make_address(), .stream = s, .handle = &g);
	return g;
}

static void launch(aclrtStream s)
{
	aclrtFuncHandle f = make_function();
	CALL(aclrtLaunchKernelV2, .funcHandle = f, .numBlocks = 1, .argsData = DEVICE, .argsSize = 64,
		.stream = s);
}

/* A group of one kernel, in a model of its own. */
static aclrtTaskGrp make_group(aclrtStream s)
{
	aclrtTaskGrp g;

	capture_begin(s);
	CALL(aclmdlRICaptureTaskGrpBegin, .stream = s);
	launch(s);
	g = group_end(s);
	capture_end(s);
	return g;
}

static void group_outside(void)
{
	aclrtStream s = make_stream();

	if (!bug)
		capture_begin(s);
	CALL_FAILS(bug ? 107029 : 0, aclmdlRICaptureTaskGrpBegin, .stream = s);
	if (bug)
		return;
	group_end(s);
	capture_end(s);
}

static void group_twice(void)
{
	aclrtStream s = make_stream();

	capture_begin(s);
	CALL(aclmdlRICaptureTaskGrpBegin, .stream = s);
	if (!bug)
		group_end(s);
	CALL_FAILS(bug ? 107033 : 0, aclmdlRICaptureTaskGrpBegin, .stream = s);
	group_end(s);
	capture_end(s);
	capture_begin(s);
	CALL(aclmdlRICaptureTaskGrpBegin, .stream = s);
	group_end(s);
	capture_end(s);
}

static void group_ended_elsewhere(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	aclrtTaskGrp g = NULL;

	capture_begin(s);
	capture_join(s, other);
	CALL(aclmdlRICaptureTaskGrpBegin, .stream = s);
	if (bug)
		CALL_FAILS(107033, aclmdlRICaptureTaskGrpEnd, .stream = other, .handle = &g);
	group_end(s);
	capture_join(other, s);
	capture_end(s);
}

static void update_in_capture(void)
{
	aclrtStream s = make_stream(), idle = make_stream();
	aclrtTaskGrp g = make_group(s);

	capture_begin(s);
	CALL_FAILS(bug ? 107027 : 0, aclmdlRICaptureTaskUpdateBegin, .stream = bug ? s : idle, .handle = g);
	if (!bug) {
		launch(idle);
		CALL(aclmdlRICaptureTaskUpdateEnd, .stream = idle);
	}
	capture_end(s);
}

static void update_on_stream_of_model(void)
{
	aclrtStream s = make_stream(), bound = make_stream_flags(ACL_STREAM_PERSISTENT);
	aclrtTaskGrp g = make_group(s);
	aclmdlRI m = NULL;

	CALL_DOES(aclmdlRIBuildBegin, 0, m = make_address(), .modelRI = &m);
	CALL(aclmdlRIBindStream, .modelRI = m, .stream = bound);
	CALL_FAILS(bug ? 107005 : 0, aclmdlRICaptureTaskUpdateBegin, .stream = bug ? bound : s, .handle = g);
	if (bug)
		return;
	launch(s);
	CALL(aclmdlRICaptureTaskUpdateEnd, .stream = s);
}

static void update_unbegun(void)
{
	aclrtStream s = make_stream();
	aclrtTaskGrp g = make_group(s);

	if (!bug) {
		CALL(aclmdlRICaptureTaskUpdateBegin, .stream = s, .handle = g);
		launch(s);
	}
	CALL_FAILS(bug ? 107033 : 0, aclmdlRICaptureTaskUpdateEnd, .stream = s);
}

/* After an end that failed it is unknown whether the update is still open. */
static void update_end_failed(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	aclrtTaskGrp g = make_group(s);

	CALL(aclmdlRICaptureTaskUpdateBegin, .stream = s, .handle = g);
	launch(s);
	CALL_FAILS(507899, aclmdlRICaptureTaskUpdateEnd, .stream = s);
	CALL_FAILS(107033, aclmdlRICaptureTaskUpdateEnd, .stream = s);
	if (!bug) {
		CALL(aclmdlRICaptureTaskUpdateBegin, .stream = other, .handle = g);
		launch(other);
	}
	CALL_FAILS(bug ? 107033 : 0, aclmdlRICaptureTaskUpdateEnd, .stream = other);
}

static const struct pair pairs[] = {
	PAIR("capture-begin-twice", begun_twice),
	PAIR("capture-begin-twice", begun_on_joined),
	PAIR("capture-end-not-capturing", ended_twice),
	PAIR("capture-end-not-capturing", ended_after_failed_begin),
	PAIR("capture-begin-twice", begun_after_failed_end),
	PAIR("capture-end-null-model", ended_without_place),
	PAIR("capture-end-wrong-stream", ended_on_joined),
	PAIR("capture-end-wrong-thread", ended_by_other),
	PAIR("capture-begin-bad-stream-flag", begun_on_device_stream),
	PAIR("capture-begin-bad-stream-flag", begun_on_described_stream),
	PAIR_EACH("capture-begin-bad-stream-flag", joined_device_stream, WAIT_EVENT),
	PAIR_WITH("capture-begin-bad-stream-flag", begun_on_persistent, .soc = "Ascend950"),
	PAIR("capture-execute-on-capturing-stream", executed_in_capture),
	PAIR("capture-destroy-stream", destroyed_in_capture),
	PAIR_EACH("capture-event-wrong-constructor", plain_event, RECORD_EVENT),
	PAIR_EACH("capture-event-wrong-constructor", flagged_event, WAIT_EVENT),
	PAIR_EACH("capture-ipc-event", ipc_event, RECORD_EVENT),
	PAIR("capture-reset-event", reset_in_capture),
	PAIR("capture-external-event-host-query", external_event_on_host),
	PAIR("capture-external-event-host-query", external_event_timed),
	PAIR("capture-external-flag-not-capturing", external_outside),
	PAIR("capture-external-flag-bad-event", external_of_other_kind),
	PAIR("taskgrp-begin-not-capturing", group_outside),
	PAIR("taskgrp-begin-twice", group_twice),
	PAIR("taskgrp-end-unmatched", group_ended_elsewhere),
	PAIR("taskupd-begin-capturing", update_in_capture),
	PAIR("taskupd-begin-capturing", update_on_stream_of_model),
	PAIR("taskupd-end-unmatched", update_unbegun),
	PAIR("taskupd-end-unmatched", update_end_failed),
};

PAIRS_MAIN("capture rules", pairs)
