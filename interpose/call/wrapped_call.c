/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call on its way: checked, traced, forwarded, checked again.  No lock,
 * allocation, clock or formatting here.
 */
#include "interpose/call/wrapped_call.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "aclcheck/model.h"
#include "interpose/process/exit_detection.h"
#include "interpose/process/runtime_version.h"
#include "interpose/process/start.h"
#include "interpose/process/process_state.h"
#include "interpose/report/verdict.h"
#include "interpose/report/trace_sink.h"
#include "interpose/runtime/function_table.h"
#include "interpose/report/log.h"
#include "interpose/common/compiler.h"
#include "interpose/call/callback_trampoline.h"
#include "interpose/process/fault_injection.h"
#include "interpose/report/tool_cost.h"
#include "interpose/runtime/dlsym_hook.h"
#include "interpose/report/last_calls.h"
#include "interpose/report/call_coverage.h"
#include "interpose/runtime/real_function.h"
#include "interpose/report/sinks.h"
#include "interpose/stack/stack_memory.h"
#include "interpose/stack/tool_stack.h"
#include "interpose/common/thread_state.h"
#include "interpose/config/run_settings.h"
#include "interpose/symbolize/caller_site.h"
#include "interpose/symbolize/python_frames.h"
#include "interpose/symbolize/stack_site.h"

