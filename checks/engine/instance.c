/* SPDX-License-Identifier: Apache-2.0 */
/* The instance: creation, memory, threads, and the way of a call through the modules. */
#include "checks/engine/call_sites.h"
#include "checks/engine/finding_collect.h"
#include "checks/engine/rule_coverage.h"
#include "checks/engine/hook_lists.h"

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

static unsigned size_log(size_t bytes)
{
	return bytes <= 64 ? 6 : 64 - (unsigned)__builtin_clzll(bytes - 1);
}

/* Under the lock: a piece of the pool's memory. */
static void *pool_take(struct checks *c, size_t bytes)
{
	void *p;

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
	if (log <= POOL_LOG)
		return pool_take(c, (size_t)1 << log);
	return c->host.memory(c->host.context, (size_t)1 << log);
}

void *checks_alloc(struct checks *c, size_t bytes)
{
	unsigned log = size_log(bytes);
	void *p;

	lock(&c->alloc_lock);
	p = log < POOL_SIZES ? piece_take(c, log, bytes) : c->host.memory(c->host.context, bytes);
	unlock(&c->alloc_lock);
	if (!p)
		checks_degrade(c, "no memory for the checker's tables");
	return p;
}

/* bytes as in checks_alloc. */
void checks_forget(struct checks *c, void *p, size_t bytes)
{
	unsigned log = size_log(bytes);
	struct pool_free *f = p;

	if (!p || log >= POOL_SIZES)
		return;
	lock(&c->alloc_lock);
	f->next = c->pool_free[log];
	c->pool_free[log] = f;
	unlock(&c->alloc_lock);
}

/* --- threads ------------------------------------------------------------------ */

