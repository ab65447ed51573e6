/* SPDX-License-Identifier: Apache-2.0 */
/* aclrtMalloc, aclrtMallocHost, aclrtMemAllocManaged, their frees. */
#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/core/ipc.h"
#include "tools/softnpu/memory/memory.h"

#include <stdlib.h>

#include "tools/softnpu/sync/stream.h"

#define PLACE_BYTES 512u
#define HUGE_FROM ((size_t)1 << 20) /* HUGE_FIRST takes huge pages above */

static struct arena pinned, managed;

size_t memory_rounded(size_t size)
{
	return ALIGN_UP(size, 32u);
}

size_t memory_padded(size_t size)
{
	return memory_rounded(size) + 32;
}

struct arena *memory_arena(enum block_kind kind, struct device *dev)
{
	struct arena *a = &dev->memory;
	size_t size = (size_t)npu_memory(dev->id);
	enum location loc = LOC_DEVICE;

	if (kind == BLOCK_PINNED || kind == BLOCK_MANAGED) {
		a = kind == BLOCK_PINNED ? &pinned : &managed;
		loc = kind == BLOCK_PINNED ? LOC_HOST : LOC_MANAGED;
		size = (size_t)CFG(host_memory);
	}
	if (!arena_open(a, size, loc == LOC_DEVICE && !npu_on_device()))
		return NULL;
	place_arena(a, loc, dev->id);
	return a;
}

struct block *memory_new(
	enum block_kind kind, struct device *dev, size_t size, size_t requested, size_t align)
{
	struct arena *a = size >= requested ? memory_arena(kind, dev) : NULL;
	struct block *b = a ? calloc(1, sizeof(*b)) : NULL;

	if (!b)
		return NULL;
	b->extent = arena_alloc(a, size, align);
	if (b->extent) {
		b->arena = a;
		b->addr = a->addr + extent_offset(b->extent);
		b->shadow = a->shadow + extent_offset(b->extent);
		b->size = size;
		b->requested = requested;
		b->kind = kind;
		b->device = dev->id;
		if (block_insert(b))
			return b;
		arena_free(a, b->extent);
	}
	free(b);
	return NULL;
}

void memory_delete(struct block *b)
{
	block_remove(b);
	ipc_memory_freed(b);
	if (b->kind == BLOCK_POOL)
		pool_block_gone(b);
	if (b->kind == BLOCK_MANAGED)
		free(b->owner);
	if (b->extent)
		arena_free(b->arena, b->extent);
	free(b);
}

static void delete_if_on(struct block *b, void *dev)
{
	if (b->kind != BLOCK_RESERVED && b->arena == &((struct device *)dev)->memory)
		memory_delete(b);
}

void memory_release_device(struct device *dev)
{
	blocks_each(delete_if_on, dev);
}

void memory_release_context(struct context *ctx)
{
	kept_drop(&ctx->overflows, ctx->dev);
}

/* After a release of the device something else may lie there. */
char *kept_find(const struct kept_memory *k, const struct device *dev)
{
	return k->releases == dev->releases && block_at(k->addr) ? k->addr : NULL;
}

char *kept_make(struct kept_memory *k, struct device *dev, size_t size)
{
	struct block *b;

	if (kept_find(k, dev))
		return k->addr;
	b = memory_new(BLOCK_DEVICE, dev, memory_rounded(size), size, ARENA_GRAIN);
	*k = (struct kept_memory){b ? b->addr : NULL, dev->releases};
	return k->addr;
}

void kept_drop(struct kept_memory *k, const struct device *dev)
{
	if (kept_find(k, dev))
		memory_delete(block_at(k->addr));
	k->addr = NULL;
}

uint32_t page_bytes(uint32_t page_type)
{
	return page_type == 2 ? 1u << 30 : page_type ? 2u << 20 : 4096;
}

static aclError allocate(void **out, enum block_kind kind, size_t size, size_t requested, uint32_t page_type)
{
	struct context *ctx;
	struct block *b;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	b = memory_new(kind, ctx->dev, size, requested, page_type ? page_bytes(page_type) : ARENA_GRAIN);
	if (!b)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no room for %zu bytes on device %d",
			requested, ctx->dev->id);
	b->page_type = page_type;
	*out = b->addr;
	return ACL_SUCCESS;
}

static uint32_t page_type(aclrtMemMallocPolicy policy, size_t size)
{
	switch ((unsigned)policy & 0xff) {
	case ACL_MEM_MALLOC_HUGE_FIRST:
	case ACL_MEM_MALLOC_HUGE_FIRST_P2P:
		return size > HUGE_FROM;
	case ACL_MEM_MALLOC_HUGE_ONLY:
	case ACL_MEM_MALLOC_HUGE_ONLY_P2P:
		return 1;
	case ACL_MEM_MALLOC_HUGE1G_ONLY:
	case ACL_MEM_MALLOC_HUGE1G_ONLY_P2P:
		return 2;
	default:
		return 0;
	}
}

static aclError device_malloc(void **out, size_t size, size_t rounded, aclrtMemMallocPolicy policy)
{
	return LOCKED(allocate(out, BLOCK_DEVICE, rounded, size, page_type(policy, size)));
}

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
	bool huge_1g = page_type(policy, size) == 2;

	return device_malloc(devPtr, size, huge_1g ? memory_rounded(size) : memory_padded(size), policy);
}

aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
	return device_malloc(devPtr, size, memory_rounded(size), policy);
}

aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
	return device_malloc(devPtr, size, memory_padded(size), policy);
}

