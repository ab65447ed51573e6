/* SPDX-License-Identifier: Apache-2.0 */
/* From a call's arguments to the memory it touches: once a call, for all rules. */
#include "checks/state/operation.h"
#include "checks/engine/pointer_map_cursor.h"
#include "checks/engine/program_memory.h"
#include "checks/state/access_place.h"
#include "checks/state/described_copy.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/plain_batch.h"
#include "checks/state/stream_state.h"
#include "checks/state/task_range.h"
#include "checks/state/written_state.h"

#define ALIGNMENT 64 /* of asynchronous copies */
#define CHUNK 64 /* elements of the program's arrays that are read at once */

/* What the model says of a function, in the form that decoding wants. */
struct operation_shape {
	const struct acl_access_info *src, *dst; /* NULL: there is none, or its extent is not known */
	bool touches, batch;
	bool described; /* what it touches stands in a descriptor */
	uint8_t direction; /* slot of the aclrtMemcpyKind, ACL_ARG_NONE */
	/* So many bytes from one pointer to the other; the slots are those of arguments of 64 bits, and of 32
	 * for the direction (tests/checks/variants.c). */
	bool linear;
	struct {
		uint8_t src, dst, bytes, limit, direction;
	} slot;
};

struct operation_state {
	struct operation_shape shapes[ACL_API_COUNT];
};

static struct operation_state *operations(struct checks *c)
{
	return module_state(c, operation);
}

/* --- shapes ---------------------------------------------------------------------------- */

bool access_extent_is_known(const struct acl_access_info *info)
{
	return info->extent == ACL_EXTENT_RANGE || info->extent == ACL_EXTENT_AT_LEAST ||
	       (info->extent == ACL_EXTENT_EACH && info->unit) || info->extent == ACL_EXTENT_SYMBOL;
}

/* What a call reads is its source; ranges that it only names count by the role of the argument. */
static bool is_source(unsigned api, const struct acl_access_info *info)
{
	return info->access == ACL_ACCESS_READ ||
	       (!info->access && acl_params(&acl_apis[api])[info->param].role == ACL_ROLE_SRC);
}

static void linear_shape(struct operation_shape *shape)
{
	shape->slot.src = shape->src->base;
	shape->slot.dst = shape->dst->base;
	shape->slot.bytes = shape->src->bytes;
	shape->slot.limit = shape->dst->limit;
	shape->slot.direction = shape->direction & (uint8_t)~ACL_ARG_FORM;
}

/* No call has more than two ranges of memory that may be a device's. */
static void shape_of(unsigned api, struct operation_shape *shape)
{
	const struct acl_access_list *list = &acl_access_lists[api];

	for (unsigned i = list->first; i < list->host; i++) {
		const struct acl_access_info *info = &acl_accesses[i];

		if (!access_extent_is_known(info))
			continue;
		if (is_source(api, info) && !shape->src)
			shape->src = info;
		else if (!shape->dst)
			shape->dst = info;
		shape->batch |= info->extent == ACL_EXTENT_EACH;
	}
	shape->touches = shape->src || shape->dst;
	shape->described = acl_apis[api].operation == ACL_OP_COPY_DESCRIBED;
	shape->direction = acl_apis[api].operation_group == ACL_OP_GROUP_COPY
				   ? acl_role_slots[api][ACL_ROLE_KIND]
				   : ACL_ARG_NONE;
	shape->linear = acl_apis[api].operation == ACL_OP_COPY_LINEAR;
	if (shape->linear)
		linear_shape(shape);
}

/* --- one access ------------------------------------------------------------------------- */

static uint64_t rows_span(uint64_t pitch, uint64_t width, uint64_t rows)
{
	uint64_t span;

	if (!rows || !width)
		return 0;
	/* The last row needs only its width; an absurd product touches nothing we could name. */
	if (__builtin_mul_overflow(pitch, rows - 1, &span) || __builtin_add_overflow(span, width, &span))
		return width;
	return span;
}

