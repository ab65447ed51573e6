/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the real runtime's code was observed to return, as a table: capture and
 * models.  V(new, old) is 9.1 and 8.5; where the real one crashes 107017 is expected.
 */
#include "oracle.h"

#define GLOBAL ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
#define THREAD_LOCAL ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL
#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED

static void *dev, *dev2, *host;
static aclrtStream s, s2;

/* What nearly every case begins with. */
static void setup(void)
{
	OK(aclrtSetDevice(0));
	dev = device_new(N_BYTES);
	dev2 = device_new(N_BYTES);
	host = host_new(N_BYTES);
	s = stream_new();
	s2 = stream_new();
}

static void begin(aclmdlRICaptureMode mode)
{
	OK(aclmdlRICaptureBegin(s, mode));
}

static aclmdlRI end(void)
{
	aclmdlRI m = NULL;

	OK(aclmdlRICaptureEnd(s, &m));
	TRUE(m);
	return m;
}

static int copy_on(aclrtStream stream)
{
	return aclrtMemcpyAsync(dev2, N_BYTES, dev, N_BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
}

static int status_of(aclrtStream stream)
{
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED;

	OK(aclmdlRICaptureGetInfo(stream, &status, NULL));
	return status;
}

/* s2 waits for what s did: joins its capture. */
static void fork_s2(void)
{
	aclrtEvent e = event_ex(ACL_EVENT_SYNC);

	OK(aclrtRecordEvent(e, s));
	OK(aclrtStreamWaitEvent(s2, e));
}

static void join_s2(void)
{
	aclrtEvent e = event_ex(ACL_EVENT_SYNC);

	OK(aclrtRecordEvent(e, s2));
	OK(aclrtStreamWaitEvent(s, e));
}

static void whole_life(void)
{
	aclmdlRI m;

	setup();
	IS(status_of(s), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
	begin(GLOBAL);
	IS(status_of(s), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
	OK(aclrtMemcpyAsync(dev, N_BYTES, host, N_BYTES, ACL_MEMCPY_HOST_TO_DEVICE, s));
	OK(copy_on(s));
	m = end();
	IS(status_of(s), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
	OK(aclmdlRIExecuteAsync(m, s));
	OK(aclmdlRIExecuteAsync(m, s));
	OK(aclrtSynchronizeStream(s));
	OK(aclmdlRIDestroy(m));
	OK(aclrtDestroyStream(s));
	OK(aclrtResetDevice(0));
}

static void empty(void)
{
	aclmdlRI m;

	setup();
	begin(GLOBAL);
	m = end();
	OK(aclmdlRIExecuteAsync(m, s));
	OK(aclrtSynchronizeStream(s));
	OK(aclmdlRIDestroy(m));
}

static void sync_execute(void)
{
	setup();
	IS(aclmdlRIExecute(capture_copy(s), 1000), 107000);
}

static void begin_arguments(void)
{
	aclrtStream def;
	aclmdlRI m;

	setup();
	IS(aclmdlRICaptureBegin(s, (aclmdlRICaptureMode)9), 107000);
	IS(aclmdlRICaptureBegin(NULL, GLOBAL), 100000);
	IS(aclmdlRICaptureEnd(NULL, &m), 100000);
	OK(aclrtCtxGetCurrentDefaultStream(&def));
	IS(aclmdlRICaptureBegin(def, GLOBAL), 207000);
	IS(aclmdlRICaptureEnd(def, &m), 207000);
}

static void begin_twice(void)
{
	setup();
	begin(GLOBAL);
	IS(aclmdlRICaptureBegin(s, GLOBAL), 107027);
	IS(status_of(s), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
	end();
}

static void end_unmatched(void)
{
	aclmdlRI m;

	setup();
	IS(aclmdlRICaptureEnd(s, &m), 107029);
	begin(GLOBAL);
	IS(aclmdlRICaptureEnd(s, NULL), V(107000, 100000));
	IS(status_of(s), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
	IS(aclmdlRICaptureEnd(s2, &m), 107029);
	end();
	IS(aclmdlRICaptureEnd(s, &m), 107029);
}

static void joined_stream(void)
{
	aclmdlRI m;

	setup();
	begin(GLOBAL);
	fork_s2();
	IS(aclmdlRICaptureEnd(s2, &m), 107036);
	IS(aclmdlRICaptureBegin(s2, GLOBAL), 107027);
	IS(aclrtSynchronizeStream(s2), 107027);
	IS(aclrtDestroyStream(s2), 107027);
	IS(status_of(s2), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
	join_s2();
	end();
	IS(status_of(s2), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
}

struct end_elsewhere {
	aclmdlRI m;
	int rc;
};

static void *end_in_thread(void *arg)
{
	struct end_elsewhere *e = arg;

	OK(aclrtSetDevice(0));
	e->rc = aclmdlRICaptureEnd(s, &e->m);
	return NULL;
}

static void other_thread_ends(void)
{
	struct end_elsewhere e;
	pthread_t t;

	setup();
	for (int mode = GLOBAL; mode <= RELAXED; mode++) {
		begin((aclmdlRICaptureMode)mode);
		e.m = (aclmdlRI)1;
		OK(pthread_create(&t, NULL, end_in_thread, &e));
		OK(pthread_join(t, NULL));
		IS(e.rc, mode == RELAXED ? 0 : 107038);
		IS(aclmdlRICaptureEnd(s, &e.m), 107029);
	}
}

static void other_context_ends(void)
{
	aclrtContext mine, other;
	aclmdlRI m;

	setup();
	OK(aclrtGetCurrentContext(&mine));
	begin(GLOBAL);
	OK(aclrtCreateContext(&other, 0));
	IS(aclmdlRICaptureEnd(s, &m), 107003);
	OK(aclrtSetCurrentContext(mine));
	IS(status_of(s), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
	end();
}

static void synchronising(void)
{
	aclrtStreamStatus status;

	setup();
	for (int mode = GLOBAL; mode <= RELAXED; mode++) {
		begin((aclmdlRICaptureMode)mode);
		IS(aclrtSynchronizeStream(s), 107027);
		IS(aclrtSynchronizeStreamWithTimeout(s, 10), 107027);
		IS(aclrtStreamQuery(s, &status), 107027);
		IS(aclrtDestroyStream(s), 107027);
		IS(aclrtSynchronizeDevice(), 107027);
		OK(aclrtSynchronizeStream(s2));
		OK(aclrtStreamQuery(s2, &status));
		OK(aclrtSynchronizeStream(NULL));
		OK(copy_on(s2));
		OK(copy_on(NULL));
		IS(status_of(s), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
		end();
	}
}

/* Every combination of mode, thread and what the thread asked for. */
struct memop {
	int exchange;
	int rc;
	bool set_device;
};

static void *memop(void *arg)
{
	aclmdlRICaptureMode mode;
	struct memop *m = arg;

	if (m->set_device)
		OK(aclrtSetDevice(0));
	mode = (aclmdlRICaptureMode)m->exchange;
	OK(aclmdlRICaptureThreadExchangeMode(&mode));
	m->rc = aclrtMemcpy(dev, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE);
	OK(aclmdlRICaptureThreadExchangeMode(&mode));
	return NULL;
}

static void sync_copy_matrix(void)
{
	setup();
	for (int mode = GLOBAL; mode <= RELAXED; mode++) {
		for (int exchange = GLOBAL; exchange <= RELAXED; exchange++) {
			struct memop own = {exchange, 0, false}, other = {exchange, 0, true};
			bool refused = mode != RELAXED && exchange != RELAXED;
			pthread_t t;

			begin((aclmdlRICaptureMode)mode);
			memop(&own);
			IS(own.rc, refused ? 107030 : 0);
			OK(pthread_create(&t, NULL, memop, &other));
			OK(pthread_join(t, NULL));
			IS(other.rc, mode == GLOBAL && exchange == GLOBAL ? 107030 : 0);
			IS(status_of(s), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
			end();
		}
	}
}

static void sync_memops(void)
{
	char a[64], b[64];

	setup();
	for (int mode = GLOBAL; mode <= RELAXED; mode++) {
		int refused = mode == RELAXED ? 0 : 107030;

		begin((aclmdlRICaptureMode)mode);
		IS(aclrtMemcpy(a, 64, b, 64, ACL_MEMCPY_HOST_TO_HOST), refused);
		IS(aclrtMemset(dev, 64, 0, 64), refused);
		OK(aclrtMemcpy(dev, 64, dev, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
		OK(aclmdlRIExecuteAsync(end(), s));
	}
}

static void exchange_mode(void)
{
	aclmdlRICaptureMode mode = RELAXED;

	setup();
	OK(aclmdlRICaptureThreadExchangeMode(&mode));
	IS(mode, GLOBAL);
	IS(aclmdlRICaptureThreadExchangeMode(NULL), 100000);
	mode = (aclmdlRICaptureMode)9;
	IS(aclmdlRICaptureThreadExchangeMode(&mode), 107000);
}

static void management_is_allowed(void)
{
	aclrtContext mine, c;
	aclrtStream other;
	aclrtEvent e;
	void *p;

	setup();
	OK(aclrtGetCurrentContext(&mine));
	for (int mode = GLOBAL; mode <= RELAXED; mode++) {
		begin((aclmdlRICaptureMode)mode);
		OK(aclrtMalloc(&p, 64, 0));
		OK(aclrtFree(p));
		OK(aclrtMallocHost(&p, 64));
		OK(aclrtFreeHost(p));
		OK(aclrtCreateStream(&other));
		OK(aclrtDestroyStream(other));
		OK(aclrtCreateEvent(&e));
		OK(aclrtDestroyEvent(e));
		OK(aclrtCreateContext(&c, 0));
		OK(aclrtSetCurrentContext(mine));
		end();
	}
}

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

#define C(name)                                                                                              \
	{                                                                                                    \
#name, name                                                                                  \
	}

static const struct tap_case cases[] = {
	C(whole_life),
	C(empty),
	C(sync_execute),
	C(begin_arguments),
	C(begin_twice),
	C(end_unmatched),
	C(joined_stream),
	C(other_thread_ends),
	C(other_context_ends),
	C(synchronising),
	C(sync_copy_matrix),
	C(sync_memops),
	C(exchange_mode),
	C(management_is_allowed),
	C(captured_tasks),
	C(pageable_copy),
	C(failed_calls),
	C(wrong_event_kinds),
	C(fork_and_join),
	C(fork_without_join),
	C(work_after_join),
	C(record_nobody_waits_for),
	C(outside_events),
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

int main(void)
{
	oracle_run(cases, COUNT(cases));
	return tap_done();
}
