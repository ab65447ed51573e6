/* SPDX-License-Identifier: Apache-2.0 */
/* What a mapped module imports, by its relocations. */
#ifndef INTERPOSE_IMPORT_TABLE_H
#define INTERPOSE_IMPORT_TABLE_H

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

struct imports {
	uint64_t base;
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Rela) * rela, *plt;
	uint64_t rela_size, plt_size;
};

bool imports_of(const struct dl_phdr_info *info, struct imports *out);

static inline const char *import_name(const struct imports *m, const ElfW(Rela) * r)
{
	return m->strings + m->symbols[ELF64_R_SYM(r->r_info)].st_name;
}

#endif