static void recent_forget(struct recent_blocks *r, uint64_t version)
{
	for (unsigned i = 0; i < RECENT_BLOCKS; i++)
		r->at[i].block.size = 0;
	r->version = version;
}

/* Where it is looked for: blocks at equal distances, whatever these are, lie in different places. */
static inline struct recent_block *recent_of(struct recent_blocks *r, uint64_t address)
{
	return &r->at[(uint32_t)(address >> 9) * UINT32_C(0x9E3779B1) >> (32 - RECENT_LOG)];
}

_Static_assert(offsetof(struct op_access, class) - offsetof(struct op_access, block) ==
			       offsetof(struct recent_block, class) &&
		       ACL_HOST_UNASKED == 0,
	"copied as one");

static inline void access_found(struct op_access *a, const struct recent_block *found, uint64_t version)
{
	a->version = version;
	memcpy(&a->block, found, sizeof(*found));
}

/* By enum acl_memory_kind. */
static const struct {
	uint8_t location, side;
} kinds[] = {
	[MEM_DEVICE] = {ACCESS_DEVICE, PLAIN_DEVICE},
	[MEM_HOST] = {ACCESS_HOST, PLAIN_HOST},
	[MEM_MANAGED] = {ACCESS_DEVICE, PLAIN_NEVER},
	[MEM_POOL] = {ACCESS_DEVICE, PLAIN_NEVER},
	[MEM_IMPORTED] = {ACCESS_DEVICE, PLAIN_NEVER},
	[MEM_MAPPED] = {ACCESS_DEVICE, PLAIN_NEVER},
	[MEM_RESERVED] = {ACCESS_DEVICE, PLAIN_NEVER},
	[MEM_REGISTERED] = {ACCESS_HOST, PLAIN_NEVER},
};

static inline void recent_fill(struct recent_block *r)
{
	r->location = kinds[r->block.kind].location;
	r->side = kinds[r->block.kind].side;
}

/* Where most blocks are that were not used just before: in the run of the last such one. */
static inline __attribute__((always_inline)) bool cursor_look_up(
	struct checks *c, const struct operation *op, struct recent_block *r, uint64_t address)
{
	const struct map_cursor *k = op->cursor;
	struct cursor_block found;

	/* Declared blocks lie inside of others. */
	if (load_acquire(&c->declared) || !map_cursor_find(k, address, &found))
		return false;
	r->block.base = found.base;
	r->block.size = found.size;
	r->block.generation = found.generation;
	r->block.index = found.index;
	r->block.kind = k->kind;
	r->block.block = found.block;
	/* Runs have no registered ranges. */
	r->place = access_place(MEM_DEVICE, found.index, found.base);
	recent_fill(r);
	r->written = r->side == PLAIN_DEVICE ? block_written(c, found.index) : r->side == PLAIN_HOST;
	if (__builtin_expect(map_cursor_found_holds(k), 1))
		return true;
	r->block.size = 0;
	return false;
}

/* As memory_find(). */
static inline bool memory_find_by(
	struct checks *c, struct map_cursor *cursor, uint64_t address, struct block_lookup *found)
{
	if (declared_find(c, address, found))
		return found->block != NULL;
	return map_find_by(memory_blocks(c), cursor, address, found) ||
	       (map_live(registered_ranges(c)) && map_find(registered_ranges(c), address, found));
}

/* Anywhere in the tables. */
static __attribute__((noinline)) bool tables_look_up(
	struct checks *c, struct operation *op, struct recent_block *r, uint64_t address)
{
	if (!memory_find_by(c, op->cursor, address, &r->block)) {
		r->block.size = 0;
		return false;
	}
	r->place = access_place(r->block.kind, r->block.index, r->block.base);
	recent_fill(r);
	/* A word that is far: it is on its way until the rest of the call needs it (access_counts_written()).
	 */
	r->written = r->side == PLAIN_HOST;
	if (r->side == PLAIN_DEVICE)
		__builtin_prefetch(written_word(c, r->block.index));
	return true;
}

