/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots of the process: running, locked, backed up, and who waits for the unlock. */
#include "checks/binding.h"
#include "checks/report.h"
#include "checks/state.h"

enum step { RUNNING, LOCKED, BACKED_UP };

struct snapshot {
	_Atomic uint8_t step; /* enum step */
	_Atomic bool told; /* that it was left locked */
	_Atomic uint64_t thread; /* pthread id of the one that locked */
	_Atomic uint64_t caller; /* of the lock */
};

static struct snapshot *snapshot(struct checks *c)
{
	return c->topic[TOPIC_SNAPSHOT];
}

static const char *step_name(unsigned step)
{
	static const char *const names[] = {"not locked", "locked and not backed up", "backed up"};

	return names[step];
}

/* --- the steps ---------------------------------------------------------------------------- */

static void stepping(struct checks *c, struct acl_event *ev)
{
	unsigned now = ld(&snapshot(c)->step);
	bool wrong = ev->api == ACL_API_aclrtSnapShotProcessLock      ? now != RUNNING
		     : ev->api == ACL_API_aclrtSnapShotProcessBackup  ? now != LOCKED
		     : ev->api == ACL_API_aclrtSnapShotProcessRestore ? now != BACKED_UP
								      : now == RUNNING;

	rule_asked(ev, RULE("snapshot-bad-state"));
	if (wrong)
		finding_on(
			c, ev, RULE("snapshot-bad-state"), NULL, NULL, "The process is %s.", step_name(now));
}

static void stepped(struct checks *c, struct acl_event *ev)
{
	struct snapshot *s = snapshot(c);

	if (!succeeded(ev))
		return;
	switch (ev->api) {
	case ACL_API_aclrtSnapShotProcessBackup:
		st(&s->step, BACKED_UP);
		break;
	case ACL_API_aclrtSnapShotProcessUnlock:
		st(&s->step, RUNNING);
		break;
	case ACL_API_aclrtSnapShotProcessLock:
		st(&s->thread, ev->pthread_id);
		st(&s->caller, ev->caller);
		checks_unusual(c);
		/* fall through */
	default:
		st(&s->step, LOCKED);
	}
}

/* --- what may not be under way ------------------------------------------------------------- */

static void during_capture(struct checks *c, struct acl_event *ev)
{
	struct acl_object *capture = capture_in(c, NULL, -1), *m;

	rule_asked(ev, RULE("snapshot-during-capture"));
	if (capture) {
		finding_on(c, ev, RULE("snapshot-during-capture"),
			object_of(c, ld(&model_state(capture)->origin)), capture,
			"A stream is being captured: end the capture first.");
		return;
	}
	object_each(c, ACL_HANDLE_MODEL, m) if (model_unfinished(c, m))
	{
		finding_on(c, ev, RULE("snapshot-during-capture"), m, NULL,
			"A model is being built: aclmdlRIBuildEnd was not called for it.");
		return;
	}
}

/* --- who waits ------------------------------------------------------------------------------- */

static void waiting(struct checks *c, struct acl_event *ev)
{
	struct snapshot *s = snapshot(c);

	if (!ld(&s->thread))
		return;
	rule_asked(ev, RULE("snapshot-self-deadlock"));
	if (ld(&s->step) == RUNNING || ld(&s->thread) != ev->pthread_id)
		return;
	finding_on(c, ev, RULE("snapshot-self-deadlock"), NULL, NULL,
		"The process is %s, and this thread locked it: the call waits until the same thread unlocks "
		"it.",
		step_name(ld(&s->step)));
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

static void ending(struct checks *c, struct acl_event *ev)
{
	struct snapshot *s = snapshot(c);

	if (ev->api != ACL_API_aclFinalize && !device_reset_is_last(c, ev, device_argument(ev)))
		return;
	rule_asked(ev, RULE("snapshot-not-unlocked"));
	if (ld(&s->step) == RUNNING || !judged(ev))
		return;
	st(&s->told, true);
	finding_on(c, ev, RULE("snapshot-not-unlocked"), NULL, NULL,
		"The process is %s: threads that wait for the unlock stay blocked.", step_name(ld(&s->step)));
}

static void snapshot_finish(struct checks *c, enum checks_end kind)
{
	struct finding_grade grade = GRADE_TABLE;
	struct snapshot *s = snapshot(c);
	struct finding_buffer room;
	struct acl_finding *f;

	if (kind != CHECKS_END_EXIT || ld(&s->step) == RUNNING || ld(&s->told))
		return;
	grade.caller = ld(&s->caller);
	f = finding_begin_as(c, NULL, RULE("snapshot-not-unlocked"), grade, &room);
	if (!f)
		return;
	f->at_leave = true;
	finding_detail(f, "The process ends, and it is %s.", step_name(ld(&s->step)));
	finding_show(c, f);
}

static void snapshot_bind(void (*add)(void *binder, unsigned api, enum acl_phase, acl_hook_fn), void *binder)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		if (waits_for_unlock(&acl_apis[api]))
			add(binder, api, ACL_ENTER | ACL_UNUSUAL, waiting);
}

static bool snapshot_create(struct checks *c)
{
	c->topic[TOPIC_SNAPSHOT] = checks_alloc(c, sizeof(struct snapshot));
	return c->topic[TOPIC_SNAPSHOT] != NULL;
}

static void snapshot_forked(struct checks *c)
{
	st(&snapshot(c)->step, RUNNING);
	st(&snapshot(c)->thread, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtSnapShotProcessLock, ACL_ENTER, stepping},
	{ACL_API_aclrtSnapShotProcessLock, ACL_ENTER, during_capture},
	{ACL_API_aclrtSnapShotProcessLock, ACL_LEAVE, stepped},
	{ACL_API_aclrtSnapShotProcessBackup, ACL_ENTER, stepping},
	{ACL_API_aclrtSnapShotProcessBackup, ACL_ENTER, during_capture},
	{ACL_API_aclrtSnapShotProcessBackup, ACL_LEAVE, stepped},
	{ACL_API_aclrtSnapShotProcessRestore, ACL_ENTER, stepping},
	{ACL_API_aclrtSnapShotProcessRestore, ACL_LEAVE, stepped},
	{ACL_API_aclrtSnapShotProcessUnlock, ACL_ENTER, stepping},
	{ACL_API_aclrtSnapShotProcessUnlock, ACL_LEAVE, stepped},
	{ACL_API_aclFinalize, ACL_ENTER, ending},
	{ACL_API_aclrtResetDevice, ACL_ENTER, ending},
	{ACL_API_aclrtResetDeviceForce, ACL_ENTER, ending},
};

const struct acl_topic topic_snapshot = {
	.name = "snapshots",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = snapshot_bind,
	.create = snapshot_create,
	.finish = snapshot_finish,
	.forked = snapshot_forked,
};
