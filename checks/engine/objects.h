/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the checker knows of runtime objects.  An object is (value, generation):
 * the runtime uses handle values again at once.  Objects live in slabs that are
 * never unmapped and never change kind, so a stale pointer is always readable;
 * an acl_ref says which generation was meant.  Readers take no lock.
 */
#ifndef CHECKS_OBJECTS_H
#define CHECKS_OBJECTS_H

#include "checks/engine/atomics.h"
#include "checks/engine/call_record.h"
#include "checks/engine/finding.h"
#include "checks/engine/object_index.h"

/* Kind, slab index and generation in one word; 0 = none. */
typedef uint64_t acl_ref;

enum acl_object_state { ACL_OBJECT_FREE, ACL_OBJECT_LIVE, ACL_OBJECT_DESTROYING, ACL_OBJECT_DESTROYED };

enum acl_object_flag {
	ACL_OBJECT_LEARNED = 1u << 0, /* first seen in use, not at its creation: never reported as leaked */
	ACL_OBJECT_DEFAULT = 1u << 1, /* default context or default stream: the runtime owns it */
	ACL_OBJECT_INHERITED = 1u << 2, /* of the parent process */
	ACL_OBJECT_BY_OWNER = 1u << 3, /* died with its context or device */
	ACL_OBJECT_REPORTED = 1u << 4, /* named by a finding about its life: leaks are said once */
	/*
	 * A stream whose tasks may become part of a model: captured, bound, updating one, or not certain not
	 * to be; an event of a capture, or whose first record or wait had a flag. See object_special_renew().
	 */
	ACL_OBJECT_SPECIAL = 1u << 6
};

/* Where something happened, readable while it is written (fields may then belong to two moments). */
struct call_site_slot {
	_Atomic uint64_t where; /* the caller's address, and the function in the lowest bits */
	_Atomic uint32_t stack, tid;
};

/* Addresses of code have no more than 48 bits. */
#define CALL_SITE_API_BITS 16

static inline uint64_t call_site_where(const struct acl_call_record *call)
{
	return call->caller << CALL_SITE_API_BITS | (uint16_t)call->api;
}

static inline void call_site_set_where(struct call_site_slot *m, const struct acl_call_record *call)
{
	store_relaxed(&m->where, call_site_where(call));
}

static inline uint64_t call_site_caller(const struct call_site_slot *m)
{
	return load_relaxed(&((struct call_site_slot *)m)->where) >> CALL_SITE_API_BITS;
}

static inline unsigned call_site_api(const struct call_site_slot *m)
{
	return (uint16_t)load_relaxed(&((struct call_site_slot *)m)->where);
}

static inline void call_site_move(struct call_site_slot *to, const struct call_site_slot *from)
{
	struct call_site_slot *m = (struct call_site_slot *)from;

	store_relaxed(&to->where, load_relaxed(&m->where));
	store_relaxed(&to->stack, load_relaxed(&m->stack));
	store_relaxed(&to->tid, load_relaxed(&m->tid));
}

/*
 * What every object has in its own cache lines; behind it stands what its kind adds,
 * object_extra().  The first line is mostly read: other threads find the object by it while
 * one thread writes the next line with each task.  Where it was created is looked for by reports only and
 * stands in an array beside (object_created()), where it was destroyed in the ring of the destroyed ones
 * (object_destroyed_at()), and what few objects need in the rare part, which is made when it is first needed
 * (object_rare()).
 */
struct acl_object {
	_Atomic uint64_t value;
	_Atomic uint64_t live_value; /* the same while the state is LIVE, else NOT_LIVE() */
	_Atomic acl_ref ref; /* of the present generation */
	_Atomic uint8_t state; /* enum acl_object_state */
	uint8_t kind; /* enum acl_handle */
	_Atomic uint16_t flags; /* enum acl_object_flag */
	_Atomic int16_t device; /* -1 = unknown */
	_Atomic uint16_t dead_at; /* DESTROYED: where in the ring */
	_Atomic uint64_t serial; /* FREE: 1 + index of the next free one, 0 = none */
	_Atomic uint64_t context; /* acl_ref of the context it was created in, 0 = unknown */
	_Atomic(struct object_rare *) rare; /* stays with the slot, NULL = never needed */
	_Atomic uint64_t steady; /* of its kind: what is seldom written, see object_steady() */
	struct call_site_slot last_used;
};
_Static_assert(offsetof(struct acl_object, last_used) == 64, "a line that is mostly read");

/* Begins what the kinds add to it; all zero until something is written. */
struct object_rare {
	_Atomic uint64_t last_call; /* the recorded one that named it last (acl_mark), 0 = none */
	_Atomic uint32_t captured; /* live captured models that use it */
};

