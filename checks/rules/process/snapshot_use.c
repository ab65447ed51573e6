/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots of the process: running, locked, backed up, and who waits for the unlock. */
#include "checks/engine/finding_report.h"
#include "checks/state/binding_state.h"
#include "checks/state/capture_state.h"
#include "checks/state/device_state.h"

enum step { RUNNING, LOCKED, BACKED_UP };

struct snapshot {
	_Atomic uint8_t step; /* enum step */
	_Atomic bool told; /* that it was left locked */
	_Atomic uint64_t thread; /* pthread id of the one that locked */
	_Atomic uint64_t caller; /* of the lock */
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
	bool wrong = call->api == ACL_API_aclrtSnapShotProcessLock      ? now != RUNNING
		     : call->api == ACL_API_aclrtSnapShotProcessBackup  ? now != LOCKED
		     : call->api == ACL_API_aclrtSnapShotProcessRestore ? now != BACKED_UP
									: now == RUNNING;

	rule_evaluated(call, RULE("snapshot-bad-state"));
	if (wrong)
		finding_on(c, call, RULE("snapshot-bad-state"), NULL, NULL, "The process is %s.",
			step_name(now));
}

static void stepped(struct checks *c, struct acl_call_record *call)
{
	struct snapshot *s = snapshot(c);

	if (!succeeded(call))
		return;
	switch (call->api) {
	case ACL_API_aclrtSnapShotProcessBackup:
		store_relaxed(&s->step, BACKED_UP);
		break;
	case ACL_API_aclrtSnapShotProcessUnlock:
		store_relaxed(&s->step, RUNNING);
		break;
	case ACL_API_aclrtSnapShotProcessLock:
		store_relaxed(&s->thread, call->pthread_id);
		store_relaxed(&s->caller, call->caller);
		checks_start_conditional(c);
		/* fall through */
	default:
		store_relaxed(&s->step, LOCKED);
	}
}

/* --- what may not be under way ------------------------------------------------------------- */

static void during_capture(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *capture = capture_in(c, NULL, -1), *m;

	rule_evaluated(call, RULE("snapshot-during-capture"));
	if (capture) {
		finding_on(c, call, RULE("snapshot-during-capture"),
			object_of(c, load_relaxed(&model_state(capture)->origin)), capture,
			"A stream is being captured: end the capture first.");
		return;
	}
	object_each(c, ACL_HANDLE_MODEL, m) if (model_unfinished(c, m))
	{
		finding_on(c, call, RULE("snapshot-during-capture"), m, NULL,
			"A model is being built: aclmdlRIBuildEnd was not called for it.");
		return;
	}
}

/* --- who waits ------------------------------------------------------------------------------- */

static void waiting(struct checks *c, struct acl_call_record *call)
{
	struct snapshot *s = snapshot(c);

	if (!load_relaxed(&s->thread))
		return;
	rule_evaluated(call, RULE("snapshot-self-deadlock"));
	if (load_relaxed(&s->step) == RUNNING || load_relaxed(&s->thread) != call->pthread_id)
		return;
	finding_on(c, call, RULE("snapshot-self-deadlock"), NULL, NULL,
		"The process is %s, and this thread locked it: the call waits until the same thread unlocks "
		"it.",
		step_name(load_relaxed(&s->step)));
}

/* Takes, gives back, copies or submits; waiting for what runs and asking is allowed. */
static bool waits_for_unlock(const struct acl_api_info *api)
{
	if (strstr(api->name, "SnapShot") || strstr(api->name, "Callback") || strstr(api->name, "Get") ||
		strstr(api->name, "Query"))
		return false;
	for (unsigned i = 0; i < api->n_params; i++)
		if (api->params[i].life == ACL_LIFE_CREATE || api->params[i].life == ACL_LIFE_DESTROY)
			return true;
	return api->mode == ACL_MODE_ASYNC || !strncmp(api->name, "aclrtMalloc", 11) ||
	       !strncmp(api->name, "aclrtFree", 9) || !strncmp(api->name, "aclrtMemcpy", 11) ||
	       !strncmp(api->name, "aclrtMemset", 11);
}

/* --- left locked ---------------------------------------------------------------------------- */

static void ending(struct checks *c, struct acl_call_record *call)
{
	struct snapshot *s = snapshot(c);

	if (call->api != ACL_API_aclFinalize && !device_reset_is_last(c, call, device_argument(call)))
		return;
	rule_evaluated(call, RULE("snapshot-not-unlocked"));
	if (load_relaxed(&s->step) == RUNNING || !is_checked(call))
		return;
	store_relaxed(&s->told, true);
	finding_on(c, call, RULE("snapshot-not-unlocked"), NULL, NULL,
		"The process is %s: threads that wait for the unlock stay blocked.",
		step_name(load_relaxed(&s->step)));
}

static void snapshot_finish(struct checks *c, enum checks_end kind)
{
	struct finding_grade grade = GRADE_TABLE;
	struct snapshot *s = snapshot(c);
	struct finding_buffer room;
	struct acl_finding *f;

	if (kind != CHECKS_END_EXIT || load_relaxed(&s->step) == RUNNING || load_relaxed(&s->told))
		return;
	rule_evaluated_at_end(c, RULE("snapshot-not-unlocked"));
	grade.caller = load_relaxed(&s->caller);
	f = finding_begin_as(c, NULL, RULE("snapshot-not-unlocked"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "The process ends, and it is %s.", step_name(load_relaxed(&s->step)));
	finding_show(c, f);
}

static void snapshot_bind(
	void (*add)(void *binder, unsigned api, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		if (waits_for_unlock(&acl_apis[api]))
			add(binder, api, ACL_ENTER | ACL_CONDITIONAL, waiting);
}

static void snapshot_forked(struct checks *c)
{
	store_relaxed(&snapshot(c)->step, RUNNING);
	store_relaxed(&snapshot(c)->thread, 0);
}

static const struct check_hook hooks[] = {
	{ON_GROUP(SNAPSHOT), ACL_ENTER, stepping},
	{ON_OP(SNAPSHOT_BACKUP), ACL_ENTER, during_capture},
	{ON_OP(SNAPSHOT_LOCK), ACL_ENTER, during_capture},
	{ON_GROUP(SNAPSHOT), ACL_LEAVE, stepped},
	{ACL_API_aclFinalize, ACL_ENTER, ending},
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
