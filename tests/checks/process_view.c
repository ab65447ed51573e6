/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the process around the checker asks it: which functions need not be reported, what would be a
 * failure, where findings were made and how often.
 */
#include "fixture.h"

#include <string.h>

#include "checks/engine/instance.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS

/* --- what is listened to, what would be a failure ------------------------------------------------------ */

static void functions_that_are_heard(void **state)
{
	struct fixture *f = fixture_new(DOCUMENTS);

	(void)state;
	assert_true(checks_listens(f->checks, ACL_API_aclrtMemcpyAsync));
	assert_true(checks_listens(f->checks, ACL_API_aclrtDestroyStream));
	assert_false(checks_listens(f->checks, ACL_API_COUNT));
	fixture_free(f);
}

/* A checker with no rule on but one. */
static struct fixture *with_one_rule(const char *id, enum acl_default how, int target)
{
	uint8_t *by_rule = malloc(acl_rule_count);
	const struct checks_config config = {.target = target, .rule_default = by_rule};
	struct fixture *f;

	assert_non_null(by_rule);
	memset(by_rule, 1 + ACL_DEFAULT_OFF, acl_rule_count);
	if (id)
		by_rule[acl_rule_find(id)->index] = (uint8_t)(1 + how);
	f = fixture_with(&config);
	free(by_rule);
	return f;
}

/* The highest severity a finding can have that is no advice, plus one; 0 = there is none. */
static unsigned highest(const char *id, enum acl_default how, int target)
{
	struct fixture *f = with_one_rule(id, how, target);
	unsigned severity = ACL_SEV_ERROR + 1;

	while (severity && !checks_severity_on(f->checks, severity - 1))
		severity--;
	for (unsigned i = 0; i < severity; i++)
		assert_true(checks_severity_on(f->checks, i));
	fixture_free(f);
	return severity;
}

static void severities_that_are_on(void **state)
{
	(void)state;
	assert_int_equal(highest(NULL, ACL_DEFAULT_OFF, DOCUMENTS), 0);
	assert_int_equal(highest("free-double", ACL_DEFAULT_ON, DOCUMENTS), ACL_SEV_ERROR + 1);
	assert_int_equal(highest("free-double", ACL_DEFAULT_ADVICE, DOCUMENTS), 0);
	assert_int_equal(highest("event-destroyed-in-use", ACL_DEFAULT_ON, DOCUMENTS), ACL_SEV_WARNING + 1);
	/* What a later release no longer asks for. */
	assert_int_equal(highest("init-repeat", ACL_DEFAULT_ON, ACL_CANN_8_1), ACL_SEV_ERROR + 1);
	assert_int_equal(highest("init-repeat", ACL_DEFAULT_ON, ACL_CANN_8_5), ACL_SEV_WARNING + 1);
	assert_int_equal(highest("async-copy-alignment", ACL_DEFAULT_ON, ACL_CANN_9_1), 0);
}

/* --- where findings were made --------------------------------------------------------------------------- */

struct seen {
	unsigned n;
	struct checks_site at[8];
};

static void see(void *context, const struct checks_site *site)
{
	struct seen *seen = context;

	assert_true(seen->n < 8);
	seen->at[seen->n++] = *site;
}

static const struct checks_site *site_of(const struct seen *seen, const char *rule)
{
	for (unsigned i = 0; i < seen->n; i++)
		if (!strcmp(seen->at[i].rule->id, rule))
			return &seen->at[i];
	fail_msg("there is no site of %s", rule);
	return NULL;
}

static struct seen sites_of(struct fixture *f)
{
	struct seen seen = {0};

	checks_each_site(f->checks, see, &seen);
	return seen;
}

static void sites_and_their_counts(void **state)
{
	struct fixture *f = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(f, 1), *d = fixture_malloc(f, DEVICE_MEMORY, 4096);
	const struct checks_site *site;
	struct seen seen;

	(void)state;
	assert_int_equal(sites_of(f).n, 0);
	CALL(f, aclrtDestroyStream, 0, .stream = s);
	for (unsigned i = 0; i < 3; i++)
		CALL(f, aclrtSynchronizeStream, 107017, .stream = s);
	CALL(f, aclrtFree, 0, .devPtr = d);
	CALL(f, aclrtSetDevice, 0, .deviceId = 0);
	CALL(f, aclrtSynchronizeDevice, 507000);
	seen = sites_of(f);
	assert_int_equal(seen.n, 3);
	site = site_of(&seen, "stream-destroyed-handle");
	assert_int_equal(site->count, 3);
	assert_int_equal(site->api, ACL_API_aclrtSynchronizeStream);
	assert_int_equal(site->severity, ACL_SEV_ERROR);
	assert_int_equal(site->serial, f->found[0].serial);
	assert_true(site->caller && !site->advice && !site->secondary);
	/* The failures it explains, and one of its own. */
	for (unsigned i = 0; i < 3; i++) {
		bool own = seen.at[i].api == ACL_API_aclrtSynchronizeDevice;

		if (strcmp(seen.at[i].rule->id, "api-error") != 0)
			continue;
		assert_int_equal(seen.at[i].secondary, !own);
		assert_int_equal(seen.at[i].count, own ? 1 : 3);
	}
	checks_forked(f->checks);
	assert_int_equal(sites_of(f).n, 0);
	fixture_free(f);
}

