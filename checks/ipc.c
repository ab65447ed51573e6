/* SPDX-License-Identifier: Apache-2.0 */
/* Memory shared between processes: what is exported and imported under which key, and who was admitted. */
#include "checks/ipc.h"

#include "checks/freed.h"
#include "checks/leak.h"
#include "checks/pairs.h"
#include "checks/report.h"

/* A slot that is free, else that of a closed import. NULL: not remembered, and so not judged. */
static struct share *slot_take(struct ipc_state *s)
{
	struct share *closed = NULL;
	uint32_t used = ld(&s->used);

	for (uint32_t i = 0; i < used; i++) {
		if (!ld(&s->at[i].key))
			return &s->at[i];
		if (ld(&s->at[i].closed))
			closed = &s->at[i];
	}
	if (used == SHARES)
		return closed;
	st_release(&s->used, used + 1);
	return &s->at[used];
}

static void share_add(struct checks *c, struct acl_event *ev, enum share_kind kind, uint64_t key,
	const void *base, uint64_t size, bool checks_pid, bool enables_peer)
{
	struct ipc_state *s = ipc(c);
	struct moment made = {0};
	struct share *e;

	/* The stack is taken before the lock. */
	moment_take(c, &made, ev, true);
	lock(&s->lock);
	e = slot_take(s);
	if (e) {
		st_release(&e->key, 0);
		st(&e->base, (uintptr_t)base);
		st(&e->size, size);
		st(&e->device, -1);
		st(&e->kind, kind);
		st(&e->closed, false);
		st(&e->checks_pid, checks_pid);
		st(&e->admitted, false);
		st(&e->enables_peer, enables_peer);
		st(&e->said, false);
		st(&e->inherited, false);
		st(&e->made.caller, ld(&made.caller));
		st(&e->made.stack, ld(&made.stack));
		st(&e->made.tid, ld(&made.tid));
		st(&e->made.api, ld(&made.api));
		st_release(&e->key, key);
	}
	unlock(&s->lock);
}

/* --- exports ------------------------------------------------------------------------------- */

/* Bytes of the pages the block surely lies in. */
static uint64_t page_bytes(const struct acl_place *place)
{
	switch (ld(&place->block->policy) - 1) {
	case ACL_MEM_MALLOC_HUGE_ONLY:
	case ACL_MEM_MALLOC_HUGE_ONLY_P2P:
		return 2u << 20;
	case ACL_MEM_MALLOC_HUGE1G_ONLY:
	case ACL_MEM_MALLOC_HUGE1G_ONLY_P2P:
		return 1u << 30;
	default:
		return 4096;
	}
}

static bool for_peers(unsigned policy)
{
	return policy == ACL_MEM_MALLOC_HUGE_FIRST_P2P || policy == ACL_MEM_MALLOC_HUGE_ONLY_P2P ||
	       policy == ACL_MEM_MALLOC_NORMAL_ONLY_P2P || policy == ACL_MEM_MALLOC_HUGE1G_ONLY_P2P;
}

