/* SPDX-License-Identifier: Apache-2.0 */
/* Two tasks of a model that were captured on different streams touch the same bytes with nothing between. */
#include "checks/engine/finding_statement.h"
#include "checks/rules/copy/earlier_access.h"
#include "checks/state/capture_state.h"
#include "checks/engine/evidence.h"
#include "checks/state/model_execution.h"
#include "checks/state/pending_access.h"
#include "checks/state/stream_state.h"

static const struct acl_rule *rule_of(unsigned met)
{
	return met & MET_SET ? RULE("stream-race-set") : RULE("stream-race-copy");
}

/* What orders its tasks may come from outside, or the task be replaced before it runs. */
static bool model_order_is_open(struct checks *c, struct acl_object *model, const struct access_conflict *x)
{
	struct acl_object *root = model_root(c, model);

	return x->hidden || load_relaxed(&model_state(model)->groups) ||
	       (root != model && (load_relaxed(&model_state(root)->waits_unseen) ||
					 load_relaxed(&model_state(root)->waits_outside)));
}

/* A kernel may order what its stream does by a word of memory. */
static bool model_order_may_be_unseen(struct checks *c, struct acl_object *model)
{
	if (!load_relaxed(&model_state(model_root(c, model))->kernels))
		return order_may_be_unseen(c, NULL, NULL);
	evidence_ends(c, CHECKS_END_KERNEL);
	return true;
}

static void captured_race_look(struct checks *c, struct acl_call_record *call, struct acl_object *model)
{
	struct acl_object *s = stream_of(call), *earlier;
	struct access_conflict x = {0};
	unsigned met;
	bool found, unseen;

	found = captured_unordered(c, call, &x, &met);
	earlier = found ? object_of(c, x.earlier.stream) : NULL;
	if (!earlier) {
		if (met)
			rule_evaluated(call, rule_of(met));
		return;
	}
	if (model_order_is_open(c, model, &x)) {
		evidence_ends(c, CHECKS_END_MODEL);
		return;
	}
	unseen = model_order_may_be_unseen(c, model);
	FINDING_OF(c, call, rule_of(((x.flags | x.earlier.flags) & ACCESS_SETS) ? MET_SET : MET_COPY), true,
		PARTS(part_history("captured task", earlier_history, &x), part_object("its stream", earlier),
			part_object("stream", s), part_block("memory", x.block), part_advice(unseen)),
		"This call and %s captured on another stream " BOTH_TOUCH
		", %s, and nothing in the model orders them. " STREAM_EDGE,
		acl_apis[x.earlier.api].name, BOTH_TOUCH_ARGS(&x), who_writes(&x),
		STREAM_EDGE_ARGS(earlier, x.earlier.api, s));
}

/* In leave: a call that is refused captures nothing. The access is not yet among those of the model. */
static void captured_race_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model;

	/* Where captures are made, most calls are outside of them. */
	if (!call->state.capture || !succeeded(call))
		return;
	model = object_of(c, call->state.capture);
	if (model)
		captured_race_look(c, call, model);
}

static bool captured_race_create(struct checks *c)
{
	accesses_follow_for(c, RULE("stream-race-copy"));
	accesses_follow_for(c, RULE("stream-race-set"));
	return true;
}

static const struct check_hook hooks[] = {
	{ON_GROUP(COPY), ACL_LEAVE | ACL_IF_ASYNC | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, captured_race_leave},
	{ON_GROUP(SET), ACL_LEAVE | ACL_IF_ASYNC | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, captured_race_leave},
	{ON_GROUP(REDUCE), ACL_LEAVE | ACL_IF_ASYNC | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL,
		captured_race_leave},
	{ON_OP(RANDOM), ACL_LEAVE | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, captured_race_leave},
};

const struct check_module module_captured_race = {
	.create = captured_race_create,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
