/* SPDX-License-Identifier: Apache-2.0 */
/* A built model uses the memory that its tasks were given each time it runs; nothing keeps it. */
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

static void binary_gone(struct checks *c, struct acl_call_record *call, struct acl_object *model)
{
	acl_ref gone = load_relaxed(&model_state(model)->binary_gone);

	if (!gone || !model_is_followed(c, model) || load_relaxed(&model_state(model)->cleaned))
		return;
	rule_evaluated(call, RULE("kernel-binary-double-unload"));
	FINDING_BROKEN(c, call, RULE("kernel-binary-double-unload"),
		PARTS(part_advice(load_relaxed(&model_state(model)->decides)), part_object("model", model),
			part_object("binary", object_of(c, gone))),
		"A task of the model launches a kernel of a binary that was unloaded.");
}

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

static void built_execute_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = model_argument(c, call);
	struct looked_at *last = module_state(c, built_model_memory);
	uint64_t version = lookup_version(c);
	struct acl_call_site task;
	const struct acl_rule *rule;
	const void *address;
	struct freed_block b;

	if (!model)
		return;
	binary_gone(c, call, model);
	if (load_relaxed(&model_state(model)->status) != MODEL_BUILT || !model_is_followed(c, model) ||
		(load_relaxed(&last->model) == object_ref(model) && load_relaxed(&last->version) == version))
		return;
	rule_evaluated(call, RULE("use-after-free"));
	if (!model_memory_gone(c, model, &address, &task)) {
		store_relaxed(&last->model, object_ref(model));
		store_relaxed(&last->version, version);
		return;
	}
	mapping_gone(c, call, model, address, &task);
	/* Another block may be there by now; libc may have mapped a host range again. */
	if (!freed_find(c, address, false, &b) || (b.kind != MEM_DEVICE && b.kind != MEM_POOL) || b.by_reset)
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

static const struct check_hook hooks[] = {
	{ON_OP(EXECUTE_MODEL), ACL_ENTER, built_execute_enter},
};

const struct check_module module_built_model_memory = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct looked_at),
};
