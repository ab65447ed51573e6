/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks as they are submitted: which accesses to memory are in flight with them. */
#include "checks/state/binding_state.h"
#include "checks/state/declared_kernel.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/order_state.h"
#include "checks/state/pending_change.h"
#include "checks/state/pending_inside.h"
#include "checks/state/stream_change.h"
#include "checks/state/task_range.h"

/* The task is captured, updates a model or may: then it does not run now. */
static inline bool runs_with_model(struct checks *c, const struct acl_call_record *call, struct acl_object *s)
{
	return call->state.capture ||
	       (load_relaxed(&stream_state(s)->uncertain) &&
		       (load_relaxed(&stream_state(s)->update) != UPDATE_NONE ||
			       load_relaxed(&stream_state(s)->capture_unsure) || binding_of(c, s)));
}

bool task_runs_now(struct checks *c, const struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	return s && call->state.position && !runs_with_model(c, call, s);
}

static inline bool task_begin(struct checks *c, const struct acl_call_record *call, struct entering *e)
{
	struct acl_object *s = stream_of(call);

	return s && call->state.position && !runs_with_model(c, call, s) && entering_begin(c, call, e);
}

/* --- copies, sets, reductions, prefetches, the overflow status, words --------------------------------------
 */

static __attribute__((noinline)) void further_mappings_add(
	struct entering *e, const struct op_access *a, unsigned flags)
{
	struct block_lookup place = a->block;

	for (unsigned i = 0; i < ACCESS_MAPPINGS && access_goes_on(e->c, a, &place); i++)
		entering_add(e, &place, place.base, access_end_in(a, &place) - place.base, 0, 0, flags);
}

static void access_add(
	struct entering *e, const struct acl_call_record *call, const struct op_access *a, unsigned flags)
{
	struct block_lookup place;
	uint64_t start;
	bool rows;

	if (!a || !access_memory(e->c, call, a, &place, &start))
		return;
	rows = a->rows > 1 && a->pitch > a->width;
	entering_add(e, &place, start, a->span, rows ? a->pitch : 0, rows ? a->width : 0, flags);
	if (__builtin_expect(a->block.kind == MEM_MAPPED && a->span > access_room(a), 0))
		further_mappings_add(e, a, flags);
}

/* One that access_enter_at_once() has entered. */
static void access_added(
	struct entering *e, const struct acl_call_record *call, const struct op_access *a, unsigned flags)
{
	(void)call; /* It was looked up. */
	entering_added(e, &a->block, (uintptr_t)a->address, a->span, flags);
}

static void task_ranges_add(struct checks *c, const struct acl_call_record *call, struct entering *e);

/* sides: enum access_flag of those that are not entered yet; the others have only models to meet. */
static __attribute__((noinline)) void memory_task_all(
	struct checks *c, struct acl_call_record *call, const struct operation *op, unsigned sides)
{
	struct entering e;

	if (!entering_begin(c, call, &e))
		return;
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry entry = operation_entry(op, i);

		if (!entry_runs_later(c, op, &entry))
			continue;
		if (source_flags(op))
			(sides & ACCESS_READS ? access_add : access_added)(
				&e, call, entry.src, source_flags(op));
		(sides & ACCESS_WRITES ? access_add : access_added)(
			&e, call, entry.dst, destination_flags(op));
	}
	if (op->kind == ACL_OP_COPY_DESCRIBED || op->kind == ACL_OP_COPY_INDIRECT)
		task_ranges_add(c, call, &e);
	entering_end(&e, call);
}

/* What access_enter_at_once() leaves of a copy: enum access_flag. hint: 0, or ACCESS_HINT. */
static inline unsigned copy_enter_at_once(struct pending_state *pending, const struct acl_call_record *call,
	const struct operation *op, unsigned hint)
{
	unsigned left = 0;

	if (!access_enter_at_once(pending, call, &op->first[0], ACCESS_READS | hint))
		left = ACCESS_READS;
	if (!access_enter_at_once(pending, call, &op->first[1], ACCESS_WRITES | hint))
		left |= ACCESS_WRITES;
	return left;
}

