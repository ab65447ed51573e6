/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers of allocations that failed, used all the same. */
#include "checks/freed.h"
#include "checks/legs.h"
#include "checks/report.h"
#include "checks/state.h"

#define FAILURES 32
#define NEAR 64 /* calls of the thread: a NULL that comes later is another's */

struct failure {
	_Atomic uint64_t variable; /* the address that should have got the pointer, 0 = free */
	_Atomic uint64_t value; /* what stood there after the call */
	_Atomic uint64_t pthread_id, calls;
	struct moment failed;
};

struct unchecked_state {
	_Atomic uint32_t at;
	_Atomic bool any;
	struct failure failure[FAILURES];
};

static struct unchecked_state *unchecked(struct checks *c)
{
	return c->topic[TOPIC_UNCHECKED];
}

/* The variable is written again, or has something else by now. */
static void forget(struct checks *c, const void *variable)
{
	for (unsigned i = 0; i < FAILURES; i++)
		if (ld(&unchecked(c)->failure[i].variable) == (uintptr_t)variable)
			st(&unchecked(c)->failure[i].variable, 0);
}

static void allocated(struct checks *c, struct acl_event *ev)
{
	/* All begin with the address of the variable. */
	void *const *out = ACL_ARGS(ev, aclrtMalloc)->devPtr;
	struct acl_place place;
	struct failure *f;

	if (!out || (succeeded(ev) && !ld(&unchecked(c)->any)))
		return;
	forget(c, out);
	/* It may still hold the address of an earlier allocation that is fine. */
	if (succeeded(ev) || !judged(ev) || (*out && map_find(c->memory, (uintptr_t)*out, &place)))
		return;
	f = &unchecked(c)->failure[bump(&unchecked(c)->at) % FAILURES];
	st(&f->variable, 0);
	st(&f->value, (uintptr_t)*out);
	st(&f->pthread_id, ev->pthread_id);
	st(&f->calls, calls_so_far(ev));
	moment_take(c, &f->failed, ev, false);
	st_release(&f->variable, (uintptr_t)out);
	st(&unchecked(c)->any, true);
	checks_unusual(c);
}

/* Whether the address cannot be anything but what the failed call left. */
static bool left_by(
	struct checks *c, const struct acl_event *ev, const struct failure *f, const void *address)
{
	struct freed_block gone;
	struct acl_place place;

	if (!ld_acquire(&f->variable) || ld(&f->value) != (uintptr_t)address)
		return false;
	if (!address)
		return ld(&f->pthread_id) == ev->pthread_id && calls_so_far(ev) - ld(&f->calls) <= NEAR;
	/* The program may have put memory of its own there. */
	return !map_find(c->memory, (uintptr_t)address, &place) && freed_find(c, address, false, &gone);
}

static void check_use(struct checks *c, struct acl_event *ev, const char *name, const void *address)
{
	struct failure *found = NULL;
	struct finding_buffer room;
	struct acl_finding *f;

	if (ev->carry[CARRY_FINDING])
		return;
	for (unsigned i = 0; i < FAILURES && !found; i++)
		if (left_by(c, ev, &unchecked(c)->failure[i], address))
			found = &unchecked(c)->failure[i];
	if (!rule_broken(ev, RULE("alloc-result-unchecked"), found))
		return;
	f = finding_begin(c, ev, RULE("alloc-result-unchecked"), &room);
	if (!f)
		return;
	finding_detail(f, "%s is what %s left behind when it failed; its result was not looked at.", name,
		acl_apis[ld(&found->failed.api)].name);
	finding_address(f, name, address);
	finding_api(f, "failed call", ld(&found->failed.api));
	finding_show(c, f);
}

static void copying(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemcpy *a = ev->args;

	if (!ld(&unchecked(c)->any) || !a->count)
		return;
	check_use(c, ev, "dst", a->dst);
	check_use(c, ev, "src", a->src);
}

static void copying_rows(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemcpy2d *a = ev->args;

	if (!ld(&unchecked(c)->any) || !a->width || !a->height)
		return;
	check_use(c, ev, "dst", a->dst);
	check_use(c, ev, "src", a->src);
}

static void setting(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemset *a = ev->args;

	if (ld(&unchecked(c)->any) && a->count)
		check_use(c, ev, "devPtr", a->devPtr);
}

static bool unchecked_create(struct checks *c)
{
	c->topic[TOPIC_UNCHECKED] = checks_alloc(c, sizeof(struct unchecked_state));
	return c->topic[TOPIC_UNCHECKED] != NULL;
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtMalloc, ACL_LEAVE, allocated},
	{ACL_API_aclrtMallocAlign32, ACL_LEAVE, allocated},
	{ACL_API_aclrtMallocCached, ACL_LEAVE, allocated},
	{ACL_API_aclrtMallocForTaskScheduler, ACL_LEAVE, allocated},
	{ACL_API_aclrtMallocWithCfg, ACL_LEAVE, allocated},
	{ACL_API_aclrtMallocHost, ACL_LEAVE, allocated},
	{ACL_API_aclrtMallocHostWithCfg, ACL_LEAVE, allocated},
	{ACL_API_aclrtMemAllocManaged, ACL_LEAVE, allocated},
	{ACL_API_aclrtMemPoolMallocAsync, ACL_LEAVE, allocated},
	{ACL_API_aclrtMemcpy, ACL_ENTER | ACL_UNUSUAL, copying},
	{ACL_API_aclrtMemcpyAsync, ACL_ENTER | ACL_UNUSUAL, copying},
	{ACL_API_aclrtMemcpy2d, ACL_ENTER | ACL_UNUSUAL, copying_rows},
	{ACL_API_aclrtMemcpy2dAsync, ACL_ENTER | ACL_UNUSUAL, copying_rows},
	{ACL_API_aclrtMemset, ACL_ENTER | ACL_UNUSUAL, setting},
	{ACL_API_aclrtMemsetAsync, ACL_ENTER | ACL_UNUSUAL, setting},
};

const struct acl_topic topic_unchecked = {
	.name = "allocations that failed",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = unchecked_create,
};
