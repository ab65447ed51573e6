/* SPDX-License-Identifier: Apache-2.0 */
/* Building text in a fixed buffer: no allocation, no stdio, usable at any moment in a program. */
#ifndef INTERPOSE_TEXT_H
#define INTERPOSE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *buf; /* always NUL terminated */
	size_t cap, len;
	bool cut; /* something did not fit */
};

void text_init(struct text *t, char *buf, size_t cap);
void text_char(struct text *t, char c);
void text_put(struct text *t, const char *s, size_t n);
void text_str(struct text *t, const char *s);
void text_uint(struct text *t, uint64_t v);
void text_int(struct text *t, int64_t v);
void text_hex(struct text *t, uint64_t v); /* with 0x */
void text_hex_digits(struct text *t, uint64_t v, unsigned digits);
void text_size(struct text *t, uint64_t bytes); /* "4096 bytes", "1.5 MiB" */

/* %s and %u (uint64_t) only. */
void text_fmt(struct text *t, const char *format, ...);

/*
 * Appends at most n bytes of a string the program controls, fit for a terminal
 * and a log: control characters, C1 controls, directional overrides, invalid
 * UTF-8 and what would be a command to a CI service are shown as \xNN.
 */
void text_safe(struct text *t, const char *s, size_t n);

/*
 * Length of the well-formed UTF-8 sequence at s, at most n bytes long; 0 when
 * it is not one.  *code gets the character.
 */
unsigned utf8_length(const char *s, size_t n, uint32_t *code);

#endif
