/* SPDX-License-Identifier: Apache-2.0 */
/* What is measured: loops of calls, and the objects that they use. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define BLOCK 4096
#define SMALL 512 /* the smallest of mixed sizes */
#define HOST ((size_t)BENCH_STREAMS * BLOCK)

#define LOOP(name, call)                                                                                     \
	static __attribute__((noinline)) void name(struct bench_variant *v, size_t n, size_t first)          \
	{                                                                                                    \
		for (size_t i = first; i < first + n; i++)                                                   \
			call;                                                                                \
	}

static aclrtEventRecordedStatus status;
static __thread int32_t id;

LOOP(loop_unchecked, v->aclrtStreamGetId(v->streams[0], &id))
LOOP(loop_query, v->aclrtQueryEventStatus(v->events[i % BENCH_STREAMS], &status))
LOOP(loop_record, v->aclrtRecordEvent(v->events[i % BENCH_STREAMS], v->streams[i % BENCH_STREAMS]))
LOOP(loop_wait, v->aclrtStreamWaitEvent(v->streams[i % BENCH_STREAMS], v->events[(i + 1) % BENCH_STREAMS]))

/* --- copies ---------------------------------------------------------------- */

/* Every stream has its own part of the host's memory. */
static inline void copy_on(struct bench_variant *v, void *block, size_t bytes, size_t stream)
{
	v->aclrtMemcpyAsync(block, bytes, (char *)v->host + stream * BLOCK, bytes, ACL_MEMCPY_HOST_TO_DEVICE,
		v->streams[stream]);
}

/* A block is always used on the same stream: copies to it on two of them would be a race. */
static inline void copy_to(struct bench_variant *v, void *block, size_t bytes)
{
	copy_on(v, block, bytes, (uintptr_t)block / SMALL % BENCH_STREAMS);
}

/*
 * A working set of ten, of a thousand spread over all, and all of them in random
 * order.  The order is a list read from front to back: what the loop itself misses
 * in the caches would be hidden behind the next calls in a bare one only.
 */
LOOP(loop_copy_ten, copy_to(v, v->blocks[i % 10], BLOCK))
LOOP(loop_copy_set, copy_to(v, v->blocks[(i % 1000) * (v->n_blocks / 1000)], BLOCK))
LOOP(loop_copy_random, copy_to(v, v->order[i % v->n_order], BLOCK))
LOOP(loop_copy_mixed, copy_to(v, v->order[i % v->n_order], SMALL))

/* A copy on each of the streams in turn, for which the next stream waits: three calls. */
static inline void cross(struct bench_variant *v, size_t i, size_t streams)
{
	size_t s = i % streams, next = (s + 1) % streams;

	copy_on(v, (char *)v->large + s * SMALL, SMALL, s);
	v->aclrtRecordEvent(v->events[s], v->streams[s]);
	if (next != s)
		v->aclrtStreamWaitEvent(v->streams[next], v->events[s]);
}

LOOP(loop_cross_1, cross(v, i, 1))
LOOP(loop_cross_8, cross(v, i, 8))
LOOP(loop_cross_64, cross(v, i, BENCH_STREAMS))

/* So many accesses to one block at once: two sizes of each piece in turn, so that none is the last one again.
 */
static inline void pending(struct bench_variant *v, size_t i, size_t accesses)
{
	size_t piece = i % (accesses / 2), bytes = i / (accesses / 2) % 2 ? 48 : 64,
	       s = piece % BENCH_STREAMS;

	v->aclrtMemcpyAsync((char *)v->large + piece * 64, bytes, (char *)v->host + s * BLOCK, bytes,
		ACL_MEMCPY_HOST_TO_DEVICE, v->streams[s]);
}

LOOP(loop_pending_10, pending(v, i, 10))
LOOP(loop_pending_1000, pending(v, i, 1000))

LOOP(loop_replay, v->aclmdlRIExecuteAsync(v->model, v->streams[0]))

/* Up to sixteen threads: streams, events and blocks of their own. */
#define OWN (BENCH_STREAMS / BENCH_THREADS)
#define OWN_BLOCKS (12 * OWN)

static inline size_t own_stream(size_t i)
{
	return bench_thread * OWN + i % OWN;
}

LOOP(loop_record_threads, v->aclrtRecordEvent(v->events[own_stream(i)], v->streams[own_stream(i)]))
LOOP(loop_copy_threads,
	copy_on(v, v->blocks[100 + bench_thread * OWN_BLOCKS + i % OWN_BLOCKS], BLOCK, own_stream(i)))

/* Events that are many, in an order that no cache foresees. */
LOOP(loop_record_many, v->aclrtRecordEvent(v->many[i * 2654435761u % BENCH_MANY], v->streams[0]))

/* Launches without end, and one that waits for them all. */
#define STORM 3000
#define ARGUMENTS 64 /* bytes of a kernel's arguments */

static inline void launch(struct bench_variant *v, aclrtStream stream)
{
	v->aclrtLaunchKernel((aclrtFuncHandle)(uintptr_t)0x6a0000001000, 8, v->large, ARGUMENTS, stream);
}

