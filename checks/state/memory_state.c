/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: what was allocated, registered, imported and released. */
#include "checks/state/memory_state.h"
#include "checks/engine/instance.h"
#include "checks/state/access_place.h"
#include "checks/state/declared_pool.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_change.h"
#include "checks/state/operation.h"
#include "checks/state/physical_state.h"

void lookup_fill(struct checks *c, struct known_lookup *known, uint64_t address, uint64_t version)
{
	known->version = version;
	known->address = address;
	known->reach = 0;
	if (map_find(memory_blocks(c), address, &known->place))
		known->reach = known->place.size;
	else if (map_live(registered_ranges(c)))
		map_find(registered_ranges(c), address, &known->place);
}

int memory_device(struct checks *c, const struct block_lookup *place)
{
	struct acl_object *o;

	if (!place->block)
		return -1;
	if (place->kind == MEM_DEVICE || place->kind == MEM_POOL)
		return load_relaxed(&place->block->device);
	o = place->kind == MEM_MAPPED ? object_of(c, load_relaxed(&place->block->owner)) : NULL;
	return o && o->kind == ACL_HANDLE_PHYS_MEM ? load_relaxed(&o->device) : -1;
}

uint64_t memory_rounded(const struct block_lookup *place)
{
	const struct acl_api_info *made_by = &acl_apis[call_site_api(&place->block->created)];
	uint64_t granule = made_by->granule ? made_by->granule : 1;

	return ((place->size + granule - 1) & ~(granule - 1)) + made_by->spare;
}

/* Without the spare bytes, which neither this product nor pages of 1 GiB have. */
static bool spare_is_missing(const struct checks *c, const struct block_lookup *place)
{
	return soc_is(c, "950") || !(place->size & ((1u << 30) - 1));
}

bool memory_behind(struct checks *c, uint64_t address, struct block_lookup *place)
{
	/* The end itself, and what granule and spare bytes can add to it. */
	static const unsigned back[] = {1, 64};

	for (size_t i = 0; i < sizeof(back) / sizeof(back[0]); i++) {
		uint64_t offset, spare;

		if (address < back[i] || !map_find(memory_blocks(c), address - back[i], place))
			continue;
		offset = address - place->base;
		spare = acl_apis[call_site_api(&place->block->created)].spare;
		return offset >= place->size &&
		       offset < memory_rounded(place) - (spare_is_missing(c, place) ? spare : 0);
	}
	return false;
}

/* These have an address first and another one third; what stands there may be anything. */
bool checks_prefetches(unsigned api)
{
	return acl_apis[api].operation_group == ACL_OP_GROUP_COPY &&
	       acl_role_slots[api][ACL_ROLE_DST] == acl_role_slots[ACL_API_aclrtMemcpy][ACL_ROLE_DST] &&
	       acl_role_slots[api][ACL_ROLE_SRC] == acl_role_slots[ACL_API_aclrtMemcpy][ACL_ROLE_SRC];
}

/* What the thread used just before is at hand. */
static inline void fetch_one(struct checks *c, const struct op_access *last, uint64_t address)
{
	if (last && address - last->block.base < last->block.size)
		return;
	access_place_fetch(c, address);
	map_prefetch(memory_blocks(c), address);
}

static __attribute__((noinline)) void fetch_both(struct checks *c, const struct acl_call_record *call)
{
	const struct acl_args_aclrtMemcpy *a = call->args;
	const struct operation *last = thread_of(call)->operation;

	fetch_one(c, last ? &last->first[1] : NULL, (uintptr_t)a->dst);
	fetch_one(c, last ? &last->first[0] : NULL, (uintptr_t)a->src);
}

/* Of every copy: saves no registers where there is nothing to do. */
void checks_prefetch(struct checks *c, const struct acl_call_record *call)
{
	if (__builtin_expect(map_is_large(memory_blocks(c)), 0))
		fetch_both(c, call);
}

void checks_enter_fetching(struct checks *c, struct acl_call_record *call)
{
	checks_prefetch(c, call);
	checks_enter_usual(c, call);
}

enum acl_host_class host_class(
	struct checks *c, struct acl_call_record *call, unsigned param, const void *address)
{
	enum acl_host_class class;

	if (param < ACL_CALL_PARAMS && call->host_class[param] != ACL_HOST_UNASKED)
		return call->host_class[param];
	class = c->host.host_class ? c->host.host_class(c->host.context, address) : ACL_HOST_UNKNOWN;
	if (param < ACL_CALL_PARAMS)
		call->host_class[param] = class;
	return class;
}

