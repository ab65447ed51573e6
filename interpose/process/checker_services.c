/* SPDX-License-Identifier: Apache-2.0 */
/* The checker of this process: its settings, and the services it asks of its host. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "aclcheck.h"
#include "interpose/process/checker_services.h"
#include "interpose/process/process_state.h"
#include "interpose/runtime/heap_block.h"
#include "interpose/runtime/host_address.h"
#include "interpose/common/site_conditions.h"
#include "interpose/common/tool_arena.h"
#include "interpose/report/expect_scope.h"
#include "interpose/common/compiler.h"
#include "interpose/config/acl_json.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/config/run_settings.h"
#include "interpose/report/sinks.h"
#include "interpose/report/trace_sink.h"
#include "interpose/report/test_item.h"
#include "interpose/stack/readable_memory.h"
#include "interpose/stack/tool_stack.h"
#include "interpose/symbolize/call_stack.h"
#include "interpose/symbolize/stack_site.h"
#include "interpose/symbolize/python_frames.h"
#include "interpose/symbolize/python_place.h"
#include "interpose/report/fingerprint.h"
#include "interpose/common/suppression.h"
#include "interpose/common/thread_state.h"
#include "interpose/runtime/other_submitters.h"

#define MODULE_NONE UINT32_MAX /* code that no file holds: a JIT's */

/* A call keeps the program's errno, and does not ask where it is unless something may change it: that is
 * here. */
#define KEEPING_ERRNO(call)                                                                                  \
	({                                                                                                   \
		int saved_ = errno;                                                                          \
		__auto_type answer_ = (call);                                                                \
		errno = saved_;                                                                              \
		answer_;                                                                                     \
	})

/* The same of what needs a stack of ours. */
static void run_keeping_errno(void (*fn)(void *), void *arg)
{
	int saved = errno;

	tool_stack_run(fn, arg);
	errno = saved;
}

/* What the checks ask is recorded with the call that they ask for. */
static bool is_recorded(void)
{
	return unlikely(thread_self()->asking != NULL);
}

static __attribute__((cold, noinline)) void service_trace(
	enum trace_question question, const void *of, const void *answer, size_t bytes)
{
	int saved = errno;

	trace_answer(question, (uintptr_t)of, answer, bytes);
	errno = saved;
}

/* A recorded call names the stack, so that a replay has it: the record is the wrapper's own, and not
 * constant. */
static uint32_t host_stack(void *context, const struct acl_call_record *ev)
{
	uint32_t stack = KEEPING_ERRNO(stack_take(ev ? stack_site_address(ev->caller) : 0));

	(void)context;
	function_sites_settle();
	if (ev && trace_provider())
		((struct acl_call_record *)(uintptr_t)ev)->stack = stack;
	return stack;
}

/* The classes of arguments are recorded with the call. */
static bool is_argument(const struct acl_call_record *call, const void *address)
{
	const struct acl_api_info *a = &acl_apis[call->api];
	const void *value;

	for (unsigned i = 0; i < a->n_params; i++) {
		if (acl_params(a)[i].size != sizeof(value))
			continue;
		memcpy(&value, (const char *)call->args + acl_params(a)[i].offset, sizeof(value));
		if (value == address)
			return true;
	}
	return false;
}

static enum acl_host_class host_class(void *context, const void *address)
{
	enum acl_host_class class = KEEPING_ERRNO(host_class_of(address));
	uint64_t number = class;

	(void)context;
	if (is_recorded() && !is_argument(thread_self()->asking, address))
		service_trace(TRACE_ASKS_CLASS, address, &number, sizeof(number));
	return class;
}

static uint64_t host_mapping(void *context, const void *address, bool latest)
{
	uint64_t mapping = KEEPING_ERRNO(host_mapping_of(address, latest));

	(void)context;
	if (is_recorded() && mapping)
		service_trace(TRACE_ASKS_MAPPING, address, &mapping, sizeof(mapping));
	return mapping;
}

static uint32_t host_module(void *context, uint64_t code)
{
	const struct acl_module *m = KEEPING_ERRNO(module_of(stack_site_address(code)));

	(void)context;
	return m ? m->id : MODULE_NONE;
}

/* Signal 0 is not delivered: it only asks. */
static bool host_thread_lives(void *context, uint32_t tid)
{
	long code = KEEPING_ERRNO(syscall(SYS_tgkill, getpid(), (pid_t)tid, 0));

	(void)context;
	if (is_recorded() && code)
		service_trace(TRACE_ASKS_THREAD, (const void *)(uintptr_t)tid, NULL, 0);
	return !code;
}

