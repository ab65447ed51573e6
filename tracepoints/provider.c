/* SPDX-License-Identifier: Apache-2.0 */
/* libaclcheck-lttng.so: the trace provider behind the seam of interpose/report/trace_provider.h. */
#include <dlfcn.h>
#include <lttng/ust-fork.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "acl_api.h"
#include "tracepoints/event.h"
#include "tracepoints/events.h"
#include "tracepoints/provider.h"

const struct acl_trace_host *trace_host;

/* --- functions ----------------------------------------------------------- */

/*
 * Where LTTng says whether a session records an event of the function. Before its first call its events are
 * not registered and nobody knows: then all are this one.
 */
static const int unknown = 1;
static const int never; /* an event that there is not */

static struct acl_trace_switches functions[ACL_API_COUNT];

static bool minimal; /* events name neither callers nor stacks */

static void find_functions(const struct trace_unit *const *units)
{
	for (; *units; units++)
		for (unsigned i = 0; i < (*units)->count; i++)
			functions[(*units)->functions[i].api] = (struct acl_trace_switches){
				&unknown, &unknown, &unknown, &(*units)->functions[i]};
}

/* The calling thread does not lose its first call: when this returns, sessions record it. */
static __attribute__((noinline, cold)) void know_function(struct acl_trace_switches *s)
{
	struct lttng_ust_tracepoint *const *t = s->events->tracepoints;
	sigset_t before;
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	trace_registration_lock(&before);
	if (s->enter_on == &unknown) {
		trace_register(s->events);
		__atomic_store_n(
			&s->call_on, s->events->call ? &t[TRACE_AT_CALL]->state : &never, __ATOMIC_RELAXED);
		__atomic_store_n(&s->leave_on, &t[TRACE_AT_EXIT]->state, __ATOMIC_RELAXED);
		__atomic_store_n(&s->enter_on, &t[TRACE_AT_ENTRY]->state, __ATOMIC_RELEASE);
	}
	trace_registration_unlock(&before);
	pthread_setcancelstate(cancel, NULL);
}

/* --- calls -------------------------------------------------------------- */

uint64_t trace_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void describe_references(struct acl_call_record *ev)
{
	self_call(ev, !minimal);
	if (ev->stack && !minimal)
		self_stack(ev->stack);
}

static void enter(struct acl_call_record *ev)
{
	struct acl_trace_switches *s = &functions[ev->api];

	if (__builtin_expect(__atomic_load_n(&s->enter_on, __ATOMIC_ACQUIRE) == &unknown, 0))
		know_function(s);
	if (trace_switch_is_on(&s->enter_on)) {
		describe_references(ev);
		s->events->enter(ev);
	}
	if (trace_switch_is_on(&s->call_on) && !ev->time)
		ev->time = trace_clock();
}

static void answer(const struct acl_call_record *ev, bool at_leave, enum trace_question question, uint64_t of,
	const void *answer, unsigned bytes)
{
	struct acl_trace_switches *s = &functions[ev->api];

	if (minimal)
		return;
	if (__builtin_expect(__atomic_load_n(&s->enter_on, __ATOMIC_ACQUIRE) == &unknown, 0))
		know_function(s);
	if (trace_switch_is_on(at_leave ? &s->leave_on : &s->enter_on))
		answer_emit(question, of, answer, bytes);
}

static void said(const struct trace_said *s)
{
	if (!minimal)
		said_emit(s);
}

static void leave(struct acl_call_record *ev)
{
	const struct acl_trace_switches *s = &functions[ev->api];

	if (trace_switch_is_on(&s->leave_on)) {
		if (ev->stack && !minimal)
			self_stack(ev->stack);
		s->events->leave(ev);
	}
	/* Recording that began in the middle of the call does not know when it started. */
	if (trace_switch_is_on(&s->call_on) && ev->time) {
		describe_references(ev);
		s->events->record(ev);
	}
}

/* --- fork --------------------------------------------------------------- */

/* The user preloaded LTTng's own fork helper: it does all this, and doing it twice deadlocks. */
static bool fork_is_handled;
static sigset_t signals, unblocked; /* of the forking thread; the locks keep others out in between */

static void before_fork(void)
{
	sigset_t now;

	trace_registration_lock(&now);
	unblocked = now;
	if (!fork_is_handled)
		lttng_ust_before_fork(&signals);
}

static void end_fork(void)
{
	sigset_t before = unblocked;

	trace_registration_unlock(&before);
}

static void after_fork_parent(void)
{
	if (!fork_is_handled)
		lttng_ust_after_fork_parent(&signals);
	end_fork();
}

static void after_fork_child(void)
{
	if (!fork_is_handled)
		lttng_ust_after_fork_child(&signals);
	end_fork();
	self_forked();
}

/* --- the seam ----------------------------------------------------------- */

static const struct acl_trace_provider provider = {
	.abi = ACL_TRACE_ABI,
	.size = sizeof(provider),
	.switches = functions,
	.enter = enter,
	.leave = leave,
	.answer = answer,
	.said = said,
	.callback = callback_emit,
	.finding = finding_emit,
	.describe = self_remember,
	.before_fork = before_fork,
	.after_fork_parent = after_fork_parent,
	.after_fork_child = after_fork_child,
};

const struct acl_trace_provider *acl_trace_provider(const struct acl_trace_host *host, const char **why);

__attribute__((visibility("default"))) const struct acl_trace_provider *acl_trace_provider(
	const struct acl_trace_host *host, const char **why)
{
	if (host->abi != ACL_TRACE_ABI || host->size != sizeof(*host) || host->n_apis != ACL_API_COUNT) {
		*why = ACL_TRACE_LIBRARY " is of another build than libaclcheck.so";
		return NULL;
	}
	trace_host = host;
	if (!trace_events_start()) {
		*why = "LTTng's tracer is not linked";
		return NULL;
	}
	minimal = host->minimal();
	find_functions(minimal ? trace_minimal_units : trace_units);
	fork_is_handled = dlopen("liblttng-ust-fork.so.1", RTLD_LAZY | RTLD_NOLOAD) != NULL;
	return &provider;
}
