/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of kernels, models and their tasks that were drawn by lot: read in the published source. */
#include "rows.h"

static aclrtFuncHandle function(aclrtBinHandle *bin)
{
	aclrtFuncHandle f = NULL;

	need(aclrtBinaryLoadFromData("binary", 6, NULL, bin));
	need(aclrtBinaryGetFunction(*bin, "kernel", &f));
	return f;
}

/* --- functions that are given as a handle or as a symbol ---------------------------------------- */

static void *call_by_either(void *f)
{
	size_t n;

	row(aclrtFunctionGetParamCount(f, &n));
	row(aclrtFunctionGetParamInfo(f, 0, &n, NULL));
	row(aclrtFunctionGetAvailDynUbufPerBlock(f, 0, &n));
	row(aclrtLaunchKernelWithArgsArray(f, 1, NULL, NULL, NULL));
	return NULL;
}

/* It is among the symbols of the context's device that it is looked for first. */
static void functions_gone_without_device(void)
{
	aclrtBinHandle bin;
	aclrtFuncHandle f = function(&bin);

	need(aclrtBinaryUnLoad(bin));
	(void)call_by_either(f);
	in_thread(call_by_either, f);
}

/* No parameters are not the same as none that are known. */
static void parameters_of_unknown_kernels(void)
{
	aclrtBinHandle bin;
	aclrtFuncHandle f = function(&bin);
	size_t n = 7;

	row(aclrtFunctionGetParamCount(f, &n));
	row((long)n);
	row(aclrtFunctionGetParamInfo(f, 0, &n, NULL));
}

/* A list that is complete takes nothing more, but may be completed again. */
static void lists_completed(void)
{
	aclrtArgsHandle list = NULL;
	aclrtParamHandle first, second;
	aclrtBinHandle bin;
	long value = 1;

	need(aclrtKernelArgsInit(function(&bin), &list));
	row(aclrtKernelArgsAppend(list, &value, sizeof(value), &first));
	row(aclrtKernelArgsAppend(list, &value, sizeof(value), &second));
	row(first != second);
	row(aclrtKernelArgsFinalize(list));
	row(aclrtKernelArgsAppend(list, &value, sizeof(value), &second));
	row(aclrtKernelArgsFinalize(list));
}

/* --- models and their tasks ---------------------------------------------------------------------- */

static void *condition_of(void *handle)
{
	uint64_t *at;

	row(aclmdlRICondHandleGetCondPtr(handle, &at));
	return NULL;
}

/* The word of a condition is of no context, but without one it is not asked for. */
static void conditions_elsewhere(void)
{
	uint64_t *here = NULL, *there = NULL;
	aclmdlRICondHandle handle = NULL;
	aclrtStream s = capturing();
	aclrtContext other;
	aclmdlRI m = NULL;

	need(aclmdlRICaptureGetInfo(s, NULL, &m));
	need(aclmdlRICondHandleCreate(m, 0, (aclmdlRICondHandleFlag)0, &handle));
	need(aclmdlRICondHandleGetCondPtr(handle, &here));
	need(aclrtCreateContext(&other, 0));
	row(aclmdlRICondHandleGetCondPtr(handle, &there));
	row(here == there);
	in_thread(condition_of, handle);
}

static void tasks_set_twice(void)
{
	aclrtStream s = capturing(), inner = NULL, x = stream();
	aclmdlRITaskParams params;
	aclmdlRITask t = NULL;
	aclmdlRI m = NULL;
	uint32_t n = 1;

	need(aclrtValueWrite(device(), 1, 0, s));
	need(aclmdlRICaptureEnd(s, &m));
	need(aclmdlRIGetStreams(m, &inner, &n));
	need(aclmdlRIGetTasksByStream(inner, &t, &n));
	need(aclmdlRITaskGetParams(t, &params));
	row(aclmdlRITaskSetParams(t, &params));
	row(aclmdlRITaskSetParams(t, &params));
	row(aclmdlRIExecuteAsync(m, x));
	row(aclmdlRIUpdate(m));
	row(aclmdlRIExecuteAsync(m, x));
}

/* The last reset of a device unbinds the thread, whichever device it had set. */
static void reset_of_another_device(void)
{
	int32_t id = -1;

	need(aclrtSetDevice(1));
	need(aclrtSetDevice(0));
	row(aclrtResetDevice(1));
	row(aclrtGetDevice(&id));
	row(aclrtResetDevice(1));
}

const struct row rows_drawn[] = {ROW(functions_gone_without_device), ROW(parameters_of_unknown_kernels),
	ROW(lists_completed), ROW(conditions_elsewhere), ROW(tasks_set_twice), ROW(reset_of_another_device),
	{NULL, NULL}};
