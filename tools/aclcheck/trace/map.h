/* SPDX-License-Identifier: Apache-2.0 */
/* A hash map of 64-bit keys; grows as needed, never iterates in an order that means something. */
#ifndef ACLCHECK_MAP_H
#define ACLCHECK_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t key;
	void *value; /* NULL = free */
};

struct map {
	struct map_slot *slots;
	size_t size, used; /* size: 0 or a power of two */
};

void *map_get(const struct map *m, uint64_t key);
/* value must not be NULL; returns what the key had before. */
void *map_put(struct map *m, uint64_t key, void *value);
void *map_remove(struct map *m, uint64_t key);
void map_free(struct map *m);

#endif
