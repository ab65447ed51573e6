/* SPDX-License-Identifier: Apache-2.0 */
/* Stream capture. */
#include "capture.h"

#include "model.h"

aclError capture_append(struct stream *s, struct op *op)
{
	(void)s;
	op_put(op);
	return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
}

aclError capture_record(struct stream *s, struct event *ev)
{
	(void)s;
	(void)ev;
	return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
}

aclError capture_wait(struct stream *s, struct event *ev)
{
	return capture_record(s, ev);
}

aclError capture_reset(struct stream *s, struct event *ev)
{
	return capture_record(s, ev);
}

aclError capture_refuses(void)
{
	return ACL_SUCCESS;
}

void captures_release_context(struct context *ctx)
{
	(void)ctx;
}

void models_release_context(struct context *ctx)
{
	(void)ctx;
}
