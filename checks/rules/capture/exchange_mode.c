/* SPDX-License-Identifier: Apache-2.0 */
/* The capture mode that a thread exchanges: without effect, at the wrong time, not set back. */
#include "checks/engine/finding_statement.h"
#include "checks/state/capture_state.h"
#include "checks/state/device_state.h"
#include "checks/state/stream_state.h"

static const char *const modes[] = {"GLOBAL", "THREAD_LOCAL", "RELAXED", "no"};

/* What the last exchange replaced is set again. */
static bool mode_is_set_back(struct acl_thread *t, unsigned wanted)
{
	return load_relaxed(&t->exchanged) == 1 + wanted;
}

/* RELAXED around a call that must not fail is right whatever is captured just then. */
static void exchange_in_capture(
	struct checks *c, struct acl_call_record *call, unsigned wanted, unsigned context)
{
	struct acl_thread *t = thread_of(call);
	unsigned own = capture_mode_of_thread(t), now = load_relaxed(&t->exchange);

	FINDING(c, call, "capture-exchange-no-effect",
		wanted != now && wanted != ACL_MODEL_RI_CAPTURE_MODE_RELAXED &&
			!mode_is_set_back(t, wanted) &&
			(context == ACL_MODEL_RI_CAPTURE_MODE_RELAXED || own != MODE_NONE) &&
			capture_mode_forbids(context, own, wanted) == capture_mode_forbids(context, own, now),
		PARTS(part_enum("mode", "aclmdlRICaptureMode", wanted),
			part_enum("mode before", "aclmdlRICaptureMode", now),
			part_object("capture", capture_by_thread(c, call))),
		"Synchronous memory calls of this thread are %s as before: the strictest capture of the "
		"context is "
		"%s, of the thread %s.",
		capture_mode_forbids(context, own, now) ? "refused" : "permitted", modes[context],
		modes[own]);
}

static void exchange_enter(struct checks *c, struct acl_call_record *call)
{
	unsigned wanted = capture_mode_wanted(call), context_mode;
	struct acl_thread *t = thread_of(call);
	struct acl_object *context;
	bool known;

	if (wanted == MODE_NONE)
		return;
	context = context_current(c, t, &known);
	if (!context)
		return;
	context_mode = capture_mode_of_context(context);
	if (context_mode != MODE_NONE) {
		exchange_in_capture(c, call, wanted, context_mode);
		return;
	}
	/* RELAXED for a call that must not fail whatever others capture, and GLOBAL, which is the beginning,
	 * are fine. */
	FINDING(c, call, "capture-exchange-outside-capture",
		wanted == ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL && load_relaxed(&t->exchange) != wanted &&
			!mode_is_set_back(t, wanted),
		PARTS(part_enum("mode", "aclmdlRICaptureMode", wanted), part_object("context", context)),
		"No stream of the current context is being captured.");
}

static void exchange_capture_end(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *capture = capture_of(c, s);
	struct acl_thread *t = thread_of(call);
	unsigned before;

	if (!capture || !succeeded(call) || load_relaxed(&model_state(capture)->origin) != object_ref(s) ||
		load_relaxed(&model_state(capture)->thread) != thread_identity(c, t))
		return;
	before = load_relaxed(&model_state(capture)->exchange);
	FINDING(c, call, "capture-exchange-not-restored", load_relaxed(&t->exchange) != before,
		PARTS(part_enum("mode", "aclmdlRICaptureMode", load_relaxed(&t->exchange)),
			part_enum("mode at the begin", "aclmdlRICaptureMode", before),
			part_object("stream", s), part_object("capture", capture)),
		"The thread's mode is %s at the end of the capture, and it was %s where it began.",
		modes[load_relaxed(&t->exchange)], modes[before]);
}

static const struct check_hook hooks[] = {
	{ON_OP(CAPTURE_EXCHANGE_MODE), ACL_ENTER, exchange_enter},
	{ON_OP(CAPTURE_END), ACL_LEAVE, exchange_capture_end},
};

const struct check_module module_exchange_mode = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
