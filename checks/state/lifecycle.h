/* SPDX-License-Identifier: Apache-2.0 */
/* Objects come and go: what the kinds add to that; for state modules only. */
#ifndef CHECKS_LIFECYCLE_H
#define CHECKS_LIFECYCLE_H

#include "checks/engine/instance.h"

/* Kills what lived in a context. */
void context_dies(
	struct checks *c, struct acl_object *context, const struct acl_call_record *call, unsigned flags);
/* Called for each new object of a kind once it is known. */
void stream_created(struct checks *c, const struct acl_call_record *call, struct acl_object *o);
void notify_created(const struct acl_call_record *call, struct acl_object *o);
void counter_created(struct acl_object *o);
void event_created(struct checks *c, const struct acl_call_record *call, struct acl_object *o);
void context_created(struct checks *c, const struct acl_call_record *call, struct acl_object *o);
void buffer_created(const struct acl_call_record *call, struct acl_object *o);
void pool_created(const struct acl_call_record *call, struct acl_object *o);
void group_created(struct checks *c, const struct acl_call_record *call, struct acl_object *o);
void binary_created(struct checks *c, const struct acl_call_record *call, struct acl_object *o);

#endif
