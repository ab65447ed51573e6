/* SPDX-License-Identifier: Apache-2.0 */
/* aclrtMemcpy, aclrtMemcpyAsync: checks in the documented order, direction, pageable memory. */
#include <stdlib.h>
#include <string.h>

#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/graph/capture.h"
#include "tools/softnpu/memory/copy.h"

bool copy_zero(size_t count, aclError *rc)
{
	if (count)
		return false;
	*rc = npu_answer(COPY_OF_NOTHING, "count is 0");
	return true;
}

static aclError check_arguments(
	const void *dst, size_t dest_max, const void *src, size_t count, aclrtMemcpyKind kind)
{
	if (!dst || !src)
		return npu_err(ACL_ERROR_INVALID_PARAM, "%s is NULL", dst ? "src" : "dst");
	if ((unsigned)kind > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE)
		return npu_err(ACL_ERROR_INVALID_PARAM, "unknown copy kind %d", kind);
	if (count > dest_max)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "count %zu exceeds destMax %zu", count, dest_max);
	return ACL_SUCCESS;
}

static aclError may_copy_now(void)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	return rc ? rc : capture_refuses();
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
	struct area a = {dst, src, count, count, count, 1};
	struct context *ctx;
	aclError rc;

	if (copy_zero(count, &rc))
		return rc;
	rc = check_arguments(dst, destMax, src, count, kind);
	if (!rc)
		rc = dst == src ? LOCKED(context_need(&ctx)) : LOCKED(may_copy_now());
	if (rc || dst == src)
		return rc;
	rc = copy_now(&a);
	return rc ? npu_err(rc, "the copy from %p to %p failed", src, dst) : ACL_SUCCESS;
}

/* Which given kinds a copy with one pageable side may have; indexed by aclrtMemcpyKind. */
#define KIND(k) (1u << ACL_MEMCPY_##k)
#define PAGEABLE_TO_DEVICE                                                                                   \
	(KIND(HOST_TO_DEVICE) | KIND(DEVICE_TO_DEVICE) | KIND(DEFAULT) | KIND(HOST_TO_BUF_TO_DEVICE))
#define DEVICE_TO_PAGEABLE (KIND(DEVICE_TO_HOST) | KIND(DEVICE_TO_DEVICE) | KIND(DEFAULT))
#define PINNED_TO_PAGEABLE (KIND(HOST_TO_HOST) | KIND(HOST_TO_DEVICE) | KIND(DEFAULT))
#define PAGEABLE_TO_PINNED (KIND(HOST_TO_HOST) | KIND(DEVICE_TO_HOST) | KIND(DEFAULT))
#define BOTH_PAGEABLE (KIND(HOST_TO_HOST) | KIND(DEFAULT))

static unsigned allowed_kinds(enum location dst, enum location src)
{
	if (src == LOC_UNREGISTERED && dst == LOC_UNREGISTERED)
		return BOTH_PAGEABLE;
	if (src == LOC_UNREGISTERED)
		return dst == LOC_HOST ? PAGEABLE_TO_PINNED : PAGEABLE_TO_DEVICE;
	return src == LOC_HOST ? PINNED_TO_PAGEABLE : DEVICE_TO_PAGEABLE;
}

static bool on_host(enum location loc)
{
	return loc == LOC_HOST || loc == LOC_UNREGISTERED;
}

aclError copy_classify(const void *dst, const void *src, aclrtMemcpyKind kind, enum copy_form *form)
{
	struct place to = place_of(dst), from = place_of(src);
	bool pageable = to.loc == LOC_UNREGISTERED || from.loc == LOC_UNREGISTERED;

	*form = dst == src ? COPY_NOTHING : COPY_QUEUED;
	if (npu_on_device())
		return ACL_SUCCESS;
	if (pageable && !(allowed_kinds(to.loc, from.loc) & 1u << kind))
		return npu_err(
			ACL_ERROR_RT_PARAM_INVALID, "copy kind %d does not fit pageable host memory", kind);
	if (on_host(to.loc) && on_host(from.loc)) {
		*form = COPY_FAILS_LATER;
		return npu_answer(COPY_HOST_TO_HOST, "asynchronous copy from host to host");
	}
	if (pageable && dst != src)
		*form = COPY_NOW;
	return ACL_SUCCESS;
}

aclError copy_pageable_ready(struct stream *s)
{
	if (s->capture)
		return npu_answer(
			PAGEABLE_COPY_CAPTURED, "pageable memory copy does not support graph capture");
	if (capture_forbids())
		return npu_answer(
			PAGEABLE_COPY_BESIDE_CAPTURE, "pageable memory copy while a capture is open");
	return stream_wait(s, 0);
}

static aclError submit_failing(struct stream *s);

aclError copy_submit(struct stream *s, const struct area *a, aclrtMemcpyKind kind, enum copy_form form)
{
	struct area *one;
	void *staged = NULL;

	if (form == COPY_FAILS_LATER)
		return submit_failing(s);
	one = malloc(sizeof(*one));
	if (one) {
		*one = *a;
		if (kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE && !npu_on_device() && a->height == 1) {
			staged = malloc(a->width);
			if (staged && !place_of(a->src).safe)
				bytes_move(staged, true, a->src, false, a->width);
			else if (staged)
				memcpy(staged, place_of(a->src).host, a->width);
			one->src = staged ? staged : a->src;
		}
	}
	return stream_submit(s, copy_op_new(one, 1, staged));
}

static aclError failing_run(struct op *op, struct lane *lane)
{
	(void)op;
	(void)lane;
	return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
}

/* Host to host, accepted by the oldest profile and refused by its device. */
static const struct op_type failing_type = {.name = "MEMCPY_ASYNC", .run = failing_run};

static aclError submit_failing(struct stream *s)
{
	return stream_submit(s, op_new(&failing_type, sizeof(struct op)));
}

/* Stream, location and direction, nothing to do, pageable memory, queue. *now: copy when the lock is gone. */
static aclError copy_async(const struct area *a, aclrtMemcpyKind kind, aclrtStream stream, bool *now)
{
	struct stream *s;
	enum copy_form form;
	aclError rc = stream_find(stream, STREAM_SUBMIT, &s);

	if (!rc)
		rc = copy_classify(a->dst, a->src, kind, &form);
	if (rc || form == COPY_NOTHING)
		return rc;
	*now = form == COPY_NOW && kind != ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE;
	return *now ? copy_pageable_ready(s) : copy_submit(s, a, kind, form);
}

aclError aclrtMemcpyAsync(
	void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind, aclrtStream stream)
{
	struct area a = {dst, src, count, count, count, 1};
	bool now = false;
	aclError rc;

	if (copy_zero(count, &rc))
		return rc;
	rc = check_arguments(dst, destMax, src, count, kind);
	if (!rc)
		rc = LOCKED(copy_async(&a, kind, stream, &now));
	if (rc || !now)
		return rc;
	rc = copy_now(&a);
	return rc ? npu_err(rc, "the copy from %p to %p failed", src, dst) : ACL_SUCCESS;
}

/* The condition is the copy's own: nothing to decide on this side. */
aclError aclrtMemcpyAsyncWithCondition(
	void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind, aclrtStream stream)
{
	return aclrtMemcpyAsync(dst, destMax, src, count, kind, stream);
}
