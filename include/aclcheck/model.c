/* SPDX-License-Identifier: Apache-2.0 */
/* Look-ups in the generated tables: no allocation, safe in signal handlers. */
#include <string.h>

#include "aclcheck/model.h"

int acl_api_find(const char *name)
{
	unsigned low = 0, high = acl_api_count;

	while (low < high) {
		unsigned mid = (low + high) / 2;
		int order = strcmp(name, acl_apis[mid].name);

		if (!order)
			return mid;
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return -1;
}

/* The first of several names of a value is the one to show. */
static const char *value_name(const struct acl_enum_value *values, unsigned n, int64_t value)
{
	unsigned low = 0, high = n;

	while (low < high) {
		unsigned mid = (low + high) / 2;

		if (values[mid].value < value)
			low = mid + 1;
		else
			high = mid;
	}
	return low < n && values[low].value == value ? values[low].name : NULL;
}

const char *acl_error_name(int64_t code)
{
	return value_name(acl_errors, acl_error_count, code);
}

const char *acl_enum_name(int enum_index, int64_t value)
{
	if (enum_index < 0 || (unsigned)enum_index >= acl_enum_count)
		return NULL;
	return value_name(acl_enums[enum_index].values, acl_enums[enum_index].n_values, value);
}
