/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the first entry of every unit for its addresses; the rest of .debug_info is not touched. */
#include "interpose/symbolize/dwarf_units.h"

#include <dwarf.h>
#include <string.h>

#include "interpose/common/tool_arena.h"

#define RANGES_MAX ((size_t)1 << 21)
#define ABBREVS_MAX 100000

/* The attributes of a unit's first entry that matter. */
struct unit {
	struct dwarf_unit_form form;
	struct dwarf_value low, high, ranges, lines, directory, addr_base, str_offsets_base, rnglists_base;
};

static struct dwarf_value *wanted(struct unit *u, uint64_t attribute)
{
	switch (attribute) {
	case DW_AT_low_pc:
		return &u->low;
	case DW_AT_high_pc:
		return &u->high;
	case DW_AT_ranges:
		return &u->ranges;
	case DW_AT_stmt_list:
		return &u->lines;
	case DW_AT_comp_dir:
		return &u->directory;
	case DW_AT_addr_base:
		return &u->addr_base;
	case DW_AT_str_offsets_base:
		return &u->str_offsets_base;
	case DW_AT_rnglists_base:
		return &u->rnglists_base;
	default:
		return NULL;
	}
}

/* Behind the tag and the children flag of the abbreviation with this code; bad when there is none. */
static struct dwarf_cursor abbreviation(const struct dwarf_sections *s, uint64_t table, uint64_t code)
{
	struct dwarf_cursor c = dwarf_from(&s->abbrev, table);

	for (unsigned i = 0; i < ABBREVS_MAX && !c.bad; i++) {
		uint64_t this = dwarf_uleb(&c), attribute, form;

		if (!this)
			break;
		dwarf_uleb(&c);
		dwarf_skip(&c, 1);
		if (this == code)
			return c;
		do {
			attribute = dwarf_uleb(&c);
			form = dwarf_uleb(&c);
			if (form == DW_FORM_implicit_const)
				dwarf_sleb(&c);
		} while ((attribute || form) && !c.bad);
	}
	c.bad = true;
	return c;
}

static bool read_attributes(struct dwarf_cursor *die, struct dwarf_cursor *abbrev, struct unit *u)
{
	for (;;) {
		uint64_t attribute = dwarf_uleb(abbrev), form = dwarf_uleb(abbrev);
		int64_t implicit = form == DW_FORM_implicit_const ? dwarf_sleb(abbrev) : 0;
		struct dwarf_value value, *out = wanted(u, attribute);

		if (abbrev->bad)
			return false;
		if (!attribute && !form)
			return true;
		if (form == DW_FORM_indirect)
			form = dwarf_uleb(die);
		if (!dwarf_value(die, (unsigned)form, implicit, &u->form, &value))
			return false;
		if (out)
			*out = value;
	}
}

/* A unit's header and first entry. False: it has no code of its own, or cannot be read. */
static bool read_unit(const struct dwarf_sections *s, struct dwarf_cursor c, bool wide, struct unit *u)
{
	uint64_t table = 0, code;
	unsigned type = DW_UT_compile;
	struct dwarf_cursor abbrev;

	memset(u, 0, sizeof(*u));
	u->form.wide = wide;
	u->form.version = (uint16_t)dwarf_uint(&c, 2);
	if (u->form.version < 2 || u->form.version > 5)
		return false;
	if (u->form.version == 5) {
		type = (unsigned)dwarf_uint(&c, 1);
		u->form.address_size = (uint8_t)dwarf_uint(&c, 1);
	}
	table = dwarf_uint(&c, wide ? 8 : 4);
	if (u->form.version < 5)
		u->form.address_size = (uint8_t)dwarf_uint(&c, 1);
	if (type == DW_UT_skeleton)
		dwarf_skip(&c, 8);
	else if (type != DW_UT_compile && type != DW_UT_partial)
		return false;
	code = dwarf_uleb(&c);
	if (c.bad || !code || !u->form.address_size || u->form.address_size > 8)
		return false;
	abbrev = abbreviation(s, table, code);
	return !abbrev.bad && read_attributes(&c, &abbrev, u);
}

