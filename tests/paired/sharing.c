/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about memory shared between processes. */
#include <string.h>

#include "paired.h"

#define MIB (1u << 20)
#define OPEN_TO_ALL ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION
#define PEERS ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS

static char key[65];

static void *allocate(size_t bytes, aclrtMemMallocPolicy policy)
{
	void *p = NULL;

	CALL_DOES(aclrtMalloc, 0, p = make_range(bytes, true), .devPtr = &p, .size = bytes, .policy = policy);
	return p;
}

/* What the driver refuses leaves no key to close. */
static void share_refused(void *p, size_t bytes)
{
	CALL_DOES(aclrtIpcMemGetExportKey, bug ? 507899 : 0, strcpy(key, "key of a block"), .devPtr = p,
		.size = bytes, .key = key, .len = sizeof(key), .flags = OPEN_TO_ALL);
	if (!bug)
		CALL(aclrtIpcMemClose, .key = key);
}

static void share(void *p, size_t bytes, uint64_t flags)
{
	CALL_DOES(aclrtIpcMemGetExportKey, 0, strcpy(key, "key of a block"), .devPtr = p, .size = bytes,
		.key = key, .len = sizeof(key), .flags = flags);
}

static void *import_of(int32_t device, uint64_t flags)
{
	void *p = NULL;

	CALL_DOES(aclrtIpcMemImportByKey, 0, p = make_range(MIB, true), .devPtr = &p,
		.key = pair_memory_key(device), .flags = flags);
	return p;
}

static void *import(uint64_t flags)
{
	return import_of(1, flags);
}

static void finish(void)
{
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize, );
	pair_exit();
}

/* --- exports ---------------------------------------------------------------------------- */

static void share_part(void)
{
	char *p = allocate(4 * MIB, ACL_MEM_MALLOC_NORMAL_ONLY);

	share_refused(p + (bug ? 512 : 4096), 4096);
}

/* What another process has shared is that one's. */
static void share_an_import(void)
{
	void *p = import(PEERS), *own = allocate(MIB, ACL_MEM_MALLOC_HUGE_FIRST);

	CALL_DOES(aclrtIpcMemGetExportKey, bug ? 107000 : 0, strcpy(key, bug ? "" : "key of a block"),
		.devPtr = bug ? p : own, .size = MIB, .key = key, .len = sizeof(key), .flags = OPEN_TO_ALL);
	if (!bug)
		CALL(aclrtIpcMemClose, .key = key);
	CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
}

/* Huge pages, and nothing but huge pages. */
static void share_part_of_huge(void)
{
	char *p = allocate(4 * MIB, bug ? ACL_MEM_MALLOC_HUGE_ONLY : ACL_MEM_MALLOC_NORMAL_ONLY);

	share_refused(p + 4096, 4096);
}

/* Where a block of huge pages begins, the runtime decides: this one begins wherever it may. */
static void share_all_of_huge(void)
{
	void *block = NULL;
	char *p;

	CALL_DOES(aclrtMalloc, 0, block = (char *)make_range(5 * MIB, true) + 4096, .devPtr = &block,
		.size = 4 * MIB, .policy = ACL_MEM_MALLOC_HUGE_ONLY);
	p = block;
	share_refused(p + (bug ? 512 : 0), 2 * MIB);
}

static void share_odd_size(void)
{
	share(allocate(MIB, ACL_MEM_MALLOC_HUGE_FIRST), bug ? 1024 : MIB, OPEN_TO_ALL);
	CALL(aclrtIpcMemClose, .key = key);
}

static void share_without_p2p(void)
{
	share(allocate(MIB, bug ? ACL_MEM_MALLOC_HUGE_FIRST : ACL_MEM_MALLOC_HUGE_FIRST_P2P), MIB,
		OPEN_TO_ALL);
	CALL(aclrtIpcMemClose, .key = key);
}

