/* SPDX-License-Identifier: Apache-2.0 */
/* Workers serve lanes; one keeper thread wakes parked lanes whose time has come. */
#include <sys/syscall.h>
#include "tools/softnpu/core/lane.h"
#include "tools/softnpu/core/exception.h"
#include "tools/softnpu/sync/stream.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BATCH 64 /* operations of one lane before the others get their turn */
#define MAX_THREADS 1024
#define SMALL_STACK ((size_t)256 << 10)
#define POLL_NS 200000
#define POLL_LONGEST_NS 5000000
#define DRAIN_LOOK_MS 50
#define DRAIN_QUIET_MS 1000

static struct {
	struct list ready, timed;
	struct list crowded; /* lanes whose next operation may block, for which there is no further worker */
	struct npu_condition work, help, time;
	unsigned threads, serving,
		blocked; /* workers but the helper; those with a lane, whose lane may block */
	unsigned idle, called; /* workers without work, and how many of them were signalled already */
	unsigned coming,
		awaited; /* workers that were started and did not begin yet, and how many have a lane */
	uint64_t executed; /* operations that began, for SOFTNPU_FAULT_TASK */
	unsigned inside; /* operations that run just now */
	bool keeper, helper, open;
} sched;

static void sched_open(void)
{
	if (sched.open)
		return;
	list_init(&sched.ready);
	list_init(&sched.timed);
	list_init(&sched.crowded);
	sched.open = true;
}

static __thread uint32_t own_id; /* 0 = not asked for yet */

void sched_forget(void)
{
	memset(&sched, 0, sizeof(sched));
	own_id = 0;
}

/* Our threads take no signals: the program's handlers run in its own. */
static bool thread_start(void *(*fn)(void *), const char *name)
{
	sigset_t all, old;
	pthread_attr_t attr;
	pthread_t t;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	rc = pthread_create(&t, &attr, fn, NULL);
	/* Where memory is limited there may be none for a stack of the usual size, and nothing would ever
	 * run. */
	if (rc && !pthread_attr_setstacksize(&attr, SMALL_STACK))
		rc = pthread_create(&t, &attr, fn, NULL);
	if (rc)
		npu_log("%s: no thread can be started: %s", name, strerror(rc));
	if (!rc)
		pthread_setname_np(t, name);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return !rc;
}

static uint32_t thread_id(void)
{
	if (!own_id)
		own_id = (uint32_t)syscall(SYS_gettid);
	return own_id;
}

void *op_new(const struct op_type *type, size_t size)
{
	struct op *op = calloc(1, size);

	if (op) {
		op->type = type;
		op->refs = 1;
		op->thread = thread_id();
	}
	return op;
}

void op_get(struct op *op)
{
	op->refs++;
}

void op_put(struct op *op)
{
	if (--op->refs)
		return;
	if (op->type->release)
		op->type->release(op);
	free(op);
}

void lane_init(struct lane *lane, const struct lane_type *type, int device)
{
	memset(lane, 0, sizeof(*lane));
	lane->type = type;
	lane->device = device;
	list_init(&lane->ready);
	list_init(&lane->waiting);
	list_init(&lane->timed);
}

static void *worker(void *arg);
static void *helper(void *arg);
static void *keeper(void *arg);

static bool worker_start(void)
{
	if (sched.threads >= MAX_THREADS || !thread_start(worker, "softnpu-worker"))
		return false;
	sched.threads++;
	sched.coming++;
	return true;
}

/* Workers inside a host function do not count. */
static bool may_serve_more(void)
{
	return sched.serving - sched.blocked < (unsigned)CFG(workers);
}

/* A worker for each ready lane up to the limit. */
static void call_worker(void)
{
	if (sched.idle > sched.called) {
		sched.called++;
		npu_changed_for_one(&sched.work);
	} else if (sched.coming > sched.awaited) {
		sched.awaited++;
	} else if (sched.threads - sched.blocked < (unsigned)CFG(workers) && worker_start()) {
		sched.awaited++;
	} else {
		npu_changed_for_one(&sched.help);
	}
}

/*
 * With these threads all work comes to an end. They start before the first work is accepted: once it is,
 * there is no call left that could say that they are missing.
 */
bool sched_start(void)
{
	sched_open();
	if (!sched.keeper)
		sched.keeper = thread_start(keeper, "softnpu-timer");
	if (!sched.helper)
		sched.helper = thread_start(helper, "softnpu-helper");
	return sched.keeper && sched.helper && (sched.threads || worker_start());
}

/* A worker, or the helper, may block while another one is left for what devices do. */
static bool may_block_one_more(void)
{
	return sched.threads > sched.blocked || worker_start();
}

static void lane_ready(struct lane *lane)
{
	sched_open();
	lane->state = LANE_READY;
	list_add_tail(&sched.ready, &lane->ready);
	call_worker();
}

static struct op *lane_current(struct lane *lane)
{
	if (lane->program)
		return lane->pc < lane->length ? lane->program[lane->pc] : NULL;
	return lane->head;
}

