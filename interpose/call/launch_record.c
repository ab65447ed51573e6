/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slabs of records and three lists of those that are over: the youngest, older
 * ones, and those to use again.  When the last is empty and enough are in the
 * first, each list takes the place of the next.
 *
 * Records of models stand in one list, which is gone through when it has doubled:
 * what belongs to a model that is gone is over.
 */
#include "interpose/call/launch_record.h"

#include <stdbool.h>
#include <stddef.h>

#include "checks/engine/lock.h"
#include "interpose/common/tool_arena.h"
#include "interpose/process/process_state.h"

#define SLAB 256
#define SLABS 4096
#define REST 1024 /* records that are over before the first of them is used again */
#define SWEEP 1024 /* recorded ones before the first look for models that are gone */

enum launch_state {
	LAUNCH_PENDING, /* will run once, or was recorded */
	LAUNCH_OVER, /* ran, or was refused, or its model is gone */
	LAUNCH_KEPT /* ran again when it was over: something recorded it that we did not see */
};

/* The count above the index is against a head that comes back between a look and a swap. */
struct launch_list {
	_Atomic uint64_t head;
};

static _Atomic(struct launch *) slabs[SLABS];
static _Atomic uint32_t n_launches = 1; /* 0 = end of a list */
static struct launch_list youngest, older, reusable, recorded;
static _Atomic uint32_t n_youngest, n_recorded;
static uint32_t sweep_at = SWEEP; /* under the lock */
static struct acl_lock lists;

static struct launch *launch_at(uint32_t index)
{
	struct launch *slab = atomic_load_explicit(&slabs[index / SLAB], memory_order_acquire);

	return &slab[index % SLAB];
}

static void push(struct launch_list *list, struct launch *l)
{
	uint64_t head = atomic_load_explicit(&list->head, memory_order_relaxed), next;

	do {
		atomic_store_explicit(&l->next, (uint32_t)head, memory_order_relaxed);
		next = ((head >> 32) + 1) << 32 | l->index;
	} while (!atomic_compare_exchange_weak_explicit(
		&list->head, &head, next, memory_order_acq_rel, memory_order_relaxed));
}

static struct launch *pop(struct launch_list *list)
{
	uint64_t head = atomic_load_explicit(&list->head, memory_order_acquire), next;
	struct launch *l;

	do {
		if (!(uint32_t)head)
			return NULL;
		l = launch_at((uint32_t)head);
		next = ((head >> 32) + 1) << 32 | atomic_load_explicit(&l->next, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(
		&list->head, &head, next, memory_order_acq_rel, memory_order_acquire));
	return l;
}

/* All of a list; the list is empty then. */
static uint32_t take_all(struct launch_list *list)
{
	uint64_t head = atomic_load_explicit(&list->head, memory_order_acquire);

	while (!atomic_compare_exchange_weak_explicit(
		&list->head, &head, ((head >> 32) + 1) << 32, memory_order_acq_rel, memory_order_acquire))
		;
	return (uint32_t)head;
}

/* Under the lock, to an empty list to which no other thread adds. */
static void put_all(struct launch_list *list, uint32_t first)
{
	uint64_t head = atomic_load_explicit(&list->head, memory_order_relaxed);

	atomic_store_explicit(&list->head, ((head >> 32) + 1) << 32 | first, memory_order_release);
}

static void over(struct launch *l)
{
	push(&youngest, l);
	atomic_fetch_add_explicit(&n_youngest, 1, memory_order_relaxed);
}

static struct launch *launch_reuse(void)
{
	struct launch *l;

	do {
		l = pop(&reusable);
		if (!l && atomic_load_explicit(&n_youngest, memory_order_relaxed) >= REST) {
			lock(&lists);
			if (!(uint32_t)atomic_load(&reusable.head) && atomic_load(&n_youngest) >= REST) {
				put_all(&reusable, take_all(&older));
				atomic_store(&n_youngest, 0);
				put_all(&older, take_all(&youngest));
			}
			unlock(&lists);
			l = pop(&reusable);
		}
	} while (l && atomic_load(&l->state) == LAUNCH_KEPT);
	return l;
}

static struct launch *launch_add(void)
{
	uint32_t index = atomic_load(&n_launches);
	struct launch *slab, *none = NULL, *l;

	do {
		if (index >= SLAB * SLABS)
			return NULL;
	} while (!atomic_compare_exchange_weak(&n_launches, &index, index + 1));
	if (!atomic_load_explicit(&slabs[index / SLAB], memory_order_acquire)) {
		slab = arena_alloc(SLAB * sizeof(*slab));
		/* A loser's untouched pages cost address space only. */
		if (slab)
			atomic_compare_exchange_strong(&slabs[index / SLAB], &none, slab);
		else if (!atomic_load_explicit(&slabs[index / SLAB], memory_order_acquire))
			return NULL;
	}
	l = launch_at(index);
	l->index = index;
	return l;
}

struct launch *launch_new(void)
{
	struct launch *l = launch_reuse();

	if (!l)
		l = launch_add();
	if (l)
		atomic_store(&l->state, LAUNCH_PENDING);
	return l;
}

/* Under the lock. */
static void sweep(void)
{
	uint32_t index = take_all(&recorded), kept = 0, seen = 0;

	while (index) {
		struct launch *l = launch_at(index);

		index = atomic_load_explicit(&l->next, memory_order_relaxed);
		seen++;
		if (checks_model_lives(acl_process.checks, l->model)) {
			push(&recorded, l);
			kept++;
		} else {
			atomic_store(&l->state, LAUNCH_OVER);
			over(l);
		}
	}
	atomic_fetch_sub(&n_recorded, seen - kept);
	sweep_at = 2 * kept > SWEEP ? 2 * kept : SWEEP;
}

void launch_recorded(struct launch *l)
{
	push(&recorded, l);
	if (atomic_fetch_add(&n_recorded, 1) + 1 < SWEEP)
		return;
	lock(&lists);
	if (atomic_load(&n_recorded) >= sweep_at)
		sweep();
	unlock(&lists);
}

void launch_refused(struct launch *l)
{
	uint32_t pending = LAUNCH_PENDING;

	if (atomic_compare_exchange_strong(&l->state, &pending, LAUNCH_OVER))
		over(l);
}

void launch_runs(struct launch *l)
{
	uint32_t pending = LAUNCH_PENDING;

	if (l->model != CHECKS_RUNS_ONCE)
		return;
	if (atomic_compare_exchange_strong(&l->state, &pending, LAUNCH_OVER))
		over(l);
	else
		atomic_store(&l->state, LAUNCH_KEPT);
}
