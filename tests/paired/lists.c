/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about lists: batches, attributes, placeholders. */
#include "paired.h"

#define MIB2 (2u << 20)

#define TO_DEVICE                                                                                            \
	.srcLoc = {.type = ACL_MEM_LOCATION_TYPE_HOST}, .dstLoc = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}

static size_t two_sizes[] = {64, 64}, two_limits[] = {64, 64}, fail_index;
static void *two_sources[2], *two_targets[2];
static aclrtMemcpyBatchAttr attrs[] = {{TO_DEVICE}, {TO_DEVICE}};
static aclrtMemcpyBatchAttr dirty[] = {{TO_DEVICE, .rsv = {[15] = 1}}};
static size_t from_zero[] = {0, 1}, from_one[] = {1}, falling[] = {0, 0};

static struct acl_args_aclrtMemcpyBatch batch(void)
{
	char *host = make_host_memory(16384), *device = make_device_memory(16384);

	for (unsigned i = 0; i < 2; i++) {
		two_sources[i] = host + 64 * i;
		two_targets[i] = device + 64 * i;
	}
	return (struct acl_args_aclrtMemcpyBatch){.dsts = two_targets,
		.destMaxs = two_limits,
		.srcs = two_sources,
		.sizes = two_sizes,
		.numBatches = 2,
		.attrs = attrs,
		.attrsIndexes = from_zero,
		.numAttrs = 1,
		.failIndex = &fail_index};
}

static void copy_batch(struct acl_args_aclrtMemcpyBatch b)
{
	struct acl_call_record ev;

	pair_enter(&ev, ACL_API_aclrtMemcpyBatch, &b, __LINE__);
	pair_leave(&ev, bug ? 107000 : 0);
}

static void copy_batch_async(struct acl_args_aclrtMemcpyBatch b)
{
	CALL_FAILS(bug ? 107000 : 0, aclrtMemcpyBatchAsync, .dsts = b.dsts, .destMaxs = b.destMaxs,
		.srcs = b.srcs, .sizes = b.sizes, .numBatches = b.numBatches, .attrs = b.attrs,
		.attrsIndexes = b.attrsIndexes, .numAttrs = b.numAttrs, .failIndex = b.failIndex,
		.stream = NULL);
}

static void first_index(void)
{
	struct acl_args_aclrtMemcpyBatch b = batch();

	if (bug)
		b.attrsIndexes = from_one;
	copy_batch(b);
}

static void falling_index(void)
{
	struct acl_args_aclrtMemcpyBatch b = batch();

	b.numAttrs = 2;
	if (bug)
		b.attrsIndexes = falling;
	copy_batch_async(b);
}

static void reserved_bytes(void)
{
	struct acl_args_aclrtMemcpyBatch b = batch();

	if (bug)
		b.attrs = dirty;
	copy_batch(b);
}

static void missing_list(void)
{
	struct acl_args_aclrtMemcpyBatch b = batch();

	if (bug)
		b.srcs = NULL;
	copy_batch(b);
}

static void small_destination(void)
{
	static size_t limits[] = {64, 63};
	struct acl_args_aclrtMemcpyBatch b = batch();

	if (bug)
		b.destMaxs = limits;
	copy_batch_async(b);
}

/* The memory is no larger either: the runtime refuses the call before it comes to that. */
static void small_destination_memory(void)
{
	static size_t limits[] = {64, 32};
	struct acl_args_aclrtMemcpyBatch b = batch();
	char *tail = make_device_memory(64);
	void *targets[] = {b.dsts[0], bug ? tail + 32 : tail};

	b.dsts = targets;
	if (bug)
		b.destMaxs = limits;
	copy_batch(b);
}

static void empty_entry(void)
{
	static size_t sizes[] = {64, 0}, both[] = {0, 0};
	struct acl_args_aclrtMemcpyBatch b = batch();

	b.sizes = bug ? sizes : both;
	copy_batch_async(b);
}

static void dependent(void)
{
	struct acl_args_aclrtMemcpyBatch b = batch();

	if (bug)
		two_targets[1] = (char *)two_targets[0] + 32;
	copy_batch(b);
}

/* What the second copy reads is what the first one writes; of none of it is known where it lies. */
static void dependent_unknown(void)
{
	struct acl_args_aclrtMemcpyBatch b = batch();

	two_targets[0] = DEVICE;
	two_targets[1] = (char *)DEVICE + 8192;
	two_sources[0] = (char *)DEVICE - 8192;
	two_sources[1] = (char *)DEVICE + (bug ? 32 : -4096);
	copy_batch(b);
}

