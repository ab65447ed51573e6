/* SPDX-License-Identifier: Apache-2.0 */
/* Paired tests of the rules about the tasks of a model: reading and changing them, and the update after it.
 */
#include "tasks.h"

static aclmdlRITaskParams params = {.type = ACL_MODEL_RI_TASK_KERNEL};

/* The only task of the model, and its parameters. */
static aclmdlRITask asked_task(aclmdlRI m)
{
	aclmdlRITask task = task_of(m);

	CALL(aclmdlRITaskGetParams, .task = task, .params = &params);
	params.type = ACL_MODEL_RI_TASK_KERNEL;
	return task;
}

static void update(aclmdlRI m)
{
	CALL(aclmdlRIUpdate, .modelRI = m);
}

static void execute_returns(int64_t code, aclmdlRI m, aclrtStream s)
{
	CALL_FAILS(code, aclmdlRIExecuteAsync, .modelRI = m, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* --- the update after a change ------------------------------------------------------------- */

static void executed_after_disable(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = model_on(s);

	CALL(aclmdlRITaskDisable, .task = asked_task(m));
	if (!bug)
		update(m);
	execute_returns(bug ? 507011 : 0, m, s);
	if (bug)
		update(m);
}

static void executed_after_set(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = model_on(s);

	CALL(aclmdlRITaskSetParams, .task = asked_task(m), .params = &params);
	if (!bug)
		update(m);
	execute_returns(bug ? 507011 : 0, m, s);
	if (bug)
		update(m);
}

/* Of a change that failed the runtime says whether the model is still fit. */
static void executed_after_failure(void)
{
	aclmdlRITaskParams other = {.type = ACL_MODEL_RI_TASK_VALUE_WRITE, .opInfoSize = 1};
	aclrtStream s = make_stream();
	aclmdlRI m = model_on(s);
	aclmdlRITask task = asked_task(m);

	if (bug)
		CALL_FAILS(107000, aclmdlRITaskSetParams, .task = task, .params = &other);
	else
		update(m);
	execute_returns(bug ? 507011 : 0, m, s);
}

/* --- what a changed task uses ---------------------------------------------------------------- */

static aclrtBinHandle load(void)
{
	aclrtBinHandle b = NULL;

	CALL_DOES(aclrtBinaryLoadFromFile, 0, b = make_address(), .binPath = "add.o", .binHandle = &b);
	return b;
}

static aclrtFuncHandle fetch(aclrtBinHandle b)
{
	aclrtFuncHandle f = NULL;

	CALL_DOES(aclrtBinaryGetFunction, 0, f = make_address(), .binHandle = b, .kernelName = "add",
		.funcHandle = &f);
	return f;
}

static aclmdlRI model_of(aclrtFuncHandle f, aclrtStream s)
{
	capture_begin(s);
	CALL(aclrtLaunchKernelWithHostArgs, .funcHandle = f, .numBlocks = 1, .stream = s,
		.hostArgs = heap_memory, .argsSize = 64);
	return capture_end(s);
}

/* The model's only task launches another kernel from now on. */
static void replace_kernel(aclmdlRI m, aclrtFuncHandle f)
{
	aclmdlRITask task = asked_task(m);

	params.kernelTaskParams.funcHandle = f;
	CALL(aclmdlRITaskSetParams, .task = task, .params = &params);
	update(m);
}

static void run_and_destroy(aclmdlRI m, aclrtStream s)
{
	CALL(aclmdlRIExecuteAsync, .modelRI = m, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclmdlRIDestroy, .modelRI = m);
}

/* What the task launched before its change is free. */
static void binary_of_a_replaced_kernel(void)
{
	aclrtStream s = make_stream();
	aclrtBinHandle first = load(), second = load();
	aclmdlRI m = model_of(fetch(first), s);

	if (!bug)
		replace_kernel(m, fetch(second));
	CALL(aclrtBinaryUnLoad, .binHandle = first);
	run_and_destroy(m, s);
	CALL(aclrtBinaryUnLoad, .binHandle = second);
}

static void binary_of_the_new_kernel(void)
{
	aclrtStream s = make_stream();
	aclrtBinHandle first = load(), second = load();
	aclmdlRI m = model_of(fetch(first), s);

	replace_kernel(m, fetch(second));
	CALL(aclrtBinaryUnLoad, .binHandle = bug ? second : first);
	run_and_destroy(m, s);
	CALL(aclrtBinaryUnLoad, .binHandle = bug ? first : second);
}

/* --- what may not be changed ------------------------------------------------------------------- */

static void destroyed_after_change(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = model_on(s);

	CALL(aclmdlRITaskDisable, .task = asked_task(m));
	if (!bug)
		update(m);
	CALL(aclmdlRIDestroy, .modelRI = m);
}

static void disabled_of_no_type(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = model_on(s);
	aclmdlRITask task = asked_task(m);
	aclmdlRITaskType type = ACL_MODEL_RI_TASK_KERNEL;

	CALL_DOES(aclmdlRITaskGetType, 0, type = bug ? ACL_MODEL_RI_TASK_DEFAULT : ACL_MODEL_RI_TASK_KERNEL,
		.task = task, .type = &type);
	pair_assume(bug == (type == ACL_MODEL_RI_TASK_DEFAULT), "tasks of the default type");
	CALL_FAILS(bug ? 107000 : 0, aclmdlRITaskDisable, .task = task);
	if (!bug)
		update(m);
}

static void kernel_of_another_task(void)
{
	static aclmdlRITaskParams is,
		wanted = {.type = ACL_MODEL_RI_TASK_KERNEL, .kernelTaskParams.argsSize = 8};
	aclrtBinHandle b = load();
	aclrtFuncHandle f = fetch(b);
	void *word = make_device_memory(64);
	aclrtStream s = make_stream();
	aclmdlRI m;
	aclmdlRITask task;

	wanted.kernelTaskParams.args = word;
	wanted.kernelTaskParams.numBlocks = 1;
	wanted.kernelTaskParams.funcHandle = f;
	capture_begin(s);
	if (bug)
		CALL(aclrtValueWrite, .devAddr = word, .value = 1, .stream = s);
	else
		CALL(aclrtLaunchKernelWithHostArgs, .funcHandle = f, .numBlocks = 1, .stream = s,
			.hostArgs = heap_memory, .argsSize = 64);
	m = capture_end(s);
	task = asked_task(m);
	CALL_DOES(aclmdlRITaskGetParams, 0,
		is.type = bug ? ACL_MODEL_RI_TASK_VALUE_WRITE : ACL_MODEL_RI_TASK_KERNEL, .task = task,
		.params = &is);
	CALL_FAILS(bug ? 107000 : 0, aclmdlRITaskSetParams, .task = task, .params = &wanted);
	if (!bug)
		update(m);
}

/* Only kernels have attributes, and the task is of another type. */
static void attribute_of_other_task(void)
{
	aclmdlRITask task = asked_task(model_on(make_stream()));
	aclmdlRITaskType type = ACL_MODEL_RI_TASK_KERNEL;

	CALL_DOES(aclmdlRITaskGetType, 0,
		type = bug ? ACL_MODEL_RI_TASK_VALUE_WRITE : ACL_MODEL_RI_TASK_KERNEL, .task = task,
		.type = &type);
	pair_assume(bug == (type == ACL_MODEL_RI_TASK_VALUE_WRITE), "tasks that are no kernels");
	CALL_FAILS(bug ? 107000 : 0, aclmdlRIKernelTaskGetAttribute, .task = task,
		.attrId = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, .attrValue = OUT);
}

static void attribute_of_task_with_parameters(void)
{
	aclmdlRITask task = asked_task(model_on(make_stream()));

	CALL_DOES(aclmdlRITaskGetParams, 0,
		params.type = bug ? ACL_MODEL_RI_TASK_VALUE_WRITE : ACL_MODEL_RI_TASK_KERNEL, .task = task,
		.params = &params);
	pair_assume(bug == (params.type == ACL_MODEL_RI_TASK_VALUE_WRITE), "tasks that are no kernels");
	CALL_FAILS(bug ? 107000 : 0, aclmdlRIKernelTaskGetAttribute, .task = task,
		.attrId = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, .attrValue = OUT);
	params.type = ACL_MODEL_RI_TASK_KERNEL;
}

/* --- memory that its kernels were given ----------------------------------------------------------- */

/* It is not in the arguments themselves but at an address among them. */
static aclmdlRI model_given(void *tensor, aclrtStream s)
{
	uint64_t *words = (uint64_t *)(void *)heap_memory;

	memset(words, 0, 64);
	words[3] = (uintptr_t)tensor + 256;
	return model_of(make_function(), s);
}

static void given_memory_freed_first(void)
{
	aclrtStream s = make_stream();
	char *tensor = make_device_memory(4096);
	aclmdlRI m = model_given(tensor, s);

	if (!bug)
		run_and_destroy(m, s);
	CALL(aclrtFree, .devPtr = tensor);
	if (bug)
		CALL(aclmdlRIDestroy, .modelRI = m);
}

/* With its new arguments the kernel has another tensor. */
static void given_memory_replaced(void)
{
	uint64_t *words = (uint64_t *)(void *)heap_memory;
	aclrtStream s = make_stream();
	char *former = make_device_memory(4096), *tensor = make_device_memory(4096);
	aclmdlRI m = model_given(former, s);
	aclmdlRITask task = asked_task(m);

	words[3] = (uintptr_t)tensor;
	params.kernelTaskParams.args = words;
	params.kernelTaskParams.isHostArgs = 1;
	params.kernelTaskParams.argsSize = 64;
	CALL(aclmdlRITaskSetParams, .task = task, .params = &params);
	update(m);
	CALL(aclrtFree, .devPtr = bug ? tensor : former);
	CALL(aclmdlRIDestroy, .modelRI = m);
	params.kernelTaskParams.args = NULL;
}

/* --- tasks beside the one that is changed ------------------------------------------------------- */

struct copying {
	aclrtStream stream;
	char *from, *to, *word;
	aclmdlRI model;
	aclmdlRITask kernel;
};

/* A kernel, perhaps a word written, a copy: the last one can be neither changed nor disabled. */
static struct copying model_copying(bool word)
{
	struct copying k = {.stream = make_stream(),
		.from = make_device_memory(4096),
		.to = make_device_memory(4096),
		.word = make_device_memory(64)};
	aclmdlRITask task[3] = {NULL};
	aclrtStream inner = NULL;
	uint32_t n = 1, tasks = 3;

	CALL(aclrtMemset, .devPtr = k.from, .maxCount = 4096, .count = 4096);
	capture_begin(k.stream);
	CALL(aclrtLaunchKernelWithHostArgs, .funcHandle = make_function(), .numBlocks = 1, .stream = k.stream,
		.hostArgs = heap_memory, .argsSize = 64);
	if (word)
		CALL(aclrtValueWrite, .devAddr = k.word, .value = 1, .stream = k.stream);
	CALL(aclrtMemcpyAsync, .dst = k.to, .destMax = 4096, .src = k.from, .count = 4096,
		.kind = ACL_MEMCPY_DEVICE_TO_DEVICE, .stream = k.stream);
	k.model = capture_end(k.stream);
	CALL_DOES(aclmdlRIGetStreams, 0, inner = make_address(), .modelRI = k.model, .streams = &inner,
		.numStreams = &n);
	CALL_DOES(aclmdlRIGetTasksByStream, 0, for (unsigned i = 0; i < 3; i++) task[i] = make_address(),
		.stream = inner, .tasks = task, .numTasks = &tasks);
	k.kernel = task[0];
	return k;
}

static void change_kernel(const struct copying *k)
{
	memset(heap_memory, 0, 64);
	CALL(aclmdlRITaskGetParams, .task = k->kernel, .params = &params);
	params.type = ACL_MODEL_RI_TASK_KERNEL;
	CALL(aclmdlRITaskSetParams, .task = k->kernel, .params = &params);
	update(k->model);
}

static void free_early(const struct copying *k, void *memory)
{
	if (!bug)
		CALL(aclmdlRIDestroy, .modelRI = k->model);
	CALL(aclrtFree, .devPtr = memory);
	if (bug)
		CALL(aclmdlRIDestroy, .modelRI = k->model);
}

static void copied_beside_a_changed_kernel(void)
{
	struct copying k = model_copying(true);

	change_kernel(&k);
	free_early(&k, k.to);
}

static void copied_beside_a_disabled_kernel(void)
{
	struct copying k = model_copying(true);

	CALL(aclmdlRITaskDisable, .task = k.kernel);
	update(k.model);
	free_early(&k, k.from);
}

/* A kernel's parameters are set: the word is of another task. */
static void word_beside_a_changed_kernel(void)
{
	struct copying k = model_copying(true);

	change_kernel(&k);
	free_early(&k, k.word);
}

/* Which task was disabled is not known: it may be the one that wrote the word. */
static void word_beside_a_disabled_task(void)
{
	struct copying k = model_copying(true);

	CALL(aclmdlRITaskDisable, .task = k.kernel);
	update(k.model);
	CALL(aclrtFree, .devPtr = bug ? k.to : k.word);
	CALL(aclmdlRIDestroy, .modelRI = k.model);
}

/* The program has asked what the disabled task was. */
static void word_beside_a_disabled_kernel(void)
{
	struct copying k = model_copying(true);
	aclmdlRITaskType type = ACL_MODEL_RI_TASK_KERNEL;

	CALL(aclmdlRITaskGetType, .task = k.kernel, .type = &type);
	CALL(aclmdlRITaskDisable, .task = k.kernel);
	update(k.model);
	free_early(&k, k.word);
}

/* The kernel becomes a write of a value; it might have been the one that wrote the word. */
static void word_beside_a_task_turned_into_a_write(void)
{
	struct copying k = model_copying(true);
	aclmdlRITaskParams value = {.type = ACL_MODEL_RI_TASK_VALUE_WRITE};

	value.valueWriteTaskParams.devAddr = make_device_memory(64);
	CALL(aclmdlRITaskSetParams, .task = k.kernel, .params = &value);
	update(k.model);
	CALL(aclrtFree, .devPtr = bug ? k.to : k.word);
	CALL(aclmdlRIDestroy, .modelRI = k.model);
}

static void read_beside_a_changed_kernel(void)
{
	struct copying k = model_copying(false);
	aclrtStream other = make_stream();
	char *result = make_host_memory(4096);

	change_kernel(&k);
	CALL(aclmdlRIExecuteAsync, .modelRI = k.model, .stream = k.stream);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = k.stream);
	CALL(aclrtMemcpyAsync, .dst = result, .destMax = 4096, .src = k.to, .count = 4096,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST, .stream = other);
	CALL(aclrtSynchronizeStream, .stream = other);
	CALL(aclrtSynchronizeStream, .stream = k.stream);
}

/* The model waits for the other stream, whose copy comes before the word. */
static void read_before_a_task_turned_into_a_wait(void)
{
	struct copying k = model_copying(false);
	aclmdlRITaskParams value = {.type = ACL_MODEL_RI_TASK_VALUE_WAIT};
	aclrtStream other = make_stream();
	char *result = make_host_memory(4096);

	CALL(aclrtMemset, .devPtr = k.word, .maxCount = 64, .count = 64);
	value.valueWaitTaskParams.devAddr = k.word;
	value.valueWaitTaskParams.value = 1;
	value.valueWaitTaskParams.flag = ACL_STREAM_WAIT_VALUE_EQ;
	if (bug)
		change_kernel(&k);
	else
		CALL(aclmdlRITaskSetParams, .task = k.kernel, .params = &value);
	update(k.model);
	CALL(aclmdlRIExecuteAsync, .modelRI = k.model, .stream = k.stream);
	CALL(aclrtMemcpyAsync, .dst = result, .destMax = 4096, .src = k.to, .count = 4096,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST, .stream = other);
	CALL(aclrtValueWrite, .devAddr = k.word, .value = 1, .stream = other);
	CALL(aclrtSynchronizeStream, .stream = other);
	CALL(aclrtSynchronizeStream, .stream = k.stream);
}

/* --- a change at the wrong time --------------------------------------------------------------- */

static void disabled_while_running(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = model_on(s);
	aclmdlRITask task = asked_task(m);

	make_busy(s);
	CALL(aclmdlRIExecuteAsync, .modelRI = m, .stream = s);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL_FAILS(bug ? 107040 : 0, aclmdlRITaskDisable, .task = task);
	CALL(aclrtSynchronizeStream, .stream = s);
	update(m);
}

static void set_while_running(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	aclmdlRI m = model_on(s);
	aclmdlRITask task = asked_task(m);

	make_busy(other);
	CALL(aclmdlRIExecuteAsync, .modelRI = m, .stream = other);
	CALL(aclrtSynchronizeStream, .stream = bug ? s : other);
	pair_thread(1);
	CALL(aclrtSetDevice, .deviceId = 0);
	CALL_FAILS(bug ? 107040 : 0, aclmdlRITaskSetParams, .task = task, .params = &params);
	CALL(aclrtSynchronizeStream, .stream = other);
	update(m);
}

/* The host may have seen the word that follows the execution; the runtime knows that it is not written. */
static void set_before_its_word(void)
{
	aclrtStream s = make_stream();
	uint64_t *word = make_device_memory(64);
	aclmdlRI m = model_on(s);
	aclmdlRITask task = asked_task(m);

	make_busy(s);
	CALL(aclmdlRIExecuteAsync, .modelRI = m, .stream = s);
	CALL(aclrtValueWrite, .devAddr = word, .value = 1, .stream = s);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL_FAILS(bug ? 107040 : 0, aclmdlRITaskSetParams, .task = task, .params = &params);
	CALL(aclrtSynchronizeStream, .stream = s);
	update(m);
}

/* --- two threads at once ------------------------------------------------------------------------ */

static bool together; /* the call of the other thread came while this one was in its own */

static void other_call(aclmdlRITask task)
{
	pair_thread(1);
	CALL(aclmdlRITaskGetParams, .task = task, .params = &params);
	pair_thread(0);
	together = true;
}

static void two_threads(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = model_on(s), n = model_on(s);
	aclmdlRITask mine = asked_task(m), of_other = asked_task(n);

	together = false;
	CALL_DOES(aclmdlRITaskDisable, 0, other_call(bug ? mine : of_other), .task = mine);
	pair_assume(together, "two calls at once are a matter of luck");
	other_call(mine);
	update(m);
}

static void two_threads_each(void)
{
	aclrtStream s = make_stream();
	aclmdlRITask task = asked_task(model_on(s)), other = asked_task(model_on(s));
	aclmdlRITaskType type;

	CALL_DOES(
		aclmdlRITaskGetType, 0,
		{
			pair_thread(1);
			CALL_EACH(0, ROLE(TASK, bug ? task : other), ROLE(ID, OUT), ROLE(ATTRIBUTE, 1),
				ROLE(VALUE, OUT), ROLE(TYPE, OUT), ROLE(PARAMETERS, &params));
			pair_thread(0);
		},
		.task = task, .type = &type);
	pair_assume(together, "two calls at once are a matter of luck");
}

static const struct pair pairs[] = {
	PAIR("capture-resource-freed-before-destroy", given_memory_freed_first),
	PAIR("capture-resource-freed-before-destroy", given_memory_replaced),
	PAIR("capture-resource-freed-before-destroy", copied_beside_a_changed_kernel),
	PAIR("capture-resource-freed-before-destroy", copied_beside_a_disabled_kernel),
	PAIR("capture-resource-freed-before-destroy", word_beside_a_changed_kernel),
	PAIR("capture-resource-freed-before-destroy", word_beside_a_disabled_task),
	PAIR("capture-resource-freed-before-destroy", word_beside_a_disabled_kernel),
	PAIR("capture-resource-freed-before-destroy", word_beside_a_task_turned_into_a_write),
	PAIR("stream-race-copy", read_beside_a_changed_kernel),
	PAIR_AVOIDS("stream-race-copy", read_before_a_task_turned_into_a_wait),
	PAIR("mdlri-task-setparams-type", disabled_of_no_type),
	PAIR("mdlri-task-setparams-type", kernel_of_another_task),
	PAIR("mdlri-kernel-attr-unsupported", attribute_of_other_task),
	PAIR("mdlri-kernel-attr-unsupported", attribute_of_task_with_parameters),
	PAIR("mdlri-execute-not-ready", executed_after_disable),
	PAIR("mdlri-execute-not-ready", executed_after_set),
	PAIR("mdlri-execute-not-ready", executed_after_failure),
	PAIR("mdlri-update-missing", destroyed_after_change),
	PAIR_AVOIDS("capture-binary-unloaded-before-destroy", binary_of_a_replaced_kernel),
	PAIR_AVOIDS("capture-binary-unloaded-before-destroy", binary_of_the_new_kernel),
	PAIR("mdlri-task-modify-running", disabled_while_running),
	PAIR("mdlri-task-modify-running", set_while_running),
	PAIR("mdlri-task-modify-running", set_before_its_word),
	PAIR("mdlri-task-api-concurrent", two_threads),
	PAIR_EACH("mdlri-task-api-concurrent", two_threads_each, INFO_TASK_PARAMETERS),
	PAIR_EACH("mdlri-task-api-concurrent", two_threads_each, INFO_TASK_ID),
	PAIR_EACH("mdlri-task-api-concurrent", two_threads_each, INFO_TASK_TYPE),
	PAIR_EACH("mdlri-task-api-concurrent", two_threads_each, INFO_TASK_ATTRIBUTE),
	PAIR_EACH("mdlri-task-api-concurrent", two_threads_each, TASK_DISABLE),
	PAIR_EACH("mdlri-task-api-concurrent", two_threads_each, TASK_SET_PARAMETERS),
};

PAIRS_MAIN("task rules", pairs)
