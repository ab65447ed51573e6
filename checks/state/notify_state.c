/* SPDX-License-Identifier: Apache-2.0 */
/* Notifies: how they were made, waits and the records they wait for, sharing between processes. */
#include "checks/state/notify_state.h"

#include "checks/engine/evidence.h"
#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/state/lifecycle.h"
#include "checks/state/pending_access.h"
#include "checks/state/signal_state.h"
#include "checks/state/stream_change.h"
#include "checks/state/stream_state.h"
#include "checks/state/unseen_ends.h"

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

struct acl_object *notify_of(struct checks *c, const struct acl_call_record *call)
{
	const void *value = acl_arg_pointer(call->api, call->args, ACL_ROLE_NOTIFY);
	struct acl_object *o =
		object_find(c, is_counter(call->api) ? ACL_HANDLE_CNT_NOTIFY : ACL_HANDLE_NOTIFY, value);

	return o && object_usable(o) && !(load_relaxed(&o->flags) & ACL_OBJECT_INHERITED) ? o : NULL;
}

bool notify_is_recorded_here(struct acl_object *o)
{
	return o && !notify_has(o, NOTIFY_IMPORTED | NOTIFY_EXPORTED | NOTIFY_NUMBERED);
}

static void notify_mark(struct acl_object *o, unsigned flags)
{
	if (o)
		atomic_fetch_or(&notify_state(o)->flags, flags);
}

void notify_created(const struct acl_call_record *call, struct acl_object *o)
{
	uint64_t flags = acl_arg_value(call->api, call->args, ACL_ROLE_FLAGS);

	if (acl_apis[call->api].operation == ACL_OP_IMPORT_NOTIFY)
		notify_mark(o, NOTIFY_IMPORTED);
	else if (flags & ACL_NOTIFY_DEVICE_USE_ONLY)
		notify_mark(o, NOTIFY_NUMBERED);
}

/* Others may wait for it from now on, and so for what was recorded before. */
static void notify_shared(struct checks *c, struct acl_object *o, unsigned flags)
{
	struct acl_object *s = o ? object_of(c, load_acquire(&notify_state(o)->record_stream)) : NULL;

	notify_mark(o, flags);
	unseen_end_follow(c, false);
	if (s)
		stream_signals_host(c, s, load_acquire(&notify_state(o)->record_position));
}

static void notify_number_leave(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call))
		notify_shared(c, notify_of(c, call), NOTIFY_NUMBERED);
}

/* --- records ----------------------------------------------------------------------------- */

/* Of a call: enum notify_effect. */
static const char balance_note;

enum notify_effect notify_record_effect(const struct acl_call_record *call)
{
	return (enum notify_effect)call_note(call, &balance_note);
}

/* Adding to a counter or setting bits of it loses nothing. */
static bool record_sets_value(struct checks *c, const struct acl_call_record *call)
{
	aclrtCntNotifyRecordInfo info;

	return !is_counter(call->api) ||
	       (program_read(c, acl_arg_pointer(call->api, call->args, ACL_ROLE_INFO), &info, sizeof(info)) &&
		       info.mode == ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE);
}

/* A captured or built model does it, when it runs; of a stream that is not known, it is done now. */
static bool runs_with_model(struct checks *c, const struct acl_call_record *call)
{
	return call->state.capture || (stream_of(call) && call->state.position && !task_runs_now(c, call));
}

/* Position 0 while the pair is changed, and where the stream is not known. */
static void record_place_set(struct acl_object *o, struct acl_object *stream, uint64_t position)
{
	struct notify_state *n = notify_state(o);

	store_release(&n->record_position, 0);
	store_release(&n->record_stream, stream ? object_ref(stream) : 0);
	store_release(&n->record_position, stream ? position : 0);
}

/* Of a call, the other end: acl_ref of the stream of the record that ends the wait, or of the wait that the
 * record ends, and its position. */
static const char other_stream_note, other_position_note;