#define MANY 4097

static void too_many(void)
{
	static size_t sizes[MANY];
	static void *sources[MANY], *targets[MANY];
	struct acl_args_aclrtMemcpyBatch b = batch();

	for (size_t i = 0; i < MANY; i++) {
		sizes[i] = 1;
		sources[i] = (char *)two_sources[0] + i;
		targets[i] = (char *)two_targets[0] + i;
	}
	b.dsts = targets;
	b.srcs = sources;
	b.sizes = b.destMaxs = sizes;
	b.numBatches = bug ? MANY : MANY - 1;
	copy_batch(b);
}

/* --- kernels ------------------------------------------------------------------------ */

static void launch(aclrtLaunchKernelCfg *cfg)
{
	CALL(aclrtLaunchKernelV2, .funcHandle = HANDLE, .numBlocks = 1, .argsData = DEVICE, .argsSize = 64,
		.cfg = cfg);
}

static void two_timeouts(void)
{
	aclrtLaunchKernelAttr attr[] = {
		{.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT}, {.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US}};
	aclrtLaunchKernelCfg cfg = {attr, bug ? 2 : 1};

	launch(&cfg);
}

static void schedule_mode(void)
{
	aclrtLaunchKernelAttr attr = {
		.id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, .value.schemMode = bug ? 2 : 1};
	aclrtLaunchKernelCfg cfg = {&attr, 1};

	launch(&cfg);
}

static void unknown_attribute(void)
{
	aclrtLaunchKernelAttr attr = {
		.id = bug ? (aclrtLaunchKernelAttrId)99 : ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT,
		.value.timeout = 1};
	aclrtLaunchKernelCfg cfg = {&attr, 1};

	launch(&cfg);
}

static void prefetch_flag(void)
{
	aclrtLaunchKernelAttr attr = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH,
		.value.isBlockTaskPrefetch = bug ? 2 : 1};
	aclrtLaunchKernelCfg cfg = {&attr, 1};

	launch(&cfg);
}

static void dump_flag(void)
{
	aclrtLaunchKernelAttr attr = {
		.id = ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP, .value.isDataDump = bug ? 2 : 1};
	aclrtLaunchKernelCfg cfg = {&attr, 1};

	launch(&cfg);
}

/* Among others that take any value; older releases do not know it. */
static void profiling_flag(void)
{
	aclrtLaunchKernelAttr attr[] = {
		{.id = ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE, .value.engineType = ACL_RT_ENGINE_TYPE_AIV},
		{.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, .value.timeout = 60},
		{.id = ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING, .value.enableProfiling = bug ? 2 : 1}};
	aclrtLaunchKernelCfg cfg = {attr, 3};

	launch(&cfg);
}

static void placeholder(void)
{
	aclrtPlaceHolderInfo at = {.addrOffset = bug ? 64 : 8, .dataOffset = 32};

	CALL(aclrtLaunchKernelWithHostArgs, .funcHandle = HANDLE, .numBlocks = 1, .hostArgs = heap_memory,
		.argsSize = 64, .placeHolderArray = &at, .placeHolderNum = 1);
}

static void placeholder_slot(void)
{
	aclrtPlaceHolderInfo at = {.addrOffset = bug ? 4 : 8, .dataOffset = 32};

	CALL(aclrtLaunchKernelWithHostArgs, .funcHandle = HANDLE, .numBlocks = 1, .hostArgs = heap_memory,
		.argsSize = 64, .placeHolderArray = &at, .placeHolderNum = 1);
}

/* The last bytes of the arguments are too few for a pointer. */
static void placeholder_cut_off(void)
{
	aclrtPlaceHolderInfo at = {.addrOffset = bug ? 64 : 56, .dataOffset = 32};

	CALL(aclrtLaunchKernelWithHostArgs, .funcHandle = HANDLE, .numBlocks = 1, .hostArgs = heap_memory,
		.argsSize = 68, .placeHolderArray = &at, .placeHolderNum = 1);
}

/* --- the rest ------------------------------------------------------------------------ */

static void prefetch(void)
{
	const void *ptrs[2];
	static size_t sizes[] = {MIB2, MIB2}, up[] = {0, 1}, down[] = {1, 0};
	static aclrtMemManagedLocation places[] = {
		{.type = ACL_MEM_LOCATIONTYPE_DEVICE}, {.type = ACL_MEM_LOCATIONTYPE_HOST}};

	for (unsigned i = 0; i < 2; i++) {
		void *p = NULL;

		CALL_DOES(aclrtMemAllocManaged, 0, p = make_range(MIB2, true), .ptr = &p, .size = MIB2,
			.flag = ACL_RT_MEM_ATTACH_GLOBAL);
		ptrs[i] = p;
	}
	CALL(aclrtMemManagedPrefetchBatchAsync, .ptrs = ptrs, .sizes = sizes, .count = 2,
		.prefetchLocs = places, .prefetchLocIdxs = bug ? down : up, .numPrefetchLocs = 2);
}

