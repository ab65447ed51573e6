/* SPDX-License-Identifier: Apache-2.0 */
/* Limits: cores for devices and streams (ResLimit), and what a device keeps for kernels (DeviceSetLimit). */
#include "checks/rules/kernel/device_limits.h"
#include "checks/engine/finding_report.h"
#include "checks/engine/value_table.h"
#include "checks/state/capture_state.h"
#include "checks/state/device_state.h"
#include "checks/state/stream_state.h"

#define CORE_LIMITS 2 /* cube and vector cores */
#define DEVICE_LIMITS 8

struct limits_state {
	struct value_table stream; /* key of a stream's acl_ref and a type -> 1 + value */
	struct value_table device; /* key of a device and a type -> 1 + value */
	struct value_table used; /* key of a thread -> acl_ref of the stream whose limits it works with */
	_Atomic uint64_t kept[DEVICE_LIMITS]; /* 1 + value last set or told, by aclrtDeviceLimit */
};

static struct limits_state *limits(struct checks *c)
{
	return module_state(c, limits);
}

static bool made(struct acl_object *s)
{
	return s && object_usable(s) && !(load_relaxed(&s->flags) & ACL_OBJECT_LEARNED);
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
		if (!object_usable(o) || load_relaxed(&model_state(o)->status) != MODEL_READY ||
			!load_relaxed(&model_state(o)->tasks))
			continue;
		if (stream ? load_relaxed(&model_state(o)->origin) == object_ref(stream)
			   : load_relaxed(&o->device) == device)
			return true;
	}
	return false;
}

static bool launched_on(struct checks *c, int device)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_STREAM, o) if (load_relaxed(&o->device) == device &&
						 load_relaxed(&stream_state(o)->kernel)) return true;
	return false;
}

static void say_late(struct checks *c, struct acl_call_record *call, bool launched, struct acl_object *stream)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, call, RULE("res-limit-late"), &room);

	if (!f)
		return;
	finding_detail(f, launched ? "Kernels were launched before: they run with the former limit."
				   : "Models were captured before: their tasks keep the former limit.");
	if (stream)
		finding_object(c, f, "stream", stream);
	finding_show(c, f);
}

static void limiting_stream(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtSetStreamResLimit *a = call->args;
	struct acl_object *s = stream_of(call);
	bool launched;

	if (!made(s))
		return;
	launched = load_relaxed(&stream_state(s)->kernel) != 0;
	rule_evaluated(call, RULE("res-limit-late"));
	if ((launched || captured_on(c, s, -1)) &&
		value_table_value(&limits(c)->stream, stream_key(s, a->type)) != 1 + (uint64_t)a->value)
		say_late(c, call, launched, s);
}

static void limiting_device(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtSetDeviceResLimit *a = call->args;
	bool launched;

	if (!device_at(c, a->deviceId))
		return;
	launched = launched_on(c, a->deviceId);
	rule_evaluated(call, RULE("res-limit-late"));
	if ((launched || captured_on(c, NULL, a->deviceId)) &&
		value_table_value(&limits(c)->device, key_of_two((uint32_t)a->deviceId, a->type)) !=
			1 + (uint64_t)a->value)
		say_late(c, call, launched, NULL);
}

static void stream_limited(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtSetStreamResLimit *a = call->args;
	struct acl_object *s = stream_of(call);

	if (s && succeeded(call) && a->type < CORE_LIMITS)
		value_table_set_of(
			c, &limits(c)->stream, object_ref(s), stream_key(s, a->type), 1 + (uint64_t)a->value);
}

static void stream_unlimited(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	for (unsigned type = 0; s && succeeded(call) && type < CORE_LIMITS; type++)
		if (value_table_value(&limits(c)->stream, stream_key(s, type)))
			value_table_set_of(c, &limits(c)->stream, object_ref(s), stream_key(s, type), 0);
}

static void device_limited(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtSetDeviceResLimit *a = call->args;

	if (succeeded(call) && device_at(c, a->deviceId) && a->type < CORE_LIMITS)
		value_table_set(c, &limits(c)->device, key_of_two((uint32_t)a->deviceId, a->type),
			1 + (uint64_t)a->value);
}

