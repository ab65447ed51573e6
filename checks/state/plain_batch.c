/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over the program's arrays: nearly every batch is found to be plain in it, and needs no other. */
#include "checks/state/plain_batch.h"
#include "checks/state/access_place.h"
#include "checks/engine/pointer_map_cursor.h"
#include "checks/engine/program_memory.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/stream_state.h"

#define ALIGNMENT 64 /* of asynchronous copies */

/* One side of the entries, as they go by. */
struct side_pass {
	struct map_cursor cursor;
	struct cursor_block block; /* of the last address; size 0: none yet */
	struct batch_range *range; /* of the last address */
	const struct batch_range *known; /* up to here: those of the thread's last batch, where they stood */
	uint8_t side; /* enum plain_side of all */
	bool other; /* a range is not one of those */
};

struct batch_pass {
	struct checks *c;
	struct operation *op;
	struct plain_batch *b;
	struct side_pass src, dst;
	uint64_t version; /* of the pointer maps */
	bool one_device; /* of the process: that of a block need not be looked at */
};

/* --- blocks ------------------------------------------------------------------------------ */

/* Where neither the last batch nor the cursor leads. */
static __attribute__((noinline)) bool side_find(struct batch_pass *p, struct side_pass *s, uint64_t address)
{
	bool anew;
	const struct recent_block *found = operation_block(p->c, p->op, address, p->version, &anew);

	if (!found || found->side == PLAIN_NEVER || (s->side != PLAIN_NEVER && s->side != found->side))
		return false;
	if (!p->one_device && found->side == PLAIN_DEVICE &&
		load_relaxed(&found->block.block->device) != p->b->device)
		return false;
	s->side = found->side;
	s->block = (struct cursor_block){.block = found->block.block,
		.base = found->block.base,
		.size = found->block.size,
		.index = found->block.index,
		.generation = found->block.generation};
	/* With several devices that of each block has to be looked at. */
	if (!anew || !p->one_device)
		return true;
	if (!map_cursor_holds(&s->cursor))
		return false;
	map_cursor_set(memory_blocks(p->c), &s->cursor, address);
	if (s->cursor.kind != (s->side == PLAIN_HOST ? MEM_HOST : MEM_DEVICE))
		s->cursor.slots = 0;
	return true;
}

static inline __attribute__((always_inline)) bool side_add(
	struct batch_pass *p, struct side_pass *s, uint64_t address, uint64_t bytes)
{
	struct batch_range *r = s->range;
	uint64_t offset;

	/* The same once more, or what stood here in the last batch. */
	if (address == r->start && address + bytes == r->end)
		return true;
	if (r + 1 < s->known && address == r[1].start && address + bytes == r[1].end) {
		s->range = r + 1;
		s->block.size = 0;
		return true;
	}
	offset = address - s->block.base;
	if (offset < s->block.size) {
		if (bytes > s->block.size - offset)
			return false;
		if (address == r->end) {
			s->other = true;
			r->end += bytes;
			return true;
		}
	} else {
		if (!map_cursor_find(&s->cursor, address, &s->block) && !side_find(p, s, address))
			return false;
		if (bytes > s->block.size - (address - s->block.base))
			return false;
	}
	s->other = true;
	s->range = ++r;
	r->start = address;
	r->end = address + bytes;
	r->index = s->block.index;
	r->generation = s->block.generation;
	r->place = access_place(MEM_DEVICE, s->block.index, s->block.base);
	return true;
}

/* --- the program's arrays ------------------------------------------------------------------ */

static const void *array_at(const struct acl_call_record *call, uint8_t slot, uint64_t at)
{
	const uint64_t *array = acl_slot_pointer(call->args, slot);

	return array ? array + at : NULL;
}

static bool add_piece(struct checks_piece **next, const void *from, void *to, size_t bytes)
{
	*(*next)++ = (struct checks_piece){from, to, bytes};
	return from != NULL;
}

