/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A peer: what the dynamic linker's own interface for tracers (LD_AUDIT) takes to see a call come and go,
 * with its first six arguments and its result.  Of the calls by acl names only; the rest goes through
 * untouched.
 */
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* What a tracer would write away. */
static struct {
	_Atomic uint64_t calls;
	uint64_t arguments[6], result;
} seen;

EXPORT unsigned int la_version(unsigned int version);
EXPORT unsigned int la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie);
EXPORT uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned int index, uintptr_t *from, uintptr_t *to,
	unsigned int *flags, const char *name);

unsigned int la_version(unsigned int version)
{
	return version;
}

unsigned int la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
	(void)map;
	(void)space;
	(void)cookie;
	return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned int index, uintptr_t *from, uintptr_t *to,
	unsigned int *flags, const char *name)
{
	(void)index;
	(void)from;
	(void)to;
	if (strncmp(name, "aclrt", 5))
		*flags |= LA_SYMB_NOPLTENTER | LA_SYMB_NOPLTEXIT;
	return symbol->st_value;
}

/* The interface has other names on each machine, and the registers lie otherwise. */
#if defined(__x86_64__)
#define ON_MACHINE(function) la_x86_64_gnu_##function
typedef La_x86_64_regs registers;
typedef La_x86_64_retval results;
#define RESULT(out) ((out)->lrv_rax)

static void keep_arguments(const registers *r)
{
	const uint64_t in_order[] = {r->lr_rdi, r->lr_rsi, r->lr_rdx, r->lr_rcx, r->lr_r8, r->lr_r9};

	memcpy(seen.arguments, in_order, sizeof(in_order));
}
#elif defined(__aarch64__)
#define ON_MACHINE(function) la_aarch64_gnu_##function
typedef La_aarch64_regs registers;
typedef La_aarch64_retval results;
#define RESULT(out) ((out)->lrv_xreg[0])

static void keep_arguments(const registers *r)
{
	memcpy(seen.arguments, r->lr_xreg, sizeof(seen.arguments));
}
#endif

EXPORT Elf64_Addr ON_MACHINE(pltenter)(Elf64_Sym *symbol, unsigned int index, uintptr_t *from, uintptr_t *to,
	registers *regs, unsigned int *flags, const char *name, long *frame);
EXPORT unsigned int ON_MACHINE(pltexit)(Elf64_Sym *symbol, unsigned int index, uintptr_t *from, uintptr_t *to,
	const registers *in, results *out, const char *name);

Elf64_Addr ON_MACHINE(pltenter)(Elf64_Sym *symbol, unsigned int index, uintptr_t *from, uintptr_t *to,
	registers *regs, unsigned int *flags, const char *name, long *frame)
{
	(void)index;
	(void)from;
	(void)to;
	(void)flags;
	(void)name;
	atomic_fetch_add_explicit(&seen.calls, 1, memory_order_relaxed);
	keep_arguments(regs);
	*frame = 64; /* bytes of the caller's stack to copy: without, pltexit is not called */
	return symbol->st_value;
}

unsigned int ON_MACHINE(pltexit)(Elf64_Sym *symbol, unsigned int index, uintptr_t *from, uintptr_t *to,
	const registers *in, results *out, const char *name)
{
	(void)symbol;
	(void)index;
	(void)from;
	(void)to;
	(void)in;
	(void)name;
	seen.result = RESULT(out);
	return 0;
}
