/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of the process as the runtime sees it: after the finalize, resets
 * without a set, named callbacks.
 */
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

#define REPEAT_FINALIZE 100037
#define CONTEXT_RELEASE_ERROR 507007

struct process_state {
	struct pairs names; /* of registered callbacks: key of register function and name -> 1 */
	struct pairs forced; /* device + 1 -> 1: its last reset was forced */
	struct pairs peers; /* key of device and peer -> 1: access enabled */
	_Atomic bool peers_unknown; /* an import enabled access by itself */
	_Atomic bool ended; /* finalized, and not initialised again */
};

static struct process_state *process(struct checks *c)
{
	return c->topic[TOPIC_PROCESS];
}

static void say(
	struct checks *c, struct acl_event *ev, const struct acl_rule *rule, int severity, const char *detail)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	if (ev->carry[CARRY_FINDING])
		return;
	grade.severity = (int8_t)severity;
	f = finding_begin_as(c, ev, rule, grade, &room);
	if (!f)
		return;
	finding_detail(f, "%s", detail);
	finding_show(c, f);
}

/* --- finalize ----------------------------------------------------------------------------- */

static void initialised(struct checks *c, struct acl_event *ev)
{
	if (succeeded(ev))
		st(&process(c)->ended, false);
}

static void finalizing(struct checks *c, struct acl_event *ev)
{
	if (rule_broken(ev, RULE("finalize-without-init"), !ld(&c->inited)))
		say(c, ev, RULE("finalize-without-init"), -1, "aclInit was never called in this process.");
}

static void finalized(struct checks *c, struct acl_event *ev)
{
	if (rule_broken(ev, RULE("finalize-repeat"), error_of(ev) == REPEAT_FINALIZE))
		say(c, ev, RULE("finalize-repeat"), -1,
			"The process was finalized before and not initialised again.");
	if (!succeeded(ev) || ev->api != ACL_API_aclFinalize)
		return;
	checks_unusual(c);
	st(&process(c)->ended, true);
}

static bool releases(const char *name)
{
	return strstr(name, "Destroy") || strstr(name, "Free") || strstr(name, "Reset") ||
	       strstr(name, "Release") || strstr(name, "UnLoad") || strstr(name, "Unregister") ||
	       strstr(name, "Unmap") || strstr(name, "UnSubscribe");
}

static void after_end(struct checks *c, struct acl_event *ev)
{
	if (__builtin_expect(!ld(&process(c)->ended), 1) || ev->in_exit)
		return;
	rule_asked(ev, RULE("use-after-finalize"));
	say(c, ev, RULE("use-after-finalize"), -1, "aclFinalize was called before and aclInit not again.");
}

/* --- resets ----------------------------------------------------------------------------------- */

static void reset(struct checks *c, struct acl_event *ev)
{
	uint64_t device = (uint64_t)(uint32_t)device_argument(ev) + 1, forced = 0;

	rule_asked(ev, RULE("device-reset-force-order"));
	rule_asked(ev, RULE("device-reset-unset"));
	if (succeeded(ev)) {
		pairs_set(&process(c)->forced, device, ev->api == ACL_API_aclrtResetDeviceForce);
		return;
	}
	if (error_of(ev) != CONTEXT_RELEASE_ERROR)
		return;
	pairs_get(&process(c)->forced, device, &forced);
	if (forced)
		say(c, ev, RULE("device-reset-force-order"), -1,
			"aclrtResetDeviceForce released the device before, and aclrtSetDevice was not called "
			"again.");
	else
		say(c, ev, RULE("device-reset-unset"), -1,
			"The device is not set in this process, or no longer.");
}

static void set(struct checks *c, struct acl_event *ev)
{
	if (succeeded(ev))
		pairs_set(&process(c)->forced, (uint64_t)(uint32_t)device_argument(ev) + 1, 0);
}

