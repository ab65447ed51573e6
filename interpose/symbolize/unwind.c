/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk goes over a cache of rows, one a code address, as long as it can;
 * the first unknown address, and any stack that is not the thread's own, send
 * it to the tool's stack, where call frame programs are run.
 *
 * No library does this: libunwind keeps a pipe to probe memory, takes locks
 * that a forked child may find taken, and uses the program's malloc.
 */
#include "interpose/symbolize/unwind.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#include "checks/engine/atomics.h"
#include "checks/engine/pages.h"
#include "interpose/common/compiler.h"
#include "interpose/common/thread_state.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/symbolize/cfi.h"
#include "interpose/stack/stack_memory.h"
#include "interpose/stack/tool_stack.h"

#define STEPS 512 /* of one walk */
#define SETS 2048 /* power of two */
#define WAYS 2 /* addresses of one stack that fall together must not drive each other out */
#define SAVED_MOST CFI_SP /* slots before the stack pointer */
#define SAVED_WORDS ((SAVED_MOST + 3) / 4)

/* --- rows that were met before --------------------------------------------- */

/*
 * A simple row: CFA = slot + offset, registers saved at multiples of eight from
 * it or not at all.  Written and read without a lock: check tells whether all
 * words belong together.
 */
struct cached {
	_Atomic uint64_t pc, base, saved[SAVED_WORDS], check;
};

enum { SAVED_SAME = INT16_MIN, SAVED_UNDEFINED };

struct row {
	uint64_t base; /* offset << 8 | slot */
	uint64_t saved[SAVED_WORDS]; /* int16_t each */
};

static struct cached cache[SETS][WAYS];
static _Atomic uint64_t generation;

static uint64_t check_of(uint64_t pc, const struct row *r)
{
	uint64_t h = mix64_add(
		mix64_add(atomic_load_explicit(&generation, memory_order_relaxed) + 1, pc), r->base);

	for (unsigned i = 0; i < SAVED_WORDS; i++)
		h = mix64_add(h, r->saved[i]);
	return h;
}

