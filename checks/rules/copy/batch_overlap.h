/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECKS_BATCH_OVERLAP_H
#define CHECKS_BATCH_OVERLAP_H

#include "checks/state/operation.h"

#define BATCH_APART UINT64_MAX

/* The later of two copies of the batch of which one writes what the other uses; BATCH_APART: there are none.
 */
uint64_t batch_overlap(struct checks *c, const struct operation *op);

#endif
