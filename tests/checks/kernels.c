/* SPDX-License-Identifier: Apache-2.0 */
/* Where the rules about kernels and their argument lists must not speak. */
#include "fixture.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS

static void *load(struct fixture *fixture, unsigned n, aclrtBinaryLoadOptions *options)
{
	aclrtBinHandle b = handle(n);

	CALL(fixture, aclrtBinaryLoadFromData, 0, .data = fixture, .length = 64, .options = options,
		.binHandle = &b);
	return b;
}

static void *fetch(struct fixture *fixture, void *binary, unsigned n, const char *name)
{
	aclrtFuncHandle f = handle(n);

	CALL(fixture, aclrtBinaryGetFunction, 0, .binHandle = binary, .kernelName = name, .funcHandle = &f);
	return f;
}

#define LAUNCH(fixture, f, s)                                                                                \
	CALL(fixture, aclrtLaunchKernelV2, 0, .funcHandle = (f), .numBlocks = 1,                             \
		.argsData = (void *)DEVICE_MEMORY, .argsSize = 64, .stream = (s))

/* --- binaries ------------------------------------------------------------------------------------ */

static void unknown_everything(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *args[1] = {NULL};

	(void)state;
	LAUNCH(fixture, handle(1), handle(2));
	CALL(fixture, aclrtLaunchKernelWithArgsArray, 0, .func = handle(1), .numBlocks = 1, .args = args);
	CALL(fixture, aclrtBinaryUnLoad, 0, .binHandle = handle(3));
	CALL(fixture, aclrtBinaryLoad, 0, .binary = handle(4), .binHandle = &(aclrtBinHandle){handle(5)});
	CALL(fixture, aclrtDestroyBinary, 0, .binary = handle(4));
	CALL(fixture, aclrtKernelArgsFinalize, 0, .argsHandle = handle(6));
	CALL(fixture, aclrtLaunchKernelWithConfig, 0, .funcHandle = handle(1), .numBlocks = 1,
		.argsHandle = handle(6));
	CALL(fixture, aclrtUnuseStreamResInCurrentThread, 0, .stream = handle(2));
	CALL(fixture, aclrtUseStreamResInCurrentThread, 0, .stream = handle(2));
	silent(fixture);
	assert_int_equal(fixture->n_found, 0);
}

static struct fixture *launched(void **stream, void **binary)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	*stream = fixture_stream(fixture, 1);
	*binary = load(fixture, 2, NULL);
	LAUNCH(fixture, fetch(fixture, *binary, 3, "add"), *stream);
	return fixture;
}

static void unload_after_other_stream(void **state)
{
	void *s, *b, *t, *e;
	struct fixture *fixture = launched(&s, &b);

	(void)state;
	t = fixture_stream(fixture, 4);
	e = fixture_event(fixture, 5, ACL_EVENT_SYNC);
	CALL(fixture, aclrtRecordEvent, 0, .event = e, .stream = s);
	CALL(fixture, aclrtStreamWaitEvent, 0, .stream = t, .event = e);
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = t);
	CALL(fixture, aclrtBinaryUnLoad, 0, .binHandle = b);
	silent(fixture);
}

static void unload_after_destroy(void **state)
{
	void *s, *b;
	struct fixture *fixture = launched(&s, &b);

	(void)state;
	CALL(fixture, aclrtSynchronizeDevice, 0);
	CALL(fixture, aclrtDestroyStream, 0, .stream = s);
	CALL(fixture, aclrtBinaryUnLoad, 0, .binHandle = b);
	silent(fixture);
}

