/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The streams that take part in an open capture: where each joined, what was captured
 * on it last, and which of its records other streams of the capture wait for.  With the
 * capture all of it is forgotten.
 */
#ifndef CHECKS_CAPTURE_STREAMS_H
#define CHECKS_CAPTURE_STREAMS_H

#include "checks/state/capture_state.h"

enum capture_last { LAST_NOTHING, LAST_TASK, LAST_RECORD, LAST_EXTERNAL_RECORD };

#define GROUP_KERNELS 16 /* of which the function is known; all are counted */

struct group_kernels {
	uint32_t n; /* that went through this interface: those of operator libraries do not */
	bool known; /* from the begin of the group on */
	const void *function[GROUP_KERNELS]; /* as passed to the launch */
};

struct capture_stream {
	uint64_t stream; /* acl_ref */
	uint32_t tasks; /* captured on it, numbered 1, 2 … */
	uint32_t waited; /* number of the latest record that another stream of the capture waits for, 0 = none
			  */
	uint8_t last; /* enum capture_last: what task number `tasks` is */
	struct acl_call_site joined; /* (caller 0: it did not happen) the begin of the capture, or the wait
					that took the stream into it */
	struct acl_call_site last_task;
	uint32_t record; /* number of the latest record, 0 = none */
	struct acl_call_site after; /* the first task after that; caller 0: none so far */
	struct acl_call_site late; /* the first task after the record that others wait for, where it is known
				    */
	struct group_kernels group; /* of the task group that is open on it, or was last */
};

/*
 * The streams of an open capture one after the other, beginning with *at 0, the stream of
 * the beginning first; false: no more, or not all of them are known.
 */
bool capture_stream_next(struct acl_object *model, unsigned *at, struct capture_stream *stream);

/* Nothing comes after the last record that other streams wait for. */
static inline bool capture_stream_is_joined(const struct capture_stream *s)
{
	return s->last == LAST_RECORD && s->waited == s->tasks;
}

/* Of the task group that is open on the stream of the open capture, or was last; none where it is not known.
 */
struct group_kernels capture_stream_group(struct acl_object *model, struct acl_object *s);

/*
 * Places of captured tasks, for what is kept with the model; under its lock, as
 * model_accesses_lock() takes it.  stream: its number in the capture, from 1; 0: not known.
 */
struct capture_place {
	uint32_t stream, task;
};

/* Of the task that was captured last on the stream. */
struct capture_place capture_place_of(struct acl_object *model, struct acl_object *s);
/* Whether the task there comes before what is captured next on the stream, or may. */
bool capture_place_is_before(struct acl_object *model, struct capture_place earlier, struct acl_object *s);
/* Whether all waits of the capture that something unseen ends come before that task, and before what is
 * captured next on the stream: what ends one of them comes between neither. */
bool capture_waits_are_common(struct acl_object *model, struct capture_place earlier, struct acl_object *s);
/* acl_ref of its stream, 0: not known. */
uint64_t capture_place_stream(struct acl_object *model, struct capture_place place);

/* A range of memory that a task uses; the last CAPTURE_RANGES of a capture are known. */
#define CAPTURE_RANGES 128

struct capture_range {
	uint64_t address, bytes;
	struct acl_call_site at; /* the task */
};

/* One that a captured task of the open capture uses and that these bytes touch; false = none known. */
bool capture_range_at(
	struct acl_object *model, uint64_t address, uint64_t bytes, struct capture_range *range);

#endif
