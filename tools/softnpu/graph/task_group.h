/* SPDX-License-Identifier: Apache-2.0 */
/* Task groups: kernels of a model that can be replaced later. */
#ifndef SOFTNPU_TASK_GROUP_H
#define SOFTNPU_TASK_GROUP_H

#include "tools/softnpu/graph/capture.h"

/* May op be appended to s while a group is open? Breaks the capture when not. */
aclError group_check(struct capture *cap, struct stream *s, const struct op *op);
/* The stream is between UpdateBegin and UpdateEnd: op replaces a task instead of running. Takes over the
 * reference. */
aclError group_replace(struct stream *s, struct op *op);
/* The stream goes while it updates: its group stays as it is. */
void group_update_forget(struct stream *s);
/* Handle of the group that a task of the model is in, or NULL. */
aclrtTaskGrp task_group_at(const struct model *m, unsigned lane, unsigned index);
/* The model's groups go with it. */
void task_groups_release(struct model *m);

#endif
