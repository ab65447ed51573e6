/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Argument blocks in device memory: the kernel reads them when it runs, so they
 * stay as they are until the host has waited, and for tasks until they come
 * behind it.  The latest launches are remembered.
 */
#include "checks/engine/finding_statement.h"
#include "checks/state/memory_state.h"
#include "checks/state/device_state.h"
#include "checks/state/order_state.h"
#include "checks/state/pending_access.h"
#include "checks/state/signal_state.h"
#include "checks/state/stream_state.h"
#include "checks/state/used_memory.h"

#define LAUNCHES 64

struct launch {
	_Atomic uint64_t base, end, stream, position; /* base 0 = none, or being changed */
	_Atomic uint64_t serial; /* no memory that was there at the launch has a later one */
};

struct launch_args {
	/* Read by every copy, and mostly not written by a launch. */
	_Atomic uint64_t low, high; /* all argument blocks ever lie within */
	_Atomic uint64_t serial; /* of the earliest launch that is remembered, or of one before */
	_Alignas(64) _Atomic uint32_t n;
	struct launch launches[LAUNCHES];
};

static struct launch_args *blocks(struct checks *c)
{
	return module_state(c, launch_args);
}

/* So that copies to other memory need not look at the launches. */
static void arguments_mark(struct checks *c, const struct acl_call_record *call, const void *arguments)
{
	struct acl_block *block = lookup_of(c, call, arguments, 0)->block;

	if (block && !(load_relaxed(&block->marks) & BLOCK_ARGUMENTS))
		block_marked(block, BLOCK_ARGUMENTS);
}

/* The next launch takes the place of the one after this. */
static void earliest_renew(struct launch_args *b, uint32_t n)
{
	uint64_t serial = load_relaxed(&b->launches[(n + 1) % LAUNCHES].serial);

	if (load_relaxed(&b->serial) != serial)
		store_relaxed(&b->serial, serial);
}

static void arguments_launch_leave(struct checks *c, struct acl_call_record *call)
{
	const void *arguments = acl_arg_pointer(call->api, call->args, ACL_ROLE_DEVICE_ARGUMENTS);
	uint64_t base = (uintptr_t)arguments, serial = load_relaxed(&c->serials), low, end;
	struct launch_args *b = blocks(c);
	struct launch *l;
	uint32_t n;

	if (!base || !succeeded(call) || !task_runs_now(c, call))
		return;
	end = base + acl_arg_value(call->api, call->args, ACL_ROLE_ARGUMENT_BYTES);
	checks_when(c, WHEN_ARGUMENTS);
	/* Before the launch can be seen, and memory that is made meanwhile has a later serial. */
	arguments_mark(c, call, arguments);
	n = counter_inc(&b->n);
	l = &b->launches[n % LAUNCHES];
	store_release(&l->base, 0);
	store_relaxed(&l->serial, serial);
	store_release(&l->end, end);
	store_release(&l->stream, object_ref(stream_of(call)));
	store_release(&l->position, call->state.position);
	store_release(&l->base, base);
	raise_to(&b->high, end);
	low = load_relaxed(&b->low);
	while ((!low || base < low) && !atomic_compare_exchange_weak(&b->low, &low, base))
		;
	earliest_renew(b, n);
}

/* Whether the launch has surely not run to its end, for the host or where the task of a stream runs. */
static bool is_running(struct checks *c, struct acl_object *s, uint64_t position, struct acl_object *later)
{
	if (!task_surely_pending(c, s, position))
		return false;
	return !later || (later != s && !order_unseen(c, later) && !order_is_before(s, position, later));
}

/* In a block that was there at each launch that is remembered, where none of them had its arguments. */
static bool holds_no_arguments(struct launch_args *b, const struct op_access *r)
{
	struct acl_block *block = r->block.block;

	return block && r->block.index < DECLARED_NUMBERS && r->span <= access_room(r) &&
	       !(load_relaxed(&block->marks) & BLOCK_ARGUMENTS) &&
	       load_relaxed(&block->serial) <= load_relaxed(&b->serial);
}

static bool may_hold_arguments(struct checks *c, const struct op_access *r)
{
	struct launch_args *b = blocks(c);
	uint64_t base = (uintptr_t)r->address;

	return base < load_relaxed(&b->high) && base + r->span > load_relaxed(&b->low) &&
	       !holds_no_arguments(b, r);
}

/* A launch whose arguments the access touches and that is running; later: the stream of the access, NULL =
 * it is the host's. */
static struct acl_object *in_use(
	struct checks *c, const struct op_access *r, struct acl_object *later, bool *known, uint64_t *args)
{
	struct launch_args *b = blocks(c);

