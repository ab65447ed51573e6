/* SPDX-License-Identifier: Apache-2.0 */
/* Which findings of a call are reported: the rule table decides, not the order in which they were made. */
#include "tests/checks/fixture.h"

#include <stdio.h>

#include "checks/engine/finding_collect.h"
#include "checks/engine/finding_statement.h"

static struct fixture *fixture;

/* Two rules that yield, the first to the second, and one that does not; of a severity that fails a gate. */
static const struct acl_rule *specific, *general, *always;
/* One that never yields either, and is less specific than the first. */
static const struct acl_rule *ranked;

static struct acl_call_record call;

static void begin(unsigned line)
{
	static aclrtRunMode mode;
	static struct acl_args_aclrtGetRunMode args = {.runMode = &mode};

	acl_call_record_init(&call, ACL_API_aclrtGetRunMode, &args, 0x900000 + line);
	call.pid = call.tid = fixture->tid;
	call.pthread_id = fixture_pthread(fixture->tid);
	checks_enter(fixture->checks, &call);
}

static bool make(const struct acl_rule *rule, bool broken);

/* The same rule at the same place, in whole calls of another thread. */
static void in_another_thread(const struct acl_rule *rule, unsigned line, unsigned times)
{
	struct acl_call_record own = call;
	uint32_t tid = fixture->tid;

	for (fixture->tid = tid + 1; times; times--) {
		begin(line);
		make(rule, true);
		findings_settle(fixture->checks, &call);
	}
	fixture->tid = tid;
	call = own;
}

static bool make(const struct acl_rule *rule, bool broken)
{
	return FINDING_OF(fixture->checks, &call, rule, broken, NO_PARTS, "made");
}

static uint64_t count_of(const struct acl_rule *rule)
{
	struct checks_totals totals;

	(void)rule;
	checks_totals(fixture->checks, &totals);
	return totals.findings[ACL_SEV_ERROR];
}

static void expect(const char *names)
{
	findings_settle(fixture->checks, &call);
	want(fixture, names);
}

static const char *named(const struct acl_rule *a, const struct acl_rule *b)
{
	static char names[256];

	snprintf(names, sizeof(names), "%s:error %s%s", a->id, b ? b->id : "", b ? ":error" : "");
	return names;
}

static void the_more_specific_one(void **state)
{
	(void)state;
	begin(1);
	make(general, true);
	make(specific, true);
	expect(named(specific, NULL));
	begin(2);
	make(specific, true);
	make(general, true);
	expect(named(specific, NULL));
	begin(3);
	make(general, true);
	expect(named(general, NULL));
}

/* A gate fails on errors: none is left out for a warning, however specific that is. */
static void no_error_for_a_warning(void **state)
{
	char both[256];

	(void)state;
	snprintf(both, sizeof(both), "%s:warning %s:error", specific->id, general->id);
	begin(20);
	make(general, true);
	FINDING_OF(fixture->checks, &call, specific, true, PARTS(part_severity(ACL_SEV_WARNING)), "made");
	expect(both);
	begin(21);
	FINDING_OF(fixture->checks, &call, general, true, PARTS(part_severity(ACL_SEV_WARNING)), "made");
	make(specific, true);
	expect(named(specific, NULL));
}

static void who_never_yields(void **state)
{
	(void)state;
	begin(4);
	make(specific, true);
	make(always, true);
	make(general, true);
	expect(named(always, NULL));
}

/* A dropped finding is not counted where the rule was broken. */
static void only_what_stays_is_counted(void **state)
{
	uint64_t before = count_of(general);

	(void)state;
	for (unsigned i = 0; i < 25; i++) {
		begin(5);
		make(general, true);
		make(specific, true);
		findings_settle(fixture->checks, &call);
	}
	assert_int_equal(count_of(general) - before, 25);
	/* The first and the tenth. */
	want(fixture, named(specific, specific));
}

/* A place between that was never counted changes nothing for the one before. */
static void repeats_at_two_places(void **state)
{
	static const unsigned lines[] = {15, 15, 16, 15, 15, 16, 15, 17, 17, 15};
	uint64_t before = count_of(always);
	char names[512];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		begin(lines[i]);
		make(always, true);
		findings_settle(fixture->checks, &call);
	}
	assert_int_equal(count_of(always) - before, 10);
	snprintf(names, sizeof(names), "%s:error %s:error %s:error", always->id, always->id, always->id);
	want(fixture, names);
}

static void findings_of_enter_come_first(void **state)
{
	(void)state;
	begin(6);
	make(general, true);
	findings_settle(fixture->checks, &call);
	assert_true(call.state.finding != 0 && call.state.finding != FINDING_PENDING);
	want(fixture, named(general, NULL));
	call.state.phase = ACL_LEAVE;
	make(specific, true);
	make(always, true);
	expect(named(always, NULL));
}

/* The same rule about many parts of one call is one report. */
static void once_a_call(void **state)
{
	(void)state;
	begin(7);
	for (unsigned i = 0; i < 100; i++)
		make(general, true);
	expect(named(general, NULL));
}

