/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream that was not made: its variable still holds NULL, which is the default stream, and
 * what is submitted to it runs there without an error.
 */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/state/device_state.h"
#include "checks/state/stream_state.h"

#define UNMADE 16 /* of more, the latest are known */

struct unmade {
	_Atomic uint64_t pthread_id; /* 0 = none */
	_Atomic uint64_t variable; /* where the handle would be */
	struct call_site_slot failed;
};

struct unmade_streams {
	struct unmade at[UNMADE];
	_Atomic uint32_t n; /* ever */
};

static bool holds_null(struct checks *c, const void *variable)
{
	const void *held;

	return variable && program_read(c, variable, &held, sizeof(held)) && !held;
}

/* Whoever has worked with the default stream means it by NULL. */
static bool default_stream_is_used(struct checks *c, const struct acl_call_record *call)
{
	bool known;
	struct acl_object *context = context_current(c, thread_of(call), &known);
	struct acl_object *s =
		context ? object_of(c, load_relaxed(&context_state(context)->default_stream)) : NULL;

	return !s || stream_submitted(s);
}

/* A thread that makes another one has found a way out. */
static void unmade_forget(struct unmade_streams *s, const struct acl_call_record *call)
{
	for (unsigned i = 0; i < UNMADE; i++)
		if (load_relaxed(&s->at[i].pthread_id) == call->pthread_id)
			store_relaxed(&s->at[i].pthread_id, 0);
}

static void stream_create_leave(struct checks *c, struct acl_call_record *call)
{
	struct unmade_streams *s = module_state(c, unmade_stream);
	const void *variable = acl_arg_pointer(call->api, call->args, ACL_ROLE_STREAM);
	struct unmade *u;

	if (succeeded(call)) {
		unmade_forget(s, call);
		return;
	}
	if (!is_checked(call) || !holds_null(c, variable) || default_stream_is_used(c, call))
		return;
	u = &s->at[counter_inc(&s->n) % UNMADE];
	store_relaxed(&u->pthread_id, 0);
	store_relaxed(&u->variable, (uintptr_t)variable);
	call_site_take(c, &u->failed, call, false);
	store_release(&u->pthread_id, call->pthread_id);
	checks_when(c, WHEN_STREAM_NOT_MADE);
}

static void default_stream_submit(struct checks *c, struct acl_call_record *call)
{
	struct unmade_streams *s = module_state(c, unmade_stream);

	if (acl_arg_pointer(call->api, call->args, ACL_ROLE_STREAM))
		return;
	for (unsigned i = 0; i < UNMADE; i++) {
		struct unmade *u = &s->at[i];

		if (load_acquire(&u->pthread_id) != call->pthread_id)
			continue;
		FINDING(c, call, "failed-create-output-used",
			holds_null(c, (const void *)(uintptr_t)load_relaxed(&u->variable)),
			PARTS(part_severity(ACL_SEV_WARNING), part_output_of(call_site_api(&u->failed))),
			"The stream is NULL, which is the default stream: the call that should have made one "
			"failed on this thread.");
		unmade_forget(s, call);
		return;
	}
}

/* What the parent's calls left is its own. */
static void unmade_forked(struct checks *c)
{
	struct unmade_streams *s = module_state(c, unmade_stream);

	for (unsigned i = 0; i < UNMADE; i++)
		store_relaxed(&s->at[i].pthread_id, 0);
}

static const struct check_hook hooks[] = {
	{ON_OBJECT(STREAM, CREATE), ACL_LEAVE, stream_create_leave},
	{ON_ROLE(STREAM), ACL_ENTER | ACL_IF_ASYNC | ACL_WHEN(STREAM_NOT_MADE), default_stream_submit},
};

const struct check_module module_unmade_stream = {
	.state_size = sizeof(struct unmade_streams),
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.forked = unmade_forked,
};
