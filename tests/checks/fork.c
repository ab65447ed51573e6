/* SPDX-License-Identifier: Apache-2.0 */
/* What a forked child takes over: the state, and neither locks, nor findings, nor debts of its parent. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks/engine/instance.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS
#define MAGIC 0x5ac1f0c8u /* as number of the process: marks the words of locks */

/* --- locks --------------------------------------------------------------------------- */

static void streams(struct fixture *fixture, unsigned n, void *d, void *h)
{
	void *s = fixture_stream(fixture, n), *t = fixture_stream(fixture, n + 1);
	void *e = fixture_event(fixture, n + 2, ACL_EVENT_SYNC);

	CALL(fixture, aclrtMemcpyAsync, 0, .dst = d, .destMax = 64, .src = h, .count = 64,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = s);
	CALL(fixture, aclrtRecordEvent, 0, .event = e, .stream = s);
	CALL(fixture, aclrtStreamWaitEvent, 0, .stream = t, .event = e);
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = t);
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
	CALL(fixture, aclrtSynchronizeDevice, 0);
	CALL(fixture, aclrtSetStreamFailureMode, 0, .stream = s, .mode = ACL_STOP_ON_FAILURE);
	CALL(fixture, aclrtStreamAbort, 0, .stream = s);
	CALL(fixture, aclrtDestroyStream, 0, .stream = t);
	CALL(fixture, aclrtDestroyEvent, 0, .event = e);
}

static void captures(struct fixture *fixture, unsigned n, void *d)
{
	aclmdlRI model = handle(n + 1);
	void *s = fixture_stream(fixture, n);

	CALL(fixture, aclmdlRICaptureBegin, 0, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = d, .maxCount = 64, .value = 0, .count = 64, .stream = s);
	CALL(fixture, aclmdlRICaptureEnd, 0, .stream = s, .modelRI = &model);
	CALL(fixture, aclmdlRIExecuteAsync, 0, .modelRI = model, .stream = s);
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
	CALL(fixture, aclmdlRIDestroy, 0, .modelRI = model);
	CALL(fixture, aclrtDestroyStream, 0, .stream = s);
}

static void memory(struct fixture *fixture, unsigned n)
{
	void *d = fixture_malloc(fixture, DEVICE_MEMORY + n * (1ul << 30), 4096), *window = NULL;
	void *mine = (void *)(0x600000000000ul + n * 4096ul), *shared = (char *)d + (1ul << 20);
	aclrtMemPool pool = handle(n + 1);
	aclrtMemPoolProps props = {0};
	void *s = fixture_stream(fixture, n + 2);
	char key[65] = "key";

	CALL(fixture, aclrtIpcMemGetExportKey, 0, .devPtr = d, .size = 4096, .key = key, .len = 65);
	CALL(fixture, aclrtIpcMemImportByKey, 0, .devPtr = &shared, .key = key);
	CALL(fixture, aclrtHostRegister, 0, .ptr = mine, .size = 4096, .devPtr = &window);
	CALL(fixture, aclrtHostUnregister, 0, .ptr = mine);
	CALL(fixture, aclrtMemPoolCreate, 0, .memPool = &pool, .poolProps = &props);
	CALL(fixture, aclrtMemPoolFreeAsync, 0, .ptr = d, .stream = s);
	CALL(fixture, aclrtDestroyStream, 0, .stream = s);
}

static void work(struct fixture *fixture, unsigned n)
{
	void *d = fixture_malloc(fixture, DEVICE_MEMORY + n * (1ul << 21), 4096);
	void *h = fixture_malloc_host(fixture, HOST_MEMORY + n * (1ul << 21), 4096);

	streams(fixture, n, d, h);
	captures(fixture, n + 10, d);
	memory(fixture, n + 20);
	CALL(fixture, aclrtFree, 0, .devPtr = d);
	CALL(fixture, aclrtFreeHost, 0, .hostPtr = h);
}

