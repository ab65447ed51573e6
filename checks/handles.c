/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles: used after their destruction, destroyed twice, of another kind, or
 * left behind by a failed create.  Which parameter is a handle of which kind
 * is the model's word; a handle nobody saw created is silent.
 */
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

struct handle_use {
	uint16_t offset;
	uint8_t kind; /* enum acl_handle */
	bool destroys;
	int8_t carry; /* the topic of streams or events has looked it up already: its slot, -1 = nobody has */
	int16_t dead; /* index of the rule about dead ones, -1 = none */
	const char *name;
};

#define USES 640

/* Filled from the model when the topic is bound. */
static struct handle_use uses[USES];
static struct {
	uint16_t first, count;
} uses_of[ACL_API_COUNT];

/* What a failed create left in its output variable. */
#define LEFTOVERS 64

struct leftover {
	_Atomic uint64_t value, pthread_id;
	_Atomic uint8_t kind;
	struct moment failed;
};

struct handles_state {
	struct leftover left[LEFTOVERS];
	_Atomic uint32_t at, used;
	struct pairs
		answers; /* key of kind and handle -> 1: a question was answered with it, or it was told */
};

/* --- destroyed ---------------------------------------------------------------------- */

static const struct acl_rule *dead_stream(bool destroys)
{
	return destroys ? RULE("stream-double-destroy") : RULE("stream-destroyed-handle");
}

static const struct acl_rule *dead_rule(unsigned kind, bool destroys)
{
	switch (kind) {
	case ACL_HANDLE_STREAM:
		return dead_stream(destroys);
	case ACL_HANDLE_EVENT:
		return RULE("event-destroyed-handle");
	case ACL_HANDLE_MODEL:
		return RULE("mdlri-use-after-destroy");
	case ACL_HANDLE_CONTEXT:
		return destroys ? RULE("context-double-destroy") : RULE("context-set-destroyed");
	case ACL_HANDLE_NOTIFY:
	case ACL_HANDLE_CNT_NOTIFY:
		return RULE("notify-destroyed-use");
	case ACL_HANDLE_BINARY:
		return RULE("kernel-binary-double-unload");
	case ACL_HANDLE_POOL:
		return RULE("pool-use-after-destroy");
	case ACL_HANDLE_ALLOCATOR_DESC:
		return RULE("allocator-desc-lifetime");
	case ACL_HANDLE_MBUF:
		return RULE("leak-mbuf");
	default:
		return NULL;
	}
}

/* A reset takes the streams of the default context along; to destroy them after it comes late and harms
 * nothing. */
static bool went_with_reset(struct checks *c, struct acl_object *o)
{
	struct acl_object *context = object_of(c, ld(&o->context));

	return o->kind == ACL_HANDLE_STREAM && ld(&o->flags) & ACL_OBJECT_BY_OWNER && context &&
	       ld(&context->flags) & ACL_OBJECT_DEFAULT;
}

static void say_dead(
	struct checks *c, struct acl_event *ev, const struct handle_use *use, struct acl_object *o)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	if (use->destroys && went_with_reset(c, o))
		return;
	/* A queue may have handed the buffer out again. */
	if (o->kind == ACL_HANDLE_MBUF && may_be_unseen(c, CHECKS_UNSEEN_QUEUES))
		return;
	if (o->kind == ACL_HANDLE_MBUF)
		grade.severity = ACL_SEV_ERROR;
	f = finding_begin_as(c, ev, dead_rule(o->kind, use->destroys), grade, &room);
	if (!f)
		return;
	if (ld(&o->state) == ACL_OBJECT_GOING)
		finding_detail(f, "Another thread destroys this %s right now.", acl_handle_names[o->kind]);
	else if (ld(&o->flags) & ACL_OBJECT_BY_OWNER)
		finding_detail(f, "This %s was gone already: it went with its context or device.",
			acl_handle_names[o->kind]);
	else
		finding_detail(f, "This %s was destroyed before.", acl_handle_names[o->kind]);
	finding_address(f, use->name, (const void *)(uintptr_t)ld(&o->value));
	finding_object(c, f, acl_handle_names[o->kind], o);
	finding_show(c, f);
}

/* --- never alive ---------------------------------------------------------------------- */

static void say_mismatch(
	struct checks *c, struct acl_event *ev, const struct handle_use *use, struct acl_object *o)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, ev, RULE("handle-type-mismatch"), &room);

	if (!f)
		return;
	finding_detail(f, "%s must be a %s, this is a %s.", use->name, acl_handle_names[use->kind],
		acl_handle_names[o->kind]);
	finding_object(c, f, acl_handle_names[o->kind], o);
	finding_show(c, f);
}

static void say_leftover(
	struct checks *c, struct acl_event *ev, const struct handle_use *use, struct leftover *l)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, ev, RULE("failed-create-output-used"), &room);

	if (!f)
		return;
	finding_detail(
		f, "%s was never made: the call that should have made it failed on this thread.", use->name);
	finding_address(f, use->name, (const void *)(uintptr_t)ld(&l->value));
	finding_api(f, "failed call", ld(&l->failed.api));
	finding_show(c, f);
}

