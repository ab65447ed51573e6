/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test that runs, as its framework names it: findings are counted anew in each, carry its name, and are
 * handed to the framework, which decides by them whether the test passed.
 */
#ifndef INTERPOSE_TEST_ITEM_H
#define INTERPOSE_TEST_ITEM_H

#include "interpose/report/finding_record.h"

/* A number of the test that runs, 0 = none does. */
uint32_t test_item_number(void);
/* Its name, NULL = none runs; for the process' life. */
const char *test_item_name(void);

/* Under the sinks' lock. */
void test_item_finding(const struct finding_record *s);

/* In the child after fork: what was found so far is its parent's. */
void test_item_forked(void);

#endif
