/* SPDX-License-Identifier: Apache-2.0 */
/* Memory given back through the wrong function. */
#include "checks/report.h"
#include "checks/state.h"

static void report(struct checks *c, struct acl_event *ev, const struct acl_rule *rule,
	const struct acl_place *place, bool downgrade)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;
	char size[24];

	if (downgrade)
		grade.severity = ACL_SEV_WARNING;
	f = finding_begin_as(c, ev, rule, grade, &room);
	if (!f)
		return;
	finding_detail(f, "0x%llx is %s of %s, allocated by %s", (unsigned long long)place->base,
		memory_kind_name(place->kind), human_bytes(place->size, size),
		acl_apis[ld(&place->block->created.api)].name);
	finding_api(f, "allocated by", ld(&place->block->created.api));
	finding_bytes(f, "size", place->size);
	finding_block(c, f, "memory", place->block);
	finding_show(c, f);
}

/* The block that begins at the address the function is given. */
static bool block_freed(struct checks *c, const struct acl_event *ev, struct acl_place *place)
{
	const void *address = ACL_ARGS(ev, aclrtFree)->devPtr;

	return address && !ev->carry[CARRY_FINDING] && map_find(c->memory, (uintptr_t)address, place) &&
	       place->base == (uintptr_t)address;
}

static void device_free(struct checks *c, struct acl_event *ev)
{
	struct acl_place place;

	/* Where host and device memory are one it works all the same. */
	if (block_freed(c, ev, &place) &&
		rule_broken(ev, RULE("free-host-with-device-free"), place.kind == MEM_HOST))
		report(c, ev, RULE("free-host-with-device-free"), &place, ld(&c->run_mode) == ACL_DEVICE);
}

static void host_free(struct checks *c, struct acl_event *ev)
{
	struct acl_place place;

	if (ld(&c->run_mode) != ACL_DEVICE && block_freed(c, ev, &place) &&
		rule_broken(ev, RULE("free-device-with-host-free"),
			place.kind == MEM_DEVICE || place.kind == MEM_MANAGED || place.kind == MEM_POOL))
		report(c, ev, RULE("free-device-with-host-free"), &place, false);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtFree, ACL_ENTER, device_free},
	{ACL_API_aclrtFreeWithDevSync, ACL_ENTER, device_free},
	{ACL_API_aclrtFreeHost, ACL_ENTER, host_free},
	{ACL_API_aclrtFreeHostWithDevSync, ACL_ENTER, host_free},
};

const struct acl_topic topic_free = {
	.name = "free", .hooks = hooks, .n_hooks = sizeof(hooks) / sizeof(hooks[0])};
