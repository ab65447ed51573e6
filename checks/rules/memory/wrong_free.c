/* SPDX-License-Identifier: Apache-2.0 */
/* Memory given back through the wrong function. */
#include "checks/engine/finding_report.h"

static void report(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const struct block_lookup *place, bool downgrade)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;
	char size[24];

	if (downgrade)
		grade.severity = ACL_SEV_WARNING;
	f = finding_begin_as(c, call, rule, grade, &room);
	if (!f)
		return;
	finding_detail(f, "0x%llx is %s of %s, allocated by %s", (unsigned long long)place->base,
		memory_kind_name(place->kind), human_bytes(place->size, size),
		acl_apis[load_relaxed(&place->block->created.api)].name);
	finding_api(f, "allocated by", load_relaxed(&place->block->created.api));
	finding_bytes(f, "size", place->size);
	finding_block(c, f, "memory", place->block);
	finding_show(c, f);
}

/* The block that begins at the address the function is given. */
static bool block_freed(struct checks *c, const struct acl_call_record *call, struct block_lookup *place)
{
	const void *address = ACL_ARGS(call, aclrtFree)->devPtr;

	return address && map_find(c->memory, (uintptr_t)address, place) && place->base == (uintptr_t)address;
}

static void device_free(struct checks *c, struct acl_call_record *call)
{
	struct block_lookup place;

	/* Where host and device memory are one it works all the same. */
	if (block_freed(c, call, &place) &&
		rule_broken(call, RULE("free-host-with-device-free"), place.kind == MEM_HOST))
		report(c, call, RULE("free-host-with-device-free"), &place,
			load_relaxed(&c->run_mode) == ACL_DEVICE);
}

static void host_free(struct checks *c, struct acl_call_record *call)
{
	struct block_lookup place;

	if (load_relaxed(&c->run_mode) != ACL_DEVICE && block_freed(c, call, &place) &&
		rule_broken(call, RULE("free-device-with-host-free"),
			place.kind == MEM_DEVICE || place.kind == MEM_MANAGED || place.kind == MEM_POOL))
		report(c, call, RULE("free-device-with-host-free"), &place, false);
}

static const struct check_hook hooks[] = {
	{ON_OP(FREE_DEVICE), ACL_ENTER, device_free},
	{ON_OP(FREE_HOST), ACL_ENTER, host_free},
};

const struct check_module module_free = {.hooks = hooks, .n_hooks = sizeof(hooks) / sizeof(hooks[0])};
