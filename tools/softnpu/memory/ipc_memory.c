/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory shared with other processes by a key. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/softnpu/core/ipc.h"
#include "tools/softnpu/core/page_size.h"
#include "tools/softnpu/memory/memory.h"

/* A key in use here: exported by us, or an import of it. */
struct ipc_memory {
	struct list link;
	char key[IPC_KEY_SIZE];
	struct shared *shared; /* what others find: the words below, and who may */
	const struct block *block; /* of an export; NULL: freed since, or an import */
	char *addr; /* of an import; NULL: exported */
	char *shadow;
	size_t size;
	int device; /* that it was imported on */
	unsigned times; /* and how often, which is how often it is closed */
};

enum { MEMORY_FD, MEMORY_OFFSET, MEMORY_SIZE, MEMORY_GONE }; /* words */

static struct list keys = {&keys, &keys};

void ipc_memory_forget(void)
{
	npu_keep(keys.next);
	list_init(&keys);
}

/* Shared memory ends with its allocation, also where the key is not closed. */
void ipc_memory_freed(const struct block *b)
{
	struct ipc_memory *m;

	list_for_each(m, &keys, link)
	{
		if (m->block != b)
			continue;
		shared_word(m->shared)[MEMORY_GONE] = 1;
		m->block = NULL;
	}
}

/* Shared memory is whole pages of one allocation. */
static bool whole_pages(const struct block *b, const char *addr, size_t size)
{
	size_t page = page_bytes(b->page_type), from = (size_t)(addr - b->addr);

	return from % page == 0 && size <= ALIGN_UP(b->size - from, page);
}

static struct ipc_memory *export_new(const struct block *b, const char *addr, size_t size)
{
	struct ipc_memory *m = calloc(1, sizeof(*m));
	uint64_t *words;

	if (!m)
		return NULL;
	m->shared = shared_word_new(SHARED_MEMORY, b->device);
	if (!m->shared) {
		free(m);
		return NULL;
	}
	words = shared_word(m->shared);
	words[MEMORY_FD] = (uint64_t)b->arena->fd;
	words[MEMORY_OFFSET] = (uint64_t)(addr - b->arena->addr);
	words[MEMORY_SIZE] = size;
	m->block = b;
	shared_word_key(m->shared, m->key, sizeof(m->key));
	list_add_tail(&keys, &m->link);
	return m;
}

/* A new key each time, also of the same range. */
static aclError export_key(const char *addr, size_t size, char *key, uint64_t flags)
{
	const struct block *b = block_find(addr);
	struct ipc_memory *m;
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	if (!b || b->kind != BLOCK_DEVICE || !whole_pages(b, addr, size))
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
			"%p..+%zu is not whole pages of one device allocation", (const void *)addr, size);
	m = export_new(b, addr, size);
	if (!m)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a key");
	if (flags & ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION)
		shared_let_all(m->shared);
	memcpy(key, m->key, sizeof(m->key));
	return ACL_SUCCESS;
}

aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size, char *key, size_t len, uint64_t flags)
{
	if (!size || (uint32_t)len < IPC_KEY_SIZE ||
		flags > ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION)
		return npu_err(
			ACL_ERROR_RT_PARAM_INVALID, "size 0, len below %u, or unknown flags", IPC_KEY_SIZE);
	return LOCKED(export_key(devPtr, size, key, flags));
}

/* Both views of the exporter's memory; what is shared may begin inside a page of the host. */
static bool map_views(struct ipc_memory *m)
{
	const uint64_t *words = shared_word(m->shared);
	struct shared_key memory = {.pid = shared_pid(m->shared), .fd = (int)words[MEMORY_FD]};
	size_t inside = words[MEMORY_OFFSET] % page_size(),
	       size = ALIGN_UP(inside + words[MEMORY_SIZE], page_size());
	off_t from = (off_t)(words[MEMORY_OFFSET] - inside);
	int prot = CFG(strict) ? PROT_NONE : PROT_READ | PROT_WRITE, fd = shared_key_open(&memory);
	char *addr, *shadow;

	if (fd < 0)
		return false;
	addr = mmap(NULL, size, prot, MAP_SHARED, fd, from);
	shadow = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, from);
	close(fd);
	if (addr != MAP_FAILED && shadow != MAP_FAILED) {
		m->size = words[MEMORY_SIZE];
		m->addr = addr + inside;
		m->shadow = shadow + inside;
		return true;
	}
	if (addr != MAP_FAILED)
		munmap(addr, size);
	if (shadow != MAP_FAILED)
		munmap(shadow, size);
	return false;
}

static void unmap_views(const struct ipc_memory *m)
{
	size_t inside = (uintptr_t)m->addr % page_size(), size = ALIGN_UP(inside + m->size, page_size());

	munmap(m->addr - inside, size);
	munmap(m->shadow - inside, size);
}