static inline void storm(struct bench_variant *v, size_t i)
{
	launch(v, v->streams[0]);
	if (i % STORM == STORM - 1)
		v->aclrtSynchronizeStream(v->streams[0]);
}

LOOP(loop_storm, storm(v, i))

/* One site that breaks async-copy-alignment every time. */
LOOP(loop_repeat, v->aclrtMemcpyAsync(v->blocks[0], 64, (char *)v->host + 4, 64, ACL_MEMCPY_HOST_TO_DEVICE,
			  v->streams[(uintptr_t)v->blocks[0] / SMALL % BENCH_STREAMS]))

/* Places that break it, each with a return address of its own. */
#define SITE                                                                                                 \
	__asm__ volatile("");                                                                                \
	copy_on(v, (char *)v->blocks[0] + 4, 64, stream);                                                    \
	*ns++ = bench_cpu_ns();
#define SITES_4 SITE SITE SITE SITE
#define SITES_16 SITES_4 SITES_4 SITES_4 SITES_4
#define SITES_64 SITES_16 SITES_16 SITES_16 SITES_16
_Static_assert(BENCH_SITES == 256, "as many as bench_new_sites() has");

__attribute__((noinline)) void bench_new_sites(struct bench_variant *v, double *ns)
{
	size_t stream = (uintptr_t)v->blocks[0] / SMALL % BENCH_STREAMS;

	*ns++ = bench_cpu_ns();
	SITES_64 SITES_64 SITES_64 SITES_64
}

/* A batch to as many blocks from one piece of host memory; n counts its entries. */
static inline void batch(struct bench_variant *v, size_t n, size_t entries)
{
	static size_t sizes[BENCH_BATCH], none;
	static void *host[BENCH_BATCH];
	aclrtMemcpyBatchAttr attributes = {
		.dstLoc = {0, ACL_MEM_LOCATION_TYPE_DEVICE}, .srcLoc = {0, ACL_MEM_LOCATION_TYPE_HOST}};
	size_t failed;

	if (host[0] != v->host)
		for (size_t i = 0; i < BENCH_BATCH; i++) {
			host[i] = v->host;
			sizes[i] = SMALL;
		}
	for (size_t i = 0; i < n; i += entries)
		v->aclrtMemcpyBatchAsync(
			v->batch, sizes, host, sizes, entries, &attributes, &none, 1, &failed, v->streams[0]);
}

LOOP(loop_batch_2, (batch(v, n, 2), i = first + n))
LOOP(loop_batch_64, (batch(v, n, 64), i = first + n))
LOOP(loop_batch_4096, (batch(v, n, 4096), i = first + n))

/* --- memory that comes and goes -------------------------------------------------------- */

static inline void reserve(struct bench_variant *v, size_t bytes)
{
	void *range = NULL;

	v->aclrtReserveMemAddress(&range, bytes, 0, NULL, 0);
	v->aclrtReleaseMemAddress(range);
}

LOOP(loop_reserve_small, reserve(v, BLOCK))
LOOP(loop_reserve_vast, reserve(v, (size_t)64 << 30))

/* Ranges without memory: neither the runtime nor the checks read what is registered. */
static void *range_at(size_t i)
{
	return (void *)(UINT64_C(0x300000000000) + i * 2 * BLOCK);
}

static void register_again(struct bench_variant *v, size_t i)
{
	void *device;

	v->aclrtHostUnregister(range_at(i * 7919 % v->n_registered));
	v->aclrtHostRegister(range_at(i * 7919 % v->n_registered), BLOCK, ACL_HOST_REGISTER_MAPPED, &device);
}

LOOP(loop_register, register_again(v, i))

/* One thread does what the two do. */
static void loop_mix(struct bench_variant *v, size_t n, size_t first)
{
	for (bench_thread = 0; bench_thread < BENCH_MIX_THREADS; bench_thread++)
		bench_loop_mix(v, n, first);
	bench_thread = 0;
}

bench_loop_fn bench_loop(const char *name)
{
	static const struct {
		const char *name;
		bench_loop_fn loop;
	} loops[] = {
#define LOOP_NAMED(name) {#name, loop_##name},
		BENCH_LOOPS(LOOP_NAMED)
#undef LOOP_NAMED
	};

	for (unsigned l = 0; l < sizeof(loops) / sizeof(loops[0]); l++)
		if (!strcmp(loops[l].name, name))
			return loops[l].loop;
	return NULL;
}

/* --- objects ------------------------------------------------------------------------------ */

void bench_register(struct bench_variant *v, size_t ranges)
{
	void *device;

	for (; v->n_registered < ranges; v->n_registered++)
		v->aclrtHostRegister(range_at(v->n_registered), BLOCK, ACL_HOST_REGISTER_MAPPED, &device);
}

