/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of other processes: used after its key was closed, copied as it cannot be. */

#include "checks/engine/finding_statement.h"
#include "checks/rules/copy/earlier_access.h"
#include "checks/rules/memory/ipc_keys.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/pending_access.h"
#include "checks/state/signal_state.h"
#include "checks/state/stream_state.h"
#include "checks/state/used_memory.h"

/* Only a replay of both processes knows. */
static void check_owner(struct checks *c, struct acl_call_record *call, const void *address, struct share *s)
{
	const char *who = load_relaxed(&s->freed_by);

	if (who)
		FINDING(c, call, "ipc-use-after-close", true,
			PARTS(part_address("address", address),
				part_history("imported memory", share_history, s)),
			"%s has freed this memory.", who);
}

/* An address of an import; NULL when it is none, or was closed, which is said here. */
static struct share *import_used(struct checks *c, struct acl_call_record *call, const void *address)
{
	struct share *s = address ? import_at(c, address) : NULL;
	struct block_lookup place;

	/* What was allocated there since is no import any more. */
	if (!s || (load_relaxed(&s->closed) && map_find(memory_blocks(c), (uintptr_t)address, &place)))
		return NULL;
	if (FINDING(c, call, "ipc-use-after-close", load_relaxed(&s->closed),
		    PARTS(part_address("address", address),
			    part_history("imported memory", share_history, s)),
		    "The key of this memory was closed: the address leads nowhere."))
		return NULL;
	check_owner(c, call, address, s);
	return s;
}

static bool any_peer(struct checks *c)
{
	for (unsigned i = 0; i < ACL_DEVICES; i++)
		if (load_relaxed(&device_at(c, i)->peers))
			return true;
	return false;
}

static void check_first_use(
	struct checks *c, struct acl_call_record *call, const void *address, struct share *s)
{
	int device = device_current(c, thread_of(call));

	if (load_relaxed(&s->said) || load_relaxed(&s->enables_peer) || device < 0 ||
		load_relaxed(&s->device) == device)
		return;
	store_relaxed(&s->said, true);
	FINDING(c, call, "ipc-import-no-peer", !any_peer(c),
		PARTS(part_address("address", address), part_history("imported memory", share_history, s)),
		"It was imported with flags 0, and this process has enabled no peer access: memory of "
		"another "
		"device cannot be reached so.");
}

enum exporter { EXPORTER_UNKNOWN, EXPORTER_HERE, EXPORTER_FAR, EXPORTER_PERHAPS_FAR };

/* Where the memory lies: the runtime may have said so; the flag for peers is a hint only. */
static enum exporter exporter_of(struct checks *c, const struct acl_call_record *call, struct share *s)
{
	int device = device_current(c, thread_of(call));

	if (device < 0)
		return EXPORTER_UNKNOWN;
	if (load_relaxed(&s->device) >= 0)
		return load_relaxed(&s->device) == device ? EXPORTER_HERE : EXPORTER_FAR;
	return load_relaxed(&s->enables_peer) ? EXPORTER_PERHAPS_FAR : EXPORTER_UNKNOWN;
}

static const char *wrong_direction(const struct operation *op, bool reads, bool both)
{
	if (op->direction == ACL_MEMCPY_DEFAULT)
		return "Memory of another device, shared by another process, is not copied with "
		       "ACL_MEMCPY_DEFAULT.";
	if (op->direction == (reads ? ACL_MEMCPY_DEVICE_TO_HOST : ACL_MEMCPY_HOST_TO_DEVICE))
		return "Memory of another device, shared by another process, is not copied from or to the "
		       "host.";
	if (both && !op->async)
		return "Memory of another device, shared by another process, is not copied within itself "
		       "by a synchronous copy.";
	return NULL;
}

