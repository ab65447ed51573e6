/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What wrong arguments are answered with, one call a line.  The codes are those of the real runtime's
 * published source: its outer layer refuses with 1000xx, what it hands on is refused below with 1070xx, and
 * which of the two looks at an argument differs from function to function.  Releases differ nowhere here.
 */
#include "oracle.h"

#include "acl/acl_rt_memory_soma.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED
#define INVENTED ((void *)0x1234)
#define NO_DEVICE 99
#define MIB2 ((size_t)2 << 20)

static aclrtStream s;
static aclrtEvent e;
static char *dev, *dev2, *host;

static void setup(void)
{
	OK(aclrtSetDevice(0));
	s = stream_new();
	e = event_ex(ACL_EVENT_SYNC);
	dev = device_new(N_BYTES);
	dev2 = device_new(N_BYTES);
	host = host_new(N_BYTES);
}

/* --- devices ------------------------------------------------------------------------------ */

static void device_outputs(void)
{
	setup();
	IS(aclrtGetDevice(NULL), 100000);
	IS(aclrtGetRunMode(NULL), 100000);
	IS(aclrtGetDeviceCount(NULL), 100000);
	IS(aclrtGetDeviceSatMode(NULL), 100000);
	IS(aclrtQueryDeviceStatus(0, NULL), 100000);
	IS(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICPU_CORE_NUM, NULL), 100000);
	IS(aclrtGetDeviceCapability(0, ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV, NULL), 100000);
	IS(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, NULL), 100000);
	IS(aclrtGetStreamResLimit(s, ACL_RT_DEV_RES_CUBE_CORE, NULL), 100000);
	IS(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_CUBE_CORE, NULL), 100000);
	IS(aclrtGetDevicesTopo(0, 1, NULL), 100000);
	IS(aclrtGetLogicDevIdByUserDevId(0, NULL), 100000);
	IS(aclrtGetUserDevIdByLogicDevId(0, NULL), 100000);
	IS(aclrtGetLogicDevIdByPhyDevId(0, NULL), 100000);
	IS(aclrtGetPhyDevIdByLogicDevId(0, NULL), 100000);
	IS(aclrtGetOpExecuteTimeout(NULL), 100000);
	IS(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, NULL), 100000);
	IS(aclrtDeviceGetUuid(0, NULL), 100000);
	IS(aclrtDeviceGetPCIBusId(0, NULL, 32), 100000);
	IS(aclrtDeviceGetByPCIBusId(NULL, NULL), 100000);
	IS(aclrtGetDeviceUtilizationRate(0, NULL), 100000);
	IS(aclrtDevicePeerAccessStatus(0, 1, NULL), 100000);
	IS(aclrtDeviceGetBareTgid(NULL), 100000);
	IS(aclrtDeviceGetStreamPriorityRange(NULL, NULL), 0);
}

static void no_such_device(void)
{
	aclrtUtilizationInfo use = {0};
	aclrtDeviceStatus status;
	aclrtMemUsageInfo usage;
	aclrtErrorInfo error;
	aclrtUuid uuid;
	aclrtContext c;
	uint32_t cores;
	int32_t id;
	size_t n;
	char bus[32];

	setup();
	IS(aclrtCreateContext(&c, NO_DEVICE), 107001);
	IS(aclrtCreateContext(&c, -1), 107001);
	IS(aclrtResetDevice(NO_DEVICE), 107001);
	IS(aclrtResetDeviceForce(NO_DEVICE), 107001);
	IS(aclrtQueryDeviceStatus(NO_DEVICE, &status), 107001);
	IS(aclrtDeviceTaskAbort(NO_DEVICE, 0), 107001);
	IS(aclrtGetDeviceResLimit(NO_DEVICE, ACL_RT_DEV_RES_CUBE_CORE, &cores), 107001);
	IS(aclrtSetDeviceResLimit(NO_DEVICE, ACL_RT_DEV_RES_CUBE_CORE, 1), 107001);
	IS(aclrtResetDeviceResLimit(NO_DEVICE), 107001);
	IS(aclrtGetLogicDevIdByUserDevId(-1, &id), 107001);
	IS(aclrtGetLogicDevIdByUserDevId(NO_DEVICE, &id), 107001);
	IS(aclrtGetUserDevIdByLogicDevId(-1, &id), 107001);
	IS(aclrtGetUserDevIdByLogicDevId(NO_DEVICE, &id), 107001);
	IS(aclrtDeviceGetUuid(-1, &uuid), 107001);
	IS(aclrtDeviceGetUuid(NO_DEVICE, &uuid), 107001);
	IS(aclrtDeviceGetPCIBusId(-1, bus, 32), 107001);
	IS(aclrtDeviceGetPCIBusId(NO_DEVICE, bus, 32), 107001);
	IS(aclrtGetPrimaryCtxState(NO_DEVICE, NULL, &id), 107001);
	IS(aclrtGetErrorVerbose(NO_DEVICE, &error), 107001);
	IS(aclrtGetMemUsageInfo(NO_DEVICE, &usage, 1, &n), 107001);
	IS(aclrtGetDeviceUtilizationRate(NO_DEVICE, &use), 0);
	IS(use.cubeUtilization, -1);
	IS(aclrtDevicePeerAccessStatus(NO_DEVICE, 1, &id), 107000);
	IS(aclrtDevicePeerAccessStatus(0, NO_DEVICE, &id), 107000);
	IS(aclrtDeviceDisablePeerAccess(NO_DEVICE), 107000);
}

static void device_values(void)
{
	aclrtUtilizationInfo use = {.utilizationExtend = INVENTED};
	size_t bytes;
	uint32_t n;
	char bus[32];
	int32_t can;

	setup();
	IS(aclrtSynchronizeDeviceWithTimeout(-2), 107000);
	IS(aclrtSynchronizeDeviceWithTimeout(0), 107000);
	IS(aclrtSetTsDevice((aclrtTsId)5), 100000);
	IS(aclrtGetDeviceUtilizationRate(0, &use), 100000);
	IS(aclrtGetOverflowStatus(NULL, 64, s), 100000);
	IS(aclrtGetOverflowStatus(dev, 8, s), 107000);
	IS(aclrtDeviceTaskAbort(0, 36 * 60 * 1000 + 1), 107000);
	IS(aclrtGetDeviceResLimit(0, (aclrtDevResLimitType)9, &n), 107000);
	IS(aclrtSetDeviceResLimit(0, (aclrtDevResLimitType)9, 1), 107000);
	IS(aclrtGetStreamResLimit(s, (aclrtDevResLimitType)9, &n), 107000);
	IS(aclrtSetStreamResLimit(s, (aclrtDevResLimitType)9, 1), 107000);
	IS(aclrtGetResInCurrentThread((aclrtDevResLimitType)9, &n), 107000);
	IS(aclrtDeviceSetLimit((aclrtDeviceLimit)9, 1), 100000);
	IS(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, (size_t)1 << 32), 100000);
	IS(aclrtDeviceGetLimit((aclrtDeviceLimit)9, &bytes), 100000);
	IS(aclrtDeviceL2CacheFlush(INVENTED), 100000);
	IS(aclrtDeviceGetPCIBusId(0, bus, 4), 107000);
	IS(aclrtCheckArchCompatibility(NULL, &can), 107000);
	IS(aclrtCheckArchCompatibility("", &can), 107000);
	IS(aclrtCheckArchCompatibility("Ascend910B1", NULL), 107000);
	IS(aclrtDeviceEnablePeerAccess(1, 5), 200006);
	IS(aclrtDeviceEnablePeerAccess(0, 0), 100000);
	IS(aclrtDeviceDisablePeerAccess(0), 100000);
	IS(aclrtDeviceCanAccessPeer(&can, 1, 1), 100000);
}

