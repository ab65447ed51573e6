/* SPDX-License-Identifier: Apache-2.0 */
/* Reads recorded traces with libbabeltrace2, in the order of time over all their streams. */
#ifndef ACLCHECK_CTF_H
#define ACLCHECK_CTF_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>

/* What a reader wants to see; the functions are called one after the other. */
struct ctf_reader {
	void *context;
	/* False ends the reading (the reader has said why). */
	bool (*event)(void *context, const bt_event *event, const bt_clock_snapshot *clock);
	/* Events that the tracer had to drop; count 0 = an unknown number. */
	void (*discarded)(void *context, uint64_t count);
	/* Packets that a live or overwritten buffer lost. */
	void (*lost)(void *context, uint64_t packets);
	bool progress; /* a bar on stderr when that is a terminal */
};

/* Reads all traces found at or below the paths.  False: one line has been said on stderr. */
bool ctf_read(char *const *paths, unsigned n_paths, const struct ctf_reader *reader);

/* What is wrong with a file of metadata as a whole, or NULL. */
const char *ctf_metadata_wrong(const char *path);

/* Value of an integer or enumeration field of any size. */
uint64_t ctf_uint(const bt_field *field);
/* Text of a string field, or of an array of characters, cut to fit. */
void ctf_text(const bt_field *field, char *text, size_t size);

#endif