/* Something behind the launch may have informed the program that it is done. */
static void unload_after_signal(void **state)
{
	void *s, *b;
	struct fixture *fixture = launched(&s, &b);

	(void)state;
	CALL(fixture, aclrtValueWrite, 0, .devAddr = (void *)DEVICE_MEMORY, .value = 1, .stream = s);
	CALL(fixture, aclrtBinaryUnLoad, 0, .binHandle = b);
	silent(fixture);
	fixture = launched(&s, &b);
	CALL(fixture, aclrtLaunchHostFunc, 0, .stream = s, .fn = handle(9));
	CALL(fixture, aclrtBinaryUnLoad, 0, .binHandle = b);
	silent(fixture);
	fixture = launched(&s, &b);
	CALL(fixture, aclrtRecordEvent, 0, .event = fixture_event(fixture, 6, ACL_EVENT_IPC), .stream = s);
	CALL(fixture, aclrtBinaryUnLoad, 0, .binHandle = b);
	silent(fixture);
	/* A shared event that is not behind the launch. */
	fixture = launched(&s, &b);
	CALL(fixture, aclrtRecordEvent, 0, .event = fixture_event(fixture, 6, ACL_EVENT_IPC),
		.stream = fixture_stream(fixture, 7));
	CALL(fixture, aclrtBinaryUnLoad, 0, .binHandle = b);
	want(fixture, "kernel-binary-unload-pending:error");
}

/* Signals before the launch tell nothing of it. */
static void unload_after_early_signal(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *b = load(fixture, 2, NULL);

	(void)state;
	CALL(fixture, aclrtValueWrite, 0, .devAddr = (void *)DEVICE_MEMORY, .value = 1, .stream = s);
	LAUNCH(fixture, fetch(fixture, b, 3, "add"), s);
	CALL(fixture, aclrtBinaryUnLoad, 0, .binHandle = b);
	want(fixture, "kernel-binary-unload-pending:error");
}

/* A signal behind a wait for what is not seen: it may be of all there was on any stream. */
static void unload_after_signal_of_all(void **state)
{
	void *s, *b, *t, *word = (void *)DEVICE_MEMORY;
	struct fixture *fixture = launched(&s, &b);

	(void)state;
	t = fixture_stream(fixture, 4);
	CALL(fixture, aclrtValueWait, 0, .devAddr = word, .value = 1, .stream = t);
	CALL(fixture, aclrtValueWrite, 0, .devAddr = word, .value = 2, .stream = t);
	CALL(fixture, aclrtBinaryUnLoad, 0, .binHandle = b);
	silent(fixture);
	/* What comes later on the same stream is not among it, until the next signal. */
	fixture = launched(&s, &b);
	t = fixture_stream(fixture, 4);
	CALL(fixture, aclrtValueWait, 0, .devAddr = word, .value = 1, .stream = t);
	CALL(fixture, aclrtValueWrite, 0, .devAddr = word, .value = 2, .stream = t);
	LAUNCH(fixture, fetch(fixture, b, 5, "sub"), s);
	CALL(fixture, aclrtValueWrite, 0, .devAddr = word, .value = 3, .stream = t);
	CALL(fixture, aclrtBinaryUnLoad, 0, .binHandle = b);
	silent(fixture);
	fixture = launched(&s, &b);
	t = fixture_stream(fixture, 4);
	CALL(fixture, aclrtValueWait, 0, .devAddr = word, .value = 1, .stream = t);
	CALL(fixture, aclrtValueWrite, 0, .devAddr = word, .value = 2, .stream = t);
	LAUNCH(fixture, fetch(fixture, b, 5, "sub"), s);
	CALL(fixture, aclrtBinaryUnLoad, 0, .binHandle = b);
	want(fixture, "kernel-binary-unload-pending:error");
}

static void word_stays(struct fixture *fixture, void *word)
{
	(void)fixture, (void)word;
}

