/* SPDX-License-Identifier: Apache-2.0 */
/* Managed memory: what its functions are for, and pages that migrate back and forth. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/state/memory_state.h"
#include "checks/state/operation.h"

#define PAGE (2u << 20)
#define FLIPS 16
/* Where the runtime puts managed memory; what lies there may have been made where we do not see it. */
#define WINDOW UINT64_C(0x90000000000)
#define WINDOW_BYTES (UINT64_C(3) << 40)

struct managed_state {
	struct value_table side; /* serial of a block -> changes of side << 8 | enum managed_side */
	struct value_table advised; /* serial of a block -> 1 */
	_Atomic bool any; /* the program has had managed memory */
};

enum managed_side { SIDE_NONE, SIDE_HOST, SIDE_DEVICE };

static struct managed_state *managed(struct checks *c)
{
	return module_state(c, managed);
}

/* --- uvm-range-not-managed -------------------------------------------------------------- */

/* What the range is instead, if that is known; NULL: managed memory. */
static const char *otherwise(struct checks *c, struct acl_call_record *call, struct op_access *a, bool *known)
{
	uint64_t room;

	*known = false;
	if (!a->address || !a->span)
		return NULL;
	if (!a->block.block) {
		if ((uintptr_t)a->address - WINDOW < WINDOW_BYTES)
			return NULL;
		access_classify(c, call, a);
		*known = a->location == ACCESS_PAGEABLE;
		return "is the program's own host memory";
	}
	*known = true;
	if (a->block.kind == MEM_REGISTERED)
		return "is registered host memory";
	if (a->block.kind != MEM_MANAGED)
		return "was not made by aclrtMemAllocManaged";
	room = ((a->block.size + PAGE - 1) & ~(uint64_t)(PAGE - 1)) - ((uintptr_t)a->address - a->block.base);
	return a->span > room ? "goes beyond the end of the managed memory" : NULL;
}

static void managed_range_check(struct checks *c, struct acl_call_record *call, struct op_access *a)
{
	bool known;
	const char *wrong = otherwise(c, call, a, &known);

	if (known)
		FINDING(c, call, "uvm-range-not-managed", wrong,
			PARTS(part_address(a->name, a->address), part_bytes("size", a->span),
				part_block("memory", a->block.block)),
			"The range %s.", wrong);
}

/* --- uvm-ping-pong -------------------------------------------------------------------------- */

static void goes_to(struct checks *c, struct acl_call_record *call, const void *ptr, enum managed_side side)
{
	struct block_lookup place;
	uint64_t key, was;

	if (!ptr || side == SIDE_NONE || !map_find(memory_blocks(c), (uintptr_t)ptr, &place) ||
		place.kind != MEM_MANAGED)
		return;
	key = load_relaxed(&place.block->serial);
	was = value_table_value(&managed(c)->side, key);
	if ((was & 255) == side)
		return;
	was += (was & 255 ? 1u << 8 : 0) - (was & 255) + side;
	value_table_set_of(c, &managed(c)->side, block_ref(place.block, place.generation, false), key, was);
	FINDING(c, call, "uvm-ping-pong", was >> 8 == FLIPS && !value_table_value(&managed(c)->advised, key),
		PARTS(part_block("managed memory", place.block)),
		"Copies and prefetches have sent this memory to the other side %u times.", FLIPS);
}

static enum managed_side side_of(const aclrtMemManagedLocation *l)
{
	switch (l->type) {
	case ACL_MEM_LOCATIONTYPE_DEVICE:
		return SIDE_DEVICE;
	case ACL_MEM_LOCATIONTYPE_HOST:
	case ACL_MEM_LOCATIONTYPE_HOST_NUMA:
	case ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT:
		return SIDE_HOST;
	default:
		return SIDE_NONE;
	}
}

/* The direction of a copy says where the program takes each side to be. */
static void managed_copy_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op;
	bool from_host, to_host;

	if (!load_relaxed(&managed(c)->any))
		return;
	op = operation_of(c, call);
	if (op->direction < ACL_MEMCPY_HOST_TO_HOST || op->direction > ACL_MEMCPY_DEVICE_TO_DEVICE)
		return;
	from_host = op->direction == ACL_MEMCPY_HOST_TO_HOST || op->direction == ACL_MEMCPY_HOST_TO_DEVICE;
	to_host = op->direction == ACL_MEMCPY_HOST_TO_HOST || op->direction == ACL_MEMCPY_DEVICE_TO_HOST;
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (e.src)
			goes_to(c, call, e.src->address, from_host ? SIDE_HOST : SIDE_DEVICE);
		if (e.dst)
			goes_to(c, call, e.dst->address, to_host ? SIDE_HOST : SIDE_DEVICE);
	}
}

