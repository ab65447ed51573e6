/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about kernel binaries, launches and argument lists. */
#include "tasks.h"

/* Memory of the program's own for argument lists, and for what is in them. */
#define LIST (heap_memory + (16 << 10))
#define OTHER_LIST (heap_memory + (32 << 10))

static aclrtBinHandle load_file(void)
{
	aclrtBinHandle b = NULL;

	CALL_DOES(aclrtBinaryLoadFromFile, 0, b = make_address(), .binPath = "add.o", .binHandle = &b);
	return b;
}

static aclrtBinHandle load_data(aclrtBinaryLoadOptions *options)
{
	aclrtBinHandle b = NULL;

	CALL_DOES(aclrtBinaryLoadFromData, 0, b = make_address(), .data = heap_memory, .length = 4096,
		.options = options, .binHandle = &b);
	return b;
}

static aclrtBinary describe(const void *data)
{
	struct acl_args_aclrtCreateBinary args = {data, 4096};
	void *made = make_address();
	struct acl_call_record ev;

	pair_enter(&ev, ACL_API_aclrtCreateBinary, &args, __LINE__);
	pair_leave(&ev, (intptr_t)made);
	return (aclrtBinary)ev.result.u;
}

static aclrtBinHandle load_described(void)
{
	aclrtBinary d = describe(heap_memory);
	aclrtBinHandle b = NULL;

	CALL_DOES(aclrtBinaryLoad, 0, b = make_address(), .binary = d, .binHandle = &b);
	CALL(aclrtDestroyBinary, .binary = d);
	return b;
}

static aclrtFuncHandle fetch(aclrtBinHandle b, const char *name)
{
	aclrtFuncHandle f = NULL;

	CALL_DOES(aclrtBinaryGetFunction, 0, f = make_address(), .binHandle = b, .kernelName = name,
		.funcHandle = &f);
	return f;
}

static void launch(aclrtFuncHandle f, aclrtStream s)
{
	CALL(aclrtLaunchKernelV2, .funcHandle = f, .numBlocks = 1, .argsData = DEVICE, .argsSize = 64,
		.stream = s);
}

/* --- binaries ---------------------------------------------------------------------------------- */

static void unload_busy(void)
{
	aclrtBinHandle b = load_file();
	aclrtStream s = make_stream();

	launch(fetch(b, "add"), s);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtBinaryUnLoad, .binHandle = b);
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* The event shows the launch that it stands behind, not the one after it. */
static void unload_behind_event(void)
{
	aclrtBinHandle b = load_file();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);
	aclrtStream s = make_stream();

	if (bug)
		CALL(aclrtRecordEvent, .event = e, .stream = s);
	launch(fetch(b, "add"), s);
	if (!bug)
		CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtSynchronizeEvent, .event = e);
	CALL(aclrtBinaryUnLoad, .binHandle = b);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static aclmdlRI built_with(aclrtBinHandle b, aclrtStream part)
{
	aclmdlRI m = NULL;

	CALL_DOES(aclmdlRIBuildBegin, 0, m = make_address(), .modelRI = &m);
	CALL(aclmdlRIBindStream, .modelRI = m, .stream = part);
	launch(fetch(b, "add"), part);
	CALL(aclmdlRIEndTask, .modelRI = m, .stream = part);
	CALL(aclmdlRIBuildEnd, .modelRI = m);
	return m;
}

/* What was launched on a stream of a model runs with the model. */
static void unload_under_a_built_model(void)
{
	aclrtStream s = make_stream(), part = make_stream_flags(ACL_STREAM_PERSISTENT);
	aclrtBinHandle b = load_file();
	aclmdlRI m = built_with(b, part);

	CALL(aclmdlRIExecuteAsync, .modelRI = m, .stream = s);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtBinaryUnLoad, .binHandle = b);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclmdlRIUnbindStream, .modelRI = m, .stream = part);
	CALL(aclmdlRIDestroy, .modelRI = m);
}

