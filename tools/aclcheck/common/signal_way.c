/* SPDX-License-Identifier: Apache-2.0 */
/* What streams wait for. */
#include "aclcheck/model.h"
#include "tools/aclcheck/common/command.h"

static const struct signal_way ways[] = {
	{ACL_OP_RECORD_EVENT, ACL_OP_WAIT_EVENT, ACL_OP_RESET_EVENT, ACL_OP_DESTROY_EVENT, ACL_HANDLE_EVENT,
		"event", "records it"},
	{ACL_OP_RECORD_NOTIFY, ACL_OP_WAIT_NOTIFY, ACL_OP_RESET_NOTIFY, ACL_OP_DESTROY_NOTIFY,
		ACL_HANDLE_NOTIFY, "notify", "records it"},
	{ACL_OP_RECORD_COUNT_NOTIFY, ACL_OP_WAIT_COUNT_NOTIFY, ACL_OP_RESET_COUNT_NOTIFY,
		ACL_OP_DESTROY_COUNT_NOTIFY, ACL_HANDLE_CNT_NOTIFY, "notify", "records it"},
	{ACL_OP_WRITE_VALUE, ACL_OP_WAIT_VALUE, ACL_OP_NONE, ACL_OP_NONE, ACL_HANDLE_NONE, "the word at",
		"writes it"},
};

enum signal_act signal_act(unsigned api, const struct signal_way **way)
{
	unsigned operation = acl_apis[api].operation;

	for (size_t i = 0; operation != ACL_OP_NONE && i < sizeof(ways) / sizeof(*ways); i++) {
		*way = &ways[i];
		if (operation == ways[i].record)
			return SIGNAL_RECORD;
		if (operation == ways[i].wait)
			return SIGNAL_WAIT;
		if (operation == ways[i].reset || operation == ways[i].destroy)
			return SIGNAL_FORGET;
	}
	*way = NULL;
	return SIGNAL_NONE;
}

int signal_argument(unsigned api)
{
	const struct acl_api_info *a = &acl_apis[api];
	const struct signal_way *way;

	signal_act(api, &way);
	if (way && way->handle == ACL_HANDLE_NONE)
		return acl_role_param(api, ACL_ROLE_ADDRESS);
	for (unsigned i = 0; way && i < a->n_params; i++)
		if (acl_params(a)[i].handle == way->handle && acl_params(a)[i].kind == ACL_KIND_HANDLE)
			return (int)i;
	return -1;
}
