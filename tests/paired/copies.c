/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about descriptors, device variables, peers, and results no one waits for. */
#include "paired.h"

#define MIB (1u << 20)

static void finish(void)
{
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize, );
	pair_exit();
}

static void on_device(int32_t id)
{
	CALL(aclrtSetDevice, .deviceId = id);
}

/* --- descriptors ------------------------------------------------------------------------- */

static void fill(void *desc, void *src, void *dst)
{
	CALL(aclrtSetMemcpyDesc, .desc = desc, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, .srcAddr = src,
		.dstAddr = dst, .count = 64);
}

static void run(void *desc)
{
	CALL(aclrtMemcpyAsyncWithDesc, .desc = desc, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
		.stream = make_stream());
}

static void desc_unset(void)
{
	void *desc = make_device_memory(4096), *a = make_device_memory(4096), *b = make_device_memory(4096);

	if (!bug)
		fill(desc, a, b);
	run(desc);
}

/* The one before it was filled, and it is new memory. */
static void desc_of_former_memory(void)
{
	void *a = make_device_memory(4096), *b = make_device_memory(4096), *desc = make_device_memory(4096);
	void *again = desc;

	fill(desc, a, b);
	CALL(aclrtFree, .devPtr = desc);
	CALL_DOES(aclrtMalloc, 0, again = desc, .devPtr = &again, .size = 4096);
	pair_assume(again == desc, "the same address is given out again");
	if (!bug)
		fill(again, a, b);
	run(again);
}

/* Whoever writes the memory may write a descriptor. */
static void desc_copied(void)
{
	char *desc = make_device_memory(4096), *a = make_device_memory(4096), *b = make_device_memory(4096);

	fill(desc, a, b);
	if (!bug)
		CALL(aclrtMemcpy, .dst = desc + 1024, .destMax = 64, .src = desc, .count = 64,
			.kind = ACL_MEMCPY_DEVICE_TO_DEVICE);
	run(desc + 1024);
}

static void desc_before_kernel(void)
{
	void *desc = make_device_memory(4096);

	if (!bug)
		CALL(aclrtLaunchKernel, .funcHandle = HANDLE, .numBlocks = 1, .argsData = DEVICE,
			.argsSize = 8, .stream = make_stream());
	run(desc);
}

static void cmo_unset(void)
{
	void *desc = make_device_memory(4096), *a = make_device_memory(4096);

	if (!bug)
		CALL(aclrtCmoSetDesc, .cmoDesc = desc, .src = a, .size = 64);
	CALL(aclrtCmoAsyncWithDesc, .cmoDesc = desc, .cmoType = ACL_RT_CMO_TYPE_PREFETCH,
		.stream = make_stream());
}

static void desc_on_host(void)
{
	void *a = make_device_memory(4096), *b = make_device_memory(4096);
	void *desc = bug ? make_host_memory(4096) : make_device_memory(4096);

	CALL_FAILS(bug ? 107000 : 0, aclrtSetMemcpyDesc, .desc = desc,
		.kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, .srcAddr = a, .dstAddr = b, .count = 64);
}

static void desc_in_heap(void)
{
	void *a = make_device_memory(4096), *desc = bug ? heap_memory : make_device_memory(4096);

	CALL_FAILS(bug ? 107000 : 0, aclrtCmoSetDesc, .cmoDesc = desc, .src = a, .size = 64);
}

static void desc_too_near_the_end(void)
{
	char *desc = make_device_memory(4096), *a = make_device_memory(4096), *b = make_device_memory(4096);
	size_t size = 0;

	CALL_DOES(aclrtGetMemcpyDescSize, 0, size = 128, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
		.descSize = &size);
	pair_assume(size > 64, "a descriptor takes more than 64 bytes");
	fill(desc + 4096 - (bug ? 64 : 128), a, b);
}

