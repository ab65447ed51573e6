/* SPDX-License-Identifier: Apache-2.0 */
/* Memory shared with other processes by key. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/rules/memory/ipc_keys.h"
#include "checks/state/memory_state.h"

struct sharing_state {
	struct value_table keys; /* text of a memory key -> 1 + times open */
	struct value_table shared; /* base of exported memory -> 1 + keys of it */
	struct value_table shared_base; /* text of a memory key -> base exported under it */
};

static struct sharing_state *sharing(struct checks *c)
{
	return module_state(c, sharing);
}

/* Only the process that has allocated it can share it. */
static void exporting_import(
	struct checks *c, struct acl_call_record *call, const void *memory, struct share *s)
{
	FINDING(c, call, "ipc-export-range", !load_relaxed(&s->closed),
		PARTS(part_address("devPtr", memory), part_history("imported memory", share_history, s)),
		"Only memory of aclrtMalloc can be shared, this is %s.", "memory of another process");
}

/* Registered memory is the program's, wherever the device sees it; so is what lies in its heap, stack or
 * files. */
static void exporting_own(struct checks *c, struct acl_call_record *call, const void *memory)
{
	struct block_lookup place = {0};
	bool registered = memory_find(c, (uintptr_t)memory, &place) && place.kind == MEM_REGISTERED;

	FINDING(c, call, "ipc-export-range", registered || memory_is_host(c, call, 0, memory),
		PARTS(part_address("devPtr", memory),
			registered ? part_block("memory", place.block) : part_none()),
		"Only memory of aclrtMalloc can be shared, this is %s.",
		registered ? memory_kind_name(place.kind) : "memory of the host");
}

static void sharing_export_enter(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtIpcMemGetExportKey *a = call->args;
	struct block_lookup place;
	struct share *s;
	bool other_kind;

	if (!a->devPtr)
		return;
	if (!map_find(memory_blocks(c), (uintptr_t)a->devPtr, &place)) {
		s = import_at(c, a->devPtr);
		if (s)
			exporting_import(c, call, a->devPtr, s);
		else
			exporting_own(c, call, a->devPtr);
		return;
	}
	other_kind = place.kind != MEM_DEVICE;
	FINDING(c, call, "ipc-export-range",
		other_kind || a->size > place.size - ((uintptr_t)a->devPtr - place.base),
		PARTS(part_address("devPtr", a->devPtr), part_bytes("size", a->size),
			part_block("memory", place.block)),
		other_kind ? "Only memory of aclrtMalloc can be shared, this is %s."
			   : "The range goes beyond the end of the %s.",
		memory_kind_name(place.kind));
}

static void key_opened(struct checks *c, uint64_t key)
{
	uint64_t now = value_table_value(&sharing(c)->keys, key);

	value_table_set(c, &sharing(c)->keys, key, now ? now + 1 : 2);
}

static void exported(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtIpcMemGetExportKey *a = call->args;
	struct block_lookup place;
	uint64_t now, key;

	if (!succeeded(call) || !a->key || !a->key[0])
		return;
	key = program_text_key(c, a->key);
	key_opened(c, key);
	/* The same key for the same memory again: its last close ends both. */
	if (!map_find(memory_blocks(c), (uintptr_t)a->devPtr, &place) ||
		value_table_value(&sharing(c)->shared_base, key) == place.base)
		return;
	now = value_table_value(&sharing(c)->shared, place.base);
	value_table_set_of(c, &sharing(c)->shared, block_ref(place.block, place.generation, false),
		place.base, now ? now + 1 : 2);
	value_table_set(c, &sharing(c)->shared_base, key, place.base);
}

static void imported(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call))
		key_opened(c, program_text_key(c, ACL_ARGS(call, aclrtIpcMemImportByKey)->key));
}

static void closing(struct checks *c, struct acl_call_record *call)
{
	const char *key = ACL_ARGS(call, aclrtIpcMemClose)->key;
	uint64_t now;

	/* A key that was never seen may have been made below us. */
	if (value_table_get(&sharing(c)->keys, program_text_key(c, key), &now))
		FINDING(c, call, "ipc-close-unknown", now == 1, PARTS(part_address("key", key)),
			"The key was closed before.");
}

