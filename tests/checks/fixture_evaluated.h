/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules were evaluated in calls of which function, see fixture_evaluated.c. */
#ifndef TESTS_CHECKS_FIXTURE_EVALUATED_H
#define TESTS_CHECKS_FIXTURE_EVALUATED_H

#include "checks/checks.h"

/* Whether they are wanted: then nothing else is. */
bool evaluated_wanted(void);
/* Around each phase of a call. */
void evaluated_before(const struct checks *c);
void evaluated_after(const struct checks *c, unsigned api);

#endif
