/* SPDX-License-Identifier: Apache-2.0 */
/* What belongs to models beside their execution: conditions, streams, tasks, names; by the published source
 * alone. */
#include "acl/acl_rt_memory_soma.h"
#include "rows.h"

static aclmdlRI of_capture(aclrtStream s)
{
	aclmdlRI m = NULL;

	need(aclmdlRICaptureGetInfo(s, NULL, &m));
	return m;
}

/* --- conditions ------------------------------------------------------------------------------ */

static aclmdlRICondHandle condition_in(aclrtStream s)
{
	aclmdlRICondHandle handle = NULL;

	need(aclmdlRICondHandleCreate(of_capture(s), 0, (aclmdlRICondHandleFlag)0, &handle));
	return handle;
}

static aclmdlRICondHandle condition_that_is_gone(void)
{
	aclrtStream s = capturing();
	aclmdlRICondHandle handle = condition_in(s);
	aclmdlRI m;

	need(aclmdlRICaptureEnd(s, &m));
	need(aclmdlRIDestroy(m));
	return handle;
}

/* The handle is looked into before anything else is looked at. */
static void tasks_of_conditions_that_are_gone(void)
{
	aclmdlRI body = NULL;
	aclmdlRICondTaskParams params = {condition_that_is_gone(), ACL_MODEL_RI_COND_TYPE_WHILE, 1, &body};
	aclrtStream s = capturing();

	row(aclmdlRIAddCondTask(params, s, 0));
	row(aclmdlRIAddCondTask(params, stream(), 0));
	row(aclmdlRIAddCondTask(params, s, 1));
	params.size = 0;
	row(aclmdlRIAddCondTask(params, s, 0));
	params.size = 1;
	params.handle = NULL;
	row(aclmdlRIAddCondTask(params, s, 0));
	params.handle = condition_in(s);
	row(aclmdlRIAddCondTask(params, s, 0));
	row(aclmdlRIAddCondTask(params, s, 0));
}

/* --- streams --------------------------------------------------------------------------------- */

static aclrtStream bound_to(aclmdlRI m, uint32_t flag)
{
	aclrtStream s = NULL;

	need(aclrtCreateStreamWithConfig(&s, 0, ACL_STREAM_PERSISTENT));
	need(aclmdlRIBindStream(m, s, flag));
	return s;
}

static uint32_t streams_of(aclmdlRI m, aclrtStream *s)
{
	uint32_t n = 3;

	row(aclmdlRIGetStreams(m, s, &n));
	return n;
}

/* The one that came last is the first one; one that is unbound is none of them. */
static void streams_in_order(void)
{
	aclrtStream a, b, s[3] = {NULL};
	aclmdlRI m = NULL;

	need(aclmdlRIBuildBegin(&m, 0));
	a = bound_to(m, ACL_MODEL_STREAM_FLAG_HEAD);
	b = bound_to(m, ACL_MODEL_STREAM_FLAG_DEFAULT);
	row(streams_of(m, s));
	row(s[0] == b && s[1] == a);
	row(aclmdlRIUnbindStream(m, a));
	row(streams_of(m, s));
	row(s[0] == b && !s[1]);
	need(aclmdlRIBindStream(m, a, ACL_MODEL_STREAM_FLAG_HEAD));
	row(streams_of(m, s));
	row(s[0] == a && s[1] == b);
	need(aclmdlRIUnbindStream(m, a));
	need(aclmdlRIUnbindStream(m, b));
	row(streams_of(m, s));
}

static void streams_unbound_do_not_run(void)
{
	uint64_t there[2] = {0, 0};
	char *words = device();
	aclmdlRI m = NULL;
	aclrtStream s[2];

	need(aclrtMemset(words, sizeof(there), 0, sizeof(there)));
	need(aclmdlRIBuildBegin(&m, 0));
	for (int i = 0; i < 2; i++) {
		s[i] = bound_to(m, ACL_MODEL_STREAM_FLAG_HEAD);
		need(aclrtValueWrite(words + 8 * i, 1, 0, s[i]));
	}
	need(aclmdlRIEndTask(m, s[0]));
	need(aclmdlRIBuildEnd(m, NULL));
	row(aclmdlRIUnbindStream(m, s[1]));
	row(aclmdlRIExecute(m, -1));
	need(aclrtMemcpy(there, sizeof(there), words, sizeof(there), ACL_MEMCPY_DEVICE_TO_HOST));
	row((long)there[0]);
	row((long)there[1]);
}

