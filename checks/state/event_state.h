/* SPDX-License-Identifier: Apache-2.0 */
/* Events: kind, latest record and wait. */
#ifndef CHECKS_EVENT_STATE_H
#define CHECKS_EVENT_STATE_H

#include "checks/engine/instance.h"

enum event_maker { EVENT_PLAIN, EVENT_WITH_FLAG, EVENT_EX, EVENT_IMPORTED };

#define RECORDED (1u << 31) /* in event_state.records: one has succeeded */

#define EVENT_MORE_WAITS 3

/* The kernel gives no thread a higher number. */
#define EVENT_TID_BITS 22
#define EVENT_STREAM_BITS 6
#define EVENT_POSITION_SHIFT (EVENT_TID_BITS + EVENT_STREAM_BITS)

/* Threads may write one at once: its halves belong together where the stream's bits are in both. */
struct event_wait {
	_Atomic uint64_t stream; /* acl_ref of the stream that waits, 0 = none */
	_Atomic uint64_t put; /* the position of its wait, the thread that put it there, and the lowest bits
				 of the stream's number; 0 = unknown, or no wait */
};

static inline uint32_t event_wait_stream_bits(acl_ref stream)
{
	return (uint32_t)(stream >> 32) & ((1u << EVENT_STREAM_BITS) - 1);
}

/* 0 = unknown: what does not fit. */
static inline uint64_t event_wait_put(acl_ref stream, uint64_t position, uint32_t tid)
{
	if (tid >> EVENT_TID_BITS || position >> (64 - EVENT_POSITION_SHIFT))
		return 0;
	return position << EVENT_POSITION_SHIFT | (uint64_t)tid << EVENT_STREAM_BITS |
	       event_wait_stream_bits(stream);
}

static inline uint64_t event_wait_position(uint64_t put)
{
	return put >> EVENT_POSITION_SHIFT;
}

static inline uint32_t event_wait_tid(uint64_t put)
{
	return (uint32_t)(put >> EVENT_STREAM_BITS) & ((1u << EVENT_TID_BITS) - 1);
}

/* Of its steady part. */
struct event_marks {
	_Atomic uint8_t maker; /* enum event_maker */
	_Atomic bool timed; /* its time was queried */
	_Atomic bool external; /* used with an EXTERNAL flag */
	_Atomic bool captured; /* the latest record became a task of a model */
	_Atomic bool reset_by_model; /* a task of some model resets it */
	_Atomic uint8_t record_flag, wait_flag; /* 1 + flag of the first call with one, 0 = none yet */
	_Atomic bool link; /* captures take it as a link between their streams */
};
_Static_assert(sizeof(struct event_marks) == 8, "a steady part");

struct event_state {
	_Atomic uint64_t stream, position; /* latest record: acl_ref of the stream, its position */
	struct event_wait wait; /* of one stream, mostly the last that waited; before any wait the stream of
				   the record before */
	_Atomic uint32_t flags;
	_Atomic uint32_t records; /* attempts that did not fail, those under way included; counted up to the
				     first success */
	_Atomic uint32_t recorded; /* records that succeeded, about: threads that record at once may be one */
	_Atomic uint32_t host_waits; /* calls in progress that wait for it */
};
_Static_assert(sizeof(struct acl_object) + sizeof(struct event_state) <= 128, "two cache lines of an event");

/* What events need that several streams wait for at once, or that are reset or captured; read by
 * event_rarely(). */
struct event_rare {
	struct object_rare of_any;
	struct event_wait waits[EVENT_MORE_WAITS]; /* latest of other streams, by their acl_ref */
	_Atomic uint64_t reset_by, reset_record; /* acl_ref of the stream that reset it, the record before */
	_Atomic uint64_t capture; /* acl_ref of the open capture it belongs to */
	_Atomic uint32_t captured_on, captured_at; /* of its record there: stream of the capture, task; 0 =
						      not known */
	_Atomic uint64_t external_in; /* acl_ref of the capture that used it with an EXTERNAL flag last */
	_Atomic uint32_t resets; /* that succeeded, of streams and of models */
};

