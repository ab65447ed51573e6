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

const struct row rows_drawn_i[] = {
	ROW(functions_gone_without_device), ROW(parameters_of_unknown_kernels), {NULL, NULL}};
