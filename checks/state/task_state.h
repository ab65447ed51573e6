/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of models as the program holds them (aclmdlRIGetTasksByStream): whose they are, which
 * call works on them, and whether aclmdlRIUpdate is due for what was changed.
 */
#ifndef CHECKS_TASK_STATE_H
#define CHECKS_TASK_STATE_H

#include "checks/state/capture_state.h"

/* What became of the model's tasks since the last update. UNSURE: a change failed, which may leave the model
 * as it was or unfit for execution. */
enum model_change { MODEL_UNCHANGED, MODEL_CHANGED, MODEL_CHANGE_UNSURE };

/* The live model of the task that the call names; NULL = not known. */
struct acl_object *task_model(struct checks *c, const struct acl_call_record *call);

/* The captured model that the task that the call names is, or was, part of, alive or gone; NULL = not known.
 */
struct acl_object *task_owner(struct checks *c, const struct acl_call_record *call);

/* What aclmdlRITaskGetType or aclmdlRITaskGetParams has answered for it; false: not known. */
bool task_type(struct checks *c, const struct acl_call_record *call, aclmdlRITaskType *type);

/* The thread that is in the middle of a call on a task of the same model, NULL = none. */
struct acl_thread *task_other_thread(struct checks *c, const struct acl_call_record *call);

static inline enum model_change model_change(struct acl_object *model)
{
	return (enum model_change)load_relaxed(&model_state(model)->change);
}

/* Where the last change was made. */
struct acl_call_site model_change_site(struct acl_object *model);

#endif
