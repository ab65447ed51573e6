/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the JSON configuration file; every mistake in it is one line that names the file and the key. */
#include "interpose/config/config_file.h"

#include <errno.h>
#include <string.h>

#include "interpose/common/errno_text.h"
#include "interpose/common/json_read.h"
#include "interpose/common/read_file.h"
#include "interpose/common/settings_table.h"
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

/* As text; false for what no setting takes. */
static bool as_text(const struct jnode *v, struct text *t)
{
	switch (v->kind) {
	case JNODE_NULL:
		return true;
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
	case JNODE_ARRAY:
		for (const struct jnode *e = v->first; e; e = e->next) {
			if (e->kind != JNODE_STRING)
				return false;
			text_fmt(t, e == v->first ? "%s" : ",%s", e->text);
		}
		return true;
	default:
		return false;
	}
}

/* A number is no name of a file.  NULL, or what the setting takes instead. */
static const char *wrong_type(enum setting s, const struct jnode *v)
{
	const bool word = v->kind == JNODE_STRING || v->kind == JNODE_NULL;
	const bool truth = v->kind == JNODE_TRUE || v->kind == JNODE_FALSE;
	int64_t number;

	switch (setting_table[s].kind) {
	case SETTING_NUMBER:
		return word || v->kind == JNODE_INTEGER ? NULL : "must be a number in ";
	case SETTING_CHOICE:
		/* Where on and off are among the choices, true and false are as well. */
		return word || (truth && !setting_check(s, "on", &number)) ? NULL : "must be one of ";
	case SETTING_RULES_LIST:
		return word || v->kind == JNODE_ARRAY ? NULL : "must be a string or an array of strings";
	default:
		return word ? NULL : "must be a string";
	}
}

static void give_key(const char *path, const struct jnode *v, config_give_fn give)
{
	const int s = setting_find(v->key, strlen(v->key));
	const char *wrong = s < 0 ? NULL : wrong_type((enum setting)s, v);
	char value[4096], line[256];
	struct text t;

	if (wrong) {
		text_init(&t, line, sizeof(line));
		text_str(&t, wrong);
		if (setting_table[s].kind == SETTING_NUMBER || setting_table[s].kind == SETTING_CHOICE)
			text_str(&t, setting_table[s].argument);
		complain(path, v->key, line);
		return;
	}
	text_init(&t, value, sizeof(value));
	if (!as_text(v, &t) && s >= 0)
		complain(path, v->key, "must be a string or an array of strings");
	else if (t.cut)
		complain(path, v->key, "is too long");
	else
		give(path, v->key, value);
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
		for (const struct jnode *v = doc.top->first; v; v = v->next)
			give_key(path, v, give);
	else
		complain(path, NULL, "must hold one JSON object");
	jdoc_free(&doc);
	read_file_free(data, size);
}
