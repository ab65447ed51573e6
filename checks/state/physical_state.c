/* SPDX-License-Identifier: Apache-2.0 */
/* Physical memory: its references, where it lies, whether it was exported; the granularity of each kind. */
#include "checks/state/physical_state.h"

#include "checks/engine/value_table.h"

struct physical {
	struct value_table granularity; /* key of properties -> smallest granularity the runtime answered */
	_Atomic bool mapped_again;
};

static struct physical *physical(struct checks *c)
{
	return module_state(c, physical);
}

static void physical_allocate_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMallocPhysical *a = call->args;
	struct acl_object *o;

	if (!succeeded(call) || !a->handle || !*a->handle)
		return;
	o = object_create(c, call, ACL_HANDLE_PHYS_MEM, *a->handle, 0);
	if (!o)
		return;
	store_relaxed(&physical_state(o)->references, 1);
	store_relaxed(&physical_state(o)->size, a->size);
	store_relaxed(&physical_state(o)->host,
		a->prop && (a->prop->location.type == ACL_MEM_LOCATION_TYPE_HOST ||
				   a->prop->location.type == ACL_MEM_LOCATION_TYPE_HOST_NUMA));
	if (a->prop && a->prop->location.type == ACL_MEM_LOCATION_TYPE_DEVICE)
		store_relaxed(&o->device, (int32_t)a->prop->location.id);
}

/* One more reference to what is known, or the first one we see. */
static void referenced(
	struct checks *c, const struct acl_call_record *call, const aclrtDrvMemHandle *out, bool import)
{
	struct physical_state *s;
	struct acl_object *o;

	if (!succeeded(call) || !out || !*out)
		return;
	o = object_live(c, ACL_HANDLE_PHYS_MEM, *out);
	if (!o)
		o = object_create(c, call, ACL_HANDLE_PHYS_MEM, *out, import ? 0 : ACL_OBJECT_LEARNED);
	if (!o)
		return;
	s = physical_state(o);
	if (counter_inc(&s->references)) {
		counter_inc(&s->again);
		call_site_take(c, &s->again_at, call, true);
	}
	if (import)
		store_relaxed(&s->imported, true);
}

static void physical_retain_leave(struct checks *c, struct acl_call_record *call)
{
	referenced(c, call, ACL_ARGS(call, aclrtMemRetainAllocationHandle)->handle, false);
}

static void physical_import_leave(struct checks *c, struct acl_call_record *call)
{
	referenced(c, call, ACL_ARGS(call, aclrtMemImportFromShareableHandle)->handle, true);
}

static void physical_import_v2_leave(struct checks *c, struct acl_call_record *call)
{
	referenced(c, call, ACL_ARGS(call, aclrtMemImportFromShareableHandleV2)->handle, true);
}

static void physical_free_leave(struct checks *c, struct acl_call_record *call)
{
	const void *handle = ACL_ARGS(call, aclrtFreePhysical)->handle;
	struct acl_object *o = handle ? object_live(c, ACL_HANDLE_PHYS_MEM, handle) : NULL;

	if (o && succeeded(call) && counter_dec(&physical_state(o)->references) == 1)
		object_destroyed(c, o, call, 0);
}

static void physical_export_leave(struct checks *c, struct acl_call_record *call)
{
	const void *handle = ACL_ARGS(call, aclrtMemExportToShareableHandle)->handle;
	struct acl_object *o = handle ? object_live(c, ACL_HANDLE_PHYS_MEM, handle) : NULL;

	if (o && succeeded(call))
		store_relaxed(&physical_state(o)->exported, true);
}

/* --- mappings ---------------------------------------------------------------------------------------- */

void physical_mapped(struct checks *c, struct acl_object *o, const struct acl_block *block, uint64_t offset)
{
	struct physical_state *p = physical_state(o);
	uint64_t now = block_ref(block, load_relaxed(&((struct acl_block *)block)->generation), false);
	bool noted = false;

	if (offset)
		store_relaxed(&p->parts, true);
	for (unsigned i = 0; i < PHYSICAL_MAPPINGS; i++) {
		uint64_t there = load_acquire(&p->mapped[i]);

		if (there && block_of(c, there))
			store_relaxed(&physical(c)->mapped_again, true);
		else if (!noted)
			noted = atomic_compare_exchange_strong(&p->mapped[i], &there, now);
	}
}

