/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: what was allocated, registered, imported and released. */
#include "checks/report.h"
#include "checks/state.h"

void place_look_up(struct checks *c, struct acl_thread *t, struct known_place *known, const void *address)
{
	known->phase = t->phase;
	known->address = address;
	if (!map_find(c->memory, (uintptr_t)address, &known->place) && map_live(c->registered))
		map_find(c->registered, (uintptr_t)address, &known->place);
}

/* These have an address first and another one third; what stands there may be anything. */
bool checks_foresees(unsigned api)
{
	switch (api) {
	case ACL_API_aclrtMemcpy:
	case ACL_API_aclrtMemcpyAsync:
	case ACL_API_aclrtMemcpyAsyncWithCondition:
	case ACL_API_aclrtMemcpy2d:
	case ACL_API_aclrtMemcpy2dAsync:
		return true;
	}
	return false;
}

_Static_assert(
	offsetof(struct acl_args_aclrtMemcpy, dst) == offsetof(struct acl_args_aclrtMemcpy2d, dst) &&
		offsetof(struct acl_args_aclrtMemcpy, src) == offsetof(struct acl_args_aclrtMemcpy2d, src),
	"1D and 2D forms differ");

void checks_foresee(struct checks *c, const void *args)
{
	const struct acl_args_aclrtMemcpy *a = args;

	map_prefetch(c->memory, (uintptr_t)a->dst);
	map_prefetch(c->memory, (uintptr_t)a->src);
}

enum acl_host_class host_class(struct checks *c, struct acl_event *ev, unsigned param, const void *address)
{
	enum acl_host_class class;

	if (param < ACL_EVENT_PARAMS && ev->host_class[param] != ACL_HOST_UNASKED)
		return ev->host_class[param];
	class = c->host.host_class ? c->host.host_class(c->host.context, address) : ACL_HOST_UNKNOWN;
	if (param < ACL_EVENT_PARAMS)
		ev->host_class[param] = class;
	return class;
}

/* --- allocation ----------------------------------------------------------------- */

static struct acl_block *add(
	struct checks *c, struct acl_event *ev, void *const *out, uint64_t size, unsigned kind)
{
	struct acl_object *context;
	struct acl_block *b;
	bool known;

	if (!succeeded(ev) || !out || !*out || !size)
		return NULL;
	context = context_current(c, thread_of(ev), &known);
	b = map_insert(c, c->memory, ev, (uintptr_t)*out, size, kind,
		kind == MEM_HOST || !context ? -1 : ld(&context->device));
	if (b && context)
		st(&b->owner, object_ref(context));
	return b;
}

static void allocated(struct checks *c, struct acl_event *ev)
{
	/* All begin with (void **out, size_t size, aclrtMemMallocPolicy policy). */
	const struct acl_args_aclrtMalloc *a = ev->args;
	struct acl_block *b = add(c, ev, a->devPtr, a->size, MEM_DEVICE);

	if (!b)
		return;
	st(&b->policy, 1 + ((unsigned)a->policy & 7));
	block_unwritten(c, b);
}

static void allocated_host(struct checks *c, struct acl_event *ev)
{
	add(c, ev, ACL_ARGS(ev, aclrtMallocHost)->hostPtr, ACL_ARGS(ev, aclrtMallocHost)->size, MEM_HOST);
}

static void allocated_managed(struct checks *c, struct acl_event *ev)
{
	add(c, ev, ACL_ARGS(ev, aclrtMemAllocManaged)->ptr, ACL_ARGS(ev, aclrtMemAllocManaged)->size,
		MEM_MANAGED);
}

static void allocated_pool(struct checks *c, struct acl_event *ev)
{
	add(c, ev, ACL_ARGS(ev, aclrtMemPoolMallocAsync)->ptr, ACL_ARGS(ev, aclrtMemPoolMallocAsync)->size,
		MEM_POOL);
}

/* Addresses only: what is mapped into them counts as memory. */
static void reserved(struct checks *c, struct acl_event *ev)
{
	void *const *out = ACL_ARGS(ev, aclrtReserveMemAddress)->virPtr;

	if (succeeded(ev) && out)
		map_insert(c, c->reserved, ev, (uintptr_t)*out, ACL_ARGS(ev, aclrtReserveMemAddress)->size,
			MEM_RESERVED, -1);
}

static void mapped(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMapMem *a = ev->args;
	struct acl_object *o = object_find(c, ACL_HANDLE_PHYS_MEM, a->handle);
	struct acl_block *b;

	if (!succeeded(ev))
		return;
	b = map_insert(c, c->memory, ev, (uintptr_t)a->virPtr, a->size, MEM_MAPPED, -1);
	if (b && o)
		st(&b->owner, object_ref(o));
}

/* --- release ---------------------------------------------------------------------- */

static void going(struct acl_event *ev, struct pointer_map *map, const void *address)
{
	struct acl_place place;

	if (!map_find(map, (uintptr_t)address, &place) || place.base != (uintptr_t)address)
		return;
	if (!block_going(place.block, place.generation))
		return;
	ev->carry[CARRY_GOING] = (uintptr_t)place.block;
	ev->carry[CARRY_NOTE] = place.generation;
}

