/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of tasks of models that are looked at and set: read in the published source. */
#include "rows.h"

static aclrtFuncHandle function_of(aclrtBinaryLoadOptions *options)
{
	aclrtFuncHandle f = NULL;
	aclrtBinHandle bin = NULL;

	need(aclrtBinaryLoadFromData("binary", 6, options, &bin));
	if (options)
		need(aclrtRegisterCpuFunc(bin, "so", "kernel", &f));
	else
		need(aclrtBinaryGetFunction(bin, "kernel", &f));
	return f;
}

static aclrtFuncHandle cpu_function(void)
{
	aclrtBinaryLoadOption cpu = {
		.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, .value.cpuKernelMode = 2};

	return function_of(&(aclrtBinaryLoadOptions){&cpu, 1});
}

/* The tasks of the stream that the capture began on. */
static uint32_t tasks_of(aclmdlRI m, aclmdlRITask tasks[16])
{
	aclrtStream s[4];
	uint32_t n = 4, all = 16;

	need(aclmdlRIGetStreams(m, s, &n));
	need(aclmdlRIGetTasksByStream(s[n - 1], tasks, &all));
	return all;
}

static aclmdlRI ended(aclrtStream s, aclmdlRITask tasks[16])
{
	aclmdlRI m = NULL;

	need(aclmdlRICaptureEnd(s, &m));
	(void)tasks_of(m, tasks);
	return m;
}

static aclmdlRI one_kernel(aclrtLaunchKernelCfg *cfg, aclmdlRITask tasks[16])
{
	aclrtStream s = capturing();

	need(aclrtLaunchKernelV2(function_of(NULL), 2, device(), 8, cfg, s));
	return ended(s, tasks);
}

static aclmdlRI one_value(long **at, aclmdlRITask tasks[16])
{
	aclrtStream s = capturing();

	*at = device();
	need(aclrtMemset(*at, 64, 0, 64));
	need(aclrtValueWrite(*at, 1, 0, s));
	return ended(s, tasks);
}

static aclmdlRITaskParams params_of(aclmdlRITask t)
{
	aclmdlRITaskParams params;

	need(aclmdlRITaskGetParams(t, &params));
	return params;
}

static long type_of(aclmdlRITask t)
{
	aclmdlRITaskType type;

	need(aclmdlRITaskGetType(t, &type));
	return type;
}

static aclrtLaunchKernelAttrValue attribute_of(aclmdlRITask t, aclrtLaunchKernelAttrId id)
{
	aclrtLaunchKernelAttrValue value;

	memset(&value, 7, sizeof(value));
	need(aclmdlRIKernelTaskGetAttribute(t, id, &value));
	return value;
}

static void run_once(aclmdlRI m)
{
	aclrtStream x = stream();

	row(aclmdlRIExecuteAsync(m, x));
	row(aclrtSynchronizeStream(x));
}

static void row_value(const long *at)
{
	long value = -1;

	need(aclrtMemcpy(&value, sizeof(value), at, sizeof(value), ACL_MEMCPY_DEVICE_TO_HOST));
	row(value);
}

/* What is set is there at once, before aclmdlRIUpdate. */
static void what_was_set_is_seen(void)
{
	aclmdlRITask t[16];
	long *at;
	aclmdlRI m = one_value(&at, t);
	aclmdlRITaskParams params = params_of(t[0]);

	params.valueWriteTaskParams.value = 5;
	row(aclmdlRITaskSetParams(t[0], &params));
	row((long)params_of(t[0]).valueWriteTaskParams.value);
	params.type = ACL_MODEL_RI_TASK_VALUE_WAIT;
	params.valueWaitTaskParams.value = 1;
	params.valueWaitTaskParams.flag = 1;
	row(aclmdlRITaskSetParams(t[0], &params));
	row(type_of(t[0]));
	row(aclmdlRIUpdate(m));
	row(type_of(t[0]));
}

static void kernel_no_more(void)
{
	aclmdlRITask t[16];
	aclmdlRI m = one_kernel(NULL, t);
	aclmdlRITaskParams kernel = params_of(t[0]);
	aclmdlRITaskParams value = {
		.type = ACL_MODEL_RI_TASK_VALUE_WRITE, .valueWriteTaskParams.devAddr = device()};

	row(aclmdlRITaskSetParams(t[0], &value));
	row(type_of(t[0]));
	row(aclmdlRITaskSetParams(t[0], &kernel));
	row(aclmdlRIUpdate(m));
}

