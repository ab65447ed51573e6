/* SPDX-License-Identifier: Apache-2.0 */
/* Physical memory shared with other processes by a handle. */
#include <string.h>
#include <unistd.h>

#include "tools/softnpu/memory/physical.h"

static struct list imports = {&imports, &imports};

/* The 64-bit form of a key: process, descriptor and which file it is of. */
#define PID_BITS 22u /* no kernel has more */
#define FD_BITS 20u
#define FILE_BITS 22u

_Static_assert(
	SHARED_FILES == (1u << FILE_BITS) - 1 && PID_BITS + FD_BITS + FILE_BITS == 64, "parts of a key");

static bool key_has_number(const struct shared *s)
{
	return (unsigned)shared_key_of(s).fd >> FD_BITS == 0;
}

static uint64_t key_number(const struct shared *s)
{
	struct shared_key k = shared_key_of(s);

	return (uint64_t)k.pid << (FD_BITS + FILE_BITS) | (uint64_t)k.fd << FILE_BITS | k.file;
}

static struct shared *key_open(uint64_t key)
{
	struct shared_key k = {.kind = SHARED_PHYSICAL,
		.pid = (int)(key >> (FD_BITS + FILE_BITS)),
		.fd = (int)(key >> FILE_BITS & ((1u << FD_BITS) - 1)),
		.file = (uint32_t)key & SHARED_FILES};

	/* There is no file of number 0: without one any descriptor would do. */
	return k.file ? shared_open(&k) : NULL;
}

static bool share(struct physical *p)
{
	uint64_t *words;

	p->shared = shared_word_new(SHARED_PHYSICAL, (int)p->prop.location.id);
	if (p->shared && !key_has_number(p->shared)) {
		shared_word_close(p->shared);
		p->shared = NULL;
	}
	if (!p->shared)
		return false;
	words = shared_word(p->shared);
	words[MEMORY_FD] = (uint64_t)p->fd;
	words[MEMORY_OFFSET] = p->offset;
	words[MEMORY_SIZE] = p->size;
	words[MEMORY_DEVICE] = p->prop.location.id;
	return true;
}

/* Memory of the host is reached over the fabric, not by a handle of one server. */
static aclError export_handle(
	aclrtDrvMemHandle handle, aclrtMemSharedHandleType type, uint64_t flags, uint64_t *out)
{
	struct physical *p;
	aclError rc = physical_find(handle, &p);

	if (rc)
		return rc;
	if (p->shared || (p->prop.location.type != ACL_MEM_LOCATION_TYPE_DEVICE &&
				 type != ACL_MEM_SHARE_HANDLE_TYPE_FABRIC))
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "exported before, imported, or host memory");
	if (!share(p))
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "cannot share the memory");
	if (flags & ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION)
		shared_let_all(p->shared);
	*out = key_number(p->shared);
	return ACL_SUCCESS;
}

aclError aclrtMemExportToShareableHandle(
	aclrtDrvMemHandle handle, aclrtMemHandleType handleType, uint64_t flags, uint64_t *shareableHandle)
{
	return LOCKED(export_handle(handle, ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, flags, shareableHandle));
}

static struct physical *import_find(uint64_t key, int device)
{
	struct physical *p;

	list_for_each(p, &imports, link) if (p->key == key && p->importer == device && p->obj.alive) return p;
	return NULL;
}

