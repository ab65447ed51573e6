/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory: reservations, what is mapped into them, and its use. */
#include "checks/legs.h"
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

struct mapping_state {
	struct pointer_map *mapped; /* live mappings */
	struct pairs closed_access; /* base of a mapping -> 1: mapped without access, none granted yet */
	_Atomic bool selected_links; /* mappings we do not follow exist */
	_Atomic bool any;
};

static struct mapping_state *mapping(struct checks *c)
{
	return c->topic[TOPIC_MAPPINGS];
}

static void say(struct checks *c, struct acl_event *ev, const struct acl_rule *rule, const void *address,
	const struct acl_block *reservation, const struct acl_block *other, const char *detail)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_first(c, ev, rule, &room);

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
	return address && map_find(c->reserved, (uintptr_t)address, place);
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

/* Own and imported memory, or memory of two devices, in one reserved range. */
static void check_company(
	struct checks *c, struct acl_event *ev, const void *handle, const struct acl_place *range)
{
	struct acl_object *o = handle ? object_live(c, ACL_HANDLE_PHYS_MEM, handle) : NULL, *other;
	bool mixed = false, far = false;
	struct acl_block *b, *found = NULL;

	if (!o || ld(&o->flags) & ACL_OBJECT_LEARNED)
		return;
	rule_asked(ev, RULE("vmm-map-mixed-handles"));
	rule_asked(ev, RULE("vmm-map-two-devices"));
	map_each(mapping(c)->mapped, b)
	{
		other = ld(&b->base) - range->base < range->size ? object_of(c, ld(&b->owner)) : NULL;
		if (!other || other->kind != ACL_HANDLE_PHYS_MEM || ld(&other->flags) & ACL_OBJECT_LEARNED)
			continue;
		mixed = mixed || ld(&physical_state(other)->imported) != ld(&physical_state(o)->imported);
		far = far || (ld(&o->device) >= 0 && ld(&other->device) >= 0 &&
				     ld(&o->device) != ld(&other->device));
		if (!found && (mixed || far))
			found = b;
	}
	if (mixed)
		say(c, ev, RULE("vmm-map-mixed-handles"), ACL_ARGS(ev, aclrtMapMem)->virPtr, range->block,
			found, "The range holds memory of this process and imported memory.");
	else if (far)
		say(c, ev, RULE("vmm-map-two-devices"), ACL_ARGS(ev, aclrtMapMem)->virPtr, range->block,
			found, "The range holds memory of another device already.");
}