/* A member of the rare part; 0 when there is none. */
#define event_rarely(event, member)                                                                          \
	({                                                                                                   \
		struct event_rare *rare_ = object_rare(event);                                               \
		rare_ ? load_relaxed(&rare_->member) : 0;                                                    \
	})

static inline struct event_state *event_state(struct acl_object *o)
{
	return object_extra(o);
}

static inline struct event_marks *event_marks(struct acl_object *o)
{
	return object_steady(o);
}

/* The same where only the other part is at hand. */
static inline struct event_marks *event_state_marks(const struct event_state *e)
{
	return event_marks((struct acl_object *)e - 1);
}

/* To write into; NULL: no memory, and the event is followed no more. */
static inline struct event_rare *event_rare_make(struct checks *c, struct acl_object *event)
{
	return object_rare_make(c, event);
}

static inline struct acl_object *event_of(const struct acl_call_record *call)
{
	return call->state.event;
}

/* Kept waits of streams by number, one of which may be of the same stream's earlier wait; NULL behind the
 * last. */
static inline struct event_wait *event_wait_at(struct acl_object *event, unsigned i)
{
	struct event_rare *rare = i && i <= EVENT_MORE_WAITS ? object_rare(event) : NULL;

	if (!i)
		return &event_state(event)->wait;
	return rare ? &rare->waits[i - 1] : NULL;
}

/* The stream of a wait, and which of its waits that is; NULL: there is none, or it is just changed. */
static inline struct acl_object *event_wait_stream(struct checks *c, struct event_wait *wait, uint64_t *put)
{
	acl_ref stream = load_relaxed(&wait->stream);

	*put = load_relaxed(&wait->put);
	return *put && (*put & ((1u << EVENT_STREAM_BITS) - 1)) == event_wait_stream_bits(stream)
		       ? object_of(c, stream)
		       : NULL;
}

/* The open capture the event belongs to, NULL = none. Such an event is special: of all others the rare part
 * is not looked at, which is in memory that may be far. */
static inline struct acl_object *event_capture(struct checks *c, struct acl_object *event)
{
	acl_ref ref =
		event && load_relaxed(&event->flags) & ACL_OBJECT_SPECIAL ? event_rarely(event, capture) : 0;

	return ref ? object_of(c, ref) : NULL;
}

/* A record or wait whose flag says that its other half lies outside of the model; both flags are 1. */
static inline bool event_flag_external(const struct acl_call_record *call)
{
	return acl_arg_value(call->api, call->args, ACL_ROLE_FLAGS) == ACL_EVENT_RECORD_EXTERNAL;
}

/* The call resets an event of the kind whose next wait blocks then, outside of a capture. */
static inline bool event_reset_counts(const struct acl_call_record *call)
{
	struct acl_object *e = event_of(call);

	return e && succeeded(call) && !call->state.capture &&
	       load_relaxed(&event_marks(e)->maker) == EVENT_WITH_FLAG;
}

/* Whether there is one that other processes may look at: its records are signals to them. */
bool events_are_shared(struct checks *c);
/* Other processes may see its records. */
bool event_reaches_others(struct event_state *event);

/* After every change of whether it is captured, belongs to a capture, or was used with a flag. */
void event_special_renew(struct acl_object *event);

/* Whether all that records it are calls of this process; NULL: not known, so no. */
bool event_is_recorded_here(struct acl_object *event);
/* Latest record as (stream, position); NULL when there is none to be had. */
struct acl_object *latest_record(struct checks *c, struct acl_object *event, uint64_t *position);

/* The event handle as passed. */
static inline const void *event_argument(const struct checks *c, const struct acl_call_record *call)
{
	const void *value;

	memcpy(&value, (const char *)call->args + c->event_offset[call->api], sizeof(value));
	return value;
}

#endif
