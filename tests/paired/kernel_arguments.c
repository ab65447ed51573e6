/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about argument lists of kernels, and where arguments of a launch lie. */
#include "paired.h"

/* --- lists ---------------------------------------------------------------------------------------- */

static aclrtArgsHandle list(void)
{
	aclrtArgsHandle a = NULL;

	CALL_DOES(aclrtKernelArgsInit, 0, a = make_address(), .funcHandle = HANDLE, .argsHandle = &a);
	return a;
}

static void append_late(void)
{
	aclrtArgsHandle a = list();

	if (bug)
		CALL(aclrtKernelArgsFinalize, .argsHandle = a);
	CALL(aclrtKernelArgsAppend, .argsHandle = a, .param = heap_memory, .paramSize = 8,
		.paramHandle = OUT);
}

/* An update does not open the list again. */
static void append_after_update(void)
{
	aclrtArgsHandle a = list();
	aclrtParamHandle p = NULL;

	CALL_DOES(aclrtKernelArgsAppend, 0, p = make_address(), .argsHandle = a, .param = heap_memory,
		.paramSize = 8, .paramHandle = &p);
	if (bug)
		CALL(aclrtKernelArgsFinalize, .argsHandle = a);
	CALL(aclrtKernelArgsParaUpdate, .argsHandle = a, .paramHandle = p, .param = heap_memory,
		.paramSize = 8);
	CALL(aclrtKernelArgsAppend, .argsHandle = a, .param = heap_memory, .paramSize = 8,
		.paramHandle = OUT);
}

static void append_behind_buffer(void)
{
	aclrtArgsHandle a = list();
	aclrtParamHandle holder = NULL;

	CALL_DOES(aclrtKernelArgsAppendPlaceHolder, 0, holder = make_address(), .argsHandle = a,
		.paramHandle = &holder);
	if (bug)
		CALL(aclrtKernelArgsGetPlaceHolderBuffer, .argsHandle = a, .paramHandle = holder,
			.dataSize = 64, .bufferAddr = OUT);
	CALL(aclrtKernelArgsAppend, .argsHandle = a, .param = heap_memory, .paramSize = 8,
		.paramHandle = OUT);
}

static void launch_open(void)
{
	aclrtArgsHandle a = list();
	aclrtParamHandle value = NULL;

	CALL_DOES(aclrtKernelArgsAppend, 0, value = make_address(), .argsHandle = a, .param = heap_memory,
		.paramSize = 8, .paramHandle = &value);
	CALL(aclrtKernelArgsFinalize, .argsHandle = a);
	CALL(aclrtKernelArgsParaUpdate, .argsHandle = a, .paramHandle = value, .param = heap_memory,
		.paramSize = 8);
	if (!bug)
		CALL(aclrtKernelArgsFinalize, .argsHandle = a);
	CALL(aclrtLaunchKernelWithConfig, .funcHandle = HANDLE, .numBlocks = 1, .argsHandle = a);
}

/* --- where they lie ------------------------------------------------------------------------------- */

static void host_arguments(void)
{
	void *args = bug ? make_host_memory(4096) : make_device_memory(4096);

	CALL(aclrtLaunchKernel, .funcHandle = HANDLE, .numBlocks = 1, .argsData = args, .argsSize = 64);
	CALL(aclrtSynchronizeStream, .stream = NULL);
}

static void own_arguments(void)
{
	void *args = bug ? (void *)heap_memory : make_device_memory(4096);

	CALL(aclrtLaunchKernelV2, .funcHandle = HANDLE, .numBlocks = 1, .argsData = args, .argsSize = 64);
	CALL(aclrtSynchronizeStream, .stream = NULL);
}

static void arguments_behind_end(void)
{
	char *args = make_device_memory(4096);

	CALL(aclrtMemset, .devPtr = args, .maxCount = 4096, .value = 0, .count = 4096);
	CALL(aclrtLaunchKernel, .funcHandle = HANDLE, .numBlocks = 1, .argsData = args + 4000,
		.argsSize = bug ? 256 : 96);
	CALL(aclrtSynchronizeStream, .stream = NULL);
}

/* Not even the runtime's rounding up reaches as far. */
static void arguments_a_little_behind_end(void)
{
	char *args = make_device_memory(4096);

	CALL(aclrtMemset, .devPtr = args, .maxCount = 4096, .value = 0, .count = 4096);
	CALL(aclrtLaunchKernel, .funcHandle = HANDLE, .numBlocks = 1, .argsData = args + 4032,
		.argsSize = bug ? 128 : 64);
	CALL(aclrtSynchronizeStream, .stream = NULL);
}

static void arguments_of_another_device(void)
{
	char *args = make_device_memory(4096);

	CALL(aclrtMemset, .devPtr = args, .maxCount = 4096, .value = 0, .count = 4096);
	CALL(aclrtSetDevice, .deviceId = 1);
	if (!bug) {
		args = make_device_memory(4096);
		CALL(aclrtMemset, .devPtr = args, .maxCount = 4096, .value = 0, .count = 4096);
	}
	CALL(aclrtLaunchKernel, .funcHandle = HANDLE, .numBlocks = 1, .argsData = args, .argsSize = 64,
		.stream = make_stream());
}