static void atomic_capabilities(void)
{
	aclrtAtomicOperation ops[1] = {0}, bad[1] = {(aclrtAtomicOperation)999};
	uint32_t can[1];

	setup();
	IS(aclrtDeviceGetHostAtomicCapabilities(NULL, ops, 1, 0), 107000);
	IS(aclrtDeviceGetHostAtomicCapabilities(can, NULL, 1, 0), 107000);
	IS(aclrtDeviceGetHostAtomicCapabilities(can, ops, 0, 0), 107000);
	IS(aclrtDeviceGetHostAtomicCapabilities(can, ops, 1, NO_DEVICE), 107001);
	IS(aclrtDeviceGetHostAtomicCapabilities(can, bad, 1, 0), 107000);
	IS(aclrtDeviceGetP2PAtomicCapabilities(NULL, ops, 1, 0, 1), 107000);
	IS(aclrtDeviceGetP2PAtomicCapabilities(can, NULL, 1, 0, 1), 107000);
	IS(aclrtDeviceGetP2PAtomicCapabilities(can, ops, 0, 0, 1), 107000);
	IS(aclrtDeviceGetP2PAtomicCapabilities(can, ops, 1, 0, 0), 107001);
	IS(aclrtDeviceGetP2PAtomicCapabilities(can, ops, 1, 0, NO_DEVICE), 107001);
	IS(aclrtDeviceGetP2PAtomicCapabilities(can, bad, 1, 0, 1), 107000);
}

static void faults(void)
{
	static aclrtMemUceInfo info[129], odd = {.reserved = {1}};
	aclrtErrorInfo error = {0};
	size_t n;

	setup();
	IS(aclrtGetMemUceInfo(0, NULL, 1, &n), 100000);
	IS(aclrtGetMemUceInfo(0, info, 1, NULL), 100000);
	IS(aclrtGetMemUceInfo(NO_DEVICE, info, 1, &n), 107001);
	IS(aclrtMemUceRepair(0, NULL, 1), 100000);
	IS(aclrtMemUceRepair(0, info, 129), 100000);
	IS(aclrtMemUceRepair(0, &odd, 1), 100000);
	IS(aclrtGetErrorVerbose(0, NULL), 100000);
	IS(aclrtRepairError(0, NULL), 100000);
	IS(aclrtRepairError(0, &error), 107000);
	error.tryRepair = 1;
	IS(aclrtRepairError(NO_DEVICE, &error), 107001);
	IS(aclrtProfTrace(NULL, 4, s), 100000);
}

/* --- contexts, the process ----------------------------------------------------------------- */

static void contexts(void)
{
	int64_t value;

	setup();
	IS(aclrtCreateContext(NULL, 0), 100000);
	IS(aclrtDestroyContext(NULL), 100000);
	IS(aclrtSetCurrentContext(NULL), 100000);
	IS(aclrtGetCurrentContext(NULL), 100000);
	IS(aclrtCtxGetCurrentDefaultStream(NULL), 100000);
	IS(aclrtCtxGetFloatOverflowAddr(NULL), 107000);
	IS(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, NULL), 100000);
	IS(aclrtCtxGetSysParamOpt((aclSysParamOpt)9, &value), 100000);
	IS(aclrtCtxGetSysParamOpt(ACL_OPT_ENABLE_DEBUG_KERNEL, &value), 107021);
	IS(aclrtCtxSetSysParamOpt((aclSysParamOpt)9, 0), 100000);
	IS(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 9), 107000);
	IS(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, -1), 107000);
	IS(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, NULL), 100000);
	IS(aclrtGetSysParamOpt((aclSysParamOpt)9, &value), 100000);
	IS(aclrtSetSysParamOpt((aclSysParamOpt)9, 0), 100000);
	IS(aclrtPeekAtLastError((aclrtLastErrLevel)9), 100000);
	IS(aclrtGetLastError((aclrtLastErrLevel)9), 100000);
	IS(aclrtGetVersion(NULL, NULL, NULL), 100000);
}

/* Without parameters in the older release. */
static void snapshots(void)
{
	setup();
	if (V(0, 1))
		return;
	IS(aclrtSnapShotProcessLock(1, NULL), 100000);
	IS(aclrtSnapShotProcessLock(getpid(), INVENTED), 100000);
	IS(aclrtSnapShotProcessUnlock(1, NULL), 100000);
	IS(aclrtSnapShotProcessUnlock(getpid(), INVENTED), 100000);
	IS(aclrtSnapShotProcessBackup(1, NULL), 100000);
	IS(aclrtSnapShotProcessBackup(getpid(), INVENTED), 100000);
	IS(aclrtSnapShotProcessRestore(1, NULL), 100000);
	IS(aclrtSnapShotProcessRestore(getpid(), INVENTED), 100000);
}

/* --- streams ------------------------------------------------------------------------------- */

static void streams(void)
{
	aclrtStreamAttrValue value = {0};

	setup();
	IS(aclrtCreateStreamWithConfig(NULL, 0, 0), 100000);
	IS(aclrtSynchronizeStreamWithTimeout(s, -2), 107000);
	IS(aclrtSynchronizeStreamWithTimeout(s, 0), 107000);
	IS(aclrtStreamQuery(s, NULL), 100000);
	IS(aclrtStreamGetPriority(s, NULL), 100000);
	IS(aclrtStreamGetFlags(s, NULL), 100000);
	IS(aclrtStreamGetId(s, NULL), 100000);
	IS(aclrtGetStreamAvailableNum(NULL), 100000);
	IS(aclrtGetStreamOverflowSwitch(s, NULL), 100000);
	IS(aclrtSetStreamOverflowSwitch(s, 2), 100000);
	IS(aclrtStreamStop(NULL), 107000);
	IS(aclrtGetStreamAttribute(s, ACL_STREAM_ATTR_FAILURE_MODE, NULL), 100000);
	IS(aclrtGetStreamAttribute(s, (aclrtStreamAttr)99, &value), 107000);
	IS(aclrtSetStreamAttribute(s, (aclrtStreamAttr)99, &value), 107000);
	value.cacheOpInfoSwitch = 2;
	IS(aclrtSetStreamAttribute(s, ACL_STREAM_ATTR_CACHE_OP_INFO, &value), 107000);
	value.overflowSwitch = 2;
	IS(aclrtSetStreamAttribute(s, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value), 107000);
	IS(aclrtActiveStream(NULL, s), 100000);
	IS(aclrtActiveStream(s, NULL), 100000);
	IS(aclrtPersistentTaskClean(NULL), 107000);
	IS(aclrtPersistentTaskClean(s), 507000);
}

