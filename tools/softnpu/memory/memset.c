/* SPDX-License-Identifier: Apache-2.0 */
/* aclrtMemset, aclrtMemsetAsync and the 32-bit forms. */
#include <stdlib.h>
#include <string.h>

#include "tools/softnpu/graph/capture.h"
#include "tools/softnpu/memory/copy.h"

/* Bytes or 32-bit words, at one address. */
struct fill {
	void *dst;
	size_t count; /* of bytes or words */
	uint32_t value;
	bool words;
};

static aclError fill_now(const struct fill *f)
{
	uint32_t pattern[1024];
	struct place p;
	size_t bytes = f->count * 4;
	aclError rc = ACL_SUCCESS;

	if (!f->words)
		return set_now(f->dst, f->count, (int)f->value);
	npu_lock();
	p = place_of(f->dst);
	npu_unlock();
	if (bytes > p.room)
		return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
	for (size_t i = 0; i < ARRAY_SIZE(pattern); i++)
		pattern[i] = f->value;
	for (size_t done = 0; done < bytes && !rc; done += sizeof(pattern))
		rc = bytes_move(p.host + done, p.safe, (char *)pattern, true,
			bytes - done < sizeof(pattern) ? bytes - done : sizeof(pattern));
	return rc;
}

struct fill_op {
	struct op op;
	struct fill fill;
};

static aclError fill_run(struct op *op, struct lane *lane)
{
	(void)lane;
	return fill_now(&container_of(op, struct fill_op, op)->fill);
}

static void fill_describe(const struct op *op, char *text, size_t size)
{
	const struct fill *f = &container_of(op, struct fill_op, op)->fill;

	snprintf(text, size, "\"dst\": \"%p\", \"value\": %u, \"size\": %zu", f->dst, f->value,
		f->words ? f->count * 4 : f->count);
}

static const struct op_type fill_type = {.name = "MEMSET_ASYNC", .run = fill_run, .describe = fill_describe};

/* Setting words is not looked at by the capture's mode, though the documents class it with the rest. */
static aclError refused(const struct fill *f)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	return rc || f->words ? rc : capture_refuses();
}

static aclError fill_by_caller(const struct fill *f)
{
	aclError rc = fill_now(f);

	return rc ? npu_err(rc, "setting memory at %p failed", f->dst) : ACL_SUCCESS;
}

/* The driver is the first to compare the bytes with max. */
static aclError fill_sync(const struct fill *f, size_t max)
{
	aclError rc = LOCKED(refused(f));

	if (!rc && f->count > max)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "%zu exceed %zu", f->count, max);
	return rc ? rc : fill_by_caller(f);
}

/* *now: host memory is set by the caller itself; words in it at once, whatever the stream does or whose it
 * is. */
static aclError fill_async(const struct fill *f, aclrtStream stream, bool *now)
{
	struct fill_op *op;
	struct context *ctx;
	struct stream *s;
	struct place p = place_of(f->dst);
	aclError rc = stream_named(stream, STREAM_SUBMIT, &s);

	*now = f->words && p.loc == LOC_HOST;
	if (!rc)
		rc = *now ? context_need(&ctx) : stream_enter(STREAM_SUBMIT, &s);
	if (rc || *now)
		return rc;
	*now = (p.loc == LOC_HOST || p.loc == LOC_UNREGISTERED) && !npu_on_device() && !s->capture;
	if (*now)
		return stream_wait(s, 0);
	op = op_new(&fill_type, sizeof(*op));
	if (op)
		op->fill = *f;
	return stream_submit(s, op ? &op->op : NULL);
}

static aclError memset_submit(const struct fill *f, aclrtStream stream)
{
	bool now = false;
	aclError rc = LOCKED(fill_async(f, stream, &now));

	return rc || !now ? rc : fill_by_caller(f);
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
	struct fill f = {devPtr, count, (uint8_t)value, false};

	return fill_sync(&f, maxCount);
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream)
{
	struct fill f = {devPtr, count, (uint8_t)value, false};

	return memset_submit(&f, stream);
}

static aclError check_words(const struct fill *f, size_t size)
{
	struct place p;

	if (!f->dst)
		return npu_err(ACL_ERROR_INVALID_PARAM, "ptr is NULL");
	if (f->count > size / 4)
		return npu_err(ACL_ERROR_INVALID_PARAM, "%zu words exceed the size %zu", f->count, size);
	npu_lock();
	p = place_of(f->dst);
	npu_unlock();
	if ((uintptr_t)f->dst % 4 || (p.loc != LOC_HOST && p.loc != LOC_DEVICE))
		return npu_err(
			ACL_ERROR_INVALID_PARAM, "%p is not 4-byte aligned device or pinned memory", f->dst);
	return copy_not_nothing(f->count);
}

aclError aclrtMemsetD32(void *ptr, size_t memSize, uint32_t value, size_t N)
{
	struct fill f = {ptr, N, value, true};
	aclError rc;

	if (copy_nothing(N))
		return ACL_SUCCESS;
	rc = check_words(&f, memSize);
	return rc ? rc : fill_sync(&f, N);
}

aclError aclrtMemsetD32Async(void *ptr, size_t memSize, uint32_t value, size_t N, aclrtStream stream)
{
	struct fill f = {ptr, N, value, true};
	aclError rc;

	if (copy_nothing(N))
		return ACL_SUCCESS;
	rc = check_words(&f, memSize);
	return rc ? rc : memset_submit(&f, stream);
}
