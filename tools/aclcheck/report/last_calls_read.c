/* SPDX-License-Identifier: Apache-2.0 */
/* The file is read into memory first: nothing in it is trusted, and a writer may still be at work. */
#include "tools/aclcheck/report/merge_parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/common/argument_text.h"
#include "interpose/common/last_calls_file.h"
#include "tools/aclcheck/common/command.h"

#define SHOWN 8 /* calls of a thread */
#define ENTRIES_ALL (LASTCALLS_RINGS * LASTCALLS_ENTRIES)

struct call {
	uint32_t thread;
	unsigned api, words;
	uint64_t order, result;
	bool returned;
	uint64_t args[LASTCALLS_WORDS];
};

static bool read_area(const char *path, struct last_calls_area *area)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	size_t done = 0;
	ssize_t n;
	char more;

	if (fd < 0)
		return false;
	while (done < sizeof(*area) && (n = read(fd, (char *)area + done, sizeof(*area) - done)) > 0)
		done += (size_t)n;
	n = read(fd, &more, 1);
	close(fd);
	return done == sizeof(*area) && n == 0;
}

static bool is_ours(const struct last_calls_area *area, json_int_t pid)
{
	return area->magic == LASTCALLS_MAGIC && area->model == last_calls_model() &&
	       area->rings == LASTCALLS_RINGS && area->entries == LASTCALLS_ENTRIES &&
	       area->words == LASTCALLS_WORDS && area->pid == pid;
}

static bool take_entry(const struct last_calls_entry *e, struct call *c)
{
	uint64_t state = atomic_load(&e->state), what = atomic_load(&e->what);

	c->order = state >> 1;
	c->returned = state & 1;
	c->thread = (uint32_t)(what >> 32);
	c->api = what >> 16 & 0xffff;
	c->words = what & 0xffff;
	c->result = atomic_load(&e->result);
	for (unsigned i = 0; i < LASTCALLS_WORDS; i++)
		c->args[i] = atomic_load(&e->args[i]);
	return state && c->api < acl_api_count && c->words <= LASTCALLS_WORDS;
}

static int by_thread_and_order(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static json_t *call_json(const struct call *c)
{
	char buf[16384], result[128];
	struct text t, r;
	struct jout j;

	text_init(&t, buf, sizeof(buf));
	jout_init(&j, &t);
	jout_object(&j, NULL);
	jout_string(&j, "call", acl_apis[c->api].name);
	decode_stored_json(&j, "args", c->api, c->args, c->words * sizeof(*c->args));
	if (c->returned) {
		text_init(&r, result, sizeof(result));
		decode_result(&r, c->api, &(union acl_result){.u = c->result});
		jout_string(&j, "result", result);
	} else {
		jout_bool(&j, "inside", true);
	}
	jout_object_end(&j);
	return t.cut ? NULL : json_loadb(buf, t.len, 0, NULL);
}

static json_t *thread_json(const struct call *calls, size_t n)
{
	json_t *list = json_array();

	for (size_t i = n > SHOWN ? n - SHOWN : 0; i < n; i++) {
		json_t *call = call_json(&calls[i]);

		if (call)
			json_array_append_new(list, call);
	}
	return json_pack("{s:I, s:o}", "thread", (json_int_t)calls->thread, "calls", list);
}

static json_t *threads_json(struct call *calls, size_t n)
{
	json_t *threads = json_array();

	qsort(calls, n, sizeof(*calls), by_thread_and_order);
	for (size_t i = 0, first = 0; i < n; i++)
		if (i + 1 == n || calls[i + 1].thread != calls[first].thread) {
			json_array_append_new(threads, thread_json(calls + first, i + 1 - first));
			first = i + 1;
		}
	return threads;
}

json_t *last_calls_read(const char *path, json_int_t pid)
{
	struct last_calls_area *area = need(aligned_alloc(64, sizeof(*area)));
	struct call *calls = need(malloc(ENTRIES_ALL * sizeof(*calls)));
	json_t *threads = NULL;
	size_t n = 0;

	if (read_area(path, area) && is_ours(area, pid)) {
		for (unsigned i = 0; i < ENTRIES_ALL; i++)
			n += take_entry(
				&area->ring[i / LASTCALLS_ENTRIES].entries[i % LASTCALLS_ENTRIES], &calls[n]);
		threads = threads_json(calls, n);
	}
	free(calls);
	free(area);
	return threads;
}
