/* SPDX-License-Identifier: Apache-2.0 */
/* The call sites (rule, function, caller) that broke a rule, with exact counts. */
#include "checks/engine/call_sites.h"

#define SITES 16384

struct site_table {
	_Atomic uint32_t used;
	/* Of those in use, from 1 on, 0: about to be; the pages of all others stay as they are. */
	_Atomic uint16_t places[SITES];
	struct call_site_entry sites[SITES];
};

bool call_sites_create(struct checks *c)
{
	c->sites = checks_permanent(c, sizeof(*c->sites));
	return c->sites != NULL;
}

/* The i-th of those in use; NULL: a thread is about to say which. */
static struct call_site_entry *site_in_use(const struct checks *c, uint32_t i)
{
	uint16_t place = load_acquire(&c->sites->places[i]);

	return place ? &c->sites->sites[place - 1] : NULL;
}

void call_sites_forked(struct checks *c)
{
	uint32_t used = load_relaxed(&c->sites->used);

	for (uint32_t i = 0; i < used && i < SITES; i++) {
		struct call_site_entry *s = site_in_use(c, i);

		if (s)
			memset((void *)s, 0, sizeof(*s));
		store_relaxed(&c->sites->places[i], 0);
	}
	store_relaxed(&c->sites->used, 0);
}

/* The site of a key; when there is none yet NULL, or with take a new one. NULL as well: the table is full. */
static struct call_site_entry *call_site_of(struct checks *c, uint64_t key, bool take)
{
	for (uint64_t i = key, tries = 0; tries < SITES; i++, tries++) {
		struct call_site_entry *s = &c->sites->sites[i % SITES];
		uint64_t found = load_acquire(&s->key);

		if (found == key)
			return s;
		if (found)
			continue;
		if (!take)
			return NULL;
		if (atomic_compare_exchange_strong(&s->key, &found, key)) {
			store_release(
				&c->sites->places[counter_inc(&c->sites->used)], (uint16_t)(i % SITES + 1));
			return s;
		}
		if (found == key)
			return s;
	}
	checks_degrade(c, "more sites with findings than the table holds");
	return NULL;
}

static inline uint64_t site_key(const struct acl_rule *rule, unsigned api, uint64_t where)
{
	return mix64(where ^ (uint64_t)rule->index << 48 ^ (uint64_t)api << 36) | 1;
}

/* Mostly the host has nothing to say. */
void call_site_look(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	uint64_t where, struct call_site_count *out)
{
	unsigned api = call ? call->api : 0xffff;

	out->place = c->host.place ? c->host.place(c->host.context, call, rule, false) : 0;
	if (out->place)
		where ^= mix64(out->place);
	out->key = site_key(rule, api, where);
	out->entry = call_site_of(c, out->key, false);
}

/* Shown at 1, 10, 100 … */
static bool is_shown_at(uint64_t n)
{
	while (n >= 10 && n % 10 == 0)
		n /= 10;
	return n == 1;
}

static uint64_t shown_after(uint64_t n)
{
	uint64_t next = 1;

	while (next <= n && next <= UINT64_MAX / 10)
		next *= 10;
	return next;
}

bool call_site_shown_within(const struct call_site_count *s, unsigned n)
{
	return !s->entry || load_relaxed(&s->entry->count) + n >= load_relaxed(&s->entry->next);
}

static void first_one(
	struct checks *c, struct call_site_entry *s, uint64_t caller, const struct acl_finding *f)
{
	store_relaxed(&s->rule, f->rule->index);
	store_relaxed(&s->api, f->event ? f->event->api : 0xffff);
	store_relaxed(&s->caller, caller);
	store_relaxed(&s->severity, f->severity);
	store_relaxed(&s->advice, f->advice);
	store_relaxed(&s->secondary, f->secondary);
	store_release(&s->serial, counter_inc(&c->finding_serials) + 1);
}

struct call_site_entry *call_site_known(
	struct checks *c, const struct acl_call_record *call, const struct acl_rule *rule, uint64_t *key)
{
	*key = site_key(rule, call->api, call->caller);
	return call_site_of(c, *key, false);
}

