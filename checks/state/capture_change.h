/* SPDX-License-Identifier: Apache-2.0 */
/* What changes the state of models and captures; for state modules only. */
#ifndef CHECKS_CAPTURE_CHANGE_H
#define CHECKS_CAPTURE_CHANGE_H

#include "checks/state/capture_streams.h"

/* A captured task uses an object, or what lies at an address (capture_uses.c); with the model all is
 * forgotten. */
void model_uses_object(
	struct checks *c, struct acl_object *model, struct acl_object *o, const struct acl_call_record *call);

/* The same with what the call's handles name: notifies, and the binary of a kernel. */
void model_uses_handles(struct checks *c, struct acl_object *model, const struct acl_call_record *call);

void model_uses_address(
	struct checks *c, struct acl_object *model, const void *address, const struct acl_call_record *call);

/* The same where the address is a word among a kernel's arguments: memory of the host does not count, such a
 * word may be filled by the runtime. */
void model_given_address(
	struct checks *c, struct acl_object *model, uint64_t address, const struct acl_call_record *call);

void model_uses_end(struct checks *c, struct acl_object *model);

/* Tasks of a model that can be changed after its capture (changed_task.c). */
enum changing_task { TASK_KERNEL = 1, TASK_EVENT = 2, TASK_VALUE = 4, TASK_ANY = 7 };

/* Which of them the function may have made; 0: one that stays as it is. */
unsigned tasks_made_by(uint16_t api);
/* One of these was changed: what they use is forgotten. */
void model_uses_changed(struct checks *c, struct acl_object *model, unsigned tasks);

/* A task of this function runs a kernel, of which it is not known what it does. Host functions are listed
 * with the kernels, but run on the host. */
static inline bool task_runs_kernel(unsigned api)
{
	return acl_apis[api].classes & ACL_CLASS_KERNEL &&
	       acl_apis[api].operation != ACL_OP_LAUNCH_HOST_FUNCTION;
}

/* Ends without a model: context torn down, stream gone. */
void capture_abandon(struct checks *c, struct acl_object *model);

/* Streams of a capture (capture_streams.c): it begins or is over; a stream joins, gets a task, records an
 * event that streams of the capture may wait for, waits for one. */
void capture_streams_begin(struct checks *c, struct acl_object *model);
void capture_streams_end(struct checks *c, struct acl_object *model);
void capture_stream_joins(
	struct checks *c, struct acl_object *model, struct acl_object *s, const struct acl_call_record *call);
void capture_stream_task(struct checks *c, struct acl_object *model, struct acl_object *s,
	enum capture_last kind, const struct acl_call_record *call);
void capture_stream_records(struct checks *c, struct acl_object *model, struct acl_object *s,
	struct acl_object *event, const struct acl_call_record *call);
/* A task group begins on the stream, and has a kernel more. */
void capture_stream_group_begins(struct acl_object *model, struct acl_object *s);
void capture_stream_group_kernel(struct acl_object *model, struct acl_object *s, const void *function);
/* Its last task is a wait that something unseen ends; s NULL: one whose place is not known. */
void capture_stream_waits_unseen(struct acl_object *model, struct acl_object *s);
void capture_stream_waits(struct checks *c, struct acl_object *model, struct acl_object *s,
	struct acl_object *event, const struct acl_call_record *call);

/* A captured task uses that memory. */
void capture_range_add(
	struct acl_object *model, uint64_t address, uint64_t bytes, const struct acl_call_record *call);

void model_gone(struct checks *c, struct acl_object *model);

#endif
