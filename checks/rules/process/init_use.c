/* SPDX-License-Identifier: Apache-2.0 */
/* Initialisation and its end. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/plain_format.h"
#include "checks/state/device_state.h"
#include "checks/state/init_state.h"

static void check_repeat(struct checks *c, struct acl_call_record *call)
{
	int before = init_count(c);
	/* Libraries that each call aclInit by design get advice. */
	bool other = calling_module(c, call) != load_relaxed(&init_state(c)->module);

	FINDING(c, call, "init-repeat", before > 0,
		PARTS(part_advice(other), part_int("inits before", before),
			part_created_at("first aclInit", "initialisation", &init_state(c)->first)),
		"aclInit number %d of this process%s; the first one was made by %s module and is still in "
		"effect",
		before + 1, ACL_ARGS(call, aclInit)->configPath ? " (its configuration is not read)" : "",
		other ? "another" : "the same");
}

static void init_enter(struct checks *c, struct acl_call_record *call)
{
	rule_evaluated(call, RULE("init-missing"));
	if (!load_relaxed(&init_state(c)->forked))
		check_repeat(c, call);
}

/* Whether a forked child begins anew the runtime's answer says. */
static void init_leave(struct checks *c, struct acl_call_record *call)
{
	if (load_relaxed(&init_state(c)->forked) && error_of(call) == ACL_ERROR_REPEAT_INITIALIZE)
		check_repeat(c, call);
}

/* --- init-missing ------------------------------------------------------------------- */

/* Legal, or checked, before there is a runtime. */
static bool needs_no_init(const struct acl_call_record *call)
{
	return acl_api_is(call->api, ACL_TRAIT_BEFORE_INIT) ||
	       (strncmp(acl_apis[call->api].name, "aclrt", 5) &&
		       strncmp(acl_apis[call->api].name, "aclmdlRI", 8));
}

static void init_missing(struct checks *c, struct acl_call_record *call)
{
	if (!is_checked(call) || call->callback_depth || needs_no_init(call) || checks_initialized(c))
		return;
	/* One site: once a process. */
	FINDING(c, call, "init-missing", true, PARTS(part_site(1), part_uint("thread", call->tid)),
		"%s is the first call of the runtime in this process, and aclInit has not been called",
		acl_apis[call->api].name);
}

/* --- the end --------------------------------------------------------------------------- */

/* The devices that are set and not reset since. */
struct held_devices {
	struct held_device {
		int number;
		struct acl_device *device;
	} at[ACL_FINDING_VALUES];
	int n;
};

static void held_history(struct acl_object_history *out, const void *held)
{
	const struct held_device *h = held;

	out->kind = "device";
	out->device = h->number;
	out->value = (uint64_t)h->number;
	call_site_copy(&out->created, &h->device->first_set);
	call_site_copy(&out->last_used, &h->device->last_set);
}

/* "device 0, 2 are" */
static const char *held_text(const struct held_devices *held, char out[64])
{
	size_t at = 0;

	for (int i = 0; i < held->n; i++) {
		plain_print(out + at, 64 - at, "%s %d", i ? "," : "device", held->at[i].number);
		at += strlen(out + at);
	}
	plain_print(out + at, 64 - at, "%s", held->n > 1 ? " are" : " is");
	return out;
}

static struct finding_part held_value(const struct held_devices *held, int i)
{
	return i < held->n ? part_int("device", held->at[i].number) : part_none();
}

static struct finding_part held_object(const struct held_devices *held, int i)
{
	return part_history("still set", held_history, i < held->n ? &held->at[i] : NULL);
}

static void init_finalize_enter(struct checks *c, struct acl_call_record *call)
{
	struct held_devices held = {.n = 0};
	char text[64];

	if (!finalize_ends_runtime(c, call))
		return;
	for (int i = 0; i < ACL_DEVICES && held.n < ACL_FINDING_VALUES; i++)
		if (load_relaxed(&device_at(c, i)->sets) > 0 &&
			load_relaxed(&device_at(c, i)->set_since_reset))
			held.at[held.n++] = (struct held_device){i, device_at(c, i)};
	FINDING(c, call, "finalize-before-reset", held.n,
		PARTS(part_late(call), held_value(&held, 0), held_value(&held, 1), held_value(&held, 2),
			held_value(&held, 3), held_value(&held, 4), held_value(&held, 5),
			held_value(&held, 6), held_value(&held, 7), held_object(&held, 0),
			held_object(&held, 1), held_object(&held, 2), held_object(&held, 3)),
		"%s set and not reset since", held_text(&held, text));
}

static void init_finish(struct checks *c, enum checks_end kind)
{
	if (kind == CHECKS_END_EXIT && call_site_caller(&init_state(c)->first) &&
		!load_relaxed(&init_state(c)->forked))
		FINDING(c, NULL, "finalize-missing-at-exit", init_count(c) > 0,
			PARTS(part_created_at("aclInit", "initialisation", &init_state(c)->first)),
			"aclInit was called and aclFinalize was not");
}

static const struct check_hook hooks[] = {
	{ON_OP(PROCESS_INIT), ACL_ENTER, init_enter},
	{ON_OP(PROCESS_INIT), ACL_LEAVE, init_leave},
	{ON_OP(PROCESS_FINALIZE), ACL_ENTER, init_finalize_enter},
};

const struct check_module module_init_use = {
	.uninitialized = init_missing,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.finish = init_finish,
};
