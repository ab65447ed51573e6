/* SPDX-License-Identifier: Apache-2.0 */
/* Errors the runtime returned, and functions it does not have. */
#include "checks/engine/finding_statement.h"
#include "checks/state/stream_state.h"

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
	return error_of(call) == 207000 || error_of(call) == 200006;
}

/* The earlier finding about a task of the stream that explains the error, unless one about this call does. */
static uint64_t cause_of(const struct acl_call_record *call)
{
	struct acl_object *s = stream_concerned(call);

	return call->state.finding || !s ? 0 : load_relaxed(&stream_state(s)->suspect);
}

static void error_returned(struct checks *c, struct acl_call_record *call)
{
	const char *name = acl_error_name(error_of(call));

	if (!documented(call) && !call->missing)
		FINDING_BROKEN(c, call, RULE("api-error"),
			PARTS(part_consequence_of(cause_of(call)), part_beside(BESIDE_AS_CONSEQUENCE),
				part_advice(probing(call)), part_error("result", error_of(call))),
			"%s returned %d (%s)", acl_apis[call->api].name, error_of(call),
			name ? name : "unnamed");
}

const struct check_module module_api_error = {
	.missing = error_missing,
	.returned_error = error_returned,
};