bool memory_is_host(struct checks *c, struct acl_call_record *call, unsigned param, const void *address)
{
	struct block_lookup place;

	if (!address || runs_on_device(c))
		return false;
	if (map_find(memory_blocks(c), (uintptr_t)address, &place))
		return place.kind == MEM_HOST;
	/* Registered memory may have the same address on the device. */
	return !(map_live(registered_ranges(c)) &&
		       map_find(registered_ranges(c), (uintptr_t)address, &place)) &&
	       host_class(c, call, param, address) > ACL_HOST_UNKNOWN;
}

/* --- allocation ----------------------------------------------------------------- */

static struct acl_block *add(
	struct checks *c, struct acl_call_record *call, void *const *out, uint64_t size, unsigned kind)
{
	struct acl_object *context;
	struct acl_block *b;
	bool known;

	if (!succeeded(call) || !out)
		return NULL;
	context = context_current(c, thread_of(call), &known);
	b = map_insert(c, memory_blocks(c), call, (uintptr_t)*out, size, kind,
		kind == MEM_HOST || !context ? -1 : load_relaxed(&context->device));
	if (b && context)
		store_relaxed(&b->owner, object_ref(context));
	return b;
}

static void memory_allocate_leave(struct checks *c, struct acl_call_record *call)
{
	/* All begin with (void **out, size_t size, aclrtMemMallocPolicy policy). */
	const struct acl_args_aclrtMalloc *a = call->args;
	struct acl_block *b = add(c, call, a->devPtr, a->size, MEM_DEVICE);

	if (!b)
		return;
	store_relaxed(&b->policy, 1 + ((unsigned)a->policy & 7));
	block_unwritten(c, b);
}

static void allocated_host(struct checks *c, struct acl_call_record *call)
{
	add(c, call, ACL_ARGS(call, aclrtMallocHost)->hostPtr, ACL_ARGS(call, aclrtMallocHost)->size,
		MEM_HOST);
}

static void allocated_managed(struct checks *c, struct acl_call_record *call)
{
	add(c, call, ACL_ARGS(call, aclrtMemAllocManaged)->ptr, ACL_ARGS(call, aclrtMemAllocManaged)->size,
		MEM_MANAGED);
}

static void allocated_pool(struct checks *c, struct acl_call_record *call)
{
	add(c, call, ACL_ARGS(call, aclrtMemPoolMallocAsync)->ptr,
		ACL_ARGS(call, aclrtMemPoolMallocAsync)->size, MEM_POOL);
}

/* Addresses only: what is mapped into them counts as memory. */
static void reserved(struct checks *c, struct acl_call_record *call)
{
	void *const *out = ACL_ARGS(call, aclrtReserveMemAddress)->virPtr;

	if (succeeded(call) && out)
		map_insert(c, reserved_ranges(c), call, (uintptr_t)*out,
			ACL_ARGS(call, aclrtReserveMemAddress)->size, MEM_RESERVED, -1);
}

static void mapped(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMapMem *a = call->args;
	struct acl_object *o = object_find(c, ACL_HANDLE_PHYS_MEM, a->handle);
	struct acl_block *b;

	if (!succeeded(call))
		return;
	b = map_insert(c, memory_blocks(c), call, (uintptr_t)a->virPtr, a->size, MEM_MAPPED, -1);
	if (!b || !o)
		return;
	store_relaxed(&b->owner, object_ref(o));
	physical_mapped(c, o, b, a->offset);
}

/* A descriptor of a copy or of a cache operation was put into it. */
static void described(struct checks *c, struct acl_call_record *call)
{
	const void *descriptor = acl_arg_pointer(call->api, call->args, ACL_ROLE_DESCRIPTOR);
	struct block_lookup place;

	if (succeeded(call) && descriptor && map_find(memory_blocks(c), (uintptr_t)descriptor, &place))
		block_marked(place.block, BLOCK_DESCRIBED);
}

/* --- release ---------------------------------------------------------------------- */

static void going(struct acl_call_record *call, struct pointer_map *map, const void *address)
{
	struct block_lookup place;

	if (!map_find(map, (uintptr_t)address, &place) || place.base != (uintptr_t)address)
		return;
	if (!block_releasing(place.block, place.generation))
		return;
	call->state.releasing = place.block;
	call->state.releasing_generation = place.generation;
}

static void gone(struct acl_call_record *call, struct pointer_map *map)
{
	struct acl_block *b = call->state.releasing;
	uint32_t generation = call->state.releasing_generation;

	if (!b)
		return;
	if (succeeded(call))
		map_erase(map, b, generation);
	else
		block_release_failed(b, generation);
}

static void releasing(struct checks *c, struct acl_call_record *call)
{
	/* All release functions begin with the address. */
	going(call, memory_blocks(c), ACL_ARGS(call, aclrtFree)->devPtr);
}

