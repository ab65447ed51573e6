/* SPDX-License-Identifier: Apache-2.0 */
/* Scenarios that run with each function of an operation: the list of them, and calls by role. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paired.h"

unsigned twin_function;

void twin_functions_use(const struct twin *t)
{
	twin_function = t->scene ? t->api : 0;
}

void twin_call(int64_t result, const struct twin_role *roles, size_t n, unsigned line)
{
	_Alignas(16) char args[512] = {0};
	struct acl_call_record call;

	assert(acl_apis[twin_function].args_size <= sizeof(args));
	for (size_t i = 0; i < n; i++)
		acl_slot_set(args, acl_role_slots[twin_function][roles[i].role], roles[i].value);
	twin_enter(&call, twin_function, args, line);
	twin_leave(&call, result);
}

static bool takes_part(const struct twin *t, unsigned api)
{
	bool async = acl_apis[api].mode == ACL_MODE_ASYNC;

	return (!t->role || acl_arg_has(api, t->role)) && (!t->mode || async == (t->mode == TWIN_IF_ASYNC));
}

/* The scenario with one function, under a name that says so. */
static struct twin with_function(const struct twin *t, unsigned api)
{
	struct twin one = *t;
	char *name = NULL;

	if (asprintf(&name, "%s %s", t->name, acl_apis[api].name) < 0)
		abort();
	one.name = name;
	one.api = api;
	return one;
}

struct twin *twins_with_functions(const struct twin *twins, size_t *n)
{
	size_t count = 0;
	struct twin *all = calloc(*n * ACL_API_COUNT, sizeof(*all));

	if (!all)
		abort();
	for (size_t i = 0; i < *n; i++) {
		const struct acl_operation_info *operation = &acl_operations[twins[i].operation];

		if (!twins[i].each) {
			all[count++] = twins[i];
			continue;
		}
		for (unsigned k = 0; k < operation->n_apis; k++)
			if (takes_part(&twins[i], operation->apis[k]))
				all[count++] = with_function(&twins[i], operation->apis[k]);
	}
	*n = count;
	return all;
}
