/* SPDX-License-Identifier: Apache-2.0 */
/* The right bytes in the right order: copies of every form, events, replays, callbacks. */
#include <pthread.h>
#include <stdlib.h>

#include "softnpu.h"
#include "two_streams.h"

static void same(void)
{
	IS(memcmp(a, b, N_BYTES), 0);
}

static void sync_copies(void)
{
	unsigned char pageable[N_BYTES];

	setup();
	OK(aclrtMemcpy(d, N_BYTES, a, N_BYTES, TO_DEVICE));
	OK(aclrtMemcpy(d2, N_BYTES, d, N_BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE));
	OK(aclrtMemcpy(pageable, N_BYTES, d2, N_BYTES, TO_HOST));
	OK(aclrtMemcpy(b, N_BYTES, pageable, N_BYTES, ACL_MEMCPY_HOST_TO_HOST));
	same();
}

static void async_copies(void)
{
	setup();
	OK(aclrtMemcpyAsync(d, N_BYTES, a, N_BYTES, TO_DEVICE, s));
	OK(aclrtMemcpyAsync(d2, N_BYTES, d, N_BYTES, ACL_MEMCPY_DEFAULT, s));
	OK(aclrtMemcpyAsync(b, N_BYTES, d2, N_BYTES, TO_HOST, s));
	OK(aclrtSynchronizeStream(s));
	same();
}

/* The source may be overwritten as soon as the call returned. */
static void staged_copy(void)
{
	atomic_int gate;

	setup();
	memcpy(b, a, N_BYTES);
	gate_hold(s, &gate);
	OK(aclrtMemcpyAsync(d, N_BYTES, b, N_BYTES, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, s));
	memset(b, 0xee, N_BYTES);
	gate_open(&gate);
	OK(aclrtMemcpyAsync(b, N_BYTES, d, N_BYTES, TO_HOST, s));
	OK(aclrtSynchronizeStream(s));
	same();
}

static void copies_2d(void)
{
	enum { WIDTH = 20, PITCH = 64, ROWS = 16 };

	setup();
	OK(aclrtMemset(d, N_BYTES, 0xaa, N_BYTES));
	OK(aclrtMemcpy2d(d, PITCH, a, 32, WIDTH, ROWS, TO_DEVICE));
	OK(aclrtMemcpy2dAsync(d2, 40, d, PITCH, WIDTH, ROWS, ACL_MEMCPY_DEVICE_TO_DEVICE, s));
	OK(aclrtMemcpy2dAsync(b, 24, d2, 40, WIDTH, ROWS, TO_HOST, s));
	OK(aclrtSynchronizeStream(s));
	for (unsigned row = 0; row < ROWS; row++)
		IS(memcmp(b + row * 24, a + row * 32, WIDTH), 0);
	OK(aclrtMemcpy(b, PITCH, d, PITCH, TO_HOST));
	IS(b[WIDTH], 0xaa); /* between the rows nothing was touched */
}

static void batch(void)
{
	aclrtMemcpyBatchAttr attrs[2];
	size_t sizes[2] = {100, 200}, indexes[2] = {0, 1}, fail = 0;
	void *dsts[2] = {d, NULL}, *srcs[2];

	setup();
	memset(attrs, 0, sizeof(attrs));
	attrs[0].dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
	attrs[0].srcLoc.type = ACL_MEM_LOCATION_TYPE_HOST;
	attrs[1] = attrs[0];
	dsts[0] = d;
	dsts[1] = (char *)d + 100;
	srcs[0] = a;
	srcs[1] = a + 100;
	OK(aclrtMemcpyBatch(dsts, sizes, srcs, sizes, 2, attrs, indexes, 2, &fail));
	OK(aclrtMemcpy(b, 300, d, 300, TO_HOST));
	IS(memcmp(a, b, 300), 0);
	memset(b, 0, 300);
	attrs[0].dstLoc.type = ACL_MEM_LOCATION_TYPE_HOST;
	attrs[0].srcLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
	dsts[0] = b;
	dsts[1] = b + 100;
	srcs[0] = d;
	srcs[1] = (char *)d + 100;
	OK(aclrtMemcpyBatchAsync(dsts, sizes, srcs, sizes, 2, attrs, indexes, 1, &fail, s));
	OK(aclrtSynchronizeStream(s));
	IS(memcmp(a, b, 300), 0);
	sizes[1] = 300; /* beyond destMax */
	IS(aclrtMemcpyBatchAsync(dsts, (size_t[]){100, 200}, srcs, sizes, 2, attrs, indexes, 1, &fail, s),
		100000);
	IS((long)fail, -1); /* sizes are looked at before the copies */
	dsts[1] = NULL;
	IS(aclrtMemcpyBatchAsync(dsts, sizes, srcs, sizes, 2, attrs, indexes, 1, &fail, s), 107000);
	IS(fail, 1);
}

