/* SPDX-License-Identifier: Apache-2.0 */
/* Errors the runtime returned, and functions it does not have. */
#include "checks/report.h"
#include "checks/state.h"

/* A function of the model that the real library lacks. */
void error_missing(struct checks *c, struct acl_event *ev)
{
	struct finding_buffer room;
	struct acl_finding *f;

	f = finding_begin(c, ev, RULE("api-missing-in-runtime"), &room);
	if (!f)
		return;
	finding_detail(f, "%s is not in the loaded runtime: the call was not forwarded and returns %s",
		acl_apis[ev->api].name,
		acl_apis[ev->api].ret_kind == ACL_KIND_ERROR ? "207000" : "NULL or 0");
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

/* A submission that was found wrong and accepted all the same: it may fail where the host waits for the
 * stream. */
void error_suspect(struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);

	if (s && acl_apis[ev->api].mode == ACL_MODE_ASYNC)
		st(&stream_state(s)->suspect, ev->carry[CARRY_FINDING]);
}

/* The earlier finding that explains the error: about this call, else about a task of its stream. */
static uint64_t cause_of(const struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);

	if (ev->carry[CARRY_FINDING] || !s)
		return ev->carry[CARRY_FINDING];
	return ld(&stream_state(s)->suspect);
}

void error_returned(struct checks *c, struct acl_event *ev)
{
	struct finding_grade grade = GRADE_TABLE;
	const char *name = acl_error_name(error_of(ev));
	struct finding_buffer room;
	struct acl_finding *f;

	if (documented(ev) || ev->missing)
		return;
	grade.cause = cause_of(ev);
	grade.secondary = grade.cause != 0;
	grade.advice = probing(ev);
	f = finding_begin_as(c, ev, RULE("api-error"), grade, &room);
	if (!f)
		return;
	f->at_leave = true;
	finding_detail(
		f, "%s returned %d (%s)", acl_apis[ev->api].name, error_of(ev), name ? name : "unnamed");
	finding_error(f, "result", error_of(ev));
	finding_show(c, f);
}
