/* SPDX-License-Identifier: Apache-2.0 */
/* Scenarios that run with each function of an operation: the list of them, and calls by role. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paired.h"

unsigned pair_function;

void pair_functions_use(const struct pair *t)
{
	pair_function = t->scenario ? t->api : 0;
}

void pair_call(int64_t result, const struct pair_role *roles, size_t n, unsigned line)
{
	_Alignas(16) char args[512] = {0};
	struct acl_call_record call;

	assert(acl_apis[pair_function].args_size <= sizeof(args));
	for (size_t i = 0; i < n; i++)
		acl_slot_set(args, acl_role_slots[pair_function][roles[i].role], roles[i].value);
	pair_enter(&call, pair_function, args, line);
	pair_leave(&call, result);
}

static bool takes_part(const struct pair *t, unsigned api)
{
	bool async = acl_apis[api].mode == ACL_MODE_ASYNC;

	return (!t->role || acl_arg_has(api, t->role)) && (!t->mode || async == (t->mode == PAIR_IF_ASYNC));
}

/* The scenario with one function, under a name that says so. */
static struct pair with_function(const struct pair *t, unsigned api)
{
	struct pair one = *t;
	char *name = NULL;

	if (asprintf(&name, "%s %s", t->name, acl_apis[api].name) < 0)
		abort();
	one.name = name;
	one.api = api;
	return one;
}

struct pair *pairs_with_functions(const struct pair *pairs, size_t *n)
{
	size_t count = 0;
	struct pair *all = calloc(*n * ACL_API_COUNT, sizeof(*all));

	if (!all)
		abort();
	for (size_t i = 0; i < *n; i++) {
		const struct acl_operation_info *operation = &acl_operations[pairs[i].operation];

		if (!pairs[i].each) {
			all[count++] = pairs[i];
			continue;
		}
		for (unsigned k = 0; k < operation->n_apis; k++)
			if (takes_part(&pairs[i], acl_operation_apis[operation->first_api + k]))
				all[count++] = with_function(
					&pairs[i], acl_operation_apis[operation->first_api + k]);
	}
	*n = count;
	return all;
}
