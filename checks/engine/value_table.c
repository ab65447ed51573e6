/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of check modules: an index with a lock for its writers. */
#include "checks/engine/value_table.h"

static bool owner_gone(struct checks *c, uint64_t owner)
{
	return owner >> 58 < REF_DECLARED ? !object_of(c, owner) : !block_of(c, owner);
}

bool value_table_set_of(struct checks *c, struct value_table *p, uint64_t owner, uint64_t key, uint64_t value)
{
	uint64_t before;
	bool room;

	if (!key_valid(key))
		return false;
	lock(&p->lock);
	p->index.gone = owner_gone;
	room = key_index_put(c, &p->index, key, value, owner, &before);
	unlock(&p->lock);
	return room;
}

bool value_table_set(struct checks *c, struct value_table *p, uint64_t key, uint64_t value)
{
	return value_table_set_of(c, p, 0, key, value);
}

void value_table_clear(struct value_table *p)
{
	lock(&p->lock);
	key_index_clear(&p->index);
	unlock(&p->lock);
}
