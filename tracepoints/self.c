/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a trace says of the recorded process itself.  Sessions come and go
 * while the program runs and LTTng does not notify us; but the list of probes of
 * a tracepoint is replaced whenever a session joins or leaves.  So that
 * pointer is compared, and everything is emitted again when it changed: a
 * description twice in one trace does no harm.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracepoints/events.h"
#include "tracepoints/provider.h"

#define MAX_FACTS 64
#define CALLERS 512u
#define MAX_IDS (1u << 20) /* stacks or modules whose description is kept track of */

/* --- facts -------------------------------------------------------------- */

static struct {
	_Atomic(const char *) key; /* published last */
	const char *value;
} facts[MAX_FACTS];
static atomic_uint n_facts;

static atomic_bool verdict_told, process_told;

static void emit_fact(const char *key, const char *value)
{
	if (!strcmp(key, "verdict")) {
		atomic_store(&verdict_told, true);
		lttng_ust_tracepoint(aclcheck, verdict, value);
	} else {
		lttng_ust_tracepoint(aclcheck, describe, key, value);
	}
}

static void hide_process(void);

/* Runs before that of liblttng-ust, which we depend on: the last moment at which an event can be emitted. */
static __attribute__((destructor)) void tell_verdict(void)
{
	if (!trace_host || !atomic_load(&process_told))
		return;
	hide_process();
	if (trace_host->end)
		trace_host->end();
	if (trace_host->verdict && !atomic_load(&verdict_told))
		lttng_ust_tracepoint(aclcheck, verdict, trace_host->verdict());
}

static void keep_fact(const char *key, const char *value)
{
	unsigned i = atomic_fetch_add(&n_facts, 1);

	if (i >= MAX_FACTS)
		return;
	facts[i].value = strdup(value);
	if (facts[i].value)
		atomic_store(&facts[i].key, strdup(key));
}

static void emit_facts(void)
{
	for (unsigned i = 0; i < MAX_FACTS; i++) {
		const char *key = atomic_load(&facts[i].key);

		if (key)
			emit_fact(key, facts[i].value);
	}
}

/* --- the process -------------------------------------------------------- */

/* Arguments of the process separated by blanks. */
static void read_command(char *text, size_t size)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	if (fd >= 0) {
		n = read(fd, text, size - 1);
		close(fd);
	}
	if (n < 0)
		n = 0;
	text[n] = 0;
	for (ssize_t i = 0; i + 1 < n; i++)
		if (!text[i])
			text[i] = ' ';
}

/* The file says in which namespace its number is the process'. */
static bool process_file(char *path, size_t size)
{
	const char *directory = trace_host->processes ? trace_host->processes() : "";

	return *directory &&
	       snprintf(path, size, "%s/%d" ACL_TRACE_PROCESS_SUFFIX, directory, (int)getpid()) < (int)size;
}

static void show_process(void)
{
	char path[PATH_MAX], space[64];
	ssize_t n = readlink("/proc/self/ns/pid", space, sizeof(space));
	int fd;

	if (n <= 0 || !process_file(path, sizeof(path)))
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (write(fd, space, (size_t)n) != n)
		unlink(path);
	close(fd);
}

/* A process that ends in order leaves no file. */
static void hide_process(void)
{
	char path[PATH_MAX];

	if (process_file(path, sizeof(path)))
		unlink(path);
}

static void emit_process(void)
{
	char command[TRACE_LINE], host[HOST_NAME_MAX + 1] = "", rank[16] = "";
	struct trace_process p = {.version = trace_host->version,
		.command = command,
		.host = host,
		.rank = rank,
		.ppid = (uint32_t)getppid(),
		.forked = trace_host->forked()};

	if (trace_host->rank() >= 0)
		snprintf(rank, sizeof(rank), "%d", trace_host->rank());
	show_process();
	read_command(command, sizeof(command));
	gethostname(host, sizeof(host) - 1);
	lttng_ust_tracepoint(aclcheck, process, &p);
}

static _Atomic(void *) process_probes;

static bool is_process_told(void)
{
	return atomic_load_explicit(&process_probes, memory_order_relaxed) ==
	       *(void *volatile *)&lttng_ust_tracepoint_aclcheck___process.probes;
}

bool self_describe(void)
{
	void *probes = *(void *volatile *)&lttng_ust_tracepoint_aclcheck___process.probes;

	if (is_process_told())
		return false;
	if (atomic_exchange(&process_probes, probes) == probes || !probes)
		return false;
	emit_process();
	emit_facts();
	atomic_store(&process_told, true);
	return true;
}

void self_remember(const char *key, const char *value)
{
	keep_fact(key, value);
	if (!self_describe())
		emit_fact(key, value);
}

/* --- threads ------------------------------------------------------------ */

/* The sessions that know the thread, as is_news() has them. */
static _Thread_local __attribute__((tls_model("initial-exec"))) void *thread_told;

static void *thread_probes(void)
{
	return *(void *volatile *)&lttng_ust_tracepoint_aclcheck___thread.probes;
}

static void emit_thread(uint64_t self)
{
	thread_told = thread_probes();
	lttng_ust_tracepoint(aclcheck, thread, self);
}

/* --- modules and stacks ------------------------------------------------- */

struct known {
	_Atomic(void *) probes;
	_Atomic uint64_t bits[MAX_IDS / 64];
};

