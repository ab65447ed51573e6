/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about addresses of the other side: device addresses of host memory, device variables,
 * directions of batches. */
#include "paired.h"

static void symbol_past_end(void)
{
	static size_t size;

	CALL_DOES(aclrtGetSymbolSize, 0, size = 64, .symbol = HANDLE, .size = &size);
	CALL(aclrtMemcpyToSymbol, .symbol = HANDLE, .src = DEVICE, .count = 32, .offset = bug ? 33 : 32,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE);
}

static void window_copied(void)
{
	void *window = NULL, *d = make_device_memory(4096);

	CALL_DOES(aclrtHostRegister, 0, window = (void *)0x140000000000, .ptr = heap_memory, .size = 4096,
		.devPtr = &window);
	pair_assume(window != heap_memory, "the device has an address of its own for registered memory");
	CALL(aclrtMemcpy, .dst = d, .destMax = 64, .src = bug ? window : heap_memory, .count = 64,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE);
}

/* Unregistered, its device address is no window any more: something below us may have got it. */
static void window_closed(void)
{
	void *window = NULL, *d = make_device_memory(4096);

	CALL_DOES(aclrtHostRegister, 0, window = (void *)0x140000000000, .ptr = heap_memory, .size = 4096,
		.devPtr = &window);
	pair_assume(window != heap_memory, "the device has an address of its own for registered memory");
	if (!bug)
		CALL(aclrtHostUnregister, .ptr = heap_memory);
	CALL(aclrtMemcpy, .dst = d, .destMax = 64, .src = window, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_DEVICE);
}

static void *window_of(char *host)
{
	void *window = NULL;

	CALL_DOES(aclrtHostGetDevicePointer, 0, window = (char *)0x140000000000 + (host - heap_memory),
		.pHost = host, .pDevice = &window);
	pair_assume(window != host, "the device has an address of its own for registered memory");
	return window;
}

/* Asked for later, and for a part of what is registered. */
static void asked_window_copied(void)
{
	void *window, *d = make_device_memory(4096);

	CALL(aclrtHostRegisterV2, .ptr = heap_memory, .size = 8192, .flag = ACL_HOST_REG_MAPPED);
	window = window_of(heap_memory + 4096);
	CALL(aclrtMemcpy, .dst = d, .destMax = 64, .src = bug ? window : heap_memory + 4096, .count = 64,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE);
	CALL(aclrtHostUnregister, .ptr = heap_memory);
}

static void window_queried(void)
{
	aclrtPtrAttributes where = {0};
	void *window;

	CALL(aclrtHostRegisterV2, .ptr = heap_memory, .size = 8192, .flag = ACL_HOST_REG_MAPPED);
	window = window_of(heap_memory);
	CALL(aclrtPointerGetAttributes, .ptr = bug ? window : heap_memory, .attributes = &where);
	CALL(aclrtHostUnregister, .ptr = heap_memory);
}

static void batch_of(void *first_dst, void *first_src, void *second_dst, void *second_src, bool swapped)
{
	aclrtMemLocation host = {.type = ACL_MEM_LOCATION_TYPE_HOST},
			 device = {.type = ACL_MEM_LOCATION_TYPE_DEVICE};
	aclrtMemcpyBatchAttr attr = {.dstLoc = swapped ? host : device, .srcLoc = swapped ? device : host};
	void *dsts[] = {first_dst, second_dst}, *srcs[] = {first_src, second_src};
	size_t sizes[] = {64, 64}, index = 0, failed;

	CALL(aclrtMemcpyBatch, .dsts = dsts, .destMaxs = sizes, .srcs = srcs, .sizes = sizes, .numBatches = 2,
		.attrs = &attr, .attrsIndexes = &index, .numAttrs = 1, .failIndex = &failed);
}

static void batch_both_ways(void)
{
	char *d = make_device_memory(4096), *h = make_host_memory(4096);

	if (bug)
		batch_of(d, h, h + 1024, d + 1024, false);
	else
		batch_of(d, h, d + 1024, h + 1024, false);
}

static void batch_inside_device(void)
{
	char *d = make_device_memory(4096), *h = make_host_memory(4096);

	batch_of(d, bug ? d + 2048 : h, d + 1024, h + 1024, false);
}

static void batch_swapped(void)
{
	char *d = make_device_memory(4096), *h = make_host_memory(4096);

	batch_of(d, h, d + 1024, h + 1024, bug);
}

static const struct pair pairs[] = {
	PAIR("symbol-copy-range", symbol_past_end),
	PAIR("mapped-pointer-in-memory-op", window_copied),
	PAIR("mapped-pointer-in-memory-op", window_closed),
	PAIR("mapped-pointer-in-memory-op", asked_window_copied),
	PAIR("mapped-pointer-in-memory-op", window_queried),
	PAIR("batch-direction", batch_both_ways),
	PAIR("batch-direction", batch_inside_device),
	PAIR("batch-attr-location-mismatch", batch_swapped),
};

PAIRS_MAIN("addresses of the other side", pairs)
