/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variants of an operation are bound to the same checks: functions that do the
 * same with the same arguments in the same mode, unless the list below says why
 * not.  A check that is bound to one of them by name would miss the others.
 */
#include "fixture.h"

#include "aclcheck/terms.h"
#include "checks/engine/check_module.h"
#include "checks/engine/instance.h"
#include "checks/state/operation.h"

/* Functions that have checks of their own, and why their like have none. */
static const struct exception {
	unsigned api;
	const char *reason;
} exceptions[] = {
	{ACL_API_aclrtMallocCached, "has policies of its own: malloc-cached-policy-unsupported"},
	{ACL_API_aclrtSetOpExecuteTimeOut, "takes seconds: values that look like microseconds are a finding"},
	/* These two do not take what their names say: device-id-conversion-semantics. */
	{ACL_API_aclrtGetPhyDevIdByLogicDevId, "expects a user device id"},
	{ACL_API_aclrtGetUserDevIdByLogicDevId, "is often given what is a user id already"},
};

static bool excepted(unsigned api)
{
	for (unsigned i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++)
		if (exceptions[i].api == api)
			return true;
	return false;
}

static bool same_roles(unsigned a, unsigned b)
{
	for (unsigned role = 0; role < ACL_ROLE_COUNT; role++)
		if (acl_arg_has(a, role) != acl_arg_has(b, role))
			return false;
	return true;
}

static bool alike(unsigned a, unsigned b)
{
	return acl_apis[a].operation == acl_apis[b].operation && acl_apis[a].mode == acl_apis[b].mode &&
	       acl_apis[a].classes == acl_apis[b].classes && acl_apis[a].since == acl_apis[b].since &&
	       acl_apis[a].waits_for_unlock == acl_apis[b].waits_for_unlock && same_roles(a, b);
}

/* Rules about the function itself: that it is old, experimental, of one product. */
static bool about_the_function(const struct acl_constraint *n)
{
	return need_terms(n)->op == ACL_TERM_NEVER;
}

static bool demands(unsigned api, const struct acl_constraint *wanted)
{
	const struct acl_need_span *span = &acl_constraints_of[api];

	for (unsigned i = 0; i < span->count; i++)
		if (acl_constraints[span->first + i].rule == wanted->rule)
			return true;
	return false;
}

/* A rule that the model has for one and not for the other; NULL = none. */
static const char *asked_of_one(unsigned a, unsigned b)
{
	const struct acl_need_span *span = &acl_constraints_of[a];

	for (unsigned i = 0; i < span->count; i++) {
		const struct acl_constraint *n = &acl_constraints[span->first + i];

		if (!about_the_function(n) && !demands(b, n))
			return acl_rules[n->rule].id;
	}
	return NULL;
}

static bool holds(const check_hook_fn *list, check_hook_fn fn)
{
	for (; list && *list; list++)
		if (*list == fn)
			return true;
	return false;
}

/* The interpreter of the constraints; which ones it is given is compared by itself. */
static check_hook_fn interpreter;

static void interpreter_is(void *binder, unsigned api, enum acl_phase phase, check_hook_fn fn)
{
	(void)binder, (void)api, (void)phase;
	interpreter = fn;
}

static bool same_list(const check_hook_fn *a, const check_hook_fn *b)
{
	for (const check_hook_fn *fn = a; fn && *fn; fn++)
		if (*fn != interpreter && !holds(b, *fn))
			return false;
	for (const check_hook_fn *fn = b; fn && *fn; fn++)
		if (*fn != interpreter && !holds(a, *fn))
			return false;
	return true;
}

static bool same_handles(const struct call_plan *a, const struct call_plan *b)
{
	if (a->n_handles != b->n_handles)
		return false;
	for (unsigned i = 0; i < a->n_handles; i++)
		if (a->handles[i].kind != b->handles[i].kind || a->handles[i].rule != b->handles[i].rule ||
			a->handles[i].destroys != b->handles[i].destroys)
			return false;
	return true;
}

/* Where they differ: a phase, or a rule; NULL = nowhere. */
static const char *difference(struct fixture *f, unsigned api, unsigned other)
{
	const struct call_plan *a = plan_of(f->checks, api), *b = plan_of(f->checks, other);
	const char *rule = asked_of_one(api, other);

	if (rule || (rule = asked_of_one(other, api)) != NULL)
		return rule;
	if (!same_handles(a, b))
		return "handles";
	if (!same_list(a->hooks[true].enter_state->hooks, b->hooks[true].enter_state->hooks))
		return "state, enter";
	if (!same_list(a->hooks[true].enter_rules[0]->hooks, b->hooks[true].enter_rules[0]->hooks))
		return "rules, enter";
	if (!same_list(a->hooks[true].leave[0]->hooks, b->hooks[true].leave[0]->hooks))
		return "leave";
	if (!same_list(f->checks->failed[api], f->checks->failed[other]))
		return "failed";
	return NULL;
}

