/* SPDX-License-Identifier: Apache-2.0 */
/* The checker without a process: plays caller, runtime and sink. */
#define SITES 30000
#include "fixture.h"

#include "checks/engine/instance.h"
#include "tests/checks/fixture_evaluated.h"
#include "tests/checks/fixture_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Where handles of the tests are, and of paired ones, which lead nowhere. Under an emulator libraries and
 * stacks lie beside them.
 */
#define HANDLES 0x55550000ul
#define HANDLE_BYTES (1ul << 20)
#define PAIRED_HANDLES 0x5400000000ul
#define PAIRED_HANDLE_BYTES 0x200000000ul
/* Page-locked memory of paired ones. */
#define PAIRED_HOST_TERABYTE 0x7eul

/* --- memory ------------------------------------------------------------------------ */

#define ARENA (128ul << 20)

/* Tables take megabytes and a test makes many checkers: pages once touched are used again. */
static char *spare_arena;

static char *arena_take(void)
{
	char *arena = spare_arena;

	spare_arena = NULL;
	if (arena)
		return arena;
	arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(arena, MAP_FAILED);
	return arena;
}

static void *memory(void *context, size_t bytes)
{
	struct fixture *fixture = context;
	size_t at = (fixture->bytes + 4095) & ~(size_t)4095;

	fixture->n_memory++;
	if (fixture->no_memory ||
		(fixture->refused && (fixture->refused_once ? fixture->n_memory == fixture->refused
							    : fixture->n_memory >= fixture->refused)) ||
		at + bytes > ARENA)
		return NULL;
	if (fixture->n_regions < FIXTURE_REGIONS) {
		fixture->regions[fixture->n_regions].at = fixture->arena + at;
		fixture->regions[fixture->n_regions++].bytes = bytes;
	}
	fixture->bytes = at + bytes;
	return fixture->arena + at;
}

/* --- the process -------------------------------------------------------------------- */

static enum acl_host_class class_of(void *context, const void *address)
{
	const struct fixture *fixture = context;
	uintptr_t offset = (uintptr_t)address - (uintptr_t)fixture->heap;

	/* No memory of libc's lies among the device's addresses. */
	if ((uintptr_t)address >> 40 == DEVICE_MEMORY >> 40 && !fixture->libc_everywhere)
		return ACL_HOST_UNKNOWN;
	if (fixture->block && (uintptr_t)address - (uintptr_t)fixture->block < fixture->block_bytes)
		return ACL_HOST_HEAP;
	return fixture->heap && offset < fixture->heap_bytes ? ACL_HOST_HEAP : fixture->class;
}

static uint64_t mapping_of(void *context, const void *address, bool latest)
{
	(void)address;
	(void)latest;
	return ((struct fixture *)context)->mapping;
}

static unsigned promised(void *context, const void *address, uint64_t bytes)
{
	const struct fixture *fixture = context;

	return fixture->block && address == fixture->block && bytes == fixture->block_bytes ? 16 : 0;
}

static uint32_t module_of(void *context, uint64_t code)
{
	const struct fixture *fixture = context;

	return fixture->module + (fixture->other_code && code >= fixture->other_code);
}

static bool lives(void *context, uint32_t tid)
{
	return tid != ((struct fixture *)context)->dead_thread;
}

static bool unseen(void *context, enum checks_other_submitter what)
{
	return ((struct fixture *)context)->other_ways & 1u << what;
}

/* Below these the addresses of tests lie, and seldom anything of the process. */
#define INVENTED_TERABYTES 0x20

/* The program's pointers are this process' own, except what a test says. */
/* The kernel reads the mask before it finds that there is no such way of setting one. */
static bool is_mapped(uintptr_t at)
{
	int saved = errno;
	bool is = syscall(SYS_rt_sigprocmask, -1, at & ~(uintptr_t)7, NULL, sizeof(uint64_t)) == -1 &&
		  errno == EINVAL;

	errno = saved;
	return is;
}