/* A plain copy on a stream that may come behind what is not seen, or beside models that run. */
static bool uncertain_copy(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = thread_of(call)->operation;
	struct acl_object *s = stream_of(call);
	unsigned left;
	bool hidden;

	if (!call->plain || op->batch || runs_with_model(c, call, s))
		return false;
	hidden = order_unseen(c, s);
	left = copy_enter_at_once(pending_state(c), call, op, hidden ? ACCESS_HINT : 0);
	if (left || (!hidden && load_relaxed(&stream_state(s)->ask) & ASK_REPLAYS))
		memory_task_all(c, call, op, left);
	return true;
}

/* Any task. */
static __attribute__((noinline)) void memory_task_look(struct checks *c, struct acl_call_record *call)
{
	const struct plain_batch *batch = plain_batch_of(call);
	struct entering e;

	if (uncertain_copy(c, call))
		return;
	if (batch && task_begin(c, call, &e)) {
		entering_add_ranges(&e, &batch->reads, ACCESS_READS);
		entering_add_ranges(&e, &batch->writes, ACCESS_WRITES);
		entering_end(&e, call);
	} else if (!batch && !runs_with_model(c, call, stream_of(call)))
		memory_task_all(c, call, operation_of(c, call), ACCESS_READS | ACCESS_WRITES);
}

/* A copy from one known range to another, both in memory that is there: plain or not, it is entered alike. */
static inline bool is_between_blocks(
	struct checks *c, const struct acl_call_record *call, const struct operation *op)
{
	const struct op_access *src, *dst;

	if (!op || op->serial != call->state.operation)
		return false;
	src = &op->first[0];
	dst = &op->first[1];
	return op->kind == ACL_OP_COPY_LINEAR && op->n_entries && src->block.block && dst->block.block &&
	       !call->state.capture && op->direction != ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE &&
	       src->span <= access_room(src) && dst->span <= access_room(dst) &&
	       !mapped_again(c, &src->block) && !mapped_again(c, &dst->block);
}

static void memory_task_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	const struct operation *op = thread_of(call)->operation;
	struct pending_state *pending = pending_state(c);
	unsigned left;

	/* Only on a stream has it a position. */
	if (!call->state.position || !pending->followed)
		return;
	if (__builtin_expect((!call->plain && !is_between_blocks(c, call, op)) || op->batch ||
				     load_relaxed(&stream_state(s)->uncertain),
		    0)) {
		memory_task_look(c, call);
		return;
	}
	/* Nearly every copy is one that its stream has made before, or the first to its block. */
	left = copy_enter_at_once(pending, call, op, 0);
	if (__builtin_expect(left != 0, 0))
		memory_task_all(c, call, op, left);
}

/* A word is a hint, which nothing is compared with. */
static void word_task_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op;
	const struct op_access *a;

	if (!call->state.position || !pending_state(c)->followed || runs_with_model(c, call, stream_of(call)))
		return;
	op = operation_of(c, call);
	a = op->src_info ? &op->first[0] : &op->first[1];
	if (op->n_entries && a->block.block && a->span <= access_room(a) &&
		!access_enter_at_once(pending_state(c), call, a, ACCESS_HINT))
		memory_task_all(c, call, op, ACCESS_READS | ACCESS_WRITES);
}

/* A copy that may have been done at once, after all that was on the stream. */
static void pageable_leave(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);

	if (!stream_of(call) || !call->state.position || !succeeded(call))
		return;
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (!may_be_pageable(c, e.src) && !may_be_pageable(c, e.dst))
			continue;
		stream_signals_host(c, stream_of(call), call->state.position);
		return;
	}
}

static void take_back(struct checks *c, const struct acl_call_record *call, const struct op_access *a)
{
	struct block_lookup place;
	uint64_t at;

	if (!a || !a->span || !access_memory(c, call, a, &place, &at))
		return;
	access_take_back(c, call, &place, at, a->span);
	for (unsigned i = 0; i < ACCESS_MAPPINGS && access_goes_on(c, a, &place); i++)
		access_take_back(c, call, &place, place.base, (uintptr_t)a->address + a->span - place.base);
}

/* Nothing was submitted. */
static void memory_task_failed(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op;

	if (!stream_of(call) || !call->state.position)
		return;
	op = operation_of(c, call);
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		take_back(c, call, e.src);
		take_back(c, call, e.dst);
	}
}

