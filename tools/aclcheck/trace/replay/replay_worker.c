/* SPDX-License-Identifier: Apache-2.0 */
/* The process that checks the calls of one recorded process, and leaves a report as that one did. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/config/run_settings.h"
#include "interpose/report/finding_store.h"
#include "interpose/report/sinks.h"
#include "interpose/report/verdict.h"
#include "tools/aclcheck/trace/replay/replay.h"
#include "tools/aclcheck/trace/replay/replay_order.h"

#define READ_AHEAD (1u << 20)
#define ORDER_WINDOW 65536u

static struct {
	struct checks *checks;
	struct replay_order *order;
	uint64_t calls; /* that the program made, 0 = not said */
	uint32_t ends_on; /* thread */
	int end; /* enum checks_end, -1 = the process did not end by itself */
	bool called; /* has made calls, recorded or not */
	bool forked; /* what its parent had done by then is not in its recording */
	bool killed; /* or it crashed */
	bool annotated; /* the program said more than its calls */
	uint8_t *result; /* enum replay_result, for the reader */
	char gap[256];
} worker = {.end = -1};

/* --- the pipe ------------------------------------------------------------------------- */

static struct {
	char bytes[2 * READ_AHEAD];
	size_t begin, end;
} ahead;

/* Until so many bytes are there; false: the pipe has ended before. */
static bool worker_fill(int fd, size_t bytes)
{
	if (ahead.begin + bytes > sizeof(ahead.bytes)) {
		memmove(ahead.bytes, ahead.bytes + ahead.begin, ahead.end - ahead.begin);
		ahead.end -= ahead.begin;
		ahead.begin = 0;
	}
	while (ahead.end - ahead.begin < bytes) {
		ssize_t n = read(fd, ahead.bytes + ahead.end, sizeof(ahead.bytes) - ahead.end);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		ahead.end += (size_t)n;
	}
	return true;
}

static const struct replay_record *next(int fd)
{
	const struct replay_record *r;

	if (!worker_fill(fd, sizeof(*r)))
		return NULL;
	r = (const void *)(ahead.bytes + ahead.begin);
	if (r->bytes < sizeof(*r) || r->bytes > READ_AHEAD || !worker_fill(fd, r->bytes))
		return NULL;
	r = (const void *)(ahead.bytes + ahead.begin);
	ahead.begin += r->bytes;
	return r;
}

/* Records from before the first that the checks are needed for. */
static struct {
	char *bytes;
	size_t length;
} early;

/* --- the end ---------------------------------------------------------------------------- */

/* Findings of a recording that lacks calls are none: what was missing may be what they say is missing. */
static void drop_findings(void)
{
	finding_store_forked();
	verdict_forked();
}

static void __attribute__((noreturn)) worker_leave(enum replay_result result)
{
	*worker.result = (uint8_t)result;
	_exit(0);
}

static void __attribute__((noreturn)) finish_unknown(const char *why)
{
	drop_findings();
	verdict_add_reason("recording-incomplete", why);
	sink_end(NULL, CHECKS_END_EXIT);
	worker_leave(REPLAY_INCOMPLETE);
}

static void __attribute__((noreturn)) worker_finish(void)
{
	struct checks_totals totals = {0};
	char text[256];

	checks_totals(worker.checks, &totals);
	if (worker.annotated)
		verdict_add_reason("recording-incomplete",
			"not all that the program says by aclcheck.h is in the recording");
	if (worker.forked)
		finish_unknown("the process was forked by one that had called AscendCL: what it took over "
			       "from that is not "
			       "in its recording");
	if (*worker.gap) {
		verdict_add_reason("recording-incomplete", worker.gap);
	} else if (totals.calls < worker.calls) {
		snprintf(text, sizeof(text),
			"the recording has %llu of %llu calls: their findings would not be those of the run",
			(unsigned long long)totals.calls, (unsigned long long)worker.calls);
		finish_unknown(text);
	} else if (worker.end < 0) {
		verdict_add_reason(worker.killed ? "process-killed" : "recording-incomplete",
			worker.killed ? "the process was killed, or crashed"
				      : "the recording ends before the process does");
	} else {
		replay_ends(worker.ends_on);
		checks_finish(worker.checks, (enum checks_end)worker.end);
	}
	sink_end(worker.checks, CHECKS_END_EXIT);
	worker_leave(*worker.gap || worker.end < 0 ? REPLAY_INCOMPLETE : REPLAY_COMPLETE);
}