static bool readable(void *context, const void *from, void *to, size_t bytes)
{
	const struct fixture *fixture = context;
	uintptr_t at = (uintptr_t)from;

	if ((at - HANDLES < HANDLE_BYTES || at - PAIRED_HANDLES < PAIRED_HANDLE_BYTES ||
		    at >> 40 < INVENTED_TERABYTES || at >> 40 == PAIRED_HOST_TERABYTE) &&
		!is_mapped(at))
		return false;
	if (at < fixture->wild + fixture->wild_bytes && fixture->wild < at + bytes)
		return false;
	if (at < fixture->page_end + 4096 && fixture->page_end < at + bytes) {
		/* As from the kernel: what is there comes, all the same. */
		if (at < fixture->page_end)
			memcpy(to, from, fixture->page_end - at);
		return false;
	}
	memcpy(to, from, bytes);
	return true;
}

static bool unmapped(void *context, const void *address)
{
	char byte;

	return !readable(context, address, &byte, 1);
}

static uint64_t memory_total(void *context)
{
	return ((struct fixture *)context)->memory_total;
}

static uint64_t place_of(
	void *context, struct acl_call_record *call, const struct acl_rule *rule, bool counted)
{
	struct fixture *fixture = context;

	(void)call;
	(void)rule;
	fixture->n_placed += counted;
	return fixture->place;
}

/* What a path means to the tests. */
static bool configured(void *context, const char *path, struct checks_init_config *out)
{
	(void)context;
	out->hash = strstr(path, "same") ? 11 : strlen(path) + 100;
	out->trivial = !strcmp(path, "empty");
	out->default_device = !strcmp(path, "default device");
	if (!strncmp(path, "stack of ", 9))
		out->stack = strtoul(path + 9, NULL, 10);
	return strcmp(path, "unreadable") != 0;
}

/* Each call site has a stack of its own, numbered like the site; taken too late it is another one. */
static uint32_t stack_of(void *context, const struct acl_call_record *call)
{
	const struct fixture *fixture = context;

	if (call->caller != fixture->running)
		return FIXTURE_SITES + 1;
	for (unsigned i = 0; i < fixture->n_sites; i++)
		if (fixture->sites[i] == call->caller)
			return i + 1;
	return 0;
}

uint64_t fixture_count(const struct fixture *fixture, const char *rule)
{
	uint64_t *counts = calloc(acl_rule_count, sizeof(*counts)), n;

	assert_non_null(counts);
	checks_rule_counts(fixture->checks, counts);
	n = counts[acl_rule_find(rule)->index];
	free(counts);
	return n;
}

/* --- what all tests of a program found ------------------------------------------------ */

/*
 * All that the findings of a program held, in their order, is kept in NAME.findings
 * beside NAME.c and compared when it ends. `make findings` writes it.
 */
static struct {
	char *text;
	size_t length;
	const struct fixture *last;
	pid_t pid;
	bool counts_only;
} said;

static char *file_read(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;

	*bytes = 0;
	if (!file)
		return NULL;
	if (getdelim(&text, bytes, EOF, file) < 0)
		*bytes = 0;
	else
		*bytes = strlen(text);
	fclose(file);
	return text;
}

/* The first line that differs says enough. */
static void said_differs(const char *path, const char *want)
{
	unsigned line = 1;
	const char *is = said.text;

	while (want && is && *want && *want == *is) {
		line += *is == '\n';
		want++;
		is++;
	}
	printf("# %s:%u is not what was found (make findings writes it anew): %.200s\n", path, line,
		is ? is : "");
	fflush(stdout);
}

/* What it is compared with. */
static char *path_of(char path[512], const char *ending)
{
	const char *source = getenv("ACLCHECK_SOURCE");

	snprintf(path, 512, "%s/tests/checks/%s.%s", source ? source : ".", program_invocation_short_name,
		ending);
	return path;
}

