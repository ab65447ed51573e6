/* SPDX-License-Identifier: Apache-2.0 */
/* Filling a template from a jansson tree; the one place where a page's values are escaped. */
#include "tools/aclcheck/formats/template.h"

#include <stdlib.h>
#include <string.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/formats/formats.h"

#define NAME_MAX_LENGTH 64

struct scope {
	const json_t *value;
	const struct scope *up;
};

struct filling {
	FILE *to;
	const char *end;
	const struct template_part *parts;
	bool *in_tag; /* of markup, where the last literal ended */
};

struct tag {
	char kind; /* '#', '^', '/', '>', '!', or '\0' for a value */
	char name[NAME_MAX_LENGTH];
	const char *after;
};

/* The next tag at or after `at`; NULL at the end. *before: where its braces begin. */
static const char *next_tag(const struct filling *f, const char *at, struct tag *tag)
{
	const char *open = at < f->end ? memmem(at, (size_t)(f->end - at), "{{", 2) : NULL, *close;
	size_t n;

	if (!open)
		return NULL;
	close = memmem(open, (size_t)(f->end - open), "}}", 2);
	if (!close)
		return NULL;
	tag->after = close + 2;
	tag->kind = strchr("#^/>!", open[2]) ? open[2] : '\0';
	open += tag->kind ? 3 : 2;
	n = (size_t)(close - open);
	snprintf(tag->name, sizeof(tag->name), "%.*s", (int)(n < sizeof(tag->name) ? n : 0), open);
	return open - (tag->kind ? 3 : 2);
}

static const json_t *look_up(const struct scope *scope, const char *name)
{
	if (!strcmp(name, "."))
		return scope->value;
	for (; scope; scope = scope->up) {
		const json_t *value = json_object_get(scope->value, name);

		if (value)
			return value;
	}
	return NULL;
}

static bool is_empty(const json_t *value)
{
	return !value || json_is_null(value) || json_is_false(value) ||
	       (json_is_integer(value) && !json_integer_value(value)) ||
	       (json_is_string(value) && !*json_string_value(value)) ||
	       (json_is_array(value) && !json_array_size(value));
}

static void template_put_value(FILE *to, const json_t *value)
{
	char *text =
		json_is_string(value) || !value ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);

	put_xml(to, text ? text : json_is_string(value) ? json_string_value(value) : "");
	free(text);
}

/* Words between tags, in the reader's language; blanks around them stay. */
static void template_put_words(const struct filling *f, const char *at, size_t n)
{
	static const char blanks[] = " \t\n";
	size_t before = 0;
	char *words;

	if (command_language() == ACL_LANG_EN) {
		fwrite(at, 1, n, f->to);
		return;
	}
	while (before < n && strchr(blanks, at[before]))
		before++;
	fwrite(at, 1, before, f->to);
	at += before;
	n -= before;
	for (before = n; before && strchr(blanks, at[before - 1]);)
		before--;
	words = need(strndup(at, before));
	fputs(in_language(words), f->to);
	free(words);
	fwrite(at + before, 1, n - before, f->to);
}

static void put_literal(const struct filling *f, const char *at, size_t n)
{
	while (n) {
		const char *next = memchr(at, *f->in_tag ? '>' : '<', n);
		size_t length = !next ? n : (size_t)(next - at) + *f->in_tag;

		if (*f->in_tag)
			fwrite(at, 1, length, f->to);
		else
			template_put_words(f, at, length);
		*f->in_tag ^= next != NULL;
		at += length;
		n -= length;
	}
}

static void put_part(const struct filling *f, const char *name)
{
	for (const struct template_part *part = f->parts; part->name; part++)
		if (!strcmp(part->name, name))
			fwrite(part->begin, 1, (size_t)(part->end - part->begin), f->to);
}

static const char *template_fill_in(
	const struct filling *f, const char *at, const struct scope *scope, const char *section, bool quiet);

/* A section: once for each element, once for anything else that is there, or not at all. What follows it. */
static const char *fill_section(
	const struct filling *f, const struct tag *tag, const struct scope *scope, bool quiet)
{
	const json_t *value = quiet ? NULL : look_up(scope, tag->name), *one;
	struct scope inner = {value, scope};
	size_t i;

	if (tag->kind == '^')
		return template_fill_in(f, tag->after, scope, tag->name, quiet || !is_empty(value));
	if (json_is_array(value)) {
		json_array_foreach(value, i, one)
		{
			inner.value = one;
			template_fill_in(f, tag->after, &inner, tag->name, false);
		}
	} else if (!is_empty(value)) {
		return template_fill_in(f, tag->after, &inner, tag->name, quiet);
	}
	return template_fill_in(f, tag->after, scope, tag->name, true);
}

/* Up to the end of the section, or of the template (section NULL); quiet: finds the end only. */
static const char *template_fill_in(
	const struct filling *f, const char *at, const struct scope *scope, const char *section, bool quiet)
{
	struct tag tag;

	for (const char *open; (open = next_tag(f, at, &tag)); at = tag.after) {
		if (!quiet)
			put_literal(f, at, (size_t)(open - at));
		if (tag.kind == '/' && section && !strcmp(tag.name, section))
			return tag.after;
		if (tag.kind == '#' || tag.kind == '^')
			tag.after = fill_section(f, &tag, scope, quiet);
		else if (!quiet && tag.kind == '>')
			put_part(f, tag.name);
		else if (!quiet && !tag.kind)
			template_put_value(f->to, look_up(scope, tag.name));
	}
	if (!quiet)
		put_literal(f, at, (size_t)(f->end - at));
	return f->end;
}

void template_fill(
	FILE *to, const struct template_part *page, const struct template_part *parts, const json_t *values)
{
	bool in_tag = false;
	const struct filling f = {to, page->end, parts, &in_tag};
	const struct scope top = {values, NULL};

	template_fill_in(&f, page->begin, &top, NULL, false);
}
