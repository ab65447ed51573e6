/* SPDX-License-Identifier: Apache-2.0 */
/* How long descriptors are, as the runtime answered. */
#include "checks/state/descriptor_state.h"

enum descriptor_kind { DESCRIBES_COPY, DESCRIBES_CACHE, DESCRIPTOR_KINDS };

struct descriptor_sizes {
	_Atomic uint64_t bytes[DESCRIPTOR_KINDS]; /* 0 = not queried */
};

static struct descriptor_sizes *sizes(struct checks *c)
{
	return module_state(c, descriptor_size);
}

static void size_keep(struct checks *c, const struct acl_call_record *call, enum descriptor_kind kind)
{
	const size_t *bytes = acl_arg_pointer(call->api, call->args, ACL_ROLE_BYTES);

	if (succeeded(call) && bytes)
		store_relaxed(&sizes(c)->bytes[kind], *bytes);
}

static void copy_size_leave(struct checks *c, struct acl_call_record *call)
{
	size_keep(c, call, DESCRIBES_COPY);
}

static void cache_size_leave(struct checks *c, struct acl_call_record *call)
{
	size_keep(c, call, DESCRIBES_CACHE);
}

uint64_t descriptor_bytes(struct checks *c, const struct acl_call_record *call)
{
	switch (acl_apis[call->api].operation) {
	case ACL_OP_COPY_DESCRIBED:
	case ACL_OP_DESCRIBE_COPY:
		return load_relaxed(&sizes(c)->bytes[DESCRIBES_COPY]);
	default:
		return load_relaxed(&sizes(c)->bytes[DESCRIBES_CACHE]);
	}
}

static const struct check_hook hooks[] = {
	{ON_OP(INFO_COPY_DESCRIPTOR_SIZE), ACL_LEAVE, copy_size_leave},
	{ON_OP(INFO_CACHE_DESCRIPTOR_SIZE), ACL_LEAVE, cache_size_leave},
};

const struct check_module module_descriptor_size = {
	.order = 31,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct descriptor_sizes),
};
