/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notifies: waits and the records they wait for, sharing between processes.  A
 * notify whose other half may lie where it is not seen (another process, a kernel
 * that knows its number, a captured model) is not checked by what is seen here.
 */
#include "checks/engine/finding_statement.h"
#include "checks/engine/value_table.h"
#include "checks/rules/stream/blocking_call.h"
#include "checks/state/device_state.h"
#include "checks/state/init_state.h"
#include "checks/state/notify_state.h"
#include "checks/state/order_state.h"
#include "checks/state/stream_state.h"

#define ELSEWHERE (NOTIFY_IMPORTED | NOTIFY_EXPORTED | NOTIFY_NUMBERED | NOTIFY_CAPTURED)

struct notify_use {
	struct value_table reported; /* acl_ref of a notify -> 1: that a stream still waits for it */
};

static struct value_table *reported(struct checks *c)
{
	return &((struct notify_use *)module_state(c, notify_use))->reported;
}

/* --- records ----------------------------------------------------------------------------- */

/* Behind a wait whose end is not seen it may come after a wait that is submitted later. */
static void notify_record_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = notify_of(c, call), *s = stream_of(call);

	if (o && s && notify_record_effect(call) != NOTIFY_UNCHANGED && !notify_has(o, ELSEWHERE))
		FINDING(c, call, "notify-record-before-wait",
			notify_record_effect(call) == NOTIFY_REPLACES && !order_unseen(c, s),
			PARTS(part_object(acl_handle_names[o->kind], o)),
			"It was recorded before, and no wait for that was submitted: it keeps one record.");
}

/* --- waits ----------------------------------------------------------------------------------- */

static bool waits_on_other_device(const struct acl_call_record *call, struct acl_object *o)
{
	struct acl_object *s = stream_of(call);

	return s && object_usable(s) && o->kind == ACL_HANDLE_NOTIFY && load_relaxed(&s->device) >= 0 &&
	       load_relaxed(&o->device) >= 0 && load_relaxed(&s->device) != load_relaxed(&o->device);
}

/* Only the process that made a notify may wait for it, and on the device where it was made. */
static void notify_wait_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = notify_of(c, call);
	bool imported = o && notify_has(o, NOTIFY_IMPORTED);

	if (o)
		FINDING(c, call, "notify-wait-imported", imported || waits_on_other_device(call, o),
			PARTS(part_object("notify", o),
				part_object("stream", imported ? NULL : stream_of(call))),
			"%s",
			imported ? "The notify was imported: only the process that made it may wait for it."
				 : "The notify was made on another device than the stream's: only a record "
				   "may "
				   "come from there.");
}

static void notify_destroy_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = notify_of(c, call), *s;

	if (!o || call->in_exit || notify_has(o, NOTIFY_CAPTURED))
		return;
	s = notify_still_waiting(c, o);
	if (FINDING(c, call, "notify-destroy-pending", s,
		    PARTS(part_object(acl_handle_names[o->kind], o), part_object("stream", s)),
		    "A stream waits for it, and nothing the host did shows that the wait is over."))
		value_table_set(c, reported(c), object_ref(o), 1);
}

/* Each record ends one wait, and one wait more was submitted, for ever. */
static bool wait_lacks_record(struct acl_object *o)
{
	return o->kind == ACL_HANDLE_NOTIFY && !notify_has(o, NOTIFY_TIMED) &&
	       load_relaxed(&notify_state(o)->balance) < 0;
}

/* Waits that nothing has ended, checked when the process ends: a thread may come to record it at any time. */
static bool notify_hopeless(struct checks *c, struct acl_object *o)
{
	return load_relaxed(&notify_state(o)->waits) &&
	       (!load_relaxed(&notify_state(o)->records) || wait_lacks_record(o)) &&
	       !notify_has(o, ELSEWHERE) && !value_table_value(reported(c), object_ref(o));
}

