/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about losing a context: by a destroy, a reset, a set, another thread. */
#include "paired.h"

static void destroyed_own(void)
{
	aclrtContext own = make_context();

	CALL(aclrtDestroyContext, .context = own);
	if (!bug)
		CALL(aclrtSetDevice, .deviceId = 0);
	CALL_FAILS(bug ? 107002 : 0, aclrtSynchronizeDevice);
}

static void replaced_by_default(void)
{
	aclrtContext own = make_context();
	aclrtStream s = make_stream();
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);

	CALL(aclrtSetDevice, .deviceId = 0);
	if (!bug)
		CALL(aclrtSetCurrentContext, .context = own);
	CALL_FAILS(bug ? 107003 : 0, aclrtRecordEvent, .event = e, .stream = s);
}

static void stream_of_other_context(void)
{
	aclrtContext own = make_context();
	aclrtStream s = make_stream();

	CALL(aclrtSetDevice, .deviceId = 0);
	if (!bug)
		CALL(aclrtSetCurrentContext, .context = own);
	CALL_FAILS(bug ? 107003 : 0, aclrtDestroyStream, .stream = s);
}

static void forced_in_other_context(void)
{
	aclrtContext first = make_context(), second = make_context();
	aclrtStream s = make_stream();

	CALL(aclrtSetCurrentContext, .context = bug ? first : second);
	CALL_FAILS(bug ? 107003 : 0, aclrtDestroyStreamForce, .stream = s);
}

static void notify_without_device(void)
{
	static char key[65];
	aclrtNotify n = NULL;

	CALL_DOES(aclrtCreateNotify, 0, n = make_address(), .notify = &n);
	CALL(aclrtNotifyGetExportKey, .notify = n, .key = key, .len = sizeof(key));
	/* A thread of its own has no device before it has set one. */
	pair_thread(1);
	if (!bug)
		CALL(aclrtSetDevice, .deviceId = 0);
	CALL_DOES(aclrtNotifyImportByKey, bug ? 107002 : 0, n = bug ? NULL : make_address(), .notify = &n,
		.key = key);
}

/* --- resets -------------------------------------------------------------------------- */

static void reset_other_device(void)
{
	CALL(aclrtSetDevice, .deviceId = 1);
	CALL(aclrtResetDeviceForce, .deviceId = 0);
	if (!bug)
		CALL(aclrtSetDevice, .deviceId = 1);
	CALL_FAILS(bug ? 107002 : 0, aclrtSynchronizeDevice);
}

static void reset_by_other_thread(void)
{
	pair_thread(1);
	CALL(aclrtSetDevice, .deviceId = 0);
	CALL(aclrtResetDeviceForce, .deviceId = 0);
	pair_thread(0);
	if (!bug)
		CALL(aclrtSetDevice, .deviceId = 0);
	CALL_FAILS(bug ? 107002 : 0, aclrtSynchronizeDevice);
}

static void reset_in_the_middle(void)
{
	struct acl_args_aclrtSynchronizeDevice a = {0};
	struct acl_call_record ev;

	pair_thread(1);
	CALL(aclrtSetDevice, .deviceId = 0);
	pair_assume(pair_enter(&ev, ACL_API_aclrtSynchronizeDevice, &a, __LINE__), "the call takes its time");
	if (!bug)
		pair_leave(&ev, 0);
	pair_thread(0);
	CALL(aclrtResetDeviceForce, .deviceId = 0);
	if (bug)
		pair_leave(&ev, 0);
}

/* Device numbers end before the count that the program got. */
static void device_counted(void)
{
	uint32_t count = 0;

	CALL_DOES(aclrtGetDeviceCount, 0, count = 2, .count = &count);
	CALL_FAILS(bug ? 107001 : 0, aclrtSetDevice, .deviceId = (int32_t)count - !bug);
}

