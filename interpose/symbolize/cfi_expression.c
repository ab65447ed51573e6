/* SPDX-License-Identifier: Apache-2.0 */
/* DWARF expressions as call frame information uses them: stack alignment, procedure linkage tables, assembly.
 */
#include <stddef.h>

#include "interpose/symbolize/cfi.h"
#include "interpose/symbolize/dwarf_cursor.h"

#define DEPTH 32
#define STEPS 256 /* operations at most: jumps may go back */

enum {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08, /* 1u 1s 2u 2s 4u 4s 8u 8s */
	OP_CONST8S = 0x0f,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_DUP = 0x12,
	OP_DROP = 0x13,
	OP_OVER = 0x14,
	OP_PICK = 0x15,
	OP_SWAP = 0x16,
	OP_ROT = 0x17,
	OP_ABS = 0x19,
	OP_AND = 0x1a,
	OP_DIV = 0x1b,
	OP_MINUS = 0x1c,
	OP_MOD = 0x1d,
	OP_MUL = 0x1e,
	OP_NEG = 0x1f,
	OP_NOT = 0x20,
	OP_OR = 0x21,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_SHR = 0x25,
	OP_SHRA = 0x26,
	OP_XOR = 0x27,
	OP_BRA = 0x28,
	OP_EQ = 0x29, /* eq ge gt le lt ne */
	OP_NE = 0x2e,
	OP_SKIP = 0x2f,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_BREGX = 0x92,
	OP_NOP = 0x96
};

struct machine {
	struct dwarf_cursor r;
	const uint8_t *begin;
	const uint64_t *slots;
	cfi_read_fn read;
	void *context;
	uint64_t stack[DEPTH];
	unsigned n;
	bool failed;
};

static void push(struct machine *m, uint64_t v)
{
	if (m->n < DEPTH)
		m->stack[m->n++] = v;
	else
		m->failed = true;
}

static uint64_t pop(struct machine *m)
{
	if (m->n)
		return m->stack[--m->n];
	m->failed = true;
	return 0;
}

static uint64_t pick(struct machine *m, uint64_t index)
{
	if (index < m->n)
		return m->stack[m->n - 1 - index];
	m->failed = true;
	return 0;
}

static void push_register(struct machine *m, uint64_t dwarf_register)
{
	unsigned slot = cfi_slot_of(dwarf_register);
	int64_t offset = dwarf_sleb(&m->r);

	if (slot == CFI_NONE || slot == CFI_RA)
		m->failed = true;
	else
		push(m, m->slots[slot] + (uint64_t)offset);
}

static bool run_constant(struct machine *m, uint8_t op)
{
	if (op >= OP_LIT0 && op <= OP_LIT31) {
		push(m, op - OP_LIT0);
	} else if (op >= OP_CONST1U && op <= OP_CONST8S) {
		unsigned size = 1u << (op - OP_CONST1U) / 2;

		push(m, op & 1 ? (uint64_t)dwarf_int(&m->r, size) : dwarf_uint(&m->r, size));
	} else if (op == OP_ADDR) {
		push(m, dwarf_uint(&m->r, 8));
	} else if (op == OP_CONSTU) {
		push(m, dwarf_uleb(&m->r));
	} else if (op == OP_CONSTS) {
		push(m, (uint64_t)dwarf_sleb(&m->r));
	} else {
		return false;
	}
	return true;
}

static bool run_stack(struct machine *m, uint8_t op)
{
	uint64_t a, b, c;

	switch (op) {
	case OP_DUP:
		push(m, pick(m, 0));
		return true;
	case OP_DROP:
		pop(m);
		return true;
	case OP_OVER:
		push(m, pick(m, 1));
		return true;
	case OP_PICK:
		push(m, pick(m, dwarf_uint(&m->r, 1)));
		return true;
	case OP_SWAP:
		a = pop(m), b = pop(m);
		push(m, a), push(m, b);
		return true;
	case OP_ROT:
		a = pop(m), b = pop(m), c = pop(m);
		push(m, a), push(m, c), push(m, b);
		return true;
	default:
		return false;
	}
}

