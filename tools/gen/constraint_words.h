/* SPDX-License-Identifier: Apache-2.0 */
/* Needs as sentences, in both languages: "dst must not be NULL when count is not 0." */
#ifndef GEN_CONSTRAINT_WORDS_H
#define GEN_CONSTRAINT_WORDS_H

#include <stdbool.h>
#include <stdio.h>

struct term_words {
	const char *op; /* tail of its ACL_TERM_… */
	const char *about,
		*value; /* as written in the model; value is NULL or "" where the operator has none */
	unsigned values; /* of a list: how many, a range counts as one */
	bool pointer;
};

/* The need, and the conditions for it to apply; product: it is one of certain products. */
void words_english(FILE *f, const struct term_words *terms, unsigned n, bool product);
void words_chinese(FILE *f, const struct term_words *terms, unsigned n, bool product);

#endif
