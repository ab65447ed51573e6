/* SPDX-License-Identifier: Apache-2.0 */
/* Streams bound to models that are built task by task (aclmdlRIBuildBegin … BuildEnd). */
#ifndef CHECKS_BINDING_H
#define CHECKS_BINDING_H

#include "checks/state.h"

/* The live model a stream is bound to, NULL = none. */
struct acl_object *binding_of(struct checks *c, struct acl_object *stream);

/* Whether it was bound once: what it was given then runs with the model. */
bool binding_was(struct checks *c, struct acl_object *stream);
/* The model's building has ended. */
bool model_is_built(struct checks *c, struct acl_object *model);
/* The model's building was begun and not ended. */
bool model_unfinished(struct checks *c, struct acl_object *model);

#endif
