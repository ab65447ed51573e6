/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Information kept with captured tasks (aclrtCacheLastTask*).  Operators may
 * come from below us, so which task was the last is not known; that nothing
 * keeps information at all is.
 */
#include "checks/engine/finding_statement.h"
#include "checks/engine/value_table.h"
#include "checks/state/capture_state.h"
#include "checks/state/stream_state.h"

#define ON 2 /* 1 + cacheOpInfoSwitch */

static struct value_table *switches(struct checks *c)
{
	return module_state(c, task_info); /* acl_ref of a stream -> 1 + its switch */
}

static void info_switch_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtSetStreamAttribute *a = call->args;
	struct acl_object *s = stream_of(call);

	if (s && succeeded(call) && a->value && a->stmAttrType == ACL_STREAM_ATTR_CACHE_OP_INFO)
		value_table_set_object(c, switches(c), s, 1 + (uint64_t)(a->value->cacheOpInfoSwitch != 0));
}

/* A capture whose origin has the switch on, or might have. */
static bool some_capture_keeps(struct checks *c, struct acl_object **origin)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_MODEL, o)
	{
		struct acl_object *s;

		if (!object_usable(o) || !capture_is_open(o))
			continue;
		s = capture_origin(c, o);
		if (!s || load_relaxed(&s->flags) & ACL_OBJECT_LEARNED ||
			value_table_value(switches(c), object_ref(s)) == ON)
			return true;
		*origin = s;
	}
	return false;
}

static void operator_info_enter(struct checks *c, struct acl_call_record *call)
{
	bool none = !captures_open(c), keeps;
	struct acl_object *origin = NULL;

	keeps = some_capture_keeps(c, &origin);
	FINDING(c, call, "opinfo-cache-misuse", none || (!keeps && origin),
		PARTS(part_object("stream", none ? NULL : origin)), "%s",
		none ? "No stream is being captured."
		     : "ACL_STREAM_ATTR_CACHE_OP_INFO was not switched on for the stream that the capture "
		       "began on.");
}

static bool something_is_built(struct checks *c)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_MODEL,
		o) if (object_usable(o) && load_relaxed(&model_state(o)->status) == MODEL_BUILT) return true;
	return false;
}

static void extended_info_enter(struct checks *c, struct acl_call_record *call)
{
	if (!something_is_built(c))
		FINDING(c, call, "extinfo-cache-misuse", !captures_open(c), NO_PARTS,
			"No stream is being captured and no model is being built.");
}

static void info_capture_end(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *model = capture_of(c, s);

	if (model && load_relaxed(&model_state(model)->origin) == object_ref(s))
		FINDING(c, call, "opinfo-cache-left-on", value_table_value(switches(c), object_ref(s)) == ON,
			PARTS(part_object("stream", s)),
			"ACL_STREAM_ATTR_CACHE_OP_INFO is still switched on for the stream.");
}

static const struct check_hook hooks[] = {
	{ON_OP(CONFIGURE_STREAM_ATTRIBUTE), ACL_LEAVE, info_switch_leave},
	{ON_OP(TASK_ANNOTATE), ACL_ENTER, operator_info_enter},
	{ON_OP(TASK_ANNOTATE_EXTENDED), ACL_ENTER, extended_info_enter},
	{ON_OP(CAPTURE_END), ACL_ENTER, info_capture_end},
};

const struct check_module module_task_info = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct value_table),
};
