/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What other threads are doing: the runtime ends or a device goes out of use
 * while they are in a call, or too many of them poll.
 */
#include "checks/engine/finding_statement.h"
#include "checks/state/init_state.h"
#include "checks/state/device_state.h"
#include "checks/state/stream_state.h"

#define POLLING 4 /* threads that may poll at once */

struct threads_state {
	/* Threads that synchronise a FAST_SYNC stream; in a forked child those of its parent as well. */
	_Atomic uint32_t polling;
	_Atomic bool said;
};

static struct threads_state *threads(struct checks *c)
{
	return module_state(c, threads);
}

/* Helper threads of libraries sit in the processing of reports for the process' whole life. */
static bool matters(unsigned api)
{
	const char *name = acl_apis[api].name;

	return acl_apis[api].operation != ACL_OP_CALLBACK_PROCESS &&
	       acl_apis[api].operation != ACL_OP_CALLBACK_PROCESS_HOST_FUNCTION &&
	       (!strncmp(name, "aclrt", 5) || !strncmp(name, "aclmdlRI", 8));
}

/* The function another thread is in, -1 = none that matters. One that ended in the middle of a call is in
 * none. */
static int busy_in(struct checks *c, const struct acl_call_record *call, struct acl_thread *t)
{
	unsigned inside = t == call->thread || !load_relaxed(&t->pthread_id) ? 0 : thread_inside(c, t);

	if (!inside || !matters(inside - 1))
		return -1;
	if (c->host.thread_lives && !c->host.thread_lives(c->host.context, load_relaxed(&t->tid)))
		return -1;
	return (int)inside - 1;
}

static bool same_module(struct checks *c, uint64_t caller, uint64_t other)
{
	return !c->host.module ||
	       c->host.module(c->host.context, caller) == c->host.module(c->host.context, other);
}

/* --- finalize-race ----------------------------------------------------------------------- */

static void conflict_finalize_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_thread *t;
	int api = -1;

	if (!finalize_ends_runtime(c, call))
		return;
	thread_each(c, t) if ((api = busy_in(c, call, t)) >= 0) break;
	/* A thread of a library is the library's to stop. */
	FINDING(c, call, "finalize-race", api >= 0,
		PARTS(part_advice(!same_module(c, call->caller, load_relaxed(&t->inside_caller))),
			part_late(call), part_uint("thread", load_relaxed(&t->tid)),
			part_api("its call", (unsigned)api)),
		"Thread %u is in the middle of %s.", load_relaxed(&t->tid), acl_apis[api].name);
}

/* --- device-reset-while-thread-active ----------------------------------------------------- */

/* Bound to the device's default context: explicit ones survive the reset. */
static bool works_on(struct acl_thread *t, int device)
{
	return load_relaxed(&t->device) == device && !load_relaxed(&t->context) &&
	       !load_relaxed(&t->context_unknown);
}

static void conflict_reset_enter(struct checks *c, struct acl_call_record *call)
{
	int device = device_argument(call), api = -1;
	struct acl_thread *t;

	if (!device_reset_is_last(c, call, device))
		return;
	thread_each(c, t)
	{
		api = works_on(t, device) ? busy_in(c, call, t) : -1;
		if (api >= 0 && acl_apis[api].context != ACL_CONTEXT_NONE)
			break;
		api = -1;
	}
	FINDING(c, call, "device-reset-while-thread-active", api >= 0,
		PARTS(part_late(call), part_int("device", device), part_uint("thread", load_relaxed(&t->tid)),
			part_api("its call", (unsigned)api)),
		"Device %d goes out of use while thread %u is in the middle of %s on it.", device,
		load_relaxed(&t->tid), acl_apis[api].name);
}

/* --- stream-fast-sync-many ----------------------------------------------------------------- */

/* Those counted are the upper bound: a thread may have left its call by other ways than returning, or not
 * be there after a fork. */
static unsigned polling_now(struct checks *c)
{
	struct acl_thread *t;
	unsigned n = 0;

	thread_each(c, t)
	{
		unsigned inside = thread_inside(c, t);

		n += inside && acl_apis[inside - 1].operation == ACL_OP_SYNCHRONISE_STREAM;
	}
	return n;
}

/* Of a call: it counts among those that poll. */
static const char polls_note;

static void polls(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	unsigned n;

	if (!s || __builtin_expect(!(stream_rarely(s, flags) & ACL_STREAM_FAST_SYNC), 1))
		return;
	n = counter_inc(&threads(c)->polling) + 1;
	call_note_set(call, &polls_note, 1);
	if (n > POLLING)
		n = load_relaxed(&threads(c)->said) ? 0 : polling_now(c);
	if (FINDING(c, call, "stream-fast-sync-many", n > POLLING,
		    PARTS(part_uint("threads", n), part_object("stream", s)),
		    "%u threads poll at once, each keeps a core of the host busy", n))
		store_relaxed(&threads(c)->said, true);
}

static void polled(struct checks *c, struct acl_call_record *call)
{
	if (__builtin_expect(call_note(call, &polls_note) != 0, 0))
		counter_dec(&threads(c)->polling);
}

static void threads_forked(struct checks *c)
{
	store_relaxed(&threads(c)->said, false);
}

static const struct check_hook hooks[] = {
	{ON_OP(PROCESS_FINALIZE), ACL_ENTER, conflict_finalize_enter},
	{ON_OP(DEVICE_RESET), ACL_ENTER, conflict_reset_enter},
	{ON_OP(SYNCHRONISE_STREAM), ACL_ENTER, polls},
	{ON_OP(SYNCHRONISE_STREAM), ACL_LEAVE, polled},
};

const struct check_module module_threads = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct threads_state),
	.forked = threads_forked,
};
