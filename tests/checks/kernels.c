/* SPDX-License-Identifier: Apache-2.0 */
/* Where the rules about kernels and their argument lists must not speak. */
#include "rig.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS

static void *load(struct rig *rig, unsigned n, aclrtBinaryLoadOptions *options)
{
	aclrtBinHandle b = handle(n);

	CALL(rig, aclrtBinaryLoadFromData, 0, .data = rig, .length = 64, .options = options, .binHandle = &b);
	return b;
}

static void *fetch(struct rig *rig, void *binary, unsigned n, const char *name)
{
	aclrtFuncHandle f = handle(n);

	CALL(rig, aclrtBinaryGetFunction, 0, .binHandle = binary, .kernelName = name, .funcHandle = &f);
	return f;
}

#define LAUNCH(rig, f, s)                                                                                    \
	CALL(rig, aclrtLaunchKernelV2, 0, .funcHandle = (f), .numBlocks = 1,                                 \
		.argsData = (void *)DEVICE_MEMORY, .argsSize = 64, .stream = (s))

/* --- binaries ------------------------------------------------------------------------------------ */

static void unknown_everything(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *args[1] = {NULL};

	(void)state;
	LAUNCH(rig, handle(1), handle(2));
	CALL(rig, aclrtLaunchKernelWithArgsArray, 0, .func = handle(1), .numBlocks = 1, .args = args);
	CALL(rig, aclrtBinaryUnLoad, 0, .binHandle = handle(3));
	CALL(rig, aclrtBinaryLoad, 0, .binary = handle(4), .binHandle = &(aclrtBinHandle){handle(5)});
	CALL(rig, aclrtDestroyBinary, 0, .binary = handle(4));
	CALL(rig, aclrtKernelArgsFinalize, 0, .argsHandle = handle(6));
	CALL(rig, aclrtLaunchKernelWithConfig, 0, .funcHandle = handle(1), .numBlocks = 1,
		.argsHandle = handle(6));
	CALL(rig, aclrtUnuseStreamResInCurrentThread, 0, .stream = handle(2));
	CALL(rig, aclrtUseStreamResInCurrentThread, 0, .stream = handle(2));
	silent(rig);
	assert_int_equal(rig->n_found, 0);
}

static struct rig *launched(void **stream, void **binary)
{
	struct rig *rig = rig_ready(DOCUMENTS);

	*stream = rig_stream(rig, 1);
	*binary = load(rig, 2, NULL);
	LAUNCH(rig, fetch(rig, *binary, 3, "add"), *stream);
	return rig;
}

static void unload_after_other_stream(void **state)
{
	void *s, *b, *t, *e;
	struct rig *rig = launched(&s, &b);

	(void)state;
	t = rig_stream(rig, 4);
	e = rig_event(rig, 5, ACL_EVENT_SYNC);
	CALL(rig, aclrtRecordEvent, 0, .event = e, .stream = s);
	CALL(rig, aclrtStreamWaitEvent, 0, .stream = t, .event = e);
	CALL(rig, aclrtSynchronizeStream, 0, .stream = t);
	CALL(rig, aclrtBinaryUnLoad, 0, .binHandle = b);
	silent(rig);
}

static void unload_after_destroy(void **state)
{
	void *s, *b;
	struct rig *rig = launched(&s, &b);

	(void)state;
	CALL(rig, aclrtSynchronizeDevice, 0);
	CALL(rig, aclrtDestroyStream, 0, .stream = s);
	CALL(rig, aclrtBinaryUnLoad, 0, .binHandle = b);
	silent(rig);
}

/* Something behind the launch may have told the program that it is done. */
static void unload_after_signal(void **state)
{
	void *s, *b;
	struct rig *rig = launched(&s, &b);

	(void)state;
	CALL(rig, aclrtValueWrite, 0, .devAddr = (void *)DEVICE_MEMORY, .value = 1, .stream = s);
	CALL(rig, aclrtBinaryUnLoad, 0, .binHandle = b);
	silent(rig);
	rig = launched(&s, &b);
	CALL(rig, aclrtLaunchHostFunc, 0, .stream = s, .fn = handle(9));
	CALL(rig, aclrtBinaryUnLoad, 0, .binHandle = b);
	silent(rig);
	rig = launched(&s, &b);
	rig_event(rig, 6, ACL_EVENT_IPC);
	CALL(rig, aclrtBinaryUnLoad, 0, .binHandle = b);
	silent(rig);
}

