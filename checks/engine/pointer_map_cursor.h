/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking up many addresses one after the other: blocks of one size mostly come from one run, and what
 * the run is like need not be read again for each.
 */
#ifndef CHECKS_POINTER_MAP_CURSOR_H
#define CHECKS_POINTER_MAP_CURSOR_H

#include "checks/engine/pointer_map_inside.h"

/* A run as it was when the cursor was put there. */
struct map_cursor {
	const struct run *run; /* NULL: nowhere, and slots is 0 */
	uint64_t seq, base, inverse, stride, slots, size; /* size: of each block */
	struct run_slots *has;
	uint8_t kind; /* enum acl_memory_kind */
};

/* A block of the run: 16 bits of generation, as in buckets. */
struct cursor_block {
	struct acl_block *block; /* good only as long as the run is */
	uint64_t base, size;
	uint32_t index, generation;
};

/* Onto the run with blocks near the address; where there is none it stays: the next address may lie in its
 * run. */
void map_cursor_set(struct pointer_map *map, struct map_cursor *k, uint64_t address);

/* Looks the address up anywhere in the map, and puts the cursor onto its run. */
bool map_find_by(struct pointer_map *map, struct map_cursor *k, uint64_t address, struct block_lookup *place);

/* Whether a block that was found is good: the run has not begun or ended meanwhile. */
static inline bool map_cursor_found_holds(const struct map_cursor *k)
{
	return load_acquire(&((struct run *)k->run)->seq) == k->seq;
}

/* The same of whatever was looked for. */
static inline bool map_cursor_holds(const struct map_cursor *k)
{
	return !k->run || map_cursor_found_holds(k);
}

/* Whether a block of the run covers the address. */
static inline __attribute__((always_inline)) bool map_cursor_find(
	const struct map_cursor *k, uint64_t address, struct cursor_block *out)
{
	uint64_t offset = address - k->base, i = run_slot(offset, k->inverse), state;
	struct run *run;

	if (i >= k->slots)
		return false;
	state = load_acquire(&k->has->state[i / SLOTS_A_WORD]) >> i * 2 % (2 * SLOTS_A_WORD) & 3;
	offset -= i * k->stride;
	if (state == SLOT_EMPTY || offset >= k->size)
		return false;
	run = (struct run *)k->run;
	out->base = address - offset;
	out->size = k->size;
	out->block = load_acquire(&run->blocks[i / BLOCK_CHUNK]) + i % BLOCK_CHUNK;
	out->index = run->first[i / BLOCK_CHUNK] + (uint32_t)(i % BLOCK_CHUNK);
	out->generation = __builtin_expect(state == SLOT_AGAIN, 0) ? load_acquire(&k->has->generation[i]) : 1;
	return true;
}

#endif
