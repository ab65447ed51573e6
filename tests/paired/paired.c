/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paired tests with the checker alone: a checker per run, TAP through cmocka.
 * What the bug's findings hold is kept beside the scenarios, in a file NAME.findings
 * for each NAME.c, and what comes of small changes in NAME.variants.
 */
#include <stdio.h>
#include <string.h>

#define SITES 20000
#include "paired.h"
#include "tests/checks/fixture.h"
#include "tests/checks/fixture_evaluated.h"
#include "tests/paired/record.h"
#include "tests/paired/variants.h"

#define FIRST_THREAD 1000

static struct fixture *fixture;
static struct record findings, variants;
static uintptr_t next_handle, next_device, next_host;

/* --- calls -------------------------------------------------------------------------- */

bool pair_enter(struct acl_call_record *ev, unsigned api, const void *args, unsigned line)
{
	return variant_enter(fixture, ev, api, args, line);
}

void pair_leave(struct acl_call_record *ev, int64_t result)
{
	variant_leave(fixture, ev, result);
}

void pair_thread(unsigned number)
{
	fixture->tid = FIRST_THREAD + number;
}

void pair_callback_begin(unsigned api, const void *argument)
{
	fixture_callback(fixture, api, argument, true);
}

void pair_callback_end(unsigned api, const void *argument)
{
	fixture_callback(fixture, api, argument, false);
}

void pair_launched_begins(void)
{
}

void pair_callback(unsigned depth)
{
	if (depth)
		pair_callback_begin(ACL_API_aclrtLaunchHostFunc, NULL);
	else
		fixture->callback_depth = 0;
}

void pair_assume(bool holds, const char *what)
{
	if (!holds)
		fail_msg("%s", what);
}

void pair_unseen(enum checks_other_submitter what)
{
	fixture->other_ways |= 1u << what;
}

void pair_news(const struct checks_peer_news *news)
{
	checks_peer(fixture->checks, news);
}

void pair_exit(void)
{
	checks_finish(fixture->checks, CHECKS_END_EXIT);
}

int32_t pair_pid(void)
{
	return (int32_t)fixture->pid;
}

const char *pair_file(void)
{
	return "/opt/add.o";
}

const char *pair_memory_key(int32_t device)
{
	return device ? "key of another" : "key of a third";
}

const char *pair_notify_key(void)
{
	return "key of a notify";
}

uint64_t pair_shareable(void)
{
	return 77;
}

uint64_t pair_thread_id(unsigned number)
{
	return fixture_pthread(FIRST_THREAD + number);
}

uint64_t pair_thread_number(unsigned number)
{
	return FIRST_THREAD + number;
}

void *make_address(void)
{
	return (void *)(next_handle += 0x1000);
}

void *make_range(size_t bytes, bool device)
{
	uintptr_t *next = device ? &next_device : &next_host, here = *next;

	*next += device ? (bytes + (4u << 20)) & ~((uintptr_t)(2u << 20) - 1)
			: (bytes + 8192) & ~(uintptr_t)4095;
	return (void *)here;
}

/* --- one run --------------------------------------------------------------------------- */

static struct fixture *fixture_for(const struct pair *t)
{
	const struct acl_rule *rule = acl_rule_find(t->rule);
	uint8_t *by_rule = calloc(acl_rule_count, 1);
	const struct checks_config config = {.target = t->target ? t->target - 1 : CHECKS_TARGET_DOCUMENTS,
		.soc = t->soc,
		.visible_devices = t->visible[!bug],
		.rule_default = by_rule};
	struct fixture *made;

	assert_non_null(by_rule);
	if (t->on)
		by_rule[rule->index] = 1 + ACL_DEFAULT_ON;
	made = fixture_with(&config);
	free(by_rule);
	return made;
}

/* Whether a checker made for one run serves for another. */
static bool same_start(const struct pair *a, bool a_bug, const struct pair *b)
{
	const char *mine = a->visible[!a_bug], *other = b->visible[!bug];

	return a->target == b->target && a->bare == b->bare && !a->on && !b->on && a->soc == b->soc &&
	       mine == other;
}

static void begin(const struct pair *t)
{
	static const struct pair *last;
	static bool last_bug;

	if (last && same_start(last, last_bug, t)) {
		fixture_again(fixture);
		return;
	}
	last = t;
	last_bug = bug;
	if (fixture)
		fixture_free(fixture);
	fixture = fixture_for(t);
	fixture->tid = FIRST_THREAD;
	fixture->pid = 1000;
	fixture->other_ways = 0;
	fixture->memory_total = UINT64_C(16) << 30;
	fixture->heap = heap_memory;
	fixture->heap_bytes = sizeof(heap_memory);
	fixture->block = lucky_block;
	fixture->block_bytes = LUCKY_BYTES;
	fixture->class = ACL_HOST_UNKNOWN;
	if (!t->bare) {
		CALL(aclInit, .configPath = NULL);
		CALL(aclrtSetDevice, .deviceId = 0);
	}
	fixture_keep(fixture);
}