static struct leftover *leftover_find(
	struct checks *c, const struct acl_event *ev, unsigned kind, uint64_t value)
{
	struct handles_state *s = c->topic[TOPIC_HANDLES];

	if (!ld(&s->used))
		return NULL;
	for (unsigned i = 0; i < LEFTOVERS; i++)
		if (ld(&s->left[i].value) == value && ld(&s->left[i].kind) == kind &&
			ld(&s->left[i].pthread_id) == ev->pthread_id)
			return &s->left[i];
	return NULL;
}

/* For those who know that nobody makes handles behind our back; each is told once. */
static void say_unknown(
	struct checks *c, struct acl_event *ev, const struct handle_use *use, const void *value)
{
	struct handles_state *s = c->topic[TOPIC_HANDLES];
	uint64_t key = key_of_two(use->kind, (uintptr_t)value);

	if (!rule_wanted(c, RULE("handle-unknown")) || ld(&s->answers.full) || !judged(ev))
		return;
	rule_asked(ev, RULE("handle-unknown"));
	if (pairs_value(&s->answers, key))
		return;
	pairs_set(&s->answers, key, 1);
	finding_on(c, ev, RULE("handle-unknown"), NULL, NULL,
		"%s is %p: no call that was seen has made or answered with a %s of this value.", use->name,
		value, acl_handle_names[use->kind]);
}

/* Handles that the runtime itself gives, one or as many as a counter says. */
static void answered(struct checks *c, struct acl_event *ev)
{
	const struct acl_api_info *api = &acl_apis[ev->api];
	struct handles_state *s = c->topic[TOPIC_HANDLES];

	if (!rule_wanted(c, RULE("handle-unknown")) || !succeeded(ev))
		return;
	for (unsigned i = 0; i < api->n_params; i++) {
		const struct acl_param *p = &api->params[i];
		const void *const *out;
		const uint32_t *n = NULL;

		if (p->life != ACL_LIFE_GET)
			continue;
		memcpy(&out, (const char *)ev->args + p->offset, sizeof(out));
		if (p->count >= 0)
			memcpy(&n, (const char *)ev->args + api->params[p->count].offset, sizeof(n));
		for (uint32_t k = 0; out && k < (p->count < 0 ? 1 : n ? *n : 0); k++)
			if (out[k])
				pairs_set(&s->answers, key_of_two(p->handle, (uintptr_t)out[k]), 1);
	}
}

/* No object of the wanted kind ever had this value. */
static void unknown_handle(
	struct checks *c, struct acl_event *ev, const struct handle_use *use, const void *value)
{
	static const uint8_t kinds[] = {ACL_HANDLE_STREAM, ACL_HANDLE_EVENT, ACL_HANDLE_NOTIFY,
		ACL_HANDLE_CNT_NOTIFY, ACL_HANDLE_LABEL, ACL_HANDLE_CONTEXT, ACL_HANDLE_MODEL};
	struct leftover *l = leftover_find(c, ev, use->kind, (uintptr_t)value);

	if (l) {
		say_leftover(c, ev, use, l);
		return;
	}
	for (size_t i = 0; i < sizeof(kinds); i++) {
		struct acl_object *o = kinds[i] == use->kind ? NULL : object_find(c, kinds[i], value);

		if (!o || ld(&o->state) != ACL_OBJECT_LIVE)
			continue;
		say_mismatch(c, ev, use, o);
		return;
	}
	say_unknown(c, ev, use, value);
}

/* --- every handle of a call ------------------------------------------------------------ */

/* Where the call counts what it asks, NULL = nowhere. */
static inline struct asked_counts *counts_of(const struct acl_event *ev)
{
	return judged(ev) ? thread_of(ev)->asked : NULL;
}

/* A known handle of the right kind: whether it is alive is the question. */
static inline void ask(struct asked_counts *asked, const struct handle_use *use)
{
	if (use->dead >= 0 && asked)
		st(&asked->rule[use->dead], ld(&asked->rule[use->dead]) + 1);
}

static __attribute__((noinline)) void judge(
	struct checks *c, struct acl_event *ev, const struct handle_use *use, const void *value)
{
	struct acl_object *o = object_find(c, use->kind, value);

	if (!o) {
		unknown_handle(c, ev, use, value);
		return;
	}
	ask(counts_of(ev), use);
	if (ld_acquire(&o->state) == ACL_OBJECT_DEAD ||
		(ld(&o->state) == ACL_OBJECT_GOING && ev->carry[CARRY_GOING] != object_ref(o)))
		say_dead(c, ev, use, o);
}

static void check_handles(struct checks *c, struct acl_event *ev)
{
	const struct handle_use *use = &uses[uses_of[ev->api].first], *end = use + uses_of[ev->api].count;
	struct asked_counts *asked = counts_of(ev);

	for (; use < end; use++) {
		struct acl_object *o;
		const void *value;

		memcpy(&value, (const char *)ev->args + use->offset, sizeof(value));
		o = use->carry >= 0 ? (struct acl_object *)(uintptr_t)ev->carry[(unsigned)use->carry] : NULL;
		if (__builtin_expect(o && ld(&o->value) == (uintptr_t)value &&
					     ld_acquire(&o->state) == ACL_OBJECT_LIVE,
			    1)) {
			ask(asked, use);
			continue;
		}
		if (value)
			judge(c, ev, use, value);
	}
}

