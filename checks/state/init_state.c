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

	if (error && error != ACL_ERROR_REPEAT_INITIALIZE)
		return;
	if (!error)
		store_relaxed(&s->ended, false);
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

/* Of the counted ones the last ends it: the runtime says how many are left, else those that were seen do. */
static void finalize_leave(struct checks *c, struct acl_call_record *call)
{
	struct init_state *s = init_state(c);
	bool counts = acl_arg_has(call->api, ACL_ROLE_NUMBER), last = !counts || init_count(c) == 1;
	const uint64_t *left = counts ? acl_arg_pointer(call->api, call->args, ACL_ROLE_NUMBER) : NULL;

	if (!succeeded(call))
		return;
	if (left ? !*left : last) {
		checks_when(c, WHEN_FINALIZED);
		store_relaxed(&s->ended, true);
	}
	if (!counts)
		atomic_store(&s->count, 0);
	else if (init_count(c) > 0 && left)
		atomic_store(&s->count, (int32_t)*left);
	else if (init_count(c) > 0)
		atomic_fetch_sub(&s->count, 1);
}

/* What the parent initialised is the parent's to end; a child that initialises anew answers for itself. */
static void init_forked(struct checks *c)
{
	store_relaxed(&init_state(c)->forked, true);
}

static const struct check_hook hooks[] = {
	{ON_OP(PROCESS_INIT), ACL_ENTER, init_enter},
	{ON_OP(PROCESS_INIT), ACL_LEAVE, init_leave},
	{ON_OP(PROCESS_FINALIZE), ACL_LEAVE, finalize_leave},
};

const struct check_module module_init = {
	.order = 19,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct init_state),
	.forked = init_forked,
};
