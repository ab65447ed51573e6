/* SPDX-License-Identifier: Apache-2.0 */
/* A captured model keeps nothing alive: what its tasks use must outlive it. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/plain_format.h"
#include "checks/state/capture_state.h"
#include "checks/state/event_state.h"
#include "checks/state/group_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/physical_state.h"
#include "checks/state/stream_state.h"

#define USE_TEXT 160

/* "it is used by a task (aclrtMemcpyAsync) of a captured model that is still alive (0x…)" */
static const char *use_text(struct acl_object *model, const struct model_use *use, char out[USE_TEXT])
{
	bool open = load_relaxed(&model_state(model)->status) != MODEL_READY;
	char value[24] = "";

	if (load_relaxed(&model->value))
		plain_print(
			value, sizeof(value), " (0x%llx)", (unsigned long long)load_relaxed(&model->value));
	return plain_print(out, USE_TEXT,
		use->given ? "an address in it was given to a task (%s) of %s%s"
			   : "it is used by a task (%s) of %s%s",
		acl_apis[use->api].name,
		open ? "a capture in progress" : "a captured model that is still alive", value);
}

static void captured_block_free(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const void *address, bool registered)
{
	struct pointer_map *map = registered ? registered_ranges(c) : memory_blocks(c);
	struct model_use use = {0};
	struct block_lookup place;
	struct acl_call_site used;
	struct acl_object *model;
	char text[USE_TEXT];

	if (!map_find(map, (uintptr_t)address, &place) || place.base != (uintptr_t)address)
		return;
	model = load_relaxed(&place.block->captured)
			? model_using(c, block_ref(place.block, place.generation, registered), &use)
			: NULL;
	if (model)
		used = model_use_site(&use);
	FINDING_OF(c, call, rule, model,
		PARTS(part_bytes("size", place.size), part_api("captured by", use.api),
			part_block("memory", place.block), part_used_at(&used), part_object("model", model),
			/* What a kernel does with it is not seen. */
			use.given ? part_severity(ACL_SEV_WARNING) : part_none()),
		"The %s at %p (%llu bytes) is released, but %s.", memory_kind_name(place.kind), address,
		(unsigned long long)place.size, use_text(model, &use, text));
}

static void captured_memory_free(struct checks *c, struct acl_call_record *call)
{
	struct block_lookup place;
	const void *address = acl_arg_pointer(call->api, call->args, ACL_ROLE_ADDRESS);
	bool host = map_find(memory_blocks(c), (uintptr_t)address, &place) && kind_is_host(place.kind);

	captured_block_free(c, call,
		host ? RULE("capture-host-buffer-freed") : RULE("capture-resource-freed-before-destroy"),
		address, false);
}

/* The memory that a pool or a piece of physical memory stands for. */
static void captured_owner_free(
	struct checks *c, struct acl_call_record *call, struct acl_object *owner, unsigned kind)
{
	struct acl_block *b;

	if (!owner || !object_usable(owner))
		return;
	rule_evaluated(call, RULE("capture-resource-freed-before-destroy"));
	if (!load_relaxed(&c->kinds[ACL_HANDLE_MODEL]->count))
		return;
	map_each(memory_blocks(c), b) if (load_relaxed(&b->kind) == kind && load_relaxed(&b->captured) &&
					  load_relaxed(&b->owner) == object_ref(owner))
		captured_block_free(c, call, RULE("capture-resource-freed-before-destroy"),
			(const void *)(uintptr_t)load_relaxed(&b->base), false);
}

static void captured_pool_destroy(struct checks *c, struct acl_call_record *call)
{
	captured_owner_free(c, call,
		object_find(c, ACL_HANDLE_POOL, ACL_ARGS(call, aclrtMemPoolDestroy)->memPool), MEM_POOL);
}

/* With the last reference; the mapping is one more only where the program asked for it. */
static void captured_physical_free(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = object_find(c, ACL_HANDLE_PHYS_MEM, ACL_ARGS(call, aclrtFreePhysical)->handle);

	if (o && load_relaxed(&physical_state(o)->references) == 1)
		captured_owner_free(c, call, o, MEM_MAPPED);
}

static void captured_host_unregister(struct checks *c, struct acl_call_record *call)
{
	captured_block_free(
		c, call, RULE("capture-host-buffer-freed"), ACL_ARGS(call, aclrtHostUnregister)->ptr, true);
}

static bool captured_object_free(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	struct acl_object *o, const char *what)
{
	struct model_use use;
	struct acl_call_site used;
	struct acl_object *model;
	char text[USE_TEXT];

	if (!o || !object_usable(o) || !object_captured(o))
		return false;
	model = model_using(c, object_ref(o), &use);
	/* What is built may be taken down in any order. */
	if (model && load_relaxed(&model_state(model)->status) == MODEL_BUILT)
		return false;
	if (model)
		used = model_use_site(&use);
	return FINDING_OF(c, call, rule, model,
		PARTS(part_api("captured by", use.api), part_object(what, o), part_used_at(&used),
			part_object("model", model)),
		"The %s 0x%llx is destroyed, but %s.", what, (unsigned long long)load_relaxed(&o->value),
		use_text(model, &use, text));
}

