/* SPDX-License-Identifier: Apache-2.0 */
/* What only some products have, and small topics: buffers, groups, configurations, random numbers. */
#include <pthread.h>
#include <unistd.h>
#include <stdint.h>
#include <stdlib.h>

#include "common.h"
#include "softnpu.h"

#define NOT_SUPPORTED ACL_ERROR_RT_FEATURE_NOT_SUPPORT

static void buffers(void)
{
	aclrtMbuf b = NULL, ref = NULL;
	char *data = NULL, *same = NULL, user[96] = "private", back[96] = "";
	size_t size = 0, len = 1;

	IS(aclrtAllocBuf(NULL, 64), ACL_ERROR_INVALID_PARAM);
	IS(aclrtAllocBuf(&b, ((size_t)4 << 30) + 1), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
	OK(aclrtAllocBuf(&b, 64));
	OK(aclrtGetBufData(b, (void **)&data, &size));
	IS(size, 64);
	memset(data, 7, size);
	OK(aclrtGetBufDataLen(b, &len));
	IS(len, 0);
	OK(aclrtSetBufDataLen(b, 60));
	IS(aclrtSetBufDataLen(b, 65), ACL_ERROR_RT_PARAM_INVALID);
	OK(aclrtSetBufUserData(b, user, sizeof(user), 0));
	IS(aclrtSetBufUserData(b, user, 64, 33), ACL_ERROR_INVALID_PARAM);
	IS(aclrtGetBufUserData(b, back, 2, SIZE_MAX), ACL_ERROR_FAILURE);
	/* Another reference sees the same data and has private data of its own. */
	OK(aclrtCopyBufRef(b, &ref));
	OK(aclrtGetBufData(ref, (void **)&same, &size));
	TRUE(same == data);
	OK(aclrtGetBufDataLen(ref, &len));
	IS(len, 60);
	OK(aclrtSetBufUserData(ref, "other", 6, 0));
	OK(aclrtGetBufUserData(b, back, 8, 0));
	TRUE(!strcmp(back, "private"));
	OK(aclrtFreeBuf(b));
	IS(aclrtFreeBuf(b), ACL_ERROR_RT_PARAM_INVALID);
	IS(data[63], 7);
	OK(aclrtFreeBuf(ref));
}

#define BEHIND 127 /* buffers behind the head of the longest chain */

static void chains(void)
{
	aclrtMbuf all[BEHIND + 2], at = NULL, more;
	uint32_t n = 0;

	for (unsigned i = 0; i < COUNT(all); i++)
		OK(aclrtAllocBuf(&all[i], 8));
	more = all[BEHIND + 1];
	for (unsigned i = 1; i <= BEHIND; i++)
		OK(aclrtAppendBufChain(all[0], all[i]));
	IS(aclrtAppendBufChain(all[0], more), ACL_ERROR_RT_OVER_LIMIT);
	IS(aclrtAppendBufChain(more, all[3]), ACL_ERROR_RT_PARAM_INVALID);
	OK(aclrtGetBufChainNum(all[0], &n));
	IS(n, BEHIND + 1);
	OK(aclrtGetBufFromChain(all[0], 0, &at));
	TRUE(at == all[0]);
	OK(aclrtGetBufFromChain(all[0], BEHIND, &at));
	TRUE(at == all[BEHIND]);
	IS(aclrtGetBufFromChain(all[0], BEHIND + 1, &at), ACL_ERROR_RT_PARAM_INVALID);
	IS(aclrtGetBufFromChain(more, 1, &at), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
	/* All go with the first, and none without it. */
	IS(aclrtFreeBuf(all[64]), ACL_ERROR_RT_PARAM_INVALID);
	OK(aclrtFreeBuf(all[0]));
	IS(aclrtGetBufChainNum(all[1], &n), ACL_ERROR_RT_PARAM_INVALID);
	OK(aclrtFreeBuf(more));
}

/* Declared in no header. */
aclError aclrtSetDeviceWithoutTsdVXX(int32_t deviceId);
aclError aclrtResetDeviceWithoutTsdVXX(int32_t deviceId);

static void groups(void)
{
	aclrtGroupInfo *info;
	uint32_t count = 0;
	int32_t value = -1;
	size_t size = 0;

	setenv("SOFTNPU_SOC", "Ascend310P3", 1);
	IS(aclrtGetGroupCount(&count), ACL_ERROR_RT_CONTEXT_NULL);
	OK(aclrtSetDevice(0));
	OK(aclrtGetGroupCount(&count));
	IS(count, 2);
	info = aclrtCreateGroupInfo();
	TRUE(info);
	/* The index is compared with the groups of the device, so nothing has to be filled in. */
	OK(aclrtGetGroupInfoDetail(info, 1, ACL_GROUP_AICORE_INT, &value, 4, &size));
	OK(aclrtGetAllGroupInfo(info));
	OK(aclrtGetGroupInfoDetail(info, 0, ACL_GROUP_AICORE_INT, &value, 4, &size));
	IS(value, 4);
	IS(size, 4);
	IS(aclrtGetGroupInfoDetail(info, 0, ACL_GROUP_AICORE_INT, &value, 3, &size), ACL_ERROR_INVALID_PARAM);
	OK(aclrtGetGroupInfoDetail(info, 1, ACL_GROUP_GROUPID_INT, &value, 4, &size));
	IS(value, 1);
	IS(aclrtGetGroupInfoDetail(info, 2, ACL_GROUP_AICORE_INT, &value, 4, &size), ACL_ERROR_INVALID_PARAM);
	OK(aclrtSetGroup(1));
	IS(aclrtSetGroup(99), ACL_ERROR_RT_GROUP_NOT_CREATE);
	OK(aclrtDestroyGroupInfo(info));
	IS(aclrtSetDeviceWithoutTsdVXX(0), ACL_ERROR_API_NOT_SUPPORT);
	IS(aclrtResetDeviceWithoutTsdVXX(0), ACL_ERROR_API_NOT_SUPPORT);
}

static void no_groups(void)
{
	uint32_t count;
	size_t size;

	OK(aclrtSetDeviceWithoutTsdVXX(0));
	OK(aclrtResetDeviceWithoutTsdVXX(0));
	OK(aclrtSetDevice(0));
	TRUE(!aclrtCreateGroupInfo());
	IS(aclrtGetGroupCount(&count), NOT_SUPPORTED);
	IS(aclrtSetGroup(0), NOT_SUPPORTED);
	IS(aclrtGetGroupCount(NULL), ACL_ERROR_INVALID_PARAM);
	IS(aclrtGetAllGroupInfo(NULL), ACL_ERROR_INVALID_PARAM);
	IS(aclrtGetGroupInfoDetail(NULL, 0, ACL_GROUP_AICORE_INT, &count, 4, &size), ACL_ERROR_INVALID_PARAM);
}

static void stream_configs(void)
{
	aclrtStreamConfigHandle *config = aclrtCreateStreamConfigHandle();
	size_t flag = ACL_STREAM_FAST_SYNC, unknown = 1u << 20,
	       bad = ACL_STREAM_DEVICE_USE_ONLY | ACL_STREAM_HUGE;
	uint32_t priority = 3, short_flag = ACL_STREAM_FAST_LAUNCH, got = 0;
	aclrtStream s = NULL;

	OK(aclrtSetDevice(0));
	TRUE(config);
	IS(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &flag, 0), ACL_ERROR_INVALID_PARAM);
	IS(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &flag, 0), ACL_ERROR_INVALID_PARAM);
	OK(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &flag, sizeof(flag)));
	OK(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &priority, sizeof(priority)));
	IS(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &flag, sizeof(flag)),
		ACL_ERROR_INVALID_PARAM);
	IS(aclrtSetStreamConfigOpt(config, 9, &flag, sizeof(flag)), ACL_ERROR_INVALID_PARAM);
	OK(aclrtCreateStreamV2(&s, config));
	OK(aclrtStreamGetFlags(s, &got));
	IS(got, ACL_STREAM_FAST_SYNC);
	OK(aclrtStreamGetPriority(s, &got));
	IS(got, 3);
	OK(aclrtDestroyStream(s));
	OK(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &unknown, sizeof(unknown)));
	OK(aclrtCreateStreamV2(&s, config));
	OK(aclrtStreamGetFlags(s, &got));
	IS(got, 0);
	OK(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &bad, sizeof(bad)));
	IS(aclrtCreateStreamV2(&s, config), ACL_ERROR_RT_PARAM_INVALID);
	OK(aclrtDestroyStream(s));
	OK(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &short_flag, sizeof(short_flag)));
	OK(aclrtCreateStreamV2(&s, config));
	OK(aclrtStreamGetFlags(s, &got));
	IS(got, ACL_STREAM_FAST_LAUNCH);
	OK(aclrtDestroyStreamConfigHandle(config));
	OK(aclrtDestroyStream(s));
}

