/* SPDX-License-Identifier: Apache-2.0 */
/* Managed memory: what its functions are for, and pages that wander to and fro. */
#include "checks/legs.h"
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

#define PAGE (2u << 20)
#define FLIPS 16
/* Where the runtime puts managed memory; what lies there may have been made where we do not see it. */
#define WINDOW UINT64_C(0x90000000000)
#define WINDOW_BYTES (UINT64_C(3) << 40)

struct managed_state {
	struct pairs side; /* serial of a block -> changes of side << 8 | enum managed_side */
	struct pairs advised; /* serial of a block -> 1 */
	_Atomic bool any; /* the program has had managed memory */
};

enum managed_side { SIDE_NONE, SIDE_HOST, SIDE_DEVICE };

static struct managed_state *managed(struct checks *c)
{
	return c->topic[TOPIC_MANAGED];
}

/* --- uvm-range-not-managed -------------------------------------------------------------- */

/* What the range is instead; NULL: managed memory, or nobody knows. */
static const char *otherwise(struct checks *c, struct acl_event *ev, const void *ptr, unsigned param,
	uint64_t size, struct acl_place *place)
{
	uint64_t room;

	place->block = NULL;
	if (!ptr || !size)
		return NULL;
	if (!map_find(c->memory, (uintptr_t)ptr, place)) {
		if ((uintptr_t)ptr - WINDOW < WINDOW_BYTES)
			return NULL;
		if (map_live(c->registered) && map_find(c->registered, (uintptr_t)ptr, place))
			return "is registered host memory";
		return host_class(c, ev, param, ptr) > ACL_HOST_UNKNOWN ? "is the program's own host memory"
									: NULL;
	}
	rule_asked(ev, RULE("uvm-range-not-managed"));
	if (place->kind != MEM_MANAGED)
		return "was not made by aclrtMemAllocManaged";
	room = ((place->size + PAGE - 1) & ~(uint64_t)(PAGE - 1)) - ((uintptr_t)ptr - place->base);
	return size > room ? "goes beyond the end of the managed memory" : NULL;
}

static void check_range(
	struct checks *c, struct acl_event *ev, const void *ptr, unsigned param, uint64_t size)
{
	struct finding_buffer room;
	struct acl_finding *f;
	struct acl_place place;
	const char *wrong = ev->carry[CARRY_FINDING] ? NULL : otherwise(c, ev, ptr, param, size, &place);

	if (!wrong)
		return;
	if (!place.block)
		rule_asked(ev, RULE("uvm-range-not-managed"));
	f = finding_begin(c, ev, RULE("uvm-range-not-managed"), &room);
	if (!f)
		return;
	finding_detail(f, "The range %s.", wrong);
	finding_address(f, "ptr", ptr);
	finding_bytes(f, "size", size);
	if (place.block)
		finding_block(c, f, "memory", place.block);
	finding_show(c, f);
}

/* --- uvm-ping-pong -------------------------------------------------------------------------- */

static void goes_to(struct checks *c, struct acl_event *ev, const void *ptr, enum managed_side side)
{
	struct finding_buffer room;
	struct acl_finding *f;
	struct acl_place place;
	uint64_t key, was;

	if (!ptr || !map_find(c->memory, (uintptr_t)ptr, &place) || place.kind != MEM_MANAGED)
		return;
	key = ld(&place.block->serial);
	was = pairs_value(&managed(c)->side, key);
	if ((was & 255) == side)
		return;
	was += (was & 255 ? 1u << 8 : 0) - (was & 255) + side;
	pairs_set(&managed(c)->side, key, was);
	if (!rule_broken(ev, RULE("uvm-ping-pong"), was >> 8 == FLIPS) ||
		pairs_value(&managed(c)->advised, key))
		return;
	f = finding_begin(c, ev, RULE("uvm-ping-pong"), &room);
	if (!f)
		return;
	finding_detail(f, "Copies and prefetches have sent this memory to the other side %u times.", FLIPS);
	finding_block(c, f, "managed memory", place.block);
	finding_show(c, f);
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
static void copying(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemcpy *a = ev->args;

	if (!ld(&managed(c)->any) || !a->count || a->kind < ACL_MEMCPY_HOST_TO_HOST ||
		a->kind > ACL_MEMCPY_DEVICE_TO_DEVICE)
		return;
	goes_to(c, ev, a->src,
		a->kind == ACL_MEMCPY_HOST_TO_HOST || a->kind == ACL_MEMCPY_HOST_TO_DEVICE ? SIDE_HOST
											   : SIDE_DEVICE);
	goes_to(c, ev, a->dst,
		a->kind == ACL_MEMCPY_HOST_TO_HOST || a->kind == ACL_MEMCPY_DEVICE_TO_HOST ? SIDE_HOST
											   : SIDE_DEVICE);
}

/* --- the calls ----------------------------------------------------------------------------- */

static void allocated(struct checks *c, struct acl_event *ev)
{
	if (!succeeded(ev))
		return;
	st(&managed(c)->any, true);
	checks_unusual(c);
}

static void advising(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemManagedAdvise *a = ev->args;
	struct acl_place place;

	check_range(c, ev, a->ptr, 0, a->size);
	if (a->ptr && map_find(c->memory, (uintptr_t)a->ptr, &place) && place.kind == MEM_MANAGED)
		pairs_set(&managed(c)->advised, ld(&place.block->serial), 1);
}

static void asking_one(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemManagedGetAttr *a = ev->args;

	check_range(c, ev, a->ptr, 1, a->size);
}

static void asking_many(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemManagedGetAttrs *a = ev->args;

	check_range(c, ev, a->ptr, 2, a->size);
}

static void fetching(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemManagedPrefetchAsync *a = ev->args;

	check_range(c, ev, a->ptr, 0, a->size);
	if (!ev->carry[CARRY_FINDING])
		goes_to(c, ev, a->ptr, side_of(&a->location));
}

static void fetching_batch(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemManagedPrefetchBatchAsync *a = ev->args;

	for (size_t i = 0; a->ptrs && a->sizes && i < a->count && !ev->carry[CARRY_FINDING]; i++)
		check_range(c, ev, a->ptrs[i], ACL_EVENT_PARAMS, a->sizes[i]);
}

static bool managed_create(struct checks *c)
{
	c->topic[TOPIC_MANAGED] = checks_alloc(c, sizeof(struct managed_state));
	return c->topic[TOPIC_MANAGED] != NULL;
}

static void managed_forked(struct checks *c)
{
	st(&managed(c)->side.lock.held, 0);
	st(&managed(c)->advised.lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtMemAllocManaged, ACL_LEAVE, allocated},
	{ACL_API_aclrtMemManagedAdvise, ACL_ENTER, advising},
	{ACL_API_aclrtMemManagedGetAttr, ACL_ENTER, asking_one},
	{ACL_API_aclrtMemManagedGetAttrs, ACL_ENTER, asking_many},
	{ACL_API_aclrtMemManagedPrefetchAsync, ACL_ENTER, fetching},
	{ACL_API_aclrtMemManagedPrefetchBatchAsync, ACL_ENTER, fetching_batch},
	{ACL_API_aclrtMemcpy, ACL_ENTER | ACL_UNUSUAL, copying},
	{ACL_API_aclrtMemcpyAsync, ACL_ENTER | ACL_UNUSUAL, copying},
};

const struct acl_topic topic_managed = {
	.name = "managed memory",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = managed_create,
	.forked = managed_forked,
};