/* Signals before the launch tell nothing of it. */
static void unload_after_early_signal(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *s = rig_stream(rig, 1), *b = load(rig, 2, NULL);

	(void)state;
	CALL(rig, aclrtValueWrite, 0, .devAddr = (void *)DEVICE_MEMORY, .value = 1, .stream = s);
	LAUNCH(rig, fetch(rig, b, 3, "add"), s);
	CALL(rig, aclrtBinaryUnLoad, 0, .binHandle = b);
	want(rig, "kernel-binary-unload-pending:error");
}

/* Only so many streams are remembered; what is forgotten is not judged. */
static void unload_after_many_streams(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *b = load(rig, 2, NULL), *f = fetch(rig, b, 3, "add"), *s = rig_stream(rig, 10);

	(void)state;
	LAUNCH(rig, f, s);
	for (unsigned i = 11; i < 20; i++) {
		void *t = rig_stream(rig, i);

		LAUNCH(rig, f, t);
		CALL(rig, aclrtSynchronizeStream, 0, .stream = t);
	}
	CALL(rig, aclrtBinaryUnLoad, 0, .binHandle = b);
	silent(rig);
}

static void unload_failed_launch(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *s = rig_stream(rig, 1), *b = load(rig, 2, NULL), *f = fetch(rig, b, 3, "add");

	(void)state;
	CALL(rig, aclrtLaunchKernelV2, 507000, .funcHandle = f, .numBlocks = 1,
		.argsData = (void *)DEVICE_MEMORY, .argsSize = 64, .stream = s);
	CALL(rig, aclrtBinaryUnLoad, 0, .binHandle = b);
	never(rig, "kernel-binary-unload-pending");
}

/* With options the runtime takes a binary from all devices; a context that is gone asks for nothing. */
static void unload_elsewhere(void **state)
{
	aclrtBinaryLoadOption lazy = {.type = ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, .value.isLazyLoad = 1};
	aclrtBinaryLoadOptions options = {&lazy, 1};
	struct rig *rig = rig_ready(DOCUMENTS);
	aclrtContext first = handle(1), second = handle(2);
	void *with, *without;

	(void)state;
	CALL(rig, aclrtCreateContext, 0, .context = &first, .deviceId = 0);
	with = load(rig, 3, &options);
	without = load(rig, 4, NULL);
	CALL(rig, aclrtCreateContext, 0, .context = &second, .deviceId = 0);
	CALL(rig, aclrtBinaryUnLoad, 0, .binHandle = with);
	CALL(rig, aclrtDestroyContext, 0, .context = first);
	CALL(rig, aclrtBinaryUnLoad, 0, .binHandle = without);
	silent(rig);
}

/* Files may be loaded for every device when a kernel is first launched there. */
static void other_device(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	aclrtBinHandle b = handle(1);
	void *f, *s;

	(void)state;
	CALL(rig, aclrtBinaryLoadFromFile, 0, .binPath = "/k.o", .binHandle = &b);
	f = fetch(rig, b, 2, "add");
	CALL(rig, aclrtSetDevice, 0, .deviceId = 1);
	s = rig_stream(rig, 3);
	LAUNCH(rig, f, s);
	silent(rig);
	/* The handle value again, of another binary. */
	CALL(rig, aclrtSynchronizeStream, 0, .stream = s);
	LAUNCH(rig, fetch(rig, load(rig, 4, NULL), 2, "add"), s);
	silent(rig);
}

static void other_cpu_binary(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	aclrtFuncHandle f = handle(3);

	(void)state;
	CALL(rig, aclrtRegisterCpuFunc, 0, .handle = handle(1), .funcName = "f", .kernelName = "k",
		.funcHandle = &f);
	CALL(rig, aclrtBinaryGetFunction, 107000, .binHandle = load(rig, 2, NULL), .kernelName = "k",
		.funcHandle = &f);
	never(rig, "kernel-cpu-func-only");
}

/* No further than the page the array begins in. */
static void array_at_the_end_of_a_page(void **state)
{
	static char pages[8192] __attribute__((aligned(4096)));
	void **last = (void **)(pages + 4096) - 1;
	struct rig *rig = rig_ready(DOCUMENTS);
	void *f = fetch(rig, load(rig, 1, NULL), 2, "add");
	size_t count = 2;

	(void)state;
	*last = rig;
	CALL(rig, aclrtFunctionGetParamCount, 0, .func = f, .paramCount = &count);
	CALL(rig, aclrtLaunchKernelWithArgsArray, 0, .func = f, .numBlocks = 1, .args = last);
	silent(rig);
	*last = NULL;
	CALL(rig, aclrtLaunchKernelWithArgsArray, 107000, .func = f, .numBlocks = 1, .args = last);
	want(rig, "kernel-args-array-count:error");
}