static void say_pages(struct checks *c, struct acl_event *ev, const struct acl_place *place, uint64_t page)
{
	const struct acl_args_aclrtIpcMemGetExportKey *a = ev->args;
	bool address = (uintptr_t)a->devPtr % page != 0;
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;
	char size[24];

	if (!address)
		grade.severity = ACL_SEV_WARNING;
	f = finding_begin_as(c, ev, RULE("ipc-export-page-alignment"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "The memory lies in pages of %s, and the %s is no multiple of that.",
		human_bytes(page, size), address ? "address" : "size");
	finding_address(f, "devPtr", a->devPtr);
	finding_bytes(f, "size", a->size);
	finding_block(c, f, "memory", place->block);
	finding_show(c, f);
}

static void exporting(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtIpcMemGetExportKey *a = ev->args;
	struct acl_place place;
	uint64_t page;
	unsigned policy;

	if (!a->devPtr || ev->carry[CARRY_FINDING] || !map_find(c->memory, (uintptr_t)a->devPtr, &place) ||
		place.kind != MEM_DEVICE)
		return;
	page = page_bytes(&place);
	if (rule_broken(ev, RULE("ipc-export-page-alignment"), ((uintptr_t)a->devPtr | a->size) % page))
		say_pages(c, ev, &place, page);
	policy = ld(&place.block->policy);
	if (policy && c->soc && strstr(c->soc, "310P") &&
		rule_broken(ev, RULE("ipc-export-p2p-policy"), !for_peers(policy - 1)))
		finding_say(c, ev, RULE("ipc-export-p2p-policy"), "devPtr", a->devPtr,
			"The memory was allocated without a P2P policy: another device cannot use it.");
}

static void exported(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtIpcMemGetExportKey *a = ev->args;

	if (succeeded(ev) && a->key && a->key[0])
		share_add(c, ev, SHARE_EXPORT, key_of_text(a->key), a->devPtr, a->size, !a->flags, false);
}

/* Key of a shareable handle of either form; 0 = not to be followed. */
static uint64_t handle_key(uint64_t value)
{
	return value ? key_of_two(value, 1) : 0;
}

static uint64_t handle_key_v2(const void *handle, int type)
{
	const uint64_t *words = handle;
	uint64_t key = 2;

	if (!handle)
		return 0;
	if (type == ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT)
		return handle_key(words[0]);
	for (unsigned i = 0; type == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC && i < 16; i++)
		key = key_of_two(key, words[i]);
	return type == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC ? key : 0;
}

static void handle_exported(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemExportToShareableHandle *a = ev->args;

	/* File descriptors are numbers of this process only. */
	if (succeeded(ev) && a->shareableHandle && a->handleType == ACL_MEM_HANDLE_TYPE_NONE &&
		handle_key(*a->shareableHandle))
		share_add(
			c, ev, SHARE_HANDLE, handle_key(*a->shareableHandle), a->handle, 0, !a->flags, false);
}

static void handle_exported_v2(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemExportToShareableHandleV2 *a = ev->args;
	uint64_t key = succeeded(ev) ? handle_key_v2(a->shareableHandle, a->shareType) : 0;

	if (key)
		share_add(c, ev, SHARE_HANDLE, key, a->handle, 0, !a->flags, false);
}

static void importing_own(struct checks *c, struct acl_event *ev, uint64_t key)
{
	struct finding_buffer room;
	struct share *s, *own = NULL;
	struct acl_finding *f;

	if (!key || ev->carry[CARRY_FINDING])
		return;
	share_each(c, s) if (ld(&s->kind) == SHARE_HANDLE && ld(&s->key) == key && !ld(&s->inherited)) own =
		s;
	if (!rule_broken(ev, RULE("vmm-import-same-process"), own))
		return;
	f = finding_begin(c, ev, RULE("vmm-import-same-process"), &room);
	if (!f)
		return;
	finding_detail(f, "This process exported the handle itself.");
	finding_address(f, "physical memory", (const void *)(uintptr_t)ld(&own->base));
	finding_show(c, f);
}

static void handle_importing(struct checks *c, struct acl_event *ev)
{
	importing_own(c, ev, handle_key(ACL_ARGS(ev, aclrtMemImportFromShareableHandle)->shareableHandle));
}

static void handle_importing_v2(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemImportFromShareableHandleV2 *a = ev->args;

	importing_own(c, ev, handle_key_v2(a->shareableHandle, a->shareType));
}

/* --- who may import -------------------------------------------------------------------------- */

static void admit(struct checks *c, const struct acl_event *ev, uint64_t key, enum share_kind kind)
{
	struct share *s;

	if (succeeded(ev) && key)
		share_each(c, s) if (ld(&s->key) == key && ld(&s->kind) == kind) st(&s->admitted, true);
}

static void pid_set(struct checks *c, struct acl_event *ev)
{
	/* Both begin with the key. */
	const char *key = ACL_ARGS(ev, aclrtIpcMemSetImportPid)->key;

	admit(c, ev, key ? key_of_text(key) : 0, SHARE_EXPORT);
}

static void handle_pid_set(struct checks *c, struct acl_event *ev)
{
	admit(c, ev, handle_key(ACL_ARGS(ev, aclrtMemSetPidToShareableHandle)->shareableHandle),
		SHARE_HANDLE);
}

static void handle_pid_set_v2(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemSetPidToShareableHandleV2 *a = ev->args;

	admit(c, ev, handle_key_v2(a->shareableHandle, a->shareType), SHARE_HANDLE);
}

static void nobody_admitted(struct checks *c, struct acl_event *ev, struct share *s)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	if (!ld(&s->checks_pid) || ld(&s->inherited))
		return;
	if (ev)
		rule_asked(ev, RULE("share-whitelist-missing"));
	else
		rule_asked_at_end(c, RULE("share-whitelist-missing"));
	if (ld(&s->admitted) || ld(&s->said))
		return;
	st(&s->said, true);
	grade.site = grade.caller = ld(&s->made.caller);
	f = finding_begin_as(c, ev, RULE("share-whitelist-missing"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "It was exported by %s so that importing processes must be admitted, and none was.",
		acl_apis[ld(&s->made.api)].name);
	finding_api(f, "exported by", ld(&s->made.api));
	finding_show(c, f);
}

static void physical_freeing(struct checks *c, struct acl_event *ev)
{
	const void *handle = ACL_ARGS(ev, aclrtFreePhysical)->handle;
	struct share *s;

	if (handle)
		share_each(c, s) if (ld(&s->kind) == SHARE_HANDLE && ld(&s->base) == (uintptr_t)handle)
			nobody_admitted(c, ev, s);
}

/* --- imports ------------------------------------------------------------------------------- */

static void imported(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtIpcMemImportByKey *a = ev->args;
	struct share *s;

	if (!succeeded(ev) || !a->key || !a->devPtr || !*a->devPtr)
		return;
	/* Addresses are given out again. */
	share_each(c, s) if (ld(&s->closed) && ld(&s->base) == (uintptr_t)*a->devPtr) st_release(&s->key, 0);
	share_add(c, ev, SHARE_IMPORT, key_of_text(a->key), *a->devPtr, KNOWN_BYTES, false,
		a->flags & ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS);
	bump(&ipc(c)->imports);
	checks_unusual(c);
}

/* What a close of the key ends: the oldest import, else an export. */
static struct share *closes(struct checks *c, const struct acl_event *ev)
{
	const char *text = ACL_ARGS(ev, aclrtIpcMemClose)->key;
	uint64_t key = text ? key_of_text(text) : 0;
	struct share *s, *found = NULL;

	share_each(c, s)
	{
		if (ld(&s->key) != key || ld(&s->closed) || ld(&s->kind) == SHARE_HANDLE)
			continue;
		if (ld(&s->kind) == SHARE_IMPORT)
			return s;
		found = s;
	}
	return found;
}

static void closing(struct checks *c, struct acl_event *ev)
{
	struct share *s = closes(c, ev);

	if (s && ld(&s->kind) == SHARE_EXPORT)
		nobody_admitted(c, ev, s);
}

static void closed(struct checks *c, struct acl_event *ev)
{
	struct share *s = succeeded(ev) ? closes(c, ev) : NULL;

	if (!s)
		return;
	if (ld(&s->kind) == SHARE_IMPORT)
		st(&s->closed, true);
	else
		st_release(&s->key, 0);
}

struct share *import_at(struct checks *c, const void *address)
{
	struct share *s, *found = NULL;

	share_each(c, s)
	{
		if (ld(&s->kind) != SHARE_IMPORT || (uintptr_t)address < ld(&s->base) ||
			(uintptr_t)address - ld(&s->base) >= ld(&s->size))
			continue;
		if (!ld(&s->closed))
			return s;
		found = s;
	}
	return found;
}

/* The runtime's word on whose memory it is. */
static void told_where(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtPointerGetAttributes *a = ev->args;
	struct share *s = ld(&ipc(c)->imports) && a->ptr ? import_at(c, a->ptr) : NULL;

	if (s && succeeded(ev) && a->attributes &&
		a->attributes->location.type == ACL_MEM_LOCATION_TYPE_DEVICE)
		st(&s->device, (int32_t)a->attributes->location.id);
}

void share_show(struct acl_finding *f, const char *role, struct share *s)
{
	struct freed_block b = {.base = ld(&s->base),
		.size = ld(&s->kind) == SHARE_EXPORT ? ld(&s->size) : 0,
		.kind = ld(&s->kind) == SHARE_IMPORT ? MEM_IMPORTED : MEM_DEVICE,
		.device = (int8_t)ld(&s->device)};

	moment_copy(&b.created, &s->made);
	finding_freed(f, role, &b);
}

/* --- the end ---------------------------------------------------------------------------------- */

static void show_left(struct checks *c, struct acl_finding *f, const void *sample)
{
	(void)c;
	share_show(f, "never closed", (struct share *)sample);
}

static void ipc_finish(struct checks *c, enum checks_end kind)
{
	struct leaks left = {0};
	struct share *s;

	if (kind != CHECKS_END_EXIT)
		return;
	share_each(c, s)
	{
		if (ld(&s->kind) != SHARE_IMPORT)
			nobody_admitted(c, NULL, s);
		if (ld(&s->kind) != SHARE_HANDLE && !ld(&s->closed) && !ld(&s->inherited))
			leak_add(&left, ld(&s->made.caller), 0, s);
	}
	leak_tell(
		c, NULL, RULE("leak-ipc-key"), &left, 0, "keys of shared memory", "never closed", show_left);
}

static bool ipc_create(struct checks *c)
{
	c->topic[TOPIC_IPC] = checks_alloc(c, sizeof(struct ipc_state));
	return c->topic[TOPIC_IPC] != NULL;
}

static void ipc_forked(struct checks *c)
{
	struct share *s;

	st(&ipc(c)->lock.held, 0);
	share_each(c, s) st(&s->inherited, true);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtIpcMemGetExportKey, ACL_ENTER, exporting},
	{ACL_API_aclrtIpcMemGetExportKey, ACL_LEAVE, exported},
	{ACL_API_aclrtIpcMemSetImportPid, ACL_LEAVE, pid_set},
	{ACL_API_aclrtIpcMemImportPidInterServer, ACL_LEAVE, pid_set},
	{ACL_API_aclrtIpcMemImportByKey, ACL_LEAVE, imported},
	{ACL_API_aclrtIpcMemClose, ACL_ENTER, closing},
	{ACL_API_aclrtIpcMemClose, ACL_LEAVE, closed},
	{ACL_API_aclrtMemExportToShareableHandle, ACL_LEAVE, handle_exported},
	{ACL_API_aclrtMemExportToShareableHandleV2, ACL_LEAVE, handle_exported_v2},
	{ACL_API_aclrtMemImportFromShareableHandle, ACL_ENTER, handle_importing},
	{ACL_API_aclrtMemImportFromShareableHandleV2, ACL_ENTER, handle_importing_v2},
	{ACL_API_aclrtMemSetPidToShareableHandle, ACL_LEAVE, handle_pid_set},
	{ACL_API_aclrtMemSetPidToShareableHandleV2, ACL_LEAVE, handle_pid_set_v2},
	{ACL_API_aclrtFreePhysical, ACL_ENTER, physical_freeing},
	{ACL_API_aclrtPointerGetAttributes, ACL_LEAVE, told_where},
};

const struct acl_topic topic_ipc = {
	.name = "memory of other processes",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = ipc_create,
	.finish = ipc_finish,
	.forked = ipc_forked,
};
