/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of a call through the modules.  What all calls of a function have in common is decided with its
 * plan: how many handles it has, whether a hook can make a finding, whether anything is left to do.  A call
 * that is not as most are takes enter_any(), leave_failed() or leave_suspected(), one step after the other.
 */
#include "checks/engine/call_way.h"
#include "checks/engine/finding_collect.h"
#include "checks/engine/rule_coverage.h"

static inline void hooks_run(struct checks *c, struct acl_call_record *call, const check_hook_fn *hook)
{
	for (; *hook; hook++)
		(*hook)(c, call);
}

/* With nothing wrong. */
static inline void list_follow(struct checks *c, struct acl_call_record *call, const struct hook_list *list)
{
	list->way(c, call, list->hooks);
}

struct settling {
	struct checks *c;
	struct acl_call_record *call;
};

static void way_settle(void *settling)
{
	struct settling *s = settling;

	findings_settle(s->c, s->call);
}

void call_findings_settle(struct checks *c, struct acl_call_record *call)
{
	struct settling s = {c, call};

	if (c->host.with_stack && findings_may_show(call))
		c->host.with_stack(c->host.context, way_settle, &s);
	else
		way_settle(&s);
}

static inline void findings_look(struct checks *c, struct acl_call_record *call)
{
	if (__builtin_expect(thread_of(call)->n_findings != 0, 0))
		call_findings_settle(c, call);
}

/* Other threads can see that the thread is in the call. */
static inline void enter_shown(
	struct acl_thread *t, const struct acl_call_record *call, const struct call_plan *plan)
{
	store_relaxed(&t->inside_caller, call->caller);
	store_release(&t->inside, plan->inside);
}

/* The call, and what it evaluates; false: something else than the thread's last call of the function. */
static inline bool coverage_count(
	const struct acl_thread *t, const struct call_plan *plan, uint64_t evaluated)
{
	struct called_api *of = (struct called_api *)((char *)t->coverage + plan->counted);

	store_relaxed(&of->calls, load_relaxed(&of->calls) + 1);
	return __builtin_expect(load_relaxed(&of->evaluated) == evaluated, 1);
}

static inline void coverage_count_any(
	const struct checks *c, const struct acl_call_record *call, const struct call_plan *plan)
{
	if (!coverage_count(thread_of(call), plan, call->state.evaluated))
		evaluated_changed(c, call);
}

/* --- any call ------------------------------------------------------------------------- */

/* What a handle evaluates, and what it means. */
static uint64_t handle_look(struct checks *c, struct acl_call_record *call, const struct call_handle *h)
{
	struct acl_object **slot = (struct acl_object **)((char *)call + h->slot);
	const void *value;

	memcpy(&value, (const char *)call->args + h->offset, sizeof(value));
	*slot = object_in(h->objects, value);
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
	unsigned constraints = evaluate(call->args, NULL);

	if (__builtin_expect(constraints & (ACL_NEEDS_BROKEN | ACL_NEEDS_NEVER) || plan->report, 0))
		constraints_report(c, call, NULL, constraints);
	return constraints & EVALUATED_CONSTRAINTS;
}

static inline void rules_run(struct checks *c, struct acl_call_record *call)
{
	hooks_run(c, call, call->state.hooks->enter_rules[call->plain]->hooks);
	if (__builtin_expect(call->misaligned, 0))
		c->rare.misaligned(c, call);
}

static __attribute__((noinline)) void enter_any(
	struct checks *c, struct acl_call_record *call, const struct call_plan *plan)
{
	const struct acl_need_span *span = &acl_constraints_of[call->api];
	struct acl_thread *t;
	uint64_t evaluated;

	t = checks_thread(c, call);
	if (!t)
		return;
	t->phase++;
	call->state.hooks = &plan->hooks[true];
	if (__builtin_expect(plan == &plan_unmade, 0))
		return;
	/* Beside a call that runs a callback, only the outer one is in progress for others. */
	if (!call->callback_depth)
		enter_shown(t, call, plan);
	if (!load_relaxed(&c->inited))
		c->rare.uninitialized(c, call);
	if (call->missing)
		c->rare.missing(c, call);
	evaluated = handles_look(c, call, plan);
	hooks_run(c, call, call->state.hooks->enter_state->hooks);
	if (span->count && !span->behind_size)
		evaluated |= constraints_evaluate(c, call, plan, acl_constraints_evaluate[call->api]);
	/* The rule also counts what it looks at. */
	if (evaluated & EVALUATED_BY_RULE) {
		c->rare.unsettled(c, call);
		evaluated &= ~(EVALUATED_BY_RULE | (EVALUATED_HANDLE(plan->n_handles) - EVALUATED_HANDLE(0)));
	}
	call->state.evaluated |= evaluated;
	rules_run(c, call);
	if (is_checked(call))
		coverage_count_any(c, call, plan);
	findings_look(c, call);
}

