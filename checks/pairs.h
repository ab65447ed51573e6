/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small tables key -> value of topics: subscriptions, names, keys, reference
 * counts.  For cold paths: every access takes the table's lock.
 */
#ifndef CHECKS_PAIRS_H
#define CHECKS_PAIRS_H

#include "checks/core.h"

#define PAIRS_ROOM 2048

struct pairs {
	struct acl_lock lock;
	_Atomic uint32_t used;
	_Atomic bool full; /* something was not remembered: that a key is missing proves nothing */
	struct {
		uint64_t key, value; /* key 0 = empty, value 0 = known once, now nothing */
	} at[PAIRS_ROOM];
};

/* false: the key was never there. */
bool pairs_get(struct pairs *p, uint64_t key, uint64_t *value);
/* Entry number i < PAIRS_ROOM, in no order; false: there is none. */
bool pairs_at(struct pairs *p, unsigned i, uint64_t *key, uint64_t *value);
/* false: no room; nothing is remembered and rules that ask stay silent. */
bool pairs_set(struct pairs *p, uint64_t key, uint64_t value);

/* Key of a text and of two numbers, never 0. */
uint64_t key_of_text(const char *text);
static inline uint64_t key_of_two(uint64_t a, uint64_t b)
{
	return (mix64(a) * 31 + mix64(b + 1)) | 1;
}

/* Value of a key, 0 when there is none. */
static inline uint64_t pairs_value(struct pairs *p, uint64_t key)
{
	uint64_t now = 0;

	pairs_get(p, key, &now);
	return now;
}

#endif
