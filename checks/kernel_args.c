/* SPDX-License-Identifier: Apache-2.0 */
/* Argument lists of kernels (aclrtKernelArgs*). */
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

enum { ARGS_KNOWN = 1, ARGS_FINAL = 2, ARGS_BUFFER = 4 };

struct kernel_state {
	struct pairs args; /* argument list -> its states */
};

static struct kernel_state *kernels(struct checks *c)
{
	return c->topic[TOPIC_KERNELS];
}

/* --- argument lists ---------------------------------------------------------------------- */

static uint64_t handle_of(const struct acl_event *ev)
{
	/* All of these begin with the list. */
	return (uintptr_t)ACL_ARGS(ev, aclrtKernelArgsFinalize)->argsHandle;
}

static void begun(struct checks *c, struct acl_event *ev)
{
	void *const *out = (void *const *)ACL_ARGS(ev, aclrtKernelArgsInit)->argsHandle;

	if (succeeded(ev) && out && *out)
		pairs_set(&kernels(c)->args, (uintptr_t)*out, ARGS_KNOWN);
}

static void begun_by_user(struct checks *c, struct acl_event *ev)
{
	uint64_t list = (uintptr_t)ACL_ARGS(ev, aclrtKernelArgsInitByUserMem)->argsHandle;

	if (succeeded(ev) && list)
		pairs_set(&kernels(c)->args, list, ARGS_KNOWN);
}

static void appending(struct checks *c, struct acl_event *ev)
{
	uint64_t now = pairs_value(&kernels(c)->args, handle_of(ev));

	if (!now)
		return;
	rule_asked(ev, RULE("kargs-append-after-finalize"));
	rule_asked(ev, RULE("kargs-append-after-placeholder-buffer"));
	if (now & ARGS_FINAL)
		finding_say(c, ev, RULE("kargs-append-after-finalize"), "argsHandle",
			(void *)(uintptr_t)handle_of(ev),
			"aclrtKernelArgsFinalize was called for the list before.");
	else if (now & ARGS_BUFFER)
		finding_say(c, ev, RULE("kargs-append-after-placeholder-buffer"), "argsHandle",
			(void *)(uintptr_t)handle_of(ev),
			"The buffer of a placeholder was taken before: the list cannot grow any more.");
}

static void buffer_taking(struct checks *c, struct acl_event *ev)
{
	uint64_t now = pairs_value(&kernels(c)->args, handle_of(ev));

	if (now && rule_broken(ev, RULE("kargs-append-after-finalize"), now & ARGS_FINAL))
		finding_say(c, ev, RULE("kargs-append-after-finalize"), "argsHandle",
			(void *)(uintptr_t)handle_of(ev),
			"aclrtKernelArgsFinalize was called for the list before.");
}

static void mark(struct checks *c, struct acl_event *ev, uint64_t set, uint64_t clear)
{
	uint64_t now;

	if (succeeded(ev) && handle_of(ev) && pairs_get(&kernels(c)->args, handle_of(ev), &now))
		pairs_set(&kernels(c)->args, handle_of(ev), (now | set) & ~clear);
}

static void buffer_taken(struct checks *c, struct acl_event *ev)
{
	mark(c, ev, ARGS_BUFFER, 0);
}

static void finalized(struct checks *c, struct acl_event *ev)
{
	mark(c, ev, ARGS_FINAL, 0);
}

/* A changed parameter asks for another finalize. */
static void updated(struct checks *c, struct acl_event *ev)
{
	mark(c, ev, 0, ARGS_FINAL);
}

static void launching(struct checks *c, struct acl_event *ev)
{
	const void *list = ACL_ARGS(ev, aclrtLaunchKernelWithConfig)->argsHandle;
	uint64_t now = list ? pairs_value(&kernels(c)->args, (uintptr_t)list) : 0;

	if (now & ARGS_KNOWN && rule_broken(ev, RULE("kargs-launch-not-finalized"), !(now & ARGS_FINAL)))
		finding_say(c, ev, RULE("kargs-launch-not-finalized"), "argsHandle", list,
			"aclrtKernelArgsFinalize was not called after the last change of the list.");
}

static bool kernels_create(struct checks *c)
{
	c->topic[TOPIC_KERNELS] = checks_alloc(c, sizeof(struct kernel_state));
	return c->topic[TOPIC_KERNELS] != NULL;
}

static void kernels_forked(struct checks *c)
{
	st(&kernels(c)->args.lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtKernelArgsInit, ACL_LEAVE, begun},
	{ACL_API_aclrtKernelArgsInitByUserMem, ACL_LEAVE, begun_by_user},
	{ACL_API_aclrtKernelArgsAppend, ACL_ENTER, appending},
	{ACL_API_aclrtKernelArgsAppendPlaceHolder, ACL_ENTER, appending},
	{ACL_API_aclrtKernelArgsGetPlaceHolderBuffer, ACL_ENTER, buffer_taking},
	{ACL_API_aclrtKernelArgsGetPlaceHolderBuffer, ACL_LEAVE, buffer_taken},
	{ACL_API_aclrtKernelArgsFinalize, ACL_LEAVE, finalized},
	{ACL_API_aclrtKernelArgsParaUpdate, ACL_LEAVE, updated},
	{ACL_API_aclrtLaunchKernelWithConfig, ACL_ENTER, launching},
};

const struct acl_topic topic_kernel_args = {
	.name = "kernel arguments",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = kernels_create,
	.forked = kernels_forked,
};
