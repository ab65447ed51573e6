/* SPDX-License-Identifier: Apache-2.0 */
/* Where a host address lies, as far as that can be proven. */
#ifndef INTERPOSE_HOST_ADDRESS_H
#define INTERPOSE_HOST_ADDRESS_H

#include "checks/checks.h"

enum acl_host_class host_class_of(const void *address);
/* In the child after fork. */
void host_class_forked(void);

#endif
