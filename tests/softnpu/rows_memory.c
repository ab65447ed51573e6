/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of oracle_rows about memory whose answers were read in the published source. */
#include "acl/acl_rt_memory_soma.h"
#include "rows.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define INNER ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
#define SUM ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM
#define OVER_4_GIB (((size_t)4 << 30) + 1)

/* What the calls of a thread without a device are made with. */
struct given {
	char *device, *other, *managed;
	aclrtStream stream;
};

static struct given given(void)
{
	return (struct given){.device = device(), .other = device(), .stream = stream()};
}

static aclrtStream dead(void)
{
	aclrtStream s = stream();

	need(aclrtDestroyStream(s));
	return s;
}

static aclrtStream of_other_context(void)
{
	aclrtContext first, second;
	aclrtStream s;

	need(aclrtGetCurrentContext(&first));
	need(aclrtCreateContext(&second, 0));
	s = stream();
	need(aclrtSetCurrentContext(first));
	return s;
}

static char *managed(void)
{
	void *p = NULL;

	need(aclrtMemAllocManaged(&p, MIB2, ACL_RT_MEM_ATTACH_GLOBAL));
	return p;
}

static void sizes_that_wrap(void)
{
	void *p;

	row(aclrtMalloc(&p, SIZE_MAX - 63, ACL_MEM_MALLOC_HUGE1G_ONLY));
	row(aclrtMalloc(&p, SIZE_MAX - 31, ACL_MEM_MALLOC_HUGE1G_ONLY_P2P));
	row(aclrtMalloc(&p, SIZE_MAX - 63, ACL_MEM_MALLOC_HUGE_ONLY));
	row(aclrtMallocCached(&p, SIZE_MAX - 63, ACL_MEM_MALLOC_HUGE1G_ONLY));
	row(aclrtMallocCached(&p, SIZE_MAX - 63, ACL_MEM_MALLOC_HUGE_FIRST));
}

static void *set_too_much(void *to)
{
	row(aclrtMemset(to, 32, 0, 64));
	row(aclrtMemset(NULL, 32, 0, 64));
	return NULL;
}

