/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of tasks that may still run, by block. */
#include "checks/state/pending_access.h"
#include "checks/state/binding_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/order_state.h"
#include "checks/state/signal_state.h"
#include "checks/state/stream_change.h"
#include "checks/state/stream_state.h"

/* Blocks followed at once, by the lower bits of their index: of two with the same bits the later one. */
#define MEMORY_BLOCKS 65536
#define REGISTERED_BLOCKS 4096
#define FIRST_NODES 3
#define REMOVED_AT_ONCE 16

struct block_accesses {
	_Alignas(64) struct acl_lock lock;
	uint32_t index, generation; /* of the block */
	uint16_t last; /* index + 1 of the access that was entered last, 0 = none */
	acl_ref only; /* the stream of all of them, 0 = several */
	struct access_tree tree;
};

struct pending_state {
	struct block_accesses memory[MEMORY_BLOCKS], registered[REGISTERED_BLOCKS];
};

/* --- the accesses of a block ---------------------------------------------------------------- */

static struct block_accesses *slot_of(struct checks *c, unsigned kind, uint32_t index)
{
	struct pending_state *p = module_state(c, pending);

	return kind == MEM_REGISTERED ? &p->registered[index % REGISTERED_BLOCKS]
				      : &p->memory[index % MEMORY_BLOCKS];
}

static size_t nodes_bytes(unsigned room)
{
	return room * sizeof(struct pending_access);
}

/* Under the lock: nothing is pending any more, as far as is known. */
static void accesses_clear(struct block_accesses *b)
{
	b->tree.root = b->tree.free = b->tree.n = 0;
	b->last = 0;
	b->only = 0;
}

/* Locks the block's accesses; NULL: there are none. */
static struct block_accesses *accesses_lock(
	struct checks *c, unsigned kind, uint32_t index, uint32_t generation)
{
	struct block_accesses *b = slot_of(c, kind, index);

	lock(&b->lock);
	if (b->tree.root && b->index == index && b->generation == generation)
		return b;
	unlock(&b->lock);
	return NULL;
}

/* Locks them to add one: what another block has left in the place is forgotten. */
static inline struct block_accesses *accesses_lock_to_add(struct checks *c, const struct block_lookup *place)
{
	struct block_accesses *b = slot_of(c, place->kind, place->index);

	lock(&b->lock);
	if (__builtin_expect(b->index != place->index || b->generation != place->generation, 0)) {
		accesses_clear(b);
		b->index = place->index;
		b->generation = place->generation;
	}
	return b;
}

/* Whether the host knows the task to be done, or may: such an access is evidence of nothing. */
static bool access_settled(struct checks *c, const struct pending_access *a)
{
	struct acl_object *stream = object_of(c, a->stream);

	return !stream || !stream_pending(stream, a->position);
}

/* Under the lock: takes the settled ones out. */
static void accesses_sweep(struct checks *c, struct block_accesses *b)
{
	struct pending_access *settled[REMOVED_AT_ONCE], *a;
	struct access_walk w;
	unsigned n;

	do {
		n = 0;
		access_walk_begin(&w, &b->tree, 0, UINT64_MAX);
		while (n < REMOVED_AT_ONCE && (a = access_walk_next(&w)) != NULL)
			if (access_settled(c, a))
				settled[n++] = a;
		for (unsigned i = 0; i < n; i++)
			if (!access_tree_remove(&b->tree, settled[i])) {
				accesses_clear(b);
				return;
			}
	} while (n == REMOVED_AT_ONCE);
	b->last = 0;
}

/* Under the lock: more nodes, or what is settled makes room; else what was known is forgotten. */
static void accesses_room(struct checks *c, struct block_accesses *b)
{
	unsigned room = b->tree.room ? b->tree.room * 2u : FIRST_NODES;
	struct pending_access *more;

	if (b->tree.n)
		accesses_sweep(c, b);
	if (b->tree.n * 4u < b->tree.room * 3u)
		return;
	more = room <= ACCESS_TREE_NODES ? checks_alloc(c, nodes_bytes(room)) : NULL;
	if (!more) {
		accesses_clear(b);
		return;
	}
	if (b->tree.room)
		memcpy(more, b->tree.at, nodes_bytes(b->tree.room));
	checks_forget(c, b->tree.at, nodes_bytes(b->tree.room));
	b->tree.at = more;
	b->tree.room = (uint16_t)room;
}

/* --- what a new access meets ----------------------------------------------------------------------- */