static aclmdlRITaskType first_task_of(aclrtStream s)
{
	aclmdlRITaskType type = ACL_MODEL_RI_TASK_DEFAULT;
	aclmdlRITask t[8] = {NULL};
	uint32_t n = 8;

	need(aclmdlRIGetTasksByStream(s, t, &n));
	need(aclmdlRITaskGetType(t[0], &type));
	return type;
}

/* The stream that the capture began on comes last: its first task is no wait. */
static void captured_streams_in_order(void)
{
	aclrtEvent fork = event_ex(ACL_EVENT_SYNC), join = event_ex(ACL_EVENT_SYNC);
	aclrtStream s = capturing(), joined = stream(), of[3] = {NULL};
	void *word = device();
	aclmdlRI m = NULL;

	need(aclrtValueWrite(word, 1, 0, s));
	need(aclrtRecordEvent(fork, s));
	need(aclrtStreamWaitEvent(joined, fork));
	need(aclrtRecordEvent(join, joined));
	need(aclrtStreamWaitEvent(s, join));
	row(streams_of(of_capture(s), of));
	row(first_task_of(of[1]));
	need(aclmdlRICaptureEnd(s, &m));
	row(streams_of(m, of));
	row(first_task_of(of[1]));
}

/* --- names ----------------------------------------------------------------------------------- */

/* A name that does not fit clears the room that there is, and no more. */
static void names_that_do_not_fit(void)
{
	char name[8] = "none";
	aclmdlRI m = model();

	need(aclmdlRISetName(m, "abc"));
	row(aclmdlRIGetName(m, 3, name));
	row(!name[0] && !name[1] && !name[2] && name[3] == 'e');
	row(aclmdlRIGetName(m, 4, name));
	row(!strcmp(name, "abc"));
	row(aclmdlRISetName(m, "abc"));
	row(aclmdlRISetName(m, "b"));
	row(aclmdlRIGetName(m, 2, name));
	row(!strcmp(name, "b"));
}

/* Room that is too much for a copy is refused, and left as it is. */
static void names_with_too_much_room(void)
{
	char name[8] = "none";
	aclmdlRI m = model();

	row(aclmdlRIGetName(m, UINT32_MAX, name));
	row(!strcmp(name, "none"));
	row(aclmdlRIGetName(m, (uint32_t)INT32_MAX + 1, name));
	row(!strcmp(name, "none"));
	row(aclmdlRIGetName(m, INT32_MAX, name));
	row(!*name);
}

/* --- captures -------------------------------------------------------------------------------- */

#define JUNK ((void *)0x55)

static void end_into(aclrtStream s, aclmdlRI *m)
{
	*m = JUNK;
	row(aclmdlRICaptureEnd(s, m));
	row(*m == JUNK ? 2 : *m != NULL);
}

/* The model of an end that fails: not written where no capture is (2), NULL where one goes on (0). */
static void models_of_ends_that_fail(void)
{
	aclrtStream s = capturing(), joined = stream();
	aclrtEvent fork = event_ex(ACL_EVENT_SYNC);
	aclrtContext here, other;
	aclmdlRI m;

	end_into(stream(), &m);
	need(aclrtRecordEvent(fork, s));
	need(aclrtStreamWaitEvent(joined, fork));
	end_into(joined, &m);
	need(aclrtGetCurrentContext(&here));
	need(aclrtCreateContext(&other, 0));
	end_into(s, &m);
	need(aclrtSetCurrentContext(here));
	s = capturing();
	end_into(s, &m);
	row(aclmdlRICaptureEnd(s, NULL));
	end_into(model(), &m);
}

static void exchange(aclmdlRICaptureMode mode)
{
	row(aclmdlRICaptureThreadExchangeMode(&mode));
	row(mode);
}