static void gone(struct acl_event *ev, struct pointer_map *map)
{
	struct acl_block *b = (struct acl_block *)(uintptr_t)ev->carry[CARRY_GOING];
	uint32_t generation = (uint32_t)ev->carry[CARRY_NOTE];

	if (!b)
		return;
	if (succeeded(ev))
		map_erase(map, b, generation);
	else
		block_stays(b, generation);
}

static void releasing(struct checks *c, struct acl_event *ev)
{
	/* All release functions begin with the address. */
	going(ev, c->memory, ACL_ARGS(ev, aclrtFree)->devPtr);
}

static void released(struct checks *c, struct acl_event *ev)
{
	gone(ev, c->memory);
}

static void releasing_addresses(struct checks *c, struct acl_event *ev)
{
	going(ev, c->reserved, ACL_ARGS(ev, aclrtReleaseMemAddress)->virPtr);
}

static void released_addresses(struct checks *c, struct acl_event *ev)
{
	gone(ev, c->reserved);
}

/* --- registered host memory --------------------------------------------------------- */

static void registered(struct checks *c, struct acl_event *ev)
{
	if (succeeded(ev) && ACL_ARGS(ev, aclrtHostRegister)->ptr && ACL_ARGS(ev, aclrtHostRegister)->size)
		map_insert(c, c->registered, ev, (uintptr_t)ACL_ARGS(ev, aclrtHostRegister)->ptr,
			ACL_ARGS(ev, aclrtHostRegister)->size, MEM_REGISTERED, -1);
}

static void unregistering(struct checks *c, struct acl_event *ev)
{
	going(ev, c->registered, ACL_ARGS(ev, aclrtHostUnregister)->ptr);
}

static void unregistered(struct checks *c, struct acl_event *ev)
{
	gone(ev, c->registered);
}

/* -------------------------------------------------------------------------------------- */

static bool memory_create(struct checks *c)
{
	c->memory = map_create(c);
	c->registered = map_create(c);
	c->reserved = map_create(c);
	return c->memory && c->registered && c->reserved;
}

static void inherit(struct pointer_map *map)
{
	struct acl_block *b;

	map_each(map, b) atomic_fetch_or(&b->flags, ACL_OBJECT_INHERITED);
}

static void memory_forked(struct checks *c)
{
	struct pointer_map *const maps[] = {c->memory, c->registered, c->reserved};

	for (unsigned i = 0; i < 3; i++) {
		map_forked(maps[i]);
		inherit(maps[i]);
	}
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtMalloc, ACL_LEAVE, allocated},
	{ACL_API_aclrtMallocAlign32, ACL_LEAVE, allocated},
	{ACL_API_aclrtMallocCached, ACL_LEAVE, allocated},
	{ACL_API_aclrtMallocForTaskScheduler, ACL_LEAVE, allocated},
	{ACL_API_aclrtMallocWithCfg, ACL_LEAVE, allocated},
	{ACL_API_aclrtMallocHost, ACL_LEAVE, allocated_host},
	{ACL_API_aclrtMallocHostWithCfg, ACL_LEAVE, allocated_host},
	{ACL_API_aclrtMemAllocManaged, ACL_LEAVE, allocated_managed},
	{ACL_API_aclrtMemPoolMallocAsync, ACL_LEAVE, allocated_pool},
	{ACL_API_aclrtReserveMemAddress, ACL_LEAVE, reserved},
	{ACL_API_aclrtReserveMemAddressNoUCMemory, ACL_LEAVE, reserved},
	{ACL_API_aclrtFree, ACL_ENTER, releasing},
	{ACL_API_aclrtFree, ACL_LEAVE, released},
	{ACL_API_aclrtFreeWithDevSync, ACL_ENTER, releasing},
	{ACL_API_aclrtFreeWithDevSync, ACL_LEAVE, released},
	{ACL_API_aclrtFreeHost, ACL_ENTER, releasing},
	{ACL_API_aclrtFreeHost, ACL_LEAVE, released},
	{ACL_API_aclrtFreeHostWithDevSync, ACL_ENTER, releasing},
	{ACL_API_aclrtFreeHostWithDevSync, ACL_LEAVE, released},
	{ACL_API_aclrtMemPoolFreeAsync, ACL_ENTER, releasing},
	{ACL_API_aclrtMemPoolFreeAsync, ACL_LEAVE, released},
	{ACL_API_aclrtReleaseMemAddress, ACL_ENTER, releasing_addresses},
	{ACL_API_aclrtReleaseMemAddress, ACL_LEAVE, released_addresses},
	{ACL_API_aclrtMapMem, ACL_LEAVE, mapped},
	{ACL_API_aclrtMemMapNoAccess, ACL_LEAVE, mapped},
	{ACL_API_aclrtUnmapMem, ACL_ENTER, releasing},
	{ACL_API_aclrtUnmapMem, ACL_LEAVE, released},
	{ACL_API_aclrtHostRegister, ACL_LEAVE, registered},
	{ACL_API_aclrtHostRegisterV2, ACL_LEAVE, registered},
	{ACL_API_aclrtHostUnregister, ACL_ENTER, unregistering},
	{ACL_API_aclrtHostUnregister, ACL_LEAVE, unregistered},
};

const struct acl_topic topic_memory = {
	.name = "memory",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = memory_create,
	.forked = memory_forked,
};
