/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that was released, or went with its device, and is used. */
#ifndef CHECKS_RULES_COPY_GONE_MEMORY_H
#define CHECKS_RULES_COPY_GONE_MEMORY_H

#include "checks/engine/instance.h"

/* An address that no table knows any more. role: of its memory in the finding. True when it is reported. */
bool gone_memory_used(struct checks *c, struct acl_call_record *call, const char *name, const char *role,
	const void *address);
/* What was released there has given its place to another allocation, and the address is in what that one was
 * rounded up to. */
bool gone_memory_overlaid(struct checks *c, const void *address);
/* The same address is memory that is, or was, the runtime's: the rules about it are evaluated. */
void gone_memory_evaluated(struct acl_call_record *call, unsigned kind);

#endif