static void sets_beyond_their_memory(void)
{
	void *to = device();

	in_thread(set_too_much, to);
	set_too_much(to);
	need(aclmdlRICaptureBegin(stream(), ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	set_too_much(to);
}

static void words_of_managed_memory(void)
{
	row(aclrtMemsetD32(managed(), 64, 1, 4));
	row(aclrtMemsetD32Async(managed(), 64, 1, 4, stream()));
	row(aclrtMemsetD32(device(), 64, 1, 4));
}

/* The caller sets host memory itself, before it would look at whose the stream is or wait for it. */
static void set_words(void *p, aclrtStream s)
{
	row(aclrtMemsetD32Async(p, 64, 5, 16, s));
}

static void *set_words_without_device(void *p)
{
	set_words(p, NULL);
	return NULL;
}

static void words_of_host_memory(void)
{
	aclrtStream other = of_other_context(), gone = dead(), captured;
	void *d = device();
	int *h = NULL;
	aclmdlRI m;

	need(aclrtMallocHost((void **)&h, 64));
	h[0] = h[15] = 0;
	set_words(d, other);
	set_words(h, other);
	row(h[0] + h[15]);
	set_words(h, gone);
	in_thread(set_words_without_device, h);
	captured = capturing();
	h[0] = h[15] = 0;
	set_words(h, captured);
	row(h[0] + h[15]);
	row(aclmdlRICaptureEnd(captured, &m));
}

static void copies_over_4_gib(void)
{
	void *d = device(), *to = device();
	const void *from = device();

	row(aclrtMemcpyAsyncWithOffset(
		to, (size_t)1 << 40, 0, (const void **)from, OVER_4_GIB, 0, INNER, NULL));
	row(aclrtSetMemcpyDesc(d, INNER, to, device(), OVER_4_GIB, NULL));
}

static void *copy_by_descriptor(void *data)
{
	struct given *g = data;

	row(aclrtMemcpyAsyncWithDesc(g->device, INNER, g->stream));
	row(aclrtMemcpyAsyncWithDesc(g->device + 8, INNER, g->stream));
	row(aclrtMemcpyAsyncWithDesc(&g->stream, INNER, g->stream));
	return NULL;
}

static void descriptors_without_device(void)
{
	struct given g = given();

	need(aclrtSetMemcpyDesc(g.device, INNER, g.other, device(), 64, NULL));
	in_thread(copy_by_descriptor, &g);
	g.stream = dead();
	copy_by_descriptor(&g);
}

static void links_of_memory(void)
{
	aclrtPhysicalMemProp on_device = {
		.memAttr = ACL_HBM_MEM_HUGE, .location.type = ACL_MEM_LOCATION_TYPE_DEVICE};
	aclrtDrvMemHandle h;
	void *p, *to;

	need(aclrtReserveMemAddress(&p, MIB2, 0, NULL, 1));
	need(aclrtReserveMemAddress(&to, MIB2, 0, NULL, 1));
	need(aclrtMallocPhysical(&h, MIB2, &on_device, 0));
	need(aclrtMapMem(p, MIB2, 0, h, 0));
	row(aclrtMemMapSelectedLink(to, MIB2, (char *)p + 4096, 0));
	row(aclrtMemMapSelectedLink(to, MIB2, &h, 0));
	row(aclrtMemMapSelectedLink(to, MIB2, p, 0));
}

static void *work_of_managed_memory(void *data)
{
	struct given *g = data;
	aclrtMemManagedLocation here = {.type = ACL_MEM_LOCATIONTYPE_DEVICE, .id = 0}, nowhere = here;
	aclrtMemManagedRangeAttribute what = ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
	int32_t value;
	void *to = &value;
	size_t bytes = sizeof(value);

	nowhere.id = 99;
	row(aclrtMemManagedAdvise(g->managed, 64, ACL_MEM_ADVISE_SET_READ_MOSTLY, nowhere));
	row(aclrtMemManagedAdvise(g->managed, MIB2, ACL_MEM_ADVISE_SET_READ_MOSTLY, here));
	row(aclrtMemManagedGetAttrs(&what, 0, g->managed, MIB2, &to, &bytes));
	row(aclrtMemManagedGetAttr(what, g->managed, MIB2, to, bytes));
	row(aclrtMemManagedPrefetchAsync(g->managed, MIB2, here, 0, NULL));
	row(aclrtMemManagedPrefetchAsync(g->managed, MIB2, here, 0, g->stream));
	row(aclrtMemP2PMap(g->device, 64, 99, 0));
	row(aclrtMemP2PMap(g->device, 64, 1, 0));
	return NULL;
}

static void memory_work_without_device(void)
{
	struct given g = given();

	g.managed = managed();
	in_thread(work_of_managed_memory, &g);
}

static void switches_of_pools(void)
{
	aclrtMemPoolProps props = {.location.type = ACL_MEM_LOCATION_TYPE_DEVICE, .maxSize = MIB2};
	uint64_t value = 5;
	aclrtMemPool pool;

	need(aclrtMemPoolCreate(&pool, &props));
	row(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, &value));
	value = 0;
	row(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, &value));
	row((int)value);
}

/* Memory of no pool is freed when the stream gets there, and nothing reports that it was gone. */
static void memory_freed_before_its_pool_frees(void)
{
	aclrtMemPoolProps props = {.location.type = ACL_MEM_LOCATION_TYPE_DEVICE, .maxSize = MIB2};
	void *ordinary = device(), *block;
	aclrtStream s = stream();
	aclrtMemPool pool;

	need(aclrtFree(ordinary));
	row(aclrtMemPoolFreeAsync(ordinary, s));
	need(aclrtMemPoolCreate(&pool, &props));
	need(aclrtMemPoolMallocAsync(&block, 64, pool, s));
	row(aclrtMemPoolFreeAsync((char *)block + 512, s));
	row(aclrtMemPoolFreeAsync(block, s));
	row(aclrtSynchronizeStream(s));
	row(aclrtMemPoolFreeAsync(block, s));
	row(aclrtMemPoolFreeAsync((char *)block + 512, s));
}

