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
 * They are shown in the directory of setting last_calls, too; without that
 * and a report (NULL) none are kept.
 */
void last_calls_begin(const char *report, const char **why);
/* The process ends by itself: the file goes, and comes again when an exec failed. */
void last_calls_end(void);

/* Where the rings lie: NULL until a report wants them, then one address for the process' life. */
extern _Atomic(struct last_calls_area *) last_calls_area __attribute__((visibility("hidden")));
/* Where a call is noted, from last_calls_enter() to last_calls_leave(). */
struct last_call {
	struct last_calls_entry *entry;
	uint64_t state; /* while it has not returned */
};

/* The thread's ring, where one that is not read is as good as any. */
struct last_calls_ring *last_calls_ring(uint32_t tid);
/* A call that is not noted. */
void last_calls_none(struct last_call *l);

/* A call is about to be made. No lock. */
void last_calls_enter(struct last_call *l, struct last_calls_ring *r, const struct acl_call_record *ev);

/* What is all 0 in a forked child that knows nothing of it: the rings are its parent's. */
struct last_calls_own {
	_Atomic uint8_t owned;
	/* By function an entry's "what" without the thread; 0: the arguments do not fit in, or end within a
	 * word. */
	_Atomic uint32_t what[ACL_API_COUNT];
};
extern struct last_calls_own *last_calls_own __attribute__((visibility("hidden")));
/* Makes it what it is in the rings' own process. */
void last_calls_own_fill(struct last_calls_own *own);

static inline bool last_calls_owned(void)
{
	return atomic_load_explicit(&last_calls_own->owned, memory_order_relaxed);
}

/* The function's "what", or 0 where last_calls_enter() is to be called. */
static inline uint32_t last_calls_plain(unsigned api)
{
	return atomic_load_explicit(&last_calls_own->what[api], memory_order_relaxed);
}

static inline __attribute__((always_inline)) struct last_calls_entry *last_calls_entry_begin(
	struct last_calls_ring *r, uint64_t *number)
{
	uint64_t n = atomic_fetch_add_explicit(&r->next, 1, memory_order_relaxed) + 1;
	struct last_calls_entry *e = &r->entries[n % LASTCALLS_ENTRIES];

	/* No later store overtakes this one: all are releases. */
	atomic_store_explicit(&e->state, 0, memory_order_relaxed);
	__asm__("" : "+r"(e)); /* the compiler adds it up anew for some of the stores otherwise */
	*number = n;
	return e;
}

static inline __attribute__((always_inline)) void last_calls_entry_end(struct last_call *l,
	struct last_calls_entry *e, uint64_t number, const struct acl_call_record *ev, uint32_t what)
{
	atomic_store_explicit(&e->what, (uint64_t)ev->tid << 32 | what, memory_order_release);
	l->entry = e;
	l->state = number << 1;
	atomic_store_explicit(&e->state, number << 1, memory_order_release);
}

/* The same as last_calls_enter where last_calls_plain() says what. */
static inline __attribute__((always_inline)) void last_calls_enter_plain(
	struct last_call *l, struct last_calls_ring *r, const struct acl_call_record *ev, uint32_t what)
{
	const char *args = ev->args;
	struct last_calls_entry *e;
	uint64_t number, word;

	e = last_calls_entry_begin(r, &number);
#define LAST_CALLS_WORD(i)                                                                                   \
	case (i) + 1:                                                                                        \
		memcpy(&word, args + 8 * (i), 8);                                                            \
		atomic_store_explicit(&e->args[i], word, memory_order_release);                              \
		__attribute__((fallthrough))
	switch (what & 0xffff) {
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
		break;
	default:
		__builtin_unreachable();
	}
#undef LAST_CALLS_WORD
	last_calls_entry_end(l, e, number, ev, what);
}

/* Nothing when the ring went round meanwhile: calls inside this one came after it. */
static inline void last_calls_leave(const struct last_call *l, const struct acl_call_record *ev)
{
	struct last_calls_entry *e = l->entry;

	if (__builtin_expect(!last_calls_owned(), 0) ||
		atomic_load_explicit(&e->state, memory_order_relaxed) != l->state)
		return;
	atomic_store_explicit(&e->result, ev->result.u, memory_order_relaxed);
	atomic_store_explicit(&e->state, l->state | 1, memory_order_release);
}

/* "before": the calls of one thread that returned, oldest first; nothing when there are none. */
void last_calls_json(struct jout *j, const char *key, uint32_t tid);
/* In the child after fork. */
void last_calls_forked(void);

#endif
