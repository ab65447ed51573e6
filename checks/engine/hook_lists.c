/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From subscriptions to lists: what a hook listens to is resolved from the API
 * model, for every function, so that a new variant of an operation is checked
 * as soon as the model has it.
 */
#include "checks/engine/hook_lists.h"
#include "checks/engine/call_way.h"

/* One that a module's bind() subscribes: what it listens to is found out once. */
struct bound_hook {
	uint32_t api;
	uint32_t phase; /* enum acl_phase */
	check_hook_fn fn;
};

/* One list under construction; written twice, first to count, then to fill. */
struct list_builder {
	enum acl_phase phase;
	check_hook_fn returned_error;
	enum { HOOKS_OF_STATE, HOOKS_OF_RULES, HOOKS_OF_ALL } of; /* modules */
	uint32_t conditions; /* whose hooks are in it, by enum check_when */
	bool plain, special;
	bool tells[ACL_API_COUNT]; /* a handle of the function says whether a call is special */
	unsigned count[ACL_API_COUNT];
	check_hook_fn *at[ACL_API_COUNT]; /* NULL while counting */
	unsigned module_first[ACL_API_COUNT]; /* where the hooks of the present module begin */
	bool decides[ACL_API_COUNT]; /* some hook is marked ACL_DECIDES */
	bool of_rules; /* the present module is one of rules … */
	bool has_rules[ACL_API_COUNT]; /* … and there are hooks of such: */
	check_hook_fn *room; /* of all lists */
	size_t total;
	struct bound_hook *bound; /* of all modules; NULL while they are counted */
	unsigned n_bound, bound_first[MODULE_COUNT + 1];
};

static bool acts_on(const struct acl_api_info *api, unsigned handle, unsigned life)
{
	if (api->ret_handle == handle && api->ret_life == life)
		return true;
	for (unsigned i = 0; i < api->n_params; i++)
		if (acl_params(api)[i].handle == handle && acl_params(api)[i].life == life)
			return true;
	return false;
}

static bool wanted(const struct list_builder *b, unsigned api, unsigned phase)
{
	bool async = acl_apis[api].mode == ACL_MODE_ASYNC;

	if ((phase & 3) != b->phase || (phase & ACL_CONDITIONAL && !b->conditions) ||
		(phase >> 8 && !(b->conditions >> (phase >> 8) & 1)) ||
		(phase & ACL_UNLESS_PLAIN && b->plain) ||
		(phase & ACL_IF_SPECIAL && !b->special && b->tells[api]))
		return false;
	return !(phase & ACL_IF_ASYNC && !async) && !(phase & ACL_IF_NOT_ASYNC && async);
}

/* A function that several subscriptions of one module lead to is called once. */
static void add(struct list_builder *b, unsigned api, enum acl_phase phase, check_hook_fn fn)
{
	if (api >= ACL_API_COUNT || !wanted(b, api, phase))
		return;
	b->decides[api] |= (phase & ACL_DECIDES) != 0;
	b->has_rules[api] |= b->of_rules;
	if (b->at[api]) {
		for (unsigned i = b->module_first[api]; i < b->count[api]; i++)
			if (b->at[api][i] == fn)
				return;
		b->at[api][b->count[api]] = fn;
	}
	b->count[api]++;
}

/* role: only functions that have an argument of it; ACL_ROLE_NONE = all. */
static void add_all_of(struct list_builder *b, const uint16_t *apis, unsigned n, unsigned role,
	const struct check_hook *hook)
{
	for (unsigned i = 0; i < n; i++)
		if (role == ACL_ROLE_NONE || acl_arg_has(apis[i], role))
			add(b, apis[i], hook->phase, hook->fn);
}

static void add_operation(
	struct list_builder *b, unsigned operation, unsigned role, const struct check_hook *hook)
{
	const struct acl_operation_info *of = &acl_operations[operation];

	add_all_of(b, acl_operation_apis + of->first_api, of->n_apis, role, hook);
}

static void add_group(struct list_builder *b, unsigned group, unsigned role, const struct check_hook *hook)
{
	const struct acl_operation_group_info *of = &acl_operation_groups[group];

	add_all_of(b, acl_group_apis + of->first_api, of->n_apis, role, hook);
}

static void add_hook(struct list_builder *b, const struct check_hook *hook)
{
	unsigned what = hook->on & 0xffffff;

	switch (hook->on >> 24) {
	case CHECK_ON_OPERATION:
		add_operation(b, what, ACL_ROLE_NONE, hook);
		return;
	case CHECK_ON_GROUP:
		add_group(b, what, ACL_ROLE_NONE, hook);
		return;
	case CHECK_ON_OPERATION_WITH_ROLE:
		add_operation(b, what & 0xfff, what >> 12, hook);
		return;
	case CHECK_ON_GROUP_WITH_ROLE:
		add_group(b, what & 0xfff, what >> 12, hook);
		return;
	case CHECK_ON_OBJECT:
		for (unsigned api = 0; api < ACL_API_COUNT; api++)
			if (acts_on(&acl_apis[api], what >> 8, what & 0xff))
				add(b, api, hook->phase, hook->fn);
		return;
	case CHECK_ON_ROLE:
		for (unsigned api = 0; api < ACL_API_COUNT; api++)
			if (acl_arg_has(api, what))
				add(b, api, hook->phase, hook->fn);
		return;
	default:
		add(b, what, hook->phase, hook->fn);
	}
}