static void check_direction(struct checks *c, struct acl_call_record *call, const struct operation *op,
	const struct op_access *side, struct share *s, bool both)
{
	enum exporter where = exporter_of(c, call, s);
	const char *wrong;

	/* The documents restrict the plain copies that say a direction. */
	if (where == EXPORTER_UNKNOWN || op->kind != ACL_OP_COPY_LINEAR)
		return;
	wrong = where == EXPORTER_HERE ? NULL : wrong_direction(op, side->reads, both);
	/* A program that enables peer access in any case shares memory of one device, too. */
	FINDING(c, call, "ipc-imported-copy-direction", wrong,
		PARTS(part_advice(where == EXPORTER_PERHAPS_FAR), part_address("address", side->address),
			part_history("imported memory", share_history, s)),
		"%s", wrong);
}

static void side_used(struct checks *c, struct acl_call_record *call, const struct operation *op,
	const struct op_access *side, struct share *s, bool both)
{
	if (!s)
		return;
	check_direction(c, call, op, side, s, both);
	check_first_use(c, call, side->address, s);
}

/* What a structure names is no side of a copy. */
static void ranges_used(struct checks *c, struct acl_call_record *call)
{
	struct task_range r[TASK_RANGES];
	unsigned n = task_ranges_possible(call->api) ? task_ranges(c, call, r) : 0;

	for (unsigned i = 0; i < n; i++) {
		struct share *s = import_used(c, call, r[i].at);

		if (s)
			check_first_use(c, call, r[i].at, s);
	}
}

static void ipc_memory_use_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);

	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);
		struct share *src = e.src ? import_used(c, call, e.src->address) : NULL;
		struct share *dst = e.dst ? import_used(c, call, e.dst->address) : NULL;

		side_used(c, call, op, e.src, src, dst != NULL);
		side_used(c, call, op, e.dst, dst, src != NULL);
	}
	ranges_used(c, call);
}

/* The task is the latest of its stream that uses the import; a place whose task is done may be taken. */
static void import_user_note(struct checks *c, const struct acl_call_record *call, struct share *s)
{
	acl_ref stream = object_ref(stream_of(call));
	unsigned at = SHARE_USERS;

	for (unsigned i = SHARE_USERS; i-- > 0;) {
		struct acl_object *user = object_of(c, load_relaxed(&s->users[i].stream));

		if (load_relaxed(&s->users[i].stream) == stream) {
			at = i;
			break;
		}
		if (!user || !stream_pending(user, load_relaxed(&s->users[i].position)))
			at = i;
	}
	if (at == SHARE_USERS)
		return;
	store_relaxed(&s->users[at].position, 0);
	store_release(&s->users[at].stream, stream);
	store_release(&s->users[at].position, call->state.position);
}

/* A captured task uses it, each time the model runs. */
static void import_model_note(struct checks *c, const struct acl_call_record *call, struct share *s)
{
	unsigned at = SHARE_USERS;

	for (unsigned i = SHARE_USERS; i-- > 0;) {
		struct acl_object *model = object_of(c, load_relaxed(&s->models[i].model));

		if (load_relaxed(&s->models[i].model) == call->state.capture)
			return;
		if (!model || !object_usable(model))
			at = i;
	}
	if (at == SHARE_USERS)
		return;
	store_relaxed(&s->models[at].api, (uint16_t)call->api);
	store_release(&s->models[at].model, call->state.capture);
}

static void import_user(struct checks *c, const struct acl_call_record *call, const struct op_access *side)
{
	struct share *s = import_at(c, side->address);
	struct block_lookup place;

	if (!s || load_relaxed(&s->closed) || map_find(memory_blocks(c), (uintptr_t)side->address, &place))
		return;
	if (call->state.capture)
		import_model_note(c, call, s);
	else
		import_user_note(c, call, s);
}

/* What the runtime took is all of one import. */
static void ipc_memory_use_leave(struct checks *c, struct acl_call_record *call)
{
	struct used_memory m;
	const struct op_access *side;
	bool uses;

	if (!succeeded(call))
		return;
	uses = acl_apis[call->api].mode == ACL_MODE_ASYNC && stream_of(call) &&
	       (call->state.capture || (call->state.position && task_runs_now(c, call)));
	used_memory_each(c, call, &m, side)
	{
		if (!side->address || !side->span)
			continue;
		import_reaches(c, (uintptr_t)side->address, side->span);
		if (uses)
			import_user(c, call, side);
	}
}

