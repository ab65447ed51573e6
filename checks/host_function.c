/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that run the host functions of a stream (aclrtSubscribeHostFunc). */
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

static struct pairs *threads(struct checks *c)
{
	return c->topic[TOPIC_HOST_FUNCTION]; /* acl_ref of a stream -> its thread */
}

static void subscribing(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);
	struct finding_buffer room;
	struct acl_finding *f;
	uint64_t now;

	if (!s || !object_usable(s) || ev->carry[CARRY_FINDING])
		return;
	now = pairs_value(threads(c), object_ref(s));
	rule_asked(ev, RULE("hostfunc-subscribe-misuse"));
	if (!now)
		return;
	f = finding_begin(c, ev, RULE("hostfunc-subscribe-misuse"), &room);
	if (!f)
		return;
	finding_detail(f, "The stream has a thread for its host functions already.");
	finding_uint(f, "its thread", now);
	finding_object(c, f, "stream", s);
	finding_show(c, f);
}

static void subscribed(struct checks *c, struct acl_event *ev)
{
	if (stream_of(ev) && succeeded(ev))
		pairs_set(threads(c), object_ref(stream_of(ev)),
			ACL_ARGS(ev, aclrtSubscribeHostFunc)->hostFuncThreadId);
}

static void unsubscribed(struct checks *c, struct acl_event *ev)
{
	if (stream_of(ev) && succeeded(ev))
		pairs_set(threads(c), object_ref(stream_of(ev)), 0);
}

static bool host_function_create(struct checks *c)
{
	c->topic[TOPIC_HOST_FUNCTION] = checks_alloc(c, sizeof(struct pairs));
	return c->topic[TOPIC_HOST_FUNCTION] != NULL;
}

static void host_function_forked(struct checks *c)
{
	st(&threads(c)->lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtSubscribeHostFunc, ACL_ENTER, subscribing},
	{ACL_API_aclrtSubscribeHostFunc, ACL_LEAVE, subscribed},
	{ACL_API_aclrtUnSubscribeHostFunc, ACL_LEAVE, unsubscribed},
};

const struct acl_topic topic_host_function = {
	.name = "host functions",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = host_function_create,
	.forked = host_function_forked,
};
