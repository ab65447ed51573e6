/* SPDX-License-Identifier: Apache-2.0 */
/* Managed memory: one address everywhere, so that advice and prefetches only leave their mark. */
#include <stdlib.h>
#include <string.h>

#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/memory/memory.h"
#include "tools/softnpu/sync/stream.h"

/* What was said about a managed allocation; block.owner. */
struct advice {
	int read_mostly;
	aclrtMemManagedLocation preferred, prefetched;
	uint64_t accessed_by; /* bit per device */
};

static struct advice *advice_of(const void *ptr, uint64_t size)
{
	struct block *b = block_find(ptr);

	if (!b || b->kind != BLOCK_MANAGED ||
		size > ALIGN_UP(b->size, (size_t)2 << 20) - (size_t)((const char *)ptr - b->addr))
		return NULL;
	if (!b->owner && (b->owner = calloc(1, sizeof(struct advice)))) {
		struct advice *a = b->owner;

		a->preferred.type = a->prefetched.type = ACL_MEM_LOCATIONTYPE_INVALID;
	}
	return b->owner;
}

static aclError check_location(aclrtMemManagedLocation where)
{
	if (where.type == ACL_MEM_LOCATIONTYPE_DEVICE && (where.id < 0 || where.id >= CFG(devices)))
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "device %d does not exist", where.id);
	return ACL_SUCCESS;
}

/* Advice may be for no place in particular. */
static aclError check_target(aclrtMemManagedLocation where)
{
	if (where.type < ACL_MEM_LOCATIONTYPE_DEVICE || where.type > ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "unknown type of place %d", where.type);
	return check_location(where);
}

static aclError advise(
	const void *ptr, uint64_t size, aclrtMemManagedAdviseType what, aclrtMemManagedLocation where)
{
	struct advice *a = advice_of(ptr, size);
	aclrtMemManagedLocation none = {ACL_MEM_LOCATIONTYPE_INVALID, 0};
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	if (!a)
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%p is not managed memory", ptr);
	switch (what) {
	case ACL_MEM_ADVISE_SET_READ_MOSTLY:
	case ACL_MEM_ADVISE_UNSET_READ_MOSTLY:
		a->read_mostly = what == ACL_MEM_ADVISE_SET_READ_MOSTLY;
		break;
	case ACL_MEM_ADVISE_SET_PREFERRED_LOCATION:
	case ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
		a->preferred = what == ACL_MEM_ADVISE_SET_PREFERRED_LOCATION ? where : none;
		break;
	case ACL_MEM_ADVISE_SET_ACCESSED_BY:
		a->accessed_by |= 1ull << (where.id & 63);
		break;
	default:
		a->accessed_by &= ~(1ull << (where.id & 63));
		break;
	}
	return ACL_SUCCESS;
}

aclError aclrtMemManagedAdvise(const void *const ptr, uint64_t size, aclrtMemManagedAdviseType advice,
	aclrtMemManagedLocation location)
{
	aclError rc;

	rc = check_location(location);
	return rc ? rc : LOCKED(advise(ptr, size, advice, location));
}

static aclError get_attr(
	aclrtMemManagedRangeAttribute what, const void *ptr, size_t size, void *data, size_t bytes)
{
	const struct advice *a = advice_of(ptr, size);
	int32_t value;

	if (!a)
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%p is not managed memory", ptr);
	switch (what) {
	case ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
		value = a->read_mostly;
		break;
	case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
	case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
		value = a->preferred.id;
		break;
	case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
		value = (int32_t)a->preferred.type;
		break;
	case ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
		value = a->accessed_by ? __builtin_ctzll(a->accessed_by) : -1;
		break;
	case ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
		value = (int32_t)a->prefetched.type;
		break;
	default:
		value = a->prefetched.id;
		break;
	}
	memset(data, 0, bytes);
	memcpy(data, &value, sizeof(value));
	return ACL_SUCCESS;
}

static aclError check_attribute(aclrtMemManagedRangeAttribute attribute)
{
	if (attribute < ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY ||
		attribute > ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "unknown attribute %d", attribute);
	return ACL_SUCCESS;
}