/* Made below us it would be known to the runtime. */
static void close_refused(struct checks *c, struct acl_call_record *call)
{
	const char *key = ACL_ARGS(call, aclrtIpcMemClose)->key;
	uint64_t text = program_text_key(c, key), now;

	if (text &&
		(error_of(call) == ACL_ERROR_RT_PARAM_INVALID ||
			error_of(call) == ACL_ERROR_RT_DRV_INTERNAL_ERROR) &&
		!value_table_get(&sharing(c)->keys, text, &now))
		FINDING(c, call, "ipc-close-unknown", true, PARTS(part_address("key", key)),
			"This process has neither exported nor imported memory under this key, and "
			"the runtime does not know it.");
}

static void closed(struct checks *c, struct acl_call_record *call)
{
	uint64_t key = program_text_key(c, ACL_ARGS(call, aclrtIpcMemClose)->key), now, base;

	if (!succeeded(call) || !value_table_get(&sharing(c)->keys, key, &now) || now < 2)
		return;
	value_table_set(c, &sharing(c)->keys, key, now - 1);
	if (now > 2 || !value_table_get(&sharing(c)->shared_base, key, &base) || !base)
		return;
	value_table_set(c, &sharing(c)->shared_base, key, 0);
	now = value_table_value(&sharing(c)->shared, base);
	if (now > 1)
		value_table_set(c, &sharing(c)->shared, base, now - 1);
}

/* Who imports the memory cannot say how it is shared: that is the exporter's, before it hands the key on. */
static void share_attribute_enter(struct checks *c, struct acl_call_record *call)
{
	const char *key = acl_arg_pointer(call->api, call->args, ACL_ROLE_KEY);
	uint64_t text = program_text_key(c, key);

	if (!text || value_table_value(&sharing(c)->keys, text) < 2)
		return;
	FINDING(c, call, "ipc-set-attr-order", !value_table_value(&sharing(c)->shared_base, text),
		PARTS(part_address("key", key)),
		"This process has imported the memory under this key already.");
}

static void sharing_free_enter(struct checks *c, struct acl_call_record *call)
{
	const void *p = ACL_ARGS(call, aclrtFree)->devPtr;
	struct block_lookup place;

	if (!p || value_table_empty(&sharing(c)->shared) || !map_find(memory_blocks(c), (uintptr_t)p, &place))
		return;
	FINDING(c, call, "ipc-free-while-exported", value_table_value(&sharing(c)->shared, (uintptr_t)p) >= 2,
		PARTS(part_address("devPtr", p), part_block("memory", place.block)),
		"The memory is shared with other processes; aclrtIpcMemClose comes first.");
}

static void freed(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call) && !value_table_empty(&sharing(c)->shared) &&
		value_table_value(&sharing(c)->shared, (uintptr_t)ACL_ARGS(call, aclrtFree)->devPtr) > 1)
		value_table_set(c, &sharing(c)->shared, (uintptr_t)ACL_ARGS(call, aclrtFree)->devPtr, 1);
}

static const struct check_hook hooks[] = {
	{ON_OP(EXPORT_MEMORY), ACL_ENTER, sharing_export_enter},
	{ON_OP(EXPORT_MEMORY), ACL_LEAVE, exported},
	{ON_OP(IMPORT_MEMORY), ACL_LEAVE, imported},
	{ON_OP(CLOSE_MEMORY), ACL_ENTER, closing},
	{ON_OP(CLOSE_MEMORY), ACL_LEAVE, closed},
	{ON_OP(CLOSE_MEMORY), ACL_FAILED, close_refused},
	{ON_OP(CONFIGURE_MEMORY_SHARE), ACL_ENTER, share_attribute_enter},
	{ON_OP(FREE_DEVICE), ACL_ENTER, sharing_free_enter},
	{ON_OP(FREE_DEVICE), ACL_LEAVE, freed},
};

const struct check_module module_sharing = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct sharing_state),
};