static const char no_name[ACL_API_NAME];

/* It may change before the events of both calls are recorded. */
static unsigned host_inside(void *context, uint32_t tid, unsigned now)
{
	(void)context;
	if (is_recorded())
		service_trace(TRACE_ASKS_INSIDE, (const void *)(uintptr_t)tid,
			now ? acl_apis[now - 1].name : no_name, sizeof(no_name));
	return now;
}

struct config_question {
	const char *path;
	struct checks_init_config *out;
	bool known;
};

static void read_init_config(void *question)
{
	struct config_question *q = question;

	q->known = init_config_read(q->path, q->out);
}

static bool host_init_config(void *context, const char *path, struct checks_init_config *out)
{
	struct config_question q = {.path = path, .out = out};

	(void)context;
	run_keeping_errno(read_init_config, &q);
	if (is_recorded() && q.known)
		service_trace(TRACE_ASKS_CONFIG, NULL, out, sizeof(*out));
	return q.known;
}

__attribute__((visibility("default"), noinline)) void aclcheck_break(void)
{
	__asm__ volatile(""); /* a place to stop at: not to be merged with other empty functions */
}

/* Asked at each occurrence, so remembered by rule: long lists of suppressions are no reason to be slow. */
static bool looks_at_stack(const struct acl_rule *rule)
{
	enum { UNKNOWN, NO, YES };
	static _Atomic uint8_t known[1024];
	uint8_t answer;

	if (rule->index >= sizeof(known) / sizeof(*known))
		return suppress_by_stack(rule->id);
	answer = atomic_load_explicit(&known[rule->index], memory_order_relaxed);
	if (answer == UNKNOWN) {
		answer = suppress_by_stack(rule->id) ? YES : NO;
		atomic_store_explicit(&known[rule->index], answer, memory_order_relaxed);
	}
	return answer == YES;
}

/* 0: there is no Python code near the call. */
static uint32_t python_site(struct acl_call_record *ev)
{
	if (!python_present())
		return 0;
	if (!ev->stack)
		ev->stack = stack_take(stack_site_address(ev->caller));
	return stack_python_site(ev->stack);
}

/* Whether it is expected or suppressed is decided once a place, and depends on more than the caller. */
static uint64_t host_place(
	void *context, struct acl_call_record *ev, const struct acl_rule *rule, bool counted)
{
	uint32_t item, near, layer;
	uint64_t place;
	bool by_stack;

	(void)context;
	if (likely(!atomic_load_explicit(&site_conditions, memory_order_relaxed)))
		return 0;
	item = test_item_number();
	by_stack = ev && looks_at_stack(rule);
	near = ev ? KEEPING_ERRNO(python_site(ev)) : 0;
	layer = ev ? KEEPING_ERRNO(
			     (uint32_t)(module_mark(stack_site_address(ev->caller)) >> MODULE_LAYER_SHIFT))
		   : 0;
	if (!by_stack && !near && !item && !layer && !expect_any())
		return 0;
	place = (uint64_t)expect_scope(rule->id, counted) << 48 | (uint64_t)expect_inside() << 32;
	if (by_stack) {
		if (!ev->stack)
			ev->stack = KEEPING_ERRNO(stack_take(stack_site_address(ev->caller)));
		near = ev->stack;
	}
	return place | (near ^ item * 0x9e3779b1u ^ layer * 0x85ebca6bu);
}

static void host_finding(void *context, const struct acl_finding *f)
{
	int saved = errno;

	(void)context;
	/* Not before: the thread that ends the run may wait for what this one holds. */
	if (!sink_finding(f)) {
		process_await_exec();
		sink_finding(f);
	}
	tool_stack_afterwards(aclcheck_break);
	errno = saved;
}

struct submitter_question {
	enum checks_other_submitter what;
	bool possible;
};

/* A replay has no modules and no threads to look at: what was answered first, and that it became otherwise.
 */
static void describe_submitters(enum checks_other_submitter what, bool possible)
{
	static const char *const keys[] = {[CHECKS_OTHER_WORK] = "other-work",
		[CHECKS_OTHER_QUEUES] = "other-queues",
		[CHECKS_OTHER_THREADS] = "other-threads"};
	enum { SAID_NO = 1, SAID_YES = 2 };
	static _Atomic uint8_t said[CHECKS_OTHER_THREADS + 1];
	uint8_t answer = possible ? SAID_YES : SAID_NO;

	if (!(atomic_fetch_or_explicit(&said[what], answer, memory_order_relaxed) & (answer | SAID_YES)))
		trace_describe(keys[what], possible ? "yes" : "no");
}

