/* SPDX-License-Identifier: Apache-2.0 */
/* aclrtMemcpy, aclrtMemcpyAsync: checks in the documented order, direction, pageable memory. */
#include <stdlib.h>
#include <string.h>

#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/graph/capture.h"
#include "tools/softnpu/memory/copy.h"

bool copy_nothing(size_t count)
{
	return !count && !npu_code(NPU_COPY_OF_NOTHING);
}

aclError copy_not_nothing(size_t count)
{
	return count ? ACL_SUCCESS : npu_answer(COPY_OF_NOTHING, "count is 0");
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
	aclError rc = dst == src ? ACL_SUCCESS : LOCKED(may_copy_now());

	return rc || dst == src ? rc : copy_by_caller(&a);
}

/* What the two places say about a copy's kind. */
#define KIND(k) (1u << ACL_MEMCPY_##k)
#define ANY (KIND(HOST_TO_HOST) | KIND(HOST_TO_DEVICE) | KIND(DEVICE_TO_HOST) | KIND(DEVICE_TO_DEVICE))

static const struct direction {
	enum location src, dst;
	aclrtMemcpyKind kind; /* what it is when the caller leaves it open */
	unsigned allowed; /* what the caller may call it instead; 0: what the caller says does not count */
} directions[] = {
	{LOC_HOST, LOC_DEVICE, ACL_MEMCPY_HOST_TO_DEVICE, 0},
	{LOC_DEVICE, LOC_HOST, ACL_MEMCPY_DEVICE_TO_HOST, 0},
	{LOC_HOST, LOC_HOST, ACL_MEMCPY_HOST_TO_HOST, 0},
	{LOC_DEVICE, LOC_DEVICE, ACL_MEMCPY_DEVICE_TO_DEVICE, 0},
	{LOC_UNREGISTERED, LOC_DEVICE, ACL_MEMCPY_HOST_TO_DEVICE,
		KIND(HOST_TO_DEVICE) | KIND(DEVICE_TO_DEVICE)},
	{LOC_DEVICE, LOC_UNREGISTERED, ACL_MEMCPY_DEVICE_TO_HOST,
		KIND(DEVICE_TO_HOST) | KIND(DEVICE_TO_DEVICE)},
	{LOC_HOST, LOC_UNREGISTERED, ACL_MEMCPY_HOST_TO_HOST, KIND(HOST_TO_HOST) | KIND(HOST_TO_DEVICE)},
	{LOC_UNREGISTERED, LOC_HOST, ACL_MEMCPY_HOST_TO_HOST, KIND(HOST_TO_HOST) | KIND(DEVICE_TO_HOST)},
	{LOC_UNREGISTERED, LOC_UNREGISTERED, ACL_MEMCPY_HOST_TO_HOST, ANY},
};

static aclError staged_direction(enum location src, enum location dst)
{
	if ((src != LOC_HOST && src != LOC_UNREGISTERED) || dst != LOC_DEVICE)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "a staged copy goes from host to device");
	return ACL_SUCCESS;
}

static aclError correct(enum location src, enum location dst, aclrtMemcpyKind *kind)
{
	if (*kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE)
		return staged_direction(src, dst);
	for (size_t i = 0; i < ARRAY_SIZE(directions); i++) {
		const struct direction *d = &directions[i];

		if (d->src != src || d->dst != dst)
			continue;
		if (!d->allowed || *kind == ACL_MEMCPY_DEFAULT)
			*kind = d->kind;
		else if (!(d->allowed & 1u << *kind))
			return npu_err(ACL_ERROR_RT_PARAM_INVALID,
				"copy kind %d does not fit pageable host memory", *kind);
	}
	return ACL_SUCCESS; /* managed memory: as the caller says */
}

static bool needs_the_caller(enum location src, enum location dst, aclrtMemcpyKind kind)
{
	return (src == LOC_UNREGISTERED || dst == LOC_UNREGISTERED) && kind != ACL_MEMCPY_DEVICE_TO_DEVICE &&
	       kind != ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE;
}

aclError copy_classify(const void *dst, const void *src, aclrtMemcpyKind *kind, enum copy_form *form)
{
	enum location to = place_of(dst).loc, from = place_of(src).loc;
	aclError rc;

	*form = COPY_QUEUED;
	if (npu_on_device())
		return ACL_SUCCESS;
	rc = correct(from, to, kind);
	if (!rc && needs_the_caller(from, to, *kind))
		*form = COPY_NOW;
	return rc;
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

/* What the source holds now. */
static aclError stage(const struct area *a, void **staged)
{
	struct place src = place_of(a->src);
	aclError rc;

	*staged = a->width <= src.room ? malloc(a->width) : NULL;
	if (!*staged)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory to stage %zu bytes", a->width);
	rc = bytes_move(*staged, true, src.host, src.safe, a->width);
	if (!rc)
		return ACL_SUCCESS;
	free(*staged);
	return npu_err(rc, "%p..+%zu cannot be read", a->src, a->width);
}

aclError copy_submit(struct stream *s, const struct area *a, aclrtMemcpyKind kind, enum copy_form form)
{
	struct area *one;
	void *staged = NULL;
	bool stages = kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE && !npu_on_device() && a->height == 1;
	aclError rc = ACL_SUCCESS;

	if (form == COPY_FAILS_LATER)
		return submit_failing(s);
	if (stages)
		rc = stage(a, &staged);
	if (rc)
		return rc;
	one = malloc(sizeof(*one));
	if (one)
		*one = *a;
	if (one && staged)
		one->src = staged;
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

/* Host to host is nothing that a device does. */
static aclError refuse_inside_host(aclrtMemcpyKind kind, enum copy_form *form)
{
	if (kind != ACL_MEMCPY_HOST_TO_HOST || npu_on_device())
		return ACL_SUCCESS;
	*form = COPY_FAILS_LATER;
	return npu_answer(COPY_HOST_TO_HOST, "asynchronous copy from host to host");
}

/* Location and direction, nothing to do, pageable memory, then whose stream it is and the queue. *now: copy
 * when the lock is gone. */
static aclError copy_async(const struct area *a, aclrtMemcpyKind kind, aclrtStream stream, bool *now)
{
	struct stream *s;
	enum copy_form form;
	aclError rc = stream_named(stream, STREAM_SUBMIT, &s);

	if (!rc && kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE && s && s->bound)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "not for a stream of a model");
	if (!rc)
		rc = stream_enter(STREAM_QUERY, &s);
	if (!rc)
		rc = copy_classify(a->dst, a->src, &kind, &form);
	if (!rc)
		rc = refuse_inside_host(kind, &form);
	if (rc || a->dst == a->src)
		return rc;
	*now = form == COPY_NOW;
	if (*now)
		return copy_pageable_ready(s);
	rc = stream_enter(STREAM_SUBMIT, &s);
	return rc ? rc : copy_submit(s, a, kind, form);
}

aclError aclrtMemcpyAsync(
	void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind, aclrtStream stream)
{
	struct area a = {dst, src, count, count, count, 1};
	bool now = false;
	aclError rc = LOCKED(copy_async(&a, kind, stream, &now));

	return rc || !now ? rc : copy_by_caller(&a);
}

/* The condition is the copy's own: nothing to decide on this side. */
aclError aclrtMemcpyAsyncWithCondition(
	void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind, aclrtStream stream)
{
	return aclrtMemcpyAsync(dst, destMax, src, count, kind, stream);
}
