/* SPDX-License-Identifier: Apache-2.0 */
/* Models whose tasks write words of memory: the host learns of an execution only where it reads one of them.
 */
#include "tasks.h"

#define WORD 64 /* bytes of the block that a word lies in */

static char *set_memory(size_t bytes)
{
	char *d = make_device_memory(bytes);

	CALL(aclrtMemset, .devPtr = d, .maxCount = bytes, .count = bytes);
	return d;
}

static void write_word(aclrtStream s, void *word)
{
	CALL(aclrtValueWrite, .devAddr = word, .value = 1, .stream = s);
}

/* A kernel that is given nothing but a number. */
static void launch(aclrtStream s)
{
	memset(heap_memory, 0, 64);
	CALL(aclrtLaunchKernelWithHostArgs, .funcHandle = make_function(), .numBlocks = 1, .stream = s,
		.hostArgs = heap_memory, .argsSize = 64);
}

/* Sets the memory, and then writes the word. */
static aclmdlRI model_that_sets(void *d, void *word)
{
	aclrtStream s = make_stream();

	capture_begin(s);
	launch(s);
	set_on(s, d);
	write_word(s, word);
	return capture_end(s);
}

static void execute(aclmdlRI model, aclrtStream s)
{
	CALL(aclmdlRIExecuteAsync, .modelRI = model, .stream = s);
}

static void read_to_host(void *to, const void *from)
{
	CALL(aclrtMemcpy, .dst = to, .destMax = 8, .src = from, .count = 8, .kind = DOWN);
}

/* --- what the host reads ------------------------------------------------------------------------------- */

/* Either the word or what lies in another block; the program may do so until the word is there. */
static void destroyed_behind_a_read(void)
{
	char *d = set_memory(SIZE), *word = set_memory(WORD), *other = set_memory(WORD);
	char *h = make_host_memory(SIZE);
	aclmdlRI model = model_that_sets(d, word);
	aclrtStream s = make_stream(), reading = make_stream();

	execute(model, s);
	CALL_EACH(0, ROLE(DST, h), ROLE(LIMIT, WORD), ROLE(SRC, bug ? other : word), ROLE(BYTES, WORD),
		ROLE(KIND, DOWN), ROLE(DPITCH, WORD), ROLE(SPITCH, WORD), ROLE(WIDTH, WORD), ROLE(HEIGHT, 1),
		ROLE(STREAM, reading));
	CALL(aclmdlRIDestroy, .modelRI = model);
	wait_for(s);
	wait_for(reading);
}

static void result_read_behind_the_word(void)
{
	char *d = set_memory(SIZE), *word = set_memory(WORD), *h = make_host_memory(SIZE);
	aclmdlRI model = model_that_sets(d, word);
	aclrtStream s = make_stream();

	execute(model, s);
	if (!bug)
		read_to_host(h, word);
	CALL(aclrtMemcpy, .dst = h, .destMax = SIZE, .src = d, .count = SIZE, .kind = DOWN);
	wait_for(s);
	CALL(aclmdlRIDestroy, .modelRI = model);
}

static void result_copied_behind_the_word(void)
{
	char *d = set_memory(SIZE), *word = set_memory(WORD), *h = make_host_memory(SIZE);
	aclmdlRI model = model_that_sets(d, word);
	aclrtStream s = make_stream(), other = make_stream();

	execute(model, s);
	if (!bug)
		read_to_host(h, word);
	copy_on(other, h, d, DOWN);
	wait_for(s);
	wait_for(other);
	CALL(aclmdlRIDestroy, .modelRI = model);
}

/* What was read before says nothing of the next execution. */
static void executed_again_after_a_read(void)
{
	char *d = set_memory(SIZE), *word = set_memory(WORD), *h = make_host_memory(SIZE);
	aclmdlRI model = model_that_sets(d, word);
	aclrtStream s = make_stream();

	execute(model, s);
	wait_for(s);
	read_to_host(h, word);
	execute(model, s);
	if (!bug)
		read_to_host(h, word);
	CALL(aclmdlRIDestroy, .modelRI = model);
	wait_for(s);
}

