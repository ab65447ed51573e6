/* SPDX-License-Identifier: Apache-2.0 */
/* Errors the runtime returned, and functions it does not have. */
#include "checks/report.h"

/* A function of the model that the real library lacks. */
static void missing(struct checks *c, struct acl_event *ev)
{
	struct finding_buffer room;
	struct acl_finding *f;

	if (!ev->missing)
		return;
	f = finding_begin(c, ev, RULE("api-missing-in-runtime"), &room);
	if (!f)
		return;
	finding_detail(f, "%s is not in the loaded runtime: the call was not forwarded and returns %s",
		acl_apis[ev->api].name, acl_apis[ev->api].ret_kind == ACL_KIND_ERROR ? "207000" : "NULL or 0");
	finding_show(c, f);
}

/* Results that are answers, not failures. */
static bool documented(const struct acl_event *ev)
{
	switch (error_of(ev)) {
	case 0:
	case 507005: /* end of sequence */
	case 507023: /* model ended normally */
	case 207003:
	case 207016:
	case 207017: /* overflow flags */
	case 507901: /* socket closed */
		return true;
	case 100002:
		return ev->api == ACL_API_aclInit;
	case 507046:
	case 507047: /* the time asked for is over */
		return strstr(acl_apis[ev->api].name, "WithTimeout") != NULL;
	case 107002: /* asked whether there is one */
		return ev->api == ACL_API_aclrtGetDevice || ev->api == ACL_API_aclrtGetCurrentContext;
	case 507012:
		return ev->api == ACL_API_aclrtProcessReport || ev->api == ACL_API_aclrtProcessHostFunc;
	}
	return false;
}

/* Programs ask for features and go another way. */
static bool probing(const struct acl_event *ev)
{
	return error_of(ev) == 207000 || error_of(ev) == 200006;
}

__attribute__((noinline, cold)) static void failed(struct checks *c, struct acl_event *ev)
{
	struct finding_grade grade = GRADE_TABLE;
	const char *name = acl_error_name(error_of(ev));
	struct finding_buffer room;
	struct acl_finding *f;

	if (documented(ev) || ev->missing)
		return;
	grade.cause = ev->carry[CARRY_FINDING];
	grade.secondary = grade.cause != 0;
	grade.advice = probing(ev);
	f = finding_begin_as(c, ev, RULE("api-error"), grade, &room);
	if (!f)
		return;
	f->at_leave = true;
	finding_detail(f, "%s returned %d (%s)", acl_apis[ev->api].name, error_of(ev), name ? name : "unnamed");
	finding_error(f, "result", error_of(ev));
	finding_show(c, f);
}

static void result(struct checks *c, struct acl_event *ev)
{
	if (__builtin_expect(error_of(ev) != 0, 0))
		failed(c, ev);
}

static void error_bind(void (*add)(void *, unsigned, enum acl_phase, acl_hook_fn), void *binder)
{
	for (unsigned api = 0; api < acl_api_count; api++) {
		add(binder, api, ACL_ENTER, missing);
		if (acl_apis[api].ret_kind == ACL_KIND_ERROR)
			add(binder, api, ACL_LEAVE, result);
	}
}

const struct acl_topic topic_error = { .name = "error", .bind = error_bind };
