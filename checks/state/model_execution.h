/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executions of models: which stream executes a model, as the task at which position.
 *
 * An execution is a task of its stream like any other: what the host has seen done is
 * asked of the stream (stream_pending(), task_surely_pending()), nothing is kept twice.
 *
 *	struct model_execution e;
 *
 *	if (model_executing(c, model, &e))
 *		… the task at e.position of e.stream has been submitted, and nothing shows it done
 *
 *	for (unsigned at = 0; model_execution_next(c, model, &at, &e);)
 *		… each execution that is remembered, done or not
 *
 * Of a condition's model its root counts, which is what the program executes (model_root()).
 */
#ifndef CHECKS_MODEL_EXECUTION_H
#define CHECKS_MODEL_EXECUTION_H

#include "checks/state/capture_state.h"

struct model_execution {
	struct acl_object *stream;
	uint64_t position; /* of the task in its stream */
	uint64_t caller; /* where it was submitted */
	uint32_t tid;
	uint16_t api;
	bool unseen; /* what it comes after is not seen: order_unseen() */
};

/* The model that is executed when this one is: of a condition's model its parent, and so on. */
struct acl_object *model_root(struct checks *c, struct acl_object *model);
/* Some of its tasks wait for what comes from outside. */
bool model_waits_for_outside(struct checks *c, struct acl_object *model);
/* Of a call that executes such a model: 1 if what its stream waited for before is not seen. */
extern const char execution_behind_unseen_note;

/* An execution that nothing shows to be done; one that the host may have learnt of by ways we do not
 * follow is none. e may be NULL. */
bool model_executing(struct checks *c, struct acl_object *model, struct model_execution *e);

/* The remembered executions one after the other, beginning with *at 0; false: no more. The last
 * one of each stream is there, of MODEL_EXECUTIONS streams that are not known to be done. */
bool model_execution_next(
	struct checks *c, struct acl_object *model, unsigned *at, struct model_execution *e);

/* Executions that were submitted so far, forgotten ones too. */
static inline uint32_t model_executions(struct acl_object *model)
{
	return load_relaxed(&model_state(model)->executions);
}

#endif
