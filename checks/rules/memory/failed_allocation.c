/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses that a failed call did not give, used all the same. */

#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/state/freed_memory.h"
#include "checks/state/memory_state.h"
#include "checks/state/used_memory.h"

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
	struct failure failure[FAILURES];
};

static struct unchecked_state *unchecked(struct checks *c)
{
	return module_state(c, unchecked);
}

/* NULL may come from anywhere, and what was freed has a rule of its own. */
static bool value_is_common(struct checks *c, uint64_t value)
{
	struct freed_block gone;

	return !value || freed_find(c, (const void *)(uintptr_t)value, false, &gone);
}

/* The variable is written again, or has something else by now. A function that allocates for others has the
 * same one each time: what was never an address is still known as what it returned before. */
static void failed_forget(struct checks *c, const void *variable)
{
	for (unsigned i = 0; i < FAILURES; i++) {
		struct failure *f = &unchecked(c)->failure[i];

		if (load_relaxed(&f->variable) == (uintptr_t)variable &&
			value_is_common(c, load_relaxed(&f->value)))
			store_relaxed(&f->variable, 0);
	}
}

/* The parameter that gets an address: of memory that is allocated, reserved or imported, of a variable … */
static const struct acl_param *address_output(unsigned api)
{
	const struct acl_param *p = acl_params(&acl_apis[api]);

	for (unsigned i = 0; i < acl_apis[api].n_params; i++, p++)
		if (p->dir != ACL_DIR_IN && p->pointee_kind == ACL_KIND_POINTER &&
			(p->role == ACL_ROLE_ADDRESS || p->role == ACL_ROLE_DEVICE_ADDRESS))
			return p;
	return NULL;
}

static const void *address_variable(const struct acl_call_record *call)
{
	const void *variable;

	memcpy(&variable, (const char *)call->args + address_output(call->api)->offset, sizeof(variable));
	return variable;
}

static void address_given(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call))
		failed_forget(c, address_variable(call));
}

static void address_refused(struct checks *c, struct acl_call_record *call)
{
	const void *out = address_variable(call), *left;
	struct block_lookup place;
	struct failure *f;

	failed_forget(c, out);
	/* It may still hold the address of an earlier allocation that is fine, or of one that is gone: only
	 * one that allocates was to replace that. */
	if (!is_checked(call) || !program_read(c, out, &left, sizeof(left)) ||
		(left && map_find(memory_blocks(c), (uintptr_t)left, &place)) ||
		(left && acl_apis[call->api].operation_group != ACL_OP_GROUP_ALLOCATE &&
			value_is_common(c, (uintptr_t)left)))
		return;
	f = &unchecked(c)->failure[counter_inc(&unchecked(c)->at) % FAILURES];
	store_relaxed(&f->variable, 0);
	store_relaxed(&f->value, (uintptr_t)left);
	store_relaxed(&f->pthread_id, call->pthread_id);
	store_relaxed(&f->calls, calls_so_far(call));
	call_site_take(c, &f->failed, call, false);
	store_release(&f->variable, (uintptr_t)out);
	checks_when(c, WHEN_ALLOCATION_FAILED);
}

/* Whether the address cannot be anything but what the failed call left. */
static bool left_by(
	struct checks *c, const struct acl_call_record *call, const struct failure *f, const void *address)
{
	struct freed_block gone;
	struct block_lookup place;
	char first;

	if (!load_acquire(&f->variable) || load_relaxed(&f->value) != (uintptr_t)address)
		return false;
	/* Whose NULL it is that another thread passes, or that comes much later, nothing shows. */
	if (!address)
		return load_relaxed(&f->pthread_id) == call->pthread_id &&
		       calls_so_far(call) - load_relaxed(&f->calls) <= NEAR;
	/* The program may have put memory of its own there: then it can read it. */
	return !map_find(memory_blocks(c), (uintptr_t)address, &place) &&
	       (freed_find(c, address, false, &gone) || !program_read(c, address, &first, sizeof(first)));
}

static void failed_use_check(struct checks *c, struct acl_call_record *call, const struct op_access *a)
{
	struct failure *found = NULL;
	const void *address;

	/* Of no bytes the address means nothing: tensors without elements have none. */
	if (!a->span || a->info->extent == ACL_EXTENT_SYMBOL)
		return;
	address = a->address;
	for (unsigned i = 0; i < FAILURES && !found; i++)
		if (left_by(c, call, &unchecked(c)->failure[i], address))
			found = &unchecked(c)->failure[i];
	FINDING(c, call, "alloc-result-unchecked", found,
		PARTS(part_address(a->name, address), part_output_of(call_site_api(&found->failed))),
		"%s is what %s left behind when it failed; its result was not looked at.", a->name,
		acl_apis[call_site_api(&found->failed)].name);
}

static void failed_allocation_use_enter(struct checks *c, struct acl_call_record *call)
{
	struct used_memory m;
	const struct op_access *a;

	used_memory_each(c, call, &m, a) failed_use_check(c, call, a);
}

static void failed_allocation_bind(
	void (*add)(void *binder, unsigned api, enum acl_phase, check_hook_fn), void *binder)
{
	used_memory_bind(add, binder, MEMORY_USED, ACL_ENTER | ACL_WHEN(ALLOCATION_FAILED),
		failed_allocation_use_enter);
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		if (!address_output(api))
			continue;
		add(binder, api, ACL_LEAVE | ACL_WHEN(ALLOCATION_FAILED), address_given);
		add(binder, api, ACL_FAILED, address_refused);
	}
}

static const struct check_hook hooks[] = {
	/* These name memory that others will use. */
	{ON_GROUP(DESCRIBE), ACL_ENTER | ACL_WHEN(ALLOCATION_FAILED), failed_allocation_use_enter},
	{ON_GROUP(MANAGED), ACL_ENTER | ACL_WHEN(ALLOCATION_FAILED), failed_allocation_use_enter},
	{ON_OP(EXPORT_MEMORY), ACL_ENTER | ACL_WHEN(ALLOCATION_FAILED), failed_allocation_use_enter},
	{ON_OP(MAP_PEER), ACL_ENTER | ACL_WHEN(ALLOCATION_FAILED), failed_allocation_use_enter},
};

const struct check_module module_unchecked = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = failed_allocation_bind,
	.state_size = sizeof(struct unchecked_state),
};
