/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the runtime's life: when it is called, what comes too late for it, what is still counted. */
#include "checks/engine/finding_statement.h"
#include "checks/state/init_state.h"

struct finalize_state {
	_Atomic bool ever_whole, ever_counted; /* aclFinalize, aclFinalizeReference succeeded */
	_Atomic uint32_t late; /* callbacks registered after the end */
	struct call_site_slot late_one;
};

static struct finalize_state *finalize(struct checks *c)
{
	return module_state(c, finalize);
}

/* --- when it is called ----------------------------------------------------------------- */

static void finalize_use_enter(struct checks *c, struct acl_call_record *call)
{
	if (!finalize_ends_runtime(c, call))
		return;
	FINDING(c, call, "finalize-in-destructor", call->in_exit_handlers, NO_PARTS,
		"main() is over: the call comes from an exit handler or a destructor of a static object.");
}

static void finalize_use_leave(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call))
		store_relaxed(acl_arg_has(call->api, ACL_ROLE_NUMBER) ? &finalize(c)->ever_counted
								      : &finalize(c)->ever_whole,
			true);
}

/* --- what comes too late ----------------------------------------------------------------- */

static void initialised(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call))
		store_relaxed(&finalize(c)->late, 0);
}

static void finalize_register_leave(struct checks *c, struct acl_call_record *call)
{
	if (!succeeded(call) || !is_checked(call))
		return;
	rule_evaluated(call, RULE("finalize-callback-after-finalize"));
	if (!runtime_ended(c))
		return;
	call_site_take(c, &finalize(c)->late_one, call, true);
	counter_inc(&finalize(c)->late);
}

static void report_late(struct checks *c)
{
	struct finalize_state *s = finalize(c);

	FINDING_BROKEN(c, NULL, RULE("finalize-callback-after-finalize"),
		PARTS(part_caller(call_site_caller(&s->late_one)),
			part_uint("callbacks", load_relaxed(&s->late)),
			part_created_at("registered", "callback", &s->late_one)),
		"A callback for the end was registered after the end, and aclInit was not called again.");
}

/* --- what is still counted ------------------------------------------------------------------ */

static void finalize_finish(struct checks *c, enum checks_end kind)
{
	struct finalize_state *s = finalize(c);
	int count = init_count(c);
	/* That the process was not finalized is said by itself; this is why. */
	bool reason = rule_wanted(c, RULE("finalize-missing-at-exit"));

	if (!end_is_whole(c, kind) || load_relaxed(&init_state(c)->forked))
		return;
	if (load_relaxed(&s->late))
		report_late(c);
	if (load_relaxed(&s->ever_counted) && !load_relaxed(&s->ever_whole))
		FINDING(c, NULL, "finalize-reference-unbalanced", count > 0,
			PARTS(part_secondary(reason), part_int("still counted", count)),
			"aclInit was called %d time%s more than aclFinalizeReference", count,
			count == 1 ? "" : "s");
}

static const struct check_hook hooks[] = {
	{ON_OP(PROCESS_INIT), ACL_LEAVE, initialised},
	{ON_OP(PROCESS_FINALIZE), ACL_ENTER, finalize_use_enter},
	{ON_OP(PROCESS_FINALIZE), ACL_LEAVE, finalize_use_leave},
	{ON_OP(CALLBACK_REGISTER_FINALIZE), ACL_LEAVE, finalize_register_leave},
};

const struct check_module module_finalize = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct finalize_state),
	.finish = finalize_finish,
};