static void word_is_copied(struct fixture *fixture, void *word)
{
	void *h = fixture_malloc_host(fixture, HOST_MEMORY, 64);

	CALL(fixture, aclrtMemcpy, 0, .dst = h, .destMax = 8, .src = word, .count = 8,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
}

static void other_memory_is_copied(struct fixture *fixture, void *word)
{
	void *d = fixture_malloc(fixture, DEVICE_MEMORY + (1ul << 21), 64);

	CALL(fixture, aclrtMemset, 0, .devPtr = d, .maxCount = 64, .count = 64);
	word_is_copied(fixture, d);
	(void)word;
}

/* Whenever the stream comes to it. */
static void word_is_copied_later(struct fixture *fixture, void *word)
{
	void *h = fixture_malloc_host(fixture, HOST_MEMORY, 64);

	CALL(fixture, aclrtMemcpyAsync, 0, .dst = h, .destMax = 8, .src = word, .count = 8,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST, .stream = fixture_stream(fixture, 7));
}

/* To where the host may read it whenever it likes. */
static void word_is_copied_inside(struct fixture *fixture, void *word)
{
	void *d = fixture_malloc(fixture, DEVICE_MEMORY + (1ul << 21), 64);

	CALL(fixture, aclrtMemcpy, 0, .dst = d, .destMax = 8, .src = word, .count = 8,
		.kind = ACL_MEMCPY_DEVICE_TO_DEVICE);
}

static void word_is_added(struct fixture *fixture, void *word)
{
	CALL(fixture, aclrtReduceAsync, 0, .dst = fixture_malloc(fixture, DEVICE_MEMORY + (1ul << 21), 64),
		.src = word, .count = 8, .kind = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, .type = ACL_FLOAT,
		.stream = fixture_stream(fixture, 7));
}

static void word_is_exported(struct fixture *fixture, void *word)
{
	char key[65] = "key";

	CALL(fixture, aclrtIpcMemGetExportKey, 0, .devPtr = word, .size = 64, .key = key, .len = sizeof(key));
}

static void word_is_mapped(struct fixture *fixture, void *word)
{
	CALL(fixture, aclrtMemP2PMap, 0, .devPtr = word, .size = 64, .dstDevId = 1, .flags = 0);
}

/* The word is written by the stream itself, or by a model that it executes. */
static void word_written(struct fixture *fixture, void *s, void *word, void *model)
{
	if (model)
		CALL(fixture, aclmdlRIExecuteAsync, 0, .modelRI = model, .stream = s);
	else
		CALL(fixture, aclrtValueWrite, 0, .devAddr = word, .value = 1, .stream = s);
}

static void *word_captured(struct fixture *fixture, void *word)
{
	void *s = fixture_stream(fixture, 8);
	aclmdlRI model = handle(9);

	CALL(fixture, aclmdlRICaptureBegin, 0, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(fixture, aclrtValueWrite, 0, .devAddr = word, .value = 1, .stream = s);
	CALL(fixture, aclmdlRICaptureEnd, 0, .stream = s, .modelRI = &model);
	return model;
}

/* All that the kernel is given. */
static void launch_with_number(struct fixture *fixture, void *function, void *s)
{
	static uint64_t number = 1;

	CALL(fixture, aclrtLaunchKernelWithHostArgs, 0, .funcHandle = function, .numBlocks = 1, .stream = s,
		.hostArgs = &number, .argsSize = sizeof(number));
}

/* A word is no notice to the host as long as the host does not read it. */
static void unload_after_hidden_word(void **state)
{
	static const struct {
		void (*way)(struct fixture *, void *word);
		bool noticed, read_once; /* once: what is written later it has not read */
	} ways[] = {{word_stays, false, false}, {word_is_copied, true, true},
		{other_memory_is_copied, false, false}, {word_is_copied_later, true, false},
		{word_is_copied_inside, true, false}, {word_is_added, true, false},
		{word_is_exported, true, false}, {word_is_mapped, true, false}};

	(void)state;
	for (unsigned i = 0; i < 4 * sizeof(ways) / sizeof(ways[0]); i++) {
		bool early = i % 2; /* before it is written again */
		bool noticed = ways[i / 4].noticed && !(early && ways[i / 4].read_once);
		struct fixture *fixture = fixture_ready(DOCUMENTS);
		void *s = fixture_stream(fixture, 1), *b = load(fixture, 2, NULL), *word, *model;

		fixture->other_ways = 0;
		launch_with_number(fixture, fetch(fixture, b, 3, "add"), s);
		word = fixture_malloc(fixture, DEVICE_MEMORY, 64);
		model = i / 2 % 2 ? word_captured(fixture, word) : NULL;
		word_written(fixture, s, word, model);
		if (early)
			ways[i / 4].way(fixture, word);
		launch_with_number(fixture, fetch(fixture, b, 5, "sub"), s);
		word_written(fixture, s, word, model);
		if (!early)
			ways[i / 4].way(fixture, word);
		fixture->n_seen = fixture->n_found; /* what is said of the way itself */
		CALL(fixture, aclrtBinaryUnLoad, 0, .binHandle = b);
		want(fixture, noticed ? "" : "kernel-binary-unload-pending:error");
		fixture_free(fixture);
	}
}

/* A stream with many launches is one of them. */
static void unload_after_many_launches(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *busy = fixture_stream(fixture, 4), *b = load(fixture, 2, NULL),
	     *f = fetch(fixture, b, 3, "add");

	(void)state;
	LAUNCH(fixture, f, busy);
	for (unsigned i = 0; i < 10; i++)
		LAUNCH(fixture, f, s);
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
	CALL(fixture, aclrtBinaryUnLoad, 0, .binHandle = b);
	want(fixture, "kernel-binary-unload-pending:error");
}

/* Only so many streams are remembered; what is forgotten is not checked. */
static void unload_after_many_streams(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *b = load(fixture, 2, NULL), *f = fetch(fixture, b, 3, "add"), *s = fixture_stream(fixture, 10);

	(void)state;
	LAUNCH(fixture, f, s);
	for (unsigned i = 11; i < 20; i++) {
		void *t = fixture_stream(fixture, i);

		LAUNCH(fixture, f, t);
		CALL(fixture, aclrtSynchronizeStream, 0, .stream = t);
	}
	CALL(fixture, aclrtBinaryUnLoad, 0, .binHandle = b);
	silent(fixture);
}

static void unload_failed_launch(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *b = load(fixture, 2, NULL), *f = fetch(fixture, b, 3, "add");

	(void)state;
	CALL(fixture, aclrtLaunchKernelV2, 507000, .funcHandle = f, .numBlocks = 1,
		.argsData = (void *)DEVICE_MEMORY, .argsSize = 64, .stream = s);
	CALL(fixture, aclrtBinaryUnLoad, 0, .binHandle = b);
	never(fixture, "kernel-binary-unload-pending");
}

/* With options the runtime takes a binary from all devices; a context that is gone asks for nothing. */
static void unload_elsewhere(void **state)
{
	aclrtBinaryLoadOption lazy = {.type = ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, .value.isLazyLoad = 1};
	aclrtBinaryLoadOptions options = {&lazy, 1};
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclrtContext first = handle(1), second = handle(2);
	void *with, *without;

	(void)state;
	CALL(fixture, aclrtCreateContext, 0, .context = &first, .deviceId = 0);
	with = load(fixture, 3, &options);
	without = load(fixture, 4, NULL);
	CALL(fixture, aclrtCreateContext, 0, .context = &second, .deviceId = 0);
	CALL(fixture, aclrtBinaryUnLoad, 0, .binHandle = with);
	CALL(fixture, aclrtDestroyContext, 0, .context = first);
	CALL(fixture, aclrtBinaryUnLoad, 0, .binHandle = without);
	silent(fixture);
}

/* Files may be loaded for every device when a kernel is first launched there. */
static void other_device(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclrtBinHandle b = handle(1);
	void *f, *s;

	(void)state;
	CALL(fixture, aclrtBinaryLoadFromFile, 0, .binPath = "/k.o", .binHandle = &b);
	f = fetch(fixture, b, 2, "add");
	CALL(fixture, aclrtSetDevice, 0, .deviceId = 1);
	s = fixture_stream(fixture, 3);
	LAUNCH(fixture, f, s);
	silent(fixture);
	/* The handle value again, of another binary. */
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
	LAUNCH(fixture, fetch(fixture, load(fixture, 4, NULL), 2, "add"), s);
	silent(fixture);
}

static void other_cpu_binary(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclrtFuncHandle f = handle(3);

	(void)state;
	CALL(fixture, aclrtRegisterCpuFunc, 0, .handle = handle(1), .funcName = "f", .kernelName = "k",
		.funcHandle = &f);
	CALL(fixture, aclrtBinaryGetFunction, 107000, .binHandle = load(fixture, 2, NULL), .kernelName = "k",
		.funcHandle = &f);
	never(fixture, "kernel-cpu-func-only");
}

/* Where other memory ends says nothing of what the runtime rounded it up to. */
static void arguments_of_other_memory(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *managed = (void *)DEVICE_MEMORY, *s = fixture_stream(fixture, 1);

	(void)state;
	CALL(fixture, aclrtMemAllocManaged, 0, .ptr = &managed, .size = 64, .flag = ACL_RT_MEM_ATTACH_GLOBAL);
	CALL(fixture, aclrtLaunchKernelV2, 0, .funcHandle = handle(99), .numBlocks = 1, .argsData = managed,
		.argsSize = 4096, .stream = s);
	never(fixture, "kernel-args-location");
}

/* What stands in the variable is not the answer of a call that failed. */
static void function_that_was_not_there(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *b = load(fixture, 2, NULL);
	aclrtFuncHandle f = handle(3);

	(void)state;
	CALL(fixture, aclrtBinaryGetFunction, 107000, .binHandle = b, .kernelName = "k", .funcHandle = &f);
	fixture->n_seen = fixture->n_found;
	LAUNCH(fixture, f, s);
	CALL(fixture, aclrtBinaryUnLoad, 0, .binHandle = b);
	silent(fixture);
}

/* No further than the page the array begins in. */
static void array_at_the_end_of_a_page(void **state)
{
	static char pages[8192] __attribute__((aligned(4096)));
	void **last = (void **)(pages + 4096) - 1;
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *f = fetch(fixture, load(fixture, 1, NULL), 2, "add");
	size_t count = 2;

	(void)state;
	*last = fixture;
	CALL(fixture, aclrtFunctionGetParamCount, 0, .func = f, .paramCount = &count);
	CALL(fixture, aclrtLaunchKernelWithArgsArray, 0, .func = f, .numBlocks = 1, .args = last);
	silent(fixture);
	*last = NULL;
	CALL(fixture, aclrtLaunchKernelWithArgsArray, 107000, .func = f, .numBlocks = 1, .args = last);
	want(fixture, "kernel-args-array-count:error");
}

#define LAUNCH_WITH(fixture, args, s)                                                                        \
	CALL(fixture, aclrtLaunchKernelV2, 0, .funcHandle = handle(90), .numBlocks = 1, .argsData = (args),  \
		.argsSize = 64, .stream = (s))

/* The kernel runs with the model: its launch itself reads nothing. */
static void arguments_of_a_built_model(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	char *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096);
	void *s = fixture_stream(fixture, 1), *bound = handle(2);
	aclmdlRI m = handle(30);

	(void)state;
	CALL(fixture, aclrtCreateStreamWithConfig, 0, .stream = &bound, .flag = ACL_STREAM_PERSISTENT);
	CALL(fixture, aclmdlRIBuildBegin, 0, .modelRI = &m);
	CALL(fixture, aclmdlRIBindStream, 0, .modelRI = m, .stream = bound);
	LAUNCH_WITH(fixture, d, bound);
	CALL(fixture, aclmdlRIEndTask, 0, .modelRI = m, .stream = bound);
	CALL(fixture, aclmdlRIBuildEnd, 0, .modelRI = m);
	CALL(fixture, aclrtMemset, 0, .devPtr = d, .maxCount = 64, .count = 64);
	CALL(fixture, aclmdlRIExecuteAsync, 0, .modelRI = m, .stream = s);
	CALL(fixture, aclrtSynchronizeStream, 0, .stream = s);
	CALL(fixture, aclrtMemset, 0, .devPtr = d, .maxCount = 64, .count = 64);
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = d, .maxCount = 64, .count = 64, .stream = s);
	never(fixture, "kernel-args-freed");
}