/* The word is a part of what was read. */
static void destroyed_behind_all_that_was_read(void)
{
	char *d = set_memory(SIZE), *h = make_host_memory(SIZE);
	char *block = set_memory(SIZE), *other = set_memory(SIZE);
	aclmdlRI model = model_that_sets(d, block + SIZE / 2);
	aclrtStream s = make_stream();

	execute(model, s);
	CALL(aclrtMemcpy, .dst = h, .destMax = SIZE, .src = bug ? other : block, .count = SIZE, .kind = DOWN);
	CALL(aclmdlRIDestroy, .modelRI = model);
	wait_for(s);
}

/* --- what the runtime lets be changed ---------------------------------------------------------------------
 */

static void changed_behind_a_word(void)
{
	char *d = set_memory(SIZE), *word = set_memory(WORD), *h = make_host_memory(SIZE);
	aclmdlRI model = model_that_sets(d, word);
	aclrtStream s = make_stream(), inner = NULL;
	aclmdlRITask task[3] = {NULL};
	uint32_t n = 1, tasks = 3;

	CALL_DOES(aclmdlRIGetStreams, 0, inner = make_address(), .modelRI = model, .streams = &inner,
		.numStreams = &n);
	CALL_DOES(aclmdlRIGetTasksByStream, 0, for (unsigned i = 0; i < 3; i++) task[i] = make_address(),
		.stream = inner, .tasks = task, .numTasks = &tasks);
	read_to_host(h, word);
	make_busy(s);
	execute(model, s);
	if (!bug)
		wait_for(s);
	CALL_FAILS(bug ? 107040 : 0, aclmdlRITaskDisable, .task = task[0]);
	wait_for(s);
	CALL(aclmdlRIUpdate, .modelRI = model);
}

/* --- who else may read the word ---------------------------------------------------------------------------
 */

/* Before the capture, and when the model was captured; then it is executed. */
struct reader {
	void (*before)(void *word);
	void (*after)(void *word);
};

static void destroyed_beside(const struct reader *r)
{
	char *d = set_memory(SIZE), *word = set_memory(WORD);
	aclrtStream s = make_stream();
	aclmdlRI model;

	if (!bug && r->before)
		r->before(word);
	model = model_that_sets(d, word);
	if (!bug && r->after)
		r->after(word);
	execute(model, s);
	CALL(aclmdlRIDestroy, .modelRI = model);
	wait_for(s);
}

/* A model that copies the word where the host may look. */
static void captured_copy(void *word)
{
	aclrtStream s = make_stream(), runs = make_stream();
	char *h = make_host_memory(WORD);
	aclmdlRI model;

	capture_begin(s);
	CALL(aclrtMemcpyAsync, .dst = h, .destMax = WORD, .src = word, .count = WORD, .kind = DOWN,
		.stream = s);
	model = capture_end(s);
	execute(model, runs);
	wait_for(runs);
}

static void destroyed_beside_a_model_that_copied(void)
{
	destroyed_beside(&(const struct reader){.before = captured_copy});
}

static void destroyed_beside_a_model_that_copies(void)
{
	destroyed_beside(&(const struct reader){.after = captured_copy});
}

/* What it reads, and where it puts that, is read when it runs. */
static void captured_indirect_copy(void *word)
{
	aclrtStream s = make_stream();
	char *pointers = set_memory(WORD);

	(void)word;
	capture_begin(s);
	CALL(aclrtMemcpyAsyncWithOffset, .dst = (void **)pointers, .destMax = 8,
		.src = (const void **)(pointers + 8), .count = 8, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
		.stream = s);
	(void)capture_end(s);
}

static void destroyed_beside_an_indirect_copy(void)
{
	destroyed_beside(&(const struct reader){.before = captured_indirect_copy});
}

/* Inside the device: from there the host may read it. */
static void copied_on(void *word)
{
	char *d = set_memory(WORD);

	CALL(aclrtMemcpy, .dst = d, .destMax = WORD, .src = word, .count = WORD, .kind = INSIDE);
}

