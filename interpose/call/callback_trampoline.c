/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callbacks by trampoline, in two forms.
 *
 * A launch (a host function on a stream) runs once, or at every execution of
 * the model that recorded it.  Its user data is replaced by a record of the
 * launch (launch_record.h), its function by launch_run().  Where it is not known
 * which of the two it is, it gets a stand-in as a registration does.
 *
 * A registration (exception, device state …) is undone by naming the function
 * again, so every function of the program has one stand-in of its own for the
 * process' life; user data goes through untouched.
 *
 * All callbacks of the interface take at most six integers or pointers and
 * return at most one: on x86-64 and AArch64 those travel in registers that a
 * caller of a shorter type leaves alone, so one shape serves all.
 */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "aclcheck/model.h"
#include "interpose/call/callback_trampoline.h"
#include "interpose/call/launch_record.h"
#include "interpose/process/process_state.h"
#include "interpose/report/trace_sink.h"
#include "interpose/runtime/callback_functions.h"
#include "interpose/stack/tool_stack.h"
#include "interpose/common/thread_state.h"

#define STAND_INS 256

/* The program records tasks into models, and no checker says which calls those are. */
static atomic_bool recording_seen;

struct passage {
	struct acl_call_record *outer;
	uint64_t argument;
	bool begins;
	const struct checks_callback_place *place;
	uint64_t launch; /* acl_mark() of the call, 1 = none, 0 = not known */
};

static void see_passage(void *passage)
{
	const struct passage *c = passage;
	const struct acl_trace_provider *p = trace_provider();
	bool traced = p && p->callback;

	if (traced && !c->begins)
		p->callback(c->outer, c->argument, c->launch, false);
	if (acl_process.checks && c->begins)
		checks_callback_begins(acl_process.checks, c->place);
	if (acl_process.checks)
		checks_callback(
			acl_process.checks, c->outer, (const void *)(uintptr_t)c->argument, c->begins);
	if (traced && c->begins)
		p->callback(c->outer, c->argument, c->launch, true);
}

/* Whose callback it is. */
struct origin {
	unsigned api;
	uint64_t caller;
	uint64_t argument; /* the first of the callback */
	struct checks_callback_place place; /* of one that was launched */
	uint64_t launch; /* as in struct passage */
	struct acl_call_thread by; /* the thread it began on */
};

/*
 * A callback begins or ends; the runtime's threads may have small stacks, too. The
 * record is here and not in the caller's frame, which stays as long as the callback runs.
 */
static __attribute__((noinline)) void pass(
	struct acl_thread *t, const struct acl_callback_frame *f, const struct origin *of, bool begins)
{
	struct acl_call_record outer;
	struct passage c = {&outer, of->argument, begins, &of->place, of->launch};

	acl_call_record_begin(&outer, of->api, NULL, of->caller, &of->by);
	outer.callback_depth = f->depth;
	if (thread_has_room(t, &c))
		see_passage(&c);
	else
		tool_stack_run(see_passage, &c);
}

static void callback_begin(struct acl_callback_frame *f, struct origin *of)
{
	struct acl_thread *t = thread_self();
	int saved = errno;

	if (t->callback && !mark_is_live(t->callback, f))
		t->callback = NULL;
	f->up = t->callback;
	f->call = t->frame;
	f->depth = f->up ? f->up->depth + 1 : 1;
	t->callback = f;
	t->frame = NULL;
	process_thread(t);
	of->by = t->ids;
	if (tool_begin(t, f)) {
		pass(t, f, of, true);
		tool_end(t);
	} else if (acl_process.checks) {
		of->place.position = 0;
		checks_callback_begins(acl_process.checks, &of->place);
	}
	errno = saved;
}

static void callback_end(struct acl_callback_frame *f, const struct origin *of)
{
	struct acl_thread *t = thread_self();
	int saved = errno;

	if (tool_begin(t, f)) {
		pass(t, f, of, false);
		tool_end(t);
	}
	t->callback = f->up;
	t->frame = f->call;
	errno = saved;
}

/* Stands in for a launched function; data is its record. */
static void launch_run(void *data)
{
	struct launch *l = data;
	struct acl_callback_frame frame;
	callback_fn fn = l->fn;
	struct origin of = {.api = l->api,
		.caller = l->caller,
		.argument = (uintptr_t)l->user_data,
		.place = l->place,
		.launch = l->mark};

	launch_runs(l); /* the record may serve another launch from here on */
	callback_begin(&frame, &of);
	fn(of.argument, 0, 0, 0, 0, 0);
	callback_end(&frame, &of);
}

/* Functions of the program that are registered somewhere, in the order they came. */
static struct {
	_Atomic(callback_fn) fn;
	_Atomic uint32_t api; /* the function that registered it last */
} registered[STAND_INS];

static uint64_t registered_run(
	unsigned i, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
	struct acl_callback_frame frame;
	callback_fn fn = atomic_load_explicit(&registered[i].fn, memory_order_acquire);
	struct origin of = {.api = atomic_load_explicit(&registered[i].api, memory_order_relaxed),
		.caller = (uintptr_t)fn,
		.argument = a};
	uint64_t result;

	of.launch = !callback_is_launch[of.api];
	callback_begin(&frame, &of);
	result = fn(a, b, c, d, e, f);
	callback_end(&frame, &of);
	return result;
}

