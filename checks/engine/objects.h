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
#include "checks/engine/key_index.h"

/* Kind, slab index and generation in one word; 0 = none. */
typedef uint64_t acl_ref;

enum acl_object_state { ACL_OBJECT_FREE, ACL_OBJECT_LIVE, ACL_OBJECT_DESTROYING, ACL_OBJECT_DESTROYED };

enum acl_object_flag {
	ACL_OBJECT_LEARNED = 1u << 0, /* first seen in use, not at its creation: never reported as leaked */
	ACL_OBJECT_DEFAULT = 1u << 1, /* default context or default stream: the runtime owns it */
	ACL_OBJECT_INHERITED = 1u << 2, /* of the parent process */
	ACL_OBJECT_BY_OWNER = 1u << 3, /* died with its context or device */
	ACL_OBJECT_REPORTED = 1u << 4 /* named by a finding about its life: leaks are said once */
};

/* Where something happened, readable while it is written (fields may then belong to two moments). */
struct call_site_slot {
	_Atomic uint64_t caller;
	_Atomic uint32_t stack, tid;
	_Atomic uint16_t api;
};

struct acl_object {
	_Atomic uint64_t value;
	_Atomic uint64_t live_value; /* the same while the state is LIVE, else NOT_LIVE() */
	_Atomic acl_ref ref; /* of the present generation */
	_Atomic uint8_t state; /* enum acl_object_state */
	uint8_t kind; /* enum acl_handle */
	_Atomic uint16_t flags; /* enum acl_object_flag */
	_Atomic uint64_t serial, version;
	_Atomic uint64_t context; /* acl_ref of the context it was created in, 0 = unknown */
	_Atomic uint64_t parent; /* acl_ref: binary of a function, model of a task group */
	_Atomic int32_t device; /* -1 = unknown */
	_Atomic uint32_t captured; /* live captured models that use it */
	struct call_site_slot created, last_used, destroyed;
	uint32_t index;
	uint32_t next_free;
};

/* What is no handle: an address of the checker's own. */
#define NOT_LIVE(o) ((uint64_t)(uintptr_t)(o))

struct object_kind {
	_Alignas(64) struct acl_lock lock;
	struct key_index index; /* handle value -> struct acl_object */
	_Atomic(unsigned char *) chunks[4096];
	_Atomic uint32_t count; /* objects ever carved */
	uint32_t free_head; /* index + 1 */
	uint32_t element; /* bytes of one object with its extension */
	uint32_t kept; /* bytes at the beginning of the extension that outlive the object */
	uint32_t dead_at;
	uint32_t dead[1024]; /* ring of index + 1: destroyed objects kept for their history */
};

/* Latest object of a kind with this handle value, live or destroyed; NULL = never seen. */
static inline struct acl_object *object_in(struct object_kind *k, const void *value)
{
	uint64_t key = (uintptr_t)value, found = 0;
	struct acl_object *o;

	if (!k || !key_index_get(&k->index, key, &found))
		return NULL;
	o = (struct acl_object *)(uintptr_t)found;
	return load_relaxed(&o->value) == key ? o : NULL;
}

/*
 * The live object of a kind with this handle value; NULL = ask object_in.  Whatever state the table is in,
 * which always has empty slots: a live object with the value is the one.
 */
static inline __attribute__((always_inline)) struct acl_object *object_at_hand(
	struct object_kind *k, uint64_t value)
{
	struct key_table *t = load_acquire(&k->index.table);

	for (uint64_t i = key_place(t, value);; i = (i + 1) & t->mask) {
		uint64_t at = load_acquire(&t->slots[i].value);
		struct acl_object *o = (struct acl_object *)(uintptr_t)at;

		if (__builtin_expect(!o || load_acquire(&o->live_value) == value, 1))
			return o;
	}
}

struct checks;

/* kept: so many bytes at the beginning of the extension are the slot's own and outlive its objects. */
void object_init(struct checks *c, unsigned kind, unsigned extension, unsigned kept);

/* Kind-specific part behind the common one. */
static inline void *object_extra(struct acl_object *o)
{
	return o + 1;
}

static inline acl_ref object_ref(const struct acl_object *o)
{
	return load_relaxed(&((struct acl_object *)o)->ref);
}

#define OBJECT_KINDS 64 /* so many can stand in a reference; the last are those of blocks */
#define OBJECT_CHUNK 64 /* objects in a slab chunk */

/* The object of a kind that a reference means, NULL when that generation is gone. */
static inline struct acl_object *object_of_kind(struct object_kind *k, acl_ref ref)
{
	uint32_t index = (uint32_t)(ref >> 32) & ((1u << 26) - 1);
	unsigned char *chunk;
	struct acl_object *o;

	if (__builtin_expect(!k, 0))
		return NULL;
	chunk = atomic_load_explicit(&k->chunks[index / OBJECT_CHUNK], memory_order_acquire);
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

/* A new object; call is where (NULL: nowhere). value 0: not (yet) known by a handle. NULL: no memory. */
struct acl_object *object_create(struct checks *c, const struct acl_call_record *call, unsigned kind,
	const void *value, unsigned flags);
/* Makes a handle value known for an object created without one. */
void object_name(struct checks *c, struct acl_object *o, const void *value);

/* enter of a destroying call; false: another call destroys it already, or it is not live. */
bool object_destroying(struct acl_object *o);
/* leave: the call failed. */
void object_destroy_failed(struct acl_object *o);
/* leave: it is gone. */
void object_destroyed(
	struct checks *c, struct acl_object *o, const struct acl_call_record *call, unsigned flags);

/* Next object of a kind at or after *cursor (slab order), any state but free; NULL at the end. */
struct acl_object *object_next(struct checks *c, unsigned kind, uint32_t *cursor);

#define object_each(c, kind, o) for (uint32_t at_ = 0; ((o) = object_next(c, kind, &at_)) != NULL;)

void call_site_take(
	struct checks *c, struct call_site_slot *m, const struct acl_call_record *call, bool with_stack);
void call_site_copy(struct acl_call_site *to, const struct call_site_slot *from);

/* The call changes this object: numbers the change for the replay. */
static inline void object_changed(struct acl_call_record *call, struct acl_object *o)
{
	struct acl_version *v;

	if (call->n_versions >= ACL_CALL_VERSIONS)
		return;
	v = &call->versions[call->n_versions++];
	v->object = (uint64_t)o->kind << 56 | load_relaxed(&o->serial);
	v->version = counter_inc(&o->version) + 1;
}

/* A finding has named it: it is not reported as left behind once more. */
static inline void object_reported(struct acl_object *o)
{
	atomic_fetch_or(&o->flags, ACL_OBJECT_REPORTED);
}

#endif
