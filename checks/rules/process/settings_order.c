/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of contexts, devices, groups and streams: queried before they are set, set too late, read too
 * early.
 */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/state/device_state.h"
#include "checks/state/operation.h"
#include "checks/state/pending_access.h"
#include "checks/state/signal_state.h"
#include "checks/state/stream_state.h"

#define OUTPUTS 8 /* overflow reads remembered */
#define INTERVALS 254 /* an operator's time limit has no more of them */

struct output {
	_Atomic uint64_t address, size, stream, position; /* address 0 = none, or being changed */
	_Atomic uint16_t api; /* the function that writes there */
};

struct modes_state {
	struct value_table options; /* key of a context's acl_ref and an option -> 1 */
	struct value_table groups; /* 1 + group id the runtime answered -> 1 */
	struct value_table filled; /* acl_ref of a group info that aclrtGetAllGroupInfo was given -> 1 */
	struct value_table overflow; /* acl_ref of a stream -> 1 + switch */
	_Atomic uint64_t n_groups; /* 1 + what aclrtGetGroupCount answered, 0 = not queried */
	_Atomic uint64_t interval; /* microseconds, 0 = not queried */
	_Atomic uint8_t saturation[ACL_DEVICES]; /* 1 + mode set or answered */
	struct output outputs[OUTPUTS];
	_Atomic uint32_t n_outputs;
};

static struct modes_state *modes(struct checks *c)
{
	return module_state(c, modes);
}

/* --- options of contexts ---------------------------------------------------------------------- */

static uint64_t option_key(struct checks *c, const struct acl_call_record *call, unsigned option)
{
	bool known;
	struct acl_object *context = context_current(c, thread_of(call), &known);

	return context ? key_of_two(object_ref(context), option) : 0;
}

static void option_set(struct checks *c, struct acl_call_record *call)
{
	uint64_t key = option_key(c, call, ACL_ARGS(call, aclrtCtxSetSysParamOpt)->opt);
	bool known;
	struct acl_object *context = context_current(c, thread_of(call), &known);

	if (key && context && succeeded(call))
		value_table_set_of(c, &modes(c)->options, object_ref(context), key, 1);
}

static void option_asked(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtCtxGetSysParamOpt *a = call->args;
	uint64_t key = option_key(c, call, a->opt);

	if (key)
		FINDING(c, call, "ctx-sys-param-not-set",
			error_of(call) == ACL_ERROR_RT_SYSPARAMOPT_NOT_SET &&
				!value_table_value(&modes(c)->options, key),
			PARTS(part_enum("opt", "aclSysParamOpt", a->opt)),
			"aclrtCtxSetSysParamOpt was not called for this option in the current context.");
}

/* --- groups ------------------------------------------------------------------------------------- */

static void groups_counted(struct checks *c, struct acl_call_record *call)
{
	const uint32_t *count = ACL_ARGS(call, aclrtGetGroupCount)->count;

	if (count && succeeded(call))
		store_relaxed(&modes(c)->n_groups, 1 + (uint64_t)*count);
}

static void check_group(struct checks *c, struct acl_call_record *call, bool wrong, const char *name,
	int64_t value, const char *detail)
{
	uint64_t n = load_relaxed(&modes(c)->n_groups);

	FINDING(c, call, "group-order", wrong,
		PARTS(part_int(name, value), n ? part_uint("groups", n - 1) : part_none()), "%s", detail);
}

/* One whose creation was seen; NULL: none. */
static struct acl_object *group_info(struct checks *c, const void *info)
{
	struct acl_object *o = info ? object_live(c, ACL_HANDLE_GROUP_INFO, info) : NULL;

	return o && !(load_relaxed(&o->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED)) ? o : NULL;
}

static void groups_asked(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = group_info(c, ACL_ARGS(call, aclrtGetAllGroupInfo)->groupInfo);

	if (o)
		value_table_set_object(c, &modes(c)->filled, o, 1);
}

static void group_asked(struct checks *c, struct acl_call_record *call)
{
	const void *info = ACL_ARGS(call, aclrtGetGroupInfoDetail)->groupInfo;
	struct acl_object *o = group_info(c, info);

	if (o)
		FINDING(c, call, "group-order", !value_table_value(&modes(c)->filled, object_ref(o)),
			PARTS(part_address("groupInfo", info)),
			"aclrtGetAllGroupInfo was not called for it: it is empty.");
}

/* Without any group there is nothing the program could have queried. */
static void group_described(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtGetGroupInfoDetail *a = call->args;
	uint64_t n = load_relaxed(&modes(c)->n_groups);
	int32_t id;

	if (succeeded(call) && a->attr == ACL_GROUP_GROUPID_INT && a->valueLen >= sizeof(id) &&
		program_read(c, a->attrValue, &id, sizeof(id)))
		value_table_set(c, &modes(c)->groups, 1 + (uint64_t)(uint32_t)id, 1);
	if (n >= 2)
		check_group(c, call,
			error_of(call) == ACL_ERROR_INVALID_PARAM &&
				(a->groupIndex < 0 || (uint64_t)a->groupIndex >= n - 1),
			"groupIndex", a->groupIndex, "There is no group of this index.");
}

