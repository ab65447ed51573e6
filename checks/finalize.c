/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the runtime's life: when it is called, what comes too late for it, what is still counted. */
#include "checks/report.h"
#include "checks/state.h"

struct finalize_state {
	_Atomic bool over; /* finalized, and not initialised again */
	_Atomic bool ever_whole, ever_counted; /* aclFinalize, aclFinalizeReference succeeded */
	_Atomic uint32_t late; /* callbacks registered after the end */
	struct moment late_one;
};

static struct finalize_state *finalize(struct checks *c)
{
	return c->topic[TOPIC_FINALIZE];
}

/* --- when it is called ----------------------------------------------------------------- */

static void finalizing(struct checks *c, struct acl_event *ev)
{
	struct finding_buffer room;
	struct acl_finding *f;

	if (ld(&c->init_count) <= 0 || (ev->api == ACL_API_aclFinalizeReference && ld(&c->init_count) > 1))
		return;
	rule_asked(ev, RULE("finalize-in-destructor"));
	if (!ev->in_exit_handlers)
		return;
	f = finding_begin(c, ev, RULE("finalize-in-destructor"), &room);
	if (!f)
		return;
	finding_detail(
		f, "main is over: the call comes from an exit handler or a destructor of a static object");
	finding_show(c, f);
}

static void finalized(struct checks *c, struct acl_event *ev)
{
	const uint64_t *left;

	if (!succeeded(ev))
		return;
	if (ev->api == ACL_API_aclFinalize) {
		st(&finalize(c)->ever_whole, true);
		st(&finalize(c)->over, true);
		return;
	}
	left = ACL_ARGS(ev, aclFinalizeReference)->refCount;
	st(&finalize(c)->ever_counted, true);
	if (left ? !*left : ld(&c->init_count) == 1)
		st(&finalize(c)->over, true);
}

/* --- what comes too late ----------------------------------------------------------------- */

static void initialised(struct checks *c, struct acl_event *ev)
{
	if (!succeeded(ev))
		return;
	st(&finalize(c)->over, false);
	st(&finalize(c)->late, 0);
}

static void registered(struct checks *c, struct acl_event *ev)
{
	if (!succeeded(ev) || !judged(ev))
		return;
	rule_asked(ev, RULE("finalize-callback-after-finalize"));
	if (!ld(&finalize(c)->over))
		return;
	moment_take(c, &finalize(c)->late_one, ev, true);
	bump(&finalize(c)->late);
}

static void say_late(struct checks *c)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;
	struct acl_biography *b;

	grade.caller = ld(&finalize(c)->late_one.caller);
	f = finding_begin_as(c, NULL, RULE("finalize-callback-after-finalize"), grade, &room);
	if (!f)
		return;
	finding_detail(
		f, "a callback for the end was registered after the end, and aclInit was not called again");
	finding_uint(f, "callbacks", ld(&finalize(c)->late));
	b = &f->objects[f->n_objects++];
	b->role = "registered";
	b->kind = "callback";
	b->device = -1;
	moment_copy(&b->created, &finalize(c)->late_one);
	finding_show(c, f);
}

/* --- what is still counted ------------------------------------------------------------------ */

static void say_counted(struct checks *c)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	/* That the process was not finalized is said by itself; this is why. */
	grade.secondary = rule_wanted(c, RULE("finalize-missing-at-exit"));
	f = finding_begin_as(c, NULL, RULE("finalize-reference-unbalanced"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "aclInit was called %d time%s more than aclFinalizeReference", ld(&c->init_count),
		ld(&c->init_count) == 1 ? "" : "s");
	finding_int(f, "still counted", ld(&c->init_count));
	finding_show(c, f);
}

static void finalize_finish(struct checks *c, enum checks_end kind)
{
	struct finalize_state *s = finalize(c);

	if (kind != CHECKS_END_EXIT || ld(&c->forked))
		return;
	if (ld(&s->late))
		say_late(c);
	if (!ld(&s->ever_counted) || ld(&s->ever_whole))
		return;
	rule_asked_at_end(c, RULE("finalize-reference-unbalanced"));
	if (ld(&c->init_count) > 0)
		say_counted(c);
}

static bool finalize_create(struct checks *c)
{
	c->topic[TOPIC_FINALIZE] = checks_alloc(c, sizeof(struct finalize_state));
	return c->topic[TOPIC_FINALIZE] != NULL;
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclInit, ACL_LEAVE, initialised},
	{ACL_API_aclFinalize, ACL_ENTER, finalizing},
	{ACL_API_aclFinalize, ACL_LEAVE, finalized},
	{ACL_API_aclFinalizeReference, ACL_ENTER, finalizing},
	{ACL_API_aclFinalizeReference, ACL_LEAVE, finalized},
	{ACL_API_aclFinalizeCallbackRegister, ACL_LEAVE, registered},
};

const struct acl_topic topic_finalize = {
	.name = "finalize",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = finalize_create,
	.finish = finalize_finish,
};
