/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared memory as other processes use it.  One process alone cannot know: a replay of several
 * reports it (checks_peer()), and without a replay these hooks are not called.
 */
#include <string.h>

#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/rules/memory/ipc_keys.h"

#define PEER_USES 256

/* Memory of this process that another one has imported. */
struct peer_use {
	uint64_t key; /* as program_text_key() has it */
	uint64_t base;
	unsigned times; /* imported and not closed, 0 = free */
	const char *who;
};

/* Written and read by one thread: that which replays. */
struct peer_state {
	struct peer_use at[PEER_USES];
	uint64_t unknown; /* the key that is about to be imported, and no process has exported */
};

static struct peer_state *peers(struct checks *c)
{
	return module_state(c, peers);
}

static struct share *open_share(struct checks *c, uint64_t key, enum share_kind kind)
{
	struct share *s;

	share_each(c, s) if (load_relaxed(&s->key) == key && load_relaxed(&s->kind) == kind &&
			     !load_relaxed(&s->closed)) return s;
	return NULL;
}

/* who NULL: of any. */
static struct peer_use *use_of(struct checks *c, uint64_t key, const char *who)
{
	struct peer_use *at = peers(c)->at;

	for (struct peer_use *u = at; u < at + PEER_USES; u++)
		if (u->times && u->key == key && (!who || !strcmp(u->who, who)))
			return u;
	return NULL;
}

static struct peer_use *use_of_base(struct checks *c, uint64_t base)
{
	struct peer_use *at = peers(c)->at;

	for (struct peer_use *u = at; u < at + PEER_USES; u++)
		if (u->times && u->base == base)
			return u;
	return NULL;
}

/* --- what the others did --------------------------------------------------------- */

static void peer_imported(struct checks *c, uint64_t key, const char *who)
{
	struct share *s = open_share(c, key, SHARE_EXPORT);
	struct peer_use *u = use_of(c, key, who), *at = peers(c)->at;

	for (struct peer_use *free = at; s && !u && free < at + PEER_USES; free++)
		if (!free->times) {
			u = free;
			*u = (struct peer_use){.key = key, .base = load_relaxed(&s->base), .who = who};
		}
	if (u)
		u->times++;
	else if (s)
		checks_degrade(c, "more memory that other processes have imported than the checker follows");
}

static void peer_closed(struct checks *c, uint64_t key, const char *who)
{
	struct peer_use *u = use_of(c, key, who);

	if (u)
		u->times--;
}

static void peer_freed(struct checks *c, uint64_t key, const char *who)
{
	struct share *s;

	share_each(c, s) if (load_relaxed(&s->key) == key && load_relaxed(&s->kind) == SHARE_IMPORT)
		store_relaxed(&s->freed_by, who);
}

static void peer_did(struct checks *c, const struct checks_peer_news *news, uint64_t key)
{
	switch (news->act) {
	case CHECKS_PEER_IMPORTED:
		peer_imported(c, key, news->who);
		break;
	case CHECKS_PEER_CLOSED:
		peer_closed(c, key, news->who);
		break;
	case CHECKS_PEER_FREED:
		peer_freed(c, key, news->who);
		break;
	case CHECKS_PEER_UNKNOWN_KEY:
		peers(c)->unknown = key;
		break;
	default:
		break;
	}
}

/* --- calls ------------------------------------------------------------------------- */

static void shared_close_enter(struct checks *c, struct acl_call_record *call)
{
	const char *key = ACL_ARGS(call, aclrtIpcMemClose)->key;
	uint64_t text = program_text_key(c, key);
	struct peer_use *u = use_of(c, text, NULL);

	/* A process that imports its own memory closes that first. */
	if (!text || !open_share(c, text, SHARE_EXPORT) || open_share(c, text, SHARE_IMPORT))
		return;
	FINDING(c, call, "ipc-exporter-closed-first", u, PARTS(part_address("key", key)),
		"The memory is still imported by %s.", u->who);
}

/* Where the key is open, that is the mistake to name. */
static void shared_free_enter(struct checks *c, struct acl_call_record *call)
{
	const void *p = ACL_ARGS(call, aclrtFree)->devPtr;
	struct peer_use *u = use_of_base(c, (uintptr_t)p);

	if (!p || (u && open_share(c, u->key, SHARE_EXPORT)))
		return;
	FINDING(c, call, "ipc-free-while-exported", u, PARTS(part_address("devPtr", p)),
		"The memory is still imported by %s: it closes the key first.", u->who);
}

static void shared_free_leave(struct checks *c, struct acl_call_record *call)
{
	uintptr_t base = (uintptr_t)ACL_ARGS(call, aclrtFree)->devPtr;
	struct peer_use *u;

	while (succeeded(call) && base && (u = use_of_base(c, base)))
		u->times = 0;
}

static void unknown_import_leave(struct checks *c, struct acl_call_record *call)
{
	const char *key = ACL_ARGS(call, aclrtIpcMemImportByKey)->key;
	uint64_t text = program_text_key(c, key);

	if (!text)
		return;
	FINDING(c, call, "ipc-import-unknown-key", !succeeded(call) && peers(c)->unknown == text,
		PARTS(part_address("key", key)), "No process of the run has exported this key so far.");
	peers(c)->unknown = 0;
}

static const struct check_hook hooks[] = {
	{ON_OP(CLOSE_MEMORY), ACL_ENTER | ACL_WHEN(PEERS), shared_close_enter},
	{ON_OP(FREE_DEVICE), ACL_ENTER | ACL_WHEN(PEERS), shared_free_enter},
	{ON_OP(FREE_DEVICE), ACL_LEAVE | ACL_WHEN(PEERS), shared_free_leave},
	{ON_OP(IMPORT_MEMORY), ACL_LEAVE | ACL_WHEN(PEERS), unknown_import_leave},
};

const struct check_module module_peers = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct peer_state),
	.peer = peer_did,
};
