/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual memory: reservations, what is mapped into them, references to
 * physical memory.
 */
#include "checks/legs.h"
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

struct mapping_state {
	struct pointer_map *mapped; /* live mappings */
	struct pairs physical; /* handle -> references + 1 */
	struct pairs exported; /* handle -> 1 */
	struct pairs closed_access; /* base of a mapping -> 1: mapped without access, none granted yet */
	_Atomic bool selected_links; /* mappings we do not follow exist */
	_Atomic bool any;
};

static struct mapping_state *mapping(struct checks *c)
{
	return c->topic[TOPIC_MAPPINGS];
}

static struct acl_finding *begin(
	struct checks *c, struct acl_event *ev, const struct acl_rule *rule, struct finding_buffer *room)
{
	return ev->carry[CARRY_FINDING] ? NULL : finding_begin(c, ev, rule, room);
}

static void say(struct checks *c, struct acl_event *ev, const struct acl_rule *rule, const void *address,
	const struct acl_block *reservation, const struct acl_block *other, const char *detail)
{
	struct finding_buffer room;
	struct acl_finding *f = begin(c, ev, rule, &room);

	if (!f)
		return;
	finding_detail(f, "%s", detail);
	finding_address(f, "address", address);
	if (reservation)
		finding_block(c, f, "reserved range", reservation);
	if (other)
		finding_block(c, f, "mapping", other);
	finding_show(c, f);
}

/* The live reservation that covers an address. */
static bool reservation_at(struct checks *c, const void *address, struct acl_place *place)
{
	return address && map_find(c->reserved, (uintptr_t)address, NULL, place);
}

/* A live mapping that touches [base, base + size). */
static struct acl_block *mapping_in(struct checks *c, uint64_t base, uint64_t size)
{
	struct acl_block *b;

	if (!map_live(mapping(c)->mapped))
		return NULL;
	map_each(mapping(c)->mapped,
		b) if (ld(&b->base) < base + size && base < ld(&b->base) + ld(&b->size)) return b;
	return NULL;
}

/* --- mapping --------------------------------------------------------------------------- */

static void check_physical(struct checks *c, struct acl_event *ev, const void *handle)
{
	struct finding_buffer room;
	struct acl_finding *f;
	uint64_t references;

	if (!handle || !pairs_get(&mapping(c)->physical, (uintptr_t)handle, &references) ||
		!rule_broken(ev, RULE("vmm-handle-misuse"), references == 1))
		return;
	f = begin(c, ev, RULE("vmm-handle-misuse"), &room);
	if (!f)
		return;
	finding_detail(f, "The last reference to this physical memory was released before.");
	finding_address(f, "handle", handle);
	finding_show(c, f);
}

static void map_enter(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMapMem *a = ev->args; /* aclrtMemMapNoAccess has the same arguments */
	struct acl_block *other;
	struct acl_place place;

	check_physical(c, ev, a->handle);
	if (!a->virPtr || !a->size)
		return;
	rule_asked(ev, RULE("vmm-map-overlap"));
	rule_asked(ev, RULE("vmm-map-outside-reservation"));
	if (reservation_at(c, a->virPtr, &place)) {
		if ((uintptr_t)a->virPtr - place.base + a->size > place.size)
			say(c, ev, RULE("vmm-map-outside-reservation"), a->virPtr, place.block, NULL,
				"The mapping would leave the reserved range.");
	} else if (map_find(c->memory, (uintptr_t)a->virPtr, NULL, &place) && place.kind != MEM_MAPPED) {
		/* What no table knows may be reserved below us. */
		say(c, ev, RULE("vmm-map-outside-reservation"), a->virPtr, NULL, NULL,
			"The address lies in ordinary memory, not in a reserved range.");
	}
	other = mapping_in(c, (uintptr_t)a->virPtr, a->size);
	if (other)
		say(c, ev, RULE("vmm-map-overlap"), a->virPtr, NULL, other,
			"Part of the range is mapped already.");
}

static void map_leave(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMapMem *a = ev->args;

	if (!succeeded(ev) || !a->virPtr || !a->size)
		return;
	map_insert(c, mapping(c)->mapped, ev, (uintptr_t)a->virPtr, a->size, MEM_RESERVED, -1);
	pairs_set(&mapping(c)->closed_access, (uintptr_t)a->virPtr, ev->api == ACL_API_aclrtMemMapNoAccess);
	st(&mapping(c)->any, true);
}

static void link_leave(struct checks *c, struct acl_event *ev)
{
	if (succeeded(ev))
		st(&mapping(c)->selected_links, true);
}

static void access_leave(struct checks *c, struct acl_event *ev)
{
	const void *base = ACL_ARGS(ev, aclrtMemSetAccess)->virPtr;

	if (succeeded(ev) && base)
		pairs_set(&mapping(c)->closed_access, (uintptr_t)base, 0);
}

