/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory, pools, managed memory, descriptors, memory of other processes. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "acl/acl_rt_memory_soma.h"
#include "softnpu.h"
#include "two_streams.h"

/* Through a piece of device memory and back. */
static void through(void *dev)
{
	memset(b, 0, N_BYTES);
	OK(aclrtMemcpyAsync(dev, N_BYTES, a, N_BYTES, TO_DEVICE, s));
	OK(aclrtMemcpyAsync(b, N_BYTES, dev, N_BYTES, TO_HOST, s));
	OK(aclrtSynchronizeStream(s));
	IS(memcmp(a, b, N_BYTES), 0);
}

static int first_byte(const void *dev)
{
	unsigned char byte = 0;

	OK(aclrtSynchronizeStream(s));
	OK(aclrtMemcpy(&byte, 1, dev, 1, TO_HOST));
	return byte;
}

/* --- memory ------------------------------------------------------------------------------ */

static void virtual_memory(void)
{
	aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE, .location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtDrvMemHandle one, two, again;
	size_t granularity = 0;
	char *va = NULL;

	setup();
	OK(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity));
	IS(granularity, MIB2);
	OK(aclrtReserveMemAddress((void **)&va, 64 * MIB2, 0, NULL, 0));
	OK(aclrtMallocPhysical(&one, MIB2, &prop, 0));
	OK(aclrtMallocPhysical(&two, MIB2, &prop, 0));
	if (bad_addresses_are_errors())
		IS(aclrtMemcpy(va, 64, a, 64, TO_DEVICE), 507899); /* nothing is there yet */
	OK(aclrtMapMem(va, MIB2, 0, one, 0));
	OK(aclrtMapMem(va + MIB2, MIB2, 0, two, 0));
	IS(aclrtMapMem(va, MIB2, 0, one, 0), 507899);
	through(va);
	through(va + MIB2 - N_BYTES / 2); /* across both */
	OK(aclrtMemRetainAllocationHandle(va, &again));
	TRUE(again == one);
	OK(aclrtFreePhysical(again));
	OK(aclrtFreePhysical(one)); /* deferred: still mapped */
	through(va);
	IS(aclrtReleaseMemAddress(va), 507899);
	OK(aclrtUnmapMem(va));
	IS(aclrtUnmapMem(va), 507899);
	OK(aclrtUnmapMem(va + MIB2));
	OK(aclrtFreePhysical(two));
	IS(aclrtFreePhysical(two), 107017);
	OK(aclrtReleaseMemAddress(va));
}

/* Memory of huge pages begins with one, whatever was allocated before. */
static void huge_pages(void)
{
	void *small, *p = NULL;

	setup();
	small = device_new(100);
	OK(aclrtMalloc(&p, MIB2, ACL_MEM_MALLOC_HUGE_ONLY));
	IS((uintptr_t)p % MIB2, 0);
	OK(aclrtFree(p));
	OK(aclrtMalloc(&p, MIB2 / 2 + 1, ACL_MEM_MALLOC_HUGE_FIRST));
	IS((uintptr_t)p % MIB2, 0);
	OK(aclrtFree(p));
	OK(aclrtMalloc(&p, (size_t)1 << 30, ACL_MEM_MALLOC_HUGE1G_ONLY));
	IS((uintptr_t)p % ((size_t)1 << 30), 0);
	OK(aclrtFree(p));
	OK(aclrtFree(small));
}

