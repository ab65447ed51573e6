/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits that did not wait for all: the time was over, or only one context of the
 * device was meant.  They harm when what tasks still use is released next.
 */
#include "checks/engine/finding_statement.h"
#include "checks/state/device_state.h"
#include "checks/state/event_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/pending_access.h"
#include "checks/state/stream_state.h"

#define SOON 32 /* a device wait counts for the thread's next calls, two phases each */

/* --- the waits -------------------------------------------------------------------------- */

/* From here on the rule has something to look at. */
static void wait_timed_out(struct checks *c, struct acl_call_record *call)
{
	const struct acl_thread *t = thread_of(call);

	(void)c;
	if (t->timed_out.what && t->timed_out.at == t->phase)
		rule_evaluated(call, RULE("sync-timeout-ignored"));
}

/* --- the release ------------------------------------------------------------------------- */

static void say_timeout(struct checks *c, struct acl_call_record *call, struct acl_object *waited,
	struct acl_object *o, const struct acl_block *block)
{
	FINDING_BROKEN(c, call, RULE("sync-timeout-ignored"),
		PARTS(part_object("waited for", waited), part_object(acl_handle_names[o->kind], o),
			part_block("memory in use", block)),
		"The call before waited for this %s, and its time was over before the tasks were.",
		acl_handle_names[waited->kind]);
}

/* The object of a timed-out wait, when this is the thread's next call. */
static struct acl_object *just_timed_out(struct checks *c, const struct acl_call_record *call)
{
	struct acl_thread *t = thread_of(call);
	struct acl_object *o =
		t->timed_out.what && t->timed_out.at + 1 == t->phase ? object_of(c, t->timed_out.what) : NULL;

	return o && object_usable(o) && !call->in_exit ? o : NULL;
}

/* All of the block, whatever is done there. */
static struct access_question whole_block(const struct block_lookup *place)
{
	return (struct access_question){.block = place->block,
		.start = place->base,
		.end = place->base + place->size,
		.writes = true,
		.device = -1,
		.not_device = -1};
}

static void freeing_after_timeout(
	struct checks *c, struct acl_call_record *call, const struct block_lookup *place)
{
	struct acl_object *waited = just_timed_out(c, call);
	struct access_question q = whole_block(place);
	struct access_conflict x;
	unsigned compared;

	if (!waited || waited->kind == ACL_HANDLE_EVENT)
		return;
	q.stream = waited->kind == ACL_HANDLE_STREAM ? object_ref(waited) : 0;
	q.context = waited->kind == ACL_HANDLE_STREAM ? 0 : object_ref(waited);
	if (access_in_flight(c, &q, &x, &compared))
		say_timeout(c, call, waited, object_of(c, x.earlier.stream), place->block);
}

static void freeing_after_device_wait(
	struct checks *c, struct acl_call_record *call, const struct block_lookup *place)
{
	struct acl_thread *t = thread_of(call);
	acl_ref ref = t->device_wait.what;
	struct acl_object *context = t->phase - t->device_wait.at <= SOON ? object_of(c, ref) : NULL;
	struct access_question q = whole_block(place);
	struct access_conflict x;
	unsigned compared;
	bool found;

	if (!context || !object_usable(context) || call->in_exit)
		return;
	q.not_context = ref;
	q.device = load_relaxed(&context->device);
	found = access_in_flight(c, &q, &x, &compared);
	if (!compared)
		return;
	FINDING(c, call, "sync-device-scope", found,
		PARTS(part_object("waited for", context),
			part_object("stream", object_of(c, x.earlier.stream)),
			part_block("memory in use", place->block)),
		"The device wait before was for the streams of one context; a stream of another one of "
		"device %d uses this memory.",
		q.device);
}

static void memory_free_enter(struct checks *c, struct acl_call_record *call)
{
	const void *address = acl_arg_pointer(call->api, call->args, ACL_ROLE_ADDRESS);
	struct acl_thread *t = thread_of(call);
	const struct block_lookup *place;

	/* The blocking ones wait for the device first. */
	if ((!t->timed_out.what && !t->device_wait.what) || acl_apis[call->api].mode == ACL_MODE_BLOCKING)
		return;
	place = lookup_of(c, call, address, 0);
	if (!place->block || place->base != (uintptr_t)address)
		return;
	freeing_after_timeout(c, call, place);
	freeing_after_device_wait(c, call, place);
}

/* A forced destroy gives the tasks up: a legal answer. */
static void awaited_destroy_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *waited = thread_of(call)->timed_out.what ? just_timed_out(c, call) : NULL;

	if (waited && !stream_destroy_forced(call) && (waited == stream_of(call) || waited == event_of(call)))
		say_timeout(c, call, waited, waited, NULL);
}

static bool incomplete_wait_create(struct checks *c)
{
	accesses_follow_for(c, RULE("sync-timeout-ignored"));
	accesses_follow_for(c, RULE("sync-device-scope"));
	return true;
}

static const struct check_hook hooks[] = {
	{ON_OP(SYNCHRONISE_STREAM), ACL_FAILED, wait_timed_out},
	{ON_OP(SYNCHRONISE_EVENT), ACL_FAILED, wait_timed_out},
	{ON_OP(SYNCHRONISE_DEVICE), ACL_FAILED, wait_timed_out},
	{ON_OP(FREE_DEVICE), ACL_ENTER, memory_free_enter},
	{ON_OP(FREE_HOST), ACL_ENTER, memory_free_enter},
	{ON_OP(DESTROY_EVENT), ACL_ENTER, awaited_destroy_enter},
	{ON_OP(DESTROY_STREAM), ACL_ENTER, awaited_destroy_enter},
};

const struct check_module module_unfinished = {
	.create = incomplete_wait_create,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
