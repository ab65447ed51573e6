/* SPDX-License-Identifier: Apache-2.0 */
/* A writer of JSON into a fixed buffer: what journal and report are made of. Keys are ours, strings the
 * program's. */
#ifndef INTERPOSE_JSON_WRITER_H
#define INTERPOSE_JSON_WRITER_H

#include "interpose/common/text.h"

#define JOUT_STRING_MAX 4096 /* longer strings are cut: they come from the program */

struct jout {
	struct text *t;
	uint32_t filled; /* one bit per depth: something stands there, a comma is due */
	unsigned depth;
};

void jout_init(struct jout *j, struct text *t);
/* key is NULL inside arrays and at the top. */
void jout_object(struct jout *j, const char *key);
void jout_object_end(struct jout *j);
void jout_array(struct jout *j, const char *key);
void jout_array_end(struct jout *j);
void jout_string(struct jout *j, const char *key, const char *value); /* NULL value: nothing is written */
void jout_uint(struct jout *j, const char *key, uint64_t value);
void jout_int(struct jout *j, const char *key, int64_t value);
void jout_hex(struct jout *j, const char *key, uint64_t value); /* "0x…" */
void jout_bool(struct jout *j, const char *key, bool value);
/* A value already in JSON, put in as it stands. */
void jout_raw(struct jout *j, const char *key, const char *text, size_t n);

/* Escapes a string of at most n bytes, without the quotes; invalid UTF-8 becomes U+FFFD. */
void jout_escape(struct text *t, const char *s, size_t n);

#endif
