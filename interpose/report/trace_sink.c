/* SPDX-License-Identifier: Apache-2.0 */
/* Opening the trace provider, and what it gets to know of the run. */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "interpose/report/trace_sink.h"
#include "interpose/common/thread_state.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/runtime/function_table.h"
#include "interpose/report/expect_scope.h"
#include "interpose/report/log.h"
#include "interpose/common/tool_arena.h"
#include "interpose/runtime/dynamic_linker.h"
#include "interpose/config/run_settings.h"
#include "interpose/report/finding_record.h"
#include "interpose/symbolize/call_stack.h"
#include "interpose/symbolize/stack_site.h"
#include "interpose/symbolize/python_place.h"
#include "interpose/config/job_identity.h"
#include "interpose/report/trace_provider.h"
#include "interpose/report/verdict.h"
#include "interpose/stack/readable_memory.h"

struct trace_sink trace_sink;

#define FACTS_MAX 20
#define REGISTER_MS                                                                                          \
	3000 /* LTTng waits so long for its daemon unless LTTNG_UST_REGISTER_TIMEOUT says otherwise */

/* What was said so far, for a provider that comes later. */
static struct {
	const char *key, *value;
} facts[FACTS_MAX];
static _Atomic uint32_t n_facts;
static bool forked; /* by a process that had called */
static _Atomic bool unsaid; /* something that the program says is not recorded */

/* --- which calls --------------------------------------------------------- */

static _Atomic int64_t calls_left; /* of trace_calls, where that is given */
static _Atomic enum { UNSAID, STARTED, STOPPED } program_says;

static bool is_stopped(void)
{
	enum { START, PROGRAM } from = settings_number(SETTING_TRACE_FROM);

	return atomic_load(&program_says) == STOPPED ||
	       (from == PROGRAM && atomic_load(&program_says) == UNSAID);
}

/* Never taken back: two threads may come here at once, and trace_takes() knows better. */
static void choose(void)
{
	if (is_stopped() || settings_number(SETTING_TRACE_CALLS))
		atomic_store(&trace_sink.some, true);
}

bool trace_takes(void)
{
	if (is_stopped())
		return false;
	if (!settings_number(SETTING_TRACE_CALLS))
		return true;
	/* Once used up it is not counted down any further, or it would begin anew some day. */
	return atomic_load_explicit(&calls_left, memory_order_relaxed) > 0 &&
	       atomic_fetch_sub_explicit(&calls_left, 1, memory_order_relaxed) > 0;
}

bool trace_chose(void)
{
	return atomic_load(&trace_sink.some);
}

void trace_choose(bool record)
{
	atomic_store(&program_says, record ? STARTED : STOPPED);
	if (trace_provider())
		choose();
}

void trace_forked(bool had_called)
{
	forked = had_called;
	atomic_store(&calls_left, settings_number(SETTING_TRACE_CALLS));
	atomic_store(&unsaid, expect_any());
}

/* --- the provider ---------------------------------------------------------- */

static void (*end_early)(void);

void trace_end_is(void (*end)(void))
{
	end_early = end;
}

static void follow(unsigned api, bool traced)
{
	if (api >= ACL_API_COUNT)
		return;
	if (traced)
		__atomic_or_fetch(&acl_state[api], ACL_STATE_TRACE, __ATOMIC_RELAXED);
	else
		__atomic_and_fetch(&acl_state[api], ~(uint32_t)ACL_STATE_TRACE, __ATOMIC_RELAXED);
}

static void end_now(void)
{
	if (end_early)
		end_early();
}

/* Nobody looked yet at what the process leaves behind. */
static const char *verdict_now(void)
{
	return acl_verdict_names[verdict_get() == ACL_VERDICT_FAIL ? ACL_VERDICT_FAIL
								   : ACL_VERDICT_INCONCLUSIVE];
}

/* The trace has addresses as they are, and none of Python code. */
static unsigned plain_frames(uint32_t id, const uint64_t **ips)
{
	uint64_t *plain = thread_self()->frames;
	const uint64_t *marked;
	unsigned all = stack_frames(id, &marked), n = 0;

	for (unsigned i = 0; i < all; i++)
		if (!is_python_frame(marked[i]))
			plain[n++] = module_address(marked[i]);
	*ips = plain;
	return n;
}

