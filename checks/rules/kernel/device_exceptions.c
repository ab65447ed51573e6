/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of the device: exception callbacks and what they receive, the order of repair, aborts. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/value_table.h"
#include "checks/state/binary_state.h"
#include "checks/state/capture_state.h"
#include "checks/state/device_state.h"
#include "checks/state/init_state.h"
#include "checks/state/stream_state.h"

/* What is known of the fault of a device. */
enum { FAULT_READ = 1, FAULT_ABORTED = 2 };

struct exceptions {
	struct value_table fault; /* device + 1 -> FAULT_* */
	struct value_table work; /* device + 1 -> what its streams had got when it was aborted */
	struct value_table binaries; /* acl_ref of a binary -> 1: it had a callback of its own before */
	_Atomic bool registered; /* a callback was registered before */
	_Atomic bool any; /* the same, for whatever, or that was tried */
	struct acl_lock lock; /* of changes of infos */
	struct value_table infos; /* what a callback received -> 1 + how many are running with it */
};

static struct exceptions *exceptions(struct checks *c)
{
	return module_state(c, exceptions);
}

static bool registers(unsigned api)
{
	switch (acl_apis[api].operation) {
	case ACL_OP_CALLBACK_SET_EXCEPTION:
	case ACL_OP_CALLBACK_REGISTER_EXCEPTION:
	case ACL_OP_CALLBACK_REGISTER_BINARY_EXCEPTION:
		return true;
	}
	return false;
}

/* --- what a callback receives ----------------------------------------------------------- */

static void info_received(
	struct checks *c, const struct acl_call_record *outer, const void *info, bool begins)
{
	struct exceptions *x = exceptions(c);
	uint64_t running;

	if (!info || !registers(outer->api))
		return;
	lock(&x->lock);
	running = value_table_value(&x->infos, (uintptr_t)info);
	if (begins)
		value_table_set(c, &x->infos, (uintptr_t)info, (running ? running : 1) + 1);
	else if (running > 1)
		value_table_set(c, &x->infos, (uintptr_t)info, running - 1);
	unlock(&x->lock);
}

/* A callback receives it now, has received it, may have done so unseen, or there never was a callback. */
enum info_origin { INFO_RUNNING, INFO_RETURNED, INFO_UNKNOWN, INFO_NEVER };

/* Another thread may ask while the callback waits for it. */
static enum info_origin info_origin(struct checks *c, const void *info)
{
	struct exceptions *x = exceptions(c);
	uint64_t running = value_table_value(&x->infos, (uintptr_t)info);

	if (running > 1)
		return INFO_RUNNING;
	/* Callbacks that are registered below us get such information, too, and at the same addresses. */
	if (other_submitters_possible(c, CHECKS_OTHER_WORK))
		return INFO_UNKNOWN;
	return running ? INFO_RETURNED : load_relaxed(&x->any) ? INFO_UNKNOWN : INFO_NEVER;
}

static void asking(struct checks *c, struct acl_call_record *call)
{
	/* All begin with it. */
	const void *info = ACL_ARGS(call, aclrtGetTaskIdFromExceptionInfo)->info;
	enum info_origin origin = info ? info_origin(c, info) : INFO_NEVER;

	if (origin != INFO_UNKNOWN)
		FINDING(c, call, "exc-info-escaped", origin != INFO_RUNNING,
			PARTS(part_address("info", info)), "%s",
			!info ? "There is no exception information here."
			: origin == INFO_RETURNED
				? "The exception callback that received this has returned."
				: "No exception callback was ever registered: none has received this.");
}

/* --- registration -------------------------------------------------------------------------- */

static bool has_callback(const struct acl_call_record *call)
{
	return ACL_ARGS(call, aclrtSetExceptionInfoCallback)->callback != NULL;
}

_Static_assert(offsetof(struct acl_args_aclrtSetExceptionInfoCallback, callback) ==
		       offsetof(struct acl_args_aclrtExceptionInfoCallbackRegister, callback),
	"forms of the registration differ");