/* Ordered with the kernel, beside its arguments, or after it. */
static void arguments_in_order(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	char *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096),
	     *other = fixture_malloc(fixture, DEVICE_MEMORY + 65536, 4096);
	void *s = fixture_stream(fixture, 1);

	(void)state;
	LAUNCH_WITH(fixture, d + 64, s);
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = d, .maxCount = 4096, .count = 4096, .stream = s);
	CALL(fixture, aclrtMemset, 0, .devPtr = d, .maxCount = 64, .count = 64);
	CALL(fixture, aclrtMemset, 0, .devPtr = d + 128, .maxCount = 64, .count = 64);
	CALL(fixture, aclrtFree, 0, .devPtr = other);
	CALL(fixture, aclrtSynchronizeDevice, 0);
	CALL(fixture, aclrtMemset, 0, .devPtr = d, .maxCount = 4096, .count = 4096);
	CALL(fixture, aclrtFree, 0, .devPtr = d);
	never(fixture, "kernel-args-freed");
}

/* More launches than are remembered, and then one with arguments elsewhere: that memory is known by it. */
static void arguments_behind_many_launches(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	char *first = fixture_malloc(fixture, DEVICE_MEMORY, 4096),
	     *d = fixture_malloc(fixture, DEVICE_MEMORY + 65536, 4096),
	     *other = fixture_malloc(fixture, DEVICE_MEMORY + 131072, 4096),
	     *last = fixture_malloc(fixture, DEVICE_MEMORY + 262144, 4096);
	void *s = fixture_stream(fixture, 1), *t = fixture_stream(fixture, 2);

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		LAUNCH_WITH(fixture, i % 2 ? first : last, s);
	LAUNCH_WITH(fixture, d, s);
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = other, .maxCount = 64, .count = 64, .stream = t);
	never(fixture, "kernel-args-freed");
	CALL(fixture, aclrtMemsetAsync, 0, .devPtr = d, .maxCount = 64, .count = 64, .stream = t);
	want(fixture, "kernel-args-freed:advice");
	fixture_free(fixture);
}