/* position: as read before stream; again: where it is read once more, as the pair may be changed in between.
 */
static void other_end_note(struct acl_call_record *call, struct acl_object *o, acl_ref stream,
	uint64_t position, _Atomic uint64_t *again)
{
	if (!position || position != load_acquire(again) || !notify_is_followed(o))
		return;
	call_note_set(call, &other_stream_note, stream);
	call_note_set(call, &other_position_note, position);
}

/* The record ends the one wait there is, which was submitted before it. */
static void ended_wait_note(struct acl_call_record *call, struct acl_object *o)
{
	struct notify_state *n = notify_state(o);
	uint64_t position = load_acquire(&n->alone);

	other_end_note(call, o, load_acquire(&n->stream), position, &n->position);
}

static void notify_record_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = notify_of(c, call);
	int32_t before;

	if (!o || runs_with_model(c, call))
		return;
	/* In enter: whom the record wakes may submit the next wait before this call is back. */
	record_place_set(o, stream_of(call), call->state.position);
	if (!record_sets_value(c, call))
		return;
	before = atomic_fetch_add(&notify_state(o)->balance, 1);
	call_note_set(call, &balance_note, before > 0 ? NOTIFY_REPLACES : NOTIFY_CHANGED);
	if (before == -1 && !is_counter(call->api))
		ended_wait_note(call, o);
}

/* From now on it is known what the stream that waited goes on behind. */
static void waiter_learns(struct checks *c, const struct acl_call_record *call)
{
	acl_ref ref = call_note(call, &other_stream_note);
	struct acl_object *waiter = ref ? object_of(c, ref) : NULL;

	if (waiter && stream_of(call) && call->state.position)
		stream_wait_is_for(c, waiter, call_note(call, &other_position_note), stream_of(call),
			call->state.position);
}

static void notify_record_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = notify_of(c, call);

	/* The record before it is the latest again, but its place is gone. */
	if (o && call_note(call, &balance_note) && !succeeded(call)) {
		record_place_set(o, NULL, 0);
		atomic_fetch_sub(&notify_state(o)->balance, 1);
	}
	if (!o || !succeeded(call))
		return;
	if (runs_with_model(c, call)) {
		notify_mark(o, NOTIFY_CAPTURED);
		return;
	}
	counter_inc(&notify_state(o)->records);
	waiter_learns(c, call);
}

/* A record with no wait for it yet is forgotten; waits go on. */
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

/* Of a call: no other wait was without a record. */
static const char alone_note;

/* The one record there is ends the wait. */
static void awaited_record_note(struct acl_call_record *call, struct acl_object *o)
{
	struct notify_state *n = notify_state(o);
	uint64_t position = load_acquire(&n->record_position);

	other_end_note(call, o, load_acquire(&n->record_stream), position, &n->record_position);
}

static void notify_wait_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = notify_of(c, call);
	int32_t before;

	if (!o || runs_with_model(c, call))
		return;
	if (acl_arg_value(call->api, call->args, ACL_ROLE_TIMEOUT))
		notify_mark(o, NOTIFY_TIMED);
	/* A counter keeps its value unless the wait clears it. */
	before = load_relaxed(&notify_state(o)->balance);
	if (is_counter(call->api) && before > 0)
		notify_forget_records(o);
	else
		before = atomic_fetch_sub(&notify_state(o)->balance, 1);
	call_note_set(call, &balance_note, NOTIFY_CHANGED);
	call_note_set(call, &alone_note, before == 0);
	if (before == 1 && !is_counter(call->api))
		awaited_record_note(call, o);
}

/* The stream goes on behind the record; when it does behind one that comes later is not known. */
static void notify_order_leave(struct checks *c, const struct acl_call_record *call)
{
	acl_ref ref = call_note(call, &other_stream_note);
	struct acl_object *source = ref ? object_of(c, ref) : NULL;

	if (!stream_of(call) || !call->state.position || runs_with_model(c, call))
		return;
	if (source) {
		stream_waits_for(c, stream_of(call), call->state.position, source,
			call_note(call, &other_position_note));
		return;
	}
	evidence_ends(c, CHECKS_END_NOTIFY_WAIT);
	stream_waits_unseen(
		c, stream_of(call), call->state.position, notify_is_recorded_here(notify_of(c, call)));
}

