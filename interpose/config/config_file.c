/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the JSON configuration file; every mistake in it is one line that names the file and the key. */
#include "interpose/config/config_file.h"

#include <errno.h>
#include <string.h>

#include "interpose/common/errno_text.h"
#include "interpose/common/json_read.h"
#include "interpose/common/read_file.h"
#include "interpose/common/text.h"

#define CONFIG_MAX (1u << 20)

static void (*say)(const char *line); /* one thread reads settings */

static void complain(const char *path, const char *key, const char *what)
{
	char line[512];
	struct text t;

	text_init(&t, line, sizeof(line));
	text_fmt(&t, "%s: ", path);
	if (key)
		text_fmt(&t, "%s: ", key);
	text_str(&t, what);
	say(line);
}

static bool scalar(const struct jnode *v, struct text *t)
{
	switch (v->kind) {
	case JNODE_STRING:
		text_str(t, v->text);
		return true;
	case JNODE_INTEGER:
		text_int(t, v->integer);
		return true;
	case JNODE_TRUE:
	case JNODE_FALSE:
		text_str(t, v->kind == JNODE_TRUE ? "on" : "off");
		return true;
	default:
		return v->kind == JNODE_NULL;
	}
}

/* Strings, whole numbers, booleans and arrays of strings; false for anything else. */
static bool as_text(const struct jnode *v, struct text *t)
{
	if (v->kind != JNODE_ARRAY)
		return scalar(v, t);
	for (const struct jnode *e = v->first; e; e = e->next) {
		if (e->kind != JNODE_STRING)
			return false;
		text_fmt(t, e == v->first ? "%s" : ",%s", e->text);
	}
	return true;
}

static void each_key(const char *path, const struct jnode *top, config_give_fn give)
{
	for (const struct jnode *v = top->first; v; v = v->next) {
		char value[4096];
		struct text t;

		text_init(&t, value, sizeof(value));
		if (!as_text(v, &t))
			complain(path, v->key, "must be a string, a whole number or an array of strings");
		else if (t.cut)
			complain(path, v->key, "is too long");
		else
			give(path, v->key, value);
	}
}

static void syntax_error(const char *path, const struct jdoc *doc)
{
	char where[4200];
	struct text t;

	text_init(&t, where, sizeof(where));
	text_fmt(&t, "%s:%u", path, (uint64_t)doc->line);
	complain(where, NULL, doc->mistake);
}

void config_read(const char *path, config_give_fn give, void (*problem)(const char *line))
{
	struct jdoc doc;
	size_t size = 0;
	char *data;

	say = problem;
	errno = 0;
	data = read_file(path, CONFIG_MAX, &size);
	if (!data) {
		complain(path, NULL, errno ? errno_text(errno) : "cannot be read");
		return;
	}
	if (!jdoc_read(&doc, data, size))
		syntax_error(path, &doc);
	else if (doc.top->kind == JNODE_OBJECT)
		each_key(path, doc.top, give);
	else
		complain(path, NULL, "must hold one JSON object");
	jdoc_free(&doc);
	read_file_free(data, size);
}
