/* SPDX-License-Identifier: Apache-2.0 */
/* Moving bytes, and the operation that does it on a stream. */
#include "tools/softnpu/memory/copy.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * Memory that is not ours may be gone by the time a task touches it: the kernel
 * copies it, so that a bad address is an error of the task and no crash.
 */
static bool kernel_copy(char *dst, const char *src, size_t n)
{
	while (n) {
		struct iovec local = {dst, n}, remote = {(char *)src, n};
		ssize_t done = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

		if (done <= 0)
			return false;
		dst += done;
		src += done;
		n -= (size_t)done;
	}
	return true;
}

/* Where a sandbox forbids that call memory is touched directly. */
static bool kernel_copy_works(void)
{
	static _Atomic int works = -1;
	char from = 1, to = 0;

	if (works < 0)
		works = kernel_copy(&to, &from, 1) && to;
	return works;
}

aclError bytes_move(char *dst, bool dst_safe, const char *src, bool src_safe, size_t n)
{
	if ((dst_safe && src_safe) || !kernel_copy_works()) {
		memmove(dst, src, n);
		return ACL_SUCCESS;
	}
	if (kernel_copy(dst, src, n))
		return ACL_SUCCESS;
	npu_log("copy of %zu bytes from %p to %p: no memory there", n, (const void *)src, (void *)dst);
	return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
}

/* A device reaches another's memory only after aclrtDeviceEnablePeerAccess towards it. */
static bool reachable(const struct place *dst, const struct place *src)
{
	if (dst->loc != LOC_DEVICE || src->loc != LOC_DEVICE || dst->device == src->device)
		return true;
	return device_get(dst->device)->peer[src->device];
}

static bool fits(const struct area *a, size_t pitch, const struct place *p)
{
	size_t before, all;

	return !a->height || (!__builtin_mul_overflow(a->height - 1, pitch, &before) &&
				     !__builtin_add_overflow(before, a->width, &all) && all <= p->room);
}

aclError copy_now(const struct area *a)
{
	struct place dst, src;
	aclError rc = ACL_SUCCESS;
	bool ok;

	npu_lock();
	dst = place_of(a->dst);
	src = place_of(a->src);
	ok = reachable(&dst, &src);
	npu_unlock();
	if (!ok) {
		npu_log("device %d has no peer access to device %d", dst.device, src.device);
		return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
	}
	if (!fits(a, a->dpitch, &dst) || !fits(a, a->spitch, &src))
		return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
	for (size_t row = 0; row < a->height && !rc; row++)
		rc = bytes_move(
			dst.host + row * a->dpitch, dst.safe, src.host + row * a->spitch, src.safe, a->width);
	return rc;
}

aclError copy_by_caller(const struct area *a)
{
	aclError rc = copy_now(a);

	return rc ? npu_err(rc, "the copy from %p to %p failed", a->src, a->dst) : ACL_SUCCESS;
}

aclError set_now(void *dst, size_t count, int value)
{
	char pattern[4096];
	struct place p;
	aclError rc = ACL_SUCCESS;

	npu_lock();
	p = place_of(dst);
	npu_unlock();
	if (count > p.room)
		return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
	if (p.safe) {
		memset(p.host, value, count);
		return ACL_SUCCESS;
	}
	memset(pattern, value, sizeof(pattern));
	for (size_t done = 0; done < count && !rc; done += sizeof(pattern)) {
		size_t n = count - done < sizeof(pattern) ? count - done : sizeof(pattern);

		rc = bytes_move(p.host + done, false, pattern, true, n);
	}
	return rc;
}

struct copy_op {
	struct op op;
	struct area *areas;
	size_t n;
	void *staged;
};

static bool aligned(const struct area *a)
{
	return !((uintptr_t)a->dst % 64 || (uintptr_t)a->src % 64);
}

static aclError copy_run(struct op *op, struct lane *lane)
{
	struct copy_op *c = container_of(op, struct copy_op, op);
	aclError rc = ACL_SUCCESS;

	(void)lane;
	for (size_t i = 0; i < c->n && !rc; i++) {
		if (CFG(align) && !c->staged && !aligned(&c->areas[i]))
			return ACL_ERROR_RT_SYS_DMA;
		rc = copy_now(&c->areas[i]);
	}
	return rc;
}

static void copy_release(struct op *op)
{
	struct copy_op *c = container_of(op, struct copy_op, op);

	free(c->areas);
	free(c->staged);
}

static void copy_describe(const struct op *op, char *text, size_t size)
{
	const struct copy_op *c = container_of(op, struct copy_op, op);
	size_t bytes = 0;

	for (size_t i = 0; i < c->n; i++)
		bytes += c->areas[i].width * c->areas[i].height;
	snprintf(text, size, "\"dst\": \"%p\", \"src\": \"%p\", \"size\": %zu", c->areas[0].dst,
		c->areas[0].src, bytes);
}

static const struct op_type copy_type = {
	.name = "MEMCPY_ASYNC",
	.run = copy_run,
	.release = copy_release,
	.describe = copy_describe,
};

struct op *copy_op_new(struct area *areas, size_t n, void *staged)
{
	struct copy_op *c = areas ? op_new(&copy_type, sizeof(*c)) : NULL;

	if (!c) {
		free(areas);
		free(staged);
		return NULL;
	}
	c->areas = areas;
	c->n = n;
	c->staged = staged;
	return &c->op;
}
