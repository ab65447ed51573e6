/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of tasks that may still run, by block: how one more is entered among them. */
#include "checks/engine/rule_coverage.h"
#include "checks/state/declared_pool.h"
#include "checks/state/memory_state.h"
#include "checks/state/order_state.h"
#include "checks/state/pending_inside.h"
#include "checks/state/signal_state.h"

/* --- the accesses of a block ---------------------------------------------------------------- */

static inline struct block_accesses *accesses_at(struct checks *c, const struct block_lookup *place)
{
	return &pending_state(c)->place[access_place(place->kind, place->index, place->base)];
}

void access_place_fetch(struct checks *c, uint64_t address)
{
	if (pending_state(c)->followed)
		__builtin_prefetch(&pending_state(c)->place[shared_place(address)], 1);
}

/* By stream, start and flags, each in one of two places; a node there may have been removed, and used again
 * by others. */
static inline size_t link_of(const struct access_tree_of *t, acl_ref stream, uint64_t start, unsigned flags)
{
	/* Pieces at equal distances, streams one after the other, both, and what reads and writes the same
	 * bytes: all lie far from each other. */
	return (start + (stream >> 32) + 2 * flags) * UINT64_C(0x9e3779b97f4a7c15) >> t->tree.link_shift;
}

static inline void remember(struct access_tree_of *t, const struct pending_access *node)
{
	size_t at = link_of(t, node->stream, node->start, node->flags);
	uint16_t link = (uint16_t)(node - t->tree.at + 1);

	if (t->links[at] != link)
		t->links[at ^ 1] = t->links[at];
	t->links[at] = link;
}

static size_t links_bytes(unsigned room)
{
	return (size_t)room / BLOCK_NODES * sizeof(uint16_t) << BLOCK_LINKS_LOG;
}

static size_t nodes_bytes(unsigned room)
{
	return room * sizeof(struct pending_access) + (room > BLOCK_NODES ? links_bytes(room) : 0);
}

void accesses_clear(struct block_accesses *b)
{
	struct access_tree_of *t = tree_of(b);

	/* The tree is empty then, and in another cache line. */
	if (b->flags) {
		b->flags = 0;
		return;
	}
	t->tree.root = t->tree.free = t->tree.n = t->tree.writes = 0;
	if (t->links)
		memset(t->links, 0, links_bytes(t->tree.room));
}

/* Under the lock: the block's only one, which has no gaps. */
static inline void sole_set(struct block_accesses *b, const struct pending_access *a)
{
	b->start = a->start;
	b->end = a->end;
	b->stream = a->stream;
	b->position = a->position;
	b->caller = a->caller;
	b->tid = a->tid;
	b->api = a->api;
	b->flags = a->flags;
	b->reduction = a->reduction;
}

static inline void sole_renew(struct block_accesses *b, const struct pending_access *now)
{
	b->position = now->position;
	b->caller = now->caller;
	b->tid = now->tid;
	b->api = now->api;
}

/* Under the lock: whether that is the sole access of its block. */
static inline bool is_sole(
	const struct block_accesses *b, acl_ref stream, uint64_t start, uint64_t end, unsigned flags)
{
	return b->flags == flags && b->start == start && b->end == end && b->stream == stream;
}

/* Under the lock: a node that is the only one leaves the tree. false: it is not, or has gaps. */
static bool sole_from_tree(struct block_accesses *b, struct pending_access *node)
{
	struct access_tree_of *t = tree_of(b);
	if (t->tree.n != 1 || node->pitch)
		return false;
	sole_set(b, node);
	if (!access_tree_remove(&t->tree, node)) {
		b->flags = 0;
		accesses_clear(b);
	}
	return true;
}

static void accesses_room(struct checks *c, struct block_accesses *b);

