/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, strings and attribute forms of DWARF 2 to 5. */
#include "interpose/symbolize/dwarf_read.h"

#include <dwarf.h>
#include <string.h>

const char *dwarf_string(struct dwarf_cursor *c)
{
	const char *s = (const char *)c->at;
	const void *end = c->bad || c->at == c->end ? NULL : memchr(c->at, 0, (size_t)(c->end - c->at));

	if (!end) {
		c->bad = true;
		return "";
	}
	c->at = (const uint8_t *)end + 1;
	return s;
}

bool dwarf_unit(struct dwarf_cursor *c, struct dwarf_cursor *unit, bool *wide)
{
	uint64_t length = dwarf_uint(c, 4);

	*wide = length == 0xffffffff;
	if (*wide)
		length = dwarf_uint(c, 8);
	*unit = *c;
	dwarf_skip(c, length);
	unit->end = c->at;
	return !c->bad && length;
}

struct dwarf_cursor dwarf_from(const struct dwarf_cursor *section, uint64_t offset)
{
	struct dwarf_cursor c = *section;

	dwarf_skip(&c, offset);
	return c;
}

/* Bytes of the forms that have a fixed number of them; 0 = another one. */
static unsigned fixed_size(unsigned form, const struct dwarf_unit_form *unit)
{
	switch (form) {
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_addr:
		return unit->address_size <= 8 ? unit->address_size : 0;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_GNU_ref_alt:
		return unit->wide ? 8 : 4;
	case DW_FORM_ref_addr:
		return unit->version == 2 ? unit->address_size : unit->wide ? 8 : 4;
	default:
		return 0;
	}
}

bool dwarf_value(struct dwarf_cursor *c, unsigned form, int64_t implicit, const struct dwarf_unit_form *unit,
	struct dwarf_value *out)
{
	unsigned size = fixed_size(form, unit);

	*out = (struct dwarf_value){.form = form};
	if (size) {
		out->number = dwarf_uint(c, size);
		return !c->bad;
	}
	switch (form) {
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		out->number = dwarf_uleb(c);
		break;
	case DW_FORM_sdata:
		out->number = (uint64_t)dwarf_sleb(c);
		break;
	case DW_FORM_implicit_const:
		out->number = (uint64_t)implicit;
		break;
	case DW_FORM_flag_present:
		out->number = 1;
		break;
	case DW_FORM_string:
		out->inline_string = dwarf_string(c);
		break;
	case DW_FORM_block1:
		dwarf_skip(c, dwarf_uint(c, 1));
		break;
	case DW_FORM_block2:
		dwarf_skip(c, dwarf_uint(c, 2));
		break;
	case DW_FORM_block4:
		dwarf_skip(c, dwarf_uint(c, 4));
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		dwarf_skip(c, dwarf_uleb(c));
		break;
	case DW_FORM_data16:
		dwarf_skip(c, 16);
		break;
	default:
		c->bad = true;
	}
	return !c->bad;
}

static const char *string_at(const struct dwarf_cursor *section, uint64_t offset)
{
	struct dwarf_cursor c = dwarf_from(section, offset);
	const char *s = dwarf_string(&c);

	return c.bad ? NULL : s;
}

const char *dwarf_value_string(const struct dwarf_sections *s, const struct dwarf_unit_form *unit,
	const struct dwarf_value *v, uint64_t str_offsets_base)
{
	unsigned size = unit->wide ? 8 : 4;
	struct dwarf_cursor c;
	uint64_t offset;

	switch (v->form) {
	case DW_FORM_string:
		return v->inline_string;
	case DW_FORM_strp:
		return string_at(&s->str, v->number);
	case DW_FORM_line_strp:
		return string_at(&s->line_str, v->number);
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
		if (v->number > UINT32_MAX)
			return NULL;
		c = dwarf_from(&s->str_offsets, str_offsets_base + v->number * size);
		offset = dwarf_uint(&c, size);
		return c.bad ? NULL : string_at(&s->str, offset);
	default:
		return NULL;
	}
}