static bool indexed_address(
	const struct dwarf_sections *s, const struct unit *u, uint64_t index, uint64_t *out)
{
	struct dwarf_cursor c;

	if (index > UINT32_MAX)
		return false;
	c = dwarf_from(&s->addr, u->addr_base.number + index * u->form.address_size);
	*out = dwarf_uint(&c, u->form.address_size);
	return !c.bad;
}

static bool unit_address(
	const struct dwarf_sections *s, const struct unit *u, const struct dwarf_value *v, uint64_t *out)
{
	switch (v->form) {
	case DW_FORM_addr:
		*out = v->number;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
		return indexed_address(s, u, v->number, out);
	default:
		return false;
	}
}

/* Where ranges go: counted first, then kept. */
struct ranges {
	struct dwarf_range *to; /* NULL while counting */
	size_t n, room;
	uint64_t unit;
};

static void unit_range_add(struct ranges *r, uint64_t start, uint64_t end)
{
	/* Code that the linker dropped lies at 0, or at the end of all addresses. */
	if (!start || start >= end || start >= UINT64_MAX - 1 || r->n == RANGES_MAX)
		return;
	if (r->to && r->n < r->room)
		r->to[r->n] = (struct dwarf_range){start, end, r->unit};
	r->n++;
}

/* .debug_ranges, up to DWARF 4 */
static void old_ranges(const struct dwarf_sections *s, const struct unit *u, uint64_t base, struct ranges *r)
{
	struct dwarf_cursor c = dwarf_from(&s->ranges, u->ranges.number);
	unsigned size = u->form.address_size;
	uint64_t largest = size < 8 ? (UINT64_C(1) << (8 * size)) - 1 : UINT64_MAX;

	for (;;) {
		uint64_t start = dwarf_uint(&c, size), end = dwarf_uint(&c, size);

		if (c.bad || (!start && !end))
			return;
		if (start == largest)
			base = end;
		else
			unit_range_add(r, base + start, base + end);
	}
}

/* One entry of .debug_rnglists. False at the end. */
static bool range_entry(const struct dwarf_sections *s, const struct unit *u, struct dwarf_cursor *c,
	uint64_t *base, struct ranges *r)
{
	unsigned kind = (unsigned)dwarf_uint(c, 1), size = u->form.address_size;
	uint64_t start = 0, end = 0;

	switch (kind) {
	case DW_RLE_base_addressx:
		return indexed_address(s, u, dwarf_uleb(c), base);
	case DW_RLE_base_address:
		*base = dwarf_uint(c, size);
		return !c->bad;
	case DW_RLE_startx_endx:
		if (!indexed_address(s, u, dwarf_uleb(c), &start) ||
			!indexed_address(s, u, dwarf_uleb(c), &end))
			return false;
		break;
	case DW_RLE_startx_length:
		if (!indexed_address(s, u, dwarf_uleb(c), &start))
			return false;
		end = start + dwarf_uleb(c);
		break;
	case DW_RLE_offset_pair:
		start = *base + dwarf_uleb(c);
		end = *base + dwarf_uleb(c);
		break;
	case DW_RLE_start_end:
		start = dwarf_uint(c, size);
		end = dwarf_uint(c, size);
		break;
	case DW_RLE_start_length:
		start = dwarf_uint(c, size);
		end = start + dwarf_uleb(c);
		break;
	default:
		return false;
	}
	if (c->bad)
		return false;
	unit_range_add(r, start, end);
	return true;
}

static void new_ranges(const struct dwarf_sections *s, const struct unit *u, uint64_t base, struct ranges *r)
{
	uint64_t offset = u->ranges.number;
	unsigned size = u->form.wide ? 8 : 4;
	struct dwarf_cursor c;

	if (u->ranges.form == DW_FORM_rnglistx) {
		if (offset > UINT32_MAX)
			return;
		c = dwarf_from(&s->rnglists, u->rnglists_base.number + offset * size);
		offset = u->rnglists_base.number + dwarf_uint(&c, size);
		if (c.bad)
			return;
	}
	c = dwarf_from(&s->rnglists, offset);
	while (range_entry(s, u, &c, &base, r))
		;
}

