/* SPDX-License-Identifier: Apache-2.0 */
/* How often each rule was evaluated by the checkers of a program, and how much it said, see fixture_rules.c.
 */
#ifndef TESTS_CHECKS_FIXTURE_RULES_H
#define TESTS_CHECKS_FIXTURE_RULES_H

#include <stdbool.h>

struct fixture;

/* What the checker has counted up to now; once, before it is made anew or goes. */
void rules_add(const struct fixture *fixture);
/* Compares the sums with the file, or writes it; false, and the first rule that differs is printed. */
bool rules_compare(const char *path, bool writing);

#endif
