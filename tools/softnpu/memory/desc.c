/* SPDX-License-Identifier: Apache-2.0 */
/* Copies whose addresses lie in device memory, copies by offset, cache maintenance. */
#include <stdlib.h>
#include <string.h>

#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/graph/capture.h"
#include "tools/softnpu/memory/cmo.h"
#include "tools/softnpu/memory/copy.h"

#define DESC_ALIGN 64u
#define MAX_OFFSET 0xffffffffffffull
#define MAX_COUNT 0x100000000ull /* bytes that a task copies */

/* What aclrtSetMemcpyDesc leaves in device memory. */
struct copy_desc {
	void *dst;
	const void *src;
	uint64_t count;
	uint64_t reserved[5];
};

static aclError desc_check_kind(aclrtMemcpyKind kind)
{
	if ((unsigned)kind > ACL_MEMCPY_INTER_DEVICE_TO_DEVICE)
		return npu_err(ACL_ERROR_INVALID_PARAM, "unknown copy kind %d", kind);
	if (kind != ACL_MEMCPY_INNER_DEVICE_TO_DEVICE)
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "only copies inside a device");
	return ACL_SUCCESS;
}

aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t *descSize)
{
	aclError rc = desc_check_kind(kind);

	if (!rc)
		*descSize = sizeof(struct copy_desc);
	return rc;
}

static aclError check_desc(const void *desc)
{
	if ((uintptr_t)desc % DESC_ALIGN || place_of(desc).loc != LOC_DEVICE)
		return npu_err(
			ACL_ERROR_RT_PARAM_INVALID, "the descriptor is not 64-byte aligned device memory");
	return ACL_SUCCESS;
}

static aclError set_desc(void *desc, const struct copy_desc *d)
{
	struct place dst = place_of(d->dst), src = place_of(d->src), p = place_of(desc);
	struct context *ctx;
	aclError rc = check_desc(desc);

	if (rc)
		return rc;
	if (dst.loc != LOC_DEVICE || src.loc != LOC_DEVICE || dst.device != src.device)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the addresses are not on one device");
	rc = context_need(&ctx);
	return rc ? rc : bytes_move(p.host, p.safe, (const char *)d, true, sizeof(*d));
}

aclError aclrtSetMemcpyDesc(
	void *desc, aclrtMemcpyKind kind, void *srcAddr, void *dstAddr, size_t count, void *config)
{
	struct copy_desc d = {.dst = dstAddr, .src = srcAddr, .count = count};
	aclError rc = desc_check_kind(kind);

	if (!rc && (!count || count > MAX_COUNT))
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "count is 0 or more than %#llx", MAX_COUNT);
	return rc ? rc : LOCKED(set_desc(desc, &d));
}

/* The descriptor is read when the task runs. */
struct desc_op {
	struct op op;
	const void *desc;
};

static aclError desc_run(struct op *op, struct lane *lane)
{
	struct copy_desc d;
	struct area get = {
		&d, container_of(op, struct desc_op, op)->desc, sizeof(d), sizeof(d), sizeof(d), 1};
	aclError rc = copy_now(&get);

	(void)lane;
	if (!rc) {
		struct area a = {d.dst, d.src, d.count, d.count, d.count, 1};

		rc = copy_now(&a);
	}
	return rc;
}

static const struct op_type desc_type = {.name = "MEMCPY_DESC", .run = desc_run};

static aclError submit_desc(const void *desc, aclrtStream stream)
{
	struct desc_op *op;
	struct stream *s;
	aclError rc = stream_named(stream, STREAM_SUBMIT, &s);

	if (!rc)
		rc = check_desc(desc);
	if (!rc)
		rc = stream_enter(STREAM_SUBMIT, &s);
	if (rc)
		return rc;
	op = op_new(&desc_type, sizeof(*op));
	if (op)
		op->desc = desc;
	return stream_submit(s, op ? &op->op : NULL);
}

aclError aclrtMemcpyAsyncWithDesc(void *desc, aclrtMemcpyKind kind, aclrtStream stream)
{
	aclError rc = npu_unless_gone(OBJ_STREAM, stream, desc_check_kind(kind));

	return rc ? rc : LOCKED(submit_desc(desc, stream));
}

/* --- addresses behind addresses ------------------------------------------------------ */

struct offset_op {
	struct op op;
	void **dst;
	const void **src;
	size_t dst_offset, src_offset, count;
};

