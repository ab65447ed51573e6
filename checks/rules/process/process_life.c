/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of the process as the runtime sees it: after the finalize, resets
 * without a set, named callbacks.
 */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/state/device_state.h"
#include "checks/state/init_state.h"

struct process_state {
	struct value_table names; /* of registered callbacks: key of register function and name -> 1 */
	struct value_table forced; /* device + 1 -> 1: its last reset was forced */
};

static struct process_state *process(struct checks *c)
{
	return module_state(c, process);
}

/* --- finalize ----------------------------------------------------------------------------- */

static void process_finalize_enter(struct checks *c, struct acl_call_record *call)
{
	FINDING(c, call, "finalize-without-init", !load_relaxed(&c->inited), NO_PARTS,
		"aclInit was never called in this process.");
}

static void process_finalize_leave(struct checks *c, struct acl_call_record *call)
{
	FINDING(c, call, "finalize-repeat", error_of(call) == ACL_ERROR_REPEAT_FINALIZE,
		PARTS(part_late(call)), "The process was finalized before and not initialised again.");
}

static bool releases(const struct acl_api_info *api)
{
	switch (api->operation_group) {
	case ACL_OP_GROUP_DESTROY:
	case ACL_OP_GROUP_FREE:
	case ACL_OP_GROUP_RELEASE:
	case ACL_OP_GROUP_UNMAP:
	case ACL_OP_GROUP_UNREGISTER:
	case ACL_OP_GROUP_CLOSE:
		return true;
	}
	switch (api->operation) {
	case ACL_OP_DEVICE_RESET:
	case ACL_OP_ALLOCATOR_UNREGISTER:
	case ACL_OP_CALLBACK_UNSUBSCRIBE:
	case ACL_OP_CALLBACK_UNSUBSCRIBE_HOST_FUNCTION:
	case ACL_OP_CALLBACK_UNREGISTER_MODEL_DESTROY:
	case ACL_OP_CALLBACK_UNREGISTER_EXCEPTION:
	case ACL_OP_CALLBACK_UNREGISTER_SNAPSHOT:
		return true;
	}
	return false;
}

/* Memory is taken, an object made, or work done: what destructors prepare a release by is none of it. */
static bool works(unsigned api)
{
	switch (acl_apis[api].operation_group) {
	case ACL_OP_GROUP_ALLOCATE:
	case ACL_OP_GROUP_RESERVE:
	case ACL_OP_GROUP_CREATE:
	case ACL_OP_GROUP_COPY:
	case ACL_OP_GROUP_SET:
	case ACL_OP_GROUP_WRITE:
	case ACL_OP_GROUP_RANDOM:
	case ACL_OP_GROUP_REDUCE:
	case ACL_OP_GROUP_LAUNCH:
	case ACL_OP_GROUP_EXECUTE:
		return true;
	}
	return false;
}

static void after_end(struct checks *c, struct acl_call_record *call)
{
	if (__builtin_expect(!runtime_ended(c), 1) || (call->in_exit && !works(call->api)))
		return;
	FINDING(c, call, "use-after-finalize", true, PARTS(part_late(call)),
		"aclFinalize was called before and aclInit not again.");
}

/* --- resets ----------------------------------------------------------------------------------- */

static void process_reset_leave(struct checks *c, struct acl_call_record *call)
{
	uint64_t device = (uint64_t)(uint32_t)device_argument(call) + 1, forced = 0;
	bool unset = error_of(call) == ACL_ERROR_RT_CONTEXT_RELEASE_ERROR;

	value_table_get(&process(c)->forced, device, &forced);
	FINDING(c, call, "device-reset-force-order", unset && forced, PARTS(part_late(call)),
		"aclrtResetDeviceForce released the device before, and aclrtSetDevice was not called again.");
	FINDING(c, call, "device-reset-unset",
		unset && !forced && !device_reset_answers_set(c, call, device_argument(call)),
		PARTS(part_late(call)), "The device is not set in this process, or no longer.");
	if (succeeded(call))
		value_table_set(c, &process(c)->forced, device, acl_api_is(call->api, ACL_TRAIT_FORCED));
}

static void set(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call))
		value_table_set(c, &process(c)->forced, (uint64_t)(uint32_t)device_argument(call) + 1, 0);
}

static void destroying_context(struct checks *c, struct acl_call_record *call)
{
	const void *value = ACL_ARGS(call, aclrtDestroyContext)->context;
	struct acl_object *o = value ? object_find(c, ACL_HANDLE_CONTEXT, value) : NULL;

	if (o && object_usable(o))
		FINDING(c, call, "context-destroy-default", load_relaxed(&o->flags) & ACL_OBJECT_DEFAULT,
			NO_PARTS, "This is the default context of a device: aclrtResetDevice releases it.");
}

/* --- callbacks under a name ----------------------------------------------------------------------- */

static const struct acl_rule *name_rule(unsigned api)
{
	return acl_apis[api].operation == ACL_OP_CALLBACK_REGISTER_TASK_ABORT
		       ? RULE("exc-abort-callback-name")
		       : RULE("stream-state-callback-duplicate");
}

