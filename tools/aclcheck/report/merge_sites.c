/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks are scanned for their first frame with a file; only what is new is parsed. */
#include "tools/aclcheck/report/merge_parts.h"

#include <stdlib.h>
#include <string.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/report/report.h"

struct site {
	struct site *next;
	char *key;
	size_t key_size;
	json_t *frame; /* without what differs from process to process */
	json_int_t number, count;
};

struct frame {
	struct span whole, function, file, line, module, offset;
};

static bool frame_member(void *context, struct span key, struct span value)
{
	struct frame *f = context;

	if (span_is(key, "function"))
		f->function = value;
	else if (span_is(key, "file"))
		f->file = value;
	else if (span_is(key, "line"))
		f->line = value;
	else if (span_is(key, "module"))
		f->module = value;
	else if (span_is(key, "offset"))
		f->offset = value;
	return true;
}

/* Stops at the first frame with a file. */
static bool each_frame(void *context, struct span value)
{
	struct frame *best = context, f = {.whole = value};

	if (!scan_object(value, frame_member, &f))
		return false;
	if (!best->whole.at || f.file.at)
		*best = f;
	return !f.file.at;
}

static size_t append(char *key, size_t at, struct span part)
{
	size_t n = part.at ? (size_t)(part.end - part.at) : 0;

	if (key && n)
		memcpy(key + at, part.at, n);
	if (key)
		key[at + n] = '\n';
	return at + n + 1;
}

static size_t make_key(char *key, const struct frame *f)
{
	size_t n = append(key, 0, f->function);

	n = append(key, n, f->file.at ? f->file : f->module);
	return append(key, n, f->file.at ? f->line : f->offset);
}

static struct site *site_of(struct site **sites, const struct frame *f)
{
	size_t size = make_key(NULL, f);
	char *key = need(malloc(size));
	json_int_t number = 1;
	struct site *s;

	make_key(key, f);
	for (; (s = *sites); sites = &s->next, number++)
		if (s->key_size == size && !memcmp(s->key, key, size)) {
			free(key);
			return s;
		}
	s = need(calloc(1, sizeof(*s)));
	s->number = number;
	s->key = key;
	s->key_size = size;
	s->frame = json_loadb(f->whole.at, (size_t)(f->whole.end - f->whole.at), 0, NULL);
	if (!s->frame)
		s->frame = json_object();
	json_object_del(s->frame, "address");
	json_object_del(s->frame, "count");
	*sites = s;
	return s;
}

static void count_at(struct site *site, json_int_t more)
{
	site->count = sane_count(site->count + sane_count(more));
}

void sites_count(struct site *sites, json_int_t number, json_int_t more)
{
	for (; sites; sites = sites->next)
		if (sites->number == number)
			count_at(sites, more);
}

json_int_t sites_add(struct site **sites, struct span stack, json_int_t count)
{
	struct frame best = {.whole = {NULL, NULL}};
	struct site *s;

	if (!stack.at || !scan_array(stack, each_frame, &best) || !best.whole.at)
		return 0;
	s = site_of(sites, &best);
	count_at(s, count);
	return s->number;
}

bool sites_take_over(struct site **sites, const json_t *finding)
{
	const json_t *list = json_object_get(finding, "sites"), *one;
	size_t i;

	json_array_foreach(list, i, one)
	{
		char *text = json_dumps(one, JSON_COMPACT);
		struct span whole = {text, text ? text + strlen(text) : NULL};
		struct frame f = {.whole = whole};

		if (text && scan_object(whole, frame_member, &f))
			count_at(site_of(sites, &f), number_of(one, "count"));
		free(text);
	}
	return json_array_size(list) != 0;
}

json_t *sites_list(const struct site *sites)
{
	json_t *list = json_array(), *known, *one;
	size_t i;

	for (; sites; sites = sites->next) {
		one = json_copy(sites->frame);
		json_object_set_new(one, "count", json_integer(sites->count));
		json_array_foreach(list, i, known) if (number_of(known, "count") < sites->count) break;
		json_array_insert_new(list, i, one);
	}
	return list;
}

void sites_free(struct site *sites)
{
	while (sites) {
		struct site *next = sites->next;

		json_decref(sites->frame);
		free(sites->key);
		free(sites);
		sites = next;
	}
}
