/* SPDX-License-Identifier: Apache-2.0 */
/* Limits: cores for devices and streams (ResLimit), and what a device keeps for kernels (DeviceSetLimit). */
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

#define CORE_LIMITS 2 /* cube and vector cores */
#define DEVICE_LIMITS 8

struct limits_state {
	struct pairs stream; /* key of a stream's acl_ref and a type -> 1 + value */
	struct pairs device; /* key of a device and a type -> 1 + value */
	struct pairs used; /* key of a thread -> acl_ref of the stream whose limits it works with */
	_Atomic uint64_t kept[DEVICE_LIMITS]; /* 1 + value last set or told, by aclrtDeviceLimit */
};

static struct limits_state *limits(struct checks *c)
{
	return c->topic[TOPIC_LIMITS];
}

static bool made(struct acl_object *s)
{
	return s && object_usable(s) && !(ld(&s->flags) & ACL_OBJECT_LEARNED);
}

/* --- core limits, set late ------------------------------------------------------------------ */

static uint64_t stream_key(struct acl_object *s, unsigned type)
{
	return key_of_two(object_ref(s), type);
}

/* A model captured on the stream (or on any of the device), ready to run with what it was captured with. */
static bool captured_on(struct checks *c, struct acl_object *stream, int device)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_MODEL, o)
	{
		if (!object_usable(o) || ld(&model_state(o)->status) != MODEL_READY ||
			!ld(&model_state(o)->tasks))
			continue;
		if (stream ? ld(&model_state(o)->origin) == object_ref(stream) : ld(&o->device) == device)
			return true;
	}
	return false;
}

static bool launched_on(struct checks *c, int device)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_STREAM,
		o) if (ld(&o->device) == device && ld(&stream_state(o)->kernel)) return true;
	return false;
}

static void say_late(struct checks *c, struct acl_event *ev, bool launched, struct acl_object *stream)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_first(c, ev, RULE("res-limit-late"), &room);

	if (!f)
		return;
	finding_detail(f, launched ? "Kernels were launched before: they run with the former limit."
				   : "Models were captured before: their tasks keep the former limit.");
	if (stream)
		finding_object(c, f, "stream", stream);
	finding_show(c, f);
}

static void limiting_stream(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtSetStreamResLimit *a = ev->args;
	struct acl_object *s = stream_of(ev);
	bool launched;

	if (!made(s) || ev->carry[CARRY_FINDING])
		return;
	launched = ld(&stream_state(s)->kernel) != 0;
	rule_asked(ev, RULE("res-limit-late"));
	if ((launched || captured_on(c, s, -1)) &&
		pairs_value(&limits(c)->stream, stream_key(s, a->type)) != 1 + (uint64_t)a->value)
		say_late(c, ev, launched, s);
}

static void limiting_device(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtSetDeviceResLimit *a = ev->args;
	bool launched;

	if (!device_at(c, a->deviceId) || ev->carry[CARRY_FINDING])
		return;
	launched = launched_on(c, a->deviceId);
	rule_asked(ev, RULE("res-limit-late"));
	if ((launched || captured_on(c, NULL, a->deviceId)) &&
		pairs_value(&limits(c)->device, key_of_two((uint32_t)a->deviceId, a->type)) !=
			1 + (uint64_t)a->value)
		say_late(c, ev, launched, NULL);
}

static void stream_limited(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtSetStreamResLimit *a = ev->args;
	struct acl_object *s = stream_of(ev);

	if (s && succeeded(ev) && a->type < CORE_LIMITS)
		pairs_set(&limits(c)->stream, stream_key(s, a->type), 1 + (uint64_t)a->value);
}

static void stream_unlimited(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);

	for (unsigned type = 0; s && succeeded(ev) && type < CORE_LIMITS; type++)
		if (pairs_value(&limits(c)->stream, stream_key(s, type)))
			pairs_set(&limits(c)->stream, stream_key(s, type), 0);
}

static void device_limited(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtSetDeviceResLimit *a = ev->args;

	if (succeeded(ev) && device_at(c, a->deviceId) && a->type < CORE_LIMITS)
		pairs_set(&limits(c)->device, key_of_two((uint32_t)a->deviceId, a->type),
			1 + (uint64_t)a->value);
}

