/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of kernels and what is launched with them, and of errors that are not the last one: read in the
 * published source. */
#include <stdint.h>

#include "rows.h"
#include "tools/softnpu/softnpu.h"

#define SIZE_OF_33_BITS ((size_t)1 << 32)

static aclrtFuncHandle function(aclrtBinHandle *bin)
{
	aclrtFuncHandle f = NULL;

	need(aclrtBinaryLoadFromData("binary", 6, NULL, bin));
	need(aclrtBinaryGetFunction(*bin, "kernel", &f));
	return f;
}

static aclrtFuncHandle function_gone(aclrtBinHandle *bin)
{
	aclrtFuncHandle f = function(bin);

	need(aclrtBinaryUnLoad(*bin));
	return f;
}

static aclrtFuncHandle cpu_function(aclrtBinHandle *bin)
{
	aclrtBinaryLoadOption option = {
		.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, .value.cpuKernelMode = 2};
	aclrtBinaryLoadOptions options = {&option, 1};
	aclrtFuncHandle f = NULL;

	need(aclrtBinaryLoadFromData("binary", 6, &options, bin));
	need(aclrtRegisterCpuFunc(*bin, "so", "kernel", &f));
	return f;
}

static void data_with(aclrtBinaryLoadOptionType type, uint32_t value)
{
	aclrtBinaryLoadOption option = {.type = type, .value.magic = value};
	aclrtBinaryLoadOptions options = {&option, 1};
	aclrtBinHandle bin;

	row(aclrtBinaryLoadFromData("binary", 6, &options, &bin));
}

static void file_with(aclrtBinaryLoadOptionType type, uint32_t value)
{
	aclrtBinaryLoadOption option = {.type = type, .value.magic = value};
	aclrtBinaryLoadOptions options = {&option, 1};
	aclrtBinHandle bin;

	row(aclrtBinaryLoadFromFile("/proc/self/exe", &options, &bin));
}

static void options_of_data(void)
{
	aclrtBinaryLoadOptions options = {NULL, 0};
	aclrtBinHandle bin;

	row(aclrtBinaryLoadFromData("binary", 6, &options, &bin));
	data_with(ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, 2);
	data_with(ACL_RT_BINARY_LOAD_OPT_MAGIC, 5);
	data_with(ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, 0);
	data_with(ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, 1);
	data_with(ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, 2);
	data_with((aclrtBinaryLoadOptionType)99, 0);
}