static unsigned python_stack(uint32_t id, const uint64_t **frames)
{
	uint64_t *plain = thread_self()->frames;
	const uint64_t *marked;
	unsigned n = stack_frames(id, &marked), places = 0;

	for (unsigned i = 0; i < n; i++) {
		bool python = is_python_frame(marked[i]);

		places += python;
		plain[i] = python ? TRACE_PYTHON | python_place_of(marked[i])->number
				  : module_address(marked[i]);
	}
	*frames = plain;
	return places ? n : 0;
}

static const struct python_place *python_frame(uint32_t id, unsigned index)
{
	const uint64_t *marked;

	stack_frames(id, &marked);
	return python_place_of(marked[index]);
}

static bool is_forked(void)
{
	return forked;
}

static bool records_minimum(void)
{
	enum { ALL, MINIMAL } fields = settings_number(SETTING_TRACE_FIELDS);

	return fields == MINIMAL;
}

static const char *processes(void)
{
	return settings_text(SETTING_TRACE_PROCESSES);
}

static const struct acl_trace_host host = {
	.abi = ACL_TRACE_ABI,
	.size = sizeof(host),
	.version = ACLCHECK_VERSION,
	.n_apis = ACL_API_COUNT,
	.minimal = records_minimum,
	.stack_frames = plain_frames,
	.module_of = module_of,
	.module_by_id = module_by_id,
	.modules_closed = &module_closings,
	.read = readable_copy,
	.follow = follow,
	.end = end_now,
	.verdict = verdict_now,
	.rank = identity_rank,
	.forked = is_forked,
	.processes = processes,
	.python_stack = python_stack,
	.python_place = python_frame,
};

void trace_describe(const char *key, const char *value)
{
	const struct acl_trace_provider *p = trace_provider();
	uint32_t n = atomic_fetch_add(&n_facts, 1);

	if (n < FACTS_MAX) {
		facts[n].key = key;
		facts[n].value = arena_string(value);
	}
	if (p && p->describe)
		p->describe(key, value);
}

/* Of what a call asks for so much is recorded: lists may be of any length. */
#define ANSWERS_MAX 8192u

void trace_answer(enum trace_question question, uint64_t of, const void *answer, size_t bytes)
{
	const struct acl_trace_provider *p = trace_provider();
	struct acl_thread *t = thread_self();

	if (!t->asking || !p || !p->answer || bytes > ANSWERS_MAX - t->answer_bytes)
		return;
	t->answer_bytes += (uint32_t)bytes;
	for (size_t at = 0, n; at < bytes || !at; at += n) {
		n = bytes - at < TRACE_ANSWER ? bytes - at : TRACE_ANSWER;
		p->answer(t->asking, t->asking_at_leave, question, of + at, (const char *)answer + at,
			(unsigned)n);
		if (!n)
			break;
	}
}

void trace_say(const struct trace_said *s)
{
	const struct acl_trace_provider *p = trace_provider();

	if (p && p->said)
		p->said(s);
	else
		atomic_store(&unsaid, true);
}

bool trace_all_said(void)
{
	return !atomic_load(&unsaid) && expect_all_heard();
}

static bool socket_in(const char *directory, const char *rest)
{
	char path[512];
	size_t a, b;

	if (!directory || !directory[0])
		return false;
	a = strlen(directory);
	b = strlen(rest);
	if (a + b >= sizeof(path))
		return false;
	memcpy(path, directory, a);
	memcpy(path + a, rest, b + 1);
	return !access(path, R_OK | W_OK);
}

/* A session daemon listens, or the environment is prepared for one that comes later. */
static bool recorder_near(void)
{
	static const char *const signs[] = {"LTTNG_HOME", "LTTNG_UST_REGISTER_TIMEOUT",
		"LTTNG_UST_ALLOW_BLOCKING", "LTTNG_UST_APP_PATH", "LTTNG_UST_DEBUG", "LTTNG_UST_CTL_PATH"};
	static const char socket[] = "/.lttng/lttng-ust-sock-8";
	const char *home;

	if (socket_in("/var/run/lttng", "/lttng-ust-sock-8"))
		return true;
	if (getauxval(AT_SECURE))
		return false;
	home = getenv("LTTNG_HOME");
	if (socket_in(home ? home : getenv("HOME"), socket))
		return true;
	for (unsigned i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (getenv(signs[i]))
			return true;
	}
	return false;
}

