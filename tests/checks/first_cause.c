/* SPDX-License-Identifier: Apache-2.0 */
/* An error of the runtime says what explains it: an earlier finding, or else what was pending. */
#define SITES 61000
#include "fixture.h"

#include <stdio.h>
#include <string.h>

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS
#define BYTES 4096u

static void copy(struct fixture *f, void *on, unsigned offset)
{
	CALL(f, aclrtMemcpyAsync, 0, .dst = (char *)DEVICE_MEMORY + offset, .destMax = BYTES,
		.src = (void *)HOST_MEMORY, .count = BYTES, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = on);
}

static struct fixture *with_memory(void)
{
	struct fixture *f = fixture_ready(DOCUMENTS);

	f->other_ways = 0;
	fixture_malloc(f, DEVICE_MEMORY, 2 * BYTES);
	fixture_malloc_host(f, HOST_MEMORY, 2 * BYTES);
	return f;
}

static const struct fixture_finding *last(const struct fixture *f)
{
	return &f->found[f->n_found - 1];
}

static void pending_tasks_are_named(void **state)
{
	struct fixture *f = with_memory();
	void *s = fixture_stream(f, 1);

	(void)state;
	copy(f, s, 0);
	CALL(f, aclrtSynchronizeStream, 0, .stream = s);
	copy(f, s, 0);
	CALL(f, aclrtMemsetAsync, 0, .devPtr = (void *)DEVICE_MEMORY, .maxCount = BYTES, .count = BYTES,
		.stream = s);
	CALL(f, aclrtSynchronizeStream, 507015, .stream = s);
	want(f, "api-error:warning");
	assert_non_null(strstr(last(f)->detail, "seen done: 2,"));
	assert_non_null(strstr(last(f)->detail, "the last one of aclrtMemsetAsync"));
	assert_int_equal(last(f)->n_objects, 1);
}

/* Up to the record only: what came behind it is none of the event's. */
static void up_to_the_event(void **state)
{
	struct fixture *f = with_memory();
	void *s = fixture_stream(f, 1);
	aclrtEvent e = fixture_event(f, 2, ACL_EVENT_SYNC);

	(void)state;
	CALL(f, aclrtRecordEvent, 0, .event = e, .stream = s);
	copy(f, s, 0);
	CALL(f, aclrtSynchronizeEvent, 507015, .event = e);
	want(f, "api-error:warning");
	assert_non_null(strstr(last(f)->detail, "seen done: 1,"));
}

/* The finding about a task of the stream is the first cause. */
static void a_finding_comes_first(void **state)
{
	struct fixture *f = with_memory();
	void *s = fixture_stream(f, 1);
	uint64_t cause;

	(void)state;
	copy(f, s, 4);
	want(f, "async-copy-alignment:error");
	cause = last(f)->serial;
	assert_int_not_equal(cause, 0);
	CALL(f, aclrtSynchronizeStream, 507015, .stream = s);
	want(f, "api-error:warning*");
	assert_null(strstr(last(f)->detail, "of stream"));
}

/* So is one about memory that is taken away from its task, or a binary. */
static void what_was_taken_away_comes_first(void **state)
{
	struct fixture *f = with_memory();
	void *s = fixture_stream(f, 1), *t = fixture_stream(f, 2);

	(void)state;
	copy(f, s, 0);
	copy(f, t, BYTES);
	CALL(f, aclrtFree, 0, .devPtr = (void *)DEVICE_MEMORY);
	want(f, "free-in-flight:error");
	CALL(f, aclrtSynchronizeStream, 507899, .stream = t);
	want(f, "api-error:warning*");
	/* The other one has lost its memory as well, which the finding does not name. */
	CALL(f, aclrtSynchronizeStream, 507899, .stream = s);
	want(f, "api-error:warning");
	/* What comes later has nothing to do with it. */
	CALL(f, aclrtSynchronizeStream, 0, .stream = t);
	CALL(f, aclrtSynchronizeStream, 507899, .stream = t);
	want(f, "api-error:warning");
	fixture_free(f);
}

static void a_kernel_that_was_unloaded(void **state)
{
	struct fixture *f = with_memory();
	aclrtBinHandle binary = handle(40);
	aclrtFuncHandle function = handle(41);
	void *s = fixture_stream(f, 1);
	uint64_t arguments = 0;

	(void)state;
	CALL(f, aclrtBinaryLoadFromFile, 0, .binPath = "/a.o", .binHandle = &binary);
	CALL(f, aclrtBinaryGetFunction, 0, .binHandle = binary, .kernelName = "a", .funcHandle = &function);
	CALL(f, aclrtLaunchKernelWithHostArgs, 0, .funcHandle = function, .numBlocks = 1, .stream = s,
		.hostArgs = &arguments, .argsSize = sizeof(arguments));
	silent(f);
	CALL(f, aclrtBinaryUnLoad, 0, .binHandle = binary);
	want(f, "kernel-binary-unload-pending:error");
	CALL(f, aclrtSynchronizeStream, 507015, .stream = s);
	want(f, "api-error:warning*");
	fixture_free(f);
}

/* Answers, refusals and times that are over say nothing about tasks. */
static void others_name_no_tasks(void **state)
{
	struct fixture *f = with_memory();
	aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
	void *s = fixture_stream(f, 1);

	(void)state;
	copy(f, s, 0);
	CALL(f, aclrtStreamQuery, 0, .stream = s, .status = &status);
	CALL(f, aclrtSynchronizeStreamWithTimeout, 507046, .stream = s, .timeout = 10);
	silent(f);
	CALL(f, aclrtSynchronizeStream, 107003, .stream = s);
	want(f, "api-error:warning");
	assert_null(strstr(last(f)->detail, "of stream"));
}

/* What an earlier wait has seen is done. */
static void nothing_pending(void **state)
{
	struct fixture *f = with_memory();
	void *s = fixture_stream(f, 1);

	(void)state;
	copy(f, s, 0);
	CALL(f, aclrtSynchronizeStream, 0, .stream = s);
	CALL(f, aclrtSynchronizeStream, 507899, .stream = s);
	want(f, "api-error:warning");
	assert_null(strstr(last(f)->detail, "of stream"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pending_tasks_are_named),
		cmocka_unit_test(up_to_the_event),
		cmocka_unit_test(a_finding_comes_first),
		cmocka_unit_test(what_was_taken_away_comes_first),
		cmocka_unit_test(a_kernel_that_was_unloaded),
		cmocka_unit_test(others_name_no_tasks),
		cmocka_unit_test(nothing_pending),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
