/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the relocated import slots of each module and compares them with the runtime's addresses. */
#include "interpose/runtime/direct_binding.h"

#include <stdatomic.h>
#include <string.h>

#include "aclcheck/model.h"
#include "checks/engine/lock.h"
#include "interpose/runtime/function_table.h"
#include "interpose/common/compiler.h"
#include "interpose/runtime/elf_object.h"
#include "interpose/runtime/module_walk.h"
#include "interpose/common/text.h"

#define MODULES_MAX 32

static struct acl_lock adding;
static struct direct_binding
	found[MODULES_MAX]; /* what is below n_found stays, but for its number of functions */
static _Atomic unsigned n_found;
static _Atomic uint64_t plain[1 << 10];

/* A slot that was bound to the runtime; slots not bound yet lead into the module's own PLT. */
NO_SANITIZE static bool is_bound(const struct elf_object *m, const ElfW(Rela) * r, int api)
{
	uint64_t real = (uint64_t)(uintptr_t)__atomic_load_n(&acl_real[api], __ATOMIC_ACQUIRE);

	return real && *(const uint64_t *)(m->base + r->r_offset) == real;
}

/* Whether any of its imports is of the runtime's, bound or not. */
NO_SANITIZE static bool look_through(const struct elf_object *m, struct direct_binding *b)
{
	bool imports = false;
	uint64_t at = 0;

	for (const ElfW(Rela) * r; (r = elf_object_relocation(m, &at));) {
		const char *name = elf_object_name(m, r);
		int api;

		if (!IS_IMPORT(ELF64_R_TYPE(r->r_info)) || name[0] != 'a' || name[1] != 'c' || name[2] != 'l')
			continue;
		api = acl_api_find(name);
		imports |= api >= 0;
		if (api < 0 || !is_bound(m, r, api))
			continue;
		if (!b->functions++)
			b->first = (uint16_t)api;
	}
	return imports;
}

/*
 * Modules without such imports are known again: looking through millions of
 * relocations is for the first time only.  A module in the place of an
 * unloaded one differs in size.
 */
static _Atomic uint64_t *plain_slot(const struct elf_object *m, uint64_t *key)
{
	*key = m->base ^ (uint64_t)(uintptr_t)m->strings << 7 ^ m->rela_size << 40 ^ m->plt_size << 20 ^ 1;
	return &plain[(*key * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
}

/* A new one goes to the end; slots of a known one may have been bound since. */
static void binding_keep(const struct direct_binding *b)
{
	unsigned n, i = 0;

	lock(&adding);
	n = atomic_load(&n_found);
	while (i < n && strcmp(found[i].module, b->module) != 0)
		i++;
	if (i == n && n < MODULES_MAX) {
		memcpy(found[n].module, b->module, sizeof(b->module));
		found[n].first = b->first;
		found[n].functions = b->functions;
		atomic_store(&n_found, n + 1);
	} else if (i < n && found[i].functions < b->functions) {
		found[i].functions = b->functions;
	}
	unlock(&adding);
}

static int each_module(struct dl_phdr_info *info, size_t size, void *context)
{
	struct direct_binding b = {.functions = 0};
	_Atomic uint64_t *slot;
	struct elf_object m;
	uint64_t key;
	struct text t;

	(void)size;
	(void)context;
	if (atomic_load(&n_found) == MODULES_MAX || !elf_object_of(info, &m))
		return 0;
	slot = plain_slot(&m, &key);
	if (atomic_load(slot) == key)
		return 0;
	if (!look_through(&m, &b))
		atomic_store(slot, key);
	if (!b.functions)
		return 0;
	text_init(&t, b.module, sizeof(b.module));
	text_str(&t, info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "the program");
	binding_keep(&b);
	return 0;
}

unsigned direct_binding_search(const struct direct_binding **list)
{
	module_walk(each_module, NULL);
	return direct_binding_found(list);
}

unsigned direct_binding_found(const struct direct_binding **list)
{
	*list = found;
	return atomic_load(&n_found);
}

void direct_binding_forked(void)
{
	atomic_store(&n_found, 0);
}
