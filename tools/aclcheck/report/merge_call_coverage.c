/* SPDX-License-Identifier: Apache-2.0 */
/* Merging what of the calls was seen: counts by function and way, modules that pass us by. */
#include "tools/aclcheck/report/merge_parts.h"

#include <stdint.h>
#include <string.h>

#include "tools/aclcheck/report/report.h"

void counts_add(json_t *sum, const json_t *counts)
{
	json_t *value, *known;
	const char *key;

	json_object_foreach((json_t *)counts, key, value)
	{
		known = json_object_get(sum, key);
		if (!known)
			json_object_set(sum, key, value);
		else if (json_is_integer(value) && json_is_integer(known))
			json_object_set_new(sum, key,
				json_integer((json_int_t)((uint64_t)json_integer_value(known) +
							  (uint64_t)json_integer_value(value))));
	}
}

/* Adds elements by the value of `name`; members of known ones are summed up. */
static void add_list(json_t *to, const json_t *list, const char *name)
{
	json_t *one, *known;
	size_t i;

	json_array_foreach(list, i, one)
	{
		const char *key = text_of(one, name);

		if (!*key)
			continue;
		known = json_object_get(to, key);
		if (!known)
			json_object_set_new(to, key, known = json_object());
		counts_add(known, one);
	}
}

void call_coverage_add(struct merged_call_coverage *r, const json_t *reach)
{
	if (!json_is_object(reach))
		return;
	if (!r->calls) {
		r->calls = json_object();
		r->around = json_object();
		r->foreign = json_object();
	}
	add_list(r->calls, json_object_get(reach, "calls"), "call");
	add_list(r->around, json_object_get(reach, "around"), "module");
	add_list(r->foreign, json_object_get(reach, "foreign"), "module");
}

static json_t *values_of(json_t *object)
{
	json_t *list = json_array(), *value;
	const char *key;

	json_object_foreach(object, key, value) json_array_append(list, value);
	return list;
}

json_t *call_coverage_result(struct merged_call_coverage *r)
{
	json_t *json = NULL;

	if (r->calls)
		json = json_pack("{s:o, s:o}", "calls", values_of(r->calls), "around", values_of(r->around));
	if (json && json_object_size(r->foreign))
		json_object_set_new(json, "foreign", values_of(r->foreign));
	json_decref(r->calls);
	json_decref(r->around);
	json_decref(r->foreign);
	r->calls = r->around = r->foreign = NULL;
	return json;
}