static void released(struct checks *c, struct acl_call_record *call)
{
	gone(call, memory_blocks(c));
}

static void releasing_addresses(struct checks *c, struct acl_call_record *call)
{
	going(call, reserved_ranges(c), ACL_ARGS(call, aclrtReleaseMemAddress)->virPtr);
}

static void released_addresses(struct checks *c, struct acl_call_record *call)
{
	gone(call, reserved_ranges(c));
}

/* --- registered host memory --------------------------------------------------------- */

static struct acl_block *memory_registered(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtHostRegister *a = call->args; /* aclrtHostRegisterV2 begins alike */
	struct acl_object *context;
	struct acl_block *b;
	bool known;

	if (!succeeded(call) || !a->ptr || !a->size)
		return NULL;
	b = map_insert(c, registered_ranges(c), call, (uintptr_t)a->ptr, a->size, MEM_REGISTERED, -1);
	context = context_current(c, thread_of(call), &known);
	if (b && context)
		block_owned(b, object_ref(context));
	return b;
}

static void registered_mapped(struct checks *c, struct acl_call_record *call)
{
	memory_registered(c, call);
}

static void registered_flags(struct checks *c, struct acl_call_record *call)
{
	uint32_t flags = ACL_ARGS(call, aclrtHostRegisterV2)->flag;
	struct acl_block *b = memory_registered(c, call);

	if (b && flags & ACL_HOST_REG_PINNED)
		block_marked(b, BLOCK_PINNED);
	if (b && flags == ACL_HOST_REG_PINNED)
		block_marked(b, BLOCK_UNMAPPED);
}

static void unregistering(struct checks *c, struct acl_call_record *call)
{
	going(call, registered_ranges(c), ACL_ARGS(call, aclrtHostUnregister)->ptr);
}

static void unregistered(struct checks *c, struct acl_call_record *call)
{
	gone(call, registered_ranges(c));
}

/* -------------------------------------------------------------------------------------- */

static bool memory_create(struct checks *c)
{
	for (unsigned id = 0; id < MAP_COUNT; id++) {
		c->maps[id] = map_create(c);
		if (!c->maps[id])
			return false;
	}
	return true;
}

static void inherit(struct pointer_map *map)
{
	struct acl_block *b;

	map_each(map, b) atomic_fetch_or(&b->flags, ACL_OBJECT_INHERITED);
}

static void memory_forked(struct checks *c)
{
	for (unsigned id = 0; id < MAP_COUNT; id++)
		inherit(c->maps[id]);
}

static const struct check_hook hooks[] = {
	{ON_OP(ALLOCATE_DEVICE), ACL_LEAVE, memory_allocate_leave},
	{ON_OP(ALLOCATE_HOST), ACL_LEAVE, allocated_host},
	{ON_OP(ALLOCATE_MANAGED), ACL_LEAVE, allocated_managed},
	{ON_OP(ALLOCATE_POOL), ACL_LEAVE, allocated_pool},
	{ON_OP(RESERVE_ADDRESS), ACL_LEAVE, reserved},
	{ON_GROUP(DESCRIBE), ACL_LEAVE, described},
	{ON_OP(FREE_DEVICE), ACL_ENTER, releasing},
	{ON_OP(FREE_HOST), ACL_ENTER, releasing},
	{ON_OP(FREE_POOL), ACL_ENTER, releasing},
	{ON_OP(UNMAP_MEMORY), ACL_ENTER, releasing},
	{ON_OP(FREE_DEVICE), ACL_LEAVE, released},
	{ON_OP(FREE_HOST), ACL_LEAVE, released},
	{ON_OP(FREE_POOL), ACL_LEAVE, released},
	{ON_OP(UNMAP_MEMORY), ACL_LEAVE, released},
	{ON_OP(RELEASE_ADDRESS), ACL_ENTER, releasing_addresses},
	{ON_OP(RELEASE_ADDRESS), ACL_LEAVE, released_addresses},
	{ON_OP(MAP_MEMORY), ACL_LEAVE, mapped},
	{ON_OP_WITH(REGISTER_HOST, DEVICE_ADDRESS), ACL_LEAVE, registered_mapped},
	{ON_OP_WITH(REGISTER_HOST, FLAGS), ACL_LEAVE, registered_flags},
	{ON_OP(UNREGISTER_HOST), ACL_ENTER, unregistering},
	{ON_OP(UNREGISTER_HOST), ACL_LEAVE, unregistered},
	{ACL_ANNOTATION_BLOCK_END, ACL_ENTER, declared_end_enter},
	{ACL_ANNOTATION_BLOCK_END, ACL_LEAVE, declared_end_leave},
};

const struct check_module module_memory = {
	.order = 6,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = memory_create,
	.forked = memory_forked,
};
