/* SPDX-License-Identifier: Apache-2.0 */
/* What wrong arguments are answered with: models and kernels. */
#include "arguments.h"

/* --- models -------------------------------------------------------------------------------- */

static void captures(void)
{
	aclmdlRICaptureStatus status;
	aclmdlRICondTaskParams task = {0};
	aclmdlRICondHandle condition;
	aclrtTaskGrp group;
	uint64_t *word;
	aclmdlRI m;

	setup();
	IS(aclmdlRICaptureGetInfo(NULL, &status, &m), 100000);
	IS(aclmdlRICaptureGetInfo(s, NULL, NULL), 100000);
	IS(aclmdlRICaptureTaskGrpBegin(NULL), 100000);
	IS(aclmdlRICaptureTaskGrpBegin(s), 107029);
	IS(aclmdlRICaptureTaskGrpEnd(NULL, &group), 100000);
	IS(aclmdlRICaptureTaskGrpEnd(s, NULL), 100000);
	IS(aclmdlRICaptureTaskUpdateBegin(NULL, INVENTED), 100000);
	IS(aclmdlRICaptureTaskUpdateBegin(s, NULL), 100000);
	IS(aclmdlRICaptureTaskUpdateEnd(NULL), 100000);
	IS(aclmdlRICaptureToModelRIBegin(NULL, INVENTED, RELAXED), 100000);
	IS(aclmdlRICaptureToModelRIBegin(s, NULL, RELAXED), 100000);
	IS(aclmdlRICondHandleCreate(NULL, 0, 0, &condition), 100000);
	IS(aclmdlRICondHandleCreate(INVENTED, 0, 0, NULL), 100000);
	IS(aclmdlRICondHandleGetCondPtr(NULL, &word), 100000);
	IS(aclmdlRICondHandleGetCondPtr(INVENTED, NULL), 100000);
	IS(aclmdlRIAddCondTask(task, NULL, 0), 100000);
}

static void captured_models(void)
{
	aclrtStream persistent;
	char name[16];
	uint32_t n;
	aclmdlRI m;

	setup();
	m = capture_copy(s);
	OK(aclrtCreateStreamWithConfig(&persistent, 0, ACL_STREAM_PERSISTENT));
	IS(aclmdlRIExecuteAsync(NULL, s), 100000);
	IS(aclmdlRIExecuteAsync(m, persistent), 107000);
	IS(aclmdlRIDestroy(NULL), 100000);
	IS(aclmdlRIExecute(NULL, 5), 100000);
	IS(aclmdlRIExecute(m, 0), 107000);
	IS(aclmdlRIUpdate(NULL), 107000);
	IS(aclmdlRIBindStream(m, persistent, 0), 107000);
	IS(aclmdlRIUnbindStream(m, persistent), 107000);
	IS(aclmdlRIEndTask(m, persistent), 107000);
	IS(aclmdlRIBuildEnd(m, NULL), 107000);
	IS(aclmdlRISetName(NULL, "name"), 100000);
	IS(aclmdlRISetName(m, NULL), 100000);
	IS(aclmdlRIGetName(NULL, sizeof(name), name), 100000);
	IS(aclmdlRIGetName(m, sizeof(name), NULL), 100000);
	IS(aclmdlRIGetName(m, 0, name), 107000);
	IS(aclmdlRIGetId(NULL, &n), 100000);
	IS(aclmdlRIGetId(m, NULL), 100000);
	IS(aclmdlRIGetStreams(NULL, NULL, &n), 107000);
	IS(aclmdlRIGetTasksByStream(NULL, NULL, &n), 107000);
	IS(aclmdlRIGetTasksByStream(persistent, NULL, NULL), 107000);
	IS(aclmdlRIDestroyUnregisterCallback(NULL, called), 107000);
	IS(aclmdlRIDestroyUnregisterCallback(m, NULL), 107000);
	IS(aclmdlRIDebugPrint(NULL), 100000);
	IS(aclmdlRIDebugJsonPrint(NULL, "path", 0), 100000);
	IS(aclmdlRIDebugJsonPrint(m, NULL, 0), 100000);
}

