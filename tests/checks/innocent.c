/* SPDX-License-Identifier: Apache-2.0 */
/* What looks like a mistake and is none: documented ways that must stay silent, each beside its bug. */
#include "fixture.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS
#define SIZE 4096ul

/* --- results that are no failures of their call ----------------------------------------- */

static void last_error_is_an_answer(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	CALL(fixture, aclrtPeekAtLastError, 107002, .level = ACL_RT_THREAD_LEVEL);
	CALL(fixture, aclrtGetLastError, 507015, .level = ACL_RT_THREAD_LEVEL);
	silent(fixture);
	never(fixture, "api-error");
	CALL(fixture, aclrtSynchronizeDevice, 507015);
	want(fixture, "api-error:warning");
}

/* Whoever asks for memory may be refused, and gives back what it does not need. */
static void memory_is_refused(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE, .location.type = ACL_MEM_LOCATION_TYPE_DEVICE};
	aclrtDrvMemHandle physical = NULL;
	void *p = NULL;

	(void)state;
	CALL(fixture, aclrtMalloc, 207001, .devPtr = &p, .size = SIZE);
	want(fixture, "api-error:advice");
	CALL(fixture, aclrtMallocHost, 207001, .hostPtr = &p, .size = SIZE);
	want(fixture, "api-error:advice");
	CALL(fixture, aclrtMallocPhysical, 207001, .handle = &physical, .size = 2ul << 20, .prop = &prop);
	want(fixture, "api-error:advice");
	/* Another reason, or another call that lacks memory. */
	CALL(fixture, aclrtMalloc, 507899, .devPtr = &p, .size = SIZE);
	want(fixture, "api-error:warning");
	CALL(fixture, aclrtSynchronizeDevice, 207001);
	want(fixture, "api-error:warning");
}

/* The runtime gives the handle of a destroyed stream to one of its own, which a model has. */
static void handle_of_a_model_stream(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *gone = fixture_stream(fixture, 2), *inner = gone;
	uint32_t n = 1, tasks = 0;
	aclmdlRI model = handle(7);

	(void)state;
	CALL(fixture, aclmdlRICaptureBegin, 0, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(fixture, aclmdlRICaptureEnd, 0, .stream = s, .modelRI = &model);
	CALL(fixture, aclrtDestroyStream, 0, .stream = gone);
	CALL(fixture, aclmdlRIGetStreams, 0, .modelRI = model, .streams = &inner, .numStreams = &n);
	CALL(fixture, aclmdlRIGetTasksByStream, 0, .stream = inner, .numTasks = &tasks);
	silent(fixture);
	CALL(fixture, aclrtDestroyStream, 0, .stream = s);
	CALL(fixture, aclmdlRIGetTasksByStream, 0, .stream = s, .numTasks = &tasks);
	want(fixture, "stream-destroyed-handle:error");
}

static void loop_before_subscription(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1);
	uint32_t first = fixture->tid;

	(void)state;
	fixture->tid = first + 1;
	CALL(fixture, aclrtProcessReport, 107012, .timeout = 10);
	fixture->tid = first;
	CALL(fixture, aclrtSubscribeReport, 0, .threadId = fixture_pthread(first + 1), .stream = s);
	fixture->tid = first + 1;
	CALL(fixture, aclrtProcessReport, 507012, .timeout = 10);
	silent(fixture);
	never(fixture, "api-error");
	CALL(fixture, aclrtProcessReport, 100000, .timeout = 10);
	want(fixture, "api-error:warning");
}

