/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds and runs the call frame programs of .eh_frame.  They lie in the mapped
 * files of the modules whose code is on the stack; nothing is allocated, no
 * lock is taken and no other library is asked.
 */
#include "interpose/symbolize/cfi.h"

#include <stddef.h>

#include "interpose/symbolize/dwarf_cursor.h"

#define REMEMBERED 6 /* rows that a program may have put aside at once */

/* DW_EH_PE: how pointers are written. */
enum {
	PE_ABSOLUTE = 0x00,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_FORMAT = 0x0f,
	PE_PC_RELATIVE = 0x10,
	PE_DATA_RELATIVE = 0x30,
	PE_APPLICATION = 0x70,
	PE_INDIRECT = 0x80,
	PE_OMIT = 0xff
};

/* DW_CFA: what a call frame program is made of. */
enum {
	OP_NOP = 0x00,
	OP_SET_LOC = 0x01,
	OP_ADVANCE_LOC1 = 0x02,
	OP_ADVANCE_LOC2 = 0x03,
	OP_ADVANCE_LOC4 = 0x04,
	OP_OFFSET_EXTENDED = 0x05,
	OP_RESTORE_EXTENDED = 0x06,
	OP_UNDEFINED = 0x07,
	OP_SAME_VALUE = 0x08,
	OP_REGISTER = 0x09,
	OP_REMEMBER = 0x0a,
	OP_RESTORE_STATE = 0x0b,
	OP_DEF_CFA = 0x0c,
	OP_DEF_CFA_REGISTER = 0x0d,
	OP_DEF_CFA_OFFSET = 0x0e,
	OP_DEF_CFA_EXPRESSION = 0x0f,
	OP_EXPRESSION = 0x10,
	OP_OFFSET_EXTENDED_SF = 0x11,
	OP_DEF_CFA_SF = 0x12,
	OP_DEF_CFA_OFFSET_SF = 0x13,
	OP_VAL_OFFSET = 0x14,
	OP_VAL_OFFSET_SF = 0x15,
	OP_VAL_EXPRESSION = 0x16,
	OP_NEGATE_RA_STATE_PC = 0x2c,
	OP_NEGATE_RA_STATE = 0x2d,
	OP_ARGS_SIZE = 0x2e,
	OP_NEGATIVE_OFFSET = 0x2f,
	OP_ADVANCE_LOC = 0x40, /* the operand in the low six bits */
	OP_OFFSET = 0x80,
	OP_RESTORE = 0xc0
};

struct entry {
	uint64_t code_align;
	int64_t data_align;
	uint8_t pointer_encoding;
	bool signal_frame, has_augmentation;
	struct dwarf_cursor initial; /* instructions of the CIE */
	uint64_t start, end; /* code of the FDE */
	struct dwarf_cursor program; /* instructions of the FDE */
};

struct machine {
	const struct entry *e;
	uint64_t at; /* code address the row holds for, so far */
	struct cfi_row row, initial, put_aside[REMEMBERED];
	unsigned n_put_aside;
	bool failed;
};

unsigned cfi_slot_of(uint64_t r)
{
#if defined(__x86_64__)
	static const uint8_t slots[] = {CFI_NONE, CFI_NONE, CFI_NONE, CFI_RBX, CFI_NONE, CFI_NONE, CFI_FP,
		CFI_SP, CFI_NONE, CFI_NONE, CFI_NONE, CFI_NONE, CFI_R12, CFI_R13, CFI_R14, CFI_R15, CFI_RA};

	return r < sizeof(slots) ? slots[r] : CFI_NONE;
#else
	return r >= 19 && r <= 31 ? (unsigned)r - 19 : CFI_NONE;
#endif
}

static uint64_t dwarf_pointer(struct dwarf_cursor *r, uint8_t encoding, uint64_t data_base)
{
	uint64_t base = 0, value;

	if ((encoding & PE_APPLICATION) == PE_PC_RELATIVE)
		base = (uintptr_t)r->at;
	else if ((encoding & PE_APPLICATION) == PE_DATA_RELATIVE)
		base = data_base;
	else if (encoding & PE_APPLICATION)
		r->bad = true;
	switch (encoding & PE_FORMAT) {
	case PE_ABSOLUTE:
	case PE_UDATA8:
	case PE_SDATA8:
		value = dwarf_uint(r, 8);
		break;
	case PE_UDATA2:
		value = dwarf_uint(r, 2);
		break;
	case PE_SDATA2:
		value = (uint64_t)dwarf_int(r, 2);
		break;
	case PE_UDATA4:
		value = dwarf_uint(r, 4);
		break;
	case PE_SDATA4:
		value = (uint64_t)dwarf_int(r, 4);
		break;
	default:
		r->bad = true;
		value = 0;
	}
	if (encoding & PE_INDIRECT)
		r->bad = true;
	return base + value;
}

