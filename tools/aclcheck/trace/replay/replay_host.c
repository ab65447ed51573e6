/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the checks and the report ask of their process, answered from the recording: the same files that
 * libaclcheck.so is made of make the report here, and these functions stand where those of a living process
 * do.  What was not recorded is unknown, and unknown is silence.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "interpose/config/job_identity.h"
#include "interpose/config/run_membership.h"
#include "interpose/config/run_settings.h"
#include "interpose/report/expect_scope.h"
#include "interpose/report/journal.h"
#include "interpose/report/sinks.h"
#include "interpose/report/trace_sink.h"
#include "interpose/runtime/dynamic_linker.h"
#include "interpose/runtime/foreign_function.h"
#include "interpose/runtime/function_table.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/runtime/module_walk.h"
#include "interpose/runtime/real_function.h"
#include "interpose/symbolize/call_stack.h"
#include "interpose/symbolize/python_frames.h"
#include "interpose/symbolize/python_status.h"
#include "interpose/symbolize/stack_site.h"
#include "interpose/symbolize/unwind.h"
#include "tools/aclcheck/trace/replay/replay.h"

#define MODULE_NONE UINT32_MAX

/* --- modules -------------------------------------------------------------------- */

static struct acl_module **modules; /* by id, from 1 */
static unsigned n_modules;

static bool same(const struct acl_module *a, const struct replay_module *b)
{
	return a->start == b->start && a->end == b->end && !strcmp(a->path, (const char *)(b + 1));
}

void replay_host_module(const struct replay_module *m)
{
	struct acl_module *k;

	/* It is said again when another session begins to record. */
	for (unsigned i = 0; i < n_modules; i++)
		if (same(modules[i], m))
			return;
	modules = need(realloc(modules, (n_modules + 1) * sizeof(*modules)));
	k = modules[n_modules++] = need(calloc(1, sizeof(*k)));
	k->id = n_modules;
	k->base = m->base;
	k->start = m->start;
	k->end = m->end;
	k->path = need(strdup((const char *)(m + 1)));
	k->build_id_len = m->build_id_len <= sizeof(k->build_id) ? m->build_id_len : 0;
	memcpy(k->build_id, m->build_id, k->build_id_len);
}

/* The one that came last: an address may have been another library's before. */
const struct acl_module *module_of(uint64_t address)
{
	static struct acl_module *latest;

	if (latest && address >= latest->start && address < latest->end)
		return latest;
	for (unsigned i = n_modules; i-- > 0;)
		if (address >= modules[i]->start && address < modules[i]->end)
			return latest = modules[i];
	return NULL;
}

const struct acl_module *module_of_marked(uint64_t marked)
{
	return module_of(module_address(marked));
}

uint64_t module_mark(uint64_t address)
{
	return address;
}

const struct acl_module *module_by_id(uint32_t id)
{
	return id && id <= n_modules ? modules[id - 1] : NULL;
}

/* --- stacks ----------------------------------------------------------------------- */

struct recorded_stack {
	uint32_t id;
	unsigned n, n_whole;
	UT_hash_handle hh;
	uint64_t frames[STACK_MAX];
	uint64_t *whole; /* with the lines of Python code, NULL: there are none in it */
};

#define PLACES_MAX 262144 /* as python_place.c has them */

static struct recorded_stack *stacks;

void replay_host_stack(uint32_t id, const uint64_t *frames, unsigned n)
{
	struct recorded_stack *s;

	HASH_FIND(hh, stacks, &id, sizeof(id), s);
	if (s)
		return;
	s = need(calloc(1, sizeof(*s)));
	s->id = id;
	s->n = n < STACK_MAX ? n : STACK_MAX;
	/* In a stack of this process the upper bits say more: a damaged recording must not. */
	for (unsigned i = 0; i < s->n; i++)
		s->frames[i] = module_address(frames[i]);
	HASH_ADD(hh, stacks, id, sizeof(s->id), s);
}

static uint64_t *places; /* words of python_place.h, by number */
static uint32_t n_places;

void replay_host_python_place(uint32_t number, const char *function, const char *file, int line)
{
	if (number >= PLACES_MAX)
		return;
	if (number >= n_places) {
		places = need(realloc(places, (number + 1) * sizeof(*places)));
		memset(places + n_places, 0, (number + 1 - n_places) * sizeof(*places));
		n_places = number + 1;
	}
	places[number] = python_place_word(function, file, line);
	python_status_read();
}

/* Lines that the recording lacks are left out. */
void replay_host_python_stack(uint32_t id, const uint64_t *frames, unsigned n)
{
	struct recorded_stack *s;

	replay_host_stack(id, frames, 0);
	HASH_FIND(hh, stacks, &id, sizeof(id), s);
	if (s->whole)
		return;
	s->whole = need(calloc(STACK_MAX, sizeof(*s->whole)));
	for (unsigned i = 0; i < n && s->n_whole < STACK_MAX; i++) {
		uint64_t number = frames[i] & ~TRACE_PYTHON;

		if (!(frames[i] & TRACE_PYTHON))
			s->whole[s->n_whole++] = module_address(frames[i]);
		else if (number < n_places && places[number])
			s->whole[s->n_whole++] = places[number];
	}
}