/* What calls back has run, wherever its loop is. */
static void loop_that_is_not_seen(void **state)
{
	(void)state;
	for (unsigned runs = 0; runs < 2; runs++) {
		struct fixture *fixture = fixture_ready(DOCUMENTS);
		void *s = fixture_stream(fixture, 1);

		CALL(fixture, aclrtSubscribeReport, 0, .threadId = fixture_pthread(2), .stream = s);
		CALL(fixture, aclrtLaunchCallback, 0, .fn = handle(9), .blockType = ACL_CALLBACK_NO_BLOCK,
			.stream = s);
		fixture->tid = 2;
		fixture_callback(fixture, ACL_API_aclrtLaunchCallback, handle(9), runs);
		fixture->tid = 1;
		CALL(fixture, aclrtUnSubscribeReport, 0, .threadId = fixture_pthread(2), .stream = s);
		CALL(fixture, aclrtDestroyStream, 0, .stream = s);
		CALL(fixture, aclrtResetDevice, 0, .deviceId = 0);
		CALL(fixture, aclFinalize, 0);
		fixture->n_found = fixture->n_seen = 0;
		checks_finish(fixture->checks, CHECKS_END_EXIT);
		want(fixture, runs ? "" : "subscribe-thread-not-processing:warning");
		fixture_free(fixture);
	}
}

/* It may end when all it was to run has run; otherwise the host waits for ever. */
static void loop_that_has_ended(void **state)
{
	(void)state;
	for (unsigned runs = 0; runs < 2; runs++) {
		struct fixture *fixture = fixture_ready(DOCUMENTS);
		void *s = fixture_stream(fixture, 1);

		fixture->other_ways &= ~(1u << CHECKS_OTHER_THREADS);
		CALL(fixture, aclrtSubscribeReport, 0, .threadId = fixture_pthread(2), .stream = s);
		for (unsigned n = 0; n < 2; n++) {
			CALL(fixture, aclrtLaunchCallback, 0, .fn = handle(9),
				.blockType = ACL_CALLBACK_BLOCK, .stream = s);
			fixture->tid = 2;
			CALL(fixture, aclrtProcessReport, 507012, .timeout = 10);
			for (unsigned begins = 2; begins-- && (runs || !n);)
				fixture_callback(fixture, ACL_API_aclrtLaunchCallback, handle(9), begins);
			fixture->tid = 1;
		}
		/* As long as it lives it may go on. */
		CALL(fixture, aclrtSynchronizeStreamWithTimeout, 507046, .stream = s, .timeout = 10);
		silent(fixture);
		fixture->dead_thread = 2;
		CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
		want(fixture, runs ? "" : "subscribe-thread-not-processing:warning");
		fixture_free(fixture);
	}
}

/* A thread that serves no stream any more is a new one, and its id may belong to another thread by then. */
static void thread_of_reports_moves(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	uint64_t thread = fixture_pthread(fixture->tid + 1);
	void *s = fixture_stream(fixture, 1), *kept = fixture_stream(fixture, 2);

	(void)state;
	CALL(fixture, aclrtSubscribeReport, 0, .threadId = thread, .stream = s);
	CALL(fixture, aclrtSubscribeReport, 0, .threadId = thread, .stream = kept);
	CALL(fixture, aclrtUnSubscribeReport, 0, .threadId = thread, .stream = s);
	CALL(fixture, aclrtDestroyStream, 0, .stream = s);
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 1);
	s = fixture_stream(fixture, 3);
	CALL(fixture, aclrtSubscribeReport, 107012, .threadId = thread, .stream = s);
	want(fixture, "subscribe-thread-two-devices:error");
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	CALL(fixture, aclrtUnSubscribeReport, 0, .threadId = thread, .stream = kept);
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 1);
	CALL(fixture, aclrtSubscribeReport, 0, .threadId = thread, .stream = s);
	silent(fixture);
	/* The runtime ends the subscription of a destroyed stream itself. */
	CALL(fixture, aclrtDestroyStream, 0, .stream = s);
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	CALL(fixture, aclrtSubscribeReport, 0, .threadId = thread, .stream = kept);
	never(fixture, "subscribe-duplicate");
	want(fixture, "");
}