/* A captured model keeps the address, and nothing keeps the memory there. */
static void import_of_a_model(struct checks *c, struct acl_call_record *call, struct share *s)
{
	struct acl_object *model = NULL, *m;
	unsigned api = 0;
	bool used = false;

	for (unsigned i = 0; i < SHARE_USERS && !model; i++) {
		acl_ref ref = load_acquire(&s->models[i].model);

		used |= ref != 0;
		m = ref ? object_of(c, ref) : NULL;
		api = load_relaxed(&s->models[i].api);
		if (m && object_usable(m))
			model = m;
	}
	if (used)
		FINDING(c, call, "capture-resource-freed-before-destroy", model,
			PARTS(part_api("captured by", api), part_object("model", model),
				part_history("imported memory", share_history, s)),
			"A captured model that is still alive has a task (%s) that uses this memory: after "
			"the close the address leads nowhere.",
			acl_apis[api].name);
}

/* The close unmaps the memory at once, whoever uses it. */
static void import_close_enter(struct checks *c, struct acl_call_record *call)
{
	struct share *s = share_closed_by(c, call);
	struct acl_object *user = NULL;
	uint64_t last = 0;
	bool used = false;

	if (!s || load_relaxed(&s->kind) != SHARE_IMPORT || call->in_exit)
		return;
	import_of_a_model(c, call, s);
	for (unsigned i = 0; i < SHARE_USERS && !user; i++) {
		uint64_t position = load_acquire(&s->users[i].position);
		struct acl_object *o = position ? object_of(c, load_acquire(&s->users[i].stream)) : NULL;

		used |= position != 0;
		/* Of another stream there is first none, and then its own. */
		if (task_surely_pending(c, o, position) && load_relaxed(&s->users[i].position) == position) {
			user = o;
			last = position;
		}
	}
	if (!used)
		return;
	if (user)
		stream_loses(call, user);
	FINDING(c, call, "ipc-use-after-close", user,
		PARTS(part_advice(user && end_may_be_unseen(c, user, last)), part_object("stream", user),
			part_history("imported memory", share_history, s)),
		"A task on %s uses this memory, and nothing the host did shows that it is done: after the "
		"close the address leads nowhere.",
		STREAM_TEXT(user));
}

/* The documents only know the close; an example of the same documents frees after it: a warning in both
 * cases.
 */
static void import_free_enter(struct checks *c, struct acl_call_record *call)
{
	const void *address = acl_arg_pointer(call->api, call->args, ACL_ROLE_ADDRESS);
	struct share *s = load_relaxed(&ipc(c)->imports) && address ? import_at(c, address) : NULL;
	struct block_lookup place;

	/* What was allocated there since is no import any more. */
	if (!s || map_find(memory_blocks(c), (uintptr_t)address, &place))
		return;
	FINDING(c, call, "ipc-use-after-close", true,
		PARTS(part_severity(ACL_SEV_WARNING), part_address("address", address),
			part_history("imported memory", share_history, s)),
		"%s",
		load_relaxed(&s->closed)
			? "The memory was imported and its key was closed: there is nothing left to free."
			: "The memory was imported: aclrtIpcMemClose ends its use.");
}

/* Programs that import nothing pay nothing. */
static void ipc_memory_use_bind(
	void (*add)(void *binder, unsigned api, enum acl_phase, check_hook_fn), void *binder)
{
	used_memory_bind(add, binder, MEMORY_USED, ACL_ENTER | ACL_WHEN(IMPORTED), ipc_memory_use_enter);
	used_memory_bind(add, binder, MEMORY_USED, ACL_LEAVE | ACL_WHEN(IMPORTED), ipc_memory_use_leave);
}

static const struct check_hook hooks[] = {
	{ON_GROUP(DESCRIBE), ACL_ENTER | ACL_WHEN(IMPORTED), ipc_memory_use_enter},
	{ON_OP(FREE_DEVICE), ACL_ENTER | ACL_WHEN(IMPORTED), import_free_enter},
	{ON_OP(CLOSE_MEMORY), ACL_ENTER | ACL_WHEN(IMPORTED), import_close_enter},
};

const struct check_module module_ipc_use = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = ipc_memory_use_bind,
};
