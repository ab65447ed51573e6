/* SPDX-License-Identifier: Apache-2.0 */
/* Taking the copy functions' arguments apart. */
#include "checks/legs.h"

static uint64_t batch_entries(const struct acl_args_aclrtMemcpyBatch *a)
{
	return a->dsts && a->srcs && a->sizes ? a->numBatches : 0;
}

static struct copy_leg batch_leg(const struct acl_args_aclrtMemcpyBatch *a, uint64_t i)
{
	return (struct copy_leg){
		a->dsts[i], a->srcs[i], a->sizes[i], a->sizes[i], ACL_MEMCPY_DEFAULT, 99, 99, i};
}

/* The four batch functions have the same first parameters. */
_Static_assert(offsetof(struct acl_args_aclrtMemcpyBatch, numBatches) ==
		       offsetof(struct acl_args_aclrtMemcpyBatchAsync, numBatches),
	"batch forms differ");
_Static_assert(offsetof(struct acl_args_aclrtMemcpyBatch, numBatches) ==
		       offsetof(struct acl_args_aclrtMemcpyBatchV2, numBatches),
	"batch forms differ");
_Static_assert(offsetof(struct acl_args_aclrtMemcpyBatch, numBatches) ==
		       offsetof(struct acl_args_aclrtMemcpyBatchAsyncV2, numBatches),
	"batch forms differ");
/* So have the plain and the 2D ones. */
_Static_assert(
	offsetof(struct acl_args_aclrtMemcpy, kind) == offsetof(struct acl_args_aclrtMemcpyAsync, kind) &&
		offsetof(struct acl_args_aclrtMemcpy, kind) ==
			offsetof(struct acl_args_aclrtMemcpyAsyncWithCondition, kind),
	"1D forms differ");
_Static_assert(
	offsetof(struct acl_args_aclrtMemcpy2d, kind) == offsetof(struct acl_args_aclrtMemcpy2dAsync, kind),
	"2D forms differ");
_Static_assert(offsetof(struct acl_args_aclrtMemcpyToSymbol, kind) ==
		       offsetof(struct acl_args_aclrtMemcpyToSymbolAsync, kind),
	"symbol forms differ");
_Static_assert(offsetof(struct acl_args_aclrtMemcpyFromSymbol, kind) ==
		       offsetof(struct acl_args_aclrtMemcpyFromSymbolAsync, kind),
	"symbol forms differ");

uint64_t legs_count(const struct acl_event *ev)
{
	switch (ev->api) {
	case ACL_API_aclrtMemcpy:
	case ACL_API_aclrtMemcpyAsync:
	case ACL_API_aclrtMemcpyAsyncWithCondition:
		return ACL_ARGS(ev, aclrtMemcpy)->count != 0;
	case ACL_API_aclrtMemcpy2d:
	case ACL_API_aclrtMemcpy2dAsync:
		return ACL_ARGS(ev, aclrtMemcpy2d)->width && ACL_ARGS(ev, aclrtMemcpy2d)->height;
	case ACL_API_aclrtMemcpyBatch:
	case ACL_API_aclrtMemcpyBatchAsync:
	case ACL_API_aclrtMemcpyBatchV2:
	case ACL_API_aclrtMemcpyBatchAsyncV2:
		return batch_entries(ev->args);
	case ACL_API_aclrtMemcpyToSymbol:
	case ACL_API_aclrtMemcpyToSymbolAsync:
		return ACL_ARGS(ev, aclrtMemcpyToSymbol)->count != 0;
	case ACL_API_aclrtMemcpyFromSymbol:
	case ACL_API_aclrtMemcpyFromSymbolAsync:
		return ACL_ARGS(ev, aclrtMemcpyFromSymbol)->count != 0;
	}
	return 0;
}

static uint64_t rows_span(uint64_t pitch, uint64_t width, uint64_t height)
{
	uint64_t span;

	/* The last row needs only its width; an absurd product touches nothing we could name. */
	if (__builtin_mul_overflow(pitch, height - 1, &span) || __builtin_add_overflow(span, width, &span))
		return width;
	return span;
}

struct copy_leg legs_at(const struct acl_event *ev, uint64_t i)
{
	switch (ev->api) {
	case ACL_API_aclrtMemcpy2d:
	case ACL_API_aclrtMemcpy2dAsync: {
		const struct acl_args_aclrtMemcpy2d *a = ev->args;

		return (struct copy_leg){a->dst, a->src, rows_span(a->dpitch, a->width, a->height),
			rows_span(a->spitch, a->width, a->height), a->kind, 0, 2, 0};
	}
	case ACL_API_aclrtMemcpyBatch:
	case ACL_API_aclrtMemcpyBatchAsync:
	case ACL_API_aclrtMemcpyBatchV2:
	case ACL_API_aclrtMemcpyBatchAsyncV2:
		return batch_leg(ev->args, i);
	case ACL_API_aclrtMemcpyToSymbol:
	case ACL_API_aclrtMemcpyToSymbolAsync: {
		const struct acl_args_aclrtMemcpyToSymbol *a = ev->args;

		return (struct copy_leg){NULL, a->src, a->count, a->count, a->kind, 99, 1, 0};
	}
	case ACL_API_aclrtMemcpyFromSymbol:
	case ACL_API_aclrtMemcpyFromSymbolAsync: {
		const struct acl_args_aclrtMemcpyFromSymbol *a = ev->args;

		return (struct copy_leg){a->dst, NULL, a->count, a->count, a->kind, 0, 99, 0};
	}
	default: {
		const struct acl_args_aclrtMemcpy *a = ev->args;

		return (struct copy_leg){a->dst, a->src, a->count, a->count, a->kind, 0, 2, 0};
	}
	}
}