static void naming(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtRegStreamStateCallback *a = call->args; /* all three are alike */
	uint64_t now = 0;
	char first;

	if (!a->callback || !program_read(c, a->regName, &first, 1))
		return;
	if (first)
		value_table_get(
			&process(c)->names, key_of_two(call->api, program_text_key(c, a->regName)), &now);
	FINDING_OF(c, call, name_rule(call->api), !first || now, NO_PARTS, "%s",
		first ? "A callback is registered under this name already." : "The name is empty.");
}

static void named(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtRegStreamStateCallback *a = call->args;

	if (a->regName && succeeded(call))
		value_table_set(c, &process(c)->names, key_of_two(call->api, program_text_key(c, a->regName)),
			a->callback != NULL);
}

static bool of_snapshot(const struct acl_call_record *call)
{
	return acl_apis[call->api].operation == ACL_OP_CALLBACK_REGISTER_SNAPSHOT ||
	       acl_apis[call->api].operation == ACL_OP_CALLBACK_UNREGISTER_SNAPSHOT;
}

/* Callbacks known by a number and their address: of init and finalize by type, of snapshots by stage. */
static uint64_t key_of_callback(const struct acl_call_record *call, const void *callback)
{
	const struct acl_args_aclrtSnapShotCallbackUnregister *a =
		call->args; /* all begin with number, function */
	const unsigned operation = acl_apis[call->api].operation;
	uint64_t family = of_snapshot(call)                                  ? 1
			  : operation == ACL_OP_CALLBACK_REGISTER_FINALIZE   ? 2
			  : operation == ACL_OP_CALLBACK_UNREGISTER_FINALIZE ? 2
									     : 3;

	return key_of_two(family << 32 | (uint32_t)a->stage, (uintptr_t)callback);
}

static uint64_t numbered_key(const struct acl_call_record *call)
{
	return key_of_callback(call, (void *)ACL_ARGS(call, aclrtSnapShotCallbackUnregister)->callback);
}

/* A module of CANN has one callback, whichever it is. */
static uint64_t module_key(const struct acl_call_record *call)
{
	return key_of_callback(call, NULL);
}

static const struct acl_rule *numbered_rule(const struct acl_call_record *call)
{
	return of_snapshot(call) ? RULE("snapshot-callback-duplicate")
				 : RULE("init-callback-null-or-duplicate");
}

/* Callbacks of no module of CANN are registered and taken back any number of times. */
static bool any_number(const struct acl_call_record *call)
{
	return !of_snapshot(call) && ACL_ARGS(call, aclInitCallbackUnRegister)->type == ACL_REG_TYPE_OTHER;
}

static void numbering(struct checks *c, struct acl_call_record *call)
{
	uint64_t now = 0;

	value_table_get(&process(c)->names, of_snapshot(call) ? numbered_key(call) : module_key(call), &now);
	FINDING_OF(c, call, numbered_rule(call), now && !any_number(call), NO_PARTS,
		"A callback is registered already.");
}

static void numbered(struct checks *c, struct acl_call_record *call)
{
	if (!succeeded(call))
		return;
	value_table_set(c, &process(c)->names, numbered_key(call), 1);
	value_table_set(c, &process(c)->names, module_key(call), 1);
}

static void unnumbering(struct checks *c, struct acl_call_record *call)
{
	uint64_t now = 0;

	/* What was never seen may have been registered before we looked. */
	if (value_table_get(&process(c)->names, numbered_key(call), &now))
		FINDING_OF(c, call, numbered_rule(call), !now && !any_number(call), NO_PARTS,
			"This callback is not registered any more.");
}

/* Not for its arguments: those have been checked. */
static bool refused_as_unknown(const struct acl_call_record *call)
{
	if (of_snapshot(call))
		return error_of(call) == ACL_ERROR_RT_PARAM_INVALID && !call->state.finding;
	return error_of(call) == ACL_ERROR_INTERNAL_ERROR;
}

/* Then the runtime would know it. */
static void unnumber_refused(struct checks *c, struct acl_call_record *call)
{
	uint64_t now;

	if (refused_as_unknown(call) && !any_number(call) &&
		!value_table_get(&process(c)->names, numbered_key(call), &now))
		FINDING_OF(
			c, call, numbered_rule(call), true, NO_PARTS, "This callback was never registered.");
}

static void unnumbered(struct checks *c, struct acl_call_record *call)
{
	if (!succeeded(call))
		return;
	value_table_set(c, &process(c)->names, numbered_key(call), 0);
	value_table_set(c, &process(c)->names, module_key(call), 0);
}

/* --------------------------------------------------------------------------------------------------- */

/*
 * Initialisation itself and questions about versions and products are allowed
 * at any time.  Releases come late in programs with destructors: the runtime
 * carries them out, and what was not released before is said at the finalize.
 */