static aclError offset_run(struct op *op, struct lane *lane)
{
	const struct offset_op *o = container_of(op, struct offset_op, op);
	char *dst = NULL, *src = NULL;
	struct area get_dst = {&dst, o->dst, sizeof(dst), sizeof(dst), sizeof(dst), 1};
	struct area get_src = {&src, o->src, sizeof(src), sizeof(src), sizeof(src), 1};
	aclError rc = copy_now(&get_dst);

	(void)lane;
	if (!rc)
		rc = copy_now(&get_src);
	if (!rc) {
		struct area a = {dst + o->dst_offset, src + o->src_offset, o->count, o->count, o->count, 1};

		rc = copy_now(&a);
	}
	return rc;
}

static const struct op_type offset_type = {.name = "MEMCPY_OFFSET", .run = offset_run};

static aclError submit_offset(const struct offset_op *what, aclrtStream stream)
{
	struct offset_op *op;
	struct stream *s;
	aclError rc = stream_find(stream, STREAM_SUBMIT, &s);

	if (rc)
		return rc;
	op = op_new(&offset_type, sizeof(*op));
	if (!op)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task");
	op->dst = what->dst;
	op->src = what->src;
	op->dst_offset = what->dst_offset;
	op->src_offset = what->src_offset;
	op->count = what->count;
	return stream_submit(s, &op->op);
}

static aclError check_offsets(const struct offset_op *o, size_t max)
{
	if (!o->dst || !o->src)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "a pointer is NULL");
	if (o->count > MAX_COUNT)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "count is more than %#llx", MAX_COUNT);
	if (o->dst_offset >= max || o->count > max - o->dst_offset || o->dst_offset > MAX_OFFSET ||
		o->src_offset > MAX_OFFSET)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the copy does not fit its destination");
	return copy_not_nothing(o->count);
}

aclError aclrtMemcpyAsyncWithOffset(void **dst, size_t destMax, size_t dstDataOffset, const void **src,
	size_t count, size_t srcDataOffset, aclrtMemcpyKind kind, aclrtStream stream)
{
	struct offset_op o = {.dst = dst,
		.src = src,
		.dst_offset = dstDataOffset,
		.src_offset = srcDataOffset,
		.count = count};

	aclError rc;

	if (kind != ACL_MEMCPY_INNER_DEVICE_TO_DEVICE)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the copy is not inside a device");
	if (copy_nothing(count))
		return ACL_SUCCESS;
	rc = npu_unless_gone(OBJ_STREAM, stream, check_offsets(&o, destMax));
	return rc ? rc : LOCKED(submit_offset(&o, stream));
}

/* --- descriptors of cache maintenance ------------------------------------------------- */

aclError aclrtCmoGetDescSize(size_t *size)
{
	return LOCKED_WITH(context, ctx, context_need(&ctx), *size = sizeof(struct copy_desc));
}

static aclError set_cmo_desc(void *desc, const void *src, size_t size)
{
	struct copy_desc d = {.src = src, .count = size};
	struct place p = place_of(desc);
	struct context *ctx;
	aclError rc = check_desc(desc);

	if (!rc)
		rc = context_need(&ctx);
	if (!rc)
		rc = capture_refuses();
	return rc ? rc : bytes_move(p.host, p.safe, (const char *)&d, true, sizeof(d));
}

aclError aclrtCmoSetDesc(void *cmoDesc, void *src, size_t size)
{
	return LOCKED(set_cmo_desc(cmoDesc, src, size));
}

static aclError submit_cmo_desc(const void *desc, aclrtStream stream)
{
	struct stream *s;
	aclError rc = stream_named(stream, STREAM_SUBMIT, &s);

	if (!rc)
		rc = check_desc(desc);
	return rc ? rc : cmo_submit(stream);
}

aclError aclrtCmoAsyncWithDesc(void *cmoDesc, aclrtCmoType cmoType, aclrtStream stream, const void *reserve)
{
	aclError rc = ACL_SUCCESS;

	if (cmoType != ACL_RT_CMO_TYPE_PREFETCH)
		rc = npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "type %d with a descriptor", cmoType);
	rc = npu_unless_gone(OBJ_STREAM, stream, rc);
	return rc ? rc : LOCKED(submit_cmo_desc(cmoDesc, stream));
}
