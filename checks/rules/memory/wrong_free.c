/* SPDX-License-Identifier: Apache-2.0 */
/* Memory given back through the wrong function. */
#include "checks/engine/finding_statement.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"

static void check_kind(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const struct block_lookup *place, bool wrong, bool downgrade)
{
	unsigned api = call_site_api(&place->block->created);
	char size[24];

	FINDING_OF(c, call, rule, wrong,
		PARTS(downgrade ? part_severity(ACL_SEV_WARNING) : part_none(), part_api("allocated by", api),
			part_bytes("size", place->size), part_block("memory", place->block)),
		"0x%llx is %s of %s, allocated by %s", (unsigned long long)place->base,
		memory_kind_name(place->kind), human_bytes(place->size, size), acl_apis[api].name);
}

/* The block that begins at the address the function is given. */
static bool block_freed(struct checks *c, const struct acl_call_record *call, struct block_lookup *place)
{
	const void *address = ACL_ARGS(call, aclrtFree)->devPtr;

	return address && map_find(memory_blocks(c), (uintptr_t)address, place) &&
	       place->base == (uintptr_t)address;
}

static void device_free(struct checks *c, struct acl_call_record *call)
{
	struct block_lookup place;

	/* Where host and device memory are one it works all the same. */
	if (block_freed(c, call, &place))
		check_kind(c, call, RULE("free-host-with-device-free"), &place, place.kind == MEM_HOST,
			runs_on_device(c));
}

static void host_free(struct checks *c, struct acl_call_record *call)
{
	struct block_lookup place;

	if (!runs_on_device(c) && block_freed(c, call, &place))
		check_kind(c, call, RULE("free-device-with-host-free"), &place,
			place.kind == MEM_DEVICE || place.kind == MEM_MANAGED || place.kind == MEM_POOL,
			false);
}

static const struct check_hook hooks[] = {
	{ON_OP(FREE_DEVICE), ACL_ENTER, device_free},
	{ON_OP(FREE_HOST), ACL_ENTER, host_free},
};

const struct check_module module_free = {.hooks = hooks, .n_hooks = sizeof(hooks) / sizeof(hooks[0])};
