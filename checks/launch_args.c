/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Argument blocks in device memory: the kernel reads them when it runs, so they
 * stay as they are until the host has waited.  The latest launches are
 * remembered; tasks on streams are not compared with each other here.
 */
#include "checks/kernel.h"
#include "checks/report.h"

#define LAUNCHES 64

struct launch {
	_Atomic uint64_t base, end, stream, position; /* base 0 = none, or being changed */
};

struct launch_args {
	_Atomic uint64_t low, high; /* all argument blocks ever lie within */
	_Atomic uint32_t n;
	struct launch launches[LAUNCHES];
};

static struct launch_args *blocks(struct checks *c)
{
	return c->topic[TOPIC_LAUNCH_ARGS];
}

/* aclrtLaunchKernel and V2 begin alike. */
static void launched(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtLaunchKernel *a = ev->args;
	uint64_t base = (uintptr_t)a->argsData, low;
	struct launch_args *b = blocks(c);
	struct launch *l;

	if (!stream_of(ev) || !ev->carry[CARRY_POSITION] || !succeeded(ev) || ev->carry[CARRY_CAPTURE] ||
		!base)
		return;
	checks_unusual(c);
	l = &b->launches[bump(&b->n) % LAUNCHES];
	st_release(&l->base, 0);
	st_release(&l->end, base + a->argsSize);
	st_release(&l->stream, object_ref(stream_of(ev)));
	st_release(&l->position, ev->carry[CARRY_POSITION]);
	st_release(&l->base, base);
	raise_to(&b->high, base + a->argsSize);
	low = ld(&b->low);
	while ((!low || base < low) && !atomic_compare_exchange_weak(&b->low, &low, base))
		;
}

_Static_assert(offsetof(struct acl_args_aclrtLaunchKernel, argsSize) ==
		       offsetof(struct acl_args_aclrtLaunchKernelV2, argsSize),
	"forms of LaunchKernel differ");

/* A launch whose arguments lie in the range, and that has surely not run to its end. */
static struct acl_object *in_use(struct checks *c, uint64_t base, uint64_t end, bool *asked, uint64_t *args)
{
	struct launch_args *b = blocks(c);

	if (!ld(&b->n) || base >= ld(&b->high) || end <= ld(&b->low))
		return NULL;
	for (unsigned i = 0; i < LAUNCHES; i++) {
		struct launch *l = &b->launches[i];
		uint64_t from = ld_acquire(&l->base), to = ld_acquire(&l->end),
			 position = ld_acquire(&l->position);
		struct acl_object *s = from ? object_of(c, ld_acquire(&l->stream)) : NULL;

		if (!s || from >= end || to <= base || ld_acquire(&l->base) != from)
			continue;
		*asked = true;
		*args = from;
		if (task_surely_pending(c, s, position))
			return s;
	}
	return NULL;
}

static void judge(struct checks *c, struct acl_event *ev, uint64_t base, uint64_t end, const char *what)
{
	struct finding_buffer room;
	struct acl_object *stream;
	struct acl_finding *f;
	bool asked = false;
	uint64_t args = 0;

	if (!base || ev->carry[CARRY_FINDING])
		return;
	stream = in_use(c, base, end, &asked, &args);
	if (asked)
		rule_asked(ev, RULE("kernel-args-freed"));
	if (!stream)
		return;
	f = finding_begin(c, ev, RULE("kernel-args-freed"), &room);
	if (!f)
		return;
	finding_detail(f,
		"The arguments of a kernel launched before lie here: they are %s, and nothing the host "
		"did shows that it is done.",
		what);
	finding_address(f, "argsData", (void *)(uintptr_t)args);
	finding_object(c, f, "stream", stream);
	finding_show(c, f);
}

static void freeing(struct checks *c, struct acl_event *ev)
{
	const void *p = ACL_ARGS(ev, aclrtFree)->devPtr;
	struct acl_place place;

	if (p && place_find(c, ev, p, 0, &place) && place.base == (uintptr_t)p)
		judge(c, ev, place.base, place.base + place.size, "freed");
}

static void copying(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemcpy *a = ev->args;

	judge(c, ev, (uintptr_t)a->dst, (uintptr_t)a->dst + a->count, "overwritten");
}

static void setting(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemset *a = ev->args;

	judge(c, ev, (uintptr_t)a->devPtr, (uintptr_t)a->devPtr + a->count, "overwritten");
}

static bool launch_args_create(struct checks *c)
{
	c->topic[TOPIC_LAUNCH_ARGS] = checks_alloc(c, sizeof(struct launch_args));
	return c->topic[TOPIC_LAUNCH_ARGS] != NULL;
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtLaunchKernel, ACL_LEAVE, launched},
	{ACL_API_aclrtLaunchKernelV2, ACL_LEAVE, launched},
	{ACL_API_aclrtFree, ACL_ENTER | ACL_UNUSUAL, freeing},
	{ACL_API_aclrtMemcpy, ACL_ENTER | ACL_UNUSUAL, copying},
	{ACL_API_aclrtMemset, ACL_ENTER | ACL_UNUSUAL, setting},
};

const struct acl_topic topic_launch_args = {
	.name = "arguments of launches",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = launch_args_create,
};
