/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses in flight, from inside: shared by the files pending_*.c only. */
#ifndef CHECKS_PENDING_INSIDE_H
#define CHECKS_PENDING_INSIDE_H

#include "checks/state/access_place.h"
#include "checks/state/condition_state.h"
#include "checks/state/device_state.h"
#include "checks/state/imported_memory.h"
#include "checks/state/pending_access.h"
#include "checks/state/physical_state.h"
#include "checks/state/plain_batch.h"
#include "checks/state/stream_state.h"
#include "checks/state/variable_state.h"

#define REMOVED_AT_ONCE 16

/*
 * The accesses of one block.  Where there is just one, it is here, in one cache line, and the tree is empty:
 * most blocks need no more.
 */
struct block_accesses {
	_Alignas(64) struct acl_lock lock;
	uint32_t tid; /* of the sole access, as in struct pending_access */
	union {
		struct {
			uint32_t index, generation; /* of the block; 0: of none yet */
		};
		uint64_t block; /* both */
	};
	uint64_t start, end, stream, position, caller;
	uint16_t api;
	uint8_t flags; /* 0: there is none, or they are in the tree */
	uint8_t reduction;
};

#define BLOCK_NODES 3 /* that there is room for at first */
#define BLOCK_LINKS_LOG 3 /* of accesses that may come again: as many more as there is room for nodes */

/* Where there are more, under the same lock. */
struct access_tree_of {
	_Alignas(64) struct access_tree tree;
	acl_ref only; /* the stream of all in the tree, 0 = several; set with its first one */
	uint16_t *links; /* index + 1 of the nodes that may come again, 0 = none; tree.link_shift: 64 - log2
			    of how many; NULL: there never was a node */
	uint16_t first[1 << BLOCK_LINKS_LOG]; /* those of few nodes: nothing else is to be fetched then */
};

struct pending_state {
	struct block_accesses
		place[PLACES]; /* access_place(); first, so that it begins where the state does */
	struct access_tree_of tree[PLACES]; /* of each place; never touched where one access is all */
	bool followed; /* a rule asks about accesses in flight */
	_Atomic bool any; /* there ever was one; before, no page of the places is there */
};

_Static_assert(sizeof(struct block_accesses) == sizeof(struct access_tree_of), "tree_of() steps over places");

/* So it needs no look at the state. */
static inline struct access_tree_of *tree_of(struct block_accesses *b)
{
	return (struct access_tree_of *)(void *)(b + PLACES);
}

static inline struct pending_state *pending_state(struct checks *c)
{
	return module_state(c, pending);
}

/* An access that is entered, and what the call has met so far. */
struct entering {
	struct checks *c;
	struct acl_object *stream;
	struct acl_block *block;
	struct pending_access access;
	unsigned met; /* enum access_met */
	struct access_conflict *conflict;
	struct acl_call_site captured,
		captured_earlier; /* as in struct access_conflict, for the next one that is met */
	uint64_t
		shift; /* from the addresses compared to those of the access: another mapping of its memory */
	bool hidden; /* what the task comes after is not seen: order_unseen() */
	bool waits_inside; /* of an execution: some of its tasks come behind a wait that something unseen ends
			    */
	bool replays; /* models may run on other streams */
	uint8_t reduction; /* of what the call reduces, as in struct pending_access */
	struct pending_access *same; /* the former access with the same range, whose node is used again */
	struct pending_access *removed[REMOVED_AT_ONCE];
	unsigned n_removed;
};

/* A copy from or to memory that no table knows: the runtime may have waited for the stream and done it at
 * once. */
static inline bool may_be_pageable(struct checks *c, const struct op_access *a)
{
	return a && a->address && !a->block.block && !is_address_of_variable(c, a->address) &&
	       !memory_is_imported(c, a->address) && !condition_value_model(c, a->address);
}

/* The block of an access, and where it begins there; false: no table knows it, or it leaves a variable. */
static inline bool access_memory(struct checks *c, const struct acl_call_record *call,
	const struct op_access *a, struct block_lookup *place, uint64_t *start)
{
	if (!a->block.block)
		return variable_of_access(c, call, a, place, start) ||
		       condition_of_access(c, a, place, start);
	*place = a->block;
	*start = (uintptr_t)a->address;
	return true;
}

/* Not a set of host memory, which is done at once, by the caller. */
static inline bool entry_runs_later(struct checks *c, const struct operation *op, const struct op_entry *e)
{
	return !may_be_pageable(c, e->src) && !may_be_pageable(c, e->dst) &&
	       !(op->group == ACL_OP_GROUP_SET && e->dst && access_is_host(e->dst) && !runs_on_device(c));
}

/* enum access_flag; 0: the source is staged before the call returns. */
static inline unsigned source_flags(const struct operation *op)
{
	if (op->group == ACL_OP_GROUP_CACHE || op->group == ACL_OP_GROUP_MANAGED ||
		op->group == ACL_OP_GROUP_WAIT)
		return ACCESS_HINT;
	return op->direction == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE ? 0 : ACCESS_READS;
}

