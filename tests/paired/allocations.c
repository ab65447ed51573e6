/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about habits of allocating and about memory that was never written. */
#include "paired.h"

#define MIB (1u << 20)
#define GIB (UINT64_C(1) << 30)

/* --- allocations that failed -------------------------------------------------------------- */

static void failed_and_used(void)
{
	void *d = NULL, *h = make_host_memory(4096);

	CALL_FAILS(207001, aclrtMalloc, .devPtr = &d, .size = UINT64_C(1) << 50);
	if (!bug)
		CALL_DOES(aclrtMalloc, 0, d = make_range(4096, true), .devPtr = &d, .size = 4096);
	CALL_FAILS(bug ? 100000 : 0, aclrtMemcpy, .dst = d, .destMax = 64, .src = h, .count = 64,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE);
}

/* The variable still holds what was freed before. */
static void failed_and_stale(void)
{
	void *d = make_device_memory(MIB);

	CALL(aclrtFree, .devPtr = d);
	CALL_FAILS(207001, aclrtMalloc, .devPtr = &d, .size = UINT64_C(1) << 50);
	if (!bug)
		CALL_DOES(aclrtMalloc, 0, d = make_range(MIB, true), .devPtr = &d, .size = MIB);
	CALL(aclrtMemset, .devPtr = d, .maxCount = 64, .count = 64);
}

/* It holds memory of the program's own, as a way out. */
static void failed_and_replaced(void)
{
	void *d = make_device_memory(4096), *p = bug ? NULL : heap_memory;

	CALL_FAILS(207001, aclrtMallocHost, .hostPtr = &p, .size = UINT64_C(1) << 36);
	CALL_FAILS(bug ? 100000 : 0, aclrtMemcpy, .dst = d, .destMax = 64, .src = p, .count = 64,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE);
}

/* A tensor without elements has no address. */
static void failed_and_empty(void)
{
	void *d = make_device_memory(4096), *p = NULL;

	CALL_FAILS(207001, aclrtMallocHost, .hostPtr = &p, .size = UINT64_C(1) << 36);
	CALL_FAILS(bug ? 100000 : 0, aclrtMemcpy, .dst = d, .destMax = 64, .src = NULL, .count = bug ? 64 : 0,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE);
}

/* Nothing shows that the NULL of another thread is what the failed call left: it is a NULL, no more. */
static void failed_elsewhere(void)
{
	void *d = NULL, *h = make_host_memory(4096);

	pair_thread(1);
	CALL(aclrtSetDevice, .deviceId = 0);
	pair_thread(0);
	CALL_FAILS(207001, aclrtMalloc, .devPtr = &d, .size = UINT64_C(1) << 50);
	if (!bug)
		CALL_DOES(aclrtMalloc, 0, d = make_range(4096, true), .devPtr = &d, .size = 4096);
	pair_thread(1);
	CALL_FAILS(bug ? 100000 : 0, aclrtMemcpy, .dst = d, .destMax = 64, .src = h, .count = 64,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE);
	CALL(aclrtResetDevice, .deviceId = 0);
	pair_thread(0);
}

/* --- habits --------------------------------------------------------------------------------- */

static void allocate_each_time(void)
{
	void *d = NULL, *h = make_host_memory(4096);

	for (unsigned i = 0; i < 70; i++) {
		if (bug || !i)
			CALL_DOES(aclrtMalloc, 0, d = make_range(4096, true), .devPtr = &d, .size = 4096);
		CALL(aclrtMemcpy, .dst = d, .destMax = 64, .src = h, .count = 64,
			.kind = ACL_MEMCPY_HOST_TO_DEVICE);
		if (bug || i == 69)
			CALL(aclrtFree, .devPtr = d);
	}
}

/* Much work in between, and sizes that differ. */
static void allocate_now_and_then(void)
{
	void *h = make_host_memory(4096), *kept = make_device_memory(4096);

	for (unsigned i = 0; i < 70; i++) {
		void *d = NULL;

		CALL_DOES(aclrtMalloc, 0, d = make_range(4096, true), .devPtr = &d, .size = 4096);
		for (unsigned k = 0; k < (bug ? 4 : 40); k++)
			CALL(aclrtMemcpy, .dst = kept, .destMax = 64, .src = h, .count = 64,
				.kind = ACL_MEMCPY_HOST_TO_DEVICE);
		CALL(aclrtFree, .devPtr = d);
	}
}

static void much_pinned(void)
{
	/* The machine of the pairs has 16 GiB. */
	for (unsigned i = 0; i < 12; i++) {
		void *h = make_host_memory(GIB);

		if (!bug)
			CALL(aclrtFreeHost, .hostPtr = h);
	}
}