static aclError check_config(const aclrtMallocConfig *cfg)
{
	struct context *ctx;
	uint32_t device;
	aclError rc = context_need(&ctx);

	if (rc || !cfg)
		return rc;
	device = (uint32_t)ctx->dev->id;
	for (size_t i = 0; i < cfg->numAttrs; i++) {
		const aclrtMallocAttribute *a = &cfg->attrs[i];

		if ((unsigned)a->attr > ACL_RT_MEM_ATTR_DEVICE_ID)
			return npu_err(
				ACL_ERROR_RT_PARAM_INVALID, "attribute %d is not for device memory", a->attr);
		if (a->attr == ACL_RT_MEM_ATTR_DEVICE_ID)
			device = a->value.deviceId;
	}
	/* Of attributes that are given twice the last one counts. */
	if (device != (uint32_t)ctx->dev->id)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "device %u is not the current one", device);
	return ACL_SUCCESS;
}

aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg)
{
	aclError rc = LOCKED(check_config(cfg));

	return rc ? rc : device_malloc(devPtr, size, memory_rounded(size), policy);
}

aclError aclrtMallocForTaskScheduler(
	void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg)
{
	return aclrtMallocWithCfg(devPtr, size, policy, cfg);
}

/* In run mode ACL_DEVICE the host is the device. */
static aclError host_malloc(void **out, size_t size)
{
	enum block_kind kind = npu_on_device() ? BLOCK_DEVICE : BLOCK_PINNED;

	return LOCKED(allocate(out, kind, memory_rounded(size), size, 0));
}

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
	return host_malloc(hostPtr, size);
}

/* Host memory is of no device: such an attribute is none of its own. */
static bool host_attribute(aclrtMallocAttrType attr)
{
	return attr == ACL_RT_MEM_ATTR_MODULE_ID || attr == ACL_RT_MEM_ATTR_VA_FLAG;
}

aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg)
{
	for (size_t i = 0; cfg && i < cfg->numAttrs; i++)
		if (!host_attribute(cfg->attrs[i].attr))
			return npu_err(ACL_ERROR_RT_PARAM_INVALID, "attribute %d is not for host memory",
				cfg->attrs[i].attr);
	return host_malloc(ptr, size);
}

aclError aclrtMemAllocManaged(void **ptr, uint64_t size, uint32_t flag)
{
	return LOCKED(allocate(ptr, BLOCK_MANAGED, memory_rounded(size), size, 0));
}

/* host: the block must be host memory; otherwise anything allocated will do. */
static aclError check_free(const void *ptr, bool host, struct block **b)
{
	*b = block_at(ptr);
	if (!*b || (*b)->kind == BLOCK_RESERVED)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "%p is not the start of an allocation", ptr);
	if (host && (*b)->kind != BLOCK_PINNED && !npu_on_device())
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "%p is not host memory", ptr);
	return ACL_SUCCESS;
}

static aclError free_block(const void *ptr, bool host)
{
	struct block *b;
	aclError rc = check_free(ptr, host, &b);

	if (!rc)
		memory_delete(b);
	return rc;
}

aclError aclrtFree(void *devPtr)
{
	return LOCKED(free_block(devPtr, false));
}

aclError aclrtFreeHost(void *hostPtr)
{
	return LOCKED(free_block(hostPtr, true));
}

static aclError free_synchronized(void *ptr, bool host)
{
	aclError rc;

	if (!ptr)
		return npu_err(ACL_ERROR_INVALID_PARAM, "the pointer is NULL");
	rc = aclrtSynchronizeDevice();
	return rc ? rc : LOCKED(free_block(ptr, host));
}

aclError aclrtFreeWithDevSync(void *devPtr)
{
	return free_synchronized(devPtr, false);
}

aclError aclrtFreeHostWithDevSync(void *hostPtr)
{
	return free_synchronized(hostPtr, true);
}

/* Nothing writes there. */
static aclError place(struct device *dev, struct kept_memory *where, void **out)
{
	if (!kept_make(where, dev, PLACE_BYTES))
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no room on device %d", dev->id);
	*out = where->addr;
	return ACL_SUCCESS;
}

static aclError place_of_overflows(void **out)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	return rc ? rc : place(ctx->dev, &ctx->overflows, out);
}

aclError aclrtCtxGetFloatOverflowAddr(void **overflowAddr)
{
	return LOCKED(place_of_overflows(overflowAddr));
}

static aclError place_of_cores(void **out)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	return rc ? rc : place(ctx->dev, &ctx->dev->cores_meet, out);
}

aclError aclrtGetHardwareSyncAddr(void **addr)
{
	return LOCKED(place_of_cores(addr));
}

static aclError mem_info(size_t *free_bytes, size_t *total)
{
	struct context *ctx;
	struct arena *a;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	a = memory_arena(BLOCK_DEVICE, ctx->dev);
	if (!a)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "device %d has no memory", ctx->dev->id);
	*free_bytes = a->size - a->used;
	*total = a->size;
	return ACL_SUCCESS;
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total)
{
	if ((unsigned)attr > ACL_MEM_P2P_HUGE1G)
		return npu_answer(MEMORY_INFO_UNKNOWN, "unknown memory attribute %d", attr);
	return LOCKED(mem_info(free, total));
}

/* Nothing is cached here. */
static aclError flush(void)
{
	struct context *ctx;

	return context_need(&ctx);
}

aclError aclrtMemFlush(void *devPtr, size_t size)
{
	return LOCKED(flush());
}

aclError aclrtMemInvalidate(void *devPtr, size_t size)
{
	return LOCKED(flush());
}