/* The limit is on threads at once. */
static void threads_of_reports_come_and_go(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1);

	(void)state;
	for (uint64_t i = 1; i <= 1500; i++) {
		CALL(fixture, aclrtSubscribeReport, 0, .threadId = i * 4096, .stream = s);
		CALL(fixture, aclrtUnSubscribeReport, 0, .threadId = i * 4096, .stream = s);
	}
	silent(fixture);
	for (uint64_t i = 1; i <= 1024; i++)
		CALL(fixture, aclrtSubscribeReport, 0, .threadId = i * 4096,
			.stream = fixture_stream(fixture, (unsigned)i + 1));
	silent(fixture);
	CALL(fixture, aclrtSubscribeReport, 0, .threadId = 4096, .stream = s);
	silent(fixture);
	CALL(fixture, aclrtSubscribeReport, 507000, .threadId = 4096 * 2000,
		.stream = fixture_stream(fixture, 1100));
	want(fixture, "subscribe-thread-limit:error");
}

/* --- streams that stop on failure -------------------------------------------------------- */

static void submit_beside(struct fixture *fixture, void *stops, void *other)
{
	void *d = fixture_malloc(fixture, DEVICE_MEMORY, SIZE);

	CALL(fixture, aclrtSetStreamFailureMode, 0, .stream = stops, .mode = ACL_STOP_ON_FAILURE);
	CALL(fixture, aclrtSynchronizeStream, 507015, .stream = other);
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = d, .maxCount = SIZE, .count = SIZE, .stream = other);
}

/* A failure stops the streams of its own context only, and on Ascend 950 its own stream only. */
static void failure_stays_where_it_is(void **state)
{
	const struct checks_config config = {.target = DOCUMENTS, .soc = "Ascend950"};
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *context = handle(100);

	(void)state;
	CALL(fixture, aclrtCreateContext, 0, .context = &context, .deviceId = 0);
	submit_beside(fixture, s, fixture_stream(fixture, 2));
	never(fixture, "stop-on-failure-then-submit");
	fixture_free(fixture);
	fixture = fixture_with(&config);
	CALL(fixture, aclInit, 0, .configPath = NULL);
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
	submit_beside(fixture, fixture_stream(fixture, 1), fixture_stream(fixture, 2));
	never(fixture, "stop-on-failure-then-submit");
}

/* Every error of the device stops the stream but for those that say no more than an end. */
static void failures_that_stop(void **state)
{
	static const struct {
		int32_t error;
		bool stops;
	} all[] = {{507000, true}, {507015, true}, {507999, true}, {506999, false}, {508000, false},
		{507005, false}, {507023, false}, {507901, false}, {507046, false}};

	(void)state;
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct fixture *fixture = fixture_ready(DOCUMENTS);
		void *s = fixture_stream(fixture, 1), *d = fixture_malloc(fixture, DEVICE_MEMORY, SIZE);

		CALL(fixture, aclrtSetStreamFailureMode, 0, .stream = s, .mode = ACL_STOP_ON_FAILURE);
		CALL(fixture, aclrtSynchronizeStream, all[i].error, .stream = s);
		fixture->n_seen = fixture->n_found; /* that it failed */
		CALL(fixture, aclrtMemsetAsync, 0, .devPtr = d, .maxCount = SIZE, .count = SIZE, .stream = s);
		want(fixture, all[i].stops ? "stop-on-failure-then-submit:error" : "");
		fixture_free(fixture);
	}
}

/* --- addresses of which nothing is known ------------------------------------------------- */

/* Whatever was looked up just before, what is unknown is no memory of a device. */
static void unknown_after_known(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	char *h = fixture_malloc_host(fixture, HOST_MEMORY, SIZE);

	(void)state;
	for (uint64_t i = 0; i < 256; i++) {
		void *d = fixture_malloc(fixture, DEVICE_MEMORY + (i << 21), SIZE);

		CALL(fixture, aclrtMemcpy, 0, .dst = d, .destMax = SIZE, .src = h, .count = SIZE,
			.kind = ACL_MEMCPY_HOST_TO_DEVICE);
	}
	fixture->class = ACL_HOST_UNKNOWN;
	for (uint64_t i = 0; i < 256; i++)
		CALL(fixture, aclrtMemcpy, 0, .dst = (void *)(0x40000000 + i * 512), .destMax = 64,
			.src = (void *)(0x50000000 + i * 512), .count = 64, .kind = ACL_MEMCPY_HOST_TO_HOST);
	silent(fixture);
}

