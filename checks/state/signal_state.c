/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks that may show a stream's progress on ways the checker does not see:
 * shared notifies and events reach other processes, a written word is polled, a
 * callback is the program itself.
 */
#include "checks/state/signal_state.h"
#include "checks/engine/instance.h"
#include "checks/state/event_state.h"
#include "checks/state/notify_state.h"
#include "checks/state/stream_change.h"
#include "checks/state/stream_state.h"

static void signalled(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	if (s && call->state.position && succeeded(call))
		stream_tells(c, s, call->state.position);
}

/* Only streams of this process wait for it, and their waits are followed. */
static void notify_signalled(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *n = notify_of(c, call);

	if (!n || !notify_is_followed(n))
		signalled(c, call);
}

bool task_surely_pending(struct checks *c, struct acl_object *stream, uint64_t position)
{
	return position && stream && object_usable(stream) && stream_pending(stream, position) &&
	       stream_rarely(stream, signal) < position && !stream_rarely(stream, suspect) &&
	       !events_are_shared(c);
}

static const struct check_hook hooks[] = {
	{ON_OP(RECORD_COUNT_NOTIFY), ACL_LEAVE, notify_signalled},
	{ON_OP(LAUNCH_HOST_FUNCTION), ACL_LEAVE, signalled},
	{ON_OP(RECORD_NOTIFY), ACL_LEAVE, notify_signalled},
	{ON_OP(WRITE_VALUE), ACL_LEAVE, signalled},
};

const struct check_module module_signal = {
	.order = 9, .hooks = hooks, .n_hooks = sizeof(hooks) / sizeof(hooks[0])};
