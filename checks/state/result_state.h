/* SPDX-License-Identifier: Apache-2.0 */
/* Copies that bring results to the host. */
#ifndef CHECKS_RESULT_STATE_H
#define CHECKS_RESULT_STATE_H

#include "checks/engine/instance.h"

/* Whether any copy ever did. */
bool results_copied(struct checks *c);

#endif
