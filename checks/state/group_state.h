/* SPDX-License-Identifier: Apache-2.0 */
/* Task groups: the kernels that were captured into each, and how far an update of it has come. */
#ifndef CHECKS_GROUP_STATE_H
#define CHECKS_GROUP_STATE_H

#include "checks/state/stream_state.h"

#define GROUP_KERNELS 16 /* of which the function is known; all are counted */

struct group_kernels {
	uint32_t n; /* that went through this interface: those of operator libraries do not */
	const void *function[GROUP_KERNELS]; /* as passed to the launch */
};

struct group_state {
	struct group_kernels kernels; /* written once, before the group is known */
};

static inline const struct group_kernels *group_kernels(struct acl_object *group)
{
	return &((struct group_state *)object_extra(group))->kernels;
}

/* The group that is updated on the stream, NULL = none or not known. */
static inline struct acl_object *group_updated(struct checks *c, struct acl_object *stream)
{
	acl_ref ref = stream && load_relaxed(&stream_state(stream)->update) == UPDATE_OPEN
			      ? load_relaxed(&stream_state(stream)->updating)
			      : 0;

	return ref ? object_of(c, ref) : NULL;
}

/* Kernels that were launched on the stream since the update began. */
static inline uint32_t group_updates(struct acl_object *stream)
{
	return load_relaxed(&stream_state(stream)->updated);
}

#endif