static bool said_compare(const char *path)
{
	size_t bytes;
	char *want = file_read(path, &bytes);

	if (bytes == said.length && (!bytes || !memcmp(want, said.text, bytes)))
		return true;
	said_differs(path, want);
	return false;
}

static bool said_write(const char *path)
{
	FILE *file = said.length ? fopen(path, "w") : NULL;

	return !said.length ||
	       (file && fwrite(said.text, 1, said.length, file) == said.length && !fclose(file));
}

static void compare(void)
{
	bool writing = getenv("FINDINGS_WRITE") != NULL, same;
	char path[512];

	if (said.pid != getpid())
		return;
	path_of(path, "findings");
	same = writing ? said_write(path) : said_compare(path);
	if (!fixture_rules_compare(path_of(path, "rules"), writing) || !same)
		_exit(1);
}

void fixture_unrecorded(void)
{
	said.pid = -1;
}

void fixture_counts_only(void)
{
	said.counts_only = true;
}

static void said_add(const struct fixture *fixture, const char *text)
{
	size_t n = strlen(text);

	said.text = realloc(said.text, said.length + n + 2);
	assert_non_null(said.text);
	/* An empty line between checkers. */
	if (said.length && said.last != fixture)
		said.text[said.length++] = '\n';
	said.last = fixture;
	memcpy(said.text + said.length, text, n + 1);
	said.length += n;
}

static void deep(void *context, void (*fn)(void *), void *arg)
{
	struct fixture *fixture = context;

	fixture->deep = true;
	fn(arg);
	fixture->deep = false;
}

static void finding(void *context, const struct acl_finding *f)
{
	static const char *const severities[] = {"portability", "perf", "warning", "error"};
	struct fixture *fixture = context;
	struct fixture_finding *found = &fixture->found[fixture->n_found];

	assert_true(fixture->n_found < FIXTURE_FINDINGS);
	/* In a call of the program, whose stack may be small. */
	assert_true(fixture->deep || !fixture->running);
	/* A finding of a rule that was not evaluated is miscounted. */
	if (!fixture_count(fixture, f->rule->id))
		fail_msg("%s was not evaluated", f->rule->id);
	snprintf(found->what, sizeof(found->what), "%s:%s%s", f->rule->id,
		f->advice ? "advice" : severities[f->severity], f->secondary ? "*" : "");
	snprintf(found->detail, sizeof(found->detail), "%s", f->detail ? f->detail : "");
	fixture_text(fixture, f, found->text, sizeof(found->text));
	found->rule = f->rule;
	found->severity = f->severity;
	found->advice = f->advice;
	found->secondary = f->secondary;
	found->explains = f->explains;
	found->at_leave = f->at_leave;
	found->repeat = f->repeat;
	found->serial = f->serial;
	found->n_values = f->n_values;
	found->n_objects = f->n_objects;
	fixture->n_found++;
	/* A finding says what is wrong in this case, not only the title of the rule. */
	if (!f->advice && f->severity >= ACL_SEV_WARNING && !found->detail[0])
		fail_msg("%s says nothing", found->what);
	if (said.pid == getpid() && !said.counts_only)
		said_add(fixture, found->text);
}

/* --- one checker -------------------------------------------------------------------- */

/* Those that were made and not freed: many tests end without. */
static struct fixture **alive;
static unsigned n_alive;

static void alive_add(struct fixture *fixture)
{
	alive = realloc(alive, (n_alive + 1) * sizeof(struct fixture *));
	assert_non_null(alive);
	alive[n_alive++] = fixture;
}

static void alive_drop(const struct fixture *fixture)
{
	unsigned i = 0;

	while (i < n_alive && alive[i] != fixture)
		i++;
	assert_true(i < n_alive);
	alive[i] = alive[--n_alive];
}

bool fixture_rules_compare(const char *path, bool writing)
{
	for (unsigned i = 0; i < n_alive; i++)
		rules_add(alive[i]);
	return rules_compare(path, writing);
}