/* Where the run of the last block does not lead, or blocks have changed. */
static __attribute__((noinline)) void access_look_up_anew(struct checks *c, struct operation *op,
	struct op_access *a, struct recent_block *recent, uint64_t version)
{
	uint64_t address = (uintptr_t)a->address;

	if (op->recent.version != version)
		recent_forget(&op->recent, version);
	a->location = ACCESS_UNKNOWN;
	if (!a->block.block && a->version == version && a->looked_up == address)
		return;
	if (tables_look_up(c, op, recent, address)) {
		access_found(a, recent, version);
		return;
	}
	a->version = version;
	a->looked_up = address;
	a->block = recent->block;
	a->block.block = NULL;
	a->side = PLAIN_NEVER;
}

static __attribute__((noinline)) void access_look_up(struct checks *c, struct operation *op,
	struct op_access *a, struct recent_block *recent, uint64_t version)
{
	if (cursor_look_up(c, op, recent, (uintptr_t)a->address))
		access_found(a, recent, version);
	else
		access_look_up_anew(c, op, a, recent, version);
}

/* Mostly in the block that it was in in the thread's last call, or in one of the last used. */
static inline __attribute__((always_inline)) void access_locate(
	struct checks *c, struct operation *op, struct op_access *a, uint64_t version)
{
	uint64_t address = (uintptr_t)a->address;
	struct recent_block *recent;

	a->class = ACL_HOST_UNASKED;
	if (a->version == version && address - a->block.base < a->block.size)
		return;
	recent = recent_of(&op->recent, address);
	if (__builtin_expect(op->recent.version != version, 0))
		access_look_up_anew(c, op, a, recent, version);
	else if (address - recent->block.base < recent->block.size)
		access_found(a, recent, version);
	else
		access_look_up(c, op, a, recent, version);
}

const struct recent_block *operation_block(
	struct checks *c, struct operation *op, uint64_t address, uint64_t version, bool *anew)
{
	struct recent_block *recent = recent_of(&op->recent, address);

	if (__builtin_expect(op->recent.version != version, 0))
		recent_forget(&op->recent, version);
	*anew = address - recent->block.base >= recent->block.size;
	if (!*anew || cursor_look_up(c, op, recent, address))
		return recent;
	return tables_look_up(c, op, recent, address) ? recent : NULL;
}

bool access_counts_written(struct checks *c, struct operation *op, struct op_access *a)
{
	struct recent_block *recent = recent_of(&op->recent, (uintptr_t)a->address);

	if (a->side != PLAIN_DEVICE || !block_written(c, a->block.index))
		return false;
	a->written = true;
	if (recent->block.block == a->block.block)
		recent->written = true;
	return true;
}

void access_forget(struct operation *op, struct op_access *a)
{
	struct recent_block *recent = recent_of(&op->recent, (uintptr_t)a->address);

	recent->block.size = 0;
	a->version = 0;
}

/* Where there may be no address. */
static void access_locate_any(struct checks *c, struct operation *op, struct op_access *a)
{
	if (a->address) {
		access_locate(c, op, a, lookup_version(c));
		return;
	}
	a->class = ACL_HOST_UNASKED;
	a->block = (struct block_lookup){0};
	a->version = a->looked_up = 0;
	a->side = PLAIN_NEVER;
	a->location = a->info->extent == ACL_EXTENT_SYMBOL ? ACCESS_DEVICE : ACCESS_UNKNOWN;
}

/* What depends on the function alone. */
static void access_begin(struct op_access *a, unsigned api, const struct acl_access_info *info)
{
	a->info = info;
	a->name = acl_params(&acl_apis[api])[info->param].name;
	a->reads = info->access & ACL_ACCESS_READ;
	a->writes = info->access & ACL_ACCESS_WRITE;
	a->rows = 1;
	a->pitch = 0;
}

static void access_decode(struct checks *c, const struct acl_call_record *call, struct operation *op,
	struct op_access *a, const struct acl_access_info *info)
{
	const void *args = call->args;
	const char *base = acl_slot_pointer(args, info->base);

