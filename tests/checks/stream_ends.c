/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that are destroyed behind a record: what others may learn from it. */
#include "two_streams.h"

static void record(struct two_streams *x, void *event, void *stream)
{
	CALL(x->fixture, aclrtRecordEvent, 0, .event = event, .stream = stream);
}

static void destroy(struct two_streams *x, void *stream)
{
	CALL(x->fixture, aclrtDestroyStream, 0, .stream = stream);
}

static void *event(struct two_streams *x, unsigned n, unsigned flag)
{
	void *e = handle(n);

	CALL(x->fixture, aclrtCreateEventExWithFlag, 0, .event = &e, .flag = flag);
	return e;
}

static void record_is_no_wait(void **state)
{
	struct two_streams x = two_streams();

	(void)state;
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	record(&x, x.event, x.s);
	destroy(&x, x.s);
	want(x.fixture, "stream-destroy-pending:warning");
}

/* Who waits for the other stream waits for this one. */
static void other_stream_waits(void **state)
{
	struct two_streams x = two_streams();

	(void)state;
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	record(&x, x.event, x.s);
	CALL(x.fixture, aclrtStreamWaitEvent, 0, .stream = x.t, .event = x.event);
	destroy(&x, x.s);
	CALL(x.fixture, aclrtSynchronizeStream, 0, .stream = x.t);
	silent(x.fixture);
}

static void other_stream_was_waited_for(void **state)
{
	struct two_streams x = two_streams();

	(void)state;
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	record(&x, x.event, x.s);
	CALL(x.fixture, aclrtStreamWaitEvent, 0, .stream = x.t, .event = x.event);
	CALL(x.fixture, aclrtSynchronizeStream, 0, .stream = x.t);
	destroy(&x, x.s);
	silent(x.fixture);
}

static void seen_by_query(void **state)
{
	struct two_streams x = two_streams();
	aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;

	(void)state;
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	record(&x, x.event, x.s);
	CALL(x.fixture, aclrtQueryEventStatus, 0, .event = x.event, .status = &status);
	destroy(&x, x.s);
	silent(x.fixture);
}

/* What stands behind the work besides records is not known to be silent. */
static void notify_behind(void **state)
{
	struct two_streams x = two_streams();
	void *n = handle(30);

	(void)state;
	CALL(x.fixture, aclrtCreateNotify, 0, .notify = &n);
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	record(&x, x.event, x.s);
	CALL(x.fixture, aclrtRecordNotify, 0, .notify = n, .stream = x.s);
	destroy(&x, x.s);
	never(x.fixture, "stream-destroy-pending");
}

static void other_process(void **state)
{
	struct two_streams x = two_streams();
	void *e = event(&x, 30, ACL_EVENT_IPC);

	(void)state;
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	record(&x, e, x.s);
	destroy(&x, x.s);
	never(x.fixture, "stream-destroy-pending");
}

/* The one record is no more: who waited for it is not known. */
static void recorded_elsewhere_since(void **state)
{
	struct two_streams x = two_streams();

	(void)state;
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	record(&x, x.event, x.s);
	record(&x, x.event, x.t);
	destroy(&x, x.s);
	never(x.fixture, "stream-destroy-pending");
}

static void destroy_event(struct two_streams *x, void *e)
{
	CALL(x->fixture, aclrtDestroyEvent, 0, .event = e);
}

/* As the documents' order of releases has it: nothing waited for the record, and nothing can any more. */
static void event_destroyed_first(void **state)
{
	struct two_streams x = two_streams();
	void *e = event(&x, 30, ACL_EVENT_SYNC);

	(void)state;
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	record(&x, x.event, x.s);
	record(&x, e, x.s);
	destroy_event(&x, x.event);
	destroy_event(&x, e);
	destroy(&x, x.s);
	want(x.fixture, "stream-destroy-pending:warning");
}

/* One of an earlier task says nothing of those behind the last one. */
static void event_of_an_earlier_task_destroyed(void **state)
{
	struct two_streams x = two_streams();
	void *n = handle(31);

	(void)state;
	CALL(x.fixture, aclrtCreateNotify, 0, .notify = &n);
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	record(&x, x.event, x.s);
	destroy_event(&x, x.event);
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	CALL(x.fixture, aclrtRecordNotify, 0, .notify = n, .stream = x.s);
	destroy(&x, x.s);
	never(x.fixture, "stream-destroy-pending");
}

static void event_waited_for_and_destroyed(void **state)
{
	(void)state;
	for (unsigned host = 0; host < 2; host++) {
		struct two_streams x = two_streams();

		up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
		record(&x, x.event, x.s);
		if (host)
			CALL(x.fixture, aclrtSynchronizeEvent, 0, .event = x.event);
		else
			CALL(x.fixture, aclrtStreamWaitEvent, 0, .stream = x.t, .event = x.event);
		destroy_event(&x, x.event);
		destroy(&x, x.s);
		silent(x.fixture);
	}
}

static void shared_event_destroyed(void **state)
{
	struct two_streams x = two_streams();
	void *e = event(&x, 30, ACL_EVENT_IPC);

	(void)state;
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	record(&x, e, x.s);
	destroy_event(&x, e);
	destroy(&x, x.s);
	never(x.fixture, "stream-destroy-pending");
}

static void event_not_destroyed(void **state)
{
	struct two_streams x = two_streams();

	(void)state;
	up(&x, x.s, ACL_MEMCPY_HOST_TO_DEVICE);
	record(&x, x.event, x.s);
	CALL(x.fixture, aclrtDestroyEvent, 107000, .event = x.event);
	want(x.fixture, "api-error:warning");
	destroy(&x, x.s);
	want(x.fixture, "stream-destroy-pending:warning");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(record_is_no_wait),
		cmocka_unit_test(other_stream_waits),
		cmocka_unit_test(other_stream_was_waited_for),
		cmocka_unit_test(seen_by_query),
		cmocka_unit_test(notify_behind),
		cmocka_unit_test(other_process),
		cmocka_unit_test(recorded_elsewhere_since),
		cmocka_unit_test(event_destroyed_first),
		cmocka_unit_test(event_of_an_earlier_task_destroyed),
		cmocka_unit_test(event_waited_for_and_destroyed),
		cmocka_unit_test(shared_event_destroyed),
		cmocka_unit_test(event_not_destroyed),
	};

	fixture_counts_only();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("streams destroyed behind a record", tests, NULL, NULL);
}
