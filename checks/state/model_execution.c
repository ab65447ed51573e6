/* SPDX-License-Identifier: Apache-2.0 */
/* Executions of models: the last one of each stream, as a task of it. */
#include "checks/state/model_execution.h"
#include "checks/state/order_state.h"
#include "checks/state/pending_change.h"
#include "checks/state/signal_state.h"
#include "checks/state/stream_change.h"
#include "checks/state/stream_state.h"

struct acl_object *model_root(struct checks *c, struct acl_object *model)
{
	struct acl_object *parent;

	for (unsigned depth = 0; depth < 16 && load_relaxed(&model_state(model)->sub); depth++) {
		parent = object_of(c, load_relaxed(&model_state(model)->parent));
		if (!parent)
			break;
		model = parent;
	}
	return model;
}

bool model_waits_for_outside(struct checks *c, struct acl_object *model)
{
	const struct model_state *m = model_state(model_root(c, model));

	return load_relaxed(&m->waits_outside) || load_relaxed(&m->waits_unseen);
}

static bool execution_open(struct checks *c, const struct model_task *t)
{
	struct acl_object *s = t->stream ? object_of(c, t->stream) : NULL;

	return s && object_usable(s) && stream_pending(s, t->position);
}

/*
 * Under the model's lock: the place for one more, in place of the stream's former one, which is done before,
 * of one that is done, or else of the oldest.
 */
static struct model_task *execution_slot(struct checks *c, struct model_state *m, acl_ref stream)
{
	struct model_task *oldest = &m->execution[0];

	for (unsigned i = 0; i < MODEL_EXECUTIONS; i++)
		if (m->execution[i].stream == stream)
			return &m->execution[i];
	for (unsigned i = 0; i < MODEL_EXECUTIONS; i++) {
		if (!execution_open(c, &m->execution[i]))
			return &m->execution[i];
		if (m->execution[i].number < oldest->number)
			oldest = &m->execution[i];
	}
	return oldest;
}

/* Under the model's lock. */
static void execution_note(struct checks *c, struct model_state *m, const struct model_task *t)
{
	struct model_task *place = execution_slot(c, m, t->stream);
	uint32_t n = (uint32_t)(place - m->execution) + 1;

	*place = *t;
	if (load_relaxed(&m->n_execution) < n)
		store_relaxed(&m->n_execution, n);
}

const char execution_behind_unseen_note;

/* In leave the stream waits for what the model waits for, too.  Which of its own tasks come behind a wait is
 * known of each (pending_replay.c). */
static bool execution_unseen(
	struct checks *c, const struct acl_call_record *call, struct acl_object *model, struct acl_object *s)
{
	return model_waits_for_outside(c, model) ? call_note(call, &execution_behind_unseen_note)
						 : order_unseen(c, s);
}

static void model_execute_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = model_argument(c, call), *s = stream_of(call);
	struct model_state *m = model ? model_state(model) : NULL;
	bool unseen;

	if (!model || !succeeded(call))
		return;
	counter_inc(&m->executions);
	if (!s || !call->state.position)
		return;
	unseen = execution_unseen(c, call, model, s);
	lock(&m->lock);
	execution_note(c, m,
		&(struct model_task){.stream = object_ref(s),
			.position = call->state.position,
			.caller = call->caller,
			.tid = call->tid,
			.number = load_relaxed(&m->executions),
			.api = call->api,
			.unseen = unseen});
	unlock(&m->lock);
	if (load_relaxed(&m->kernels))
		stream_has_kernel(c, s, call->state.position, true);
	replay_begins(c, model, s, !unseen);
}

bool model_execution_next(struct checks *c, struct acl_object *model, unsigned *at, struct model_execution *e)
{
	struct model_state *m = model_state(model);
	struct model_task t;

	/* None is free again.  Relaxed: what is there is read under the lock. */
	while (*at < load_relaxed(&m->n_execution)) {
		lock(&m->lock);
		t = m->execution[(*at)++];
		unlock(&m->lock);
		*e = (struct model_execution){
			object_of(c, t.stream), t.position, t.caller, t.tid, t.api, t.unseen};
		if (e->stream)
			return true;
	}
	return false;
}

bool model_executing(struct checks *c, struct acl_object *model, struct model_execution *e)
{
	struct model_execution one;

	for (unsigned at = 0; model_execution_next(c, model, &at, &one);)
		if (task_surely_pending(c, one.stream, one.position)) {
			if (e)
				*e = one;
			return true;
		}
	return false;
}

static const struct check_hook hooks[] = {
	{ON_OP(EXECUTE_MODEL), ACL_LEAVE, model_execute_leave},
};

const struct check_module module_model_execution = {
	.order = 12,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