/* --- the calls ----------------------------------------------------------------------------- */

static void managed_allocate_leave(struct checks *c, struct acl_call_record *call)
{
	if (!succeeded(call))
		return;
	store_relaxed(&managed(c)->any, true);
	checks_when(c, WHEN_MANAGED);
}

/* Every function that is only for managed memory. */
static void managed_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);

	/* A prefetch reads the range, the others name it only. */
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		managed_range_check(c, call, e.src ? e.src : e.dst);
	}
}

static void advise_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);
	const struct op_access *a = operation_entry(op, 0).dst;

	if (op->n_entries && a->block.block && a->block.kind == MEM_MANAGED)
		value_table_set_of(c, &managed(c)->advised,
			block_ref(a->block.block, a->block.generation, false),
			load_relaxed(&a->block.block->serial), 1);
}

/* Advice may be for no place in particular, a prefetch goes somewhere. */
static enum managed_side target(
	struct checks *c, struct acl_call_record *call, const aclrtMemManagedLocation *l)
{
	enum managed_side side = side_of(l);

	FINDING(c, call, "uvm-args", side == SIDE_NONE,
		PARTS(part_enum("location.type", "aclrtMemManagedLocationType", l->type)),
		"The memory is prefetched to no place.");
	return side;
}

static void prefetch_enter(struct checks *c, struct acl_call_record *call)
{
	goes_to(c, call, acl_arg_pointer(call->api, call->args, ACL_ROLE_ADDRESS),
		target(c, call, acl_arg_pointer(call->api, call->args, ACL_ROLE_LOCATION)));
}

/* Where an index of the list begins, its location counts up to the next one. */
static void prefetch_batch_enter(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMemManagedPrefetchBatchAsync *a = call->args;
	const struct operation *op = operation_of(c, call);
	struct program_array indexes, locations;
	const aclrtMemManagedLocation *location;
	enum managed_side side = SIDE_NONE;
	uint64_t at = 0;
	const size_t *from;

	program_array_open(&indexes, c, a->prefetchLocIdxs, sizeof(*a->prefetchLocIdxs), a->numPrefetchLocs);
	program_array_open(&locations, c, a->prefetchLocs, sizeof(*a->prefetchLocs), a->numPrefetchLocs);
	for (uint64_t i = 0; i < op->n_entries; i++) {
		while ((from = program_array_at(&indexes, at)) != NULL && *from <= i) {
			location = program_array_at(&locations, at++);
			side = location ? target(c, call, location) : SIDE_NONE;
		}
		if (operation_entry(op, i).src)
			goes_to(c, call, operation_entry(op, i).src->address, side);
	}
}

/* One question for several attributes; the number alone is the model's. */
static void attributes_enter(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMemManagedGetAttrs *a = call->args;
	const aclrtMemManagedRangeAttribute *attribute;
	struct program_array attributes;

	program_array_open(&attributes, c, a->attributes, sizeof(*a->attributes), a->numAttributes);
	for (uint64_t i = 0; (attribute = program_array_at(&attributes, i)) != NULL; i++)
		if (FINDING(c, call, "uvm-args",
			    *attribute < ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY ||
				    *attribute > ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID,
			    PARTS(part_uint("index", i),
				    part_enum("attribute", "aclrtMemManagedRangeAttribute", *attribute)),
			    "attributes[%llu] is no attribute of managed memory.", (unsigned long long)i))
			return;
}

static const struct check_hook hooks[] = {
	{ON_OP(ALLOCATE_MANAGED), ACL_LEAVE, managed_allocate_leave},
	{ON_GROUP(MANAGED), ACL_ENTER, managed_enter},
	{ON_OP(INFO_MANAGED_ATTRIBUTE), ACL_ENTER, managed_enter},
	{ON_OP(INFO_MANAGED_ATTRIBUTES), ACL_ENTER, managed_enter},
	{ON_OP(INFO_MANAGED_ATTRIBUTES), ACL_ENTER, attributes_enter},
	{ON_OP(MANAGED_ADVISE), ACL_ENTER, advise_enter},
	{ON_OP(MANAGED_PREFETCH), ACL_ENTER, prefetch_enter},
	{ON_OP(MANAGED_PREFETCH_BATCH), ACL_ENTER, prefetch_batch_enter},
	{ON_GROUP(COPY), ACL_ENTER | ACL_WHEN(MANAGED) | ACL_UNLESS_PLAIN, managed_copy_enter},
};

const struct check_module module_managed = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct managed_state),
};
