/* SPDX-License-Identifier: Apache-2.0 */
/* What models that are built task by task use each time they run: gone before the next execution. */
#include "tasks.h"

struct part {
	aclmdlRI model;
	aclrtStream stream;
};

static struct part build_begin(void)
{
	struct part p = {NULL, make_stream_flags(ACL_STREAM_PERSISTENT)};

	CALL_DOES(aclmdlRIBuildBegin, 0, p.model = make_address(), .modelRI = &p.model);
	CALL(aclmdlRIBindStream, .modelRI = p.model, .stream = p.stream);
	return p;
}

static void build_end(const struct part *p)
{
	CALL(aclmdlRIEndTask, .modelRI = p->model, .stream = p->stream);
	CALL(aclmdlRIBuildEnd, .modelRI = p->model);
}

static void take_down(const struct part *p)
{
	CALL(aclmdlRIUnbindStream, .modelRI = p->model, .stream = p->stream);
	CALL(aclmdlRIDestroy, .modelRI = p->model);
}

static void run(const struct part *p, aclrtStream s)
{
	CALL(aclmdlRIExecuteAsync, .modelRI = p->model, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static aclrtBinHandle load(void)
{
	aclrtBinHandle b = NULL;

	CALL_DOES(aclrtBinaryLoadFromFile, 0, b = make_address(), .binPath = "add.o", .binHandle = &b);
	return b;
}

static struct part built_with(aclrtBinHandle b)
{
	struct part p = build_begin();
	aclrtFuncHandle f = NULL;

	CALL_DOES(aclrtBinaryGetFunction, 0, f = make_address(), .binHandle = b, .kernelName = "add",
		.funcHandle = &f);
	CALL(aclrtLaunchKernelV2, .funcHandle = f, .numBlocks = 1, .argsData = DEVICE, .argsSize = 64,
		.stream = p.stream);
	build_end(&p);
	return p;
}

/* The first model is executed no more. */
static void second_model_of_a_binary(void)
{
	aclrtStream s = make_stream();
	aclrtBinHandle b = load();
	struct part first = built_with(b), second = built_with(b);

	run(&first, s);
	if (bug)
		CALL(aclrtBinaryUnLoad, .binHandle = b);
	run(&second, s);
	if (!bug)
		CALL(aclrtBinaryUnLoad, .binHandle = b);
	take_down(&first);
	take_down(&second);
}

static void unload_under_the_second_model(void)
{
	aclrtStream s = make_stream();
	aclrtBinHandle b = load();
	struct part first = built_with(b), second = built_with(b);

	run(&first, s);
	CALL(aclmdlRIExecuteAsync, .modelRI = second.model, .stream = s);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtBinaryUnLoad, .binHandle = b);
	CALL(aclrtSynchronizeStream, .stream = s);
	take_down(&first);
	take_down(&second);
}

static struct part built_that_records(aclrtNotify n)
{
	struct part p = build_begin();

	CALL(aclrtRecordNotify, .notify = n, .stream = p.stream);
	CALL(aclrtWaitAndResetNotify, .notify = n, .stream = p.stream, .timeout = 0);
	build_end(&p);
	return p;
}

static void notify_of_the_model_gone(void)
{
	aclrtStream s = make_stream();
	aclrtNotify n = NULL;
	struct part p;

	CALL_DOES(aclrtCreateNotify, 0, n = make_address(), .notify = &n, .flag = ACL_NOTIFY_DEFAULT);
	p = built_that_records(n);
	run(&p, s);
	if (bug)
		CALL(aclrtDestroyNotify, .notify = n);
	run(&p, s);
	if (!bug)
		CALL(aclrtDestroyNotify, .notify = n);
	take_down(&p);
}

static void host_memory_of_the_model_gone(void)
{
	void *h = make_host_memory(SIZE), *d = make_device_memory(SIZE);
	aclrtStream s = make_stream();
	struct part p = build_begin();

	copy_on(p.stream, d, h, UP);
	build_end(&p);
	run(&p, s);
	if (bug)
		CALL(aclrtFreeHost, .hostPtr = h);
	run(&p, s);
	if (!bug)
		CALL(aclrtFreeHost, .hostPtr = h);
	take_down(&p);
}

static const struct pair pairs[] = {
	PAIR("kernel-binary-double-unload", second_model_of_a_binary),
	PAIR("kernel-binary-unload-pending", unload_under_the_second_model),
	PAIR("notify-destroyed-use", notify_of_the_model_gone),
	PAIR("use-after-free", host_memory_of_the_model_gone),
};

PAIRS_MAIN("models that are built, and what they use", pairs)
