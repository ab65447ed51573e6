/* SPDX-License-Identifier: Apache-2.0 */
/* Memory pools: allocation and release in stream order. */
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt_memory_soma.h"
#include "tools/softnpu/memory/memory.h"
#include "tools/softnpu/memory/pool_segments.h"
#include "tools/softnpu/sync/follow.h"

#define POOL_GRAIN ((size_t)2 << 20)

struct pool {
	struct object obj;
	struct device *dev;
	size_t max;
	struct pool_segments segments;
	char *low, *high; /* its blocks are and were between these */
	uint64_t threshold;
	int reuse[3]; /* as its attributes: what follows events, what happens to be over, what can be waited
			 for */
};

/* A block's part of its pool. */
struct share {
	struct pool *pool;
	struct pool_segment *segment;
};

static void pool_release(struct object *o)
{
	struct pool *p = container_of(o, struct pool, obj);

	segments_close(&p->segments);
	free(p);
}

static struct pool *pool_find(const void *handle)
{
	struct object *o = object_find(handle, OBJ_POOL);

	return o ? container_of(o, struct pool, obj) : NULL;
}

static bool props_ok(const aclrtMemPoolProps *props)
{
	if (props->allocType != ACL_MEM_ALLOCATION_TYPE_PINNED ||
		props->location.type != ACL_MEM_LOCATION_TYPE_DEVICE)
		return false;
	for (size_t i = 0; i < sizeof(props->reserved); i++)
		if (props->reserved[i])
			return false;
	return true;
}

static struct pool *pool_new(struct device *dev, size_t max)
{
	struct pool *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->dev = dev;
	p->max = max;
	if (segments_open(&p->segments, max) && object_init(&p->obj, OBJ_POOL, pool_release))
		return p;
	segments_close(&p->segments);
	free(p);
	return NULL;
}

static aclError pool_create(aclrtMemPool *out, const aclrtMemPoolProps *props)
{
	struct device *dev = device_find(props->location.id);
	struct context *ctx;
	struct pool *p;
	aclError rc;

	if (!dev)
		return ACL_ERROR_RT_INVALID_DEVICEID;
	rc = context_need(&ctx);
	if (rc)
		return rc;
	if (ALIGN_UP(props->maxSize, POOL_GRAIN) > (size_t)npu_memory(dev->id))
		return npu_err(
			ACL_ERROR_RT_PARAM_INVALID, "the device has less than %zu bytes", props->maxSize);
	p = pool_new(dev, props->maxSize ? ALIGN_UP(props->maxSize, POOL_GRAIN)
					 : (size_t)npu_memory(dev->id) / POOL_GRAIN * POOL_GRAIN);
	if (!p)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a pool");
	follow_begin();
	*out = object_handle(&p->obj);
	return ACL_SUCCESS;
}

aclError aclrtMemPoolCreate(aclrtMemPool *memPool, const aclrtMemPoolProps *poolProps)
{
	if (!memPool || !poolProps || !props_ok(poolProps))
		return npu_err(ACL_ERROR_INVALID_PARAM, "a pointer is NULL or a property not possible");
	return LOCKED(pool_create(memPool, poolProps));
}

static void leave_pool(struct block *b, void (*how)(struct pool_segments *, struct pool_segment *))
{
	struct share *share = b->owner;

	if (share)
		how(&share->pool->segments, share->segment);
	free(share);
	b->owner = NULL;
	b->returned = true;
}

/* Without a stream to say who may have it next. */
void pool_block_gone(struct block *b)
{
	leave_pool(b, segment_free);
}

/* Blocks outlive their pool. */
static void orphan(struct block *b, void *pool)
{
	struct share *share = b->kind == BLOCK_POOL ? b->owner : NULL;

	if (!share || share->pool != pool)
		return;
	free(share);
	b->owner = NULL;
}

static aclError pool_destroy(const void *handle)
{
	struct pool *p = pool_find(handle);

	if (!p)
		return npu_err(ACL_ERROR_RT_INTERNAL_ERROR, "%p is no pool", handle);
	blocks_each(orphan, p);
	object_kill(&p->obj);
	return ACL_SUCCESS;
}