/* Devices of such numbers are not followed. */
static void variable_of_a_high_device(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *where = (void *)DEVICE_MEMORY, *h = fixture_malloc_host(fixture, HOST_MEMORY, SIZE);

	(void)state;
	for (int32_t device = 64; device < 66; device++) {
		aclrtContext context = handle((unsigned)device);

		CALL(fixture, aclrtCreateContext, 0, .context = &context, .deviceId = device);
		CALL(fixture, aclrtGetSymbolAddress, 0, .symbol = handle(5), .devPtr = &where);
	}
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 3);
	CALL(fixture, aclrtMemcpy, 0, .dst = where, .destMax = 1, .src = h, .count = 1,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE);
	never(fixture, "symbol-address-other-device");
}

/* --- memory that nothing wrote ------------------------------------------------------------ */

static void read_back(struct fixture *fixture, void *from)
{
	CALL(fixture, aclrtMemcpy, 0, .dst = (void *)HOST_MEMORY, .destMax = 64, .src = from, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
}

static unsigned uninit(const struct fixture *fixture)
{
	unsigned n = 0;

	for (unsigned i = 0; i < fixture->n_found; i++)
		n += !strcmp(fixture->found[i].rule->id, "uninit-device-read");
	return n;
}

static struct fixture *with_host_memory(void)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	fixture->other_ways = 0;
	fixture_malloc_host(fixture, HOST_MEMORY, SIZE);
	return fixture;
}

static void status_is_written(void **state)
{
	struct fixture *fixture = with_host_memory();
	void *d = fixture_malloc(fixture, DEVICE_MEMORY, SIZE), *s = fixture_stream(fixture, 1);

	(void)state;
	CALL(fixture, aclrtGetOverflowStatus, 0, .outputAddr = d, .outputSize = 64, .stream = s);
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
	read_back(fixture, d);
	assert_int_equal(uninit(fixture), 0);
	d = fixture_malloc(fixture, DEVICE_MEMORY + (1ul << 20), SIZE);
	CALL(fixture, aclrtGetFloatOverflowStatus, 0, .outputAddr = d, .outputSize = 64, .stream = s);
	read_back(fixture, d);
	assert_int_equal(uninit(fixture), 0);
	/* Clearing the status writes no memory of the program. */
	d = fixture_malloc(fixture, DEVICE_MEMORY + (2ul << 20), SIZE);
	CALL(fixture, aclrtResetOverflowStatus, 0, .stream = s);
	read_back(fixture, d);
	assert_int_equal(uninit(fixture), 1);
}

static void running_kernel_may_write(void **state)
{
	struct fixture *fixture = with_host_memory();
	void *s = fixture_stream(fixture, 1), *d;

	(void)state;
	CALL(fixture, aclrtLaunchKernelV2, 0, .funcHandle = handle(9), .numBlocks = 1,
		.argsData = (void *)DEVICE_MEMORY, .argsSize = 16, .stream = s);
	/* It reads the address of the block from memory. */
	d = fixture_malloc(fixture, DEVICE_MEMORY, SIZE);
	read_back(fixture, d);
	assert_int_equal(uninit(fixture), 0);
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
	d = fixture_malloc(fixture, DEVICE_MEMORY + (1ul << 20), SIZE);
	read_back(fixture, d);
	assert_int_equal(uninit(fixture), 1);
}

/* --- descriptors that may hold something else by now ------------------------------------------ */

struct described {
	void *desc, *from, *to, *s;
};