static void bound_add(void *builder, unsigned api, enum acl_phase phase, check_hook_fn fn)
{
	struct list_builder *b = builder;

	if (b->bound)
		b->bound[b->n_bound] = (struct bound_hook){api, phase, fn};
	b->n_bound++;
}

static void bind_all(struct list_builder *b)
{
	b->n_bound = 0;
	for (unsigned i = 0; i < MODULE_COUNT; i++) {
		b->bound_first[i] = b->n_bound;
		if (check_modules[i]->bind)
			check_modules[i]->bind(bound_add, b);
	}
	b->bound_first[MODULE_COUNT] = b->n_bound;
}

static bool bound_create(struct checks *c, struct list_builder *b)
{
	bind_all(b);
	b->bound = checks_alloc(c, b->n_bound * sizeof(*b->bound));
	if (b->bound)
		bind_all(b);
	return b->bound != NULL;
}

static void add_module(struct list_builder *b, unsigned number)
{
	const struct check_module *module = check_modules[number];

	memcpy(b->module_first, b->count, sizeof(b->count));
	b->of_rules = !module->order;
	for (unsigned i = 0; i < module->n_hooks; i++)
		if ((module->hooks[i].phase & 3) == b->phase)
			add_hook(b, &module->hooks[i]);
	for (unsigned i = b->bound_first[number]; i < b->bound_first[number + 1]; i++)
		if ((b->bound[i].phase & 3) == b->phase)
			add(b, b->bound[i].api, b->bound[i].phase, b->bound[i].fn);
}

/* Enter in the order of the modules, the others the opposite way: those of rules first. */
static void add_all(struct list_builder *b)
{
	memset(b->count, 0, sizeof(b->count));
	memset(b->has_rules, 0, sizeof(b->has_rules));
	for (unsigned i = 0; i < MODULE_COUNT; i++) {
		unsigned number = b->phase == ACL_ENTER ? i : MODULE_COUNT - 1 - i;

		if (b->of == HOOKS_OF_ALL || (check_modules[number]->order != 0) == (b->of == HOOKS_OF_STATE))
			add_module(b, number);
	}
	if (b->phase != ACL_FAILED)
		return;
	/* An error that no other rule explains is reported by this one, so it comes last. */
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		if (acl_apis[api].ret_kind == ACL_KIND_ERROR)
			add(b, api, ACL_FAILED, b->returned_error);
}

/* Lays the list out for all functions; at[] then holds them, until release(). */
static bool build(struct checks *c, struct list_builder *b)
{
	check_hook_fn *room;

	memset(b->at, 0, sizeof(b->at));
	add_all(b);
	b->total = 0;
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		b->total += b->count[api] + 1;
	b->room = room = checks_alloc(c, b->total * sizeof(*room));
	if (!room)
		return false;
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		b->at[api] = room;
		room += b->count[api] + 1;
	}
	add_all(b);
	return true;
}

static void release(struct checks *c, struct list_builder *b)
{
	checks_forget(c, b->room, b->total * sizeof(*b->room));
}

static bool same_hooks(const struct hook_list *list, const check_hook_fn *hooks)
{
	const check_hook_fn *own = list ? list->hooks : NULL;

	while (own && *own && *own == *hooks) {
		own++;
		hooks++;
	}
	return own && *own == *hooks;
}

/*
 * Whether *list can be had for the function: the former one where it is the same, or that of special calls,
 * or one for all where it is empty.
 */
static bool keep(struct checks *c, const struct list_builder *b, unsigned api, const struct hook_list **list,
	const struct hook_list *of_special)
{
	size_t bytes = (b->count[api] + 1) * sizeof(check_hook_fn);
	struct hook_list *kept;

	if (same_hooks(*list, b->at[api]))
		return true;
	*list = b->count[api] ? of_special : &hook_list_empty;
	if (same_hooks(*list, b->at[api]))
		return true;
	kept = checks_alloc(c, sizeof(*kept) + bytes);
	if (!kept)
		return false;
	kept->way = hooks_way_of(b->at[api], b->has_rules[api]);
	memcpy(kept->hooks, b->at[api], bytes);
	*list = kept;
	return true;
}

static const struct hook_list **list_at(struct call_plan *plan, bool special, size_t offset)
{
	return (const struct hook_list **)((char *)&plan->hooks[special] + offset);
}

