/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the tool: mapped, never given back, handed out without a lock or the program's malloc. */
#ifndef INTERPOSE_TOOL_ARENA_H
#define INTERPOSE_TOOL_ARENA_H

#include <stddef.h>

/* Zeroed memory that is never given back; NULL when there is none. Lock-free. */
void *arena_alloc(size_t bytes);
const char *arena_string(const char *s);

#endif