static void variants_have_the_same_checks(void **state)
{
	struct fixture *f = fixture_with_all_hooks();
	unsigned pairs = 0, different = 0;

	for (unsigned a = 0; a < ACL_API_COUNT; a++)
		for (unsigned b = a + 1; b < ACL_API_COUNT; b++) {
			const char *where;

			if (!alike(a, b))
				continue;
			pairs++;
			where = difference(f, a, b);
			if (!where || excepted(a) || excepted(b))
				continue;
			print_message("%s and %s (%s) differ: %s\n", acl_apis[a].name, acl_apis[b].name,
				acl_operations[acl_apis[a].operation].name, where);
			different++;
		}
	assert_true(pairs > 15);
	assert_int_equal(different, 0);
	(void)state;
	fixture_free(f);
}

/* An exception that is none any more leaves the list. */
static void exceptions_are_needed(void **state)
{
	struct fixture *f = fixture_with_all_hooks();

	for (unsigned i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++) {
		unsigned a = exceptions[i].api;
		bool needed = a >= ACL_API_COUNT;

		for (unsigned b = 0; b < ACL_API_COUNT && !needed; b++)
			needed = a != b && alike(a, b) && difference(f, a, b);
		if (!needed)
			print_message("%s needs no exception\n", acl_apis[a].name);
		assert_true(needed);
	}
	(void)state;
	fixture_free(f);
}

static bool is_linear(const struct acl_access_info *info)
{
	return info->extent == ACL_EXTENT_RANGE && info->unit == 1 && info->count == ACL_ARG_NONE &&
	       info->rows == ACL_ARG_NONE && info->offset == ACL_ARG_NONE &&
	       (info->base & ACL_ARG_FORM) == ACL_ARG_64 && (info->bytes & ACL_ARG_FORM) == ACL_ARG_64;
}

/* Nearly all copies are: their arguments are taken as they lie there. */
static void linear_copies_are_alike(void **state)
{
	(void)state;
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		const struct acl_access_info *dst = &acl_accesses[acl_access_lists[api].first],
					     *src = dst + 1;
		unsigned direction = acl_role_slots[api][ACL_ROLE_KIND] & ACL_ARG_FORM;

		if (acl_apis[api].operation != ACL_OP_COPY_LINEAR)
			continue;
		assert_int_equal(acl_access_lists[api].host - acl_access_lists[api].first, 2);
		assert_int_equal(dst->access, ACL_ACCESS_WRITE);
		assert_int_equal(src->access, ACL_ACCESS_READ);
		assert_true(is_linear(dst) && is_linear(src));
		assert_int_equal(src->bytes, dst->bytes);
		assert_int_equal(src->limit, ACL_ARG_NONE);
		assert_int_equal(dst->limit & ACL_ARG_FORM, ACL_ARG_64);
		assert_true(direction == ACL_ARG_I32 || direction == ACL_ARG_U32);
	}
}

/* Checks of copies look at both. */
static void copies_have_both_sides(void **state)
{
	struct fixture *f = fixture_with_all_hooks();
	static uint64_t nothing[ACL_CALL_PARAMS];
	unsigned copies = 0;

	(void)state;
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		struct acl_call_record call;
		const struct operation *op;

		if (acl_apis[api].operation_group != ACL_OP_GROUP_COPY)
			continue;
		fixture_enter(f, &call, api, nothing, 1);
		op = operation_prepare(f->checks, &call);
		assert_int_equal(op->src_info != NULL, op->dst_info != NULL);
		copies += op->src_info != NULL;
		fixture_leave(f, &call, 107000);
	}
	assert_true(copies > 10);
	fixture_free(f);
}

int main(void)
{
	extern const struct check_module module_arguments;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variants_have_the_same_checks),
		cmocka_unit_test(exceptions_are_needed),
		cmocka_unit_test(linear_copies_are_alike),
		cmocka_unit_test(copies_have_both_sides),
	};

	module_arguments.bind(interpreter_is, NULL);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("variants of operations", tests, NULL, NULL);
}
