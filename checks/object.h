/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the checker knows of runtime objects.  An object is (value, generation):
 * the runtime uses handle values again at once.  Objects live in slabs that are
 * never unmapped and never change kind, so a stale pointer is always readable;
 * an acl_ref says which generation was meant.  Readers take no lock.
 */
#ifndef CHECKS_OBJECT_H
#define CHECKS_OBJECT_H

#include "checks/atom.h"
#include "checks/event.h"
#include "checks/finding.h"

/* Kind, slab index and generation in one word; 0 = none. */
typedef uint64_t acl_ref;

enum acl_object_state { ACL_OBJECT_FREE, ACL_OBJECT_LIVE, ACL_OBJECT_GOING, ACL_OBJECT_DEAD };

enum acl_object_flag {
	ACL_OBJECT_LEARNED = 1u << 0, /* first seen in use, not at its creation: never judged as leaked */
	ACL_OBJECT_DEFAULT = 1u << 1, /* default context or default stream: the runtime owns it */
	ACL_OBJECT_INHERITED = 1u << 2, /* of the parent process */
	ACL_OBJECT_BY_OWNER = 1u << 3, /* died with its context or device */
	ACL_OBJECT_REPORTED = 1u << 4 /* named by a finding about its life: leaks are said once */
};

/* Where something happened, readable while it is written (fields may then belong to two moments). */
struct moment {
	_Atomic uint64_t caller;
	_Atomic uint32_t stack, tid;
	_Atomic uint16_t api;
};

struct acl_object {
	_Atomic uint64_t value;
	_Atomic uint32_t generation;
	_Atomic uint8_t state; /* enum acl_object_state */
	uint8_t kind; /* enum acl_handle */
	_Atomic uint16_t flags; /* enum acl_object_flag */
	_Atomic uint64_t serial, version;
	_Atomic uint64_t context; /* acl_ref of the context it was created in, 0 = unknown */
	_Atomic uint64_t parent; /* acl_ref: binary of a function, model of a task group */
	_Atomic int32_t device; /* -1 = unknown */
	_Atomic uint32_t captured; /* live captured models that use it */
	struct moment created, last_used, destroyed;
	uint32_t index;
	uint32_t next_free;
};

#define ACL_VALUE_GONE 1u /* stands in the index for a value that was taken out */

/* Open addressing; grown by copying, old tables stay readable. */
struct object_index {
	uint32_t mask, used; /* used: slots not empty, tombstones included; under the kind's lock */
	struct {
		_Atomic uint64_t key; /* handle value, 0 = empty, ACL_VALUE_GONE */
		_Atomic(struct acl_object *) object;
	} slots[];
};

struct object_kind {
	_Alignas(64) struct acl_lock lock;
	_Atomic(struct object_index *) index;
	_Atomic(unsigned char *) chunks[4096];
	_Atomic uint32_t count; /* objects ever carved */
	uint32_t free_head; /* index + 1 */
	uint32_t element; /* bytes of one object with its extension */
	uint32_t dead_at;
	uint32_t dead[1024]; /* ring of index + 1: destroyed objects kept for their biography */
	_Atomic uint32_t live; /* not counting defaults */
};

/* Latest object of a kind with this handle value, live or dead; NULL = never seen. */
static inline struct acl_object *object_in(struct object_kind *k, const void *value)
{
	struct object_index *index = k ? ld_acquire(&k->index) : NULL;
	uint64_t key = (uintptr_t)value;

	if (!index || key <= ACL_VALUE_GONE)
		return NULL;
	for (uint64_t i = mix64(key), mask = index->mask;; i++) {
		uint64_t found = ld_acquire(&index->slots[i & mask].key);

		if (found == key) {
			struct acl_object *o = ld_acquire(&index->slots[i & mask].object);

			return ld(&o->value) == key ? o : NULL;
		}
		if (!found)
			return NULL;
	}
}

struct checks;

void object_init(struct checks *c, unsigned kind, unsigned extension);

/* Kind-specific part behind the common one. */
static inline void *object_extra(struct acl_object *o)
{
	return o + 1;
}

static inline acl_ref object_ref(const struct acl_object *o)
{
	return (uint64_t)o->kind << 58 | (uint64_t)o->index << 32 |
	       atomic_load_explicit((_Atomic uint32_t *)&o->generation, memory_order_relaxed);
}

/* The object a reference means, NULL when that generation is gone. */
struct acl_object *object_of(struct checks *c, acl_ref ref);

/* object_find, only when it may be used. */
struct acl_object *object_live(struct checks *c, unsigned kind, const void *value);

static inline bool object_usable(const struct acl_object *o)
{
	uint8_t state = atomic_load_explicit((_Atomic uint8_t *)&o->state, memory_order_acquire);

	return state == ACL_OBJECT_LIVE || state == ACL_OBJECT_GOING;
}

/* A new object; ev tells where (NULL: nowhere). value 0: not (yet) known by a handle. NULL: no memory. */
struct acl_object *object_create(
	struct checks *c, const struct acl_event *ev, unsigned kind, const void *value, unsigned flags);
/* Makes a handle value known for an object created without one. */
void object_name(struct checks *c, struct acl_object *o, const void *value);

/* enter of a destroying call; false: somebody else destroys it already, or it is not live. */
bool object_going(struct acl_object *o);
/* leave: the call failed. */
void object_stays(struct acl_object *o);
/* leave: it is gone. */
void object_dead(struct checks *c, struct acl_object *o, const struct acl_event *ev, unsigned flags);

/* Next object of a kind at or after *cursor (slab order), any state but free; NULL at the end. */
struct acl_object *object_next(struct checks *c, unsigned kind, uint32_t *cursor);

#define object_each(c, kind, o) for (uint32_t at_ = 0; ((o) = object_next(c, kind, &at_)) != NULL;)

void moment_take(struct checks *c, struct moment *m, const struct acl_event *ev, bool with_stack);
void moment_copy(struct acl_moment *to, const struct moment *from);

/* The call changes this object: numbers the change for the replay. */
static inline void object_changed(struct acl_event *ev, struct acl_object *o)
{
	struct acl_version *v;

	if (ev->n_versions >= ACL_EVENT_VERSIONS)
		return;
	v = &ev->versions[ev->n_versions++];
	v->object = (uint64_t)o->kind << 56 | ld(&o->serial);
	v->version = bump(&o->version) + 1;
}

#endif
