/* SPDX-License-Identifier: Apache-2.0 */
/* Argument blocks of captured kernels: each execution of the model reads them. */
#include "tasks.h"

#define BYTES 64 /* of the arguments, at the begin of their block */

static void launch(aclrtStream s, const void *args)
{
	CALL(aclrtLaunchKernel, .funcHandle = make_function(), .numBlocks = 1, .argsData = args,
		.argsSize = BYTES, .stream = s);
}

static void execute(aclmdlRI m, aclrtStream s)
{
	CALL(aclmdlRIExecuteAsync, .modelRI = m, .stream = s);
}

/* A model of that kernel that runs on the stream. */
static aclmdlRI running(aclrtStream s, const void *args)
{
	aclrtStream captured = make_stream();
	aclmdlRI m;

	capture_begin(captured);
	launch(captured, args);
	m = capture_end(captured);
	execute(m, s);
	return m;
}

static void refill(void *args, size_t bytes)
{
	CALL(aclrtMemcpy, .dst = args, .destMax = SIZE, .src = heap_memory, .count = bytes, .kind = UP);
}

static void refilled(void)
{
	char *args = make_device_memory(SIZE);
	aclrtStream s = make_stream();

	running(s, args);
	if (!bug)
		wait_for(s);
	refill(args, BYTES);
	wait_for(s);
}

static void cleared(void)
{
	char *args = make_device_memory(SIZE);
	aclrtStream s = make_stream();

	running(s, args);
	if (!bug)
		wait_for(s);
	CALL(aclrtMemset, .devPtr = args, .maxCount = SIZE, .count = 1);
	wait_for(s);
}

/* The block goes on behind the arguments. */
static void refilled_beside(void)
{
	char *args = make_device_memory(SIZE);
	aclrtStream s = make_stream();

	running(s, args);
	refill(args + (bug ? BYTES - 1 : BYTES), BYTES);
	wait_for(s);
}

static void refilled_on_another_stream(void)
{
	char *args = make_device_memory(SIZE), *h = make_host_memory(SIZE);
	aclrtStream s = make_stream(), other = make_stream();

	running(s, args);
	if (!bug)
		order(s, other);
	copy_on(other, args, h, UP);
	wait_for(other);
	wait_for(s);
}

static void executed_beside_the_copy(void)
{
	char *args = make_device_memory(SIZE), *h = make_host_memory(SIZE);
	aclrtStream s = make_stream(), other = make_stream();
	aclmdlRI m = running(s, args);

	wait_for(s);
	copy_on(other, args, h, UP);
	if (!bug)
		order(other, s);
	execute(m, s);
	wait_for(other);
	wait_for(s);
}

/* --- the task launches with other arguments from now on ------------------------------------------------ */

static void give_other_arguments(aclmdlRI m)
{
	aclmdlRITaskParams params = {.type = ACL_MODEL_RI_TASK_KERNEL};

	params.kernelTaskParams.funcHandle = make_function();
	params.kernelTaskParams.args = heap_memory;
	params.kernelTaskParams.argsSize = BYTES;
	CALL(aclmdlRITaskSetParams, .task = task_of(m), .params = &params);
	CALL(aclmdlRIUpdate, .modelRI = m);
}

static void refilled_what_is_no_longer_read(void)
{
	char *args = make_device_memory(SIZE);
	aclrtStream s = make_stream();
	aclmdlRI m = running(s, args);

	wait_for(s);
	if (!bug)
		give_other_arguments(m);
	execute(m, s);
	refill(args, BYTES);
	wait_for(s);
}

/* What the model's other tasks do stays known. */
static void set_beside_a_changed_kernel(void)
{
	char *args = make_device_memory(SIZE), *d = make_device_memory(SIZE);
	aclrtStream s = make_stream(), captured = make_stream();
	aclmdlRI m;

	capture_begin(captured);
	launch(captured, args);
	set_on(captured, d);
	m = capture_end(captured);
	give_other_arguments(m);
	execute(m, s);
	if (!bug)
		wait_for(s);
	refill(d, SIZE);
	wait_for(s);
}

static const struct pair pairs[] = {
	PAIR("kernel-args-freed", refilled),
	PAIR_EACH("kernel-args-freed", refilled, LAUNCH_KERNEL, .role = ACL_ROLE_DEVICE_ARGUMENTS),
	PAIR("kernel-args-freed", cleared),
	PAIR_AVOIDS("kernel-args-freed", refilled_beside),
	PAIR("kernel-args-freed", refilled_on_another_stream),
	PAIR("stream-race-copy", executed_beside_the_copy),
	PAIR_AVOIDS("kernel-args-freed", refilled_what_is_no_longer_read),
	PAIR("async-result-used-before-sync", set_beside_a_changed_kernel),
};

PAIRS_MAIN("argument blocks of captured kernels", pairs)