static void desc_on_no_stream(void)
{
	char *desc = make_device_memory(4096), *a = make_device_memory(4096), *b = make_device_memory(4096);
	aclrtStream s = make_stream();

	fill(desc, a, b);
	CALL_FAILS(bug ? 107000 : 0, aclrtMemcpyAsyncWithDesc, .desc = desc,
		.kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, .stream = bug ? NULL : s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void desc_of_two_devices(void)
{
	void *desc = make_device_memory(4096), *here = make_device_memory(4096), *there;

	on_device(bug ? 1 : 0);
	there = make_device_memory(4096);
	on_device(0);
	CALL_FAILS(bug ? 107000 : 0, aclrtSetMemcpyDesc, .desc = desc,
		.kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, .srcAddr = here, .dstAddr = there, .count = 64);
}

static void desc_from_host(void)
{
	void *desc = make_device_memory(4096), *here = make_device_memory(4096);
	void *src = bug ? make_host_memory(4096) : make_device_memory(4096);

	CALL_FAILS(bug ? 107000 : 0, aclrtSetMemcpyDesc, .desc = desc,
		.kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, .srcAddr = src, .dstAddr = here, .count = 64);
}

/* --- device variables ---------------------------------------------------------------------- */

static void variable_elsewhere(void)
{
	void *where = NULL, *h = make_host_memory(4096), *symbol = HANDLE;
	size_t size = 0;

	CALL_DOES(aclrtGetSymbolSize, 0, size = 64, .symbol = symbol, .size = &size);
	CALL_DOES(aclrtGetSymbolAddress, 0, where = make_range(64, true), .symbol = symbol, .devPtr = &where);
	on_device(bug ? 1 : 0);
	CALL(aclrtMemcpy, .dst = (char *)where + 32, .destMax = 32, .src = h, .count = 32,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE);
}

static void variable_from_elsewhere(void)
{
	void *where = NULL, *h = make_host_memory(4096), *symbol = HANDLE;
	aclrtStream s;

	CALL_DOES(aclrtGetSymbolAddress, 0, where = make_range(64, true), .symbol = symbol, .devPtr = &where);
	on_device(bug ? 1 : 0);
	s = make_stream();
	CALL(aclrtMemcpyAsync, .dst = h, .destMax = 1, .src = where, .count = 1,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* The other device has it at the same address. */
static void variable_everywhere(void)
{
	void *where = NULL, *h = make_host_memory(4096), *symbol = HANDLE;

	CALL_DOES(aclrtGetSymbolAddress, 0, where = make_range(64, true), .symbol = symbol, .devPtr = &where);
	on_device(1);
	if (!bug)
		CALL(aclrtGetSymbolAddress, .symbol = symbol, .devPtr = &where);
	CALL(aclrtMemcpy, .dst = where, .destMax = 1, .src = h, .count = 1,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE);
}

/* --- peers ------------------------------------------------------------------------------------ */

static void peer_without_device(void)
{
	int32_t can = 0;

	pair_thread(bug ? 1 : 0);
	CALL_DOES(aclrtDeviceCanAccessPeer, 0, can = 1, .canAccessPeer = &can, .deviceId = 0,
		.peerDeviceId = 1);
	CALL_FAILS(bug ? 107002 : 0, aclrtDeviceEnablePeerAccess, .peerDeviceId = 1);
}

static void peer_not_asked(void)
{
	int32_t can = 0;

	if (!bug)
		CALL_DOES(aclrtDeviceCanAccessPeer, 0, can = 1, .canAccessPeer = &can, .deviceId = 1,
			.peerDeviceId = 0);
	CALL(aclrtDeviceEnablePeerAccess, .peerDeviceId = 1);
}

static void closed_below_a_copy(void)
{
	void *here = make_device_memory(MIB), *there;
	aclrtStream s;

	CALL(aclrtMemset, .devPtr = here, .maxCount = MIB, .count = MIB);
	on_device(1);
	CALL(aclrtDeviceEnablePeerAccess, .peerDeviceId = 0);
	there = make_device_memory(MIB);
	s = make_stream();
	CALL(aclrtMemcpyAsync, .dst = there, .destMax = MIB, .src = here, .count = MIB,
		.kind = ACL_MEMCPY_DEVICE_TO_DEVICE, .stream = s);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtDeviceDisablePeerAccess, .peerDeviceId = 0);
}

static void map_for_nobody(void)
{
	int32_t can = 0;
	void *p = make_device_memory(MIB);

	if (!bug) {
		CALL_DOES(aclrtDeviceCanAccessPeer, 0, can = 1, .canAccessPeer = &can, .deviceId = 0,
			.peerDeviceId = 1);
		CALL(aclrtDeviceEnablePeerAccess, .peerDeviceId = 1);
	}
	CALL(aclrtMemP2PMap, .devPtr = p, .size = MIB, .dstDevId = 1);
}

static void map_for_oneself(void)
{
	void *p = make_device_memory(MIB);

	CALL(aclrtDeviceEnablePeerAccess, .peerDeviceId = 1);
	CALL(aclrtMemP2PMap, .devPtr = p, .size = MIB, .dstDevId = bug ? 0 : 1);
}

static void *allocate(aclrtMemMallocPolicy policy)
{
	void *p = NULL;

	CALL_DOES(aclrtMalloc, 0, p = make_range(MIB, true), .devPtr = &p, .size = MIB, .policy = policy);
	return p;
}

static void crossing_without_policy(void)
{
	aclrtMemMallocPolicy policy = bug ? ACL_MEM_MALLOC_HUGE_FIRST : ACL_MEM_MALLOC_HUGE_FIRST_P2P;
	void *here = allocate(policy), *there;

	CALL(aclrtMemset, .devPtr = here, .maxCount = MIB, .count = MIB);
	on_device(1);
	CALL(aclrtDeviceEnablePeerAccess, .peerDeviceId = 0);
	there = allocate(policy);
	CALL(aclrtMemcpy, .dst = there, .destMax = MIB, .src = here, .count = MIB,
		.kind = ACL_MEMCPY_DEVICE_TO_DEVICE);
}

/* Prefetches write nothing. */
static void desc_behind_prefetch(void)
{
	aclrtStream s = make_stream();
	char *desc = make_device_memory(4096), *a = make_device_memory(4096);

	CALL(aclrtMemset, .devPtr = a, .maxCount = 4096, .count = 4096);
	if (!bug)
		CALL(aclrtSetMemcpyDesc, .desc = desc, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
			.srcAddr = a, .dstAddr = a + 2048, .count = 64);
	CALL(aclrtCmoAsync, .src = a, .size = 4096, .cmoType = ACL_RT_CMO_TYPE_PREFETCH, .stream = s);
	CALL(aclrtMemcpyAsyncWithDesc, .desc = desc, .kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* --- results for the host ------------------------------------------------------------------------ */

/* On the default stream, which is never destroyed. */
static void result_not_waited_for(void)
{
	void *d = make_device_memory(4096), *h = make_host_memory(4096);

	CALL(aclrtMemset, .devPtr = d, .maxCount = 4096, .count = 4096);
	CALL(aclrtMemcpyAsync, .dst = h, .destMax = 64, .src = d, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_HOST);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = NULL);
	CALL(aclrtFreeHost, .hostPtr = h);
	CALL(aclrtFree, .devPtr = d);
	if (bug)
		pair_exit();
	else
		finish();
}

static void large_from_heap(void)
{
	aclrtStream s = make_stream();
	void *d = make_device_memory(MIB), *h = bug ? heap_memory : make_host_memory(MIB);

	for (unsigned i = 0; i < 5; i++)
		CALL(aclrtMemcpyAsync, .dst = d, .destMax = sizeof(heap_memory), .src = h,
			.count = sizeof(heap_memory), .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = s);
}

/* A few times is initialisation. */
static void large_from_heap_once(void)
{
	aclrtStream s = make_stream();
	void *d = make_device_memory(MIB);

	for (unsigned i = 0; i < (bug ? 4 : 3); i++)
		CALL(aclrtMemcpyAsync, .dst = d, .destMax = sizeof(heap_memory), .src = heap_memory,
			.count = sizeof(heap_memory), .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = s);
}

/* A place whose memory is of unknown origin again and again is not looked at any more. */
static void large_from_anywhere(void)
{
	aclrtStream s = make_stream();
	void *d = make_device_memory(MIB);
	unsigned unknown = bug ? 7 : 8;

	for (unsigned i = 0; i < unknown + 4; i++)
		CALL(aclrtMemcpyAsync, .dst = d, .destMax = sizeof(heap_memory),
			.src = i < unknown ? make_address() : (void *)heap_memory,
			.count = sizeof(heap_memory), .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = s);
}

static void from_lucky_block(void)
{
	aclrtStream s = make_stream();
	void *d = make_device_memory(MIB), *h = bug ? lucky_block : make_host_memory(MIB);

	CALL(aclrtMemcpyAsync, .dst = d, .destMax = MIB, .src = h, .count = LUCKY_BYTES,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = s);
}

static void to_lucky_block(void)
{
	aclrtStream s = make_stream();
	void *d = make_device_memory(MIB);

	/* Not from its begin: the program may have chosen where. */
	CALL(aclrtMemcpyAsync, .dst = lucky_block + (bug ? 0 : 64), .destMax = LUCKY_BYTES, .src = d,
		.count = LUCKY_BYTES - (bug ? 0 : 64), .kind = ACL_MEMCPY_DEVICE_TO_HOST, .stream = s);
}

static const struct pair pairs[] = {
	PAIR("desc-not-set", desc_unset),
	PAIR("desc-not-set", desc_of_former_memory),
	PAIR("desc-not-set", desc_copied),
	PAIR("desc-not-set", desc_before_kernel),
	PAIR("desc-not-set", desc_behind_prefetch),
	PAIR("desc-not-set", cmo_unset),
	PAIR("desc-buffer-invalid", desc_on_host),
	PAIR("desc-buffer-invalid", desc_in_heap),
	PAIR("desc-buffer-invalid", desc_too_near_the_end),
	PAIR("desc-null-stream", desc_on_no_stream),
	PAIR("desc-cross-device", desc_of_two_devices),
	PAIR("desc-cross-device", desc_from_host),
	PAIR("symbol-address-other-device", variable_elsewhere),
	PAIR("symbol-address-other-device", variable_from_elsewhere),
	PAIR("symbol-address-other-device", variable_everywhere),
	PAIR("peer-access-before-setdevice", peer_without_device),
	PAIR("peer-not-queried", peer_not_asked),
	PAIR("peer-disable-not-enabled", closed_below_a_copy),
	PAIR("p2p-map-no-peer", map_for_nobody),
	PAIR("p2p-map-no-peer", map_for_oneself),
	PAIR("memcpy-cross-device-no-p2p-policy", crossing_without_policy),
	PAIR_ALSO("async-copy-never-synchronized", result_not_waited_for,
		"finalize-missing-at-exit free-host-in-flight free-in-flight"),
	PAIR("async-copy-alignment-by-luck", from_lucky_block),
	PAIR("async-copy-alignment-by-luck", to_lucky_block),
	PAIR("async-copy-pageable-host", large_from_heap),
	PAIR("async-copy-pageable-host", large_from_heap_once),
	PAIR("async-copy-pageable-host", large_from_anywhere),
};

PAIRS_MAIN("descriptors, device variables, peers, results", pairs)
