/* SPDX-License-Identifier: Apache-2.0 */
/* Task groups: the kernels that were captured into each, and how far an update of it has come. */
#ifndef CHECKS_GROUP_STATE_H
#define CHECKS_GROUP_STATE_H

#include "checks/state/capture_streams.h"

/* The last update of the group. */
struct group_update {
	acl_ref binary[GROUP_KERNELS]; /* of its kernels, 0 = unknown */
	uint32_t n;
	struct acl_call_site end; /* caller 0: it has not ended, or failed */
};

struct group_state {
	struct group_kernels kernels; /* written once, before the group is known */
	struct group_update update; /* under the model's lock */
	_Atomic uint64_t model; /* acl_ref of the model it is of, 0 = unknown */
	_Atomic uint32_t updates; /* streams on which it is updated; those destroyed meanwhile included */
};

static inline struct group_state *group_state(struct acl_object *group)
{
	return object_extra(group);
}

static inline const struct group_kernels *group_kernels(struct acl_object *group)
{
	return &group_state(group)->kernels;
}

/* The group that is updated on the stream, NULL = none or not known. */
static inline struct acl_object *group_updated(struct checks *c, struct acl_object *stream)
{
	acl_ref ref = stream && load_relaxed(&stream_state(stream)->update) == UPDATE_OPEN
			      ? stream_rarely(stream, updating)
			      : 0;

	return ref ? object_of(c, ref) : NULL;
}

/* A stream on which this group is updated now. */
struct acl_object *group_updated_on(struct checks *c, struct acl_object *group);

/* The stream on which the last update of a model has ended, and at which position there; NULL: none known. */
struct acl_object *model_updated_on(struct checks *c, struct acl_object *model, uint64_t *position);

/* Kernels that were launched on the stream since the update began. */
static inline uint32_t group_updates(struct acl_object *stream)
{
	return stream_rarely(stream, updated);
}

/* The launch that was tried last in the update failed: who ends it now gives it up. */
static inline bool group_update_given_up(struct acl_object *stream)
{
	return stream_rarely(stream, update_failed);
}

/* Whether the group's kernels are of the binary since its last update, and the model still lives. */
bool group_updated_from(struct checks *c, struct acl_object *group, acl_ref binary, struct group_update *u);

#endif
