/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host callbacks: which thread serves which stream, the two mechanisms that do
 * not go together, and what a callback must not call.
 */
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

#define NOT_A_THREAD_OF_REPORTS 107012

struct callbacks {
	struct pairs report; /* acl_ref of a stream -> thread id that processes its reports */
	struct pairs device; /* thread id -> 1 + device of the streams it serves */
	struct pairs host_function; /* acl_ref of a stream -> 1: aclrtLaunchHostFunc was used on it */
	_Atomic uint32_t threads; /* distinct ids ever subscribed */
	struct pairs processing; /* pthread id -> enum processing */
	struct pairs launched; /* thread id -> caller of the last aclrtLaunchCallback it is to run */
	struct pairs blocking; /* acl_ref of a stream -> position of the last one it waits for */
};

/* What a thread did with aclrtProcessReport: a call may be under way until the end of the process. */
enum processing { NEVER, CALLING, IN_VAIN, PROCESSING };

static struct callbacks *callbacks(struct checks *c)
{
	return c->topic[TOPIC_CALLBACKS];
}

uint64_t callback_thread_of(struct checks *c, struct acl_object *stream)
{
	return pairs_value(&callbacks(c)->report, object_ref(stream));
}

static bool known(struct acl_object *s)
{
	return s && ld_acquire(&s->state) == ACL_OBJECT_LIVE && !(ld(&s->flags) & ACL_OBJECT_LEARNED);
}

static void say(struct checks *c, struct acl_event *ev, const struct acl_rule *rule, const char *detail,
	const char *name, uint64_t value)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_first(c, ev, rule, &room);

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
	if (pairs_value(&callbacks(c)->report, object_ref(s)))
		say(c, ev, RULE("subscribe-duplicate"), "The stream has a thread for its callbacks already.",
			"its thread", pairs_value(&callbacks(c)->report, object_ref(s)));
	else if (pairs_value(&callbacks(c)->host_function, object_ref(s)))
		say(c, ev, RULE("callback-mechanisms-mixed"),
			"aclrtLaunchHostFunc was used on this stream before.", NULL, 0);
	device = pairs_value(&callbacks(c)->device, thread);
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
	now = pairs_value(&callbacks(c)->report, object_ref(s));
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
		!rule_broken(ev, RULE("callback-not-subscribed"),
			!pairs_value(&callbacks(c)->report, object_ref(s))))
		return;
	if (pairs_value(&callbacks(c)->host_function, object_ref(s)))
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
				pairs_value(&callbacks(c)->report, object_ref(s))))
		say(c, ev, RULE("callback-mechanisms-mixed"),
			"A thread is subscribed for the callbacks of this stream.", "its thread",
			pairs_value(&callbacks(c)->report, object_ref(s)));
}

static void launched_host(struct checks *c, struct acl_event *ev)
{
	if (stream_of(ev) && succeeded(ev))
		pairs_set(&callbacks(c)->host_function, object_ref(stream_of(ev)), 1);
}

/* --- who runs them ---------------------------------------------------------------------------- */

static void launched(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);
	uint64_t thread = s ? pairs_value(&callbacks(c)->report, object_ref(s)) : 0;

	if (thread && succeeded(ev) && judged(ev) && !ev->carry[CARRY_CAPTURE])
		pairs_set(&callbacks(c)->launched, thread, ev->caller);
	if (thread && succeeded(ev) && !ev->carry[CARRY_CAPTURE] &&
		ACL_ARGS(ev, aclrtLaunchCallback)->blockType == ACL_CALLBACK_BLOCK)
		pairs_set(&callbacks(c)->blocking, object_ref(s), ev->carry[CARRY_POSITION]);
}

/* The thread that is to run the callback waits for the stream that waits for the callback. */
static void synchronising(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);
	uint64_t position;

	if (!s || !ld(&stream_state(s)->callback) || ev->callback_depth)
		return;
	position = pairs_value(&callbacks(c)->blocking, object_ref(s));
	if (!position || !stream_pending(s, position))
		return;
	rule_asked(ev, RULE("subscribe-thread-not-processing"));
	if (pairs_value(&callbacks(c)->report, object_ref(s)) == ev->pthread_id)
		say(c, ev, RULE("subscribe-thread-not-processing"),
			"This thread is the one that runs the callbacks of the stream, and the stream waits "
			"for "
			"one.",
			NULL, 0);
}

static void processing(struct checks *c, struct acl_event *ev)
{
	if (judged(ev) && pairs_value(&callbacks(c)->processing, ev->pthread_id) == NEVER)
		pairs_set(&callbacks(c)->processing, ev->pthread_id, CALLING);
}

/* A loop may begin before its thread is subscribed, and outlive the subscription. */
static void processed(struct checks *c, struct acl_event *ev)
{
	bool in_vain = error_of(ev) == NOT_A_THREAD_OF_REPORTS;

	if (judged(ev) && pairs_value(&callbacks(c)->processing, ev->pthread_id) != PROCESSING)
		pairs_set(&callbacks(c)->processing, ev->pthread_id, in_vain ? IN_VAIN : PROCESSING);
}

