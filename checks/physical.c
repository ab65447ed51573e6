/* SPDX-License-Identifier: Apache-2.0 */
/* Physical memory: its references, where it lies, whether it was exported, how large it should be. */
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

struct physical_topic {
	struct pairs granularity; /* key of properties -> smallest granularity the runtime told */
};

static struct physical_topic *physical(struct checks *c)
{
	return c->topic[TOPIC_PHYSICAL];
}

/* --- references ------------------------------------------------------------------------ */

static void made(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMallocPhysical *a = ev->args;
	struct acl_object *o;

	if (!succeeded(ev) || !a->handle || !*a->handle)
		return;
	o = object_create(c, ev, ACL_HANDLE_PHYS_MEM, *a->handle, 0);
	if (!o)
		return;
	st(&physical_state(o)->references, 1);
	if (a->prop && a->prop->location.type == ACL_MEM_LOCATION_TYPE_DEVICE)
		st(&o->device, (int32_t)a->prop->location.id);
}

/* One more reference to what is known, or the first one we see. */
static void referenced(
	struct checks *c, const struct acl_event *ev, const aclrtDrvMemHandle *out, bool import)
{
	struct acl_object *o;

	if (!succeeded(ev) || !out || !*out)
		return;
	o = object_live(c, ACL_HANDLE_PHYS_MEM, *out);
	if (!o)
		o = object_create(c, ev, ACL_HANDLE_PHYS_MEM, *out, import ? 0 : ACL_OBJECT_LEARNED);
	if (!o)
		return;
	bump(&physical_state(o)->references);
	if (import)
		st(&physical_state(o)->imported, true);
}

static void retained(struct checks *c, struct acl_event *ev)
{
	referenced(c, ev, ACL_ARGS(ev, aclrtMemRetainAllocationHandle)->handle, false);
}

static void imported(struct checks *c, struct acl_event *ev)
{
	referenced(c, ev, ACL_ARGS(ev, aclrtMemImportFromShareableHandle)->handle, true);
}

static void imported_v2(struct checks *c, struct acl_event *ev)
{
	referenced(c, ev, ACL_ARGS(ev, aclrtMemImportFromShareableHandleV2)->handle, true);
}

static void check_alive(struct checks *c, struct acl_event *ev, const void *handle)
{
	struct acl_object *o = handle ? object_find(c, ACL_HANDLE_PHYS_MEM, handle) : NULL;
	struct finding_buffer room;
	struct acl_finding *f;

	if (!o || !rule_broken(ev, RULE("vmm-handle-misuse"), !object_usable(o)))
		return;
	f = finding_first(c, ev, RULE("vmm-handle-misuse"), &room);
	if (!f)
		return;
	finding_detail(f, "The last reference to this physical memory was released before.");
	finding_address(f, "handle", handle);
	finding_object(c, f, "physical memory", o);
	finding_show(c, f);
}

/* All of these begin with the handle. */
static void used(struct checks *c, struct acl_event *ev)
{
	check_alive(c, ev, ACL_ARGS(ev, aclrtFreePhysical)->handle);
}

static void mapping(struct checks *c, struct acl_event *ev)
{
	/* aclrtMemMapNoAccess has the same arguments. */
	check_alive(c, ev, ACL_ARGS(ev, aclrtMapMem)->handle);
}

static void freed(struct checks *c, struct acl_event *ev)
{
	const void *handle = ACL_ARGS(ev, aclrtFreePhysical)->handle;
	struct acl_object *o = handle ? object_live(c, ACL_HANDLE_PHYS_MEM, handle) : NULL;

	if (o && succeeded(ev) && drop(&physical_state(o)->references) == 1)
		object_dead(c, o, ev, 0);
}

/* --- exports ------------------------------------------------------------------------------ */

static void exporting(struct checks *c, struct acl_event *ev)
{
	const void *handle = ACL_ARGS(ev, aclrtMemExportToShareableHandle)->handle;
	struct acl_object *o = handle ? object_live(c, ACL_HANDLE_PHYS_MEM, handle) : NULL;
	struct finding_buffer room;
	struct acl_finding *f;

	check_alive(c, ev, handle);
	if (!o || !rule_broken(ev, RULE("vmm-export-twice"), ld(&physical_state(o)->exported)))
		return;
	f = finding_first(c, ev, RULE("vmm-export-twice"), &room);
	if (!f)
		return;
	finding_detail(f, "This process has exported the handle already.");
	finding_address(f, "handle", handle);
	finding_object(c, f, "physical memory", o);
	finding_show(c, f);
}

