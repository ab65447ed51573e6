/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the relocated import slots of each module and compares them with the runtime's addresses. */
#include "interpose/bypass.h"

#include <stdatomic.h>
#include <string.h>

#include "aclcheck/model.h"
#include "interpose/call.h"
#include "interpose/imports.h"
#include "interpose/nosan.h"
#include "interpose/text.h"

#define MODULES_MAX 32

static struct bypass found[MODULES_MAX];
static _Atomic unsigned n_found;

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
	if (n == MODULES_MAX || !imports_of(info, &m))
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
