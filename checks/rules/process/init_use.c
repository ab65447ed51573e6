/* SPDX-License-Identifier: Apache-2.0 */
/* Initialisation and its end. */
#include "checks/engine/finding_report.h"

/* Counted as 8.5 and later do: a repeated aclInit answers 100002 and counts. */
static void init_leave(struct checks *c, struct acl_call_record *call)
{
	int32_t error = error_of(call);

	if (error && error != ACL_ERROR_REPEAT_INIT)
		return;
	store_relaxed(&c->forked, false);
	if (atomic_fetch_add(&c->init_count, 1) == 0) {
		call_site_take(c, &c->first_init, call, true);
		store_relaxed(&c->init_module, call->module ? call->module
					       : c->host.module
						       ? c->host.module(c->host.context, call->caller)
						       : 0);
	}
}

static void repeated(struct checks *c, struct acl_call_record *call)
{
	uint32_t module = call->module     ? call->module
			  : c->host.module ? c->host.module(c->host.context, call->caller)
					   : 0;
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;
	struct acl_object_history *b;

	/* Libraries that each call aclInit by design are told, the program is judged. */
	grade.advice = module != load_relaxed(&c->init_module);
	f = finding_begin_as(c, call, RULE("init-repeat"), grade, &room);
	if (!f)
		return;
	finding_detail(f,
		"aclInit number %d of this process%s; the first one was made by %s module and is still in "
		"effect",
		load_relaxed(&c->init_count) + 1,
		ACL_ARGS(call, aclInit)->configPath ? " (its configuration is not read)" : "",
		grade.advice ? "another" : "the same");
	finding_int(f, "inits before", load_relaxed(&c->init_count));
	b = &f->objects[f->n_objects++];
	b->role = "first aclInit";
	b->kind = "initialisation";
	b->device = -1;
	call_site_copy(&b->created, &c->first_init);
	finding_show(c, f);
}

static void init_enter(struct checks *c, struct acl_call_record *call)
{
	store_relaxed(&c->inited, true);
	rule_evaluated(call, RULE("init-missing"));
	if (rule_broken(call, RULE("init-repeat"), load_relaxed(&c->init_count) > 0))
		repeated(c, call);
}

/* --- init-missing ------------------------------------------------------------------- */

/* Legal, or asked, before there is a runtime. */
static bool needs_no_init(const struct acl_call_record *call)
{
	switch (call->api) {
	case ACL_API_aclrtGetVersion:
	case ACL_API_aclrtGetSocName:
		return true;
	}
	return strncmp(acl_apis[call->api].name, "aclrt", 5) &&
	       strncmp(acl_apis[call->api].name, "aclmdlRI", 8);
}

static void init_missing(struct checks *c, struct acl_call_record *call)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	if (!is_checked(call) || call->callback_depth || needs_no_init(call) ||
		atomic_exchange(&c->inited, true))
		return;
	rule_evaluated(call, RULE("init-missing"));
	grade.site = 1; /* once per process */
	f = finding_begin_as(c, call, RULE("init-missing"), grade, &room);
	if (!f)
		return;
	finding_detail(f,
		"%s is the first call of the runtime in this process, and aclInit has not been called",
		acl_apis[call->api].name);
	finding_uint(f, "thread", call->tid);
	finding_show(c, f);
}

/* --- the end --------------------------------------------------------------------------- */

static void finalizing(struct checks *c, struct acl_call_record *call)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;
	int held[ACL_FINDING_VALUES], n = 0;

	if (load_relaxed(&c->init_count) <= 0 ||
		(call->api == ACL_API_aclFinalizeReference && load_relaxed(&c->init_count) > 1))
		return;
	for (int i = 0; i < ACL_DEVICES && n < ACL_FINDING_VALUES; i++)
		if (load_relaxed(&c->devices[i].sets) > 0 && load_relaxed(&c->devices[i].set_since_reset))
			held[n++] = i;
	if (!rule_broken(call, RULE("finalize-before-reset"), n))
		return;
	if (call->in_exit)
		grade.severity = ACL_SEV_WARNING;
	f = finding_begin_as(c, call, RULE("finalize-before-reset"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "device");
	for (int i = 0; i < n; i++) {
		finding_more(f, "%s %d", i ? "," : "", held[i]);
		finding_int(f, "device", held[i]);
	}
	finding_more(f, "%s set and not reset since", n > 1 ? " are" : " is");
	for (int i = 0; i < n && i < ACL_FINDING_OBJECTS; i++) {
		struct acl_object_history *b = &f->objects[f->n_objects++];

		b->role = "still set";
		b->kind = "device";
		b->device = held[i];
		b->value = (uint64_t)held[i];
		call_site_copy(&b->created, &c->devices[held[i]].first_set);
		call_site_copy(&b->last_used, &c->devices[held[i]].last_set);
	}
	finding_show(c, f);
}

static void init_finish(struct checks *c, enum checks_end kind)
{
	struct finding_buffer room;
	struct acl_finding *f;
	struct acl_object_history *b;

	if (kind != CHECKS_END_EXIT || !load_relaxed(&c->first_init.caller) || load_relaxed(&c->forked))
		return;
	rule_evaluated_at_end(c, RULE("finalize-missing-at-exit"));
	if (load_relaxed(&c->init_count) <= 0)
		return;
	f = finding_begin(c, NULL, RULE("finalize-missing-at-exit"), &room);
	if (!f)
		return;
	finding_detail(f, "aclInit was called and aclFinalize was not");
	b = &f->objects[f->n_objects++];
	b->role = "aclInit";
	b->kind = "initialisation";
	b->device = -1;
	call_site_copy(&b->created, &c->first_init);
	finding_show(c, f);
}

/* What the parent initialised is the parent's to end; a child that initialises anew answers for itself. */
static void init_forked(struct checks *c)
{
	store_relaxed(&c->forked, true);
}

static void finalize_leave(struct checks *c, struct acl_call_record *call)
{
	if (!succeeded(call))
		return;
	atomic_store(&c->init_count, 0);
}

static void unreference_leave(struct checks *c, struct acl_call_record *call)
{
	const uint64_t *left = ACL_ARGS(call, aclFinalizeReference)->refCount;

	if (!succeeded(call) || load_relaxed(&c->init_count) <= 0)
		return;
	if (left)
		atomic_store(&c->init_count, (int32_t)*left);
	else
		atomic_fetch_sub(&c->init_count, 1);
}

static const struct check_hook hooks[] = {
	{ON_OP(PROCESS_INIT), ACL_ENTER, init_enter},
	{ON_OP(PROCESS_INIT), ACL_LEAVE, init_leave},
	{ON_OP(PROCESS_FINALIZE), ACL_ENTER, finalizing},
	{ACL_API_aclFinalize, ACL_LEAVE, finalize_leave},
	{ON_OP_WITH(PROCESS_FINALIZE, NUMBER), ACL_LEAVE, unreference_leave},
};

const struct check_module module_init = {
	.uninitialized = init_missing,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.finish = init_finish,
	.forked = init_forked,
};