	if (!acl_access_length(info, args, &a->width))
		a->width = UINT64_MAX;
	a->span = a->width;
	if (info->rows != ACL_ARG_NONE) {
		a->rows = acl_slot_value(args, info->rows);
		a->pitch = acl_slot_value(args, info->pitch);
		a->span = rows_span(a->pitch, a->width, a->rows);
	}
	a->limit = info->limit == ACL_ARG_NONE ? a->span : acl_slot_value(args, info->limit);
	if (info->extent == ACL_EXTENT_SYMBOL)
		base = NULL;
	a->address = base;
	access_locate_any(c, op, a);
}

/* --- batches ---------------------------------------------------------------------------- */

/* The program's arrays, or chunks of them. */
struct batch_chunk {
	const void *addresses[CHUNK];
	size_t bytes[CHUNK], limits[CHUNK];
};

static bool chunk_read(struct checks *c, const void *array, uint64_t at, uint64_t n, void *to)
{
	return array && program_read(c, (const char *)array + at * sizeof(void *), to, n * sizeof(void *));
}

static bool chunk_load(struct checks *c, const struct acl_call_record *call,
	const struct acl_access_info *info, uint64_t at, uint64_t n, struct batch_chunk *chunk)
{
	if (!chunk_read(c, acl_slot_pointer(call->args, info->base), at, n, chunk->addresses) ||
		!chunk_read(c, acl_slot_pointer(call->args, info->bytes), at, n, chunk->bytes))
		return false;
	if (info->limit == ACL_ARG_NONE ||
		!chunk_read(c, acl_slot_pointer(call->args, info->limit), at, n, chunk->limits))
		memcpy(chunk->limits, chunk->bytes, n * sizeof(chunk->bytes[0]));
	return true;
}

static void entry_decode(struct checks *c, const struct acl_call_record *call, struct operation *op,
	struct op_access *a, const struct acl_access_info *info, const struct batch_chunk *chunk, unsigned i)
{
	access_begin(a, call->api, info);
	a->address = chunk->addresses[i];
	a->width = a->span = chunk->bytes[i];
	a->limit = chunk->limits[i];
	access_locate_any(c, op, a);
}

/* One side of all entries; at: 0 = sources, 1 = destinations. Returns how many could be read. */
static uint64_t side_decode(struct checks *c, struct acl_call_record *call, struct operation *op,
	const struct acl_access_info *info, unsigned at)
{
	struct batch_chunk chunk;
	uint64_t done = 0;

	while (done < op->n_entries) {
		uint64_t n = op->n_entries - done < CHUNK ? op->n_entries - done : CHUNK;

		if (!chunk_load(c, call, info, done, n, &chunk))
			break;
		for (unsigned i = 0; i < n; i++)
			entry_decode(c, call, op, &op->access[2 * (done + i) + at], info, &chunk, i);
		done += n;
	}
	return done;
}

/* Room for so many entries; false: no memory. */
static bool operation_grow(struct checks *c, struct operation *op, uint64_t entries)
{
	uint64_t room = op->room ? op->room : 32;
	struct op_access *more;

	if (entries <= op->room)
		return true;
	while (room < entries)
		room *= 2;
	more = checks_alloc(c, 2 * room * sizeof(*more));
	if (!more)
		return false;
	checks_forget(c, op->more, 2 * op->room * sizeof(*more));
	op->more = more;
	op->room = room;
	return true;
}

static void batch_decode(struct checks *c, struct acl_call_record *call, struct operation *op)
{
	const struct acl_access_info *any = op->dst_info ? op->dst_info : op->src_info;
	uint64_t n = acl_slot_value(call->args, any->count), read;

	op->truncated = n > OPERATION_ENTRIES;
	op->n_entries = op->truncated ? OPERATION_ENTRIES : n;
	if (!operation_grow(c, op, op->n_entries)) {
		op->n_entries = 0;
		return;
	}
	op->access = op->more;
	for (unsigned at = 0; at < 2; at++) {
		const struct acl_access_info *info = at ? op->dst_info : op->src_info;

		if (!info)
			continue;
		read = side_decode(c, call, op, info, at);
		op->truncated |= read < op->n_entries;
		op->n_entries = read;
	}
}