/* --- descriptors ------------------------------------------------------------------------------------------
 */

/* As much of it as belongs to one block. */
static bool range_lookup(struct checks *c, const void *at, uint64_t *bytes, struct block_lookup *place)
{
	uint64_t room;

	if (!map_find(memory_blocks(c), (uintptr_t)at, place))
		return false;
	room = place->size - ((uintptr_t)at - place->base);
	if (*bytes > room)
		*bytes = room;
	return true;
}

static void task_range_add(
	struct checks *c, struct entering *e, const void *at, uint64_t bytes, unsigned flags)
{
	struct block_lookup place;

	if (range_lookup(c, at, &bytes, &place))
		entering_add(e, &place, (uintptr_t)at, bytes, 0, 0, flags);
}

static void range_take_back(
	struct checks *c, const struct acl_call_record *call, const void *at, uint64_t bytes)
{
	struct block_lookup place;

	if (range_lookup(c, at, &bytes, &place))
		access_take_back(c, call, &place, (uintptr_t)at, bytes);
}

static void task_ranges_add(struct checks *c, const struct acl_call_record *call, struct entering *e)
{
	struct task_range r[TASK_RANGES];
	unsigned n = task_ranges(c, call, r);

	for (unsigned i = 0; i < n; i++)
		task_range_add(c, e, r[i].at, r[i].bytes, r[i].flags);
}

/* Not a copy. */
static void ranges_task_enter(struct checks *c, struct acl_call_record *call)
{
	struct entering e;

	if (!task_begin(c, call, &e))
		return;
	task_ranges_add(c, call, &e);
	entering_end(&e, call);
}

static void ranges_task_failed(struct checks *c, struct acl_call_record *call)
{
	struct task_range r[TASK_RANGES];
	unsigned n = stream_of(call) && call->state.position ? task_ranges(c, call, r) : 0;

	for (unsigned i = 0; i < n; i++)
		range_take_back(c, call, r[i].at, r[i].bytes);
}

/* --- arguments of kernels ------------------------------------------------------------------------------ */

static const char arguments_note;

/* In device memory: the kernel reads them when it runs. Mostly no task has anything to do with the block. */
static void arguments_task_enter(struct checks *c, struct acl_call_record *call)
{
	const void *at = acl_arg_pointer(call->api, call->args, ACL_ROLE_DEVICE_ARGUMENTS);
	const struct block_lookup *place = at ? allocation_at(c, call, at, 0) : NULL;
	struct acl_object *s = stream_of(call);
	struct entering e;

	if (!place || !s || !accesses_of_others(c, place, object_ref(s)) || kernel_accesses(call) ||
		!task_begin(c, call, &e))
		return;
	task_range_add(
		c, &e, at, acl_arg_value(call->api, call->args, ACL_ROLE_ARGUMENT_BYTES), ACCESS_READS);
	entering_end(&e, call);
	call_note_set(call, &arguments_note, true);
}

/* What comes behind the launch is compared with the latest launches (launch_argument_block.c). */
static void arguments_task_done(struct checks *c, struct acl_call_record *call)
{
	if (call_note(call, &arguments_note))
		range_take_back(c, call, acl_arg_pointer(call->api, call->args, ACL_ROLE_DEVICE_ARGUMENTS),
			acl_arg_value(call->api, call->args, ACL_ROLE_ARGUMENT_BYTES));
}

/* --- memory of pools
 * ----------------------------------------------------------------------------------------- */

/* It is there from the allocation's place in the stream on, … */
void pending_pool_allocated(
	struct checks *c, const struct acl_call_record *call, const struct block_lookup *place)
{
	struct entering e;

	if (!task_begin(c, call, &e))
		return;
	entering_add(&e, place, place->base, place->size, 0, 0, ACCESS_WRITES | ACCESS_ALLOCATES);
}

