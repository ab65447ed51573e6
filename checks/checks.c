/* SPDX-License-Identifier: Apache-2.0 */
/* The instance: creation, memory, threads, and the way of a call through the topics. */
#include "checks/report.h"
#include "checks/topics.h"

#define POOL_CHUNK (256u << 10)

struct pool_free {
	struct pool_free *next;
};

/* --- memory ------------------------------------------------------------------ */

void checks_in_trouble(struct checks *c, const char *text)
{
	const char *none = NULL;

	atomic_compare_exchange_strong(&c->trouble_text, &none, text);
	atomic_store(&c->trouble, true);
}

static unsigned size_log(size_t bytes)
{
	return bytes <= 64 ? 6 : 64 - (unsigned)__builtin_clzll(bytes - 1);
}

/* Under the lock: from the free list of the size, else the pool. Large pieces come from the host one by one.
 */
static void *pool_take(struct checks *c, unsigned log)
{
	size_t bytes = (size_t)1 << log;
	struct pool_free *f = c->pool_free[log];
	void *p;

	if (f) {
		c->pool_free[log] = f->next;
		memset(f, 0, bytes);
		return f;
	}
	if ((size_t)(c->pool_end - c->pool) < bytes) {
		c->pool = c->host.memory(c->host.context, POOL_CHUNK);
		c->pool_end = c->pool ? c->pool + POOL_CHUNK : NULL;
		if (!c->pool)
			return NULL;
	}
	p = c->pool;
	c->pool += bytes;
	return p;
}

void *checks_alloc(struct checks *c, size_t bytes)
{
	unsigned log = size_log(bytes);
	void *p = NULL;

	lock(&c->alloc_lock);
	if (log >= 32)
		p = c->host.memory(c->host.context, bytes);
	else if (c->pool_free[log] || bytes <= POOL_CHUNK / 4)
		p = pool_take(c, log);
	else
		p = c->host.memory(c->host.context, bytes);
	unlock(&c->alloc_lock);
	if (!p)
		checks_in_trouble(c, "no memory for the checker's tables");
	return p;
}

/* Only pieces of the pool's sizes come back; bytes as in checks_alloc. */
void checks_forget(struct checks *c, void *p, size_t bytes)
{
	unsigned log = size_log(bytes);
	struct pool_free *f = p;

	if (!p || bytes > POOL_CHUNK / 4)
		return;
	lock(&c->alloc_lock);
	f->next = c->pool_free[log];
	c->pool_free[log] = f;
	unlock(&c->alloc_lock);
}

/* --- threads ------------------------------------------------------------------ */

