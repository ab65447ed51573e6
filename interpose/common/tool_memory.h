/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is mapped for the tool: where, and for the report how much, and how much of it lies in memory.
 */
#ifndef INTERPOSE_TOOL_MEMORY_H
#define INTERPOSE_TOOL_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Zeroed pages, readable and writable, to be given back with munmap; NULL = there are none.  flags: added to
 * those of private anonymous memory.  They lie far from where the kernel puts the program's next mappings, so
 * that those (threads' heaps, files) are where they would be without us.
 */
void *tool_memory_map(size_t bytes, int flags);
/* Where a mapping of another kind may lie, a file's: for mmap, a wish only. */
void *tool_memory_place(size_t bytes);

/* Memory that was mapped for the tool and is never given back. */
void tool_memory_add(const void *at, size_t bytes);

/* Bytes that are mapped and, asked of the kernel, resident. */
void tool_memory_usage(uint64_t *mapped, uint64_t *used);

#endif