static void device_unlimited(struct checks *c, struct acl_call_record *call)
{
	int device = ACL_ARGS(call, aclrtResetDeviceResLimit)->deviceId;

	for (unsigned type = 0; succeeded(call) && device_at(c, device) && type < CORE_LIMITS; type++)
		if (value_table_value(&limits(c)->device, key_of_two((uint32_t)device, type)))
			value_table_set(c, &limits(c)->device, key_of_two((uint32_t)device, type), 0);
}

/* --- a stream's limits for a thread ------------------------------------------------------------ */

/* The id of a thread that has ended may be given to another one. */
static uint64_t thread_key(const struct acl_call_record *call)
{
	return key_of_two(call->pthread_id, call->tid);
}

static bool limited(struct checks *c, struct acl_object *s)
{
	for (unsigned type = 0; type < CORE_LIMITS; type++)
		if (value_table_value(&limits(c)->stream, stream_key(s, type)))
			return true;
	return false;
}

static void say_use(struct checks *c, struct acl_call_record *call, struct acl_object *stream,
	struct acl_object *other, const char *detail)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, call, RULE("use-stream-res-without-limit"), &room);

	if (!f)
		return;
	finding_detail(f, "%s", detail);
	finding_object(c, f, "stream", stream);
	if (other)
		finding_object(c, f, "the thread's", other);
	finding_show(c, f);
}

static void used(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	if (!s || !succeeded(call))
		return;
	if (made(s) && !load_relaxed(&limits(c)->stream.full)) {
		rule_evaluated(call, RULE("use-stream-res-without-limit"));
		if (!limited(c, s))
			say_use(c, call, s, NULL, "aclrtSetStreamResLimit was not called for this stream.");
	}
	value_table_set(c, &limits(c)->used, thread_key(call), object_ref(s));
}

static void unused(struct checks *c, struct acl_call_record *call)
{
	uint64_t ref = value_table_value(&limits(c)->used, thread_key(call));
	struct acl_object *s = stream_of(call), *now = object_of(c, ref);

	if (!s || !succeeded(call) || !ref)
		return;
	if (made(s) && now && object_usable(now)) {
		rule_evaluated(call, RULE("use-stream-res-without-limit"));
		if (now != s)
			say_use(c, call, s, now,
				"The thread works with the limits of another stream, and goes on doing so.");
	}
	if (ref == object_ref(s))
		value_table_set(c, &limits(c)->used, thread_key(call), 0);
}

static void say_dead(
	struct checks *c, struct acl_call_record *call, struct acl_object *stream, const char *detail)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, call, RULE("stream-res-bound-to-dead-stream"), &room);

	if (!f)
		return;
	finding_detail(f, "%s", detail);
	if (stream)
		finding_object(c, f, "stream", stream);
	finding_show(c, f);
}

/* Whether other threads, that may have ended, work with its limits is not known. */
static void destroying(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	if (!s || !object_usable(s) || value_table_empty(&limits(c)->used))
		return;
	rule_evaluated(call, RULE("stream-res-bound-to-dead-stream"));
	if (value_table_value(&limits(c)->used, thread_key(call)) == object_ref(s))
		say_dead(c, call, s,
			"This thread works with the limits of the stream: "
			"aclrtUnuseStreamResInCurrentThread comes first.");
}

static void asking(struct checks *c, struct acl_call_record *call)
{
	uint64_t ref = value_table_value(&limits(c)->used, thread_key(call));
	struct acl_object *s = object_of(c, ref);

	if (!ref)
		return;
	rule_evaluated(call, RULE("stream-res-bound-to-dead-stream"));
	if (!s || !object_usable(s))
		say_dead(c, call, s, "The stream whose limits this thread works with is gone.");
}

/* --- limits of devices ---------------------------------------------------------------------------- */

static bool device_in_use(struct checks *c)
{
	for (int i = 0; i < ACL_DEVICES; i++)
		if (load_relaxed(&c->devices[i].sets) > 0)
			return true;
	return false;
}

#define STACK_UNIT (16u << 10)
#define STACK_LEAST (32u << 10)
#define STACK_MOST (7680u << 10) /* on the product that takes most */

static void say_configured(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	uint64_t stack, const char *detail)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, call, rule, &room);

	if (!f)
		return;
	finding_detail(f, "The configuration sets an AI Core stack of %llu bytes%s.",
		(unsigned long long)stack, detail);
	finding_bytes(f, "aicore_stack_size", stack);
	finding_show(c, f);
}