/* A thread's mode is kept beyond captures and devices. */
static void modes_of_a_thread(void)
{
	aclrtStream s = stream();
	aclmdlRI m;

	need(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	exchange(ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL);
	need(aclmdlRICaptureEnd(s, &m));
	exchange(RELAXED);
	need(aclrtSetDevice(1));
	exchange(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
}

static aclrtTaskGrp empty_group(void)
{
	aclrtStream s = capturing();
	aclrtTaskGrp group = NULL;
	aclmdlRI m;

	need(aclmdlRICaptureTaskGrpBegin(s));
	need(aclmdlRICaptureTaskGrpEnd(s, &group));
	need(aclmdlRICaptureEnd(s, &m));
	return group;
}

static void capture_amid_an_update(void)
{
	aclrtTaskGrp group = empty_group(), other = empty_group();
	aclrtStream s = stream();
	aclmdlRI m;

	row(aclmdlRICaptureTaskUpdateBegin(s, group));
	row(aclmdlRICaptureTaskUpdateBegin(s, other));
	row(aclmdlRICaptureBegin(s, RELAXED));
	row(aclmdlRICaptureTaskUpdateEnd(s));
	row(aclmdlRICaptureEnd(s, &m));
	row(aclmdlRICaptureTaskUpdateEnd(s));
	row(aclmdlRICaptureTaskUpdateBegin(s, group));
}

/* --- tasks ----------------------------------------------------------------------------------- */

static aclmdlRITask first_task_in(aclmdlRI m)
{
	aclrtStream s = NULL;
	aclmdlRITask t[4] = {NULL};
	uint32_t streams = 1, n = 4;

	need(aclmdlRIGetStreams(m, &s, &streams));
	need(aclmdlRIGetTasksByStream(s, t, &n));
	return t[0];
}

/* Those of a capture that goes on can be looked at, and stay the same. */
static void tasks_while_capturing(void)
{
	aclmdlRITaskType type = ACL_MODEL_RI_TASK_DEFAULT;
	aclmdlRITaskParams params;
	aclrtStream s = capturing();
	aclmdlRITask t;
	aclmdlRI m;

	need(aclrtValueWrite(device(), 1, 0, s));
	t = first_task_in(of_capture(s));
	row(aclmdlRITaskGetType(t, &type));
	row(type);
	row(aclmdlRITaskGetParams(t, &params));
	need(aclmdlRICaptureEnd(s, &m));
	row(first_task_in(m) == t);
	row(aclmdlRITaskSetParams(t, &params));
}

static void task_of_no_kind_disabled(void)
{
	aclmdlRI m = model();

	row(aclmdlRITaskDisable(first_task_in(m)));
	row(aclmdlRIUpdate(m));
	row(aclmdlRIExecuteAsync(m, stream()));
}

static void *update(void *m)
{
	row(aclmdlRIUpdate(m));
	return NULL;
}

/* Tasks are changed and the model is updated in any context, and in none; it runs in its own. */
static void update_elsewhere(void)
{
	aclrtStream s = capturing(), elsewhere;
	aclmdlRITaskParams params;
	aclrtContext other;
	aclmdlRITask t;
	aclmdlRI m;

	need(aclrtValueWrite(device(), 1, 0, s));
	need(aclmdlRICaptureEnd(s, &m));
	t = first_task_in(m);
	need(aclmdlRITaskGetParams(t, &params));
	need(aclrtCreateContext(&other, 0));
	elsewhere = stream();
	row(aclmdlRIUpdate(m));
	row(aclmdlRITaskSetParams(t, &params));
	row(aclmdlRIUpdate(m));
	in_thread(update, m);
	row(aclmdlRIExecuteAsync(m, elsewhere));
}

/* --- work in captures -------------------------------------------------------------------------- */

static void row_of_end(aclrtStream s)
{
	aclmdlRI m;

	row(aclmdlRICaptureEnd(s, &m));
}

/* Work is taken although the capture is invalid; what no capture takes is refused as ever. */
static void work_in_invalid_capture(void)
{
	aclrtStream s = capturing(), other = capturing();
	aclrtEvent e = event_ex(ACL_EVENT_SYNC);
	aclmdlRICaptureStatus status;
	char *d = device();

	need(aclrtRecordEvent(e, s));
	row(aclrtStreamWaitEvent(other, e));
	row(aclrtMemcpyAsync(d, 64, d + 64, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, s));
	row(aclrtMemcpy2dAsync(d, 64, d + 1024, 64, 16, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, s));
	row(aclrtResetOverflowStatus(s));
	row(aclmdlRICaptureGetInfo(s, &status, NULL));
	row(status);
	row_of_end(s);
}

static void run(aclmdlRI m)
{
	aclrtStream s = stream();

	row(aclmdlRIExecuteAsync(m, s));
	row(aclrtSynchronizeStream(s));
}

/* A pool has its memory back before the model runs; a stream that joined has memory, too. */
static void pools_in_captures(void)
{
	aclrtMemPoolProps props = {.location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}, .maxSize = 2 * MIB2};
	aclrtEvent fork = event_ex(ACL_EVENT_SYNC), join = event_ex(ACL_EVENT_SYNC);
	aclrtStream s = stream(), joined = stream();
	uint64_t used = 77;
	aclrtMemPool pool;
	aclmdlRI m;
	void *p;

	need(aclrtMemPoolCreate(&pool, &props));
	need(aclrtMemPoolMallocAsync(&p, 64, pool, s));
	need(aclmdlRICaptureBegin(s, RELAXED));
	row(aclrtMemPoolFreeAsync(p, s));
	row(aclrtMemPoolFreeAsync(p, s));
	need(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &used));
	row((long)used);
	need(aclrtRecordEvent(fork, s));
	need(aclrtStreamWaitEvent(joined, fork));
	row(aclrtMemPoolMallocAsync(&p, 64, pool, joined));
	need(aclrtRecordEvent(join, joined));
	need(aclrtStreamWaitEvent(s, join));
	row(aclmdlRICaptureEnd(s, &m));
	run(m);
}