/* What the call met, and the access being entered. */
struct entering {
	struct checks *c;
	struct acl_object *stream;
	struct acl_block *block;
	struct pending_access access;
	unsigned met;
	struct access_conflict *conflict;
	struct pending_access *same; /* the former access with the same range, whose node is used again */
	struct pending_access *removed[REMOVED_AT_ONCE];
	unsigned n_removed;
};

static void remove_later(struct entering *e, struct pending_access *a)
{
	if (!e->same && a->start == e->access.start && a->end == e->access.end)
		e->same = a;
	else if (e->n_removed < REMOVED_AT_ONCE)
		e->removed[e->n_removed++] = a;
}

/* The host may have learned of the task's end from a callback, a word in memory … and submitted this since.
 */
static bool maybe_told(struct acl_object *source, uint64_t position)
{
	return load_relaxed(&stream_state(source)->signal) >= position;
}

static bool accesses_exclude(const struct pending_access *a, const struct pending_access *b)
{
	return (a->flags | b->flags) & ACCESS_WRITES && !(a->flags & b->flags & ACCESS_REDUCES);
}

/* The rule that comes later reads it. */
static void conflict_keep(
	struct entering *e, const struct pending_access *earlier, uint64_t start, uint64_t end)
{
	if (e->conflict)
		return;
	e->conflict = checks_alloc(e->c, sizeof(*e->conflict));
	if (e->conflict)
		*e->conflict = (struct access_conflict){*earlier, e->block, start, end,
			(e->access.flags & ACCESS_WRITES) != 0, (e->access.flags & ACCESS_SETS) != 0};
}

static void meet_other_stream(struct entering *e, struct pending_access *a, struct acl_object *source)
{
	bool covers = e->access.flags & ACCESS_WRITES && access_covers(&e->access, a), set;
	uint64_t start, end;

	set = (a->flags | e->access.flags) & ACCESS_SETS;
	if (accesses_exclude(a, &e->access))
		e->met |= set ? MET_SET : MET_COPY;
	if (!order_is_before(source, a->position, e->stream) && !maybe_told(source, a->position)) {
		if (!accesses_exclude(a, &e->access) || !accesses_overlap(a, &e->access, &start, &end))
			return;
		conflict_keep(e, a, start, end);
	}
	if (covers)
		remove_later(e, a);
}

static void meet(struct entering *e, struct pending_access *a)
{
	struct acl_object *source;

	if (a->stream == e->access.stream) {
		/* The later one stands for both where it does no less. */
		if (!(a->flags & ~e->access.flags & (ACCESS_WRITES | ACCESS_DESCRIBES)) &&
			access_covers(&e->access, a))
			remove_later(e, a);
		return;
	}
	source = object_of(e->c, a->stream);
	if (!source || !stream_pending(source, a->position)) {
		e->met |= (a->flags | e->access.flags) & ACCESS_SETS ? MET_SET : MET_COPY;
		remove_later(e, a);
	} else {
		meet_other_stream(e, a, source);
	}
}

/* Under the lock: in place of a former one, or as a new node. */
static void accesses_enter(struct entering *e, struct block_accesses *b)
{
	struct pending_access *node = e->same, links;

	for (unsigned i = 0; i < e->n_removed; i++)
		if (!access_tree_remove(&b->tree, e->removed[i])) {
			accesses_clear(b);
			node = NULL;
			break;
		}
	if (!node && !b->tree.free && b->tree.n == b->tree.room)
		accesses_room(e->c, b);
	if (!b->tree.root)
		b->only = e->access.stream;
	else if (b->only != e->access.stream)
		b->only = 0;
	if (node) {
		links = *node;
		*node = e->access;
		node->high = links.high;
		node->priority = links.priority;
		node->left = links.left;
		node->right = links.right;
	} else {
		node = access_tree_take(&b->tree);
		if (!node)
			return;
		*node = e->access;
		if (!access_tree_enter(&b->tree, node)) {
			accesses_clear(b);
			return;
		}
	}
	b->last = (uint16_t)(node - b->tree.at + 1);
}

/* Under the lock: the same as the last one, and no other stream uses the block. */
static inline bool enter_again(struct block_accesses *b, const struct pending_access *a)
{
	struct pending_access *last = b->last ? &b->tree.at[b->last - 1] : NULL;

	if (!last || b->only != a->stream || last->start != a->start || last->end != a->end ||
		last->flags != a->flags || (last->pitch ^ a->pitch) | (last->width ^ a->width))
		return false;
	last->position = a->position;
	last->caller = a->caller;
	last->tid = a->tid;
	last->api = a->api;
	return true;
}

