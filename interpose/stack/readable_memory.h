/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of what the program's pointers lead to, with no system call where the program's stack is. */
#ifndef INTERPOSE_READABLE_MEMORY_H
#define INTERPOSE_READABLE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "checks/checks.h"

/* false: not all of it can be read. */
bool readable_copy(void *to, const void *from, size_t size);

/* Several at once; false: one of them cannot be read. */
bool readable_copy_pieces(const struct checks_piece *pieces, unsigned n);

#endif
