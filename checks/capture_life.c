/* SPDX-License-Identifier: Apache-2.0 */
/* A captured model keeps nothing alive: what its tasks use must outlive it. */
#include "checks/report.h"
#include "checks/state.h"

static void show_use(
	struct checks *c, struct acl_finding *f, struct acl_object *model, const struct model_use *use)
{
	bool open = ld(&model_state(model)->status) != MODEL_READY;

	finding_more(f, " it is used by a task (%s) of %s", acl_apis[use->api].name,
		open ? "a capture in progress" : "a captured model that is still alive");
	if (ld(&model->value))
		finding_more(f, " (0x%llx)", (unsigned long long)ld(&model->value));
	finding_api(f, "captured by", use->api);
	/* The resource's own last use may be later; the one that the model repeats is what matters here. */
	if (f->n_objects)
		f->objects[0].last_used =
			(struct acl_moment){.caller = use->caller, .tid = use->tid, .api = use->api};
	finding_object(c, f, "model", model);
	finding_show(c, f);
}

static void block_freed(struct checks *c, struct acl_event *ev, const struct acl_rule *rule,
	const void *address, bool registered)
{
	struct pointer_map *map = registered ? c->registered : c->memory;
	struct model_use use;
	struct acl_place place;
	struct acl_object *model;
	struct finding_buffer room;
	struct acl_finding *f;

	if (!map_find(map, (uintptr_t)address, &place) || place.base != (uintptr_t)address ||
		ev->carry[CARRY_FINDING])
		return;
	model = ld(&place.block->captured)
			? model_using(c, block_ref(place.block, place.generation, registered), &use)
			: NULL;
	if (!rule_broken(ev, rule, model))
		return;
	f = finding_begin(c, ev, rule, &room);
	if (!f)
		return;
	finding_detail(f, "the %s at %p (%llu bytes) is released, but", memory_kind_name(place.kind), address,
		(unsigned long long)place.size);
	finding_bytes(f, "size", place.size);
	finding_block(c, f, "memory", place.block);
	show_use(c, f, model, &use);
}

static void freed(struct checks *c, struct acl_event *ev)
{
	struct acl_place place;
	const void *address = ACL_ARGS(ev, aclrtFree)->devPtr;
	bool host = map_find(c->memory, (uintptr_t)address, &place) && kind_is_host(place.kind);

	block_freed(c, ev,
		host ? RULE("capture-host-buffer-freed") : RULE("capture-resource-freed-before-destroy"),
		address, false);
}

/* The memory that a pool or a piece of physical memory stands for. */
static void owner_freed(struct checks *c, struct acl_event *ev, struct acl_object *owner, unsigned kind)
{
	struct acl_block *b;

	if (!owner || !object_usable(owner))
		return;
	rule_asked(ev, RULE("capture-resource-freed-before-destroy"));
	map_each(c->memory, b) if (ld(&b->kind) == kind && ld(&b->captured) &&
				   ld(&b->owner) == object_ref(owner)) block_freed(c, ev,
		RULE("capture-resource-freed-before-destroy"), (const void *)(uintptr_t)ld(&b->base), false);
}

static void pool_destroyed(struct checks *c, struct acl_event *ev)
{
	owner_freed(
		c, ev, object_find(c, ACL_HANDLE_POOL, ACL_ARGS(ev, aclrtMemPoolDestroy)->memPool), MEM_POOL);
}

/* With the last reference; the mapping is one more only where the program asked for it. */
static void physical_freed(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = object_find(c, ACL_HANDLE_PHYS_MEM, ACL_ARGS(ev, aclrtFreePhysical)->handle);

	if (o && ld(&physical_state(o)->references) == 1)
		owner_freed(c, ev, o, MEM_MAPPED);
}

static void unregistered(struct checks *c, struct acl_event *ev)
{
	block_freed(c, ev, RULE("capture-host-buffer-freed"), ACL_ARGS(ev, aclrtHostUnregister)->ptr, true);
}

static void object_freed(struct checks *c, struct acl_event *ev, const struct acl_rule *rule,
	struct acl_object *o, const char *what)
{
	struct model_use use;
	struct acl_object *model;
	struct finding_buffer room;
	struct acl_finding *f;

	if (!o || !object_usable(o) || !ld(&o->captured))
		return;
	model = model_using(c, object_ref(o), &use);
	if (!rule_broken(ev, rule, model))
		return;
	f = finding_begin(c, ev, rule, &room);
	if (!f)
		return;
	finding_detail(f, "the %s 0x%llx is destroyed, but", what, (unsigned long long)ld(&o->value));
	finding_object(c, f, what, o);
	show_use(c, f, model, &use);
}

static void binary_unloaded(struct checks *c, struct acl_event *ev)
{
	object_freed(c, ev, RULE("capture-binary-unloaded-before-destroy"),
		object_find(c, ACL_HANDLE_BINARY, ACL_ARGS(ev, aclrtBinaryUnLoad)->binHandle), "binary");
}

static void notify_destroyed(struct checks *c, struct acl_event *ev)
{
	/* Each takes the handle only. */
	const void *value = ACL_ARGS(ev, aclrtDestroyNotify)->notify;
	unsigned kind = ev->api == ACL_API_aclrtDestroyNotify  ? ACL_HANDLE_NOTIFY
			: ev->api == ACL_API_aclrtDestroyEvent ? ACL_HANDLE_EVENT
							       : ACL_HANDLE_CNT_NOTIFY;

	object_freed(c, ev, RULE("capture-notify-destroyed-before-destroy"), object_find(c, kind, value),
		kind == ACL_HANDLE_EVENT ? "event" : "notify");
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtFree, ACL_ENTER, freed},
	{ACL_API_aclrtFreeWithDevSync, ACL_ENTER, freed},
	{ACL_API_aclrtMemPoolFreeAsync, ACL_ENTER, freed},
	{ACL_API_aclrtUnmapMem, ACL_ENTER, freed},
	{ACL_API_aclrtReleaseMemAddress, ACL_ENTER, freed},
	{ACL_API_aclrtMemPoolDestroy, ACL_ENTER, pool_destroyed},
	{ACL_API_aclrtFreePhysical, ACL_ENTER, physical_freed},
	{ACL_API_aclrtFreeHost, ACL_ENTER, freed},
	{ACL_API_aclrtFreeHostWithDevSync, ACL_ENTER, freed},
	{ACL_API_aclrtHostUnregister, ACL_ENTER, unregistered},
	{ACL_API_aclrtBinaryUnLoad, ACL_ENTER, binary_unloaded},
	{ACL_API_aclrtDestroyNotify, ACL_ENTER, notify_destroyed},
	{ACL_API_aclrtCntNotifyDestroy, ACL_ENTER, notify_destroyed},
	{ACL_API_aclrtDestroyEvent, ACL_ENTER, notify_destroyed},
};

const struct acl_topic topic_capture_life = {
	.name = "capture life",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
