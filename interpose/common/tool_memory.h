/* SPDX-License-Identifier: Apache-2.0 */
/* The mappings that were made for the tool, for the report: how much, and how much of it lies in memory. */
#ifndef INTERPOSE_TOOL_MEMORY_H
#define INTERPOSE_TOOL_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Memory that was mapped for the tool and is never given back. */
void tool_memory_add(const void *at, size_t bytes);

/* Bytes that are mapped and, asked of the kernel, resident. */
void tool_memory_usage(uint64_t *mapped, uint64_t *used);

#endif