/* Libraries register when they are first used: only the program that initialised is warned. */
static bool by_library(struct checks *c, struct acl_call_record *call)
{
	return !init_count(c) || calling_module(c, call) != load_relaxed(&init_state(c)->module);
}

/* A stream that has got tasks. */
static struct acl_object *busy_stream(struct checks *c)
{
	struct acl_object *s;

	object_each(c, ACL_HANDLE_STREAM, s) if (load_relaxed(&stream_state(s)->work)) return s;
	return NULL;
}

static void exception_register_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s;

	store_relaxed(&exceptions(c)->any, true);
	if (!has_callback(call) || load_relaxed(&exceptions(c)->registered) || by_library(c, call))
		return;
	s = busy_stream(c);
	FINDING(c, call, "exc-callback-register-late", s, PARTS(part_object("stream", s)),
		"Tasks were submitted before: what goes wrong with them is not reported to the callback.");
}

static void exception_register_leave(struct checks *c, struct acl_call_record *call)
{
	if (has_callback(call) && succeeded(call))
		store_relaxed(&exceptions(c)->registered, true);
}

static struct acl_object *own_binary(struct checks *c, const struct acl_call_record *call)
{
	struct acl_object *b =
		object_live(c, ACL_HANDLE_BINARY, ACL_ARGS(call, aclrtBinarySetExceptionCallback)->binHandle);

	return b && !(load_relaxed(&b->flags) & ACL_OBJECT_INHERITED) ? b : NULL;
}

/* The callback of a binary receives launches of its kernels. */
static void registering_binary(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *b = own_binary(c, call);

	store_relaxed(&exceptions(c)->any, true);
	if (!b || by_library(c, call) || value_table_value(&exceptions(c)->binaries, object_ref(b)))
		return;
	FINDING(c, call, "exc-callback-register-late", load_acquire(&binary_state(b)->launches[0].position),
		PARTS(part_object(acl_handle_names[b->kind], b)),
		"A kernel of the binary was launched before: what goes wrong with it is not reported to the "
		"callback.");
}

static void registered_binary(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *b = own_binary(c, call);

	if (b && succeeded(call))
		value_table_set_object(c, &exceptions(c)->binaries, b, 1);
}

/* --- fault, abort, repair ---------------------------------------------------------------------- */

static uint64_t device_key(const struct acl_call_record *call)
{
	return (uint64_t)(uint32_t)device_argument(call) + 1;
}

/* Grows with every task the device's streams get. */
static uint64_t work_of(struct checks *c, int device)
{
	struct acl_object *s;
	uint64_t sum = 1;

	object_each(c, ACL_HANDLE_STREAM, s) if (load_relaxed(&s->device) == device) sum +=
		stream_submitted(s);
	return sum;
}

static void aborted(struct checks *c, struct acl_call_record *call)
{
	struct exceptions *x = exceptions(c);

	if (!succeeded(call))
		return;
	value_table_set(c, &x->work, device_key(call), work_of(c, device_argument(call)));
	value_table_set(c, &x->fault, device_key(call),
		value_table_value(&x->fault, device_key(call)) | FAULT_ABORTED);
}

/* Of a call: FAULT_ABORTED when the fault was cleared away before. */
static const char aborted_note;

static void reading(struct checks *c, struct acl_call_record *call)
{
	struct exceptions *x = exceptions(c);
	uint64_t now = value_table_value(&x->fault, device_key(call));
	bool same = !(now & FAULT_ABORTED) ||
		    value_table_value(&x->work, device_key(call)) == work_of(c, device_argument(call));

	/* New tasks since the abort may have met a fault of their own. */
	if (!same)
		return;
	call_note_set(call, &aborted_note, now & FAULT_ABORTED);
	FINDING(c, call, "exc-verbose-order", now == FAULT_ABORTED, NO_PARTS,
		"aclrtDeviceTaskAbort was called for device %d before: what it did not clear away may not be "
		"the fault.",
		device_argument(call));
}

