/* SPDX-License-Identifier: Apache-2.0 */
/* What changes the state of streams; for state modules only. */
#ifndef CHECKS_STREAM_CHANGE_H
#define CHECKS_STREAM_CHANGE_H

#include "checks/engine/instance.h"

/* The host observed the stream at position; what its tasks waited for is done too. sure: else only perhaps.
 */
void stream_retire(struct checks *c, struct acl_object *stream, uint64_t position, bool sure);

/* Its tasks up to position run no more, as far as they had not: what they waited for may never have come. */
void stream_given_up(struct checks *c, struct acl_object *stream, uint64_t position);

/* stream waits (at its position) until source has reached its position. */
void stream_waits_for(struct checks *c, struct acl_object *stream, uint64_t position,
	struct acl_object *source, uint64_t source_position);
/* … or for something that is not seen; for_record: it is a record, unknown which. */
void stream_waits_unseen(struct checks *c, struct acl_object *stream, uint64_t position, bool for_record);

/*
 * What stream waits for, which was not seen, is that source reaches its position.  Of the stream's clocks
 * only: what came after the wait by then stays behind something unseen.
 */
void stream_wait_is_for(struct checks *c, struct acl_object *stream, uint64_t position,
	struct acl_object *source, uint64_t source_position);

/* A task at the position may inform the host of the stream's progress, and so of what comes before, in ways
 * the checker does not see. */
void stream_signals_host(struct checks *c, struct acl_object *stream, uint64_t position);

/* What the host has learnt may be of all there was on any stream so far. */
void streams_signal_host(struct checks *c);

/* A task takes the position: signals of all streams before it are of the tasks in front of it. */
void stream_submits(struct checks *c, struct acl_object *stream, uint64_t position);

/* A task at the position runs a callback of the program. */
void stream_has_callback(struct checks *c, struct acl_object *stream, uint64_t position);
/* It begins, on whatever thread. */
void stream_callback_begins(struct checks *c, struct acl_object *stream, uint64_t position);

/* A kernel at the position. opaque: it is not known what it does. */
void stream_has_kernel(struct checks *c, struct acl_object *stream, uint64_t position, bool opaque);

/* After every change of whether it is captured, bound or updating, or of whether that is certain. */
void stream_special_renew(struct acl_object *stream);

/* Every stream may have progressed unseen. */
void streams_unsure(struct checks *c);

/* A task of the stream uses memory of a device. */
void stream_touches(struct checks *c, struct acl_object *stream, int device, uint64_t position);

#endif
