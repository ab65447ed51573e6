/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of what only the driver looks at: addresses, mappings, keys and handles for other processes. */
#include <unistd.h>

#include "rows.h"

static const aclrtPhysicalMemProp on_device = {
	.memAttr = ACL_HBM_MEM_HUGE, .location.type = ACL_MEM_LOCATION_TYPE_DEVICE};

static aclrtDrvMemHandle physical(uint32_t device)
{
	aclrtPhysicalMemProp prop = on_device;
	aclrtDrvMemHandle h = NULL;

	prop.location.id = device;
	need(aclrtMallocPhysical(&h, MIB2, &prop, 0));
	return h;
}

static char *addresses(size_t size)
{
	void *p = NULL;

	need(aclrtReserveMemAddress(&p, size, 0, NULL, 0));
	return p;
}

/* --- addresses and mappings --------------------------------------------------------------------- */

static void addresses_that_are_wanted(void)
{
	char *big = (char *)0x100000000000;
	void *p;

	row(aclrtReserveMemAddress(&p, MIB2, MIB2, NULL, 0));
	row(aclrtReserveMemAddressNoUCMemory(&p, MIB2, 1, NULL, 0));
	row(aclrtReserveMemAddress(&p, MIB2, 0, big + 4096, 0));
	row(aclrtReserveMemAddress(&p, 2 * MIB2, 0, big + MIB2, 0));
	row(aclrtReserveMemAddress(&p, 3 * MIB2, 0, big + 2 * MIB2, 0));
	row(aclrtReserveMemAddress(&p, 2 * MIB2, 0, big + 2 * MIB2, 0));
}

static void mappings_refused(void)
{
	aclrtDrvMemHandle h = physical(0), other = physical(1);
	char *p = addresses(4 * MIB2);

	row(aclrtMapMem(p, MIB2, 4096, h, 0));
	row(aclrtMapMem(p + 4096, MIB2, 0, h, 0));
	row(aclrtMapMem(p, 4096, 0, h, 0));
	row(aclrtMapMem(p, 2 * MIB2, 0, h, 0));
	row(aclrtMapMem(p + 3 * MIB2, 2 * MIB2, 0, h, 0));
	row(aclrtMapMem(p, MIB2, 0, h, 0));
	row(aclrtMapMem(p, MIB2, 0, h, 0));
	row(aclrtMapMem(p + MIB2, MIB2, 0, other, 0));
	row(aclrtUnmapMem(p + 4096));
	row(aclrtUnmapMem(p + MIB2));
	row(aclrtReleaseMemAddress(p + MIB2));
	row(aclrtReleaseMemAddress(p));
}

static void handles_behind_mappings(void)
{
	aclrtDrvMemHandle h = physical(0), again = NULL;
	char *p = addresses(2 * MIB2);

	row(aclrtMemRetainAllocationHandle(p, &again));
	need(aclrtMapMem(p, MIB2, 0, h, 0));
	row(aclrtMemRetainAllocationHandle(p + 64, &again));
	row(aclrtFreePhysical(h));
	row(aclrtFreePhysical(h));
	row(aclrtMemRetainAllocationHandle(p, &again));
	row(again == h);
	row(aclrtMapMem(p + MIB2, MIB2, 0, again, 0));
	row(aclrtFreePhysical(again));
	row(aclrtUnmapMem(p));
	row(aclrtMemRetainAllocationHandle(p, &again));
	row(aclrtUnmapMem(p + MIB2));
	row(aclrtFreePhysical(h));
}

static void row_of_access(char *p, aclrtMemLocationType type, uint32_t id)
{
	aclrtMemLocation place = {id, type};
	uint64_t flag = 9;

	row(aclrtMemGetAccess(p, &place, &flag));
	row((long)flag);
}

static void row_of_set(
	char *p, size_t size, aclrtMemLocationType type, uint32_t id, aclrtMemAccessFlags flags)
{
	aclrtMemAccessDesc access = {.flags = flags, .location = {id, type}};

	row(aclrtMemSetAccess(p, size, &access, 1));
}

