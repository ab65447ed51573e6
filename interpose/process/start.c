/* SPDX-License-Identifier: Apache-2.0 */
/* From the constructor to the first acl call: what is opened when, and the checker. */
#include <errno.h>
#include <signal.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "aclcheck.h"
#include "aclcheck/model.h"
#include "interpose/process/fault_injection.h"
#include "interpose/process/start.h"
#include "interpose/process/libc_events.h"
#include "interpose/process/life_cycle.h"
#include "interpose/process/checker_services.h"
#include "interpose/process/process_state.h"
#include "interpose/process/process_tree.h"
#include "interpose/process/program_start.h"
#include "interpose/report/verdict.h"
#include "interpose/report/trace_sink.h"
#include "interpose/runtime/callback_functions.h"
#include "interpose/report/tool_cost.h"
#include "interpose/report/expect_scope.h"
#include "interpose/report/log.h"
#include "interpose/report/call_coverage.h"
#include "interpose/runtime/elf_symbols.h"
#include "interpose/runtime/real_function.h"
#include "interpose/common/notify_parent.h"
#include "interpose/config/job_identity.h"
#include "interpose/config/run_membership.h"
#include "interpose/config/run_settings.h"
#include "interpose/report/sinks.h"
#include "interpose/stack/tool_stack.h"
#include "interpose/symbolize/code_symbol.h"
#include "interpose/common/text.h"
#include "interpose/common/thread_state.h"

#define WAKE_WAIT_MS 2000

__attribute__((visibility("default"))) const char *aclcheck_version(void)
{
	return ACLCHECK_VERSION;
}

/*
 * A run whose settings are not what the user meant is not checked with others: it
 * goes on unchecked, inconclusive.
 */
static bool checks_wanted(void)
{
	return settings_number(SETTING_CHECKS) == 0 && !settings_problem(0);
}

/* Whoever replays the recordings of several ranks wants to know whether one is missing. */
static void describe_ranks(void)
{
	char number[24];
	struct text t;

	if (!identity_ranks())
		return;
	text_init(&t, number, sizeof(number));
	text_uint(&t, (uint64_t)identity_ranks());
	trace_describe("ranks", number);
}

/* Two processes that see other devices number them differently. A program may set it before its first call.
 */
static void describe_devices(void)
{
	const char *visible = getenv("ASCEND_RT_VISIBLE_DEVICES");

	trace_describe("visible-devices", visible ? visible : "");
}

/*
 * All that takes the loader's lock, before the first acl call where that can
 * be: a later thread that calls may be one that the lock's owner waits for.
 */
static void open_once(void *unused)
{
	uint64_t began;

	(void)unused;
	if (atomic_load_explicit(&acl_process.opened, memory_order_relaxed) ||
		atomic_exchange(&acl_process.opened, true))
		return;
	began = cost_now();
	life_begin();
	settings_load();
	process_tree_joined();
	life_watch();
	callback_functions_learn();
	real_use(settings_text(SETTING_RUNTIME));
	real_find_all();
	symbol_prepare(settings_number(SETTING_SYMBOLS) == 0);
	trace_describe("version", ACLCHECK_VERSION);
	describe_ranks();
	if (trace_open())
		function_state_settle_all();
	atomic_store(&acl_process.all_open, true);
	cost_work(COST_OPEN, began);
}

void process_open(void)
{
	struct acl_thread *t = thread_self();
	int saved = errno;
	char mark;

	if (libc_events_known() && tool_begin(t, &mark)) {
		tool_stack_run(open_once, NULL);
		tool_end(t);
	}
	errno = saved;
}

/* On the thread of the first call, with the tool at work; after it calls of all threads are seen. */
static void wake(void)
{
	uint64_t began;

	open_once(NULL);
	began = cost_now();
	acl_process.pid = (uint32_t)getpid();
	if (checks_wanted())
		acl_process.checks = checker_create();
	describe_devices();
	process_thread_new(thread_self());
	faults_begin();
	function_state_settle_all();
	cost_work(COST_OPEN, began);
	atomic_store_explicit(&acl_process.stage, STAGE_ACTIVE, memory_order_release);
	process_settle();
}

/*
 * The program has opened this library itself, behind the C library: what it is linked with, and what it finds
 * by the dlsym it has, goes past us.
 */
static bool is_behind_libc(void)
{
	static int known; /* 1 = yes, -1 = no */

	/* Whose start function the program has lies before the C library. */
	if (!known && program_start_is_ours())
		known = -1;
	if (!known)
		known = elf_follows((uintptr_t)is_behind_libc, (uintptr_t)elf_libc("getpid")) ? 1 : -1;
	return known > 0;
}

static const char not_preloaded[] =
	"libaclcheck.so was opened by the program, not preloaded: calls go past it";

/* It may be all that is ever heard of us. */
static void notify_not_preloaded(void *unused)
{
	(void)unused;
	if (*run_directory())
		notify_parent(run_job(), run_directory(), not_preloaded);
}

static void say_what_lacks(void)
{
	if (is_behind_libc())
		verdict_inconclusive("not-preloaded", not_preloaded);
	if (settings_problem(0))
		return; /* the sinks say it, with the reason */
	if (!checks_wanted())
		verdict_inconclusive(REASON_CHECKS_OFF, "checks are switched off");
	else if (!acl_process.checks)
		verdict_inconclusive("no-memory", "no memory for the checker");
}

static void initialize(void *unused)
{
	(void)unused;
	wake();
	say_what_lacks();
}

/* Bounded: the initializing thread may itself wait for a lock of the loader that we hold. */
static bool wait_for_other(void)
{
	const struct timespec nap = {.tv_nsec = 1000000};

	for (unsigned ms = 0; ms < WAKE_WAIT_MS; ms++) {
		if (atomic_load_explicit(&acl_process.stage, memory_order_acquire) == STAGE_ACTIVE)
			return true;
		nanosleep(&nap, NULL);
	}
	return false;
}

bool process_initialize(void)
{
	uint32_t stage = STAGE_UNINITIALIZED;

	if (!libc_events_known())
		return false;
	if (!atomic_compare_exchange_strong(&acl_process.stage, &stage, STAGE_INITIALIZING))
		return stage == STAGE_ACTIVE || (stage == STAGE_INITIALIZING && wait_for_other());
	tool_stack_run(initialize, NULL);
	return true;
}

/* In every process: microseconds and nothing opened, unless the program brings a runtime. */
__attribute__((constructor)) static void life_load(void)
{
	uint64_t start, end;
	int saved = errno;

	life_begin();
	if (is_behind_libc())
		tool_stack_run(notify_not_preloaded, NULL);
	if (elf_elsewhere("aclrtSetDevice", &start, &end))
		process_open();
	errno = saved; /* 0 when main begins, as C has it */
}

static void function_found(unsigned api)
{
	if (atomic_load(&acl_process.stage) == STAGE_ACTIVE)
		function_state_settle(api);
}

const struct runtime_events runtime_events = {
	.first_name = process_open,
	.found = function_found,
	.complain = log_say,
};
