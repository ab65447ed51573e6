/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many threads live a correct program's life over one checker: memory comes and
 * goes and its addresses are given out again to other threads, streams, events
 * and models are made and destroyed.  Whatever is found is a mistake of the
 * tables.  Meant for the sanitizers; small enough for every run.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "checks/engine/atomics.h"
#include "tests/checks/bare_checker.h"

#define THREADS 4
#define SLOTS 64
#define DEVICE_MEMORY 0x120000000000ul
#define HOST_MEMORY 0x7f0000000000ul
#define SPACING (1ul << 20)

static struct checks *checks;
static _Atomic unsigned findings;
static _Atomic bool taken[2][SLOTS]; /* blocks the runtime has given out: of the device, of the host */
static _Atomic bool handles_taken[SLOTS];

static enum acl_host_class class_of(void *context, const void *address)
{
	(void)context;
	(void)address;
	/* An address the map lost would count as heap, and the copy as one inside the host. */
	return ACL_HOST_HEAP;
}

static void finding(void *context, const struct acl_finding *f)
{
	(void)context;
	/* What could be done better is said all the same: it allocates anew in each round. */
	if (f->advice)
		return;
	if (counter_inc(&findings) < 8)
		printf("# %s: %s\n", f->rule->id, f->detail ? f->detail : "");
}

struct player {
	unsigned number;
	uint32_t random;
};

static unsigned next(struct player *p, unsigned below)
{
	p->random = p->random * 1664525u + 1013904223u;
	return (p->random >> 8) % below;
}

static void call(struct player *p, unsigned api, void *args, unsigned line)
{
	struct acl_call_record ev;

	acl_call_record_init(&ev, api, args, 0x400000 + line);
	ev.tid = p->number + 1;
	ev.pthread_id = (p->number + 1) * 4096ul;
	ev.module = 1;
	checks_enter(checks, &ev);
	ev.result.i = 0;
	checks_leave(checks, &ev);
}

#define CALL(p, function, ...)                                                                               \
	do {                                                                                                 \
		struct acl_args_##function args_ = {__VA_ARGS__};                                            \
		call(p, ACL_API_##function, &args_, __LINE__);                                               \
	} while (0)

/* A free slot of the runtime's, which no other thread gets before it is given back. */
static unsigned take(struct player *p, _Atomic bool *slots)
{
	for (;;) {
		unsigned i = next(p, SLOTS);

		if (!atomic_exchange(&slots[i], true))
			return i;
		sched_yield();
	}
}

static void give(_Atomic bool *slots, unsigned i)
{
	atomic_store(&slots[i], false);
}

static void copies(struct player *p, void *stream)
{
	unsigned d = take(p, taken[0]), h = take(p, taken[1]);
	size_t size = (64u << next(p, 14)) + 64;
	char *device = (char *)(DEVICE_MEMORY + d * SPACING), *host = (char *)(HOST_MEMORY + h * SPACING);
	void *dout = device, *hout = host;

	CALL(p, aclrtMalloc, .devPtr = &dout, .size = size);
	CALL(p, aclrtMallocHost, .hostPtr = &hout, .size = size);
	for (unsigned i = 0; i < 4; i++) {
		size_t offset = next(p, (unsigned)(size / 64)) * 64;

		CALL(p, aclrtMemcpyAsync, .dst = device + offset, .destMax = 64, .src = host + offset,
			.count = 64, .kind = ACL_MEMCPY_DEFAULT, .stream = stream);
	}
	CALL(p, aclrtSynchronizeStream, .stream = stream);
	CALL(p, aclrtFree, .devPtr = device);
	CALL(p, aclrtFreeHost, .hostPtr = host);
	give(taken[0], d);
	give(taken[1], h);
}

static void *handle(unsigned i)
{
	return (void *)(0x55550000ul + i * 64ul);
}

static void events(struct player *p, void *stream)
{
	unsigned a = take(p, handles_taken), b = take(p, handles_taken);
	aclrtEvent e = handle(a);
	aclrtStream other = handle(b);

	CALL(p, aclrtCreateEventExWithFlag, .event = &e, .flag = ACL_EVENT_SYNC);
	CALL(p, aclrtCreateStream, .stream = &other);
	CALL(p, aclrtRecordEvent, .event = e, .stream = stream);
	CALL(p, aclrtStreamWaitEvent, .stream = other, .event = e);
	CALL(p, aclrtSynchronizeStream, .stream = other);
	CALL(p, aclrtDestroyEvent, .event = e);
	CALL(p, aclrtDestroyStream, .stream = other);
	give(handles_taken, a);
	give(handles_taken, b);
}

static void captures(struct player *p)
{
	unsigned a = take(p, handles_taken), b = take(p, handles_taken), d = take(p, taken[0]);
	aclrtStream s = handle(a);
	aclmdlRI model = handle(b);
	void *device = (void *)(DEVICE_MEMORY + d * SPACING);

	CALL(p, aclrtMalloc, .devPtr = &device, .size = 4096);
	CALL(p, aclrtCreateStream, .stream = &s);
	CALL(p, aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(p, aclrtMemsetAsync, .devPtr = device, .maxCount = 4096, .count = 64, .stream = s);
	CALL(p, aclmdlRICaptureEnd, .stream = s, .modelRI = &model);
	CALL(p, aclmdlRIExecuteAsync, .modelRI = model, .stream = s);
	CALL(p, aclrtSynchronizeStream, .stream = s);
	CALL(p, aclmdlRIDestroy, .modelRI = model);
	CALL(p, aclrtDestroyStream, .stream = s);
	CALL(p, aclrtFree, .devPtr = device);
	give(handles_taken, a);
	give(handles_taken, b);
	give(taken[0], d);
}

static void *play(void *player)
{
	struct player *p = player;
	unsigned mine = take(p, handles_taken);
	aclrtStream stream = handle(mine);
	int rounds = atoi(getenv("STRESS_ROUNDS") ? getenv("STRESS_ROUNDS") : "2000");

	CALL(p, aclrtSetDevice, .deviceId = 0);
	CALL(p, aclrtCreateStream, .stream = &stream);
	for (int i = 0; i < rounds; i++) {
		copies(p, stream);
		events(p, stream);
		captures(p);
	}
	CALL(p, aclrtDestroyStream, .stream = stream);
	CALL(p, aclrtResetDevice, .deviceId = 0);
	return NULL;
}

int main(void)
{
	struct checks_host host = {.memory = memory, .host_class = class_of, .finding = finding};
	struct checks_config config = {.target = CHECKS_TARGET_DOCUMENTS};
	struct player first = {100, 1}, players[THREADS];
	pthread_t threads[THREADS];
	struct checks_totals totals;

	checks = checks_create(&config, &host);
	CALL(&first, aclInit, .configPath = NULL);
	CALL(&first, aclrtSetDevice, .deviceId = 0);
	for (unsigned i = 0; i < THREADS; i++) {
		players[i] = (struct player){i, i * 7919 + 1};
		pthread_create(&threads[i], NULL, play, &players[i]);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CALL(&first, aclrtResetDevice, .deviceId = 0);
	call(&first, ACL_API_aclFinalize, &first, __LINE__);
	checks_finish(checks, CHECKS_END_EXIT);
	checks_totals(checks, &totals);
	printf("1..2\n%s 1 - a correct program of %d threads gives no finding\n", findings ? "not ok" : "ok",
		THREADS);
	printf("%s 2 - no table was full\n", totals.degraded ? "not ok" : "ok");
	return findings || totals.degraded;
}
