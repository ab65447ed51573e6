/* SPDX-License-Identifier: Apache-2.0 */
/* What enters accesses in flight; for state modules only. */
#ifndef CHECKS_PENDING_CHANGE_H
#define CHECKS_PENDING_CHANGE_H

#include "checks/engine/instance.h"

/* The call allocated memory of a pool, on its stream. */
void pending_pool_allocated(
	struct checks *c, const struct acl_call_record *call, const struct block_lookup *place);

#endif
