/* SPDX-License-Identifier: Apache-2.0 */
/* Members of jansson objects. */
#include "tools/aclcheck/common/command.h"

const char *text_of(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : "";
}

json_int_t number_of(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

bool flag_of(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}
