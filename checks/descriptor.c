/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of copies and cache operations in device memory: where they lie, what they say, whether they
 * say it. */
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

enum desc_kind { DESC_COPY, DESC_CMO, DESC_KINDS };

struct descriptor_state {
	struct pairs filled; /* key of kind and address -> serial of the block */
	_Atomic uint64_t size[DESC_KINDS]; /* as the runtime told, 0 = it was not asked */
};

static struct descriptor_state *descriptors(struct checks *c)
{
	return c->topic[TOPIC_DESCRIPTORS];
}

static enum desc_kind kind_of(const struct acl_event *ev)
{
	return ev->api == ACL_API_aclrtSetMemcpyDesc || ev->api == ACL_API_aclrtMemcpyAsyncWithDesc
		       ? DESC_COPY
		       : DESC_CMO;
}

/* All four begin with the descriptor. */
static const void *desc_of(const struct acl_event *ev)
{
	return ACL_ARGS(ev, aclrtSetMemcpyDesc)->desc;
}

static void copy_sized(struct checks *c, struct acl_event *ev)
{
	const size_t *size = ACL_ARGS(ev, aclrtGetMemcpyDescSize)->descSize;

	if (succeeded(ev) && size)
		st(&descriptors(c)->size[DESC_COPY], *size);
}

static void cmo_sized(struct checks *c, struct acl_event *ev)
{
	const size_t *size = ACL_ARGS(ev, aclrtCmoGetDescSize)->size;

	if (succeeded(ev) && size)
		st(&descriptors(c)->size[DESC_CMO], *size);
}

/* --- where it lies ---------------------------------------------------------------------- */

static void say_buffer(
	struct checks *c, struct acl_event *ev, const struct acl_place *place, const char *what)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, ev, RULE("desc-buffer-invalid"), &room);

	if (!f)
		return;
	finding_detail(f, "The descriptor %s.", what);
	finding_address(f, "descriptor", desc_of(ev));
	if (ld(&descriptors(c)->size[kind_of(ev)]))
		finding_bytes(f, "size of a descriptor", ld(&descriptors(c)->size[kind_of(ev)]));
	if (place->block)
		finding_block(c, f, "memory", place->block);
	finding_show(c, f);
}

/* Whether the descriptor lies in device memory we know. */
static bool check_buffer(struct checks *c, struct acl_event *ev, struct acl_place *place)
{
	const void *desc = desc_of(ev);
	uint64_t size = ld(&descriptors(c)->size[kind_of(ev)]);

	place->block = NULL;
	if (!desc || ev->carry[CARRY_FINDING] || ld(&c->run_mode) == ACL_DEVICE)
		return false;
	if (!map_find(c->memory, (uintptr_t)desc, place) &&
		!(map_live(c->registered) && map_find(c->registered, (uintptr_t)desc, place))) {
		if (host_class(c, ev, 0, desc) > ACL_HOST_UNKNOWN)
			say_buffer(c, ev, place, "lies in the program's own host memory");
		return false;
	}
	if (kind_is_host(place->kind))
		say_buffer(c, ev, place, "lies in host memory");
	else if ((place->kind == MEM_DEVICE || place->kind == MEM_POOL) &&
		 size > place->size - ((uintptr_t)desc - place->base))
		say_buffer(c, ev, place, "goes beyond the end of its memory");
	return place->kind == MEM_DEVICE && !ev->carry[CARRY_FINDING];
}

/* --- what it says ------------------------------------------------------------------------ */

static void say_sides(struct checks *c, struct acl_event *ev, const struct acl_place *src,
	const struct acl_place *dst, const char *what)
{
	const struct acl_args_aclrtSetMemcpyDesc *a = ev->args;
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, ev, RULE("desc-cross-device"), &room);

	if (!f)
		return;
	finding_detail(f, "%s", what);
	finding_address(f, "srcAddr", a->srcAddr);
	finding_address(f, "dstAddr", a->dstAddr);
	if (src->block)
		finding_block(c, f, "source memory", src->block);
	if (dst->block)
		finding_block(c, f, "destination memory", dst->block);
	finding_show(c, f);
}

