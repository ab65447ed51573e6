/* SPDX-License-Identifier: Apache-2.0 */
/* Merging expectations: the same one is the same but for its counts and for where its module was mapped. */
#include "tools/aclcheck/report/merge_parts.h"

#include <stdlib.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/report/report.h"

static const char *const expectation_counts[] = {"opened", "met", NULL};
static const char *const injected_counts[] = {"times", NULL};

static char *key_of(const json_t *one, const char *const *counts)
{
	json_t *plain = json_copy((json_t *)one), *place = json_copy(json_object_get(plain, "place"));
	char *key;

	for (; *counts; counts++)
		json_object_del(plain, *counts);
	/* Which call it was first differs from process to process. */
	json_object_del(plain, "first");
	json_object_del(place, "address");
	if (place)
		json_object_set_new(plain, "place", place);
	key = json_dumps(plain, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(plain);
	return key;
}

static void sum(json_t *known, const json_t *one, const char *key)
{
	json_int_t a = number_of(known, key), b = number_of(one, key), most = 1000000000000000;

	a = a < 0 ? 0 : a > most ? most : a;
	b = b < 0 ? 0 : b > most ? most : b;
	if (json_object_get(known, key) || json_object_get(one, key))
		json_object_set_new(known, key, json_integer(a + b));
}

static void sum_add(json_t **sums, json_t *one, const char *const *counts)
{
	char *key = key_of(one, counts);
	json_t *known;

	if (!*sums)
		*sums = need(json_object());
	known = key ? json_object_get(*sums, key) : NULL;
	for (; known && *counts; counts++)
		sum(known, one, *counts);
	if (key && !known)
		json_object_set_new(*sums, key, json_copy(one));
	free(key);
}

void expectations_add(json_t **sums, const json_t *list)
{
	json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
	{
		if (*text_of(one, "rule") || *text_of(one, "fingerprint"))
			sum_add(sums, one, expectation_counts);
	}
}

void injected_add(json_t **sums, const json_t *list)
{
	json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
	{
		if (*text_of(one, "fault"))
			sum_add(sums, one, injected_counts);
	}
}

json_t *expectations_find(json_t *sums, const json_t *one)
{
	char *key = key_of(one, expectation_counts);
	json_t *known = key ? json_object_get(sums, key) : NULL;

	free(key);
	return known;
}

json_t *sums_list(json_t *sums)
{
	json_t *list = sums ? json_array() : NULL, *one;
	const char *key;

	json_object_foreach(sums, key, one) json_array_append(list, one);
	return list;
}