static void sets(void)
{
	setup();
	OK(aclrtMemset(d, N_BYTES, 0x1ff, 64)); /* cut to a byte */
	OK(aclrtMemsetAsync((char *)d + 64, N_BYTES, 7, 64, s));
	OK(aclrtMemsetD32Async((char *)d + 128, 64, 0x01020304, 16, s));
	OK(aclrtSynchronizeStream(s));
	OK(aclrtMemcpy(b, 192, d, 192, TO_HOST));
	IS(b[0], 0xff);
	IS(b[63], 0xff);
	IS(b[64], 7);
	IS(b[127], 7);
	IS(((uint32_t *)b)[47], 0x01020304);
}

static void bad_address(void)
{
	if (!bad_addresses_are_errors())
		tap_skip("no process_vm_readv");
	setup();
	IS(aclrtMemcpy(d, 64, (void *)8, 64, TO_DEVICE), 507899);
	OK(aclrtMemsetD32(d, 64, 1, 16)); /* and nothing is broken */
}

/* A stream that waits for an event sees what came before it. */
static void event_order(void)
{
	aclrtEvent e;
	atomic_int gate;

	setup();
	OK(aclrtCreateEvent(&e));
	for (unsigned round = 1; round < 20; round++) {
		memset(a, (int)round, N_BYTES);
		gate_hold(s, &gate);
		OK(aclrtMemcpyAsync(d, N_BYTES, a, N_BYTES, TO_DEVICE, s));
		OK(aclrtRecordEvent(e, s));
		OK(aclrtStreamWaitEvent(s2, e));
		OK(aclrtMemcpyAsync(b, N_BYTES, d, N_BYTES, TO_HOST, s2));
		gate_open(&gate);
		OK(aclrtSynchronizeStream(s2));
		same();
	}
}

/* A wait means the record before it, whatever is recorded later. */
static void wait_is_for_the_record_before(void)
{
	atomic_int first, second;
	aclrtEvent e;

	setup();
	e = event_ex(ACL_EVENT_SYNC);
	gate_hold(s, &first);
	OK(aclrtRecordEvent(e, s));
	OK(aclrtStreamWaitEvent(s2, e));
	gate_hold(s, &second);
	OK(aclrtRecordEvent(e, s));
	gate_open(&first);
	OK(aclrtSynchronizeStreamWithTimeout(s2, 5000));
	IS(aclrtSynchronizeEventWithTimeout(e, 5), 507047); /* the latest record is pending */
	gate_open(&second);
	OK(aclrtSynchronizeEvent(e));
}

/* ...WithFlag and ACL_EVENT_SYNC: a wait before the record waits, and again after a reset. */
static void wait_before_record(void)
{
	aclrtEvent e;

	setup();
	OK(aclrtCreateEventWithFlag(&e, ACL_EVENT_SYNC));
	for (int round = 0; round < 2; round++) {
		OK(aclrtStreamWaitEvent(s2, e));
		OK(aclrtResetEvent(e, s2));
		IS(aclrtSynchronizeStreamWithTimeout(s2, 5), 507046);
		OK(aclrtRecordEvent(e, s));
		OK(aclrtSynchronizeStreamWithTimeout(s2, 5000));
	}
}

