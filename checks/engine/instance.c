/* SPDX-License-Identifier: Apache-2.0 */
/* The instance: creation, memory, threads. */
#include "checks/engine/call_sites.h"
#include "checks/engine/call_way.h"
#include "checks/engine/finding_collect.h"
#include "checks/engine/program_memory.h"
#include "checks/engine/rule_coverage.h"
#include "checks/engine/hook_lists.h"
#include "checks/engine/pages.h"

#define POOL_CHUNK (256u << 10)
#define POOL_LOG 16 /* pieces of up to so much come from chunks, larger ones one by one */

struct pool_free {
	struct pool_free *next;
};

/* --- memory ------------------------------------------------------------------ */

void checks_degrade(struct checks *c, const char *text)
{
	const char *none = NULL;

	atomic_compare_exchange_strong(&c->degraded_text, &none, text);
	atomic_store(&c->degraded, true);
}

#define LINE_LOG 6 /* a cache line */
#define HALF_LOG 5 /* the smallest piece */

static unsigned size_log(size_t bytes)
{
	return bytes <= 1 << HALF_LOG ? HALF_LOG : 64 - (unsigned)__builtin_clzll(bytes - 1);
}

/* Under the lock: a piece of the pool's memory. */
static void *pool_take(struct checks *c, size_t bytes)
{
	void *p;

	if ((size_t)(c->pool_end - c->pool) < bytes) {
		bool first = !c->pool_end;

		c->pool = c->host.memory(c->host.context, POOL_CHUNK);
		c->pool_end = c->pool ? c->pool + POOL_CHUNK : NULL;
		if (!c->pool)
			return NULL;
		/* What every checker has fills most of it; large pieces that stay empty come behind. */
		if (first)
			pages_at_hand(c->pool, POOL_CHUNK, MADV_POPULATE_WRITE);
	}
	p = c->pool;
	c->pool += bytes;
	return p;
}

static void piece_give(struct checks *c, unsigned log, void *p)
{
	struct pool_free *f = p;

	f->next = c->pool_free[log];
	c->pool_free[log] = f;
}

/* Two at a time, so that all other pieces begin with a cache line. */
static void *half_line_take(struct checks *c)
{
	unsigned char *p = pool_take(c, 1 << LINE_LOG);

	if (p)
		piece_give(c, HALF_LOG, p + (1 << HALF_LOG));
	return p;
}

/* Under the lock: from the free list of the size, else the pool; large pieces come from the host one by one.
 */
static void *piece_take(struct checks *c, unsigned log, size_t bytes)
{
	struct pool_free *f = c->pool_free[log];

	if (f) {
		c->pool_free[log] = f->next;
		/* The rest of a large piece stays as it is: pages never touched are none. */
		memset(f, 0, bytes);
		return f;
	}
	if (log == HALF_LOG)
		return half_line_take(c);
	if (log <= POOL_LOG)
		return pool_take(c, (size_t)1 << log);
	return c->host.memory(c->host.context, (size_t)1 << log);
}

static void memory_refused(struct checks *c)
{
	store_relaxed(&c->starved, true);
	checks_degrade(c, "no memory for the checker's tables");
}

void *checks_alloc(struct checks *c, size_t bytes)
{
	unsigned log = size_log(bytes);
	void *p;

	lock(&c->alloc_lock);
	p = log < POOL_SIZES ? piece_take(c, log, bytes) : c->host.memory(c->host.context, bytes);
	unlock(&c->alloc_lock);
	if (!p)
		memory_refused(c);
	return p;
}

void *checks_permanent(struct checks *c, size_t bytes)
{
	void *p;

	if (size_log(bytes) <= POOL_LOG)
		return checks_alloc(c, bytes);
	p = c->host.memory(c->host.context, bytes);
	if (!p)
		memory_refused(c);
	return p;
}

/* bytes as in checks_alloc. */
void checks_forget(struct checks *c, void *p, size_t bytes)
{
	unsigned log = size_log(bytes);

	if (!p || log >= POOL_SIZES)
		return;
	lock(&c->alloc_lock);
	piece_give(c, log, p);
	unlock(&c->alloc_lock);
}

void *checks_alloc_more(struct checks *c, void *p, size_t bytes, size_t wanted)
{
	void *more = checks_alloc(c, wanted);

	if (!more || !p)
		return more;
	memcpy(more, p, bytes);
	checks_forget(c, p, bytes);
	return more;
}

