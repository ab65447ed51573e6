/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing with linear probing; removal moves the followers back. */
#include "tools/aclcheck/trace/map.h"

#include <stdlib.h>

#include "tools/aclcheck/common/command.h"

#define FIRST_SIZE 64

static size_t home(const struct map *m, uint64_t key)
{
	return (size_t)((key * 0x9e3779b97f4a7c15ull) >> 20) & (m->size - 1);
}

/* The key's slot, or the free one where it belongs. */
static struct map_slot *find(const struct map *m, uint64_t key)
{
	size_t i = home(m, key);

	while (m->slots[i].value && m->slots[i].key != key)
		i = (i + 1) & (m->size - 1);
	return &m->slots[i];
}

void *map_get(const struct map *m, uint64_t key)
{
	return m->size ? find(m, key)->value : NULL;
}

static void grow(struct map *m)
{
	struct map old = *m;

	m->size = old.size ? old.size * 2 : FIRST_SIZE;
	m->slots = need(calloc(m->size, sizeof(*m->slots)));
	for (size_t i = 0; i < old.size; i++)
		if (old.slots[i].value)
			*find(m, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

void *map_put(struct map *m, uint64_t key, void *value)
{
	struct map_slot *slot;
	void *old;

	if ((m->used + 1) * 4 > m->size * 3)
		grow(m);
	slot = find(m, key);
	old = slot->value;
	m->used += !old;
	slot->key = key;
	slot->value = value;
	return old;
}

void *map_remove(struct map *m, uint64_t key)
{
	struct map_slot *slot = m->size ? find(m, key) : NULL;
	void *old = slot ? slot->value : NULL;
	size_t hole, i;

	if (!old)
		return NULL;
	hole = (size_t)(slot - m->slots);
	m->used--;
	for (i = (hole + 1) & (m->size - 1); m->slots[i].value; i = (i + 1) & (m->size - 1)) {
		size_t wanted = home(m, m->slots[i].key);

		/* It may move back when the hole lies between where it belongs and where it is. */
		if (((i - wanted) & (m->size - 1)) >= ((i - hole) & (m->size - 1))) {
			m->slots[hole] = m->slots[i];
			hole = i;
		}
	}
	m->slots[hole].value = NULL;
	return old;
}

void map_free(struct map *m)
{
	free(m->slots);
	*m = (struct map){0};
}
