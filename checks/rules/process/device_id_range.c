/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of devices that do not exist: the program has queried how many there are, or the runtime says so.
 * Negative ones: the API model. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/state/device_state.h"

struct device_count {
	_Atomic uint64_t known; /* 1 + the last answer, 0 = never queried */
};

static struct device_count *device_count(struct checks *c)
{
	return module_state(c, device_id_range);
}

static void count_leave(struct checks *c, struct acl_call_record *call)
{
	const uint32_t *count = ACL_ARGS(call, aclrtGetDeviceCount)->count;

	if (count && succeeded(call))
		store_relaxed(&device_count(c)->known, 1 + (uint64_t)*count);
}

static void check_id(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const char *name, int device)
{
	uint64_t known = load_relaxed(&device_count(c)->known);

	if (device < 0 && known < 2) {
		FINDING_BROKEN(
			c, call, rule, PARTS(part_int(name, device)), "No device has a negative number.");
		return;
	}
	/* No device at all: what is visible may change, and the call says so itself. */
	if (known < 2)
		return;
	FINDING_OF(c, call, rule, device < 0 || (uint64_t)device >= known - 1,
		PARTS(part_int(name, device), part_uint("devices", known - 1)),
		"aclrtGetDeviceCount answered %llu.", (unsigned long long)(known - 1));
}

/* Numbers in queries for memory have a rule of their own. */
static bool about_memory(unsigned api)
{
	return acl_apis[api].operation == ACL_OP_INFO_MEMORY_USAGE ||
	       acl_apis[api].operation == ACL_OP_INFO_HOST_MAP_CAPABILITY;
}

static const struct acl_rule *number_rule(const struct acl_call_record *call)
{
	return about_memory(call->api) ? RULE("mem-query-null-args") : RULE("device-id-out-of-range");
}

static void number_enter(struct checks *c, struct acl_call_record *call, enum acl_role role)
{
	int device = (int32_t)acl_arg_value(call->api, call->args, role);

	if (device >= 0)
		check_id(c, call, number_rule(call),
			acl_params(&acl_apis[call->api])[acl_role_param(call->api, role)].name, device);
}

static void device_enter(struct checks *c, struct acl_call_record *call)
{
	number_enter(c, call, ACL_ROLE_DEVICE);
}

static void peer_device_enter(struct checks *c, struct acl_call_record *call)
{
	number_enter(c, call, ACL_ROLE_PEER_DEVICE);
}

/* The program never asked how many there are: the answer of the runtime decides. */
static void number_failed(struct checks *c, struct acl_call_record *call, const char *name, int device)
{
	if (error_of(call) == ACL_ERROR_RT_INVALID_DEVICEID && !load_relaxed(&device_count(c)->known))
		FINDING(c, call, "device-id-out-of-range", true, PARTS(part_int(name, device)),
			"The runtime has no device of this number.");
}

static void device_failed(struct checks *c, struct acl_call_record *call)
{
	number_failed(c, call, "deviceId", (int32_t)acl_arg_value(call->api, call->args, ACL_ROLE_DEVICE));
}

/* Of other places the number means nothing. */
static void check_location(struct checks *c, struct acl_call_record *call, const aclrtMemManagedLocation *l)
{
	if (l->type == ACL_MEM_LOCATIONTYPE_DEVICE)
		check_id(c, call, RULE("uvm-args"), "location.id", l->id);
}

static void managed_location_enter(struct checks *c, struct acl_call_record *call)
{
	check_location(c, call, acl_arg_pointer(call->api, call->args, ACL_ROLE_LOCATION));
}

static void managed_locations_enter(struct checks *c, struct acl_call_record *call)
{
	const aclrtMemManagedLocation *l;
	struct program_array locations;

	program_array_open(&locations, c, acl_arg_pointer(call->api, call->args, ACL_ROLE_LOCATIONS),
		sizeof(*l), acl_arg_value(call->api, call->args, ACL_ROLE_LOCATION_COUNT));
	for (uint64_t i = 0; (l = program_array_at(&locations, i)) != NULL; i++)
		check_location(c, call, l);
}