static void stream_switch(void)
{
	const aclrtCompareDataType type = ACL_RT_SWITCH_INT32;
	const aclrtCondition equal = ACL_RT_EQUAL;

	setup();
	IS(aclrtSwitchStream(NULL, equal, dev2, type, s, NULL, s), 100000);
	IS(aclrtSwitchStream(dev, equal, NULL, type, s, NULL, s), 100000);
	IS(aclrtSwitchStream(dev, equal, dev2, type, NULL, NULL, s), 100000);
	IS(aclrtSwitchStream(dev, equal, dev2, type, s, NULL, NULL), 100000);
	IS(aclrtSwitchStream(dev, equal, dev2, type, s, s, s), 100000);
	IS(aclrtSwitchStream(dev, (aclrtCondition)99, dev2, type, s, NULL, s), 107000);
	IS(aclrtSwitchStream(dev, equal, dev2, (aclrtCompareDataType)99, s, NULL, s), 107000);
}

/* --- events -------------------------------------------------------------------------------- */

static void event_flags(void)
{
	aclrtEvent x;

	setup();
	IS(aclrtCreateEventWithFlag(NULL, ACL_EVENT_SYNC), 100000);
	IS(aclrtCreateEventExWithFlag(NULL, ACL_EVENT_SYNC), 100000);
	IS(aclrtCreateEventWithFlag(&x, 0x100), 107000);
	IS(aclrtCreateEventWithFlag(&x, ACL_EVENT_EXTERNAL | ACL_EVENT_SYNC), 107000);
	IS(aclrtCreateEventWithFlag(&x, ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_SYNC), 107000);
	IS(aclrtCreateEventWithFlag(&x, ACL_EVENT_IPC), 107000);
	IS(aclrtCreateEventExWithFlag(&x, 0), 107000);
	IS(aclrtCreateEventExWithFlag(&x, 0x100), 107000);
	IS(aclrtCreateEventExWithFlag(&x, ACL_EVENT_DEVICE_USE_ONLY), 107000);
	IS(aclrtCreateEventExWithFlag(&x, ACL_EVENT_IPC | ACL_EVENT_SYNC), 107000);
}

static void event_arguments(void)
{
	aclrtEventRecordedStatus recorded;
	aclrtEventWaitStatus waited;
	aclrtEventStatus status;
	uint64_t us;
	uint32_t id;
	float ms;

	setup();
	IS(aclrtRecordEventWithFlag(NULL, s, 0), 100000);
	IS(aclrtRecordEventWithFlag(e, s, 7), 100000);
	IS(aclrtStreamWaitEventWithFlag(s, NULL, 0, 0), 100000);
	IS(aclrtStreamWaitEventWithFlag(s, e, 0, 7), 100000);
	IS(aclrtStreamWaitEventWithFlag(s, e, 5, ACL_EVENT_WAIT_EXTERNAL), 100000);
	IS(aclrtStreamWaitEventWithTimeout(s, e, -1), 107000);
	IS(aclrtQueryEvent(NULL, &status), 100000);
	IS(aclrtQueryEvent(e, NULL), 100000);
	IS(aclrtQueryEventStatus(NULL, &recorded), 100000);
	IS(aclrtQueryEventStatus(e, NULL), 100000);
	IS(aclrtQueryEventWaitStatus(NULL, &waited), 100000);
	IS(aclrtQueryEventWaitStatus(e, NULL), 100000);
	IS(aclrtSynchronizeEventWithTimeout(NULL, 5), 100000);
	IS(aclrtSynchronizeEventWithTimeout(NULL, -2), 107000);
	IS(aclrtSynchronizeEventWithTimeout(NULL, 0), 100000);
	IS(aclrtSynchronizeEventWithTimeout(e, 0), 107000);
	IS(aclrtEventElapsedTime(NULL, e, e), 100000);
	IS(aclrtEventElapsedTime(&ms, NULL, e), 100000);
	IS(aclrtEventElapsedTime(&ms, e, NULL), 100000);
	IS(aclrtEventGetTimestamp(NULL, &us), 100000);
	IS(aclrtEventGetTimestamp(e, NULL), 100000);
	IS(aclrtGetEventId(NULL, &id), 100000);
	IS(aclrtGetEventId(e, NULL), 100000);
	IS(aclrtGetEventAvailNum(NULL), 100000);
	IS(aclrtSetOpExecuteTimeOutV2(1, NULL), 100000);
	IS(aclrtGetOpTimeOutInterval(NULL), 100000);
}

static void event_kinds(void)
{
	aclrtEventWaitStatus waited;
	aclrtEventStatus status;
	aclrtIpcEventHandle key;
	aclrtEvent ipc, external;
	uint64_t us;
	uint32_t id;
	aclmdlRI m;
	float ms;

	setup();
	ipc = event_ex(ACL_EVENT_IPC);
	OK(aclrtCreateEventWithFlag(&external, ACL_EVENT_EXTERNAL));
	IS(aclrtQueryEvent(e, &status), 207000);
	IS(aclrtQueryEventWaitStatus(e, &waited), 207000);
	IS(aclrtQueryEvent(ipc, &status), 207000);
	IS(aclrtQueryEventWaitStatus(ipc, &waited), 207000);
	IS(aclrtEventElapsedTime(&ms, ipc, e), 207000);
	IS(aclrtEventElapsedTime(&ms, e, ipc), 207000);
	IS(aclrtEventElapsedTime(&ms, e, external), 207000);
	IS(aclrtEventGetTimestamp(ipc, &us), 207000);
	IS(aclrtGetEventId(ipc, &id), 207000);
	IS(aclrtResetEvent(ipc, s), 207000);
	IS(aclrtIpcGetEventHandle(NULL, &key), 100000);
	IS(aclrtIpcGetEventHandle(ipc, NULL), 100000);
	IS(aclrtIpcGetEventHandle(e, &key), 107000);
	OK(aclmdlRICaptureBegin(s, RELAXED));
	OK(aclrtRecordEvent(e, s));
	IS(aclrtQueryEvent(e, &status), 207000);
	IS(aclrtQueryEventWaitStatus(e, &waited), 207000);
	IS(aclrtEventElapsedTime(&ms, external, e), 107028);
	IS(aclrtSynchronizeEventWithTimeout(e, 0), 107000);
	IS(aclrtRecordEvent(ipc, s), 207000);
	IS(aclrtStreamWaitEvent(s, ipc), 207000);
	OK(aclmdlRICaptureEnd(s, &m));
}

/* --- notifies, labels, callbacks ------------------------------------------------------------- */

