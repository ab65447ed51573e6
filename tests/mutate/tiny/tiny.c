/* SPDX-License-Identifier: Apache-2.0 */
/* What mutate.t changes: a queue of four numbers. */
#include "tiny.h"

static int queue[4];
static unsigned used;
static unsigned refused;

bool tiny_put(int value)
{
	if (used >= 4) {
		refused++;
		return false;
	}
	queue[used] = value;
	used++;
	return true;
}

unsigned tiny_used(void)
{
	return used;
}

unsigned tiny_refused(void)
{
	return refused;
}

static const struct tiny_entry entries[] = {
	{"put", 1},
	{"used", 0},
};

const struct tiny_entry *tiny_find(const char *name)
{
	const struct tiny_entry *found = NULL;

	for (unsigned i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		if (__builtin_expect(!strcmp(entries[i].name, name), 0))
			found = &entries[i];
	return found;
}