/* What is to be done in leave, of a call that failed. */
static __attribute__((noinline)) void leave_failed(struct checks *c, struct acl_call_record *call)
{
	hooks_run(c, call, call->state.hooks->leave[call->plain]->hooks);
	call->state.phase = ACL_FAILED;
	hooks_run(c, call, c->failed[call->api]);
	findings_look(c, call);
}

/* A finding of enter, and no error. */
static __attribute__((noinline)) void leave_suspected(struct checks *c, struct acl_call_record *call)
{
	list_follow(c, call, call->state.hooks->leave[call->plain]);
	if (*c->failed[call->api])
		c->rare.suspected(c, call);
}

/* --- after the handles: the hooks, when they decide nothing about each other -------------- */

static void hooks_none(struct checks *c, struct acl_call_record *call, const check_hook_fn *hooks)
{
	(void)c;
	(void)call;
	(void)hooks;
}

const struct hook_list hook_list_empty = {hooks_none, {NULL}};

/* Hooks of state make no findings. */
static void hooks_one_of_state(struct checks *c, struct acl_call_record *call, const check_hook_fn *hooks)
{
	(*hooks)(c, call);
}

static void hooks_two_of_state(struct checks *c, struct acl_call_record *call, const check_hook_fn *hooks)
{
	hooks[0](c, call);
	hooks[1](c, call);
}

static void hooks_of_state(struct checks *c, struct acl_call_record *call, const check_hook_fn *hooks)
{
	do
		(*hooks++)(c, call);
	while (hooks[1]);
	(*hooks)(c, call);
}

static void hooks_of_rules(struct checks *c, struct acl_call_record *call, const check_hook_fn *hooks)
{
	do
		(*hooks)(c, call);
	while (*++hooks);
	findings_look(c, call);
}

hooks_way_fn hooks_way_of(const check_hook_fn *hooks, bool rules)
{
	return !*hooks     ? hooks_none
	       : rules     ? hooks_of_rules
	       : !hooks[1] ? hooks_one_of_state
	       : !hooks[2] ? hooks_two_of_state
			   : hooks_of_state;
}

/* --- enter of most calls -------------------------------------------------------------------- */

#define ANY_NUMBER UINT32_MAX

static __attribute__((noinline)) void enter_steps(
	struct checks *c, struct acl_call_record *call, const struct call_plan *plan)
{
	hooks_run(c, call, call->state.hooks->enter_state->hooks);
	if (plan->constraints)
		call->state.evaluated |= constraints_evaluate(c, call, plan, plan->constraints);
	rules_run(c, call);
	coverage_count_any(c, call, plan);
	findings_look(c, call);
}

static __attribute__((noinline)) void enter_changed(struct checks *c, struct acl_call_record *call)
{
	evaluated_changed(c, call);
	list_follow(c, call, call->state.hooks->enter);
}

/* What all handles mean, and all that is true of one; false: one is not simply that of a living object. */
static inline __attribute__((always_inline)) bool handles_are_alive(
	struct acl_call_record *call, const struct call_handle *h, unsigned n, unsigned *flags)
{
#pragma GCC unroll 2
	for (unsigned i = 0; i < n; i++, h++) {
		struct acl_object *o;
		uint64_t value;

		memcpy(&value, (const char *)call->args + h->offset, sizeof(value));
		o = object_at_hand(h->objects, value);
		if (__builtin_expect(!o, 0))
			return false;
		*flags |= load_relaxed(&o->flags);
		*(struct acl_object **)((char *)call + h->slot) = o;
	}
	return true;
}

static inline __attribute__((always_inline)) bool pointers_are_set(
	const struct acl_call_record *call, const uint8_t *offsets, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t value;

		memcpy(&value, (const char *)call->args + offsets[i], sizeof(value));
		if (__builtin_expect(!value, 0))
			return false;
	}
	return true;
}

