/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls of other threads a recorded call names: those that were at an object of it before. */
#include "tests/checks/fixture.h"

static struct fixture *fixture;

#define FIRST 1
#define SECOND 2

/* The record of the thread that the fixture keeps for it, as the library does. */
static void *thread_record(uint32_t tid)
{
	for (unsigned i = 0; i < fixture->n_threads; i++)
		if (fixture->threads[i].tid == tid)
			return fixture->threads[i].record;
	return NULL;
}

static void begin(struct acl_call_record *call, uint32_t tid, uint32_t number, unsigned api, const void *args)
{
	acl_call_record_init(call, api, args, 0x600000 + api);
	call->pid = fixture->pid;
	call->tid = tid;
	call->pthread_id = fixture_pthread(tid);
	call->thread = thread_record(tid);
	call->number = number;
	/* Whatever lay there before. */
	call->state.stream = (struct acl_object *)0x10;
	checks_order(fixture->checks, call, false);
	checks_enter(fixture->checks, call);
}

static void end(struct acl_call_record *call)
{
	checks_order(fixture->checks, call, true);
	checks_leave(fixture->checks, call);
}

static void set_device(uint32_t tid, int32_t device)
{
	fixture->tid = tid;
	CALL(fixture, aclrtSetDevice, 0, .deviceId = device);
	fixture->tid = FIRST;
}

static void is_after(const struct acl_call_record *call, uint32_t tid, uint32_t number, bool end)
{
	assert_int_equal(call->n_after, 1);
	assert_int_equal(call->after[0], acl_mark(tid, number, end));
}

static void streams(void **state)
{
	aclrtStream s = fixture_stream(fixture, 1);
	struct acl_args_aclrtSynchronizeStream args = {.stream = s};
	struct acl_call_record a, b;

	(void)state;
	begin(&a, FIRST, 7, ACL_API_aclrtSynchronizeStream, &args);
	assert_int_equal(a.n_after, 0);
	begin(&b, SECOND, 3, ACL_API_aclrtSynchronizeStream, &args);
	is_after(&b, FIRST, 7, false);
	end(&a);
	is_after(&a, SECOND, 3, false);
	end(&b);
	is_after(&b, FIRST, 7, true);
	/* No other thread was there meanwhile: what the begin came after is not said again. */
	begin(&a, FIRST, 8, ACL_API_aclrtSynchronizeStream, &args);
	is_after(&a, SECOND, 3, true);
	end(&a);
	assert_int_equal(a.n_after, 0);
}

static void default_stream(void **state)
{
	struct acl_args_aclrtSynchronizeStream args = {.stream = NULL};
	struct acl_call_record a, b;

	(void)state;
	begin(&a, FIRST, 20, ACL_API_aclrtSynchronizeStream, &args);
	end(&a);
	begin(&b, SECOND, 20, ACL_API_aclrtSynchronizeStream, &args);
	is_after(&b, FIRST, 20, true);
	end(&b);
	assert_int_equal(b.n_after, 0);
	/* Of another device it is another one. */
	set_device(SECOND, 1);
	begin(&a, FIRST, 21, ACL_API_aclrtSynchronizeStream, &args);
	is_after(&a, SECOND, 20, true);
	end(&a);
	begin(&b, SECOND, 21, ACL_API_aclrtSynchronizeStream, &args);
	assert_int_equal(b.n_after, 0);
	end(&b);
	/* Nothing is known of a thread's first call. */
	begin(&b, 3, 1, ACL_API_aclrtSynchronizeStream, &args);
	assert_int_equal(b.n_after, 0);
	end(&b);
}

/* Each object of a call has calls of its own; of what is not known there is nothing to note. */
static void two_objects(void **state)
{
	aclrtStream s = fixture_stream(fixture, 2);
	aclrtEvent e = fixture_event(fixture, 3, ACL_EVENT_SYNC);
	struct acl_args_aclrtSynchronizeStream one = {.stream = s}, unknown = {.stream = handle(99)};
	struct acl_args_aclrtRecordEvent both = {.event = e, .stream = s};
	struct acl_call_record a, b;

	(void)state;
	begin(&a, FIRST, 30, ACL_API_aclrtRecordEvent, &both);
	end(&a);
	begin(&b, SECOND, 30, ACL_API_aclrtSynchronizeStream, &one);
	end(&b);
	begin(&a, 3, 2, ACL_API_aclrtRecordEvent, &both);
	assert_int_equal(a.n_after, 2);
	assert_int_equal(a.after[0] ^ a.after[1], acl_mark(FIRST, 30, true) ^ acl_mark(SECOND, 30, true));
	end(&a);
	begin(&a, FIRST, 31, ACL_API_aclrtSynchronizeStream, &unknown);
	end(&a);
	begin(&b, SECOND, 31, ACL_API_aclrtSynchronizeStream, &unknown);
	assert_int_equal(b.n_after, 0);
	end(&b);
}

static int create(void **state)
{
	(void)state;
	fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	set_device(FIRST, 0);
	set_device(SECOND, 0);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams),
		cmocka_unit_test(default_stream),
		cmocka_unit_test(two_objects),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("the order of recorded calls", tests, create, NULL);
}
