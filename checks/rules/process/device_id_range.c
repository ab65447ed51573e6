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

	/* No device at all: what is visible may change, and the call says so itself. */
	if (known < 2)
		return;
	FINDING_OF(c, call, rule, device < 0 || (uint64_t)device >= known - 1,
		PARTS(part_int(name, device), part_uint("devices", known - 1)),
		"aclrtGetDeviceCount answered %llu.", (unsigned long long)(known - 1));
}

static int id_argument(const struct acl_call_record *call)
{
	return (int32_t)acl_arg_value(call->api, call->args, ACL_ROLE_DEVICE);
}

static void device_enter(struct checks *c, struct acl_call_record *call)
{
	if (id_argument(call) >= 0)
		check_id(c, call, RULE("device-id-out-of-range"), "deviceId", id_argument(call));
}

/* The program never asked how many there are: the answer of the runtime decides. */
static void device_failed(struct checks *c, struct acl_call_record *call)
{
	if (error_of(call) == ACL_ERROR_RT_INVALID_DEVICEID && !load_relaxed(&device_count(c)->known))
		FINDING(c, call, "device-id-out-of-range", true,
			PARTS(part_int("deviceId", id_argument(call))),
			"The runtime has no device of this number.");
}

static void memory_query_enter(struct checks *c, struct acl_call_record *call)
{
	check_id(c, call, RULE("mem-query-null-args"), "deviceId", id_argument(call));
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

static const struct check_hook hooks[] = {
	{ON_OP(INFO_DEVICE_COUNT), ACL_LEAVE, count_leave},
	{ON_OP(DEVICE_SET), ACL_ENTER, device_enter},
	{ON_OP(DEVICE_RESET), ACL_ENTER, device_enter},
	{ON_OP(CREATE_CONTEXT), ACL_ENTER, device_enter},
	{ON_OP(QUERY_DEVICE), ACL_ENTER, device_enter},
	{ON_OP(INFO_DEVICE_CAPABILITY), ACL_ENTER, device_enter},
	{ON_OP(INFO_DEVICE_ATTRIBUTE), ACL_ENTER, device_enter},
	{ON_OP(INFO_DEVICE_TOPOLOGY), ACL_ENTER, device_enter},
	{ON_OP(INFO_DEVICE_UTILIZATION), ACL_ENTER, device_enter},
	{ON_OP(INFO_PRIMARY_CONTEXT), ACL_ENTER, device_enter},
	{ON_OP(INFO_DEVICE_RESOURCE_LIMIT), ACL_ENTER, device_enter},
	{ON_OP(CONFIGURE_DEVICE_RESOURCE_LIMIT), ACL_ENTER, device_enter},
	{ON_OP(CONFIGURE_DEVICE_RESOURCE_DEFAULT), ACL_ENTER, device_enter},
	{ON_OP(DEVICE_SET), ACL_FAILED, device_failed},
	{ON_OP(DEVICE_RESET), ACL_FAILED, device_failed},
	{ON_OP(CREATE_CONTEXT), ACL_FAILED, device_failed},
	{ON_OP(QUERY_DEVICE), ACL_FAILED, device_failed},
	{ON_OP(INFO_DEVICE_CAPABILITY), ACL_FAILED, device_failed},
	{ON_OP(INFO_DEVICE_ATTRIBUTE), ACL_FAILED, device_failed},
	{ON_OP(INFO_DEVICE_TOPOLOGY), ACL_FAILED, device_failed},
	{ON_OP(INFO_DEVICE_UTILIZATION), ACL_FAILED, device_failed},
	{ON_OP(INFO_PRIMARY_CONTEXT), ACL_FAILED, device_failed},
	{ON_OP(INFO_DEVICE_RESOURCE_LIMIT), ACL_FAILED, device_failed},
	{ON_OP(CONFIGURE_DEVICE_RESOURCE_LIMIT), ACL_FAILED, device_failed},
	{ON_OP(CONFIGURE_DEVICE_RESOURCE_DEFAULT), ACL_FAILED, device_failed},
	{ON_OP(INFO_MEMORY_USAGE), ACL_ENTER, memory_query_enter},
	{ON_OP(INFO_HOST_MAP_CAPABILITY), ACL_ENTER, memory_query_enter},
	{ON_OP(MANAGED_ADVISE), ACL_ENTER, managed_location_enter},
	{ON_OP(MANAGED_PREFETCH), ACL_ENTER, managed_location_enter},
	{ON_OP(MANAGED_PREFETCH_BATCH), ACL_ENTER, managed_locations_enter},
};

const struct check_module module_device_id_range = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct device_count),
};
