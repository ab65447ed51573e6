/* SPDX-License-Identifier: Apache-2.0 */
/* Host callbacks: handed to the thread that is subscribed for them, or run by the runtime itself. */
#include <stdlib.h>

#include "tools/softnpu/sync/callback.h"
#include "tools/softnpu/graph/capture.h"

/* A thread that processes the reports, or the host functions, of the streams subscribed for it. */
struct reporter {
	struct list link;
	uint64_t thread; /* its pthread_t */
	enum served served;
	int device;
	unsigned streams, waiting;
	bool ended; /* the last stream was unsubscribed: what waits for reports returns */
	struct list reports;
	struct npu_condition arrived;
};

/* One callback handed out. */
struct report {
	struct list link;
	aclrtCallback fn;
	void *data;
	struct lane *lane;
	bool blocking; /* the lane waits; else it went on */
	bool taken, done;
	struct list waiters;
};

static struct list reporters = {&reporters, &reporters};

void callbacks_forget(void)
{
	npu_keep(reporters.next);
	list_init(&reporters);
}

static struct reporter *reporter_find(uint64_t thread, enum served served)
{
	struct reporter *r;

	list_for_each(r, &reporters, link) if (r->thread == thread && r->served == served) return r;
	return NULL;
}

static struct reporter *reporter_new(uint64_t thread, enum served served, int device)
{
	struct reporter *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->thread = thread;
	r->served = served;
	r->device = device;
	list_init(&r->reports);
	list_add_tail(&reporters, &r->link);
	return r;
}

static void reporter_drop(struct reporter *r)
{
	if (r->streams || r->waiting || !list_empty(&r->reports))
		return;
	list_del(&r->link);
	free(r);
}

aclError callback_thread_add(uint64_t thread, enum served served, int device)
{
	struct reporter *r = reporter_find(thread, served);

	if (!r && !(r = reporter_new(thread, served, device)))
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a subscription");
	if (!r->streams)
		r->device = device;
	r->streams++;
	r->ended = false;
	return ACL_SUCCESS;
}

void callback_thread_remove(uint64_t thread, enum served served, bool unsubscribed)
{
	struct reporter *r = reporter_find(thread, served);

	if (!r)
		return;
	r->streams--;
	r->ended |= !r->streams && unsubscribed;
	npu_changed(&r->arrived);
	reporter_drop(r);
}

/* Reports and host functions that the runtime runs exclude each other. */
static aclError without_host_func(aclrtStream handle, struct stream **s)
{
	aclError rc = stream_named(handle, STREAM_SUBMIT, s);

	if (!rc && *s && (*s)->host_func)
		rc = npu_err(ACL_ERROR_RT_STREAM_SUBSCRIBE, "the stream is used for host functions");
	return rc;
}

static aclError subscribe(uint64_t thread, aclrtStream handle)
{
	struct reporter *r;
	struct stream *s;
	aclError rc = without_host_func(handle, &s);

	if (!rc)
		rc = stream_enter(STREAM_QUERY, &s);
	if (!rc && s->subscribed)
		rc = npu_err(ACL_ERROR_RT_STREAM_SUBSCRIBE, "the stream is subscribed");
	if (rc)
		return rc;
	r = reporter_find(thread, SERVED_REPORTS);
	if (r && r->streams && r->device != s->lane.device)
		return npu_err(
			ACL_ERROR_RT_THREAD_SUBSCRIBE, "the thread is subscribed on device %d", r->device);
	rc = callback_thread_add(thread, SERVED_REPORTS, s->lane.device);
	if (rc)
		return rc;
	s->subscribed = true;
	s->subscriber = thread;
	return ACL_SUCCESS;
}

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)
{
	return LOCKED(subscribe(threadId, stream));
}

static void drop_subscription(struct stream *s, bool unsubscribed)
{
	if (s->subscribed)
		callback_thread_remove(s->subscriber, SERVED_REPORTS, unsubscribed);
	s->subscribed = false;
}

/* Its thread goes on waiting: programs cancel it where it stands. */
void callback_unsubscribe(struct stream *s)
{
	drop_subscription(s, false);
}

static aclError unsubscribe(uint64_t thread, aclrtStream handle)
{
	struct stream *s;
	aclError rc = stream_named(handle, STREAM_SUBMIT, &s);

	if (!rc && !s)
		rc = stream_enter(STREAM_SUBMIT, &s);
	if (rc)
		return rc;
	if (!s->subscribed)
		return npu_err(ACL_ERROR_RT_STREAM_SUBSCRIBE, "the stream is not subscribed");
	if (s->subscriber != thread)
		return npu_err(ACL_ERROR_RT_THREAD_SUBSCRIBE, "the stream is subscribed for another thread");
	drop_subscription(s, true);
	return ACL_SUCCESS;
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)
{
	return LOCKED(unsubscribe(threadId, stream));
}

/* The program's function returned, or never will be called. */
static void report_over(struct report *report)
{
	if (report->blocking) {
		report->done = true;
		lanes_wake(&report->waiters); /* the step function frees it */
		return;
	}
	lane_callback_returned(report->lane);
	report->lane->type->idle(report->lane);
	free(report);
}