static void kernel_set_to_no_blocks(void)
{
	aclmdlRITask t[16];
	aclmdlRI m = one_kernel(NULL, t);
	aclmdlRITaskParams params = params_of(t[0]);

	params.kernelTaskParams.numBlocks = 0;
	row(aclmdlRITaskSetParams(t[0], &params));
	row(params_of(t[0]).kernelTaskParams.numBlocks);
	row(aclmdlRIUpdate(m));
	run_once(m);
}

static void blocks_of_17_bits(void)
{
	aclrtStream s = capturing();
	aclmdlRITaskParams params;
	aclmdlRITask t[16];
	aclmdlRI m;

	row(aclrtLaunchKernel(function_of(NULL), 0x10003, device(), 8, s));
	m = ended(s, t);
	params = params_of(t[0]);
	row(params.kernelTaskParams.numBlocks);
	params.kernelTaskParams.numBlocks = 0x20005;
	row(aclmdlRITaskSetParams(t[0], &params));
	row(params_of(t[0]).kernelTaskParams.numBlocks);
	row(aclmdlRIUpdate(m));
}

/* Without a configuration all is as if none had ever been given. */
static void configuration_of_a_task(void)
{
	aclrtLaunchKernelAttr attr = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, .value.schemMode = 1};
	aclrtLaunchKernelCfg cfg = {&attr, 1};
	aclmdlRITask t[16];
	aclmdlRI m = one_kernel(&cfg, t);
	aclmdlRITaskParams params = params_of(t[0]);

	row(attribute_of(t[0], ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE).schemMode);
	row(!params.kernelTaskParams.cfg);
	row(aclmdlRITaskSetParams(t[0], &params));
	row(attribute_of(t[0], ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE).schemMode);
	attr.id = ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP;
	memset(&attr.value, 0, sizeof(attr.value));
	attr.value.isDataDump = 1;
	params.kernelTaskParams.cfg = &cfg;
	row(aclmdlRITaskSetParams(t[0], &params));
	row(attribute_of(t[0], ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP).isDataDump);
	cfg.attrs = NULL;
	row(aclmdlRITaskSetParams(t[0], &params));
	row(aclmdlRIUpdate(m));
}

/* A launch would refuse the value. */
static void values_that_are_not_looked_at(void)
{
	aclrtLaunchKernelAttr attr = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, .value.schemMode = 9};
	aclrtLaunchKernelCfg cfg = {&attr, 1};
	aclmdlRITask t[16];
	aclmdlRI m = one_kernel(NULL, t);
	aclmdlRITaskParams params = params_of(t[0]);

	params.kernelTaskParams.cfg = &cfg;
	row(aclmdlRITaskSetParams(t[0], &params));
	row(attribute_of(t[0], ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE).schemMode);
	attr.id = (aclrtLaunchKernelAttrId)99;
	row(aclmdlRITaskSetParams(t[0], &params));
	row(aclmdlRIUpdate(m));
}

/* Records, waits and the resets at the end name their event, also when it is destroyed. */
static void events_of_tasks(void)
{
	aclrtStream s = capturing(), other = stream(), lanes[4];
	aclrtEvent fork = event_ex(ACL_EVENT_SYNC), join = event_ex(ACL_EVENT_SYNC);
	aclmdlRITask here[16], there[16];
	uint32_t n = 4, all = 16;
	aclmdlRI m = NULL;

	need(aclrtRecordEvent(fork, s));
	need(aclrtStreamWaitEvent(other, fork));
	need(aclrtRecordEvent(join, other));
	need(aclrtStreamWaitEvent(s, join));
	need(aclmdlRICaptureEnd(s, &m));
	need(aclmdlRIGetStreams(m, lanes, &n));
	need(aclmdlRIGetTasksByStream(lanes[0], there, &all));
	row(tasks_of(m, here));
	row(all);
	for (unsigned i = 0; i < 2; i++) {
		row(type_of(here[0]));
		row(params_of(here[0]).eventRecordTaskParams.event != NULL);
		row(params_of(here[0]).eventRecordTaskParams.eventFlag);
		row(params_of(there[0]).eventWaitTaskParams.event ==
			params_of(here[0]).eventRecordTaskParams.event);
		row(params_of(here[1]).eventWaitTaskParams.event ==
			params_of(there[1]).eventRecordTaskParams.event);
		row(params_of(here[0]).eventRecordTaskParams.event !=
			params_of(here[1]).eventWaitTaskParams.event);
		need(i ? ACL_SUCCESS : aclrtDestroyEvent(fork));
		need(i ? ACL_SUCCESS : aclrtDestroyEvent(join));
	}
}

