/* SPDX-License-Identifier: Apache-2.0 */
/* Reading suppressions and expectations, and matching them against a finding. */
#include "interpose/common/suppression.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "interpose/common/errno_text.h"
#include "interpose/common/json_read.h"
#include "interpose/common/read_file.h"
#include "interpose/common/text.h"
#include "interpose/common/tool_memory.h"

#define FILE_MAX (16u << 20)
#define RANK_MAX 100000000

static struct {
	struct suppression *list;
	size_t n, room;
	char *data; /* of the file; the suppressions point into it */
	size_t size;
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

/* A number of *at, which moves behind it; -1: there is none, or one that no rank is. */
static long rank_read(const char **at)
{
	long n = -1;

	for (; **at >= '0' && **at <= '9'; ++*at) {
		if (n > RANK_MAX)
			return -1;
		n = (n < 0 ? 0 : n * 10) + (**at - '0');
	}
	return n;
}

/* The next range of a list like "0-3,8"; *list moves behind it. False: there is none. */
static bool range_read(const char **list, long *first, long *last)
{
	*first = *last = rank_read(list);
	if (*first >= 0 && **list == '-') {
		++*list;
		*last = rank_read(list);
	}
	if (*first < 0 || *last < *first || (**list && (**list != ',' || !(*list)[1])))
		return false;
	*list += **list == ',';
	return true;
}

static bool rank_match(const char *list, int rank)
{
	long first, last;

	while (*list && range_read(&list, &first, &last))
		if (rank >= first && rank <= last)
			return true;
	return false;
}

static bool are_ranks(const char *list)
{
	long first, last;

	do {
		if (!range_read(&list, &first, &last))
			return false;
	} while (*list);
	return true;
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
			(!rule || either(p->rule, rule, NULL)))
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

bool suppress_is_date(const char *s)
{
	static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	unsigned year = 0, month, day;

	for (unsigned i = 0; i < 10; i++)
		if (i == 4 || i == 7 ? s[i] != '-' : s[i] < '0' || s[i] > '9')
			return false;
	for (unsigned i = 0; i < 4; i++)
		year = year * 10 + (unsigned)(s[i] - '0');
	month = (unsigned)((s[5] - '0') * 10 + s[6] - '0');
	day = (unsigned)((s[8] - '0') * 10 + s[9] - '0');
	if (s[10] || month < 1 || month > 12 || day < 1)
		return false;
	return day <= days[month - 1] ||
	       (month == 2 && day == 29 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

bool suppress_is_blank(const char *s)
{
	return !s || !s[strspn(s, " \t\r\n")];
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

static bool read_entry(const struct reader *r, const struct jnode *entry, struct suppression *p)
{
	memset(p, 0, sizeof(*p));
	if (entry->kind != JNODE_OBJECT) {
		complain(r, NULL, "must be an object");
		return false;
	}
	for (const struct jnode *v = entry->first; v; v = v->next) {
		const char **at = member(p, v->key);

		/* "note" is for people. */
		if (!at && strcmp(v->key, "note")) {
			complain(r, v->key, "unknown key of an entry");
			return false;
		}
		if (v->kind != JNODE_STRING) {
			complain(r, v->key, "must be a string");
			return false;
		}
		if (at)
			*at = v->text;
	}
	if (suppress_is_blank(p->reason)) {
		complain(r, "reason", "is required: say why the finding is accepted");
		return false;
	}
	if (!p->rule && !p->fingerprint) {
		complain(r, NULL, "needs a rule or a fingerprint");
		return false;
	}
	if (p->until && !suppress_is_date(p->until)) {
		complain(r, "until", "must be a date like 2027-01-31");
		return false;
	}
	if (p->rank && !are_ranks(p->rank)) {
		complain(r, "rank", "must be ranks like 3 or 0-3,8");
		return false;
	}
	p->expired = p->until && strcmp(r->today, p->until) > 0;
	return true;
}

static size_t length(const struct jnode *list)
{
	return list && list->kind == JNODE_ARRAY ? list->n : 0;
}

static void read_list(struct reader *r, const struct jnode *list, const char *key, const char *kind)
{
	if (list && list->kind != JNODE_ARRAY)
		complain(r, key, "must be a list");
	if (!length(list))
		return;
	r->kind = kind;
	r->entry = 1;
	for (const struct jnode *e = list->first; e; e = e->next, r->entry++) {
		struct suppression *p = &all.list[all.n];

		if (!read_entry(r, e, p))
			continue;
		p->expected = *kind == 'e';
		all.n++;
	}
	r->entry = 0;
}

/* A list under a mistyped name would be no list at all. */
static bool right_keys(const struct reader *r, const struct jnode *top)
{
	static const char *const known[] = {"suppressions", "expect", "note"};
	unsigned lists = 0;

	for (const struct jnode *v = top->kind == JNODE_OBJECT ? top->first : NULL; v; v = v->next) {
		unsigned k = 0;

		while (k < sizeof(known) / sizeof(*known) && strcmp(known[k], v->key) != 0)
			k++;
		if (k == sizeof(known) / sizeof(*known))
			complain(r, v->key, "unknown key (expected suppressions, expect or note)");
		lists += k < 2;
	}
	if (!lists)
		complain(r, NULL, "needs a list named suppressions or expect");
	return lists != 0;
}

static void read_lists(struct reader *r, const struct jnode *top)
{
	const struct jnode *suppressions = jnode_get(top, "suppressions"), *expect = jnode_get(top, "expect");
	void *room;

	if (!right_keys(r, top))
		return;
	all.room = length(suppressions) + length(expect) + 1;
	room = tool_memory_map(all.room * sizeof(*all.list), 0);
	if (!room) {
		complain(r, NULL, "no memory");
		return;
	}
	all.list = room;
	read_list(r, expect, "expect", "expectation");
	read_list(r, suppressions, "suppressions", "suppression");
}

/* What an earlier file said no longer holds. */
static void suppression_forget(void)
{
	if (all.list)
		munmap(all.list, all.room * sizeof(*all.list));
	read_file_free(all.data, all.size);
	memset(&all, 0, sizeof(all));
}

void suppress_load(const char *path, const char *today, void (*say)(const char *line))
{
	struct reader r = {.path = path, .today = today, .complain = say};
	struct jdoc doc;
	char where[4200];
	struct text t;

	suppression_forget();
	all.data = read_file(path, FILE_MAX, &all.size);
	if (!all.data) {
		complain(&r, NULL, errno_text(errno));
		return;
	}
	if (!jdoc_read(&doc, all.data, all.size)) {
		text_init(&t, where, sizeof(where));
		text_fmt(&t, "%s:%u", path, (uint64_t)doc.line);
		r.path = where;
		complain(&r, NULL, doc.mistake);
		return;
	}
	read_lists(&r, doc.top);
	jdoc_free(&doc);
}