aclError callback_process(enum served served, int32_t timeout)
{
	uint64_t deadline = npu_deadline_ms(timeout);
	struct reporter *r = reporter_find((uint64_t)pthread_self(), served);
	struct report *report;
	aclError rc = ACL_SUCCESS;

	if (!r)
		return npu_err(ACL_ERROR_RT_THREAD_SUBSCRIBE, "no stream is subscribed for this thread");
	r->waiting++;
	while (list_empty(&r->reports) && !r->ended && npu_wait(&r->arrived, deadline))
		;
	r->waiting--;
	if (list_empty(&r->reports)) {
		rc = npu_err(ACL_ERROR_RT_REPORT_TIMEOUT, "no callback within %d ms, or no stream any more",
			timeout);
	} else {
		report = list_first(&r->reports, struct report, link);
		list_del(&report->link);
		report->taken = true;
		npu_unlock();
		report->fn(report->data);
		npu_lock();
		report_over(report);
	}
	r = reporter_find((uint64_t)pthread_self(), served);
	if (r)
		reporter_drop(r);
	return rc;
}

aclError aclrtProcessReport(int32_t timeout)
{
	return LOCKED(callback_process(SERVED_REPORTS, timeout));
}

/* --- the task that hands a callback out ------------------------------------ */

struct callback_op {
	struct op op;
	aclrtCallback fn;
	void *data;
	bool blocking;
	uint64_t thread;
	enum served served;
};

/* A lane of a replay ends with the replay, so that it has to wait. */
static struct report *hand_out(const struct callback_op *c, struct lane *lane)
{
	struct report *report = calloc(1, sizeof(*report));
	struct reporter *r = reporter_find(c->thread, c->served);

	if (!report)
		return NULL;
	if (!r && !(r = reporter_new(c->thread, c->served, lane->device))) {
		free(report);
		return NULL;
	}
	report->fn = c->fn;
	report->data = c->data;
	report->lane = lane;
	report->blocking = c->blocking || lane_instance(lane);
	list_init(&report->waiters);
	list_add_tail(&r->reports, &report->link);
	npu_changed(&r->arrived);
	return report;
}

/* The thread, which may serve no stream any more, will not get it. */
static void take_back(struct report *report, const struct callback_op *c)
{
	list_del(&report->link);
	report->done = true;
	reporter_drop(reporter_find(c->thread, c->served));
}

static enum op_step callback_step(struct op *op, struct lane *lane)
{
	struct report *report = lane->op_state;

	if (!report) {
		report = hand_out(container_of(op, struct callback_op, op), lane);
		if (!report)
			lane->result = ACL_ERROR_RT_MEMORY_ALLOCATION;
		if (!report)
			return OP_DONE;
		if (!report->blocking) {
			lane->outstanding++;
			lane->type->busy(lane);
			return OP_DONE;
		}
		lane->op_state = report;
	}
	if (lane->cancelled && !report->taken && !report->done)
		take_back(report, container_of(op, struct callback_op, op));
	if (!report->done)
		return lane_park(lane, &report->waiters, 0);
	free(report);
	return OP_DONE;
}

static const struct op_type callback_type = {.name = "CALLBACK", .step = callback_step};

static aclError submit_callback(
	struct stream *s, enum served served, aclrtCallback fn, void *data, bool blocking)
{
	struct callback_op *c = op_new(&callback_type, sizeof(*c));

	if (!c)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task");
	c->fn = fn;
	c->data = data;
	c->blocking = blocking;
	c->thread = served == SERVED_REPORTS ? s->subscriber : s->host_subscriber;
	c->served = served;
	return stream_submit(s, &c->op);
}

static aclError launch(aclrtCallback fn, void *data, bool blocking, aclrtStream handle)
{
	struct stream *s;
	aclError rc = without_host_func(handle, &s);

	if (!rc)
		rc = stream_enter(STREAM_SUBMIT, &s);
	if (rc)
		return rc;
	if (!s->subscribed)
		return npu_err(ACL_ERROR_RT_STREAM_NO_CB_REG, "no thread is subscribed for the stream");
	return submit_callback(s, SERVED_REPORTS, fn, data, blocking);
}

aclError aclrtLaunchCallback(
	aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType, aclrtStream stream)
{
	return LOCKED(launch(fn, userData, blockType == ACL_CALLBACK_BLOCK, stream));
}

/* --- host functions ----------------------------------------------------------- */

struct host_func_op {
	struct op op;
	aclrtHostFunc fn;
	void *args;
};

static aclError host_func_run(struct op *op, struct lane *lane)
{
	struct host_func_op *h = container_of(op, struct host_func_op, op);

	(void)lane;
	h->fn(h->args);
	return ACL_SUCCESS;
}

static const struct op_type host_func_type = {.name = "HOST_FUNC", .run = host_func_run, .may_block = true};

static aclError launch_host_func(aclrtStream handle, aclrtHostFunc fn, void *args)
{
	struct host_func_op *h;
	struct stream *s;
	aclError rc = stream_named(handle, STREAM_SUBMIT, &s);

	if (!rc && s && s->subscribed && !s->host_subscribed)
		rc = npu_err(
			ACL_ERROR_RT_STREAM_SUBSCRIBE, "the stream is subscribed by aclrtSubscribeReport");
	if (!rc)
		rc = stream_enter(STREAM_SUBMIT, &s);
	if (rc)
		return rc;
	if (s->host_subscribed)
		return submit_callback(s, SERVED_HOST_FUNCTIONS, fn, args, true);
	h = op_new(&host_func_type, sizeof(*h));
	if (!h)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a task");
	h->fn = fn;
	h->args = args;
	s->host_func = true;
	return stream_submit(s, &h->op);
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)
{
	return LOCKED(launch_host_func(stream, fn, args));
}
