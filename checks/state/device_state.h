/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and contexts: what is current on a thread. */
#ifndef CHECKS_DEVICE_STATE_H
#define CHECKS_DEVICE_STATE_H

#include "checks/engine/instance.h"

#define ACL_DEVICES 64 /* device ids beyond are not tracked: their rules stay silent */

struct acl_device {
	_Atomic int32_t sets; /* successful SetDevice minus ResetDevice */
	_Atomic int32_t beyond; /* sets beyond the first that one reset took back, where one is enough */
	_Atomic int32_t inherited; /* those of the parent, before it forked this process */
	_Atomic bool set_since_reset;
	_Atomic bool ever_set, ever_reset;
	_Atomic bool reached; /* it was set, or a context was made on it */
	_Atomic uint64_t context; /* acl_ref of the default context */
	_Atomic uint64_t peers; /* bit p: this device may reach device p */
	_Atomic uint64_t peers_again; /* bit p: that was enabled more than once, and lasts longer */
	_Atomic uint64_t denied; /* bit p: CanAccessPeer(this, p) answered 0 */
	_Atomic uint64_t allowed; /* bit p: it answered 1 */
	_Atomic uint64_t memory; /* bytes of its main memory, as aclrtGetMemInfo has answered, 0 = never */
	struct call_site_slot first_set, last_set,
		last_reset; /* last_reset: the one that took it out of use */
};

/* Of the process; in the module's slot. */
struct process_devices {
	struct acl_device *devices; /* ACL_DEVICES of them */
	_Atomic uint8_t run_mode; /* 1 + aclrtRunMode, 0 = not asked */
	_Atomic bool peers_unknown; /* something below us enabled peer access */
	_Atomic bool calls_back; /* callbacks of the program run within a reset */
};

static inline struct process_devices *process_devices(const struct checks *c)
{
	return module_slot(c, device, struct process_devices);
}

/* The program runs on the device's side: memory is the same for both. */
static inline bool runs_on_device(const struct checks *c)
{
	return load_relaxed(&process_devices(c)->run_mode) == 1 + ACL_DEVICE;
}

static inline bool peers_unknown(const struct checks *c)
{
	return load_relaxed(&process_devices(c)->peers_unknown);
}

/* NULL: not a device that is followed. */
static inline struct acl_device *device_at(const struct checks *c, int device)
{
	return (unsigned)device < ACL_DEVICES ? &process_devices(c)->devices[device] : NULL;
}

static inline uint64_t device_memory_bytes(const struct checks *c, int device)
{
	struct acl_device *d = device_at(c, device);

	return d ? load_relaxed(&d->memory) : 0;
}

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
/* Whether it stands for an aclrtSetDevice, though an earlier reset has taken the device out of use (8.1). */
bool device_reset_answers_set(struct checks *c, const struct acl_call_record *call, int device);
int device_argument(const struct acl_call_record *call);
/*
 * Whether now, in enter or leave of a reset, what is left on the device counts: before the reset, or, where
 * callbacks of the program may destroy it within, behind it.  There what went with the device still counts as
 * alive.
 */
bool device_reset_counts_left(const struct checks *c, const struct acl_call_record *call);
/* Context the object was created in, NULL when unknown or gone. */
static inline struct acl_object *context_of(struct checks *c, struct acl_object *o)
{
	return object_of(c, load_relaxed(&o->context));
}

#endif
