/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a call does to memory, decoded once a call from the API model: every
 * range that a copy, set, reduction, value operation … touches, in the same
 * form whatever the function is called and however it passes its arguments.
 *
 * A copy has a source and a destination; a batch has one of each an entry.
 * Memory of which the model does not know the extent (descriptors, arguments
 * that the device reads later) has no access here.
 */
#ifndef CHECKS_OPERATION_H
#define CHECKS_OPERATION_H

#include "checks/engine/instance.h"

/* Entries of one call that are looked at; of longer batches the rest stays unchecked. */
#define OPERATION_ENTRIES 4096

/* Where the memory of an access lies, as far as there is evidence. */
enum access_location { ACCESS_UNKNOWN, ACCESS_PAGEABLE, ACCESS_HOST, ACCESS_DEVICE };

/* One range of memory that the operation touches. */
struct op_access {
	const struct acl_access_info *info;
	const char *name; /* of the parameter: "dst", "srcs" … */
	const void *address; /* of the first byte; NULL: a variable of the device, or none given */
	uint64_t width, rows, pitch; /* bytes of a row, rows, bytes from one row to the next; rows is 1 for
					plain ranges */
	uint64_t span; /* bytes from the first to the last one touched */
	uint64_t limit; /* bytes the caller says the buffer has, span when it says nothing */
	bool reads, writes;
	struct block_lookup block; /* .block is NULL when no table knows the address, and .size is 0 */
	/* In this order also in struct recent_block. */
	uint32_t place; /* access_place() of the block */
	uint8_t location; /* enum access_location; PAGEABLE only once access_class was called */
	uint8_t side; /* enum plain_side */
	bool written; /* device memory known to count as written, or the host's: nothing is left to note */
	uint8_t class; /* enum acl_host_class, ACL_HOST_UNASKED before */
	uint64_t version; /* of the tables when it was looked up */
	uint64_t looked_up; /* the address then: good for others of the same block, too */
};

/* Of memory that plain copies use. */
enum plain_side { PLAIN_NEVER, PLAIN_HOST, PLAIN_DEVICE };

/* One entry of the operation: an element of a batch, else the whole of it. A copy has both sides. */
struct op_entry {
	struct op_access *src, *dst; /* NULL: it reads or writes nothing that is known */
	uint64_t index;
};

/* Blocks that the thread's last calls used, by address. */
#define RECENT_LOG 7
#define RECENT_BLOCKS (1 << RECENT_LOG)

struct recent_blocks {
	uint64_t version; /* of the tables; of another one, nothing here is good */
	struct recent_block {
		struct block_lookup block; /* size 0: nothing */
		uint32_t place; /* this and the rest as in struct op_access */
		uint8_t location, side;
		bool written;
		uint8_t class; /* ACL_HOST_UNASKED */
	} at[RECENT_BLOCKS];
};

struct operation_shape;

struct operation {
	uint64_t serial; /* of its decoding on this thread */
	uint16_t api; /* enum acl_api; what of the accesses depends on it alone is kept between calls */
	uint16_t kind; /* enum acl_operation */
	uint8_t group; /* enum acl_operation_group */
	bool async, batch;
	bool truncated; /* a batch longer than OPERATION_ENTRIES, or arrays that cannot be read */
	int direction; /* aclrtMemcpyKind; ACL_MEMCPY_DEFAULT for calls that do not say it */
	uint64_t n_entries; /* that are decoded; 0: the call touches nothing, or its arrays are missing */
	uint64_t room; /* entries there is memory for */
	struct op_access first[2]; /* of operations with one entry: source and destination */
	struct op_access *more; /* src and dst of entry i at 2 * i, 2 * i + 1 */
	struct op_access *access;
	const struct acl_access_info *src_info, *dst_info;
	const struct operation_shape *shape; /* of the function */
	struct recent_blocks recent;
	struct map_cursor *cursor; /* where a block was found last that was not among the recent ones */
	struct plain_batch *plain_batch; /* of batches: see plain_batch.h */
};