static struct cached *set_of(uint64_t pc)
{
	return cache[(pc * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (SETS - 1)];
}

static inline bool cached_read(struct cached *c, uint64_t pc, struct row *r)
{
	if (atomic_load_explicit(&c->pc, memory_order_relaxed) != pc)
		return false;
	r->base = atomic_load_explicit(&c->base, memory_order_relaxed);
	for (unsigned i = 0; i < SAVED_WORDS; i++)
		r->saved[i] = atomic_load_explicit(&c->saved[i], memory_order_relaxed);
	return atomic_load_explicit(&c->check, memory_order_relaxed) == check_of(pc, r);
}

static bool cache_find(uint64_t pc, struct row *r)
{
	struct cached *c = set_of(pc);

	return cached_read(c, pc, r) || cached_read(c + 1, pc, r);
}

/* Behind another address that is still good. */
static void cache_put(uint64_t pc, const struct row *r)
{
	static _Atomic bool begun; /* addresses are spread over all of it */
	struct cached *c = set_of(pc);
	uint64_t first = atomic_load_explicit(&c->pc, memory_order_relaxed);
	struct row other;

	if (!atomic_load_explicit(&begun, memory_order_relaxed) && !atomic_exchange(&begun, true))
		pages_at_hand(cache, sizeof(cache), MADV_POPULATE_WRITE);
	if (first != pc && cached_read(c, first, &other))
		c++;
	atomic_store_explicit(&c->pc, pc, memory_order_relaxed);
	atomic_store_explicit(&c->base, r->base, memory_order_relaxed);
	for (unsigned i = 0; i < SAVED_WORDS; i++)
		atomic_store_explicit(&c->saved[i], r->saved[i], memory_order_relaxed);
	atomic_store_explicit(&c->check, check_of(pc, r), memory_order_relaxed);
}

void unwind_forget(void)
{
	atomic_fetch_add_explicit(&generation, 1, memory_order_relaxed);
}

/* False: the row says more than fits. */
static bool row_pack(const struct cfi_row *from, struct row *r)
{
	*r = (struct row){.base = (uint64_t)from->cfa.value << 8 | from->cfa_base};
	if (from->cfa.kind != CFI_REGISTER || from->signal_frame)
		return false;
	for (unsigned i = 0; i < SAVED_MOST; i++) {
		const struct cfi_rule *rule = &from->rule[i];
		int64_t value = rule->kind == CFI_SAME        ? SAVED_SAME
				: rule->kind == CFI_UNDEFINED ? SAVED_UNDEFINED
							      : rule->value / 8;

		if (rule->kind > CFI_OFFSET ||
			(rule->kind == CFI_OFFSET &&
				(rule->value % 8 || value <= SAVED_UNDEFINED || value > INT16_MAX)))
			return false;
		r->saved[i / 4] |= (uint64_t)(uint16_t)value << i % 4 * 16;
	}
	return true;
}

/* --- the walk ---------------------------------------------------------------- */

struct walk {
	uint64_t slots[CFI_SLOTS];
	uint64_t pc;
	bool interrupted; /* pc is the next instruction, not a return address */
	bool ended;
	uint64_t low, high; /* of the thread's own stack */
	uint64_t tool_low, tool_high; /* of the tool's, if it is on one */
	uint64_t *ips;
	unsigned n, max, steps;
	uint64_t saved[SAVED_MOST]; /* the caller's registers, as far as they were read */
};

_Static_assert(sizeof(struct walk) <= sizeof(((struct acl_thread *)0)->walk), "room for a walk");

/* Pointer authentication leaves a signature in the upper bits. */
static uint64_t strip_address(uint64_t address)
{
#ifdef __aarch64__
	register uint64_t x30 __asm__("x30") = address;

	__asm__("hint #7" : "+r"(x30)); /* xpaclri */
	return x30;
#else
	return address;
#endif
}

/* The caller's frame: what was saved is in slots already. */
static void go_up(struct walk *w, uint64_t cfa, uint64_t ra, bool interrupted)
{
	uint64_t pc = strip_address(ra);

	w->ended = !pc || (pc == w->pc && cfa == w->slots[CFI_SP]) || ++w->steps >= STEPS;
	w->slots[CFI_SP] = cfa;
	w->slots[CFI_RA] = pc;
	w->pc = pc;
	w->interrupted = interrupted;
	if (w->ended || module_is_self(pc))
		return;
	w->ips[w->n++] = pc;
	w->ended = w->n == w->max;
}

/* A return address may already lie in the next function. */
static uint64_t row_address(const struct walk *w)
{
	return w->interrupted ? w->pc : w->pc - 1;
}

typedef bool (*word_fn)(void *context, uint64_t address, uint64_t *word);

/* False: a word is missing; the walk is as it was. */
static inline bool apply_row(struct walk *w, const struct row *r, word_fn read, void *context)
{
	uint64_t cfa = w->slots[r->base & 0xff] + (uint64_t)((int64_t)r->base >> 8);

	for (unsigned i = 0; i < SAVED_MOST; i++) {
		int16_t at = (int16_t)(r->saved[i / 4] >> i % 4 * 16);

		w->saved[i] = at == SAVED_UNDEFINED ? 0 : w->slots[i];
		if (at > SAVED_UNDEFINED && !read(context, cfa + (uint64_t)((int64_t)at * 8), &w->saved[i]))
			return false;
	}
	memcpy(w->slots, w->saved, sizeof(w->saved));
	go_up(w, cfa, w->saved[CFI_RA], false);
	return true;
}

NO_SANITIZE static bool read_own(void *context, uint64_t address, uint64_t *word)
{
	const struct walk *w = context;

	if ((address < w->low || address >= w->high) && (address < w->tool_low || address >= w->tool_high))
		return false;
	if (address & 7)
		return false;
	*word = *(const volatile uint64_t *)(uintptr_t)address;
	return true;
}

/* As far as the cache and the thread's own stack lead. */
static __attribute__((noinline)) void walk_fast(struct walk *w)
{
	struct row r;

	while (!w->ended && cache_find(row_address(w), &r) && apply_row(w, &r, read_own, w))
		;
}

static bool read_any(void *context, uint64_t address, uint64_t *word)
{
	return stack_memory_word(context, address, word);
}

static bool apply_rule(const struct walk *w, unsigned slot, const struct cfi_rule *rule, uint64_t cfa,
	struct stack_memory *m, uint64_t *value)
{
	uint64_t at;

