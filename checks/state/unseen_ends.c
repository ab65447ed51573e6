/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/state/unseen_ends.h"

#include "checks/state/binding_state.h"
#include "checks/state/event_state.h"
#include "checks/state/model_execution.h"
#include "checks/state/stream_state.h"

struct unseen_ends {
	_Atomic bool followed; /* every stream knows its last record */
	_Atomic bool anything;
};

static struct unseen_ends *ends(struct checks *c)
{
	return module_state(c, unseen_ends);
}

/* Written once: waits of many threads come here. */
static void anything_ends(struct checks *c)
{
	if (!load_relaxed(&ends(c)->anything))
		store_relaxed(&ends(c)->anything, true);
}

static void ends_here(struct checks *c, struct acl_object *stream, uint64_t position)
{
	struct stream_rare *r = stream_rare_make(c, stream);

	if (r)
		raise_to(&r->recorded, position);
	else
		anything_ends(c);
}

/* Which of the tasks so far are records was not noted: all may be. Of two threads here at once either does
 * it. */
static void records_follow(struct checks *c)
{
	struct acl_object *o;

	if (load_acquire(&ends(c)->followed))
		return;
	/* First: what is submitted from now on notes itself. */
	checks_when(c, WHEN_END_UNSEEN);
	object_each(c, ACL_HANDLE_STREAM, o) ends_here(c, o, stream_submitted(o));
	store_release(&ends(c)->followed, true);
}

void unseen_end_follow(struct checks *c, bool by_record)
{
	if (by_record)
		records_follow(c);
	else
		anything_ends(c);
}

/* Records of other libraries, and of other processes, are not seen. */
bool unseen_ends_are_records(struct checks *c)
{
	return load_acquire(&ends(c)->followed) && !load_relaxed(&ends(c)->anything) &&
	       !events_are_shared(c) && !other_submitters_possible(c, CHECKS_OTHER_WORK);
}

uint64_t unseen_end_position(struct acl_object *stream)
{
	return stream_rarely(stream, recorded);
}

/* In enter: once the call is made, the wait may be over. */
static void record_enter(struct checks *c, struct acl_call_record *call)
{
	if (!stream_of(call))
		anything_ends(c);
	else if (call->state.position)
		ends_here(c, stream_of(call), call->state.position);
}

static void execute_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = model_argument(c, call);

	if (!model || !model_is_followed(c, model) ||
		load_relaxed(&model_state(model_root(c, model))->records))
		record_enter(c, call);
}

static const struct check_hook hooks[] = {
	{ON_GROUP(RECORD), ACL_ENTER | ACL_WHEN(END_UNSEEN), record_enter},
	{ON_GROUP(WRITE), ACL_ENTER | ACL_WHEN(END_UNSEEN), record_enter},
	{ON_GROUP(EXECUTE), ACL_ENTER | ACL_WHEN(END_UNSEEN), execute_enter},
};

const struct check_module module_unseen_ends = {
	.order = 47, /* the stream has its position */
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct unseen_ends),
};
