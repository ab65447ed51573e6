/* SPDX-License-Identifier: Apache-2.0 */
/* Streams and submitting to them. */
#ifndef SOFTNPU_STREAM_H
#define SOFTNPU_STREAM_H

#include "tools/softnpu/core/device.h"
#include "tools/softnpu/core/lane.h"

struct capture;
struct model;

struct stream {
	struct object obj;
	struct lane lane;
	struct context *ctx;
	struct list link; /* in ctx->streams */
	int id;
	uint32_t priority, flags;
	uint64_t failure_mode; /* ACL_CONTINUE_ON_FAILURE, ACL_STOP_ON_FAILURE */
	uint32_t overflow_switch, tag, cache_op_info;
	aclError error; /* of a failed task, until a synchronise reports it */
	struct capture *capture; /* taking part in an open capture */
	unsigned capture_lane; /* which stream of the capture's model it is */
	bool grouping; /* between TaskGrpBegin and End; a capture that ends in between leaves it so */
	bool group_open; /* the same, in the capture it takes part in */
	unsigned group_first; /* its first task */
	struct model *bound; /* built model it was bound to */
	bool subscribed; /* aclrtSubscribeReport, for the thread with this id */
	uint64_t subscriber;
	bool host_func; /* used aclrtLaunchHostFunc: no subscription any more */
	bool host_subscribed; /* aclrtSubscribeHostFunc, for the thread with this id */
	uint64_t host_subscriber;
	uint32_t res_limit[2];
	bool res_limit_set[2];
	uint64_t records; /* of events, counted once there is a pool */
	struct followed *followed; /* streams that it waited for (follow.c) */
	unsigned n_followed;
	struct group_update *update; /* between TaskUpdateBegin and End: kernels replace tasks of a model */
};

/* What a call wants of a stream; decides the checks and the code for a dead handle. */
enum stream_use {
	STREAM_QUERY, /* any context: synchronise, query, attributes */
	STREAM_SUBMIT /* the current context: submit, record, wait, destroy */
};

/* The stream a lane is of; NULL for a lane of a replay. */
struct stream *lane_stream(struct lane *lane);
/* The stream behind a handle that is not NULL, whatever context is current. */
aclError stream_of(aclrtStream handle, enum stream_use use, struct stream **s);
/* Finds the stream; NULL is the default stream of the current context. */
aclError stream_find(aclrtStream handle, enum stream_use use, struct stream **s);
/*
 * The same in two steps, for calls that refuse some streams before they look for a context.
 * The first leaves NULL for the stream of a NULL handle.
 */
aclError stream_named(aclrtStream handle, enum stream_use use, struct stream **s);
aclError stream_enter(enum stream_use use, struct stream **s);
/* Between the two, where a NULL handle without a context is a wrong argument. */
aclError stream_default(struct stream **s);
/* Between the two: 107027 when it takes part in a capture. */
aclError stream_not_capturing(const struct stream *s);
/* The priority that a stream gets: a number with a sign, in the range that there is. */
#define STREAM_PRIORITY_LOWEST 7
uint32_t stream_priority(uint32_t wanted);
/* The living one with that id, or NULL. */
struct stream *stream_of_id(int id);
struct stream *stream_new(struct context *ctx, uint32_t priority, uint32_t flags);
/* Gives up the handle and the context's reference. Its work must be over. */
void stream_remove(struct stream *s);
/* Whether callbacks hear of its end: not of one that the CPU schedules. */
bool stream_notifies_end(const struct stream *s);
/*
 * Appends op to the stream, or to the model when the stream is capturing.
 * Takes over the reference to op (NULL = out of memory) even on failure.
 */
aclError stream_submit(struct stream *s, struct op *op);
/* Only captures cache operator information, as the stream that each began on is set: what asking gives, too.
 */
bool stream_caches_op_info(const struct stream *s);
/* Refused because the stream stopped after an error? */
aclError stream_check_stopped(struct stream *s);
/* Waits for everything submitted; gives the stream's error. deadline as npu_wait. */
aclError stream_wait(struct stream *s, uint64_t deadline);

#endif