static void built_models(void)
{
	aclrtStream persistent;
	aclmdlRI m;

	setup();
	OK(aclrtCreateStreamWithConfig(&persistent, 0, ACL_STREAM_PERSISTENT));
	OK(aclmdlRIBuildBegin(&m, 0));
	IS(aclmdlRIBuildBegin(NULL, 0), 100000);
	IS(aclmdlRIBindStream(NULL, persistent, 0), 100000);
	IS(aclmdlRIBindStream(m, s, 0), 107000);
	IS(aclmdlRIEndTask(NULL, persistent), 100000);
	IS(aclmdlRIUnbindStream(NULL, persistent), 100000);
	IS(aclmdlRIBuildEnd(NULL, NULL), 100000);
	IS(aclmdlRIBuildEnd(m, INVENTED), 100000);
	IS(aclmdlRIUpdate(m), 207000);
	OK(aclmdlRICaptureBegin(s, RELAXED));
	IS(aclmdlRIBindStream(m, s, 0), 107027);
	IS(aclmdlRIUnbindStream(m, s), 107027);
	IS(aclmdlRIEndTask(m, s), 107027);
	IS(aclrtSetStreamOverflowSwitch(s, 1), 107027);
	IS(aclrtGetOverflowStatus(dev, 64, s), 107027);
	IS(aclrtResetOverflowStatus(s), 107027);
}

/* --- kernels -------------------------------------------------------------------------------- */

static void binaries(void)
{
	aclrtFuncHandle func;
	aclrtBinHandle bin;
	char name[4];
	size_t n;
	void *p;

	setup();
	OK(aclrtBinaryLoadFromData("binary", 6, NULL, &bin));
	OK(aclrtBinaryGetFunction(bin, "kernel", &func));
	IS(aclrtBinaryLoad(NULL, &bin), 100000);
	IS(aclrtBinaryLoadFromFile(NULL, NULL, &bin), 100000);
	IS(aclrtBinaryLoadFromFile("path", NULL, NULL), 100000);
	IS(aclrtBinaryLoadFromData(NULL, 6, NULL, &bin), 100000);
	IS(aclrtBinaryLoadFromData("binary", 6, NULL, NULL), 100000);
	IS(aclrtBinaryLoadFromData("binary", 0, NULL, &bin), 107000);
	IS(aclrtBinaryUnLoad(NULL), 100000);
	IS(aclrtDestroyBinary(NULL), 100000);
	IS(aclrtBinaryGetFunction(NULL, "kernel", &func), 100000);
	IS(aclrtBinaryGetFunction(bin, NULL, &func), 100000);
	IS(aclrtBinaryGetFunction(bin, "kernel", NULL), 100000);
	IS(aclrtBinaryGetDevAddress(NULL, &p, &n), 100000);
	IS(aclrtBinaryGetDevAddress(bin, NULL, &n), 107000);
	IS(aclrtBinaryGetDevAddress(bin, &p, NULL), 107000);
	IS(aclrtBinarySetExceptionCallback(NULL, NULL, NULL), 100000);
	IS(aclrtGetFunctionName(func, sizeof(name), NULL), 100000);
	IS(aclrtGetFunctionName(NULL, sizeof(name), name), 107000);
	IS(aclrtGetFunctionName(func, sizeof(name), name), 107000);
	IS(aclrtFunctionGetBinary(NULL, &bin), 107000);
	IS(aclrtFunctionGetBinary(func, NULL), 107000);
	IS(aclrtGetFunctionSize(NULL, &n, &n), 107000);
	IS(aclrtGetFunctionSize(func, NULL, &n), 107000);
	IS(aclrtGetFunctionAddr(NULL, &p, &p), 100000);
	IS(aclrtGetFunctionAttribute(func, 0, NULL), 100000);
	IS(aclrtFunctionGetAvailDynUbufPerBlock(func, 1, &n), 100000);
}

