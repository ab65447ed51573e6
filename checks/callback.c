/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host callbacks: which thread serves which stream, the two mechanisms that do
 * not go together, and what a callback must not call.
 */
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

#define NOT_SUBSCRIBED 107015

struct callbacks {
	struct pairs report; /* acl_ref of a stream -> thread id that processes its reports */
	struct pairs device; /* thread id -> 1 + device of the streams it serves */
	struct pairs host_function; /* acl_ref of a stream -> 1: aclrtLaunchHostFunc was used on it */
	_Atomic uint32_t threads; /* distinct ids ever subscribed */
	_Atomic bool state_callbacks; /* callbacks of other kinds are registered: a callback need not be a
					 stream's */
};

static struct callbacks *callbacks(struct checks *c)
{
	return c->topic[TOPIC_CALLBACKS];
}

static uint64_t value_of(struct pairs *p, uint64_t key)
{
	uint64_t value = 0;

	pairs_get(p, key, &value);
	return value;
}

uint64_t callback_thread_of(struct checks *c, struct acl_object *stream)
{
	return value_of(&callbacks(c)->report, object_ref(stream));
}

static bool known(struct acl_object *s)
{
	return s && ld_acquire(&s->state) == ACL_OBJECT_LIVE && !(ld(&s->flags) & ACL_OBJECT_LEARNED);
}

static void say(struct checks *c, struct acl_event *ev, const struct acl_rule *rule, const char *detail,
	const char *name, uint64_t value)
{
	struct finding_buffer room;
	struct acl_finding *f;

	if (ev->carry[CARRY_FINDING])
		return;
	f = finding_begin(c, ev, rule, &room);
	if (!f)
		return;
	finding_detail(f, "%s", detail);
	if (name)
		finding_uint(f, name, value);
	if (stream_of(ev))
		finding_object(c, f, "stream", stream_of(ev));
	finding_show(c, f);
}

/* --- subscriptions ------------------------------------------------------------------------ */

static void subscribing(struct checks *c, struct acl_event *ev)
{
	uint64_t thread = ACL_ARGS(ev, aclrtSubscribeReport)->threadId, device;
	struct acl_object *s = stream_of(ev);

	if (!known(s))
		return;
	rule_asked(ev, RULE("subscribe-duplicate"));
	rule_asked(ev, RULE("callback-mechanisms-mixed"));
	rule_asked(ev, RULE("subscribe-thread-limit"));
	if (value_of(&callbacks(c)->report, object_ref(s)))
		say(c, ev, RULE("subscribe-duplicate"), "The stream has a thread for its callbacks already.",
			"its thread", value_of(&callbacks(c)->report, object_ref(s)));
	else if (value_of(&callbacks(c)->host_function, object_ref(s)))
		say(c, ev, RULE("callback-mechanisms-mixed"),
			"aclrtLaunchHostFunc was used on this stream before.", NULL, 0);
	device = value_of(&callbacks(c)->device, thread);
	if (device && ld(&s->device) >= 0 &&
		rule_broken(ev, RULE("subscribe-thread-two-devices"), device != 1 + (uint64_t)ld(&s->device)))
		say(c, ev, RULE("subscribe-thread-two-devices"),
			"The thread serves streams of another device already.", "its device", device - 1);
	if (ld(&callbacks(c)->threads) >= 1024 && !device)
		say(c, ev, RULE("subscribe-thread-limit"), "A process can subscribe 1024 threads.", "threads",
			ld(&callbacks(c)->threads));
}

static void subscribed(struct checks *c, struct acl_event *ev)
{
	uint64_t thread = ACL_ARGS(ev, aclrtSubscribeReport)->threadId, device;
	struct acl_object *s = stream_of(ev);

	if (!s || !succeeded(ev) || !thread)
		return;
	pairs_set(&callbacks(c)->report, object_ref(s), thread);
	if (!pairs_get(&callbacks(c)->device, thread, &device))
		bump(&callbacks(c)->threads);
	if (ld(&s->device) >= 0)
		pairs_set(&callbacks(c)->device, thread, 1 + (uint64_t)ld(&s->device));
}

static void unsubscribing(struct checks *c, struct acl_event *ev)
{
	uint64_t thread = ACL_ARGS(ev, aclrtUnSubscribeReport)->threadId, now;
	struct acl_object *s = stream_of(ev);

	if (!known(s) || ld(&callbacks(c)->report.full))
		return;
	now = value_of(&callbacks(c)->report, object_ref(s));
	rule_asked(ev, RULE("unsubscribe-not-subscribed"));
	if (!now)
		say(c, ev, RULE("unsubscribe-not-subscribed"), "The stream has no thread for its callbacks.",
			NULL, 0);
	else if (now != thread)
		say(c, ev, RULE("unsubscribe-not-subscribed"), "Another thread is subscribed for the stream.",
			"its thread", now);
}

static void unsubscribed(struct checks *c, struct acl_event *ev)
{
	if (stream_of(ev) && succeeded(ev))
		pairs_set(&callbacks(c)->report, object_ref(stream_of(ev)), 0);
}