static struct known modules, stacks, places;

static void self_forget(struct known *k)
{
	for (unsigned i = 0; i < MAX_IDS / 64; i++)
		if (atomic_load_explicit(&k->bits[i], memory_order_relaxed))
			atomic_store_explicit(&k->bits[i], 0, memory_order_relaxed);
}

/* True once per id and set of sessions. */
static bool is_news(struct known *k, struct lttng_ust_tracepoint *tp, uint32_t id)
{
	void *probes = *(void *volatile *)&tp->probes;
	uint64_t bit = 1ull << id % 64;

	if (!probes)
		return false;
	if (__builtin_expect(atomic_load_explicit(&k->probes, memory_order_relaxed) != probes, 0) &&
		atomic_exchange(&k->probes, probes) != probes)
		self_forget(k);
	if (id >= MAX_IDS)
		return true;
	if (atomic_load_explicit(&k->bits[id / 64], memory_order_relaxed) & bit)
		return false;
	return !(atomic_fetch_or(&k->bits[id / 64], bit) & bit);
}

void self_module(uint32_t id)
{
	const struct acl_module *m;

	if (!is_news(&modules, &lttng_ust_tracepoint_aclcheck___module, id))
		return;
	m = trace_host->module_by_id(id);
	if (m)
		lttng_ust_tracepoint(aclcheck, module, m);
}

/* Callers whose module was described to those sessions, with the libraries closed so far; a place holds one.
 */
static struct {
	_Atomic(void *) probes;
	_Atomic uint32_t closed;
	_Atomic uint64_t addresses[CALLERS];
} callers;

static void *module_probes(void)
{
	return *(void *volatile *)&lttng_ust_tracepoint_aclcheck___module.probes;
}

static uint32_t closed_libraries(void)
{
	return __atomic_load_n(trace_host->modules_closed, __ATOMIC_RELAXED);
}

static _Atomic uint64_t *caller_place(uint64_t caller)
{
	return &callers.addresses[(caller ^ caller >> 8) % CALLERS];
}

static bool is_caller_told(uint64_t caller)
{
	return atomic_load_explicit(caller_place(caller), memory_order_relaxed) == caller &&
	       atomic_load_explicit(&callers.probes, memory_order_relaxed) == module_probes() &&
	       atomic_load_explicit(&callers.closed, memory_order_relaxed) == closed_libraries();
}

static void forget_callers(void *probes, uint32_t closed)
{
	for (unsigned i = 0; i < CALLERS; i++)
		atomic_store_explicit(&callers.addresses[i], 0, memory_order_relaxed);
	atomic_store_explicit(&callers.closed, closed, memory_order_relaxed);
	atomic_store_explicit(&callers.probes, probes, memory_order_release);
}

static void describe_caller(uint64_t caller)
{
	void *probes = module_probes();
	uint32_t closed = closed_libraries();
	const struct acl_module *m;

	if (atomic_load(&callers.probes) != probes || atomic_load(&callers.closed) != closed)
		forget_callers(probes, closed);
	m = probes ? trace_host->module_of(caller) : NULL;
	if (m) {
		self_module(m->id);
		lttng_ust_tracepoint(aclcheck, caller, caller, m->id);
	}
	atomic_store_explicit(caller_place(caller), caller, memory_order_relaxed);
}

static __attribute__((noinline, cold)) void describe_call(
	const struct acl_call_record *call, bool with_caller)
{
	self_describe();
	if (thread_told != thread_probes())
		emit_thread(call->pthread_id);
	if (with_caller && !is_caller_told(call->caller))
		describe_caller(call->caller);
}

void self_call(const struct acl_call_record *call, bool with_caller)
{
	if (__builtin_expect(is_process_told() && thread_told == thread_probes() &&
				     (!with_caller || is_caller_told(call->caller)),
		    1))
		return;
	describe_call(call, with_caller);
}

/* Readers that know of no Python code have the frames of the stack that are addresses. */
static void python_stack(uint32_t id)
{
	const uint64_t *frames = NULL;
	unsigned n = trace_host->python_stack ? trace_host->python_stack(id, &frames) : 0;

	for (unsigned i = 0; i < n; i++)
		if (frames[i] & TRACE_PYTHON &&
			is_news(&places, &lttng_ust_tracepoint_aclcheck___python_place, (uint32_t)frames[i]))
			lttng_ust_tracepoint(aclcheck, python_place, trace_host->python_place(id, i));
	if (n)
		lttng_ust_tracepoint(aclcheck, python_stack, id, frames, n);
}

void self_stack(uint32_t id)
{
	const uint64_t *ips = NULL;
	unsigned n;

	if (!is_news(&stacks, &lttng_ust_tracepoint_aclcheck___stack, id))
		return;
	n = trace_host->stack_frames(id, &ips);
	for (unsigned i = 0; i < n; i++) {
		const struct acl_module *m = trace_host->module_of(ips[i]);

		if (m)
			self_module(m->id);
	}
	if (n)
		lttng_ust_tracepoint(aclcheck, stack, id, ips, n);
	python_stack(id);
}

void self_forked(void)
{
	atomic_store(&process_probes, NULL);
	thread_told = NULL;
	forget_callers(NULL, 0);
	self_forget(&modules);
	self_forget(&stacks);
	self_forget(&places);
}
