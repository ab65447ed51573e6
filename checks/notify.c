/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notifies: waits and the records they wait for, sharing between processes.  A
 * notify whose other half may lie where nobody looks (another process, a kernel
 * that knows its number, a captured model) is not judged by what is seen here.
 */
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

#define ELSEWHERE (NOTIFY_IMPORTED | NOTIFY_EXPORTED | NOTIFY_NUMBERED | NOTIFY_CAPTURED)
#define KEY_BYTES 65

struct notifies {
	struct pairs exporter; /* key -> device + 1 of the notify exported under it */
};

static struct notifies *notifies(struct checks *c)
{
	return c->topic[TOPIC_NOTIFIES];
}

static bool is_counter(unsigned api)
{
	return api == ACL_API_aclrtCntNotifyRecord || api == ACL_API_aclrtCntNotifyWaitWithTimeout ||
	       api == ACL_API_aclrtCntNotifyReset || api == ACL_API_aclrtCntNotifyDestroy;
}

/* The notify of a call; all functions but those of creation begin with it. NULL: not made while we looked. */
static struct acl_object *notify_of(struct checks *c, const struct acl_event *ev)
{
	const void *value = ACL_ARGS(ev, aclrtRecordNotify)->notify;
	struct acl_object *o =
		object_find(c, is_counter(ev->api) ? ACL_HANDLE_CNT_NOTIFY : ACL_HANDLE_NOTIFY, value);

	return o && object_usable(o) && !(ld(&o->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED)) ? o
												       : NULL;
}

static void mark(struct acl_object *o, unsigned flags)
{
	if (o)
		atomic_fetch_or(&notify_state(o)->flags, flags);
}

static bool has(struct acl_object *o, unsigned flags)
{
	return ld(&notify_state(o)->flags) & flags;
}

void notify_born(const struct acl_event *ev, struct acl_object *o)
{
	if (ev->api == ACL_API_aclrtNotifyImportByKey)
		mark(o, NOTIFY_IMPORTED);
	else if (ev->api == ACL_API_aclrtCreateNotify &&
		 ACL_ARGS(ev, aclrtCreateNotify)->flag & ACL_NOTIFY_DEVICE_USE_ONLY)
		mark(o, NOTIFY_NUMBERED);
}

static void numbered(struct checks *c, struct acl_event *ev)
{
	if (succeeded(ev))
		mark(notify_of(c, ev), NOTIFY_NUMBERED);
}

/* --- records ----------------------------------------------------------------------------- */

/* Adding to a counter or setting bits of it loses nothing. */
static bool replaces(const struct acl_event *ev)
{
	const struct acl_args_aclrtCntNotifyRecord *a = ev->args;

	return !is_counter(ev->api) || (a->info && a->info->mode == ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE);
}

static void recording(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = notify_of(c, ev);

	int32_t before;

	if (!o || ev->carry[CARRY_CAPTURE] || !replaces(ev))
		return;
	/* In enter: whom the record wakes may submit the next wait before this call is back. */
	before = atomic_fetch_add(&notify_state(o)->balance, 1);
	ev->carry[CARRY_NOTE] = 1;
	if (has(o, ELSEWHERE))
		return;
	rule_asked(ev, RULE("notify-record-before-wait"));
	if (before > 0)
		finding_on(c, ev, RULE("notify-record-before-wait"), o, NULL,
			"It was recorded before, and no wait for that was submitted: it keeps one record.");
}

static void recorded(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = notify_of(c, ev);

	if (o && ev->carry[CARRY_NOTE] && !succeeded(ev))
		atomic_fetch_sub(&notify_state(o)->balance, 1);
	if (!o || !succeeded(ev))
		return;
	if (ev->carry[CARRY_CAPTURE]) {
		mark(o, NOTIFY_CAPTURED);
		return;
	}
	bump(&notify_state(o)->records);
}

/* A record that nobody waits for yet is forgotten; waits go on. */
static void forget_records(struct acl_object *o)
{
	int32_t now = ld(&notify_state(o)->balance);

	while (now > 0 && !atomic_compare_exchange_weak(&notify_state(o)->balance, &now, 0))
		;
}

static void reset(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = notify_of(c, ev);

	if (o && succeeded(ev))
		forget_records(o);
}

static void batch_reset(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtNotifyBatchReset *a = ev->args;

	for (size_t i = 0; succeeded(ev) && a->notifies && i < a->num; i++) {
		struct acl_object *o = object_live(c, ACL_HANDLE_NOTIFY, a->notifies[i]);

		if (o)
			forget_records(o);
	}
}

/* --- waits ----------------------------------------------------------------------------------- */

static void waiting(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = notify_of(c, ev);

	if (!o || ev->carry[CARRY_CAPTURE])
		return;
	/* A counter keeps its value unless the wait clears it. */
	if (is_counter(ev->api) && ld(&notify_state(o)->balance) > 0)
		forget_records(o);
	else
		atomic_fetch_sub(&notify_state(o)->balance, 1);
	ev->carry[CARRY_NOTE] = 1;
}