/* --- launches ------------------------------------------------------------------------------- */

static void launching(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);

	if (!known(s) || ld(&callbacks(c)->report.full) ||
		!rule_broken(
			ev, RULE("callback-not-subscribed"), !value_of(&callbacks(c)->report, object_ref(s))))
		return;
	if (value_of(&callbacks(c)->host_function, object_ref(s)))
		say(c, ev, RULE("callback-mechanisms-mixed"),
			"aclrtLaunchHostFunc was used on this stream before.", NULL, 0);
	else
		say(c, ev, RULE("callback-not-subscribed"),
			"No thread is subscribed for the callbacks of this stream.", NULL, 0);
}

static void launching_host(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);

	if (known(s) && rule_broken(ev, RULE("callback-mechanisms-mixed"),
				value_of(&callbacks(c)->report, object_ref(s))))
		say(c, ev, RULE("callback-mechanisms-mixed"),
			"A thread is subscribed for the callbacks of this stream.", "its thread",
			value_of(&callbacks(c)->report, object_ref(s)));
}

static void launched_host(struct checks *c, struct acl_event *ev)
{
	if (stream_of(ev) && succeeded(ev))
		pairs_set(&callbacks(c)->host_function, object_ref(stream_of(ev)), 1);
}

/* --- inside a callback ------------------------------------------------------------------------- */

/* Callbacks of other kinds have rules of their own, and nothing tells them apart here. */
static void other_callbacks(struct checks *c, struct acl_event *ev)
{
	(void)ev;
	st(&callbacks(c)->state_callbacks, true);
}

static void inside(struct checks *c, struct acl_event *ev)
{
	if (__builtin_expect(!ev->callback_depth, 1) || ld(&callbacks(c)->state_callbacks))
		return;
	rule_asked(ev, RULE("callback-runtime-api-inside"));
	say(c, ev, RULE("callback-runtime-api-inside"), "The call comes out of a callback of a stream.",
		"depth", ev->callback_depth);
}

/* What takes resources, submits or waits; questions are allowed. */
static bool forbidden_inside(const struct acl_api_info *api)
{
	for (unsigned i = 0; i < api->n_params; i++)
		if (api->params[i].life == ACL_LIFE_CREATE || api->params[i].life == ACL_LIFE_DESTROY)
			return true;
	if (strstr(api->name, "Query"))
		return false;
	return api->mode == ACL_MODE_ASYNC || api->classes & ACL_CLASS_SYNC ||
	       !strncmp(api->name, "aclrtMalloc", 11) || !strncmp(api->name, "aclrtFree", 9) ||
	       !strncmp(api->name, "aclrtMemcpy", 11) || !strncmp(api->name, "aclrtMemset", 11);
}

static void callbacks_bind(void (*add)(void *binder, unsigned api, enum acl_phase, acl_hook_fn), void *binder)
{
	static const uint16_t others[] = {ACL_API_aclrtRegDeviceStateCallback,
		ACL_API_aclrtRegStreamStateCallback, ACL_API_aclrtSetDeviceTaskAbortCallback,
		ACL_API_aclrtSetExceptionInfoCallback, ACL_API_aclrtExceptionInfoCallbackRegister,
		ACL_API_aclrtBinarySetExceptionCallback, ACL_API_aclrtSnapShotCallbackRegister,
		ACL_API_aclmdlRIDestroyRegisterCallback, ACL_API_aclInitCallbackRegister,
		ACL_API_aclFinalizeCallbackRegister};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		add(binder, others[i], ACL_LEAVE, other_callbacks);
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		if (forbidden_inside(&acl_apis[api]))
			add(binder, api, ACL_ENTER, inside);
}

static bool callbacks_create(struct checks *c)
{
	c->topic[TOPIC_CALLBACKS] = checks_alloc(c, sizeof(struct callbacks));
	return c->topic[TOPIC_CALLBACKS] != NULL;
}

static void callbacks_forked(struct checks *c)
{
	st(&callbacks(c)->report.lock.held, 0);
	st(&callbacks(c)->device.lock.held, 0);
	st(&callbacks(c)->host_function.lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtSubscribeReport, ACL_ENTER, subscribing},
	{ACL_API_aclrtSubscribeReport, ACL_LEAVE, subscribed},
	{ACL_API_aclrtUnSubscribeReport, ACL_ENTER, unsubscribing},
	{ACL_API_aclrtUnSubscribeReport, ACL_LEAVE, unsubscribed},
	{ACL_API_aclrtLaunchCallback, ACL_ENTER, launching},
	{ACL_API_aclrtLaunchHostFunc, ACL_ENTER, launching_host},
	{ACL_API_aclrtLaunchHostFunc, ACL_LEAVE, launched_host},
};

const struct acl_topic topic_callback = {
	.name = "callbacks",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = callbacks_bind,
	.create = callbacks_create,
	.forked = callbacks_forked,
};
