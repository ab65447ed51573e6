/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of devices.  Where the environment chooses the visible ones, user,
 * logic and physical numbers differ, and two conversions do not take what their
 * names say.  What a thread's last conversion answered tells where a number
 * comes from.
 */
#include "checks/report.h"
#include "checks/state.h"

struct conversion {
	_Atomic uint64_t pthread_id;
	_Atomic uint16_t api;
	_Atomic int32_t answer;
};

#define CONVERSIONS 64

static struct conversion *last_of(struct checks *c, const struct acl_event *ev)
{
	struct conversion *all = c->topic[TOPIC_DEVICE_ID];

	return &all[mix64(ev->pthread_id) % CONVERSIONS];
}

/* All conversions take a number and write a number. */
_Static_assert(offsetof(struct acl_args_aclrtGetLogicDevIdByPhyDevId, logicDevId) ==
		       offsetof(struct acl_args_aclrtGetPhyDevIdByLogicDevId, phyDevId),
	"conversions differ");

static void converting(struct checks *c, struct acl_event *ev)
{
	int32_t id = ACL_ARGS(ev, aclrtGetLogicDevIdByPhyDevId)->phyDevId;
	bool to_user = ev->api == ACL_API_aclrtGetUserDevIdByLogicDevId;
	struct conversion *last = last_of(c, ev);
	unsigned wrong =
		to_user ? ACL_API_aclrtGetLogicDevIdByPhyDevId : ACL_API_aclrtGetLogicDevIdByUserDevId;
	struct finding_buffer room;
	struct acl_finding *f;

	if (!c->device0_known || ld(&last->pthread_id) != ev->pthread_id || ld(&last->answer) != id)
		return;
	rule_asked(ev, RULE("device-id-conversion-semantics"));
	if (ld(&last->api) != wrong)
		return;
	f = finding_begin(c, ev, RULE("device-id-conversion-semantics"), &room);
	if (!f)
		return;
	finding_detail(f, "%d comes from %s, which answers a %s number; this function takes a %s number", id,
		acl_apis[wrong].name, to_user ? "user" : "logic", to_user ? "logic" : "user");
	finding_int(f, "device", id);
	finding_api(f, "answered by", wrong);
	finding_show(c, f);
}

static void converted(struct checks *c, struct acl_event *ev)
{
	const int32_t *answer = ACL_ARGS(ev, aclrtGetLogicDevIdByPhyDevId)->logicDevId;
	struct conversion *last = last_of(c, ev);

	if (!c->device0_known || !succeeded(ev) || !answer)
		return;
	st(&last->pthread_id, ev->pthread_id);
	st(&last->api, ev->api);
	st(&last->answer, *answer);
}

static bool device_id_create(struct checks *c)
{
	c->topic[TOPIC_DEVICE_ID] = checks_alloc(c, CONVERSIONS * sizeof(struct conversion));
	return c->topic[TOPIC_DEVICE_ID] != NULL;
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtGetUserDevIdByLogicDevId, ACL_ENTER, converting},
	{ACL_API_aclrtGetPhyDevIdByLogicDevId, ACL_ENTER, converting},
	{ACL_API_aclrtGetLogicDevIdByPhyDevId, ACL_LEAVE, converted},
	{ACL_API_aclrtGetLogicDevIdByUserDevId, ACL_LEAVE, converted},
	{ACL_API_aclrtGetPhyDevIdByLogicDevId, ACL_LEAVE, converted},
	{ACL_API_aclrtGetUserDevIdByLogicDevId, ACL_LEAVE, converted},
	{ACL_API_aclrtGetPhyDevIdByUserDevId, ACL_LEAVE, converted},
	{ACL_API_aclrtGetUserDevIdByPhyDevId, ACL_LEAVE, converted},
};

const struct acl_topic topic_device_id = {
	.name = "device numbers",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = device_id_create,
};
