/* SPDX-License-Identifier: Apache-2.0 */
/* How alike two words are, for "did you mean". */
#ifndef INTERPOSE_WORD_DISTANCE_H
#define INTERPOSE_WORD_DISTANCE_H

#include <stddef.h>

/*
 * Letters to change, add or take out to make the n letters at a into b, without
 * regard to case in a; 99 when one of them is longer than 64.
 */
unsigned word_distance(const char *a, size_t n, const char *b);

#endif