static struct described filled(struct fixture *fixture, bool exported)
{
	char key[65] = "key";
	struct described d = {fixture_malloc(fixture, DEVICE_MEMORY, SIZE),
		fixture_malloc(fixture, DEVICE_MEMORY + (1ul << 20), SIZE),
		fixture_malloc(fixture, DEVICE_MEMORY + (2ul << 20), SIZE), fixture_stream(fixture, 1)};

	if (exported)
		CALL(fixture, aclrtIpcMemGetExportKey, 0, .devPtr = d.desc, .size = SIZE, .key = key,
			.len = sizeof(key));
	CALL(fixture, aclrtMemset, 0, .devPtr = d.from, .maxCount = SIZE, .count = SIZE);
	CALL(fixture, aclrtSetMemcpyDesc, 0, .desc = d.desc, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
		.srcAddr = d.from, .dstAddr = d.to, .count = SIZE);
	return d;
}

/* Submits the copy, and frees its source before it is done. */
static void source_freed(struct fixture *fixture, const struct described *d)
{
	CALL(fixture, aclrtMemcpyAsyncWithDesc, 0, .desc = d->desc, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
		.stream = d->s);
	CALL(fixture, aclrtFree, 0, .devPtr = d->from);
}

static void launched(struct fixture *fixture, void *s)
{
	CALL(fixture, aclrtLaunchKernelV2, 0, .funcHandle = handle(9), .numBlocks = 1,
		.argsData = (void *)DEVICE_MEMORY, .argsSize = 16, .stream = s);
}

static void descriptor_that_holds_something_else(void **state)
{
	enum {
		AS_FILLED,
		OTHER_BYTES,
		OVERWRITTEN,
		BY_KERNEL,
		KERNEL_RUNS,
		OTHER_WAYS,
		EXPORTED,
		NOT_FILLED,
		WAYS
	};

	(void)state;
	for (unsigned way = 0; way < WAYS; way++) {
		struct fixture *fixture = with_host_memory();
		struct described d;

		if (way == KERNEL_RUNS)
			launched(fixture, fixture_stream(fixture, 2));
		d = filled(fixture, way == EXPORTED);
		if (way == OTHER_BYTES)
			CALL(fixture, aclrtMemset, 0, .devPtr = (char *)d.desc + 1024, .maxCount = 64,
				.count = 64);
		if (way == OVERWRITTEN)
			CALL(fixture, aclrtMemcpy, 0, .dst = d.desc, .destMax = 128,
				.src = (void *)HOST_MEMORY, .count = 128, .kind = ACL_MEMCPY_HOST_TO_DEVICE);
		if (way == BY_KERNEL)
			launched(fixture, d.s);
		if (way == OTHER_WAYS)
			fixture->other_ways = ~0u;
		if (way == NOT_FILLED)
			CALL(fixture, aclrtSetMemcpyDesc, 507899, .desc = d.desc,
				.kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, .srcAddr = d.from, .dstAddr = d.to,
				.count = SIZE);
		fixture->n_found = fixture->n_seen = 0;
		source_freed(fixture, &d);
		if (way == AS_FILLED || way == OTHER_BYTES)
			want(fixture, "free-in-flight:error");
		else
			silent(fixture);
	}
}

/* --- memory that comes and goes ------------------------------------------------------------- */

/* Of about one size each time it could be kept. */
static void sizes_that_change(void **state)
{
	static const struct {
		size_t one, other;
		bool churns;
	} sizes[] = {{4096, 4096, true}, {4096, 8192, true}, {4096, 8193, false}, {1 << 20, 4096, false}};

	(void)state;
	for (unsigned n = 0; n < sizeof(sizes) / sizeof(sizes[0]); n++) {
		struct fixture *fixture = with_host_memory();
		unsigned said = 0;

		for (unsigned i = 0; i < 200; i++) {
			void *d = (void *)DEVICE_MEMORY;

			CALL(fixture, aclrtMalloc, 0, .devPtr = &d,
				.size = i & 1 ? sizes[n].one : sizes[n].other);
			CALL(fixture, aclrtFree, 0, .devPtr = d);
		}
		for (unsigned i = 0; i < fixture->n_found; i++)
			said += !strcmp(fixture->found[i].rule->id, "alloc-churn");
		assert_int_equal(said != 0, sizes[n].churns);
		fixture_free(fixture);
	}
}

