/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The identity of a finding: rule, function and the names of the nearest five
 * frames of the program.  No lines and no addresses, so it survives edits,
 * rebuilds and address randomisation, and is the same in every format.
 */
#ifndef INTERPOSE_FINGERPRINT_H
#define INTERPOSE_FINGERPRINT_H

#include <stdint.h>

#define FINGERPRINT_FRAMES 5
#define FINGERPRINT_SIZE 17 /* 16 hexadecimal digits and NUL */

struct fingerprint {
	uint64_t hash;
	unsigned frames;
};

void fingerprint_begin(struct fingerprint *f, const char *rule, const char *api);
/* Frames innermost first; stripped code gives its module's file name and the nearest dynamic symbol. */
void fingerprint_frame(struct fingerprint *f, const char *function, const char *module, int stripped);
void fingerprint_end(const struct fingerprint *f, char out[FINGERPRINT_SIZE]);

#endif
