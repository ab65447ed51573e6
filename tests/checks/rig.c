/* SPDX-License-Identifier: Apache-2.0 */
/* The checker without a process: plays caller, runtime and sink. */
#include "rig.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static void *memory(void *context, size_t bytes)
{
	void *p;

	if (((struct rig *)context)->no_memory)
		return NULL;
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

static enum acl_host_class class_of(void *context, const void *address)
{
	(void)address;
	return ((struct rig *)context)->class;
}

static uint32_t module_of(void *context, uint64_t code)
{
	(void)code;
	return ((struct rig *)context)->module;
}

static bool lives(void *context, uint32_t tid)
{
	return tid != ((struct rig *)context)->dead_thread;
}

/* What a path means to the tests. */
static bool configured(void *context, const char *path, struct checks_init_config *out)
{
	(void)context;
	out->hash = strstr(path, "same") ? 11 : strlen(path) + 100;
	out->trivial = !strcmp(path, "empty");
	out->default_device = !strcmp(path, "default device");
	return strcmp(path, "unreadable") != 0;
}

uint64_t rig_asked(const struct rig *rig, const char *rule)
{
	uint64_t *counts = calloc(acl_rule_count, sizeof(*counts)), n;

	assert_non_null(counts);
	checks_asked(rig->checks, counts);
	n = counts[acl_rule_find(rule)->index];
	free(counts);
	return n;
}

static void finding(void *context, const struct acl_finding *f)
{
	static const char *const severities[] = {"portability", "perf", "warning", "error"};
	struct rig *rig = context;
	unsigned n = rig->n_found;

	assert_true(n < 64);
	/* A finding of a rule that was not put to the test is miscounted. */
	assert_true(rig_asked(rig, f->rule->id));
	snprintf(rig->found[n].what, sizeof(rig->found[n].what), "%s:%s%s", f->rule->id,
		f->advice ? "advice" : severities[f->severity], f->secondary ? "*" : "");
	snprintf(rig->found[n].detail, sizeof(rig->found[n].detail), "%s", f->detail ? f->detail : "");
	rig->found[n].repeat = f->repeat;
	rig->found[n].n_values = f->n_values;
	rig->found[n].n_objects = f->n_objects;
	rig->n_found++;
}

struct rig *rig_new(int target)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	struct checks_host host = {.context = rig,
		.host_class = class_of,
		.module = module_of,
		.thread_lives = lives,
		.init_config = configured,
		.finding = finding,
		.memory = memory};
	struct checks_config config = {.target = target};

	rig->tid = 1;
	rig->module = 1;
	rig->class = ACL_HOST_HEAP;
	rig->checks = checks_create(&config, &host);
	assert_non_null(rig->checks);
	return rig;
}

struct rig *rig_ready(int target)
{
	struct rig *rig = rig_new(target);

	CALL(rig, aclInit, 0, .configPath = NULL);
	CALL(rig, aclrtSetDevice, 0, .deviceId = 0);
	silent(rig);
	return rig;
}

void rig_call(struct rig *rig, unsigned api, void *args, int64_t result, unsigned line)
{
	struct acl_event ev;

	acl_event_init(&ev, api, args, 0x400000 + line);
	ev.pid = 1;
	ev.tid = rig->tid;
	ev.pthread_id = rig->tid * 4096ul;
	ev.module = rig->module;
	ev.in_exit = rig->in_exit;
	ev.missing = rig->missing;
	ev.forwarded = !rig->missing;
	ev.path = rig->inside ? ACL_PATH_INSIDE : ACL_PATH_LINKED;
	checks_enter(rig->checks, &ev);
	ev.result.i = result;
	checks_leave(rig->checks, &ev);
}

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

/* Advice fails no gate: a scene about one rule need not know what else could be said better. */
static bool is_advice(const char *what)
{
	const char *colon = strchr(what, ':');

	return colon && !strcmp(colon, ":advice");
}

void want(struct rig *rig, const char *wanted)
{
	char list[512];
	bool wrong = false;

	snprintf(list, sizeof(list), "%s", wanted);
	for (unsigned i = rig->n_seen; i < rig->n_found; i++) {
		const char *what = rig->found[i].what;

		if (take(list, what) || what[strlen(what) - 1] == '*' || is_advice(what))
			continue;
		wrong = true;
		print_message("# not wanted: %s: %s\n", what, rig->found[i].detail);
	}
	rig->n_seen = rig->n_found;
	if (strspn(list, " ") != strlen(list)) {
		wrong = true;
		print_message("# wanted and not found: %s\n", list);
	}
	assert_false(wrong);
}

void never(const struct rig *rig, const char *rule)
{
	size_t n = strlen(rule);

	for (unsigned i = 0; i < rig->n_found; i++)
		if (!strncmp(rig->found[i].what, rule, n) && rig->found[i].what[n] == ':')
			fail_msg("%s: %s", rig->found[i].what, rig->found[i].detail);
}

void *handle(unsigned n)
{
	return (void *)(0x55550000ul + n * 64ul);
}

void *rig_malloc(struct rig *rig, uint64_t address, uint64_t size)
{
	void *p = (void *)address;

	CALL(rig, aclrtMalloc, 0, .devPtr = &p, .size = size);
	return p;
}

void *rig_malloc_host(struct rig *rig, uint64_t address, uint64_t size)
{
	void *p = (void *)address;

	CALL(rig, aclrtMallocHost, 0, .hostPtr = &p, .size = size);
	return p;
}

void *rig_stream(struct rig *rig, unsigned n)
{
	aclrtStream s = handle(n);

	CALL(rig, aclrtCreateStream, 0, .stream = &s);
	return s;
}

void *rig_event(struct rig *rig, unsigned n, unsigned flag)
{
	aclrtEvent e = handle(n);

	CALL(rig, aclrtCreateEventExWithFlag, 0, .event = &e, .flag = flag);
	return e;
}