void lane_submit(struct lane *lane, struct op *op)
{
	if (lane->tail)
		lane->tail->next = op;
	else
		lane->head = op;
	lane->tail = op;
	lane->submitted++;
	if (lane->state == LANE_IDLE) {
		lane->type->busy(lane);
		lane_ready(lane);
	}
}

void lane_start(struct lane *lane, struct op **program, unsigned length)
{
	lane->program = program;
	lane->length = length;
	lane->pc = 0;
	lane->submitted++;
	if (lane->state == LANE_IDLE) {
		lane->type->busy(lane);
		lane_ready(lane);
	}
}

void lane_wake(struct lane *lane)
{
	if (lane->state != LANE_PARKED)
		return;
	list_del(&lane->waiting);
	list_del(&lane->timed);
	lane_ready(lane);
}

void lanes_wake(struct list *waiters)
{
	while (!list_empty(waiters))
		lane_wake(list_first(waiters, struct lane, waiting));
}

static void park_timed(struct lane *lane)
{
	list_add_tail(&sched.timed, &lane->timed);
	npu_changed(&sched.time);
}

enum op_step lane_park(struct lane *lane, struct list *waiters, uint64_t deadline)
{
	lane->deadline = deadline;
	lane->polling = false;
	list_del(&lane->waiting);
	list_add_tail(waiters, &lane->waiting);
	if (deadline)
		park_timed(lane);
	return OP_PARK;
}

/* The longer it has waited, the less often it is looked at: what never comes costs no processor. */
static uint64_t next_look(struct lane *lane)
{
	uint64_t now = npu_now(), pause;

	if (!lane->polled_since)
		lane->polled_since = now;
	pause = (now - lane->polled_since) / 8;
	return now + (pause < POLL_NS ? POLL_NS : pause > POLL_LONGEST_NS ? POLL_LONGEST_NS : pause);
}

enum op_step lane_park_until(struct lane *lane, struct list *waiters, uint64_t deadline)
{
	if (lane->deadline && npu_now() >= lane->deadline) {
		lane->result = ACL_ERROR_RT_WAIT_TIMEOUT;
		return OP_DONE;
	}
	if (lane->deadline)
		deadline = lane->deadline;
	if (waiters)
		return lane_park(lane, waiters, deadline);
	lane->deadline = deadline;
	lane->polling = true;
	lane->look_at = next_look(lane);
	park_timed(lane);
	return OP_PARK;
}

void sched_poke(void)
{
	struct lane *lane, *tmp;

	if (!sched.open)
		return;
	list_for_each_safe(lane, tmp, &sched.timed, timed) if (lane->polling) lane_wake(lane);
}

static void *keeper(void *arg)
{
	npu_own_thread();
	npu_lock();
	for (;;) {
		uint64_t now = npu_now(), next = 0;
		struct lane *lane, *tmp;

		list_for_each_safe(lane, tmp, &sched.timed, timed)
		{
			uint64_t t = lane->polling ? lane->look_at : lane->deadline;

			if (t <= now)
				lane_wake(lane);
			else if (!next || t < next)
				next = t;
		}
		npu_wait(&sched.time, next);
	}
	return arg;
}

/* The operation at the head is over. */
static void lane_advance(struct lane *lane)
{
	struct op *op = lane->head;

	lane->op_state = NULL;
	lane->deadline = 0;
	lane->polled_since = 0;
	if (lane->program) {
		if (++lane->pc >= lane->length)
			lane->completed++;
		return;
	}
	lane->head = op->next;
	if (!lane->head)
		lane->tail = NULL;
	op_put(op);
	lane->completed++;
	npu_changed(&lane->progress);
}

static void drop_queued(struct lane *lane)
{
	struct op *op;

	lane->cancelled = false;
	while ((op = lane_current(lane))) {
		if (op->type->cancelled)
			op->type->cancelled(op);
		lane_advance(lane);
	}
}

void lane_cancel(struct lane *lane)
{
	if (lane->state == LANE_IDLE)
		return;
	lane->cancelled = true;
	lane_wake(lane);
}

void lane_hurry(struct lane *lane)
{
	lane->hurry = true;
	if (lane->state == LANE_PARKED && !lane->op_state)
		lane_cancel(lane);
}

/* Tasks of a model take what every task takes. */
static int64_t latency_us(struct lane *lane)
{
	const struct stream *s = lane_stream(lane);

	return s ? npu_task_us(s->id) : CFG(task_us);
}

static void simulate_latency(int64_t us)
{
	struct timespec ts = {us / 1000000, us % 1000000 * 1000};

	if (us)
		nanosleep(&ts, NULL);
}

static bool may_block(struct lane *lane, const struct op *op)
{
	return op->type->may_block || latency_us(lane);
}

static aclError run_unlocked(struct lane *lane, struct op *op)
{
	aclError rc = ACL_SUCCESS;
	int64_t us = latency_us(lane);
	bool blocks = may_block(lane, op);

	if (blocks) {
		sched.blocked++;
		if (!list_empty(&sched.ready))
			call_worker();
	}
	sched.inside++;
	npu_unlock();
	simulate_latency(us);
	if (op->type->run)
		rc = op->type->run(op, lane);
	npu_lock();
	sched.inside--;
	if (blocks) {
		sched.blocked--;
		lanes_wake(&sched.crowded);
	}
	return rc;
}

