/* SPDX-License-Identifier: Apache-2.0 */
/* A built model uses what its tasks were given each time it runs, memory and objects; nothing keeps them. */
#include "checks/engine/finding_statement.h"
#include "checks/state/binding_state.h"
#include "checks/state/capture_state.h"
#include "checks/state/freed_memory.h"
#include "checks/state/memory_state.h"
#include "checks/state/pending_access.h"

/* The model that was found to be right last, and the version of the tables then. */
struct looked_at {
	_Atomic acl_ref model;
	_Atomic uint64_t version;
};

/* --- objects ---------------------------------------------------------------------------------------- */

/* NULL: memory, or what nothing is said about. */
static const struct acl_rule *gone_rule(unsigned kind)
{
	switch (kind) {
	case ACL_HANDLE_BINARY:
		return RULE("kernel-binary-double-unload");
	case ACL_HANDLE_LABEL_LIST:
		return RULE("label-destroy-order");
	case ACL_HANDLE_NOTIFY:
	case ACL_HANDLE_CNT_NOTIFY:
		return RULE("notify-destroyed-use");
	default:
		return NULL;
	}
}

/* A list of labels is used by what decides itself. */
static bool runs_maybe(struct acl_object *model, unsigned kind)
{
	return load_relaxed(&model_state(model)->decides) && kind != ACL_HANDLE_LABEL_LIST;
}

static void object_gone(
	struct checks *c, struct acl_call_record *call, struct acl_object *model, const struct model_use *use)
{
	unsigned kind = ref_kind(use->what);
	const struct acl_rule *rule = gone_rule(kind);
	struct acl_object *o = rule ? object_of(c, use->what) : NULL;
	struct acl_call_site task = model_use_site(use);

	if (!rule)
		return;
	FINDING_OF(c, call, rule, !o || !object_usable(o),
		PARTS(part_advice(runs_maybe(model, kind)), part_object("model", model),
			o ? part_object(acl_handle_names[kind], o) : part_none(), part_used_at(&task)),
		"A task of the model (%s) uses a %s that was destroyed.", acl_apis[use->api].name,
		acl_handle_names[kind]);
}

static void objects_gone(struct checks *c, struct acl_call_record *call, struct acl_object *model)
{
	struct model_use use;

	if (load_relaxed(&model_state(model)->cleaned))
		return;
	for (uint32_t at = 0; model_use_next(model, &at, &use);)
		object_gone(c, call, model, &use);
}

/* --- memory ----------------------------------------------------------------------------------------- */

/* The range is still reserved, and its mapping is gone. */
static void mapping_gone(struct checks *c, struct acl_call_record *call, struct acl_object *model,
	const void *address, const struct acl_call_site *task)
{
	struct block_lookup place;

	if (map_find(memory_blocks(c), (uintptr_t)address, &place) ||
		!map_find(reserved_ranges(c), (uintptr_t)address, &place))
		return;
	rule_evaluated(call, RULE("vmm-use-unmapped"));
	FINDING_BROKEN(c, call, RULE("vmm-use-unmapped"),
		PARTS(part_advice(load_relaxed(&model_state(model)->decides)),
			part_address("address", address), part_block("reserved range", place.block),
			part_used_at(task), part_object("model", model)),
		"A task of the model (%s) uses memory that was mapped here, and nothing is any more.",
		acl_apis[task->api].name);
}

/* Page-locked memory, device memory, memory of a pool; what went with a reset has its own rules. */
static bool was_allocated(struct checks *c, const void *address, struct freed_block *b)
{
	return freed_find(c, address, false, b) && b->kind != MEM_MAPPED && !b->by_reset;
}

static void memory_gone(struct checks *c, struct acl_call_record *call, struct acl_object *model)
{
	struct looked_at *last = module_state(c, built_model_uses);
	uint64_t version = lookup_version(c);
	struct acl_call_site task;
	const struct acl_rule *rule;
	const void *address;
	struct freed_block b;

	if (load_relaxed(&last->model) == object_ref(model) && load_relaxed(&last->version) == version)
		return;
	rule_evaluated(call, RULE("use-after-free"));
	if (!model_memory_gone(c, model, &address, &task)) {
		store_relaxed(&last->model, object_ref(model));
		store_relaxed(&last->version, version);
		return;
	}
	mapping_gone(c, call, model, address, &task);
	/* Another block may be there by now. */
	if (!was_allocated(c, address, &b))
		return;
	rule = b.kind == MEM_POOL ? RULE("pool-use-after-async-free") : RULE("use-after-free");
	if (b.kind == MEM_POOL)
		rule_evaluated(call, rule);
	FINDING_BROKEN(c, call, rule,
		PARTS(part_advice(freed_maybe_reused(c) || load_relaxed(&model_state(model)->decides)),
			part_address("address", address), part_history("memory", freed_history, &b),
			part_used_at(&task), part_object("model", model)),
		"A task of the model (%s) uses memory that was released before.", acl_apis[task.api].name);
}

static void built_execute_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = model_argument(c, call);

	if (!model || load_relaxed(&model_state(model)->status) != MODEL_BUILT ||
		!model_is_followed(c, model))
		return;
	objects_gone(c, call, model);
	memory_gone(c, call, model);
}

static const struct check_hook hooks[] = {
	{ON_OP(EXECUTE_MODEL), ACL_ENTER, built_execute_enter},
};

const struct check_module module_built_model_uses = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct looked_at),
};
