/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts, and which one is current in a thread. */
#include <stdlib.h>

#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/core/device.h"
#include "tools/softnpu/core/state_callback.h"
#include "tools/softnpu/graph/model.h"
#include "tools/softnpu/sync/stream.h"

static __thread struct thread_state state = {.device = -1};
static int default_device = -1;

struct thread_state *npu_thread(void)
{
	return &state;
}

void device_set_default(int id)
{
	default_device = id;
}

static struct context *explicit_context(void)
{
	struct object *o = object_find(state.context, OBJ_CONTEXT);
	struct context *ctx = container_of(o, struct context, obj);

	return o && o->generation == state.context_generation && !ctx->dying ? ctx : NULL;
}

static bool contexts_are_kept(void)
{
	return npu_fact(NPU_CONTEXTS_ARE_KEPT);
}

/* What is left of a context that is gone goes with the last thread that it is current in. */
void context_unbind(void)
{
	struct object *o = object_find(state.context, OBJ_CONTEXT);
	struct context *ctx = container_of(o, struct context, obj);

	if (o && o->generation == state.context_generation && !ctx->primary && !--ctx->bound && ctx->gone)
		object_kill(o);
	state.context = NULL;
}

/* The thread finds its context gone. */
static void notice(aclrtContext handle)
{
	if (contexts_are_kept() && state.context == handle && !explicit_context())
		context_unbind();
}

/* The default context of the device, until it is gone and again when it is back. */
static struct context *bound_context(void)
{
	const struct device *dev = device_get(state.device);

	if (state.bound_scheduler)
		return NULL;
	if (dev->retired)
		state.device = -1;
	return dev->primary;
}

struct context *context_current(void)
{
	struct context *ctx;

	if (state.context) {
		ctx = explicit_context();
		if (!ctx && contexts_are_kept())
			context_unbind();
		return ctx;
	}
	if (state.device >= 0)
		return bound_context();
	if (default_device >= 0 && !device_set(default_device))
		return device_get(default_device)->primary;
	return NULL;
}

aclError context_need(struct context **ctx)
{
	*ctx = context_current();
	if (*ctx)
		return ACL_SUCCESS;
	return npu_err(ACL_ERROR_RT_CONTEXT_NULL, "this thread has no context: call aclrtSetDevice first");
}

void context_bind(struct context *ctx)
{
	context_unbind();
	ctx->bound++;
	state.context = object_handle(&ctx->obj);
	state.context_generation = ctx->obj.generation;
	state.device = -1;
}

static void context_release(struct object *o)
{
	free(container_of(o, struct context, obj));
}

static bool context_open(struct context *ctx, struct device *dev, bool primary)
{
	*ctx = (struct context){.obj = ctx->obj, .dev = dev, .primary = primary};
	list_init(&ctx->streams);
	list_init(&ctx->models);
	ctx->default_stream = stream_new(ctx, 0, 0);
	ctx->dying = !ctx->default_stream;
	return ctx->default_stream;
}

struct context *context_new(struct device *dev, bool primary)
{
	struct context *ctx = calloc(1, sizeof(*ctx));

	if (!ctx || !object_init(&ctx->obj, OBJ_CONTEXT, context_release)) {
		free(ctx);
		return NULL;
	}
	if (!context_open(ctx, dev, primary)) {
		object_kill(&ctx->obj);
		return NULL;
	}
	return ctx;
}

struct context *context_primary(struct device *dev)
{
	struct context *ctx = dev->retired;

	if (!ctx)
		return context_new(dev, true);
	if (!context_open(ctx, dev, true))
		return NULL;
	dev->retired = NULL;
	return ctx;
}

void context_destroy(struct context *ctx)
{
	ctx->dying = true;
	captures_release_context(ctx);
	while (!list_empty(&ctx->streams)) {
		struct stream *s = list_first(&ctx->streams, struct stream, link);

		object_get(&s->obj);
		lane_drain(&s->lane);
		stream_remove(s);
		object_put(&s->obj);
	}
	models_release_context(ctx);
	memory_release_context(ctx);
	if (contexts_are_kept() && state.context == object_handle(&ctx->obj))
		context_unbind();
	ctx->gone = true;
	/* Another thread may have set the device again while this one waited. */
	if (ctx->primary && contexts_are_kept() && !ctx->dev->primary)
		ctx->dev->retired = ctx;
	else if (ctx->primary || !ctx->bound || !contexts_are_kept())
		object_kill(&ctx->obj);
}