#define LAUNCH_WITH(rig, args, s)                                                                            \
	CALL(rig, aclrtLaunchKernelV2, 0, .funcHandle = handle(90), .numBlocks = 1, .argsData = (args),      \
		.argsSize = 64, .stream = (s))

/* Ordered with the kernel, beside its arguments, or after it. */
static void arguments_in_order(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	char *d = rig_malloc(rig, DEVICE_MEMORY, 4096), *other = rig_malloc(rig, DEVICE_MEMORY + 65536, 4096);
	void *s = rig_stream(rig, 1);

	(void)state;
	LAUNCH_WITH(rig, d + 64, s);
	CALL(rig, aclrtMemsetAsync, 0, .devPtr = d, .maxCount = 4096, .count = 4096, .stream = s);
	CALL(rig, aclrtMemset, 0, .devPtr = d, .maxCount = 64, .count = 64);
	CALL(rig, aclrtMemset, 0, .devPtr = d + 128, .maxCount = 64, .count = 64);
	CALL(rig, aclrtFree, 0, .devPtr = other);
	CALL(rig, aclrtSynchronizeDevice, 0);
	CALL(rig, aclrtMemset, 0, .devPtr = d, .maxCount = 4096, .count = 4096);
	CALL(rig, aclrtFree, 0, .devPtr = d);
	never(rig, "kernel-args-freed");
}

/* A launch that failed reads nothing, one that is captured reads when the model runs. */
static void arguments_of_no_launch(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	char *d = rig_malloc(rig, DEVICE_MEMORY, 4096);
	void *s = rig_stream(rig, 1);
	aclmdlRI model = handle(2);

	(void)state;
	CALL(rig, aclrtLaunchKernelV2, 107000, .funcHandle = handle(90), .numBlocks = 1, .argsData = d,
		.argsSize = 64, .stream = s);
	CALL(rig, aclmdlRICaptureBegin, 0, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	LAUNCH_WITH(rig, d, s);
	CALL(rig, aclmdlRICaptureEnd, 0, .stream = s, .modelRI = &model);
	CALL(rig, aclrtMemset, 0, .devPtr = d, .maxCount = 4096, .count = 64);
	CALL(rig, aclrtFree, 0, .devPtr = d);
	never(rig, "kernel-args-freed");
}

/* --- argument lists ------------------------------------------------------------------------------- */

static void *begin(struct rig *rig, void *f, unsigned n)
{
	aclrtArgsHandle a = handle(n);

	CALL(rig, aclrtKernelArgsInit, 0, .funcHandle = f, .argsHandle = &a);
	return a;
}

static void *append(struct rig *rig, void *list, unsigned n, size_t size)
{
	aclrtParamHandle p = handle(n);

	CALL(rig, aclrtKernelArgsAppend, 0, .argsHandle = list, .param = rig, .paramSize = size,
		.paramHandle = &p);
	return p;
}

static void run(struct rig *rig, void *f, void *list)
{
	CALL(rig, aclrtKernelArgsFinalize, 0, .argsHandle = list);
	CALL(rig, aclrtLaunchKernelWithConfig, 0, .funcHandle = f, .numBlocks = 1, .argsHandle = list);
}

/* A thread's list, begun again and again: parameters of the last one only. */
static void one_list_many_launches(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *b = load(rig, 1, NULL), *add = fetch(rig, b, 2, "add"), *mul = fetch(rig, b, 3, "mul"), *list;

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		void *f = i % 2 ? add : mul;

		list = begin(rig, f, 4);
		append(rig, list, 5 + i % 7, 64);
		run(rig, f, list);
	}
	/* Given up half way, then begun for another. */
	list = begin(rig, add, 4);
	append(rig, list, 5, 8);
	list = begin(rig, mul, 4);
	append(rig, list, 5, 8);
	run(rig, mul, list);
	silent(rig);
	never(rig, "kargs-handle-foreign-func");
}

/* More lists than are followed: of those that made room nothing is known. */
static void many_lists(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *f = fetch(rig, load(rig, 1, NULL), 2, "add");

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		CALL(rig, aclrtKernelArgsInitByUserMem, 0, .funcHandle = f, .argsHandle = handle(100 + i),
			.userHostMem = rig, .actualArgsSize = 64);
	for (unsigned i = 0; i < 1000; i++) {
		append(rig, handle(100 + i), 5000 + i, 8);
		run(rig, f, handle(100 + i));
	}
	silent(rig);
}