/* Under the lock, before anything looks at the tree. */
static __attribute__((noinline)) void sole_into_tree(struct checks *c, struct block_accesses *b)
{
	struct access_tree_of *t = tree_of(b);
	struct pending_access *node;
	uint8_t flags = b->flags;

	b->flags = 0;
	if (!t->tree.room)
		accesses_room(c, b);
	node = access_tree_take(&t->tree);
	if (!node)
		return;
	*node = (struct pending_access){.start = b->start,
		.end = b->end,
		.stream = b->stream,
		.position = b->position,
		.caller = b->caller,
		.tid = b->tid,
		.api = b->api,
		.flags = flags,
		.reduction = flags & ACCESS_REDUCES ? b->reduction : 0};
	t->only = b->stream;
	if (access_tree_enter(&t->tree, node))
		remember(t, node);
	else
		accesses_clear(b);
}

struct block_accesses *accesses_lock(struct checks *c, const struct block_lookup *place)
{
	struct block_accesses *b = accesses_at(c, place);

	lock(&b->lock);
	if (b->block == place->number && (b->flags || tree_of(b)->tree.root)) {
		if (b->flags)
			sole_into_tree(c, b);
		return b;
	}
	unlock(&b->lock);
	return NULL;
}

/* Locks them to add one: what another block has left in the place is forgotten. */
static inline struct block_accesses *accesses_lock_to_add(struct checks *c, const struct block_lookup *place)
{
	struct block_accesses *b = accesses_at(c, place);

	lock(&b->lock);
	if (__builtin_expect(b->block != place->number, 0)) {
		accesses_clear(b);
		b->block = place->number;
		store_relaxed(&pending_state(c)->any, true);
	}
	return b;
}

bool access_settled(struct checks *c, const struct pending_access *a)
{
	struct acl_object *stream = object_of(c, a->stream);

	return !stream || !stream_pending(stream, a->position);
}

/* Under the lock: takes the settled ones out. */
static void accesses_sweep(struct checks *c, struct block_accesses *b)
{
	struct access_tree_of *t = tree_of(b);
	struct pending_access *settled[REMOVED_AT_ONCE], *a;
	struct access_walk w;
	unsigned n;

	do {
		n = 0;
		access_walk_all(&w, &t->tree);
		while (n < REMOVED_AT_ONCE && (a = access_walk_next(&w)) != NULL)
			if (access_settled(c, a))
				settled[n++] = a;
		for (unsigned i = 0; i < n; i++)
			if (!access_tree_remove(&t->tree, settled[i])) {
				accesses_clear(b);
				return;
			}
	} while (n == REMOVED_AT_ONCE);
}

/* Under the lock: more nodes, or what is settled makes room; else what was known is forgotten. */
static void accesses_room(struct checks *c, struct block_accesses *b)
{
	struct access_tree_of *t = tree_of(b);
	unsigned room = t->tree.room ? t->tree.room * 2u : BLOCK_NODES;
	struct pending_access *more;

	if (t->tree.n)
		accesses_sweep(c, b);
	if (t->tree.n * 4u < t->tree.room * 3u)
		return;
	more = room <= ACCESS_TREE_NODES ? checks_alloc(c, nodes_bytes(room)) : NULL;
	if (!more) {
		accesses_clear(b);
		return;
	}
	if (t->tree.room)
		memcpy(more, t->tree.at, t->tree.room * sizeof(*more));
	checks_forget(c, t->tree.at, nodes_bytes(t->tree.room));
	t->tree.at = more;
	t->tree.room = (uint16_t)room;
	t->links = room == BLOCK_NODES ? t->first : (uint16_t *)(more + room);
	t->tree.link_shift = (uint8_t)(64 - BLOCK_LINKS_LOG - __builtin_ctz(room / BLOCK_NODES));
}

/* --- what a new access meets ----------------------------------------------------------------------- */

/* false: it stays. */
static bool remove_later(struct entering *e, struct pending_access *a)
{
	if (!e->same && a->start == e->access.start && a->end == e->access.end)
		e->same = a;
	else if (e->n_removed < REMOVED_AT_ONCE)
		e->removed[e->n_removed++] = a;
	else
		return false;
	return true;
}

