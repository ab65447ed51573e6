/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What other threads are doing: the runtime ends or a device goes out of use
 * while they are in a call, or too many of them poll.
 */
#include "checks/engine/finding_report.h"
#include "checks/state/device_state.h"
#include "checks/state/stream_state.h"

#define POLLING 4 /* threads that may poll at once */

struct threads_state {
	_Atomic int32_t polling; /* threads that synchronise a FAST_SYNC stream */
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

	return api != ACL_API_aclrtProcessReport && api != ACL_API_aclrtProcessHostFunc &&
	       (!strncmp(name, "aclrt", 5) || !strncmp(name, "aclmdlRI", 8));
}

/* The function another thread is in, -1 = none that matters. One that ended in the middle of a call is in
 * none. */
static int busy_in(struct checks *c, const struct acl_call_record *call, struct acl_thread *t)
{
	unsigned inside = t == call->thread || !load_relaxed(&t->pthread_id) ? 0 : load_acquire(&t->inside);

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

static void say_race(struct checks *c, struct acl_call_record *call, struct acl_thread *t, unsigned api)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	/* A thread of a library is the library's to stop. */
	grade.advice = !same_module(c, call->caller, load_relaxed(&t->inside_caller));
	if (call->in_exit)
		grade.severity = ACL_SEV_WARNING;
	f = finding_begin_as(c, call, RULE("finalize-race"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "thread %u is in the middle of %s", load_relaxed(&t->tid), acl_apis[api].name);
	finding_uint(f, "thread", load_relaxed(&t->tid));
	finding_api(f, "its call", api);
	finding_show(c, f);
}

static void finalizing(struct checks *c, struct acl_call_record *call)
{
	if (load_relaxed(&c->init_count) <= 0 ||
		(call->api == ACL_API_aclFinalizeReference && load_relaxed(&c->init_count) > 1))
		return;
	rule_evaluated(call, RULE("finalize-race"));
	for (unsigned i = 0; i < ACL_THREADS; i++) {
		int api = busy_in(c, call, &c->threads[i]);

		if (api < 0)
			continue;
		say_race(c, call, &c->threads[i], (unsigned)api);
		return;
	}
}

/* --- device-reset-while-thread-active ----------------------------------------------------- */

/* Bound to the device's default context: explicit ones survive the reset. */
static bool works_on(struct acl_thread *t, int device)
{
	return load_relaxed(&t->device) == device && !load_relaxed(&t->context) &&
	       !load_relaxed(&t->context_unknown);
}

static void resetting(struct checks *c, struct acl_call_record *call)
{
	int device = device_argument(call), api = -1;
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;
	unsigned i;

	if (!device_reset_is_last(c, call, device))
		return;
	rule_evaluated(call, RULE("device-reset-while-thread-active"));
	for (i = 0; i < ACL_THREADS; i++) {
		api = works_on(&c->threads[i], device) ? busy_in(c, call, &c->threads[i]) : -1;
		if (api >= 0 && acl_apis[api].context != ACL_CONTEXT_NONE)
			break;
	}
	if (i == ACL_THREADS)
		return;
	if (call->in_exit)
		grade.severity = ACL_SEV_WARNING;
	f = finding_begin_as(c, call, RULE("device-reset-while-thread-active"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "device %d goes out of use while thread %u is in the middle of %s on it", device,
		load_relaxed(&c->threads[i].tid), acl_apis[api].name);
	finding_int(f, "device", device);
	finding_uint(f, "thread", load_relaxed(&c->threads[i].tid));
	finding_api(f, "its call", (unsigned)api);
	finding_show(c, f);
}

/* --- stream-fast-sync-many ----------------------------------------------------------------- */

/* Those counted are the upper bound: a thread may have left its call by other ways than returning. */
static unsigned polling_now(struct checks *c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < ACL_THREADS; i++) {
		struct acl_thread *t = &c->threads[i];
		unsigned inside = load_relaxed(&t->inside);

		n += inside == ACL_API_aclrtSynchronizeStream + 1 ||
		     inside == ACL_API_aclrtSynchronizeStreamWithTimeout + 1;
	}
	return n;
}

/* Of a call: it counts among those that poll. */
static const char polls_note;

static void polls(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	struct finding_buffer room;
	struct acl_finding *f;
	int32_t n;

	if (!s || __builtin_expect(!(load_relaxed(&stream_state(s)->flags) & ACL_STREAM_FAST_SYNC), 1))
		return;
	n = counter_inc(&threads(c)->polling) + 1;
	call_note_set(call, &polls_note, 1);
	rule_evaluated(call, RULE("stream-fast-sync-many"));
	if (n <= POLLING || load_relaxed(&threads(c)->said) || polling_now(c) <= POLLING)
		return;
	store_relaxed(&threads(c)->said, true);
	f = finding_begin(c, call, RULE("stream-fast-sync-many"), &room);
	if (!f)
		return;
	finding_detail(f, "%d threads poll at once, each keeps a core of the host busy", n);
	finding_int(f, "threads", n);
	finding_object(c, f, "stream", s);
	finding_show(c, f);
}

static void polled(struct checks *c, struct acl_call_record *call)
{
	if (__builtin_expect(call_note(call, &polls_note) != 0, 0))
		counter_dec(&threads(c)->polling);
}

/* The calls of the parent's other threads do not go on here. */
static void threads_forked(struct checks *c)
{
	for (unsigned i = 0; i < ACL_THREADS; i++)
		if (load_relaxed(&c->threads[i].pthread_id))
			store_relaxed(&c->threads[i].inside, 0);
	store_relaxed(&threads(c)->polling, 0);
}

static const struct check_hook hooks[] = {
	{ON_OP(PROCESS_FINALIZE), ACL_ENTER, finalizing},
	{ON_OP(DEVICE_RESET), ACL_ENTER, resetting},
	{ON_OP(SYNCHRONISE_STREAM), ACL_ENTER, polls},
	{ON_OP(SYNCHRONISE_STREAM), ACL_LEAVE, polled},
};

const struct check_module module_threads = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct threads_state),
	.forked = threads_forked,
};
