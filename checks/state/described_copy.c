/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What descriptors of copies hold.  It counts as known from the call that fills one in up to the first that
 * may write there as well: a call whose range touches the descriptors of that memory, or a task of which it
 * is not known what it writes.
 */
#include "checks/state/described_copy.h"
#include "checks/engine/value_table.h"
#include "checks/state/descriptor_state.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/pending_access.h"
#include "checks/state/stream_state.h"
#include "checks/state/used_memory.h"
#include "checks/state/written_state.h"

#define UNKNOWN_BYTES 256 /* of a descriptor whose size was not queried: more than any has */

/* What is kept by descriptor_key(), … */
enum described_field { FIELD_SRC, FIELD_DST, FIELD_API, FIELD_STAMP, FIELD_BYTES };
/* … and by memory, as block_ref(). */
enum memory_field {
	MEMORY_FIRST = 16,
	MEMORY_END,
	MEMORY_WRITES,
	MEMORY_SHARED,
	/* Of the last set that went over descriptors; END 0 = one was filled in there since. */
	MEMORY_CLEARED,
	MEMORY_CLEARED_END,
	MEMORY_CLEARED_ON, /* its stream, as object_ref(), 0 = it was synchronous */
	MEMORY_CLEARED_STAMP
};

struct described_copies {
	struct value_table known;
};

static struct value_table *known(struct checks *c)
{
	return &((struct described_copies *)module_state(c, described_copy))->known;
}

static uint64_t field(struct checks *c, uint64_t of, unsigned which)
{
	return value_table_value(known(c), key_of_two(of, which));
}

static uint64_t memory_of(const struct block_lookup *place)
{
	return block_ref(place->block, place->generation, place->kind == MEM_REGISTERED);
}

/* Of a descriptor in that memory: the next memory at its address has none. */
static uint64_t descriptor_key(uint64_t memory, const void *descriptor)
{
	return key_of_two(memory, (uintptr_t)descriptor);
}

static bool field_set(struct checks *c, uint64_t memory, uint64_t of, unsigned which, uint64_t value)
{
	return value_table_set_of(c, known(c), memory, key_of_two(of, which), value);
}

/* Changes with everything that may have written descriptors in that memory. */
static uint64_t stamp_now(struct checks *c, uint64_t memory)
{
	return field(c, memory, MEMORY_WRITES) << 32 | (unseen_writers(c) & UINT32_MAX);
}

/* --- filled in ----------------------------------------------------------------------------------------- */

/* Device memory that this process alone writes, and that the host does not. */
static bool memory_is_own(struct checks *c, const void *descriptor, struct block_lookup *place)
{
	return !runs_on_device(c) && map_find(memory_blocks(c), (uintptr_t)descriptor, place) &&
	       place->kind == MEM_DEVICE && !field(c, memory_of(place), MEMORY_SHARED);
}

static uint64_t described_end(struct checks *c, const struct acl_call_record *call, const void *descriptor)
{
	uint64_t bytes = descriptor_bytes(c, call);

	return (uintptr_t)descriptor + (bytes ? bytes : UNKNOWN_BYTES);
}

/* A task that was submitted before may still write it. */
static bool still_written(struct checks *c, const struct acl_call_record *call, const void *descriptor)
{
	struct access_question q = {.start = (uintptr_t)descriptor,
		.end = described_end(c, call, descriptor),
		.device = -1,
		.not_device = -1};
	struct access_conflict x;
	unsigned compared;

	return unseen_writer_pending(c) || access_in_flight(c, &q, &x, &compared);
}

/* What the call itself got wrong is said of it, and not once more of each copy. */
static bool range_is_right(const struct op_access *a)
{
	return a && a->address && a->block.block && a->span <= access_room(a) && a->span <= UINT32_MAX;
}

/* Where in that memory descriptors are. */
static bool bounds_widen(struct checks *c, uint64_t memory, uint64_t start, uint64_t end)
{
	uint64_t first = field(c, memory, MEMORY_FIRST);

	return ((first && first <= start) || field_set(c, memory, memory, MEMORY_FIRST, start)) &&
	       (field(c, memory, MEMORY_END) >= end || field_set(c, memory, memory, MEMORY_END, end));
}

