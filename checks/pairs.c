/* SPDX-License-Identifier: Apache-2.0 */
/* Small tables of topics: open addressing, entries stay, values change. */
#include "checks/pairs.h"

static uint32_t slot_of(const struct pairs *p, uint64_t key)
{
	uint32_t i = (uint32_t)mix64(key);

	while (p->at[i % PAIRS_ROOM].key && p->at[i % PAIRS_ROOM].key != key)
		i++;
	return i % PAIRS_ROOM;
}

bool pairs_get(struct pairs *p, uint64_t key, uint64_t *value)
{
	uint32_t i;
	bool found;

	lock(&p->lock);
	i = slot_of(p, key);
	found = p->at[i].key != 0;
	*value = p->at[i].value;
	unlock(&p->lock);
	return found;
}

bool pairs_at(struct pairs *p, unsigned i, uint64_t *key, uint64_t *value)
{
	lock(&p->lock);
	*key = p->at[i].key;
	*value = p->at[i].value;
	unlock(&p->lock);
	return *key != 0;
}

bool pairs_set(struct pairs *p, uint64_t key, uint64_t value)
{
	bool room;
	uint32_t i;

	lock(&p->lock);
	i = slot_of(p, key);
	/* One slot stays empty, so that every search ends. */
	room = p->at[i].key || ld(&p->used) + 1 < PAIRS_ROOM;
	if (room) {
		st(&p->used, ld(&p->used) + !p->at[i].key);
		p->at[i].key = key;
		p->at[i].value = value;
	}
	if (!room)
		st(&p->full, true);
	unlock(&p->lock);
	return room;
}

uint64_t key_of_text(const char *text)
{
	uint64_t key = 14695981039346656037u;

	for (size_t i = 0; i < 4096 && text[i]; i++)
		key = (key ^ (unsigned char)text[i]) * 1099511628211u;
	return key | 1;
}
