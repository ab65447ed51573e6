/* SPDX-License-Identifier: Apache-2.0 */
/* aclrtReduceAsync: dst = dst (+, max, min) src. */
#include <stdlib.h>

#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/info/half.h"
#include "tools/softnpu/memory/copy.h"
#include "tools/softnpu/sync/stream.h"

#define MAX_SUM 0x100000000ull /* bytes */
#define PART 4096u

struct reduce_op {
	struct op op;
	void *dst;
	const void *src;
	uint64_t count; /* bytes */
	aclrtReduceKind kind;
	aclDataType type;
};

#define AS_IT_IS(x) (x)

/* wide holds the sum of any two; load and store lead there and back. */
#define REDUCE(type, wide, load, store)                                                                      \
	static void reduce_##type##_##load(                                                                  \
		const struct reduce_op *r, char *to, const char *from, uint64_t bytes)                       \
	{                                                                                                    \
		type *d = (type *)to;                                                                        \
		const type *s = (const type *)from;                                                          \
                                                                                                             \
		for (uint64_t i = 0; i < bytes / sizeof(type); i++) {                                        \
			wide a = load(d[i]), b = load(s[i]);                                                 \
                                                                                                             \
			if (r->kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM)                                     \
				d[i] = (type)store(a + b);                                                   \
			else if (r->kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX ? b > a : b < a)                \
				d[i] = s[i];                                                                 \
		}                                                                                            \
	}

REDUCE(float, float, AS_IT_IS, AS_IT_IS)
REDUCE(int32_t, int64_t, AS_IT_IS, AS_IT_IS)
REDUCE(int16_t, int32_t, AS_IT_IS, AS_IT_IS)
REDUCE(int8_t, int32_t, AS_IT_IS, AS_IT_IS)
REDUCE(uint16_t, float, half_to_float, float_to_half)
REDUCE(uint16_t, float, bf16_to_float, float_to_bf16)

/* What there is a unit for; the other types that there are get 207000. */
static const struct reducible {
	aclDataType type;
	unsigned size;
	void (*reduce)(const struct reduce_op *r, char *to, const char *from, uint64_t bytes);
} reducible[] = {
	{ACL_FLOAT, 4, reduce_float_AS_IT_IS},
	{ACL_FLOAT16, 2, reduce_uint16_t_half_to_float},
	{ACL_BF16, 2, reduce_uint16_t_bf16_to_float},
	{ACL_INT32, 4, reduce_int32_t_AS_IT_IS},
	{ACL_INT16, 2, reduce_int16_t_AS_IT_IS},
	{ACL_INT8, 1, reduce_int8_t_AS_IT_IS},
};

static const struct reducible *reducible_find(aclDataType type)
{
	for (size_t i = 0; i < ARRAY_SIZE(reducible); i++)
		if (reducible[i].type == type)
			return &reducible[i];
	return NULL;
}

/* Memory that may not be mapped is read and written by the kernel. */
static aclError reduce_part(const struct reduce_op *r, char *dst, const char *src, uint64_t bytes)
{
	char to[PART] __attribute__((aligned(16))), from[PART] __attribute__((aligned(16)));
	aclError rc = bytes_move(to, true, dst, false, bytes);

	if (!rc)
		rc = bytes_move(from, true, src, false, bytes);
	if (rc)
		return rc;
	reducible_find(r->type)->reduce(r, to, from, bytes);
	return bytes_move(dst, false, to, true, bytes);
}

static aclError reduce_parts(const struct reduce_op *r, char *dst, const char *src)
{
	aclError rc = ACL_SUCCESS;

	for (uint64_t done = 0; done < r->count && !rc; done += PART)
		rc = reduce_part(r, dst + done, src + done, r->count - done < PART ? r->count - done : PART);
	return rc;
}

static aclError reduce_run(struct op *op, struct lane *lane)
{
	const struct reduce_op *r = container_of(op, struct reduce_op, op);
	struct place dst, src;

	(void)lane;
	npu_lock();
	dst = place_of(r->dst);
	src = place_of(r->src);
	npu_unlock();
	if (r->count > dst.room || r->count > src.room)
		return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
	if (!dst.safe || !src.safe)
		return reduce_parts(r, dst.host, src.host);
	reducible_find(r->type)->reduce(r, dst.host, src.host, r->count);
	return ACL_SUCCESS;
}

static const struct op_type reduce_type = {.name = "REDUCE_ASYNC", .run = reduce_run};

/* What the device is asked about: whether it has a unit for it, then how the addresses must lie. */
static aclError reduce_check(const struct reduce_op *r)
{
	const struct reducible *by = reducible_find(r->type);

	if (!by || r->kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL)
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "reduction %d of type %d", r->kind, r->type);
	if ((uintptr_t)r->dst % by->size || (uintptr_t)r->src % by->size)
		return npu_err(ACL_ERROR_RT_ADDR_UNALIGNED, "an address is not %u-byte aligned", by->size);
	return ACL_SUCCESS;
}

static aclError submit_reduce(const struct reduce_op *what, aclrtStream stream)
{
	struct reduce_op *op;
	struct stream *s;
	aclError rc = stream_find(stream, STREAM_SUBMIT, &s);

	if (!rc)
		rc = reduce_check(what);
	if (rc)
		return rc;
	op = op_new(&reduce_type, sizeof(*op));
	if (!op)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task");
	op->dst = what->dst;
	op->src = what->src;
	op->count = what->count;
	op->kind = what->kind;
	op->type = what->type;
	return stream_submit(s, &op->op);
}

aclError aclrtReduceAsync(void *dst, const void *src, uint64_t count, aclrtReduceKind kind, aclDataType type,
	aclrtStream stream, void *reserve)
{
	struct reduce_op r = {.dst = dst, .src = src, .count = count, .kind = kind, .type = type};
	aclError rc = ACL_SUCCESS;

	if (kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM && count > MAX_SUM)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "%#llx bytes are too many", (long long)count);
	rc = npu_unless_gone(OBJ_STREAM, stream, rc);
	return rc ? rc : LOCKED(submit_reduce(&r, stream));
}
