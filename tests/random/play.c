/* SPDX-License-Identifier: Apache-2.0 */
#include "play.h"

#include <string.h>

#include "checks/checks.h"

#define BYTES ((size_t)UNITS * UNIT)

#define MAKE(play, thread, function, ...)                                                                    \
	do {                                                                                                 \
		struct acl_args_##function args_ = {__VA_ARGS__};                                            \
		(play)->call((play)->context, thread, ACL_API_##function, &args_);                           \
	} while (0)

/* --- memory ----------------------------------------------------------------------------- */

static void *place(const struct play *play, unsigned block, unsigned unit)
{
	char *base = play->block[block] ? play->block[block] : play->freed[block];

	return base + (size_t)unit * UNIT;
}

static void allocate(struct play *play, unsigned thread, unsigned block)
{
	if (play->block[block])
		return;
	if (block_is_host(block)) {
		MAKE(play, thread, aclrtMallocHost, .hostPtr = &play->block[block], .size = BYTES);
		return;
	}
	MAKE(play, thread, aclrtMalloc, .devPtr = &play->block[block], .size = BYTES);
	MAKE(play, thread, aclrtMemset, .devPtr = play->block[block], .maxCount = BYTES, .count = BYTES);
}

static void release(struct play *play, unsigned thread, unsigned block)
{
	void *at = place(play, block, 0);

	play->freed[block] = at;
	play->block[block] = NULL;
	if (block_is_host(block))
		MAKE(play, thread, aclrtFreeHost, .hostPtr = at);
	else
		MAKE(play, thread, aclrtFree, .devPtr = at);
}

static aclrtMemcpyKind direction(const struct step *s)
{
	if (block_is_host(s->src))
		return ACL_MEMCPY_HOST_TO_DEVICE;
	return block_is_host(s->dst) ? ACL_MEMCPY_DEVICE_TO_HOST : ACL_MEMCPY_DEVICE_TO_DEVICE;
}

static void copy(struct play *play, const struct step *s)
{
	size_t bytes = (size_t)s->units * UNIT;
	void *to = place(play, s->dst, s->dst_at), *from = place(play, s->src, s->src_at);

	if (s->kind == STEP_COPY_NOW)
		MAKE(play, s->thread, aclrtMemcpy, .dst = to, .destMax = bytes, .src = from, .count = bytes,
			.kind = direction(s));
	else if (s->kind == STEP_COPY)
		MAKE(play, s->thread, aclrtMemcpyAsync, .dst = to, .destMax = bytes, .src = from,
			.count = bytes, .kind = direction(s), .stream = play->stream[s->stream]);
	else
		MAKE(play, s->thread, aclrtMemcpy2dAsync, .dst = to, .dpitch = 2 * UNIT, .src = from,
			.spitch = 2 * UNIT, .width = UNIT, .height = s->units, .kind = direction(s),
			.stream = play->stream[s->stream]);
}

/* --- models ----------------------------------------------------------------------------------- */

static void capture(struct play *play, const struct step *s)
{
	void *stream = play->stream[s->stream];
	struct step copied = *s;

	if (play->model[s->model])
		return;
	copied.kind = STEP_COPY;
	MAKE(play, s->thread, aclmdlRICaptureBegin, .stream = stream,
		.mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	copy(play, &copied);
	MAKE(play, s->thread, aclrtMemsetAsync, .devPtr = place(play, s->set, s->set_at),
		.maxCount = (size_t)s->set_units * UNIT, .count = (size_t)s->set_units * UNIT,
		.stream = stream);
	MAKE(play, s->thread, aclmdlRICaptureEnd, .stream = stream, .modelRI = &play->model[s->model]);
}

static void destroy(struct play *play, unsigned thread, unsigned model)
{
	if (play->model[model])
		MAKE(play, thread, aclmdlRIDestroy, .modelRI = play->model[model]);
	play->model[model] = NULL;
}

/* --- waiting ------------------------------------------------------------------------------ */

static void synchronise_stream(struct play *play, const struct step *s)
{
	if (s->spelling % 2)
		MAKE(play, s->thread, aclrtSynchronizeStreamWithTimeout, .stream = play->stream[s->stream],
			.timeout = -1);
	else
		MAKE(play, s->thread, aclrtSynchronizeStream, .stream = play->stream[s->stream]);
}

static void synchronise_event(struct play *play, const struct step *s)
{
	if (s->spelling % 2)
		MAKE(play, s->thread, aclrtSynchronizeEventWithTimeout, .event = play->event[s->event],
			.timeout = -1);
	else
		MAKE(play, s->thread, aclrtSynchronizeEvent, .event = play->event[s->event]);
}

/* The caller answers once the stream, or the event, is done. */
static void query(struct play *play, const struct step *s)
{
	aclrtStreamStatus stream_status = ACL_STREAM_STATUS_COMPLETE;
	aclrtEventRecordedStatus event_status = ACL_EVENT_RECORDED_STATUS_COMPLETE;

	if (s->kind == STEP_QUERY_STREAM)
		MAKE(play, s->thread, aclrtStreamQuery, .stream = play->stream[s->stream],
			.status = &stream_status);
	else
		MAKE(play, s->thread, aclrtQueryEventStatus, .event = play->event[s->event],
			.status = &event_status);
}

/* --- steps ---------------------------------------------------------------------------------- */

void play_begin(struct play *play)
{
	memset(play->block, 0, sizeof(play->block));
	memset(play->model, 0, sizeof(play->model));
	for (unsigned i = 0; i < STREAMS; i++)
		MAKE(play, 0, aclrtCreateStream, .stream = &play->stream[i]);
	for (unsigned i = 0; i < EVENTS; i++)
		MAKE(play, 0, aclrtCreateEvent, .event = &play->event[i]);
	for (unsigned i = 0; i < BLOCKS; i++)
		allocate(play, 0, i);
}

void play_step(struct play *play, const struct step *s)
{
	switch (s->kind) {
	case STEP_COPY:
	case STEP_COPY_ROWS:
	case STEP_COPY_NOW:
		copy(play, s);
		break;
	case STEP_SET:
		MAKE(play, s->thread, aclrtMemsetAsync, .devPtr = place(play, s->dst, s->dst_at),
			.maxCount = (size_t)s->units * UNIT, .count = (size_t)s->units * UNIT,
			.stream = play->stream[s->stream]);
		break;
	case STEP_RECORD:
		MAKE(play, s->thread, aclrtRecordEvent, .event = play->event[s->event],
			.stream = play->stream[s->stream]);
		break;
	case STEP_WAIT:
		MAKE(play, s->thread, aclrtStreamWaitEvent, .stream = play->stream[s->stream],
			.event = play->event[s->event]);
		break;
	case STEP_SYNC_STREAM:
		synchronise_stream(play, s);
		break;
	case STEP_SYNC_EVENT:
		synchronise_event(play, s);
		break;
	case STEP_SYNC_DEVICE:
		MAKE(play, s->thread, aclrtSynchronizeDevice, .none_ = 0);
		break;
	case STEP_QUERY_STREAM:
	case STEP_QUERY_EVENT:
		query(play, s);
		break;
	case STEP_FREE:
		release(play, s->thread, s->dst);
		break;
	case STEP_ALLOCATE:
		allocate(play, s->thread, s->dst);
		break;
	case STEP_CAPTURE:
		capture(play, s);
		break;
	case STEP_REPLAY:
		if (play->model[s->model])
			MAKE(play, s->thread, aclmdlRIExecuteAsync, .modelRI = play->model[s->model],
				.stream = play->stream[s->stream]);
		break;
	case STEP_DESTROY:
		destroy(play, s->thread, s->model);
		break;
	}
}

void play_end(struct play *play)
{
	for (unsigned i = 0; i < STREAMS; i++)
		MAKE(play, 0, aclrtSynchronizeStream, .stream = play->stream[i]);
	for (unsigned i = 0; i < MODELS; i++)
		destroy(play, 0, i);
	for (unsigned i = 0; i < EVENTS; i++)
		MAKE(play, 0, aclrtDestroyEvent, .event = play->event[i]);
	for (unsigned i = 0; i < STREAMS; i++)
		MAKE(play, 0, aclrtDestroyStream, .stream = play->stream[i]);
	for (unsigned i = 0; i < BLOCKS; i++)
		if (play->block[i])
			release(play, 0, i);
}
