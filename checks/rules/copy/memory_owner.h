/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of one device that a task of another one works on. */
#ifndef CHECKS_RULES_COPY_MEMORY_OWNER_H
#define CHECKS_RULES_COPY_MEMORY_OWNER_H

#include "checks/engine/instance.h"

/* The device that runs the task: the stream's, else the thread's current one; -1 = not known. */
int task_device(struct checks *c, const struct acl_call_record *call);
/* Reports memory of another device under the rule; name: of the parameter. */
void memory_owner_check(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const char *name, const void *address, const struct block_lookup *place, int device);

#endif