static void destroyed_beside_a_second_word(void)
{
	destroyed_beside(&(const struct reader){.after = copied_on});
}

/* A copy that may run whenever its stream comes to it. */
static void copied_later(void *word)
{
	char *h = make_host_memory(WORD);

	CALL(aclrtMemcpyAsync, .dst = h, .destMax = WORD, .src = word, .count = WORD, .kind = DOWN,
		.stream = make_stream());
}

static void destroyed_beside_a_copy(void)
{
	destroyed_beside(&(const struct reader){.after = copied_later});
}

static void kernel_given_on(aclrtStream s, void *word)
{
	memset(heap_memory, 0, 64);
	memcpy(heap_memory + 8, &word, sizeof(word));
	CALL(aclrtLaunchKernelWithHostArgs, .funcHandle = make_function(), .numBlocks = 1, .stream = s,
		.hostArgs = heap_memory, .argsSize = 64);
}

static void kernel_given(void *word)
{
	kernel_given_on(make_stream(), word);
}

static void captured_kernel_given(void *word)
{
	aclrtStream s = make_stream();

	capture_begin(s);
	kernel_given_on(s, word);
	(void)capture_end(s);
}

static void destroyed_beside_a_kernel_before(void)
{
	destroyed_beside(&(const struct reader){.before = kernel_given});
}

static void destroyed_beside_a_kernel(void)
{
	destroyed_beside(&(const struct reader){.after = kernel_given});
}

static void destroyed_beside_a_captured_kernel_before(void)
{
	destroyed_beside(&(const struct reader){.before = captured_kernel_given});
}

static void destroyed_beside_a_captured_kernel(void)
{
	destroyed_beside(&(const struct reader){.after = captured_kernel_given});
}

/* Of their arguments nothing is known. */
static void unknown_kernel_on(aclrtStream s, aclrtFuncHandle function)
{
	CALL_EACH(0, ROLE(FUNCTION, function), ROLE(BLOCKS, 1), ROLE(STREAM, s),
		ROLE(DEVICE_ARGUMENTS, DEVICE), ROLE(ARGUMENT_BYTES, 8));
}

static void unknown_kernel(void *word)
{
	(void)word;
	unknown_kernel_on(make_stream(), make_function());
}

static void unknown_captured_kernel(void *word)
{
	aclrtStream s = make_stream();

	(void)word;
	capture_begin(s);
	unknown_kernel_on(s, make_function());
	(void)capture_end(s);
}

static void destroyed_beside_an_unknown_kernel(void)
{
	destroyed_beside(&(const struct reader){.before = unknown_kernel});
}

static void destroyed_beside_an_unknown_captured_kernel(void)
{
	destroyed_beside(&(const struct reader){.after = unknown_captured_kernel});
}

/* It takes the place of one of which something is known. */
static void unknown_updating_kernel(void *word)
{
	aclrtStream s = make_stream(), u = make_stream();
	aclrtFuncHandle function = make_function();
	aclrtTaskGrp group = NULL;

	(void)word;
	memset(heap_memory, 0, 64);
	capture_begin(s);
	CALL(aclmdlRICaptureTaskGrpBegin, .stream = s);
	CALL(aclrtLaunchKernelWithHostArgs, .funcHandle = function, .numBlocks = 1, .stream = s,
		.hostArgs = heap_memory, .argsSize = 64);
	CALL_DOES(aclmdlRICaptureTaskGrpEnd, 0, group = make_address(), .stream = s, .handle = &group);
	(void)capture_end(s);
	CALL(aclmdlRICaptureTaskUpdateBegin, .stream = u, .handle = group);
	unknown_kernel_on(u, function);
	CALL(aclmdlRICaptureTaskUpdateEnd, .stream = u);
}

static void destroyed_beside_an_unknown_updating_kernel(void)
{
	destroyed_beside(&(const struct reader){.after = unknown_updating_kernel});
}