static void device_unlimited(struct checks *c, struct acl_event *ev)
{
	int device = ACL_ARGS(ev, aclrtResetDeviceResLimit)->deviceId;

	for (unsigned type = 0; succeeded(ev) && device_at(c, device) && type < CORE_LIMITS; type++)
		if (pairs_value(&limits(c)->device, key_of_two((uint32_t)device, type)))
			pairs_set(&limits(c)->device, key_of_two((uint32_t)device, type), 0);
}

/* --- a stream's limits for a thread ------------------------------------------------------------ */

/* The id of a thread that has ended may be given to another one. */
static uint64_t thread_key(const struct acl_event *ev)
{
	return key_of_two(ev->pthread_id, ev->tid);
}

static bool limited(struct checks *c, struct acl_object *s)
{
	for (unsigned type = 0; type < CORE_LIMITS; type++)
		if (pairs_value(&limits(c)->stream, stream_key(s, type)))
			return true;
	return false;
}

static void say_use(struct checks *c, struct acl_event *ev, struct acl_object *stream,
	struct acl_object *other, const char *detail)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_first(c, ev, RULE("use-stream-res-without-limit"), &room);

	if (!f)
		return;
	f->at_leave = true;
	finding_detail(f, "%s", detail);
	finding_object(c, f, "stream", stream);
	if (other)
		finding_object(c, f, "the thread's", other);
	finding_show(c, f);
}

static void used(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);

	if (!s || !succeeded(ev))
		return;
	if (made(s) && !ld(&limits(c)->stream.full)) {
		rule_asked(ev, RULE("use-stream-res-without-limit"));
		if (!limited(c, s))
			say_use(c, ev, s, NULL, "aclrtSetStreamResLimit was not called for this stream.");
	}
	pairs_set(&limits(c)->used, thread_key(ev), object_ref(s));
}

static void unused(struct checks *c, struct acl_event *ev)
{
	uint64_t ref = pairs_value(&limits(c)->used, thread_key(ev));
	struct acl_object *s = stream_of(ev), *now = object_of(c, ref);

	if (!s || !succeeded(ev) || !ref)
		return;
	if (made(s) && now && object_usable(now)) {
		rule_asked(ev, RULE("use-stream-res-without-limit"));
		if (now != s)
			say_use(c, ev, s, now,
				"The thread works with the limits of another stream, and goes on doing so.");
	}
	if (ref == object_ref(s))
		pairs_set(&limits(c)->used, thread_key(ev), 0);
}

static void say_dead(struct checks *c, struct acl_event *ev, struct acl_object *stream, const char *detail)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_first(c, ev, RULE("stream-res-bound-to-dead-stream"), &room);

	if (!f)
		return;
	finding_detail(f, "%s", detail);
	if (stream)
		finding_object(c, f, "stream", stream);
	finding_show(c, f);
}

/* Whether other threads, that may have ended, work with its limits is not known. */
static void destroying(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);

	if (!s || !object_usable(s) || !ld(&limits(c)->used.used))
		return;
	rule_asked(ev, RULE("stream-res-bound-to-dead-stream"));
	if (pairs_value(&limits(c)->used, thread_key(ev)) == object_ref(s))
		say_dead(c, ev, s,
			"This thread works with the limits of the stream: "
			"aclrtUnuseStreamResInCurrentThread comes first.");
}

static void asking(struct checks *c, struct acl_event *ev)
{
	uint64_t ref = pairs_value(&limits(c)->used, thread_key(ev));
	struct acl_object *s = object_of(c, ref);

	if (!ref)
		return;
	rule_asked(ev, RULE("stream-res-bound-to-dead-stream"));
	if (!s || !object_usable(s))
		say_dead(c, ev, s, "The stream whose limits this thread works with is gone.");
}

/* --- limits of devices ---------------------------------------------------------------------------- */

static bool device_in_use(struct checks *c)
{
	for (int i = 0; i < ACL_DEVICES; i++)
		if (ld(&c->devices[i].sets) > 0)
			return true;
	return false;
}

#define STACK_UNIT (16u << 10)
#define STACK_LEAST (32u << 10)
#define STACK_MOST (7680u << 10) /* on the product that takes most */

static void say_configured(struct checks *c, struct acl_event *ev, const struct acl_rule *rule,
	uint64_t stack, const char *detail)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_first(c, ev, rule, &room);

	if (!f)
		return;
	f->at_leave = true;
	finding_detail(f, "The configuration asks for an AI Core stack of %llu bytes%s.",
		(unsigned long long)stack, detail);
	finding_bytes(f, "aicore_stack_size", stack);
	finding_show(c, f);
}

