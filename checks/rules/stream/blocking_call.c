/* SPDX-License-Identifier: Apache-2.0 */
/* Who could still end what a blocking call waits for. */
#include "checks/rules/stream/blocking_call.h"

#include "checks/state/stream_state.h"

/* A callback runs on a thread of the runtime, and may call whatever the program can. */
static bool callback_pending(struct checks *c)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_STREAM, o)
	{
		uint64_t callback = stream_rarely(o, callback);

		if (callback && object_usable(o) && stream_pending(o, callback))
			return true;
	}
	return false;
}

/* Threads of the runtime call in callbacks alone: one that is pending counts, and a thread without does not.
 */
static bool thread_is_left(struct checks *c, struct acl_thread *t)
{
	return load_relaxed(&t->inside_caller) &&
	       (!c->host.thread_lives || c->host.thread_lives(c->host.context, load_relaxed(&t->tid)));
}

/* Of those that have made a call, not more than the calling one is left. */
static bool one_thread_is_left(struct checks *c)
{
	struct acl_thread *t;
	uint32_t cursor = 0;
	unsigned left = 0;

	if (load_relaxed(&c->n_threads) < 2)
		return true;
	while (left < 2 && (t = thread_next(c, &cursor)) != NULL)
		left += thread_is_left(c, t);
	return left < 2;
}

bool no_other_thread(struct checks *c)
{
	return one_thread_is_left(c) && !other_submitters_possible(c, CHECKS_OTHER_THREADS);
}

bool nobody_else_can_act(struct checks *c)
{
	return !callback_pending(c) && no_other_thread(c);
}