static void user_data_that_wraps(void)
{
	aclrtMbuf b;
	char data[96];

	need(aclrtAllocBuf(&b, 64));
	row(aclrtGetBufUserData(b, data, SIZE_MAX, 1));
	row(aclrtSetBufUserData(b, data, SIZE_MAX, 1));
	row(aclrtSetBufUserData(b, data, 96, 1));
}

static void *reduce(void *data)
{
	struct given *g = data;

	row(aclrtReduceAsync(g->device, g->other, 4, SUM, ACL_FLOAT, g->stream, NULL));
	row(aclrtReduceAsync(g->device + 1, g->other, 4, SUM, ACL_FLOAT, g->stream, NULL));
	row(aclrtReduceAsync(g->device, g->other, 4, SUM, ACL_UINT8, g->stream, NULL));
	row(aclrtReduceAsync(g->device, g->other, OVER_4_GIB, SUM, ACL_FLOAT, g->stream, NULL));
	return NULL;
}

static void reductions_elsewhere(void)
{
	struct given g = given();

	in_thread(reduce, &g);
	g.stream = of_other_context();
	reduce(&g);
}

static aclrtRandomParaInfo number(size_t bytes, uint64_t value)
{
	aclrtRandomParaInfo p = {.size = (uint8_t)bytes};

	memcpy(p.valueOrAddr, &value, sizeof(p.valueOrAddr));
	return p;
}

static void random_tasks(void)
{
	aclrtRandomNumTaskInfo good = {.dataType = ACL_INT32,
		.randomResultAddr = device(),
		.randomCounterAddr = device(),
		.randomSeed = number(4, 7),
		.randomNum = number(1, 10)};
	aclrtUniformDisInfo *range = &good.randomNumFuncParaInfo.paramInfo.uniformDisInfo;
	aclrtRandomNumTaskInfo bad;

	good.randomNumFuncParaInfo.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS;
	range->min = number(4, 1);
	range->max = number(4, 9);
	bad = good;
	row(aclrtRandomNumAsync(&bad, NULL, NULL));
#define BAD(change)                                                                                          \
	bad = good;                                                                                          \
	bad.change;                                                                                          \
	row(aclrtRandomNumAsync(&bad, NULL, NULL));
	BAD(randomCounterAddr = NULL)
	BAD(randomResultAddr = NULL)
	BAD(randomSeed.size = 9)
	BAD(randomNum.size = 0)
	BAD(randomNum.isAddr = 2)
	BAD(randomNumFuncParaInfo.paramInfo.uniformDisInfo.max.size = 5)
	BAD(randomNumFuncParaInfo.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS)
#undef BAD
	bad = good;
	bad.randomCounterAddr = NULL;
	row(aclrtRandomNumAsync(&bad, of_other_context(), NULL));
}

static void draw_again(aclDataType type)
{
	aclrtRandomNumTaskInfo info = {.dataType = type,
		.randomResultAddr = device(),
		.randomCounterAddr = device(),
		.randomSeed = number(4, 7),
		.randomNum = number(1, 10)};
	aclrtUniformDisInfo *range = &info.randomNumFuncParaInfo.paramInfo.uniformDisInfo;

	info.randomNumFuncParaInfo.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS;
	range->min = range->max = number(2, 1);
	for (int i = 0; i < 2; i++) {
		row(aclrtRandomNumAsync(&info, NULL, NULL));
		row(info.dataType);
	}
}

/* The runtime's own number of the type is left in the program's structure. */
static void random_tasks_again(void)
{
	aclrtRandomNumTaskInfo refused = {.dataType = ACL_FLOAT};

	draw_again(ACL_FLOAT);
	draw_again(ACL_INT32);
	draw_again(ACL_BF16);
	draw_again(ACL_UINT64);
	row(aclrtRandomNumAsync(&refused, NULL, NULL));
	row(refused.dataType);
}

