/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory that nothing wrote: which blocks a call has written, and when the
 * last task ran that may have written any.  A block counts as written as soon
 * as a single byte may be: rules speak of memory that holds nothing yet.
 */
#include "checks/state/written_state.h"
#include "checks/state/declared_kernel.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_change.h"
#include "checks/state/memory_state.h"
#include "checks/state/operation.h"
#include "checks/state/order_state.h"
#include "checks/state/plain_batch.h"
#include "checks/state/stream_state.h"
#include "checks/state/task_range.h"

static inline void mark_written(struct checks *c, uint32_t index)
{
	_Atomic uint64_t *word = written_word(c, index);

	if (word && !(load_relaxed(word) >> index % 64 & 1))
		atomic_fetch_or(word, UINT64_C(1) << index % 64);
}

#define SMALL 4096 /* what holds a descriptor: whether it was more than set is looked at each time */

static _Atomic uint64_t *set_word(struct checks *c, uint32_t index)
{
	struct written_page *p =
		index / WRITTEN_PAGE_BLOCKS < WRITTEN_PAGES
			? load_acquire(&written_state_of(c)->page[index / WRITTEN_PAGE_BLOCKS])
			: NULL;

	return p ? &p->sets[index % WRITTEN_PAGE_BLOCKS / 64] : NULL;
}

static bool is_set(struct checks *c, uint32_t index)
{
	_Atomic uint64_t *word = set_word(c, index);

	return word && load_relaxed(word) >> index % 64 & 1;
}

static void mark_set(struct checks *c, uint32_t index)
{
	_Atomic uint64_t *word = set_word(c, index);

	if (word && !is_set(c, index))
		atomic_fetch_or(word, UINT64_C(1) << index % 64);
}

void block_unwritten(struct checks *c, struct acl_block *b)
{
	struct written_state *s = written_state_of(c);
	unsigned n = block_number(b) / WRITTEN_PAGE_BLOCKS;
	_Atomic uint64_t *word;

	if (n < WRITTEN_PAGES && !load_acquire(&s->page[n]) && !load_relaxed(&s->off)) {
		struct written_page *fresh = checks_alloc(c, sizeof(*fresh)), *none = NULL;

		if (fresh && !atomic_compare_exchange_strong(&s->page[n], &none, fresh))
			checks_forget(c, fresh, sizeof(*fresh));
	}
	word = written_word(c, block_number(b));
	if (word)
		atomic_fetch_and(word, ~(UINT64_C(1) << block_number(b) % 64));
	if (is_set(c, block_number(b)))
		atomic_fetch_and(set_word(c, block_number(b)), ~(UINT64_C(1) << block_number(b) % 64));
}

/* By more than sets. */
static bool maybe_written(struct checks *c, struct acl_block *b)
{
	if (load_relaxed(&written_state_of(c)->off) || is_written(c, block_number(b)))
		return true;
	/* Where host and device memory are one the program writes it itself. */
	if (load_relaxed(&b->serial) <= load_relaxed(&written_state_of(c)->until) || runs_on_device(c))
		return true;
	if (other_submitters_possible(c, CHECKS_OTHER_WORK))
		store_relaxed(&written_state_of(c)->off, true);
	return load_relaxed(&written_state_of(c)->off);
}

bool block_maybe_written(struct checks *c, struct acl_block *b)
{
	return is_set(c, block_number(b)) || maybe_written(c, b);
}

bool block_only_set(struct checks *c, struct acl_block *b)
{
	return is_set(c, block_number(b)) && !maybe_written(c, b);
}

static void unseen_writer(struct checks *c)
{
	struct written_state *s = written_state_of(c);

	if (!load_relaxed(&s->watched))
		return;
	store_relaxed(&s->watched, false);
	counter_inc(&s->unseen);
}

static void declared_writes(struct checks *c, const struct kernel_accesses *list)
{
	struct block_lookup place;

	for (unsigned i = 0; i < list->n; i++) {
		if (!list->at[i].writes || !memory_find(c, (uintptr_t)list->at[i].address, &place))
			continue;
		mark_written(c, place.index);
		/* What descriptors hold then is not known any more. */
		unseen_writer(c);
	}
}

/* A copy whose descriptor is known writes what that says. */
static bool writes_as_described(struct checks *c, struct acl_call_record *call)
{
	return acl_apis[call->api].operation == ACL_OP_COPY_DESCRIBED && operation_of(c, call)->n_entries;
}

