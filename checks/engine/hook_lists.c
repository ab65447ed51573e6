/* SPDX-License-Identifier: Apache-2.0 */
/* From subscriptions to the lists of hooks in the plan of each function. */
#include "checks/engine/hook_lists.h"
#include "checks/engine/call_way.h"
#include "checks/engine/subscriptions.h"

struct list_builder {
	struct subscriptions subscriptions;
	bool by_handle[ACL_API_COUNT]; /* a handle of the function says whether a call is special */
	check_hook_fn *list; /* room for the longest one and its end: the list under construction */
	uintptr_t room, room_end; /* for plans and what is in them */
};

/* So many bytes for the plans of all functions: there is memory for the first call of one when there is no
 * more for tables.  Pages that are not touched are none. */
#define ROOM (1u << 19)

/* Zeroed. */
static void *room_take(struct checks *c, size_t bytes, size_t alignment)
{
	struct list_builder *b = c->builder;
	uintptr_t p = (b->room + alignment - 1) & ~(alignment - 1);

	if (p + bytes > b->room_end)
		return checks_alloc(c, bytes);
	b->room = p + bytes;
	return (void *)p;
}

#define HALF_LINE 32

/* The hooks that a list is of. */
struct list_kind {
	size_t offset; /* of the list in struct call_hooks */
	uint8_t phase;
	bool state, rules; /* of these modules */
	bool plain; /* without those that have nothing to say of a plain call */
};

#define LIST(member, ...)                                                                                    \
	{                                                                                                    \
		offsetof(struct call_hooks, member), __VA_ARGS__                                             \
	}
static const struct list_kind list_kinds[] = {
	LIST(enter, ACL_ENTER, true, true, false),
	LIST(enter_state, ACL_ENTER, true, false, false),
	LIST(enter_rules[0], ACL_ENTER, false, true, false),
	LIST(enter_rules[1], ACL_ENTER, false, true, true),
	LIST(leave[0], ACL_LEAVE, true, true, false),
	LIST(leave[1], ACL_LEAVE, true, true, true),
};
#define N_LIST_KINDS (sizeof(list_kinds) / sizeof(*list_kinds))

/* One list that is collected. */
struct collected {
	uint32_t conditions; /* whose hooks are in it, by enum check_when */
	bool special;
	unsigned n; /* hooks */
	bool has_rules; /* some are of modules of rules */
	bool decides; /* some are marked ACL_DECIDES */
};

static bool is_rules(const struct subscription *s)
{
	return !check_modules[s->module]->order;
}

/* What the hook waits for has happened. */
static bool is_due(unsigned phase, uint32_t conditions)
{
	return !(phase >> 8) || conditions >> (phase >> 8) & 1;
}

static bool is_wanted(const struct subscription *s, const struct list_kind *kind, const struct collected *l)
{
	unsigned phase = s->hook.phase;

	return (is_rules(s) ? kind->rules : kind->state) && is_due(phase, l->conditions) &&
	       !(phase & ACL_UNLESS_PLAIN && kind->plain) && !(phase & ACL_IF_SPECIAL && !l->special);
}

/* Into the builder's list.  A function that several subscriptions of one module lead to is called once. */
static void hooks_collect(
	const struct list_builder *b, unsigned api, const struct list_kind *kind, struct collected *l)
{
	const struct subscriptions *s = &b->subscriptions;
	const uint32_t *range = &s->first[kind->phase][api];
	unsigned module = MODULE_COUNT, of_module = 0;

	l->n = 0;
	l->has_rules = false;
	for (uint32_t i = range[0]; i < range[1]; i++) {
		const struct subscription *one = subscription_at(s, i);
		unsigned k;

		if (!is_wanted(one, kind, l))
			continue;
		l->decides |= (one->hook.phase & ACL_DECIDES) != 0;
		l->has_rules |= is_rules(one);
		if (one->module != module)
			of_module = l->n;
		module = one->module;
		for (k = of_module; k < l->n && b->list[k] != one->hook.fn; k++)
			;
		if (k == l->n)
			b->list[l->n++] = one->hook.fn;
	}
	b->list[l->n] = NULL;
}

