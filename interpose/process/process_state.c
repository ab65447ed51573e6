/* SPDX-License-Identifier: Apache-2.0 */
/* The stage of the process, and what each function needs in it. */
#include "interpose/process/process_state.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "aclcheck/model.h"
#include "checks/engine/lock.h"
#include "interpose/process/fault_injection.h"
#include "interpose/common/thread_state.h"
#include "interpose/common/compiler.h"
#include "interpose/config/run_settings.h"
#include "interpose/report/call_coverage.h"
#include "interpose/report/expect_scope.h"
#include "interpose/report/sinks.h"
#include "interpose/report/trace_sink.h"
#include "interpose/runtime/callback_functions.h"
#include "interpose/runtime/dlsym_hook.h"
#include "interpose/runtime/function_table.h"
#include "interpose/runtime/host_address.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/runtime/real_function.h"
#include "interpose/stack/tool_stack.h"
#include "interpose/symbolize/python_frames.h"
#include "interpose/symbolize/site_functions.h"

struct acl_process acl_process;

uint32_t process_thread_new(struct acl_thread *t)
{
	thread_tid(t);
	if (!atomic_exchange(&acl_process.begun, true))
		sink_begin();
	return t->ids.tid;
}

/* What ends the runtime's life is checked differently on the way out; after its beginning it is asked who it
 * is. */
static bool is_special(unsigned api)
{
	return api == ACL_API_aclInit || ends_runtime(api);
}

static bool sites_are_stacks(void)
{
	return settings_stacks_all() || python_was_read();
}

void process_settle(void)
{
	callers_slow(atomic_load(&acl_process.stage) != STAGE_ACTIVE || atomic_load(&acl_process.in_exit));
}

/* Zero = no part of the tool needs the function. Before the first call all are needed. */
void function_state_settle(unsigned api)
{
	const struct acl_trace_provider *p = trace_provider();
	uint32_t state = 0;

	if (atomic_load(&acl_process.stage) == STAGE_UNINITIALIZED)
		return;
	if (acl_process.checks && checks_listens(acl_process.checks, api))
		state |= ACL_STATE_CHECK | (checks_prefetches(api) ? ACL_STATE_PREFETCH : 0);
	else if (acl_process.checks)
		state |= ACL_STATE_FIRST;
	if ((acl_process.checks || p) && callback_matters(api))
		state |= ACL_STATE_CALLBACK | (acl_process.checks ? ACL_STATE_CHECK : ACL_STATE_TRACE);
	if (state && (is_special(api) || dl_was_fetched_at_all(api)))
		state |= ACL_STATE_SPECIAL;
	if (p && (!p->wanted || p->wanted(api)))
		state |= ACL_STATE_TRACE;
	if (state & ACL_STATE_CHECK && stack_site_matters(api) && sites_are_stacks())
		state |= ACL_STATE_SITE;
	if (acl_process.checks && call_coverage_wanted())
		state |= ACL_STATE_COUNT;
	if (fault_possible(api))
		state |= ACL_STATE_INJECT;
	if (!__atomic_load_n(&acl_real[api], __ATOMIC_ACQUIRE))
		state |= ACL_STATE_UNRESOLVED;
	__atomic_store_n(&acl_state[api], state, __ATOMIC_RELEASE);
}

void function_state_settle_all(void)
{
	for (unsigned api = 0; api < acl_api_count; api++)
		function_state_settle(api);
}

void function_sites_settle(void)
{
	static atomic_bool settled;

	if (!sites_are_stacks() || atomic_exchange(&settled, true))
		return;
	for (unsigned api = 0; api < acl_api_count; api++)
		if (stack_site_matters(api) &&
			__atomic_load_n(&acl_state[api], __ATOMIC_RELAXED) & ACL_STATE_CHECK)
			__atomic_or_fetch(&acl_state[api], ACL_STATE_SITE, __ATOMIC_RELAXED);
}

#define EXEC_WAIT_MS 2000

void process_await_exec(void)
{
	const struct timespec nap = {.tv_nsec = 1000000};

	for (unsigned ms = 0; ms < EXEC_WAIT_MS; ms++) {
		uintptr_t by = atomic_load_explicit(&acl_process.exec_by, memory_order_acquire);

		if (!by || by == thread_pointer())
			return;
		nanosleep(&nap, NULL);
	}
	/* It was left by a handler, or takes long: once is enough. */
	atomic_store(&acl_process.exec_by, 0);
}

/* The thread that was about to exec is not here. */
static void exec_forked(void)
{
	uintptr_t by = atomic_load(&acl_process.exec_by);

	if (!by || by == thread_pointer())
		return;
	atomic_store(&acl_process.stage, STAGE_ACTIVE);
	atomic_store(&acl_process.exec_by, 0);
}

/* The child inherits the checker and its state; its own run begins with its own first call. */
void process_forked(void)
{
	uint32_t stage = atomic_load(&acl_process.stage);

	locks_forked();
	thread_state_forked();
	thread_self()->ids.tid = 0;
	thread_self()->rare |= THREAD_UNKNOWN;
	exec_forked();
	atomic_store(&acl_process.begun, false);
	acl_process.pid = (uint32_t)getpid();
	atomic_store(&acl_process.unseen, 0);
	tool_stack_forked();
	module_forked();
	host_class_forked();
	expect_forked();
	/* What a thread of the parent had only begun is done anew. */
	if (!atomic_load(&acl_process.all_open) && !thread_self()->busy)
		atomic_store(&acl_process.opened, false);
	if (stage == STAGE_INITIALIZING && !thread_self()->busy)
		atomic_store(&acl_process.stage,
			STAGE_UNINITIALIZED); /* the thread that was initializing is not here */
	process_settle();
}