static void peer_copy(void)
{
	int32_t can = 0;

	setup();
	OK(aclrtMemcpy(d, N_BYTES, a, N_BYTES, TO_DEVICE));
	OK(aclrtDeviceCanAccessPeer(&can, 0, 1));
	IS(can, 1);
	OK(aclrtSetDevice(1));
	d2 = device_new(N_BYTES);
	IS(aclrtMemcpy(d2, N_BYTES, d, N_BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE), 507899);
	OK(aclrtDeviceEnablePeerAccess(0, 0));
	OK(aclrtMemcpy(d2, N_BYTES, d, N_BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE));
	OK(aclrtMemcpy(b, N_BYTES, d2, N_BYTES, TO_HOST));
	same();
}

/* Nothing runs before the replay; each replay sees what the host memory holds then. */
static void replays(void)
{
	aclmdlRI m;

	setup();
	OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	OK(aclrtMemcpyAsync(d, N_BYTES, a, N_BYTES, TO_DEVICE, s));
	OK(aclrtMemsetAsync(d, N_BYTES, 0x55, 16, s));
	OK(aclrtMemcpyAsync(b, N_BYTES, d, N_BYTES, TO_HOST, s));
	OK(aclmdlRICaptureEnd(s, &m));
	OK(aclrtSynchronizeStream(s));
	IS(b[100], 0);
	for (int i = 1; i < 4; i++) {
		memset(a, i, N_BYTES);
		OK(aclmdlRIExecuteAsync(m, s));
		OK(aclrtSynchronizeStream(s));
		memset(a, 0x55, 16);
		same();
	}
	OK(aclmdlRIDestroy(m));
}

static void add_one(void *arg)
{
	int *n = arg;

	*n = *n + 1;
}

static void times_ten(void *arg)
{
	int *n = arg;

	*n = *n * 10;
}

/* The edges of fork and join order the replay: (n + 1) * 10 on the side, + 1 at the end. */
static void replay_order(void)
{
	aclrtEvent fork, join;
	int n = 0;
	aclmdlRI m;

	setup();
	fork = event_ex(ACL_EVENT_SYNC);
	join = event_ex(ACL_EVENT_SYNC);
	OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	OK(aclrtLaunchHostFunc(s, add_one, &n));
	OK(aclrtRecordEvent(fork, s));
	OK(aclrtStreamWaitEvent(s2, fork));
	OK(aclrtLaunchHostFunc(s2, times_ten, &n));
	OK(aclrtRecordEvent(join, s2));
	OK(aclrtStreamWaitEvent(s, join));
	OK(aclrtLaunchHostFunc(s, add_one, &n));
	OK(aclmdlRICaptureEnd(s, &m));
	IS(n, 0);
	for (int i = 0; i < 3; i++)
		OK(aclmdlRIExecuteAsync(m, i & 1 ? s2 : s)); /* executions take turns */
	OK(aclrtSynchronizeDevice());
	IS(n, ((11 + 1) * 10 + 1 + 1) * 10 + 1);
}

/* Capture of an external event: the replay waits for a record made outside. */
static void external_event(void)
{
	aclrtEvent e;
	int n = 0;
	aclmdlRI m;

	setup();
	OK(aclrtCreateEventWithFlag(&e, ACL_EVENT_EXTERNAL));
	OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	OK(aclrtStreamWaitEvent(s, e));
	OK(aclrtResetEvent(e, s));
	OK(aclrtLaunchHostFunc(s, add_one, &n));
	OK(aclmdlRICaptureEnd(s, &m));
	for (int i = 0; i < 3; i++) {
		OK(aclmdlRIExecuteAsync(m, s));
		IS(aclrtSynchronizeStreamWithTimeout(s, 5), 507046);
		OK(aclrtRecordEvent(e, s2));
		OK(aclrtSynchronizeStreamWithTimeout(s, 5000));
		IS(n, i + 1);
	}
}

/* --- conditional tasks, labels ---------------------------------------------------- */

struct countdown {
	uint64_t *word; /* in device memory: left to do */
	int rounds;
};

static void count_down(void *arg)
{
	struct countdown *c = arg;

	c->rounds++;
	--*c->word;
}

