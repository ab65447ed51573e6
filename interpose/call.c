/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call on its way: judged, traced, forwarded, judged again.  No lock,
 * allocation, clock or formatting here.
 */
#include "interpose/call.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "aclcheck/model.h"
#include "interpose/callback.h"
#include "interpose/core.h"
#include "interpose/cost.h"
#include "interpose/dl.h"
#include "interpose/lastcalls.h"
#include "interpose/reach.h"
#include "interpose/real.h"
#include "interpose/sink.h"
#include "interpose/thread.h"

#define COLD __attribute__((cold, noinline))

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline bool from_runtime(uint64_t caller)
{
	uint32_t n = atomic_load_explicit(&acl_core.n_runtime, memory_order_acquire);

	for (uint32_t i = 0; i < n; i++) {
		if (caller >= atomic_load_explicit(&acl_core.runtime[i].start, memory_order_relaxed) &&
			caller < atomic_load_explicit(&acl_core.runtime[i].end, memory_order_relaxed))
			return true;
	}
	return false;
}

static inline enum acl_path path_of(const struct acl_thread *t, unsigned api, uint64_t caller)
{
	if (t->frame || from_runtime(caller))
		return ACL_PATH_INSIDE;
	return dl_was_fetched(api, caller) ? ACL_PATH_DLSYM : ACL_PATH_LINKED;
}

/* Forgets frames that were left by longjmp or an exception. */
static inline void drop_left_frames(struct acl_thread *t, const struct acl_call *call)
{
	if (t->frame && !mark_is_live(t->frame, call))
		t->frame = NULL;
	if (t->callback && !mark_is_live(t->callback, call))
		t->callback = NULL;
}

/* What ends the runtime's life is judged differently when a framework does it on the way out. */
static bool ends_runtime(unsigned api)
{
	return api == ACL_API_aclFinalize || api == ACL_API_aclFinalizeReference ||
	       api == ACL_API_aclrtResetDevice || api == ACL_API_aclrtResetDeviceForce;
}

static COLD void ask_exiting(struct acl_event *ev)
{
	enum acl_exiting now = exiting_now(ev->caller);

	ev->in_exit = now != EXITING_NOT;
	ev->in_exit_handlers = now == EXITING_PROCESS;
}

static inline __attribute__((always_inline)) void fill(
	struct acl_call *call, struct acl_thread *t, unsigned api, void *args, void *caller)
{
	struct acl_event *ev = &call->event;

	acl_event_init(ev, api, args, (uintptr_t)caller);
	ev->path = path_of(t, api, ev->caller);
	ev->callback_depth = t->callback ? t->callback->depth : 0;
	ev->in_exit = ev->in_exit_handlers = atomic_load_explicit(&acl_core.in_exit, memory_order_relaxed);
	if (unlikely(!ev->in_exit && ends_runtime(api)))
		ask_exiting(ev);
	ev->pid = acl_core.pid;
	ev->tid = thread_tid(t);
	ev->pthread_id = t->self;
	ev->thread = t->checks_thread;
}

static inline __attribute__((always_inline)) void enter(
	struct acl_call *call, struct acl_thread *t, uint32_t state)
{
	const struct acl_trace_provider *p = NULL;
	struct acl_event *ev = &call->event;

	call->checked = (state & (ACL_STATE_CHECK | ACL_STATE_FIRST)) && ev->path != ACL_PATH_INSIDE;
	call->traced = false;
	if (unlikely(state & ACL_STATE_TRACE))
		p = atomic_load_explicit(&acl_core.trace, memory_order_acquire);
	if (unlikely(p)) {
		call->traced = !p->enabled || p->enabled(ev->api);
		if (call->traced && acl_core.trace_time)
			ev->time = now();
	}
	if (likely(call->checked)) {
		checks_enter(acl_core.checks, ev);
		t->checks_thread = ev->thread;
	}
	if (unlikely(call->traced) && p->enter)
		p->enter(ev);
}

static inline void leave(struct acl_call *call)
{
	const struct acl_trace_provider *p;
	struct acl_event *ev = &call->event;

	if (likely(call->checked))
		checks_leave(acl_core.checks, ev);
	if (unlikely(call->traced)) {
		p = atomic_load_explicit(&acl_core.trace, memory_order_acquire);
		if (acl_core.trace_time)
			ev->time_exit = now();
		if (p->leave)
			p->leave(ev);
	}
}

static COLD void say_no_runtime(void)
{
	static atomic_bool said;

	if (atomic_exchange(&said, true))
		return;
	core_say("no AscendCL runtime found (libascendcl.so, ACLCHECK_RUNTIME): calls fail, nothing is "
		 "checked",
		"");
	sink_inconclusive("no-runtime", "no AscendCL runtime was found");
}