static void notifies(void)
{
	aclrtServerPid server = {.pid = NULL, .num = 1};
	aclrtNotify n, none[1] = {NULL};
	aclrtCntNotifyRecordInfo record = {0};
	aclrtCntNotifyWaitInfo wait = {0};
	char key[128];
	int32_t pid = 1;
	uint32_t id;

	setup();
	OK(aclrtCreateNotify(&n, 0));
	IS(aclrtCreateNotify(NULL, 0), 100000);
	IS(aclrtDestroyNotify(NULL), 100000);
	IS(aclrtRecordNotify(NULL, s), 100000);
	IS(aclrtWaitAndResetNotify(NULL, s, 0), 100000);
	IS(aclrtGetNotifyId(NULL, &id), 100000);
	IS(aclrtGetNotifyId(n, NULL), 100000);
	IS(aclrtNotifyBatchReset(NULL, 1), 100000);
	IS(aclrtNotifyBatchReset(none, 1), 107000);
	IS(aclrtNotifyGetExportKey(NULL, key, sizeof(key), 0), 100000);
	IS(aclrtNotifyGetExportKey(n, NULL, sizeof(key), 0), 100000);
	IS(aclrtNotifyGetExportKey(n, key, 0, 0), 107000);
	IS(aclrtNotifyGetExportKey(n, key, sizeof(key), 9), 107000);
	IS(aclrtNotifyImportByKey(NULL, "key", 0), 100000);
	IS(aclrtNotifyImportByKey(&n, NULL, 0), 100000);
	IS(aclrtNotifySetImportPid(NULL, &pid, 1), 100000);
	IS(aclrtNotifySetImportPid(n, NULL, 1), 100000);
	IS(aclrtNotifySetImportPidInterServer(NULL, &server, 1), 107000);
	IS(aclrtNotifySetImportPidInterServer(n, NULL, 1), 107000);
	IS(aclrtNotifySetImportPidInterServer(n, &server, 0), 107000);
	IS(aclrtNotifySetImportPidInterServer(n, &server, 1), 107000);
	IS(aclrtCntNotifyRecord(NULL, s, NULL), 100000);
	IS(aclrtCntNotifyRecord(NULL, s, &record), 107000);
	IS(aclrtCntNotifyWaitWithTimeout(NULL, s, NULL), 100000);
	IS(aclrtCntNotifyWaitWithTimeout(NULL, s, &wait), 107000);
	IS(aclrtCntNotifyReset(NULL, s), 107000);
	IS(aclrtCntNotifyGetId(NULL, &id), 107000);
}

static void labels(void)
{
	aclrtLabelList list;
	aclrtLabel label;

	setup();
	OK(aclrtCreateLabel(&label));
	IS(aclrtCreateLabel(NULL), 100000);
	IS(aclrtSetLabel(NULL, s), 100000);
	IS(aclrtSetLabel(label, NULL), 100000);
	IS(aclrtDestroyLabel(NULL), 100000);
	IS(aclrtCreateLabelList(NULL, 1, &list), 100000);
	IS(aclrtCreateLabelList(&label, 1, NULL), 100000);
	IS(aclrtDestroyLabelList(NULL), 100000);
	IS(aclrtSwitchLabelByIndex(NULL, 1, INVENTED, s), 100000);
	IS(aclrtSwitchLabelByIndex(dev, 1, NULL, s), 100000);
	IS(aclrtSwitchLabelByIndex(dev, 1, INVENTED, NULL), 100000);
}

static void called(void *data)
{
	(void)data;
}

static void host_callbacks(void)
{
	setup();
	IS(aclrtLaunchCallback(called, NULL, (aclrtCallbackBlockType)9, s), 100000);
	IS(aclrtLaunchCallback(NULL, NULL, ACL_CALLBACK_BLOCK, s), 107000);
	IS(aclrtLaunchHostFunc(s, NULL, NULL), 107000);
	IS(aclrtProcessReport(0), 100000);
	IS(aclrtProcessReport(-5), 100000);
	IS(aclrtProcessReport(5), 107012);
	IS(aclrtRegStreamStateCallback(NULL, NULL, NULL), 100000);
	IS(aclrtRegDeviceStateCallback(NULL, NULL, NULL), 100000);
	IS(aclrtSetDeviceTaskAbortCallback(NULL, NULL, NULL), 100000);
	IS(aclrtExceptionInfoCallbackRegister(NULL), 107000);
	IS(aclrtExceptionInfoCallbackUnregister(NULL), 107000);
	IS(aclrtBinarySetExceptionCallback(NULL, NULL, NULL), 100000);
}

static void mixed_subscriptions(void)
{
	aclrtStream other;

	setup();
	other = stream_new();
	OK(aclrtLaunchHostFunc(s, called, NULL));
	IS(aclrtSubscribeReport((uint64_t)pthread_self(), s), 107011);
	IS(aclrtUnSubscribeReport((uint64_t)pthread_self(), s), 107011);
	IS(aclrtLaunchCallback(called, NULL, ACL_CALLBACK_BLOCK, s), 107011);
	OK(aclrtSubscribeReport((uint64_t)pthread_self(), other));
	IS(aclrtLaunchHostFunc(other, called, NULL), 107011);
}

/* --- memory -------------------------------------------------------------------------------- */

static void allocations(void)
{
	aclrtMallocConfig none = {NULL, 0}, missing = {NULL, 1};
	aclrtPtrAttributes about;
	size_t bytes;
	void *p;

	setup();
	IS(aclrtMallocAlign32(NULL, 64, 0), 100000);
	IS(aclrtMallocAlign32(&p, 0, 0), 100000);
	IS(aclrtMallocCached(NULL, 64, 0), 100000);
	IS(aclrtMallocCached(&p, 0, 0), 100000);
	IS(aclrtMallocWithCfg(NULL, 64, 0, NULL), 100000);
	IS(aclrtMallocWithCfg(&p, 0, 0, NULL), 100000);
	IS(aclrtMallocWithCfg(&p, 64, 0, &missing), 100000);
	IS(aclrtMallocWithCfg(&p, 64, 0, &none), 107000);
	IS(aclrtMallocForTaskScheduler(NULL, 64, 0, NULL), 100000);
	IS(aclrtMallocForTaskScheduler(&p, 0, 0, NULL), 100000);
	IS(aclrtMallocHost(NULL, 64), 100000);
	IS(aclrtMallocHostWithCfg(NULL, 64, NULL), 100000);
	IS(aclrtMallocHostWithCfg(&p, 0, NULL), 100000);
	IS(aclrtMalloc(&p, SIZE_MAX, 0), 100000);
	IS(aclrtFreeWithDevSync(NULL), 100000);
	IS(aclrtFreeHostWithDevSync(NULL), 100000);
	IS(aclrtMemFlush(NULL, 64), 100000);
	IS(aclrtMemFlush(dev, 0), 100000);
	IS(aclrtMemInvalidate(NULL, 64), 100000);
	IS(aclrtMemInvalidate(dev, 0), 100000);
	IS(aclrtPointerGetAttributes(NULL, &about), 100000);
	IS(aclrtPointerGetAttributes(dev, NULL), 100000);
	IS(aclrtGetMemInfo(ACL_HBM_MEM, NULL, &bytes), 100000);
	IS(aclrtGetMemInfo(ACL_HBM_MEM, &bytes, NULL), 100000);
}

static void memory_queries(void)
{
	void *list[1], *base;
	aclrtMemUsageInfo usage;
	uint32_t found;
	size_t n;

	setup();
	list[0] = dev;
	IS(aclrtCheckMemType(NULL, 1, 2, &found, 0), 100000);
	IS(aclrtCheckMemType(list, 1, 2, NULL, 0), 100000);
	IS(aclrtCheckMemType(list, 0, 2, &found, 0), 107000);
	IS(aclrtCheckMemType(list, 1, 2, &found, 1), 107000);
	IS(aclrtCheckMemType(list, 1, 0x1000, &found, 0), 107000);
	IS(aclrtGetMemUsageInfo(0, NULL, 1, &n), 100000);
	IS(aclrtGetMemUsageInfo(0, &usage, 1, NULL), 100000);
	IS(aclrtGetMemUsageInfo(0, &usage, 0, &n), 107000);
	IS(aclrtMemGetAddressRange(NULL, &base, &n), 100000);
	IS(aclrtMemGetAddressRange(dev, NULL, NULL), 107000);
	IS(aclrtMemP2PMap(NULL, 64, 1, 0), 100000);
	IS(aclrtMemP2PMap(dev, 0, 1, 0), 100000);
	IS(aclrtMemP2PMap(dev, 64, 1, 1), 100000);
}

