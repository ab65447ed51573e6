/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many small pieces of memory that may not be there, copied in one system call.  Pieces that begin on one
 * page become one copy: each costs more than the bytes between them.
 */
#ifndef INTERPOSE_MEMORY_WINDOWS_H
#define INTERPOSE_MEMORY_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interpose/common/kernel_copy.h"

#define MEMORY_PAGE UINT64_C(4096) /* or a part of a larger one: where one byte can be read, all can */
#define WINDOWS_MAX 256
#define WINDOW_SLOTS 512 /* power of two */
#define WINDOW_BYTES ((size_t)160 * 1024) /* for any number of pieces; only what is copied is touched */

struct memory_windows {
	unsigned n;
	size_t used, room;
	uint8_t *bytes; /* room of them */
	uint16_t slot[WINDOW_SLOTS]; /* by page: which part, from one on */
	struct kernel_copy_part parts[WINDOWS_MAX];
};

void windows_clear(struct memory_windows *w);

/* Adds a piece of at most MEMORY_PAGE bytes to what is read next; false: no room. */
bool windows_want(struct memory_windows *w, uint64_t from, size_t size);

/* Whether it is among what was wanted. */
bool windows_have(const struct memory_windows *w, uint64_t from, size_t size);

void windows_read(struct memory_windows *w);

/* The copy of a piece that was read; NULL: it was not, or is not there. */
const uint8_t *windows_find(const struct memory_windows *w, uint64_t from, size_t size);

#endif