bool access_surely_pending(struct checks *c, const struct pending_access *a)
{
	return task_surely_pending(c, object_of(c, a->stream), a->position);
}

/* A task that may be done says nothing, and what becomes of the memory less than who else uses it. */
static bool says_more(struct checks *c, const struct pending_access *a, const struct pending_access *kept)
{
	bool sure = access_surely_pending(c, a);

	return sure == access_surely_pending(c, kept) ? (kept->flags & ACCESS_ALLOCATES) != 0 : sure;
}

void conflict_keep(struct entering *e, const struct pending_access *earlier, uint64_t start, uint64_t end)
{
	if (e->conflict && !says_more(e->c, earlier, &e->conflict->earlier))
		return;
	if (!e->conflict)
		e->conflict = checks_alloc(e->c, sizeof(*e->conflict));
	if (e->conflict)
		*e->conflict = (struct access_conflict){.earlier = *earlier,
			.block = e->block,
			.start = start + e->shift,
			.end = end + e->shift,
			.flags = e->access.flags,
			.captured = e->captured,
			.captured_earlier = e->captured_earlier};
}

/* What is in conflict with the former is so with the later: reductions are in conflict with less than others.
 */
static bool excludes_as_much(const struct pending_access *later, const struct pending_access *former)
{
	return !(later->flags & ACCESS_REDUCES) || former->flags & ACCESS_HINT ||
	       accesses_commute(later, former);
}

static bool meet_other_stream(struct entering *e, struct pending_access *a, struct acl_object *source)
{
	bool covers = e->access.flags & ACCESS_WRITES && excludes_as_much(&e->access, a) &&
		      access_covers(&e->access, a);
	uint64_t start, end;

	if (accesses_exclude(a, &e->access))
		e->met |= met_as(e, a);
	if (!order_is_before(source, a->position, e->stream) && !maybe_told(e->c, source, a->position)) {
		if (!accesses_exclude(a, &e->access) || !accesses_overlap(a, &e->access, &start, &end))
			return false;
		conflict_keep(e, a, start, end);
	}
	return covers && remove_later(e, a);
}

/* Of one stream: the later one does no less. */
static bool stands_for_both(const struct pending_access *later, const struct pending_access *former)
{
	return !(former->flags & ~later->flags & (ACCESS_WRITES | ACCESS_DESCRIBES)) &&
	       (former->flags & ACCESS_HINT || !(later->flags & ACCESS_HINT)) &&
	       excludes_as_much(later, former) && access_covers(later, former);
}

/* Whether it is removed. */
static bool meet(struct entering *e, struct pending_access *a)
{
	struct acl_object *source;

	if (a->stream == e->access.stream)
		return stands_for_both(&e->access, a) && remove_later(e, a);
	source = object_of(e->c, a->stream);
	if (source && stream_pending(source, a->position))
		return meet_other_stream(e, a, source);
	e->met |= met_as(e, a);
	return remove_later(e, a);
}

/* Under the lock: in place of a former one, or as a new node; the sole one needs none. */
static void accesses_enter(struct entering *e, struct block_accesses *b)
{
	struct access_tree_of *t = tree_of(b);
	struct pending_access *node = e->same;

	for (unsigned i = 0; i < e->n_removed; i++)
		if (!access_tree_remove(&t->tree, e->removed[i])) {
			accesses_clear(b);
			node = NULL;
			break;
		}
	if (!node && !t->tree.root && !e->access.pitch) {
		sole_set(b, &e->access);
		return;
	}
	if (!node && !t->tree.free && t->tree.n == t->tree.room)
		accesses_room(e->c, b);
	if (!t->tree.root)
		t->only = e->access.stream;
	else if (t->only != e->access.stream)
		t->only = 0;
	if (node) {
		access_tree_replace(&t->tree, node, &e->access);
	} else {
		node = access_tree_take(&t->tree);
		if (!node)
			return;
		*node = e->access;
		if (!access_tree_enter(&t->tree, node)) {
			accesses_clear(b);
			return;
		}
	}
	if (!sole_from_tree(b, node))
		remember(t, node);
}