static void registration(void)
{
	static char mine[8192] __attribute__((aligned(4096)));
	aclrtHostMemMapCapability can;
	void *p;

	setup();
	IS(aclrtHostRegister(NULL, 4096, ACL_HOST_REGISTER_MAPPED, &p), 100000);
	IS(aclrtHostRegister(mine, 4096, ACL_HOST_REGISTER_MAPPED, NULL), 100000);
	IS(aclrtHostRegister(mine, 0, ACL_HOST_REGISTER_MAPPED, &p), 100000);
	IS(aclrtHostRegister(mine, 4096, (aclrtHostRegisterType)0x40, &p), 207000);
	IS(aclrtHostRegisterV2(NULL, 4096, 2), 100000);
	IS(aclrtHostRegisterV2(mine, 0, 2), 100000);
	IS(aclrtHostRegisterV2(mine, 4096, 0), 107000);
	IS(aclrtHostRegisterV2(mine, 4096, 0x40), 107000);
	IS(aclrtHostRegisterV2(mine, 4096, 0x10000004), 107000);
	IS(aclrtHostUnregister(NULL), 100000);
	IS(aclrtHostGetDevicePointer(NULL, &p, 0), 100000);
	IS(aclrtHostGetDevicePointer(mine, NULL, 0), 100000);
	IS(aclrtHostMemMapCapabilities(0, (aclrtHacType)0, NULL), 100000);
	IS(aclrtHostMemMapCapabilities(NO_DEVICE, (aclrtHacType)0, &can), 107001);
	IS(aclrtHostMemMapCapabilities(0, (aclrtHacType)99, &can), 107000);
}

static void managed_memory(void)
{
	aclrtMemManagedLocation here = {ACL_MEM_LOCATIONTYPE_DEVICE, 0};
	aclrtMemManagedRangeAttribute attribute = 0;
	const void *ptrs[] = {dev};
	size_t sizes[] = {64}, indexes[] = {0};
	uint64_t data;
	void *p;

	setup();
	IS(aclrtMemAllocManaged(NULL, 64, ACL_RT_MEM_ATTACH_GLOBAL), 100000);
	IS(aclrtMemAllocManaged(&p, 64, 77), 100000);
	IS(aclrtMemAllocManaged(&p, 0, ACL_RT_MEM_ATTACH_GLOBAL), 107000);
	IS(aclrtMemManagedAdvise(NULL, 64, 1, here), 100000);
	IS(aclrtMemManagedAdvise(dev, 0, 1, here), 100000);
	IS(aclrtMemManagedGetAttr(attribute, NULL, 64, &data, 8), 100000);
	IS(aclrtMemManagedGetAttr(attribute, dev, 64, NULL, 8), 100000);
	IS(aclrtMemManagedGetAttr(attribute, dev, 0, &data, 8), 100000);
	IS(aclrtMemManagedGetAttrs(NULL, 1, dev, 64, &p, sizes), 100000);
	IS(aclrtMemManagedGetAttrs(&attribute, 1, NULL, 64, &p, sizes), 100000);
	IS(aclrtMemManagedGetAttrs(&attribute, 1, dev, 64, NULL, sizes), 100000);
	IS(aclrtMemManagedGetAttrs(&attribute, 1, dev, 64, &p, NULL), 100000);
	IS(aclrtMemManagedPrefetchAsync(NULL, 64, here, 0, s), 100000);
	IS(aclrtMemManagedPrefetchAsync(dev, 0, here, 0, s), 100000);
	IS(aclrtMemManagedPrefetchAsync(dev, 64, here, 1, s), 100000);
	IS(aclrtMemManagedPrefetchBatchAsync(NULL, sizes, 1, &here, indexes, 1, 0, s), 100000);
	IS(aclrtMemManagedPrefetchBatchAsync(ptrs, NULL, 1, &here, indexes, 1, 0, s), 100000);
	IS(aclrtMemManagedPrefetchBatchAsync(ptrs, sizes, 0, &here, indexes, 1, 0, s), 100000);
	IS(aclrtMemManagedPrefetchBatchAsync(ptrs, sizes, 1, NULL, indexes, 1, 0, s), 100000);
	IS(aclrtMemManagedPrefetchBatchAsync(ptrs, sizes, 1, &here, NULL, 1, 0, s), 100000);
	IS(aclrtMemManagedPrefetchBatchAsync(ptrs, sizes, 1, &here, indexes, 0, 0, s), 100000);
	IS(aclrtMemManagedPrefetchBatchAsync(ptrs, sizes, 1, &here, indexes, 2, 0, s), 100000);
	IS(aclrtMemManagedPrefetchBatchAsync(ptrs, sizes, 1, &here, indexes, 1, 1, s), 100000);
}

static void pools(void)
{
	aclrtMemPoolProps props = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}}, odd;
	aclrtMemPool pool;
	uint64_t value = 0;
	void *p = NULL;

	setup();
	OK(aclrtMemPoolCreate(&pool, &props));
	IS(aclrtMemPoolCreate(NULL, &props), 100000);
	IS(aclrtMemPoolCreate(&pool, NULL), 100000);
	odd = props;
	odd.allocType = (aclrtMemAllocationType)9;
	IS(aclrtMemPoolCreate(&pool, &odd), 100000);
	odd = props;
	odd.location.type = ACL_MEM_LOCATION_TYPE_HOST;
	IS(aclrtMemPoolCreate(&pool, &odd), 100000);
	odd = props;
	odd.reserved[31] = 1;
	IS(aclrtMemPoolCreate(&pool, &odd), 100000);
	IS(aclrtMemPoolDestroy(NULL), 100000);
	IS(aclrtMemPoolSetAttr(NULL, 0, &value), 100000);
	IS(aclrtMemPoolGetAttr(NULL, 0, &value), 100000);
	IS(aclrtMemPoolMallocAsync(NULL, 64, pool, s), 100000);
	IS(aclrtMemPoolMallocAsync(&p, 64, NULL, s), 100000);
	IS(aclrtMemPoolMallocAsync(&p, 64, pool, NULL), 100000);
	IS(aclrtMemPoolMallocAsync(&p, 0, pool, s), 0);
	IS(aclrtMemPoolFreeAsync(NULL, s), 100000);
	IS(aclrtMemPoolTrimTo(NULL, 0), 100000);
}