static void launches(void)
{
	aclrtFuncHandle func;
	aclrtBinHandle bin;
	aclrtArgsHandle args;
	int arg = 1;

	setup();
	OK(aclrtBinaryLoadFromData("binary", 6, NULL, &bin));
	OK(aclrtBinaryGetFunction(bin, "kernel", &func));
	OK(aclrtKernelArgsInit(func, &args));
	IS(aclrtKernelArgsInit(NULL, &args), 100000);
	IS(aclrtKernelArgsInit(func, NULL), 100000);
	IS(aclrtKernelArgsAppend(NULL, &arg, sizeof(arg), NULL), 100000);
	IS(aclrtKernelArgsAppend(args, &arg, 0, NULL), 100000);
	IS(aclrtKernelArgsFinalize(NULL), 100000);
	IS(aclrtLaunchKernel(NULL, 1, &arg, sizeof(arg), s), 100000);
	IS(aclrtLaunchKernel(func, 1, NULL, sizeof(arg), s), 100000);
	IS(aclrtLaunchKernel(func, 0, &arg, sizeof(arg), s), 107000);
	IS(aclrtLaunchKernel(func, 1, &arg, 0, s), 107000);
	IS(aclrtLaunchKernelV2(NULL, 1, &arg, sizeof(arg), NULL, s), 100000);
	IS(aclrtLaunchKernelV2(func, 0, &arg, sizeof(arg), NULL, s), 107000);
	IS(aclrtLaunchKernelV2(func, 1, &arg, 0, NULL, s), 107000);
	IS(aclrtLaunchKernelWithHostArgs(NULL, 1, s, NULL, &arg, sizeof(arg), NULL, 0), 100000);
	IS(aclrtLaunchKernelWithHostArgs(func, 1, s, NULL, NULL, sizeof(arg), NULL, 0), 100000);
	IS(aclrtLaunchKernelWithHostArgs(func, 0, s, NULL, &arg, sizeof(arg), NULL, 0), 107000);
	IS(aclrtLaunchKernelWithConfig(func, 0, s, NULL, args, NULL), 100000);
	IS(aclrtLaunchKernelWithConfig(func, 1, s, NULL, NULL, NULL), 100000);
	IS(aclrtLaunchKernelWithConfig(func, 1, s, NULL, args, &arg), 100000);
	IS(aclrtLaunchKernelWithArgsArray(NULL, 1, s, NULL, NULL), 100000);
	IS(aclrtLaunchKernelWithArgsArray(func, 0, s, NULL, NULL), 100000);
}

static void tasks(void)
{
	aclrtRandomNumTaskInfo random = {.dataType = ACL_FLOAT}, odd = {.dataType = ACL_STRING};
	aclmdlRITaskType type;
	uint32_t id;

	setup();
	IS(aclmdlRITaskGetType(NULL, &type), 107000);
	IS(aclmdlRITaskGetSeqId(NULL, &id), 107000);
	IS(aclmdlRITaskGetParams(NULL, NULL), 107000);
	IS(aclmdlRITaskSetParams(NULL, NULL), 107000);
	IS(aclmdlRITaskDisable(NULL), 107000);
	IS(aclrtCacheLastTaskOpInfo(NULL, 4), 100000);
	IS(aclrtCacheLastTaskOpInfo("info", 0), 100000);
	IS(aclrtCacheLastTaskExtendInfo(NULL, 4), 107000);
	IS(aclrtCacheLastTaskExtendInfo("info", 0), 107000);
	IS(aclrtGetFloatOverflowStatus(NULL, 64, s), 107000);
	IS(aclrtGetFloatOverflowStatus(dev, 32, s), 107000);
	IS(aclrtGetHardwareSyncAddr(NULL), 107000);
	IS(aclrtRandomNumAsync(NULL, s, NULL), 100000);
	IS(aclrtRandomNumAsync(&odd, s, NULL), 100000);
	IS(aclrtRandomNumAsync(&random, s, INVENTED), 107000);
	IS(aclrtTaskUpdateAsync(s, 1, NULL, s), 100000);
}

static const struct tap_case cases[] = {
	C(captures), C(captured_models), C(built_models), C(binaries), C(launches), C(tasks)};

ORACLE_MAIN(cases)