static void filled_keep(struct checks *c, const struct acl_call_record *call,
	const struct block_lookup *place, const void *descriptor, const struct op_entry *e)
{
	uint64_t memory = memory_of(place), key = descriptor_key(memory, descriptor);

	if (bounds_widen(c, memory, (uintptr_t)descriptor, described_end(c, call, descriptor)) &&
		field_set(c, memory, key, FIELD_SRC, (uintptr_t)e->src->address) &&
		field_set(c, memory, key, FIELD_DST, (uintptr_t)e->dst->address) &&
		field_set(c, memory, key, FIELD_API, call->api) &&
		field_set(c, memory, key, FIELD_STAMP, stamp_now(c, memory)))
		field_set(c, memory, key, FIELD_BYTES, e->src->span);
}

static bool clears(struct checks *c, uint64_t memory, const void *descriptor)
{
	return field(c, memory, MEMORY_CLEARED) <= (uintptr_t)descriptor &&
	       field(c, memory, MEMORY_CLEARED_END) > (uintptr_t)descriptor;
}

static void descriptor_filled_leave(struct checks *c, struct acl_call_record *call)
{
	const void *descriptor = acl_arg_pointer(call->api, call->args, ACL_ROLE_DESCRIPTOR);
	const struct operation *op;
	struct block_lookup place;
	struct op_entry e;
	uint64_t memory;

	if (!descriptor || !memory_is_own(c, descriptor, &place))
		return;
	/* What was there is gone, or may be. */
	memory = memory_of(&place);
	field_set(c, memory, descriptor_key(memory, descriptor), FIELD_BYTES, 0);
	if (clears(c, memory, descriptor))
		field_set(c, memory, memory, MEMORY_CLEARED_END, 0);
	op = operation_of(c, call);
	if (!succeeded(call) || !op->n_entries)
		return;
	e = operation_entry(op, 0);
	checks_when(c, WHEN_DESCRIBED);
	unseen_writers_watch(c);
	if (range_is_right(e.src) && range_is_right(e.dst) && !still_written(c, call, descriptor))
		filled_keep(c, call, &place, descriptor, &e);
}

/* --- written by others ------------------------------------------------------------------------------------
 */

static void written_at(
	struct checks *c, const struct block_lookup *place, uint64_t start, uint64_t span, unsigned which)
{
	uint64_t memory = memory_of(place);

	if (which == MEMORY_SHARED)
		field_set(c, memory, memory, which, 1);
	if (start < field(c, memory, MEMORY_END) && start + span > field(c, memory, MEMORY_FIRST))
		field_set(c, memory, memory, MEMORY_WRITES, field(c, memory, MEMORY_WRITES) + 1);
}

/* Declared blocks lie inside of others. */
static void range_written(struct checks *c, const void *address, uint64_t span, unsigned which)
{
	struct block_lookup place;

	if (address && map_find(memory_blocks(c), (uintptr_t)address, &place) && place.kind == MEM_DEVICE &&
		(which == MEMORY_SHARED || load_relaxed(&place.block->marks) & BLOCK_DESCRIBED))
		written_at(c, &place, (uintptr_t)address, span, which);
}

static void access_writes_enter(struct checks *c, struct acl_call_record *call)
{
	struct used_memory m;
	const struct op_access *a;

	used_memory_each(c, call, &m, a)
	{
		if (a->writes)
			range_written(c, a->address, a->span, MEMORY_WRITES);
	}
}

static void described_copies_bind(
	void (*add)(void *binder, unsigned api, enum acl_phase, check_hook_fn), void *binder)
{
	used_memory_bind(add, binder, MEMORY_WRITTEN, ACL_ENTER | ACL_WHEN(DESCRIBED), access_writes_enter);
}