static void *managed(size_t bytes)
{
	void *p = NULL;

	CALL_DOES(aclrtMemAllocManaged, 0, p = make_range(bytes, true), .ptr = &p, .size = bytes,
		.flag = ACL_RT_MEM_ATTACH_GLOBAL);
	return p;
}

static void prefetch_odd_size(void)
{
	const void *ptrs[] = {managed(2 * MIB2), managed(2 * MIB2)};
	size_t sizes[] = {MIB2, MIB2 + (bug ? 4096 : 0)}, indexes[] = {0};
	aclrtMemManagedLocation place = {.type = ACL_MEM_LOCATIONTYPE_DEVICE};

	CALL(aclrtMemManagedPrefetchBatchAsync, .ptrs = ptrs, .sizes = sizes, .count = 2,
		.prefetchLocs = &place, .prefetchLocIdxs = indexes, .numPrefetchLocs = 1);
}

static void prefetch_nothing(void)
{
	const void *ptrs[] = {managed(2 * MIB2)};
	size_t sizes[] = {bug ? 0 : 2 * MIB2}, indexes[] = {0};
	aclrtMemManagedLocation place = {.type = ACL_MEM_LOCATIONTYPE_DEVICE};

	CALL(aclrtMemManagedPrefetchBatchAsync, .ptrs = ptrs, .sizes = sizes, .count = 1,
		.prefetchLocs = &place, .prefetchLocIdxs = indexes, .numPrefetchLocs = 1);
}

static aclrtNotify make_notify(void)
{
	aclrtNotify n = NULL;

	CALL_DOES(aclrtCreateNotify, 0, n = make_address(), .notify = &n, .flag = ACL_NOTIFY_DEFAULT);
	return n;
}

static void reset_destroyed_notify(void)
{
	aclrtNotify both[] = {make_notify(), make_notify()};

	if (bug)
		CALL(aclrtDestroyNotify, .notify = both[1]);
	CALL_FAILS(bug ? 107000 : 0, aclrtNotifyBatchReset, .notifies = both, .num = 2);
	if (!bug)
		CALL(aclrtDestroyNotify, .notify = both[1]);
	CALL(aclrtDestroyNotify, .notify = both[0]);
}

static void reset_of_two_devices(void)
{
	aclrtNotify both[] = {make_notify(), NULL};

	CALL(aclrtSetDevice, .deviceId = bug);
	both[1] = make_notify();
	CALL(aclrtNotifyBatchReset, .notifies = both, .num = 2);
	CALL(aclrtDestroyNotify, .notify = both[1]);
	CALL(aclrtResetDevice, .deviceId = bug);
	CALL(aclrtSetDevice, .deviceId = 0);
	CALL(aclrtDestroyNotify, .notify = both[0]);
}

static void reset_no_notify(void)
{
	aclrtNotify both[] = {make_notify(), NULL};

	CALL_FAILS(bug ? 107000 : 0, aclrtNotifyBatchReset, .notifies = both, .num = 1 + bug);
	CALL(aclrtDestroyNotify, .notify = both[0]);
}

static void other_process(void)
{
	CALL(aclrtSnapShotProcessLock, .pid = bug ? 1 : pair_pid());
}

/* Which release runs is not known, but what refuses an argument takes arguments. */
static void other_process_refused(void)
{
	CALL_FAILS(bug ? 100000 : 0, aclrtSnapShotProcessLock, .pid = bug ? 1 : pair_pid());
}

static void reserved_refused(void)
{
	CALL_FAILS(bug ? 100000 : 0, aclrtSnapShotProcessLock, .pid = pair_pid(),
		.reserve = bug ? HANDLE : NULL);
}

static void config_missing(void)
{
	CALL_FAILS(bug ? 100003 : 0, aclInit, .configPath = bug ? "nowhere/acl.json" : pair_file());
}

static void same_label(void)
{
	aclrtLabel both[2] = {NULL, NULL}, twice[2];

	CALL_DOES(aclrtCreateLabel, 0, both[0] = make_address(), .label = &both[0]);
	CALL_DOES(aclrtCreateLabel, 0, both[1] = make_address(), .label = &both[1]);
	twice[0] = twice[1] = both[0];
	CALL(aclrtCreateLabelList, .labels = bug ? twice : both, .num = 2, .labelList = OUT);
}