static void site_of_advice(void **state)
{
	struct fixture *f = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(f, 1);
	struct acl_args_aclrtLaunchKernelV2 launch = {.funcHandle = handle(99),
		.numBlocks = 1,
		.argsData = (void *)DEVICE_MEMORY,
		.argsSize = 64,
		.stream = s};
	struct checks_totals totals;
	struct seen seen;

	(void)state;
	fixture_call(f, ACL_API_aclrtLaunchKernelV2, &launch, 0, 1);
	CALL(f, aclrtSetStreamOverflowSwitch, 0, .stream = s, .flag = 1);
	seen = sites_of(f);
	assert_int_equal(seen.n, 1);
	assert_true(site_of(&seen, "stream-overflow-switch-existing-tasks")->advice);
	checks_totals(f->checks, &totals);
	assert_int_equal(totals.advice, 1);
	for (unsigned i = 0; i <= ACL_SEV_ERROR; i++)
		assert_int_equal(totals.findings[i], 0);
	fixture_free(f);
}

static void mistake(struct fixture *f, void *destroyed, unsigned line)
{
	struct acl_args_aclrtSynchronizeStream args = {.stream = destroyed};

	fixture_call(f, ACL_API_aclrtSynchronizeStream, &args, 0, line);
}

/* The host knows different places of one call site. */
static void places_of_the_host(void **state)
{
	struct fixture *f = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(f, 1);

	(void)state;
	CALL(f, aclrtDestroyStream, 0, .stream = s);
	for (unsigned i = 0; i < 3; i++)
		mistake(f, s, 1);
	assert_int_equal(f->n_found, 1);
	assert_int_equal(f->n_placed, 0);
	f->place = 5;
	f->places = 1;
	for (unsigned i = 0; i < 3; i++)
		mistake(f, s, 1);
	assert_int_equal(f->n_found, 2);
	assert_int_equal(f->found[1].repeat, 1);
	assert_int_equal(f->n_placed, 3);
	f->place = 0;
	mistake(f, s, 1);
	assert_int_equal(f->n_found, 2);
	assert_int_equal(f->n_placed, 3);
	assert_int_equal(sites_of(f).n, 2);
	fixture_free(f);
}

/* Of more places than the table holds the first are counted, and the run says that it is not complete. */
static void more_sites_than_the_table_holds(void **state)
{
	struct fixture *f = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(f, 1);
	struct checks_totals totals;
	unsigned shown = 0;

	(void)state;
	CALL(f, aclrtDestroyStream, 0, .stream = s);
	for (unsigned i = 0; i < 16384 + 10; i++) {
		checks_totals(f->checks, &totals);
		assert_int_equal(totals.degraded, i > 16384);
		f->n_found = f->n_seen = 0;
		mistake(f, s, 100 + i);
		shown += f->n_found;
	}
	assert_int_equal(shown, 16384);
	assert_string_equal(totals.degraded_text, "more sites with findings than the table holds");
	assert_int_equal(totals.findings[ACL_SEV_ERROR], 16384);
	/* Those that have a place go on. */
	for (unsigned i = 0; i < 9; i++)
		mistake(f, s, 100);
	assert_int_equal(f->n_found, 1);
	assert_int_equal(f->found[0].repeat, 10);
	fixture_free(f);
}

/* --- stacks ----------------------------------------------------------------------------------------------
 */

/* On request the last use of an object has a stack as well, as its creation always does. */
static void stacks_of_uses(void **state)
{
	(void)state;
	for (unsigned all = 0; all < 2; all++) {
		const struct checks_config config = {.target = DOCUMENTS, .stacks_all = all};
		struct fixture *f = fixture_with(&config);
		void *s;

		CALL(f, aclInit, 0, .configPath = NULL);
		CALL(f, aclrtSetDevice, 0, .deviceId = 0);
		s = fixture_stream(f, 1);
		CALL(f, aclrtMemsetAsync, 0, .devPtr = (void *)DEVICE_MEMORY, .maxCount = 64, .count = 64,
			.stream = s);
		CALL(f, aclrtSetStreamOverflowSwitch, 0, .stream = s, .flag = 1);
		want(f, "stream-overflow-switch-existing-tasks:advice");
		assert_int_equal(strstr(f->found[0].text, "used by aclrtMemsetAsync#4 (stack)") != NULL, all);
		fixture_free(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_that_are_heard),
		cmocka_unit_test(severities_that_are_on),
		cmocka_unit_test(sites_and_their_counts),
		cmocka_unit_test(site_of_advice),
		cmocka_unit_test(places_of_the_host),
		cmocka_unit_test(more_sites_than_the_table_holds),
		cmocka_unit_test(stacks_of_uses),
	};

	/* So many findings that a file of them helps no one. */
	fixture_counts_only();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("what the process asks", tests, NULL, NULL);
}
