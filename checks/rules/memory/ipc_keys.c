/* SPDX-License-Identifier: Apache-2.0 */
/* Memory shared between processes: what is exported and imported under which key, and who was admitted. */
#include "checks/rules/memory/ipc_keys.h"

#include "checks/state/freed_memory.h"
#include "checks/state/init_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/physical_state.h"
#include "checks/rules/memory/leak.h"
#include "checks/engine/value_table.h"
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"

/* A slot that is free, else that of a closed import. NULL: not remembered, and so not checked. */
static struct share *slot_take(struct ipc_state *s)
{
	struct share *closed = NULL;
	uint32_t used = load_relaxed(&s->used);

	for (uint32_t i = 0; i < used; i++) {
		if (!load_relaxed(&s->at[i].key))
			return &s->at[i];
		if (load_relaxed(&s->at[i].closed))
			closed = &s->at[i];
	}
	if (used == SHARES)
		return closed;
	store_release(&s->used, used + 1);
	return &s->at[used];
}

static void share_add(struct checks *c, struct acl_call_record *call, enum share_kind kind, uint64_t key,
	const void *base, uint64_t size, bool checks_pid, bool enables_peer)
{
	struct ipc_state *s = ipc(c);
	struct call_site_slot made = {0};
	struct share *e;

	/* The stack is taken before the lock. */
	call_site_take(c, &made, call, true);
	lock(&s->lock);
	e = slot_take(s);
	if (e) {
		store_release(&e->key, 0);
		store_relaxed(&e->base, (uintptr_t)base);
		store_relaxed(&e->size, size);
		store_relaxed(&e->device, -1);
		store_relaxed(&e->kind, kind);
		store_relaxed(&e->closed, false);
		store_relaxed(&e->number, load_relaxed(&s->imports) + 1);
		store_relaxed(&e->checks_pid, checks_pid);
		store_relaxed(&e->admitted, false);
		store_relaxed(&e->enables_peer, enables_peer);
		store_relaxed(&e->said, false);
		store_relaxed(&e->inherited, false);
		store_relaxed(&e->freed_by, NULL);
		for (unsigned i = 0; i < SHARE_USERS; i++) {
			store_relaxed(&e->users[i].position, 0);
			store_relaxed(&e->models[i].model, 0);
		}
		call_site_move(&e->made, &made);
		store_release(&e->key, key);
	}
	unlock(&s->lock);
	if (!e)
		checks_degrade(c, "more open keys of shared memory than the checker follows");
}

/* --- exports ------------------------------------------------------------------------------- */

