/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of a generated table in one string, each once.  The table holds where a text begins: a number, where
 * a pointer would have to be relocated in every process that loads the library.
 */
#ifndef GEN_TEXTS_H
#define GEN_TEXTS_H

#include <stddef.h>
#include <stdio.h>

struct texts {
	char **list;
	unsigned *at, n,
		size; /* size: bytes so far; the first one is a NUL of its own, so that 0 is no text */
};

/* Where the text begins; 0 for NULL. */
unsigned texts_add(struct texts *t, const char *text);
/* const char NAME[] = … */
void texts_print(const struct texts *t, FILE *f, const char *name);
/* A name that stands in the entry itself, in quotes; *longest is the longest one's length so far. */
void print_name(FILE *f, const char *name, size_t *longest);
/* The build fails where the longest one has no room. */
void print_room(FILE *f, size_t longest, const char *room);
/* A C string; bytes beyond ASCII stay as they are (UTF-8). */
void print_quoted(FILE *f, const char *text);

#endif
