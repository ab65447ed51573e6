/* SPDX-License-Identifier: Apache-2.0 */
/* Time-outs the program configures for tasks. */
#ifndef SOFTNPU_TIMEOUT_H
#define SOFTNPU_TIMEOUT_H

#include "tools/softnpu/core/npu.h"

/* When a wait that begins now gives up: after so many seconds, or (0) after aclrtSetOpWaitTimeout; 0 = never.
 */
uint64_t timeout_wait_deadline(uint32_t seconds);
/* The microseconds that a kernel has which was launched with so many, 0 = with no time-out of its own. */
uint64_t timeout_of_kernel(uint64_t us);

#endif
