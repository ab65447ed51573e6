/* SPDX-License-Identifier: Apache-2.0 */
/* Streams bound to models that are built task by task (aclmdlRIBuildBegin … BuildEnd). */
#ifndef CHECKS_BINDING_STATE_H
#define CHECKS_BINDING_STATE_H

#include "checks/engine/instance.h"

/* The live model a stream is bound to, NULL = none. */
struct acl_object *binding_of(struct checks *c, struct acl_object *stream);

/* The live model that the stream of a handle is part of: bound to it, or answered by aclmdlRIGetStreams; NULL
 * = none known. */
struct acl_object *stream_model(struct checks *c, const void *stream);
/* The same of a live stream that is at hand. */
struct acl_object *live_stream_model(struct checks *c, struct acl_object *stream);

/* The captured model that has made the stream of a handle, alive or gone; NULL = none known. */
struct acl_object *stream_owner(struct checks *c, const void *stream);

/* Whether it was bound once: what it was given then runs with the model. */
bool binding_was(struct checks *c, struct acl_object *stream);
/* A stream was bound to the model; aclmdlRIBuildEnd was called for it. */
bool model_has_stream(struct checks *c, struct acl_object *model);
bool model_build_ended(struct checks *c, struct acl_object *model);
/* aclmdlRIEndTask was called for a stream of the model. */
bool model_has_end_task(struct checks *c, struct acl_object *model);
/* The model's building has ended. */
bool model_is_built(struct checks *c, struct acl_object *model);
/* What an execution of the model does is known: it was captured, or built, before our eyes. */
bool model_is_followed(struct checks *c, struct acl_object *model);
/* The model's building was begun and not ended. */
bool model_unfinished(struct checks *c, struct acl_object *model);

#endif
