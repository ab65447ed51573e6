/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kernels were given: the words of their arguments that the host can read.  What a kernel does with them
 * is not known, but memory whose address it was given stays until it has run.
 */
#ifndef CHECKS_LAUNCH_WORDS_H
#define CHECKS_LAUNCH_WORDS_H

#include "checks/engine/pointer_map.h"

#define LAUNCH_WORDS 32 /* of a launch that are remembered */

/* What of arguments in the host's memory can be read as words; how many. */
unsigned launch_words_read(struct checks *c, const void *at, uint64_t bytes, uint64_t words[LAUNCH_WORDS]);

/* In leave of a launch: its arguments. */
void launch_words_add(struct checks *c, struct acl_call_record *call, const uint64_t *words, unsigned n);

/* A launch that was given an address of the block. */
struct launch_given {
	struct acl_object *stream; /* NULL: none of them is surely pending */
	uint64_t address, end; /* of the block */
	struct acl_call_site where;
};

/* Of the latest launches: one that is surely pending, else any; false: none. */
bool launch_was_given(struct checks *c, const struct acl_block *block, struct launch_given *out);

/* Whether one of the latest launches was given memory of the host: there it may show what has run. */
bool launches_reach_host(struct checks *c);

#endif
