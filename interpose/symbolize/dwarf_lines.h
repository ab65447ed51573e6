/* SPDX-License-Identifier: Apache-2.0 */
/* Line programs of compilation units (DWARF 2 to 5), and the names of their files. */
#ifndef INTERPOSE_DWARF_LINES_H
#define INTERPOSE_DWARF_LINES_H

#include "interpose/symbolize/dwarf_units.h"

struct dwarf_row {
	uint64_t address;
	uint32_t line, file; /* file 0 with line 0: the sequence ends here */
};

/* A unit's rows as its program makes them: ascending within each sequence. */
struct dwarf_rows {
	const struct dwarf_row *rows;
	size_t n;
	const struct dwarf_sequence *sequences;
	size_t n_sequences;
};

/* Runs the unit's line program; false without one, or without memory. What was made stays. */
bool dwarf_rows_make(
	struct dwarf_rows *rows, const struct dwarf_sections *s, const struct dwarf_unit_info *unit);

/* The last row at or before an address; NULL when no sequence has it. */
const struct dwarf_row *dwarf_rows_find(const struct dwarf_rows *rows, uint64_t address);

struct dwarf_file {
	const char *directory; /* NULL = none, or part of name */
	const char *name;
};

/* The name of a row's file; strings lie in the sections. */
bool dwarf_file_name(const struct dwarf_sections *s, const struct dwarf_unit_info *unit, uint64_t file,
	struct dwarf_file *out);

#endif