static void executed_without_its_binary(void)
{
	aclrtStream s = make_stream(), part = make_stream_flags(ACL_STREAM_PERSISTENT);
	aclrtBinHandle b = load_file();
	aclmdlRI m = built_with(b, part);

	if (bug)
		CALL(aclrtBinaryUnLoad, .binHandle = b);
	CALL(aclmdlRIExecuteAsync, .modelRI = m, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
	if (!bug)
		CALL(aclrtBinaryUnLoad, .binHandle = b);
	CALL(aclmdlRIUnbindStream, .modelRI = m, .stream = part);
	CALL(aclmdlRIDestroy, .modelRI = m);
}

static void unload_elsewhere(void)
{
	aclrtContext first = make_context(), second = make_context();
	aclrtBinHandle b;

	CALL(aclrtSetCurrentContext, .context = first);
	b = load_described();
	if (bug)
		CALL(aclrtSetCurrentContext, .context = second);
	CALL(aclrtBinaryUnLoad, .binHandle = b);
}

static void load_relative(void)
{
	aclrtBinHandle b = NULL;

	CALL_DOES(aclrtBinaryLoadFromFile, 0, b = make_address(), .binPath = bug ? "add.o" : pair_file(),
		.binHandle = &b);
	CALL(aclrtBinaryUnLoad, .binHandle = b);
}

static aclrtBinHandle load_for_cpu(bool for_cpu)
{
	aclrtBinaryLoadOption option = {
		.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, .value.cpuKernelMode = 2 /* data */};
	aclrtBinaryLoadOptions options = {&option, 1};

	return load_data(for_cpu ? &options : NULL);
}

static void register_for_aicore(void)
{
	aclrtBinHandle b = load_for_cpu(!bug);
	aclrtFuncHandle f = NULL;

	CALL_DOES(aclrtRegisterCpuFunc, bug ? 107000 : 0, f = make_address(), .handle = b, .funcName = "f",
		.kernelName = "k", .funcHandle = &f);
}

static void register_nameless(void)
{
	aclrtBinHandle b = load_for_cpu(true);
	aclrtFuncHandle f = NULL;

	CALL_DOES(aclrtRegisterCpuFunc, 0, f = make_address(), .handle = b, .funcName = bug ? "" : "f",
		.kernelName = "k", .funcHandle = &f);
}

static void fetch_unregistered(void)
{
	aclrtBinHandle b = load_for_cpu(true);
	aclrtFuncHandle f = NULL;

	if (!bug)
		CALL_DOES(aclrtRegisterCpuFunc, 0, f = make_address(), .handle = b, .funcName = "f",
			.kernelName = "k", .funcHandle = &f);
	CALL_FAILS(bug ? 107000 : 0, aclrtBinaryGetFunction, .binHandle = b, .kernelName = "k",
		.funcHandle = &f);
}

static void load_destroyed(void)
{
	aclrtBinary d = describe(heap_memory);
	aclrtBinHandle b = NULL;

	if (bug)
		CALL(aclrtDestroyBinary, .binary = d);
	CALL_DOES(aclrtBinaryLoad, 0, b = make_address(), .binary = d, .binHandle = &b);
	if (!bug)
		CALL(aclrtDestroyBinary, .binary = d);
}

static void load_freed_data(void)
{
	void *data = make_host_memory(4096);
	aclrtBinary d = describe(data);
	aclrtBinHandle b = NULL;

	if (bug)
		CALL(aclrtFreeHost, .hostPtr = data);
	CALL_DOES(aclrtBinaryLoad, 0, b = make_address(), .binary = d, .binHandle = &b);
	CALL(aclrtDestroyBinary, .binary = d);
	if (!bug)
		CALL(aclrtFreeHost, .hostPtr = data);
}

static void description_kept(void)
{
	aclrtBinary d = describe(heap_memory);

	if (!bug)
		CALL(aclrtDestroyBinary, .binary = d);
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize);
	pair_exit();
}

/* --- launches ------------------------------------------------------------------------------------- */

static void launch_on_other_device(void)
{
	aclrtFuncHandle f = fetch(load_data(NULL), "add");
	aclrtStream other;

	CALL(aclrtSetDevice, .deviceId = 1);
	other = make_stream();
	if (!bug)
		f = fetch(load_data(NULL), "add");
	launch(f, other);
	CALL(aclrtSynchronizeStream, .stream = other);
}