static inline const struct call_hooks *hooks_by_flags(const struct call_plan *plan, unsigned flags)
{
	return (const void *)((const char *)plan->hooks + (flags & ACL_OBJECT_SPECIAL));
}

/* Nothing is changed, and no function called, before it is certain that the call is as most are. */
static inline __attribute__((always_inline)) void enter_usual(struct checks *c, struct acl_call_record *call,
	const struct call_plan *plan, unsigned handles, unsigned set, bool steps)
{
	struct acl_thread *t = call->thread;
	unsigned flags = 0;

	if (__builtin_expect(!load_relaxed(&c->inited), 0) ||
		!handles_are_alive(
			call, plan->handles, handles == ANY_NUMBER ? plan->n_handles : handles, &flags) ||
		!pointers_are_set(call, plan->set, set == ANY_NUMBER ? plan->n_set : set)) {
		enter_any(c, call, plan);
		return;
	}
	t->phase++;
	enter_shown(t, call, plan);
	call->state.evaluated = plan->evaluated;
	call->state.hooks = hooks_by_flags(plan, flags);
	if (steps)
		enter_steps(c, call, plan);
	else if (coverage_count(t, plan, plan->evaluated))
		list_follow(c, call, call->state.hooks->enter);
	else
		enter_changed(c, call);
}

#define WAY(name, handles, set)                                                                              \
	static void enter_##name(                                                                            \
		struct checks *c, struct acl_call_record *call, const struct call_plan *plan)                \
	{                                                                                                    \
		enter_usual(c, call, plan, handles, set, false);                                             \
	}                                                                                                    \
	static void enter_steps_##name(                                                                      \
		struct checks *c, struct acl_call_record *call, const struct call_plan *plan)                \
	{                                                                                                    \
		enter_usual(c, call, plan, handles, set, true);                                              \
	}
#define WAYS(X) X(nothing, 0, 0) X(pointer, 0, 1) X(handle, 1, 0) X(handle_pointer, 1, 1) X(handles, 2, 0)

WAYS(WAY)
WAY(all, ANY_NUMBER, ANY_NUMBER)

enter_way_fn call_way_of(const struct call_plan *plan)
{
	static const struct {
		uint8_t handles, set;
		enter_way_fn way, steps;
	} ways[] = {
#define WAY_OF(name, handles, set) {handles, set, enter_##name, enter_steps_##name},
		WAYS(WAY_OF)
#undef WAY_OF
	};

	/* A handle that is destroyed says more than that it is alive. */
	if (plan->destroys)
		return enter_any;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (ways[i].handles == plan->n_handles && ways[i].set == plan->n_set)
			return plan->steps ? ways[i].steps : ways[i].way;
	return plan->steps ? enter_steps_all : enter_all;
}

static void enter_first(struct checks *c, struct acl_call_record *call, const struct call_plan *unmade)
{
	const struct call_plan *plan = plan_make(c, call->api);

	if (plan == unmade)
		enter_any(c, call, plan);
	else
		plan->way(c, call, plan);
}

/* Without memory for that of the function, nothing is done: nothing is found any more then. */
struct call_plan plan_unmade = {.way = enter_first};

/* --------------------------------------------------------------------------------------------- */

void checks_enter_usual(struct checks *c, struct acl_call_record *call)
{
	const struct call_plan *plan = load_acquire(&c->plans[call->api]);

	plan->way(c, call, plan);
}

void checks_enter(struct checks *c, struct acl_call_record *call)
{
	if (call->thread && acl_call_is_usual(call))
		checks_enter_usual(c, call);
	else
		enter_any(c, call, plan_of(c, call->api));
}

static inline __attribute__((always_inline)) void leave_hooks(struct checks *c, struct acl_call_record *call)
{
	call->state.phase = ACL_LEAVE;
	if (__builtin_expect(error_of(call) != 0, 0))
		leave_failed(c, call);
	else if (__builtin_expect(call->state.finding != 0, 0))
		leave_suspected(c, call);
	else
		list_follow(c, call, call->state.hooks->leave[call->plain]);
}

void checks_leave_usual(struct checks *c, struct acl_call_record *call)
{
	struct acl_thread *t = call->thread;

	t->phase++;
	store_relaxed(&t->inside, 0);
	leave_hooks(c, call);
}

void checks_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_thread *t = call->thread;

	if (!t)
		return;
	t->phase++;
	if (!call->callback_depth)
		store_relaxed(&t->inside, 0);
	leave_hooks(c, call);
}