struct fixture *fixture_with(const struct checks_config *config)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct checks_host host = {.context = fixture,
		.stack = stack_of,
		.host_class = class_of,
		.mapping = mapping_of,
		.module = module_of,
		.unseen = unseen,
		.memory_total = memory_total,
		.place = place_of,
		.places = &fixture->places,
		.heap_alignment = promised,
		.read = readable,
		.unmapped = unmapped,
		.thread_lives = lives,
		.init_config = configured,
		.finding = finding,
		.with_stack = deep,
		.memory = memory};

	assert_non_null(fixture);
	if (!said.pid) {
		said.pid = getpid();
		atexit(compare);
	}
	fixture->arena = arena_take();
	fixture->image = -1;
	fixture->pid = fixture->tid = fixture->module = 1;
	fixture->other_ways = ~0u;
	fixture->class = ACL_HOST_HEAP;
	fixture->checks = checks_create(config, &host);
	assert_non_null(fixture->checks);
	alive_add(fixture);
	return fixture;
}

struct fixture *fixture_new(int target)
{
	return fixture_with(&(const struct checks_config){.target = target});
}

struct fixture *fixture_with_all_hooks(void)
{
	struct fixture *fixture = fixture_new(CHECKS_TARGET_DOCUMENTS);

	for (unsigned what = WHEN_ALWAYS + 1; what < WHEN_COUNT; what++)
		checks_when(fixture->checks, what);
	return fixture;
}

struct fixture *fixture_ready(int target)
{
	struct fixture *fixture = fixture_new(target);

	CALL(fixture, aclInit, 0, .configPath = NULL);
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	silent(fixture);
	return fixture;
}

static bool is_zero(const char *page)
{
	return !page[0] && !memcmp(page, page + 1, 4095);
}

static void arena_map(struct fixture *fixture, int flags, int file)
{
	void *at = mmap(fixture->arena, ARENA, PROT_READ | PROT_WRITE,
		MAP_FIXED | MAP_PRIVATE | MAP_NORESERVE | flags, file, 0);

	assert_ptr_equal(at, fixture->arena);
}

/* The tables become private copies of a file: going back is to map it once more. */
void fixture_keep(struct fixture *fixture)
{
	fixture->image = memfd_create("tables", MFD_CLOEXEC);
	assert_true(fixture->image >= 0);
	assert_int_equal(ftruncate(fixture->image, ARENA), 0);
	for (size_t at = 0; at < fixture->bytes; at += 4096)
		if (!is_zero(fixture->arena + at))
			assert_int_equal(pwrite(fixture->image, fixture->arena + at, 4096, (off_t)at), 4096);
	arena_map(fixture, 0, fixture->image);
	fixture->image_bytes = mmap(NULL, ARENA, PROT_READ, MAP_SHARED, fixture->image, 0);
	assert_ptr_not_equal(fixture->image_bytes, MAP_FAILED);
	fixture->kept = malloc(sizeof(*fixture));
	assert_non_null(fixture->kept);
	*fixture->kept = *fixture;
}

#define PAGE_PRESENT (UINT64_C(3) << 62) /* or swapped out */
#define PAGE_OF_FILE (UINT64_C(1) << 61)

/* Puts back the pages that were written: most are not, and mapping all of them anew costs a fault for each
 * that is read. False: the kernel does not say which. */
static bool pages_put_back(struct fixture *fixture)
{
	static uint64_t pages[ARENA / 4096];
	static int map = -1;
	size_t n = (fixture->bytes + 4095) / 4096;

	if (map < 0)
		map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (pread(map, pages, n * 8, (off_t)((uintptr_t)fixture->arena / 4096 * 8)) != (ssize_t)(n * 8))
		return false;
	for (size_t i = 0; i < n; i++)
		if ((pages[i] & PAGE_PRESENT) && !(pages[i] & PAGE_OF_FILE))
			memcpy(fixture->arena + i * 4096, fixture->image_bytes + i * 4096, 4096);
	return true;
}

