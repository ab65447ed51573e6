/* SPDX-License-Identifier: Apache-2.0 */
/* Live pairs of copies, releases and peers. */
#include "live.h"

PAIR("async-copy-alignment", copy_from_odd)
{
	aclrtMemcpyAsync(d, N, bug ? (char *)h + 12 : (char *)h + 64, 64, ACL_MEMCPY_HOST_TO_DEVICE, s);
}

PAIR("async-copy-h2h", copy_inside_host)
{
	if (bug)
		aclrtMemcpyAsync((char *)h + 2048, 1024, h, 1024, ACL_MEMCPY_HOST_TO_HOST, s);
	else
		aclrtMemcpy((char *)h + 2048, 1024, h, 1024, ACL_MEMCPY_HOST_TO_HOST);
}

PAIR("free-host-with-device-free", host_by_device_free)
{
	void *p = NULL;

	aclrtMallocHost(&p, N);
	if (bug)
		aclrtFree(p);
	else
		aclrtFreeHost(p);
}

PAIR("free-device-with-host-free", device_by_host_free)
{
	if (bug)
		aclrtFreeHost(d);
}

PAIR_WITH("rc-mode-host-copy", copy_on_device, .settings = "SOFTNPU_RUN_MODE=device", .bare = true)
{
	aclrtRunMode mode;
	void *a = NULL, *b = NULL;

	aclInit(NULL);
	aclrtSetDevice(0);
	aclrtGetRunMode(&mode);
	aclrtMalloc(&a, N, ACL_MEM_MALLOC_HUGE_FIRST);
	if (bug)
		aclrtMallocHost(&b, N);
	else
		aclrtMalloc(&b, N, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMemcpy(a, N, b, N, bug ? ACL_MEMCPY_HOST_TO_DEVICE : ACL_MEMCPY_DEVICE_TO_DEVICE);
	if (bug)
		aclrtFreeHost(b);
	else
		aclrtFree(b);
	aclrtFree(a);
	aclrtResetDevice(0);
	aclFinalize();
}

/* d lies on device 0; a block and a stream on device 1. */
static void *on_one;
static aclrtStream of_one;

static void second_device(void)
{
	aclrtSetDevice(1);
	aclrtMalloc(&on_one, N, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtCreateStream(&of_one);
}

static void leave_second_device(void)
{
	aclrtSetDevice(1);
	aclrtSynchronizeStream(of_one);
	aclrtDestroyStream(of_one);
	aclrtFree(on_one);
	aclrtResetDeviceForce(1);
	aclrtSetDevice(0);
	aclrtResetDevice(0);
}

PAIR("peer-copy-not-enabled", copy_without_asking)
{
	int32_t can = 0;

	aclrtDeviceCanAccessPeer(&can, 1, 0);
	aclrtMemset(d, N, 1, N);
	second_device();
	if (!bug)
		aclrtDeviceEnablePeerAccess(0, 0);
	aclrtMemcpy(on_one, N, d, N, ACL_MEMCPY_DEVICE_TO_DEVICE);
	aclrtSetDevice(0);
	leave_second_device();
}

PAIR_WITH("peer-access-denied", enable_all_the_same, .settings = "SOFTNPU_PEER=0")
{
	int32_t can = 0;

	aclrtDeviceCanAccessPeer(&can, 1, 0);
	second_device();
	if (bug)
		aclrtDeviceEnablePeerAccess(0, 0);
	aclrtSetDevice(0);
	leave_second_device();
}

PAIR_WITH("peer-device-reset-in-use", reset_source_first, .bare = true, .also = "free-in-flight")
{
	void *from = NULL;
	int32_t can = 0;

	aclInit(NULL);
	aclrtDeviceCanAccessPeer(&can, 1, 0);
	aclrtSetDevice(0);
	aclrtMalloc(&from, N, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMemset(from, N, 1, N);
	second_device();
	aclrtDeviceEnablePeerAccess(0, 0);
	aclrtMemcpyAsync(on_one, N, from, N, ACL_MEMCPY_DEVICE_TO_DEVICE, of_one);
	if (!bug)
		aclrtSynchronizeStream(of_one);
	aclrtSetDevice(0);
	aclrtFree(from);
	aclrtResetDeviceForce(0);
	aclrtSetDevice(1);
	aclrtSynchronizeStream(of_one);
	aclrtDestroyStream(of_one);
	aclrtFree(on_one);
	aclrtResetDeviceForce(1);
	aclFinalize();
}