/* How long each argument is, is not known. */
static void kernel_of_an_array(void *word)
{
	static void *values[1];

	values[0] = heap_memory;
	memcpy(heap_memory, &word, sizeof(word));
	CALL(aclrtLaunchKernelWithArgsArray, .func = make_function(), .numBlocks = 1, .stream = make_stream(),
		.args = values);
}

static void destroyed_beside_a_kernel_of_an_array(void)
{
	destroyed_beside(&(const struct reader){.before = kernel_of_an_array});
}

/* Only a task is changed into one that writes it. */
static void destroyed_behind_a_set_word(void)
{
	char *d = set_memory(SIZE), *word = set_memory(WORD), *h = make_host_memory(SIZE);
	aclmdlRITaskParams value = {.type = ACL_MODEL_RI_TASK_VALUE_WRITE};
	aclrtStream s = make_stream(), inner = NULL;
	aclmdlRITask task = NULL;
	uint32_t n = 1, tasks = 1;
	aclmdlRI model;

	capture_begin(s);
	launch(s);
	set_on(s, d);
	model = capture_end(s);
	CALL_DOES(aclmdlRIGetStreams, 0, inner = make_address(), .modelRI = model, .streams = &inner,
		.numStreams = &n);
	CALL_DOES(aclmdlRIGetTasksByStream, 0, task = make_address(), .stream = inner, .tasks = &task,
		.numTasks = &tasks);
	value.valueWriteTaskParams.devAddr = word;
	CALL(aclmdlRITaskSetParams, .task = task, .params = &value);
	CALL(aclmdlRIUpdate, .modelRI = model);
	execute(model, s);
	if (!bug)
		read_to_host(h, word);
	CALL(aclmdlRIDestroy, .modelRI = model);
	wait_for(s);
}

static const struct pair pairs[] = {
	PAIR_EACH("mdlri-destroy-running", destroyed_behind_a_read, COPY_LINEAR),
	PAIR_EACH("mdlri-destroy-running", destroyed_behind_a_read, COPY_ROWS),
	PAIR("async-result-used-before-sync", result_read_behind_the_word),
	PAIR("stream-race-set", result_copied_behind_the_word),
	PAIR("mdlri-destroy-running", executed_again_after_a_read),
	PAIR("mdlri-destroy-running", destroyed_behind_all_that_was_read),
	PAIR("mdlri-task-modify-running", changed_behind_a_word),
	PAIR("mdlri-destroy-running", destroyed_beside_a_model_that_copied),
	PAIR("mdlri-destroy-running", destroyed_beside_a_model_that_copies),
	PAIR("mdlri-destroy-running", destroyed_beside_an_indirect_copy),
	PAIR("mdlri-destroy-running", destroyed_beside_a_second_word),
	PAIR("mdlri-destroy-running", destroyed_beside_a_copy),
	PAIR("mdlri-destroy-running", destroyed_beside_a_kernel_before),
	PAIR("mdlri-destroy-running", destroyed_beside_a_kernel),
	PAIR("mdlri-destroy-running", destroyed_beside_a_captured_kernel_before),
	PAIR("mdlri-destroy-running", destroyed_beside_a_captured_kernel),
	PAIR_EACH("mdlri-destroy-running", destroyed_beside_an_unknown_kernel, LAUNCH_KERNEL,
		.role = ACL_ROLE_DEVICE_ARGUMENTS),
	PAIR_EACH("mdlri-destroy-running", destroyed_beside_an_unknown_updating_kernel, LAUNCH_KERNEL,
		.role = ACL_ROLE_DEVICE_ARGUMENTS),
	PAIR("mdlri-destroy-running", destroyed_beside_a_kernel_of_an_array),
	PAIR_EACH("mdlri-destroy-running", destroyed_beside_an_unknown_captured_kernel, LAUNCH_KERNEL,
		.role = ACL_ROLE_DEVICE_ARGUMENTS),
	PAIR("mdlri-destroy-running", destroyed_behind_a_set_word),
};

PAIRS_MAIN("models that write words", pairs)