/* Mapping page-locked memory for the device locks no further page. */
static void pinned_and_mapped(void)
{
	char *h[12];

	for (unsigned i = 0; i < (bug ? 12 : 6); i++) {
		h[i] = make_host_memory(GIB);
		CALL(aclrtHostRegisterV2, .ptr = h[i], .size = GIB, .flag = ACL_HOST_REG_MAPPED);
	}
}

/* --- memory never written ---------------------------------------------------------------------- */

static void read_back(void *d)
{
	void *h = make_host_memory(4096);

	CALL(aclrtMemcpy, .dst = h, .destMax = 64, .src = d, .count = 64, .kind = ACL_MEMCPY_DEVICE_TO_HOST);
}

static void read_unwritten(void)
{
	void *d = make_device_memory(4096);

	if (!bug)
		CALL(aclrtMemset, .devPtr = d, .maxCount = 4096, .count = 4096);
	read_back(d);
}

static void launch(void)
{
	CALL(aclrtLaunchKernel, .funcHandle = HANDLE, .numBlocks = 1, .argsData = DEVICE, .argsSize = 8,
		.stream = make_stream());
}

/* A kernel before the allocation wrote something else. */
static void read_after_kernel(void)
{
	void *d;

	if (bug)
		launch();
	/* A kernel that still runs may learn of younger memory. */
	CALL(aclrtSynchronizeDevice);
	d = make_device_memory(4096);
	if (!bug)
		launch();
	read_back(d);
}

/* Operators run where we do not see them. */
static void read_after_operator(void)
{
	void *d = make_device_memory(4096);

	if (!bug)
		pair_unseen(CHECKS_OTHER_WORK);
	read_back(d);
}

/* A captured copy reads when the model runs, and then there is something. */
static void read_captured(void)
{
	void *d = make_device_memory(4096), *h = make_host_memory(4096);
	aclrtStream s = make_stream();
	aclmdlRI model = NULL;

	if (!bug)
		CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(aclrtMemcpyAsync, .dst = h, .destMax = 64, .src = d, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST, .stream = s);
	if (!bug)
		CALL_DOES(aclmdlRICaptureEnd, 0, model = make_address(), .stream = s, .modelRI = &model);
}

static void wait_for_nothing(void)
{
	void *flag = make_device_memory(4096);

	if (!bug)
		CALL(aclrtMemset, .devPtr = flag, .maxCount = 8, .count = 8);
	CALL(aclrtValueWait, .devAddr = flag, .value = 1, .flag = ACL_STREAM_WAIT_VALUE_EQ,
		.stream = make_stream());
}

/* A wait for any change needs no first value. */
static void wait_for_change(void)
{
	void *flag = make_device_memory(4096);

	CALL(aclrtValueWait, .devAddr = flag, .value = 1,
		.flag = bug ? ACL_STREAM_WAIT_VALUE_GEQ : ACL_STREAM_WAIT_VALUE_NOR, .stream = make_stream());
}

/* The device has no memory of one kind. */
static void ask_missing_memory(void)
{
	size_t free_bytes = 1, total = 1;

	CALL_DOES(aclrtGetMemInfo, 0, (free_bytes = bug ? 0 : 1, total = bug ? 0 : 2),
		.attr = bug ? ACL_DDR_MEM : ACL_HBM_MEM, .free = &free_bytes, .total = &total);
	pair_assume(!total == bug, "the device has no DDR memory");
}

static const struct pair pairs[] = {
	PAIR("meminfo-attr-invalid", ask_missing_memory),
	PAIR("alloc-result-unchecked", failed_and_used),
	PAIR("memcpy-null-address", failed_elsewhere),
	PAIR("alloc-result-unchecked", failed_and_stale),
	PAIR("alloc-result-unchecked", failed_and_replaced),
	PAIR_AVOIDS("alloc-result-unchecked", failed_and_empty),
	PAIR("alloc-churn", allocate_each_time),
	PAIR("alloc-churn", allocate_now_and_then),
	PAIR("host-pinned-excess", much_pinned),
	PAIR("host-pinned-excess", pinned_and_mapped),
	PAIR("uninit-device-read", read_unwritten),
	PAIR("uninit-device-read", read_after_kernel),
	PAIR("uninit-device-read", read_after_operator),
	PAIR_AVOIDS("uninit-device-read", read_captured),
	PAIR("value-wait-uninitialised", wait_for_nothing),
	PAIR_AVOIDS("value-wait-uninitialised", wait_for_change),
};

PAIRS_MAIN("habits of allocating, memory never written", pairs)
