/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of devices that do not exist: the program has queried how many there are. Negative ones: the API
 * model. */
#include "checks/engine/finding_statement.h"
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

static void device_enter(struct checks *c, struct acl_call_record *call)
{
	uint64_t known = load_relaxed(&device_count(c)->known);
	int device = (int32_t)acl_arg_value(call->api, call->args, ACL_ROLE_DEVICE);

	/* No device at all: what is visible may change, and the call says so itself. */
	if (known < 2 || device < 0)
		return;
	FINDING(c, call, "device-id-out-of-range", (uint64_t)device >= known - 1,
		PARTS(part_int("deviceId", device), part_uint("devices", known - 1)),
		"aclrtGetDeviceCount answered %llu.", (unsigned long long)(known - 1));
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
};

const struct check_module module_device_id_range = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct device_count),
};