/* --- results of copies ---------------------------------------------------------------------- */

static void batch(struct fixture *fixture, void **dsts, void **srcs, size_t n, void *s)
{
	size_t sizes[] = {64, 64}, failed, first = 0;
	aclrtMemcpyBatchAttr attr = {
		.dstLoc.type = n == 1 ? ACL_MEM_LOCATION_TYPE_DEVICE : ACL_MEM_LOCATION_TYPE_HOST,
		.srcLoc.type = n == 1 ? ACL_MEM_LOCATION_TYPE_HOST : ACL_MEM_LOCATION_TYPE_DEVICE};

	CALL(fixture, aclrtMemcpyBatchAsync, 0, .dsts = dsts, .destMaxs = sizes, .srcs = srcs, .sizes = sizes,
		.numBatches = n, .attrs = &attr, .attrsIndexes = &first, .numAttrs = 1, .failIndex = &failed,
		.stream = s);
}

/* The second batch is shorter than the one before it, and brings no result that had to be waited for. */
static void batch_without_results(void **state)
{
	for (unsigned waits = 0; waits < 2; waits++) {
		struct fixture *fixture = fixture_ready(DOCUMENTS);
		void *s = fixture_stream(fixture, 1), *d = fixture_malloc(fixture, DEVICE_MEMORY, SIZE),
		     *h = fixture_malloc_host(fixture, HOST_MEMORY, SIZE), *heap = (void *)0x600000000000;

		(void)state;
		fixture->other_ways = 0;
		batch(fixture, (void *[]){heap, h}, (void *[]){d, d}, 2, s);
		if (waits)
			CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
		batch(fixture, (void *[]){d}, (void *[]){heap}, 1, s);
		checks_finish(fixture->checks, CHECKS_END_EXIT);
		if (waits)
			never(fixture, "async-copy-never-synchronized");
		else
			want(fixture,
				"async-copy-never-synchronized:warning finalize-missing-at-exit:warning "
				"leak-device-memory:warning leak-host-memory:warning "
				"leak-objects:warning");
	}
}

/* --- memory of other processes ------------------------------------------------------------- */

static void *import(struct fixture *fixture, const char *key, uint64_t at)
{
	void *p = (void *)at;

	CALL(fixture, aclrtIpcMemImportByKey, 0, .devPtr = &p, .key = key,
		.flags = ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS);
	return p;
}

/* The addresses of a closed import are given to the next one, which may begin before it. */
static void import_over_a_closed_one(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	char *p = import(fixture, "one", DEVICE_MEMORY + SIZE);

	(void)state;
	CALL(fixture, aclrtIpcMemClose, 0, .key = "one");
	CALL(fixture, aclrtMemset, 0, .devPtr = p, .maxCount = 64, .count = 64);
	want(fixture, "ipc-use-after-close:error");
	import(fixture, "two", DEVICE_MEMORY);
	CALL(fixture, aclrtMemset, 0, .devPtr = p, .maxCount = 64, .count = 64);
	silent(fixture);
	/* One that was there before the close is not where the closed one was. */
	p = import(fixture, "three", DEVICE_MEMORY + 2 * SIZE);
	CALL(fixture, aclrtIpcMemClose, 0, .key = "three");
	CALL(fixture, aclrtMemset, 0, .devPtr = p, .maxCount = 64, .count = 64);
	want(fixture, "ipc-use-after-close:error");
	CALL(fixture, aclrtIpcMemClose, 0, .key = "two");
}

/* --- models that are built below the interface ---------------------------------------------- */

