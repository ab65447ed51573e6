/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory: reservations, and what is mapped into them. */
#include "checks/engine/finding_statement.h"
#include "checks/rules/copy/gone_memory.h"
#include "checks/rules/memory/virtual_memory.h"
#include "checks/state/freed_memory.h"
#include "checks/state/physical_state.h"

/* Memory that was allocated in another way is in no reserved range. */
static void check_ordinary(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const void *address, const struct block_lookup *place)
{
	if (place->kind == MEM_DEVICE || place->kind == MEM_HOST)
		FINDING_OF(c, call, rule, true,
			PARTS(part_address("virPtr", address), part_block("memory", place->block)),
			"The address lies in ordinary memory, not in a reserved range.");
}

/* The same where the address has to be reserved; one that no table knows may be reserved below us. */
static bool check_reserved(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const void *address, struct block_lookup *range)
{
	if (!reservation_at(c, address, range)) {
		if (address && !map_find(memory_blocks(c), (uintptr_t)address, range))
			gone_memory_used(c, call, "virPtr", "reserved range", address);
		else if (address)
			check_ordinary(c, call, rule, address, range);
		return false;
	}
	gone_memory_evaluated(call, MEM_MAPPED);
	return true;
}

/* --- mapping --------------------------------------------------------------------------- */

/* Own and imported memory, or memory of two devices, in one reserved range. */
static void check_company(
	struct checks *c, struct acl_call_record *call, const void *handle, const struct block_lookup *range)
{
	struct acl_object *o = handle ? object_live(c, ACL_HANDLE_PHYS_MEM, handle) : NULL, *other;
	const void *address = ACL_ARGS(call, aclrtMapMem)->virPtr;
	bool mixed = false, far = false;
	struct acl_block *b, *found = NULL;

	if (!o || load_relaxed(&o->flags) & ACL_OBJECT_LEARNED)
		return;
	for (uint64_t at = range->base, end = range->base + range->size;
		at < end && (b = map_first_in(mapped_ranges(c)->mapped, at, end - at)) != NULL;
		at = load_relaxed(&b->base) + load_relaxed(&b->size)) {
		other = object_of(c, load_relaxed(&b->owner));
		if (!other || other->kind != ACL_HANDLE_PHYS_MEM ||
			load_relaxed(&other->flags) & ACL_OBJECT_LEARNED)
			continue;
		mixed = mixed || load_relaxed(&physical_state(other)->imported) !=
					 load_relaxed(&physical_state(o)->imported);
		far = far || (load_relaxed(&o->device) >= 0 && load_relaxed(&other->device) >= 0 &&
				     load_relaxed(&o->device) != load_relaxed(&other->device));
		if (!found && (mixed || far))
			found = b;
	}
	FINDING(c, call, "vmm-map-mixed-handles", mixed,
		PARTS(part_address("address", address), part_block("reserved range", range->block),
			part_block("mapping", found)),
		"The range holds memory of this process and imported memory.");
	FINDING(c, call, "vmm-map-two-devices", far && !mixed,
		PARTS(part_address("address", address), part_block("reserved range", range->block),
			part_block("mapping", found)),
		"The range holds memory of another device already.");
}

/* All of the physical memory is mapped, or nothing. */
static void check_whole(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMapMem *a = call->args;
	struct acl_object *o = a->handle ? object_live(c, ACL_HANDLE_PHYS_MEM, a->handle) : NULL;
	uint64_t size = o ? load_relaxed(&physical_state(o)->size) : 0;

	if (size)
		FINDING(c, call, "vmm-map-args", a->size != size,
			PARTS(part_bytes("size", a->size), part_bytes("physical size", size),
				part_object("physical memory", o)),
			"The physical memory has another size.");
}

/* The range was reserved there and released since; others below us may have reserved it again. */
static bool range_released(
	struct checks *c, struct acl_call_record *call, const void *address, struct freed_block *range)
{
	struct block_lookup place;

	return address && !map_find(memory_blocks(c), (uintptr_t)address, &place) &&
	       freed_find(c, address, false, range) && range->kind == MEM_RESERVED && !range->by_reset &&
	       !freed_taken_again(c, call, address);
}

/* False when no reserved range is known there. */
static bool check_inside(struct checks *c, struct acl_call_record *call, const void *address, uint64_t size,
	struct block_lookup *range)
{
	bool reserved = reservation_at(c, address, range);
	struct block_lookup place;
	/* What no table knows may be reserved below us. */
	bool ordinary = !reserved && map_find(memory_blocks(c), (uintptr_t)address, &place) &&
			place.kind != MEM_MAPPED;
	struct freed_block old;
	bool released = !reserved && range_released(c, call, address, &old);

