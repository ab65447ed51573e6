/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks that may tell of a stream's progress on ways the checker does not see:
 * notifies and shared events reach other processes, a written word is polled, a
 * callback is the program itself.
 */
#include "checks/kernel.h"

static void signalled(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);

	(void)c;
	if (s && succeeded(ev))
		raise_to(&stream_state(s)->signal, ev->carry[CARRY_POSITION]);
}

/* Events that other processes may look at: their records are signals, too. */
static bool shared_events(struct checks *c)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_EVENT,
		o) if (object_usable(o) && (ld(&event_state(o)->flags) & ACL_EVENT_IPC ||
						   ld(&event_state(o)->maker) == EVENT_IMPORTED)) return true;
	return false;
}

bool task_surely_pending(struct checks *c, struct acl_object *stream, uint64_t position)
{
	return position && stream && object_usable(stream) && stream_pending(stream, position) &&
	       ld(&stream_state(stream)->signal) < position && !ld(&stream_state(stream)->suspect) &&
	       !shared_events(c);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtRecordNotify, ACL_LEAVE, signalled},
	{ACL_API_aclrtCntNotifyRecord, ACL_LEAVE, signalled},
	{ACL_API_aclrtValueWrite, ACL_LEAVE, signalled},
	{ACL_API_aclrtLaunchCallback, ACL_LEAVE, signalled},
	{ACL_API_aclrtLaunchHostFunc, ACL_LEAVE, signalled},
};

const struct acl_topic topic_signal = {
	.name = "signals", .hooks = hooks, .n_hooks = sizeof(hooks) / sizeof(hooks[0])};
