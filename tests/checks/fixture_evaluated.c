/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With FIXTURE_EVALUATED=FILE a test program adds lines to the file when it ends, for
 * tests/paired/catalogue.t:
 *	rule function		the rule was evaluated in a call of the function, or stands
 *				beside it in the API model or among its handles
 *	@module function	the check module listens to the function
 * What all programs would say alike is said by the first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aclcheck/model.h"
#include "checks/engine/check_module.h"
#include "checks/engine/instance.h"
#include "tests/checks/fixture.h"
#include "tests/checks/fixture_evaluated.h"

#define RULES 1024

static struct {
	int wanted; /* 1 = yes, -1 = no */
	uint64_t before[RULES], after[RULES]; /* how often, by rule */
	uint8_t in[RULES][ACL_API_COUNT];
} evaluated;

/* --- what is the same in all programs ---------------------------------------------------- */

static FILE *out;

static void say(const char *rule, unsigned api)
{
	fprintf(out, "%s %s\n", rule, acl_apis[api].name);
}

static bool holds(const check_hook_fn *list, check_hook_fn fn)
{
	for (; list && *list; list++)
		if (*list == fn)
			return true;
	return false;
}

static bool listens(struct checks *c, const struct check_module *m, unsigned api)
{
	const struct call_plan *p = plan_of(c, api);

	/* The plan looks handles up in its place. */
	if (m == check_modules[MODULE_handles] && p->n_handles)
		return true;
	for (unsigned i = 0; i < m->n_hooks; i++) {
		check_hook_fn fn = m->hooks[i].fn;

		if (holds(p->hooks[true].enter_state->hooks, fn) ||
			holds(p->hooks[true].enter_rules[0]->hooks, fn) ||
			holds(p->hooks[true].leave[0]->hooks, fn) || holds(c->failed[api], fn))
			return true;
	}
	return false;
}

static void bound(void *module, unsigned api, enum acl_phase phase, check_hook_fn fn)
{
	(void)phase, (void)fn;
	fprintf(out, "@%u %s\n", *(const unsigned *)module, acl_apis[api].name);
}

static void modules(struct checks *c)
{
	for (unsigned m = 0; m < MODULE_COUNT; m++) {
		for (unsigned api = 0; api < ACL_API_COUNT; api++)
			if (listens(c, check_modules[m], api))
				bound(&m, api, ACL_ENTER, NULL);
		if (check_modules[m]->bind)
			check_modules[m]->bind(bound, &m);
	}
}

static void model(struct checks *c)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		const struct call_plan *p = plan_of(c, api);

		for (unsigned i = 0; i < acl_constraints_of[api].count; i++)
			say(acl_rules[acl_constraints[acl_constraints_of[api].first + i].rule].id, api);
		for (unsigned i = 0; i < p->n_handles; i++)
			if (p->handles[i].rule >= 0)
				say(acl_rules[p->handles[i].rule].id, api);
	}
}

/* --- what this one did --------------------------------------------------------------------- */

static void write_all(void)
{
	out = fopen(getenv("FIXTURE_EVALUATED"), "a");
	if (!out)
		_exit(1);
	if (!ftell(out)) {
		struct fixture *fixture = fixture_with_all_hooks();

		modules(fixture->checks);
		model(fixture->checks);
	}
	for (unsigned r = 0; r < acl_rule_count; r++)
		for (unsigned api = 0; api < ACL_API_COUNT; api++)
			if (evaluated.in[r][api])
				say(acl_rules[r].id, api);
	if (fclose(out))
		_exit(1);
}

bool evaluated_wanted(void)
{
	if (!evaluated.wanted) {
		evaluated.wanted = getenv("FIXTURE_EVALUATED") && acl_rule_count <= RULES ? 1 : -1;
		if (evaluated.wanted > 0)
			atexit(write_all);
	}
	return evaluated.wanted > 0;
}

static void count(const struct checks *c, uint64_t *sums)
{
	memset(sums, 0, RULES * sizeof(*sums));
	for (unsigned i = 0; i < ACL_THREADS; i++)
		for (unsigned r = 0; c->threads[i].coverage && r < acl_rule_count; r++)
			sums[r] += load_relaxed(&c->threads[i].coverage->rule[r]);
}

void evaluated_before(const struct checks *c)
{
	if (evaluated_wanted())
		count(c, evaluated.before);
}

void evaluated_after(const struct checks *c, unsigned api)
{
	if (!evaluated_wanted())
		return;
	count(c, evaluated.after);
	for (unsigned r = 0; r < acl_rule_count; r++)
		evaluated.in[r][api] |= evaluated.after[r] > evaluated.before[r];
}