static void same_peer(struct checks *c, struct acl_event *ev)
{
	int peer = ACL_ARGS(ev, aclrtDeviceDisablePeerAccess)->peerDeviceId;

	if (peer >= 0 && rule_broken(ev, RULE("peer-same-device"), device_current(c, thread_of(ev)) == peer))
		say(c, ev, RULE("peer-same-device"), -1, "This is the current device itself.");
}

static void peer_enabled(struct checks *c, struct acl_event *ev)
{
	int device = device_current(c, thread_of(ev));

	if (!succeeded(ev))
		return;
	if (device < 0)
		st(&process(c)->peers_unknown, true);
	else
		pairs_set(&process(c)->peers,
			key_of_two(device, ACL_ARGS(ev, aclrtDeviceEnablePeerAccess)->peerDeviceId), 1);
}

static void peer_disabled(struct checks *c, struct acl_event *ev)
{
	int device = device_current(c, thread_of(ev));

	if (succeeded(ev) && device >= 0)
		pairs_set(&process(c)->peers,
			key_of_two(device, ACL_ARGS(ev, aclrtDeviceDisablePeerAccess)->peerDeviceId), 0);
}

static void imported(struct checks *c, struct acl_event *ev)
{
	if (succeeded(ev))
		st(&process(c)->peers_unknown, true);
}

static void disabling_peer(struct checks *c, struct acl_event *ev)
{
	int device = device_current(c, thread_of(ev)),
	    peer = ACL_ARGS(ev, aclrtDeviceDisablePeerAccess)->peerDeviceId;
	uint64_t now = 0;

	same_peer(c, ev);
	if (device < 0 || peer < 0 || ld(&process(c)->peers_unknown) || ld(&process(c)->peers.full))
		return;
	pairs_get(&process(c)->peers, key_of_two(device, peer), &now);
	if (rule_broken(ev, RULE("peer-disable-not-enabled"), !now))
		say(c, ev, RULE("peer-disable-not-enabled"), -1,
			"Access to this device was not enabled by this process.");
}

static void destroying_context(struct checks *c, struct acl_event *ev)
{
	const void *value = ACL_ARGS(ev, aclrtDestroyContext)->context;
	struct acl_object *o = value ? object_find(c, ACL_HANDLE_CONTEXT, value) : NULL;

	if (o && object_usable(o) &&
		rule_broken(ev, RULE("context-destroy-default"), ld(&o->flags) & ACL_OBJECT_DEFAULT))
		say(c, ev, RULE("context-destroy-default"), -1,
			"This is the default context of a device: aclrtResetDevice releases it.");
}

/* --- callbacks under a name ----------------------------------------------------------------------- */

static const struct acl_rule *name_rule(unsigned api)
{
	return api == ACL_API_aclrtSetDeviceTaskAbortCallback ? RULE("exc-abort-callback-name")
							      : RULE("stream-state-callback-duplicate");
}

static void naming(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtRegStreamStateCallback *a = ev->args; /* all three are alike */
	uint64_t now = 0;

	if (!a->regName || !a->callback)
		return;
	rule_asked(ev, name_rule(ev->api));
	if (!a->regName[0])
		say(c, ev, name_rule(ev->api), -1, "The name is empty.");
	else if (pairs_get(&process(c)->names, key_of_two(ev->api, key_of_text(a->regName)), &now) && now)
		say(c, ev, name_rule(ev->api), -1, "A callback is registered under this name already.");
}

static void named(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtRegStreamStateCallback *a = ev->args;

	if (a->regName && succeeded(ev))
		pairs_set(&process(c)->names, key_of_two(ev->api, key_of_text(a->regName)),
			a->callback != NULL);
}

/* Callbacks known by a number and their address: of init and finalize by type, of snapshots by stage. */
static uint64_t numbered_key(const struct acl_event *ev)
{
	const struct acl_args_aclrtSnapShotCallbackUnregister *a =
		ev->args; /* all begin with number, function */
	uint64_t family = strstr(acl_apis[ev->api].name, "SnapShot")   ? 1
			  : strstr(acl_apis[ev->api].name, "Finalize") ? 2
								       : 3;

	return key_of_two(family << 32 | (uint32_t)a->stage, (uintptr_t)a->callback);
}