static void steps_of_other_libraries(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *m = handle(9);

	(void)state;
	CALL(fixture, aclmdlRIBuildBegin, 0, .modelRI = &m);
	fixture->other_ways = 1u << CHECKS_OTHER_WORK;
	CALL(fixture, aclmdlRIExecute, 0, .modelRI = m, .timeout = -1);
	CALL(fixture, aclmdlRIBuildEnd, 0, .modelRI = m);
	silent(fixture);
	m = handle(10);
	CALL(fixture, aclmdlRIBuildBegin, 0, .modelRI = &m);
	fixture->other_ways = 0;
	CALL(fixture, aclmdlRIBuildEnd, 0, .modelRI = m);
	want(fixture, "mdlri-build-order:error");
}

/* What a built model waits for and writes it does when it runs, if ever. */
static void tasks_of_a_built_model(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	char *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096),
	     *h = fixture_malloc_host(fixture, HOST_MEMORY, 4096);
	void *s = fixture_stream(fixture, 1), *bound = handle(2), *m = handle(9);
	aclrtNotify n = handle(3);
	aclrtEvent e = handle(4);

	(void)state;
	fixture->other_ways = 0;
	CALL(fixture, aclrtCreateStreamWithConfig, 0, .stream = &bound, .flag = ACL_STREAM_PERSISTENT);
	CALL(fixture, aclrtCreateNotify, 0, .notify = &n);
	CALL(fixture, aclrtCreateEventWithFlag, 0, .event = &e, .flag = ACL_EVENT_SYNC);
	CALL(fixture, aclmdlRIBuildBegin, 0, .modelRI = &m);
	CALL(fixture, aclmdlRIBindStream, 0, .modelRI = m, .stream = bound);
	CALL(fixture, aclrtWaitAndResetNotify, 0, .notify = n, .stream = bound);
	CALL(fixture, aclrtStreamWaitEvent, 0, .event = e, .stream = bound);
	CALL(fixture, aclrtGetOverflowStatus, 0, .outputAddr = d, .outputSize = 64, .stream = bound);
	CALL(fixture, aclrtMemcpyAsync, 0, .dst = h, .destMax = 64, .src = d, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST, .stream = bound);
	CALL(fixture, aclmdlRIEndTask, 0, .modelRI = m, .stream = bound);
	CALL(fixture, aclmdlRIBuildEnd, 0, .modelRI = m);
	CALL(fixture, aclrtSynchronizeDevice, 0);
	silent(fixture);
	CALL(fixture, aclmdlRIExecuteAsync, 0, .modelRI = m, .stream = s);
	CALL(fixture, aclrtRecordNotify, 0, .notify = n, .stream = s);
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
	CALL(fixture, aclrtMemcpy, 0, .dst = h, .destMax = 64, .src = d, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
	silent(fixture);
	checks_finish(fixture->checks, CHECKS_END_EXIT);
	never(fixture, "event-wait-before-record");
	never(fixture, "notify-wait-never-recorded");
	never(fixture, "async-copy-never-synchronized");
}

/* --- a process locked for a snapshot ------------------------------------------------------ */

static void descriptions_wait_for_nothing(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	(void)state;
	CALL(fixture, aclrtSnapShotProcessLock, 0, .pid = (int)fixture->pid);
	CALL(fixture, aclrtAllocatorCreateDesc, (intptr_t)handle(1));
	CALL(fixture, aclrtAllocatorDestroyDesc, 0, .allocatorDesc = handle(1));
	silent(fixture);
	CALL(fixture, aclrtSynchronizeDevice, 0);
	silent(fixture);
	/* An unlock that was refused leaves it locked; one whose callback failed has unlocked. */
	CALL(fixture, aclrtSnapShotProcessUnlock, 507907, .pid = (int)fixture->pid);
	want(fixture, "api-error:warning");
	CALL(fixture, aclrtDestroyEvent, 0, .event = fixture_event(fixture, 1, ACL_EVENT_SYNC));
	want(fixture, "snapshot-self-deadlock:error snapshot-self-deadlock:error");
	CALL(fixture, aclrtSnapShotProcessUnlock, 507912, .pid = (int)fixture->pid);
	want(fixture, "api-error:warning");
	fixture_malloc(fixture, DEVICE_MEMORY, SIZE);
	silent(fixture);
}