/* A CIE or FDE that begins here, without its length; id: of a CIE 0, else the distance back to the CIE. */
static bool record_open(uint64_t address, struct dwarf_cursor *r, uint64_t *id, uint64_t *id_at)
{
	uint64_t length;

	*r = (struct dwarf_cursor){.at = (const uint8_t *)(uintptr_t)address};
	r->end = r->at + 12;
	length = dwarf_uint(r, 4);
	if (length == UINT32_MAX)
		length = dwarf_uint(r, 8);
	if (!length || length > UINT32_MAX)
		return false;
	r->end = r->at + length;
	*id_at = (uintptr_t)r->at;
	*id = dwarf_uint(r, 4);
	return !r->bad;
}

/* The letters of the augmentation, and the data of those that have some. */
static void read_augmentation(struct dwarf_cursor *r, const char *letters, struct entry *e)
{
	struct dwarf_cursor data;
	uint64_t length;

	e->has_augmentation = *letters == 'z';
	if (!e->has_augmentation) {
		r->bad |= *letters != 0;
		return;
	}
	length = dwarf_uleb(r);
	data = *r;
	dwarf_skip(r, length);
	data.end = r->at;
	for (letters++; *letters && !data.bad; letters++) {
		switch (*letters) {
		case 'R':
			e->pointer_encoding = (uint8_t)dwarf_uint(&data, 1);
			break;
		case 'P':
			length = dwarf_uint(&data, 1);
			/* Only passed over: where it leads does not matter. */
			dwarf_pointer(&data, (uint8_t)length & PE_FORMAT, 0);
			break;
		case 'L':
			dwarf_uint(&data, 1);
			break;
		case 'S':
			e->signal_frame = true;
			break;
		case 'B': /* the other key signs return addresses */
		case 'G': /* tagged stack memory */
			break;
		default:
			return; /* what follows cannot be found, and the instructions do not need it */
		}
	}
}

static bool read_cie(uint64_t address, struct entry *e)
{
	uint64_t id, id_at, ra;
	struct dwarf_cursor r;
	const char *letters;
	uint8_t version;

	if (!record_open(address, &r, &id, &id_at) || id)
		return false;
	version = (uint8_t)dwarf_uint(&r, 1);
	if (version != 1 && version != 3 && version != 4)
		return false;
	letters = (const char *)r.at;
	while (dwarf_uint(&r, 1))
		;
	if (version == 4 && dwarf_uint(&r, 2) != 8)
		return false; /* addresses of another size, or segments */
	e->code_align = dwarf_uleb(&r);
	e->data_align = dwarf_sleb(&r);
	ra = version == 1 ? dwarf_uint(&r, 1) : dwarf_uleb(&r);
	read_augmentation(&r, letters, e);
	e->initial = r;
	return !r.bad && cfi_slot_of(ra) == CFI_RA;
}

static bool read_fde(uint64_t address, struct entry *e)
{
	uint64_t distance, id_at, cie;
	struct dwarf_cursor r;

	*e = (struct entry){.pointer_encoding = PE_ABSOLUTE};
	if (!record_open(address, &r, &distance, &id_at) || !distance)
		return false;
	cie = id_at - distance;
	if (!read_cie(cie, e))
		return false;
	e->start = dwarf_pointer(&r, e->pointer_encoding, 0);
	e->end = e->start + dwarf_pointer(&r, e->pointer_encoding & PE_FORMAT, 0);
	if (e->has_augmentation)
		dwarf_skip(&r, dwarf_uleb(&r));
	e->program = r;
	return !r.bad;
}