/* --- where memory shall lie ----------------------------------------------------------------- */

static void check_place(struct checks *c, struct acl_call_record *call, const aclrtMemLocation *l)
{
	if (l->type == ACL_MEM_LOCATION_TYPE_DEVICE)
		check_id(c, call, RULE("device-id-out-of-range"), "location.id", (int)l->id);
}

/* As device_failed(). */
static void place_failed(struct checks *c, struct acl_call_record *call, const aclrtMemLocation *l)
{
	if (l->type == ACL_MEM_LOCATION_TYPE_DEVICE && (int)l->id >= 0)
		number_failed(c, call, "location.id", (int)l->id);
}

static void physical_enter(struct checks *c, struct acl_call_record *call)
{
	aclrtPhysicalMemProp p;

	if (program_read(c, acl_arg_pointer(call->api, call->args, ACL_ROLE_PROPERTIES), &p, sizeof(p)))
		check_place(c, call, &p.location);
}

static void physical_failed(struct checks *c, struct acl_call_record *call)
{
	aclrtPhysicalMemProp p;

	if (program_read(c, acl_arg_pointer(call->api, call->args, ACL_ROLE_PROPERTIES), &p, sizeof(p)))
		place_failed(c, call, &p.location);
}

static void pool_failed(struct checks *c, struct acl_call_record *call)
{
	aclrtMemPoolProps p;

	if (program_read(c, acl_arg_pointer(call->api, call->args, ACL_ROLE_PROPERTIES), &p, sizeof(p)))
		place_failed(c, call, &p.location);
}

static void pool_enter(struct checks *c, struct acl_call_record *call)
{
	aclrtMemPoolProps p;

	if (program_read(c, acl_arg_pointer(call->api, call->args, ACL_ROLE_PROPERTIES), &p, sizeof(p)))
		check_place(c, call, &p.location);
}

/* --- who takes a number ------------------------------------------------------------------------ */

/* An output is the answer, and a question for the state of a pair may name any device. */
static bool takes_number(unsigned api, enum acl_role role)
{
	return acl_arg_has(api, role) && acl_apis[api].operation != ACL_OP_INFO_PEER_STATUS &&
	       acl_params(&acl_apis[api])[acl_role_param(api, role)].kind != ACL_KIND_POINTER;
}

static void device_id_bind(void (*add)(void *, unsigned, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < acl_api_count; api++) {
		if (takes_number(api, ACL_ROLE_PEER_DEVICE))
			add(binder, api, ACL_ENTER, peer_device_enter);
		if (!takes_number(api, ACL_ROLE_DEVICE))
			continue;
		add(binder, api, ACL_ENTER, device_enter);
		/* What a query for memory refuses may be its other arguments. */
		if (!about_memory(api))
			add(binder, api, ACL_FAILED, device_failed);
	}
}

static const struct check_hook hooks[] = {
	{ON_OP(INFO_DEVICE_COUNT), ACL_LEAVE, count_leave},
	{ON_OP(ALLOCATE_PHYSICAL), ACL_ENTER, physical_enter},
	{ON_OP(INFO_PHYSICAL_GRANULARITY), ACL_ENTER, physical_enter},
	{ON_OP(ALLOCATE_PHYSICAL), ACL_FAILED, physical_failed},
	{ON_OP(INFO_PHYSICAL_GRANULARITY), ACL_FAILED, physical_failed},
	{ON_OP(CREATE_POOL), ACL_ENTER, pool_enter},
	{ON_OP(CREATE_POOL), ACL_FAILED, pool_failed},
	{ON_OP(MANAGED_ADVISE), ACL_ENTER, managed_location_enter},
	{ON_OP(MANAGED_PREFETCH), ACL_ENTER, managed_location_enter},
	{ON_OP(MANAGED_PREFETCH_BATCH), ACL_ENTER, managed_locations_enter},
};

const struct check_module module_device_id_range = {
	.bind = device_id_bind,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct device_count),
};
