/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as if by chance, the same in each run. */
#ifndef TESTS_CHECKS_CHANCE_H
#define TESTS_CHECKS_CHANCE_H

#include <stdint.h>

static uint32_t random_state;

static inline uint32_t next(uint32_t below)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(random_state >> 4) * below >> 28);
}

#endif
