/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of a call between its enter and its leave. */
#include "tests/checks/fixture.h"

static struct fixture *fixture;
static struct fixture_finding *last(void)
{
	assert_true(fixture->n_found);
	return &fixture->found[fixture->n_found - 1];
}

/* A call that is about to begin. */
static void prepare(struct acl_call_record *call, unsigned api, void *args)
{
	acl_call_record_init(call, api, args, 0x600000 + api);
	call->pid = call->tid = fixture->tid;
	call->pthread_id = fixture_pthread(fixture->tid);
}

static void notes_have_owners(void **state)
{
	static const char mine, other, nobodys;
	struct acl_call_record call;

	(void)state;
	memset(&call, 0xff, sizeof(call));
	acl_call_record_init(&call, ACL_API_aclInit, NULL, 1);
	assert_int_equal(call_note(&call, &mine), 0);
	call_note_set(&call, &mine, 7);
	call_note_set(&call, &other, 8);
	call_note_set(&call, &mine, 9);
	assert_int_equal(call_note(&call, &mine), 9);
	assert_int_equal(call_note(&call, &other), 8);
	assert_int_equal(call_note(&call, &nobodys), 0);
}

static void more_notes_than_room(void **state)
{
	static const char owners[CALL_NOTES + 1];
	struct acl_call_record call;

	(void)state;
	acl_call_record_init(&call, ACL_API_aclInit, NULL, 1);
	for (unsigned i = 0; i <= CALL_NOTES; i++)
		call_note_set(&call, &owners[i], i + 1);
	for (unsigned i = 0; i < CALL_NOTES; i++)
		assert_int_equal(call_note(&call, &owners[i]), i + 1);
	assert_int_equal(call_note(&call, &owners[CALL_NOTES]), 0);
}

/* The place on a stream is counted by the stream, whatever the call's order is. */
static void position_is_no_order(void **state)
{
	aclrtStream s = handle(1);
	struct acl_args_aclrtMemsetAsync args = {0};
	struct acl_call_record call;

	(void)state;
	CALL(fixture, aclrtCreateStream, 0, .stream = &s);
	args.stream = s;
	for (unsigned i = 1; i <= 3; i++) {
		prepare(&call, ACL_API_aclrtMemsetAsync, &args);
		call.n_after = ACL_CALL_AFTER;
		call.after[ACL_CALL_AFTER - 1] = 77;
		checks_enter(fixture->checks, &call);
		assert_int_equal(call.state.position, i);
		checks_leave(fixture->checks, &call);
	}
}

static void observed_is_not_submitted(void **state)
{
	aclrtStream s = handle(2);
	aclrtEvent e = fixture_event(fixture, 3, ACL_EVENT_SYNC);
	struct acl_args_aclrtSynchronizeEvent wait = {.event = e};
	struct acl_call_record call;

	(void)state;
	CALL(fixture, aclrtCreateStream, 0, .stream = &s);
	CALL(fixture, aclrtRecordEvent, 0, .event = e, .stream = s);
	prepare(&call, ACL_API_aclrtSynchronizeEvent, &wait);
	checks_enter(fixture->checks, &call);
	assert_null(call.state.stream);
	assert_int_equal(call.state.position, 0);
	assert_non_null(call.state.observed);
	assert_int_equal(call.state.observed_position, 1);
	checks_leave(fixture->checks, &call);
}

/* What the result variable holds before the call says nothing. */
static void phase_is_said(void **state)
{
	struct acl_args_aclrtSynchronizeStream args = {.stream = handle(4)};
	aclrtStream s = handle(4);
	struct acl_call_record call;

	(void)state;
	CALL(fixture, aclrtCreateStream, 0, .stream = &s);
	CALL(fixture, aclrtDestroyStream, 0, .stream = s);
	prepare(&call, ACL_API_aclrtSynchronizeStream, &args);
	call.result.i = 107003;
	checks_enter(fixture->checks, &call);
	assert_string_equal(last()->rule->id, "stream-destroyed-handle");
	assert_false(last()->at_leave);
	checks_leave(fixture->checks, &call);
	assert_string_equal(last()->rule->id, "api-error");
	assert_true(last()->at_leave);
}

static int create(void **state)
{
	(void)state;
	fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(notes_have_owners),
		cmocka_unit_test(more_notes_than_room),
		cmocka_unit_test(position_is_no_order),
		cmocka_unit_test(observed_is_not_submitted),
		cmocka_unit_test(phase_is_said),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("the state of a call", tests, create, NULL);
}
