/* SPDX-License-Identifier: Apache-2.0 */
/* A program is run twice, to count and to keep: frames of one stack come from few units. */
#include "interpose/symbolize/dwarf_lines.h"

#include <dwarf.h>
#include <string.h>

#include "interpose/common/tool_arena.h"

#define PROGRAM_MAX ((size_t)16 << 20)
#define FORMATS_MAX 16
#define ROWS_MAX ((size_t)1 << 22)

struct header {
	struct dwarf_unit_form form;
	uint8_t min_length, max_operations, line_range, opcode_base;
	int8_t line_base;
	struct dwarf_cursor lengths; /* operands of the standard opcodes */
	struct dwarf_cursor tables; /* directories and files */
	struct dwarf_cursor program;
};

/* The registers of the machine that runs the program. */
struct row {
	uint64_t address, file;
	uint32_t line, operation;
};

/* Addresses of a sequence; its rows, the end mark among them. */
struct dwarf_sequence {
	uint64_t start, end;
	size_t first, n;
};

static bool read_header(const struct dwarf_sections *s, const struct dwarf_unit_info *unit, struct header *h)
{
	struct dwarf_cursor c = dwarf_from(&s->line, unit->lines), all;
	uint64_t length;

	memset(h, 0, sizeof(*h));
	h->form = unit->form;
	if (!dwarf_unit(&c, &all, &h->form.wide))
		return false;
	h->form.version = (uint16_t)dwarf_uint(&all, 2);
	if (h->form.version < 2 || h->form.version > 5)
		return false;
	if (h->form.version == 5) {
		h->form.address_size = (uint8_t)dwarf_uint(&all, 1);
		dwarf_skip(&all, 1);
	}
	length = dwarf_uint(&all, h->form.wide ? 8 : 4);
	h->program = all;
	dwarf_skip(&h->program, length);
	h->min_length = (uint8_t)dwarf_uint(&all, 1);
	h->max_operations = h->form.version >= 4 ? (uint8_t)dwarf_uint(&all, 1) : 1;
	dwarf_skip(&all, 1); /* default_is_stmt */
	h->line_base = (int8_t)dwarf_uint(&all, 1);
	h->line_range = (uint8_t)dwarf_uint(&all, 1);
	h->opcode_base = (uint8_t)dwarf_uint(&all, 1);
	h->lengths = all;
	dwarf_skip(&all, h->opcode_base ? h->opcode_base - 1u : 0);
	h->tables = all;
	return !all.bad && !h->program.bad && h->line_range && h->opcode_base && h->max_operations &&
	       (size_t)(h->program.end - h->program.at) <= PROGRAM_MAX;
}

static void row_advance(const struct header *h, struct row *r, uint64_t operations)
{
	uint64_t sum = r->operation + operations;

	r->address += h->min_length * (sum / h->max_operations);
	r->operation = (uint32_t)(sum % h->max_operations);
}

enum step { STEP_NONE, STEP_ROW, STEP_END, STEP_BAD };

static enum step extended_opcode(struct dwarf_cursor *c, struct row *r)
{
	uint64_t length = dwarf_uleb(c);
	struct dwarf_cursor operand = *c;
	unsigned opcode;

	dwarf_skip(c, length);
	if (c->bad || !length)
		return STEP_BAD;
	operand.end = c->at;
	opcode = (unsigned)dwarf_uint(&operand, 1);
	if (opcode == DW_LNE_end_sequence)
		return STEP_END;
	if (opcode == DW_LNE_set_address) {
		size_t size = (size_t)(operand.end - operand.at);

		r->address = size <= 8 ? dwarf_uint(&operand, (unsigned)size) : 0;
		r->operation = 0;
	}
	return STEP_NONE;
}

