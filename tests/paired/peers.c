/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of rules about events and notifies of several processes, and of their devices. */
#include <string.h>

#include "paired.h"

#define OPEN_TO_ALL ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION
/* The handle of a shared event, and as one who sees both processes names it. */
#define HANDLE_BYTES                                                                                         \
	{                                                                                                    \
		.reserved = "ab"                                                                             \
	}
#define HANDLE_KEY "6162" ZEROS_30 ZEROS_30 "0000"
#define ZEROS_10 "00000000000000000000"
#define ZEROS_30 ZEROS_10 ZEROS_10 ZEROS_10

static char key[65] = "a key of a notify";

static aclrtEvent open_event(void)
{
	aclrtIpcEventHandle handle = HANDLE_BYTES;
	aclrtEvent e = NULL;

	CALL_DOES(aclrtIpcOpenEventHandle, 0, e = make_address(), .handle = handle, .event = &e);
	PEER(SHARED, .key = HANDLE_KEY, .handle = e);
	return e;
}

static aclrtNotify import_notify(uint64_t flags)
{
	aclrtNotify n = NULL;

	CALL_DOES(aclrtNotifyImportByKey, 0, n = make_address(), .notify = &n, .key = key, .flags = flags);
	PEER(SHARED, .key = key, .handle = n);
	return n;
}

static void end(void)
{
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize);
	pair_exit();
}

/* --- gone -------------------------------------------------------------------------------- */

static void used_after_maker_destroyed(void)
{
	aclrtStream s = make_stream();
	aclrtEvent e = open_event();

	if (bug)
		PEER(DESTROYED, .key = HANDLE_KEY);
	CALL_EACH(0, ROLE(EVENT, e), ROLE(STREAM, s), ROLE(TIMEOUT, 10));
	if (!bug)
		PEER(DESTROYED, .key = HANDLE_KEY);
	CALL(aclrtDestroyEvent, .event = e);
}

static void queried_after_maker_destroyed(void)
{
	aclrtEvent e = open_event();
	aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;

	if (bug)
		PEER(DESTROYED, .key = HANDLE_KEY);
	CALL(aclrtQueryEventStatus, .event = e, .status = &status);
	if (!bug)
		PEER(DESTROYED, .key = HANDLE_KEY);
	CALL(aclrtDestroyEvent, .event = e);
}

static void opened_after_maker_destroyed(void)
{
	aclrtIpcEventHandle handle = HANDLE_BYTES;
	aclrtEvent e = NULL;

	PEER(GONE_KEY, .key = bug ? HANDLE_KEY : "another");
	CALL_FAILS(507899, aclrtIpcOpenEventHandle, .handle = handle, .event = &e);
}

static void recorded_after_maker_destroyed(void)
{
	aclrtStream s = make_stream();
	aclrtNotify n = import_notify(ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS);

	if (bug)
		PEER(DESTROYED, .key = key);
	CALL(aclrtRecordNotify, .notify = n, .stream = s);
	if (!bug)
		PEER(DESTROYED, .key = key);
	CALL(aclrtDestroyNotify, .notify = n);
}

/* --- never exported ---------------------------------------------------------------------- */

static void opened_unknown(void)
{
	aclrtIpcEventHandle handle = HANDLE_BYTES;
	aclrtEvent e = NULL;

	PEER(UNKNOWN_KEY, .key = bug ? HANDLE_KEY : "another");
	CALL_FAILS(507899, aclrtIpcOpenEventHandle, .handle = handle, .event = &e);
}

static void imported_unknown_notify(void)
{
	aclrtNotify n = NULL;

	PEER(UNKNOWN_KEY, .key = bug ? "no key" : "another");
	CALL_FAILS(507899, aclrtNotifyImportByKey, .notify = &n, .key = "no key",
		.flags = ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS);
}

static void imported_notify_that_is_gone(void)
{
	aclrtNotify n = NULL;

	PEER(GONE_KEY, .key = bug ? "old key" : "another");
	CALL_FAILS(507899, aclrtNotifyImportByKey, .notify = &n, .key = "old key",
		.flags = ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS);
}