static void sharing(void)
{
	aclrtServerPid server = {.pid = NULL, .num = 1};
	int32_t pid = 1;
	char key[128];
	void *p;

	setup();
	IS(aclrtIpcMemGetExportKey(NULL, 64, key, sizeof(key), 0), 100000);
	IS(aclrtIpcMemGetExportKey(dev, 64, NULL, sizeof(key), 0), 100000);
	IS(aclrtIpcMemGetExportKey(dev, 0, key, sizeof(key), 0), 107000);
	IS(aclrtIpcMemGetExportKey(dev, 64, key, 0, 0), 107000);
	IS(aclrtIpcMemGetExportKey(dev, 64, key, sizeof(key), 9), 107000);
	IS(aclrtIpcMemClose(NULL), 100000);
	IS(aclrtIpcMemImportByKey(NULL, "key", 0), 100000);
	IS(aclrtIpcMemImportByKey(&p, NULL, 0), 100000);
	IS(aclrtIpcMemImportByKey(&p, "key", 9), 107000);
	IS(aclrtIpcMemSetImportPid(NULL, &pid, 1), 100000);
	IS(aclrtIpcMemSetImportPid("key", NULL, 1), 100000);
	IS(aclrtIpcMemSetImportPid("key", &pid, 0), 107000);
	IS(aclrtIpcMemSetAttr(NULL, 0, 0), 107000);
	IS(aclrtIpcMemSetAttr("key", (aclrtIpcMemAttrType)99, 0), 107000);
	IS(aclrtIpcMemSetAttr("key", 0, 99), 107000);
	IS(aclrtIpcMemImportPidInterServer(NULL, &server, 1), 107000);
	IS(aclrtIpcMemImportPidInterServer("key", NULL, 1), 107000);
	IS(aclrtIpcMemImportPidInterServer("key", &server, 0), 107000);
	IS(aclrtIpcMemImportPidInterServer("key", &server, 1), 107000);
}

/* --- virtual memory ------------------------------------------------------------------------- */

static void virtual_memory(void)
{
	aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE, .location.type = ACL_MEM_LOCATION_TYPE_DEVICE};
	aclrtMemLocation place = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
	aclrtMemAccessDesc access = {0};
	aclrtDrvMemHandle h;
	uint64_t flag;
	void *p;

	setup();
	OK(aclrtReserveMemAddress(&p, MIB2, 0, NULL, 0));
	OK(aclrtMallocPhysical(&h, MIB2, &prop, 0));
	IS(aclrtReserveMemAddress(NULL, MIB2, 0, NULL, 0), 100000);
	IS(aclrtReserveMemAddress(&p, 0, 0, NULL, 0), 100000);
	IS(aclrtReserveMemAddress(&p, MIB2, 0, NULL, 2), 100000);
	IS(aclrtReserveMemAddressNoUCMemory(NULL, MIB2, 0, NULL, 0), 100000);
	IS(aclrtReserveMemAddressNoUCMemory(&p, 0, 0, NULL, 0), 100000);
	IS(aclrtReserveMemAddressNoUCMemory(&p, MIB2, 0, NULL, 2), 100000);
	IS(aclrtReleaseMemAddress(NULL), 100000);
	IS(aclrtFreePhysical(NULL), 100000);
	IS(aclrtMapMem(NULL, MIB2, 0, h, 0), 100000);
	IS(aclrtMapMem(p, MIB2, 0, NULL, 0), 100000);
	IS(aclrtMapMem(p, 0, 0, h, 0), 100000);
	IS(aclrtMapMem(p, MIB2, 0, h, 1), 100000);
	IS(aclrtMemMapNoAccess(NULL, MIB2, 0, h, 0), 100000);
	IS(aclrtMemMapNoAccess(p, MIB2, 0, NULL, 0), 100000);
	IS(aclrtMemMapNoAccess(p, 0, 0, h, 0), 100000);
	IS(aclrtMemMapNoAccess(p, MIB2, 0, h, 1), 100000);
	IS(aclrtUnmapMem(NULL), 100000);
	IS(aclrtMemGetAccess(NULL, &place, &flag), 100000);
	IS(aclrtMemGetAccess(p, NULL, &flag), 100000);
	IS(aclrtMemGetAccess(p, &place, NULL), 100000);
	IS(aclrtMemSetAccess(NULL, MIB2, &access, 1), 107000);
	IS(aclrtMemSetAccess(p, MIB2, NULL, 1), 107000);
	IS(aclrtMemRetainAllocationHandle(NULL, &h), 100000);
	IS(aclrtMemRetainAllocationHandle(p, NULL), 100000);
	IS(aclrtMemGetAllocationPropertiesFromHandle(NULL, &prop), 100000);
	IS(aclrtMemGetAllocationPropertiesFromHandle(h, NULL), 100000);
	IS(aclrtMemMapSelectedLink(NULL, MIB2, p, 0), 100000);
	IS(aclrtMemMapSelectedLink(p, MIB2, NULL, 0), 100000);
	IS(aclrtMemMapSelectedLink(p, 0, p, 0), 100000);
	IS(aclrtMemMapSelectedLink(p, MIB2, p, 2), 100000);
}

static void physical_memory(void)
{
	const aclrtPhysicalMemProp good = {
		.memAttr = ACL_HBM_MEM_HUGE, .location.type = ACL_MEM_LOCATION_TYPE_DEVICE};
	aclrtPhysicalMemProp odd;
	aclrtDrvMemHandle h;
	size_t step;

	setup();
	IS(aclrtMallocPhysical(NULL, MIB2, &good, 0), 100000);
	IS(aclrtMallocPhysical(&h, MIB2, NULL, 0), 100000);
	IS(aclrtMallocPhysical(&h, 0, &good, 0), 100000);
	IS(aclrtMallocPhysical(&h, MIB2, &good, 1), 100000);
	odd = good;
	odd.handleType = (aclrtMemHandleType)9;
	IS(aclrtMallocPhysical(&h, MIB2, &odd, 0), 100000);
	odd = good;
	odd.allocationType = (aclrtMemAllocationType)9;
	IS(aclrtMallocPhysical(&h, MIB2, &odd, 0), 100000);
	odd = good;
	odd.location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
	IS(aclrtMallocPhysical(&h, MIB2, &odd, 0), 100000);
	odd = good;
	odd.memAttr = (aclrtMemAttr)99;
	IS(aclrtMallocPhysical(&h, MIB2, &odd, 0), 100000);
	IS(aclrtMemGetAllocationGranularity(&odd, 0, &step), 100000);
	odd = good;
	odd.memAttr = ACL_DDR_MEM_HUGE;
	IS(aclrtMallocPhysical(&h, MIB2, &odd, 0), 100000);
	IS(aclrtMemGetAllocationGranularity(&odd, 0, &step), 100000);
	odd = good;
	odd.location.id = NO_DEVICE;
	IS(aclrtMallocPhysical(&h, MIB2, &odd, 0), 107001);
	IS(aclrtMemGetAllocationGranularity(&odd, 0, &step), 107001);
	IS(aclrtMemGetAllocationGranularity(NULL, 0, &step), 100000);
	IS(aclrtMemGetAllocationGranularity(&odd, 0, NULL), 100000);
}

