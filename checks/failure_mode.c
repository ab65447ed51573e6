/* SPDX-License-Identifier: Apache-2.0 */
/* The failure mode of streams: set once, and what follows a failure when it says stop. */
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

struct failure_modes {
	struct pairs mode; /* acl_ref of a stream -> 1 + mode, FAILED once a synchronise found an error */
	_Atomic bool any_failed;
};

#define FAILED UINT64_C(0x100)

static struct failure_modes *modes(struct checks *c)
{
	return c->topic[TOPIC_FAILURE_MODE];
}

static uint64_t mode_of(struct checks *c, struct acl_object *s)
{
	uint64_t now = 0;

	if (s)
		pairs_get(&modes(c)->mode, object_ref(s), &now);
	return now;
}

static bool asked_mode(const struct acl_event *ev, uint64_t *mode)
{
	const struct acl_args_aclrtSetStreamAttribute *a = ev->args;

	if (ev->api == ACL_API_aclrtSetStreamFailureMode) {
		*mode = ACL_ARGS(ev, aclrtSetStreamFailureMode)->mode;
		return true;
	}
	if (a->stmAttrType != ACL_STREAM_ATTR_FAILURE_MODE || !a->value)
		return false;
	*mode = a->value->failureMode;
	return true;
}

static void setting(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);
	uint64_t mode, now = mode_of(c, s) & (FAILED - 1);
	struct finding_buffer room;
	struct acl_finding *f;

	/* The same value again is taken without a word. */
	if (!s || ev->carry[CARRY_FINDING] || !asked_mode(ev, &mode) ||
		!rule_broken(ev, RULE("stream-failure-mode-repeat"), now && now != 1 + mode))
		return;
	f = finding_begin(c, ev, RULE("stream-failure-mode-repeat"), &room);
	if (!f)
		return;
	finding_detail(f, "The failure mode of this stream was set to %llu before; it can be set once.",
		(unsigned long long)now - 1);
	finding_uint(f, "mode", mode);
	finding_object(c, f, "stream", s);
	finding_show(c, f);
}

static void set(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);
	uint64_t mode;

	if (s && succeeded(ev) && asked_mode(ev, &mode) && mode <= ACL_STOP_ON_FAILURE)
		pairs_set(&modes(c)->mode, object_ref(s), 1 + mode);
}

/* Errors of the device that a stop-on-failure stream does not get over. */
static bool device_error(int32_t error)
{
	switch (error) {
	case 507005: /* end of sequence, normal end of a model, closed socket, time is over */
	case 507023:
	case 507901:
	case 507046:
		return false;
	}
	return error >= 507000 && error < 508000;
}

static void synchronised(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);

	if (!s || !device_error(error_of(ev)) || mode_of(c, s) != 1 + ACL_STOP_ON_FAILURE)
		return;
	pairs_set(&modes(c)->mode, object_ref(s), (1 + ACL_STOP_ON_FAILURE) | FAILED);
	checks_unusual(c);
	st(&modes(c)->any_failed, true);
}

static void submitting(struct checks *c, struct acl_event *ev)
{
	struct finding_buffer room;
	struct acl_finding *f;

	if (__builtin_expect(!ld(&modes(c)->any_failed), 1) || ev->carry[CARRY_FINDING] || !stream_of(ev) ||
		!rule_broken(ev, RULE("stop-on-failure-then-submit"), mode_of(c, stream_of(ev)) & FAILED))
		return;
	f = finding_begin(c, ev, RULE("stop-on-failure-then-submit"), &room);
	if (!f)
		return;
	finding_detail(
		f, "The stream stops on failure and a synchronise has found one: it takes no more tasks.");
	finding_object(c, f, "stream", stream_of(ev));
	finding_show(c, f);
}

static void modes_bind(void (*add)(void *binder, unsigned api, enum acl_phase, acl_hook_fn), void *binder)
{
	static const uint16_t submissions[] = {ACL_API_aclrtMemcpyAsync, ACL_API_aclrtMemsetAsync,
		ACL_API_aclrtRecordEvent, ACL_API_aclrtLaunchKernel, ACL_API_aclrtLaunchKernelV2,
		ACL_API_aclrtLaunchKernelWithArgsArray, ACL_API_aclrtLaunchKernelWithConfig,
		ACL_API_aclrtLaunchKernelWithHostArgs, ACL_API_aclrtLaunchCallback,
		ACL_API_aclrtLaunchHostFunc};

	for (size_t i = 0; i < sizeof(submissions) / sizeof(submissions[0]); i++)
		add(binder, submissions[i], ACL_ENTER | ACL_UNUSUAL, submitting);
	add(binder, ACL_API_aclrtSynchronizeStream, ACL_LEAVE, synchronised);
	add(binder, ACL_API_aclrtSynchronizeStreamWithTimeout, ACL_LEAVE, synchronised);
	add(binder, ACL_API_aclrtSetStreamFailureMode, ACL_ENTER, setting);
	add(binder, ACL_API_aclrtSetStreamFailureMode, ACL_LEAVE, set);
	add(binder, ACL_API_aclrtSetStreamAttribute, ACL_ENTER, setting);
	add(binder, ACL_API_aclrtSetStreamAttribute, ACL_LEAVE, set);
}

static bool modes_create(struct checks *c)
{
	c->topic[TOPIC_FAILURE_MODE] = checks_alloc(c, sizeof(struct failure_modes));
	return c->topic[TOPIC_FAILURE_MODE] != NULL;
}

static void modes_forked(struct checks *c)
{
	st(&modes(c)->mode.lock.held, 0);
}

const struct acl_topic topic_failure_mode = {
	.name = "failure mode",
	.bind = modes_bind,
	.create = modes_create,
	.forked = modes_forked,
};
