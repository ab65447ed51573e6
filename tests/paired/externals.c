/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about what links captures: events from outside and of other captures, contexts, the end.
 */
#include "paired.h"

#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED

/* --- events --------------------------------------------------------------------------------- */

static void record_dropped(void)
{
	aclrtEvent e = make_event_ex(bug ? ACL_EVENT_TIME_LINE : ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
	aclrtEvent outside = make_event_ex(ACL_EVENT_TIME_LINE);
	aclrtStream s = make_stream(), idle = make_stream();

	capture_begin(s);
	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtRecordEvent, .event = outside, .stream = idle);
	capture_end(s);
	CALL(aclrtSynchronizeStream, .stream = idle);
}

static void event_of_other_capture(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	aclmdlRI m = NULL;

	capture_begin(s);
	capture_begin(other);
	CALL(aclrtRecordEvent, .event = e, .stream = bug ? other : s);
	CALL_FAILS(bug ? 107032 : 0, aclrtStreamWaitEvent, .stream = s, .event = e);
	if (!bug) {
		capture_end(s);
		capture_end(other);
		return;
	}
	CALL_FAILS(507903, aclmdlRICaptureEnd, .stream = s, .modelRI = &m);
	CALL_FAILS(507903, aclmdlRICaptureEnd, .stream = other, .modelRI = &m);
}

static void event_from_outside(void)
{
	aclrtStream s = make_stream(), idle = make_stream();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);

	CALL(aclrtRecordEvent, .event = e, .stream = idle);
	capture_begin(s);
	if (!bug)
		CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL_EACH(bug ? 107024 : 0, ROLE(STREAM, s), ROLE(EVENT, e));
	capture_end(s);
	CALL(aclrtSynchronizeStream, .stream = idle);
}

/* Recorded in the capture and again outside of it, an event stays captured. */
static void event_again_outside(void)
{
	aclrtStream s = make_stream(), idle = make_stream();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);

	capture_begin(s);
	if (!bug)
		CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtRecordEvent, .event = e, .stream = idle);
	CALL_FAILS(bug ? 107024 : 0, aclrtStreamWaitEvent, .stream = s, .event = e);
	capture_end(s);
	CALL(aclrtSynchronizeStream, .stream = idle);
}

static void event_unrecorded(void)
{
	aclrtStream s = make_stream();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);

	capture_begin(s);
	if (!bug)
		CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL_EACH(0, ROLE(STREAM, s), ROLE(EVENT, e));
	capture_end(s);
}

/* Of the two events of a time either counts. */
static void end_captured(void)
{
	uint32_t flags = ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE;
	aclrtEvent first = make_event_ex(flags), last = make_event_ex(flags), captured = make_event_ex(flags);
	aclrtStream s = make_stream(), idle = make_stream();

	CALL(aclrtRecordEvent, .event = first, .stream = idle);
	CALL(aclrtRecordEvent, .event = last, .stream = idle);
	CALL(aclrtSynchronizeStream, .stream = idle);
	capture_begin(s);
	CALL(aclrtRecordEvent, .event = captured, .stream = s);
	CALL_FAILS(bug ? 107028 : 0, aclrtEventElapsedTime, .ms = OUT, .startEvent = first,
		.endEvent = bug ? captured : last);
	capture_end(s);
}

/* A limit of the device concerns what any thread captures on it. */
static void limit_by_other_thread(void)
{
	aclrtStream s = make_stream();
	char *d = make_device_memory(4096);

	capture_begin(s);
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	pair_thread(1);
	CALL(aclrtSetDevice, .deviceId = bug ? 0 : 1);
	CALL(aclrtSetDeviceResLimit, .deviceId = bug ? 0 : 1, .type = ACL_RT_DEV_RES_CUBE_CORE, .value = 8);
	pair_thread(0);
	capture_end(s);
}

static void event_destroyed(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC), unused = make_event_ex(ACL_EVENT_SYNC);

	capture_begin(s);
	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtStreamWaitEvent, .stream = other, .event = e);
	CALL(aclrtDestroyEvent, .event = unused);
	if (bug)
		CALL(aclrtDestroyEvent, .event = e);
	capture_join(other, s);
	capture_end(s);
	if (!bug)
		CALL(aclrtDestroyEvent, .event = e);
}