static void nobody_admitted(void)
{
	int32_t pid = 4711;

	share(allocate(MIB, ACL_MEM_MALLOC_HUGE_FIRST), MIB, 0);
	if (!bug)
		CALL(aclrtIpcMemSetImportPid, .key = key, .pid = &pid, .num = 1);
	CALL(aclrtIpcMemClose, .key = key);
}

static void nobody_admitted_to_handle(void)
{
	aclrtPhysicalMemProp prop = {
		.location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}, .memAttr = ACL_HBM_MEM_HUGE};
	aclrtDrvMemHandle h = NULL;
	uint64_t shared = 0;
	int32_t pid = 4711;

	CALL_DOES(aclrtMallocPhysical, 0, h = make_address(), .handle = &h, .size = 2 * MIB, .prop = &prop);
	CALL_DOES(aclrtMemExportToShareableHandle, 0, shared = 77, .handle = h, .shareableHandle = &shared);
	if (!bug)
		CALL(aclrtMemSetPidToShareableHandle, .shareableHandle = shared, .pid = &pid, .pidNum = 1);
	CALL(aclrtFreePhysical, .handle = h);
}

static void import_own_handle(void)
{
	aclrtPhysicalMemProp prop = {
		.location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}, .memAttr = ACL_HBM_MEM_HUGE};
	aclrtDrvMemHandle h = NULL, second = NULL;
	uint64_t shared = 0;

	CALL_DOES(aclrtMallocPhysical, 0, h = make_address(), .handle = &h, .size = 2 * MIB, .prop = &prop);
	CALL_DOES(aclrtMemExportToShareableHandle, 0, shared = 77, .handle = h, .flags = 1,
		.shareableHandle = &shared);
	CALL_DOES(aclrtMemImportFromShareableHandle, 0, second = make_address(),
		.shareableHandle = bug ? shared : shared + 1, .deviceId = 0, .handle = &second);
	CALL(aclrtFreePhysical, .handle = second);
	CALL(aclrtFreePhysical, .handle = h);
}

/* A handle that was released is another process' when its value comes again. */
static void import_released_handle(void)
{
	aclrtPhysicalMemProp prop = {
		.location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}, .memAttr = ACL_HBM_MEM_HUGE};
	aclrtDrvMemHandle h = NULL, second = NULL;
	uint64_t shared = 0;

	CALL_DOES(aclrtMallocPhysical, 0, h = make_address(), .handle = &h, .size = 2 * MIB, .prop = &prop);
	CALL_DOES(aclrtMemExportToShareableHandle, 0, shared = 77, .handle = h, .flags = 1,
		.shareableHandle = &shared);
	if (!bug)
		CALL(aclrtFreePhysical, .handle = h);
	CALL_DOES(aclrtMemImportFromShareableHandle, 0, second = make_address(), .shareableHandle = shared,
		.deviceId = 0, .handle = &second);
	CALL(aclrtFreePhysical, .handle = second);
	if (bug)
		CALL(aclrtFreePhysical, .handle = h);
}

/* --- the second form of handles: by address, and of other kinds --------------------------- */

#define FABRIC ACL_MEM_SHARE_HANDLE_TYPE_FABRIC

static aclrtDrvMemHandle make_physical(void)
{
	aclrtPhysicalMemProp prop = {
		.location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}, .memAttr = ACL_HBM_MEM_HUGE};
	aclrtDrvMemHandle h = NULL;

	CALL_DOES(aclrtMallocPhysical, 0, h = make_address(), .handle = &h, .size = 2 * MIB, .prop = &prop);
	return h;
}

static void export_v2(aclrtDrvMemHandle h, uint64_t flags, aclrtMemSharedHandleType type, uint64_t *words)
{
	CALL_DOES(aclrtMemExportToShareableHandleV2, 0, words[type == FABRIC ? 15 : 0] = 77, .handle = h,
		.flags = flags, .shareType = type, .shareableHandle = words);
}