static void unmap_enter(struct checks *c, struct acl_event *ev)
{
	const void *address = ACL_ARGS(ev, aclrtUnmapMem)->virPtr;
	struct acl_place place, range;

	if (!address || ld(&mapping(c)->selected_links))
		return;
	if (map_find(mapping(c)->mapped, (uintptr_t)address, NULL, &place)) {
		rule_asked(ev, RULE("vmm-unmap-not-mapped"));
		if (place.base != (uintptr_t)address)
			say(c, ev, RULE("vmm-unmap-not-mapped"), address, NULL, place.block,
				"The address lies inside a mapping, it is not its beginning.");
		return;
	}
	if (rule_broken(ev, RULE("vmm-unmap-not-mapped"), reservation_at(c, address, &range)))
		say(c, ev, RULE("vmm-unmap-not-mapped"), address, range.block, NULL,
			"Nothing is mapped at this address.");
}

static void unmap_leave(struct checks *c, struct acl_event *ev)
{
	const void *address = ACL_ARGS(ev, aclrtUnmapMem)->virPtr;
	struct acl_place place;

	if (succeeded(ev) && address && map_find(mapping(c)->mapped, (uintptr_t)address, NULL, &place) &&
		place.base == (uintptr_t)address)
		map_erase(mapping(c)->mapped, place.block, place.generation);
}

static void release_enter(struct checks *c, struct acl_event *ev)
{
	const void *address = ACL_ARGS(ev, aclrtReleaseMemAddress)->virPtr;
	struct acl_block *other;
	struct acl_place place;

	if (!reservation_at(c, address, &place) || place.base != (uintptr_t)address)
		return;
	other = mapping_in(c, place.base, place.size);
	if (rule_broken(ev, RULE("vmm-release-while-mapped"), other))
		say(c, ev, RULE("vmm-release-while-mapped"), address, place.block, other,
			"Memory is still mapped into the range; aclrtUnmapMem comes first.");
}

/* --- physical memory -------------------------------------------------------------------- */

static void referenced(struct checks *c, const struct acl_event *ev, void *const *out)
{
	uint64_t now = 0;

	if (!succeeded(ev) || !out || !*out)
		return;
	pairs_get(&mapping(c)->physical, (uintptr_t)*out, &now);
	pairs_set(&mapping(c)->physical, (uintptr_t)*out, now ? now + 1 : 2);
}

static void physical_made(struct checks *c, struct acl_event *ev)
{
	void *const *out = (void *const *)ACL_ARGS(ev, aclrtMallocPhysical)->handle;

	/* A new allocation: what the value meant before is gone. */
	if (succeeded(ev) && out && *out) {
		pairs_set(&mapping(c)->physical, (uintptr_t)*out, 2);
		pairs_set(&mapping(c)->exported, (uintptr_t)*out, 0);
	}
}

static void physical_retained(struct checks *c, struct acl_event *ev)
{
	referenced(c, ev, (void *const *)ACL_ARGS(ev, aclrtMemRetainAllocationHandle)->handle);
}

static void physical_imported(struct checks *c, struct acl_event *ev)
{
	referenced(c, ev, (void *const *)ACL_ARGS(ev, aclrtMemImportFromShareableHandle)->handle);
}

static void physical_imported_v2(struct checks *c, struct acl_event *ev)
{
	referenced(c, ev, (void *const *)ACL_ARGS(ev, aclrtMemImportFromShareableHandleV2)->handle);
}

/* All of these begin with the handle. */
static void physical_used(struct checks *c, struct acl_event *ev)
{
	check_physical(c, ev, ACL_ARGS(ev, aclrtFreePhysical)->handle);
}

static void physical_freed(struct checks *c, struct acl_event *ev)
{
	uint64_t handle = (uintptr_t)ACL_ARGS(ev, aclrtFreePhysical)->handle, now = 0;

	if (succeeded(ev) && handle && pairs_get(&mapping(c)->physical, handle, &now) && now > 1)
		pairs_set(&mapping(c)->physical, handle, now - 1);
}

static void exporting(struct checks *c, struct acl_event *ev)
{
	const void *handle = ACL_ARGS(ev, aclrtMemExportToShareableHandle)->handle;
	struct finding_buffer room;
	struct acl_finding *f;
	uint64_t now = 0;

	check_physical(c, ev, handle);
	if (!handle)
		return;
	pairs_get(&mapping(c)->exported, (uintptr_t)handle, &now);
	if (!rule_broken(ev, RULE("vmm-export-twice"), now))
		return;
	f = begin(c, ev, RULE("vmm-export-twice"), &room);
	if (!f)
		return;
	finding_detail(f, "This process has exported the handle already.");
	finding_address(f, "handle", handle);
	finding_show(c, f);
}

static void exported(struct checks *c, struct acl_event *ev)
{
	if (succeeded(ev) && ACL_ARGS(ev, aclrtMemExportToShareableHandle)->handle)
		pairs_set(&mapping(c)->exported,
			(uintptr_t)ACL_ARGS(ev, aclrtMemExportToShareableHandle)->handle, 1);
}

