/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory shared with other processes by a key. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/softnpu/core/ipc.h"
#include "tools/softnpu/core/page_size.h"
#include "tools/softnpu/memory/memory.h"

/* A key in use here: exported by us, or one import of it. */
struct ipc_memory {
	struct list link;
	char key[IPC_KEY_SIZE];
	char *addr; /* of an import; NULL: exported */
	char *shadow;
	int fd; /* of the memory: what others open */
	size_t size;
	const char *from; /* of what is exported: the same range gets the same key again, */
	unsigned times; /* and is closed as often */
};

static struct list keys = {&keys, &keys};

void ipc_memory_forget(void)
{
	npu_keep(keys.next);
	list_init(&keys);
}

static struct ipc_memory *key_new(const char *key)
{
	struct ipc_memory *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	snprintf(m->key, sizeof(m->key), "%s", key);
	list_add_tail(&keys, &m->link);
	return m;
}

static struct ipc_memory *exported(const char *addr, size_t size)
{
	struct ipc_memory *m;

	list_for_each(m, &keys, link) if (m->from == addr && m->size == size) return m;
	return NULL;
}

static struct ipc_memory *export_new(const struct block *b, const char *addr, size_t size)
{
	int own =
		fcntl(b->arena->fd, F_DUPFD_CLOEXEC, 0); /* closed with the key; without one it stays good */
	struct shared_key k = {.kind = SHARED_MEMORY,
		.pid = getpid(),
		.fd = own < 0 ? b->arena->fd : own,
		.device = b->device,
		.offset = (uint64_t)(addr - b->arena->addr),
		.size = size};
	char key[IPC_KEY_SIZE];
	struct ipc_memory *m;

	shared_key_print(&k, key, sizeof(key));
	m = key_new(key);
	if (!m) {
		close(own);
		return NULL;
	}
	m->fd = own;
	m->from = addr;
	m->size = size;
	return m;
}

static aclError export_key(char *addr, size_t size, char *key)
{
	const struct block *b = block_find(addr);
	struct ipc_memory *m;
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	if (!b || b->kind != BLOCK_DEVICE || size > b->size - (size_t)(addr - b->addr))
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "%p..+%zu is not in one device allocation",
			(void *)addr, size);
	m = exported(addr, size);
	if (!m)
		m = export_new(b, addr, size);
	if (!m)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a key");
	m->times++;
	memcpy(key, m->key, sizeof(m->key));
	return ACL_SUCCESS;
}

aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size, char *key, size_t len, uint64_t flags)
{
	if (!size || (uint32_t)len < IPC_KEY_SIZE ||
		flags > ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION)
		return npu_err(
			ACL_ERROR_RT_PARAM_INVALID, "size 0, len below %u, or unknown flags", IPC_KEY_SIZE);
	return LOCKED(export_key(devPtr, size, key));
}

/* Both views of the exporter's memory; the key's offset may lie inside a page. */
static bool map_views(struct ipc_memory *m, const struct shared_key *k)
{
	size_t inside = k->offset % page_size(), size = ALIGN_UP(inside + k->size, page_size());
	off_t from = (off_t)(k->offset - inside);
	int prot = CFG(strict) ? PROT_NONE : PROT_READ | PROT_WRITE;
	char *addr, *shadow;

	m->fd = shared_key_open(k);
	if (m->fd < 0)
		return false;
	addr = mmap(NULL, size, prot, MAP_SHARED, m->fd, from);
	shadow = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, from);
	if (addr != MAP_FAILED && shadow != MAP_FAILED) {
		m->size = k->size;
		m->addr = addr + inside;
		m->shadow = shadow + inside;
		return true;
	}
	if (addr != MAP_FAILED)
		munmap(addr, size);
	if (shadow != MAP_FAILED)
		munmap(shadow, size);
	close(m->fd);
	return false;
}

static void unmap_views(const struct ipc_memory *m)
{
	size_t inside = (uintptr_t)m->addr % page_size(), size = ALIGN_UP(inside + m->size, page_size());

	munmap(m->addr - inside, size);
	munmap(m->shadow - inside, size);
}

static aclError import_fails(struct ipc_memory *m, struct block *b)
{
	unmap_views(m);
	close(m->fd);
	list_del(&m->link);
	free(m);
	free(b);
	return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for an import");
}

static aclError import_key(void **out, const char *key, uint64_t flags)
{
	struct ipc_memory *m;
	struct shared_key k;
	struct context *ctx;
	struct block *b;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	m = shared_key_parse(key, SHARED_MEMORY, &k) ? key_new(key) : NULL;
	b = m ? calloc(1, sizeof(*b)) : NULL;
	if (!b || !map_views(m, &k)) {
		if (m)
			list_del(&m->link);
		free(m);
		free(b);
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "no process has exported this key");
	}
	*b = (struct block){.addr = m->addr,
		.size = k.size,
		.requested = k.size,
		.kind = BLOCK_IMPORTED,
		.device = k.device,
		.shadow = m->shadow};
	if (!block_insert(b))
		return import_fails(m, b);
	if (flags & ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS)
		peers_connect(k.device, ctx->dev->id);
	*out = m->addr;
	return ACL_SUCCESS;
}

aclError aclrtIpcMemImportByKey(void **devPtr, const char *key, uint64_t flags)
{
	return LOCKED(import_key(devPtr, key, flags));
}

/* Imports come before what is exported. */
static struct ipc_memory *ipc_find(const char *key)
{
	struct ipc_memory *m, *ours = NULL;

	list_for_each(m, &keys, link)
	{
		if (strncmp(m->key, key, IPC_KEY_SIZE))
			continue;
		if (m->addr)
			return m;
		ours = m;
	}
	return ours;
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
	if (!m->addr && --m->times)
		return ACL_SUCCESS;
	/* Also when the program has freed it. */
	b = m->addr ? block_at(m->addr) : NULL;
	if (b)
		memory_delete(b);
	if (m->addr)
		unmap_views(m);
	close(m->fd);
	list_del(&m->link);
	free(m);
	return ACL_SUCCESS;
}

aclError aclrtIpcMemClose(const char *key)
{
	return LOCKED(close_key(key));
}

/* Keys are open to the processes of this user. */
aclError aclrtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num)
{
	return LOCKED(known_key(key));
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
