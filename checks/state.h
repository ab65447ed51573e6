/* SPDX-License-Identifier: Apache-2.0 */
/* State of the kinds of objects that rules ask about: contexts, streams, events, models. */
#ifndef CHECKS_STATE_H
#define CHECKS_STATE_H

#include "checks/core.h"
#include "checks/map.h"

/* --- devices and contexts (device.c) ----------------------------------------- */

struct context_state {
	_Atomic uint32_t captures[3]; /* open captures of its streams, by mode */
	_Atomic uint64_t default_stream; /* acl_ref */
};

static inline struct context_state *context_state(struct acl_object *o)
{
	return object_extra(o);
}

/* What the thread's calls go to, as far as we saw: a reference that may be old, 0 = nothing. */
static inline acl_ref context_ref(struct checks *c, struct acl_thread *t)
{
	acl_ref explicit = ld(&t->context);
	unsigned device = (unsigned)ld(&t->device);

	return explicit || device >= ACL_DEVICES ? explicit : ld_acquire(&c->devices[device].context);
}

/* The thread's current context. NULL with *known: it has none; NULL without: we cannot tell. */
struct acl_object *context_current(struct checks *c, struct acl_thread *t, bool *known);
/* Whether the function asks for a current context (context.c). */
bool context_needed(unsigned api);
const uint16_t *context_needers(unsigned *n);
/* Device of the thread's current context, -1 = none or unknown. */
int device_current(struct checks *c, struct acl_thread *t);
/* Whether this ResetDevice/ResetDeviceForce takes the device out of use. */
bool device_reset_is_last(struct checks *c, const struct acl_event *ev, int device);
int device_argument(const struct acl_event *ev);
struct acl_device *device_at(struct checks *c, int device);
/* Context the object was created in, NULL when unknown or gone. */
static inline struct acl_object *context_of(struct checks *c, struct acl_object *o)
{
	return object_of(c, ld(&o->context));
}

/* --- streams (stream.c) --------------------------------------------------------- */

struct stream_waits;

#define STREAM_USES 4

/* Positions are versions of the object: every submission takes the next one. */
struct stream_state {
	_Atomic uint64_t completed; /* the host observed that everything up to here is done */
	_Atomic uint64_t unsure; /* up to here it may be done: no evidence either way */
	_Atomic uint64_t capture; /* acl_ref of the model being captured, 0 = none */
	_Atomic uint64_t work; /* position of the last task other than record and wait */
	_Atomic uint64_t callback; /* position of the last host callback */
	_Atomic uint64_t to_host; /* position of the last copy into page-locked host memory */
	_Atomic uint64_t kernel; /* position of the last kernel */
	_Atomic uint64_t signal; /* position of the last task that may tell of progress unseen */
	_Atomic uint64_t suspect; /* serial of the last finding about a task of it, 0 = none since it was last
				     drained */
	_Atomic uint64_t touched[2]; /* device << 48 | position: memory of other devices in use */
	struct stream_use {
		_Atomic uint64_t position, dst, src; /* bases of the blocks a copy or set uses */
	} uses[STREAM_USES]; /* the last ones, by position; see unfinished.c */
	_Atomic(struct stream_waits *) waits;
	_Atomic uint64_t
		group; /* acl_ref of the capture in which a task group is open on it, GROUP_UNKNOWN */
	_Atomic uint32_t flags; /* of creation */
	_Atomic uint64_t updating; /* acl_ref of the task group that is updated on it */
	_Atomic uint8_t update; /* enum stream_update */
	_Atomic bool capture_unsure; /* a begin or end of a capture failed: it may or may not be captured */
};

#define GROUP_UNKNOWN 1 /* its begin or end failed */

/* Updating the tasks of a group; after an end that failed nobody knows. */
enum stream_update { UPDATE_NONE, UPDATE_OPEN, UPDATE_UNKNOWN };

static inline struct stream_state *stream_state(struct acl_object *o)
{
	return object_extra(o);
}

static inline struct acl_object *stream_of(const struct acl_event *ev)
{
	return (struct acl_object *)(uintptr_t)ev->carry[CARRY_STREAM];
}