static aclrtDrvMemHandle import_v2(aclrtMemSharedHandleType type, uint64_t *words)
{
	aclrtDrvMemHandle h = NULL;

	CALL_DOES(aclrtMemImportFromShareableHandleV2, 0, h = make_address(), .shareableHandle = words,
		.shareType = type, .handle = &h);
	return h;
}

static void import_own_v2(aclrtMemSharedHandleType type)
{
	uint64_t own[16] = {0}, other[16];
	aclrtDrvMemHandle h = make_physical();

	export_v2(h, 1, type, own);
	memcpy(other, own, sizeof(other));
	other[type == FABRIC ? 15 : 0]++;
	CALL(aclrtFreePhysical, .handle = import_v2(type, bug ? own : other));
	CALL(aclrtFreePhysical, .handle = h);
}

static void import_own_number(void)
{
	import_own_v2(ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT);
}

static void import_own_fabric(void)
{
	import_own_v2(FABRIC);
}

/* A number is the same in both forms. */
static void import_own_by_the_other_form(void)
{
	aclrtDrvMemHandle h = make_physical();
	uint64_t shared = 0;

	CALL_DOES(aclrtMemExportToShareableHandle, 0, shared = 77, .handle = h, .flags = 1,
		.shareableHandle = &shared);
	shared += !bug;
	CALL(aclrtFreePhysical, .handle = import_v2(ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, &shared));
	CALL(aclrtFreePhysical, .handle = h);
}

static void nobody_admitted_v2(aclrtMemSharedHandleType type)
{
	uint64_t words[16] = {0}, other[16];
	aclrtDrvMemHandle h = make_physical(), second = make_physical();
	int32_t pid = 4711;

	export_v2(h, 0, type, words);
	memcpy(other, words, sizeof(other));
	other[type == FABRIC ? 15 : 0]++;
	CALL(aclrtMemSetPidToShareableHandleV2, .shareableHandle = bug ? other : words, .shareType = type,
		.pid = &pid, .pidNum = 1);
	CALL(aclrtFreePhysical, .handle = h);
	CALL(aclrtFreePhysical, .handle = second);
}

static void nobody_admitted_to_number(void)
{
	nobody_admitted_v2(ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT);
}

static void nobody_admitted_to_fabric(void)
{
	nobody_admitted_v2(FABRIC);
}

/* Imported, it is this process' own to free, once. */
static void freed_import_twice(void)
{
	uint64_t words[16] = {pair_shareable()};
	aclrtDrvMemHandle h = import_v2(ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, words);

	CALL(aclrtFreePhysical, .handle = h);
	if (bug)
		CALL_FAILS(107000, aclrtFreePhysical, .handle = h);
}

static void share_part_of_gigabytes(void)
{
	char *p = allocate((size_t)2 << 30, bug ? ACL_MEM_MALLOC_HUGE1G_ONLY : ACL_MEM_MALLOC_HUGE_ONLY);

	share_refused(p + 2 * MIB, 2 * MIB);
}

static void key_left(void)
{
	void *p = allocate(MIB, ACL_MEM_MALLOC_HUGE_FIRST);

	share(p, MIB, OPEN_TO_ALL);
	if (!bug) {
		CALL(aclrtIpcMemClose, .key = key);
		CALL(aclrtFree, .devPtr = p);
	}
	finish();
}

/* One close ends one import. */
static void import_left(void)
{
	import(0);
	import(0);
	CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
	if (!bug)
		CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
	finish();
}

/* --- imports ----------------------------------------------------------------------------- */

static void used_after_close(void)
{
	char *p = import(PEERS), *d = make_device_memory(MIB);

	if (bug)
		CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
	CALL(aclrtMemcpyAsync, .dst = d, .destMax = 64, .src = p + 64, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_DEVICE);
	CALL(aclrtSynchronizeStream, .stream = NULL);
	if (!bug)
		CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
}

