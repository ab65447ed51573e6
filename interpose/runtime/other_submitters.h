/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the process has ways to the runtime's objects that lead past the wrapped functions. */
#ifndef INTERPOSE_OTHER_SUBMITTERS_H
#define INTERPOSE_OTHER_SUBMITTERS_H

#include <stdbool.h>

#include "checks/checks.h"

/* By what is mapped now: a library that works below, or a module that imports such functions. */
bool other_submitters_possible(enum checks_other_submitter what);

#endif