static void pools(void)
{
	aclrtMemPoolProps props = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}, .maxSize = 4 * MIB2};
	aclrtMemPool pool;
	uint64_t used = 0;
	void *p = &props, *q;

	setup();
	OK(aclrtMemPoolCreate(&pool, &props));
	OK(aclrtMemPoolMallocAsync(&p, 0, pool, s));
	TRUE(p == &props); /* untouched */
	IS(aclrtMemPoolMallocAsync(&p, 64, pool, NULL), 100000);
	OK(aclrtMemPoolMallocAsync(&p, 100, pool, s));
	through(p);
	OK(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &used));
	IS(used, MIB2);
	IS(aclrtMemPoolMallocAsync(&q, 4 * MIB2, pool, s), 507000);
	IS(aclrtMemPoolMallocAsync(&q, SIZE_MAX, pool, s), 107000);
	OK(aclrtMemPoolFreeAsync(p, s));
	OK(aclrtSynchronizeStream(s));
	IS(aclrtMemPoolFreeAsync(p, s), 107000);
	IS(aclrtMemPoolMallocAsync(&q, 4 * MIB2, pool, s), 507000); /* what was given back stays apart */
	OK(aclrtMemPoolTrimTo(pool, 0));
	OK(aclrtMemPoolMallocAsync(&q, 4 * MIB2, pool, s));
	OK(aclrtMemPoolDestroy(pool));
	IS(aclrtMemPoolDestroy(pool), 507000);
	OK(aclrtFree(q));
}

static void managed(void)
{
	aclrtMemManagedLocation where = {ACL_MEM_LOCATIONTYPE_DEVICE, 1};
	aclrtPtrAttributes attributes;
	unsigned char *m = NULL;
	int32_t id = -1;

	setup();
	IS(aclrtMemAllocManaged((void **)&m, MIB2, 7), 100000);
	OK(aclrtMemAllocManaged((void **)&m, MIB2, ACL_RT_MEM_ATTACH_GLOBAL));
	through(m);
	IS(memcmp(m, a, N_BYTES), 0); /* the host reads it as well */
	OK(aclrtPointerGetAttributes(m + 5, &attributes));
	IS(attributes.location.type, ACL_MEM_LOCATION_TYPE_MANAGED);
	OK(aclrtMemManagedPrefetchAsync(m, MIB2, where, 0, s));
	OK(aclrtSynchronizeStream(s));
	OK(aclrtMemManagedGetAttr(
		ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID, m, MIB2, &id, sizeof(id)));
	IS(id, 1);
	where.id = 99;
	IS(aclrtMemManagedAdvise(m, MIB2, ACL_MEM_ADVISE_SET_ACCESSED_BY, where), 107000);
	OK(aclrtFree(m));
}

static void descriptors(void)
{
	void *desc, *d2;
	size_t size = 0;

	setup();
	d2 = device_new(N_BYTES);
	OK(aclrtGetMemcpyDescSize(ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, &size));
	desc = device_new(size);
	OK(aclrtMemcpy(d, N_BYTES, a, N_BYTES, TO_DEVICE));
	IS(aclrtSetMemcpyDesc(desc, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, a, d2, N_BYTES, NULL), 107000);
	OK(aclrtSetMemcpyDesc(desc, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, d, d2, N_BYTES, NULL));
	OK(aclrtMemcpyAsyncWithDesc(desc, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, s));
	OK(aclrtMemcpyAsync(b, N_BYTES, d2, N_BYTES, TO_HOST, s));
	OK(aclrtSynchronizeStream(s));
	IS(memcmp(a, b, N_BYTES), 0);
}

static void reduce(void)
{
	float in[4] = {1, 2, 3, 4}, out[4] = {10, 20, 30, 40};
	void *d2;

	setup();
	d2 = device_new(64);
	OK(aclrtMemcpy(d, 16, in, 16, TO_DEVICE));
	OK(aclrtMemcpy(d2, 16, out, 16, TO_DEVICE));
	OK(aclrtReduceAsync(d2, d, 16, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, s, NULL));
	OK(aclrtSynchronizeStream(s));
	OK(aclrtMemcpy(out, 16, d2, 16, TO_HOST));
	IS((long)out[0], 11);
	IS((long)out[3], 44);
	IS(aclrtReduceAsync(d2, d, 0, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, s, NULL), 107000);
	IS(aclrtReduceAsync(d2, (char *)d + 2, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, s, NULL),
		107008);
	OK(aclrtReduceAsync(d2, (char *)d + 2, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT16, s, NULL));
	OK(aclrtReduceAsync(d2, (char *)d + 1, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT8, s, NULL));
}