/* --- random numbers ----------------------------------------------------------------- */

static aclrtRandomParaInfo number(const void *value, size_t size)
{
	aclrtRandomParaInfo p = {.size = (uint8_t)size};

	memcpy(p.valueOrAddr, value, size);
	return p;
}

static float drawn[1000];

/* The call leaves another type in what it is given. */
static void draw(const aclrtRandomNumTaskInfo *info)
{
	aclrtRandomNumTaskInfo once = *info;

	OK(aclrtRandomNumAsync(&once, NULL, NULL));
	OK(aclrtSynchronizeStream(NULL));
	OK(aclrtMemcpy(
		drawn, sizeof(drawn), info->randomResultAddr, sizeof(drawn), ACL_MEMCPY_DEVICE_TO_HOST));
}

static aclrtRandomNumTaskInfo task(aclrtRandomNumFuncType type, float first, float second)
{
	uint64_t n = 1000, seed = 42;
	aclrtRandomNumTaskInfo info = {.dataType = ACL_FLOAT,
		.randomResultAddr = device_new(sizeof(drawn)),
		.randomCounterAddr = device_new(16),
		.randomSeed = number(&seed, sizeof(seed)),
		.randomNum = number(&n, sizeof(n))};

	OK(aclrtMemset(info.randomCounterAddr, 16, 0, 16));
	OK(aclrtMemset(info.randomResultAddr, sizeof(drawn), 0, sizeof(drawn)));
	info.randomNumFuncParaInfo.funcType = type;
	/* Both pairs lie in the same place of the union. */
	info.randomNumFuncParaInfo.paramInfo.uniformDisInfo.min = number(&first, sizeof(first));
	info.randomNumFuncParaInfo.paramInfo.uniformDisInfo.max = number(&second, sizeof(second));
	return info;
}