static void group_set(struct checks *c, struct acl_call_record *call)
{
	int32_t id = ACL_ARGS(call, aclrtSetGroup)->groupId;

	if (load_relaxed(&modes(c)->n_groups) == 1)
		return;
	check_group(c, call,
		error_of(call) == ACL_ERROR_RT_GROUP_NOT_CREATE &&
			!value_table_value(&modes(c)->groups, 1 + (uint64_t)(uint32_t)id),
		"groupId", id, "aclrtGetGroupInfoDetail has returned no group with this id.");
}

/* --- time limits of operators ---------------------------------------------------------------------- */

static void interval_told(struct checks *c, struct acl_call_record *call)
{
	const uint64_t *interval = ACL_ARGS(call, aclrtGetOpTimeOutInterval)->interval;

	if (interval && succeeded(call))
		store_relaxed(&modes(c)->interval, *interval);
}

/* 0 means no limit. */
static void limiting_time(struct checks *c, struct acl_call_record *call)
{
	uint64_t timeout = ACL_ARGS(call, aclrtSetOpExecuteTimeOutV2)->timeout,
		 interval = load_relaxed(&modes(c)->interval);

	if (interval && timeout)
		FINDING(c, call, "op-timeout-units", timeout < interval || timeout / INTERVALS > interval,
			PARTS(part_uint("timeout", timeout), part_uint("interval", interval)),
			"%llu microseconds: the runtime takes %llu to %llu, in steps of the former.",
			(unsigned long long)timeout, (unsigned long long)interval,
			(unsigned long long)interval * INTERVALS);
}

/* --- saturation --------------------------------------------------------------------------------------- */

static void saturation_told(struct checks *c, struct acl_call_record *call)
{
	const aclrtFloatOverflowMode *mode = ACL_ARGS(call, aclrtGetDeviceSatMode)->mode;
	int device = device_current(c, thread_of(call));

	if (mode && succeeded(call) && device_at(c, device))
		store_relaxed(&modes(c)->saturation[device], (uint8_t)(1 + *mode));
}

static unsigned streams_on(struct checks *c, int device, struct acl_object **sample)
{
	struct acl_object *o;
	unsigned n = 0;

	object_each(c, ACL_HANDLE_STREAM, o)
	{
		if (!object_usable(o) || load_relaxed(&o->device) != device ||
			load_relaxed(&o->flags) &
				(ACL_OBJECT_DEFAULT | ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED))
			continue;
		*sample = o;
		n++;
	}
	return n;
}

static void saturation_set(struct checks *c, struct acl_call_record *call)
{
	uint8_t now = (uint8_t)(1 + ACL_ARGS(call, aclrtSetDeviceSatMode)->mode), before;
	int device = device_current(c, thread_of(call));
	struct acl_object *sample = NULL;
	unsigned n;

	if (!succeeded(call) || !device_at(c, device))
		return;
	before = atomic_exchange(&modes(c)->saturation[device], now);
	n = streams_on(c, device, &sample);
	FINDING(c, call, "satmode-existing-streams", n && before != now,
		PARTS(part_uint("streams", n), part_object("for example", sample)),
		"%u stream%s of device %d exist%s already and keep%s the former mode.", n, n == 1 ? "" : "s",
		device, n == 1 ? "s" : "", n == 1 ? "s" : "");
}

/* --- overflow ------------------------------------------------------------------------------------------- */

/* The switch that the call sets; false: it is about another attribute, or cannot be read. */
static bool switch_of(struct checks *c, struct acl_call_record *call, uint64_t *flag)
{
	aclrtStreamAttrValue value;

	if (!acl_arg_has(call->api, ACL_ROLE_ATTRIBUTE)) {
		*flag = ACL_ARGS(call, aclrtSetStreamOverflowSwitch)->flag;
		return true;
	}
	if (ACL_ARGS(call, aclrtSetStreamAttribute)->stmAttrType != ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK ||
		!program_read(c, ACL_ARGS(call, aclrtSetStreamAttribute)->value, &value, sizeof(value)))
		return false;
	*flag = value.overflowSwitch;
	return true;
}

static void switching(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	uint64_t flag;

	if (!object_is_known(s) || call->state.capture || !switch_of(c, call, &flag))
		return;
	FINDING(c, call, "stream-overflow-switch-existing-tasks",
		value_table_value(&modes(c)->overflow, object_ref(s)) != 1 + flag &&
			task_surely_pending(c, s, load_acquire(&stream_state(s)->work)),
		PARTS(part_uint("flag", flag), part_object("stream", s)),
		"Tasks are on the stream that the host has not waited for: they keep the former setting.");
}

static void switched(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	uint64_t flag;

	if (s && succeeded(call) && switch_of(c, call, &flag))
		value_table_set_object(c, &modes(c)->overflow, s, 1 + flag);
}

