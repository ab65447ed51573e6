/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the runtime is mapped more than once, as dlmopen does: calls of the other copy are not seen. */
#ifndef INTERPOSE_RUNTIME_COPIES_H
#define INTERPOSE_RUNTIME_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * address: code of the runtime that is known.  Its file, or one of the same name elsewhere: path gets it.
 * Reads the kernel's map of the process, no list of the loader's.  One thread at a time.
 */
bool runtime_copy_find(uint64_t address, char *path, size_t cap);

#endif