/* --- threads ------------------------------------------------------------------ */

static void thread_begins(struct checks *c, struct acl_thread *t, uint32_t tid)
{
	store_relaxed(&t->exchange, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	store_relaxed(&t->context_unknown, false);
	store_relaxed(&t->device, -1);
	store_relaxed(&t->context, 0);
	t->current = &t->context;
	store_relaxed(&t->inside, 0);
	store_relaxed(&t->inside_caller, 0);
	store_relaxed(&t->reset, 0);
	t->n_findings = 0;
	t->replaced = t->timed_out.what = t->device_wait.what = 0;
	for (unsigned mode = 0; mode < 3; mode++)
		store_relaxed(&t->captures[mode], 0);
	store_relaxed(&t->tid, tid);
	coverage_thread_begins(c, t);
}

static struct acl_thread *thread_find(struct checks *c, const struct acl_call_record *call)
{
	uint64_t id = call->pthread_id ? call->pthread_id : call->tid;

	for (uint64_t i = mix64(id), tries = 0; id && tries < 64; i++, tries++) {
		struct acl_thread *t = &c->threads[i % ACL_THREADS];
		uint64_t found = load_acquire(&t->pthread_id);
		bool taken = !found && atomic_compare_exchange_strong(&t->pthread_id, &found, id);
		uint32_t place = taken ? counter_inc(&c->n_threads) : 0;

		if (!taken && found != id)
			continue;
		/* Another kernel thread behind the same pthread id: the former has ended. */
		if (taken || load_relaxed(&t->tid) != call->tid)
			thread_begins(c, t, call->tid);
		if (taken)
			store_release(&c->thread_places[place], (uint16_t)(i % ACL_THREADS + 1));
		return t;
	}
	checks_degrade(c, "more threads than the checker follows");
	return NULL;
}

struct acl_thread *checks_thread(struct checks *c, struct acl_call_record *call)
{
	if (!call->thread)
		call->thread = thread_find(c, call);
	return call->thread;
}

void object_used_closely(struct checks *c, struct acl_object *o, struct acl_call_record *call)
{
	if (!call->stack && c->host.stack)
		call->stack = c->host.stack(c->host.context, call);
	store_relaxed(&o->last_used.stack, call->stack);
}

bool checks_listens(const struct checks *c, unsigned api)
{
	return api < ACL_API_COUNT && hook_lists_listen(c, api);
}

/* --- creation --------------------------------------------------------------------- */

static bool settings_create(struct checks *c, const struct checks_config *config)
{
	c->settings = checks_alloc(c, acl_rule_count * sizeof(*c->settings));
	if (!c->settings)
		return false;
	for (unsigned i = 0; i < acl_rule_count; i++) {
		uint8_t dflt = acl_rules[i].dflt;

		if (config->rule_default && config->rule_default[i])
			dflt = config->rule_default[i] - 1;
		c->settings[i].off = dflt == ACL_DEFAULT_OFF;
		c->settings[i].advice = dflt == ACL_DEFAULT_ADVICE;
	}
	return true;
}

/* Whether an entry of a list is 0, which is digits and nothing else. */
static bool is_device0(const char *entry)
{
	size_t n = strcspn(entry, ",");

	return n && strspn(entry, "0") == n;
}

/* "0,1,2": numbers rise, so that 0 is the first; twice, it spoils the list, and what is no number ends it. */
static bool names_device0(const char *list)
{
	const char *second = strchr(list, ',');

	return is_device0(list) && !(second && is_device0(second + 1));
}

static void nothing_rare(struct checks *c, struct acl_call_record *call)
{
	(void)c;
	(void)call;
}

static void rare_hooks_create(struct checks *c)
{
	struct rare_hooks *r = &c->rare;

	*r = (struct rare_hooks){nothing_rare, nothing_rare, nothing_rare, nothing_rare, nothing_rare,
		nothing_rare, nothing_rare};
	for (unsigned i = 0; i < MODULE_COUNT; i++) {
		const struct check_module *m = check_modules[i];

		r->uninitialized = m->uninitialized ? m->uninitialized : r->uninitialized;
		r->missing = m->missing ? m->missing : r->missing;
		r->default_stream = m->default_stream ? m->default_stream : r->default_stream;
		r->unsettled = m->unsettled ? m->unsettled : r->unsettled;
		r->misaligned = m->misaligned ? m->misaligned : r->misaligned;
		r->returned_error = m->returned_error ? m->returned_error : r->returned_error;
		r->suspected = m->suspected ? m->suspected : r->suspected;
	}
}

/* All states first: a module may ask for another one's as soon as it is created. */
static bool modules_create(struct checks *c)
{
	for (unsigned i = 0; i < MODULE_COUNT; i++) {
		size_t bytes = check_modules[i]->state_size;

		c->module_states[i] = bytes ? checks_permanent(c, bytes) : NULL;
		if (bytes && !c->module_states[i])
			return false;
	}
	for (unsigned i = 0; i < MODULE_COUNT; i++)
		if (check_modules[i]->create && !check_modules[i]->create(c))
			return false;
	return true;
}

static const _Atomic uint32_t places_none = 0, places_unknown = 1;

struct checks *checks_create(const struct checks_config *config, const struct checks_host *host)
{
	struct checks *c = host->memory(host->context, sizeof(*c));

	if (!c)
		return NULL;
	rule_places_fill();
	c->host = *host;
	if (!c->host.places)
		c->host.places = host->place ? &places_unknown : &places_none;
	c->target_auto = config->target == CHECKS_TARGET_AUTO;
	store_relaxed(&c->target, c->target_auto ? CHECKS_TARGET_DOCUMENTS : config->target);
	c->stacks_all = config->stacks_all;
	c->device0_known = config->visible_devices && config->visible_devices[0];
	c->device0_hidden = c->device0_known && !names_device0(config->visible_devices);
	c->soc = config->soc && config->soc[0] ? config->soc : NULL;
	store_relaxed(&c->runtime, -1);
	c->threads = host->memory(host->context, ACL_THREADS * sizeof(*c->threads));
	c->thread_places = host->memory(host->context, ACL_THREADS * sizeof(*c->thread_places));
	if (!c->threads || !c->thread_places || !settings_create(c, config) || !call_sites_create(c) ||
		!coverage_create(c))
		return NULL;
	pages_stay_small(c->threads, ACL_THREADS * sizeof(*c->threads));
	rare_hooks_create(c);
	if (!modules_create(c))
		return NULL;
	return hook_lists_create(c) ? c : NULL;
}

/* Tables belong to the host: nothing to give back. */
void checks_destroy(struct checks *c)
{
	(void)c;
}

void checks_set_runtime(struct checks *c, enum acl_cann version)
{
	store_relaxed(&c->runtime, (int)version);
	if (c->target_auto)
		store_relaxed(&c->target, (int)version);
}

void checks_finish(struct checks *c, enum checks_end kind)
{
	for (unsigned i = 0; i < MODULE_COUNT; i++)
		if (check_modules[i]->finish)
			check_modules[i]->finish(c, kind);
	for (unsigned i = 0; i < MODULE_COUNT; i++)
		if (check_modules[i]->finish_rest)
			check_modules[i]->finish_rest(c, kind);
}

/* The calls of the parent's other threads do not go on here. */
static void threads_forked(struct checks *c)
{
	struct acl_thread *t;

	thread_each(c, t) store_relaxed(&t->inside, 0);
}

void checks_forked(struct checks *c)
{
	locks_forked();
	threads_forked(c);
	maps_forked(c);
	call_sites_forked(c);
	coverage_forked(c);
	for (unsigned i = 0; i < MODULE_COUNT; i++)
		if (check_modules[i]->forked)
			check_modules[i]->forked(c);
}

void checks_peer(struct checks *c, const struct checks_peer_news *news)
{
	checks_when(c, WHEN_PEERS);
	for (unsigned i = 0; i < MODULE_COUNT; i++)
		if (check_modules[i]->peer)
			check_modules[i]->peer(c, news, text_key(news->key));
}

void checks_callback(struct checks *c, struct acl_call_record *outer, const void *argument, bool begins)
{
	struct acl_thread *t = thread_find(c, outer);

	if (begins)
		checks_when(c, WHEN_CALLBACKS);
	if (!t)
		return;
	outer->thread = t;
	if (begins && outer->callback_depth && outer->callback_depth <= ACL_CALLBACKS)
		store_relaxed(&t->callbacks[outer->callback_depth - 1], outer->api + 1);
	for (unsigned i = 0; i < MODULE_COUNT; i++)
		if (check_modules[i]->callback)
			check_modules[i]->callback(c, outer, argument, begins);
	if (t->n_findings)
		call_findings_settle(c, outer);
}
