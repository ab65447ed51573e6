/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notifies: waits and the records they wait for, sharing between processes.  A
 * notify whose other half may lie where nobody looks (another process, a kernel
 * that knows its number, a captured model) is not judged by what is seen here.
 */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/state/device_state.h"
#include "checks/state/notify_state.h"
#include "checks/state/stream_state.h"

#define ELSEWHERE (NOTIFY_IMPORTED | NOTIFY_EXPORTED | NOTIFY_NUMBERED | NOTIFY_CAPTURED)
#define KEY_BYTES 65

struct notifies {
	struct value_table exporter; /* key -> device + 1 of the notify exported under it */
};

static struct notifies *notifies(struct checks *c)
{
	return module_state(c, notify);
}

static bool is_counter(unsigned api)
{
	switch (acl_apis[api].operation) {
	case ACL_OP_RECORD_COUNT_NOTIFY:
	case ACL_OP_WAIT_COUNT_NOTIFY:
	case ACL_OP_RESET_COUNT_NOTIFY:
	case ACL_OP_DESTROY_COUNT_NOTIFY:
	case ACL_OP_INFO_COUNT_NOTIFY_ID:
		return true;
	}
	return false;
}

/* The notify that a call uses. NULL: not made while we looked. */
static struct acl_object *notify_of(struct checks *c, const struct acl_call_record *call)
{
	const void *value = acl_arg_pointer(call->api, call->args, ACL_ROLE_NOTIFY);
	struct acl_object *o =
		object_find(c, is_counter(call->api) ? ACL_HANDLE_CNT_NOTIFY : ACL_HANDLE_NOTIFY, value);

	return o && object_usable(o) &&
			       !(load_relaxed(&o->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED))
		       ? o
		       : NULL;
}

static void notify_mark(struct acl_object *o, unsigned flags)
{
	if (o)
		atomic_fetch_or(&notify_state(o)->flags, flags);
}

static bool notify_has(struct acl_object *o, unsigned flags)
{
	return load_relaxed(&notify_state(o)->flags) & flags;
}

static void notify_number_leave(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call))
		notify_mark(notify_of(c, call), NOTIFY_NUMBERED);
}

/* --- records ----------------------------------------------------------------------------- */

/* Adding to a counter or setting bits of it loses nothing. */
static bool record_replaces(struct checks *c, const struct acl_call_record *call)
{
	aclrtCntNotifyRecordInfo info;

	return !is_counter(call->api) ||
	       (program_read(c, acl_arg_pointer(call->api, call->args, ACL_ROLE_INFO), &info, sizeof(info)) &&
		       info.mode == ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE);
}

/* Of a call: it is counted in the balance. */
static const char balance_note;

static void notify_record_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = notify_of(c, call);

	int32_t before;

	if (!o || call->state.capture || !record_replaces(c, call))
		return;
	/* In enter: whom the record wakes may submit the next wait before this call is back. */
	before = atomic_fetch_add(&notify_state(o)->balance, 1);
	call_note_set(call, &balance_note, 1);
	if (!notify_has(o, ELSEWHERE))
		FINDING(c, call, "notify-record-before-wait", before > 0,
			PARTS(part_object(acl_handle_names[o->kind], o)),
			"It was recorded before, and no wait for that was submitted: it keeps one record.");
}

static void notify_record_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = notify_of(c, call);

	if (o && call_note(call, &balance_note) && !succeeded(call))
		atomic_fetch_sub(&notify_state(o)->balance, 1);
	if (!o || !succeeded(call))
		return;
	if (call->state.capture) {
		notify_mark(o, NOTIFY_CAPTURED);
		return;
	}
	counter_inc(&notify_state(o)->records);
}

/* A record that nobody waits for yet is forgotten; waits go on. */
static void notify_forget_records(struct acl_object *o)
{
	int32_t now = load_relaxed(&notify_state(o)->balance);

	while (now > 0 && !atomic_compare_exchange_weak(&notify_state(o)->balance, &now, 0))
		;
}

