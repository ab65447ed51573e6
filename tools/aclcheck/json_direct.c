/* SPDX-License-Identifier: Apache-2.0 */
/* The command's way to jansson for code shared with the library: linked. */
#include "interpose/json_in.h"

const struct json_in *json_in(void)
{
	static const struct json_in api = {
		.load = json_loadb,
		.free = json_delete,
		.get = json_object_get,
		.iter = json_object_iter,
		.iter_next = json_object_iter_next,
		.iter_key = json_object_iter_key,
		.iter_value = json_object_iter_value,
		.string = json_string_value,
		.integer = json_integer_value,
		.array_size = json_array_size,
		.array_get = json_array_get,
	};

	return &api;
}
