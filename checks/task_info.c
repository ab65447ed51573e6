/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Information kept with captured tasks (aclrtCacheLastTask*).  Operators may
 * come from below us, so which task was the last is not known; that nothing
 * keeps information at all is.
 */
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

#define ON 2 /* 1 + cacheOpInfoSwitch */

static struct pairs *switches(struct checks *c)
{
	return c->topic[TOPIC_TASK_INFO]; /* acl_ref of a stream -> 1 + its switch */
}

static void attribute_set(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtSetStreamAttribute *a = ev->args;
	struct acl_object *s = stream_of(ev);

	if (s && succeeded(ev) && a->value && a->stmAttrType == ACL_STREAM_ATTR_CACHE_OP_INFO)
		pairs_set(switches(c), object_ref(s), 1 + (uint64_t)(a->value->cacheOpInfoSwitch != 0));
}

static void say(struct checks *c, struct acl_event *ev, const struct acl_rule *rule,
	struct acl_object *stream, const char *detail)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_first(c, ev, rule, &room);

	if (!f)
		return;
	finding_detail(f, "%s", detail);
	if (stream)
		finding_object(c, f, "stream", stream);
	finding_show(c, f);
}

/* A capture whose origin has the switch on, or might have. */
static bool some_capture_keeps(struct checks *c, struct acl_object **origin)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_MODEL, o)
	{
		unsigned status = ld(&model_state(o)->status);
		struct acl_object *s;

		if (!object_usable(o) || (status != MODEL_CAPTURING && status != MODEL_INVALIDATED))
			continue;
		s = object_of(c, ld(&model_state(o)->origin));
		if (!s || ld(&s->flags) & ACL_OBJECT_LEARNED || pairs_value(switches(c), object_ref(s)) == ON)
			return true;
		*origin = s;
	}
	return false;
}

static void keeping_operator(struct checks *c, struct acl_event *ev)
{
	struct acl_object *origin = NULL;
	bool keeps = some_capture_keeps(c, &origin);

	if (ev->carry[CARRY_FINDING] || ld(&switches(c)->full))
		return;
	rule_asked(ev, RULE("opinfo-cache-misuse"));
	if (!ld(&c->open_captures))
		say(c, ev, RULE("opinfo-cache-misuse"), NULL, "No stream is being captured.");
	else if (!keeps && origin)
		say(c, ev, RULE("opinfo-cache-misuse"), origin,
			"ACL_STREAM_ATTR_CACHE_OP_INFO was not switched on for the stream that the capture "
			"began on.");
}

static bool something_is_built(struct checks *c)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_MODEL,
		o) if (object_usable(o) && ld(&model_state(o)->status) == MODEL_BUILT) return true;
	return false;
}

static void keeping_more(struct checks *c, struct acl_event *ev)
{
	if (ev->carry[CARRY_FINDING] || something_is_built(c))
		return;
	rule_asked(ev, RULE("extinfo-cache-misuse"));
	if (!ld(&c->open_captures))
		say(c, ev, RULE("extinfo-cache-misuse"), NULL,
			"No stream is being captured and no model is being built.");
}

static void ending(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev), *model = capture_of(c, s);

	if (!model || ld(&model_state(model)->origin) != object_ref(s) || ev->carry[CARRY_FINDING])
		return;
	rule_asked(ev, RULE("opinfo-cache-left-on"));
	if (pairs_value(switches(c), object_ref(s)) == ON)
		say(c, ev, RULE("opinfo-cache-left-on"), s,
			"ACL_STREAM_ATTR_CACHE_OP_INFO is still switched on for the stream.");
}

static bool task_info_create(struct checks *c)
{
	c->topic[TOPIC_TASK_INFO] = checks_alloc(c, sizeof(struct pairs));
	return c->topic[TOPIC_TASK_INFO] != NULL;
}

static void task_info_forked(struct checks *c)
{
	st(&switches(c)->lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtSetStreamAttribute, ACL_LEAVE, attribute_set},
	{ACL_API_aclrtCacheLastTaskOpInfo, ACL_ENTER, keeping_operator},
	{ACL_API_aclrtCacheLastTaskExtendInfo, ACL_ENTER, keeping_more},
	{ACL_API_aclmdlRICaptureEnd, ACL_ENTER, ending},
};

const struct acl_topic topic_task_info = {
	.name = "task information",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = task_info_create,
	.forked = task_info_forked,
};
