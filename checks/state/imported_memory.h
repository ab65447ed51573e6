/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of other processes, imported by key, as far as it is known to reach. */
#ifndef CHECKS_IMPORTED_MEMORY_H
#define CHECKS_IMPORTED_MEMORY_H

#include "checks/engine/instance.h"

/* Device memory that an open import has made known, although no table of blocks has it. */
bool memory_is_imported(struct checks *c, const void *address);

#endif