static void exported(struct checks *c, struct acl_event *ev)
{
	const void *handle = ACL_ARGS(ev, aclrtMemExportToShareableHandle)->handle;
	struct acl_object *o = handle ? object_live(c, ACL_HANDLE_PHYS_MEM, handle) : NULL;

	if (o && succeeded(ev))
		st(&physical_state(o)->exported, true);
}

/* --- granularity ---------------------------------------------------------------------------- */

static uint64_t key_of_prop(const aclrtPhysicalMemProp *p)
{
	return key_of_two(
		key_of_two((uint64_t)p->handleType << 32 | (uint32_t)p->allocationType, (uint64_t)p->memAttr),
		(uint64_t)p->location.type << 32 | p->location.id);
}

static void granularity_told(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemGetAllocationGranularity *a = ev->args;

	if (succeeded(ev) && a->prop && a->granularity && a->option == ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM)
		pairs_set(&physical(c)->granularity, key_of_prop(a->prop), *a->granularity);
}

/* What the runtime told for these properties, else what their pages are; 0 = unknown. */
static uint64_t granularity_of(struct checks *c, const aclrtPhysicalMemProp *p)
{
	uint64_t told = pairs_value(&physical(c)->granularity, key_of_prop(p));

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

static void making(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMallocPhysical *a = ev->args;
	uint64_t granularity = a->prop && a->size ? granularity_of(c, a->prop) : 0;
	struct finding_buffer room;
	struct acl_finding *f;
	char text[24];

	if (!granularity || !rule_broken(ev, RULE("vmm-physical-granularity"), a->size % granularity))
		return;
	f = finding_first(c, ev, RULE("vmm-physical-granularity"), &room);
	if (!f)
		return;
	finding_detail(f,
		"Physical memory of this kind comes in pieces of %s; the last one stays %llu bytes full.",
		human_bytes(granularity, text), (unsigned long long)(a->size % granularity));
	finding_bytes(f, "size", a->size);
	finding_bytes(f, "granularity", granularity);
	finding_show(c, f);
}

static bool physical_create(struct checks *c)
{
	c->topic[TOPIC_PHYSICAL] = checks_alloc(c, sizeof(struct physical_topic));
	object_init(c, ACL_HANDLE_PHYS_MEM, sizeof(struct physical_state));
	return c->topic[TOPIC_PHYSICAL] && c->kinds[ACL_HANDLE_PHYS_MEM];
}

static void physical_forked(struct checks *c)
{
	struct acl_object *o;

	st(&physical(c)->granularity.lock.held, 0);
	object_each(c, ACL_HANDLE_PHYS_MEM, o) atomic_fetch_or(&o->flags, ACL_OBJECT_INHERITED);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtMemGetAllocationGranularity, ACL_LEAVE, granularity_told},
	{ACL_API_aclrtMallocPhysical, ACL_ENTER, making},
	{ACL_API_aclrtMallocPhysical, ACL_LEAVE, made},
	{ACL_API_aclrtMemRetainAllocationHandle, ACL_LEAVE, retained},
	{ACL_API_aclrtMemImportFromShareableHandle, ACL_LEAVE, imported},
	{ACL_API_aclrtMemImportFromShareableHandleV2, ACL_LEAVE, imported_v2},
	{ACL_API_aclrtMapMem, ACL_ENTER, mapping},
	{ACL_API_aclrtMemMapNoAccess, ACL_ENTER, mapping},
	{ACL_API_aclrtFreePhysical, ACL_ENTER, used},
	{ACL_API_aclrtFreePhysical, ACL_LEAVE, freed},
	{ACL_API_aclrtMemGetAllocationPropertiesFromHandle, ACL_ENTER, used},
	{ACL_API_aclrtMemExportToShareableHandle, ACL_ENTER, exporting},
	{ACL_API_aclrtMemExportToShareableHandle, ACL_LEAVE, exported},
	{ACL_API_aclrtMemExportToShareableHandleV2, ACL_ENTER, exporting},
	{ACL_API_aclrtMemExportToShareableHandleV2, ACL_LEAVE, exported},
};

const struct acl_topic topic_physical = {
	.name = "physical memory",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = physical_create,
	.forked = physical_forked,
};