/* --- more than is looked at -------------------------------------------------------------------- */

#define GRANULE (2ul << 20)

/* A segment that grows: memory of so many pieces, mapped side by side. */
static char *segment_of(struct fixture *fixture, unsigned pieces)
{
	aclrtPhysicalMemProp prop = {.handleType = ACL_MEM_HANDLE_TYPE_NONE,
		.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
		.memAttr = ACL_HBM_MEM_HUGE,
		.location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	void *range = (void *)DEVICE_MEMORY;
	char *segment = range;

	CALL(fixture, aclrtReserveMemAddress, 0, .virPtr = &range, .size = 1024 * GRANULE);
	for (unsigned i = 0; i < pieces; i++) {
		aclrtDrvMemHandle piece = handle(100 + i);

		CALL(fixture, aclrtMallocPhysical, 0, .handle = &piece, .size = GRANULE, .prop = &prop);
		CALL(fixture, aclrtMapMem, 0, .virPtr = segment + i * GRANULE, .size = GRANULE,
			.handle = piece);
	}
	silent(fixture);
	return segment;
}

/* A set within the segment is right, however many pieces it goes over; behind its end it is not. */
static void sets_over_many_mappings(void **state)
{
	static const unsigned pieces[] = {2, 255, 256, 257, 258, 600};

	(void)state;
	for (unsigned i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct fixture *fixture = fixture_ready(DOCUMENTS);
		char *segment = segment_of(fixture, pieces[i]);
		size_t bytes = pieces[i] * GRANULE;

		CALL(fixture, aclrtMemset, 0, .devPtr = segment, .maxCount = bytes, .count = bytes);
		CALL(fixture, aclrtMemset, 0, .devPtr = segment + 64, .maxCount = bytes - 64,
			.count = bytes - 64);
		silent(fixture);
		/* Over more than 256 of them the end is not looked for. */
		CALL(fixture, aclrtMemset, 0, .devPtr = segment, .maxCount = bytes + 64, .count = bytes + 64);
		want(fixture, pieces[i] <= 256 ? "memcpy-dest-out-of-bounds:error" : "");
		segment += (pieces[i] - 2) * GRANULE;
		CALL(fixture, aclrtMemset, 0, .devPtr = segment, .maxCount = 3 * GRANULE,
			.count = 2 * GRANULE + 64);
		want(fixture, "memcpy-dest-out-of-bounds:error");
		fixture_free(fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(last_error_is_an_answer),
		cmocka_unit_test(memory_is_refused),
		cmocka_unit_test(handle_of_a_model_stream),
		cmocka_unit_test(loop_before_subscription),
		cmocka_unit_test(loop_that_is_not_seen),
		cmocka_unit_test(loop_that_has_ended),
		cmocka_unit_test(thread_of_reports_moves),
		cmocka_unit_test(threads_of_reports_come_and_go),
		cmocka_unit_test(failure_stays_where_it_is),
		cmocka_unit_test(failures_that_stop),
		cmocka_unit_test(unknown_after_known),
		cmocka_unit_test(variable_of_a_high_device),
		cmocka_unit_test(status_is_written),
		cmocka_unit_test(running_kernel_may_write),
		cmocka_unit_test(descriptor_that_holds_something_else),
		cmocka_unit_test(sizes_that_change),
		cmocka_unit_test(batch_without_results),
		cmocka_unit_test(import_over_a_closed_one),
		cmocka_unit_test(steps_of_other_libraries),
		cmocka_unit_test(tasks_of_a_built_model),
		cmocka_unit_test(descriptions_wait_for_nothing),
		cmocka_unit_test(sets_over_many_mappings),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
