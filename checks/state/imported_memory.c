/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where memory of other processes lies.  An import does not say its size: it is a page at least, and what a
 * task was given from an address in it.
 */
#include "checks/state/imported_memory.h"

#include "checks/engine/program_memory.h"
#include "checks/state/operation.h"

#define IMPORTS 256 /* open at once; of more nothing is known */
#define KNOWN_AT_FIRST 4096

struct imported_range {
	_Atomic uint64_t key; /* program_text_key(), 0 = free */
	_Atomic uint64_t base, size;
};

struct imported_ranges {
	struct acl_lock lock;
	_Atomic uint32_t used; /* places ever taken */
	struct imported_range at[IMPORTS];
};

static struct imported_ranges *ranges(struct checks *c)
{
	return module_state(c, imported_memory);
}

/* The range of an address, or with the key; NULL: none. */
static struct imported_range *range_find(struct checks *c, uint64_t address, uint64_t key)
{
	struct imported_ranges *all = ranges(c);

	for (uint32_t i = 0; i < load_acquire(&all->used); i++) {
		struct imported_range *r = &all->at[i];
		uint64_t now = load_acquire(&r->key), base = load_acquire(&r->base),
			 size = load_acquire(&r->size);

		/* Another import's place has no key first. */
		if (key ? now == key : now && address - base < size && load_relaxed(&r->key) == now)
			return r;
	}
	return NULL;
}

bool memory_is_imported(struct checks *c, const void *address)
{
	return checks_happened(c, WHEN_IMPORTED) && range_find(c, (uintptr_t)address, 0);
}

static void memory_imported(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtIpcMemImportByKey *a = call->args;
	struct imported_ranges *all = ranges(c);
	uint64_t key = succeeded(call) && a->devPtr && *a->devPtr ? program_text_key(c, a->key) : 0;
	uint32_t at = 0;

	if (!key)
		return;
	lock(&all->lock);
	while (at < load_relaxed(&all->used) && load_relaxed(&all->at[at].key))
		at++;
	if (at < IMPORTS) {
		store_release(&all->at[at].base, (uintptr_t)*a->devPtr);
		store_release(&all->at[at].size, KNOWN_AT_FIRST);
		store_release(&all->at[at].key, key);
		if (at == load_relaxed(&all->used))
			store_release(&all->used, at + 1);
	}
	unlock(&all->lock);
	checks_when(c, WHEN_IMPORTED);
}

static void import_closed(struct checks *c, struct acl_call_record *call)
{
	struct imported_ranges *all = ranges(c);
	uint64_t key = succeeded(call) ? program_text_key(c, ACL_ARGS(call, aclrtIpcMemClose)->key) : 0;
	struct imported_range *r;

	if (!key)
		return;
	lock(&all->lock);
	r = range_find(c, 0, key);
	if (r)
		store_release(&r->key, 0);
	unlock(&all->lock);
}

static void side_reaches(struct checks *c, const struct op_access *side)
{
	uint64_t start = side && !side->block.block ? (uintptr_t)side->address : 0;
	struct imported_range *r = start && side->span <= UINT64_MAX - start ? range_find(c, start, 0) : NULL;

	if (r)
		raise_to(&r->size, start + side->span - load_relaxed(&r->base));
}

static void import_used_leave(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = succeeded(call) ? operation_of(c, call) : NULL;

	for (uint64_t i = 0; op && i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		side_reaches(c, e.src);
		side_reaches(c, e.dst);
	}
}

static const struct check_hook hooks[] = {
	{ON_OP(IMPORT_MEMORY), ACL_LEAVE, memory_imported},
	{ON_OP(CLOSE_MEMORY), ACL_LEAVE, import_closed},
	{ON_GROUP(COPY), ACL_LEAVE | ACL_WHEN(IMPORTED), import_used_leave},
	{ON_GROUP(SET), ACL_LEAVE | ACL_WHEN(IMPORTED), import_used_leave},
};

const struct check_module module_imported_memory = {
	.order = 42,
	.state_size = sizeof(struct imported_ranges),
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