/* The stream handle as passed. */
static inline const void *stream_argument(const struct checks *c, const struct acl_event *ev)
{
	const void *value;

	memcpy(&value, (const char *)ev->args + c->stream_offset[ev->api], sizeof(value));
	return value;
}

static inline const void *event_argument(const struct checks *c, const struct acl_event *ev)
{
	const void *value;

	memcpy(&value, (const char *)ev->args + c->event_offset[ev->api], sizeof(value));
	return value;
}
/* Whether the task at a position of a stream is certainly not known to be done. */
bool stream_pending(struct acl_object *stream, uint64_t position);
/* The host observed the stream at position; what its tasks waited for is done too. sure: else only perhaps.
 */
void stream_retire(struct checks *c, struct acl_object *stream, uint64_t position, bool sure);
/* stream waits (at its position) until source has reached its position; source NULL: for something we do not
 * see. */
void stream_waits_for(struct checks *c, struct acl_object *stream, uint64_t position,
	struct acl_object *source, uint64_t source_position);
/* Whether a task of stream waits until source has reached position, or for something we do not see. */
bool stream_waits_on(struct acl_object *stream, const struct acl_object *source, uint64_t position);
/* The stream waits for something we do not see: a notify, a word of memory, an external event. */
bool stream_waits_unseen(struct acl_object *stream);
/* Every stream may have progressed unseen. */
void streams_unsure(struct checks *c);
/* A live stream whose end of a wait is not known, at or after *cursor, that waits for a task of source; NULL
 * = none. */
struct acl_object *stream_waiter(
	struct checks *c, struct acl_object *source, uint32_t *cursor, uint64_t *task);
/* A task of the stream uses memory of a device. */
void stream_touches(struct acl_object *stream, int device, uint64_t position);

/* --- events (event.c) --------------------------------------------------------------- */

enum event_maker { EVENT_PLAIN, EVENT_WITH_FLAG, EVENT_EX, EVENT_IMPORTED };

#define RECORDED (1u << 31) /* in event_state.records: one has succeeded */

struct event_state {
	_Atomic uint64_t stream, position; /* latest record: acl_ref of the stream, its position */
	_Atomic uint64_t seen[2]; /* acl_ref of streams that recorded or waited last */
	_Atomic uint64_t waiter, waited_at; /* latest wait: acl_ref of the stream, its position */
	_Atomic uint64_t reset_by, reset_record; /* acl_ref of the stream that reset it, the record before */
	_Atomic uint64_t capture; /* acl_ref of the open capture it belongs to */
	_Atomic uint32_t flags;
	_Atomic uint32_t records; /* attempts that did not fail, those under way included; counted up to the
				     first success */
	_Atomic uint32_t recorded; /* records that succeeded, about: threads that record at once may be one */
	_Atomic uint32_t waiter_tid;
	_Atomic uint32_t host_waits; /* calls in progress that wait for it */
	_Atomic uint8_t maker; /* enum event_maker */
	_Atomic bool timed; /* its time was asked for */
	_Atomic bool external; /* used with an EXTERNAL flag */
	_Atomic bool captured; /* the latest record became a task of a model */
	_Atomic bool dropped_told; /* that a capture drops its records was said */
	_Atomic uint8_t record_flag, wait_flag; /* 1 + flag of the first call with one, 0 = none yet */
	_Atomic uint64_t external_in; /* acl_ref of the capture that used it with an EXTERNAL flag last */
};

static inline struct event_state *event_state(struct acl_object *o)
{
	return object_extra(o);
}

static inline struct acl_object *event_of(const struct acl_event *ev)
{
	return (struct acl_object *)(uintptr_t)ev->carry[CARRY_EVENT];
}

/* Latest record as (stream, position); NULL when there is none to be had. */
struct acl_object *latest_record(struct checks *c, struct acl_object *event, uint64_t *position);

/* --- notifies (notify.c) ------------------------------------------------------------ */

