/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The open scopes of a thread lie in its own memory; what is said of them in a
 * table that only grows, without a lock, as scopes are opened anywhere: before
 * the first acl call, in a signal handler, in a child after fork.
 */
#include "interpose/report/expect_scope.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "interpose/common/compiler.h"
#include "interpose/report/verdict.h"
#include "interpose/stack/tool_stack.h"
#include "interpose/common/suppression.h"
#include "interpose/common/text.h"
#include "interpose/common/site_conditions.h"
#include "interpose/common/thread_state.h"

#define ENTRIES 1024
#define REASON "expected-failure-scope"

static struct entry {
	_Atomic int state; /* 0 free, 1 being written, 2 there */
	char rule[96];
	char reason[256];
	uint64_t place;
	bool ignores; /* what it takes need not come */
	_Atomic uint64_t opened, met;
} entries[ENTRIES];

ACL_EXPORT int aclcheck_expect_open(const char *rule, const char *reason);
ACL_EXPORT int aclcheck_ignore_open(const char *rule, const char *reason);
ACL_EXPORT void aclcheck_expect_close(int scope);

/* A handler that interrupted the tool stays silent: the sinks' lock may be held. */
static void misused(const char *text)
{
	char mark;

	if (tool_begin(thread_self(), &mark)) {
		verdict_inconclusive(REASON, text);
		tool_end(thread_self());
	}
}

static void (*_Atomic listener)(const struct trace_said *said);
static _Atomic bool unheard;

void expect_listen(void (*fn)(const struct trace_said *said))
{
	atomic_store(&listener, fn);
}

bool expect_all_heard(void)
{
	return !atomic_load(&unheard);
}

static void say(void *said)
{
	atomic_load (&listener)(said);
}

/* To the recording, for who replays it; also from a handler that interrupted the tool. */
static void expect_trace(const struct trace_said *said)
{
	int saved = errno;
	char mark;

	if (!atomic_load(&listener) || !tool_begin(thread_self(), &mark)) {
		atomic_store(&unheard, true);
		return;
	}
	tool_stack_run(say, (void *)said);
	tool_end(thread_self());
	errno = saved;
}

static bool is_it(const struct entry *e, const struct expect_opening *o)
{
	return e->place == o->place && e->ignores == o->ignores && !strcmp(e->rule, o->rule) &&
	       !strncmp(e->reason, o->reason, sizeof(e->reason) - 1);
}

static void expect_fill(struct entry *e, const struct expect_opening *o)
{
	struct text t;

	text_init(&t, e->rule, sizeof(e->rule));
	text_str(&t, o->rule);
	text_init(&t, e->reason, sizeof(e->reason));
	text_put(&t, o->reason, strnlen(o->reason, sizeof(e->reason) - 1));
	e->place = o->place;
	e->ignores = o->ignores;
	atomic_store_explicit(&e->state, 2, memory_order_release);
}

/* Two threads that come at once with the same may each get an entry: readers add them up. */
static uint16_t entry_of(const struct expect_opening *o)
{
	for (unsigned i = 0; i < ENTRIES; i++) {
		int state = atomic_load_explicit(&entries[i].state, memory_order_acquire);

		if (!state && atomic_compare_exchange_strong(&entries[i].state, &state, 1))
			expect_fill(&entries[i], o);
		else if (state != 2 || !is_it(&entries[i], o))
			continue;
		return (uint16_t)(i + 1);
	}
	misused("more places open scopes of expected failure than the table holds");
	return 0;
}

static uint16_t entry_for(const struct expect_opening *o)
{
	if (!o->rule || !*o->rule || !o->reason || !*o->reason)
		misused("a scope was opened without a rule or without a reason");
	else if (strlen(o->rule) >= sizeof(entries->rule))
		misused("the rule of a scope is longer than any rule's name");
	else
		return entry_of(o);
	return 0;
}

