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
	};

	fixture_counts_only();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("streams destroyed behind a record", tests, NULL, NULL);
}