/* A kernel, a model, a callback …: it may write whatever exists now. After the call, since rules look at what
 * there was before it. */
static void anything(struct checks *c, struct acl_call_record *call)
{
	uint64_t now = load_relaxed(&c->serials);

	if (kernel_accesses(call)) {
		declared_writes(c, kernel_accesses(call));
		return;
	}
	if (writes_as_described(c, call))
		return;
	unseen_writer(c);
	if (load_relaxed(&written_state_of(c)->until) != now)
		store_relaxed(&written_state_of(c)->until, now);
}

/* Whether a kernel may still run: it may have got, or get, the address of a block that is newer. */
bool unseen_writer_pending(struct checks *c)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_STREAM, o)
	{
		uint64_t kernel = load_relaxed(&stream_state(o)->opaque);

		if (kernel > stream_completed(o) && object_usable(o))
			return true;
	}
	return false;
}

/* --- copies that read ------------------------------------------------------------------- */

/* Of a call: 1 + the entry whose source nothing has written. */
static const char unwritten_note;

const struct op_access *unwritten_source(const struct operation *op, const struct acl_call_record *call)
{
	uint64_t entry = call_note(call, &unwritten_note);

	return entry && entry <= op->n_entries ? operation_entry(op, entry - 1).src : NULL;
}

static __attribute__((noinline, cold)) void reads_new(
	struct checks *c, struct acl_call_record *call, const struct op_entry *e)
{
	struct acl_block *b = e->src->block.block;
	bool holds_something = load_relaxed(&b->marks) & BLOCK_DESCRIBED || block_maybe_written(c, b);

	/* A writer that it waits for may be submitted later, and one that runs may learn of the block. */
	if ((stream_of(call) && order_unseen(c, stream_of(call))) || unseen_writer_pending(c))
		return;
	/* Once is enough, and saves looking again. */
	mark_written(c, block_number(b));
	if (holds_something || call_note(call, &unwritten_note))
		return;
	call_note_set(call, &unwritten_note, 1 + e->index);
	/* A rule has something to say of it. */
	call->plain = false;
	call->state.evaluated &= ~(EVALUATED_PLAIN_COPY | EVALUATED_PLAIN_BATCH | EVALUATED_PLAIN_ASYNC);
}

/* A copy reads its source; what any operation writes, or shows to others, counts as written. */
static __attribute__((noinline)) void accesses_enter(struct checks *c, struct acl_call_record *call)
{
	struct operation *op = (struct operation *)operation_of(c, call);
	/* What is captured reads when the model runs. */
	bool reads = op->group == ACL_OP_GROUP_COPY && !call->state.capture;

	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (reads && e.src && e.src->block.kind == MEM_DEVICE && e.src->block.block &&
			!e.src->written) {
			if (!is_written(c, e.src->block.index))
				reads_new(c, call, &e);
			access_forget(op, e.src);
		}
		if (!e.dst || e.dst->block.kind != MEM_DEVICE || !e.dst->block.block || e.dst->written)
			continue;
		/* Mostly it was written before, and need not be looked up anew. */
		if (is_written(c, e.dst->block.index)) {
			access_counts_written(c, op, e.dst);
		} else {
			if (op->group == ACL_OP_GROUP_SET && e.dst->block.size <= SMALL)
				mark_set(c, e.dst->block.index);
			else
				mark_written(c, e.dst->block.index);
			access_forget(op, e.dst);
		}
	}
}

/* The first range from r on whose block nothing has written; end: there is none. Neighbours share a word. */
static const struct batch_range *first_unwritten(
	struct checks *c, const struct batch_range *r, const struct batch_range *end)
{
	uint32_t at = UINT32_MAX;
	uint64_t bits = 0;

	for (; r < end; r++) {
		if (r->index / 64 != at) {
			_Atomic uint64_t *word = written_word(c, r->index);

			at = r->index / 64;
			bits = word ? load_relaxed(word) : UINT64_MAX;
		}
		if (!(bits >> r->index % 64 & 1))
			return r;
	}
	return end;
}

/* The same of a plain batch; false: the rule about what it reads has to look at its entries. */
static bool batch_enter(struct checks *c, const struct plain_batch *b)
{
	const struct batch_side *device = b->reads.kind == MEM_DEVICE ? &b->reads : &b->writes;
	const struct batch_range *r = device->range, *end = r + device->n;

	/* What was written once is, as long as it is there. */
	if (b->again && device == &b->writes)
		return true;
	while ((r = first_unwritten(c, r, end)) != end) {
		if (device == &b->reads)
			return false;
		mark_written(c, r++->index);
	}
	return true;
}

