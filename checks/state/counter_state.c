/* SPDX-License-Identifier: Apache-2.0 */
/* Counting notifies as order: what records make of the count, and what waits for that come behind. */
#include "checks/engine/evidence.h"
#include "checks/engine/program_memory.h"
#include "checks/state/lifecycle.h"
#include "checks/state/notify_state.h"
#include "checks/state/pending_access.h"
#include "checks/state/stream_change.h"
#include "checks/state/stream_state.h"

/* The one that the call uses, locked; NULL: not made while we looked. */
static struct counter_state *counter_lock(struct checks *c, const struct acl_call_record *call)
{
	struct acl_object *o = notify_of(c, call);

	if (!o)
		return NULL;
	lock(&counter_state(o)->lock);
	return counter_state(o);
}

static void counter_forget(struct checks *c, struct acl_call_record *call)
{
	struct counter_state *n = counter_lock(c, call);

	if (!n)
		return;
	value_forget(&n->count);
	unlock(&n->lock);
}

void counter_created(struct acl_object *o)
{
	counter_state(o)->count.narrow = true;
	value_is(&counter_state(o)->count, 0, true);
}

/* --- records ----------------------------------------------------------------------------------------- */

/* false: it is not known. */
static bool record_reads(struct checks *c, const struct acl_call_record *call, struct value_change *what)
{
	aclrtCntNotifyRecordInfo info;

	if (!program_read(c, acl_arg_pointer(call->api, call->args, ACL_ROLE_INFO), &info, sizeof(info)))
		return false;
	what->value = info.value;
	switch (info.mode) {
	case ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE:
		what->act = VALUE_SET;
		return true;
	case ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE:
		what->act = VALUE_ADD;
		return true;
	case ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE:
		what->act = VALUE_OR;
		return true;
	case ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE:
		what->act = VALUE_AND;
		return true;
	}
	return false;
}

/* what: NULL: something that is not known.  Models mark the notify as one that is not followed. */
static void counter_changes(struct checks *c, struct acl_call_record *call, const struct value_change *what)
{
	bool placed = stream_of(call) && call->state.position;
	struct counter_state *n = placed && !task_runs_now(c, call) ? NULL : counter_lock(c, call);

	if (!n)
		return;
	if (placed && what)
		value_changed(c, call, &n->count, *what);
	else
		value_forget(&n->count);
	unlock(&n->lock);
}

/* In enter: whom the record wakes may submit the next wait before this call is back. */
static void counter_record_enter(struct checks *c, struct acl_call_record *call)
{
	struct value_change what = {0};

	counter_changes(c, call, record_reads(c, call, &what) ? &what : NULL);
}

static void counter_reset_enter(struct checks *c, struct acl_call_record *call)
{
	counter_changes(c, call, &(struct value_change){.act = VALUE_SET});
}

/* --- waits ------------------------------------------------------------------------------------------- */

static bool wait_reads(struct checks *c, const struct acl_call_record *call, struct value_test *t,
	aclrtCntNotifyWaitInfo *info)
{
	static const uint8_t conditions[] = {
		[ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE] = VALUE_LESS,
		[ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE] = VALUE_EQUAL,
		[ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE] = VALUE_MORE,
		[ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE] = VALUE_AT_LEAST,
		[ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE] = VALUE_ALL_BITS,
	};

	if (!program_read(c, acl_arg_pointer(call->api, call->args, ACL_ROLE_INFO), info, sizeof(*info)) ||
		(unsigned)info->mode >= sizeof(conditions))
		return false;
	*t = (struct value_test){conditions[info->mode], info->value};
	return true;
}

bool counter_wait_is_hopeless(struct checks *c, const struct acl_call_record *call, bool *timed)
{
	struct acl_object *o = notify_of(c, call);
	aclrtCntNotifyWaitInfo info;
	struct value_test t;

	if (!o || load_relaxed(&o->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED) ||
		load_relaxed(&notify_state(o)->records) || !wait_reads(c, call, &t, &info) ||
		value_passes(&t, 0))
		return false;
	*timed = info.timeout != 0;
	return true;
}

static void counter_wait_enter(struct checks *c, struct acl_call_record *call)
{
	struct value_test t;
	struct value_end end;
	struct counter_state *n;
	aclrtCntNotifyWaitInfo info;

	if (!task_runs_now(c, call))
		return;
	if (!wait_reads(c, call, &t, &info)) {
		counter_forget(c, call);
		return;
	}
	n = counter_lock(c, call);
	if (!n)
		return;
	end = value_end(c, &n->count, stream_of(call), &t);
	value_wait_begins(call, &n->count, &end);
	/* Behind which records it comes is in no clock where that is one or another. */
	if (info.isClear || !end.by)
		value_changed(c, call, &n->count,
			(struct value_change){.act = info.isClear ? VALUE_CLEAR : VALUE_AWAIT,
				.is = (uint8_t)t.is,
				.value = t.value,
				.behind = (uint8_t)end.by});
	unlock(&n->lock);
}

/* The stream goes on behind the records it needs; when it does behind those that come later is not known. */
static void counter_wait_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = notify_of(c, call);
	struct counter_state *n;
	bool known;

	if (!succeeded(call) || !task_runs_now(c, call))
		return;
	n = o && notify_is_followed(o) ? counter_lock(c, call) : NULL;
	known = value_wait_ordered(c, call, n ? &n->count : NULL);
	if (n)
		unlock(&n->lock);
	if (known)
		return;
	evidence_ends(c, CHECKS_END_NOTIFY_WAIT);
	stream_waits_unseen(c, stream_of(call), call->state.position, notify_is_recorded_here(o));
}

static const struct check_hook hooks[] = {
	{ON_OP(RECORD_COUNT_NOTIFY), ACL_ENTER, counter_record_enter},
	{ON_OP(RECORD_COUNT_NOTIFY), ACL_FAILED, counter_forget},
	{ON_OP(RESET_COUNT_NOTIFY), ACL_ENTER, counter_reset_enter},
	{ON_OP(RESET_COUNT_NOTIFY), ACL_FAILED, counter_forget},
	{ON_OP(WAIT_COUNT_NOTIFY), ACL_ENTER, counter_wait_enter},
	{ON_OP(WAIT_COUNT_NOTIFY), ACL_LEAVE, counter_wait_leave},
	{ON_OP(WAIT_COUNT_NOTIFY), ACL_FAILED, counter_forget},
};

const struct check_module module_counter = {
	.order = 43, /* the stream has its position */
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