static inline unsigned destination_flags(const struct operation *op)
{
	switch (op->group) {
	case ACL_OP_GROUP_SET:
		return ACCESS_WRITES | ACCESS_SETS;
	case ACL_OP_GROUP_REDUCE:
		return ACCESS_READS | ACCESS_WRITES | ACCESS_REDUCES;
	case ACL_OP_GROUP_WRITE:
		return ACCESS_HINT;
	}
	return ACCESS_WRITES;
}

/* How the call reduces, as in struct pending_access; 0: it does not. */
uint8_t reduction_of(const struct acl_call_record *call);

/* In the position of a model's access: when it was captured, the model waited for something unseen already.
 */
#define ACCESS_AFTER_WAIT (1ull << 63)

/* Locks the block's accesses, which are in the tree then; NULL: there are none. */
struct block_accesses *accesses_lock(struct checks *c, const struct block_lookup *place);
/* Whether a task may still use the block, of another stream where it is one task; of many, whether any did.
 */
bool accesses_of_others(struct checks *c, const struct block_lookup *place, acl_ref stream);
/* Under the lock: nothing is pending any more, as far as is known. */
void accesses_clear(struct block_accesses *b);
/* Whether the host knows the task to be done, or may: such an access is evidence of nothing. */
bool access_settled(struct checks *c, const struct pending_access *a);

/* The host may have learned of the task's end from a callback, a word in memory …. */
static inline bool maybe_told(struct checks *c, struct acl_object *source, uint64_t position)
{
	return stream_signalled(c, source) >= position;
}

/*
 * Enters the access of a plain copy where there is nothing to compare it with: it is its stream's last one to
 * these bytes once more, or nothing is known of the block. false: the rest is to be looked at.
 */
bool access_enter_at_once(struct pending_state *pending, const struct acl_call_record *call,
	const struct op_access *a, unsigned flags);

/* Both do the same to what is there, and in either order. */
static inline bool accesses_commute(const struct pending_access *a, const struct pending_access *b)
{
	return a->flags & b->flags & ACCESS_REDUCES && a->reduction == b->reduction;
}

/* One of them writes, and the order matters; what is done to hints and with them changes nothing. */
static inline bool accesses_exclude(const struct pending_access *a, const struct pending_access *b)
{
	return ((a->flags | b->flags) & (ACCESS_WRITES | ACCESS_HINT)) == ACCESS_WRITES &&
	       !accesses_commute(a, b);
}

/* enum access_met */
static inline unsigned met_as(const struct entering *e, const struct pending_access *a)
{
	unsigned flags = e->access.flags | a->flags;

	return flags & ACCESS_ALLOCATES ? MET_POOL : flags & ACCESS_SETS ? MET_SET : MET_COPY;
}

/* They are unordered, and touch these bytes. */
void conflict_keep(struct entering *e, const struct pending_access *earlier, uint64_t start, uint64_t end);
/* Its task is in flight, whatever the host may have learnt. */
bool access_surely_pending(struct checks *c, const struct pending_access *a);
/* One was met that is surely in flight: another would say no more. */
static inline bool conflict_is_sure(const struct entering *e)
{
	return __builtin_expect(e->conflict != NULL, 0) && access_surely_pending(e->c, &e->conflict->earlier);
}
/* Whether the question is about tasks of the stream. */
bool question_is_about(struct checks *c, const struct access_question *q, acl_ref stream);

/* What a captured model does, by address; stream of an access is the block_ref of its memory. NULL: nothing
 * is known, and nothing is locked. */
const struct access_tree *model_accesses_lock(struct acl_object *model);
void model_accesses_unlock(struct acl_object *model);
/* Compares it with those of the block in the same range. */
void compare_with_block(struct entering *e, const struct block_lookup *place);
/* The same of other mappings of its memory. models: and those of models that may run. */
void mappings_meet(struct entering *e, const struct block_lookup *place, bool models);
/* Whether the access is to memory that may be mapped at other addresses as well. */
static inline bool mapped_again(struct checks *c, const struct block_lookup *place)
{
	return place->kind == MEM_MAPPED && physical_mapped_again(c);
}

/* Compares the access with those of models that may run. */
void replays_meet(struct entering *e, const struct block_lookup *place);
/* The task's accesses are entered: whether models may still run on other streams. */
void replays_look(const struct entering *e);
/* As access_in_flight(), of executions of models. */
bool replay_in_flight(
	struct checks *c, const struct access_question *q, struct access_conflict *out, unsigned *compared);

/* A task of the call's stream; the accesses come one by one. false: nothing is followed. */
bool entering_begin(struct checks *c, const struct acl_call_record *call, struct entering *e);
/* flags: enum access_flag. */
void entering_add(struct entering *e, const struct block_lookup *place, uint64_t start, uint64_t span,
	uint64_t pitch, uint64_t width, unsigned flags);
/* The same of one that is among the block's accesses: what is left are the models that may run. */
void entering_added(
	struct entering *e, const struct block_lookup *place, uint64_t start, uint64_t span, unsigned flags);
/* What a plain batch reads, or writes. */
void entering_add_ranges(struct entering *e, const struct batch_side *side, unsigned flags);
/* What was met is kept with the call. */
void entering_end(const struct entering *e, struct acl_call_record *call);
/* The call submitted nothing. */
void access_take_back(struct checks *c, const struct acl_call_record *call, const struct block_lookup *place,
	uint64_t start, uint64_t span);

#endif