static __attribute__((noinline)) void enter_among_others(struct entering *e, struct block_accesses *b)
{
	struct pending_access *a;
	struct access_walk w;

	e->same = NULL;
	e->n_removed = 0;
	access_walk_begin(&w, &b->tree, e->access.start, e->access.end);
	while ((a = access_walk_next(&w)) != NULL)
		meet(e, a);
	accesses_enter(e, b);
}

/* --- the call's accesses -------------------------------------------------------------------------------- */

static const char met_note;

static void enter_one(struct entering *e, const struct op_access *a, unsigned flags)
{
	struct block_accesses *b;

	if (!a || !a->block.block || !a->span)
		return;
	e->block = a->block.block;
	e->access.start = (uintptr_t)a->address;
	e->access.end = e->access.start + a->span;
	e->access.pitch = a->rows > 1 && a->pitch > a->width ? a->pitch : 0;
	e->access.width = e->access.pitch ? a->width : 0;
	e->access.flags = (uint8_t)flags;
	if (e->access.end <= e->access.start || a->span > access_room(a))
		return;
	b = accesses_lock_to_add(e->c, &a->block);
	if (!enter_again(b, &e->access))
		enter_among_others(e, b);
	unlock(&b->lock);
}

/* A copy from or to memory that no table knows: the runtime may have waited for the stream and done it at
 * once. */
static bool may_be_pageable(const struct op_access *a)
{
	return a && a->address && !a->block.block;
}

static unsigned write_flags(const struct operation *op)
{
	switch (op->group) {
	case ACL_OP_GROUP_SET:
		return ACCESS_WRITES | ACCESS_SETS;
	case ACL_OP_GROUP_REDUCE:
		return ACCESS_READS | ACCESS_WRITES | ACCESS_REDUCES;
	}
	return ACCESS_WRITES;
}

/* The source is staged before the call returns. */
static bool source_is_staged(const struct operation *op)
{
	return op->direction == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE;
}

/* A set of host memory is done at once, by the caller. */
static bool runs_in_caller(struct checks *c, const struct operation *op, const struct op_access *dst)
{
	return op->group == ACL_OP_GROUP_SET && dst && access_is_host(dst) &&
	       load_relaxed(&c->run_mode) != ACL_DEVICE;
}

/* The task is captured, updates a model or may: then it does not run now. */
static inline bool runs_with_model(struct checks *c, const struct acl_call_record *call, struct acl_object *s)
{
	return call->state.capture || load_relaxed(&stream_state(s)->update) != UPDATE_NONE ||
	       load_relaxed(&stream_state(s)->capture_unsure) || binding_of(c, s);
}

static void pending_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	const struct operation *op;
	struct entering e;

	if (!s || !call->state.position || runs_with_model(c, call, s) || order_unseen(c, s))
		return;
	op = operation_of(c, call);
	e.c = c;
	e.stream = s;
	e.met = 0;
	e.conflict = NULL;
	e.access.stream = object_ref(s);
	e.access.position = call->state.position;
	e.access.caller = call->caller;
	e.access.tid = call->tid;
	e.access.api = call->api;
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry entry = operation_entry(op, i);

		if (may_be_pageable(entry.src) || may_be_pageable(entry.dst) ||
			runs_in_caller(c, op, entry.dst))
			continue;
		if (!source_is_staged(op))
			enter_one(&e, entry.src, ACCESS_READS);
		enter_one(&e, entry.dst, write_flags(op));
	}
	if (__builtin_expect(e.met != 0, 0))
		call_note_set(
			call, &met_note, (uintptr_t)e.conflict | e.met | (e.conflict ? MET_CONFLICT : 0));
}

unsigned accesses_met(const struct acl_call_record *call)
{
	return call_note(call, &met_note) & 7;
}

struct access_conflict *accesses_conflict(const struct acl_call_record *call)
{
	return (struct access_conflict *)(uintptr_t)(call_note(call, &met_note) & ~UINT64_C(7));
}

void accesses_met_forget(struct checks *c, struct acl_call_record *call)
{
	struct access_conflict *conflict = accesses_conflict(call);

	if (conflict)
		checks_forget(c, conflict, sizeof(*conflict));
	call_note_set(call, &met_note, 0);
}

/* A copy that may have been done at once, after all that was on the stream. */
static void pageable_leave(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);

	if (!stream_of(call) || !call->state.position || !succeeded(call))
		return;
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (!may_be_pageable(e.src) && !may_be_pageable(e.dst))
			continue;
		stream_tells(c, stream_of(call), call->state.position);
		return;
	}
}

/* --- taken back -------------------------------------------------------------------------------------------
 */