/* Bytes of the pages the block surely lies in. */
static uint64_t page_bytes(const struct block_lookup *place)
{
	switch (load_relaxed(&place->block->policy) - 1) {
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

/* Where a block of whole pages begins is the runtime's business. */
static bool begins_inside_a_page(const void *address, const struct block_lookup *place, uint64_t page)
{
	return (uintptr_t)address % page && ((uintptr_t)address != place->base || place->size < page);
}

static bool for_peers(unsigned policy)
{
	return policy == ACL_MEM_MALLOC_HUGE_FIRST_P2P || policy == ACL_MEM_MALLOC_HUGE_ONLY_P2P ||
	       policy == ACL_MEM_MALLOC_NORMAL_ONLY_P2P || policy == ACL_MEM_MALLOC_HUGE1G_ONLY_P2P;
}

static void ipc_export_enter(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtIpcMemGetExportKey *a = call->args;
	struct block_lookup place;
	uint64_t page;
	unsigned policy;
	bool address;
	char size[24];

	if (!a->devPtr || !map_find(memory_blocks(c), (uintptr_t)a->devPtr, &place) ||
		place.kind != MEM_DEVICE)
		return;
	page = page_bytes(&place);
	address = begins_inside_a_page(a->devPtr, &place, page);
	FINDING(c, call, "ipc-export-page-alignment", address || a->size % page,
		PARTS(address ? part_none() : part_severity(ACL_SEV_WARNING),
			part_address("devPtr", a->devPtr), part_bytes("size", a->size),
			part_block("memory", place.block)),
		"The memory lies in pages of %s, and the %s is not a multiple of that.",
		human_bytes(page, size), address ? "address" : "size");
	policy = load_relaxed(&place.block->policy);
	if (policy && soc_is(c, "310P"))
		FINDING(c, call, "ipc-export-p2p-policy", !for_peers(policy - 1),
			PARTS(part_address("devPtr", a->devPtr)),
			"The memory was allocated without a P2P policy: another device cannot use it.");
}

static void exported(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtIpcMemGetExportKey *a = call->args;

	if (succeeded(call) && a->key && a->key[0])
		share_add(c, call, SHARE_EXPORT, program_text_key(c, a->key), a->devPtr, a->size, !a->flags,
			false);
}

/* Key of a shareable handle of either form; 0 = not to be followed. */
static uint64_t handle_key(uint64_t value)
{
	return value ? key_of_two(value, 1) : 0;
}

static uint64_t handle_key_v2(struct checks *c, const void *handle, int type)
{
	uint64_t words[16], key = 2;

	if (type == ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT)
		return program_read(c, handle, words, sizeof(words[0])) ? handle_key(words[0]) : 0;
	if (type != ACL_MEM_SHARE_HANDLE_TYPE_FABRIC || !program_read(c, handle, words, sizeof(words)))
		return 0;
	for (unsigned i = 0; i < 16; i++)
		key = key_of_two(key, words[i]);
	return key;
}

static void handle_exported(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMemExportToShareableHandle *a = call->args;

	/* File descriptors are numbers of this process only. */
	if (succeeded(call) && a->shareableHandle && a->handleType == ACL_MEM_HANDLE_TYPE_NONE &&
		handle_key(*a->shareableHandle))
		share_add(c, call, SHARE_HANDLE, handle_key(*a->shareableHandle), a->handle, 0, !a->flags,
			false);
}

static void handle_exported_v2(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMemExportToShareableHandleV2 *a = call->args;
	uint64_t key = succeeded(call) ? handle_key_v2(c, a->shareableHandle, a->shareType) : 0;

	if (key)
		share_add(c, call, SHARE_HANDLE, key, a->handle, 0, !a->flags, false);
}

static void importing_own(struct checks *c, struct acl_call_record *call, uint64_t key)
{
	struct share *s, *own = NULL;

	if (!key)
		return;
	share_each(c, s) if (load_relaxed(&s->kind) == SHARE_HANDLE && load_relaxed(&s->key) == key &&
			     !load_relaxed(&s->inherited)) own = s;
	FINDING(c, call, "vmm-import-same-process", own,
		PARTS(part_handle("physical memory", load_relaxed(&own->base))),
		"This process exported the handle itself.");
}

static void handle_importing(struct checks *c, struct acl_call_record *call)
{
	importing_own(
		c, call, handle_key(ACL_ARGS(call, aclrtMemImportFromShareableHandle)->shareableHandle));
}

static void handle_importing_v2(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMemImportFromShareableHandleV2 *a = call->args;

	importing_own(c, call, handle_key_v2(c, a->shareableHandle, a->shareType));
}

/* --- who may import -------------------------------------------------------------------------- */

static void admit(struct checks *c, const struct acl_call_record *call, uint64_t key, enum share_kind kind)
{
	struct share *s;

	if (succeeded(call) && key)
		share_each(c, s) if (load_relaxed(&s->key) == key && load_relaxed(&s->kind) == kind)
			store_relaxed(&s->admitted, true);
}

static void pid_set(struct checks *c, struct acl_call_record *call)
{
	/* Both begin with the key. */
	admit(c, call, program_text_key(c, ACL_ARGS(call, aclrtIpcMemSetImportPid)->key), SHARE_EXPORT);
}

/* Handles whose size depends on their type are passed by address. */
static void handle_pid_set(struct checks *c, struct acl_call_record *call)
{
	uint64_t handle = acl_arg_value(call->api, call->args, ACL_ROLE_SHAREABLE_HANDLE);
	int type = (int)acl_arg_value(call->api, call->args, ACL_ROLE_SHARE_TYPE);
	bool by_address = acl_arg_has(call->api, ACL_ROLE_SHARE_TYPE);

	admit(c, call, by_address ? handle_key_v2(c, (const void *)handle, type) : handle_key(handle),
		SHARE_HANDLE);
}

/* call NULL: the process ends. */
static void check_admitted(struct checks *c, struct acl_call_record *call, struct share *s)
{
	uint64_t caller = call_site_caller(&s->made);

	if (!load_relaxed(&s->checks_pid) || load_relaxed(&s->inherited))
		return;
	if (FINDING(c, call, "share-whitelist-missing",
		    !load_relaxed(&s->admitted) && !load_relaxed(&s->said),
		    PARTS(part_site(caller), part_where(load_relaxed(&s->made.where)),
			    part_api("exported by", call_site_api(&s->made))),
		    "It was exported by %s so that importing processes must be admitted, and none was.",
		    acl_apis[call_site_api(&s->made)].name))
		store_relaxed(&s->said, true);
}

static void physical_freeing(struct checks *c, struct acl_call_record *call)
{
	const void *handle = ACL_ARGS(call, aclrtFreePhysical)->handle;
	struct share *s;

	if (handle)
		share_each(c, s) if (load_relaxed(&s->kind) == SHARE_HANDLE &&
				     load_relaxed(&s->base) == (uintptr_t)handle) check_admitted(c, call, s);
}

/* With the last reference its shareable handles end: the values may come again, from other processes. */
static void physical_freed(struct checks *c, struct acl_call_record *call)
{
	const void *handle = ACL_ARGS(call, aclrtFreePhysical)->handle;
	struct acl_object *o = handle ? object_live(c, ACL_HANDLE_PHYS_MEM, handle) : NULL;
	struct share *s;

	/* The state counts the release after this. */
	if (!handle || !succeeded(call) || (o && load_relaxed(&physical_state(o)->references) > 1))
		return;
	share_each(c, s) if (load_relaxed(&s->kind) == SHARE_HANDLE &&
			     load_relaxed(&s->base) == (uintptr_t)handle) store_release(&s->key, 0);
}

/* --- imports ------------------------------------------------------------------------------- */

static bool covers(struct share *s, uint64_t address)
{
	return load_relaxed(&s->kind) == SHARE_IMPORT && address >= load_relaxed(&s->base) &&
	       address - load_relaxed(&s->base) < load_relaxed(&s->size);
}

/* Where it lies, as one who sees the exporter knows. */
static void exporter_learn(struct checks *c, uint64_t key)
{
	uint64_t device = value_table_value(&ipc(c)->exporters, key);
	struct share *s;

	if (device)
		share_each(c, s) if (load_relaxed(&s->key) == key && load_relaxed(&s->kind) == SHARE_IMPORT)
			store_relaxed(&s->device, (int32_t)device - 1);
}

static void ipc_peer(struct checks *c, const struct checks_peer_news *news, uint64_t key)
{
	if (news->act == CHECKS_PEER_ON_DEVICE)
		value_table_set(c, &ipc(c)->exporters, key, (uint64_t)news->device + 1);
}

static void imported(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtIpcMemImportByKey *a = call->args;
	struct share *s;

	if (!succeeded(call) || !a->key || !a->devPtr || !*a->devPtr)
		return;
	/* Addresses are given out again. */
	share_each(c, s) if (load_relaxed(&s->closed) && covers(s, (uintptr_t)*a->devPtr))
		store_release(&s->key, 0);
	share_add(c, call, SHARE_IMPORT, program_text_key(c, a->key), *a->devPtr, KNOWN_BYTES, false,
		a->flags & ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS);
	exporter_learn(c, program_text_key(c, a->key));
	counter_inc(&ipc(c)->imports);
	checks_when(c, WHEN_IMPORTED);
}

struct share *share_closed_by(struct checks *c, const struct acl_call_record *call)
{
	uint64_t key = program_text_key(c, ACL_ARGS(call, aclrtIpcMemClose)->key);
	struct share *s, *found = NULL;

	share_each(c, s)
	{
		if (load_relaxed(&s->key) != key || load_relaxed(&s->closed) ||
			load_relaxed(&s->kind) == SHARE_HANDLE)
			continue;
		if (load_relaxed(&s->kind) == SHARE_IMPORT)
			return s;
		found = s;
	}
	return found;
}

static void closing(struct checks *c, struct acl_call_record *call)
{
	struct share *s = share_closed_by(c, call);

	if (s && load_relaxed(&s->kind) == SHARE_EXPORT)
		check_admitted(c, call, s);
}

static void closed(struct checks *c, struct acl_call_record *call)
{
	struct share *s = succeeded(call) ? share_closed_by(c, call) : NULL;

	if (!s)
		return;
	if (load_relaxed(&s->kind) == SHARE_IMPORT) {
		store_relaxed(&s->closed_after, load_relaxed(&ipc(c)->imports));
		store_relaxed(&s->closed, true);
	} else
		store_release(&s->key, 0);
}

/* An import that came after the close, and may have the address by now: where it ends is not known. */
static bool may_be_taken(struct checks *c, struct share *closed, uint64_t address)
{
	struct share *s;

	share_each(c, s) if (load_relaxed(&s->kind) == SHARE_IMPORT && !load_relaxed(&s->closed) &&
			     load_relaxed(&s->number) > load_relaxed(&closed->closed_after) &&
			     load_relaxed(&s->base) <= address) return true;
	return false;
}

struct share *import_at(struct checks *c, const void *address)
{
	struct share *s, *found = NULL;

	share_each(c, s)
	{
		if (!covers(s, (uintptr_t)address))
			continue;
		if (!load_relaxed(&s->closed))
			return s;
		found = s;
	}
	return found && !may_be_taken(c, found, (uintptr_t)address) ? found : NULL;
}

void import_reaches(struct checks *c, uint64_t address, uint64_t bytes)
{
	struct share *s;

	share_each(c, s)
	{
		uint64_t offset = address - load_relaxed(&s->base);

		if (covers(s, address) && !load_relaxed(&s->closed) && bytes <= UINT64_MAX - address &&
			offset + bytes > load_relaxed(&s->size))
			store_relaxed(&s->size, offset + bytes);
	}
}

static void range_answered(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMemGetAddressRange *a = call->args;

	if (succeeded(call) && a->pbase && a->psize)
		import_reaches(c, (uintptr_t)*a->pbase, *a->psize);
}

/* The runtime's word on whose memory it is. */
static void told_where(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtPointerGetAttributes *a = call->args;
	struct share *s = load_relaxed(&ipc(c)->imports) && a->ptr ? import_at(c, a->ptr) : NULL;

	if (s && succeeded(call) && a->attributes &&
		a->attributes->location.type == ACL_MEM_LOCATION_TYPE_DEVICE)
		store_relaxed(&s->device, (int32_t)a->attributes->location.id);
}

void share_history(struct acl_object_history *out, const void *share)
{
	struct share *s = (struct share *)share;
	struct freed_block b = {.base = load_relaxed(&s->base),
		.size = load_relaxed(&s->kind) == SHARE_EXPORT ? load_relaxed(&s->size) : 0,
		.kind = load_relaxed(&s->kind) == SHARE_IMPORT ? MEM_IMPORTED : MEM_DEVICE,
		.device = (int8_t)load_relaxed(&s->device)};

	call_site_copy(&b.created, &s->made);
	freed_history(out, &b);
}

/* --- the end ---------------------------------------------------------------------------------- */

static struct finding_part key_never_closed(const void *share)
{
	return part_history("never closed", share_history, share);
}

static void ipc_finish(struct checks *c, enum checks_end kind)
{
	struct leaks left = {0};
	struct share *s;

	if (!end_is_whole(c, kind))
		return;
	share_each(c, s)
	{
		if (load_relaxed(&s->kind) != SHARE_IMPORT)
			check_admitted(c, NULL, s);
		if (load_relaxed(&s->kind) != SHARE_HANDLE && !load_relaxed(&s->closed) &&
			!load_relaxed(&s->inherited))
			leak_add(&left, call_site_caller(&s->made), 0, s);
	}
	leak_report(c, NULL, RULE("leak-ipc-key"), &left, 0, "keys of shared memory", "never closed",
		key_never_closed);
}

static void ipc_forked(struct checks *c)
{
	struct share *s;

	share_each(c, s) store_relaxed(&s->inherited, true);
}

static const struct check_hook hooks[] = {
	{ON_OP(EXPORT_MEMORY), ACL_ENTER, ipc_export_enter},
	{ON_OP(EXPORT_MEMORY), ACL_LEAVE, exported},
	{ON_OP(PERMIT_MEMORY), ACL_LEAVE, pid_set},
	{ON_OP(IMPORT_MEMORY), ACL_LEAVE, imported},
	{ON_OP(CLOSE_MEMORY), ACL_ENTER, closing},
	{ON_OP(CLOSE_MEMORY), ACL_LEAVE, closed},
	{ON_OP_WITH(EXPORT_PHYSICAL, HANDLE_TYPE), ACL_LEAVE, handle_exported},
	{ON_OP_WITH(EXPORT_PHYSICAL, SHARE_TYPE), ACL_LEAVE, handle_exported_v2},
	{ON_OP_WITH(IMPORT_PHYSICAL, DEVICE), ACL_ENTER, handle_importing},
	{ON_OP_WITH(IMPORT_PHYSICAL, FLAGS), ACL_ENTER, handle_importing_v2},
	{ON_OP(PERMIT_PHYSICAL), ACL_LEAVE, handle_pid_set},
	{ON_OP(FREE_PHYSICAL), ACL_ENTER, physical_freeing},
	{ON_OP(FREE_PHYSICAL), ACL_LEAVE, physical_freed},
	{ON_OP(INFO_POINTER), ACL_LEAVE, told_where},
	{ON_OP(INFO_ADDRESS_RANGE), ACL_LEAVE | ACL_WHEN(IMPORTED), range_answered},
};

const struct check_module module_ipc = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct ipc_state),
	.peer = ipc_peer,
	.finish = ipc_finish,
	.forked = ipc_forked,
};