/* From where begin() left the checker; it stays for later queries. */
static void play(const struct pair *t)
{
	next_handle = 0x5500000000;
	next_device = 0x12c000000000;
	next_host = 0x7e0000000000;
	memset(answer, 0, sizeof(answer));
	pair_functions_use(t);
	if (t->scenario) {
		t->scenario();
	} else {
		struct acl_call_record ev;

		pair_enter(&ev, t->api, bug ? t->bad_args : t->good_args, 1);
		pair_leave(&ev, bug ? 107000 : 0);
	}
}

static void print_found(void)
{
	for (unsigned i = 0; i < fixture->n_found; i++)
		print_message("# %s: %s\n", fixture->found[i].what, fixture->found[i].detail);
}

static bool is_primary(const struct fixture_finding *f)
{
	return !f->secondary && strcmp(f->rule->id, "api-error");
}

static bool names(const struct fixture_finding *f, const char *rule)
{
	return rule && !strcmp(f->rule->id, rule);
}

/* rules: ids with a space between, or NULL. */
static bool is_among(const struct fixture_finding *f, const char *rules)
{
	size_t n = strlen(f->rule->id);

	for (const char *p = rules; p && *p; p += strspn(p, " ")) {
		size_t length = strcspn(p, " ");

		if (length == n && !memcmp(p, f->rule->id, n))
			return true;
		p += length;
	}
	return false;
}

static void with_bug(const struct pair *t)
{
	unsigned hits = 0, others = 0;

	bug = true;
	begin(t);
	play(t);
	for (unsigned i = 0; i < fixture->n_found; i++) {
		const struct fixture_finding *f = &fixture->found[i];

		hits += names(f, t->rule);
		others += !names(f, t->rule) && !is_among(f, t->also) && is_primary(f) && !f->advice &&
			  f->severity >= ACL_SEV_WARNING;
	}
	if (!hits || others)
		print_found();
	assert_int_not_equal(hits, 0);
	assert_int_equal(others, 0);
	assert_true(fixture_count(fixture, t->rule));
	record_block(&findings, t);
	for (unsigned i = 0; i < fixture->n_found; i++)
		/* Advice about other rules is theirs. */
		if (!fixture->found[i].advice || names(&fixture->found[i], t->rule))
			record_add(&findings, "%s", fixture->found[i].text);
	assert_true(record_compare(&findings));
	variants_run(&variants, t, fixture, "bug", play);
}

static void fixed(const struct pair *t)
{
	unsigned others = 0;

	bug = false;
	begin(t);
	play(t);
	/* Silence of a rule that was never evaluated proves nothing. */
	if (!t->avoids)
		assert_true(fixture_count(fixture, t->rule));
	/* Advice about the function itself comes in both runs. */
	for (unsigned i = 0; i < fixture->n_found; i++)
		others += is_primary(&fixture->found[i]) &&
			  (!fixture->found[i].advice || names(&fixture->found[i], t->rule));
	if (others)
		print_found();
	assert_int_equal(others, 0);
	variants_run(&variants, t, fixture, "fixed", play);
}

static void run(void **state)
{
	const struct pair *t = *state;

	record_block(&variants, t);
	with_bug(t);
	fixed(t);
	assert_true(record_compare(&variants));
}

static bool rules_agree(const char *program)
{
	char path[512];

	record_path(path, program, "rules");
	return evaluated_wanted() || fixture_rules_compare(path, findings.writing);
}

int pairs_run(const char *name, const struct pair *pairs, size_t n, int argc, char **argv)
{
	struct CMUnitTest *tests = calloc(n, sizeof(*tests));
	int failed;

	cmocka_set_message_output(CM_OUTPUT_TAP);
	fixture_unrecorded();
	record_open(&findings, argv[0], "findings", argc > 1 && !strcmp(argv[1], "--write"));
	record_open(&variants, argv[0], "variants", findings.writing);
	for (size_t i = 0; i < n; i++)
		tests[i] = (struct CMUnitTest){pairs[i].rule, run, NULL, NULL, (void *)&pairs[i]};
	failed = _cmocka_run_group_tests(name, tests, n, NULL, NULL);
	free(tests);
	failed += !record_close(&findings);
	failed += !record_close(&variants);
	return failed + !rules_agree(argv[0]);
}