/* A task group that was updated with kernels of the binary, NULL = none. */
static struct acl_object *group_from(
	struct checks *c, const struct acl_object *binary, struct group_update *u)
{
	struct acl_object *g;

	object_each(c, ACL_HANDLE_TASK_GROUP, g)
	{
		if (object_usable(g) && group_updated_from(c, g, object_ref(binary), u))
			return g;
	}
	return NULL;
}

/* What a group was captured with is gone with its update; what that brought is used now. */
static void updated_binary_destroy(struct checks *c, struct acl_call_record *call, struct acl_object *binary)
{
	struct group_update u;
	struct acl_object *group = group_from(c, binary, &u), *model;

	if (!group)
		return;
	rule_evaluated(call, RULE("capture-binary-unloaded-before-destroy"));
	model = object_of(c, load_relaxed(&group_state(group)->model));
	FINDING_BROKEN(c, call, RULE("capture-binary-unloaded-before-destroy"),
		PARTS(part_object("binary", binary), part_used_at(&u.end), part_object("task group", group),
			part_object("model", model)),
		"The binary 0x%llx is destroyed, but a task group of a captured model that is still alive "
		"was updated with a kernel of it.",
		(unsigned long long)load_relaxed(&binary->value));
}

static void captured_binary_destroy(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *binary =
		object_find(c, ACL_HANDLE_BINARY, acl_arg_pointer(call->api, call->args, ACL_ROLE_BINARY));

	if (!captured_object_free(
		    c, call, RULE("capture-binary-unloaded-before-destroy"), binary, "binary") &&
		binary && object_usable(binary))
		updated_binary_destroy(c, call, binary);
}

static void captured_notify_destroy(struct checks *c, struct acl_call_record *call)
{
	const void *value = acl_arg_pointer(call->api, call->args, ACL_ROLE_NOTIFY);
	unsigned kind = acl_apis[call->api].operation == ACL_OP_DESTROY_NOTIFY ? ACL_HANDLE_NOTIFY
									       : ACL_HANDLE_CNT_NOTIFY;

	captured_object_free(c, call, RULE("capture-notify-destroyed-before-destroy"),
		object_find(c, kind, value), "notify");
}

static void captured_event_free(struct checks *c, struct acl_call_record *call)
{
	captured_object_free(
		c, call, RULE("capture-notify-destroyed-before-destroy"), event_of(call), "event");
}

/* The replay waits for a thread that processes the callback. */
static void captured_callback_unsubscribe(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *model;
	struct model_use use = {.api = 0};
	struct acl_call_site at;

	if (!object_is_known(s) || !load_relaxed(&c->kinds[ACL_HANDLE_MODEL]->count))
		return;
	model = object_captured(s) ? model_using(c, object_ref(s), &use) : NULL;
	at = model_use_site(&use);
	FINDING(c, call, "capture-callback-thread-gone", model,
		PARTS(part_object("stream", s), part_used_at(&at), part_object("model", model)),
		"A model that is still alive has a callback captured on this stream, which no thread "
		"processes from "
		"now on.");
}

static const struct check_hook hooks[] = {
	{ON_OP(CALLBACK_UNSUBSCRIBE), ACL_ENTER, captured_callback_unsubscribe},
	{ON_OP(FREE_DEVICE), ACL_ENTER, captured_memory_free},
	{ON_OP(FREE_HOST), ACL_ENTER, captured_memory_free},
	{ON_OP(FREE_POOL), ACL_ENTER, captured_memory_free},
	{ON_OP(RELEASE_ADDRESS), ACL_ENTER, captured_memory_free},
	{ON_OP(UNMAP_MEMORY), ACL_ENTER, captured_memory_free},
	{ON_OP(DESTROY_POOL), ACL_ENTER, captured_pool_destroy},
	{ON_OP(FREE_PHYSICAL), ACL_ENTER, captured_physical_free},
	{ON_OP(UNREGISTER_HOST), ACL_ENTER, captured_host_unregister},
	{ON_OP(DESTROY_BINARY), ACL_ENTER, captured_binary_destroy},
	{ON_OP(DESTROY_COUNT_NOTIFY), ACL_ENTER, captured_notify_destroy},
	{ON_OP(DESTROY_EVENT), ACL_ENTER, captured_event_free},
	{ON_OP(DESTROY_NOTIFY), ACL_ENTER, captured_notify_destroy},
};

const struct check_module module_capture_life = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
