/* SPDX-License-Identifier: Apache-2.0 */
/* The twin frame for the checker alone: a checker per run, its findings collected, TAP through cmocka. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "twins.h"

#define FINDINGS 64
#define PID 1000

struct said {
	const char *rule;
	char detail[256];
	unsigned severity;
	bool advice, secondary;
};

static struct checks *checks;
static struct said said[FINDINGS];
static unsigned n_said, thread_number, callback_depth, other_ways;
static uintptr_t next_handle, next_device, next_host;

/* --- the host of the checker ------------------------------------------------------ */

struct piece {
	struct piece *next;
	char bytes[] __attribute__((aligned(64)));
};

static struct piece *pieces;

static void *give_memory(void *context, size_t bytes)
{
	size_t size = (sizeof(struct piece) + bytes + 63) & ~(size_t)63;
	struct piece *p = aligned_alloc(64, size);

	(void)context;
	assert_non_null(p);
	memset(p, 0, size);
	p->next = pieces;
	pieces = p;
	return p->bytes;
}

static void take_memory_back(void)
{
	while (pieces) {
		struct piece *next = pieces->next;

		free(pieces);
		pieces = next;
	}
}

static enum acl_host_class classify(void *context, const void *address)
{
	(void)context;
	return (const char *)address >= heap_memory &&
			       (const char *)address < heap_memory + sizeof(heap_memory)
		       ? ACL_HOST_HEAP
		       : ACL_HOST_UNKNOWN;
}

static bool unseen(void *context, enum checks_unseen what)
{
	(void)context;
	return other_ways & 1u << what;
}

static uint64_t memory_total(void *context)
{
	(void)context;
	return UINT64_C(16) << 30;
}

static uint32_t module_of(void *context, uint64_t code)
{
	(void)context;
	(void)code;
	return 1;
}

static void collect(void *context, const struct acl_finding *f)
{
	struct said *s = &said[n_said];

	(void)context;
	if (n_said == FINDINGS)
		return;
	n_said++;
	s->rule = f->rule->id;
	s->severity = f->severity;
	s->advice = f->advice;
	s->secondary = f->secondary;
	snprintf(s->detail, sizeof(s->detail), "%s", f->detail ? f->detail : "");
}

/* --- calls -------------------------------------------------------------------------- */

bool twin_enter(struct acl_event *ev, unsigned api, const void *args, unsigned line)
{
	acl_event_init(ev, api, args, 0x400000 + line * 16);
	ev->pid = PID;
	ev->tid = 1000 + thread_number;
	ev->pthread_id = twin_thread_id(thread_number);
	ev->module = 1;
	ev->callback_depth = (uint16_t)callback_depth;
	checks_enter(checks, ev);
	return true;
}

void twin_leave(struct acl_event *ev, int64_t result)
{
	ev->result.i = result;
	checks_leave(checks, ev);
}

void twin_thread(unsigned number)
{
	thread_number = number;
}

static void callback_now(unsigned api, const void *argument, bool begins)
{
	struct acl_event ev;

	acl_event_init(&ev, api, NULL, 0x400000);
	ev.pid = 1000;
	ev.tid = 1000 + thread_number;
	ev.pthread_id = 0x7f0000001000 + thread_number * 0x1000;
	ev.callback_depth = (uint16_t)callback_depth;
	checks_callback(checks, &ev, argument, begins);
}

void twin_callback_begin(unsigned api, const void *argument)
{
	callback_depth++;
	callback_now(api, argument, true);
}

void twin_callback_end(unsigned api, const void *argument)
{
	callback_now(api, argument, false);
	callback_depth--;
}

void twin_callback(unsigned depth)
{
	if (depth)
		twin_callback_begin(ACL_API_aclrtLaunchHostFunc, NULL);
	else
		callback_depth = 0;
}

void twin_assume(bool holds, const char *what)
{
	if (!holds)
		fail_msg("%s", what);
}

void twin_unseen(enum checks_unseen what)
{
	other_ways |= 1u << what;
}

void twin_exit(void)
{
	checks_finish(checks, CHECKS_END_EXIT);
}

int32_t twin_pid(void)
{
	return PID;
}

const char *twin_file(void)
{
	return "/opt/add.o";
}

