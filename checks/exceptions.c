/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of the device: exception callbacks and what they are told, the order of repair, aborts. */
#include "checks/kernel.h"
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

#define INFOS 64

/* What is known of the fault of a device. */
enum { FAULT_READ = 1, FAULT_ABORTED = 2 };

struct exceptions {
	struct pairs fault; /* device + 1 -> FAULT_* */
	struct pairs work; /* device + 1 -> what its streams had got when it was aborted */
	struct pairs binaries; /* acl_ref of a binary -> 1: it had a callback of its own before */
	_Atomic bool registered; /* a callback was registered before */
	struct acl_lock lock;
	struct {
		const void *info; /* what a callback was told; remembered when it has returned */
		uint32_t running;
		uint64_t turn;
	} told[INFOS];
	uint64_t turns;
};

static struct exceptions *exceptions(struct checks *c)
{
	return c->topic[TOPIC_EXCEPTIONS];
}

static bool registers(unsigned api)
{
	return api == ACL_API_aclrtSetExceptionInfoCallback ||
	       api == ACL_API_aclrtExceptionInfoCallbackRegister ||
	       api == ACL_API_aclrtBinarySetExceptionCallback;
}

/* --- what a callback is told ------------------------------------------------------------ */

/* The entry of an info, or the one to use for it next. Under the lock. */
static unsigned told_at(const struct exceptions *x, const void *info)
{
	unsigned oldest = 0;

	for (unsigned i = 0; i < INFOS; i++) {
		if (x->told[i].info == info)
			return i;
		if (x->told[i].turn < x->told[oldest].turn)
			oldest = i;
	}
	return oldest;
}

static void told(struct checks *c, const struct acl_event *outer, const void *info, bool begins)
{
	struct exceptions *x = exceptions(c);
	unsigned i;

	if (!info || !registers(outer->api))
		return;
	lock(&x->lock);
	i = told_at(x, info);
	if (begins) {
		if (x->told[i].info != info)
			x->told[i].running = 0;
		x->told[i].info = info;
		x->told[i].turn = ++x->turns;
		x->told[i].running++;
	} else if (x->told[i].info == info && x->told[i].running) {
		x->told[i].running--;
	}
	unlock(&x->lock);
}

/* Another thread may ask while the callback waits for it; what no callback of ours was told is not known. */
static bool known_info(struct exceptions *x, const void *info, bool *running)
{
	unsigned i;
	bool found;

	lock(&x->lock);
	i = told_at(x, info);
	found = x->told[i].info == info;
	*running = x->told[i].running;
	unlock(&x->lock);
	return found;
}

static void asking(struct checks *c, struct acl_event *ev)
{
	/* All begin with it. */
	const void *info = ACL_ARGS(ev, aclrtGetTaskIdFromExceptionInfo)->info;
	bool running = false;

	if (info && !known_info(exceptions(c), info, &running))
		return;
	rule_asked(ev, RULE("exc-info-escaped"));
	if (!running)
		finding_say(c, ev, RULE("exc-info-escaped"), "info", info,
			info ? "The exception callback that was told this has returned."
			     : "There is no exception information here.");
}

/* --- registration -------------------------------------------------------------------------- */

static bool has_callback(const struct acl_event *ev)
{
	return ACL_ARGS(ev, aclrtSetExceptionInfoCallback)->callback != NULL;
}

_Static_assert(offsetof(struct acl_args_aclrtSetExceptionInfoCallback, callback) ==
		       offsetof(struct acl_args_aclrtExceptionInfoCallbackRegister, callback),
	"forms of the registration differ");

/* Libraries register when they are first used: only the program that initialised is told. */
static bool by_library(struct checks *c, struct acl_event *ev)
{
	uint32_t module = ev->module       ? ev->module
			  : c->host.module ? c->host.module(c->host.context, ev->caller)
					   : 0;

	return !ld(&c->init_count) || module != ld(&c->init_module);
}

