/* SPDX-License-Identifier: Apache-2.0 */
/* Names that the program gave to objects and memory; they go with these. */
#ifndef CHECKS_OBJECT_NAMES_H
#define CHECKS_OBJECT_NAMES_H

#include "checks/engine/instance.h"

/* Name of what the reference means (acl_ref, or block_ref()), NULL = none. */
const char *object_name_of(struct checks *c, uint64_t ref);
const char *block_name_of(struct checks *c, const struct acl_block *block);

#endif
