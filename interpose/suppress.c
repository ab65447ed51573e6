/* SPDX-License-Identifier: Apache-2.0 */
/* Reading suppressions and expectations, and matching them against a finding. */
#include "interpose/suppress.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "interpose/json_in.h"
#include "interpose/read_file.h"
#include "interpose/text.h"

#define FILE_MAX (16u << 20)

static struct {
	struct suppression *list;
	size_t n, room;
	json_t *tree; /* the suppressions point into it */
} all;

bool glob_match(const char *pattern, const char *s)
{
	const char *star = NULL, *retry = NULL;

	while (*s) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = s;
		} else if (*pattern == '?' || *pattern == *s) {
			pattern++;
			s++;
		} else if (star) {
			/* The last star takes one more; earlier ones never need to. */
			pattern = star;
			s = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

/* "0-3,8" */
static bool rank_match(const char *list, int rank)
{
	while (*list) {
		long first = 0, last;

		if (*list < '0' || *list > '9')
			return false;
		for (; *list >= '0' && *list <= '9' && first < 100000000; list++)
			first = first * 10 + (*list - '0');
		last = first;
		if (*list == '-') {
			last = 0;
			for (list++; *list >= '0' && *list <= '9' && last < 100000000; list++)
				last = last * 10 + (*list - '0');
		}
		if (rank >= first && rank <= last)
			return true;
		if (*list != ',')
			return false;
		list++;
	}
	return false;
}

static bool either(const char *pattern, const char *a, const char *b)
{
	return !pattern || (a && glob_match(pattern, a)) || (b && glob_match(pattern, b));
}

static const char *base_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static bool frames_match(const struct suppression *p, const struct suppress_subject *s)
{
	if (!p->function && !p->file && !p->module)
		return true;
	for (unsigned i = 0; i < s->n_frames; i++) {
		const struct suppress_frame *f = &s->frames[i];

		if (either(p->function, f->function, f->symbol) &&
			either(p->file, f->file, base_of(f->file)) &&
			either(p->module, f->module, base_of(f->module)))
			return true;
	}
	return false;
}

static bool objects_match(const struct suppression *p, const struct suppress_subject *s)
{
	for (unsigned i = 0; p->object && i < s->n_objects; i++)
		if (s->objects[i] && glob_match(p->object, s->objects[i]))
			return true;
	return !p->object;
}

static bool matches(const struct suppression *p, const struct suppress_subject *s)
{
	return either(p->rule, s->rule, NULL) && either(p->call, s->call, NULL) &&
	       either(p->fingerprint, s->fingerprint, NULL) && (!p->rank || rank_match(p->rank, s->rank)) &&
	       frames_match(p, s) && objects_match(p, s);
}

const struct suppression *suppress_match(const struct suppress_subject *s)
{
	for (size_t i = 0; i < all.n; i++) {
		if (all.list[i].expired || !matches(&all.list[i], s))
			continue;
		all.list[i].matched++;
		return &all.list[i];
	}
	return NULL;
}

bool suppress_by_stack(const char *rule)
{
	for (size_t i = 0; i < all.n; i++) {
		const struct suppression *p = &all.list[i];

		if (!p->expired && (p->function || p->file || p->module || p->fingerprint) &&
			either(p->rule, rule, NULL))
			return true;
	}
	return false;
}

const struct suppression *suppress_list(size_t *n)
{
	*n = all.n;
	return all.list;
}

void suppress_forked(void)
{
	for (size_t i = 0; i < all.n; i++)
		all.list[i].matched = 0;
}

/* --- reading ------------------------------------------------------------------- */

struct reader {
	const struct json_in *in;
	const char *path, *today;
	void (*complain)(const char *line);
	const char *kind; /* of the entry being read */
	size_t entry; /* from 1 */
};

static void complain(const struct reader *r, const char *key, const char *what)
{
	char line[512];
	struct text t;

	text_init(&t, line, sizeof(line));
	text_fmt(&t, "%s: ", r->path);
	if (r->entry)
		text_fmt(&t, "%s %u: ", r->kind, (uint64_t)r->entry);
	if (key)
		text_fmt(&t, "%s: ", key);
	text_str(&t, what);
	r->complain(line);
}

static bool is_date(const char *s)
{
	for (unsigned i = 0; i < 10; i++)
		if (i == 4 || i == 7 ? s[i] != '-' : s[i] < '0' || s[i] > '9')
			return false;
	return !s[10];
}

static const struct {
	const char *key;
	size_t at;
} members[] = {
#define MEMBER(name)                                                                                         \
	{                                                                                                    \
#name, offsetof(struct suppression, name)                                                    \
	}
	MEMBER(rule), MEMBER(call), MEMBER(fingerprint), MEMBER(function), MEMBER(file), MEMBER(module),
	MEMBER(object), MEMBER(rank), MEMBER(reason), MEMBER(until)};
#define MEMBERS (sizeof(members) / sizeof(*members))

static const char **member_at(const struct suppression *p, unsigned i)
{
	return (const char **)((uintptr_t)p + members[i].at);
}

static const char **member(struct suppression *p, const char *key)
{
	for (unsigned i = 0; i < MEMBERS; i++)
		if (!strcmp(members[i].key, key))
			return member_at(p, i);
	return NULL;
}

bool suppress_member(const struct suppression *p, unsigned i, const char **key, const char **value)
{
	if (i >= MEMBERS)
		return false;
	*key = members[i].key;
	*value = *member_at(p, i);
	return true;
}

static bool read_entry(const struct reader *r, json_t *entry, struct suppression *p)
{
	memset(p, 0, sizeof(*p));
	if (!json_is_object(entry)) {
		complain(r, NULL, "must be an object");
		return false;
	}
	for (void *i = r->in->iter(entry); i; i = r->in->iter_next(entry, i)) {
		const char *key = r->in->iter_key(i), **at = member(p, key);
		const json_t *value = r->in->iter_value(i);

		/* "note" is for people. */
		if (!at && strcmp(key, "note")) {
			complain(r, key, "is no key of an entry");
			return false;
		}
		if (!json_is_string(value)) {
			complain(r, key, "must be a string");
			return false;
		}
		if (at)
			*at = r->in->string(value);
	}
	if (!p->reason || !*p->reason) {
		complain(r, "reason", "is required: say why the finding is accepted");
		return false;
	}
	if (!p->rule && !p->fingerprint) {
		complain(r, NULL, "needs a rule or a fingerprint");
		return false;
	}
	if (p->until && !is_date(p->until)) {
		complain(r, "until", "must be a date like 2027-01-31");
		return false;
	}
	p->expired = p->until && strcmp(r->today, p->until) > 0;
	return true;
}

static size_t length(const struct reader *r, json_t *top, const char *key)
{
	const json_t *list = r->in->get(top, key);

	return list && json_is_array(list) ? r->in->array_size(list) : 0;
}

static void read_list(struct reader *r, json_t *top, const char *key, const char *kind)
{
	const json_t *list = r->in->get(top, key);
	size_t n = length(r, top, key);

	if (list && !json_is_array(list))
		complain(r, key, "must be a list");
	r->kind = kind;
	for (r->entry = 1; r->entry <= n; r->entry++) {
		struct suppression *p = &all.list[all.n];

		if (!read_entry(r, r->in->array_get(list, r->entry - 1), p))
			continue;
		p->expected = *kind == 'e';
		all.n++;
	}
	r->entry = 0;
}

/* A list under a mistyped name would be no list at all. */
static bool right_keys(const struct reader *r, json_t *top)
{
	static const char *const known[] = {"suppressions", "expect", "note"};
	unsigned lists = 0;

	for (void *i = json_is_object(top) ? r->in->iter(top) : NULL; i; i = r->in->iter_next(top, i)) {
		const char *key = r->in->iter_key(i);
		unsigned k = 0;

		while (k < sizeof(known) / sizeof(*known) && strcmp(known[k], key) != 0)
			k++;
		if (k == sizeof(known) / sizeof(*known))
			complain(r, key, "is no key: there are suppressions, expect and note");
		lists += k < 2;
	}
	if (!lists)
		complain(r, NULL, "needs a list named suppressions or expect");
	return lists != 0;
}

static void read_lists(struct reader *r, json_t *top)
{
	void *room;

	if (!right_keys(r, top))
		return;
	all.room = length(r, top, "suppressions") + length(r, top, "expect") + 1;
	room = mmap(NULL, all.room * sizeof(*all.list), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		-1, 0);
	if (room == MAP_FAILED) {
		complain(r, NULL, "no memory");
		return;
	}
	all.list = room;
	read_list(r, top, "expect", "expectation");
	read_list(r, top, "suppressions", "suppression");
}

/* What an earlier file said no longer holds. */
static void forget(const struct json_in *in)
{
	if (all.list)
		munmap(all.list, all.room * sizeof(*all.list));
	if (all.tree && all.tree->refcount != (size_t)-1 && --all.tree->refcount == 0)
		in->free(all.tree);
	memset(&all, 0, sizeof(all));
}

void suppress_load(const char *path, const char *today, void (*say)(const char *line))
{
	struct reader r = {.in = json_in(), .path = path, .today = today, .complain = say};
	char reason[128], where[4200];
	json_error_t error;
	size_t size = 0;
	struct text t;
	json_t *top;
	char *data;

	if (!r.in) {
		complain(&r, NULL, "cannot be read: libjansson.so.4 is not installed");
		return;
	}
	forget(r.in);
	data = read_file(path, FILE_MAX, &size);
	if (!data) {
		complain(&r, NULL, strerror_r(errno, reason, sizeof(reason)));
		return;
	}
	top = r.in->load(data, size, JSON_REJECT_DUPLICATES, &error);
	read_file_free(data, size);
	if (!top) {
		text_init(&t, where, sizeof(where));
		text_fmt(&t, "%s:%u", path, (uint64_t)(error.line < 0 ? 0 : error.line));
		r.path = where;
		complain(&r, NULL, error.text);
		return;
	}
	all.tree = top;
	read_lists(&r, top);
}