/* --- the call --------------------------------------------------------------------------- */

static void single_decode(struct checks *c, struct acl_call_record *call, struct operation *op)
{
	if (op->src_info)
		access_decode(c, call, op, &op->first[0], op->src_info);
	if (op->dst_info)
		access_decode(c, call, op, &op->first[1], op->dst_info);
	op->n_entries = op->first[op->dst_info != NULL].span != 0;
}

static void described_side(
	struct checks *c, struct operation *op, struct op_access *a, const void *address, uint64_t bytes)
{
	a->address = address;
	a->width = a->span = a->limit = bytes;
	access_locate_any(c, op, a);
}

void access_of_range(
	struct checks *c, const struct operation *op, struct op_access *a, const struct task_range *r)
{
	static const struct acl_access_info range = {.param = ACL_CALL_PARAMS, .extent = ACL_EXTENT_RANGE};

	/* A hint may do both. */
	*a = (struct op_access){.info = &range,
		.name = r->name,
		.rows = 1,
		.reads = (r->flags & ~ACCESS_WRITES) != 0,
		.writes = (r->flags & (ACCESS_WRITES | ACCESS_HINT)) != 0};
	/* Without memory for the operation nothing is looked up. */
	if (op->cursor)
		described_side(c, (struct operation *)op, a, r->at, r->bytes);
}

/* The ranges have the names that the call had for them that filled the descriptor in. */
static void described_decode(struct checks *c, const struct acl_call_record *call, struct operation *op)
{
	struct described_copy copy;
	const struct operation_shape *filling;

	if (!described_copy(c, call, &copy))
		return;
	filling = &operations(c)->shapes[copy.api];
	op->src_info = filling->src;
	op->dst_info = filling->dst;
	if (!op->src_info || !op->dst_info)
		return;
	access_begin(&op->first[0], copy.api, op->src_info);
	access_begin(&op->first[1], copy.api, op->dst_info);
	op->first[0].reads = op->first[1].writes = true;
	described_side(c, op, &op->first[0], copy.src, copy.bytes);
	described_side(c, op, &op->first[1], copy.dst, copy.bytes);
	op->n_entries = 1;
}

static inline uint64_t argument(const void *args, uint8_t slot)
{
	uint64_t v;

	memcpy(&v, (const char *)args + slot, sizeof(v));
	return v;
}

/* The arguments of nearly all copies: two pointers and a size. */
static inline __attribute__((always_inline)) void linear_arguments(
	const struct acl_call_record *call, struct operation *op, const struct operation_shape *shape)
{
	struct op_access *src = &op->first[0], *dst = &op->first[1];
	uint64_t bytes = argument(call->args, shape->slot.bytes);
	int32_t direction;

	memcpy(&direction, (const char *)call->args + shape->slot.direction, sizeof(direction));
	op->direction = direction;
	src->address = (const void *)(uintptr_t)argument(call->args, shape->slot.src);
	dst->address = (const void *)(uintptr_t)argument(call->args, shape->slot.dst);
	src->width = src->span = src->limit = bytes;
	dst->width = dst->span = bytes;
	dst->limit = argument(call->args, shape->slot.limit);
	op->n_entries = bytes != 0;
}

static inline __attribute__((always_inline)) void linear_decode(struct checks *c,
	const struct acl_call_record *call, struct operation *op, const struct operation_shape *shape)
{
	uint64_t version = lookup_version(c);

	linear_arguments(call, op, shape);
	access_locate(c, op, &op->first[0], version);
	access_locate(c, op, &op->first[1], version);
}