	FINDING(c, call, "vmm-map-outside-reservation",
		ordinary || released || (reserved && size > range->size - ((uintptr_t)address - range->base)),
		PARTS(part_advice(released && freed_maybe_reused(c)), part_address("address", address),
			part_block("reserved range", reserved ? range->block : NULL),
			released ? part_history("released range", freed_history, &old) : part_none()),
		"%s",
		ordinary   ? "The address lies in ordinary memory, not in a reserved range."
		: released ? "The range was released before."
			   : "The mapping would leave the reserved range.");
	return reserved;
}

static void check_free(struct checks *c, struct acl_call_record *call, const void *address, uint64_t size)
{
	struct acl_block *other = map_first_in(mapped_ranges(c)->mapped, (uintptr_t)address, size);

	FINDING(c, call, "vmm-map-overlap", other,
		PARTS(part_address("address", address), part_block("mapping", other)),
		"Part of the range is mapped already.");
}

static void map_enter(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMapMem *a = call->args; /* aclrtMemMapNoAccess has the same arguments */
	struct block_lookup range;

	if (!a->virPtr || !a->size)
		return;
	check_whole(c, call);
	if (check_inside(c, call, a->virPtr, a->size, &range))
		check_company(c, call, a->handle, &range);
	check_free(c, call, a->virPtr, a->size);
}

/* An address that no table knows may be reserved below us; where the runtime refuses it and no library works
 * there, it is not. */
static void map_failed(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMapMem *a = call->args;
	struct block_lookup place;

	if (!a->virPtr || !a->size ||
		(error_of(call) != ACL_ERROR_RT_PARAM_INVALID &&
			error_of(call) != ACL_ERROR_RT_DRV_INTERNAL_ERROR) ||
		reservation_at(c, a->virPtr, &place) ||
		map_find(memory_blocks(c), (uintptr_t)a->virPtr, &place) ||
		other_submitters_possible(c, CHECKS_OTHER_WORK))
		return;
	FINDING(c, call, "vmm-map-outside-reservation", true, PARTS(part_address("address", a->virPtr)),
		"The address lies in no range that the program has reserved.");
}

/* What is wrong with the source of a link; NULL: nothing, or what is there is not known. */
static const char *wrong_link_source(
	struct checks *c, const struct acl_args_aclrtMemMapSelectedLink *a, bool *known)
{
	struct block_lookup src;

	if (!reservation_at(c, a->virPtrSrc, &src)) {
		bool ordinary = !a->virPtrSrc || (map_find(memory_blocks(c), (uintptr_t)a->virPtrSrc, &src) &&
							 src.kind != MEM_MAPPED);

		*known = *known || ordinary;
		return ordinary ? "virPtrSrc is no address of a reserved range." : NULL;
	}
	*known = true;
	if (src.base != (uintptr_t)a->virPtrSrc || src.size != a->size)
		return "virPtrSrc and size are not those of a reserved range.";
	return !load_relaxed(&mapped_ranges(c)->unfollowed) &&
			       !map_first_in(mapped_ranges(c)->mapped, src.base, src.size)
		       ? "Nothing is mapped at virPtrSrc."
		       : NULL;
}

/* A source that no table knows, since it was released; false: that is not why. */
static bool link_source_released(
	struct checks *c, struct acl_call_record *call, const struct acl_args_aclrtMemMapSelectedLink *a)
{
	struct freed_block old;

	return range_released(c, call, a->virPtrSrc, &old) &&
	       FINDING(c, call, "vmm-selected-link-args", true,
		       PARTS(part_advice(freed_maybe_reused(c)), part_address("virPtrSrc", a->virPtrSrc),
			       part_history("released range", freed_history, &old)),
		       "virPtrSrc lies in a range that was released before.");
}

/* Both addresses begin ranges of that very size, and the source has memory. */
static void link_enter(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMemMapSelectedLink *a = call->args;
	struct block_lookup dst;
	const char *wrong, *to = NULL;
	bool known;

	if (!a->size)
		return;
	known = reservation_at(c, a->virPtrDst, &dst);
	/* That it leaves a reserved range is said by the rule about sizes. */
	if (!known && a->virPtrDst)
		check_inside(c, call, a->virPtrDst, a->size, &dst);
	check_free(c, call, a->virPtrDst, a->size);
	if (!a->virPtrDst)
		to = "virPtrDst is NULL.";
	else if (known && (dst.base != (uintptr_t)a->virPtrDst || dst.size != a->size))
		to = "virPtrDst and size are not those of a reserved range.";
	wrong = wrong_link_source(c, a, &known);
	if (!wrong && !to && link_source_released(c, call, a))
		return;
	if (known || to)
		FINDING(c, call, "vmm-selected-link-args", wrong || to,
			PARTS(part_address("virPtrDst", a->virPtrDst),
				part_address("virPtrSrc", a->virPtrSrc)),
			"%s", wrong ? wrong : to);
}

bool check_mapped(
	struct checks *c, struct acl_call_record *call, const void *address, struct block_lookup *place)
{
	struct block_lookup range;
	bool mapped;

