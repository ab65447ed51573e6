/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: positions of what is submitted, what the host has observed as done. */
#ifndef CHECKS_STREAM_STATE_H
#define CHECKS_STREAM_STATE_H

#include "checks/engine/instance.h"

struct stream_order;

/* Every task that is put on a stream takes its next position. */
struct stream_state {
	_Atomic(struct stream_order *) order; /* order_state.c; stays with the slot, see STREAM_KEPT */
	_Atomic uint64_t submitted; /* position of the last task */
	_Atomic uint64_t unsure; /* up to here it may be done: no evidence either way */
	_Atomic uint64_t opaque; /* position of the last kernel of which it is not known what it does */
	_Atomic uint64_t work; /* position of the last task other than record and wait */
	_Atomic uint32_t signalled; /* of the signals that may be of all streams, the last one that .signal of
				       its rare part counts */
	union {
		struct {
			_Atomic uint8_t update; /* enum stream_update */
			_Atomic uint8_t ask; /* enum stream_ask: more than its own accesses and clocks
						decides for its next task */
			_Atomic bool capture_unsure; /* a begin or end of a capture failed: it may or may not
							be captured */
			_Atomic bool bound; /* it was bound to a model: ask binding_of() */
		};
		_Atomic uint32_t uncertain; /* all of them at once; 0: its tasks run now, in a known order */
	};
};
_Static_assert(sizeof(struct acl_object) + sizeof(struct stream_state) <= 128, "two cache lines of a stream");

#define TOUCHED_DEVICES 15 /* the others of a host with 16; of more, the last one is forgotten */
#define TOUCHED_POSITION ((UINT64_C(1) << 48) - 1)

/* What streams need that do more than copies and waits; read by stream_rarely(). */
struct stream_rare {
	struct object_rare of_any;
	/* What each task asks for stands together. */
	_Atomic uint64_t unseen,
		unseen_position; /* of a wait that is not seen, and that its last tasks come after, if it is
				    not over: acl_ref, position; 0 = none; see order_state.c */
	_Atomic uint32_t flags; /* of creation */
	_Atomic uint64_t callback, begun; /* positions of the last host callback, and of the last that has
					     begun where that is seen */
	_Atomic uint64_t to_host; /* position of the last copy into page-locked host memory */
	_Atomic uint64_t
		capture; /* acl_ref of the model being captured, 0 = none; read by stream_capture() */
	_Atomic uint64_t declared; /* position of the last kernel that is declared */
	_Atomic uint64_t given_up, /* position of the last task that an abort ended, or may have */
		signal; /* position of the last task that may show progress unseen, by stream_signalled() */
	_Atomic uint64_t recorded; /* position of the last task that may end a wait unseen: unseen_ends.h */
	_Atomic uint64_t suspect; /* serial of the last finding about a task of it, 0 = none since it was last
				     drained */
	_Atomic uint64_t touched[TOUCHED_DEVICES]; /* device + 1 << 48 | position: memory of other devices in
						      use; the first that is 0 ends them */
	_Atomic uint64_t
		group; /* acl_ref of the capture in which a task group is open on it, GROUP_UNKNOWN */
	_Atomic uint64_t updating; /* acl_ref of the task group that is updated on it */
	_Atomic uint32_t
		capture_thread; /* 1 + index of the thread in a call that captures a task, 0 = none */
	_Atomic uint32_t updated; /* kernels launched in the update */
	_Atomic bool update_failed; /* the launch of the last of them failed */
	_Atomic uint32_t capture_stream; /* which of the capture's it is: 1, 2 …; see capture_streams.h */
	_Atomic uint32_t launching; /* calls on their way that launch callbacks, which may have run */
	_Atomic bool may_fail; /* a finding since then is an error: what is in flight may have ended so */
};

/* A member of the rare part; 0 when there is none. */
#define stream_rarely(stream, member)                                                                        \
	({                                                                                                   \
		struct stream_rare *rare_ = object_rare(stream);                                             \
		rare_ ? load_relaxed(&rare_->member) : 0;                                                    \
	})

static inline acl_ref stream_capture(struct acl_object *stream)
{
	struct stream_rare *r = object_rare(stream);

	return r ? load_acquire(&r->capture) : 0;
}