static void beside_another(void **state)
{
	(void)state;
	begin(8);
	FINDING_OF(fixture->checks, &call, general, true, PARTS(part_beside(BESIDE_AS_REASON)), "why");
	expect("");
	assert_int_equal(call.state.finding, 0);
	begin(22);
	make(always, true);
	FINDING_OF(fixture->checks, &call, general, true, PARTS(part_beside(BESIDE_AS_REASON)), "why");
	findings_settle(fixture->checks, &call);
	assert_string_equal(fixture->found[fixture->n_found - 1].rule->id, general->id);
	assert_true(fixture->found[fixture->n_found - 1].secondary);
	assert_true(fixture->found[fixture->n_found - 1].explains);
	want(fixture, named(always, NULL));
	begin(9);
	FINDING_OF(fixture->checks, &call, general, true, PARTS(part_beside(BESIDE_AS_CONSEQUENCE)), "then");
	expect(named(general, NULL));
	begin(10);
	FINDING_OF(fixture->checks, &call, general, true, PARTS(part_beside(BESIDE_AS_CONSEQUENCE)), "then");
	make(always, true);
	findings_settle(fixture->checks, &call);
	assert_string_equal(fixture->found[fixture->n_found - 1].rule->id, general->id);
	assert_true(fixture->found[fixture->n_found - 1].secondary);
	assert_false(fixture->found[fixture->n_found - 1].explains);
	want(fixture, named(always, NULL));
}

/* A repeat is counted where it is made; what it is to the others of its call stays the same. */
static void repeats_among_others(void **state)
{
	uint64_t before = count_of(always), first = 0;
	char names[512];

	(void)state;
	for (unsigned i = 1; i < 50; i++) {
		begin(12);
		make(always, true);
		make(general, true);
		make(specific, true);
		findings_settle(fixture->checks, &call);
		assert_true(call.state.finding != 0 && call.state.finding != FINDING_PENDING);
	}
	assert_int_equal(count_of(always) - before, 49);
	want(fixture, named(always, always));
	before = count_of(always);
	for (unsigned i = 1; i < 50; i++) {
		begin(13);
		make(ranked, true);
		make(specific, true);
		findings_settle(fixture->checks, &call);
		/* The more specific one is the finding of the call, at each time. */
		if (i == 1)
			assert_ptr_equal(fixture->found[fixture->n_found - 2].rule, specific);
		first = first ? first : call.state.finding;
		assert_int_equal(call.state.finding, first);
		call.state.phase = ACL_LEAVE;
		make(general, true);
		findings_settle(fixture->checks, &call);
	}
	assert_int_equal(count_of(always) - before, 98);
	snprintf(names, sizeof(names), "%s:error %s:error %s:error %s:error", specific->id, specific->id,
		ranked->id, ranked->id);
	want(fixture, names);
}

/* Other threads count it meanwhile, so that it comes to a number that is shown without having been written.
 */
static void shown_only_when_written(void **state)
{
	(void)state;
	in_another_thread(general, 14, 90);
	want(fixture, named(general, general));
	begin(14);
	make(general, true);
	in_another_thread(general, 14, 9);
	want(fixture, "");
	findings_settle(fixture->checks, &call);
	want(fixture, "");
	in_another_thread(general, 14, 1);
	assert_int_equal(fixture->found[fixture->n_found - 1].repeat, 101);
	want(fixture, named(general, NULL));
	in_another_thread(general, 14, 898);
	want(fixture, "");
	in_another_thread(general, 14, 1);
	assert_int_equal(fixture->found[fixture->n_found - 1].repeat, 1000);
	want(fixture, named(general, NULL));
}

static unsigned evaluated;

static void parts_only_when_broken(void **state)
{
	uint64_t before = fixture_count(fixture, always->id);

	(void)state;
	begin(11);
	assert_false(
		FINDING_OF(fixture->checks, &call, always, false, PARTS(part_uint("n", ++evaluated)), "no"));
	assert_int_equal(evaluated, 0);
	assert_int_equal(fixture_count(fixture, always->id) - before, 1);
	expect("");
	assert_true(
		FINDING_OF(fixture->checks, &call, always, true, PARTS(part_uint("n", ++evaluated)), "yes"));
	/* The first time to know what it counts as. */
	assert_in_range(evaluated, 1, 2);
	expect(named(always, NULL));
}

static bool serves(const struct acl_rule *rule)
{
	return rule->severity == ACL_SEV_ERROR && rule->dflt == ACL_DEFAULT_ON && rule->relaxed_since < 0 &&
	       rule->state == ACL_RULE_IMPLEMENTED && rule->tier != ACL_TIER_TOOL;
}

static int create(void **state)
{
	(void)state;
	fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	for (unsigned i = 0; i < acl_rule_count; i++) {
		const struct acl_rule *rule = &acl_rules[i];

		if (!serves(rule))
			continue;
		if (!rule->yields && !rule->rank)
			always = rule;
		else if (!rule->yields)
			ranked = rule;
		else if (!specific || rule->rank < specific->rank)
			specific = rule;
		if (rule->yields && (!general || rule->rank > general->rank))
			general = rule;
	}
	return specific && general && always && ranked && specific->rank < general->rank &&
			       specific->rank < ranked->rank
		       ? 0
		       : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_more_specific_one),
		cmocka_unit_test(no_error_for_a_warning),
		cmocka_unit_test(who_never_yields),
		cmocka_unit_test(only_what_stays_is_counted),
		cmocka_unit_test(findings_of_enter_come_first),
		cmocka_unit_test(once_a_call),
		cmocka_unit_test(beside_another),
		cmocka_unit_test(repeats_among_others),
		cmocka_unit_test(repeats_at_two_places),
		cmocka_unit_test(shown_only_when_written),
		cmocka_unit_test(parts_only_when_broken),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("which findings are reported", tests, create, NULL);
}