static enum step standard_opcode(
	const struct header *h, struct dwarf_cursor *c, struct row *r, unsigned opcode)
{
	switch (opcode) {
	case DW_LNS_copy:
		return STEP_ROW;
	case DW_LNS_advance_pc:
		row_advance(h, r, dwarf_uleb(c));
		return STEP_NONE;
	case DW_LNS_advance_line:
		r->line += (uint32_t)dwarf_sleb(c);
		return STEP_NONE;
	case DW_LNS_set_file:
		r->file = dwarf_uleb(c);
		return STEP_NONE;
	case DW_LNS_const_add_pc:
		row_advance(h, r, (255u - h->opcode_base) / h->line_range);
		return STEP_NONE;
	case DW_LNS_fixed_advance_pc:
		r->address += dwarf_uint(c, 2);
		r->operation = 0;
		return STEP_NONE;
	default:
		/* Also the ones that matter to debuggers only: their operands are passed over. */
		for (unsigned n = h->lengths.at[opcode - 1]; n; n--)
			dwarf_uleb(c);
		return STEP_NONE;
	}
}

static enum step program_step(const struct header *h, struct dwarf_cursor *c, struct row *r)
{
	unsigned opcode = (unsigned)dwarf_uint(c, 1);

	if (opcode >= h->opcode_base) {
		opcode -= h->opcode_base;
		row_advance(h, r, opcode / h->line_range);
		r->line += (uint32_t)(h->line_base + (int)(opcode % h->line_range));
		return STEP_ROW;
	}
	return opcode ? standard_opcode(h, c, r, opcode) : extended_opcode(c, r);
}

/* Where rows go: counted first, then kept. */
struct table {
	struct dwarf_row *rows; /* NULL while counting */
	struct dwarf_sequence *sequences;
	size_t n, n_sequences;
	size_t first; /* of the present sequence */
	size_t limit; /* of sequences */
};

static void table_row(struct table *t, const struct row *r)
{
	if (t->rows)
		t->rows[t->n] = (struct dwarf_row){
			r->address, r->line, r->file <= UINT32_MAX ? (uint32_t)r->file : 0};
	t->n++;
}

static void table_end(struct table *t)
{
	if (t->rows)
		t->sequences[t->n_sequences] = (struct dwarf_sequence){
			t->rows[t->first].address, t->rows[t->n - 1].address, t->first, t->n - t->first};
	t->n_sequences++;
	t->first = t->n;
}

/* Rows of a sequence without an end are dropped. */
static bool program_run(const struct header *h, struct table *t)
{
	const struct row start = {.file = 1, .line = 1};
	struct dwarf_cursor c = h->program;
	struct row now = start;

	while (c.at < c.end && !c.bad && t->n < ROWS_MAX && t->n_sequences < t->limit) {
		enum step s = program_step(h, &c, &now);

		if (s == STEP_BAD || c.bad)
			break;
		if (s == STEP_NONE)
			continue;
		table_row(t, &now);
		if (s == STEP_END) {
			table_end(t);
			now = start;
		}
	}
	t->n = t->first;
	return t->n_sequences != 0;
}

bool dwarf_rows_make(
	struct dwarf_rows *rows, const struct dwarf_sections *s, const struct dwarf_unit_info *unit)
{
	struct table t = {.limit = SIZE_MAX};
	struct header h;

	*rows = (struct dwarf_rows){0};
	if (!unit->has_lines || !read_header(s, unit, &h) || !program_run(&h, &t))
		return false;
	t.rows = arena_alloc(t.n * sizeof(*t.rows));
	t.sequences = arena_alloc(t.n_sequences * sizeof(*t.sequences));
	if (!t.rows || !t.sequences)
		return false;
	rows->n = t.n;
	rows->n_sequences = t.limit = t.n_sequences;
	t.n = t.n_sequences = t.first = 0;
	program_run(&h, &t);
	rows->rows = t.rows;
	rows->sequences = t.sequences;
	return true;
}

