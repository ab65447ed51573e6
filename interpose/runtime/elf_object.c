/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the dynamic section and the relocations of a mapped module. */
#include "interpose/runtime/elf_object.h"

#include <stddef.h>
#include <string.h>

#include "interpose/common/compiler.h"

/* glibc relocates these pointers in place, except where the section is read-only. */
NO_SANITIZE static const void *dynamic_pointer(uint64_t base, uint64_t value)
{
	return (const void *)(uintptr_t)(value < base ? base + value : value);
}

NO_SANITIZE bool elf_object_read(const ElfW(Dyn) * dyn, uint64_t base, struct elf_object *out)
{
	*out = (struct elf_object){.base = base};
	for (; dyn && dyn->d_tag != DT_NULL; dyn++) {
		const void *p = dynamic_pointer(base, dyn->d_un.d_ptr);

		switch (dyn->d_tag) {
		case DT_SYMTAB:
			out->symbols = p;
			break;
		case DT_STRTAB:
			out->strings = p;
			break;
		case DT_VERSYM:
			out->versions = p;
			break;
		case DT_GNU_HASH:
			out->gnu_hash = p;
			break;
		case DT_HASH:
			out->sysv_hash = p;
			break;
		case DT_RELA:
			out->rela = p;
			break;
		case DT_RELASZ:
			out->rela_size = dyn->d_un.d_val;
			break;
		case DT_RELACOUNT:
			out->relative = dyn->d_un.d_val;
			break;
		case DT_JMPREL:
			out->plt = p;
			break;
		case DT_PLTRELSZ:
			out->plt_size = dyn->d_un.d_val;
			break;
		}
	}
	return out->symbols && out->strings;
}

NO_SANITIZE bool elf_object_of(const struct dl_phdr_info *info, struct elf_object *out)
{
	const ElfW(Dyn) *dyn = NULL;

	for (int i = 0; i < info->dlpi_phnum && !dyn; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dyn = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	return elf_object_read(dyn, info->dlpi_addr, out);
}

NO_SANITIZE bool elf_object_holds(const struct dl_phdr_info *info, uint64_t address)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD && address >= start && address < start + ph->p_memsz)
			return true;
	}
	return false;
}

NO_SANITIZE const ElfW(Rela) * elf_object_relocation(const struct elf_object *o, uint64_t *at)
{
	uint64_t rela = o->rela ? o->rela_size / sizeof(*o->rela) : 0;
	uint64_t all = rela + (o->plt ? o->plt_size / sizeof(*o->plt) : 0);

	if (*at < o->relative && o->relative <= rela)
		*at = o->relative;
	while (*at < all) {
		uint64_t i = (*at)++;
		const ElfW(Rela) *r = i < rela ? &o->rela[i] : &o->plt[i - rela];

		if (ELF64_R_SYM(r->r_info))
			return r;
	}
	return NULL;
}

/* Those of one symbol mostly follow each other. */
NO_SANITIZE static bool is_repeated(const struct elf_object *o, const ElfW(Rela) * r)
{
	return r != o->rela && r != o->plt && ELF64_R_SYM(r[-1].r_info) == ELF64_R_SYM(r->r_info);
}

NO_SANITIZE const char *elf_object_import(const struct elf_object *o, uint64_t *at)
{
	for (const ElfW(Rela) * r; (r = elf_object_relocation(o, at));)
		if (o->symbols[ELF64_R_SYM(r->r_info)].st_shndx == SHN_UNDEF && !is_repeated(o, r))
			return elf_object_name(o, r);
	return NULL;
}

NO_SANITIZE static bool same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

NO_SANITIZE bool elf_imports(const struct elf_object *o, const char *name)
{
	uint64_t at = 0;

	for (const char *import; (import = elf_object_import(o, &at));)
		if (same(import, name))
			return true;
	return false;
}

NO_SANITIZE bool elf_imports_some(const struct elf_object *o, bool (*wanted)(const char *name))
{
	uint64_t at = 0;

	for (const char *import; (import = elf_object_import(o, &at));)
		if (wanted(import))
			return true;
	return false;
}