void fixture_again(struct fixture *fixture)
{
	const struct fixture *kept = fixture->kept;

	rules_add(fixture);
	if (!pages_put_back(fixture))
		arena_map(fixture, 0, fixture->image);
	/* What was found is not kept: it is large, and its number says how much of it counts. */
	memcpy(fixture, kept, offsetof(struct fixture, found));
}

void fixture_free(struct fixture *fixture)
{
	rules_add(fixture);
	alive_drop(fixture);
	checks_destroy(fixture->checks);
	if (fixture->image >= 0) {
		arena_map(fixture, MAP_ANONYMOUS, -1);
		munmap(fixture->image_bytes, ARENA);
		close(fixture->image);
		free(fixture->kept);
	} else {
		memset(fixture->arena, 0, fixture->bytes);
	}
	if (spare_arena)
		munmap(fixture->arena, ARENA);
	else
		spare_arena = fixture->arena;
	free(fixture);
}

void fixture_use_up_memory(struct fixture *fixture)
{
	fixture->no_memory = true;
	for (size_t bytes = 1ul << 20; bytes >= 64; bytes /= 2)
		while (checks_alloc(fixture->checks, bytes))
			;
}

uint64_t fixture_pthread(uint32_t tid)
{
	return tid * 4096ul;
}

static void site_seen(struct fixture *fixture, uint64_t caller)
{
	for (unsigned i = 0; i < fixture->n_sites; i++)
		if (fixture->sites[i] == caller)
			return;
	if (fixture->n_sites < FIXTURE_SITES)
		fixture->sites[fixture->n_sites++] = caller;
}

/* A record without a way to the checker yet. */
static void record(
	struct fixture *fixture, struct acl_call_record *call, unsigned api, const void *args, unsigned line)
{
	acl_call_record_init(call, api, args, 0x400000 + line * 16ul);
	call->pid = fixture->pid;
	call->tid = fixture->tid;
	call->pthread_id = fixture->pthread_id ? fixture->pthread_id : fixture_pthread(fixture->tid);
	call->module = fixture->module;
	call->callback_depth = fixture->callback_depth;
	call->in_exit = fixture->in_exit;
	call->in_exit_handlers = fixture->in_exit_handlers;
	call->missing = fixture->missing;
	call->forwarded = !fixture->missing;
	call->path = fixture->inside ? ACL_PATH_INSIDE : ACL_PATH_LINKED;
}

/* As the preload library does: the checker's record of a thread is found once. */
static void **thread_record(struct fixture *fixture)
{
	unsigned i = 0;

	while (i < fixture->n_threads && fixture->threads[i].tid != fixture->tid)
		i++;
	if (i == FIXTURE_THREADS)
		return NULL;
	if (i == fixture->n_threads) {
		fixture->threads[fixture->n_threads++].tid = fixture->tid;
		fixture->threads[i].record = NULL;
	}
	return &fixture->threads[i].record;
}

void fixture_enter(
	struct fixture *fixture, struct acl_call_record *call, unsigned api, const void *args, unsigned line)
{
	void **thread = thread_record(fixture);

	record(fixture, call, api, args, line);
	call->thread = thread ? *thread : NULL;
	site_seen(fixture, call->caller);
	fixture->running = call->caller;
	evaluated_before(fixture->checks);
	checks_enter(fixture->checks, call);
	if (thread)
		*thread = call->thread;
	evaluated_after(fixture->checks, api);
	fixture->running = 0;
}

void fixture_leave(struct fixture *fixture, struct acl_call_record *call, int64_t result)
{
	call->result.i = result;
	fixture->running = call->caller;
	evaluated_before(fixture->checks);
	if (call->thread && acl_call_is_usual(call))
		checks_leave_usual(fixture->checks, call);
	else
		checks_leave(fixture->checks, call);
	evaluated_after(fixture->checks, call->api);
	fixture->running = 0;
}

