/* SPDX-License-Identifier: Apache-2.0 */
/* Physical memory: its references, where it lies, whether it was exported, how large it should be. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/state/physical_state.h"

struct physical_topic {
	struct value_table granularity; /* key of properties -> smallest granularity the runtime told */
};

static struct physical_topic *physical(struct checks *c)
{
	return module_state(c, physical);
}

/* --- references ------------------------------------------------------------------------ */

static void made(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMallocPhysical *a = call->args;
	struct acl_object *o;

	if (!succeeded(call) || !a->handle || !*a->handle)
		return;
	o = object_create(c, call, ACL_HANDLE_PHYS_MEM, *a->handle, 0);
	if (!o)
		return;
	store_relaxed(&physical_state(o)->references, 1);
	if (a->prop && a->prop->location.type == ACL_MEM_LOCATION_TYPE_DEVICE)
		store_relaxed(&o->device, (int32_t)a->prop->location.id);
}

/* One more reference to what is known, or the first one we see. */
static void referenced(
	struct checks *c, const struct acl_call_record *call, const aclrtDrvMemHandle *out, bool import)
{
	struct acl_object *o;

	if (!succeeded(call) || !out || !*out)
		return;
	o = object_live(c, ACL_HANDLE_PHYS_MEM, *out);
	if (!o)
		o = object_create(c, call, ACL_HANDLE_PHYS_MEM, *out, import ? 0 : ACL_OBJECT_LEARNED);
	if (!o)
		return;
	counter_inc(&physical_state(o)->references);
	if (import)
		store_relaxed(&physical_state(o)->imported, true);
}

static void retained(struct checks *c, struct acl_call_record *call)
{
	referenced(c, call, ACL_ARGS(call, aclrtMemRetainAllocationHandle)->handle, false);
}

static void imported(struct checks *c, struct acl_call_record *call)
{
	referenced(c, call, ACL_ARGS(call, aclrtMemImportFromShareableHandle)->handle, true);
}

static void imported_v2(struct checks *c, struct acl_call_record *call)
{
	referenced(c, call, ACL_ARGS(call, aclrtMemImportFromShareableHandleV2)->handle, true);
}

static void check_alive(struct checks *c, struct acl_call_record *call, const void *handle)
{
	struct acl_object *o = handle ? object_find(c, ACL_HANDLE_PHYS_MEM, handle) : NULL;

	if (o)
		FINDING(c, call, "vmm-handle-misuse", !object_usable(o),
			PARTS(part_address("handle", handle), part_object("physical memory", o)),
			"The last reference to this physical memory was released before.");
}

/* All of these begin with the handle. */
static void used(struct checks *c, struct acl_call_record *call)
{
	check_alive(c, call, ACL_ARGS(call, aclrtFreePhysical)->handle);
}

static void mapping(struct checks *c, struct acl_call_record *call)
{
	/* aclrtMemMapNoAccess has the same arguments. */
	check_alive(c, call, ACL_ARGS(call, aclrtMapMem)->handle);
}

static void freed(struct checks *c, struct acl_call_record *call)
{
	const void *handle = ACL_ARGS(call, aclrtFreePhysical)->handle;
	struct acl_object *o = handle ? object_live(c, ACL_HANDLE_PHYS_MEM, handle) : NULL;

	if (o && succeeded(call) && counter_dec(&physical_state(o)->references) == 1)
		object_destroyed(c, o, call, 0);
}

/* --- exports ------------------------------------------------------------------------------ */

static void exporting(struct checks *c, struct acl_call_record *call)
{
	const void *handle = ACL_ARGS(call, aclrtMemExportToShareableHandle)->handle;
	struct acl_object *o = handle ? object_live(c, ACL_HANDLE_PHYS_MEM, handle) : NULL;

	check_alive(c, call, handle);
	if (o)
		FINDING(c, call, "vmm-export-twice", load_relaxed(&physical_state(o)->exported),
			PARTS(part_address("handle", handle), part_object("physical memory", o)),
			"This process has exported the handle already.");
}

static void exported(struct checks *c, struct acl_call_record *call)
{
	const void *handle = ACL_ARGS(call, aclrtMemExportToShareableHandle)->handle;
	struct acl_object *o = handle ? object_live(c, ACL_HANDLE_PHYS_MEM, handle) : NULL;

	if (o && succeeded(call))
		store_relaxed(&physical_state(o)->exported, true);
}

/* --- granularity ---------------------------------------------------------------------------- */

static uint64_t key_of_prop(const aclrtPhysicalMemProp *p)
{
	return key_of_two(
		key_of_two((uint64_t)p->handleType << 32 | (uint32_t)p->allocationType, (uint64_t)p->memAttr),
		(uint64_t)p->location.type << 32 | p->location.id);
}

static void granularity_told(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMemGetAllocationGranularity *a = call->args;

	if (succeeded(call) && a->prop && a->granularity && a->option == ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM)
		value_table_set(c, &physical(c)->granularity, key_of_prop(a->prop), *a->granularity);
}

/* What the runtime told for these properties, else what their pages are; 0 = unknown. */
static uint64_t granularity_of(struct checks *c, const aclrtPhysicalMemProp *p)
{
	uint64_t told = value_table_value(&physical(c)->granularity, key_of_prop(p));

	if (told)
		return told;
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

static void making(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMallocPhysical *a = call->args;
	aclrtPhysicalMemProp prop;
	uint64_t granularity =
		a->size && program_read(c, a->prop, &prop, sizeof(prop)) ? granularity_of(c, &prop) : 0;
	char text[24];

	if (granularity)
		FINDING(c, call, "vmm-physical-granularity", a->size % granularity,
			PARTS(part_bytes("size", a->size), part_bytes("granularity", granularity)),
			"Physical memory of this kind comes in pieces of %s; the last one stays %llu bytes "
			"full.",
			human_bytes(granularity, text), (unsigned long long)(a->size % granularity));
}

static bool physical_create(struct checks *c)
{
	object_init(c, ACL_HANDLE_PHYS_MEM, sizeof(struct physical_state), 0);
	return c->kinds[ACL_HANDLE_PHYS_MEM];
}

static void physical_forked(struct checks *c)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_PHYS_MEM, o) atomic_fetch_or(&o->flags, ACL_OBJECT_INHERITED);
}

static const struct check_hook hooks[] = {
	{ON_OP(INFO_PHYSICAL_GRANULARITY), ACL_LEAVE, granularity_told},
	{ON_OP(ALLOCATE_PHYSICAL), ACL_ENTER, making},
	{ON_OP(ALLOCATE_PHYSICAL), ACL_LEAVE, made},
	{ON_OP(RETAIN_PHYSICAL), ACL_LEAVE, retained},
	{ON_OP_WITH(IMPORT_PHYSICAL, DEVICE), ACL_LEAVE, imported},
	{ON_OP_WITH(IMPORT_PHYSICAL, FLAGS), ACL_LEAVE, imported_v2},
	{ON_OP(MAP_MEMORY), ACL_ENTER, mapping},
	{ON_OP(FREE_PHYSICAL), ACL_ENTER, used},
	{ON_OP(INFO_PHYSICAL_PROPERTIES), ACL_ENTER, used},
	{ON_OP(FREE_PHYSICAL), ACL_LEAVE, freed},
	{ON_OP(EXPORT_PHYSICAL), ACL_ENTER, exporting},
	{ON_OP(EXPORT_PHYSICAL), ACL_LEAVE, exported},
};

const struct check_module module_physical = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct physical_topic),
	.create = physical_create,
	.forked = physical_forked,
};