/* What depends on the function alone. */
static void operation_begin(struct operation *op, const struct operation_shape *shape, unsigned api)
{
	op->api = (uint16_t)api;
	op->shape = shape;
	op->kind = acl_apis[api].operation;
	op->group = acl_apis[api].operation_group;
	op->async = acl_apis[api].mode == ACL_MODE_ASYNC;
	op->batch = shape->batch;
	op->src_info = shape->src;
	op->dst_info = shape->dst;
	if (shape->src && !shape->batch)
		access_begin(&op->first[0], api, shape->src);
	if (shape->dst && !shape->batch)
		access_begin(&op->first[1], api, shape->dst);
}

static struct operation *operation_create(struct checks *c, struct acl_thread *t)
{
	struct operation *op = checks_alloc(c, sizeof(*op));

	if (!op)
		return NULL;
	op->cursor = checks_alloc(c, sizeof(*op->cursor));
	if (!op->cursor) {
		checks_forget(c, op, sizeof(*op));
		return NULL;
	}
	t->operation = op;
	op->api = ACL_API_COUNT;
	op->serial = 1; /* 0: of calls that are not decoded */
	return op;
}

struct operation *operation_prepare(struct checks *c, struct acl_call_record *call)
{
	struct acl_thread *t = thread_of(call);
	struct operation *op = t->operation ? t->operation : operation_create(c, t);

	if (op && op->api != call->api)
		operation_begin(op, &operations(c)->shapes[call->api], call->api);
	return op;
}

static __attribute__((noinline)) void decode(
	struct checks *c, struct acl_call_record *call, struct operation *op)
{
	const struct operation_shape *shape = op->shape;

	call->state.operation = ++op->serial;
	op->truncated = false;
	op->n_entries = 0;
	op->access = op->first;
	op->direction = shape->direction == ACL_ARG_NONE ? ACL_MEMCPY_DEFAULT
							 : (int)acl_slot_value(call->args, shape->direction);
	if (shape->linear)
		linear_decode(c, call, op, shape);
	else if (shape->batch)
		batch_decode(c, call, op);
	else if (shape->touches)
		single_decode(c, call, op);
	else if (shape->described)
		described_decode(c, call, op);
}

const struct operation *operation_decode(struct checks *c, struct acl_call_record *call)
{
	static const struct operation nothing;
	struct operation *op = operation_prepare(c, call);

	if (!op)
		return &nothing;
	decode(c, call, op);
	return op;
}

void access_classify(struct checks *c, struct acl_call_record *call, struct op_access *a)
{
	unsigned param = a->info->extent == ACL_EXTENT_EACH ? ACL_CALL_PARAMS : a->info->param;

	if (a->location != ACCESS_UNKNOWN || a->class != ACL_HOST_UNASKED || !a->address)
		return;
	a->class = host_class(c, call, param, a->address);
	if (a->class > ACL_HOST_UNKNOWN)
		a->location = ACCESS_PAGEABLE;
}

/* --- calls that no rule has anything to say of ------------------------------------------------ */

/* Sides of source and destination, by aclrtMemcpyKind. */
#define SIDES(src, dst) ((src) | (dst) << 4)
static const uint8_t sides_said[] = {
	[ACL_MEMCPY_HOST_TO_HOST] = SIDES(PLAIN_HOST, PLAIN_HOST),
	[ACL_MEMCPY_HOST_TO_DEVICE] = SIDES(PLAIN_HOST, PLAIN_DEVICE),
	[ACL_MEMCPY_DEVICE_TO_HOST] = SIDES(PLAIN_DEVICE, PLAIN_HOST),
	[ACL_MEMCPY_DEVICE_TO_DEVICE] = SIDES(PLAIN_DEVICE, PLAIN_DEVICE),
};

/* The side of the memory is the one the call says. */
static inline bool direction_fits(const struct operation *op)
{
	return (unsigned)op->direction < sizeof(sides_said) &&
	       sides_said[op->direction] == SIDES(op->first[0].side, op->first[1].side) &&
	       !(op->async && op->direction == ACL_MEMCPY_HOST_TO_HOST);
}

static inline bool fits(const struct op_access *a)
{
	return a->span <= access_room(a) && a->limit == a->span;
}

