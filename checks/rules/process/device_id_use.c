/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of devices.  Where the environment chooses the visible ones, user,
 * logic and physical numbers differ, and two conversions do not take what their
 * names say.  What a thread's last conversion answered shows where a number
 * comes from.
 */
#include "checks/engine/finding_statement.h"

struct conversion {
	_Atomic uint64_t pthread_id;
	_Atomic uint16_t api;
	_Atomic int32_t answer;
};

#define CONVERSIONS 64

static struct conversion *last_of(struct checks *c, const struct acl_call_record *call)
{
	struct conversion *all = module_state(c, device_id);

	return &all[mix64(call->pthread_id) % CONVERSIONS];
}

/* All conversions take a number and write a number. */
_Static_assert(offsetof(struct acl_args_aclrtGetLogicDevIdByPhyDevId, logicDevId) ==
		       offsetof(struct acl_args_aclrtGetPhyDevIdByLogicDevId, phyDevId),
	"conversions differ");

static void converting(struct checks *c, struct acl_call_record *call)
{
	int32_t id = ACL_ARGS(call, aclrtGetLogicDevIdByPhyDevId)->phyDevId;
	bool to_user = call->api == ACL_API_aclrtGetUserDevIdByLogicDevId;
	struct conversion *last = last_of(c, call);
	unsigned wrong =
		to_user ? ACL_API_aclrtGetLogicDevIdByPhyDevId : ACL_API_aclrtGetLogicDevIdByUserDevId;

	if (!c->device0_known || load_relaxed(&last->pthread_id) != call->pthread_id ||
		load_relaxed(&last->answer) != id)
		return;
	FINDING(c, call, "device-id-conversion-semantics", load_relaxed(&last->api) == wrong,
		PARTS(part_int("device", id), part_api("answered by", wrong)),
		"%d comes from %s, which answers a %s number; this function takes a %s number", id,
		acl_apis[wrong].name, to_user ? "user" : "logic", to_user ? "logic" : "user");
}

static void converted(struct checks *c, struct acl_call_record *call)
{
	const int32_t *answer = ACL_ARGS(call, aclrtGetLogicDevIdByPhyDevId)->logicDevId;
	struct conversion *last = last_of(c, call);

	if (!c->device0_known || !succeeded(call) || !answer)
		return;
	store_relaxed(&last->pthread_id, call->pthread_id);
	store_relaxed(&last->api, call->api);
	store_relaxed(&last->answer, *answer);
}

static const struct check_hook hooks[] = {
	{ACL_API_aclrtGetUserDevIdByLogicDevId, ACL_ENTER, converting},
	{ACL_API_aclrtGetPhyDevIdByLogicDevId, ACL_ENTER, converting},
	{ON_OP(INFO_DEVICE_NUMBER), ACL_LEAVE, converted},
};

const struct check_module module_device_id = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = CONVERSIONS * sizeof(struct conversion),
};