static void capture_of_a_stream_at_work(void)
{
	aclrtStream s = stream();
	aclrtNotify n;

	need(aclrtCreateNotify(&n, 0));
	need(aclrtWaitAndResetNotify(n, s, 0));
	row(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	row(aclrtMemsetAsync(device(), 64, 0, 64, s));
	row_of_end(s);
	need(aclrtRecordNotify(n, stream()));
	row(aclrtSynchronizeStream(s));
}

static aclmdlRI ended, active;

static void *conditions(void *unknown_too)
{
	aclmdlRICondHandle handle = JUNK;

	row(aclmdlRICondHandleCreate(active, 0, (aclmdlRICondHandleFlag)0, &handle));
	row(aclmdlRICondHandleCreate(ended, 0, (aclmdlRICondHandleFlag)0, &handle));
	if (unknown_too)
		row(aclmdlRICondHandleCreate(active, 0, (aclmdlRICondHandleFlag)2, &handle));
	row(handle == JUNK);
	return NULL;
}

/* Whether the capture goes on is looked at before the context. */
static void conditions_not_made_here(void)
{
	aclrtContext other;

	ended = model();
	active = of_capture(capturing());
	in_thread(conditions, &ended);
	need(aclrtCreateContext(&other, 0));
	(void)conditions(NULL);
}

/* --- built models -------------------------------------------------------------------------------- */

/* A stream that is bound to the first of two models. */
static aclrtStream in_first_of_two(aclmdlRI *m, aclmdlRI *other)
{
	need(aclmdlRIBuildBegin(m, 0));
	need(aclmdlRIBuildBegin(other, 0));
	return bound_to(*m, ACL_MODEL_STREAM_FLAG_HEAD);
}

static void end_given_twice(void)
{
	aclmdlRI m = NULL, other = NULL;
	aclrtStream s = in_first_of_two(&m, &other);

	row(aclmdlRIEndTask(m, s));
	row(aclmdlRIEndTask(m, s));
	row(aclmdlRIEndTask(m, bound_to(other, ACL_MODEL_STREAM_FLAG_HEAD)));
	row(aclmdlRIBuildEnd(m, NULL));
	row(aclmdlRIExecute(m, 5000));
}

static void stream_unbound_after_its_end(void)
{
	aclmdlRI m = NULL, other = NULL;
	aclrtStream s = in_first_of_two(&m, &other);

	row(aclmdlRIBindStream(m, s, ACL_MODEL_STREAM_FLAG_HEAD));
	row(aclmdlRIUnbindStream(other, s));
	need(aclmdlRIEndTask(m, s));
	row(aclmdlRIUnbindStream(m, s));
	row(aclmdlRIUnbindStream(m, s));
	row(aclmdlRIBuildEnd(m, NULL));
}

static int destroyed;

static void count_one(void *data)
{
	(void)data;
	destroyed++;
}

static void count_ten(void *data)
{
	(void)data;
	destroyed += 10;
}

/* It is by the function that they are known. */
static void callbacks_with_other_data(void)
{
	aclmdlRI m = model();

	row(aclmdlRIDestroyRegisterCallback(m, count_one, &m));
	row(aclmdlRIDestroyRegisterCallback(m, count_one, NULL));
	row(aclmdlRIDestroyRegisterCallback(m, count_ten, NULL));
	row(aclmdlRIDestroyUnregisterCallback(m, count_one));
	need(aclmdlRIDestroy(m));
	row(destroyed);
}

/* The place for a group is cleared by an end that fails, but not by one that the stream or the context
 * refuses. */
static void end_group(aclrtStream s)
{
	aclrtTaskGrp mark = (aclrtTaskGrp)&mark, g = mark;

	row(aclmdlRICaptureTaskGrpEnd(s, &g));
	row(g == mark ? 2 : !g);
}

static void groups_of_ends_that_fail(void)
{
	void *d = device();
	aclrtStream s = capturing();
	aclrtContext here, other;

	need(aclrtGetCurrentContext(&here));
	end_group(stream());
	end_group(s);
	need(aclmdlRICaptureTaskGrpBegin(s));
	need(aclrtCreateContext(&other, 0));
	end_group(s);
	need(aclrtSetCurrentContext(here));
	end_group(s);
	need(aclmdlRICaptureTaskGrpBegin(s));
	row(aclrtMemsetAsync(d, 64, 0, 64, s));
	end_group(s);
}

/* --- updates of single tasks ------------------------------------------------------------------- */

static void update_by(aclrtStream of, aclrtStream by)
{
	aclrtTaskUpdateInfo info = {.id = ACL_RT_UPDATE_RANDOM_TASK};

	row(aclrtTaskUpdateAsync(of, 0, &info, by));
}

/* The stream that updates is looked at before the one whose task it is: its model, its capture, its context.
 */
static void updates_by_streams_of_no_use(void)
{
	aclrtStream captured = capturing(), idle = stream(), bound;
	aclrtContext other;
	aclmdlRI m = NULL;

	need(aclmdlRIBuildBegin(&m, 0));
	bound = bound_to(m, ACL_MODEL_STREAM_FLAG_HEAD);
	need(aclrtMemsetAsync(device(), 64, 0, 64, bound));
	update_by(idle, captured);
	update_by(idle, bound);
	update_by(bound, idle);
	need(aclrtCreateContext(&other, 0));
	update_by(bound, bound);
	update_by(bound, captured);
	update_by(bound, idle);
	update_by(bound, stream());
}

static uint32_t last_task(void)
{
	uint32_t id = 0;

	need(aclrtGetThreadLastTaskId(&id));
	return id;
}

static uint32_t set_on(aclrtStream s, void *d)
{
	need(aclrtMemsetAsync(d, 64, 0, 64, s));
	return last_task();
}

/* Tasks of a model have numbers, too; by them one is found that is none of random numbers. */
static void numbers_of_tasks_in_models(void)
{
	aclrtTaskUpdateInfo info = {.id = ACL_RT_UPDATE_RANDOM_TASK};
	aclrtStream captured = capturing(), bound;
	uint32_t first, second;
	void *d = device();
	aclmdlRI m = NULL;

	need(aclmdlRIBuildBegin(&m, 0));
	bound = bound_to(m, ACL_MODEL_STREAM_FLAG_HEAD);
	first = set_on(captured, d);
	row(first != set_on(captured, d));
	first = set_on(bound, d);
	second = set_on(bound, d);
	row(first != second);
	row(aclrtTaskUpdateAsync(bound, second, &info, stream()));
	row(aclrtTaskUpdateAsync(bound, second + 1, &info, stream()));
}

/* A kernel that a capture took from host memory, with this argument. */
static aclmdlRI model_of_kernel(uint64_t argument)
{
	aclrtStream s = capturing();
	aclrtFuncHandle func;
	aclrtBinHandle bin;
	aclmdlRI m;

	need(aclrtBinaryLoadFromData("binary", 6, NULL, &bin));
	need(aclrtBinaryGetFunction(bin, "kernel", &func));
	need(aclrtLaunchKernelWithHostArgs(func, 1, s, NULL, &argument, sizeof(argument), NULL, 0));
	need(aclmdlRICaptureEnd(s, &m));
	return m;
}

/* A task has its arguments on the device, also when they came from the host; they may be set as they were
 * read. */
static void arguments_of_tasks(void)
{
	aclmdlRI m = model_of_kernel(7);
	aclmdlRITask t = first_task_in(m);
	aclmdlRITaskParams params;
	uint64_t argument = 0;

	row(aclmdlRITaskGetParams(t, &params));
	row(params.kernelTaskParams.isHostArgs);
	row((long)params.kernelTaskParams.argsSize);
	row(aclrtMemcpy(&argument, sizeof(argument), params.kernelTaskParams.args, sizeof(argument),
		ACL_MEMCPY_DEVICE_TO_HOST));
	row(argument == 7);
	row(aclmdlRITaskSetParams(t, &params));
	row(aclmdlRIUpdate(m));
	row(aclmdlRIExecuteAsync(m, stream()));
	row(aclrtSynchronizeDevice());
	argument = 8;
	params.kernelTaskParams.args = &argument;
	params.kernelTaskParams.isHostArgs = 1;
	row(aclmdlRITaskSetParams(t, &params));
	row(aclmdlRIUpdate(m));
	row(aclmdlRITaskGetParams(t, &params));
	row(params.kernelTaskParams.isHostArgs);
	row(aclmdlRIDestroy(m));
}

/* A task of a type that has none clears them all the same. */
static void parameters_that_are_none(void)
{
	aclmdlRITaskParams params;
	aclmdlRI m = model();

	memset(&params, 7, sizeof(params));
	row(aclmdlRITaskGetParams(NULL, &params));
	row(params.type != ACL_MODEL_RI_TASK_DEFAULT);
	row(aclmdlRITaskGetParams(first_task_in(m), &params));
	row(params.type);
	row((long)params.opInfoSize);
}

/* --- labels ---------------------------------------------------------------------------------- */

static aclrtLabelList list_of_one(void)
{
	aclrtLabelList list = NULL;
	aclrtLabel label;

	need(aclrtCreateLabel(&label));
	need(aclrtCreateLabelList(&label, 1, &list));
	return list;
}

/* A list is device memory. */
static void lists_of_labels_freed(void)
{
	aclrtLabelList list = list_of_one();
	void *d = device();

	row(aclrtFree(list));
	row(aclrtDestroyLabelList(list));
	row(aclrtDestroyLabelList(list_of_one()));
	row(aclrtDestroyLabelList(d));
	row(aclrtFree(d));
}

/* It is when it runs that a switch looks where its index and its list are. */
static void switches_by_other_memory(void)
{
	static uint32_t index;
	aclrtStream s = NULL;
	aclmdlRI m = NULL;

	need(aclmdlRIBuildBegin(&m, 0));
	s = bound_to(m, ACL_MODEL_STREAM_FLAG_HEAD);
	row(aclrtSwitchLabelByIndex(device(), 1, device(), s));
	row(aclrtSwitchLabelByIndex(&index, 1, list_of_one(), s));
}

/* --- what goes on after a failure ---------------------------------------------------------------- */

/* A model that is built runs on the default stream, which it holds up also after its time is over. */
static void default_stream_of_a_built_model(void)
{
	aclrtNotify hold = NULL;
	aclrtStreamStatus status = (aclrtStreamStatus)9;
	aclmdlRI m = NULL;
	aclrtStream s;

	need(aclrtCreateNotify(&hold, 0));
	need(aclmdlRIBuildBegin(&m, 0));
	s = bound_to(m, ACL_MODEL_STREAM_FLAG_HEAD);
	need(aclrtWaitAndResetNotify(hold, s, 0));
	row(aclmdlRIEndTask(m, s));
	row(aclmdlRIBuildEnd(m, NULL));
	row(aclmdlRIExecute(m, 30));
	row(aclrtStreamQuery(NULL, &status));
	row(status == ACL_STREAM_STATUS_NOT_READY);
	row(aclrtRecordNotify(hold, stream()));
	row(aclrtSynchronizeStream(NULL));
	row(aclmdlRIUnbindStream(m, s));
	row(aclmdlRIUnbindStream(m, s));
}

/* An invalidated capture is active to those that ask, and takes no stream any more. */
static void streams_for_an_invalid_capture(void)
{
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
	aclrtEvent e = event_ex(ACL_EVENT_SYNC), later = event_ex(ACL_EVENT_SYNC);
	aclrtStream s = capturing(), other = capturing(), late = stream();

	need(aclrtRecordEvent(e, s));
	row(aclrtStreamWaitEvent(other, e));
	row(aclrtRecordEvent(later, s));
	row(aclrtStreamWaitEvent(late, later));
	row(aclmdlRICaptureGetInfo(late, &status, NULL));
	row(status);
	row(aclmdlRICaptureGetInfo(s, &status, NULL));
	row(status);
	row_of_end(s);
	row_of_end(other);
}

static void group_broken_on_a_joined_stream(void)
{
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
	aclrtEvent fork = event_ex(ACL_EVENT_SYNC), join = event_ex(ACL_EVENT_SYNC);
	aclrtStream s = capturing(), joined = stream();

	need(aclrtRecordEvent(fork, s));
	need(aclrtStreamWaitEvent(joined, fork));
	row(aclmdlRICaptureTaskGrpBegin(joined));
	row(aclrtMemsetAsync(device(), 64, 0, 64, joined));
	row(aclmdlRICaptureGetInfo(joined, &status, NULL));
	row(status);
	row(aclrtMemsetAsync(device(), 64, 0, 64, s));
	end_group(joined);
	row(aclrtRecordEvent(join, joined));
	row(aclrtStreamWaitEvent(s, join));
	row_of_end(s);
}

/* Only the end of an update lets the group be updated again. */
static void update_whose_stream_is_gone(void)
{
	aclrtStream s = capturing(), gone = stream(), other = stream();
	aclrtTaskGrp g = NULL;
	aclmdlRI m = NULL;

	need(aclmdlRICaptureTaskGrpBegin(s));
	need(aclmdlRICaptureTaskGrpEnd(s, &g));
	need(aclmdlRICaptureEnd(s, &m));
	row(aclmdlRICaptureTaskUpdateBegin(gone, g));
	row(aclrtDestroyStream(gone));
	row(aclmdlRICaptureTaskUpdateBegin(other, g));
	row(aclmdlRIExecuteAsync(m, other));
	row(aclrtSynchronizeStream(other));
	row(aclmdlRIDestroy(m));
}

/* The end of a capture resets all events that it recorded. */
static void resets_at_the_end_of_a_capture(void)
{
	aclrtEvent fork = event_ex(ACL_EVENT_SYNC), join = event_ex(ACL_EVENT_SYNC);
	aclrtStream s = capturing(), joined = stream(), of[2] = {NULL};
	uint32_t n = 2;
	aclmdlRI m = NULL;

	need(aclrtRecordEvent(fork, s));
	need(aclrtStreamWaitEvent(joined, fork));
	need(aclrtRecordEvent(join, joined));
	need(aclrtStreamWaitEvent(s, join));
	need(aclmdlRIGetStreams(of_capture(s), of, &n));
	row(aclmdlRIGetTasksByStream(of[1], NULL, &n));
	row(n);
	row(aclmdlRICaptureEnd(s, &m));
	row(aclmdlRIGetTasksByStream(of[1], NULL, &n));
	row(n);
	row(aclmdlRIGetTasksByStream(of[0], NULL, &n));
	row(n);
}

const struct row rows_graph_tasks[] = {ROW(tasks_of_conditions_that_are_gone), ROW(streams_in_order),
	ROW(streams_unbound_do_not_run), ROW(captured_streams_in_order), ROW(names_that_do_not_fit),
	ROW(models_of_ends_that_fail), ROW(modes_of_a_thread), ROW(capture_amid_an_update),
	ROW(tasks_while_capturing), ROW(task_of_no_kind_disabled), ROW(names_with_too_much_room),
	ROW(update_elsewhere), ROW(work_in_invalid_capture), ROW(pools_in_captures),
	ROW(capture_of_a_stream_at_work), ROW(conditions_not_made_here), ROW(end_given_twice),
	ROW(stream_unbound_after_its_end), ROW(callbacks_with_other_data), ROW(groups_of_ends_that_fail),
	ROW(updates_by_streams_of_no_use), ROW(numbers_of_tasks_in_models), ROW(arguments_of_tasks),
	ROW(parameters_that_are_none), ROW(lists_of_labels_freed), ROW(switches_by_other_memory),
	ROW(default_stream_of_a_built_model), ROW(streams_for_an_invalid_capture),
	ROW(group_broken_on_a_joined_stream), ROW(update_whose_stream_is_gone),
	ROW(resets_at_the_end_of_a_capture), {NULL, NULL}};