	switch (rule->kind) {
	case CFI_SAME:
		*value = w->slots[slot];
		return true;
	case CFI_OFFSET:
		return stack_memory_word(m, cfa + (uint64_t)rule->value, value);
	case CFI_VAL_OFFSET:
		*value = cfa + (uint64_t)rule->value;
		return true;
	case CFI_REGISTER:
		*value = w->slots[rule->value];
		return true;
	case CFI_EXPRESSION:
		return cfi_expression((uint64_t)rule->value, w->slots, &cfa, read_any, m, &at) &&
		       stack_memory_word(m, at, value);
	case CFI_VAL_EXPRESSION:
		return cfi_expression((uint64_t)rule->value, w->slots, &cfa, read_any, m, value);
	default:
		*value = 0;
		return true;
	}
}

static bool apply_full(struct walk *w, const struct cfi_row *row, struct stack_memory *m)
{
	uint64_t cfa, saved[CFI_SLOTS];

	if (row->cfa.kind == CFI_REGISTER)
		cfa = w->slots[row->cfa_base] + (uint64_t)row->cfa.value;
	else if (!cfi_expression((uint64_t)row->cfa.value, w->slots, NULL, read_any, m, &cfa))
		return false;
	for (unsigned i = 0; i < CFI_SLOTS; i++)
		if (!apply_rule(w, i, &row->rule[i], cfa, m, &saved[i]))
			return false;
	/* The stack pointer is the CFA unless the row says otherwise. */
	if (row->rule[CFI_SP].kind != CFI_SAME)
		cfa = saved[CFI_SP];
	memcpy(w->slots, saved, sizeof(saved));
	go_up(w, cfa, saved[CFI_RA], row->signal_frame);
	return true;
}

/* The code through which handlers return to the kernel: the interrupted registers lie on the stack. */
#if defined(__x86_64__)
#define CONTEXT_OFFSET 0 /* from the stack pointer there */
static const uint8_t way_back[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}; /* mov $15, %rax; syscall */
static const uint16_t context_of_slot[] = {
#define GREG(r) (offsetof(ucontext_t, uc_mcontext.gregs) + 8 * (r))
	[CFI_RBX] = GREG(REG_RBX),
	[CFI_FP] = GREG(REG_RBP),
	[CFI_R12] = GREG(REG_R12),
	[CFI_R13] = GREG(REG_R13),
	[CFI_R14] = GREG(REG_R14),
	[CFI_R15] = GREG(REG_R15),
	[CFI_RA] = GREG(REG_RIP),
	[CFI_SP] = GREG(REG_RSP)};
#define CONTEXT_PC GREG(REG_RIP)
#else
#define CONTEXT_OFFSET 128 /* siginfo_t comes first */
static const uint8_t way_back[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4}; /* mov x8, #139; svc #0 */
#define REGS offsetof(ucontext_t, uc_mcontext.regs)
#define SLOT(x) [(x)-19] = REGS + 8 * (x)
static const uint16_t context_of_slot[] = {SLOT(19), SLOT(20), SLOT(21), SLOT(22), SLOT(23), SLOT(24),
	SLOT(25), SLOT(26), SLOT(27), SLOT(28), SLOT(29),
	SLOT(30), [CFI_SP] = offsetof(ucontext_t, uc_mcontext.sp)};
#define CONTEXT_PC offsetof(ucontext_t, uc_mcontext.pc)
#endif

static bool is_way_back(uint64_t pc, struct stack_memory *m)
{
	uint64_t words[3];
	unsigned shift = pc & 7;

	for (unsigned i = 0; i < 3; i++)
		if (!stack_memory_word(m, (pc & ~UINT64_C(7)) + 8 * i, &words[i]))
			return false;
	return !memcmp((const char *)words + shift, way_back, sizeof(way_back));
}

static bool step_over_signal(struct walk *w, struct stack_memory *m)
{
	uint64_t at = w->slots[CFI_SP] + CONTEXT_OFFSET, saved[CFI_SLOTS], pc;

	if (!is_way_back(w->pc, m) || !stack_memory_word(m, at + CONTEXT_PC, &pc))
		return false;
	for (unsigned i = 0; i < CFI_SLOTS; i++)
		if (!stack_memory_word(m, at + context_of_slot[i], &saved[i]))
			return false;
	memcpy(w->slots, saved, sizeof(saved));
	go_up(w, saved[CFI_SP], pc, true);
#ifdef __aarch64__
	/* A function that calls nothing has its return address in the register still. */
	w->slots[CFI_RA] = strip_address(saved[CFI_RA]);
#endif
	return true;
}

static bool step_by_rows(struct walk *w, struct stack_memory *m)
{
	uint64_t pc = row_address(w);
	const struct acl_module *module;
	struct cfi_row full;
	struct row r;

	if (cache_find(pc, &r))
		return apply_row(w, &r, read_any, m);
	module = module_of(pc);
	if (!module)
		return false;
	if (!cfi_find(module->unwind_table, pc, &full)) {
		/* A function that others only return into, as what makecontext lets a coroutine return to. */
		if (w->interrupted || !cfi_find(module->unwind_table, pc + 1, &full))
			return false;
		if (!step_over_signal(w, m))
			w->ended = true;
		return true;
	}
	/* The kernel's own record knows more than any row. */
	if (full.signal_frame && step_over_signal(w, m))
		return true;
	if (!row_pack(&full, &r))
		return apply_full(w, &full, m);
	cache_put(pc, &r);
	return apply_row(w, &r, read_any, m);
}

/* Code without call frame information may still keep the chain of frame pointers. */
static bool step_by_frame_pointer(struct walk *w, struct stack_memory *m)
{
	uint64_t fp = w->slots[CFI_FP], up, ra, next;

	if (!fp || (fp & 7) || fp < w->slots[CFI_SP] || !stack_memory_word(m, fp, &up) ||
		!stack_memory_word(m, fp + 8, &ra) || !ra)
		return false;
	/* Anything may lie there: it must lead on, or to code that is known. */
	if (!module_of(strip_address(ra) - 1) && (up <= fp || !stack_memory_word(m, up + 8, &next)))
		return false;
	w->slots[CFI_FP] = up;
	go_up(w, fp + 16, ra, false);
	return true;
}

static void walk_all(void *context)
{
	struct walk *w = context;
	struct stack_memory m = {.window = 0};

	stack_memory_learn(w->slots[CFI_SP], &m.low, &m.high);

	while (!w->ended && (step_by_rows(w, &m) || step_over_signal(w, &m) || step_by_frame_pointer(w, &m)))
		;
}

/* The registers as they are here; inlined, so that they belong to the frame of the caller. */
static inline __attribute__((always_inline)) void registers_now(struct walk *w)
{
#if defined(__x86_64__)
	__asm__ volatile(
		"movq %%rbx, %c[rbx](%[s]); movq %%rbp, %c[rbp](%[s]); movq %%r12, %c[r12](%[s]);"
		"movq %%r13, %c[r13](%[s]); movq %%r14, %c[r14](%[s]); movq %%r15, %c[r15](%[s]);"
		"movq %%rsp, %c[rsp](%[s]); leaq 0(%%rip), %[pc]"
		: [pc] "=&r"(w->pc)
		: [s] "r"(w->slots), [rbx] "i"(8 * CFI_RBX), [rbp] "i"(8 * CFI_FP), [r12] "i"(8 * CFI_R12),
		[r13] "i"(8 * CFI_R13), [r14] "i"(8 * CFI_R14), [r15] "i"(8 * CFI_R15), [rsp] "i"(8 * CFI_SP)
		: "memory");
#else
	__asm__ volatile("stp x19, x20, [%[s]]; stp x21, x22, [%[s], #16]; stp x23, x24, [%[s], #32];"
			 "stp x25, x26, [%[s], #48]; stp x27, x28, [%[s], #64]; stp x29, x30, [%[s], #80];"
			 "mov %[pc], sp; str %[pc], [%[s], #96]; adr %[pc], ."
			 : [pc] "=&r"(w->pc)
			 : [s] "r"(w->slots)
			 : "memory");
#endif
}

__attribute__((noinline)) unsigned unwind_stack(uint64_t *ips, unsigned max)
{
	struct walk *w = (struct walk *)thread_self()->walk;

	w->ips = ips;
	w->max = max;
	w->n = w->steps = 0;
	w->ended = false;
	w->interrupted = true;
	registers_now(w);
	if (tool_stack_bounds(&w->tool_low, &w->tool_high)) {
		/* What it came from may be another stack than the thread's own: then the slow way goes on. */
		stack_memory_own(thread_self()->own_stack_low, &w->low, &w->high);
		walk_fast(w);
	} else if (stack_memory_own(w->slots[CFI_SP], &w->low, &w->high)) {
		walk_fast(w);
	}
	if (!w->ended)
		tool_stack_run(walk_all, w);
	return w->n;
}