static void random_numbers(void)
{
	aclrtRandomNumTaskInfo info;
	double sum = 0, square = 0;
	float first;
	bool inside = true;

	OK(aclrtSetDevice(0));
	info = task(ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS, 2, 4);
	draw(&info);
	for (unsigned i = 0; i < 1000; i++) {
		inside = inside && drawn[i] >= 2 && drawn[i] < 4;
		sum += drawn[i];
	}
	TRUE(inside);
	TRUE(sum > 2900 && sum < 3100);
	first = drawn[0];
	draw(&info); /* the counter went on */
	TRUE(drawn[0] != first);
	info = task(ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS, 10, 1);
	draw(&info);
	sum = 0;
	for (unsigned i = 0; i < 1000; i++) {
		inside = inside && drawn[i] >= 8 && drawn[i] <= 12;
		sum += drawn[i];
		square += (drawn[i] - 10) * (drawn[i] - 10);
	}
	TRUE(inside && sum > 9850 && sum < 10150 && square > 500);
	info.dataType = ACL_INT8;
	IS(aclrtRandomNumAsync(&info, NULL, NULL), ACL_ERROR_INVALID_PARAM);
	IS(aclrtRandomNumAsync(NULL, NULL, NULL), ACL_ERROR_INVALID_PARAM);
}

