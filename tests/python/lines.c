/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of line tables as a library, for lines.py. */
#include "interpose/symbolize/python_lines.h"

__attribute__((visibility("default"))) void lines_of(int minor, int first_line, const uint8_t *table,
	uint64_t size, const int64_t *positions, int *lines, unsigned n);

void lines_of(int minor, int first_line, const uint8_t *table, uint64_t size, const int64_t *positions,
	int *lines, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct python_line_table t = {.address = (uintptr_t)table, .size = size};

		lines[i] = python_line(&t, minor, first_line, positions[i]);
	}
}