static void notify_reset_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = notify_of(c, call);

	if (o && succeeded(call))
		notify_forget_records(o);
}

static void notify_batch_reset_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtNotifyBatchReset *a = call->args;
	struct program_array notifies;
	aclrtNotify const *at;

	program_array_open(&notifies, c, a->notifies, sizeof(*a->notifies), succeeded(call) ? a->num : 0);
	for (uint64_t i = 0; (at = program_array_at(&notifies, i)) != NULL; i++) {
		struct acl_object *o = object_live(c, ACL_HANDLE_NOTIFY, *at);

		if (o)
			notify_forget_records(o);
	}
}

/* --- waits ----------------------------------------------------------------------------------- */

static void notify_wait_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = notify_of(c, call);

	if (!o || call->state.capture)
		return;
	/* A counter keeps its value unless the wait clears it. */
	if (is_counter(call->api) && load_relaxed(&notify_state(o)->balance) > 0)
		notify_forget_records(o);
	else
		atomic_fetch_sub(&notify_state(o)->balance, 1);
	call_note_set(call, &balance_note, 1);
}

static void notify_wait_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = notify_of(c, call);
	struct notify_state *n = o ? notify_state(o) : NULL;

	if (n && call_note(call, &balance_note) && !succeeded(call) && !is_counter(call->api))
		atomic_fetch_add(&n->balance, 1);
	if (!n || !succeeded(call))
		return;
	if (call->state.capture) {
		notify_mark(o, NOTIFY_CAPTURED);
		return;
	}
	store_relaxed(&n->caller, call->caller);
	store_relaxed(&n->api, call->api);
	counter_inc(&n->waits);
	if (!stream_of(call))
		return;
	/* Position 0 while the pair is changed: a reader in between finds no wait. */
	store_release(&n->position, 0);
	store_release(&n->stream, object_ref(stream_of(call)));
	store_release(&n->position, call->state.position);
}

/* The stream of the latest wait, when nothing the host did shows that the wait is over. */
static struct acl_object *notify_still_waiting(struct checks *c, struct acl_object *o)
{
	struct notify_state *n = notify_state(o);
	uint64_t position = load_acquire(&n->position);
	struct acl_object *s = object_of(c, load_acquire(&n->stream));

	return position && s && object_usable(s) && stream_pending(s, position) ? s : NULL;
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
		notify_mark(o, NOTIFY_TOLD);
}

/* Waits that nobody has ended, judged when the process ends: a thread may come to record it at any time. */
static bool notify_hopeless(struct acl_object *o)
{
	return load_relaxed(&notify_state(o)->waits) && !load_relaxed(&notify_state(o)->records) &&
	       !notify_has(o, ELSEWHERE | NOTIFY_TOLD);
}

/* --- between processes ------------------------------------------------------------------------ */

/* Keys are as long as their array, with or without an end; 0 = it cannot be read. */
static uint64_t key_of(struct checks *c, const char *at)
{
	uint64_t key = KEY_OF_TEXT;
	char text[KEY_BYTES];

	if (!program_text(c, at, text, sizeof(text)))
		return 0;
	for (unsigned i = 0; text[i]; i++)
		key = key_with_byte(key, (unsigned char)text[i]);
	return key | 1;
}

static void notify_export_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtNotifyGetExportKey *a = call->args;
	struct acl_object *o = notify_of(c, call);

	if (!o || !succeeded(call))
		return;
	notify_mark(o, NOTIFY_EXPORTED);
	if (!(a->flags & ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION))
		notify_mark(o, NOTIFY_CHECKS_PID);
	if (a->key && load_relaxed(&o->device) >= 0)
		value_table_set(
			c, &notifies(c)->exporter, key_of(c, a->key), (uint64_t)load_relaxed(&o->device) + 1);
}

static void notify_permit_leave(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call))
		notify_mark(notify_of(c, call), NOTIFY_LISTED);
}

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
		load_relaxed(&c->peers_unknown))
		return;
	there = (int)value_table_value(&notifies(c)->exporter, key_of(c, a->key)) - 1;
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
	uint64_t caller, const char *detail)
{
	FINDING_OF(c, NULL, rule, broken,
		PARTS(part_site(load_relaxed(&o->serial)), part_caller(caller),
			part_object(acl_handle_names[o->kind], o)),
		"%s", detail);
}