static void dropout(void)
{
	aclrtRandomNumTaskInfo info;
	unsigned char *bits = (unsigned char *)drawn;
	unsigned kept = 0;

	OK(aclrtSetDevice(0));
	info = task(ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK, 0.25f, 0);
	draw(&info);
	for (unsigned i = 0; i < 1000; i++)
		kept += bits[i / 8] >> i % 8 & 1;
	TRUE(kept > 680 && kept < 820);
	IS(bits[125], 0); /* behind the thousandth bit */
}

/* --- barriers, counting notifies, host functions --------------------------------------- */

static void barriers(void)
{
	aclrtBarrierTaskInfo info = {.barrierNum = 1, .cmoInfo = {{ACL_RT_CMO_TYPE_INVALID, 1}}};
	void *d;

	setenv("SOFTNPU_SOC", "Ascend310B1", 1);
	OK(aclrtSetDevice(0));
	d = device_new(64);
	OK(aclrtCmoAsyncWithBarrier(d, 64, ACL_RT_CMO_TYPE_INVALID, 1, NULL));
	OK(aclrtCmoAsyncWithBarrier(d, 64, ACL_RT_CMO_TYPE_PREFETCH, 0, NULL));
	IS(aclrtCmoAsyncWithBarrier(d, 64, ACL_RT_CMO_TYPE_INVALID, 0, NULL), ACL_ERROR_RT_PARAM_INVALID);
	OK(aclrtCmoWaitBarrier(&info, NULL, 0));
	info.barrierNum = 7;
	IS(aclrtCmoWaitBarrier(&info, NULL, 0), ACL_ERROR_INVALID_PARAM);
	info = (aclrtBarrierTaskInfo){.barrierNum = 1, .cmoInfo = {{ACL_RT_CMO_TYPE_PREFETCH, 1}}};
	IS(aclrtCmoWaitBarrier(&info, NULL, 0), ACL_ERROR_RT_PARAM_INVALID);
}

static void counting(void)
{
	aclrtCntNotifyRecordInfo add = {.mode = ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, .value = 2};
	aclrtCntNotifyWaitInfo wait = {
		.mode = ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, .value = 4, .isClear = 1};
	aclrtCntNotify n = NULL;
	aclrtStream s, t;
	aclrtStreamStatus status;

	setenv("SOFTNPU_SOC", "Ascend950PR", 1);
	OK(aclrtSetDevice(0));
	s = stream_new();
	t = stream_new();
	OK(aclrtCntNotifyCreate(&n, 0));
	OK(aclrtCntNotifyWaitWithTimeout(n, s, &wait));
	OK(aclrtCntNotifyRecord(n, t, &add));
	OK(aclrtSynchronizeStream(t));
	OK(aclrtStreamQuery(s, &status));
	IS(status, ACL_STREAM_STATUS_NOT_READY);
	OK(aclrtCntNotifyRecord(n, t, &add));
	OK(aclrtSynchronizeStream(s));
	wait.timeout = 1; /* it was cleared */
	OK(aclrtCntNotifyWaitWithTimeout(n, s, &wait));
	IS(aclrtSynchronizeStream(s), ACL_ERROR_RT_WAIT_TIMEOUT);
	add.mode = 3;
	IS(aclrtCntNotifyRecord(n, t, &add), ACL_ERROR_RT_PARAM_INVALID);
	OK(aclrtCntNotifyDestroy(n));
	IS(aclrtCntNotifyReset(n, s), ACL_ERROR_RT_INVALID_HANDLE);
}

static void other_products(void)
{
	aclrtBarrierTaskInfo info = {.barrierNum = 1, .cmoInfo = {{ACL_RT_CMO_TYPE_INVALID, 1}}};
	aclrtCntNotify n = NULL;

	OK(aclrtSetDevice(0));
	IS(aclrtCntNotifyCreate(&n, 0), NOT_SUPPORTED);
	IS(aclrtCmoWaitBarrier(&info, NULL, 0), NOT_SUPPORTED);
}