/* --- use -------------------------------------------------------------------------------- */

static void check_use(struct checks *c, struct acl_event *ev, const void *address)
{
	struct acl_place range, place;
	uint64_t closed = 0;

	if (!reservation_at(c, address, &range))
		return;
	rule_asked(ev, RULE("vmm-use-unmapped"));
	rule_asked(ev, RULE("vmm-noaccess-used"));
	if (!map_find(mapping(c)->mapped, (uintptr_t)address, NULL, &place)) {
		if (!ld(&mapping(c)->selected_links))
			say(c, ev, RULE("vmm-use-unmapped"), address, range.block, NULL,
				"No memory is mapped at this address of the reserved range.");
		return;
	}
	if (pairs_get(&mapping(c)->closed_access, place.base, &closed) && closed)
		say(c, ev, RULE("vmm-noaccess-used"), address, range.block, place.block,
			"The memory was mapped without access, and aclrtMemSetAccess was not called for it.");
}

static void copying(struct checks *c, struct acl_event *ev)
{
	uint64_t n;

	/* Programs without virtual memory pay nothing more. */
	if (__builtin_expect(!ld(&mapping(c)->any), 1))
		return;
	n = legs_count(ev);
	for (uint64_t i = 0; i < n && !ev->carry[CARRY_FINDING]; i++) {
		struct copy_leg leg = legs_at(ev, i);

		check_use(c, ev, leg.src);
		check_use(c, ev, leg.dst);
	}
}

static void setting(struct checks *c, struct acl_event *ev)
{
	if (__builtin_expect(ld(&mapping(c)->any), 0) && ACL_ARGS(ev, aclrtMemset)->count)
		check_use(c, ev, ACL_ARGS(ev, aclrtMemset)->devPtr);
}

static bool mapping_create(struct checks *c)
{
	c->topic[TOPIC_MAPPINGS] = checks_alloc(c, sizeof(struct mapping_state));
	if (!c->topic[TOPIC_MAPPINGS])
		return false;
	mapping(c)->mapped = map_create(c);
	return mapping(c)->mapped != NULL;
}

static void mapping_forked(struct checks *c)
{
	map_forked(mapping(c)->mapped);
	st(&mapping(c)->physical.lock.held, 0);
	st(&mapping(c)->exported.lock.held, 0);
	st(&mapping(c)->closed_access.lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtMapMem, ACL_ENTER, map_enter},
	{ACL_API_aclrtMapMem, ACL_LEAVE, map_leave},
	{ACL_API_aclrtMemMapNoAccess, ACL_ENTER, map_enter},
	{ACL_API_aclrtMemMapNoAccess, ACL_LEAVE, map_leave},
	{ACL_API_aclrtMemMapSelectedLink, ACL_LEAVE, link_leave},
	{ACL_API_aclrtMemSetAccess, ACL_LEAVE, access_leave},
	{ACL_API_aclrtUnmapMem, ACL_ENTER, unmap_enter},
	{ACL_API_aclrtUnmapMem, ACL_LEAVE, unmap_leave},
	{ACL_API_aclrtReleaseMemAddress, ACL_ENTER, release_enter},
	{ACL_API_aclrtMallocPhysical, ACL_LEAVE, physical_made},
	{ACL_API_aclrtMemRetainAllocationHandle, ACL_LEAVE, physical_retained},
	{ACL_API_aclrtMemImportFromShareableHandle, ACL_LEAVE, physical_imported},
	{ACL_API_aclrtMemImportFromShareableHandleV2, ACL_LEAVE, physical_imported_v2},
	{ACL_API_aclrtFreePhysical, ACL_ENTER, physical_used},
	{ACL_API_aclrtFreePhysical, ACL_LEAVE, physical_freed},
	{ACL_API_aclrtMemGetAllocationPropertiesFromHandle, ACL_ENTER, physical_used},
	{ACL_API_aclrtMemExportToShareableHandle, ACL_ENTER, exporting},
	{ACL_API_aclrtMemExportToShareableHandle, ACL_LEAVE, exported},
	{ACL_API_aclrtMemExportToShareableHandleV2, ACL_ENTER, exporting},
	{ACL_API_aclrtMemExportToShareableHandleV2, ACL_LEAVE, exported},
	{ACL_API_aclrtMemcpy, ACL_ENTER, copying},
	{ACL_API_aclrtMemcpyAsync, ACL_ENTER, copying},
	{ACL_API_aclrtMemcpy2d, ACL_ENTER, copying},
	{ACL_API_aclrtMemcpy2dAsync, ACL_ENTER, copying},
	{ACL_API_aclrtMemset, ACL_ENTER, setting},
	{ACL_API_aclrtMemsetAsync, ACL_ENTER, setting},
};

const struct acl_topic topic_mapping = {
	.name = "mappings",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = mapping_create,
	.forked = mapping_forked,
};