static void thread_begins(struct checks *c, struct acl_thread *t, uint32_t tid)
{
	st(&t->exchange, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	st(&t->context_unknown, false);
	st(&t->device, -1);
	st(&t->context, 0);
	st(&t->inside, 0);
	st(&t->reset, 0);
	t->replaced = t->timed_out.what = t->device_wait.what = 0;
	for (unsigned mode = 0; mode < 3; mode++)
		st(&t->captures[mode], 0);
	st(&t->tid, tid);
	asked_begins(c, t);
}

static __attribute__((noinline)) struct acl_thread *thread_find(struct checks *c, const struct acl_event *ev)
{
	uint64_t id = ev->pthread_id ? ev->pthread_id : ev->tid;

	for (uint64_t i = mix64(id), tries = 0; id && tries < 64; i++, tries++) {
		struct acl_thread *t = &c->threads[i % ACL_THREADS];
		uint64_t found = ld_acquire(&t->pthread_id);

		if (!found && atomic_compare_exchange_strong(&t->pthread_id, &found, id))
			found = id;
		if (found != id)
			continue;
		/* Another kernel thread behind the same pthread id: the former has ended. */
		if (ld(&t->tid) != ev->tid)
			thread_begins(c, t, ev->tid);
		return t;
	}
	checks_in_trouble(c, "more threads than the checker follows");
	return NULL;
}

/* --- the way of a call ---------------------------------------------------------- */

void checks_enter(struct checks *c, struct acl_event *ev)
{
	const acl_hook_fn *hook = c->hooks[ev->api].enter[ld(&c->unusual)];
	struct acl_thread *t = ev->thread;

	if (__builtin_expect(!t, 0)) {
		t = thread_find(c, ev);
		if (!t)
			return;
		ev->thread = t;
	}
	if (judged(ev))
		called_again(t, ev->api);
	t->phase++;
	/* Beside a call that runs a callback, only the outer one is in progress for others. */
	if (__builtin_expect(!ev->callback_depth, 1)) {
		st(&t->inside_caller, ev->caller);
		st_release(&t->inside, (uint16_t)(ev->api + 1));
	}
	if (__builtin_expect(!ld(&c->inited), 0))
		init_missing(c, ev);
	if (__builtin_expect(ev->missing, 0))
		error_missing(c, ev);
	for (; *hook; hook++)
		(*hook)(c, ev);
}

void checks_leave(struct checks *c, struct acl_event *ev)
{
	const acl_hook_fn *hook = c->hooks[ev->api].leave[ld(&c->unusual)];
	struct acl_thread *t = ev->thread;

	if (!t)
		return;
	t->phase++;
	if (__builtin_expect(!ev->callback_depth, 1))
		st(&t->inside, 0);
	for (; *hook; hook++)
		(*hook)(c, ev);
	if (__builtin_expect(error_of(ev) != 0, 0))
		for (hook = c->hooks[ev->api].failed; *hook; hook++)
			(*hook)(c, ev);
	else if (__builtin_expect(ev->carry[CARRY_FINDING] != 0, 0) && *c->hooks[ev->api].failed)
		error_suspect(ev);
}

bool checks_listens(const struct checks *c, unsigned api)
{
	return api < ACL_API_COUNT &&
	       (*c->hooks[api].enter[1] || *c->hooks[api].leave[1] || *c->hooks[api].failed);
}

/* --- creation --------------------------------------------------------------------- */

struct binder {
	bool unusual; /* those for unusual times as well */
	unsigned count[ACL_API_COUNT][ACL_PHASES];
	acl_hook_fn *lists[ACL_API_COUNT][ACL_PHASES]; /* NULL while counting */
};

static void bind_one(void *binder, unsigned api, enum acl_phase phase, acl_hook_fn fn)
{
	struct binder *b = binder;

	if (api >= ACL_API_COUNT)
		return;
	if (b->lists[api][phase])
		b->lists[api][phase][b->count[api][phase]] = fn;
	b->count[api][phase]++;
}

static bool wanted(const struct binder *b, unsigned offered, enum acl_phase phase)
{
	return (b->unusual ? offered & ~(unsigned)ACL_UNUSUAL : offered) == phase;
}

static void bind_topic(struct binder *b, const struct acl_topic *topic, enum acl_phase phase)
{
	for (unsigned i = 0; i < topic->n_hooks; i++)
		if (wanted(b, topic->hooks[i].phase, phase))
			bind_one(b, topic->hooks[i].api, phase, topic->hooks[i].fn);
}

/* Topics may offer both phases of a bound function at once; only the asked phase counts. */
struct phase_filter {
	struct binder *binder;
	enum acl_phase phase;
};

static void bind_filtered(void *filter, unsigned api, enum acl_phase phase, acl_hook_fn fn)
{
	struct phase_filter *f = filter;

	if (wanted(f->binder, phase, f->phase))
		bind_one(f->binder, api, f->phase, fn);
}

static void bind_phase(struct binder *b, const struct acl_topic *topic, enum acl_phase phase)
{
	struct phase_filter filter = {b, phase};

	bind_topic(b, topic, phase);
	if (topic->bind)
		topic->bind(bind_filtered, &filter);
}

/* Enter runs in the order of the topics, leave the other way round. */
static void bind_all(struct binder *b)
{
	memset(b->count, 0, sizeof(b->count));
	for (unsigned i = 0; i < acl_topic_count; i++)
		bind_phase(b, acl_topics[i], ACL_ENTER);
	for (unsigned i = acl_topic_count; i-- > 0;)
		bind_phase(b, acl_topics[i], ACL_LEAVE);
	for (unsigned i = acl_topic_count; i-- > 0;)
		bind_phase(b, acl_topics[i], ACL_FAILED);
	/* An error that no other rule explains is said by this one, so it comes last. */
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		if (acl_apis[api].ret_kind == ACL_KIND_ERROR)
			bind_one(b, api, ACL_FAILED, error_returned);
}

/* Lists of hooks for usual or for all times; false: no memory. */
static bool lists_create(struct checks *c, struct binder *b, bool unusual)
{
	acl_hook_fn *room;
	size_t total = 0;

	memset(b, 0, sizeof(*b));
	b->unusual = unusual;
	bind_all(b);
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		for (unsigned phase = 0; phase < ACL_PHASES; phase++)
			total += b->count[api][phase] + 1;
	room = checks_alloc(c, total * sizeof(*room));
	if (!room)
		return false;
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		for (unsigned phase = 0; phase < ACL_PHASES; phase++) {
			b->lists[api][phase] = room;
			room += b->count[api][phase] + 1;
		}
	bind_all(b);
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		c->hooks[api].enter[unusual] = b->lists[api][ACL_ENTER];
		c->hooks[api].leave[unusual] = b->lists[api][ACL_LEAVE];
		c->hooks[api].failed = b->lists[api][ACL_FAILED];
	}
	return true;
}