/* All locks that were ever taken, as they look while some thread holds them. */
static unsigned hold_locks(struct fixture *fixture)
{
	unsigned n = 0;

	assert_true(fixture->n_regions < sizeof(fixture->regions) / sizeof(fixture->regions[0]));
	for (unsigned i = 0; i < fixture->n_regions; i++) {
		uint32_t *word = fixture->regions[i].at;

		for (size_t k = 0; k < fixture->regions[i].bytes / sizeof(*word); k++)
			if (word[k] == MAGIC) {
				word[k] |= LOCK_HELD;
				n++;
			}
	}
	return n;
}

static void locks_of_the_parent(void **state)
{
	struct fixture *fixture;
	int status;
	pid_t pid;

	(void)state;
	store_relaxed(&lock_process, MAGIC);
	fixture = fixture_ready(DOCUMENTS);
	work(fixture, 100);
	/* Allocation, handle kinds, pointer maps, topics, and those of single streams and models. */
	assert_true(hold_locks(fixture) >= 16);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		alarm(20);
		checks_forked(fixture->checks);
		work(fixture, 100);
		work(fixture, 200);
		checks_finish(fixture->checks, CHECKS_END_EXIT);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* --- findings -------------------------------------------------------------------------- */

static void mistake(struct fixture *fixture, void *d, void *s)
{
	CALL(fixture, aclrtMemcpyAsync, 0, .dst = d, .destMax = 64, .src = (void *)(HOST_MEMORY + 3),
		.count = 64, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = s);
}

static void mistake_of_the_parent(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096), *s = fixture_stream(fixture, 1);
	struct checks_totals totals;

	(void)state;
	fixture_malloc_host(fixture, HOST_MEMORY, 4096);
	mistake(fixture, d, s);
	want(fixture, "async-copy-alignment:error");
	checks_forked(fixture->checks);
	checks_totals(fixture->checks, &totals);
	assert_int_equal(totals.findings[3], 0);
	/* An error is not explained by what only the parent reported. */
	CALL(fixture, aclrtSynchronizeStream, 507015, .stream = s);
	want(fixture, "api-error:warning");
	mistake(fixture, d, s);
	want(fixture, "async-copy-alignment:error");
	assert_int_equal(fixture->found[fixture->n_found - 1].repeat, 1);
	checks_totals(fixture->checks, &totals);
	assert_int_equal(totals.findings[3], 1);
}

/* The event is destroyed while another thread waits for it; in between the process may fork. */
static struct fixture *destroyed_while_waited_for(bool forks)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *e = fixture_event(fixture, 2, ACL_EVENT_SYNC);
	const struct acl_args_aclrtSynchronizeEvent args = {.event = e};
	struct acl_call_record waits;

	CALL(fixture, aclrtRecordEvent, 0, .event = e, .stream = s);
	fixture->tid = 2;
	fixture_enter(fixture, &waits, ACL_API_aclrtSynchronizeEvent, &args, __LINE__);
	fixture->tid = 1;
	if (forks)
		checks_forked(fixture->checks);
	CALL(fixture, aclrtDestroyEvent, 0, .event = e);
	return fixture;
}

/* The child has none of the parent's threads. */
static void threads_of_the_parent(void **state)
{
	(void)state;
	silent(destroyed_while_waited_for(true));
}

static void threads_of_the_process(void **state)
{
	(void)state;
	want(destroyed_while_waited_for(false), "event-destroyed-in-use:warning");
}

/* As many threads as the number poll at once; their calls stay unfinished. */
static void poll_in_threads(struct fixture *fixture, unsigned first, unsigned n)
{
	static struct acl_args_aclrtSynchronizeStream args[16];
	static struct acl_call_record calls[16];

	for (unsigned i = first; i < first + n; i++) {
		args[i].stream = handle(1);
		fixture->tid = i + 1;
		fixture_enter(fixture, &calls[i], ACL_API_aclrtSynchronizeStream, &args[i], __LINE__);
	}
	fixture->tid = 1;
}

/* Threads of the parent poll no more, and what was reported to it is reported again to the child. */
static void polling_of_the_parent(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclrtStream s = handle(1);

	(void)state;
	CALL(fixture, aclrtCreateStreamWithConfig, 0, .stream = &s, .flag = ACL_STREAM_FAST_SYNC);
	poll_in_threads(fixture, 0, 5);
	want(fixture, "stream-fast-sync-many:advice");
	poll_in_threads(fixture, 5, 1);
	silent(fixture);
	checks_forked(fixture->checks);
	poll_in_threads(fixture, 6, 4);
	silent(fixture);
	poll_in_threads(fixture, 10, 1);
	want(fixture, "stream-fast-sync-many:advice");
}