/* A task that uses it comes behind the close, although it was submitted before. */
static void closed_in_flight(void)
{
	char *p = import(PEERS), *d = make_device_memory(MIB);
	aclrtStream s = make_stream(), other = make_stream();

	CALL(aclrtMemcpyAsync, .dst = d, .destMax = 64, .src = p + 64, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_DEVICE, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = bug ? other : s);
	CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* Each time the model runs it copies out of the import. */
static void closed_with_a_model(void)
{
	char *p = import(PEERS), *d = make_device_memory(MIB);
	aclrtStream s = make_stream();
	aclmdlRI m;

	capture_begin(s);
	CALL(aclrtMemcpyAsync, .dst = d, .destMax = 64, .src = p + 64, .count = 64,
		.kind = ACL_MEMCPY_DEVICE_TO_DEVICE, .stream = s);
	m = capture_end(s);
	if (!bug)
		CALL(aclmdlRIDestroy, .modelRI = m);
	CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
	if (bug)
		CALL(aclmdlRIDestroy, .modelRI = m);
}

static void closed_while_it_is_set(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	aclrtEvent e = make_event();
	char *p = import(PEERS);

	CALL(aclrtMemsetAsync, .devPtr = p, .maxCount = 64, .count = 64, .stream = other);
	CALL(aclrtMemsetAsync, .devPtr = p + 64, .maxCount = 64, .count = 64, .stream = s);
	CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = other);
	if (!bug)
		CALL(aclrtSynchronizeEvent, .event = e);
	CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* The address was given out again. */
/* How large an import is nothing says, but what was copied out of it shows it. */
static void end_used_after_close(void)
{
	char *p = import(PEERS), *d = make_device_memory(MIB);

	CALL(aclrtMemcpy, .dst = d, .destMax = MIB, .src = p, .count = MIB,
		.kind = ACL_MEMCPY_DEVICE_TO_DEVICE);
	if (bug)
		CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
	CALL(aclrtMemset, .devPtr = p + MIB - 64, .maxCount = 64, .count = 64);
	if (!bug)
		CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
}

static void answered_end_used_after_close(void)
{
	char *p = import(PEERS), *base = NULL;
	size_t size = 0;

	CALL_DOES(aclrtMemGetAddressRange, 0, (base = p, size = MIB), .ptr = p, .pbase = (void **)&base,
		.psize = &size);
	if (bug)
		CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
	CALL(aclrtMemset, .devPtr = p + MIB - 64, .maxCount = 64, .count = 64);
	if (!bug)
		CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
}

static void prefetched_after_close(void)
{
	aclrtStream s = make_stream();
	char *p = import(PEERS);

	if (bug)
		CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
	CALL(aclrtCmoAsync, .src = p, .size = 64, .cmoType = ACL_RT_CMO_TYPE_PREFETCH, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
	if (!bug)
		CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
}

static void set_after_close(void)
{
	void *p = import(PEERS);

	CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
	if (!bug)
		CALL_DOES(aclrtIpcMemImportByKey, 0, (void)0, .devPtr = &p, .key = pair_memory_key(0),
			.flags = PEERS);
	CALL(aclrtMemset, .devPtr = p, .maxCount = 64, .count = 64);
}

static void freed_import(void)
{
	void *p = import(PEERS);

	if (bug)
		CALL(aclrtFree, .devPtr = p);
	CALL(aclrtMemset, .devPtr = p, .maxCount = 64, .count = 64);
	CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
}

static void freed_after_close(void)
{
	void *p = import(PEERS);

	CALL(aclrtMemset, .devPtr = p, .maxCount = 64, .count = 64);
	CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
	if (bug)
		CALL_FAILS(107000, aclrtFree, .devPtr = p);
}

/* The exporter says how its memory is shared, before it hands the key on. */
static void attribute_after_import(void)
{
	char own[65] = "";

	import(PEERS);
	CALL_DOES(aclrtIpcMemGetExportKey, 0, strcpy(own, "key of this process"),
		.devPtr = make_device_memory(4096), .size = 4096, .key = own, .len = 65);
	CALL(aclrtIpcMemSetAttr, .key = bug ? pair_memory_key(1) : own,
		.type = ACL_RT_IPC_MEM_ATTR_ACCESS_LINK);
	CALL(aclrtIpcMemClose, .key = own);
	CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
}

static void tell_where(void *p, uint32_t device)
{
	aclrtPtrAttributes where = {0};

	CALL_DOES(aclrtPointerGetAttributes, 0,
		where.location = ((aclrtMemLocation){.id = device, .type = ACL_MEM_LOCATION_TYPE_DEVICE}),
		.ptr = p, .attributes = &where);
}

static void copied_to_host(void)
{
	void *p = import_of(bug ? 1 : 0, PEERS), *h = make_host_memory(4096);

	tell_where(p, bug ? 1 : 0);
	CALL(aclrtMemcpy, .dst = h, .destMax = 64, .src = p, .count = 64, .kind = ACL_MEMCPY_DEVICE_TO_HOST);
}

static void copied_by_default(void)
{
	void *p = import(PEERS), *d = make_device_memory(4096);

	CALL(aclrtMemset, .devPtr = d, .maxCount = 4096, .count = 4096);
	CALL(aclrtMemcpyAsync, .dst = p, .destMax = 64, .src = d, .count = 64,
		.kind = bug ? ACL_MEMCPY_DEFAULT : ACL_MEMCPY_DEVICE_TO_DEVICE);
}

static void copied_within(void)
{
	char *p = import(PEERS);

	tell_where(p, 1);
	if (bug)
		CALL(aclrtMemcpy, .dst = p + 128, .destMax = 64, .src = p, .count = 64,
			.kind = ACL_MEMCPY_DEVICE_TO_DEVICE);
	else
		CALL(aclrtMemcpyAsync, .dst = p + 128, .destMax = 64, .src = p, .count = 64,
			.kind = ACL_MEMCPY_DEVICE_TO_DEVICE);
}

static void used_without_peers(void)
{
	void *p = import(0);
	int32_t can = 0;

	if (!bug) {
		CALL_DOES(aclrtDeviceCanAccessPeer, 0, can = 1, .canAccessPeer = &can, .peerDeviceId = 1);
		CALL(aclrtDeviceEnablePeerAccess, .peerDeviceId = 1);
	}
	CALL(aclrtMemset, .devPtr = p, .maxCount = 64, .count = 64);
}

/* --- with what other processes do ----------------------------------------------------------- */

static void closed_while_imported(void)
{
	void *p = allocate(4 * MIB, ACL_MEM_MALLOC_NORMAL_ONLY);

	share(p, 4 * MIB, OPEN_TO_ALL);
	pair_peer(CHECKS_PEER_IMPORTED, key);
	if (!bug)
		pair_peer(CHECKS_PEER_CLOSED, key);
	CALL(aclrtIpcMemClose, .key = key);
	pair_peer(CHECKS_PEER_CLOSED, key);
	CALL(aclrtFree, .devPtr = p);
}

/* The second import is closed, too. */
static void closed_once(void)
{
	void *p = allocate(4 * MIB, ACL_MEM_MALLOC_NORMAL_ONLY);

	share(p, 4 * MIB, OPEN_TO_ALL);
	pair_peer(CHECKS_PEER_IMPORTED, key);
	pair_peer(CHECKS_PEER_IMPORTED, key);
	pair_peer(CHECKS_PEER_CLOSED, key);
	if (!bug)
		pair_peer(CHECKS_PEER_CLOSED, key);
	CALL(aclrtIpcMemClose, .key = key);
	pair_peer(CHECKS_PEER_CLOSED, key);
	CALL(aclrtFree, .devPtr = p);
}

static void freed_while_imported(void)
{
	void *p = allocate(4 * MIB, ACL_MEM_MALLOC_NORMAL_ONLY);

	share(p, 4 * MIB, OPEN_TO_ALL);
	pair_peer(CHECKS_PEER_IMPORTED, key);
	if (!bug)
		pair_peer(CHECKS_PEER_CLOSED, key);
	CALL(aclrtIpcMemClose, .key = key);
	CALL(aclrtFree, .devPtr = p);
}

static void used_after_owner_freed(void)
{
	void *p = import(PEERS);

	if (bug)
		pair_peer(CHECKS_PEER_FREED, pair_memory_key(1));
	CALL(aclrtMemset, .devPtr = p, .maxCount = 64, .count = 64);
	if (!bug)
		pair_peer(CHECKS_PEER_FREED, pair_memory_key(1));
	CALL(aclrtIpcMemClose, .key = pair_memory_key(1));
}

static void imported_unknown(void)
{
	void *p = NULL;

	if (bug)
		pair_peer(CHECKS_PEER_UNKNOWN_KEY, "no key");
	else
		pair_peer(CHECKS_PEER_FREED, "no key");
	CALL_FAILS(107000, aclrtIpcMemImportByKey, .devPtr = &p, .key = "no key", .flags = PEERS);
}

static const struct pair pairs[] = {
	PAIR("ipc-exporter-closed-first", closed_while_imported),
	PAIR("ipc-exporter-closed-first", closed_once),
	PAIR("ipc-free-while-exported", freed_while_imported),
	PAIR("ipc-use-after-close", used_after_owner_freed),
	PAIR("ipc-import-unknown-key", imported_unknown),
	PAIR("ipc-export-range", share_an_import),
	PAIR("ipc-export-page-alignment", share_part),
	PAIR("ipc-export-page-alignment", share_part_of_huge),
	PAIR("ipc-export-page-alignment", share_all_of_huge),
	PAIR("ipc-export-page-alignment", share_part_of_gigabytes),
	PAIR("ipc-export-page-alignment", share_odd_size),
	PAIR_WITH("ipc-export-p2p-policy", share_without_p2p, .soc = "Ascend310P3"),
	PAIR("share-whitelist-missing", nobody_admitted),
	PAIR("share-whitelist-missing", nobody_admitted_to_handle),
	PAIR("vmm-import-same-process", import_own_handle),
	PAIR("vmm-import-same-process", import_released_handle),
	PAIR("vmm-import-same-process", import_own_number),
	PAIR("vmm-import-same-process", import_own_fabric),
	PAIR("vmm-import-same-process", import_own_by_the_other_form),
	PAIR("share-whitelist-missing", nobody_admitted_to_number),
	PAIR("share-whitelist-missing", nobody_admitted_to_fabric),
	PAIR("vmm-handle-misuse", freed_import_twice),
	PAIR_ALSO("leak-ipc-key", key_left, "leak-device-memory"),
	PAIR("leak-ipc-key", import_left),
	PAIR("ipc-use-after-close", used_after_close),
	PAIR("ipc-use-after-close", closed_in_flight),
	PAIR("capture-resource-freed-before-destroy", closed_with_a_model),
	PAIR("ipc-use-after-close", closed_while_it_is_set),
	PAIR("ipc-use-after-close", end_used_after_close),
	PAIR("ipc-use-after-close", answered_end_used_after_close),
	PAIR("ipc-use-after-close", prefetched_after_close),
	PAIR("ipc-use-after-close", set_after_close),
	PAIR("ipc-use-after-close", freed_import),
	PAIR("ipc-use-after-close", freed_after_close),
	PAIR_WITH("ipc-set-attr-order", attribute_after_import, .soc = "Ascend910_9391"),
	PAIR("ipc-imported-copy-direction", copied_to_host),
	PAIR("ipc-imported-copy-direction", copied_by_default),
	PAIR("ipc-imported-copy-direction", copied_within),
	PAIR("ipc-import-no-peer", used_without_peers),
};

PAIRS_MAIN("memory shared between processes", pairs)