static void was_read(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call))
		value_table_set(c, &exceptions(c)->fault, device_key(call),
			FAULT_READ | call_note(call, &aborted_note));
}

static void repairing(struct checks *c, struct acl_call_record *call)
{
	uint64_t now = value_table_value(&exceptions(c)->fault, device_key(call));

	if (!(now & FAULT_ABORTED))
		FINDING(c, call, "exc-verbose-order", true, NO_PARTS,
			"aclrtDeviceTaskAbort was not called for device %d since its fault.",
			device_argument(call));
	else
		FINDING(c, call, "exc-verbose-order", !(now & FAULT_READ), NO_PARTS,
			"aclrtGetErrorVerbose was not called for device %d before its tasks were aborted.",
			device_argument(call));
}

static void repaired(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call))
		value_table_set(c, &exceptions(c)->fault, device_key(call), 0);
}

/* --- aborts while capturing ------------------------------------------------------------------------ */

static void aborting(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	if (s && object_usable(s))
		FINDING(c, call, "exc-abort-during-capture", capture_of(c, s),
			PARTS(part_object("stream", s), part_object("model", capture_of(c, s))),
			"The stream is being captured: end the capture first.");
}

static void aborting_device(struct checks *c, struct acl_call_record *call)
{
	int device = device_argument(call);
	struct acl_object *capture;

	if (!device_at(c, device))
		return;
	capture = capture_in(c, NULL, device);
	FINDING(c, call, "exc-abort-during-capture", capture,
		PARTS(part_object("stream", capture_origin(c, capture)), part_object("model", capture)),
		"A stream of device %d is being captured: end the capture first.", device);
}

static const struct check_hook hooks[] = {
	{ON_OP(INFO_EXCEPTION_ARGUMENTS), ACL_ENTER, asking},
	{ON_OP(INFO_EXCEPTION_DEVICE), ACL_ENTER, asking},
	{ON_OP(INFO_EXCEPTION_ERROR), ACL_ENTER, asking},
	{ON_OP(INFO_EXCEPTION_FUNCTION), ACL_ENTER, asking},
	{ON_OP(INFO_EXCEPTION_STREAM), ACL_ENTER, asking},
	{ON_OP(INFO_EXCEPTION_TASK), ACL_ENTER, asking},
	{ON_OP(INFO_EXCEPTION_THREAD), ACL_ENTER, asking},
	{ON_OP(CALLBACK_REGISTER_EXCEPTION), ACL_ENTER, exception_register_enter},
	{ON_OP(CALLBACK_SET_EXCEPTION), ACL_ENTER, exception_register_enter},
	{ON_OP(CALLBACK_REGISTER_EXCEPTION), ACL_LEAVE, exception_register_leave},
	{ON_OP(CALLBACK_SET_EXCEPTION), ACL_LEAVE, exception_register_leave},
	{ON_OP(CALLBACK_REGISTER_BINARY_EXCEPTION), ACL_ENTER, registering_binary},
	{ON_OP(CALLBACK_REGISTER_BINARY_EXCEPTION), ACL_LEAVE, registered_binary},
	{ON_OP(DEVICE_ABORT), ACL_ENTER, aborting_device},
	{ON_OP(DEVICE_ABORT), ACL_LEAVE, aborted},
	{ON_OP(ERROR_DETAILS), ACL_ENTER, reading},
	{ON_OP(ERROR_DETAILS), ACL_LEAVE, was_read},
	{ON_OP(ERROR_REPAIR), ACL_ENTER, repairing},
	{ON_OP(ERROR_REPAIR), ACL_LEAVE, repaired},
	{ON_OP(STREAM_ABORT), ACL_ENTER, aborting},
	{ON_OP(STREAM_STOP), ACL_ENTER, aborting},
};

const struct check_module module_exceptions = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct exceptions),
	.callback = info_received,
};