/* --- *_EXTERNAL ------------------------------------------------------------------------------- */

/* Only before it is recorded is an event made one for external use. */
static aclrtEvent make_event_external(aclrtStream s)
{
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);

	capture_begin(s);
	CALL(aclrtStreamWaitEventWithFlag, .stream = s, .event = e, .flag = ACL_EVENT_WAIT_EXTERNAL);
	capture_end(s);
	return e;
}

static void flag_switched(void)
{
	aclrtStream s = make_stream();
	aclrtEvent e = make_event_external(s);

	/* Waits and records have a flag each. */
	CALL(aclrtRecordEventWithFlag, .event = e, .stream = s, .flag = 0);
	CALL(aclrtSynchronizeStream, .stream = s);
	capture_begin(s);
	CALL(aclrtStreamWaitEventWithFlag, .stream = s, .event = e, .flag = ACL_EVENT_WAIT_EXTERNAL);
	if (bug)
		CALL_FAILS(107000, aclrtRecordEventWithFlag, .event = e, .stream = s,
			.flag = ACL_EVENT_RECORD_EXTERNAL);
	capture_end(s);
}

/* The functions without a flag take the default one, before … */
static void flag_after_none(void)
{
	aclrtStream s = make_stream();
	aclrtEvent e = make_event_external(s);

	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
	capture_begin(s);
	CALL(aclrtStreamWaitEventWithFlag, .stream = s, .event = e, .flag = ACL_EVENT_WAIT_EXTERNAL);
	if (bug)
		CALL_FAILS(107000, aclrtRecordEventWithFlag, .event = e, .stream = s,
			.flag = ACL_EVENT_RECORD_EXTERNAL);
	capture_end(s);
}

static void wait_flag_after_none(void)
{
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	aclrtStream s = make_stream(), other = make_stream();

	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtStreamWaitEvent, .stream = other, .event = e);
	CALL(aclrtSynchronizeStream, .stream = other);
	CALL(aclrtStreamWaitEventWithFlag, .stream = other, .event = e, .flag = ACL_EVENT_WAIT_DEFAULT);
	CALL(aclrtSynchronizeStream, .stream = other);
	capture_begin(s);
	CALL_FAILS(bug ? 107000 : 0, aclrtStreamWaitEventWithFlag, .stream = s,
		.event = bug ? e : make_event_ex(ACL_EVENT_SYNC), .flag = ACL_EVENT_WAIT_EXTERNAL);
	capture_end(s);
}

