/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last calls of each thread, for reports: what led up to a finding, and
 * where the threads of a killed process were.  The second needs memory that
 * outlives the process: a file beside the journal, mapped.
 */
#ifndef INTERPOSE_LAST_CALLS_H
#define INTERPOSE_LAST_CALLS_H

#include <stdatomic.h>
#include <string.h>

#include "aclcheck/model.h"
#include "checks/engine/call_record.h"
#include "interpose/common/json_writer.h"
#include "interpose/common/last_calls_file.h"

/*
 * From here on calls are kept, in REPORT.calls where that is safe: on file
 * systems that promise the space they gave out, so that no page can be missing
 * later (SIGBUS).  Elsewhere in the process' own memory; then *why says why.
 */
void last_calls_begin(const char *report, const char **why);
/* The process ends by itself: the file goes, and comes again when an exec failed. */
void last_calls_end(void);

/* Where a call is noted, from last_calls_enter() to last_calls_leave(). */
struct last_call {
	struct last_calls_entry *entry;
	uint64_t number; /* in its ring */
};

/* The thread's ring, where one that nobody reads is as good as any. */
struct last_calls_ring *last_calls_ring(uint32_t tid);
/* A call that is not noted. */
void last_calls_none(struct last_call *l);

/* 0 = this is a forked child that knows nothing of it: the rings are its parent's. */
extern const _Atomic uint8_t *last_calls_owned __attribute__((visibility("hidden")));

/* What does not go word by word; the words that were put. */
unsigned last_calls_put_odd(struct last_calls_entry *e, const char *args, unsigned size);

static inline __attribute__((always_inline)) unsigned last_calls_put(
	struct last_calls_entry *e, const char *args, unsigned size)
{
	unsigned words = size / 8;
	uint64_t word;

#define LAST_CALLS_WORD(i)                                                                                   \
	case (i) + 1:                                                                                        \
		memcpy(&word, args + 8 * (i), 8);                                                            \
		atomic_store_explicit(&e->args[i], word, memory_order_release);                              \
		__attribute__((fallthrough))
	if (__builtin_expect(size % 8, 0))
		return last_calls_put_odd(e, args, size);
	switch (words) {
		LAST_CALLS_WORD(8);
		LAST_CALLS_WORD(7);
		LAST_CALLS_WORD(6);
		LAST_CALLS_WORD(5);
		LAST_CALLS_WORD(4);
		LAST_CALLS_WORD(3);
		LAST_CALLS_WORD(2);
		LAST_CALLS_WORD(1);
		LAST_CALLS_WORD(0);
	case 0:
		return words;
	default:
		return last_calls_put_odd(e, args, size);
	}
#undef LAST_CALLS_WORD
}

/* A call is about to be made. No lock. */
static inline void last_calls_enter(
	struct last_call *l, struct last_calls_ring *r, const struct acl_call_record *ev)
{
	struct last_calls_entry *e;
	unsigned words;
	uint64_t n;

	if (__builtin_expect(!atomic_load_explicit(last_calls_owned, memory_order_relaxed), 0)) {
		last_calls_none(l);
		return;
	}
	n = atomic_fetch_add_explicit(&r->next, 1, memory_order_relaxed) + 1;
	e = &r->entries[n % LASTCALLS_ENTRIES];
	/* No later store overtakes this one: all are releases. */
	atomic_store_explicit(&e->state, 0, memory_order_relaxed);
	words = last_calls_put(e, ev->args, acl_apis[ev->api].args_size);
	atomic_store_explicit(
		&e->what, (uint64_t)ev->tid << 32 | (uint64_t)ev->api << 16 | words, memory_order_release);
	atomic_store_explicit(&e->state, n << 1, memory_order_release);
	l->entry = e;
	l->number = n;
}

/* Nothing when the ring went round meanwhile: calls inside this one came after it. */
static inline void last_calls_leave(const struct last_call *l, const struct acl_call_record *ev)
{
	struct last_calls_entry *e = l->entry;

	if (__builtin_expect(!atomic_load_explicit(last_calls_owned, memory_order_relaxed), 0) ||
		atomic_load_explicit(&e->state, memory_order_relaxed) != l->number << 1)
		return;
	atomic_store_explicit(&e->result, ev->result.u, memory_order_relaxed);
	atomic_store_explicit(&e->state, l->number << 1 | 1, memory_order_release);
}

/* "before": the calls of one thread that returned, oldest first; nothing when there are none. */
void last_calls_json(struct jout *j, const char *key, uint32_t tid);
/* In the child after fork. */
void last_calls_forked(void);

#endif