enum notify_flag {
	NOTIFY_IMPORTED = 1u << 0,
	NOTIFY_EXPORTED = 1u << 1,
	NOTIFY_CHECKS_PID = 1u << 2, /* exported: only listed processes may import it */
	NOTIFY_LISTED = 1u << 3, /* processes were listed */
	NOTIFY_NUMBERED =
		1u << 4, /* its id was asked for, or it is for kernels: the device may use it unseen */
	NOTIFY_CAPTURED = 1u << 5, /* a captured model uses it: when, nobody sees */
	NOTIFY_TOLD = 1u << 6 /* a finding about its waits was given */
};

struct notify_state {
	_Atomic uint64_t stream, position; /* latest wait: acl_ref of the stream, its position */
	_Atomic uint64_t caller; /* of that wait */
	_Atomic uint32_t flags; /* enum notify_flag */
	_Atomic uint32_t waits, records;
	_Atomic int32_t
		balance; /* records submitted without a wait for them; negative: waits that came first */
	_Atomic uint16_t api; /* of the latest wait */
};

static inline struct notify_state *notify_state(struct acl_object *o)
{
	return object_extra(o);
}

/* --- labels (label.c) ----------------------------------------------------------------- */

#define LABEL_WAS_LISTED 1u

struct label_state {
	_Atomic uint64_t list; /* handle of the living list it is in, LABEL_WAS_LISTED, 0 = never in one */
};

static inline struct label_state *label_state(struct acl_object *o)
{
	return object_extra(o);
}

/* --- memory (memory.c) ----------------------------------------------------------------- */

void place_look_up(struct checks *c, struct acl_thread *t, struct known_place *known, const void *address);

/*
 * What is known of an address: allocations first, then registered ranges.
 * hint: its role in the call.  Several rules ask for the same one; good until
 * the next question about this role.
 */
static inline const struct acl_place *place_of(
	struct checks *c, const struct acl_event *ev, const void *address, unsigned hint)
{
	struct acl_thread *t = thread_of(ev);
	struct known_place *known = &t->known[hint % 2];

	if (known->phase != t->phase || known->address != address)
		place_look_up(c, t, known, address);
	return &known->place;
}

static inline bool place_find(struct checks *c, const struct acl_event *ev, const void *address,
	unsigned hint, struct acl_place *place)
{
	*place = *place_of(c, ev, address, hint);
	return place->block != NULL;
}

/* Whether anything may have written the device memory since it was allocated (written.c). */
bool block_maybe_written(struct checks *c, struct acl_block *b);
/* It was allocated just now. */
void block_unwritten(struct checks *c, struct acl_block *b);
/* Class of an address no table knows; asked once per call and parameter. */
enum acl_host_class host_class(struct checks *c, struct acl_event *ev, unsigned param, const void *address);
/* Memory of this kind is the host's. */
static inline bool kind_is_host(unsigned kind)
{
	return kind == MEM_HOST || kind == MEM_REGISTERED;
}

static inline bool kind_is_device(unsigned kind)
{
	return kind == MEM_DEVICE || kind == MEM_POOL || kind == MEM_MANAGED || kind == MEM_IMPORTED ||
	       kind == MEM_MAPPED;
}

/* --- models and captures (capture.c) --------------------------------------------------- */

/* EMPTY: of a condition, nothing was captured into it yet. */
enum model_status { MODEL_BUILT, MODEL_CAPTURING, MODEL_INVALIDATED, MODEL_READY, MODEL_EMPTY };

struct model_uses;

struct model_state {
	_Atomic uint8_t status; /* enum model_status */
	_Atomic uint8_t mode; /* aclmdlRICaptureMode */
	_Atomic bool updated; /* a task update touched it */
	_Atomic bool group; /* a task group is open */
	_Atomic bool sub; /* of a condition of another model, its parent */
	_Atomic uint32_t tasks;
	_Atomic uint64_t origin; /* acl_ref of the stream */
	_Atomic uint64_t thread; /* index of the thread that began the capture */
	struct acl_lock lock;
	_Atomic(struct model_uses *) uses;
};

static inline struct model_state *model_state(struct acl_object *o)
{
	return object_extra(o);
}

/* The model that the call begins with, NULL = not known or gone. */
static inline struct acl_object *model_argument(struct checks *c, const struct acl_event *ev)
{
	const void *value = ACL_ARGS(ev, aclmdlRIDestroy)->modelRI;
	struct acl_object *m = value ? object_find(c, ACL_HANDLE_MODEL, value) : NULL;

	return m && object_usable(m) ? m : NULL;
}