/* The runtime lacks the function: the wrapper answers as documented, and the finding says so. */
static COLD void call_missing(
	struct acl_call *call, struct acl_thread *t, unsigned api, void *args, void *caller, uint32_t state)
{
	if (!real_known()) {
		say_no_runtime();
		return;
	}
	fill(call, t, api, args, caller);
	call->event.forwarded = false;
	call->event.missing = true;
	if (acl_apis[api].ret_kind == ACL_KIND_ERROR)
		call->event.result.i = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
	if (acl_core.checks)
		state |= ACL_STATE_CHECK;
	enter(call, t, state);
	leave(call);
}

/* A thread's errno stays where it is: asking costs a call. */
static inline int *errno_at(const struct acl_thread *t)
{
	return likely(t->errno_at) ? t->errno_at : &errno;
}

/* First call of the process or of a function that was not found yet; its new state. */
static COLD uint32_t cold_state(unsigned api)
{
	if (atomic_load_explicit(&acl_core.stage, memory_order_acquire) < CORE_AWAKE && !core_wake()) {
		real_find(api);
		return 0;
	}
	if (!__atomic_load_n(&acl_real[api], __ATOMIC_ACQUIRE) && real_find(api))
		state_settle(api);
	return __atomic_load_n(&acl_state[api], __ATOMIC_ACQUIRE);
}

/*
 * The tool itself is at work on this thread (a signal handler, or a library we
 * are just opening, makes the call), or the process is past its end record.
 */
static COLD bool call_unseen(unsigned api)
{
	if (!__atomic_load_n(&acl_real[api], __ATOMIC_ACQUIRE))
		real_find(api);
	atomic_fetch_add_explicit(&acl_core.unseen, 1, memory_order_relaxed);
	return false;
}

bool acl_call_enter(struct acl_call *call, unsigned api, void *args, void *caller)
{
	uint32_t state =
		__atomic_load_n(&acl_state[api], __ATOMIC_ACQUIRE); /* before the wrapper reads acl_real */
	struct acl_thread *t = &acl_thread;
	int *error, saved;
	bool seen = false;
	uint64_t began = 0;

	/* Memory is far: the sooner it is asked for, the better. */
	if (state & ACL_STATE_FORESEE)
		checks_foresee(acl_core.checks, args);
	error = errno_at(t);
	saved = *error;

	if (unlikely(!tool_begin(t, call))) {
		call_unseen(api);
		goto end;
	}
	if (unlikely(state & ACL_STATE_COUNT) && unlikely(t->calls_to_sample-- == 0))
		began = cost_begin(t);
	if (unlikely(state & ACL_STATE_UNRESOLVED))
		state = cold_state(api);
	drop_left_frames(t, call);
	if (unlikely(atomic_load_explicit(&acl_core.stage, memory_order_acquire) != CORE_AWAKE)) {
		call_unseen(api);
	} else if (unlikely(state & ACL_STATE_UNRESOLVED)) {
		call_missing(call, t, api, args, caller, state);
	} else if (likely(state)) {
		fill(call, t, api, args, caller);
		call->counted = state & ACL_STATE_COUNT;
		if (unlikely(call->counted))
			reach_count(&call->event);
		enter(call, t, state);
		call->number = unlikely(call->counted) && call->event.path != ACL_PATH_INSIDE
				       ? lastcalls_enter(&call->event)
				       : 0;
		if (unlikely(state & ACL_STATE_FIRST))
			__atomic_and_fetch(&acl_state[api], ~(uint32_t)ACL_STATE_FIRST, __ATOMIC_RELAXED);
		call->swapped = state & ACL_STATE_CALLBACK;
		if (unlikely(call->swapped))
			callback_swap(call, args);
		call->frame = t->frame;
		t->frame = call;
		seen = true;
		if (unlikely(call->counted))
			call->cost = unlikely(began) ? cost_now() - began : 0;
	}
	tool_end(t);
end:
	*error = saved;
	return seen;
}

void acl_call_leave(struct acl_call *call)
{
	struct acl_thread *t = &acl_thread;
	int *error = errno_at(t), saved = *error;
	uint64_t began = unlikely(call->counted) && unlikely(call->cost) ? cost_now() : 0;

	t->frame = call->frame;
	if (likely(tool_begin(t, call))) {
		if (unlikely(call->swapped))
			callback_settle(call);
		leave(call);
		if (unlikely(call->counted))
			lastcalls_leave(&call->event, call->number);
		if (unlikely(call->event.api == ACL_API_aclInit && !call->event.result.i))
			version_ask();
		if (unlikely(began))
			cost_sample(call->cost + cost_now() - began);
		tool_end(t);
	}
	*error = saved;
}
