/* SPDX-License-Identifier: Apache-2.0 */
/* Labels: a label, then its list, then its place in a stream of a model; what is left in the opposite order.
 */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/state/capture_state.h"
#include "checks/state/device_state.h"
#include "checks/state/label_state.h"
#include "checks/state/stream_state.h"

#define INTERNAL_ERROR 507000
#define LABEL_CONTEXT 507031
#define LABELS 65535

struct labels {
	_Atomic uint32_t alive;
};

static struct labels *labels(struct checks *c)
{
	return module_state(c, label);
}

static struct acl_object *label_made(struct acl_object *o)
{
	return o && object_usable(o) &&
			       !(load_relaxed(&o->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED))
		       ? o
		       : NULL;
}

static struct acl_object *label_of(struct checks *c, const struct acl_call_record *call)
{
	return label_made(
		object_find(c, ACL_HANDLE_LABEL, acl_arg_pointer(call->api, call->args, ACL_ROLE_LABEL)));
}

/* --- lists ---------------------------------------------------------------------------- */

static void label_list_create_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtCreateLabelList *a = call->args;
	struct program_array labels;
	aclrtLabel const *at;

	program_array_open(
		&labels, c, a->labels, sizeof(*a->labels), succeeded(call) && a->labelList ? a->num : 0);
	for (uint64_t i = 0; i < LABELS && (at = program_array_at(&labels, i)) != NULL; i++) {
		struct acl_object *o = object_find(c, ACL_HANDLE_LABEL, *at);

		if (o)
			store_relaxed(&label_state(o)->list,
				*a->labelList ? (uintptr_t)*a->labelList : LABEL_WAS_LISTED);
	}
}

static void label_list_destroy_leave(struct checks *c, struct acl_call_record *call)
{
	const void *list = acl_arg_pointer(call->api, call->args, ACL_ROLE_LABEL_LIST);
	struct acl_object *o;

	if (!succeeded(call) || !list)
		return;
	object_each(c, ACL_HANDLE_LABEL, o) if (load_relaxed(&label_state(o)->list) == (uintptr_t)list)
		store_relaxed(&label_state(o)->list, LABEL_WAS_LISTED);
}

/* The runtime's answer says how bad it is: older firmware needs no list. */
static void label_set_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = label_of(c, call);
	bool done = succeeded(call);

	if (o && !call->state.capture)
		FINDING(c, call, "label-before-list",
			!load_relaxed(&label_state(o)->list) && (done || error_of(call) == INTERNAL_ERROR),
			PARTS(done ? part_severity(ACL_SEV_PORTABILITY) : part_none(),
				part_object("label", o), part_object("stream", stream_of(call))),
			"no aclrtCreateLabelList has ever had this label in its list%s",
			done ? "; only older firmware takes such a label" : "");
}

/* --- life --------------------------------------------------------------------------------- */

static void label_create_enter(struct checks *c, struct acl_call_record *call)
{
	uint32_t alive = load_relaxed(&labels(c)->alive);

	FINDING(c, call, "label-count-limit", alive >= LABELS, NO_PARTS,
		"%u labels of this process are alive: there can be %u.", alive, LABELS);
}

static void label_create_leave(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call))
		counter_inc(&labels(c)->alive);
}

static void label_destroy_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = label_of(c, call), *context;
	bool known;

	if (succeeded(call) && load_relaxed(&labels(c)->alive))
		counter_dec(&labels(c)->alive);
	context = context_current(c, thread_of(call), &known);
	/* Each destroy of a label evaluates the rule before the call. */
	if (o && context && load_relaxed(&o->context) && error_of(call) == LABEL_CONTEXT &&
		load_relaxed(&o->context) != object_ref(context))
		FINDING_BROKEN(c, call, RULE("label-destroy-order"),
			PARTS(part_object("label", o), part_object("context", context)),
			"The label was made in another context than the current one.");
}

/* The list tells the device where its labels are. */
static void label_destroy_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = label_of(c, call), *list;

	if (!o)
		return;
	list = object_live(
		c, ACL_HANDLE_LABEL_LIST, (const void *)(uintptr_t)load_relaxed(&label_state(o)->list));
	FINDING(c, call, "label-destroy-order", list && !call->in_exit,
		PARTS(part_severity(ACL_SEV_WARNING), part_object("label", o), part_object("its list", list)),
		"The list that holds the label is still alive: destroy the list first.");
}

/* What a reset takes along is not counted: too few is silent. */
static void label_device_reset(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call))
		store_relaxed(&labels(c)->alive, 0);
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
	{ON_OP(CREATE_LABEL), ACL_LEAVE, label_create_leave},
	{ON_OP(DESTROY_LABEL), ACL_ENTER, label_destroy_enter},
	{ON_OP(DESTROY_LABEL), ACL_LEAVE, label_destroy_leave},
	{ON_OP(CREATE_LABEL_LIST), ACL_LEAVE, label_list_create_leave},
	{ON_OP(DESTROY_LABEL_LIST), ACL_LEAVE, label_list_destroy_leave},
	{ON_GROUP(LABEL), ACL_ENTER, label_in_capture},
	{ON_OP(STREAM_ACTIVATE), ACL_ENTER, label_in_capture},
	{ON_OP(STREAM_SWITCH), ACL_ENTER, label_in_capture},
	{ON_OP(LABEL_SET), ACL_LEAVE, label_set_leave},
	{ON_OP(DEVICE_RESET), ACL_LEAVE, label_device_reset},
};

const struct check_module module_label = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct labels),
};