static void shareable_handles(void)
{
	aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE, .location.type = ACL_MEM_LOCATION_TYPE_DEVICE};
	const aclrtMemSharedHandleType usual = ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, none = 99;
	aclrtDrvMemHandle h, h2;
	uint64_t key = 0;
	int32_t pid = 1;

	setup();
	OK(aclrtMallocPhysical(&h, MIB2, &prop, 0));
	IS(aclrtMemExportToShareableHandle(NULL, ACL_MEM_HANDLE_TYPE_NONE, 0, &key), 100000);
	IS(aclrtMemExportToShareableHandle(h, (aclrtMemHandleType)9, 0, &key), 100000);
	IS(aclrtMemExportToShareableHandle(h, ACL_MEM_HANDLE_TYPE_NONE, 0, NULL), 100000);
	IS(aclrtMemExportToShareableHandle(h, ACL_MEM_HANDLE_TYPE_NONE, 9, &key), 107000);
	IS(aclrtMemExportToShareableHandleV2(NULL, 0, usual, &key), 100000);
	IS(aclrtMemExportToShareableHandleV2(h, 0, usual, NULL), 100000);
	IS(aclrtMemExportToShareableHandleV2(h, 0, none, &key), 107000);
	IS(aclrtMemExportToShareableHandleV2(h, 9, usual, &key), 107000);
	IS(aclrtMemImportFromShareableHandle(key, 0, NULL), 100000);
	IS(aclrtMemImportFromShareableHandle(key, NO_DEVICE, &h2), 107001);
	IS(aclrtMemImportFromShareableHandleV2(NULL, usual, 0, &h2), 100000);
	IS(aclrtMemImportFromShareableHandleV2(&key, usual, 0, NULL), 100000);
	IS(aclrtMemImportFromShareableHandleV2(&key, usual, 1, &h2), 100000);
	IS(aclrtMemImportFromShareableHandleV2(&key, none, 0, &h2), 107000);
	IS(aclrtMemSetPidToShareableHandle(key, NULL, 1), 100000);
	IS(aclrtMemSetPidToShareableHandle(key, &pid, 0), 100000);
	IS(aclrtMemSetPidToShareableHandleV2(NULL, usual, &pid, 1), 100000);
	IS(aclrtMemSetPidToShareableHandleV2(&key, usual, NULL, 1), 100000);
	IS(aclrtMemSetPidToShareableHandleV2(&key, usual, &pid, 0), 100000);
	IS(aclrtMemSetPidToShareableHandleV2(&key, none, &pid, 1), 107000);
}

/* --- copies -------------------------------------------------------------------------------- */

static void copies(void)
{
	const aclrtMemcpyKind in = ACL_MEMCPY_HOST_TO_DEVICE, unknown = (aclrtMemcpyKind)99;

	setup();
	IS(aclrtMemset(NULL, 64, 0, 64), 100000);
	IS(aclrtMemsetAsync(NULL, 64, 0, 64, s), 100000);
	IS(aclrtMemsetAsync(dev, 32, 0, 64, s), 107000);
	IS(aclrtMemcpyAsync(dev, 32, host, 64, in, s), 107000);
	IS(aclrtMemcpyAsyncWithCondition(NULL, 64, host, 64, in, s), 100000);
	IS(aclrtMemcpyAsyncWithCondition(dev, 64, NULL, 64, in, s), 100000);
	IS(aclrtMemcpyAsyncWithCondition(dev, 64, host, 64, unknown, s), 100000);
	IS(aclrtMemcpy2d(NULL, 64, host, 64, 16, 4, in), 100000);
	IS(aclrtMemcpy2d(dev, 64, NULL, 64, 16, 4, in), 100000);
	IS(aclrtMemcpy2d(dev, 64, host, 64, 16, 4, ACL_MEMCPY_HOST_TO_HOST), 100000);
	IS(aclrtMemcpy2d(dev, 64, host, 64, 16, 4, unknown), 100000);
	IS(aclrtMemcpy2dAsync(NULL, 64, host, 64, 16, 4, in, s), 100000);
	IS(aclrtMemcpy2dAsync(dev, 64, NULL, 64, 16, 4, in, s), 100000);
	IS(aclrtMemcpy2dAsync(dev, 64, host, 64, 16, 4, ACL_MEMCPY_HOST_TO_HOST, s), 100000);
	IS(aclrtMemsetD32(NULL, 64, 0, 4), 100000);
	IS(aclrtMemsetD32(dev + 1, 64, 0, 4), 100000);
	IS(aclrtMemsetD32(dev, 8, 0, 4), 100000);
	IS(aclrtMemsetD32(dev, 64, 0, SIZE_MAX / 2), 100000);
	IS(aclrtMemsetD32Async(NULL, 64, 0, 4, s), 100000);
	IS(aclrtMemsetD32Async(dev + 2, 64, 0, 4, s), 100000);
	IS(aclrtMemsetD32Async(dev, 8, 0, 4, s), 100000);
	IS(aclrtMemcpyAsyncWithOffset((void **)dev, 64, 0, (const void **)dev2, 64, 0, in, s), 107000);
	IS(aclrtCmoAsync(NULL, 64, ACL_RT_CMO_TYPE_PREFETCH, s), 100000);
	IS(aclrtCmoAsync(dev, 0, ACL_RT_CMO_TYPE_PREFETCH, s), 100000);
	IS(aclrtCmoAsync(dev, 64, (aclrtCmoType)99, s), 207000);
	IS(aclrtCmoAsyncWithBarrier(NULL, 64, ACL_RT_CMO_TYPE_PREFETCH, 0, s), 100000);
}

static void descriptors(void)
{
	const aclrtMemcpyKind inner = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, in = ACL_MEMCPY_HOST_TO_DEVICE,
			      unknown = (aclrtMemcpyKind)99;
	char *desc;
	size_t n;

	setup();
	desc = device_new(N_BYTES);
	IS(aclrtGetMemcpyDescSize(inner, NULL), 100000);
	IS(aclrtGetMemcpyDescSize(unknown, &n), 100000);
	IS(aclrtSetMemcpyDesc(NULL, inner, dev, dev2, 64, NULL), 100000);
	IS(aclrtSetMemcpyDesc(desc, unknown, dev, dev2, 64, NULL), 100000);
	IS(aclrtSetMemcpyDesc(desc, inner, NULL, dev2, 64, NULL), 100000);
	IS(aclrtSetMemcpyDesc(desc, inner, dev, NULL, 64, NULL), 100000);
	IS(aclrtSetMemcpyDesc(desc, inner, dev, dev2, 0, NULL), 100000);
	IS(aclrtSetMemcpyDesc(desc, inner, dev, dev2, 64, INVENTED), 100000);
	IS(aclrtSetMemcpyDesc(desc, in, dev, dev2, 64, NULL), 207000);
	IS(aclrtSetMemcpyDesc(desc + 8, inner, dev, dev2, 64, NULL), 107000);
	IS(aclrtSetMemcpyDesc(desc, inner, dev, host, 64, NULL), 107000);
	IS(aclrtMemcpyAsyncWithDesc(NULL, inner, s), 100000);
	IS(aclrtMemcpyAsyncWithDesc(desc, unknown, s), 100000);
	IS(aclrtMemcpyAsyncWithDesc(desc, inner, NULL), 100000);
	IS(aclrtMemcpyAsyncWithDesc(desc, in, s), 207000);
}