static bool same_hooks(const check_hook_fn *a, const check_hook_fn *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/*
 * Whether *list can be had for the function: the former one where it is the same, or that of special calls,
 * or one for all where it is empty.
 */
static bool hooks_keep(struct checks *c, const struct collected *l, const struct hook_list **list,
	const struct hook_list *of_special)
{
	const check_hook_fn *hooks = c->builder->list;
	size_t bytes = (l->n + 1) * sizeof(*hooks);
	struct hook_list *kept;

	if (*list && same_hooks((*list)->hooks, hooks))
		return true;
	*list = l->n ? of_special : &hook_list_empty;
	if (*list && same_hooks((*list)->hooks, hooks))
		return true;
	kept = room_take(c, sizeof(*kept) + bytes, HALF_LINE);
	if (!kept)
		return false;
	kept->way = hooks_way_of(hooks, l->has_rules);
	memcpy(kept->hooks, hooks, bytes);
	*list = kept;
	return true;
}

static const struct hook_list **list_at(struct call_plan *plan, bool special, size_t offset)
{
	return (const struct hook_list **)((char *)&plan->hooks[special] + offset);
}

/* All lists of the plan; decides: some hook in them does.  false: no memory. */
static bool build_lists(
	struct checks *c, unsigned api, uint32_t conditions, struct call_plan *plan, bool *decides)
{
	struct collected l = {.conditions = conditions};

	for (unsigned i = 0; i < 2 * N_LIST_KINDS; i++) {
		const struct list_kind *kind = &list_kinds[i / 2];
		bool special = !(i & 1);

		l.special = special || !c->builder->by_handle[api];
		hooks_collect(c->builder, api, kind, &l);
		if (!hooks_keep(c, &l, list_at(plan, special, kind->offset),
			    special ? NULL : *list_at(plan, true, kind->offset)))
			return false;
	}
	*decides = l.decides;
	return true;
}

/* An error that no other rule explains is reported by the last one.  Conditions are none of theirs. */
static bool build_failed(struct checks *c, unsigned api)
{
	static const struct list_kind failed = {.phase = ACL_FAILED, .state = true, .rules = true};
	struct collected l = {.conditions = UINT32_MAX, .special = true};
	check_hook_fn *list = c->builder->list, *kept;

	hooks_collect(c->builder, api, &failed, &l);
	if (acl_apis[api].ret_kind == ACL_KIND_ERROR)
		list[l.n++] = c->rare.returned_error;
	list[l.n] = NULL;
	kept = room_take(c, (l.n + 1) * sizeof(*kept), sizeof(*kept));
	if (kept)
		c->failed[api] = memcpy(kept, list, (l.n + 1) * sizeof(*kept));
	return kept != NULL;
}

/* --- what else is in a plan --------------------------------------------------------------- */

void handles_follow(
	struct checks *c, unsigned kind, const struct acl_rule *of_use, const struct acl_rule *of_destroy)
{
	c->followed[kind] = (struct followed_kind){
		true, of_use ? (int16_t)of_use->index : -1, of_destroy ? (int16_t)of_destroy->index : -1};
}

void handle_evaluates(struct checks *c, unsigned api, unsigned kind, const struct acl_rule *rule)
{
	if (rule && c->n_handle_rules < HANDLE_RULES)
		c->handle_rules[c->n_handle_rules++] =
			(struct handle_rule){(uint16_t)api, (uint16_t)kind, (int16_t)rule->index};
}

/* A handle that the function is given, of a kind that is followed. */
static bool is_followed(const struct checks *c, const struct acl_param *p)
{
	return c->followed[p->handle].followed && c->kinds[p->handle] && p->dir == ACL_DIR_IN &&
	       p->kind == ACL_KIND_HANDLE && (p->life == ACL_LIFE_USE || p->life == ACL_LIFE_DESTROY);
}

static size_t hooks_slot(unsigned kind)
{
	return kind == ACL_HANDLE_STREAM  ? offsetof(struct acl_call_record, state.stream)
	       : kind == ACL_HANDLE_EVENT ? offsetof(struct acl_call_record, state.event)
					  : offsetof(struct acl_call_record, state.named);
}

static struct call_handle handle_of(const struct checks *c, const struct acl_param *p, unsigned number)
{
	const struct followed_kind *kind = &c->followed[p->handle];
	int16_t rule = p->life == ACL_LIFE_DESTROY ? kind->destroy_rule : kind->use_rule;

	return (struct call_handle){c->kinds[p->handle], rule < 0 ? 0 : EVALUATED_HANDLE(number), p->offset,
		(uint16_t)hooks_slot(p->handle), p->handle, p->life == ACL_LIFE_DESTROY, rule};
}

/* Behind the first n there are the rules that they evaluate besides; how many entries that makes. */
static unsigned find_handle_rules(const struct checks *c, unsigned api, struct call_handle *found, unsigned n)
{
	unsigned all = n;

	for (unsigned r = 0; r < c->n_handle_rules; r++)
		for (unsigned i = 0; i < n && all < HANDLES_OF_CALL; i++)
			if (c->handle_rules[r].api == api && c->handle_rules[r].kind == found[i].kind) {
				found[i].evaluated |= EVALUATED_HANDLE(all);
				found[all++] = (struct call_handle){.rule = c->handle_rules[r].rule};
			}
	return all;
}

static bool find_handles(struct checks *c, struct call_plan *plan, unsigned api)
{
	const struct acl_api_info *info = &acl_apis[api];
	struct call_handle found[HANDLES_OF_CALL], *kept;
	unsigned n = 0, all;

	for (unsigned i = 0; i < info->n_params && n < HANDLES_OF_CALL; i++)
		if (is_followed(c, &acl_params(info)[i])) {
			found[n] = handle_of(c, &acl_params(info)[i], n);
			n++;
		}
	if (!n)
		return true;
	all = find_handle_rules(c, api, found, n);
	kept = room_take(c, all * sizeof(*kept), HALF_LINE);
	if (!kept)
		return false;
	memcpy(kept, found, all * sizeof(*kept));
	for (unsigned i = 0; i < n; i++) {
		plan->evaluated |= kept[i].evaluated;
		plan->destroys |= kept[i].destroys;
	}
	plan->handles = kept;
	plan->n_handles = (uint8_t)n;
	return true;
}

static bool is_handle_of(const struct call_plan *plan, unsigned offset)
{
	for (unsigned i = 0; i < plan->n_handles; i++)
		if (plan->handles[i].offset == offset)
			return true;
	return false;
}

/* The constraint says of a pointer or handle that it has to be set, and nothing else; its offset. */
static bool is_set_only(const struct acl_constraint *n, unsigned *offset)
{
	const struct acl_term *t = need_terms(n);

	*offset = t->left.offset;
	return n->n_terms == 1 && t->op == ACL_TERM_SET && !t->more.size && !n->only_soc &&
	       t->left.how == ACL_OPERAND_PARAM && t->left.size == 8 && !t->left.value &&
	       t->left.factor == 1 && *offset <= UINT8_MAX;
}

/* Whether all constraints are of that kind; a handle that is alive is set. */
static bool find_set(struct call_plan *plan, const struct acl_need_span *span)
{
	plan->n_set = 0;
	for (unsigned i = 0; i < span->count; i++) {
		unsigned offset;

		if (!is_set_only(&acl_constraints[span->first + i], &offset))
			return false;
		if (is_handle_of(plan, offset))
			continue;
		if (plan->n_set == CALL_SET)
			return false;
		plan->set[plan->n_set++] = (uint8_t)offset;
	}
	plan->evaluated |= (UINT64_C(1) << span->count) - 1;
	return true;
}

/* Those that look behind a pointer are evaluated by a hook, which copies that first. */
static void find_constraints(const struct checks *c, struct call_plan *plan, unsigned api)
{
	const struct acl_need_span *span = &acl_constraints_of[api];

	if (!span->count || span->behind_size || find_set(plan, span))
		return;
	plan->n_set = 0;
	plan->constraints = acl_constraints_evaluate[api];
	for (unsigned i = 0; c->soc && i < span->count; i++)
		plan->report |= acl_constraints[span->first + i].only_soc != 0;
}

static bool find_rest(struct checks *c, struct call_plan *plan, unsigned api)
{
	if (!find_handles(c, plan, api))
		return false;
	for (unsigned i = 0; i < plan->n_handles; i++)
		c->builder->by_handle[api] |= plan->handles[i].kind == ACL_HANDLE_STREAM ||
					      plan->handles[i].kind == ACL_HANDLE_EVENT;
	find_constraints(c, plan, api);
	return true;
}

/* Hooks of the function are due under the new conditions that were not before. */
static bool lists_change(const struct subscriptions *s, unsigned api, uint32_t before, uint32_t now)
{
	for (unsigned phase = ACL_ENTER; phase <= ACL_LEAVE; phase++)
		for (uint32_t i = s->first[phase][api]; i < s->first[phase][api + 1]; i++) {
			unsigned of_hook = subscription_at(s, i)->hook.phase;

			if (is_due(of_hook, before) != is_due(of_hook, now))
				return true;
		}
	return false;
}

static bool build_plan(struct checks *c, unsigned api, uint32_t conditions, struct call_plan *plan)
{
	bool decides;

	if (!build_lists(c, api, conditions, plan, &decides))
		return false;
	plan->steps = plan->constraints || decides;
	plan->inside = (uint16_t)(api + 1);
	plan->counted = (uint32_t)offsetof(struct coverage_counts, api[api]);
	plan->way = call_way_of(plan);
	return true;
}

/* Under the lock: what the function's plan is under these conditions; NULL: no memory. */
static struct call_plan *plan_under(
	struct checks *c, unsigned api, uint32_t conditions, const struct call_plan *former)
{
	struct call_plan *plan = room_take(c, sizeof(*plan), _Alignof(struct call_plan));

	if (!plan)
		return NULL;
	if (former)
		*plan = *former;
	else if (!find_rest(c, plan, api) || !build_failed(c, api))
		return NULL;
	return build_plan(c, api, conditions, plan) ? plan : NULL;
}

const struct call_plan *plan_make(struct checks *c, unsigned api)
{
	const struct call_plan *plan;

	lock(&c->builder_lock);
	plan = load_relaxed(&c->plans[api]);
	if (plan == &plan_unmade) {
		plan = plan_under(c, api, load_relaxed(&c->conditions), NULL);
		if (!plan)
			plan = &plan_unmade;
		store_release(&c->plans[api], plan);
	}
	unlock(&c->builder_lock);
	return plan;
}

/* Of the plans that are made those that are others now; the lists of the former ones are used where they are
 * the same. */
static void plans_change(struct checks *c, uint32_t before, uint32_t now)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		const struct call_plan *former = load_relaxed(&c->plans[api]), *plan;

		if (former == &plan_unmade || !lists_change(&c->builder->subscriptions, api, before, now))
			continue;
		plan = plan_under(c, api, now, former);
		/* Without memory nothing is found any more: the former one will do. */
		if (plan)
			store_release(&c->plans[api], plan);
	}
}

