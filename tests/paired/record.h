/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What came out of the scenarios of a program, block by block, compared with the
 * file beside the source (NAME.findings, NAME.variants for NAME.c) or written
 * into it.  A block ends with an empty line and begins with the scenario's title.
 */
#ifndef PAIRED_RECORD_H
#define PAIRED_RECORD_H

#include <stdbool.h>
#include <stddef.h>

struct pair;

struct record {
	char path[512];
	bool writing;
	char *want; /* the file */
	char *text; /* the same as it came out */
	size_t length, start; /* start: of the present block */
	unsigned blocks;
};

/* Where the file of a program lies: it has the program's name. */
void record_path(char path[512], const char *program, const char *ending);
void record_open(struct record *record, const char *program, const char *ending, bool writing);
void record_block(struct record *record, const struct pair *t);
__attribute__((format(printf, 2, 3))) void record_add(struct record *record, const char *format, ...);
/* Ends the block; false, and both printed, when it is not the one of the file. */
bool record_compare(struct record *record);
/* False when the file holds scenarios that are gone, or cannot be written. */
bool record_close(struct record *record);

#endif
