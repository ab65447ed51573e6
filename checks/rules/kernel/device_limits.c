/* SPDX-License-Identifier: Apache-2.0 */
/* Limits: cores for devices and streams (ResLimit), and what a device keeps for kernels (DeviceSetLimit). */
#include "checks/rules/kernel/device_limits.h"

#include "checks/engine/finding_statement.h"
#include "checks/engine/value_table.h"
#include "checks/state/capture_state.h"
#include "checks/state/device_state.h"
#include "checks/state/stream_state.h"

#define CORE_LIMITS 2 /* cube and vector cores */
#define DEVICE_LIMITS 8

struct limits_state {
	struct value_table stream; /* key of a stream's acl_ref and a type -> 1 + value */
	struct value_table device; /* key of a device and a type -> 1 + value */
	struct value_table
		cores; /* the same -> 1 + what the device has: the limit answered before any was set */
	struct value_table used; /* key of a thread -> acl_ref of the stream whose limits it works with */
	_Atomic uint64_t kept[DEVICE_LIMITS]; /* 1 + value last set or answered, by aclrtDeviceLimit */
};

static struct limits_state *limits(struct checks *c)
{
	return module_state(c, limits);
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

	object_each(c, ACL_HANDLE_STREAM,
		o) if (load_relaxed(&o->device) == device && stream_had_kernel(o)) return true;
	return false;
}

/* The limit is another one than before, and something was made with that. stream NULL: of a device. */
static void check_late(struct checks *c, struct acl_call_record *call, struct acl_object *stream,
	bool launched, bool captured, bool changes)
{
	FINDING(c, call, "res-limit-late", (launched || captured) && changes,
		PARTS(part_object("stream", stream)), "%s",
		launched ? "Kernels were launched before: they run with the former limit."
			 : "Models were captured before: their tasks keep the former limit.");
}

static void limiting_stream(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtSetStreamResLimit *a = call->args;
	struct acl_object *s = stream_of(call);

	if (object_is_known(s))
		check_late(c, call, s, stream_had_kernel(s), captured_on(c, s, -1),
			value_table_value(&limits(c)->stream, stream_key(s, a->type)) !=
				1 + (uint64_t)a->value);
}

static void limiting_device(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtSetDeviceResLimit *a = call->args;

	if (device_at(c, a->deviceId))
		check_late(c, call, NULL, launched_on(c, a->deviceId), captured_on(c, NULL, a->deviceId),
			value_table_value(&limits(c)->device, key_of_two((uint32_t)a->deviceId, a->type)) !=
				1 + (uint64_t)a->value);
}

/* --- core limits, too large ------------------------------------------------------------------ */

static void device_limit_answered(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtGetDeviceResLimit *a = call->args;
	uint64_t key = key_of_two((uint32_t)a->deviceId, a->type);

	if (succeeded(call) && a->value && a->type < CORE_LIMITS &&
		!value_table_value(&limits(c)->device, key) && !value_table_value(&limits(c)->cores, key))
		value_table_set(c, &limits(c)->cores, key, 1 + (uint64_t)*a->value);
}

static void check_cores(
	struct checks *c, struct acl_call_record *call, int device, unsigned type, uint64_t value)
{
	uint64_t cores = value_table_value(&limits(c)->cores, key_of_two((uint32_t)device, type));

	if (cores)
		FINDING(c, call, "res-limit-too-large", value > cores - 1,
			PARTS(part_uint("value", value), part_uint("cores", cores - 1)),
			"aclrtGetDeviceResLimit answered %llu before any limit was set.",
			(unsigned long long)(cores - 1));
}

static void device_limit_enter(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtSetDeviceResLimit *a = call->args;

	check_cores(c, call, a->deviceId, a->type, a->value);
}

static void stream_limit_enter(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtSetStreamResLimit *a = call->args;
	struct acl_object *s = stream_of(call);

	if (s && load_relaxed(&s->device) >= 0)
		check_cores(c, call, load_relaxed(&s->device), a->type, a->value);
}

