/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of Python code: the three formats in which CPython keeps them, as its documents describe them. */
#ifndef INTERPOSE_PYTHON_LINES_H
#define INTERPOSE_PYTHON_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PYTHON_LINES_AHEAD 224

/* A table in the program's memory, read piece by piece and without a fault. */
struct python_line_table {
	uint64_t address, size; /* of its bytes */
	uint8_t bytes[1024];
	size_t begin, n; /* what bytes[] holds of it */
};

/*
 * The line of the instruction `position` bytes behind the first; 0 when the table cannot be read.  Of
 * instructions without a line it is that of those before.
 */
int python_line(struct python_line_table *t, int minor, int first_line, int64_t position);

#endif
