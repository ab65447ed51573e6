/* SPDX-License-Identifier: Apache-2.0 */
/* What the configuration file given to aclInit says, as far as rules ask. */
#ifndef INTERPOSE_ACL_JSON_H
#define INTERPOSE_ACL_JSON_H

#include "checks/checks.h"

/* false: it cannot be read. */
bool init_config_read(const char *path, struct checks_init_config *out);

#endif