/* The FDE whose code begins last before the address, by the table sorted by address. 0 = none. */
static uint64_t find_fde(uint64_t table, uint64_t pc)
{
	const uint8_t *head = (const uint8_t *)(uintptr_t)table;
	struct dwarf_cursor r = {.at = head + 4, .end = head + 4 + 16};
	const int32_t(*rows)[2];
	uint64_t low = 0, high;

	if (head[0] != 1 || head[2] == PE_OMIT || head[3] != (PE_DATA_RELATIVE | PE_SDATA4))
		return 0;
	dwarf_pointer(&r, head[1], table);
	high = dwarf_pointer(&r, head[2], table);
	if (r.bad)
		return 0;
	rows = (const void *)r.at;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (table + (uint64_t)(int64_t)rows[middle][0] <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? table + (uint64_t)(int64_t)rows[low - 1][1] : 0;
}

static void set_rule(struct machine *m, uint64_t dwarf_register, enum cfi_kind kind, int64_t value)
{
	unsigned slot = cfi_slot_of(dwarf_register);

	if (slot != CFI_NONE)
		m->row.rule[slot] = (struct cfi_rule){(uint8_t)kind, value};
}

static void restore_rule(struct machine *m, uint64_t dwarf_register)
{
	unsigned slot = cfi_slot_of(dwarf_register);

	if (slot != CFI_NONE)
		m->row.rule[slot] = m->initial.rule[slot];
}

static void set_cfa(struct machine *m, uint64_t dwarf_register, int64_t offset)
{
	unsigned slot = cfi_slot_of(dwarf_register);

	m->row.cfa = (struct cfi_rule){CFI_REGISTER, offset};
	m->row.cfa_base = (uint8_t)slot;
}

static void set_register(struct machine *m, uint64_t to, uint64_t from)
{
	unsigned slot = cfi_slot_of(from);

	if (slot == CFI_NONE)
		set_rule(m, to, CFI_UNDEFINED, 0);
	else
		set_rule(m, to, CFI_REGISTER, slot);
}

/* The expression's address; it is passed over. */
static int64_t expression_at(struct dwarf_cursor *r)
{
	int64_t at = (int64_t)(uintptr_t)r->at;

	dwarf_skip(r, dwarf_uleb(r));
	return at;
}

static void put_aside(struct machine *m)
{
	if (m->n_put_aside < REMEMBERED)
		m->put_aside[m->n_put_aside++] = m->row;
	else
		m->failed = true;
}

static void take_back(struct machine *m)
{
	if (m->n_put_aside)
		m->row = m->put_aside[--m->n_put_aside];
	else
		m->failed = true;
}

/* Rules of registers. False: the operation is none of those. */
static bool run_rule(struct machine *m, struct dwarf_cursor *r, uint8_t op)
{
	uint64_t reg;

	if (op == OP_NOP || op > OP_NEGATIVE_OFFSET)
		return false;
	reg = dwarf_uleb(r);
	switch (op) {
	case OP_OFFSET_EXTENDED:
		set_rule(m, reg, CFI_OFFSET, (int64_t)dwarf_uleb(r) * m->e->data_align);
		return true;
	case OP_OFFSET_EXTENDED_SF:
		set_rule(m, reg, CFI_OFFSET, dwarf_sleb(r) * m->e->data_align);
		return true;
	case OP_NEGATIVE_OFFSET:
		set_rule(m, reg, CFI_OFFSET, -(int64_t)dwarf_uleb(r) * m->e->data_align);
		return true;
	case OP_VAL_OFFSET:
		set_rule(m, reg, CFI_VAL_OFFSET, (int64_t)dwarf_uleb(r) * m->e->data_align);
		return true;
	case OP_VAL_OFFSET_SF:
		set_rule(m, reg, CFI_VAL_OFFSET, dwarf_sleb(r) * m->e->data_align);
		return true;
	case OP_RESTORE_EXTENDED:
		restore_rule(m, reg);
		return true;
	case OP_UNDEFINED:
		set_rule(m, reg, CFI_UNDEFINED, 0);
		return true;
	case OP_SAME_VALUE:
		set_rule(m, reg, CFI_SAME, 0);
		return true;
	case OP_REGISTER:
		set_register(m, reg, dwarf_uleb(r));
		return true;
	case OP_EXPRESSION:
		set_rule(m, reg, CFI_EXPRESSION, expression_at(r));
		return true;
	case OP_VAL_EXPRESSION:
		set_rule(m, reg, CFI_VAL_EXPRESSION, expression_at(r));
		return true;
	default:
		return false;
	}
}

/* Where the frame begins. False: the operation is none of those. */
static bool run_cfa(struct machine *m, struct dwarf_cursor *r, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case OP_DEF_CFA:
		reg = dwarf_uleb(r);
		set_cfa(m, reg, (int64_t)dwarf_uleb(r));
		return true;
	case OP_DEF_CFA_SF:
		reg = dwarf_uleb(r);
		set_cfa(m, reg, dwarf_sleb(r) * m->e->data_align);
		return true;
	case OP_DEF_CFA_REGISTER:
		set_cfa(m, dwarf_uleb(r), m->row.cfa.value);
		return true;
	case OP_DEF_CFA_OFFSET:
		m->row.cfa.value = (int64_t)dwarf_uleb(r);
		return true;
	case OP_DEF_CFA_OFFSET_SF:
		m->row.cfa.value = dwarf_sleb(r) * m->e->data_align;
		return true;
	case OP_DEF_CFA_EXPRESSION:
		m->row.cfa = (struct cfi_rule){CFI_VAL_EXPRESSION, expression_at(r)};
		return true;
	default:
		return false;
	}
}

