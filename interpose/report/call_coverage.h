/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of the program's calls reached us, and by which way; and which modules
 * hold the runtime's own addresses, so that their calls pass us by.
 */
#ifndef INTERPOSE_CALL_COVERAGE_H
#define INTERPOSE_CALL_COVERAGE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "checks/engine/call_record.h"
#include "interpose/common/json_writer.h"

/* Are counts wanted (a report is written, or what is called last is noted)? Asked when states are settled. */
bool call_coverage_wanted(void);

enum coverage_way { WAY_LINKED, WAY_DLSYM, WAY_INSIDE, WAY_CALLBACK, WAY_COUNT };

/* A table has one for each function. */
struct call_counts {
	_Atomic uint64_t by[WAY_COUNT];
};

/* The table that a thread counts in; few share one, and then a count costs a cache line's way, never a lock.
 */
struct call_counts *call_coverage_table(uint32_t tid);
/* One call, on its thread. */
void call_coverage_count(const struct acl_call_record *ev);

/*
 * The same for most calls: the program's own, not in a callback, not fetched by dlsym, and not the first of
 * its function, which is false.
 */
static inline bool call_coverage_count_again(struct call_counts *table, unsigned api)
{
	_Atomic uint64_t *count = &table[api].by[WAY_LINKED];

	if (__builtin_expect(!atomic_load_explicit(count, memory_order_relaxed), 0))
		return false;
	atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
	return true;
}

/* Looks for modules that pass us by; those that are not CANN's own make the verdict inconclusive. */
void call_coverage_search(void);
/* The part of it that a dlclose takes away: a copy of the runtime. */
void call_coverage_search_copies(void);
/* "reach": {"calls": [...], "around": [...]} */
void call_coverage_json(struct jout *j);
/* In the child after fork: nothing was called yet. */
void call_coverage_forked(void);

#endif