/* What is no handle: an address of the checker's own. */
#define NOT_LIVE(o) ((uint64_t)(uintptr_t)(o))

#define OBJECT_CHUNK 256 /* objects in a slab chunk */
#define OBJECT_CHUNKS 1024
#define OBJECT_DEAD 1024 /* destroyed objects kept for their history */

/* Of a kind that has, or had, objects. */
struct object_room {
	struct object_chunk {
		_Atomic(unsigned char *) objects;
		_Atomic(struct call_site_slot *) created; /* of the same objects */
	} chunks[OBJECT_CHUNKS];
	struct dead_object {
		_Atomic uint32_t number; /* index + 1 */
		struct call_site_slot destroyed;
	} dead[OBJECT_DEAD];
};

struct object_kind {
	_Alignas(64) struct acl_lock lock;
	struct object_index index; /* by handle value */
	_Atomic(struct object_room *) room; /* never NULL: one without chunks before the first object */
	_Atomic uint32_t count; /* objects ever carved */
	uint32_t free_head; /* index + 1 */
	uint32_t element; /* bytes of one object with its extension */
	uint32_t kept; /* bytes at the beginning of the extension that outlive the object */
	uint32_t rare; /* bytes of a rare part */
	unsigned char *rare_pool, *rare_end; /* where the next ones come from */
	uint32_t dead_at;
};

/*
 * Latest object of a kind with this handle value, live or destroyed; NULL = never seen.  Mostly it is live
 * and in the first slot: whatever state the table is in, a live object with the value is the one.
 */
static inline struct acl_object *object_in(struct object_kind *k, const void *value)
{
	struct object_table *t;
	struct acl_object *o;

	if (!k)
		return NULL;
	t = load_acquire(&k->index.table);
	o = load_acquire(&t->slots[object_place(t, (uintptr_t)value)]);
	if (o && load_acquire(&o->live_value) == (uintptr_t)value)
		return o;
	return object_index_get(&k->index, (uintptr_t)value);
}

/*
 * The live object of a kind with this handle value; NULL = ask object_in.  Whatever state the table is in,
 * which always has empty slots: a live object with the value is the one.
 */
static inline __attribute__((always_inline)) struct acl_object *object_at_hand(
	struct object_kind *k, uint64_t value)
{
	struct object_table *t = load_acquire(&k->index.table);

	for (uint64_t i = object_place(t, value);; i = (i + 1) & t->mask) {
		struct acl_object *o = load_acquire(&t->slots[i]);

		if (__builtin_expect(!o || load_acquire(&o->live_value) == value, 1))
			return o;
	}
}

struct checks;

/*
 * kept: so many bytes at the beginning of the extension are the slot's own and outlive its objects.
 * rare: bytes of the rare part, which begins with struct object_rare; 0 = nothing but that.
 */
void object_init(struct checks *c, unsigned kind, unsigned extension, unsigned kept, unsigned rare);

/* Eight bytes of its kind that are seldom written. */
static inline void *object_steady(struct acl_object *o)
{
	return &o->steady;
}

/* Kind-specific part behind the common one. */
static inline void *object_extra(struct acl_object *o)
{
	return o + 1;
}

static inline acl_ref object_ref(const struct acl_object *o)
{
	return load_relaxed(&((struct acl_object *)o)->ref);
}

static inline uint32_t object_number(const struct acl_object *o)
{
	return (uint32_t)(object_ref(o) >> 32) & ((1u << 26) - 1);
}

/* The rare part; NULL: nothing is in it. Acquire: it is all zero at first. */
static inline void *object_rare(const struct acl_object *o)
{
	return load_acquire(&((struct acl_object *)o)->rare);
}

void *object_rare_new(struct checks *c, struct acl_object *o) __attribute__((cold));

/* The same, to write into. Without memory the object is followed no more, so that nothing is said of it that
 * is only half known: NULL. */
static inline void *object_rare_make(struct checks *c, struct acl_object *o)
{
	void *r = object_rare(o);

	return __builtin_expect(r != NULL, 1) ? r : object_rare_new(c, o);
}

/* How many live captured models use it. */
static inline uint32_t object_captured(const struct acl_object *o)
{
	struct object_rare *r = object_rare(o);

	return r ? load_relaxed(&r->captured) : 0;
}

#define OBJECT_KINDS 64 /* so many can stand in a reference; the last are those of blocks */

static inline unsigned char *object_chunk(struct object_kind *k, uint32_t number)
{
	struct object_room *room = load_acquire(&k->room);

	return load_acquire(&room->chunks[number].objects);
}

