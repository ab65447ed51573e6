/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of devices that the configuration of aclInit sets. */
#ifndef CHECKS_DEVICE_LIMITS_H
#define CHECKS_DEVICE_LIMITS_H

#include "checks/engine/instance.h"

/* What the configuration says of limits. */
void limits_configured(
	struct checks *c, struct acl_call_record *call, const struct checks_init_config *config);

#endif
