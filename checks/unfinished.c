/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits that did not wait for all: the time was over, or only one context of the
 * device was meant.  They harm when what tasks still use is released next.  What
 * the last copies and sets of a stream use is remembered for that.
 */
#include "checks/report.h"
#include "checks/state.h"

#define SOON 32 /* a device wait counts for the thread's next calls, two phases each */

static bool known_use(struct acl_object *s, uint64_t base, bool *pending)
{
	struct stream_state *state = stream_state(s);
	bool found = false;

	for (unsigned i = 0; i < STREAM_USES && !*pending; i++) {
		uint64_t at = ld_acquire(&state->uses[i].position);

		if (!at || (ld(&state->uses[i].dst) != base && ld(&state->uses[i].src) != base))
			continue;
		found = true;
		*pending = stream_pending(s, at);
	}
	return found;
}

static void uses(struct checks *c, struct acl_event *ev, const void *dst, const void *src)
{
	uint64_t position = ev->carry[CARRY_POSITION];
	struct stream_use *use;

	if (!stream_of(ev) || !position || ev->carry[CARRY_CAPTURE])
		return;
	use = &stream_state(stream_of(ev))->uses[position % STREAM_USES];
	/* Position 0 while the entry is changed: it then tells nothing. */
	st_release(&use->position, 0);
	st_release(&use->dst, place_of(c, ev, dst, 0)->base);
	st_release(&use->src, src ? place_of(c, ev, src, 1)->base : 0);
	st_release(&use->position, position);
}

static void copying(struct checks *c, struct acl_event *ev)
{
	uses(c, ev, ACL_ARGS(ev, aclrtMemcpyAsync)->dst, ACL_ARGS(ev, aclrtMemcpyAsync)->src);
}

static void setting(struct checks *c, struct acl_event *ev)
{
	uses(c, ev, ACL_ARGS(ev, aclrtMemsetAsync)->devPtr, NULL);
}

/* --- the waits -------------------------------------------------------------------------- */

static bool time_is_over(const struct acl_event *ev)
{
	return error_of(ev) == 507046 || error_of(ev) == 507047;
}

static void timed_out(struct checks *c, struct acl_event *ev)
{
	struct acl_thread *t = thread_of(ev);
	struct acl_object *o;
	bool known;

	if (!time_is_over(ev))
		return;
	o = ev->api == ACL_API_aclrtSynchronizeStreamWithTimeout  ? stream_of(ev)
	    : ev->api == ACL_API_aclrtSynchronizeEventWithTimeout ? event_of(ev)
								  : context_current(c, t, &known);
	if (!o)
		return;
	rule_asked(ev, RULE("sync-timeout-ignored"));
	t->timed_out.what = object_ref(o);
	t->timed_out.at = t->phase;
}

static void device_waited(struct checks *c, struct acl_event *ev)
{
	struct acl_thread *t = thread_of(ev);
	bool known;
	struct acl_object *context = context_current(c, t, &known);

	t->device_wait.what = context && succeeded(ev) ? object_ref(context) : 0;
	t->device_wait.at = t->phase;
}

/* --- the release ------------------------------------------------------------------------- */

static void say_timeout(struct checks *c, struct acl_event *ev, struct acl_object *waited,
	struct acl_object *o, const struct acl_place *place)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, ev, RULE("sync-timeout-ignored"), &room);

	if (!f)
		return;
	finding_detail(f, "the call before waited for this %s, and its time was over before the tasks were",
		acl_handle_names[waited->kind]);
	finding_object(c, f, "waited for", waited);
	finding_object(c, f, acl_handle_names[o->kind], o);
	if (place)
		finding_block(c, f, "memory in use", place->block);
	finding_show(c, f);
}

static void say_scope(struct checks *c, struct acl_event *ev, struct acl_object *context,
	struct acl_object *s, const struct acl_place *place)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, ev, RULE("sync-device-scope"), &room);

	if (!f)
		return;
	finding_detail(f,
		"the device wait before was for the streams of one context; a stream of another one of "
		"device %d uses this memory",
		ld(&s->device));
	finding_object(c, f, "waited for", context);
	finding_object(c, f, "stream", s);
	finding_block(c, f, "memory in use", place->block);
	finding_show(c, f);
}

