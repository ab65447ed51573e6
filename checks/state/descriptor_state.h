/* SPDX-License-Identifier: Apache-2.0 */
/* How long descriptors are. */
#ifndef CHECKS_DESCRIPTOR_STATE_H
#define CHECKS_DESCRIPTOR_STATE_H

#include "checks/engine/instance.h"

/* Bytes of a descriptor of the call's kind as the runtime answered, 0 = it was not queried. */
uint64_t descriptor_bytes(struct checks *c, const struct acl_call_record *call);

#endif