static void thread_begins(struct checks *c, struct acl_thread *t, uint32_t tid)
{
	store_relaxed(&t->exchange, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	store_relaxed(&t->context_unknown, false);
	store_relaxed(&t->device, -1);
	store_relaxed(&t->context, 0);
	store_relaxed(&t->inside, 0);
	store_relaxed(&t->reset, 0);
	t->n_findings = 0;
	t->replaced = t->timed_out.what = t->device_wait.what = 0;
	for (unsigned mode = 0; mode < 3; mode++)
		store_relaxed(&t->captures[mode], 0);
	store_relaxed(&t->tid, tid);
	coverage_thread_begins(c, t);
}

static __attribute__((noinline)) struct acl_thread *thread_find(
	struct checks *c, const struct acl_call_record *call)
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
		if (load_relaxed(&t->tid) != call->tid)
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

static inline void hooks_run(struct checks *c, struct acl_call_record *call, const check_hook_fn *hook)
{
	if (hook)
		for (; *hook; hook++)
			(*hook)(c, call);
}

void call_stack_take(struct checks *c, struct acl_call_record *call)
{
	if (!call->stack && c->host.stack)
		call->stack = c->host.stack(c->host.context, call);
}

/* --- the way of a call ---------------------------------------------------------- */

struct settling {
	struct checks *c;
	struct acl_call_record *call;
};

static void settle(void *settling)
{
	struct settling *s = settling;

	findings_settle(s->c, s->call);
}

static __attribute__((noinline)) void settle_with_stack(struct checks *c, struct acl_call_record *call)
{
	struct settling s = {c, call};

	if (c->host.with_stack && findings_may_show(call))
		c->host.with_stack(c->host.context, settle, &s);
	else
		settle(&s);
}

/* The call, and what it puts to the test; of calls of the runtime itself nothing is counted. */
static inline void coverage_count(
	const struct checks *c, const struct acl_call_record *call, const struct acl_thread *t)
{
	struct coverage_counts *counts = t->coverage;
	struct called_api *of = counts ? &counts->api[call->api] : NULL;

	if (__builtin_expect(!of, 0))
		return;
	store_relaxed(&of->calls, load_relaxed(&of->calls) + 1);
	if (__builtin_expect(load_relaxed(&of->evaluated) != call->state.evaluated, 0))
		evaluated_changed(c, call);
}

/* What a handle puts to the test, and what it means. */
static uint64_t handle_look(struct checks *c, struct acl_call_record *call, const struct call_handle *h)
{
	struct acl_object **slot = (struct acl_object **)((char *)call + h->slot);
	const void *value;

	memcpy(&value, (const char *)call->args + h->offset, sizeof(value));
	*slot = object_find(c, h->kind, value);
	if (!value && h->kind == ACL_HANDLE_STREAM)
		c->rare.default_stream(c, call);
	if (*slot && load_acquire(&(*slot)->state) == ACL_OBJECT_LIVE && !(value && h->destroys))
		return h->evaluated;
	return value ? EVALUATED_BY_RULE : 0;
}

static uint64_t handles_look(struct checks *c, struct acl_call_record *call, const struct call_plan *plan)
{
	uint64_t evaluated = 0;

	for (unsigned i = 0; i < plan->n_handles; i++)
		evaluated |= handle_look(c, call, &plan->handles[i]);
	return evaluated;
}

static uint64_t constraints_evaluate(struct checks *c, struct acl_call_record *call,
	const struct call_plan *plan, unsigned (*evaluate)(const void *args, const void *behind))
{
	unsigned needs = evaluate(call->args, NULL);

	if (__builtin_expect(needs & ACL_NEEDS_BROKEN || plan->report, 0))
		constraints_report(c, call, NULL);
	return needs & EVALUATED_CONSTRAINTS;
}

static inline void findings_look(struct checks *c, struct acl_call_record *call)
{
	if (__builtin_expect(thread_of(call)->n_findings != 0, 0))
		settle_with_stack(c, call);
}

/* Other threads can see that the thread is in the call. */
static inline void enter_shown(struct acl_thread *t, const struct acl_call_record *call)
{
	store_relaxed(&t->inside_caller, call->caller);
	store_release(&t->inside, (uint16_t)(call->api + 1));
}

/* Any call, one step after the other. */
static __attribute__((noinline)) void enter_any(
	struct checks *c, struct acl_call_record *call, const struct call_plan *plan)
{
	const struct acl_need_span *span = &acl_constraints_of[call->api];
	struct acl_thread *t;
	uint64_t evaluated;

	if (!call->thread)
		call->thread = thread_find(c, call);
	if (!call->thread)
		return;
	t = call->thread;
	t->phase++;
	/* Beside a call that runs a callback, only the outer one is in progress for others. */
	if (!call->callback_depth)
		enter_shown(t, call);
	if (!load_relaxed(&c->inited))
		c->rare.uninitialized(c, call);
	if (call->missing)
		c->rare.missing(c, call);
	evaluated = handles_look(c, call, plan);
	hooks_run(c, call, plan->enter_state);
	if (span->count && !span->behind_size)
		evaluated |= constraints_evaluate(c, call, plan, acl_constraints_evaluate[call->api]);
	/* The rule also counts what it looks at. */
	if (evaluated & EVALUATED_BY_RULE) {
		c->rare.unsettled(c, call);
		evaluated &= EVALUATED_CONSTRAINTS;
	}
	call->state.evaluated |= evaluated;
	hooks_run(c, call, plan->enter_rules[call->plain]);
	if (is_checked(call))
		coverage_count(c, call, t);
	findings_look(c, call);
}

/* Hooks that decide nothing about each other. */
static __attribute__((noinline)) void enter_hooks(
	struct checks *c, struct acl_call_record *call, const check_hook_fn *hook)
{
	do
		(*hook)(c, call);
	while (*++hook);
	findings_look(c, call);
}

static __attribute__((noinline)) void enter_steps(
	struct checks *c, struct acl_call_record *call, const struct call_plan *plan)
{
	hooks_run(c, call, plan->enter_state);
	if (plan->constraints)
		call->state.evaluated |= constraints_evaluate(c, call, plan, plan->constraints);
	hooks_run(c, call, plan->enter_rules[call->plain]);
	coverage_count(c, call, call->thread);
	findings_look(c, call);
}

/* What all handles mean; false: one is not simply that of a living object. */
static inline bool handles_are_alive(
	struct checks *c, struct acl_call_record *call, const struct call_plan *plan)
{
	for (const struct call_handle *h = plan->handles, *end = h + plan->n_handles; h < end; h++) {
		struct acl_object *o;
		uint64_t value;

		memcpy(&value, (const char *)call->args + h->offset, sizeof(value));
		o = object_at_hand(c->kinds[h->kind], value);
		if (__builtin_expect(!o, 0))
			return false;
		*(struct acl_object **)((char *)call + h->slot) = o;
	}
	return !plan->slow;
}

static inline bool pointers_are_set(const struct acl_call_record *call, const struct call_plan *plan)
{
	for (unsigned i = 0; i < plan->n_set; i++) {
		uint64_t value;

		memcpy(&value, (const char *)call->args + plan->set[i], sizeof(value));
		if (__builtin_expect(!value, 0))
			return false;
	}
	return true;
}

/* Nothing is changed, and no function called, before it is certain that the call is as most are. */
void checks_enter(struct checks *c, struct acl_call_record *call)
{
	const struct call_plan *plan = load_acquire(&c->plans) + call->api;
	struct acl_thread *t = call->thread;

	if (__builtin_expect(!t || !acl_call_is_usual(call) || !load_relaxed(&c->inited), 0) ||
		!handles_are_alive(c, call, plan) || !pointers_are_set(call, plan)) {
		enter_any(c, call, plan);
		return;
	}
	t->phase++;
	enter_shown(t, call);
	call->state.evaluated = plan->evaluated;
	if (__builtin_expect(plan->steps, 0)) {
		enter_steps(c, call, plan);
		return;
	}
	coverage_count(c, call, t);
	if (plan->enter)
		enter_hooks(c, call, plan->enter);
}

/* What is to be done in leave, with a function that has anything, or in a call that something is wrong with.
 */
static __attribute__((noinline)) void leave_rest(
	struct checks *c, struct acl_call_record *call, const check_hook_fn *hooks)
{
	hooks_run(c, call, hooks);
	if (__builtin_expect(error_of(call) != 0, 0)) {
		call->state.phase = ACL_FAILED;
		hooks_run(c, call, c->failed[call->api]);
	}
	if (__builtin_expect(thread_of(call)->n_findings != 0, 0))
		settle_with_stack(c, call);
	if (__builtin_expect(call->state.finding != 0, 0) && error_of(call) == 0 && *c->failed[call->api])
		c->rare.suspected(c, call);
}

void checks_leave(struct checks *c, struct acl_call_record *call)
{
	const check_hook_fn *hooks = load_acquire(&c->plans)[call->api].leave[call->plain];
	struct acl_thread *t = call->thread;

	if (!t)
		return;
	t->phase++;
	call->state.phase = ACL_LEAVE;
	if (__builtin_expect(!call->callback_depth, 1))
		store_relaxed(&t->inside, 0);
	if (hooks || error_of(call) || call->state.finding)
		leave_rest(c, call, hooks);
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

static void nothing_rare(struct checks *c, struct acl_call_record *call)
{
	(void)c;
	(void)call;
}

static void rare_hooks_create(struct checks *c)
{
	struct rare_hooks *r = &c->rare;

	*r = (struct rare_hooks){
		nothing_rare, nothing_rare, nothing_rare, nothing_rare, nothing_rare, nothing_rare};
	for (unsigned i = 0; i < MODULE_COUNT; i++) {
		const struct check_module *m = check_modules[i];

		r->uninitialized = m->uninitialized ? m->uninitialized : r->uninitialized;
		r->missing = m->missing ? m->missing : r->missing;
		r->default_stream = m->default_stream ? m->default_stream : r->default_stream;
		r->unsettled = m->unsettled ? m->unsettled : r->unsettled;
		r->returned_error = m->returned_error ? m->returned_error : r->returned_error;
		r->suspected = m->suspected ? m->suspected : r->suspected;
	}
}

/* All states first: a module may ask for another one's as soon as it is created. */
static bool modules_create(struct checks *c)
{
	for (unsigned i = 0; i < MODULE_COUNT; i++) {
		size_t bytes = check_modules[i]->state_size;

		c->module_states[i] = bytes ? checks_alloc(c, bytes) : NULL;
		if (bytes && !c->module_states[i])
			return false;
	}
	for (unsigned i = 0; i < MODULE_COUNT; i++)
		if (check_modules[i]->create && !check_modules[i]->create(c))
			return false;
	return true;
}

struct checks *checks_create(const struct checks_config *config, const struct checks_host *host)
{
	struct checks *c = host->memory(host->context, sizeof(*c));

	if (!c)
		return NULL;
	rule_places_fill();
	c->host = *host;
	c->target_auto = config->target == CHECKS_TARGET_AUTO;
	store_relaxed(&c->target, c->target_auto ? CHECKS_TARGET_DOCUMENTS : config->target);
	c->stacks_all = config->stacks_all;
	c->device0_known = config->visible_devices && config->visible_devices[0];
	c->device0_hidden = c->device0_known && !names_device0(config->visible_devices);
	c->soc = config->soc && config->soc[0] ? config->soc : NULL;
	store_relaxed(&c->run_mode, -1);
	store_relaxed(&c->runtime, -1);
	c->threads = host->memory(host->context, ACL_THREADS * sizeof(*c->threads));
	c->thread_places = host->memory(host->context, ACL_THREADS * sizeof(*c->thread_places));
	if (!c->threads || !c->thread_places || !settings_create(c, config) || !call_sites_create(c) ||
		!coverage_create(c))
		return NULL;
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

void checks_ordered(struct checks *c)
{
	store_relaxed(&c->ordered, true);
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
	call_sites_forked(c);
	coverage_forked(c);
	for (unsigned i = 0; i < MODULE_COUNT; i++)
		if (check_modules[i]->forked)
			check_modules[i]->forked(c);
}

void checks_callback(struct checks *c, struct acl_call_record *outer, const void *argument, bool begins)
{
	struct acl_thread *t = thread_find(c, outer);

	if (begins && !load_relaxed(&c->callbacks_ran)) {
		checks_when(c, WHEN_CALLBACKS);
		store_relaxed(&c->callbacks_ran, true);
	}
	if (!t)
		return;
	outer->thread = t;
	if (begins && outer->callback_depth && outer->callback_depth <= ACL_CALLBACKS)
		store_relaxed(&t->callbacks[outer->callback_depth - 1], outer->api + 1);
	for (unsigned i = 0; i < MODULE_COUNT; i++)
		if (check_modules[i]->callback)
			check_modules[i]->callback(c, outer, argument, begins);
	if (t->n_findings)
		settle_with_stack(c, outer);
}