static inline bool aligned(const struct operation *op)
{
	return !op->async ||
	       !(((uintptr_t)op->first[0].address | (uintptr_t)op->first[1].address) & (ALIGNMENT - 1));
}

static bool lies_on(const struct op_access *a, int device)
{
	return a->side != PLAIN_DEVICE || load_relaxed(&a->block.block->device) == device;
}

int device_used(struct checks *c, const struct acl_call_record *call)
{
	struct acl_thread *t = thread_of(call);
	int device = load_relaxed(&t->device);

	/* Mostly the thread works in the default context of its device. */
	if (load_relaxed(&t->context) || load_relaxed(&t->context_unknown))
		device = device_current(c, t);
	return stream_of(call) && load_relaxed(&stream_of(call)->device) != device ? -1 : device;
}

/* With several devices in use: stream, thread and memory are of one. */
static __attribute__((noinline)) bool on_one_device(
	struct checks *c, const struct acl_call_record *call, const struct operation *op)
{
	int device = device_used(c, call);

	return device >= 0 && lies_on(&op->first[0], device) && lies_on(&op->first[1], device);
}

static inline __attribute__((always_inline)) void plain_copy_decide(
	struct checks *c, struct acl_call_record *call, const struct operation *op)
{
	if (!op->n_entries || !direction_fits(op) || !fits(&op->first[0]) || !fits(&op->first[1]) ||
		call->state.capture || runs_on_device(c))
		return;
	if (__builtin_expect(checks_happened(c, WHEN_DEVICES), 0) && !on_one_device(c, call, op))
		return;
	call->plain = true;
	if (__builtin_expect(!aligned(op), 0))
		call->misaligned = true;
	call->state.evaluated |=
		op->async ? EVALUATED_PLAIN_COPY | EVALUATED_PLAIN_ASYNC : EVALUATED_PLAIN_COPY;
}

static __attribute__((noinline)) void plain_copy_look(struct checks *c, struct acl_call_record *call)
{
	plain_copy_decide(c, call, operation_decode(c, call));
}

/*
 * Nearly every copy: decided once, so that the rules about its memory need not look.
 * Here those of the same function as the thread's last.
 */
static void plain_copy_enter(struct checks *c, struct acl_call_record *call)
{
	struct operation *op = thread_of(call)->operation;

	if (__builtin_expect(!op || op->api != call->api, 0)) {
		plain_copy_look(c, call);
		return;
	}
	call->state.operation = ++op->serial;
	linear_decode(c, call, op, op->shape);
	plain_copy_decide(c, call, op);
}

bool access_touches(const struct op_access *a, uint64_t address, uint64_t size)
{
	uint64_t begin = (uintptr_t)a->address, row;

	if (begin >= address + size || begin + a->span <= address)
		return false;
	if (a->rows < 2 || a->pitch <= a->width || address < begin)
		return true;
	row = (address - begin) / a->pitch;
	return begin + row * a->pitch + a->width > address ||
	       (row + 1 < a->rows && begin + (row + 1) * a->pitch < address + size);
}

bool access_goes_on(struct checks *c, const struct op_access *a, struct block_lookup *place)
{
	uint64_t at = place->base + place->size;

	return place->kind == MEM_MAPPED && at < (uintptr_t)a->address + a->span &&
	       (a->rows < 2 || a->pitch <= a->width) && map_find(memory_blocks(c), at, place) &&
	       place->base == at;
}

static bool operations_create(struct checks *c)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		shape_of(api, &operations(c)->shapes[api]);
	return true;
}

static const struct check_hook hooks[] = {
	{ON_OP(COPY_LINEAR), ACL_ENTER | ACL_DECIDES, plain_copy_enter},
	{ON_OP(COPY_BATCH), ACL_ENTER | ACL_DECIDES, plain_batch_enter},
};

const struct check_module module_operation = {
	.state_size = sizeof(struct operation_state),
	.order = 11, /* after all state that an access is looked up in */
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = operations_create,
};
