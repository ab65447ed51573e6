/* SPDX-License-Identifier: Apache-2.0 */
/* Look-ups in the generated tables: no allocation, safe in signal handlers. */
#include "aclcheck/model.h"

#include <string.h>

#include "acl_api.h"

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

/* "9.1.0" or "8.5.RC1" as 100 * major + minor, 0 when it is neither. */
static unsigned release_number(const char *s)
{
	unsigned part[2] = {0};

	for (unsigned i = 0; i < 2; i++) {
		while (*s >= '0' && *s <= '9')
			part[i] = part[i] * 10 + (unsigned)(*s++ - '0');
		if (*s == '.')
			s++;
	}
	return part[0] * 100 + part[1];
}

int acl_cann_of(const char *version)
{
	unsigned number = release_number(version);
	int found = -1;

	for (int i = 0; number && i < ACL_CANN_MAIN; i++)
		if (release_number(acl_cann_names[i]) <= number)
			found = i;
	return found;
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
	return low < n && values[low].value == value ? acl_text(values[low].name) : NULL;
}

const char *acl_error_name(int64_t code)
{
	return value_name(acl_errors, acl_error_count, code);
}

const char *acl_enum_name(int enum_index, int64_t value)
{
	if (enum_index < 0 || (unsigned)enum_index >= acl_enum_count)
		return NULL;
	return value_name(acl_values(&acl_enums[enum_index]), acl_enums[enum_index].n_values, value);
}

int acl_role_param(unsigned api, enum acl_role role)
{
	for (unsigned i = 0; i < acl_apis[api].n_params; i++)
		if (acl_params(&acl_apis[api])[i].role == role)
			return (int)i;
	return ACL_NONE;
}

bool acl_capture_goes_on(int64_t code)
{
	switch (code) {
#define CODE(code) case code:
#include "aclcheck/capture_goes_on.def"
#undef CODE
		return true;
	}
	return false;
}

/* Results that answer a question: of every function, of one, or of those whose name holds a word. */
static const struct {
	int64_t code;
	int api; /* -1 = of every function */
	const char *word; /* NULL = whatever the name */
} answers[] = {
	{507005, -1, NULL}, /* end of sequence */
	{507023, -1, NULL}, /* the model ended normally */
	{207003, -1, NULL}, /* overflow flags */
	{207016, -1, NULL},
	{207017, -1, NULL},
	{507901, -1, NULL}, /* the socket is closed */
	{100002, ACL_API_aclInit, NULL}, /* initialised before */
	{507046, -1, "WithTimeout"}, /* the time asked for is over */
	{507047, -1, "WithTimeout"},
	{107002, ACL_API_aclrtGetDevice, NULL}, /* the query whether there is one */
	{107002, ACL_API_aclrtGetCurrentContext, NULL},
	{507012, ACL_API_aclrtProcessReport, NULL}, /* nothing to run within the time */
	{507012, ACL_API_aclrtProcessHostFunc, NULL},
	{107012, ACL_API_aclrtProcessReport,
		NULL}, /* not subscribed yet: the documented loop begins before */
	{107012, ACL_API_aclrtProcessHostFunc, NULL},
};

bool acl_result_is_answer(unsigned api, int64_t code)
{
	/* The error they return is that of an earlier call. */
	if (acl_apis[api].operation == ACL_OP_ERROR_GET_LAST ||
		acl_apis[api].operation == ACL_OP_ERROR_PEEK_LAST)
		return true;
	for (unsigned i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		if (answers[i].code == code && (answers[i].api < 0 || answers[i].api == (int)api) &&
			(!answers[i].word || strstr(acl_apis[api].name, answers[i].word)))
			return true;
	}
	return false;
}
