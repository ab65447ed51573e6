/* SPDX-License-Identifier: Apache-2.0 */
/* Initialisation and its end. */
#include "checks/report.h"
#include "checks/state.h"

/* Counted as 8.5 and later do: a repeated aclInit answers 100002 and counts. */
static void init_leave(struct checks *c, struct acl_event *ev)
{
	int32_t error = error_of(ev);

	if (error && error != ACL_ERROR_REPEAT_INIT)
		return;
	if (atomic_fetch_add(&c->init_count, 1) == 0) {
		moment_take(c, &c->first_init, ev, true);
		st(&c->init_module, ev->module ? ev->module :
			c->host.module ? c->host.module(c->host.context, ev->caller) : 0);
	}
	if (ACL_ARGS(ev, aclInit)->configPath && ACL_ARGS(ev, aclInit)->configPath[0])
		st(&c->default_device, 1);
}

static void repeated(struct checks *c, struct acl_event *ev)
{
	uint32_t module = ev->module ? ev->module : c->host.module ? c->host.module(c->host.context, ev->caller) : 0;
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;
	struct acl_biography *b;

	/* Libraries that each call aclInit by design are told, the program is judged. */
	grade.advice = module != ld(&c->init_module);
	f = finding_begin_as(c, ev, RULE("init-repeat"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "aclInit number %d of this process%s; the first one was made by %s module and is still in effect",
		ld(&c->init_count) + 1, ACL_ARGS(ev, aclInit)->configPath ? " (its configuration is not read)" : "",
		grade.advice ? "another" : "the same");
	finding_int(f, "inits before", ld(&c->init_count));
	b = &f->objects[f->n_objects++];
	b->role = "first aclInit";
	b->kind = "initialisation";
	b->device = -1;
	moment_copy(&b->created, &c->first_init);
	finding_show(c, f);
}

static void init_enter(struct checks *c, struct acl_event *ev)
{
	st(&c->inited, true);
	if (ld(&c->init_count) > 0)
		repeated(c, ev);
}

static void finalize_leave(struct checks *c, struct acl_event *ev)
{
	if (!succeeded(ev))
		return;
	atomic_store(&c->init_count, 0);
	st(&c->finalized_once, true);
}

static void unreference_leave(struct checks *c, struct acl_event *ev)
{
	const uint64_t *left = ACL_ARGS(ev, aclFinalizeReference)->refCount;

	if (!succeeded(ev) || ld(&c->init_count) <= 0)
		return;
	if (left)
		atomic_store(&c->init_count, (int32_t)*left);
	else
		atomic_fetch_sub(&c->init_count, 1);
	if (ld(&c->init_count) <= 0)
		st(&c->finalized_once, true);
}

static const struct acl_hook hooks[] = {
	{ ACL_API_aclInit, ACL_ENTER, init_enter },
	{ ACL_API_aclInit, ACL_LEAVE, init_leave },
	{ ACL_API_aclFinalize, ACL_LEAVE, finalize_leave },
	{ ACL_API_aclFinalizeReference, ACL_LEAVE, unreference_leave },
};

const struct acl_topic topic_init = { .name = "init", .hooks = hooks, .n_hooks = sizeof(hooks) / sizeof(hooks[0]) };