static void note_thread(void *where)
{
	*(pthread_t *)where = pthread_self();
}

/* Until it has run something; the thread may not be subscribed yet. */
static void *process_host_functions(void *unused)
{
	(void)unused;
	for (int i = 0; i < 10000 && aclrtProcessHostFunc(10); i++)
		usleep(1000);
	return NULL;
}

static void *process_reports(void *unused)
{
	(void)unused;
	for (int i = 0; i < 10000 && aclrtProcessReport(10); i++)
		usleep(1000);
	return NULL;
}

/* One stream, two threads: each gets what it is subscribed for. */
static void host_functions_beside_reports(void)
{
	pthread_t functions, reports, ran = 0, reported = 0;
	aclrtStream s;

	OK(aclrtSetDevice(0));
	s = stream_new();
	pthread_create(&functions, NULL, process_host_functions, NULL);
	pthread_create(&reports, NULL, process_reports, NULL);
	OK(aclrtSubscribeReport((uint64_t)reports, s));
	IS(aclrtLaunchHostFunc(s, note_thread, &ran), ACL_ERROR_RT_STREAM_SUBSCRIBE);
	OK(aclrtSubscribeHostFunc((uint64_t)functions, s));
	OK(aclrtLaunchHostFunc(s, note_thread, &ran));
	OK(aclrtLaunchCallback(note_thread, &reported, ACL_CALLBACK_BLOCK, s));
	OK(aclrtSynchronizeStream(s));
	IS(ran == functions, 1);
	IS(reported == reports, 1);
	pthread_join(functions, NULL);
	pthread_join(reports, NULL);
	OK(aclrtUnSubscribeHostFunc((uint64_t)functions, s));
	OK(aclrtUnSubscribeReport((uint64_t)reports, s));
	OK(aclrtDestroyStream(s));
}

static void host_functions(void)
{
	uint64_t me = (uint64_t)pthread_self();
	aclrtStream s;

	OK(aclrtSetDevice(0));
	s = stream_new();
	IS(aclrtSubscribeHostFunc(me, NULL), ACL_ERROR_INVALID_PARAM);
	IS(aclrtProcessHostFunc(1), ACL_ERROR_RT_THREAD_SUBSCRIBE);
	OK(aclrtSubscribeHostFunc(me, s));
	IS(aclrtSubscribeHostFunc(me, s), ACL_ERROR_RT_STREAM_SUBSCRIBE);
	IS(aclrtProcessHostFunc(0), ACL_ERROR_INVALID_PARAM);
	IS(aclrtProcessHostFunc(10), ACL_ERROR_RT_REPORT_TIMEOUT);
	IS(aclrtUnSubscribeHostFunc(me + 1, s), ACL_ERROR_RT_THREAD_SUBSCRIBE);
	OK(aclrtUnSubscribeHostFunc(me, s));
	IS(aclrtUnSubscribeHostFunc(me, s), ACL_ERROR_RT_STREAM_SUBSCRIBE);
}

/* --- what belongs to tasks, binaries, links ------------------------------------------------- */