static void ran(struct checks *c, const struct acl_event *outer, const void *argument, bool begins)
{
	(void)argument;
	if (begins && outer->api == ACL_API_aclrtLaunchCallback)
		pairs_set(&callbacks(c)->processing, outer->pthread_id, PROCESSING);
}

static void tell_at_end(
	struct checks *c, const struct acl_rule *rule, uint64_t caller, uint64_t thread, const char *detail)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	grade.site = thread;
	grade.caller = caller;
	f = finding_begin_as(c, NULL, rule, grade, &room);
	if (!f)
		return;
	f->at_leave = true;
	finding_detail(f, detail, (unsigned long long)thread);
	finding_address(f, "thread", (const void *)(uintptr_t)thread);
	finding_show(c, f);
}

/* A program that ends has subscribed and processed all that it ever will. */
static void callbacks_finish(struct checks *c, enum checks_end kind)
{
	struct callbacks *k = callbacks(c);
	uint64_t thread, value;

	if (kind != CHECKS_END_EXIT || ld(&k->processing.full) || ld(&k->device.full) || ld(&k->report.full))
		return;
	for (unsigned i = 0; i < PAIRS_ROOM && ld(&k->processing.used); i++) {
		if (!pairs_at(&k->processing, i, &thread, &value))
			continue;
		rule_asked_at_end(c, RULE("processreport-not-subscribed"));
		if (value == IN_VAIN && !pairs_get(&k->device, thread, &value))
			tell_at_end(c, RULE("processreport-not-subscribed"), 0, thread,
				"Thread 0x%llx called aclrtProcessReport, and no aclrtSubscribeReport ever "
				"named its pthread id.");
	}
	for (unsigned i = 0; i < PAIRS_ROOM && ld(&k->launched.used); i++) {
		if (!pairs_at(&k->launched, i, &thread, &value))
			continue;
		rule_asked_at_end(c, RULE("subscribe-thread-not-processing"));
		if (pairs_value(&k->processing, thread) == NEVER)
			tell_at_end(c, RULE("subscribe-thread-not-processing"), value, thread,
				"Callbacks were launched for thread 0x%llx, and no thread of this pthread id "
				"ever called aclrtProcessReport.");
	}
}

/* --- inside a callback ------------------------------------------------------------------------- */

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

/* Answers of the runtime that neither wait nor change anything. */
static bool only_asks(const char *name)
{
	static const char *const words[] = {"Get", "Query", "Peek", "CanAccess", "Check", "Version"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

static void inside(struct checks *c, struct acl_event *ev)
{
	if (__builtin_expect(!ev->callback_depth, 1))
		return;
	switch (callback_api(ev)) {
	case ACL_API_aclrtLaunchCallback:
	case ACL_API_aclrtLaunchHostFunc:
		rule_asked(ev, RULE("callback-runtime-api-inside"));
		if (forbidden_inside(&acl_apis[ev->api]))
			say(c, ev, RULE("callback-runtime-api-inside"),
				"The call comes out of a callback of a stream.", "depth", ev->callback_depth);
		break;
	case ACL_API_aclrtSetExceptionInfoCallback:
	case ACL_API_aclrtExceptionInfoCallbackRegister:
	case ACL_API_aclrtBinarySetExceptionCallback:
		rule_asked(ev, RULE("exc-callback-calls-runtime"));
		if (!only_asks(acl_apis[ev->api].name))
			say(c, ev, RULE("exc-callback-calls-runtime"),
				"The call comes out of an exception callback.", "depth", ev->callback_depth);
		break;
	}
}

static void callbacks_bind(void (*add)(void *binder, unsigned api, enum acl_phase, acl_hook_fn), void *binder)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		if (forbidden_inside(&acl_apis[api]) || !only_asks(acl_apis[api].name) ||
			strstr(acl_apis[api].name, "FromExceptionInfo"))
			add(binder, api, ACL_ENTER | ACL_UNUSUAL, inside);
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
	st(&callbacks(c)->processing.lock.held, 0);
	st(&callbacks(c)->launched.lock.held, 0);
	st(&callbacks(c)->blocking.lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtSubscribeReport, ACL_ENTER, subscribing},
	{ACL_API_aclrtSubscribeReport, ACL_LEAVE, subscribed},
	{ACL_API_aclrtUnSubscribeReport, ACL_ENTER, unsubscribing},
	{ACL_API_aclrtUnSubscribeReport, ACL_LEAVE, unsubscribed},
	{ACL_API_aclrtLaunchCallback, ACL_ENTER, launching},
	{ACL_API_aclrtLaunchCallback, ACL_LEAVE, launched},
	{ACL_API_aclrtProcessReport, ACL_ENTER, processing},
	{ACL_API_aclrtProcessReport, ACL_LEAVE, processed},
	{ACL_API_aclrtSynchronizeStream, ACL_ENTER, synchronising},
	{ACL_API_aclrtSynchronizeStreamWithTimeout, ACL_ENTER, synchronising},
	{ACL_API_aclrtLaunchHostFunc, ACL_ENTER, launching_host},
	{ACL_API_aclrtLaunchHostFunc, ACL_LEAVE, launched_host},
};

const struct acl_topic topic_callback = {
	.name = "callbacks",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = callbacks_bind,
	.create = callbacks_create,
	.callback = ran,
	.finish = callbacks_finish,
	.forked = callbacks_forked,
};