/* A launch that failed reads nothing, one that is captured reads when the model runs. */
static void arguments_of_no_launch(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	char *d = fixture_malloc(fixture, DEVICE_MEMORY, 4096);
	void *s = fixture_stream(fixture, 1);
	aclmdlRI model = handle(2);

	(void)state;
	CALL(fixture, aclrtLaunchKernelV2, 107000, .funcHandle = handle(90), .numBlocks = 1, .argsData = d,
		.argsSize = 64, .stream = s);
	CALL(fixture, aclmdlRICaptureBegin, 0, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	LAUNCH_WITH(fixture, d, s);
	CALL(fixture, aclmdlRICaptureEnd, 0, .stream = s, .modelRI = &model);
	CALL(fixture, aclrtMemset, 0, .devPtr = d, .maxCount = 4096, .count = 64);
	CALL(fixture, aclrtFree, 0, .devPtr = d);
	never(fixture, "kernel-args-freed");
}

/* --- argument lists ------------------------------------------------------------------------------- */

static void *begin(struct fixture *fixture, void *f, unsigned n)
{
	aclrtArgsHandle a = handle(n);

	CALL(fixture, aclrtKernelArgsInit, 0, .funcHandle = f, .argsHandle = &a);
	return a;
}

static void *append(struct fixture *fixture, void *list, unsigned n, size_t size)
{
	aclrtParamHandle p = handle(n);

	CALL(fixture, aclrtKernelArgsAppend, 0, .argsHandle = list, .param = fixture, .paramSize = size,
		.paramHandle = &p);
	return p;
}

static void run(struct fixture *fixture, void *f, void *list)
{
	CALL(fixture, aclrtKernelArgsFinalize, 0, .argsHandle = list);
	CALL(fixture, aclrtLaunchKernelWithConfig, 0, .funcHandle = f, .numBlocks = 1, .argsHandle = list);
}

/* A thread's list, begun again and again: parameters of the last one only. */
static void one_list_many_launches(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *b = load(fixture, 1, NULL), *add = fetch(fixture, b, 2, "add"),
	     *mul = fetch(fixture, b, 3, "mul"), *list;

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		void *f = i % 2 ? add : mul;

		list = begin(fixture, f, 4);
		append(fixture, list, 5 + i % 7, 64);
		run(fixture, f, list);
	}
	/* Given up half way, then begun for another. */
	list = begin(fixture, add, 4);
	append(fixture, list, 5, 8);
	list = begin(fixture, mul, 4);
	append(fixture, list, 5, 8);
	run(fixture, mul, list);
	silent(fixture);
	never(fixture, "kargs-handle-foreign-func");
}

