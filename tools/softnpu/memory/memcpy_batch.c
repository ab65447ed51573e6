/* SPDX-License-Identifier: Apache-2.0 */
/* aclrtMemcpyBatch and its asynchronous and V2 forms. */
#include <string.h>

#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/core/snapshot.h"
#include "tools/softnpu/graph/capture.h"
#include "tools/softnpu/memory/copy.h"

#define MAX_SYNC_BATCH 4096u

struct batch {
	void **dsts, **srcs;
	size_t *dest_maxs, *sizes;
	size_t n;
	aclrtMemcpyBatchAttr *attrs;
	size_t *attr_indexes; /* first copy that each attribute is for */
	size_t n_attrs;
};

static bool all_zero(const uint8_t *p, size_t n)
{
	while (n--)
		if (*p++)
			return false;
	return true;
}

/* The outer layer's part, which leaves *failIndex as it is. */
static aclError batch_check(const struct batch *b)
{
	if (!b->dsts || !b->dest_maxs || !b->srcs || !b->sizes || !b->attrs || !b->attr_indexes || !b->n)
		return npu_err(ACL_ERROR_INVALID_PARAM, "an array is NULL or empty");
	/* Which one it is is not said. */
	for (size_t i = 0; i < b->n; i++)
		if (b->sizes[i] > b->dest_maxs[i])
			return npu_err(ACL_ERROR_INVALID_PARAM, "copy %zu is larger than its destination", i);
	for (size_t i = 0; i < b->n_attrs; i++)
		if (!all_zero(b->attrs[i].rsv, sizeof(b->attrs[i].rsv)))
			return npu_err(ACL_ERROR_INVALID_PARAM, "reserved bytes of attribute %zu are set", i);
	return ACL_SUCCESS;
}

static aclError check_attributes(const struct batch *b)
{
	if (!b->n_attrs)
		return npu_answer(BATCH_NO_ATTRIBUTES, "there are no attributes");
	if (b->n_attrs > b->n || b->attr_indexes[0])
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the first attribute must be for the first copy");
	for (size_t i = 1; i < b->n_attrs; i++)
		if (b->attr_indexes[i] <= b->attr_indexes[i - 1] || b->attr_indexes[i] >= b->n)
			return npu_err(
				ACL_ERROR_RT_PARAM_INVALID, "attribute indexes must ascend below %zu", b->n);
	return ACL_SUCCESS;
}

/* Where a copy of no bytes is accepted, nothing else of a batch of them is looked at, nor its stream. */
static bool is_nothing(const struct batch *b)
{
	if (!b->sizes || npu_code(NPU_COPY_OF_NOTHING))
		return false;
	for (size_t i = 0; i < b->n; i++)
		if (b->sizes[i])
			return false;
	return b->n != 0;
}

static const aclrtMemcpyBatchAttr *attr_of(const struct batch *b, size_t i)
{
	size_t a = b->n_attrs - 1;

	while (b->attr_indexes[a] > i)
		a--;
	return &b->attrs[a];
}

static bool location_fits(const aclrtMemLocation *given, const struct place *p)
{
	if (p->loc == LOC_MANAGED)
		return true;
	if (p->loc == LOC_DEVICE)
		return given->type == ACL_MEM_LOCATION_TYPE_DEVICE && given->id == (uint32_t)p->device;
	return given->type == ACL_MEM_LOCATION_TYPE_HOST || given->type == ACL_MEM_LOCATION_TYPE_HOST_NUMA;
}

/* One entry: its places and its direction; pageable: a place is no pinned memory. */
static aclError check_entry(const struct batch *b, size_t i, bool *pageable)
{
	const aclrtMemcpyBatchAttr *attr = attr_of(b, i);
	struct place dst = place_of(b->dsts[i]), src = place_of(b->srcs[i]);
	bool to_device = attr->dstLoc.type == ACL_MEM_LOCATION_TYPE_DEVICE;
	bool from_device = attr->srcLoc.type == ACL_MEM_LOCATION_TYPE_DEVICE;

	if (!b->dsts[i] || !b->srcs[i])
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "copy %zu: NULL", i);
	if (!location_fits(&attr->dstLoc, &dst) || !location_fits(&attr->srcLoc, &src))
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "copy %zu is not where its attribute says", i);
	if (to_device == from_device)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "copy %zu is not between host and device", i);
	*pageable = dst.loc == LOC_UNREGISTERED || src.loc == LOC_UNREGISTERED;
	return ACL_SUCCESS;
}