static void access_to_mappings(void)
{
	const aclrtMemLocationType device = ACL_MEM_LOCATION_TYPE_DEVICE, host = ACL_MEM_LOCATION_TYPE_HOST;
	const aclrtMemAccessFlags all = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
	char *p = addresses(2 * MIB2);

	row_of_set(p, MIB2, device, 0, all);
	need(aclrtMapMem(p, MIB2, 0, physical(0), 0));
	row_of_set(p, MIB2, device, 0, ACL_RT_MEM_ACCESS_FLAGS_READ);
	row_of_set(p, MIB2, device, 0, (aclrtMemAccessFlags)9);
	row_of_set(p, MIB2, device, 64, all);
	row_of_set(p, MIB2, device, 63, all);
	row_of_set(p, MIB2, host, 1, all);
	row_of_set(p, MIB2, ACL_MEM_LOCATION_TYPE_HOST_NUMA, 0, all);
	row_of_set(p, MIB2 / 2, device, 0, all);
	row_of_set(p, 2 * MIB2, device, 1, all);
	row_of_set(p, MIB2, device, 0, all);
	row_of_access(p + 64, device, 0);
	row_of_access(p, device, 1);
	row_of_set(p, MIB2, device, 1, all);
	row_of_set(p, MIB2, device, 1, all);
	row_of_access(p, device, 1);
	row_of_access(p, device, 64);
	row_of_access(p, device, 63);
	row_of_access(p + MIB2, device, 0);
}

/* --- handles for other processes ---------------------------------------------------------------- */

static uint64_t shared(aclrtDrvMemHandle h, uint64_t flags)
{
	uint64_t key = 0;

	need(aclrtMemExportToShareableHandle(h, ACL_MEM_HANDLE_TYPE_NONE, flags, &key));
	return key;
}

static void handles_exported(void)
{
	aclrtDrvMemHandle h = physical(0), imported = NULL;
	uint64_t key = shared(h, 0), again = 0;

	row(aclrtMemExportToShareableHandle(h, ACL_MEM_HANDLE_TYPE_NONE, 0, &again));
	row(aclrtMemImportFromShareableHandle(key, 0, &imported));
	row(aclrtMemImportFromShareableHandle(key, 1, &imported));
	row(aclrtMemImportFromShareableHandle(1, 1, &imported));
	need(aclrtFreePhysical(h));
	row(aclrtMemImportFromShareableHandle(key, 1, &imported));
}

static void processes_of_handles(void)
{
	static int32_t many[65536];
	int32_t none[2] = {0, 0}, one = 1;
	uint64_t key = shared(physical(0), 0),
		 open = shared(physical(0), ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION);

	row(aclrtMemSetPidToShareableHandle(1, &one, 1));
	row(aclrtMemSetPidToShareableHandle(key, none, 2));
	row(aclrtMemSetPidToShareableHandle(key, many, 65536));
	row(aclrtMemSetPidToShareableHandle(key, &one, 1));
	row(aclrtMemSetPidToShareableHandle(key, &one, 1));
	row(aclrtMemSetPidToShareableHandle(open, &one, 1));
	row(aclrtMemSetPidToShareableHandleV2(&open, ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, &one, 1));
}

/* On another device the process may import what is its own. */
static void handles_imported_again(void)
{
	aclrtDrvMemHandle one = NULL, two = NULL;
	uint64_t key = shared(physical(0), ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION), other;

	row(aclrtMemImportFromShareableHandle(key, 1, &one));
	row(aclrtMemImportFromShareableHandle(key, 1, &two));
	row(one == two);
	row(aclrtMemExportToShareableHandle(one, ACL_MEM_HANDLE_TYPE_NONE, 0, &other));
	row(aclrtFreePhysical(one));
	row(aclrtFreePhysical(two));
	row(aclrtFreePhysical(two));
}

