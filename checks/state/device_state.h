/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and contexts: what is current on a thread. */
#ifndef CHECKS_DEVICE_STATE_H
#define CHECKS_DEVICE_STATE_H

#include "checks/engine/instance.h"

struct context_state {
	_Atomic uint32_t captures[3]; /* open captures of its streams, by mode */
	_Atomic uint64_t default_stream; /* acl_ref */
};

static inline struct context_state *context_state(struct acl_object *o)
{
	return object_extra(o);
}

/* What this thread's calls go to, as far as we saw: a reference that may be old, 0 = nothing. */
static inline acl_ref context_ref(const struct acl_thread *t)
{
	return load_acquire((_Atomic uint64_t *)t->current);
}

/* The thread's current context. NULL with *known: it has none; NULL without: unknown. */
struct acl_object *context_current(struct checks *c, struct acl_thread *t, bool *known);
/* Device of the thread's current context, -1 = none or unknown. */
int device_current(struct checks *c, struct acl_thread *t);
/* Whether this ResetDevice/ResetDeviceForce takes the device out of use. */
bool device_reset_is_last(struct checks *c, const struct acl_call_record *call, int device);
int device_argument(const struct acl_call_record *call);
struct acl_device *device_at(struct checks *c, int device);
/* Context the object was created in, NULL when unknown or gone. */
static inline struct acl_object *context_of(struct checks *c, struct acl_object *o)
{
	return object_of(c, load_relaxed(&o->context));
}

#endif
