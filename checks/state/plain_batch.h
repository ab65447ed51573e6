/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of copies that are plainly right: what they read and write as ranges of blocks, which is all that
 * state modules and rules need of most batches.  Nothing else of the operation is decoded then, unless
 * operation_of() is called.
 */
#ifndef CHECKS_PLAIN_BATCH_H
#define CHECKS_PLAIN_BATCH_H

#include "checks/engine/program_memory.h"
#include "checks/state/operation.h"

/* Bytes of one block that the batch reads, or writes: entries side by side are one range. */
struct batch_range {
	uint64_t start, end;
	union {
		struct {
			uint32_t index, generation; /* of the block */
		};
		uint64_t block; /* both */
	};
	uint32_t place; /* access_place() */
};

struct batch_side {
	struct batch_range *range;
	uint64_t n;
	uint8_t kind; /* enum acl_memory_kind of all: MEM_HOST or MEM_DEVICE */
};

#define BATCH_CHUNK 256 /* entries of the program's arrays that are read at once */

/* The attributes of a batch, and the entry from which each applies, as the program's arrays have them. */
struct batch_attributes {
	struct program_array attributes, indexes;
	uint64_t phase; /* of the thread: they are those of its present call */
};

struct plain_batch {
	struct batch_side reads, writes;
	uint64_t n_entries;
	int device; /* of all device memory in it */
	bool apart; /* no entry writes what another one uses */
	bool again; /* the ranges are those of the batch before, while no block has come or gone */
	bool one_device; /* of the process, when it was found out, */
	uint64_t version; /* and that of the pointer maps; 0: it was not plain */
	uint64_t room; /* entries there is memory for, in each of both sides */
	struct batch_range *ranges;
	struct batch_attributes attributes;
	uint64_t from[BATCH_CHUNK], to[BATCH_CHUNK], bytes[BATCH_CHUNK], limits[BATCH_CHUNK];
};

/* Decides whether the call is plain; enter. */
void plain_batch_enter(struct checks *c, struct acl_call_record *call);

/* Of a call in enter that is a batch, plain or not: read once for all who look. NULL: there is no memory for
 * them. */
struct batch_attributes *batch_attributes_of(struct checks *c, struct acl_call_record *call);

/* Of a call in enter; NULL: it is no batch, or not a plain one. */
static inline const struct plain_batch *plain_batch_of(const struct acl_call_record *call)
{
	const struct operation *op = call->plain ? thread_of(call)->operation : NULL;

	return op && op->batch ? op->plain_batch : NULL;
}

#endif
