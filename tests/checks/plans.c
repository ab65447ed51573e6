/* SPDX-License-Identifier: Apache-2.0 */
/* What is done in a call of a function: hooks that wait for something are called when it has happened. */
#include "fixture.h"

#include "checks/engine/instance.h"

static unsigned length(const struct hook_list *list)
{
	unsigned n = 0;

	while (list->hooks[n])
		n++;
	return n;
}

/* All functions' present plans. */
static void plans_now(struct fixture *f, const struct call_plan *plans[ACL_API_COUNT])
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		plans[api] = plan_of(f->checks, api);
		assert_ptr_not_equal(plans[api], &plan_unmade);
	}
}

/* Hooks of all functions, in every list of their plans. */
static unsigned hooks_of(const struct call_plan *const *plans)
{
	unsigned n = 0;

	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		for (unsigned special = 0; special < 2; special++) {
			n += length(plans[api]->hooks[special].enter) +
			     length(plans[api]->hooks[special].enter_state);
			for (unsigned plain = 0; plain < 2; plain++)
				n += length(plans[api]->hooks[special].enter_rules[plain]) +
				     length(plans[api]->hooks[special].leave[plain]);
		}
	}
	return n;
}

static unsigned hooks_now(struct fixture *f)
{
	const struct call_plan *plans[ACL_API_COUNT];

	plans_now(f, plans);
	return hooks_of(plans);
}

static bool same_list(const struct hook_list *a, const struct hook_list *b)
{
	return length(a) == length(b) && !memcmp(a->hooks, b->hooks, length(a) * sizeof(a->hooks[0]));
}

/* A list to which nothing is added needs no memory anew. */
static void lists_are_kept(const struct call_plan *const *former, const struct call_plan *const *now)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		for (unsigned special = 0; special < 2; special++)
			if (same_list(former[api]->hooks[special].enter, now[api]->hooks[special].enter))
				assert_ptr_equal(
					former[api]->hooks[special].enter, now[api]->hooks[special].enter);
}

static void same_lists(const struct call_plan *a, const struct call_plan *b, bool special)
{
	assert_true(same_list(a->hooks[special].enter, b->hooks[special].enter));
	assert_true(same_list(a->hooks[special].enter_state, b->hooks[special].enter_state));
	for (unsigned plain = 0; plain < 2; plain++) {
		assert_true(same_list(
			a->hooks[special].enter_rules[plain], b->hooks[special].enter_rules[plain]));
		assert_true(same_list(a->hooks[special].leave[plain], b->hooks[special].leave[plain]));
	}
}

static void same_plans(const struct call_plan *a, const struct call_plan *b)
{
	same_lists(a, b, false);
	same_lists(a, b, true);
	assert_int_equal(a->n_handles, b->n_handles);
	for (unsigned i = 0; i < a->n_handles; i++) {
		assert_int_equal(a->handles[i].kind, b->handles[i].kind);
		assert_int_equal(a->handles[i].offset, b->handles[i].offset);
		assert_int_equal(a->handles[i].rule, b->handles[i].rule);
	}
	assert_true(a->way == b->way && a->evaluated == b->evaluated);
	assert_true(a->steps == b->steps && a->constraints == b->constraints);
}

static void one_thing_after_the_other(void **state)
{
	struct fixture *f = fixture_new(CHECKS_TARGET_DOCUMENTS);
	const struct call_plan *former[ACL_API_COUNT], *now[ACL_API_COUNT];
	unsigned before = hooks_now(f);

	for (unsigned what = WHEN_ALWAYS + 1; what < WHEN_COUNT; what++) {
		plans_now(f, former);
		checks_when(f->checks, what);
		plans_now(f, now);
		lists_are_kept(former, now);
		assert_true(hooks_now(f) > before);
		before = hooks_now(f);
		checks_when(f->checks, what);
		assert_int_equal(hooks_now(f), before);
	}
	(void)state;
	fixture_free(f);
}

/* A plan that is made when all has happened is the same as one that was changed each time. */
static void the_first_call_may_come_late(void **state)
{
	struct fixture *early = fixture_new(CHECKS_TARGET_DOCUMENTS), *late;
	const struct call_plan *changed[ACL_API_COUNT], *made[ACL_API_COUNT];

	plans_now(early, changed);
	for (unsigned what = WHEN_ALWAYS + 1; what < WHEN_COUNT; what++)
		checks_when(early->checks, what);
	plans_now(early, changed);
	late = fixture_with_all_hooks();
	plans_now(late, made);
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		same_plans(changed[api], made[api]);
	(void)state;
	fixture_free(early);
	fixture_free(late);
}

/* What is not called costs no memory. */
static void plans_are_made_by_calls(void **state)
{
	struct fixture *f = fixture_new(CHECKS_TARGET_DOCUMENTS);
	unsigned made = 0;

	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		made += load_acquire(&f->checks->plans[api]) != &plan_unmade;
	assert_true(made < 8);
	(void)state;
	fixture_free(f);
}

/* The first call of a function is checked also when there is no more memory for tables. */
static void plans_need_no_more_memory(void **state)
{
	struct fixture *f = fixture_with_all_hooks();
	const struct call_plan *plans[ACL_API_COUNT];

	fixture_use_up_memory(f);
	plans_now(f, plans);
	(void)state;
	fixture_free(f);
}

/* What one thing adds is not there for another. */
static void each_adds_its_own(void **state)
{
	struct fixture *first = fixture_new(CHECKS_TARGET_DOCUMENTS), *second;
	unsigned none = hooks_now(first), devices, captures;

	checks_when(first->checks, WHEN_DEVICES);
	devices = hooks_now(first);
	second = fixture_new(CHECKS_TARGET_DOCUMENTS);
	checks_when(second->checks, WHEN_CAPTURES);
	captures = hooks_now(second);
	checks_when(first->checks, WHEN_CAPTURES);
	assert_true(devices > none && captures > none);
	/* A hook waits for one thing. */
	assert_int_equal(hooks_now(first), devices + captures - none);
	(void)state;
	fixture_free(first);
	fixture_free(second);
}

/* State comes first, in the order it says; rules have none. */
static void modules_are_in_order(void **state)
{
	unsigned states = 1;

	(void)state;
	while (check_modules[states]->order > check_modules[states - 1]->order)
		states++;
	for (unsigned m = states; m < MODULE_COUNT; m++)
		assert_int_equal(check_modules[m]->order, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modules_are_in_order),
		cmocka_unit_test(one_thing_after_the_other),
		cmocka_unit_test(the_first_call_may_come_late),
		cmocka_unit_test(plans_are_made_by_calls),
		cmocka_unit_test(plans_need_no_more_memory),
		cmocka_unit_test(each_adds_its_own),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("plans of calls", tests, NULL, NULL);
}