void limits_configured(struct checks *c, struct acl_event *ev, const struct checks_init_config *config)
{
	uint64_t stack = config->stack;

	if (!stack)
		return;
	if (c->device0_known) {
		rule_asked(ev, RULE("device-limit-visible-devices"));
		if (c->device0_hidden)
			say_configured(c, ev, RULE("device-limit-visible-devices"), stack,
				", and ASCEND_RT_VISIBLE_DEVICES hides device 0, by which that is done");
	}
	if (!succeeded(ev))
		return;
	rule_asked(ev, RULE("config-range-clamped"));
	if (stack % STACK_UNIT || stack < STACK_LEAST || stack > STACK_MOST)
		say_configured(c, ev, RULE("config-range-clamped"), stack,
			"; it is rounded up to 16 KiB and cut at what the product has");
}

static void say_kept(struct checks *c, struct acl_event *ev, const struct acl_rule *rule, const char *detail)
{
	const struct acl_args_aclrtDeviceSetLimit *a = ev->args;
	struct finding_buffer room;
	struct acl_finding *f = finding_first(c, ev, rule, &room);

	if (!f)
		return;
	finding_detail(f, "%s", detail);
	finding_enum(f, "limit", "aclrtDeviceLimit", a->limit);
	finding_uint(f, "value", a->value);
	finding_show(c, f);
}

static void keeping(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtDeviceSetLimit *a = ev->args;

	if (c->device0_known) {
		rule_asked(ev, RULE("device-limit-visible-devices"));
		if (c->device0_hidden)
			say_kept(c, ev, RULE("device-limit-visible-devices"),
				"ASCEND_RT_VISIBLE_DEVICES hides device 0, which this function works on.");
	}
	rule_asked(ev, RULE("device-limit-after-setdevice"));
	if (device_in_use(c) && (unsigned)a->limit < DEVICE_LIMITS &&
		ld(&limits(c)->kept[a->limit]) != 1 + (uint64_t)a->value)
		say_kept(c, ev, RULE("device-limit-after-setdevice"),
			"A device is set already: the new value counts after its last reset only.");
}

static void kept(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtDeviceSetLimit *a = ev->args;

	if (succeeded(ev) && (unsigned)a->limit < DEVICE_LIMITS)
		st(&limits(c)->kept[a->limit], 1 + (uint64_t)a->value);
}

static void told(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtDeviceGetLimit *a = ev->args;

	if (succeeded(ev) && a->value && (unsigned)a->limit < DEVICE_LIMITS)
		st(&limits(c)->kept[a->limit], 1 + (uint64_t)*a->value);
}

static bool limits_create(struct checks *c)
{
	c->topic[TOPIC_LIMITS] = checks_alloc(c, sizeof(struct limits_state));
	return c->topic[TOPIC_LIMITS] != NULL;
}

static void limits_forked(struct checks *c)
{
	st(&limits(c)->stream.lock.held, 0);
	st(&limits(c)->device.lock.held, 0);
	st(&limits(c)->used.lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtSetStreamResLimit, ACL_ENTER, limiting_stream},
	{ACL_API_aclrtSetStreamResLimit, ACL_LEAVE, stream_limited},
	{ACL_API_aclrtResetStreamResLimit, ACL_LEAVE, stream_unlimited},
	{ACL_API_aclrtSetDeviceResLimit, ACL_ENTER, limiting_device},
	{ACL_API_aclrtSetDeviceResLimit, ACL_LEAVE, device_limited},
	{ACL_API_aclrtResetDeviceResLimit, ACL_LEAVE, device_unlimited},
	{ACL_API_aclrtUseStreamResInCurrentThread, ACL_LEAVE, used},
	{ACL_API_aclrtUnuseStreamResInCurrentThread, ACL_LEAVE, unused},
	{ACL_API_aclrtDestroyStream, ACL_ENTER, destroying},
	{ACL_API_aclrtDestroyStreamForce, ACL_ENTER, destroying},
	{ACL_API_aclrtGetResInCurrentThread, ACL_ENTER, asking},
	{ACL_API_aclrtDeviceSetLimit, ACL_ENTER, keeping},
	{ACL_API_aclrtDeviceSetLimit, ACL_LEAVE, kept},
	{ACL_API_aclrtDeviceGetLimit, ACL_LEAVE, told},
};

const struct acl_topic topic_limits = {
	.name = "limits",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = limits_create,
	.forked = limits_forked,
};
