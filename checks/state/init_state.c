/* SPDX-License-Identifier: Apache-2.0 */
/* Initialisation and its end. */
#include "checks/state/init_state.h"

/* Of a call: the process is a forked child, and its runtime was not initialised. */
static const char anew_note;

bool init_began_anew(const struct acl_call_record *call)
{
	return call_note(call, &anew_note);
}

static void init_enter(struct checks *c, struct acl_call_record *call)
{
	(void)call;
	checks_initialized(c);
}

static void init_leave(struct checks *c, struct acl_call_record *call)
{
	struct init_state *s = init_state(c);
	int32_t error = error_of(call);

	if (error && error != ACL_ERROR_REPEAT_INIT)
		return;
	if (load_relaxed(&s->forked) && !error) {
		call_note_set(call, &anew_note, 1);
		atomic_store(&s->count, 0);
	}
	store_relaxed(&s->forked, false);
	if (atomic_fetch_add(&s->count, 1) == 0) {
		call_site_take(c, &s->first, call, true);
		store_relaxed(&s->module, calling_module(c, call));
	}
}

static void finalize_leave(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call))
		atomic_store(&init_state(c)->count, 0);
}

static void unreference_leave(struct checks *c, struct acl_call_record *call)
{
	const uint64_t *left = acl_arg_pointer(call->api, call->args, ACL_ROLE_NUMBER);

	if (!succeeded(call) || init_count(c) <= 0)
		return;
	if (left)
		atomic_store(&init_state(c)->count, (int32_t)*left);
	else
		atomic_fetch_sub(&init_state(c)->count, 1);
}

/* What the parent initialised is the parent's to end; a child that initialises anew answers for itself. */
static void init_forked(struct checks *c)
{
	store_relaxed(&init_state(c)->forked, true);
}

static const struct check_hook hooks[] = {
	{ON_OP(PROCESS_INIT), ACL_ENTER, init_enter},
	{ON_OP(PROCESS_INIT), ACL_LEAVE, init_leave},
	{ACL_API_aclFinalize, ACL_LEAVE, finalize_leave},
	{ON_OP_WITH(PROCESS_FINALIZE, NUMBER), ACL_LEAVE, unreference_leave},
};

const struct check_module module_init = {
	.order = 19,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct init_state),
	.forked = init_forked,
};