static const struct acl_rule *numbered_rule(const struct acl_event *ev)
{
	return strstr(acl_apis[ev->api].name, "SnapShot") ? RULE("snapshot-callback-duplicate")
							  : RULE("init-callback-null-or-duplicate");
}

static void numbering(struct checks *c, struct acl_event *ev)
{
	uint64_t now = 0;

	rule_asked(ev, numbered_rule(ev));
	if (pairs_get(&process(c)->names, numbered_key(ev), &now) && now &&
		(strstr(acl_apis[ev->api].name, "SnapShot") ||
			ACL_ARGS(ev, aclInitCallbackUnRegister)->type != ACL_REG_TYPE_OTHER))
		say(c, ev, numbered_rule(ev), -1, "This callback is registered already.");
}

static void numbered(struct checks *c, struct acl_event *ev)
{
	if (succeeded(ev))
		pairs_set(&process(c)->names, numbered_key(ev), 1);
}

static void unnumbering(struct checks *c, struct acl_event *ev)
{
	uint64_t now = 0;

	/* What was never seen may have been registered before we looked. */
	if (pairs_get(&process(c)->names, numbered_key(ev), &now) && rule_broken(ev, numbered_rule(ev), !now))
		say(c, ev, numbered_rule(ev), -1, "This callback is not registered any more.");
}

static void unnumbered(struct checks *c, struct acl_event *ev)
{
	if (succeeded(ev))
		pairs_set(&process(c)->names, numbered_key(ev), 0);
}

/* --------------------------------------------------------------------------------------------------- */

/*
 * Initialisation itself and questions about versions and products are allowed
 * at any time.  Releases come late in programs with destructors: the runtime
 * carries them out, and what was not released before is said at the finalize.
 */
static bool allowed_after_end(const struct acl_api_info *api)
{
	return api->classes & (ACL_CLASS_INIT | ACL_CLASS_VERSION) || strstr(api->name, "Version") ||
	       !strcmp(api->name, "aclrtGetSocName") || !strcmp(api->name, "aclGetRecentErrMsg") ||
	       !strcmp(api->name, "aclrtGetRunMode") || !strcmp(api->name, "aclrtGetDeviceCount") ||
	       releases(api->name);
}

/* A call through dlsym has asked whether there is one. */
static void too_new(struct checks *c, struct acl_event *ev)
{
	int target = ld(&c->target);
	struct finding_buffer room;
	struct acl_finding *f;

	if (__builtin_expect(target < 0 || c->target_auto || ev->path == ACL_PATH_DLSYM, 1) ||
		!rule_broken(ev, RULE("api-newer-than-target"), acl_apis[ev->api].since > target))
		return;
	f = finding_begin(c, ev, RULE("api-newer-than-target"), &room);
	if (!f)
		return;
	finding_detail(f, "%s came with CANN %s, the target is %s.", acl_apis[ev->api].name,
		acl_cann_names[acl_apis[ev->api].since], acl_cann_names[target]);
	finding_show(c, f);
}

/* The core limits of a device belong to its being set; what was set below us is not seen, so the call must
 * fail. */
static void limit_set(struct checks *c, struct acl_event *ev)
{
	struct acl_device *d = device_at(c, device_argument(ev));

	if (d && rule_broken(ev, RULE("res-limit-before-setdevice"), !succeeded(ev) && ld(&d->sets) <= 0))
		say(c, ev, RULE("res-limit-before-setdevice"), -1, "The device is not set in this process.");
}

static void process_bind(void (*add)(void *binder, unsigned api, enum acl_phase, acl_hook_fn), void *binder)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		if (!allowed_after_end(&acl_apis[api]))
			add(binder, api, ACL_ENTER | ACL_UNUSUAL, after_end);
		if (acl_apis[api].since > ACL_CANN_8_1)
			add(binder, api, ACL_ENTER, too_new);
	}
}

