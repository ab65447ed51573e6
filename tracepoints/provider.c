/* SPDX-License-Identifier: Apache-2.0 */
/* libaclcheck-lttng.so: the trace provider behind the seam of interpose/report/trace_provider.h. */
#include <dlfcn.h>
#include <lttng/ust-fork.h>
#include <signal.h>
#include <time.h>

#include "acl_api.h"
#include "trace/units.h"
#include "tracepoints/provider.h"

const struct acl_trace_host *trace_host;

static struct trace_function functions[ACL_API_COUNT];

/* --- calls -------------------------------------------------------------- */

static bool is_on(const int *state)
{
	return __builtin_expect(*(const volatile int *)state, 0);
}

static bool enabled(unsigned api)
{
	const struct trace_function *t = &functions[api];

	return is_on(t->enter_on) || is_on(t->leave_on) || is_on(t->call_on);
}

/* The clock of LTTng-UST, so that a start time can be compared with the trace's timestamps. */
static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Readers find the lines of the program that call. */
static void describe_caller(struct acl_call_record *ev)
{
	const struct acl_module *m;

	if (!self_module_wanted())
		return;
	m = ev->module || !ev->caller ? NULL : trace_host->module_of(ev->caller);
	if (m)
		ev->module = m->id;
	if (ev->module)
		self_module(ev->module);
}

static void describe_references(struct acl_call_record *ev)
{
	self_describe();
	describe_caller(ev);
	if (ev->stack)
		self_stack(ev->stack);
}

static void enter(struct acl_call_record *ev)
{
	const struct trace_function *t = &functions[ev->api];

	if (is_on(t->enter_on)) {
		describe_references(ev);
		t->enter(ev);
	}
	if (is_on(t->call_on) && !ev->time)
		ev->time = now();
}

static void leave(struct acl_call_record *ev)
{
	const struct trace_function *t = &functions[ev->api];

	if (is_on(t->leave_on)) {
		if (ev->stack)
			self_stack(ev->stack);
		t->leave(ev);
	}
	/* Recording that began in the middle of the call does not know when it started. */
	if (is_on(t->call_on) && ev->time) {
		describe_references(ev);
		t->call(ev);
	}
}

/* --- fork --------------------------------------------------------------- */

/* The user preloaded LTTng's own fork helper: it does all this, and doing it twice deadlocks. */
static bool fork_is_handled;
static sigset_t signals; /* of the forking thread; LTTng's locks keep others out in between */

static void before_fork(void)
{
	if (!fork_is_handled)
		lttng_ust_before_fork(&signals);
}

static void after_fork_parent(void)
{
	if (!fork_is_handled)
		lttng_ust_after_fork_parent(&signals);
}

static void after_fork_child(void)
{
	if (!fork_is_handled)
		lttng_ust_after_fork_child(&signals);
	self_forked();
}

/* --- the seam ----------------------------------------------------------- */

static const struct acl_trace_provider provider = {
	.abi = ACL_TRACE_ABI,
	.size = sizeof(provider),
	.enabled = enabled,
	.enter = enter,
	.leave = leave,
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
#define FILL(name) trace_unit_##name(functions);
	TRACE_UNITS(FILL)
	fork_is_handled = dlopen("liblttng-ust-fork.so.1", RTLD_LAZY | RTLD_NOLOAD) != NULL;
	return &provider;
}
