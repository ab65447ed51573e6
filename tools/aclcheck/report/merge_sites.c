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
	char *frame; /* as JSON text */
	size_t frame_size;
	json_int_t number, count;
};

struct frame {
	struct span whole, function, file, line, module, offset, library;
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
	else if (span_is(key, "library"))
		f->library = value;
	return true;
}

/* Stops at the first frame with a file; what the Python interpreter brings is not the program's. */
static bool each_frame(void *context, struct span *value)
{
	struct frame *best = context, f = {0};

	if (!scan_first_object(value, frame_member, &f))
		return false;
	f.whole = *value;
	if (!best->whole.at || (f.file.at && !f.library.at))
		*best = f;
	return !f.file.at || f.library.at;
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
	s->frame_size = (size_t)(f->whole.end - f->whole.at);
	s->frame = need(malloc(s->frame_size));
	memcpy(s->frame, f->whole.at, s->frame_size);
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

/* Without what differs from process to process. */
static json_t *frame_json(const struct site *site)
{
	json_t *frame = json_loadb(site->frame, site->frame_size, 0, NULL);

	if (!frame)
		frame = json_object();
	json_object_del(frame, "address");
	json_object_set_new(frame, "count", json_integer(site->count));
	return frame;
}

static int by_count(const void *a, const void *b)
{
	const struct site *x = *(const struct site *const *)a, *y = *(const struct site *const *)b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Most frequent first, ended by NULL; to be freed. */
static const struct site **sorted(const struct site *sites)
{
	const struct site **list;
	size_t n = 0;

	for (const struct site *s = sites; s; s = s->next)
		n++;
	list = need(calloc(n + 1, sizeof(*list)));
	n = 0;
	for (const struct site *s = sites; s; s = s->next)
		list[n++] = s;
	qsort(list, n, sizeof(*list), by_count);
	return list;
}

json_t *sites_list(const struct site *sites)
{
	const struct site **list = sorted(sites);
	json_t *json = json_array();

	for (const struct site **s = list; *s; s++)
		json_array_append_new(json, frame_json(*s));
	free(list);
	return json;
}

struct writing {
	FILE *to;
	bool any;
};

static bool write_member(void *context, struct span key, struct span value)
{
	struct writing *w = context;

	if (span_is(key, "address") || span_is(key, "count"))
		return true;
	member_write_key(w->to, &w->any, key);
	fwrite_unlocked(value.at, 1, (size_t)(value.end - value.at), w->to);
	return true;
}

void sites_write(const struct site *sites, FILE *to)
{
	const struct site **list = sorted(sites);

	fputc('[', to);
	for (const struct site **s = list; *s; s++) {
		const struct span text = {(*s)->frame, (*s)->frame + (*s)->frame_size};
		struct writing w = {to, false};

		fputs(s == list ? "{" : ",{", to);
		scan_object(text, write_member, &w);
		fprintf(to, "%s\"count\":%lld}", w.any ? "," : "", (long long)(*s)->count);
	}
	fputc(']', to);
	free(list);
}

void sites_free(struct site *sites)
{
	while (sites) {
		struct site *next = sites->next;

		free(sites->frame);
		free(sites->key);
		free(sites);
		sites = next;
	}
}
