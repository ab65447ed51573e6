/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the dynamic section of a mapped module. */
#include "interpose/runtime/import_table.h"

#include <string.h>

#include "interpose/common/compiler.h"

NO_SANITIZE static const void *at(uint64_t base, uint64_t value)
{
	/* glibc relocates these in place, except where the section is read-only. */
	return (const void *)(uintptr_t)(value < base ? base + value : value);
}

NO_SANITIZE bool imports_of(const struct dl_phdr_info *info, struct imports *out)
{
	const ElfW(Dyn) *d = NULL;

	memset(out, 0, sizeof(*out));
	out->base = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SYMTAB)
			out->symbols = at(out->base, d->d_un.d_ptr);
		else if (d->d_tag == DT_STRTAB)
			out->strings = at(out->base, d->d_un.d_ptr);
		else if (d->d_tag == DT_RELA)
			out->rela = at(out->base, d->d_un.d_ptr);
		else if (d->d_tag == DT_RELASZ)
			out->rela_size = d->d_un.d_val;
		else if (d->d_tag == DT_JMPREL)
			out->plt = at(out->base, d->d_un.d_ptr);
		else if (d->d_tag == DT_PLTRELSZ)
			out->plt_size = d->d_un.d_val;
	}
	return out->symbols && out->strings;
}