/* That of the present call, where it was recorded; else there is its caller only. */
unsigned unwind_stack(uint64_t *ips, unsigned max)
{
	uint32_t id = replay_present_stack();
	struct recorded_stack *s;

	HASH_FIND(hh, stacks, &id, sizeof(id), s);
	if (!s || s->n > max)
		return 0;
	memcpy(ips, s->frames, s->n * sizeof(*ips));
	return s->n;
}

unsigned python_merge(uint64_t *ips, unsigned n, unsigned max)
{
	uint32_t id = replay_present_stack();
	struct recorded_stack *s;

	HASH_FIND(hh, stacks, &id, sizeof(id), s);
	if (!s || !s->whole || s->n_whole > max)
		return n;
	memcpy(ips, s->whole, s->n_whole * sizeof(*ips));
	return s->n_whole;
}

bool python_present(void)
{
	return n_places > 0;
}

uint64_t replay_host_site(uint32_t stack, uint64_t caller)
{
	struct recorded_stack *s;

	HASH_FIND(hh, stacks, &stack, sizeof(stack), s);
	return s && s->whole ? stack_site(stack_intern(s->whole, s->n_whole), caller) : caller;
}

/* --- who it was --------------------------------------------------------------------- */

static struct {
	uint32_t pid, ppid;
	int rank;
	int64_t seconds;
	char host[256], argv[1026];
	size_t argv_length;
} self = {.rank = -1};

/* Until there is one in the recording. */
static void look_for_python(const char *program)
{
	const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
	unsigned minor = 0;

	if (strncmp(name, "python3", 7) != 0)
		return;
	sscanf(name, "python3.%u", &minor);
	python_status_seen(minor, "the recording has no frames of Python code");
}

void replay_host_process(const struct replay_record *r, uint32_t pid)
{
	const char *host = (const char *)(r + 1), *rank = host + strlen(host) + 1;
	const char *command = rank + strlen(rank) + 1;

	self.pid = pid;
	self.ppid = r->number;
	self.rank = *rank ? atoi(rank) : -1;
	snprintf(self.host, sizeof(self.host), "%s", host);
	snprintf(self.argv, sizeof(self.argv), "%s", command);
	self.argv_length = strlen(self.argv) + 1;
	for (char *c = self.argv; *c; c++)
		if (*c == ' ')
			*c = 0;
	look_for_python(self.argv);
}

void replay_host_time(const struct replay_record *r)
{
	if (r->seconds > self.seconds)
		self.seconds = r->seconds;
}

int64_t identity_time(void)
{
	return self.seconds;
}

uint32_t replay_pid(void)
{
	return self.pid;
}

int identity_rank(void)
{
	return self.rank;
}

const char *identity_host(void)
{
	return self.host;
}

uint32_t identity_pid(void)
{
	return self.pid;
}

uint32_t identity_ppid(void)
{
	return self.ppid;
}

void identity_job(struct text *t)
{
	text_str(t, "replay");
}

void identity_tag(struct text *t)
{
	(void)t;
}

void identity_expand(struct text *t, const char *pattern)
{
	text_str(t, pattern);
}

size_t identity_argv(char *out, size_t cap)
{
	size_t n = self.argv_length < cap ? self.argv_length : cap;

	memcpy(out, self.argv, n);
	return n;
}

/* The run that this command may be part of is not the program's. */
const char *run_directory(void)
{
	return "";
}

const char *run_directory_given(void)
{
	return "";
}

const char *run_job(void)
{
	return "";
}

bool run_was_found(void)
{
	return false;
}

void run_each_setting(void (*fn)(const char *where, const char *word, const char *value))
{
	(void)fn;
}

void run_membership_forked(void)
{
}

/* --- what only a living process has ---------------------------------------------------- */

void (*acl_real[ACL_API_COUNT])(void);

const struct foreign_module *foreign_module(unsigned i)
{
	(void)i;
	return NULL;
}

uint64_t real_sample(void)
{
	return 0;
}

int module_walk(module_walk_fn *fn, void *context)
{
	(void)fn;
	(void)context;
	return 0;
}

void trace_finding(const struct finding_record *s)
{
	(void)s;
}

void *true_dlopen(const char *path, int flags)
{
	(void)path;
	(void)flags;
	return NULL;
}

void *true_dlsym(void *handle, const char *name)
{
	(void)handle;
	(void)name;
	return NULL;
}

/* --- what the checks ask ------------------------------------------------------------------ */

static struct {
	bool submitters[CHECKS_OTHER_THREADS + 1];
	bool submitters_known[CHECKS_OTHER_THREADS + 1];
	uint64_t memory_total;
} facts;

static uint32_t host_stack(void *context, const struct acl_call_record *call)
{
	(void)context;
	return stack_take(call ? stack_site_address(call->caller) : 0);
}

