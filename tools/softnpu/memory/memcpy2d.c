/* SPDX-License-Identifier: Apache-2.0 */
/* aclrtMemcpy2d and aclrtMemcpy2dAsync. */
#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/core/snapshot.h"
#include "tools/softnpu/graph/capture.h"
#include "tools/softnpu/memory/copy.h"

#define MAX_WIDTH 5000000u
#define MAX_HEIGHT 5242880u /* 5 * 1024 * 1024 */

/* A copy of no bytes that is accepted is over before its addresses and its stream are looked at. */
static bool is_nothing(const struct area *a)
{
	return (!a->width || !a->height) && !npu_code(NPU_COPY_2D_OF_NOTHING);
}

static aclError check_area(const struct area *a)
{
	if (!a->dst || !a->src)
		return npu_err(ACL_ERROR_INVALID_PARAM, "an address is NULL");
	if (!a->width || !a->height)
		return npu_answer(COPY_2D_OF_NOTHING, "a size is 0");
	if (a->width > a->dpitch || a->width > a->spitch)
		return npu_err(ACL_ERROR_INVALID_PARAM, "width %zu exceeds a pitch", a->width);
	return ACL_SUCCESS;
}

/* The kind must be one of those for 2D copies even where nothing is copied. */
static aclError memcpy2d_check(const struct area *a, aclrtMemcpyKind kind, bool async)
{
	bool one_way = kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_HOST;
	aclError rc;

	if (!one_way && kind != ACL_MEMCPY_DEFAULT && kind != ACL_MEMCPY_DEVICE_TO_DEVICE)
		return npu_err(ACL_ERROR_INVALID_PARAM, "copy kind %d is not for 2D copies", kind);
	if (is_nothing(a))
		return ACL_SUCCESS;
	rc = check_area(a);
	if (!rc && kind == ACL_MEMCPY_DEVICE_TO_DEVICE && !async)
		rc = npu_answer(COPY_2D_INSIDE_DEVICE, "synchronous 2D copy from device to device");
	return rc;
}

static aclError check_size(const struct area *a)
{
	if (a->width > MAX_WIDTH || a->height > MAX_HEIGHT)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "%zu x %zu is too large", a->width, a->height);
	return ACL_SUCCESS;
}

static aclError check_direction(aclrtMemcpyKind kind, bool device_to_device)
{
	if (kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_HOST ||
		(kind == ACL_MEMCPY_DEVICE_TO_DEVICE && device_to_device) || npu_on_device())
		return ACL_SUCCESS;
	return npu_err(ACL_ERROR_RT_PARAM_INVALID, "2D copy between places that it does not connect");
}

static aclError may_copy_now(const struct area *a, aclrtMemcpyKind kind)
{
	struct context *ctx;
	enum copy_form form;
	aclError rc = context_need(&ctx);

	if (!rc)
		rc = copy_classify(a->dst, a->src, &kind, &form);
	if (!rc)
		rc = check_direction(kind, false);
	return rc ? rc : capture_refuses();
}

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
	aclrtMemcpyKind kind)
{
	struct area a = {dst, src, dpitch, spitch, width, height};
	aclError rc = memcpy2d_check(&a, kind, false);

	if (rc || is_nothing(&a))
		return rc;
	NPU_WAIT_IF_LOCKED
	rc = check_size(&a);
	if (!rc)
		rc = LOCKED(may_copy_now(&a, kind));
	return rc ? rc : copy_by_caller(&a);
}

static aclError copy_async(const struct area *a, aclrtMemcpyKind kind, aclrtStream stream, bool *now)
{
	struct stream *s;
	enum copy_form form;
	aclError rc = stream_named(stream, STREAM_SUBMIT, &s);

	if (!rc)
		rc = stream_default(&s);
	if (!rc)
		rc = stream_enter(STREAM_QUERY, &s);
	if (!rc)
		rc = copy_classify(a->dst, a->src, &kind, &form);
	if (!rc)
		rc = check_direction(kind, true);
	if (rc)
		return rc;
	*now = form == COPY_NOW;
	if (*now)
		return copy_pageable_ready(s);
	rc = stream_enter(STREAM_SUBMIT, &s);
	return rc ? rc : copy_submit(s, a, kind, form);
}

aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
	size_t height, aclrtMemcpyKind kind, aclrtStream stream)
{
	struct area a = {dst, src, dpitch, spitch, width, height};
	bool now = false;
	aclError rc = memcpy2d_check(&a, kind, true);

	if (rc || is_nothing(&a))
		return rc;
	NPU_WAIT_IF_LOCKED
	rc = npu_unless_gone(OBJ_STREAM, stream, check_size(&a));
	if (!rc)
		rc = LOCKED(copy_async(&a, kind, stream, &now));
	return rc || !now ? rc : copy_by_caller(&a);
}