/* --- keys ---------------------------------------------------------------------------------------- */

static void memory_that_gets_a_key(void)
{
	static char mine[4096];
	char *p = device(), one[65] = "", two[65] = "";

	row(aclrtIpcMemGetExportKey(p, 4096, one, sizeof(one), 0));
	row(aclrtIpcMemGetExportKey(p, 4096, two, sizeof(two), 0));
	row(!strcmp(one, two));
	row(aclrtIpcMemGetExportKey(p + 512, 64, two, sizeof(two), 0));
	row(aclrtIpcMemGetExportKey(p, 4 * MIB2, two, sizeof(two), 0));
	row(aclrtIpcMemGetExportKey(mine, 64, two, sizeof(two), 0));
}

static void processes_of_a_key(void)
{
	int32_t many[32] = {1}, none[2] = {0, getpid()}, one = 1;
	char *p = device(), key[65] = "", open[65] = "";
	void *there;

	need(aclrtIpcMemGetExportKey(p, 4096, key, sizeof(key), 0));
	need(aclrtIpcMemGetExportKey(
		p, 4096, open, sizeof(open), ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
	row(aclrtIpcMemImportByKey(&there, key, 0));
	row(aclrtIpcMemSetImportPid("unknown", &one, 1));
	row(aclrtIpcMemSetImportPid(key, none, 2));
	row(aclrtIpcMemSetImportPid(key, many, 32));
	row(aclrtIpcMemSetImportPid(key, many, 31));
	row(aclrtIpcMemSetImportPid(open, &one, 1));
	row(aclrtIpcMemImportByKey(&there, key, 0));
}

static void keys_imported_again(void)
{
	char *p = device(), key[65] = "";
	void *one = NULL, *two = NULL;

	need(aclrtIpcMemGetExportKey(
		p, 4096, key, sizeof(key), ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
	row(aclrtIpcMemImportByKey(&one, key, 0));
	row(aclrtIpcMemImportByKey(&two, key, 0));
	row(one == two);
	need(aclrtSetDevice(1));
	row(aclrtIpcMemImportByKey(&two, key, 0));
	for (int i = 0; i < 4; i++)
		row(aclrtIpcMemClose(key));
}

static void keys_of_freed_memory(void)
{
	char *p = device(), key[65] = "";
	void *there;

	need(aclrtIpcMemGetExportKey(
		p, 4096, key, sizeof(key), ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
	need(aclrtFree(p));
	row(aclrtIpcMemImportByKey(&there, key, 0));
}

static void events_and_notifies_of_ones_own(void)
{
	aclrtNotify mine = NULL, open = NULL, imported;
	aclrtIpcEventHandle handle;
	char key[65];
	aclrtEvent e;

	need(aclrtIpcGetEventHandle(event_ex(ACL_EVENT_IPC), &handle));
	row(aclrtIpcOpenEventHandle(handle, &e));
	need(aclrtCreateNotify(&mine, 0));
	need(aclrtNotifyGetExportKey(mine, key, sizeof(key), 0));
	row(aclrtNotifyImportByKey(&imported, key, 0));
	need(aclrtCreateNotify(&open, 0));
	need(aclrtNotifyGetExportKey(
		open, key, sizeof(key), ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION));
	row(aclrtNotifyImportByKey(&imported, key, 0));
}

/* --- the host's memory ---------------------------------------------------------------------------- */

static void memory_registered_twice(void)
{
	static char memory[12288] __attribute__((aligned(4096)));
	char *far = memory + 8192;
	void *d;

	row(aclrtHostRegister(memory + 64, 4096, ACL_HOST_REGISTER_MAPPED, &d));
	row(aclrtHostRegister(memory, 4096, ACL_HOST_REGISTER_MAPPED, &d));
	row(aclrtHostRegister(memory, 4096, ACL_HOST_REGISTER_MAPPED, &d));
	row(aclrtHostRegisterV2(far + 64, 64, ACL_HOST_REG_MAPPED));
	row(aclrtHostRegisterV2(far + 64, 64, ACL_HOST_REG_PINNED));
	row(aclrtHostRegisterV2(far, 4096, ACL_HOST_REG_MAPPED));
	row(aclrtHostUnregister(far));
	row(aclrtHostUnregister(far + 64));
}

/* --- while the process is locked ------------------------------------------------------------------ */

static volatile int unlocked;

static void *unlocks(void *unused)
{
	usleep(100000);
	unlocked = 1;
	need(aclrtSnapShotProcessUnlock(getpid(), NULL));
	return unused;
}

/* Whether the call, or what stands for it, waited for another thread to unlock. */
#define ROW_OF_WAIT(call)                                                                                    \
	do {                                                                                                 \
		pthread_t thread;                                                                            \
		unlocked = 0;                                                                                \
		need(aclrtSnapShotProcessLock(getpid(), NULL));                                              \
		pthread_create(&thread, NULL, unlocks, NULL);                                                \
		row(call);                                                                                   \
		row(unlocked);                                                                               \
		pthread_join(thread, NULL);                                                                  \
	} while (0)

static void calls_that_wait_for_the_unlock(void)
{
	char *d = device();
	aclrtStream s = stream(), other;
	aclrtEvent e = event_ex(ACL_EVENT_SYNC);
	void *p = NULL;

	ROW_OF_WAIT(aclrtMalloc(&p, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
	ROW_OF_WAIT(aclrtCreateStream(&other));
	ROW_OF_WAIT(aclrtMemsetAsync(d, 4096, 0, 4096, s));
	ROW_OF_WAIT(aclrtRecordEvent(e, s));
	ROW_OF_WAIT(aclrtSetDevice(1));
	ROW_OF_WAIT(aclrtReserveMemAddress(&p, MIB2, 1, NULL, 0)); /* below the outer layer */
}

static void calls_that_do_not_wait(void)
{
	char *d = device();
	aclrtStream s = stream();
	aclrtEvent e = event_ex(ACL_EVENT_SYNC);
	aclrtContext c = NULL;
	int32_t id;

	need(aclrtRecordEvent(e, s));
	ROW_OF_WAIT(aclrtGetDevice(&id));
	ROW_OF_WAIT(aclrtSynchronizeStream(s));
	ROW_OF_WAIT(aclrtSynchronizeEvent(e));
	ROW_OF_WAIT(aclrtGetCurrentContext(&c));
	ROW_OF_WAIT(aclrtSetCurrentContext(c));
	ROW_OF_WAIT(aclrtMemset(d, 4096, 0, 0)); /* nothing to do */
	ROW_OF_WAIT(aclrtMalloc(NULL, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
}

static size_t one_copy[] = {64}, no_bytes[] = {0}, first_entry;
static aclrtMemcpyBatchAttr to_device = {.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE};

static aclError batch(void **to, void **from, size_t *sizes)
{
	return aclrtMemcpyBatchV2(to, one_copy, from, sizes, 1, &to_device, &first_entry, 1);
}

static aclError batch_async(void **to, void **from, aclrtStream s)
{
	return aclrtMemcpyBatchAsyncV2(to, one_copy, from, one_copy, 1, &to_device, &first_entry, 1, s);
}

static void work_that_waits_for_the_unlock(void)
{
	char *d = device();
	void *to = d, *from = NULL;
	aclrtStream s = stream();
	aclmdlRI m = NULL;

	need(aclrtMallocHost(&from, 64));
	ROW_OF_WAIT(batch(&to, &from, one_copy));
	ROW_OF_WAIT(batch_async(&to, &from, s));
	ROW_OF_WAIT(aclrtValueWrite(d, 1, 0, s));
	ROW_OF_WAIT(aclrtReduceAsync(d, d + 64, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, s, NULL));
	ROW_OF_WAIT(aclrtCmoAsync(d, 64, ACL_RT_CMO_TYPE_PREFETCH, s));
	ROW_OF_WAIT(aclrtResetOverflowStatus(s));
	ROW_OF_WAIT(aclmdlRICaptureBegin(s, RELAXED));
	ROW_OF_WAIT(aclmdlRICaptureEnd(s, &m));
	ROW_OF_WAIT(aclrtDeviceTaskAbort(0, 0));
	ROW_OF_WAIT(aclrtMemsetD32(d, 64, 7, 16));
}

static void objects_that_wait_for_the_unlock(void)
{
	char *d = device(), key[65] = "";
	aclrtBinHandle bin = NULL;
	aclrtNotify n = NULL;
	aclrtCntNotify c;
	aclrtMbuf b = NULL;

	need(aclrtCreateNotify(&n, 0));
	need(aclrtAllocBuf(&b, 64));
	ROW_OF_WAIT(aclrtBinaryLoadFromData("binary", 6, NULL, &bin));
	ROW_OF_WAIT(aclrtBinaryUnLoad(bin));
	ROW_OF_WAIT(aclrtIpcMemGetExportKey(d, 64, key, sizeof(key), 0));
	ROW_OF_WAIT(aclrtIpcMemClose(key));
	ROW_OF_WAIT(aclrtNotifyBatchReset(&n, 1));
	ROW_OF_WAIT(aclrtCntNotifyCreate(&c, 9)); /* below the outer layer */
	ROW_OF_WAIT(aclrtFreeBuf(b));
}

aclError aclrtSetDeviceWithoutTsdVXX(int32_t device); /* in no header */

static void noted(void *argument)
{
	(void)argument;
}

static void work_that_does_not_wait(void)
{
	char *d = device(), key[65] = "";
	void *to = d, *from = NULL;
	aclrtStream s = stream();
	aclrtNotify n = NULL;
	aclrtMbuf b = NULL, copy = NULL;
	aclmdlRI m;

	need(aclrtCreateNotify(&n, 0));
	need(aclrtAllocBuf(&b, 64));
	ROW_OF_WAIT(batch(&to, &from, no_bytes));
	ROW_OF_WAIT(batch(NULL, &from, one_copy));
	ROW_OF_WAIT(aclrtMemcpy2d(d, 4, d, 64, 8, 1, ACL_MEMCPY_HOST_TO_DEVICE));
	ROW_OF_WAIT(aclrtMemcpy2d(d, 4, d, 64, 0, 1, ACL_MEMCPY_HOST_TO_DEVICE));
	ROW_OF_WAIT(aclrtNotifyBatchReset(&n, 0));
	ROW_OF_WAIT(aclmdlRIBuildBegin(&m, 1));
	ROW_OF_WAIT(aclrtNotifyGetExportKey(n, key, sizeof(key), 0));
	ROW_OF_WAIT(aclrtCntNotifyGetId(NULL, NULL));
	ROW_OF_WAIT(aclrtLaunchHostFunc(s, noted, NULL));
	ROW_OF_WAIT(aclrtCopyBufRef(b, &copy));
	ROW_OF_WAIT(aclrtGetOverflowStatus(d, 64, s));
	ROW_OF_WAIT(aclrtSetDeviceWithoutTsdVXX(0));
}

const struct row rows_sharing[] = {ROW(addresses_that_are_wanted), ROW(mappings_refused),
	ROW(handles_behind_mappings), ROW(access_to_mappings), ROW(handles_exported),
	ROW(processes_of_handles), ROW(handles_imported_again), ROW(memory_that_gets_a_key),
	ROW(processes_of_a_key), ROW(keys_imported_again), ROW(keys_of_freed_memory),
	ROW(events_and_notifies_of_ones_own), ROW(memory_registered_twice),
	ROW(calls_that_wait_for_the_unlock), ROW(calls_that_do_not_wait), ROW(work_that_waits_for_the_unlock),
	ROW(objects_that_wait_for_the_unlock), ROW(work_that_does_not_wait), {NULL, NULL}};