/* The operations that go on to a later code address. False: the operation is none of those. */
static bool run_advance(struct machine *m, struct dwarf_cursor *r, uint8_t op)
{
	uint64_t delta;

	if (op >= OP_ADVANCE_LOC && op < OP_OFFSET)
		delta = op & 0x3f;
	else if (op == OP_ADVANCE_LOC1 || op == OP_ADVANCE_LOC2)
		delta = dwarf_uint(r, op - OP_ADVANCE_LOC1 + 1u);
	else if (op == OP_ADVANCE_LOC4)
		delta = dwarf_uint(r, 4);
	else
		return false;
	m->at += delta * m->e->code_align;
	return true;
}

static void run_one(struct machine *m, struct dwarf_cursor *r, uint8_t op)
{
	if (op >= OP_RESTORE) {
		restore_rule(m, op & 0x3f);
	} else if (op >= OP_OFFSET) {
		set_rule(m, op & 0x3f, CFI_OFFSET, (int64_t)dwarf_uleb(r) * m->e->data_align);
	} else if (op == OP_SET_LOC) {
		m->at = dwarf_pointer(r, m->e->pointer_encoding, 0);
	} else if (op == OP_REMEMBER) {
		put_aside(m);
	} else if (op == OP_RESTORE_STATE) {
		take_back(m);
	} else if (op == OP_ARGS_SIZE) {
		dwarf_uleb(r);
	} else if (op != OP_NOP && op != OP_NEGATE_RA_STATE && op != OP_NEGATE_RA_STATE_PC) {
		/* A signed return address is stripped wherever it is read, so that state does not matter. */
		m->failed |= !run_cfa(m, r, op) && !run_rule(m, r, op);
	}
}

/* Runs instructions as long as they hold for the address or for what comes before it. */
static void run(struct machine *m, struct dwarf_cursor r, uint64_t pc)
{
	while (r.at < r.end && !m->failed) {
		uint8_t op = (uint8_t)dwarf_uint(&r, 1);

		if (run_advance(m, &r, op)) {
			if (m->at > pc)
				break;
		} else {
			run_one(m, &r, op);
		}
		m->failed |= r.bad;
	}
}

bool cfi_find(uint64_t table, uint64_t pc, struct cfi_row *row)
{
	uint64_t fde = table ? find_fde(table, pc) : 0;
	struct machine m = {.n_put_aside = 0};
	struct entry e;

	if (!fde || !read_fde(fde, &e) || pc < e.start || pc >= e.end)
		return false;
	m.e = &e;
	m.at = e.start;
	run(&m, e.initial, UINT64_MAX);
	m.at = e.start;
	m.initial = m.row;
	run(&m, e.program, pc);
	*row = m.row;
	row->signal_frame = e.signal_frame;
	if (row->cfa.kind == CFI_REGISTER && row->cfa_base == CFI_NONE)
		return false;
	return !m.failed && (row->cfa.kind == CFI_REGISTER || row->cfa.kind == CFI_VAL_EXPRESSION);
}