/* Many lists at once: each is known. */
static void many_lists(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *f = fetch(fixture, load(fixture, 1, NULL), 2, "add");

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		CALL(fixture, aclrtKernelArgsInitByUserMem, 0, .funcHandle = f, .argsHandle = handle(100 + i),
			.userHostMem = fixture, .actualArgsSize = 64);
	CALL(fixture, aclrtLaunchKernelWithConfig, 0, .funcHandle = f, .numBlocks = 1,
		.argsHandle = handle(100));
	want(fixture, "kargs-launch-not-finalized:error");
	for (unsigned i = 0; i < 1000; i++) {
		append(fixture, handle(100 + i), 5000 + i, 8);
		run(fixture, f, handle(100 + i));
	}
	silent(fixture);
}

/* Lists in the program's memory may go from thread to thread. */
static void list_of_user_elsewhere(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *f = fetch(fixture, load(fixture, 1, NULL), 2, "add"), *list;

	(void)state;
	CALL(fixture, aclrtKernelArgsInitByUserMem, 0, .funcHandle = f, .argsHandle = handle(3),
		.userHostMem = fixture, .actualArgsSize = 64);
	fixture->tid = 2;
	append(fixture, handle(3), 4, 8);
	run(fixture, f, handle(3));
	silent(fixture);
	/* The runtime's own list, given to the next thread when the first had ended. */
	fixture->tid = 1;
	begin(fixture, f, 5);
	fixture->tid = 2;
	list = begin(fixture, f, 5);
	append(fixture, list, 6, 8);
	run(fixture, f, list);
	silent(fixture);
}

