/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables key -> value of check modules: subscriptions, names, keys, reference counts.
 * They grow as the program needs; what belongs to an object or a block is forgotten
 * some time after that is gone.  Looking up takes no lock.
 */
#ifndef CHECKS_VALUE_TABLE_H
#define CHECKS_VALUE_TABLE_H

#include "checks/engine/instance.h"
#include "checks/engine/key_index.h"

struct value_table {
	struct acl_lock lock;
	struct key_index index;
};

/* false: the key was never there, or what it belonged to is gone; *value is 0 then. */
static inline bool value_table_get(struct value_table *p, uint64_t key, uint64_t *value)
{
	*value = 0;
	return key_index_get(&p->index, key, value);
}

/* false: no memory; nothing is remembered, and no rule speaks any more. */
bool value_table_set(struct checks *c, struct value_table *p, uint64_t key, uint64_t value);
/* The same of a key that belongs to an object (acl_ref) or a block (block_ref) and goes with it. */
bool value_table_set_of(
	struct checks *c, struct value_table *p, uint64_t owner, uint64_t key, uint64_t value);

/* The same, and the object is the key. */
static inline bool value_table_set_object(
	struct checks *c, struct value_table *p, const struct acl_object *o, uint64_t value)
{
	return value_table_set_of(c, p, object_ref(o), object_ref(o), value);
}

/* One entry after the other, in no order, beginning with *cursor 0; false: no more. */
static inline bool value_table_next(struct value_table *p, uint32_t *cursor, uint64_t *key, uint64_t *value)
{
	return key_index_next(&p->index, cursor, key, value);
}

static inline bool value_table_empty(struct value_table *p)
{
	return !load_relaxed(&p->index.table);
}

void value_table_clear(struct value_table *p);

/* Key of a text, byte by byte, beginning with KEY_OF_TEXT, the lowest bit set in the end; see
 * program_text_key(). */
#define KEY_OF_TEXT UINT64_C(14695981039346656037)
static inline uint64_t key_with_byte(uint64_t key, unsigned char byte)
{
	return (key ^ byte) * UINT64_C(1099511628211);
}

/* Key of two numbers, never 0. */
static inline uint64_t key_of_two(uint64_t a, uint64_t b)
{
	return (mix64(a) * 31 + mix64(b + 1)) | 1;
}

/* Value of a key, 0 when there is none. */
static inline uint64_t value_table_value(struct value_table *p, uint64_t key)
{
	uint64_t now = 0;

	value_table_get(p, key, &now);
	return now;
}

#endif
