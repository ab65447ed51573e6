/* SPDX-License-Identifier: Apache-2.0 */
/* Physical memory: used when it is gone, exported twice, of a size that wastes some. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/state/physical_state.h"

/* --- references ------------------------------------------------------------------------ */

static void check_alive_for(
	struct checks *c, struct acl_call_record *call, const struct acl_rule *rule, const void *handle)
{
	struct acl_object *o = handle ? object_find(c, ACL_HANDLE_PHYS_MEM, handle) : NULL;

	if (o)
		FINDING_OF(c, call, rule, !object_usable(o),
			PARTS(part_address("handle", handle), part_object("physical memory", o)),
			"The last reference to this physical memory was released before.");
}

static void check_alive(struct checks *c, struct acl_call_record *call, const void *handle)
{
	check_alive_for(c, call, RULE("vmm-handle-misuse"), handle);
}

/* All of these begin with the handle. */
static void used(struct checks *c, struct acl_call_record *call)
{
	check_alive(c, call, ACL_ARGS(call, aclrtFreePhysical)->handle);
}

/* Only that is wrong with the wish: its own rule speaks about both of its arguments. */
static void link_wished(struct checks *c, struct acl_call_record *call)
{
	check_alive_for(c, call, RULE("mem-link-advice-invalid"),
		acl_arg_pointer(call->api, call->args, ACL_ROLE_PHYSICAL));
}

static void physical_map_enter(struct checks *c, struct acl_call_record *call)
{
	/* aclrtMemMapNoAccess has the same arguments. */
	check_alive(c, call, ACL_ARGS(call, aclrtMapMem)->handle);
}

/* --- exports ------------------------------------------------------------------------------ */

/* Over the fabric, memory of the host is shared as well: that is what large caches are made of. */
static bool over_fabric(const struct acl_call_record *call)
{
	return acl_arg_value(call->api, call->args, ACL_ROLE_SHARE_TYPE) == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC;
}

static void physical_export_enter(struct checks *c, struct acl_call_record *call)
{
	const void *handle = ACL_ARGS(call, aclrtMemExportToShareableHandle)->handle;
	struct acl_object *o = handle ? object_live(c, ACL_HANDLE_PHYS_MEM, handle) : NULL;

	check_alive(c, call, handle);
	if (o)
		FINDING(c, call, "vmm-export-args",
			load_relaxed(&physical_state(o)->host) && !over_fabric(call),
			PARTS(part_address("handle", handle), part_object("physical memory", o)),
			"It is memory of the host; only the fabric shares it, other handles are for memory "
			"of a device.");
	if (o)
		FINDING(c, call, "vmm-export-twice", load_relaxed(&physical_state(o)->exported),
			PARTS(part_address("handle", handle), part_object("physical memory", o)),
			"This process has exported the handle already.");
}

/* --- granularity ---------------------------------------------------------------------------- */

static void making(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMallocPhysical *a = call->args;
	aclrtPhysicalMemProp prop;
	uint64_t granularity =
		a->size && program_read(c, a->prop, &prop, sizeof(prop)) ? physical_granularity(c, &prop) : 0;
	char text[24];

	if (granularity)
		FINDING(c, call, "vmm-physical-granularity", a->size % granularity,
			PARTS(part_bytes("size", a->size), part_bytes("granularity", granularity)),
			"Physical memory of this kind comes in pieces of %s; the last one stays %llu bytes "
			"full.",
			human_bytes(granularity, text), (unsigned long long)(a->size % granularity));
}

static const struct check_hook hooks[] = {
	{ON_OP(ALLOCATE_PHYSICAL), ACL_ENTER, making},
	{ON_OP(MAP_MEMORY), ACL_ENTER, physical_map_enter},
	{ON_OP(FREE_PHYSICAL), ACL_ENTER, used},
	{ON_OP(INFO_PHYSICAL_PROPERTIES), ACL_ENTER, used},
	{ON_OP(EXPORT_PHYSICAL), ACL_ENTER, physical_export_enter},
	{ON_OP(CONFIGURE_MEMORY_LINK), ACL_ENTER, link_wished},
};

const struct check_module module_physical_use = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