static bool hooks_create(struct checks *c)
{
	struct binder *b = c->host.memory(c->host.context, sizeof(*b));

	return b && lists_create(c, b, false) && lists_create(c, b, true);
}

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

/* A list of numbers: "0,1,2". */
static bool names_device0(const char *list)
{
	while (*list) {
		const char *end = strchr(list, ',');
		size_t n = end ? (size_t)(end - list) : strlen(list);

		if (strspn(list, " 0") >= n && memchr(list, '0', n))
			return true;
		list += end ? n + 1 : n;
	}
	return false;
}

struct checks *checks_create(const struct checks_config *config, const struct checks_host *host)
{
	struct checks *c = host->memory(host->context, sizeof(*c));

	if (!c)
		return NULL;
	c->host = *host;
	c->target_auto = config->target == CHECKS_TARGET_AUTO;
	st(&c->target, c->target_auto ? CHECKS_TARGET_DOCUMENTS : config->target);
	c->stacks_all = config->stacks_all;
	c->device0_known = config->visible_devices && config->visible_devices[0];
	c->device0_hidden = c->device0_known && !names_device0(config->visible_devices);
	c->soc = config->soc && config->soc[0] ? config->soc : NULL;
	st(&c->run_mode, -1);
	c->threads = host->memory(host->context, ACL_THREADS * sizeof(*c->threads));
	if (!c->threads || !settings_create(c, config) || !report_create(c) || !asked_create(c))
		return NULL;
	for (unsigned i = 0; i < acl_topic_count; i++)
		if (acl_topics[i]->create && !acl_topics[i]->create(c))
			return NULL;
	return hooks_create(c) ? c : NULL;
}

/* Tables belong to the host: nothing to give back. */
void checks_destroy(struct checks *c)
{
	(void)c;
}

void checks_set_runtime(struct checks *c, enum acl_cann version)
{
	if (c->target_auto)
		st(&c->target, (int)version);
}

void checks_ordered(struct checks *c)
{
	st(&c->ordered, true);
}

void checks_finish(struct checks *c, enum checks_end kind)
{
	for (unsigned i = 0; i < acl_topic_count; i++)
		if (acl_topics[i]->finish)
			acl_topics[i]->finish(c, kind);
}

/* Locks may have been held by threads that do not exist here. */
void checks_forked(struct checks *c)
{
	st(&c->alloc_lock.held, 0);
	asked_forked(c);
	for (unsigned k = 0; k < ACL_HANDLE_COUNT; k++)
		if (c->kinds[k])
			st(&c->kinds[k]->lock.held, 0);
	for (unsigned i = 0; i < acl_topic_count; i++)
		if (acl_topics[i]->forked)
			acl_topics[i]->forked(c);
}

void checks_callback(struct checks *c, struct acl_event *outer, const void *argument, bool begins)
{
	struct acl_thread *t = thread_find(c, outer);

	if (begins && !ld(&c->callbacks_ran)) {
		checks_unusual(c);
		st(&c->callbacks_ran, true);
	}
	if (!t)
		return;
	outer->thread = t;
	if (begins && outer->callback_depth && outer->callback_depth <= ACL_CALLBACKS)
		st(&t->callbacks[outer->callback_depth - 1], outer->api + 1);
	for (unsigned i = 0; i < acl_topic_count; i++)
		if (acl_topics[i]->callback)
			acl_topics[i]->callback(c, outer, argument, begins);
}
