/* SPDX-License-Identifier: Apache-2.0 */
/* Memory shared with other processes by key. */
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

struct sharing_state {
	struct pairs keys; /* text of a memory key -> 1 + times open */
	struct pairs shared; /* base of exported memory -> 1 + exports */
	struct pairs shared_base; /* text of a memory key -> base exported under it */
};

static struct sharing_state *sharing(struct checks *c)
{
	return c->topic[TOPIC_SHARING];
}

static void say_range(
	struct checks *c, struct acl_event *ev, const struct acl_place *place, const char *detail)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_first(c, ev, RULE("ipc-export-range"), &room);

	if (!f)
		return;
	finding_detail(f, detail, memory_kind_name(place->kind));
	finding_address(f, "devPtr", ACL_ARGS(ev, aclrtIpcMemGetExportKey)->devPtr);
	finding_bytes(f, "size", ACL_ARGS(ev, aclrtIpcMemGetExportKey)->size);
	finding_block(c, f, "memory", place->block);
	finding_show(c, f);
}

static void exporting(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtIpcMemGetExportKey *a = ev->args;
	struct acl_place place;

	if (!a->devPtr || !map_find(c->memory, (uintptr_t)a->devPtr, &place))
		return;
	rule_asked(ev, RULE("ipc-export-range"));
	if (place.kind != MEM_DEVICE)
		say_range(c, ev, &place, "Only memory of aclrtMalloc can be shared, this is %s.");
	else if ((uintptr_t)a->devPtr - place.base + a->size > place.size)
		say_range(c, ev, &place, "The range goes beyond the end of the %s.");
}

static void key_opened(struct checks *c, const char *key)
{
	uint64_t now = pairs_value(&sharing(c)->keys, key_of_text(key));

	pairs_set(&sharing(c)->keys, key_of_text(key), now ? now + 1 : 2);
}

static void exported(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtIpcMemGetExportKey *a = ev->args;
	struct acl_place place;
	uint64_t now;

	if (!succeeded(ev) || !a->key || !a->key[0])
		return;
	key_opened(c, a->key);
	if (!map_find(c->memory, (uintptr_t)a->devPtr, &place))
		return;
	now = pairs_value(&sharing(c)->shared, place.base);
	pairs_set(&sharing(c)->shared, place.base, now ? now + 1 : 2);
	pairs_set(&sharing(c)->shared_base, key_of_text(a->key), place.base);
}

static void imported(struct checks *c, struct acl_event *ev)
{
	const char *key = ACL_ARGS(ev, aclrtIpcMemImportByKey)->key;

	if (succeeded(ev) && key)
		key_opened(c, key);
}

static void closing(struct checks *c, struct acl_event *ev)
{
	const char *key = ACL_ARGS(ev, aclrtIpcMemClose)->key;
	uint64_t now;

	/* A key nobody showed us may have been made below us. */
	if (key && pairs_get(&sharing(c)->keys, key_of_text(key), &now) &&
		rule_broken(ev, RULE("ipc-close-unknown"), now == 1))
		finding_say(c, ev, RULE("ipc-close-unknown"), "key", key, "The key was closed before.");
}

static void closed(struct checks *c, struct acl_event *ev)
{
	const char *key = ACL_ARGS(ev, aclrtIpcMemClose)->key;
	uint64_t now, base;

	if (!key || !succeeded(ev) || !pairs_get(&sharing(c)->keys, key_of_text(key), &now) || now < 2)
		return;
	pairs_set(&sharing(c)->keys, key_of_text(key), now - 1);
	if (now > 2 || !pairs_get(&sharing(c)->shared_base, key_of_text(key), &base) || !base)
		return;
	pairs_set(&sharing(c)->shared_base, key_of_text(key), 0);
	now = pairs_value(&sharing(c)->shared, base);
	if (now > 1)
		pairs_set(&sharing(c)->shared, base, now - 1);
}

static void freeing(struct checks *c, struct acl_event *ev)
{
	const void *p = ACL_ARGS(ev, aclrtFree)->devPtr;
	struct acl_place place;

	if (!p || !ld(&sharing(c)->shared.used) || !map_find(c->memory, (uintptr_t)p, &place) ||
		!rule_broken(ev, RULE("ipc-free-while-exported"),
			pairs_value(&sharing(c)->shared, (uintptr_t)p) >= 2))
		return;
	finding_say(c, ev, RULE("ipc-free-while-exported"), "devPtr", p,
		"The memory is shared with other processes; aclrtIpcMemClose comes first.");
}

static void freed(struct checks *c, struct acl_event *ev)
{
	if (succeeded(ev) && ld(&sharing(c)->shared.used) &&
		pairs_value(&sharing(c)->shared, (uintptr_t)ACL_ARGS(ev, aclrtFree)->devPtr) > 1)
		pairs_set(&sharing(c)->shared, (uintptr_t)ACL_ARGS(ev, aclrtFree)->devPtr, 1);
}

static bool sharing_create(struct checks *c)
{
	c->topic[TOPIC_SHARING] = checks_alloc(c, sizeof(struct sharing_state));
	return c->topic[TOPIC_SHARING] != NULL;
}

static void sharing_forked(struct checks *c)
{
	st(&sharing(c)->keys.lock.held, 0);
	st(&sharing(c)->shared.lock.held, 0);
	st(&sharing(c)->shared_base.lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtIpcMemGetExportKey, ACL_ENTER, exporting},
	{ACL_API_aclrtIpcMemGetExportKey, ACL_LEAVE, exported},
	{ACL_API_aclrtIpcMemImportByKey, ACL_LEAVE, imported},
	{ACL_API_aclrtIpcMemClose, ACL_ENTER, closing},
	{ACL_API_aclrtIpcMemClose, ACL_LEAVE, closed},
	{ACL_API_aclrtFree, ACL_ENTER, freeing},
	{ACL_API_aclrtFree, ACL_LEAVE, freed},
	{ACL_API_aclrtFreeWithDevSync, ACL_ENTER, freeing},
	{ACL_API_aclrtFreeWithDevSync, ACL_LEAVE, freed},
};

const struct acl_topic topic_sharing = {
	.name = "sharing",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = sharing_create,
	.forked = sharing_forked,
};
