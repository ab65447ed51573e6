/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits that did not wait for all: the time was over, or only one context of the
 * device was meant.  They harm when what tasks still use is released next.  What
 * the last copies and sets of a stream use is remembered for that.
 */
#include "checks/engine/finding_statement.h"
#include "checks/state/device_state.h"
#include "checks/state/event_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/operation.h"
#include "checks/state/stream_state.h"

#define SOON 32 /* a device wait counts for the thread's next calls, two phases each */

static bool memory_known_use(struct acl_object *s, uint64_t base, bool *pending)
{
	struct stream_state *state = stream_state(s);
	bool found = false;

	for (unsigned i = 0; i < STREAM_USES && !*pending; i++) {
		uint64_t at = load_acquire(&state->uses[i].position);

		if (!at || (load_relaxed(&state->uses[i].dst) != base &&
				   load_relaxed(&state->uses[i].src) != base))
			continue;
		found = true;
		*pending = stream_pending(s, at);
	}
	return found;
}

/* What the task uses; the first entry of a batch stands for it. */
static void stream_use_enter(struct checks *c, struct acl_call_record *call)
{
	uint64_t position = call->state.position;
	const struct operation *op;
	struct stream_use *use;
	struct op_entry e;

	if (!stream_of(call) || !position || call->state.capture)
		return;
	op = operation_of(c, call);
	if (!op->n_entries)
		return;
	e = operation_entry(op, 0);
	use = &stream_state(stream_of(call))->uses[position % STREAM_USES];
	/* Position 0 while the entry is changed: it then tells nothing. */
	store_release(&use->position, 0);
	store_release(&use->dst, e.dst && e.dst->block.block ? e.dst->block.base : 0);
	store_release(&use->src, e.src && e.src->block.block ? e.src->block.base : 0);
	store_release(&use->position, position);
}

/* --- the waits -------------------------------------------------------------------------- */

static bool wait_time_is_over(const struct acl_call_record *call)
{
	return error_of(call) == 507046 || error_of(call) == 507047;
}

static void wait_timed_out(struct checks *c, struct acl_call_record *call)
{
	struct acl_thread *t = thread_of(call);
	struct acl_object *o;
	bool known;

	if (!is_checked(call) || !wait_time_is_over(call))
		return;
	switch (acl_apis[call->api].operation) {
	case ACL_OP_SYNCHRONISE_STREAM:
		o = stream_of(call);
		break;
	case ACL_OP_SYNCHRONISE_EVENT:
		o = event_of(call);
		break;
	default:
		o = context_current(c, t, &known);
	}
	if (!o)
		return;
	rule_evaluated(call, RULE("sync-timeout-ignored"));
	t->timed_out.what = object_ref(o);
	t->timed_out.at = t->phase;
}

static void device_wait_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_thread *t = thread_of(call);
	bool known;
	struct acl_object *context = context_current(c, t, &known);

	t->device_wait.what = context && succeeded(call) ? object_ref(context) : 0;
	t->device_wait.at = t->phase;
}

/* --- the release ------------------------------------------------------------------------- */

static void say_timeout(struct checks *c, struct acl_call_record *call, struct acl_object *waited,
	struct acl_object *o, const struct acl_block *block)
{
	FINDING_BROKEN(c, call, RULE("sync-timeout-ignored"),
		PARTS(part_object("waited for", waited), part_object(acl_handle_names[o->kind], o),
			part_block("memory in use", block)),
		"the call before waited for this %s, and its time was over before the tasks were",
		acl_handle_names[waited->kind]);
}

/* The object of a timed-out wait, when this is the thread's next call. */
static struct acl_object *just_timed_out(struct checks *c, const struct acl_call_record *call)
{
	struct acl_thread *t = thread_of(call);
	struct acl_object *o =
		t->timed_out.what && t->timed_out.at + 1 == t->phase ? object_of(c, t->timed_out.what) : NULL;

	t->timed_out.what = 0;
	return o && object_usable(o) && !call->in_exit ? o : NULL;
}

static void freeing_after_timeout(
	struct checks *c, struct acl_call_record *call, const struct block_lookup *place)
{
	struct acl_object *waited = just_timed_out(c, call), *s;
	bool pending = false;

	if (!waited || waited->kind == ACL_HANDLE_EVENT)
		return;
	object_each(c, ACL_HANDLE_STREAM, s)
	{
		if (!object_usable(s) || (waited != s && load_relaxed(&s->context) != object_ref(waited)))
			continue;
		if (memory_known_use(s, place->base, &pending) && pending) {
			say_timeout(c, call, waited, s, place->block);
			return;
		}
	}
}

static void freeing_after_device_wait(
	struct checks *c, struct acl_call_record *call, const struct block_lookup *place)
{
	struct acl_thread *t = thread_of(call);
	acl_ref ref = t->device_wait.what;
	struct acl_object *context = t->phase - t->device_wait.at <= SOON ? object_of(c, ref) : NULL, *s;
	bool pending = false;

	if (!context || !object_usable(context) || call->in_exit)
		return;
	object_each(c, ACL_HANDLE_STREAM, s)
	{
		if (!object_usable(s) || !load_relaxed(&s->context) || load_relaxed(&s->context) == ref ||
			load_relaxed(&s->device) != load_relaxed(&context->device) ||
			!memory_known_use(s, place->base, &pending))
			continue;
		FINDING(c, call, "sync-device-scope", pending,
			PARTS(part_object("waited for", context), part_object("stream", s),
				part_block("memory in use", place->block)),
			"the device wait before was for the streams of one context; a stream of another one "
			"of device %d uses this memory",
			load_relaxed(&s->device));
		return;
	}
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

static const struct check_hook hooks[] = {
	{ON_GROUP(COPY), ACL_ENTER | ACL_IF_ASYNC, stream_use_enter},
	{ON_GROUP(SET), ACL_ENTER | ACL_IF_ASYNC, stream_use_enter},
	{ON_GROUP(REDUCE), ACL_ENTER | ACL_IF_ASYNC, stream_use_enter},
	{ON_OP(SYNCHRONISE_STREAM), ACL_FAILED, wait_timed_out},
	{ON_OP(SYNCHRONISE_EVENT), ACL_FAILED, wait_timed_out},
	{ON_OP(SYNCHRONISE_DEVICE), ACL_FAILED, wait_timed_out},
	{ON_OP(SYNCHRONISE_DEVICE), ACL_LEAVE, device_wait_leave},
	{ON_OP(FREE_DEVICE), ACL_ENTER, memory_free_enter},
	{ON_OP(FREE_HOST), ACL_ENTER, memory_free_enter},
	{ON_OP(DESTROY_EVENT), ACL_ENTER, awaited_destroy_enter},
	{ON_OP(DESTROY_STREAM), ACL_ENTER, awaited_destroy_enter},
};

const struct check_module module_unfinished = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
