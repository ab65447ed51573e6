/* SPDX-License-Identifier: Apache-2.0 */
/* Reset of a device and the order of releases before it. */
#include "checks/engine/finding_report.h"
#include "checks/state/capture_state.h"
#include "checks/state/device_state.h"
#include "checks/state/event_state.h"
#include "checks/state/notify_state.h"

static const struct {
	uint8_t kind;
	const char *one, *many;
} judged_kinds[] = {
	{ACL_HANDLE_CONTEXT, "context", "contexts"},
	{ACL_HANDLE_STREAM, "stream", "streams"},
	{ACL_HANDLE_EVENT, "event", "events"},
	{ACL_HANDLE_NOTIFY, "notify", "notifies"},
	{ACL_HANDLE_CNT_NOTIFY, "count notify", "count notifies"},
	{ACL_HANDLE_LABEL, "label", "labels"},
};
#define N_KINDS (sizeof(judged_kinds) / sizeof(judged_kinds[0]))

/* Objects the program created on the device and still has. */
struct leftover {
	unsigned count[N_KINDS];
	unsigned total, default_streams; /* default_streams: streams of the default context, the reset takes
					    them along */
	acl_ref sample[ACL_FINDING_OBJECTS];
	unsigned n_samples;
};

static bool left_over(struct acl_object *o, int device)
{
	/* Imported notifies are a subject of their own. */
	if (o->kind == ACL_HANDLE_NOTIFY && load_relaxed(&notify_state(o)->flags) & NOTIFY_IMPORTED)
		return false;
	return object_usable(o) && load_relaxed(&o->device) == device &&
	       !(load_relaxed(&o->flags) & (ACL_OBJECT_DEFAULT | ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED));
}

static void survey(struct checks *c, int device, struct leftover *left)
{
	acl_ref dflt = load_relaxed(&device_at(c, device)->context);
	struct acl_object *o;

	for (unsigned k = 0; k < N_KINDS; k++) {
		bool sampled = false;

		object_each(c, judged_kinds[k].kind, o)
		{
			if (!left_over(o, device))
				continue;
			/* A capture in progress is a finding of its own. */
			if (o->kind == ACL_HANDLE_STREAM && capture_of(c, o))
				continue;
			left->count[k]++;
			left->total++;
			left->default_streams +=
				o->kind == ACL_HANDLE_STREAM && load_relaxed(&o->context) == dflt;
			atomic_fetch_or(&o->flags, ACL_OBJECT_REPORTED);
			if (!sampled && left->n_samples < ACL_FINDING_OBJECTS)
				left->sample[left->n_samples++] = object_ref(o);
			sampled = true;
		}
	}
}

static void report_left(
	struct checks *c, struct acl_call_record *call, int device, const struct leftover *left)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;
	const char *comma = "";

	/* Newer documents let the reset release the streams of the default context; nothing else. */
	if (left->default_streams < left->total)
		grade.relaxed_to = NOT_RELAXED;
	if (call->in_exit)
		grade.severity = ACL_SEV_WARNING;
	f = finding_begin_as(c, call, RULE("device-reset-with-live-objects"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "device %d goes out of use while the program still has ", device);
	for (unsigned k = 0; k < N_KINDS; k++) {
		if (!left->count[k])
			continue;
		finding_more(f, "%s%u %s", comma, left->count[k],
			left->count[k] == 1 ? judged_kinds[k].one : judged_kinds[k].many);
		finding_uint(f, judged_kinds[k].many, left->count[k]);
		comma = ", ";
	}
	finding_more(f, " on it");
	for (unsigned i = 0; i < left->n_samples; i++)
		finding_object(c, f, "still alive", object_of(c, left->sample[i]));
	finding_show(c, f);
}

static void reset_enter(struct checks *c, struct acl_call_record *call)
{
	struct leftover left = {0};
	int device = device_argument(call);

	if (!is_checked(call) || !device_reset_is_last(c, call, device))
		return;
	survey(c, device, &left);
	if (rule_broken(call, RULE("device-reset-with-live-objects"), left.total))
		report_left(c, call, device, &left);
}

/* --- order of release ------------------------------------------------------------- */

static void report_order(
	struct checks *c, struct acl_call_record *call, struct acl_object *event, struct acl_object *before)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, call, RULE("device-reset-release-order"), &room);

	if (!f)
		return;
	finding_detail(f, "the event is destroyed after the %s it was used with",
		before->kind == ACL_HANDLE_STREAM ? "stream" : "context");
	finding_object(c, f, "event", event);
	finding_object(c, f, "destroyed before", before);
	finding_show(c, f);
}

/* Died by a call of its own, not with a reset or another object. */
static bool destroyed_before(struct acl_object *o)
{
	return o && !object_usable(o) && !(load_relaxed(&o->flags) & ACL_OBJECT_BY_OWNER);
}

static void event_destroy(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *e = event_of(call), *context;

	if (!e || !object_usable(e))
		return;
	rule_evaluated(call, RULE("device-reset-release-order"));
	for (unsigned i = 0; i < 2; i++) {
		struct acl_object *s = object_of(c, load_relaxed(&event_state(e)->seen[i]));

		if (destroyed_before(s)) {
			report_order(c, call, e, s);
			return;
		}
	}
	context = object_of(c, load_relaxed(&e->context));
	if (destroyed_before(context))
		report_order(c, call, e, context);
}

static const struct check_hook hooks[] = {
	{ON_OP(DEVICE_RESET), ACL_ENTER, reset_enter},
	{ON_OP(DESTROY_EVENT), ACL_ENTER, event_destroy},
};

const struct check_module module_reset = {.hooks = hooks, .n_hooks = sizeof(hooks) / sizeof(hooks[0])};