/* To write into; NULL: no memory, and the stream is followed no more. */
static inline struct stream_rare *stream_rare_make(struct checks *c, struct acl_object *stream)
{
	return object_rare_make(c, stream);
}

/* What outlives the object in its slot: a late reader may be at the lock of its clocks. */
#define STREAM_KEPT offsetof(struct stream_state, submitted)
#define GROUP_UNKNOWN 1 /* its begin or end failed */

enum stream_ask {
	ASK_UNSEEN = 1u << 0, /* it may come after something that is not seen: ask order_unseen() */
	ASK_REPLAYS = 1u << 1 /* models run, or may run, on other streams: see pending_replay.c */
};

/* Updating the tasks of a group; after an end that failed it is unknown. */
enum stream_update { UPDATE_NONE, UPDATE_OPEN, UPDATE_UNKNOWN };

static inline struct stream_state *stream_state(struct acl_object *o)
{
	return object_extra(o);
}

/* Position up to which the host observed that everything is done, 0 = nothing; raised by any thread. */
static inline _Atomic uint64_t *stream_completed_at(struct acl_object *stream)
{
	return object_steady(stream);
}

static inline uint64_t stream_completed(struct acl_object *stream)
{
	return load_acquire(stream_completed_at(stream));
}

/* Whether there ever was a kernel on it. */
static inline bool stream_had_kernel(struct acl_object *stream)
{
	return load_relaxed(&stream_state(stream)->opaque) || stream_rarely(stream, declared);
}

static inline struct acl_object *stream_of(const struct acl_call_record *call)
{
	return call->state.stream;
}

/* The stream the call is about, named or behind the event that it queries. */
static inline struct acl_object *stream_concerned(const struct acl_call_record *call)
{
	return call->state.stream ? call->state.stream : call->state.observed;
}

/* How sentences name it: the default stream mostly has no handle. */
#define STREAM_TEXT_SIZE 32
const char *stream_text(struct acl_object *stream, char out[STREAM_TEXT_SIZE]);
#define STREAM_TEXT(stream) stream_text(stream, (char[STREAM_TEXT_SIZE]){0})

/* Position of the last task put on the stream, 0 = none. */
static inline uint64_t stream_submitted(struct acl_object *stream)
{
	return load_acquire(&stream_state(stream)->submitted);
}

/* Whether a destroy of a stream throws its tasks away. */
static inline bool stream_destroy_forced(const struct acl_call_record *call)
{
	return acl_api_is(call->api, ACL_TRAIT_FORCED);
}

/* Of a finding: the call takes away what a task of the stream uses, which explains what fails there later. */
void stream_loses(struct acl_call_record *call, struct acl_object *stream);

/* Of a finding: no task of the stream can fail from what was found, whatever it weighs. */
static inline void stream_runs_on(struct acl_call_record *call)
{
	call->state.runs_on = true;
}

/* The stream handle as passed. */
static inline const void *stream_argument(const struct checks *c, const struct acl_call_record *call)
{
	const void *value;

	memcpy(&value, (const char *)call->args + c->stream_offset[call->api], sizeof(value));
	return value;
}

/* Of the process; in the module's slot. */
struct process_signals {
	_Atomic uint32_t all; /* signals that may be of all there was on any stream */
};

static inline _Atomic uint32_t *signals_of_all(const struct checks *c)
{
	return &module_slot((struct checks *)c, stream, struct process_signals)->all;
}

/* Up to which position tasks may have shown unseen that they are done, 0 = none. */
static inline uint64_t stream_signalled(const struct checks *c, struct acl_object *stream)
{
	/* In this order: what counts the last such task has its position, in a rare part that is there. */
	uint32_t all = load_acquire(signals_of_all(c)),
		 counted = load_acquire(&stream_state(stream)->signalled);
	struct stream_rare *r = object_rare(stream);

	if (__builtin_expect(counted != all || (r && load_acquire(&r->launching)), 0))
		return stream_submitted(stream);
	return r ? load_relaxed(&r->signal) : 0;
}

/* Whether the task at a position of a stream is certainly not known to be done. */
bool stream_pending(struct acl_object *stream, uint64_t position);

#endif