static void take_fact(const struct replay_record *r)
{
	static const char *const ends[] = {"exit", "quick-exit", "exec"};
	const char *key = (const char *)(r + 1), *value = key + strlen(key) + 1;

	if (!strcmp(key, "calls"))
		worker.calls = strtoull(value, NULL, 10);
	if (!strcmp(key, "annotations"))
		worker.annotated = true;
	if (strcmp(key, "end") != 0)
		return;
	worker.ends_on = r->tid;
	for (unsigned i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (!strcmp(value, ends[i]))
			worker.end = (int)i;
}

static void worker_begin(const char *report)
{
	setenv("ACLCHECK_REPORT", report, 1);
	/* What is found is shown when all is known. */
	setenv("ACLCHECK_LOG", "off", 1);
	settings_early();
	sink_begin();
	worker.checks = replay_checker();
	if (!worker.checks)
		worker_leave(REPLAY_FAILED);
}

/* The last record, held back: a fact that a call asked for is recorded behind its entry. */
static struct replay_record *held;
static size_t held_room;

static void feed_held(void)
{
	const char *gap;

	if (!held || !held->bytes || *worker.gap)
		return;
	gap = replay_feed(worker.checks, held);
	if (gap)
		snprintf(worker.gap, sizeof(worker.gap), "%s", gap);
	held->bytes = 0;
}

static void hold(void *unused, const struct replay_record *r)
{
	(void)unused;
	feed_held();
	if (r->bytes > held_room) {
		held = need(realloc(held, r->bytes));
		held_room = r->bytes;
	}
	memcpy(held, r, r->bytes);
}

/* Facts, modules and stacks are known at once: what names them comes behind them. */
static void worker_take(const struct replay_record *r)
{
	replay_host_time(r);
	switch ((enum replay_kind)r->kind) {
	case REPLAY_FACT:
		take_fact(r);
		replay_feed(worker.checks, r);
		break;
	case REPLAY_MODULE:
	case REPLAY_STACK:
	case REPLAY_PYTHON_PLACE:
	case REPLAY_PYTHON_STACK:
		replay_feed(worker.checks, r);
		break;
	case REPLAY_GAP:
		replay_order_flush(worker.order);
		hold(NULL, r);
		break;
	default:
		replay_order_take(worker.order, r);
	}
}

static void say_order(void)
{
	unsigned missing = replay_order_missing(worker.order), circles = replay_order_circles(worker.order);
	char text[160];

	if (missing && !*worker.gap) {
		if (missing == 1)
			snprintf(text, sizeof(text),
				"1 call is in the order of its time: calls of other threads before it are "
				"not in the recording");
		else
			snprintf(text, sizeof(text),
				"%u calls are in the order of their times: calls of other threads before "
				"them are not in the recording",
				missing);
		verdict_add_reason("recording-incomplete", text);
	}
	if (circles)
		command_say("%u calls of several threads at once are in the order of their times", circles);
}

/* What comes before the checks are made: who it is, and which devices it can see. */
static void look_first(const struct replay_record *r, uint32_t pid)
{
	const char *key = (const char *)(r + 1);

	if (r->kind == REPLAY_PROCESS) {
		replay_host_process(r, pid);
		replay_host_time(r);
		worker.forked = r->flags;
		worker.called |= r->flags;
	} else if (r->kind == REPLAY_FACT && !strcmp(key, "visible-devices")) {
		/* A process says so at its first call. */
		replay_host_visible(key + strlen(key) + 1);
		worker.called = true;
	} else if (r->kind == REPLAY_KILLED) {
		worker.killed = true;
	} else if (r->kind == REPLAY_ENTRY || r->kind == REPLAY_EXIT || r->kind == REPLAY_GAP) {
		worker.called = true;
	}
}

/* Facts that stand at the begin are known when the checks are made, and given to them then. */
static bool put_off(const struct replay_record *r)
{
	if (worker.checks || (worker.called && r->kind != REPLAY_PROCESS && r->kind != REPLAY_FACT))
		return false;
	early.bytes = need(realloc(early.bytes, early.length + r->bytes));
	memcpy(early.bytes + early.length, r, r->bytes);
	early.length += r->bytes;
	return true;
}

static void begin_with_facts(const char *report)
{
	const struct replay_record *r;

	worker_begin(report);
	for (size_t at = 0; at < early.length; at += r->bytes) {
		r = (const void *)(early.bytes + at);
		worker_take(r);
	}
}

void replay_worker(int fd, const struct replay_start *s)
{
	const struct replay_record *r;

	worker.result = s->result;
	worker.order = replay_order_new(ORDER_WINDOW, hold, NULL);
	while ((r = next(fd))) {
		look_first(r, s->pid);
		if (put_off(r))
			continue;
		if (!worker.checks)
			begin_with_facts(s->report);
		worker_take(r);
	}
	/* A launcher that calls nothing has no report, in a run neither. */
	if (!worker.checks && worker.called)
		begin_with_facts(s->report);
	if (worker.checks) {
		replay_order_flush(worker.order);
		feed_held();
		say_order();
		worker_finish();
	}
	worker_leave(REPLAY_COMPLETE);
}