/* --- never recorded ----------------------------------------------------------------------- */

static void opened_and_waited_in_vain(void)
{
	aclrtStream s = make_stream();
	aclrtEvent e = open_event();

	CALL_EACH(0, ROLE(EVENT, e), ROLE(STREAM, s));
	CALL(aclrtDestroyEvent, .event = e);
	if (bug)
		PEER(NEVER_RECORDED, .key = HANDLE_KEY);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void exported_and_waited_in_vain(void)
{
	aclrtStream s = make_stream();
	aclrtNotify n = NULL;

	CALL_DOES(aclrtCreateNotify, 0, n = make_address(), .notify = &n, .flag = ACL_NOTIFY_DEFAULT);
	CALL(aclrtNotifyGetExportKey, .notify = n, .key = key, .len = sizeof(key), .flags = OPEN_TO_ALL);
	PEER(SHARED, .key = key, .handle = n);
	CALL(aclrtWaitAndResetNotify, .notify = n, .stream = s, .timeout = 1);
	CALL(aclrtDestroyStream, .stream = s);
	CALL(aclrtDestroyNotify, .notify = n);
	if (bug)
		PEER(NEVER_RECORDED, .key = key);
	end();
}

/* --- devices ------------------------------------------------------------------------------- */

/* Of rank 1, on device 1. */
static void imported_from_other_device(void)
{
	aclrtNotify n;

	PEER(ON_DEVICE, .key = key, .device = bug ? 1 : 0);
	n = import_notify(ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT);
	CALL(aclrtDestroyNotify, .notify = n);
}

static void *import_memory(int32_t device, uint64_t flags)
{
	void *p = NULL;

	PEER(ON_DEVICE, .key = pair_memory_key(1), .device = device);
	CALL_DOES(aclrtIpcMemImportByKey, 0, p = make_range(1 << 20, true), .devPtr = &p,
		.key = pair_memory_key(1), .flags = flags);
	return p;
}

static void copied_from_other_device(void)
{
	void *p = import_memory(bug ? 1 : 0, ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS),
	     *h = make_host_memory(4096);

	CALL(aclrtMemcpy, .dst = h, .destMax = 64, .src = p, .count = 64, .kind = ACL_MEMCPY_DEVICE_TO_HOST);
	CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
}

/* Of one device nothing need be enabled. */
static void used_of_other_device(void)
{
	void *p = import_memory(bug ? 1 : 0, 0);

	CALL(aclrtMemset, .devPtr = p, .maxCount = 64, .count = 64);
	CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
}

static const struct pair pairs[] = {
	PAIR_EACH("event-ipc-closed-early", used_after_maker_destroyed, RECORD_EVENT),
	PAIR_EACH("event-ipc-closed-early", used_after_maker_destroyed, WAIT_EVENT),
	PAIR_EACH("event-ipc-closed-early", used_after_maker_destroyed, SYNCHRONISE_EVENT),
	PAIR("event-ipc-closed-early", queried_after_maker_destroyed),
	PAIR("event-ipc-closed-early", opened_after_maker_destroyed),
	PAIR("notify-destroyed-use", recorded_after_maker_destroyed),
	PAIR("ipc-import-unknown-key", opened_unknown),
	PAIR("ipc-import-unknown-key", imported_unknown_notify),
	PAIR("ipc-import-unknown-key", imported_notify_that_is_gone),
	PAIR_EACH("event-wait-before-record", opened_and_waited_in_vain, WAIT_EVENT, .avoids = true),
	PAIR_WITH("notify-wait-never-recorded", exported_and_waited_in_vain, .avoids = true),
	PAIR("notify-import-peer-access", imported_from_other_device),
	PAIR("ipc-imported-copy-direction", copied_from_other_device),
	PAIR_WITH("ipc-import-no-peer", used_of_other_device, .avoids = true),
};

PAIRS_MAIN("events and notifies of several processes", pairs)