uint64_t call_site_serial(const struct call_site_entry *s)
{
	return load_relaxed(&((struct call_site_entry *)s)->serial);
}

/*
 * Threads may come here out of order: the number decides, and not who was first.  When the one that has it
 * cannot be shown, the next that can is.
 */
static bool is_time(struct call_site_entry *s, uint64_t repeat, bool written)
{
	if (repeat < load_relaxed(&s->next))
		return false;
	if (!written) {
		if (is_shown_at(repeat))
			store_relaxed(&s->owed, true);
		return false;
	}
	if (!is_shown_at(repeat) && !(load_relaxed(&s->owed) && atomic_exchange(&s->owed, false)))
		return false;
	store_release(&s->next, shown_after(repeat));
	return true;
}

bool call_site_count_one(struct checks *c, struct acl_call_record *call, struct call_site_count *at,
	uint64_t caller, struct acl_finding *f, bool written)
{
	struct call_site_entry *s = at->entry ? at->entry : call_site_of(c, at->key, true);

	if (!s)
		return false;
	if (at->place)
		c->host.place(c->host.context, call, f->rule, true);
	f->repeat = counter_inc(&s->count) + 1;
	if (f->repeat == 1)
		first_one(c, s, caller, f);
	f->serial = load_acquire(&s->serial);
	return is_time(s, f->repeat, written);
}

/*
 * Sites to look at: those in use, or all of them while one with a finding is not yet among these.  The whole
 * table is 200 pages, which the end of each process would touch.
 */
static uint32_t sites_to_see(const struct checks *c, bool *all)
{
	uint32_t used = load_relaxed(&c->sites->used);
	uint64_t wanted = load_relaxed(&((struct checks *)c)->finding_serials), seen = 0;

	for (uint32_t i = 0; i < used; i++) {
		struct call_site_entry *s = site_in_use(c, i);

		seen += s && load_relaxed(&s->serial);
	}
	*all = seen < wanted;
	return *all ? SITES : used;
}

static struct call_site_entry *site_to_see(const struct checks *c, uint32_t i, bool all)
{
	return all ? &c->sites->sites[i] : site_in_use(c, i);
}

void checks_each_site(const struct checks *c, checks_site_fn fn, void *context)
{
	bool all;
	uint32_t n = sites_to_see(c, &all);

	for (uint32_t i = 0; i < n; i++) {
		struct call_site_entry *s = site_to_see(c, i, all);

		if (!s || !load_acquire(&s->key) || !load_relaxed(&s->count) || !load_acquire(&s->serial))
			continue;
		fn(context, &(struct checks_site){.rule = &acl_rules[load_relaxed(&s->rule)],
				    .caller = load_relaxed(&s->caller),
				    .count = load_relaxed(&s->count),
				    .serial = load_relaxed(&s->serial),
				    .api = load_relaxed(&s->api),
				    .severity = load_relaxed(&s->severity),
				    .advice = load_relaxed(&s->advice),
				    .secondary = load_relaxed(&s->secondary)});
	}
}

void checks_totals(const struct checks *c, struct checks_totals *out)
{
	struct acl_thread *t;
	bool all;
	uint32_t n = sites_to_see(c, &all);

	memset(out, 0, sizeof(*out));
	for (uint32_t i = 0; i < n; i++) {
		struct call_site_entry *s = site_to_see(c, i, all);

		if (!s || !load_relaxed(&s->count) || load_relaxed(&s->secondary))
			continue;
		if (load_relaxed(&s->advice))
			out->advice += load_relaxed(&s->count);
		else
			out->findings[load_relaxed(&s->severity) & 3] += load_relaxed(&s->count);
	}
	thread_each(c, t) for (unsigned api = 0; t->coverage != c->coverage_lost && api < ACL_API_COUNT;
			       api++) out->calls += load_relaxed(&t->coverage->api[api].calls);
	for (unsigned i = 0; i < CHECKS_EVIDENCE_ENDS; i++)
		out->evidence_ends[i] = load_relaxed(&((struct checks *)c)->evidence_ends[i]);
	out->degraded = load_relaxed(&((struct checks *)c)->degraded);
	out->degraded_text = load_relaxed(&((struct checks *)c)->degraded_text);
}
