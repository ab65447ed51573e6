/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the real runtime's code was observed to return, as a table: events of captures, models.
 * V(new, old) is 9.1 and 8.5; where the real one crashes 107017 is expected.
 */
#include "oracle_capture.h"

static void nothing(void *arg)
{
	(void)arg;
}

static void captured_tasks(void)
{
	setup();
	begin(GLOBAL);
	OK(aclrtMemsetAsync(dev, 64, 0, 64, s));
	OK(aclrtLaunchHostFunc(s, nothing, NULL));
	end();
}

static void pageable_copy(void)
{
	char stack[64] = "";

	setup();
	for (int mode = GLOBAL; mode <= RELAXED; mode++) {
		begin((aclmdlRICaptureMode)mode);
		IS(aclrtMemcpyAsync(dev, 64, stack, 64, ACL_MEMCPY_HOST_TO_DEVICE, s), V(107000, 107027));
		IS(status_of(s), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
		end();
	}
}

static void failed_calls(void)
{
	setup();
	begin(GLOBAL);
	IS(aclrtMemcpyAsync(host, 64, host_new(64), 64, ACL_MEMCPY_HOST_TO_HOST, s), 207000);
	IS(aclrtMemcpyAsync(dev, 32, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, s), 107000);
	IS(aclrtMemcpyAsync(NULL, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, s), 100000);
	IS(status_of(s), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
	end();
}

static void wrong_event_kinds(void)
{
	aclrtEvent d, f, recorded;

	setup();
	OK(aclrtCreateEvent(&d));
	OK(aclrtCreateEvent(&recorded));
	OK(aclrtCreateEventWithFlag(&f, ACL_EVENT_SYNC));
	OK(aclrtRecordEvent(recorded, s2));
	begin(GLOBAL);
	IS(aclrtRecordEvent(d, s), 207000);
	IS(aclrtRecordEvent(f, s), 207000);
	IS(aclrtStreamWaitEvent(s, d), 207000);
	IS(aclrtStreamWaitEvent(s, f), 207000);
	IS(aclrtStreamWaitEvent(s, recorded), 207000);
	end();
}

static void fork_and_join(void)
{
	aclmdlRI m;

	setup();
	begin(GLOBAL);
	fork_s2();
	OK(copy_on(s2));
	join_s2();
	m = end();
	OK(aclmdlRIExecuteAsync(m, s));
	OK(aclrtSynchronizeStream(s));
	OK(aclmdlRIDestroy(m));
	OK(aclrtDestroyStream(s2));
}

static void fork_without_join(void)
{
	aclmdlRI m = (aclmdlRI)1;

	setup();
	begin(GLOBAL);
	fork_s2();
	IS(aclmdlRICaptureEnd(s, &m), 107025);
	TRUE(!m);
	OK(copy_on(s2));
	OK(aclrtSynchronizeStream(s2));
	begin(GLOBAL);
	end();
}

static void work_after_join(void)
{
	aclmdlRI m;

	setup();
	begin(GLOBAL);
	fork_s2();
	join_s2();
	OK(copy_on(s2));
	IS(aclmdlRICaptureEnd(s, &m), 107025);
}

static void record_nobody_waits_for(void)
{
	setup();
	begin(GLOBAL);
	OK(aclrtRecordEvent(event_ex(ACL_EVENT_SYNC), s));
	OK(aclrtRecordEvent(event_ex(ACL_EVENT_TIME_LINE), s));
	end();
}

static void outside_events(void)
{
	aclrtEvent e;

	setup();
	e = event_ex(ACL_EVENT_SYNC);
	OK(aclrtRecordEvent(e, s2));
	begin(GLOBAL);
	IS(aclrtStreamWaitEvent(s, e), 107024);
	OK(aclrtStreamWaitEvent(s, event_ex(ACL_EVENT_SYNC)));
	IS(status_of(s), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
	end();
}

/* What a capture recorded stays captured, whatever is recorded outside. */
static void captured_event_again_outside(void)
{
	aclrtEventRecordedStatus status;
	aclrtEvent e;
	aclmdlRI m;

	setup();
	e = event_ex(ACL_EVENT_SYNC);
	begin(GLOBAL);
	OK(aclrtRecordEvent(e, s));
	OK(aclrtRecordEvent(e, s2));
	IS(aclrtQueryEventStatus(e, &status), 107028);
	IS(aclrtSynchronizeEvent(e), 107028);
	OK(aclrtStreamWaitEvent(s, e));
	end();
	OK(aclrtSynchronizeEvent(e));
	/* A further stream that waits joins. */
	begin(GLOBAL);
	OK(aclrtRecordEvent(e, s));
	OK(aclrtRecordEvent(e, s2));
	OK(aclrtStreamWaitEvent(s2, e));
	IS(status_of(s2), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
	IS(aclmdlRICaptureEnd(s, &m), 107025);
}

static void two_captures(void)
{
	aclrtEvent e;
	aclmdlRI m;

	setup();
	e = event_ex(ACL_EVENT_SYNC);
	begin(RELAXED);
	OK(aclmdlRICaptureBegin(s2, RELAXED));
	OK(aclrtRecordEvent(e, s));
	IS(aclrtStreamWaitEvent(s2, e), 107032);
	IS(status_of(s), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
	IS(status_of(s2), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
	IS(aclmdlRICaptureEnd(s, &m), 507903);
	IS(aclmdlRICaptureEnd(s2, &m), 507903);
}

static void default_stream_waits(void)
{
	aclrtEvent e;

	setup();
	e = event_ex(ACL_EVENT_SYNC);
	begin(GLOBAL);
	OK(aclrtRecordEvent(e, s));
	IS(aclrtStreamWaitEvent(NULL, e), 107031);
	IS(status_of(s), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
	end();
}

static void captured_event(void)
{
	aclrtEventRecordedStatus status;
	aclrtEvent e;

	setup();
	e = event_ex(ACL_EVENT_SYNC);
	begin(GLOBAL);
	OK(aclrtRecordEvent(e, s));
	IS(aclrtSynchronizeEvent(e), 107028);
	IS(aclrtQueryEventStatus(e, &status), 107028);
	IS(aclrtResetEvent(e, s), 207000);
	end();
	OK(aclrtSynchronizeEvent(e));
	OK(aclrtQueryEventStatus(e, &status));
	IS(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
	OK(aclrtStreamWaitEvent(s2, e));
	OK(aclrtRecordEvent(e, s));
	OK(aclrtDestroyEvent(e));
}

static void destroy_captured_event(void)
{
	aclrtEvent e;

	setup();
	e = event_ex(ACL_EVENT_SYNC);
	begin(GLOBAL);
	OK(aclrtRecordEvent(e, s));
	OK(aclrtDestroyEvent(e));
	end();
}

static void external_event(void)
{
	aclrtEvent e;

	setup();
	IS(aclrtCreateEventExWithFlag(&e, ACL_EVENT_EXTERNAL), 107000);
	OK(aclrtCreateEventWithFlag(&e, ACL_EVENT_EXTERNAL));
	begin(GLOBAL);
	OK(aclrtRecordEvent(e, s));
	OK(aclrtStreamWaitEvent(s, e));
	end();
}

static void models_meanwhile(void)
{
	aclmdlRI m;

	setup();
	m = capture_copy(s2);
	begin(GLOBAL);
	IS(aclmdlRIExecuteAsync(m, s), 107027);
	OK(aclmdlRIExecuteAsync(m, s2));
	OK(aclmdlRIDestroy(m));
	end();
}

static void reset_during_capture(void)
{
	aclmdlRI m;

	setup();
	begin(GLOBAL);
	OK(aclrtResetDevice(0));
	IS(aclmdlRICaptureEnd(s, &m), V(107017, 107002));
}

static void dead_model(void)
{
	aclmdlRI m;

	setup();
	m = capture_copy(s);
	OK(aclmdlRIDestroy(m));
	IS(aclmdlRIExecuteAsync(m, s), 107017);
	IS(aclmdlRIExecute(m, 10), 107017);
	IS(aclmdlRIDestroy(m), 107017);
}

static void origin_destroyed(void)
{
	aclmdlRI m;

	setup();
	m = capture_copy(s);
	OK(aclrtDestroyStream(s));
	OK(aclmdlRIExecuteAsync(m, s2));
	OK(aclrtSynchronizeStream(s2));
}

static void captured_memory_freed(void)
{
	aclmdlRI m;

	setup();
	begin(GLOBAL);
	OK(copy_on(s));
	m = end();
	OK(aclrtFree(dev2));
	OK(aclmdlRIExecuteAsync(m, s));
	OK(aclrtSynchronizeStream(s));
}

static void destroy_right_after(void)
{
	aclmdlRI m;

	setup();
	m = capture_copy(s);
	OK(aclmdlRIExecuteAsync(m, s));
	OK(aclmdlRIDestroy(m));
}

static void two_streams_at_once(void)
{
	aclmdlRI m;

	setup();
	m = capture_copy(s);
	OK(aclmdlRIExecuteAsync(m, s));
	OK(aclmdlRIExecuteAsync(m, s2));
	OK(aclrtSynchronizeDevice());
}

/* Further observations. */
static void update_end_while_capturing(void)
{
	setup();
	begin(GLOBAL);
	IS(aclmdlRICaptureTaskUpdateEnd(s), 107027);
	end();
}

static void group_interrupted(void)
{
	aclrtTaskGrp g;
	aclmdlRI m;

	setup();
	begin(GLOBAL);
	fork_s2();
	OK(aclmdlRICaptureTaskGrpBegin(s));
	copy_on(s2);
	IS(aclmdlRICaptureTaskGrpEnd(s, &g), 107034);
	IS(aclmdlRICaptureEnd(s, &m), 507903);
}

static void memset_in_group(void)
{
	aclrtTaskGrp g;
	aclmdlRI m;

	setup();
	begin(GLOBAL);
	OK(aclmdlRICaptureTaskGrpBegin(s));
	IS(aclrtMemsetAsync(dev, 64, 0, 64, s), 507009);
	IS(aclmdlRICaptureTaskGrpEnd(s, &g), 507009);
	IS(aclmdlRICaptureEnd(s, &m), 507903);
}

static void group_of_dead_model(void)
{
	aclrtTaskGrp g;
	aclmdlRI m;

	setup();
	begin(GLOBAL);
	OK(aclmdlRICaptureTaskGrpBegin(s));
	OK(aclmdlRICaptureTaskGrpEnd(s, &g));
	m = end();
	OK(aclmdlRIDestroy(m));
	IS(aclmdlRICaptureTaskUpdateBegin(s, g), 107017);
}

static const struct tap_case cases[] = {
	C(captured_tasks),
	C(pageable_copy),
	C(failed_calls),
	C(wrong_event_kinds),
	C(fork_and_join),
	C(fork_without_join),
	C(work_after_join),
	C(record_nobody_waits_for),
	C(outside_events),
	C(captured_event_again_outside),
	C(two_captures),
	C(default_stream_waits),
	C(captured_event),
	C(destroy_captured_event),
	C(external_event),
	C(models_meanwhile),
	C(reset_during_capture),
	C(dead_model),
	C(origin_destroyed),
	C(captured_memory_freed),
	C(destroy_right_after),
	C(two_streams_at_once),
	C(update_end_while_capturing),
	C(group_interrupted),
	C(memset_in_group),
	C(group_of_dead_model),
};

ORACLE_MAIN(cases)
