/* SPDX-License-Identifier: Apache-2.0 */
/* Labels: a label, then its list, then its place in a stream of a model; what is left in the opposite order.
 */
#include "checks/report.h"
#include "checks/state.h"

#define INTERNAL_ERROR 507000
#define LABEL_CONTEXT 507031
#define LABELS 65535

struct labels {
	_Atomic uint32_t alive;
};

static struct labels *labels(struct checks *c)
{
	return c->topic[TOPIC_LABELS];
}

static struct acl_object *made(struct acl_object *o)
{
	return o && object_usable(o) && !(ld(&o->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED)) ? o
												       : NULL;
}

static struct acl_object *label_of(struct checks *c, const struct acl_event *ev)
{
	/* Setting and destroying begin with it. */
	return made(object_find(c, ACL_HANDLE_LABEL, ACL_ARGS(ev, aclrtSetLabel)->label));
}

/* --- lists ---------------------------------------------------------------------------- */

static void listed(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtCreateLabelList *a = ev->args;

	for (size_t i = 0; succeeded(ev) && a->labels && a->labelList && i < a->num && i < LABELS; i++) {
		struct acl_object *o = object_find(c, ACL_HANDLE_LABEL, a->labels[i]);

		if (o)
			st(&label_state(o)->list, (uintptr_t)*a->labelList);
	}
}

static void list_destroyed(struct checks *c, struct acl_event *ev)
{
	const void *list = ACL_ARGS(ev, aclrtDestroyLabelList)->labelList;
	struct acl_object *o;

	if (!succeeded(ev) || !list)
		return;
	object_each(c, ACL_HANDLE_LABEL, o) if (ld(&label_state(o)->list) == (uintptr_t)list)
		st(&label_state(o)->list, LABEL_WAS_LISTED);
}

/* The runtime's answer decides: older firmware needs no list. */
static void set(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = label_of(c, ev);

	if (!o || ev->carry[CARRY_CAPTURE])
		return;
	rule_asked(ev, RULE("label-before-list"));
	if (error_of(ev) == INTERNAL_ERROR && !ld(&label_state(o)->list))
		finding_on(c, ev, RULE("label-before-list"), o, stream_of(ev),
			"No aclrtCreateLabelList has ever had this label in its list.");
}

/* --- life --------------------------------------------------------------------------------- */

static void creating(struct checks *c, struct acl_event *ev)
{
	rule_asked(ev, RULE("label-count-limit"));
	if (ld(&labels(c)->alive) >= LABELS)
		finding_on(c, ev, RULE("label-count-limit"), NULL, NULL,
			"%u labels of this process are alive: there can be %u.", ld(&labels(c)->alive),
			LABELS);
}

static void created(struct checks *c, struct acl_event *ev)
{
	if (succeeded(ev))
		bump(&labels(c)->alive);
}

static void destroyed(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = label_of(c, ev), *context;
	bool known;

	if (succeeded(ev) && ld(&labels(c)->alive))
		drop(&labels(c)->alive);
	context = context_current(c, thread_of(ev), &known);
	if (!o || !context || !ld(&o->context))
		return;
	rule_asked(ev, RULE("label-destroy-order"));
	if (error_of(ev) == LABEL_CONTEXT && ld(&o->context) != object_ref(context))
		finding_on(c, ev, RULE("label-destroy-order"), o, context,
			"The label was made in another context than the current one.");
}

/* The list tells the device where its labels are. */
static void destroying(struct checks *c, struct acl_event *ev)
{
	struct finding_grade grade = GRADE_TABLE;
	struct acl_object *o = label_of(c, ev), *list;
	struct finding_buffer room;
	struct acl_finding *f;

	list = o ? object_live(c, ACL_HANDLE_LABEL_LIST, (const void *)(uintptr_t)ld(&label_state(o)->list))
		 : NULL;
	if (!list || ev->carry[CARRY_FINDING] || ev->in_exit)
		return;
	grade.severity = ACL_SEV_WARNING;
	f = finding_begin_as(c, ev, RULE("label-destroy-order"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "The list that holds the label is still alive: destroy the list first.");
	finding_object(c, f, "label", o);
	finding_object(c, f, "its list", list);
	finding_show(c, f);
}

/* What a reset takes along is not counted: too few is silent. */
static void reset(struct checks *c, struct acl_event *ev)
{
	if (succeeded(ev))
		st(&labels(c)->alive, 0);
}

/* --- captures ------------------------------------------------------------------------------- */

static void in_capture(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);

	if (!s || !object_usable(s))
		return;
	rule_asked(ev, RULE("label-in-capture"));
	if (capture_of(c, s))
		finding_on(c, ev, RULE("label-in-capture"), s, capture_of(c, s),
			"The stream is being captured; %s is for streams bound to a model.",
			acl_apis[ev->api].name);
}

static bool labels_create(struct checks *c)
{
	c->topic[TOPIC_LABELS] = checks_alloc(c, sizeof(struct labels));
	return c->topic[TOPIC_LABELS] != NULL;
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtCreateLabel, ACL_ENTER, creating},
	{ACL_API_aclrtCreateLabel, ACL_LEAVE, created},
	{ACL_API_aclrtDestroyLabel, ACL_ENTER, destroying},
	{ACL_API_aclrtDestroyLabel, ACL_LEAVE, destroyed},
	{ACL_API_aclrtCreateLabelList, ACL_LEAVE, listed},
	{ACL_API_aclrtDestroyLabelList, ACL_LEAVE, list_destroyed},
	{ACL_API_aclrtSetLabel, ACL_ENTER, in_capture},
	{ACL_API_aclrtSetLabel, ACL_LEAVE, set},
	{ACL_API_aclrtSwitchLabelByIndex, ACL_ENTER, in_capture},
	{ACL_API_aclrtActiveStream, ACL_ENTER, in_capture},
	{ACL_API_aclrtSwitchStream, ACL_ENTER, in_capture},
	{ACL_API_aclrtResetDevice, ACL_LEAVE, reset},
	{ACL_API_aclrtResetDeviceForce, ACL_LEAVE, reset},
};

const struct acl_topic topic_label = {
	.name = "labels",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = labels_create,
};
