/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of other devices that the tasks of a stream use. */
#include "checks/state/device_state.h"
#include "checks/state/operation.h"
#include "checks/state/stream_change.h"
#include "checks/state/stream_state.h"

/* Device + 1 of a side that lies on another device than the stream, 0 = none. */
static uint64_t foreign(struct acl_object *stream, const struct op_access *side)
{
	int own = load_relaxed(&stream->device),
	    device = side->block.block ? load_relaxed(&side->block.block->device) : -1;

	return own >= 0 && device >= 0 && device != own ? (uint64_t)(device + 1) : 0;
}

/* Of a call: 1 + other devices whose memory the copy uses, eight bits each. */
static const char foreign_devices_note;

static void stream_uses_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	const struct operation *op;
	uint64_t devices = 0;

	/* A plain copy is of one device. */
	if (call->plain || !checks_happened(c, WHEN_DEVICES) || !s || !call->state.position ||
		call->state.capture)
		return;
	op = operation_of(c, call);
	for (uint64_t i = 0; i < op->n_entries && !devices; i++) {
		struct op_entry e = operation_entry(op, i);

		devices = foreign(s, e.src) | foreign(s, e.dst) << 8;
	}
	if (devices)
		call_note_set(call, &foreign_devices_note, devices);
}

/* The copy is queued: until it is done, the other device's memory is in use. */
static void stream_uses_leave(struct checks *c, struct acl_call_record *call)
{
	if (!call_note(call, &foreign_devices_note) || !succeeded(call))
		return;
	for (uint64_t devices = call_note(call, &foreign_devices_note); devices; devices >>= 8)
		if (devices & 255)
			stream_touches(c, stream_of(call), (int)(devices & 255) - 1, call->state.position);
}

static const struct check_hook hooks[] = {
	{ON_GROUP(COPY), ACL_ENTER | ACL_WHEN(DEVICES) | ACL_IF_ASYNC, stream_uses_enter},
	{ON_GROUP(COPY), ACL_LEAVE | ACL_WHEN(DEVICES) | ACL_UNLESS_PLAIN | ACL_IF_ASYNC, stream_uses_leave},
};

/* After the operation is decoded and the stream has its position. */
const struct check_module module_stream_uses = {
	.order = 21,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