	if (!reservation_at(c, address, &range))
		return false;
	mapped = map_find(mapped_ranges(c)->mapped, (uintptr_t)address, place);
	FINDING(c, call, "vmm-use-unmapped", !mapped && !load_relaxed(&mapped_ranges(c)->unfollowed),
		PARTS(part_address("address", address), part_block("reserved range", range.block)),
		"No memory is mapped at this address of the reserved range.");
	return mapped;
}

/* Whether what is mapped from the address on, in one or several pieces, ends where the size says. */
static bool ends_with_mapping(struct checks *c, uintptr_t address, uint64_t size)
{
	struct block_lookup last;

	return size <= UINTPTR_MAX - address &&
	       map_find(mapped_ranges(c)->mapped, address + size - 1, &last) &&
	       last.base + last.size == address + size &&
	       (load_relaxed(&mapped_ranges(c)->unfollowed) || first_gap(c, address, size) == address + size);
}

static void access_enter(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMemSetAccess *a = call->args;
	struct block_lookup place;

	if (!a->size || !check_reserved(c, call, RULE("vmm-set-access-args"), a->virPtr, &place) ||
		!check_mapped(c, call, a->virPtr, &place))
		return;
	FINDING(c, call, "vmm-set-access-args",
		place.base != (uintptr_t)a->virPtr || !ends_with_mapping(c, place.base, a->size),
		PARTS(part_address("virPtr", a->virPtr), part_bytes("size", a->size),
			part_block("mapping", place.block)),
		"virPtr and size are not those of what is mapped there.");
}

static void mapping_asked(struct checks *c, struct acl_call_record *call)
{
	const void *address = acl_arg_pointer(call->api, call->args, ACL_ROLE_ADDRESS);
	struct block_lookup place;

	if (check_reserved(c, call, RULE("vmm-set-access-args"), address, &place) &&
		check_mapped(c, call, address, &place))
		FINDING(c, call, "vmm-set-access-args", place.base != (uintptr_t)address,
			PARTS(part_address("virPtr", address), part_block("mapping", place.block)),
			"virPtr lies inside a mapping, it is not its beginning.");
}

static void unmap_enter(struct checks *c, struct acl_call_record *call)
{
	const void *address = ACL_ARGS(call, aclrtUnmapMem)->virPtr;
	struct block_lookup place, range;

	if (!address || load_relaxed(&mapped_ranges(c)->unfollowed))
		return;
	if (map_find(mapped_ranges(c)->mapped, (uintptr_t)address, &place)) {
		gone_memory_evaluated(call, MEM_MAPPED);
		FINDING(c, call, "vmm-unmap-not-mapped", place.base != (uintptr_t)address,
			PARTS(part_address("address", address), part_block("mapping", place.block)),
			"The address lies inside a mapping, it is not its beginning.");
	} else if (check_reserved(c, call, RULE("vmm-unmap-not-mapped"), address, &range))
		FINDING(c, call, "vmm-unmap-not-mapped", true,
			PARTS(part_address("address", address), part_block("reserved range", range.block)),
			"Nothing is mapped at this address.");
}

/* What is left of them is no leak of its own. */
static void mappings_reported(struct checks *c, uint64_t base, uint64_t end)
{
	struct acl_block *b = NULL;
	struct block_lookup place;

	while ((b = next_mapping(c, b, base, end)) != NULL)
		if (map_find(memory_blocks(c), load_relaxed(&b->base), &place))
			block_reported(place.block);
}

static void release_enter(struct checks *c, struct acl_call_record *call)
{
	const void *address = ACL_ARGS(call, aclrtReleaseMemAddress)->virPtr;
	struct acl_block *other;
	struct block_lookup place;

	if (!reservation_at(c, address, &place) || place.base != (uintptr_t)address)
		return;
	other = map_first_in(mapped_ranges(c)->mapped, place.base, place.size);
	if (FINDING(c, call, "vmm-release-while-mapped", other,
		    PARTS(part_address("address", address), part_block("reserved range", place.block),
			    part_block("mapping", other)),
		    "Memory is still mapped into the range; aclrtUnmapMem comes first."))
		mappings_reported(c, place.base, place.base + place.size);
}

static const struct check_hook hooks[] = {
	{ON_OP(MAP_MEMORY), ACL_ENTER, map_enter},
	{ON_OP(MAP_MEMORY), ACL_FAILED, map_failed},
	{ON_OP(MAP_LINK), ACL_ENTER, link_enter},
	{ON_OP(CONFIGURE_MEMORY_ACCESS), ACL_ENTER, access_enter},
	{ON_OP(INFO_MEMORY_ACCESS), ACL_ENTER, mapping_asked},
	{ON_OP(RETAIN_PHYSICAL), ACL_ENTER, mapping_asked},
	{ON_OP(UNMAP_MEMORY), ACL_ENTER, unmap_enter},
	{ON_OP(RELEASE_ADDRESS), ACL_ENTER, release_enter},
};

const struct check_module module_virtual_memory = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
