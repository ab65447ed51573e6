/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of tasks whose addresses stand in a structure, or decide where a model goes on. */
#include "tasks.h"

#define COUNTER 2048 /* in the memory of the numbers, behind them */

static aclrtRandomNumTaskInfo numbers(void *result, void *counter)
{
	aclrtRandomNumTaskInfo info = {.dataType = ACL_FLOAT,
		.randomNumFuncParaInfo = {.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS,
			.paramInfo.uniformDisInfo = {.min.size = 4, .max.size = 4}},
		.randomResultAddr = result,
		.randomCounterAddr = counter,
		.randomSeed.size = 8,
		.randomNum = {.valueOrAddr = {0, 1}, .size = 8}};

	return info;
}

static void *written_memory(void)
{
	void *d = make_device_memory(SIZE);

	CALL(aclrtMemset, .devPtr = d, .maxCount = SIZE, .count = SIZE);
	return d;
}

static void numbers_read_early(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	char *out = make_host_memory(SIZE), *d = written_memory();
	aclrtRandomNumTaskInfo info = numbers(d, (char *)d + COUNTER);

	CALL(aclrtRandomNumAsync, .taskInfo = &info, .stream = first);
	if (!bug)
		order(first, second);
	/* Behind the first number. */
	CALL(aclrtMemcpyAsync, .dst = out, .destMax = 512, .src = d + 512, .count = 512, .kind = DOWN,
		.stream = second);
	wait_for(first);
	wait_for(second);
}

static void numbers_over_a_copy(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *out = make_host_memory(SIZE), *d = written_memory();
	aclrtRandomNumTaskInfo info = numbers(d, (char *)d + COUNTER);

	copy_on(first, out, d, DOWN);
	if (!bug)
		order(first, second);
	CALL(aclrtRandomNumAsync, .taskInfo = &info, .stream = second);
	wait_for(first);
	wait_for(second);
}

/* Of one capture, in either order; fixed, one stream waits for the other. */
static void numbers_beside_a_captured_copy(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *out = make_host_memory(SIZE), *d = written_memory();
	aclrtRandomNumTaskInfo info = numbers(d, (char *)d + COUNTER);

	capture_begin(first);
	capture_join(first, second);
	copy_on(first, out, d, DOWN);
	if (!bug)
		capture_join(first, second);
	CALL(aclrtRandomNumAsync, .taskInfo = &info, .stream = second);
	capture_join(second, first);
	capture_end(first);
}

static void copy_beside_captured_numbers(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *out = make_host_memory(SIZE), *d = written_memory();
	aclrtRandomNumTaskInfo info = numbers(d, (char *)d + COUNTER);

	capture_begin(first);
	capture_join(first, second);
	CALL(aclrtRandomNumAsync, .taskInfo = &info, .stream = first);
	if (!bug)
		capture_join(first, second);
	copy_on(second, out, d, DOWN);
	capture_join(second, first);
	capture_end(first);
}

/* The last tensor is shorter, and the number of numbers stayed. */
static void more_numbers_than_room(void)
{
	aclrtStream s = make_stream();
	char *d = written_memory();
	aclrtRandomNumTaskInfo info = numbers(d, d),
			       last = numbers(bug ? d + SIZE - 1020 : d + SIZE - 1024, d);

	CALL(aclrtRandomNumAsync, .taskInfo = &info, .stream = s);
	CALL(aclrtRandomNumAsync, .taskInfo = &last, .stream = s);
	wait_for(s);
}

static void counter_freed(void)
{
	aclrtStream s = make_stream();
	void *d = written_memory(), *counter = written_memory();
	aclrtRandomNumTaskInfo info = numbers(d, counter);

	CALL(aclrtRandomNumAsync, .taskInfo = &info, .stream = s);
	if (!bug)
		wait_for(s);
	CALL(aclrtFree, .devPtr = counter);
	wait_for(s);
}

/* --- built models ---------------------------------------------------------------------------------- */

struct built {
	aclmdlRI model;
	aclrtStream stream;
};

static struct built build_begin(void)
{
	struct built b = {NULL, make_stream_flags(ACL_STREAM_PERSISTENT)};

	CALL_DOES(aclmdlRIBuildBegin, 0, b.model = make_address(), .modelRI = &b.model);
	CALL(aclmdlRIBindStream, .modelRI = b.model, .stream = b.stream);
	return b;
}

static void build_end(const struct built *b)
{
	CALL(aclmdlRIEndTask, .modelRI = b->model, .stream = b->stream);
	CALL(aclmdlRIBuildEnd, .modelRI = b->model);
}

static void run_without(const struct built *b, void *d)
{
	if (bug)
		CALL(aclrtFree, .devPtr = d);
	CALL(aclmdlRIExecute, .modelRI = b->model, .timeout = 1000);
	if (!bug)
		CALL(aclrtFree, .devPtr = d);
}

static void numbers_of_a_built_model(void)
{
	struct built b = build_begin();
	void *d = written_memory();
	aclrtRandomNumTaskInfo info = numbers(d, (char *)d + COUNTER);

	CALL(aclrtRandomNumAsync, .taskInfo = &info, .stream = b.stream);
	build_end(&b);
	run_without(&b, d);
}

static void index_of_a_built_model(void)
{
	struct built b = build_begin();
	aclrtLabel label = NULL;
	aclrtLabelList list = NULL;
	void *index = written_memory();

	CALL_DOES(aclrtCreateLabel, 0, label = make_address(), .label = &label);
	CALL_DOES(aclrtCreateLabelList, 0, list = make_address(), .labels = &label, .num = 1,
		.labelList = &list);
	CALL(aclrtSwitchLabelByIndex, .ptr = index, .maxValue = 1, .labelList = list, .stream = b.stream);
	CALL(aclrtSetLabel, .label = label, .stream = b.stream);
	build_end(&b);
	run_without(&b, index);
}

static const struct pair pairs[] = {
	PAIR("stream-race-copy", numbers_read_early),
	PAIR("stream-race-copy", numbers_over_a_copy),
	PAIR("stream-race-copy", numbers_beside_a_captured_copy),
	PAIR("stream-race-copy", copy_beside_captured_numbers),
	PAIR("random-task-arguments", more_numbers_than_room),
	PAIR("free-in-flight", counter_freed),
	PAIR("use-after-free", numbers_of_a_built_model),
	PAIR("use-after-free", index_of_a_built_model),
};

PAIRS_MAIN("memory of random numbers and of branches", pairs)
