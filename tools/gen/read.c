/* SPDX-License-Identifier: Apache-2.0 */
/* Reads values from JSON objects and ends the run with the place where one makes no sense. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read.h"

/* "section name" of the entry being read, for messages. */
static const char *read_path = "model", *read_section = "", *read_name = "";

void read_fail(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: %s %s: ", read_path, read_section, read_name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

void *read_alloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		read_fail("out of memory");
	return p;
}

/* --- access to JSON: absent is the default, a wrong type ends the run --- */

const char *read_string(const json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);

	if (!v || json_is_null(v))
		return NULL;
	if (!json_is_string(v))
		read_fail("\"%s\" is no string", key);
	return json_string_value(v);
}

const char *read_needed(const json_t *o, const char *key)
{
	const char *s = read_string(o, key);

	if (!s)
		read_fail("\"%s\" is missing", key);
	return s;
}

bool read_flag(const json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);

	if (v && !json_is_boolean(v))
		read_fail("\"%s\" is neither true nor false", key);
	return json_is_true(v);
}

long long read_number(const json_t *o, const char *key, long long otherwise)
{
	json_t *v = json_object_get(o, key);

	if (!v)
		return otherwise;
	if (!json_is_integer(v))
		read_fail("\"%s\" is no integer", key);
	return json_integer_value(v);
}

const char **read_strings(const json_t *o, const char *key)
{
	json_t *a = json_object_get(o, key);
	const char **list = read_alloc(json_array_size(a) + 1, sizeof(*list));

	if (a && !json_is_array(a))
		read_fail("\"%s\" is no list", key);
	for (size_t i = 0; i < json_array_size(a); i++) {
		list[i] = json_string_value(json_array_get(a, i));
		if (!list[i])
			read_fail("\"%s\" holds something that is no string", key);
	}
	return list;
}

bool read_among(const char *word, const char *const *words)
{
	for (; word && *words; words++)
		if (!strcmp(word, *words))
			return true;
	return false;
}

/* A misspelt key would be silently lost otherwise. */
void read_only_keys(const json_t *o, const char *const *keys)
{
	const char *key;
	json_t *v;

	if (!json_is_object(o))
		read_fail("no object");
	json_object_foreach((json_t *)o, key, v)
	{
		if (!read_among(key, keys))
			read_fail("unknown key \"%s\"", key);
	}
}

void read_one_of(const char *what, const char *word, const char *const *words)
{
	if (word && !read_among(word, words))
		read_fail("unknown %s \"%s\"", what, word);
}

json_t *read_list(json_t *root, const char *name, unsigned *n)
{
	json_t *a = json_object_get(root, name);

	read_section = name;
	read_name = "";
	if (!json_is_array(a))
		read_fail("no such list");
	*n = json_array_size(a);
	return a;
}

void read_at(const char *name)
{
	read_name = name;
}

void read_model(const char *path)
{
	read_path = path;
}