static void launch_symbol_on_other_device(void)
{
	aclrtFuncHandle f = make_address();
	aclrtStream other;

	CALL(aclrtGetFuncBySymbol, .symbol = HANDLE, .funcHandle = &f);
	CALL(aclrtSetDevice, .deviceId = 1);
	other = make_stream();
	/* The same handle again is good here as well. */
	if (!bug)
		CALL(aclrtGetFuncBySymbol, .symbol = HANDLE, .funcHandle = &f);
	launch(f, other);
	CALL(aclrtSynchronizeStream, .stream = other);
}

static void launch_plain(void)
{
	aclrtFuncHandle f = fetch(bug ? load_file() : load_described(), "add");

	CALL(aclrtLaunchKernel, .funcHandle = f, .numBlocks = 1, .argsData = DEVICE, .argsSize = 64);
	CALL(aclrtSynchronizeDevice);
}

static void short_array(void)
{
	aclrtFuncHandle f = fetch(load_file(), "add");
	int x, y;
	void *args[2] = {&x, bug ? NULL : &y};
	size_t count = 2;

	CALL(aclrtFunctionGetParamCount, .func = f, .paramCount = &count);
	CALL_FAILS(bug ? 107000 : 0, aclrtLaunchKernelWithArgsArray, .func = f, .numBlocks = 1, .args = args);
	CALL(aclrtSynchronizeDevice);
}

static void parameter_beyond_the_last(void)
{
	aclrtFuncHandle f = fetch(load_file(), "add");
	size_t count = 2, offset = 0, size = 0;

	CALL(aclrtFunctionGetParamCount, .func = f, .paramCount = &count);
	CALL_FAILS(bug ? 107000 : 0, aclrtFunctionGetParamInfo, .func = f, .paramIndex = count - !bug,
		.paramOffset = &offset, .paramSize = &size);
}

static void no_array(void)
{
	aclrtFuncHandle f = fetch(load_file(), "add");
	void *args[2] = {heap_memory, heap_memory};
	size_t count = 2;

	CALL(aclrtFunctionGetParamCount, .func = f, .paramCount = &count);
	CALL_FAILS(bug ? 107000 : 0, aclrtLaunchSIMTKernelWithArgsArray, .func = f, .gridDim = {1, 1, 1},
		.blockDim = {1, 1, 1}, .args = bug ? NULL : args);
	CALL(aclrtSynchronizeDevice);
}

static aclrtStream launch_with(void *args)
{
	aclrtFuncHandle f = fetch(load_described(), "add");
	aclrtStream s = make_stream();

	CALL(aclrtLaunchKernel, .funcHandle = f, .numBlocks = 1, .argsData = args, .argsSize = 64,
		.stream = s);
	return s;
}

static void free_arguments(void)
{
	char *args = make_device_memory(4096);
	aclrtStream s = launch_with(args + 1024);

	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtFree, .devPtr = args);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void unmap_arguments(void)
{
	char *args = two_mappings();
	aclrtStream s = launch_with(args + MIB2 + 1024);

	CALL(aclrtUnmapMem, .virPtr = args + (bug ? MIB2 : 0));
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void free_arguments_to_their_pool(void)
{
	const aclrtMemPoolProps props = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtStream s, other = make_stream();
	aclrtMemPool pool = NULL;
	char *args = NULL;

	CALL_DOES(aclrtMemPoolCreate, 0, pool = make_address(), .memPool = &pool, .poolProps = &props);
	CALL_DOES(aclrtMemPoolMallocAsync, 0, args = make_range(4096, true), .ptr = (void **)&args,
		.size = 4096, .memPool = pool, .stream = other);
	CALL(aclrtSynchronizeStream, .stream = other);
	s = launch_with(args + 1024);
	CALL(aclrtMemPoolFreeAsync, .ptr = args, .stream = bug ? other : s);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = other);
	CALL(aclrtMemPoolDestroy, .memPool = pool);
}