const struct dwarf_row *dwarf_rows_find(const struct dwarf_rows *rows, uint64_t address)
{
	for (size_t i = 0; i < rows->n_sequences; i++) {
		const struct dwarf_sequence *q = &rows->sequences[i];
		size_t low = q->first, high = q->first + q->n - 1;

		if (address < q->start || address >= q->end)
			continue;
		while (low + 1 < high) {
			size_t middle = low + (high - low) / 2;

			if (rows->rows[middle].address <= address)
				low = middle;
			else
				high = middle;
		}
		return &rows->rows[low];
	}
	return NULL;
}

/* Up to DWARF 4: directories from 1, where 0 is the unit's own; files from 1. */
static bool old_name(
	const struct header *h, const char *unit_directory, uint64_t file, struct dwarf_file *out)
{
	struct dwarf_cursor directories = h->tables, c = h->tables;
	uint64_t directory = 0;

	while (*dwarf_string(&c) && !c.bad)
		;
	out->name = NULL;
	for (uint64_t i = 1; i <= file; i++) {
		out->name = dwarf_string(&c);
		if (c.bad || !*out->name)
			return false;
		directory = dwarf_uleb(&c);
		dwarf_uleb(&c);
		dwarf_uleb(&c);
	}
	out->directory = unit_directory;
	for (uint64_t i = 1; i <= directory; i++) {
		out->directory = dwarf_string(&directories);
		if (directories.bad || !*out->directory)
			return false;
	}
	return out->name != NULL;
}

struct entry_format {
	unsigned n;
	struct {
		unsigned content, form;
	} field[FORMATS_MAX];
};

static bool read_format(struct dwarf_cursor *c, struct entry_format *f)
{
	f->n = (unsigned)dwarf_uint(c, 1);
	if (f->n > FORMATS_MAX)
		return false;
	for (unsigned i = 0; i < f->n; i++) {
		f->field[i].content = (unsigned)dwarf_uleb(c);
		f->field[i].form = (unsigned)dwarf_uleb(c);
	}
	return !c->bad;
}

/* Entries up to the wanted one, the rest passed over as well when all are wanted: UINT64_MAX. */
static bool read_entries(const struct dwarf_sections *s, const struct header *h, struct dwarf_cursor *c,
	uint64_t which, const char **path, uint64_t *directory)
{
	struct entry_format format;
	uint64_t n;

	if (!read_format(c, &format))
		return false;
	n = dwarf_uleb(c);
	for (uint64_t i = 0; i < n && format.n; i++) {
		for (unsigned k = 0; k < format.n; k++) {
			struct dwarf_value v;

			if (!dwarf_value(c, format.field[k].form, 0, &h->form, &v))
				return false;
			if (i != which)
				continue;
			if (format.field[k].content == DW_LNCT_path)
				*path = dwarf_value_string(s, &h->form, &v, 0);
			else if (format.field[k].content == DW_LNCT_directory_index)
				*directory = v.number;
		}
		if (i == which)
			return *path != NULL;
	}
	return which == UINT64_MAX;
}

static bool new_name(
	const struct dwarf_sections *s, const struct header *h, uint64_t file, struct dwarf_file *out)
{
	struct dwarf_cursor directories = h->tables, c = h->tables;
	uint64_t directory = 0;

	out->name = out->directory = NULL;
	return read_entries(s, h, &c, UINT64_MAX, NULL, NULL) &&
	       read_entries(s, h, &c, file, &out->name, &directory) &&
	       read_entries(s, h, &directories, directory, &out->directory, &directory);
}

bool dwarf_file_name(const struct dwarf_sections *s, const struct dwarf_unit_info *unit, uint64_t file,
	struct dwarf_file *out)
{
	struct header h;

	if (!read_header(s, unit, &h))
		return false;
	if (!(h.form.version == 5 ? new_name(s, &h, file, out) : old_name(&h, unit->directory, file, out)))
		return false;
	if (*out->name == '/')
		out->directory = NULL;
	return true;
}