/* Options are read before the file is. */
static void options_of_files(void)
{
	aclrtBinaryLoadOptions options = {NULL, 0};
	aclrtBinHandle bin;

	row(aclrtBinaryLoadFromFile("/nonexistent", NULL, &bin));
	row(aclrtBinaryLoadFromFile("/nonexistent", &options, &bin));
	file_with(ACL_RT_BINARY_LOAD_OPT_MAGIC, ACL_RT_BINARY_MAGIC_ELF_AICORE);
	file_with(ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, 2);
	file_with(ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, 2);
	row(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
}

static void launch_twice(aclrtFuncHandle f)
{
	long value = 1;

	row(aclrtLaunchKernel(f, 1, device(), 8, NULL));
	row(aclrtLaunchKernelWithHostArgs(f, 1, NULL, NULL, &value, sizeof(value), NULL, 0));
}

/* Its binary gets to a device with a function that is fetched there, and goes with the device. */
static void launches_on_other_device(void)
{
	aclrtBinHandle bin;
	aclrtFuncHandle f = function(&bin);

	need(aclrtSetDevice(1));
	launch_twice(f);
	row(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
	need(aclrtBinaryGetFunction(bin, "kernel", &f));
	launch_twice(f);
	need(aclrtResetDevice(1));
	need(aclrtSetDevice(1));
	launch_twice(f);
	need(aclrtSetDevice(0));
	launch_twice(f);
}

/* A binary that was loaded from a description is taken for one that is on all. */
static void launches_of_described(void)
{
	aclrtBinary text = aclrtCreateBinary("binary", 6);
	aclrtFuncHandle f = NULL;
	aclrtBinHandle bin;

	need(aclrtBinaryLoad(text, &bin));
	need(aclrtBinaryGetFunction(bin, "kernel", &f));
	need(aclrtSetDevice(1));
	launch_twice(f);
}

static void *without_device(void *described)
{
	aclrtBinary text = aclrtCreateBinary("binary", 6);
	aclrtFuncHandle f = NULL;
	aclrtBinHandle bin = NULL;
	void *address;
	size_t bytes;

	row(aclrtBinaryLoad(text, &bin));
	row(aclrtBinaryUnLoad(described));
	row(aclrtBinaryLoadFromData("binary", 6, NULL, &bin));
	row(aclrtBinaryGetDevAddress(bin, &address, &bytes));
	row(aclrtBinaryGetFunction(bin, "kernel", &f));
	row(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
	row(aclrtBinaryGetFunctionByEntry(bin, 1, &f));
	row(aclrtRegisterCpuFunc(bin, "so", "kernel", &f));
	row(aclrtBinaryUnLoad(bin));
	return NULL;
}

static void binaries_without_device(void)
{
	aclrtBinHandle bin;

	need(aclrtBinaryLoad(aclrtCreateBinary("binary", 6), &bin));
	in_thread(without_device, bin);
	row(aclrtBinaryUnLoad(bin));
}

static void *addresses_here(void *f)
{
	void *cores, *others;
	size_t bytes;

	row(aclrtGetFunctionAddr(f, &cores, &others));
	row(aclrtGetFunctionSize(f, &bytes, &bytes));
	return NULL;
}

static void *register_here(void *bin)
{
	aclrtFuncHandle f;

	row(aclrtRegisterCpuFunc(bin, "so", "kernel", &f));
	row(aclrtBinaryGetFunctionByEntry(bin, 1, &f));
	return NULL;
}

static void functions_without_device(void)
{
	aclrtBinHandle bin;

	in_thread(addresses_here, function(&bin));
	(void)cpu_function(&bin);
	in_thread(register_here, bin);
}

/* Any name may be registered, and no other is found; what is refused leaves no handle. */
static void names_for_cpu(void)
{
	aclrtBinHandle bin, other;
	aclrtFuncHandle f = cpu_function(&bin), out = f;

	row(aclrtBinaryGetFunction(bin, "other", &out));
	row(out != NULL);
	row(aclrtBinaryGetFunction(bin, "", &out));
	row(aclrtRegisterCpuFunc(bin, "", "", &out));
	row(aclrtBinaryGetFunction(bin, "", &out));
	row(aclrtBinaryGetFunction(bin, "kernel", &out));
	row(out == f);
	row(aclrtRegisterCpuFunc(bin, "another", "kernel", &out));
	row(out == f);
	(void)function(&other);
	row(aclrtRegisterCpuFunc(other, "so", "kernel", &out));
	row(out != NULL);
}

static void functions_for_cpu(void)
{
	aclrtBinHandle bin;
	aclrtFuncHandle f = cpu_function(&bin), out;
	size_t n = 0, m = 0;
	void *address;

	row(aclrtBinaryGetFunctionByEntry(bin, 1, &out));
	row(aclrtBinaryGetGlobal(bin, "variable", &address, &n));
	row(aclrtFunctionGetParamCount(f, &n));
	row(aclrtFunctionGetParamInfo(f, 0, &n, &m));
	row(aclrtLaunchKernelWithArgsArray(f, 1, NULL, NULL, NULL));
}

/* Nothing is aligned. */
static void lists_for_cpu(void)
{
	aclrtBinHandle bin;
	aclrtFuncHandle f = cpu_function(&bin);
	aclrtArgsHandle list = NULL;
	aclrtParamHandle plain, holder;
	void *first = NULL, *second = NULL;
	size_t n = 0;

	row(aclrtKernelArgsGetMemSize(f, 5, &n));
	row((long)n);
	need(aclrtKernelArgsInit(f, &list));
	need(aclrtKernelArgsAppend(list, "abc", 3, &plain));
	need(aclrtKernelArgsAppendPlaceHolder(list, &holder));
	need(aclrtKernelArgsGetPlaceHolderBuffer(list, holder, 4, &first));
	need(aclrtKernelArgsGetPlaceHolderBuffer(list, holder, 4, &second));
	row((char *)second - (char *)first);
}

static void questions_to_function_gone(void)
{
	aclrtBinHandle bin;
	aclrtFuncHandle f = function_gone(&bin), out;
	int64_t value;
	size_t n;

	row(aclrtGetFunctionSize(f, NULL, NULL));
	row(aclrtGetFunctionAttribute(f, (aclrtFuncAttribute)99, &value));
	row(aclrtFunctionGetBinary(f, NULL));
	row(aclrtRegisterCpuFunc(bin, "", "", &out));
	row(aclrtKernelArgsGetMemSize(f, 8, &n));
	row(aclrtKernelArgsGetHandleMemSize(f, &n));
}

static void launches_of_function_gone(void)
{
	aclrtBinHandle bin, loaded;
	aclrtFuncHandle f = function_gone(&bin);
	aclrtLaunchKernelCfg none = {NULL, 0};
	aclrtArgsHandle list = NULL;
	aclrtStream s = stream();
	void *d = device();
	long value = 1;

	row(aclrtLaunchKernel(f, 0, d, 8, s));
	row(aclrtLaunchKernelV2(f, 0, d, 0, NULL, s));
	row(aclrtLaunchKernelV2(f, 1, d, 8, &none, s));
	row(aclrtLaunchKernelWithHostArgs(f, 0, s, NULL, &value, 0, NULL, 0));
	f = function(&loaded);
	need(aclrtKernelArgsInit(f, &list));
	need(aclrtBinaryUnLoad(loaded));
	row(aclrtLaunchKernelWithConfig(f, 1, s, &none, list, NULL));
}

static void lists_begun_again(void)
{
	aclrtBinHandle bin;
	aclrtFuncHandle f = function(&bin);
	aclrtArgsHandle list = NULL;
	aclrtParamHandle plain, holder;
	void *buffer;
	long value = 1;

	need(aclrtKernelArgsInit(f, &list));
	need(aclrtKernelArgsAppend(list, &value, sizeof(value), &plain));
	need(aclrtKernelArgsAppendPlaceHolder(list, &holder));
	row(aclrtKernelArgsParaUpdate(list, holder, &value, sizeof(value)));
	need(aclrtKernelArgsInit(f, &list));
	row(aclrtKernelArgsParaUpdate(list, plain, &value, sizeof(value)));
	row(aclrtKernelArgsGetPlaceHolderBuffer(list, holder, 8, &buffer));
	need(aclrtKernelArgsFinalize(list));
	row(aclrtLaunchKernelWithConfig(f, 1, NULL, NULL, list, NULL));
}

static void launches_of_33_bits(void)
{
	aclrtBinHandle bin;
	aclrtFuncHandle f = function(&bin);
	aclrtStream s = stream();
	void *d = device();
	long value = 1;

	row(aclrtLaunchKernel(f, 1, d, SIZE_OF_33_BITS, s));
	row(aclrtLaunchKernelV2(f, 1, d, SIZE_OF_33_BITS, NULL, s));
	row(aclrtLaunchKernelWithHostArgs(f, 1, s, NULL, &value, SIZE_OF_33_BITS, NULL, 0));
	row(aclrtLaunchKernelWithHostArgs(f, 1, s, NULL, &value, SIZE_OF_33_BITS + sizeof(value), NULL, 0));
}

static void host_launch(aclrtFuncHandle f, uint32_t address, uint32_t data, size_t n)
{
	aclrtPlaceHolderInfo holder = {.addrOffset = address, .dataOffset = data};
	long values[4] = {0};

	row(aclrtLaunchKernelWithHostArgs(
		f, 1, NULL, NULL, values, sizeof(values), n ? &holder : NULL, n ? n : (size_t)1 << 16));
}

/* They begin in the arguments; there are as many as fit into 16 bits. */
static void launches_with_holders(void)
{
	aclrtBinHandle bin;
	aclrtFuncHandle f = function(&bin);
	long value = 1;

	row(aclrtLaunchKernelWithHostArgs(f, 1, NULL, NULL, &value, sizeof(value), NULL, 1));
	host_launch(f, 32, 8, 1);
	host_launch(f, 0, 32, 1);
	host_launch(f, 31, 31, 1);
	host_launch(f, 0, 8, 1);
	host_launch(f, 0, 0, 0);
	row(aclrtSynchronizeDevice());
}

static void launches_for_profiling(void)
{
	aclrtBinHandle bin;
	aclrtFuncHandle f = function(&bin);
	aclrtLaunchKernelAttr attr = {
		.id = ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING, .value.enableProfiling = 1};
	aclrtLaunchKernelCfg cfg = {&attr, 1};
	void *d = device();

	row(aclrtLaunchKernelV2(f, 1, d, 8, &cfg, NULL));
	attr.value.enableProfiling = 2;
	row(aclrtLaunchKernelV2(f, 1, d, 8, &cfg, NULL));
}

static void *unknown_attribute(void *f)
{
	aclrtLaunchKernelAttr attr = {.id = (aclrtLaunchKernelAttrId)99};
	aclrtLaunchKernelCfg cfg = {&attr, 1};
	long value = 1;

	row(aclrtLaunchKernelWithHostArgs(f, 1, NULL, &cfg, &value, sizeof(value), NULL, 0));
	return NULL;
}

/* They are read before the context is looked for. */
static void launches_with_unknown_attribute(void)
{
	aclrtBinHandle bin;
	aclrtFuncHandle f = function(&bin);
	aclrtLaunchKernelAttr attr = {.id = (aclrtLaunchKernelAttrId)0};
	aclrtLaunchKernelCfg cfg = {&attr, 1};

	row(aclrtLaunchKernelV2(f, 1, device(), 8, &cfg, NULL));
	unknown_attribute(f);
	in_thread(unknown_attribute, f);
}

static void *update_here(void *model)
{
	row(aclmdlRIUpdate(model));
	return NULL;
}

static void *clean_here(void *s)
{
	row(aclrtPersistentTaskClean(s));
	return NULL;
}

static void kinds_without_context(void)
{
	aclrtStream persistent = NULL;
	aclmdlRI built = NULL;

	need(aclrtCreateStreamWithConfig(&persistent, 0, ACL_STREAM_PERSISTENT));
	need(aclmdlRIBuildBegin(&built, 0));
	in_thread(update_here, built);
	in_thread(clean_here, stream());
	in_thread(clean_here, persistent);
}

static void update_between_dead_streams(void)
{
	aclrtTaskUpdateInfo info = {.id = ACL_RT_UPDATE_RANDOM_TASK};
	aclrtContext there, here;
	aclrtStream elsewhere, dead;

	need(aclrtGetCurrentContext(&there));
	need(aclrtCreateContext(&here, 0));
	need(aclrtSetCurrentContext(there));
	elsewhere = stream();
	dead = stream();
	need(aclrtDestroyStream(dead));
	need(aclrtSetCurrentContext(here));
	row(aclrtTaskUpdateAsync(elsewhere, 0, &info, dead));
	row(aclrtTaskUpdateAsync(dead, 0, &info, elsewhere));
}

static void last(aclError code)
{
	row(code);
	row(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
}

static void *without_context(void *unused)
{
	aclrtNotify n;
	int32_t device;

	last(aclrtGetDevice(&device));
	last(aclrtCreateNotify(&n, 0));
	last(aclrtSynchronizeDevice());
	return unused;
}

static void refusals_that_are_not_last(void)
{
	aclrtEvent plain = event(ACL_EVENT_CAPTURE_STREAM_PROGRESS);
	aclrtStream s = stream();
	aclmdlRI m;

	(void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
	last(aclrtSynchronizeStreamWithTimeout(s, -2));
	last(aclrtSynchronizeDeviceWithTimeout(-2));
	last(aclrtSynchronizeEventWithTimeout(plain, -2));
	last(aclmdlRIBuildBegin(&m, 1));
	last(aclrtResetEvent(plain, s));
	last(aclrtSetDevice(99));
	in_thread(without_context, NULL);
}

static void *symbols(void *unused)
{
	static const char none[8];
	aclrtFuncHandle f;
	void *where;
	size_t size;

	row(aclrtGetFuncBySymbol(none, &f));
	row(aclrtGetSymbolAddress(none, &where));
	row(aclrtGetSymbolSize(none, &size));
	return unused;
}

static void symbols_of_nothing(void)
{
	(void)symbols(NULL);
	in_thread(symbols, NULL);
}

/* A sum of offset and size that wraps is not one that is too large. */
static void symbol_ranges_that_wrap(void)
{
	static const char variable[8];
	char data[8];

	need(softnpu_register_variable(variable, "variable", sizeof(variable)));
	row(aclrtMemcpyFromSymbol(data, 8, variable, 8, 1, ACL_MEMCPY_DEVICE_TO_HOST));
	row(aclrtMemcpyFromSymbol(data, 8, variable, 8, SIZE_MAX - 8, ACL_MEMCPY_DEVICE_TO_HOST));
	row(aclrtMemcpyFromSymbol(data, 8, variable, 8, SIZE_MAX - 7, ACL_MEMCPY_DEVICE_TO_HOST));
	row(aclrtMemcpyFromSymbolAsync(data, 8, variable, 8, SIZE_MAX, ACL_MEMCPY_DEVICE_TO_HOST, NULL));
	row(aclrtMemcpyToSymbol(variable, data, 8, SIZE_MAX, ACL_MEMCPY_HOST_TO_DEVICE));
	row(aclrtMemcpyToSymbolAsync(variable, data, 8, SIZE_MAX, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
	row(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
}

static void launch_with(const aclrtLaunchKernelAttr *first, const aclrtLaunchKernelAttr *second)
{
	aclrtLaunchKernelAttr both[2] = {*first, *second};
	aclrtLaunchKernelCfg cfg = {both, 2};
	aclrtBinHandle bin;

	row(aclrtLaunchKernelV2(function(&bin), 1, device(), 8, &cfg, NULL));
}

/* The value that comes last is the one that is looked at; no later one makes up for an attribute that is
 * unknown. */
static void attributes_given_twice(void)
{
	aclrtLaunchKernelAttr none = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, .value.schemMode = 9};
	aclrtLaunchKernelAttr one = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, .value.schemMode = 1};
	aclrtLaunchKernelAttr unknown = {.id = (aclrtLaunchKernelAttrId)99};
	aclrtLaunchKernelAttr after = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, .value.timeout = 1};
	aclrtLaunchKernelAttr later = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, .value.timeout = 2};

	launch_with(&none, &one);
	launch_with(&one, &none);
	launch_with(&unknown, &one);
	launch_with(&after, &later);
}

const struct row rows_kernels[] = {ROW(options_of_data), ROW(options_of_files), ROW(launches_on_other_device),
	ROW(launches_of_described), ROW(binaries_without_device), ROW(functions_without_device),
	ROW(names_for_cpu), ROW(functions_for_cpu), ROW(lists_for_cpu), ROW(questions_to_function_gone),
	ROW(launches_of_function_gone), ROW(lists_begun_again), ROW(launches_of_33_bits),
	ROW(launches_with_holders), ROW(launches_for_profiling), ROW(launches_with_unknown_attribute),
	ROW(kinds_without_context), ROW(update_between_dead_streams), ROW(refusals_that_are_not_last),
	ROW(symbols_of_nothing), ROW(symbol_ranges_that_wrap), ROW(attributes_given_twice), {NULL, NULL}};
