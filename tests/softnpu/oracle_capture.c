/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the real runtime's code was observed to return, as a table: capturing.
 * V(new, old) is 9.1 and 8.5; where the real one crashes 107017 is expected.
 */
#include "oracle_capture.h"

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
};

ORACLE_MAIN(cases)
