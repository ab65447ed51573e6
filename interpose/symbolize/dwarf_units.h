/* SPDX-License-Identifier: Apache-2.0 */
/* Which compilation unit the code at an address comes from: an index made once per file. */
#ifndef INTERPOSE_DWARF_UNITS_H
#define INTERPOSE_DWARF_UNITS_H

#include "interpose/symbolize/dwarf_read.h"

struct dwarf_range {
	uint64_t start, end;
	uint64_t unit; /* its offset in .debug_info */
};

struct dwarf_index {
	struct dwarf_range *ranges; /* by start */
	size_t n;
};

/* What a unit's first entry says. */
struct dwarf_unit_info {
	struct dwarf_unit_form form;
	bool has_lines;
	uint64_t lines; /* offset of its line program */
	const char *directory; /* in which it was compiled, NULL = unknown */
};

/* False without memory or without units. Not for two threads at once. */
bool dwarf_index_make(struct dwarf_index *index, const struct dwarf_sections *s);
/* The offset of the unit that has an address; false when none has. */
bool dwarf_index_find(const struct dwarf_index *index, uint64_t address, uint64_t *unit);
/* Reads what the unit says of itself. */
bool dwarf_unit_read(const struct dwarf_sections *s, uint64_t offset, struct dwarf_unit_info *out);

#endif
