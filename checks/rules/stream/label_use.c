/* SPDX-License-Identifier: Apache-2.0 */
/* Labels: a label, then its list, then its place in a stream of a model; what is left in the opposite order.
 */
#include "checks/engine/finding_statement.h"
#include "checks/state/capture_state.h"
#include "checks/state/device_state.h"
#include "checks/state/label_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/stream_state.h"

static struct acl_object *label_made(struct acl_object *o)
{
	return o && object_usable(o) && !(load_relaxed(&o->flags) & ACL_OBJECT_INHERITED) ? o : NULL;
}

static struct acl_object *label_of(struct checks *c, const struct acl_call_record *call)
{
	return label_made(
		object_find(c, ACL_HANDLE_LABEL, acl_arg_pointer(call->api, call->args, ACL_ROLE_LABEL)));
}

/* --- places -------------------------------------------------------------------------- */

static void label_set_enter(struct checks *c, struct acl_call_record *call)
{
	const void *value = acl_arg_pointer(call->api, call->args, ACL_ROLE_LABEL);
	struct acl_object *o = value ? object_live(c, ACL_HANDLE_LABEL, value) : NULL;

	if (o)
		FINDING(c, call, "label-set-twice", load_relaxed(&label_state(o)->set),
			PARTS(part_object("label", o)), "The label marks a place in a stream already.");
}

/* The runtime's answer says how bad it is: older firmware needs no list. */
static void label_set_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = label_of(c, call);
	bool done = succeeded(call);

	if (o && !call->state.capture)
		FINDING(c, call, "label-before-list",
			!load_relaxed(&label_state(o)->list) &&
				(done || error_of(call) == ACL_ERROR_RT_INTERNAL_ERROR),
			PARTS(done ? part_severity(ACL_SEV_PORTABILITY) : part_none(),
				part_object("label", o), part_object("stream", stream_of(call))),
			"No aclrtCreateLabelList has ever had this label in its list%s.",
			done ? "; only older firmware takes such a label" : "");
}

/* --- switches ---------------------------------------------------------------------------- */

static void label_switch_enter(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtSwitchLabelByIndex *a = call->args;
	uint64_t labels = a->labelList ? label_list_size(c, a->labelList) : 0;

	if (labels)
		FINDING(c, call, "label-list-args", a->maxValue > labels,
			PARTS(part_uint("maxValue", a->maxValue), part_uint("labels", labels)),
			"The list was made of %llu labels.", (unsigned long long)labels);
	if (a->ptr)
		FINDING(c, call, "label-list-args", memory_is_host(c, call, 0, a->ptr),
			PARTS(part_address("ptr", a->ptr)),
			"The device reads the index, and ptr is host memory.");
}

/* --- life --------------------------------------------------------------------------------- */

static void label_create_enter(struct checks *c, struct acl_call_record *call)
{
	uint32_t alive = labels_alive(c);

	FINDING(c, call, "label-count-limit", alive >= LABELS, NO_PARTS,
		"%u labels of this process are alive: there can be %u.", alive, LABELS);
}

/* The current context, where the label was made in another one; NULL: in this one, or that is not known. */
static struct acl_object *other_context(
	struct checks *c, struct acl_call_record *call, struct acl_object *label)
{
	bool known;
	struct acl_object *context = context_current(c, thread_of(call), &known);
	uint64_t own = load_relaxed(&label->context);

	return context && own && own != object_ref(context) ? context : NULL;
}

static void label_destroy_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = label_of(c, call), *context = o ? other_context(c, call, o) : NULL;

	/* Each destroy of a label evaluates the rule before the call. */
	if (context && error_of(call) == ACL_ERROR_RT_LABEL_CONTEXT)
		FINDING_BROKEN(c, call, RULE("label-destroy-order"),
			PARTS(part_object("label", o), part_object("context", context)),
			"The label was made in another context than the current one.");
}

/* The device finds its labels through the list. In another context the call fails, and destroys nothing. */
static void label_destroy_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = label_of(c, call), *list;

	if (!o)
		return;
	list = object_live(
		c, ACL_HANDLE_LABEL_LIST, (const void *)(uintptr_t)load_relaxed(&label_state(o)->list));
	FINDING(c, call, "label-destroy-order", list && !call->in_exit && !other_context(c, call, o),
		PARTS(part_severity(ACL_SEV_WARNING), part_object("label", o), part_object("its list", list)),
		"The list that holds the label is still alive: destroy the list first.");
}

/* --- captures ------------------------------------------------------------------------------- */

static void label_in_capture(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	if (s && object_usable(s))
		FINDING(c, call, "label-in-capture", capture_of(c, s),
			PARTS(part_object("stream", s), part_object("model", capture_of(c, s))),
			"The stream is being captured; %s is for streams bound to a model.",
			acl_apis[call->api].name);
}

static const struct check_hook hooks[] = {
	{ON_OP(CREATE_LABEL), ACL_ENTER, label_create_enter},
	{ON_OP(DESTROY_LABEL), ACL_ENTER, label_destroy_enter},
	{ON_OP(DESTROY_LABEL), ACL_LEAVE, label_destroy_leave},
	{ON_OP(LABEL_SET), ACL_ENTER, label_set_enter},
	{ON_OP(LABEL_SWITCH), ACL_ENTER, label_switch_enter},
	{ON_GROUP(LABEL), ACL_ENTER, label_in_capture},
	{ON_OP(STREAM_ACTIVATE), ACL_ENTER, label_in_capture},
	{ON_OP(STREAM_SWITCH), ACL_ENTER, label_in_capture},
	{ON_OP(LABEL_SET), ACL_LEAVE, label_set_leave},
};

const struct check_module module_label_use = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