/* Each imported one is told once, and is no leak of another kind then. */
static bool notify_imported_left(struct acl_object *o)
{
	return object_usable(o) && notify_has(o, NOTIFY_IMPORTED) &&
	       !(load_relaxed(&o->flags) & (ACL_OBJECT_INHERITED | ACL_OBJECT_REPORTED));
}

static void notify_device_reset(struct checks *c, struct acl_call_record *call)
{
	int device = device_argument(call);
	struct acl_object *o;

	if (!is_checked(call) || !device_reset_is_last(c, call, device))
		return;
	object_each(c, ACL_HANDLE_NOTIFY, o)
	{
		if (!notify_imported_left(o) || load_relaxed(&o->device) != device)
			continue;
		atomic_fetch_or(&o->flags, ACL_OBJECT_REPORTED);
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
	uint64_t made = load_relaxed(&o->created.caller);

	if (load_relaxed(&o->flags) & ACL_OBJECT_INHERITED)
		return;
	if (load_relaxed(&notify_state(o)->waits) && !notify_has(o, ELSEWHERE))
		check_at_end(c, RULE("notify-wait-never-recorded"), o, notify_hopeless(o),
			load_relaxed(&notify_state(o)->caller),
			"The process ends; a stream waits for it, and it was never recorded.");
	if (notify_imported_left(o)) {
		atomic_fetch_or(&o->flags, ACL_OBJECT_REPORTED);
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

	for (unsigned k = 0; k < 2 && kind == CHECKS_END_EXIT; k++)
		object_each(c, kinds[k], o) notify_end(c, o);
}

static const struct check_hook hooks[] = {
	{ON_OP(RECORD_COUNT_NOTIFY), ACL_ENTER, notify_record_enter},
	{ON_OP(RECORD_NOTIFY), ACL_ENTER, notify_record_enter},
	{ON_OP(RECORD_COUNT_NOTIFY), ACL_LEAVE, notify_record_leave},
	{ON_OP(RECORD_NOTIFY), ACL_LEAVE, notify_record_leave},
	{ON_OP(RESET_COUNT_NOTIFY), ACL_LEAVE, notify_reset_leave},
	{ON_OP(RESET_NOTIFY), ACL_LEAVE, notify_batch_reset_leave},
	{ON_OP(WAIT_COUNT_NOTIFY), ACL_ENTER, notify_wait_enter},
	{ON_OP(WAIT_NOTIFY), ACL_ENTER, notify_wait_enter},
	{ON_OP(WAIT_COUNT_NOTIFY), ACL_LEAVE, notify_wait_leave},
	{ON_OP(WAIT_NOTIFY), ACL_LEAVE, notify_wait_leave},
	{ON_OP(INFO_NOTIFY_ID), ACL_LEAVE, notify_number_leave},
	{ON_OP(INFO_COUNT_NOTIFY_ID), ACL_LEAVE, notify_number_leave},
	{ON_OP(DESTROY_COUNT_NOTIFY), ACL_ENTER, notify_destroy_enter},
	{ON_OP(DESTROY_NOTIFY), ACL_ENTER, notify_destroy_enter},
	{ON_OP(DESTROY_NOTIFY), ACL_ENTER, notify_destroy_exported},
	{ON_OP(DESTROY_NOTIFY), ACL_ENTER, notify_destroy_imported},
	{ON_OP(EXPORT_NOTIFY), ACL_LEAVE, notify_export_leave},
	{ON_OP(PERMIT_NOTIFY), ACL_LEAVE, notify_permit_leave},
	{ON_OP(IMPORT_NOTIFY), ACL_ENTER, notify_import_enter},
	{ON_OP(DEVICE_RESET), ACL_ENTER, notify_device_reset},
};

const struct check_module module_notify = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct notifies),
	.finish = notify_finish,
};
