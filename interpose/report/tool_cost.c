/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sampling: each thread times one call in about 256, at distances that no loop
 * of the program keeps step with.  What the clock itself takes is taken off.  A
 * sample in which the thread was interrupted, or reported a finding, says nothing
 * about a call: those are counted apart.
 */
#include "interpose/report/tool_cost.h"

#include <stdatomic.h>
#include <time.h>

#include "interpose/common/thread_state.h"
#include "interpose/common/tool_memory.h"

#define DISTANCE 128 /* and up to twice as much on top */
#define INTERRUPTED_NS 100000

static struct {
	_Atomic uint64_t clock; /* what reading it twice takes, + 1; 0 = not known yet */
	_Atomic uint64_t samples, ns, interrupted;
	_Atomic uint64_t work_ns[COST_WORKS];
} cost;

uint64_t cost_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return ((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec) | 1;
}

static __attribute__((cold, noinline)) void learn_clock(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 32; i++) {
		uint64_t began = cost_now(), took = cost_now() - began;

		least = took < least ? took : least;
	}
	atomic_store(&cost.clock, least + 1);
}

uint64_t cost_begin(struct acl_thread *t)
{
	uint32_t x = t->sample_seed ? t->sample_seed : (uint32_t)(uintptr_t)t | 1;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	t->calls_to_sample = DISTANCE + x % (2 * DISTANCE);
	/* A thread's first call pays for much that no other does. */
	if (!t->sample_seed) {
		t->sample_seed = x;
		return 0;
	}
	t->sample_seed = x;
	if (!atomic_load_explicit(&cost.clock, memory_order_relaxed))
		learn_clock();
	return cost_now();
}

void cost_sample(uint64_t ns)
{
	uint64_t clock = 2 * (atomic_load_explicit(&cost.clock, memory_order_relaxed) - 1);

	if (ns >= INTERRUPTED_NS) {
		atomic_fetch_add_explicit(&cost.interrupted, 1, memory_order_relaxed);
		return;
	}
	atomic_fetch_add_explicit(&cost.samples, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&cost.ns, ns > clock ? ns - clock : 0, memory_order_relaxed);
}

void cost_work(enum cost_work work, uint64_t began)
{
	atomic_fetch_add_explicit(&cost.work_ns[work], cost_now() - began, memory_order_relaxed);
}

void cost_json(struct jout *j)
{
	static const char *const names[COST_WORKS] = {"open_us", "findings_us", "finish_us"};
	uint64_t mapped, used;

	jout_object(j, "cost");
	jout_uint(j, "samples", atomic_load(&cost.samples));
	jout_uint(j, "samples_ns", atomic_load(&cost.ns));
	jout_uint(j, "interrupted", atomic_load(&cost.interrupted));
	for (unsigned i = 0; i < COST_WORKS; i++)
		jout_uint(j, names[i], atomic_load(&cost.work_ns[i]) / 1000);
	tool_memory_usage(&mapped, &used);
	jout_uint(j, "memory_mapped", mapped);
	jout_uint(j, "memory_used", used);
	jout_object_end(j);
}

void cost_forked(void)
{
	atomic_store(&cost.samples, 0);
	atomic_store(&cost.ns, 0);
	atomic_store(&cost.interrupted, 0);
	for (unsigned i = 0; i < COST_WORKS; i++)
		atomic_store(&cost.work_ns[i], 0);
}
