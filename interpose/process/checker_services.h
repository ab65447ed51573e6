/* SPDX-License-Identifier: Apache-2.0 */
/* The checker of this process. */
#ifndef INTERPOSE_CHECKER_SERVICES_H
#define INTERPOSE_CHECKER_SERVICES_H

#include "checks/checks.h"

/* With the settings of the run; NULL when there is no memory. */
struct checks *checker_create(void);

#endif