static uint16_t reduced(aclDataType type, aclrtReduceKind kind, uint16_t to, uint16_t from)
{
	void *d2 = device_new(64);

	OK(aclrtMemcpy(d2, 2, &to, 2, TO_DEVICE));
	OK(aclrtMemcpy(d, 2, &from, 2, TO_DEVICE));
	OK(aclrtReduceAsync(d2, d, 2, kind, type, s, NULL));
	OK(aclrtSynchronizeStream(s));
	OK(aclrtMemcpy(&to, 2, d2, 2, TO_HOST));
	return to;
}

static void reduce_small_types(void)
{
	const aclrtReduceKind sum = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, max = ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX,
			      min = ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN;

	setup();
	IS(reduced(ACL_FLOAT16, sum, 0x3c00, 0x4000), 0x4200); /* 1 + 2 */
	IS(reduced(ACL_FLOAT16, max, 0xbc00, 0xc000), 0xbc00); /* -1, -2 */
	IS(reduced(ACL_BF16, sum, 0x3f80, 0x4000), 0x4040);
	IS(reduced(ACL_BF16, min, 0x3f80, 0xbf80), 0xbf80);
	IS(reduced(ACL_INT16, sum, 0x7fff, 1), 0x8000);
}

static void address_questions(void)
{
	void *list[2], *base = NULL, *h = NULL;
	aclrtPtrAttributes attributes;
	uint32_t result = 9;
	size_t size = 0;

	setup();
	OK(aclrtMemGetAddressRange((char *)d + 100, &base, &size));
	TRUE(base == d);
	IS(size, N_BYTES);
	IS(aclrtMemGetAddressRange(d, NULL, NULL), 107000);
	OK(aclrtPointerGetAttributes(a, &attributes));
	IS(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
	OK(aclrtPointerGetAttributes(&size, &attributes));
	IS(attributes.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
	list[0] = d;
	list[1] = a;
	OK(aclrtCheckMemType(list, 1, ACL_RT_MEM_TYPE_DEV, &result, 0));
	IS(result, 1);
	OK(aclrtCheckMemType(list, 2, ACL_RT_MEM_TYPE_DEV, &result, 0));
	IS(result, 0);
	OK(posix_memalign(&h, 4096, N_BYTES));
	OK(aclrtHostRegisterV2(h, N_BYTES, ACL_HOST_REG_MAPPED));
	IS(aclrtHostRegisterV2(h, N_BYTES, ACL_HOST_REG_MAPPED), 507910);
	OK(aclrtMemcpyAsync(d, N_BYTES, h, N_BYTES, TO_DEVICE, s)); /* counts as pinned */
	OK(aclrtSynchronizeStream(s));
	OK(aclrtHostUnregister(h));
	free(h);
}

/* --- other processes ---------------------------------------------------------------------- */

struct keys {
	char memory[65], notify[65];
	aclrtIpcEventHandle event;
};

/* In the child: waits for the parent's notify, writes into its memory, records its event. */
static void importer(const struct keys *keys)
{
	aclrtNotify notify;
	aclrtEvent event;
	void *p = NULL;

	alarm(20);
	OK(aclrtSetDevice(0));
	s = stream_new();
	OK(aclrtIpcMemImportByKey(&p, keys->memory, 0));
	OK(aclrtIpcOpenEventHandle(keys->event, &event));
	OK(aclrtNotifyImportByKey(&notify, keys->notify, 0));
	IS(aclrtWaitAndResetNotify(notify, s, 0), 107000); /* only where it was made */
	OK(aclrtMemsetAsync(p, N_BYTES, 0x77, N_BYTES, s));
	OK(aclrtRecordNotify(notify, s));
	OK(aclrtRecordEvent(event, s));
	OK(aclrtSynchronizeEvent(event));
	OK(aclrtIpcMemClose(keys->memory));
	IS(aclrtIpcMemClose(keys->memory), 507899);
	OK(aclrtDestroyEvent(event));
}

static void other_process(void)
{
	struct keys keys;
	void *behind;
	aclrtNotify notify;
	aclrtEvent event;

	setup();
	memset(&keys, 0, sizeof(keys));
	event = event_ex(ACL_EVENT_IPC);
	OK(aclrtCreateNotify(&notify, 0));
	behind = device_new(N_BYTES); /* where no page of 64 KiB begins */
	OK(aclrtMemset(behind, N_BYTES, 0, N_BYTES));
	OK(aclrtIpcMemGetExportKey(behind, N_BYTES, keys.memory, sizeof(keys.memory),
		ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
	OK(aclrtNotifyGetExportKey(
		notify, keys.notify, sizeof(keys.notify), ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION));
	IS(aclrtNotifyGetExportKey(notify, keys.notify, sizeof(keys.notify), 0), 507000);
	OK(aclrtIpcGetEventHandle(event, &keys.event));
	IS(aclrtIpcGetEventHandle(event_ex(ACL_EVENT_SYNC), &keys.event), 107000);
	if (!fork()) {
		importer(&keys);
		exit(tap_failed());
	}
	OK(aclrtWaitAndResetNotify(notify, s, 0));
	OK(aclrtSynchronizeStream(s));
	IS(first_byte(behind), 0x77);
	OK(child_status());
	OK(aclrtStreamWaitEvent(s2, event));
	OK(aclrtSynchronizeStream(s2));
}

/* In step with the other side of a pair of pipes. */
static void tell(int fd)
{
	IS(write(fd, "", 1), 1);
}

static void hear(int fd)
{
	char c;

	IS(read(fd, &c, 1), 1);
}

struct shared_things {
	char memory[65], notify[65];
	uint64_t handle;
	int to_child[2], to_parent[2];
};

/* Before its number is in the lists, and after. */
static void let_in(struct shared_things *t)
{
	int32_t pid = getppid();
	aclrtDrvMemHandle one, two;
	aclrtNotify notify;
	uint64_t key;
	void *p, *q, *va;

	alarm(20);
	OK(aclrtSetDevice(0));
	s = stream_new();
	IS(aclrtIpcMemImportByKey(&p, t->memory, 0), 507899);
	IS(aclrtNotifyImportByKey(&notify, t->notify, 0), 507899);
	IS(aclrtMemImportFromShareableHandle(t->handle, 0, &one), 507899);
	IS(aclrtIpcMemSetImportPid(t->memory, &pid, 1), 507899); /* only the exporter */
	IS(aclrtMemSetPidToShareableHandle(t->handle, &pid, 1), 507899);
	IS(aclrtIpcMemClose(t->memory), 507899);
	tell(t->to_parent[1]);
	hear(t->to_child[0]);
	OK(aclrtIpcMemImportByKey(&p, t->memory, 0));
	OK(aclrtIpcMemImportByKey(&q, t->memory, 0));
	TRUE(p == q);
	IS(first_byte(p), 0x11);
	OK(aclrtNotifyImportByKey(&notify, t->notify, 0));
	OK(aclrtMemImportFromShareableHandle(t->handle, 0, &one));
	OK(aclrtMemImportFromShareableHandle(t->handle, 0, &two));
	TRUE(one == two);
	IS(aclrtMemExportToShareableHandle(one, ACL_MEM_HANDLE_TYPE_NONE, 0, &key), 507899);
	OK(aclrtReserveMemAddress(&va, MIB2, 0, NULL, 0));
	IS(aclrtMapMem(va, 2 * MIB2, 0, one, 0), 507899);
	OK(aclrtMapMem(va, MIB2, 0, one, 0));
	IS(first_byte(va), 0x22);
	OK(aclrtIpcMemClose(t->memory));
	IS(first_byte(p), 0x11); /* imported once more */
	OK(aclrtIpcMemClose(t->memory));
	IS(aclrtIpcMemClose(t->memory), 507899);
	OK(aclrtFreePhysical(one));
	OK(aclrtFreePhysical(one));
	IS(aclrtFreePhysical(one), 107000); /* mapped */
	tell(t->to_parent[1]);
	hear(t->to_child[0]);
	/* What was exported is gone, what is mapped stays. */
	IS(aclrtIpcMemImportByKey(&p, t->memory, 0), 507899);
	IS(aclrtMemImportFromShareableHandle(t->handle, 1, &two), 107017);
	IS(first_byte(va), 0x22);
}

static void processes_that_are_let_in(void)
{
	aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE, .location.type = ACL_MEM_LOCATION_TYPE_DEVICE};
	struct shared_things t = {0};
	aclrtDrvMemHandle physical;
	aclrtNotify notify;
	int32_t child;
	void *p, *va;

	OK(pipe(t.to_child));
	OK(pipe(t.to_parent));
	setup();
	p = device_new(N_BYTES);
	OK(aclrtMemset(p, N_BYTES, 0x11, N_BYTES));
	OK(aclrtIpcMemGetExportKey(p, N_BYTES, t.memory, sizeof(t.memory), 0));
	OK(aclrtCreateNotify(&notify, 0));
	OK(aclrtNotifyGetExportKey(notify, t.notify, sizeof(t.notify), 0));
	OK(aclrtMallocPhysical(&physical, MIB2, &prop, 0));
	OK(aclrtReserveMemAddress(&va, MIB2, 0, NULL, 0));
	OK(aclrtMapMem(va, MIB2, 0, physical, 0));
	OK(aclrtMemset(va, MIB2, 0x22, MIB2));
	OK(aclrtMemExportToShareableHandle(physical, ACL_MEM_HANDLE_TYPE_NONE, 0, &t.handle));
	child = fork();
	if (!child) {
		let_in(&t);
		exit(tap_failed());
	}
	hear(t.to_parent[0]);
	OK(aclrtIpcMemSetImportPid(t.memory, &child, 1));
	OK(aclrtNotifySetImportPid(notify, &child, 1));
	OK(aclrtMemSetPidToShareableHandle(t.handle, &child, 1));
	tell(t.to_child[1]);
	hear(t.to_parent[0]);
	OK(aclrtFree(p));
	OK(aclrtFreePhysical(physical));
	OK(aclrtUnmapMem(va));
	tell(t.to_child[1]);
	OK(child_status());
}

/* The descriptor that the key was for is one of another file, which has nothing in it. */
static void key_of_gone_notify(void)
{
	aclrtNotify notify;
	char key[65];
	FILE *files[64];

	setup();
	OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
	OK(aclrtNotifyGetExportKey(notify, key, sizeof(key), 0));
	OK(aclrtDestroyNotify(notify));
	for (unsigned i = 0; i < COUNT(files); i++)
		files[i] = tmpfile();
	IS(aclrtNotifyImportByKey(&notify, key, 0), 507899);
	for (unsigned i = 0; i < COUNT(files); i++)
		fclose(files[i]);
}

/* As many as the machine lets it, up to more than 16 bits. */
static void open_many_files(void)
{
	struct rlimit limit;
	rlim_t n;

	OK(getrlimit(RLIMIT_NOFILE, &limit));
	limit.rlim_cur = limit.rlim_max;
	OK(setrlimit(RLIMIT_NOFILE, &limit));
	n = limit.rlim_cur < 70000 ? limit.rlim_cur - 100 : 70000;
	while ((rlim_t)dup(0) < n)
		;
}

static void memory_of_another(const char *key, uint64_t handle)
{
	aclrtDrvMemHandle physical;
	void *p, *va;

	alarm(20);
	OK(aclrtSetDevice(0));
	s = stream_new();
	OK(aclrtIpcMemImportByKey(&p, key, 0));
	IS(first_byte(p), 0x11);
	OK(aclrtMemImportFromShareableHandle(handle, 0, &physical));
	OK(aclrtReserveMemAddress(&va, MIB2, 0, NULL, 0));
	OK(aclrtMapMem(va, MIB2, 0, physical, 0));
	IS(first_byte(va), 0x22);
}

/* The number of a descriptor has its place in both forms of a key. */
static void many_files_are_open(void)
{
	static const aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE, .location.type = ACL_MEM_LOCATION_TYPE_DEVICE};
	aclrtDrvMemHandle physical;
	uint64_t handle;
	char key[65];
	void *p, *va;

	open_many_files();
	setup();
	p = device_new(N_BYTES);
	OK(aclrtMemset(p, N_BYTES, 0x11, N_BYTES));
	OK(aclrtIpcMemGetExportKey(
		p, N_BYTES, key, sizeof(key), ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
	OK(aclrtMallocPhysical(&physical, MIB2, &prop, 0));
	OK(aclrtReserveMemAddress(&va, MIB2, 0, NULL, 0));
	OK(aclrtMapMem(va, MIB2, 0, physical, 0));
	OK(aclrtMemset(va, MIB2, 0x22, MIB2));
	OK(aclrtMemExportToShareableHandle(
		physical, ACL_MEM_HANDLE_TYPE_NONE, ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION, &handle));
	if (!fork()) {
		memory_of_another(key, handle);
		exit(tap_failed());
	}
	OK(child_status());
}

/* Each has its own memory, however many there are. */
static void many_devices(void)
{
	aclrtPtrAttributes where;
	void *block[64];

	putenv("SOFTNPU_DEVICES=64");
	putenv("SOFTNPU_MEMORY=64M");
	for (int i = 0; i < 64; i++) {
		OK(aclrtSetDevice(i));
		block[i] = device_new(N_BYTES);
		OK(aclrtMemset(block[i], N_BYTES, i, N_BYTES));
	}
	for (int i = 0; i < 64; i++) {
		OK(aclrtPointerGetAttributes(block[i], &where));
		IS(where.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
		IS(where.location.id, i);
		OK(aclrtFree(block[i]));
	}
}

static void lies(const void *address, aclrtMemLocationType type, uint32_t id)
{
	aclrtPtrAttributes where;

	OK(aclrtPointerGetAttributes(address, &where));
	IS(where.location.type, type);
	IS(where.location.id, id);
}

/* Of reserved addresses it is what is mapped there that has a place. */
static void mapped_in_different_places(void)
{
	static const aclrtMemLocation places[] = {{1, ACL_MEM_LOCATION_TYPE_DEVICE},
		{0, ACL_MEM_LOCATION_TYPE_HOST}, {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtDrvMemHandle memory;
	char *va[COUNT(places)];

	setup();
	for (unsigned i = 0; i < COUNT(places); i++) {
		aclrtPhysicalMemProp prop = {.memAttr = ACL_MEM_NORMAL, .location = places[i]};

		OK(aclrtReserveMemAddress((void **)&va[i], 2 * MIB2, 0, NULL, 0));
		OK(aclrtMallocPhysical(&memory, MIB2, &prop, 0));
		OK(aclrtMapMem(va[i], MIB2, 0, memory, 0));
	}
	for (unsigned i = 0; i < COUNT(places); i++)
		lies(va[i] + 64, places[i].type, places[i].id);
	/* What is mapped beside the last is of its device as well. */
	OK(aclrtMapMem(va[2] + MIB2, MIB2, 0, memory, 0));
	OK(aclrtUnmapMem(va[2] + MIB2));
	OK(aclrtMemRetainAllocationHandle(va[0], &memory));
	IS(aclrtMapMem(va[2] + MIB2, MIB2, 0, memory, 0), 507899);
	/* No peer access: the first one is out of reach for the last. */
	IS(aclrtMemcpy(va[2], 64, va[0], 64, ACL_MEMCPY_DEVICE_TO_DEVICE), 507899);
	OK(aclrtMemcpy(va[2], 64, d, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
}

/* What a stream gave back is had by streams behind it: they waited for an event recorded there since. */
static void pool_follows_events(void)
{
	aclrtMemPoolProps props = {.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,
		.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE},
		.maxSize = MIB2};
	aclrtEvent before, after;
	aclrtMemPool pool;
	uint32_t on = 1;
	void *block;

	setup();
	before = event_ex(ACL_EVENT_SYNC);
	after = event_ex(ACL_EVENT_SYNC);
	OK(aclrtMemPoolCreate(&pool, &props));
	OK(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, &on));
	OK(aclrtMemPoolMallocAsync(&block, MIB2, pool, s));
	OK(aclrtRecordEvent(before, s));
	OK(aclrtMemPoolFreeAsync(block, s));
	OK(aclrtSynchronizeStream(s));
	IS(aclrtMemPoolMallocAsync(&block, MIB2, pool, s2), 507000);
	OK(aclrtStreamWaitEvent(s2, before));
	IS(aclrtMemPoolMallocAsync(&block, MIB2, pool, s2), 507000);
	OK(aclrtRecordEvent(after, s));
	IS(aclrtMemPoolMallocAsync(&block, MIB2, pool, s2), 507000);
	OK(aclrtStreamWaitEvent(s2, after));
	OK(aclrtMemPoolMallocAsync(&block, MIB2, pool, s2));
	OK(aclrtMemPoolFreeAsync(block, s2));
	/* The other way round there is no order. */
	IS(aclrtMemPoolMallocAsync(&block, MIB2, pool, s), 507000);
	OK(aclrtDestroyStream(s2));
	IS(aclrtMemPoolMallocAsync(&block, MIB2, pool, s), 507000);
	OK(aclrtMemPoolTrimTo(pool, 0));
	OK(aclrtMemPoolMallocAsync(&block, MIB2, pool, s));
	OK(aclrtMemPoolDestroy(pool));
}

/* Importing lets both devices reach each other, whichever they are. */
static void import_of_the_last_device(void)
{
	aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE, .location = {63, ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtDrvMemHandle memory, imported;
	int32_t reached = 0;
	uint64_t key;

	putenv("SOFTNPU_DEVICES=64");
	OK(aclrtSetDevice(0));
	OK(aclrtMallocPhysical(&memory, MIB2, &prop, 0));
	OK(aclrtMemExportToShareableHandle(
		memory, ACL_MEM_HANDLE_TYPE_NONE, ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION, &key));
	OK(aclrtMemImportFromShareableHandle(key, 0, &imported));
	OK(aclrtDevicePeerAccessStatus(0, 63, &reached));
	IS(reached, 1);
	OK(aclrtDevicePeerAccessStatus(63, 0, &reached));
	IS(reached, 1);
}

static char variable;

#define MANY 64

static bool among(void *const *blocks, const void *address)
{
	for (int i = 0; i < MANY; i++)
		if (blocks[i] == address)
			return true;
	return false;
}

/* What the runtime had on a device is gone with it: what lies there later is the program's. */
static void reset_ends_the_runtimes_memory(void)
{
	void *blocks[MANY], *code, *where;
	aclrtBinHandle bin;
	size_t size;

	OK(softnpu_register_variable(&variable, "v", N_BYTES));
	setup();
	OK(aclrtBinaryLoadFromData(a, N_BYTES, NULL, &bin));
	OK(aclrtBinaryGetDevAddress(bin, &code, &size));
	OK(aclrtGetSymbolAddress(&variable, &where));
	OK(aclrtResetDevice(0));
	OK(aclrtSetDevice(0));
	device_new(N_BYTES); /* as before, so that the same addresses come next */
	device_new(N_BYTES);
	for (int i = 0; i < MANY; i++)
		OK(aclrtMallocAlign32(&blocks[i], N_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
	TRUE(among(blocks, code) && among(blocks, where));
	OK(aclrtBinaryGetDevAddress(bin, &code, &size));
	OK(aclrtGetSymbolAddress(&variable, &where));
	TRUE(!among(blocks, code) && !among(blocks, where));
	OK(aclrtBinaryUnLoad(bin));
	for (int i = 0; i < MANY; i++)
		OK(aclrtFree(blocks[i]));
}

/* The rows would be somewhere else altogether. */
static void pitch_beyond_memory(void)
{
	size_t pitch = (size_t)1 << 63;

	setup();
	IS(aclrtMemcpy2d(d, pitch, a, pitch, 16, 3, TO_DEVICE), 507899);
	IS(aclrtMemcpy2d(d, SIZE_MAX - 7, a, 64, 64, 2, TO_DEVICE), 507899);
}

static void reduce_virtual_memory(void)
{
	aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE, .location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
	int32_t *host;
	const unsigned n = 3 * N_BYTES / sizeof(*host) - 5;
	aclrtDrvMemHandle memory;
	unsigned wrong = 0;
	char *va = NULL;

	setup();
	host = host_new(3 * N_BYTES);
	OK(aclrtReserveMemAddress((void **)&va, 2 * MIB2, 0, NULL, 0));
	OK(aclrtMallocPhysical(&memory, MIB2, &prop, 0));
	OK(aclrtMapMem(va, MIB2, 0, memory, 0));
	for (unsigned i = 0; i < n; i++)
		host[i] = (int32_t)i;
	OK(aclrtMemcpy(va, n * 4, host, n * 4, TO_DEVICE));
	OK(aclrtMemcpy(va + MIB2 / 2, n * 4, host, n * 4, TO_DEVICE));
	OK(aclrtReduceAsync(va, va + MIB2 / 2, n * 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, s, NULL));
	OK(aclrtSynchronizeStream(s));
	OK(aclrtMemcpy(host, n * 4, va, n * 4, TO_HOST));
	for (unsigned i = 0; i < n; i++)
		wrong += host[i] != (int32_t)(2 * i);
	IS(wrong, 0);
	if (!bad_addresses_are_errors())
		return;
	OK(aclrtReduceAsync(va + MIB2, va, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, s, NULL));
	IS(aclrtSynchronizeStream(s), 507899);
}

/* A copy that the caller makes itself fails as its other errors do. */
static void failures_are_noted(void)
{
	static char pageable[64];
	void *dst[] = {pageable}, *src[1];
	size_t max[] = {(size_t)1 << 62}, first[] = {0}, fail;
	aclrtMemcpyBatchAttr attr = {
		.dstLoc = {0, ACL_MEM_LOCATION_TYPE_HOST}, .srcLoc = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};

	setup();
	src[0] = d;
	IS(aclrtMemcpyBatch(dst, max, src, max, 1, &attr, first, 1, &fail), 507899);
	IS(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 507899);
	IS(aclrtMemcpyBatchAsync(dst, max, src, max, 1, &attr, first, 1, &fail, s), 507899);
	IS(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 507899);
	if (!bad_addresses_are_errors())
		return;
	IS(aclrtMemsetAsync((void *)0x1000, 64, 0, 64, s), 507899);
	IS(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 507899);
	IS(aclrtMemcpyAsync(d, 64, (void *)0x1000, 64, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, s), 507899);
	OK(aclrtSynchronizeStream(s));
}

static void sizes_of_parameters(void)
{
	const size_t none[] = {8, 0}, huge[] = {8, SIZE_MAX};

	IS(softnpu_describe_kernel("kernel", none, 2), 100000);
	IS(softnpu_describe_kernel("kernel", huge, 2), 100000);
}

static void no_stream_is_left(void)
{
	aclrtContext context, other;
	uint32_t left;

	/* The device's own and that of the context; another context has none of its own. */
	putenv("SOFTNPU_STREAMS=2");
	OK(aclrtSetDevice(0));
	OK(aclrtCreateContext(&context, 0));
	OK(aclrtGetStreamAvailableNum(&left));
	IS(left, 0);
	IS(aclrtCreateContext(&other, 0), 207008);
	OK(aclrtDestroyContext(context));
	OK(aclrtCreateContext(&other, 0));
}

static const struct tap_case cases[] = {
	C(virtual_memory),
	C(huge_pages),
	C(pools),
	C(managed),
	C(descriptors),
	C(reduce),
	C(reduce_small_types),
	C(address_questions),
	C(other_process),
	C(processes_that_are_let_in),
	C(key_of_gone_notify),
	C(import_of_the_last_device),
	C(mapped_in_different_places),
	C(pool_follows_events),
	C(many_files_are_open),
	C(many_devices),
	C(reset_ends_the_runtimes_memory),
	C(pitch_beyond_memory),
	C(reduce_virtual_memory),
	C(failures_are_noted),
	C(sizes_of_parameters),
	C(no_stream_is_left),
};

int main(void)
{
	tap_run(cases, COUNT(cases), "", NULL);
	return tap_done();
}