static void list_after_fork(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *f = fetch(fixture, load(fixture, 1, NULL), 2, "add"), *list = begin(fixture, f, 3);

	(void)state;
	fixture->tid = 2;
	checks_forked(fixture->checks);
	append(fixture, list, 4, 8);
	silent(fixture);
}

/* Parameters for the AI CPU follow each other without gaps; whose a function is may be unknown. */
static void packed_parameters(void **state)
{
	aclrtBinaryLoadOption cpu = {.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE};
	aclrtBinaryLoadOptions options = {&cpu, 1};
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *of_cpu = fetch(fixture, load(fixture, 1, &options), 2, "add"), *unknown = handle(3);
	size_t size = 5;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		void *f = i ? of_cpu : unknown, *list = handle(4 + i);

		CALL(fixture, aclrtKernelArgsGetMemSize, 0, .funcHandle = f, .userArgsSize = 5,
			.actualArgsSize = &size);
		CALL(fixture, aclrtKernelArgsInitByUserMem, 0, .funcHandle = f, .argsHandle = list,
			.userHostMem = fixture, .actualArgsSize = 5);
		append(fixture, list, 10, 1);
		append(fixture, list, 11, 4);
	}
	never(fixture, "kargs-too-many");
	never(fixture, "kargs-usermem-size");
}

/* Two sizes were asked for: the list may be the smaller one's. */
static void two_sizes(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *f = fetch(fixture, load(fixture, 1, NULL), 2, "add");
	size_t small = 24, large = 120;

	(void)state;
	CALL(fixture, aclrtKernelArgsGetMemSize, 0, .funcHandle = f, .userArgsSize = 16,
		.actualArgsSize = &small);
	CALL(fixture, aclrtKernelArgsGetMemSize, 0, .funcHandle = f, .userArgsSize = 112,
		.actualArgsSize = &large);
	CALL(fixture, aclrtKernelArgsInitByUserMem, 0, .funcHandle = f, .argsHandle = handle(3),
		.userHostMem = fixture, .actualArgsSize = 24);
	silent(fixture);
}

/* Of functions that were found by a symbol no name is known: they are alike in nothing. */
static void list_of_nameless_function(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	aclrtFuncHandle first = handle(2), second = handle(3);
	void *list;

	(void)state;
	CALL(fixture, aclrtGetFuncBySymbol, 0, .symbol = handle(20), .funcHandle = &first);
	CALL(fixture, aclrtGetFuncBySymbol, 0, .symbol = handle(21), .funcHandle = &second);
	list = begin(fixture, first, 5);
	run(fixture, second, list);
	want(fixture, "kargs-handle-foreign-func:advice");
	list = begin(fixture, first, 5);
	run(fixture, first, list);
	silent(fixture);
}