static struct area entry_area(const struct batch *b, size_t i)
{
	return (struct area){b->dsts[i], b->srcs[i], b->sizes[i], b->sizes[i], b->sizes[i], 1};
}

/* No context is needed for it. */
static aclError check_sync(const struct batch *b, size_t *fail)
{
	bool pageable;
	aclError rc = ACL_SUCCESS;

	for (size_t i = 0; i < b->n && !rc; i++) {
		rc = check_entry(b, i, &pageable);
		*fail = rc ? i : *fail;
	}
	return rc;
}

static aclError batch_sync(const struct batch *b, size_t *fail)
{
	aclError rc;

	if (is_nothing(b)) {
		*fail = SIZE_MAX;
		return ACL_SUCCESS;
	}
	rc = batch_check(b);
	if (rc)
		return rc;
	NPU_WAIT_IF_LOCKED
	*fail = SIZE_MAX;
	rc = check_attributes(b);
	if (!rc && b->n > MAX_SYNC_BATCH)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "%zu copies, at most %u", b->n, MAX_SYNC_BATCH);
	if (!rc)
		rc = LOCKED(check_sync(b, fail));
	for (size_t i = 0; i < b->n && !rc; i++) {
		struct area a = entry_area(b, i);

		rc = copy_by_caller(&a);
		*fail = rc ? i : *fail;
	}
	return rc;
}

/* Before the entries: the stream, what the batch is made of, a context. */
static aclError start_async(const struct batch *b, aclrtStream stream, size_t *fail)
{
	struct context *ctx;
	struct stream *s;
	aclError rc = stream_named(stream, STREAM_SUBMIT, &s);

	if (rc)
		return rc;
	*fail = SIZE_MAX;
	rc = check_attributes(b);
	return rc ? rc : context_need(&ctx);
}

/* What is wrong with the entry itself is told by its index; a copy of pageable memory is made at once. */
static aclError submit_entry(const struct batch *b, size_t i, aclrtStream stream, size_t *fail, bool *now)
{
	struct area a = entry_area(b, i);
	struct stream *s;
	aclError rc = ACL_SUCCESS;

	if (!a.width)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "copy %zu has no bytes", i);
	if (!rc)
		rc = check_entry(b, i, now);
	if (rc) {
		*fail = i;
		return rc;
	}
	rc = stream_find(stream, *now ? STREAM_QUERY : STREAM_SUBMIT, &s);
	if (rc)
		return rc;
	if (!*now)
		return copy_submit(s, &a, ACL_MEMCPY_DEFAULT, COPY_QUEUED);
	rc = stream_wait(s, 0);
	return rc ? rc : capture_refuses();
}

/* Stops at the first bad entry; the earlier ones are under way. */
static aclError batch_async(const struct batch *b, aclrtStream stream, size_t *fail)
{
	aclError rc;

	if (is_nothing(b)) {
		*fail = SIZE_MAX;
		return ACL_SUCCESS;
	}
	rc = batch_check(b);
	if (rc)
		return rc;
	NPU_WAIT_IF_LOCKED
	rc = LOCKED(start_async(b, stream, fail));
	for (size_t i = 0; i < b->n && !rc; i++) {
		struct area a = entry_area(b, i);
		bool now = false;

		rc = LOCKED(submit_entry(b, i, stream, fail, &now));
		if (!rc && now)
			rc = copy_by_caller(&a);
	}
	return rc;
}

aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
	aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, size_t *failIndex)
{
	struct batch b = {dsts, srcs, destMaxs, sizes, numBatches, attrs, attrsIndexes, numAttrs};

	return batch_sync(&b, failIndex);
}

aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
	aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, size_t *failIndex,
	aclrtStream stream)
{
	struct batch b = {dsts, srcs, destMaxs, sizes, numBatches, attrs, attrsIndexes, numAttrs};

	return batch_async(&b, stream, failIndex);
}

aclError aclrtMemcpyBatchV2(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
	aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs)
{
	struct batch b = {dsts, srcs, destMaxs, sizes, numBatches, attrs, attrsIndexes, numAttrs};
	size_t fail;

	return batch_sync(&b, &fail);
}

aclError aclrtMemcpyBatchAsyncV2(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
	aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs, aclrtStream stream)
{
	struct batch b = {dsts, srcs, destMaxs, sizes, numBatches, attrs, attrsIndexes, numAttrs};
	size_t fail;

	return batch_async(&b, stream, &fail);
}