static bool tracing_possible(void)
{
	enum { AUTO, ON, OFF } mode = settings_number(SETTING_TRACE);

	return mode == ON || (mode == AUTO && recorder_near());
}

/* libaclcheck-lttng.so lies beside us. */
static bool provider_path(char *out, size_t size)
{
	const struct acl_module *self = module_of((uintptr_t)provider_path);
	const char *slash = self ? strrchr(self->path, '/') : NULL;
	size_t n = slash ? (size_t)(slash - self->path) + 1 : 0;

	if (!slash || n + sizeof(ACL_TRACE_LIBRARY) > size)
		return false;
	memcpy(out, self->path, n);
	memcpy(out + n, ACL_TRACE_LIBRARY, sizeof(ACL_TRACE_LIBRARY));
	return true;
}

/* Did LTTng give up waiting?  A daemon that is merely slow answers before. */
static bool timed_out(uint64_t waited_ns)
{
	const char *word = getauxval(AT_SECURE) ? NULL : getenv("LTTNG_UST_REGISTER_TIMEOUT");
	long ms = word ? strtol(word, NULL, 10) : REGISTER_MS;

	return ms > 0 && waited_ns / 1000000 >= (uint64_t)ms;
}

/*
 * A recorder that is there but does not answer holds the process up while it
 * is loaded, once: forked children would wait again, so they go unrecorded.
 */
static const struct acl_trace_provider *without_fork(const struct acl_trace_provider *p, uint64_t waited)
{
	static struct acl_trace_provider only_here;

	if (!p || !timed_out(waited))
		return p;
	log_say("LTTng's session daemon does not answer: the first call waited for it", "");
	only_here = *p;
	only_here.before_fork = NULL;
	only_here.after_fork_parent = NULL;
	only_here.after_fork_child = NULL;
	return &only_here;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static const struct acl_trace_provider *load_provider(const char **why)
{
	const struct acl_trace_provider *p = NULL;
	acl_trace_provider_fn entry;
	static char path[4096]; /* one thread opens the provider, with whatever stack it has */
	void *library;

	*why = "not found beside libaclcheck.so";
	if (!provider_path(path, sizeof(path)))
		return NULL;
	library = true_dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	entry = library ? (acl_trace_provider_fn)true_dlsym(library, ACL_TRACE_SYMBOL) : NULL;
	if (!entry) {
		const char *error = true_dlerror();

		*why = error ? error : *why;
		return NULL;
	}
	*why = "it refuses";
	p = entry(&host, why);
	if (p && (p->abi != ACL_TRACE_ABI || p->size != sizeof(*p))) {
		*why = "it is of another version";
		p = NULL;
	}
	return p;
}

bool trace_open(void)
{
	const struct acl_trace_provider *p;
	const char *why;
	uint32_t n = atomic_load(&n_facts);
	uint64_t before;

	if (trace_provider() || !tracing_possible())
		return false;
	before = now();
	p = load_provider(&why);
	p = without_fork(p, now() - before);
	if (!p) {
		log_say("no trace, " ACL_TRACE_LIBRARY ": ", why);
		return false;
	}
	trace_sink.needs_time = p->needs_time;
	trace_sink.names_places = !records_minimum();
	atomic_store(&calls_left, settings_number(SETTING_TRACE_CALLS));
	atomic_store(&trace_sink.provider, p);
	expect_listen(trace_say);
	choose(); /* after that: what the program says meanwhile is seen here or there */
	for (uint32_t i = 0; p->describe && i < n && i < FACTS_MAX; i++)
		p->describe(facts[i].key, facts[i].value);
	return true;
}

/* A recording has no sites that are stacks. */
static void plain_site(struct acl_call_site *site)
{
	site->stack = finding_site_stack(site);
	site->caller = stack_site_address(site->caller);
}

void trace_finding(const struct finding_record *s)
{
	const struct acl_trace_provider *p = trace_provider();
	struct acl_call_record call;
	struct acl_finding f;

	if (!p || !p->finding)
		return;
	f = *s->f;
	if (f.event) {
		call = *f.event;
		call.caller = stack_site_address(call.caller);
		f.event = &call;
	}
	for (unsigned i = 0; i < f.n_objects && i < ACL_FINDING_OBJECTS; i++) {
		plain_site(&f.objects[i].created);
		plain_site(&f.objects[i].last_used);
		plain_site(&f.objects[i].destroyed);
	}
	p->finding(&f, s->status);
}