static void look_for_submitters(void *question)
{
	struct submitter_question *q = question;

	q->possible = other_submitters_possible(q->what);
	describe_submitters(q->what, q->possible);
}

static bool host_unseen(void *context, enum checks_other_submitter what)
{
	struct submitter_question q = {.what = what};

	(void)context;
	run_keeping_errno(look_for_submitters, &q);
	return q.possible;
}

static void host_with_stack(void *context, void (*fn)(void *), void *arg)
{
	(void)context;
	run_keeping_errno(fn, arg);
}

static void describe_memory(void *total)
{
	static _Atomic bool said;
	char number[24];
	struct text t;

	if (atomic_exchange_explicit(&said, true, memory_order_relaxed))
		return;
	text_init(&t, number, sizeof(number));
	text_uint(&t, *(const uint64_t *)total);
	trace_describe("memory-total", number);
}

static uint64_t host_memory_total(void *context)
{
	struct sysinfo info;
	uint64_t total = 0;

	(void)context;
	if (!KEEPING_ERRNO(sysinfo(&info)))
		total = (uint64_t)info.totalram * info.mem_unit;
	run_keeping_errno(describe_memory, &total);
	return total;
}

static bool host_read(void *context, const void *from, void *to, size_t bytes)
{
	bool good = KEEPING_ERRNO(readable_copy(to, from, bytes));

	(void)context;
	if (is_recorded() && good)
		service_trace(TRACE_ASKS_MEMORY, from, to, bytes);
	return good;
}

static bool host_read_trusted(void *context, const void *from, void *to, size_t bytes)
{
	(void)context;
	memcpy(to, from, bytes);
	if (is_recorded())
		service_trace(TRACE_ASKS_MEMORY, from, to, bytes);
	return true;
}

static bool host_read_pieces(void *context, const struct checks_piece *pieces, unsigned n)
{
	bool good = KEEPING_ERRNO(readable_copy_pieces(pieces, n));

	(void)context;
	for (unsigned i = 0; is_recorded() && good && i < n; i++)
		service_trace(TRACE_ASKS_MEMORY, pieces[i].from, pieces[i].to, pieces[i].bytes);
	return good;
}

/* What the program has behind a text is no matter of a recording. */
static bool host_read_text(void *context, const char *from, char *to, size_t bytes)
{
	bool good = KEEPING_ERRNO(readable_copy(to, from, bytes));
	const char *end;

	(void)context;
	if (is_recorded() && good) {
		end = memchr(to, 0, bytes);
		service_trace(TRACE_ASKS_MEMORY, from, to, end ? (size_t)(end - to) + 1 : bytes);
	}
	return good;
}

static bool host_unmapped(void *context, const void *address)
{
	static const char here;
	bool unmapped;
	char byte;

	(void)context;
	/* Where reading fails anyhow it proves nothing. */
	unmapped = KEEPING_ERRNO(readable_copy(&byte, &here, 1) && !readable_copy(&byte, address, 1));
	if (is_recorded() && unmapped)
		service_trace(TRACE_ASKS_UNMAPPED, address, NULL, 0);
	return unmapped;
}

static void *host_memory(void *context, size_t bytes)
{
	(void)context;
	return KEEPING_ERRNO(arena_alloc(bytes));
}

static unsigned host_heap_alignment(void *context, const void *address, uint64_t bytes)
{
	uint64_t alignment = heap_block_alignment(address, bytes);

	(void)context;
	if (is_recorded() && alignment)
		service_trace(TRACE_ASKS_ALIGNMENT, address, &alignment, sizeof(alignment));
	return (unsigned)alignment;
}

struct checks *checker_create(void)
{
	static const struct checks_host host = {
		.stack = host_stack,
		.host_class = host_class,
		.mapping = host_mapping,
		.module = host_module,
		.place = host_place,
		.places = &site_conditions,
		.thread_lives = host_thread_lives,
		.inside = host_inside,
		.init_config = host_init_config,
		.finding = host_finding,
		.unseen = host_unseen,
		.memory_total = host_memory_total,
		.heap_alignment = host_heap_alignment,
		.read = host_read,
		.read_pieces = host_read_pieces,
		.read_trusted = host_read_trusted,
		.read_text = host_read_text,
		.unmapped = host_unmapped,
		.with_stack = host_with_stack,
		.memory = host_memory,
	};
	struct checks_config config = {.target = CHECKS_TARGET_DOCUMENTS};

	settings_checks(&config);
	if (suppress_by_stack(NULL))
		site_condition_set(SITE_OF_STACK);
	return checks_create(&config, &host);
}