static void waited(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = notify_of(c, ev);
	struct notify_state *n = o ? notify_state(o) : NULL;

	if (n && ev->carry[CARRY_NOTE] && !succeeded(ev) && !is_counter(ev->api))
		atomic_fetch_add(&n->balance, 1);
	if (!n || !succeeded(ev))
		return;
	if (ev->carry[CARRY_CAPTURE]) {
		mark(o, NOTIFY_CAPTURED);
		return;
	}
	st(&n->caller, ev->caller);
	st(&n->api, ev->api);
	bump(&n->waits);
	if (!stream_of(ev))
		return;
	/* Position 0 while the pair is changed: a reader in between finds no wait. */
	st_release(&n->position, 0);
	st_release(&n->stream, object_ref(stream_of(ev)));
	st_release(&n->position, ev->carry[CARRY_POSITION]);
}

/* The stream of the latest wait, when nothing the host did shows that the wait is over. */
static struct acl_object *still_waiting(struct checks *c, struct acl_object *o)
{
	struct notify_state *n = notify_state(o);
	uint64_t position = ld_acquire(&n->position);
	struct acl_object *s = object_of(c, ld_acquire(&n->stream));

	return position && s && object_usable(s) && stream_pending(s, position) ? s : NULL;
}

static void destroying(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = notify_of(c, ev), *s;

	if (!o || ev->in_exit || has(o, NOTIFY_CAPTURED))
		return;
	rule_asked(ev, RULE("notify-destroy-pending"));
	s = still_waiting(c, o);
	if (!s)
		return;
	mark(o, NOTIFY_TOLD);
	finding_on(c, ev, RULE("notify-destroy-pending"), o, s,
		"A stream waits for it, and nothing the host did shows that the wait is over.");
}

/* Waits that nobody has ended, judged when the process ends: a thread may come to record it at any time. */
static bool hopeless(struct acl_object *o)
{
	return ld(&notify_state(o)->waits) && !ld(&notify_state(o)->records) &&
	       !has(o, ELSEWHERE | NOTIFY_TOLD);
}

/* --- between processes ------------------------------------------------------------------------ */

static uint64_t key_of(const char *key)
{
	char text[KEY_BYTES + 1] = {0};

	for (unsigned i = 0; i < KEY_BYTES && key[i]; i++)
		text[i] = key[i];
	return key_of_text(text);
}

static void exported(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtNotifyGetExportKey *a = ev->args;
	struct acl_object *o = notify_of(c, ev);

	if (!o || !succeeded(ev))
		return;
	mark(o, NOTIFY_EXPORTED);
	if (!(a->flags & ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION))
		mark(o, NOTIFY_CHECKS_PID);
	if (a->key && ld(&o->device) >= 0)
		pairs_set(&notifies(c)->exporter, key_of(a->key), (uint64_t)ld(&o->device) + 1);
}

static void listed(struct checks *c, struct acl_event *ev)
{
	if (succeeded(ev))
		mark(notify_of(c, ev), NOTIFY_LISTED);
}

static bool unlisted(struct acl_object *o)
{
	return has(o, NOTIFY_CHECKS_PID) && !has(o, NOTIFY_LISTED);
}

static void destroying_exported(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = notify_of(c, ev);

	if (!o || !has(o, NOTIFY_EXPORTED))
		return;
	rule_asked(ev, RULE("notify-export-pid-whitelist"));
	if (unlisted(o))
		finding_on(c, ev, RULE("notify-export-pid-whitelist"), o, NULL,
			"It was exported for listed processes only, and none was ever listed.");
}

static bool reaches(struct checks *c, int device, int peer)
{
	return ld(&device_at(c, device)->peers) >> peer & 1;
}

static void importing(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtNotifyImportByKey *a = ev->args;
	int here = device_current(c, thread_of(ev)), there;

	if (!a->key || a->flags != ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT || !device_at(c, here) ||
		ld(&c->peers_unknown))
		return;
	there = (int)pairs_value(&notifies(c)->exporter, key_of(a->key)) - 1;
	if (!device_at(c, there))
		return;
	rule_asked(ev, RULE("notify-import-peer-access"));
	if (here != there && !reaches(c, here, there) && !reaches(c, there, here))
		finding_on(c, ev, RULE("notify-import-peer-access"), NULL, NULL,
			"It was exported on device %d and is imported on device %d: neither was given access "
			"to the other.",
			there, here);
}

/* --- the end -------------------------------------------------------------------------------------- */

static void tell_at_end(struct checks *c, const struct acl_rule *rule, struct acl_object *o, uint64_t caller,
	const char *detail)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	grade.site = ld(&o->serial);
	grade.caller = caller;
	f = finding_begin_as(c, NULL, rule, grade, &room);
	if (!f)
		return;
	f->at_leave = true;
	finding_detail(f, "%s", detail);
	finding_object(c, f, acl_handle_names[o->kind], o);
	finding_show(c, f);
}

