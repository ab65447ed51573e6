/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What clients that run for long do, in a thousand calls: for each device a thread that submits and one that
 * asks, allocates and waits.  The live set is one for all devices together: 40 streams, 5 000 events, 2 000
 * blocks, 60 graphs of 500 tasks.
 */
#include <stdlib.h>

#include "bench.h"

#define UNIT 1000 /* calls, of both threads */
#define DEVICES 8
#define STREAMS 40
#define EVENTS 5000
#define BLOCKS 2000
#define GRAPHS 60
#define TASKS 500
#define BYTES 4096
#define ROUNDS 10 /* of what is submitted in a unit */

/* Of one device. */
struct bench_mix {
	bool words; /* waits for words of memory, behind which anything may come; else for the updates */
	size_t n_streams, n_events, n_blocks, n_graphs;
	aclrtStream streams[STREAMS];
	aclrtEvent events[EVENTS], updated;
	void *blocks[BLOCKS]; /* each always on the same stream, or there would be races */
	void *flag, *arguments;
	char *host; /* of each stream a part that is read and one that is written */
	aclmdlRI graphs[GRAPHS];
	aclrtTaskGrp groups[GRAPHS];
};

#define ARGUMENTS 32 /* bytes of a kernel's arguments */
#define KERNEL ((aclrtFuncHandle)(uintptr_t)0x6a0000001000)

static void upload(struct bench_variant *v, struct bench_mix *m, size_t block)
{
	size_t stream = block % m->n_streams;

	v->aclrtMemcpyAsync(m->blocks[block], BYTES, m->host + 2 * stream * BYTES, BYTES,
		ACL_MEMCPY_HOST_TO_DEVICE, m->streams[stream]);
}

static void download(struct bench_variant *v, struct bench_mix *m, size_t block)
{
	size_t stream = block % m->n_streams;

	v->aclrtMemcpyAsync(m->host + (2 * stream + 1) * BYTES, BYTES, m->blocks[block], BYTES,
		ACL_MEMCPY_DEVICE_TO_HOST, m->streams[stream]);
}

/* To the next block of the same stream. */
static void move(struct bench_variant *v, struct bench_mix *m, size_t block)
{
	size_t to = block + m->n_streams < m->n_blocks ? block + m->n_streams : block % m->n_streams;

	v->aclrtMemcpyAsync(m->blocks[to], BYTES, m->blocks[block], BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE,
		m->streams[block % m->n_streams]);
}

static void launch(struct bench_variant *v, struct bench_mix *m, size_t i)
{
	v->aclrtLaunchKernel(KERNEL, 8, m->arguments, ARGUMENTS, m->streams[i % m->n_streams]);
}

static void wait_for_word(struct bench_variant *v, struct bench_mix *m)
{
	v->aclrtValueWrite(m->flag, 1, 0, m->streams[0]);
	v->aclrtValueWait(m->flag, 1, 0, m->streams[0]);
}

static void wait_for_update(struct bench_variant *v, struct bench_mix *m, size_t graph)
{
	size_t stream = graph % m->n_streams;

	v->aclrtRecordEvent(m->updated, m->streams[m->n_streams - 1]);
	if (stream != m->n_streams - 1)
		v->aclrtStreamWaitEvent(m->streams[stream], m->updated);
}

static void capture(struct bench_variant *v, struct bench_mix *m, size_t graph)
{
	size_t stream = graph % m->n_streams;

	v->aclmdlRICaptureBegin(m->streams[stream], ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL);
	for (size_t i = 0; i < TASKS; i++)
		upload(v, m, (stream + i * m->n_streams) % m->n_blocks);
	v->aclmdlRICaptureTaskGrpBegin(m->streams[stream]);
	launch(v, m, stream);
	v->aclmdlRICaptureTaskGrpEnd(m->streams[stream], &m->groups[graph]);
	v->aclmdlRICaptureEnd(m->streams[stream], &m->graphs[graph]);
}