static void values(void)
{
	setup();
	IS(aclrtValueWrite(NULL, 1, 0, s), 100000);
	IS(aclrtValueWrite(dev, 1, 1, s), 107000);
	IS(aclrtValueWrite(host, 1, 0, s), 107000);
	IS(aclrtValueWait(NULL, 1, 0, s), 100000);
	IS(aclrtValueWait(dev, 1, 99, s), 107000);
	IS(aclrtValueWait(host, 1, 0, s), 107000);
	IS(aclrtReduceAsync(NULL, dev2, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, s, NULL), 100000);
	IS(aclrtReduceAsync(dev, NULL, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, s, NULL), 100000);
	IS(aclrtReduceAsync(dev, dev2, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, s, INVENTED), 100000);
	IS(aclrtReduceAsync(dev, dev2, 64, (aclrtReduceKind)99, ACL_FLOAT, s, NULL), 107000);
	IS(aclrtReduceAsync(dev, dev2, 0, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, s, NULL), 107000);
}

static void batches(void)
{
	aclrtMemcpyBatchAttr attr[3] = {{.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE}}, odd = attr[0];
	size_t room[] = {64, 64}, bytes[] = {64, 64}, at[] = {0, 1, 2}, one[] = {1, 1}, far[] = {0, 2},
	       failed;
	void *to[2], *from[2];

	setup();
	attr[1] = attr[2] = attr[0];
	to[0] = dev, to[1] = dev2, from[0] = host, from[1] = host + 64;
	IS(aclrtMemcpyBatch(to, room, from, bytes, 2, attr, at, 1, NULL), 100000);
	IS(aclrtMemcpyBatch(NULL, room, from, bytes, 2, attr, at, 1, &failed), 100000);
	IS(aclrtMemcpyBatch(to, NULL, from, bytes, 2, attr, at, 1, &failed), 100000);
	IS(aclrtMemcpyBatch(to, room, NULL, bytes, 2, attr, at, 1, &failed), 100000);
	IS(aclrtMemcpyBatch(to, room, from, NULL, 2, attr, at, 1, &failed), 100000);
	IS(aclrtMemcpyBatch(to, room, from, bytes, 0, attr, at, 1, &failed), 100000);
	IS(aclrtMemcpyBatch(to, room, from, bytes, 2, NULL, at, 1, &failed), 100000);
	IS(aclrtMemcpyBatch(to, room, from, bytes, 2, attr, NULL, 1, &failed), 100000);
	IS(aclrtMemcpyBatch(to, room, from, bytes, 2, attr, at, 3, &failed), 107000);
	IS(aclrtMemcpyBatch(to, room, from, bytes, 2, attr, one, 1, &failed), 107000);
	IS(aclrtMemcpyBatch(to, room, from, bytes, 2, attr, far, 2, &failed), 107000);
	odd.rsv[3] = 1;
	IS(aclrtMemcpyBatch(to, room, from, bytes, 2, &odd, at, 1, &failed), 100000);
	IS(aclrtMemcpyBatchAsync(to, room, from, bytes, 2, attr, at, 1, NULL, s), 100000);
	IS(aclrtMemcpyBatchAsync(NULL, room, from, bytes, 2, attr, at, 1, &failed, s), 100000);
	IS(aclrtMemcpyBatchAsync(to, room, from, bytes, 2, attr, one, 1, &failed, s), 107000);
	IS(aclrtMemcpyBatchV2(to, room, from, NULL, 2, attr, at, 1), 100000);
	IS(aclrtMemcpyBatchAsyncV2(to, room, from, bytes, 2, attr, at, 0, s), 107000);
}

static void symbols(void)
{
	static int symbol;
	size_t n;
	void *p;

	setup();
	IS(aclrtGetSymbolAddress(NULL, &p), 100000);
	IS(aclrtGetSymbolAddress(&symbol, NULL), 100000);
	IS(aclrtGetSymbolSize(NULL, &n), 100000);
	IS(aclrtGetSymbolSize(&symbol, NULL), 100000);
	IS(aclrtMemcpyToSymbol(NULL, host, 4, 0, ACL_MEMCPY_HOST_TO_DEVICE), 100000);
	IS(aclrtMemcpyToSymbol(&symbol, NULL, 4, 0, ACL_MEMCPY_HOST_TO_DEVICE), 100000);
	IS(aclrtMemcpyToSymbol(&symbol, host, 4, 0, ACL_MEMCPY_DEVICE_TO_HOST), 100000);
	IS(aclrtMemcpyToSymbol(NULL, NULL, 0, 0, (aclrtMemcpyKind)99), V(0, 107000));
	IS(aclrtMemcpyFromSymbol(NULL, 64, &symbol, 4, 0, ACL_MEMCPY_DEVICE_TO_HOST), 100000);
	IS(aclrtMemcpyFromSymbol(host, 64, NULL, 4, 0, ACL_MEMCPY_DEVICE_TO_HOST), 100000);
	IS(aclrtMemcpyFromSymbol(host, 2, &symbol, 4, 0, ACL_MEMCPY_DEVICE_TO_HOST), 100000);
	IS(aclrtMemcpyFromSymbol(host, 64, &symbol, 4, 0, ACL_MEMCPY_HOST_TO_DEVICE), 100000);
	IS(aclrtMemcpyFromSymbol(NULL, 0, NULL, 0, 0, (aclrtMemcpyKind)99), V(0, 107000));
}

static void buffers(void)
{
	size_t n;
	void *p;
	uint32_t count;
	aclrtMbuf b;
	char data[200];

	setup();
	IS(aclrtAllocBuf(NULL, 64), 100000);
	IS(aclrtAllocBuf(&b, 0), 100000);
	IS(aclrtFreeBuf(NULL), 100000);
	IS(aclrtSetBufDataLen(NULL, 4), 100000);
	IS(aclrtGetBufDataLen(NULL, &n), 100000);
	IS(aclrtGetBufData(NULL, &p, &n), 100000);
	IS(aclrtGetBufUserData(NULL, data, 4, 0), 100000);
	IS(aclrtGetBufUserData(NULL, data, 90, 7), 100000);
	IS(aclrtSetBufUserData(NULL, data, 4, 0), 100000);
	IS(aclrtCopyBufRef(NULL, &b), 100000);
	IS(aclrtAppendBufChain(NULL, NULL), 100000);
	IS(aclrtGetBufChainNum(NULL, &count), 100000);
	IS(aclrtGetBufFromChain(NULL, 0, &b), 100000);
}

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

#define C(name)                                                                                              \
	{                                                                                                    \
#name, name                                                                                  \
	}

static const struct tap_case cases[] = {C(device_outputs), C(no_such_device), C(device_values),
	C(atomic_capabilities), C(faults), C(contexts), C(snapshots), C(streams), C(stream_switch),
	C(event_flags), C(event_arguments), C(event_kinds), C(notifies), C(labels), C(host_callbacks),
	C(mixed_subscriptions), C(allocations), C(memory_queries), C(registration), C(managed_memory),
	C(pools), C(sharing), C(virtual_memory), C(physical_memory), C(shareable_handles), C(copies),
	C(descriptors), C(values), C(batches), C(symbols), C(buffers), C(captures), C(captured_models),
	C(built_models), C(binaries), C(launches), C(tasks)};

int main(void)
{
	oracle_run(cases, COUNT(cases));
	return tap_done();
}