static void access_take_back(struct checks *c, const struct acl_call_record *call, const struct op_access *a)
{
	struct pending_access *found;
	struct block_accesses *b;
	struct access_walk w;

	b = a && a->block.block && a->span
		    ? accesses_lock(c, a->block.kind, a->block.index, a->block.generation)
		    : NULL;
	if (!b)
		return;
	access_walk_begin(&w, &b->tree, (uintptr_t)a->address, (uintptr_t)a->address + a->span);
	do
		found = access_walk_next(&w);
	while (found &&
		(found->position != call->state.position || found->stream != object_ref(stream_of(call))));
	b->last = 0;
	if (found && !access_tree_remove(&b->tree, found))
		accesses_clear(b);
	unlock(&b->lock);
}

/* Nothing was submitted. */
static void pending_failed(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op;

	if (!stream_of(call) || !call->state.position)
		return;
	op = operation_of(c, call);
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		access_take_back(c, call, e.src);
		access_take_back(c, call, e.dst);
	}
}

/* --- questions
 * ---------------------------------------------------------------------------------------------- */

struct access_question access_question_of(const struct op_access *a)
{
	bool rows = a->rows > 1 && a->pitch > a->width;

	return (struct access_question){.block = a->block.block,
		.start = (uintptr_t)a->address,
		.end = (uintptr_t)a->address + a->span,
		.pitch = rows ? a->pitch : 0,
		.width = rows ? a->width : 0,
		.writes = a->writes,
		.device = -1,
		.not_device = -1};
}

static bool asked_for_stream(struct checks *c, const struct access_question *q, acl_ref ref)
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
	struct access_conflict *out, bool *compared)
{
	struct pending_access range = {.start = q->start,
				      .end = q->end,
				      .pitch = q->pitch,
				      .width = q->width},
			      *a;
	struct access_walk w;

	access_walk_begin(&w, &b->tree, q->start, q->end);
	while ((a = access_walk_next(&w)) != NULL) {
		if ((!q->writes && !(a->flags & ACCESS_WRITES)) || (q->flags && !(a->flags & q->flags)))
			continue;
		*compared = true;
		if (!asked_for_stream(c, q, a->stream) || access_settled(c, a) ||
			maybe_told(object_of(c, a->stream), a->position) ||
			!accesses_overlap(a, &range, &out->start, &out->end))
			continue;
		out->earlier = *a;
		return true;
	}
	return false;
}

static bool block_in_flight(struct checks *c, struct acl_block *block, const struct access_question *q,
	struct access_conflict *out, bool *compared)
{
	struct block_accesses *b =
		accesses_lock(c, load_relaxed(&block->kind), block->index, load_relaxed(&block->generation));
	struct acl_object *stream;
	bool found;

	if (!b)
		return false;
	out->block = block;
	out->writes = q->writes;
	found = find_in(c, b, q, out, compared);
	unlock(&b->lock);
	stream = found ? object_of(c, out->earlier.stream) : NULL;
	return stream && task_surely_pending(c, stream, out->earlier.position);
}

bool access_in_flight(
	struct checks *c, const struct access_question *q, struct access_conflict *out, bool *compared)
{
	struct pointer_map *const maps[] = {c->memory, c->registered};

	*compared = false;
	if (q->block)
		return block_in_flight(c, (struct acl_block *)q->block, q, out, compared);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t from = q->start;
		struct acl_block *block;

		while (from < q->end && (block = map_first_in(maps[i], from, q->end - from)) != NULL) {
			if (block_in_flight(c, block, q, out, compared))
				return true;
			from = load_relaxed(&block->base) + load_relaxed(&block->size);
		}
	}
	return false;
}

static const struct check_hook hooks[] = {
	{ON_GROUP(COPY), ACL_ENTER | ACL_IF_ASYNC, pending_enter},
	{ON_GROUP(SET), ACL_ENTER | ACL_IF_ASYNC, pending_enter},
	{ON_GROUP(REDUCE), ACL_ENTER | ACL_IF_ASYNC, pending_enter},
	{ON_GROUP(COPY), ACL_LEAVE | ACL_IF_ASYNC | ACL_UNLESS_PLAIN, pageable_leave},
	{ON_GROUP(COPY), ACL_FAILED | ACL_IF_ASYNC, pending_failed},
	{ON_GROUP(SET), ACL_FAILED | ACL_IF_ASYNC, pending_failed},
	{ON_GROUP(REDUCE), ACL_FAILED | ACL_IF_ASYNC, pending_failed},
};

const struct check_module module_pending = {
	.order = 23, /* after the operation is decoded and the stream has its position */
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct pending_state),
};