aclError aclrtMemPoolDestroy(const aclrtMemPool memPool)
{
	return LOCKED(pool_destroy(memPool));
}

/* Contexts are compared, and none is another one than the stream's. */
static aclError pool_call_enter(aclrtStream handle, struct stream **s)
{
	aclError rc = stream_of(handle, STREAM_SUBMIT, s);

	if (!rc && (*s)->ctx != context_current())
		rc = npu_err(ACL_ERROR_RT_STREAM_CONTEXT, "stream %d belongs to another context", (*s)->id);
	return rc;
}

static void widen(struct pool *p, const struct block *b)
{
	char *end = b->addr + b->size;

	p->low = p->low && p->low < b->addr ? p->low : b->addr;
	p->high = p->high > end ? p->high : end;
}

/* Its memory, whatever part of the pool it counts as. */
static struct block *block_new(struct pool *p, size_t rounded, size_t size, const struct stream *s)
{
	unsigned reuse = (p->reuse[0] ? REUSE_FOLLOWED : 0) | (p->reuse[1] || p->reuse[2] ? REUSE_ANY : 0);
	struct pool_segment *segment = segment_take(&p->segments, rounded, s, reuse);
	struct share *share = segment ? calloc(1, sizeof(*share)) : NULL;
	struct block *b = share ? memory_new(BLOCK_POOL, p->dev, rounded, size, ARENA_GRAIN) : NULL;

	if (!b) {
		if (segment)
			segment_free(&p->segments, segment);
		free(share);
		return NULL;
	}
	*share = (struct share){p, segment};
	b->owner = share;
	widen(p, b);
	return b;
}

/* The address is known at once; using it before the stream gets here is the program's mistake. */
static aclError pool_malloc(void **out, size_t size, const void *handle, aclrtStream stream)
{
	size_t rounded = ALIGN_UP(size, POOL_GRAIN);
	struct pool *p = pool_find(handle);
	struct stream *s;
	struct block *b;
	aclError rc = pool_call_enter(stream, &s);

	if (rc)
		return rc;
	if (rounded < size)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "no pool has %zu bytes", size);
	if (!p)
		return npu_err(ACL_ERROR_RT_INTERNAL_ERROR, "%p is no pool", handle);
	b = block_new(p, rounded, size, s);
	if (!b)
		return npu_err(ACL_ERROR_RT_INTERNAL_ERROR,
			"the pool has no %zu bytes left for stream %d, or the device has not", size, s->id);
	*out = b->addr;
	return ACL_SUCCESS;
}

aclError aclrtMemPoolMallocAsync(void **ptr, size_t size, aclrtMemPool memPool, aclrtStream stream)
{
	if (!ptr || !memPool || !stream)
		return npu_err(
			ACL_ERROR_INVALID_PARAM, "a pointer is NULL; the default stream is not possible");
	if (!size)
		return ACL_SUCCESS;
	return LOCKED(pool_malloc(ptr, size, memPool, stream));
}

struct free_op {
	struct op op;
	char *addr;
};

static void free_block(struct op *op)
{
	struct block *b = block_at(container_of(op, struct free_op, op)->addr);

	if (!b || b->kind == BLOCK_RESERVED)
		return;
	memory_delete(b);
}

static enum op_step free_step(struct op *op, struct lane *lane)
{
	(void)lane;
	free_block(op);
	return OP_DONE;
}

static const struct op_type free_type = {.name = "MEM_FREE", .step = free_step, .cancelled = free_block};

struct region {
	const char *addr;
	bool of_pool;
};

static void had_there(struct object *o, void *data)
{
	const struct pool *p = container_of(o, struct pool, obj);
	struct region *r = data;

	r->of_pool |= r->addr >= p->low && r->addr < p->high;
}

/* Where nothing is allocated now. */
static bool region_of_pool(const char *addr)
{
	struct region r = {.addr = addr};

	objects_each(OBJ_POOL, had_there, &r);
	return r.of_pool;
}

