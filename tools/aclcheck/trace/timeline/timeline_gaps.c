/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When calls of a process may be missing from a recording that lost events: between two calls of a thread
 * whose numbers do not follow each other.  What was recorded before is then no proof of what a call is for.
 */
#include <stdlib.h>

#include "tools/aclcheck/trace/timeline/timeline.h"

struct seen_thread {
	UT_hash_handle hh;
	const struct thread_state *thread;
	const struct timeline_call *last;
};

static int by_process_and_time(const void *a, const void *b)
{
	const struct timeline_gap *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static void gap_add(struct timeline *t, const struct timeline_call *before, const struct timeline_call *call)
{
	if (t->n_gaps == t->room_gaps) {
		t->room_gaps = t->room_gaps ? t->room_gaps * 2 : 64;
		t->gaps = need(realloc(t->gaps, t->room_gaps * sizeof(*t->gaps)));
	}
	t->gaps[t->n_gaps++] = (struct timeline_gap){call->thread->process->key, before->start, call->start};
}

/* Those of all threads, one after the other. */
static void gaps_join(struct timeline *t)
{
	size_t n = 0;

	qsort(t->gaps, t->n_gaps, sizeof(*t->gaps), by_process_and_time);
	for (size_t i = 0; i < t->n_gaps; i++) {
		const struct timeline_gap *g = &t->gaps[i];
		struct timeline_gap *last = n ? &t->gaps[n - 1] : NULL;

		if (!last || last->process != g->process || last->to < g->from)
			t->gaps[n++] = *g;
		else if (g->to > last->to)
			last->to = g->to;
	}
	t->n_gaps = n;
}

void timeline_gaps_find(struct timeline *t)
{
	struct seen_thread *all = NULL, *s, *next;

	if (!summary_has_gaps(&t->summary))
		return;
	for (size_t i = 0; i < t->n_calls; i++) {
		const struct timeline_call *c = &t->calls[i];

		HASH_FIND_PTR(all, &c->thread, s);
		if (!s) {
			s = need(calloc(1, sizeof(*s)));
			s->thread = c->thread;
			HASH_ADD_PTR(all, thread, s);
		} else if (c->number != s->last->number + 1) {
			gap_add(t, s->last, c);
		}
		s->last = c;
	}
	HASH_ITER(hh, all, s, next)
	{
		HASH_DEL(all, s);
		free(s);
	}
	if (t->n_gaps)
		gaps_join(t);
}

bool timeline_gap_between(const struct timeline *t, const struct process_state *p, int64_t from, int64_t to)
{
	size_t low = 0, high = t->n_gaps;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct timeline_gap *g = &t->gaps[middle];

		if (g->process < p->key || (g->process == p->key && g->to <= from))
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->n_gaps && t->gaps[low].process == p->key && t->gaps[low].from < to;
}