/* Each imported one is told once, and is no leak of another kind then. */
static bool imported_left(struct acl_object *o)
{
	return object_usable(o) && has(o, NOTIFY_IMPORTED) &&
	       !(ld(&o->flags) & (ACL_OBJECT_INHERITED | ACL_OBJECT_REPORTED));
}

static void resetting(struct checks *c, struct acl_event *ev)
{
	int device = device_argument(ev);
	struct acl_object *o;

	if (!judged(ev) || !device_reset_is_last(c, ev, device))
		return;
	object_each(c, ACL_HANDLE_NOTIFY, o)
	{
		if (!imported_left(o) || ld(&o->device) != device)
			continue;
		rule_asked(ev, RULE("notify-ipc-destroy-once"));
		atomic_fetch_or(&o->flags, ACL_OBJECT_REPORTED);
		finding_on(c, ev, RULE("notify-ipc-destroy-once"), o, NULL,
			"It was imported and is still alive when device %d goes out of use.", device);
	}
}

static void destroying_imported(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = notify_of(c, ev);

	if (o && has(o, NOTIFY_IMPORTED))
		rule_asked(ev, RULE("notify-ipc-destroy-once"));
}

static void end_of_one(struct checks *c, struct acl_object *o)
{
	if (ld(&o->flags) & ACL_OBJECT_INHERITED)
		return;
	if (ld(&notify_state(o)->waits) && !has(o, ELSEWHERE)) {
		rule_asked_at_end(c, RULE("notify-wait-never-recorded"));
		if (hopeless(o))
			tell_at_end(c, RULE("notify-wait-never-recorded"), o, ld(&notify_state(o)->caller),
				"The process ends; a stream was told to wait for it, and nobody ever "
				"recorded it.");
	}
	if (imported_left(o)) {
		rule_asked_at_end(c, RULE("notify-ipc-destroy-once"));
		atomic_fetch_or(&o->flags, ACL_OBJECT_REPORTED);
		tell_at_end(c, RULE("notify-ipc-destroy-once"), o, ld(&o->created.caller),
			"It was imported and never destroyed.");
	}
	if (object_usable(o) && has(o, NOTIFY_EXPORTED)) {
		rule_asked_at_end(c, RULE("notify-export-pid-whitelist"));
		if (unlisted(o))
			tell_at_end(c, RULE("notify-export-pid-whitelist"), o, ld(&o->created.caller),
				"It was exported for listed processes only, and none was ever listed.");
	}
}

static void notify_finish(struct checks *c, enum checks_end kind)
{
	static const uint8_t kinds[] = {ACL_HANDLE_NOTIFY, ACL_HANDLE_CNT_NOTIFY};
	struct acl_object *o;

	for (unsigned k = 0; k < 2 && kind == CHECKS_END_EXIT; k++)
		object_each(c, kinds[k], o) end_of_one(c, o);
}

static bool notify_create(struct checks *c)
{
	c->topic[TOPIC_NOTIFIES] = checks_alloc(c, sizeof(struct notifies));
	return c->topic[TOPIC_NOTIFIES] != NULL;
}

static void notify_forked(struct checks *c)
{
	st(&notifies(c)->exporter.lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtRecordNotify, ACL_ENTER, recording},
	{ACL_API_aclrtRecordNotify, ACL_LEAVE, recorded},
	{ACL_API_aclrtCntNotifyRecord, ACL_ENTER, recording},
	{ACL_API_aclrtCntNotifyRecord, ACL_LEAVE, recorded},
	{ACL_API_aclrtCntNotifyReset, ACL_LEAVE, reset},
	{ACL_API_aclrtNotifyBatchReset, ACL_LEAVE, batch_reset},
	{ACL_API_aclrtWaitAndResetNotify, ACL_ENTER, waiting},
	{ACL_API_aclrtWaitAndResetNotify, ACL_LEAVE, waited},
	{ACL_API_aclrtCntNotifyWaitWithTimeout, ACL_ENTER, waiting},
	{ACL_API_aclrtCntNotifyWaitWithTimeout, ACL_LEAVE, waited},
	{ACL_API_aclrtGetNotifyId, ACL_LEAVE, numbered},
	{ACL_API_aclrtDestroyNotify, ACL_ENTER, destroying},
	{ACL_API_aclrtCntNotifyDestroy, ACL_ENTER, destroying},
	{ACL_API_aclrtDestroyNotify, ACL_ENTER, destroying_exported},
	{ACL_API_aclrtDestroyNotify, ACL_ENTER, destroying_imported},
	{ACL_API_aclrtNotifyGetExportKey, ACL_LEAVE, exported},
	{ACL_API_aclrtNotifySetImportPid, ACL_LEAVE, listed},
	{ACL_API_aclrtNotifySetImportPidInterServer, ACL_LEAVE, listed},
	{ACL_API_aclrtNotifyImportByKey, ACL_ENTER, importing},
	{ACL_API_aclrtResetDevice, ACL_ENTER, resetting},
	{ACL_API_aclrtResetDeviceForce, ACL_ENTER, resetting},
};

const struct acl_topic topic_notify = {
	.name = "notifies",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = notify_create,
	.finish = notify_finish,
	.forked = notify_forked,
};
