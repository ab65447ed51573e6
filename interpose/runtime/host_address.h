/* SPDX-License-Identifier: Apache-2.0 */
/* Where a host address lies, as far as that can be proven. */
#ifndef INTERPOSE_HOST_ADDRESS_H
#define INTERPOSE_HOST_ADDRESS_H

#include "checks/checks.h"

enum acl_host_class host_class_of(const void *address);
/* For struct checks_host: the mapping of a shared file that the address lies in. */
uint64_t host_mapping_of(const void *address, bool latest);
/* In the child after fork. */
void host_class_forked(void);

#endif
