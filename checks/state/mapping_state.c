/* SPDX-License-Identifier: Apache-2.0 */
/* What is mapped into reserved ranges of addresses: followed from the calls that map and unmap. */
#include "checks/state/mapping_state.h"

struct acl_block *next_mapping(struct checks *c, struct acl_block *b, uint64_t from, uint64_t end)
{
	uint64_t at = b ? load_relaxed(&b->base) + load_relaxed(&b->size) : from;

	return at < end ? map_first_in(mapped_ranges(c)->mapped, at, end - at) : NULL;
}

uint64_t first_gap(struct checks *c, uint64_t base, uint64_t size)
{
	uint64_t end = base + size, at = base;
	struct acl_block *b = NULL;

	for (unsigned i = 0; i < MAPPINGS && (b = next_mapping(c, b, base, end)) != NULL; i++) {
		if (load_relaxed(&b->base) > at)
			return at;
		at = load_relaxed(&b->base) + load_relaxed(&b->size);
	}
	return b || at > end ? end : at;
}

static void map_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMapMem *a = call->args;
	struct acl_object *o = object_find(c, ACL_HANDLE_PHYS_MEM, a->handle);
	struct acl_block *b;

	if (!succeeded(call) || !a->virPtr || !a->size)
		return;
	b = map_insert(c, mapped_ranges(c)->mapped, call, (uintptr_t)a->virPtr, a->size, MEM_MAPPED, -1);
	if (!b)
		store_relaxed(&mapped_ranges(c)->unfollowed, true); /* no memory */
	if (b && o)
		block_owned(b, object_ref(o));
	if (b && acl_api_is(call->api, ACL_TRAIT_NO_ACCESS))
		block_marked(b, BLOCK_NO_ACCESS);
}

/* From the first reserved range on, uses of memory are looked at. */
static void reserve_leave(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call))
		checks_when(c, WHEN_RESERVED);
}

static void link_leave(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call))
		store_relaxed(&mapped_ranges(c)->unfollowed, true);
}

static void access_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMemSetAccess *a = call->args;
	uint64_t base = (uintptr_t)a->virPtr;
	struct acl_block *b = NULL;

	if (!succeeded(call) || !a->virPtr || a->size > UINT64_MAX - base)
		return;
	while ((b = next_mapping(c, b, base, base + a->size)) != NULL)
		block_unmarked(b, BLOCK_NO_ACCESS);
}

static void unmap_leave(struct checks *c, struct acl_call_record *call)
{
	const void *address = ACL_ARGS(call, aclrtUnmapMem)->virPtr;
	struct block_lookup place;

	if (succeeded(call) && address && map_find(mapped_ranges(c)->mapped, (uintptr_t)address, &place) &&
		place.base == (uintptr_t)address)
		map_erase(mapped_ranges(c)->mapped, place.block, place.generation);
}

static bool mapping_create(struct checks *c)
{
	mapped_ranges(c)->mapped = map_create(c);
	return mapped_ranges(c)->mapped != NULL;
}

static const struct check_hook hooks[] = {
	{ON_OP(MAP_MEMORY), ACL_LEAVE, map_leave},
	{ON_OP(MAP_LINK), ACL_LEAVE, link_leave},
	{ON_OP(RESERVE_ADDRESS), ACL_LEAVE, reserve_leave},
	{ON_OP(CONFIGURE_MEMORY_ACCESS), ACL_LEAVE, access_leave},
	{ON_OP(UNMAP_MEMORY), ACL_LEAVE, unmap_leave},
};

const struct check_module module_mapping = {
	.order = 46,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct mapping_state),
	.create = mapping_create,
};
