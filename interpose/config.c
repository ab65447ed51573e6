/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the JSON configuration file; every mistake in it is one line that names the file and the key. */
#include "interpose/config.h"

#include <errno.h>
#include <string.h>

#include "interpose/json_in.h"
#include "interpose/read_file.h"
#include "interpose/settings.h"
#include "interpose/text.h"

#define CONFIG_MAX (1u << 20)

static void complain(const char *path, const char *key, const char *what)
{
	char line[512];
	struct text t;

	text_init(&t, line, sizeof(line));
	text_fmt(&t, "%s: ", path);
	if (key)
		text_fmt(&t, "%s: ", key);
	text_str(&t, what);
	settings_complain(line);
}

/* Strings, whole numbers, booleans and arrays of strings; false for anything else. */
static bool as_text(const struct json_in *in, const json_t *v, struct text *t)
{
	if (json_is_string(v)) {
		text_str(t, in->string(v));
	} else if (json_is_integer(v)) {
		text_int(t, in->integer(v));
	} else if (json_is_boolean(v)) {
		text_str(t, json_is_true(v) ? "on" : "off");
	} else if (json_is_array(v)) {
		for (size_t i = 0; i < in->array_size(v); i++) {
			const json_t *element = in->array_get(v, i);

			if (!json_is_string(element))
				return false;
			text_fmt(t, i ? ",%s" : "%s", in->string(element));
		}
	} else {
		return json_is_null(v);
	}
	return true;
}

static void each_key(const char *path, const struct json_in *in, json_t *top, config_give_fn give)
{
	for (void *i = in->iter(top); i; i = in->iter_next(top, i)) {
		const char *key = in->iter_key(i);
		char value[4096];
		struct text t;

		text_init(&t, value, sizeof(value));
		if (!as_text(in, in->iter_value(i), &t))
			complain(path, key, "must be a string, a whole number or an array of strings");
		else if (t.cut)
			complain(path, key, "is too long");
		else
			give(path, key, value);
	}
}

static void syntax_error(const char *path, const json_error_t *error)
{
	char where[4200];
	struct text t;

	text_init(&t, where, sizeof(where));
	text_fmt(&t, "%s:%u", path, (uint64_t)(error->line < 0 ? 0 : error->line));
	complain(where, NULL, error->text);
}

void config_read(const char *path, config_give_fn give)
{
	const struct json_in *in = json_in();
	json_error_t error;
	char reason[128];
	size_t size = 0;
	char *data;
	json_t *top;

	if (!in) {
		complain(path, NULL, "cannot be read: libjansson.so.4 is not installed");
		return;
	}
	errno = 0;
	data = read_file(path, CONFIG_MAX, &size);
	if (!data) {
		complain(path, NULL, errno ? strerror_r(errno, reason, sizeof(reason)) : "cannot be read");
		return;
	}
	top = in->load(data, size, JSON_REJECT_DUPLICATES, &error);
	read_file_free(data, size);
	if (!top) {
		syntax_error(path, &error);
		return;
	}
	if (json_is_object(top))
		each_key(path, in, top, give);
	else
		complain(path, NULL, "must hold one JSON object");
	if (top->refcount != (size_t)-1 && --top->refcount == 0)
		in->free(top);
}