/* With the first entries come the attributes. */
static bool chunk_read(struct batch_pass *p, const struct acl_call_record *call, uint64_t at, uint64_t n)
{
	const struct acl_access_info *src = p->op->src_info, *dst = p->op->dst_info;
	struct batch_attributes *a = &p->b->attributes;
	struct checks_piece pieces[6], *next = pieces;
	struct plain_batch *b = p->b;
	size_t bytes = n * sizeof(uint64_t);

	if (!add_piece(&next, array_at(call, src->base, at), b->from, bytes) ||
		!add_piece(&next, array_at(call, dst->base, at), b->to, bytes) ||
		!add_piece(&next, array_at(call, dst->bytes, at), b->bytes, bytes) ||
		!add_piece(&next, array_at(call, dst->limit, at), b->limits, bytes))
		return false;
	if (!at && a->attributes.count && a->indexes.count) {
		*next++ = program_array_first(&a->attributes);
		*next++ = program_array_first(&a->indexes);
	}
	return program_read_pieces(p->c, pieces, (unsigned)(next - pieces));
}

/* Sizes are those of both sides, and each has a limit. */
static bool arrays_are_usual(const struct operation *op)
{
	return op->src_info && op->dst_info && op->src_info->bytes == op->dst_info->bytes &&
	       op->src_info->limit == ACL_ARG_NONE && op->dst_info->limit != ACL_ARG_NONE;
}

static struct plain_batch *batch_memory(struct checks *c, struct operation *op)
{
	if (!op->plain_batch)
		op->plain_batch = checks_alloc(c, sizeof(*op->plain_batch));
	return op->plain_batch;
}

/* Nothing of them is read yet. */
static void attributes_open(struct checks *c, const struct acl_call_record *call, struct batch_attributes *a)
{
	uint64_t n = acl_arg_value(call->api, call->args, ACL_ROLE_ATTRIBUTE_COUNT);

	program_array_open(&a->attributes, c, acl_arg_pointer(call->api, call->args, ACL_ROLE_ATTRIBUTES),
		sizeof(aclrtMemcpyBatchAttr), n);
	program_array_open(&a->indexes, c, acl_arg_pointer(call->api, call->args, ACL_ROLE_ATTRIBUTE_INDEXES),
		sizeof(size_t), n);
	a->phase = thread_of(call)->phase;
}

struct batch_attributes *batch_attributes_of(struct checks *c, struct acl_call_record *call)
{
	struct operation *op = operation_prepare(c, call);
	struct plain_batch *b = op ? batch_memory(c, op) : NULL;

	if (b && b->attributes.phase != thread_of(call)->phase)
		attributes_open(c, call, &b->attributes);
	return b ? &b->attributes : NULL;
}

static bool batch_room(struct checks *c, struct operation *op, uint64_t entries)
{
	struct plain_batch *b = batch_memory(c, op);
	uint64_t room = b && b->room ? b->room : 64;
	struct batch_range *more;

	if (!b || entries <= b->room)
		return b;
	while (room < entries)
		room *= 2;
	more = checks_alloc(c, 2 * (room + 1) * sizeof(*more));
	if (!more)
		return false;
	if (b->room)
		checks_forget(c, b->ranges, 2 * (b->room + 1) * sizeof(*more));
	b->ranges = more;
	b->room = room;
	return true;
}

/* --- the pass ------------------------------------------------------------------------------- */

static bool entries_pass(struct batch_pass *p, uint64_t n, uint64_t *end)
{
	struct plain_batch *b = p->b;
	uint64_t bits = 0, last = *end;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t from = b->from[i], to = b->to[i], bytes = b->bytes[i];

		if (__builtin_expect(!bytes || b->limits[i] != bytes, 0) ||
			!side_add(p, &p->src, from, bytes) || !side_add(p, &p->dst, to, bytes))
			return false;
		bits |= from | to;
		if (__builtin_expect(to < last, 0))
			b->apart = false;
		last = to + bytes;
	}
	*end = last;
	return !(p->op->async && bits & (ALIGNMENT - 1));
}