/* Of a device and a kind of cores that there are only the number can be wrong. */
static void check_refused(
	struct checks *c, struct acl_call_record *call, int device, unsigned type, uint64_t value)
{
	if (error_of(call) == ACL_ERROR_RT_PARAM_INVALID && type < CORE_LIMITS && value &&
		!value_table_value(&limits(c)->cores, key_of_two((uint32_t)device, type)))
		FINDING(c, call, "res-limit-too-large", true, PARTS(part_uint("value", value)),
			"The runtime refuses it: the device has fewer cores of this kind.");
}

static void device_limit_failed(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtSetDeviceResLimit *a = call->args;
	struct acl_device *d = device_at(c, a->deviceId);

	if (d && load_relaxed(&d->sets) > 0)
		check_refused(c, call, a->deviceId, a->type, a->value);
}

static void stream_limit_failed(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtSetStreamResLimit *a = call->args;
	struct acl_object *s = stream_of(call);

	if (object_is_known(s) && load_relaxed(&s->device) >= 0)
		check_refused(c, call, load_relaxed(&s->device), a->type, a->value);
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

static void used(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	if (!s || !succeeded(call))
		return;
	if (object_is_known(s))
		FINDING(c, call, "use-stream-res-without-limit", !limited(c, s),
			PARTS(part_object("stream", s)),
			"aclrtSetStreamResLimit was not called for this stream.");
	value_table_set(c, &limits(c)->used, thread_key(call), object_ref(s));
}

static void unused(struct checks *c, struct acl_call_record *call)
{
	uint64_t ref = value_table_value(&limits(c)->used, thread_key(call));
	struct acl_object *s = stream_of(call), *now = object_of(c, ref);

	if (!s || !succeeded(call) || !ref)
		return;
	if (object_is_known(s) && now && object_usable(now))
		FINDING(c, call, "use-stream-res-without-limit", now != s,
			PARTS(part_object("stream", s), part_object("the thread's", now)),
			"The thread works with the limits of another stream, and goes on doing so.");
	if (ref == object_ref(s))
		value_table_set(c, &limits(c)->used, thread_key(call), 0);
}

/* Whether other threads, that may have ended, work with its limits is not known. */
static void limit_stream_destroy_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	if (s && object_usable(s) && !value_table_empty(&limits(c)->used))
		FINDING(c, call, "stream-res-bound-to-dead-stream",
			value_table_value(&limits(c)->used, thread_key(call)) == object_ref(s),
			PARTS(part_object("stream", s)),
			"This thread works with the limits of the stream: aclrtUnuseStreamResInCurrentThread "
			"comes first.");
}

static void asking(struct checks *c, struct acl_call_record *call)
{
	uint64_t ref = value_table_value(&limits(c)->used, thread_key(call));
	struct acl_object *s = object_of(c, ref);

	if (ref)
		FINDING(c, call, "stream-res-bound-to-dead-stream", !s || !object_usable(s),
			PARTS(part_object("stream", s)),
			"The stream whose limits this thread works with is gone.");
}

/* --- limits of devices ---------------------------------------------------------------------------- */

static bool device_in_use(struct checks *c)
{
	for (int i = 0; i < ACL_DEVICES; i++)
		if (load_relaxed(&device_at(c, i)->sets) > 0)
			return true;
	return false;
}

#define STACK_UNIT (16u << 10)
#define STACK_LEAST (32u << 10)
#define STACK_MOST (7680u << 10) /* on the product that takes most */

static void check_configured(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	bool wrong, uint64_t stack, const char *detail)
{
	FINDING_OF(c, call, rule, wrong, PARTS(part_bytes("aicore_stack_size", stack)),
		"The configuration sets an AI Core stack of %llu bytes%s.", (unsigned long long)stack,
		detail);
}

void limits_configured(
	struct checks *c, struct acl_call_record *call, const struct checks_init_config *config)
{
	uint64_t stack = config->stack;

	if (!stack)
		return;
	if (c->device0_known)
		check_configured(c, call, RULE("device-limit-visible-devices"), c->device0_hidden, stack,
			", and ASCEND_RT_VISIBLE_DEVICES hides device 0, by which that is done");
	if (succeeded(call))
		check_configured(c, call, RULE("config-range-clamped"),
			stack % STACK_UNIT || stack < STACK_LEAST || stack > STACK_MOST, stack,
			"; it is rounded up to 16 KiB and cut at what the product has");
}