bool physical_mapped_again(struct checks *c)
{
	return load_relaxed(&physical(c)->mapped_again);
}

bool physical_mapped_beside(struct checks *c, const struct acl_block *block, unsigned *at,
	struct block_lookup *beside, uint64_t *shift)
{
	struct acl_object *o = object_of(c, load_relaxed(&((struct acl_block *)block)->owner));

	if (!o || o->kind != ACL_HANDLE_PHYS_MEM || load_relaxed(&physical_state(o)->parts))
		return false;
	while (*at < PHYSICAL_MAPPINGS) {
		uint64_t there = load_acquire(&physical_state(o)->mapped[(*at)++]);
		struct acl_block *b = there ? block_of(c, there) : NULL;

		if (!b || b == block)
			continue;
		*beside = block_found(b, (uint32_t)there);
		*shift = load_relaxed(&((struct acl_block *)block)->base) - beside->base;
		return true;
	}
	return false;
}

/* --- granularity ------------------------------------------------------------------------------------- */

static uint64_t key_of_prop(const aclrtPhysicalMemProp *p)
{
	return key_of_two(
		key_of_two((uint64_t)p->handleType << 32 | (uint32_t)p->allocationType, (uint64_t)p->memAttr),
		(uint64_t)p->location.type << 32 | p->location.id);
}

static void physical_granularity_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMemGetAllocationGranularity *a = call->args;

	if (succeeded(call) && a->prop && a->granularity && a->option == ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM)
		value_table_set(c, &physical(c)->granularity, key_of_prop(a->prop), *a->granularity);
}

uint64_t physical_granularity(struct checks *c, const aclrtPhysicalMemProp *p)
{
	uint64_t answered = value_table_value(&physical(c)->granularity, key_of_prop(p));

	if (answered)
		return answered;
	switch (p->memAttr) {
	case ACL_DDR_MEM_HUGE:
	case ACL_HBM_MEM_HUGE:
	case ACL_DDR_MEM_P2P_HUGE:
	case ACL_HBM_MEM_P2P_HUGE:
	case ACL_MEM_P2P_HUGE:
		return 2u << 20;
	case ACL_HBM_MEM_HUGE1G:
	case ACL_HBM_MEM_P2P_HUGE1G:
	case ACL_MEM_P2P_HUGE1G:
		return 1u << 30;
	default:
		return 0;
	}
}

static bool physical_create(struct checks *c)
{
	object_init(c, ACL_HANDLE_PHYS_MEM, sizeof(struct physical_state), 0, 0);
	return c->kinds[ACL_HANDLE_PHYS_MEM];
}

static void physical_forked(struct checks *c)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_PHYS_MEM, o) atomic_fetch_or(&o->flags, ACL_OBJECT_INHERITED);
}

static const struct check_hook hooks[] = {
	{ON_OP(INFO_PHYSICAL_GRANULARITY), ACL_LEAVE, physical_granularity_leave},
	{ON_OP(ALLOCATE_PHYSICAL), ACL_LEAVE, physical_allocate_leave},
	{ON_OP(RETAIN_PHYSICAL), ACL_LEAVE, physical_retain_leave},
	{ON_OP_WITH(IMPORT_PHYSICAL, DEVICE), ACL_LEAVE, physical_import_leave},
	{ON_OP_WITH(IMPORT_PHYSICAL, FLAGS), ACL_LEAVE, physical_import_v2_leave},
	{ON_OP(FREE_PHYSICAL), ACL_LEAVE, physical_free_leave},
	{ON_OP(EXPORT_PHYSICAL), ACL_LEAVE, physical_export_leave},
};

const struct check_module module_physical = {
	.order = 15,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct physical),
	.create = physical_create,
	.forked = physical_forked,
};