/* Whether a finding is expected is decided once a place (host_place() of a run). */
static uint64_t host_place(
	void *context, struct acl_call_record *call, const struct acl_rule *rule, bool counted)
{
	uint32_t near = 0;

	(void)context;
	if (call && python_present()) {
		if (!call->stack)
			call->stack = stack_take(stack_site_address(call->caller));
		near = stack_python_site(call->stack);
	}
	return near | (expect_any() ? (uint64_t)expect_scope(rule->id, counted) << 48 |
					      (uint64_t)expect_inside() << 32
				    : 0);
}

static enum acl_host_class host_class(void *context, const void *address)
{
	uint64_t class = ACL_HOST_UNKNOWN;

	(void)context;
	return replay_answer(TRACE_ASKS_CLASS, address, &class, sizeof(class)) ? (enum acl_host_class) class
									       : ACL_HOST_UNKNOWN;
}

static uint32_t host_module(void *context, uint64_t code)
{
	const struct acl_module *m = module_of(stack_site_address(code));

	(void)context;
	return m ? m->id : MODULE_NONE;
}

static bool host_unseen(void *context, enum checks_other_submitter what)
{
	(void)context;
	return !facts.submitters_known[what] || facts.submitters[what];
}

static uint64_t host_memory_total(void *context)
{
	(void)context;
	return facts.memory_total;
}

static uint64_t host_mapping(void *context, const void *address, bool latest)
{
	uint64_t mapping = 0;

	(void)context;
	(void)latest;
	return replay_answer(TRACE_ASKS_MAPPING, address, &mapping, sizeof(mapping)) ? mapping : 0;
}

static unsigned host_heap_alignment(void *context, const void *address, uint64_t bytes)
{
	uint64_t alignment = 0;

	(void)context;
	(void)bytes;
	return replay_answer(TRACE_ASKS_ALIGNMENT, address, &alignment, sizeof(alignment))
		       ? (unsigned)alignment
		       : 0;
}

/* One of which that was not asked may live. */
static bool host_thread_lives(void *context, uint32_t tid)
{
	(void)context;
	return !replay_answer(TRACE_ASKS_THREAD, (const void *)(uintptr_t)tid, NULL, 0);
}

static unsigned host_inside(void *context, uint32_t tid, unsigned now)
{
	char name[ACL_API_NAME];
	int api;

	(void)context;
	if (!replay_answer(TRACE_ASKS_INSIDE, (const void *)(uintptr_t)tid, name, sizeof(name)))
		return now;
	name[sizeof(name) - 1] = 0;
	api = acl_api_find(name);
	return api < 0 ? 0 : (unsigned)api + 1;
}

static bool host_init_config(void *context, const char *path, struct checks_init_config *out)
{
	(void)context;
	(void)path;
	return replay_answer(TRACE_ASKS_CONFIG, NULL, out, sizeof(*out));
}

static bool host_unmapped(void *context, const void *address)
{
	(void)context;
	return replay_answer(TRACE_ASKS_UNMAPPED, address, NULL, 0);
}

static bool host_read(void *context, const void *from, void *to, size_t bytes)
{
	(void)context;
	return replay_memory_read(from, to, bytes);
}

static bool host_read_text(void *context, const char *from, char *to, size_t bytes)
{
	(void)context;
	return replay_text_read(from, to, bytes);
}

static void host_finding(void *context, const struct acl_finding *f)
{
	(void)context;
	sink_finding(f);
}

static void *host_memory(void *context, size_t bytes)
{
	void *p =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	(void)context;
	return p == MAP_FAILED ? NULL : p;
}

static const char *visible_devices;

/* An empty text stands for none. */
void replay_host_visible(const char *devices)
{
	if (!visible_devices && *devices)
		visible_devices = need(strdup(devices));
}

struct checks *replay_checker(void)
{
	static const struct checks_host host = {
		.stack = host_stack,
		.place = host_place,
		.host_class = host_class,
		.module = host_module,
		.finding = host_finding,
		.unseen = host_unseen,
		.memory_total = host_memory_total,
		.mapping = host_mapping,
		.heap_alignment = host_heap_alignment,
		.thread_lives = host_thread_lives,
		.inside = host_inside,
		.init_config = host_init_config,
		.unmapped = host_unmapped,
		.read = host_read,
		.read_text = host_read_text,
		.memory = host_memory,
	};
	struct checks_config config = {.target = CHECKS_TARGET_DOCUMENTS};

	settings_checks(&config);
	config.visible_devices = visible_devices;
	return checks_create(&config, &host);
}

void replay_host_fact(struct checks *c, const char *key, const char *value)
{
	static const char *const submitters[] = {"other-work", "other-queues", "other-threads"};
	struct checks_config config;

	for (unsigned i = 0; i < sizeof(submitters) / sizeof(*submitters); i++)
		if (!strcmp(key, submitters[i])) {
			facts.submitters_known[i] = true;
			facts.submitters[i] = strcmp(value, "no") != 0;
		}
	if (!strcmp(key, "memory-total"))
		facts.memory_total = strtoull(value, NULL, 10);
	if (strcmp(key, "runtime") != 0)
		return;
	settings_checks(&config);
	journal_runtime_version(value);
	if (config.target == CHECKS_TARGET_AUTO && acl_cann_of(value) >= 0)
		checks_set_runtime(c, (enum acl_cann)acl_cann_of(value));
}