/* Lists in the program's memory may go from thread to thread. */
static void list_of_user_elsewhere(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *f = fetch(rig, load(rig, 1, NULL), 2, "add"), *list;

	(void)state;
	CALL(rig, aclrtKernelArgsInitByUserMem, 0, .funcHandle = f, .argsHandle = handle(3),
		.userHostMem = rig, .actualArgsSize = 64);
	rig->tid = 2;
	append(rig, handle(3), 4, 8);
	run(rig, f, handle(3));
	silent(rig);
	/* The runtime's own list, given to the next thread when the first had ended. */
	rig->tid = 1;
	begin(rig, f, 5);
	rig->tid = 2;
	list = begin(rig, f, 5);
	append(rig, list, 6, 8);
	run(rig, f, list);
	silent(rig);
}

static void list_after_fork(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *f = fetch(rig, load(rig, 1, NULL), 2, "add"), *list = begin(rig, f, 3);

	(void)state;
	rig->tid = 2;
	checks_forked(rig->checks);
	append(rig, list, 4, 8);
	silent(rig);
}

/* Parameters for the AI CPU follow each other without gaps; whose a function is may be unknown. */
static void packed_parameters(void **state)
{
	aclrtBinaryLoadOption cpu = {.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE};
	aclrtBinaryLoadOptions options = {&cpu, 1};
	struct rig *rig = rig_ready(DOCUMENTS);
	void *of_cpu = fetch(rig, load(rig, 1, &options), 2, "add"), *unknown = handle(3);
	size_t size = 5;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		void *f = i ? of_cpu : unknown, *list = handle(4 + i);

		CALL(rig, aclrtKernelArgsGetMemSize, 0, .funcHandle = f, .userArgsSize = 5,
			.actualArgsSize = &size);
		CALL(rig, aclrtKernelArgsInitByUserMem, 0, .funcHandle = f, .argsHandle = list,
			.userHostMem = rig, .actualArgsSize = 5);
		append(rig, list, 10, 1);
		append(rig, list, 11, 4);
	}
	never(rig, "kargs-too-many");
	never(rig, "kargs-usermem-size");
}

/* Two sizes were asked for: the list may be the smaller one's. */
static void two_sizes(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *f = fetch(rig, load(rig, 1, NULL), 2, "add");
	size_t small = 24, large = 120;

	(void)state;
	CALL(rig, aclrtKernelArgsGetMemSize, 0, .funcHandle = f, .userArgsSize = 16,
		.actualArgsSize = &small);
	CALL(rig, aclrtKernelArgsGetMemSize, 0, .funcHandle = f, .userArgsSize = 112,
		.actualArgsSize = &large);
	CALL(rig, aclrtKernelArgsInitByUserMem, 0, .funcHandle = f, .argsHandle = handle(3),
		.userHostMem = rig, .actualArgsSize = 24);
	silent(rig);
}

/* Fetched twice it is the same function; as many parameters may be the same signature. */
static void list_of_like_function(void **state)
{
	struct rig *rig = rig_ready(DOCUMENTS);
	void *b = load(rig, 1, NULL), *add = fetch(rig, b, 2, "add"), *again = fetch(rig, b, 3, "add"),
	     *mul = fetch(rig, b, 4, "mul"), *list = begin(rig, add, 5);
	size_t count = 3;

	(void)state;
	run(rig, again, list);
	CALL(rig, aclrtFunctionGetParamCount, 0, .func = add, .paramCount = &count);
	CALL(rig, aclrtFunctionGetParamCount, 0, .func = mul, .paramCount = &count);
	list = begin(rig, add, 5);
	run(rig, mul, list);
	never(rig, "kargs-handle-foreign-func");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unknown_everything),
		cmocka_unit_test(unload_after_other_stream),
		cmocka_unit_test(unload_after_destroy),
		cmocka_unit_test(unload_after_signal),
		cmocka_unit_test(unload_after_early_signal),
		cmocka_unit_test(unload_after_many_streams),
		cmocka_unit_test(unload_failed_launch),
		cmocka_unit_test(unload_elsewhere),
		cmocka_unit_test(other_device),
		cmocka_unit_test(other_cpu_binary),
		cmocka_unit_test(array_at_the_end_of_a_page),
		cmocka_unit_test(arguments_in_order),
		cmocka_unit_test(arguments_of_no_launch),
		cmocka_unit_test(one_list_many_launches),
		cmocka_unit_test(many_lists),
		cmocka_unit_test(list_of_user_elsewhere),
		cmocka_unit_test(list_after_fork),
		cmocka_unit_test(packed_parameters),
		cmocka_unit_test(two_sizes),
		cmocka_unit_test(list_of_like_function),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