void bench_objects(struct bench_variant *v)
{
	v->aclrtSetDevice(0);
	for (unsigned i = 0; i < BENCH_STREAMS; i++) {
		v->aclrtCreateStream(&v->streams[i]);
		v->aclrtCreateEventExWithFlag(&v->events[i], ACL_EVENT_SYNC);
		v->aclrtRecordEvent(v->events[i], v->streams[i]);
	}
	v->aclrtMallocHost(&v->host, HOST);
	v->batch = malloc(BENCH_BATCH * sizeof(*v->batch));
	for (unsigned i = 0; i < BENCH_BATCH; i++)
		v->aclrtMalloc(&v->batch[i], BLOCK, ACL_MEM_MALLOC_HUGE_FIRST);
	v->aclrtMalloc(&v->large, BENCH_STREAMS * BLOCK, ACL_MEM_MALLOC_HUGE_FIRST);
	bench_register(v, 10);
}

void bench_capture(struct bench_variant *v, size_t copies)
{
	v->aclmdlRICaptureBegin(v->streams[0], ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL);
	for (size_t i = 0; i < copies; i++)
		copy_on(v, v->batch[i], BLOCK, 0);
	v->aclmdlRICaptureEnd(v->streams[0], &v->model);
}

void bench_settle(struct bench_variant *v)
{
	for (unsigned i = 0; i < BENCH_STREAMS; i++)
		v->aclrtSynchronizeStream(v->streams[i]);
}

void bench_two_devices(struct bench_variant *v)
{
	v->aclrtSetDevice(1);
	v->aclrtSetDevice(0);
}

static void shuffle(void **out, void **in, size_t n)
{
	uint64_t random = 88172645463325252u;

	memcpy(out, in, n * sizeof(*out));
	for (size_t i = n - 1; i > 0; i--) {
		size_t j;
		void *other;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		j = random % (i + 1);
		other = out[j];
		out[j] = out[i];
		out[i] = other;
	}
}

void bench_grow(struct bench_variant *v, size_t blocks)
{
	v->blocks = realloc(v->blocks, blocks * sizeof(*v->blocks));
	for (; v->n_blocks < blocks; v->n_blocks++)
		v->aclrtMalloc(&v->blocks[v->n_blocks], BLOCK, ACL_MEM_MALLOC_HUGE_FIRST);
	v->order = realloc(v->order, blocks * sizeof(*v->order));
	v->n_order = blocks;
	shuffle(v->order, v->blocks, blocks);
}

/* More blocks, of which nothing can be reckoned from the ones before; the order is of them alone. */
void bench_grow_mixed(struct bench_variant *v, size_t blocks)
{
	for (size_t i = BENCH_KEPT; i < v->n_blocks; i++)
		v->aclrtFree(v->blocks[i]);
	v->n_blocks = v->n_blocks < BENCH_KEPT ? v->n_blocks : BENCH_KEPT;
	v->blocks = realloc(v->blocks, (v->n_blocks + blocks) * sizeof(*v->blocks));
	for (uint32_t i = 0; i < blocks; i++)
		v->aclrtMalloc(&v->blocks[v->n_blocks + i], (size_t)SMALL << (i * 2654435761u >> 29),
			ACL_MEM_MALLOC_HUGE_FIRST);
	v->order = realloc(v->order, blocks * sizeof(*v->order));
	shuffle(v->order, v->blocks + v->n_blocks, blocks);
	v->n_order = blocks;
	v->n_blocks += blocks;
}

static void one_of_many(struct bench_variant *v, enum bench_kind kind, void **object)
{
	switch (kind) {
	case BENCH_BLOCK:
		v->aclrtMalloc(object, BLOCK, ACL_MEM_MALLOC_HUGE_FIRST);
		break;
	case BENCH_EVENT:
	case BENCH_EVENT_USED:
		v->aclrtCreateEventExWithFlag(object, ACL_EVENT_SYNC);
		break;
	case BENCH_STREAM:
	case BENCH_STREAM_USED:
		v->aclrtCreateStream(object);
	}
	if (kind == BENCH_EVENT_USED) {
		v->aclrtRecordEvent(*object, v->streams[0]);
		v->aclrtStreamWaitEvent(v->streams[1], *object);
	} else if (kind == BENCH_STREAM_USED) {
		v->aclrtRecordEvent(v->events[0], v->streams[0]);
		v->aclrtStreamWaitEvent(*object, v->events[0]);
		launch(v, *object);
		v->aclrtSynchronizeStream(*object);
	}
}

void bench_many(struct bench_variant *v, enum bench_kind kind, size_t n)
{
	if (!v->many)
		v->many = malloc(BENCH_MANY * sizeof(*v->many));
	for (size_t i = 0; i < n; i++)
		one_of_many(v, kind, &v->many[i]);
}

void bench_none(struct bench_variant *v, enum bench_kind kind, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (kind == BENCH_BLOCK)
			v->aclrtFree(v->many[i]);
		else if (kind == BENCH_EVENT || kind == BENCH_EVENT_USED)
			v->aclrtDestroyEvent(v->many[i]);
		else
			v->aclrtDestroyStream(v->many[i]);
	}
}