static void notify_wait_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = notify_of(c, call);
	struct notify_state *n = o ? notify_state(o) : NULL;

	if (succeeded(call) && !is_counter(call->api))
		notify_order_leave(c, call);
	if (n && call_note(call, &balance_note) && !succeeded(call) && !is_counter(call->api))
		atomic_fetch_add(&n->balance, 1);
	if (!n || !succeeded(call))
		return;
	if (runs_with_model(c, call)) {
		notify_mark(o, NOTIFY_CAPTURED);
		return;
	}
	store_relaxed(&n->where, call_site_where(call));
	counter_inc(&n->waits);
	if (!stream_of(call))
		return;
	/* Position 0 while the pair is changed: a reader in between finds no wait. */
	store_release(&n->position, 0);
	store_release(&n->stream, object_ref(stream_of(call)));
	store_release(&n->position, call->state.position);
	store_release(&n->alone, call_note(call, &alone_note) ? call->state.position : 0);
}

/* The stream was waited for, and answers that the time of a wait is over: whichever it was, none waits
 * surely. */
static void notify_wait_timed_out(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *o;

	if (!s || error_of(call) != ACL_ERROR_RT_WAIT_TIMEOUT)
		return;
	object_each(c, ACL_HANDLE_NOTIFY, o)
	{
		struct notify_state *n = notify_state(o);

		if (load_acquire(&n->stream) == object_ref(s) &&
			load_acquire(&n->position) <= call->state.observed_position)
			store_release(&n->position, 0);
	}
}

struct acl_object *notify_still_waiting(struct checks *c, struct acl_object *o)
{
	struct notify_state *n = notify_state(o);
	uint64_t position = load_acquire(&n->position);
	struct acl_object *s = object_of(c, load_acquire(&n->stream));

	return position && s && object_usable(s) && stream_pending(s, position) &&
			       !host_may_be_informed(c, s, position)
		       ? s
		       : NULL;
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

int notify_exporter(struct checks *c, const char *key)
{
	return (int)value_table_value(&notifies(c)->exporter, key_of(c, key)) - 1;
}

static void notify_export_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtNotifyGetExportKey *a = call->args;
	struct acl_object *o = notify_of(c, call);

	if (!o || !succeeded(call))
		return;
	notify_shared(c, o, NOTIFY_EXPORTED);
	if (!(a->flags & ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION))
		notify_mark(o, NOTIFY_CHECKS_PID);
	if (a->key && load_relaxed(&o->device) >= 0)
		value_table_set(
			c, &notifies(c)->exporter, key_of(c, a->key), (uint64_t)load_relaxed(&o->device) + 1);
}

static void notify_peer(struct checks *c, const struct checks_peer_news *news, uint64_t key)
{
	if (news->act == CHECKS_PEER_ON_DEVICE)
		value_table_set(c, &notifies(c)->exporter, key, (uint64_t)news->device + 1);
}

static void notify_permit_leave(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call))
		notify_mark(notify_of(c, call), NOTIFY_LISTED);
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
	{ON_OP(SYNCHRONISE_STREAM), ACL_FAILED, notify_wait_timed_out},
	{ON_OP(INFO_NOTIFY_ID), ACL_LEAVE, notify_number_leave},
	{ON_OP(INFO_COUNT_NOTIFY_ID), ACL_LEAVE, notify_number_leave},
	{ON_OP(EXPORT_NOTIFY), ACL_LEAVE, notify_export_leave},
	{ON_OP(PERMIT_NOTIFY), ACL_LEAVE, notify_permit_leave},
};

const struct check_module module_notify = {
	.order = 18,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct notifies),
	.peer = notify_peer,
};
