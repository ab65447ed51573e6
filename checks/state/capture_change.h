/* SPDX-License-Identifier: Apache-2.0 */
/* What changes the state of models and captures; for state modules only. */
#ifndef CHECKS_CAPTURE_CHANGE_H
#define CHECKS_CAPTURE_CHANGE_H

#include "checks/engine/instance.h"

/* A captured task uses an object, or what lies at an address (capture_uses.c); with the model all is
 * forgotten. */
void model_uses_object(
	struct checks *c, struct acl_object *model, struct acl_object *o, const struct acl_call_record *call);

void model_uses_address(
	struct checks *c, struct acl_object *model, const void *address, const struct acl_call_record *call);

void model_uses_end(struct checks *c, struct acl_object *model);

/* Ends without a model: context torn down, stream gone. */
void capture_abandon(struct checks *c, struct acl_object *model);

void model_gone(struct checks *c, struct acl_object *model);

#endif