/* All bytes of a set are the same: what it went over is no descriptor any more. */
static void set_leave(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);
	const struct op_access *a = op->n_entries ? operation_entry(op, 0).dst : NULL;
	struct block_lookup place;
	uint64_t memory;

	if (!a || !a->span || !succeeded(call) || (op->async && !task_runs_now(c, call)) ||
		!memory_is_own(c, a->address, &place))
		return;
	memory = memory_of(&place);
	if (!field(c, memory, MEMORY_END))
		return;
	unseen_writers_watch(c);
	field_set(c, memory, memory, MEMORY_CLEARED, (uintptr_t)a->address);
	field_set(c, memory, memory, MEMORY_CLEARED_ON, op->async ? object_ref(stream_of(call)) : 0);
	field_set(c, memory, memory, MEMORY_CLEARED_STAMP, stamp_now(c, memory));
	field_set(c, memory, memory, MEMORY_CLEARED_END, (uintptr_t)a->address + a->span);
}

/* Another process, or another device, may write it from now on. */
static void memory_shared_enter(struct checks *c, struct acl_call_record *call)
{
	range_written(c, acl_arg_pointer(call->api, call->args, ACL_ROLE_ADDRESS), UINT32_MAX, MEMORY_SHARED);
}

/* A descriptor of another kind. */
static void other_descriptor_enter(struct checks *c, struct acl_call_record *call)
{
	const void *descriptor = acl_arg_pointer(call->api, call->args, ACL_ROLE_DESCRIPTOR);

	range_written(
		c, descriptor, described_end(c, call, descriptor) - (uintptr_t)descriptor, MEMORY_WRITES);
}

/* --- what a copy does
 * --------------------------------------------------------------------------------------- */

bool described_copy(struct checks *c, const struct acl_call_record *call, struct described_copy *out)
{
	const void *descriptor = acl_arg_pointer(call->api, call->args, ACL_ROLE_DESCRIPTOR);
	struct block_lookup place;
	uint64_t memory, key;

	/* Of a captured copy the descriptor is read when the model runs. */
	if (!checks_happened(c, WHEN_DESCRIBED) || !descriptor || call->state.capture ||
		other_submitters_possible(c, CHECKS_OTHER_WORK) || !memory_is_own(c, descriptor, &place))
		return false;
	memory = memory_of(&place);
	key = descriptor_key(memory, descriptor);
	out->bytes = field(c, key, FIELD_BYTES);
	out->src = (const void *)(uintptr_t)field(c, key, FIELD_SRC);
	out->dst = (const void *)(uintptr_t)field(c, key, FIELD_DST);
	out->api = (uint16_t)field(c, key, FIELD_API);
	return out->bytes && field(c, key, FIELD_STAMP) == stamp_now(c, memory);
}

bool descriptor_is_cleared(struct checks *c, const struct acl_call_record *call)
{
	const void *descriptor = acl_arg_pointer(call->api, call->args, ACL_ROLE_DESCRIPTOR);
	struct block_lookup place;
	uint64_t memory, on;

	if (!checks_happened(c, WHEN_DESCRIBED) || !descriptor || call->state.capture ||
		other_submitters_possible(c, CHECKS_OTHER_WORK) || !memory_is_own(c, descriptor, &place))
		return false;
	memory = memory_of(&place);
	on = field(c, memory, MEMORY_CLEARED_ON);
	return clears(c, memory, descriptor) && (!on || on == object_ref(stream_of(call))) &&
	       field(c, memory, MEMORY_CLEARED_STAMP) == stamp_now(c, memory);
}

static const struct check_hook hooks[] = {
	{ON_OP(DESCRIBE_COPY), ACL_LEAVE, descriptor_filled_leave},
	{ON_OP(DESCRIBE_CACHE), ACL_ENTER | ACL_WHEN(DESCRIBED), other_descriptor_enter},
	{ON_GROUP(SET), ACL_LEAVE | ACL_WHEN(DESCRIBED), set_leave},
	{ON_OP(EXPORT_MEMORY), ACL_ENTER, memory_shared_enter},
	{ON_OP(MAP_PEER), ACL_ENTER, memory_shared_enter},
};

const struct check_module module_described_copy = {
	.order = 30, /* after what is written and in flight */
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = described_copies_bind,
	.state_size = sizeof(struct described_copies),
};