static void while_loop(void)
{
	aclmdlRICondHandle handle;
	aclmdlRICondTaskParams params = {.type = ACL_MODEL_RI_COND_TYPE_WHILE, .size = 1};
	struct countdown c = {0};
	aclmdlRI m, body;

	setup();
	OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	OK(aclmdlRICaptureGetInfo(s, NULL, &m));
	OK(aclmdlRICondHandleCreate(m, 5, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &handle));
	OK(aclmdlRICondHandleGetCondPtr(handle, &c.word));
	params.handle = handle;
	params.modelRIArray = &body;
	OK(aclmdlRIAddCondTask(params, s, 0));
	IS(aclmdlRIAddCondTask(params, s, 0), 107000);
	OK(aclmdlRICaptureToModelRIBegin(s2, body, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	OK(aclrtLaunchHostFunc(s2, count_down, &c));
	OK(aclmdlRICaptureEnd(s2, &body));
	OK(aclmdlRICaptureEnd(s, &m));
	for (int i = 1; i < 3; i++) {
		OK(aclmdlRIExecuteAsync(m, s));
		OK(aclrtSynchronizeStream(s));
		IS(c.rounds, 5 * i);
	}
	IS(aclmdlRIDestroy(body), 207000);
	OK(aclmdlRIDestroy(m));
}

/* One body of a captured condition: adds its number to the sum. */
static void capture_body(aclmdlRI body, aclrtHostFunc fn, int *sum)
{
	OK(aclmdlRICaptureToModelRIBegin(s2, body, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	OK(aclrtLaunchHostFunc(s2, fn, sum));
	OK(aclmdlRICaptureEnd(s2, &body));
}

/* SWITCH runs the body the word names, IF the first or the second. */
static void branches(void)
{
	static const int results[2][3] = {{11, 100, 10}, {100, 11, 11}}; /* of 10, by kind and value */
	aclmdlRICondTaskParams params = {.size = 2};
	aclmdlRI m, bodies[2];
	uint64_t *word;
	int n;

	setup();
	for (int kind = 0; kind < 2; kind++) {
		OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
		OK(aclmdlRICaptureGetInfo(s, NULL, &m));
		OK(aclmdlRICondHandleCreate(m, 0, 0, &params.handle));
		OK(aclmdlRICondHandleGetCondPtr(params.handle, &word));
		params.type = kind ? ACL_MODEL_RI_COND_TYPE_IF : ACL_MODEL_RI_COND_TYPE_SWITCH;
		params.modelRIArray = bodies;
		OK(aclmdlRIAddCondTask(params, s, 0));
		capture_body(bodies[0], add_one, &n);
		capture_body(bodies[1], times_ten, &n);
		OK(aclmdlRICaptureEnd(s, &m));
		for (uint64_t value = 0; value < 3; value++) {
			n = 10;
			*word = value;
			OK(aclmdlRIExecuteAsync(m, value & 1 ? s : NULL));
			OK(aclrtSynchronizeDevice());
			IS(n, results[kind][value]);
		}
		OK(aclmdlRIDestroy(m));
	}
}

static void body_missing(void)
{
	aclmdlRICondHandle handle;
	aclmdlRICondTaskParams params = {.type = ACL_MODEL_RI_COND_TYPE_IF, .size = 1};
	aclmdlRI m, body;

	setup();
	OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	OK(aclmdlRICaptureGetInfo(s, NULL, &m));
	OK(aclmdlRICondHandleCreate(m, 1, 0, &handle));
	params.handle = handle;
	params.modelRIArray = &body;
	OK(aclmdlRIAddCondTask(params, s, 0));
	IS(aclmdlRICaptureEnd(s, &m), 107045);
}

/* A built model that jumps: label 0 adds and goes on to the switch, label 1 ends. */
static void label_loop(void)
{
	aclrtLabel labels[2];
	aclrtLabelList list;
	struct countdown c = {0};
	aclrtStream ms;
	aclmdlRI m;

	setup();
	c.word = d; /* 3, 2, 1, 0: index 0 is label 1 */
	OK(aclrtCreateStreamWithConfig(&ms, 0, ACL_STREAM_PERSISTENT));
	OK(aclmdlRIBuildBegin(&m, 0));
	OK(aclmdlRIBindStream(m, ms, 0));
	OK(aclrtCreateLabel(&labels[0]));
	OK(aclrtCreateLabel(&labels[1]));
	IS(aclrtSetLabel(labels[0], ms), 507000); /* in no list yet */
	OK(aclrtCreateLabelList((aclrtLabel[]){labels[1], labels[0]}, 2, &list));
	OK(aclrtSetLabel(labels[0], ms));
	OK(aclrtLaunchHostFunc(ms, count_down, &c));
	OK(aclrtSwitchLabelByIndex(d, 2, list, ms));
	OK(aclrtSetLabel(labels[1], ms));
	OK(aclrtMemsetAsync(d2, 64, 1, 64, ms));
	IS(aclmdlRIExecute(m, -1), 507011); /* not complete */
	OK(aclmdlRIEndTask(m, ms));
	OK(aclmdlRIBuildEnd(m, NULL));
	OK(aclrtMemset(d, 64, 0, 64));
	*(uint64_t *)d = 3;
	OK(aclmdlRIExecute(m, 5000));
	IS(c.rounds, 3);
	OK(aclmdlRIUnbindStream(m, ms));
	OK(aclmdlRIDestroy(m));
	OK(aclrtDestroyStream(ms));
}

/* The next context may be made where the first one was. */
static void label_of_a_context_that_is_gone(void)
{
	aclrtContext context;
	aclrtLabel label;

	OK(aclrtCreateContext(&context, 0));
	OK(aclrtCreateLabel(&label));
	OK(aclrtDestroyContext(context));
	for (int i = 0; i < 8; i++) {
		OK(aclrtCreateContext(&context, 0));
		IS(aclrtDestroyLabel(label), 507031);
		OK(aclrtDestroyContext(context));
	}
}

/* --- waiting for words, notifies, callbacks ------------------------------------------ */

static void value_wait(void)
{
	setup();
	OK(aclrtMemset(d, N_BYTES, 0, N_BYTES));
	OK(aclrtValueWait(d, 3, ACL_STREAM_WAIT_VALUE_GEQ, s));
	OK(aclrtValueWrite(d, 2, 0, s2));
	IS(aclrtSynchronizeStreamWithTimeout(s, 5), 507046);
	OK(aclrtValueWrite(d, 4, 0, s2));
	OK(aclrtSynchronizeStreamWithTimeout(s, 5000));
	OK(aclrtValueWait(d, 1, ACL_STREAM_WAIT_VALUE_AND, s));
	IS(aclrtSynchronizeStreamWithTimeout(s, 5), 507046);
	OK(aclrtMemset(d, 8, 1, 8)); /* by a copy, not by aclrtValueWrite */
	OK(aclrtSynchronizeStreamWithTimeout(s, 5000));
	IS(aclrtValueWait(a, 1, 0, s), 107000);
}

static void notifies(void)
{
	aclrtNotify n;

	setup();
	OK(aclrtCreateNotify(&n, ACL_NOTIFY_DEFAULT));
	OK(aclrtRecordNotify(n, s));
	OK(aclrtSynchronizeStream(s));
	OK(aclrtWaitAndResetNotify(n, s2, 0));
	OK(aclrtSynchronizeStream(s2));
	OK(aclrtWaitAndResetNotify(n, s2, 0)); /* the first wait has consumed it */
	IS(aclrtSynchronizeStreamWithTimeout(s2, 5), 507046);
	OK(aclrtRecordNotify(n, s));
	OK(aclrtSynchronizeStreamWithTimeout(s2, 5000));
	OK(aclrtDestroyNotify(n));
	IS(aclrtRecordNotify(n, s), 107017);
}

static atomic_int processing = 1;

static void *process_reports(void *arg)
{
	int rc = 0;

	while (atomic_load(&processing))
		rc = aclrtProcessReport(20);
	IS(rc == 507012 || rc == 107012 || !rc, 1);
	return arg;
}

static void callback_thread(void)
{
	pthread_t t;
	int n = 1;

	setup();
	OK(pthread_create(&t, NULL, process_reports, NULL));
	OK(aclrtSubscribeReport((uint64_t)t, s));
	IS(aclrtSubscribeReport((uint64_t)t, s), 107011);
	IS(aclrtLaunchHostFunc(s, add_one, &n), 107011);
	OK(aclrtLaunchCallback(add_one, &n, ACL_CALLBACK_BLOCK, s));
	OK(aclrtLaunchCallback(times_ten, &n, ACL_CALLBACK_NO_BLOCK, s));
	OK(aclrtSynchronizeStream(s)); /* waits for both */
	IS(n, 20);
	OK(aclrtUnSubscribeReport((uint64_t)t, s));
	atomic_store(&processing, 0);
	OK(pthread_join(t, NULL));
}

/* --- what settings provoke ---------------------------------------------------------------- */

static void fault(void)
{
	putenv("SOFTNPU_FAULT_TASK=2");
	setup();
	OK(aclrtMemsetAsync(d, 64, 1, 64, s));
	OK(aclrtMemsetAsync(d, 64, 2, 64, s));
	OK(aclrtMemsetAsync(d, 64, 3, 64, s));
	IS(aclrtSynchronizeStream(s), 507015);
	OK(aclrtSynchronizeStream(s)); /* reported once; the third ran */
	OK(aclrtMemcpy(b, 64, d, 64, TO_HOST));
	IS(b[0], 3);
}

static void limits(void)
{
	void *p;

	putenv("SOFTNPU_MEMORY=1M");
	putenv("SOFTNPU_DEVICES=1");
	putenv("SOFTNPU_STREAMS=2");
	OK(aclrtSetDevice(0));
	IS(aclrtSetDevice(1), 107001);
	IS(aclrtMalloc(&p, 8 << 20, 0), 207001);
	stream_new();
	IS(aclrtCreateStream(&s), 207008);
}

static void memory_of_each_device(void)
{
	void *p;

	putenv("SOFTNPU_MEMORY=64M,2M,4M");
	putenv("SOFTNPU_DEVICES=4");
	OK(aclrtSetDevice(0));
	OK(aclrtMalloc(&p, 8 << 20, 0));
	OK(aclrtSetDevice(1));
	IS(aclrtMalloc(&p, 3 << 20, 0), 207001);
	OK(aclrtMalloc(&p, 1 << 20, 0));
	OK(aclrtSetDevice(3));
	OK(aclrtMalloc(&p, 3 << 20, 0));
	IS(aclrtMalloc(&p, 3 << 20, 0), 207001);
}

static void some_peers(void)
{
	int32_t can = 9;

	putenv("SOFTNPU_PEER=0-1,2-63");
	putenv("SOFTNPU_DEVICES=64");
	OK(aclrtSetDevice(1));
	OK(aclrtDeviceCanAccessPeer(&can, 1, 0));
	IS(can, 1);
	OK(aclrtDeviceCanAccessPeer(&can, 1, 2));
	IS(can, 0);
	OK(aclrtDeviceCanAccessPeer(&can, 63, 2));
	IS(can, 1);
	OK(aclrtDeviceEnablePeerAccess(0, 0));
	IS(aclrtDeviceEnablePeerAccess(2, 0), 207000);
	OK(aclrtSetDevice(63));
	OK(aclrtDeviceEnablePeerAccess(2, 0));
}

/* The tasks of one stream take a minute each. */
static void one_slow_stream(void)
{
	aclrtStream other;
	int32_t id = -1;

	putenv("SOFTNPU_STREAM_US=3:60000000,7:1");
	setup();
	other = stream_new();
	OK(aclrtStreamGetId(other, &id));
	IS(id, 3);
	OK(aclrtMemsetAsync(d, 64, 1, 64, other));
	OK(aclrtMemsetAsync(d, 64, 2, 64, s));
	OK(aclrtSynchronizeStream(s));
	IS(aclrtSynchronizeStreamWithTimeout(other, 50), 507046);
}

static void lost_device(void)
{
	aclrtDeviceStatus status = 9;
	aclrtEvent e;

	putenv("SOFTNPU_LOST_DEVICE=1:2");
	OK(aclrtSetDevice(1));
	setup();
	OK(aclrtSetDevice(1));
	s = stream_new();
	d = device_new(64);
	e = event_ex(ACL_EVENT_SYNC);
	OK(aclrtQueryDeviceStatus(1, &status));
	IS(status, ACL_RT_DEVICE_STATUS_NORMAL);
	OK(aclrtMemsetAsync(d, 64, 1, 64, s));
	OK(aclrtRecordEvent(e, s));
	IS(aclrtSynchronizeEvent(e), 507010); /* that was the second task */
	IS(aclrtMemsetAsync(d, 64, 2, 64, s), 507010);
	IS(aclrtSynchronizeStream(s), 507010);
	IS(aclrtSynchronizeStream(s), 507010); /* for good */
	OK(aclrtQueryDeviceStatus(1, &status));
	IS(status, ACL_RT_DEVICE_STATUS_ABNORMAL);
	OK(aclrtQueryDeviceStatus(0, &status));
	IS(status, ACL_RT_DEVICE_STATUS_NORMAL);
}

static void calls_that_fail(void)
{
	void *p;

	putenv("SOFTNPU_INJECT=aclrtMalloc:when=2:error=207001; "
	       "aclrtCreateS*:when=2+:error=507899;aclrtFree:delay=20ms");
	OK(aclrtSetDevice(0));
	OK(aclrtMalloc(&p, 64, 0));
	IS(aclrtMalloc(&p, 64, 0), 207001);
	IS(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 207001);
	OK(aclrtMalloc(&p, 64, 0));
	OK(aclrtCreateStream(&s));
	IS(aclrtCreateStreamWithConfig(&s, 0, 0), 507899);
	IS(aclrtCreateStream(&s), 507899);
	OK(aclrtFree(p));
}

/* What a call of the program makes of others is not counted: aclrtFreeWithDevSync synchronises. */
static void calls_told_to_fail(void)
{
	void *p;

	OK(aclrtSetDevice(0));
	IS(softnpu_inject("aclrtSynchronizeDevice:error"), 100000);
	IS(softnpu_inject("aclrtSynchronizeDevic:error=507015"), 100000);
	OK(softnpu_inject("aclrtSynchronizeDevice:error=507015"));
	OK(aclrtMalloc(&p, 64, 0));
	OK(aclrtFreeWithDevSync(p));
	IS(aclrtSynchronizeDevice(), 507015);
	OK(softnpu_inject(NULL));
	OK(aclrtSynchronizeDevice());
}

static void on_device(void)
{
	aclrtRunMode mode = ACL_HOST;

	putenv("SOFTNPU_RUN_MODE=device");
	setup();
	OK(aclrtGetRunMode(&mode));
	IS(mode, ACL_DEVICE);
	OK(aclrtMemcpyAsync(b, N_BYTES, a, N_BYTES, ACL_MEMCPY_HOST_TO_HOST, s)); /* all on-chip */
	OK(aclrtSynchronizeStream(s));
	same();
}

static void oldest_profile(void)
{
	putenv("SOFTNPU_CANN=8.1");
	OK(aclInit(NULL));
	IS(aclInit(NULL), 100002);
	setup();
	OK(aclrtMemcpyAsync(b, N_BYTES, a, N_BYTES, ACL_MEMCPY_HOST_TO_HOST, s));
	IS(aclrtSynchronizeStream(s), 507899);
	OK(aclrtSetDevice(0));
	OK(aclrtResetDevice(0)); /* one is enough */
	IS(aclrtResetDevice(0), 507007);
}

static const struct tap_case cases[] = {
	C(sync_copies),
	C(async_copies),
	C(staged_copy),
	C(copies_2d),
	C(batch),
	C(sets),
	C(bad_address),
	C(event_order),
	C(wait_is_for_the_record_before),
	C(wait_before_record),
	C(peer_copy),
	C(replays),
	C(replay_order),
	C(external_event),
	C(while_loop),
	C(branches),
	C(body_missing),
	C(label_loop),
	C(value_wait),
	C(notifies),
	C(callback_thread),
	C(fault),
	C(limits),
	C(memory_of_each_device),
	C(some_peers),
	C(one_slow_stream),
	C(lost_device),
	C(calls_that_fail),
	C(calls_told_to_fail),
	C(on_device),
	C(oldest_profile),
	C(label_of_a_context_that_is_gone),
};

int main(void)
{
	static const char *const slow[] = {"SOFTNPU_TASK_US=300", NULL};

	tap_run(cases, COUNT(cases), "", NULL);
	tap_run(cases, 20, "slow tasks: ", slow);
	return tap_done();
}