void limits_configured(
	struct checks *c, struct acl_call_record *call, const struct checks_init_config *config)
{
	uint64_t stack = config->stack;

	if (!stack)
		return;
	if (c->device0_known) {
		rule_evaluated(call, RULE("device-limit-visible-devices"));
		if (c->device0_hidden)
			say_configured(c, call, RULE("device-limit-visible-devices"), stack,
				", and ASCEND_RT_VISIBLE_DEVICES hides device 0, by which that is done");
	}
	if (!succeeded(call))
		return;
	rule_evaluated(call, RULE("config-range-clamped"));
	if (stack % STACK_UNIT || stack < STACK_LEAST || stack > STACK_MOST)
		say_configured(c, call, RULE("config-range-clamped"), stack,
			"; it is rounded up to 16 KiB and cut at what the product has");
}

static void say_kept(
	struct checks *c, struct acl_call_record *call, const struct acl_rule *rule, const char *detail)
{
	const struct acl_args_aclrtDeviceSetLimit *a = call->args;
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, call, rule, &room);

	if (!f)
		return;
	finding_detail(f, "%s", detail);
	finding_enum(f, "limit", "aclrtDeviceLimit", a->limit);
	finding_uint(f, "value", a->value);
	finding_show(c, f);
}

static void keeping(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtDeviceSetLimit *a = call->args;

	if (c->device0_known) {
		rule_evaluated(call, RULE("device-limit-visible-devices"));
		if (c->device0_hidden)
			say_kept(c, call, RULE("device-limit-visible-devices"),
				"ASCEND_RT_VISIBLE_DEVICES hides device 0, which this function works on.");
	}
	rule_evaluated(call, RULE("device-limit-after-setdevice"));
	if (device_in_use(c) && (unsigned)a->limit < DEVICE_LIMITS &&
		load_relaxed(&limits(c)->kept[a->limit]) != 1 + (uint64_t)a->value)
		say_kept(c, call, RULE("device-limit-after-setdevice"),
			"A device is set already: the new value counts after its last reset only.");
}

static void kept(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtDeviceSetLimit *a = call->args;

	if (succeeded(call) && (unsigned)a->limit < DEVICE_LIMITS)
		store_relaxed(&limits(c)->kept[a->limit], 1 + (uint64_t)a->value);
}

static void told(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtDeviceGetLimit *a = call->args;

	if (succeeded(call) && a->value && (unsigned)a->limit < DEVICE_LIMITS)
		store_relaxed(&limits(c)->kept[a->limit], 1 + (uint64_t)*a->value);
}

static const struct check_hook hooks[] = {
	{ON_OP(CONFIGURE_STREAM_RESOURCE_LIMIT), ACL_ENTER, limiting_stream},
	{ON_OP(CONFIGURE_STREAM_RESOURCE_LIMIT), ACL_LEAVE, stream_limited},
	{ON_OP(CONFIGURE_STREAM_RESOURCE_DEFAULT), ACL_LEAVE, stream_unlimited},
	{ON_OP(CONFIGURE_DEVICE_RESOURCE_LIMIT), ACL_ENTER, limiting_device},
	{ON_OP(CONFIGURE_DEVICE_RESOURCE_LIMIT), ACL_LEAVE, device_limited},
	{ON_OP(CONFIGURE_DEVICE_RESOURCE_DEFAULT), ACL_LEAVE, device_unlimited},
	{ON_OP(CONFIGURE_USE_STREAM_RESOURCE), ACL_LEAVE, used},
	{ON_OP(CONFIGURE_UNUSE_STREAM_RESOURCE), ACL_LEAVE, unused},
	{ON_OP(DESTROY_STREAM), ACL_ENTER, destroying},
	{ON_OP(INFO_THREAD_RESOURCE_LIMIT), ACL_ENTER, asking},
	{ON_OP(CONFIGURE_DEVICE_LIMIT), ACL_ENTER, keeping},
	{ON_OP(CONFIGURE_DEVICE_LIMIT), ACL_LEAVE, kept},
	{ON_OP(INFO_DEVICE_LIMIT), ACL_LEAVE, told},
};

const struct check_module module_limits = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct limits_state),
};
