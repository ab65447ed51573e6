/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads JSON (configuration, suppressions) into a tree in mapped memory: no
 * allocator, no locale, no library.  The command uses the same reader, so both
 * find the same mistakes in a file.
 */
#ifndef INTERPOSE_JSON_READ_H
#define INTERPOSE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jnode_kind {
	JNODE_NULL,
	JNODE_FALSE,
	JNODE_TRUE,
	JNODE_INTEGER,
	JNODE_REAL,
	JNODE_STRING,
	JNODE_ARRAY,
	JNODE_OBJECT
};

struct jnode {
	const char *key; /* of a member of an object */
	const char *text; /* JNODE_STRING */
	int64_t integer; /* JNODE_INTEGER */
	struct jnode *first, *next; /* elements or members in the file's order; the next one beside this */
	uint32_t n; /* how many */
	enum jnode_kind kind;
};

struct jdoc {
	struct jnode *top; /* an array or an object */
	struct jchunk *chunks;
	unsigned line; /* of the mistake */
	const char *mistake; /* NULL = none */
};

/*
 * text[size] must be NUL and writable: strings are unescaped in place and the
 * tree points to them, so the text lives as long as the tree.  False: mistake
 * and line say why, nothing is kept.
 */
bool jdoc_read(struct jdoc *doc, char *text, size_t size);
void jdoc_free(struct jdoc *doc);

/* The member of an object; NULL without, or when the node is none. */
const struct jnode *jnode_get(const struct jnode *object, const char *key);

#endif
