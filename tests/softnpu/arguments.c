/* SPDX-License-Identifier: Apache-2.0 */
/* What wrong arguments are answered with: devices, contexts, streams, events, notifies, labels, callbacks. */
#include "arguments.h"

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
	/* Numbers with a sign: less than 0 is no number of a device at all. */
	IS(aclrtGetLogicDevIdByUserDevId(-1, &id), 107000);
	IS(aclrtGetLogicDevIdByUserDevId(NO_DEVICE, &id), 107001);
	IS(aclrtGetUserDevIdByLogicDevId(-1, &id), 107000);
	IS(aclrtGetUserDevIdByLogicDevId(NO_DEVICE, &id), 107001);
	IS(aclrtGetLogicDevIdByPhyDevId(-1, &id), 107000);
	IS(aclrtGetLogicDevIdByPhyDevId(NO_DEVICE, &id), 107001);
	IS(aclrtGetPhyDevIdByLogicDevId(-1, &id), 107000);
	IS(aclrtGetPhyDevIdByLogicDevId(NO_DEVICE, &id), 107001);
	IS(aclrtGetDeviceCapability(NO_DEVICE, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, &id), 107001);
	IS(aclrtGetDeviceCapability(NO_DEVICE, (aclrtDevFeatureType)99, &id), 107000);
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
	IS(aclrtCheckArchCompatibility("unknown", &can), 107000);
	IS(aclrtDeviceEnablePeerAccess(1, 5), 200006);
	IS(aclrtDeviceEnablePeerAccess(0, 0), 100000);
	IS(aclrtDeviceDisablePeerAccess(0), 100000);
	IS(aclrtDeviceCanAccessPeer(&can, 1, 1), 100000);
	IS(aclrtDeviceCanAccessPeer(&can, NO_DEVICE, NO_DEVICE), 100000);
	IS(aclrtDeviceCanAccessPeer(NULL, 1, 1), 100000);
	IS(aclrtDeviceCanAccessPeer(NULL, 0, 1), 107000);
	IS(aclrtDeviceCanAccessPeer(&can, 0, NO_DEVICE), 107000);
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
	/* The handle is looked at first. */
	IS(aclrtGetStreamAttribute(INVENTED, (aclrtStreamAttr)99, &value), 107017);
	IS(aclrtSetStreamAttribute(INVENTED, (aclrtStreamAttr)99, &value), 107017);
	IS(aclrtGetStreamAttribute(s, ACL_STREAM_ATTR_PRIORITY, &value), V(0, 107000));
	IS(aclrtSetStreamAttribute(s, ACL_STREAM_ATTR_PRIORITY, &value), V(0, 107000));
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

/* Priorities are cut to the range that there is, and flags to those that there are. */
static void stream_settings(void)
{
	static const struct {
		uint32_t wanted, got;
	} priorities[] = {{0, 0}, {7, 7}, {8, 7}, {0x7fffffff, 7}, {0x80000000, 0}, {0xffffffff, 0}};
	uint32_t got;

	setup();
	for (unsigned i = 0; i < COUNT(priorities); i++) {
		OK(aclrtCreateStreamWithConfig(&s, priorities[i].wanted, 0));
		OK(aclrtStreamGetPriority(s, &got));
		IS(got, priorities[i].got);
	}
	OK(aclrtCreateStreamWithConfig(&s, 0, 0x40 | 0x80000000 | ACL_STREAM_FAST_SYNC));
	OK(aclrtStreamGetFlags(s, &got));
	IS(got, ACL_STREAM_FAST_SYNC);
	IS(aclrtCreateStreamWithConfig(&s, 0, ACL_STREAM_DEVICE_USE_ONLY | ACL_STREAM_FAST_SYNC), 107000);
	OK(aclrtCreateStreamWithConfig(&s, 0, ACL_STREAM_DEVICE_USE_ONLY | 0x40));
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

/* Numbers of 16 bits, of which the process has one set. */
static void labels_of_a_process(void)
{
	static aclrtLabel label[65535];
	aclrtLabel more;

	setup();
	for (unsigned i = 0; i < 65535; i++)
		OK(aclrtCreateLabel(&label[i]));
	IS(aclrtCreateLabel(&more), 507000);
	OK(aclrtDestroyLabel(label[7]));
	OK(aclrtCreateLabel(&label[7]));
	IS(aclrtCreateLabel(&more), 507000);
}

static void failed(aclrtExceptionInfo *info)
{
	(void)info;
}

static void host_callbacks(void)
{
	uint32_t size;
	void *args;

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
	OK(aclrtExceptionInfoCallbackUnregister(failed));
	OK(aclrtExceptionInfoCallbackRegister(failed));
	OK(aclrtExceptionInfoCallbackRegister(failed));
	OK(aclrtExceptionInfoCallbackUnregister(failed));
	IS(aclrtGetArgsFromExceptionInfo(NULL, &args, &size), -1);
	IS(aclrtGetFuncHandleFromExceptionInfo(NULL, &args), -1);
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

static const struct tap_case cases[] = {C(device_outputs), C(no_such_device), C(device_values),
	C(atomic_capabilities), C(faults), C(contexts), C(snapshots), C(streams), C(stream_settings),
	C(stream_switch), C(event_flags), C(event_arguments), C(event_kinds), C(notifies), C(labels),
	C(labels_of_a_process), C(host_callbacks), C(mixed_subscriptions)};

ORACLE_MAIN(cases)