static void *work_of_caches(void *data)
{
	struct given *g = data;
	size_t n;

	row(aclrtCmoSetDesc(NULL, g->other, 64));
	row(aclrtCmoSetDesc(g->device, NULL, 64));
	row(aclrtCmoSetDesc(g->device, g->other, 0));
	row(aclrtCmoGetDescSize(NULL));
	row(aclrtCmoGetDescSize(&n));
	row(aclrtCmoAsyncWithDesc(NULL, ACL_RT_CMO_TYPE_PREFETCH, g->stream, NULL));
	row(aclrtCmoAsyncWithDesc(g->device, (aclrtCmoType)99, g->stream, NULL));
	row(aclrtCmoAsyncWithDesc(g->device, ACL_RT_CMO_TYPE_PREFETCH, g->stream, &n));
	return NULL;
}

static void caches(void)
{
	struct given g = given();

	work_of_caches(&g);
	in_thread(work_of_caches, &g);
	row(aclrtCmoAsyncWithBarrier(g.device, 0, (aclrtCmoType)99, 0, dead()));
	row(aclrtCmoAsyncWithBarrier(NULL, 0, (aclrtCmoType)99, 0, dead()));
}

static void caches_on_dead_stream(void)
{
	struct given g = given();

	g.stream = dead();
	work_of_caches(&g);
}

/* What is not supported is returned without a note where the runtime expects it, and with one elsewhere. */
static void unsupported_and_not_last(void)
{
	static char a[64], b[64];
	aclrtMemAccessDesc reading = {.flags = ACL_RT_MEM_ACCESS_FLAGS_READ};
	aclrtMemUceInfo fault = {0};
	char *d = device();
	size_t bytes;
	void *p;

	need(aclrtReserveMemAddress(&p, MIB2, 0, NULL, 0));
	code_and_last(aclrtMemcpyAsync(a, 64, b, 64, ACL_MEMCPY_HOST_TO_HOST, stream()));
	code_and_last(aclrtMemcpyAsyncWithCondition(a, 64, b, 64, ACL_MEMCPY_HOST_TO_HOST, stream()));
	code_and_last(aclrtCmoAsync(d, 64, (aclrtCmoType)99, stream()));
	code_and_last(aclrtMemSetAccess(p, MIB2, &reading, 1));
	code_and_last(aclrtMemUceRepair(0, &fault, 1));
	code_and_last(aclrtGetMemcpyDescSize(ACL_MEMCPY_HOST_TO_DEVICE, &bytes));
	code_and_last(aclrtCmoAsyncWithBarrier(d, 64, ACL_RT_CMO_TYPE_PREFETCH, 0, stream()));
}

static void descriptors_that_are_not_last(void)
{
	char *d = device();
	int32_t status;

	code_and_last(aclrtSetMemcpyDesc(d, ACL_MEMCPY_HOST_TO_DEVICE, d, d, 8, NULL));
	code_and_last(aclrtMemcpyAsyncWithDesc(d, ACL_MEMCPY_HOST_TO_DEVICE, stream()));
	code_and_last(aclrtIpcMemSetAttr("key", ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, 0));
	code_and_last(aclrtDevicePeerAccessStatus(0, 5, &status));
	row(status);
}

const struct row rows_memory[] = {ROW(sizes_that_wrap), ROW(sets_beyond_their_memory),
	ROW(words_of_managed_memory), ROW(words_of_host_memory), ROW(copies_over_4_gib),
	ROW(descriptors_without_device), ROW(links_of_memory), ROW(memory_work_without_device),
	ROW(switches_of_pools), ROW(memory_freed_before_its_pool_frees), ROW(user_data_that_wraps),
	ROW(reductions_elsewhere), ROW(random_tasks), ROW(random_tasks_again), ROW(caches),
	ROW(caches_on_dead_stream), ROW(unsupported_and_not_last), ROW(descriptors_that_are_not_last),
	{NULL, NULL}};
