/* SPDX-License-Identifier: Apache-2.0 */
/* The library's way to jansson: opened hidden when a setting names a JSON file, never before. */
#include "interpose/json_in.h"

#include "interpose/hidden.h"

const struct json_in *json_in(void)
{
	static struct json_in api;
	static int state; /* callers run under the settings' once-lock */
	const struct hidden_name names[] = {
		{"json_loadb", (void **)&api.load},
		{"json_delete", (void **)&api.free},
		{"json_object_get", (void **)&api.get},
		{"json_object_iter", (void **)&api.iter},
		{"json_object_iter_next", (void **)&api.iter_next},
		{"json_object_iter_key", (void **)&api.iter_key},
		{"json_object_iter_value", (void **)&api.iter_value},
		{"json_string_value", (void **)&api.string},
		{"json_integer_value", (void **)&api.integer},
		{"json_array_size", (void **)&api.array_size},
		{"json_array_get", (void **)&api.array_get},
	};

	if (!state) {
		void *library = hidden_open("libjansson.so.4");

		state = library && hidden_bind(library, names, sizeof(names) / sizeof(*names)) ? 1 : -1;
	}
	return state > 0 ? &api : NULL;
}