/* Fetched twice it is the same function; as many parameters may be the same signature. */
static void list_of_like_function(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *b = load(fixture, 1, NULL), *add = fetch(fixture, b, 2, "add"),
	     *again = fetch(fixture, b, 3, "add"), *mul = fetch(fixture, b, 4, "mul"),
	     *list = begin(fixture, add, 5);
	size_t count = 3;

	(void)state;
	run(fixture, again, list);
	CALL(fixture, aclrtFunctionGetParamCount, 0, .func = add, .paramCount = &count);
	CALL(fixture, aclrtFunctionGetParamCount, 0, .func = mul, .paramCount = &count);
	list = begin(fixture, add, 5);
	run(fixture, mul, list);
	never(fixture, "kargs-handle-foreign-func");
	begin(fixture, mul, 5);
	list = begin(fixture, add, 5);
	run(fixture, mul, list);
	never(fixture, "kargs-handle-thread");
}

/* --- memory that a kernel was given ------------------------------------------------------------------ */

static void launch_given(struct fixture *fixture, void *stream, void *first, void *second)
{
	uint64_t words[] = {(uintptr_t)first, 7, (uintptr_t)second};

	CALL(fixture, aclrtLaunchKernelWithHostArgs, 0, .funcHandle = handle(9), .numBlocks = 1,
		.stream = stream, .hostArgs = words, .argsSize = sizeof(words));
}

/* What another owner has at the address later is not what the kernel was given. */
static void given_before_it_was_made(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *tensor = fixture_malloc(fixture, DEVICE_MEMORY, 4096);

	(void)state;
	fixture->other_ways = 0;
	launch_given(fixture, s, NULL, tensor);
	CALL(fixture, aclrtFree, 0, .devPtr = tensor);
	want(fixture, "free-in-flight:warning");
	fixture_malloc(fixture, DEVICE_MEMORY, 4096);
	CALL(fixture, aclrtFree, 0, .devPtr = tensor);
	silent(fixture);
}

/* A kernel that writes to the host may show it there that another one has run. */
static void given_host_memory_as_well(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *tensor = fixture_malloc(fixture, DEVICE_MEMORY, 4096),
	     *flag = fixture_malloc_host(fixture, HOST_MEMORY, 4096);

	(void)state;
	fixture->other_ways = 0;
	launch_given(fixture, s, NULL, tensor);
	launch_given(fixture, s, (char *)flag + 64, NULL);
	CALL(fixture, aclrtFree, 0, .devPtr = tensor);
	want(fixture, "free-in-flight:advice");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unknown_everything),
		cmocka_unit_test(unload_after_other_stream),
		cmocka_unit_test(unload_after_many_launches),
		cmocka_unit_test(unload_after_destroy),
		cmocka_unit_test(unload_after_signal),
		cmocka_unit_test(unload_after_early_signal),
		cmocka_unit_test(unload_after_signal_of_all),
		cmocka_unit_test(unload_after_hidden_word),
		cmocka_unit_test(unload_after_many_streams),
		cmocka_unit_test(unload_failed_launch),
		cmocka_unit_test(unload_elsewhere),
		cmocka_unit_test(other_device),
		cmocka_unit_test(other_cpu_binary),
		cmocka_unit_test(function_that_was_not_there),
		cmocka_unit_test(arguments_of_other_memory),
		cmocka_unit_test(array_at_the_end_of_a_page),
		cmocka_unit_test(arguments_of_a_built_model),
		cmocka_unit_test(arguments_in_order),
		cmocka_unit_test(arguments_of_no_launch),
		cmocka_unit_test(one_list_many_launches),
		cmocka_unit_test(many_lists),
		cmocka_unit_test(list_of_user_elsewhere),
		cmocka_unit_test(list_after_fork),
		cmocka_unit_test(arguments_behind_many_launches),
		cmocka_unit_test(packed_parameters),
		cmocka_unit_test(two_sizes),
		cmocka_unit_test(list_of_nameless_function),
		cmocka_unit_test(list_of_like_function),
		cmocka_unit_test(given_before_it_was_made),
		cmocka_unit_test(given_host_memory_as_well),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
