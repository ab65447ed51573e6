/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of streams: destroyed with work nobody waited for or others wait for,
 * or while callbacks are expected; waited for after an abort.
 */
#include "checks/binding.h"
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

static struct pairs *aborted(struct checks *c)
{
	return c->topic[TOPIC_STREAM_END];
}

static bool made(struct acl_object *s)
{
	return s && !(ld(&s->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_DEFAULT));
}

static void destroying(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);
	struct finding_buffer room;
	struct acl_finding *f;
	uint64_t work, stopped = 0;

	if (!made(s) || ev->carry[CARRY_FINDING] || ev->carry[CARRY_CAPTURE] || ev->in_exit ||
		binding_was(c, s))
		return;
	/*
	 * A record, wait or notify behind the work may tell somebody of its end
	 * whom we do not see; the destroy itself counts for one.  A task found
	 * wrong before explains what is left.
	 */
	rule_asked(ev, RULE("stream-destroy-pending"));
	work = ld_acquire(&stream_state(s)->work);
	pairs_get(aborted(c), object_ref(s), &stopped);
	if (!work || work < stopped || !stream_pending(s, work) || ld(&s->version) > work + 1 ||
		ld(&stream_state(s)->suspect))
		return;
	f = finding_begin(c, ev, RULE("stream-destroy-pending"), &room);
	if (!f)
		return;
	finding_detail(f, "Tasks were put on the stream, and nothing the host did shows that they are done.");
	finding_object(c, f, "stream", s);
	finding_show(c, f);
}

/* Another stream waits for a record behind unfinished work, and the work is thrown away. */
static void forcing(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev), *waiter;
	struct finding_buffer room;
	struct acl_finding *f;
	uint64_t work, task = 0, stopped = 0;
	uint32_t cursor = 0;

	if (!made(s) || ev->carry[CARRY_FINDING] || ev->carry[CARRY_CAPTURE] || ev->in_exit ||
		ld(&c->callbacks_ran))
		return;
	work = ld_acquire(&stream_state(s)->work);
	pairs_get(aborted(c), object_ref(s), &stopped);
	if (!work || work < stopped)
		return;
	rule_asked(ev, RULE("stream-destroy-force-pending"));
	if (!stream_pending(s, work))
		return;
	do
		waiter = stream_waiter(c, s, &cursor, &task);
	while (waiter && task < work);
	f = waiter ? finding_begin(c, ev, RULE("stream-destroy-force-pending"), &room) : NULL;
	if (!f)
		return;
	finding_detail(f, "a stream waits for an event behind tasks that nothing shows to be done, and they "
			  "are discarded");
	finding_object(c, f, "stream", s);
	finding_object(c, f, "waiting stream", waiter);
	finding_show(c, f);
}

/* The thread that processes reports is in the middle of it. */
static bool processes(struct checks *c, uint64_t pthread_id)
{
	for (unsigned i = 0; i < ACL_THREADS; i++)
		if (ld(&c->threads[i].pthread_id) == pthread_id)
			return ld_acquire(&c->threads[i].inside) == ACL_API_aclrtProcessReport + 1;
	return false;
}

static void subscribed(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;
	uint64_t thread;

	if (!made(s) || ev->carry[CARRY_FINDING] || ev->in_exit)
		return;
	rule_asked(ev, RULE("stream-destroyed-while-subscribed"));
	thread = callback_thread_of(c, s);
	if (!thread)
		return;
	/* The runtime ends the subscription itself; only a callback under way is in danger. */
	grade.advice = !processes(c, thread);
	f = finding_begin_as(c, ev, RULE("stream-destroyed-while-subscribed"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "a thread is subscribed for the callbacks of the stream%s",
		grade.advice ? "" : " and processes reports right now");
	finding_address(f, "thread", (const void *)(uintptr_t)thread);
	finding_object(c, f, "stream", s);
	finding_show(c, f);
}

/* Remembers where the stream stood. */
static void aborting(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);

	if (s && succeeded(ev))
		pairs_set(aborted(c), object_ref(s), ld(&s->version) + 1);
}

static void synchronising(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);
	struct finding_buffer room;
	struct acl_finding *f;
	uint64_t stopped = 0;

	if (__builtin_expect(!ld(&aborted(c)->used), 1) || !s || ev->carry[CARRY_FINDING])
		return;
	/* A task since then asks for another wait. */
	if (!pairs_get(aborted(c), object_ref(s), &stopped) || !stopped ||
		!rule_broken(ev, RULE("stream-abort-then-sync"), ld(&s->version) + 1 <= stopped))
		return;
	f = finding_begin(c, ev, RULE("stream-abort-then-sync"), &room);
	if (!f)
		return;
	finding_detail(f, "The stream was aborted and has got no task since.");
	finding_object(c, f, "stream", s);
	finding_show(c, f);
}

static bool stream_end_create(struct checks *c)
{
	c->topic[TOPIC_STREAM_END] = checks_alloc(c, sizeof(struct pairs));
	return c->topic[TOPIC_STREAM_END] != NULL;
}

static void stream_end_forked(struct checks *c)
{
	st(&aborted(c)->lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtDestroyStream, ACL_ENTER, destroying},
	{ACL_API_aclrtDestroyStream, ACL_ENTER, subscribed},
	{ACL_API_aclrtDestroyStreamForce, ACL_ENTER, forcing},
	{ACL_API_aclrtDestroyStreamForce, ACL_ENTER, subscribed},
	{ACL_API_aclrtStreamAbort, ACL_LEAVE, aborting},
	{ACL_API_aclrtSynchronizeStream, ACL_ENTER, synchronising},
	{ACL_API_aclrtSynchronizeStreamWithTimeout, ACL_ENTER, synchronising},
};

const struct acl_topic topic_stream_end = {
	.name = "end of streams",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = stream_end_create,
	.forked = stream_end_forked,
};
