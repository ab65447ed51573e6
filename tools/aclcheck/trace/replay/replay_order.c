/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call is checked before its event gets its time, so two threads' events may be the other way round than
 * their checks were.  Where both name an object, the later one says which call it came after.  Everything
 * else stays in the order of time; a late record is brought forward, with what its thread recorded before.
 */
#include "tools/aclcheck/trace/replay/replay_order.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "tools/aclcheck/common/command.h"

#define DEPTH 64 /* records that wait for each other */
#define RECORD_BYTES 256u

struct thread {
	uint32_t tid;
	UT_hash_handle hh;
	uint64_t given; /* the last mark of it that was given */
	struct waiting *first, *last;
};

/* A record that is held back. */
struct waiting {
	struct waiting *next, *next_of_thread;
	struct thread *thread;
	bool given, busy;
	struct replay_record record; /* with what is behind it */
};

struct replay_order {
	replay_order_fn *give;
	void *context;
	size_t window;
	unsigned missing, circles;
	struct thread *threads, *latest;
	struct waiting *first, *last; /* by time */
	size_t n, bytes;
	uint64_t wanted; /* the mark that the first of them waits for */
};

/* --- threads and marks --------------------------------------------------------------- */

static struct thread *order_thread(struct replay_order *o, uint32_t tid)
{
	struct thread *t = o->latest;

	if (t && t->tid == tid)
		return t;
	HASH_FIND(hh, o->threads, &tid, sizeof(tid), t);
	if (!t) {
		t = need(calloc(1, sizeof(*t)));
		t->tid = tid;
		HASH_ADD(hh, o->threads, tid, sizeof(t->tid), t);
	}
	return o->latest = t;
}

/* 0: it is neither begin nor end of a call. */
static uint64_t mark_of(const struct replay_record *r)
{
	return r->kind == REPLAY_ENTRY || r->kind == REPLAY_EXIT
		       ? acl_mark(r->tid, r->number, r->kind == REPLAY_EXIT)
		       : 0;
}

/* What has to come before the record and was not given yet, 0 = nothing. */
static uint64_t lacks(struct replay_order *o, const struct replay_record *r)
{
	for (unsigned i = 0; i < r->n_after; i++)
		if (order_thread(o, acl_mark_tid(r->after[i]))->given < r->after[i])
			return r->after[i];
	return 0;
}

static void hand_out(struct replay_order *o, const struct replay_record *r)
{
	struct thread *t = order_thread(o, r->tid);
	uint64_t mark = mark_of(r);

	/* A call's end may come behind that of a later one in it. */
	if (mark > t->given)
		t->given = mark;
	o->give(o->context, r);
}

/* --- what is held back --------------------------------------------------------------- */

static void hold(struct replay_order *o, const struct replay_record *r)
{
	struct waiting *w = need(malloc(offsetof(struct waiting, record) + r->bytes));
	struct thread *t = order_thread(o, r->tid);

	w->next = w->next_of_thread = NULL;
	w->thread = t;
	w->given = w->busy = false;
	memcpy(&w->record, r, r->bytes);
	*(o->last ? &o->last->next : &o->first) = w;
	o->last = w;
	*(t->last ? &t->last->next_of_thread : &t->first) = w;
	t->last = w;
	o->n++;
	o->bytes += r->bytes;
}

/* The first of its thread is given: it stays in the list until it is the first by time. */
static void release(struct replay_order *o, struct waiting *w)
{
	w->given = true;
	w->thread->first = w->next_of_thread;
	if (!w->thread->first)
		w->thread->last = NULL;
	hand_out(o, &w->record);
}

static void drop_given(struct replay_order *o)
{
	struct waiting *w;

	while ((w = o->first) && w->given) {
		o->first = w->next;
		if (!o->first)
			o->last = NULL;
		o->n--;
		o->bytes -= w->record.bytes;
		free(w);
	}
}

static struct waiting *order_find(struct replay_order *o, uint64_t mark)
{
	struct waiting *w = order_thread(o, acl_mark_tid(mark))->first;

	while (w && mark_of(&w->record) != mark)
		w = w->next_of_thread;
	return w;
}

/* --- order ------------------------------------------------------------------------------- */

enum outcome { GIVEN, MISSING, CIRCLE };

static enum outcome give(struct replay_order *o, struct waiting *w, unsigned depth);

static enum outcome give_before(struct replay_order *o, struct waiting *w, unsigned depth)
{
	enum outcome result = GIVEN;
	struct waiting *before;
	uint64_t mark;

	while (result == GIVEN && (mark = lacks(o, &w->record))) {
		before = order_find(o, mark);
		o->wanted = mark;
		result = before ? give(o, before, depth + 1) : MISSING;
	}
	return result;
}

/* With all that comes before it, of its thread too. */
static enum outcome give(struct replay_order *o, struct waiting *w, unsigned depth)
{
	enum outcome result = GIVEN;

	if (w->busy || depth == DEPTH)
		return CIRCLE;
	w->busy = true;
	while (result == GIVEN && w->thread->first != w)
		result = give(o, w->thread->first, depth + 1);
	if (result == GIVEN)
		result = give_before(o, w, depth);
	w->busy = false;
	if (result == GIVEN)
		release(o, w);
	return result;
}

/* all: nothing is held back any longer. */
static void drain(struct replay_order *o, bool all)
{
	for (drop_given(o); o->first; drop_given(o)) {
		enum outcome result = give(o, o->first, 0);

		if (result == MISSING && !all && o->n < o->window && o->bytes < o->window * RECORD_BYTES)
			return;
		if (result == GIVEN)
			continue;
		o->missing += result == MISSING;
		o->circles += result == CIRCLE;
		release(o, o->first);
	}
}

struct replay_order *replay_order_new(unsigned window, replay_order_fn *fn, void *context)
{
	struct replay_order *o = need(calloc(1, sizeof(*o)));

	o->give = fn;
	o->context = context;
	o->window = window;
	return o;
}

void replay_order_take(struct replay_order *o, const struct replay_record *r)
{
	bool waits = o->first != NULL;

	if (!waits && !lacks(o, r)) {
		hand_out(o, r);
		return;
	}
	hold(o, r);
	if (!waits || mark_of(r) == o->wanted || o->n >= o->window || o->bytes >= o->window * RECORD_BYTES)
		drain(o, false);
}

void replay_order_flush(struct replay_order *o)
{
	drain(o, true);
}

unsigned replay_order_missing(const struct replay_order *o)
{
	return o->missing;
}

unsigned replay_order_circles(const struct replay_order *o)
{
	return o->circles;
}

void replay_order_free(struct replay_order *o)
{
	struct thread *t, *next;

	drain(o, true);
	HASH_ITER(hh, o->threads, t, next)
	{
		HASH_DEL(o->threads, t);
		free(t);
	}
	free(o);
}