#define MODE_NONE 3

/* A moment a captured task used an object or a block. */
struct model_use {
	uint64_t what; /* acl_ref, or block_ref */
	uint64_t caller;
	uint32_t tid;
	uint16_t api;
	bool in_group; /* captured in a task group: an update may have replaced it */
};

/* Open capture of the stream, NULL = none. */
struct acl_object *capture_of(struct checks *c, struct acl_object *stream);
/* Some open capture of a context; context NULL: of a device; neither (-1): of the process. */
struct acl_object *capture_in(struct checks *c, struct acl_object *context, int device);
/* A captured task uses an object, or what lies at an address (capture_uses.c); with the model all is
 * forgotten. */
void model_uses_object(
	struct checks *c, struct acl_object *model, struct acl_object *o, const struct acl_event *ev);
void model_uses_address(
	struct checks *c, struct acl_object *model, const void *address, const struct acl_event *ev);
void model_uses_end(struct checks *c, struct acl_object *model);
/* A live model that uses an object or block; *use tells where. */
struct acl_object *model_using(struct checks *c, uint64_t what, struct model_use *use);
uint64_t block_ref(const struct acl_block *block, uint32_t generation, bool registered);
/* Lowest mode of open captures: of the context, of those the thread began; MODE_NONE. */
unsigned capture_mode_of_context(struct acl_object *context);
unsigned capture_mode_of_thread(struct acl_thread *t);
/* Ends without a model: context torn down, stream gone. */
void capture_abandon(struct checks *c, struct acl_object *model);
void model_gone(struct checks *c, struct acl_object *model);

/* --- pools, allocators, shared buffers, physical memory (pool.c, allocator.c, mbuf.c, physical.c) --- */

#define POOL_STREAMS 8 /* streams on which memory was given back; of more nothing is known */

struct pool_state {
	_Atomic uint64_t limit; /* bytes it can hold, 0 = unknown */
	_Atomic uint64_t bytes; /* in use */
	_Atomic uint32_t live;
	_Atomic bool captured; /* models allocate from it */
	_Atomic bool said_small;
	struct acl_lock lock;
	struct {
		acl_ref stream;
		uint64_t position;
	} freed[POOL_STREAMS];
};

struct desc_state {
	_Atomic uint64_t allocator; /* the program's pointer */
	_Atomic uint32_t parts; /* set so far */
};

struct mbuf_state {
	_Atomic uint64_t size; /* as the runtime told it, 0 = it was not asked */
	_Atomic uint32_t appended; /* buffers in the chain behind it */
};

struct physical_state {
	_Atomic uint32_t references;
	_Atomic bool exported, imported;
};

static inline struct physical_state *physical_state(struct acl_object *o)
{
	return object_extra(o);
}

static inline struct pool_state *pool_state(struct acl_object *o)
{
	return object_extra(o);
}

static inline struct desc_state *desc_state(struct acl_object *o)
{
	return object_extra(o);
}

static inline struct mbuf_state *mbuf_state(struct acl_object *o)
{
	return object_extra(o);
}
/* --- callbacks (callback.c) -------------------------------------------------------------- */

/* pthread id of the thread that processes the stream's reports, 0 = none. */
uint64_t callback_thread_of(struct checks *c, struct acl_object *stream);

/* --- life (life.c) ------------------------------------------------------------------------ */

/* Kills what lived in a context. */
void context_dies(struct checks *c, struct acl_object *context, const struct acl_event *ev, unsigned flags);
/* Called for each new object of a kind once it is known. */
void stream_born(struct checks *c, const struct acl_event *ev, struct acl_object *o);
void notify_born(const struct acl_event *ev, struct acl_object *o);
void event_born(struct checks *c, const struct acl_event *ev, struct acl_object *o);
void context_born(struct checks *c, const struct acl_event *ev, struct acl_object *o);
void pool_born(const struct acl_event *ev, struct acl_object *o);
void binary_born(struct checks *c, const struct acl_event *ev, struct acl_object *o);

#endif
