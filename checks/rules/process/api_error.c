/* SPDX-License-Identifier: Apache-2.0 */
/* Errors the runtime returned, and functions it does not have. */
#include "checks/engine/finding_statement.h"
#include "checks/state/stream_state.h"

#define DEVICE_ERRORS 507000 /* the first one */

/* A function of the model that the real library lacks. */
static void error_missing(struct checks *c, struct acl_call_record *call)
{
	FINDING_BROKEN(c, call, RULE("api-missing-in-runtime"), NO_PARTS,
		"%s is not in the loaded runtime: the call was not forwarded and returns %s",
		acl_apis[call->api].name,
		acl_apis[call->api].ret_kind == ACL_KIND_ERROR ? "207000" : "NULL or 0");
}

/* Success, or an answer. */
static bool documented(const struct acl_call_record *call)
{
	return !error_of(call) || acl_result_is_answer(call->api, error_of(call));
}

/* Programs ask for features and go another way. */
static bool probing(const struct acl_call_record *call)
{
	return error_of(call) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT ||
	       error_of(call) == ACL_ERROR_FEATURE_UNSUPPORTED;
}

/* Memory has an end: allocators ask, give back what they do not need, and ask again. What is made of the
 * pointer is checked where it is used. */
static bool memory_refused(const struct acl_call_record *call)
{
	unsigned group = acl_apis[call->api].operation_group;

	return error_of(call) == ACL_ERROR_RT_MEMORY_ALLOCATION &&
	       (group == ACL_OP_GROUP_ALLOCATE || group == ACL_OP_GROUP_RESERVE);
}

/* The earlier finding about a task of the stream that explains the error, unless one about this call does. */
static uint64_t cause_of(const struct acl_call_record *call)
{
	struct acl_object *s = stream_concerned(call);

	return call->state.finding || !s ? 0 : stream_rarely(s, suspect);
}

/* The stream that the host waited for, or queried, where the device reports what went wrong on it before. */
static struct acl_object *stream_that_failed(const struct acl_call_record *call)
{
	switch (acl_apis[call->api].operation) {
	case ACL_OP_SYNCHRONISE_STREAM:
	case ACL_OP_SYNCHRONISE_EVENT:
	case ACL_OP_QUERY_STREAM:
	case ACL_OP_QUERY_EVENT:
		return error_of(call) >= DEVICE_ERRORS && !time_was_over(call) ? stream_concerned(call)
									       : NULL;
	}
	return NULL;
}

/* Tasks that the call was about and of which the host had not seen the end. */
static uint64_t tasks_pending(const struct acl_call_record *call, struct acl_object *s)
{
	uint64_t done = stream_completed(s),
		 all = call->state.observed_position ? call->state.observed_position : stream_submitted(s);

	return all > done ? all - done : 0;
}

static void error_returned(struct checks *c, struct acl_call_record *call)
{
	const char *name = acl_error_name(error_of(call));
	struct acl_object *s = stream_that_failed(call);
	uint64_t cause = cause_of(call), pending = s && !cause ? tasks_pending(call, s) : 0;

	if (documented(call) || !call->forwarded)
		return;
	if (pending)
		FINDING_BROKEN(c, call, RULE("api-error"),
			PARTS(part_beside(BESIDE_AS_CONSEQUENCE), part_error("result", error_of(call)),
				part_uint("pending tasks", pending), part_object("stream", s)),
			"%s returned %d (%s). Tasks of %s that had not been seen done: %llu, the "
			"last one of %s.",
			acl_apis[call->api].name, error_of(call), name ? name : "unnamed", STREAM_TEXT(s),
			(unsigned long long)pending, acl_apis[call_site_api(&s->last_used)].name);
	else
		FINDING_BROKEN(c, call, RULE("api-error"),
			PARTS(part_consequence_of(cause), part_beside(BESIDE_AS_CONSEQUENCE),
				part_advice(probing(call) || memory_refused(call)),
				part_error("result", error_of(call))),
			"%s returned %d (%s)", acl_apis[call->api].name, error_of(call),
			name ? name : "unnamed");
}

const struct check_module module_api_error = {
	.missing = error_missing,
	.returned_error = error_returned,
};
