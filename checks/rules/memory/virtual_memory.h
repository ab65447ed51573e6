/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECKS_VIRTUAL_MEMORY_H
#define CHECKS_VIRTUAL_MEMORY_H

#include "checks/state/mapping_state.h"

/* vmm-use-unmapped. False when nothing is mapped there, or it is unknown whether. */
bool check_mapped(
	struct checks *c, struct acl_call_record *call, const void *address, struct block_lookup *place);

#endif