static bool builder_create(struct checks *c)
{
	struct list_builder *b = c->host.memory(c->host.context, sizeof(*b));

	c->builder = b;
	if (!b || !subscriptions_resolve(c, &b->subscriptions))
		return false;
	/* The last of the failed ones and the end come behind them. */
	b->list = checks_alloc(c, (b->subscriptions.most + 2) * sizeof(*b->list));
	b->room = (uintptr_t)c->host.memory(c->host.context, ROOM);
	b->room_end = b->room + ROOM;
	return b->list && b->room;
}

bool hook_lists_create(struct checks *c)
{
	static const check_hook_fn none[] = {NULL};

	for (unsigned special = 0; special < 2; special++)
		plan_unmade.hooks[special] =
			(struct call_hooks){&hook_list_empty, {&hook_list_empty, &hook_list_empty},
				&hook_list_empty, {&hook_list_empty, &hook_list_empty}};
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		store_relaxed(&c->plans[api], &plan_unmade);
		c->failed[api] = none;
	}
	return builder_create(c);
}

static bool has_hooks(const struct subscriptions *s, unsigned api)
{
	for (unsigned phase = 0; phase < ACL_PHASES; phase++)
		if (s->first[phase][api] != s->first[phase][api + 1])
			return true;
	return false;
}

bool hook_lists_listen(const struct checks *c, unsigned api)
{
	const struct acl_api_info *info = &acl_apis[api];
	const struct acl_need_span *span = &acl_constraints_of[api];

	for (unsigned i = 0; i < info->n_params; i++)
		if (is_followed(c, &acl_params(info)[i]))
			return true;
	return info->ret_kind == ACL_KIND_ERROR || (span->count && !span->behind_size) ||
	       has_hooks(&c->builder->subscriptions, api);
}

/* Former plans stay: calls may be under way with them. */
void checks_condition_begins(struct checks *c, enum check_when what)
{
	uint32_t before, now;

	lock(&c->builder_lock);
	before = load_relaxed(&c->conditions);
	now = before | 1u << what;
	if (now != before) {
		plans_change(c, before, now);
		store_release(&c->conditions, now);
	}
	unlock(&c->builder_lock);
}