static void device_asked(void)
{
	uint32_t count = 0;

	CALL_DOES(aclrtGetDeviceCount, 0, count = 2, .count = &count);
	CALL_FAILS(bug ? 107001 : 0, aclrtGetDeviceCapability, .deviceId = (int32_t)count - !bug,
		.devFeatureType = 1, .value = (int32_t *)OUT);
}

/* How many there are was never asked: the runtime knows. */
static void device_not_counted(void)
{
	CALL_FAILS(bug ? 107001 : 0, aclrtSetDevice, .deviceId = bug ? 7 : 1);
	if (!bug)
		CALL(aclrtResetDevice, .deviceId = 1);
}

static void device_of_physical_memory(void)
{
	aclrtPhysicalMemProp p = {.memAttr = ACL_HBM_MEM_HUGE, .location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtDrvMemHandle h = NULL;
	uint32_t count = 0;

	CALL_DOES(aclrtGetDeviceCount, 0, count = 2, .count = &count);
	p.location.id = bug ? count : 0;
	CALL_DOES(aclrtMallocPhysical, bug ? 107000 : 0, h = bug ? NULL : make_address(), .handle = &h,
		.size = 2 << 20, .prop = &p);
	if (!bug)
		CALL(aclrtFreePhysical, .handle = h);
}

static void device_of_pool(void)
{
	aclrtMemPoolProps p = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}, .maxSize = 64 << 20};
	aclrtMemPool pool = NULL;
	uint32_t count = 0;

	CALL_DOES(aclrtGetDeviceCount, 0, count = 2, .count = &count);
	p.location.id = bug ? count : 0;
	CALL_DOES(aclrtMemPoolCreate, bug ? 107000 : 0, pool = bug ? NULL : make_address(), .memPool = &pool,
		.poolProps = &p);
	if (!bug)
		CALL(aclrtMemPoolDestroy, .memPool = pool);
}

/* … and of memory that shall lie there. */
static void device_of_pool_not_counted(void)
{
	aclrtMemPoolProps p = {.location = {bug ? 7 : 0, ACL_MEM_LOCATION_TYPE_DEVICE}, .maxSize = 64 << 20};
	aclrtMemPool pool = NULL;

	CALL_DOES(aclrtMemPoolCreate, bug ? 107001 : 0, pool = bug ? NULL : make_address(), .memPool = &pool,
		.poolProps = &p);
	if (!bug)
		CALL(aclrtMemPoolDestroy, .memPool = pool);
}

/* A peer is a device as well. */
static void device_of_peer(void)
{
	uint32_t count = 0;

	CALL_DOES(aclrtGetDeviceCount, 0, count = 2, .count = &count);
	CALL_FAILS(bug ? 107000 : 0, aclrtDeviceCanAccessPeer, .canAccessPeer = (int32_t *)OUT, .deviceId = 0,
		.peerDeviceId = (int32_t)count - !bug);
}

static const struct pair pairs[] = {
	PAIR("device-id-out-of-range", device_of_physical_memory),
	PAIR("device-id-out-of-range", device_of_pool),
	PAIR("device-id-out-of-range", device_of_peer),
	PAIR("device-id-out-of-range", device_counted),
	PAIR("device-id-out-of-range", device_asked),
	PAIR_AVOIDS("device-id-out-of-range", device_not_counted),
	PAIR_AVOIDS("device-id-out-of-range", device_of_pool_not_counted),
	PAIR("current-context-missing", notify_without_device),
	PAIR_ALSO("context-lost-after-destroy", destroyed_own, "current-context-missing"),
	PAIR_ALSO("implicit-default-switch", replaced_by_default, "stream-other-context-use"),
	PAIR("stream-destroy-wrong-context", stream_of_other_context),
	PAIR("stream-destroy-wrong-context", forced_in_other_context),
	PAIR_ALSO("device-reset-clears-current", reset_other_device, "current-context-missing"),
	PAIR_ALSO("device-reset-while-thread-active", reset_by_other_thread, "current-context-missing"),
	PAIR("device-reset-while-thread-active", reset_in_the_middle),
};

PAIRS_MAIN("rules about losing a context", pairs)