/* Nothing that is read is written: what is written goes up from the first range to the end. */
static bool reads_apart(const struct plain_batch *b, uint64_t end)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (const struct batch_range *r = b->reads.range; r < b->reads.range + b->reads.n; r++) {
		low = r->start < low ? r->start : low;
		high = r->end > high ? r->end : high;
	}
	return high <= b->writes.range[0].start || low >= end;
}

static struct batch_side side_of(const struct side_pass *s, struct batch_range *before)
{
	return (struct batch_side){
		before + 1, (uint64_t)(s->range - before), s->side == PLAIN_HOST ? MEM_HOST : MEM_DEVICE};
}

/* Every range is that of the last batch, and there are no fewer. */
static bool is_again(const struct side_pass *s, const struct batch_range *before)
{
	return !s->other && s->known == s->range + 1 && s->known > before + 1;
}

/* Before the first one: the first address begins a range. known: those of the last batch are good. */
static void side_begin(
	struct side_pass *s, struct batch_range *before, const struct batch_side *last, bool known)
{
	*s = (struct side_pass){.range = before, .known = before};
	if (!known || last->range != before + 1)
		return;
	s->known = last->range + last->n;
	s->side = last->kind == MEM_HOST ? PLAIN_HOST : PLAIN_DEVICE;
}

/* Every entry goes from the host's memory to the device's, or every one back. */
static bool batch_is_plain(struct batch_pass *p, const struct acl_call_record *call, bool known)
{
	struct plain_batch *b = p->b;
	struct batch_range *reads = b->ranges, *writes = b->ranges + b->room + 1;
	uint64_t end = 0;

	side_begin(&p->src, reads, &b->reads, known);
	side_begin(&p->dst, writes, &b->writes, known);
	b->apart = true;
	for (uint64_t at = 0; at < b->n_entries; at += BATCH_CHUNK) {
		uint64_t n = b->n_entries - at < BATCH_CHUNK ? b->n_entries - at : BATCH_CHUNK;

		if (!chunk_read(p, call, at, n)) {
			attributes_open(p->c, call, &b->attributes);
			return false;
		}
		if (!entries_pass(p, n, &end))
			return false;
	}
	if (p->src.side == p->dst.side || !map_cursor_holds(&p->src.cursor) ||
		!map_cursor_holds(&p->dst.cursor))
		return false;
	b->again = is_again(&p->src, reads) && is_again(&p->dst, writes);
	b->reads = side_of(&p->src, reads);
	b->writes = side_of(&p->dst, writes);
	b->apart &= reads_apart(b, end);
	return true;
}

/* What the thread's last batch was found out with. */
static bool last_is_good(const struct plain_batch *b, uint64_t version, int device, bool one_device)
{
	return b->version == version && b->device == device && b->one_device == one_device;
}

void plain_batch_enter(struct checks *c, struct acl_call_record *call)
{
	struct operation *op = operation_prepare(c, call);
	struct batch_pass p = {.c = c, .op = op, .version = lookup_version(c)};
	uint64_t n = op && op->dst_info ? acl_slot_value(call->args, op->dst_info->count) : 0;
	int device = device_used(c, call);
	bool known;

	/* Accesses to declared blocks are kept with the allocation around them. */
	if (!n || n > OPERATION_ENTRIES || device < 0 || load_acquire(&c->declared) ||
		!arrays_are_usual(op) || call->state.capture || runs_on_device(c) || !batch_room(c, op, n))
		return;
	p.b = op->plain_batch;
	attributes_open(c, call, &p.b->attributes);
	p.one_device = !checks_happened(c, WHEN_DEVICES);
	known = last_is_good(p.b, p.version, device, p.one_device);
	p.b->n_entries = n;
	p.b->device = device;
	p.b->one_device = p.one_device;
	p.b->version = 0;
	if (!batch_is_plain(&p, call, known))
		return;
	p.b->version = p.version;
	call->plain = true;
	call->state.evaluated |=
		op->async ? EVALUATED_PLAIN_BATCH | EVALUATED_PLAIN_ASYNC : EVALUATED_PLAIN_BATCH;
}
