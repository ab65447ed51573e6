/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration file given to aclInit: one for the whole process, and the default device it may name. */
#include "checks/rules/kernel/device_limits.h"
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/state/device_state.h"
#include "checks/state/init_state.h"

#define NO_CONFIG 1 /* stands for the hash of a configuration that says nothing */

struct init_config_state {
	_Atomic uint64_t first; /* hash of the configuration that counts, 0 = not known */
	struct call_site_slot first_init;
	_Atomic bool default_device; /* the configuration in effect names one */
};

static struct init_config_state *state(struct checks *c)
{
	return module_state(c, init_config);
}

/* false: what the call configures is not known. */
static bool configuration(
	struct checks *c, const struct acl_call_record *call, struct checks_init_config *out)
{
	const char *path = ACL_ARGS(call, aclInit)->configPath;
	char first;

	memset(out, 0, sizeof(*out));
	out->trivial = true;
	if (!path || (program_read(c, path, &first, 1) && !first))
		return true;
	/* All of the path can be read. */
	return program_text_key(c, path) && c->host.init_config &&
	       c->host.init_config(c->host.context, path, out);
}

static bool other_module(struct checks *c, const struct acl_call_record *call)
{
	return calling_module(c, call) != load_relaxed(&init_state(c)->module);
}

/* Only what the runtime's answer confirms: to give none the second time is usual and harms nothing. */
static void again(struct checks *c, struct acl_call_record *call, const struct checks_init_config *now)
{
	uint64_t first = load_relaxed(&state(c)->first);
	int32_t error = error_of(call);

	if (error != ACL_ERROR_REPEAT_INITIALIZE && error != ACL_ERROR_INVALID_PARAM)
		return;
	/* A library that brings a configuration of its own cannot know who was first.  That the repeated call
	 * does not read its file is said already. */
	FINDING(c, call, "init-config-mismatch", !now->trivial && now->hash != first,
		PARTS(part_advice(other_module(c, call)), part_beside(BESIDE_AS_CONSEQUENCE),
			part_error("result", error),
			part_created_at("first aclInit", "initialisation", &state(c)->first_init)),
		"The configuration differs from the first one of this process%s%s.",
		first == NO_CONFIG ? ", which was none" : "",
		error == ACL_ERROR_REPEAT_INITIALIZE ? ", and is not read" : ", and is refused");
}

static void initialised(struct checks *c, struct acl_call_record *call)
{
	struct checks_init_config now;
	bool known = configuration(c, call, &now);

	if (known && load_relaxed(&state(c)->first)) {
		again(c, call, &now);
	} else if (known && succeeded(call) && init_count(c) <= 0) {
		call_site_take(c, &state(c)->first_init, call, true);
		store_relaxed(&state(c)->first, now.trivial ? NO_CONFIG : now.hash);
	}
	/* The file of a repeated call is not read. */
	if (known && error_of(call) != ACL_ERROR_REPEAT_INITIALIZE)
		limits_configured(c, call, &now);
	if (succeeded(call) && known)
		store_relaxed(&state(c)->default_device, now.default_device);
}

/* --- default-device-explicit-context ------------------------------------------------- */

static void creating(struct checks *c, struct acl_call_record *call)
{
	int device = ACL_ARGS(call, aclrtCreateContext)->deviceId;
	struct acl_device *d = device_at(c, device);

	if (load_relaxed(&state(c)->default_device) && d)
		FINDING(c, call, "default-device-explicit-context", !load_relaxed(&d->ever_set),
			PARTS(part_int("device", device)),
			"aclrtSetDevice(%d) was not called; the configuration names a default device",
			device);
}

static const struct check_hook hooks[] = {
	{ON_OP(PROCESS_INIT), ACL_LEAVE, initialised},
	{ON_OP(CREATE_CONTEXT), ACL_ENTER, creating},
};

const struct check_module module_init_config = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct init_config_state),
};