static aclError context_make(aclrtContext *out, int32_t id, aclrtStream *own)
{
	struct device *dev = device_find(id);
	struct context *ctx;

	if (!dev)
		return ACL_ERROR_RT_INVALID_DEVICEID;
	if (dev->streams >= CFG(streams))
		return npu_err(ACL_ERROR_RT_NO_STREAM_RESOURCE,
			"the device has no stream left for the context's own");
	ctx = context_new(dev, false);
	if (!ctx)
		return npu_err(
			ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "no resources for a context on device %d", id);
	dev->contexts++;
	context_bind(ctx);
	*out = object_handle(&ctx->obj);
	*own = object_handle(&ctx->default_stream->obj);
	return ACL_SUCCESS;
}

/* Those whose end callbacks hear of, its own stream first; none when there is no memory for it. */
size_t context_streams(const struct context *ctx, aclrtStream **all)
{
	struct stream *s;
	size_t n = 0;

	list_for_each(s, &ctx->streams, link) n++;
	*all = calloc(n, sizeof(**all));
	n = 0;
	if (*all)
		list_for_each(s, &ctx->streams, link) if (stream_notifies_end(s))(*all)[n++] =
			object_handle(&s->obj);
	return n;
}

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
	aclrtStream own = NULL;
	aclError rc;

	device_notify_of_opening(deviceId);
	rc = LOCKED(context_make(context, deviceId, &own));
	if (!rc)
		stream_state_notify(own, ACL_RT_STREAM_STATE_CREATE_POST);
	return rc;
}

static aclError context_endable(aclrtContext handle, struct context **ctx)
{
	struct object *o;

	notice(handle);
	o = object_find(handle, OBJ_CONTEXT);
	*ctx = container_of(o, struct context, obj);
	if (!o || (*ctx)->primary)
		return npu_err(
			ACL_ERROR_RT_CONTEXT_NULL, "%p is not a context of aclrtCreateContext", handle);
	if ((*ctx)->dying)
		return npu_err(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "context %p is being destroyed", handle);
	return ACL_SUCCESS;
}

static aclError streams_to_end(aclrtContext handle, aclrtStream **all, size_t *n)
{
	struct context *ctx;
	aclError rc = context_endable(handle, &ctx);

	if (!rc)
		*n = context_streams(ctx, all);
	return rc;
}

static aclError context_end(aclrtContext handle)
{
	struct context *ctx;
	struct device *dev;
	aclError rc = context_endable(handle, &ctx);

	if (rc)
		return rc;
	dev = ctx->dev;
	context_destroy(ctx);
	dev->contexts--;
	device_release(dev);
	return ACL_SUCCESS;
}

aclError aclrtDestroyContext(aclrtContext context)
{
	aclrtStream *all;
	size_t n;
	aclError rc = LOCKED(streams_to_end(context, &all, &n));

	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++)
		stream_state_notify(all[i], ACL_RT_STREAM_STATE_DESTROY_PRE);
	free(all);
	return LOCKED(context_end(context));
}

static aclError set_current(aclrtContext handle)
{
	struct object *o;

	notice(handle);
	o = object_find(handle, OBJ_CONTEXT);
	if (o && !container_of(o, struct context, obj)->dying) {
		context_bind(container_of(o, struct context, obj));
		return ACL_SUCCESS;
	}
	if (npu_code(NPU_CONTEXT_GONE_MADE_CURRENT))
		return npu_answer(CONTEXT_GONE_MADE_CURRENT, "%p is not a context", handle);
	/* Older releases take a dead context and fail at its first use. */
	state.context = handle;
	state.context_generation = 0;
	state.device = -1;
	return ACL_SUCCESS;
}

aclError aclrtSetCurrentContext(aclrtContext context)
{
	return LOCKED(set_current(context));
}

static aclError get_current(aclrtContext *out)
{
	struct context *ctx;
	aclError rc;

	if (state.context && !explicit_context() && !contexts_are_kept()) {
		*out = state.context;
		return ACL_SUCCESS;
	}
	rc = context_need(&ctx);
	if (!rc)
		*out = object_handle(&ctx->obj);
	return rc;
}

aclError aclrtGetCurrentContext(aclrtContext *context)
{
	return LOCKED(get_current(context));
}

static aclError get_default_stream(aclrtStream *out)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (!rc)
		*out = object_handle(&ctx->default_stream->obj);
	return rc;
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream)
{
	return LOCKED(get_default_stream(stream));
}