static struct physical *import_new(struct shared *s, uint64_t key, int device)
{
	const uint64_t *words = shared_word(s);
	aclrtPhysicalMemProp prop = {.memAttr = ACL_HBM_MEM_HUGE,
		.location = {.id = (uint32_t)device, .type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	struct shared_key memory = {.pid = shared_pid(s), .fd = (int)words[MEMORY_FD]};
	int fd = shared_key_open(&memory);
	struct physical *p = fd < 0 ? NULL : physical_new(&prop, words[MEMORY_SIZE]);

	if (!p) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	p->fd = fd;
	p->offset = words[MEMORY_OFFSET];
	p->shared = s;
	p->key = key;
	p->importer = device;
	__atomic_add_fetch(shared_word(s) + MEMORY_USERS, 1, __ATOMIC_SEQ_CST);
	list_add_tail(&imports, &p->link);
	return p;
}

/* Not where the memory is, in the process that has it; and by those that were let. */
static bool can_import(struct shared *s, int device)
{
	bool here = shared_pid(s) == getpid() && (int)shared_word(s)[MEMORY_DEVICE] == device;

	return !here && shared_lets(s, getpid());
}

static aclError import_handle(uint64_t key, int device, aclrtDrvMemHandle *out)
{
	struct shared *s = key_open(key);
	struct physical *p = import_find(key, device);

	if (!s)
		return npu_err(ACL_ERROR_RT_INVALID_HANDLE, "no process has exported this handle");
	peers_connect((int)shared_word(s)[MEMORY_DEVICE], device);
	if (p)
		p->handles++;
	else if (can_import(s, device))
		p = import_new(s, key, device);
	if (!p || p->shared != s)
		shared_word_close(s);
	if (!p)
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
			"the memory is this process's own, on this device, or not for this process");
	*out = object_handle(&p->obj);
	return ACL_SUCCESS;
}

aclError aclrtMemImportFromShareableHandle(
	uint64_t shareableHandle, int32_t deviceId, aclrtDrvMemHandle *handle)
{
	struct context *ctx;
	aclError rc;

	if (!device_find(deviceId))
		return ACL_ERROR_RT_INVALID_DEVICEID;
	rc = LOCKED(context_need(&ctx));
	return rc ? rc : LOCKED(import_handle(shareableHandle, deviceId, handle));
}

static aclError export_v2(aclrtDrvMemHandle handle, uint64_t flags, aclrtMemSharedHandleType type, void *out)
{
	struct context *ctx;
	uint64_t key;
	aclError rc = type == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC ? context_need(&ctx) : ACL_SUCCESS;

	if (!rc)
		rc = export_handle(handle, type, flags, &key);
	if (rc)
		return rc;
	if (type == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC)
		memset(out, 0, sizeof(aclrtMemFabricHandle));
	memcpy(out, &key, sizeof(key));
	return ACL_SUCCESS;
}

aclError aclrtMemExportToShareableHandleV2(
	aclrtDrvMemHandle handle, uint64_t flags, aclrtMemSharedHandleType shareType, void *shareableHandle)
{
	return LOCKED(export_v2(handle, flags, shareType, shareableHandle));
}

static aclError import_here(const void *shareable, aclrtMemSharedHandleType type, aclrtDrvMemHandle *out)
{
	struct context *ctx;
	uint64_t key;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	if (type != ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT && type != ACL_MEM_SHARE_HANDLE_TYPE_FABRIC)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "unknown type %d", type);
	memcpy(&key, shareable, sizeof(key));
	return import_handle(key, ctx->dev->id, out);
}

aclError aclrtMemImportFromShareableHandleV2(
	void *shareableHandle, aclrtMemSharedHandleType shareType, uint64_t flags, aclrtDrvMemHandle *handle)
{
	return LOCKED(import_here(shareableHandle, shareType, handle));
}

static aclError let_these(struct shared *s, const int32_t *pid, size_t num)
{
	bool any = false;

	if (shared_pid(s) != getpid())
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "another process has exported the handle");
	if (shared_lets_all(s))
		return npu_err(ACL_ERROR_RT_NO_PERMISSION, "the handle was exported for every process");
	for (size_t i = 0; i < num; i++) {
		if (!pid[i])
			continue;
		shared_let(s, pid[i]);
		any = true;
	}
	return any ? ACL_SUCCESS : npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "no process is in the list");
}

static aclError handle_let(uint64_t key, const int32_t *pid, size_t num)
{
	struct shared *s;
	aclError rc;

	if (num > SHARED_PIDS)
		return npu_err(
			ACL_ERROR_RT_PARAM_INVALID, "%zu processes are more than %u", num, SHARED_PIDS);
	s = key_open(key);
	if (!s)
		return npu_err(ACL_ERROR_RT_INVALID_HANDLE, "no process has exported this handle");
	rc = let_these(s, pid, num);
	shared_word_close(s);
	return rc;
}

aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid, size_t pidNum)
{
	return LOCKED(handle_let(shareableHandle, pid, pidNum));
}

aclError aclrtMemSetPidToShareableHandleV2(
	void *shareableHandle, aclrtMemSharedHandleType shareType, int32_t *pid, size_t pidNum)
{
	uint64_t key;

	memcpy(&key, shareableHandle, sizeof(key));
	return LOCKED(handle_let(key, pid, pidNum));
}
