/* SPDX-License-Identifier: Apache-2.0 */
/* Two tasks of different streams that touch the same bytes with nothing that orders them. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/plain_format.h"
#include "checks/rules/copy/earlier_access.h"
#include "checks/state/binary_state.h"
#include "checks/state/declared_pool.h"
#include "checks/state/pending_access.h"
#include "checks/state/signal_state.h"
#include "checks/state/stream_state.h"

static const struct acl_rule *rule_of(const struct access_conflict *x)
{
	const unsigned flags = x->flags | x->earlier.flags;

	return earlier_reads_arguments(x) ? RULE("kernel-args-freed")
	       : flags & ACCESS_ALLOCATES ? RULE("pool-cross-stream-unordered")
	       : flags & ACCESS_SETS      ? RULE("stream-race-set")
					  : RULE("stream-race-copy");
}

/* The stream that a declared block is for. */
static const char *whose_block(struct checks *c, const struct acl_block *block, char out[64])
{
	struct acl_object *s = load_relaxed(&((struct acl_block *)block)->marks) & BLOCK_DECLARED
				       ? declared_stream(c, block)
				       : NULL;

	return s ? plain_print(out, 64, "; the block is for %s", STREAM_TEXT(s)) : "";
}

static void race_report(struct checks *c, struct acl_call_record *call, const struct access_conflict *x)
{
	struct acl_object *s = stream_of(call), *earlier = object_of(c, x->earlier.stream);
	char whose[64];
	bool unseen;

	if (!earlier || !task_surely_pending(c, earlier, x->earlier.position))
		return;
	/* A kernel has its arguments before it does what is not seen. */
	unseen = order_may_be_unseen(c, earlier_reads_arguments(x) ? NULL : earlier, s);
	stream_runs_on(call);
	FINDING_OF(c, call, rule_of(x), true,
		PARTS(part_history("task in flight", earlier_history, x), part_object("its stream", earlier),
			part_captured(x), part_object("stream", s), part_block("memory", x->block),
			part_advice(unseen || (x->flags | x->earlier.flags) & ACCESS_MAYBE)),
		"This call and %s on another stream " BOTH_TOUCH
		", %s, and nothing orders them%s. " STREAM_EDGE,
		acl_apis[x->earlier.api].name, BOTH_TOUCH_ARGS(x), who_writes(x),
		whose_block(c, x->block, whose), STREAM_EDGE_ARGS(earlier, x->earlier.api, s));
}

static void race_evaluated(const struct acl_call_record *call, unsigned met)
{
	if (met & MET_COPY)
		rule_evaluated(call, RULE("stream-race-copy"));
	if (met & MET_SET)
		rule_evaluated(call, RULE("stream-race-set"));
	if (met & MET_POOL)
		rule_evaluated(call, RULE("pool-cross-stream-unordered"));
	if (met & MET_ARGUMENTS)
		rule_evaluated(call, RULE("kernel-args-freed"));
}

static void race_enter(struct checks *c, struct acl_call_record *call)
{
	unsigned met;

	if (__builtin_expect(!call->state.n_notes, 1))
		return;
	met = accesses_met(call);
	if (!met)
		return;
	if (met & MET_CONFLICT)
		race_report(c, call, accesses_conflict(call));
	else
		race_evaluated(call, met);
	accesses_met_forget(c, call);
}

/* Arguments of captured kernels come with what is followed for others: alone they are not worth the cost. */
static bool stream_race_create(struct checks *c)
{
	accesses_follow_for(c, RULE("stream-race-copy"));
	accesses_follow_for(c, RULE("stream-race-set"));
	accesses_follow_for(c, RULE("pool-cross-stream-unordered"));
	return true;
}

static const struct check_hook hooks[] = {
	{ACL_ANNOTATION_KERNEL, ACL_ENTER, race_enter},
	{ON_OP(LAUNCH_KERNEL), ACL_ENTER, race_enter}, /* with accesses that are declared */
	{ON_GROUP(COPY), ACL_ENTER | ACL_IF_ASYNC, race_enter},
	{ON_GROUP(SET), ACL_ENTER | ACL_IF_ASYNC, race_enter},
	{ON_GROUP(REDUCE), ACL_ENTER | ACL_IF_ASYNC, race_enter},
	{ON_OP(CACHE_DESCRIBED), ACL_ENTER, race_enter},
	{ON_OP(RANDOM), ACL_ENTER, race_enter},
	{ON_OP(FREE_POOL), ACL_ENTER, race_enter},
	{ON_OP(OVERFLOW_READ), ACL_ENTER | ACL_IF_ASYNC, race_enter},
	{ON_OP(EXECUTE_MODEL), ACL_ENTER, race_enter},
};

const struct check_module module_stream_race = {
	.create = stream_race_create,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
