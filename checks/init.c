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
	st(&c->forked, false);
	if (atomic_fetch_add(&c->init_count, 1) == 0) {
		moment_take(c, &c->first_init, ev, true);
		st(&c->init_module, ev->module       ? ev->module
				    : c->host.module ? c->host.module(c->host.context, ev->caller)
						     : 0);
	}
}

static void repeated(struct checks *c, struct acl_event *ev)
{
	uint32_t module = ev->module       ? ev->module
			  : c->host.module ? c->host.module(c->host.context, ev->caller)
					   : 0;
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;
	struct acl_biography *b;

	/* Libraries that each call aclInit by design are told, the program is judged. */
	grade.advice = module != ld(&c->init_module);
	f = finding_begin_as(c, ev, RULE("init-repeat"), grade, &room);
	if (!f)
		return;
	finding_detail(f,
		"aclInit number %d of this process%s; the first one was made by %s module and is still in "
		"effect",
		ld(&c->init_count) + 1,
		ACL_ARGS(ev, aclInit)->configPath ? " (its configuration is not read)" : "",
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
	rule_asked(ev, RULE("init-missing"));
	if (rule_broken(ev, RULE("init-repeat"), ld(&c->init_count) > 0))
		repeated(c, ev);
}

/* --- init-missing ------------------------------------------------------------------- */

/* Legal, or asked, before there is a runtime. */
static bool needs_no_init(const struct acl_event *ev)
{
	switch (ev->api) {
	case ACL_API_aclrtGetVersion:
	case ACL_API_aclrtGetSocName:
		return true;
	}
	return strncmp(acl_apis[ev->api].name, "aclrt", 5) && strncmp(acl_apis[ev->api].name, "aclmdlRI", 8);
}

void init_missing(struct checks *c, struct acl_event *ev)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	if (!judged(ev) || ev->callback_depth || needs_no_init(ev) || atomic_exchange(&c->inited, true))
		return;
	rule_asked(ev, RULE("init-missing"));
	grade.site = 1; /* once per process */
	f = finding_begin_as(c, ev, RULE("init-missing"), grade, &room);
	if (!f)
		return;
	finding_detail(f,
		"%s is the first call of the runtime in this process, and aclInit has not been called",
		acl_apis[ev->api].name);
	finding_uint(f, "thread", ev->tid);
	finding_show(c, f);
}

/* --- the end --------------------------------------------------------------------------- */

static void finalizing(struct checks *c, struct acl_event *ev)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;
	int held[ACL_FINDING_VALUES], n = 0;

	if (ld(&c->init_count) <= 0 || (ev->api == ACL_API_aclFinalizeReference && ld(&c->init_count) > 1))
		return;
	for (int i = 0; i < ACL_DEVICES && n < ACL_FINDING_VALUES; i++)
		if (ld(&c->devices[i].sets) > 0 && ld(&c->devices[i].set_since_reset))
			held[n++] = i;
	if (!rule_broken(ev, RULE("finalize-before-reset"), n))
		return;
	if (ev->in_exit)
		grade.severity = ACL_SEV_WARNING;
	f = finding_begin_as(c, ev, RULE("finalize-before-reset"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "device");
	for (int i = 0; i < n; i++) {
		finding_more(f, "%s %d", i ? "," : "", held[i]);
		finding_int(f, "device", held[i]);
	}
	finding_more(f, "%s set and not reset since", n > 1 ? " are" : " is");
	for (int i = 0; i < n && i < ACL_FINDING_OBJECTS; i++) {
		struct acl_biography *b = &f->objects[f->n_objects++];

		b->role = "still set";
		b->kind = "device";
		b->device = held[i];
		b->value = (uint64_t)held[i];
		moment_copy(&b->created, &c->devices[held[i]].first_set);
		moment_copy(&b->last_used, &c->devices[held[i]].last_set);
	}
	finding_show(c, f);
}

static void init_finish(struct checks *c, enum checks_end kind)
{
	struct finding_buffer room;
	struct acl_finding *f;
	struct acl_biography *b;

	if (kind != CHECKS_END_EXIT || !ld(&c->first_init.caller) || ld(&c->forked))
		return;
	rule_asked_at_end(c, RULE("finalize-missing-at-exit"));
	if (ld(&c->init_count) <= 0)
		return;
	f = finding_begin(c, NULL, RULE("finalize-missing-at-exit"), &room);
	if (!f)
		return;
	finding_detail(f, "aclInit was called and aclFinalize was not");
	b = &f->objects[f->n_objects++];
	b->role = "aclInit";
	b->kind = "initialisation";
	b->device = -1;
	moment_copy(&b->created, &c->first_init);
	finding_show(c, f);
}

/* What the parent initialised is the parent's to end; a child that initialises anew answers for itself. */
static void init_forked(struct checks *c)
{
	st(&c->forked, true);
}

static void finalize_leave(struct checks *c, struct acl_event *ev)
{
	if (!succeeded(ev))
		return;
	atomic_store(&c->init_count, 0);
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
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclInit, ACL_ENTER, init_enter},
	{ACL_API_aclInit, ACL_LEAVE, init_leave},
	{ACL_API_aclFinalize, ACL_ENTER, finalizing},
	{ACL_API_aclFinalizeReference, ACL_ENTER, finalizing},
	{ACL_API_aclFinalize, ACL_LEAVE, finalize_leave},
	{ACL_API_aclFinalizeReference, ACL_LEAVE, unreference_leave},
};

const struct acl_topic topic_init = {
	.name = "init",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.finish = init_finish,
	.forked = init_forked,
};