static int device_of(const struct acl_place *place)
{
	return place->block && place->kind == MEM_DEVICE ? ld(&place->block->device) : -1;
}

static void filling(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtSetMemcpyDesc *a = ev->args;
	struct acl_place desc, src = {0}, dst = {0};

	check_buffer(c, ev, &desc);
	if (ev->carry[CARRY_FINDING] || ld(&c->run_mode) == ACL_DEVICE)
		return;
	map_find(c->memory, (uintptr_t)a->srcAddr, &src);
	map_find(c->memory, (uintptr_t)a->dstAddr, &dst);
	if (!src.block && !dst.block)
		return;
	rule_asked(ev, RULE("desc-cross-device"));
	if ((src.block && kind_is_host(src.kind)) || (dst.block && kind_is_host(dst.kind)))
		say_sides(c, ev, &src, &dst, "One side of the copy lies on the host.");
	else if (device_of(&src) >= 0 && device_of(&dst) >= 0 && device_of(&src) != device_of(&dst))
		say_sides(c, ev, &src, &dst, "The two sides of the copy lie on two devices.");
}

static void cmo_filling(struct checks *c, struct acl_event *ev)
{
	struct acl_place desc;

	check_buffer(c, ev, &desc);
}

static void filled(struct checks *c, struct acl_event *ev)
{
	struct acl_place place;

	if (!succeeded(ev) || !map_find(c->memory, (uintptr_t)desc_of(ev), &place))
		return;
	pairs_set(&descriptors(c)->filled, key_of_two((uintptr_t)desc_of(ev), kind_of(ev)),
		ld(&place.block->serial));
	atomic_fetch_or(&place.block->marks, BLOCK_DESCRIBED);
}

/* --- whether it was filled ----------------------------------------------------------------- */

static void using(struct checks *c, struct acl_event *ev)
{
	struct finding_buffer room;
	struct acl_finding *f;
	struct acl_place place;
	uint64_t serial;

	if (!check_buffer(c, ev, &place) || ld(&descriptors(c)->filled.full))
		return;
	serial = pairs_value(&descriptors(c)->filled, key_of_two((uintptr_t)desc_of(ev), kind_of(ev)));
	if (!rule_broken(ev, RULE("desc-not-set"),
		    serial != ld(&place.block->serial) && !block_maybe_written(c, place.block)))
		return;
	f = finding_begin(c, ev, RULE("desc-not-set"), &room);
	if (!f)
		return;
	finding_detail(f, "%s was not called for this descriptor, and nothing else wrote its memory.",
		kind_of(ev) == DESC_COPY ? "aclrtSetMemcpyDesc" : "aclrtCmoSetDesc");
	finding_address(f, "descriptor", desc_of(ev));
	finding_block(c, f, "memory", place.block);
	finding_show(c, f);
}

static bool descriptors_create(struct checks *c)
{
	c->topic[TOPIC_DESCRIPTORS] = checks_alloc(c, sizeof(struct descriptor_state));
	return c->topic[TOPIC_DESCRIPTORS] != NULL;
}

static void descriptors_forked(struct checks *c)
{
	st(&descriptors(c)->filled.lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtGetMemcpyDescSize, ACL_LEAVE, copy_sized},
	{ACL_API_aclrtCmoGetDescSize, ACL_LEAVE, cmo_sized},
	{ACL_API_aclrtSetMemcpyDesc, ACL_ENTER, filling},
	{ACL_API_aclrtSetMemcpyDesc, ACL_LEAVE, filled},
	{ACL_API_aclrtCmoSetDesc, ACL_ENTER, cmo_filling},
	{ACL_API_aclrtCmoSetDesc, ACL_LEAVE, filled},
	{ACL_API_aclrtMemcpyAsyncWithDesc, ACL_ENTER, using},
	{ACL_API_aclrtCmoAsyncWithDesc, ACL_ENTER, using},
};

const struct acl_topic topic_descriptor = {
	.name = "descriptors",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = descriptors_create,
	.forked = descriptors_forked,
};
