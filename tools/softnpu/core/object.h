/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects behind handles.  A handle is an address inside a reserved range that is
 * not readable; it is looked up in a table and never followed, so that a
 * dead or invented one is recognised.
 */
#ifndef SOFTNPU_OBJECT_H
#define SOFTNPU_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

enum obj_kind {
	OBJ_CONTEXT = 1,
	OBJ_STREAM,
	OBJ_EVENT,
	OBJ_NOTIFY,
	OBJ_LABEL,
	OBJ_MODEL,
	OBJ_TASK_GROUP,
	OBJ_MODEL_TASK,
	OBJ_COND,
	OBJ_BINARY,
	OBJ_BINARY_DESC,
	OBJ_FUNCTION,
	OBJ_ARGS,
	OBJ_PHYSICAL,
	OBJ_POOL,
	OBJ_MBUF,
	OBJ_CNT_NOTIFY,
	OBJ_ALLOCATOR_DESC,
	OBJ_KINDS
};

/* First member of every object. The handle holds one reference while it is alive. */
struct object {
	enum obj_kind kind;
	unsigned refs;
	uint32_t slot;
	uint64_t generation; /* differs for every object ever made */
	bool alive; /* the handle still stands for it */
	void (*release)(struct object *);
};

/* Gives o a handle; false when there is none left. release frees o when the last reference goes. */
bool object_init(struct object *o, enum obj_kind kind, void (*release)(struct object *));
void *object_handle(const struct object *o);
/* The living object of that kind behind a handle, or NULL. */
struct object *object_find(const void *handle, enum obj_kind kind);
/* As the answer of a call: a NULL handle is answered with if_null, another that is of no such object with
 * 107017. */
int object_named(
	const void *handle, enum obj_kind kind, int if_null, const char *what, struct object **object);
#define OBJECT_NAMED(handle, kind, if_null, what, found)                                                     \
	({                                                                                                   \
		struct object *object_;                                                                      \
		int named_ = object_named(handle, kind, if_null, what, &object_);                            \
		if (!named_)                                                                                 \
			*(found) = container_of(object_, __typeof__(**(found)), obj);                        \
		named_;                                                                                      \
	})
/* The handle ends and its reference with it. */
void object_kill(struct object *o);
void object_get(struct object *o);
void object_put(struct object *o);
/* Calls fn for each living object of a kind; fn may kill the one it is given. */
void objects_each(enum obj_kind kind, void (*fn)(struct object *, void *), void *arg);
/* In a forked child. */
void objects_forget(void);

#endif