static void create_failed(struct checks *c, struct acl_event *ev)
{
	const struct acl_api_info *api = &acl_apis[ev->api];
	struct handles_state *s = c->topic[TOPIC_HANDLES];

	if (succeeded(ev) || !judged(ev))
		return;
	rule_asked(ev, RULE("failed-create-output-used"));
	for (unsigned i = 0; i < api->n_params; i++) {
		const struct acl_param *p = &api->params[i];
		uint64_t *const *out = (uint64_t *const *)((const char *)ev->args + p->offset);
		struct leftover *l;

		if (p->life != ACL_LIFE_CREATE || p->dir == ACL_DIR_IN || !*out || **out <= 1)
			continue;
		/* The variable may still hold a live handle of an earlier create. */
		if (object_live(c, p->handle, (const void *)(uintptr_t) * *out))
			continue;
		l = &s->left[bump(&s->at) % LEFTOVERS];
		st(&l->value, 0);
		st(&l->kind, p->handle);
		st(&l->pthread_id, ev->pthread_id);
		moment_take(c, &l->failed, ev, false);
		st_release(&l->value, **out);
		st(&s->used, 1);
	}
}

/* --- binding ------------------------------------------------------------------------------ */

static bool followed(unsigned kind)
{
	switch (kind) {
	case ACL_HANDLE_STREAM:
	case ACL_HANDLE_EVENT:
	case ACL_HANDLE_MODEL:
	case ACL_HANDLE_CONTEXT:
	case ACL_HANDLE_NOTIFY:
	case ACL_HANDLE_CNT_NOTIFY:
	case ACL_HANDLE_LABEL:
	case ACL_HANDLE_BINARY:
	case ACL_HANDLE_POOL:
	case ACL_HANDLE_ALLOCATOR_DESC:
	case ACL_HANDLE_MBUF:
		return true;
	}
	return false;
}

/* Observing calls put the recorded stream there: values are compared before it is believed. */
static int8_t looked_up(const struct checks *c, unsigned api, const struct acl_param *p)
{
	if (p->handle == ACL_HANDLE_STREAM && c->stream_offset[api] == p->offset)
		return CARRY_STREAM;
	return p->handle == ACL_HANDLE_EVENT && c->event_offset[api] == p->offset ? CARRY_EVENT : -1;
}

static void uses_collect(const struct checks *c)
{
	uint16_t n = 0;

	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		const struct acl_api_info *info = &acl_apis[api];

		uses_of[api].first = n;
		for (unsigned i = 0; i < info->n_params && n < USES; i++) {
			const struct acl_param *p = &info->params[i];
			const struct acl_rule *rule;

			if (!followed(p->handle) || p->dir != ACL_DIR_IN || p->kind != ACL_KIND_HANDLE ||
				(p->life != ACL_LIFE_USE && p->life != ACL_LIFE_DESTROY))
				continue;
			rule = dead_rule(p->handle, p->life == ACL_LIFE_DESTROY);
			uses[n++] = (struct handle_use){p->offset, p->handle, p->life == ACL_LIFE_DESTROY,
				looked_up(c, api, p), rule ? (int16_t)rule->index : -1, p->name};
		}
		uses_of[api].count = (uint16_t)(n - uses_of[api].first);
	}
}

static bool creates(unsigned api)
{
	for (unsigned i = 0; i < acl_apis[api].n_params; i++)
		if (acl_apis[api].params[i].life == ACL_LIFE_CREATE &&
			followed(acl_apis[api].params[i].handle))
			return true;
	return false;
}

static bool answers(unsigned api)
{
	for (unsigned i = 0; i < acl_apis[api].n_params; i++)
		if (acl_apis[api].params[i].life == ACL_LIFE_GET && followed(acl_apis[api].params[i].handle))
			return true;
	return false;
}

static void handles_bind(void (*add)(void *binder, unsigned api, enum acl_phase, acl_hook_fn), void *binder)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		if (uses_of[api].count)
			add(binder, api, ACL_ENTER, check_handles);
		if (creates(api))
			add(binder, api, ACL_LEAVE, create_failed);
		if (answers(api))
			add(binder, api, ACL_LEAVE, answered);
	}
}

static bool handles_create(struct checks *c)
{
	uses_collect(c);
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		if (uses_of[api].count)
			rule_asked_by(c, RULE("handle-type-mismatch"), api);
	c->topic[TOPIC_HANDLES] = checks_alloc(c, sizeof(struct handles_state));
	return c->topic[TOPIC_HANDLES] != NULL;
}

static void handles_forked(struct checks *c)
{
	struct handles_state *s = c->topic[TOPIC_HANDLES];

	st(&s->answers.lock.held, 0);
}

const struct acl_topic topic_handles = {
	.name = "handles",
	.bind = handles_bind,
	.create = handles_create,
	.forked = handles_forked,
};
