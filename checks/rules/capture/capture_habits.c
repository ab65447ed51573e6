/* SPDX-License-Identifier: Apache-2.0 */
/* What is permitted while streams are captured and seldom meant: it happens once, or in an order of chance.
 */
#include "checks/engine/finding_statement.h"
#include "checks/engine/value_table.h"
#include "checks/state/capture_streams.h"
#include "checks/state/capture_threads.h"
#include "checks/state/device_state.h"
#include "checks/state/operation.h"
#include "checks/state/stream_state.h"

/* --- memory that is set now, and used by tasks that run later ------------------------------- */

static bool mode_permits(struct checks *c, const struct acl_call_record *call)
{
	bool known;
	struct acl_object *context = context_current(c, thread_of(call), &known);

	return !capture_mode_forbids(capture_mode_of_context(context),
		capture_mode_of_thread(thread_of(call)), load_relaxed(&thread_of(call)->exchange));
}

#define ROWS 256 /* that are looked at */

/* The first captured range that the bytes of the access touch. */
static bool captured_range_met(
	struct acl_object *capture, const struct op_access *a, struct capture_range *used)
{
	uint64_t address = (uintptr_t)a->address;

	if (a->rows == 1 || a->pitch == a->width)
		return capture_range_at(capture, address, a->span, used);
	for (uint64_t row = 0; row < a->rows && row < ROWS; row++)
		if (capture_range_at(capture, address + row * a->pitch, a->width, used))
			return true;
	return false;
}

static bool written_now(
	struct checks *c, struct acl_call_record *call, struct acl_object *capture, const struct op_access *a)
{
	struct capture_range used = {.bytes = 0};

	return a && a->address && a->span &&
	       FINDING(c, call, "capture-sync-memop-not-recorded", captured_range_met(capture, a, &used),
		       PARTS(part_address(a->name, a->address), part_bytes("bytes", a->span),
			       part_api("captured task", used.at.api),
			       part_handle("its memory", used.address), part_object("capture", capture),
			       part_used_at(&used.at)),
		       "%s writes this memory now and once, and a task captured before (%s) uses it at every "
		       "replay.",
		       acl_apis[call->api].name, acl_apis[used.at.api].name);
}

/* A thread may capture several models at once, and the body of a condition within its model. */
static void capture_memop_enter(struct checks *c, struct acl_call_record *call)
{
	uint32_t at = 0;
	struct acl_object *capture = capture_by_thread_next(c, call, &at);
	const struct operation *op;

	if (!capture || !mode_permits(c, call))
		return;
	op = operation_of(c, call);
	for (; capture; capture = capture_by_thread_next(c, call, &at))
		for (uint64_t i = 0; i < op->n_entries; i++)
			if (written_now(c, call, capture, operation_entry(op, i).dst))
				return;
}

/* --- two threads on one stream ----------------------------------------------------------------- */

static void capture_together_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_thread *other;
	unsigned inside;

	if (!call->state.capture || !stream_of(call))
		return;
	other = capture_other_thread(c, call);
	inside = other ? thread_inside(c, other) : 0;
	FINDING(c, call, "capture-concurrent-host-use", inside,
		PARTS(part_uint("thread", load_relaxed(&other->tid)), part_api("its call", inside - 1),
			part_object("stream", stream_of(call)),
			part_object("capture", capture_of(c, stream_of(call)))),
		"Thread %u is in the middle of %s on the same stream: which task is captured first is a "
		"matter of "
		"luck.",
		load_relaxed(&other->tid), acl_apis[inside - 1].name);
}

/* --- what is not part of the model ----------------------------------------------------------------- */

struct capture_habits {
	struct value_table reported; /* acl_ref of a capture -> 1: that it holds no allocations was said */
};

/* Who exchanges the mode around the call knows what becomes of it. */
static void capture_allocation_enter(struct checks *c, struct acl_call_record *call)
{
	struct value_table *reported = &((struct capture_habits *)module_state(c, capture_habits))->reported;
	struct acl_object *capture = capture_by_thread(c, call);
	unsigned exchange = load_relaxed(&thread_of(call)->exchange);

	/* Those that wait for the device are refused. */
	if (!capture || call->callback_depth || acl_apis[call->api].mode == ACL_MODE_BLOCKING ||
		exchange != load_relaxed(&model_state(capture)->exchange))
		return;
	FINDING(c, call, "capture-alloc-not-replayed", !value_table_value(reported, object_ref(capture)),
		PARTS(part_object("captured stream", capture_origin(c, capture)),
			part_object("capture", capture)),
		"%s happens now and once: a replay uses the addresses that were captured, so that what tasks "
		"use "
		"has to live as long as the model.",
		acl_apis[call->api].name);
	value_table_set_object(c, reported, capture, 1);
}

/* --- errors -------------------------------------------------------------------------------------------- */

static void capture_failure_end(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *capture = capture_of(c, s);
	struct capture_failure f;

	if (!capture || load_relaxed(&model_state(capture)->origin) != object_ref(s))
		return;
	f = capture_failure(capture);
	/* Without a model none lacks a task. */
	FINDING(c, call, "capture-error-ignored", f.ignored && !f.lost,
		PARTS(part_api("failed call", f.at.api), part_error("its result", f.error),
			part_consequence_of(f.finding), part_object("capture", capture), part_used_at(&f.at)),
		"%s returned %d and captured nothing, and the capture went on with other tasks: the model "
		"lacks this "
		"one.",
		acl_apis[f.at.api].name, f.error);
}

static void capture_habits_bind(void (*add)(void *, unsigned, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < acl_api_count; api++) {
		if (acl_apis[api].capture == ACL_CAPTURE_ILLEGAL_GLOBAL_OR_THREAD_LOCAL)
			add(binder, api, ACL_ENTER | ACL_WHEN(CAPTURES), capture_memop_enter);
		if (acl_apis[api].capture == ACL_CAPTURE_CAPTURED)
			add(binder, api, ACL_ENTER | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL,
				capture_together_enter);
	}
}

static const struct check_hook hooks[] = {
	{ON_OP(ALLOCATE_DEVICE), ACL_ENTER | ACL_WHEN(CAPTURES), capture_allocation_enter},
	{ON_OP(ALLOCATE_HOST), ACL_ENTER | ACL_WHEN(CAPTURES), capture_allocation_enter},
	{ON_OP(ALLOCATE_MANAGED), ACL_ENTER | ACL_WHEN(CAPTURES), capture_allocation_enter},
	{ON_OP(ALLOCATE_POOL), ACL_ENTER | ACL_WHEN(CAPTURES), capture_allocation_enter},
	{ON_OP(FREE_DEVICE), ACL_ENTER | ACL_WHEN(CAPTURES), capture_allocation_enter},
	{ON_OP(FREE_HOST), ACL_ENTER | ACL_WHEN(CAPTURES), capture_allocation_enter},
	{ON_OP(CAPTURE_END), ACL_ENTER, capture_failure_end},
};

const struct check_module module_capture_habits = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = capture_habits_bind,
	.state_size = sizeof(struct capture_habits),
};