const char *twin_memory_key(int32_t device)
{
	return device ? "key of another" : "key of a third";
}

const char *twin_notify_key(void)
{
	return "key of a notify";
}

uint64_t twin_shareable(void)
{
	return 77;
}

uint64_t twin_thread_id(unsigned number)
{
	return 0x7f0000001000 + number * 0x1000;
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

static void begin(const struct twin *t)
{
	const struct acl_rule *rule = acl_rule_find(t->rule);
	uint8_t *by_rule = give_memory(NULL, acl_rule_count);
	const struct checks_config config = {.target = t->target ? t->target - 1 : CHECKS_TARGET_DOCUMENTS,
		.soc = t->soc,
		.visible_devices = t->visible[!bug],
		.rule_default = by_rule};
	const struct checks_host host = {.memory = give_memory,
		.host_class = classify,
		.module = module_of,
		.finding = collect,
		.unseen = unseen,
		.memory_total = memory_total};

	if (t->on)
		by_rule[rule->index] = 1 + ACL_DEFAULT_ON;
	n_said = thread_number = callback_depth = other_ways = 0;
	next_handle = 0x5500000000;
	next_device = 0x12c000000000;
	next_host = 0x7e0000000000;
	memset(answer, 0, sizeof(answer));
	checks = checks_create(&config, &host);
	assert_non_null(checks);
	if (t->bare)
		return;
	CALL(aclInit, .configPath = NULL);
	CALL(aclrtSetDevice, .deviceId = 0);
}

static uint64_t times_asked(const char *rule)
{
	uint64_t *counts = calloc(acl_rule_count, sizeof(*counts)), n;

	assert_non_null(counts);
	checks_asked(checks, counts);
	n = counts[acl_rule_find(rule)->index];
	free(counts);
	return n;
}

static uint64_t asked; /* how often the last run put the twin's rule to the test */

static void play(const struct twin *t)
{
	begin(t);
	if (t->scene) {
		t->scene();
	} else {
		struct acl_event ev;

		twin_enter(&ev, t->api, bug ? t->bad_args : t->good_args, 1);
		twin_leave(&ev, bug ? 107000 : 0);
	}
	asked = times_asked(t->rule);
	checks_destroy(checks);
	take_memory_back();
}

static void print_said(void)
{
	for (unsigned i = 0; i < n_said; i++)
		print_message("# %s%s%s: %s\n", said[i].rule, said[i].advice ? " (advice)" : "",
			said[i].secondary ? " (secondary)" : "", said[i].detail);
}

static bool is_primary(const struct said *s)
{
	return !s->secondary && strcmp(s->rule, "api-error");
}

static void run(void **state)
{
	const struct twin *t = *state;
	unsigned hits = 0, others = 0;

	bug = true;
	play(t);
	for (unsigned i = 0; i < n_said; i++) {
		bool mine = !strcmp(said[i].rule, t->rule);

		hits += mine;
		mine = mine || (t->also && !strcmp(said[i].rule, t->also));
		others += !mine && is_primary(&said[i]) && !said[i].advice &&
			  said[i].severity >= ACL_SEV_WARNING;
	}
	if (!hits || others)
		print_said();
	assert_int_not_equal(hits, 0);
	assert_int_equal(others, 0);
	assert_true(asked);
	bug = false;
	play(t);
	/* Silence of a rule that was never asked proves nothing. */
	if (!t->avoids)
		assert_true(asked);
	others = 0;
	/* Advice about the function itself comes in both runs. */
	for (unsigned i = 0; i < n_said; i++)
		others += is_primary(&said[i]) && (!said[i].advice || !strcmp(said[i].rule, t->rule));
	if (others)
		print_said();
	assert_int_equal(others, 0);
}

int twins_run(const char *name, const struct twin *twins, size_t n, int argc, char **argv)
{
	struct CMUnitTest *tests = calloc(n, sizeof(*tests));
	int failed;

	(void)argc;
	(void)argv;
	cmocka_set_message_output(CM_OUTPUT_TAP);
	for (size_t i = 0; i < n; i++)
		tests[i] = (struct CMUnitTest){twins[i].rule, run, NULL, NULL, (void *)&twins[i]};
	failed = _cmocka_run_group_tests(name, tests, n, NULL, NULL);
	free(tests);
	return failed;
}
