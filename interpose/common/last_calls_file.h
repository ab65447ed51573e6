/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout of REPORT.calls: what each thread called last, mapped by the process
 * while it runs and read by the command after it was killed.  Numbers are in
 * the machine's own order, functions are numbers of this version's model.
 */
#ifndef INTERPOSE_LAST_CALLS_FILE_H
#define INTERPOSE_LAST_CALLS_FILE_H

#include <stdatomic.h>
#include <stdint.h>

#include "aclcheck/model.h"

#define LASTCALLS_SUFFIX ".calls"
#define LASTCALLS_MAGIC UINT64_C(0x31736c6c61636c61) /* "alcalls1" */
#define LASTCALLS_RINGS 32u /* threads share a ring by their id */
#define LASTCALLS_ENTRIES 32u
#define LASTCALLS_WORDS 9u /* of the argument struct; hardly a function has more */

struct last_calls_entry {
	_Atomic uint64_t state; /* 0 = being written, else ordinal in the ring << 1 | returned */
	_Atomic uint64_t what; /* thread << 32 | function << 16 | words of arguments */
	_Atomic uint64_t result; /* meaningless before it returned */
	_Atomic uint64_t args[LASTCALLS_WORDS];
};

struct last_calls_ring {
	_Alignas(64) _Atomic uint64_t next; /* ordinal given out last */
	_Alignas(64) struct last_calls_entry entries[LASTCALLS_ENTRIES];
};

struct last_calls_area {
	uint64_t magic, model;
	uint32_t pid, rings, entries, words;
	struct last_calls_ring ring[LASTCALLS_RINGS];
};

/* Tells models apart: by their functions and the sizes of their arguments. */
static inline uint64_t last_calls_model(void)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (unsigned api = 0; api < acl_api_count; api++) {
		for (const char *c = acl_apis[api].name; *c; c++)
			hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
		hash = (hash ^ acl_apis[api].args_size) * UINT64_C(0x100000001b3);
	}
	return hash;
}

#endif