/*
 * Under the lock: the stream's last access again, which nothing can be unordered with: no other touches its
 * bytes, or all are the stream's own, or all only read, or it is a hint.
 */
static inline bool is_again(const struct access_tree_of *t, const struct pending_access *last, acl_ref stream,
	uint64_t start, uint64_t end, unsigned flags)
{
	return last->stream == stream && last->start == start && last->end == end && last->flags == flags &&
	       (!last->shared || t->only == stream || !((flags & ACCESS_WRITES) | t->tree.writes) ||
		       flags & ACCESS_HINT);
}

/* Under the lock: that access; NULL: it is not at hand, or others may be unordered with it. */
static inline struct pending_access *find_again(
	const struct access_tree_of *t, acl_ref stream, uint64_t start, uint64_t end, unsigned flags)
{
	struct pending_access *node;
	unsigned first, second;
	size_t at;

	if (!t->tree.root)
		return NULL;
	at = link_of(t, stream, start, flags);
	first = t->links[at];
	second = t->links[at ^ 1];
	if (__builtin_expect(first && is_again(t, t->tree.at + first - 1, stream, start, end, flags), 1))
		return t->tree.at + first - 1;
	if (second && is_again(t, t->tree.at + second - 1, stream, start, end, flags))
		return t->tree.at + second - 1;
	node = access_tree_at(&t->tree, start);
	return node && is_again(t, node, stream, start, end, flags) ? node : NULL;
}

static inline void access_renew(struct pending_access *last, const struct pending_access *now)
{
	last->position = now->position;
	last->caller = now->caller;
	last->tid = now->tid;
	last->api = now->api;
}

static inline void access_renew_by(struct pending_access *last, const struct acl_call_record *call)
{
	last->position = call->state.position;
	last->caller = call->caller;
	last->tid = call->tid;
	last->api = call->api;
}

static inline void sole_renew_by(struct block_accesses *b, const struct acl_call_record *call)
{
	b->position = call->state.position;
	b->caller = call->caller;
	b->tid = call->tid;
	b->api = call->api;
}

/* Under the lock, which it gives back: wherever the access is, if it is there. */
static __attribute__((noinline)) bool access_again_any(struct block_accesses *b,
	const struct acl_call_record *call, const struct op_access *a, unsigned flags)
{
	struct access_tree_of *t = tree_of(b);
	uint64_t start = (uintptr_t)a->address;
	acl_ref stream = object_ref(stream_of(call));
	struct pending_access *last = NULL;
	bool again = false;

	if (b->block == a->block.number) {
		again = is_sole(b, stream, start, start + a->span, flags);
		last = b->flags ? NULL : find_again(t, stream, start, start + a->span, flags);
	}
	if (again) {
		sole_renew_by(b, call);
	} else if (last && !last->pitch) {
		again = true;
		access_renew_by(last, call);
		if (!sole_from_tree(b, last))
			remember(t, last);
	}
	unlock(&b->lock);
	return again;
}

/* Under the lock, which it gives back: one of several of the block, where it was entered last. */
static __attribute__((noinline)) bool access_again_among(struct block_accesses *b,
	const struct acl_call_record *call, const struct op_access *a, unsigned flags)
{
	struct access_tree_of *t = tree_of(b);
	acl_ref stream = object_ref(stream_of(call));
	uint64_t start = (uintptr_t)a->address;
	size_t link = t->tree.n > 1 ? t->links[link_of(t, stream, start, flags)] : 0;
	struct pending_access *last;

	if (__builtin_expect(!link, 0))
		return access_again_any(b, call, a, flags);
	last = t->tree.at + link - 1;
	if (__builtin_expect(!is_again(t, last, stream, start, start + a->span, flags) || last->pitch, 0))
		return access_again_any(b, call, a, flags);
	access_renew_by(last, call);
	unlock(&b->lock);
	return true;
}