aclError aclrtMemManagedGetAttr(
	aclrtMemManagedRangeAttribute attribute, const void *ptr, size_t size, void *data, size_t dataSize)
{
	aclError rc = check_attribute(attribute);

	if (!rc && dataSize < sizeof(int32_t))
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "no room for attribute %d", attribute);
	return rc ? rc : LOCKED(get_attr(attribute, ptr, size, data, dataSize));
}

aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute *attributes, size_t numAttributes,
	const void *ptr, size_t size, void **data, size_t *dataSizes)
{
	aclError rc = ACL_SUCCESS;

	for (size_t i = 0; i < numAttributes && !rc; i++)
		rc = check_attribute(attributes[i]);
	for (size_t i = 0; i < numAttributes && !rc; i++)
		rc = aclrtMemManagedGetAttr(attributes[i], ptr, size, data[i], dataSizes[i]);
	return rc;
}

struct prefetch_op {
	struct op op;
	const void *ptr;
	size_t size;
	aclrtMemManagedLocation where;
};

static enum op_step prefetch_step(struct op *op, struct lane *lane)
{
	const struct prefetch_op *p = container_of(op, struct prefetch_op, op);
	struct advice *a = advice_of(p->ptr, p->size);

	if (a)
		a->prefetched = p->where;
	else
		lane->result = ACL_ERROR_RT_DRV_INTERNAL_ERROR;
	return OP_DONE;
}

static const struct op_type prefetch_type = {.name = "MEM_PREFETCH", .step = prefetch_step};

static aclError prefetch(const void *ptr, size_t size, aclrtMemManagedLocation where, aclrtStream stream)
{
	struct prefetch_op *p;
	struct stream *s;
	aclError rc = stream_named(stream, STREAM_SUBMIT, &s);

	if (!rc)
		rc = stream_default(&s);
	if (!rc)
		rc = stream_enter(STREAM_SUBMIT, &s);
	if (rc)
		return rc;
	if (!advice_of(ptr, size))
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%p is not managed memory", ptr);
	p = op_new(&prefetch_type, sizeof(*p));
	if (!p)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task");
	p->ptr = ptr;
	p->size = size;
	p->where = where;
	return stream_submit(s, &p->op);
}

aclError aclrtMemManagedPrefetchAsync(
	const void *ptr, size_t size, aclrtMemManagedLocation location, uint32_t flags, aclrtStream stream)
{
	aclError rc;

	rc = npu_unless_gone(OBJ_STREAM, stream, check_target(location));
	return rc ? rc : LOCKED(prefetch(ptr, size, location, stream));
}

static aclError check_batch(
	const void **ptrs, size_t count, const aclrtMemManagedLocation *to, const size_t *indexes, size_t n)
{
	aclError rc = ACL_SUCCESS;

	for (size_t i = 0; i < count; i++)
		if (!ptrs[i])
			return npu_err(ACL_ERROR_RT_PARAM_INVALID, "address %zu is NULL", i);
	for (size_t i = 1; i < n; i++)
		if (indexes[i] <= indexes[i - 1] || indexes[i] >= count)
			return npu_err(ACL_ERROR_RT_PARAM_INVALID, "indexes must ascend below %zu", count);
	for (size_t i = 0; i < n && !rc; i++)
		rc = check_target(to[i]);
	return rc;
}

aclError aclrtMemManagedPrefetchBatchAsync(const void **ptrs, size_t *sizes, size_t count,
	aclrtMemManagedLocation *prefetchLocs, size_t *prefetchLocIdxs, size_t numPrefetchLocs,
	uint64_t flags, aclrtStream stream)
{
	size_t at = 0;
	aclError rc = npu_unless_gone(
		OBJ_STREAM, stream, check_batch(ptrs, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs));

	for (size_t i = 0; i < count && !rc; i++) {
		if (at + 1 < numPrefetchLocs && prefetchLocIdxs[at + 1] == i)
			at++;
		rc = aclrtMemManagedPrefetchAsync(ptrs[i], sizes[i], prefetchLocs[at], 0, stream);
	}
	return rc;
}
