/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the constructor to the end record, forks in between.
 *
 * Our exit function is registered before the loader's own (the constructor of
 * a preloaded library runs before the program's start code), so it runs after
 * every atexit handler and destructor; calls made there are still seen.
 */
#include "interpose/life.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "interpose/children.h"
#include "interpose/core.h"
#include "interpose/cost.h"
#include "interpose/dl.h"
#include "interpose/elfsym.h"
#include "interpose/hooks.h"
#include "interpose/log.h"
#include "interpose/settings.h"
#include "interpose/sink.h"
#include "interpose/text.h"
#include "interpose/thread.h"
#include "interpose/verdict.h"

#define END_WAIT_MS 500

static _Atomic bool end_written;
static _Atomic int quick_status = -1; /* of the quick_exit under way */

static bool is_ours(void)
{
	return atomic_load(&acl_core.stage) >= CORE_AWAKE && acl_core.pid == (uint32_t)getpid();
}

static void say_unseen(void)
{
	uint64_t n = atomic_load(&acl_core.unseen);
	char line[128];
	struct text t;

	if (!n)
		return;
	text_init(&t, line, sizeof(line));
	text_uint(&t, n);
	text_str(&t, " calls were forwarded unseen: made while the tool itself was at work on the thread");
	sink_inconclusive("calls-unseen", line);
}

/* Another thread writes the end: ending the process now would cut it short. */
static void wait_for_end(void)
{
	const struct timespec nap = {.tv_nsec = 1000000};

	for (unsigned ms = 0; ms < END_WAIT_MS && !atomic_load(&end_written); ms++)
		nanosleep(&nap, NULL);
}

static void write_end(enum checks_end kind)
{
	uint64_t began = cost_now();

	say_unseen();
	if (acl_core.checks)
		checks_finish(acl_core.checks, kind);
	cost_work(COST_FINISH, began);
	sink_end(acl_core.checks, kind);
	trace_describe("verdict", acl_verdict_names[verdict_get()]);
	atomic_store(&end_written, true);
}

bool life_end(enum checks_end kind)
{
	struct acl_thread *t = &acl_thread;
	uint32_t awake = CORE_AWAKE;
	int saved = errno;
	char mark;
	bool done = false;

	if (!is_ours() || !atomic_load(&acl_core.begun) || !tool_begin(t, &mark))
		return false;
	if (atomic_compare_exchange_strong(&acl_core.stage, &awake, CORE_OVER)) {
		write_end(kind);
		done = true;
	} else {
		wait_for_end();
	}
	tool_end(t);
	errno = saved;
	return done;
}

void life_resume(void)
{
	struct acl_thread *t = &acl_thread;
	int saved = errno;
	char mark;

	if (tool_begin(t, &mark)) {
		sink_resume();
		atomic_store(&end_written, false);
		atomic_store(&acl_core.stage, CORE_AWAKE);
		tool_end(t);
	}
	errno = saved;
}

/* The exit code the process shall end with. */
static int exit_code(int status)
{
	return is_ours() && status == 0 ? verdict_exit_code(status) : status;
}

/* exit() with another code goes on where the first one was: what is left is flushing stdio. */
static void at_exit(int status, void *unused)
{
	int code;

	(void)unused;
	life_end(CHECKS_END_EXIT);
	code = exit_code(status & 0xff);
	if (code != (status & 0xff))
		HOOK_REAL(exit)(code);
}

static void at_quick_end(void)
{
	int status = atomic_load(&quick_status), code;

	life_end(CHECKS_END_QUICK);
	code = exit_code(status & 0xff);
	if (status >= 0 && code != (status & 0xff))
		HOOK_REAL(_exit)(code);
}

static void note_exit(void)
{
	atomic_store(&acl_core.in_exit, true);
}

static const struct acl_trace_provider *provider(void)
{
	return atomic_load_explicit(&acl_core.trace, memory_order_acquire);
}

static void before_fork(void)
{
	const struct acl_trace_provider *p = provider();

	if (p && p->before_fork)
		p->before_fork();
}

static void after_fork_parent(void)
{
	const struct acl_trace_provider *p = provider();

	if (p && p->after_fork_parent)
		p->after_fork_parent();
}

static void after_fork_child(void)
{
	const struct acl_trace_provider *p = provider();

	core_forked();
	atomic_store(&end_written, false);
	if (p && p->after_fork_child)
		p->after_fork_child();
	if (atomic_load(&acl_core.stage) < CORE_AWAKE)
		return;
	if (acl_core.checks)
		checks_forked(acl_core.checks);
	sink_forked();
}

void life_watch(void)
{
	static atomic_bool watching;

	if (atomic_exchange(&watching, true))
		return;
	pthread_atfork(before_fork, after_fork_parent, after_fork_child);
	atexit(note_exit);
}

/* A library's constructor that makes an acl call may come before ours. */
void life_begin(void)
{
	static atomic_bool begun;
	int saved = errno;

	if (atomic_exchange(&begun, true))
		return;
	hooks_find();
	settings_early();
	children_early();
	log_early();
	on_exit(at_exit, NULL);
	(void)at_quick_exit(at_quick_end); /* full: the end record of a quick exit is missed, nothing else */
	errno = saved;
}

/* In every process: microseconds and nothing opened, unless the program brings a runtime. */
__attribute__((constructor)) static void life_load(void)
{
	uint64_t start, end;

	life_begin();
	if (elf_elsewhere("aclrtSetDevice", &start, &end))
		core_open();
}

ACL_HOOK void exit(int status)
{
	if (is_ours())
		note_exit();
	HOOK_REAL(exit)(status);
	__builtin_unreachable();
}

ACL_HOOK void quick_exit(int status)
{
	atomic_store(&quick_status, status & 0xff);
	HOOK_REAL(quick_exit)(status);
	__builtin_unreachable();
}

ACL_HOOK void _exit(int status)
{
	life_end(CHECKS_END_QUICK);
	HOOK_REAL(_exit)(exit_code(status & 0xff));
	__builtin_unreachable();
}

ACL_HOOK void _Exit(int status)
{
	life_end(CHECKS_END_QUICK);
	HOOK_REAL(_Exit)(exit_code(status & 0xff));
	__builtin_unreachable();
}