/* The child is not locked by its parent's snapshot, and what it locks itself is its own to unlock. */
static void snapshot_of_the_parent(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	CALL(fixture, aclrtSnapShotProcessLock, 0, 0);
	CALL(fixture, aclrtResetDeviceForce, 0, .deviceId = 0);
	want(fixture, "snapshot-not-unlocked:error");
	checks_forked(fixture->checks);
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	CALL(fixture, aclrtFree, 0, .devPtr = fixture_malloc(fixture, DEVICE_MEMORY, 4096));
	CALL(fixture, aclrtSnapShotProcessLock, 0, 0);
	silent(fixture);
	checks_finish(fixture->checks, CHECKS_END_EXIT);
	want(fixture, "snapshot-not-unlocked:error");
}

static void init(struct fixture *fixture, aclError answer)
{
	CALL(fixture, aclInit, answer, .configPath = NULL);
}

/* A child begins anew, unless the runtime says that it does not; what it does twice itself is its own. */
static void init_of_the_parent(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	checks_forked(fixture->checks);
	init(fixture, 0);
	silent(fixture);
	init(fixture, ACL_ERROR_REPEAT_INITIALIZE);
	want(fixture, "init-repeat:error");
	fixture_free(fixture);

	fixture = fixture_ready(DOCUMENTS);
	checks_forked(fixture->checks);
	init(fixture, ACL_ERROR_REPEAT_INITIALIZE);
	want(fixture, "init-repeat:error");
	fixture_free(fixture);
}

/* What the parent has set it resets, and what the child sets the child. */
static void devices_of_the_parent(void **state)
{
	for (unsigned sets = 0; sets < 3; sets++) {
		struct fixture *fixture = fixture_ready(DOCUMENTS);

		(void)state;
		checks_forked(fixture->checks);
		init(fixture, 0);
		for (unsigned i = 0; i < sets; i++)
			CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
		if (sets)
			CALL(fixture, aclrtResetDevice, 0, .deviceId = 0);
		CALL(fixture, aclFinalize, 0, 0);
		silent(fixture);
		checks_finish(fixture->checks, CHECKS_END_EXIT);
		want(fixture, sets == 2 ? "device-unbalanced-set-reset:advice" : "");
		fixture_free(fixture);
	}
}

/* A capture that its parent has open forbids a child that begins anew nothing. */
static void capture_of_the_parent(void **state)
{
	for (unsigned forks = 0; forks < 2; forks++) {
		struct fixture *fixture = fixture_ready(DOCUMENTS);
		void *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096), *s = fixture_stream(fixture, 1);

		(void)state;
		CALL(fixture, aclmdlRICaptureBegin, 0, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
		if (forks) {
			checks_forked(fixture->checks);
			init(fixture, 0);
		}
		CALL(fixture, aclrtMemset, 0, .devPtr = d, .maxCount = 4096, .count = 4096);
		want(fixture, forks ? "" : "capture-unsafe-sync-memop:error");
		CALL(fixture, aclrtSynchronizeDevice, 0);
		want(fixture, forks ? "" : "capture-sync-device:error");
		CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
		want(fixture, forks ? "" : "capture-sync-stream:error");
		CALL(fixture, aclrtResetDevice, 0, .deviceId = 0);
		never(fixture, forks ? "capture-context-torn-down" : "none");
		fixture_free(fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locks_of_the_parent),
		cmocka_unit_test(mistake_of_the_parent),
		cmocka_unit_test(threads_of_the_parent),
		cmocka_unit_test(threads_of_the_process),
		cmocka_unit_test(polling_of_the_parent),
		cmocka_unit_test(snapshot_of_the_parent),
		cmocka_unit_test(init_of_the_parent),
		cmocka_unit_test(devices_of_the_parent),
		cmocka_unit_test(capture_of_the_parent),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
