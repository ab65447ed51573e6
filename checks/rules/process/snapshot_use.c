/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots of the process: running, locked, backed up, and who waits for the unlock. */
#include "checks/engine/finding_statement.h"
#include "checks/state/binding_state.h"
#include "checks/state/capture_state.h"
#include "checks/state/device_state.h"
#include "checks/state/init_state.h"

enum step { RUNNING, LOCKED, BACKED_UP };

struct snapshot {
	_Atomic uint8_t step; /* enum step */
	_Atomic uint8_t unlocked; /* the step before the unlock that runs */
	_Atomic bool reported; /* that it was left locked */
	_Atomic uint64_t thread; /* pthread id of the one that locked */
	_Atomic uint64_t where; /* the lock was taken */
};

static struct snapshot *snapshot(struct checks *c)
{
	return module_state(c, snapshot);
}

static const char *step_name(unsigned step)
{
	static const char *const names[] = {"not locked", "locked and not backed up", "backed up"};

	return names[step];
}

/* --- the steps ---------------------------------------------------------------------------- */

static void stepping(struct checks *c, struct acl_call_record *call)
{
	unsigned now = load_relaxed(&snapshot(c)->step);
	bool wrong = acl_apis[call->api].operation == ACL_OP_SNAPSHOT_LOCK      ? now != RUNNING
		     : acl_apis[call->api].operation == ACL_OP_SNAPSHOT_BACKUP  ? now != LOCKED
		     : acl_apis[call->api].operation == ACL_OP_SNAPSHOT_RESTORE ? now != BACKED_UP
										: now == RUNNING;

	FINDING(c, call, "snapshot-bad-state", wrong, NO_PARTS, "The process is %s.", step_name(now));
	/* The callbacks behind the unlock run within its call, and wait no more. */
	if (acl_apis[call->api].operation == ACL_OP_SNAPSHOT_UNLOCK) {
		store_relaxed(&snapshot(c)->unlocked, (uint8_t)now);
		store_relaxed(&snapshot(c)->step, RUNNING);
	}
}

static bool callback_refused(const struct acl_call_record *call)
{
	return error_of(call) == ACL_ERROR_SNAPSHOT_CALLBACK_FAILED;
}

static void stepped(struct checks *c, struct acl_call_record *call)
{
	struct snapshot *s = snapshot(c);

	if (!succeeded(call)) {
		if (acl_apis[call->api].operation == ACL_OP_SNAPSHOT_UNLOCK && !callback_refused(call))
			store_relaxed(&s->step, load_relaxed(&s->unlocked));
		return;
	}
	switch (acl_apis[call->api].operation) {
	case ACL_OP_SNAPSHOT_BACKUP:
		store_relaxed(&s->step, BACKED_UP);
		break;
	case ACL_OP_SNAPSHOT_UNLOCK:
		store_relaxed(&s->step, RUNNING);
		break;
	case ACL_OP_SNAPSHOT_LOCK:
		store_relaxed(&s->thread, call->pthread_id);
		store_relaxed(&s->where, call_site_where(call));
		store_relaxed(&s->reported, false);
		checks_when(c, WHEN_SNAPSHOT);
		/* fall through */
	default:
		store_relaxed(&s->step, LOCKED);
	}
}

/* --- what may not be under way ------------------------------------------------------------- */

static struct acl_object *model_being_built(struct checks *c)
{
	struct acl_object *m;

	object_each(c, ACL_HANDLE_MODEL, m) if (model_unfinished(c, m)) return m;
	return NULL;
}

static void during_capture(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *capture = capture_in(c, NULL, -1), *origin = NULL, *m = capture;

	if (capture)
		origin = capture_origin(c, capture);
	else
		m = model_being_built(c);
	FINDING(c, call, "snapshot-during-capture", m,
		PARTS(part_object("stream", origin), part_object("model", m)), "%s",
		capture ? "A stream is being captured: end the capture first."
			: "A model is being built: aclmdlRIBuildEnd was not called for it.");
}

/* --- who waits ------------------------------------------------------------------------------- */

/* A callback of the snapshot itself: who backs up or restores cannot unlock before it has returned. */
static bool inside_snapshot(const struct acl_call_record *call)
{
	unsigned outer = callback_api(call);

	return outer < ACL_API_COUNT && acl_apis[outer].operation == ACL_OP_CALLBACK_REGISTER_SNAPSHOT;
}

static void waiting(struct checks *c, struct acl_call_record *call)
{
	struct snapshot *s = snapshot(c);
	unsigned step = load_relaxed(&s->step);

	if (inside_snapshot(call))
		FINDING(c, call, "snapshot-self-deadlock", step != RUNNING, NO_PARTS,
			"The process is %s, and the call comes out of a callback of the snapshot: it waits "
			"for an "
			"unlock that only comes after the callback.",
			step_name(step));
	else if (load_relaxed(&s->thread))
		FINDING(c, call, "snapshot-self-deadlock",
			step != RUNNING && load_relaxed(&s->thread) == call->pthread_id, NO_PARTS,
			"The process is %s, and this thread locked it: the call waits until the same thread "
			"unlocks it.",
			step_name(step));
}

/* --- left locked ---------------------------------------------------------------------------- */

static void ending(struct checks *c, struct acl_call_record *call)
{
	struct snapshot *s = snapshot(c);
	unsigned step = load_relaxed(&s->step);

	bool ends = acl_apis[call->api].operation == ACL_OP_PROCESS_FINALIZE
			    ? finalize_is_last(c, call)
			    : device_reset_is_last(c, call, device_argument(call));

	if (!ends)
		return;
	if (FINDING(c, call, "snapshot-not-unlocked", step != RUNNING && is_checked(call), NO_PARTS,
		    "The process is %s: threads that wait for the unlock stay blocked.", step_name(step)))
		store_relaxed(&s->reported, true);
}

static void snapshot_finish(struct checks *c, enum checks_end kind)
{
	struct snapshot *s = snapshot(c);
	unsigned step = load_relaxed(&s->step);

	if (end_is_whole(c, kind) && step != RUNNING && !load_relaxed(&s->reported))
		FINDING(c, NULL, "snapshot-not-unlocked", true, PARTS(part_where(load_relaxed(&s->where))),
			"The process ends, and it is %s.", step_name(step));
}

static void snapshot_bind(
	void (*add)(void *binder, unsigned api, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		if (acl_apis[api].waits_for_unlock)
			add(binder, api, ACL_ENTER | ACL_WHEN(SNAPSHOT), waiting);
}

static void snapshot_forked(struct checks *c)
{
	store_relaxed(&snapshot(c)->step, RUNNING);
}

static const struct check_hook hooks[] = {
	{ON_GROUP(SNAPSHOT), ACL_ENTER, stepping},
	{ON_OP(SNAPSHOT_BACKUP), ACL_ENTER, during_capture},
	{ON_OP(SNAPSHOT_LOCK), ACL_ENTER, during_capture},
	{ON_GROUP(SNAPSHOT), ACL_LEAVE, stepped},
	{ON_OP(PROCESS_FINALIZE), ACL_ENTER, ending},
	{ON_OP(DEVICE_RESET), ACL_ENTER, ending},
};

const struct check_module module_snapshot = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = snapshot_bind,
	.state_size = sizeof(struct snapshot),
	.finish = snapshot_finish,
	.forked = snapshot_forked,
};
