/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices a process sees: ASCEND_RT_VISIBLE_DEVICES, as the runtime reads it. */
#ifndef SOFTNPU_VISIBLE_H
#define SOFTNPU_VISIBLE_H

#include "tools/softnpu/core/config.h"

/* Once, after the settings: from then on they are about the devices that are seen, in their order. */
void visible_read(struct npu_config *config);
/* Whether the variable is set; without it everything is seen. */
bool visible_is_set(void);
/* The device of this machine that a program's id (of one that is seen) stands for. */
int visible_device(int user);
/* What the program calls it; -1: it is not seen. */
int visible_user(int64_t device);

#endif