static void map_enter(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMapMem *a = ev->args; /* aclrtMemMapNoAccess has the same arguments */
	struct acl_block *other;
	struct acl_place place;

	if (!a->virPtr || !a->size)
		return;
	rule_asked(ev, RULE("vmm-map-overlap"));
	rule_asked(ev, RULE("vmm-map-outside-reservation"));
	if (reservation_at(c, a->virPtr, &place)) {
		if ((uintptr_t)a->virPtr - place.base + a->size > place.size)
			say(c, ev, RULE("vmm-map-outside-reservation"), a->virPtr, place.block, NULL,
				"The mapping would leave the reserved range.");
		check_company(c, ev, a->handle, &place);
	} else if (map_find(c->memory, (uintptr_t)a->virPtr, &place) && place.kind != MEM_MAPPED) {
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
	struct acl_object *o = object_find(c, ACL_HANDLE_PHYS_MEM, a->handle);
	struct acl_block *b;

	if (!succeeded(ev) || !a->virPtr || !a->size)
		return;
	b = map_insert(c, mapping(c)->mapped, ev, (uintptr_t)a->virPtr, a->size, MEM_MAPPED, -1);
	if (b && o)
		st(&b->owner, object_ref(o));
	pairs_set(&mapping(c)->closed_access, (uintptr_t)a->virPtr, ev->api == ACL_API_aclrtMemMapNoAccess);
	st(&mapping(c)->any, true);
	checks_unusual(c);
}

/* Both addresses begin ranges of that very size, and the source has memory. */
static void link_enter(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemMapSelectedLink *a = ev->args;
	struct acl_place dst, src;
	const char *wrong = NULL;
	bool known;

	if (!a->size || ev->carry[CARRY_FINDING])
		return;
	known = reservation_at(c, a->virPtrDst, &dst);
	if (known && (dst.base != (uintptr_t)a->virPtrDst || dst.size != a->size))
		wrong = "virPtrDst and size are not those of a reserved range.";
	if (reservation_at(c, a->virPtrSrc, &src)) {
		known = true;
		if (src.base != (uintptr_t)a->virPtrSrc || src.size != a->size)
			wrong = "virPtrSrc and size are not those of a reserved range.";
		else if (!ld(&mapping(c)->selected_links) && !mapping_in(c, src.base, src.size))
			wrong = "Nothing is mapped at virPtrSrc.";
	}
	if (known && wrong)
		say(c, ev, RULE("vmm-selected-link-args"), a->virPtrDst, NULL, NULL, wrong);
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
	if (map_find(mapping(c)->mapped, (uintptr_t)address, &place)) {
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

	if (succeeded(ev) && address && map_find(mapping(c)->mapped, (uintptr_t)address, &place) &&
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

/* --- use -------------------------------------------------------------------------------- */

static void check_use(struct checks *c, struct acl_event *ev, const void *address)
{
	struct acl_place range, place;
	uint64_t closed = 0;

	if (!reservation_at(c, address, &range))
		return;
	rule_asked(ev, RULE("vmm-use-unmapped"));
	rule_asked(ev, RULE("vmm-noaccess-used"));
	if (!map_find(mapping(c)->mapped, (uintptr_t)address, &place)) {
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

/* Device of a side of a copy, -1 = unknown or none; *virtual: it is mapped memory. */
static int device_of(struct checks *c, const void *address, bool *virtual)
{
	struct acl_object *o;
	struct acl_place place;

	if (!address || !map_find(c->memory, (uintptr_t)address, &place))
		return -1;
	if (place.kind != MEM_MAPPED)
		return place.kind == MEM_DEVICE || place.kind == MEM_POOL ? ld(&place.block->device) : -1;
	*virtual = true;
	o = object_of(c, ld(&place.block->owner));
	return o && o->kind == ACL_HANDLE_PHYS_MEM ? ld(&o->device) : -1;
}

/* Every copy but aclrtMemcpyAsync. */
static void crossing(struct checks *c, struct acl_event *ev)
{
	uint64_t n = ld(&mapping(c)->any) ? legs_count(ev) : 0;
	struct finding_buffer room;
	struct acl_finding *f;

	for (uint64_t i = 0; i < n && !ev->carry[CARRY_FINDING]; i++) {
		struct copy_leg leg = legs_at(ev, i);
		bool virtual = false;
		int from = device_of(c, leg.src, &virtual), to = device_of(c, leg.dst, &virtual);

		if (!virtual || from < 0 || to < 0 ||
			!rule_broken(ev, RULE("vmm-cross-device-sync-copy"), from != to))
			continue;
		f = finding_first(c, ev, RULE("vmm-cross-device-sync-copy"), &room);
		if (!f)
			return;
		finding_detail(f, "The copy goes from device %d to device %d, and mapped memory takes part.",
			from, to);
		finding_address(f, "src", leg.src);
		finding_address(f, "dst", leg.dst);
		finding_int(f, "source device", from);
		finding_int(f, "destination device", to);
		finding_show(c, f);
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
	st(&mapping(c)->closed_access.lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtMapMem, ACL_ENTER, map_enter},
	{ACL_API_aclrtMapMem, ACL_LEAVE, map_leave},
	{ACL_API_aclrtMemMapNoAccess, ACL_ENTER, map_enter},
	{ACL_API_aclrtMemMapNoAccess, ACL_LEAVE, map_leave},
	{ACL_API_aclrtMemMapSelectedLink, ACL_ENTER, link_enter},
	{ACL_API_aclrtMemMapSelectedLink, ACL_LEAVE, link_leave},
	{ACL_API_aclrtMemSetAccess, ACL_LEAVE, access_leave},
	{ACL_API_aclrtUnmapMem, ACL_ENTER, unmap_enter},
	{ACL_API_aclrtUnmapMem, ACL_LEAVE, unmap_leave},
	{ACL_API_aclrtReleaseMemAddress, ACL_ENTER, release_enter},
	{ACL_API_aclrtMemcpy, ACL_ENTER, copying},
	{ACL_API_aclrtMemcpyAsync, ACL_ENTER, copying},
	{ACL_API_aclrtMemcpy2d, ACL_ENTER, copying},
	{ACL_API_aclrtMemcpy2dAsync, ACL_ENTER, copying},
	{ACL_API_aclrtMemcpy, ACL_ENTER | ACL_UNUSUAL, crossing},
	{ACL_API_aclrtMemcpy2d, ACL_ENTER | ACL_UNUSUAL, crossing},
	{ACL_API_aclrtMemcpy2dAsync, ACL_ENTER | ACL_UNUSUAL, crossing},
	{ACL_API_aclrtMemcpyBatch, ACL_ENTER | ACL_UNUSUAL, crossing},
	{ACL_API_aclrtMemcpyBatchV2, ACL_ENTER | ACL_UNUSUAL, crossing},
	{ACL_API_aclrtMemcpyBatchAsync, ACL_ENTER | ACL_UNUSUAL, crossing},
	{ACL_API_aclrtMemcpyBatchAsyncV2, ACL_ENTER | ACL_UNUSUAL, crossing},
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