static void registering(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s;

	if (!has_callback(ev) || ld(&exceptions(c)->registered) || by_library(c, ev))
		return;
	rule_asked(ev, RULE("exc-callback-register-late"));
	object_each(c, ACL_HANDLE_STREAM, s)
	{
		if (!ld(&stream_state(s)->work))
			continue;
		finding_on(c, ev, RULE("exc-callback-register-late"), s, NULL,
			"Tasks were submitted before: what goes wrong with them is not told to the "
			"callback.");
		return;
	}
}

static void registered(struct checks *c, struct acl_event *ev)
{
	if (has_callback(ev) && succeeded(ev))
		st(&exceptions(c)->registered, true);
}

static struct acl_object *own_binary(struct checks *c, const struct acl_event *ev)
{
	struct acl_object *b =
		object_live(c, ACL_HANDLE_BINARY, ACL_ARGS(ev, aclrtBinarySetExceptionCallback)->binHandle);

	return b && !(ld(&b->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED)) ? b : NULL;
}

/* The callback of a binary is told about launches of its kernels. */
static void registering_binary(struct checks *c, struct acl_event *ev)
{
	struct acl_object *b = own_binary(c, ev);

	if (!b || by_library(c, ev) || ld(&exceptions(c)->binaries.full) ||
		pairs_value(&exceptions(c)->binaries, object_ref(b)))
		return;
	rule_asked(ev, RULE("exc-callback-register-late"));
	if (ld_acquire(&binary_state(b)->launches[0].position))
		finding_on(c, ev, RULE("exc-callback-register-late"), b, NULL,
			"A kernel of the binary was launched before: what goes wrong with it is not told to "
			"the callback.");
}

static void registered_binary(struct checks *c, struct acl_event *ev)
{
	struct acl_object *b = own_binary(c, ev);

	if (b && succeeded(ev))
		pairs_set(&exceptions(c)->binaries, object_ref(b), 1);
}

/* --- fault, abort, repair ---------------------------------------------------------------------- */

static uint64_t device_key(const struct acl_event *ev)
{
	return (uint64_t)(uint32_t)device_argument(ev) + 1;
}

static bool complete(struct checks *c)
{
	return !ld(&exceptions(c)->fault.full) && !ld(&exceptions(c)->work.full);
}

/* Grows with every task the device's streams get. */
static uint64_t work_of(struct checks *c, int device)
{
	struct acl_object *s;
	uint64_t sum = 1;

	object_each(c, ACL_HANDLE_STREAM, s) if (ld(&s->device) == device) sum += ld(&s->version);
	return sum;
}

static void aborted(struct checks *c, struct acl_event *ev)
{
	struct exceptions *x = exceptions(c);

	if (!succeeded(ev))
		return;
	pairs_set(&x->work, device_key(ev), work_of(c, device_argument(ev)));
	pairs_set(&x->fault, device_key(ev), pairs_value(&x->fault, device_key(ev)) | FAULT_ABORTED);
}

static void reading(struct checks *c, struct acl_event *ev)
{
	struct exceptions *x = exceptions(c);
	uint64_t now = pairs_value(&x->fault, device_key(ev));
	bool same = !(now & FAULT_ABORTED) ||
		    pairs_value(&x->work, device_key(ev)) == work_of(c, device_argument(ev));

	/* New tasks since the abort may have met a fault of their own. */
	if (!complete(c) || !same)
		return;
	ev->carry[CARRY_NOTE] = now & FAULT_ABORTED;
	rule_asked(ev, RULE("exc-verbose-order"));
	if (now == FAULT_ABORTED)
		finding_on(c, ev, RULE("exc-verbose-order"), NULL, NULL,
			"aclrtDeviceTaskAbort was called for device %d before: what it did not clear away "
			"may "
			"not be the fault.",
			device_argument(ev));
}

static void was_read(struct checks *c, struct acl_event *ev)
{
	if (succeeded(ev))
		pairs_set(&exceptions(c)->fault, device_key(ev), FAULT_READ | ev->carry[CARRY_NOTE]);
}

static void repairing(struct checks *c, struct acl_event *ev)
{
	uint64_t now = pairs_value(&exceptions(c)->fault, device_key(ev));

	if (!complete(c))
		return;
	rule_asked(ev, RULE("exc-verbose-order"));
	if (!(now & FAULT_ABORTED))
		finding_on(c, ev, RULE("exc-verbose-order"), NULL, NULL,
			"aclrtDeviceTaskAbort was not called for device %d since its fault.",
			device_argument(ev));
	else if (!(now & FAULT_READ))
		finding_on(c, ev, RULE("exc-verbose-order"), NULL, NULL,
			"aclrtGetErrorVerbose was not called for device %d before its tasks were aborted.",
			device_argument(ev));
}