static void task_info(void)
{
	aclrtStreamAttrValue on = {.cacheOpInfoSwitch = 1};
	aclmdlRI model = NULL;
	aclrtStream s;
	void *d;

	OK(aclrtSetDevice(0));
	s = stream_new();
	d = device_new(64);
	IS(aclrtCacheLastTaskOpInfo(NULL, 8), ACL_ERROR_INVALID_PARAM);
	IS(aclrtCacheLastTaskOpInfo("op", 65537), ACL_ERROR_RT_PARAM_INVALID);
	OK(aclrtMemsetAsync(d, 64, 0, 64, s));
	IS(aclrtCacheLastTaskOpInfo("op", 3), ACL_ERROR_RT_INTERNAL_ERROR);
	IS(aclrtCacheLastTaskExtendInfo("{}", 2), ACL_ERROR_RT_INTERNAL_ERROR);
	OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	OK(aclrtMemsetAsync(d, 64, 0, 64, s));
	OK(aclrtCacheLastTaskExtendInfo("{}", 2));
	IS(aclrtCacheLastTaskOpInfo("op", 3), ACL_ERROR_RT_INTERNAL_ERROR);
	OK(aclmdlRICaptureEnd(s, &model));
	OK(aclrtSetStreamAttribute(s, ACL_STREAM_ATTR_CACHE_OP_INFO, &on));
	OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	OK(aclrtMemsetAsync(d, 64, 0, 64, s));
	OK(aclrtCacheLastTaskOpInfo("op", 3));
	OK(aclmdlRICaptureEnd(s, &model));
	OK(aclrtProfTrace(d, 18, s));
	IS(aclrtProfTrace(d, 19, s), ACL_ERROR_RT_PARAM_INVALID);
	OK(aclrtSynchronizeStream(s));
}

static void globals(void)
{
	static int variable;
	aclrtBinHandle bin = NULL;
	void *at = NULL, *again = NULL;
	size_t size = 0;

	OK(aclrtSetDevice(0));
	OK(softnpu_register_variable(&variable, "table", 256));
	OK(aclrtBinaryLoadFromData("binary", 6, NULL, &bin));
	OK(aclrtBinaryGetGlobal(bin, "table", &at, &size));
	IS(size, 256);
	OK(aclrtGetSymbolAddress(&variable, &again));
	TRUE(at == again);
	IS(aclrtBinaryGetGlobal(bin, "table", NULL, NULL), ACL_ERROR_INVALID_PARAM);
	IS(aclrtBinaryGetGlobal(bin, "no", &at, NULL), ACL_ERROR_RT_INVALID_SYMBOL);
}

static void links(void)
{
	static const aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE, .location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtDrvMemHandle h = NULL;
	void *d;

	OK(aclrtSetDevice(0));
	d = device_new(4096);
	OK(aclrtMallocPhysical(&h, (size_t)2 << 20, &prop, 0));
	OK(aclrtMemMapSetLink(h, ACL_RT_MEM_ACCESS_LINK_HCCS));
	IS(aclrtMemMapSetLink(h, 4), ACL_ERROR_RT_PARAM_INVALID);
	IS(aclrtMemMapSetLink(d, ACL_RT_MEM_ACCESS_LINK_HCCS), ACL_ERROR_RT_PARAM_INVALID);
	IS(aclrtMemP2PMap(d, 0, 1, 0), ACL_ERROR_INVALID_PARAM);
	IS(aclrtMemP2PMap(d, 4096, 1, 0), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
	OK(aclrtSetDevice(1));
	OK(aclrtDeviceEnablePeerAccess(0, 0));
	OK(aclrtMemP2PMap(d, 4096, 1, 0));
}

/* It will never be recorded: the reset ends all the same. */
static void stuck_reset(void)
{
	aclrtNotify never = NULL;
	aclrtStream s;

	OK(aclrtSetDevice(0));
	s = stream_new();
	OK(aclrtCreateNotify(&never, 0));
	OK(aclrtWaitAndResetNotify(never, s, 0));
	OK(aclrtResetDevice(0));
	IS(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
}

static const struct tap_case cases[] = {
	{"buffers", buffers},
	{"chains of buffers", chains},
	{"groups", groups},
	{"no groups", no_groups},
	{"configurations of streams", stream_configs},
	{"random numbers", random_numbers},
	{"a mask for dropout", dropout},
	{"barriers", barriers},
	{"counting notifies", counting},
	{"other products", other_products},
	{"host functions", host_functions},
	{"host functions beside reports", host_functions_beside_reports},
	{"information on tasks", task_info},
	{"variables of binaries", globals},
	{"links", links},
	{"a reset of what waits for ever", stuck_reset},
};

int main(void)
{
	tap_run(cases, COUNT(cases), "", NULL);
	return tap_done();
}