static __attribute__((noinline, cold)) bool access_again_wait(struct block_accesses *b,
	const struct acl_call_record *call, const struct op_access *a, unsigned flags)
{
	lock(&b->lock);
	return access_again_any(b, call, a, flags);
}

/* Under the lock, of another block's place: that one has left no tree there. */
static inline bool is_first(const struct block_accesses *b, const struct op_access *a)
{
	return (b->flags || !b->block) && a->block.index < DECLARED_NUMBERS;
}

/* Under the lock, which it gives back: memory that is far has one line of the place to wait for, no more. */
static __attribute__((noinline)) bool access_enter_first(struct pending_state *pending,
	struct block_accesses *b, const struct acl_call_record *call, const struct op_access *a,
	unsigned flags)
{
	store_relaxed(&pending->any, true);
	if (!is_first(b, a))
		return access_again_any(b, call, a, flags);
	b->block = a->block.number;
	b->start = (uintptr_t)a->address;
	b->end = b->start + a->span;
	b->stream = object_ref(stream_of(call));
	b->flags = (uint8_t)flags;
	sole_renew_by(b, call);
	unlock(&b->lock);
	return true;
}

/* Calls nothing on its usual way, and so saves no registers. */
bool access_enter_at_once(struct pending_state *pending, const struct acl_call_record *call,
	const struct op_access *a, unsigned flags)
{
	struct block_accesses *b = &pending->place[a->place];

	if (__builtin_expect(!lock_at_once(&b->lock), 0))
		return access_again_wait(b, call, a, flags);
	if (__builtin_expect(b->block != a->block.number, 0))
		return access_enter_first(pending, b, call, a, flags);
	if (__builtin_expect(b->flags != flags || b->start != (uintptr_t)a->address ||
				     b->end != b->start + a->span || b->stream != object_ref(stream_of(call)),
		    0))
		return access_again_among(b, call, a, flags);
	sole_renew_by(b, call);
	unlock(&b->lock);
	return true;
}

static void enter_among_others(struct entering *e, struct block_accesses *b)
{
	struct pending_access *a;
	struct access_walk w;

	e->same = NULL;
	e->n_removed = 0;
	e->access.shared = false;
	access_walk_begin(&w, &tree_of(b)->tree, e->access.start, e->access.end);
	while ((a = access_walk_next(&w)) != NULL) {
		if (!meet(e, a))
			a->shared = e->access.shared = true;
	}
	accesses_enter(e, b);
}

/* --- reductions ------------------------------------------------------------------------------------- */

#define DATA_TYPES 31 /* those that can be reduced have smaller numbers */

/* Sums of both are the same bits. */
static unsigned signed_type(unsigned type)
{
	return type == ACL_UINT8    ? ACL_INT8
	       : type == ACL_UINT16 ? ACL_INT16
	       : type == ACL_UINT32 ? ACL_INT32
				    : type;
}

uint8_t reduction_of(const struct acl_call_record *call)
{
	const struct acl_args_aclrtReduceAsync *a = call->args;
	unsigned type;

	if (acl_apis[call->api].operation != ACL_OP_REDUCE)
		return 0;
	type = (unsigned)a->type;
	if (a->kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM)
		type = signed_type(type);
	return (uint8_t)(1 + ((unsigned)a->kind & 3) * DATA_TYPES + type % DATA_TYPES);
}

/* --- one access after the other ---------------------------------------------------------------------------
 */