static void make_device(struct bench_variant *v, struct bench_mix *m, size_t devices, bool words)
{
	m->words = words;
	m->n_streams = STREAMS / devices;
	m->n_events = EVENTS / devices;
	/* As many of each stream. */
	m->n_blocks = BLOCKS / devices / m->n_streams * m->n_streams;
	m->n_graphs = GRAPHS / devices;
	for (size_t i = 0; i < m->n_streams; i++)
		v->aclrtCreateStream(&m->streams[i]);
	v->aclrtMallocHost((void **)&m->host, 2 * m->n_streams * BYTES);
	v->aclrtMalloc(&m->flag, BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
	v->aclrtMalloc(&m->arguments, BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
	for (size_t i = 0; i < m->n_blocks; i++)
		v->aclrtMalloc(&m->blocks[i], BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
	for (size_t i = 0; i < m->n_events; i++) {
		v->aclrtCreateEventExWithFlag(&m->events[i], ACL_EVENT_SYNC);
		v->aclrtRecordEvent(m->events[i], m->streams[i % m->n_streams]);
	}
	v->aclrtCreateEventExWithFlag(&m->updated, ACL_EVENT_SYNC);
	for (size_t i = 0; i < m->n_graphs; i++)
		capture(v, m, i);
}

void bench_mix(struct bench_variant *v, size_t devices, bool words)
{
	v->mix = calloc(DEVICES, sizeof(*v->mix));
	if (!v->mix)
		abort();
	for (size_t d = 0; d < devices; d++) {
		v->aclrtSetDevice((int32_t)d);
		make_device(v, &v->mix[d], devices, words);
	}
	v->aclrtSetDevice(0);
}

/* 377 of a thousand calls. */
static void ask(struct bench_variant *v, struct bench_mix *m, int32_t device, size_t unit)
{
	aclrtEventRecordedStatus status;
	aclrtContext context;
	size_t free_bytes, total;
	int32_t current;
	void *p;

	for (size_t i = 0; i < 15; i++) {
		v->aclrtGetCurrentContext(&context);
		v->aclrtSetCurrentContext(context);
		for (size_t q = 0; q < 20; q++)
			v->aclrtQueryEventStatus(m->events[(unit * 300 + i * 20 + q) % m->n_events], &status);
		v->aclrtSetCurrentContext(context);
	}
	for (size_t i = 0; i < 10; i++) {
		v->aclrtSetDevice(device);
		v->aclrtGetDevice(&current);
	}
	for (size_t i = 0; i < 4; i++) {
		v->aclrtSynchronizeEvent(m->events[(unit * 4 + i) * 31 % m->n_events]);
		v->aclrtSynchronizeStream(m->streams[(unit * 4 + i) % m->n_streams]);
	}
	v->aclrtMalloc(&p, BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
	v->aclrtFree(p);
	v->aclrtMallocHost(&p, BYTES);
	v->aclrtFreeHost(p);
	v->aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total);
}

/* A tenth of the other 623. */
static void submit(struct bench_variant *v, struct bench_mix *m, size_t round)
{
	for (size_t i = 0; i < 15; i++) {
		size_t e = (round * 15 + i) % m->n_events;

		v->aclrtRecordEvent(m->events[e], m->streams[e % m->n_streams]);
		if (i < 10)
			v->aclrtStreamWaitEvent(m->streams[(e + 1) % m->n_streams], m->events[e]);
		if (i < 8)
			upload(v, m, (round * 8 + i) % m->n_blocks);
		if (i < 4)
			move(v, m, (round * 4 + i) * 7 % m->n_blocks);
		if (i < 3) {
			if (m->words)
				wait_for_word(v, m);
			v->aclmdlRICaptureTaskUpdateBegin(
				m->streams[m->n_streams - 1], m->groups[(round * 3 + i) % m->n_graphs]);
			launch(v, m, m->n_streams - 1);
			v->aclmdlRICaptureTaskUpdateEnd(m->streams[m->n_streams - 1]);
			if (!m->words)
				wait_for_update(v, m, round % m->n_graphs);
		}
		if (i < 9)
			launch(v, m, round + i);
	}
	download(v, m, round * 11 % m->n_blocks);
	if (round % ROUNDS % 3 == 1) {
		size_t g = round % m->n_graphs;

		v->aclmdlRIExecuteAsync(m->graphs[g], m->streams[g % m->n_streams]);
	}
}

void bench_loop_mix(struct bench_variant *v, size_t n, size_t first)
{
	int32_t device = (int32_t)(bench_thread / BENCH_MIX_THREADS);
	struct bench_mix *m = &v->mix[device];

	v->aclrtSetDevice(device);
	for (size_t unit = first / UNIT; unit < (first + n) / UNIT; unit++)
		if (bench_thread % BENCH_MIX_THREADS)
			ask(v, m, device, unit);
		else
			for (size_t round = 0; round < ROUNDS; round++)
				submit(v, m, unit * ROUNDS + round);
}
