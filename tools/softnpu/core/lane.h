/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lanes and workers.  A lane is a queue of operations that run one after the
 * other: a stream, or one stream of a model being replayed.  A bounded set of
 * workers serves the lanes that have something to do; a lane that waits for an
 * event or the like is parked and holds no worker.
 */
#ifndef SOFTNPU_LANE_H
#define SOFTNPU_LANE_H

#include "tools/softnpu/core/npu.h"

struct lane;
struct op;

enum op_step {
	OP_RUN, /* call run without the lock, then the operation is over */
	OP_DONE, /* over, its result is in lane->result */
	OP_PARK /* not yet: ask again when the lane is woken */
};

/* What distinguishes kinds of operations. */
struct op_type {
	const char *name; /* for humans: log, model description */
	enum op_step (*step)(struct op *op, struct lane *lane); /* NULL = always OP_RUN */
	aclError (*run)(struct op *op, struct lane *lane); /* without the lock */
	void (*release)(struct op *op); /* gives up what the operation holds; not its memory */
	void (*cancelled)(struct op *op); /* the operation was dropped and will never run */
	void (*describe)(
		const struct op *op, char *text, size_t size); /* JSON members for the model description */
	unsigned task_type; /* aclmdlRITaskType */
	bool may_block; /* run may wait for the program: does not count against SOFTNPU_WORKERS */
	bool is_kernel; /* may be in a task group */
};

/* One operation; never changed once submitted, shared by a model and its replays. */
struct op {
	const struct op_type *type;
	struct op *next; /* in the queue of a stream */
	unsigned refs;
	uint32_t thread; /* that made it */
};

/* size is that of the structure around; NULL without memory. */
void *op_new(const struct op_type *type, size_t size);
void op_get(struct op *op);
void op_put(struct op *op);

enum lane_state { LANE_IDLE, LANE_READY, LANE_RUNNING, LANE_PARKED };

struct lane_type {
	void (*busy)(struct lane *lane); /* the lane got work */
	void (*idle)(struct lane *lane); /* it ran out of work: may free the lane */
	/* An operation failed. True: drop what is queued behind it. */
	bool (*failed)(struct lane *lane, struct op *op, aclError code);
};

struct lane {
	const struct lane_type *type;
	enum lane_state state;
	int device;
	struct list ready; /* among the lanes that workers shall serve */
	struct list waiting; /* among the waiters of an object */
	struct list timed; /* among the lanes with a deadline or a poll */
	struct op *head, *tail; /* queued; the head is being executed */
	/* Model lanes read their operations from an array instead, so that they can jump. */
	struct op **program;
	unsigned length, pc;
	uint64_t submitted, completed;
	unsigned outstanding; /* host callbacks handed out that did not return yet */
	void *op_state; /* of the operation at the head, cleared when it is over */
	aclError result; /* of an operation that answers OP_DONE */
	uint64_t deadline; /* when a parked lane is woken at the latest, 0 = never */
	bool polling; /* woken now and then: waits for a value in memory */
	uint64_t polled_since, look_at; /* of the operation at the head, 0 = it is not polling; when next */
	bool cancelled; /* drop everything */
	bool hurry; /* drop everything when something would wait */
	struct npu_condition progress;
};

void lane_init(struct lane *lane, const struct lane_type *type, int device);
void lane_submit(struct lane *lane, struct op *op); /* takes over the caller's reference; op is never NULL */
void lane_start(struct lane *lane, struct op **program, unsigned length);
/* Puts the lane to sleep in a list of waiters; deadline 0 = none. Only from a step function, which returns
 * the result. */
enum op_step lane_park(struct lane *lane, struct list *waiters, uint64_t deadline);
/* For a wait that may give up: ends the step with a failure once the deadline of its first time is over.
 * NULL: of what another process or a kernel changes, looked at now and then. */
enum op_step lane_park_until(struct lane *lane, struct list *waiters, uint64_t deadline);
void lane_wake(struct lane *lane);
void lanes_wake(struct list *waiters);
/* Drops queued operations; the running one is not interrupted. */
void lane_cancel(struct lane *lane);
/* Runs what can run and drops the rest once something has to wait. */
void lane_hurry(struct lane *lane);
/* Blocks until what was submitted up to target is over; false at the deadline. */
bool lane_wait(struct lane *lane, uint64_t target, uint64_t deadline);
/* The same, but for the callbacks that were handed out. */
bool lane_wait_for_tasks(struct lane *lane, uint64_t target, uint64_t deadline);
/*
 * Blocks until everything submitted is over.  When for a second nothing at all
 * goes on, what the lane waits for will not come: it is dropped.  Callbacks that
 * no thread fetches may still be out then.
 */
void lane_drain(struct lane *lane);
/* A host callback that was handed out has returned. */
void lane_callback_returned(struct lane *lane);
static inline bool lane_done(const struct lane *lane, uint64_t target)
{
	return lane->completed >= target && !lane->outstanding;
}

/* Before work is accepted: false when threads that it needs cannot be started. */
bool sched_start(void);
/* Memory changed: lanes that poll shall look at once. */
void sched_poke(void);
/* In a forked child. */
void sched_forget(void);

#endif