bool entering_begin(struct checks *c, const struct acl_call_record *call, struct entering *e)
{
	struct acl_object *s = stream_of(call);

	if (!pending_state(c)->followed)
		return false;
	e->hidden = order_unseen(c, s);
	e->c = c;
	e->stream = s;
	e->met = 0;
	e->conflict = NULL;
	e->shift = 0;
	e->captured = e->captured_earlier = (struct acl_call_site){0};
	e->replays = load_relaxed(&stream_state(s)->ask) & ASK_REPLAYS;
	e->reduction = reduction_of(call);
	e->access.stream = object_ref(s);
	e->access.position = call->state.position;
	e->access.caller = call->caller;
	e->access.tid = call->tid;
	e->access.api = call->api;
	return true;
}

/* Accesses are kept with the allocation: the next declared block may have the same bytes. NULL: it is gone.
 */
static inline const struct block_lookup *allocation_of(
	struct checks *c, const struct block_lookup *place, struct block_lookup *home)
{
	if (__builtin_expect(place->index < DECLARED_NUMBERS, 1))
		return place;
	return declared_home(c, place->block, home) ? home : NULL;
}

static void add_locked(struct entering *e, struct block_accesses *b)
{
	const struct pending_access *now = &e->access;
	struct pending_access *last;

	if (!now->pitch && (!(now->flags & ACCESS_REDUCES) || b->reduction == now->reduction) &&
		is_sole(b, now->stream, now->start, now->end, now->flags)) {
		sole_renew(b, now);
		return;
	}
	if (b->flags)
		sole_into_tree(e->c, b);
	last = find_again(tree_of(b), now->stream, now->start, now->end, now->flags);
	if (!last || last->pitch != now->pitch || last->width != now->width ||
		last->reduction != now->reduction) {
		enter_among_others(e, b);
		return;
	}
	access_renew(last, now);
	if (!sole_from_tree(b, last))
		remember(tree_of(b), last);
}

/*
 * The access that comes next; home: room for the place where it is kept, which is returned; NULL: there is
 * none.
 */
static inline const struct block_lookup *entering_next(struct entering *e, const struct block_lookup *place,
	struct block_lookup *home, uint64_t start, uint64_t span, unsigned flags)
{
	if (!span || span > place->size - (start - place->base))
		return NULL;
	e->block = place->block;
	e->access.start = start;
	e->access.end = start + span;
	e->access.pitch = e->access.width = 0;
	/* It keeps memory in use, and says nothing of an order. */
	e->access.flags = (uint8_t)(e->hidden ? flags | ACCESS_HINT : flags);
	e->access.reduction = flags & ACCESS_REDUCES ? e->reduction : 0;
	return allocation_of(e->c, place, home);
}

void entering_add(struct entering *e, const struct block_lookup *place, uint64_t start, uint64_t span,
	uint64_t pitch, uint64_t width, unsigned flags)
{
	struct block_accesses *b;
	struct block_lookup home;

	place = entering_next(e, place, &home, start, span, flags);
	if (!place)
		return;
	e->access.pitch = pitch;
	e->access.width = width;
	b = accesses_lock_to_add(e->c, place);
	add_locked(e, b);
	unlock(&b->lock);
	if (__builtin_expect(e->replays && !e->hidden, 0))
		replays_meet(e, place);
	if (__builtin_expect(mapped_again(e->c, place), 0) && !e->hidden)
		mappings_meet(e, place, e->replays);
}

void entering_added(
	struct entering *e, const struct block_lookup *place, uint64_t start, uint64_t span, unsigned flags)
{
	struct block_lookup home;

	place = entering_next(e, place, &home, start, span, flags);
	if (place && e->replays && !e->hidden)
		replays_meet(e, place);
}

/* Any range. */
static __attribute__((noinline)) void pending_range_add(
	struct entering *e, const struct batch_range *r, unsigned flags)
{
	struct block_lookup place = block_found(map_block(memory_blocks(e->c), r->index), r->generation);

	entering_add(e, &place, r->start, r->end - r->start, 0, 0, flags);
}