static void config_device(void)
{
	aclrtMallocAttribute attr = {.attr = ACL_RT_MEM_ATTR_DEVICE_ID, .value.deviceId = bug ? 1 : 0};
	aclrtMallocConfig cfg = {&attr, 1};

	CALL_FAILS(bug ? 107000 : 0, aclrtMallocWithCfg, .devPtr = OUT, .size = 64, .cfg = &cfg);
}

/* What one of both functions takes and the other does not. */
static void host_config(void)
{
	aclrtMallocAttribute attr[] = {{.attr = ACL_RT_MEM_ATTR_MODULE_ID, .value.moduleId = 33},
		{.attr = bug ? ACL_RT_MEM_ATTR_DEVICE_ID : ACL_RT_MEM_ATTR_VA_FLAG, .value.vaFlag = 0}};
	aclrtMallocConfig cfg = {attr, 2};

	CALL_FAILS(bug ? 107000 : 0, aclrtMallocHostWithCfg, .ptr = OUT, .size = 64, .cfg = &cfg);
}

static void host_config_reserved(void)
{
	aclrtMallocAttribute attr = {.attr = bug ? ACL_RT_MEM_ATTR_RSV : ACL_RT_MEM_ATTR_MODULE_ID};
	aclrtMallocConfig cfg = {&attr, 1};

	CALL_FAILS(bug ? 107000 : 0, aclrtMallocHostWithCfg, .ptr = OUT, .size = 64, .cfg = &cfg);
}

static void device_config(void)
{
	aclrtMallocAttribute attr[] = {{.attr = ACL_RT_MEM_ATTR_RSV},
		{.attr = ACL_RT_MEM_ATTR_DEVICE_ID, .value.deviceId = 0},
		{.attr = bug ? ACL_RT_MEM_ATTR_VA_FLAG : ACL_RT_MEM_ATTR_MODULE_ID}};
	aclrtMallocConfig cfg = {attr, 3};

	CALL_FAILS(bug ? 107000 : 0, aclrtMallocWithCfg, .devPtr = OUT, .size = 64, .cfg = &cfg);
}

static const struct pair pairs[] = {
	PAIR("batch-attr-indexes", first_index),
	PAIR("batch-attr-indexes", falling_index),
	PAIR("batch-attr-reserved", reserved_bytes),
	PAIR("batch-null-or-empty", missing_list),
	PAIR("batch-size-exceeds-destmax", small_destination),
	PAIR("batch-size-exceeds-destmax", small_destination_memory),
	PAIR_AVOIDS("batch-zero-size-entry", empty_entry),
	PAIR("batch-dependent-entries", dependent),
	PAIR("batch-dependent-entries", dependent_unknown),
	PAIR("batch-count-limit", too_many),
	PAIR("kernel-launch-cfg", two_timeouts),
	PAIR("kernel-launch-cfg", schedule_mode),
	PAIR("kernel-launch-cfg", unknown_attribute),
	PAIR("kernel-launch-cfg", prefetch_flag),
	PAIR("kernel-launch-cfg", dump_flag),
	PAIR_FOR("kernel-launch-cfg", profiling_flag, ACL_CANN_9_2),
	PAIR("kernel-placeholder-range", placeholder),
	PAIR("kernel-placeholder-range", placeholder_slot),
	PAIR("kernel-placeholder-range", placeholder_cut_off),
	PAIR("uvm-prefetch-batch-indexes", prefetch),
	PAIR_FOR("snapshot-bad-args", other_process, ACL_CANN_9_1),
	PAIR("snapshot-bad-args", other_process_refused),
	PAIR("snapshot-bad-args", reserved_refused),
	PAIR_BARE("init-config-unreadable", config_missing),
	PAIR("label-list-args", same_label),
	PAIR("malloc-config-device-mismatch", config_device),
	PAIR("malloc-config-attrs-invalid", host_config),
	PAIR("malloc-config-attrs-invalid", host_config_reserved),
	PAIR("malloc-config-attrs-invalid", device_config),
	PAIR("uvm-size-alignment", prefetch_odd_size),
	PAIR("uvm-size-alignment", prefetch_nothing),
	PAIR("notify-batch-reset-args", reset_destroyed_notify),
	PAIR("notify-batch-reset-args", reset_of_two_devices),
	PAIR("notify-batch-reset-args", reset_no_notify),
};

PAIRS_MAIN("rules about lists", pairs)
