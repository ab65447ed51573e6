/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of the library: asleep, waking at the first acl call, awake, over. */
#include <errno.h>
#include <signal.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "aclcheck.h"
#include "aclcheck/model.h"
#include "interpose/call.h"
#include "interpose/callback.h"
#include "interpose/core.h"
#include "interpose/cost.h"
#include "interpose/expect.h"
#include "interpose/log.h"
#include "interpose/reach.h"
#include "interpose/real.h"
#include "interpose/settings.h"
#include "interpose/sink.h"
#include "interpose/stack.h"
#include "interpose/symbol.h"
#include "interpose/text.h"
#include "interpose/thread.h"

#define WAKE_WAIT_MS 2000

struct acl_core acl_core;
__thread struct acl_thread acl_thread __attribute__((tls_model("initial-exec")));

/* A forked child has new thread ids, so its first acl call passes here as well. */
uint32_t thread_new(struct acl_thread *t)
{
	t->self = (uint64_t)pthread_self();
	t->errno_at = &errno;
	t->checks_thread = NULL;
	t->tid = (uint32_t)syscall(SYS_gettid);
	if (!atomic_exchange(&acl_core.begun, true))
		sink_begin();
	return t->tid;
}

bool on_signal_stack(void)
{
	stack_t now;

	return !sigaltstack(NULL, &now) && (now.ss_flags & SS_ONSTACK);
}

void core_say(const char *text, const char *detail)
{
	char line[1024];
	struct text t;
	int saved = errno;

	text_init(&t, line, sizeof(line));
	text_str(&t, text);
	text_str(&t, detail ? detail : "");
	log_line(line);
	errno = saved;
}

__attribute__((visibility("default"))) const char *aclcheck_version(void)
{
	return ACLCHECK_VERSION;
}

/* Zero = nobody wants to see the function. Before the first call everybody does. */
void state_settle(unsigned api)
{
	const struct acl_trace_provider *p = atomic_load(&acl_core.trace);
	uint32_t state = 0;

	if (atomic_load(&acl_core.stage) == CORE_ASLEEP)
		return;
	if (acl_core.checks && checks_listens(acl_core.checks, api))
		state |= ACL_STATE_CHECK | (checks_foresees(api) ? ACL_STATE_FORESEE : 0);
	else if (acl_core.checks)
		state |= ACL_STATE_FIRST;
	if ((acl_core.checks || p) && callback_matters(api))
		state |= ACL_STATE_CALLBACK | (acl_core.checks ? ACL_STATE_CHECK : ACL_STATE_TRACE);
	if (p && (!p->wanted || p->wanted(api)))
		state |= ACL_STATE_TRACE;
	if (acl_core.checks && reach_wanted())
		state |= ACL_STATE_COUNT;
	if (!__atomic_load_n(&acl_real[api], __ATOMIC_ACQUIRE))
		state |= ACL_STATE_UNRESOLVED;
	__atomic_store_n(&acl_state[api], state, __ATOMIC_RELEASE);
}

void state_settle_all(void)
{
	for (unsigned api = 0; api < acl_api_count; api++)
		state_settle(api);
}

/*
 * A run whose settings are not what somebody meant is not judged by others: it
 * goes on unchecked, inconclusive.
 */
static bool checks_wanted(void)
{
	return settings_number(SETTING_CHECKS) == 0 && !settings_problem(0);
}

/*
 * All that takes the loader's lock, before the first acl call where that can
 * be: a later thread that calls may be one that the lock's owner waits for.
 */
static void open_once(void)
{
	static atomic_bool opened;
	uint64_t began;

	if (atomic_load_explicit(&opened, memory_order_relaxed) || atomic_exchange(&opened, true))
		return;
	began = cost_now();
	life_begin();
	settings_load();
	life_watch();
	callback_learn();
	real_find_all();
	stack_prepare();
	symbol_prepare(settings_number(SETTING_SYMBOLS) == 0);
	trace_describe("version", ACLCHECK_VERSION);
	trace_open();
	cost_work(COST_OPEN, began);
}

void core_open(void)
{
	struct acl_thread *t = &acl_thread;
	char mark;

	if (tool_begin(t, &mark)) {
		open_once();
		tool_end(t);
	}
}

/* On the thread of the first call, with the tool at work; after it calls of all threads are seen. */
static void wake(void)
{
	uint64_t began;

	open_once();
	began = cost_now();
	acl_core.pid = (uint32_t)getpid();
	if (checks_wanted())
		acl_core.checks = checker_create();
	thread_new(&acl_thread);
	state_settle_all();
	cost_work(COST_OPEN, began);
	atomic_store_explicit(&acl_core.stage, CORE_AWAKE, memory_order_release);
}

static void say_what_lacks(void)
{
	if (settings_problem(0))
		return; /* the sinks say it, with the reason */
	if (!checks_wanted())
		sink_inconclusive("checks-off", "checks are switched off");
	else if (!acl_core.checks)
		sink_inconclusive("no-memory", "no memory for the checker");
}

/* Bounded: the waking thread may itself wait for a lock of the loader that we hold. */
static bool wait_for_other(void)
{
	const struct timespec nap = {.tv_nsec = 1000000};

	for (unsigned ms = 0; ms < WAKE_WAIT_MS; ms++) {
		if (atomic_load_explicit(&acl_core.stage, memory_order_acquire) == CORE_AWAKE)
			return true;
		nanosleep(&nap, NULL);
	}
	return false;
}

bool core_wake(void)
{
	uint32_t asleep = CORE_ASLEEP;

	if (!atomic_compare_exchange_strong(&acl_core.stage, &asleep, CORE_WAKING))
		return asleep == CORE_AWAKE || (asleep == CORE_WAKING && wait_for_other());
	wake();
	say_what_lacks();
	return true;
}

/* The child inherits the checker and its state; its own run begins with its own first call. */
void core_forked(void)
{
	uint32_t stage = atomic_load(&acl_core.stage);

	acl_thread.tid = 0;
	atomic_store(&acl_core.begun, false);
	acl_core.pid = (uint32_t)getpid();
	atomic_store(&acl_core.unseen, 0);
	module_forked();
	host_class_forked();
	expect_forked();
	if (stage == CORE_WAKING && !acl_thread.busy)
		atomic_store(&acl_core.stage, CORE_ASLEEP); /* the thread that was waking is not here */
}
