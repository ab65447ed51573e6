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

/* path NULL or "" is an empty configuration. Reads the file without the lock. */
aclError init_config_read(const char *path, struct init_config *c);

#endif