/* The object of a number, in any state; NULL: there was never one. */
static inline struct acl_object *object_in_slab(struct object_kind *k, uint32_t index)
{
	unsigned char *chunk =
		index / OBJECT_CHUNK < OBJECT_CHUNKS ? object_chunk(k, index / OBJECT_CHUNK) : NULL;

	return chunk ? (struct acl_object *)(chunk + (size_t)(index % OBJECT_CHUNK) * k->element) : NULL;
}

/* The object of a kind that a reference means, NULL when that generation is gone. */
static inline struct acl_object *object_of_kind(struct object_kind *k, acl_ref ref)
{
	uint32_t index = (uint32_t)(ref >> 32) & ((1u << 26) - 1);
	unsigned char *chunk;
	struct acl_object *o;

	if (__builtin_expect(!k, 0))
		return NULL;
	chunk = object_chunk(k, index / OBJECT_CHUNK);
	if (__builtin_expect(!chunk, 0))
		return NULL;
	o = (struct acl_object *)(chunk + (size_t)(index % OBJECT_CHUNK) * k->element);
	return load_acquire(&o->ref) == ref ? o : NULL;
}

/* object_find, only when it may be used. */
struct acl_object *object_live(struct checks *c, unsigned kind, const void *value);

static inline bool object_usable(const struct acl_object *o)
{
	uint8_t state = atomic_load_explicit((_Atomic uint8_t *)&o->state, memory_order_acquire);

	return state == ACL_OBJECT_LIVE || state == ACL_OBJECT_DESTROYING;
}

/* It may be used, and its creation was seen: what is not known of it did not happen. */
static inline bool object_is_known(const struct acl_object *o)
{
	return o && object_usable(o) &&
	       !(load_relaxed(&((struct acl_object *)o)->flags) & ACL_OBJECT_LEARNED);
}

/* A new object; call is where (NULL: nowhere). value 0: not (yet) known by a handle. NULL: no memory. */
struct acl_object *object_create(struct checks *c, const struct acl_call_record *call, unsigned kind,
	const void *value, unsigned flags);
/* Makes a handle value known for an object created without one. */
void object_name(struct checks *c, struct acl_object *o, const void *value);
/* The runtime answers with a handle of its own making: a destroyed object of that value is not the one. */
void object_answered(struct checks *c, unsigned kind, const void *value);

/* enter of a destroying call; false: another call destroys it already, or it is not live. */
bool object_destroying(struct acl_object *o);
/* leave: the call failed. */
void object_destroy_failed(struct acl_object *o);
/* leave: it is gone. */
void object_destroyed(
	struct checks *c, struct acl_object *o, const struct acl_call_record *call, unsigned flags);

/* The next object at or after *cursor (slab order), any state but free; NULL at the end. k may be NULL. */
static inline struct acl_object *object_next_in(struct object_kind *k, uint32_t *cursor)
{
	uint32_t count = k ? load_acquire(&k->count) : 0;

	while (*cursor < count) {
		struct acl_object *o = object_in_slab(k, (*cursor)++);

		if (o && load_acquire(&o->state) != ACL_OBJECT_FREE)
			return o;
	}
	return NULL;
}

#define object_next(c, kind, cursor) object_next_in((c)->kinds[kind], cursor)
#define object_each(c, kind, o) for (uint32_t at_ = 0; ((o) = object_next(c, kind, &at_)) != NULL;)

void call_site_take(
	struct checks *c, struct call_site_slot *m, const struct acl_call_record *call, bool with_stack);
void call_site_copy(struct acl_call_site *to, const struct call_site_slot *from);
/* Where the object was created. */
const struct call_site_slot *object_created(const struct checks *c, const struct acl_object *o);
/* Where it was destroyed; all zero: it was not, or that is forgotten. */
void object_destroyed_at(const struct checks *c, const struct acl_object *o, struct acl_call_site *to);

/*
 * After any change of what makes it special, which special(o) reads.  The bit is set after that and before it
 * is looked at again, so that of two changes at once the later one decides.
 */
static inline void object_special_renew(struct acl_object *o, bool (*special)(struct acl_object *o))
{
	if (!special(o)) {
		atomic_fetch_and(&o->flags, (uint16_t)~ACL_OBJECT_SPECIAL);
		if (!special(o))
			return;
	}
	atomic_fetch_or(&o->flags, ACL_OBJECT_SPECIAL);
}

/* A finding has named it: it is not reported as left behind once more. */
static inline void object_reported(struct acl_object *o)
{
	atomic_fetch_or(&o->flags, ACL_OBJECT_REPORTED);
}

#endif
