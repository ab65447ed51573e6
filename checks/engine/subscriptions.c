/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two times two passes: subscriptions are counted and collected, then their functions counted and filled in.
 */
#include "checks/engine/pages.h"
#include "checks/engine/subscriptions.h"

#define POSITIONS 65536u /* that a uint16_t holds */

/* Written twice, first to count, then to fill. */
struct resolver {
	struct subscriptions *s;
	unsigned phase;
	uint16_t subscription;
	uint32_t *next; /* by function: where its next one goes; NULL while counting */
};

/* --- from a subscription to functions ---------------------------------------------------- */

static bool acts_on(const struct acl_api_info *api, unsigned handle, unsigned life)
{
	if (api->ret_handle == handle && api->ret_life == life)
		return true;
	for (unsigned i = 0; i < api->n_params; i++)
		if (acl_params(api)[i].handle == handle && acl_params(api)[i].life == life)
			return true;
	return false;
}

static void add(struct resolver *r, unsigned api)
{
	unsigned phase = r->s->all[r->subscription].hook.phase;
	bool async;

	if (api >= ACL_API_COUNT)
		return;
	async = acl_apis[api].mode == ACL_MODE_ASYNC;
	if ((phase & ACL_IF_ASYNC && !async) || (phase & ACL_IF_NOT_ASYNC && async))
		return;
	if (r->next)
		r->s->of[r->next[api]++] = r->subscription;
	else
		r->s->first[r->phase][api + 1]++;
}

/* role: only functions that have an argument of it; ACL_ROLE_NONE = all. */
static void add_all_of(struct resolver *r, const uint16_t *apis, unsigned n, unsigned role)
{
	for (unsigned i = 0; i < n; i++)
		if (role == ACL_ROLE_NONE || acl_arg_has(apis[i], role))
			add(r, apis[i]);
}

static void add_operation(struct resolver *r, unsigned operation, unsigned role)
{
	const struct acl_operation_info *of = &acl_operations[operation];

	add_all_of(r, acl_operation_apis + of->first_api, of->n_apis, role);
}

static void add_group(struct resolver *r, unsigned group, unsigned role)
{
	const struct acl_operation_group_info *of = &acl_operation_groups[group];

	add_all_of(r, acl_group_apis + of->first_api, of->n_apis, role);
}

static void add_functions(struct resolver *r)
{
	uint32_t on = r->s->all[r->subscription].hook.on;
	unsigned what = on & 0xffffff;

	switch (on >> 24) {
	case CHECK_ON_OPERATION:
		add_operation(r, what, ACL_ROLE_NONE);
		return;
	case CHECK_ON_GROUP:
		add_group(r, what, ACL_ROLE_NONE);
		return;
	case CHECK_ON_OPERATION_WITH_ROLE:
		add_operation(r, what & 0xfff, what >> 12);
		return;
	case CHECK_ON_GROUP_WITH_ROLE:
		add_group(r, what & 0xfff, what >> 12);
		return;
	case CHECK_ON_OBJECT:
		for (unsigned api = 0; api < ACL_API_COUNT; api++)
			if (acts_on(&acl_apis[api], what >> 8, what & 0xff))
				add(r, api);
		return;
	case CHECK_ON_ROLE:
		for (unsigned api = 0; api < ACL_API_COUNT; api++)
			if (acl_arg_has(api, what))
				add(r, api);
		return;
	default:
		add(r, what);
	}
}

static void add_all(struct resolver *r)
{
	for (unsigned i = 0; i < MODULE_COUNT; i++) {
		unsigned module = r->phase == ACL_ENTER ? i : MODULE_COUNT - 1 - i;

		for (unsigned k = r->s->module_first[module]; k < r->s->module_first[module + 1]; k++) {
			r->subscription = (uint16_t)k;
			if ((r->s->all[k].hook.phase & 3) == r->phase)
				add_functions(r);
		}
	}
}

/* --- all subscriptions ---------------------------------------------------------------------- */

struct collector {
	struct subscriptions *s; /* all == NULL: they are counted */
	uint16_t module;
};

static void subscriptions_collect(struct collector *to, const struct check_hook *hook)
{
	if (to->s->all)
		to->s->all[to->s->n] = (struct subscription){*hook, to->module};
	to->s->n++;
}

static void collect_bound(void *collector, unsigned api, enum acl_phase phase, check_hook_fn fn)
{
	subscriptions_collect(collector, &(struct check_hook){api, (uint16_t)phase, fn});
}

static void collect_all(struct subscriptions *s)
{
	struct collector to = {.s = s};

	s->n = 0;
	for (; to.module < MODULE_COUNT; to.module++) {
		const struct check_module *module = check_modules[to.module];

		s->module_first[to.module] = s->n;
		for (unsigned i = 0; i < module->n_hooks; i++)
			subscriptions_collect(&to, &module->hooks[i]);
		if (module->bind)
			module->bind(collect_bound, &to);
	}
	s->module_first[MODULE_COUNT] = s->n;
}

/* Counts become beginnings; how many there are in all. */
static uint32_t lay_out(struct subscriptions *s)
{
	uint32_t total = 0;

	for (unsigned phase = 0; phase < ACL_PHASES; phase++)
		for (unsigned api = 0; api <= ACL_API_COUNT; api++) {
			uint32_t n = s->first[phase][api];

			if (n > s->most)
				s->most = n;
			s->first[phase][api] = total += n;
		}
	return total;
}

static void subscriptions_fill(struct subscriptions *s)
{
	uint32_t next[ACL_API_COUNT];

	for (unsigned phase = 0; phase < ACL_PHASES; phase++) {
		memcpy(next, s->first[phase], sizeof(next));
		add_all(&(struct resolver){.s = s, .phase = phase, .next = next});
	}
}

bool subscriptions_resolve(struct checks *c, struct subscriptions *s)
{
	collect_all(s);
	s->all = s->n <= POSITIONS ? checks_alloc(c, s->n * sizeof(*s->all)) : NULL;
	if (!s->all)
		return false;
	pages_at_hand(s->all, s->n * sizeof(*s->all), MADV_POPULATE_WRITE);
	collect_all(s);
	for (unsigned phase = 0; phase < ACL_PHASES; phase++)
		add_all(&(struct resolver){.s = s, .phase = phase});
	s->of = checks_alloc(c, lay_out(s) * sizeof(*s->of));
	if (s->of)
		subscriptions_fill(s);
	return s->of != NULL;
}