/* One list of all plans, which lies so far from the beginning of their hooks. */
static bool build_lists(struct checks *c, struct list_builder *b, struct call_plan *plans, size_t offset)
{
	bool kept = true;

	for (unsigned i = 0; i < 2 && kept; i++) {
		b->special = !i;
		if (!build(c, b))
			return false;
		for (unsigned api = 0; api < ACL_API_COUNT && kept; api++)
			kept = keep(c, b, api, list_at(&plans[api], b->special, offset),
				b->special ? NULL : *list_at(&plans[api], true, offset));
		release(c, b);
	}
	return kept;
}

static bool build_enter(struct checks *c, struct list_builder *b, struct call_plan *plans)
{
	b->phase = ACL_ENTER;
	b->plain = false;
	b->of = HOOKS_OF_ALL;
	if (!build_lists(c, b, plans, offsetof(struct call_hooks, enter)))
		return false;
	b->of = HOOKS_OF_STATE;
	if (!build_lists(c, b, plans, offsetof(struct call_hooks, enter_state)))
		return false;
	b->of = HOOKS_OF_RULES;
	for (unsigned plain = 0; plain < 2; plain++) {
		b->plain = plain;
		if (!build_lists(c, b, plans, offsetof(struct call_hooks, enter_rules[plain])))
			return false;
	}
	return true;
}

static bool build_leave(struct checks *c, struct list_builder *b, struct call_plan *plans)
{
	b->phase = ACL_LEAVE;
	b->of = HOOKS_OF_ALL;
	for (unsigned plain = 0; plain < 2; plain++) {
		b->plain = plain;
		if (!build_lists(c, b, plans, offsetof(struct call_hooks, leave[plain])))
			return false;
	}
	return true;
}

static bool build_failed(struct checks *c, struct list_builder *b)
{
	b->phase = ACL_FAILED;
	b->of = HOOKS_OF_ALL;
	b->returned_error = c->rare.returned_error;
	b->plain = false;
	b->special = true;
	if (!build(c, b))
		return false;
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		c->failed[api] = b->at[api];
	return true;
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

static size_t slot_of(unsigned kind)
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
		(uint16_t)slot_of(p->handle), p->handle, p->life == ACL_LIFE_DESTROY, rule};
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
	kept = checks_alloc(c, all * sizeof(*kept));
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
		c->builder->tells[api] |= plan->handles[i].kind == ACL_HANDLE_STREAM ||
					  plan->handles[i].kind == ACL_HANDLE_EVENT;
	find_constraints(c, plan, api);
	return true;
}

/* The plans under these conditions; like: others, whose lists are used where they are the same. */
static struct call_plan *plans_create(struct checks *c, uint32_t conditions, const struct call_plan *like)
{
	struct call_plan *plans = checks_alloc(c, ACL_API_COUNT * sizeof(*plans));
	struct list_builder *b = c->builder;

	if (!plans)
		return NULL;
	if (like)
		memcpy(plans, like, ACL_API_COUNT * sizeof(*plans));
	for (unsigned api = 0; !like && api < ACL_API_COUNT; api++)
		if (!find_rest(c, &plans[api], api))
			return NULL;
	b->conditions = conditions;
	memset(b->decides, 0, sizeof(b->decides));
	if (!build_enter(c, b, plans) || !build_leave(c, b, plans))
		return NULL;
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		plans[api].steps = plans[api].constraints || b->decides[api];
		plans[api].inside = (uint16_t)(api + 1);
		plans[api].counted = (uint32_t)offsetof(struct coverage_counts, api[api]);
		plans[api].way = call_way_of(&plans[api]);
	}
	return plans;
}

bool hook_lists_create(struct checks *c)
{
	c->builder = c->host.memory(c->host.context, sizeof(*c->builder));
	if (!c->builder || !bound_create(c, c->builder) || !build_failed(c, c->builder))
		return false;
	c->plans_with[0] = plans_create(c, 0, NULL);
	c->plans_with[1] = c->plans_with[0] ? plans_create(c, UINT32_MAX, c->plans_with[0]) : NULL;
	store_release(&c->plans, c->plans_with[0]);
	return c->plans_with[1] != NULL;
}

/* Former plans stay: calls may be under way with them. */
void checks_condition_begins(struct checks *c, enum check_when what)
{
	uint32_t conditions;

	lock(&c->builder_lock);
	conditions = load_relaxed(&c->conditions);
	if (!(conditions >> what & 1)) {
		struct call_plan *plans = plans_create(c, conditions | 1u << what, load_relaxed(&c->plans));

		/* Without memory all hooks are called: they ask for themselves. */
		store_release(&c->plans, plans ? plans : c->plans_with[1]);
		store_release(&c->conditions, plans ? conditions | 1u << what : UINT32_MAX);
	}
	unlock(&c->builder_lock);
}
