/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_MUTATE_TINY_H
#define TESTS_MUTATE_TINY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct tiny_entry {
	const char *name;
	unsigned arguments;
};

bool tiny_put(int value);
unsigned tiny_used(void);
unsigned tiny_refused(void);
const struct tiny_entry *tiny_find(const char *name);

#endif
