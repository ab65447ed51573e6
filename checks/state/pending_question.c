/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about accesses in flight. */
#include "checks/state/declared_pool.h"
#include "checks/state/memory_state.h"
#include "checks/state/pending_inside.h"
#include "checks/state/signal_state.h"

bool access_question_of(struct checks *c, const struct acl_call_record *call, const struct op_access *a,
	struct access_question *q)
{
	bool rows = a->rows > 1 && a->pitch > a->width;
	struct block_lookup place, next;
	uint64_t start;
	bool over; /* several mappings */

	if (!access_memory(c, call, a, &place, &start))
		return false;
	next = place;
	over = a->span > place.size - (start - place.base);
	if (over && !access_goes_on(c, a, &next))
		return false;
	*q = (struct access_question){.block = over ? NULL : place.block,
		.start = start,
		.end = start + a->span,
		.pitch = rows ? a->pitch : 0,
		.width = rows ? a->width : 0,
		.writes = a->writes,
		.mappings = mapped_again(c, &place),
		.device = -1,
		.not_device = -1};
	return true;
}

bool question_is_about(struct checks *c, const struct access_question *q, acl_ref ref)
{
	struct acl_object *stream = object_of(c, ref);
	acl_ref context = stream ? load_relaxed(&stream->context) : 0;
	int device = stream ? load_relaxed(&stream->device) : -1;

	return stream && (!q->stream || q->stream == ref) && (!q->context || q->context == context) &&
	       (!q->not_context || (context && q->not_context != context)) &&
	       (q->device < 0 || q->device == device) &&
	       (q->not_device < 0 || (device >= 0 && q->not_device != device));
}

/* Under the lock. */
static bool find_in(struct checks *c, struct block_accesses *b, const struct access_question *q,
	struct access_conflict *out, unsigned *compared)
{
	struct pending_access range = {.start = q->start,
				      .end = q->end,
				      .pitch = q->pitch,
				      .width = q->width},
			      *a;
	uint64_t start, end;
	struct access_walk w;
	bool found = false;

	access_walk_begin(&w, &tree_of(b)->tree, q->start, q->end);
	while ((a = access_walk_next(&w)) != NULL) {
		if ((!q->writes && !(a->flags & ACCESS_WRITES)) || (q->flags && !(a->flags & q->flags)))
			continue;
		*compared |= a->flags;
		/* One that may be done says nothing of the others. */
		if (!question_is_about(c, q, a->stream) || access_settled(c, a) ||
			!accesses_overlap(a, &range, &start, &end) ||
			!task_surely_pending(c, object_of(c, a->stream), a->position))
			continue;
		/* That the memory is allocated says less than who else uses it. */
		if (found && a->flags & ACCESS_ALLOCATES)
			continue;
		found = true;
		out->earlier = *a;
		out->start = start;
		out->end = end;
		out->captured_earlier = (struct acl_call_site){0};
		if (!(a->flags & ACCESS_ALLOCATES))
			break;
	}
	return found;
}

/* Locks them, as accesses_lock(); those of a declared block are with its allocation. */
static struct block_accesses *accesses_of(struct checks *c, struct acl_block *block)
{
	struct block_lookup home;

	if (!(load_relaxed(&block->marks) & BLOCK_DECLARED))
		home = block_found(block, load_relaxed(&block->generation));
	else if (!declared_home(c, block, &home))
		return NULL;
	return accesses_lock(c, &home);
}

static bool block_in_flight(struct checks *c, struct acl_block *block, const struct access_question *q,
	struct access_conflict *out, unsigned *compared)
{
	struct block_accesses *b = accesses_of(c, block);
	bool found;

	if (!b)
		return false;
	out->block = block;
	out->flags = q->writes ? ACCESS_WRITES : ACCESS_READS;
	found = find_in(c, b, q, out, compared);
	unlock(&b->lock);
	return found;
}

static bool models_there(struct checks *c)
{
	return load_relaxed(&c->conditions) & (1u << WHEN_CAPTURES | 1u << WHEN_BOUND);
}

/* By the addresses of its block. */
static bool place_in_flight(
	struct checks *c, const struct access_question *q, struct access_conflict *out, unsigned *compared)
{
	return block_in_flight(c, (struct acl_block *)q->block, q, out, compared) ||
	       (models_there(c) && replay_in_flight(c, q, out, compared));
}

/* Through another mapping of its memory. */
static bool mapping_in_flight(
	struct checks *c, const struct access_question *q, struct access_conflict *out, unsigned *compared)
{
	struct access_question there = *q;
	struct block_lookup beside;
	uint64_t shift;
	unsigned at = 0;

	while (q->mappings && physical_mapped_beside(c, q->block, &at, &beside, &shift)) {
		there.block = beside.block;
		there.start = q->start - shift;
		there.end = q->end - shift;
		if (!place_in_flight(c, &there, out, compared))
			continue;
		out->start += shift;
		out->end += shift;
		out->block = (struct acl_block *)q->block;
		return true;
	}
	return false;
}

bool access_in_flight(
	struct checks *c, const struct access_question *q, struct access_conflict *out, unsigned *compared)
{
	struct pointer_map *const maps[] = {memory_blocks(c), registered_ranges(c)};

	*compared = 0;
	if (q->block)
		return place_in_flight(c, q, out, compared) || mapping_in_flight(c, q, out, compared);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t from = q->start;
		struct acl_block *block;

		while (from < q->end && (block = map_first_in(maps[i], from, q->end - from)) != NULL) {
			if (block_in_flight(c, block, q, out, compared))
				return true;
			from = load_relaxed(&block->base) + load_relaxed(&block->size);
		}
	}
	return models_there(c) && replay_in_flight(c, q, out, compared);
}
