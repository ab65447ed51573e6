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

/* Hooks of all functions, in every list of their plans. */
static unsigned hooks_of(const struct call_plan *plans)
{
	unsigned n = 0;

	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		for (unsigned special = 0; special < 2; special++) {
			n += length(plans[api].hooks[special].enter) +
			     length(plans[api].hooks[special].enter_state);
			for (unsigned plain = 0; plain < 2; plain++)
				n += length(plans[api].hooks[special].enter_rules[plain]) +
				     length(plans[api].hooks[special].leave[plain]);
		}
	}
	return n;
}

static unsigned hooks_now(struct fixture *f)
{
	return hooks_of(load_acquire(&f->checks->plans));
}

static bool same_list(const struct hook_list *a, const struct hook_list *b)
{
	return length(a) == length(b) && !memcmp(a->hooks, b->hooks, length(a) * sizeof(a->hooks[0]));
}

/* A list to which nothing is added needs no memory anew. */
static void lists_are_kept(const struct call_plan *former, const struct call_plan *now)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		for (unsigned special = 0; special < 2; special++)
			if (same_list(former[api].hooks[special].enter, now[api].hooks[special].enter))
				assert_ptr_equal(
					former[api].hooks[special].enter, now[api].hooks[special].enter);
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

static void one_thing_after_the_other(void **state)
{
	struct fixture *f = fixture_new(CHECKS_TARGET_DOCUMENTS);
	const struct call_plan *all = f->checks->plans_with[1], *now;
	unsigned before = hooks_now(f);
	struct call_plan *former = calloc(ACL_API_COUNT, sizeof(*former));

	assert_non_null(former);
	assert_true(before < hooks_of(all));
	for (unsigned what = WHEN_OTHER; what < WHEN_COUNT; what++) {
		memcpy(former, load_acquire(&f->checks->plans), ACL_API_COUNT * sizeof(*former));
		checks_when(f->checks, what);
		lists_are_kept(former, load_acquire(&f->checks->plans));
		assert_true(hooks_now(f) > before);
		before = hooks_now(f);
		checks_when(f->checks, what);
		assert_int_equal(hooks_now(f), before);
	}
	now = load_acquire(&f->checks->plans);
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		same_lists(&now[api], &all[api], false);
		same_lists(&now[api], &all[api], true);
		assert_true(now[api].handles == all[api].handles && now[api].evaluated == all[api].evaluated);
		assert_true(now[api].steps == all[api].steps && now[api].constraints == all[api].constraints);
	}
	(void)state;
	free(former);
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
	/* Both together have what each has, and what waits for anything only once. */
	assert_true(hooks_now(first) < devices + captures - none);
	assert_true(hooks_now(first) > devices && hooks_now(first) > captures);
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
		cmocka_unit_test(each_adds_its_own),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("plans of calls", tests, NULL, NULL);
}
