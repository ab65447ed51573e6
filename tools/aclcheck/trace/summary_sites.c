/* SPDX-License-Identifier: Apache-2.0 */
/* Where in the program the time goes, and how alike its processes are. */
#include <string.h>

#include "tools/aclcheck/trace/summary.h"

#define SITES_MAX 65536 /* of a process */

/* --- while events are read ---------------------------------------------------------- */

void site_add(struct process_state *p, const struct open_call *c, uint64_t ns, uint64_t blocked)
{
	struct call_site *s, wanted;

	if (c->inside || !c->caller)
		return;
	memset(&wanted, 0, sizeof(wanted));
	wanted.key.api = c->api;
	wanted.key.caller = c->caller;
	HASH_FIND(hh, p->sites, &wanted.key, sizeof(wanted.key), s);
	if (!s) {
		if (HASH_COUNT(p->sites) >= SITES_MAX)
			return;
		s = need(calloc(1, sizeof(*s)));
		s->key = wanted.key;
		HASH_ADD(hh, p->sites, key, sizeof(s->key), s);
	}
	s->calls++;
	s->total += ns;
	s->blocked += blocked;
}

void sites_free(struct process_state *p)
{
	struct call_site *s, *next;

	HASH_ITER(hh, p->sites, s, next)
	{
		HASH_DEL(p->sites, s);
		free(s);
	}
}

/* --- over all processes --------------------------------------------------------------- */

static void sum_site(struct site_sum **all, const struct process_state *p, const struct call_site *s)
{
	json_t *place = code_place(p, s->key.caller);
	struct site_sum *sum;
	char key[sizeof(sum->key)];

	/* Processes have one program at different addresses. */
	snprintf(key, sizeof(key), "%u %.32s%lld%.90s%.110s", (unsigned)s->key.api, text_of(place, "offset"),
		(long long)number_of(place, "line"), text_of(place, "module"), text_of(place, "file"));
	HASH_FIND_STR(*all, key, sum);
	if (!sum) {
		sum = need(calloc(1, sizeof(*sum)));
		strcpy(sum->key, key);
		sum->api = (unsigned)s->key.api;
		sum->place = json_incref(place);
		HASH_ADD_STR(*all, key, sum);
	}
	json_decref(place);
	sum->processes++;
	sum->calls += s->calls;
	sum->total += s->total;
	sum->blocked += s->blocked;
}

static int by_figure(uint64_t x, uint64_t y, const struct site_sum *a, const struct site_sum *b)
{
	return x != y ? (x < y ? 1 : -1) : strcmp(a->key, b->key);
}

static int by_time(const void *a, const void *b)
{
	const struct site_sum *x = *(struct site_sum *const *)a, *y = *(struct site_sum *const *)b;

	return by_figure(x->total, y->total, x, y);
}

static int by_wait(const void *a, const void *b)
{
	const struct site_sum *x = *(struct site_sum *const *)a, *y = *(struct site_sum *const *)b;

	return by_figure(x->blocked, y->blocked, x, y);
}

static void look_up(struct site_sum **list, unsigned n)
{
	json_t *places = need(json_array());

	for (unsigned i = 0; i < n; i++)
		json_array_append_new(places, list[i]->place);
	code_lines(places);
	for (unsigned i = 0; i < n; i++)
		list[i]->place = json_incref(json_array_get(places, i));
	json_decref(places);
}

struct site_sum **site_sums(
	const struct summary *s, enum site_order order, unsigned max, unsigned *n, struct site_sum **all)
{
	struct site_sum **list, *sum;

	*all = NULL;
	for (unsigned i = 0; i < s->n_processes; i++)
		for (const struct call_site *c = s->processes[i]->sites; c; c = c->hh.next)
			sum_site(all, s->processes[i], c);
	list = need(calloc(HASH_COUNT(*all) + 1, sizeof(*list)));
	*n = 0;
	for (sum = *all; sum; sum = sum->hh.next)
		if (order == SITES_BY_TIME || sum->blocked)
			list[(*n)++] = sum;
	qsort(list, *n, sizeof(*list), order == SITES_BY_TIME ? by_time : by_wait);
	if (*n > max)
		*n = max;
	look_up(list, *n);
	return list;
}

void site_sums_free(struct site_sum **list, struct site_sum *all)
{
	struct site_sum *s, *next;

	HASH_ITER(hh, all, s, next)
	{
		HASH_DEL(all, s);
		json_decref(s->place);
		free(s);
	}
	free(list);
}

/* --- processes compared ------------------------------------------------------------------ */

uint64_t summary_bytes_copied(const struct process_state *p)
{
	uint64_t bytes = 0;

	for (const struct copy_stat *c = p->copies; c; c = c->hh.next)
		bytes += c->bytes;
	return bytes;
}

const char *const summary_measure_names[MEASURES] = {"calls", "in_calls", "blocked", "bytes_copied"};

static uint64_t measured(const struct process_state *p, enum summary_measure measure)
{
	const uint64_t figures[MEASURES] = {p->calls, p->in_calls, p->blocked, summary_bytes_copied(p)};

	return figures[measure];
}

double summary_imbalance(const struct summary *s, enum summary_measure measure)
{
	double sum = 0, most = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_processes; i++) {
		const struct process_state *p = s->processes[i];
		double one = (double)measured(p, measure);

		if (measure == MEASURE_COPIED && p->bare)
			return 0;
		sum += one;
		most = one > most ? one : most;
		n += p->calls > 0; /* a launcher has no share in the work */
	}
	return n > 1 && sum > 0 ? most * n / sum : 0;
}