	if (!may_hold_arguments(c, r))
		return NULL;
	for (unsigned i = 0; i < LAUNCHES; i++) {
		struct launch *l = &b->launches[i];
		uint64_t from = load_acquire(&l->base), to = load_acquire(&l->end),
			 position = load_acquire(&l->position);
		struct acl_object *s = from ? object_of(c, load_acquire(&l->stream)) : NULL;

		if (!s || !access_touches(r, from, to - from) || load_acquire(&l->base) != from)
			continue;
		*known = true;
		*args = from;
		if (is_running(c, s, position, later))
			return s;
	}
	return NULL;
}

/* True when it is reported. */
static bool arguments_range_check(
	struct checks *c, struct acl_call_record *call, const struct op_access *r, const char *what)
{
	struct acl_object *stream;
	bool known = false;
	uint64_t args = 0;

	stream = in_use(c, r, NULL, &known, &args);
	if (stream)
		stream_loses(call, stream);
	return known &&
	       FINDING(c, call, "kernel-args-freed", stream,
		       PARTS(part_handle("argsData", args), part_object("stream", stream)),
		       "The arguments of a kernel launched before lie here: they are %s, and nothing the "
		       "host did shows that it is done.",
		       what);
}

/* The memory that the call releases; false: not known. */
static bool released_range(struct checks *c, struct acl_call_record *call, struct op_access *r)
{
	const void *p = acl_arg_pointer(call->api, call->args, ACL_ROLE_ADDRESS);
	struct block_lookup place;

	if (!p || !lookup_find(c, call, p, 0, &place) || place.base != (uintptr_t)p)
		return false;
	*r = (struct op_access){.address = p, .span = place.size, .rows = 1};
	return true;
}

static void arguments_free_enter(struct checks *c, struct acl_call_record *call)
{
	struct op_access r;

	if (acl_apis[call->api].mode != ACL_MODE_BLOCKING && released_range(c, call, &r))
		arguments_range_check(c, call, &r, "freed");
}

static void writing(struct checks *c, struct acl_call_record *call)
{
	struct used_memory m;
	const struct op_access *a;

	used_memory_each(c, call, &m, a)
	{
		if (a->writes && a->address && a->span && arguments_range_check(c, call, a, "overwritten"))
			return;
	}
}

/* A task of another stream. */
static bool check_task(
	struct checks *c, struct acl_call_record *call, const struct op_access *r, const char *what)
{
	struct acl_object *stream;
	bool known = false;
	uint64_t args = 0;

	stream = in_use(c, r, stream_of(call), &known, &args);
	return known &&
	       FINDING(c, call, "kernel-args-freed", stream,
		       PARTS(part_handle("argsData", args), part_object("stream", stream),
			       part_object("stream of this call", stream_of(call)),
			       part_advice(stream && other_submitters_possible(c, CHECKS_OTHER_WORK))),
		       "The arguments of a kernel launched before on %s lie here: they are %s, and "
		       "nothing orders this call behind it.",
		       STREAM_TEXT(stream), what);
}

/* On its stream. */
static void freeing_to_pool(struct checks *c, struct acl_call_record *call)
{
	struct op_access r;

	if (task_runs_now(c, call) && released_range(c, call, &r))
		check_task(c, call, &r, "freed");
}

static __attribute__((noinline)) void overwritten(struct checks *c, struct acl_call_record *call)
{
	struct used_memory m;
	const struct op_access *a;

	used_memory_each(c, call, &m, a)
	{
		if (!a->writes || !may_hold_arguments(c, a))
			continue;
		if (!task_runs_now(c, call))
			return;
		if (a->address && a->span && check_task(c, call, a, "overwritten"))
			return;
	}
}

/* Nearly every copy: it is not where arguments are. Saves no registers. */
static void overwriting(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = thread_of(call)->operation;

	if (!call->plain || op->batch || may_hold_arguments(c, &op->first[1]))
		overwritten(c, call);
}

static void arguments_bind(
	void (*add)(void *binder, unsigned api, enum acl_phase, check_hook_fn), void *binder)
{
	const unsigned phase = ACL_ENTER | ACL_WHEN(ARGUMENTS);

	used_memory_bind(add, binder, MEMORY_WRITTEN, phase | ACL_IF_NOT_ASYNC, writing);
	used_memory_bind(add, binder, MEMORY_WRITTEN, phase | ACL_IF_ASYNC, overwriting);
}

static const struct check_hook hooks[] = {
	{ON_OP_WITH(LAUNCH_KERNEL, DEVICE_ARGUMENTS), ACL_LEAVE, arguments_launch_leave},
	{ON_OP(FREE_DEVICE), ACL_ENTER | ACL_WHEN(ARGUMENTS), arguments_free_enter},
	{ON_OP(UNMAP_MEMORY), ACL_ENTER | ACL_WHEN(ARGUMENTS), arguments_free_enter},
	{ON_OP(FREE_POOL), ACL_ENTER | ACL_WHEN(ARGUMENTS), freeing_to_pool},
};

const struct check_module module_launch_args = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = arguments_bind,
	.state_size = sizeof(struct launch_args),
};