/* … up to the release's. */
static void pool_free_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_block *b = call->state.releasing;
	struct block_lookup place;
	struct entering e;

	if (!b || !map_find(memory_blocks(c), load_relaxed(&b->base), &place) || place.block != b ||
		place.kind != MEM_POOL || !task_begin(c, call, &e))
		return;
	entering_add(&e, &place, place.base, place.size, 0, 0, ACCESS_WRITES | ACCESS_ALLOCATES);
	entering_end(&e, call);
}

static void pool_free_failed(struct checks *c, struct acl_call_record *call)
{
	struct acl_block *b = call->state.releasing;
	struct block_lookup place;

	if (!b || !stream_of(call) || !call->state.position)
		return;
	place = block_found(b, call->state.releasing_generation);
	access_take_back(c, call, &place, place.base, place.size);
}

static const struct check_hook hooks[] = {
	{ON_GROUP(COPY), ACL_ENTER | ACL_IF_ASYNC, memory_task_enter},
	{ON_GROUP(SET), ACL_ENTER | ACL_IF_ASYNC, memory_task_enter},
	{ON_GROUP(REDUCE), ACL_ENTER | ACL_IF_ASYNC, memory_task_enter},
	{ON_GROUP(COPY), ACL_LEAVE | ACL_IF_ASYNC | ACL_UNLESS_PLAIN, pageable_leave},
	{ON_GROUP(COPY), ACL_FAILED | ACL_IF_ASYNC, memory_task_failed},
	{ON_GROUP(SET), ACL_FAILED | ACL_IF_ASYNC, memory_task_failed},
	{ON_GROUP(REDUCE), ACL_FAILED | ACL_IF_ASYNC, memory_task_failed},
	{ON_OP(CACHE_MAINTAIN), ACL_ENTER | ACL_IF_ASYNC, memory_task_enter},
	{ON_OP(CACHE_MAINTAIN), ACL_FAILED | ACL_IF_ASYNC, memory_task_failed},
	{ON_OP(MANAGED_PREFETCH), ACL_ENTER | ACL_IF_ASYNC, memory_task_enter},
	{ON_OP(MANAGED_PREFETCH), ACL_FAILED | ACL_IF_ASYNC, memory_task_failed},
	{ON_OP(MANAGED_PREFETCH_BATCH), ACL_ENTER | ACL_IF_ASYNC, memory_task_enter},
	{ON_OP(MANAGED_PREFETCH_BATCH), ACL_FAILED | ACL_IF_ASYNC, memory_task_failed},
	{ON_OP(OVERFLOW_READ), ACL_ENTER | ACL_IF_ASYNC, memory_task_enter},
	{ON_OP(OVERFLOW_READ), ACL_FAILED | ACL_IF_ASYNC, memory_task_failed},
	{ON_OP(WRITE_VALUE), ACL_ENTER, word_task_enter},
	{ON_OP(WRITE_VALUE), ACL_FAILED, memory_task_failed},
	{ON_OP(WAIT_VALUE), ACL_ENTER, word_task_enter},
	{ON_OP(WAIT_VALUE), ACL_FAILED, memory_task_failed},
	{ON_OP(COPY_DESCRIBED), ACL_FAILED, ranges_task_failed},
	{ON_OP(COPY_INDIRECT), ACL_FAILED, ranges_task_failed},
	{ON_OP(CACHE_DESCRIBED), ACL_ENTER, ranges_task_enter},
	{ON_OP(CACHE_DESCRIBED), ACL_FAILED, ranges_task_failed},
	{ON_OP_WITH(LAUNCH_KERNEL, DEVICE_ARGUMENTS), ACL_ENTER, arguments_task_enter},
	{ON_OP_WITH(LAUNCH_KERNEL, DEVICE_ARGUMENTS), ACL_LEAVE, arguments_task_done},
	{ON_OP_WITH(LAUNCH_KERNEL, DEVICE_ARGUMENTS), ACL_FAILED, arguments_task_done},
	{ON_OP(RANDOM), ACL_ENTER, ranges_task_enter},
	{ON_OP(RANDOM), ACL_FAILED, ranges_task_failed},
	{ON_OP(FREE_POOL), ACL_ENTER, pool_free_enter},
	{ON_OP(FREE_POOL), ACL_FAILED, pool_free_failed},
};

const struct check_module module_pending_task = {
	.order = 24, /* after the operation is decoded and the stream has its position */
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