static void check_kept(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	bool wrong, const char *detail)
{
	const struct acl_args_aclrtDeviceSetLimit *a = call->args;

	FINDING_OF(c, call, rule, wrong,
		PARTS(part_enum("limit", "aclrtDeviceLimit", a->limit), part_uint("value", a->value)), "%s",
		detail);
}

/* The SIMT stack that is not set in this call, as far as it is known to be 0. */
static bool other_stack_is_none(struct checks *c, aclrtDeviceLimit limit)
{
	return load_relaxed(&limits(c)->kept[limit == ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE
						     ? ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE
						     : ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE]) == 1;
}

static void keeping(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtDeviceSetLimit *a = call->args;

	if (a->limit == ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE ||
		a->limit == ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE)
		check_kept(c, call, RULE("device-limit-type-unsupported"),
			!a->value && other_stack_is_none(c, a->limit),
			"The stacks of SIMT kernels and of their divergent warps cannot both be 0.");
	if (c->device0_known)
		check_kept(c, call, RULE("device-limit-visible-devices"), c->device0_hidden,
			"ASCEND_RT_VISIBLE_DEVICES hides device 0, which this function works on.");
	check_kept(c, call, RULE("device-limit-after-setdevice"),
		device_in_use(c) && (unsigned)a->limit < DEVICE_LIMITS &&
			load_relaxed(&limits(c)->kept[a->limit]) != 1 + (uint64_t)a->value,
		"A device is set already: the new value counts after its last reset only.");
}

static void kept(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtDeviceSetLimit *a = call->args;

	if (succeeded(call) && (unsigned)a->limit < DEVICE_LIMITS)
		store_relaxed(&limits(c)->kept[a->limit], 1 + (uint64_t)a->value);
}

static void limit_answered(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtDeviceGetLimit *a = call->args;

	if (succeeded(call) && a->value && (unsigned)a->limit < DEVICE_LIMITS)
		store_relaxed(&limits(c)->kept[a->limit], 1 + (uint64_t)*a->value);
}

static const struct check_hook hooks[] = {
	{ON_OP(INFO_DEVICE_RESOURCE_LIMIT), ACL_LEAVE, device_limit_answered},
	{ON_OP(CONFIGURE_DEVICE_RESOURCE_LIMIT), ACL_ENTER, device_limit_enter},
	{ON_OP(CONFIGURE_STREAM_RESOURCE_LIMIT), ACL_ENTER, stream_limit_enter},
	{ON_OP(CONFIGURE_DEVICE_RESOURCE_LIMIT), ACL_FAILED, device_limit_failed},
	{ON_OP(CONFIGURE_STREAM_RESOURCE_LIMIT), ACL_FAILED, stream_limit_failed},
	{ON_OP(CONFIGURE_STREAM_RESOURCE_LIMIT), ACL_ENTER, limiting_stream},
	{ON_OP(CONFIGURE_STREAM_RESOURCE_LIMIT), ACL_LEAVE, stream_limited},
	{ON_OP(CONFIGURE_STREAM_RESOURCE_DEFAULT), ACL_LEAVE, stream_unlimited},
	{ON_OP(CONFIGURE_DEVICE_RESOURCE_LIMIT), ACL_ENTER, limiting_device},
	{ON_OP(CONFIGURE_DEVICE_RESOURCE_LIMIT), ACL_LEAVE, device_limited},
	{ON_OP(CONFIGURE_DEVICE_RESOURCE_DEFAULT), ACL_LEAVE, device_unlimited},
	{ON_OP(CONFIGURE_USE_STREAM_RESOURCE), ACL_LEAVE, used},
	{ON_OP(CONFIGURE_UNUSE_STREAM_RESOURCE), ACL_LEAVE, unused},
	{ON_OP(DESTROY_STREAM), ACL_ENTER, limit_stream_destroy_enter},
	{ON_OP(INFO_THREAD_RESOURCE_LIMIT), ACL_ENTER, asking},
	{ON_OP(CONFIGURE_DEVICE_LIMIT), ACL_ENTER, keeping},
	{ON_OP(CONFIGURE_DEVICE_LIMIT), ACL_LEAVE, kept},
	{ON_OP(INFO_DEVICE_LIMIT), ACL_LEAVE, limit_answered},
};

const struct check_module module_limits = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct limits_state),
};
