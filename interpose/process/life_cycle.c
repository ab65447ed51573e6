/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the constructor to the end record, forks in between.
 *
 * Our exit function runs in place of the loader's own (program_start.c), else
 * is registered before it (the constructor of a preloaded library runs before
 * the program's start code), so it runs after every atexit handler and
 * destructor; calls made there are still seen.
 */
#include "interpose/process/life_cycle.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "interpose/process/destructors.h"
#include "interpose/process/libc_events.h"
#include "interpose/process/process_state.h"
#include "interpose/process/program_start.h"
#include "interpose/report/injected_faults.h"
#include "interpose/report/trace_sink.h"
#include "interpose/process/process_tree.h"
#include "interpose/report/tool_cost.h"
#include "interpose/runtime/dynamic_linker.h"
#include "interpose/runtime/elf_symbols.h"
#include "interpose/runtime/libc_hooks.h"
#include "interpose/report/log.h"
#include "interpose/config/run_membership.h"
#include "interpose/config/run_settings.h"
#include "interpose/report/sinks.h"
#include "interpose/stack/tool_stack.h"
#include "interpose/common/text.h"
#include "interpose/common/thread_state.h"
#include "interpose/report/verdict.h"

#define END_WAIT_MS 500

static _Atomic bool end_written;
static _Atomic int quick_status = -1; /* of the quick_exit under way */

static bool is_ours(void)
{
	return atomic_load(&acl_process.stage) >= STAGE_ACTIVE && acl_process.pid == (uint32_t)getpid();
}

static void say_unseen(void)
{
	uint64_t n = atomic_load(&acl_process.unseen);
	char line[128];
	struct text t;

	if (!n)
		return;
	text_init(&t, line, sizeof(line));
	text_uint(&t, n);
	text_str(&t, " calls were forwarded unseen: made while the tool itself was at work on the thread");
	verdict_inconclusive("calls-unseen", line);
}

/* Another thread writes the end: ending the process now would cut it short. */
static void wait_for_end(void)
{
	const struct timespec nap = {.tv_nsec = 1000000};

	for (unsigned ms = 0; ms < END_WAIT_MS && !atomic_load(&end_written); ms++)
		nanosleep(&nap, NULL);
}

/* What a replay compares itself with, and the verdict. */
static void describe_end(enum checks_end kind)
{
	static const char *const ends[] = {"exit", "quick-exit", "exec"};
	struct checks_totals totals = {.calls = 0};
	char calls[24];
	struct text t;

	if (acl_process.checks)
		checks_totals(acl_process.checks, &totals);
	text_init(&t, calls, sizeof(calls));
	text_uint(&t, totals.calls);
	if (!trace_all_said())
		trace_describe("annotations", "yes");
	if (trace_chose())
		trace_describe("chosen", "yes");
	trace_describe("calls", calls);
	trace_describe("end", ends[kind]);
	trace_describe("verdict", acl_verdict_names[verdict_get()]);
}

static void write_end(void *end)
{
	enum checks_end kind = *(enum checks_end *)end;
	uint64_t began = cost_now();

	say_unseen();
	if (acl_process.checks)
		checks_finish(acl_process.checks, kind);
	cost_work(COST_FINISH, began);
	sink_end(acl_process.checks, kind);
	describe_end(kind);
	atomic_store(&end_written, true);
}

/* An exec may fail: what others do meanwhile waits for that, so it is known first who tries it. */
static bool finish(enum checks_end kind)
{
	uint32_t active = STAGE_ACTIVE;
	uintptr_t none = 0;
	bool tries = kind == CHECKS_END_EXEC;

	process_await_exec();
	if (tries && !atomic_compare_exchange_strong(&acl_process.exec_by, &none, thread_pointer()))
		return false;
	if (atomic_compare_exchange_strong(&acl_process.stage, &active, STAGE_FINISHED))
		return true;
	if (tries)
		atomic_store(&acl_process.exec_by, 0);
	return false;
}

bool life_end(enum checks_end kind)
{
	struct acl_thread *t = thread_self();
	int saved = errno;
	char mark;
	bool done = false;

	if (!is_ours() || !atomic_load(&acl_process.begun) || !tool_begin(t, &mark))
		return false;
	if (finish(kind)) {
		process_settle();
		tool_stack_run(write_end, &kind);
		done = true;
	} else {
		wait_for_end();
	}
	tool_end(t);
	errno = saved;
	return done;
}

static void resume(void *unused)
{
	(void)unused;
	sink_resume();
}

void life_resume(void)
{
	struct acl_thread *t = thread_self();
	int saved = errno;
	char mark;

	if (tool_begin(t, &mark)) {
		tool_stack_run(resume, NULL);
		atomic_store(&end_written, false);
		atomic_store(&acl_process.stage, STAGE_ACTIVE);
		process_settle();
		atomic_store_explicit(&acl_process.exec_by, 0, memory_order_release);
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
static void process_end(int status)
{
	int code;

	injected_exit(status & 0xff);
	life_end(CHECKS_END_EXIT);
	code = exit_code(status & 0xff);
	if (code != (status & 0xff))
		HOOK_REAL(exit)(code);
}

static void at_exit(int status, void *unused)
{
	(void)unused;
	process_end(status);
}

static void at_quick_end(void *unused)
{
	int status = atomic_load(&quick_status), code;

	(void)unused;
	injected_exit(status & 0xff);
	life_end(CHECKS_END_QUICK);
	code = exit_code(status & 0xff);
	if (status >= 0 && code != (status & 0xff))
		HOOK_REAL(_exit)(code);
}

/* The recorder is about to be taken down. An injected fault is measured by the exit status, which comes
 * later.
 */
static void recorder_ends(void)
{
	if (!settings_faults()->n && !destructors_may_call())
		life_end(CHECKS_END_EXIT);
}

static void note_exit(void)
{
	atomic_store(&acl_process.in_exit, true);
	process_settle();
}

static void main_returned(void)
{
	if (is_ours())
		note_exit();
}

static void before_fork(void)
{
	const struct acl_trace_provider *p = trace_provider();

	if (p && p->before_fork)
		p->before_fork();
}

static void after_fork_parent(void)
{
	const struct acl_trace_provider *p = trace_provider();

	if (p && p->after_fork_parent)
		p->after_fork_parent();
}

static void after_fork_child(void)
{
	const struct acl_trace_provider *p = trace_provider();
	uint32_t stage = atomic_load(&acl_process.stage);

	process_forked();
	settings_forked();
	atomic_store(&end_written, false);
	if (p && p->after_fork_child)
		p->after_fork_child();
	trace_forked(stage != STAGE_UNINITIALIZED);
	/* Another thread of the parent may be at its first call, with the sinks' lock. */
	if (stage == STAGE_UNINITIALIZED)
		return;
	if (acl_process.checks)
		checks_forked(acl_process.checks);
	sink_forked();
}

void life_watch(void)
{
	static atomic_bool watching;

	if (atomic_exchange(&watching, true))
		return;
	trace_end_is(recorder_ends);
	libc_at_fork(before_fork, after_fork_parent, after_fork_child);
	if (!program_start_is_ours())
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
	if (!libc_events_known()) {
		errno = saved;
		return;
	}
	thread_state_prepare((thread_key_create_fn)elf_libc("pthread_key_create"),
		(thread_set_specific_fn)elf_libc("pthread_setspecific"));
	settings_early();
	run_directory_given();
	log_early();
	program_start_watch(main_returned, process_end);
	if (!program_start_is_ours())
		libc_at_exit(at_exit);
	libc_at_quick_exit(at_quick_end);
	destructors_begin();
	errno = saved;
}

ACL_HOOK void exit(int status)
{
	if (is_ours())
		note_exit();
	/* In a library's constructor: the start code is yet to come. */
	if (program_start_is_ours() && !program_started())
		libc_at_exit(at_exit);
	HOOK_REAL(exit)(status);
	__builtin_unreachable();
}

ACL_HOOK void quick_exit(int status)
{
	atomic_store(&quick_status, status & 0xff);
	HOOK_REAL(quick_exit)(status);
	__builtin_unreachable();
}

void life_exit_now(int status)
{
	injected_exit(status & 0xff);
	life_end(CHECKS_END_QUICK);
	HOOK_REAL(_exit)(exit_code(status & 0xff));
	__builtin_unreachable();
}

ACL_HOOK void _exit(int status)
{
	life_exit_now(status);
}

ACL_HOOK void _Exit(int status)
{
	injected_exit(status & 0xff);
	life_end(CHECKS_END_QUICK);
	HOOK_REAL(_Exit)(exit_code(status & 0xff));
	__builtin_unreachable();
}
