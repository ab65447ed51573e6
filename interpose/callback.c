/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callbacks by trampoline, in two forms.
 *
 * A launch (a host function on a stream) runs once, or at every execution of
 * the model that captured it.  Its user data is replaced by a record of the
 * launch, its function by launch_run().
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
#include "interpose/callback.h"
#include "interpose/core.h"
#include "interpose/thread.h"

#define ARGS_MAX 64
#define SLAB 256
#define SLABS 4096
#define STAND_INS 256

typedef uint64_t (*any_fn)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

/* One launch. Records are type-stable: a late invocation finds a record, never foreign memory. */
struct launch {
	_Atomic uint32_t next; /* in the list it stands in */
	uint32_t index;
	bool captured; /* may run any number of times */
	any_fn fn;
	void *user_data;
	struct acl_event event; /* of the launching call */
	char args[ARGS_MAX];
};

static _Atomic(struct launch *) slabs[SLABS];
static _Atomic uint32_t n_launches = 1; /* 0 = end of a list */
static _Atomic uint64_t free_head; /* index, and a count above it against ABA */
static _Atomic uint32_t captured_head; /* launches of models that may still live */
static _Atomic uint32_t resting_head; /* of models destroyed, kept for one more round */
static _Atomic int open_captures, living_models;

/* Per function: 1 + index of the callback parameter, and what to do with it. */
static uint8_t parameter[ACL_API_COUNT];
static bool launches[ACL_API_COUNT];

static bool is_capture_call(unsigned api)
{
	return api == ACL_API_aclmdlRICaptureBegin || api == ACL_API_aclmdlRICaptureEnd ||
	       api == ACL_API_aclmdlRIDestroy;
}

bool callback_matters(unsigned api)
{
	return parameter[api] || is_capture_call(api);
}

/*
 * Functions of a user's allocator are left alone: they are asked for memory in
 * the middle of other calls, run no stream's work, and are handed back to the
 * program by aclrtAllocatorGetByStream.
 */
void callback_learn(void)
{
	launches[ACL_API_aclrtLaunchCallback] = launches[ACL_API_aclrtLaunchHostFunc] = true;
	for (unsigned api = 0; api < acl_api_count; api++) {
		for (unsigned i = 0; i < acl_apis[api].n_params; i++) {
			const struct acl_param *p = &acl_apis[api].params[i];

			if (p->kind == ACL_KIND_CALLBACK && p->dir == ACL_DIR_IN &&
				strncmp(p->type, "aclrtAllocator", 14))
				parameter[api] = (uint8_t)(i + 1);
		}
	}
}

static void callback_begin(struct acl_callback_frame *f, struct acl_event *ev, uint64_t argument)
{
	const struct acl_trace_provider *p = atomic_load_explicit(&acl_core.trace, memory_order_acquire);
	struct acl_thread *t = &acl_thread;
	int saved = errno;

	if (t->callback && !mark_is_live(t->callback, f))
		t->callback = NULL;
	f->up = t->callback;
	f->call = t->frame;
	f->depth = f->up ? f->up->depth + 1 : 1;
	t->callback = f;
	t->frame = NULL;
	ev->tid = thread_tid(t);
	ev->pthread_id = t->self;
	ev->callback_depth = f->depth;
	if (tool_begin(t, f)) {
		if (acl_core.checks)
			checks_callback(acl_core.checks, ev, (const void *)(uintptr_t)argument, true);
		if (p && p->callback)
			p->callback(ev, true);
		tool_end(t);
	}
	errno = saved;
}

static void callback_end(struct acl_callback_frame *f, struct acl_event *ev, uint64_t argument)
{
	const struct acl_trace_provider *p = atomic_load_explicit(&acl_core.trace, memory_order_acquire);
	struct acl_thread *t = &acl_thread;
	int saved = errno;

	if (tool_begin(t, f)) {
		if (p && p->callback)
			p->callback(ev, false);
		if (acl_core.checks)
			checks_callback(acl_core.checks, ev, (const void *)(uintptr_t)argument, false);
		tool_end(t);
	}
	t->callback = f->up;
	t->frame = f->call;
	errno = saved;
}

static struct launch *launch_at(uint32_t index)
{
	struct launch *slab = atomic_load_explicit(&slabs[index / SLAB], memory_order_acquire);

	return &slab[index % SLAB];
}

static struct launch *launch_reuse(void)
{
	uint64_t head = atomic_load_explicit(&free_head, memory_order_acquire), next;
	struct launch *l;

	do {
		if (!(uint32_t)head)
			return NULL;
		l = launch_at((uint32_t)head);
		next = ((head >> 32) + 1) << 32 | atomic_load_explicit(&l->next, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(
		&free_head, &head, next, memory_order_acq_rel, memory_order_acquire));
	return l;
}

static void launch_free(struct launch *l)
{
	uint64_t head = atomic_load_explicit(&free_head, memory_order_relaxed), next;

	do {
		atomic_store_explicit(&l->next, (uint32_t)head, memory_order_relaxed);
		next = ((head >> 32) + 1) << 32 | l->index;
	} while (!atomic_compare_exchange_weak_explicit(
		&free_head, &head, next, memory_order_acq_rel, memory_order_relaxed));
}

static struct launch *launch_new(void)
{
	struct launch *l = launch_reuse(), *slab, *none = NULL;
	uint32_t index;