/* The pool has its memory back at once. Other memory is freed as well when the stream gets here; what
 * fails then has no answer. */
static aclError pool_free(char *addr, aclrtStream stream)
{
	struct block *in = block_find(addr);
	bool of_pool = in ? in->kind == BLOCK_POOL : region_of_pool(addr);
	struct free_op *f;
	struct stream *s;
	aclError rc = pool_call_enter(stream, &s);

	if (rc)
		return rc;
	if (of_pool && (!in || in->addr != addr || in->returned))
		return npu_err(
			ACL_ERROR_RT_PARAM_INVALID, "%p is not the start of an allocation", (void *)addr);
	f = op_new(&free_type, sizeof(*f));
	if (!f)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task");
	/* Not what is allocated there until then: where nothing is, nothing is freed. */
	f->addr = in ? addr : NULL;
	rc = stream_submit(s, &f->op);
	if (!rc && of_pool)
		leave_pool(in, segment_give_back);
	return rc;
}

aclError aclrtMemPoolFreeAsync(void *ptr, aclrtStream stream)
{
	if (!stream)
		return npu_err(ACL_ERROR_RT_INTERNAL_ERROR, "the default stream is not possible");
	return LOCKED(pool_free(ptr, stream));
}

static uint64_t *counter(struct pool *p, aclrtMemPoolAttr attr)
{
	switch (attr) {
	case ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD:
		return &p->threshold;
	case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT:
		return (uint64_t *)&p->segments.reserved;
	case ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT:
		return (uint64_t *)&p->segments.used;
	case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH:
		return (uint64_t *)&p->segments.reserved_high;
	default:
		return (uint64_t *)&p->segments.used_high;
	}
}

/* The pool of an attribute that pools have. */
static aclError find_with_attr(const void *handle, aclrtMemPoolAttr attr, struct pool **p)
{
	*p = pool_find(handle);
	if (!*p)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "%p is no pool", handle);
	if (attr < ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES ||
		attr > ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH)
		return npu_err(ACL_ERROR_RT_INTERNAL_ERROR, "unknown attribute %d", attr);
	return ACL_SUCCESS;
}

static aclError get_attr(const void *handle, aclrtMemPoolAttr attr, void *value)
{
	struct pool *p;
	aclError rc = find_with_attr(handle, attr, &p);

	if (rc)
		return rc;
	if (attr < ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD)
		memcpy(value, &p->reuse[attr - ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES], sizeof(int));
	else
		memcpy(value, counter(p, attr), sizeof(uint64_t));
	return ACL_SUCCESS;
}

aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void *value)
{
	return LOCKED(get_attr(memPool, attr, value));
}

static aclError set_attr(const void *handle, aclrtMemPoolAttr attr, const void *value)
{
	struct pool *p;
	uint64_t number;
	aclError rc = find_with_attr(handle, attr, &p);

	if (rc)
		return rc;
	if (attr < ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD) {
		p->reuse[attr - ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES] = *(const int *)value != 0;
		return ACL_SUCCESS;
	}
	memcpy(&number, value, sizeof(number));
	if (number > (attr == ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD ? p->max : 0))
		return npu_err(ACL_ERROR_RT_INTERNAL_ERROR, "not a possible value of attribute %d", attr);
	*counter(p, attr) = number;
	return ACL_SUCCESS;
}

aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void *value)
{
	return LOCKED(set_attr(memPool, attr, value));
}

static aclError trim(const void *handle, size_t keep)
{
	struct pool *p = pool_find(handle);

	if (!p || keep > p->max)
		return npu_err(ACL_ERROR_RT_INTERNAL_ERROR, "no pool, or smaller than %zu bytes", keep);
	if (keep < p->segments.used && keep < p->segments.reserved)
		return npu_err(
			ACL_ERROR_RT_INTERNAL_ERROR, "%zu bytes of the pool are in use", p->segments.used);
	segments_trim(&p->segments, keep);
	return ACL_SUCCESS;
}

aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep)
{
	return LOCKED(trim(memPool, minBytesToKeep));
}
