/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the relocated import slots of each module and compares them with the runtime's addresses. */
#include "interpose/bypass.h"

#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "aclcheck/model.h"
#include "interpose/call.h"
#include "interpose/nosan.h"
#include "interpose/text.h"

#define MODULES_MAX 32

#if defined(__x86_64__)
#define IS_IMPORT(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT || (type) == R_X86_64_64)
#elif defined(__aarch64__)
#define IS_IMPORT(type)                                                                                      \
	((type) == R_AARCH64_JUMP_SLOT || (type) == R_AARCH64_GLOB_DAT || (type) == R_AARCH64_ABS64)
#else
#error "relocation types of this machine"
#endif

static struct bypass found[MODULES_MAX];
static _Atomic unsigned n_found;

struct imports {
	uint64_t base;
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Rela) * rela, *plt;
	uint64_t rela_size, plt_size;
};

NO_SANITIZE static const void *at(uint64_t base, uint64_t value)
{
	/* glibc relocates these in place, except where the section is read-only. */
	return (const void *)(uintptr_t)(value < base ? base + value : value);
}

NO_SANITIZE static bool read_dynamic(const struct dl_phdr_info *info, struct imports *out)
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

/* A slot that was bound to the runtime; slots not bound yet lead into the module's own PLT. */
NO_SANITIZE static int bound_api(const struct imports *m, const ElfW(Rela) * r)
{
	const ElfW(Sym) *symbol = &m->symbols[ELF64_R_SYM(r->r_info)];
	const char *name = m->strings + symbol->st_name;
	uint64_t value;
	int api;

	if (!IS_IMPORT(ELF64_R_TYPE(r->r_info)) || name[0] != 'a' || name[1] != 'c' || name[2] != 'l')
		return -1;
	api = acl_api_find(name);
	if (api < 0 || !acl_real[api])
		return -1;
	value = *(const uint64_t *)(m->base + r->r_offset);
	return value == (uint64_t)(uintptr_t)__atomic_load_n(&acl_real[api], __ATOMIC_ACQUIRE) ? api : -1;
}

NO_SANITIZE static void look_through(
	const struct imports *m, const ElfW(Rela) * r, uint64_t size, struct bypass *b)
{
	for (uint64_t n = size / sizeof(*r); r && n; n--, r++) {
		int api = bound_api(m, r);

		if (api < 0)
			continue;
		if (!b->functions++)
			b->first = (uint16_t)api;
	}
}

static int each_module(struct dl_phdr_info *info, size_t size, void *context)
{
	unsigned n = atomic_load(&n_found);
	struct imports m;
	struct text t;

	(void)size;
	(void)context;
	if (n == MODULES_MAX || !read_dynamic(info, &m))
		return 0;
	found[n].functions = 0;
	look_through(&m, m.plt, m.plt_size, &found[n]);
	look_through(&m, m.rela, m.rela_size, &found[n]);
	if (!found[n].functions)
		return 0;
	text_init(&t, found[n].module, sizeof(found[n].module));
	text_str(&t, info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "the program");
	atomic_store(&n_found, n + 1);
	return 0;
}

unsigned bypass_search(const struct bypass **list)
{
	atomic_store(&n_found, 0);
	dl_iterate_phdr(each_module, NULL);
	return bypass_found(list);
}

unsigned bypass_found(const struct bypass **list)
{
	*list = found;
	return atomic_load(&n_found);
}