static bool allowed_after_end(const struct acl_api_info *api)
{
	switch (api->operation) {
	case ACL_OP_INFO_VERSION:
	case ACL_OP_INFO_PACKAGE_VERSION:
	case ACL_OP_INFO_SOC_NAME:
	case ACL_OP_INFO_RUN_MODE:
	case ACL_OP_INFO_DEVICE_COUNT:
	case ACL_OP_ERROR_MESSAGE:
		return true;
	}
	return api->classes & (ACL_CLASS_INIT | ACL_CLASS_VERSION) || releases(api);
}

/* A call through dlsym has looked whether there is one. */
static void too_new(struct checks *c, struct acl_call_record *call)
{
	int target = load_relaxed(&c->target);

	if (__builtin_expect(target < 0 || c->target_auto || call->path == ACL_PATH_DLSYM, 1))
		return;
	FINDING(c, call, "api-newer-than-target", acl_apis[call->api].since > target, NO_PARTS,
		"%s came with CANN %s, the target is %s.", acl_apis[call->api].name,
		acl_cann_names[acl_apis[call->api].since], acl_cann_names[target]);
}

/* The core limits of a device belong to its being set; what was set below us is not seen, so the call must
 * fail. */
static void limit_of_device(struct checks *c, struct acl_call_record *call)
{
	struct acl_device *d = device_at(c, device_argument(call));

	if (d)
		FINDING(c, call, "res-limit-before-setdevice",
			!succeeded(call) && load_relaxed(&d->sets) <= 0, NO_PARTS,
			"The device is not set in this process.");
}

static void process_bind(void (*add)(void *binder, unsigned api, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		if (!allowed_after_end(&acl_apis[api]))
			add(binder, api, ACL_ENTER | ACL_WHEN(FINALIZED), after_end);
		if (acl_apis[api].since > ACL_CANN_8_1)
			add(binder, api, ACL_ENTER, too_new);
	}
}

static const struct check_hook hooks[] = {
	/* What counts references answers by their number. */
	{ACL_API_aclFinalize, ACL_ENTER, process_finalize_enter},
	{ON_OP(PROCESS_FINALIZE), ACL_LEAVE, process_finalize_leave},
	{ON_OP(DEVICE_SET), ACL_LEAVE, set},
	{ON_OP(DEVICE_RESET), ACL_LEAVE, process_reset_leave},
	{ON_OP(DESTROY_CONTEXT), ACL_ENTER, destroying_context},
	{ON_OP(CONFIGURE_DEVICE_RESOURCE_DEFAULT), ACL_LEAVE, limit_of_device},
	{ON_OP(CONFIGURE_DEVICE_RESOURCE_LIMIT), ACL_LEAVE, limit_of_device},
	{ON_OP(INFO_DEVICE_RESOURCE_LIMIT), ACL_LEAVE, limit_of_device},
	{ON_OP(CALLBACK_REGISTER_DEVICE_STATE), ACL_ENTER, naming},
	{ON_OP(CALLBACK_REGISTER_STREAM_STATE), ACL_ENTER, naming},
	{ON_OP(CALLBACK_REGISTER_TASK_ABORT), ACL_ENTER, naming},
	{ON_OP(CALLBACK_REGISTER_DEVICE_STATE), ACL_LEAVE, named},
	{ON_OP(CALLBACK_REGISTER_STREAM_STATE), ACL_LEAVE, named},
	{ON_OP(CALLBACK_REGISTER_TASK_ABORT), ACL_LEAVE, named},
	{ON_OP(CALLBACK_REGISTER_FINALIZE), ACL_ENTER, numbering},
	{ON_OP(CALLBACK_REGISTER_INIT), ACL_ENTER, numbering},
	{ON_OP(CALLBACK_REGISTER_SNAPSHOT), ACL_ENTER, numbering},
	{ON_OP(CALLBACK_REGISTER_FINALIZE), ACL_LEAVE, numbered},
	{ON_OP(CALLBACK_REGISTER_INIT), ACL_LEAVE, numbered},
	{ON_OP(CALLBACK_REGISTER_SNAPSHOT), ACL_LEAVE, numbered},
	{ON_OP(CALLBACK_UNREGISTER_FINALIZE), ACL_ENTER, unnumbering},
	{ON_OP(CALLBACK_UNREGISTER_INIT), ACL_ENTER, unnumbering},
	{ON_OP(CALLBACK_UNREGISTER_SNAPSHOT), ACL_ENTER, unnumbering},
	{ON_OP(CALLBACK_UNREGISTER_FINALIZE), ACL_FAILED, unnumber_refused},
	{ON_OP(CALLBACK_UNREGISTER_INIT), ACL_FAILED, unnumber_refused},
	{ON_OP(CALLBACK_UNREGISTER_SNAPSHOT), ACL_FAILED, unnumber_refused},
	{ON_OP(CALLBACK_UNREGISTER_FINALIZE), ACL_LEAVE, unnumbered},
	{ON_OP(CALLBACK_UNREGISTER_INIT), ACL_LEAVE, unnumbered},
	{ON_OP(CALLBACK_UNREGISTER_SNAPSHOT), ACL_LEAVE, unnumbered},
};

const struct check_module module_process = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = process_bind,
	.state_size = sizeof(struct process_state),
};