/* … and after. */
static void none_after_flag(void)
{
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC), other = make_event_ex(ACL_EVENT_SYNC);
	aclrtStream s = make_stream();

	capture_begin(s);
	CALL(aclrtRecordEventWithFlag, .event = e, .stream = s, .flag = ACL_EVENT_RECORD_EXTERNAL);
	capture_end(s);
	CALL_FAILS(bug ? 107000 : 0, aclrtRecordEvent, .event = bug ? e : other, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void external_twice(void)
{
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	aclrtStream s = make_stream();

	capture_begin(s);
	CALL(aclrtRecordEventWithFlag, .event = e, .stream = s, .flag = ACL_EVENT_RECORD_EXTERNAL);
	if (!bug) {
		capture_end(s);
		capture_begin(s);
	}
	CALL_FAILS(bug ? 107000 : 0, aclrtStreamWaitEventWithFlag, .stream = s, .event = e,
		.flag = ACL_EVENT_WAIT_EXTERNAL);
	capture_end(s);
}

static void external_in_condition(void)
{
	aclrtStream s = make_stream(), inner = make_stream();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
	aclmdlRICondHandle h = NULL;
	aclmdlRI m = NULL, out = NULL, sub[1] = {NULL};

	capture_begin(s);
	CALL_DOES(
		aclmdlRICaptureGetInfo, 0, m = make_address(), .stream = s, .status = &status, .modelRI = &m);
	CALL_DOES(aclmdlRICondHandleCreate, 0, h = make_address(), .modelRI = m, .flag = 1, .handle = &h);
	CALL_DOES(aclmdlRIAddCondTask, 0, sub[0] = make_address(),
		.params = {.handle = h, .type = ACL_MODEL_RI_COND_TYPE_IF, .size = 1, .modelRIArray = sub},
		.stream = s);
	CALL(aclmdlRICaptureToModelRIBegin, .stream = inner, .modelRI = sub[0], .mode = RELAXED);
	CALL_FAILS(bug ? 207000 : 0, aclrtRecordEventWithFlag, .event = e, .stream = bug ? inner : s,
		.flag = ACL_EVENT_RECORD_EXTERNAL);
	CALL(aclmdlRICaptureEnd, .stream = inner, .modelRI = NULL);
	CALL_DOES(aclmdlRICaptureEnd, 0, out = m, .stream = s, .modelRI = &out);
}

/* --- contexts and the end ------------------------------------------------------------------------ */

static void begun_elsewhere(void)
{
	aclrtContext one = make_context(), two;
	aclrtStream s = make_stream();

	two = make_context();
	if (!bug)
		CALL(aclrtSetCurrentContext, .context = one);
	CALL_FAILS(bug ? 107003 : 0, aclmdlRICaptureBegin, .stream = s, .mode = RELAXED);
	if (!bug)
		CALL(aclmdlRIDestroy, .modelRI = capture_end(s));
	CALL(aclrtSetCurrentContext, .context = one);
	CALL(aclrtDestroyStream, .stream = s);
	CALL(aclrtDestroyContext, .context = one);
	CALL(aclrtDestroyContext, .context = two);
}

static void grouped_elsewhere(void)
{
	aclrtContext one = make_context();
	aclrtStream s = make_stream();
	aclrtTaskGrp group = NULL;

	capture_begin(s);
	make_context();
	if (!bug)
		CALL(aclrtSetCurrentContext, .context = one);
	CALL_FAILS(bug ? 107003 : 0, aclmdlRICaptureTaskGrpBegin, .stream = s);
	CALL(aclrtSetCurrentContext, .context = one);
	if (!bug)
		CALL_DOES(
			aclmdlRICaptureTaskGrpEnd, 0, group = make_address(), .stream = s, .handle = &group);
	capture_end(s);
}

/* What is left open goes on after the device was reset for another thread. */
static void left_open(void)
{
	aclrtStream s;

	CALL(aclrtSetDevice, .deviceId = 0);
	s = make_stream();
	capture_begin(s);
	if (!bug) {
		CALL(aclmdlRIDestroy, .modelRI = capture_end(s));
		CALL(aclrtDestroyStream, .stream = s);
	}
	CALL(aclrtResetDevice, .deviceId = 0);
	if (!bug) {
		CALL(aclrtResetDevice, .deviceId = 0);
		CALL(aclFinalize);
	}
	pair_exit();
}

static const struct pair pairs[] = {
	PAIR("capture-event-record-dropped", record_dropped),
	PAIR_ALSO("capture-cross-model-event", event_of_other_capture, "capture-end-invalidated"),
	PAIR_ALSO("capture-end-invalidated", event_of_other_capture, "capture-cross-model-event"),
	PAIR_EACH("capture-wait-outside-event", event_from_outside, WAIT_EVENT),
	PAIR("capture-wait-outside-event", event_again_outside),
	PAIR_EACH("capture-wait-unrecorded-event", event_unrecorded, WAIT_EVENT),
	PAIR("capture-sync-event", end_captured),
	PAIR("capture-config-ineffective", limit_by_other_thread),
	PAIR("capture-event-destroyed-in-capture", event_destroyed),
	PAIR("capture-external-flag-switch", flag_switched),
	PAIR("capture-external-flag-switch", flag_after_none),
	PAIR("capture-external-flag-switch", wait_flag_after_none),
	PAIR_AVOIDS("capture-external-flag-switch", none_after_flag),
	PAIR("capture-external-event-twice", external_twice),
	PAIR("capture-external-event-in-subgraph", external_in_condition),
	PAIR("capture-wrong-context", begun_elsewhere),
	PAIR("capture-wrong-context", grouped_elsewhere),
	PAIR_ALSO("capture-never-ended", left_open, "finalize-missing-at-exit"),
};

PAIRS_MAIN("link rules", pairs)