static inline bool is_known_written(struct checks *c, struct operation *op, struct op_access *a)
{
	return a->written || access_counts_written(c, op, a);
}

static __attribute__((noinline)) void written_access_look(struct checks *c, struct acl_call_record *call)
{
	struct operation *op = thread_of(call)->operation;

	if (call->plain && !op->batch && is_known_written(c, op, &op->first[0]) &&
		is_known_written(c, op, &op->first[1]))
		return;
	if (load_relaxed(&written_state_of(c)->off) ||
		(plain_batch_of(call) && batch_enter(c, plain_batch_of(call))))
		return;
	accesses_enter(c, call);
}

/* Nearly every copy: nothing is left to note. Saves no registers. */
static void written_access_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = thread_of(call)->operation;

	if (!call->plain || op->batch || !op->first[0].written || !op->first[1].written)
		written_access_look(c, call);
}

/* What a structure names. */
static void ranges_written_enter(struct checks *c, struct acl_call_record *call)
{
	struct task_range r[TASK_RANGES];
	unsigned n = task_ranges(c, call, r);
	struct block_lookup place;

	for (unsigned i = 0; i < n; i++)
		if (r[i].flags != ACCESS_READS && memory_find(c, (uintptr_t)r[i].at, &place))
			mark_written(c, place.index);
}

/* --- binding ---------------------------------------------------------------------------------- */

/* Operations that write what their arguments say, or nothing of the program's. */
static bool writes_known(unsigned api)
{
	switch (acl_apis[api].operation_group) {
	case ACL_OP_GROUP_COPY:
		/* What a descriptor or a pointer in device memory leads to is not known. */
		return acl_apis[api].operation != ACL_OP_COPY_DESCRIBED &&
		       acl_apis[api].operation != ACL_OP_COPY_INDIRECT;
	case ACL_OP_GROUP_SET:
	case ACL_OP_GROUP_REDUCE:
	case ACL_OP_GROUP_WRITE:
	case ACL_OP_GROUP_WAIT:
	case ACL_OP_GROUP_ALLOCATE:
	case ACL_OP_GROUP_FREE:
	case ACL_OP_GROUP_OVERFLOW:
	case ACL_OP_GROUP_RANDOM:
	/* What a cache or another side gets of memory changes nothing in it. */
	case ACL_OP_GROUP_CACHE:
	case ACL_OP_GROUP_MANAGED:
	case ACL_OP_GROUP_PROFILE:
		return true;
	default:
		return false;
	}
}

/* Everything that runs on the device, unless it is known to write nothing or what its arguments say. */
static bool writes_anything(unsigned api)
{
	const struct acl_api_info *info = &acl_apis[api];

	if (writes_known(api))
		return false;
	if (info->classes & (ACL_CLASS_KERNEL | ACL_CLASS_MODEL))
		return info->mode != ACL_MODE_IMMEDIATE;
	return info->mode == ACL_MODE_ASYNC &&
	       !(info->classes & (ACL_CLASS_EVENT | ACL_CLASS_NOTIFY | ACL_CLASS_LABEL | ACL_CLASS_CONFIG));
}

static void written_bind(void (*add)(void *, unsigned, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < acl_api_count; api++)
		if (writes_anything(api))
			add(binder, api, ACL_LEAVE, anything);
}

static const struct check_hook hooks[] = {
	{ON_GROUP(COPY), ACL_ENTER, written_access_enter},
	{ON_GROUP(SET), ACL_ENTER, written_access_enter},
	{ON_GROUP(REDUCE), ACL_ENTER, written_access_enter},
	{ON_OP(WRITE_VALUE), ACL_ENTER, written_access_enter},
	{ON_OP(OVERFLOW_READ), ACL_ENTER, written_access_enter},
	{ON_OP(RANDOM), ACL_ENTER, ranges_written_enter},
	{ON_OP(EXPORT_MEMORY), ACL_ENTER, written_access_enter},
	{ON_OP(MAP_PEER), ACL_ENTER, written_access_enter},
	{ACL_ANNOTATION_KERNEL, ACL_LEAVE, anything},
};

const struct check_module module_written = {
	.order = 27, /* after the operation is decoded */
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = written_bind,
	.state_size = sizeof(struct written_state),
};
