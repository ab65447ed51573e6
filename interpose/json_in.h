/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading JSON (configuration, suppressions) with jansson: the library opens
 * it hidden and on demand, the command is linked with it.  Code that both use
 * goes through this table.
 */
#ifndef INTERPOSE_JSON_IN_H
#define INTERPOSE_JSON_IN_H

#include <jansson.h>

struct json_in {
	json_t *(*load)(const char *text, size_t size, size_t flags, json_error_t *error);
	void (*free)(json_t *json);
	json_t *(*get)(const json_t *object, const char *key);
	void *(*iter)(json_t *object);
	void *(*iter_next)(json_t *object, void *iter);
	const char *(*iter_key)(void *iter);
	json_t *(*iter_value)(void *iter);
	const char *(*string)(const json_t *string);
	json_int_t (*integer)(const json_t *integer);
	size_t (*array_size)(const json_t *array);
	json_t *(*array_get)(const json_t *array, size_t index);
};

/* NULL when jansson cannot be had. */
const struct json_in *json_in(void);

#endif