#define COLD __attribute__((cold, noinline))

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline enum acl_path path_of(const struct acl_thread *t, unsigned api, uint64_t caller)
{
	if (t->frame || is_runtime_code(caller))
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

static void ask_exiting(void *event)
{
	struct acl_call_record *ev = event;
	enum acl_exiting now = exiting_now(ev->caller);

	ev->in_exit = now != EXITING_NOT;
	ev->in_exit_handlers = now == EXITING_PROCESS;
}

static inline __attribute__((always_inline)) void call_fill(
	struct acl_call *call, struct acl_thread *t, unsigned api, void *args, void *caller)
{
	struct acl_call_record *ev = &call->event;

	call->seen_by = 0;
	process_thread(t);
	acl_call_record_begin(ev, api, args, (uintptr_t)caller, &t->ids);
	ev->path = path_of(t, api, ev->caller);
	ev->callback_depth = t->callback ? t->callback->depth : 0;
	ev->in_exit = ev->in_exit_handlers = atomic_load_explicit(&acl_process.in_exit, memory_order_relaxed);
	if (unlikely(!ev->in_exit && ends_runtime(api)))
		tool_stack_run(ask_exiting, ev);
}

/* Checked, and what the checks ask meanwhile is recorded. */
static __attribute__((noinline)) void check_recorded(struct acl_call_record *ev, bool at_leave)
{
	struct acl_thread *t = thread_self();

	checks_order(acl_process.checks, ev, at_leave);
	t->asking = ev;
	t->asking_at_leave = at_leave;
	t->answer_bytes = 0;
	(at_leave ? checks_leave : checks_enter)(acl_process.checks, ev);
	t->asking = NULL;
}

/* A recording has addresses, and stacks beside them: sites are both (stack_site.h). */
static __attribute__((noinline)) void record_address(
	struct acl_call_record *ev, void (*emit)(struct acl_call_record *ev))
{
	uint64_t site = ev->caller;
	uint32_t stack = ev->stack;

	ev->caller = stack_site_address(site);
	if (!stack)
		ev->stack = stack_site_stack(site);
	emit(ev);
	ev->caller = site;
	ev->stack = stack;
}

/* Of calls from Python code that the checks need no site of: their lines are for the recording alone. */
static __attribute__((noinline)) void record_python(
	struct acl_call_record *ev, void (*emit)(struct acl_call_record *ev))
{
	uint64_t site = caller_site_take(ev->caller, false);

	ev->stack = is_stack_site(site) ? stack_site_stack(site) : 0;
	emit(ev);
	ev->stack = 0;
}

/* Whether an event that is recorded now has where the call is made. */
static bool place_is_wanted(const struct acl_call_record *ev, bool at_leave)
{
	const struct acl_trace_switches *s = trace_provider()->switches;

	return trace_sink.names_places &&
	       (!s || trace_switch_is_on(at_leave ? &s[ev->api].call_on : &s[ev->api].enter_on));
}

static COLD void look_for_python(uint64_t caller)
{
	int saved = errno;

	if (python_present())
		(void)caller_site_take(caller, true);
	errno = saved;
}

/* Checks take stacks, and so find the interpreter; without them it is found where a device is set up. */
static inline bool runs_python(const struct acl_call *call)
{
	if (unlikely(!call->checked) &&
		acl_apis[call->event.api].classes & (ACL_CLASS_INIT | ACL_CLASS_DEVICE) && !python_was_read())
		look_for_python(call->event.caller);
	return python_runs();
}

static inline void call_trace(struct acl_call *call, void (*emit)(struct acl_call_record *ev), bool at_leave)
{
	struct acl_call_record *ev = &call->event;

	if (unlikely(is_stack_site(ev->caller)))
		record_address(ev, emit);
	else if (unlikely(runs_python(call)) && !ev->stack && place_is_wanted(ev, at_leave))
		record_python(ev, emit);
	else
		emit(ev);
}

static inline void see_enter(struct acl_call *call)
{
	struct acl_call_record *ev = &call->event;

	if (likely(call->checked)) {
		if (unlikely(call->traced))
			check_recorded(ev, false);
		else
			checks_enter(acl_process.checks, ev);
	}
	if (unlikely(call->traced) && trace_provider()->enter)
		call_trace(call, trace_provider()->enter, false);
}

static inline void see_leave(struct acl_call *call)
{
	const struct acl_trace_provider *p;
	struct acl_call_record *ev = &call->event;

	if (likely(call->checked)) {
		if (unlikely(call->traced))
			check_recorded(ev, true);
		else
			checks_leave(acl_process.checks, ev);
	}
	if (unlikely(call->traced)) {
		p = trace_provider();
		if (trace_sink.needs_time)
			ev->time_exit = now();
		if (p->leave)
			call_trace(call, p->leave, true);
	}
}

/* On a small stack, or one that nothing is known of: a coroutine's, a signal handler's. */
static void see_enter_there(void *call)
{
	stack_room_learn((uintptr_t)call);
	see_enter(call);
}

static void see_leave_there(void *call)
{
	see_leave(call);
}

/* The kernel and the checker have said who it is. */
static COLD void know_thread(struct acl_thread *t, const struct acl_call_record *call)
{
	t->ids.thread = call->thread;
	t->coverage = call_coverage_table(call->tid);
	t->ring = last_calls_ring(call->tid);
	t->rare &= ~THREAD_UNKNOWN;
}

/* From now on the record names the stack. */
static COLD void take_site(void *event)
{
	struct acl_call_record *ev = event;

	ev->caller = caller_site_take(ev->caller, settings_stacks_all());
}

static inline bool wants_site(const struct acl_call *call, uint32_t state)
{
	return unlikely(state & ACL_STATE_SITE) && call->checked;
}

static inline void enter_here(struct acl_call *call, uint32_t state)
{
	if (wants_site(call, state))
		take_site(&call->event);
	see_enter(call);
}

static void enter_there(struct acl_call *call, uint32_t state)
{
	if (wants_site(call, state))
		tool_stack_run(take_site, &call->event);
	tool_stack_run(see_enter_there, call);
}

static inline __attribute__((always_inline)) void enter(
	struct acl_call *call, struct acl_thread *t, uint32_t state)
{
	struct acl_call_record *ev = &call->event;

	call->checked = (state & (ACL_STATE_CHECK | ACL_STATE_FIRST)) && ev->path != ACL_PATH_INSIDE;
	call->traced = unlikely(state & ACL_STATE_TRACE) && trace_is_wanted(ev->api);
	if (unlikely(call->traced) && unlikely(atomic_load_explicit(&trace_sink.some, memory_order_relaxed)))
		call->traced = trace_takes();
	if (unlikely(call->traced)) {
		ev->number = ++t->recorded;
		if (trace_sink.needs_time)
			ev->time = now();
	}
	call->no_room = !thread_has_room(t, call);
	if (unlikely(call->no_room))
		enter_there(call, state);
	else
		enter_here(call, state);
	if (unlikely(t->rare & THREAD_UNKNOWN) && (ev->thread || !acl_process.checks))
		know_thread(t, ev);
}

static inline void leave(struct acl_call *call)
{
	if (unlikely(call->no_room))
		tool_stack_run(see_leave_there, call);
	else
		see_leave(call);
}

static COLD void say_no_runtime(void)
{
	static atomic_bool said;

	if (atomic_exchange(&said, true))
		return;
	log_say("no AscendCL runtime found (libascendcl.so, ACLCHECK_RUNTIME): calls fail, nothing is "
		"checked",
		"");
	verdict_inconclusive("no-runtime", "no AscendCL runtime was found");
}

/* The runtime lacks the function: the wrapper answers as documented, and the finding says so. */
static COLD void call_missing(
	struct acl_call *call, struct acl_thread *t, unsigned api, void *args, void *caller, uint32_t state)
{
	if (!real_known()) {
		say_no_runtime();
		return;
	}
	call_fill(call, t, api, args, caller);
	call->event.forwarded = false;
	call->event.missing = true;
	if (acl_apis[api].ret_kind == ACL_KIND_ERROR)
		call->event.result.i = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
	if (acl_process.checks)
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
	if (atomic_load_explicit(&acl_process.stage, memory_order_acquire) < STAGE_ACTIVE &&
		!process_initialize()) {
		real_find(api);
		return 0;
	}
	if (!__atomic_load_n(&acl_real[api], __ATOMIC_ACQUIRE) && real_find(api))
		function_state_settle(api);
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
	atomic_fetch_add_explicit(&acl_process.unseen, 1, memory_order_relaxed);
	return false;
}

/* A code that no rule knows: the checker learns that the call failed, and nothing of why. */
#define FAILED_SOMEHOW (-1)

/* A fault is injected: the call ends here. */
static COLD void answer(struct acl_call *call, int32_t error)
{
	const bool traced = call->traced;

	call->event.result.i = FAILED_SOMEHOW;
	call->traced = false;
	leave(call);
	call->event.result.i = error;
	call->traced = traced;
	call->checked = false;
	leave(call);
	if (call->counted)
		last_calls_leave(&call->last, &call->event);
	call->answered = true;
}

/* Any call, whatever is to be done in it. */
static __attribute__((noinline)) void enter_any(
	struct acl_call *call, unsigned api, void *args, void *caller, uint32_t state)
{
	struct acl_thread *t = thread_self();
	struct fault fault = {0};
	int *error, saved;
	uint64_t began = 0;

	call->thread = NULL;
	call->answered = false;
	call->before.busy = NULL;
	if (unlikely(t->rare & THREAD_ENDING))
		thread_look_again(t);
	error = errno_at(t);
	saved = *error;

	if (unlikely(!tool_begin(t, call))) {
		call_unseen(api);
		goto end;
	}
	if (unlikely(state & ACL_STATE_COUNT) && unlikely(--t->calls_to_sample == 0))
		began = cost_begin(t);
	if (unlikely(state & ACL_STATE_UNRESOLVED))
		state = cold_state(api);
	drop_left_frames(t, call);
	if (unlikely(atomic_load_explicit(&acl_process.stage, memory_order_acquire) == STAGE_FINISHED))
		process_await_exec();
	if (unlikely(atomic_load_explicit(&acl_process.stage, memory_order_acquire) != STAGE_ACTIVE)) {
		call_unseen(api);
	} else if (unlikely(state & ACL_STATE_UNRESOLVED)) {
		call_missing(call, t, api, args, caller, state);
	} else if (likely(state)) {
		call_fill(call, t, api, args, caller);
		call->counted = state & ACL_STATE_COUNT;
		if (unlikely(call->counted))
			call_coverage_count(&call->event);
		if (unlikely(state & ACL_STATE_INJECT))
			fault = fault_of(t, &call->event);
		call->event.forwarded = !fault.error;
		enter(call, t, state);
		if (unlikely(call->counted) && call->event.path != ACL_PATH_INSIDE)
			last_calls_enter(&call->last, last_calls_ring(call->event.tid), &call->event);
		else
			last_calls_none(&call->last);
		if (unlikely(state & ACL_STATE_FIRST))
			__atomic_and_fetch(&acl_state[api], ~(uint32_t)ACL_STATE_FIRST, __ATOMIC_RELAXED);
		if (unlikely(fault.error)) {
			answer(call, fault.error);
			goto done;
		}
		call->special = state & ACL_STATE_SPECIAL;
		call->swapped = state & ACL_STATE_CALLBACK;
		if (unlikely(call->swapped))
			callback_swap(call, args);
		call->before.frame = t->frame;
		t->frame = call;
		call->thread = t;
		call->timed = call->counted && began;
		if (unlikely(call->timed))
			call->cost = cost_now() - began;
	}
done:
	tool_end(t);
	if (unlikely(fault.delay_ns))
		fault_wait(fault.delay_ns);
end:
	*error = saved;
}

/*
 * Most calls: by a thread that is known, in no other call and in no callback, not by the runtime itself, in
 * the middle of the process' life, on a stack that goes on for long.  state: what of it speaks against that.
 */
static inline __attribute__((always_inline)) bool is_plain(
	const struct acl_call *call, const struct acl_thread *t, uint32_t state, uint64_t caller)
{
	return thread_has_room(t, call) &&
	       !((uintptr_t)t->busy | (uintptr_t)t->frame | (uintptr_t)t->callback | t->rare | state) &&
	       !takes_slow_path(caller);
}

static inline void enter_checks(struct acl_call *call)
{
	checks_enter_usual(acl_process.checks, &call->event);
}

/* One of those that are timed, the first of its function, or one whose arguments are not whole words. */
static __attribute__((noinline)) void enter_counted_seldom(struct acl_call *call, struct acl_thread *t)
{
	bool sampled = !t->calls_to_sample;
	uint64_t began = unlikely(sampled) ? cost_begin(t) : 0;

	call_coverage_count(&call->event);
	last_calls_enter(&call->last, t->ring, &call->event);
	enter_checks(call);
	call->timed = began != 0;
	if (call->timed)
		call->cost = cost_now() - began;
}

/* A plain call while a report is written. False: its enter is done. */
static inline __attribute__((always_inline)) bool count_plain(struct acl_call *call, struct acl_thread *t)
{
	unsigned api = call->event.api;
	uint32_t what = last_calls_plain(api);

	call->counted = true;
	if (unlikely(--t->calls_to_sample == 0) || unlikely(!what) ||
		unlikely(!call_coverage_count_again(t->coverage, api))) {
		enter_counted_seldom(call, t);
		return false;
	}
	last_calls_enter_plain(&call->last, t->ring, &call->event, what);
	return true;
}

static __attribute__((noinline)) void enter_counted(struct acl_call *call, struct acl_thread *t)
{
	if (count_plain(call, t))
		enter_checks(call);
}

/* Memory is far: the sooner it is asked for, the better. */
static inline void enter_fetching(struct acl_call *call)
{
	checks_enter_fetching(acl_process.checks, &call->event);
}

static __attribute__((noinline)) void enter_counted_fetching(struct acl_call *call, struct acl_thread *t)
{
	if (count_plain(call, t))
		enter_fetching(call);
}

/* A plain call, begun, is recorded. False: that wants more than is done here. */
static bool enter_recorded(struct acl_call *call, struct acl_thread *t, bool checked)
{
	static const struct acl_call recorded = {.usual = true, .traced = true};
	int *error = t->errno_at, saved;

	if (unlikely(!error) || unlikely(trace_sink.needs_time) ||
		unlikely(atomic_load_explicit(&trace_sink.some, memory_order_relaxed)))
		return false;
	saved = *error;
	if (unlikely(dl_was_fetched(call->event.api, call->event.caller)))
		call->event.path = ACL_PATH_DLSYM;
	call->event.number = ++t->recorded;
	call->seen_by = recorded.seen_by;
	call->checked = checked;
	see_enter(call);
	*error = saved;
	return true;
}

/* A plain call was begun, and is none. */
static void enter_again(struct acl_call *call, struct acl_thread *t, uint32_t state)
{
	t->busy = NULL;
	enter_any(call, call->event.api, (void *)call->event.args, (void *)(uintptr_t)call->event.caller,
		state);
}

static __attribute__((noinline)) void enter_traced(
	struct acl_call *call, struct acl_thread *t, uint32_t state)
{
	if (state & ACL_STATE_COUNT || !enter_recorded(call, t, state & ACL_STATE_CHECK))
		enter_again(call, t, state);
}

static __attribute__((noinline)) void enter_at_site(
	struct acl_call *call, struct acl_thread *t, uint32_t state)
{
	if (state & ACL_STATE_COUNT && !count_plain(call, t))
		return;
	take_site(&call->event);
	enter_checks(call);
}

/* A plain call of which something else is wanted, or may be.  Saves no registers where nothing records it. */
static __attribute__((noinline)) void enter_more(struct acl_call *call, struct acl_thread *t, uint32_t state)
{
	if (state & ACL_STATE_TRACE && trace_is_wanted(call->event.api))
		enter_traced(call, t, state);
	else if (unlikely(state & ACL_STATE_SITE))
		enter_at_site(call, t, state);
	else if (!(state & (ACL_STATE_COUNT | ACL_STATE_PREFETCH)))
		enter_checks(call);
	else if (!(state & ACL_STATE_COUNT))
		enter_fetching(call);
	else if (!(state & ACL_STATE_PREFETCH))
		enter_counted(call, t);
	else
		enter_counted_fetching(call, t);
}

static inline __attribute__((always_inline)) void begin_plain(
	struct acl_call *call, struct acl_thread *t, unsigned api, void *args, void *caller)
{
	t->busy = call;
	acl_call_record_begin(&call->event, api, args, (uintptr_t)caller, &t->ids);
	call->thread = t;
	memset(&call->before, 0, sizeof(call->before));
}

/* False: it is no plain call, and nothing was done. */
static inline __attribute__((always_inline)) bool enter_plain(
	struct acl_call *call, unsigned api, void *args, void *caller, uint32_t state)
{
	static const struct acl_call usual = {.usual = true, .checked = true};
	static const uint32_t plain = ACL_STATE_COUNT | ACL_STATE_PREFETCH | ACL_STATE_TRACE | ACL_STATE_SITE;
	uint32_t beside = state ^ ACL_STATE_CHECK;
	struct acl_thread *t = thread_own_slot();

	if (unlikely(!thread_is_self(t)) || unlikely(!is_plain(call, t, beside & ~plain, (uintptr_t)caller)))
		return false;
	begin_plain(call, t, api, args, caller);
	call->seen_by = usual.seen_by;
	if (likely(!beside))
		enter_checks(call);
	else if (beside == ACL_STATE_COUNT)
		enter_counted(call, t);
	else if (beside == ACL_STATE_PREFETCH)
		enter_fetching(call);
	else if (beside == (ACL_STATE_COUNT | ACL_STATE_PREFETCH))
		enter_counted_fetching(call, t);
	else
		enter_more(call, t, state);
	return true;
}

/* A call that is recorded and not checked, and plain else; or it is not as most are. */
static __attribute__((noinline)) void enter_rest(
	struct acl_call *call, unsigned api, void *args, void *caller, uint32_t state)
{
	struct acl_thread *t = thread_own_slot();

	if (state != ACL_STATE_TRACE || unlikely(!thread_is_self(t)) ||
		unlikely(!is_plain(call, t, 0, (uintptr_t)caller)) || !trace_is_wanted(api)) {
		enter_any(call, api, args, caller, state);
		return;
	}
	begin_plain(call, t, api, args, caller);
	enter_traced(call, t, state);
}

/*
 * What is left to do is done by the wrapper (acl_call_begin), so that this ends in a jump.  errno is safe
 * here: what the checks do leaves it alone, and what they ask of the process keeps it.
 */
void acl_call_enter(struct acl_call *call, unsigned api, void *args, void *caller)
{
	uint32_t state =
		__atomic_load_n(&acl_state[api], __ATOMIC_ACQUIRE); /* before the wrapper reads acl_real */

	if (unlikely(!enter_plain(call, api, args, caller, state)))
		enter_rest(call, api, args, caller, state);
}

static __attribute__((noinline)) void leave_any(struct acl_call *call)
{
	struct acl_thread *t = thread_self();
	int *error = errno_at(t), saved = *error;
	uint64_t began = unlikely(call->timed) ? cost_now() : 0;

	call->thread = t;
	t->frame = call->before.frame;
	if (likely(tool_begin(t, call))) {
		if (unlikely(call->swapped))
			callback_settle(call);
		leave(call);
		if (unlikely(call->counted))
			last_calls_leave(&call->last, &call->event);
		if (unlikely(call->event.api == ACL_API_aclInit && !call->event.result.i))
			version_ask();
		if (unlikely(began))
			cost_sample(call->cost + cost_now() - began);
		tool_end(t);
	}
	call->before.busy = t->busy;
	*error = saved;
}

/* The thread is in the tool again. False: something is in the way of that. */
static inline __attribute__((always_inline)) bool begin_leave(struct acl_call *call)
{
	struct acl_thread *t = call->thread;

	if (unlikely((uintptr_t)t->busy | t->rare) || unlikely(!thread_is_self(t)))
		return false;
	t->frame = NULL;
	t->busy = call;
	return true;
}

/* A function of its own, so that a call with a report keeps no registers for it. */
static __attribute__((noinline)) void leave_recorded_or_any(struct acl_call *call)
{
	int *error, saved;

	if (!call->usual || !call->traced || unlikely(!begin_leave(call))) {
		leave_any(call);
		return;
	}
	error = call->thread->errno_at;
	saved = *error;
	see_leave(call);
	*error = saved;
}

/* With a report, the call's end goes to the last calls as well; or it is recorded. */
static __attribute__((noinline)) void leave_other(struct acl_call *call)
{
	static const struct acl_call counted = {.usual = true, .checked = true, .counted = true};

	if (unlikely(call->seen_by != counted.seen_by) || unlikely(!begin_leave(call))) {
		leave_recorded_or_any(call);
		return;
	}
	checks_leave_usual(acl_process.checks, &call->event);
	last_calls_leave(&call->last, &call->event);
}

/* As acl_call_enter. */
void acl_call_leave(struct acl_call *call)
{
	static const struct acl_call usual = {.usual = true, .checked = true};

	if (unlikely(call->seen_by != usual.seen_by) || unlikely(!begin_leave(call)))
		leave_other(call);
	else
		checks_leave_usual(acl_process.checks, &call->event);
}
