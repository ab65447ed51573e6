/* SPDX-License-Identifier: Apache-2.0 */
/* The process locked for a snapshot. */
#ifndef SOFTNPU_SNAPSHOT_H
#define SOFTNPU_SNAPSHOT_H

#include <stdbool.h>

extern bool npu_snapshot_locked;

/* Until the process is unlocked. */
void npu_snapshot_wait(void);

#define NPU_WAIT_IF_LOCKED                                                                                   \
	if (__builtin_expect(__atomic_load_n(&npu_snapshot_locked, __ATOMIC_ACQUIRE), 0))                    \
		npu_snapshot_wait();

#endif