int expect_open(const struct expect_opening *o)
{
	struct acl_thread *t = thread_self();
	int saved = errno;
	uint16_t entry = entry_for(o);
	unsigned at;

	site_condition_set(SITE_OF_SCOPE);
	at = t->n_scopes;
	if (at < THREAD_SCOPES) {
		t->scopes[at] = 0;
		t->scopes_met &= (uint16_t) ~(1u << at);
	}
	/* A signal handler that opens scopes of its own meanwhile does so above this one. */
	atomic_signal_fence(memory_order_seq_cst);
	t->n_scopes = (uint16_t)(at < UINT16_MAX ? at + 1 : at);
	atomic_signal_fence(memory_order_seq_cst);
	if (at >= THREAD_SCOPES) {
		misused("scopes of expected failure are nested too deep");
	} else if (entry) {
		t->scopes[at] = entry;
		atomic_fetch_add_explicit(&entries[entry - 1].opened, 1, memory_order_relaxed);
	}
	errno = saved;
	return t->n_scopes;
}

static int open_and_record(const struct expect_opening *o)
{
	expect_trace(&(struct trace_said){.what = o->ignores ? TRACE_SAYS_IGNORE : TRACE_SAYS_EXPECT,
		.caller = o->place,
		.text = o->rule,
		.reason = o->reason});
	return expect_open(o);
}

int aclcheck_expect_open(const char *rule, const char *reason)
{
	return open_and_record(&(struct expect_opening){
		rule, reason, (uint64_t)(uintptr_t)__builtin_return_address(0), false});
}

int aclcheck_ignore_open(const char *rule, const char *reason)
{
	return open_and_record(&(struct expect_opening){
		rule, reason, (uint64_t)(uintptr_t)__builtin_return_address(0), true});
}

void expect_close(unsigned left)
{
	struct acl_thread *t = thread_self();

	if (left >= t->n_scopes)
		misused("a scope of expected failure was closed that is not open");
	else
		t->n_scopes = (uint16_t)left;
}

void aclcheck_expect_close(int scope)
{
	struct acl_thread *t = thread_self();
	int saved = errno, wanted = scope > 0 ? scope : t->n_scopes;
	unsigned left = wanted > 0 ? (unsigned)wanted - 1 : UINT16_MAX;

	expect_trace(&(struct trace_said){.what = TRACE_SAYS_CLOSE, .bytes = left});
	expect_close(left);
	errno = saved;
}

uint32_t expect_scope(const char *rule, bool meet)
{
	struct acl_thread *t = thread_self();

	for (unsigned i = t->n_scopes < THREAD_SCOPES ? t->n_scopes : THREAD_SCOPES; i-- > 0;) {
		struct entry *e = t->scopes[i] ? &entries[t->scopes[i] - 1] : NULL;

		if (!e || !glob_match(e->rule, rule))
			continue;
		if (meet && !(t->scopes_met & 1u << i)) {
			t->scopes_met |= (uint16_t)(1u << i);
			atomic_fetch_add_explicit(&e->met, 1, memory_order_relaxed);
		}
		return t->scopes[i];
	}
	return 0;
}

uint32_t expect_inside(void)
{
	const struct acl_thread *t = thread_self();

	return t->n_scopes && t->n_scopes <= THREAD_SCOPES ? t->scopes[t->n_scopes - 1] : 0;
}

bool expect_get(uint32_t scope, struct expectation *out)
{
	struct entry *e = scope && scope <= ENTRIES ? &entries[scope - 1] : NULL;

	if (!e || atomic_load_explicit(&e->state, memory_order_acquire) != 2)
		return false;
	*out = (struct expectation){e->rule, e->reason, e->place, e->ignores,
		atomic_load_explicit(&e->opened, memory_order_relaxed),
		atomic_load_explicit(&e->met, memory_order_relaxed)};
	return true;
}

uint64_t expect_unmet(void)
{
	struct expectation e;
	uint64_t n = 0;

	for (uint32_t i = 1; expect_get(i, &e); i++)
		n += expect_is_unmet(&e) ? e.opened - e.met : 0;
	return n;
}

void expect_forked(void)
{
	/* Entries are taken in their order.  Behind the last one the pages stay as they are: a write would be
	 * a copy of each.
	 */
	for (unsigned i = 0; i < ENTRIES && atomic_load(&entries[i].state); i++) {
		int writing = 1;

		/* Whoever was writing it is not here: an entry that no scope looks for, so that the list has
		 * no gap.
		 */
		if (atomic_compare_exchange_strong(&entries[i].state, &writing, 2))
			entries[i].place = 0;
		atomic_store(&entries[i].opened, 0);
		atomic_store(&entries[i].met, 0);
	}
	thread_self()->scopes_met = 0;
}
