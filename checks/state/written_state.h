/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory that nothing wrote. */
#ifndef CHECKS_WRITTEN_STATE_H
#define CHECKS_WRITTEN_STATE_H

#include "checks/engine/instance.h"

struct op_access;
struct operation;

#define WRITTEN_PAGE_BLOCKS 65536
#define WRITTEN_PAGES 1024

/* By block index: a bit of its own, as the blocks themselves lie too far for a look at every copy. */
struct written_page {
	_Atomic uint64_t bits[WRITTEN_PAGE_BLOCKS / 64];
	_Atomic uint64_t sets[WRITTEN_PAGE_BLOCKS / 64]; /* small ones that sets alone have written so far */
};

struct written_state {
	_Atomic bool off; /* a writer is unseen: nothing can be said any more */
	_Atomic uint64_t until; /* serial of the newest block when the last unknown writer was submitted */
	_Atomic uint64_t unseen; /* unknown writers that were submitted while a rule watched … */
	_Atomic bool watched; /* … the next one is counted */
	_Atomic(struct written_page *) page[WRITTEN_PAGES];
};

static inline struct written_state *written_state_of(const struct checks *c)
{
	return module_state(c, written);
}

/* The word of a block; NULL: no page for it, which counts as written. */
static inline _Atomic uint64_t *written_word(const struct checks *c, uint32_t index)
{
	struct written_page *p =
		index / WRITTEN_PAGE_BLOCKS < WRITTEN_PAGES
			? load_acquire(&written_state_of(c)->page[index / WRITTEN_PAGE_BLOCKS])
			: NULL;

	return p ? &p->bits[index % WRITTEN_PAGE_BLOCKS / 64] : NULL;
}

static inline bool is_written(const struct checks *c, uint32_t index)
{
	_Atomic uint64_t *word = written_word(c, index);

	return !word || load_relaxed(word) >> index % 64 & 1;
}

/* Whether some call has written the device memory, by the index of its block. */
static inline bool block_written(const struct checks *c, uint32_t index)
{
	return load_relaxed(&written_state_of(c)->off) || is_written(c, index);
}

/*
 * Changes when a task is submitted of which it is not known what it writes; only after _watch(), which costs
 * the next one a count.
 */
static inline void unseen_writers_watch(struct checks *c)
{
	store_relaxed(&written_state_of(c)->watched, true);
}

static inline uint64_t unseen_writers(const struct checks *c)
{
	return load_relaxed(&written_state_of(c)->unseen);
}

/* Whether such a task may still run. */
bool unseen_writer_pending(struct checks *c);
/* Whether anything may have written the device memory since it was allocated. */
bool block_maybe_written(struct checks *c, struct acl_block *b);
/* Sets have, and surely nothing else; known of memory that is no larger than what descriptors need. */
bool block_only_set(struct checks *c, struct acl_block *b);
/* The source of the copy that the call is, if surely nothing has written it; of a batch the first such. */
const struct op_access *unwritten_source(const struct operation *op, const struct acl_call_record *call);

#endif