/* The range is the block's sole access once more, and that is all there is to it. */
static inline bool range_again(struct block_accesses *b, const struct batch_range *r,
	const struct pending_access *now, unsigned flags)
{
	bool again;

	if (!lock_at_once(&b->lock))
		return false;
	again = b->block == r->block && is_sole(b, now->stream, r->start, r->end, flags);
	if (__builtin_expect(again, 1))
		sole_renew(b, now);
	unlock(&b->lock);
	return again;
}

void entering_add_ranges(struct entering *e, const struct batch_side *side, unsigned flags)
{
	struct pending_state *pending = pending_state(e->c);
	const struct pending_access now = e->access;

	if (__builtin_expect(e->hidden, 0))
		flags |= ACCESS_HINT;
	/* pending_range_add() meets models, too. */
	for (const struct batch_range *r = side->range, *end = r + side->n; r < end; r++)
		if (__builtin_expect(e->replays, 0) ||
			!__builtin_expect(range_again(&pending->place[r->place], r, &now, flags), 1))
			pending_range_add(e, r, flags);
}

/* So few are swept to know whether one is left. */
#define FEW_ACCESSES 16

static bool others_here(struct checks *c, struct block_accesses *b, acl_ref stream)
{
	struct access_tree_of *t = tree_of(b);

	if (b->flags)
		return b->stream != stream && !access_settled(c, &(struct pending_access){.stream = b->stream,
									 .position = b->position});
	if (t->tree.root && t->tree.n <= FEW_ACCESSES)
		accesses_sweep(c, b);
	return t->tree.root;
}

bool accesses_of_others(struct checks *c, const struct block_lookup *place, acl_ref stream)
{
	struct block_lookup home;
	struct block_accesses *b;
	bool there;

	place = load_relaxed(&pending_state(c)->any) ? allocation_of(c, place, &home) : NULL;
	if (!place)
		return false;
	b = accesses_at(c, place);
	lock(&b->lock);
	there = b->block == place->number && others_here(c, b, stream);
	unlock(&b->lock);
	return there;
}

void access_take_back(struct checks *c, const struct acl_call_record *call, const struct block_lookup *place,
	uint64_t start, uint64_t span)
{
	struct block_lookup home;
	struct block_accesses *b;
	struct pending_access *found;
	struct access_walk w;

	place = allocation_of(c, place, &home);
	b = place ? accesses_lock(c, place) : NULL;
	if (!b)
		return;
	access_walk_begin(&w, &tree_of(b)->tree, start, start + span);
	do
		found = access_walk_next(&w);
	while (found &&
		(found->position != call->state.position || found->stream != object_ref(stream_of(call))));
	if (found && !access_tree_remove(&tree_of(b)->tree, found))
		accesses_clear(b);
	unlock(&b->lock);
}

void accesses_follow_for(struct checks *c, const struct acl_rule *rule)
{
	pending_state(c)->followed |= rule_wanted(c, rule);
}

/* --- what a call has met -------------------------------------------------------------------------------- */

static const char met_note;

void entering_end(const struct entering *e, struct acl_call_record *call)
{
	if (__builtin_expect(e->replays && !e->hidden, 0))
		replays_look(e);
	if (__builtin_expect(e->met != 0, 0))
		call_note_set(
			call, &met_note, (uintptr_t)e->conflict | e->met | (e->conflict ? MET_CONFLICT : 0));
}

unsigned accesses_met(const struct acl_call_record *call)
{
	return call_note(call, &met_note) & MET_ANY;
}

struct access_conflict *accesses_conflict(const struct acl_call_record *call)
{
	return (struct access_conflict *)(uintptr_t)(call_note(call, &met_note) & ~(uint64_t)MET_ANY);
}

void accesses_met_forget(struct checks *c, struct acl_call_record *call)
{
	struct access_conflict *conflict = accesses_conflict(call);

	if (conflict)
		checks_forget(c, conflict, sizeof(*conflict));
	call_note_set(call, &met_note, 0);
}

const struct check_module module_pending = {
	.order = 23,
	.state_size = sizeof(struct pending_state),
};
