/* SPDX-License-Identifier: Apache-2.0 */
/* Time-outs the program configures for tasks. */
#ifndef SOFTNPU_TIMEOUT_H
#define SOFTNPU_TIMEOUT_H

#include "tools/softnpu/core/npu.h"

/* When a wait that begins now gives up: after ms, or (0) after aclrtSetOpWaitTimeout; 0 = never. */
uint64_t timeout_wait_deadline(uint32_t ms);

#endif