#define STAND_IN(i)                                                                                          \
	static uint64_t stand_in_##i(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f) \
	{                                                                                                    \
		return registered_run(0x##i, a, b, c, d, e, f);                                              \
	}
#define NAME_IN(i) stand_in_##i,
/* clang-format off */
#define ROW(X, h)                                                                                           \
	X(h##0) X(h##1) X(h##2) X(h##3) X(h##4) X(h##5) X(h##6) X(h##7) X(h##8) X(h##9) X(h##a)   \
		X(h##b) X(h##c) X(h##d) X(h##e) X(h##f)
#define ALL_ROWS(X)                                                                                         \
	ROW(X, 0) ROW(X, 1) ROW(X, 2) ROW(X, 3) ROW(X, 4) ROW(X, 5) ROW(X, 6) ROW(X, 7) ROW(X, 8)   \
	ROW(X, 9) ROW(X, a) ROW(X, b) ROW(X, c) ROW(X, d) ROW(X, e) ROW(X, f)
/* clang-format on */

ALL_ROWS(STAND_IN)

static const callback_fn stand_ins[STAND_INS] = {ALL_ROWS(NAME_IN)};

/* The function's stand-in, made if need be; NULL when there are no more: then it runs unseen. */
static callback_fn stand_in_of(callback_fn fn, unsigned api)
{
	for (unsigned i = 0; i < STAND_INS; i++) {
		callback_fn there = NULL;

		if (atomic_compare_exchange_strong(&registered[i].fn, &there, fn) || there == fn) {
			atomic_store_explicit(&registered[i].api, api, memory_order_relaxed);
			return stand_ins[i];
		}
	}
	return NULL;
}

/* Which model the launch becomes a task of. */
static uint64_t model_of(const struct acl_call *call)
{
	if (call->checked)
		return checks_task_model(acl_process.checks, &call->event);
	return atomic_load_explicit(&recording_seen, memory_order_relaxed) ? CHECKS_MODEL_UNKNOWN
									   : CHECKS_RUNS_ONCE;
}

/* False: not to be told how often it will run, or no memory. */
static bool swap_launch(struct acl_call *call, callback_fn *fn, void **user_data)
{
	uint64_t model = user_data ? model_of(call) : CHECKS_MODEL_UNKNOWN;
	struct launch *l = model == CHECKS_MODEL_UNKNOWN ? NULL : launch_new();

	if (!l)
		return false;
	l->fn = *fn;
	l->user_data = *user_data;
	l->api = call->event.api;
	l->caller = call->event.caller;
	l->model = model;
	l->mark = call->event.number ? acl_mark(call->event.tid, call->event.number, false) : 1;
	l->place = call->checked ? checks_callback_follow(acl_process.checks, &call->event)
				 : (struct checks_callback_place){0, 0};
	call->callback = l;
	call->callback_recorded = model != CHECKS_RUNS_ONCE;
	call->callback_data = *user_data;
	*fn = (callback_fn)(void (*)(void))launch_run;
	*user_data = l;
	return true;
}

/* What the runtime launches itself, inside another call, is none of the program's callbacks. */
void callback_swap(struct acl_call *call, void *args)
{
	unsigned api = call->event.api, slot = callback_parameter[api];
	const struct acl_param *p;
	void **user_data = NULL;
	callback_fn *fn, other;

	call->callback = NULL;
	call->callback_fn = NULL;
	if (begins_recording(api))
		atomic_store_explicit(&recording_seen, true, memory_order_relaxed);
	if (!slot || (callback_is_launch[api] && call->event.path == ACL_PATH_INSIDE))
		return;
	p = &acl_params(&acl_apis[api])[slot - 1];
	fn = (callback_fn *)((char *)args + p->offset);
	if (!*fn)
		return;
	call->callback_fn = (void (*)(void)) * fn;
	if (p->user_data != ACL_NONE)
		user_data = (void **)((char *)args + acl_params(&acl_apis[api])[p->user_data].offset);
	if (callback_is_launch[api] && swap_launch(call, fn, user_data))
		return;
	other = stand_in_of(*fn, api);
	if (other)
		*fn = other;
}

void callback_settle(struct acl_call *call)
{
	unsigned api = call->event.api;
	struct launch *l = call->callback;
	const struct acl_param *p;
	char *args = (char *)call->event.args;

	if (!call->callback_fn)
		return;
	p = &acl_params(&acl_apis[api])[callback_parameter[api] - 1];
	memcpy(args + p->offset, &call->callback_fn, sizeof(call->callback_fn));
	if (!l)
		return;
	/* The launch may have run and its record may serve another one by now: only its own copy is safe. */
	memcpy(args + acl_params(&acl_apis[api])[p->user_data].offset, &call->callback_data,
		sizeof(call->callback_data));
	if (call->event.result.i)
		launch_refused(l);
	else if (call->callback_recorded)
		launch_recorded(l);
}
