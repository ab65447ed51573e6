/* SPDX-License-Identifier: Apache-2.0 */
/* What the program's allocator promises of a block. */
#ifndef INTERPOSE_HEAP_BLOCK_H
#define INTERPOSE_HEAP_BLOCK_H

#include <stdint.h>

/*
 * Alignment that the C library's malloc promises for its block that begins at the address and is filled by so
 * many bytes; 0 = not known: another allocator, a module that can ask for aligned blocks, a block with room
 * for aligning by hand, no block at all.
 */
unsigned heap_block_alignment(const void *address, uint64_t bytes);

#endif