static void repaired(struct checks *c, struct acl_event *ev)
{
	if (succeeded(ev))
		pairs_set(&exceptions(c)->fault, device_key(ev), 0);
}

/* --- aborts while capturing ------------------------------------------------------------------------ */

static void aborting(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev), *capture;

	if (!s || !object_usable(s))
		return;
	rule_asked(ev, RULE("exc-abort-during-capture"));
	capture = capture_of(c, s);
	if (capture)
		finding_on(c, ev, RULE("exc-abort-during-capture"), s, capture,
			"The stream is being captured: end the capture first.");
}

static void aborting_device(struct checks *c, struct acl_event *ev)
{
	struct acl_object *capture;

	if (!device_at(c, device_argument(ev)))
		return;
	rule_asked(ev, RULE("exc-abort-during-capture"));
	capture = capture_in(c, NULL, device_argument(ev));
	if (capture)
		finding_on(c, ev, RULE("exc-abort-during-capture"),
			object_of(c, ld(&model_state(capture)->origin)), capture,
			"A stream of device %d is being captured: end the capture first.",
			device_argument(ev));
}

static bool exceptions_create(struct checks *c)
{
	c->topic[TOPIC_EXCEPTIONS] = checks_alloc(c, sizeof(struct exceptions));
	return c->topic[TOPIC_EXCEPTIONS] != NULL;
}

static void exceptions_forked(struct checks *c)
{
	st(&exceptions(c)->lock.held, 0);
	st(&exceptions(c)->fault.lock.held, 0);
	st(&exceptions(c)->work.lock.held, 0);
	st(&exceptions(c)->binaries.lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtGetArgsFromExceptionInfo, ACL_ENTER, asking},
	{ACL_API_aclrtGetDeviceIdFromExceptionInfo, ACL_ENTER, asking},
	{ACL_API_aclrtGetErrorCodeFromExceptionInfo, ACL_ENTER, asking},
	{ACL_API_aclrtGetFuncHandleFromExceptionInfo, ACL_ENTER, asking},
	{ACL_API_aclrtGetStreamIdFromExceptionInfo, ACL_ENTER, asking},
	{ACL_API_aclrtGetTaskIdFromExceptionInfo, ACL_ENTER, asking},
	{ACL_API_aclrtGetThreadIdFromExceptionInfo, ACL_ENTER, asking},
	{ACL_API_aclrtSetExceptionInfoCallback, ACL_ENTER, registering},
	{ACL_API_aclrtSetExceptionInfoCallback, ACL_LEAVE, registered},
	{ACL_API_aclrtExceptionInfoCallbackRegister, ACL_ENTER, registering},
	{ACL_API_aclrtExceptionInfoCallbackRegister, ACL_LEAVE, registered},
	{ACL_API_aclrtBinarySetExceptionCallback, ACL_ENTER, registering_binary},
	{ACL_API_aclrtBinarySetExceptionCallback, ACL_LEAVE, registered_binary},
	{ACL_API_aclrtDeviceTaskAbort, ACL_ENTER, aborting_device},
	{ACL_API_aclrtDeviceTaskAbort, ACL_LEAVE, aborted},
	{ACL_API_aclrtGetErrorVerbose, ACL_ENTER, reading},
	{ACL_API_aclrtGetErrorVerbose, ACL_LEAVE, was_read},
	{ACL_API_aclrtRepairError, ACL_ENTER, repairing},
	{ACL_API_aclrtRepairError, ACL_LEAVE, repaired},
	{ACL_API_aclrtStreamAbort, ACL_ENTER, aborting},
	{ACL_API_aclrtStreamStop, ACL_ENTER, aborting},
};

const struct acl_topic topic_exceptions = {
	.name = "exceptions",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = exceptions_create,
	.callback = told,
	.forked = exceptions_forked,
};