static void switch_told(struct checks *c, struct acl_call_record *call)
{
	const uint32_t *flag = ACL_ARGS(call, aclrtGetStreamOverflowSwitch)->flag;

	if (stream_of(call) && flag && succeeded(call))
		value_table_set_object(c, &modes(c)->overflow, stream_of(call), 1 + (uint64_t)*flag);
}

static void attribute_told(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtGetStreamAttribute *a = call->args;

	if (stream_of(call) && a->value && a->stmAttrType == ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK &&
		succeeded(call))
		value_table_set_object(
			c, &modes(c)->overflow, stream_of(call), 1 + (uint64_t)a->value->overflowSwitch);
}

/* The status is under way to its buffer. */
static void status_asked(struct checks *c, struct acl_call_record *call)
{
	const void *address = acl_arg_pointer(call->api, call->args, ACL_ROLE_ADDRESS);
	struct output *o;

	if (!succeeded(call) || !address || !task_runs_now(c, call))
		return;
	checks_when(c, WHEN_STATUS_ASKED);
	o = &modes(c)->outputs[counter_inc(&modes(c)->n_outputs) % OUTPUTS];
	store_relaxed(&o->address, 0);
	store_release(&o->size, acl_arg_value(call->api, call->args, ACL_ROLE_BYTES));
	store_release(&o->stream, object_ref(stream_of(call)));
	store_release(&o->position, call->state.position);
	store_release(&o->api, (uint16_t)call->api);
	store_release(&o->address, (uintptr_t)address);
}

/* The stream of an output that the access touches, in flight or not; NULL: it does not. */
static struct acl_object *output_read(
	struct checks *c, struct output *o, const struct op_access *src, uint64_t *position, unsigned *api)
{
	uint64_t address = load_acquire(&o->address), size = load_acquire(&o->size);
	acl_ref stream = load_acquire(&o->stream);

	*position = load_acquire(&o->position);
	*api = load_acquire(&o->api);
	/* The words of another output come with its address, or none. */
	if (!address || !access_touches(src, address, size) || load_relaxed(&o->address) != address)
		return NULL;
	return object_of(c, stream);
}

static void check_read(struct checks *c, struct acl_call_record *call, const struct op_access *src)
{
	struct acl_object *s;
	uint64_t position;
	unsigned api;

	for (unsigned i = 0; i < OUTPUTS; i++) {
		s = output_read(c, &modes(c)->outputs[i], src, &position, &api);
		if (s && FINDING(c, call, "overflow-status-not-synchronised",
				 task_surely_pending(c, s, position),
				 PARTS(part_address(src->name, src->address), part_object("stream", s)),
				 "%s writes %s on a stream that the host has not waited for since.",
				 acl_apis[api].name, src->name))
			return;
	}
}

static void reading(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op;

	if (__builtin_expect(!load_relaxed(&modes(c)->n_outputs), 1))
		return;
	op = operation_of(c, call);
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (e.src && e.src->address && e.src->span)
			check_read(c, call, e.src);
	}
}

/* -----------------------------------------------------------------------------------------------------------
 */

static const struct check_hook hooks[] = {
	{ON_OP(CONFIGURE_CONTEXT_PARAMETER), ACL_LEAVE, option_set},
	{ON_OP(INFO_CONTEXT_PARAMETER), ACL_LEAVE, option_asked},
	{ON_OP(INFO_GROUP_COUNT), ACL_LEAVE, groups_counted},
	{ON_OP(INFO_GROUP_ALL), ACL_LEAVE, groups_asked},
	{ON_OP(INFO_GROUP_DETAIL), ACL_ENTER, group_asked},
	{ON_OP(INFO_GROUP_DETAIL), ACL_LEAVE, group_described},
	{ON_OP(CONFIGURE_GROUP), ACL_LEAVE, group_set},
	{ON_OP(INFO_TIMEOUT_INTERVAL), ACL_LEAVE, interval_told},
	{ON_OP_WITH(CONFIGURE_EXECUTE_TIMEOUT, ACTUAL_TIMEOUT), ACL_ENTER, limiting_time},
	{ON_OP(INFO_SATURATION_MODE), ACL_LEAVE, saturation_told},
	{ON_OP(CONFIGURE_SATURATION_MODE), ACL_LEAVE, saturation_set},
	{ON_OP(CONFIGURE_STREAM_OVERFLOW), ACL_ENTER, switching},
	{ON_OP(CONFIGURE_STREAM_OVERFLOW), ACL_LEAVE, switched},
	{ON_OP(CONFIGURE_STREAM_ATTRIBUTE), ACL_ENTER, switching},
	{ON_OP(CONFIGURE_STREAM_ATTRIBUTE), ACL_LEAVE, switched},
	{ON_OP(INFO_STREAM_ATTRIBUTE), ACL_LEAVE, attribute_told},
	{ON_OP(INFO_STREAM_OVERFLOW), ACL_LEAVE, switch_told},
	{ON_OP(OVERFLOW_READ), ACL_LEAVE, status_asked},
	{ON_GROUP(COPY), ACL_ENTER | ACL_WHEN(STATUS_ASKED) | ACL_IF_NOT_ASYNC, reading},
};

const struct check_module module_modes = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct modes_state),
};