void fixture_call(struct fixture *fixture, unsigned api, void *args, int64_t result, unsigned line)
{
	struct acl_call_record call;

	fixture_enter(fixture, &call, api, args, line);
	fixture_leave(fixture, &call, result);
}

const char *fixture_annotate(struct fixture *fixture, unsigned annotation, const void *args, unsigned line)
{
	struct acl_call_record call;
	const char *refused;

	record(fixture, &call, annotation, args, line);
	site_seen(fixture, call.caller);
	fixture->running = call.caller;
	fixture->deep = true; /* the process sees to it */
	refused = checks_annotate(fixture->checks, &call);
	fixture->deep = false;
	fixture->running = 0;
	return refused;
}

void fixture_callback(struct fixture *fixture, unsigned api, const void *argument, bool begins)
{
	struct acl_call_record call;

	if (begins)
		fixture->callback_depth++;
	record(fixture, &call, api, NULL, 0);
	checks_callback(fixture->checks, &call, argument, begins);
	if (!begins)
		fixture->callback_depth--;
}

/* --- what was found ------------------------------------------------------------------ */

/* Takes one occurrence of word out of the list; false when it is not in it. */
static bool take(char *list, const char *word)
{
	size_t n = strlen(word);

	for (char *p = strstr(list, word); p; p = strstr(p + 1, word))
		if ((p == list || p[-1] == ' ') && (p[n] == ' ' || !p[n])) {
			memset(p, ' ', n);
			return true;
		}
	return false;
}

/* Advice fails no gate: a scenario about one rule need not know what else could be said better. */
static bool is_advice(const char *what)
{
	const char *colon = strchr(what, ':');

	return colon && !strcmp(colon, ":advice");
}

void want(struct fixture *fixture, const char *wanted)
{
	char list[512];
	bool wrong = false;

	snprintf(list, sizeof(list), "%s", wanted);
	for (unsigned i = fixture->n_seen; i < fixture->n_found; i++) {
		const char *what = fixture->found[i].what;

		if (take(list, what) || what[strlen(what) - 1] == '*' || is_advice(what))
			continue;
		wrong = true;
		print_message("# not wanted: %s: %s\n", what, fixture->found[i].detail);
	}
	fixture->n_seen = fixture->n_found;
	if (strspn(list, " ") != strlen(list)) {
		wrong = true;
		print_message("# wanted and not found: %s\n", list);
	}
	assert_false(wrong);
}

void never(const struct fixture *fixture, const char *rule)
{
	size_t n = strlen(rule);

	for (unsigned i = 0; i < fixture->n_found; i++)
		if (!strncmp(fixture->found[i].what, rule, n) && fixture->found[i].what[n] == ':')
			fail_msg("%s: %s", fixture->found[i].what, fixture->found[i].detail);
}

void *handle(unsigned n)
{
	return (void *)(HANDLES + n * 64ul);
}

void *fixture_malloc(struct fixture *fixture, uint64_t address, uint64_t size)
{
	void *p = (void *)address;

	CALL(fixture, aclrtMalloc, 0, .devPtr = &p, .size = size);
	return p;
}

void *fixture_malloc_host(struct fixture *fixture, uint64_t address, uint64_t size)
{
	void *p = (void *)address;

	CALL(fixture, aclrtMallocHost, 0, .hostPtr = &p, .size = size);
	return p;
}

void *fixture_stream(struct fixture *fixture, unsigned n)
{
	aclrtStream s = handle(n);

	CALL(fixture, aclrtCreateStream, 0, .stream = &s);
	return s;
}

void *fixture_event(struct fixture *fixture, unsigned n, unsigned flag)
{
	aclrtEvent e = handle(n);

	CALL(fixture, aclrtCreateEventExWithFlag, 0, .event = &e, .flag = flag);
	return e;
}
