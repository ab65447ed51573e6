/* SPDX-License-Identifier: Apache-2.0 */
/* Executions of models and what they must not meet: another one, the end of the model, an update that is not
 * done. */
#include "checks/rules/copy/earlier_access.h"
#include "checks/state/capture_state.h"
#include "checks/state/group_state.h"
#include "checks/state/model_execution.h"
#include "checks/state/order_state.h"
#include "checks/state/signal_state.h"
#include "checks/state/stream_state.h"

/* --- executed twice at once ------------------------------------------------------------------------- */

static void execution_history(struct acl_object_history *h, const void *source)
{
	const struct model_execution *e = source;

	h->handle = ACL_HANDLE_NONE;
	h->kind = "executes the model";
	h->device = -1;
	h->last_used = (struct acl_call_site){.tid = e->tid, .caller = e->caller, .api = e->api};
}

static void concurrent_execute_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = model_argument(c, call), *s = stream_of(call);
	struct model_execution e;

	if (!model || !s || !call->state.position || order_unseen(c, s))
		return;
	for (unsigned at = 0; model_execution_next(c, model, &at, &e);)
		if (e.stream != s &&
			FINDING(c, call, "mdlri-concurrent-execute",
				!order_is_before(e.stream, e.position, s) &&
					task_surely_pending(c, e.stream, e.position),
				PARTS(part_history("execution in flight", execution_history, &e),
					part_object("model", model), part_object("its stream", e.stream),
					part_object("stream", s)),
				"The model may still be executed on %s, and both executions use the same "
				"memory. " STREAM_EDGE,
				STREAM_TEXT(e.stream), STREAM_EDGE_ARGS(e.stream, e.api, s)))
			return;
}

/* --- destroyed while it runs -------------------------------------------------------------------------- */

/* Of one call both may be reported, so they count as two sites. */
static void running_report(struct checks *c, struct acl_call_record *call, struct acl_object *model,
	const struct model_execution *e, bool advice, const char *what)
{
	FINDING_BROKEN(c, call, RULE("mdlri-destroy-running"),
		PARTS(part_history("execution in flight", execution_history, e), part_object("model", model),
			part_object("its stream", e->stream), part_advice(advice),
			part_site(advice ? 0 : call->caller + 1)),
		"Nothing the host did shows that the execution on %s is done%s. " HOST_EDGE,
		STREAM_TEXT(e->stream), what, HOST_EDGE_ARGS(e->stream, e->api));
}

/* Mostly the runtime waits for it: graph caches rely on that. */
static void running_destroy_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = object_of(c, call->state.destroying);
	struct model_execution e;
	unsigned at = 0;

	if (!model || model->kind != ACL_HANDLE_MODEL || call->in_exit ||
		!model_execution_next(c, model, &at, &e))
		return;
	rule_evaluated(call, RULE("mdlri-destroy-running"));
	if (model_executing(c, model, &e))
		running_report(c, call, model, &e, true, "; the call may wait for it");
}

/* It ran longer than the runtime waits. */
static void running_destroy_failed(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = model_argument(c, call);
	struct model_execution e;

	if (!model || error_of(call) != ACL_ERROR_RT_MODEL_RUNNING || !model_executing(c, model, &e))
		return;
	rule_evaluated(call, RULE("mdlri-destroy-running"));
	running_report(c, call, model, &e, false, ", and the runtime did not wait any longer");
}

/* --- executed before an update is done -------------------------------------------------------------------
 */

static void updated_execute_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = model_argument(c, call), *s = stream_of(call), *updater;
	uint64_t position;

	if (!model || !s || !call->state.position)
		return;
	updater = model_updated_on(c, model, &position);
	/* Its tasks may wait for the end of the update themselves. */
	if (!updater || updater == s || load_relaxed(&model_state(model)->waits_outside) ||
		order_unseen(c, s))
		return;
	FINDING(c, call, "taskupd-not-ordered",
		!order_is_before(updater, position, s) && task_surely_pending(c, updater, position),
		PARTS(part_object("model", model), part_object("updated on", updater),
			part_object("stream", s)),
		"Its tasks were updated on %s, which may not be done when they run. " STREAM_EDGE,
		STREAM_TEXT(updater), STREAM_EDGE_ARGS(updater, ACL_API_aclmdlRICaptureTaskUpdateEnd, s));
}

static const struct check_hook hooks[] = {
	{ON_OP(EXECUTE_MODEL), ACL_ENTER, concurrent_execute_enter},
	{ON_OP(EXECUTE_MODEL), ACL_ENTER, updated_execute_enter},
	{ON_OP(DESTROY_MODEL), ACL_ENTER, running_destroy_enter},
	{ON_OP(DESTROY_MODEL), ACL_FAILED, running_destroy_failed},
};

const struct check_module module_model_order = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