/* HCCL and the like may have enabled the access. */
static void arguments_beside_libraries(void)
{
	pair_unseen(CHECKS_OTHER_WORK);
	arguments_of_another_device();
}

static void device_arguments(void)
{
	void *args = bug ? make_device_memory(4096) : make_host_memory(4096);

	CALL(aclrtLaunchKernelWithHostArgs, .funcHandle = HANDLE, .numBlocks = 1, .hostArgs = args,
		.argsSize = 64);
	CALL(aclrtSynchronizeStream, .stream = NULL);
}

/* --- when they are there ------------------------------------------------------------------------- */

/* The task that fills them is not waited for; the neighbour's may go on. */
static void launch_behind(aclrtStream up, char *args)
{
	aclrtStream s = make_stream();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);

	CALL(aclrtRecordEvent, .event = e, .stream = up);
	CALL(aclrtMemsetAsync, .devPtr = args + 64, .maxCount = 64, .count = 64, .stream = up);
	if (!bug)
		CALL(aclrtStreamWaitEvent, .stream = s, .event = e);
	CALL(aclrtLaunchKernelV2, .funcHandle = HANDLE, .numBlocks = 1, .argsData = args, .argsSize = 64,
		.stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = up);
}

static void uploaded_on_other_stream(void)
{
	aclrtStream up = make_stream();
	char *args = make_device_memory(4096), *host = make_host_memory(4096);

	CALL(aclrtMemcpyAsync, .dst = args, .destMax = 64, .src = host, .count = 64,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = up);
	launch_behind(up, args);
}

static void cleared_on_other_stream(void)
{
	aclrtStream up = make_stream();
	char *args = make_device_memory(4096);

	CALL(aclrtMemsetAsync, .devPtr = args, .maxCount = 64, .count = 64, .stream = up);
	launch_behind(up, args);
}

/* --- what a kernel was given ----------------------------------------------------------------------- */

static void freed_behind(aclrtStream s, void *tensor)
{
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtFree, .devPtr = tensor);
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* The program's own copy of the arguments is another launch's by then. */
static void freed_of_words(void)
{
	uint64_t *words = (uint64_t *)(void *)heap_memory;
	char *tensor = make_device_memory(4096);
	aclrtStream s = make_stream();

	memset(words, 0, 64);
	words[1] = (uintptr_t)tensor + 512;
	CALL(aclrtLaunchKernelWithHostArgs, .funcHandle = make_function(), .numBlocks = 1, .hostArgs = words,
		.argsSize = 64, .stream = s);
	words[1] = 0;
	freed_behind(s, tensor);
}

static void launch_list(aclrtFuncHandle f, void *first, void *then, aclrtStream s)
{
	aclrtArgsHandle a = NULL;
	aclrtParamHandle p = NULL;

	CALL_DOES(aclrtKernelArgsInit, 0, a = make_address(), .funcHandle = f, .argsHandle = &a);
	CALL_DOES(aclrtKernelArgsAppend, 0, p = make_address(), .argsHandle = a, .param = &first,
		.paramSize = 8, .paramHandle = &p);
	CALL(aclrtKernelArgsParaUpdate, .argsHandle = a, .paramHandle = p, .param = &then, .paramSize = 8);
	CALL(aclrtKernelArgsFinalize, .argsHandle = a);
	CALL(aclrtLaunchKernelWithConfig, .funcHandle = f, .numBlocks = 1, .stream = s, .argsHandle = a);
}

/* What was there before the update is free to go. */
static void freed_of_list(void)
{
	void *former = make_device_memory(4096), *tensor = make_device_memory(4096);
	aclrtStream s = make_stream();

	launch_list(make_function(), former, tensor, s);
	CALL(aclrtFree, .devPtr = former);
	freed_behind(s, tensor);
}

static const struct pair pairs[] = {
	PAIR("free-in-flight", freed_of_words),
	PAIR("free-in-flight", freed_of_list),
	PAIR("kargs-append-after-finalize", append_late),
	PAIR("kargs-append-after-finalize", append_after_update),
	PAIR("kargs-append-after-placeholder-buffer", append_behind_buffer),
	PAIR("kargs-launch-not-finalized", launch_open),
	PAIR("kernel-args-location", host_arguments),
	PAIR("kernel-args-location", own_arguments),
	PAIR("kernel-args-location", device_arguments),
	PAIR("kernel-args-location", arguments_of_another_device),
	PAIR("kernel-args-location", arguments_beside_libraries),
	PAIR("kernel-args-location", arguments_behind_end),
	PAIR("kernel-args-location", arguments_a_little_behind_end),
	PAIR("stream-race-copy", uploaded_on_other_stream),
	PAIR("stream-race-set", cleared_on_other_stream),
};

PAIRS_MAIN("arguments of kernels", pairs)
