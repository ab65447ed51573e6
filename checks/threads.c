/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What other threads are doing: the runtime ends or a device goes out of use
 * while they are in a call, or too many of them poll.
 */
#include "checks/report.h"
#include "checks/state.h"

#define POLLING 4 /* threads that may poll at once */

struct threads_state {
	_Atomic int32_t polling; /* threads that synchronise a FAST_SYNC stream */
	_Atomic bool said;
};

static struct threads_state *threads(struct checks *c)
{
	return c->topic[TOPIC_THREADS];
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
static int busy_in(struct checks *c, const struct acl_event *ev, struct acl_thread *t)
{
	unsigned inside = t == ev->thread || !ld(&t->pthread_id) ? 0 : ld_acquire(&t->inside);

	if (!inside || !matters(inside - 1))
		return -1;
	if (c->host.thread_lives && !c->host.thread_lives(c->host.context, ld(&t->tid)))
		return -1;
	return (int)inside - 1;
}

static bool same_module(struct checks *c, uint64_t caller, uint64_t other)
{
	return !c->host.module ||
	       c->host.module(c->host.context, caller) == c->host.module(c->host.context, other);
}

/* --- finalize-race ----------------------------------------------------------------------- */

static void say_race(struct checks *c, struct acl_event *ev, struct acl_thread *t, unsigned api)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	/* A thread of a library is the library's to stop. */
	grade.advice = !same_module(c, ev->caller, ld(&t->inside_caller));
	if (ev->in_exit)
		grade.severity = ACL_SEV_WARNING;
	f = finding_begin_as(c, ev, RULE("finalize-race"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "thread %u is in the middle of %s", ld(&t->tid), acl_apis[api].name);
	finding_uint(f, "thread", ld(&t->tid));
	finding_api(f, "its call", api);
	finding_show(c, f);
}

static void finalizing(struct checks *c, struct acl_event *ev)
{
	if (ld(&c->init_count) <= 0 || (ev->api == ACL_API_aclFinalizeReference && ld(&c->init_count) > 1))
		return;
	rule_asked(ev, RULE("finalize-race"));
	for (unsigned i = 0; i < ACL_THREADS; i++) {
		int api = busy_in(c, ev, &c->threads[i]);

		if (api < 0)
			continue;
		say_race(c, ev, &c->threads[i], (unsigned)api);
		return;
	}
}

/* --- device-reset-while-thread-active ----------------------------------------------------- */

/* Bound to the device's default context: explicit ones survive the reset. */
static bool works_on(struct acl_thread *t, int device)
{
	return ld(&t->device) == device && !ld(&t->context) && !ld(&t->context_unknown);
}

static void resetting(struct checks *c, struct acl_event *ev)
{
	int device = device_argument(ev), api = -1;
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;
	unsigned i;

	if (!device_reset_is_last(c, ev, device))
		return;
	rule_asked(ev, RULE("device-reset-while-thread-active"));
	for (i = 0; i < ACL_THREADS; i++) {
		api = works_on(&c->threads[i], device) ? busy_in(c, ev, &c->threads[i]) : -1;
		if (api >= 0 && context_needed((unsigned)api))
			break;
	}
	if (i == ACL_THREADS)
		return;
	if (ev->in_exit)
		grade.severity = ACL_SEV_WARNING;
	f = finding_begin_as(c, ev, RULE("device-reset-while-thread-active"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "device %d goes out of use while thread %u is in the middle of %s on it", device,
		ld(&c->threads[i].tid), acl_apis[api].name);
	finding_int(f, "device", device);
	finding_uint(f, "thread", ld(&c->threads[i].tid));
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
		unsigned inside = ld(&t->inside);

		n += inside == ACL_API_aclrtSynchronizeStream + 1 ||
		     inside == ACL_API_aclrtSynchronizeStreamWithTimeout + 1;
	}
	return n;
}

static void polls(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);
	struct finding_buffer room;
	struct acl_finding *f;
	int32_t n;

	if (!s || __builtin_expect(!(ld(&stream_state(s)->flags) & ACL_STREAM_FAST_SYNC), 1))
		return;
	n = bump(&threads(c)->polling) + 1;
	ev->carry[CARRY_NOTE] = 1;
	rule_asked(ev, RULE("stream-fast-sync-many"));
	if (n <= POLLING || ld(&threads(c)->said) || polling_now(c) <= POLLING)
		return;
	st(&threads(c)->said, true);
	f = finding_begin(c, ev, RULE("stream-fast-sync-many"), &room);
	if (!f)
		return;
	finding_detail(f, "%d threads poll at once, each keeps a core of the host busy", n);
	finding_int(f, "threads", n);
	finding_object(c, f, "stream", s);
	finding_show(c, f);
}

static void polled(struct checks *c, struct acl_event *ev)
{
	if (__builtin_expect(ev->carry[CARRY_NOTE] != 0, 0))
		drop(&threads(c)->polling);
}

static bool threads_create(struct checks *c)
{
	c->topic[TOPIC_THREADS] = checks_alloc(c, sizeof(struct threads_state));
	return c->topic[TOPIC_THREADS] != NULL;
}

/* The calls of the parent's other threads do not go on here. */
static void threads_forked(struct checks *c)
{
	for (unsigned i = 0; i < ACL_THREADS; i++)
		if (ld(&c->threads[i].pthread_id))
			st(&c->threads[i].inside, 0);
	st(&threads(c)->polling, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclFinalize, ACL_ENTER, finalizing},
	{ACL_API_aclFinalizeReference, ACL_ENTER, finalizing},
	{ACL_API_aclrtResetDevice, ACL_ENTER, resetting},
	{ACL_API_aclrtResetDeviceForce, ACL_ENTER, resetting},
	{ACL_API_aclrtSynchronizeStream, ACL_ENTER, polls},
	{ACL_API_aclrtSynchronizeStreamWithTimeout, ACL_ENTER, polls},
	{ACL_API_aclrtSynchronizeStream, ACL_LEAVE, polled},
	{ACL_API_aclrtSynchronizeStreamWithTimeout, ACL_LEAVE, polled},
};

const struct acl_topic topic_threads = {
	.name = "threads",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = threads_create,
	.forked = threads_forked,
};
