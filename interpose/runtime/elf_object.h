/* SPDX-License-Identifier: Apache-2.0 */
/* A mapped module by its own dynamic section: its tables, and what it imports. */
#ifndef INTERPOSE_ELF_OBJECT_H
#define INTERPOSE_ELF_OBJECT_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#define IS_IMPORT(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT || (type) == R_X86_64_64)
#define IS_COPY(type) ((type) == R_X86_64_COPY)
#elif defined(__aarch64__)
#define IS_IMPORT(type)                                                                                      \
	((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT || (type) == R_AARCH64_ABS64)
#define IS_COPY(type) ((type) == R_AARCH64_COPY)
#else
#error "relocation types of this machine"
#endif

struct elf_object {
	uint64_t base;
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Half) * versions; /* NULL = the object has none */
	const uint32_t *gnu_hash, *sysv_hash; /* one of them finds the symbols; NULL = there is none */
	const ElfW(Rela) * rela, *plt;
	uint64_t rela_size, plt_size;
	uint64_t relative; /* so many at the beginning of rela name no symbol */
};

/* dyn: its dynamic section. False: it has no symbols. */
bool elf_object_read(const ElfW(Dyn) * dyn, uint64_t base, struct elf_object *out);
bool elf_object_of(const struct dl_phdr_info *info, struct elf_object *out);

/* Whether the address lies in one of its segments. */
bool elf_object_holds(const struct dl_phdr_info *info, uint64_t address);

/*
 * The next relocation, from *at on, that names a symbol; NULL behind the last one.  What an object refers to
 * is known by these alone: a GNU hash table does not count the symbols of an object that exports nothing, and
 * has among the object's own those whose address it takes where it is not position-independent.
 */
const ElfW(Rela) * elf_object_relocation(const struct elf_object *o, uint64_t *at);

static inline const char *elf_object_name(const struct elf_object *o, const ElfW(Rela) * r)
{
	return o->strings + o->symbols[ELF64_R_SYM(r->r_info)].st_name;
}

/* The next name that the object refers to without defining it, mostly once; NULL behind the last one. */
const char *elf_object_import(const struct elf_object *o, uint64_t *at);

/* Whether the object refers to the name without defining it. */
bool elf_imports(const struct elf_object *o, const char *name);

/* Whether it refers so to a name that is wanted. */
bool elf_imports_some(const struct elf_object *o, bool (*wanted)(const char *name));

#endif