static bool process_create(struct checks *c)
{
	c->topic[TOPIC_PROCESS] = checks_alloc(c, sizeof(struct process_state));
	return c->topic[TOPIC_PROCESS] != NULL;
}

static void process_forked(struct checks *c)
{
	st(&process(c)->names.lock.held, 0);
	st(&process(c)->forced.lock.held, 0);
	st(&process(c)->peers.lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclInit, ACL_LEAVE, initialised},
	{ACL_API_aclFinalize, ACL_ENTER, finalizing},
	{ACL_API_aclFinalize, ACL_LEAVE, finalized},
	{ACL_API_aclFinalizeReference, ACL_LEAVE, finalized},
	{ACL_API_aclrtSetDevice, ACL_LEAVE, set},
	{ACL_API_aclrtResetDevice, ACL_LEAVE, reset},
	{ACL_API_aclrtResetDeviceForce, ACL_LEAVE, reset},
	{ACL_API_aclrtDeviceEnablePeerAccess, ACL_ENTER, same_peer},
	{ACL_API_aclrtDeviceEnablePeerAccess, ACL_LEAVE, peer_enabled},
	{ACL_API_aclrtDeviceDisablePeerAccess, ACL_ENTER, disabling_peer},
	{ACL_API_aclrtDeviceDisablePeerAccess, ACL_LEAVE, peer_disabled},
	{ACL_API_aclrtIpcMemImportByKey, ACL_LEAVE, imported},
	{ACL_API_aclrtMemImportFromShareableHandle, ACL_LEAVE, imported},
	{ACL_API_aclrtMemImportFromShareableHandleV2, ACL_LEAVE, imported},
	{ACL_API_aclrtNotifyImportByKey, ACL_LEAVE, imported},
	{ACL_API_aclrtDestroyContext, ACL_ENTER, destroying_context},
	{ACL_API_aclrtSetDeviceResLimit, ACL_LEAVE, limit_set},
	{ACL_API_aclrtResetDeviceResLimit, ACL_LEAVE, limit_set},
	{ACL_API_aclrtRegDeviceStateCallback, ACL_ENTER, naming},
	{ACL_API_aclrtRegDeviceStateCallback, ACL_LEAVE, named},
	{ACL_API_aclrtRegStreamStateCallback, ACL_ENTER, naming},
	{ACL_API_aclrtRegStreamStateCallback, ACL_LEAVE, named},
	{ACL_API_aclrtSetDeviceTaskAbortCallback, ACL_ENTER, naming},
	{ACL_API_aclrtSetDeviceTaskAbortCallback, ACL_LEAVE, named},
	{ACL_API_aclInitCallbackRegister, ACL_ENTER, numbering},
	{ACL_API_aclInitCallbackRegister, ACL_LEAVE, numbered},
	{ACL_API_aclInitCallbackUnRegister, ACL_ENTER, unnumbering},
	{ACL_API_aclInitCallbackUnRegister, ACL_LEAVE, unnumbered},
	{ACL_API_aclFinalizeCallbackRegister, ACL_ENTER, numbering},
	{ACL_API_aclFinalizeCallbackRegister, ACL_LEAVE, numbered},
	{ACL_API_aclFinalizeCallbackUnRegister, ACL_ENTER, unnumbering},
	{ACL_API_aclFinalizeCallbackUnRegister, ACL_LEAVE, unnumbered},
	{ACL_API_aclrtSnapShotCallbackRegister, ACL_ENTER, numbering},
	{ACL_API_aclrtSnapShotCallbackRegister, ACL_LEAVE, numbered},
	{ACL_API_aclrtSnapShotCallbackUnregister, ACL_ENTER, unnumbering},
	{ACL_API_aclrtSnapShotCallbackUnregister, ACL_LEAVE, unnumbered},
};

const struct acl_topic topic_process = {
	.name = "process",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = process_bind,
	.create = process_create,
	.forked = process_forked,
};
