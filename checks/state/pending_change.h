/* SPDX-License-Identifier: Apache-2.0 */
/* What enters accesses in flight; for state modules only. */
#ifndef CHECKS_PENDING_CHANGE_H
#define CHECKS_PENDING_CHANGE_H

#include "checks/engine/instance.h"

/* The call allocated memory of a pool, on its stream. */
void pending_pool_allocated(
	struct checks *c, const struct acl_call_record *call, const struct block_lookup *place);

/* A task became part of the model; the model, or its capture, is over (pending_model.c). */
void model_accesses_add(struct checks *c, struct acl_object *model, struct acl_call_record *call);
void model_accesses_end(struct checks *c, struct acl_object *model);
/* Tasks of it were changed: enum changing_task. */
void model_accesses_changed(struct checks *c, struct acl_object *model, unsigned tasks);

/* The model was executed, and its execution may still run (pending_replay.c); ordered: it is known after
 * what. */
void replay_begins(struct checks *c, struct acl_object *model, struct acl_object *stream, bool ordered);
/* A stream was created: models may run. */
void replay_stream_created(struct checks *c, struct acl_object *stream);

#endif
