/* SPDX-License-Identifier: Apache-2.0 */
/* What changes the state of memory; for state modules only. */
#ifndef CHECKS_MEMORY_CHANGE_H
#define CHECKS_MEMORY_CHANGE_H

#include "checks/engine/instance.h"

/* It was allocated just now. */
void block_unwritten(struct checks *c, struct acl_block *b);

#endif