static bool run_unary(struct machine *m, uint8_t op)
{
	uint64_t a;

	switch (op) {
	case OP_DEREF:
		a = pop(m);
		if (m->failed || !m->read(m->context, a, &a))
			m->failed = true;
		push(m, a);
		return true;
	case OP_ABS:
		a = pop(m);
		push(m, (int64_t)a < 0 ? -a : a);
		return true;
	case OP_NEG:
		push(m, -pop(m));
		return true;
	case OP_NOT:
		push(m, ~pop(m));
		return true;
	case OP_PLUS_UCONST:
		a = pop(m);
		push(m, a + dwarf_uleb(&m->r));
		return true;
	default:
		return false;
	}
}

static uint64_t compare(uint8_t op, int64_t a, int64_t b)
{
	const bool results[] = {a == b, a >= b, a > b, a <= b, a < b, a != b};

	return results[op - OP_EQ];
}

static uint64_t binary(struct machine *m, uint8_t op, uint64_t a, uint64_t b)
{
	bool divides = op == OP_DIV || op == OP_MOD;

	if (op >= OP_EQ && op <= OP_NE)
		return compare(op, (int64_t)a, (int64_t)b);
	if (divides && (!b || (op == OP_DIV && b == UINT64_MAX))) {
		m->failed = true;
		return 0;
	}
	switch (op) {
	case OP_AND:
		return a & b;
	case OP_DIV:
		return (uint64_t)((int64_t)a / (int64_t)b);
	case OP_MINUS:
		return a - b;
	case OP_MOD:
		return a % b;
	case OP_MUL:
		return a * b;
	case OP_OR:
		return a | b;
	case OP_PLUS:
		return a + b;
	case OP_SHL:
		return b < 64 ? a << b : 0;
	case OP_SHR:
		return b < 64 ? a >> b : 0;
	case OP_SHRA:
		return (uint64_t)((int64_t)a >>
				  (b < 63 ? b : 63)); /* cppcheck-suppress shiftTooManyBitsSigned */
	case OP_XOR:
		return a ^ b;
	default:
		m->failed = true;
		return 0;
	}
}

/* A distance from behind the operand; false: the operation does not jump. */
static bool run_jump(struct machine *m, uint8_t op)
{
	int64_t distance, at;

	if (op != OP_SKIP && op != OP_BRA)
		return false;
	distance = dwarf_int(&m->r, 2);
	if (op == OP_BRA && !pop(m))
		return true;
	at = m->r.at - m->begin + distance;
	if (at < 0 || at > m->r.end - m->begin)
		m->failed = true;
	else
		m->r.at = m->begin + at;
	return true;
}

static void run_one(struct machine *m)
{
	uint8_t op = (uint8_t)dwarf_uint(&m->r, 1);
	uint64_t a, b;

	if (op >= OP_BREG0 && op <= OP_BREG31) {
		push_register(m, op - OP_BREG0);
	} else if (op == OP_BREGX) {
		push_register(m, dwarf_uleb(&m->r));
	} else if (op != OP_NOP && !run_constant(m, op) && !run_stack(m, op) && !run_unary(m, op) &&
		   !run_jump(m, op)) {
		b = pop(m), a = pop(m);
		push(m, binary(m, op, a, b));
	}
	m->failed |= m->r.bad;
}

bool cfi_expression(uint64_t expression, const uint64_t slots[CFI_SLOTS], const uint64_t *first,
	cfi_read_fn read, void *context, uint64_t *value)
{
	struct machine m = {.slots = slots, .read = read, .context = context};
	uint64_t length;

	m.r.at = (const uint8_t *)(uintptr_t)expression;
	m.r.end = m.r.at + 10;
	length = dwarf_uleb(&m.r);
	m.begin = m.r.at;
	m.r.end = m.r.at + length;
	if (first)
		push(&m, *first);
	for (unsigned steps = 0; m.r.at < m.r.end && !m.failed; steps++) {
		run_one(&m);
		m.failed |= steps >= STEPS;
	}
	*value = pop(&m);
	return !m.failed;
}
