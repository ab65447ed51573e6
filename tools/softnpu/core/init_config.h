/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON file given to aclInit. */
#ifndef SOFTNPU_INIT_CONFIG_H
#define SOFTNPU_INIT_CONFIG_H

#include "tools/softnpu/core/npu.h"

struct init_config {
	char *text;
	size_t size;
	uint64_t hash;
	int default_device; /* -1 = not named */
};

/* Both without the lock. path NULL or "" is an empty configuration. */
aclError init_config_read(const char *path, struct init_config *c);
aclError init_config_parse(struct init_config *c);

#endif