/* The stream was waited for, and that failed: no other thread is there that could still record it. */
static void notify_synchronise_failed(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *o;

	if (!s || error_of(call) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
		return;
	object_each(c, ACL_HANDLE_NOTIFY, o)
	{
		if (!object_usable(o) || load_relaxed(&notify_state(o)->stream) != object_ref(s) ||
			!notify_hopeless(c, o) || !nobody_else_can_act(c))
			continue;
		FINDING(c, call, "notify-wait-never-recorded", true,
			PARTS(part_object("notify", o), part_object("stream", s)), "%s",
			load_relaxed(&notify_state(o)->records)
				? "The stream waits for it, and all its records were for earlier waits."
				: "The stream waits for it, and it was never recorded.");
		value_table_set(c, reported(c), object_ref(o), 1);
	}
}

/* --- between processes ------------------------------------------------------------------------ */

static const char never_listed[] = "It was exported for listed processes only, and none was ever listed.";

static bool notify_unlisted(struct acl_object *o)
{
	return notify_has(o, NOTIFY_CHECKS_PID) && !notify_has(o, NOTIFY_LISTED);
}

static void notify_destroy_exported(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = notify_of(c, call);

	if (o && notify_has(o, NOTIFY_EXPORTED))
		FINDING(c, call, "notify-export-pid-whitelist", notify_unlisted(o),
			PARTS(part_object("notify", o)), "%s", never_listed);
}

static bool device_reaches(struct checks *c, int device, int peer)
{
	return load_relaxed(&device_at(c, device)->peers) >> peer & 1;
}

static void notify_import_enter(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtNotifyImportByKey *a = call->args;
	int here = device_current(c, thread_of(call)), there;

	if (!a->key || a->flags != ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT || !device_at(c, here) ||
		peers_unknown(c))
		return;
	there = notify_exporter(c, a->key);
	if (device_at(c, there))
		FINDING(c, call, "notify-import-peer-access",
			here != there && !device_reaches(c, here, there) && !device_reaches(c, there, here),
			NO_PARTS,
			"It was exported on device %d and is imported on device %d: neither was given access "
			"to the other.",
			there, here);
}

/* --- the end -------------------------------------------------------------------------------------- */

static void check_at_end(struct checks *c, const struct acl_rule *rule, struct acl_object *o, bool broken,
	uint64_t where, const char *detail)
{
	FINDING_OF(c, NULL, rule, broken,
		PARTS(part_site(load_relaxed(&o->serial)), part_where(where),
			part_object(acl_handle_names[o->kind], o)),
		"%s", detail);
}

/* Each imported one is reported once, and is no leak of another kind then. */
static bool notify_imported_left(struct acl_object *o)
{
	return object_usable(o) && notify_has(o, NOTIFY_IMPORTED) &&
	       !(load_relaxed(&o->flags) & (ACL_OBJECT_INHERITED | ACL_OBJECT_REPORTED));
}

static void notify_device_reset(struct checks *c, struct acl_call_record *call)
{
	int device = device_argument(call);
	struct acl_object *o;

	if (!is_checked(call) || !device_reset_counts_left(c, call) || !device_reset_is_last(c, call, device))
		return;
	object_each(c, ACL_HANDLE_NOTIFY, o)
	{
		if (!notify_imported_left(o) || load_relaxed(&o->device) != device)
			continue;
		object_reported(o);
		FINDING(c, call, "notify-ipc-destroy-once", true, PARTS(part_object("notify", o)),
			"It was imported and is still alive when device %d goes out of use.", device);
	}
}

static void notify_destroy_imported(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = notify_of(c, call);

	if (o && notify_has(o, NOTIFY_IMPORTED))
		rule_evaluated(call, RULE("notify-ipc-destroy-once"));
}

static void notify_end(struct checks *c, struct acl_object *o)
{
	uint64_t made = load_relaxed(&((struct call_site_slot *)object_created(c, o))->where);

	if (load_relaxed(&o->flags) & ACL_OBJECT_INHERITED)
		return;
	if (load_relaxed(&notify_state(o)->waits) && !notify_has(o, ELSEWHERE))
		check_at_end(c, RULE("notify-wait-never-recorded"), o, notify_hopeless(c, o),
			load_relaxed(&notify_state(o)->where),
			load_relaxed(&notify_state(o)->records)
				? "The process ends; a stream waits for it, and all its records were for "
				  "earlier waits."
				: "The process ends; a stream waits for it, and it was never recorded.");
	if (notify_imported_left(o)) {
		object_reported(o);
		check_at_end(c, RULE("notify-ipc-destroy-once"), o, true, made,
			"It was imported and never destroyed.");
	}
	if (object_usable(o) && notify_has(o, NOTIFY_EXPORTED))
		check_at_end(
			c, RULE("notify-export-pid-whitelist"), o, notify_unlisted(o), made, never_listed);
}

static void notify_finish(struct checks *c, enum checks_end kind)
{
	static const uint8_t kinds[] = {ACL_HANDLE_NOTIFY, ACL_HANDLE_CNT_NOTIFY};
	struct acl_object *o;

	if (!end_is_whole(c, kind))
		return;
	for (unsigned k = 0; k < 2; k++)
		object_each(c, kinds[k], o) notify_end(c, o);
}

static const struct check_hook hooks[] = {
	{ON_OP(RECORD_COUNT_NOTIFY), ACL_ENTER, notify_record_enter},
	{ON_OP(RECORD_NOTIFY), ACL_ENTER, notify_record_enter},
	{ON_OP(WAIT_NOTIFY), ACL_ENTER, notify_wait_enter},
	{ON_OP(SYNCHRONISE_STREAM), ACL_FAILED, notify_synchronise_failed},
	{ON_OP(DESTROY_COUNT_NOTIFY), ACL_ENTER, notify_destroy_enter},
	{ON_OP(DESTROY_NOTIFY), ACL_ENTER, notify_destroy_enter},
	{ON_OP(DESTROY_NOTIFY), ACL_ENTER, notify_destroy_exported},
	{ON_OP(DESTROY_NOTIFY), ACL_ENTER, notify_destroy_imported},
	{ON_OP(IMPORT_NOTIFY), ACL_ENTER, notify_import_enter},
	{ON_OP(DEVICE_RESET), ACL_ENTER, notify_device_reset},
	{ON_OP(DEVICE_RESET), ACL_LEAVE, notify_device_reset},
};

const struct check_module module_notify_use = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct notify_use),
	.finish = notify_finish,
};