/* The task is counted, and may be the one that a setting lets fail. */
static aclError provoked_error(struct lane *lane)
{
	aclError rc = device_check_lost(lane->device);

	device_get(lane->device)->executed++;
	if ((int64_t)++sched.executed == CFG(fault_task))
		return (aclError)CFG(fault_code);
	return rc;
}

static enum op_step execute(struct lane *lane, struct op *op, aclError *rc)
{
	enum op_step step = OP_RUN;

	lane->result = ACL_SUCCESS;
	if (op->type->step)
		step = op->type->step(op, lane);
	else if (may_block(lane, op) && !may_block_one_more())
		step = lane_park(lane, &sched.crowded, 0);
	if (step == OP_PARK)
		return step;
	*rc = provoked_error(lane);
	if (!*rc)
		*rc = step == OP_RUN ? run_unlocked(lane, op) : lane->result;
	return OP_DONE;
}

/* False: the lane is parked. */
static bool serve_one(struct lane *lane, struct op *op)
{
	aclError rc = ACL_SUCCESS;
	bool over;

	op_get(op); /* an update of the model may replace it while it runs, or fails */
	over = execute(lane, op, &rc) != OP_PARK;
	if (rc)
		exception_raise(lane, op, rc);
	if (rc && lane->type->failed(lane, op, rc))
		lane->cancelled = true;
	if (over)
		lane_advance(lane);
	op_put(op);
	return over;
}

/* Serves one lane until it is parked, empty, or (true) had its share. */
static bool serve(struct lane *lane)
{
	struct op *op;

	lane->state = LANE_RUNNING;
	for (unsigned n = 0; (op = lane_current(lane)); n++) {
		/* An operation under way that has parts of its own is told to end, not dropped. */
		if (lane->cancelled && !lane->op_state) {
			drop_queued(lane);
			break;
		}
		if (n == BATCH) {
			lane_ready(lane);
			return true;
		}
		if (!serve_one(lane, op)) {
			lane->state = LANE_PARKED;
			if (lane->hurry && !lane->op_state)
				lane_cancel(lane);
			return false;
		}
	}
	lane->cancelled = false;
	lane->state = LANE_IDLE;
	npu_changed(&lane->progress);
	lane->type->idle(lane);
	return false;
}

static void serve_next(void)
{
	struct lane *lane = list_first(&sched.ready, struct lane, ready);
	bool goes_on;

	list_del(&lane->ready);
	sched.serving++;
	goes_on = serve(lane);
	sched.serving--;
	if (!goes_on)
		return;
	/* What it does may be over only once another thread has had the lock. */
	npu_unlock();
	sched_yield();
	npu_lock();
}

static void *worker(void *arg)
{
	npu_own_thread();
	npu_lock();
	sched.coming--;
	if (sched.awaited)
		sched.awaited--;
	for (;;) {
		while (list_empty(&sched.ready) || !may_serve_more()) {
			sched.idle++;
			npu_wait(&sched.work, 0);
			sched.idle--;
			if (sched.called)
				sched.called--;
		}
		serve_next();
	}
	return arg;
}

/*
 * Serves only while no worker is free, and none can be started: of work that comes one by one, one thread
 * gives back all memory, and the program's heap is the same in each run.
 */
static void *helper(void *arg)
{
	npu_own_thread();
	npu_lock();
	for (;;) {
		while (list_empty(&sched.ready) || !may_serve_more() || sched.idle || sched.coming)
			npu_wait(&sched.help, 0);
		serve_next();
	}
	return arg;
}

bool lane_wait_for_tasks(struct lane *lane, uint64_t target, uint64_t deadline)
{
	while (lane->completed < target)
		if (!npu_wait(&lane->progress, deadline))
			return lane->completed >= target;
	return true;
}

bool lane_wait(struct lane *lane, uint64_t target, uint64_t deadline)
{
	while (!lane_done(lane, target))
		if (!npu_wait(&lane->progress, deadline))
			return lane_done(lane, target);
	return true;
}

/* Whether any lane goes on by itself, sooner or later. */
static bool something_goes_on(void)
{
	struct lane *lane;

	if (sched.inside)
		return true;
	list_for_each(lane, &sched.timed, timed) if (lane->deadline) return true;
	return false;
}

void lane_drain(struct lane *lane)
{
	uint64_t executed = 0;
	unsigned quiet = 0;

	while (!lane_wait(lane, lane->submitted, npu_deadline_ms(DRAIN_LOOK_MS))) {
		quiet = something_goes_on() || executed != sched.executed ? 0 : quiet + 1;
		executed = sched.executed;
		if (quiet < DRAIN_QUIET_MS / DRAIN_LOOK_MS)
			continue;
		/* Callbacks that were handed out and that no thread fetches cannot be taken back. */
		if (lane->state == LANE_IDLE)
			return;
		lane_cancel(lane);
		quiet = 0;
	}
}

void lane_callback_returned(struct lane *lane)
{
	lane->outstanding--;
	npu_changed(&lane->progress);
}