static void group_of_a_task(void)
{
	aclrtStream s = capturing();
	aclmdlRITaskParams params;
	aclrtTaskGrp g = NULL;
	aclmdlRITask t[16];
	aclmdlRI m = NULL;
	uint32_t n;

	need(aclmdlRICaptureTaskGrpBegin(s));
	need(aclrtLaunchKernel(function_of(NULL), 1, device(), 8, s));
	need(aclmdlRICaptureTaskGrpEnd(s, &g));
	need(aclrtLaunchKernel(function_of(NULL), 1, device(), 8, s));
	need(aclmdlRICaptureEnd(s, &m));
	n = tasks_of(m, t);
	row(!params_of(t[n - 1]).taskGrp);
	params = params_of(t[n - 2]);
	row(params.taskGrp == g);
	row(aclmdlRITaskSetParams(t[n - 2], &params));
	row(aclmdlRIUpdate(m));
}

static aclrtStream caching(void)
{
	aclrtStreamAttrValue value = {0};
	aclrtStream s = stream();

	value.cacheOpInfoSwitch = 1;
	need(aclrtSetStreamAttribute(s, ACL_STREAM_ATTR_CACHE_OP_INFO, &value));
	need(aclmdlRICaptureBegin(s, RELAXED));
	return s;
}

static void operator_of_a_task(void)
{
	aclrtStream s = caching();
	aclmdlRITaskParams params;
	aclmdlRITask t[16];

	need(aclrtLaunchKernel(function_of(NULL), 1, device(), 8, s));
	row(aclrtCacheLastTaskOpInfo("abcd", 4));
	(void)ended(s, t);
	params = params_of(t[0]);
	row((long)params.opInfoSize);
	row(params.opInfoPtr && !memcmp(params.opInfoPtr, "abcd", 4));
	row(aclmdlRITaskSetParams(t[0], &params));
	row((long)params_of(t[0]).opInfoSize);
	params.opInfoPtr = NULL;
	params.opInfoSize = 0;
	row(aclmdlRITaskSetParams(t[0], &params));
	row((long)params_of(t[0]).opInfoSize);
	row(!params_of(t[0]).opInfoPtr);
}

/* Arguments that are set to where they are stay there. */
static void arguments_of_a_task(void)
{
	aclmdlRITask t[16];
	aclrtStream s = capturing();
	aclmdlRITaskParams params;
	long args[2] = {7, 8};
	aclmdlRI m;
	void *at;

	need(aclrtLaunchKernelWithHostArgs(function_of(NULL), 2, s, NULL, args, sizeof(args), NULL, 0));
	m = ended(s, t);
	params = params_of(t[0]);
	at = params.kernelTaskParams.args;
	row(aclmdlRITaskSetParams(t[0], &params));
	row(params_of(t[0]).kernelTaskParams.args == at);
	params.kernelTaskParams.argsSize = 8;
	row(aclmdlRITaskSetParams(t[0], &params));
	row(params_of(t[0]).kernelTaskParams.args == at);
	row(aclmdlRIUpdate(m));
	row(params_of(t[0]).kernelTaskParams.args == at);
	run_once(m);
}

/* Refused, but what is known of its launch is there. */
static void kernel_of_a_built_model(void)
{
	aclmdlRITaskParams params;
	aclmdlRITask t = NULL;
	aclrtStream s = NULL;
	aclmdlRI m = NULL;
	uint32_t n = 1;

	need(aclmdlRIBuildBegin(&m, 0));
	need(aclrtCreateStreamWithConfig(&s, 0, ACL_STREAM_PERSISTENT));
	need(aclmdlRIBindStream(m, s, 0));
	need(aclrtLaunchKernel(function_of(NULL), 3, device(), 8, s));
	need(aclmdlRIGetTasksByStream(s, &t, &n));
	row(aclmdlRITaskGetParams(t, &params));
	row(params.type);
	row(params.kernelTaskParams.numBlocks);
}

static void disabled_tasks_are_gone(void)
{
	aclrtStream s = capturing();
	long *at = device();
	aclmdlRITask t[16];
	aclmdlRI m;

	need(aclrtMemset(at, 64, 0, 64));
	need(aclrtValueWrite(at, 1, 0, s));
	need(aclrtValueWrite(at + 1, 1, 0, s));
	m = ended(s, t);
	row(aclmdlRITaskDisable(t[0]));
	row(tasks_of(m, t));
	row(aclmdlRIUpdate(m));
	row(tasks_of(m, t));
	row(type_of(t[0]));
	run_once(m);
	row_value(at);
	row_value(at + 1);
}