static void unit_ranges(const struct dwarf_sections *s, const struct unit *u, struct ranges *r)
{
	uint64_t low = 0, high;
	bool has_low = unit_address(s, u, &u->low, &low);

	if (u->ranges.form && u->form.version < 5)
		old_ranges(s, u, low, r);
	else if (u->ranges.form)
		new_ranges(s, u, low, r);
	else if (has_low && u->high.form)
		unit_range_add(r, low, unit_address(s, u, &u->high, &high) ? high : low + u->high.number);
}

static void each_unit(const struct dwarf_sections *s, struct ranges *r)
{
	struct dwarf_cursor c = s->info, unit;
	struct unit u;
	bool wide;

	while (c.at < c.end) {
		r->unit = (uint64_t)(c.at - s->info.at);
		if (!dwarf_unit(&c, &unit, &wide))
			return;
		if (read_unit(s, unit, wide, &u) && u.lines.form)
			unit_ranges(s, &u, r);
	}
}

static void sift_down(struct dwarf_range *a, size_t root, size_t n)
{
	struct dwarf_range top = a[root];

	for (size_t child; (child = 2 * root + 1) < n; root = child) {
		if (child + 1 < n && a[child + 1].start > a[child].start)
			child++;
		if (a[child].start <= top.start)
			break;
		a[root] = a[child];
	}
	a[root] = top;
}

/* In place; the C library's qsort allocates. Most files are in order already. */
static void ranges_sort(struct dwarf_range *a, size_t n)
{
	size_t i = 1;

	while (i < n && a[i - 1].start <= a[i].start)
		i++;
	if (i >= n)
		return;
	for (i = n / 2; i-- > 0;)
		sift_down(a, i, n);
	for (i = n; i-- > 1;) {
		struct dwarf_range top = a[0];

		a[0] = a[i];
		a[i] = top;
		sift_down(a, 0, i);
	}
}

bool dwarf_index_make(struct dwarf_index *index, const struct dwarf_sections *s)
{
	struct ranges r = {0};

	*index = (struct dwarf_index){0};
	each_unit(s, &r);
	if (!r.n)
		return false;
	r.room = r.n;
	r.to = arena_alloc(r.n * sizeof(*r.to));
	if (!r.to)
		return false;
	r.n = 0;
	each_unit(s, &r);
	index->ranges = r.to;
	index->n = r.n < r.room ? r.n : r.room;
	ranges_sort(index->ranges, index->n);
	return true;
}

static const struct dwarf_range *range_of(const struct dwarf_index *index, uint64_t address)
{
	size_t low = 0, high = index->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (index->ranges[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* Ranges of a file overlap where functions were folded: then an earlier one may reach further. */
	for (unsigned i = 0; i < 8 && low; i++)
		if (address < index->ranges[--low].end)
			return &index->ranges[low];
	return NULL;
}

bool dwarf_index_find(const struct dwarf_index *index, uint64_t address, uint64_t *unit)
{
	const struct dwarf_range *range = range_of(index, address);

	*unit = range ? range->unit : 0;
	return range != NULL;
}

bool dwarf_unit_read(const struct dwarf_sections *s, uint64_t offset, struct dwarf_unit_info *out)
{
	struct dwarf_cursor c = dwarf_from(&s->info, offset), bytes;
	struct unit u;
	bool wide;

	if (!dwarf_unit(&c, &bytes, &wide) || !read_unit(s, bytes, wide, &u))
		return false;
	out->form = u.form;
	out->has_lines = u.lines.form != 0;
	out->lines = u.lines.number;
	out->directory = dwarf_value_string(s, &u.form, &u.directory, u.str_offsets_base.number);
	return true;
}