static void refill_arguments(void)
{
	char *args = make_device_memory(4096);
	aclrtStream s = launch_with(args);

	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtMemcpy, .dst = args, .destMax = 4096, .src = heap_memory, .count = 64,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void clear_arguments(void)
{
	char *args = make_device_memory(4096);
	aclrtStream s = launch_with(args + 64);

	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtMemset, .devPtr = args, .maxCount = 4096, .count = 65);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void refill_in_rows(void)
{
	char *args = make_device_memory(4096);
	aclrtStream s = launch_with(args + 1024 + (bug ? 0 : 64));

	CALL(aclrtMemcpy2d, .dst = args, .dpitch = 1024, .src = heap_memory, .spitch = 128, .width = 64,
		.height = 2, .kind = ACL_MEMCPY_HOST_TO_DEVICE);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtMemcpy2d, .dst = args, .dpitch = 1024, .src = heap_memory, .spitch = 128, .width = 128,
		.height = 2, .kind = ACL_MEMCPY_HOST_TO_DEVICE);
}

/* Fixed, the other stream waits for an event behind the launch; on its own the task comes behind it. */
static void refill_on_other_stream(void)
{
	char *args = make_device_memory(4096), *h = make_host_memory(4096);
	aclrtStream s = launch_with(args), other = make_stream();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);

	CALL(aclrtRecordEvent, .event = e, .stream = s);
	if (!bug)
		CALL(aclrtStreamWaitEvent, .stream = other, .event = e);
	CALL(aclrtMemcpyAsync, .dst = args, .destMax = 4096, .src = h, .count = 64,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = other);
	CALL(aclrtSynchronizeStream, .stream = other);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void clear_on_other_stream(void)
{
	char *args = make_device_memory(4096);
	aclrtStream s = launch_with(args), other = bug ? make_stream() : s;

	CALL(aclrtMemsetAsync, .devPtr = args, .maxCount = 4096, .count = 64, .stream = other);
	CALL(aclrtSynchronizeStream, .stream = other);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void refill_in_batch(void)
{
	char *args = make_device_memory(4096), *h = make_host_memory(4096);
	aclrtStream s = launch_with(args);
	void *dsts[] = {args + 2048, args}, *srcs[] = {h, h + 64};
	size_t sizes[] = {64, 64}, index = 0, failed;
	aclrtMemcpyBatchAttr attribute = {
		.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE, .srcLoc.type = ACL_MEM_LOCATION_TYPE_HOST};

	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtMemcpyBatch, .dsts = dsts, .destMaxs = sizes, .srcs = srcs, .sizes = sizes, .numBatches = 2,
		.attrs = &attribute, .attrsIndexes = &index, .numAttrs = 1, .failIndex = &failed);
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* --- argument lists --------------------------------------------------------------------------------- */

static aclrtArgsHandle begin(aclrtFuncHandle f, aclrtArgsHandle where)
{
	aclrtArgsHandle a = NULL;

	CALL_DOES(aclrtKernelArgsInit, 0, a = where, .funcHandle = f, .argsHandle = &a);
	return a;
}

static aclrtArgsHandle begin_any(void)
{
	aclrtFuncHandle f = fetch(load_file(), "add");

	return begin(f, make_address());
}

static aclrtParamHandle append(aclrtArgsHandle a, size_t size)
{
	aclrtParamHandle p = NULL;

	CALL_DOES(aclrtKernelArgsAppend, 0, p = make_address(), .argsHandle = a, .param = heap_memory,
		.paramSize = size, .paramHandle = &p);
	return p;
}

static aclrtParamHandle hold_place(aclrtArgsHandle a)
{
	aclrtParamHandle p = NULL;

	CALL_DOES(
		aclrtKernelArgsAppendPlaceHolder, 0, p = make_address(), .argsHandle = a, .paramHandle = &p);
	return p;
}

static void launch_list(aclrtFuncHandle f, aclrtArgsHandle a)
{
	CALL(aclrtLaunchKernelWithConfig, .funcHandle = f, .numBlocks = 1, .argsHandle = a);
	CALL(aclrtSynchronizeDevice);
}

static void list_of_other_function(void)
{
	aclrtBinHandle b = load_file();
	aclrtFuncHandle add = fetch(b, "add"), mul = fetch(b, "mul");
	aclrtArgsHandle a = begin(bug ? mul : add, make_address());

	append(a, 8);
	CALL(aclrtKernelArgsFinalize, .argsHandle = a);
	launch_list(add, a);
}

static void list_of_other_thread(void)
{
	aclrtFuncHandle f = fetch(load_file(), "add");
	aclrtArgsHandle a = begin(f, make_address());

	if (bug)
		pair_thread(1);
	append(a, 8);
}

/* The runtime answers the same handle both times. */
static void list_begun_again(void)
{
	aclrtBinHandle b = load_file();
	aclrtFuncHandle add = fetch(b, "add"), mul = fetch(b, "mul");
	void *where = make_address();
	aclrtArgsHandle first = begin(add, where), second;

	append(first, 8);
	CALL(aclrtKernelArgsFinalize, .argsHandle = first);
	if (!bug)
		launch_list(add, first);
	second = begin(mul, where);
	append(second, 8);
	CALL(aclrtKernelArgsFinalize, .argsHandle = second);
	if (bug)
		launch_list(add, first);
	else
		launch_list(mul, second);
}

/* Both are begun first, and filled in turns then: it is one list, of the second function. */
static void lists_in_turns(void)
{
	aclrtBinHandle b = load_file();
	aclrtFuncHandle add = fetch(b, "add"), mul = fetch(b, "mul");
	void *where = make_address();
	aclrtArgsHandle first = begin(add, where), second = bug ? begin(mul, where) : NULL;

	append(first, 8);
	if (bug)
		append(second, 8);
	CALL(aclrtKernelArgsFinalize, .argsHandle = first);
	launch_list(add, first);
	if (bug)
		return;
	second = begin(mul, where);
	append(second, 8);
	CALL(aclrtKernelArgsFinalize, .argsHandle = second);
	launch_list(mul, second);
}

static void buffer_of_value(void)
{
	aclrtArgsHandle a = begin_any();
	aclrtParamHandle p = bug ? append(a, 8) : hold_place(a);

	CALL_FAILS(bug ? 107000 : 0, aclrtKernelArgsGetPlaceHolderBuffer, .argsHandle = a, .paramHandle = p,
		.dataSize = 64, .bufferAddr = OUT);
}

static void buffer_after_end(void)
{
	aclrtArgsHandle a = begin_any();
	aclrtParamHandle p = hold_place(a);

	if (bug)
		CALL(aclrtKernelArgsFinalize, .argsHandle = a);
	CALL_FAILS(bug ? 207000 : 0, aclrtKernelArgsGetPlaceHolderBuffer, .argsHandle = a, .paramHandle = p,
		.dataSize = 64, .bufferAddr = OUT);
}

static void update_placeholder(void)
{
	aclrtArgsHandle a = begin_any();
	aclrtParamHandle p = bug ? hold_place(a) : append(a, 8);

	CALL_FAILS(bug ? 107000 : 0, aclrtKernelArgsParaUpdate, .argsHandle = a, .paramHandle = p,
		.param = heap_memory, .paramSize = 8);
}

static void update_larger(void)
{
	aclrtArgsHandle a = begin_any();
	aclrtParamHandle p = append(a, 8);

	CALL_FAILS(bug ? 107000 : 0, aclrtKernelArgsParaUpdate, .argsHandle = a, .paramHandle = p,
		.param = heap_memory, .paramSize = bug ? 16 : 8);
}

static void update_smaller(void)
{
	aclrtArgsHandle a = begin_any();
	aclrtParamHandle p = append(a, 8);

	CALL_FAILS(bug ? 107000 : 0, aclrtKernelArgsParaUpdate, .argsHandle = a, .paramHandle = p,
		.param = heap_memory, .paramSize = bug ? 4 : 8);
}

static void begin_in(aclrtFuncHandle f, aclrtArgsHandle handle, size_t size)
{
	CALL(aclrtKernelArgsInitByUserMem, .funcHandle = f, .argsHandle = handle, .userHostMem = heap_memory,
		.actualArgsSize = size);
}

/* A list's parameters go when it is begun again. */
static void update_of_before(void)
{
	aclrtFuncHandle f = fetch(load_file(), "add");
	aclrtArgsHandle a = begin(f, make_address());
	aclrtParamHandle second;

	append(a, 8);
	second = append(a, 8);
	if (bug)
		begin(f, a);
	CALL_FAILS(bug ? 107000 : 0, aclrtKernelArgsParaUpdate, .argsHandle = a, .paramHandle = second,
		.param = heap_memory, .paramSize = 8);
}

static void update_other_list(void)
{
	aclrtFuncHandle f = fetch(load_file(), "add");
	aclrtArgsHandle a = LIST, b = OTHER_LIST;
	aclrtParamHandle of_a, of_b;

	begin_in(f, a, 64);
	begin_in(f, b, 64);
	of_a = append(a, 8);
	of_b = append(b, 8);
	CALL_FAILS(bug ? 107000 : 0, aclrtKernelArgsParaUpdate, .argsHandle = a,
		.paramHandle = bug ? of_b : of_a, .param = heap_memory, .paramSize = 8);
}

static void many_parameters(void)
{
	aclrtArgsHandle a = begin_any();

	for (unsigned i = 0; i < 127; i++)
		append(a, 8);
	append(a, 8);
	if (bug)
		CALL_FAILS(107000, aclrtKernelArgsAppend, .argsHandle = a, .param = heap_memory,
			.paramSize = 8, .paramHandle = OUT);
}

/* Each parameter begins at a multiple of 8. */
static void many_bytes(void)
{
	aclrtArgsHandle a = LIST;

	begin_in(fetch(load_file(), "add"), a, 16);
	append(a, bug ? 9 : 8);
	CALL_FAILS(bug ? 107000 : 0, aclrtKernelArgsAppend, .argsHandle = a, .param = heap_memory,
		.paramSize = 8, .paramHandle = OUT);
}

static void large_buffer(void)
{
	aclrtArgsHandle a = begin_any();
	aclrtParamHandle p = hold_place(a);

	CALL_FAILS(bug ? 107000 : 0, aclrtKernelArgsGetPlaceHolderBuffer, .argsHandle = a, .paramHandle = p,
		.dataSize = (64 << 10) - (bug ? 0 : 8), .bufferAddr = OUT);
}

/* A size whose sum with the others is small. */
static void wrapping_buffer(void)
{
	aclrtArgsHandle a = begin_any();
	aclrtParamHandle p = hold_place(a);

	CALL_FAILS(bug ? 107000 : 0, aclrtKernelArgsGetPlaceHolderBuffer, .argsHandle = a, .paramHandle = p,
		.dataSize = bug ? SIZE_MAX - 7 : 8, .bufferAddr = OUT);
}

static void small_memory(void)
{
	aclrtFuncHandle f = fetch(load_file(), "add");
	size_t size = 120;

	CALL(aclrtKernelArgsGetMemSize, .funcHandle = f, .userArgsSize = 112, .actualArgsSize = &size);
	begin_in(f, LIST, bug ? size / 8 : size);
}

static void small_handle(void)
{
	aclrtFuncHandle f = fetch(load_file(), "add");
	size_t size = 512;

	CALL(aclrtKernelArgsGetHandleMemSize, .funcHandle = f, .memSize = &size);
	begin_in(f, make_host_memory(bug ? size / 2 : size), 64);
}

static void odd_size(void)
{
	aclrtFuncHandle f = fetch(load_file(), "add");
	size_t size = 16;

	CALL(aclrtKernelArgsGetMemSize, .funcHandle = f, .userArgsSize = bug ? 12 : 16,
		.actualArgsSize = &size);
}

static void launch_with_freed_arguments(void)
{
	aclrtFuncHandle f = make_function();
	aclrtStream s = make_stream();
	void *args = make_device_memory(64);

	CALL(aclrtMemset, .devPtr = args, .maxCount = 64, .count = 64);
	if (bug)
		CALL(aclrtFree, .devPtr = args);
	CALL(aclrtLaunchKernelV2, .funcHandle = f, .numBlocks = 1, .argsData = args, .argsSize = 64,
		.stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
	if (!bug)
		CALL(aclrtFree, .devPtr = args);
}

static void launch_unloaded(void)
{
	aclrtBinHandle b = NULL;
	aclrtFuncHandle f = NULL;
	aclrtStream s = make_stream();

	CALL_DOES(aclrtBinaryLoadFromData, 0, b = make_address(), .data = heap_memory, .length = 4096,
		.binHandle = &b);
	CALL_DOES(aclrtBinaryGetFunction, 0, f = make_address(), .binHandle = b, .kernelName = "add",
		.funcHandle = &f);
	if (bug)
		CALL(aclrtBinaryUnLoad, .binHandle = b);
	CALL_FAILS(bug ? 107000 : 0, aclrtLaunchKernelWithHostArgs, .funcHandle = f, .numBlocks = 1,
		.stream = s, .hostArgs = heap_memory, .argsSize = 64);
	CALL(aclrtSynchronizeStream, .stream = s);
	if (!bug)
		CALL(aclrtBinaryUnLoad, .binHandle = b);
}

static const struct pair pairs[] = {
	PAIR("kernel-null-func", launch_unloaded),
	PAIR("use-after-free", launch_with_freed_arguments),
	PAIR("kernel-getglobal-null", parameter_beyond_the_last),
	PAIR("kernel-binary-unload-pending", unload_busy),
	PAIR("kernel-binary-unload-pending", unload_behind_event),
	PAIR("kernel-binary-unload-pending", unload_under_a_built_model),
	PAIR("kernel-binary-double-unload", executed_without_its_binary),
	PAIR("kernel-binary-unload-context", unload_elsewhere),
	PAIR("kernel-binpath-relative", load_relative),
	PAIR("kernel-cpu-func-only", register_for_aicore),
	PAIR("kernel-cpu-func-only", register_nameless),
	PAIR("kernel-cpu-func-only", fetch_unregistered),
	PAIR("kernel-createbinary-data-freed", load_destroyed),
	PAIR("kernel-createbinary-data-freed", load_freed_data),
	PAIR("kernel-createbinary-data-freed", description_kept),
	PAIR("kernel-wrong-device", launch_on_other_device),
	PAIR("kernel-wrong-device", launch_symbol_on_other_device),
	PAIR("kernel-launch-api-mismatch", launch_plain),
	PAIR("kernel-args-array-count", short_array),
	PAIR_WITH("kernel-args-array-count", no_array, .soc = "Ascend950PR"),
	PAIR("kernel-args-freed", free_arguments),
	PAIR_AVOIDS("kernel-args-freed", unmap_arguments),
	PAIR("kernel-args-freed", free_arguments_to_their_pool),
	PAIR("kernel-args-freed", refill_arguments),
	PAIR("kernel-args-freed", clear_arguments),
	PAIR("kernel-args-freed", refill_in_rows),
	PAIR("kernel-args-freed", refill_in_batch),
	PAIR("kernel-args-freed", refill_on_other_stream),
	PAIR("kernel-args-freed", clear_on_other_stream),
	PAIR("kargs-handle-foreign-func", list_of_other_function),
	PAIR("kargs-handle-thread", list_of_other_thread),
	PAIR("kargs-handle-thread", list_begun_again),
	PAIR("kargs-handle-thread", lists_in_turns),
	PAIR("kargs-param-mismatch", buffer_of_value),
	PAIR("kargs-append-after-finalize", buffer_after_end),
	PAIR("kargs-param-mismatch", update_placeholder),
	PAIR("kargs-param-mismatch", update_larger),
	PAIR("kargs-param-mismatch", update_smaller),
	PAIR("kargs-param-mismatch", update_other_list),
	PAIR("kargs-param-mismatch", update_of_before),
	PAIR("kargs-too-many", many_parameters),
	PAIR("kargs-too-many", many_bytes),
	PAIR("kargs-too-many", large_buffer),
	PAIR("kargs-too-many", wrapping_buffer),
	PAIR("kargs-usermem-size", small_memory),
	PAIR("kargs-usermem-size", small_handle),
	PAIR("kargs-usermem-size", odd_size),
};

PAIRS_MAIN("rules about kernels", pairs)