/* A stream is left with one that does nothing. */
static void last_task_disabled(void)
{
	aclmdlRITaskParams params;
	aclmdlRITask t[16];
	long *at;
	aclmdlRI m = one_value(&at, t);

	row(aclmdlRITaskDisable(t[0]));
	row(type_of(t[0]));
	row(aclmdlRIUpdate(m));
	row(tasks_of(m, t));
	row(type_of(t[0]));
	row(aclmdlRITaskGetParams(t[0], &params));
	run_once(m);
	row_value(at);
}

static void set_and_disabled(void)
{
	aclmdlRITask t[16];
	long *at;
	aclmdlRI m = one_value(&at, t);
	aclmdlRITaskParams params = params_of(t[0]);

	params.valueWriteTaskParams.value = 5;
	row(aclmdlRITaskSetParams(t[0], &params));
	row(aclmdlRITaskDisable(t[0]));
	row((long)params_of(t[0]).valueWriteTaskParams.value);
	row(aclmdlRIUpdate(m));
	run_once(m);
	row_value(at);
}

static void disabled_and_set(void)
{
	aclmdlRITask t[16];
	long *at;
	aclmdlRI m = one_value(&at, t);
	aclmdlRITaskParams params = params_of(t[0]);

	params.valueWriteTaskParams.value = 5;
	row(aclmdlRITaskDisable(t[0]));
	row(aclmdlRITaskSetParams(t[0], &params));
	row(aclmdlRIUpdate(m));
	row(tasks_of(m, t));
	row(type_of(t[0]));
	run_once(m);
	row_value(at);
}

/* Those of the CPU are no kernels for a model. */
static void kernel_of_the_cpu_as_task(void)
{
	aclrtLaunchKernelAttrValue value;
	aclrtStream s = capturing();
	aclmdlRITaskParams params;
	aclmdlRITask t[16];
	aclmdlRI m;
	long args = 0;

	row(aclrtLaunchKernelWithHostArgs(cpu_function(), 1, s, NULL, &args, 8, NULL, 0));
	m = ended(s, t);
	row(type_of(t[0]));
	row(aclmdlRITaskGetParams(t[0], &params));
	row(aclmdlRIKernelTaskGetAttribute(t[0], ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, &value));
	row(aclmdlRITaskDisable(t[0]));
	row(aclmdlRIExecuteAsync(m, stream()));
}

static void kernel_of_the_cpu_in_a_group(void)
{
	aclrtStream s = capturing();
	aclrtTaskGrp g = NULL;
	aclmdlRI m = NULL;
	long args = 0;

	row(aclmdlRICaptureTaskGrpBegin(s));
	row(aclrtLaunchKernelWithHostArgs(cpu_function(), 1, s, NULL, &args, 8, NULL, 0));
	row(aclmdlRICaptureTaskGrpEnd(s, &g));
	row(aclmdlRICaptureEnd(s, &m));
}

static void group_updated_with_one_of_the_cpu(void)
{
	aclrtStream s = capturing(), x = stream();
	aclrtTaskGrp g = NULL;
	aclmdlRI m = NULL;
	long args = 0;

	need(aclmdlRICaptureTaskGrpBegin(s));
	need(aclrtLaunchKernel(function_of(NULL), 1, device(), 8, s));
	need(aclmdlRICaptureTaskGrpEnd(s, &g));
	need(aclmdlRICaptureEnd(s, &m));
	row(aclmdlRICaptureTaskUpdateBegin(x, g));
	row(aclrtLaunchKernelWithHostArgs(cpu_function(), 1, x, NULL, &args, 8, NULL, 0));
	row(aclmdlRICaptureTaskUpdateEnd(x) != 0);
}

const struct row rows_tasks[] = {ROW(what_was_set_is_seen), ROW(kernel_no_more), ROW(kernel_set_to_no_blocks),
	ROW(blocks_of_17_bits), ROW(configuration_of_a_task), ROW(values_that_are_not_looked_at),
	ROW(events_of_tasks), ROW(group_of_a_task), ROW(operator_of_a_task), ROW(arguments_of_a_task),
	ROW(kernel_of_a_built_model), ROW(disabled_tasks_are_gone), ROW(last_task_disabled),
	ROW(set_and_disabled), ROW(disabled_and_set), ROW(kernel_of_the_cpu_as_task),
	ROW(kernel_of_the_cpu_in_a_group), ROW(group_updated_with_one_of_the_cpu), {NULL, NULL}};
