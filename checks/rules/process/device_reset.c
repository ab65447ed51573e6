/* SPDX-License-Identifier: Apache-2.0 */
/* Reset of a device and the order of releases before it. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/plain_format.h"
#include "checks/state/capture_state.h"
#include "checks/state/device_state.h"
#include "checks/state/event_state.h"
#include "checks/state/notify_state.h"

static const struct {
	uint8_t kind;
	const char *one, *many;
} counted_kinds[] = {
	{ACL_HANDLE_CONTEXT, "context", "contexts"},
	{ACL_HANDLE_STREAM, "stream", "streams"},
	{ACL_HANDLE_EVENT, "event", "events"},
	{ACL_HANDLE_NOTIFY, "notify", "notifies"},
	{ACL_HANDLE_CNT_NOTIFY, "count notify", "count notifies"},
	{ACL_HANDLE_LABEL, "label", "labels"},
};
#define N_KINDS (sizeof(counted_kinds) / sizeof(counted_kinds[0]))

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

		object_each(c, counted_kinds[k].kind, o)
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
			object_reported(o);
			if (!sampled && left->n_samples < ACL_FINDING_OBJECTS)
				left->sample[left->n_samples++] = object_ref(o);
			sampled = true;
		}
	}
}

/* "2 streams, 1 event" */
static const char *left_text(const struct leftover *left, char out[160])
{
	size_t at = 0;

	out[0] = 0;
	for (unsigned k = 0; k < N_KINDS; k++) {
		if (!left->count[k])
			continue;
		plain_print(out + at, 160 - at, "%s%u %s", at ? ", " : "", left->count[k],
			left->count[k] == 1 ? counted_kinds[k].one : counted_kinds[k].many);
		at += strlen(out + at);
	}
	return out;
}

static struct finding_part count_part(const struct leftover *left, unsigned k)
{
	return left->count[k] ? part_uint(counted_kinds[k].many, left->count[k]) : part_none();
}

static struct finding_part sample_part(struct checks *c, const struct leftover *left, unsigned i)
{
	return part_object("still alive", i < left->n_samples ? object_of(c, left->sample[i]) : NULL);
}

static void check_left(
	struct checks *c, struct acl_call_record *call, int device, const struct leftover *left)
{
	/* Newer documents let the reset release the streams of the default context; nothing else. */
	bool only_default_streams = left->default_streams == left->total;
	char text[160];

	_Static_assert(N_KINDS == 6, "one part a kind");
	FINDING(c, call, "device-reset-with-live-objects", left->total,
		PARTS(only_default_streams ? part_none() : part_relaxed_to(NOT_RELAXED), part_late(call),
			count_part(left, 0), count_part(left, 1), count_part(left, 2), count_part(left, 3),
			count_part(left, 4), count_part(left, 5), sample_part(c, left, 0),
			sample_part(c, left, 1), sample_part(c, left, 2), sample_part(c, left, 3)),
		"Device %d goes out of use while the program still has %s on it.", device,
		left_text(left, text));
}

static void device_reset_check(struct checks *c, struct acl_call_record *call)
{
	struct leftover left = {0};
	int device = device_argument(call);

	if (!is_checked(call) || !device_reset_counts_left(c, call) || !device_reset_is_last(c, call, device))
		return;
	survey(c, device, &left);
	check_left(c, call, device, &left);
}

/* --- order of release ------------------------------------------------------------- */

/* Died by a call of its own, not with a reset or another object. */
static bool destroyed_before(struct acl_object *o)
{
	return o && !object_usable(o) && !(load_relaxed(&o->flags) & ACL_OBJECT_BY_OWNER);
}

static void event_destroy(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *e = event_of(call), *before[3], *first = NULL;

	if (!e || !object_usable(e))
		return;
	before[0] = object_of(c, load_relaxed(&event_state(e)->stream));
	before[1] = object_of(c, load_relaxed(&event_state(e)->wait.stream));
	before[2] = object_of(c, load_relaxed(&e->context));
	for (unsigned i = 0; i < 3 && !first; i++)
		if (destroyed_before(before[i]))
			first = before[i];
	FINDING(c, call, "device-reset-release-order", first,
		PARTS(part_object("event", e), part_object("destroyed before", first)),
		"The event is destroyed after the %s it was used with.",
		first->kind == ACL_HANDLE_STREAM ? "stream" : "context");
}

static const struct check_hook hooks[] = {
	{ON_OP(DEVICE_RESET), ACL_ENTER, device_reset_check},
	{ON_OP(DEVICE_RESET), ACL_LEAVE, device_reset_check},
	{ON_OP(DESTROY_EVENT), ACL_ENTER, event_destroy},
};

const struct check_module module_reset = {.hooks = hooks, .n_hooks = sizeof(hooks) / sizeof(hooks[0])};