/* The object of a timed-out wait, when this is the thread's next call. */
static struct acl_object *just_timed_out(struct checks *c, const struct acl_event *ev)
{
	struct acl_thread *t = thread_of(ev);
	struct acl_object *o =
		t->timed_out.what && t->timed_out.at + 1 == t->phase ? object_of(c, t->timed_out.what) : NULL;

	t->timed_out.what = 0;
	return o && object_usable(o) && !ev->carry[CARRY_FINDING] && !ev->in_exit ? o : NULL;
}

static void freeing_after_timeout(struct checks *c, struct acl_event *ev, const struct acl_place *place)
{
	struct acl_object *waited = just_timed_out(c, ev), *s;
	bool pending = false;

	if (!waited || waited->kind == ACL_HANDLE_EVENT)
		return;
	object_each(c, ACL_HANDLE_STREAM, s)
	{
		if (!object_usable(s) || (waited != s && ld(&s->context) != object_ref(waited)))
			continue;
		if (known_use(s, place->base, &pending) && pending) {
			say_timeout(c, ev, waited, s, place);
			return;
		}
	}
}

static void freeing_after_device_wait(struct checks *c, struct acl_event *ev, const struct acl_place *place)
{
	struct acl_thread *t = thread_of(ev);
	acl_ref ref = t->device_wait.what;
	struct acl_object *context = t->phase - t->device_wait.at <= SOON ? object_of(c, ref) : NULL, *s;
	bool pending = false;

	if (!context || !object_usable(context) || ev->carry[CARRY_FINDING] || ev->in_exit)
		return;
	object_each(c, ACL_HANDLE_STREAM, s)
	{
		if (!object_usable(s) || !ld(&s->context) || ld(&s->context) == ref ||
			ld(&s->device) != ld(&context->device) || !known_use(s, place->base, &pending))
			continue;
		rule_asked(ev, RULE("sync-device-scope"));
		if (pending)
			say_scope(c, ev, context, s, place);
		return;
	}
}

static void freeing(struct checks *c, struct acl_event *ev)
{
	const void *address = ACL_ARGS(ev, aclrtFree)->devPtr;
	struct acl_thread *t = thread_of(ev);
	const struct acl_place *place;

	if (!t->timed_out.what && !t->device_wait.what)
		return;
	place = place_of(c, ev, address, 0);
	if (!place->block || place->base != (uintptr_t)address)
		return;
	freeing_after_timeout(c, ev, place);
	freeing_after_device_wait(c, ev, place);
}

_Static_assert(
	offsetof(struct acl_args_aclrtFree, devPtr) == offsetof(struct acl_args_aclrtFreeHost, hostPtr),
	"forms of the free differ");

/* A forced destroy gives the tasks up: a legal answer. */
static void destroying(struct checks *c, struct acl_event *ev)
{
	struct acl_object *waited = thread_of(ev)->timed_out.what ? just_timed_out(c, ev) : NULL;

	if (waited && (waited == stream_of(ev) || waited == event_of(ev)))
		say_timeout(c, ev, waited, waited, NULL);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtMemcpyAsync, ACL_ENTER, copying},
	{ACL_API_aclrtMemsetAsync, ACL_ENTER, setting},
	{ACL_API_aclrtSynchronizeStreamWithTimeout, ACL_FAILED, timed_out},
	{ACL_API_aclrtSynchronizeEventWithTimeout, ACL_FAILED, timed_out},
	{ACL_API_aclrtSynchronizeDeviceWithTimeout, ACL_FAILED, timed_out},
	{ACL_API_aclrtSynchronizeDevice, ACL_LEAVE, device_waited},
	{ACL_API_aclrtSynchronizeDeviceWithTimeout, ACL_LEAVE, device_waited},
	{ACL_API_aclrtFree, ACL_ENTER, freeing},
	{ACL_API_aclrtFreeHost, ACL_ENTER, freeing},
	{ACL_API_aclrtDestroyStream, ACL_ENTER, destroying},
	{ACL_API_aclrtDestroyEvent, ACL_ENTER, destroying},
};

const struct acl_topic topic_unfinished = {
	.name = "unfinished waits",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