	if (l)
		return l;
	index = atomic_fetch_add(&n_launches, 1);
	if (index >= SLAB * SLABS) {
		atomic_fetch_sub(&n_launches, 1);
		return NULL;
	}
	if (!atomic_load_explicit(&slabs[index / SLAB], memory_order_acquire)) {
		slab = arena_alloc(SLAB * sizeof(*slab));
		if (!slab)
			return NULL;
		atomic_compare_exchange_strong(&slabs[index / SLAB], &none, slab);
	}
	l = launch_at(index);
	l->index = index;
	return l;
}

static void launch_keep(struct launch *l)
{
	uint32_t head = atomic_load(&captured_head);

	do {
		atomic_store_explicit(&l->next, head, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak(&captured_head, &head, l->index));
}

/*
 * The last model is gone.  An execution of it may still be under way, so its
 * launches rest until the last model of the next round is gone as well.
 */
static void launches_rest(void)
{
	uint32_t index = atomic_exchange(&resting_head, atomic_exchange(&captured_head, 0));

	while (index) {
		struct launch *l = launch_at(index);

		index = atomic_load_explicit(&l->next, memory_order_relaxed);
		launch_free(l);
	}
}

/* Stands in for a launched function; data is its record. */
static void launch_run(void *data)
{
	struct launch *l = data;
	struct acl_callback_frame frame;
	struct acl_event ev = l->event;
	any_fn fn = l->fn;
	uint64_t user_data = (uintptr_t)l->user_data;
	char args[ARGS_MAX];

	memcpy(args, l->args, sizeof(args));
	ev.args = args;
	if (!l->captured)
		launch_free(l);
	callback_begin(&frame, &ev, user_data);
	fn(user_data, 0, 0, 0, 0, 0);
	callback_end(&frame, &ev, user_data);
}

/* Functions of the program that are registered somewhere, in the order they came. */
static struct {
	_Atomic(any_fn) fn;
	_Atomic uint32_t api; /* the function that registered it last */
} registered[STAND_INS];

static uint64_t registered_run(
	unsigned i, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
	struct acl_callback_frame frame;
	any_fn fn = atomic_load_explicit(&registered[i].fn, memory_order_acquire);
	struct acl_event ev;
	uint64_t result;

	acl_event_init(
		&ev, atomic_load_explicit(&registered[i].api, memory_order_relaxed), NULL, (uintptr_t)fn);
	ev.pid = acl_core.pid;
	callback_begin(&frame, &ev, a);
	result = fn(a, b, c, d, e, f);
	callback_end(&frame, &ev, a);
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

static const any_fn stand_ins[STAND_INS] = {ALL_ROWS(NAME_IN)};

/* The function's stand-in, made if need be; NULL when there are no more: then it runs unseen. */
static any_fn stand_in_of(any_fn fn, unsigned api)
{
	for (unsigned i = 0; i < STAND_INS; i++) {
		any_fn there = NULL;

		if (atomic_compare_exchange_strong(&registered[i].fn, &there, fn) || there == fn) {
			atomic_store_explicit(&registered[i].api, api, memory_order_relaxed);
			return stand_ins[i];
		}
	}
	return NULL;
}

static void swap_launch(struct acl_call *call, const struct acl_param *p, any_fn *fn, void **user_data)
{
	unsigned api = call->event.api;
	struct launch *l =
		p->user_data == ACL_NONE || acl_apis[api].args_size > ARGS_MAX ? NULL : launch_new();

	if (!l)
		return;
	l->fn = *fn;
	l->user_data = *user_data;
	l->event = call->event;
	memcpy(l->args, call->event.args, acl_apis[api].args_size);
	l->captured = call->callback_captured = atomic_load(&open_captures) > 0;
	call->callback = l;
	call->callback_data = *user_data;
	*fn = (any_fn)(void (*)(void))launch_run;
	*user_data = l;
}

void callback_swap(struct acl_call *call, void *args)
{
	unsigned api = call->event.api, slot = parameter[api];
	const struct acl_param *p;
	void **user_data = NULL;
	any_fn *fn, other;

	call->callback = NULL;
	call->callback_fn = NULL;
	if (!slot)
		return;
	p = &acl_apis[api].params[slot - 1];
	fn = (any_fn *)((char *)args + p->offset);
	if (!*fn)
		return;
	call->callback_fn = (void (*)(void)) * fn;
	if (p->user_data != ACL_NONE)
		user_data = (void **)((char *)args + acl_apis[api].params[p->user_data].offset);
	if (launches[api]) {
		swap_launch(call, p, fn, user_data);
		return;
	}
	other = stand_in_of(*fn, api);
	if (other)
		*fn = other;
}

static void count_models(const struct acl_call *call)
{
	if (call->event.result.i)
		return;
	switch (call->event.api) {
	case ACL_API_aclmdlRICaptureBegin:
		atomic_fetch_add(&open_captures, 1);
		break;
	case ACL_API_aclmdlRICaptureEnd:
		atomic_fetch_add(&living_models, 1);
		atomic_fetch_sub(&open_captures, 1);
		break;
	default:
		if (atomic_fetch_sub(&living_models, 1) == 1 && !atomic_load(&open_captures))
			launches_rest();
	}
}

void callback_settle(struct acl_call *call)
{
	unsigned api = call->event.api;
	struct launch *l = call->callback;
	const struct acl_param *p;
	char *args = (char *)call->event.args;

	if (is_capture_call(api))
		count_models(call);
	if (!call->callback_fn)
		return;
	p = &acl_apis[api].params[parameter[api] - 1];
	memcpy(args + p->offset, &call->callback_fn, sizeof(call->callback_fn));
	if (!l)
		return;
	/* The launch may have run and its record may serve another one by now: only its own copy is safe. */
	memcpy(args + acl_apis[api].params[p->user_data].offset, &call->callback_data,
		sizeof(call->callback_data));
	if (call->event.result.i)
		launch_free(l);
	else if (call->callback_captured)
		launch_keep(l);
}
