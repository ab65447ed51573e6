/* SPDX-License-Identifier: Apache-2.0 */
/* Strings, units and attributes of debug information: nothing in the file is trusted. */
#ifndef INTERPOSE_DWARF_READ_H
#define INTERPOSE_DWARF_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interpose/symbolize/dwarf_cursor.h"

/* The sections that lead from an address to a line; empty where the file has none. */
struct dwarf_sections {
	struct dwarf_cursor info, abbrev, line, str, line_str, str_offsets, addr, ranges, rnglists;
};

/* What differs between units. */
struct dwarf_unit_form {
	uint16_t version;
	uint8_t address_size;
	bool wide; /* 64-bit DWARF */
};

/* The string that begins here; "" and bad when it has no end. */
const char *dwarf_string(struct dwarf_cursor *c);
/* unit_length; *wide is set. The unit's bytes alone are left in *unit, c stands behind them. */
bool dwarf_unit(struct dwarf_cursor *c, struct dwarf_cursor *unit, bool *wide);
/* The section from an offset on; bad when it is outside. */
struct dwarf_cursor dwarf_from(const struct dwarf_cursor *section, uint64_t offset);

/* An attribute's value as it stands in the file. */
struct dwarf_value {
	unsigned form; /* 0 = not there */
	uint64_t number; /* also an offset or an index */
	const char *inline_string; /* DW_FORM_string */
};

/* Reads a value, or skips what is no number and no string. False: an unknown form, nothing behind it can be
 * read. */
bool dwarf_value(struct dwarf_cursor *c, unsigned form, int64_t implicit, const struct dwarf_unit_form *unit,
	struct dwarf_value *out);
/* Its string; NULL when it is none. str_offsets_base is the unit's, 0 = none. */
const char *dwarf_value_string(const struct dwarf_sections *s, const struct dwarf_unit_form *unit,
	const struct dwarf_value *v, uint64_t str_offsets_base);

#endif