static void import_drop(struct ipc_memory *m)
{
	if (m->addr)
		unmap_views(m);
	shared_word_close(m->shared);
	free(m);
}

/* NULL: no such key, its memory is gone, or it is not for this process. */
static struct ipc_memory *import_new(const char *key)
{
	struct ipc_memory *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->shared = shared_word_open(SHARED_MEMORY, key);
	if (m->shared && !shared_word(m->shared)[MEMORY_GONE] && shared_lets(m->shared, getpid()) &&
		map_views(m)) {
		snprintf(m->key, sizeof(m->key), "%s", key);
		return m;
	}
	if (m->shared)
		shared_word_close(m->shared);
	free(m);
	return NULL;
}

static aclError import_first(void **out, const char *key, const struct device *dev)
{
	struct ipc_memory *m = import_new(key);
	struct block *b;

	if (!m)
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
			"no process has exported this key, or not for this one");
	b = calloc(1, sizeof(*b));
	if (b)
		*b = (struct block){.addr = m->addr,
			.size = m->size,
			.requested = m->size,
			.kind = BLOCK_IMPORTED,
			.device = shared_device(m->shared),
			.shadow = m->shadow};
	if (!b || !block_insert(b)) {
		free(b);
		import_drop(m);
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for an import");
	}
	m->device = dev->id;
	m->times = 1;
	list_add_tail(&keys, &m->link);
	*out = m->addr;
	return ACL_SUCCESS;
}

static struct ipc_memory *key_find(const char *key, bool imported)
{
	struct ipc_memory *m;

	list_for_each(m, &keys,
		link) if ((m->addr != NULL) == imported && !strncmp(m->key, key, IPC_KEY_SIZE)) return m;
	return NULL;
}

/* On one device of a process; again is the same memory. */
static aclError import_key(void **out, const char *key, uint64_t flags)
{
	struct ipc_memory *m = key_find(key, true);
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (!rc && m && m->device != ctx->dev->id)
		rc = npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "the key was imported on device %d", m->device);
	if (!rc && !m)
		rc = import_first(out, key, ctx->dev);
	if (rc)
		return rc;
	if (m) {
		m->times++;
		*out = m->addr;
	} else
		m = key_find(key, true);
	if (flags & ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS)
		peers_connect(shared_device(m->shared), ctx->dev->id);
	return ACL_SUCCESS;
}

aclError aclrtIpcMemImportByKey(void **devPtr, const char *key, uint64_t flags)
{
	return LOCKED(import_key(devPtr, key, flags));
}

/* Imports come before what is exported. */
static struct ipc_memory *ipc_find(const char *key)
{
	struct ipc_memory *m = key_find(key, true);

	return m ? m : key_find(key, false);
}

static aclError known_key(const char *key)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (!rc && !ipc_find(key))
		rc = npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "the key is not in use here");
	return rc;
}

static aclError close_key(const char *key)
{
	struct ipc_memory *m = ipc_find(key);
	struct block *b;
	aclError rc = known_key(key);

	if (rc)
		return rc;
	if (m->addr && --m->times)
		return ACL_SUCCESS;
	/* Also when the program has freed it. */
	b = m->addr ? block_at(m->addr) : NULL;
	if (b)
		memory_delete(b);
	list_del(&m->link);
	import_drop(m);
	return ACL_SUCCESS;
}

aclError aclrtIpcMemClose(const char *key)
{
	return LOCKED(close_key(key));
}

#define PIDS_PER_CALL 31u

/* By the process that exports; it is never of its own list. */
static aclError key_let(const char *key, const int32_t *pid, size_t num)
{
	struct ipc_memory *m = key_find(key, false);
	bool any = false;
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	if (num > PIDS_PER_CALL)
		return npu_err(
			ACL_ERROR_RT_PARAM_INVALID, "%zu processes are more than %u", num, PIDS_PER_CALL);
	if (!m)
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "the key was not exported here");
	if (shared_lets_all(m->shared))
		return npu_err(ACL_ERROR_RT_NO_PERMISSION, "the key was exported for every process");
	for (size_t i = 0; i < num; i++) {
		if (!pid[i] || pid[i] == getpid())
			continue;
		shared_let(m->shared, pid[i]);
		any = true;
	}
	return any ? ACL_SUCCESS
		   : npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "no other process is in the list");
}

aclError aclrtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num)
{
	return LOCKED(key_let(key, pid, (uint32_t)num));
}

/* Of the products whose devices share one space of addresses. */
static aclError set_attribute(const char *key)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (!rc && !npu_soc("Ascend910_93"))
		rc = npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s has no choice of links", CFG_STR(soc));
	return rc ? rc : known_key(key);
}

aclError aclrtIpcMemSetAttr(const char *key, aclrtIpcMemAttrType type, uint64_t attr)
{
	return LOCKED(set_attribute(key));
}
