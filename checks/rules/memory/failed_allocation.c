/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers of allocations that failed, used all the same. */

#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/state/freed_memory.h"
#include "checks/state/memory_state.h"
#include "checks/state/operation.h"

#define FAILURES 32
#define NEAR 64 /* calls of the thread */

struct failure {
	_Atomic uint64_t variable; /* the address that should have got the pointer, 0 = free */
	_Atomic uint64_t value; /* what stood there after the call */
	_Atomic uint64_t pthread_id, calls;
	struct call_site_slot failed;
};

struct unchecked_state {
	_Atomic uint32_t at;
	_Atomic bool any;
	struct failure failure[FAILURES];
};

static struct unchecked_state *unchecked(struct checks *c)
{
	return module_state(c, unchecked);
}

/* The variable is written again, or has something else by now. */
static void failed_forget(struct checks *c, const void *variable)
{
	for (unsigned i = 0; i < FAILURES; i++)
		if (load_relaxed(&unchecked(c)->failure[i].variable) == (uintptr_t)variable)
			store_relaxed(&unchecked(c)->failure[i].variable, 0);
}

static void failed_allocate_leave(struct checks *c, struct acl_call_record *call)
{
	/* All begin with the address of the variable. */
	void *const *out = ACL_ARGS(call, aclrtMalloc)->devPtr;
	const void *left;
	struct block_lookup place;
	struct failure *f;

	if (!out || (succeeded(call) && !load_relaxed(&unchecked(c)->any)))
		return;
	failed_forget(c, out);
	/* It may still hold the address of an earlier allocation that is fine. */
	if (succeeded(call) || !is_checked(call) || !program_read(c, out, &left, sizeof(left)) ||
		(left && map_find(memory_blocks(c), (uintptr_t)left, &place)))
		return;
	f = &unchecked(c)->failure[counter_inc(&unchecked(c)->at) % FAILURES];
	store_relaxed(&f->variable, 0);
	store_relaxed(&f->value, (uintptr_t)left);
	store_relaxed(&f->pthread_id, call->pthread_id);
	store_relaxed(&f->calls, calls_so_far(call));
	call_site_take(c, &f->failed, call, false);
	store_release(&f->variable, (uintptr_t)out);
	store_relaxed(&unchecked(c)->any, true);
	checks_when(c, WHEN_ALLOCATION_FAILED);
}

/* Whether the address cannot be anything but what the failed call left. */
static bool left_by(
	struct checks *c, const struct acl_call_record *call, const struct failure *f, const void *address)
{
	struct freed_block gone;
	struct block_lookup place;

	if (!load_acquire(&f->variable) || load_relaxed(&f->value) != (uintptr_t)address)
		return false;
	/* Whose NULL it is that another thread passes, or that comes much later, nothing shows. */
	if (!address)
		return load_relaxed(&f->pthread_id) == call->pthread_id &&
		       calls_so_far(call) - load_relaxed(&f->calls) <= NEAR;
	/* The program may have put memory of its own there. */
	return !map_find(memory_blocks(c), (uintptr_t)address, &place) &&
	       freed_find(c, address, false, &gone);
}

static void failed_use_check(struct checks *c, struct acl_call_record *call, const struct op_access *a)
{
	struct failure *found = NULL;
	const void *address;

	/* Of no bytes the address means nothing: tensors without elements have none. */
	if (!a || !a->span || a->info->extent == ACL_EXTENT_SYMBOL)
		return;
	address = a->address;
	for (unsigned i = 0; i < FAILURES && !found; i++)
		if (left_by(c, call, &unchecked(c)->failure[i], address))
			found = &unchecked(c)->failure[i];
	FINDING(c, call, "alloc-result-unchecked", found,
		PARTS(part_address(a->name, address), part_api("failed call", call_site_api(&found->failed))),
		"%s is what %s left behind when it failed; its result was not looked at.", a->name,
		acl_apis[call_site_api(&found->failed)].name);
}

/* Every operation that is given memory. */
static void failed_allocation_use_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op;

	if (!load_relaxed(&unchecked(c)->any))
		return;
	op = operation_of(c, call);
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		failed_use_check(c, call, e.dst);
		failed_use_check(c, call, e.src);
	}
}

static const struct check_hook hooks[] = {
	{ON_OP(ALLOCATE_DEVICE), ACL_LEAVE, failed_allocate_leave},
	{ON_OP(ALLOCATE_HOST), ACL_LEAVE, failed_allocate_leave},
	{ON_OP(ALLOCATE_MANAGED), ACL_LEAVE, failed_allocate_leave},
	{ON_OP(ALLOCATE_POOL), ACL_LEAVE, failed_allocate_leave},
	{ON_GROUP(COPY), ACL_ENTER | ACL_WHEN(ALLOCATION_FAILED), failed_allocation_use_enter},
	{ON_GROUP(SET), ACL_ENTER | ACL_WHEN(ALLOCATION_FAILED), failed_allocation_use_enter},
	{ON_GROUP(REDUCE), ACL_ENTER | ACL_WHEN(ALLOCATION_FAILED), failed_allocation_use_enter},
	{ON_GROUP(CACHE), ACL_ENTER | ACL_WHEN(ALLOCATION_FAILED), failed_allocation_use_enter},
	{ON_GROUP(MANAGED), ACL_ENTER | ACL_WHEN(ALLOCATION_FAILED), failed_allocation_use_enter},
	{ON_OP(WRITE_VALUE), ACL_ENTER | ACL_WHEN(ALLOCATION_FAILED), failed_allocation_use_enter},
	{ON_OP(WAIT_VALUE), ACL_ENTER | ACL_WHEN(ALLOCATION_FAILED), failed_allocation_use_enter},
};

const struct check_module module_unchecked = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct unchecked_state),
};