/* Decodes the call: see operation_of(). */
const struct operation *operation_decode(struct checks *c, struct acl_call_record *call);

/*
 * The operation of the call that is in progress on this thread; never NULL,
 * n_entries is 0 for calls that touch no memory.  Belongs to the thread, valid
 * until its next call: a callback of the program may make calls in between, so
 * leave looks again.
 */
static inline const struct operation *operation_of(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = thread_of(call)->operation;

	return op && op->serial == call->state.operation ? op : operation_decode(c, call);
}

/* Entry i < n_entries. */
static inline struct op_entry operation_entry(const struct operation *op, uint64_t i)
{
	struct op_access *a = &op->access[2 * i];

	return (struct op_entry){op->src_info ? a : NULL, op->dst_info ? a + 1 : NULL, i};
}

/* No entry has a size: the call does nothing. */
static inline bool operation_is_nothing(const struct operation *op)
{
	for (uint64_t i = 0; i < op->n_entries; i++)
		if (operation_entry(op, i).dst->span)
			return false;
	return true;
}

/*
 * Asks what the address is that no table knows, at the most once a call and parameter: a search of the
 * process' maps, so only where the answer decides. Sets location to PAGEABLE for the program's own memory.
 */
void access_classify(struct checks *c, struct acl_call_record *call, struct op_access *a);

/* The thread's operation, for calls of this function; nothing of the call is decoded. NULL: no memory. */
struct operation *operation_prepare(struct checks *c, struct acl_call_record *call);
/* The block that covers the address, of those last used or anew from the tables; NULL: none. Good until the
 * next one. */
const struct recent_block *operation_block(
	struct checks *c, struct operation *op, uint64_t address, uint64_t version, bool *anew);
/* The device that thread and stream of the call work on; -1: unknown, or not the same. */
int device_used(struct checks *c, const struct acl_call_record *call);

/* Whether the access is to device memory that counts as written, which is known from now on. */
bool access_counts_written(struct checks *c, struct operation *op, struct op_access *a);

/* Whether the arguments say how far it goes: then it is an access of the operation. */
bool access_extent_is_known(const struct acl_access_info *info);

/* A range that stands in no argument of the call whose operation it is: see task_range.h. */
struct task_range;
void access_of_range(
	struct checks *c, const struct operation *op, struct op_access *a, const struct task_range *r);

/* What was found out of its block has changed: it is looked up anew the next time. */
void access_forget(struct operation *op, struct op_access *a);

/* The access lies in memory of the runtime that is known to be the host's, or the device's. */
static inline bool access_is_host(const struct op_access *a)
{
	return a->location == ACCESS_HOST;
}

static inline bool access_is_device(const struct op_access *a)
{
	return a->location == ACCESS_DEVICE;
}

/* Words that the calling thread sets at once, also where the stream captures: no task comes of it. */
static inline bool call_sets_host_words(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op =
		acl_apis[call->api].operation == ACL_OP_SET_WORDS ? operation_of(c, call) : NULL;

	return op && op->n_entries && access_is_host(operation_entry(op, 0).dst);
}

/* Whether a row of the access has bytes of the range; between rows nothing is touched. */
bool access_touches(const struct op_access *a, uint64_t address, uint64_t size);

/* Bytes behind the address that belong to the block; only with block.block. */
static inline uint64_t access_room(const struct op_access *a)
{
	return a->block.size - ((uintptr_t)a->address - a->block.base);
}

/* More mappings side by side than these one access is not followed over. */
#define ACCESS_MAPPINGS 64

/* Takes *place to the mapping right behind it where the access goes on. false: it ends before, or there is
 * none; or there is room between its rows, which may lie there. */
bool access_goes_on(struct checks *c, const struct op_access *a, struct block_lookup *place);

/* Where the access ends in the block, or the block does. */
static inline uint64_t access_end_in(const struct op_access *a, const struct block_lookup *place)
{
	uint64_t end = (uintptr_t)a->address + a->span, last = place->base + place->size;

	return end < last ? end : last;
}

#endif
